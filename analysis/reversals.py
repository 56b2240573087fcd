"""Turning points of a curve, the legs between them, and the loading half-cycle that identifies a model."""

from dataclasses import dataclass

import numpy as np

from cli import UserError
from loading import scatter
from measured import FEWEST_POINTS

# A reversal shorter than this fraction of the curve's width, or than this many standard deviations of the noise of x up
# to the larger fraction, is noise.
LEAST_REVERSAL, MOST_NOISE = 0.01, 0.1
DEVIATIONS = 8
# A curve whose ends are this near, as fractions of its width and height, is closed.
CLOSED = 0.02
# A half-cycle of this share of the widest one's width is as good.
AS_WIDE = 0.99


@dataclass(frozen=True)
class HalfCycle:
    """A loading half-cycle and the unloading before it: x and force of each [points], `width` the part to be used.

    After the unloading's own width the loading leg would pass its start: there the memory of it ends.
    """

    x: np.ndarray
    force: np.ndarray
    before_x: np.ndarray
    before_force: np.ndarray
    width: float


def turning_points(x):
    """Indices of the first sample, every reversal of x [samples] that is longer than its noise, and the last."""
    step = np.diff(x)
    moving = np.flatnonzero(step)
    turns = moving[1:][np.sign(step[moving[1:]]) != np.sign(step[moving[:-1]])]
    noise = DEVIATIONS * scatter(np.arange(len(x)), x)
    shortest = min(max(noise, LEAST_REVERSAL * np.ptp(x)), MOST_NOISE * np.ptp(x))
    points = [0]
    for place in (*turns, len(x) - 1):
        _take_in(points, place, x, shortest)
    return np.array(points)


def _take_in(points, place, x, shortest):
    """Add an extreme to the turning points: it extends the last leg, begins a new one, or is too small to count."""
    if len(points) == 1:
        if abs(x[place] - x[points[0]]) > shortest:
            points.append(place)
        return
    direction = np.sign(x[points[-1]] - x[points[-2]])
    if direction * (x[place] - x[points[-1]]) >= 0:
        points[-1] = place
    elif abs(x[place] - x[points[-1]]) > shortest:
        points.append(place)


def widest_half_cycle(curve):
    """The loading half-cycle of a Measured curve whose usable part is widest, the last of such; raises UserError without."""
    with np.errstate(over="ignore"):
        ranges = np.ptp(curve.x), np.ptp(curve.force)
    if not np.all(np.isfinite(ranges)):
        raise UserError(f"{curve.path}: x or force spans more than a double holds; give it in other units")
    if np.ptp(curve.x) == 0:
        raise UserError(f"{curve.path}: x never changes; a cycle needs a moving x")
    x, force = opened_at_the_top(curve.x, curve.force)
    points = turning_points(x)
    halves = [_half(x, force, points, n) for n in range(1, len(points) - 1) if x[points[n + 1]] > x[points[n]]]
    if not halves and x[points[1]] > x[0]:
        # Nothing before it: the file is taken to begin at the reversal.
        part = slice(points[0], points[1] + 1)
        halves = [HalfCycle(x[part], force[part], x[:0], force[:0], x[points[1]] - x[0])]
    if not halves:
        raise UserError(f"{curve.path}: is not a loading branch: x only falls, from {x[0]:g} to {x[-1]:g}; give the "
                        "half-cycle on which x rises, or change the sign of x and force")
    widest = max(each.width for each in halves)
    # Later cycles are nearer to the limit cycle.
    half = next(each for each in reversed(halves) if each.width >= AS_WIDE * widest)
    inside = np.count_nonzero(half.x - half.x[0] <= half.width)
    if inside < FEWEST_POINTS:
        raise UserError(f"{curve.path}: its widest loading branch has {inside} points; at least {FEWEST_POINTS} are "
                        "needed between two reversals of x")
    return half


def opened_at_the_top(x, force):
    """The curve x, force [points]; a single closed cycle is turned round to begin where x is largest."""
    if not is_one_cycle(x, force):
        return x, force
    top = np.argmax(x)
    return np.r_[x[top:], x[1:top + 1]], np.r_[force[top:], force[1:top + 1]]


def is_one_cycle(x, force):
    """Whether the curve is a single cycle whose ends meet."""
    ends_meet = abs(x[-1] - x[0]) <= CLOSED * np.ptp(x) and abs(force[-1] - force[0]) <= CLOSED * np.ptp(force)
    return ends_meet and len(turning_points(x)) in (3, 4)


def _half(x, force, points, n):
    """The leg that rises from the turning point n, with the leg before it."""
    before, start, end = points[n - 1], points[n], points[n + 1]
    width = min(x[before], x[end]) - x[start]
    rise, fall = slice(start, end + 1), slice(before, start + 1)
    return HalfCycle(x[rise], force[rise], x[fall], force[fall], width)
