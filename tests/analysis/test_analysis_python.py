"""`import masing`: what its functions give is the content of the program's file as h5py and xarray read it, what they
raise its own line; tables and samples that are given as arrays are compared with files of the same numbers."""

import copy
import gc
import math
import os
import pickle
import shutil
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import h5py
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
import xarray

import identify
import masing
from masing import program
from masing.options import words
from oracle import drive, one_cycle, write_csv
from outputs import ANALYSIS

SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
OTHER = {"model": "discrete-masing", "set": {"n": 3, "k": "1/n", "eta": "i"}, "force": "cos(t)", "final_time": 20,
         "steps": 2000}
STEADY = {"k0": 0.2, "cells": "inf", "steady": True}
STUDY = {"refine": "cells", "levels": [25, 50, 100, 200], "reference": "cells-inf", "final_time": 20, "steps": 20000}
# The steps of these runs are too coarse for the program's taste.
pytestmark = pytest.mark.filterwarnings("ignore:with a step of")


@pytest.mark.parametrize("options, expected", [
    ({"final_time": 60, "start": 2, "to": 9, "energy": True, "quiet": False},
     ["--final-time", "60", "--from", "2", "--to", "9", "--energy"]),
    ({"from_": 2, "end": 9}, ["--from", "2", "--to", "9"]),
    ({"cells": math.inf, "mass": np.float64(0.1), "steps": np.int64(7), "k0": None},
     ["--cells", "inf", "--mass", "0.1", "--steps", "7"]),
    ({"mass": Fraction(3, 2), "k0": Decimal("0.5"), "breaks": pd.Series([0.1, 0.5])},
     ["--mass", "3/2", "--k0", "0.5", "--breaks", "0.1,0.5"]),
    ({"levels": [(50, 5000), (100, 10000)], "over": "w=1"}, ["--levels", "50:5000,100:10000", "--over", "w=1"]),
    ({"expect_order": {"x": 1, "u_cells": 2}}, ["--expect-order", "x=1,u_cells=2"]),
    ({"set": {"k": [1, 2], "n": 2}}, ["--set", "k=1,2", "--set", "n=2"]),
    ({"petsc": "-log_view :a b", "steps": 3}, ["--steps", "3", "--petsc", "-log_view", ":a", "b"])])
def test_keywords_are_the_options(options, expected, tmp_path):
    assert [piece for word in words(options, tmp_path) for piece in word.split("=", 1)] == expected


def test_a_run_has_the_content_of_its_file_by_name():
    run = masing.simulate(**SMALL, field_every=500, energy=True)
    with h5py.File(run.path) as expected:
        for group, names in (("series", ("t", "x", "y", "force", "restoring")), ("field", ("s", "eta", "k", "u"))):
            for name in names:
                np.testing.assert_array_equal(getattr(run, name), expected[group][name])
        np.testing.assert_array_equal(run.last_u, expected["field/u"][-1])
        np.testing.assert_array_equal(run["/energy/residual"], expected["energy/residual"])
        assert run.to_dataframe().index.name == "t" and run.title == expected.attrs["title"]
    assert run.settings["steps"] == "2000"
    assert {"x", "u", "field_t", "residual"} <= set(run) and len(run) == len(set(run))
    assert all(name in run for name in (*run, "field/u", "/series/x")) and run.get("last_t") is None
    for name in ("last_t", 3, "series"):
        assert name not in run
        with pytest.raises(masing.MasingError, match=" has no dataset "):
            run[name]


@pytest.mark.parametrize("table", [
    (np.array([0, 10, 20]), np.array([0, 1 / 3, 0])), [[0, 0], [10, 1 / 3], [20, 0]],
    pd.DataFrame({"a": [0, 10, 20], "b": [0, 1 / 3, 0]}), pd.DataFrame({"f": [0, 1 / 3, 0]}, index=[0, 10, 20.0]),
    pd.DataFrame({"f": [0, 1 / 3, 0], "t": pd.date_range("2020-01-01", periods=3, freq="10s")}),
    pd.Series([0, 1 / 3, 0], index=pd.date_range("2020-01-01", periods=3, freq="10s")),
    xarray.DataArray([0, 1 / 3, 0], dims="t", coords={"t": [0, 10, 20]})])
def test_arrays_lists_and_columns_are_tables(table):
    run = masing.simulate(**SMALL, force=table)
    np.testing.assert_allclose(run.force, np.interp(run.t, [0, 10, 20], [0, 1 / 3, 0]), atol=1e-15)


X = np.linspace(0, 1, 30)


@pytest.mark.parametrize("call, words", [
    ({"force": ([0], [1])}, "^force has fewer than two points; give two at least"),
    ({"force": (X, X[1:])}, r"^force: give \(t, f\), two arrays of numbers of one length$"),
    ({"force": pd.Series(X)}, "^force: give .*; the rows of this Series are only counted"),
    ({"force": (pd.date_range("2020-01-01", periods=30), X)}, "^force: give .*, two arrays of numbers"),
    ({"force": np.array([[0, 1], [5, 2.0]])}, "^force: give .*; two rows of two may be rows or columns"),
    ({"force": ([0, 1], [0, math.nan])}, "^force: row 2 is not two finite numbers"),
    ({"force": np.ma.array([[0, 1, 2.0], [0, 1, 2.0]], mask=[[0, 0, 0], [0, 0, 1]])}, "^force: row 3 is not two"),
    ({"force": np.sin}, "^force: a function of Python is no value of it"),
    ({"energy": 1}, "^energy: takes no value"),
    (lambda: masing.cycle_numbers(([], [])), "has 0 points; a cycle takes"),
    (lambda: masing.cycle_numbers((X, X), columns={"x": 2, "force": 1}), "^columns: names those of a CSV"),
    (lambda: masing.cycle_numbers(pd.DataFrame({"force": X, "x": X})), "is no curve: give a file, a Run, or arrays"),
    (lambda: masing.judge({"h": [4, 2, 1], "a": [4, 2, math.inf]}), "^a, row 3: the error inf is negative or infinite"),
    (lambda: masing.identify(masing.simulate(**SMALL, force="0.3*sin(t)"), "s+*"),
     r"^threshold: 's\+\*' is not an expression"),
    (lambda: masing.scan(**SMALL, force="f*t", over={"f": [1, 2]}).plot("most_x", over="zz"),
     "^'zz' is no parameter; the scan is over f$"),
    (lambda: masing.judge(masing.simulate(**SMALL, force=0)), "^table=<masing.Run.*: give a path, a DataFrame"),
    (lambda: masing.judge({"h": [1, 2], "a": [1]}), "^table=.*: give .* with as many values in each column"),
    (lambda: masing.judge({"h": [4, 2, 1], "a": [4, 2, 1]}, floor="x"), "^tolerance, floor: give numbers"),
    (lambda: masing.judge({"h": [4, 2, 1], "a": [4, 2, 1]})["b"], "^'b' is no column that is judged; these are a$"),
    (lambda: masing.backbone(masing.Material("1"), math.inf), "^amplitudes = inf: give finite numbers"),
    (lambda: masing.MaterialPoint(3), "^material = 3: give a masing.Material$"),
    ({"cells": True}, "^cells: no value; give cells=VALUE"), ({"levels": []}, "^levels: "),
    ({"config": "cellz = 10"}, "cellz: not a key"),
    ({"dt": 0.01}, "^dt: not a key of masing simulate"),
    ({"final_time": 3, "start": 4}, "^start: 4; "), (SMALL | {"ranks": 2.5}, "^ranks=2.5: give a whole number from 1"),
    (lambda: masing.scan(over=[1, 2]), "^over: '1,2'"), (lambda: masing.open("a\0b"), "is not there"),
    (lambda: masing.simulate(**SMALL).save("/none/run.h5"), "^'/none/run.h5': cannot be written: No such file"),
    (lambda: masing.simulate(**SMALL).to_netcdf("/none/run.nc"), "^'/none/run.nc': cannot be written: .*No such file"),
    (lambda: masing.simulate(**SMALL).to_netcdf(None), "^None: cannot be written: expected str"),
    (lambda: masing.simulate(**OTHER).last_u, "no dataset field/u; it has .*, state"),
    (lambda: masing.identify(np.eye(4)), "^a curve in arrays is"),
    (lambda: masing.simulate(**SMALL, force=0).save(3), "^3: cannot be written: expected str"),
    (lambda: masing.scan(samples={"k0": []}), "^samples: has no rows"),
    (lambda: masing.scan(samples=3), "^samples: .*; give a DataFrame"),
    (lambda: masing.scan(over={"force": []}), "^samples: has no rows"),
    (lambda: masing.scan(over={"stiffness": ["1", "2-s"]}), "line 3: '2-s' of column stiffness is no number"),
    (lambda: masing.scan(over={"force": (X, X)}), r"^samples\['force'\]: give "),
    ({"force": (X, X, X)}, r"^force: give \(t, f\), two arrays of numbers"),
    ({"force": ([], [])}, "^force has fewer than two points"),
    ({"force": (X, X[None])}, r"^force: give \(t, f\), two arrays of numbers"),
    (lambda: masing.scan(over={"force": [([0, 1], [0, 1])]}, force="t"), "this function or samples is given, too"),
    (lambda: masing.scan(samples={"k0": [None]}), "'None' of column k0 is no number"),
    (lambda: masing.identify((X, X), scale={"path": 2}), "^scale={'path': 2}: give a dict"),
    (lambda: masing.scan(samples={"k0": [1, 2], "c": [1]}), "^samples: .* same length"),
    (lambda: masing.scan(samples={"r": [([0, 1], [1])]}, force="r(t)"), r"^samples\['r'\]: give "),
    (lambda: masing.scan(samples={"r": [([1, 0], [1, 2])]}, force="r(t)", final_time=1, steps=10),
     "array 0: row 2: argument 0 does not follow 1")])
def test_mistakes_in_calls_or_in_the_options_of_simulate_raise_what_is_promised(call, words):
    with pytest.raises(masing.MasingError, match=words) as caught:
        call() if callable(call) else masing.simulate(**call)
    assert isinstance(caught.value, (ValueError, KeyError, FileNotFoundError))
    assert caught.value.code == 2 and "\n" not in str(caught.value)


def test_errors_are_also_those_that_python_has_for_them(tmp_path):
    with pytest.raises(FileNotFoundError, match=f"^{tmp_path}/none.h5: is not there") as missing:
        masing.open(tmp_path / "none.h5")
    with pytest.raises(KeyError) as unknown:
        masing.simulate(**SMALL)["none"]
    assert "has no dataset none" in str(unknown.value) and str(unknown.value)[0] != "'"
    with pytest.raises(ValueError, match="^k0 = -1; ") as wrong:
        masing.Material(k0=-1)
    for caught in (missing, unknown, wrong):
        again = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(again, masing.MasingError) and str(again) == str(caught.value) and again.code == 2


@pytest.mark.parametrize("call", [
    lambda: masing.simulate(config="none.ini"), lambda: masing.simulate(force=Path("none.csv")),
    lambda: masing.simulate(force=Path("none.at2")), lambda: masing.simulate(initial_u="file:none.h5"),
    lambda: masing.simulate(restart="none.h5"), lambda: masing.simulate(force="r(t)", tables={"r": "none.csv"}),
    lambda: masing.scan(samples="none.csv"), lambda: masing.simulate(**SMALL, force=0, output="/none/a.h5"),
    lambda: masing.judge("none.csv"), lambda: masing.cycle_numbers("none.csv")])
def test_a_missing_file_is_a_file_not_found_error(call):
    with pytest.raises(masing.MasingError, match="none") as caught:
        call()
    assert isinstance(caught.value, FileNotFoundError) and caught.value.code == 2


def test_a_result_stands_for_its_file():
    run = masing.simulate(**SMALL, force="0.3*sin(t)")
    for given in (run, run.path):
        again = masing.simulate(config=given)
        assert again.configuration == run.configuration and np.array_equal(again.x, run.x)
        np.testing.assert_array_equal(masing.simulate(**SMALL, force=0, initial_u=given, field_every=2000).u[0],
                                      run.last_u)
    with pytest.raises(masing.MasingError, match="^force: names a result file; only initial-u takes one"):
        masing.simulate(**SMALL, force=str(run.path))


def test_an_installed_package_without_a_program_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "ROOT", tmp_path / "share" / "masing")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("MASING_PROGRAM", "/none")
    with pytest.raises(FileNotFoundError,
                       match=f"^no program masing in {tmp_path}/share/masing/build, .* at .MASING_PROGRAM = /none"):
        masing.simulate()


def test_arrays_of_results_are_read_only_and_those_made_of_them_are_not():
    run = masing.simulate(**SMALL, field_every=500, energy=True)
    before = run.x.copy()
    for result in (run, masing.open(run.path), pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        for array in (result.x, result["series/x"], result.u, result.last_u, result["energy/residual"]):
            with pytest.raises(ValueError, match="read-only"):
                array -= 1
        frame, data = result.to_dataframe(), result.to_xarray().copy(deep=True)
        frame["x"] -= 1
        data.x[0] = 7.0
        np.testing.assert_array_equal(result.x, before)


def test_a_run_that_is_not_finished_says_so(tmp_path):
    run = masing.simulate(**SMALL, output=tmp_path / "a.h5")
    for content in (run.path.read_bytes(), run.path.read_bytes()[:4096]):
        (tmp_path / "b.h5.partial").write_bytes(content)
        with pytest.raises(masing.MasingError, match="b.h5.partial: is of a run that is not finished; wait"):
            masing.open(tmp_path / "b.h5.partial")
    for read in (masing.open, masing.cycle_numbers):
        with pytest.raises(masing.MasingError, match="b.h5: is of a run that is not finished; wait"):
            read(tmp_path / "b.h5")


def test_xarray_has_the_axes_the_state_of_a_model_by_column_and_a_curve_that_turns_back_as_points():
    run = masing.simulate(**SMALL, field_every=500)
    data = run.to_xarray()
    assert data.u.dims == ("field_t", "s") and data.x.dims == ("t",)
    assert float(data.u.sel(field_t=10, s=0.5)) == run.u[2, 9]
    assert data.u.attrs["symbol"] == "u(t,s)" and data.attrs["configuration"] == run.configuration
    for every, dimension in ((None, "t"), (100, "state_t")):
        run = masing.simulate(model="prandtl", set={"k": 1, "eta": 0.5}, force="cos(t)", final_time=10, steps=1000,
                              field_every=every)
        data = run.to_xarray()
        assert data.state.dims == (dimension, "column") and list(data.column) == ["x", "y", "u"]
        assert abs(data.state.sel(column="u")).max() == 0.5 and ("u" in run.to_dataframe()) == (every is None)
    for w, dimension in (([0.5, 0.7, 0.6], "w"), ([0.5, 0.7, 0.5], "point")):
        data = masing.scan(over={"w": w}, force="0.1*sin(w*t)", **SMALL).to_xarray()
        assert data.amplitude.dims == (dimension,) and list(data.w) == w


def test_a_study_comes_back_whatever_its_verdict_and_shows_itself():
    study = masing.converge(**STUDY)
    assert not study.errors["x"].flags.writeable
    assert (study.verdict, masing.converge(**STUDY, expect_order=3).verdict) == ("as expected", "not as expected")
    order, half = study.order("x")
    assert abs(order - 1) + half < 0.1 and study.order("y")[0] == study.fit["observed_y"]
    assert list(study.levels["P"]) == STUDY["levels"]
    frame = study.to_dataframe()
    assert list(frame["error_x"]) == list(study["cases/error_x"])
    for name in ("cells", "steps", "mark_x"):  # counts are whole numbers
        assert frame[name].dtype.kind == "i" and list(frame[name]) == list(study[f"cases/{name}"])
    shown = study._repr_html_()
    assert study.claim.startswith("Order one in δs: x") and study.claim in shown and "order of x" in shown
    assert study.plot_errors().get_xlabel() == "cell width δs"
    # The style of the session stays.
    with matplotlib.rc_context({"lines.linewidth": 7.5, "font.size": 3.5, "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        study._repr_html_(), study.plot_errors(), masing.simulate(**SMALL).plot_cycle()
        assert dict(matplotlib.rcParams) == before


def test_plots_are_labelled_and_drawn_into_given_axes():
    run = masing.simulate(**SMALL, force="0.3*sin(t)")
    given = matplotlib.pyplot.figure().add_subplot()
    assert run.plot(start=5, end=9, ax=given, color="k") is given
    (line,) = given.lines
    inside = (run.t >= 5) & (run.t <= 9)
    np.testing.assert_array_equal(line.get_xydata(), np.c_[run.t, run.x][inside])
    assert (given.get_xlabel(), given.get_ylabel(), line.get_color()) == ("time t", "displacement x", "k")
    (line,) = (ax := run.plot_cycle()).lines
    np.testing.assert_array_equal(line.get_xydata(), np.c_[run.x, run.restoring])
    assert ax is not given and ax.get_ylabel() == "restoring force F − m x″"
    scan = masing.scan(over={"w": [0.5, 0.7, 1], "f": [0.1, 0.2]}, force="f*sin(w*t)", **SMALL)
    ax = scan.plot("peak_x", over="f")
    assert [ax.get_xlabel(), ax.get_ylabel(), len(ax.lines)] == ["f", "max |x|", 3]
    np.testing.assert_array_equal(scan["peak_x"], np.maximum(scan["most_x"], -scan["least_x"]))
    assert list(scan.points["peak_x"]) == list(scan["peak_x"]) == list(dict(scan)["peak_x"])
    assert float(scan.to_xarray().peak_x.sel(w=0.7, f=0.2)) == scan["peak_x"][3]


def test_the_finest_level_of_a_study_is_a_run_and_the_study_is_none(tmp_path):
    study = masing.converge(**STUDY)
    assert not isinstance(study, masing.Run) and isinstance(study.finest, masing.Run)
    for run in (study.finest, masing.Run(study.save(tmp_path / "s.h5")), masing.open(tmp_path / "s.h5").finest):
        assert (run.cells, run.steps) == (200, 20000) and np.array_equal(run.x, study["series/x"])
        assert set(run) == {"t", "x", "y", "force", "restoring"} == {"t", *run.to_xarray()}
        assert (run.settings["cells"], run.settings["steps"]) == ("200", "20000") and "levels" not in run.settings
        assert run.configuration.startswith("model = masing\n")
        np.testing.assert_array_equal(masing.simulate(config=run.configuration).x, run.x)
    assert study.finest is study.finest and study.settings["levels"] == "25,50,100,200"
    given = matplotlib.pyplot.figure().add_subplot()
    assert study.plot_errors(given) is given and given.get_xlabel() == "cell width δs"


def test_what_a_result_has_not_is_no_attribute_and_is_said_by_the_names_it_has():
    run = masing.simulate(**SMALL, force="0.3*sin(t)")
    assert not hasattr(run, "watch") and not hasattr(run, "profile") and hasattr(run, "x")
    assert run._ipython_key_completions_() == list(run)
    with pytest.raises(KeyError, match=f"has no dataset X; it has {', '.join(run)}$"):
        run["X"]
    scan = masing.scan(over={"w": [0.5, 0.7]}, force="0.1*sin(w*t)", **SMALL)
    with pytest.raises(KeyError, match="it has .*, peak_x$"):
        scan["amp"]
    index = masing.converge(**STUDY).to_dataframe().index
    assert (index.name, list(map(type, index.tolist()))) == ("level", [int] * 4)


def test_a_result_on_a_file_never_becomes_another_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = SMALL | {"force": "0.3*sin(t)", "output": "run.h5"}
    run, x = masing.simulate(**given), masing.simulate(**given | {"output": "other.h5"}).x
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(run.x, x)
    assert run.path == tmp_path / "run.h5"
    monkeypatch.chdir(tmp_path)
    shown = repr(run)
    masing.simulate(**given | {"cells": 3})
    assert repr(masing.open(run.path)) != shown == repr(run)
    for use in (lambda: run.y, lambda: run.save("again.h5"), run.to_xarray, lambda: masing.simulate(config=run)):
        with pytest.raises(masing.MasingError, match="run.h5: was written again after it was opened; open it again"):
            use()
    assert run.title == "P = 20, N = 2000" and masing.open("run.h5").cells == 3 and not (tmp_path / "again.h5").exists()


@pytest.mark.parametrize("result", [
    lambda: masing.simulate(**SMALL, energy=True, field_every=500), lambda: masing.converge(**STUDY),
    lambda: masing.scan(over={"w": [0.5, 0.7]}, force="0.1*sin(w*t)", **SMALL)])
def test_a_result_is_a_mapping_of_its_arrays_and_shows_them_in_short(result):
    result = result()
    assert dict(result).keys() == set(result) and {result: 1}[result] == 1 and result != copy.copy(result)
    lines = repr(result).splitlines()
    assert len(lines) <= 20 and max(map(len, lines)) <= 120
    shown = " ".join(lines).replace(",", "").split()
    assert set(result) <= set(shown)
    assert not [name for name in dir(result) if name.startswith("_")] and {"to_xarray", "title"} <= set(dir(result))


@pytest.mark.long
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
def test_the_program_ends_with_the_script_that_is_killed(tmp_path):
    call = "import masing; masing.simulate(cells=20000, final_time=200, steps=3000000, ranks=2)"
    script = subprocess.Popen([sys.executable, "-c", call], stderr=subprocess.DEVNULL,
                              env=os.environ | {"PYTHONPATH": str(ANALYSIS), "TMPDIR": str(tmp_path)})

    def wait(until):
        for _ in range(6000):  # until it counts as hung
            seen = subprocess.run("cat /proc/[0-9]*/cmdline", shell=True, capture_output=True, check=False).stdout
            if until(seen.count(str(tmp_path).encode())):
                return
            time.sleep(0.1)
        raise AssertionError
    try:
        wait(lambda running: running >= 3)
    finally:
        script.kill()
        script.wait()
    wait(lambda running: not running)


def test_a_scan_has_its_points_by_parameter_and_says_which_failed():
    grid = {"w": [0.7, 0.8, 2], "f": [0.3, 0.5]}
    with pytest.warns(UserWarning, match="^2 of 6 points failed; the first: .*must be > 0"):
        scan = masing.scan(over=grid, force="f*sin(w*t)", mass="w<1.5 ? 1 : -1", **STEADY)
    assert scan.parameters == ["w", "f"] and "amplitude" in scan._repr_html_()
    np.testing.assert_array_equal(scan.points["status"], [0, 0, 0, 0, 1, 1])
    assert [line[:3] for line in scan.messages] == ["4: ", "5: "] and scan.settings["over.f"] == "0.3,0.5"
    data = scan.to_xarray()
    assert data.multiplier_re.sizes == {"w": 3, "f": 2, "multiplier": 2}
    amplitude = scan.points["amplitude"]
    assert float(data.amplitude.sel(w=0.7, f=0.5)) == amplitude[1] != amplitude[0]
    assert scan.to_dataframe()["period_multiple"].isna().sum() == 2


@pytest.mark.parametrize("command, options, group, variable", [
    ("simulate", {**SMALL, "energy": True, "field_every": 500, "damping": 0.1, "force": "sin(t)"}, "series", "x"),
    ("scan", {"over": {"w": [0.7, 0.8], "f": [0.3, 0.5]}, "force": "f*sin(w*t)", **STEADY}, "points", "amplitude")])
def test_h5py_xarray_and_netcdf_agree(command, options, group, variable, tmp_path):
    result = getattr(masing, command)(**options)
    data = result.to_xarray()
    with h5py.File(result.path) as file:
        numbers, about = file[f"{group}/{variable}"][:], file[f"{group}/{variable}"].attrs["long_name"]
    np.testing.assert_array_equal(result[f"{group}/{variable}"], numbers)
    np.testing.assert_array_equal(data[variable].values.ravel(), numbers)
    with xarray.open_dataset(result.path, group=group, engine="h5netcdf") as own:
        np.testing.assert_array_equal(own[variable], numbers)
        assert own[variable].long_name == data[variable].long_name == about
    result.to_netcdf(tmp_path / "own.nc")
    with xarray.open_dataset(tmp_path / "own.nc") as again:
        xarray.testing.assert_identical(again.load(), data)


def test_a_model_is_identified_as_the_script_does(run_script, tmp_path, undrawn):
    x = one_cycle(1.5, 400)
    x, force = x[400:], drive(x, np.array([0.5]), np.array([2.0]), 0.25)[400:]
    lab = write_csv(tmp_path / "lab.csv", "Weg,Kraft", 1000 * x, force)
    code, out, _ = run_script(identify, lab, "--columns", "x=Weg,force=2", "--scale", "x=0.001")
    found = masing.identify(lab, columns={"x": "Weg", "force": 2}, scale={"x": 0.001}, output=tmp_path / "mine.ini")
    assert code == 0 and out.splitlines()[:-1] == found.lines == repr(found).splitlines()
    assert (tmp_path / "mine.json").read_bytes() == (tmp_path / "lab-identified.json").read_bytes()
    again = masing.identify((x, force))
    np.testing.assert_allclose([again.numbers["eta"], again.numbers["k"]], [[0.5], [2.0]], rtol=1e-9)
    assert again.numbers["k0"] == pytest.approx(0.25) and np.ptp(again.run.x) == pytest.approx(3, rel=1e-3)
    case = again.case
    del again
    gc.collect()
    assert not case.parent.exists()


SLAB = {"cells": "inf", "scheme": "leapfrog"}


def record(seed, steps=200):
    return 0.02 * np.arange(steps + 1), np.random.default_rng(seed).standard_normal(steps + 1)


@pytest.mark.parametrize("module", ["1", "0"])
def test_arrays_have_the_bits_of_a_file(module, tmp_path, monkeypatch):
    monkeypatch.setenv("MASING_MODULE", module)
    t, a = record(1)
    np.savetxt(tmp_path / "r.csv", np.column_stack([t, a]), delimiter=",", fmt="%.17g")
    times = {"final_time": 4, "steps": 400, **SLAB}
    of_file = masing.simulate(base_acceleration=tmp_path / "r.csv", **times)
    assert np.ptp(of_file.x) > 0
    for options in ({"base_acceleration": (t, a)}, {"base_acceleration": "r(t)", "tables": {"r": pd.Series(a, t)}},
                    {"base_acceleration": "r(t)", "tables": {"r": tmp_path / "r.csv"}}):
        run = masing.simulate(**options, **times)
        assert np.array_equal(run.x, of_file.x) and "points:0 " in run.configuration


def test_a_scan_that_fails_gives_no_older_file(tmp_path, monkeypatch):
    masing.scan(over={"w": [0.5]}, force="0.1*sin(w*t)", output=tmp_path / "s.h5", **SMALL)
    monkeypatch.setattr(program, "run", lambda *args, **options: program.Answer(1, "", ["masing: the disk is full"]))
    with pytest.raises(masing.MasingError, match="^the disk is full$"):
        masing.scan(over={"w": [0.5]}, force="0.1*sin(w*t)", output=tmp_path / "s.h5", ranks=2, **SMALL)


def test_samples_are_single_runs():
    records = [record(seed, 200 + 10 * seed) for seed in range(2)]
    samples = pd.DataFrame({"record": records, "k0": [0.1, 0.2], "c": [0, 0.05]})
    scan = masing.scan(samples=samples, over={"a": [0.5, 2]}, base_acceleration="a*record(t)", damping="2*c",
                       final_time="record", steps="record", **SLAB)
    frame = scan.to_dataframe()
    assert list(frame["sample"]) == [0, 0, 1, 1] and list(frame["k0"]) == [0.1, 0.1, 0.2, 0.2]
    assert scan.parameters == ["sample", "a"] and not frame["status"].any()
    for row in frame.itertuples():
        t, a = records[row.sample]
        run = masing.simulate(base_acceleration=(t, row.a * a), k0=row.k0, damping=2 * row.c, final_time=t[-1],
                              steps=len(t) - 1, **SLAB)
        assert (run.x.max(), run.x[-1], abs(run.y).max()) == (row.most_x, row.last_x, row.most_speed)


def test_records_of_peer_are_cells_of_samples(tmp_path):
    path = tmp_path / "r.AT2"
    path.write_text("one\ntwo\nthree\nNPTS=   6, DT=   .5000 SEC\n0 1 0 -1 0\n2\n")
    runs = [masing.simulate(base_acceleration=path, final_time=2.5, steps=50, **SLAB).x[-1]] * 2
    one = masing.scan(samples={"record": [path, str(path)]}, base_acceleration="record(t)", final_time=2.5, steps=50,
                      **SLAB)
    two = masing.scan(over={"base_acceleration": [path, path]}, final_time=2.5, steps=50, **SLAB)
    assert list(one["last_x"]) == list(two["last_x"]) == runs


def test_a_scan_names_its_parameters_as_keywords():
    scan = masing.scan(over={"final_time": [5, 6]}, force="sin(t)", cells=10, steps=100)
    assert scan.parameters == ["final_time"] and list(scan["final_time"]) == list(scan.points["final_time"]) == [5, 6]
    assert list(scan.to_xarray()["final_time"]) == [5, 6] and scan.plot(over="final_time").get_xlabel() == "final_time"


def test_records_may_be_varied_like_numbers():
    records = [record(seed) for seed in (5, 6)]
    scan = masing.scan(over={"force": records, "k0": [0.1, 0.2]}, final_time=4, steps=200, **SLAB)
    for n, point in enumerate((force, k0) for force in records for k0 in (0.1, 0.2)):
        run = masing.simulate(force=point[0], k0=point[1], final_time=4, steps=200, **SLAB)
        assert scan["most_x"][n] == run.x.max()
    columns = {"force": [each for each in records for _ in range(2)], "k0": [0.1, 0.2] * 2}
    again = masing.scan(samples=columns, force="force(t)", final_time=4, steps=200, **SLAB)
    np.testing.assert_array_equal(again["most_x"], scan["most_x"])


def test_options_are_varied_by_their_keywords():
    times = masing.scan(over={"final_time": [2, 4]}, force="0.3*sin(t)", steps=200, **SLAB)
    for n, final_time in enumerate((2, 4)):
        run = masing.simulate(force="0.3*sin(t)", final_time=final_time, steps=200, **SLAB)
        assert times["most_x"][n] == run.x.max()


def test_arrays_are_in_the_file_and_paths_are_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    t, a = record(5)
    np.savetxt("#1, b.csv", np.column_stack([t, a]), delimiter=",", fmt="%.17g")
    for cells in ([(t, a), (t, 2 * a)], ["#1, b.csv", "#1, b.csv"]):
        scan = masing.scan(samples={"record": cells}, force="record(t)", final_time=4, steps=200, output="s.h5", **SLAB)
        with h5py.File("s.h5") as file:
            assert ("samples/values" in file) == (cells[0] != "#1, b.csv")
        again = program.run(program.required(), "reproduce", "s.h5", "--quiet")
        assert again.code == 0 and "bit for bit" in again.printed, again.errors
        twin = masing.scan(config="s.h5")
        assert np.array_equal(twin["most_x"], scan["most_x"])
        assert list(scan.records["path"]) == (["#1, b.csv"] if cells[0] == "#1, b.csv" else ["array:0", "array:1"])
    assert not list(tmp_path.glob("*array*"))
