"""One study as the page shows it: claim, proposition, data, levels, errors, finest cycle, origin."""

import numpy as np

from claim import STEP, claim, expectation
from constants import constant_cells, constant_headings, constants, smallest_bound
from cycle_section import finest_cycle
from error_section import LABELS, error_picture, map_picture
from extrapolation import extrapolation
from fitted import is_fitted
from levels_table import levels_table, notes, times_table
from notation import EN_DASH, count, grouped, listed, measured, order, plus_minus
from proposition import at_infinitely_many_cells, beyond_the_papers, proposition
from results import QUANTITIES

REFERENCES = {
    "finest": "one run at least 16 times finer in what is refined",
    "successive": "the next finer level (differences of successive levels)",
    "exact": "the exact solution (P = ∞, N = ∞)",
    "exact-time": "the solution exact in time at the same P",
    "cells-inf": "the solution with P = ∞ at the same N",
}
# What the configuration calls the data of the problem, in the order of the equations.
DATA = (("m", "mass"), ("k₀", "k0"), ("k(s)", "stiffness"), ("η(s)", "threshold"), ("F(t)", "force"),
        ("x₀", "x0"), ("y₀", "y0"), ("u₀(s)", "initial-u"), ("T", "final-time"),
        ("rule in s", "rule"), ("scheme in t", "scheme"), ("engine", "engine"))


def study_section(study, number, window=(None, None)):
    """The template's values for one Study, the `number`-th of the page."""
    claimed = claim(study)
    settings = study.run.settings
    columns = [q for q in QUANTITIES if study.errors[q] is not None]
    return {
        "id": f"study-{number}", "file": study.run.path.name, "claim": claimed, "step": STEP[study.refine],
        "findings": _findings(study, claimed), "constant_headings": constant_headings(study),
        "proposition": _proposition(study),
        "constants": constants(study, [f for f in claimed.findings if f.quantity in columns]),
        "reference": _reference(study), "model": settings.get("model", "masing"),
        "data": [(symbol, settings[key]) for symbol, key in DATA if key in settings] + _sizes(study),
        "columns": [LABELS[q] for q in columns], "levels": levels_table(study, columns),
        "notes": notes(study, columns), "extrapolation": extrapolation(study), "times": times_table(study),
        "errors": error_picture(study, claimed.findings, columns), "map": map_picture(study),
        "cycle": finest_cycle(study, *window), "configuration": study.run.configuration,
        "provenance": named(study.run.provenance), "timing": named(study.run.timing),
    }


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
            "fixed": {"steps": f"P = {_one(study.cells)}", "cells": f"N = {_one(study.steps)}"}.get(study.refine),
            "bound": measured(bound, 3) if np.isfinite(bound) else None}


def _one(column):
    """The number of cells or steps that all levels share."""
    return listed(count(value) for value in dict.fromkeys(column) if np.isfinite(value))


def _sizes(study):
    return [(symbol, listed(grouped(value) for value in dict.fromkeys(column)))
            for symbol, column in (("P", study.cells), ("N", study.steps)) if np.isfinite(column).all()]


def _reference(study):
    name = study.fit.get("reference")
    sizes = [f"{symbol} = {grouped(study.fit[key])}" for symbol, key in
             (("P", "reference_cells"), ("N", "reference_steps")) if isinstance(study.fit.get(key), (int, float))]
    words = REFERENCES.get(name, str(name)) if name else None
    return f"{words} ({', '.join(sizes)})" if words and sizes and name == "finest" else words
