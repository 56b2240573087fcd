"""The slab of the Masing model as a material for finite-element programs.

Such a program moves material points, tries positions before it commits one, and saves and restores the states of
points. Nothing in this module initializes MPI.
"""

import math
from collections import namedtuple

import numpy as np
import pandas as pd

from masing import native, tables
from masing.errors import MasingError, PlaceError, quoted



def _masing():
    """Return the extension module masing._masing; raises MasingError if it cannot be used."""
    return native.required("masing.Material")

# What a point gives at a position: its force and the slope of this force, both numbers or both arrays.
Response = namedtuple("Response", "force stiffness")


class Material:
    """A material whose springs k(s), each in series with a slider, act in parallel with a spring k0 without a slider.

    The force at the position x is k0 x + ∫ k(s) u(t, s) ds, where the elongations u of the springs satisfy -η⁻ ≤ u ≤ η.
    All quantities are dimensionless. Many points may share one material. Two materials are equal if they have the same
    k0 and either the same texts of their functions or the same springs in the same order. Wrong arguments raise
    MasingError.

    Parameters
    ----------
    stiffness, threshold, threshold_down, initial_u : str, number or pair of arrays (s, values)
        k, η, η⁻ and the initial u as functions of s in [0, 1]. None stands for η⁻ = η and for u = 0.
    k0 : float
        The stiffness of the spring without a slider.

    Examples
    --------
    >>> point = masing.MaterialPoint(masing.Material("1", "s+0.1", k0=0.5))
    >>> round(point.move_to(2.0).force, 6)
    1.6
    """

    def __init__(self, stiffness="1", threshold="s+0.1", threshold_down=None, initial_u=None, k0=0):
        given = {"stiffness": stiffness, "threshold": threshold, "threshold_down": threshold_down,
                 "initial_u": initial_u}
        self._make(*(_text(name, value) for name, value in given.items()), _number("k0", k0))

    @classmethod
    def of_springs(cls, stiffness, threshold, threshold_down=None, initial_u=None, k0=0):
        """Return a material of n springs, whose force is k0 x + Σ k u.

        Each argument except k0 is an array [n], or a number that holds for all springs. Raises MasingError if an
        argument is wrong.
        """
        given = {"stiffness": stiffness, "threshold": threshold,
                 "threshold_down": np.nan if threshold_down is None else threshold_down,
                 "initial_u": 0 if initial_u is None else initial_u}
        arrays = [np.atleast_1d(_array(name, value)) for name, value in given.items()]
        try:
            arrays = np.broadcast_arrays(*arrays)
        except ValueError:
            raise MasingError("of_springs: give numbers, or arrays of one length, for k, η, η⁻ and u0") from None
        if arrays[0].ndim != 1:
            raise MasingError(f"of_springs: arrays of the shape {arrays[0].shape}; give one number a spring")
        return _material(cls, (*arrays, _number("k0", k0)))

    def _make(self, *given):
        self._of_program, self._given = _masing().Material(*given), given

    k0 = property(lambda self: self._of_program.k0, doc="The stiffness of the spring without a slider.")
    elastic_stiffness = property(lambda self: self._of_program.elastic_stiffness, doc="k0 + ∫ k ds.")
    fingerprint = property(lambda self: self._of_program.fingerprint, doc="A number that equal materials share.")

    def __repr__(self):
        return f"<masing.Material, k0 = {self.k0:g}, elastic stiffness {self.elastic_stiffness:g}>"

    def __eq__(self, other):
        return self.fingerprint == other.fingerprint if isinstance(other, Material) else NotImplemented

    def __hash__(self):
        return hash(self.fingerprint)

    def __reduce__(self):
        return _material, (type(self), self._given)

    def __copy__(self, _=None):
        return self

    __deepcopy__ = __copy__


def backbone(material, amplitudes):
    """Return the secant stiffness and the damping ratio of the closed cycles of a material between -X and X.

    Parameters
    ----------
    material : Material
    amplitudes : array_like
        The amplitudes X; MasingError is raised if one is not > 0.

    Returns
    -------
    pandas.DataFrame
        One row for each X, with the columns `amplitude`, `secant_stiffness`, which is (f(X) - f(-X)) / 2X for the force
        f, and `damping_ratio`, the energy that the cycle dissipates over 2π X² times this stiffness.

    Examples
    --------
    >>> masing.backbone(masing.Material("2", "0.5"), [0.5, 1.0])["secant_stiffness"].tolist()
    [2.0, 1.0]
    """
    x = np.atleast_1d(_array("amplitudes", amplitudes))
    if x.ndim != 1 or not ((x > 0) & (x < np.inf)).all():
        raise MasingError(f"amplitudes = {quoted(amplitudes)}: give finite numbers > 0, an array [n]")
    points = MaterialPoints(material, len(x))
    points.move_to(x)
    least = points.move_to(-x).force  # From here on the cycle repeats itself.
    before = points.dissipated_energy
    most = points.move_to(x).force
    points.move_to(-x)
    secant = (most - least) / (2 * x)
    return pd.DataFrame({
        "amplitude": x, "secant_stiffness": secant,
        "damping_ratio": (points.dissipated_energy - before) / (2 * np.pi * x**2 * secant)})


class _Points:
    """The base class of MaterialPoint, a single point, and of MaterialPoints, several points."""

    def commit(self):
        """Move each point to the trial position that the last set_trial() stored."""
        self._of_program.commit()

    def revert_to_last(self):
        """Discard the trial position and keep the committed one."""
        self._of_program.revert_to_last()

    def revert_to_start(self):
        """Restore the state at construction, or after restore() the initial state in the array that was restored."""
        self._of_program.revert_to_start()

    def state(self):
        """Return an array with the states of all points, which determine the results of all later moves."""
        return self._of_program.state()

    def restore(self, state):
        """Restore a state that state() returned for the same number of points of an equal material.

        Raises MasingError for any other state; no point changes then.
        """
        self._of_program.restore(_array("state", state))

    position = property(lambda self: self._of_program.position, doc="The committed x; [n] for several points.")
    force = property(lambda self: self._of_program.force, doc="k0 x + S at the position; [n] for several points.")
    stored_energy = property(lambda self: self._of_program.stored_energy,
                             doc="½ k0 x² + ½ ∫ k u² ds at the position; [n] for several points.")
    dissipated_energy = property(lambda self: self._of_program.dissipated_energy,
                                 doc="The energy that the sliders dissipated; [n] for several points.")


class MaterialPoint(_Points):
    """One point of a material. It stores its position x and those past turning points on which later forces depend.

    In a move, x changes monotonically from the committed position to the new one. A trial position has no effect on
    later moves unless commit() follows.

    Parameters
    ----------
    material : Material
    x : float
        The initial position.

    Examples
    --------
    >>> masing.MaterialPoint(masing.Material.of_springs(2, 0.5)).move_to(1.0)
    Response(force=1.0, stiffness=0.0)
    """

    def __init__(self, material, x=0.0):
        self._of_program = _masing().MaterialPoint(_of_masing(material), _number("x", x))
        self.material = material

    def trial(self, x):
        """Return the Response (force, stiffness) at x and leave the point unchanged."""
        return Response(*self._of_program.trial(_number("x", x)))

    def set_trial(self, x):
        """Return the Response (force, stiffness) at x, and keep x as the trial position for commit()."""
        return Response(*self._of_program.set_trial(_number("x", x)))

    def move_to(self, x):
        """Move to x, as set_trial(x) followed by commit() does, and return the Response (force, stiffness)."""
        return Response(*self._of_program.move_to(_number("x", x)))

    move = move_to

    def move_along(self, x, out=None):
        """Move to the positions in the array x one after another; return the forces, an array of the same shape.

        An array `out` is filled and returned, as described in MaterialPoints.
        """
        return _move_along(self._of_program, _array("x", x), out)

    def elongation(self, eta):
        """Return the elongation u that a spring with η⁻ = η and u0 = 0, of the material or not, would have here."""
        return self._of_program.elongation(_number("eta", eta))

    def __repr__(self):
        return f"<masing.MaterialPoint at x = {self.position:g}, force {self.force:g}>"

    def __reduce__(self):
        return _restored, (type(self), (self.material,), self.state())


class MaterialPoints(_Points):
    """n points that are moved together, such as the integration points of a mesh.

    Positions are an array [n], or an array of another shape with n numbers; results have the shape of the positions.
    points[i] is a MaterialPoint that refers to point i and is not a copy: moving it moves the point in `points`. A copy
    of points[i] is independent of `points`. A slice is a list of such MaterialPoint objects.

    The argument `out` of a move is a pair of arrays (forces, stiffnesses), or for move_along() an array of forces. They
    are filled and returned, and a move to an array of float64 allocates none. They must have the shape of x and the
    type float64, be contiguous, and share no memory with x or with each other.

    Parameters
    ----------
    material : Material or list of Material
        MaterialPoints([soft, stiff], index=[0, 0, 1]) has two points of the first material and one of the second.
    n : int
        The number of points of one material.
    x : float
        The initial position of all points.
    index : array_like of int
        The number of the material of each point, if `material` is a list.
    """

    def __init__(self, material, n=None, x=0.0, *, index=None):
        if index is not None:
            if n is not None or not isinstance(material, list | tuple):
                raise MasingError("index: give it with a list of materials and without n")
            numbers = _array("index", index)
            if numbers.ndim != 1 or not np.isin(numbers, range(len(material))).all():
                raise MasingError(f"index = {quoted(index)}: give the number of one of {len(material)} materials, from "
                                  "0, for each point")
            material, index, n = list(material), numbers.astype(np.uintp), len(numbers)
            given = [_of_masing(each) for each in material], index, _number("x", x)
        elif not isinstance(n, int | np.integer) or n < 0:
            raise MasingError(f"n = {quoted(n)}: give the number of points, or a list of materials with index")
        else:
            given = _of_masing(material), n, _number("x", x)
        try:
            self._of_program = _masing().MaterialPoints(*given)
        except MasingError:
            raise
        except (MemoryError, TypeError, ValueError):
            raise MasingError(f"n = {n}: so many points need more memory than there is") from None
        self.material, self._index = material, index

    def trial(self, x, out=None):
        """Return the Response (forces, stiffnesses) at the positions x and leave the points unchanged."""
        return self._use(self._of_program.trial, x, out)

    def set_trial(self, x, out=None):
        """Return the Response (forces, stiffnesses) at x, and keep x as the trial positions for commit()."""
        return self._use(self._of_program.set_trial, x, out)

    def move_to(self, x, out=None):
        """Move to x, as set_trial(x) followed by commit() does, and return the Response (forces, stiffnesses)."""
        return self._use(self._of_program.move, x, out)

    move = move_to

    def move_along(self, x, out=None):
        """Move each point through its own positions, an array x [steps, n]; return the forces, an array [steps, n].

        The forces have the same bits as those of move_to() for one row after another.
        """
        x = _array("x", x)
        if x.ndim < 2 or math.prod(x.shape[1:]) != len(self):
            raise MasingError(f"x has the shape {x.shape}; give positions [steps, {len(self)}]")
        return _move_along(self._of_program, x, out)

    @staticmethod
    def _use(move, x, out):
        x = _array("x", x)
        if out is not None and (not isinstance(out, tuple | list) or len(out) != 2):
            raise MasingError(f"out = {quoted(out)}: give two arrays, for the forces and the stiffnesses")
        found = Response(*_filled(x, out or (None, None), ("out[0]", "out[1]")))
        move(x, *found)
        return found

    def __len__(self):
        return len(self._of_program)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[each] for each in range(len(self))[i]]
        if not isinstance(i, int | np.integer):
            raise MasingError(f"points[{quoted(i)}]: give the number of a point, or a slice")
        if not -len(self) <= i < len(self):
            raise PlaceError(f"point {i} of {len(self)}; they are counted from 0")
        point = MaterialPoint.__new__(MaterialPoint)
        point._of_program = self._of_program[i % len(self)]
        point.material = self.material if self._index is None else self.material[self._index[i]]
        return point

    def __repr__(self):
        of = f"{self.material!r}" if self._index is None else f"{len(self.material)} materials"
        return f"<masing.MaterialPoints, {len(self)} of {of}>"

    def __reduce__(self):
        n = len(self) if self._index is None else None
        return _restored, (type(self), (self.material, n), self.state(), self._index)


def _of_masing(material):
    if not isinstance(material, Material):
        raise MasingError(f"material = {quoted(material)}: give a masing.Material")
    return material._of_program


def _number(name, value):
    if isinstance(value, float):
        return value
    try:
        if not np.iscomplexobj(value):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise MasingError(f"{name} = {quoted(value)}: give a number")


def _array(name, values):
    """Return numbers of any shape as an array of doubles; raise MasingError if a value is not a number."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "cMmSU" and not np.ma.is_masked(values):
            return array.astype(float, order="C", copy=False)
    except (TypeError, ValueError):
        pass
    raise MasingError(f"{name} = {quoted(values)}: give numbers, an array")


def _move_along(points, x, out):
    (force,) = _filled(x, (out,), ("out",))
    points.move_along(x, force)
    return force


def _filled(x, given, names):
    """Return the arrays `given` for the results at x, where a new array replaces None; raise MasingError for others."""
    arrays = [x]
    for array, name in zip(given, names):
        if array is None:
            array = np.empty_like(x)
        elif not isinstance(array, np.ndarray) or array.dtype != x.dtype:
            raise MasingError(f"{name} = {quoted(array)}: give an array of the type float64")
        elif array.shape != x.shape or not array.flags.carray:
            raise MasingError(f"{name} has the shape {array.shape}; give a contiguous, writeable array {x.shape}")
        elif any(np.may_share_memory(array, other) for other in arrays):
            raise MasingError(f"{name} shares memory with x or another array; give an array of its own")
        arrays.append(array)
    return arrays[1:]


def _material(cls, given):
    material = cls.__new__(cls)
    material._make(*given)
    return material


def _restored(cls, given, state, index=None):
    points = cls(*given) if index is None else cls(*given, index=index)
    points.restore(state)
    return points


def _text(name, value):
    """Return a function of s as a text for the program; None becomes "0" if `name` is initial_u, and otherwise ""."""
    if isinstance(value, str) or value is None:
        return value or ("0" if name == "initial_u" else "")
    is_table = hasattr(value, "__len__") and getattr(value, "ndim", 1)
    return tables.points(name, value) if is_table else repr(_number(name, value))
