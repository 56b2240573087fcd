"""The table of a study's levels: sizes, errors, orders, and which levels are left out of the fit and why."""

import numpy as np

from fitted import Mark, number
from notation import EN_DASH, grouped, measured, order, scientific

SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}


def levels_table(study, columns):
    """The rows of the table, each a list of cells (exact value, as shown, sign behind it) for P, N, δs, δt and, for
    each quantity of `columns`, its error and order."""
    rows = []
    for n in range(study.levels):
        row = [_cell(study.cells[n], grouped), _cell(study.steps[n], grouped),
               _cell(study.ds[n], scientific), _cell(study.dt[n], scientific)]
        for q in columns:
            observed = np.nan if study.orders[q] is None else study.orders[q][n]
            row += [_cell(study.errors[q][n], scientific, _sign(study, q, n)), _cell(observed, order)]
        rows.append(row)
    return rows


def notes(study, columns):
    """What the signs in the table mean, and why it has en dashes."""
    found = [_legend(study, mark) for mark, sign in SIGNS.items()
             if any(_sign(study, q, n) == sign for q in columns for n in range(study.levels))]
    errors = np.array([study.errors[q] for q in columns])
    missing = np.isnan([study.orders[q] for q in columns if study.orders[q] is not None])
    if missing.any() or any(study.orders[q] is None for q in columns):
        found.append(f"{EN_DASH} in a column “order”: undefined. An order compares a level with the one before it: "
                     "the first level has none, nor has a level whose error, or the one before, is zero or no number.")
    if np.isnan(errors).any():
        why = (" The last level has no finer one to differ from." if study.fit.get("reference") == "successive" else "")
        found.append(f"{EN_DASH} in a column “error”: the file has no number there.{why}")
    return found


def _cell(value, shown, sign=""):
    return repr(float(value)), shown(value), sign


def _sign(study, quantity, level):
    marks = study.marks[quantity]
    return "" if marks is None else SIGNS.get(marks[level], "")


def _legend(study, mark):
    floor = number(study, "floor")
    words = {Mark.BEFORE: "before the asymptotic range (the order from there on is not yet that of the finest pair)",
             Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    return f"{SIGNS[mark]} left out of the fit: {words[mark]}."
