"""Tables as named functions, and scans over the rows of a table of samples: against single runs, against tables that were
added up beforehand, on any ranks and after stops; what the files hold; mistakes."""

import shutil

import h5py
import numpy as np
import pytest
from result_files import contents, text

SLAB = ("--cells=inf", "--scheme=leapfrog")
STEPS = 500


def points(path):
    """The datasets of /points."""
    with h5py.File(path) as file:
        return {name: data[()] for name, data in file["points"].items() if name != "messages"}


def record(masing, name, seed, steps=STEPS):
    """A file with noise at `steps` + 1 times, 0.02 apart; returns the noise."""
    noise = np.random.default_rng(seed).standard_normal(steps + 1)
    masing.file(name, "t,a\n" + "".join(f"{0.02 * i:.17g},{a:.17g}\n" for i, a in enumerate(noise)))
    return noise


def ensemble(masing, count=4):
    """A table of `count` records of different lengths and of a constant, and the words of its scan."""
    for i in range(count):
        record(masing, f"r{i}.csv", i, STEPS + 10 * i)
    masing.file("T.csv", "record,c,replicate\n" + "".join(f"r{i}.csv,{0.01 * i!r},{i // 2}\n" for i in range(count)))
    return ("scan", "--samples=T.csv", "--over=a=0.5,2", "--base-acceleration=a*record(t)", "--damping=c",
            "--final-time=record", "--steps=record", *SLAB, "--quiet")


@pytest.mark.parametrize("engine", ("sweep", "memory", "exact"))
def test_a_named_table_has_the_bits_of_the_table(masing, engine):
    record(masing, "f.csv", 1)
    words = (f"--engine={engine}", "--cells=20", "--final-time=2", "--steps=400")
    named = masing.run("--table=r=f.csv", "--force=1*r(t)", *words)
    plain = masing.run("--force=table:f.csv", *words)
    assert np.array_equal(named["x"], plain["x"]) and np.ptp(plain["x"]) > 0


@pytest.mark.parametrize("engine", ("sweep", "memory", "exact"))
def test_a_sum_of_tables_is_the_table_of_the_sum(masing, engine):
    """Powers of two, so that no sum is rounded; the times of one table are among those of the other."""
    fine = np.random.default_rng(2).integers(-8, 8, 65) / 8
    coarse = np.random.default_rng(3).integers(-8, 8, 17) / 8
    times = np.arange(65) / 32
    for name, t, values in (("fine", times, fine), ("coarse", times[::4], coarse),
                            ("sum", times, 2 * fine - 0.5 * np.interp(times, times[::4], coarse))):
        masing.file(f"{name}.csv", "".join(f"{a!r},{b!r}\n" for a, b in zip(t.tolist(), values.tolist())))
    words = (f"--engine={engine}", "--cells=8", "--final-time=2", "--steps=64", "--let=c=0.5")
    two = masing.run("--table=fine=fine.csv", "--table=coarse=coarse.csv", "--force=2*fine(t)-c*coarse(t)", *words)
    one = masing.run("--force=table:sum.csv", *words[:-1])
    assert np.abs(two["x"] - one["x"]).max() <= 1e-13 * np.abs(one["x"]).max()


def test_a_table_is_kept_in_the_file(masing):
    record(masing, "f.csv", 1)
    masing.file("case.ini", "force = 2*r(t)\ncells = inf\nfinal-time = r\nsteps = 2*r\n[table]\nr = f.csv\n")
    masing.done("simulate", "--config=case.ini", "--quiet", "--output=run.h5")
    (masing.folder / "f.csv").unlink()
    with h5py.File(masing.folder / "run.h5") as file:
        assert "r = points:0 " in text(file["configuration"][()])
        assert file["series/t"][-1] == 10.0 and len(file["series/t"]) == 2 * STEPS + 1
    assert "bit for bit" in masing.done("reproduce", "run.h5", "--quiet").stdout


@pytest.mark.parametrize(("words", "said"), [
    (("--table=r=f.csv", "--force=r(2*t)"), "r is a table; write r(t), with t alone"),
    (("--table=r=f.csv", "--force=2*r"), "r is a table; write r(t)"),
    (("--table=r=f.csv", "--force=r(s)"), "r is a table; write r(t)"),
    (("--table=r=f.csv", "--stiffness=r(t)"), "r is a table; write r(s)"),
    (("--table=r=f.csv", "--force=sin(t)"), "--table r: no function uses it; write r(t) or r(s)"),
    (("--table=r=f.csv", "--let=r=1", "--force=r(t)"), "--table r: a constant or a column of samples has this name"),
    (("--table=sin=f.csv", "--force=sin(t)"), "--table sin: sin has a meaning"),
    (("--table=2r=f.csv",), "'2r' is not a name"), (("--table=f.csv",), "sets nothing; give --table NAME=FILE.csv"),
    (("--table=r=none.csv", "--force=r(t)"), "--table r: cannot read none.csv"),
    (("--table=r=bad.csv", "--force=r(t)"), "--table r: table bad.csv line 2 has 1 cells, not 2"),
    (("--table=r=f.csv", "--table=r=f.csv", "--force=r(t)"), "--table r: given twice"),
    (("--table=r=f.csv", "--force=r(t)", "--mass=r"), "--mass: 'r' is not a number"),
])
def test_mistakes_in_tables_are_refused(masing, words, said):
    masing.file("f.csv", "0 1\n1 2\n")
    masing.file("bad.csv", "0 1\nx,y\n")
    assert said in masing.refused("simulate", *words)


def test_points_are_single_runs(masing):
    words = ensemble(masing)
    masing.done(*words)
    found = points(masing.folder / "masing.h5")
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


def test_a_table_of_s_for_each_sample(masing):
    """The slabs differ in their table alone, and the engine keeps the measures of slabs."""
    for name, end in (("one", 1), ("other", 3)):
        masing.file(f"{name}.csv", f"0 2\n1 {end}\n")
    masing.file("T.csv", "shape\none.csv\nother.csv\none.csv\n")
    words = ("--cells=inf", "--final-time=5", "--steps=100", "--threshold-down=0.3", "--force=0.45*cos(0.5*t)")
    masing.done("scan", "--samples=T.csv", "--stiffness=shape(s)", *words, "--quiet")
    found = points(masing.folder / "masing.h5")["most_x"]
    for i, k in enumerate(("2-s", "2+s", "2-s")):  # as the table, but for roundings
        assert abs(masing.run(f"--stiffness={k}", *words)["x"].max() - found[i]) < 1e-12
    assert found[0] == found[2] != found[1]


def test_ranks_and_stops_do_not_show(masing):
    words = ensemble(masing)
    masing.done(*words)
    whole = contents(masing.folder / "masing.h5")
    for ranks in (2, 3):
        masing.done(*words, "--output=masing.h5", ranks=ranks)
        assert contents(masing.folder / "masing.h5") == whole
    assert "bit for bit" in masing.done("reproduce", "masing.h5", "--quiet", ranks=2).stdout


def test_a_restart_goes_on_with_the_same_records_only(masing):
    """The scan is stopped in the run of the second record."""
    for name in ("r0.csv", "r1.csv"):
        record(masing, name, 1)
    masing.file("T.csv", "record,steps\nr0.csv,100\nr1.csv,1e11\n")
    words = ("scan", "--samples=T.csv", "--force=record(t)", "--final-time=record", *SLAB, "--quiet")
    assert masing(*words, "--checkpoint=c.h5", "--wall-limit=1.5").returncode == 75
    again = (*words, "--checkpoint=c.h5", "--restart=c.h5")
    for name in ("r0.csv", "r1.csv"):
        kept = (masing.folder / name).read_bytes()
        record(masing, name, 77)
        assert "--samples: the records have changed" in masing.refused(*again)
        (masing.folder / name).unlink()
        assert "--samples: the records have changed" in masing.refused(*again)
        (masing.folder / name).write_bytes(kept)
    assert masing(*again, "--wall-limit=0.5").returncode == 75
    masing.file("T.csv", (masing.folder / "T.csv").read_text().replace("100", "200"))
    said = masing.refused(*again)
    assert "--restart: c.h5 is of another configuration: " in said and "samples (was " in said


def test_records_are_found_beside_the_file_or_beside_the_table(masing):
    words = [word.replace("T.csv", "./T.csv") for word in ensemble(masing)]  # a path stays as it is given
    masing.done(*words)
    whole = points(masing.folder / "masing.h5")["most_x"]
    away = masing.folder / "away"
    away.mkdir()
    shutil.copy(masing.folder / "masing.h5", away)
    (masing.folder / "T.csv").unlink()
    masing.done("scan", "--config=away/masing.h5", "--quiet", "--output=again.h5")  # beside the table that was
    assert np.array_equal(points(masing.folder / "again.h5")["most_x"], whole)
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
    for ranks in (None, 3):
        process = masing(*words, ranks=ranks)
        assert process.returncode == 1
        assert "4 of 8 points failed; the first: " in process.stderr and "r0.csv: No such file" in process.stderr
        found = points(masing.folder / "masing.h5")
        assert np.array_equal(found["status"], [1, 1, 0, 0, 1, 1, 0, 0]) and np.isnan(found["most_x"][:2]).all()
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "r2.csv line 2: '1 nan' is not two finite numbers" in text(file["points/messages"][()])
        assert text(file["samples/records"][()]).splitlines() == ["path", *(f'"r{i}.csv"' for i in range(4))]


def test_a_record_of_other_times_than_the_run_is_told(masing):
    """One ends before T, one is a thousand times as long, and one begins late: its steps are as wide as its spacing."""
    for name, first, last in (("short", 0, 2), ("long", 0, 1e4), ("late", 5, 10)):
        masing.file(f"{name}.csv", f"{first} 0\n{(first + last) / 2} 1\n{last} 0\n")
    masing.file("T.csv", "record\nlate.csv\nlong.csv\nshort.csv\n")
    words = ("scan", "--samples=T.csv", "--force=record(t)", "--mass=1e9", *SLAB, "--quiet")
    for ranks in (None, 2):
        process = masing(*words, "--final-time=10", "--steps=100", ranks=ranks)
        warnings = [line for line in process.stderr.splitlines() if line.startswith("masing warning: ")]
        said = "3 of 3 points have warnings; the first: the record late.csv begins at t = 5, and has its first value from t"
        assert len(warnings) == 1 and said in warnings[0], process.stderr
    process = masing(*words, "--final-time=record", "--steps=record", "--keep=series", "--sample-every=1")
    assert "1 of 3 points have warnings" in process.stderr
    with h5py.File(masing.folder / "masing.h5") as file:
        assert [len(file[f"runs/0000{i}/t"]) - 1 for i in range(3)] == [4, 2, 2]  # 10 / 2.5, and twice the spacing


def test_a_record_that_changes_while_the_scan_runs(masing):
    """Whether or not it was read again."""
    record(masing, "r.csv", 1)
    masing.file("T.csv", "record,steps\n" + "r.csv,10000000\n" * 8)
    process = masing.start("scan", "--samples=T.csv", "--force=record(t)", "--final-time=record", *SLAB, "--quiet",
                           "--checkpoint-every=1", "--checkpoint=c.h5", ranks=2)
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    record(masing, "r.csv", 2)
    ended = masing.ended(process)
    assert ended.returncode == 2 and "--samples: the records have changed" in ended.stderr


@pytest.mark.parametrize(("table", "words", "said"), [
    ("record\nr.csv\n", (), "--samples record: no function uses it"),
    ("k0,c\n1\n", (), "line 2 has 1 cells, not 2 as the heading"),
    ("k0\n1\nx\n", (), "line 3: 'x' of column k0 is no number"), ("k0\n", (), "no rows"), ("", (), "no rows"),
    ("k0,k0\n1,2\n", (), "--samples k0: another axis varies the same"),
    ("zz\n1\n", (), "--samples zz: zz is no numeric key, and no function or number uses it as a constant"),
    ("k0\n1\n", ("--over=k0=1,2",), "k0: another axis varies the same"),
    ("k0\n" + "1\n" * 1001, ("--over=mass=1:2:1000",), "--samples: 1001000 points; at most 1000000"),
    ("status\n1\n", (), "--samples status: the file of a scan has a column status of its own"),
    ("output\n1\n", (), "--samples output"), ("sin\n1\n", (), "sin has a meaning in expressions"),
    ("record\nnone.csv\n", ("--force=record(t)",), "no row has records that can be read, as which a column counts whose first cell is no number"),
    ("record\nr.csv\n", ("--force=record(t)", "--let=record=1"), "record: a constant has this name"),
    ("record\nr.csv\n", ("--force=record(t)", "--table=record=r.csv"),
     "--table record: a constant or a column of samples has this name"),
    ("cells\n0\n", (), "--samples cells: 0 cells; give at least 1"), ("k0\0\n1\n", (), "is no text"), (None, (), "--samples: cannot read T.csv"),
])
def test_mistakes_in_samples_are_refused(masing, table, words, said):
    masing.file("r.csv", "0 1\n1 2\n")
    if table is not None:
        masing.file("T.csv", table)
    assert said in masing.refused("scan", "--samples=T.csv", "--final-time=1", "--steps=10", *words)


@pytest.mark.parametrize("separator", (",", ";", "\t"))
def test_tables_as_other_programs_write_them(masing, separator):
    """With a byte order mark, blank lines, comments, quotation marks and line ends of Windows."""
    record(masing, "r 1.csv", 1)
    rows = [('"record"', "k0"), ('"r 1.csv"', "0.5" if separator == "," else "0,5")]
    masing.file("T.csv", "\ufeff" + "\r\n".join(separator.join(row) for row in rows) + "\r\n# end\r\n\r\n")
    masing.done("scan", "--samples=T.csv", "--force=record(t)", "--final-time=1", "--steps=50", "--quiet")
    assert points(masing.folder / "masing.h5")["k0"] == [0.5]
