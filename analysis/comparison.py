"""The measured cycle beside the identified model's: both about their centres, and how far apart they are."""

from dataclasses import dataclass

import numpy as np

# The unloading half belongs to the same cycle when its width agrees to this fraction.
SAME_WIDTH = 1e-3


@dataclass(frozen=True)
class Comparison:
    """Loading and unloading halves, measured and identified, as pairs (x, force) about the centre of the cycle.

    `unloading` may be without points. `largest` and `mean` are max and rms of the measured less the identified force on
    the loading half, `unloading_largest` the max on the unloading one (NaN without), as fractions of the force's range.
    """

    loading: tuple
    unloading: tuple
    identified_loading: tuple
    identified_unloading: tuple
    residual: np.ndarray
    largest: float
    mean: float
    unloading_largest: float


def compare(found, half, series):
    """Compare a HalfCycle with the Series of the model `found` on it, which starts at the lower reversal."""
    amplitude = found.branch.width / 2
    height = 2 * float(found.elements.backbone(np.array(amplitude)))
    centre_x, centre_force = found.branch.start + amplitude, found.start_force + height / 2
    rising, falling = _halves(series)
    used = half.x - half.x[0] <= half.width
    loading = half.x[used] - centre_x, half.force[used] - centre_force
    part = half.before_x - found.branch.start <= found.branch.width
    unloading = half.before_x[part] - centre_x, half.before_force[part] - centre_force
    reach = np.ptp(loading[1])
    residual = (loading[1] - np.interp(loading[0], *rising)) / reach
    other = (unloading[1] - np.interp(unloading[0], falling[0][::-1], falling[1][::-1])) / reach
    whole = len(other) and abs(np.ptp(half.before_x) / found.branch.width - 1) <= SAME_WIDTH
    return Comparison(loading, unloading, rising, falling, residual, np.abs(residual).max(),
                      np.sqrt(np.mean(residual**2)), np.abs(other).max() if whole else np.nan)


def _halves(series):
    top = int(np.argmax(series.x))
    return (series.x[:top + 1], series.restoring[:top + 1]), (series.x[top:], series.restoring[top:])
