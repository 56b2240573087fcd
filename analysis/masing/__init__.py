"""Python over the program masing, which solves the continuous Masing model.

    import masing

    run = masing.simulate(stiffness="2-s", threshold="0.2+0.5*s^2", cells="inf", final_time=60, steps=60000)
    run.t, run.x, run.last_u                NumPy arrays
    run.plot_cycle()
    masing.show()                           the windows of all plots; notebooks show them without

simulate(), converge() and scan() run the commands of the same names, open() reads a result file; identify() finds the
model of a measured cycle, cycle_numbers() its stiffnesses, damping and corners.
"""

from masing.commands import converge, open, scan, simulate
from masing.errors import MasingError, require

__all__ = ["MasingError", "Material", "MaterialPoint", "MaterialPoints", "converge", "cycle_numbers", "identify",
           "open", "scan", "show", "simulate"]


def __getattr__(name):
    # What needs NumPy and SciPy is loaded when it is first asked for.
    if name == "__version__":
        from masing.program import version
        return version()
    if name in __all__:
        require("h5py", "numpy", "scipy", "pandas")
    if name == "identify":
        from masing.identification.identify import identify as found
    elif name == "cycle_numbers":
        from masing.cycles.limit_cycle import cycle_numbers as found
    elif name in ("Material", "MaterialPoint", "MaterialPoints"):
        import masing.material as material
        found = getattr(material, name)
    elif name == "show":
        from masing.results import show as found
    else:
        raise AttributeError(f"module 'masing' has no attribute '{name}'")
    return found


def __dir__():
    return __all__
