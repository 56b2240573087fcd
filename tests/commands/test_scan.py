"""Scans over parameters and over tables of samples: the rows of their files against single runs; limit cycles against
the runs that come to them (tests/slab and tests/scan have closed forms); points that fail; tables as named functions;
records that change or cannot be read. (tests/cli has what is refused.)"""

import shutil
import signal

import h5py
import numpy as np
import pytest
from result_files import contents, text

GRID = ("--over", "w=0.7:1.3:3", "--over", "F=0.3,0.45", "--force", "F*cos(w*t)", "--k0=0.2", "--cells=inf",
        "--damping=0.05", "--threshold-down=0.3+0.2*s", "--initial-u=-0.2*s")
COLUMNS = ("most_x", "least_x", "amplitude", "centre", "loss", "secant_stiffness", "damping_ratio")
STEADY = ("period_multiple", "residual", "drift", "frozen")
CHAIN = ("--model=masing-chain", "--set=n=3", "--set=k=1", "--set=eta=1")
LEAPFROG, EXACT = "--scheme=leapfrog", "--engine=exact"
# With a force at the start, whose work is not that of a step.
SLAB, STEPS = ("--cells=inf", LEAPFROG, "--x0=0.3", "--initial-u=0.05"), 500


def points(path):
    """The datasets of /points."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file["points"].items() if name != "messages"}


def scanned(masing, *words, name=None):
    """The same of a scan that is made now."""
    return points(masing.made("scan", *words, name=name))


def test_a_grid_has_a_row_for_each_point_and_its_runs_come_to_its_limit_cycles(masing):
    runs = scanned(masing, *GRID, "--final-time", "40*2*pi/w", "--steps", "40*400", LEAPFROG, "--keep=series",
                   "--sample-every=50", name="runs.h5")
    steady = scanned(masing, *GRID, "--steady", name="steady.h5")
    for found, name, columns in ((runs, "runs.h5", COLUMNS), (steady, "steady.h5", COLUMNS + STEADY)):
        assert np.allclose(found["w"], [0.7, 0.7, 1.0, 1.0, 1.3, 1.3])
        assert np.array_equal(found["F"], [0.3, 0.45] * 3) and not found["status"].any()
        assert all(np.isfinite(found[column]).all() for column in columns)
        with h5py.File(masing.folder / name) as file:
            assert (text(file.attrs["kind"]), text(file["points"].attrs["axes"])) == ("scan", "w F")
            assert ("runs" in file) == (found is runs)
    # leapfrog with 400 steps a period: the square of the step, 2.5e-4 of the size.
    for column in ("most_x", "least_x", "loss", "secant_stiffness", "damping_ratio", "phase"):
        assert np.allclose(runs[column], steady[column], rtol=0, atol=1e-3), column
    assert (steady["period_multiple"] == 1).all() and (steady["residual"] < 1e-11).all()
    assert steady["multiplier_re"].shape == (6, 2)
    with h5py.File(masing.folder / "runs.h5") as file:
        run = file["runs/00005"]
        assert len(file["runs"]) == 6 and len(run["x"]) == len(run["restoring"]) == 9
        assert np.allclose(run["t"], np.linspace(39, 40, 9) * 2 * np.pi / 1.3, rtol=1e-9, atol=0)
        assert np.allclose(run["force"], 0.45 * np.cos(1.3 * run["t"][:]), atol=1e-12)


def test_near_its_resonance_a_cycle_is_found_or_told_to_be_unbounded(masing):
    """The slider takes 4 k eta (X - eta) a period, and F gives up to π F X: no cycle is there from F = 4 k eta/π on."""
    path = masing.made("scan", "--over=F=0.636,0.637", "--force=F*cos(sqrt(0.2)*t)", "--k0=0.2", "--threshold=0.5",
                       "--cells=1", "--steady")
    found = points(path)
    with h5py.File(path) as file:
        assert text(file["points/messages"][()]).startswith("1: ")
        assert "the amplitude grows for ever" in text(file["points/messages"][()])
    assert found["residual"][0] < 1e-9 and found["amplitude"][0] > 50
    assert found["loss"][0] == pytest.approx(2 * (found["amplitude"][0] - 0.5), rel=1e-9)


def test_what_has_no_period_is_told_and_the_other_points_are_found(masing):
    """cos(0 t) has no period; without yielding the other point has X = 0.01/|1 + 1 - 1|."""
    process = masing("scan", "--over=w=0,1", "--force=0.01*cos(w*t)", "--k0=1", "--threshold=1", "--cells=inf",
                     "--steady")
    assert process.returncode == 1 and "1 of 2 points failed; the first: --steady: no period" in process.stderr
    found = points(masing.folder / "masing.h5")
    assert list(found["status"] != 0) == [True, False] and found["amplitude"][1] == pytest.approx(0.01, rel=1e-9)


# What a run of CASE is refused for at the second of two values of a.
CASE = "force = cos(t)\nfinal-time = 10\nsteps = 100\n"
FAULTS = [
    ((LEAPFROG, "--mass=a", "--k0=1"), 1, 1e-3, "at least 224 steps"),  # 10/2 √(2/1e-3) = 223.6
    ((LEAPFROG, "--stiffness=a*(2-s)", "--cells=inf"), 1, 1e3, "at least 194 steps"),  # 5 √1500
    ((*CHAIN, "--scheme=euler", "--set=m=1", "--set=c_ground=a"), 1, 21, "at least 105 steps"),
    (("--mass=a",), 1, -1, "must be > 0"), (("--initial-u=a*s",), 0.5, 1.5, "u0(s)"),
    (("--force=log(t-a)",), -1, 1, "F(t)"), (("--stiffness=1e-3", "--k0=a"), 1, 1e9, "the step is too large"),
    (("--cells=a",), 10, 1e14, "need at least"), ((EXACT, "--force=square(a*t)"), 1, 1e9, "10^7 corners"),
    (("--model=discrete-masing", "--set=k=1", "--set=eta=1", "--set=n=a", EXACT), 2, 2001, "at most 2000"),
]


@pytest.mark.parametrize("words, right, wrong, said", FAULTS)
def test_a_point_fails_for_what_a_run_is_refused_for(masing, words, right, wrong, said):
    """Wherever it stands; the other points are computed."""
    masing.file("case.ini", CASE)
    line = masing.refusal("simulate", "--config=case.ini", *words, f"--let=a={wrong}")
    assert said in line
    fault = line.removeprefix("masing: ").partition(" may be used")[0][:-9]  # the memory that is free may change
    for values, status in ((f"{right},{wrong},{right}", [0, 1, 0]), (f"{wrong},{right}", [1, 0])):
        path = masing.made("scan", "--config=case.ini", *words, f"--over=a={values}")
        with h5py.File(path) as file:
            assert text(file["points/messages"][()]).startswith(f"{status.index(1)}: {fault}")
        found = points(path)
        assert np.array_equal(found["status"], status) and np.array_equal(np.isnan(found["most_x"]), status)


@pytest.mark.parametrize("words, right, wrong, said", [
    (("--mass=a",), 1, 1e-2, "lets an elastic oscillation grow"),
    (("--mass=1e-2", "--damping=a"), 0.15, 0.05, "lets an elastic oscillation grow"),  # dt omega^2 = 10, c/m = 15 or 5
    ((LEAPFROG, "--base-acceleration=table:r.csv", "--final-time=a"), 2, 4, "0 to 3, and the run from 0 to 4"),
    ((*CHAIN, "--set=m=1", "--force=a*sin(t)"), 0.01, 9, "has reached its strength")])
def test_a_scan_tells_what_runs_would_warn_of(masing, words, right, wrong, said):
    masing.file("case.ini", CASE)
    masing.file("r.csv", "0 0\n1 1\n3 0\n")
    process = masing.done("simulate", "--config=case.ini", *words, f"--let=a={wrong}")
    warning, = [line for line in process.stderr.splitlines() if "masing warning: " in line]
    assert said in warning
    process = masing.done("scan", "--config=case.ini", *words, f"--over=a={wrong},{right},{right}")
    last, = [line for line in process.stderr.splitlines() if "masing warning: " in line and "--output" not in line]
    assert last.endswith("1 of 3 points have warnings; the first: " + warning.removeprefix("masing warning: "))


@pytest.mark.parametrize("words", [
    ("--threshold=0.3", "--threshold-down=a", "--cells=inf", "--engine=memory", "--over=mass=1,1.3",
     "--force=0.45*cos(0.5*t)", "--final-time=20", "--steps=500"),
    ("--threshold=0.3", "--threshold-down=a", "--force=0.4*cos(w*t)", "--k0=0.2", "--cells=inf", "--steady",
     "--over=w=1.5:1.8:3")])
def test_a_line_of_points_does_not_depend_on_the_line_before(masing, words):
    """The measure of other thresholds is not used again."""
    there, back = (scanned(masing, f"--over=a={values}", *words) for values in ("0.2,0.3,0.45,0.6", "0.6,0.45,0.3,0.2"))
    for name in ("least_x", "most_x", "loss", "centre"):
        assert np.array_equal(there[name].reshape(4, -1), back[name].reshape(4, -1)[::-1], equal_nan=True), name


def record(masing, name, seed, steps=STEPS):
    """A file with noise at `steps` + 1 times, 0.02 apart."""
    noise = np.random.default_rng(seed).standard_normal(steps + 1)
    masing.file(name, "t,a\n" + "".join(f"{0.02 * i:.17g},{a:.17g}\n" for i, a in enumerate(noise)))


def ensemble(masing, count=4):
    """A table of `count` records of different lengths and of a constant, and the words of its scan."""
    for i in range(count):
        record(masing, f"r{i}.csv", i, STEPS + 10 * i)
    rows = ['\ufeff"record";c;replicate', *(f'"r{i}.csv";0,0{i};{i // 2}' for i in range(count)), "# end", ""]
    masing.file("T.csv", "\r\n".join(rows))  # as a spreadsheet writes it
    return ("--samples=T.csv", "--over=a=0.5,2", "--base-acceleration=a*record(t)", "--damping=c",
            "--final-time=record", "--steps=record", *SLAB)


def test_points_of_samples_are_single_runs(masing):
    found = scanned(masing, *ensemble(masing))
    assert np.array_equal(found["sample"], np.repeat(range(4), 2)) and np.array_equal(found["a"], [0.5, 2] * 4)
    assert np.array_equal(found["record"], found["sample"]) and np.array_equal(found["c"], 0.01 * found["sample"])
    assert np.array_equal(found["replicate"], found["sample"] // 2)
    for i in range(8):
        steps = STEPS + 10 * (i // 2)
        run = masing.run(f"--base-acceleration={found['a'][i]!r}*r(t)", f"--table=r=r{i // 2}.csv", *SLAB,
                         f"--damping={found['c'][i]!r}", f"--final-time={0.02 * steps!r}", f"--steps={steps}")
        x, f = run["x"], run["restoring"]
        assert (x.max(), x.min(), x[-1]) == (found["most_x"][i], found["least_x"][i], found["last_x"][i])
        assert np.abs(run["y"]).max() == found["most_speed"][i] and np.abs(f).max() == found["most_restoring"][i]
        work = np.sum(np.diff(x) * (f[1:] + f[:-1]) / 2)  # as many roundings as steps, of numbers below 10
        assert abs(found["loss"][i] - work) <= steps * 10 * np.finfo(float).eps and np.isnan(found["period"][i])


def test_a_restart_goes_on_with_the_same_records_only(masing):
    """The scan is stopped in the run of the second record."""
    for name in ("r0.csv", "r1.csv"):
        record(masing, name, 1)
    masing.file("T.csv", "record,steps\nr0.csv,100\nr1.csv,1e11\n")
    words = ("scan", "--samples=T.csv", "--force=record(t)", "--final-time=record", *SLAB, "--quiet",
             "--checkpoint=c.h5")
    process = masing.start(*words, "--checkpoint-every=1")
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    process.send_signal(signal.SIGTERM)
    assert masing.ended(process).returncode == 75
    again = (*words, "--restart=c.h5")
    for name, change in (("r0.csv", lambda: record(masing, "r0.csv", 7)),
                         ("r1.csv", (masing.folder / "r1.csv").unlink)):
        kept = (masing.folder / name).read_bytes()
        change()
        assert "--samples: the records have changed" in masing.refused(*again)
        (masing.folder / name).write_bytes(kept)
    assert masing(*again, "--wall-limit=0.2").returncode == 75
    masing.file("T.csv", (masing.folder / "T.csv").read_text().replace("100", "200"))
    assert "--samples: another table than that of c.h5" in masing.refused(*again)


def test_records_are_found_beside_the_file_or_beside_the_table_on_any_ranks(masing):
    words = [word.replace("T.csv", "./T.csv") for word in ensemble(masing)]  # a path stays as it is given
    masing.done("scan", *words, "--quiet", ranks=3)
    whole = points(masing.folder / "masing.h5")["most_x"]
    assert contents(masing.made("scan", *words)) == contents(masing.folder / "masing.h5")
    away = masing.folder / "away"
    away.mkdir()
    shutil.copy(masing.folder / "masing.h5", away)
    (masing.folder / "T.csv").unlink()
    assert np.array_equal(scanned(masing, "--config=away/masing.h5")["most_x"], whole)  # beside the table that was
    masing.file("other.csv", "record;c\nr1.csv;0\n")
    other = scanned(masing, "--config=away/masing.h5", "--samples=other.csv")
    assert len(other["most_x"]) == 2 and not other["c"].any()
    for file in masing.folder.glob("r?.csv"):
        shutil.move(file, away)
    assert "bit for bit" in masing.done("reproduce", "away/masing.h5", "--quiet").stdout
    for file in away.glob("r?.csv"):  # those beside the table count where both are
        record(masing, file.name, 79)
    assert "bit for bit" in masing.done("reproduce", "away/masing.h5", "--quiet").stdout
    record(masing, "away/r2.csv", 78)
    assert "the records have changed" in masing.refused("reproduce", "away/masing.h5", "--quiet")


def test_a_record_that_cannot_be_read_is_a_failed_point(masing):
    words = ensemble(masing)
    (masing.folder / "r0.csv").unlink()
    masing.file("r2.csv", "0 1\n1 nan\n")
    process = masing("scan", *words, "--quiet", ranks=2)
    assert process.returncode == 1
    assert "4 of 8 points failed; the first: " in process.stderr and "r0.csv: No such file" in process.stderr
    found = points(masing.folder / "masing.h5")
    assert np.array_equal(found["status"], [1, 1, 0, 0, 1, 1, 0, 0]) and np.isnan(found["most_x"][:2]).all()
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "r2.csv line 2: '1 nan' is not two finite numbers" in text(file["points/messages"][()])
        assert text(file["samples/records"][()]).splitlines() == ["path", *(f'"r{i}.csv"' for i in range(4))]


def test_a_record_that_changes_while_the_scan_runs_ends_it(masing):
    """Whether or not it was read again."""
    record(masing, "r.csv", 1)
    masing.file("T.csv", "record,steps\n" + "r.csv,1000000\n" * 8)
    process = masing.start("scan", "--samples=T.csv", "--force=record(t)", "--final-time=record", *SLAB, "--quiet",
                           "--checkpoint-every=1", "--checkpoint=c.h5", ranks=2)
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    record(masing, "r.csv", 2)
    ended = masing.ended(process)
    assert ended.returncode == 2 and "--samples: the records have changed" in ended.stderr
