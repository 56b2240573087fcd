"""Thresholds that differ by direction, u in [-η⁻, η⁺]: closed forms of one cell, of the backbone and of a loop, clamping
every cell, the symmetric problem that a shift makes of it, orders, energies and files."""

import re

import h5py
import numpy as np
import pytest
from result_files import contents, text
from scipy.integrate import quad

QUIET = ("--quiet", "--output=run.h5")


def run(masing, *words):
    """Series, probes, energies and fields of a run, by name."""
    masing.done("simulate", *words, *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        found = {}
        for group in ("field", "series", "energy", "probe"):
            found |= {name: values[:] for name, values in file.get(group, {}).items()}
        return found


def clamped(x, u, up, down):
    """u along the positions x, clamped at every one: exact where x is monotone between them."""
    path = [u]
    for step in np.diff(x):
        path.append(np.clip(path[-1] + step, -down, up))
    return np.array(path)


@pytest.mark.parametrize("cells", ["1", "inf"])
def test_one_cell_along_a_path(masing, cells):
    found = run(masing, "--model=masing-quasistatic", "--stiffness=2", "--threshold=0.5", "--threshold-down=0.2",
                "--initial-u=-0.1", "--k0=0.3", "--position=triangle(t)", f"--cells={cells}", "--final-time=3",
                "--steps=300", "--sample-every=1", "--probe=0.5")
    x = found["x"]
    u = clamped(x, -0.1, 0.5, 0.2)
    assert (u.min(), u.max()) == (-0.2, 0.5)
    assert np.max(np.abs(found["restoring"] - (0.3 * x + 2 * u))) < 1e-14
    assert np.max(np.abs(found["u"][:, 0] - u)) < 1e-14


UP, DOWN = "s+0.1", "0.3+0.2*s^2"
STIFFNESS = "1+0.5*s"


def backbone(x):
    """∫k min(x, η⁺) ds for x ≥ 0, -∫k min(-x, η⁻) ds for x < 0: from u = 0."""
    size = (lambda s: min(x, s + 0.1)) if x >= 0 else (lambda s: -min(-x, 0.3 + 0.2 * s * s))
    kinks = [0, np.clip(x - 0.1, 0, 1) if x >= 0 else np.clip((-x - 0.3) / 0.2, 0, 1) ** 0.5, 1]
    return sum(quad(lambda s: (1 + 0.5 * s) * size(s), a, b)[0] for a, b in zip(kinks, kinks[1:]))


@pytest.mark.parametrize("sign", ["", "-"])
def test_the_backbone_is_each_direction_s_own(masing, sign):
    found = run(masing, "--model=masing-quasistatic", f"--stiffness={STIFFNESS}", f"--threshold={UP}",
                f"--threshold-down={DOWN}", f"--position={sign}1.3*t", "--cells=inf", "--final-time=1", "--steps=40")
    assert np.max(np.abs(found["restoring"] - [backbone(x) for x in found["x"]])) < 1e-12


def test_a_loop_has_branches_of_masing_and_dissipates_its_closed_form(masing):
    """Once all has slid: f = f_r ± 2B(|x - x_r|/2), B the backbone of the mean threshold; 4∫kη(X-η)⁺ds a cycle."""
    size, steps = 1.2, 400
    found = run(masing, "--model=masing-quasistatic", f"--stiffness={STIFFNESS}", f"--threshold={UP}",
                f"--threshold-down={DOWN}", f"--position={size}*triangle(t)", "--cells=inf", "--final-time=2",
                f"--steps={2 * steps}", "--sample-every=1")
    mean = lambda s: 0.5 * (s + 0.1 + 0.3 + 0.2 * s * s)  # noqa: E731
    x, f = found["x"][steps // 4 + steps:], found["restoring"][steps // 4 + steps:]
    down = slice(0, steps // 2 + 1)

    def half(d):
        kink = np.clip((-0.5 + (0.25 + 0.4 * max(0, d - 0.2)) ** 0.5) / 0.2, 0, 1)
        return sum(quad(lambda s: (1 + 0.5 * s) * min(d, mean(s)), *ends)[0] for ends in ((0, kink), (kink, 1)))

    branch = [f[0] - 2 * half((x[0] - z) / 2) for z in x[down][::20]]
    assert np.max(np.abs(f[down][::20] - branch)) < 1e-12
    whole = slice(steps // 4, steps // 4 + steps + 1)
    x, f = found["x"][whole], found["restoring"][whole]
    area = abs(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(x)))
    loss = 4 * quad(lambda s: (1 + 0.5 * s) * mean(s) * (size - mean(s)), 0, 1)[0]
    assert abs(area - loss) < 1e-3 * loss  # the trapezoidal rule over 400 steps


def random_problem(random):
    """k, η⁺, η⁻ and u0 as points, u0 anywhere within, and a mass that moves them."""
    s = np.linspace(0, 1, 6)
    up, down = random.uniform(0.05, 0.8, 6), random.uniform(0.0, 0.8, 6)
    if random.random() < 0.3:
        down[:] = random.uniform(0, 0.5)
    u0 = -down + random.uniform(0, 1, 6) * (up + down)
    texts = ["points:" + "; ".join(f"{a!r} {b!r}" for a, b in zip(s.tolist(), values.tolist()))
             for values in (random.uniform(0.5, 2, 6), up, down, u0)]
    return [f"--{key}={value}" for key, value in zip(("stiffness", "threshold", "threshold-down", "initial-u"), texts)] + [
        f"--mass={random.uniform(0.3, 2)}", f"--k0={random.uniform(0, 0.3)}", f"--x0={random.uniform(-1, 1)}",
        f"--y0={random.uniform(-1, 1)}", f"--force={random.uniform(0.2, 1)}*cos({random.uniform(0.3, 2)}*t)",
        f"--damping={random.choice([0, 0.2])}"]


@pytest.mark.first(3)
@pytest.mark.parametrize("seed", range(50))
def test_memory_is_clamping_every_cell(masing, seed):
    random = np.random.default_rng(seed)
    problem = random_problem(random)
    case = (*problem, "--cells=1100", "--final-time=60", "--steps=6000", "--sample-every=10", "--probe=0.01,0.4,0.99",
            "--energy")
    sweep, memory = run(masing, *case), run(masing, *case, "--engine=memory")
    assert np.any(memory["u"] != memory["u"][0])
    for name in sweep:
        assert np.max(np.abs(sweep[name] - memory[name])) < 1e-11 * max(1, np.max(np.abs(sweep["x"]))), name
    eta, down = memory["eta"], memory["eta_down"]
    for u in (sweep, memory):
        with h5py.File(masing.folder / "run.h5") as file:
            field = file["field/u"][-1]
        assert np.all(field <= eta + 1e-15)
        assert np.all(field >= -down - 1e-15)
    exact = run(masing, *case, "--engine=exact")
    assert np.max(np.abs(exact["residual"])) < 1e-11
    assert np.min(np.diff(exact["dissipated"])) > -1e-12


@pytest.mark.first(2)
@pytest.mark.parametrize("seed", range(50))
def test_the_continuum_balances_its_energy_and_is_what_cells_tend_to(masing, seed):
    problem = random_problem(np.random.default_rng(100 + seed))
    case = (*problem, "--final-time=20", "--steps=200", "--engine=exact", "--energy")
    exact = run(masing, *case, "--cells=inf")
    assert np.max(np.abs(exact["residual"])) < 1e-11
    assert np.min(np.diff(exact["dissipated"])) > -1e-12
    cells = [run(masing, *case, "--rule=midpoint", f"--cells={n}") for n in (500, 2000)]
    for name in ("x", "restoring", "elastic", "dissipated"):
        apart = [np.max(np.abs(one[name] - exact[name])) for one in cells]
        assert apart[1] < 2e-5, name
        assert apart[1] < 0.4 * apart[0], name


@pytest.mark.parametrize("words", [("--cells=50",), ("--cells=50", "--engine=memory", "--scheme=leapfrog"),
                                   ("--cells=50", "--engine=exact"), ("--cells=inf",), ("--cells=inf", "--engine=exact")])
def test_the_shift_by_a_constant_is_the_symmetric_problem(masing, words):
    """u = v + c: v begins at -c and feels F - c ∫k."""
    case = (*words, "--stiffness=1.5", "--mass=0.7", "--final-time=30", "--steps=3000", "--y0=0.2")
    one = run(masing, *case, "--threshold=s+0.5", "--threshold-down=s+0.1", "--force=0.9*cos(t)")
    other = run(masing, *case, "--threshold=s+0.3", "--initial-u=-0.2", "--force=0.9*cos(t)-0.3")
    assert np.max(np.abs(one["x"] - other["x"])) < 1e-12
    assert np.max(np.abs(one["restoring"] - (other["restoring"] + 0.3))) < 1e-12
    assert np.max(np.abs(one["u"] - (other["u"] + 0.2))) < 1e-12


CASE = (f"--stiffness={STIFFNESS}", f"--threshold={UP}", f"--threshold-down={DOWN}", "--initial-u=0.05",
        "--final-time=20", "--damping=0.1", "--force=0.8*cos(0.9*t)")


@pytest.mark.parametrize(("cells", "scheme", "levels"), [
    ("50", "euler", "8000:128000:9"), ("inf", "euler", "8000:128000:9"),
    pytest.param("50", "leapfrog", "4000:128000:60", marks=pytest.mark.long), ("inf", "leapfrog", "2000:32000:17"),
])
def test_schemes_keep_their_order(masing, cells, scheme, levels):
    masing.done("converge", *CASE, f"--scheme={scheme}", f"--cells={cells}", "--engine=memory",
                "--reference=exact-time", f"--levels={levels}", "--quiet")


@pytest.mark.parametrize(("rule", "levels"), [("right", "50:3200:25"), pytest.param("midpoint", "50:6400:150", marks=pytest.mark.long)])
def test_cells_keep_their_order(masing, rule, levels):
    """The errors of midpoint jitter with the phase of events."""
    masing.done("converge", *CASE, "--refine=cells", f"--levels={levels}", "--reference=cells-inf", f"--rule={rule}",
                "--engine=memory", "--scheme=leapfrog", "--steps=8000", "--order-tolerance=0.2", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert text(file["fit"].attrs["statement"]) == "beyond"
        assert "thresholds" in text(file["fit"].attrs["beyond"])


def test_alike_thresholds_have_the_bits_of_one(masing):
    case = ("--cells=1300", "--final-time=20", "--steps=2000")
    for engine in ("sweep", "memory", "exact"):
        one = run(masing, *case, f"--engine={engine}")
        two = run(masing, *case, f"--engine={engine}", "--threshold-down=s+0.1")
        for name in one:
            assert np.array_equal(one[name], two[name]), (engine, name)


@pytest.mark.parametrize("words", [("--cells=2500",), ("--cells=2500", "--engine=memory"),
                                   ("--cells=inf", "--field-points=2500"), ("--cells=inf", "--engine=exact")])
def test_ranks_restarts_and_reproduction(masing, words):
    case = ("simulate", *CASE, *words, "--steps=600", "--energy", "--probe=0.3", "--quiet")
    masing.done(*case, "--output=whole.h5")
    masing.done(*case, "--output=part.h5", "--checkpoint=point.h5", "--checkpoint-every=250")
    masing.done(*case, "--output=resumed.h5", "--restart=point.h5")
    masing.done(*case, "--output=ranks.h5", ranks=3)
    whole = contents(masing.folder / "whole.h5")
    assert "field/eta_down" in whole
    assert contents(masing.folder / "resumed.h5") == whole
    assert contents(masing.folder / "ranks.h5") == whole
    masing.done("reproduce", "whole.h5", "--quiet")


def test_files_and_mistakes(masing):
    masing.done("simulate", "--cells=4", "--steps=100", "--threshold-down=0.3", *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        assert np.allclose(file["field/eta"], np.arange(1, 5) / 4 + 0.1, rtol=0, atol=1e-15)
        assert np.allclose(file["field/eta_down"], 0.3, rtol=0, atol=1e-15)
        assert "threshold-down=0.3" in text(file["configuration"].attrs["problem"])
    masing.done("simulate", "--cells=4", "--steps=100", *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        assert "eta_down" not in file["field"]
        assert "threshold-down" not in text(file["configuration"].attrs["problem"])
    # u0 at either end is taken, though it rounds
    for end in ("s+0.1", "-0.3"):
        for words in (("--cells=700",), ("--cells=700", "--engine=memory"), ("--cells=inf",)):
            masing.done("simulate", *words, "--steps=100", "--threshold-down=0.3", f"--initial-u={end}", *QUIET)
    for words in (("--cells=700",), ("--cells=inf",)):
        said = masing.refused("simulate", *words, "--threshold-down=0.3", "--initial-u=-0.31")
        assert "u0 must lie in [-eta_down(s), eta(s)] = [-0.3, 0.1" in said
        said = masing.refused("simulate", *words, "--threshold-down=0.3-s")
        assert said.startswith("masing: --threshold-down: eta_down(s) = -")
        assert "--threshold: eta(s)" in masing.refused("simulate", *words, "--threshold-down=2", "--threshold=-s-0.1")
    said = masing.refused("simulate", "--model=masing-quasistatic", "--threshold-down=0.3", "--force=-0.4*t", "--final-time=1",
                          "--cells=inf")
    low, high = map(float, re.search(r"must stay within (\S+) and (\S+),", said).groups())
    assert abs(low + 0.3) < 1e-14
    assert abs(high - 0.6) < 1e-14
    assert "not a key of --model prandtl" in masing.refused("simulate", "--model=prandtl", "--set=k=1", "--set=eta=1",
                                                            "--threshold-down=1")
