"""The log-log figure of a study's errors: data in, matplotlib Figure out."""

from dataclasses import dataclass

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.figure import Figure

from log_axes import label_decades, visible
from slope_triangle import draw_triangle


@dataclass(frozen=True)
class Curve:
    """The errors [levels] of one quantity, which of them are fitted, and the errors that the fit predicts (NaN: none)."""

    label: str
    errors: np.ndarray
    fitted: np.ndarray
    predicted: np.ndarray


def error_figure(abscissa, curves, expected, label, floor=0.0):
    """Errors over the refined step in log-log axes: fitted points filled, others hollow, lines fitted over their range.

    abscissa [levels] with its label; curves [Curve, ...]; expected: the orders whose triangles to draw; floor: that
    of round-off, drawn where it is in sight. Points that a logarithm cannot show (zero, NaN) are left out.
    """
    figure = Figure(figsize=(style.PANEL[0], style.PANEL[1] * 1.15))
    axes = figure.add_subplot(xscale="log", yscale="log")
    for n, curve in enumerate(curves):
        _draw(axes, abscissa, curve, n)
    axes.margins(y=0.1)
    points = [_drawable(abscissa, curve.errors) for curve in curves]
    for place, exponent in enumerate(expected):
        draw_triangle(axes, points, exponent, place)
    _draw_floor(axes, floor)
    label_decades(axes)
    axes.set(xlabel=label, ylabel="maximal error")
    if any(len(h) for h, _ in points):
        axes.legend(loc="upper left")
    else:
        axes.text(0.5, 0.5, "no error can be drawn", transform=axes.transAxes, ha="center")
    return figure


def _draw(axes, abscissa, curve, n):
    colour, marker, width = style.COLOURS[n], style.MARKERS[n], 8.5 - 1.2 * n
    h, line = _drawable(abscissa, np.where(curve.fitted, curve.predicted, np.nan))
    if len(h) > 1:
        axes.plot(h, line, linestyle=style.LINES[n], color=colour, linewidth=1.2)
    else:
        # No line was fitted: a pale one only leads the eye.
        axes.plot(*_drawable(abscissa, curve.errors), color=colour, linewidth=0.7, alpha=0.5)
    for chosen, face in ((curve.fitted, colour), (~curve.fitted, "white")):
        axes.plot(*_drawable(abscissa, np.where(chosen, curve.errors, np.nan)), marker, color=colour,
                  markerfacecolor=face, markersize=width, markeredgewidth=1.4)
    # The legend's sample is the same whether points are filled or not.
    axes.plot([], [], marker=marker, linestyle=style.LINES[n], color=colour, markersize=width, label=curve.label)


def _draw_floor(axes, floor):
    low, high = axes.get_ylim()
    if low <= floor <= high:
        axes.axhline(floor, color=style.GREY, linewidth=0.8, linestyle=(0, (6, 2)))
        axes.annotate("round-off floor", (1, floor), (-2, 2), xycoords=("axes fraction", "data"),
                      textcoords="offset points", ha="right", va="bottom", color=style.GREY, fontsize=9)


def _drawable(abscissa, errors):
    keep = visible(abscissa, errors)
    order = np.argsort(abscissa[keep])
    return abscissa[keep][order], errors[keep][order]
