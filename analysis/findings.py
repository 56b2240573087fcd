"""What an identification found and what it cannot know, as lines of text and as JSON."""

import json
import math

import numpy as np

from discrete import Discrete
from notation import measured

MOST_LINES = 8
# A Masing model's halves are mirror images; where they differ by this share of the force's range they are not.
UNLIKE = 0.05


def facts(found, compared):
    """The findings as short lines: the model, the misfit, and what cannot be known."""
    lines = _of_elements(found) if isinstance(found, Discrete) else _of_density(found)
    use = "used, too" if found.branch.pooled else "not used"
    other = f"; of the unloading half, {use}: {_percent(compared.unloading_largest)}"
    other = "" if math.isnan(compared.unloading_largest) else other
    unlike = []
    if compared.unloading_largest > UNLIKE and not found.branch.pooled:
        unlike = ["the unloading half is not the loading half turned round: no Masing model has this cycle"]
    return [*lines, f"misfit of the cycle: max {_percent(compared.largest)}, rms {_percent(compared.mean)} of the "
                    f"force's range{other}", *unlike, *_unknown(found)]


def numbers(found, compared, threshold):
    """The findings as the bytes of a JSON object; what is not a number is null."""
    elements = found.elements
    common = {"cycle": found.branch.path.name, "k0": elements.k0, "amplitude": found.branch.width / 2,
              "noise": found.noise, "misfit_max": compared.largest, "misfit_rms": compared.mean,
              "misfit_max_unloading": compared.unloading_largest, "unknown": _unknown(found)}
    if isinstance(found, Discrete):
        own = {"model": "discrete-masing", "n": len(elements.stiffness), "exact": found.exact,
               "eta": elements.threshold, "eta_halfwidth_95": found.threshold_width,
               "k": elements.stiffness, "k_halfwidth_95": found.stiffness_width}
    else:
        own = {"model": "masing", "threshold": threshold, "smoothing": found.smoothing, "freedom": found.freedom,
               "s": found.s, "eta": found.threshold, "k": found.stiffness, "k_halfwidth_95": found.stiffness_width,
               "yields": found.known.tolist()}
    return (json.dumps({key: _plain(value) for key, value in (own | common).items()}, indent=1) + "\n").encode()


def _plain(value):
    if isinstance(value, np.ndarray):
        return [_plain(each) for each in value.tolist()]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value


def _percent(value):
    return f"{measured(100 * value)} %"


def _noise(found):
    return f"noise {_percent(found.noise / np.ptp(found.branch.force))} of the force's range"


def _of_elements(found):
    elements = found.elements
    count = len(elements.stiffness)
    how = "slopes and corners of a polygon, exact" if found.exact else f"regression, {_noise(found)}"
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


def _of_density(found):
    stiffness = found.stiffness[found.known]
    return [f"k(s) from {stiffness.min():.4g} to {stiffness.max():.4g}, ∫k ds = {stiffness.sum() / len(found.s):.6g} "
            f"over the yielding s; k0 = {found.k0:.6g}",
            f"cubic spline: weight of ∫k″² by generalised cross-validation: {found.smoothing:.2g}",
            f"({found.freedom:.1f} degrees of freedom left); {_noise(found)}"]


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
