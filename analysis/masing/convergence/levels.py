"""Functions that return the levels of a study and its constants as tables for pages and CSV files."""

import math

import numpy as np
import pandas as pd

from masing.convergence.claim import BEFORE, MARKS, ON_FLOOR, QUANTITY_NAMES, is_told_apart
from masing.text import cell, grouped, measured, order, scientific, uncertain

SIGNS = {BEFORE: "†", ON_FLOOR: "‡"}
# This mark is printed behind an order between two levels of which only the number of steps differs; see pair_signs().
STEPS_ONLY = "*"


def sizes(study):
    """Return the sizes of the levels as {heading: (values [levels], function that formats a value)}."""
    columns = {"P": (study["cells"], grouped), "N": (study["steps"], grouped), "δs": (study["ds"], scientific),
               "δt": (study["dt"], scientific)}
    if study.refine == "elements":
        return {"n": (study["elements"], grouped), "P": columns["P"], "N": columns["N"],
                "h": (1 / study["elements"], scientific), "δt": columns["δt"]}
    return columns if study.has_cells or study.is_chain else {name: columns[name] for name in ("N", "δt")}


def signs(study, quantity):
    """Return the marks behind the errors of the levels: † before the asymptotic range, ‡ on the round-off floor."""
    return [SIGNS.get(mark, "") for mark in study[f"mark_{quantity}"]]


def pair_signs(study):
    """Return the mark behind the order between each level and the one before: * for equal P in a joint fit."""
    is_joint = study.fit.get("step_x") == "joint"
    return [STEPS_ONLY if is_joint and alike else "" for alike in np.append(False, np.diff(study["cells"]) == 0)]


def sign_notes(study, quantities):
    """Return an explanation of each mark that occurs behind the errors and orders of the quantities."""
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {BEFORE: f"{MARKS[BEFORE]} (the residuals of a fit with them show a trend)",
               ON_FLOOR: MARKS[ON_FLOOR] + (f", {measured(floor)}" if floor > 0 else "")}
    notes = [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used]
    if any(pair_signs(study)):
        notes.append(f"{STEPS_ONLY} order of two levels that differ in N alone, over the step of the joint fit.")
    return notes


def level_rows(study, quantities):
    """Return the rows of a page's table of levels: the sizes, and the error and the order of each quantity."""
    columns = [[cell(value, shown) for value in values] for values, shown in sizes(study).values()]
    for q in quantities:
        columns.append([cell(error, scientific, sign) for error, sign in zip(study.errors[q], signs(study, q))])
        columns.append([cell(value, order, sign) for value, sign in zip(study.orders[q], pair_signs(study))])
    return list(zip(*columns))


def levels_table(study):
    """Return a DataFrame with one row for each level of a study: sizes, errors, orders and marks, with all digits."""
    frame = pd.DataFrame({heading: values for heading, (values, _) in sizes(study).items()})
    for name in frame.columns.intersection(["n", "P", "N"]):
        frame[name] = [math.inf if name == "P" and not n else int(n) if n.is_integer() else n for n in frame[name]]
    for q in study.quantities:
        name = QUANTITY_NAMES[q]
        frame[f"error of {name}"], frame[f"order of {name}"] = study.errors[q], study.orders[q]
        frame[f"fit of {name}"] = [MARKS[int(mark)] for mark in study[f"mark_{q}"]]
    return frame


def constant_names(study):
    """Return {heading: name in /fit} of the constants: C for one step, C₁ and C₂ for a joint fit, or none."""
    if is_told_apart(study):
        return {"C₁ (of δs)": "space_constant", "C₂ (of δt)": "time_constant"}
    is_known = any(math.isfinite(study.number(f"constant_{q}")) for q in study.quantities)
    return {"C": "constant"} if is_known else {}


def constant_cells(study, quantity):
    """Return the constants of a quantity, with half their confidence intervals, one for each of constant_names()."""
    return [uncertain(study.number(f"{name}_{quantity}"), study.number(f"{name}_uncertainty_{quantity}"))
            for name in constant_names(study).values()]
