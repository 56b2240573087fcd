"""Draw the page of an identification: both cycles, the identified model, and the residuals of both halves."""

import math

import numpy as np

from masing import style
from masing.draw import labels_of_axes
from masing.identification.discrete import Discrete
from masing.text import measured

BAND = "#cfe3f0"
MEASURED, UNLOADING, IDENTIFIED = style.COLOURS[0], style.COLOURS[1], "#000000"
# Measured curves are drawn with at most this many points; more points would look like one dark band.
MOST_DOTS = 600


def identification_page(fitted, compared, threshold):
    """Return the figure of both cycles, of the elements or k(s), and of the residuals of both halves."""
    figure = style.figure(1, 3.4)
    figure.suptitle(f"Identified from {fitted.branch.path.name}", fontsize=11)
    cycle, model, *missed = figure.subplots(4, 1, height_ratios=(1.4, 1.1, 0.7, 0.7))
    _cycles(cycle, compared)
    (_elements if isinstance(fitted, Discrete) else _density)(model, fitted, threshold)
    noise = 100 * fitted.noise / np.ptp(fitted.branch.force)
    missed[1].sharey(missed[0])
    for axes, half, residual, colour, word in zip(missed, (compared.loading, compared.unloading),
                                                  (compared.residual, compared.unloading_residual),
                                                  (MEASURED, UNLOADING), ("loading", "unloading")):
        axes.axhspan(-2 * noise, 2 * noise, color=BAND, linewidth=0)
        axes.plot(*_dots((half[0], 100 * residual)), ".", color=colour, markersize=3)
        axes.set(ylabel="residual,\n% of range", xlim=cycle.get_xlim())
        rms = 100 * np.sqrt(np.mean(residual**2)) if len(residual) else math.nan
        axes.set_title(f"{word}: rms {measured(rms)} %", fontsize=10)
        axes.yaxis.get_offset_text().set_horizontalalignment("right")
    words = f"noise {measured(noise)} % (band: ±2 of it)" if noise else "no noise"
    missed[0].set_title(f"{missed[0].get_title()}\n{words}", fontsize=10)
    missed[1].set_xlabel(cycle.get_xlabel())
    return figure


def _dots(curve):
    every = -(-len(curve[0]) // MOST_DOTS)
    return curve[0][::every], curve[1][::every]


def _cycles(axes, compared):
    axes.plot(*_dots(compared.loading), ".", color=MEASURED, markersize=3, label="loading")
    if len(compared.unloading[0]):
        axes.plot(*_dots(compared.unloading), ".", color=UNLOADING, markersize=3, label="unloading")
    axes.plot(*compared.identified_loading, color=IDENTIFIED, linewidth=1, label="identified")
    axes.plot(*compared.identified_unloading, color=IDENTIFIED, linewidth=1)
    labels = labels_of_axes([compared.units])
    axes.set(xlabel=f"{labels[0]} from the centre", ylabel=labels[1])
    style.legend(axes)


def _elements(axes, fitted, _):
    elements = fitted.elements
    axes.errorbar(elements.threshold, elements.stiffness, xerr=fitted.threshold_width, yerr=fitted.stiffness_width,
                  fmt="o", color=style.COLOURS[0], capsize=2)
    axes.vlines(elements.threshold, 0, elements.stiffness, color=style.COLOURS[0], linewidth=1)
    axes.set(xlabel="yield displacement η$_i$", ylabel="stiffness k$_i$", ylim=(0, None))
    axes.set_xlim(0, 1.2 * elements.threshold.max())


def _density(axes, fitted, threshold):
    known, unknown = (np.where(which, fitted.stiffness, np.nan) for which in (fitted.known, ~fitted.known))
    low, high = np.maximum(fitted.stiffness - fitted.stiffness_width, 0), fitted.stiffness + fitted.stiffness_width
    axes.plot(fitted.s, known, color=style.COLOURS[0], label=f"k(s) for η = {threshold[:24]}")
    axes.fill_between(fitted.s, low, high, facecolor=BAND, edgecolor=style.COLOURS[0], linewidth=0.7, label="95 %")
    if not fitted.known.all():
        axes.plot(fitted.s, unknown, linestyle=":", color=style.GREY, label="chosen")
    axes.set(xlabel="s", ylabel="stiffness density k(s)", xlim=(0, 1))
    # The spline is least certain near s = 0 and s = 1, so the values there do not determine the limits of the axis.
    middle = (fitted.s > 0.02) & (fitted.s < 0.98)
    extremes = np.r_[low[middle & fitted.known], high[middle & fitted.known], fitted.stiffness[middle]]
    room = max(0.3 * np.ptp(extremes), 0.02 * extremes.max())
    axes.set_ylim(max(extremes.min() - room, 0), extremes.max() + room)
    style.legend(axes)
