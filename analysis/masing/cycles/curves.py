"""Curves of x and the restoring force, from a file of masing or a CSV of measurements."""

import csv
import math
from dataclasses import dataclass
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


def read_measured(path, start=None, end=None):
    """The curve in a file of masing or in a CSV, start <= t <= end; raises UserError if a number is not finite."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: is not there or is not a file; give an HDF5 file of masing, or a CSV of x and force")
    curve = _from_csv(path) if is_text(path) else _from_masing(path)
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
    return Measured(curve.path, curve.t[keep], curve.x[keep], curve.force[keep])


def _from_csv(path):
    rows = _rows(path)
    if not rows:
        raise UserError(f"{path}: is empty; give columns {NAMES}")
    places = _columns(path, rows)
    numbers = {name: np.array([_number(path, line, words, place) for line, words in rows])
               for name, place in places.items()}
    return Measured(path, numbers.get("t"), numbers["x"], numbers["force"])


def _rows(path):
    """The rows of a CSV as (line, words); separated by semicolons (decimal commas allowed), commas, tabs or blanks."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UserError(f"{path}: is neither an HDF5 file nor text; give a CSV of x and force") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    kept = [(n, line.strip()) for n, line in enumerate(lines, start=1) if line.strip() and line.strip()[0] != "#"]
    separator = next((mark for mark in ";,\t" if kept and mark in kept[0][1]), None)
    if separator == ";":
        kept = [(n, line.replace(",", ".")) for n, line in kept]
    if separator is None:
        return [(n, line.split()) for n, line in kept]
    texts = csv.reader((line for _, line in kept), delimiter=separator)
    return [(n, [word.strip() for word in words]) for (n, _), words in zip(kept, texts)]


def _columns(path, rows):
    """Which column is what, from the heading, which it takes off the rows; two columns without one are x and force."""
    heading = [word.lower() for word in rows[0][1]]
    if all(_is_number(word) for word in heading):
        if len(heading) != 2:
            raise UserError(f"{path}: has {len(heading)} columns and no heading; name them: {NAMES}")
        return {"x": 0, "force": 1}
    del rows[0]
    force = next((name for name in FORCE_NAMES if name in heading), None)
    if "x" not in heading or force is None:
        raise UserError(f"{path}: has the columns {', '.join(heading)}; it needs {NAMES}")
    places = {"x": heading.index("x"), "force": heading.index(force)}
    return places | ({"t": heading.index("t")} if "t" in heading else {})


def _is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(path, line, words, place):
    if place >= len(words):
        raise UserError(f"{path} line {line}: has {len(words)} columns, the heading has more; give every point in full")
    if not _is_number(words[place]):
        raise UserError(f"{path} line {line}: '{words[place][:40]}' is not a number")
    value = float(words[place])
    if not math.isfinite(value):
        raise UserError(f"{path} line {line}: '{words[place]}' is not finite; leave out points that were not measured")
    return value
