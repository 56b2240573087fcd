"""The commands of the program as Python functions: keywords are its options, the content of its result file comes back.

Nothing is computed here: the program runs, and its file is read.
"""

import math
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
import weakref
from pathlib import Path

from masing import program
from masing.command_line import FAILURE, NOT_AS_EXPECTED, MasingError, UserError

STOPPED = 75
# Options that are given once for each NAME=VALUE.
REPEATED = ("set", "let", "over")
WARNING, ERROR = "masing warning: ", "masing: "
# What the program redraws its progress with, and how a line of it looks.
CLEAR, PROGRESS = "\033[K", re.compile(r"\[[#.]+\] +\d+ %")


def simulate(**options):
    """Run `masing simulate` and give its Run; raises MasingError with the program's line.

    Keywords are the program's options: `final_time=60` is --final-time 60. A keyword of Python gets an underscore:
    `from_=20`. True is an option without a value, None leaves it out. A list is written with commas, a dictionary as
    NAME=VALUE; math.inf is inf. A pair of arrays, such as `force=(t, f)`, is a table. A Run or a Study stands for its
    file.

    Without `output` the file is temporary, and removed with the result. `ranks=n` runs n ranks on this host by mpirun.
    """
    return _result("simulate", options)


def converge(**options):
    """Run `masing converge` and give its Study, whatever its verdict; the keywords are as in simulate().

    Levels are a list, levels=[50, 100, 200], or of pairs, levels=[(50, 5000), (100, 10000)].
    """
    return _result("converge", options)


def scan(**options):
    """Run `masing scan` and give its Scan; the keywords are as in simulate().

    over={"w": "0.3:1.75:30"} or over={"w": [0.4, 0.7, 1], "f": "0.1:1:4:log"}. Points that failed are in the Scan with
    their status; a warning has the program's line.
    """
    return _result("scan", options)


def open(path):
    """The Run, Study or Scan in a result file; raises MasingError when it cannot be read."""
    from masing import objects

    try:
        return objects.read(Path(path))
    except UserError as mistake:
        raise MasingError(str(mistake)) from None


def words(options, folder):
    """The options of simulate() as words of the program; tables of arrays are written into the folder."""
    result = []
    # All words behind --petsc go to PETSc.
    for name, value in sorted(options.items(), key=lambda item: item[0] == "petsc"):
        option = f"--{name.rstrip('_').replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            result.append(option)
        elif name == "petsc":
            result += [option, *shlex.split(value)]
        elif _is_table(value):
            table = Path(folder) / f"{name}.csv"
            table.write_text("".join(f"{float(a)!r},{float(b)!r}\n" for a, b in zip(*value, strict=True)))
            result += [option, f"table:{table}"]
        elif name in REPEATED and isinstance(value, dict):
            result += [word for key, each in value.items() for word in (option, f"{key}={_text(each)}")]
        elif name in REPEATED and not isinstance(value, str):
            result += [word for each in value for word in (option, str(each))]
        else:
            result += [option, _text(value)]
    return result


def _is_table(value):
    """Whether it is a pair of arrays [n], a function's arguments and values."""
    return isinstance(value, tuple) and len(value) == 2 and all(getattr(each, "ndim", 0) == 1 for each in value)


def _text(value, separator=","):
    """A value as the program reads it; of pairs in a list the two are joined by a colon."""
    # An array or a number of NumPy, or a Run, is what it holds.
    value = value.tolist() if hasattr(value, "tolist") else getattr(value, "path", value)
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple | range):
        return separator.join(_text(each, ":") for each in value)
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def _result(command, options):
    """Run the command and read its file; the text it printed where it wrote none, as with print_config=True."""
    ranks, show = options.pop("ranks", None), _display()
    folder = tempfile.mkdtemp(prefix="masing-run-")
    try:
        temporary = "output" not in options
        output = Path(folder) / f"{command}.h5" if temporary else Path(_text(options["output"]))
        before = _identity(output)
        given = options | {"output": output} | ({} if show else {"quiet": True})
        code, printed, lines = _run([*_launched(ranks), command, *words(given, folder)], show)
        partly = command == "scan" and code == FAILURE and _identity(output) != before
        _judge(code, lines, partly)
        if _identity(output) == before:
            return printed
        result = open(output)
        if temporary:
            weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
            folder = None
        return result
    except MasingError as error:
        # The checkpoint of a run that was stopped may be in it.
        folder = None if error.code == STOPPED else folder
        raise
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _identity(path):
    """What tells a file from the one that replaces it; None where there is none."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _judge(code, lines, partly):
    """Raise MasingError where the program gave no result, else warn of what it warns; `partly`: it has a file."""
    own = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
    if code not in (0, NOT_AS_EXPECTED) and not partly:
        raise MasingError((own or lines or [f"the program ended with exit code {code}"])[0], code)
    for line in (own if partly else []) + [line.removeprefix(WARNING) for line in lines if line.startswith(WARNING)]:
        warnings.warn(line, stacklevel=4)


def _launched(ranks):
    """The program, on so many ranks if that is a number."""
    found = program.find()
    if found is None:
        raise MasingError("no program masing in build/ or on the PATH: build it, or set MASING_PROGRAM to its path",
                          FAILURE)
    if ranks is None:
        return [found]
    if shutil.which("mpirun") is None:
        raise MasingError(f"ranks={ranks}: there is no mpirun on the PATH", FAILURE)
    settings = program.ROOT / "jobs" / "common.sh"
    return ["bash", "-c", 'source "$0" && exec mpirun -n "$@"', str(settings), str(ranks), found]


def _run(call, show):
    """Run the call: (exit code, text of stdout, lines of stderr); show, if any, gets every line of progress."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        # Only on a terminal does the program redraw its progress.
        ours, theirs = pty.openpty() if show else os.pipe()
        try:
            process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=printed, stderr=theirs,
                                       env=program.environment())
        finally:
            os.close(theirs)
        try:
            lines = _followed(ours, show)
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            os.close(ours)
        printed.seek(0)
        return code, printed.read(), lines


def _followed(source, show):
    """The lines of stderr to its end, without those of progress, which `show` gets as they come, and None at last."""
    lines, rest = [], b""
    while chunk := _read(source):
        *whole, rest = re.split(rb"[\r\n]+", rest + chunk)
        for line in (each.decode("utf-8", "replace").removeprefix(CLEAR) for each in (*whole, rest)):
            progress = PROGRESS.search(line)
            if progress and show:
                show(line[progress.start():])
        lines += [line for each in whole if (line := each.decode("utf-8", "replace").removeprefix(CLEAR))
                  and not PROGRESS.search(line)]
    if show:
        show(None)
    return lines


def _read(source):
    try:
        return os.read(source, 65536)
    except OSError:
        # So ends a terminal whose other side is closed.
        return b""


def _display():
    """A function that shows a line of progress, None for none any more: in a notebook or on a terminal, else None."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if getattr(shell, "kernel", None) is None:
        return (lambda line: sys.stderr.write(f"\r{CLEAR}{line or ''}")) if sys.stderr.isatty() else None
    shown = []

    def show(line):
        plain = {"text/plain": line or ""}
        if shown:
            shown[0].update(plain, raw=True)
        elif line:
            shown.append(python.display.display(plain, raw=True, display_id=True))
    return show
