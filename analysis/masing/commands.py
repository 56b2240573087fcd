"""The commands of masing as Python functions.

The keyword arguments of a function are the options of the command, and the function returns its result as a Run, Study
or Scan. The C++ code of masing does all computations. It runs in this process if its extension module masing._masing
can be used, and otherwise in another process, as the program.
"""

import itertools
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from contextlib import nullcontext
from pathlib import Path

from masing import native, program, results, tables, values
from masing.errors import FAILURE, NOT_AS_EXPECTED, STOPPED, MasingError, UsageError, quoted

# If one of these options is given, the result must be written to a file. The file is temporary unless `output` is
# given.
WITH_FILE = ("output", "checkpoint", "checkpoint_every", "restart", "wall_limit")
# The keywords whose options have another name, and the inverse; from_ and to are accepted, too.
OPTIONS = {"start": "from", "end": "to", "tables": "table"}
KEYWORDS = {option: name for name, option in OPTIONS.items()}
# The options whose values are functions of t or of s. Such a function may be given as a text or as a table.
FUNCTIONS = values.OF_T + values.OF_S


def simulate(*files, **options):
    """Compute a trajectory, as the command `masing simulate` does.

    Parameters
    ----------
    **options
        The options of the program: `final_time=60` is --final-time 60. `start` and `end` are --from and --to.
        `energy=True` passes --energy, an option that takes no value. A list is passed as its items separated by commas,
        a dictionary as NAME=VALUE, math.inf as inf; None omits the option. In place of a file, a Run, a Study or a Scan
        may be given. A function of t or s may be a table: a pair of arrays such as `force=(t, f)`, a DataFrame with two
        columns, a Series over its index, or the Path of a file with two columns or of a record in PEER's format AT2.
        Every expression can use a table by its name, as in tables={"record": (t, a)},
        base_acceleration="9.81*record(t)". With `ranks=n` the program computes the run on n ranks of this host.

    Returns
    -------
    Run
        Without `output` it is in memory, or in a temporary file that is deleted with it; save() writes it to a file.

    Raises
    ------
    MasingError
        If the options are wrong or the computation fails.

    Notes
    -----
    The computation takes place in this process if the module masing._masing can be used for it, and otherwise in the
    program. The options are listed below if there is this module, and by `masing simulate --help`.

    Examples
    --------
    >>> run = masing.simulate(stiffness="2-s", cells="inf", force="0.3*sin(t)", final_time=20, steps=2000)
    >>> run.title
    'P = ∞, N = 2000'
    """
    return _result("simulate", files, options)


def converge(*files, **options):
    """Compute a refinement study, as the command `masing converge` does.

    Parameters
    ----------
    **options
        The options of the program, as for `simulate`. `levels` may be a list of numbers of cells or steps,
        levels=[50, 100, 200], or of pairs (cells, steps), levels=[(50, 5000), (100, 10000)].

    Returns
    -------
    Study
        The study, whatever its verdict is.
    """
    return _result("converge", files, options)


def scan(*files, **options):
    """Compute a run or a cycle for each point of a grid of parameters, as the command `masing scan` does.

    Parameters
    ----------
    **options
        The options of the program, as for `simulate`. `over` gives the grid as a dictionary {parameter: values}, such
        as over={"w": "0.3:1.75:30"} or over={"w": [0.4, 0.7, 1], "f": "0.1:1:4:log"}. The values of a function are
        records, as in over={"base_acceleration": [(t, a), …]}. `samples` gives rows of the grid as a DataFrame; a cell
        is a number, the path of a record, or a record as arrays.

    Returns
    -------
    Scan
        The points with the status of each. If points have failed, a warning says why the first of them did.
    """
    return _result("scan", files, options)


def open(path):
    """Return the Run, Study or Scan in a result file.

    Parameters
    ----------
    path : str or Path
        A file that the program wrote.

    Returns
    -------
    Run, Study or Scan
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"open({quoted(path)}): give the path of a result file")
    return results.read(path)


def words(options, folder):
    """Return `options`, which are given as for simulate(), as words of the program's command line.

    A table that is given as arrays is written to a file in `folder`, and the word contains the path of this file.
    """
    count = itertools.count()

    def table(name, value):
        lines = points(name, value).removeprefix("points:").replace(";", "\n")
        (path := Path(folder) / f"table-{next(count)}.csv").write_text(lines)
        return str(path)

    result = []
    for name, value in _pairs(options, folder, table):
        if name == "petsc":
            result += ["--petsc", *shlex.split(value or "")]
        else:
            result.append(f"--{name}" if value is None else f"--{name}={value}")
    return result


def _pairs(options, folder, table):
    """Yield `options`, which are given as for simulate(), as pairs (name of the program's option, value).

    The value is None for an option that takes no value. The function table(name, value) must return the path under
    which the program finds a table that is given as arrays. If the option `config` is the text of a case file, or
    `samples` is a table in memory, it is written to a file in `folder`.
    """
    # --petsc is last, because the program passes all words after it to PETSc. The options that are True come directly
    # before it, behind the options with a value.
    for name, value in sorted(options.items(), key=lambda item: (item[0] == "petsc", item[1] is True)):
        option = OPTIONS.get(name) or name.rstrip("_").replace("_", "-")
        value = _read(name, value) if name in FUNCTIONS else value
        if value is None or isinstance(value, bool):
            if value:
                yield option, None
        elif name == "config" and _is_case(value):
            (case := Path(folder) / "case.ini").write_text(value, encoding="utf-8")
            yield option, str(case)
        elif name == "samples" and not isinstance(value, str | os.PathLike):
            tables.write_samples(path := Path(folder) / "samples.h5", value)
            yield option, str(path)
        elif name == "tables" and isinstance(value, dict):
            for key, each in value.items():
                each = _read(f"tables[{key!r}]", each)
                is_text = isinstance(each, str | os.PathLike)
                yield option, f"{key}={each if is_text else table(f'tables[{key!r}]', each)}"
        elif name in FUNCTIONS and isinstance(value, os.PathLike):
            path = os.fspath(value)
            yield option, ("file:" if name == "initial_u" and path.endswith(".h5") else "table:") + path
        elif name in FUNCTIONS and not isinstance(value, str) and hasattr(value, "__len__"):
            yield option, f"table:{table(name, value)}"
        elif name in values.REPEATED and isinstance(value, dict):
            names = values.VARIED if name == "over" else {}
            yield from ((option, f"{names.get(key, key)}={_text(each)}") for key, each in value.items())
        elif name in values.REPEATED and not isinstance(value, str):
            yield from ((option, str(each)) for each in value)
        else:
            yield option, _text(value)


def _in_process(module, command, options, folder, show):
    """Run a command with the extension module `module`, and return the bytes of its result file and its Answer."""
    arrays = {}

    def table(name, value):
        arrays[name] = tables.pair(name, value)
        return name

    return native.run(module, command, list(_pairs(options, folder, table)), show, arrays)


def _read(name, value):
    """Return the arrays of a record whose Path ends in .at2; return any other value unchanged."""
    if not isinstance(value, os.PathLike) or not str(value).lower().endswith(".at2"):
        return value
    try:
        return tables.of_at2(value)
    except MasingError as error:
        raise type(error)(f"{name}: {error}") from None


def points(name, value):
    """Return the text "points:t f;t f;…" that the program reads for the option `name`, whose value is a table."""
    return "points:" + ";".join(f"{a!r} {b!r}" for a, b in zip(*(each.tolist() for each in tables.pair(name, value))))


def _text(value, separator=","):
    """Return a value as the text that the program reads; the two numbers of a pair in a list are joined by a colon."""
    # An array or a number of NumPy is replaced by a list or a number of Python, and a Run, a Study or a Scan by the
    # path of its file.
    value = value.tolist() if hasattr(value, "tolist") else getattr(value, "path", value)
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple | range):
        return separator.join(_text(each, ":") for each in value)
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def run(command, options, *, masing=None, seconds=None, show=None, name=None, module=None):
    """Run a command and return (answer, result): its Answer and the Run, Study or Scan in its result file.

    `result` is None if the command wrote no file. The options are given as for simulate(); `config` may also be the
    text of a case file. Without the option `output` the result is written to a temporary file called `name`, which is
    deleted with the result. `masing` is the path of the program, by default the path that program.find() returns. If
    `seconds` is given, the program is stopped after this time. If `show` is given, it is called with every line of
    progress, and with None after the last one. If the extension module masing._masing is given as `module`, it computes
    the result in this process, and the program is not run. Raises MasingError with the message of the program if the
    command fails.
    """
    options = {each: value for each, value in options.items() if value is not None}
    ranks, temporary = options.pop("ranks", None), "output" not in options
    masing = masing or (None if module else program.required())
    folder = tempfile.mkdtemp(prefix="masing-run-")
    try:
        output = Path(folder) / (name or f"{command}.h5") if temporary else Path(_text(options["output"]))
        before = _identity(output)
        given = options | {"output": output}
        if module:
            answer = _in_process(module, command, given, folder, show)[1]
        else:
            answer = program.run(masing, command, *words(given, folder), seconds=seconds, ranks=ranks, show=show)
        is_new = _identity(output) != before
        # A scan with failed points ends with the code FAILURE, but has still written its result file.
        answer.require(0, NOT_AS_EXPECTED, *[FAILURE] * (command == "scan" and is_new))
        result = open(output) if is_new else None
        if temporary and is_new:
            result._folder, folder = results.Folder(folder), None
        return answer, result
    except MasingError as error:
        # The folder is kept if the run was stopped, because it may contain the checkpoint of the run.
        folder = None if error.code == STOPPED else folder
        raise
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _result(command, files, options):
    """Return the Run, Study or Scan that a command computes.

    If the command writes no result, as with print_config=True, return the text that it printed.
    """
    if files:
        raise UsageError(f"{command}({quoted(files[0])}): options are given by name, config=\"CASE.ini\"; open() "
                          "reads results")
    show = _display()
    try:
        options = values.checked(tables.with_samples(options) if command == "scan" else options, FUNCTIONS)
        options = ({} if show else {"quiet": True}) | options
        module = native.usable(options)
        needs_file = any(options.get(name) is not None for name in WITH_FILE) or _is_case(options.get("config"))
        if module is None or needs_file:
            answer, result = run(command, options, show=show, module=module)
        else:
            with tempfile.TemporaryDirectory() if "samples" in options else nullcontext() as folder:
                image, answer = _in_process(module, command, options, folder, show)
            result = results.in_memory(command, image)
    except MasingError as error:
        raise type(error)(_in_python(str(error)), error.code) from None  # omits the frames of this package
    said = answer.said() if answer.code == FAILURE else _failed_points(result) if module else []
    for line in said + answer.said(program.WARNING):
        warnings.warn(_in_python(line), stacklevel=3)
    return answer.printed if result is None else result


def _in_python(line):
    """Return a message of the program with options as keyword arguments, such as start for --from."""
    line = re.sub(rf"\b{tables.ARRAY}(?=\d)", "array ", line)
    return re.sub(r"(?<![\w-])--([A-Za-z][\w-]*)", lambda option: keyword(option[1]), line)


def keyword(option):
    """Return the keyword of a Python function for an option of the program, such as final_time or start."""
    return KEYWORDS.get(option) or option.replace("-", "_")


def _failed_points(result):
    """Return the line that the program prints if points of a Scan have failed, as a list; [] for other results."""
    if result._rows != "point" or not (failed := int((status := result["points/status"]).sum())):
        return []
    return [f"{failed} of {len(status)} points failed; the first: {result.messages[0].partition(': ')[2]}"]


def _is_case(config):
    """Return whether the value of the option `config` is the text of a case file, and not the path of a file."""
    return isinstance(config, str) and ("\n" in config or "=" in config and not os.path.exists(config))


def _identity(path):
    """Return the inode and the modification time of a file, which change if it is replaced; None if there is none."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _display():
    """Return a function that shows a line of progress in a notebook or on a terminal; None if there is neither.

    The function clears the line if its argument is None.
    """
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if getattr(shell, "kernel", None) is None:
        is_terminal = sys.stderr and sys.stderr.isatty()
        return (lambda line: sys.stderr.write(f"\r{program.CLEAR}{line or ''}")) if is_terminal else None
    shown = []

    def show(line):
        plain = {"text/plain": line or ""}
        if shown:
            shown[0].update(plain, raw=True)
        elif line:
            shown.append(python.display.display(plain, raw=True, display_id=True))
    return show
