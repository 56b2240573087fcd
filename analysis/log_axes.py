"""Logarithmic axes: what they can show, and how they are labelled."""

import numpy as np
from matplotlib.ticker import NullFormatter

from cycle import HUGE
from notation import power_of_ten

# The multiples of a power of ten that an axis may label, the fewest first; the labels of more decades would collide.
DIGITS = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), range(1, 10))


def visible(abscissa, errors):
    """Which points a log-log figure shows: those with positive, finite coordinates of a size that can be drawn."""
    return (abscissa > 1 / HUGE) & (abscissa < HUGE) & (errors > 1 / HUGE) & (errors < HUGE)


def label_decades(axes):
    """Label the powers of ten, and on a short axis so many of their multiples that there are at least three labels."""
    for axis in (axes.xaxis, axes.yaxis):
        _label(axis)
    axes.grid(True, which="minor", linewidth=0.3)


def _label(axis):
    low, high = axis.get_view_interval()
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    for digits in DIGITS:
        ticks = np.outer(decades, digits).ravel()
        ticks = ticks[(ticks >= low) & (ticks <= high)]
        if len(ticks) >= 3:
            axis.set_ticks(ticks)
            axis.set_major_formatter(lambda value, _: power_of_ten(value))
            axis.set_minor_formatter(NullFormatter())
            return
