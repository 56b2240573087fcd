"""The Masing element as a material: points of it that are moved, tried, saved and restored, as finite elements do.

Nothing here starts MPI.
"""

import numpy as np

from masing import commands, native, values
from masing.errors import MasingError, shown

_masing = native.required("masing.Material")


class Material:
    """Springs with sliders side by side, ∫ k(s) u(t, s) ds with -η⁻ ≤ u ≤ η, beside a spring k0 that does not yield.

    stiffness, threshold, threshold_down (None: as upwards) and initial_u are functions of s in [0, 1]: texts, numbers,
    arrays (s, values), or functions of Python, which are sampled. All is dimensionless. Many points and threads may
    share one; those of equal texts or springs are equal. Raises MasingError.
    """

    def __init__(self, stiffness="1", threshold="s+0.1", threshold_down=None, initial_u=None, k0=0):
        given = {"stiffness": stiffness, "threshold": threshold, "threshold_down": threshold_down,
                 "initial_u": initial_u}
        self._make(*(_text(name, value) for name, value in given.items()), _number("k0", k0))

    @classmethod
    def of_springs(cls, stiffness, threshold, threshold_down=None, initial_u=None, k0=0):
        """Finitely many springs, Σ k u: arrays [n], or numbers that all share."""
        given = {"stiffness": stiffness, "threshold": threshold,
                 "threshold_down": np.nan if threshold_down is None else threshold_down,
                 "initial_u": 0 if initial_u is None else initial_u}
        try:
            arrays = np.broadcast_arrays(*(np.atleast_1d(_array(name, value)) for name, value in given.items()))
        except ValueError:
            raise MasingError("of_springs: give numbers, or arrays of one length, for k, η, η⁻ and u0") from None
        if arrays[0].ndim != 1:
            raise MasingError(f"of_springs: arrays of the shape {arrays[0].shape}; give one number a spring")
        return _material(cls, (*arrays, _number("k0", k0)))

    def _make(self, *given):
        self._of_program, self._given = _masing.Material(*given), given

    k0 = property(lambda self: self._of_program.k0, doc="The spring that does not yield.")
    elastic_stiffness = property(lambda self: self._of_program.elastic_stiffness, doc="k0 + ∫ k ds.")
    fingerprint = property(lambda self: self._of_program.fingerprint, doc="A number that those of other data have not.")

    def __repr__(self):
        return f"<masing.Material, k0 = {self.k0:g}, elastic stiffness {self.elastic_stiffness:g}>"

    def __eq__(self, other):
        return self.fingerprint == other.fingerprint if isinstance(other, Material) else NotImplemented

    def __hash__(self):
        return hash(self.fingerprint)

    def __reduce__(self):
        return _material, (type(self), self._given)

    def __copy__(self):
        return self

    def __deepcopy__(self, _):
        return self


class _Points:
    """What one point and several have."""

    def commit(self):
        """Move to the position of the last set_trial()."""
        self._of_program.commit()

    def revert_to_last(self):
        """Forget the trial."""
        self._of_program.revert_to_last()

    def revert_to_start(self):
        """Go back to the state of the start."""
        self._of_program.revert_to_start()

    def state(self):
        """All that later moves depend on, an array; of several points theirs one after another."""
        return self._of_program.state()

    def restore(self, state):
        """Go to what state() gave, of a point or of as many, of an equal material; else MasingError, and none moves."""
        self._of_program.restore(_array("state", state))

    position = property(lambda self: self._of_program.position, doc="The committed x; of several points [n].")
    force = property(lambda self: self._of_program.force, doc="k0 x + S there; of several points [n].")
    stored_energy = property(lambda self: self._of_program.stored_energy,
                             doc="½ k0 x² + ½ ∫ k u² ds there; of several points [n].")
    dissipated_energy = property(lambda self: self._of_program.dissipated_energy,
                                 doc="What the sliders took; of several points [n].")


class MaterialPoint(_Points):
    """One point of a Material: its position and the turning points of its past that still matter.

    A move is monotone from the committed position; what is tried counts for nothing until commit(). Positions are
    numbers, of move_along() an array. A point belongs to one thread at a time; while this moves it, others raise.
    """

    def __init__(self, material, x=0.0):
        self._of_program = _masing.MaterialPoint(_of_masing(material), _number("x", x))
        self.material = material

    def trial(self, x):
        """(force, stiffness) at x; nothing moves."""
        return self._of_program.trial(_number("x", x))

    def set_trial(self, x):
        """(force, stiffness) at x, which is kept for commit()."""
        return self._of_program.set_trial(_number("x", x))

    def move_to(self, x):
        """(force, stiffness): set_trial() and commit()."""
        return self._of_program.move_to(_number("x", x))

    move = move_to

    def move_along(self, x):
        """Forces along positions, an array of their shape."""
        return self._of_program.move_along(_array("x", x))

    def elongation(self, eta):
        """u of a spring with the threshold η in both directions and u0 = 0, as if the material had it."""
        return self._of_program.elongation(_number("eta", eta))

    def __repr__(self):
        return f"<masing.MaterialPoint at x = {self.position:g}, force {self.force:g}>"

    def __reduce__(self):
        return _restored, (type(self), (self.material,), self.state())


class MaterialPoints(_Points):
    """n points of one Material that are moved together, as those of a mesh: arrays [n], or of any shape of n numbers.

    points[i] is point i itself, a MaterialPoint that moves with them and they with it; a copy of it is on its own.
    A slice is a list of such.
    """

    def __init__(self, material, n, x=0.0):
        if not isinstance(n, int | np.integer) or n < 0:
            raise MasingError(f"n = {shown(n)}: give the number of points")
        given = _of_masing(material), n, _number("x", x)
        try:
            self._of_program = _masing.MaterialPoints(*given)
        except (MemoryError, TypeError, ValueError):
            raise MasingError(f"n = {n}: so many points need more memory than there is") from None
        self.material = material

    def set_trial(self, x):
        """(forces, stiffnesses) at x, which are kept for commit()."""
        return self._of_program.set_trial(_array("x", x))

    def move_to(self, x):
        """(forces, stiffnesses): set_trial() and commit()."""
        return self._of_program.move(_array("x", x))

    move = move_to

    def __len__(self):
        return len(self._of_program)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[each] for each in range(len(self))[i]]
        if not isinstance(i, int | np.integer):
            raise MasingError(f"points[{shown(i)}]: give the number of a point, or a slice")
        if not -len(self) <= i < len(self):
            raise MasingError(f"point {i} of {len(self)}; they are counted from 0")
        point = MaterialPoint.__new__(MaterialPoint)
        point._of_program = self._of_program[i % len(self)]
        point.material = self.material
        return point

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __repr__(self):
        return f"<masing.MaterialPoints, {len(self)} of {self.material!r}>"

    def __reduce__(self):
        return _restored, (type(self), (self.material, len(self)), self.state())


def _of_masing(material):
    if not isinstance(material, Material):
        raise MasingError(f"a point of {shown(material)}; give a masing.Material")
    return material._of_program


def _number(name, value):
    if isinstance(value, float):
        return value
    try:
        if not np.iscomplexobj(value):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise MasingError(f"{name} = {shown(value)}: give a number")


def _array(name, values):
    """Numbers of any shape as doubles."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "cMmSU" and not np.ma.is_masked(values):
            return array.astype(float, order="C", copy=False)
    except (TypeError, ValueError):
        pass
    raise MasingError(f"{name} = {shown(values)}: give numbers, an array")


def _material(cls, given):
    material = cls.__new__(cls)
    material._make(*given)
    return material


def _restored(cls, given, state):
    points = cls(*given)
    points.restore(state)
    return points


def _text(name, value):
    """A function of s as a text that the program reads; "" for none."""
    if callable(value):
        value = values.sampled(name, value, "s", 1.0, 1000, stacklevel=5)
    if isinstance(value, str) or value is None:
        return value or ("0" if name == "initial_u" else "")
    is_table = hasattr(value, "__len__") and getattr(value, "ndim", 1)
    return commands.points(name, value) if is_table else repr(_number(name, value))
