"""Divide a curve into half-cycles, and select the half-cycle from which a model is identified.

In a loading half-cycle x rises, in an unloading half-cycle x falls; an inner loop interrupts it. A branch is the curve
of the force from a reversal of x to the next one, or until x passes an older reversal.
"""

import math
from collections import namedtuple

import numpy as np

from masing.errors import DataError, MasingError
from masing.cycles.curves import FEWEST_POINTS

# A movement of x back is noise if it is at most the fraction LEAST_REVERSAL of the range of x, or DEVIATIONS standard
# deviations of the noise of x, where these are at most MOST_NOISE of the range.
LEAST_REVERSAL, MOST_NOISE, DEVIATIONS = 0.001, 0.1, 8
# A sequence is noisy if the noise estimated from its differences of order HIGH is at least AGREE times that from those
# of order LOW, and if the latter exceeds the fraction LEAST of its range. MEDIAN is that of |a normal variable|.
LOW, HIGH, AGREE, LEAST, MEDIAN = 4, 6, 0.7, 1e-6, 0.6745
# A movement of x back is an inner loop if it is at most the fraction INNER of the movement that it interrupts, and
# AS_LARGE of the parts before and after, or if it is beside an extreme at most AT_EXTREME of the movements around.
INNER, AS_LARGE, AT_EXTREME = 0.25, 0.9, 0.4
# x and the force of a closed curve without noise may differ by this fraction of their range from beginning to end.
CLOSED = 0.02
# Half-cycles with these fractions of the width of another are as wide as the widest, and one branch like the loading.
AS_WIDE, WHOLE = 0.99, 0.98
# A branch is straight if the Legendre coefficients of its fit of the degrees 2 to SMOOTH are at most SIGNIFICANT
# standard errors. A jump exceeds FIRM standard deviations of the noise, and the fraction LEAST_JUMP of the range.
SMOOTH, SIGNIFICANT, FIRM, LEAST_JUMP = 5, 4.5, 10, 0.01
# The error of each force is assumed to be at least this fraction of the largest |force|.
EXACT = 1e-10
# The unloading is used beside the loading if the noise of the force exceeds this fraction of its range.
NOISY = 1e-3
# A fit may deviate from the branch to which it was fitted by up to this multiple of the noise.
ROUGH = 2.0


class HalfCycle(namedtuple("HalfCycle", "curve x force error before_x before_force before_error width start_index "
                                        "mirrored")):
    """A loading half-cycle [points] of a `curve`, in which x rises, and the unloading half-cycle before it.

    The loading begins at the sample `start_index` of the curve. `width` is that of its first branch, which ends where x
    passes the value from which it fell before. `mirrored` says whether the whole unloading is one branch.
    """

    @property
    def gap(self):
        """Return the larger distance in x from the first sample of the loading to its two neighbours."""
        return float(np.abs(np.diff(self.curve.x[max(self.start_index - 1, 0):self.start_index + 2])).max())


def reversals(x):
    """Return the indices of the samples at which x [samples] changes its direction, however little; a pause is none."""
    step = np.diff(x)
    moving = np.flatnonzero(step)
    return moving[1:][np.diff(np.sign(step[moving])) != 0]


def noise(values):
    """Return the standard deviation of the white noise in an otherwise smooth sequence [samples], or 0."""
    # The variance of the differences of order n is the binomial coefficient C(2n, n) times that of the noise.
    low, high = (np.median(np.abs(np.diff(values, n))) / MEDIAN / np.sqrt(math.comb(2 * n, n))
                 if len(values) > n else 0.0 for n in (LOW, HIGH))
    return low if high >= AGREE * low and low > LEAST * np.ptp(values) else 0.0


def turning_points(x, deviation=None):
    """Return the indices of the first and the last sample, and of those reversals of x [samples] that are not noise.

    The last sample is omitted if x may have moved by noise alone since.
    """
    deviation = noise(x) if deviation is None else deviation
    shortest = min(max(DEVIATIONS * deviation, LEAST_REVERSAL * np.ptp(x)), MOST_NOISE * np.ptp(x))
    points = [0]
    for place in (*reversals(x), len(x) - 1):
        # The sample extends the last leg, ends a new leg, or is too near to the last turning point to count.
        moved = x[place] - x[points[-1]]
        if len(points) > 1 and np.sign(x[points[-1]] - x[points[-2]]) * moved >= 0:
            points[-1] = place
        elif abs(moved) > shortest:
            points.append(place)
    return np.array(points)


class Opened(namedtuple("Opened", "curve kept points inner is_one_cycle")):
    """A Measured curve and its inner loops.

    `kept` are the indices of the samples outside of inner loops, `points` those of the turning points among them.
    `inner` are the inner loops as (samples, turn): their indices before x returns, and that of the other reversal. If
    the curve without its inner loops is a single closed cycle, `curve` begins where x is largest, and has no times.
    """

    main = property(lambda self: self.curve.at(self.kept))


def opened(curve, fewest=4):
    """Return a Measured curve as an Opened curve, whose inner loops are found as by rainflow counting.

    They stay in a curve that would have fewer than `fewest` turning points, such as one that drifts.
    """
    of_x = curve.noise.x if curve.noise else noise(curve.x)
    if all(abs(values[-1] - values[0]) <= np.clip(DEVIATIONS * of, *np.ptp(values) * np.array([CLOSED, MOST_NOISE]))
           for values, of in ((curve.x, of_x), (curve.force, noise(curve.force)))):
        top = np.argmax(curve.x)
        turned = curve.at(np.r_[top:len(curve.x), 1:top + 1])._replace(t=None)
        points = turning_points(turned.x, of_x)
        # The cycle may begin or end with an inner loop, which the reversals before and after it surround.
        points, *found = _without_inner_loops(turned.x, [points[-2], *points, points[1]], AT_EXTREME)
        if len(points) in (5, 6):
            return Opened(turned, found[1], points[1:-1], found[0], True)
    points = turning_points(curve.x, of_x)
    main, inner, kept = _without_inner_loops(curve.x, points)
    if len(main) < fewest:
        main, inner, kept = points, [], np.arange(len(curve.x))
    return Opened(curve, kept, main, inner, False)


def _without_inner_loops(x, points, at_ends=1):
    """Return the turning points without inner loops, and `inner` and `kept` of Opened.

    An inner loop beside the first or the last movement of x may be `at_ends` of it.
    """
    left, inner, outside = [], [], np.ones(len(x), dtype=bool)
    for number, point in enumerate(map(int, points), start=1):
        left.append(point)
        while len(left) > 3:
            legs = np.abs(np.diff(x[left[-5:]]))
            before, after = (at_ends if end else AT_EXTREME for end in (len(left) == 5, number == len(points)))
            if legs[-2] <= min(AS_LARGE * legs[-3], AS_LARGE * legs[-1], INNER * (legs[-3] + legs[-1] - legs[-2])):
                first = len(left) - 3
            elif len(legs) == 4 and legs[1] <= before * legs[0] and legs[2] <= after * legs[3]:
                # x moves back from an extreme, and returns to it or almost: the smaller of both legs is a loop.
                first = len(left) - 4 + int(legs[1] > legs[2])
            else:
                break
            start, turn, after = left[first:first + 3]
            back = np.sign(x[start] - x[turn]) * (x[turn:after + 1] - x[start])
            again = turn + int(np.argmax(back >= min(0.0, back[-1])))  # x may miss `start` by a rounding
            inner.append((start + np.flatnonzero(outside[start:again]), turn))
            outside[start + 1:again] = False
            del left[first:first + 2]
    return np.array(left), inner, np.flatnonzero(outside)


def widest_half_cycle(curve):
    """Return the widest loading half-cycle of a Measured curve, and the last one of several that are equally wide."""
    if np.ptp(curve.x) == 0:
        raise MasingError(f"{curve.path}: x never changes; a cycle needs a moving x")
    found = opened(curve)
    x, points = found.main.x, np.searchsorted(found.kept, found.points)
    halves = [_half(found, points, n) for n in range(1, len(points) - 1) if x[points[n + 1]] > x[points[n]]]
    if not halves:
        raise DataError(f"{curve.path}: no closed cycle: x only rises, only falls, or does each once; record a full "
                        "loop, so that x goes down and up")
    widest = max(each.width for each in halves)
    # The last of equally wide half-cycles is taken, because later cycles are nearer to the limit cycle.
    half = next(each for each in reversed(halves) if each.width >= AS_WIDE * widest)
    inside = np.count_nonzero(half.x - half.x[0] <= half.width)
    if inside < FEWEST_POINTS:
        raise DataError(f"{curve.path}: too few samples: its widest loading branch has {inside} points; at least "
                        f"{FEWEST_POINTS} are needed between two reversals of x")
    return half


def _half(found, points, n):
    """Return the HalfCycle of an Opened curve whose loading begins at the n-th of the turning `points`."""
    x, (before, start, end) = found.main.x, points[n - 1:n + 2]
    width = min(x[before], x[end]) - x[start]
    mirrored = found.is_one_cycle or n > 1 and x[points[n - 2]] <= x[start] + (1 - WHOLE) * width
    rise, fall = found.main.at(slice(start, end + 1)), found.main.at(slice(before, start + 1))
    return HalfCycle(found.curve, rise.x, rise.force, rise.error, fall.x, fall.force, fall.error, width,
                     int(found.kept[start]), mirrored)


class Loading(namedtuple("Loading", "path start distance force with_unloading error", defaults=[False, None])):
    """The samples of a loading half-cycle from which a model is identified; arrays are [points].

    `distance` are the distances in x from `start`, where the branch begins, in increasing order. `with_unloading` says
    whether the samples of the unloading half-cycle are included, rotated by 180 degrees about the centre of the cycle.
    """

    width = property(lambda self: self.distance[-1])


def loading(path, half, start):
    """Return the Loading of a HalfCycle whose branch begins at x = start; raise DataError if no elements have it.

    An unloading half-cycle that agrees with a noisy loading is included.
    """
    order = np.argsort(half.x, kind="stable")
    inside = order[half.x[order] - half.x[0] <= half.width]
    error = None if half.error is None else half.error[inside]
    result = Loading(path, start, np.maximum(half.x[inside] - start, 0), half.force[inside], error=error)
    noise = scatter(result.distance, result.force)
    _refuse_wrong_shape(result, half, max(noise, EXACT * np.abs(result.force).max(), np.finfo(float).tiny))
    return _with_mirror_image(result, half, noise) if noise > NOISY * np.ptp(result.force) else result


def _with_mirror_image(branch, half, noise):
    """Return the branch with the unloading rotated and shifted onto it, or alone if it is not one branch like it."""
    order = np.argsort(-half.before_x, kind="stable")
    if not half.mirrored or np.ptp(half.before_x) < WHOLE * branch.width:
        return branch
    distance, force = half.before_x.max() - half.before_x[order], -half.before_force[order]
    off = branch.force - np.interp(branch.distance, distance, force)
    if off.std() > 2 * noise:  # which is √2 times the noise, and a margin
        return branch
    inside = distance <= branch.width
    both = np.r_[branch.distance, distance[inside]], np.r_[branch.force, force[inside] + off.mean()]
    by_distance = np.argsort(both[0], kind="stable")
    error = None if half.error is None else np.r_[branch.error, half.before_error[order][inside]][by_distance]
    return Loading(branch.path, branch.start, *(each[by_distance] for each in both), with_unloading=True, error=error)


def scatter(distance, force):
    """Return the standard deviation of the noise of the force, from the straight lines through both neighbours."""
    gap = np.diff(distance)
    share = gap[1:] / np.maximum(gap[1:] + gap[:-1], np.finfo(float).tiny)
    off = force[1:-1] - share * force[:-2] - (1 - share) * force[2:]
    return np.median(np.abs(off) / np.sqrt(1 + share**2 + (1 - share)**2)) / MEDIAN


def no_sliding(path, slope, width):
    """Return the DataError for a straight branch, on which no element yields."""
    return DataError(f"{path}: no sliding seen: force and displacement stay on one line of slope {slope:.5g} "
                     f"(k0 + Σk); load further than {width / 2:.4g} to either side")


def not_concave(path):
    """Return the DataError for a branch whose slope increases somewhere or is negative somewhere."""
    return DataError(f"{path}: bent, but not as sliding bends it: the slope of the loading increases (stiffer "
                     "outwards?) or is negative somewhere (rate-dependent?); as springs slide one after another it "
                     "falls, to no less than 0")


def _refuse_wrong_shape(branch, half, noise):
    """Raise DataError if elements that yield cannot have this branch and this loop.

    If elements yield, the unloading lies below the loading, on average by more than half the |curvature|, which is the
    coefficient of the Legendre polynomial of degree 2, or by more than `noise` if the curvature is not significant.
    """
    path, width = branch.path, branch.width
    (_, slope, curvature), (*_, error) = _legendre(branch, noise, 2)
    slope, curvature = 2 * slope / width, curvature if abs(curvature) > SIGNIFICANT * error else 0.0
    bent = curvature or np.abs(np.divide(*_legendre(branch, noise, SMOOTH)))[2:].max() > SIGNIFICANT
    order = np.argsort(half.before_x, kind="stable")
    opening = branch.force - np.interp(half.x[0] + branch.distance, half.before_x[order], half.before_force[order])
    # Smoothing of x may displace its reversal, so that the jump is then measured between samples farther apart.
    apart = 1 if half.error is None else min(max(len(half.x) // 40, 1), 8, len(half.before_x) - 1)
    loop, jump = opening.mean(), _jump(half, apart)
    is_open = loop > (abs(curvature) / 2 or noise)
    jumps = jump > max(FIRM * noise, LEAST_JUMP * np.ptp(branch.force), opening[3 * apart] / 2)
    if jumps or is_open and not bent:
        raise DataError(f"{path}: the force jumps by {jump if jumps else loop:.2g} at a reversal: dry friction without "
                        "a spring of its own, η = 0, which is not fitted; if it has one, too few samples there")
    if slope <= 0:
        raise DataError(f"{path}: the force does not rise with x (mean slope {slope:.3g}): columns exchanged? a sign?")
    if not bent and not is_open:
        raise no_sliding(path, slope, width)
    if curvature > 0 and loop < -curvature / 2:
        raise DataError(f"{path}: the loop is gone round the wrong way, as if it gave energy: x and force exchanged, "
                        "or the order of the samples reversed?")
    if not is_open:
        raise DataError(f"{path}: x and force go to and fro on one curve: a nonlinear spring, no friction")
    if curvature > 0:
        raise not_concave(path)


def _legendre(branch, noise, degree):
    """Return the coefficients of the Legendre polynomials that fit the branch, and their standard errors."""
    columns = np.polynomial.legendre.legvander(2 * branch.distance / branch.width - 1, degree)
    error = noise * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
    return np.linalg.lstsq(columns, branch.force, rcond=None)[0], error


def _jump(half, apart):
    """Return by how much the force rises at the reversal more than springs of the steepest slope after it explain."""
    x, force = half.x[apart:5 * apart:apart], half.force[apart:5 * apart:apart]
    steps = np.diff(x)
    steepest = np.max(np.diff(force)[steps > 0] / steps[steps > 0], initial=0)
    return force[0] - half.before_force[-1 - apart] - steepest * (x[0] + half.before_x[-1 - apart] - 2 * half.x[0])
