"""The hysteresis cycle (x, F - m x'') of a trajectory, and the facts that can be read off it."""

from dataclasses import dataclass

import numpy as np

from cli import UserError

# No axis can be drawn to numbers of this size, the end of a run that blew up.
HUGE = 1e100
# Two neighbouring secants are one straight line when their slopes agree to this fraction of the steepest.
SAME_SLOPE = 1e-6
# A straight segment counts when it has this many secants and this fraction of the half cycle's width.
FEWEST_SECANTS = 3
SHORTEST = 0.01


@dataclass(frozen=True)
class HalfCycle:
    """The widest rising half cycle: x from start to end, slopes of its straight segments, whether it is concave."""

    start: float
    end: float
    slopes: np.ndarray
    concave: bool


def in_window(run, start=None, end=None):
    """The samples (t, x, restoring) of a run with start <= t <= end; raises UserError when none of them is finite."""
    series = run.series
    keep = (np.abs(series.x) < HUGE) & (np.abs(series.restoring) < HUGE)
    keep &= (series.t >= (-np.inf if start is None else start)) & (series.t <= (np.inf if end is None else end))
    if not keep.any():
        held = f"its samples are in {series.t.min():g} <= t <= {series.t.max():g}" if len(series.t) else "it has none"
        raise UserError(f"{run.path}: no finite sample in the window; {held}")
    return series.t[keep], series.x[keep], series.restoring[keep]


def half_cycle(x, restoring):
    """The facts of the widest rising half cycle of x, restoring [samples]; None when x never rises three times."""
    part = _widest_rise(x)
    if part is None:
        return None
    x, restoring = x[part], restoring[part]
    slopes = np.diff(restoring) / np.diff(x)
    tolerance = SAME_SLOPE * np.abs(slopes).max()
    return HalfCycle(x[0], x[-1], _straight_slopes(x, slopes, tolerance), bool(np.all(np.diff(slopes) <= tolerance)))


def _runs(flags):
    """First and one-past-last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(int), [0]))))
    return edges[::2], edges[1::2]


def _widest_rise(x):
    first, last = _runs(np.diff(x) > 0)
    if len(first) == 0:
        return None
    # A rise that the window cuts off is only part of a half cycle.
    whole = (first > 0) & (last < len(x) - 1)
    if whole.any():
        first, last = first[whole], last[whole]
    widest = np.argmax(x[last] - x[first])
    return slice(first[widest], last[widest] + 1) if last[widest] - first[widest] >= FEWEST_SECANTS else None


def _straight_slopes(x, slopes, tolerance):
    first, last = _runs(np.abs(np.diff(slopes)) <= tolerance)
    # The run of equal differences first..last-1 covers the secants first..last, the points first..last+1.
    wide = x[last + 1] - x[first] >= SHORTEST * (x[-1] - x[0])
    return slopes[first[wide & (last + 1 - first >= FEWEST_SECANTS)]]
