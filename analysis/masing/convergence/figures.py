"""Functions that draw the errors of a study over the refined step."""

from collections import namedtuple
from itertools import cycle

import numpy as np

from masing import style
from masing.convergence.claim import FITTED, QUANTITY_NAMES, findings
from masing.text import measured
from masing.results import HUGE, drawable

LABELS = QUANTITY_NAMES | {"u_cells": "u, cells’ points", "x_rms": "x, rms", "y_rms": "y, rms"}
PLAIN_STEPS = {"steps": ("step δt", "δt"), "cells": ("cell width δs", "δs"), "both": ("δs + δt", "δs + δt")}
# The sizes of the markers and the widths of the lines of the curves in a figure. Those of a later curve are smaller, so
# that all curves which coincide are visible.
SIZES, WIDTHS = (11.0, 8.5, 5.5, 3.0), (2.4, 2.4, 1.2, 1.0)
# In a figure whose errors range over more than this factor, curves that differ by less than a factor of two coincide.
WIDE = 1e6

# A curve in a figure shows the errors of one quantity. All fields but the label are arrays [levels]. They contain the
# errors, whether an error is used in the fit, the errors that the fit predicts (NaN without a fit), and the steps.
Curve = namedtuple("Curve", "label errors fitted predicted steps")


def drawn(study, quantities):
    """Return {quantity: expected order or None} of those that are drawn; u at the cells' points only if expected."""
    wanted = {f.quantity: f.expected_order for f in findings(study) if f.expected}
    return {q: wanted.get(q) for q in quantities if q != "u_cells" or q in wanted}


def curves_of(study, quantities):
    """Return the Curves of the quantities of a Study."""
    has_own = abscissa(study)[2]
    return [Curve(LABELS[q], study.errors[q], study[f"mark_{q}"] == FITTED, study[f"fitted_error_{q}"],
                  study[f"step_{q}" if has_own else "step"]) for q in quantities]


def fixed_ratio(study):
    """Return the most frequent δs/δt of a joint fit and which levels [levels] have it, if at least three do."""
    if not abscissa(study)[2]:
        return None
    logarithms = np.log(study.ds / study.dt).round(2)
    values, counts = np.unique(logarithms, return_counts=True)
    alike = logarithms == values[np.argmax(counts)]
    return (float(np.median((study.ds / study.dt)[alike])), alike) if counts.max() >= 3 else None


def study_figure(study, quantities, axes=None):
    """Return the figure of the errors of the quantities of a Study over the refined step.

    Errors with a joint fit are drawn over C₁ δsᵖ + C₂ δtᵖ, and in a frame below over δs for the levels with the same
    δs/δt, which needs no fit. If Axes are given, the errors are drawn into them, without a frame below.
    """
    orders = drawn(study, quantities)
    curves, (label, _, own_steps) = curves_of(study, orders), abscissa(study)
    slopes = {study.joint(q).power for q in orders} if own_steps else set(orders.values()) - {None}
    return error_figure(curves, sorted(slopes), label, study.number("floor"), fixed_ratio(study), study.ds, axes)


def error_figure(curves, slopes, label, floor=0.0, at_ratio=None, ds=None, axes=None):
    """Return a log-log figure of the errors of the curves [Curve, ...] over their steps, which have this label.

    `slopes` are the expected orders. `at_ratio` is the result of fixed_ratio() and `ds` [levels] the cell widths of its
    frame. If the fitted errors range over more than WIDE, a frame below has them divided by the step to the expected
    order. If `axes` are given, there is no frame below.
    """
    fitted = [_points(curve.steps, np.where(curve.fitted, curve.errors, np.nan)) for curve in curves]
    errors = np.concatenate([error for _, error in fitted])
    is_wide = len(slopes) == 1 and len(errors) > 0 and errors.max() > WIDE * errors.min()
    below = []
    if axes is None:
        has_below = is_wide or at_ratio is not None
        axes, *below = style.figure(1, 1.9 if at_ratio else 1.15).subplots(
            1 + has_below, 1, sharex=not at_ratio, squeeze=False, height_ratios=[4, 3][:1 + has_below])[:, 0]
    _draw_errors(axes, curves, slopes, floor)
    for frame in below:
        if at_ratio:
            same = [curve._replace(errors=np.where(at_ratio[1], curve.errors, np.nan), steps=ds,
                                   predicted=np.full(len(ds), np.nan)) for curve in curves]
            _draw_errors(frame, same, slopes)
            frame.set(xlabel=f"cell width δs, with δs/δt = {measured(at_ratio[0], 3)}")
        else:
            _draw_quotients(frame, fitted, *slopes)
    (axes if at_ratio or not below else below[0]).set(xlabel=label)
    style.legend(axes)
    return axes.figure


def _draw_errors(axes, curves, slopes, floor=0.0):
    """Draw the errors of the curves, those of a fit filled, with triangles below them and the round-off floor."""
    axes.set(xscale="log", yscale="log", ylabel="maximal error")
    for n, curve in enumerate(curves):
        _draw_curve(axes, curve, n)
    axes.margins(y=0.1)
    for place, order in enumerate(slopes):
        style.draw_triangle(axes, [_points(curve.steps, curve.errors) for curve in curves], order, place)
    low, high = axes.get_ylim()
    if low <= floor <= high:
        axes.axhline(floor, color=style.GREY, linewidth=0.8, linestyle="--")
        axes.text(1, floor, "round-off floor", transform=axes.get_yaxis_transform(), ha="right", va="bottom",
                  color=style.GREY, fontsize=10)
    style.label_decades(axes.xaxis, axes.yaxis)


def _draw_quotients(axes, fitted, order):
    """Draw the fitted errors over the step to the power of the expected order; they are constant at this order."""
    for (h, error), colour, marker in zip(fitted, cycle(style.COLOURS), cycle(style.MARKERS)):
        axes.scatter(h, error / h**order, 25, colour, marker)
    axes.set(ylabel="error/step" + f"$^{{{order:g}}}$" * (order != 1))
    axes.margins(y=0.25)
    axes.locator_params(axis="y", nbins=4)


def abscissa(study):
    """Return the label of the axis of the steps, words for it, and whether the steps are those of a joint fit."""
    if study.refine == "elements":
        ratio = measured(study.dt[0] * study["elements"][0], 3)
        return f"step δt = {ratio} h, h = 1/n", f"δt = {ratio} h, where h = 1/n", False
    if study.fit["step_x"] != "joint":
        return *PLAIN_STEPS[study.refine], False
    powers = {study.joint(q).power for q in drawn(study, study.quantities)}
    label = "|C₁ δs + C₂ δt|" if powers == {1} else "h, hᵖ = |C₁ δsᵖ + C₂ δtᵖ|"
    power = "p = 1" if powers == {1} else "the promised p"
    return label, f"{label}, with the constants of each, fitted at {power}: slope p if it holds", True


def _draw_curve(axes, curve, n):
    marker, line = style.MARKERS[n % len(style.MARKERS)], style.LINES[n % len(style.LINES)]
    look = {"color": style.COLOURS[n % len(style.COLOURS)],
            "markersize": SIZES[n % len(SIZES)] * min(1, 8 / len(curve.errors)) ** 0.5}
    fitted = _points(curve.steps, np.where(curve.fitted, curve.predicted, np.nan))
    if len(fitted[0]) > 1:
        axes.plot(*fitted, line, color=look["color"], linewidth=WIDTHS[n % len(WIDTHS)])
    else:
        # Without a fit, a pale line joins the points.
        axes.plot(*_points(curve.steps, curve.errors), color=look["color"], linewidth=0.9, alpha=0.5)
    for chosen, face in ((curve.fitted, look["color"]), (~curve.fitted, "white")):
        axes.plot(*_points(curve.steps, np.where(chosen, curve.errors, np.nan)), marker,
                  markerfacecolor=face, markeredgewidth=1.4, **look)
    # An empty curve provides the entry of the legend, which thus is the same whether the points are filled or hollow.
    axes.plot([], [], marker + line, label=curve.label, **look)


def _points(steps, errors):
    """Return the steps and errors that logarithmic axes can show, sorted by the steps."""
    keep = drawable_in_logarithm(steps, errors)
    order = np.argsort(steps[keep])
    return steps[keep][order], errors[keep][order]


def drawable_in_logarithm(abscissa, errors):
    """Return for each point (abscissa, error) whether a log-log figure can show it, as booleans [points]."""
    return drawable(abscissa, errors) & (abscissa > 1 / HUGE) & (errors > 1 / HUGE)
