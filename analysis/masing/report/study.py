"""One study on the page: claim, problem, the statement that is tested, levels, errors."""

import math

import numpy as np

from masing.convergence.claim import STEPS, findings, level_rows, quantities_to_show, sizes
from masing.convergence.figures import LABELS, abscissa, curves_of, drawn, map_figure, study_figure
from masing.names import short_value
from masing.notation import EN_DASH, count, grouped, listed, measured, minus, negatives, order, signs_of
from masing.report.problem import first_sentence
from masing.report.pictures import Picture
from masing.report.tables import constant_cells, constant_headings, sign_notes, study_tables
from masing.results import QUANTITY_NAMES
from masing.style import drawable_in_logarithm

# The keys of the method with their symbols.
METHOD = (("rule in s", "rule"), ("scheme in t", "scheme"), ("engine", "engine"))
# What a study tests, in short, by the name of the statement in the file.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "order of the scheme", "beyond": "no proposition"}


def study_section(study, number, problem, is_first, stated=None):
    """The template's values for one Study, the `number`-th section of the page. problem: the Problem of the study,
    shown here if `is_first`; stated: the number of an earlier section that shows the same statement."""
    found, quantities = findings(study), quantities_to_show(study)
    shown = [finding for finding in found if finding.expected or finding.quantity in study.quantities]
    files = [study.path.name]
    return {
        "id": f"study-{number}", "number": number, "title": title(study), "files": files, "claim": claim(study),
        "refined": STEPS[study.refine], "findings": [_finding_row(study, finding) for finding in shown],
        "constant_headings": constant_headings(study), "statement": _statement(study), "stated": stated,
        "tests": STATEMENTS.get(study.fit["statement"], ""), "unmet": study.fit.get("unmet_hypotheses", ""),
        "constants": _constants(study, [f.quantity for f in found if f.quantity in quantities]),
        "reference": study.fit["reference_text"], "explained": signs_of(study.fit.get("reference_explanation", "")),
        "model": study.model, "has_cells": study.has_cells,
        "problem": problem, "shows_problem": is_first, "sizes": list(sizes(study)),
        "data": _data(study, METHOD) + _sizes(study),
        "error_headings": [heading for q in quantities for heading in (f"error of {LABELS[q]}", "order")],
        "levels": level_rows(study, quantities),
        "notes": _notes(study, quantities), "extrapolation": _extrapolation(study),
        "errors": error_picture(study, quantities), "map": map_picture(study),
        "tables": study_tables(study, found, quantities),
    }


def claim(study):
    """The template's values of a study's claim."""
    return {"sentence": study.claim, "verdict": study.verdict, "findings": findings(study),
            "remarks": [negatives(line) for line in study.fit["remarks"].splitlines()]}


def error_picture(study, quantities):
    """The Picture of the errors of the quantities over the step; u at the cells' points only if its order is judged."""
    shown_quantities = drawn(study, quantities)
    _, over, _ = abscissa(study)
    curves = curves_of(study, shown_quantities)
    shown = [drawable_in_logarithm(curve.steps, curve.errors) for curve in curves]
    errors = [curve.errors[keep] for curve, keep in zip(curves, shown)]
    ranges = "; ".join(f"{curve.label} from {values.min():.2e} to {values.max():.2e}"
                       for curve, values in zip(curves, errors) if len(values))
    caption = f"Maximal errors of {listed(QUANTITY_NAMES[q] for q in shown_quantities)} over {over}."
    if not all(np.isfinite(curve.predicted).any() for curve in curves):
        caption += " Pale lines join the points of an order without a fit."
    if not np.all(shown):
        caption += f" Not drawn, because zero or not a number: {np.sum(~np.array(shown))} of {np.size(shown)} points."
    floor = study.number("floor")
    if 0 < floor < min((values.min() for values in errors if len(values)), default=0) / 10:
        caption += f" Round-off floor: {measured(floor)}."
    return Picture(f"{study.path.stem}-errors", study_figure(study, quantities),
                   f"Log-log figure of the maximal errors over {over}: {ranges or 'no error is known'}.", caption)


def map_picture(study):
    """The Picture of the error of x over (δs, δt), with the contour lines of its joint fit; None without one."""
    fit = study.joint("x")
    shown = drawable_in_logarithm(study.ds, study.errors["x"]) & drawable_in_logarithm(study.dt, study.errors["x"])
    if fit is None or np.count_nonzero(shown) < 2:
        return None
    ds, dt, errors = study.ds[shown], study.dt[shown], study.errors["x"][shown]
    caption = f"The error of x over δs and δt at each level. Lines: the values of the joint fit |{fit.formula}|."
    if fit.cancels:
        caption += " Along the dashed line its two terms cancel."
    if not shown.all():
        caption += f" Not drawn, because P = ∞ or without an error: {np.sum(~shown)} of {study.levels} levels."
    levels = "; ".join(f"{measured(e)} at δs = {measured(s)}, δt = {measured(t)}" for s, t, e in zip(ds, dt, errors))
    return Picture(f"{study.path.stem}-map", map_figure(ds, dt, errors, fit),
                   f"Map of the error of x over δs and δt: {levels}.", caption)


def title(study):
    """What a study shows: the first sentence of its case file's comment; else its statement, step and method."""
    if sentence := first_sentence(study):
        return sentence
    tested = STATEMENTS.get(study.fit["statement"], "")
    named = f"{tested}: o" if tested.startswith(("Proposition", "(")) else "O"
    return f"{named}rder in {STEPS[study.refine]} of {method(study)}"


def method(study):
    """The scheme in t, the rule in s and the engine, as a list of words; the model's name where it has none."""
    return ", ".join(value for _, value in _data(study, METHOD)) or study.model


def _finding_row(study, finding):
    """(OrderResult, order, its interval, its parts, expectation, levels in the fit, constants): a row of the table."""
    q = finding.quantity
    parts = [measured(study.number(f"{name}_uncertainty_{q}"), 2) for name in ("statistical", "structural")]
    return (finding, finding.value, finding.interval, parts, finding.expectation(study.number("tolerance")),
            f"{study.fit[f'levels_{q}']} of {study.levels}", constant_cells(study, q))


def _data(study, keys):
    """The pairs (symbol, value) of the settings that the study has."""
    return [(symbol, short_value(study.settings[key])) for symbol, key in keys if study.settings.get(key)]


def _sizes(study):
    """The pairs (symbol, values) of P and N over the levels."""
    return [(name, listed((grouped if max(values) < 1e8 else count)(value) for value in dict.fromkeys(values)))
            for name, (values, _) in sizes(study).items() if name in "PN" and np.isfinite(values).all()]


def _statement(study):
    """The template's values for the statement that is tested: its name, what is beyond the papers, the least bound."""
    bound = study.number("bound")
    column = {"steps": ("P", study.level_cells), "cells": ("N", study.level_steps)}.get(study.refine)
    fixed = column and f"{column[0]} = {listed(count(n) for n in dict.fromkeys(column[1]) if np.isfinite(n))}"
    return {"name": study.fit["statement"], "beyond": study.fit["beyond"].split(), "continuum": study.cells == 0,
            "left_over": study.fit["left_over"], "fixed": fixed, "unmet": study.fit.get("unmet_hypotheses", ""),
            "bound": measured(bound, 3) if math.isfinite(bound) else None}


def _constants(study, quantities):
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
    words = f" (relative {measured(relative, 3)})" if math.isfinite(relative) else ""
    return f"{measured(study.number(f'gci_{name}'), 3)}, absolute{words}"
