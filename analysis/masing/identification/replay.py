"""Test an identified model: compute the force of the model along the x of the whole record, and check whether the
measured force differs from it only by noise. In this module, the record is the whole measured curve, of which the model
was identified from one half-cycle only."""

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

# The residual of a sample is the measured force minus the force of the model. The samples between two reversals are
# divided into at most BLOCKS blocks of at least FEWEST_IN_BLOCK consecutive samples, and the mean residual of each
# block is tested.
BLOCKS, FEWEST_IN_BLOCK = 10, 4
# The residuals are more than noise if the mean residual of a block exceeds what is allowed by more than MOST_OFF
# standard deviations. They are also more than noise if the sum of the squares of these excesses, in standard
# deviations, exceeds the mean of its chi-squared distribution by more than MOST_SQUARES standard deviations of this
# distribution.
MOST_OFF, MOST_SQUARES = 5.0, 4.0
# The force of the fitted model has a statistical error. In units of the variance of the noise, the mean variance of
# this error is (p + PRICE log n)/n for p parameters and n samples, where PRICE log n stands for one corner that the fit
# may have omitted. In a block, the variance is assumed to be LOCAL times this mean.
LOCAL = 2.0
# The significance level of the two tests for smooth deviations, which are the F tests of the class Misfit: each test
# mistakes noise for a deviation in this fraction of records.
LEVEL = 1e-5
# The tests for smooth deviations do not count residuals that new elements could explain, whose yield displacements are
# the fractions FURTHER of half the cycle's width. The second test fits polynomials of the degrees 0 to DEGREES - 1 to
# each leg of at least FEWEST_ON_LEG samples. If the noise is at most the fraction ROUNDING of the force's range, it is
# a rounding error, and the two tests are omitted.
FURTHER, DEGREES, FEWEST_ON_LEG, ROUNDING = np.geomspace(0.03, 0.97, 12), 3, 12, 1e-5
# A branch is concave if the root mean square of its deviation from a concave polygon with many corners is at most this
# fraction of the force's range plus (1 + ROUGH)/2 times the noise.
CONCAVE = 1e-3
# A spring and a dashpot explain a record if the root mean square of the difference between their force and the measured
# one is at most this fraction of the force's range plus ROUGH times the noise. The fraction allows for errors of the
# velocity x', which is computed from differences between samples.
VISCOUS = 0.01
# A record begins at rest, with all elongations u = 0, if the absolute values of x and of the force at the first sample
# are at most this fraction of the ranges of x and of the force; for the force, three times the noise is added.
AT_REST = 0.005
# The range of x grows on a leg only if x goes beyond the range that it visited before by more than this fraction of the
# cycle's width.
SAME_PLACE = 1e-6


def replay(elements, x, u, force=None):
    """Return the force k0 x + Σ k_i u_i of a model along x [points], starting from the elongations u [n].

    A leg consists of the points between two reversals of x. Let u_i be the elongations at a reversal, and σ = ±1 the
    direction of the leg after this reversal. On this leg the elements respond as in a first loading with the yield
    displacements η_i - σ u_i. The x at which the motion really reversed may lie beyond the outermost sample. If the
    measured force [points] is given, the distance from this sample, which is at most the gap between neighbouring
    samples, is chosen such that the force of the model fits the measured one best on the leg.
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
            # At the end of a leg, the force hardly depends on the exact position of the reversal at which the leg
            # begins. The mean residual over the last quarter of the leg is therefore the constant by which the measured
            # and the computed force differ.
            late = slice(end - len(distance) // 4, end + 1)
            offset = np.mean(force[late] - result[late])
        u, before = np.clip(u + x[end] - x[start], -eta, eta), direction
    return result


class Misfit(namedtuple("Misfit", "x force speed missed excess freedom rate shape")):
    """The part of a measured force that a model does not explain, at the samples at which the state of the model is
    known.

    `x` and `force` [samples] are the record, `speed` [samples] is the change of x per sample, and `missed` [samples]
    are the residuals: the measured force minus the computed one, from which the mean over each part of the record is
    subtracted, because the force is known only up to a constant there. A part is a longest sequence of consecutive
    samples at which the state is known. `excess` [blocks] is the amount by which the absolute mean of `missed` over a
    block exceeds what is allowed, in standard deviations; it is 0 if the mean is allowed. `freedom` is the number of
    degrees of freedom: the number of blocks minus the number of parts. `rate` and `shape` are the p-values of two F
    tests of whether `missed` contains a term c x', and whether it contains polynomials of the distance along each leg.
    Both are 1 if they were not tested: for a continuous model, if the noise is only a rounding error, or if x was
    smoothed.
    """

    @property
    def significant(self):
        """Return whether the misfit is more than noise can explain."""
        most = self.freedom + MOST_SQUARES * np.sqrt(2 * self.freedom)
        blocks = self.freedom > 0 and bool(self.excess.max() > MOST_OFF or np.sum(self.excess**2) > most)
        return blocks or min(self.rate, self.shape) < LEVEL


def refuse_misfit(fitted, half, floor, hint):
    """Raise DataError if the measured force differs from that of the model `fitted` by more than noise, on the branch
    from which the model was identified or in the whole record. `half` is the HalfCycle from which it was identified.

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
                f"{path}: no such model has this branch: the best misses it by {percent(fitted.noise / reach)} (rms) of "
                f"the forces' range, their noise is {percent(noise / reach)}; {hint}")
    if viscous or missed.rate < min(missed.shape, LEVEL):
        raise DataError(f"{path}: the force depends on the speed (rate-dependent), as with a dashpot beside the springs: "
                        f"springs that slide miss it by up to {size}; measure so slowly that it does not matter")
    if missed.significant:
        raise DataError(f"{path}: not springs that only slide (not Masing): with what its widest branch shows, the "
                        f"other branches are missed by up to {size}; rate-dependent, or another law")


def _kinds(half, well):
    """Return two booleans on the loading branch of a HalfCycle: whether it is concave, and whether it is not concave,
    but becomes concave if a force c x' with c >= 0 is subtracted. A branch is concave if the root mean square of its
    distance from a concave polygon is at most the force `well`."""
    order = np.argsort(half.x, kind="stable")
    order = order[half.x[order] - half.x[0] <= half.width]
    distance, force = grouped(half.x[order] - half.x[0], half.force[order])
    speed = grouped(half.x[order], np.gradient(half.x)[order])[1]
    concave = concave_misfit(distance, force) <= well
    return concave, not concave and concave_misfit(distance, force, speed) <= well


def misfit(fitted, half, noise, floor):
    """Return the Misfit of the model `fitted` for the record that contains the HalfCycle `half`. `noise` is the
    standard deviation of the measured force, and `floor` the force that the accuracy of the model allows as a residual.

    As long as x stays in the range that it visited before, the force is known up to a constant: elements whose yield
    displacements were too large for them to yield in this range do not yield now either. If the record begins at rest,
    the force of the first loading is known as well. The x of a reversal is known only up to the gap between the samples
    around it. Larger residuals are allowed where this uncertainty changes the force.
    """
    elements = fitted.elements
    x, force, error, from_start = _within_reach(half)
    turns, visited = np.union1d(turning_points(x), len(x) - 1), np.maximum.accumulate(x) - np.minimum.accumulate(x)
    # Whether x goes beyond the range that it visited before is decided for each leg as a whole, because the steps of x
    # near a reversal are small.
    is_further = np.diff(visited[turns]) > SAME_PLACE * half.width
    new = np.r_[True, (np.diff(visited) > 0) & np.repeat(is_further, np.diff(turns))]
    state = elements.threshold
    if from_start and abs(x[0]) <= AT_REST * np.ptp(x) and abs(force[0]) <= AT_REST * np.ptp(force) + 3 * noise:
        state = np.zeros_like(state)
        new &= np.maximum.accumulate(np.abs(x - x[0])) > AS_WIDE * half.width / 2
    elif is_one_cycle(half.curve) and x[0] >= x.max() - (1 - AS_WIDE) * half.width:
        # At the largest x of a closed cycle, the elongations of all elements are at their upper bounds. The state is
        # therefore known from the beginning.
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
    # If x was smoothed, the remaining errors of x are smooth. Such a record is therefore not tested for smooth
    # deviations.
    if isinstance(fitted, Discrete) and noise > ROUNDING * np.ptp(force) and error is None:
        explained = _explained(elements, half, x, state, part)
        rate = _chance(weight, missed, explained, np.gradient(x)[:, None])
        shape = _chance(weight, missed, explained, _parabolas(x, legs))
    return Misfit(x[known], force[known], np.gradient(x)[known], missed[known], excess, freedom, rate, shape)


def _explained(elements, half, x, state, part):
    """Return columns [samples, changes], each with the change of the force along x that one change of the model causes.

    The changes are a constant force in each part of the record (`part` [samples] is the number of the part to which a
    sample belongs, as in Misfit), a change of k0, changes of the stiffness and of the η of each element, and new
    elements, one for each fraction in FURTHER. `state` [n] are the elongations at the first sample.
    """
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
    """Return columns [samples, polynomials] with the Legendre polynomials, of the degrees 0 to DEGREES - 1, of the
    distance along each leg that has at least FEWEST_ON_LEG samples. Each column is 0 outside the leg to which it
    belongs; the first column is 0 everywhere."""
    columns = [np.zeros(len(x))]
    for leg in legs:
        if len(leg) >= FEWEST_ON_LEG:
            distance = np.abs(x[leg] - x[leg[0]])
            for degree in np.eye(DEGREES):
                columns.append(np.zeros(len(x)))
                columns[-1][leg] = np.polynomial.legendre.legval(2 * distance / distance[-1] - 1, degree)
    return np.array(columns).T


def _chance(weight, missed, explained, others):
    """Return the p-value of Fisher's F test of whether the columns `others` explain a part of `missed` that the columns
    `explained` do not explain. The p-value is the probability that, if `missed` were only noise, `others` would explain
    at least as large a part of it. `weight` [samples] is 0 for samples that are not used."""
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
    """Return whether a spring and a dashpot explain the record of the Misfit `missed`. The root mean square of the
    force that they leave unexplained must be at most `well`, and by Schwarz' criterion (BIC) they must explain the
    record better than the model, which has this number of parameters."""
    x, count = missed.x, len(missed.x)
    if count < FEWEST_IN_BLOCK:
        return False
    columns = np.column_stack([np.ones(count), x, missed.speed])
    coefficients, *_ = np.linalg.lstsq(columns, missed.force, rcond=None)
    least = count * (EXACT * np.ptp(missed.force))**2
    theirs, ours = (max(np.sum(each**2), least) for each in (missed.force - columns @ coefficients, missed.missed))
    return theirs <= count * well**2 and count * np.log(theirs / ours) < (parameters - 3) * np.log(count)


def _means(values, part, known):
    """Return for each sample the mean of those values in the same part of the record whose samples are `known`,
    [samples]."""
    sums, count = (np.bincount(part[known], weights, part[-1] + 1) for weights in (values[known], None))
    return (sums / np.maximum(count, 1))[part]


def _within_reach(half):
    """Return x, force and error (or None) of the longest sequence of consecutive samples that contains the half-cycle
    and whose x stay in the range of the half-cycle, and whether this sequence begins with the first sample of the
    record."""
    x, force, error = half.curve.x, half.curve.force, half.curve.error
    low, slack = half.x[0], (1 - AS_WIDE) * half.width
    outside = np.flatnonzero((x < low - slack) | (x > low + half.width + slack))
    place = np.searchsorted(outside, half.start_index)
    start = outside[place - 1] + 1 if place else 0
    part = slice(start, outside[place] if place < len(outside) else len(x))
    return x[part], force[part], None if error is None else error[part], start == 0
