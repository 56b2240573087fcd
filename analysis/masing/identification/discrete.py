"""The Masing model as elements in parallel, springs that slide, and its identification from slopes and corners."""

from collections import namedtuple

import numpy as np

from masing.cycles import polygons
from masing.cycles.half_cycles import EXACT, ROUGH, loading, no_sliding, not_concave, scatter
from masing.errors import DataError

# Two samples make a line, a third confirms it.
FEWEST_ON_SEGMENT = 3
# A last slope of this fraction of the other stiffness is rounding.
NO_SLOPE = 1e-8


def last_slope_spring(slope, stiffness):
    """k0 from the last slope of a branch: 0 where that is only rounding of the elements' stiffness."""
    return float(slope) if slope > NO_SLOPE * stiffness else 0.0


class Elements(namedtuple("Elements", "k0 stiffness threshold")):
    """k0, and stiffness k_i and yield displacement η_i of the elements, each [n]; a continuum has k_i = k(s_i)/n."""

    def backbone(self, x):
        """B(x) = k0 x + Σ k_i min(x, η_i), the force of the virgin loading at x >= 0 [points]."""
        order = np.argsort(self.threshold)
        threshold, stiffness = self.threshold[order], self.stiffness[order]
        passed = np.searchsorted(threshold, x, side="right")
        locked = stiffness.sum() - np.r_[0, np.cumsum(stiffness)][passed]
        return (self.k0 + locked) * x + np.r_[0, np.cumsum(stiffness * threshold)][passed]

    def branch(self, distance):
        """2 B(d/2), the rise of the force at the distance d from a reversal [points] (Masing's rule)."""
        return 2 * self.backbone(np.asarray(distance) / 2)


class Discrete(namedtuple("Discrete", "branch elements start_force threshold_width stiffness_width k0_width noise "
                                      "exact")):
    """The elements found, the force at the start of the branch, 95 % half-widths of η_i, k_i [n] and k0, and the noise.

    A corner, as the reversal, is known to the gap between the samples about it, which the half-widths of η_i include.
    `exact` says that the samples lie on a polygon to rounding.
    """

    k0 = property(lambda self: self.elements.k0, doc="The hardening spring's stiffness, the last slope.")
    parameters = property(lambda self: 2 * len(self.elements.stiffness) + 2, doc="How many numbers were fitted.")


def identify_discrete(path, half):
    """The discrete model of a HalfCycle: p_j = k0 + Σ_{l >= j} k_l, d_i = 2 η_i; raises DataError if there is none.
    Source: (4.23), (4.24), rheological-models-2000."""
    part = half.x - half.x[0] <= half.width
    lines = polygons.segments(half.x[part], half.force[part])
    return _from_segments(path, half, lines) if lines is not None else _from_regression(path, half)


def _from_segments(path, half, lines):
    x = _start(half, lines)
    branch = loading(path, half, x)
    drop = -np.diff(lines.slope)
    if x == half.x[0] and lines.slope[0] * x + lines.level[0] - half.force[0] > EXACT * np.ptp(half.force):
        # Before the first segment seen there is a steeper one.
        _refuse_coarse(path, len(branch.force))
    if len(drop) == 0:
        raise no_sliding(path, lines.slope[0], branch.width)
    if np.any(drop <= 0) or lines.slope[-1] < -polygons.SAME_SLOPE * lines.slope[0]:
        worst = int(np.argmin(drop))
        raise DataError(f"{path}: not springs that slide: the slope of the loading goes from {lines.slope[worst]:.6g} "
                        f"to {lines.slope[worst + 1]:.6g} at x = {lines.corners()[worst]:.6g}; it must fall, to no less "
                        "than 0")
    elements = Elements(last_slope_spring(lines.slope[-1], drop.sum()), drop, (lines.corners() - x) / 2)
    return Discrete(branch, elements, lines.slope[0] * x + lines.level[0], _gap(branch, elements) + half.gap / 2,
                    np.zeros_like(drop), 0.0, 0.0, exact=True)


def _refuse_coarse(path, points):
    raise DataError(f"{path}: too few samples: of the {points} of its widest loading branch fewer than "
                    f"{FEWEST_ON_SEGMENT} lie on one of its segments (too coarse); sample more densely, or, if the branch "
                    "is smooth, give --threshold η(s)")


def _gap(branch, elements):
    after = np.clip(np.searchsorted(branch.distance, 2 * elements.threshold), 1, len(branch.distance) - 1)
    return (branch.distance[after] - branch.distance[after - 1]) / 2


def _start(half, lines):
    """x where the last unloading and the first loading segment meet: the reversal, which may be between samples."""
    first = half.x[0]
    before = polygons.segments(half.before_x, half.before_force) if len(half.before_x) else None
    if before is None or before.slope[0] >= lines.slope[0]:
        return first
    meeting = (before.level[0] - lines.level[0]) / (lines.slope[0] - before.slope[0])
    nearest = max(abs(half.x[1] - first), abs(half.before_x[-2] - first))
    return meeting if abs(meeting - first) <= nearest else first


def _from_regression(path, half):
    branch = loading(path, half, half.x[0])
    found = polygons.fit_polygon(branch.distance, branch.force)
    if len(found.corner) == 0:
        raise no_sliding(path, found.last_slope, branch.width) if found.noise <= ROUGH * scatter(
            branch.distance, branch.force) else not_concave(path)
    own = branch.distance[::2] if branch.with_unloading else branch.distance
    counts, _ = np.histogram(own, np.r_[-np.inf, found.corner, np.inf])
    if counts.min() < FEWEST_ON_SEGMENT:
        _refuse_coarse(path, len(own))
    elements = Elements(last_slope_spring(found.last_slope, found.drop.sum()), found.drop, found.corner / 2)
    width = found.corner_width / 2 + _gap(branch, elements) + half.gap / 2
    return Discrete(branch, elements, found.start, width, found.drop_width, found.last_slope_width, found.noise,
                    exact=False)
