"""What the program says of itself: help, version, the printed configuration, validation only."""

import pytest


@pytest.mark.parametrize("command", ["simulate", "converge"])
def test_help(masing, command):
    said = masing.done(command, "--help").stdout
    for key in ("--stiffness", "--threshold", "--force", "--final-time", "--config", "--output"):
        assert key in said
    assert masing.names() == []


def test_help_of_the_program(masing):
    said = masing.done("--help").stdout
    for word in ("simulate", "converge", "--help", "--version"):
        assert word in said


def test_version(masing):
    words = masing.done("--version").stdout.split()
    assert words[0] == "masing"
    assert words[1][0].isdigit()


def test_only_the_root_speaks(masing):
    assert masing.done("--version", ranks=3).stdout.count("masing") == 1
    assert masing.done("simulate", "--print-config", ranks=3).stdout.count("mass = ") == 1


SIMULATE = [
    *("--mass=0.3", "--k0=0.001", "--x0=-0.1", "--y0=0.30000000000000004", "--final-time=12.5"),
    *("--cells=77", "--steps=1234", "--rule=midpoint", "--stiffness=1+s^2", "--force=square(t/7)"),
    *("--sample-every=3", "--field-every=9", "--from=1", "--to=2", "--probe=0.1,0.9", "--quiet"),
]
CONVERGE = [
    *("--refine=both", "--levels=10:100,20:200", "--reference=successive", "--final-time=3"),
    *("--expect-order=x=1,y>=0.5", "--order-tolerance=0.2", "--field-samples=7"),
]


@pytest.mark.parametrize(
    ("command", "words"),
    [("simulate", []), ("converge", []), ("simulate", SIMULATE), ("converge", CONVERGE)],
)
def test_the_printed_configuration_reads_back(masing, command, words):
    printed = masing.done(command, *words, "--print-config").stdout
    masing.file("case.ini", printed)
    assert masing.done(command, "--config=case.ini", "--print-config").stdout == printed
    for word in words:
        key, _, value = word.removeprefix("--").partition("=")
        assert f"\n{key} = {value or 'true'}\n" in printed
    assert masing.names() == ["case.ini"]


def test_a_table_is_printed_as_its_points(masing):
    masing.file("k.csv", "0,1\n1,3\n")
    printed = masing.done("simulate", "--stiffness=table:k.csv", "--print-config").stdout
    assert "\nstiffness = points:0 1; 1 3\n" in printed


def test_the_command_line_wins(masing):
    masing.file("case.ini", "# a case\nmass = 2\nk0 = 3\n")
    printed = masing.done("simulate", "--config=case.ini", "--k0", "5", "--print-config").stdout
    assert "\nmass = 2\n" in printed
    assert "\nk0 = 5\n" in printed


@pytest.mark.parametrize("ranks", [None, 2])
def test_validate_only(masing, ranks):
    words = ["--cells=20", "--steps=100", "--validate-only"]
    assert masing.done("simulate", *words, ranks=ranks).stdout == "valid\n"
    assert masing.names() == []


def test_words_after_petsc_are_petscs(masing):
    masing.done("simulate", "--cells=2", "--steps=4", "--quiet", "--petsc", "-options_left", "no")
