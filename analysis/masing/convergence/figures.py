"""Functions that draw the errors of a study over the refined step."""

from collections import namedtuple

import numpy as np

from masing import style
from masing.convergence.claim import QUANTITY_NAMES, Mark, findings
from masing.text import measured
from masing.samples import drawable_in_logarithm
from masing.style import label_decades

LABELS = QUANTITY_NAMES | {"u_cells": "u, cells’ points", "x_rms": "x, rms", "y_rms": "y, rms"}
PLAIN_STEPS = {"steps": ("step δt", "δt"), "cells": ("cell width δs", "δs"), "both": ("δs + δt", "δs + δt")}
# If there are more levels than this, the markers are smaller.
MANY = 8
# The sizes of the markers and the widths of the lines of the curves in a figure. Those of a later curve are smaller, so
# that all curves which coincide are visible.
SIZES, WIDTHS = (11.0, 8.5, 5.5, 3.0), (2.4, 2.4, 1.2, 1.0)
# In a figure whose errors range over more than this factor, curves that differ by less than a factor of two coincide.
# The fitted errors, divided by the step to the expected order, are then also drawn in a frame below, if there is one
# such order.
WIDE = 1e6

# A curve in a figure shows the errors of one quantity. All fields but the label are arrays [levels]. They contain the
# errors, whether an error is used in the fit, the errors that the fit predicts (NaN without a fit), and the steps.
Curve = namedtuple("Curve", "label errors fitted predicted steps")


def drawn(study, quantities):
    """Return {quantity: expected order, or None if there is none} for those of the quantities that are drawn.

    The field u at the cells' points is drawn only if an order was expected of it.
    """
    wanted = {f.quantity: f.expected_order for f in findings(study) if f.expected}
    return {q: wanted.get(q) for q in quantities if q != "u_cells" or q in wanted}


def curves_of(study, quantities):
    """Return the Curves of the quantities of a Study."""
    steps = study.order_steps if abscissa(study)[2] else dict.fromkeys(quantities, study.step)
    return [Curve(LABELS[q], study.errors[q], study.marks[q] == Mark.FITTED, study.fitted_errors[q], steps[q])
            for q in quantities]


def study_figure(study, quantities):
    """Return the figure of the errors of the quantities of a Study over the refined step.

    If the errors were fitted jointly by C₁ δsᵖ + C₂ δtᵖ, they are drawn over steps that follow from this fit
    and differ between quantities.
    """
    orders = drawn(study, quantities)
    curves, (label, _, own_steps) = curves_of(study, orders), abscissa(study)
    if own_steps:
        orders = {q: study.joint(q).power for q in orders}
    slopes = {n: [curve for curve, order in zip(curves, orders.values()) if order == n] if own_steps else curves
              for n in sorted({n for n in orders.values() if n is not None})}
    return error_figure(curves, slopes, label, study.number("floor"))


def abscissa(study):
    """Return (label of the horizontal axis of a figure of errors, words for this axis in the caption, own_steps).

    `own_steps` says whether the axis shows the steps of the joint fit, which differ between quantities.
    """
    if study.refine == "elements":
        ratio = measured(study.dt[0] * study.level_elements[0], 3, plain=range(-3, 4))
        return f"step δt = {ratio} h, h = 1/n", f"δt = {ratio} h, where h = 1/n", False
    if study.fit["step_x"] != "joint":
        return *PLAIN_STEPS[study.refine], False
    powers = {study.joint(q).power for q in drawn(study, study.quantities)}
    label = "|C₁ δs + C₂ δt|" if powers == {1} else "h, hᵖ = |C₁ δsᵖ + C₂ δtᵖ|"
    power = "p = 1" if powers == {1} else "the promised p"
    return label, f"{label}, with the constants of each, fitted at {power}: slope p if it holds", True


def error_figure(curves, slopes, label, floor=0.0):
    """Return a log-log figure of the errors of the curves [Curve, ...] over their steps.

    `label` is the label of the horizontal axis. Points that are used in a fit are filled and all others are hollow; a
    line shows the fit over the range of its points. slopes: {order: the Curves below which a triangle of this slope is
    drawn}. floor: the size of errors that round-off alone causes, drawn as a line if it is within the limits of the
    axis. Points that a logarithmic axis cannot show (zero, NaN) are left out. For the second frame see WIDE.
    """
    points = [_points(curve.steps, curve.errors) for curve in curves]
    fitted = [_points(curve.steps, np.where(curve.fitted, curve.errors, np.nan)) for curve in curves]
    errors = np.concatenate([error for _, error in fitted])
    divided = len(slopes) == 1 and len(errors) > 0 and errors.max() > WIDE * errors.min()
    figure = style.figure(1, 1.15)
    axes, *below = figure.subplots(1 + divided, 1, sharex=True, squeeze=False, height_ratios=[4, 3][:1 + divided])[:, 0]
    axes.set(xscale="log", yscale="log", ylabel="maximal error")
    for n, curve in enumerate(curves):
        _draw_curve(axes, curve, n)
    for frame, order in zip(below, slopes):
        # The errors over the step to the power of the expected order are constant if they have this order. A label that
        # begins with an underscore keeps the points out of the table of the figure's curves.
        for n, (h, error) in enumerate(fitted):
            frame.scatter(h, error / h**order, 25, style.COLOURS[n], style.MARKERS[n], label="_")
        frame.set(ylabel="error/step" + f"$^{{{order:g}}}$" * (order != 1))
        frame.margins(y=0.25)
        style.label_values(frame.yaxis, most=4)
    axes.margins(y=0.1)
    for place, (order, above) in enumerate(slopes.items()):
        style.draw_triangle(axes, [_points(curve.steps, curve.errors) for curve in above], order, place)
    low, high = axes.get_ylim()
    if low <= floor <= high:
        axes.axhline(floor, color=style.GREY, linewidth=0.8, linestyle=(0, (6, 2)))
        axes.annotate("round-off floor", (1, floor), (-2, 2), xycoords=("axes fraction", "data"),
                      textcoords="offset points", ha="right", va="bottom", color=style.GREY, fontsize=10)
    label_decades(axes.xaxis, axes.yaxis)
    figure.axes[-1].set(xlabel=label)
    if any(len(h) for h, _ in points):
        style.legend_above(axes, 4)
    else:
        axes.text(0.5, 0.5, "no error can be drawn", transform=axes.transAxes, ha="center")
    return figure


def _draw_curve(axes, curve, n):
    colour, marker = style.COLOURS[n], style.MARKERS[n]
    size = SIZES[n] * min(1, MANY / len(curve.errors)) ** 0.5
    h, line = _points(curve.steps, np.where(curve.fitted, curve.predicted, np.nan))
    if len(h) > 1:
        axes.plot(h, line, linestyle=style.LINES[n], color=colour, linewidth=WIDTHS[n])
    else:
        # Without a fit, a pale line joins the points.
        axes.plot(*_points(curve.steps, curve.errors), color=colour, linewidth=0.9, alpha=0.5)
    for chosen, face in ((curve.fitted, colour), (~curve.fitted, "white")):
        axes.plot(*_points(curve.steps, np.where(chosen, curve.errors, np.nan)), marker, color=colour,
                  markerfacecolor=face, markersize=size, markeredgewidth=1.4)
    # An empty curve provides the entry of the legend, which thus is the same whether the points are filled or hollow.
    axes.plot([], [], marker=marker, linestyle=style.LINES[n], color=colour, markersize=size, label=curve.label)


def _points(steps, errors):
    """Return the steps and errors that logarithmic axes can show, sorted by the steps."""
    keep = drawable_in_logarithm(steps, errors)
    order = np.argsort(steps[keep])
    return steps[keep][order], errors[keep][order]
