"""The straight segments of a polygonal branch, exact where the samples are exact."""

from dataclasses import dataclass

import numpy as np

# Samples nearer than this fraction of the branch's width say more about rounding than about slopes.
SPACING = 1e-5
# Two secants are one straight line when their slopes agree to this fraction of the steepest, and to rounding.
SAME_SLOPE = 1e-8
ROUNDING = 32 * np.finfo(float).eps
FEWEST_SECANTS = 2


@dataclass(frozen=True)
class Segments:
    """The lines f = slope x + level of the straight segments of a branch, in order, each [segments]."""

    slope: np.ndarray
    level: np.ndarray

    def corners(self):
        """The abscissas of the corners between neighbours [segments - 1]."""
        return -np.diff(self.level) / np.diff(self.slope)


def segments(x, force):
    """The Segments of a monotone branch x, force [points], or None when it is curved, noisy or sampled too coarsely.

    A polygon sampled anywhere has at most one secant that is on no segment between two that are, and at either end
    one towards a sample beyond the turning point.
    """
    x, force = _thinned(x, force)
    if len(x) < FEWEST_SECANTS + 1:
        return None
    secants = np.diff(force) / np.diff(x)
    steepest = np.abs(secants).max()
    rounding = ROUNDING * (np.abs(force).max() + steepest * np.abs(x).max()) / np.abs(np.diff(x)).min()
    first, last = equal_runs(secants, SAME_SLOPE * steepest + rounding)
    gaps = np.r_[first, len(secants)] - np.r_[0, last + 1]
    if len(first) == 0 or gaps.max() > 1:
        return None
    lines = [_line(x[a:b + 2], force[a:b + 2]) for a, b in zip(first, last)]
    return Segments(*np.array(lines).T)


def equal_runs(values, tolerance, fewest=FEWEST_SECANTS):
    """First and last index of each longest run of at least `fewest` values that are as good as equal."""
    same = np.abs(np.diff(values)) <= tolerance
    edges = np.flatnonzero(np.diff(np.r_[0, same.astype(int), 0]))
    first, last = edges[::2], edges[1::2]
    long = last - first + 1 >= fewest
    return first[long], last[long]


def _thinned(x, force):
    """The samples in the order of x, none nearer to its forerunner than SPACING."""
    order = np.argsort(x, kind="stable")
    x, force = x[order], force[order]
    cell = np.floor((x - x[0]) / (SPACING * (x[-1] - x[0])))
    kept = np.r_[True, np.diff(cell) > 0]
    kept &= np.r_[True, np.diff(x, prepend=x[0])[1:] > 0]
    return x[kept], force[kept]


def _line(x, force):
    """Slope and level of the least-squares line, about the middle of x so that nothing cancels."""
    middle, mean = x.mean(), force.mean()
    slope = np.dot(x - middle, force - mean) / np.dot(x - middle, x - middle)
    return slope, mean - slope * middle
