"""Text files as people and laboratories have them, through the reader of the program and that of Python: the same
numbers, or a refusal of one line; and one line for every mistake on a script's command line, which leaves no file."""

import subprocess
import sys
from unittest.mock import Mock

import cycles
import h5py
import identify
import numpy as np
import pytest
import report
import response

import masing
from masing import command_line, program, style
from masing.cycles.curves import read_measured
from masing.errors import MasingError
from masing.tables import TextTable, of_at2
from oracle import drive, one_cycle, write_csv
from outputs import ANALYSIS, one_line
from synthetic import put

# The runs are far shorter than the tables.
pytestmark = pytest.mark.filterwarnings("ignore:.*the table (begins|ends)")

# The text of a file, and its two columns of numbers.
READ = [
    ("0 1\n1 3\n", [0, 1], [1, 3]), ("0;1;\r\n1;3;\r\n", [0, 1], [1, 3]), ("0,1\r1,3\r", [0, 1], [1, 3]),
    ("\ufeff0, 1\n\n1 , 3\n", [0, 1], [1, 3]), ("0,1,\n1,3,\n", [0, 1], [1, 3]),
    ('"0,5","1"\n"1,5","3"\n', [0.5, 1.5], [1, 3]), ("-0,5   1,0\n 1,5   3,0\n", [-0.5, 1.5], [1, 3]),
    ("sep=;\n0,5;1\n1,5;3\n", [0.5, 1.5], [1, 3]), ("Measured by A and B\n\nx\tforce\n0\t1\n1\t3\n", [0, 1], [1, 3]),
    ("\u22125,0\n1,3\n", [-5, 1], [0, 3]), ("0,1D0\n1,3.0D+00\n", [0, 1], [1, 3]), ("1D0,7\n2D0,8\n", [1, 2], [7, 8]),
    # A comma between thousands, because the other cells of its column have none, and other columns have points.
    ("0.0\t371\n0.5\t719\n1.0\t1,022\n", [0, 0.5, 1], [371, 719, 1022]),
    ("0;1,234.5\n1;12,345\n", [0, 1], [1234.5, 12345]),
    ("0;1,234,567\n1;2,345\n", [0, 1], [1234567, 2345]), ("0;1.234,5\n1;12.345\n", [0, 1], [1234.5, 12345]),
    ("0,5;371\n1,5;1.022\n", [0.5, 1.5], [371, 1022]),
    # A decimal comma or point, because no other reading is possible, or because other columns have it.
    ("0;1,500\n1;0,250\n", [0, 1], [1.5, 0.25]), ("0,0;1,500\n0,5;1,250\n", [0, 0.5], [1.5, 1.25]),
    ("1.234 5.678\n2.345 6.789\n", [1.234, 2.345], [5.678, 6.789]), ("0;1,125e3\n1;2\n", [0, 1], [1125, 2]),
]
# The text of a file that both refuse, the words of the program, and those of Python, or "" for a cell without a number.
REFUSED = [
    ("", "no points", "empty"), ("s,f\n", "no points", "no row of numbers"),
    ("0.0\t1,022\n0.5\t1,262\n", "'1,022' may be 1.022 or 1022", "'1,022' may be 1.022 or 1022"),
    ("0;0\n1;1,250\n2;2,500\n", "'1,250' may be 1.25 or 1250", "'1,250' may be 1.250 or 1250"),
    ("0,5;1.022\n1,5;1.262\n", "'1.022' may be 1.022 or 1022", "'1.022' may be 1.022 or 1022"),
    ("0.5;0\n1,5;1\n", "line 2: '1,5 1' is not", "has decimal points and decimal commas"),
    ("nan,0\n1,3\n2,4\n", "line 1: 'nan 0' is not two", ""), ("x,y\n,0\n1,3\n2,4\n", "line 2: ' 0' is not two", ""),
    ("x 1\n1 3\n2 4\n", "line 1: 'x 1' is not two", ""),
    ("0,1\n1\n2,3\n", "line 2 has 1 cells, not 2", "line 2 has 1 cells, not 2"),
    ("0;1\n0;0;05\n2;3\n", "line 2 has 3 cells, not 2", "line 2 has 3 cells, not 2"),
]


@pytest.fixture
def file(tmp_path):
    """A function that writes a text to a file and returns its path."""
    def written(text):
        (tmp_path / "f.csv").write_bytes(text.encode("utf-8"))
        return tmp_path / "f.csv"
    return written


def in_python(path):
    """The columns of numbers that Python reads, but a column without a name beside others that have one."""
    table = TextTable(path)
    texts = [table.texts(n) for n in table.cells if not table.heading or table.heading[n]]
    return [[float(text) for text in column] for column in texts if any(column)]


def in_program(path):
    """The columns of numbers that the program reads, or a refusal."""
    force = masing.simulate(force=f"table:{path}", final_time=1e-3, steps=1, cells=1).settings["force"]
    points = force.removeprefix("points:").split(";")
    return np.array([[float(word) for word in point.split()] for point in points]).T.tolist()


@pytest.mark.parametrize("text, first, second", READ)
def test_both_readers_read_the_same_numbers(file, text, first, second):
    assert in_python(file(text)) == in_program(file(text)) == [first, second]


@pytest.mark.parametrize("text, of_program, of_python", REFUSED)
def test_both_readers_refuse_what_may_be_read_in_two_ways(file, text, of_program, of_python):
    for read, words in ((in_program, of_program), (in_python, of_python)):
        with pytest.raises((MasingError, ValueError), match=words) as refused:
            read(file(text))
        assert "\n" not in str(refused.value)


def test_records_and_series_over_times(tmp_path):
    numbers = [0.25, -0.5, 1.0, 0.125, -2.0, 3.5]
    path = tmp_path / "a.AT2"
    path.write_text("MADE UP\nPLACE, 1\nUNITS OF G\nNPTS=   6, DT=   .0100 SEC\n  .25 -.5E+00 1.0 .125 -2.0\n  3.5\n")
    t, a = of_at2(path)
    assert np.allclose(t, 0.01 * np.arange(6), rtol=1e-15) and np.array_equal(a, numbers)
    times = {"final_time": 0.05, "steps": 5, "scheme": "leapfrog"}
    run = masing.simulate(base_acceleration=path, **times)
    assert np.array_equal(run.x, masing.simulate(base_acceleration=(t, a), **times).x)
    path.write_text(path.read_text().replace("   6,", "   7,"))
    with pytest.raises(MasingError, match="6 numbers, not NPTS = 7"):
        of_at2(path)
    path.write_text("no record\n")
    with pytest.raises(MasingError, match=f"^{path}: is no record; above its numbers"):
        masing.simulate(base_acceleration=path)


# The lines of an engineer's file: what stands above the numbers, and how a line has t, x and F.
AS_IT_IS = [
    ("", "{t},{x},{f}"), ("", "{x};{f}"), ("", "{t}\t{x}\t{f}"), ("x [mm],F [kN]", "{x},{f}"),
    ("x [mm]  F [kN]", "{x}  {f}"), ("Time, s;x, mm;F, kN", "{t};{x};{f}"), ("Time, s, x, mm, F, kN", "{t},{x},{f}"),
    ('"Time, s","x, mm","F, kN"', "{t},{x},{f}"), ("F (kN)\tx (mm)\tt (s)", "{f}\t{x}\t{t}"),
    ("Zeit/s;Weg/mm;Kraft/kN;Temperatur/K", "{t};{x};{f};300"), ("# F x", "{f} {x}"), ("# a test", "{x} {f}"),
    ("Lab 3, 2024\nTime Displacement Force\ns mm kN", "{t} {x} {f}"), ("# a test\n\nForce;X", "{f};{x}"),
    ("u (mm, left),x (mm, right),f", "7,{x},{f}"), ("40\t2", "{x}\t{f}"), ("sep=;\nx;force", "{x};{f}"),
    ("Timestamp,Displacement (mm),Force (N)", "2024-05-06 10:15:00.000,{x},{f}"), ("x,force,", "{x},{f},"),
    ("Step,Displacement (mm),Force (N)", "Cyclic #1,{x},{f}"), ("Clock;Weg;Kraft\n;mm;N", "10:15:00,000;{x};{f}"),
    ("Operator: Max\nTest 7, of 2024-01-02\nx,force", "{x},{f}"), ("Sample rate,100\nx,f", "{x},{f}"),
    ("| x | force |\n|---|---|", "| {x} | {f} |"), (",x,force", "0,{x},{f}"), ('"x","force"', '"1",{x},{f}'),
    ("t,x,force,restoring", "{t},{x},9,{f}")]
# Lines of which the columns are told, and how.
TOLD = [("Kraft;Weg\nkN;mm", "{f};{x}"), ("# Prüfung\nPrüfer A\nKraft\tWeg", "{f}\t{x}"), ("Kraft, Weg", "{f}, {x}")]
COLUMNS = {"x": "Weg", "force": "kraft"}, {"x": "2", "force": "1"}


@pytest.mark.parametrize("heading, line, columns", [
    *((*each, None) for each in AS_IT_IS), *((*each, columns) for each in TOLD for columns in COLUMNS)])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_the_file_of_an_engineer_is_read(tmp_path, heading, line, columns, encoding):
    x, path = np.sin(np.linspace(0, 9, 40)), tmp_path / "lab.csv"
    rows = [line.format(t=f"{0.5 * n:.17g}", x=f"{value:.17g}", f=f"{3 * value:.17g}") for n, value in enumerate(x)]
    texts = ["\n".join([heading, *rows])]
    # Decimal commas are those of columns that semicolons or tabs separate; a heading keeps its points.
    texts += ["\n".join([heading, *(row.replace(".", ",") for row in rows)])] if ";" in line or "\t" in line else []
    for text in texts:
        path.write_text(text, encoding=encoding)
        curve, scaled = (read_measured(path, columns=columns, scale=scale) for scale in (None, {"force": -0.001}))
        assert np.array_equal(curve.x, x) and np.array_equal(curve.force, 3 * x)
        np.testing.assert_allclose(scaled.force, -0.003 * x, rtol=1e-15)
        assert scaled.units == curve.units | {"force": ""}
        assert np.array_equal(curve.t, 0.5 * np.arange(40)) if "{t}" in line else curve.t is None


@pytest.mark.parametrize("heading, line, words", [
    ("", "{x},{f},{t}", "has 3 columns and no heading; without one, it needs x, force, or t, x, force"),
    ("", "{t},{t},{f}", "alone increases"),
    ("x [mm],Weg [mm],F [kN]", "{x},{x},{f}", "the columns 1 and 2 may both be x; say with columns"),
    ("x,Force A (kN),Force B (kN)", "{x},{f},{f}", "has the columns x, force a (kn), force b (kn); it needs")])
def test_a_file_that_may_be_read_in_two_ways_is_refused(file, heading, line, words):
    text = "\n".join([heading, *(line.format(t=n, x=n % 5, f=n % 7) for n in range(40))])
    with pytest.raises(MasingError) as refused:
        read_measured(file(text))
    assert words in str(refused.value)


def test_damaged_files_and_those_of_another_kind_are_refused(run_script, result_of, run_file, study_file, tmp_path):
    whole = run_file.read_bytes()

    def refused(script, path, *words):
        output = {cycles: "out.png", report: "out.html"}[script]
        one_line(run_script(script, path, "-o", tmp_path / output), path, *words)

    with h5py.File(run_file, "a") as file:
        del file["series/restoring"]
    refused(cycles, run_file, "no dataset restoring")
    with h5py.File(run_file, "a") as file:
        x = file["series/x"][:].astype("S")
        del file["series/x"]
        file["series/x"] = x
        file["series/x"].dims[0].attach_scale(file["series/t"])
        file["series/x"][0] = b"?"
    refused(cycles, run_file, "is damaged (could not convert")
    with h5py.File(run_file, "a") as file:
        del file.attrs["program"]
    refused(cycles, run_file, "was not written by masing")
    for damaged in (whole[:len(whole) // 2], b"t,x\n0,0\n"):
        run_file.write_bytes(damaged)
        refused(cycles, run_file, "is not a complete HDF5 file")
    run_file.unlink()
    refused(cycles, run_file, "is not there")
    run_file = result_of("simulate", "run.h5", "--cells=5", "--steps=10", "--field-every=2", "--energy")
    one_line(run_script(response, run_file), f"{run_file}: is of masing simulate; give")
    for name, shape in (("field/u", (3, 3)), ("energy/input", (7,))):
        with h5py.File(run_file, "a") as file:
            del file[name]
            file.create_dataset(name, shape=shape)
        refused(report, run_file, f"/{name} is empty, or its axes have other lengths")
    with h5py.File(study_file, "a") as file:
        del file["cases/order_x"]
    refused(report, study_file, "no dataset cases/order_x")
    with h5py.File(study_file, "a") as file:
        for each in [*file["cases"], "order_x"]:
            file["cases"].pop(each, None)
            put(file, f"cases/{each}", [])
    refused(report, study_file, "is empty")
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("script, arguments, said", [
    (cycles, (), "FILE.h5"), (cycles, ("FILE", "--form", "3"), "--form"),
    (cycles, ("FILE", "--from", "600"), "400 <= t <= 500"), (cycles, ("FILE", "-o", "a.gif"), ".png"),
    (report, ("FILE", "--files-only", "--reproduce"), "--files-only"),
    (report, ("FILE", "--reproduce"), "masing was not found"),
    (cycles, ("a-numbers.csv", "--analysis", "-o", "a.png"), "would replace a file that is read"),
    (identify, ("LAB", "--threshold", "(s-0.5)^2+1"), "monotone"), (identify, ("LAB", "-o", "LAB.ini"), "replace"),
    (identify, ("LAB", "--columns", "x=Weg,force=2"), "no column 'Weg' in x, force"),
    (identify, ("LAB", "--scale", "x=0"), "other than 0"), (identify, ("NAN",), "line 9: 'nan'"),
    (identify, ("FEW",), "10")])
def test_mistakes_on_the_command_line_are_refused(run_script, run_file, tmp_path, monkeypatch, script, arguments, said):
    if said.endswith("was not found"):
        monkeypatch.setattr(program, "find", lambda given=None: None)
    x = one_cycle(3, 400)
    force = drive(x, np.ones(1), np.ones(1))
    names = {"FILE": run_file, "LAB.ini": tmp_path / "lab.ini"} | {
        name: write_csv(tmp_path / f"{name.lower()}-force.csv", "x,force", x[:len(forces)], forces)
        for name, forces in (("LAB", force), ("NAN", np.r_[force[:7], np.nan, force[8:]]), ("FEW", force[:9]))}
    before = sorted(tmp_path.iterdir())
    one_line(run_script(script, *(names.get(argument, argument) for argument in arguments)), said)
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_that_cannot_be_replaced_stays_and_leaves_nothing_behind(tmp_path, monkeypatch):
    table = tmp_path / "a.csv"
    for content in (b"t,x\n0,0\n", b"t,x\n0,1\n"):
        command_line.write_file(table, content)
    monkeypatch.setattr(command_line.os, "replace", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(MasingError, match="Permission denied"):
        command_line.write_file(table, b"t,x\n0,2\n")
    assert list(tmp_path.iterdir()) == [table] and table.read_bytes() == b"t,x\n0,1\n"


def test_numbers_that_are_not_finite_are_null_in_json():
    written = command_line.as_json({"a": np.array([1.5, np.nan, -np.inf])})
    assert written == b'{\n "a": [\n  1.5,\n  null,\n  null\n ]\n}\n'


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_a_picture_replaces_pictures_of_masing_alone(tmp_path, name):
    path, figure = tmp_path / name, style.figure(1, 1)
    path.write_bytes(b"a photograph")
    with pytest.raises(MasingError, match=f"{name}: is there already and is not of masing; give another name$"):
        style.save(figure, path)
    assert path.read_bytes() == b"a photograph"
    path.unlink()
    for _ in range(2):
        style.save(figure, path)


def test_the_scripts_can_be_executed_from_any_folder(tmp_path):
    done = subprocess.run([sys.executable, ANALYSIS / "report.py", "--help"], cwd=tmp_path, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and done.stderr == "" and "--files-only" in done.stdout
    assert [path.name for path in ANALYSIS.glob("*.py") if not path.stat().st_mode & 0o111] == []


@pytest.mark.parametrize("script", sorted(ANALYSIS.glob("*.py")), ids=lambda path: path.name)
def test_a_python_without_a_library_is_refused_in_one_line(script):
    done = subprocess.run([sys.executable, "-E", "-s", "-S", script, "--help"], capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"{script.name}: {sys.executable} has no numpy: use a Python that has it, such as "
                           "/usr/bin/python3, for which jobs/install_dependencies.sh installs it\n")
