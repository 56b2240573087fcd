"""The Masing model as elements in parallel, each a spring that slides, and its branches in closed form."""

from dataclasses import dataclass

import numpy as np

# A last slope of this fraction of the other stiffness is rounding.
NO_SLOPE = 1e-8


def last_slope_spring(slope, stiffness):
    """k0 from the last slope of a branch: 0 where that is only rounding of the elements' stiffness."""
    return float(slope) if slope > NO_SLOPE * stiffness else 0.0


@dataclass(frozen=True)
class Elements:
    """k0, and stiffness k_i and yield displacement η_i of the elements, each [n]; a continuum has k_i = k(s_i)/n."""

    k0: float
    stiffness: np.ndarray
    threshold: np.ndarray

    def backbone(self, x):
        """B(x) = k0 x + Σ k_i min(x, η_i), the force of the virgin loading at x >= 0 [points]."""
        order = np.argsort(self.threshold)
        threshold, stiffness = self.threshold[order], self.stiffness[order]
        passed = np.searchsorted(threshold, x, side="right")
        locked = stiffness.sum() - np.r_[0, np.cumsum(stiffness)][passed]
        return (self.k0 + locked) * x + np.r_[0, np.cumsum(stiffness * threshold)][passed]

    def branch(self, distance):
        """2 B(d/2), the rise of the force at the distance d from a reversal [points] (Masing's rule)."""
        return 2 * self.backbone(np.asarray(distance) / 2)
