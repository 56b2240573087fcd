"""The tables in text files as people have them, through the reader of the program and that of Python: the same numbers,
or a refusal of one line."""

import cycles
import numpy as np
import pandas as pd
import pytest

import masing
from masing import program, values
from masing.cycles import figures
from masing.cycles.curves import read_measured
from masing.errors import MasingError
from masing.records import of_at2
from masing.text_tables import TextTable

# The text of a file, its two columns of numbers, and the words with which the program refuses what Python reads.
READ = [
    ("0,1\n1,3\n", [0, 1], [1, 3]), ("0 1\n1 3\n", [0, 1], [1, 3]), ("0;1\r\n1;3\r\n", [0, 1], [1, 3]),
    ("0\t1\n1\t3", [0, 1], [1, 3]), ("0,1\r1,3\r", [0, 1], [1, 3]), ("\ufeff0, 1\n\n1 , 3\n", [0, 1], [1, 3]),
    ("   0     1\n   1     3\n", [0, 1], [1, 3]), ("0;1;\n1;3;\n", [0, 1], [1, 3]), ("0,1,\n1,3,\n", [0, 1], [1, 3]),
    ('"0","1"\n"1","3"\n', [0, 1], [1, 3]), ('"0,5","1"\n"1,5","3"\n', [0.5, 1.5], [1, 3]),
    ("-0,5;1\n1,5;3\n", [-0.5, 1.5], [1, 3]), ("-0,5\t1,0\n1,5\t3,0\n", [-0.5, 1.5], [1, 3]),
    ("-0,5 1,0\n1,5 3,0\n", [-0.5, 1.5], [1, 3]), ("sep=;\n0,5;1\n1,5;3\n", [0.5, 1.5], [1, 3]),
    ("\u22125,0\n1,3\n", [-5, 1], [0, 3]), ("0,1D0\n1,3.0D+00\n", [0, 1], [1, 3]), ("1D0,7\n2D0,8\n", [1, 2], [7, 8]),
    ("s;f\n0;1\n1;3\n", [0, 1], [1, 3]), ("Weg;Kraft\nmm;kN\n0;1\n1;3\n", [0, 1], [1, 3]),
    ("Measured by A and B\n\nx\tforce\n0\t1\n1\t3\n", [0, 1], [1, 3]), ("# x force\n0 1\n1 3\n", [0, 1], [1, 3]),
    # A comma between thousands, because the other cells of its column have none, and other columns have points.
    ("0.0\t371\n0.5\t719\n1.0\t1,022\n", [0, 0.5, 1], [371, 719, 1022]), ("0;1,234.5\n1;12,345\n", [0, 1], [1234.5, 12345]),
    ("0;1,234,567\n1;2,345\n", [0, 1], [1234567, 2345]), ("0;1.234,5\n1;12.345\n", [0, 1], [1234.5, 12345]),
    ("0,5;371\n1,5;1.022\n", [0.5, 1.5], [371, 1022]),
    # A decimal comma or point, because no other reading is possible, or because other columns have it.
    ("0;1,500\n1;0,250\n", [0, 1], [1.5, 0.25]), ("0,0;1,500\n0,5;1,250\n", [0, 0.5], [1.5, 1.25]),
    ("1.234 5.678\n2.345 6.789\n", [1.234, 2.345], [5.678, 6.789]), ("0;1,125e3\n1;2\n", [0, 1], [1125, 2]),
    # What the program does not take.
    ("Time,x,f\n2024-05-06 10:15:00.000,0,1\n2024-05-06 10:15:00.025,1,3\n", [0, 1], [1, 3], "has 3 cells, not 2"),
    ("Clock;Weg;Kraft\n;mm;N\n10:15:00,000;0,5;1\n10:15:00,025;1,5;3\n", [0.5, 1.5], [1, 3], "has 3 cells, not 2"),
    ("Step,x,f\nCyclic #1,0,1\nCyclic #1,1,3\n", [0, 1], [1, 3], "no points"),
    (",x,f\n0,0,1\n1,1,3\n", [0, 1], [1, 3], "has 3 cells, not 2"),
    ('"x","f"\n"1",0,1\n"2",1,3\n', [0, 1], [1, 3], "has 3 cells, not 2"),
    ("| x | f |\n|---|:--|\n| 0 | 1 |\n| 1 | 3 |\n", [0, 1], [1, 3], "no points"), ("2 2\n0 1\n1 3\n", [0, 1], [1, 3], "increase"),
    ("Sample rate,100\nx,f\n0,1\n1,3\n", [0, 1], [1, 3], "'Sample rate 100' is not two"),
]
# The text of a file that both refuse, the words of the program, and those of Python, or None for a cell without a number.
REFUSED = [
    ("", "no points", "empty"), ("s,f\n", "no points", "no row of numbers"),
    ("0;1,022\n1;1,262\n", "'1,022' may be 1.022 or 1022", "'1,022' may be 1.022 or 1022"),
    ("0.0\t1,022\n0.5\t1,262\n", "'1,022' may be 1.022 or 1022", "'1,022' may be 1.022 or 1022"),
    ("0;0\n1;1,250\n2;2,500\n", "'1,250' may be 1.25 or 1250", "'1,250' may be 1.250 or 1250"),
    ("0,5;1.022\n1,5;1.262\n", "'1.022' may be 1.022 or 1022", "'1.022' may be 1.022 or 1022"),
    ("0.5;0\n1,5;1\n", "line 2: '1,5 1' is not", "has decimal points and decimal commas"),
    ("nan,0\n1,3\n2,4\n", "line 1: 'nan 0' is not two", None), ("x,y\n,0\n1,3\n2,4\n", "line 2: ' 0' is not two", None),
    ("x 1\n1 3\n2 4\n", "line 1: 'x 1' is not two", None), ("0 1\n1 two\n2 4\n", "line 2: '1 two' is not two", None),
    ("0,1\n1\n2,3\n", "line 2 has 1 cells, not 2", "line 2 has 1 cells, not 2"), ("0 1\n1 2 3\n2 3\n", "line 2 has 3 cells, not 2", "line 2 has 3 cells, not 2"),
    ("0;1\n0;0;05\n2;3\n", "line 2 has 3 cells, not 2", "line 2 has 3 cells, not 2"),
]


@pytest.fixture
def file(tmp_path):
    """A function that writes a text to a file and returns its path."""
    def written(text, name="f.csv"):
        (tmp_path / name).write_bytes(text.encode("utf-8"))
        return tmp_path / name
    return written


def in_python(path):
    """The columns of numbers that Python reads, but a column without a name beside others that have one."""
    table = TextTable(path)
    texts = [table.texts(n) for n in table.cells if not table.heading or table.heading[n]]
    return [[float(text) for text in column] for column in texts if any(column)]


def in_program(path):
    """The columns of numbers that the program reads, or a refusal."""
    answer = program.run(program.required(), "simulate", f"--force=table:{path}", "--print-config")
    if answer.code == 2:
        raise MasingError(answer.said()[0])
    points = next(line for line in answer.printed.splitlines() if line.startswith("force = ")).partition("points:")[2]
    return np.array([[float(word) for word in point.split()] for point in points.split(";")]).T.tolist()


@pytest.mark.parametrize("text, first, second, other", [(*each, None)[:4] for each in READ])
def test_both_readers_read_the_same_numbers(file, text, first, second, other):
    assert in_python(file(text)) == [first, second]
    if other is None:
        assert in_program(file(text)) == [first, second]
    else:
        with pytest.raises(MasingError) as refused:
            in_program(file(text))
        assert other in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("text, of_program, of_python", REFUSED)
def test_both_readers_refuse_what_may_be_read_in_two_ways(file, text, of_program, of_python):
    with pytest.raises(MasingError) as refused:
        in_program(file(text))
    assert of_program in str(refused.value) and "\n" not in str(refused.value)
    with pytest.raises(ValueError if of_python is None else MasingError, match=of_python):
        in_python(file(text))


def test_units_of_a_heading_reach_the_axes(file):
    rows = [f"10:15:00,000;{x};{x * x}" for x in (0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1)]
    path = file("\n".join(["Clock;Weg;Kraft", ";mm;N", *rows]))
    curve = read_measured(path)
    labels = cycles.axis_labels([path], [curve.units])
    assert list(labels) == ["displacement x [mm]", "restoring force f [N]"]
    (panel,) = figures.cycles_together([(curve.x, curve.force)], ["a"], labels).axes
    assert [panel.get_xlabel(), panel.get_ylabel()] == labels
    assert figures.labels_of_axes([curve.units, {"x": "mm"}]) == ["displacement x [mm]", "restoring force f"]
    assert figures.labels_of_axes([read_measured(path, scale={"x": 0.001}).units])[0] == "displacement x"


def test_records_and_series_over_times(file):
    numbers = [0.25, -0.5, 1.0, 0.125, -2.0, 3.5]
    path = file("MADE UP\nPLACE, 1\nIN UNITS OF G\nNPTS=   6, DT=   .0100 SEC\n"
                "  .25 -.5E+00 1.0 .125 -2.0\n  3.5\n", "a.AT2")
    t, a = of_at2(path)
    assert np.allclose(t, 0.01 * np.arange(6), rtol=1e-15) and a == numbers
    times = {"final_time": 0.05, "steps": 5, "scheme": "leapfrog"}
    run = masing.simulate(base_acceleration=path, **times)
    assert np.array_equal(run.x, masing.simulate(base_acceleration=(t, a), **times).x)
    with pytest.raises(MasingError, match="6 numbers, not NPTS = 7"):
        of_at2(file(path.read_text().replace("   6,", "   7,"), "b.AT2"))
    since = pd.to_timedelta(t, unit="s")
    for index in (since + pd.Timedelta("1h"), pd.Timestamp("2024-05-06") + since,
                  pd.Timestamp("2024-05-06", tz="Europe/Berlin") + since):
        times, found = values.table("force", pd.Series(a, index))
        assert np.allclose(times, t, atol=1e-9) and list(found) == numbers
