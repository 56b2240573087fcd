"""Report the result of an identification.

The result is compared with the measured cycle, and reported as lines of text, as numbers for a JSON file, and as a page
of figures.
"""

import math
import textwrap
from collections import namedtuple

import numpy as np

from masing import style
from masing.identification.discrete import Discrete
from masing.notation import measured, percent
from masing.style import RESTORING_LABEL, X_LABEL

# The unloading half of a cycle is compared with the model only if it has the width of the loading branch, up to this
# fraction of the width.
SAME_WIDTH = 1e-3
# If a discrete model has more elements than this, the text about the model lists only the first elements and the η of
# the last one.
MOST_LINES = 8
BAND = "#cfe3f0"
MEASURED, UNLOADING, IDENTIFIED = style.COLOURS[0], style.COLOURS[1], "#000000"
# Measured curves are drawn with at most this many points; more points would look like one dark band.
MOST_DOTS = 600
# The approximate width of a drawn line, as a fraction of the height of the axes.
THIN = 0.01
# The number of characters in a line of text on the page.
LINE = 44


class Comparison(namedtuple("Comparison", "loading unloading identified_loading identified_unloading residual "
                                          "largest mean unloading_largest")):
    """The measured cycle, and the cycle of the identified model. The loading and the unloading halves of both are pairs
    (x, force), in which x and the force at the centre of the cycle are subtracted.

    `loading` and `unloading` are measured; `unloading` may be empty. `residual` [points] is the measured force minus
    the identified one on the loading half. `largest` is the largest absolute value of `residual`, and `mean` its root
    mean square. `unloading_largest` is the largest absolute difference between the two forces on the unloading half, or
    NaN if the measured unloading half has another width than the loading half. These four are fractions of the range of
    the measured force on the loading half.
    """


def compare(fitted, half, run):
    """Return the Comparison of a HalfCycle with a Run of the model `fitted`, which was identified from this HalfCycle.
    The samples of the Run begin where x is smallest."""
    amplitude = fitted.branch.width / 2
    height = 2 * float(fitted.elements.backbone(np.array(amplitude)))
    centre_x, centre_force = fitted.branch.start + amplitude, fitted.start_force + height / 2
    top = int(np.argmax(run.x))
    rising, falling = ((run.x[part], run.restoring[part]) for part in (slice(top + 1), slice(top, None)))
    used = half.x - half.x[0] <= half.width
    loading = half.x[used] - centre_x, half.force[used] - centre_force
    part = half.before_x - fitted.branch.start <= fitted.branch.width
    unloading = half.before_x[part] - centre_x, half.before_force[part] - centre_force
    reach = np.ptp(loading[1])
    residual = (loading[1] - np.interp(loading[0], *rising)) / reach
    other = (unloading[1] - np.interp(unloading[0], falling[0][::-1], falling[1][::-1])) / reach
    whole = len(other) and abs(np.ptp(half.before_x) / fitted.branch.width - 1) <= SAME_WIDTH
    return Comparison(loading, unloading, rising, falling, residual, np.abs(residual).max(),
                      np.sqrt(np.mean(residual**2)), np.abs(other).max() if whole else np.nan)


def facts(fitted, compared):
    """Return the findings as short lines of text: the model, the misfit of the model, and what the cycle cannot
    determine."""
    noise = f"noise {percent(fitted.noise / np.ptp(fitted.branch.force))} of the force's range"
    lines = (_of_elements if isinstance(fitted, Discrete) else _of_density)(fitted, noise)
    use = "used, too" if fitted.branch.with_unloading else "not used"
    other = f"; of the unloading half, {use}: {percent(compared.unloading_largest)}"
    other = "" if math.isnan(compared.unloading_largest) else other
    return [*lines, f"misfit of the cycle: max {percent(compared.largest)}, rms {percent(compared.mean)} of the "
                    f"force's range{other}", *_unknown(fitted)]


def numbers(fitted, compared, threshold, noise):
    """Return the findings as {name: value}. `threshold` is the text of η(s), or None for a Discrete model. `noise` is
    the Noise of the measured curve; its numbers are among the findings."""
    elements = fitted.elements
    common = {"cycle": fitted.branch.path.name, "k0": elements.k0, "amplitude": fitted.branch.width / 2,
              "noise": fitted.noise, "noise_of_x": noise.x, "noise_of_force": noise.force,
              "jumps_of_x": noise.jumps, "misfit_max": compared.largest, "misfit_rms": compared.mean,
              "misfit_max_unloading": compared.unloading_largest, "unknown": _unknown(fitted)}
    if isinstance(fitted, Discrete):
        own = {"model": "discrete-masing", "n": len(elements.stiffness), "exact": fitted.exact,
               "eta": elements.threshold, "eta_halfwidth_95": fitted.threshold_width,
               "k": elements.stiffness, "k_halfwidth_95": fitted.stiffness_width}
    else:
        own = {"model": "masing", "threshold": threshold, "smoothing": fitted.smoothing, "freedom": fitted.freedom,
               "s": fitted.s, "eta": fitted.threshold, "k": fitted.stiffness, "k_halfwidth_95": fitted.stiffness_width,
               "yields": fitted.known}
    return own | common


def _of_elements(fitted, noise):
    elements = fitted.elements
    count = len(elements.stiffness)
    how = "slopes and corners of a polygon, exact" if fitted.exact else f"regression, {noise}"
    lines = [f"{count} element{'s' if count > 1 else ''} ({how}); k0 = {_within(elements.k0, fitted.k0_width)}"]
    for n, (eta, k, eta_width, k_width) in enumerate(zip(elements.threshold, elements.stiffness, fitted.threshold_width,
                                                         fitted.stiffness_width), start=1):
        lines.append(f"η{n} = {_within(eta, eta_width)}, k{n} = {_within(k, k_width)}")
    if count > MOST_LINES:
        lines[MOST_LINES:] = [f"… to η{count} = {elements.threshold[-1]:.6g}, all in the .json"]
        lines += [] if fitted.exact else ["a smooth branch? --threshold η(s) identifies a continuous model"]
    return lines


def _within(value, width):
    return f"{value:.4g} ± {width:.1g}" if width else f"{value:.10g}"


def _of_density(fitted, noise):
    stiffness = fitted.stiffness[fitted.known]
    return [f"k(s) from {stiffness.min():.4g} to {stiffness.max():.4g}, ∫k ds = {stiffness.sum() / len(fitted.s):.6g} "
            f"over the yielding s; k0 = {fitted.k0:.6g}",
            f"cubic spline: likeliest weight of ∫k″²: {fitted.smoothing:.2g} ({fitted.freedom:.1f} degrees of freedom "
            f"left); {noise}"]


def _unknown(fitted):
    reach = fitted.branch.width / 2
    beyond = "k0 = 0: all that is stiff yields in this cycle" if fitted.k0 == 0 else (
        f"not known: what yields beyond {reach:.6g}, half the cycle's width; it is in k0")
    if isinstance(fitted, Discrete):
        unknown = [beyond, "not known: whether an element is several of the same η"]
    else:
        if not fitted.known.all():
            beyond = f"not known: k(s) where η(s) > {reach:.6g} ({np.mean(~fitted.known):.0%} of s): continued constant"
        unknown = [beyond, "not unique: another monotone η(s), with its own k(s), has the same cycle"]
    return [*unknown, "not known: mass, and what is viscous"]


def identification_page(fitted, compared, threshold, facts):
    """Return the figure for a Discrete or Continuous model: the measured and the identified cycle, the elements or
    k(s), the residual, and the lines of text `facts`."""
    figure = style.figure(2, 2.6)
    figure.suptitle(f"Identified from {fitted.branch.path.name}", fontsize=11)
    cycle, model, missed, words = figure.subplots(2, 2, height_ratios=(1.1, 1)).flat
    _cycles(cycle, compared)
    (_elements if isinstance(fitted, Discrete) else _density)(model, fitted, threshold)
    noise = 100 * fitted.noise / np.ptp(fitted.branch.force)
    missed.axhspan(-2 * noise, 2 * noise, color=BAND, linewidth=0)
    missed.plot(*_dots((compared.loading[0], 100 * compared.residual)), ".", color=style.COLOURS[0], markersize=3)
    missed.set(xlabel=f"{X_LABEL} from the centre", ylabel="measured − identified,\n% of the force's range",
               title=f"rms {measured(100 * compared.mean)} %, "
               + (f"noise {measured(noise)} % (band: ±2 of it)" if noise else "no noise"))
    words.axis("off")
    lines = [part for fact in facts for part in textwrap.wrap(fact, LINE, subsequent_indent="   ")]
    text = words.text(-0.15, 1, "\n".join(lines), va="top", fontsize=10, transform=words.transAxes, linespacing=1.15)
    # The text is excluded from the automatic layout, which would otherwise shrink the axes.
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
    if not fitted.known.all():
        axes.plot(fitted.s, unknown, linestyle=":", color=style.GREY, label="chosen")
    axes.set(xlabel="s", ylabel="stiffness density k(s)", xlim=(0, 1))
    # The spline is least certain near s = 0 and s = 1, so the values there do not determine the limits of the axis.
    middle = (fitted.s > 0.02) & (fitted.s < 0.98)
    extremes = np.r_[low[middle & fitted.known], high[middle & fitted.known], fitted.stiffness[middle]]
    room = max(0.3 * np.ptp(extremes), 0.02 * extremes.max())
    axes.set_ylim(max(extremes.min() - room, 0), extremes.max() + room)
    # If the band is thinner than the line of k(s), it is not drawn, and the legend states its largest half-width.
    is_visible = 2 * fitted.stiffness_width[middle & fitted.known].max(initial=0) > THIN * np.ptp(axes.get_ylim())
    within = "" if is_visible else f"\n± {measured(fitted.stiffness_width[fitted.known].max(initial=0))} at most (95 %)"
    axes.plot(fitted.s, known, color=style.COLOURS[0], label=f"k(s) for η = {threshold[:24]}{within}")
    if is_visible:
        axes.fill_between(fitted.s, low, high, facecolor=BAND, edgecolor=style.COLOURS[0], linewidth=0.7, label="95 %")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3, columnspacing=0.8)
