"""Read curves of x and the restoring force from a result file of masing, a CSV file of measurements, or arrays."""

from collections import namedtuple
import csv
import io
import re
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from masing.errors import MasingError, quoted
from masing.hdf5 import require_there
from masing.notation import number
from masing.results import Run
from masing.samples import between

# A curve needs at least this many samples.
FEWEST_POINTS = 10
# The possible names of the columns of a CSV file, besides units. In a static test the restoring force is the measured
# force. If a file has columns with names in several of these groups, those of the first group are read.
COLUMN_NAMES = {"x": [("x", "displacement", "disp", "weg")],
                "force": [("restoring",), ("force", "load", "kraft", "f")], "t": [("t", "time", "zeit")]}
# A unit in brackets, or behind a comma, a slash or a blank at the end of a heading.
IN_BRACKETS = re.compile(r"\s*(\[[^\]]*\]|\([^)]*\))")
UNIT = re.compile(r"\s*[,/].*|[\s_]+([µm]m|cm|m|in|[km]?n|lbf|kips?|m?s|sec)$")
NAMES = "x and force (or restoring), and t if --from or --to are given"
HDF5_SIGNATURE = b"\x89HDF"
EXAMPLES = {"columns": "columns={\"x\": \"Weg\", \"force\": 3}", "scale": "scale={\"x\": 0.001}"}


class Measured(namedtuple("Measured", "path t x force error noise", defaults=[None, None])):
    """A curve: samples of the displacement x and of the restoring force.

    `path` is the file from which the samples were read. `x` and `force` are arrays [samples], and so are the times `t`;
    `t` is None if the times are unknown. `noise` is the Noise of the measured x and force, or None if it has not been
    estimated. `error` [samples] is the standard deviation of the error of each force, or None if it has not been
    estimated or is equal for all samples.
    """


def read_measured(source, start=None, end=None, columns=None, scale=None):
    """Return the curve in `source` as a Measured, restricted to start <= t <= end.

    source: the path of a result file of masing or of a CSV file, a Run, or arrays (x, force) or (t, x, force). columns:
    which columns of a CSV file are read, {"x": name of a column or its number from 1, "force": …, "t": …}. scale: the
    factors by which columns of a CSV file or of arrays are multiplied, {"x": factor, …}. Raises MasingError if an
    argument is not valid, if a number is not finite, or if fewer than FEWEST_POINTS samples are left.
    """
    for name, time in (("from_", start), ("to", end)):
        if not isinstance(time, Real | None):
            raise MasingError(f"{name}={quoted(time)}: give a time")
    for name, given in (("columns", columns), ("scale", scale)):
        if given is not None and (not isinstance(given, dict) or not given.keys() <= {"x", "force", "t"}):
            raise MasingError(f"{name}={quoted(given)}: give a dictionary for x, force and t, as in {EXAMPLES[name]}")
    columns = columns and {name: str(word) for name, word in columns.items()}
    if columns and not {"x", "force"} <= columns.keys():
        raise MasingError(f"--columns {', '.join(columns)}: does not say which column is x and which is force")
    curve = _from_arrays(source) if isinstance(source, tuple | list | np.ndarray) else _from_file(source, columns, scale)
    for name, factor in (scale or {}).items():
        if getattr(curve, name, None) is None:
            raise MasingError(f"--scale {name}: {curve.path} has no column {name}")
        if not _is_number(str(factor)) or not 0 < abs(float(factor)) < np.inf:
            raise MasingError(f"--scale {name}={factor}: give a number other than 0, as in x=0.001")
        curve = curve._replace(**{name: float(factor) * getattr(curve, name)})
    _refuse_not_finite(curve)
    is_part = start is not None or end is not None
    if is_part:
        if curve.t is None:
            raise MasingError(f"{curve.path}: has no column t; --from and --to need one")
        keep = between(curve.t, start, end)
        curve = curve._replace(t=curve.t[keep], x=curve.x[keep], force=curve.force[keep])
    if len(curve.x) < FEWEST_POINTS:
        raise MasingError(f"{curve.path}: has {len(curve.x)} points{' in the window' * is_part}; "
                          f"a cycle takes at least {FEWEST_POINTS}")
    return curve


def _from_arrays(columns):
    try:
        is_complex = any(map(np.iscomplexobj, columns))
        columns = [] if is_complex else [np.asarray(column, dtype=float) for column in columns]
    except (TypeError, ValueError):
        columns = []
    if len(columns) not in (2, 3) or len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        raise MasingError("a curve in arrays is (x, force) or (t, x, force), each of the same length, of real numbers")
    return Measured(Path("curve"), columns[0] if len(columns) == 3 else None, *columns[-2:])


def _from_file(source, columns, scale):
    if not isinstance(source := getattr(source, "path", source), str | Path):
        raise MasingError(f"{quoted(source)} is no curve: give a file, a Run, or arrays (x, force) or (t, x, force)")
    path = Path(source)
    require_there(path, "an HDF5 file of masing, or a CSV of x and force")
    if is_text(path):
        return _from_csv(path, columns)
    if columns or scale:
        raise MasingError(f"{path}: is an HDF5 file of masing; --columns and --scale are for a CSV")
    run = Run(path)
    return Measured(path, run.t, run.x, run.restoring)


def is_text(path):
    """Return whether `path` is an existing file that is read as text.

    The name of such a file does not end in .h5 or .hdf5, and its first bytes are not those of an HDF5 file.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            return file.read(4) != HDF5_SIGNATURE and path.suffix.lower() not in (".h5", ".hdf5")
    except (FileNotFoundError, IsADirectoryError):
        return False
    except OSError as error:
        raise MasingError(f"{path}: cannot be read: {error.strerror}") from None


def differences_from(exact, sample):
    """Return two arrays [samples]: the differences of x and those of the restoring force between samples and an exact
    Run.

    The samples are (t, x, restoring). The exact x is interpolated to the times t by cubic Hermite polynomials from x
    and its velocity y. The exact restoring force is interpolated by a cubic spline. For smooth motions, both
    interpolations are of fourth order in the sampling interval of the exact Run.
    """
    t, x, restoring = sample
    return (x - CubicHermiteSpline(exact.t, exact.x, exact.y)(t),
            restoring - CubicSpline(exact.t, exact.restoring)(t))


def _refuse_not_finite(curve):
    for name, column in (("t", curve.t), ("x", curve.x), ("force", curve.force)):
        bad = np.flatnonzero(~np.isfinite(column)) if column is not None else ()
        if len(bad):
            raise MasingError(f"{curve.path}: {name} of point {bad[0] + 1} is {column[bad[0]]}; every point needs finite "
                              "numbers: leave out those that were not measured")
    with np.errstate(over="ignore"):
        if not np.isfinite([np.ptp(curve.x), np.ptp(curve.force)]).all():
            raise MasingError(f"{curve.path}: x or force spans more than a double holds; give it in other units")


def _from_csv(path, chosen):
    lines, headings, begin, count = _beginning(path)
    # The headings are searched as they are, and without units, which may contain blanks and separators. A comment may
    # be a heading, too. Lines with one name for each column come first.
    more = [[UNIT.sub("", word) for word in _words(IN_BRACKETS.sub("", line).lstrip("# \t").lower())]
            for line in lines[:begin]]
    more += [words[::2] for words in more if len(words) == 2 * count]
    named = [words for words in more if len(words) == count] + [[word.lower() for word in words] for words in headings]
    places = _places(path, sorted(named, key=lambda words: len(words) != count), count, chosen)
    if places is None and headings:
        has = ", ".join(headings[0]).lower()
        raise MasingError(f"{path}: has the columns {has}; it needs {NAMES}, or use --columns")
    names = headings[-1] if headings and not chosen else []
    if 0 < len(names) < count and all(map(_is_number, _words(lines[begin]))):
        raise MasingError(f"{path} line {begin + 1}: has {count} cells for the columns {', '.join(names)}; give as many "
                          "cells as names, and separate cells with decimal commas by semicolons")
    if places is None:
        places = _bare(path, lines, begin, count)
    columns = _columns(path, lines, begin, count, places)
    return Measured(path, *(columns.get(name) for name in ("t", "x", "force")))


def _beginning(path):
    """Return the lines of a CSV file, the words of its headings, the index of the first line of numbers, and how many
    numbers this line has."""
    lines = _text(path).splitlines()
    headings = []
    for begin, line in enumerate(lines):
        if words := _words(line):
            if _is_number(words[0]):
                return lines, headings, begin, len(words)
            headings.append(words)
    raise MasingError(f"{path}: is empty, or no line of it begins with a number; give columns {NAMES}")


def _columns(path, lines, begin, count, places):
    """Return the columns {name: [points]} of the lines of a CSV file from the line `begin` on.

    A line has `count` words. `places` {name: index of a word} gives the columns that are read. Raises MasingError,
    whose message names the line, if one of the words in these columns is not a finite number.
    """
    mark = _separator(lines[begin])
    rows = [n for n in range(begin, len(lines)) if lines[n].strip() and lines[n].lstrip()[0] != "#"]
    try:
        table = pd.read_csv(io.StringIO("\n".join(lines[n] for n in rows)), sep=mark or r"\s+", header=None,
                            names=range(count), usecols=sorted(set(places.values())), index_col=False, dtype=str,
                            comment="#", skipinitialspace=True, keep_default_na=False).fillna("")
    except ValueError as error:
        raise MasingError(f"{path}: {error}; give every point in full") from None
    # A comma at the end of a word belongs to the separator. Any other comma is a decimal comma.
    words = {name: table[place].str.rstrip(", ").str.replace(",", ".") for name, place in places.items()}
    try:
        columns = {name: column.to_numpy().astype(float) for name, column in words.items()}
    except ValueError:
        columns = {name: np.array([number(word) for word in column]) for name, column in words.items()}
    for name, column in columns.items():
        if not np.isfinite(column).all():
            place = int(np.argmin(np.isfinite(column)))
            raise MasingError(f"{path} line {rows[place] + 1}: '{words[name][place][:40]}' is not a finite number; "
                              "give every point in full, and leave out those that were not measured")
    return columns


def _text(path):
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MasingError(f"{path}: cannot be read: {error.strerror}") from None
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            pass
    raise MasingError(f"{path}: is neither an HDF5 file nor text; give a CSV")


def _separator(line):
    """Return the separator of the words of a line, by the rules that the program has for its tables.

    A semicolon or a tab in the line is the separator. If the line contains neither of them, blanks are the separator in
    two cases: the line contains no comma, or it consists of several numbers between blanks, whose commas are decimal
    commas. In all other cases the comma is the separator. The result is None if blanks are the separator.
    """
    words = line.split()
    if mark := next((mark for mark in ";\t" if mark in line), None):
        return mark
    return None if "," not in line or len(words) > 1 and all(map(_is_number, words)) else ","


def _words(line):
    """Return the words of a line as a list; the list is empty for an empty line and for a line that begins with #."""
    line = line.strip()
    if not line or line[0] == "#":
        return []
    if (mark := _separator(line)) is None:
        return line.split()
    # A comma at the end of a word belongs to the separator.
    return [word.strip().rstrip(", ") for word in next(csv.reader([line], delimiter=mark))]


def _places(path, headings, count, chosen):
    """Return the indices {name: index} of the columns x, force and, if there is one, t of a CSV file, or None.

    The columns are those that `chosen` names. If `chosen` is empty, they are found by their COLUMN_NAMES in one of the
    lines `headings` above the numbers, in lower case; the result is None if no line names x and the force. `count` is
    the number of columns. Raises MasingError if two columns may be meant, or if a chosen column does not exist.
    """
    if chosen:
        return {name: _chosen(path, name, word, headings, count) for name, word in chosen.items()}
    for words in headings:
        found = {name: next(filter(None, ([n for n, word in enumerate(words) if word in group] for group in groups)),
                            []) for name, groups in COLUMN_NAMES.items()}
        if found["x"] and found["force"]:
            for name, several in found.items():
                if len(several) > 1:
                    raise MasingError(f"{path}: the columns {several[0] + 1} and {several[1] + 1} may both be {name}; "
                                      f"say with --columns which one is meant, as in {name}={several[0] + 1}")
            return {name: places[0] for name, places in found.items() if places}
    return None


def _bare(path, lines, begin, count):
    """Return the indices {name: index} of the columns of a CSV file without a heading.

    Two columns are x and force. Three columns are t, x and force; of these, only the first one must increase from
    each line to the next, as a time does. Raises MasingError for other columns.
    """
    if count == 2:
        return {"x": 0, "force": 1}
    if count == 3:
        columns = _columns(path, lines, begin, count, {name: n for n, name in enumerate(("t", "x", "force"))})
        if [bool(np.all(np.diff(column) > 0)) for column in columns.values()] == [True, False, False]:
            return {"t": 0, "x": 1, "force": 2}
    raise MasingError(f"{path}: has {count} columns and no heading; without one, it needs x, force, or t, x, force "
                      f"with a t that alone increases from line to line; name the columns in a heading, {NAMES}, or use "
                      "--columns")


def _chosen(path, name, word, headings, count):
    """Return the index of the column that `word` names.

    `word` is the number of the column from 1, or its name in one of the lines `headings`. Raises MasingError if there
    is no such column.
    """
    if word.isdecimal() and 1 <= int(word) <= count:
        return int(word) - 1
    for words in headings:
        if word.lower() in words:
            return words.index(word.lower())
    known = ", ".join(dict.fromkeys(word for words in headings for word in words))
    known = f", and no column '{word}' in {known}" if known else ""
    raise MasingError(f"{path}: --columns {name}={word}: the columns are 1 to {count}{known}")


def _is_number(word):
    # A comma at the beginning or the end of a word is a separator and not a decimal comma.
    return not word.startswith(",") and not word.endswith(",") and number(word.replace(",", "."), None) is not None
