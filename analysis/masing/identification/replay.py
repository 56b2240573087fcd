"""Test whether an identified model explains the whole record except for noise.

The record is the whole measured curve. The model was identified from only one half-cycle of it. This module computes
the force of the model along the x of the record, and compares it with the measured force.
"""

from collections import namedtuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import f as fisher

from masing.cycles.half_cycles import (AS_WIDE, EXACT, ROUGH, not_concave, opened, reversals, scatter,
                                       turning_points)
from masing.cycles.polygons import PRICE, concave_misfit, grouped
from masing.errors import DataError
from masing.identification.discrete import Discrete, Elements
from masing.text import percent

# The samples between two reversals are divided into at most BLOCKS blocks of at least FEWEST_IN_BLOCK consecutive
# samples, and the mean residual of each block, measured minus computed force, is tested.
BLOCKS, FEWEST_IN_BLOCK = 10, 4
# The residuals are more than noise if a Misfit.excess is larger than MOST_OFF, or if the sum of the squared excesses is
# larger than the mean of its chi-squared distribution by more than MOST_SQUARES standard deviations.
MOST_OFF, MOST_SQUARES = 5.0, 4.0
# The force of the fitted model has a statistical error. In units of the variance of the noise, the mean variance of
# this error is (p + PRICE log n)/n for p parameters and n samples, where PRICE log n stands for one corner that the fit
# may have omitted. In a block, the variance of this error is assumed to be LOCAL times this mean.
LOCAL = 2.0
# The significance level of the two tests for smooth deviations, which are the F tests of the class Misfit. If a record
# has only noise, a test detects a deviation with this probability.
LEVEL = 1e-5
# The tests for smooth deviations ignore residuals that new elements could explain, whose yield displacements are the
# fractions FURTHER of half the cycle's width. The second test fits polynomials of the degrees 0 to DEGREES - 1 to each
# leg of at least FEWEST_ON_LEG samples. Noise of at most ROUNDING times the force's range is not tested.
FURTHER, DEGREES, FEWEST_ON_LEG, ROUNDING = np.geomspace(0.03, 0.97, 12), 3, 12, 1e-5
# A branch counts as concave if it differs little from a concave polygon with many corners: the root mean square of the
# difference is at most this fraction of the force's range plus (1 + ROUGH)/2 times the noise.
CONCAVE = 1e-3
# A spring and a dashpot explain a record if the root mean square of what they miss is at most this fraction of the
# force's range plus ROUGH times the noise. The fraction allows for errors of x', a difference between samples.
VISCOUS = 0.01
# A record counts as beginning at rest, with all elongations u = 0, if at its first sample |x| is at most this fraction
# of the range of x, and |force| at most this fraction of the range of the force plus three times the noise.
AT_REST = 0.005
# On a leg, x counts as leaving the range that it visited before only if it goes beyond this range by more than this
# fraction of the cycle's width.
SAME_PLACE = 1e-6


def replay(elements, x, u, force=None):
    """Return the force k0 x + Σ k_i u_i of a model along x [points], starting from the elongations u [n].

    A leg consists of the points between two reversals of x. Let u_i be the elongations at a reversal, and σ = ±1 the
    direction of the leg after this reversal. On this leg the elements respond as in a first loading with the yield
    displacements η_i - σ u_i.

    The motion may have reversed at an x that lies beyond the sample at the reversal. If the measured `force` [points]
    is given, the distance from the sample to this x is fitted. It is chosen, between 0 and the gap to the neighbouring
    samples, such that the force of the model fits the measured one best on the leg.
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
            # The measured and the computed force may differ by a constant, which the fit on the next leg needs. It is
            # the mean residual over the last quarter of this leg, where the force hardly depends on the exact x of the
            # reversal at which the leg begins.
            late = slice(end - len(distance) // 4, end + 1)
            offset = np.mean(force[late] - result[late])
        u, before = np.clip(u + x[end] - x[start], -eta, eta), direction
    return result


class Misfit(namedtuple("Misfit", "x force speed missed excess freedom rate shape")):
    """The part of a measured force that a model does not explain.

    A sample is used only if the model determines the force at it except for an additive constant (see misfit()). This
    constant is the same in one part of the record, a longest sequence of consecutive samples that are used.

    `x` and `force` [samples] are the record at the used samples, and `speed` [samples] is the change of x per sample.
    `missed` [samples] are the residuals, the measured force minus the computed one. Their mean over each part is
    subtracted, which removes the unknown constant. `excess` [blocks] is the amount by which the absolute mean of
    `missed` over a block exceeds what is allowed, in standard deviations; it is 0 if the mean is allowed. `freedom` is
    the number of degrees of freedom, which is the number of blocks minus the number of parts with blocks.

    `rate` is the p-value of an F test of whether `missed` contains a term c x'. `shape` is the p-value of an F test of
    whether it contains polynomials of the distance along each leg. Both are 1 if nothing was tested: for a continuous
    model, if the noise is only a rounding error, or if x was smoothed.
    """

    @property
    def significant(self):
        """Return whether the misfit is more than noise can explain."""
        most = self.freedom + MOST_SQUARES * np.sqrt(2 * self.freedom)
        blocks = self.freedom > 0 and bool(self.excess.max() > MOST_OFF or np.sum(self.excess**2) > most)
        return blocks or min(self.rate, self.shape) < LEVEL


def refuse_misfit(fitted, half, floor, hint):
    """Raise DataError if the measured force differs from that of the model `fitted` by more than noise.

    This is tested on the branch from which the model was identified, and in the whole record. `half` is the HalfCycle
    from which the model was identified.

    `floor` is the accuracy of the model as a fraction of the force's range. `hint` is the end of the message for a
    concave branch that the model does not fit; it says why, and what to do.
    """
    branch = fitted.branch
    path, noise, reach = branch.path, scatter(branch.distance, branch.force), np.ptp(branch.force)
    if branch.error is not None:
        # Where the branch is steep, the noise of x increases the errors of the force. The noise from scatter() is a
        # median, which ignores a small steep part of the branch. The root mean square of all errors includes this part.
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
    if viscous or missed.rate < min(missed.shape, LEVEL):
        raise DataError(f"{path}: the force depends on the speed (rate-dependent), as with a dashpot beside the "
                        f"springs: springs that slide miss it by up to {size}; measure so slowly that it does not matter")
    if missed.significant:
        raise DataError(f"{path}: not springs that only slide (not Masing): with what its widest branch shows, the "
                        f"other branches are missed by up to {size}; rate-dependent, or another law")


def _kinds(half, well):
    """Return whether the loading branch of a HalfCycle is concave, and whether it is not concave, but becomes concave
    if a force c x' with c >= 0 is subtracted. A branch counts as concave if a concave polygon misses it by at most the
    force `well`, as a root mean square."""
    order = np.argsort(half.x, kind="stable")
    order = order[half.x[order] - half.x[0] <= half.width]
    distance, force = grouped(half.x[order] - half.x[0], half.force[order])
    speed = grouped(half.x[order], np.gradient(half.x)[order])[1]
    concave = concave_misfit(distance, force) <= well
    return concave, not concave and concave_misfit(distance, force, speed) <= well


def misfit(fitted, half, noise, floor):
    """Return the Misfit of the model `fitted` for the record that contains the HalfCycle `half`. `noise` is the
    standard deviation of the measured force, and `floor` the force that the accuracy of the model allows as a residual.

    The elongations at the first sample of the record are unknown, unless the record begins at rest. While x stays in
    the range that it visited before, the model nevertheless determines the force except for an additive constant. An
    element with 2 η larger than the width of this range does not yield there. Its elongation changes by as much as x,
    and the force of its unknown elongation is a part of the constant. The elongations of all other elements are known,
    because they have yielded.

    The x of a reversal may lie anywhere in the gap between the samples around it. Larger residuals are allowed where
    this uncertainty changes the force.
    """
    elements = fitted.elements
    x, force, error, from_start = _within_reach(half)
    deviation = half.curve.noise.x if half.curve.noise else None
    turns = np.union1d(turning_points(x, deviation), len(x) - 1)
    visited = np.maximum.accumulate(x) - np.minimum.accumulate(x)
    # `new` says at which samples x is beyond the range that it visited before. On a leg that goes hardly beyond this
    # range, no sample counts as new. This is decided for the leg as a whole, because the steps of x near a reversal are
    # small.
    is_further = np.diff(visited[turns]) > SAME_PLACE * half.width
    new = np.r_[True, (np.diff(visited) > 0) & np.repeat(is_further, np.diff(turns))]
    state = elements.threshold
    if from_start and abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise:
        state = np.zeros_like(state)
        new &= np.maximum.accumulate(np.abs(x - x[0])) > AS_WIDE * half.width / 2
    elif opened(half.curve).is_one_cycle and x[0] >= x.max() - (1 - AS_WIDE) * half.width:
        # At the largest x of a closed cycle, the elongations of all elements that yield in it are at their upper
        # bounds. The force is therefore known from the beginning, except for a constant.
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
    points = len(fitted.branch.force)
    own = LOCAL * (fitted.parameters + PRICE * np.log(points)) / points
    variance = own + np.array([1 / len(block) for block in blocks])
    deviation = noise if error is None else np.array([np.sqrt(np.mean(error[block]**2)) for block in blocks])
    excess = np.maximum(np.abs(off) - allowance, 0) / (np.sqrt(variance) * np.maximum(deviation, EXACT * np.ptp(force)))
    freedom = len(blocks) - len({part[block[0]] for block in blocks})
    rate, shape = 1.0, 1.0
    # If x was smoothed, its remaining errors are smooth, and cause smooth deviations of the force. The tests for smooth
    # deviations are then omitted.
    if isinstance(fitted, Discrete) and noise > ROUNDING * np.ptp(force) and error is None:
        explained = _explained(elements, half, x, state, part)
        rate = _chance(weight, missed, explained, np.gradient(x)[:, None])
        shape = _chance(weight, missed, explained, _parabolas(x, legs))
    return Misfit(x[known], force[known], np.gradient(x)[known], missed[known], excess, freedom, rate, shape)


def _explained(elements, half, x, state, part):
    """Return columns [samples, changes], each with the change of the force along x that one change of the model causes.
    The changes of the model are a constant force in each part of the record, a change of k0, changes of the stiffness
    and of the η of each element, and a new element for each fraction in FURTHER. `part` [samples] is the number of the
    part to which a sample belongs, as in Misfit. `state` [n] are the elongations at the first sample."""
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
    """Return columns [samples, polynomials] with Legendre polynomials of the distance along a leg. Each leg of at least
    FEWEST_ON_LEG samples has DEGREES columns, which are 0 outside of it. The first column is 0."""
    columns = [np.zeros((len(x), 1))]
    for leg in legs:
        if len(leg) >= FEWEST_ON_LEG:
            distance = np.abs(x[leg] - x[leg[0]])
            columns.append(np.zeros((len(x), DEGREES)))
            columns[-1][leg] = np.polynomial.legendre.legvander(2 * distance / distance[-1] - 1, DEGREES - 1)
    return np.hstack(columns)


def _chance(weight, missed, explained, others):
    """Return the p-value of Fisher's F test of whether the columns `others` explain a part of `missed` that the columns
    `explained` do not explain. The p-value is the probability that `others` would explain at least as large a part if
    `missed` were only noise. It is 1 if there are too few samples for the test. `weight` [samples] is 0 for samples
    that are not used."""
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
    """Return whether a spring and a dashpot explain the record of the Misfit `missed` better than the model. The root
    mean square of the force that they leave unexplained must be at most `well`. By Schwarz' criterion (BIC) they must
    also explain the record better than the model, which has `parameters` parameters."""
    x, count = missed.x, len(missed.x)
    if count < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones(count), x, missed.speed])
    coefficients, *_ = np.linalg.lstsq(columns, missed.force, rcond=None)
    least = count * (EXACT * np.ptp(missed.force))**2
    theirs, ours = (max(np.sum(each**2), least) for each in (missed.force - columns @ coefficients, missed.missed))
    return theirs <= count * well**2 and count * np.log(theirs / ours) < (parameters - 3) * np.log(count)


def _means(values, part, known):
    """Return the mean of the values over the `known` samples of each part of the record, as an array [samples]. An
    entry of the array is the mean of the part to which the sample belongs."""
    sums, count = (np.bincount(part[known], weights, part[-1] + 1) for weights in (values[known], None))
    return (sums / np.maximum(count, 1))[part]


def _within_reach(half):
    """Return x, force, error (or None) and a boolean for the part of the record in which x stays in the range of the
    half-cycle. This part contains the beginning of the half-cycle. The boolean says whether it begins with the
    record."""
    x, force, error = half.curve.x, half.curve.force, half.curve.error
    low, slack = half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((x < low - slack) | (x > low + half.width + slack))
    place = np.searchsorted(outside, half.start_index)
    start = outside[place - 1] + 1 if place else 0
    part = slice(start, outside[place] if place < len(outside) else len(x))
    return x[part], force[part], None if error is None else error[part], start == 0
