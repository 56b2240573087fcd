"""Divide branches and cycles into straight segments if they are polygons, exactly or, with noise, by regression.

A secant is the line through two neighbouring samples of a branch, the force over x between two reversals of x.
"""

from collections import namedtuple

import numpy as np
import scipy

# Of the samples in each interval of this fraction of the width of a branch, only the first is used, because the slope
# between nearer samples is mostly rounding error.
SPACING = 1e-5
# Neighbouring secants belong to the same segment if their slopes differ by at most SAME_SLOPE times the steepest slope,
# plus rounding errors. A segment has at least FEWEST_SECANTS secants.
SAME_SLOPE, FEWEST_SECANTS, ROUNDING = 1e-8, 2, 32 * np.finfo(float).eps
# A regression begins with at most MOST_CORNERS corners, at CANDIDATES equidistant places. A corner is accepted if it
# lowers n log(RSS/n) by PRICE log(n), where n is the number of points and RSS the residual sum of squares. PRICE is 2
# for the two parameters of a corner, and 1 for the search for its place.
CANDIDATES, MOST_CORNERS, PRICE = 120, 40, 3
# A polygon is compared with smooth curves, which are splines of the degree DEGREE with 1 to MOST_INTERVALS equal
# intervals. In this comparison each parameter costs COST, which is more than Akaike's 2 and less than log(n). From
# LEAST_SUPPORT on a polygon is supported: strong evidence, as twice the log of a Bayes factor.
DEGREE, MOST_INTERVALS, COST, LEAST_SUPPORT = 3, 40, 3, 6
# More samples than this are averaged in groups before the regression, which loses little.
MOST_POINTS = 8000
NORMAL_95 = 1.96


class Segments(namedtuple("Segments", "slope level")):
    """The straight segments f = slope x + level [segments] of a branch, in the order of x."""

    def corners(self):
        """Return the x of the corners between neighbouring segments."""
        return -np.diff(self.level) / np.diff(self.slope)


def segments(x, force):
    """Return the Segments of a monotone branch x, force [points], or None if it is curved, noisy or too coarse.

    Of a polygon at most the first secant, the last one, and one between two segments lie on no segment.
    """
    if len(x) < FEWEST_SECANTS + 1:
        return None
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
    # Distances to the mean avoid cancellation.
    means = np.array([(x[a:b + 2].mean(), force[a:b + 2].mean()) for a, b in zip(first, last)]).T
    slope = np.array([np.polyfit(x[a:b + 2] - x_mean, force[a:b + 2] - f_mean, 1)[0]
                      for a, b, x_mean, f_mean in zip(first, last, *means)])
    return Segments(slope, means[1] - slope * means[0])


def straight_slopes(x, restoring):
    """Return the slopes of the segments of the widest rising half-cycle of the curve, if it consists of segments."""
    first, last = true_runs(np.diff(x) > 0)
    # A rise at an end of the record may be a part of a half-cycle, and is used only if there is no other.
    whole = (first > 0) & (last < len(x) - 1)
    if whole.any():
        first, last = first[whole], last[whole]
    start, end = max(zip(first, last), key=lambda rise: x[rise[1]] - x[rise[0]], default=(0, 0))
    lines = segments(x[start:end + 1], restoring[start:end + 1])
    return np.zeros(0) if lines is None else lines.slope


def segments_in_words(x, restoring):
    """Return the number of straight_slopes() and the slopes, or the first and the last of more than three, as text."""
    slopes = [f"{slope:.3f}" for slope in straight_slopes(x, restoring)]
    shown = slopes if len(slopes) <= 3 else [slopes[0], "…", slopes[-1]]
    return f"{len(slopes)}: {', '.join(shown)}" if slopes else "none"


def true_runs(flags):
    """Return the first indices of the runs of consecutive true values, and the indices after their last ones."""
    edges = np.flatnonzero(np.diff(np.r_[0, flags.astype(int), 0]))
    return edges[::2], edges[1::2]


def equal_runs(values, tolerance):
    """Return the first and the last indices of the runs of FEWEST_SECANTS or more values without a step > tolerance."""
    first, last = true_runs(np.abs(np.diff(values)) <= tolerance)
    long = last - first + 1 >= FEWEST_SECANTS
    return first[long], last[long]


def _thinned(x, force):
    """Return the samples sorted by x, and of those in each interval of SPACING only the first."""
    order = np.argsort(x, kind="stable")
    x, force = x[order], force[order]
    cell = np.floor((x - x[0]) / (SPACING * (x[-1] - x[0])))
    kept = np.r_[True, np.diff(cell) > 0]
    return x[kept], force[kept]


class Polygon(namedtuple("Polygon", "start last_slope corner drop corner_width drop_width last_slope_width noise "
                                    "support", defaults=[None])):
    """The polygon f = start + last_slope d + Σ_j drop_j min(d, corner_j), fitted to forces f at the distances d.

    The fields …_width are half-widths of 95 % confidence intervals, and `noise` is the standard deviation of a force.
    `support` is n log(RSS/n) + COST q of the best smooth curve of q parameters less that of the polygon.
    """

    def force(self, distance):
        """Return the force at the distances [n] from the start."""
        return _design(distance, self.corner) @ np.r_[self.start, self.last_slope, self.drop]


def fit_polygon(distance, force):
    """Return the Polygon that fits the force at the distances [points] and has the lowest information criterion.

    The criterion n log(RSS/n) + PRICE c log(n) for n points and c corners is similar to the BIC. The fit begins with
    many corners, and removes them one by one. The slopes of a polygon never increase and are never negative.
    """
    distance, force = grouped(distance, force)
    # The first corners are the candidates at which the slope of the best fit decreases most.
    candidates = np.linspace(0, distance[-1], CANDIDATES + 2)[1:-1]
    drop = _rising(_design(distance, candidates), force)[2:]
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
            of_polygon = lowest + 2 * COST + (2 * COST - PRICE * np.log(len(force))) * len(best.corner)
            return best._replace(support=_smooth_criterion(distance, force, floor) - of_polygon)
        # The corner whose removal increases the sum of squares the least is removed.
        fewer = [np.delete(fit.corner, n) for n in range(len(fit.corner))]
        designs = [_design(distance, rest) for rest in fewer]
        costs = [np.sum((design @ _rising(design, force) - force)**2) for design in designs]
        corner = fewer[int(np.argmin(costs))]


def _smooth_criterion(distance, force, floor):
    """Return the least criterion of smooth curves, whose residual sum of squares is at least `floor`."""
    def criterion(intervals):
        knots = np.r_[np.zeros(DEGREE), np.linspace(0, distance[-1], intervals + 1), np.full(DEGREE, distance[-1])]
        q, _ = np.linalg.qr(scipy.interpolate.BSpline.design_matrix(distance, knots, DEGREE).toarray())
        residual = max(np.sum((force - q @ (q.T @ force))**2), floor)
        return len(force) * np.log(residual / len(force)) + COST * (intervals + DEGREE)

    most = min(MOST_INTERVALS, len(force) - DEGREE - 1)
    return float(min(map(criterion, range(1, most + 1)), default=np.inf))


def concave_misfit(distance, force):
    """Return the rms residual of the best fit by a concave rising polygon."""
    design = _design(distance, np.linspace(0, distance[-1], CANDIDATES + 2)[1:-1])
    return np.sqrt(np.mean((design @ _rising(design, force) - force)**2))


def grouped(distance, force):
    """Return the samples, averaged in groups of consecutive ones if there are more than MOST_POINTS."""
    starts = np.arange(0, len(distance), -(-len(distance) // MOST_POINTS))
    count = np.diff(np.r_[starts, len(distance)])
    return np.add.reduceat(distance, starts) / count, np.add.reduceat(force, starts) / count


def _design(distance, corner):
    """Return the matrix [points, 2 + corners] with the columns 1, d, min(d, corner_1), …, where d is the distance."""
    return np.column_stack([np.ones_like(distance), distance, np.minimum(distance[:, None], corner)])


def _rising(columns, force):
    """Return the coefficients of the columns in a least-squares fit; all but the first are constrained to be >= 0."""
    q, r = np.linalg.qr(np.column_stack([columns[:, 0], -columns[:, 0], columns[:, 1:]]))
    found, _ = scipy.optimize.nnls(r, q.T @ force, maxiter=100 * r.shape[1])
    return np.r_[found[0] - found[1], found[2:]]


def _refined(distance, force, corner):
    """Return the Polygon with the least sum of squares that is reached by moving the given corners."""
    n, scale, height = len(corner), distance[-1], np.ptp(force) or 1.0

    def residual(p):
        return _design(distance, p[n + 2:]) @ p[:n + 2] - force

    p = np.r_[_rising(_design(distance, corner), force), corner]
    if n:
        units = np.r_[height, np.full(n + 1, height / scale), np.full(n, scale)]
        lower = np.r_[-np.inf, np.zeros(n + 1), np.full(n, distance[0])]
        upper = np.r_[np.full(n + 2, np.inf), np.full(n, distance[-1])]
        p = scipy.optimize.least_squares(
            residual, np.clip(p, lower + 1e-12 * units, upper - 1e-12 * units), x_scale=units,
            jac=lambda p: _jacobian(distance, p, n), bounds=(lower, upper), max_nfev=60).x
    order = np.argsort(p[n + 2:])
    p = np.r_[p[:2], p[2:n + 2][order], p[n + 2:][order]]
    noise = np.sqrt(np.sum(residual(p)**2) / max(len(force) - len(p), 1))
    widths = NORMAL_95 * noise * np.linalg.norm(np.linalg.pinv(_jacobian(distance, p, n)), axis=1)
    return Polygon(p[0], p[1], p[n + 2:], p[2:n + 2], widths[n + 2:], widths[2:n + 2], widths[1], noise)


def _jacobian(distance, parameters, n):
    drop, corner = parameters[2:n + 2], parameters[n + 2:]
    return np.column_stack([_design(distance, corner), drop * (distance[:, None] > corner)])
