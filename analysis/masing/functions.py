"""Functions of Python for functions of the problem: sampled, and linear between the points."""

import math
import warnings

from masing.errors import MasingError

# Options that are functions of t, and of s in [0, 1].
OF_T = ("base_acceleration", "force", "position")
OF_S = ("initial_u", "stiffness", "threshold", "threshold_down")


def intervals(count, most, otherwise):
    """How many intervals of one length sample what `count` equal steps or cells see: a whole number of them in each,
    1000 or more; `otherwise` where these are more than `most` or no whole number."""
    return count * max(1, 1000 // count) if isinstance(count, int) and 0 < count <= most else otherwise


def sampled(name, function, variable, end, count, stacklevel, steps=0):
    """(arguments, values) of a function of one number, or of an array, at equal distances in [0, end], arrays; warns
    that it is so, and where the steps are more. Raises what the function raises, and MasingError where a value is no
    finite number."""
    import numpy as np

    arguments = np.arange(count + 1) * end / count
    values = _at(function, arguments)
    if np.iscomplexobj(values):
        values = [math.nan if np.iscomplexobj(value) else value for value in values]
    try:
        values = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        values = np.array([value if _is_number(value) else math.nan for value in values], dtype=float)
    if values.shape != arguments.shape or not np.isfinite(values).all():
        place = 0 if values.shape != arguments.shape else int(np.argmin(np.isfinite(values)))
        raise MasingError(f"{name}: {function(float(arguments[place]))!r} at {variable} = {arguments[place]:g}; give a "
                          f"function whose values in [0, {end:g}] are finite real numbers")
    fewer = f", for {steps} steps: {name}=({variable}, values) gives others" if steps > count else ""
    warnings.warn(f"{name}: sampled at {count + 1} points of 0 <= {variable} <= {end:g}{fewer}; what is computed is "
                  "linear between them", stacklevel=stacklevel)
    return arguments, values


def _at(function, arguments):
    """The values, all at once from a function that takes arrays, else one by one."""
    try:
        values = function(arguments.copy())  # into which it may write
        if hasattr(values, "shape") and values.shape in (arguments.shape, (len(arguments), 1)):
            return values if values.ndim == 1 else values[:, 0]
    except Exception:  # whatever it raises for one number is raised below
        pass
    return [function(argument) for argument in arguments.tolist()]


def _is_number(value):
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
