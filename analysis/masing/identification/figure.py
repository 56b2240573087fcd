"""One page: the measured and the identified cycle, the force between them, and the model that was found."""

import textwrap

import numpy as np

from masing import style
from masing.identification.discrete import Discrete
from masing.notation import measured
from masing.style import RESTORING_LABEL, X_LABEL

BAND = "#cfe3f0"
MEASURED, UNLOADING, IDENTIFIED = style.COLOURS[0], style.COLOURS[1], "#000000"
# More points than these are one dark band.
MOST_DOTS = 600
# The width of a line in parts of an axis.
THIN = 0.01
# Characters of a line of text.
LINE = 44


def identification_page(found, compared, threshold, facts):
    """The Figure of a Discrete or Continuous model, its Comparison and lines of text `facts`."""
    figure = style.figure(2, 2.6)
    figure.suptitle(f"Identified from {found.branch.path.name}", fontsize=11)
    cycle, model, missed, words = figure.subplots(2, 2, height_ratios=(1.1, 1)).flat
    _cycles(cycle, compared)
    (_elements if isinstance(found, Discrete) else _density)(model, found, threshold)
    noise = 100 * found.noise / np.ptp(found.branch.force)
    missed.axhspan(-2 * noise, 2 * noise, color=BAND, linewidth=0)
    missed.plot(*_dots((compared.loading[0], 100 * compared.residual)), ".", color=style.COLOURS[0], markersize=3)
    missed.set(xlabel=f"{X_LABEL} from the centre", ylabel="measured − identified,\n% of the force's range",
               title=f"rms {measured(100 * compared.mean)} %, "
               + (f"noise {measured(noise)} % (band: ±2 of it)" if noise else "no noise"))
    words.axis("off")
    lines = [part for fact in facts for part in textwrap.wrap(fact, LINE, subsequent_indent="   ")]
    text = words.text(-0.15, 1, "\n".join(lines), va="top", fontsize=10, transform=words.transAxes, linespacing=1.15)
    # The layout is for the axes.
    text.set_in_layout(False)
    return figure


def _dots(curve):
    every = -(-len(curve[0]) // MOST_DOTS)
    return curve[0][::every], curve[1][::every]


def _cycles(axes, compared):
    axes.plot(*_dots(compared.loading), ".", color=MEASURED, markersize=3, label="loading")
    if len(compared.unloading[0]):
        axes.plot(*_dots(compared.unloading), ".", color=UNLOADING, markersize=3, label="unloading, measured")
    axes.plot(*compared.identified_loading, color=IDENTIFIED, linewidth=1, label="identified")
    axes.plot(*compared.identified_unloading, color=IDENTIFIED, linewidth=1)
    axes.set(xlabel=f"{X_LABEL} from the centre", ylabel=RESTORING_LABEL)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, markerscale=3, handletextpad=0.3,
                columnspacing=0.8)


def _elements(axes, found, _):
    elements = found.elements
    axes.errorbar(elements.threshold, elements.stiffness, xerr=found.threshold_width, yerr=found.stiffness_width,
                  fmt="o", color=style.COLOURS[0], capsize=2)
    axes.vlines(elements.threshold, 0, elements.stiffness, color=style.COLOURS[0], linewidth=1)
    axes.set(xlabel="yield displacement η$_i$", ylabel="stiffness k$_i$", ylim=(0, None))
    axes.set_xlim(0, 1.2 * elements.threshold.max())


def _density(axes, found, threshold):
    known, unknown = (np.where(which, found.stiffness, np.nan) for which in (found.known, ~found.known))
    low, high = np.maximum(found.stiffness - found.stiffness_width, 0), found.stiffness + found.stiffness_width
    if not found.known.all():
        axes.plot(found.s, unknown, linestyle=":", color=style.GREY, label="chosen")
    axes.set(xlabel="s", ylabel="stiffness density k(s)", xlim=(0, 1))
    # The ends of a spline are its least known part: they do not set the scale.
    middle = (found.s > 0.02) & (found.s < 0.98)
    shown = np.r_[low[middle & found.known], high[middle & found.known], found.stiffness[middle]]
    room = max(0.3 * np.ptp(shown), 0.02 * shown.max())
    axes.set_ylim(max(shown.min() - room, 0), shown.max() + room)
    # A band thinner than the line, in parts of the axis, is not seen: the legend has its width.
    seen = 2 * found.stiffness_width[middle & found.known].max(initial=0) > THIN * np.ptp(axes.get_ylim())
    within = "" if seen else f"\n± {measured(found.stiffness_width[found.known].max(initial=0))} at most (95 %)"
    axes.plot(found.s, known, color=style.COLOURS[0], label=f"k(s) for η = {threshold[:24]}{within}")
    if seen:
        axes.fill_between(found.s, low, high, facecolor=BAND, edgecolor=style.COLOURS[0], linewidth=0.7, label="95 %")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, columnspacing=0.8)
