"""Engines against each other, and against clamping every cell, for whatever the options of a problem allow: any initial
elongation, thresholds by direction, thresholds and stiffnesses of 0, damping, a moving base."""

import numpy as np
import pytest
from clamping import clamped


def points(values):
    """A function of s as a table of evenly spaced points."""
    return "points:" + "; ".join(f"{s!r} {value!r}" for s, value in zip(np.linspace(0, 1, 6).tolist(), values.tolist()))


def random_problem(seed):
    """k, η⁺, η⁻ and u0 as points, u0 anywhere within, and a mass that moves them."""
    random = np.random.default_rng(seed)
    up, down = random.uniform(0.05, 0.8, 6), random.uniform(0.0, 0.8, 6)
    if random.random() < 0.3:
        down[:] = random.uniform(0, 0.5)
    u0 = -down + random.uniform(0, 1, 6) * (up + down)
    return [f"--stiffness={points(random.uniform(0.5, 2, 6))}", f"--threshold={points(up)}",
            f"--threshold-down={points(down)}",
            f"--initial-u={points(u0)}", f"--mass={random.uniform(0.3, 2)}", f"--k0={random.uniform(0, 0.3)}",
            f"--x0={random.uniform(-1, 1)}", f"--y0={random.uniform(-1, 1)}", f"--damping={random.choice([0, 0.2])}",
            f"--force={random.uniform(0.2, 1)}*cos({random.uniform(0.3, 2)}*t)", "--energy"]


# thresholds, or k, of 0
FORCED = "--force=0.45*cos(0.5*t)"
AT_THE_LIMIT = {"a part": ("--threshold=max(0, s-0.3)", FORCED),
                "one cell": ("--threshold=s^2", "--initial-u=-0.5*s^2", FORCED),
                "of both bounds": ("--threshold=abs(s-0.5)", "--threshold-down=max(0, 0.7-s)", FORCED),
                "no stiffness": ("--stiffness=max(0, s-0.4)", "--threshold-down=0.5", "--initial-u=-0.3*s", FORCED)}
FORTY_SEEDS = [pytest.param(seed, marks=[pytest.mark.long] * (seed > 0)) for seed in range(40)]


# A force that dies away leaves hundreds of turning points, and a blow wipes them out.
DEEP = {"a deep stack": ("--mass=0.002", "--k0=0.2", "--force=t<55 ? 0.6*exp(-0.1*t)*cos(20*t) : min(2, 10*(t-55))")}


@pytest.mark.parametrize("seed", [*FORTY_SEEDS, *AT_THE_LIMIT, *DEEP])
def test_memory_is_clamping_every_cell(masing, seed):
    limits = AT_THE_LIMIT | DEEP
    problem = random_problem(seed) if isinstance(seed, int) else (*limits[seed], "--rule=midpoint", "--energy")
    case = (*problem, "--cells=1100", "--final-time=60", "--steps=6000", "--sample-every=10", "--field-every=60")
    for scheme in ("--scheme=euler", "--scheme=leapfrog"):
        sweep, memory = masing.run(*case, scheme), masing.run(*case, scheme, "--engine=memory")
        assert np.any(memory["field/u"] != memory["field/u"][0])
        for name in sweep:
            assert np.max(np.abs(sweep[name] - memory[name])) < 1e-11 * max(1, np.max(np.abs(sweep["x"]))), name
        assert np.all(sweep["field/u"] <= sweep["field/eta"] + 1e-15)
        assert np.all(sweep["field/u"] >= -sweep.get("field/eta_down", sweep["field/eta"]) - 1e-15)


@pytest.mark.parametrize("seed", [*FORTY_SEEDS, *AT_THE_LIMIT])
def test_the_continuum_is_what_cells_tend_to(masing, seed):
    problem = random_problem(seed) if isinstance(seed, int) else (*AT_THE_LIMIT[seed], "--k0=0.05", "--energy")
    case = (*problem, "--final-time=20", "--steps=200", "--engine=exact")
    exact = masing.run(*case, "--cells=inf")
    cells = [masing.run(*case, "--rule=midpoint", f"--cells={n}") for n in (500, 2000)]
    for name in ("x", "restoring", "elastic", "dissipated"):
        apart = [np.max(np.abs(one[name] - exact[name])) for one in cells]
        assert apart[1] < 2e-5, name
        assert apart[1] < 0.4 * apart[0] + 1e-13, name


CHOICES = [("--cells=50",), ("--cells=50", "--engine=memory", "--scheme=leapfrog"), ("--cells=50", "--engine=exact"),
           ("--cells=inf",), ("--cells=inf", "--engine=exact")]


@pytest.mark.parametrize("words", CHOICES)
def test_a_shift_of_both_thresholds_is_the_symmetric_problem(masing, words):
    """u = v + c: v begins at -c and feels F - c ∫k."""
    case = (*words, "--stiffness=1.5", "--mass=0.7", "--final-time=30", "--steps=3000", "--y0=0.2")
    one = masing.run(*case, "--threshold=s+0.5", "--threshold-down=s+0.1", "--force=0.9*cos(t)")
    other = masing.run(*case, "--threshold=s+0.3", "--initial-u=-0.2", "--force=0.9*cos(t)-0.3")
    for name, shift in (("x", 0), ("restoring", 0.3), ("field/u", 0.2)):
        assert np.max(np.abs(one[name] - other[name] - shift)) < 1e-12, name


@pytest.mark.parametrize("engine", ["sweep", "memory", "exact"])
def test_alike_thresholds_have_the_bits_of_one(masing, engine):
    case = ("--cells=1300", "--final-time=20", "--steps=2000", f"--engine={engine}")
    one, two = masing.run(*case), masing.run(*case, "--threshold-down=s+0.1", FORCED)
    assert all(np.array_equal(one[name], two[name]) for name in one)


def earthquake(masing, name="quake.csv", factor=1):
    """A table of a ground acceleration: waves of random phases in an envelope that rises fast and dies slowly."""
    random = np.random.default_rng(11)
    t = np.arange(0, 12, 0.02)
    rates, phases = np.linspace(2, 20, 30), random.uniform(0, 2 * np.pi, 30)
    a = 4 * t * np.exp(1 - t / 2) * np.sin(np.outer(t, rates) + phases).sum(axis=1) / np.sqrt(30)
    masing.file(name, "".join(f"{x!r}, {factor * y!r}\n" for x, y in zip(t.tolist(), a.tolist())))


@pytest.mark.parametrize("words", [*CHOICES, ("--cells=50", "--engine=memory", "--scheme=euler")])
def test_a_moving_base_is_a_force(masing, words):
    """-m a_g as F, m a power of two: to the bit. The table of it is in the file."""
    earthquake(masing)
    earthquake(masing, "force.csv", -2)
    scheme = [word for word in ("--scheme=leapfrog",) if "--scheme" not in "".join(words)]
    case = (*words, *scheme, "--mass=2", "--damping=0.1", "--final-time=15", "--steps=3000")
    force = masing.run(*case, "--force=table:force.csv")
    base = masing.run(*case, "--base-acceleration=table:quake.csv", "--force=0")
    assert np.ptp(base["restoring"]) > 0.5  # it yields
    for name in ("t", "x", "y", "force", "restoring"):
        assert np.array_equal(base[name], force[name]), name
    (masing.folder / "quake.csv").unlink()
    masing.done("reproduce", "run.h5", "--quiet")


PATH = "points:0 0; 1 0.4; 2 -0.3; 3 0; 4 0.7; 5 -1.5; 6 2"


@pytest.mark.parametrize(("cells", "down"), [("400", "0.5"), ("400", "0.7-s/5"), ("inf", "0.2"), ("1", "0.2")])
def test_a_slab_that_is_moved_is_clamping_every_cell(masing, cells, down):
    """Through x0 and beyond both extremes, from any initial state; of the continuum where all of it is alike."""
    count = int(cells) if cells != "inf" else 1
    s = (np.arange(count) + 0.5) / count
    u0 = "s-0.5" if count > 1 else "-0.1"
    found = masing.run("--model=masing-quasistatic", "--stiffness=2", "--threshold=0.5", f"--threshold-down={down}",
                       f"--initial-u={u0}", "--k0=0.3", f"--position={PATH}", "--rule=midpoint", f"--cells={cells}",
                       "--final-time=6", "--steps=600", "--sample-every=1", "--field-every=1")
    begin = s - 0.5 if count > 1 else np.array([-0.1])
    u = np.array(list(clamped(found["x"], begin, 0.5, 0.7 - s / 5 if "s" in down else float(down))))
    assert np.max(np.abs(found["restoring"] - (0.3 * found["x"] + 2 * u.mean(axis=1)))) < 1e-13
    assert np.max(np.abs(found["field/u"] - u)) < 1e-13


WIDE = ("--stiffness=exp(-60*s)", "--threshold=0.1+s", "--initial-u=0.5*s", "--k0=0.3", "--force=0.5*cos(0.7*t)",
        "--final-time=40", "--field-every=200", "--steps=4000")


def test_the_virgin_front_is_found_where_k_is_small(masing):
    """k over 26 decades: the cells that have yielded are told by η, not by sums of k."""
    sweep, memory, infinite = (masing.run(*WIDE, *words)["field/u"] for words in (
        ("--cells=1000",), ("--cells=1000", "--engine=memory"), ("--cells=inf", "--field-points=1000")))
    assert np.max(np.abs(memory - sweep)) < 1e-12
    # the rectangle rule for ∫k, and the force with it, is off by 3 %: δs · k(0)/2 of 1/60
    assert np.max(np.abs(infinite - sweep)) < 0.01


def test_one_stiff_cell_does_not_blunt_the_sum_of_the_others(masing):
    """Sums are rounded to a unit that follows the slab's largest force, not its stiffest cell's: u is 1e-7 of η."""
    run = ("--stiffness=1+1e12*exp(-((s-0.5)*2e5)^2)", "--threshold=0.1+s", "--final-time=2e-5", "--y0=1e-3",
           "--force=0", "--scheme=leapfrog", "--cells=200000", "--steps=50")
    sweep, memory = masing.run(*run)["restoring"], masing.run(*run, "--engine=memory")["restoring"]
    assert np.max(np.abs(sweep - memory)) < 1e-8 * np.max(np.abs(memory))


FREE = ("--force=0.3", "--threshold=0.1+s^2")
ONCE, TWICE = ("--steps=2000", "--final-time=20"), ("--steps=4000", "--final-time=40")


def test_a_run_goes_on_from_the_last_field_of_another(masing):
    """With x and y, u is all of the state: under a constant force to the bit, by the sweep."""
    run = (*FREE, "--rule=midpoint")
    whole = masing.run(*run, *TWICE, "--cells=300", "--initial-u=0.05")
    first = masing.run(*run, *ONCE, "--cells=300", "--initial-u=0.05", "--field-every=500")
    (masing.folder / "run.h5").rename(masing.folder / "first.h5")
    again = (*run, *ONCE, "--initial-u=file:first.h5", *(f"--{name}0={float(first[name][-1])!r}" for name in "xy"))
    second = masing.run(*again, "--cells=300")
    assert np.array_equal(second["x"], whole["x"][2000:])
    assert np.array_equal(second["field/u"], whole["field/u"])
    # by turning points to rounding; with other cells and P = ∞ as near as the fields are
    for cells, allowed in (300, 1e-13), (1200, 0.01), ("inf", 0.01):
        other = masing.run(*again, f"--cells={cells}", "--engine=memory")
        assert np.max(np.abs(other["x"] - second["x"])) < allowed
    (masing.folder / "first.h5").unlink()
    masing.done("reproduce", "run.h5")  # its configuration has the field


def test_a_table_is_cut_off_between_its_points_only_by_a_little(masing):
    run = (*FREE, *ONCE)
    masing.file("coarse.csv", "0,0.6\n1,0.6\n")
    assert "|u0| must be <= eta" in masing.refused("simulate", *run, "--cells=300", "--initial-u=table:coarse.csv")
    masing.file("fine.csv", "".join(f"{i / 50},{0.1 + (i / 50) ** 2}\n" for i in range(51)))
    for cells, engine in (("300", "sweep"), ("300", "memory"), ("inf", "memory")):
        found = masing.run(*run, f"--cells={cells}", f"--engine={engine}", "--initial-u=table:fine.csv")
        assert np.all(np.abs(found["field/u"]) <= found["field/eta"])


def test_files_that_have_no_whole_field_are_refused(masing):
    run = ("simulate", *ONCE, FORCED, "--quiet")
    masing.done(*run, "--cells=300", "--field-points=100", "--output=thin.h5")
    masing.done(*run, "--model=prandtl", "--set=k=1", "--set=eta=1", "--output=prandtl.h5")
    masing.done(*run, "--cells=300", "--threshold=1+s", "--output=wide.h5")
    masing.file("text.csv", "0,1")
    for name, said in (("thin.h5", "thin.h5 holds a thinned field; give a file made with field-points = 0"),
                       ("prandtl.h5", "prandtl.h5 has no /field/u; give a file of masing simulate"),
                       ("text.csv", "cannot open text.csv as HDF5"), ("wide.h5", "|u0| must be <= eta")):
        message = masing.refused(*run, "--threshold=0.1+s^2", f"--initial-u=file:{name}")
        assert message.startswith("masing: --initial-u: ") and said in message
