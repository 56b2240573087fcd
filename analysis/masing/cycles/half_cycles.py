"""Half-cycles between two reversals of x, and the loading branch of a half-cycle that identifies a model."""

from collections import namedtuple

import numpy as np

from masing.errors import DataError, MasingError
from masing.cycles.curves import FEWEST_POINTS

# A reversal shorter than this fraction of the curve's width, or than DEVIATIONS of x up to the larger one, is noise.
LEAST_REVERSAL, MOST_NOISE = 0.01, 0.1
DEVIATIONS = 8
# A curve whose ends are this near, as fractions of its width and height, is closed.
CLOSED = 0.02
# A half-cycle of this share of the widest one's width is as good.
AS_WIDE = 0.99
# Curvature counts from this many of its standard errors on: one in 10⁵ straight branches looks curved.
SIGNIFICANT = 4.5
# A branch is straight if no polynomial of up to this degree lies in it.
SMOOTH = 5
# The force jumps if it does so by this many deviations of its noise, and by this fraction of its range.
FIRM, LEAST_JUMP = 10, 0.01
# Forces are not known better than this fraction of their range.
EXACT = 1e-10
# From this much noise on, as a fraction of the force's range, the unloading half is used, too.
NOISY = 1e-3
# A fit misses its own branch by up to this multiple of its noise.
ROUGH = 2.0
# What share of a half-cycle's width its other half must have to be its mirror image.
WHOLE = 0.98


def _part(of, name):
    def values(half):
        whole = getattr(half.opened, name)
        return None if whole is None else whole[getattr(half, of)]
    return property(values)


class HalfCycle(namedtuple("HalfCycle", "curve opened rise fall width start_index mirrored")):
    """A loading half-cycle of a Measured `curve`, the samples `rise` of `opened`, that is the curve begun at its top if
    it is closed, and the unloading before it, `fall`; x, force and error of each [points], errors None where equal.

    `width` is the part to be used: a loading half that is wider than the unloading before it is one branch only up to
    its start. It begins at the sample `start_index` of the curve. `mirrored`: the unloading is one branch from a
    reversal on, too.
    """

    x, force, error = (_part("rise", name) for name in ("x", "force", "error"))
    before_x, before_force, before_error = (_part("fall", name) for name in ("x", "force", "error"))

    @property
    def gap(self):
        """The distance between samples at the reversal."""
        return float(np.abs(np.diff(self.curve.x[max(self.start_index - 1, 0):self.start_index + 2])).max())


def reversals(x):
    """Indices of the samples at which x [samples] turns round, however little; a rest is no reversal."""
    step = np.diff(x)
    moving = np.flatnonzero(step)
    return moving[1:][np.diff(np.sign(step[moving])) != 0]


def turning_points(x):
    """Indices of the first sample, every reversal of x [samples] that is longer than its noise, and the last."""
    noise = DEVIATIONS * scatter(np.arange(len(x)), x)
    shortest = min(max(noise, LEAST_REVERSAL * np.ptp(x)), MOST_NOISE * np.ptp(x))
    points = [0]
    for place in (*reversals(x), len(x) - 1):
        # An extreme extends the last leg, begins a new one, or is too small to count.
        moved = x[place] - x[points[-1]]
        if len(points) > 1 and np.sign(x[points[-1]] - x[points[-2]]) * moved >= 0:
            points[-1] = place
        elif abs(moved) > shortest:
            points.append(place)
    return np.array(points)


def widest_half_cycle(curve):
    """The last of the widest loading half-cycles of a Measured curve; raises DataError when there is none."""
    if np.ptp(curve.x) == 0:
        raise MasingError(f"{curve.path}: x never changes; a cycle needs a moving x")
    opened = opened_at_the_top(curve)
    points = turning_points(opened.x)
    halves = [_half(curve, opened, points, n)
              for n in range(1, len(points) - 1) if opened.x[points[n + 1]] > opened.x[points[n]]]
    if not halves:
        legs = {-1: "only falls", 1: "only rises"}.get(np.sign(np.diff(opened.x[points])).sum(), "rises and falls once")
        raise DataError(f"{curve.path}: no closed cycle: x {legs}; record a full loop, so that x goes down and up")
    widest = max(each.width for each in halves)
    # Later cycles are nearer to the limit cycle.
    half = next(each for each in reversed(halves) if each.width >= AS_WIDE * widest)
    inside = np.count_nonzero(half.x - half.x[0] <= half.width)
    if inside < FEWEST_POINTS:
        raise DataError(f"{curve.path}: too few samples: its widest loading branch has {inside} points; at least "
                        f"{FEWEST_POINTS} are needed between two reversals of x")
    return half


def opened_at_the_top(curve):
    """The Measured curve; a single closed cycle is turned round to begin where x is largest, without its times."""
    if not is_one_cycle(curve):
        return curve
    top = np.argmax(curve.x)
    turned = {name: np.r_[values[top:], values[1:top + 1]] for name in ("x", "force", "error")
              if (values := getattr(curve, name)) is not None}
    return curve._replace(t=None, **turned)


def is_one_cycle(curve):
    """Whether the Measured curve is a single cycle whose ends meet."""
    x, force = curve.x, curve.force
    ends_meet = abs(x[-1] - x[0]) <= CLOSED * np.ptp(x) and abs(force[-1] - force[0]) <= CLOSED * np.ptp(force)
    return ends_meet and len(turning_points(x)) in (3, 4)


def _half(curve, opened, points, n):
    """The leg that rises from the turning point n, with the leg before it."""
    x, (before, start, end) = opened.x, points[n - 1:n + 2]
    width, closed = min(x[before], x[end]) - x[start], is_one_cycle(curve)
    mirrored = closed or n > 1 and x[points[n - 2]] <= x[start] + (1 - WHOLE) * width
    return HalfCycle(curve, opened, slice(start, end + 1), slice(before, start + 1), width,
                     int(np.argmin(curve.x)) if closed else start, mirrored)


class Loading(namedtuple("Loading", "path start distance force with_unloading error", defaults=[False, None])):
    """The used part of a half-cycle: x of its start, distance d from it and force, each [points] by rising d.

    `with_unloading`: the unloading half's points, turned about the centre of symmetry, are among them. `error` is the
    standard deviation of each force, None where they are equal.
    """

    width = property(lambda self: self.distance[-1], doc="The largest distance, twice the amplitude.")


def loading(path, half, start):
    """The Loading from `start` on; raises DataError when it has no loop, falls, jumps or steepens."""
    order = np.argsort(half.x, kind="stable")
    inside = order[half.x[order] - half.x[0] <= half.width]
    error = None if half.error is None else half.error[inside]
    result = Loading(path, start, np.maximum(half.x[inside] - start, 0), half.force[inside], error=error)
    noise = scatter(result.distance, result.force)
    _refuse_wrong_shape(result, half, max(noise, EXACT * np.abs(result.force).max(), np.finfo(float).tiny))
    return _with_mirror_image(result, half, noise) if noise > NOISY * np.ptp(result.force) else result


def _with_mirror_image(branch, half, noise):
    """The branch with the unloading half turned by 180 degrees onto it, if that is whole and fits up to the noise."""
    order = np.argsort(-half.before_x, kind="stable")
    if not half.mirrored or np.ptp(half.before_x) < WHOLE * branch.width:
        return branch
    distance, force = half.before_x.max() - half.before_x[order], -half.before_force[order]
    off = branch.force - np.interp(branch.distance, distance, force)
    # The difference of two samples scatters by √2 of the noise.
    if off.std() > 2 * noise:
        return branch
    inside = distance <= branch.width
    both = np.r_[branch.distance, distance[inside]], np.r_[branch.force, force[inside] + off.mean()]
    by_distance = np.argsort(both[0], kind="stable")
    error = None if half.error is None else np.r_[branch.error, half.before_error[order][inside]][by_distance]
    return Loading(branch.path, branch.start, *(each[by_distance] for each in both), with_unloading=True, error=error)


def scatter(distance, force):
    """The standard deviation of the noise of force, from how far samples are off the line through their neighbours."""
    gap = np.diff(distance)
    share = gap[1:] / np.maximum(gap[1:] + gap[:-1], np.finfo(float).tiny)
    off = force[1:-1] - share * force[:-2] - (1 - share) * force[2:]
    # 0.6745 is the median of |normal|.
    return np.median(np.abs(off) / np.sqrt(1 + share**2 + (1 - share)**2)) / 0.6745


def no_sliding(path, slope, width):
    """The DataError of a branch of this width that is straight."""
    return DataError(f"{path}: no sliding seen: force and displacement stay on one line of slope {slope:.5g} "
                     f"(k0 + Σk); load further than {width / 2:.4g} to either side")


def not_concave(path):
    """The DataError of a branch whose slope increases, or is negative, somewhere."""
    return DataError(f"{path}: bent, but not as sliding bends it: the slope of the loading increases (stiffer outwards?) "
                     "or is negative somewhere; as springs slide one after another it falls, to no less than 0")


def _refuse_wrong_shape(branch, half, noise):
    """Raise DataError where springs that slide have no such branch and no such loop.

    Where they do, the unloading is below the loading by more than half the branch's curvature, in the mean.
    """
    path, width, height = branch.path, branch.width, np.ptp(branch.force)
    (_, slope, curvature), (*_, error) = _legendre(branch, noise, 2)
    slope, curvature = 2 * slope / width, curvature if abs(curvature) > SIGNIFICANT * error else 0.0
    bent = curvature or np.abs(np.divide(*_legendre(branch, noise, SMOOTH)))[2:].max() > SIGNIFICANT
    order = np.argsort(half.before_x, kind="stable")
    opening = branch.force - np.interp(half.x[0] + branch.distance, half.before_x[order], half.before_force[order])
    # Where x is smoothed, its reversal is some samples off.
    apart = 1 if half.error is None else min(max(len(half.x) // 40, 1), 8, len(half.before_x) - 1)
    loop, jump = opening.mean(), _jump(half, apart)
    is_open = loop > (abs(curvature) / 2 or noise)
    jumps = jump > max(FIRM * noise, LEAST_JUMP * height, opening[3 * apart] / 2)
    if jumps or is_open and not bent:
        raise DataError(f"{path}: the force jumps by {jump if jumps else loop:.2g} at a reversal: dry friction without "
                        "a spring of its own, η = 0, which is not fitted; if it has one, too few samples there")
    if height == 0 or slope <= 0:
        raise DataError(f"{path}: the force does not rise with x (mean slope {slope:.3g}): columns exchanged? a sign?")
    if not bent and not is_open:
        raise no_sliding(path, slope, width)
    if curvature > 0 and loop < -curvature / 2:
        raise DataError(f"{path}: the loop is gone round the wrong way, as if it gave energy: x and force exchanged, or "
                        "the order of the samples reversed?")
    if not is_open:
        raise DataError(f"{path}: x and force go to and fro on one curve: a nonlinear spring, no friction")
    if curvature > 0:
        raise not_concave(path)


def _legendre(branch, noise, degree):
    """The coefficients of Legendre's polynomials on the branch by least squares, and their standard errors."""
    columns = np.polynomial.legendre.legvander(2 * branch.distance / branch.width - 1, degree)
    error = noise * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))
    return np.linalg.lstsq(columns, branch.force, rcond=None)[0], error


def _jump(half, apart):
    """The force's rise from `apart` samples before the reversal to as many behind, beyond the steepest slope after it."""
    x, force = half.x[apart:5 * apart:apart], half.force[apart:5 * apart:apart]
    steps = np.diff(x)
    steepest = np.max(np.diff(force)[steps > 0] / steps[steps > 0], initial=0)
    return force[0] - half.before_force[-1 - apart] - steepest * (x[0] + half.before_x[-1 - apart] - 2 * half.x[0])
