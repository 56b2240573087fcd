"""The pictures of a study's errors: over the refined step, and over the plane (δs, δt)."""

import numpy as np

from claim import NAMES, STEP, exponent
from error_figure import Curve, error_figure
from error_map import error_map
from fitted import is_fitted, joint, number, plain_step, predicted, steps_of_joint
from log_axes import visible
from notation import listed, measured, within
from picture import Picture

LABELS = {"x": "x", "y": "y", "u": "u", "u_cells": "u, cells’ points"}
AXES = {"steps": "step δt", "cells": "cell width δs", "both": "δs + δt"}


def _combined_step(found):
    """The step of a joint fit in letters: its root where the power is not one."""
    return f"|{found.formula}|" if found.power == 1 else f"h, hᵖ = {found.formula}, p = {found.power:g},"


def error_picture(study, findings, columns):
    """The Picture of the errors of the quantities `columns`; u at the cells only if judged."""
    wanted = {f.quantity: exponent(f.expected) for f in findings if f.expected}
    drawn = [q for q in columns if q != "u_cells" or q in wanted]
    slopes = sorted({wanted[q] for q in drawn if wanted.get(q)})
    combined = steps_of_joint(study, "x")
    abscissa = plain_step(study) if combined is None else combined
    curves = [Curve(LABELS[q], study.errors[q], is_fitted(study, q), predicted(study, q)) for q in drawn]
    label = AXES[study.refine] if combined is None else f"{_combined_step(joint(study, 'x'))} of x"
    floor = number(study, "floor")
    figure = error_figure(abscissa, curves, slopes, label, floor)
    over = STEP[study.refine] if combined is None else f"{_combined_step(joint(study, 'x'))} with the constants of x"
    ranges = "; ".join(f"{curve.label} from {curve.errors[shown].min():.2e} to {curve.errors[shown].max():.2e}"
                       for curve in curves if (shown := visible(abscissa, curve.errors)).any())
    caption = _caption(abscissa, curves, slopes, f"{listed(NAMES[q] for q in drawn)} over {over}")
    lowest = min((c.errors[v].min() for c in curves if (v := visible(abscissa, c.errors)).any()), default=0)
    if 0 < floor < lowest / 10:
        caption += f" The round-off floor, {measured(floor)}, is far below."
    if combined is not None and any(np.isfinite(curve.predicted).any() for curve in curves[1:]):
        caption += " The other quantities’ lines bend a little: their constants are not those of x."
    return Picture(f"{study.run.path.stem}-errors", figure,
                   f"Log-log figure of the maximal errors over {over}: {ranges or 'no error is known'}.", caption)


def map_picture(study):
    """The Picture of the error of x over (δs, δt); None without a joint fit, which gives its lines."""
    found = joint(study, "x")
    shown = visible(study.ds, study.errors["x"]) & visible(study.dt, study.errors["x"])
    if found is None or np.count_nonzero(shown) < 2:
        return None
    ds, dt, errors = study.ds[shown], study.dt[shown], study.errors["x"][shown]
    caption = ("The error of x over δs and δt, both logarithmic, as measured at each level. "
               f"Lines: where the joint fit |{found.formula}| has the value written on them, "
               f"C₁ = {within(found.space, found.space_uncertainty)} and "
               f"C₂ = {within(found.time, found.time_uncertainty)}.")
    if found.cancels:
        caption += " Along the dashed line the fitted errors in space and in time cancel."
    if not shown.all():
        caption += f" Not drawn, because P = ∞ or without an error: {np.sum(~shown)} of {study.levels} levels."
    levels = "; ".join(f"{measured(e)} at δs = {measured(s)}, δt = {measured(t)}" for s, t, e in zip(ds, dt, errors))
    return Picture(f"{study.run.path.stem}-map", error_map(ds, dt, errors, found),
                   f"Map of the error of x over δs and δt: {levels}.", caption)


def _caption(abscissa, curves, slopes, what):
    caption = f"Maximal errors of {what}."
    shown = np.array([visible(abscissa, curve.errors) for curve in curves])
    left_out = any((drawn & ~curve.fitted).any() for curve, drawn in zip(curves, shown))
    if left_out:
        caption += " Filled points are in the fit, hollow ones are left out of it."
    fits = [np.isfinite(curve.predicted).any() for curve in curves]
    if any(fits):
        caption += " Lines: the fits, over the levels in them."
    if not all(fits):
        caption += " Pale lines only join the points of an order without a fit."
    if slopes and (shown.sum(axis=1) > 1).any():
        triangles = "triangles have the expected slopes" if len(slopes) > 1 else "triangle has the expected slope"
        caption += f" The {triangles} {listed(f'{slope:g}' for slope in slopes)}."
    if not shown.all():
        caption += f" Not drawn, because zero or not a number: {np.sum(~shown)} of {shown.size} points."
    return caption
