"""What can be read off a hysteresis cycle, in words."""

import numpy as np

from cycle import SHORTEST, half_cycle

MANY_SLOPES = 12


def facts(x, restoring):
    """One sentence on the widest rising half cycle of x, restoring [samples], and on their extent."""
    extent = f"max |x| = {np.abs(x).max():.4g}, max |F − m x″| = {np.abs(restoring).max():.4g}."
    half = half_cycle(x, restoring)
    if half is None:
        return f"No rising half cycle is in the samples; {extent}"
    shape = "its slope never increases" if half.concave else "its slope increases somewhere"
    reach = f"x from {half.start:.4g} to {half.end:.4g}".replace("-", "−")
    return f"In the widest rising half cycle ({reach}) {_straight(half.slopes)} and {shape}; {extent}"


def _straight(slopes):
    share = f"of at least {SHORTEST:.0%} of its width".replace("%", " %")
    if len(slopes) == 0:
        return f"the samples show no straight segment {share}"
    words = "one straight segment" if len(slopes) == 1 else f"{len(slopes)} straight segments"
    if len(slopes) > MANY_SLOPES:
        return f"the samples show {words} {share} (slopes {slopes[0]:.3f} to {slopes[-1]:.3f})"
    return (f"the samples show {words} {share} (slope{'s' if len(slopes) > 1 else ''} "
            f"{', '.join(f'{slope:.3f}' for slope in slopes)})")
