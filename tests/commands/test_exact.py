"""The exact solution, P = ∞ and the second-order scheme as a user meets them: figures that
independent programs agree on, and what a study prints and writes for each reference."""

import re

import h5py
import numpy as np
import pytest
from result_files import contents, text

SERIES = ("t", "x", "y", "force", "restoring")


def series(masing, *words):
    """The series of a run of the papers' case."""
    masing.done("simulate", *words, "--quiet", "--output=run.h5")
    with h5py.File(masing.folder / "run.h5") as file:
        return {name: file[f"series/{name}"][:] for name in SERIES}


@pytest.fixture(scope="module")
def truth(masing_once):
    """The papers' case, exact in t, at 10,001 times: of the continuum and of its 1500 cells."""
    case = ("--engine=exact", "--steps=10000")
    return {cells: series(masing_once, *case, f"--cells={cells}") for cells in ("inf", "1500")}


# two independent event-driven programs agree on these digits
@pytest.mark.parametrize(("cells", "x"), [("inf", -1.8628145429), ("1500", -1.8551603990)])
def test_x_at_500_is_what_other_programs_find(truth, cells, x):
    assert truth[cells]["t"][-1] == 500
    assert abs(truth[cells]["x"][-1] - x) < 1e-9


def test_the_papers_finest_case_and_one_that_is_nearer(masing, truth):
    """A hundredth of the work, tens of times more accurate."""
    papers = series(masing, "--engine=memory")
    second = series(
        masing, "--scheme=leapfrog", "--rule=midpoint", "--steps=20000", "--sample-every=2"
    )
    exact = truth["inf"]
    error = {}
    for name, run in (("papers", papers), ("second", second)):
        assert np.array_equal(run["t"], exact["t"])
        error[name] = np.max(np.abs(run["x"] - exact["x"]))
    assert 3e-3 < error["papers"] < 8e-3
    assert 20 * error["second"] < error["papers"]


def test_the_exact_solution_gets_through_many_cycles(masing):
    """On a limit cycle, reversals and corners of the memory coincide."""
    said = masing.done(
        *("simulate", "--engine=exact", "--cells=inf", "--final-time=5000", "--steps=1000"),
        "--quiet",
    ).stdout
    difference = float(re.search(r"two methods agree to (\S+) in x and y", said).group(1))
    assert difference < 1e-10
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["series/t"][-1] == 5000
        assert np.max(np.abs(file["series/restoring"])) <= 0.6 + 1e-14


class PapersSlab:
    """S(x) of k = 1, η = s + 0.1, P = ∞, u0 = 0, in closed form from the turning points."""

    def __init__(self):
        self.legs, self.x, self.direction, self.force = [], 0.0, 1, 0.0

    def force_at(self, x):
        travel = self.direction * (x - (self.legs[-1][0] if self.legs else 0.0))
        eta = min(max(travel / 2 if self.legs else travel, 0.1), 1.1)
        K, M = eta - 0.1, 0.5 * (eta - 0.1) * (eta + 0.1)
        if not self.legs:
            return x * (1 - K) + self.direction * M
        start, _, force = self.legs[-1]
        return force + (x - start) * (1 - K) + 2 * self.direction * M

    def move(self, x):
        if (x - self.x) * self.direction < 0:
            if self.x != 0:
                self.legs.append((self.x, self.legs[-1][0] if self.legs else -self.x, self.force))
            self.direction = -self.direction
        while self.legs and self.direction * (x - self.legs[-1][1]) >= 0:
            del self.legs[-2:]
        self.x, self.force = x, self.force_at(x)


def verlet(force, times):
    """x at the times, by velocity Verlet that splits the step in which the mass turns."""
    slab, x, y, found = PapersSlab(), 0.0, 0.0, [0.0]
    for t, h in zip(times[:-1], np.diff(times)):
        a = force(t) - slab.force
        if a != 0 and 0 < -y / a < h:
            slab.move(x - y * y / (2 * a))
        x += h * y + h * h / 2 * a
        slab.move(x)
        y += h / 2 * (a + force(t + h) - slab.force)
        found.append(x)
    return np.array(found)


def test_no_pulse_of_the_force_is_stepped_over(masing, long):
    """Against velocity Verlet with steps of 1e-3, and of a 250th of the width in the pulse."""
    random = np.random.default_rng(14)
    pulses = [(9000.0, 24.452190389173175, 0.00011110436626244099, 0.7)]
    for _ in range(60 if long else 2):
        width = 10 ** random.uniform(-4, -2)
        pulses.append((random.uniform(-1.5, 1.5) / width, random.uniform(2, 28), width, random.uniform(0.4, 1.2)))
    for size, centre, width, omega in pulses:
        text = f"0.3*sin({omega!r}*t)+{size!r}*exp(-((t-{centre!r})/{width!r})^2)"
        run = series(masing, *("--engine=exact", "--cells=inf", "--final-time=30", "--steps=60"), f"--force={text}")
        ends = (0, centre - 6 * width, centre + 6 * width, 30)
        times = np.unique(np.concatenate([np.linspace(a, b, n) for a, b, n in zip(ends, ends[1:], (20000, 3000, 20000))]))
        x = verlet(lambda t: 0.3 * np.sin(omega * t) + size * np.exp(-(((t - centre) / width) ** 2)), times)
        # second order in steps of 1.5e-3: some 1e-6 times T
        assert np.max(np.abs(np.interp(run["t"], times, x) - run["x"])) < 1e-4, text


def test_a_pulse_on_a_mass_at_rest_is_its_impulse(masing):
    """From rest with velocity V, ½V² = ∫₀ˣ B at the first peak: here while nothing slides, x = V."""
    pulse = "0.09/1e-9/sqrt(pi)*exp(-((t-7.654321)/1e-9)^2)"
    run = series(masing, "--engine=exact", "--cells=inf", "--final-time=20", "--steps=2000", f"--force={pulse}")
    quiet = run["t"] < 7.6543
    assert np.all(run["x"][quiet] == 0)
    swing = 0.09 * np.sin(run["t"][~quiet] - 7.654321)
    # a time at 7 is known to a millionth of the width of the pulse
    assert np.max(np.abs(run["x"][~quiet] - swing)) < 1e-7


def test_a_force_smooth_nowhere_is_refused(masing):
    said = masing.refused("simulate", "--engine=exact", "--cells=5", "--force=sin(1e17*t)", "--quiet")
    assert "resolve" in said


def test_steps_of_the_exact_solution_are_only_samples(masing, truth):
    few = series(masing, "--engine=exact", "--cells=inf", "--steps=500")
    every = slice(None, None, 20)
    assert np.array_equal(few["t"], truth["inf"]["t"][every])
    for name in ("x", "y", "restoring"):
        assert np.max(np.abs(few[name] - truth["inf"][name][every])) < 1e-11, name


@pytest.mark.parametrize(
    ("force", "breaks"),
    [("abs(cos(t))", "1.5707963267948966,4.71238898038469"), ("t < 3 ? 0.5 : -0.2", "3")],
)
def test_breaks_allow_a_force_that_is_not_smooth(masing, force, breaks):
    case = (f"--force={force}", "--final-time=6", "--cells=10")
    exact = series(masing, *case, "--engine=exact", "--steps=10", f"--breaks={breaks}")
    near = series(masing, *case, "--scheme=leapfrog", "--steps=60000", "--sample-every=6000")
    # A jump of F inside a step costs δt; here it lies on one, and F(3) is the later value.
    assert np.max(np.abs(exact["x"] - near["x"])) < 2e-4
    assert np.max(np.abs(exact["x"])) > 0.3


@pytest.mark.parametrize("engine", ["memory", "exact"])
def test_the_continuum_has_a_field(masing, engine):
    words = ("--cells=inf", f"--engine={engine}", "--steps=400", "--final-time=20", "--quiet")
    run = (*words, "--field-points=300", "--field-every=100", "--probe=0,0.25,1")
    masing.done("simulate", *run, "--output=1.h5")
    masing.done("simulate", *run, "--output=3.h5", ranks=3)
    assert contents(masing.folder / "3.h5") == contents(masing.folder / "1.h5")
    with h5py.File(masing.folder / "1.h5") as file:
        s, u, eta = (file[f"field/{name}"][:] for name in ("s", "u", "eta"))
        assert u.shape == (5, 300)
        assert np.allclose(s, np.arange(1, 301) / 300, rtol=0, atol=1e-15)
        assert np.allclose(eta, s + 0.1, rtol=0, atol=1e-15)
        assert np.all(np.abs(u) <= eta)
        assert "cells = inf\n" in text(file["configuration"][()])
        assert "engine = memory\n" in text(file["configuration"][()]) or engine == "exact"
        assert file["probe/u"].shape == (401, 3)


# words of the study → what must be printed, and the attributes of /fit that must be there
STUDIES = {
    "exact": (
        ("--cells=inf", "--levels=1000,2000,4000"),
        ["reference: the exact solution (checks itself to", "(fit of 3 levels)", "inf"],
        {"x": 1, "y": 1, "u": 1},
    ),
    "exact-time": (
        ("--cells=30", "--levels=1000,2000,4000"),
        ["reference: the exact solution at the same P (checks itself to", "(fit of 3 levels)"],
        {"x": 1, "y": 1, "u": 1},
    ),
    "cells-inf": (
        ("--refine=cells", "--steps=500", "--levels=100,200,400"),
        ["reference: P = inf at the same N", "(fit of 3 levels)"],
        {"x": 1, "y": 1, "u": 1},
    ),
    "finest": (
        ("--cells=30", "--levels=1000,2000,4000"),
        ["reference P = 30, N = 64000", "x(T) extrapolated", "grid convergence index"],
        {"x": 1, "y": 1, "u": 1},
    ),
    "successive": (
        ("--cells=30", "--levels=1000,2000,4000,8000"),
        ["differences of successive levels", "x(T) extrapolated", "grid convergence index"],
        {"x": 1, "y": 1, "u": 1},
    ),
}


@pytest.mark.parametrize("reference", STUDIES)
def test_a_study_says_and_writes_what_it_found(masing, reference):
    words, said, orders = STUDIES[reference]
    printed = masing.done(
        *("converge", *words, f"--reference={reference}", "--final-time=10"),
        *("--field-samples=20", "--quiet"),
    ).stdout
    for part in said:
        assert part in printed
    with h5py.File(masing.folder / "masing.h5") as file:
        fit, cases = file["fit"].attrs, file["cases"]
        levels = len(cases["steps"])
        compared = levels - (1 if reference == "successive" else 0)
        assert text(fit["reference"]) == reference
        assert text(fit["verdict"]) == "as expected"
        for quantity in ("x", "y", "u", "u_cells"):
            assert np.array_equal(cases[f"mark_{quantity}"], [0] * compared + [3] * (levels - compared))
            assert fit[f"levels_{quantity}"] == compared
            assert fit[f"observed_{quantity}"] == fit[f"order_{quantity}"]
            assert abs(fit[f"order_{quantity}"] - 1) < 0.05
            assert 0 < fit[f"order_uncertainty_{quantity}"] < 0.3
            # error ≈ C hᵖ at the finest level; against a run 16 times finer, less by a sixteenth
            step = cases["ds" if reference == "cells-inf" else "dt"][compared - 1]
            model = fit[f"constant_{quantity}"] * step ** fit[f"order_{quantity}"]
            share = {"finest": 15 / 16, "successive": 1 / 2}.get(reference, 1)
            error = cases[f"error_{quantity}"][compared - 1]
            assert abs(error / (share * model) - 1) < 0.05
            assert np.isnan(fit[f"space_constant_{quantity}"])
        assert {q for q in ("x", "y", "u", "u_cells") if f"expected_{q}" in fit} == set(orders)
        assert ("self_check" in fit) and (fit["self_check"] > 0) == reference.startswith("exact")
        said = text(fit["reference_explanation"])
        assert bool(said) == (reference not in ("finest", "successive"))
        assert (f"at most {fit['self_check']:.0e}" in said) == reference.startswith("exact")
        assert ("richardson_x" in fit) == (reference in ("finest", "successive"))
        assert ("reference_steps" in fit) == (reference == "finest")
        if "--cells=inf" in words:
            assert np.array_equal(cases["cells"], [0, 0, 0])
            assert np.array_equal(cases["ds"], [0, 0, 0])


def test_a_study_of_both_writes_the_two_constants(masing):
    levels = "50:10000,100:10000,100:20000,200:20000,200:40000"
    words = ("--refine=both", f"--levels={levels}", "--reference=exact", "--engine=memory")
    printed = masing.done("converge", *words, "--final-time=10", "--quiet").stdout
    assert re.search(r"error = \(.* \+- .*\) ds \+ \(.* \+- .*\) dt for ds/dt from 10 to 20", printed)
    with h5py.File(masing.folder / "masing.h5") as file:
        fit, cases = file["fit"].attrs, file["cases"]
        space, time = fit["space_constant_x"], fit["time_constant_x"]
        model = space * cases["ds"][:] + time * cases["dt"][:]
        assert np.all(np.abs(model / cases["error_x"][:] - 1) < 0.1)
        assert 0 < fit["space_constant_uncertainty_x"] < abs(space)
        assert 0 < fit["time_constant_uncertainty_x"] < abs(time)
        assert np.allclose((fit["least_ratio_x"], fit["largest_ratio_x"]), (10, 20))  # δs/δt = N/PT
        assert np.isclose(fit["order_x"], 1, atol=0.1)


def test_levels_left_out_are_marked(masing):
    """A stiff spring makes explicit Euler grow by exp(25 δt) on coarse grids."""
    printed = masing.done(
        *("converge", "--k0=4", "--cells=inf", "--reference=exact", "--final-time=10"),
        *("--levels=50,100,10000,20000,40000", "--expect-order=x=1,y=1", "--quiet"),
    ).stdout
    assert re.search(r"^ +inf +50 +\S+<", printed, re.MULTILINE)
    assert "< left out of the fit: before the asymptotic range" in printed
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.array_equal(file["cases/mark_x"], [1, 1, 0, 0, 0])
        assert file["fit"].attrs["levels_x"] == 3


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "x=1,y=1,u=1"),
        (["--scheme=leapfrog"], "x=2,y=2,u=2"),
        (["--rule=midpoint"], "x=1,y=1,u=1"),
        (["--rule=midpoint", "--refine=cells"], "x=2,y=2,u=1"),
        (["--rule=midpoint", "--refine=cells", "--reference=cells-inf"], "x=2,y=2,u=1,u_cells=2"),
        (["--scheme=leapfrog", "--refine=cells"], "x=1,y=1,u=1"),
        (["--scheme=leapfrog", "--refine=both"], "x>=1,y>=1,u>=1"),
        (["--scheme=leapfrog", "--rule=midpoint", "--refine=both"], "x=2,y=2,u>=1"),
        (["--scheme=leapfrog", "--rule=midpoint", "--refine=both", "--reference=exact"], "x=2,y=2,u>=1,u_cells=2"),
        (["--scheme=leapfrog", "--expect-order=1"], "1"),
    ],
)
def test_the_orders_expected_are_those_that_scheme_and_rule_promise(masing, words, expected):
    printed = masing.done("converge", *words, "--print-config").stdout
    assert f"\nexpect-order = {expected}\n" in printed


def test_leapfrog_and_midpoint_keep_their_promise(masing):
    masing.done(
        *("converge", "--scheme=leapfrog", "--cells=inf", "--reference=exact", "--final-time=10"),
        *("--levels=200,400,800,1600", "--quiet"),
    )
    masing.done(
        *("converge", "--rule=midpoint", "--refine=cells", "--reference=cells-inf", "--steps=1000"),
        *("--final-time=30", "--levels=50,100,200,400,800,1600", "--order-tolerance=0.5", "--quiet"),
    )
    process = masing(
        *("converge", "--cells=inf", "--reference=exact", "--final-time=10", "--expect-order=2"),
        *("--levels=1000,2000,4000", "--quiet"),
    )
    assert process.returncode == 3, "euler is of order one"
