"""The commands of masing as Python functions: keywords are their options, the content of a result file comes back.

What is computed, masing's own code computes: the module masing._masing in this process, or else the program.
"""

import math
import os
import shlex
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from masing import native, program, values
from masing.errors import FAILURE, NOT_AS_EXPECTED, STOPPED, MasingError, loaded, require, shown

# Where the names of the package are: what needs the program, NumPy or SciPy is loaded when it is first asked for.
SOURCES = {"MasingError": "masing.errors", "Material": "masing.material", "MaterialPoint": "masing.material",
           "MaterialPoints": "masing.material", "Run": "masing.results", "Scan": "masing.results",
           "Study": "masing.results", "converge": "masing.commands", "cycle_numbers": "masing.cycles.limit_cycle",
           "identify": "masing.identification.identify", "open": "masing.commands", "scan": "masing.commands",
           "show": "masing.results", "simulate": "masing.commands"}
# Options with which a run writes a file, temporary without `output`.
WITH_FILE = ("output", "checkpoint", "checkpoint_every", "restart", "wall_limit")
# Options that are functions, and may be tables or functions of Python.
FUNCTIONS = values.OF_T + values.OF_S
# A function of Python is sampled at so many steps, the default of `steps`; at fewer for the exact solution.
MOST_STEPS, FEW_STEPS = 1_000_000, 10_000


def simulate(*files, **options):
    """Make a trajectory, as `masing simulate` does, and give its Run; raises MasingError with one line.

    Keywords are the program's options: `final_time=60` is --final-time 60. A keyword of Python gets an underscore:
    `from_=20`. `energy=True` is an option without a value, None leaves one out. A list is written with commas, a
    dictionary as NAME=VALUE; math.inf is inf. A pair of arrays, such as `force=(t, f)`, is a table, and so is a
    DataFrame of two columns, a Series over its index or the Path of a file of two columns; a function of Python, of t
    or s, is sampled at the steps or the cells. A Run or a Study stands for its file.

    The run is made in this process, or by the program where there is no module of this Python and with `ranks=n`, on n
    ranks of this host by mpirun. Without `output` the result is in memory, or in a temporary file that goes with it;
    save() keeps one.
    """
    return _result("simulate", files, options)


def converge(*files, **options):
    """Make a refinement study, as `masing converge` does, and give its Study, whatever its verdict; the keywords are as
    in simulate().

    Levels are a list, levels=[50, 100, 200], or of pairs, levels=[(50, 5000), (100, 10000)].
    """
    return _result("converge", files, options)


def scan(*files, **options):
    """Make a run for each point of a grid, as `masing scan` does, and give its Scan; the keywords are as in simulate().

    over={"w": "0.3:1.75:30"} or over={"w": [0.4, 0.7, 1], "f": "0.1:1:4:log"}. Points that failed are in the Scan with
    their status; a warning has the program's line.
    """
    return _result("scan", files, options)


def open(path):
    """The Run, Study or Scan in a result file; raises MasingError when it cannot be read."""
    require("h5py", "numpy")
    if not isinstance(path, str | Path):
        raise MasingError(f"open({shown(path)}): give the path of a result file")
    return loaded("masing.results").read(path)


def words(options, folder):
    """The options of simulate() as words of the program; tables of arrays are written into the folder."""
    def table(name, value):
        (path := Path(folder) / f"{name}.csv").write_text(points(name, value).removeprefix("points:").replace(";", "\n"))
        return f"table:{path}"

    result = []
    for name, value in _pairs(options, folder, table):
        if name == "petsc":
            result += ["--petsc", *shlex.split(value or "")]
        else:
            result.append(f"--{name}" if value is None else f"--{name}={value}")
    return result


def _pairs(options, folder, table):
    """The options of simulate() as the program's, (name, value), None for none. `table` gives the text of a function
    from its name and values; the folder takes a case that is a text."""
    # All words behind --petsc go to PETSc; an option that is True would take the next word for its value.
    for name, value in sorted(options.items(), key=lambda item: (item[0] == "petsc", item[1] is True)):
        option = name.rstrip("_").replace("_", "-")
        if value is None or isinstance(value, bool):
            if value:
                yield option, None
        elif name == "config" and _is_case(value):
            (case := Path(folder) / "case.ini").write_text(value, encoding="utf-8")
            yield option, str(case)
        elif name in FUNCTIONS and isinstance(value, os.PathLike):
            path = os.fspath(value)
            yield option, ("file:" if name == "initial_u" and path.endswith(".h5") else "table:") + path
        elif name in FUNCTIONS and not isinstance(value, str) and hasattr(value, "__len__"):
            yield option, table(name, value)
        elif name in values.REPEATED and isinstance(value, dict):
            yield from ((option, f"{key}={_text(each)}") for key, each in value.items())
        elif name in values.REPEATED and not isinstance(value, str):
            yield from ((option, str(each)) for each in value)
        else:
            yield option, _text(value)


def points(name, value):
    """A function given as a table, as the text of its points."""
    return "points:" + ";".join(f"{a!r} {b!r}" for a, b in zip(*values.table(name, value)))


def _text(value, separator=","):
    """A value as the program reads it; of pairs in a list the two are joined by a colon."""
    # An array or a number of NumPy, or a Run, is what it holds.
    value = value.tolist() if hasattr(value, "tolist") else getattr(value, "path", value)
    if isinstance(value, dict):
        return ",".join(f"{key}={_text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple | range):
        return separator.join(_text(each, ":") for each in value)
    return "inf" if isinstance(value, float) and math.isinf(value) else str(value)


def run(command, options, *, masing=None, seconds=None, show=None, name=None, module=None):
    """(Answer, what its file has or None) of a command with options as in simulate(); config may be a case's text.

    masing: the program, else the one that is found; after `seconds` it is stopped; show: as for program.run(); name:
    that of a temporary file, which goes with the result; module: masing._masing, which makes it in the program's place.
    Raises MasingError with the program's line.
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
            answer = native.run(module, command, _pairs(given, folder, points), show)[1]
        else:
            answer = program.run(masing, command, *words(given, folder), seconds=seconds, ranks=ranks, show=show)
        is_new = _identity(output) != before
        # A scan with failed points still has a file.
        answer.require(0, NOT_AS_EXPECTED, *[FAILURE] * (command == "scan" and is_new))
        result = open(output) if is_new else None
        if temporary and is_new:
            result.folder, folder = loaded("masing.results").Folder(folder), None
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
        raise MasingError(f"{command}({shown(files[0])}): options are given by name, config=\"CASE.ini\"; open() reads "
                          "results")
    require("h5py", "numpy")
    results, show = loaded("masing.results"), _display()
    try:
        options = values.checked(options, FUNCTIONS)
        options = ({} if show else {"quiet": True}) | _sampled(command, options)
        module = native.usable(options)
        needs_file = any(options.get(name) is not None for name in WITH_FILE) or _is_case(options.get("config"))
        if module is None or needs_file:
            answer, result = run(command, options, show=show, module=module)
        else:
            image, answer = native.run(module, command, _pairs(options, None, points), show)
            result = results.in_memory(command, image)
    except MasingError as error:
        raise error.with_traceback(None) from None  # with no frames of what it went through
    said = answer.said() if answer.code == FAILURE else _failed_points(result) if module else []
    for line in said + answer.said(program.WARNING):
        warnings.warn(line, stacklevel=3)
    return answer.printed if result is None else result


def _failed_points(result):
    """What the program says of the points of a Scan that failed, none or one line."""
    if "scan" not in result.kinds or not (failed := int((status := result["points/status"]).sum())):
        return []
    return [f"{failed} of {len(status)} points failed; the first: {result.messages[0].partition(': ')[2]}"]


def _sampled(command, options):
    """The options with tables for functions of Python."""
    called = {name: value for name, value in options.items() if name in FUNCTIONS and callable(value)}
    if not called:
        return options
    of_t = [name for name in called if name in values.OF_T]
    end, steps = _times(command, options, called) if of_t else (None, None)
    if end is not None and not 0 < end < math.inf:
        return options | dict.fromkeys(called, "1")  # and the program says what is wrong
    most = FEW_STEPS if options.get("steady") or options.get("engine") == "exact" else MOST_STEPS
    tables = {}
    for name, function in called.items():
        if name in values.OF_T:
            over = "t", end, values.intervals(steps, most, most if steps else FEW_STEPS)
        else:
            over = "s", 1.0, values.intervals(options.get("cells"), 10000, 1000)
        tables[name] = values.sampled(name, function, *over, stacklevel=5, steps=steps if name in of_t else 0)
    return options | tables


def _times(command, options, called):
    """T of a call and its steps, 0 where they are not one number, as resolved; raises MasingError where T has no value."""
    given = {"final-time": options.get("final_time"), "steps": options.get("steps")}
    if given["final-time"] is None or any(isinstance(each, str) for each in given.values()) or "config" in options:
        others = {name: value for name, value in options.items() if name not in (*called, "ranks")}
        text = run(command, others | dict.fromkeys(called, "1") | {"print_config": True})[0].printed
        for name in given:
            value, _, number = text.partition(f"\n{name} = ")[2].partition("\n")[0].partition("  # ")
            given[name] = number if number and command != "scan" else value  # of a scan it is that of the first point
    try:
        end = float(given["final-time"])
    except (TypeError, ValueError):
        raise MasingError(f"{min(called)}: a function of Python is sampled up to final_time, {given['final-time']!r} "
                          "here; give that as a number, or the function as a text") from None
    try:
        return end, int(float(given["steps"])) if given["steps"] is not None else MOST_STEPS * (command == "simulate")
    except (ValueError, OverflowError):
        return end, 0


def _is_case(config):
    """Whether it is a case's text, not the path of one."""
    return isinstance(config, str) and ("\n" in config or "=" in config and not os.path.exists(config))


def _identity(path):
    """What tells a file from the one that replaces it; None where there is none."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _display():
    """A function that shows a line of progress, None for none any more: in a notebook or on a terminal, else None."""
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
