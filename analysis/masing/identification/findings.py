"""Report an identification, compared with the measured cycle, as lines of text and as numbers."""

from collections import namedtuple

import numpy as np

from masing.identification.discrete import Discrete
from masing.text import percent, uncertain

# The unloading half is compared with the model if it is as wide as the loading branch, up to this fraction.
SAME_WIDTH = 1e-3
MOST_LISTED = 8
# The correlation of neighbouring residuals is reported if it exceeds this many standard errors of independent ones.
CORRELATED = 3


class Comparison(namedtuple("Comparison", "loading unloading identified_loading identified_unloading residual "
                                          "largest mean unloading_largest unloading_residual correlation units")):
    """The measured cycle and that of the identified model, in halves (x, force) from the centre of the cycle.

    `residual` and `unloading_residual` [points] are the measured force minus the identified one. `largest` and `mean`
    are the largest absolute value and the root mean square of the first, and `unloading_largest` is the largest of the
    second, or NaN. These five are fractions of the range of the measured force on the loading half. `correlation` is
    that of neighbouring residuals, or 0 if it is not significant.
    """


def compare(fitted, half, run):
    """Return the Comparison of a HalfCycle with a Run of the model `fitted` to it."""
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
    off = residual - residual.mean()
    correlation = np.dot(off[1:], off[:-1]) / (np.dot(off, off) or 1.0)
    whole = len(other) and abs(np.ptp(half.before_x) / fitted.branch.width - 1) <= SAME_WIDTH
    return Comparison(loading, unloading, rising, falling, residual, np.abs(residual).max(),
                      np.sqrt(np.mean(residual**2)), np.abs(other).max() if whole else np.nan, other,
                      float(correlation) if correlation > CORRELATED / np.sqrt(len(off)) else 0.0,
                      half.curve.units)


def facts(fitted, compared):
    """Return lines of text: the model, its numbers with half-widths, its misfit, and what is not determined."""
    noise = f"noise {percent(fitted.noise / np.ptp(fitted.branch.force))} of the force's range"
    lines = (_of_elements if isinstance(fitted, Discrete) else _of_density)(fitted, noise)
    correlation = min(compared.correlation, 0.999)
    if correlation and not getattr(fitted, "exact", False):
        lines.append(f"the residuals of neighbouring samples are correlated ({correlation:.2g}), but the half-widths "
                     "are those of independent errors: they are about "
                     f"{np.sqrt((1 + correlation) / (1 - correlation)):.2g} times too small")
    misfit = f"misfit of the cycle: max {percent(compared.largest)}, rms {percent(compared.mean)} of the force's range"
    if np.isfinite(compared.unloading_largest):
        use = "used, too" if fitted.branch.with_unloading else "not used"
        misfit += f"; of the unloading half, {use}: {percent(compared.unloading_largest)}"
    return [*lines, misfit, _unknown(fitted)]


def numbers(fitted, compared, threshold, noise):
    """Return the findings as {name: value} for the text η(s), or None, and the Noise of the measured curve."""
    elements = fitted.elements
    common = {"cycle": fitted.branch.path.name, "k0": elements.k0, "amplitude": fitted.branch.width / 2,
              "noise": fitted.noise, "noise_of_x": noise.x, "noise_of_force": noise.force,
              "misfit_max": compared.largest, "misfit_rms": compared.mean,
              "misfit_max_unloading": compared.unloading_largest, "correlation_of_residuals": compared.correlation,
              "k0_halfwidth_95": fitted.k0_width, "unknown": _unknown(fitted)}
    if isinstance(fitted, Discrete):
        own = {"model": "discrete-masing", "n": len(elements.stiffness), "exact": fitted.exact,
               "eta": elements.threshold, "eta_halfwidth_95": fitted.threshold_width,
               "k": elements.stiffness, "k_halfwidth_95": fitted.stiffness_width}
    else:
        own = {"model": "masing", "threshold": threshold, "smoothing": fitted.smoothing, "freedom": fitted.freedom,
               "s": fitted.s, "eta": fitted.threshold, "k": fitted.stiffness, "k_halfwidth_95": fitted.stiffness_width,
               "yields": fitted.known, "stiffness_at_ends": fitted.ends}
        for name, (value, width) in fitted.estimates.items():
            own |= {name: value, f"{name}_halfwidth_95": width}
    return own | common


def _of_elements(fitted, noise):
    elements = fitted.elements
    count = len(elements.stiffness)
    exact = "a polygon, exact if each gap between samples has one corner at most; ± of η holds without this"
    rows = [row for n, (eta, eta_width, k, k_width) in enumerate(
                zip(elements.threshold, fitted.threshold_width, elements.stiffness, fitted.stiffness_width), start=1)
            if n <= MOST_LISTED for row in ((f"η{n}", eta, eta_width), (f"k{n}", k, k_width))]
    lines = [f"{count} element{'s' if count > 1 else ''} of the model discrete-masing "
             f"({exact if fitted.exact else f'regression, {noise}'})",
             *_table([*rows, ("k0", elements.k0, fitted.k0_width)])]
    if count > MOST_LISTED:
        lines.append(f"all {count} elements are in the .json")
    if fitted.is_smooth:
        lines.append("a smooth curve explains the branch as well as these elements or better: a threshold η(s) "
                     "identifies a continuous model")
    return lines


def _of_density(fitted, noise):
    integral, slope, area, damping = fitted.estimates.values()
    rest = ("k0", fitted.k0, fitted.k0_width) if fitted.known.all() else ("k0 + ∫k ds over all other s", *slope)
    rows = [("∫k ds over the s that yield", *integral), rest, ("area ∮ f dx of the cycle", *area),
            ("damping ratio of the cycle", *damping)]
    lines = ["k(s) of the model masing, a cubic spline (in the .json), and numbers of the fitted cycle", *_table(rows),
             f"likeliest weight of ∫k″²: {fitted.smoothing:.2g} ({fitted.freedom:.1f} degrees of freedom left); {noise}"]
    if fitted.ends:
        lines.append(f"beside k(s) the fit has a stiffness of {fitted.ends:.2g} at the ends of η, as the cycle of a model "
                     "with cells has; the numbers above include it, and the model that is written does not")
    return lines


def _table(rows):
    """Return the lines of a table of numbers; the rows are (name, value, half-width of the 95 % interval)."""
    widest = max(len(name) for name, *_ in rows)
    texts = [(name, uncertain(value, width) if width > 0 else f"{value:.10g}") for name, value, width in rows]
    return [f"  {name:<{widest}}  {text}" for name, text in (("", "value ± (95 %)"), *texts)]


def _unknown(fitted):
    unknown = f"not known: what yields beyond {fitted.branch.width / 2:.6g}, half the cycle's width"
    if isinstance(fitted, Discrete):
        return f"{unknown}, which is in k0; and whether an element is several of the same η"
    return f"{unknown}; not unique: another η(s), with its own k(s), has the same cycle"
