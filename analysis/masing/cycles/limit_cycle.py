"""The loops of a curve, the limit cycle they tend to, and its numbers: stiffnesses, damping, corners, backbone."""

from collections import namedtuple

import numpy as np

from masing.cycles import polygons
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import NOISY, is_one_cycle, opened_at_the_top, scatter, turning_points
from masing.errors import MasingError

# Loops repeat when their widths and areas agree to this fraction of the largest.
REPEATED = 0.01
# A limit cycle may take several loops to close.
MOST_LOOPS = 4
# The points of a backbone, thinned.
MOST_ON_BACKBONE = 400
# A tangent is taken over this fraction of the width, at either end of a half-cycle.
TANGENT = 0.05


class Loop(namedtuple("Loop", "start turn end t_start t_end amplitude centre_x centre_force area secant_stiffness "
                      "tangent_after_reversal tangent_before_reversal damping_ratio asymmetry shift")):
    """From one reversal of x to the next of the same kind: samples start, turn, end, and the numbers of the loop.

    amplitude X is half the width; centre_x, centre_force are midway between the reversals; area = ∮ f dx; the secant
    stiffness joins the reversals; the tangents are those after and before them on the loading half; damping_ratio is
    area/(2π secant X²); asymmetry is how far the halves are from being turned into each other about the centre, as a
    fraction of the force's range; shift is x at the end less x at the start. All dimensionless.
    """


class Analysis(namedtuple("Analysis", "x force loops first period drift corners segments backbone")):
    """All loops of a curve x, force [samples], and the limit cycle: from which loop on, of how many loops it is.

    `first` is None where the loops do not repeat; drift is that of the centre, in x a loop. `corners` (x, force) and
    `segments` are those of the last loop, None where it is no polygon; `backbone` is (X, f), half the loading half.
    """

    last = property(lambda self: self.loops[-1], doc="The last loop, the limit cycle where there is one.")

    def numbers(self):
        """All of it by name; `loops` has a dictionary a loop, with whether it belongs to the limit cycle."""
        found = self.first is not None
        loops = [loop._asdict() | {"limit_cycle": found and n >= self.first} for n, loop in enumerate(self.loops)]
        return {"limit_cycle_found": found, "transient_loops": self.first if found else len(loops),
                "loops_in_period": self.period, "drift_of_centre_per_loop": self.drift, "last_loop": loops[-1],
                "segments": self.segments, "corners": self.corners, "backbone": self.backbone, "loops": loops}


def analyse(curve):
    """The Analysis of a Measured curve; raises MasingError when it has no whole loop."""
    if np.ptp(curve.x) == 0:
        raise MasingError(f"{curve.path}: x never changes; a cycle needs a moving x")
    opened = opened_at_the_top(curve)
    x, force, t = opened.x, opened.force, np.full(len(opened.x), np.nan) if opened.t is None else opened.t
    points = turning_points(x) if is_one_cycle(curve) else turning_points(x)[1:-1]
    if len(points) < 3:
        raise MasingError(f"{curve.path}: has no whole cycle: {len(points)} reversals of x, but a cycle lies between "
                          "three; take a larger window")
    places = [points[n:n + 3] for n in range((len(points) - 1) % 2, len(points) - 2, 2)]
    loops = [_loop(t, x, force, *map(int, place)) for place in places]
    first, period = _limit(loops)
    repeated = loops if first is None else loops[first:]
    spanned = (len(repeated) - 1) // max(period, 1) * max(period, 1)
    drift = (repeated[-1].centre_x - repeated[-1 - spanned].centre_x) / spanned if spanned else 0.0
    (rise_x, rise_force), _ = _halves(x, force, loops[-1].start, loops[-1].turn, loops[-1].end)
    backbone = np.column_stack([rise_x - rise_x[0], rise_force - rise_force[0]])[::-(-len(rise_x) // MOST_ON_BACKBONE)] / 2
    return Analysis(x, force, loops, first, period, drift, *_corners(x, force, loops[-1]), backbone)


def cycle_numbers(curve, *, from_=None, to=None, columns=None, scale=None):
    """The numbers of the limit cycle of a curve by name, as cycles.py --analysis writes them into OUT-numbers.json.

    curve: a file of masing, a CSV, a Run, or arrays (x, force) or (t, x, force), each [samples]; the others as the options
    of the script. Raises MasingError where there is no whole cycle.
    """
    return analyse(read_measured(curve, from_, to, columns, scale)).numbers()


def _halves(x, force, start, turn, end):
    """The loading and the unloading half of a loop: (x, force) each, in the order of time."""
    first, second = slice(start, turn + 1), slice(turn, end + 1)
    both = (x[first], force[first]), (x[second], force[second])
    return both if x[turn] > x[start] else both[::-1]


def _loop(t, x, force, start, turn, end):
    part = slice(start, end + 1)
    high, low = (turn, start) if x[turn] > x[start] else (start, turn)
    amplitude = (x[high] - x[low]) / 2
    secant = (force[high] - force[low]) / (2 * amplitude)
    # Closed by a chord, about the centre: a loop that drifts has an area that does not depend on where x is 0.
    centre_x, centre_force = (x[high] + x[low]) / 2, (force[high] + force[low]) / 2
    ring_x, ring_force = np.r_[x[part], x[start]], np.r_[force[part], force[start]] - centre_force
    area = float(np.sum((ring_force[1:] + ring_force[:-1]) / 2 * np.diff(ring_x)))
    loading, unloading = _halves(x, force, start, turn, end)
    return Loop(start, turn, end, float(t[start]), float(t[end]), amplitude, centre_x, centre_force, area, secant,
                _tangent(*loading), _tangent(*(each[::-1] for each in loading)),
                area / (2 * np.pi * secant * amplitude**2) if secant > 0 else np.nan,
                _asymmetry(loading, unloading, centre_x, centre_force), x[end] - x[start])


def _tangent(x, force):
    """The slope over the first part of a half-cycle, over at least three samples."""
    near = np.abs(x - x[0]) <= TANGENT * abs(x[-1] - x[0])
    near[:3] = True
    return float(np.polyfit(x[near] - x[0], force[near], 1)[0]) if np.ptp(x[near]) else np.nan


def _asymmetry(loading, unloading, centre_x, centre_force):
    turned_x, turned_force = 2 * centre_x - unloading[0], 2 * centre_force - unloading[1]
    order = np.argsort(turned_x)
    inside = (loading[0] >= turned_x.min()) & (loading[0] <= turned_x.max())
    off = loading[1] - np.interp(loading[0], turned_x[order], turned_force[order])
    return float(np.abs(off[inside]).max() / np.ptp(loading[1])) if np.ptp(loading[1]) else np.nan


def _limit(loops):
    """The loop from which on all repeat, and the loops in a period; (None, 0) if none do; (0, 1) for a single loop."""
    if len(loops) == 1:
        return 0, 1
    marks = np.array([(2 * loop.amplitude, loop.area) for loop in loops])
    tolerance = REPEATED * np.abs(marks).max(axis=0)
    for period in range(1, min(MOST_LOOPS, len(loops) // 2) + 1):
        same = np.all(np.abs(marks[period:] - marks[:-period]) <= tolerance, axis=1)
        repeats = len(same) - (np.flatnonzero(~same)[-1] + 1 if not same.all() else 0)
        if repeats >= period:
            return int(len(same) - repeats), period
    return None, 0


def _corners(x, force, loop):
    """Corners of the loop in its order, reversals included, and its number of segments; (None, None) if curved."""
    corners, count = [], 0
    for sign, (half_x, half_force) in zip((1, -1), _halves(x, force, loop.start, loop.turn, loop.end)):
        found = _half_corners(sign * half_x, sign * half_force)
        if found is None:
            return None, None
        corners.append(sign * found)
        count += len(found)
    return np.vstack(corners), count


def _half_corners(x, force):
    """Start and corners (x, force) of a rising half, exact or by regression where there is noise; None if curved."""
    lines = polygons.segments(x, force)
    if lines is not None:
        inner = lines.corners()
        return np.vstack([(x[0], force[0]), np.column_stack([inner, lines.slope[:-1] * inner + lines.level[:-1]])])
    order = np.argsort(x, kind="stable")
    distance, force = x[order] - x[order][0], force[order]
    if scatter(distance, force) <= NOISY * np.ptp(force):
        return None
    fit = polygons.fit_polygon(distance, force)
    places = np.r_[0, fit.corner]
    return np.column_stack([places + x[order][0], fit.force(places)])
