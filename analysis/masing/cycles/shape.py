"""The shape of a hysteresis cycle: the straight segments of its widest rising half."""

import numpy as np

from masing.cycles.polygons import equal_runs, true_runs

# Two neighbouring secants are one straight line when their slopes agree to this fraction of the steepest.
SAME_SLOPE = 1e-6
# A straight segment counts when it has this many secants and this fraction of the half-cycle's width; so many are listed.
FEWEST_SECANTS = 3
SHORTEST = 0.01
MANY_SLOPES = 12


def straight_slopes(x, restoring):
    """The slopes [segments] of the straight segments of the widest rising half of x, restoring [samples]; none when x
    never rises three times in a row."""
    part = _widest_rise(x)
    if part is None:
        return np.zeros(0)
    x, restoring = x[part], restoring[part]
    slopes = np.diff(restoring) / np.diff(x)
    tolerance = SAME_SLOPE * np.abs(slopes).max()
    first, last = equal_runs(slopes, tolerance, FEWEST_SECANTS)
    long = x[last + 1] - x[first] >= SHORTEST * (x[-1] - x[0])
    return slopes[first[long]]


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


def segments_in_words(x, restoring, most=MANY_SLOPES):
    """The straight segments of the widest rising half of x, restoring [samples] in short: `3: 1.000, 0.667, 0.333`; of more
    than `most` the first and the last."""
    slopes = [f"{slope:.3f}" for slope in straight_slopes(x, restoring)]
    shown = slopes if len(slopes) <= most else [slopes[0], "…", slopes[-1]]
    return f"{len(slopes)}: {', '.join(shown)}" if slopes else "none"
