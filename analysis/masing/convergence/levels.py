"""The levels of a study as rows of cells for a page, and as a table with every digit."""

import math

import numpy as np
import pandas as pd

from masing.notation import cell, grouped, order, scientific
from masing.results import QUANTITY_NAMES, Mark

SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}
MARKS = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
         Mark.NO_ERROR: "no error"}


def sizes(study):
    """The columns of the levels' sizes, {heading: (values [levels], format)}; without cells only N and δt."""
    columns = {"P": (study.level_cells, grouped), "N": (study.level_steps, grouped), "δs": (study.ds, scientific),
               "δt": (study.dt, scientific)}
    return columns if study.has_cells else {name: columns[name] for name in ("N", "δt")}


def signs(study, quantity):
    """The sign behind each error [levels] that is left out of the fit."""
    return [SIGNS.get(mark, "") for mark in study.marks[quantity]]


def quantities_to_show(study):
    """The quantities of a study to show: without u at the cells' points where nothing is expected of it and all that is
    shown of it is also shown of u."""
    shown = study.quantities
    if {"u", "u_cells"} <= set(shown) and not study.fit.get("expected_u_cells"):
        columns = [[[text for _, text, _ in row] for row in level_rows(study, [q])] for q in ("u", "u_cells")]
        return [q for q in shown if q != "u_cells" or columns[0] != columns[1]]
    return shown


def level_rows(study, quantities):
    """The rows of the page's table of levels: cells of the sizes, then of each quantity its error and order."""
    columns = [[cell(value, shown) for value in values] for values, shown in sizes(study).values()]
    for q in quantities:
        columns.append([cell(error, scientific, sign) for error, sign in zip(study.errors[q], signs(study, q))])
        columns.append([cell(value, order) for value in study.orders[q]])
    return list(zip(*columns))


def levels_table(study):
    """All levels of a study, every digit: a DataFrame of one row a level."""
    frame = sizes_table(study)
    for q in study.quantities:
        name = QUANTITY_NAMES[q]
        frame[f"error of {name}"], frame[f"order of {name}"] = study.errors[q], study.orders[q]
        frame[f"fit of {name}"] = [MARKS.get(mark, "unknown") for mark in study.marks[q]]
    return frame


def sizes_table(study):
    """The sizes of the levels, P and N as whole numbers; P = ∞ is 0 in the file and infinite here."""
    frame = pd.DataFrame({heading: values for heading, (values, _) in sizes(study).items()})
    for name in frame.columns.intersection(["P", "N"]):
        if np.isfinite(frame[name]).all():
            frame[name] = pd.Series([int(n) if n or name == "N" else math.inf for n in frame[name]], dtype=object)
    return frame
