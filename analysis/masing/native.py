"""Functions that find the C++ extension module masing._masing and run commands of the program with it in this process.

A command runs on this process alone, as on one rank. The first command initializes MPI, unless this has been done
before. If the first command has initialized MPI, MPI is finalized when Python exits.
"""

import atexit
import importlib.util
import os
import signal
import sys
import threading
import warnings
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from masing import __version__, program
from masing.errors import FAILURE, STOPPED, MasingError

# A command with one of these options is run by the program and not by the extension module. PETSc reads its options
# only once in a process; with the other options the program prints a text.
ONLY_PROGRAM = ("petsc", "help", "print_config", "validate_only")
_one_at_a_time = threading.Lock()
_of_process = None  # the id of the process in which start() of the extension module was called, and MPI is initialized
_is_ending = _is_child = _has_warned = False


def module():
    """Return the extension module masing._masing that belongs to the program, or None if it cannot be used.

    It cannot be used, for example, if it is not built for this Python, if its import fails, or if its version differs
    from that of this package. If the environment variable MASING_MODULE is 0, the result is also None.
    """
    return None if os.environ.get("MASING_MODULE") == "0" else _beside(program.find(None))


def required(what):
    """Return the extension module; if it cannot be used, raise MasingError, whose message says that `what` needs it."""
    if found := module():
        return found
    raise MasingError(f"{what} needs the module _masing of {program.required()} for {sys.executable}: build masing "
                      "with python3-dev and pybind11-dev installed, and with this Python in $MASING_PYTHON", FAILURE)


@cache
def _beside(masing):
    """Return the extension module that belongs to the program `masing`, or None if none can be used.

    `masing` is the path of the program, or None if there is no program. The module is searched for in the folder of the
    program, in the Python package that was installed with the program, and in the folder of this file.
    """
    here = Path(__file__).resolve().parent
    folders = [here] if masing is None else [Path(masing).resolve().parent, here]
    if masing:
        folders.insert(1, folders[0].parent / "share" / "masing" / "analysis" / "masing")
    files = (folder / f"_masing{suffix}" for folder in folders for suffix in EXTENSION_SUFFIXES)
    file = next((each for each in files if each.is_file()), None)
    loaded, mpi4py = sys.modules.get("masing._masing"), sys.modules.get("mpi4py.MPI")
    # If the extension module has been loaded from another file, `file` must not be loaded, because the two
    # modules would share the same libraries. No module can be used after mpi4py has finalized MPI.
    if file is None or loaded and Path(loaded.__file__) != file or mpi4py and mpi4py.Is_finalized():
        return None
    try:
        spec = importlib.util.spec_from_file_location("masing._masing", file)
        found = loaded or importlib.util.module_from_spec(spec)
    except ImportError:
        return None
    if found.__version__ != __version__:
        return None
    return sys.modules.setdefault("masing._masing", found)


def usable(options):
    """Return the module if it can run a command with these options in this process, otherwise None.

    The result is None if there is no module that can be used (see module()), if the `options` ask for several ranks or
    contain one of ONLY_PROGRAM, if MPI has been finalized, or was initialized by a process of which this one is a fork
    (then a warning is issued at the first call), or if a launcher has started this process without initializing MPI.
    """
    global _has_warned
    ranks = options.get("ranks")
    if ranks is not None and str(ranks) != "1" or any(options.get(name) for name in ONLY_PROGRAM):
        return None
    if (found := module()) is None:
        return None
    mpi = found.mpi()
    if _of_process == os.getpid():
        return found if mpi == "running" else None
    is_another_s = _of_process or mpi == "ended" or mpi and _is_child
    if is_another_s and _is_child and not _has_warned:
        _has_warned = True
        warnings.warn("this process is a fork of one that has run a command or MPI: each run starts the program, and "
                      "takes longer; take get_context(\"spawn\"), or fork before the first run", stacklevel=4)
    # In a process that mpirun or another launcher has started, the initialization of MPI would wait until all processes
    # of the launch initialize MPI.
    return None if is_another_s or not mpi and found.started_by_launcher() else found


def run(found, command, options, show, tables):
    """Run a command with the extension module `found`, and return the bytes of its result file and its Answer.

    `options` are pairs (name, value); the value is None for an option that takes no value. The bytes are b"" if there
    is an option `output`. `tables` are the tables {name: (arguments, values)} that options name in place of files. If
    `show` is given, it is called with every line of progress, and with None after the last one. Raises MasingError with
    the message of the program if the command fails, and any exception that `show` raises. While Python's own
    handler of SIGINT is installed, Ctrl-C stops the command. Then KeyboardInterrupt is raised if this function was
    called by the main thread, and MasingError if it was called by another thread.
    """
    global _of_process
    # An option with an empty value is passed as `name=`, to distinguish it from an option that takes no value.
    given = [(f"{name}=" if value == "" else name, value or "") for name, value in options if name != "ranks"]
    is_main = threading.current_thread() is threading.main_thread()
    said = program.Lines(show)
    known = found.interrupts()
    with _one_at_a_time:
        if found.interrupts() != known:
            raise MasingError("stopped by SIGINT before it began", STOPPED)
        if _of_process is None:
            found.start()  # the next run calls it again if Ctrl-C interrupts here
            _of_process = os.getpid()
        interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        try:
            image = found.result_of(command, given, said.take, interruptible, is_main, tables)
        except MasingError:
            if _is_ending:
                raise SystemExit from None  # ends a thread that is still computing when Python exits
            raise
        finally:
            said.end()
    return image, program.Answer(0, "", said.lines)


def _end():
    global _is_ending
    # A child process that fork() created must not finalize the MPI of its parent.
    if _of_process == os.getpid():
        found, _is_ending = sys.modules["masing._masing"], True
        found.request_stop()
        if _one_at_a_time.acquire(timeout=10):
            found.end()


def _forked():
    global _one_at_a_time, _is_child
    _one_at_a_time, _is_child = threading.Lock(), True


atexit.register(_end)
os.register_at_fork(after_in_child=_forked)
