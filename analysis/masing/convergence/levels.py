"""The levels of a study and the orders that it found: as cells of a page, and as tables with every digit or in short."""

import math

import numpy as np
import pandas as pd

from masing.convergence.claim import QUANTITY_NAMES, Mark, findings
from masing.notation import EN_DASH, cell, estimate, grouped, measured, order, scientific

SHORT_NAMES = QUANTITY_NAMES | {"u_cells": "u, cells"}
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


def sign_notes(study, quantities):
    """What the signs behind errors mean, one line for each that is there."""
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {Mark.BEFORE: "before the asymptotic range (the residuals of a fit with them show a trend)",
               Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    return [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used]


def quantities_to_show(study):
    """The quantities of a study to show: u at the cells' points where its order is expected or it differs from u."""
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


def twin(study, others):
    """The place of the first other study with the same errors in every digit shown and the same expectations, or None."""
    def digits(each):
        return (each.problem, each.reference, [finding.expected for finding in findings(each)],
                [[cell[1:] for cell in row] for row in level_rows(each, each.quantities)])

    return next((place for place, other in enumerate(others) if digits(other) == digits(study)), None)


def _sizes_table(study):
    """The sizes of the levels, P and N as whole numbers; P = ∞ is 0 in the file and infinite here."""
    frame = pd.DataFrame({heading: values for heading, (values, _) in sizes(study).items()})
    for name in frame.columns.intersection(["P", "N"]):
        if np.isfinite(frame[name]).all():
            frame[name] = pd.Series([int(n) if n or name == "N" else math.inf for n in frame[name]], dtype=object)
    return frame


def levels_table(study):
    """All levels of a study, every digit: a DataFrame of one row a level."""
    frame = _sizes_table(study)
    for q in study.quantities:
        name = QUANTITY_NAMES[q]
        frame[f"error of {name}"], frame[f"order of {name}"] = study.errors[q], study.orders[q]
        frame[f"fit of {name}"] = [MARKS.get(mark, "unknown") for mark in study.marks[q]]
    return frame


def short_levels(study, quantities):
    """The levels in short for LaTeX: the sizes, and of each quantity its error with its sign and its order."""
    frame = _sizes_table(study)
    for q in quantities:
        errors = list(zip(study.errors[q], signs(study, q)))
        frame.insert(len(frame.columns), f"e({SHORT_NAMES[q]})", errors)
        frame.insert(len(frame.columns), "order", [order(value) for value in study.orders[q]], allow_duplicates=True)
    return frame


def orders_table(study, found):
    """The orders of a study and the constants of their fits, every digit: a DataFrame of one row an OrderResult."""
    columns = {"quantity": "name", "order": "observed", "half-width of its interval": "uncertainty"}
    frame = pd.DataFrame({heading: [getattr(each, name) for each in found] for heading, name in columns.items()})
    for part in ("statistical", "structural"):
        frame[f"{part} part"] = [study.number(f"{part}_uncertainty_{each.quantity}") for each in found]
    frame = frame.assign(expected=[each.expected or "" for each in found], tolerance=study.number("tolerance"),
                         verdict=[each.verdict for each in found])
    joint = [study.joint(each.quantity) for each in found]
    if not any(joint):
        return frame.assign(C=[study.number(f"constant_{each.quantity}") for each in found])
    names = {"C₁": "space", "half-width of C₁": "space_uncertainty", "C₂": "time", "half-width of C₂": "time_uncertainty"}
    return frame.assign(**{heading: [getattr(each, name, math.nan) for each in joint]
                           for heading, name in names.items()})


def short_orders(study, found):
    """The orders in short for LaTeX: words."""
    return pd.DataFrame([[each.name, each.observation, each.expectation(study.number("tolerance")), each.verdict,
                          *constant_cells(study, each.quantity)] for each in found],
                        columns=["", "observed order", "expected", "verdict", *constant_headings(study)])


def constant_headings(study):
    """The headings of the constants of the fits: C of the one step, or C₁ and C₂; [] without constants."""
    if any(study.joint(q) for q in study.quantities):
        return ["C₁ (of δs)", "C₂ (of δt)"]
    return ["C"] if any(math.isfinite(study.number(f"constant_{q}")) for q in study.quantities) else []


def constant_cells(study, quantity):
    """The constants of a quantity, with their uncertainty, as words below constant_headings()."""
    found = study.joint(quantity)
    if found:
        return [estimate(found.space, found.space_uncertainty), estimate(found.time, found.time_uncertainty)]
    headings = constant_headings(study)
    return [estimate(study.number(f"constant_{quantity}"), math.nan)] if headings == ["C"] else [EN_DASH] * len(headings)
