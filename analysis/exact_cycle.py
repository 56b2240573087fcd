"""How far a trajectory is from the exact one: at the same times, in x and in the restoring force."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline


@dataclass(frozen=True)
class Distance:
    """The largest distances in x and in the restoring force at the samples of a window, and its ends."""

    x: float
    restoring: float
    start: float
    end: float


def distance(sample, exact):
    """The Distance of the samples (t, x, restoring) from the exact Run, interpolated to their times with its y.

    The interpolation's own error is of fourth order in the exact Run's sampling interval.
    """
    t, x, restoring = sample
    series = exact.series
    there = CubicHermiteSpline(series.t, series.x, series.y)(t)
    force = CubicSpline(series.t, series.restoring)(t)
    return Distance(float(np.abs(x - there).max()), float(np.abs(restoring - force).max()), t[0], t[-1])


def window_of(exact, start, end):
    """The exact cycle (x, restoring) over start <= t <= end."""
    keep = (exact.series.t >= start) & (exact.series.t <= end)
    return exact.series.x[keep], exact.series.restoring[keep]


def last_cycles(series, wanted):
    """The time from which the samples hold the last `wanted` cycles of x, by its reversals; their start if fewer."""
    steps = np.diff(series.x)
    moving = np.flatnonzero(steps)
    # Between two samples that move the two ways there may be a rest.
    turns = moving[1:][np.diff(np.sign(steps[moving])) != 0]
    return float(series.t[turns[-2 * wanted - 1]]) if len(turns) > 2 * wanted else float(series.t[0])
