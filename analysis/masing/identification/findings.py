"""The findings of an identification: the comparison with the measured cycle, lines of text, JSON, and one page."""

import math
import textwrap
from collections import namedtuple

import numpy as np

from masing import style
from masing.identification.discrete import Discrete
from masing.notation import measured, percent
from masing.style import RESTORING_LABEL, X_LABEL

# The unloading half belongs to the same cycle when its width agrees to this fraction.
SAME_WIDTH = 1e-3
MOST_LINES = 8
BAND = "#cfe3f0"
MEASURED, UNLOADING, IDENTIFIED = style.COLOURS[0], style.COLOURS[1], "#000000"
# More points than these are one dark band.
MOST_DOTS = 600
# The width of a line in parts of an axis.
THIN = 0.01
# Characters of a line of text.
LINE = 44


class Comparison(namedtuple("Comparison", "loading unloading identified_loading identified_unloading residual "
                                          "largest mean unloading_largest")):
    """Loading and unloading halves, measured and identified, as pairs (x, force) about the centre of the cycle.

    `unloading` may be without points. `largest` and `mean` are max and rms of the measured less the identified force on
    the loading half, `residual` [points], `unloading_largest` the max on the unloading one (NaN without), as fractions
    of the force's range.
    """


def compare(found, half, run):
    """Compare a HalfCycle with the Run of the model `found` on it, which starts at the lower reversal."""
    amplitude = found.branch.width / 2
    height = 2 * float(found.elements.backbone(np.array(amplitude)))
    centre_x, centre_force = found.branch.start + amplitude, found.start_force + height / 2
    top = int(np.argmax(run.x))
    rising, falling = ((run.x[part], run.restoring[part]) for part in (slice(top + 1), slice(top, None)))
    used = half.x - half.x[0] <= half.width
    loading = half.x[used] - centre_x, half.force[used] - centre_force
    part = half.before_x - found.branch.start <= found.branch.width
    unloading = half.before_x[part] - centre_x, half.before_force[part] - centre_force
    reach = np.ptp(loading[1])
    residual = (loading[1] - np.interp(loading[0], *rising)) / reach
    other = (unloading[1] - np.interp(unloading[0], falling[0][::-1], falling[1][::-1])) / reach
    whole = len(other) and abs(np.ptp(half.before_x) / found.branch.width - 1) <= SAME_WIDTH
    return Comparison(loading, unloading, rising, falling, residual, np.abs(residual).max(),
                      np.sqrt(np.mean(residual**2)), np.abs(other).max() if whole else np.nan)


def facts(found, compared):
    """The findings as short lines: the model, the misfit, and what cannot be known."""
    noise = f"noise {percent(found.noise / np.ptp(found.branch.force))} of the force's range"
    lines = (_of_elements if isinstance(found, Discrete) else _of_density)(found, noise)
    use = "used, too" if found.branch.with_unloading else "not used"
    other = f"; of the unloading half, {use}: {percent(compared.unloading_largest)}"
    other = "" if math.isnan(compared.unloading_largest) else other
    return [*lines, f"misfit of the cycle: max {percent(compared.largest)}, rms {percent(compared.mean)} of the "
                    f"force's range{other}", *_unknown(found)]


def numbers(found, compared, threshold, noise):
    """The findings and the Noise of the record by name."""
    elements = found.elements
    common = {"cycle": found.branch.path.name, "k0": elements.k0, "amplitude": found.branch.width / 2,
              "noise": found.noise, "noise_of_x": noise.x, "noise_of_force": noise.force,
              "jumps_of_x": noise.jumps, "misfit_max": compared.largest, "misfit_rms": compared.mean,
              "misfit_max_unloading": compared.unloading_largest, "unknown": _unknown(found)}
    if isinstance(found, Discrete):
        own = {"model": "discrete-masing", "n": len(elements.stiffness), "exact": found.exact,
               "eta": elements.threshold, "eta_halfwidth_95": found.threshold_width,
               "k": elements.stiffness, "k_halfwidth_95": found.stiffness_width}
    else:
        own = {"model": "masing", "threshold": threshold, "smoothing": found.smoothing, "freedom": found.freedom,
               "s": found.s, "eta": found.threshold, "k": found.stiffness, "k_halfwidth_95": found.stiffness_width,
               "yields": found.known}
    return own | common


def _of_elements(found, noise):
    elements = found.elements
    count = len(elements.stiffness)
    how = "slopes and corners of a polygon, exact" if found.exact else f"regression, {noise}"
    lines = [f"{count} element{'s' if count > 1 else ''} ({how}); k0 = {_within(elements.k0, found.k0_width)}"]
    for n, (eta, k, eta_width, k_width) in enumerate(zip(elements.threshold, elements.stiffness, found.threshold_width,
                                                         found.stiffness_width), start=1):
        lines.append(f"η{n} = {_within(eta, eta_width)}, k{n} = {_within(k, k_width)}")
    if count > MOST_LINES:
        lines[MOST_LINES:] = [f"… to η{count} = {elements.threshold[-1]:.6g}, all in the .json"]
        lines += [] if found.exact else ["a smooth branch? --threshold η(s) identifies a continuous model"]
    return lines


def _within(value, width):
    return f"{value:.4g} ± {width:.1g}" if width else f"{value:.10g}"


def _of_density(found, noise):
    stiffness = found.stiffness[found.known]
    return [f"k(s) from {stiffness.min():.4g} to {stiffness.max():.4g}, ∫k ds = {stiffness.sum() / len(found.s):.6g} "
            f"over the yielding s; k0 = {found.k0:.6g}",
            f"cubic spline: likeliest weight of ∫k″²: {found.smoothing:.2g} ({found.freedom:.1f} degrees of freedom "
            f"left); {noise}"]


def _unknown(found):
    reach = found.branch.width / 2
    beyond = "k0 = 0: all that is stiff yields in this cycle" if found.k0 == 0 else (
        f"not known: what yields beyond {reach:.6g}, half the cycle's width; it is in k0")
    if isinstance(found, Discrete):
        unknown = [beyond, "not known: whether an element is several of the same η"]
    else:
        if not found.known.all():
            beyond = f"not known: k(s) where η(s) > {reach:.6g} ({np.mean(~found.known):.0%} of s): continued constant"
        unknown = [beyond, "not unique: another monotone η(s), with its own k(s), has the same cycle"]
    return [*unknown, "not known: mass, and what is viscous"]


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
