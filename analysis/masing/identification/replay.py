"""Test whether an identified model, which comes from one half-cycle, explains the whole record except for noise."""

import numpy as np

from masing.cycles.half_cycles import (AS_WIDE, EXACT, ROUGH, not_concave, opened, reversals, scatter,
                                       turning_points)
from masing.cycles.polygons import PRICE, concave_misfit, grouped
from masing.errors import DataError
from masing.identification.discrete import Elements
from masing.text import percent

# The samples between two reversals are divided into at most BLOCKS blocks of at least FEWEST_IN_BLOCK samples. The mean
# residual of a block may be MOST_OFF standard deviations, and what the unknown x of the reversals explains.
BLOCKS, FEWEST_IN_BLOCK, MOST_OFF = 10, 4, 5.0
# The mean variance of the error of the fitted force is (p + PRICE log n)/n times that of the noise for p parameters and
# n samples, where PRICE log n stands for a corner that the fit may have omitted. A block has LOCAL times this variance.
LOCAL = 2.0
# A concave polygon may miss a concave branch by this fraction of the force's range (rms) and (1 + ROUGH)/2 times the
# noise, and a spring with a dashpot the record by VISCOUS of it, as x' is inexact, and ROUGH times the noise.
CONCAVE, VISCOUS = 1e-3, 0.01
# A record begins at rest if its first |x| is at most this fraction of the range of x, and its first |force| at most
# this fraction of the range of the force plus three times the noise.
AT_REST = 0.005


def replay(elements, x, u):
    """Return the force k0 x + Σ k_i u_i of a model along x [points], starting from the elongations u [n].

    On the leg after a reversal with the elongations u_i, in the direction σ = ±1, the elements respond as in a first
    loading with the yield displacements η_i - σ u_i.
    """
    k, eta, result = elements.stiffness, elements.threshold, np.empty_like(x)
    ends = np.r_[0, reversals(x), len(x) - 1]
    for start, end in zip(ends[:-1], ends[1:]):
        leg, direction = slice(start, end + 1), np.sign(x[end] - x[start])
        virgin = Elements(elements.k0, k, np.maximum(eta - direction * u, 0))
        result[leg] = elements.k0 * x[start] + k @ u + direction * virgin.backbone(np.abs(x[leg] - x[start]))
        u = np.clip(u + x[end] - x[start], -eta, eta)
    return result


def refuse_misfit(fitted, half, floor, hint):
    """Raise DataError if the record of a HalfCycle differs from the model `fitted` to it by more than noise.

    `floor` is the accuracy of the model as a fraction of the force's range, and `hint` the end of a message.
    """
    branch = fitted.branch
    path, noise, reach = branch.path, scatter(branch.distance, branch.force), np.ptp(branch.force)
    if branch.error is not None:
        # The root mean square includes a small steep part of the branch, where noise of x increases the errors.
        noise = max(noise, np.sqrt(np.mean(branch.error**2)))
    floor = max(floor * reach, np.diff(np.unique(branch.force)).min())
    x, force, missed, is_significant = misfit(fitted, half, noise, floor)
    noise_in_words = f"of the forces' range, their noise is {percent(noise / reach)}"
    largest = f"by up to {percent(np.abs(missed).max(initial=0) / reach)} {noise_in_words}"
    if _is_viscous(x, force, missed, fitted.parameters, ROUGH * noise + VISCOUS * reach):
        raise DataError(f"{path}: the force depends on the speed (rate-dependent), as with a dashpot beside the "
                        f"springs: springs that slide miss it {largest}; measure so slowly that it does not matter")
    if fitted.noise > ROUGH * noise + floor:
        if concave_misfit(*grouped(branch.distance, branch.force)) > (1 + ROUGH) / 2 * noise + CONCAVE * reach:
            raise not_concave(path)
        raise DataError(f"{path}: no such model has this branch: the best misses it by "
                        f"{percent(fitted.noise / reach)} (rms) {noise_in_words}; {hint}")
    if is_significant:
        raise DataError(f"{path}: not springs that only slide (not Masing): with what its widest branch shows, the "
                        f"other branches are missed {largest}; rate-dependent, or another law")


def _is_viscous(x, force, missed, parameters, well):
    """Return whether a spring and a dashpot explain the force up to `well` (rms), and better by the BIC than a model
    with the residual `missed`."""
    if len(x) < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones_like(x), x, np.gradient(x)])
    left = force - columns @ np.linalg.lstsq(columns, force, rcond=None)[0]
    theirs, ours = (np.sqrt(np.mean(each**2)) + EXACT * np.ptp(force) for each in (left, missed))
    return theirs <= well and 2 * len(x) * np.log(theirs / ours) < (parameters - 3) * np.log(len(x))


def misfit(fitted, half, noise, floor):
    """Return x, the force and the residual of the model `fitted` to a HalfCycle along its record, as far as the model
    determines it, and whether the residual is more than noise can explain.

    The model determines the force, except for a constant, `late`, when x has gone through the range of the cycle; in a
    record that begins at rest also `early`, before x leaves half of this range; and in a closed cycle everywhere. The x
    of a reversal may lie anywhere between two samples: larger residuals are allowed where this changes the force.
    """
    elements, points = fitted.elements, len(fitted.branch.force)
    x, force, error = _within_reach(half)
    state, early = elements.threshold, np.zeros(len(x), dtype=bool)
    visited = np.maximum.accumulate(x) - np.minimum.accumulate(x)
    late = visited >= np.clip(2 * state.max(), AS_WIDE * half.width, half.width)
    if opened(half.curve).is_one_cycle:
        late[:] = True
    elif abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise:
        state, early = np.zeros_like(state), np.maximum.accumulate(np.abs(x - x[0])) <= half.width / 2
    computed = replay(elements, x, state)
    missed, known = force - computed, early | late
    for part in (early, late & ~early):
        missed[part] -= missed[part].sum() / max(part.sum(), 1)
    wider = elements._replace(threshold=elements.threshold + half.gap / 2)
    allowed = np.abs(replay(wider, x, np.sign(state) * wider.threshold) - computed)
    allowed += allowed[known].sum() / max(known.sum(), 1) + floor
    variance = np.maximum(noise if error is None else error, EXACT * np.ptp(force))**2 * np.ones_like(x)
    own = LOCAL * (fitted.parameters + PRICE * np.log(points)) / points

    def is_significant(block):
        deviation = np.sqrt(variance[block].mean() * (own + 1 / len(block)))
        return abs(missed[block].mean()) > allowed[block].mean() + MOST_OFF * deviation

    turns = turning_points(x, half.curve.noise.x if half.curve.noise else None)[1:-1]
    legs = [leg[known[leg]] for leg in np.split(np.arange(len(x)), turns)]
    blocks = [block for leg in legs if (count := min(BLOCKS, len(leg) // FEWEST_IN_BLOCK))
              for block in np.array_split(leg, count)]
    return x[known], force[known], missed[known], any(map(is_significant, blocks))


def _within_reach(half):
    """Return x, force and error of the part of the record about the half-cycle within its range of x."""
    curve, low, slack = half.curve, half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((curve.x < low - slack) | (curve.x > low + half.width + slack))
    place = np.searchsorted(outside, half.start_index)
    start, end = np.r_[-1, outside, len(curve.x)][[place, place + 1]]
    part = curve.at(slice(start + 1, end))
    return part.x, part.force, part.error
