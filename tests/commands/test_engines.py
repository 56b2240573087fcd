"""Runs of the slab: engines against each other for whatever the options of a problem allow (any initial elongation,
thresholds by direction, thresholds and stiffnesses of 0, damping, a moving base, fields of files); motions, forces and
cycles in closed form; the balance of energy of each engine."""

import numpy as np
import pytest
from scipy.integrate import quad

FORCED = "--force=0.45*cos(0.5*t)"
EXACT, MEMORY, LEAPFROG = "--engine=exact", "--engine=memory", "--scheme=leapfrog"
ENERGIES = ("kinetic", "elastic", "dissipated", "input", "residual")


def apart(one, other):
    """The largest distance of two arrays."""
    return np.max(np.abs(one - other))


def random_problem(seed):
    """k, η⁺, η⁻ and u0 as points, u0 anywhere within, and a mass that moves them."""
    random = np.random.default_rng(seed)
    up, down = random.uniform(0.05, 0.8, 6), random.uniform(0.0, 0.8, 6)
    u0 = -down + random.uniform(0, 1, 6) * (up + down)
    shapes = {"stiffness": random.uniform(0.5, 2, 6), "threshold": up, "threshold-down": down, "initial-u": u0}
    return [*(f"--{key}=points:" + "; ".join(f"{i / 5} {value!r}" for i, value in enumerate(values.tolist()))
              for key, values in shapes.items()),
            f"--mass={random.uniform(0.3, 2)}", f"--k0={random.uniform(0, 0.3)}", f"--x0={random.uniform(-1, 1)}",
            f"--y0={random.uniform(-1, 1)}", f"--damping={random.choice([0, 0.2])}",
            f"--force={random.uniform(0.2, 1)}*cos({random.uniform(0.3, 2)}*t)"]


# Thresholds, or k, of 0; and a force that dies away and leaves hundreds of turning points, which a blow wipes out.
LIMITS = {"a part": ("--threshold=max(0, s-0.3)", FORCED),
          "one cell": ("--threshold=s^2", "--initial-u=-0.5*s^2", FORCED),
          "of both bounds": ("--threshold=abs(s-0.5)", "--threshold-down=max(0, 0.7-s)", FORCED),
          "no stiffness": ("--stiffness=max(0, s-0.4)", "--threshold-down=0.5", "--initial-u=-0.3*s", FORCED),
          "a deep stack": ("--mass=0.002", "--k0=0.2",
                           "--force=t<55 ? 0.6*exp(-0.1*t)*cos(20*t) : min(2, 10*(t-55))")}
@pytest.mark.parametrize("seed", [
    0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 40)), *LIMITS])
def test_turning_points_are_clamping_every_cell(masing, seed):
    problem = random_problem(seed) if isinstance(seed, int) else ("--rule=midpoint", *LIMITS[seed])
    case = (*problem, "--energy", "--cells=1100", "--final-time=60", "--steps=6000", "--sample-every=10",
            "--field-every=60")
    for scheme in ("--scheme=euler", LEAPFROG):
        sweep, memory = masing.run(*case, scheme), masing.run(*case, scheme, MEMORY)
        assert np.any(memory["field/u"] != memory["field/u"][0])
        for name in sweep:
            assert apart(sweep[name], memory[name]) < 1e-11 * max(1, np.max(np.abs(sweep["x"]))), name
        assert np.all(sweep["field/u"] <= sweep["field/eta"] + 1e-15)
        assert np.all(sweep["field/u"] >= -sweep.get("field/eta_down", sweep["field/eta"]) - 1e-15)


def earthquake(masing, name="quake.csv", factor=1):
    """A table of a ground acceleration: waves of random phases in an envelope that rises fast and dies slowly."""
    random = np.random.default_rng(11)
    t = np.arange(0, 12, 0.02)
    rates, phases = np.linspace(2, 20, 30), random.uniform(0, 2 * np.pi, 30)
    a = 4 * t * np.exp(1 - t / 2) * np.sin(np.outer(t, rates) + phases).sum(axis=1) / np.sqrt(30)
    masing.file(name, "".join(f"{x!r}, {factor * y!r}\n" for x, y in zip(t.tolist(), a.tolist())))


@pytest.mark.parametrize("words", [("--cells=50", MEMORY, LEAPFROG), ("--cells=50", EXACT), ("--cells=inf", EXACT)])
def test_a_moving_base_is_a_force(masing, words):
    """-m a_g as F, m a power of two: to the bit."""
    earthquake(masing)
    earthquake(masing, "force.csv", -2)
    case = (*dict.fromkeys((*words, LEAPFROG)), "--mass=2", "--damping=0.1", "--final-time=15", "--steps=3000")
    force = masing.run(*case, "--force=table:force.csv")
    base = masing.run(*case, "--base-acceleration=table:quake.csv", "--force=0")
    assert np.ptp(base["restoring"]) > 0.5  # it yields
    for name in ("t", "x", "y", "force", "restoring"):
        assert np.array_equal(base[name], force[name]), name


def test_one_stiff_cell_does_not_blunt_the_sum_of_the_others(masing):
    """Sums are rounded to a unit that follows the slab's largest force, not its stiffest cell's: u is 1e-7 of η."""
    run = ("--stiffness=1+1e12*exp(-((s-0.5)*2e5)^2)", "--threshold=0.1+s", "--final-time=2e-5", "--y0=1e-3",
           "--force=0", LEAPFROG, "--cells=200000", "--steps=50")
    sweep, memory = masing.run(*run)["restoring"], masing.run(*run, MEMORY)["restoring"]
    # The others have 1/(1e12 √π/2e5) = 1.1e-7 of the stiffness: to a tenth of what they add.
    assert apart(sweep, memory) < 1e-8 * np.max(np.abs(memory))


FREE, ONCE = ("--force=0.3", "--threshold=0.1+s^2"), ("--steps=2000", "--final-time=20")


def test_a_run_goes_on_from_the_last_field_of_another(masing):
    """With x and y, u is all of the state: under a constant force to the bit, by the sweep."""
    run = (*FREE, "--rule=midpoint")
    whole = masing.run(*run, "--steps=4000", "--final-time=40", "--cells=300", "--initial-u=0.05")
    first = masing.run(*run, *ONCE, "--cells=300", "--initial-u=0.05", "--field-every=500")
    (masing.folder / "run.h5").rename(masing.folder / "first.h5")
    again = (*run, *ONCE, "--initial-u=file:first.h5", *(f"--{name}0={float(first[name][-1])!r}" for name in "xy"))
    second = masing.run(*again, "--cells=300")
    assert np.array_equal(second["x"], whole["x"][2000:]) and np.array_equal(second["field/u"], whole["field/u"])
    # By turning points to rounding; with other cells and P = ∞ to the order δs² of midpoints.
    for cells, allowed in (300, 1e-13), (1200, 300**-2), ("inf", 300**-2):
        assert apart(masing.run(*again, f"--cells={cells}", MEMORY)["x"], second["x"]) < allowed
    (masing.folder / "first.h5").unlink()
    masing.done("reproduce", "run.h5")  # its configuration has the field


def test_a_field_is_cut_off_between_its_points_only_by_a_little_and_must_be_whole(masing):
    masing.file("coarse.csv", "0,0.6\n1,0.6\n")
    masing.file("fine.csv", "".join(f"{i / 50},{0.1 + (i / 50) ** 2}\n" for i in range(51)))
    for cells, engine in (("300", "sweep"), ("300", "memory"), ("inf", "memory")):
        found = masing.run(*FREE, *ONCE, f"--cells={cells}", f"--engine={engine}", "--initial-u=table:fine.csv")
        assert np.all(np.abs(found["field/u"]) <= found["field/eta"])
    masing.made("simulate", *ONCE, FORCED, "--cells=300", "--field-points=100", name="thin.h5")
    masing.made("simulate", *ONCE, FORCED, "--model=prandtl", "--set=k=1", "--set=eta=1", name="prandtl.h5")
    for name, said in (("file:thin.h5", "thin.h5 holds a thinned field; give a file made with field-points = 0"),
                       ("file:prandtl.h5", "prandtl.h5 has no field of a slab"), ("table:coarse.csv", "|u0| must be <= eta")):
        assert said in masing.refusal("simulate", *FREE, *ONCE, "--cells=300", f"--initial-u={name}")


def test_a_stiffness_that_underflows_at_most_places_is_resolved(masing):
    run = masing.run("--cells=inf", "--stiffness=exp(-(s-0.3)^2*1e9)", "--steps=100", "--final-time=1", "--force=sin(t)")
    assert run["restoring"] == pytest.approx(np.sqrt(np.pi / 1e9) * run["x"], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("word", ["--initial-u=0.01*square(1e7*s)", "--stiffness=2+sin(1e9*s)"])
def test_a_continuum_that_cannot_be_resolved_is_refused(masing, word):
    said = masing.refusal("simulate", "--cells=inf", MEMORY, "--steps=10", "--force=0", word)
    assert word.split("=")[0] in said and "use a number of cells" in said


MASS, STIFFNESS, START, FORCE = 0.8, 1.5, (0.2, -0.7), 0.3 + 0.2  # k0 + ∫k; u0 = 0 at x0: S = x - x0
LINEAR = ("--threshold=9", "--force=0.3", "--mass=0.8", "--k0=0.5", "--x0=0.2", "--y0=-0.7")  # nothing yields


@pytest.mark.parametrize(("damping", "cells"), [(0.2, "3"), (1.9, "inf"), (20, "inf")])  # the critical one is 2.19
def test_the_exact_engine_has_the_damped_oscillator_on_a_swinging_base(masing, damping, cells):
    """m x'' + c x' + k x = F - m A sin ωt: the steady answer, and by the system's eigenvalues what the start adds."""
    size, rate = 0.4, 1.7
    run = masing.run(*LINEAR, f"--damping={damping}", f"--base-acceleration={size}*sin({rate}*t)", f"--cells={cells}",
                     EXACT, "--final-time=30", "--steps=60")
    swing = -MASS * size / (STIFFNESS - MASS * rate**2 + 1j * damping * rate)  # x = Im swing exp(i ω t)
    wave = swing * np.exp(1j * rate * run["t"])
    values, vectors = np.linalg.eig(np.array([[0, 1], [-STIFFNESS / MASS, -damping / MASS]], dtype=complex))
    rest = np.array([FORCE / STIFFNESS, 0])
    weights = np.linalg.solve(vectors, np.array(START) - rest - np.array([swing.imag, rate * swing.real]))
    free = (vectors @ (weights[:, None] * np.exp(np.outer(values, run["t"])))).real
    x, y = rest[:, None] + free + np.array([wave.imag, rate * wave.real])
    for name, expected in (("x", x), ("y", y), ("restoring", STIFFNESS * x - 0.2)):  # k0 x + S: no c y in it
        assert apart(run[name], expected) < 1e-12, name
    assert apart(run["force"], 0.3 - MASS * size * np.sin(rate * run["t"])) < 1e-15


@pytest.mark.parametrize("scheme", ["euler", "leapfrog"])
def test_a_scheme_is_its_linear_map(masing, scheme, damping=0.4, step=0.05):
    """(x, y, 1) is multiplied by a matrix each step, F constant and nothing yielding."""
    a = np.array([-STIFFNESS / MASS, -damping / MASS, FORCE / MASS])  # the acceleration
    if scheme == "euler":
        matrix = np.array([[1, step, 0], np.array([0, 1, 0]) + step * a, [0, 0, 1]])
    else:
        x = np.array([1, step, 0]) + step**2 / 2 * a
        y = np.array([0, 1, 0]) + step / 2 * (a + a[0] * x + np.array([0, 0, a[2]]))
        matrix = np.array([x, y / (1 - step * a[1] / 2), [0, 0, 1]])
    run = masing.run(*LINEAR, f"--damping={damping}", f"--scheme={scheme}", "--cells=4", "--final-time=20",
                     "--steps=400", "--sample-every=1")
    state = np.array([*START, 1.0])
    for x, y in zip(run["x"], run["y"]):
        assert np.allclose((x, y), state[:2], rtol=0, atol=1e-12)
        state = matrix @ state


@pytest.mark.parametrize("cells", ["40", "inf"])
def test_a_sliding_slab_stops_where_damping_and_friction_stop_it(masing, cells):
    """u0 = η and y0 > 0: m y' = -c y - S with S = ∫kη, until y = 0 at t* = m/c log(1 + c y0/S)."""
    mass, damping, speed = 1.3, 0.5, 2.0
    friction = 0.6 if cells == "inf" else 0.6 + 0.5 / 40
    stop = mass / damping * np.log(1 + damping * speed / friction)
    run = masing.run("--initial-u=s+0.1", "--force=0", f"--mass={mass}", f"--damping={damping}", f"--y0={speed}",
                     f"--cells={cells}", EXACT, f"--final-time={stop!r}", "--steps=50", "--energy")
    way = mass / damping * (speed - friction / damping * np.log(1 + damping * speed / friction))
    for name, expected in (("x", way), ("y", 0), ("dissipated", friction * way),
                           ("viscous", 0.5 * mass * speed**2 - friction * way)):
        assert abs(run[name][-1] - expected) < 1e-12, name


def test_damping_brings_the_mass_to_rest(masing):
    """Reversals by the thousand, of ever smaller amplitude, to rounding: every one is an event."""
    run = masing.run("--force=0.1", "--damping=0.5", EXACT, "--cells=inf", "--final-time=2000", "--steps=200")
    assert max(abs(run["y"][-1]), abs(run["restoring"][-1] - 0.1)) < 1e-13


def test_x_at_500_is_what_another_integrator_finds(masing):
    """SciPy's DOP853 from event to event (reversals, kinks of B, closed loops), by the rules of Masing, to 1e-11."""
    run = masing.run(EXACT, "--cells=inf", "--steps=500")
    assert run["t"][-1] == 500 and abs(run["x"][-1] + 1.8628145429) < 1e-9


def moved(masing, position, *words, time=1):
    """x and S of the continuum without a mass, moved as given; k0 = 0."""
    found = masing.run("--model=masing-quasistatic", "--cells=inf", f"--position={position}", f"--final-time={time}",
                       "--sample-every=1", *words)
    return found["x"], found["restoring"]


K, UP, DOWN = (lambda s: 1 + 0.5 * s), (lambda s: s + 0.1), (lambda s: 0.3 + 0.2 * s * s)
DIRECTED = ("--stiffness=1+0.5*s", "--threshold=s+0.1", "--threshold-down=0.3+0.2*s^2")


def backbone(x, bound):
    """∫k min(x, η) ds for x ≥ 0, η growing with s."""
    inside = np.clip(np.interp(x, bound(np.linspace(0, 1, 10**5)), np.linspace(0, 1, 10**5)), 0, 1)
    return sum(quad(lambda s: K(s) * min(x, bound(s)), *ends)[0] for ends in ((0, inside), (inside, 1)))


def test_the_backbone_is_each_direction_s_own_and_a_loop_has_branches_of_masing(masing):
    """Once all has slid: f = f_r ± 2B(|x - x_r|/2), B the backbone of the mean threshold; 4∫kη(X-η)⁺ds a cycle."""
    for sign, bound in ((1, UP), (-1, DOWN)):
        x, force = moved(masing, f"{sign}*1.3*t", *DIRECTED, "--steps=40")
        assert apart(sign * force, [backbone(sign * at, bound) for at in x]) < 1e-11
    size, steps = 1.2, 400
    x, f = moved(masing, f"{size}*triangle(t)", *DIRECTED, f"--steps={2 * steps}", time=2)
    mean = lambda s: (UP(s) + DOWN(s)) / 2  # noqa: E731
    down = slice(steps + steps // 4, steps + 3 * steps // 4 + 1, 20)
    assert apart(f[down], [f[down.start] - 2 * backbone((x[down.start] - at) / 2, mean) for at in x[down]]) < 1e-11
    cycle = slice(steps // 4, steps // 4 + steps + 1)
    area = abs(np.sum((f[cycle][1:] + f[cycle][:-1]) / 2 * np.diff(x[cycle])))
    loss = 4 * quad(lambda s: K(s) * mean(s) * (size - mean(s)), 0, 1)[0]
    assert abs(area - loss) < 1e-3 * loss  # the trapezoidal rule over 400 steps


def test_a_force_without_a_mass_is_balanced_by_k0_and_by_elements_that_slide_earlier_downwards(masing):
    """k = 1, k0 = ½, u from -¼ to ½: F = 3x/2 while nothing slides, x/2 + ½ upwards, x/2 - ¼ downwards."""
    found = masing.run("--model=masing-quasistatic", "--force=t<1?t:2-t", "--k0=0.5", "--threshold=0.5", "--cells=4",
                       "--threshold-down=0.25", "--final-time=3", "--steps=12", "--sample-every=1")
    rising, falling = found["force"][:5], found["force"][5:]
    x = np.r_[np.maximum(rising / 1.5, 2 * rising - 1), np.minimum(1 - (1 - falling) / 1.5, 2 * falling + 0.5)]
    assert apart(found["x"], x) < 1e-14
    # From x0 = 0.3 nothing slides up to F = 1: F = k0 x + (x - x0).
    found = masing.run("--model=masing-quasistatic", "--force=t", "--k0=0.5", "--threshold=9", "--cells=4", "--x0=0.3",
                       "--final-time=1", "--steps=4", "--sample-every=1")
    assert apart(found["x"][1:], (found["t"][1:] + 0.3) / 1.5) < 1e-14


CASE = ("--stiffness=1+0.5*s", "--initial-u=-0.3*(s+0.1)", "--mass=0.8", "--k0=0.15", "--x0=0.2", "--y0=-0.3", FORCED)


@pytest.mark.parametrize(("scheme", "order", "damping", "cells"), [
    ("euler", 1, 0.25, "inf"), ("leapfrog", 2, 0.25, "200")])
def test_the_balance_of_energy_closes_to_the_order_of_the_scheme(masing, scheme, order, damping, cells):
    case = (*CASE, "--final-time=20", "--energy", f"--cells={cells}", f"--damping={damping}")
    lacking = []
    for steps in (2000, 4000, 8000) if order == 2 else (8000, 16000, 32000):
        run = masing.run(*case, f"--scheme={scheme}", MEMORY, f"--steps={steps}", f"--sample-every={steps // 200}")
        lacking.append(np.max(np.abs(run["residual"])))
    # A front that passes cells, or turns, inside a step leaves a part that depends on its phase.
    assert np.all(np.abs(np.log2(np.array(lacking[:-1]) / lacking[1:]) - order) < 0.1 * order), lacking
    assert np.min(np.diff(run["dissipated"])) > -1e-14  # what slides only takes, to rounding
    assert ("viscous" in run) == (damping > 0) and run["dissipated"][0] == run["input"][0] == 0
    assert np.allclose(run["kinetic"], 0.4 * run["y"] ** 2, rtol=1e-15, atol=0)
    gain = run["kinetic"] + run["elastic"] + run["dissipated"] + run.get("viscous", 0) - run["input"]
    assert np.allclose(run["residual"], gain[0] - gain, rtol=0, atol=1e-14)
    if cells != "inf":
        elastic = 0.075 * run["x"][-1] ** 2 + np.dot(run["field/k"], run["field/u"][-1] ** 2) / 400
        assert abs(run["elastic"][-1] - elastic) < 1e-14
    # The parts are in error to the same order; in the residual their errors cancel in part.
    exact = masing.run(*case, EXACT, "--steps=200")
    for name in ("dissipated", *["viscous"] * (damping > 0)):
        assert exact[name][-1] > 0.1 and abs(run[name][-1] - exact[name][-1]) < 3 * lacking[-1], name
