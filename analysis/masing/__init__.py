"""Python interface of the program masing, which solves the continuous Masing model.

    import masing

    run = masing.simulate(stiffness="2-s", threshold="0.2+0.5*s^2", cells="inf", final_time=60, steps=60000)
    run.t, run.x, run.last_u                NumPy arrays
    run.plot_cycle()
    masing.show()                           opens the windows of all plots; notebooks need no call

simulate(), converge() and scan() run the commands of the program that have these names, and open() reads a result file.
identify() identifies a model from a cycle, such as a measured one. cycle_numbers() computes the stiffnesses, the
damping and the corners of a cycle. backbone() returns the closed cycles of a Material. judge() judges a table of errors
that any program has printed.
"""

from importlib.util import find_spec as _find
from sys import executable as _python

__version__ = "3.0.0"
__all__ = ["Fragility", "Material", "MaterialPoint", "MaterialPoints", "MasingError", "Run", "Scan", "Study",
           "backbone", "converge", "cycle_numbers", "identify", "judge", "open", "scan", "show", "simulate"]

for _library in ("numpy", "scipy", "pandas", "h5py", "xarray", "h5netcdf", "uncertainties"):
    if not _find(_library):
        raise ImportError(f"{_python} has no {_library}: use a Python that has it, such as /usr/bin/python3, for which "
                          "jobs/install_dependencies.sh installs it")

from masing.commands import converge, open, scan, simulate
from masing.cycles.limit_cycle import cycle_numbers
from masing.ensembles import Fragility
from masing.errors import MasingError
from masing.identification.identify import identify
from masing.judgement import judge
from masing.material import Material, MaterialPoint, MaterialPoints, backbone
from masing.options import describe as _describe
from masing.results import Run, Scan, Study, show

for _command in (simulate, converge, scan):
    _describe(_command)
