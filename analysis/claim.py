"""What a study claims, in one sentence, and what became of the claim."""

import math
from dataclasses import dataclass

from notation import EN_DASH, listed, order

NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points"}
STEP = {"steps": "δt", "cells": "δs", "both": "δs + δt"}
CONFIRMED, REFUTED, UNDEFINED, ABSENT = "as expected", "not as expected", "undefined", "not judged"


@dataclass(frozen=True)
class Finding:
    """The observed order of one quantity beside the expected one; `expected` is None when nothing was expected."""

    quantity: str
    observed: float
    expected: str | None
    verdict: str

    @property
    def name(self):
        """The quantity as the page calls it."""
        return NAMES[self.quantity]


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
    return Claim(_sentence(study, expected), verdict, remarks, findings)


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
            observed = fit.get(f"observed_{quantity}")
            observed = float(observed) if isinstance(observed, (int, float)) else math.nan
            expected = fit.get(f"expected_{quantity}")
            expected = f"{expected:g}" if isinstance(expected, (int, float)) else (expected or "").strip() or None
            found.append(Finding(quantity, observed, expected, fit.get(f"verdict_{quantity}") or ABSENT))
    return found


def _sentence(study, expected):
    step = STEP[study.refine]
    if not expected:
        return f"No order in {step} was expected of this study; what was observed is shown without judgement."
    parts = []
    for wanted in dict.fromkeys(finding.expected for finding in expected):
        names = listed(finding.name for finding in expected if finding.expected == wanted)
        degree = f"at least {wanted.lstrip('>=≥ ')}" if wanted.startswith((">", "≥")) else wanted
        parts.append(f"of order {degree} in {step} for {names}")
    return f"The error is {listed(parts)}."


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
    if said == CONFIRMED and (unseen or failed or not expected):
        remarks.append("The file’s own verdict, “as expected”, is not supported by its numbers.")
        said = REFUTED if failed else UNDEFINED
    return said, remarks
