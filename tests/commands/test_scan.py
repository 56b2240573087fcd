"""Scans over parameters: what their files hold; limit cycles against the runs that come to them; closed curves against
limit cycles; mistakes."""

import h5py
import numpy as np
import pytest
from result_files import text

GRID = ("--over", "w=0.7:1.3:3", "--over", "F=0.3,0.45", "--force", "F*cos(w*t)", "--k0=0.2", "--cells=inf", "--quiet")
RUNS = (*GRID, "--final-time", "40*2*pi/w", "--steps", "40*400", "--scheme=leapfrog")
COLUMNS = ("most_x", "least_x", "amplitude", "centre", "loss", "secant_stiffness", "damping_ratio")
STEADY = ("period_multiple", "residual", "drift", "frozen")


def points(path):
    """The datasets of /points."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file["points"].items() if name != "messages"}


@pytest.fixture(scope="module")
def scans(masing_once):
    """The same grid as runs and as limit cycles."""
    masing_once.done("scan", *RUNS, "--keep=series", "--sample-every=50", "--output=runs.h5")
    masing_once.done("scan", *GRID, "--steady", "--output=steady.h5")
    return masing_once.folder


def test_the_file_has_a_row_for_each_point_of_the_grid(scans):
    for name, columns in (("runs", COLUMNS), ("steady", COLUMNS + STEADY)):
        found = points(scans / f"{name}.h5")
        assert np.allclose(found["w"], [0.7, 0.7, 1.0, 1.0, 1.3, 1.3])
        assert np.array_equal(found["F"], [0.3, 0.45] * 3)
        assert np.array_equal(found["status"], np.zeros(6))
        for column in columns:
            assert np.isfinite(found[column]).all(), column
        with h5py.File(scans / f"{name}.h5") as file:
            assert text(file.attrs["kind"]) == "scan"
            assert text(file["points"].attrs["axes"]) == "w F"
            assert all(file["points"][column].attrs["description"] for column in columns)
    assert found["multiplier_re"].shape == (6, 2)


def test_runs_come_to_the_limit_cycles(scans):
    runs, steady = points(scans / "runs.h5"), points(scans / "steady.h5")
    # leapfrog with 400 steps a period: the square of the step, 2.5e-4 of the size.
    for column in ("most_x", "least_x", "loss", "secant_stiffness", "damping_ratio", "phase"):
        assert np.allclose(runs[column], steady[column], rtol=0, atol=1e-3), column
    assert np.array_equal(steady["period_multiple"], np.ones(6))
    assert (steady["residual"] < 1e-11).all()


def test_series_are_kept_where_asked_for(scans):
    with h5py.File(scans / "runs.h5") as file:
        assert len(file["runs"]) == 6
        run = file["runs/00005"]
        tau = 2 * np.pi / 1.3
        assert run["t"][0] >= 39 * tau * (1 - 1e-9)
        assert run["t"][-1] == pytest.approx(40 * tau)
        assert np.allclose(run["force"], 0.45 * np.cos(1.3 * run["t"][:]), atol=1e-12)
        assert len(run["x"]) == len(run["restoring"]) == len(run["t"]) == 9
    with h5py.File(scans / "steady.h5") as file:
        assert "runs" not in file


DRIVEN = {"frozen": ("--force=0.1*cos(0.8*t)", "--threshold=s", "--threshold-down=0.6*s"),
          "strained": ("--force=0.45*cos(0.8*t)", "--threshold=0.5+s", "--initial-u=0.3*s*sin(6*s)"),
          "all": ("--force=0.2*sin(1.6*t)", "--base-acceleration=0.45*cos(0.8*t)", "--damping=0.05", "--mass=1.3",
                  "--threshold-down=0.3+0.2*s", "--initial-u=-0.2*s")}


def long_run(masing, words, past="rest", samples=4000):
    """The numbers of limit cycles with their series, steady.h5, and an exact run to where their transients are below
    1e-12, run.h5: the transient shrinks by the larger multiplier each period, of 2π/0.8."""
    words = ("scan", *words, "--keep=series", "--quiet")
    masing.done(*words, "--steady", f"--past={past}", "--output=steady.h5")
    steady = points(masing.folder / "steady.h5")
    multiplier = np.hypot(steady["multiplier_re"], steady["multiplier_im"]).max()
    periods = max(10, int(np.ceil(np.log(1e-12) / np.log(multiplier))))
    masing.done(*words, "--engine=exact", f"--final-time={periods}*2*pi/0.8", f"--steps={periods}*{samples}",
                "--sample-every=1", "--output=run.h5")
    return steady


@pytest.mark.parametrize(("name", "cells"), [("all", "inf"), ("strained", "inf"), ("frozen", "50")])
def test_a_limit_cycle_is_where_a_long_exact_run_ends(masing, name, cells):
    steady = long_run(masing, ("--over=k0=0.2", f"--cells={cells}", *DRIVEN[name]))
    with h5py.File(masing.folder / "run.h5") as file:
        x = file["runs/00000/x"][:]
    # A parabola through three samples, h = 0.002 apart, has an error of h³ max|x‴| / 15 at most, and |x‴| < 4.
    for sign, column in ((1, "most_x"), (-1, "least_x")):
        i = np.argmax(sign * x[1:-1]) + 1
        slope, bend = (x[i + 1] - x[i - 1]) / 2, x[i + 1] - 2 * x[i] + x[i - 1]
        assert x[i] - slope**2 / (2 * bend) == pytest.approx(steady[column][0], rel=0, abs=2e-9), column
    loss = points(masing.folder / "run.h5")["loss"]
    assert loss == pytest.approx(steady["loss"], rel=1e-6, abs=1e-12)  # trapezoids: h² of the size


@pytest.mark.parametrize("past", ["rest", "point"])
def test_the_series_of_a_limit_cycle_is_that_of_the_last_period_of_a_long_exact_run(masing, past):
    long_run(masing, ("--over=k0=0.2,0.25", "--cells=20", *DRIVEN["all"]), past, samples=400)
    with h5py.File(masing.folder / "steady.h5") as steady, h5py.File(masing.folder / "run.h5") as run:
        for point in ("00000", "00001"):
            cycle, last = steady["runs"][point], run["runs"][point]
            assert np.allclose(cycle["t"], np.arange(401) * 2 * np.pi / 0.8 / 400, rtol=1e-13, atol=0)
            for name in ("x", "y", "force", "restoring"):
                assert len(last[name]) == 401
                assert np.allclose(cycle[name], last[name], rtol=0, atol=1e-9), name


def test_a_lag_behind_a_force_without_a_fundamental_is_not_known(masing):
    masing.done("scan", "--over=k0=0.2,0.3", "--force=0.3*cos(2*t)+0.3*cos(3*t)", "--steady", "--cells=inf", "--quiet")
    found = points(masing.folder / "masing.h5")
    assert np.allclose(found["period"], 2 * np.pi)
    assert np.isnan(found["phase"]).all()
    assert np.isfinite(found["amplitude"]).all()


def test_closed_curves_are_what_limit_cycles_lose(masing, scans):
    steady = points(scans / "steady.h5")
    # Of cycles that are symmetric, without cells that do not yield.
    chosen = np.flatnonzero((steady["frozen"] == 0) & (np.abs(steady["centre"]) < 1e-9))
    assert len(chosen) > 0
    amplitudes = ",".join(f"{x:.17g}" for x in steady["amplitude"][chosen])
    masing.done("scan", "--backbone", f"X={amplitudes}", "--k0=0.2", "--cells=inf")
    closed = points(masing.folder / "masing.h5")
    for column in ("loss", "secant_stiffness", "damping_ratio", "restoring_amplitude"):
        assert np.allclose(closed[column], steady[column][chosen], rtol=1e-8), column


@pytest.mark.parametrize("past", ["rest", "point"])
def test_a_drift_to_which_cells_beyond_the_range_of_x_yield_is_found(masing, past):
    words = ("--force=0.168+0.441*sin(1.283*t)", "--threshold=0.087+0.745*s^2", "--damping=0.078", "--cells=5",
             "--quiet")
    steady = ("--steady", f"--past={past}", "--keep=series", "--output=steady.h5")
    masing.done("scan", "--over=mass=1,1.1", *words, *steady)
    found = points(masing.folder / "steady.h5")
    with h5py.File(masing.folder / "steady.h5") as file:  # the series goes on where it drifts
        assert np.ptp(file["runs/00000/x"][[0, -1]]) == pytest.approx(found["drift"][0], rel=0, abs=1e-12)
    for i, mass in enumerate((1, 1.1)):
        masing.done("simulate", *words, f"--mass={mass}", "--engine=exact", "--final-time=60*2*pi/1.283", "--steps=60",
                    "--output=run.h5")
        with h5py.File(masing.folder / "run.h5") as file:
            # What is left of the transient after 60 periods is below rounding, which grows with x, 16 here.
            assert found["drift"][i] == pytest.approx(np.diff(file["series/x"][:])[-1], rel=0, abs=1e-12)
    assert found["drift"][0] == pytest.approx(0.2679006385, rel=0, abs=1e-10)
    assert np.array_equal(found["frozen"], [0, 0])


@pytest.mark.first(1)
@pytest.mark.parametrize("problem", [
    ("--over=w=1.8:0.3:16", "--cells=20", "--mass=1.26", "--stiffness=2-1.8*s", "--force=0.29*cos(w*t)"),
    ("--over=w=0.3:1.8:16", "--cells=inf", "--mass=1.79", "--k0=0.3", "--force=0.235*cos(w*t)"),
    ("--over=w=1.8:0.3:16", "--cells=20", "--k0=0.02", "--mass=1.3", "--force=0.594*cos(w*t)")])
def test_a_branch_is_followed_over_its_kinks(masing, problem):
    masing.done("scan", *problem, "--steady", "--past=point", "--quiet")
    found = points(masing.folder / "masing.h5")
    assert np.array_equal(found["status"], np.zeros(16))
    # The motion is a contraction.
    assert (np.hypot(found["multiplier_re"], found["multiplier_im"]) <= 1 + 1e-6).all()


def test_cycles_of_a_mass_that_nothing_holds_repeat_themselves(masing):
    """Newton's method finds fixed points of phase and x there that the slab does not come back from. Where all cells
    yield, motions of any past come to one cycle."""
    words = ("scan", "--over=w=0.4:1.4:11", "--force=0.3*cos(w*t)+0.1*sin(2*w*t)+0.05", "--cells=20", "--damping=0.05",
             "--steady", "--quiet")
    found = {}
    for past in ("rest", "point"):
        masing.done(*words, f"--past={past}", f"--output={past}.h5")
        found[past] = points(masing.folder / f"{past}.h5")
    point, all_yield = found["point"], found["rest"]["frozen"] == 0
    assert np.array_equal(point["frozen"] == 0, all_yield)
    for column in ("amplitude", "drift", "loss"):
        assert np.allclose(point[column][all_yield], found["rest"][column][all_yield], rtol=0, atol=1e-8), column
    assert (np.hypot(point["multiplier_re"], point["multiplier_im"]) <= 1 + 1e-6).all()


def test_a_free_vibration_beside_the_forced_one_takes_several_periods(masing, times=3):
    # Nothing yields: m x'' + (k0 + Σk) (x - c) = a cos(jωt) with ω² = k0 + Σk = 1.2, c = x0 Σk / 1.2, from x0 at rest.
    masing.done("scan", "--over=mass=1,1", "--let", f"j={times}", "--force=0.05*cos(j*sqrt(1.2)*t)", "--x0=0.03",
                "--k0=0.2", "--cells=inf", "--steady", "--keep=series", "--quiet")
    found = points(masing.folder / "masing.h5")
    forced, angle = 0.05 / (1.2 * (1 - times**2)), np.linspace(0, 2 * np.pi, 100001)
    x = 0.025 + forced * np.cos(times * angle) + (0.005 - forced) * np.cos(angle)
    assert np.ptp(x) < 0.1  # the least η
    assert np.array_equal(found["period_multiple"], [times] * 2)
    # Samples miss an extreme by |x″| h²/8 < 1e-10.
    assert found["most_x"] == pytest.approx(x.max(), rel=0, abs=1e-10)
    assert found["least_x"] == pytest.approx(x.min(), rel=0, abs=1e-10)
    assert np.abs(found["loss"]).max() < 1e-12
    # The cycle begins with any period of the force.
    with h5py.File(masing.folder / "masing.h5") as file:
        run = file["runs/00000"]
        assert len(run["t"]) == 400 * times + 1
        assert run["t"][-1] == pytest.approx(2 * np.pi / np.sqrt(1.2), rel=1e-14)
        angles = np.add.outer(2 * np.pi * np.arange(times) / times, np.sqrt(1.2) * run["t"][:])
        paths = 0.025 + forced * np.cos(times * angles) + (0.005 - forced) * np.cos(angles)
        assert np.abs(paths - run["x"][:]).max(axis=1).min() < 1e-9


def test_a_point_that_fails_is_marked_and_the_scan_goes_on(masing):
    words = ("scan", "--over=mass=1,-1,2", "--final-time=10", "--steps=100", "--cells=10", "--quiet")
    process = masing(*words, ranks=2)
    assert process.returncode == 1
    assert "1 failed" in process.stdout
    found = points(masing.folder / "masing.h5")
    assert np.array_equal(found["status"], [0, 1, 0])
    assert np.isnan(found["most_x"][1])
    with h5py.File(masing.folder / "masing.h5") as file:
        message = text(file["points/messages"][()])
        assert message.startswith("1: ") and "must be > 0" in message


def test_a_point_that_fails_says_which_option_is_at_fault(masing):
    (masing.folder / "case.ini").write_text("threshold = s+c\n")
    words = ("scan", "--over=c=0.2,-1", "--final-time=5", "--steps=100", "--cells=5", "--quiet")
    assert "failed: --threshold: eta(s) = -0.8" in masing(*words, "--threshold=s+c").stdout
    assert "failed: case.ini line 1, threshold: eta(s) = -0.8" in masing(*words, "--config=case.ini").stdout


def test_a_resonance_is_resolved(masing):
    """Points stand between those asked for."""
    said = masing.done("scan", "--over=w=1.5:0.5:5", "--force=0.4*cos(w*t)", "--k0=0.1", "--cells=inf", "--steady",
                       "--quiet", "--resolve=0.01").stdout
    found = points(masing.folder / "masing.h5")
    assert len(found["w"]) > 12 and f"{len(found['w'])} points, 0 failed" in said
    assert np.all(np.diff(found["w"]) > 0) and not found["status"].any()
    assert np.isin([1.5, 1.25, 1, 0.75, 0.5], found["w"]).all()
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "resolve = 0.01\n" in text(file["configuration"][()])


def test_a_branch_is_followed_through_a_resonance(masing):
    """There the amplitude grows a hundredfold; the cycles are those of each point by itself."""
    words = ("scan", "--quiet", "--cells=inf", "--threshold=0.3", "--k0=0.1", "--mass=1.77", "--stiffness=2-1.8*s",
             "--force=0.657*cos(w*t)+1.03*sin(w*t/2)", "--over=w=0.9:0.5:5", "--steady")
    found = []
    for past in ("rest", "point"):
        masing.done(*words, f"--past={past}", f"--output={past}.h5")
        with h5py.File(masing.folder / f"{past}.h5") as file:
            assert (file["points/status"][:] == 0).all()
            found.append(file["points/amplitude"][:])
            assert ("point before" in text(file["points"].attrs["past"])) == (past == "point")
    assert found[0][-1] > 20 * found[0][0]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8)


def test_a_table_that_repeats_itself_is_periodic(masing):
    zigzag = [(0.5 * i, 0.4 * (i % 2)) for i in range(17)]
    masing.file("force.csv", "\n".join(f"{t} {f}" for t, f in zigzag))
    words = ("scan", "--over=k0=0.2,0.3", "--steady", "--cells=inf", "--quiet")
    masing.done(*words, "--force=table:force.csv", "--period=1", "--output=table.h5")
    masing.done(*words, "--force=0.2+0.2*triangle(t-0.25)", "--output=wave.h5")
    table, wave = points(masing.folder / "table.h5"), points(masing.folder / "wave.h5")
    for column in COLUMNS:
        assert np.allclose(table[column], wave[column], rtol=1e-9, atol=1e-12), column
    masing.file("force.csv", "\n".join(f"{t} {f}" for t, f in zigzag[:7]))
    assert "--period: F(t + 1) is not F(t)" in masing.refused(*words, "--force=table:force.csv", "--period=1")


def test_what_is_printed_is_the_same_scan(masing):
    words = ("scan", *GRID, "--let", "T=2*pi/w", "--final-time", "40*T", "--steady")
    printed = masing.done(*words, "--print-config").stdout
    for line in ("force = F*cos(w*t)", "[over]", "w = 0.7:1.3:3", "F = 0.3,0.45", "steady = true"):
        assert line in printed
    masing.file("scan.ini", printed)
    assert masing.done("scan", "--config=scan.ini", "--print-config").stdout == printed


def test_parameters_of_other_models_are_scanned(masing):
    words = ("scan", "--model=prandtl", "--set=k=1", "--set=eta=0.5", "--over=eta=0.3,0.5,0.9",
             "--force=0.4*cos(t)", "--final-time", "30*2*pi", "--steps=30*3000", "--quiet")
    masing.done(*words, "--output=steps.h5")
    masing.done(*words, "--engine=exact", "--output=exact.h5")
    steps, exact = points(masing.folder / "steps.h5"), points(masing.folder / "exact.h5")
    assert np.array_equal(exact["eta"], [0.3, 0.5, 0.9])
    assert len(set(exact["amplitude"])) == 3
    assert np.allclose(steps["amplitude"], exact["amplitude"], rtol=0, atol=0.02)  # first order: h = 0.002


PULSE = "--force=0.3*cos(t)+40*exp(-((t-100)/0.01)^2)"  # periodic for 15 periods


@pytest.mark.parametrize("words, said", [
    ((), ["--over", "nothing to scan", "NAME=first:last:count"]),
    (("--over=w=1:2",), ["--over w", "'1:2'"]),
    (("--over=w=-1:2:3:log",), ["--over w", "crosses 0"]),
    (("--over=mass=1:2:2000", "--over=k0=1:2:2000"), ["--over", "4e+06 points"]),
    (("--over=mass=1:2:1000000", "--keep=series", "--sample-every=1", "--steps=1e12", "--validate-only"),
     ["--output: masing.h5 needs", "the disk has", "give fewer points, a larger sample-every, or no series"]),
    (("--over=mass=1,2", "--steady", "--force=exp(-t)"), ["--steady", "--period"]),
    (("--over=mass=1,2", "--steady", "--period=3"), ["--period", "F(t + 3) is not F(t)"]),
    (("--over=mass=1,2", "--steady", PULSE), ["--steady", "no period", "a*t+b"]),
    (("--over=mass=1,2", "--steady", PULSE, "--period=2*pi"), ["--period", "is not F(t)", "a*t+b"]),
    (("--over=k0=1,2", "--steady", PULSE.replace("force", "base-acceleration")), ["--steady", "no period", "a*t+b"]),
    (("--over=w=1,2", "--steady", "--force=cos(w*t)+cos(sqrt(2)*t)"), ["--steady", "common period"]),
    (("--over=mass=1,2", "--steady", "--engine=sweep"), ["--steady", "exact"]),
    (("--over=k0=1,2", "--steady", "--damping=-1"), ["--damping", ">= 0"]),
    (("--backbone=X=0:1:3", "--k0=0.2", "--cells=inf"), ["--backbone", "not > 0"]),
    (("--over=k0=1,2", "--backbone=X=1,2", "--steady"), ["--backbone", "--steady"]),
    (("--over=k=1,2", "--model=prandtl", "--set=eta=1", "--steady"), ["steady", "prandtl"]),
    (("--over=mass=1,2", "--resolve=0.1"), ["--resolve: points are put between limit cycles", "give --steady"]),
    (("--over=mass=1,2", "--resolve=0.1", "--steady", "--past=point"), ["--resolve", "without --past point"]),
    (("--over=cells=10,20", "--resolve=0.1", "--steady"), ["--resolve: between whole numbers of cells"]),
    (("--over=mass=1,2", "--resolve=0", "--steady"), ["--resolve: 0; must be > 0"])])
def test_mistakes_are_refused(masing, words, said):
    message = masing.refused("scan", *words)
    for part in said:
        assert part in message, message
    assert masing.names() == []


def numbers_of(masing, *words):
    """Numbers of all points of a scan."""
    masing.done("scan", *words, "--quiet", "--output=new.h5")
    found = points(masing.folder / "new.h5")
    return {name: found[name] for name in ("least_x", "most_x", "loss", "centre")}


@pytest.mark.parametrize(("outer", "words"), [
    ("a", ("--threshold=0.3", "--threshold-down=a", "--cells=inf", "--engine=memory", "--over=mass=1,1.3",
           "--final-time=20", "--steps=500")),
    ("F", ("--force=F*(0.5+cos(w*t))", "--k0=0.2", "--cells=inf", "--steady", "--past=point", "--over=w=1.5:1.8:3"))])
def test_a_line_of_points_does_not_depend_on_the_line_before(masing, outer, words):
    """Neither the measure of other thresholds nor the last cycle of that line is used again."""
    outers = [0.2, 0.3, 0.45, 0.6]
    there, back = (numbers_of(masing, f"--over={outer}={','.join(map(str, values))}", *words)
                   for values in (outers, outers[::-1]))
    for name, values in there.items():
        lines = values.reshape(len(outers), -1)
        assert np.array_equal(lines, back[name].reshape(lines.shape)[::-1]), name


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
    for name in ("least_x", "most_x", "amplitude"):
        assert np.array_equal(resumed[name], whole[name]), name
