"""Functions that estimate the noise of x and of the force in a record over time, detect jumps of x, and smooth x."""


from collections import namedtuple
import numpy as np
from scipy.signal import savgol_coeffs, savgol_filter
from scipy.stats import t as student

from masing.cycles.half_cycles import LEAST, noise, turning_points
from masing.text import measured, percent

# x is smoothed by polynomials of the degree DEGREE over windows of at least SHORTEST samples.
DEGREE, SHORTEST = 3, 7
# The slope of the force over x is fitted over this fraction of the width of a leg in x. A leg is the part of a curve
# between two turning points.
SLOPE_WIDTH = 0.05
# The probability that a jump is detected in a record without jumps is about FALSE_ALARM. If more than MOST_JUMPS jumps
# are detected, none is reported.
FALSE_ALARM, MOST_JUMPS = 1e-4, 5
# Jumps below this fraction of the range of x are ignored.
SMALLEST_JUMP = 1e-4
# If the speed changes by at least this factor within a window, the motion may have a corner there, which would be
# mistaken for a jump.
MOST_CHANGE = 3


class Noise(namedtuple("Noise", "x force jumps")):
    """The noise of a record.

    `x` and `force` are the standard deviations of the noise of x and of the force, which is assumed to be independent
    from sample to sample. A value is 0 if there is no noise. `jumps` are the jumps of x, which a smooth motion does not
    have, as pairs (index of the first sample after the jump, change of x).
    """

    def words(self, curve):
        """Return lines of text that state the noise of a Measured curve and the jumps of its x."""
        lines = [f"noise of x {percent(self.x / np.ptp(curve.x))} of its range, of force "
                 f"{percent(self.force / np.ptp(curve.force))}: errors in both"] if self.x else []
        for place, size in self.jumps:
            than = f", {abs(size) / self.x:.2g} times the deviation of its noise" if self.x else ""
            lines.append(f"x jumps by {measured(size)} at sample {place + 1}{than}: of the sensor, not of the motion?")
        return lines


def with_smooth_x(curve):
    """Return the Measured curve with its Noise; if x is noisy, also with an x that is smoothed leg by leg.

    The smoothed x̂ replaces x, and f − p (x − x̂) replaces the force f, where p is the slope of the force over x. The
    errors of neighbouring forces thus stay independent. The field `error` [samples] is the standard deviation σ of
    these errors: σ² = σ_f² + p² σ_x², where σ_f and σ_x are the standard deviations of the noise of f and of x.
    """
    smooth = smoothed(curve.x)
    found = Noise(noise(curve.x), noise(curve.force), jumps(curve.x, smooth))
    if found.x == 0:
        return curve._replace(noise=found)
    slope = np.concatenate([_slope(smooth[leg], curve.force[leg]) for leg in _legs(smooth, found.x)])
    return curve._replace(x=smooth, force=curve.force - slope * (curve.x - smooth), noise=found,
                   error=np.hypot(found.force, slope * found.x))


def smoothed(x):
    """Return x [samples] smoothed leg by leg; if x has no noise, return x itself."""
    if noise(x) == 0:
        return x
    smooth = x
    # In the second iteration, the legs end where the smoothed x of the first iteration changes its direction.
    for _ in range(2):
        smooth = np.concatenate([_smoothed(x[leg]) for leg in _legs(smooth, noise(x))])
    return smooth


def jumps(x, smooth):
    """Return the jumps of x [samples] as pairs (index of the first sample after the jump, change of x).

    A smooth motion has no jumps. If more than MOST_JUMPS are detected, they are attributed to a coarse resolution of x,
    and an empty list is returned. `smooth` is x without its noise.

    For every window of consecutive samples, a cubic polynomial plus a step in the middle of the window is fitted to x.
    The step is a jump if Student's t of its size is significant and its size is at least SMALLEST_JUMP times the range
    of x. A window is not considered if the motion in it changes its direction, or changes its speed by the factor
    MOST_CHANGE.
    """
    half = int(np.clip(len(x) / len(_legs(smooth)) / 10, 6, 100))
    if len(x) <= 4 * half or np.ptp(x) == 0:
        return []
    # x is divided by its range, so that its squares do not overflow.
    x, width = x / np.ptp(x), np.ptp(x)
    place = np.arange(2 * half) - half + 0.5
    columns = np.column_stack([np.polynomial.legendre.legvander(place / half, DEGREE), np.sign(place) / 2])
    q, r = np.linalg.qr(columns)
    windows = np.lib.stride_tricks.sliding_window_view(x, 2 * half)
    along = windows @ q
    # The coefficients of the fit are R⁻¹ Qᵀ x, and the step is the last of them. The last row of R⁻¹ has only one
    # number other than 0.
    step = along[:, -1] / r[-1, -1]
    freedom = 2 * half - columns.shape[1]
    left = np.maximum(np.sum(windows**2, axis=1) - np.sum(along**2, axis=1), 0) + LEAST**2
    size = np.abs(step * r[-1, -1]) / np.sqrt(left / freedom)
    size[np.abs(step) < SMALLEST_JUMP] = 0
    third = 2 * half // 3
    speeds = [windows[:, part] @ (place[part] - place[part].mean()) for part in (slice(third), slice(-third, None))]
    size[np.min(speeds, axis=0) * np.max(speeds, axis=0) <= np.max(np.square(speeds), axis=0) / MOST_CHANGE] = 0
    least = student.isf(FALSE_ALARM / len(x), freedom)
    found = []
    while len(found) <= MOST_JUMPS and size.max() > least:
        best = int(np.argmax(size))
        found.append((best + half, float(step[best] * width)))
        size[max(best - 2 * half, 0):best + 2 * half] = 0
    return sorted(found) if len(found) <= MOST_JUMPS else []


def _legs(x, deviation=None):
    cuts = [0, *turning_points(x, deviation)[1:-1], len(x)]
    return [slice(first, last) for first, last in zip(cuts[:-1], cuts[1:])]


def _smoothed(x):
    """Return x [samples] smoothed by cubic polynomials over a moving window. The length of the window is chosen such
    that the score of generalised cross-validation is least."""
    lengths = np.unique((np.geomspace(SHORTEST, len(x), 20).astype(int) - 1) // 2 * 2 + 1)
    lengths = lengths[(lengths >= SHORTEST) & (lengths <= len(x))]
    if len(lengths) == 0:
        return x
    fits = [savgol_filter(x, length, DEGREE) for length in lengths]
    scores = [np.sum((x - fit)**2) / (1 - savgol_coeffs(length, DEGREE)[length // 2])**2
              for fit, length in zip(fits, lengths)]
    return fits[int(np.argmin(scores))]


def _slope(x, force):
    """Return the slope of the force over x at each sample of a leg. A slope is fitted by least squares to the samples
    in a window whose width in x is SLOPE_WIDTH times that of the leg."""
    order = np.argsort(x, kind="stable")
    place, value = x[order], force[order]
    reach = SLOPE_WIDTH * np.ptp(x) / 2
    first, last = np.searchsorted(place, place - reach), np.searchsorted(place, place + reach, side="right")
    sums = [np.r_[0, np.cumsum(each)] for each in (np.ones_like(place), place, value, place * value, place**2)]
    n, sx, sf, sxf, sxx = (each[last] - each[first] for each in sums)
    spread = n * sxx - sx**2
    slope = np.divide(n * sxf - sx * sf, spread, out=np.zeros_like(place), where=spread > 0)
    result = np.empty_like(slope)
    result[order] = slope
    return result
