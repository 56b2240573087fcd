"""A user's mistake ends every rank with exit code 2 and one line that names the key, what is wrong
and what would be right; nothing is left at the output path, and what was there is untouched."""

import pytest

SMALL = ("--steps", "50", "--cells", "20", "--final-time", "5", "--quiet")

# words on the command line → what the message must contain
WORDS = {
    "stiffness zero at a cell": (["--stiffness", "1-s"], ["--stiffness", "k(s) = 0", "cell", "> 0"]),
    "stiffness negative": (["--stiffness", "-1"], ["--stiffness", "-1", "> 0"]),
    "stiffness infinite": (["--stiffness", "s < 0.5 ? 1 : 1/(s-0.5)"], ["--stiffness", "inf", "s = 0.5"]),
    "stiffness not a number": (["--stiffness", "sqrt(0.52-s)"], ["--stiffness", "nan", "finite"]),
    "threshold negative": (["--threshold", "s-2"], ["--threshold", ">= 0"]),
    "initial u beyond threshold": (
        ["--initial-u", "s > 0.9 ? 1.2 : 0"],
        ["--initial-u", "1.2", "s = 0.95", "|u0|", "<="],
    ),
    "initial u below -threshold": (["--initial-u", "-2"], ["--initial-u", "-2", "|u0|"]),
    "mass zero": (["--mass", "0"], ["--mass", "0", "> 0"]),
    "mass negative": (["--mass", "-1"], ["--mass", "-1", "> 0"]),
    "mass not finite": (["--mass", "inf"], ["--mass", "inf", "finite"]),
    "mass not a number": (["--mass", "nan"], ["--mass", "nan", "finite"]),
    "mass too large for a number": (["--mass", "1e999"], ["--mass", "1e999", "finite"]),
    "mass a word": (["--mass", "heavy"], ["--mass", "heavy", "number"]),
    "k0 negative": (["--k0", "-0.1"], ["--k0", "-0.1", ">= 0"]),
    "k0 not finite": (["--k0", "inf"], ["--k0", "finite"]),
    "x0 not finite": (["--x0", "nan"], ["--x0", "finite"]),
    "y0 not finite": (["--y0", "-inf"], ["--y0", "finite"]),
    "probe outside": (["--probe", "0.5,2"], ["--probe", "2", "[0, 1]"]),
    "window outside": (["--to", "7"], ["--to", "7", "[0, 5]"]),
    "window backwards": (["--from", "3", "--to", "2"], ["--from", "3", "--to 2"]),
    "sample-every zero": (["--sample-every", "0"], ["--sample-every", "from 1"]),
    "field-every negative": (["--field-every", "-1"], ["--field-every", "from 0"]),
    "unknown rule": (["--rule", "left"], ["--rule", "left", "right|midpoint"]),
    "unknown model": (["--model", "ising"], ["--model", "ising", "masing"]),
    "unknown key": (["--mas", "1"], ["--mas", "not a key", "mass"]),
    "key of the other command": (["--levels", "1,2"], ["levels", "converge"]),
    "repeated key": (["--mass", "1", "--mass", "2"], ["--mass", "twice"]),
    "missing value at the end": (["--mass"], ["--mass"]),
    "missing value before a key": (["--mass", "--k0", "1"], ["--mass", "no value"]),
    "missing value before a switch": (["--force", "--validate-only"], ["--force", "no value"]),
    "unexpected word": (["spring"], ["spring", "--"]),
    "a file without --config": (["case.ini"], ["case.ini", "--config case.ini"]),
    "expression cut short": (["--force", "0.45*cos("], ["--force", "position"]),
    "expression with a wrong operator": (["--threshold", "s+*2"], ["--threshold", "position 3"]),
    "expression in the wrong variable": (["--force", "cos(s)"], ["--force", "position 5"]),
    "expression with an unknown name": (["--stiffness", "1+foo"], ["--stiffness", "position 3"]),
    "expression of two lines": (["--stiffness", "1+\n*s"], ["--stiffness", "one line"]),
    "force infinite at a step": (["--force", "1/(t-2.5)"], ["--force", "inf", "t = 2.5", "finite"]),
    "force undefined from a step on": (["--force", "sqrt(3-t)"], ["--force", "nan", "finite"]),
    "config missing": (["--config", "none.ini"], ["none.ini", "No such file"]),
    "config a folder": (["--config", "."], ["not a regular file"]),
    "unknown engine": (["--engine", "fast"], ["--engine", "fast", "sweep|memory|exact"]),
    "unknown scheme": (["--scheme", "heun"], ["--scheme", "heun", "euler|leapfrog"]),
    "breaks not times": (["--breaks", "1,soon"], ["--breaks", "soon", "not a number"]),
    "breaks with a gap": (["--breaks", "1,,2"], ["--breaks", "not a number", "empty"]),
    "breaks not finite": (["--breaks", "inf"], ["--breaks", "inf", "not a number"]),
    "exact with a corner": (
        ["--engine", "exact", "--force", "abs(cos(t))"],
        ["--force", "abs()", "not smooth", "as breaks"],
    ),
    "exact with a minimum": (
        ["--engine", "exact", "--force", "min(t,1)"],
        ["--force", "min()", "not smooth", "as breaks"],
    ),
    "exact with a choice": (
        ["--engine", "exact", "--force", "t < 1 ? 1 : 0"],
        ["--force", "'<'", "not smooth", "as breaks"],
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


# keys that SMALL sets
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--final-time", "0"], ["--final-time", "> 0"]),
        (["--final-time", "-5"], ["--final-time", "-5", "> 0"]),
        (["--final-time", "inf"], ["--final-time", "finite"]),
        (["--steps", "0"], ["--steps", "from 1"]),
        (["--steps", "-10"], ["--steps", "-10", "from 1"]),
        (["--steps", "2.5"], ["--steps", "2.5", "whole number"]),
        (["--cells", "0"], ["--cells", "at least 1"]),
        (["--cells", "-3"], ["--cells", "-3", "at least 1"]),
        (["--cells", "nan"], ["--cells", "nan"]),
        (["--cells", "infinite"], ["--cells", "infinite", "whole number"]),
        (["--cells", "inf", "--engine", "sweep"], ["--engine", "--cells inf", "memory", "exact"]),
        (["--quiet", "--quiet"], ["--quiet", "twice"]),
    ],
)
def test_counts_and_final_time(masing, words, said):
    message = masing.refused("simulate", *words)
    for part in said:
        assert part in message
    assert masing.names() == []


# .ini → what the message must contain
INI = {
    "unknown key": ("mass = 1\n\n# stiffer\nstifness = 2\n", ["bad.ini line 4", "stifness"]),
    "out of range": ("mass = 1\nk0 = -1\n", ["bad.ini line 2", "k0", ">= 0"]),
    "not a number": ("mass = big\n", ["bad.ini line 1", "mass", "big"]),
    "bad expression": ("cells = 4\nforce = 1+*t\n", ["bad.ini line 2", "force", "position 3"]),
    "repeated key": ("mass = 1\nk0 = 1\nmass = 2\n", ["bad.ini", "mass", "twice"]),
    "no key": ("mass = 1\nrubbish\n", ["bad.ini", "rubbish", "key = value"]),
    "not a switch": ("quiet = perhaps\n", ["bad.ini line 1", "quiet", "false|true"]),
    "a table that is missing": ("force = table:none.csv\n", ["bad.ini line 1", "none.csv"]),
}


@pytest.mark.parametrize("name", INI)
def test_ini(masing, name):
    text, said = INI[name]
    message = masing.refused("simulate", "--config", masing.file("bad.ini", text))
    for part in said:
        assert part in message
    assert masing.names() == ["bad.ini"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0,1\n0.5,x\n", "line 2"),
        ("0,1\n0.5\n", "line 2"),
        ("s,k\n0,1\n0.5,1,7\n", "line 3"),
        ("0,1\n0.5,nan\n", "line 2"),
        ("0,1\n0.7,1\n0.5,1\n", "line 3"),
        ("", "no points"),
        ("\x00\x01\x02", "line 1"),
    ],
)
def test_damaged_table(masing, text, said):
    masing.file("k.csv", text)
    message = masing.refused("simulate", "--stiffness", "table:k.csv", *SMALL)
    assert "--stiffness" in message
    assert "k.csv" in message
    assert said in message or "no points" in message
    assert masing.names() == ["k.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--levels", "100,50"], ["--levels", "coarse to fine"]),
        (["--levels", "100,many"], ["--levels", "many", "whole number"]),
        (["--refine", "both", "--levels", "100,200"], ["--levels", "P:N"]),
        (["--refine", "everything"], ["--refine", "steps|cells|both"]),
        (["--expect-order", "z=1"], ["--expect-order", "z"]),
        (["--order-tolerance", "0"], ["--order-tolerance", "> 0"]),
        (["--field-samples", "0"], ["--field-samples", "from 1"]),
        (["--reference", "best"], ["--reference", "finest"]),
        (["--engine", "exact"], ["--engine", "no time step", "--reference exact"]),
        (["--reference", "exact", "--force", "abs(t)", "--levels", "10,20"], ["abs()", "as breaks"]),
        (["--energy"], ["energy", "simulate"]),
        (["--levels", "10,20", "--stiffness", "s-0.5"], ["--stiffness", "> 0"]),
        (["--probe", "0.5"], ["probe", "simulate"]),
    ],
)
def test_studies(masing, words, said):
    message = masing.refused("converge", "--cells", "10", "--final-time", "1", *words)
    for part in said:
        assert part in message
    assert "masing.h5" not in masing.names()


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
