"""The papers' models: the catalogue, what their files hold, restoring forces, prescribed positions; the order of their
errors, which jumps of the force do not lower. (study/test_orders.cpp has the orders of schemes and rules.)"""

import h5py
import numpy as np
import pytest
from result_files import study, text

TIME = ("--final-time=20", "--steps=4000", "--sample-every=1")
FORCED = "--force=0.45*cos(0.5*t)"
GEPHYROID = (*(f"--set=k{i}=1" for i in range(4)), *(f"--set=alpha{i}={i / 10}" for i in (1, 2, 3)))
PAIR = ("--set=k1=1", "--set=alpha1=0.2", "--set=k2=1", "--set=alpha2=0.1")

# model → its options, the columns of its state, and its dimension in Table I of rheological-models-2000, column p; for
# Persoz's models the columns with an equation of their own.
MODELS = {
    "friction-oscillator": (("--set=k=1", "--set=alpha=0.3"), "x y", "2"),
    "p-parallel": (("--set=k=1,2", "--set=alpha=0.1"), "x y", "2"),
    "viscoelastoplastic": (("--set=k=1", "--set=eta=0.4", "--set=c=1"), "x y u", "3"),
    "prandtl": (("--set=k=1", "--set=eta=0.4", "--k0=0.1"), "x y u", "3"),
    "three-springs": (("--set=K1=1", "--set=K2=1", "--set=K3=2", "--set=A=0.3"), "x y u", "3"),
    "discrete-masing": (("--set=k=1/n", "--set=eta=0.1,0.3,0.5"), "x y u1 u2 u3", "n + 2"),
    "s-chain": (("--set=n=2", "--set=k=i", "--set=eta=0.3"), "x1 x2 y1 y2 u1 u2", "3n"),
    "p-chain": (("--set=n=2", "--set=k=i", "--set=alpha=0.1"), "x1 x2 y1 y2", "2n"),
    "p-series": (("--set=k0=1", "--set=k=1,2", "--set=alpha=0.1,0.2"), "x y v1 v2", "n + 2"),
    "s1-p2-series": (PAIR, "x1 y1 x2 y2 u1", "5"), "s1-p2-parallel": (PAIR, "x y u", "3"),
    "persoz": (GEPHYROID, "x y g2 g3 g1", "5"), "persoz-quasistatic": (GEPHYROID, "x g2 g3 g1", "3"),
    "masing-quasistatic": (("--cells=40",), "x", ""),
}
# The balances of forces of rheological-models-2000 and continuous-masing-2001.
EQUATIONS = (
    "m x'' + k x + alpha sigma(x') ∋ F", "m x'' + (Σ k_i) x + (Σ alpha_i) sigma(x') ∋ F", "m y' = F - k0 x - k u",
    "m y' = F - k0 x - Σ k_i u_i", "m_i y_i' = k_{i+1} u_{i+1} - k_i u_i, with F for k_{n+1} u_{n+1}",
    "m_i y_i' + g_i - g_{i+1} = k_{i+1} (x_{i+1} - x_i) - k_i (x_i - x_{i-1})",
    "m y' = F + (Σ v_i/k_i - x)/(1/k0 + Σ 1/k_i)", "m1 y1' = -k1 u1 + k2 (x2 - x1) + g2",
    "m2 y2' = F - k2 (x2 - x1) - g2", "m y' + alpha2 sigma(y) ∋ F - k1 u - k2 x", "m y' = F - delta x + E W",
    "x = (F + E W)/delta", "m y' = F - m a_g - c y - k0 x - ∫ k(s) u(s) ds", "F = k0 x + ∫ k(s) u(s) ds")
QUASISTATIC = ("persoz-quasistatic", "masing-quasistatic")


def test_the_catalogue_has_dimension_order_and_source_of_each_model(masing):
    said = masing.done("models").stdout
    assert "\nmasing: " in said and "  m y' = F - m a_g - c y - k0 x - " in said
    for name in ("p-series", "s-chain", "p-chain", "persoz", "persoz-quasistatic"):
        one = masing.done("models", name).stdout
        assert f"\n{name}: " in said and "expected order" in one and "source" in one
        assert f"\ndimension       {MODELS[name][2]}\n" in one
    for equation in EQUATIONS:
        assert f"\n  {equation}\n" in said
    assert "'ising'" in masing.refused("models", "ising")
    assert "one word too many" in masing.refused("models", "prandtl", "persoz")


@pytest.mark.parametrize("model", MODELS)
def test_a_file_has_the_named_columns_of_the_state_and_the_restoring_force(masing, model):
    words, columns, _ = MODELS[model]
    run = masing.run("--model", model, *words, FORCED, *TIME)
    with h5py.File(masing.folder / "run.h5") as file:
        assert text(file["state/values"].attrs["columns"]) == columns
        assert np.array_equal(file["state/column"], range(1, 1 + len(columns.split())))
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


def test_the_restoring_force_of_a_damped_slab_is_that_of_its_springs(masing):
    """Nothing yields: k0 x + x."""
    run = masing.run("--damping=0.5", "--threshold=9", "--k0=0.25", "--cells=4", FORCED, *TIME)
    with h5py.File(masing.folder / "run.h5") as file:
        assert text(file["series/restoring"].attrs["symbol"]) == "k₀ x + S"
    np.testing.assert_allclose(run["restoring"], 1.25 * run["x"], atol=1e-14)


@pytest.mark.parametrize(("words", "expected"), [
    (("--force=0.2",), 0.2),  # at rest: what balances F
    (("--force=5", "--x0=1"), 2 + 0.3),  # it will slide
    (("--force=0", "--x0=1", "--y0=-1e-3"), 2 - 0.3)])  # it slides
def test_dry_friction_is_in_the_restoring_force_from_the_start(masing, words, expected):
    run = masing.run("--model=friction-oscillator", "--set=k=2", "--set=alpha=0.3", *TIME, *words)
    assert run["restoring"][0] == pytest.approx(expected, abs=1e-15)


def test_the_force_less_the_restoring_force_is_the_change_of_momentum(masing):
    """By trapezoids; friction of 0.2 in all jumps at each of less than ten reversals."""
    run = masing.run("--model=p-parallel", *MODELS["p-parallel"][0], FORCED, *TIME, "--engine=exact")
    rate = run["force"] - run["restoring"]
    momentum = np.cumsum(rate[:-1] + rate[1:]) / 2 * run["t"][1]
    assert np.max(np.abs(run["y"][1:] - momentum)) < 10 * 2 * 0.2 / 2 * run["t"][1]


def test_the_force_that_prescribed_positions_need_makes_them_again(masing):
    slab = ("--model=masing-quasistatic", "--cells=60", "--k0=0.2", *TIME)
    moved = masing.run(*slab, "--position", "0.7*sin(t+0.3)+0.2*sin(3*t)")
    np.testing.assert_allclose(moved["x"], 0.7 * np.sin(moved["t"] + 0.3) + 0.2 * np.sin(3 * moved["t"]), atol=1e-14)
    assert np.array_equal(moved["force"], moved["restoring"])
    np.savetxt(masing.folder / "force.csv", np.column_stack([moved["t"], moved["force"]]), fmt="%.17g", delimiter=",")
    pulled = masing.run(*slab, "--force=table:force.csv")
    np.testing.assert_allclose(pulled["x"], moved["x"], atol=1e-12)
    np.testing.assert_allclose(pulled["restoring"], moved["force"], atol=1e-15)


@pytest.mark.first(2)
@pytest.mark.parametrize("model", ["s-chain", "persoz-quasistatic", *(
    name for name in MODELS if name not in ("s-chain", *QUASISTATIC))])
def test_a_models_true_errors_are_of_order_one(masing, model):
    """Also where the theory promises 1/2; single steps at events change the factor of five levels by some tenths. The
    force has jumps; not that of the model without a mass, whose x would jump, and whose y is a difference quotient."""
    is_massless = model in QUASISTATIC
    options, columns, _ = MODELS[model]
    letters = {name[0] if name[0] in "xy" else "u" for name in columns.split()}
    cases = study(masing.made("converge", "--model", model, *options, "--final-time=40", "--reference=exact",
                              "--force=0.45*cos(0.5*t)" + ("" if is_massless else "+0.2*sawtooth(t/9)"),
                              "--levels=4000,8000,16000,32000,64000",
                              "--expect-order=" + ",".join(f"{letter}>=0.5" for letter in letters)))["cases"]
    for letter in letters:
        error = cases[f"error_{letter}"]
        assert 0.85 < np.log2(error[0] / error[-1]) / 4 < (2.5 if is_massless else 1.15), letter
    assert np.all(np.isnan(cases["error_u"])) == (len(columns.split()) == 2)


@pytest.mark.parametrize("model", QUASISTATIC)
def test_without_a_mass_only_a_missed_peak_is_an_error(masing, model):
    """A peak between two steps is missed by at most h²/8 max |F''|, and x by that times the largest
    compliance, once for the peak and at most twice for each branch that leaves it."""
    force, compliance = 0.3, 10.0
    cases = study(masing.made("converge", "--model", model, *MODELS[model][0], f"--force={force}*sin(t)",
                              "--final-time=20", "--expect-order=x=>=1", "--steps=16000"))["cases"]
    assert np.all(cases["error_x"] <= 5 * compliance * force * cases["dt"] ** 2 / 8) and np.any(cases["error_x"] > 0)
