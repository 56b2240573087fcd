"""The test of an identified model: the whole record is led through it, and what is left must be noise."""

from collections import namedtuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import f as fisher

from masing.cycles.half_cycles import (AS_WIDE, EXACT, ROUGH, is_one_cycle, not_concave, reversals, scatter,
                                       turning_points)
from masing.cycles.polygons import PRICE, concave_misfit, grouped
from masing.errors import DataError
from masing.identification.discrete import Discrete, Elements
from masing.notation import percent

# Blocks of consecutive samples between two reversals; their mean residuals are tested.
BLOCKS, FEWEST_IN_BLOCK = 10, 4
# Noise leaves no block further off than this, in deviations, nor the sum of squares further above its mean, in its own.
MOST_OFF, MOST_SQUARES = 5.0, 4.0
# The fit's own error, in noise²: its parameters, and a corner that its criterion left out, over the samples; at its
# place it is so many times as large as in the mean.
LOCAL = 2.0
# The level of the two tests of smooth deviations. Noise alone is taken for one in so many records.
LEVEL = 1e-5
# Places of further elements whose stiffness is free in these tests, over the cycle's half width; degrees of the
# polynomials of a leg, and its fewest samples. Noise below the last, a fraction of the force's range, is rounding.
FURTHER, DEGREES, FEWEST_ON_LEG, ROUNDING = np.geomspace(0.03, 0.97, 12), 3, 12, 1e-5
# A branch is concave if a polygon of many corners misses it by at most this fraction of the force's range, noise apart.
CONCAVE = 1e-3
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


class Misfit(namedtuple("Misfit", "x force speed missed excess freedom rate shape")):
    """What a model misses of the samples x, force whose state is known: `missed` [samples], less what is constant.

    `excess` [blocks] are the means of blocks in standard deviations, as far as they exceed what is allowed. `rate` and
    `shape` are the p-values of two F tests: of a term c x', and of polynomials on each leg. They are 1 where that is
    not tested: of a continuous model, or without noise.
    """

    @property
    def significant(self):
        """Whether noise does not explain it."""
        most = self.freedom + MOST_SQUARES * np.sqrt(2 * self.freedom)
        blocks = self.freedom > 0 and bool(self.excess.max() > MOST_OFF or np.sum(self.excess**2) > most)
        return blocks or min(self.rate, self.shape) < LEVEL


def refuse_misfit(found, half, floor, hint):
    """Lead the record of a HalfCycle through the model `found`; raise DataError when more than noise remains.

    The model cannot be right to better than `floor`, a fraction of the force's range. `hint` says what the branch is,
    and what to do, where the model misses that itself.
    """
    branch = found.branch
    path, noise, reach = branch.path, scatter(branch.distance, branch.force), np.ptp(branch.force)
    if branch.error is not None:
        # Where the branch is steep, the noise of x counts more: the median does not see that.
        noise = max(noise, np.sqrt(np.mean(branch.error**2)))
    floor = max(floor * reach, np.diff(np.unique(branch.force)).min())
    missed = misfit(found, half, noise, floor)
    size = (f"{percent(np.abs(missed.missed).max(initial=0) / reach)} of the forces' range, their noise is "
            f"{percent(noise / reach)}")
    viscous = _is_viscous(missed, found.parameters, ROUGH * noise + VISCOUS * reach)
    if found.noise > ROUGH * noise + floor and not viscous:
        concave, viscous = _kinds(half, (1 + ROUGH) / 2 * noise + CONCAVE * reach)
        if not viscous:
            raise not_concave(path) if not concave else DataError(
                f"{path}: no such model has this branch: the best misses it by {percent(found.noise / reach)} (rms) of "
                f"the forces' range, their noise is {percent(noise / reach)}; {hint}")
    if viscous or missed.rate < min(missed.shape, LEVEL):
        raise DataError(f"{path}: the force depends on the speed (rate-dependent), as with a dashpot beside the springs: "
                        f"springs that slide miss it by up to {size}; measure so slowly that it does not matter")
    if missed.significant:
        raise DataError(f"{path}: not springs that only slide (not Masing): with what its widest branch shows, the "
                        f"other branches are missed by up to {size}; rate-dependent, or another law")


def _kinds(half, well):
    """Whether the branch is concave, to `well`, a force; and whether it is not, but is with a force that goes with x'."""
    order = np.argsort(half.x, kind="stable")
    order = order[half.x[order] - half.x[0] <= half.width]
    distance, force = grouped(half.x[order] - half.x[0], half.force[order])
    speed = grouped(half.x[order], np.gradient(half.x)[order])[1]
    concave = concave_misfit(distance, force) <= well
    return concave, not concave and concave_misfit(distance, force, speed) <= well


def misfit(found, half, noise, floor):
    """The Misfit of the model `found` from the record of a HalfCycle, for this noise and this floor, forces.

    The force is known up to a constant while x stays where it was before: elements that are too large to have yielded
    do not yield there. Of a record from rest the first loading is known, too. A reversal is known to its sample gap.
    """
    elements = found.elements
    x, force, error, from_start = _within_reach(half)
    turns, visited = np.union1d(turning_points(x), len(x) - 1), np.maximum.accumulate(x) - np.minimum.accumulate(x)
    # A leg goes beyond what was visited as a whole: near a reversal its steps are small.
    is_further = np.diff(visited[turns]) > SAME_PLACE * half.width
    new = np.r_[True, (np.diff(visited) > 0) & np.repeat(is_further, np.diff(turns))]
    state = elements.threshold
    if from_start and abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise:
        state = np.zeros_like(state)
        new &= np.maximum.accumulate(np.abs(x - x[0])) > AS_WIDE * half.width / 2
    elif is_one_cycle(half.curve) and x[0] >= x.max() - (1 - AS_WIDE) * half.width:
        # A closed cycle comes to its top with all elements at their upper ends.
        new[:] = False
    known, part = ~new, np.cumsum(new)
    missed = force - replay(elements, x, state, force)
    shifted = elements._replace(threshold=elements.threshold + half.gap / 2)
    allowed = np.abs(replay(shifted, x, np.sign(state) * shifted.threshold) - replay(elements, x, state))
    mean = _means(allowed, part, known)
    weight = np.where(known, 1 / np.maximum(np.hypot(noise, allowed - mean), floor), 0)
    missed, allowed = missed - _means(missed, part, known), allowed + mean + floor
    cuts = np.union1d(turns[1:-1], np.flatnonzero(new))
    legs = [leg[known[leg]] for leg in np.split(np.arange(len(x)), cuts)]
    blocks = [block for leg in legs if (count := min(BLOCKS, len(leg) // FEWEST_IN_BLOCK))
              for block in np.array_split(leg, count)]
    off, allowance = (np.array([each[block].mean() for block in blocks]) for each in (missed, allowed))
    points = len(found.branch.force)
    own = LOCAL * (found.parameters + PRICE * np.log(points)) / points
    variance = own + np.array([1 / len(block) for block in blocks])
    deviation = noise if error is None else np.array([np.sqrt(np.mean(error[block]**2)) for block in blocks])
    excess = np.maximum(np.abs(off) - allowance, 0) / (np.sqrt(variance) * np.maximum(deviation, EXACT * np.ptp(force)))
    freedom = len(blocks) - len({part[block[0]] for block in blocks})
    rate, shape = 1.0, 1.0
    # Smoothing leaves errors of x that are smooth themselves.
    if isinstance(found, Discrete) and noise > ROUNDING * np.ptp(force) and error is None:
        explained = _explained(elements, half, x, state, part)
        rate = _chance(weight, missed, explained, np.gradient(x)[:, None])
        shape = _chance(weight, missed, explained, _parabolas(x, legs))
    return Misfit(x[known], force[known], np.gradient(x)[known], missed[known], excess, freedom, rate, shape)


def _explained(elements, half, x, state, part):
    """What other elements change of the forces along x, to first order: [samples, changes]. They are a constant of
    each part, k0, and stiffness and η of each element, and elements at FURTHER places."""
    def changed(stiffness, threshold):
        at_start = np.zeros_like(threshold) if not state.any() else threshold
        return replay(Elements(elements.k0, stiffness, threshold), x, at_start)

    stiffness, threshold, own = elements.stiffness, elements.threshold, replay(elements, x, state)
    columns = [*(part == np.unique(part)[:, None]).astype(float), x]
    for one in np.eye(len(stiffness)):
        columns.append(changed(stiffness * (1 + one), threshold) - own)
        columns += [changed(stiffness, threshold + sign * half.gap / 2 * one) - own for sign in (1, -1)]
    for eta in FURTHER * half.width / 2:
        columns.append(changed(np.r_[stiffness, stiffness.sum()], np.r_[threshold, eta]) - own)
    return np.array(columns).T


def _parabolas(x, legs):
    """Legendre's polynomials of the distance along each leg that is long enough: [samples, polynomials]."""
    columns = [np.zeros(len(x))]
    for leg in legs:
        if len(leg) >= FEWEST_ON_LEG:
            distance = np.abs(x[leg] - x[leg[0]])
            for degree in np.eye(DEGREES):
                columns.append(np.zeros(len(x)))
                columns[-1][leg] = np.polynomial.legendre.legval(2 * distance / distance[-1] - 1, degree)
    return np.array(columns).T


def _chance(weight, missed, explained, others):
    """The probability of so large a share of `others` in what is missed beside what is explained, by Fisher's test."""
    used = weight > 0
    weight, target = weight[used, None], weight[used] * missed[used]

    def left(columns):
        columns = weight * columns[used]
        span, size, _ = np.linalg.svd(columns / np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny),
                                      full_matrices=False)
        span = span[:, size > 1e-8 * size[0]]
        return np.sum((target - span @ (span.T @ target))**2), span.shape[1]

    (less, few), (least, many) = left(explained), left(np.hstack([explained, others]))
    free = len(target) - many
    if many == few or free <= 0:
        return 1.0
    return float(fisher.sf((less - least) / (many - few) / (least / free), many - few, free))


def _is_viscous(missed, parameters, well):
    """Whether a spring and a dashpot explain the record better, by Schwarz' criterion, and to the force `well`."""
    x, count = missed.x, len(missed.x)
    if count < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones(count), x, missed.speed])
    found, *_ = np.linalg.lstsq(columns, missed.force, rcond=None)
    least = count * (EXACT * np.ptp(missed.force))**2
    theirs, ours = (max(np.sum(each**2), least) for each in (missed.force - columns @ found, missed.missed))
    return theirs <= count * well**2 and count * np.log(theirs / ours) < (parameters - 3) * np.log(count)


def _means(values, part, known):
    """The mean of the known values of each sample's part."""
    sums, count = (np.bincount(part[known], weights, part[-1] + 1) for weights in (values[known], None))
    return (sums / np.maximum(count, 1))[part]


def _within_reach(half):
    """x, force, error (or None) of the record about the half-cycle while x keeps to its range; whether from its start."""
    x, force, error = half.curve.x, half.curve.force, half.curve.error
    low, slack = half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((x < low - slack) | (x > low + half.width + slack))
    place = np.searchsorted(outside, half.start_index)
    start = outside[place - 1] + 1 if place else 0
    part = slice(start, outside[place] if place < len(outside) else len(x))
    return x[part], force[part], None if error is None else error[part], start == 0
