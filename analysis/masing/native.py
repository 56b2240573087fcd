"""Functions that find the C++ extension module masing._masing and run commands of the program with it in this process.

The first command initializes MPI, unless this has been done before; then MPI is finalized when Python exits.
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

# The program runs a command with one of these options. PETSc reads its options only once in a process; with the other
# options the program prints a text.
ONLY_PROGRAM = ("petsc", "help", "print_config", "validate_only")
CLEAR = "\r\033[K"  # the beginning of a line of progress; it clears the line on a terminal
_one_at_a_time = threading.Lock()
_of_process = None  # the id of the process in which start() of the extension module was called, and MPI is initialized
_is_ending = _is_child = False


def module():
    """Return the extension module that belongs to the program; None if it cannot be used, or if MASING_MODULE is 0."""
    return None if os.environ.get("MASING_MODULE") == "0" else _beside(program.find())


def required(what):
    """Return the extension module; if it cannot be used, raise MasingError, whose message says that `what` needs it."""
    if found := module():
        return found
    raise MasingError(f"{what} needs the module _masing of {program.required()} for {sys.executable}: build masing "
                      "with python3-dev and pybind11-dev installed, and with this Python in $MASING_PYTHON", FAILURE)


@cache
def _beside(masing):
    """Return the extension module in the folder of the program `masing`, in the package that was installed with the
    program, or in the folder of this file; None if there is none for this Python and this version of the package."""
    folders = [Path(__file__).resolve().parent]
    if masing:
        folder = Path(masing).resolve().parent
        folders = [folder, folder.parent / "share/masing/analysis/masing", *folders]
    files = (folder / f"_masing{suffix}" for folder in folders for suffix in EXTENSION_SUFFIXES)
    file = next(filter(Path.is_file, files), None)
    loaded, mpi4py = sys.modules.get("masing._masing"), sys.modules.get("mpi4py.MPI")
    # If the extension module has been loaded from another file, `file` must not be loaded, because the two
    # modules would share the same libraries. No module can be used after mpi4py has finalized MPI.
    if file is None or loaded and Path(loaded.__file__) != file or mpi4py and mpi4py.Is_finalized():
        return None
    try:
        found = loaded or importlib.util.module_from_spec(
            importlib.util.spec_from_file_location("masing._masing", file))
    except ImportError:
        return None
    return sys.modules.setdefault("masing._masing", found) if found.__version__ == __version__ else None


def usable(options):
    """Return the module if it can run a command with these options in this process, otherwise None.

    It cannot for several ranks, after MPI was finalized, in a fork of a process that has initialized MPI (then it
    warns), and in a process that a launcher has started without initializing MPI.
    """
    if options.get("ranks") not in (None, 1, "1") or any(options.get(name) for name in ONLY_PROGRAM):
        return None
    if (found := module()) is None:
        return None
    mpi = found.mpi()
    if _of_process == os.getpid():
        return found if mpi == "running" else None
    is_another_s = _of_process or mpi == "ended" or mpi and _is_child
    if is_another_s and _is_child:
        warnings.warn("this process is a fork of one that has run a command or MPI: each run starts the program, and "
                      "takes longer; take get_context(\"spawn\"), or fork before the first run", stacklevel=4)
    # In a process that mpirun or another launcher has started, the initialization of MPI would wait until all processes
    # of the launch initialize MPI.
    return None if is_another_s or not mpi and found.started_by_launcher() else found


def run(found, command, options, show, tables):
    """Run a command with the extension module `found`, and return the bytes of its result file and its Answer.

    `options` are those of options.pairs(), and `tables` the tables {name: (arguments, values)} that they name in place
    of files. The bytes are b"" if there is an option `output`. The function `show`, unless it is None, is called with
    every line of progress, and with "" at the end of each run. While Python's own handler of SIGINT is installed,
    Ctrl-C stops the command; another thread than the main one raises MasingError then.
    """
    global _of_process
    # An option with an empty value is passed as `name=`, to distinguish it from an option that takes no value.
    given = [(f"{name}=" if value == "" else name, value or "") for name, value in options]
    is_main = threading.current_thread() is threading.main_thread()
    lines = []

    def take(message):
        text = message.decode("utf-8", "replace")
        if not text.startswith(CLEAR):
            lines.extend(text.splitlines())
        elif show:
            show(text.removeprefix(CLEAR))

    known = found.interrupts()
    with _one_at_a_time:
        if found.interrupts() != known:
            raise MasingError("stopped by SIGINT before it began", STOPPED)
        if _of_process is None:
            found.start()  # the next run calls it again if Ctrl-C interrupts here
            _of_process = os.getpid()
        interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        try:
            image = found.result_of(command, given, take, interruptible, is_main, tables)
        except MasingError:
            if _is_ending:
                raise SystemExit from None  # ends a thread that is still computing when Python exits
            raise
    return image, program.Answer(0, "", lines)


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
