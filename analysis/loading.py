"""A loading half-cycle as distances from its start and forces, and what must hold before a model is read off it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cli import UserError

# Curvature counts from this many of its standard errors on: one in 10⁵ straight branches looks curved.
SIGNIFICANT = 4.5
# Forces are not known better than this fraction of their range.
EXACT = 1e-10
# From this much noise on, as a fraction of the force's range, the unloading half is used, too.
NOISY = 1e-3
# What share of a half-cycle's width its other half must have to be its mirror image.
WHOLE = 0.98
# A fit may miss the forces by this fraction of their range, noise apart.
WORST_FIT = 0.03


@dataclass(frozen=True)
class Loading:
    """The used part of a half-cycle: x of its start, distance d from it and force, each [points] by rising d.

    `pooled` says that the unloading half's points, turned about the centre of symmetry, are among them.
    """

    path: Path
    start: float
    distance: np.ndarray
    force: np.ndarray
    pooled: bool = False

    @property
    def width(self):
        """The largest distance, twice the amplitude."""
        return self.distance[-1]


def loading(path, half, start):
    """The Loading from `start` on; raises UserError when it is straight, falls, or steepens, so that nothing yields."""
    order = np.argsort(half.x, kind="stable")
    inside = order[half.x[order] - half.x[0] <= half.width]
    result = Loading(path, start, np.maximum(half.x[inside] - start, 0), half.force[inside])
    _refuse_wrong_shape(result)
    noise = scatter(result.distance, result.force)
    return _with_mirror_image(result, half, noise) if noise > NOISY * np.ptp(result.force) else result


def _with_mirror_image(branch, half, noise):
    """The branch with the unloading half turned by 180 degrees onto it, if that is whole and fits up to the noise."""
    order = np.argsort(-half.before_x, kind="stable")
    if not len(order) or np.ptp(half.before_x) < WHOLE * branch.width:
        return branch
    distance, force = half.before_x.max() - half.before_x[order], -half.before_force[order]
    off = branch.force - np.interp(branch.distance, distance, force)
    # The difference of two samples scatters by √2 of the noise.
    if off.std() > 2 * noise:
        return branch
    inside = distance <= branch.width
    both = np.r_[branch.distance, distance[inside]], np.r_[branch.force, force[inside] + off.mean()]
    by_distance = np.argsort(both[0], kind="stable")
    return Loading(branch.path, branch.start, *(each[by_distance] for each in both), pooled=True)


def scatter(distance, force):
    """The standard deviation of the noise of force, from how far samples are off the line through their neighbours."""
    gap = np.diff(distance)
    share = gap[1:] / np.maximum(gap[1:] + gap[:-1], np.finfo(float).tiny)
    off = force[1:-1] - share * force[:-2] - (1 - share) * force[2:]
    # 0.6745 is the median of |normal|.
    return np.median(np.abs(off) / np.sqrt(1 + share**2 + (1 - share)**2)) / 0.6745


def refuse_bad_fit(branch, fitted, hint):
    """Raise UserError, with the hint, where fitted forces [points] miss the measured ones by far more than noise."""
    missed = np.sqrt(np.mean((fitted - branch.force)**2))
    height = np.ptp(branch.force)
    if missed**2 - scatter(branch.distance, branch.force)**2 > (WORST_FIT * height)**2:
        raise UserError(f"{branch.path}: no such model has this branch: the best misses its forces by "
                        f"{missed / height:.0%} of their range; {hint}")


def _refuse_wrong_shape(branch):
    d, height = branch.distance / branch.width, np.ptp(branch.force)
    # Legendre's polynomials: slope and curvature of the least-squares parabola.
    columns = np.polynomial.legendre.legvander(2 * d - 1, 2)
    found, *_ = np.linalg.lstsq(columns, branch.force, rcond=None)
    noise = max(scatter(branch.distance, branch.force), EXACT * height)
    error = noise * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
    slope = 2 * found[1] / branch.width
    if height == 0 or found[1] <= 0:
        raise UserError(f"{branch.path}: is not a loading branch: the force does not rise with x (mean slope "
                        f"{slope:g}); columns exchanged, or a sign?")
    if found[2] > SIGNIFICANT * error[2]:
        raise UserError(f"{branch.path}: is not a loading branch: its slope increases with x, but a Masing model's "
                        "only falls from a reversal on")
    if found[2] > -SIGNIFICANT * error[2]:
        raise UserError(f"{branch.path}: never yields: the branch is straight up to the noise, so that only k0 + Σk = "
                        f"{slope:.6g} is known; measure a cycle wider than {branch.width:.6g}")
