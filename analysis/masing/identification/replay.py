"""Test whether an identified model, which comes from one half-cycle, explains the whole record except for noise."""

from collections import namedtuple

import numpy as np
import scipy

from masing.cycles.half_cycles import (AS_WIDE, EXACT, ROUGH, not_concave, opened, reversals, scatter,
                                       turning_points)
from masing.cycles.polygons import PRICE, concave_misfit, grouped
from masing.errors import DataError
from masing.identification.discrete import Elements
from masing.text import percent

# The samples between two reversals are divided into at most BLOCKS blocks of at least FEWEST_IN_BLOCK consecutive
# samples, and the mean residual of each block, measured minus computed force, is tested.
BLOCKS, FEWEST_IN_BLOCK = 10, 4
# The residuals are more than noise if a Misfit.excess is larger than MOST_OFF, or if the sum of the squared excesses is
# larger than the mean of its chi-squared distribution by more than MOST_SQUARES standard deviations.
MOST_OFF, MOST_SQUARES = 5.0, 4.0
# The mean variance of the statistical error of the fitted force is (p + PRICE log n)/n times that of the noise for p
# parameters and n samples, where PRICE log n stands for one corner that the fit may have omitted. In a block, LOCAL
# times this mean is assumed.
LOCAL = 2.0
# A branch counts as concave if a concave polygon misses it by at most this fraction of the force's range (rms) plus
# (1 + ROUGH)/2 times the noise.
CONCAVE = 1e-3
# A spring and a dashpot explain a record if they miss it by at most this fraction of the force's range (rms) plus
# ROUGH times the noise. The fraction allows for errors of x', a difference between samples.
VISCOUS = 0.01
# A record begins at rest if its first |x| is at most this fraction of the range of x, and its first |force| at most
# this fraction of the range of the force plus three times the noise.
AT_REST = 0.005
# A leg leaves the range of x that was visited before if it exceeds it by more than this fraction of the cycle's width.
SAME_PLACE = 1e-6


def replay(elements, x, u, force=None):
    """Return the force k0 x + Σ k_i u_i of a model along x [points], starting from the elongations u [n].

    On the leg after a reversal with the elongations u_i, in the direction σ = ±1, the elements respond as in a first
    loading with the yield displacements η_i - σ u_i. If the measured `force` [points] is given, the distance from the
    sample to the reversal, which may lie between samples, is fitted such that the force on the leg agrees best.
    """
    k, eta, result, before = elements.stiffness, elements.threshold, np.empty_like(x), 0.0
    ends = np.r_[0, reversals(x), len(x) - 1]
    for start, end in zip(ends[:-1], ends[1:]):
        leg, direction = slice(start, end + 1), np.sign(x[end] - x[start])
        distance = np.abs(x[leg] - x[start])

        def turned(beyond):
            return np.clip(np.clip(u + before * beyond, -eta, eta) - before * beyond, -eta, eta)

        def answer(u):
            virgin = Elements(elements.k0, k, np.maximum(eta - direction * u, 0))
            return elements.k0 * x[start] + k @ u + direction * virgin.backbone(distance)

        if force is not None and before and len(distance) >= FEWEST_IN_BLOCK:
            gap = max(abs(x[start] - x[start - 1]), abs(x[start + 1] - x[start]))
            target = force[leg] - offset
            nearest = scipy.optimize.minimize_scalar(
                lambda beyond: np.sum((target - answer(turned(beyond)))**2), bounds=(0, gap), method="bounded",
                options={"xatol": 1e-6 * gap})
            u = turned(nearest.x)
        result[leg] = answer(u)
        if force is not None:
            # The forces may differ by a constant. It is the mean residual over the last quarter of the leg, where the
            # force hardly depends on the exact x of the reversal.
            late = slice(end - len(distance) // 4, end + 1)
            offset = np.mean(force[late] - result[late])
        u, before = np.clip(u + x[end] - x[start], -eta, eta), direction
    return result


class Misfit(namedtuple("Misfit", "x force speed missed excess freedom")):
    """The part of a measured force that a model does not explain, at those samples at which the model determines it.

    `x`, `force` and `speed`, the change of x per sample, [samples] are the record. `missed` [samples] is the measured
    force minus the computed one and minus the mean of this difference over each part of consecutive samples, since the
    model determines the force except for a constant. `excess` [blocks] is by how many standard deviations the absolute
    mean of `missed` over a block exceeds what is allowed, or 0. `freedom` is the number of degrees of freedom.
    """

    @property
    def significant(self):
        """Return whether the misfit is more than noise can explain."""
        most = self.freedom + MOST_SQUARES * np.sqrt(2 * self.freedom)
        return self.freedom > 0 and bool(self.excess.max() > MOST_OFF or np.sum(self.excess**2) > most)


def refuse_misfit(fitted, half, floor, hint):
    """Raise DataError if the record of a HalfCycle differs from the model `fitted` to it by more than noise.

    `floor` is the accuracy of the model as a fraction of the force's range. `hint` is the end of the message for a
    concave branch that the model does not fit.
    """
    branch = fitted.branch
    path, noise, reach = branch.path, scatter(branch.distance, branch.force), np.ptp(branch.force)
    if branch.error is not None:
        # The root mean square includes a small steep part of the branch, where noise of x increases the errors.
        noise = max(noise, np.sqrt(np.mean(branch.error**2)))
    floor = max(floor * reach, np.diff(np.unique(branch.force)).min())
    missed = misfit(fitted, half, noise, floor)
    size = (f"{percent(np.abs(missed.missed).max(initial=0) / reach)} of the forces' range, their noise is "
            f"{percent(noise / reach)}")
    viscous = _is_viscous(missed, fitted.parameters, ROUGH * noise + VISCOUS * reach)
    if fitted.noise > ROUGH * noise + floor and not viscous:
        concave, viscous = _kinds(half, (1 + ROUGH) / 2 * noise + CONCAVE * reach)
        if not viscous:
            raise not_concave(path) if not concave else DataError(
                f"{path}: no such model has this branch: the best misses it by {percent(fitted.noise / reach)} (rms) "
                f"of the forces' range, their noise is {percent(noise / reach)}; {hint}")
    if viscous:
        raise DataError(f"{path}: the force depends on the speed (rate-dependent), as with a dashpot beside the "
                        f"springs: springs that slide miss it by up to {size}; measure so slowly that it does not "
                        "matter")
    if missed.significant:
        raise DataError(f"{path}: not springs that only slide (not Masing): with what its widest branch shows, the "
                        f"other branches are missed by up to {size}; rate-dependent, or another law")


def _kinds(half, well):
    """Return whether the loading branch is concave, and whether it only is without a force c x' with c >= 0.

    A branch counts as concave if a concave polygon misses it by at most `well`, as a root mean square.
    """
    order = np.argsort(half.x, kind="stable")
    order = order[half.x[order] - half.x[0] <= half.width]
    distance, force = grouped(half.x[order] - half.x[0], half.force[order])
    speed = grouped(half.x[order], np.gradient(half.x)[order])[1]
    concave = concave_misfit(distance, force) <= well
    return concave, not concave and concave_misfit(distance, force, speed) <= well


def misfit(fitted, half, noise, floor):
    """Return the Misfit of the model `fitted` for the record of a HalfCycle; the arguments are forces.

    `noise` is the standard deviation of the measured force, and `floor` the residual that the accuracy of the model
    allows. The elongations at the first sample are unknown, unless the record begins at rest. While x stays in the
    range that it visited before, the model determines the force except for a constant: the elongations of the elements
    that yield in this range are known, and those of the others are x plus constants. The x of a reversal may lie
    anywhere in the gap between samples, so that larger residuals are allowed where this changes the force.
    """
    elements = fitted.elements
    x, force, error, from_start = _within_reach(half)
    deviation = half.curve.noise.x if half.curve.noise else None
    turns = np.union1d(turning_points(x, deviation), len(x) - 1)
    visited = np.maximum.accumulate(x) - np.minimum.accumulate(x)
    # `new` says at which samples x is beyond the range that it visited before; on a leg that hardly leaves it at none.
    is_further = np.diff(visited[turns]) > SAME_PLACE * half.width
    new = np.r_[True, (np.diff(visited) > 0) & np.repeat(is_further, np.diff(turns))]
    state = elements.threshold
    if from_start and abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise:
        state = np.zeros_like(state)
        new &= np.maximum.accumulate(np.abs(x - x[0])) > AS_WIDE * half.width / 2
    elif opened(half.curve).is_one_cycle and x[0] >= x.max() - (1 - AS_WIDE) * half.width:
        # At the largest x of a closed cycle, all elements that yield in it are at their upper bounds.
        new[:] = False
    known, part = ~new, np.cumsum(new)
    missed = force - replay(elements, x, state, force)
    shifted = elements._replace(threshold=elements.threshold + half.gap / 2)
    allowed = np.abs(replay(shifted, x, np.sign(state) * shifted.threshold) - replay(elements, x, state))
    mean = _means(allowed, part, known)
    missed, allowed = missed - _means(missed, part, known), allowed + mean + floor
    cuts = np.union1d(turns[1:-1], np.flatnonzero(new))
    legs = [leg[known[leg]] for leg in np.split(np.arange(len(x)), cuts)]
    blocks = [block for leg in legs if (count := min(BLOCKS, len(leg) // FEWEST_IN_BLOCK))
              for block in np.array_split(leg, count)]
    off, allowance = (np.array([each[block].mean() for block in blocks]) for each in (missed, allowed))
    points = len(fitted.branch.force)
    own = LOCAL * (fitted.parameters + PRICE * np.log(points)) / points
    variance = own + np.array([1 / len(block) for block in blocks])
    deviation = noise if error is None else np.array([np.sqrt(np.mean(error[block]**2)) for block in blocks])
    excess = np.maximum(np.abs(off) - allowance, 0) / (np.sqrt(variance) * np.maximum(deviation, EXACT * np.ptp(force)))
    freedom = len(blocks) - len({part[block[0]] for block in blocks})
    return Misfit(x[known], force[known], np.gradient(x)[known], missed[known], excess, freedom)


def _is_viscous(missed, parameters, well):
    """Return whether a spring and a dashpot explain the record of a Misfit up to `well`, and better by the BIC."""
    x, count = missed.x, len(missed.x)
    if count < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones(count), x, missed.speed])
    coefficients, *_ = np.linalg.lstsq(columns, missed.force, rcond=None)
    least = count * (EXACT * np.ptp(missed.force))**2
    theirs, ours = (max(np.sum(each**2), least) for each in (missed.force - columns @ coefficients, missed.missed))
    return theirs <= count * well**2 and count * np.log(theirs / ours) < (parameters - 3) * np.log(count)


def _means(values, part, known):
    """Return, for each sample, the mean of the values over the `known` samples of its part of the record."""
    sums, count = (np.bincount(part[known], weights, part[-1] + 1) for weights in (values[known], None))
    return (sums / np.maximum(count, 1))[part]


def _within_reach(half):
    """Return x, force and error of the part of the record about the half-cycle within its range of x.

    The fourth value says whether this part begins with the record.
    """
    x, force, error = half.curve.x, half.curve.force, half.curve.error
    low, slack = half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((x < low - slack) | (x > low + half.width + slack))
    place = np.searchsorted(outside, half.start_index)
    start = outside[place - 1] + 1 if place else 0
    part = slice(start, outside[place] if place < len(outside) else len(x))
    return x[part], force[part], None if error is None else error[part], start == 0
