"""The program as Python functions: keywords are its options, the content of its result file comes back.

Nothing is computed here: the program runs, and its file is read.
"""

import math
import shlex
import shutil
import sys
import tempfile
import warnings
import weakref
from pathlib import Path

from masing import program
from masing.errors import FAILURE, NOT_AS_EXPECTED, STOPPED, MasingError, require

# Options that are given once for each NAME=VALUE.
REPEATED = ("set", "let", "over")
# Options that are functions, and may be tables.
FUNCTIONS = ("base_acceleration", "force", "initial_u", "position", "stiffness", "threshold", "threshold_down")


def simulate(*files, **options):
    """Run `masing simulate` and give its Run; raises MasingError with the program's line.

    Keywords are the program's options: `final_time=60` is --final-time 60. A keyword of Python gets an underscore:
    `from_=20`. True is an option without a value, None leaves it out. A list is written with commas, a dictionary as
    NAME=VALUE; math.inf is inf. A pair of arrays, such as `force=(t, f)`, is a table, and so is a DataFrame of two
    columns or a Series over its index. A Run or a Study stands for its file.

    Without `output` the file is temporary, and removed with the result. `ranks=n` runs n ranks on this host by mpirun.
    """
    return _result("simulate", files, options)


def converge(*files, **options):
    """Run `masing converge` and give its Study, whatever its verdict; the keywords are as in simulate().

    Levels are a list, levels=[50, 100, 200], or of pairs, levels=[(50, 5000), (100, 10000)].
    """
    return _result("converge", files, options)


def scan(*files, **options):
    """Run `masing scan` and give its Scan; the keywords are as in simulate().

    over={"w": "0.3:1.75:30"} or over={"w": [0.4, 0.7, 1], "f": "0.1:1:4:log"}. Points that failed are in the Scan with
    their status; a warning has the program's line.
    """
    return _result("scan", files, options)


def open(path):
    """The Run, Study or Scan in a result file; raises MasingError when it cannot be read."""
    require("h5py", "numpy")
    from masing import results

    if not isinstance(path, str | Path):
        raise MasingError(f"open({path!r}): give the path of a result file")
    return results.read(path)


def words(options, folder):
    """The options of simulate() as words of the program; tables of arrays are written into the folder."""
    result = []
    # All words behind --petsc go to PETSc; an option that is True would take the next word for its value.
    for name, value in sorted(options.items(), key=lambda item: (item[0] == "petsc", item[1] is True)):
        option = f"--{name.rstrip('_').replace('_', '-')}"
        if value is None or isinstance(value, bool):
            result += [option] if value else []
        elif name == "petsc":
            result += [option, *shlex.split(value)]
        elif name == "config" and "\n" in str(value):
            (case := Path(folder) / "case.ini").write_text(value, encoding="utf-8")
            result += [option, str(case)]
        elif callable(value):
            raise MasingError(f"{name}: a function of Python cannot be run by the program; give a text, "
                              "\"0.3*sin(t)\", or its values, (t, f)")
        elif name in FUNCTIONS and not isinstance(value, str) and hasattr(value, "__len__"):
            table = Path(folder) / f"{name}.csv"
            table.write_text("".join(f"{a!r},{b!r}\n" for a, b in _rows(name, value)))
            result += [option, f"table:{table}"]
        elif name in REPEATED and isinstance(value, dict):
            result += [word for key, each in value.items() for word in (option, f"{key}={_text(each)}")]
        elif name in REPEATED and not isinstance(value, str):
            result += [word for each in value for word in (option, str(each))]
        else:
            result += [option, _text(value)]
    return result


def _rows(name, value):
    """The rows (argument, value) of a function given as two sequences [n], as rows [n, 2], or by pandas."""
    if hasattr(value, "to_numpy"):
        index, value = getattr(value, "index", None), value.to_numpy().T
        # The numbers of the rows, as of a Series without an index of its own, are no arguments.
        value = (index, value) if value.ndim == 1 and not hasattr(index, "step") and index is not None else value
    sizes = [len(each) if hasattr(each, "__len__") else 0 for each in value]
    if len(sizes) == 2 and sizes[0] != sizes[1]:
        raise MasingError(f"{name}: {sizes[0]} arguments and {sizes[1]} values; give (t, f), two arrays of one length")
    if 0 in sizes or len(sizes) != 2 and set(sizes) != {2}:
        raise MasingError(f"{name}: one array has no arguments; give (t, f), two arrays of one length")
    try:
        return [(float(a), float(b)) for a, b in (zip(*value) if len(sizes) == 2 else value)]
    except (TypeError, ValueError):
        raise MasingError(f"{name}: what is not a number is in its table") from None


def _text(value, separator=","):
    """A value as the program reads it; of pairs in a list the two are joined by a colon."""
    # An array or a number of NumPy, or a Run, is what it holds.
    value = value.tolist() if hasattr(value, "tolist") else getattr(value, "path", value)
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple | range):
        return separator.join(_text(each, ":") for each in value)
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def run(command, options, *, masing=None, seconds=None, show=None, name=None):
    """(Answer, what its file has or None) of a command with options as in simulate(); config may be a case's text.

    masing: the program, else the one that is found; after `seconds` it is stopped; show: as for program.run(); name:
    that of a temporary file, which goes with the result. Raises MasingError with the program's line.
    """
    masing, options = masing or program.required(), dict(options)
    ranks, temporary = options.pop("ranks", None), "output" not in options
    folder = tempfile.mkdtemp(prefix="masing-run-")
    try:
        output = Path(folder) / (name or f"{command}.h5") if temporary else Path(_text(options["output"]))
        before = _identity(output)
        given = words(options | {"output": output}, folder)
        answer = program.run(masing, command, *given, seconds=seconds, ranks=ranks, show=show)
        is_new = _identity(output) != before
        # A scan with failed points still has a file.
        answer.require(0, NOT_AS_EXPECTED, *[FAILURE] * (command == "scan" and is_new))
        result = open(output) if is_new else None
        if temporary and is_new:
            weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
            folder = None
        return answer, result
    except MasingError as error:
        # The checkpoint of a run that was stopped may be in it.
        folder = None if error.code == STOPPED else folder
        raise
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _result(command, files, options):
    """What the command's file has; the text it printed where it wrote none, as with print_config=True."""
    if files:
        raise MasingError(f"{command}({files[0]!r}): options are given by name, config=\"CASE.ini\"; open() reads results")
    require("h5py", "numpy")
    show = _display()
    answer, result = run(command, ({} if show else {"quiet": True}) | options, show=show)
    for line in (answer.said() if answer.code == FAILURE else []) + answer.said(program.WARNING):
        warnings.warn(line, stacklevel=3)
    return answer.printed if result is None else result


def _identity(path):
    """What tells a file from the one that replaces it; None where there is none."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _display():
    """A function that shows a line of progress, None for none any more: in a notebook or on a terminal, else None."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if getattr(shell, "kernel", None) is None:
        return (lambda line: sys.stderr.write(f"\r{program.CLEAR}{line or ''}")) if sys.stderr.isatty() else None
    shown = []

    def show(line):
        plain = {"text/plain": line or ""}
        if shown:
            shown[0].update(plain, raw=True)
        elif line:
            shown.append(python.display.display(plain, raw=True, display_id=True))
    return show
