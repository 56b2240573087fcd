"""The test of an identified model: the whole record is led through it, and what is left must be noise."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from masing.command_line import DataError
from masing.cycles.half_cycles import AS_WIDE, EXACT, is_one_cycle, reversals, scatter, turning_points
from masing.cycles.polygons import PRICE
from masing.identification.elements import Elements

# Blocks of consecutive samples between two reversals; their mean residuals are tested.
BLOCKS, FEWEST_IN_BLOCK = 10, 4
# Noise leaves no block further off than this, in deviations, nor the sum of squares further above its mean, in its own.
MOST_OFF, MOST_SQUARES = 5.0, 4.0
# The fit's own error, in noise²: its parameters, and a corner that its criterion left out, over the samples; at its
# place it is so many times as large as in the mean.
LOCAL = 2.0
# A fit misses its own branch by up to this multiple of its noise.
ROUGH = 2.0
# A spring and a dashpot explain a record to this fraction of the force's range, noise apart: x' is from differences.
VISCOUS = 0.01
# A record whose first sample has x = 0 and no force, to this fraction of their ranges, begins at rest, u = 0.
AT_REST = 0.005
# An excursion beyond what was visited before by this fraction of the cycle's width yields nothing.
SAME_PLACE = 1e-6


def replay(elements, x, u, force=None):
    """k0 x + Σ k_i u_i along x [points], from the elongations u [n].

    On a rise from x_r it is a virgin model of the yield displacements η_i - u_i. With a measured force [points] every
    reversal lies as far beyond its sample as fits the leg after it best, up to the gap between samples.
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
            u = turned(minimize_scalar(lambda beyond: np.sum((target - answer(turned(beyond)))**2), bounds=(0, gap),
                                       method="bounded", options={"xatol": 1e-6 * gap}).x)
        result[leg] = answer(u)
        if force is not None:
            # Late on a leg its start is forgotten.
            late = slice(end - len(distance) // 4, end + 1)
            offset = np.mean(force[late] - result[late])
        u, before = np.clip(u + x[end] - x[start], -eta, eta), direction
    return result


@dataclass(frozen=True)
class Misfit:
    """What a model misses of the samples x, force whose state is known: `missed` [samples], less what is constant.

    `beyond` [blocks] are the means of blocks in standard deviations, as far as they exceed what is allowed.
    """

    x: np.ndarray
    force: np.ndarray
    missed: np.ndarray
    beyond: np.ndarray
    freedom: int

    @property
    def significant(self):
        """Whether noise does not explain it."""
        most = self.freedom + MOST_SQUARES * np.sqrt(2 * self.freedom)
        return self.freedom > 0 and bool(self.beyond.max() > MOST_OFF or np.sum(self.beyond**2) > most)


def refuse_misfit(found, half, floor, hint):
    """Lead the record of a HalfCycle through the model `found`; raise DataError when more than noise remains.

    The model cannot be right to better than `floor`, a fraction of the force's range. `hint` says what the branch is,
    and what to do, where the model misses that itself.
    """
    branch = found.branch
    noise, reach = scatter(branch.distance, branch.force), np.ptp(branch.force)
    floor = max(floor * reach, np.diff(np.unique(branch.force)).min())
    missed = misfit(found, half, noise, floor)
    largest = f"it misses the record's forces by {np.abs(missed.missed).max(initial=0) / reach:.1%} of their range"
    if _is_viscous(missed, found.parameters, ROUGH * noise + VISCOUS * reach):
        raise DataError(f"{branch.path}: rate-dependent: a spring and a dashpot explain the record better than a Masing "
                        "model, whose force does not depend on the speed; measure so slowly that it does not matter")
    if found.noise > ROUGH * noise + floor:
        raise DataError(f"{branch.path}: no such model has this branch: the best misses its forces by "
                        f"{found.noise / reach:.2g} of their range (rms), their noise is {noise / reach:.2g}; {hint}")
    if missed.significant:
        raise DataError(f"{branch.path}: not Masing: the model of its widest branch is not that of the other branches, "
                        f"{largest} (noise {noise / reach:.1%}): rate-dependent, or no elements that only slide")


def misfit(found, half, noise, floor):
    """The Misfit of the model `found` from the record of a HalfCycle, for this noise and this floor, forces.

    The force is known up to a constant while x stays where it was before: elements that are too large to have yielded
    do not yield there. Of a record from rest the first loading is known, too. A reversal is known to its sample gap.
    """
    elements = found.elements
    x, force, error, from_start = _within_reach(half)
    top, bottom = np.maximum.accumulate(x), np.minimum.accumulate(x)
    new = np.r_[True, np.diff(top) - np.diff(bottom) > SAME_PLACE * half.width]
    state = elements.threshold
    if from_start and _at_rest(x, force, noise):
        state = np.zeros_like(state)
        new &= np.maximum.accumulate(np.abs(x - x[0])) > AS_WIDE * half.width / 2
    elif is_one_cycle(*half.record) and x[0] >= x.max() - (1 - AS_WIDE) * half.width:
        # A closed cycle comes to its top with all elements at their upper ends.
        new[:] = False
    known, part = ~new, np.cumsum(new)
    missed = force - replay(elements, x, state, force)
    shifted = replace(elements, threshold=elements.threshold + half.gap / 2)
    allowed = np.abs(replay(shifted, x, np.sign(state) * shifted.threshold) - replay(elements, x, state))
    missed, allowed = missed - _means(missed, part, known), allowed + _means(allowed, part, known) + floor
    cuts = np.union1d(turning_points(x)[1:-1], np.flatnonzero(new))
    blocks = [block for leg in np.split(np.arange(len(x)), cuts) for block in _blocks(leg[known[leg]])]
    off, allowance = (np.array([each[block].mean() for block in blocks]) for each in (missed, allowed))
    points = len(found.branch.force)
    own = LOCAL * (found.parameters + PRICE * np.log(points)) / points
    variance = own + np.array([1 / len(block) for block in blocks])
    deviation = noise if error is None else np.array([np.sqrt(np.mean(error[block]**2)) for block in blocks])
    beyond = np.maximum(np.abs(off) - allowance, 0) / (np.sqrt(variance) * np.maximum(deviation, EXACT * np.ptp(force)))
    freedom = len(blocks) - len({part[block[0]] for block in blocks})
    return Misfit(x[known], force[known], missed[known], beyond, freedom)


def _is_viscous(missed, parameters, well):
    """Whether a spring and a dashpot explain the record better, by Schwarz' criterion, and to the force `well`."""
    x, count = missed.x, len(missed.x)
    if count < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones(count), x, np.gradient(x)])
    found, *_ = np.linalg.lstsq(columns, missed.force, rcond=None)
    least = count * (EXACT * np.ptp(missed.force))**2
    theirs, ours = (max(np.sum(each**2), least) for each in (missed.force - columns @ found, missed.missed))
    return theirs <= count * well**2 and count * np.log(theirs / ours) < (parameters - 3) * np.log(count)


def _means(values, part, known):
    """The mean of the known values of each sample's part."""
    sums, count = (np.bincount(part[known], weights, part[-1] + 1) for weights in (values[known], None))
    return (sums / np.maximum(count, 1))[part]


def _blocks(leg):
    count = min(BLOCKS, len(leg) // FEWEST_IN_BLOCK)
    return np.array_split(leg, count) if count else []


def _within_reach(half):
    """The part x, force, error (or None) of the record about the half-cycle on which x keeps to its range; whether it
    has the start."""
    x, force = half.record
    low, slack = half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((x < low - slack) | (x > low + half.width + slack))
    place = np.searchsorted(outside, half.at)
    start = outside[place - 1] + 1 if place else 0
    part = slice(start, outside[place] if place < len(outside) else len(x))
    return x[part], force[part], None if half.record_error is None else half.record_error[part], start == 0


def _at_rest(x, force, noise):
    return abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise
