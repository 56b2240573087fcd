"""The papers' models at the command line: the catalogue, their files and what is in them."""

import h5py
import numpy as np
import pytest
from result_files import text

TIME = ("--final-time=20", "--steps=4000", "--sample-every=1")
FORCED = "--force=0.45*cos(0.5*t)"
GEPHYROID = (*(f"--set=k{i}=1" for i in range(4)), *(f"--set=alpha{i}={i / 10}" for i in (1, 2, 3)))
PAIR = ("--set=k1=1", "--set=alpha1=0.2", "--set=k2=1", "--set=alpha2=0.1")

# model → its options and the columns of its state
MODELS = {
    "friction-oscillator": (("--set=k=1", "--set=alpha=0.3"), "x y"),
    "p-parallel": (("--set=k=1,2", "--set=alpha=0.1"), "x y"),
    "viscoelastoplastic": (("--set=k=1", "--set=eta=0.4", "--set=c=1"), "x y u"),
    "prandtl": (("--set=k=1", "--set=eta=0.4", "--k0=0.1"), "x y u"),
    "three-springs": (("--set=K1=1", "--set=K2=1", "--set=K3=2", "--set=A=0.3"), "x y u"),
    "discrete-masing": (("--set=k=1/n", "--set=eta=0.1,0.3,0.5"), "x y u1 u2 u3"),
    "s-chain": (("--set=n=2", "--set=k=i", "--set=eta=0.3"), "x1 x2 y1 y2 u1 u2"),
    "p-chain": (("--set=n=2", "--set=k=i", "--set=alpha=0.1"), "x1 x2 y1 y2"),
    "p-series": (("--set=k0=1", "--set=k=1,2", "--set=alpha=0.1,0.2"), "x y v1 v2"),
    "s1-p2-series": (PAIR, "x1 y1 x2 y2 u1"), "s1-p2-parallel": (PAIR, "x y u"),
    "persoz": (GEPHYROID, "x y g2 g3 g1"), "persoz-quasistatic": (GEPHYROID, "x g2 g3 g1"),
    "masing-quasistatic": (("--cells=40",), "x"),
}
QUASISTATIC = ("persoz-quasistatic", "masing-quasistatic")


def test_the_catalogue(masing):
    said = masing.done("models").stdout
    # Table I of rheological-models-2000, its column p; for Persoz's models the columns with an equation of their own.
    dimensions = {"friction-oscillator": "2", "p-parallel": "2", "viscoelastoplastic": "3", "prandtl": "3",
                  "three-springs": "3", "discrete-masing": "n + 2", "p-series": "n + 2", "s-chain": "3n",
                  "p-chain": "2n", "s1-p2-series": "5", "s1-p2-parallel": "3", "persoz": "5", "persoz-quasistatic": "3"}
    for name in [*MODELS, "masing"]:
        one = masing.done("models", name).stdout
        assert f"\n{name}: " in said and "expected order" in one and "source" in one
        assert name not in dimensions or f"  dimension   {dimensions[name]}\n" in one
    assert "  m y' = F - m a_g - c y - k0 x - " in said
    assert "'ising'" in masing.refused("models", "ising")
    assert "one word too many" in masing.refused("models", "prandtl", "persoz")


@pytest.mark.parametrize("model", MODELS)
def test_a_trajectory_and_its_state(masing, model):
    words, columns = MODELS[model]
    run = masing.run("--model", model, *words, FORCED, *TIME)
    with h5py.File(masing.folder / "run.h5") as file:
        assert text(file["state/values"].attrs["columns"]) == columns
        law = {"masing-quasistatic": "k₀ x + S", "persoz-quasistatic": "F"}.get(model, "F − m x″")
        assert text(file["series/restoring"].attrs["symbol"]) == law
    values, names = run["state/values"], columns.split()
    assert values.shape == (len(run["t"]), len(names)) and np.all(np.isfinite(values))
    last = {name[0]: values[:, i] for i, name in enumerate(names)}
    assert np.array_equal(last["x"], run["x"])
    if "y" in last:
        assert np.array_equal(last["y"], run["y"])
    else:  # without a mass the mean velocity of the last step
        np.testing.assert_allclose(run["y"][1:], np.diff(run["x"]) / (run["t"][-1] / (len(run["t"]) - 1)), rtol=1e-14)
        assert run["y"][0] == 0 and np.any(run["y"][1:] != 0)
    assert np.max(np.abs(run["restoring"])) > 0


FRICTION = ("--model=friction-oscillator", "--set=k=2", "--set=alpha=0.3", *TIME)


@pytest.mark.parametrize(("words", "expected"), [
    (("--force=0.2",), 0.2),  # at rest: what balances F
    (("--force=5", "--x0=1"), 2 + 0.3),  # it will slide
    (("--force=0", "--x0=1", "--y0=-1e-3"), 2 - 0.3)])  # it slides
def test_dry_friction_is_in_the_restoring_force_from_the_start(masing, words, expected):
    assert masing.run(*FRICTION, *words)["restoring"][0] == pytest.approx(expected, abs=1e-15)


def test_acceleration_and_restoring_force_add_up_to_the_force(masing):
    """(y⁺ - y) m/h = F(t_p) - k x - g⁺ with the friction g⁺ that the resolvent found."""
    run = masing.run(*FRICTION, "--mass=3", "--force=cos(t)")
    friction = run["restoring"][1:] - 2 * run["x"][1:]
    assert np.max(np.abs(friction)) == pytest.approx(0.3, abs=1e-14)
    force = run["force"][:-1] - 2 * run["x"][:-1] - friction
    np.testing.assert_allclose(3 * np.diff(run["y"]) / (20 / 4000), force, atol=1e-11)


def test_prescribed_positions_and_the_force_they_need(masing):
    slab = ("--model=masing-quasistatic", "--cells=60", "--k0=0.2", *TIME)
    moved = masing.run(*slab, "--position", "0.7*sin(t+0.3)+0.2*sin(3*t)")
    np.testing.assert_allclose(moved["x"], 0.7 * np.sin(moved["t"] + 0.3) + 0.2 * np.sin(3 * moved["t"]), atol=1e-14)
    assert np.array_equal(moved["force"], moved["restoring"])
    np.savetxt(masing.folder / "force.csv", np.column_stack([moved["t"], moved["force"]]), fmt="%.17g", delimiter=",")
    pulled = masing.run(*slab, "--force=table:force.csv")
    np.testing.assert_allclose(pulled["x"], moved["x"], atol=1e-12)
    np.testing.assert_allclose(pulled["restoring"], moved["force"], atol=1e-15)
