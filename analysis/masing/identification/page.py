"""Draw the page of an identification: both cycles, the identified model, and the residuals of both halves."""

import numpy as np

from masing import draw, style
from masing.identification.discrete import Discrete
from masing.text import measured

BAND = "#cfe3f0"
MEASURED, UNLOADING, IDENTIFIED = style.COLOURS[0], style.COLOURS[1], "#000000"
# Of more measured points only every n-th is drawn.
MOST_DOTS = 600


def identification_page(fitted, compared, threshold):
    """Return the figure of both cycles, of the elements or k(s), and of the residuals of both halves."""
    figure = style.figure(1, 3.4)
    figure.suptitle(f"Identified from {fitted.branch.path.name}", fontsize=11)
    cycle, model, *missed = figure.subplots(4, 1, height_ratios=(1.4, 1.1, 0.7, 0.7))
    for half, colour, label in ((compared.loading, MEASURED, "loading"), (compared.unloading, UNLOADING, "unloading")):
        _dots(cycle, *half, colour, label=label)
    cycle.plot(*np.hstack([compared.identified_loading, compared.identified_unloading]), color=IDENTIFIED,
               linewidth=1, label="identified")
    labels = draw.labels_of_axes([compared.units])
    cycle.set(xlabel=f"{labels[0]} from the centre", ylabel=labels[1])
    style.legend(cycle)
    if isinstance(fitted, Discrete):
        _elements(model, fitted)
    else:
        _density(model, fitted, threshold)
    noise = 100 * fitted.noise / np.ptp(fitted.branch.force)
    missed[1].sharey(missed[0])
    for axes, half, residual, colour, word in zip(missed, (compared.loading, compared.unloading),
                                                  (compared.residual, compared.unloading_residual),
                                                  (MEASURED, UNLOADING), ("loading", "unloading")):
        axes.axhspan(-2 * noise, 2 * noise, color=BAND, linewidth=0)
        _dots(axes, half[0], 100 * residual, colour)
        axes.set(ylabel="residual,\n% of range", xlim=cycle.get_xlim())
        rms = 100 * np.linalg.norm(residual) / max(len(residual), 1)**0.5
        axes.set_title(f"{word}: rms {measured(rms)} % (band: ±2 noise)", fontsize=10)
    missed[1].set_xlabel(cycle.get_xlabel())
    return figure


def _dots(axes, x, y, colour, **line):
    every = -(-len(x) // MOST_DOTS) or 1
    axes.plot(x[::every], y[::every], ".", color=colour, markersize=3, **line)


def _elements(axes, fitted):
    elements = fitted.elements
    axes.errorbar(elements.threshold, elements.stiffness, xerr=fitted.threshold_width, yerr=fitted.stiffness_width,
                  fmt="o", color=style.COLOURS[0], capsize=2)
    axes.vlines(elements.threshold, 0, elements.stiffness, color=style.COLOURS[0], linewidth=1)
    axes.set(xlabel="yield displacement η$_i$", ylabel="stiffness k$_i$", ylim=(0, None))
    axes.set_xlim(0, 1.2 * elements.threshold.max())


def _density(axes, fitted, threshold):
    known, unknown = (np.where(which, fitted.stiffness, np.nan) for which in (fitted.known, ~fitted.known))
    low, high = np.maximum(fitted.stiffness - fitted.stiffness_width, 0), fitted.stiffness + fitted.stiffness_width
    axes.plot(fitted.s, known, color=style.COLOURS[0], label="k(s)")
    axes.fill_between(fitted.s, low, high, facecolor=BAND, edgecolor=style.COLOURS[0], linewidth=0.7, label="95 %")
    if not fitted.known.all():
        axes.plot(fitted.s, unknown, linestyle=":", color=style.GREY, label="chosen")
    # The spline is least certain near s = 0 and s = 1, so the band there does not determine the limits of the axis.
    middle = (fitted.s > 0.02) & (fitted.s < 0.98)
    axes.set(xlabel=f"s, for η = {threshold[:24]}", ylabel="stiffness density k(s)", xlim=(0, 1),
             ylim=(0, 1.15 * np.nanmax(high[middle], initial=fitted.stiffness[middle].max())))
    style.legend(axes)
