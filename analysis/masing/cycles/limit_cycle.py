"""Functions that divide a curve into loops, search for the limit cycle to which the loops tend, and compute the
stiffnesses, damping, corners and backbone of the loops."""

from collections import namedtuple

import numpy as np

from masing.cycles import polygons
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import NOISY, opened, scatter
from masing.errors import MasingError

# Two loops count as equal if their widths differ by at most this fraction of the largest width, and their areas by at
# most this fraction of the largest area.
REPEATED = 0.01
# A period of a limit cycle may consist of up to this many loops.
MOST_LOOPS = 4
# A backbone with more points than this is thinned to at most this many points.
MOST_ON_BACKBONE = 400
# The tangent at the beginning or at the end of a half-cycle is fitted over this fraction of the width of the
# half-cycle.
TANGENT = 0.05


class Loop(namedtuple("Loop", "start turn end t_start t_end amplitude centre_x centre_force area secant_stiffness "
                      "tangent_after_reversal tangent_before_reversal damping_ratio asymmetry shift")):
    """The part of a curve from a maximum of x to the next maximum, or from a minimum to the next minimum, without the
    inner loops on it; or an inner loop.

    start, turn and end are the indices of the samples at the three reversals of the loop; t_start and t_end are the
    times at start and end. amplitude X is half the width in x. centre_x and centre_force are the means of x and of the
    force at start and turn. area is ∮ f dx, where a straight line closes the loop. secant_stiffness is the slope of the
    line through the samples at start and turn. tangent_after_reversal and tangent_before_reversal are the slopes at the
    beginning and at the end of the loading half, in which x rises. damping_ratio is area/(2π secant_stiffness X²).
    asymmetry is the largest difference in force between the loading half and the unloading half, which is first rotated
    by 180 degrees about the centre. It is given as a fraction of the range of the force on the loading half. shift is x
    at end less x at start.
    """


class Analysis(namedtuple("Analysis", "x force loops inner first period drift corners segments backbone")):
    """The `loops` of a curve x, force [samples], its `inner` loops, and the limit cycle to which the loops tend.

    The loops from the index `first` on repeat, and `period` of them form the limit cycle. `first` is None if the loops
    do not repeat; a single loop counts as a limit cycle. `drift` is the change of centre_x per loop. `corners` are the
    corners (x, force) of the last loop, and `segments` is the number of its straight segments; both are None if this
    loop is no polygon. `backbone` [points, 2] is the loading half of the last loop. Its columns are half the distance
    in x and half the distance in force from the reversal at which this half begins.
    """

    last = property(lambda self: self.loops[-1], doc="The last loop; it belongs to the limit cycle if there is one.")

    def numbers(self):
        """Return all numbers of the analysis as a dictionary {name: value}.

        The entry `loops` is a list with a dictionary for each loop, in the order of time. It also says whether the loop
        belongs to the limit cycle, and whether it is an inner loop.
        """
        found = self.first is not None
        loops = [loop._asdict() | {"limit_cycle": found and n >= self.first, "inner": False}
                 for n, loop in enumerate(self.loops)]
        inner = [loop._asdict() | {"limit_cycle": False, "inner": True} for loop in self.inner]
        return {"limit_cycle_found": found, "transient_loops": self.first if found else len(loops),
                "loops_in_period": self.period, "drift_of_centre_per_loop": self.drift, "last_loop": loops[-1],
                "segments": self.segments, "corners": self.corners, "backbone": self.backbone,
                "loops": sorted(loops + inner, key=lambda loop: loop["start"])}


def analyse(curve):
    """Return the Analysis of a Measured curve; raises MasingError if the curve has no complete loop."""
    if np.ptp(curve.x) == 0:
        raise MasingError(f"{curve.path}: x never changes; a cycle needs a moving x")
    found = opened(curve, fewest=5)
    x, force, t = found.curve.x, found.curve.force, found.curve.t
    t = np.full(len(x), np.nan) if t is None else t
    points = found.points if found.is_one_cycle else found.points[1:-1]
    if len(points) < 3:
        raise MasingError(f"{curve.path}: has no whole cycle: {len(points)} reversals of x, but a cycle lies between "
                          "three; take a larger window")
    places = np.searchsorted(found.kept, points)
    whole = [(found.kept[places[n]:places[n + 2] + 1], points[n + 1]) for n in range((len(points) - 1) % 2,
                                                                                     len(points) - 2, 2)]
    loops, inner = ([_loop(t, x, force, *each) for each in several] for several in (whole, found.inner))
    halves = _halves(x, force, *whole[-1])
    first, period = _limit(loops)
    repeated = loops if first is None else loops[first:]
    spanned = (len(repeated) - 1) // max(period, 1) * max(period, 1)
    drift = (repeated[-1].centre_x - repeated[-1 - spanned].centre_x) / spanned if spanned else 0.0
    rise_x, rise_force = halves[0]
    backbone = np.column_stack([rise_x - rise_x[0], rise_force - rise_force[0]])[::-(-len(rise_x) // MOST_ON_BACKBONE)] / 2
    return Analysis(x, force, loops, inner, first, period, drift, *_corners(halves), backbone)


def cycle_numbers(curve, *, from_=None, to=None, columns=None, scale=None):
    """Return the numbers of a curve and its limit cycle, as the script cycles.py writes them to OUT-numbers.json.

    The result is a dictionary {name: value}. curve: a file of masing, a CSV file, a Run, or arrays (x, force) or (t, x,
    force), each [samples]. The other arguments have the same meaning as the options of cycles.py with these
    names; from_ is the option --from. Raises MasingError if the curve has no complete cycle.
    """
    return analyse(read_measured(curve, from_, to, columns, scale)).numbers()


def _halves(x, force, samples, turn):
    """Return the loading half and the unloading half of the loop of these samples, each as (x, force) in the order of
    time; x reverses at the sample `turn`."""
    first, second = samples[samples <= turn], samples[samples >= turn]
    both = (x[first], force[first]), (x[second], force[second])
    return both if x[turn] > x[samples[0]] else both[::-1]


def _loop(t, x, force, samples, turn):
    start, turn, end = int(samples[0]), int(turn), int(samples[-1])
    high, low = (turn, start) if x[turn] > x[start] else (start, turn)
    amplitude = (x[high] - x[low]) / 2
    secant = (force[high] - force[low]) / (2 * amplitude)
    # A loop that drifts is closed by the straight line from its end to its start. A spring k0 x + constant, added to
    # the force, then does not change the area. Subtracting the force of the centre leaves the area of a closed curve
    # unchanged, and reduces rounding errors.
    centre_x, centre_force = (x[high] + x[low]) / 2, (force[high] + force[low]) / 2
    ring_x, ring_force = np.r_[x[samples], x[start]], np.r_[force[samples], force[start]] - centre_force
    area = float(np.sum((ring_force[1:] + ring_force[:-1]) / 2 * np.diff(ring_x)))
    loading, unloading = _halves(x, force, samples, turn)
    return Loop(start, turn, end, float(t[start]), float(t[end]), amplitude, centre_x, centre_force, area, secant,
                _tangent(*loading), _tangent(*(each[::-1] for each in loading)),
                area / (2 * np.pi * secant * amplitude**2) if secant > 0 else np.nan,
                _asymmetry(loading, unloading, centre_x, centre_force), x[end] - x[start])


def _tangent(x, force):
    """Return the slope of the straight line that fits the first three samples of a half-cycle, and all whose distance
    in x from the first one is at most TANGENT times its width. It is NaN if x is the same at all of them."""
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
    """Return the index of the loop from which on the loops repeat, and the number of loops in a period; (None, 0) if
    they do not repeat, and (0, 1) for a single loop."""
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


def _corners(halves):
    """Return the corners (x, force) of a loop with these _halves(), and the number of its straight segments. The
    reversals are included in the corners, and the corners of the loading half come first. The result is (None, None) if
    the loop is no polygon: if it has no noise and is curved, or if its noisy samples do not support a polygon more than
    a smooth curve."""
    corners, count, support = [], 0, 0.0
    for sign, (half_x, half_force) in zip((1, -1), halves):
        found, of_half = _half_corners(sign * half_x, sign * half_force)
        if found is None:
            return None, None
        support += of_half
        corners.append(sign * found)
        count += len(found)
    return (np.vstack(corners), count) if support >= polygons.LEAST_SUPPORT else (None, None)


def _half_corners(x, force):
    """Return the start and the corners (x, force) of a half-cycle in which x rises, and the support of this polygon. If
    the samples have no noise, the corners are exact and the support is ∞; the result is (None, 0) if the samples lie on
    no polygon. Otherwise the corners and the support are those of fit_polygon()."""
    lines = polygons.segments(x, force)
    if lines is not None:
        inner = lines.corners()
        corners = np.column_stack([inner, lines.slope[:-1] * inner + lines.level[:-1]])
        return np.vstack([(x[0], force[0]), corners]), np.inf
    order = np.argsort(x, kind="stable")
    distance, force = x[order] - x[order][0], force[order]
    if scatter(distance, force) <= NOISY * np.ptp(force):
        return None, 0.0
    fit = polygons.fit_polygon(distance, force)
    places = np.r_[0, fit.corner]
    return np.column_stack([places + x[order][0], fit.force(places)]), fit.support
