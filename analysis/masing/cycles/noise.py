"""Noise of a record in time: how large it is in x and in force, jumps of x, and a record whose x is without noise."""


from collections import namedtuple
import numpy as np
from scipy.signal import savgol_coeffs, savgol_filter
from scipy.stats import t as student

from masing.cycles.half_cycles import turning_points
from masing.notation import measured, percent

# Differences of this and of the higher order agree on noise, and not on a smooth motion.
LOW, HIGH, AGREE = 4, 6, 0.7
# x is not known better than this fraction of its range.
LEAST = 1e-6
# The degree of the polynomials that smooth x, and their shortest window, in samples.
DEGREE, SHORTEST = 3, 7
# A slope of the force is that over this fraction of a leg's width.
SLOPE_WIDTH = 0.05
# How often a record without jumps is said to have one, and of how many at most it is said.
FALSE_ALARM, MOST_JUMPS = 1e-4, 5
# Jumps below this fraction of the range do not matter.
SMALLEST_JUMP = 1e-4
# A motion that gets faster or slower by this factor within the window looked at may hold a corner.
MOST_CHANGE = 3


class Noise(namedtuple("Noise", "x force jumps")):
    """Standard deviations of the noise of x and of force, each from one sample to the next; 0 where there is none.
    `jumps` are the pairs (index of the first sample behind it, size) of what x jumps by, as no smooth motion does."""

    def words(self, curve):
        """What is to be said of the noise and the jumps of a Measured curve: lines."""
        lines = [f"noise of x {percent(self.x / np.ptp(curve.x))} of its range, of force "
                 f"{percent(self.force / np.ptp(curve.force))}: errors in both"] if self.x else []
        for place, size in self.jumps:
            than = f", {abs(size) / self.x:.2g} times the deviation of its noise" if self.x else ""
            lines.append(f"x jumps by {measured(size)} at sample {place + 1}{than}: of the sensor, not of the motion?")
        return lines


def noise(values):
    """The standard deviation of white noise on a smooth sequence [samples]; 0 where the sequence is only smooth."""
    low, high = (_deviation(values, order) for order in (LOW, HIGH))
    return low if high >= AGREE * low and low > LEAST * np.ptp(values) else 0.0


def _deviation(values, order):
    """From differences of the order, whose variance is (2 order choose order) of that of the noise."""
    if len(values) <= order:
        return 0.0
    off = np.diff(values, order)
    variance = np.prod((order + 1 + np.arange(order)) / (1 + np.arange(order)))
    # 0.6745 is the median of |normal|.
    return np.median(np.abs(off)) / 0.6745 / np.sqrt(variance)


def with_smooth_x(curve):
    """The Measured curve with its x smoothed in time, leg by leg, where x is noisy; else the same.

    Replaces x by its smoothed x̂ and f by f − p (x − x̂), p = dΘ/dx, so that errors of neighbours stay independent:
    `error` [samples] is their deviation, σ² = σ_f² + p² σ_x².
    """
    smooth = smoothed(curve.x)
    found = Noise(noise(curve.x), noise(curve.force), jumps(curve.x, smooth))
    if found.x == 0:
        return curve._replace(noise=found)
    slope = np.concatenate([_slope(smooth[leg], curve.force[leg]) for leg in _legs(smooth)])
    return curve._replace(x=smooth, force=curve.force - slope * (curve.x - smooth), noise=found,
                   error=np.hypot(found.force, slope * found.x))


def smoothed(x):
    """x [samples] without its noise, leg by leg; x itself where it has none."""
    if noise(x) == 0:
        return x
    smooth = x
    # The second time, the legs end where the smooth motion turns.
    for _ in range(2):
        smooth = np.concatenate([_smoothed(x[leg]) for leg in _legs(smooth)])
    return smooth


def jumps(x, smooth):
    """Where x [samples], a smooth motion apart, jumps: pairs (index, size), at most MOST_JUMPS of them.

    More are taken for coarse readings: []. `smooth` is x without its noise.

    A jump is a step that a cubic polynomial and a step over a window miss x by much less with than without: Student's t
    of the step's size, of all windows in which the motion keeps its direction and much of its speed.
    """
    half = int(np.clip(len(x) / len(_legs(smooth)) / 10, 6, 100))
    if len(x) <= 4 * half or np.ptp(x) == 0:
        return []
    # Relative, so that no square is too large.
    x, width = x / np.ptp(x), np.ptp(x)
    place = np.arange(2 * half) - half + 0.5
    columns = np.column_stack([np.polynomial.legendre.legvander(place / half, DEGREE), np.sign(place) / 2])
    q, r = np.linalg.qr(columns)
    windows = np.lib.stride_tricks.sliding_window_view(x, 2 * half)
    along = windows @ q
    # The last row of R⁻¹ has one number: the step is the last of the coefficients.
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


def _legs(x):
    cuts = [0, *turning_points(x)[1:-1], len(x)]
    return [slice(first, last) for first, last in zip(cuts[:-1], cuts[1:])]


def _smoothed(x):
    """x by cubic polynomials over a moving window of the length of least generalised cross-validation."""
    lengths = np.unique((np.geomspace(SHORTEST, len(x), 20).astype(int) - 1) // 2 * 2 + 1)
    lengths = lengths[(lengths >= SHORTEST) & (lengths <= len(x))]
    if len(lengths) == 0:
        return x
    fits = [savgol_filter(x, length, DEGREE) for length in lengths]
    scores = [np.sum((x - fit)**2) / (1 - savgol_coeffs(length, DEGREE)[length // 2])**2
              for fit, length in zip(fits, lengths)]
    return fits[int(np.argmin(scores))]


def _slope(x, force):
    """The slope [samples] of the force over x on a leg: of least squares over a window of SLOPE_WIDTH of its width."""
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
