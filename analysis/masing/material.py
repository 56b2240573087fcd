"""The Masing element as a material: points of it that are moved, tried, saved and restored, as finite elements do.

Nothing here starts MPI.
"""

import numpy as np

from masing import commands, functions, native
from masing.errors import MasingError

_masing = native.required("masing.Material")


class Material(_masing.Material):
    """Springs with sliders side by side, ∫ k(s) u(t, s) ds with -η⁻ ≤ u ≤ η, beside a spring k0 that does not yield.

    stiffness, threshold, threshold_down (None: as upwards) and initial_u are functions of s in [0, 1]: texts, numbers,
    arrays (s, values), or functions of Python, which are sampled. All is dimensionless. Many points and threads may
    share one. Raises MasingError.
    """

    def __init__(self, stiffness="1", threshold="s+0.1", threshold_down=None, initial_u=None, k0=0):
        given = {"stiffness": stiffness, "threshold": threshold, "threshold_down": threshold_down,
                 "initial_u": initial_u}
        self._make(*(_text(name, value) for name, value in given.items()), _number("k0", k0))

    @classmethod
    def of_springs(cls, stiffness, threshold, threshold_down=None, initial_u=None, k0=0):
        """Finitely many springs, Σ k u: arrays [n], or numbers that all share."""
        given = (stiffness, threshold, np.nan if threshold_down is None else threshold_down,
                 0 if initial_u is None else initial_u)
        try:
            arrays = np.broadcast_arrays(*(np.atleast_1d(np.asarray(each, dtype=float)) for each in given))
        except (TypeError, ValueError):
            raise MasingError("of_springs: give numbers, or arrays of one length, for k, η, η⁻ and u0") from None
        if arrays[0].ndim != 1:
            raise MasingError(f"of_springs: arrays of the shape {arrays[0].shape}; give one number a spring")
        return _material(cls, (*arrays, _number("k0", k0)))

    def _make(self, *given):
        super().__init__(*given)
        self._given = given

    def __reduce__(self):
        return _material, (type(self), self._given)

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self


class MaterialPoint(_masing.MaterialPoint):
    """One point of a Material: its position and the turning points of its past that still matter.

    A move is monotone from the committed position; what is tried counts for nothing until commit(). Positions are
    numbers, of move_along() an array. A point belongs to one thread at a time.
    """

    def __init__(self, material, x=0.0):
        super().__init__(_of_masing(material), _number("x", x))
        self.material = material

    def __reduce__(self):
        return _restored, (type(self), self.material, None, [self.state()])


class MaterialPoints(_masing.MaterialPoints):
    """n points of one Material that are moved together, as those of a mesh: arrays [n], or of any shape of n numbers.

    points[i] is point i, for its state and its elongations.
    """

    def __init__(self, material, n, x=0.0):
        if not isinstance(n, int | np.integer) or n < 0:
            raise MasingError(f"n = {n!r}: give the number of points")
        super().__init__(_of_masing(material), n, _number("x", x))
        self.material = material

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def _numbers(self, name):
        return np.array([getattr(each, name) for each in self])

    position = property(lambda self: self._numbers("position"), doc="The committed x [n].")
    force = property(lambda self: self._numbers("force"), doc="k0 x + S there [n].")
    stored_energy = property(lambda self: self._numbers("stored_energy"), doc="½ k0 x² + ½ ∫ k u² ds [n].")
    dissipated_energy = property(lambda self: self._numbers("dissipated_energy"), doc="What the sliders took [n].")

    def __reduce__(self):
        return _restored, (type(self), self.material, len(self), [each.state() for each in self])


def _of_masing(material):
    if not isinstance(material, Material):
        raise MasingError(f"a point of {material!r}; give a masing.Material")
    return material


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise MasingError(f"{name} = {value!r}: give a number") from None


def _material(cls, given):
    material = cls.__new__(cls)
    material._make(*given)
    return material


def _restored(cls, material, n, states):
    point = cls(material) if n is None else cls(material, n)
    for i, state in enumerate(states):
        (point if n is None else point[i]).restore(state)
    return point


def _text(name, value):
    """A function of s as a text that the program reads; "" for none."""
    if callable(value):
        value = functions.sampled(name, value, "s", 1.0, 1000, stacklevel=4)
    if isinstance(value, str) or value is None:
        return value or ("0" if name == "initial_u" else "")
    return commands.points(name, value) if hasattr(value, "__len__") else repr(_number(name, value))
