"""What a study shows: its claim, the orders that were expected and those observed; its levels as cells and a table."""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pandas as pd

from masing.notation import EN_DASH, FIXED_SPACE, cell, grouped, interval, listed, order, scientific

AS_EXPECTED = "as expected"
EXACT = "exact"  # no error above the round-off floor
STEPS = {"steps": "δt", "cells": "δs", "both": "δs and δt"}


class Mark(IntEnum):
    """Whether a level is in the fit of an order, as /cases/mark_* numbers it."""

    FITTED = 0
    BEFORE = 1
    ON_FLOOR = 2
    NO_ERROR = 3


QUANTITY_NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points"}
SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}
MARKS = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
         Mark.NO_ERROR: "no error"}
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class OrderResult:
    """The observed order of one quantity beside the expected one; `expected` is None when nothing was expected.

    The order is a fit's, with half its interval, or else that of the last pair of levels (`last_pair`);
    the uncertainty is NaN where there is none. `expected` is the text of the order that was expected, `1` or `>=0.5`,
    `expected_order` its number, `at_least` whether it is a lower bound.
    """

    quantity: str
    observed: float
    uncertainty: float
    last_pair: bool
    expected: str | None
    expected_order: float
    at_least: bool
    verdict: str

    name = property(lambda self: QUANTITY_NAMES[self.quantity], doc="The name of the quantity on the page.")

    @property
    def degree(self):
        """The expected order in words: `one`, `at least 0.5`."""
        return f"at least {self.expected_order:g}" if self.at_least else DEGREES.get(self.expected_order, self.expected)

    @property
    def observation(self):
        """The observed order in words: `1.005 [1.001, 1.009]`, `1.991 (last pair)`, `exact`, `none`."""
        return f"{self.value} {self.interval}".rstrip() if math.isfinite(self.observed) else self.value

    @property
    def value(self):
        """The observed order alone, `1.005`, or `exact` or `none`."""
        if math.isfinite(self.observed):
            return order(self.observed)
        return EXACT if self.verdict == EXACT else "none"

    @property
    def interval(self):
        """The interval of the observed order, or that it is the last pair's, which has none."""
        return "(last pair)" if self.last_pair else interval(self.observed, self.uncertainty)

    def converges(self, tolerance):
        """Whether the interval of the observed order, where it has one, reaches above the tolerance about 0."""
        return not self.observed + self.uncertainty <= tolerance

    def expectation(self, tolerance):
        """The expected order and how far from it is tolerated: `1 ± 0.1`, `≥ 0.5 − 0.1`, or an en dash."""
        if not self.expected:
            return EN_DASH
        sign, beyond = ("≥ ", "−") if self.at_least else ("", "±")
        return f"{sign}{self.expected_order:g} {beyond} {tolerance:g}".replace(" ", FIXED_SPACE)


def findings(study):
    """The OrderResults of a Study."""
    return [OrderResult(q, *study.order(q), study.fit[f"observed_from_{q}"] == "last pair", study.fit.get(f"expected_{q}"),
                    study.number(f"expected_order_{q}"), study.number(f"expected_at_least_{q}") == 1,
                    study.fit[f"verdict_{q}"]) for q in QUANTITY_NAMES if f"observed_{q}" in study.fit]


def ray(study):
    """δs/δt of a Study in both steps whose levels all have the same, so that space and time are not told apart; else
    None."""
    is_one = study.refine == "both" and "one ray" in study.fit["joint_missing"]
    return float(np.median(study.ds / study.dt)) if is_one else None


def unconverged(study):
    """The OrderResults of the quantities that a Study measures, of which no order was expected and that do not
    converge."""
    tolerance = study.number("tolerance")
    unexpected = [f for f in findings(study) if f.quantity in study.quantities and not f.expected]
    return [f for f in unexpected if not f.converges(tolerance)]


def sentence(study):
    """The claim of a Study in one sentence, and what does not converge in another."""
    ratio, expected = ray(study), [finding for finding in findings(study) if finding.expected]
    where = f" in {STEPS[study.refine]}" if ratio is None else f" along δs/δt = {ratio:.3g}"
    if not expected:
        return f"No order{where} was expected of this study; what was observed is shown without judgement."
    parts = []
    for wanted in {finding.expected: finding for finding in expected}.values():
        seen = [f"{f.name}{FIXED_SPACE}{f.value}{' (last pair)' * f.last_pair}" for f in expected
                if f.expected == wanted.expected]
        doubt = "" if study.verdict in (AS_EXPECTED, EXACT) else " was expected; observed"
        parts.append(f"order {wanted.degree}{where if not parts else ''}{doubt}: {listed(seen)}")
    text = "; ".join(parts)
    failing = [f" {f.name}{FIXED_SPACE}does not converge: order {f.observation}." for f in unconverged(study)]
    text += "; space and time are not told apart" * (ratio is not None)
    return "".join([f"{text[0].upper()}{text[1:]}.", *failing])


def twin(study, others):
    """The place of the first of the other studies whose levels have the same errors in every digit shown, and of which
    the same orders were expected, or None."""
    def digits(each):
        return (each.problem, each.reference, [finding.expected for finding in findings(each)],
                [[cell[1:] for cell in row] for row in level_rows(each, each.quantities)])

    return next((place for place, other in enumerate(others) if digits(other) == digits(study)), None)


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
