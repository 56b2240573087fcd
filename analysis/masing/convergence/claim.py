"""What a study shows: its claim, the orders that were expected and those observed."""

import math
from enum import IntEnum

import numpy as np

from masing.notation import EN_DASH, FIXED_SPACE, interval, listed, order

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
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}


class OrderResult:
    """The observed order of one quantity of a study beside the expected one; `expected` is None where nothing was.

    The order is a fit's, with half its interval, or else that of the last pair of levels (`last_pair`);
    the uncertainty is NaN where there is none. `expected` is the text of the order that was expected, `1` or `>=0.5`,
    `expected_order` its number, `at_least` whether it is a lower bound.
    """

    def __init__(self, study, quantity):
        self.quantity, self.verdict = quantity, study.fit[f"verdict_{quantity}"]
        self.observed, self.uncertainty = study.order(quantity)
        self.last_pair = study.fit[f"observed_from_{quantity}"] == "last pair"
        self.expected = study.fit.get(f"expected_{quantity}")
        self.expected_order = study.number(f"expected_order_{quantity}")
        self.at_least = study.number(f"expected_at_least_{quantity}") == 1

    name = property(lambda self: QUANTITY_NAMES[self.quantity], doc="The name of the quantity on the page.")

    @property
    def degree(self):
        """The expected order in words: `one`, `at least 0.5`."""
        return f"at least {self.expected_order:g}" if self.at_least else DEGREES.get(self.expected_order, self.expected)

    @property
    def observation(self):
        """The observed order in words: `1.005 [1.001, 1.009]`, `1.991 (last pair)`, `exact`, `none`."""
        if not math.isfinite(self.observed):
            return self.value
        return f"{self.value} {'(last pair)' if self.last_pair else interval(self.observed, self.uncertainty)}".rstrip()

    @property
    def value(self):
        """The observed order alone, `1.005`, or `exact` or `none`."""
        if math.isfinite(self.observed):
            return order(self.observed)
        return EXACT if self.verdict == EXACT else "none"

    def expectation(self, tolerance):
        """The expected order and how far from it is tolerated: `1 ± 0.1`, `≥ 0.5 − 0.1`, or an en dash."""
        if not self.expected:
            return EN_DASH
        sign, beyond = ("≥ ", "−") if self.at_least else ("", "±")
        return f"{sign}{self.expected_order:g} {beyond} {tolerance:g}".replace(" ", FIXED_SPACE)


def findings(study):
    """The OrderResults of a Study."""
    return [OrderResult(study, q) for q in QUANTITY_NAMES if f"observed_{q}" in study.fit]


def ray(study):
    """δs/δt of a Study whose levels all have the same, so that space and time are not told apart; else None."""
    is_one = study.refine == "both" and "one ray" in study.fit["joint_missing"]
    return float(np.median(study.ds / study.dt)) if is_one else None


def unconverged(study):
    """The OrderResults of a Study without an expected order whose interval, if any, does not reach above the tolerance."""
    tolerance = study.number("tolerance")
    unexpected = [f for f in findings(study) if f.quantity in study.quantities and not f.expected]
    return [f for f in unexpected if f.observed + f.uncertainty <= tolerance]


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
