"""Estimate the noise of x and of the force in a record over time, and smooth x."""

from collections import namedtuple

import numpy as np
import scipy

from masing.cycles.half_cycles import noise, turning_points

# x is smoothed by polynomials of the degree DEGREE over windows of at least SHORTEST samples.
DEGREE, SHORTEST = 3, 7
# The slope of the force over x is fitted over this fraction of the width in x between two turning points.
SLOPE_WIDTH = 0.05

# The standard deviations of the noise of x and of the force, assumed to be independent from sample to sample.
Noise = namedtuple("Noise", "x force")


def with_smooth_x(curve):
    """Return the Measured curve with its Noise; if x is noisy, also with an x that is smoothed leg by leg.

    The smoothed x̂ replaces x, and f − p (x − x̂) the force f, where p is the slope of the force over x, so that the
    errors of neighbouring forces stay independent; their standard deviation is the field `error` [samples].
    """
    found = Noise(noise(curve.x), noise(curve.force))
    if found.x == 0:
        return curve._replace(noise=found)
    smooth = curve.x
    for _ in range(2):  # the second time, the legs are those of the smoothed x
        smooth = np.concatenate([_smoothed(curve.x[leg]) for leg in _legs(smooth, found.x)])
    slope = np.concatenate([_slope(smooth[leg], curve.force[leg]) for leg in _legs(smooth, found.x)])
    return curve._replace(x=smooth, force=curve.force - slope * (curve.x - smooth), noise=found,
                          error=np.hypot(found.force, slope * found.x))


def _legs(x, deviation):
    cuts = [0, *turning_points(x, deviation)[1:-1], len(x)]
    return [slice(first, last) for first, last in zip(cuts[:-1], cuts[1:])]


def _smoothed(x):
    """Return x [samples] smoothed over the window whose score of generalised cross-validation is least."""
    lengths = np.unique((np.geomspace(SHORTEST, len(x), 20).astype(int) - 1) // 2 * 2 + 1)
    lengths = lengths[lengths >= SHORTEST]
    if len(x) < SHORTEST:
        return x
    fits = [scipy.signal.savgol_filter(x, length, DEGREE) for length in lengths]
    scores = [np.sum((x - fit)**2) / (1 - scipy.signal.savgol_coeffs(length, DEGREE)[length // 2])**2
              for fit, length in zip(fits, lengths)]
    return fits[int(np.argmin(scores))]


def _slope(x, force):
    """Return the slope of the force over x at each sample of a leg, by least squares in a window around it."""
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
