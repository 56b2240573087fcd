"""Identify the discrete Masing model, a linear spring and elements in parallel, from a measured branch."""

from collections import namedtuple

import numpy as np

from masing.cycles import polygons
from masing.cycles.half_cycles import EXACT, ROUGH, loading, no_sliding, not_concave, scatter
from masing.errors import DataError

# A straight segment of a branch must have at least this many samples, of which the third confirms the line.
FEWEST_ON_SEGMENT = 3
# A last slope of at most this fraction of the total stiffness of the elements is a rounding error.
NO_SLOPE = 1e-8


def last_slope_spring(slope, stiffness):
    """Return the stiffness k0: the last slope of a branch, or 0 if it is a rounding error of the total `stiffness`."""
    return float(slope) if slope > NO_SLOPE * stiffness else 0.0


class Elements(namedtuple("Elements", "k0 stiffness threshold")):
    """The stiffness k0 of a linear spring, and k_i = `stiffness` [n] and η_i = `threshold` [n] of elements in parallel,
    each a spring in series with a slider. If they approximate a continuum, k_i = k(s_i)/n."""

    def backbone(self, x):
        """Return B(x) = k0 x + Σ k_i min(x, η_i), the force of the first loading from rest, at x >= 0 [points]."""
        order = np.argsort(self.threshold)
        threshold, stiffness = self.threshold[order], self.stiffness[order]
        passed = np.searchsorted(threshold, x, side="right")
        gone = np.r_[0, np.cumsum(stiffness)]
        return (self.k0 + (gone[-1] - gone[passed])) * x + np.r_[0, np.cumsum(stiffness * threshold)][passed]

    def branch(self, distance):
        """Return 2 B(d/2), by Masing's rule the rise of the force over the distance d [points] from a reversal."""
        return 2 * self.backbone(np.asarray(distance) / 2)


class Discrete(namedtuple("Discrete", "branch elements start_force threshold_width stiffness_width k0_width noise "
                                      "exact is_smooth", defaults=[False])):
    """An identified discrete model.

    `branch` is the Loading that was fitted, and `start_force` the force at its start. The fields …_width are
    half-widths of 95 % confidence intervals, and `noise` is the standard deviation of the residuals. `exact` says
    whether the samples lie on a polygon, and `is_smooth` whether a smooth curve explains them as well or better.
    """

    k0 = property(lambda self: self.elements.k0)
    parameters = property(lambda self: 2 * len(self.elements.stiffness) + 2)


def identify_discrete(path, half):
    """Return the Discrete model that a HalfCycle determines, or raise DataError.

    The slopes p_j of the branch and the distances d_i of its corners from the reversal give the elements: p_j = k0 +
    Σ_{l >= j} k_l and d_i = 2 η_i. Source: (4.23), (4.24), rheological-models-2000.
    """
    part = half.x - half.x[0] <= half.width
    lines = polygons.segments(half.x[part], half.force[part])
    return _from_segments(path, half, lines) if lines is not None else _from_regression(path, half)


def _from_segments(path, half, lines):
    x = _start(half, lines)
    branch = loading(path, half, x)
    drop = -np.diff(lines.slope)
    if x == half.x[0] and lines.slope[0] * x + lines.level[0] - half.force[0] > EXACT * np.ptp(half.force):
        # The first sample lies below the first segment: a steeper one before it has too few samples.
        _refuse_coarse(path, len(branch.force))
    if len(drop) == 0:
        raise no_sliding(path, lines.slope[0], branch.width)
    if np.any(drop <= 0) or lines.slope[-1] < -polygons.SAME_SLOPE * lines.slope[0]:
        raise not_concave(path)
    elements = Elements(last_slope_spring(lines.slope[-1], drop.sum()), drop, (lines.corners() - x) / 2)
    return Discrete(branch, elements, lines.slope[0] * x + lines.level[0], _gap(branch, elements) + half.gap / 2,
                    np.zeros_like(drop), 0.0, 0.0, exact=True)


def _refuse_coarse(path, points):
    raise DataError(f"{path}: too few samples: of the {points} of its widest loading branch fewer than "
                    f"{FEWEST_ON_SEGMENT} lie on one of its segments (too coarse); sample more densely, or, if the "
                    "branch is smooth, give a threshold η(s)")


def _gap(branch, elements):
    after = np.clip(np.searchsorted(branch.distance, 2 * elements.threshold), 1, len(branch.distance) - 1)
    return (branch.distance[after] - branch.distance[after - 1]) / 2


def _start(half, lines):
    """Return the x of the reversal: where the last segment of the unloading meets the first one of the loading, or
    that of the first sample of the loading."""
    first = half.x[0]
    before = polygons.segments(half.before_x, half.before_force) if len(half.before_x) else None
    if before is None or before.slope[0] >= lines.slope[0]:
        return first
    meeting = (before.level[0] - lines.level[0]) / (lines.slope[0] - before.slope[0])
    nearest = max(abs(half.x[1] - first), abs(half.before_x[-2] - first))
    return meeting if abs(meeting - first) <= nearest else first


def _from_regression(path, half):
    branch = loading(path, half, half.x[0])
    polygon = polygons.fit_polygon(branch.distance, branch.force)
    if len(polygon.corner) == 0:
        raise no_sliding(path, polygon.last_slope, branch.width) if polygon.noise <= ROUGH * scatter(
            branch.distance, branch.force) else not_concave(path)
    own = branch.distance[::2] if branch.with_unloading else branch.distance
    counts, _ = np.histogram(own, np.r_[-np.inf, polygon.corner, np.inf])
    if counts.min() < FEWEST_ON_SEGMENT:
        _refuse_coarse(path, len(own))
    elements = Elements(last_slope_spring(polygon.last_slope, polygon.drop.sum()), polygon.drop, polygon.corner / 2)
    width = polygon.corner_width / 2 + _gap(branch, elements) + half.gap / 2
    return Discrete(branch, elements, polygon.start, width, polygon.drop_width, polygon.last_slope_width, polygon.noise,
                    exact=False, is_smooth=bool(polygon.support < polygons.LEAST_SUPPORT))
