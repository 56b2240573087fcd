"""Curves of x and the restoring force, from a file of masing or a CSV of measurements."""

import csv
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from masing.command_line import UserError
from masing.results import read_run
from masing.style import drawable

FEWEST_POINTS = 10
# The force of a static test is the restoring force; in a file with both columns `restoring` is taken.
FORCE_NAMES = ("restoring", "force", "f")
NAMES = "x and force (or restoring), and t if --from or --to are given"
HDF5_SIGNATURE = b"\x89HDF"


@dataclass(frozen=True)
class Measured:
    """Samples of a curve: x and force = F - m x'', each [samples], and their times t or None; dimensionless.

    `error` is the standard deviation of each force [samples] where it differs, `noise` that of x and force as measured.
    """

    path: Path
    t: np.ndarray | None
    x: np.ndarray
    force: np.ndarray
    error: np.ndarray | None = None
    noise: object = None


def read_measured(path, start=None, end=None, columns=None, scale=None):
    """The curve in a file of masing or in a CSV, start <= t <= end; raises UserError if a number is not finite.

    Of a CSV only, columns: {"x": name or number of a column, "force": …, "t": …}; scale: {"x": factor, …}.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: is not there or is not a file; give an HDF5 file of masing, or a CSV of x and force")
    if (columns or scale) and not is_text(path):
        raise UserError(f"{path}: is an HDF5 file of masing; --columns and --scale are for a CSV")
    curve = _from_csv(path, columns) if is_text(path) else _from_masing(path)
    for name, factor in (scale or {}).items():
        if getattr(curve, name) is None:
            raise UserError(f"--scale {name}: {path} has no column {name}")
        curve = replace(curve, **{name: factor * getattr(curve, name)})
    _refuse_not_finite(curve)
    curve = _in_window(curve, start, end)
    if len(curve.x) < FEWEST_POINTS:
        window = "" if start is None and end is None else " in the window"
        raise UserError(f"{path}: has {len(curve.x)} points{window}; "
                        f"a cycle takes at least {FEWEST_POINTS}")
    return curve


def is_text(path):
    """Whether the file is there and is text by its name and its first bytes, no HDF5."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            return file.read(4) != HDF5_SIGNATURE and path.suffix.lower() not in (".h5", ".hdf5")
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def between(t, start=None, end=None):
    """Which of the times t [samples] are in start <= t <= end; None is no limit."""
    return (t >= (-np.inf if start is None else start)) & (t <= (np.inf if end is None else end))


def samples_in_window(run, start=None, end=None):
    """The finite samples (t, x, restoring) of a run in start <= t <= end; raises UserError when there are none."""
    series = run.series
    keep = drawable(series.x, series.restoring) & between(series.t, start, end)
    if not keep.any():
        extent = f"its samples are in {series.t.min():g} <= t <= {series.t.max():g}" if len(series.t) else "it has none"
        raise UserError(f"{run.path}: no finite sample in the window; {extent}")
    return series.t[keep], series.x[keep], series.restoring[keep]


def _from_masing(path):
    run = read_run(path)
    return Measured(path, run.series.t, run.series.x, run.series.restoring)


def _refuse_not_finite(curve):
    for name, column in (("t", curve.t), ("x", curve.x), ("force", curve.force)):
        bad = np.flatnonzero(~np.isfinite(column)) if column is not None else ()
        if len(bad):
            raise UserError(f"{curve.path}: {name} of point {bad[0] + 1} is {column[bad[0]]}; every point needs finite "
                            "numbers: leave out those that were not measured")
    with np.errstate(over="ignore"):
        if not np.isfinite([np.ptp(curve.x), np.ptp(curve.force)]).all():
            raise UserError(f"{curve.path}: x or force spans more than a double holds; give it in other units")


def _in_window(curve, start, end):
    if start is None and end is None:
        return curve
    if curve.t is None:
        raise UserError(f"{curve.path}: has no column t; --from and --to need one")
    keep = between(curve.t, start, end)
    return replace(curve, t=curve.t[keep], x=curve.x[keep], force=curve.force[keep])


def _from_csv(path, chosen):
    rows = [(n, line.strip()) for n, line in enumerate(_text(path).splitlines(), start=1)]
    rows = [(n, _words(line)) for n, line in rows if line and line[0] != "#"]
    begin = next((place for place, (_, words) in enumerate(rows) if _is_number(words[0])), len(rows))
    if begin == len(rows):
        raise UserError(f"{path}: is empty, or no line of it begins with a number; give columns {NAMES}")
    places = _places(path, [words for _, words in rows[:begin]], len(rows[begin][1]), chosen)
    numbers = {name: np.array([_number(path, line, words, place) for line, words in rows[begin:]])
               for name, place in places.items()}
    return Measured(path, numbers.get("t"), numbers["x"], numbers["force"])


def _text(path):
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            pass
    raise UserError(f"{path}: is neither an HDF5 file nor text; give a CSV of x and force")


def _words(line):
    """The words of a line as the program's tables have them: separated by semicolons or tabs; else by blanks, where
    that gives numbers, which may have decimal commas; else by commas, or blanks."""
    separator = next((mark for mark in ";\t" if mark in line), None)
    words = line.split()
    if separator is None and len(words) > 1 and all(_is_number(word) for word in words):
        return words
    if separator is None and "," not in line:
        return words
    # A comma beside the separator.
    return [word.strip().rstrip(", ") for word in next(csv.reader([line], delimiter=separator or ","))]


def _places(path, headings, count, chosen):
    """Which column is what: as `chosen`, or by the names in one of the lines above the numbers; of two columns without
    such a line they are x and force."""
    lower = [[word.lower() for word in words] for words in headings]
    if not chosen and not headings:
        if count != 2:
            raise UserError(f"{path}: has {count} columns and no heading; name them: {NAMES}, or use --columns")
        return {"x": 0, "force": 1}
    if chosen:
        return {name: _chosen(path, name, word, lower, count) for name, word in chosen.items()}
    for words in lower:
        force = next((name for name in FORCE_NAMES if name in words), None)
        if "x" in words and force is not None:
            wanted = {"x": "x", "force": force} | ({"t": "t"} if "t" in words else {})
            return {name: words.index(word) for name, word in wanted.items()}
    raise UserError(f"{path}: has the columns {', '.join(lower[0])}; it needs {NAMES}, or use --columns")


def _chosen(path, name, word, headings, count):
    """The place of a column by its number, from 1, or by its name in a heading."""
    if word.isdecimal() and 1 <= int(word) <= count:
        return int(word) - 1
    for words in headings:
        if word.lower() in words:
            return words.index(word.lower())
    known = f", and no column '{word}' in {', '.join(word for words in headings for word in words)}" if headings else ""
    raise UserError(f"{path}: --columns {name}={word}: the columns are 1 to {count}{known}")


def _is_number(word):
    # A comma at an end separates.
    if word.startswith(",") or word.endswith(","):
        return False
    try:
        float(word.replace(",", "."))
    except ValueError:
        return False
    return True


def _number(path, line, words, place):
    if place >= len(words):
        raise UserError(f"{path} line {line}: has {len(words)} columns, the heading has more; give every point in full")
    if not _is_number(words[place]):
        raise UserError(f"{path} line {line}: '{words[place][:40]}' is not a number")
    value = float(words[place].replace(",", "."))
    if not math.isfinite(value):
        raise UserError(f"{path} line {line}: '{words[place]}' is not finite; leave out points that were not measured")
    return value
