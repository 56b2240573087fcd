"""Build the section of a page on one study."""

import math

import numpy as np

from masing.convergence import levels
from masing.convergence.claim import (QUANTITY_NAMES, STEPS, beyond, bound, findings, is_told_apart, ray,
                                      reference_text, remarks, statement)
from masing.convergence.figures import LABELS, abscissa, curves_of, drawn, fixed_ratio, study_figure
from masing.text import count, csv, listed, measured, minus, order, rounded_up, short_value
from masing.report.problem import first_sentence, prose, steps_in_words
from masing.report.pictures import Picture, Text
from masing.report.summary import PROVED, STATEMENTS
from masing.samples import drawable_in_logarithm

# The attributes of /fit with these names contain the two parts of the uncertainty of an order; {} stands for the name
# of the quantity.
PARTS = ("statistical_uncertainty_{}", "structural_uncertainty_{}")


def study_section(study, number, problem, is_first):
    """Return the template's values for the section on a Study, which is the `number`-th study on the page.

    `problem` is its Problem, which this section shows only if `is_first` is true.
    """
    found, quantities = findings(study), levels.quantities_to_show(study)
    shown = [finding for finding in found if finding.expected or finding.quantity in quantities]
    return {
        "id": f"study-{number}", "number": number, "title": title(study), "run": study, "verdict": study.verdict,
        "remarks": remarks(study),
        "about": prose(steps_in_words(study.comment.partition(". ")[2].strip())),
        "refined": STEPS[study.refine],
        # The table of orders has the parts of the uncertainty of each, and the number of levels in its fit.
        "findings": [(f, [measured(study.number(name)) for part in PARTS
                          if (name := part.format(f.quantity)) in study.fit],
                      f.expectation(study.number("tolerance")),
                      f"{study.fit[f'levels_{f.quantity}']} of {len(study.ds)}",
                      levels.constant_cells(study, f.quantity)) for f in shown],
        "least": study.fit.get("least_uncertainty"),
        "constant_headings": levels.constant_headings(study),
        "statement": _statement(study), "tests": STATEMENTS[statement(study)],
        "unmet": study.fit.get("unmet_hypotheses", ""),
        "constants": _constants(study, [f.quantity for f in found if f.quantity in quantities]),
        "problem": problem, "shows_problem": is_first, "sizes": list(levels.sizes(study)),
        "data": _method(study), "against": reference_text(study),
        "error_headings": [heading for q in quantities for heading in (f"error of {LABELS[q]}", "order")],
        "levels": levels.level_rows(study, quantities),
        "notes": levels.sign_notes(study, quantities), "is_successive": study.reference == "successive",
        "extrapolation": _extrapolation(study),
        "asks_more": statement(study) in PROVED and any(f.expected and not f.at_least for f in found),
        "errors": error_picture(study, quantities),
        "tables": _tables(study, found),
    }


def _confidence(study):
    """Return the confidence of a study's intervals as text: 95 %, or more in files of 2.0 made with --looks."""
    return f"{100 * study.fit.get('confidence', 0.95):.3g} %"


def _tables(study, found):
    """Return two Texts with tables, of the levels of a study and of its orders and constants."""
    tables = {"levels": study.levels, "orders": levels.orders_table(study, found)}
    return [Text(f"{study.path.stem}-{name}", {"csv": csv(table, "nan")}) for name, table in tables.items()]


def error_picture(study, quantities):
    """Return the Picture of the errors of the quantities over the refined step."""
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
    figure = study_figure(study, quantities)
    if at_ratio := fixed_ratio(study):
        caption += f" Below: over δs, at δs/δt = {measured(at_ratio[0], 3)}."
    elif len(figure.axes) > 1:
        caption += " Below: the same, divided by the step to the power of the expected order."
    return Picture(f"{study.path.stem}-errors", figure,
                   f"Log-log figure of the maximal errors over {over}: {ranges or 'no error is known'}.", caption)


def title(study):
    """Return the title of a study: the first sentence of its case file, or else the step and the method."""
    words = ", ".join(value for _, value in _method(study)) or study.model
    return first_sentence(study) or f"Order in {STEPS[study.refine]} of {words}"


def _method(study):
    """Return (name, value) for the rule, the scheme and the engine of a study, as far as it has them."""
    names = {"rule in s": "rule", "scheme in t": "scheme", "engine": "engine"}
    return [(name, short_value(study.settings[key])) for name, key in names.items() if study.settings.get(key)]


def _statement(study):
    """Return the template's values for the statement that a study tests."""
    constant = bound(study)
    column = {"steps": ("P", study.level_cells), "cells": ("N", study.level_steps)}.get(study.refine)
    fixed = column and f"{column[0]} = {listed(count(n) for n in dict.fromkeys(column[1]) if np.isfinite(n))}"
    return {"name": statement(study), "beyond": beyond(study),
            "continuum": study.attributes("series").get("cells") == 0,
            "left_over": study.fit["left_over"], "fixed": fixed,
            "bound": measured(rounded_up(constant, 3), 3) if math.isfinite(constant) else None,
            "shares_time": statement(study) == "3.1" and study.engine != "exact"}


def _constants(study, quantities):
    """Return the formula of the error that defines the constants in the table, or None, and remarks on them."""
    joint = {q: fit for q in quantities if (fit := study.joint(q))}
    form, sentences = None, []
    with_intervals = f" with {_confidence(study)} intervals" * levels.has_intervals(study)
    if joint:
        low, high = min(fit.least_ratio for fit in joint.values()), max(fit.largest_ratio for fit in joint.values())
        form = " or ".join(dict.fromkeys(fit.formula for fit in joint.values())) + with_intervals + " (scatter alone)"
        form += f", for δs/δt from {low:.3g} to {high:.3g}" if math.isfinite(low + high) else ""
    elif any(math.isfinite(study.number(f"constant_{q}")) for q in quantities):
        step = {"both": "(δs + δt)", "elements": "δt"}.get(study.refine, STEPS[study.refine])
        form = {"finest": f"C ({step}ᵖ − that of the reference)",
                "successive": f"C ({step}ᵖ − that of the next level)"}.get(study.reference, f"C {step}ᵖ")
        form += " exp(D z)" + with_intervals
    opposed = [QUANTITY_NAMES[q] for q, fit in joint.items() if fit.cancels]
    if opposed:
        sentences.append(f"Constants of opposite signs ({listed(opposed)}): errors in space and in time partly cancel; "
                         "refining one alone can enlarge the error.")
    if study.refine == "both" and not is_told_apart(study) and ray(study) is None:
        sentences.append("The levels cannot tell the two constants C₁ (of δs) and C₂ (of δt) apart: fewer than three "
                         "have an error.")
    return form, sentences


def _extrapolation(study):
    """Return a sentence on x(T) and on y(T) extrapolated to step zero, as far as the study has them."""
    sentences = []
    for name in (name for name in ("x", "y") if f"richardson_{name}" in study.fit):
        limit, observed, index, relative = (study.number(f"{key}_{name}") for key in (
            "richardson", "richardson_order", "gci", "gci_relative"))
        if math.isnan(limit):
            sentences.append(f"No extrapolation of {name}(T): the values are too few, or do not approach a limit.")
            continue
        part = f" (relative {measured(relative, 3)})" if math.isfinite(relative) else ""
        sentences.append(f"{name}(T) extrapolated to step zero by least squares over all levels: "
                         f"{minus(format(limit, '.10g'))}, observed order {order(observed)}. Bound of the error of the "
                         "last level, by the grid convergence index of Eça and Hoekstra (2014): "
                         f"{measured(index, 3)}, absolute{part}.")
    return sentences
