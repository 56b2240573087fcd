"""masing.Material and its points in Python: what they are given reaches the library, whose numbers are tested in
tests/library, what it gives comes back, and a mistake is one line."""

import copy
import pickle

import numpy as np
import pytest

import masing
from masing import native
from oracle import drive

pytestmark = pytest.mark.skipif(native.module() is None, reason="no module beside the program")

X = np.cumsum(np.random.default_rng(3).uniform(-0.6, 0.6, 200))
S = np.linspace(0, 1, 11)
ZEROS, ONES = np.zeros(3), np.ones(3)


def a_point(material=None):
    return masing.MaterialPoint(material or masing.Material())


def some_points(n):
    return masing.MaterialPoints(masing.Material(), n)


def test_springs_with_all_their_data_are_clamped_springs():
    k, up, down, u0 = np.array([[1, 2], [0.3, 0.4], [0.1, 0.5], [0.2, -0.5]])
    material = masing.Material.of_springs(k, up, down, u0, k0=0.25)
    point, along = a_point(material), a_point(material)
    force = drive(X, up, k, 0.25, down, u0)
    np.testing.assert_allclose([point.move_to(x).force for x in X], force, atol=1e-12)
    np.testing.assert_allclose(along.move_along(X), force, atol=1e-12)
    assert (material.k0, material.elastic_stiffness) == pytest.approx((0.25, 3.25))
    one = a_point(masing.Material.of_springs(2, [0.3]))
    one.move_to(1)
    assert (one.stored_energy, one.dissipated_energy) == pytest.approx((0.5 * 2 * 0.3**2, 2 * 0.3 * 0.7))
    assert (one.elongation(0.3), one.position) == (0.3, 1)


def test_a_backbone_has_its_closed_forms():
    """B(X) = k0 X + Σ k min(X, η), D = 4 Σ k η (X - η)⁺, where η is the mean of both directions, from any start."""
    x, eta, k = np.array([0.03, 0.3, 0.4, 1.0, 3.0]), np.array([0.3, 0.7]), np.array([2, 1])
    springs = masing.Material.of_springs(k, eta + 0.1, eta - 0.1, [0.2, -0.4], k0=0.2)
    force = 0.2 * x + np.minimum.outer(x, eta) @ k
    loss = 4 * np.maximum(np.subtract.outer(x, eta), 0) @ (k * eta)
    found = masing.backbone(springs, x)
    np.testing.assert_array_equal(found["amplitude"], x)
    np.testing.assert_allclose(found["secant_stiffness"], force / x, rtol=1e-12)
    np.testing.assert_allclose(found["damping_ratio"], loss / (2 * np.pi * x * force), atol=1e-12)


@pytest.mark.parametrize("functions", [
    {"stiffness": "2-s", "threshold": "0.2+0.5*s", "threshold_down": "s+0.3", "initial_u": "s/20"},
    {"stiffness": (S, 2 - S), "threshold": (S, 0.2 + 0.5 * S), "threshold_down": (S, S + 0.3),
     "initial_u": (S, S / 20)}])
def test_texts_and_tables_are_the_continuum_of_their_cells(functions):
    s = (np.arange(4000) + 0.5) / 4000
    expected = drive(X, 0.2 + 0.5 * s, (2 - s) / 4000, 0.25, s + 0.3, s / 20)
    point = masing.MaterialPoint(masing.Material(**functions, k0=0.25))
    # The midpoint rule with a kink in each of some branches: δs² max(k η') of one cell a branch.
    np.testing.assert_allclose(point.move_along(X), expected, atol=1e-6)


def test_points_go_back_to_a_state_that_is_theirs():
    points, x = some_points(12), np.linspace(-1, 1, 12)
    assert [each.shape for each in points.move(x.reshape(3, 4))] == [(3, 4), (3, 4)]
    state, held = points.state(), points[2]
    points[0].restore(points[5].state())
    assert points.position[0] == x[5]
    points.set_trial(x + 1)
    points.revert_to_last()
    points.commit()
    assert list(points.position[1:]) == list(x[1:])
    points.revert_to_start()
    for wrong in (state[:-1], np.append(state, 0.0)):
        with pytest.raises(masing.MasingError, match="states? of"):
            points.restore(wrong)
        assert not points.position.any()
    points.restore(state)
    assert held.position == points.position[2] == x[2]


def test_points_of_several_materials_are_as_many_single_points_along_histories():
    """More points than move_along takes at once."""
    materials = [masing.Material("2-s", "0.2+0.5*s", k0=0.1), masing.Material.of_springs([1, 2], [0.3, 0.4], [0.1, 9])]
    random = np.random.default_rng(1)
    index, x = random.integers(0, 2, 200), random.uniform(-1, 1, (50, 200))
    points, stepped = (masing.MaterialPoints(materials, index=index) for _ in range(2))
    singles = [masing.MaterialPoint(materials[i]) for i in index]
    expected = np.transpose([one.move_along(each) for one, each in zip(singles, x.T)])
    points.set_trial(x[0])
    np.testing.assert_array_equal(points.move_along(x), expected)
    np.testing.assert_array_equal([stepped.move(each)[0] for each in x], expected)
    np.testing.assert_array_equal(points.state(), np.concatenate([one.state() for one in singles]))
    for name in ("position", "force", "stored_energy", "dissipated_energy"):
        np.testing.assert_array_equal(getattr(points, name), [getattr(one, name) for one in singles])
    points.set_trial(x[0])
    tried = points.trial(x[1])
    np.testing.assert_array_equal(np.transpose(tried), [one.trial(each) for one, each in zip(singles, x[1])])
    points.commit()  # trial() has left the trial position as it was
    np.testing.assert_array_equal(points.position, x[0])
    for again in (copy.copy(points), pickle.loads(pickle.dumps(points))):
        np.testing.assert_array_equal(again.move_along(x), copy.deepcopy(points).move_along(x))
        assert [each.material for each in again] == [materials[i] for i in index] and again.material == materials
    assert repr(points) == "<masing.MaterialPoints, 200 of 2 materials>" and points.move_along(x[:0]).shape == (0, 200)


def test_arrays_that_are_given_are_filled():
    points, again, x = some_points(6), some_points(6), np.linspace(-1, 1, 6).reshape(2, 3)
    for name in ("trial", "set_trial", "move"):
        out = np.full((2, 3), np.nan), np.full((2, 3), np.nan)
        found = getattr(points, name)(x, out=out)
        assert found.force is out[0] and found.stiffness is out[1]
        np.testing.assert_array_equal(out, getattr(again, name)(x))
    x, force = np.linspace(0, 2, 24).reshape(4, 2, 3), np.full((4, 2, 3), np.nan)
    assert points.move_along(x, out=force) is force and not np.isnan(force).any()
    one, force = a_point(), np.full(3, np.nan)
    assert one.move_along([1, 2, -1], out=force) is force
    np.testing.assert_array_equal(force, a_point().move_along([1, 2, -1]))


def test_one_of_many_points_is_a_point_of_them():
    points = some_points(5)
    points.move_to(np.linspace(-1, 1, 5))
    one, alone = points[-1], copy.copy(points[4])
    assert isinstance(one, masing.MaterialPoint) and one.force == points.force[4] > 0
    one.move_to(0.3)
    assert points.position[4] == 0.3 and alone.position == 1 and alone.move(0.3) == points[4].trial(0.3)
    assert [each.position for each in points[1:4:2]] == [-0.5, 0.5] and len(points) == len(list(points)) == 5
    del points
    assert one.position == 0.3


@pytest.mark.parametrize("again", [copy.deepcopy, copy.copy, lambda each: pickle.loads(pickle.dumps(each))])
@pytest.mark.parametrize("make", [
    lambda k0: masing.Material("2-s", (S, S + 0.1), k0=k0),
    lambda k0: masing.Material.of_springs([1, 2], [0.3, 0.4], [0.1, 9], k0=k0)])
def test_points_are_copied_and_pickled_with_their_past_and_equal_materials_are_equal(make, again):
    material, unlike = make(0.5), make(0.25)
    for same in (make(0.5), again(material)):
        assert same == material and hash(same) == hash(material) and material not in (unlike, "2-s")
    point = a_point(material)
    point.move_along(X)
    other = again(point)
    assert other.material.fingerprint == material.fingerprint
    np.testing.assert_array_equal(other.move_along(-X), point.move_along(-X))


@pytest.mark.parametrize("call, words", [
    (lambda: a_point().move_along([1j, 2]), "^x = .*: give numbers, an array$"),
    *((lambda x=x: masing.backbone(masing.Material(), x), "^amplitudes = ") for x in ([0.1, 0], "x", np.nan)),
    (lambda: a_point().restore(a_point(masing.Material("2")).state()), "material"),
    (lambda: some_points(2).move([1]), "^x has 1 of 2 positions; give one for each point"),
    *((lambda out=out: some_points(3).move(ZEROS, out=out), words) for out, words in (
        ((np.zeros(4), np.zeros(3)), r"^out\[0\]: give a contiguous, writeable array of float64 of the shape \(3,\)"),
        ((np.zeros(3), np.zeros(6)[::2]), r"^out\[1\]: give"), ((np.zeros(3), ZEROS), r"^out\[1\]: give"),
        ((ONES, ONES), r"^out\[1\]: .* shares no memory with x or another array"))),
    (lambda: a_point().move_along(ZEROS, out=np.zeros(2)), r"^out: give a contiguous"),
    (lambda: masing.MaterialPoints([masing.Material()], index=[0, 1]),
     "^material 1 of 1; they are counted from 0$"),
    (lambda: masing.MaterialPoints([masing.Material()], index=[0.5]), "^n = None, index = .0.5.: give a number"),
    (lambda: some_points(10**19), "that memory can hold"),
    (lambda: masing.Material("s-2"), "^stiffness: k.s. = -2 at s = 0"),
    (lambda: masing.MaterialPoints(masing.Material(), 2, index=[0]), ": give n, or a list of materials with index$"),
    (lambda: masing.MaterialPoints(masing.Material(), -1), "^n = -1, index = None: give a number of points"),
    (lambda: a_point().elongation(-1), "^threshold: "),
    (lambda: masing.MaterialPoint("s"), "^material = 's': give a masing.Material"),
    (lambda: some_points(3).move_along(ZEROS), "^x has the shape .3,.; give positions .steps, 3.$"),
    (lambda: a_point().move_along([0.0], out=[0.0]), "^out: give a contiguous, writeable array of float64"),
    (lambda: a_point().move(1j), "^x = 1j: give a number"),
    (lambda: masing.Material.of_springs([1, 2], [1, 2, 3]), "^of_springs: give numbers, or arrays of one length")])
def test_mistakes_raise_one_line(call, words):
    with pytest.raises(masing.MasingError, match=words) as caught:
        call()
    assert caught.value.code == 2 and "\n" not in str(caught.value)
    for i in (-4, 3):
        with pytest.raises(IndexError, match=f"^point {i} of 3; they are counted from 0$"):
            some_points(3)[i]


def test_where_one_position_is_wrong_no_point_moves():
    points = some_points(2)
    for move in (points[0].move_along, points.move, points.trial, lambda x: points.move_along([[0.3, 0.4], x])):
        with pytest.raises(masing.MasingError, match="position of nan"):
            move([0.5, np.nan])
    assert not points.position.any()
