"""What the program says of itself: version, the printed configuration, validation only. (tests/cli has the help.)"""

import re

import pytest


def test_the_version_says_what_the_program_is_made_of_and_only_the_root_speaks(masing):
    said = masing.done("--version", ranks=3).stdout.splitlines()
    name, number = said[0].split()[:2]
    assert name == "masing" and number[0].isdigit()
    facts = dict(line.split(maxsplit=1) for line in said[1:])
    assert {"git_revision", "compiler", "flags", "kernel", "mpi", "petsc", "hdf5", "boost", "eigen", "fmt",
            "xxhash", "libc"} <= set(facts)
    assert "Open MPI" in facts["mpi"] and "-O" in facts["flags"]
    assert len(facts) == len(said) - 1


def test_the_printed_configuration_reads_back(masing):
    words = ("--mass=0.3", "--y0=0.30000000000000004", "--final-time=12.5", "--cells=77", "--steps=1234",
             "--rule=midpoint", "--stiffness=1+s^2", "--force=square(t/7)", "--sample-every=3", "--from=1", "--to=2",
             "--probe=0.1,0.9")
    printed = masing.done("simulate", *words, "--print-config").stdout
    masing.file("case.ini", printed)
    assert masing.done("simulate", "--config=case.ini", "--print-config").stdout == printed
    for key, _, value in (word.removeprefix("--").partition("=") for word in words):
        assert f"\n{key} = {value}\n" in printed
    assert masing.names() == ["case.ini"]


def test_validate_only(masing):
    assert masing.done("simulate", "--cells=20", "--steps=100", "--validate-only", ranks=2).stdout == "valid\n"
    assert masing.names() == []


def test_words_after_petsc_are_petscs(masing):
    masing.done("simulate", "--cells=2", "--steps=4", "--quiet", "--petsc", "-options_left", "no")


@pytest.mark.parametrize("ranks", [None, 3])
def test_what_petsc_has_not_asked_for_is_told_once(masing, ranks):
    words = ("simulate", "--cells=2", "--steps=40", "--final-time=1", "--quiet", "--petsc", "-malloc_dump", "-log_view",
             ":log.txt")
    assert masing.done(*words, ranks=ranks).stderr == ""
    assert "PETSc Performance Summary" in (masing.folder / "log.txt").read_text(encoding="utf-8")
    said = "masing warning: PETSc has not used -log_veiw; is it misspelt, or masing's, before --petsc?\n"
    assert masing(*words, "-log_veiw", ranks=ranks).stderr == said


def test_petscs_log_has_a_stage_for_each_phase_and_an_event_for_sums_over_ranks(masing):
    said = masing.done("simulate", "--cells=100000", "--steps=10", "--quiet", "--petsc", "-log_view", ranks=2).stdout
    stages = [line.split(":")[1].strip() for line in said.splitlines() if re.match(r" ?\d+: .*%", line)]
    assert stages == ["Main Stage", "setup", "steps", "output", "seal"]
    of_steps = said.split("--- Event Stage 2: steps")[1].split("--- Event Stage")[0]
    assert re.search(r"^sum over ranks +5 ", of_steps, re.MULTILINE)  # of euler, one every second step
