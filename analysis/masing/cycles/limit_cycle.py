"""Divide a curve into loops, find the limit cycle to which they tend, and compute their numbers."""

from collections import namedtuple

import numpy as np

from masing.cycles import polygons
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import NOISY, opened, scatter
from masing.errors import MasingError

# Loops are equal if their widths and areas differ by at most this fraction of the largest. At most MOST_LOOPS of them
# make a period of a limit cycle.
REPEATED, MOST_LOOPS = 0.01, 4
MOST_ON_BACKBONE = 400
# The tangents of a half-cycle are fitted over this fraction of its width.
TANGENT = 0.05


class Loop(namedtuple("Loop", "start turn end t_start t_end amplitude centre_x centre_force area secant_stiffness "
                      "tangent_after_reversal tangent_before_reversal damping_ratio asymmetry shift")):
    """The part of a curve from a maximum of x to the next, or from a minimum to the next, or an inner loop.

    `start`, `turn` and `end` are the samples of its reversals; analysis/README.md describes the other numbers.
    """


class Analysis(namedtuple("Analysis", "loops inner first period drift corners segments backbone")):
    """The `loops` of a curve, its `inner` loops, and the limit cycle to which the loops tend.

    The loops from the index `first` on repeat, `period` of them in a limit cycle; `first` is None if none repeat.
    `drift` is the change of centre_x per loop. `corners` [corners, 2] and `segments`, their number, are None if the
    last loop is no polygon. `backbone` [points, 2] is half the loading half of the last loop, from its beginning.
    """

    def numbers(self):
        """Return all numbers as {name: value}; `loops` is a list of dictionaries in the order of time."""
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
    whole = [(found.kept[places[n]:places[n + 2] + 1], points[n + 1])
             for n in range((len(points) - 1) % 2, len(points) - 2, 2)]
    loops, inner = ([_loop(t, x, force, *each) for each in several] for several in (whole, found.inner))
    halves = _halves(x, force, *whole[-1])
    first, period = _limit(loops)
    repeated = loops if first is None else loops[first:]
    spanned = (len(repeated) - 1) // max(period, 1) * max(period, 1)
    drift = (repeated[-1].centre_x - repeated[-1 - spanned].centre_x) / spanned if spanned else 0.0
    rise_x, rise_force = halves[0]
    backbone = np.column_stack([rise_x - rise_x[0], rise_force - rise_force[0]]) / 2
    every = -(-len(backbone) // MOST_ON_BACKBONE)
    return Analysis(loops, inner, first, period, drift, *_corners(halves), backbone[::every])


def cycle_numbers(curve, *, start=None, end=None, columns=None, scale=None):
    """Return the numbers of a curve and of its limit cycle, as cycles.py writes them to OUT-numbers.json.

    Parameters
    ----------
    curve : path, Run, DataFrame or tuple of arrays
        A file of masing, a CSV file, a Run, or columns (x, force) or (t, x, force).
    start, end : float
        The window in time.
    columns, scale : dict
        The columns of a CSV file, {"x": "Weg", "force": 3}, and factors of columns, {"x": 0.001}.

    Returns
    -------
    dict
        `last_loop` and `loops` have the numbers of loops, such as `area`, `secant_stiffness` and `damping_ratio`.

    Examples
    --------
    >>> turn = np.linspace(0, 6 * np.pi, 601)
    >>> numbers = masing.cycle_numbers((np.cos(turn), 2 * np.cos(turn) - np.sin(turn)))
    >>> round(numbers["last_loop"]["secant_stiffness"], 6), round(numbers["last_loop"]["area"], 2)
    (2.0, 3.14)
    """
    return analyse(read_measured(curve, start, end, columns, scale)).numbers()


def _halves(x, force, samples, turn):
    """Return the loading half and the unloading half of a loop, each as (x, force)."""
    first, second = samples[samples <= turn], samples[samples >= turn]
    both = (x[first], force[first]), (x[second], force[second])
    return both if x[turn] > x[samples[0]] else both[::-1]


def _loop(t, x, force, samples, turn):
    start, turn, end = int(samples[0]), int(turn), int(samples[-1])
    high, low = (turn, start) if x[turn] > x[start] else (start, turn)
    amplitude = (x[high] - x[low]) / 2
    secant = (force[high] - force[low]) / (2 * amplitude)
    # A straight line closes a loop that drifts. Without the force of the centre, rounding errors are smaller.
    centre_x, centre_force = (x[high] + x[low]) / 2, (force[high] + force[low]) / 2
    ring_x, ring_force = np.r_[x[samples], x[start]], np.r_[force[samples], force[start]] - centre_force
    area = float(np.trapz(ring_force, ring_x))
    loading, unloading = _halves(x, force, samples, turn)
    return Loop(start, turn, end, float(t[start]), float(t[end]), amplitude, centre_x, centre_force, area, secant,
                _tangent(*loading), _tangent(*(each[::-1] for each in loading)),
                area / (2 * np.pi * secant * amplitude**2) if secant > 0 else np.nan,
                _asymmetry(loading, unloading, centre_x, centre_force), x[end] - x[start])


def _tangent(x, force):
    """Return the slope at the first sample of a half-cycle, fitted to at least three samples; NaN if x is constant."""
    near = np.abs(x - x[0]) <= TANGENT * abs(x[-1] - x[0])
    near[:3] = True
    return float(np.polyfit(x[near] - x[0], force[near], 1)[0]) if np.ptp(x[near]) else np.nan


def _asymmetry(loading, unloading, centre_x, centre_force):
    turned_x, turned_force = 2 * centre_x - unloading[0], 2 * centre_force - unloading[1]
    order = np.argsort(turned_x)
    inside = (loading[0] >= turned_x.min()) & (loading[0] <= turned_x.max())
    off = loading[1] - np.interp(loading[0], turned_x[order], turned_force[order])
    return float(np.abs(off[inside]).max() / np.ptp(loading[1])) if inside.any() and np.ptp(loading[1]) else np.nan


def _limit(loops):
    """Return the index of the loop from which on the loops repeat, or None, and the number of loops in a period."""
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
    """Return the corners (x, force) of a loop, those of its loading half first, and their number, or None, None."""
    (rising, one), (falling, other) = (_half_corners(sign * half_x, sign * half_force)
                                       for sign, (half_x, half_force) in zip((1, -1), halves))
    if rising is None or falling is None or one + other < polygons.LEAST_SUPPORT:
        return None, None
    return np.vstack([rising, -falling]), len(rising) + len(falling)


def _half_corners(x, force):
    """Return the start and the corners (x, force) of a rising half-cycle, or None, and the support of this polygon."""
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
