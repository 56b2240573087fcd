"""Polygonal branches: straight segments of exact samples, and regression for noisy ones; segments of whole cycles."""

from collections import namedtuple

import numpy as np
from scipy.optimize import least_squares, nnls

# The slope between samples nearer than this fraction of the branch's width is mostly rounding.
SPACING = 1e-5
# Two secants are one straight line when their slopes agree to this fraction of the steepest, and to rounding.
SAME_SLOPE = 1e-8
ROUNDING = 32 * np.finfo(float).eps
FEWEST_SECANTS = 2
# The same of a whole cycle's widest rising half, its segments' fewest secants and least part of its width, the list's end.
SAME_SLOPE_OF_CYCLE, FEWEST_OF_CYCLE, SHORTEST, MANY_SLOPES = 1e-6, 3, 0.01, 12
# Abscissas at which corners are looked for at first.
CANDIDATES = 120
MOST_CORNERS = 40
# What a corner must lower the criterion by, in units of log(points): two for its parameters, one for the search.
PRICE = 3
# Samples beyond this are averaged in groups before the fit; a corner's place is not known better than that anyway.
MOST_POINTS = 8000
# The 95 % quantile of the normal distribution, two-sided.
NORMAL_95 = 1.96


class Segments(namedtuple("Segments", "slope level")):
    """The lines f = slope x + level of the straight segments of a branch, in order, each [segments]."""

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


def straight_slopes(x, restoring):
    """The slopes [segments] of the straight segments of the widest rising half, of three samples on, of x, restoring."""
    part = _widest_rise(x)
    if part is None:
        return np.zeros(0)
    x, restoring = x[part], restoring[part]
    slopes = np.diff(restoring) / np.diff(x)
    first, last = equal_runs(slopes, SAME_SLOPE_OF_CYCLE * np.abs(slopes).max(), FEWEST_OF_CYCLE)
    long = x[last + 1] - x[first] >= SHORTEST * (x[-1] - x[0])
    return slopes[first[long]]


def _widest_rise(x):
    first, last = true_runs(np.diff(x) > 0)
    if len(first) == 0:
        return None
    # A rise that the window cuts off is only part of a half-cycle.
    whole = (first > 0) & (last < len(x) - 1)
    if whole.any():
        first, last = first[whole], last[whole]
    widest = np.argmax(x[last] - x[first])
    return slice(first[widest], last[widest] + 1) if last[widest] - first[widest] >= FEWEST_OF_CYCLE else None


def segments_in_words(x, restoring, most=MANY_SLOPES):
    """The straight_slopes() in short, `3: 1.000, 0.667, 0.333`; of more than `most` the first and the last."""
    slopes = [f"{slope:.3f}" for slope in straight_slopes(x, restoring)]
    shown = slopes if len(slopes) <= most else [slopes[0], "…", slopes[-1]]
    return f"{len(slopes)}: {', '.join(shown)}" if slopes else "none"


def true_runs(flags):
    """First and one-past-last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.r_[0, flags.astype(int), 0]))
    return edges[::2], edges[1::2]


def equal_runs(values, tolerance, fewest=FEWEST_SECANTS):
    """First and last index of each longest run of at least `fewest` values that are as good as equal."""
    first, last = true_runs(np.abs(np.diff(values)) <= tolerance)
    long = last - first + 1 >= fewest
    return first[long], last[long]


def _thinned(x, force):
    """The samples in the order of x, none nearer to the one before than SPACING."""
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


class Polygon(namedtuple("Polygon", "start last_slope corner drop corner_width drop_width last_slope_width noise")):
    """f = start + last_slope d + Σ drop_j min(d, corner_j): corners and drops of the slope [corners], 95 %
    half-widths. `noise` is the standard deviation of the force that remains."""

    def force(self, distance):
        """The force at the distances [n] from the start."""
        return _design(distance, self.corner) @ np.r_[self.start, self.last_slope, self.drop]


def fit_polygon(distance, force):
    """The Polygon of the lowest BIC, n log(RSS/n) + PRICE log(n) corners, that fits force at distance [points].
    Slopes never increase and are never negative, as those of a loading branch."""
    distance, force = grouped(distance, force)
    # At first the equidistant candidates at which the best fit has corners, the strongest where there are too many.
    candidates = np.linspace(0, distance[-1], CANDIDATES + 2)[1:-1]
    drop = _linear(distance, force, candidates)[2:]
    strongest = np.argsort(drop)[-MOST_CORNERS:]
    corner = candidates[np.sort(strongest[drop[strongest] > 1e-9 * drop.max(initial=0.0)])]
    best, lowest = None, np.inf
    floor = (np.finfo(float).eps * np.abs(force).max())**2 * len(force)
    while True:
        fit = _refined(distance, force, corner)
        residual = max(np.sum((fit.force(distance) - force)**2), floor)
        criterion = len(force) * np.log(residual / len(force)) + PRICE * np.log(len(force)) * len(fit.corner)
        if criterion <= lowest:
            best, lowest = fit, criterion
        if len(fit.corner) == 0:
            return best
        # Without the corner whose loss costs the least.
        fewer = [np.delete(fit.corner, n) for n in range(len(fit.corner))]
        costs = [np.sum(_residual(distance, force, rest, _linear(distance, force, rest))**2) for rest in fewer]
        corner = fewer[int(np.argmin(costs))]


def concave_misfit(distance, force, *others):
    """The rms by which the best concave rising polygon and multiples >= 0 of others [points] miss the force."""
    candidates = np.linspace(0, distance[-1], CANDIDATES + 2)[1:-1]
    columns = np.column_stack([_design(distance, candidates), *others])
    return np.sqrt(np.mean((columns @ _rising(columns, force) - force)**2))


def grouped(distance, force):
    """The samples, averaged in groups where there are more than MOST_POINTS."""
    size = -(-len(distance) // MOST_POINTS)
    if size == 1:
        return distance, force
    starts = np.arange(0, len(distance), size)
    count = np.diff(np.r_[starts, len(distance)])
    return np.add.reduceat(distance, starts) / count, np.add.reduceat(force, starts) / count


def _design(distance, corner):
    """The columns 1, d, min(d, corner_1), …: [points, 2 + corners]."""
    return np.column_stack([np.ones_like(distance), distance, np.minimum(distance[:, None], corner)])


def _linear(distance, force, corner):
    """Start, last slope and drops, none of the slopes negative, of the best fit with these corners."""
    return _rising(_design(distance, corner), force)


def _rising(columns, force):
    """The coefficients of least squares, all but the first of them >= 0."""
    q, r = np.linalg.qr(np.column_stack([columns[:, 0], -columns[:, 0], columns[:, 1:]]))
    found, _ = nnls(r, q.T @ force, maxiter=100 * r.shape[1])
    return np.r_[found[0] - found[1], found[2:]]


def _residual(distance, force, corner, linear):
    return _design(distance, corner) @ linear - force


def _refined(distance, force, corner):
    """The Polygon with corners moved to the least squares."""
    n, scale, height = len(corner), distance[-1], np.ptp(force) or 1.0
    start = np.r_[_linear(distance, force, corner), corner]
    if n:
        units = np.r_[height, np.full(n + 1, height / scale), np.full(n, scale)]
        lower = np.r_[-np.inf, np.zeros(n + 1), np.full(n, distance[0])]
        upper = np.r_[np.full(n + 2, np.inf), np.full(n, distance[-1])]
        inside = np.clip(start, lower + 1e-12 * units, upper - 1e-12 * units)
        solved = least_squares(lambda p: _residual(distance, force, p[n + 2:], p[:n + 2]), inside, x_scale=units,
                               jac=lambda p: _jacobian(distance, p, n), bounds=(lower, upper), max_nfev=60)
        start = solved.x
    order = np.argsort(start[n + 2:])
    parameters = np.r_[start[:2], start[2:n + 2][order], start[n + 2:][order]]
    residual = _residual(distance, force, parameters[n + 2:], parameters[:n + 2])
    noise = np.sqrt(np.sum(residual**2) / max(len(force) - len(parameters), 1))
    covariance = np.linalg.pinv(_jacobian(distance, parameters, n)) * noise
    widths = NORMAL_95 * np.sqrt(np.sum(covariance**2, axis=1))
    return Polygon(parameters[0], parameters[1], parameters[n + 2:], parameters[2:n + 2],
                   widths[n + 2:], widths[2:n + 2], widths[1], noise)


def _jacobian(distance, parameters, n):
    drop, corner = parameters[2:n + 2], parameters[n + 2:]
    return np.column_stack([_design(distance, corner), drop * (distance[:, None] > corner)])
