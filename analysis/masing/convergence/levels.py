"""Functions that return the levels of a study and the observed orders as tables for pages, CSV and LaTeX."""

import math

import numpy as np
import pandas as pd

from masing.convergence.claim import QUANTITY_NAMES, Mark, is_told_apart
from masing.text import cell, grouped, measured, order, scientific, uncertain

SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}
# This mark is printed behind an order between two levels of which only the number of steps differs; see pair_signs().
STEPS_ONLY = "*"
MARKS = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
         Mark.NO_ERROR: "no error"}


def sizes(study):
    """Return the sizes of the levels as {heading: (values [levels], function that formats a value)}."""
    columns = {"P": (study.level_cells, grouped), "N": (study.level_steps, grouped), "δs": (study.ds, scientific),
               "δt": (study.dt, scientific)}
    if study.refine == "elements":
        return {"n": (study.level_elements, grouped), "P": columns["P"], "N": columns["N"],
                "h": (1 / study.level_elements, scientific), "δt": columns["δt"]}
    return columns if study.has_cells or study.is_chain else {name: columns[name] for name in ("N", "δt")}


def signs(study, quantity):
    """Return the marks behind the errors of the levels: † before the asymptotic range, ‡ on the round-off floor."""
    return [SIGNS.get(mark, "") for mark in study.marks[quantity]]


def pair_signs(study):
    """Return the mark behind the order between each level and the one before: * for equal P in a joint fit.

    If C₂ < 0 in the joint fit, its step grows from one of these levels to the next although δt decreases.
    """
    is_joint = study.fit.get("step_x") == "joint"
    return [STEPS_ONLY if is_joint and alike else "" for alike in np.append(False, np.diff(study.level_cells) == 0)]


def sign_notes(study, quantities):
    """Return an explanation of each mark that occurs behind the errors and orders of the quantities."""
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {Mark.BEFORE: "before the asymptotic range (the residuals of a fit with them show a trend)",
               Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    of_pairs = [f"{STEPS_ONLY} order of two levels that differ in N alone; its step is that of the joint fit, and where"
                " such a pair changes this step by little, the order says little."]
    return [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used
            ] + of_pairs * any(pair_signs(study))


def quantities_to_show(study):
    """Return the quantities to show; u at the cells' points only if it is expected or differs from u."""
    shown = study.quantities
    if {"u", "u_cells"} <= set(shown) and not study.fit.get("expected_u_cells"):
        columns = [[[text for _, text, _ in row] for row in level_rows(study, [q])] for q in ("u", "u_cells")]
        return [q for q in shown if q != "u_cells" or columns[0] != columns[1]]
    return shown


def level_rows(study, quantities):
    """Return the rows of a page's table of levels: the sizes, and the error and the order of each quantity."""
    columns = [[cell(value, shown) for value in values] for values, shown in sizes(study).values()]
    for q in quantities:
        columns.append([cell(error, scientific, sign) for error, sign in zip(study.errors[q], signs(study, q))])
        columns.append([cell(value, order, sign) for value, sign in zip(study.orders[q], pair_signs(study))])
    return list(zip(*columns))


def _sizes_table(study):
    """Return the sizes of the levels as a DataFrame, with whole numbers n, P and N, and math.inf for P = ∞."""
    frame = pd.DataFrame({heading: values for heading, (values, _) in sizes(study).items()})
    for name in frame.columns.intersection(["n", "P", "N"]):
        if np.isfinite(frame[name]).all():
            frame[name] = pd.Series([int(n) if n or name != "P" else math.inf for n in frame[name]], dtype=object)
    return frame


def levels_table(study):
    """Return a DataFrame with one row for each level of a study: sizes, errors and orders, with all digits."""
    frame = _sizes_table(study)
    if any(pair_signs(study)):
        frame["refines N alone"] = ["yes" if sign else "no" for sign in pair_signs(study)]
    for q in study.quantities:
        name = QUANTITY_NAMES[q]
        frame[f"error of {name}"], frame[f"order of {name}"] = study.errors[q], study.orders[q]
        frame[f"fit of {name}"] = [MARKS.get(mark, "unknown") for mark in study.marks[q]]
    return frame


def orders_table(study, found):
    """Return a DataFrame of the OrderResults `found`, with the constants of the fit and all digits."""
    columns = {"quantity": "name", "order": "observed", "half-width of its interval": "uncertainty"}
    frame = pd.DataFrame({heading: [getattr(each, name) for each in found] for heading, name in columns.items()})
    for part in ("statistical", "structural"):
        frame[f"{part} part"] = [study.number(f"{part}_uncertainty_{each.quantity}") for each in found]
    frame = frame.assign(expected=[each.expected or "" for each in found], tolerance=study.number("tolerance"),
                         verdict=[each.verdict for each in found])
    for symbol, name in _constants(study).items():
        for heading, attribute in ((symbol, name), (f"half-width of {symbol}", f"{name}_uncertainty")):
            frame[heading] = [study.number(f"{attribute}_{each.quantity}") for each in found]
    return frame


def constant_headings(study):
    """Return the headings of the constants: C for one step, C₁ and C₂ for a joint fit, or none."""
    if is_told_apart(study):
        return ["C₁ (of δs)", "C₂ (of δt)"]
    return ["C"] if any(math.isfinite(study.number(f"constant_{q}")) for q in study.quantities) else []


def _constants(study):
    """Return {symbol of a constant of the fits of a study: its name among the attributes of /fit}."""
    return {"C₁": "space_constant", "C₂": "time_constant"} if is_told_apart(study) else {"C": "constant"}


def constant_cells(study, quantity):
    """Return the constants of a quantity, with half their confidence intervals, one for each constant_headings()."""
    names = _constants(study).values() if constant_headings(study) else ()
    return [uncertain(*(study.number(f"{name}{part}_{quantity}") for part in ("", "_uncertainty"))) for name in names]
