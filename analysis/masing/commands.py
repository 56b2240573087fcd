"""The commands of masing as Python functions, which run in this process if the module masing._masing can be used."""

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from masing import native, program, results
from masing.errors import FAILURE, NOT_AS_EXPECTED, STOPPED, MasingError
from masing.options import in_python, pairs, words
from masing.tables import pair, with_samples

# If one of these options is given, the result is written to a file, which is temporary unless `output` is given.
WITH_FILE = ("output", "checkpoint", "checkpoint_every", "restart", "wall_limit")


def simulate(**options):
    """Compute a trajectory, as the command `masing simulate` does.

    Parameters
    ----------
    **options
        The options that `masing simulate --help` lists: `final_time=60` is --final-time 60. `start` and `end` are
        --from and --to. `energy=True` passes --energy, an option that takes no value. A list is passed as its items
        separated by commas, a dictionary as NAME=VALUE, math.inf as inf; None omits the option. In place of a file, a
        Run, a Study or a Scan may be given. A function of t or s may be a table: a pair of arrays such as
        `force=(t, f)`, a DataFrame with two columns, a Series over its index, or the Path of a file with two columns.
        Every expression can use a table by its name, as in tables={"record": (t, a)},
        base_acceleration="9.81*record(t)". With `ranks=n` the program computes the run on n ranks of this host.

    Returns
    -------
    Run
        Without `output` it is in memory, or in a temporary file that is deleted with it; save() writes it to a file.

    Examples
    --------
    >>> run = masing.simulate(stiffness="2-s", cells="inf", force="0.3*sin(t)", final_time=20, steps=2000)
    >>> run.title
    'P = ∞, N = 2000'
    """
    return _result("simulate", options)


def converge(**options):
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
    return _result("converge", options)


def scan(**options):
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
    return _result("scan", options)


def open(path):
    """Return the Run, Study or Scan in the result file with this path."""
    return results.read(path)


def run(command, options, *, masing=None, seconds=None, name=None, module=None, show=None):
    """Run a command and return (answer, result): its Answer and the Run, Study or Scan that it computed, or None.

    The options are given as for simulate(). If the extension module masing._masing is given as `module`, it computes
    the result in this process and calls the function `show` with its lines of progress. Otherwise the program at the
    path `masing` runs, for at most `seconds`. A result that is not in memory is written to the file `output`, or to a
    temporary file called `name`, which is deleted with the result.
    """
    options = {each: value for each, value in options.items() if value is not None}
    ranks, output = options.pop("ranks", None), options.get("output")
    folder = tempfile.mkdtemp(prefix="masing-run-")
    try:
        if module and not any(each in options for each in WITH_FILE):
            image, answer = _in_process(module, command, options, folder, show)
            return answer, results.in_memory(command, image)
        path = Path(output) if output else Path(folder) / (name or f"{command}.h5")
        options["output"] = path
        before = _identity(path)
        if module:
            _, answer = _in_process(module, command, options, folder, show)
        else:
            answer = program.run(masing or program.required(), command, *words(options, folder), seconds=seconds,
                                 ranks=ranks)
        is_new = _identity(path) != before
        # A scan with failed points ends with the code FAILURE, but has still written its result file.
        answer.require(0, NOT_AS_EXPECTED, *[FAILURE] * (command == "scan" and is_new))
        result = open(path) if is_new else None
        if is_new and not output:
            result._folder, folder = results.Folder(folder), None
        return answer, result
    except MasingError as error:
        # The folder is kept if the run was stopped, because it may contain the checkpoint of the run.
        folder = None if error.code == STOPPED else folder
        raise
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _in_process(module, command, options, folder, show):
    arrays = {}

    def table(name, value):
        arrays[name] = pair(name, value)
        return name

    return native.run(module, command, list(pairs(options, folder, table)), show, arrays)


def _result(command, options):
    """Return the Run, Study or Scan that a command computes, or the text that it prints, as with print_config=True."""
    module = native.usable(options)
    show = _display() if module else None
    try:
        options = {"quiet": show is None} | (with_samples(options) if command == "scan" else options)
        answer, result = run(command, options, module=module, show=show)
    except MasingError as error:
        raise type(error)(in_python(str(error)), error.code) from None  # omits the frames of this package
    if result is None:
        return answer.printed
    lines = answer.said(program.WARNING)
    if command == "scan" and (failed := len(result.messages)):
        first = result.messages[0].partition(": ")[2]
        lines.insert(0, f"{failed} of {len(result.done)} points failed; the first: {first}")
    for line in lines:
        warnings.warn(in_python(line), stacklevel=3)
    return result


def _identity(path):
    """Return the inode and the modification time of a file, which change if it is replaced; None if there is none."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def _display():
    """Return a function that shows a line of progress in a notebook or on a terminal; None if there is neither."""
    python = sys.modules.get("IPython")
    shell = python.get_ipython() if python else None
    if getattr(shell, "kernel", None) is None:
        is_terminal = sys.stderr and sys.stderr.isatty()
        return (lambda line: sys.stderr.write(f"{native.CLEAR}{line}")) if is_terminal else None
    shown = []

    def show(line):
        if shown:
            shown[0].update({"text/plain": line}, raw=True)
        elif line:
            shown.append(python.display.display({"text/plain": line}, raw=True, display_id=True))
    return show
