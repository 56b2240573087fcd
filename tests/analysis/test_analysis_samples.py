"""Tables and samples that Python gives as arrays: against files with the same numbers, with the module and with the
program alone."""

import h5py
import numpy as np
import pandas as pd
import pytest

import masing
from masing import program

SLAB = {"cells": "inf", "scheme": "leapfrog"}


def record(seed, steps=200):
    """Times and accelerations of a record."""
    return 0.02 * np.arange(steps + 1), np.random.default_rng(seed).standard_normal(steps + 1)


@pytest.fixture(params=["module", "program"])
def either(request, monkeypatch):
    """Runs in this process, and by the program."""
    monkeypatch.setenv("MASING_MODULE", "1" if request.param == "module" else "0")
    return request.param


def test_arrays_have_the_bits_of_a_file(either, tmp_path):
    t, a = record(1)
    np.savetxt(tmp_path / "r.csv", np.column_stack([t, a]), delimiter=",", fmt="%.17g")
    times = {"final_time": 4, "steps": 400, **SLAB}
    of_file = masing.simulate(base_acceleration=tmp_path / "r.csv", **times)
    assert np.ptp(of_file.x) > 0
    for options in ({"base_acceleration": (t, a)}, {"base_acceleration": "1*r(t)", "tables": {"r": (t, a)}},
                    {"base_acceleration": "r(t)", "tables": {"r": pd.Series(a, t)}},
                    {"base_acceleration": "r(t)", "tables": {"r": tmp_path / "r.csv"}}):
        run = masing.simulate(**options, **times)
        assert np.array_equal(run.x, of_file.x) and "points:0 " in run.configuration


def test_samples_are_single_runs(either):
    records = [record(seed, 200 + 10 * seed) for seed in range(3)]
    samples = pd.DataFrame({"record": records, "k0": [0.1, 0.2, 0.3], "c": [0, 0.05, 0.1]})
    scan = masing.scan(samples=samples, over={"a": [0.5, 2]}, base_acceleration="a*record(t)", damping="2*c",
                       final_time="record", steps="record", **SLAB)
    frame = scan.to_dataframe()
    assert list(frame["sample"]) == [0, 0, 1, 1, 2, 2] and list(frame["k0"]) == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert scan.names == ["sample", "a"] and not frame["status"].any()
    for row in frame.itertuples():
        t, a = records[row.sample]
        run = masing.simulate(base_acceleration=(t, row.a * a), k0=row.k0, damping=2 * row.c, final_time=t[-1],
                              steps=len(t) - 1, **SLAB)
        assert (run.x.max(), run.x[-1], abs(run.y).max()) == (row.most_x, row.last_x, row.most_speed)


def test_records_over_which_a_scan_goes(either):
    records = [record(seed) for seed in range(2)]
    scan = masing.scan(over={"base_acceleration": records, "k0": [0.1, 0.2]}, final_time=4, steps=200, **SLAB)
    table = scan.to_dataframe()
    assert list(table["base_acceleration"]) == [0, 0, 1, 1] and list(table["k0"]) == [0.1, 0.2] * 2
    one = masing.simulate(base_acceleration=records[1], k0=0.2, final_time=4, steps=200, **SLAB)
    assert one.x.max() == table["most_x"][3]


def test_arrays_are_in_the_file_and_paths_are_not(either, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    t, a = record(5)
    np.savetxt("r.csv", np.column_stack([t, a]), delimiter=",", fmt="%.17g")
    for cells in ([(t, a), (t, 2 * a)], ["r.csv", "r.csv"]):
        scan = masing.scan(samples={"record": cells}, force="record(t)", final_time=4, steps=200, output="s.h5", **SLAB)
        with h5py.File("s.h5") as file:
            assert ("samples/values" in file) == (cells[0] != "r.csv")
        again = program.run(program.required(), "reproduce", "s.h5", "--quiet")
        assert again.code == 0 and "bit for bit" in again.printed, again.errors
        twin = masing.scan(config="s.h5")
        assert np.array_equal(twin["most_x"], scan["most_x"])
        assert list(scan.records["path"]) == (["r.csv"] if cells[0] == "r.csv" else ["array:0", "array:1"])
    assert not list(tmp_path.glob("*array*"))


def test_tables_and_options_of_one_name_are_two(either):
    t, a = record(1)
    times = {"final_time": 4, "steps": 200, **SLAB}
    mixed = masing.simulate(tables={"force": (t, a)}, base_acceleration="force(t)", force=(t, 3 * a), **times)
    alone = masing.simulate(tables={"g": (t, a), "f": (t, 3 * a)}, base_acceleration="g(t)", force="f(t)", **times)
    assert np.array_equal(mixed.x, alone.x)
    assert np.array_equal(masing.simulate(tables=["g=points:0 0; 4 1"], force="g(t)", **times).force[[0, -1]], [0, 1])


def test_strange_paths_are_rows_as_others(either, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["#1.csv", "a, b.csv", "NA", "r 1.csv"]
    for n, name in enumerate(names):
        np.savetxt(name, np.column_stack(record(n)), delimiter=",", fmt="%.17g")
    scan = masing.scan(samples={"record": names}, force="record(t)", final_time=4, steps=200, **SLAB)
    assert list(scan["sample"]) == [0, 1, 2, 3] and list(scan.records["path"]) == names and not scan["status"].any()


def test_arrays_on_ranks_and_after_a_stop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = [record(seed) for seed in range(3)]
    options = {"force": "r(t)", "final_time": "r", **SLAB}
    one, two = (masing.scan(samples={"r": records}, steps="r", ranks=ranks, **options) for ranks in (1, 2))
    assert np.array_equal(one["most_x"], two["most_x"])
    steps = [100, 10**11, 100]
    with pytest.raises(masing.MasingError, match="stopped"):
        masing.scan(samples={"r": records, "steps": steps}, checkpoint="c.h5", wall_limit=1, output="s.h5", **options)
    with pytest.raises(masing.MasingError, match="the records have changed"):
        masing.scan(samples={"r": [*records[:2], record(9)], "steps": steps}, checkpoint="c.h5", restart="c.h5",
                    output="s.h5", **options)
    with pytest.raises(masing.MasingError, match="stopped"):
        masing.scan(samples={"r": records, "steps": steps}, checkpoint="c.h5", restart="c.h5", wall_limit=1,
                    output="s.h5", **options)


@pytest.mark.long
def test_more_arrays_than_the_file_keeps(tmp_path):
    t = np.arange(4_200_000) / 1e6
    scan = masing.scan(samples={"record": [(t, t)]}, force="record(t)", final_time=1, steps=10,
                       output=tmp_path / "s.h5", **SLAB)
    assert not scan["status"].any()
    again = program.run(program.required(), "reproduce", str(tmp_path / "s.h5"))
    assert again.code == 2 and "arrays of more than 64 MB are not kept" in again.said()[0]


@pytest.mark.parametrize(("options", "said"), [
    ({"samples": {"k0": [1, 2], "c": [1]}}, "samples: its columns differ in length"),
    ({"samples": 5}, "samples=5: give a DataFrame"), ({"samples": {"k0": [1, "x"]}}, "line 3: 'x' of column k0 is no"),
    ({"samples": {"r": [([0, 1], [1])]}, "force": "r(t)"}, "samples['r']: 2 arguments and 1 values"),
    ({"samples": {"r": [([1, 0], [1, 2])]}, "force": "r(t)"}, "array 0: row 2: argument 0 does not follow 1"),
    ({"samples": {"k0": [1]}, "over": {"force": [record(1)]}}, "force or samples is given, too"),
    ({"over": {"force": []}}, "is empty; give records"),
    ({"tables": {"r": np.sin}, "force": "r(t)"}, "tables['r']="), ({"samples": {}}, "samples: has no rows"),
    ({"samples": {"r": [np.sin]}, "force": "r(t)"}, "is no cell; give a number"),
    ({"samples": {"r": ["a\nb"]}, "force": "r(t)"}, "has a quotation mark or a line end"),
    ({"samples": pd.DataFrame([[1, 2]], columns=["k0", "k0"])}, "samples: two columns have the same name"),
    ({"tables": {"r": record(1)}, "over": {"k0": [1]}, "force": 0}, "table r: no function uses it"),
    ({"tables": {"r": ([0, 1], [1, 2, 3])}, "force": "r(t)", "over": {"k0": [1]}}, "tables['r']: 2 arguments and 3 values"),
])
def test_mistakes_are_one_line(options, said):
    with pytest.raises(masing.MasingError) as error:
        masing.scan(final_time=1, steps=10, **SLAB, **options)
    assert said in str(error.value) and "\n" not in str(error.value) and error.value.code == 2
