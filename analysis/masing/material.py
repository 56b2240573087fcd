"""The slab of the Masing model as a material for finite-element programs; nothing in this module initializes MPI."""

import math
from collections import namedtuple

import numpy as np
import pandas as pd

from masing import native, tables
from masing.errors import MasingError, PlaceError, quoted

# What a point gives at a position: its force and the slope of this force, both numbers or both arrays.
Response = namedtuple("Response", "force stiffness")


class Material:
    """A material whose springs k(s), each in series with a slider, act in parallel with a spring k0 without a slider.

    The force at the position x is k0 x + ∫ k(s) u(t, s) ds, where the elongations u of the springs satisfy -η⁻ ≤ u ≤ η.
    All quantities are dimensionless. Two materials are equal if they have the same k0 and either the same texts of
    their functions or the same springs in the same order.

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

    @staticmethod
    def of_springs(stiffness, threshold, threshold_down=None, initial_u=0, k0=0):
        """Return a material of n springs, whose force is k0 x + Σ k u; arguments are arrays [n], or numbers for all."""
        given = {"stiffness": stiffness, "threshold": threshold, "initial_u": initial_u,
                 "threshold_down": np.nan if threshold_down is None else threshold_down}
        arrays = {name: _array(name, value).ravel() for name, value in given.items()}
        try:
            k, up, initial, down = np.broadcast_arrays(*arrays.values())
        except ValueError:
            raise MasingError("of_springs: give numbers, or arrays of one length, for k, η, η⁻ and u0") from None
        return _material(k, up, down, initial, _number("k0", k0))

    def _make(self, *given):
        self._of_program, self._given = native.required("masing.Material").Material(*given), given

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
        return _material, self._given


def _material(*given):
    material = Material.__new__(Material)
    material._make(*given)
    return material


def backbone(material, amplitudes):
    """Return the secant stiffness and the damping ratio of the closed cycles of a material between -X and X.

    Parameters
    ----------
    material : Material
    amplitudes : array_like
        The X > 0.

    Returns
    -------
    pandas.DataFrame
        For each X `amplitude`, `secant_stiffness`, (f(X) - f(-X)) / 2X for the force f, and `damping_ratio`, the energy
        that the cycle dissipates over 2π X² times this stiffness.

    Examples
    --------
    >>> masing.backbone(masing.Material("2", "0.5"), [0.5, 1.0])["secant_stiffness"].tolist()
    [2.0, 1.0]
    """
    x = _array("amplitudes", amplitudes).ravel()
    if not ((x > 0) & (x < np.inf)).all():
        raise MasingError(f"amplitudes = {quoted(amplitudes)}: give finite numbers > 0")
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
        """Restore a state that state() returned for the same number of points of an equal material."""
        self._of_program.restore(_array("state", state))

    __setstate__ = restore

    position = property(lambda self: self._of_program.position, doc="The committed x; [n] for several points.")
    force = property(lambda self: self._of_program.force, doc="k0 x + S at the position; [n] for several points.")
    stored_energy = property(lambda self: self._of_program.stored_energy,
                             doc="½ k0 x² + ½ ∫ k u² ds at the position; [n] for several points.")
    dissipated_energy = property(lambda self: self._of_program.dissipated_energy,
                                 doc="The energy that the sliders dissipated; [n] for several points.")


class MaterialPoint(_Points):
    """One point of a material. It stores its position x and those past turning points on which later forces depend.

    It begins at `x`. In a move, x changes monotonically from the committed position to the new one. A trial position
    has no effect on later moves unless commit() follows.

    Examples
    --------
    >>> masing.MaterialPoint(masing.Material.of_springs(2, 0.5)).move_to(1.0)
    Response(force=1.0, stiffness=0.0)
    """

    def __init__(self, material, x=0.0):
        self._of_program = native.required("masing.Material").MaterialPoint(_of_masing(material), _number("x", x))
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

    def elongation(self, threshold):
        """Return the elongation u here of a spring with this η = η⁻ and u0 = 0, of the material or not."""
        return self._of_program.elongation(_number("threshold", threshold))

    def __repr__(self):
        return f"<masing.MaterialPoint at x = {self.position:g}, force {self.force:g}>"

    def __reduce__(self):
        return type(self), (self.material,), self.state()


class MaterialPoints(_Points):
    """n points that are moved together, such as the integration points of a mesh.

    Positions are an array of n numbers; results have its shape. points[i] is point i itself as a MaterialPoint, of
    which a copy is independent, and a slice is a list of these. The argument `out` of a move is a pair of arrays
    (forces, stiffnesses), or for move_along() an array of forces, which are filled and returned.

    All points begin at `x`. MaterialPoints(soft, 10) has ten points of one material, and
    MaterialPoints([soft, stiff], index=[0, 0, 1]) two points of the first material and one of the second.
    """

    def __init__(self, material, n=None, x=0.0, index=None):
        module, x = native.required("masing.Material"), _number("x", x)
        if (n is None) == (index is None):
            raise MasingError("MaterialPoints: give n, or a list of materials with index")
        try:
            if index is None:
                self._of_program = module.MaterialPoints(_of_masing(material), n, x)
            else:
                index = np.asarray(index).astype(np.intp, casting="same_kind")
                self._of_program = module.MaterialPoints(list(map(_of_masing, material)), index.astype(np.uintp), x)
        except (MemoryError, TypeError, ValueError) as error:
            if isinstance(error, MasingError):
                raise
            raise MasingError(f"n = {n}, index = {quoted(index)}: give a number of points that memory can hold, or a "
                              "list of materials and the number of one of them for each point") from None
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
        """Move each point through its own positions, an array x [steps, n]; return the forces, an array [steps, n]."""
        x = _array("x", x)
        if math.prod(x.shape[1:]) != len(self):
            raise MasingError(f"x has the shape {x.shape}; give positions [steps, {len(self)}]")
        return _move_along(self._of_program, x, out)

    @staticmethod
    def _use(move, x, out):
        x = _array("x", x)
        force, stiffness = (None, None) if out is None else out
        force = _result("out[0]", force, x)
        found = Response(force, _result("out[1]", stiffness, x, force))
        move(x, *found)
        return found

    def __len__(self):
        return len(self._of_program)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return [self[each] for each in range(len(self))[i]]
        try:
            place = range(len(self))[i]
        except IndexError:
            raise PlaceError(f"point {i} of {len(self)}; they are counted from 0") from None
        point = MaterialPoint.__new__(MaterialPoint)
        point._of_program = self._of_program[place]
        point.material = self.material if self._index is None else self.material[self._index[place]]
        return point

    def __repr__(self):
        of = f"{self.material!r}" if self._index is None else f"{len(self.material)} materials"
        return f"<masing.MaterialPoints, {len(self)} of {of}>"

    def __reduce__(self):
        n = len(self) if self._index is None else None
        return type(self), (self.material, n, 0.0, self._index), self.state()


def _of_masing(material):
    if not isinstance(material, Material):
        raise MasingError(f"material = {quoted(material)}: give a masing.Material")
    return material._of_program


def _number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise MasingError(f"{name} = {quoted(value)}: give a number") from None


def _array(name, values):
    try:
        return np.asarray(values).astype(float, order="C", casting="same_kind", copy=False)
    except (TypeError, ValueError):
        raise MasingError(f"{name} = {quoted(values)}: give numbers, an array") from None


def _move_along(points, x, out):
    force = _result("out", out, x)
    points.move_along(x, force)
    return force


def _result(name, out, x, *others):
    """Return the array for results at x: a new one, or `out`; raise MasingError if it cannot be filled."""
    if out is None:
        return np.empty_like(x)
    is_like_x = isinstance(out, np.ndarray) and out.dtype == x.dtype and out.shape == x.shape and out.flags.carray
    if not is_like_x or any(np.may_share_memory(out, other) for other in (x, *others)):
        raise MasingError(f"{name}: give a contiguous, writeable array of float64 of the shape {x.shape} that shares "
                          "no memory with x or another array")
    return out


def _text(name, value):
    """Return a function of s as a text for the program; None becomes "0" if `name` is initial_u, and otherwise ""."""
    if isinstance(value, str) or value is None:
        return value or ("0" if name == "initial_u" else "")
    if not (hasattr(value, "__len__") and getattr(value, "ndim", 1)):
        return repr(_number(name, value))
    rows = zip(*(column.tolist() for column in tables.pair(name, value)))
    return "points:" + ";".join(f"{s!r} {number!r}" for s, number in rows)
