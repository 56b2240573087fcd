"""Python over the program masing, which solves the continuous Masing model.

    import masing

    run = masing.simulate(stiffness="2-s", threshold="0.2+0.5*s^2", cells="inf", final_time=60, steps=60000)
    run.x, run.t, run.u                     NumPy arrays
    run.plot_cycle()

simulate(), converge() and scan() run the commands of the same names, open() reads a result file. The package also
makes the reports, cycles, identifications and scaling predictions of the scripts beside it.
"""

from masing.command_line import MasingError
from masing.commands import converge, open, scan, simulate

# So that a traceback has the name under which it is caught.
MasingError.__module__ = __name__

__all__ = ["MasingError", "converge", "open", "scan", "simulate"]
