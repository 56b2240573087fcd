"""The findings of an identification: the comparison with the measured cycle, lines of text, JSON."""

import math
from collections import namedtuple

import numpy as np

from masing.identification.discrete import Discrete
from masing.notation import measured

# The unloading half belongs to the same cycle when its width agrees to this fraction.
SAME_WIDTH = 1e-3
MOST_LINES = 8


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
    noise = f"noise {_percent(found.noise / np.ptp(found.branch.force))} of the force's range"
    lines = (_of_elements if isinstance(found, Discrete) else _of_density)(found, noise)
    use = "used, too" if found.branch.with_unloading else "not used"
    other = f"; of the unloading half, {use}: {_percent(compared.unloading_largest)}"
    other = "" if math.isnan(compared.unloading_largest) else other
    return [*lines, f"misfit of the cycle: max {_percent(compared.largest)}, rms {_percent(compared.mean)} of the "
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


def _percent(value):
    return f"{measured(100 * value)} %"


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
