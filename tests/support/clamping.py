"""The oracle of a slab: the elongation u of each cell moves with x and is clamped to its thresholds."""

import numpy as np


def moved(u, step, up, down=None):
    """u of all cells after x has moved by `step`; the lower threshold `down` is the upper one unless it is given."""
    return np.minimum(np.maximum(u + step, -(up if down is None else down)), up)


def clamped(x, u, up, down=None):
    """u of all cells at every position x, from u at x[0]: exact where x is monotone between two positions."""
    yield u
    for step in np.diff(x):
        u = moved(u, step, up, down)
        yield u
