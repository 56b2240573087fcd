"""The figures of a study's errors: over the refined step, and over the plane (δs, δt)."""

from collections import namedtuple

import numpy as np
from matplotlib.colors import LogNorm

from masing import style
from masing.convergence.claim import QUANTITY_NAMES, Mark, findings
from masing.notation import measured
from masing.samples import drawable_in_logarithm
from masing.style import label_decades

LABELS = QUANTITY_NAMES | {"u_cells": "u, cells’ points"}
PLAIN_STEPS = {"steps": ("step δt", "δt"), "cells": ("cell width δs", "δs"), "both": ("δs + δt", "δs + δt")}
RESOLUTION = 400
# The markers of more levels are smaller.
MANY = 8
# The axes of a map extend beyond the levels by the first factors, its lines beyond their ratios by the second.
MARGIN, WIDER = (2.5, 1.7), 1.15

# The errors [levels] of one quantity, which of them are fitted, what the fit predicts (NaN: nothing), and its steps.
Curve = namedtuple("Curve", "label errors fitted predicted steps")


def drawn(study, quantities):
    """What is drawn, {quantity: the expected order or None}: u at the cells' points only if its order is judged."""
    wanted = {f.quantity: f.expected_order for f in findings(study) if f.expected}
    return {q: wanted.get(q) for q in quantities if q != "u_cells" or q in wanted}


def curves_of(study, quantities):
    """The Curves of the quantities of a Study."""
    steps = study.order_steps if abscissa(study)[2] else dict.fromkeys(quantities, study.step)
    return [Curve(LABELS[q], study.errors[q], study.marks[q] == Mark.FITTED, study.fitted_errors[q], steps[q])
            for q in quantities]


def study_figure(study, quantities):
    """The errors of the quantities of a Study over its refined step, or each over its own of the joint fit."""
    orders = drawn(study, quantities)
    curves, (label, _, own_steps) = curves_of(study, orders), abscissa(study)
    if own_steps:
        orders = {q: study.joint(q).power for q in orders}
    slopes = {n: [curve for curve, order in zip(curves, orders.values()) if order == n] if own_steps else curves
              for n in sorted({n for n in orders.values() if n is not None})}
    return error_figure(curves, slopes, label, study.number("floor"))


def abscissa(study):
    """The label of the axis below errors, its name, and whether it has each quantity's own steps of the joint fit."""
    if study.fit["step_x"] != "joint":
        return *PLAIN_STEPS[study.refine], False
    powers = {study.joint(q).power for q in drawn(study, study.quantities)}
    label = "|C₁ δs + C₂ δt|" if powers == {1} else "h, hᵖ = |C₁ δsᵖ + C₂ δtᵖ|"
    power = "p = 1" if powers == {1} else "the promised p"
    return label, f"{label}, with the constants of each, fitted at {power}: the slope is half assumed", True


def error_figure(curves, slopes, label, floor=0.0):
    """The errors of the curves [Curve, ...] over their steps, called `label`, in log-log axes: fitted points filled,
    others hollow, lines fitted over their range.

    slopes: {order: the Curves below which its triangle is drawn}; floor: that of round-off, drawn where it is in sight.
    Points that a logarithm cannot show (zero, NaN) are left out.
    """
    figure, axes = style.frame(1, 1.15, xscale="log", yscale="log")
    for n, curve in enumerate(curves):
        _draw_curve(axes, curve, n)
    axes.margins(y=0.1)
    points = [_points(curve.steps, curve.errors) for curve in curves]
    for place, (order, above) in enumerate(slopes.items()):
        style.draw_triangle(axes, [_points(curve.steps, curve.errors) for curve in above], order, place)
    low, high = axes.get_ylim()
    if low <= floor <= high:
        axes.axhline(floor, color=style.GREY, linewidth=0.8, linestyle=(0, (6, 2)))
        axes.annotate("round-off floor", (1, floor), (-2, 2), xycoords=("axes fraction", "data"),
                      textcoords="offset points", ha="right", va="bottom", color=style.GREY, fontsize=10)
    label_decades(axes.xaxis, axes.yaxis)
    axes.set(xlabel=label, ylabel="maximal error")
    if any(len(h) for h, _ in points):
        style.legend_above(axes, 4)
    else:
        axes.text(0.5, 0.5, "no error can be drawn", transform=axes.transAxes, ha="center")
    return figure


def _draw_curve(axes, curve, n):
    colour, marker = style.COLOURS[n], style.MARKERS[n]
    width = (8.5 - 1.2 * n) * min(1, MANY / len(curve.errors)) ** 0.5
    h, line = _points(curve.steps, np.where(curve.fitted, curve.predicted, np.nan))
    if len(h) > 1:
        axes.plot(h, line, linestyle=style.LINES[n], color=colour, linewidth=1.2)
    else:
        # Without a fit a pale line joins the points.
        axes.plot(*_points(curve.steps, curve.errors), color=colour, linewidth=0.7, alpha=0.5)
    for chosen, face in ((curve.fitted, colour), (~curve.fitted, "white")):
        axes.plot(*_points(curve.steps, np.where(chosen, curve.errors, np.nan)), marker, color=colour,
                  markerfacecolor=face, markersize=width, markeredgewidth=1.4)
    # The legend's sample is the same whether points are filled or not.
    axes.plot([], [], marker=marker, linestyle=style.LINES[n], color=colour, markersize=width, label=curve.label)


def _points(steps, errors):
    """The points that can be drawn, by rising steps."""
    keep = drawable_in_logarithm(steps, errors)
    order = np.argsort(steps[keep])
    return steps[keep][order], errors[keep][order]


def map_figure(ds, dt, errors, fit):
    """Log-log map of errors at (δs, δt), each [levels], with contours of their Joint fit between the levels' δs/δt."""
    figure = style.figure(1, 1.15)
    limits = [(values.min() / margin, values.max() * margin) for values, margin in zip((ds, dt), MARGIN)]
    axes = figure.add_subplot(xscale="log", yscale="log", xlim=limits[0], ylim=limits[1])
    spread = LogNorm(errors.min() / 1.001, errors.max() * 1.001)
    _draw_contours(axes, ds, dt, errors, fit, spread)
    axes.scatter(ds, dt, c=errors, norm=spread, cmap=style.SEQUENCE, s=50, edgecolors="black", linewidths=0.8, zorder=3,
                 label="error of x")
    # The lines are between the ratios: the labels of both outermost ones are beside them.
    middle = np.sqrt((ds / dt).min() * (ds / dt).max())
    for place in zip(ds, dt, errors):
        below = place[0] / place[1] > middle
        axes.annotate(measured(place[2]), place[:2], (7, -4) if below else (-7, 4), textcoords="offset points",
                      ha="left" if below else "right", va="top" if below else "bottom", fontsize=10, zorder=4)
    label_decades(axes.xaxis, axes.yaxis)
    axes.grid(False, which="both")
    axes.set(xlabel="cell width δs", ylabel="step δt")
    return figure


def _draw_contours(axes, ds, dt, errors, fit, spread):
    at = np.meshgrid(*(np.geomspace(*limits, RESOLUTION) for limits in (axes.get_xlim(), axes.get_ylim())))
    # Beyond the levels' ratios, and a little for those on the edge, other constants hold.
    known = (at[0] / at[1] >= (ds / dt).min() / WIDER) & (at[0] / at[1] <= (ds / dt).max() * WIDER)
    values = fit.at(*at)
    levels = [error for error in np.unique(errors) if values[known].min() < error < values[known].max()]
    if levels:
        axes.contour(*at, np.where(known, values, np.nan), levels, norm=spread, cmap=style.SEQUENCE, linewidths=1.2)
