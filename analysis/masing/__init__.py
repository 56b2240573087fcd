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

from masing.commands import SOURCES as _SOURCES
from masing.commands import open
from masing.errors import MasingError
from masing.errors import loaded as _loaded
from masing.errors import missing as _missing
from masing.errors import require as _require

# The _LIBRARIES must be installed before a name is imported from a module that is not in _FREE. The functions of the
# modules in _FREE check, when they are called, whether the libraries that they need are installed.
_LIBRARIES, _FREE = ("h5py", "numpy", "scipy", "pandas"), ("masing.commands", "masing.errors")
_NATIVE = ("masing.material", "masing.judgement")


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
    """Return the version of the program masing or, if no program can be run, the version of the installed package.

    Raises AttributeError if there is no installed package either.
    """
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
    """Return the names in _SOURCES that can be used.

    If one of the _LIBRARIES is not installed, only names from the modules in _FREE are returned. The names from the
    modules in _NATIVE are left out if the extension module masing._masing cannot be used.
    """
    from masing import native

    names = list(_SOURCES)
    if _missing(*_LIBRARIES):
        names = [name for name in names if _SOURCES[name] in _FREE]
    return [name for name in names if _SOURCES[name] not in _NATIVE or native.module()]


def __dir__():
    return [*_names(), "__all__", "__version__"]
