"""The shape of a hysteresis cycle: straight segments and concavity of its widest rising half."""

from collections import namedtuple

import numpy as np

from masing.cycles.polygons import equal_runs, true_runs

# Two neighbouring secants are one straight line when their slopes agree to this fraction of the steepest.
SAME_SLOPE = 1e-6
# A straight segment counts when it has this many secants and this fraction of the half-cycle's width.
FEWEST_SECANTS = 3
SHORTEST = 0.01
MANY_SLOPES = 12

# The widest rising half of a cycle: x from start to end, slopes of straight segments, whether it is concave.
RisingHalf = namedtuple("RisingHalf", "start end slopes concave")


def rising_half(x, restoring):
    """The RisingHalf of the curve x, restoring [samples]; None when x never rises three times in a row."""
    part = _widest_rise(x)
    if part is None:
        return None
    x, restoring = x[part], restoring[part]
    slopes = np.diff(restoring) / np.diff(x)
    tolerance = SAME_SLOPE * np.abs(slopes).max()
    first, last = equal_runs(slopes, tolerance, FEWEST_SECANTS)
    long = x[last + 1] - x[first] >= SHORTEST * (x[-1] - x[0])
    return RisingHalf(x[0], x[-1], slopes[first[long]], bool(np.all(np.diff(slopes) <= tolerance)))


def _widest_rise(x):
    first, last = true_runs(np.diff(x) > 0)
    if len(first) == 0:
        return None
    # A rise that the window cuts off is only part of a half-cycle.
    whole = (first > 0) & (last < len(x) - 1)
    if whole.any():
        first, last = first[whole], last[whole]
    widest = np.argmax(x[last] - x[first])
    return slice(first[widest], last[widest] + 1) if last[widest] - first[widest] >= FEWEST_SECANTS else None


def segments_in_words(x, restoring):
    """The straight segments of the widest rising half of x, restoring [samples] in short: `3: 1.000, 0.667, 0.333`."""
    half = rising_half(x, restoring)
    if half is None or len(half.slopes) == 0:
        return "none"
    slopes = [f"{slope:.3f}" for slope in half.slopes]
    return f"{len(slopes)}: {', '.join(slopes if len(slopes) <= MANY_SLOPES else [slopes[0], '…', slopes[-1]])}"
