"""The constants of a study's error bounds, and in words what they say."""

import math

from claim import NAMES, STEP
from fitted import joint, number, plain_step
from notation import EN_DASH, listed, measured, within
from proposition import BOTH, SPACE, TIME, at_infinitely_many_cells, proposition


def constant_headings(study):
    """The headings of the columns that constant_cells() fills: C of the one step, or C₁ and C₂; [] without constants."""
    quantities = [q for q in NAMES if study.errors[q] is not None]
    if any(joint(study, q) for q in quantities):
        return ["C₁ (of δs)", "C₂ (of δt)"]
    return ["C"] if any(_is_known(study, q) for q in quantities) else []


def constant_cells(study, quantity):
    """The constants of a quantity as the columns of constant_headings() show them, with their uncertainty."""
    found = joint(study, quantity)
    if found:
        return [within(found.space, found.space_uncertainty), within(found.time, found.time_uncertainty)]
    headings = constant_headings(study)
    return [within(number(study, f"constant_{quantity}"), math.nan)] if len(headings) == 1 else [EN_DASH] * len(headings)


def constants(study, findings):
    """The sentences on what the constants in the table mean, for the quantities of the findings."""
    together = [finding.quantity for finding in findings if joint(study, finding.quantity)]
    known = any(_is_known(study, finding.quantity) for finding in findings)
    sentences = _of_joint_fit(study, findings, together) if together else _of_one_step(study) if known else []
    if study.refine == "both" and not together and study.levels > 1:
        sentences.append("The levels cannot tell the two constants C₁ (of δs) and C₂ (of δt) apart: "
                         f"{_why_not_apart(study)}.")
    return sentences


def smallest_bound(study):
    """The smallest C for which the proposition's bound of x, y and u holds at every level of the study.

    NaN where errors are not against what the proposition compares with.
    """
    tested = proposition(study)
    exact_in_time = "exact" if at_infinitely_many_cells(study) else "exact-time"
    if study.fit.get("reference") != {SPACE: "cells-inf", TIME: exact_in_time, BOTH: "exact"}.get(tested, ""):
        return math.nan
    return max((error / h for q in ("x", "y", "u") for error, h in zip(study.errors[q], plain_step(study))
                if h > 0 and math.isfinite(error)), default=math.nan)


def _is_known(study, quantity):
    return math.isfinite(number(study, f"constant_{quantity}"))


def _of_one_step(study):
    step = f"({STEP[study.refine]})" if study.refine == "both" else STEP[study.refine]
    form = {"finest": f"C ({step}ᵖ − that of the reference)",
            "successive": f"C ({step}ᵖ − that of the next level)"}.get(study.fit.get("reference"), f"C {step}ᵖ")
    return [f"C is that of the fit error ≈ {form}, p the observed order."]


def _of_joint_fit(study, findings, quantities):
    formulas = dict.fromkeys(joint(study, q).formula for q in quantities)
    sentences = [f"C₁ and C₂ are those of the joint fit error ≈ {' or '.join(formulas)}, each quantity at the order "
                 "expected of it; the observed orders are those in this combined step."]
    opposed = [q for q in quantities if joint(study, q).cancels]
    if opposed:
        sentences.append(f"A negative constant ({listed(NAMES[q] for q in opposed)}): the errors in space and in time "
                         "have opposite signs and partly cancel. Refining one alone can therefore enlarge the error.")
    return sentences


def _why_not_apart(study):
    rays = {round(math.log(ds / dt), 3) for ds, dt in zip(study.ds, study.dt) if ds > 0 and dt > 0}
    if len(rays) == 1:
        return f"δs/δt = {measured(study.ds[0] / study.dt[0], 3)} at all of them, one ray in the plane (δs, δt)"
    return "fewer than three have an error" if len(rays) > 1 else "δs/δt is not known"
