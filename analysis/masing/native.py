"""The module of C++, masing._masing, and running the program's commands in this process with it.

It stands beside the program, or in an installation in this package. MPI is started when the first command runs, for
this process alone, and ended with Python.
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

from masing import program
from masing.errors import FAILURE, STOPPED, MasingError

# What only the program does: PETSc's options are read once, help and configurations are printed, summaries written.
ONLY_PROGRAM = ("petsc", "help", "print_config", "summary", "validate_only")
_one_at_a_time = threading.Lock()
_of_process = None  # that has the session
_is_ending = _is_child = _has_warned = False


def module():
    """The module beside the program that is found, or None: there is none, none for this Python, it does not load, it
    is of another version than the program, or $MASING_MODULE is 0."""
    return None if os.environ.get("MASING_MODULE") == "0" else _beside(program.find(None))


def required(what):
    """The module; raises MasingError that `what` needs it."""
    if found := module():
        return found
    raise MasingError(f"{what} needs the module _masing of {program.required()} for {sys.executable}: build masing "
                      "with python3-dev and pybind11-dev installed, and with this Python in $MASING_PYTHON", FAILURE)


@cache
def _beside(masing):
    here = Path(__file__).resolve().parent
    folders = [here] if masing is None else [Path(masing).resolve().parent, here]
    if masing:
        folders.insert(1, folders[0].parent / "share" / "masing" / "analysis" / "masing")
    files = (folder / f"_masing{suffix}" for folder in folders for suffix in EXTENSION_SUFFIXES)
    file = next((each for each in files if each.is_file()), None)
    loaded, mpi4py = sys.modules.get("masing._masing"), sys.modules.get("mpi4py.MPI")
    # Two of them would share their libraries, which cannot be loaded once MPI has ended.
    if file is None or loaded and Path(loaded.__file__) != file or mpi4py and mpi4py.Is_finalized():
        return None
    try:
        spec = importlib.util.spec_from_file_location("masing._masing", file)
        found = loaded or importlib.util.module_from_spec(spec)
        known = found.__version__ if masing is None else program.version()
    except (ImportError, MasingError):
        return None
    if found.__version__ != known:
        return None
    return sys.modules.setdefault("masing._masing", found)


def usable(options):
    """The module where a command with these options can run in this process, else None: its ranks are more than one, or
    MPI is another process's. Warns once where that is because of a fork."""
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
    # MPI would join the processes that were started with this one, and wait for all to come.
    return None if is_another_s or not mpi and found.started_by_launcher() else found


def run(found, command, options, show):
    """(bytes of the result file, b"" with an `output`; Answer) of a command by its options as pairs, None for no
    value. Raises MasingError with the program's line, KeyboardInterrupt, and what `show`, as of program.run(), raises."""
    global _of_process
    # A value that is empty is one all the same.
    given = [(f"{name}=" if value == "" else name, value or "") for name, value in options if name != "ranks"]
    is_main = threading.current_thread() is threading.main_thread()
    said = program.Lines(show)
    known = found.interrupts()
    with _one_at_a_time:
        if found.interrupts() != known:
            raise MasingError("stopped by SIGINT before it began", STOPPED)
        if _of_process is None:
            found.start()  # again, where Ctrl-C came before the next line
            _of_process = os.getpid()
        interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        try:
            image = found.result_of(command, given, said.take, interruptible, is_main)
        except MasingError:
            if _is_ending:
                raise SystemExit from None  # of a thread, which nobody waits for
            raise
        finally:
            said.end()
    return image, program.Answer(0, "", said.lines)


def _end():
    global _is_ending
    # A child of a fork leaves MPI to its parent.
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
