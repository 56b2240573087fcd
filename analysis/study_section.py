"""One study as the page shows it: claim, problem and what is tested, levels, errors."""

import numpy as np

from claim import STEP, claim, expectation
from constants import constant_cells, constant_headings, constants, smallest_bound
from error_section import LABELS, error_picture, map_picture
from extrapolation import extrapolation
from fitted import is_fitted
from levels_table import levels_table, notes
from notation import EN_DASH, count, grouped, listed, measured, order, plus_minus
from proposition import at_infinitely_many_cells, beyond_the_papers, left_over, proposition
from results import QUANTITIES
from study_tables import study_tables

REFERENCES = {
    "finest": "one run at least 16 times finer in what is refined",
    "successive": "the next finer level (differences of successive levels)",
    "exact": "the exact solution (P = ∞, N = ∞)",
    "exact-time": "the solution exact in time at the same P",
    "cells-inf": "the solution with P = ∞ at the same N",
}
# What the configuration calls the data of the problem, in the order of the equations, and of the method.
DATA = (("m", "mass"), ("k₀", "k0"), ("k(s)", "stiffness"), ("η(s)", "threshold"), ("F(t)", "force"),
        ("x₀", "x0"), ("y₀", "y0"), ("u₀(s)", "initial-u"), ("T", "final-time"))
METHOD = (("rule in s", "rule"), ("scheme in t", "scheme"), ("engine", "engine"))
# Of these a model of its own name has no use.
ONLY_MASING = ("stiffness", "threshold", "initial-u", "rule", "scheme", "engine")


def study_section(study, number, alike=None):
    """The template's values for one Study, the `number`-th of the page; `alike`: the number of an earlier study of the
    same problem."""
    claimed = claim(study)
    columns = [q for q in QUANTITIES if study.errors[q] is not None]
    return {
        "id": f"study-{number}", "number": number, "file": study.run.path.name, "claim": claimed,
        "step": STEP[study.refine], "findings": _findings(study, claimed),
        "constant_headings": constant_headings(study), "proposition": _proposition(study),
        "constants": constants(study, [f for f in claimed.findings if f.quantity in columns]),
        "reference": _reference(study), "model": study.run.model, "alike": alike,
        "data": (_data(study, DATA) if alike is None else []) + _data(study, METHOD) + _sizes(study),
        "method": ", ".join(value for _, value in _data(study, METHOD)), "refined": STEP[study.refine],
        "columns": [LABELS[q] for q in columns], "levels": levels_table(study, columns),
        "notes": notes(study, columns), "extrapolation": extrapolation(study),
        "errors": error_picture(study, claimed.findings, columns), "map": map_picture(study),
        "tables": study_tables(study, claimed.findings, columns),
    }


def _data(study, keys):
    """The pairs (symbol, value) of the settings that the model has, then those of a [model] section."""
    settings, model = study.run.settings, study.run.model
    # What a model takes by its own name stands in its section.
    skipped = () if model == "masing" else (*ONLY_MASING, *(key[6:] for key in settings if key.startswith("model.")))
    pairs = [(symbol, settings[key]) for symbol, key in keys if settings.get(key) and key not in skipped]
    if keys is DATA:
        pairs += [(key[6:], value) for key, value in settings.items() if key.startswith("model.")]
    return pairs


def named(attributes):
    """Attributes as the rows (name, value) of a table: underscores become spaces, numbers keep six digits."""
    return [(name.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
            for name, value in attributes.items()]


def _findings(study, claimed):
    """The rows (Finding, order, what is behind it, expectation, levels in the fit, constants) of the first table."""
    tolerance = study.fit.get("tolerance")
    return [(f, order(f.observed), " (last pair)" if f.last_pair and np.isfinite(f.observed)
             else plus_minus(f.uncertainty), expectation(f.expected, tolerance), _levels_fitted(study, f.quantity),
             constant_cells(study, f.quantity))
            for f in claimed.findings]


def _levels_fitted(study, quantity):
    marks = study.marks[quantity]
    return f"{np.count_nonzero(is_fitted(study, quantity))} of {study.levels}" if marks is not None else EN_DASH


def _proposition(study):
    """What the template says of the statement that is tested: its name, what is beyond the papers, the least bound."""
    bound = smallest_bound(study)
    return {"name": proposition(study), "beyond": beyond_the_papers(study),
            "continuum": at_infinitely_many_cells(study),
            "left_over": left_over(study),
            "fixed": {"steps": f"P = {_one(study.cells)}", "cells": f"N = {_one(study.steps)}"}.get(study.refine),
            "bound": measured(bound, 3) if np.isfinite(bound) else None}


def _one(column):
    """The number of cells or steps that all levels share."""
    return listed(count(value) for value in dict.fromkeys(column) if np.isfinite(value))


def _sizes(study):
    sizes = (("P", study.cells), ("N", study.steps)) if study.run.model == "masing" else (("N", study.steps),)
    return [(symbol, listed(grouped(value) for value in dict.fromkeys(column)))
            for symbol, column in sizes if np.isfinite(column).all()]


def _reference(study):
    name = study.fit.get("reference")
    sizes = [f"{symbol} = {grouped(study.fit[key])}" for symbol, key in
             (("P", "reference_cells"), ("N", "reference_steps")) if isinstance(study.fit.get(key), (int, float))]
    words = REFERENCES.get(name, str(name)) if name else None
    return f"{words} ({', '.join(sizes)})" if words and sizes and name == "finest" else words
