"""`import masing`: what its functions give is the content of the program's file, and what they raise its own line. The
numbers come by other ways, too: h5py and xarray's own readers and writers know nothing of masing."""

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
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import h5py
import matplotlib.pyplot
import numpy as np
import pandas as pd
import pytest
import xarray

import cycles
import identify
import masing
from masing import program, values
from masing.commands import words
from masing.signatures import COMMANDS
from oracle import drive, one_cycle, write_csv
from own_python import ANALYSIS, lines_of

SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
OTHER = {"model": "discrete-masing", "set": {"n": 3, "k": "1/n", "eta": "i"}, "force": "cos(t)", "final_time": 20,
         "steps": 2000}
STEADY = {"k0": 0.2, "cells": "inf", "steady": True}
STUDY = {"refine": "cells", "levels": [25, 50, 100, 200], "reference": "cells-inf", "final_time": 20, "steps": 20000}


# The steps of these runs are too coarse for the program's taste.
pytestmark = pytest.mark.filterwarnings("ignore:with a step of")


@pytest.fixture(scope="module")
def study():
    """A study in P, as expected."""
    return masing.converge(**STUDY)


@pytest.mark.parametrize("options, expected", [
    ({"final_time": 60, "k0": 0.25, "from_": 20}, ["--final-time", "60", "--k0", "0.25", "--from", "20"]),
    ({"energy": True, "quiet": False, "breaks": None}, ["--energy"]),
    ({"cells": math.inf, "mass": np.float64(0.1), "steps": np.int64(7)},
     ["--cells", "inf", "--mass", "0.1", "--steps", "7"]),
    ({"levels": (50, 100)}, ["--levels", "50,100"]), ({"breaks": np.array([0.1, 0.5])}, ["--breaks", "0.1,0.5"]),
    ({"levels": [(50, 5000), (100, 10000)]}, ["--levels", "50:5000,100:10000"]), ({"over": "w=1"}, ["--over", "w=1"]),
    ({"expect_order": {"x": 1, "u_cells": 2}}, ["--expect-order", "x=1,u_cells=2"]),
    ({"set": {"k": [1, 2], "n": 2}}, ["--set", "k=1,2", "--set", "n=2"]),
    ({"set": ["k=1", "n=2"]}, ["--set", "k=1", "--set", "n=2"]),
    ({"petsc": "-log_view :a b", "steps": 3}, ["--steps", "3", "--petsc", "-log_view", ":a", "b"])])
def test_keywords_are_the_options(options, expected, tmp_path):
    assert [piece for word in words(options, tmp_path) for piece in word.split("=", 1)] == expected


def test_what_is_missing_is_said_before_a_run():
    call = (f"import sys; sys.path.insert(0, {str(ANALYSIS)!r}); import masing; print(masing.simulate.__name__)\n"
            "for call in (masing.simulate, lambda: masing.open('a.h5'), lambda: masing.identify('a.csv')):\n"
            "    try: call()\n    except masing.MasingError as lack: print(lack)")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", call], capture_output=True, text=True, check=False,
                          env={"MASING_PROGRAM": "/bin/false"})
    lines = done.stdout.splitlines()
    assert (len(lines), lines[0], done.stderr) == (4, "simulate", "") and all("has no h5py" in line for line in lines[1:])


def test_a_run_has_the_content_of_its_file_by_name():
    run = masing.simulate(**SMALL, field_every=500, energy=True)
    with h5py.File(run.path) as expected:
        for name in ("t", "x", "y", "force", "restoring"):
            np.testing.assert_array_equal(getattr(run, name), expected["series"][name])
        for name in ("s", "eta", "k", "u"):
            np.testing.assert_array_equal(getattr(run, name), expected["field"][name])
        np.testing.assert_array_equal(run.last_u, expected["field/u"][-1])
        np.testing.assert_array_equal(run["/energy/residual"], expected["energy/residual"])
        assert run.to_dataframe().index.name == "t" and run.title == expected.attrs["title"]
    assert run.settings["steps"] == "2000"
    names = list(run)
    assert {"series/x", "field/u"} <= set(names) and len(names) == len(set(names))
    for name in (*names, "x", "/series/x", "last_t", "amplitude", 3, "", "/", "series"):
        try:
            run[name]
        except masing.MasingError as error:
            assert name not in run and " has no dataset /" in str(error)
        else:
            assert name in run


@pytest.mark.parametrize("table", [
    (np.array([0, 10, 20]), np.array([0, 1 / 3, 0])), [[0, 0], [10, 1 / 3], [20, 0]],
    np.array([[0, 0], [10, 1 / 3], [20, 0]]), pd.DataFrame({"t": [0, 10, 20], "f": [0, 1 / 3, 0]}),
    pd.DataFrame({"f": [0, 1 / 3, 0]}, index=[0, 10, 20.0]),
    pd.Series([0, 1, 1 / 3, 1, 0], index=[0, 5, 10, 15, 20.0])[::2], [np.array([0, 10, 20]), np.array([0, 1 / 3, 0])],
    xarray.DataArray([0, 1 / 3, 0], dims="t", coords={"t": [0, 10, 20]})])
def test_arrays_lists_and_columns_are_tables(table):
    run = masing.simulate(**SMALL, force=table)
    np.testing.assert_allclose(run.force, np.interp(run.t, [0, 10, 20], [0, 1 / 3, 0]), atol=1e-15)
    for two in (pd.DataFrame({"t": [0, 20], "f": [0, 1]}), ([0, 20], [0, 1])):
        assert np.array_equal(values.table("force", two), ([0, 20], [0, 1]))


X = np.linspace(0, 1, 30)
@pytest.mark.parametrize("call, words", [
    *(({"force": force}, f"^force: {words}") for force, words in (
        (([0], [1]), "its table has one point; give two at least, or a number"), ((X, X * 1j), "what is not a number"),
        ((X, X[1:]), "30 arguments and 29 values; give"), (X, "one array has no arguments; give"),
        *((rows, f"a {type(rows).__name__} whose rows are only counted")
          for rows in (pd.Series(X), pd.Series(X)[::2], pd.DataFrame({"f": X}))),
        *((rows, "two rows of two may be rows or columns; give .t, f.")
          for rows in (np.array([[0, 1], [5, 2.0]]), [[0, 1], [5, 2]], [(0, 1), (5, 2)])),
        ((np.ma.array([0, 1], mask=[0, 1]), [1, 2]), "row 2 of its table is nan, 2"),
        (([0, 1], [0, math.nan]), "row 2 of its table is 1, nan"))),
    ({"force": {"t": [0, 1]}}, "^force={'t': .0, 1.}: is no table"), ({"set": 3}, "^set=3: give a dictionary"),
    ({"force": "a\0b"}, "^force='a.x00b': has a character"), ({"energy": 1}, "^energy: takes no value; leave out =1"),
    ({"config": "cellz = 10"}, "cellz is not a key"), ({"config": "none.ini"}, "^cannot read none.ini: No such"),
    ({"config": {"cells": 3}}, "^config={'cells': 3}: give the name"), ({"petsc": 3}, "^petsc=3: give words"),
    ({"petsc": "'a"}, '^petsc="\'a": give words'), ({"let": {"a": None}}, r"^let\['a'\]=None: give a number"),
    *(({name: 0.01}, f"^{name}=0.01: is no option: the step is final_time / steps; give these two$")
      for name in ("dt", "t_span", "t_eval")), ({"cells": 0}, "^cells: 0 cells; "), ({"F": 1}, "^F: F is not a key"),
    ({"final_time": 3, "from_": 4}, "^from_: 4; "), ({"force": ([0, 0], [1, 2])}, "^force: row 2: argument 0 does"),
    ({"final-time": 3}, "^'final-time' is no option: give its name with _ for -"),
    ({"final_time": object()}, "^final_time=<object object at .*: give a number, a text or a list"),
    ({"final_time": math.nan}, "^final_time=nan: give a number"), ({"model": b"masing"}, "^model=b'masing': give a"),
    ({"cells": len}, "^cells: a function of Python is no value of it; give a number or a text$"),
    ({"force": np.sin}, "^force: a function of Python is no value of it; give a number, a table or a text$"),
    *((SMALL | {"ranks": ranks}, f"^ranks={ranks}: give a whole number from 1")
      for ranks in (0, -1, 2.5, True, math.nan, {}, "two")),
    *(({name: value}, f"^{name}={bool(value)}: give a value, or None for none; Tr")
      for name in ("cells", "force", "petsc", "output", "breaks") for value in (True, np.False_)),
    (lambda: masing.scan(over=[1, 2]), r"^over=\[1, 2\]: give a dict"),
    (lambda: masing.converge(levels=[]), r"^levels=\[\]: is empty"),
    (lambda: masing.converge(levels={1, 2}), "^levels={1, 2}: give a number"),
    *((lambda path=path: masing.simulate(**SMALL).save(path), fr"^save\({path}\): give the path") for path in (3, None)),
    (lambda: masing.simulate(**SMALL).save("/none/run.h5"), r"^save\('/none/run.h5'\): No such file"),
    (lambda: masing.simulate(**OTHER).last_u, r'no dataset /field/u; it has .*; what .* is in result\["state/values"\]$'),
    (lambda: masing.simulate(**SMALL).plot_cycle(start=99), r"(gave|\.h5): no finite sample"),
    (lambda: masing.cycle_numbers((X, X), from_="a"), "^from_='a': give a time"),
    *((lambda call=call, given=given: call(given), words) for call, given, words in (
        (masing.open, 3, r"^open\(3\): give the path"), (masing.open, ".", "^.: is not there or is not a file"),
        (masing.open, "a" * 5000, "is not there or is not a file"), (masing.open, "a\0b", "is not there"),
        (masing.Run, 3, r"^Run\(3\): give the path"), (masing.identify, 3, "^3 is no curve: give"),
        (masing.identify, np.eye(3), "has 3 points"), (masing.identify, np.eye(4), "^a curve in arrays is"),
        (masing.simulate, "x.h5", r"^simulate\('x.h5'\): options are given by name"),
        (masing.cycle_numbers, (X, X * 1j), "of real numbers$"),
        (masing.cycle_numbers, {"x": X, "force": X}, r"^\{'x': array.*\.\.\. is no curve: give"))),
    *((lambda given=given: masing.identify((X, X), **given), f"^{words}") for given, words in (
        ({"scale": 3}, 'scale=3: give a dictionary .* scale={"x": 0.001}'), ({"output": 3}, "output=3: give the name"),
        ({"scale": {"path": 2}}, "scale={'path': 2}: give a dict"), ({"columns": "x=A"}, "columns='x=A': give a dict"),
        ({"threshold": np.sin}, "threshold: give η"), ({"program_path": b"m"}, "program_path=b'm': give the name")))])
def test_mistakes_in_calls_or_in_the_options_of_simulate_raise_what_is_promised(call, words):
    with pytest.raises(masing.MasingError, match=words) as caught:
        call() if callable(call) else masing.simulate(**call)
    assert caught.value.code == 2


def test_a_result_stands_for_its_file():
    run = masing.simulate(**SMALL, force="0.3*sin(t)")
    for given in (run, run.path):
        again = masing.simulate(config=given)
        assert again.configuration == run.configuration and np.array_equal(again.x, run.x)
        np.testing.assert_array_equal(masing.simulate(**SMALL, force=0, initial_u=given, field_every=2000).u[0], run.last_u)
    with pytest.raises(masing.MasingError, match="^force: names a file; give table:.*h5$"):
        masing.simulate(**SMALL, force=str(run.path))


def test_numbers_of_every_kind_are_numbers():
    expected = masing.simulate(**SMALL, mass=1.5, force=1, breaks=[0.5, 1], energy=True)
    for mass, breaks, energy in ((np.float32(1.5), np.array([0.5, 1]), np.True_), (np.array(1.5), (0.5, 1), True),
                                 (Decimal("1.5"), pd.Series([0.5, 1]), True), (Fraction(3, 2), iter([0.5, 1]), True)):
        run = masing.simulate(**SMALL, mass=mass, force=1, breaks=breaks, energy=energy, k0=None, output=None)
        assert run.settings["breaks"] == expected.settings["breaks"] == "0.5,1"
        np.testing.assert_array_equal(run["energy/input"], expected["energy/input"])
    runs = [masing.simulate(**SMALL, force=1, stiffness=stiffness) for stiffness in (np.array(2.0), 2, "2")]
    assert (runs[0].x == runs[1].x).all() and (runs[1].x == runs[2].x).all()


def test_a_case_is_a_line_or_a_file_also_of_a_name_like_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a=b.ini").write_text("cells = 20\n")
    for config in ("cells = 20", "a=b.ini"):
        run = masing.simulate(config=config, final_time=20, steps=2000)
        np.testing.assert_array_equal(run.x, masing.simulate(**SMALL).x)


def test_an_installed_package_without_a_program_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setenv("MASING_PROGRAM", "/bin/true")
    with pytest.raises(masing.MasingError, match=r"true is not masing; give its path in \$MASING_PROGRAM$"):
        program.version()
    monkeypatch.setattr(program, "ROOT", tmp_path / "share" / "masing")
    monkeypatch.setenv("PATH", "")
    said = f"^no program at {tmp_path}/bin/masing or on the PATH{{}}: build it, or give its path in .MASING_PROGRAM$"
    for given, words in (("", ""), ("/none", ", nor at .MASING_PROGRAM = /none")):
        monkeypatch.setenv("MASING_PROGRAM", given)
        for call in (masing.simulate, lambda: masing.native.required("masing.Material")):
            with pytest.raises(masing.MasingError, match=said.format(words)):
                call()


def test_arrays_of_results_are_read_only_and_those_made_of_them_are_not():
    run = masing.simulate(**SMALL, field_every=500, energy=True)
    study = masing.converge(**STUDY | {"levels": [10, 20], "steps": 2000})
    scan = masing.scan(over={"w": [0.5, 1]}, force="0.1*sin(w*t)", **SMALL)
    before = run.x.copy()
    for result in (run, masing.open(run.path), pickle.loads(pickle.dumps(run)), copy.deepcopy(run), copy.copy(run)):
        for array in (result.x, result.y, result["series/x"], result.u, result.last_u, result["energy/residual"]):
            with pytest.raises(ValueError, match="read-only"):
                array -= 1
        frame, data = result.to_dataframe(), result.to_xarray().copy(deep=True)
        frame["x"] -= 1
        frame.loc[frame.index[0], "y"] = 7.0
        data.x[0] = 7.0
        np.testing.assert_array_equal(result.x - 1, frame["x"])
        np.testing.assert_array_equal(result.x, before)
    for array in (study.errors["x"], study.ds, scan.points["amplitude"], scan.axes["w"], *run.state.values()):
        assert not array.flags.writeable


def test_a_run_that_is_not_finished_says_so(tmp_path):
    run = masing.simulate(**SMALL, output=tmp_path / "a.h5")
    for content in (run.path.read_bytes(), run.path.read_bytes()[:4096]):
        (tmp_path / "b.h5.partial").write_bytes(content)
        with pytest.raises(masing.MasingError, match="b.h5.partial: is of a run that is not finished.* wait for b.h5"):
            masing.open(tmp_path / "b.h5.partial")
    for read in (masing.open, masing.cycle_numbers):
        with pytest.raises(masing.MasingError, match="b.h5: is still being written, or was stopped: .*b.h5.partial has"):
            read(tmp_path / "b.h5")


def test_results_say_what_they_have(study, monkeypatch):
    run = masing.simulate(**SMALL, force="0.45*cos(0.5*t)", k0=0.25)
    assert "F(t) = 0.45*cos(0.5*t)" in str(run) and "k₀ = 0.25" in str(run) and str(run).splitlines()[0] == repr(run)
    assert " = ," not in str(run)  # what is not given has no value
    assert str(masing.simulate(**OTHER)).endswith("k = 1/n, eta = i, x0 = 0, y0 = 0, u0 = 0")
    with pytest.warns(UserWarning, match="^u is known at t = 20 alone, and is last_u; field_every=20 keeps it every 20 st"):
        np.testing.assert_array_equal(run.u[0], run.last_u)
    assert run.plot_cycle().get_title() == run.title
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
                        (lambda: scan["runs/0/x"], '; make it with keep="series"$'),
                        (lambda: study["energy/input"], "no dataset /energy/input; it has [^;]*$"),
                        (lambda: scan.families("F"), r"families\('F'\): the scan is over w"),
                        (lambda: scan.plot(colour=3), "Axes.plot with {'label': '', 'colour': 3}: .*colour"),
                        (lambda: run.plot_cycle(axes="here"), "axes='here': give Axes"),
                        (lambda: masing.simulate(config=study), "config: .* is of masing converge; give a file of")):
        with pytest.raises(masing.MasingError, match=words):
            call()
    assert masing.__version__ == run.provenance["version"]


def test_xarray_has_the_axes_the_state_of_a_model_by_column_and_a_curve_that_turns_back_as_points():
    run = masing.simulate(**SMALL, field_every=500)
    data = run.to_xarray()
    assert data.u.dims == ("field_t", "s") and data.x.dims == ("t",)
    assert float(data.u.sel(field_t=10, s=0.5)) == run.u[2, 9]
    assert "rows" not in data.attrs
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


def test_a_study_comes_back_whatever_its_verdict_and_shows_itself(study):
    assert (study.verdict, masing.converge(**STUDY, expect_order=3).verdict) == ("as expected", "not as expected")
    order, half = study.order("x")
    assert abs(order - 1) + half < 0.1 and study.order("y")[0] == study.fit["observed_y"]
    assert list(study.table()["P"]) == STUDY["levels"]
    frame = study.to_dataframe()
    assert list(frame["error_x"]) == list(study["cases/error_x"]) and frame.index.dtype.kind == "i"
    for name in ("cells", "steps", "mark_x"):  # counts are whole numbers
        assert frame[name].dtype.kind == "i" and list(frame[name]) == list(study[f"cases/{name}"])
    assert study.claim.startswith("Order one in δs: x") and study.claim in repr(study)
    shown = study._repr_html_()
    assert study.claim in shown and "as expected</strong>" in shown and "data:image/svg+xml;base64," in shown
    assert f'<td>{study["cases/error_x"][0]:.3e}</td>' in shown
    assert study.plot_errors().axes[0].get_xlabel() == "cell width δs"
    axes = masing.simulate(**SMALL).plot_cycle(start=10, label="mine")
    assert axes.get_ylabel() == "restoring force F − m x″" and axes.lines[0].get_label() == "mine"


def test_the_style_of_the_session_stays():
    # In a Python of its own: the scripts that are tested here have set theirs.
    assert lines_of("import matplotlib; before = dict(matplotlib.rcParams); import masing; "
                    f"study = masing.converge(**{STUDY!r}); study._repr_html_(); study.plot_errors(); "
                    f"masing.simulate(**{SMALL!r}).plot_cycle(); print(dict(matplotlib.rcParams) == before)",
                    MPLBACKEND="agg") == ["True"]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="no setpriv")
def test_the_program_ends_with_the_script_that_is_killed(tmp_path):
    call = "import masing; masing.simulate(cells=20000, final_time=200, steps=3000000, ranks=2)"
    environment = os.environ | {"PYTHONPATH": str(ANALYSIS), "MASING_PROGRAM": program.required(), "TMPDIR": str(tmp_path),
                                "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    script = subprocess.Popen([sys.executable, "-c", call], env=environment, stderr=subprocess.DEVNULL)

    def running():
        seen = subprocess.run("cat /proc/[0-9]*/cmdline", shell=True, capture_output=True, check=False).stdout
        return seen.count(str(tmp_path).encode())
    try:
        while running() < 3:
            assert script.poll() is None, "the program has not begun"
            time.sleep(0.1)
    finally:
        script.kill()
        script.wait()
    for _ in range(6000):  # until it counts as hung
        if not (left := running()):
            break
        time.sleep(0.1)
    assert left == 0


def test_the_options_without_a_value_are_those_of_the_program():
    text = "".join(program.run(program.required(), command, "--help").printed for command in COMMANDS)
    flags = {name.replace("-", "_") for name in re.findall(r"^  --(\S+)  ", text, re.MULTILINE)}
    assert {*values.FLAGS, "petsc"} == flags


def test_a_scan_has_its_points_by_parameter_and_says_which_failed():
    grid = {"w": [0.7, 0.8, 2], "f": [0.3, 0.5]}
    with pytest.warns(UserWarning, match="^2 of 6 points failed; the first: .*must be > 0"):
        scan = masing.scan(over=grid, force="f*sin(w*t)", mass="w<1.5 ? 1 : -1", **STEADY)
    assert scan.names == ["w", "f"] and len(scan.table()) == 6 and "amplitude" in scan._repr_html_()
    np.testing.assert_array_equal(scan.points["status"], [0, 0, 0, 0, 1, 1])
    assert [line[:3] for line in scan.messages] == ["4: ", "5: "] and scan.settings["over.f"] == "0.3,0.5"
    data = scan.to_xarray()
    assert data.multiplier_re.sizes == {"w": 3, "f": 2, "multiplier": 2}
    amplitude = scan.points["amplitude"]
    assert float(data.amplitude.sel(w=0.7, f=0.5)) == amplitude[1] != amplitude[0]
    lines = scan.plot().lines
    assert [line.get_label() for line in lines] == ["f = 0.3", "f = 0.5"]
    np.testing.assert_array_equal(lines[1].get_xydata()[:2], [[0.7, amplitude[1]], [0.8, amplitude[3]]])
    kinds = {name: column.dtype.kind for name, column in scan.to_dataframe().items()}
    assert (kinds["status"], kinds["w"], kinds["amplitude"]) == ("i", "f", "f")
    assert scan.to_dataframe()["period_multiple"].isna().sum() == 2
    whole = masing.scan(over={"w": [0.7, 0.8]}, force="0.3*sin(w*t)", **STEADY)
    assert whole.to_dataframe()["period_multiple"].dtype.kind == "i"
    with pytest.raises(masing.MasingError, match="nothing to scan"):
        masing.scan(steady=True)


@pytest.mark.parametrize("command, options, group, variable", [
    ("simulate", {**SMALL, "energy": True, "field_every": 500, "damping": 0.1, "force": "sin(t)"}, "series", "x"),
    ("simulate", {"model": "s-chain", "set": {"n": 3, "k": 1, "eta": 0.3}, "force": "sin(t)", "final_time": 1,
                  "steps": 100, "field_every": 50}, "series", "y"),
    ("converge", STUDY | {"final_time": 2, "steps": 200}, "cases", "error_x"),
    ("scan", {"over": {"w": [0.7, 0.8, 0.9], "f": [0.3, 0.5]}, "force": "f*sin(w*t)", **STEADY}, "points", "amplitude"),
    ("scan", {"over": {"w": [0.5, 0.7, 0.5]}, "force": "0.1*sin(w*t)", "keep": "series", **SMALL}, "points", "loss")])
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
    with xarray.open_dataset(result.path, engine="h5netcdf") as own:
        assert own.attrs["Conventions"] == "masing-1.2" and own.configuration.item().decode() == result.configuration
    result.to_netcdf(tmp_path / "own.nc")
    for engine in ("scipy", "h5netcdf"):
        data.to_netcdf(tmp_path / f"{engine}.nc", engine=engine)
    for name, engine in (("own", None), ("scipy", "scipy"), ("h5netcdf", "h5netcdf")):
        with xarray.open_dataset(tmp_path / f"{name}.nc", engine=engine) as again:
            xarray.testing.assert_identical(again.load(), data)
            assert again.attrs["configuration"] == result.configuration and again.attrs["title"] == result.title
    for path in (tmp_path / "none" / "a.nc", tmp_path):
        with pytest.raises(masing.MasingError, match=r"^to_netcdf\(.*\): (No such|Is a dir|\[?Errno|Perm)"):
            result.to_netcdf(path)


def test_a_mistake_leads_to_the_users_line_at_once_and_is_kept_whole():
    with pytest.raises(masing.MasingError) as caught:
        masing.simulate(cells=-1)
    assert len(caught.traceback) == 3 and caught.value.__suppress_context__
    error = pickle.loads(pickle.dumps(masing.MasingError("one\nline", 3)))
    assert (str(error), error.code) == ("one line", 3)


@pytest.mark.parametrize("line, expected", [
    (["masing: --cells: too"], "--cells: too"), (["Killed"], "Killed"), ([], "the program ended with exit code 9")])
def test_what_a_command_says_it_solves_is_no_error(line, expected):
    note = ["masing simulate: model = masing, steps = 10, cells = 2, scheme = euler, engine = sweep"]
    with pytest.raises(masing.MasingError) as caught:
        program.Answer(9, "", note + line).require(0)
    assert (str(caught.value), caught.value.code) == (expected, 9)


def round_trip():
    """x and force of an element of η = 0.5, k = 2 with a spring of k0 = 0.25, from the top down and up again."""
    x = one_cycle(1.5, 400)
    return x[400:], drive(x, np.array([0.5]), np.array([2.0]), 0.25)[400:]


def test_a_model_is_identified_as_the_script_does(run_script, tmp_path, undrawn):
    x, force = round_trip()
    lab = write_csv(tmp_path / "lab.csv", "Weg,Kraft", 1000 * x, force)
    columns = {"x": "Weg", "force": 2}
    code, out, _ = run_script(identify, lab, "--columns", "x=Weg,force=2", "--scale", "x=0.001")
    found = masing.identify(lab, columns=columns, scale={"x": 0.001}, output=tmp_path / "mine.ini", figure=tmp_path / "m.png")
    assert code == 0 and out.splitlines()[:-1] == found.lines == repr(found).splitlines()
    files = sorted(path.name for path in tmp_path.iterdir() if path.stem.startswith(("mine", "m")))
    assert files == ["m.png", "m.txt", "mine-force.csv", "mine.h5", "mine.ini", "mine.json"]
    assert (tmp_path / "m.txt").read_text().splitlines() == found.lines
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
