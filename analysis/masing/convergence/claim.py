"""Functions that state what a study shows: the expected and the observed orders, and the claim in a sentence."""

import math

import numpy as np

from masing.text import EN_DASH, FIXED_SPACE, grouped, listed, number, order

AS_EXPECTED = "as expected"
EXACT = "exact"  # no error above the round-off floor
STEPS = {"steps": "δt", "cells": "δs", "both": "δs and δt", "elements": "h and δt"}
# How the fit of an order uses a level; the places are the numbers in the datasets /cases/mark_q.
MARKS = ("fitted", "before the asymptotic range", "on the round-off floor", "no error")
FITTED, BEFORE, ON_FLOOR, _ = range(4)
QUANTITY_NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points", "x_rms": "x in the mean square",
                  "y_rms": "y in the mean square"}
# Ratios δs/δt whose logarithms differ by at most this count as equal.
ALIKE = 0.01
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}


class OrderResult:
    """The observed and the expected order of convergence of one quantity of a study.

    `observed` is the order of the fit, or of the last pair of levels if `last_pair` is true, and `uncertainty` half its
    interval; both may be NaN. `expected` is a text such as `1` or `>=0.5`, or None. In words, `degree` is the expected
    order, `value` the observed one, and `observation` the same with half its interval.
    """

    def __init__(self, study, quantity):
        self.quantity, self.verdict = quantity, study.fit[f"verdict_{quantity}"]
        self.name = QUANTITY_NAMES[quantity]
        self.observed, self.uncertainty = study.order(quantity)
        self.last_pair = study.fit[f"observed_from_{quantity}"] == "last pair"
        self.expected = study.fit.get(f"expected_{quantity}")
        self.expected_order = study.number(f"expected_order_{quantity}")
        self.at_least = study.number(f"expected_at_least_{quantity}") == 1
        self.degree = (f"at least {self.expected_order:g}" if self.at_least else
                       DEGREES.get(self.expected_order, self.expected))
        is_known = math.isfinite(self.observed)
        self.value = order(self.observed) if is_known else EXACT if self.verdict == EXACT else "none"
        self.value += " (last pair)" * self.last_pair
        is_fit = is_known and not self.last_pair
        self.observation = order(self.observed, self.uncertainty) if is_fit else self.value

    def expectation(self, tolerance):
        """Return the expected order with its tolerance, such as `1 ± 0.1` or `≥ 0.5 − 0.1`, or an en dash."""
        if not self.expected:
            return EN_DASH
        sign, beyond = ("≥ ", "−") if self.at_least else ("", "±")
        return f"{sign}{self.expected_order:g} {beyond} {tolerance:g}".replace(" ", FIXED_SPACE)


def findings(study):
    """Return one OrderResult for each quantity whose observed order, possibly NaN, is in the file of a Study."""
    return [OrderResult(study, q) for q in QUANTITY_NAMES if f"observed_{q}" in study.fit]


def ray(study):
    """Return δs/δt of a Study in both steps whose levels all have this ratio, so that they tell no errors apart."""
    if study.refine != "both" or len(study["ds"]) < 2 or is_told_apart(study):
        return None
    ratios = study["ds"] / study["dt"]
    return float(np.median(ratios)) if np.ptp(np.log(ratios)) <= ALIKE else None


def is_told_apart(study):
    """Return whether the levels of a Study determine both constants of the joint fit, of δs and of δt."""
    return any(study.joint(q) for q in study.quantities)


def statement(study):
    """Return the statement of the papers that a Study tests, "3.1", "25" or "4.1", or the reason why it tests none.

    The reason is the first of these that applies: "outside" of the hypotheses, "model" other than the slab with a mass,
    "mixed" with an error that the levels do not refine, and "beyond" the scheme, the rule or the data of the papers.
    """
    uses = study.settings.get
    is_beyond = (study.refine != "cells" and uses("scheme") == "leapfrog" or uses("threshold-down")
                 or study.refine != "steps" and uses("rule") == "midpoint" or number(uses("damping"), 0) > 0)
    reasons = {"outside": study.fit.get("unmet_hypotheses"), "model": study.model != "masing",
               "mixed": study.fit["left_over"], "beyond": is_beyond}
    tested = {"cells": "3.1", "steps": "25"}.get(study.refine, "4.1")
    return next((name for name, applies in reasons.items() if applies), tested)


def bound(study):
    """Return the least C such that e ≤ C h for the errors e of x, y and u at all levels of a Study.

    The result is NaN if the study does not test a statement of the papers against the reference of this statement.
    """
    reference = {"3.1": "exact" if study.engine == "exact" else "cells-inf", "4.1": "exact",
                 "25": "exact-time" if np.any(study["cells"]) else "exact"}.get(statement(study))
    if study.reference != reference:
        return math.nan
    ratios = [error / step for q in ("x", "y", "u") for error, step in zip(study.errors[q], study["step"])
              if step > 0 and math.isfinite(error)]
    return max(ratios, default=math.nan)


def reference_text(study):
    """Return what the errors of a Study are measured against, as a part of a sentence."""
    is_finite = not study.has_cells and not study.is_chain
    if study.reference != "finest":
        return {"exact": f"the exact solution ({'' if is_finite else 'P = ∞, '}N = ∞)",
                "exact-time": "the solution exact in time at the same P",
                "cells-inf": "the solution with P = ∞ at the same N",
                "successive": "the next finer level (differences of successive levels)"}[study.reference]
    steps = study.number("reference_steps")
    counts = [f"P = {grouped(study.number('reference_cells'))}"] * (not is_finite) + [f"N = {grouped(steps)}"]
    if study.refine == "elements":
        counts.insert(0, f"n = {grouped(study['elements'][-1] * steps // study['steps'][-1])}")
    return f"one run at least 16 times finer in what is refined ({', '.join(counts)})"


def remarks(study):
    """Return sentences that explain the verdicts of a Study, and say what would decide an undecided one."""
    found, sentences = findings(study), []
    if exact := [f.name for f in found if f.verdict == EXACT]:
        sentences.append(f"All errors of {listed(exact)} are on the round-off floor, and so of any order.")
    if any(f.verdict == "undecided" for f in found) and not study.fit["left_over"]:
        levels = study.fit["deciding_levels"]
        sentences.append(f"These levels would probably decide: levels = {levels}." if levels else
                         "No ladder of up to 1000 levels is sure to decide, as the errors are few or scatter; another "
                         "reference may.")
    return sentences


def sentence(study):
    """Return the claim of a Study in one sentence, and a sentence on each quantity that does not converge."""
    ratio, tolerance = ray(study), study.number("tolerance")
    found = [finding for finding in findings(study) if finding.expected or finding.quantity in study.quantities]
    expected = [finding for finding in found if finding.expected]
    where = f" in {STEPS[study.refine]}" if ratio is None else f" along δs/δt = {ratio:.3g}"
    if not expected:
        return f"No order{where} was expected of this study; what was observed is shown without judgement."
    doubt = "" if study.verdict in (AS_EXPECTED, EXACT) else " was expected; observed"
    observed = {}
    for f in expected:
        observed.setdefault(f.degree, []).append(f"{f.name}{FIXED_SPACE}{f.value}")
    text = "; ".join(f"order {degree}{where * (n == 0)}{doubt}: {listed(values)}"
                     for n, (degree, values) in enumerate(observed.items()))
    text += "; space and time are not told apart" * (ratio is not None)
    failing = [f" {f.name}{FIXED_SPACE}does not converge: order {f.observation}." for f in found
               if not f.expected and f.observed + f.uncertainty <= tolerance]
    return "".join([f"{text[0].upper()}{text[1:]}.", *failing])
