"""Build the sections of a page on its studies, and their verdicts and their table on the first screen."""

import math
import re
from collections import Counter

import numpy as np

from masing.convergence import levels
from masing.convergence.claim import (QUANTITY_NAMES, STEPS, bound, findings, is_told_apart, ray, reference_text,
                                      remarks, statement)
from masing.convergence.figures import (LABELS, abscissa, curves_of, drawable_in_logarithm, drawn, fixed_ratio,
                                        study_figure)
from masing.text import EN_DASH, count, csv, grouped, listed, measured, minus, order, rounded_up, short_value
from masing.report.pictures import Picture, Text

# The attributes of /fit with the two parts of the uncertainty of an order; {} stands for the name of the quantity.
PARTS = ("statistical_uncertainty_{}", "structural_uncertainty_{}")
# {what statement() returns: short name on the page}.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "scheme’s order", "beyond": "no proposition"}
# The quantities of each column of orders in the table of studies; _order_cell() says which of them is shown.
COLUMNS = (("x",), ("y",), ("u", "u_cells"), ("x_rms",), ("y_rms",))


def study_section(study, number, problem):
    """Return the template's values for the section on a Study of a Problem, the `number`-th study on the page."""
    found = findings(study)
    # Errors of u at the cells' points are shown only if an order of them is expected.
    quantities = [q for q in study.quantities if q != "u_cells" or study.fit.get("expected_u_cells")]
    shown = [finding for finding in found if finding.expected or finding.quantity in quantities]
    method = {"rule in s": "rule", "scheme in t": "scheme", "engine": "engine"}
    method = [(name, short_value(study.settings[key])) for name, key in method.items() if study.settings.get(key)]
    title = f"Order in {STEPS[study.refine]} of {', '.join(value for _, value in method) or study.model}"
    # The steps are written ds and dt in the comments of case files.
    first, _, about = re.sub(r"\bd([st])\b", r"δ\1", study.comment).partition(". ")
    law, notes = _constants(study, [f.quantity for f in shown])
    return {
        "id": f"study-{number}", "number": number, "title": first.strip().rstrip(".") or title, "run": study,
        "verdict": study.verdict, "remarks": remarks(study), "problem": problem, "method": method,
        "about": about.strip(),
        "findings": [(f, "; ".join(measured(study.number(name)) for part in PARTS
                                   if (name := part.format(f.quantity)) in study.fit),
                      f.expectation(study.number("tolerance")),
                      f"{study.fit[f'levels_{f.quantity}']} of {len(study.ds)}",
                      levels.constant_cells(study, f.quantity)) for f in shown],
        "constant_headings": list(levels.constant_names(study)), "law": law, "law_notes": notes,
        "statement": _statement(study), "tests": STATEMENTS[statement(study)],
        "unmet": study.fit.get("unmet_hypotheses", ""), "against": reference_text(study),
        "level_headings": [*levels.sizes(study), *(heading for q in quantities
                                                   for heading in (f"error of {LABELS[q]}", "order"))],
        "levels": levels.level_rows(study, quantities), "level_notes": levels.sign_notes(study, quantities),
        "extrapolation": _extrapolation(study), "errors": error_picture(study, quantities),
        "levels_csv": Text(f"{study.path.stem}-levels", {"csv": csv(study.levels, "nan")})}


def error_picture(study, quantities):
    """Return the Picture of the errors of the quantities over the refined step."""
    quantities = drawn(study, quantities)
    curves = curves_of(study, quantities)
    shown = np.array([drawable_in_logarithm(curve.steps, curve.errors) for curve in curves])
    caption = f"Maximal errors of {listed(QUANTITY_NAMES[q] for q in quantities)} over {abscissa(study)[1]}."
    if not all(np.isfinite(curve.predicted).any() for curve in curves):
        caption += " Pale lines join the points of an order without a fit."
    if not np.all(shown):
        caption += f" Not drawn, because zero or not a number: {np.sum(~shown)} of {np.size(shown)} points."
    figure = study_figure(study, quantities)
    if at_ratio := fixed_ratio(study):
        caption += f" Below: over δs, at δs/δt = {measured(at_ratio[0], 3)}."
    elif len(figure.axes) > 1:
        caption += " Below: the same, divided by the step to the power of the expected order."
    return Picture(f"{study.path.stem}-errors", figure, caption)


def _statement(study):
    """Return the template's values for the statement that a study tests."""
    constant = bound(study)
    column = {"steps": ("P", study["cells"]), "cells": ("N", study["steps"])}.get(study.refine)
    fixed = column and f"{column[0]} = {listed(count(n) for n in dict.fromkeys(column[1]) if np.isfinite(n))}"
    return {"name": statement(study), "continuum": study.attributes("series").get("cells") == 0,
            "left_over": study.fit["left_over"], "fixed": fixed,
            "bound": measured(rounded_up(constant, 3), 3) if math.isfinite(constant) else None,
            "shares_time": statement(study) == "3.1" and study.engine != "exact"}


def _constants(study, quantities):
    """Return the formula of the error that defines the constants in the table, or None, and remarks on them."""
    joint = {q: fit for q in quantities if (fit := study.joint(q))}
    form, sentences = None, []
    if joint:
        low, high = min(fit.least_ratio for fit in joint.values()), max(fit.largest_ratio for fit in joint.values())
        form = " or ".join(dict.fromkeys(fit.formula for fit in joint.values()))
        form += f", for δs/δt from {low:.3g} to {high:.3g}" if math.isfinite(low + high) else ""
    elif any(math.isfinite(study.number(f"constant_{q}")) for q in quantities):
        step = {"both": "(δs + δt)", "elements": "δt"}.get(study.refine, STEPS[study.refine])
        form = {"finest": f"C ({step}ᵖ − that of the reference)",
                "successive": f"C ({step}ᵖ − that of the next level)"}.get(study.reference, f"C {step}ᵖ")
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
        limit, observed, index = (study.number(f"{key}_{name}") for key in ("richardson", "richardson_order", "gci"))
        if math.isnan(limit):
            sentences.append(f"No extrapolation of {name}(T): the values are too few, or do not approach a limit.")
        else:
            sentences.append(f"{name}(T) extrapolated to step zero by least squares over all levels: "
                             f"{minus(format(limit, '.10g'))}, observed order {order(observed)}. Bound of the error of "
                             "the last level, by the grid convergence index of Eça and Hoekstra (2014): "
                             f"{measured(index, 3)}.")
    return sentences


def badges(studies, reproductions):
    """Return pairs (words, verdict that gives their colour) on the studies and on the Reproductions of all files."""
    total = f"of {len(studies)} stud{'y' if len(studies) == 1 else 'ies'}"
    found = [(f"{number} {total} {verdict}", verdict)
             for verdict, number in Counter(study.verdict for study in studies).items()]
    if outside := sum(bool(study.fit.get("unmet_hypotheses")) for study in studies):
        found.append((f"{outside} outside the hypotheses of the propositions", "outside"))
    files = f"of {len(reproductions)} file{'s' * (len(reproductions) > 1)}"
    if faults := sum(bool(each.seal_fault) for each in reproductions):
        found.append((f"{faults} {files} without a seal that holds", "not as expected"))
    same = [each.same for each in reproductions]
    if None not in same:
        found.append((f"{sum(same)} {files} reproduced bit for bit", "as expected" if all(same) else "not as expected"))
    return found


def study_rows(sections):
    """Return the headings of the columns of orders in the table of studies, and the rows of this table.

    Only quantities that a study measures have a column. A row contains the values of the study's section, texts with n,
    P and N, the engine ("" for the engine sweep), and the entries of the orders.
    """
    studies = [section["run"] for section in sections]
    columns = [names for names in COLUMNS if any(not set(names).isdisjoint(study.quantities) for study in studies)]
    rows = []
    for section, study in zip(sections, studies):
        found = {f.quantity: f for f in findings(study) if f.quantity in study.quantities or f.expected}
        counts = [_range(name, values) for name, (values, _) in levels.sizes(study).items() if name in ("n", "P", "N")]
        engine = study.engine if study.engine != "sweep" else ""
        rows.append((section, counts, engine, [_order_cell(found, names) for names in columns]))
    return [QUANTITY_NAMES[names[0]] for names in columns], rows


def _order_cell(found, names):
    """Return the table entry of an order, (order with all digits, text, remark), from {quantity: OrderResult}.

    The entry is about the first of the quantities `names` for which an order was expected, or else about the first.
    """
    f = next((found[name] for name in names if name in found and found[name].expected), found.get(names[0]))
    if f is None:
        return repr(math.nan), EN_DASH, ""
    behind = "at the cells’ points" * (f.quantity == "u_cells") if f.expected else "not judged"
    return repr(f.observed), f.observation, behind


def _range(name, values):
    """Return the values of P or N as text, such as `P = 100` for equal values and `P 100…800` for different ones."""
    known = [value for value in dict.fromkeys(values) if math.isfinite(value)]
    words = [(grouped if 0 < value < 1e5 else count)(value) for value in known]
    return f"{name} {words[0]}…{words[-1]}" if len(words) > 1 else f"{name} = {''.join(words) or EN_DASH}"
