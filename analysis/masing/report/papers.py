"""Compare numbers that are printed in the papers, typed into papers.csv, with those of runs named like its cases.

The rows `data` of papers.csv have the data of the cases.
"""

import csv
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.errors import MasingError
from masing.identification.discrete import identify_discrete
from masing.text import EN_DASH, measured, minus, signs_of
from masing.report.problem import WORKS

# This sign stands behind a number that is not printed in the papers, but follows from what is printed.
DERIVED = "†"


def _width(run):
    """Return the mean width in x of the last rise and the last fall of x, in which a drift of x cancels.

    Each reversal is extrapolated from the sample before it by x - y²/(2a), with the acceleration a of the mass 1.
    """
    at = np.flatnonzero(np.diff(np.sign(run.y)))[[-3, -2, -1]]
    return np.abs(np.diff(run.x[at] - run.y[at]**2 / (2 * (run.force - run.restoring)[at]))).mean()


def _slipping(run):
    """Return the number of elements that yield in the last period 4π: their largest u occurs at several samples."""
    late = run.t > run.t[-1] - 4 * np.pi
    u = [column.to_numpy()[late] for name, column in run.to_dataframe().items() if name.startswith("u")]
    return sum(np.count_nonzero(each == each.max()) > 1 for each in u)


def _identified(run, true=False):
    """Return the identified η_i, and k0 with the k_i, of a run; if `true`, less those of its configuration."""
    eta, k = (np.array(run.settings[f"model.{name}"].split(","), float) for name in ("eta", "k"))
    found = identify_discrete(run.path, widest_half_cycle(read_measured(run))).elements
    return found.threshold - true * eta, np.r_[found.k0, found.stiffness - true * k]


# {name in the column `value` of papers.csv: function that computes one or several numbers from the run of a case}.
VALUES = {
    "component": lambda run: 2 * abs(np.mean((run.x * np.exp(0.1j * run.t))[run.t > run.t[-1] - 20 * np.pi])),
    "width": _width,
    "curvature": lambda run: 2 * np.polyfit(*np.array([run.x, run.restoring])[:, (run.x > 0.2) & (run.x < 2.2)], 2)[0],
    "segments_in_all": lambda run: 2 + 2 * _slipping(run),
    "locked": lambda run: 5 - _slipping(run),
    "centre": lambda run: (run.restoring.max() + run.restoring.min()) / 2,
    "identified_eta": lambda run: _identified(run)[0], "identified_k": lambda run: _identified(run)[1],
    "error_eta": lambda run: np.abs(_identified(run, true=True)[0]).max(),
    "error_k": lambda run: np.abs(_identified(run, true=True)[1]).max(),
    "bounds": lambda run: [run.to_dataframe()[f"g{n}"].abs().max() for n in (1, 2, 3)],
}


def rows(runs):
    """Return the rows of the table, dictionaries with the keys work, place, quantity, printed, here, difference, file.

    Only runs named like a case of papers.csv and with its data have rows. What cannot be computed is "–".
    """
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
        printed = list(csv.DictReader(file, delimiter=";"))
    data = {row["case"]: row["printed"] for row in printed if row["value"] == "data"}
    known = {run.path.stem: run for run in runs if _has_data(run, data.get(run.path.stem, ""))}
    return [_row(known[row["case"]], **row) for row in printed if row["value"] != "data" and row["case"] in known]


def _row(run, case, paper, place, quantity, printed, value):
    words = printed.rstrip(DERIVED).split()
    here = difference = EN_DASH
    try:
        numbers = np.atleast_1d(VALUES[value](run))
        apart = numbers - [float(Fraction(word)) for word in words]
    except (ArithmeticError, AttributeError, IndexError, KeyError, MasingError, TypeError, ValueError):
        numbers = None
    if numbers is not None:
        difference = measured(apart[np.argmax(np.abs(apart))])
        # The program's number is written with as many digits as the printed number, but with at least four. Numbers of
        # absolute value up to 10⁻³, such as errors, are written with two digits.
        here = " ".join(measured(each, max(4, sum(map(str.isdigit, word))) if abs(each) > 1e-3 else 2, range(-2, 5))
                        for each, word in zip(numbers, words))
    return {"work": next(work.key for work in WORKS if paper in work.key), "place": place, "quantity": quantity,
            "printed": minus(signs_of(printed)), "here": here, "difference": difference, "file": f"{case}.ini"}


def _has_data(run, printed):
    """Return whether the run's configuration contains the data that the text `key=value key=value` states."""
    def numbers(text):
        try:
            return [round(float(Fraction(word)), 12) for word in text.split(",")]
        except ValueError:
            return text

    return all(numbers(run.settings.get(key, run.settings.get(f"model.{key}", "none"))) == numbers(value)
               for key, value in re.findall(r"(\S+?)=(.*?)(?= \S+=|$)", printed))
