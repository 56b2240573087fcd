"""A user's mistake gives one line, exit code 2 and no file; an incomplete file is never seen."""

import subprocess
import sys
from unittest.mock import Mock

import h5py
import pytest

import cycles
import identify
import report
import response
from masing import command_line, program
from masing.errors import MasingError
from own_python import ANALYSIS
from synthetic import put

# What a script writes, and the kinds of file that it reads.
READ = {cycles: (".png", ("simulate", "converge")), identify: (".ini", ("simulate", "converge")),
        report: (".html", ("simulate", "converge", "scan")), response: (".png", ("scan",))}


def replaced(names, values):
    """What replaces datasets of an open file by values of x."""
    def change(file):
        x = file["series/x"][:]
        for name in names:
            del file[name]
            file[name] = values(x)
    return change


# Ways in which a file is wrong: other bytes, made of those of a good one, and changes of what is in it.
BYTES = {"truncated": lambda good: good[:len(good) // 2], "text": lambda good: b"t,x\n0,0\n", "empty": lambda good: b""}
CHANGES = {"foreign": lambda file: file.attrs.pop("program"), "no-restoring": lambda file: file.pop("series/restoring"),
           "shorter": replaced(["series/x"], lambda x: [1.0, 2.0]), "complex": replaced(["series/x"], lambda x: x + 1j),
           "words": replaced(["series/x"], lambda x: [b"one", b"two"]),
           "group": lambda file: (file.pop("series/x"), file.create_group("series/x")),
           "no-samples": replaced(["series/t", "series/x", "series/restoring"], lambda x: x[:0])}


def one_line(result, *words, code=2):
    """Check that a script ended with this exit code and one line on stderr that holds the words."""
    found, out, err = result
    assert found == code and out == "" and err.count("\n") == 1 and "Traceback" not in err
    for word in words:
        assert str(word) in err


@pytest.mark.parametrize("kind", ["missing", *BYTES, *CHANGES])
def test_damaged_trajectories_are_refused(run_script, run_file, tmp_path, kind):
    if kind in BYTES:
        run_file.write_bytes(BYTES[kind](run_file.read_bytes()))
    elif kind in CHANGES:
        with h5py.File(run_file, "a") as file:
            CHANGES[kind](file)
    bad = tmp_path / "missing.h5" if kind == "missing" else run_file
    one_line(run_script(cycles, bad, "-o", tmp_path / "out.png"), bad)
    one_line(run_script(report, bad, "-o", tmp_path / "out.html"), bad)
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("script, kind, reader", [
    (script, kind, reader) for script, (_, kinds) in READ.items()
    for kind, reader in (("simulate", cycles), ("converge", report), ("scan", response))
    if kind not in kinds])
def test_a_file_of_another_kind_is_named_with_its_script(run_script, run_file, tmp_path, script, kind, reader):
    with h5py.File(run_file, "a") as file:
        file.attrs["kind"] = kind
    ending, kinds = READ[script]
    one_line(run_script(script, run_file, "-o", tmp_path / f"out{ending}"),
             f"{run_file}: is of masing {kind}, which analysis/{reader.__name__}.py reads; give a file of ",
             *(f"masing {each}" for each in kinds))
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("name, shape", [("field/u", (3, 3)), ("field/eta", (2,)), ("energy/input", (7,)),
                                         ("state/values", (5, 5))])
def test_a_trajectory_whose_parts_do_not_fit_is_refused(run_script, result_of, tmp_path, name, shape):
    run_file = result_of("simulate", "run.h5", "--cells=5", "--steps=10", "--field-every=2", "--energy")
    with h5py.File(run_file, "a") as file:
        if name in file:
            del file[name]
        file.create_dataset(name, shape=shape).attrs["columns"] = "x y u"
    one_line(run_script(report, run_file, "--files-only", "-o", tmp_path / "out.html"), run_file, f"/{name}")
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("name", ["cells", "dt", "error_u", "order_x", None])
def test_a_study_without_a_required_column_or_levels_is_refused(run_script, study_file, name):
    with h5py.File(study_file, "a") as file:
        for each in [name] if name else list(file["cases"]):
            del file[f"cases/{each}"]
            if name is None:
                put(file, f"cases/{each}", [])
    one_line(run_script(report, study_file), study_file, f"/cases/{name}" if name else "at least one level")


@pytest.mark.parametrize("script, arguments, word", [
    (cycles, (), "FILE.h5"), (cycles, ("FILE", "--form", "3"), "did you mean --from?"),
    (cycles, ("FILE", "--from", "now"), "--from"), (cycles, ("FILE", "--from", "600"), "400 <= t <= 500"),
    (cycles, ("FILE", "--labels", "a,b"), "--labels"), (cycles, ("FILE", "-o", "a.gif"), ".png"),
    (cycles, ("FILE", "-o", "NONE"), "none does not exist"), (cycles, ("FILE", "-o", "FOLDER"), ""),
    (report, ("FILE", "--qqqq"), "unrecognized arguments: --qqqq (see --help)"),
    (report, ("FILE", "--files-only", "--reproduce"), "--files-only"),
    (report, ("FILE", "--program", "NONE"), "--program"), (report, ("FILE", "--reproduce"), "masing was not found")])
def test_mistakes_on_the_command_line_are_refused(run_script, run_file, tmp_path, monkeypatch, script, arguments, word):
    if word.endswith("was not found"):
        monkeypatch.setattr(program, "find", lambda given=None: None)
    folder = tmp_path / "folder.png"
    folder.mkdir()
    names = {"FILE": run_file, "FOLDER": folder, "NONE": tmp_path / "none" / "a.png"}
    one_line(run_script(script, *(names.get(argument, argument) for argument in arguments)), word)
    assert sorted(tmp_path.iterdir()) == [run_file, folder]


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind_and_tables_of_a_kind_begin_alike(tmp_path, monkeypatch):
    table, other = tmp_path / "a.csv", tmp_path / "b.json"
    table.write_bytes(b"file,loop,area\na.csv,1,2\n")
    command_line.write_file(table, b"file,period\nb.csv,2\n")  # an analysis may have other columns than before
    command_line.write_file(table, b"file,loop,area\nb.csv,1,3\n")
    other.write_bytes(b'{\n "mine": 1\n}\n')
    for path, content in ((table, b"t,force\n0,1\n"), (other, b'{\n "names": [1]\n}\n')):
        with pytest.raises(MasingError, match="was not made by this script"):
            command_line.write_file(path, content)
    monkeypatch.setattr(command_line.os, "replace", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(MasingError, match="Permission denied"):
        command_line.write_file(table, b"file,loop,area\nc.csv,1,4\n")
    assert len(list(tmp_path.iterdir())) == 2 and table.read_bytes().endswith(b"b.csv,1,3\n")


@pytest.mark.parametrize("script, ending", [(cycles, ".png"), (cycles, ".svg"), (cycles, ".pdf"), (report, ".html")])
def test_a_file_of_the_users_is_not_replaced(run_script, study_file, tmp_path, script, ending):
    output = tmp_path / f"mine{ending}"
    output.write_bytes(b"something of the user's")
    one_line(run_script(script, study_file, "-o", output), "was not made by this script", f"mine{ending}")
    assert output.read_bytes() == b"something of the user's"


def test_the_scripts_can_be_executed_from_any_folder(run_file, tmp_path):
    done = subprocess.run([sys.executable, ANALYSIS / "report.py", run_file.name, "--files-only", "--page-only"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "" and (tmp_path / done.stdout.strip()).is_file()
    assert [path.name for path in ANALYSIS.glob("*.py") if not path.stat().st_mode & 0o111] == []
