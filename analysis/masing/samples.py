"""Which samples are in a window of time, and which can be drawn."""

import numpy as np

# Numbers of this size, the end of an unstable run, cannot be drawn.
HUGE = 1e100


def between(t, start=None, end=None):
    """Which of the times t [samples] are in start <= t <= end; None is no limit."""
    return (t >= (-np.inf if start is None else start)) & (t <= (np.inf if end is None else end))


def drawable(*columns):
    """Which rows [n] of the columns are finite numbers of a size that can be drawn."""
    return np.all([np.abs(column) < HUGE for column in columns], axis=0)


def drawable_in_logarithm(abscissa, errors):
    """Which points a log-log figure can show: those with positive, finite coordinates of a size that can be drawn."""
    return drawable(abscissa, errors) & (abscissa > 1 / HUGE) & (errors > 1 / HUGE)
