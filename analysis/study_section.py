"""One study as the page shows it: claim, data, table of levels, error figure, finest cycle, origin."""

import numpy as np

import figures
import style
from claim import STEP, claim, expectation, exponent
from cycle_section import finest_cycle
from notation import EN_DASH, grouped, listed, order, scientific
from results import QUANTITIES

LABELS = {"x": "x", "y": "y", "u": "u", "u_cells": "u, cells’ points"}
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
    tolerance = study.fit.get("tolerance")
    settings = study.run.settings
    columns = [q for q in QUANTITIES if study.errors[q] is not None]
    return {
        "id": f"study-{number}", "file": study.run.path.name, "claim": claimed, "step": STEP[study.refine],
        "findings": [(f, order(f.observed), _uncertainty(study, f.quantity), expectation(f.expected, tolerance))
                     for f in claimed.findings],
        "reference": _reference(study), "masing": settings.get("model", "masing") == "masing",
        "model": settings.get("model", "masing"),
        "data": [(symbol, settings[key]) for symbol, key in DATA if key in settings] + _sizes(study),
        "columns": [LABELS[q] for q in columns], "levels": _levels(study, columns), "notes": _notes(study, columns),
        "timed": study.seconds is not None, "errors": _error_picture(study, claimed, columns),
        "cycle": finest_cycle(study, *window), "configuration": study.run.configuration,
        "provenance": named(study.run.provenance), "timing": named(study.run.timing),
    }


def named(attributes):
    """Attributes as the rows (name, value) of a table: underscores become spaces, numbers keep six digits."""
    return [(name.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
            for name, value in attributes.items()]


def _uncertainty(study, quantity):
    """The fit's uncertainty of an order, ` ± 0.019`; empty where the order is not from a fit or the file has none."""
    width = study.fit.get(f"order_uncertainty_{quantity}")
    return f" ± {width:.3f}" if isinstance(width, float) and np.isfinite(width) else ""


def _sizes(study):
    return [(symbol, listed(grouped(value) for value in dict.fromkeys(column)))
            for symbol, column in (("P", study.cells), ("N", study.steps)) if np.isfinite(column).all()]


def _reference(study):
    name = study.fit.get("reference")
    sizes = [f"{symbol} = {grouped(study.fit[key])}" for symbol, key in
             (("P", "reference_cells"), ("N", "reference_steps")) if isinstance(study.fit.get(key), (int, float))]
    words = REFERENCES.get(name, str(name)) if name else None
    return f"{words} ({', '.join(sizes)})" if words and sizes and name == "finest" else words


def _levels(study, columns):
    def cell(value, shown):
        return (repr(float(value)), shown(value))

    rows = []
    for n in range(study.levels):
        row = [cell(study.cells[n], grouped), cell(study.steps[n], grouped),
               cell(study.ds[n], scientific), cell(study.dt[n], scientific)]
        for q in columns:
            observed = np.nan if study.orders[q] is None else study.orders[q][n]
            row += [cell(study.errors[q][n], scientific), cell(observed, order)]
        rows.append(row + ([cell(study.seconds[n], lambda s: f"{s:.3g}")] if study.seconds is not None else []))
    return rows


def _notes(study, columns):
    """Why the table has en dashes."""
    errors = np.array([study.errors[q] for q in columns])
    missing = np.isnan([study.orders[q] for q in columns if study.orders[q] is not None])
    notes = []
    if missing.any() or any(study.orders[q] is None for q in columns):
        notes.append(f"{EN_DASH} in a column “order”: undefined. An order compares a level with the one before it: "
                     "the first level has none, nor has a level whose error, or the one before, is zero or no number.")
    if np.isnan(errors).any():
        why = (" The last level has no finer one to differ from." if study.fit.get("reference") == "successive" else "")
        notes.append(f"{EN_DASH} in a column “error”: the file has no number there.{why}")
    return notes


def _error_picture(study, claimed, columns):
    wanted = {f.quantity: exponent(f.expected) for f in claimed.findings if f.expected}
    drawn = [q for q in columns if q != "u_cells" or q in wanted]
    slopes = sorted({wanted[q] for q in drawn if wanted.get(q)})
    abscissa = {"steps": study.dt, "cells": study.ds, "both": study.ds + study.dt}[study.refine]
    errors = {LABELS[q]: study.errors[q] for q in drawn}
    visible = np.array([figures.visible(abscissa, values) for values in errors.values()])
    caption = f"Maximal errors of {listed(errors)} over {STEP[study.refine]}, as measured."
    if slopes and (visible.sum(axis=1) > 1).any():
        triangles = "triangles have the expected slopes" if len(slopes) > 1 else "triangle has the expected slope"
        caption += f" The {triangles} {listed(f'{slope:g}' for slope in slopes)}."
    if not visible.all():
        caption += f" Not drawn, because zero or not a number: {np.sum(~visible)} of {visible.size} points."
    ranges = "; ".join(f"{name} from {values[shown].min():.2e} to {values[shown].max():.2e}"
                       for (name, values), shown in zip(errors.items(), visible) if shown.any())
    return {"src": style.data_uri(figures.error_figure(abscissa, errors, slopes, study.refine)), "caption": caption,
            "alt": f"Log-log figure of the maximal errors over {STEP[study.refine]}: {ranges or 'no error is known'}."}
