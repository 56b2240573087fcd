"""What a study claims, in one sentence, and what became of the claim."""

import math
from dataclasses import dataclass

from fitted import number
from notation import EN_DASH, FIXED_SPACE, listed, order, plus_minus

NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points"}
STEP = {"steps": "δt", "cells": "δs", "both": "δs + δt"}
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}
CONFIRMED, REFUTED, UNDEFINED, ABSENT = "as expected", "not as expected", "undefined", "not judged"


@dataclass(frozen=True)
class Finding:
    """The observed order of one quantity beside the expected one; `expected` is None when nothing was expected.

    The order is a fit's, with half its 95 % confidence interval, or else that of the last pair of levels (`last_pair`);
    the uncertainty is NaN where there is none.
    """

    quantity: str
    observed: float
    uncertainty: float
    last_pair: bool
    expected: str | None
    verdict: str

    @property
    def name(self):
        """The quantity as the page calls it."""
        return NAMES[self.quantity]

    @property
    def observation(self):
        """The observed order in words: `1.005 ± 0.004`, `1.991 (last pair)`, `none`."""
        if not math.isfinite(self.observed):
            return "none"
        if self.last_pair:
            return f"{order(self.observed)} (last pair)"
        return order(self.observed) + plus_minus(self.uncertainty)


@dataclass(frozen=True)
class Claim:
    """The claim of a study: the sentence, its verdict, why it is not simply the file's, and the findings behind it."""

    sentence: str
    verdict: str
    remarks: list
    findings: list


def claim(study):
    """The claim of a Study: the file's own verdict, except that an order nobody observed confirms nothing."""
    findings = _findings(study)
    expected = [finding for finding in findings if finding.expected]
    verdict, remarks = _verdict(study, expected)
    return Claim(_sentence(study, expected, verdict), verdict, remarks, findings)


def exponent(expected):
    """The positive number in an expected order, `1` or `>=0.5`; None when there is none."""
    try:
        number = float(expected.lstrip(">=≥ "))
    except (AttributeError, ValueError):
        return None
    return number if 0 < number < math.inf else None


def expectation(expected, tolerance):
    """An expected order as the page shows it: `1 ± 0.1`, `≥ 0.5`, or an en dash."""
    if not expected:
        return EN_DASH
    if expected.startswith((">", "≥")):
        return f"≥ {expected.lstrip('>=≥ ')}"
    return f"{expected} ± {tolerance:g}" if isinstance(tolerance, (int, float)) else expected


def _findings(study):
    fit = study.fit
    found = []
    for quantity in NAMES:
        if f"observed_{quantity}" in fit or f"expected_{quantity}" in fit:
            # A file that says nothing of a fit does not say either that its order is a last pair's.
            last_pair = f"order_{quantity}" in fit and not math.isfinite(number(study, f"order_{quantity}"))
            expected = fit.get(f"expected_{quantity}")
            expected = f"{expected:g}" if isinstance(expected, (int, float)) else (expected or "").strip() or None
            found.append(Finding(quantity, number(study, f"observed_{quantity}"),
                                 number(study, f"order_uncertainty_{quantity}"), last_pair, expected,
                                 fit.get(f"verdict_{quantity}") or ABSENT))
    return found


def _sentence(study, expected, verdict):
    step = STEP[study.refine]
    if not expected:
        return f"No order in {step} was expected of this study; what was observed is shown without judgement."
    parts = []
    for wanted in dict.fromkeys(finding.expected for finding in expected):
        seen = [f"{finding.name}{FIXED_SPACE}{finding.observation}" for finding in expected if finding.expected == wanted]
        where = f" in {step}" if not parts else ""
        doubt = "" if verdict == CONFIRMED else " was expected; observed"
        parts.append(f"order {_degree(wanted)}{where}{doubt}: {listed(seen)}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _degree(expected):
    if expected.startswith((">", "≥")):
        return f"at least {expected.lstrip('>=≥ ')}"
    return DEGREES.get(exponent(expected), expected)


def _verdict(study, expected):
    said = study.fit.get("verdict") or (ABSENT if not expected else UNDEFINED)
    remarks = []
    if study.levels == 1:
        remarks.append("The study has one level: an order needs at least two.")
    unseen = [finding.name for finding in expected if not math.isfinite(finding.observed)]
    if unseen:
        remarks.append(f"No order was observed for {listed(unseen)}.")
    failed = [f"{finding.name} ({order(finding.observed)})" for finding in expected if finding.verdict == REFUTED]
    if failed:
        remarks.append(f"The observed order is not the expected one for {listed(failed)}.")
    tolerance = number(study, "tolerance")
    wide = [f"{finding.name} (±{FIXED_SPACE}{finding.uncertainty:.3g})" for finding in expected
            if math.isfinite(finding.observed) and not finding.last_pair and finding.uncertainty > tolerance]
    if wide:
        remarks.append(f"The 95 % interval of the order of {listed(wide)} is wider than the tolerance ±{FIXED_SPACE}"
                       f"{tolerance:g}: the verdict compares its middle alone and is uncertain.")
    if said == CONFIRMED and (unseen or failed or not expected):
        remarks.append("The file’s own verdict, “as expected”, is not supported by its numbers.")
        said = REFUTED if failed else UNDEFINED
    return said, remarks
