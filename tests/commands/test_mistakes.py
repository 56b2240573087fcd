"""A user's mistake ends every rank with exit code 2 and one line that names the key, what is wrong
and what would be right; nothing is left at the output path, and what was there is untouched."""

import pytest

SMALL = ("--steps", "50", "--cells", "20", "--final-time", "5", "--quiet")

# words on the command line → what the message must contain; tests/cli has every key and its range
WORDS = {
    "stiffness zero at a cell": (["--stiffness", "1-s"], ["--stiffness", "k(s) = 0", "cell", "> 0"]),
    "stiffness infinite": (["--stiffness", "s < 0.5 ? 1 : 1/(s-0.5)"], ["--stiffness", "inf", "s = 0.5"]),
    "stiffness not a number": (["--stiffness", "sqrt(0.52-s)"], ["--stiffness", "nan", "finite"]),
    "threshold negative": (["--threshold", "s-2"], ["--threshold", ">= 0"]),
    "initial u beyond threshold": (
        ["--initial-u", "s > 0.9 ? 1.2 : 0"],
        ["--initial-u", "1.2", "s = 0.95", "|u0|", "<="],
    ),
    "initial u below -threshold": (["--initial-u", "-2"], ["--initial-u", "-2", "|u0|"]),
    "mass negative": (["--mass", "-1"], ["--mass", "-1", "> 0"]),
    "unknown key": (["--mas", "1"], ["--mas", "not a key", "mass"]),
    "missing value before a switch": (["--force", "--validate-only"], ["--force", "no value"]),
    "expression cut short": (["--force", "0.45*cos("], ["--force", "position"]),
    "expression of two lines": (["--stiffness", "1+\n*s"], ["--stiffness", "one line"]),
    "force infinite at a step": (["--force", "1/(t-2.5)"], ["--force", "inf", "t = 2.5", "finite"]),
    "force undefined from a step on": (["--force", "sqrt(3-t)"], ["--force", "nan", "finite"]),
    "config missing": (["--config", "none.ini"], ["none.ini", "No such file"]),
    "config a folder": (["--config", "."], ["not a regular file"]),
    "exact with a corner": (
        ["--engine", "exact", "--force", "abs(cos(t))"],
        ["--force", "abs()", "not smooth", "as breaks"],
    ),
    "exact with a wave of no line": (
        ["--engine", "exact", "--force", "square(t^2)"],
        ["--force", "square()", "a*t+b", "as breaks"],
    ),
    "table missing": (["--force", "table:none.csv"], ["--force", "none.csv", "No such file"]),
    "output folder missing": (["--output", "none/out.h5"], ["--output", "none/out.h5", "folder"]),
    "output a folder": (["--output", "."], ["--output", "not a regular file", "file name"]),
}


@pytest.mark.parametrize("name", WORDS)
def test_command_line(masing, name):
    words, said = WORDS[name]
    output = [] if "--output" in words else ["--output=result.h5"]
    message = masing.refused("simulate", *SMALL, *output, *words)
    for part in said:
        assert part in message
    assert [left for left in masing.names() if not left.endswith(".partial")] == []


def test_ini(masing):
    for text, said in [
        ("mass = 1\nk0 = -1\n", ["bad.ini line 2", "k0", ">= 0"]),
        ("force = table:none.csv\n", ["bad.ini line 1", "none.csv"]),
    ]:
        message = masing.refused("simulate", "--config", masing.file("bad.ini", text))
        assert all(part in message for part in said)
    assert masing.names() == ["bad.ini"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--refine", "both", "--levels", "100,200"], ["--levels", "P:N"]),
        (["--reference", "exact", "--force", "abs(t)", "--levels", "10,20"], ["abs()", "as breaks"]),
        (["--levels", "10,20", "--stiffness", "s-0.5"], ["--stiffness", "> 0"]),
    ],
)
def test_studies(masing, words, said):
    message = masing.refused("converge", "--cells", "10", "--final-time", "1", *words)
    assert all(part in message for part in said), message
    assert masing.names() == []


@pytest.mark.parametrize("words", [[], ["simulat"], ["--mass", "1"], ["help"]])
def test_no_command(masing, words):
    assert "simulate" in masing.refused(*words)


@pytest.mark.parametrize(
    "name",
    [
        "stiffness zero at a cell",
        "mass negative",
        "unknown key",
        "expression cut short",
        "force infinite at a step",
        "initial u below -threshold",
        "config missing",
        "table missing",
        "output folder missing",
        "output a folder",
    ],
)
def test_every_rank_ends_alike(masing, name):
    words, said = WORDS[name]
    message = masing.refused("simulate", *SMALL, *words, ranks=2)
    for part in said:
        assert part in message
    assert "masing.h5" not in masing.names()


def test_a_fault_on_the_last_ranks_cells_ends_all(masing):
    # Blocks of 1024 cells: the fault lies in the third, which the third rank holds.
    message = masing.refused(
        "simulate", "--cells=3000", "--steps=50", "--threshold", "s < 0.9 ? 1 : -1", ranks=3
    )
    assert "cell 2700 of 3000" in message


@pytest.mark.parametrize(
    "words",
    [["--mass", "0"], ["--stiffness", "0.5-s"], ["--force", "1/(t-2.5)"], ["--k0", "1e300"]],
)
def test_an_existing_result_stays(masing, words):
    masing.file("result.h5", "the old result")
    masing.refused("simulate", *SMALL, "--x0=1", "--output=result.h5", *words)
    assert (masing.folder / "result.h5").read_text(encoding="utf-8") == "the old result"


def test_validate_only_finds_what_only_sampling_shows(masing):
    for words, key in [
        (["--stiffness", "0.5-s"], "--stiffness"),
        (["--initial-u", "2"], "--initial-u"),
        (["--force", "1/(t-2.5)"], "--force"),
    ]:
        assert key in masing.refused("simulate", *SMALL, "--validate-only", *words)
    levels = ["--refine", "cells", "--levels", "2,20", "--validate-only", "--steps", "10"]
    # The cell at s = 0.05 is one of the 20, not of the 2.
    assert "cell 1 of 20" in masing.refused(
        "converge", *levels, "--stiffness", "s < 0.07 ? -1 : 1"
    )
    assert masing.names() == []


def test_no_output_replaces_what_the_run_reads_or_what_is_not_masings(masing):
    run = ("--steps=20", "--final-time=2", "--cells=5", "--quiet")
    kept = {"my.ini": "mass = 2\n", "kk.csv": "0,1\n1,2\n", "notes.txt": "not a result\n"}
    for name, content in kept.items():
        (masing.folder / name).write_text(content)
    (masing.folder / "link.h5").symlink_to("my.ini")
    (masing.folder / "second.h5").hardlink_to(masing.folder / "kk.csv")
    reads, foreign = "is a file that the run reads", "is there already and was not made by masing"
    table = "--stiffness=table:kk.csv"
    cases = [(("--config=my.ini", "--output=my.ini"), reads), (("--config=my.ini", "--output=./link.h5"), reads),
             (("--config=my.ini", "--checkpoint=my.ini"), reads), ((table, "--output=kk.csv"), reads),
             ((table, "--output=second.h5"), reads), ((table, "--checkpoint=second.h5"), reads),
             (("--output=notes.txt",), foreign), (("--checkpoint=notes.txt",), foreign)]
    for words, message in cases:
        refused = masing.refused("simulate", *run, *words)
        assert message in refused and words[-1].split("=")[1] in refused
    assert foreign in masing.refused("benchmark", "--quick", "--output=notes.txt")
    masing.done("simulate", *run, "--sample-every=1", "--output=run.h5")
    levels = ("--levels=5,10", "--final-time=2", "--cells=5", "--expect-order=none", "--quiet")
    before = (masing.folder / "run.h5").read_bytes()
    assert reads in masing.refused("converge", *levels, "--reference=run.h5", "--output=run.h5")
    assert (masing.folder / "run.h5").read_bytes() == before
    for name, content in kept.items():
        assert (masing.folder / name).read_text() == content
    (masing.folder / "run.h5.checkpoint").write_text("mine\n")  # what a stopped run would replace
    assert foreign in masing.refused("simulate", *run, "--output=run.h5")
    (masing.folder / "run.h5.checkpoint").unlink()
    (masing.folder / "empty.h5").touch()
    for name in ("run.h5", "empty.h5"):
        masing.done("simulate", *run, f"--output={name}")
    masing.done("converge", *levels, "--output=run.h5")


def test_a_missing_folder_is_named_as_the_user_did(masing):
    assert "cannot write none/x.h5: " in masing.refused("simulate", "--steps=20", "--output=none/x.h5")
