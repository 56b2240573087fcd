"""Viscous damping: closed forms of the motion and of each scheme, orders, the energy it takes."""

import h5py
import numpy as np
import pytest
from result_files import contents, text

QUIET = ("--quiet", "--output=run.h5")
# k0 + ∫k = 1.5 and m = 0.8; nothing yields
LINEAR = ("--threshold=2", "--force=0.3", "--mass=0.8", "--k0=0.5", "--x0=0.2", "--y0=-0.7")
STIFFNESS, MASS, FORCE, START = 1.5, 0.8, 0.3 + 0.2, (0.2, -0.7)  # u0 = 0 at x0: S = x - x0


def series(masing, *words):
    """The series of a run, and its energies where it has them."""
    masing.done("simulate", *words, *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        groups = [file["series"], file["energy"]] if "energy" in file else [file["series"]]
        return {name: values[:] for group in groups for name, values in group.items()}


def linear_motion(damping, t):
    """x(t), y(t) of m x'' + c x' + k x = F by the eigenvalues of the system."""
    matrix = np.array([[0, 1], [-STIFFNESS / MASS, -damping / MASS]], dtype=complex)
    rest = np.array([FORCE / STIFFNESS, 0])
    values, vectors = np.linalg.eig(matrix)
    weights = np.linalg.solve(vectors, np.array(START) - rest)
    return (rest[:, None] + vectors @ (weights[:, None] * np.exp(np.outer(values, t)))).real


@pytest.mark.parametrize("cells", ["3", "inf"])
@pytest.mark.parametrize("damping", [0.2, 1.9, 20])  # below, near and beyond the critical 2.19
def test_the_exact_engine_has_the_damped_linear_oscillator(masing, damping, cells):
    run = series(masing, *LINEAR, f"--damping={damping}", f"--cells={cells}", "--engine=exact",
                 "--final-time=30", "--steps=60")
    x, y = linear_motion(damping, run["t"])
    assert np.max(np.abs(run["x"] - x)) < 1e-12
    assert np.max(np.abs(run["y"] - y)) < 1e-12
    assert np.max(np.abs(run["restoring"] - (STIFFNESS * x - 0.2))) < 1e-12  # k0 x + S: no c y in it


def scheme_map(scheme, damping, step):
    """One step of a scheme on (x, y, 1), as a matrix, F constant and nothing yielding."""
    w, b, f = STIFFNESS / MASS, damping / MASS, FORCE / MASS
    if scheme == "euler":
        return np.array([[1, step, 0], [-step * w, 1 - step * b, step * f], [0, 0, 1]])
    a = np.array([-w, -b, f])  # the acceleration
    x = np.array([1, step, 0]) + step**2 / 2 * a
    y = (np.array([0, 1, 0]) + step / 2 * (a - w * x + np.array([0, 0, f]))) / (1 + step * b / 2)
    return np.array([x, y, [0, 0, 1]])


@pytest.mark.parametrize("engine", ["sweep", "memory"])
@pytest.mark.parametrize("scheme", ["euler", "leapfrog"])
def test_a_scheme_is_its_linear_map(masing, scheme, engine):
    run = series(masing, *LINEAR, "--damping=0.4", f"--scheme={scheme}", f"--engine={engine}",
                 "--cells=4", "--final-time=20", "--steps=400", "--sample-every=1")
    state, matrix = np.array([*START, 1.0]), scheme_map(scheme, 0.4, 0.05)
    for x, y in zip(run["x"], run["y"]):
        assert abs(x - state[0]) < 1e-12
        assert abs(y - state[1]) < 1e-12
        state = matrix @ state


@pytest.mark.parametrize("cells", ["40", "inf"])
def test_a_sliding_slab_stops_where_damping_and_friction_stop_it(masing, cells):
    """u0 = η and y0 > 0: m y' = -c y - S with S = ∫kη, until y = 0 at t* = m/c log(1 + c y0/S)."""
    mass, damping, speed = 1.3, 0.5, 2.0
    friction = 0.6 if cells == "inf" else 0.6 + 0.5 / 40
    stop = mass / damping * np.log(1 + damping * speed / friction)
    run = series(masing, "--initial-u=s+0.1", "--force=0", f"--mass={mass}", f"--damping={damping}",
                 f"--y0={speed}", f"--cells={cells}", "--engine=exact", f"--final-time={stop!r}",
                 "--steps=50", "--energy")
    way = mass / damping * (speed - friction / damping * np.log(1 + damping * speed / friction))
    assert abs(run["x"][-1] - way) < 1e-12
    assert abs(run["y"][-1]) < 1e-12
    assert abs(run["dissipated"][-1] - friction * way) < 1e-12
    assert abs(run["viscous"][-1] - (0.5 * mass * speed**2 - friction * way)) < 1e-12


CASE = (
    *("--stiffness=1+0.5*s", "--initial-u=-0.3*(s+0.1)", "--mass=0.8", "--k0=0.15", "--x0=0.2"),
    *("--y0=-0.3", "--damping=0.25", "--final-time=20"),
)


@pytest.mark.first(2)
@pytest.mark.parametrize(("scheme", "levels"), [("euler", "4000:64000:9"), ("leapfrog", "1000:16000:17")])
@pytest.mark.parametrize("cells", ["50", "inf"])
def test_schemes_keep_their_order(masing, scheme, levels, cells):
    """The verdict is the study's: as expected, exit code 0."""
    masing.done("converge", *CASE, f"--scheme={scheme}", f"--cells={cells}", "--engine=memory",
                "--reference=exact-time", f"--levels={levels}", "--quiet")


@pytest.mark.parametrize("cells", ["200", "inf"])
@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("leapfrog", 2)])
def test_the_energy_closes_to_the_order_of_the_scheme(masing, scheme, order, cells):
    steps = (2000, 4000, 8000) if scheme == "leapfrog" else (8000, 16000, 32000)
    lacking = []
    for n in steps:
        run = series(masing, *CASE, f"--scheme={scheme}", f"--cells={cells}", "--engine=memory",
                     "--energy", f"--steps={n}", f"--sample-every={n // 200}")
        balance = sum(run[name] for name in ("kinetic", "elastic", "dissipated", "viscous")) - run["input"]
        assert np.allclose(run["residual"], balance[0] - balance, rtol=0, atol=1e-14)
        assert run["viscous"][0] == 0
        lacking.append(np.max(np.abs(balance - balance[0])))
    orders = np.log2(np.array(lacking[:-1]) / lacking[1:])
    assert np.all(np.abs(orders - order) < 0.1 * order), lacking
    exact = series(masing, *CASE, f"--cells={cells}", "--engine=exact", "--energy", "--steps=200")
    assert np.max(np.abs(exact["residual"])) < 1e-12
    assert abs(run["viscous"][-1] - exact["viscous"][-1]) < 2 * lacking[-1]
    assert exact["viscous"][-1] > 0.1


def test_the_residual_says_what_it_takes_away(masing):
    """Only with damping there is /energy/viscous."""
    for damping, part in (("0.25", "dissipated less viscous less the gain"), ("0", "dissipated less the gain")):
        series(masing, f"--damping={damping}", "--final-time=1", "--steps=10", "--cells=3", "--energy")
        with h5py.File(masing.folder / "run.h5") as file:
            said = file["energy/residual"].attrs["description"]
        assert f"input less {part} of kinetic and elastic, since the first sample" in said


def test_damping_brings_the_mass_to_rest(masing):
    """Reversals by the thousand, of ever smaller amplitude, to rounding: every one is an event."""
    run = series(masing, "--force=0.1", "--damping=0.5", "--engine=exact", "--cells=inf",
                 "--final-time=2000", "--steps=200")
    assert abs(run["y"][-1]) < 1e-13
    assert abs(run["restoring"][-1] - 0.1) < 1e-13


def test_without_damping_the_file_is_as_ever(masing):
    masing.done("simulate", "--cells=5", "--steps=10", "--energy", *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        assert "viscous" not in file["energy"]
        assert text(file["series/restoring"].attrs["symbol"]) == "F − m x″"
        assert "damping" not in text(file["configuration"].attrs["problem"])
    masing.done("simulate", "--cells=5", "--steps=100", "--damping=0.1", *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        assert text(file["series/restoring"].attrs["symbol"]) == "k₀ x + S"
        assert "damping=0.1" in text(file["configuration"].attrs["problem"])


def test_a_damped_run_resumes_and_does_not_depend_on_the_ranks(masing):
    run = ("simulate", *CASE, "--cells=2500", "--steps=600", "--energy", "--quiet")
    masing.done(*run, "--output=whole.h5")
    masing.done(*run, "--output=part.h5", "--checkpoint=point.h5", "--checkpoint-every=250")
    masing.done(*run, "--output=resumed.h5", "--restart=point.h5")
    masing.done(*run, "--output=ranks.h5", ranks=3)
    whole = contents(masing.folder / "whole.h5")
    assert "energy/viscous" in whole
    assert contents(masing.folder / "resumed.h5") == whole
    assert contents(masing.folder / "ranks.h5") == whole


def test_mistakes(masing):
    assert "must be >= 0" in masing.refused("simulate", "--damping=-1")
    said = masing.refused("simulate", "--model=masing-quasistatic", "--damping=1")
    assert "not a key of --model masing-quasistatic" in said
    said = masing.refused("simulate", "--damping=30", "--final-time=10", "--steps=149", "--cells=3")
    assert "give at least 150 steps" in said
    masing.done("simulate", "--damping=30", "--final-time=10", "--steps=150", "--cells=3", *QUIET)
