"""What the program says of itself: help, version, the printed configuration, validation only."""

import pytest


@pytest.mark.parametrize(("command", "words"), [
    ((), ("simulate", "converge", "--help", "--version")),
    (("simulate",), ("--stiffness", "--threshold", "--force", "--final-time", "--config", "--output")),
    (("converge",), ("--levels", "--reference", "--config", "--output")),
    (("reproduce",), ("FILE.h5", "--output", "bit by bit"))])
def test_help(masing, command, words):
    said = masing.done(*command, "--help").stdout
    for word in words:
        assert word in said
    assert masing.names() == []


def test_the_version_says_what_the_program_is_made_of_and_only_the_root_speaks(masing):
    said = masing.done("--version", ranks=3).stdout.splitlines()
    name, number = said[0].split()[:2]
    assert name == "masing" and number[0].isdigit()
    facts = dict(line.split(maxsplit=1) for line in said[1:])
    assert {"git_revision", "compiler", "flags", "kernel", "mpi", "petsc", "hdf5", "boost"} <= set(facts)
    assert "Open MPI" in facts["mpi"] and "-O" in facts["flags"]
    assert len(facts) == len(said) - 1


PRINTED = {
    "nothing": ("simulate",),
    "study of nothing": ("converge",),
    "run": ("simulate", "--mass=0.3", "--k0=0.001", "--x0=-0.1", "--y0=0.30000000000000004", "--final-time=12.5",
            "--cells=77", "--steps=1234", "--rule=midpoint", "--stiffness=1+s^2", "--force=square(t/7)", "--quiet",
            "--sample-every=3", "--field-every=9", "--from=1", "--to=2", "--probe=0.1,0.9"),
    "study": ("converge", "--refine=both", "--levels=10:100,20:200", "--reference=successive", "--final-time=3",
              "--expect-order=x=1,y>=0.5", "--order-tolerance=0.2", "--field-samples=7"),
    "model": ("simulate", "--model=discrete-masing", "--set=k=1/n", "--set=eta=0.1,0.3,0.5"),
    "promised orders": ("converge", "--scheme=leapfrog", "--rule=midpoint", "--refine=both"),
}
SHOWN = {"model": ("[model]", "k = 1/n"), "promised orders": ("expect-order = x=2,y=2,u>=1",)}


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_configuration_reads_back(masing, name):
    command, *words = PRINTED[name]
    printed = masing.done(command, *words, "--print-config").stdout
    masing.file("case.ini", printed)
    assert masing.done(command, "--config=case.ini", "--print-config").stdout == printed
    given = [word.removeprefix("--").partition("=") for word in words if not word.startswith("--set")]
    for line in SHOWN.get(name, ()) + tuple(f"{key} = {value or 'true'}" for key, _, value in given if key != "model"):
        assert f"\n{line}\n" in printed
    assert masing.names() == ["case.ini"]


def test_the_command_line_wins_and_a_table_is_printed_as_its_points(masing):
    masing.file("case.ini", "# a case\nmass = 2\nk0 = 3\n")
    masing.file("k.csv", "0,1\n1,3\n")
    words = ("--config=case.ini", "--k0", "5", "--stiffness=table:k.csv", "--print-config")
    printed = masing.done("simulate", *words).stdout
    for line in ("mass = 2", "k0 = 5", "stiffness = points:0 1; 1 3"):
        assert f"\n{line}\n" in printed


def test_validate_only(masing):
    assert masing.done("simulate", "--cells=20", "--steps=100", "--validate-only", ranks=2).stdout == "valid\n"
    assert masing.names() == []


def test_words_after_petsc_are_petscs(masing):
    masing.done("simulate", "--cells=2", "--steps=4", "--quiet", "--petsc", "-options_left", "no")
