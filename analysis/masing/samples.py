"""Functions that select the samples within a window of time and the samples that can be drawn."""

import numpy as np

# Numbers of this size or more are not drawn. They occur when a run becomes unstable.
HUGE = 1e100


def between(t, start=None, end=None):
    """Return for each of the times t whether start <= t <= end; None is no limit."""
    return (t >= (-np.inf if start is None else start)) & (t <= (np.inf if end is None else end))


def drawable(*columns):
    """Return for each row whether the numbers of all columns are finite and below HUGE in size, as booleans [rows]."""
    return np.all([np.abs(column) < HUGE for column in columns], axis=0)


def drawable_in_logarithm(abscissa, errors):
    """Return for each point (abscissa, error) whether a log-log figure can show it, as booleans [points]."""
    return drawable(abscissa, errors) & (abscissa > 1 / HUGE) & (errors > 1 / HUGE)
