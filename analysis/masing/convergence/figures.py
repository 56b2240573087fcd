"""The figures of a study's errors: over the refined step, and over the plane (δs, δt)."""

from collections import namedtuple

import numpy as np
from matplotlib.colors import LogNorm

from masing import style
from masing.convergence.claim import findings
from masing.cycles.figures import draw_together
from masing.notation import measured, power_of_ten
from masing.results import QUANTITY_NAMES, Mark
from masing.style import drawable_in_logarithm, label_decades

LABELS = QUANTITY_NAMES | {"u_cells": "u, cells’ points"}
PLAIN_STEPS = {"steps": ("step δt", "δt"), "cells": ("cell width δs", "δs"), "both": ("δs + δt", "δs + δt")}
# Where a first and a second slope triangle lie between the smallest (0) and the largest (1) step, in logarithms.
TRIANGLES = ((0.55, 0.9), (0.1, 0.45))
# A triangle is below the lowest curve by this factor, and by this part of the axis, more than a marker.
GAP, PART_OF_AXIS = 1.8, 0.12
# Perceptually uniform, and the same to the colour-blind.
COLOUR_MAP = "cividis"
RESOLUTION = 200
# The axes of a map extend beyond the levels by this factor.
MARGIN = 1.7
# The multiples of a power of ten that have a contour line.
MULTIPLES = (1, 2, 5)
# The part of an axis next to its ends that holds no label.
EDGE = 0.05

# The errors [levels] of one quantity, which of them are fitted, and what the fit predicts (NaN: nothing).
Curve = namedtuple("Curve", "label errors fitted predicted")


def drawn(study, quantities):
    """The quantities that are drawn, {quantity: the expected order or None}: u at the cells' points only if its order is
    judged."""
    wanted = {f.quantity: f.expected_order for f in findings(study) if f.expected}
    return {q: wanted.get(q) for q in quantities if q != "u_cells" or q in wanted}


def curves_of(study, quantities):
    """The Curves of the quantities of a Study."""
    return [Curve(LABELS[q], study.errors[q], study.marks[q] == Mark.FITTED, study.fitted_errors[q]) for q in quantities]


def study_figure(study, quantities):
    """The errors of the quantities of a Study over its refined step."""
    return error_figure(*_shown(study, quantities))


def _shown(study, quantities):
    orders = drawn(study, quantities)
    values, label, *_ = abscissa(study)
    return (values, curves_of(study, orders), sorted({n for n in orders.values() if n is not None}), label,
            study.number("floor"))


def overview(runs, exact, study, quantities, start=None, end=None):
    """One figure of two panels: the cycles of the Runs over the exact Run's, and the errors of a Study."""
    figure = style.figure(2, 1.15)
    left, right = figure.subplots(1, 2)
    draw_together(left, runs, exact, start, end)
    draw_errors(right, *_shown(study, quantities))
    return figure


def abscissa(study):
    """The step [levels] to draw errors over, its axis's label, its name, and whether it is the joint fit's of x."""
    if study.fit["step_x"] != "joint":
        return study.step, *PLAIN_STEPS[study.refine], False
    fit = study.joint("x")
    name = f"|{fit.formula}|" if fit.power == 1 else f"h, hᵖ = {fit.formula}, p = {fit.power:g},"
    return study.order_steps["x"], f"{name} of x", f"{name} with the constants of x", True


def error_figure(abscissa, curves, expected, label, floor=0.0):
    """Errors over the refined step in log-log axes: fitted points filled, others hollow, lines fitted over their range.

    abscissa [levels] with its label; curves [Curve, ...]; expected: the orders whose triangles to draw; floor: that
    of round-off, drawn where it is in sight. Points that a logarithm cannot show (zero, NaN) are left out.
    """
    figure = style.figure(1, 1.15)
    draw_errors(figure.add_subplot(), abscissa, curves, expected, label, floor)
    return figure


def draw_errors(axes, abscissa, curves, expected, label, floor=0.0):
    """Draw what error_figure() shows into the Axes."""
    axes.set(xscale="log", yscale="log")
    for n, curve in enumerate(curves):
        _draw_curve(axes, abscissa, curve, n)
    axes.margins(y=0.1)
    points = [_points(abscissa, curve.errors) for curve in curves]
    for place, exponent in enumerate(expected):
        _draw_triangle(axes, points, exponent, place)
    low, high = axes.get_ylim()
    if low <= floor <= high:
        axes.axhline(floor, color=style.GREY, linewidth=0.8, linestyle=(0, (6, 2)))
        axes.annotate("round-off floor", (1, floor), (-2, 2), xycoords=("axes fraction", "data"),
                      textcoords="offset points", ha="right", va="bottom", color=style.GREY, fontsize=9)
    label_decades(axes.xaxis, axes.yaxis)
    axes.set(xlabel=label, ylabel="maximal error")
    if any(len(h) for h, _ in points):
        axes.legend(loc="upper left")
    else:
        axes.text(0.5, 0.5, "no error can be drawn", transform=axes.transAxes, ha="center")


def _draw_curve(axes, abscissa, curve, n):
    colour, marker, width = style.COLOURS[n], style.MARKERS[n], 8.5 - 1.2 * n
    h, line = _points(abscissa, np.where(curve.fitted, curve.predicted, np.nan))
    if len(h) > 1:
        axes.plot(h, line, linestyle=style.LINES[n], color=colour, linewidth=1.2)
    else:
        # Without a fit a pale line joins the points.
        axes.plot(*_points(abscissa, curve.errors), color=colour, linewidth=0.7, alpha=0.5)
    for chosen, face in ((curve.fitted, colour), (~curve.fitted, "white")):
        axes.plot(*_points(abscissa, np.where(chosen, curve.errors, np.nan)), marker, color=colour,
                  markerfacecolor=face, markersize=width, markeredgewidth=1.4)
    # The legend's sample is the same whether points are filled or not.
    axes.plot([], [], marker=marker, linestyle=style.LINES[n], color=colour, markersize=width, label=curve.label)


def _points(abscissa, errors):
    """The points that can be drawn, by rising abscissa."""
    keep = drawable_in_logarithm(abscissa, errors)
    order = np.argsort(abscissa[keep])
    return abscissa[keep][order], errors[keep][order]


def _draw_triangle(axes, curves, exponent, place):
    """Draw the triangle of slope `exponent` below the curves [(h, error), ...], if one of them has two points."""
    curves = [(np.log(h), np.log(error)) for h, error in curves if len(h) > 1]
    if not curves:
        return
    first, last = min(h[0] for h, _ in curves), max(h[-1] for h, _ in curves)
    left, right = (first + part * (last - first) for part in TRIANGLES[place % len(TRIANGLES)])
    # The hypotenuse must be below every curve: straight between the points, so that ends and points tell.
    places = np.unique(np.r_[left, right, *(h[(left < h) & (h < right)] for h, _ in curves)])
    room = [np.interp(places, h, error) - exponent * (places - left) for h, error in curves]
    bottom = np.min(room) - max(np.log(GAP), PART_OF_AXIS * np.ptp(np.log(axes.get_ylim())))
    corners = np.exp([(left, bottom), (right, bottom), (right, bottom + exponent * (right - left))])
    axes.fill(*corners.T, facecolor="none", edgecolor=style.GREY, linewidth=1)
    middle = np.exp(((left + right) / 2, bottom + exponent * (right - left) / 2))
    axes.annotate("1", (middle[0], corners[0, 1]), (0, -3), textcoords="offset points",
                  ha="center", va="top", color=style.GREY)
    axes.annotate(f"{exponent:g}", (corners[1, 0], middle[1]), (4, 0), textcoords="offset points",
                  ha="left", va="center", color=style.GREY)


def map_figure(ds, dt, errors, fit):
    """Log-log map of the errors [levels] at (δs, δt) [levels], contours of their Joint fit."""
    figure = style.figure(1, 1.15)
    limits = [(values.min() / MARGIN, values.max() * MARGIN) for values in (ds, dt)]
    axes = figure.add_subplot(xscale="log", yscale="log", xlim=limits[0], ylim=limits[1])
    _draw_contours(axes, errors, fit)
    spread = LogNorm(errors.min() / 1.001, errors.max() * 1.001)
    axes.scatter(ds, dt, c=errors, norm=spread, cmap=COLOUR_MAP, s=70, edgecolors="black", linewidths=0.8, zorder=3,
                 label="error of x")
    for place in zip(ds, dt, errors):
        axes.annotate(measured(place[2]), place[:2], (0, 7), textcoords="offset points", ha="center", va="bottom",
                      fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}, zorder=4)
    label_decades(axes.xaxis, axes.yaxis)
    axes.grid(False, which="both")
    axes.set(xlabel="cell width δs", ylabel="step δt")
    return figure


def _draw_contours(axes, errors, fit):
    ds, dt = (np.geomspace(*limits, RESOLUTION) for limits in (axes.get_xlim(), axes.get_ylim()))
    values = fit.at(*np.meshgrid(ds, dt))
    decades = 10.0 ** np.arange(np.floor(np.log10(errors.min())) - 1, np.log10(errors.max()) + 1)
    levels = np.outer(decades, MULTIPLES).ravel()
    levels = levels[(levels > errors.min() / 3) & (levels < errors.max() * 1.1)]
    lines = axes.contour(ds, dt, values, levels=levels, colors=style.GREY, linewidths=0.7)
    for text in axes.clabel(lines, fmt=power_of_ten, fontsize=8, inline_spacing=2):
        # The frame must not cut a label.
        where = axes.transAxes.inverted().transform(axes.transData.transform(text.get_position()))
        text.set_visible(bool(np.all((where > EDGE) & (where < 1 - EDGE))))
    if fit.cancels:
        axes.plot(ds, -fit.space / fit.time * ds, "--", color=style.COLOURS[1], linewidth=1.2, label="terms cancel")
        axes.set(xlim=(ds[0], ds[-1]), ylim=(dt[0], dt[-1]))
