"""Scans over parameters: what their files hold; limit cycles against the runs that come to them (tests/slab and tests/scan
have their closed forms); mistakes."""

import h5py
import numpy as np
import pytest
from result_files import text
from scipy import optimize

GRID = ("--over", "w=0.7:1.3:3", "--over", "F=0.3,0.45", "--force", "F*cos(w*t)", "--k0=0.2", "--cells=inf")
RUNS = (*GRID, "--final-time", "40*2*pi/w", "--steps", "40*400", "--scheme=leapfrog")
COLUMNS = ("most_x", "least_x", "amplitude", "centre", "loss", "secant_stiffness", "damping_ratio")
STEADY = ("period_multiple", "residual", "drift", "frozen")


def points(path):
    """The datasets of /points."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file["points"].items() if name != "messages"}


def scanned(masing, *words, file="masing.h5"):
    """The same of a scan that is made now."""
    masing.done("scan", *words, "--quiet", f"--output={file}")
    return points(masing.folder / file)


@pytest.fixture(scope="module")
def scans(masing_once):
    """The same grid as runs and as limit cycles."""
    scanned(masing_once, *RUNS, "--keep=series", "--sample-every=50", file="runs.h5")
    scanned(masing_once, *GRID, "--steady", file="steady.h5")
    return masing_once.folder


def test_the_file_has_a_row_for_each_point_of_the_grid(scans):
    for name, columns in (("runs", COLUMNS), ("steady", COLUMNS + STEADY)):
        found = points(scans / f"{name}.h5")
        assert np.allclose(found["w"], [0.7, 0.7, 1.0, 1.0, 1.3, 1.3])
        assert np.array_equal(found["F"], [0.3, 0.45] * 3) and not found["status"].any()
        for column in columns:
            assert np.isfinite(found[column]).all(), column
        with h5py.File(scans / f"{name}.h5") as file:
            assert (text(file.attrs["kind"]), text(file["points"].attrs["axes"])) == ("scan", "w F")
    assert found["multiplier_re"].shape == (6, 2)


def test_runs_come_to_the_limit_cycles(scans):
    runs, steady = points(scans / "runs.h5"), points(scans / "steady.h5")
    # leapfrog with 400 steps a period: the square of the step, 2.5e-4 of the size.
    for column in ("most_x", "least_x", "loss", "secant_stiffness", "damping_ratio", "phase"):
        assert np.allclose(runs[column], steady[column], rtol=0, atol=1e-3), column
    assert (steady["period_multiple"] == 1).all() and (steady["residual"] < 1e-11).all()


def test_series_are_kept_where_asked_for(scans):
    with h5py.File(scans / "runs.h5") as file:
        run = file["runs/00005"]
        assert len(file["runs"]) == 6 and len(run["x"]) == len(run["restoring"]) == 9
        assert np.allclose(run["t"], np.linspace(39, 40, 9) * 2 * np.pi / 1.3, rtol=1e-9, atol=0)
        assert np.allclose(run["force"], 0.45 * np.cos(1.3 * run["t"][:]), atol=1e-12)
    with h5py.File(scans / "steady.h5") as file:
        assert "runs" not in file


DRIVEN = {"frozen": ("--force=0.1*cos(0.8*t)", "--threshold=s", "--threshold-down=0.6*s"),
          "strained": ("--force=0.45*cos(0.8*t)", "--threshold=0.5+s", "--initial-u=0.3*s*sin(6*s)"),
          "all": ("--force=0.2*sin(1.6*t)", "--base-acceleration=0.45*cos(0.8*t)", "--damping=0.05", "--mass=1.3",
                  "--threshold-down=0.3+0.2*s", "--initial-u=-0.2*s")}


@pytest.mark.parametrize(("name", "cells"), [("all", "inf"), ("all", "20"), ("strained", "inf"), ("frozen", "50")])
def test_a_limit_cycle_is_the_last_period_of_a_long_exact_run(masing, name, cells):
    """To where transients are below 1e-12: they shrink by the larger multiplier each period, of 2π/0.8."""
    words = ("--over=k0=0.2,0.25", f"--cells={cells}", *DRIVEN[name])
    found = scanned(masing, *words, "--steady", file="steady.h5")
    multiplier = np.hypot(found["multiplier_re"], found["multiplier_im"]).max()
    periods = max(10, int(np.ceil(np.log(1e-12) / np.log(multiplier))))
    long = scanned(masing, *words, "--engine=exact", f"--final-time={periods}*2*pi/0.8", f"--steps={periods}*4000",
                   "--sample-every=1", "--keep=series", file="run.h5")
    assert long["loss"] == pytest.approx(found["loss"], rel=1e-6, abs=1e-12)  # trapezoids: h² of the size
    with h5py.File(masing.folder / "run.h5") as run:
        for i, point in enumerate(("00000", "00001")):
            last = run["runs"][point]
            assert len(last["x"]) == 4001
            # A parabola through three samples, h = 0.002 apart, has an error of h³ max|x‴| / 15 at most, and |x‴| < 4.
            for sign, column in ((1, "most_x"), (-1, "least_x")):
                x = sign * last["x"][:]
                k = np.argmax(x[1:-1]) + 1
                peak = x[k] + (x[k + 1] - x[k - 1]) ** 2 / (8 * (2 * x[k] - x[k - 1] - x[k + 1]))
                assert peak == pytest.approx(sign * found[column][i], rel=0, abs=2e-9), column


def test_a_lag_behind_a_force_without_a_fundamental_is_not_known(masing):
    found = scanned(masing, "--over=k0=0.2,0.3", "--force=0.3*cos(2*t)+0.3*cos(3*t)", "--steady", "--cells=inf")
    assert np.allclose(found["period"], 2 * np.pi)
    assert np.isnan(found["phase"]).all() and np.isfinite(found["amplitude"]).all()


def test_a_drift_to_which_cells_beyond_the_range_of_x_yield_is_found(masing):
    words = ("--over=mass=1,1.1", "--force=0.168+0.441*sin(1.283*t)", "--threshold=0.087+0.745*s^2", "--damping=0.078",
             "--cells=5")
    found = scanned(masing, *words, "--steady", file="steady.h5")
    scanned(masing, *words, "--engine=exact", "--final-time=60*2*pi/1.283", "--steps=60", "--keep=series", file="run.h5")
    # What is left of the transient after 60 periods is below rounding, which grows with x, 16 here.
    with h5py.File(masing.folder / "run.h5") as file:
        drift = [np.ptp(file[f"runs/{point}/x"][[0, -1]]) for point in ("00000", "00001")]
    assert found["drift"] == pytest.approx(drift, rel=0, abs=1e-12)
    assert found["drift"][0] == pytest.approx(0.2679006385, rel=0, abs=1e-10)
    assert np.array_equal(found["frozen"], [0, 0])


def test_cycles_of_a_mass_that_nothing_holds_are_not_unstable(masing):
    """The motion is a contraction."""
    found = scanned(masing, "--over=w=0.4:1.4:11", "--force=0.3*cos(w*t)+0.1*sin(2*w*t)+0.05", "--cells=20",
                    "--damping=0.05", "--steady")
    assert not found["status"].any()
    assert (np.hypot(found["multiplier_re"], found["multiplier_im"]) <= 1 + 1e-6).all()


def test_a_point_without_a_period_fails_alone(masing):
    """cos(0 t) has none; without yielding the other point has X = 0.01/|1 + 1 - 1|."""
    process = masing("scan", "--over=w=0,1", "--force=0.01*cos(w*t)", "--k0=1", "--threshold=1", "--cells=inf", "--steady")
    found = points(masing.folder / "masing.h5")
    assert process.returncode == 1 and "1 of 2 points failed; the first: --steady: no period" in process.stderr
    assert list(found["status"] != 0) == [True, False] and found["amplitude"][1] == pytest.approx(0.01, rel=1e-9)


def test_a_point_that_fails_is_marked_and_the_scan_goes_on(masing):
    process = masing("scan", "--over=mass=1,-1,2", "--force=0", "--final-time=10", "--steps=100", "--cells=10", "--quiet",
                     ranks=2)
    assert process.returncode == 1 and "1 failed" in process.stdout
    found = points(masing.folder / "masing.h5")
    assert np.array_equal(found["status"], [0, 1, 0]) and np.isnan(found["most_x"][1])
    with h5py.File(masing.folder / "masing.h5") as file:
        message = text(file["points/messages"][()])
        assert message.startswith("1: ") and "must be > 0" in message


CHAIN = ("--model=masing-chain", "--set=n=3", "--set=k=1", "--set=eta=1")
LEAPFROG, EXACT, PRANDTL = "--scheme=leapfrog", "--engine=exact", ("--model=prandtl", "--set=eta=1")
CASE = "force = cos(t)\nfinal-time = 10\nsteps = 100\n"
# What a run of CASE is refused for at the second of two values of a.
FAULTS = {
    "leapfrog, mass": ((LEAPFROG, "--mass=a", "--k0=1"), 1, 1e-3, "at least 224 steps"),  # 10/2 √(2/1e-3) = 223.6
    "leapfrog, k0": ((LEAPFROG, "--k0=a"), 1, 999, "at least 159 steps"),  # 5 √1000 = 158.1
    "leapfrog, steps": ((LEAPFROG, "--steps=a", "--mass=1e-2"), 51, 49, "at least 50 steps"),
    "leapfrog, stiffness": ((LEAPFROG, "--stiffness=a*(2-s)", "--cells=inf"), 1, 1e3, "at least 194 steps"),  # 5 √1500
    "leapfrog, one cell": ((LEAPFROG, "--stiffness=a*s^9", "--cells=1"), 399, 401, "at least 101 steps"),
    "euler, damping": (("--damping=a",), 1, 21, "at least 105 steps"),
    "chain, leapfrog": ((*CHAIN, "--set=m=a"), 1, 1e-3, "leapfrog is unstable"),
    "chain, euler": ((*CHAIN, "--scheme=euler", "--set=m=1", "--set=c_ground=a"), 1, 21, "at least 105 steps"),
    "range": (("--mass=a",), 1, -1, "must be > 0"),
    "window": (("--from=a",), 1, 11, "[0, T]"),
    "threshold": (("--threshold=s-a",), -0.1, 0.1, "eta(s) = -0.0993"),
    "initial u": (("--initial-u=a*s",), 0.5, 1.5, "u0(s)"),
    "force": (("--force=log(t-a)",), -1, 1, "F(t)"),
    "overflow": (("--stiffness=1e-3", "--k0=a"), 1, 1e9, "the step is too large"),
    "memory": (("--cells=a",), 10, 1e14, "need at least"),
    "breaks": ((EXACT, "--force=square(a*t)"), 1, 1e9, "10^7 corners"),
    "parameters": ((*PRANDTL, "--set=k=a"), 1, -1, "must be"),
    "elements": (("--model=discrete-masing", "--set=k=1", "--set=eta=1", "--set=n=a", EXACT), 2, 2001, "at most 2000"),
}


@pytest.mark.parametrize("words, right, wrong, said", FAULTS.values(), ids=FAULTS)
def test_a_point_fails_for_what_a_run_is_refused_for(masing, words, right, wrong, said):
    """Wherever it stands; the other points are computed."""
    masing.file("case.ini", CASE)
    line = masing.refused("simulate", "--config=case.ini", "--quiet", *words, f"--let=a={wrong}")
    assert said in line
    for values, status in ((f"{right},{wrong},{right}", [0, 1, 0]), (f"{wrong},{right}", [1, 0])):
        process = masing("scan", "--config=case.ini", "--quiet", *words, f"--over=a={values}")
        fault = line.removeprefix("masing: ").partition(" may be used")[0][:-9]  # the memory that is free may change
        assert process.returncode == 1 and f"1 of {len(status)} points failed; the first: {fault}" in process.stderr
        assert np.array_equal(points(masing.folder / "masing.h5")["status"], status)


@pytest.mark.parametrize("words, right, wrong, said", [
    (("--mass=a",), 1, 1e-2, "lets an elastic oscillation grow"),
    ((LEAPFROG, "--base-acceleration=table:r.csv", "--final-time=a"), 2, 4, "before T"),
    ((*CHAIN, "--set=m=1", "--force=a*sin(t)"), 0.01, 9, "has reached its strength")])
def test_a_scan_tells_what_runs_would_warn_of(masing, words, right, wrong, said):
    masing.file("case.ini", CASE)
    masing.file("r.csv", "0 0\n1 1\n3 0\n")
    warning, = [line for line in masing.done("simulate", "--config=case.ini", *words, f"--let=a={wrong}").stderr.splitlines()
                if "masing warning: " in line]
    assert said in warning
    process = masing.done("scan", "--config=case.ini", *words, f"--over=a={right},{wrong},{right}")
    last = [line for line in process.stderr.splitlines() if "masing warning: " in line][-1]
    assert last.endswith("1 of 3 points have warnings; the first: " + warning.removeprefix("masing warning: "))


def test_a_point_that_fails_says_which_option_is_at_fault(masing):
    masing.file("case.ini", "threshold = s+c\n")
    for word, place in (("--threshold=s+c", "--threshold"), ("--config=case.ini", "case.ini line 1, threshold")):
        said = masing("scan", "--over=c=0.2,-1", "--force=0", "--final-time=5", "--steps=100", "--cells=5", "--quiet",
                      word).stdout
        assert f"failed: {place}: eta(s) = -0.8" in said


def test_a_table_that_repeats_itself_is_periodic(masing):
    zigzag = [(0.5 * i, 0.4 * (i % 2)) for i in range(17)]
    masing.file("force.csv", "\n".join(f"{t} {f}" for t, f in zigzag))
    words = ("--over=k0=0.2,0.3", "--steady", "--cells=inf")
    table, wave = (scanned(masing, *words, *force) for force in (
        ("--force=table:force.csv", "--period=1"), ("--force=0.2+0.2*triangle(t-0.25)",)))
    for column in COLUMNS:
        assert np.allclose(table[column], wave[column], rtol=1e-9, atol=1e-12), column
    masing.file("force.csv", "\n".join(f"{t} {f}" for t, f in zigzag[:7]))
    assert "--period: F(t + 1) is not F(t)" in masing.refused("scan", *words, "--force=table:force.csv", "--period=1")


def test_what_is_printed_is_the_same_scan(masing):
    words = ("scan", *GRID, "--let", "T=2*pi/w", "--final-time", "40*T", "--steady")
    printed = masing.done(*words, "--print-config").stdout
    for line in ("force = F*cos(w*t)", "[over]", "w = 0.7:1.3:3", "F = 0.3,0.45", "steady = true"):
        assert line in printed
    masing.file("scan.ini", printed)
    assert masing.done("scan", "--config=scan.ini", "--print-config").stdout == printed
    assert masing.names() == ["scan.ini"]


def test_parameters_of_other_models_are_scanned(masing):
    words = ("--model=prandtl", "--set=k=1", "--set=eta=0.5", "--over=eta=0.3,0.5,0.9", "--force=0.4*cos(t)",
             "--final-time", "30*2*pi", "--steps=30*3000")
    steps, exact = scanned(masing, *words), scanned(masing, *words, "--engine=exact")
    assert np.array_equal(exact["eta"], [0.3, 0.5, 0.9]) and len(set(exact["amplitude"])) == 3
    assert np.allclose(steps["amplitude"], exact["amplitude"], rtol=0, atol=0.02)  # first order: h = 0.002


PULSE = "--force=0.3*cos(t)+40*exp(-((t-100)/0.01)^2)"  # periodic for 15 periods


@pytest.mark.parametrize("words, said", [
    ((), ["--over", "nothing to scan", "NAME=first:last:count"]),
    (("--over=w=1:2",), ["--over w", "'1:2'"]), (("--over=w=-1:2:3:log",), ["--over w", "crosses 0"]),
    (("--over=mass=1:2:2000", "--over=k0=1:2:2000", "--force=0"), ["--over", "4000000 points; at most 1000000"]),
    (("--over=mass=1:2:1000000", "--force=0", "--keep=series", "--sample-every=1", "--steps=1e12", "--validate-only"),
     ["--over: 1000000 points need", "of memory"]),
    (("--over=mass=1,2", "--steady", "--force=exp(-t)"), ["--steady", "--period"]),
    (("--over=mass=1,2", "--steady", "--period=3", "--force=cos(t)"), ["--period", "F(t + 3) is not F(t)"]),
    (("--over=mass=1,2", "--steady", PULSE), ["--steady", "no period", "a*t+b"]),
    (("--over=mass=1,2", "--steady", PULSE, "--period=2*pi"), ["--period", "is not F(t)", "a*t+b"]),
    (("--over=k0=1,2", "--steady", PULSE.replace("force", "base-acceleration")), ["--steady", "no period", "a*t+b"]),
    (("--over=w=1,2", "--steady", "--force=cos(w*t)+cos(sqrt(2)*t)"), ["--steady", "common period"]),
    (("--over=mass=1,2", "--steady", "--force=cos(t)", "--engine=sweep"), ["--steady", "exact"]),
    (("--over=k0=1,2", "--steady", "--damping=-1"), ["--damping", ">= 0"]),
    (("--over=k=1,2", "--model=prandtl", "--set=eta=1", "--steady"), ["steady", "prandtl"]),
    (("--over=mass=1,2", "--steady", "--keep=series", "--force=cos(t)"), ["--keep: limit cycles are no runs and have no series"])])
def test_mistakes_are_refused(masing, words, said):
    message = masing.refused("scan", *words)
    assert all(part in message for part in said) and masing.names() == [], message


@pytest.mark.parametrize(("outer", "words"), [
    ("a", ("--threshold=0.3", "--threshold-down=a", "--cells=inf", "--engine=memory", "--over=mass=1,1.3",
           "--force=0.45*cos(0.5*t)", "--final-time=20", "--steps=500")),
    ("a", ("--threshold=0.3", "--threshold-down=a", "--force=0.4*cos(w*t)", "--k0=0.2", "--cells=inf", "--steady",
           "--over=w=1.5:1.8:3"))])
def test_a_line_of_points_does_not_depend_on_the_line_before(masing, outer, words):
    """The measure of other thresholds is not used again."""
    there, back = (scanned(masing, f"--over={outer}={values}", *words)
                   for values in ("0.2,0.3,0.45,0.6", "0.6,0.45,0.3,0.2"))
    for name in ("least_x", "most_x", "loss", "centre"):
        assert np.array_equal(there[name].reshape(4, -1), back[name].reshape(4, -1)[::-1], equal_nan=True), name


def half_cycle(amplitude, lag, force, k0, eta):
    """x and y half a period after the maximum of x on one slider, k = m = 1, under force cos(√k0 t + lag).

    The slider yields when x has fallen by 2 eta. Both equations of motion are linear.
    """
    w, elastic = np.sqrt(k0), np.sqrt(k0 + 1)
    middle = (amplitude - eta) / (k0 + 1)
    a, b = amplitude - middle - force * np.cos(lag), force * w * np.sin(lag) / elastic

    def first(t):
        return (middle + a * np.cos(elastic * t) + b * np.sin(elastic * t) + force * np.cos(w * t + lag),
                elastic * (b * np.cos(elastic * t) - a * np.sin(elastic * t)) - force * w * np.sin(w * t + lag))

    def forced(t):
        return (force / (2 * w) * t * np.sin(w * t + lag),
                force / (2 * w) * (np.sin(w * t + lag) + w * t * np.cos(w * t + lag)))

    times = np.linspace(0, np.pi / w, 10001)
    after = np.argmax(first(times)[0] < amplitude - 2 * eta)
    event = optimize.brentq(lambda t: first(t)[0] - amplitude + 2 * eta, *times[after - 1:after + 1], xtol=1e-15)
    (x, y), (fx, fy), (gx, gy), t = first(event), forced(event), forced(np.pi / w), np.pi / w - event
    x, y = x - eta / k0 - fx, (y - fy) / w
    return (eta / k0 + x * np.cos(w * t) + y * np.sin(w * t) + gx, w * (y * np.cos(w * t) - x * np.sin(w * t)) + gy)


def test_near_its_resonance_a_cycle_is_found_or_told_to_be_unbounded(masing):
    """The slider takes 4 k eta X a period, and F gives it up to π F X: there is no cycle from F = 4 k eta/π on."""
    done = masing("scan", "--over=F=0.636,0.6366,0.637", "--force=F*cos(sqrt(0.2)*t)", "--k0=0.2", "--threshold=0.5",
                  "--cells=1", "--steady")
    assert done.returncode == 1 and "the amplitude grows for ever" in done.stdout + done.stderr
    found = points(masing.folder / "masing.h5")
    for force, amplitude in zip(found["F"][:2], found["amplitude"]):
        def missed(x, force=force):
            lag = optimize.brentq(lambda lag: half_cycle(x, lag, force, 0.2, 0.5)[1], 1, np.pi / 2, xtol=1e-15)
            return half_cycle(x, lag, force, 0.2, 0.5)[0] + x

        assert amplitude == pytest.approx(optimize.brentq(missed, 0.9 * amplitude, 1.1 * amplitude), rel=1e-7)


def test_a_point_that_is_resumed_keeps_its_extremes(masing):
    """The motion decays, so that its extremes lie before the stop."""
    words = ("scan", "--over=w=1", "--force=cos(w*t)*exp(-t/20)", "--cells=inf", "--engine=memory", "--from=0",
             "--final-time=400", "--steps=20000000", "--quiet", "--output=new.h5")
    masing.done(*words)
    whole = points(masing.folder / "new.h5")
    (masing.folder / "new.h5").unlink()
    assert masing(*words, "--checkpoint=c.h5", "--wall-limit=0.3").returncode == 75
    masing.done(*words, "--checkpoint=c.h5", "--restart=c.h5")
    resumed = points(masing.folder / "new.h5")
    for name in ("least_x", "most_x", "amplitude", "last_x", "most_speed", "most_restoring", "loss"):
        assert np.array_equal(resumed[name], whole[name]) and np.isfinite(whole[name]), name
