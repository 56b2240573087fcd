"""Python over the program masing, which solves the continuous Masing model.

    import masing

    run = masing.simulate(stiffness="2-s", threshold="0.2+0.5*s^2", cells="inf", final_time=60, steps=60000)
    run.t, run.x, run.last_u                NumPy arrays
    run.plot_cycle()
    masing.show()                           the windows of all plots; notebooks show them without

simulate(), converge() and scan() run the commands of the same names, open() reads a result file; identify() finds the
model of a measured cycle, cycle_numbers() its stiffnesses, damping and corners.
"""

from masing.commands import SOURCES as _SOURCES
from masing.commands import open
from masing.errors import MasingError
from masing.errors import loaded as _loaded
from masing.errors import missing as _missing
from masing.errors import require as _require

# What the others need; these say it themselves when they are called.
_LIBRARIES, _FREE = ("h5py", "numpy", "scipy", "pandas"), ("masing.commands", "masing.errors")


def __getattr__(name):
    if name == "__version__":
        return _version()
    if name == "__all__":
        return _names()
    if name not in _SOURCES:
        raise AttributeError(f"module 'masing' has no attribute '{name}'")
    if _SOURCES[name] not in _FREE:
        _require(*_LIBRARIES)
    found = getattr(_loaded(_SOURCES[name]), name)
    if _SOURCES[name] == "masing.commands":
        from masing.signatures import describe
        describe(found)
    globals()[name] = found
    return found


def _version():
    """That of the program that is found, else of the package where pip has installed it."""
    from importlib.metadata import PackageNotFoundError, version

    from masing import program
    try:
        return program.version()
    except MasingError as error:
        try:
            return version("masing")
        except PackageNotFoundError:
            raise AttributeError(f"masing.__version__ is that of the program: {error}") from None


def _names():
    """The _SOURCES without those for which a library or the module is missing."""
    from masing import native

    names = list(_SOURCES)
    if _missing(*_LIBRARIES):
        names = [name for name in names if _SOURCES[name] in _FREE]
    return [name for name in names if _SOURCES[name] != "masing.material" or native.module()]


def __dir__():
    return [*_names(), "__all__", "__version__"]
