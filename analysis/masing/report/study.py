"""One study on the page: claim, problem, the statement that is tested, levels, errors."""

import math
from dataclasses import dataclass

import numpy as np

from masing.names import short_value
from masing.notation import (EN_DASH, FIXED_SPACE, count, grouped, interval, listed, measured, minus, negatives, order,
                             signs_of)
from masing.report.equations import steps_in_words
from masing.report.errors import LABELS, error_picture, map_picture
from masing.report.tables import (constant_cells, constant_headings, level_rows, sign_notes, sizes, study_tables,
                                  told_apart)
from masing.results import QUANTITY_NAMES

AS_EXPECTED = "as expected"
EXACT = "exact"  # no error above the round-off floor

STEPS = {"steps": "δt", "cells": "δs", "both": "δs + δt"}
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}
# The keys of the method with their symbols.
METHOD = (("rule in s", "rule"), ("scheme in t", "scheme"), ("engine", "engine"))
# What a study tests, in short, by the name of the statement in the file.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "order of the scheme", "beyond": "no proposition"}


@dataclass(frozen=True)
class Finding:
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

    @property
    def name(self):
        """The name of the quantity on the page."""
        return QUANTITY_NAMES[self.quantity]

    @property
    def observation(self):
        """The observed order in words: `1.005 [1.001, 1.009]`, `1.991 (last pair)`, `exact`, `none`."""
        return " ".join(part for part in (self.value, self.interval) if part) if math.isfinite(self.observed) else self.value

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

    def expectation(self, tolerance):
        """The expected order and how far from it is tolerated: `1 ± 0.1`, `≥ 0.5 − 0.1`, or an en dash."""
        if not self.expected:
            return EN_DASH
        sign, beyond = ("≥ ", "−") if self.at_least else ("", "±")
        return f"{sign}{self.expected_order:g} {beyond} {tolerance:g}".replace(" ", FIXED_SPACE)


@dataclass(frozen=True)
class Claim:
    """The claim of a study: the sentence, its verdict, remarks on the verdict, and the findings behind it."""

    sentence: str
    verdict: str
    remarks: list
    findings: list


def claim(study):
    """The Claim of a Study."""
    findings = [_finding(study, q) for q in QUANTITY_NAMES if f"observed_{q}" in study.fit]
    verdict = study.fit["verdict"]
    return Claim(_sentence(study, [f for f in findings if f.expected], verdict), verdict,
                 [negatives(line) for line in study.fit["remarks"].splitlines()], findings)


def study_section(study, number, problem, is_first, stated=None):
    """The template's values for one Study, the `number`-th section of the page.

    problem: the Problem of the study, shown here if `is_first`; stated: the number of an earlier section that shows the
    same statement.
    """
    claimed, quantities = claim(study), told_apart(study)
    shown = [finding for finding in claimed.findings if finding.expected or finding.quantity in study.quantities]
    files = [study.run.path.name]
    return {
        "id": f"study-{number}", "number": number, "title": title(study), "files": files, "claim": claimed,
        "refined": STEPS[study.refine], "findings": [_finding_row(study, finding) for finding in shown],
        "constant_headings": constant_headings(study), "statement": _statement(study), "stated": stated,
        "tests": STATEMENTS.get(study.fit["statement"], ""), "unmet": study.fit.get("unmet_hypotheses", ""),
        "constants": _constants(study, [f.quantity for f in claimed.findings if f.quantity in quantities]),
        "reference": study.fit["reference_text"], "explained": signs_of(study.fit.get("reference_explanation", "")),
        "model": study.run.model, "has_cells": study.run.has_cells,
        "problem": problem, "shows_problem": is_first, "sizes": list(sizes(study)),
        "data": _data(study, METHOD) + _sizes(study), "method": method(study), "also": [],
        "error_headings": [heading for q in quantities for heading in (f"error of {LABELS[q]}", "order")],
        "levels": level_rows(study, quantities),
        "notes": _notes(study, quantities), "extrapolation": _extrapolation(study),
        "errors": error_picture(study, claimed.findings, quantities), "map": map_picture(study),
        "tables": study_tables(study, claimed.findings, quantities),
    }


def title(study):
    """What a study shows: the first sentence of its case file's comment; else its statement, step and method."""
    sentence = steps_in_words(study.run.comment.split(". ")[0].strip().rstrip("."))
    if sentence:
        return sentence
    tested = STATEMENTS.get(study.fit["statement"], "")
    named = f"{tested}: " if tested.startswith(("Proposition", "(")) else ""
    return f"{named}order in {STEPS[study.refine]} of {method(study)}" if named else (
        f"Order in {STEPS[study.refine]} of {method(study)}")


def method(study):
    """The scheme in t, the rule in s and the engine, as a list of words; the model's name where it has none."""
    return ", ".join(value for _, value in _data(study, METHOD)) or study.run.model


def shown_alike(section):
    """What two studies must share to be one section: all that is shown of them but engine, times and files."""
    levels = [[text for _, text, *_ in row] for row in section["levels"]]
    rows = [(finding.name, *row[:2], *row[3:-1]) for finding, *row in section["findings"]]
    return repr((levels, rows, section["statement"], section["reference"], section["problem"].id, section["sizes"],
                 [pair for pair in section["data"] if pair[0] != "engine"]))


def _finding(study, quantity):
    number = {name: study.number(f"{name}_{quantity}")
              for name in ("observed", "order_uncertainty", "expected_order", "expected_at_least")}
    return Finding(quantity, number["observed"], number["order_uncertainty"],
                   study.fit[f"observed_from_{quantity}"] == "last pair", study.fit.get(f"expected_{quantity}"),
                   number["expected_order"], number["expected_at_least"] == 1, study.fit[f"verdict_{quantity}"])


def _finding_row(study, finding):
    """(Finding, order, its interval, its parts, expectation, levels in the fit, constants): a row of the table."""
    q = finding.quantity
    parts = [measured(study.number(f"{name}_uncertainty_{q}"), 2) for name in ("statistical", "structural")]
    return (finding, finding.value, finding.interval, parts, finding.expectation(study.number("tolerance")),
            f"{study.fit[f'levels_{q}']} of {study.levels}", constant_cells(study, q))


def _sentence(study, expected, verdict):
    step = STEPS[study.refine]
    if not expected:
        return f"No order in {step} was expected of this study; what was observed is shown without judgement."
    parts = []
    for wanted in {finding.expected: finding for finding in expected}.values():
        seen = [f"{f.name}{FIXED_SPACE}{f.value}{' (last pair)' * f.last_pair}" for f in expected if f.expected == wanted.expected]
        where = f" in {step}" if not parts else ""
        doubt = "" if verdict in (AS_EXPECTED, EXACT) else " was expected; observed"
        parts.append(f"order {_degree(wanted)}{where}{doubt}: {listed(seen)}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _degree(finding):
    degree = finding.expected_order
    return f"at least {degree:g}" if finding.at_least else DEGREES.get(degree, finding.expected)


def _data(study, keys):
    """The pairs (symbol, value) of the settings that the study has."""
    return [(symbol, short_value(study.run.settings[key])) for symbol, key in keys if study.run.settings.get(key)]


def _sizes(study):
    """The pairs (symbol, values) of P and N over the levels."""
    return [(name, listed((grouped if max(values) < 1e8 else count)(value) for value in dict.fromkeys(values)))
            for name, (values, _) in sizes(study).items() if name in "PN" and np.isfinite(values).all()]


def _statement(study):
    """The template's values for the statement that is tested: its name, what is beyond the papers, the least bound."""
    bound = study.number("bound")
    column = {"steps": ("P", study.cells), "cells": ("N", study.steps)}.get(study.refine)
    fixed = column and f"{column[0]} = {listed(count(n) for n in dict.fromkeys(column[1]) if np.isfinite(n))}"
    return {"name": study.fit["statement"], "beyond": study.fit["beyond"].split(), "continuum": study.run.cells == 0,
            "left_over": study.fit["left_over"], "fixed": fixed, "unmet": study.fit.get("unmet_hypotheses", ""),
            "bound": measured(bound, 3) if math.isfinite(bound) else None}


def _constants(study, quantities):
    """The sentences on the constants of the fits."""
    joint = {q: fit for q in quantities if (fit := study.joint(q))}
    sentences = []
    if joint:
        formulas = dict.fromkeys(fit.formula for fit in joint.values())
        low, high = min(fit.least_ratio for fit in joint.values()), max(fit.largest_ratio for fit in joint.values())
        sentences.append(f"C₁ and C₂ are those of the joint fit error ≈ {' or '.join(formulas)}, each quantity at the "
                         "order expected of it, with their 95 % confidence intervals.")
        if math.isfinite(low + high):
            sentences.append(f"They hold for δs/δt from {low:.3g} to {high:.3g}, as of the levels: the largest error "
                             "over time is not linear in δs and δt, and other ratios have other constants.")
    elif any(math.isfinite(study.number(f"constant_{q}")) for q in quantities):
        step = f"({STEPS[study.refine]})" if study.refine == "both" else STEPS[study.refine]
        form = {"finest": f"C ({step}ᵖ − that of the reference)",
                "successive": f"C ({step}ᵖ − that of the next level)"}.get(study.reference, f"C {step}ᵖ")
        sentences.append(f"C is that of the fit error ≈ {form}, p the observed order.")
    opposed = [QUANTITY_NAMES[q] for q, fit in joint.items() if fit.cancels]
    if opposed:
        sentences.append(f"A negative constant ({listed(opposed)}): the errors in space and in time "
                         "have opposite signs and partly cancel. Refining one alone can therefore enlarge the error.")
    if study.fit["joint_missing"]:
        sentences.append("The levels cannot tell the two constants C₁ (of δs) and C₂ (of δt) apart: "
                         f"{study.fit['joint_missing']}.")
    return sentences


def _notes(study, quantities):
    """The meaning of the signs in the table of levels, and of its en dashes."""
    notes = sign_notes(study, quantities)
    if "u_cells" in study.quantities and "u_cells" not in quantities:
        notes.append("u at the cells’ points: as u, in every digit shown.")
    if any(np.isnan(study.orders[q]).any() for q in quantities):
        notes.append(f"{EN_DASH} in a column “order”: undefined. An order takes an error and the one before, neither zero.")
    if any(np.isnan(study.errors[q]).any() for q in quantities):
        why = " The last level has no finer one to differ from." if study.reference == "successive" else ""
        notes.append(f"{EN_DASH} in a column “error”: the file has no number there.{why}")
    return notes


def _extrapolation(study):
    """The sentences on the extrapolation of x(T) and y(T); [] where the file does not extrapolate."""
    names = [name for name in ("x", "y") if f"richardson_{name}" in study.fit]
    known = [name for name in names if math.isfinite(study.number(f"richardson_{name}"))]
    sentences = [f"{name}(T) extrapolated to step zero by least squares over all levels: "
                 + minus(f"{study.number(f'richardson_{name}'):.10g}")
                 + f", observed order {order(study.number(f'richardson_order_{name}'))}. Bound of the error of the last "
                   f"level, by the grid convergence index of Eça and Hoekstra (2014): {_index(study, name)}."
                 for name in known]
    unknown = [f"{name}(T)" for name in names if name not in known]
    if unknown:
        sentences.append(f"No extrapolation of {listed(unknown)}: there are not more levels than unknowns.")
    return sentences


def _index(study, name):
    """The grid convergence index of x(T) or y(T), absolute, and relative where the file has it."""
    relative = study.number(f"gci_relative_{name}")
    return (f"{measured(study.number(f'gci_{name}'), 3)}, absolute"
            + (f" (relative {measured(relative, 3)})" if math.isfinite(relative) else ""))
