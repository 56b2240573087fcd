"""One study on the page: claim, problem, the statement that is tested, levels, errors."""

import math
from dataclasses import dataclass

import numpy as np

from masing.notation import EN_DASH, FIXED_SPACE, count, grouped, listed, measured, minus, order, plus_minus
from masing.report.errors import LABELS, error_picture, map_picture
from masing.report.tables import (SIGNS, constant_cells, constant_headings, level_rows, signs, sizes,
                                  study_tables)
from masing.results import QUANTITY_NAMES, Mark

AS_EXPECTED = "as expected"

STEPS = {"steps": "δt", "cells": "δs", "both": "δs + δt"}
DEGREES = {1: "one", 2: "two", 3: "three", 4: "four"}
# The keys of the problem's data, in the order of the equations, and of the method, with their symbols.
DATA = (("m", "mass"), ("c", "damping"), ("k₀", "k0"), ("k(s)", "stiffness"), ("η(s)", "threshold"),
        ("η⁻(s)", "threshold-down"),        ("F(t)", "force"), ("a_g(t)", "base-acceleration"), ("x(t)", "position"), ("x₀", "x0"), ("y₀", "y0"), ("u₀(s)", "initial-u"), ("T", "final-time"))
# Data that go without saying where they are 0.
SILENT = ("damping", "base-acceleration")
METHOD = (("rule in s", "rule"), ("scheme in t", "scheme"), ("engine", "engine"))


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
        """The observed order in words: `1.005 ± 0.004`, `1.991 (last pair)`, `none`."""
        return order(self.observed) + self.addition if math.isfinite(self.observed) else "none"

    @property
    def addition(self):
        """What follows the observed order: its uncertainty, or that it is the last pair's."""
        return " (last pair)" if self.last_pair else plus_minus(self.uncertainty)

    def expectation(self, tolerance):
        """The expected order with the tolerance: `1 ± 0.1`, `≥ 0.5`, or an en dash."""
        if not self.expected:
            return EN_DASH
        return f"≥ {self.expected_order:g}" if self.at_least else f"{self.expected} ± {tolerance:g}"


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
                 study.fit["remarks"].splitlines(), findings)


def study_section(study, number, alike=None, described=None):
    """The template's values for one Study, the `number`-th of the page; `alike`: the number of an earlier study of the
    same problem; `described`: the program's description of the model."""
    claimed, quantities = claim(study), study.quantities
    shown = [finding for finding in claimed.findings if finding.expected or finding.quantity in quantities]
    return {
        "id": f"study-{number}", "number": number, "file": study.run.path.name, "claim": claimed,
        "refined": STEPS[study.refine], "findings": [_finding_row(study, finding) for finding in shown],
        "constant_headings": constant_headings(study), "statement": _statement(study),
        "constants": _constants(study, [f.quantity for f in claimed.findings if f.quantity in quantities]),
        "reference": study.fit["reference_text"], "model": study.run.model, "has_cells": study.run.has_cells,
        "described": described, "alike": alike, "sizes": list(sizes(study)),
        "data": (_problem_data(study) if alike is None else []) + _data(study, METHOD) + _sizes(study),
        "method": ", ".join(value for _, value in _data(study, METHOD)),
        "error_headings": [heading for q in quantities for heading in (f"error of {LABELS[q]}", "order")],
        "levels": level_rows(study, quantities),
        "notes": _notes(study, quantities), "extrapolation": _extrapolation(study),
        "errors": error_picture(study, claimed.findings, quantities), "map": map_picture(study),
        "tables": study_tables(study, claimed.findings, quantities),
    }


def _finding(study, quantity):
    number = {name: study.number(f"{name}_{quantity}")
              for name in ("observed", "order_uncertainty", "expected_order", "expected_at_least")}
    return Finding(quantity, number["observed"], number["order_uncertainty"],
                   study.fit[f"observed_from_{quantity}"] == "last pair", study.fit.get(f"expected_{quantity}"),
                   number["expected_order"], number["expected_at_least"] == 1, study.fit[f"verdict_{quantity}"])


def _finding_row(study, finding):
    """(Finding, order, what follows it, expectation, levels in the fit, constants), a row of the first table."""
    return (finding, order(finding.observed), finding.addition, finding.expectation(study.number("tolerance")),
            f"{study.fit[f'levels_{finding.quantity}']} of {study.levels}", constant_cells(study, finding.quantity))


def _sentence(study, expected, verdict):
    step = STEPS[study.refine]
    if not expected:
        return f"No order in {step} was expected of this study; what was observed is shown without judgement."
    parts = []
    for wanted in {finding.expected: finding for finding in expected}.values():
        seen = [f"{f.name}{FIXED_SPACE}{f.observation}" for f in expected if f.expected == wanted.expected]
        where = f" in {step}" if not parts else ""
        doubt = "" if verdict == AS_EXPECTED else " was expected; observed"
        parts.append(f"order {_degree(wanted)}{where}{doubt}: {listed(seen)}")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _degree(finding):
    degree = finding.expected_order
    return f"at least {degree:g}" if finding.at_least else DEGREES.get(degree, finding.expected)


def _data(study, keys):
    """The pairs (symbol, value) of the settings that the study has."""
    return [(symbol, study.run.settings[key]) for symbol, key in keys
            if study.run.settings.get(key) and (key not in SILENT or study.run.settings[key] != "0")]


def _problem_data(study):
    """The pairs (symbol, value) of the problem's data, and (parameter, value) of the [model] section."""
    settings = study.run.settings.items()
    return _data(study, DATA) + [(key[len("model."):], value) for key, value in settings if key.startswith("model.")]


def _sizes(study):
    """The pairs (symbol, values) of P and N over the levels."""
    return [(name, listed(grouped(value) for value in dict.fromkeys(values)))
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
        sentences.append(f"C₁ and C₂ are those of the joint fit error ≈ {' or '.join(formulas)}, each quantity at the "
                         "order expected of it; the observed orders are fitted together with constants of their own.")
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
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {Mark.BEFORE: "before the asymptotic range (the residuals of a fit with them show a trend)",
               Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    notes = [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used]
    if any(np.isnan(study.orders[q]).any() for q in quantities):
        notes.append(f"{EN_DASH} in a column “order”: undefined. An order compares a level with the one before it: "
                     "the first level has none, nor has a level whose error, or the one before, is zero or no number.")
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
                 + f", observed order {order(study.number(f'richardson_order_{name}'))}; grid convergence index of the "
                   f"last level (Eça and Hoekstra): {_index(study, name)}."
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
