"""Identification of the discrete model from slopes and corners of a loading half-cycle."""

from dataclasses import dataclass

import numpy as np

from masing.command_line import UserError
from masing.cycles import polygons
from masing.cycles.half_cycles import Loading, loading, refuse_bad_fit
from masing.identification.elements import Elements, last_slope_spring


@dataclass(frozen=True)
class Discrete:
    """The elements found, the force at the start of the branch, 95 % half-widths of η_i, k_i [n] and k0, and the noise.

    `exact` says that the samples lie on a polygon to rounding; the half-widths are then 0.
    """

    branch: Loading
    elements: Elements
    start_force: float
    threshold_width: np.ndarray
    stiffness_width: np.ndarray
    k0_width: float
    noise: float
    exact: bool

    @property
    def k0(self):
        """The hardening spring's stiffness, the last slope."""
        return self.elements.k0


def identify_discrete(path, half):
    """The discrete model of a HalfCycle: p_j = k0 + Σ_{l >= j} k_l, d_i = 2 η_i; raises UserError if there is none.

    Source: (4.23), (4.24), rheological-models-2000.
    """
    part = half.x - half.x[0] <= half.width
    lines = polygons.segments(half.x[part], half.force[part])
    return _from_segments(path, half, lines) if lines is not None else _from_regression(path, half)


def _from_segments(path, half, lines):
    x = _start(half, lines)
    branch = loading(path, half, x)
    drop = -np.diff(lines.slope)
    if len(drop) == 0:
        raise UserError(f"{path}: never yields: the branch is one straight segment of slope {lines.slope[0]:.6g}")
    if np.any(drop <= 0) or lines.slope[-1] < -polygons.SAME_SLOPE * lines.slope[0]:
        worst = int(np.argmin(drop))
        raise UserError(f"{path}: is not a loading branch: its slope goes from {lines.slope[worst]:g} to "
                        f"{lines.slope[worst + 1]:g} at x = {lines.corners()[worst]:g}, but a Masing model's only "
                        "falls, to no less than 0")
    elements = Elements(last_slope_spring(lines.slope[-1], drop.sum()), drop, (lines.corners() - x) / 2)
    none = np.zeros_like(drop)
    return Discrete(branch, elements, lines.slope[0] * x + lines.level[0], none, none, 0.0, 0.0, exact=True)


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
    refuse_bad_fit(branch, found.force(branch.distance), "it is not the loading half of a Masing model's cycle")
    if len(found.corner) == 0:
        raise UserError(f"{path}: never yields: the branch is straight up to its noise {found.noise:.3g}; measure a "
                        f"cycle wider than {branch.width:.6g}")
    elements = Elements(last_slope_spring(found.last_slope, found.drop.sum()), found.drop, found.corner / 2)
    return Discrete(branch, elements, found.start, found.corner_width / 2, found.drop_width, found.last_slope_width,
                    found.noise, exact=False)
