"""`import masing`: what its functions give is the content of the program's file, and what they raise its own line."""

import copy
import gc
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import h5py
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest

import cycles
import identify
import masing
from masing import commands, program, values
from masing.commands import words
from masing.signatures import COMMANDS
from oracle import drive, one_cycle, write_csv

try:
    import xarray as xr
except ImportError:
    xr = None

ANALYSIS = Path(masing.__file__).resolve().parents[1]

# Some milliseconds.
SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
OTHER = {"model": "discrete-masing", "set": {"n": 3, "k": "1/n", "eta": "i"}, "final_time": 20, "steps": 2000}
STUDY = {"refine": "cells", "levels": [25, 50, 100, 200], "reference": "cells-inf", "final_time": 20, "steps": 20000}


@pytest.fixture(autouse=True)
def no_warning():
    """The steps of these runs are too coarse for the program's taste."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "with a step of")
        yield


@pytest.mark.parametrize("options, expected", [
    ({"final_time": 60, "k0": 0.25, "from_": 20}, ["--final-time", "60", "--k0", "0.25", "--from", "20"]),
    ({"energy": True, "quiet": False, "probe": None}, ["--energy"]),
    ({"cells": math.inf, "mass": np.float64(0.1), "steps": np.int64(7)},
     ["--cells", "inf", "--mass", "0.1", "--steps", "7"]),
    ({"levels": [50, 100]}, ["--levels", "50,100"]), ({"probe": np.array([0.1, 0.5])}, ["--probe", "0.1,0.5"]),
    ({"levels": [(50, 5000), (100, 10000)]}, ["--levels", "50:5000,100:10000"]),
    ({"levels": (50, 100)}, ["--levels", "50,100"]),
    ({"expect_order": {"x": 1, "u_cells": 2}}, ["--expect-order", "x=1,u_cells=2"]),
    ({"set": {"k": [1, 2], "n": 2}}, ["--set", "k=1,2", "--set", "n=2"]),
    ({"set": ["k=1", "n=2"]}, ["--set", "k=1", "--set", "n=2"]),
    ({"over": {"w": "0.3:1.75:30"}}, ["--over", "w=0.3:1.75:30"]), ({"over": "w=1,2"}, ["--over", "w=1,2"]),
    ({"petsc": "-log_view :a b", "steps": 3}, ["--steps", "3", "--petsc", "-log_view", ":a", "b"])])
def test_keywords_are_the_options(options, expected, tmp_path):
    assert [piece for word in words(options, tmp_path) for piece in word.split("=", 1)] == expected


def test_importing_takes_no_library_and_what_is_missing_is_said_before_a_run():
    call = (f"import sys; sys.path.insert(0, {str(ANALYSIS)!r}); import masing; print(masing.simulate.__name__)\n"
            "for call in (masing.simulate, lambda: masing.open('a.h5'), lambda: masing.identify('a.csv')):\n"
            "    try: call()\n    except masing.MasingError as lack: print(lack)")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", call], capture_output=True, text=True, check=False,
                          env={"MASING_PROGRAM": "/bin/false"})
    lines = done.stdout.splitlines()
    assert (len(lines), lines[0], done.stderr) == (4, "simulate", "") and all("has no h5py" in line for line in lines[1:])


def test_a_run_has_what_the_file_of_the_command_line_has(tmp_path):
    file = tmp_path / "run.h5"
    subprocess.run([program.required(), "simulate", "--cells=20", "--final-time=20", "--steps=2000", "--field-every=500",
                    "--energy", "--probe=0.1,0.5", f"--output={file}", "--quiet"], check=True, capture_output=True)
    run = masing.simulate(**SMALL, field_every=500, energy=True, probe=[0.1, 0.5])
    with h5py.File(file) as expected:
        for name in ("t", "x", "y", "force", "restoring"):
            np.testing.assert_array_equal(getattr(run, name), expected["series"][name])
        for name in ("s", "eta", "k", "u"):
            np.testing.assert_array_equal(getattr(run, name), expected["field"][name])
            np.testing.assert_array_equal(run[f"/field/{name}"], run[name])
        np.testing.assert_array_equal(run.last_u, expected["field/u"][-1])
        np.testing.assert_array_equal(run["energy/residual"], expected["energy/residual"])
        np.testing.assert_array_equal(run.to_dataframe()["u(0.5)"], expected["probe/u"][:, 1])
        assert run.to_dataframe().index.name == "t" and run.title == expected.attrs["title"]
    assert run.settings["steps"] == "2000"
    with pytest.raises(masing.MasingError, match="no dataset /field/v; it has .*field/u[^;]*$"):
        run["field/v"]
    with pytest.raises(masing.MasingError, match="no dataset /energy/work; it has .*energy/input[^;]*$"):
        run["energy/work"]


def test_a_run_is_made_on_ranks():
    large = {**SMALL, "cells": 40000}  # with fewer one rank would make it
    assert [masing.simulate(**large, ranks=ranks).provenance["ranks"] for ranks in (None, 2)] == [1, 2]


def test_arrays_are_a_table():
    t, force = np.array([0, 10, 20.0]), np.array([0, 1 / 3, 0])
    run = masing.simulate(**SMALL, force=(t, force))
    np.testing.assert_allclose(run.force, np.interp(run.t, t, force), atol=1e-15)


def test_a_path_is_that_of_a_table_or_of_a_run(tmp_path):
    (tmp_path / "f.csv").write_text("0,0\n20,0.5\n")
    run = masing.simulate(**SMALL, force=tmp_path / "f.csv")
    np.testing.assert_allclose(run.force, run.t / 40, atol=1e-15)
    run.save(tmp_path / "run.h5")
    np.testing.assert_array_equal(masing.simulate(**SMALL, initial_u=tmp_path / "run.h5").x,
                                  masing.simulate(**SMALL, initial_u=run).x)
    with pytest.raises(masing.MasingError, match="--force: names a file; give table:.*f.csv$"):
        masing.simulate(**SMALL, force=str(tmp_path / "f.csv"))


@pytest.mark.parametrize("table", [([0, 10, 20], [0, 1 / 3, 0]), [[0, 0], [10, 1 / 3], [20, 0]],
                                   np.array([[0, 0], [10, 1 / 3], [20, 0]]),
                                   pd.DataFrame({"t": [0, 10, 20], "f": [0, 1 / 3, 0]}),
                                   pd.DataFrame({"f": [0, 1 / 3, 0]}, index=[0, 10, 20.0]),
                                   pd.Series([0, 1, 1 / 3, 1, 0], index=[0, 5, 10, 15, 20.0])[::2],
                                   [np.array([0, 10, 20]), np.array([0, 1 / 3, 0])],
                                   lambda t: np.interp(t, [0, 10, 20], [0, 1 / 3, 0])[:, None],
                                   xr and xr.DataArray([0, 1 / 3, 0], dims="t", coords={"t": [0, 10, 20]})])
@pytest.mark.filterwarnings("ignore:.*sampled at")
def test_lists_and_columns_are_tables_too(table):
    if table is None:
        pytest.skip("no xarray")
    run = masing.simulate(**SMALL, force=table)
    np.testing.assert_allclose(run.force, np.interp(run.t, [0, 10, 20], [0, 1 / 3, 0]), atol=1e-15)
    assert values.table("force", pd.DataFrame({"t": [0, 20], "f": [0, 1]})) == ([0, 20], [0, 1])
    assert values.table("force", ([0, 20], [0, 1])) == ([0, 20], [0, 1])


@pytest.mark.filterwarnings("ignore:.*sampled at")
def test_a_function_may_write_into_its_argument():
    def doubled(t):
        t *= 2
        return t
    run = masing.simulate(**SMALL, force=doubled)
    np.testing.assert_allclose(run.force, 2 * run.t, atol=1e-12)


X = np.linspace(0, 1, 30)
MISTAKES = [
    (lambda: masing.simulate(force=X), "^force: one array has no arguments; give"),
    (lambda: masing.simulate(force=([0], [1])), "^force: its table has one point; give two at least, or a number"),
    *((lambda table=table: masing.simulate(force=table), f"^force: a {type(table).__name__} whose rows are only counted")
      for table in (pd.Series(X), pd.Series(X)[::2], pd.DataFrame({"f": X}))),
    *((lambda table=table: masing.simulate(force=table), "^force: two rows of two may be rows or columns; give .t, f.")
      for table in (np.array([[0, 1], [5, 2.0]]), [[0, 1], [5, 2]], [(0, 1), (5, 2)])),
    *((lambda f=f, at=at: masing.simulate(**SMALL, force=f), f"^force: .*j.? at t = {at}; give a function .* finite real")
      for f, at in ((lambda t: 1j * t + 0.1, 0), (lambda t: np.complex128(1j) if t > 1 else 0.0, 1.01))),
    (lambda: masing.simulate(**OTHER).last_u, r'no dataset /field/u; it has .*; what .* is in result\["state/values"\]$'),
    (lambda: masing.simulate(force=(X, X[1:])), "^force: 30 arguments and 29 values; give"),
    (lambda: masing.simulate(force=["a", "b"]), "^force: .*"), (lambda: masing.simulate(force=True), "^force=True: give"),
    *((lambda path=path: masing.simulate(**SMALL).save(path), fr"^save\({path}\): give the path") for path in (3, None)),
    (lambda: masing.simulate(let={"a": None}), r"^let\['a'\]=None: give a number"),
    (lambda: masing.simulate(**SMALL).plot_cycle(start=99), r"(gave|\.h5): no finite sample"),
    (lambda: masing.simulate(config="cellz = 10"), "cellz is not a key"),
    (lambda: masing.simulate(dt=0.01), "^dt=0.01: is no option: the step is final_time / steps; give these two$"),
    (lambda: masing.simulate(config="none.ini"), "^cannot read none.ini: No such"),
    (lambda: masing.simulate(ranks=0), "^ranks=0: give a whole number from 1"),
    (lambda: masing.simulate(ranks="two"), "^ranks=two: give a whole"),
    (lambda: masing.simulate("x.h5"), r"^simulate\('x.h5'\): options are given by name"),
    (lambda: masing.open(3), r"^open\(3\): give the path"), (lambda: masing.identify(np.eye(3)), "has 3 points"),
    (lambda: masing.identify(np.eye(4)), "^a curve in arrays is"), (lambda: masing.identify(["a", "b"]), "^a curve in arr"),
    (lambda: masing.identify(3), "^3 is no curve: give"), (lambda: masing.open("."), "^.: is not there or is not a file"),
    (lambda: masing.identify((X, X), threshold=np.sin), "^threshold: give η"),
    (lambda: masing.simulate(final_time=object()), "^final_time=<object object at .*: give a number, a text or a list"),
    (lambda: masing.simulate(final_time=math.nan), "^final_time=nan: give a number"),
    (lambda: masing.simulate(final_time=1j), "^final_time=1j: give a number"),
    (lambda: masing.simulate(cells=len), "^cells: a function of Python is no value of it"),
    (lambda: masing.simulate(model=b"masing"), "^model=b'masing': give a"),
    (lambda: masing.simulate(force="a\0b"), "^force='a.x00b': has a character"),
    (lambda: masing.simulate(energy=1), "^--energy: takes no value; leave out =1"),
    (lambda: masing.simulate(force=(X, X * 1j)), "^force: what is not a number"),
    (lambda: masing.simulate(force=(np.ma.array([0, 1], mask=[0, 1]), [1, 2])), "^force: row 2 of its table is nan, 2"),
    (lambda: masing.simulate(force=([0, 1], [0, math.nan])), "^force: row 2 of its table is 1, nan"),
    (lambda: masing.simulate(force=(np.array(1.0), np.array(2.0))), "^force: one array has"),
    (lambda: masing.simulate(force={"t": [0, 1]}), "^force={'t': .0, 1.}: is no table"),
    (lambda: masing.simulate(set=3), "^set=3: give a dictionary"),
    (lambda: masing.scan(over=[1, 2]), r"^over=\[1, 2\]: give a dict"),
    (lambda: masing.converge(levels=[]), r"^levels=\[\]: is empty"),
    (lambda: masing.converge(levels={1, 2}), "^levels={1, 2}: give a number"),
    (lambda: masing.simulate(petsc="'a"), '^petsc="\'a": give words'),
    (lambda: masing.simulate(petsc=3), "^petsc=3: give words"),
    (lambda: masing.simulate(output=True), "^output=True: give a value, or None"),
    (lambda: masing.simulate(config={"cells": 3}), "^config={'cells': 3}: give the name"),
    (lambda: masing.simulate(**{"final-time": 3}), "^'final-time' is no option: give its name with _ for -"),
    *((lambda ranks=ranks: masing.simulate(**SMALL, ranks=ranks), f"^ranks={ranks}: give a whole number from 1")
      for ranks in (-1, 2.5, True, math.nan, {})),
    (lambda: masing.Run(3), r"^Run\(3\): give the path"),
    (lambda: masing.Study(None), r"^Study\(None\): give the path"),
    (lambda: masing.open("a" * 5000), "is not there or is not a file"), (lambda: masing.open("a\0b"), "is not there"),
    (lambda: masing.cycle_numbers((X, X), from_="a"), "^from_='a': give a time"),
    (lambda: masing.cycle_numbers((X, X), to=[1, 2]), r"^to=\[1, 2\]: give a time"),
    (lambda: masing.cycle_numbers((X, X * 1j)), "of real numbers$"),
    (lambda: masing.cycle_numbers((X, X * 1j, X)), "of real numbers$"),
    (lambda: masing.cycle_numbers({"x": X, "force": X}), r"^\{'x': array.*\.\.\. is no curve: give"),
    (lambda: masing.identify((X, X), scale=3), r"^scale=3: give a dictionary .* scale=\{\"x\": 0.001\}"),
    (lambda: masing.identify((X, X), scale={"path": 2}), "^scale={'path': 2}: give a dictionary"),
    (lambda: masing.identify((X, X), columns="x=A"), "^columns='x=A': give a dictionary"),
    (lambda: masing.identify((X, X), output=3), "^output=3: give the name"),
    (lambda: masing.identify((X, X), figure=X), r"^figure=array\(.*\.\.\.: give the name"),
    (lambda: masing.identify((X, X), program_path=b"m"), "^program_path=b'm': give the name")]


@pytest.mark.parametrize("call, words", MISTAKES)
def test_mistakes_raise_what_is_promised(call, words):
    with pytest.raises(masing.MasingError, match=words) as caught:
        call()
    assert caught.value.code == 2


def test_a_result_stands_for_its_file():
    run = masing.simulate(**SMALL, force="0.3*sin(t)")
    again = masing.simulate(config=run)
    np.testing.assert_array_equal(again.x, run.x)
    assert again.configuration == run.configuration == masing.simulate(config=run.path).configuration
    assert masing.simulate(config=run, final_time=10, to=10).t[-1] == 10
    # What yields at the end is held: the other run begins there.
    np.testing.assert_array_equal(masing.simulate(**SMALL, initial_u=run, field_every=2000)["field/u"][0], run.last_u)


def test_numbers_of_every_kind_are_numbers():
    expected = masing.simulate(**SMALL, mass=1.5, probe=[0.5, 1], energy=True)
    for mass, probe, energy in (
            (np.float32(1.5), np.array([0.5, 1]), np.True_), (np.array(1.5), (0.5, 1), True),
            (Decimal("1.5"), pd.Series([0.5, 1]), True), (Fraction(3, 2), iter([0.5, 1]), np.bool_(1))):
        run = masing.simulate(**SMALL, mass=mass, probe=probe, energy=energy, k0=None, output=None)
        np.testing.assert_array_equal(run["probe/u"], expected["probe/u"])
        np.testing.assert_array_equal(run["energy/input"], expected["energy/input"])
    runs = [masing.simulate(**SMALL, stiffness=stiffness) for stiffness in (np.array(2.0), 2, "2")]
    assert (runs[0].x == runs[1].x).all() and (runs[1].x == runs[2].x).all()


def test_a_result_knows_its_names():
    run = masing.simulate(**SMALL, field_every=500)
    names = list(run)
    assert "series/x" in names and "field/u" in names and len(names) == len(set(names)) > 5
    for name in (*names, "x", "/series/x", "last_t", "amplitude", 3):
        try:
            run[name]
        except masing.MasingError:
            assert name not in run
        else:
            assert name in run


def test_a_case_may_be_one_line(tmp_path, monkeypatch):
    one = masing.simulate(config="cells = 20", final_time=20, steps=2000)
    np.testing.assert_array_equal(one.x, masing.simulate(**SMALL).x)
    monkeypatch.chdir(tmp_path)
    Path("a=b.ini").write_text("cells = 20\nfinal-time = 20\n")
    np.testing.assert_array_equal(masing.simulate(config="a=b.ini", steps=2000).x, one.x)


def test_a_mistake_leads_to_the_users_line_at_once():
    with pytest.raises(masing.MasingError) as caught:
        masing.simulate(cells=-1)
    assert len(caught.traceback) == 3 and caught.value.__suppress_context__


def test_another_program_is_not_masing(monkeypatch):
    monkeypatch.setenv("MASING_PROGRAM", "/bin/true")
    with pytest.raises(masing.MasingError, match=r"true is not masing; give its path in \$MASING_PROGRAM$"):
        program.version()


def test_an_installed_package_without_a_program_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "ROOT", tmp_path / "share" / "masing")
    monkeypatch.setenv("PATH", "")
    said = f"^no program at {tmp_path}/bin/masing or on the PATH{{}}: build it, or give its path in .MASING_PROGRAM$"
    for given, words in (("", ""), ("/none", ", nor at .MASING_PROGRAM = /none")):
        monkeypatch.setenv("MASING_PROGRAM", given)
        for call in (program.required, lambda: masing.native.required("masing.Material")):
            with pytest.raises(masing.MasingError, match=said.format(words)):
                call()


def test_results_are_copied_and_kept():
    run = masing.simulate(**SMALL, output=None)
    for again in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        np.testing.assert_array_equal(again.x, run.x)
    error = pickle.loads(pickle.dumps(masing.MasingError("one\nline", 3)))
    assert (str(error), error.code) == ("one line", 3)


def test_arrays_of_results_are_read_only_and_those_made_of_them_are_not():
    run = masing.simulate(**SMALL, field_every=500, energy=True)
    study = masing.converge(**STUDY | {"levels": [10, 20], "steps": 2000})
    scan = masing.scan(over={"w": [0.5, 1]}, force="0.1*sin(w*t)", **SMALL)
    before = run.x.copy()
    for result in (run, masing.open(run.path), pickle.loads(pickle.dumps(run)), copy.deepcopy(run), copy.copy(run)):
        for array in (result.x, result.y, result["series/x"], result.u, result.last_u, result["energy/residual"]):
            with pytest.raises(ValueError, match="read-only"):
                array -= 1
        frame, data = result.to_dataframe(), result.to_xarray().copy(deep=True) if xr else {}
        frame["x"] -= 1
        frame.loc[frame.index[0], "y"] = 7.0
        if xr:
            data.x[0] = 7.0
        np.testing.assert_array_equal(result.x - 1, frame["x"])
        np.testing.assert_array_equal(result.x, before)
    for array in (study.errors["x"], study.ds, scan.points["amplitude"], scan.axes["w"], *run.state.values()):
        assert not array.flags.writeable


def test_counts_of_tables_are_whole_numbers():
    study = masing.converge(**STUDY | {"levels": [10, 20], "steps": 2000})
    frame = study.to_dataframe()
    for name in ("cells", "steps", "mark_x"):
        assert frame[name].dtype.kind == "i" and list(frame[name]) == list(study[f"cases/{name}"])
    assert frame.index.dtype.kind == "i"
    scan = masing.scan(over={"w": [0.5, 1]}, force="0.3*sin(w*t)", steady=True, cells=20, steps=20000)
    kinds = {name: column.dtype.kind for name, column in scan.to_dataframe().items()}
    assert (kinds["status"], kinds["period_multiple"], kinds["w"], kinds["amplitude"]) == ("i", "i", "f", "f")
    with pytest.warns(UserWarning, match="1 of 2 points failed"):
        failed = masing.scan(over={"m": [1, -1]}, mass="m", force="0.3*sin(t)", steady=True, cells=20, steps=20000)
    assert list(failed.to_dataframe()["status"]) == [0, 1] and failed.to_dataframe()["period_multiple"].isna()[1]


def test_a_run_that_is_not_finished_says_so(tmp_path):
    run = masing.simulate(**SMALL, output=tmp_path / "a.h5")
    for content in (run.path.read_bytes(), run.path.read_bytes()[:4096]):
        (tmp_path / "b.h5.partial").write_bytes(content)
        with pytest.raises(masing.MasingError, match="b.h5.partial: is of a run that is not finished.* wait for b.h5"):
            masing.open(tmp_path / "b.h5.partial")
    with pytest.raises(masing.MasingError, match="b.h5: is still being written, or was stopped: .*b.h5.partial has"):
        masing.open(tmp_path / "b.h5")


def test_results_say_what_they_have(tmp_path, monkeypatch):
    run = masing.simulate(**SMALL, k0=0.25)
    assert "F(t) = 0.45*cos(0.5*t)" in str(run) and "k₀ = 0.25" in str(run) and str(run).splitlines()[0] == repr(run)
    assert " = ," not in str(run)  # what is not given has no value
    assert str(masing.simulate(**OTHER)).endswith("k = 1/n, eta = i, x0 = 0, y0 = 0, u0 = 0")
    with pytest.warns(UserWarning, match="^u is known at t = 20 alone, and is last_u; field_every=20 keeps it every 20 st"):
        np.testing.assert_array_equal(run.u[0], run.last_u)
    assert run.plot_cycle().get_title() == run.title
    study = masing.converge(**STUDY)
    scan = masing.scan(over={"w": [0.5, 1]}, force="0.1*sin(w*t)", **SMALL)
    np.testing.assert_array_equal(scan["amplitude"], scan["points/amplitude"])
    for window in ({"start": 10, "end": 15}, {"from_": 10, "to": 15}):
        assert len(run.plot_cycle(**window).lines[0].get_xdata()) == sum((run.t >= 10) & (run.t <= 15))
    monkeypatch.setattr(matplotlib.pyplot, "get_backend", lambda: "agg")
    with pytest.warns(UserWarning, match="^no window on this machine: write the picture, .*savefig") as caught:
        masing.show()
    assert len(caught) == 1
    for call, words in ((lambda: run.plot_cycle(start="a"), r"plot_cycle\(start='a'\)"),
                        (lambda: run.plot_cycle(from_="a"), r"plot_cycle\(from_='a'\): give a time"),
                        (lambda: scan.plot("ampl"), "amplitude"), (lambda: study.order("z"), "measures x, y, u"),
                        (lambda: run["energy/input"], "no dataset /energy/input; it has .*; make it with energy=True$"),
                        (lambda: run["probe/u"], r"; make it with probe=\[0.5\]$"),
                        (lambda: scan["runs/0/x"], '; make it with keep="series"$'),
                        (lambda: study["energy/input"], "no dataset /energy/input; it has [^;]*$"),
                        (lambda: run[None], "has no dataset /None"), (lambda: run["series"], "has no dataset /series; "),
                        (lambda: scan.families("F"), r"families\('F'\): the scan is over w"),
                        (lambda: scan.plot(colour=3), "Axes.plot with {'label': '', 'colour': 3}: .*colour"),
                        (lambda: run.plot_cycle(axes="here"), "axes='here': give Axes"),
                        (lambda: masing.simulate(config=study), "--config: .* is of masing converge; give a file of")):
        with pytest.raises(masing.MasingError, match=words):
            call()
    (tmp_path / "run.h5.partial").touch()
    for read in (masing.open, masing.cycle_numbers):
        with pytest.raises(masing.MasingError, match="still being written, or was stopped: .*run.h5.partial has"):
            read(tmp_path / "run.h5")
    assert masing.__version__ == run.provenance["version"]


def test_xarray_has_the_axes_and_the_state_of_a_model_by_column():
    pytest.importorskip("xarray")
    run = masing.simulate(**SMALL, field_every=500, probe=[0.1, 0.5])
    data = run.to_xarray()
    assert data.u.dims == ("field_t", "s") and data.probe_u.dims == ("t", "probe_s") and data.x.dims == ("t",)
    assert float(data.u.sel(field_t=10, s=0.5)) == run.u[2, 9]
    assert "rows" not in data.attrs
    assert data.u.attrs["symbol"] == "u(t,s)" and data.attrs["configuration"] == run.configuration
    for every, dimension in ((None, "t"), (100, "state_t")):
        run = masing.simulate(model="prandtl", set={"k": 1, "eta": 0.5}, final_time=10, steps=1000, field_every=every)
        data = run.to_xarray()
        assert data.state.dims == (dimension, "column") and list(data.column) == ["x", "y", "u"]
        assert abs(data.state.sel(column="u")).max() == 0.5 and ("u" in run.to_dataframe()) == (every is None)


@pytest.mark.parametrize("options", [{"force": "sin(("}, {"cells": -1, "ranks": 2}])
def test_a_mistake_raises_the_program_s_line(options, tmp_path):
    alone = {name: value for name, value in options.items() if name != "ranks"}
    said = subprocess.run([program.required(), "simulate", *words(alone, tmp_path)], capture_output=True, text=True,
                          check=False)
    with pytest.raises(masing.MasingError) as caught:
        masing.simulate(**options)
    assert (f"masing: {caught.value}\n", caught.value.code) == (said.stderr, 2)


def test_a_file_without_a_name_goes_with_its_result_and_warnings_are_warnings(tmp_path):
    with pytest.warns(UserWarning, match="^with a step of .* euler lets an elastic oscillation grow"):
        run = masing.simulate(cells=20, steps=2000)
    file = run.path
    assert file.exists()
    del run
    gc.collect()
    assert not file.parent.exists()
    masing.simulate(**SMALL, output=tmp_path / "kept.h5")
    gc.collect()
    assert "P = 20, N = 2000" in repr(masing.open(str(tmp_path / "kept.h5")))


def test_what_is_no_file_of_masing_is_refused_and_what_writes_none_gives_its_text(tmp_path):
    with pytest.raises(masing.MasingError, match="is not there"):
        masing.open(tmp_path / "none.h5")
    assert "final-time = 20\n" in masing.simulate(**SMALL, print_config=True)


def test_a_study_comes_back_whatever_its_verdict_and_shows_itself(tmp_path):
    good = masing.converge(**STUDY)
    bad = masing.converge(**STUDY, expect_order=3, output=tmp_path / "bad.h5")
    assert (good.verdict, bad.verdict) == ("as expected", "not as expected")
    order, half = good.order("x")
    assert abs(order - 1) + half < 0.1 and good.order("y")[0] == good.fit["observed_y"]
    assert list(good.table()["P"]) == STUDY["levels"]
    assert list(good.to_dataframe()["error_x"]) == list(good["cases/error_x"])
    assert good.claim.startswith("Order one in δs: x") and good.claim in repr(good)
    shown = good._repr_html_()
    assert good.claim in shown and "as expected</strong>" in shown and "data:image/svg+xml;base64," in shown
    assert f'<td>{good["cases/error_x"][0]:.3e}</td>' in shown
    assert good.plot_errors().axes[0].get_xlabel() == "cell width δs"
    axes = masing.simulate(**SMALL).plot_cycle(start=10, label="mine")
    assert axes.get_ylabel() == "restoring force F − m x″" and axes.lines[0].get_label() == "mine"


def test_the_style_of_the_session_stays():
    # In a Python of its own: the scripts that are tested here have set theirs.
    call = ("import matplotlib; before = dict(matplotlib.rcParams); import masing; "
            f"study = masing.converge(**{STUDY!r}); study._repr_html_(); study.plot_errors(); "
            f"masing.simulate(**{SMALL!r}).plot_cycle(); assert dict(matplotlib.rcParams) == before")
    environment = os.environ | {"PYTHONPATH": str(ANALYSIS), "MASING_PROGRAM": program.required(), "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", call], env=environment, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_stopped_run_says_how_to_go_on_and_does(tmp_path):
    # Half a second of steps at the least.
    options = {"cells": 20000, "final_time": 200, "steps": 600000, "checkpoint": tmp_path / "run.checkpoint"}
    with pytest.raises(masing.MasingError, match="stopped.*restart = ") as caught:
        masing.simulate(**options, wall_limit=0.1)
    assert caught.value.code == 75
    run = masing.simulate(**options, restart=options["checkpoint"])
    np.testing.assert_array_equal(run.x, masing.simulate(**options | {"checkpoint": None}).x)


def test_what_follows_from_others_by_default_follows_anew_where_a_run_is_varied():
    def settings(**options):
        found = masing.simulate(**options).settings
        return {name: found[name] for name in ("final-time", "to", "sample-every", "engine", "field-points", "force")}
    options = {"cells": math.inf, "final_time": 10, "steps": 60000, "force": "0.3*sin(t)"}
    run = masing.simulate(**options)
    assert masing.simulate(config=run).configuration == run.configuration
    for other in ({"final_time": 20}, {"final_time": 5}, {"cells": 50}, {"steps": 600}):
        assert settings(config=run, **other) == settings(**options | other)
    shaken = {"base_acceleration": "sin(t)"}
    for one, other in ((shaken, {"cells": 50}), ({}, shaken), (shaken, {"force": "0.3*sin(t)"})):
        papers = {"cells": 9, "final_time": 5, "steps": 500} | one
        assert settings(config=masing.simulate(**papers), **other) == settings(**papers | other)
    given = {"sample_every": 7, "to": 8, "engine": "exact"}
    run = masing.simulate(**options, **given)
    assert settings(config=run, final_time=20) == settings(**options | given | {"final_time": 20})
    with pytest.raises(masing.MasingError, match="to"):
        masing.simulate(config=run, final_time=5)


def test_a_line_of_progress_is_shown_once_and_nothing_where_there_is_none():
    seen = []
    lines = program.Lines(seen.append)
    for chunk in (b"masing warning: a\n", b"\r\033[K[#..]  40 %  a", b"\r\033[K[##.]  80 %  a", b"\r\033[K"):
        lines.take(chunk)
    lines.end()
    assert (seen, lines.lines) == (["[#..]  40 %  a", "[##.]  80 %  a", None], ["masing warning: a", "", "\033[K"])
    quiet = program.Lines(seen.append)
    quiet.take(b"masing warning: a\n")
    quiet.end()
    assert seen[3:] == []


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
@pytest.mark.parametrize("ranks", [None, 2])
def test_the_program_ends_with_the_script_that_is_killed(ranks, tmp_path):
    call = f"import masing; masing.simulate(cells=20000, final_time=200, steps=3000000, ranks={ranks})"
    environment = os.environ | {"PYTHONPATH": str(ANALYSIS), "MASING_PROGRAM": program.required(), "MASING_MODULE": "0",
                                "TMPDIR": str(tmp_path), "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    script = subprocess.Popen([sys.executable, "-c", call], env=environment, stderr=subprocess.DEVNULL)

    def running():
        return [link for link in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in _content(link)]

    def _content(link):
        try:
            return link.read_bytes()
        except OSError:
            return b""
    try:
        while len(running()) < (ranks or 0) + 1:
            assert script.poll() is None, "the program has not begun"
            time.sleep(0.1)
    finally:
        script.kill()
        script.wait()
    for _ in range(6000):  # until it counts as hung
        if not (left := running()):
            break
        time.sleep(0.1)
    assert left == []


@pytest.mark.parametrize("name", ["cells", "final_time", "force", "petsc", "output", "probe"])
@pytest.mark.parametrize("value", [True, False, np.False_])
def test_an_option_with_a_value_takes_neither_true_nor_false(name, value):
    with pytest.raises(masing.MasingError, match=f"^{name}={bool(value)}: give a value, or None for none; Tr"):
        masing.simulate(**SMALL | {name: value})


def test_the_options_without_a_value_are_those_of_the_program():
    text = "".join(program.run(program.required(), command, "--help").printed for command in COMMANDS)
    flags = {name.replace("-", "_") for name in re.findall(r"^  --(\S+)  ", text, re.MULTILINE)}
    assert {*values.FLAGS, "petsc", "options"} == flags
    assert len(masing.simulate(**SMALL, energy=False, quiet=True)["series/t"]) == 2001


def test_progress_is_shown_and_an_interrupt_ends_the_program(monkeypatch):
    monkeypatch.setenv("MASING_MODULE", "0")
    seen, ended, wait = [], [], subprocess.Popen.wait
    monkeypatch.setattr(commands, "_display", lambda: seen.append)
    masing.simulate(cells=20000, final_time=20, steps=150000)
    assert len(seen) >= 1 and seen[-1] is None and all(" steps/s " in line and line[0] == "[" for line in seen[:-1])

    def interrupt(_):
        raise KeyboardInterrupt
    monkeypatch.setattr(commands, "_display", lambda: interrupt)
    monkeypatch.setattr(subprocess.Popen, "wait", lambda process, *given: ended.append(wait(process, *given)))
    with pytest.raises(KeyboardInterrupt):
        masing.simulate(cells=20000, final_time=20, steps=3000000)
    assert ended == [75]


def test_a_scan_has_its_points_by_parameter_and_says_which_failed():
    pytest.importorskip("xarray")
    grid = {"w": [0.5, 1, 2], "f": [0.1, 0.3]}
    with pytest.warns(UserWarning, match="^2 of 6 points failed; the first: .*must be > 0"):
        scan = masing.scan(over=grid, force="f*sin(w*t)", mass="w<1.5 ? 1 : -1", k0=0.2, cells="inf", steady=True)
    assert scan.names == ["w", "f"] and len(scan.table()) == 6 and "amplitude" in scan._repr_html_()
    np.testing.assert_array_equal(scan.points["status"], [0, 0, 0, 0, 1, 1])
    assert [line[:3] for line in scan.messages] == ["4: ", "5: "] and scan.settings["over.f"] == "0.1,0.3"
    data = scan.to_xarray()
    assert data.multiplier_re.sizes == {"w": 3, "f": 2, "multiplier": 2}
    amplitude = scan.points["amplitude"]
    assert float(data.amplitude.sel(w=0.5, f=0.3)) == amplitude[1] != amplitude[0]
    lines = scan.plot().lines
    assert [line.get_label() for line in lines] == ["f = 0.1", "f = 0.3"]
    np.testing.assert_array_equal(lines[1].get_xydata()[:2], [[0.5, amplitude[1]], [1, amplitude[3]]])
    with pytest.raises(masing.MasingError, match="nothing to scan"):
        masing.scan(steady=True)


def test_a_curve_that_turns_back_stays_a_list_of_points():
    pytest.importorskip("xarray")
    for w, dimension in (([0.5, 0.7, 0.6], "w"), ([0.5, 0.7, 0.5], "point")):
        data = masing.scan(over={"w": w}, force="0.1*sin(w*t)", **SMALL).to_xarray()
        assert data.amplitude.dims == (dimension,) and list(data.w) == w


def test_without_a_program_it_is_asked_for(monkeypatch):
    monkeypatch.setattr(program, "find", lambda given: None)
    with pytest.raises(masing.MasingError, match="MASING_PROGRAM"):
        masing.simulate()


NOTE = ['masing simulate: m x" = F(t) - k0 x - c x\' - S', "  by default F(t) = 0.45*cos(0.5*t), T = 500"]


@pytest.mark.parametrize("lines, expected", [
    ([*NOTE, "masing: --cells: too many"], "--cells: too many"),
    ([*NOTE, "Killed"], "Killed"),
    (NOTE, "the program ended with exit code 9")])
def test_what_a_command_says_it_solves_is_no_error(lines, expected):
    with pytest.raises(masing.MasingError) as caught:
        program.Answer(9, "", lines).require(0)
    assert (str(caught.value), caught.value.code) == (expected, 9)


def test_scan_has_the_points_of_the_grid():
    scan = masing.scan(over={"F": [0.3, 0.45], "w": "0.7:0.9:3"}, force="F*cos(w*t)", k0=0.2, cells="inf", steady=True,
                       ranks=2)
    assert scan.names == ["F", "w"] and scan.messages == []
    np.testing.assert_allclose(scan.points["w"], [0.7, 0.8, 0.9] * 2)
    assert scan.settings["steady"] == "true" and scan.settings["over.w"] == "0.7:0.9:3"
    # The papers' slab.
    assert scan.points["most_x"][4] == pytest.approx(1.643576, abs=5e-7)
    table = scan.table()
    assert len(table) == 6 and (table["status"] == 0).all()
    assert len(scan.plot().lines) == 3


def test_scan_brings_back_closed_curves():
    closed = masing.scan(backbone="X=0.01:2:20:log", k0=0.2, cells="inf")
    assert closed.names == ["X"]
    np.testing.assert_array_equal(closed.points["X"], closed.points["amplitude"])


def round_trip(amplitude=1.5):
    """x and force of an element of η = 0.5, k = 2 with a spring of k0 = 0.25, from the top down and up again."""
    x = one_cycle(amplitude, 400)[400:]
    return x, drive(one_cycle(amplitude, 400), np.array([0.5]), np.array([2.0]), 0.25)[400:]


def test_a_model_is_identified_as_the_script_does(run_script, tmp_path):
    x, force = round_trip()
    lab = write_csv(tmp_path / "lab.csv", "Weg,Kraft", 1000 * x, force)
    columns = {"x": "Weg", "force": 2}
    code, out, _ = run_script(identify, lab, "--columns", "x=Weg,force=2", "--scale", "x=0.001")
    found = masing.identify(lab, columns=columns, scale={"x": 0.001}, output=tmp_path / "mine.ini", figure=tmp_path / "m.png")
    assert code == 0 and out.splitlines()[:-1] == found.lines == repr(found).splitlines()
    files = sorted(path.name for path in tmp_path.iterdir() if path.stem.startswith(("mine", "m")))
    assert files == ["m.png", "mine-force.csv", "mine.h5", "mine.ini", "mine.json"]
    assert (tmp_path / "mine.json").read_bytes() == (tmp_path / "lab-identified.json").read_bytes()
    again = masing.identify((x, force))
    np.testing.assert_allclose([again.numbers["eta"], again.numbers["k"]], [[0.5], [2.0]], rtol=1e-9)
    axes = again.figure().axes
    assert again.numbers["k0"] == pytest.approx(0.25) and len(axes) == 4 and "no noise" in axes[2].get_title()
    noisy = masing.identify((x, force + 0.005 * np.random.default_rng(2).standard_normal(len(x))))
    said = noisy.lines[0].partition("regression, ")[2].partition(" of the")[0]
    assert said.startswith("noise 0.") and f"{said} (band" in noisy.figure().axes[2].get_title()
    case, extent = again.case, np.ptp(again.run.x)
    assert extent == pytest.approx(3, rel=1e-3) and case.exists()
    del again
    gc.collect()
    assert not case.parent.exists()
    with pytest.raises(masing.MasingError, match="one curve") as caught:
        masing.identify((x, x**3))
    assert caught.value.code == 3


def test_the_numbers_of_a_cycle_are_those_of_the_script(run_script, tmp_path):
    x, force = round_trip()
    lab = write_csv(tmp_path / "lab.csv", "x,force", x, force)
    run_script(cycles, lab, "--analysis")
    (stated,) = json.loads((tmp_path / "lab-numbers.json").read_text())
    for source in (lab, (x, force), (np.arange(len(x)) / 100, x, force)):
        found = masing.cycle_numbers(source)
        assert found["last_loop"]["area"] == stated["last_loop"]["area"] == pytest.approx(4, rel=1e-4)  # 4 k η (X - η)
        np.testing.assert_array_equal(found["corners"], stated["corners"])
    with pytest.raises(masing.MasingError, match="of the same length"):
        masing.cycle_numbers((x, force[1:]))
    with pytest.raises(masing.MasingError, match="no whole cycle"):
        masing.cycle_numbers((x[:200], force[:200]))
