"""Richardson's extrapolation and the grid convergence index of a study without an exact reference."""

import math

from fitted import number
from notation import listed, measured, order


def extrapolation(study):
    """The sentences on what the last three levels say of x(T) and y(T); empty where the file does not extrapolate."""
    names = [name for name in ("x", "y") if f"richardson_{name}" in study.fit]
    known = [name for name in names if math.isfinite(number(study, f"richardson_{name}"))]
    sentences = [_sentence(study, name) for name in known]
    unknown = [f"{name}(T)" for name in names if name not in known]
    if unknown:
        sentences.append(f"No extrapolation of {listed(unknown)}: there are no three last levels "
                         "that converge monotonically with a positive order.")
    return sentences


def _sentence(study, name):
    return (f"{name}(T) extrapolated to step zero from the last three levels (Richardson): "
            f"{number(study, f'richardson_{name}'):.10g}".replace("-", "−")
            + f", observed order {order(number(study, f'richardson_order_{name}'))}; grid convergence index of the "
              f"last level (ASME V&V 20, factor 1.25): {measured(number(study, f'gci_{name}'), 3)}.")
