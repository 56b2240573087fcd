"""Read curves of x and the restoring force from a result file of masing, a CSV file of measurements, or arrays."""

from collections import namedtuple
from pathlib import Path

import h5py
import numpy as np
import scipy

from masing.errors import MasingError, quoted
from masing.hdf5 import require_there
from masing.results import Run, between
from masing.tables import TextTable, is_number

# A curve needs at least this many samples.
FEWEST_POINTS = 10
# The names of the columns of a CSV file; those of the first group that the file has are read.
COLUMN_NAMES = {"x": [("x", "displacement", "disp", "weg")],
                "force": [("restoring",), ("force", "load", "kraft", "f")], "t": [("t", "time", "zeit")]}
NAMES = "x and force (or restoring), and t for a window in time"


class Measured(namedtuple("Measured", "path t x force error noise units", defaults=[None, None, {}])):
    """The samples of a curve of the restoring force over x, at the times t or None.

    `path` is the file that was read, and `units` {"x": "mm", …} those of its heading. `noise` is the Noise of x and of
    the force, and `error` [samples] the standard deviation of each force; None if it is not estimated or the same.
    """

    def at(self, samples):
        """Return the curve of the given samples alone."""
        known = {name: getattr(self, name) for name in ("t", "x", "force", "error")}
        return self._replace(**{name: column[samples] for name, column in known.items() if column is not None})


def read_measured(source, start=None, end=None, columns=None, scale=None):
    """Return the curve in `source` as a Measured, restricted to start <= t <= end; see cycle_numbers()."""
    for name, given, example in (("columns", columns, {"x": "Weg", "force": 3}), ("scale", scale, {"x": 0.001})):
        if given is not None and (not isinstance(given, dict) or not given.keys() <= {"x", "force", "t"}):
            raise MasingError(f"{name}={quoted(given)}: give a dictionary for x, force and t, as in {example}")
    if columns and not {"x", "force"} <= columns.keys():
        raise MasingError(f"columns {', '.join(columns)}: does not say which column is x and which is force")
    is_arrays = isinstance(source, tuple | list | np.ndarray)
    if is_arrays and columns:
        raise MasingError("columns: names those of a CSV; arrays are given as (x, force) or (t, x, force)")
    curve = _from_arrays(source) if is_arrays else _from_file(source, columns, scale)
    for name, factor in (scale or {}).items():
        if getattr(curve, name) is None:
            raise MasingError(f"scale {name}: {curve.path} has no column {name}")
        if not is_number(str(factor)) or not 0 < abs(float(factor)) < np.inf:
            raise MasingError(f"scale {name}={factor}: give a number other than 0, as in x=0.001")
        curve = curve._replace(**{name: float(factor) * getattr(curve, name)}, units=curve.units | {name: ""})
    for name in ("t", "x", "force"):
        column = getattr(curve, name)
        bad = np.flatnonzero(~np.isfinite(column)) if column is not None else ()
        if len(bad):
            raise MasingError(f"{curve.path}: {name} of point {bad[0] + 1} is {column[bad[0]]}; leave out points that "
                              "were not measured")
    if start is not None or end is not None:
        if curve.t is None:
            raise MasingError(f"{curve.path}: has no column t; a window in time needs one")
        curve = curve.at(between(curve.t, start, end))
    if len(curve.x) < FEWEST_POINTS:
        raise MasingError(f"{curve.path}: has {len(curve.x)} points; a cycle takes at least {FEWEST_POINTS}")
    return curve


def _from_arrays(columns):
    try:
        columns = [] if any(map(np.iscomplexobj, columns)) else [np.asarray(each, dtype=float) for each in columns]
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
        return _from_text(TextTable(path), columns)
    if columns or scale:
        raise MasingError(f"{path}: is an HDF5 file of masing; columns and scale are for a CSV")
    run = Run(path)
    return Measured(path, run.t, run.x, run.restoring)


def is_text(path):
    """Return whether `path` is an existing file that neither its name nor its content declares as HDF5."""
    path = Path(path)
    return path.is_file() and path.suffix.lower() not in (".h5", ".hdf5") and not h5py.is_hdf5(path)


def differences_from(exact, sample):
    """Return the differences of x and of the restoring force between samples (t, x, restoring) and an exact Run, which
    is interpolated by cubic polynomials."""
    t, x, restoring = sample
    return (x - scipy.interpolate.CubicHermiteSpline(exact.t, exact.x, exact.y)(t),
            restoring - scipy.interpolate.CubicSpline(exact.t, exact.restoring)(t))


def _from_text(table, chosen):
    """Return the curve in a TextTable, in the columns that `chosen` or else its heading names."""
    headings = [[word.lower() for word in words] for words in (table.names, table.heading) if words]
    if chosen:
        places = {name: _chosen(table, name, str(word), headings) for name, word in chosen.items()}
    else:
        places = next(filter(None, (_named(table, words) for words in headings)), None) or _unnamed(table, headings)
    columns = {name: _numbers(table, place) for name, place in places.items()}
    units = {name: table.units[place] for name, place in places.items() if table.units and table.units[place]}
    return Measured(table.path, *(columns.get(name) for name in ("t", "x", "force")), units=units)


def _numbers(table, place):
    """Return a column of a TextTable as numbers [points]; raise MasingError if a cell is not a finite number."""
    column = np.array([float(text or "nan") for text in table.texts(place)])
    if not np.isfinite(column).all():
        row = int(np.argmin(np.isfinite(column)))
        raise MasingError(f"{table.path} line {table.lines[row]}: '{table.cells[place][row][:40]}' is not a finite "
                          "number; leave out points that were not measured")
    return column


def _chosen(table, name, word, headings):
    count = len(table.cells.columns)
    if word.isdecimal() and 1 <= int(word) <= count:
        return int(word) - 1
    for words in headings:
        if word.lower() in words:
            return words.index(word.lower())
    known = ", ".join(dict.fromkeys(each for words in headings for each in words))
    raise MasingError(f"{table.path}: columns {name}={word}: the columns are 1 to {count}, and no column '{word}' in "
                      f"{known or 'a heading'}")


def _named(table, words):
    """Return the indices {name: index} of the columns that the words of a heading name, or None without x and force."""
    found = {name: next(filter(None, ([n for n, word in enumerate(words) if word in group] for group in groups)), [])
             for name, groups in COLUMN_NAMES.items()}
    if not found["x"] or not found["force"]:
        return None
    for name, several in found.items():
        if len(several) > 1:
            raise MasingError(f"{table.path}: the columns {several[0] + 1} and {several[1] + 1} may both be {name}; "
                              f"say with columns which one is meant, as in {name}={several[0] + 1}")
    return {name: places[0] for name, places in found.items() if places}


def _unnamed(table, headings):
    """Return the indices of x and force, or of t, x and force if t alone increases, in a table without a heading."""
    if headings and not table.in_comment:
        raise MasingError(f"{table.path}: has the columns {', '.join(headings[1])}; it needs {NAMES}, or give columns")
    count = len(table.cells.columns)
    if count == 2:
        return {"x": 0, "force": 1}
    if count == 3 and [bool(np.all(np.diff(_numbers(table, n)) > 0)) for n in range(3)] == [True, False, False]:
        return {"t": 0, "x": 1, "force": 2}
    raise MasingError(f"{table.path}: has {count} columns and no heading; without one, it needs x, force, or t, x, "
                      f"force with a t that alone increases; name the columns in a heading, {NAMES}, or give columns")
