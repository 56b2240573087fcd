"""The map of errors over (δs, δt) with the contour lines of their joint fit."""

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from log_axes import label_decades
from notation import measured, power_of_ten

# Perceptually uniform, and the same to the colour-blind.
COLOUR_MAP = "cividis"
RESOLUTION = 200
# How far the axes go beyond the levels, a factor.
MARGIN = 1.7
# The multiples of a power of ten that have a contour line.
MULTIPLES = (1, 2, 5)
# The part of an axis next to its ends that holds no label.
EDGE = 0.05


def error_map(ds, dt, errors, fit):
    """Log-log map of the errors [levels] at (δs, δt) [levels], contours of their fitted.Joint."""
    figure = Figure(figsize=(style.PANEL[0], style.PANEL[1] * 1.15))
    axes = figure.add_subplot(xscale="log", yscale="log", xlim=_limits(ds), ylim=_limits(dt))
    _draw_contours(axes, errors, fit)
    spread = LogNorm(errors.min() / 1.001, errors.max() * 1.001)
    axes.scatter(ds, dt, c=errors, norm=spread, cmap=COLOUR_MAP, s=70, edgecolors="black", linewidths=0.8, zorder=3)
    for place in zip(ds, dt, errors):
        axes.annotate(measured(place[2]), place[:2], (0, 7), textcoords="offset points", ha="center", va="bottom",
                      fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}, zorder=4)
    label_decades(axes)
    axes.grid(False, which="both")
    axes.set(xlabel="cell width δs", ylabel="step δt")
    return figure


def _limits(values):
    return values.min() / MARGIN, values.max() * MARGIN


def _draw_contours(axes, errors, fit):
    ds, dt = (np.geomspace(*limits, RESOLUTION) for limits in (axes.get_xlim(), axes.get_ylim()))
    grid = np.meshgrid(ds, dt)
    values = fit.at(*grid)
    decades = 10.0 ** np.arange(np.floor(np.log10(errors.min())) - 1, np.log10(errors.max()) + 1)
    levels = np.outer(decades, MULTIPLES).ravel()
    levels = levels[(levels > errors.min() / 3) & (levels < errors.max() * 1.1)]
    lines = axes.contour(ds, dt, values, levels=levels, colors=style.GREY, linewidths=0.7)
    for text in axes.clabel(lines, fmt=power_of_ten, fontsize=8, inline_spacing=2):
        # A label that the frame would cut says nothing.
        where = axes.transAxes.inverted().transform(axes.transData.transform(text.get_position()))
        text.set_visible(bool(np.all((where > EDGE) & (where < 1 - EDGE))))
    if fit.cancels:
        axes.plot(ds, -fit.space / fit.time * ds, "--", color=style.COLOURS[1], linewidth=1.2)
        axes.set(xlim=(ds[0], ds[-1]), ylim=(dt[0], dt[-1]))
