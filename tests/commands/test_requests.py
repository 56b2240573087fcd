"""What the program says of itself: version, the printed configuration, validation only. (tests/cli has the help.)"""

import re

import h5py
import numpy as np
import pytest
from result_files import numbers


def test_the_version_says_what_the_program_is_made_of_and_only_the_root_speaks(masing):
    said = masing.done("--version", ranks=3).stdout.splitlines()
    name, number = said[0].split()[:2]
    assert name == "masing" and number[0].isdigit()
    facts = dict(line.split(maxsplit=1) for line in said[1:])
    known = "git_revision compiler flags mpi petsc hdf5 boost eigen fmt xxhash libc"
    assert set(known.split()) <= set(facts) and len(facts) == len(said) - 1
    assert "Open MPI" in facts["mpi"] and "-O" in facts["flags"]


def test_a_result_file_has_the_options_of_its_run(masing):
    masing.file("k.csv", "s,k\n0,1\n1,2\n")
    masing.done("simulate", "--cells=20", "--steps=200", "--final-time=2", "--stiffness=table:k.csv",
                "--force=0.45*cos(0.5*t)", "--output=run.h5")
    (masing.folder / "k.csv").unlink()
    masing.done("simulate", "--config=run.h5", "--output=same.h5", ranks=2)
    masing.done("simulate", "--config=run.h5", "--output=finer.h5", "--steps=400", "--sample-every=2")
    run, same, finer = (numbers(masing.folder / f"{name}.h5")["x"] for name in ("run", "same", "finer"))
    assert np.array_equal(run, same) and len(finer) == len(run) == 201
    assert 0 < np.abs(finer - run).max() < 0.02  # dt = 0.01 and half of it
    said = masing.done("simulate", "--config=run.h5", "--print-config").stdout
    assert "\ncells = 20\n" in said and "\nstiffness = points:0 1; 1 2\n" in said
    exact = "y0 = 0.30000000000000004\n"
    assert exact in masing.done("simulate", "--y0=0.30000000000000004", "--force=0", "--print-config").stdout
    # It is read: no run replaces it.
    assert "run.h5 is a file that the run reads" in masing.refused("simulate", "--config=run.h5", "--output=run.h5")
    (masing.folder / "run.h5").rename(masing.folder / "case.ini")  # whatever its name
    assert masing.done("simulate", "--config=case.ini", "--print-config").stdout == said


def test_what_is_no_result_file_of_the_command_has_no_options_for_it(masing):
    masing.study("--cells=10", "--levels=100,200", "--final-time=1", "--expect-order=none")
    whole = (masing.folder / "study.h5").read_bytes()
    (masing.folder / "changed.h5").write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    assert "changed.h5 is damaged" in masing.refused("converge", "--config=changed.h5", ranks=2)
    with h5py.File(masing.folder / "mine.h5", "w") as file:
        file["x"] = [1.0]
    with h5py.File(masing.folder / "other.h5", "w") as file:
        file.attrs["kind"], file["configuration"] = "simulate", np.bytes_("cells = 3\nlevels = 4\n")
    for name, said in (
            ("study.h5", "masing: --config: study.h5 is of masing converge; give a file of masing simulate"),
            ("mine.h5", "mine.h5 has no /configuration; give a file that masing wrote"),
            ("other.h5", "masing: /configuration of other.h5 line 2, levels: levels is a key of masing converge only")):
        assert said in masing.refused("simulate", f"--config={name}")


def test_help_is_given_however_it_is_asked_for(masing):
    of_all, of_simulate = masing.done("--help").stdout, masing.done("simulate", "--help").stdout
    assert of_all.startswith("masing: ") and of_simulate.startswith("masing simulate: ")
    for words in ("help", "help everything", "-h --help"):
        assert masing.done(*words.split()).stdout == of_all
    for words in ("simulate -h", "simulate help", "simulate --mass=2 --help"):
        assert masing.done(*words.split()).stdout == of_simulate
    assert masing.done("help", "simulate", ranks=2).stdout == of_simulate
    masing.done("simulate", "--cells=2", "--steps=4", "--final-time=1", "--output", "help")  # a name
    assert masing.names() == ["help"]
    assert masing.done("models", "-h").stdout == masing.done("help", "models").stdout == masing.done("models").stdout
    for command in ("reproduce", "benchmark"):
        assert masing.done(command, "-h").stdout.startswith(f"masing {command}")


@pytest.mark.parametrize(("words", "said"), [
    ("simulat --steps=3", "; did you mean simulate?"), ("version", "; did you mean --version?"),
    ("plot", "models or benchmark (masing --help)"), ("--mass 1", "(masing --help)"),
    ("analysis/cycles.py masing.h5", "masing: analysis/cycles.py is a script: python3 analysis/cycles.py"),
    ("r/my.ini", "masing simulate --config r/my.ini"), ("cycles masing.h5", "; did you mean cycles.py?"),
    ("models Persos", "; did you mean persoz?")])
def test_another_command_was_meant(masing, words, said):
    assert said in masing.refused(*words.split())


@pytest.mark.parametrize(("words", "line"), [
    (("simulate", "--cells=2", "--steps=60000"), "model = masing, steps = 60000, cells = 2, scheme = euler, engine = sweep"),
    (("simulate", "--model=prandtl", "--set=k=1", "--set=eta=1", "--force=0", "--final-time=1", "--steps=10"),
     "model = prandtl, steps = 10"),
    (("converge", "--cells=2", "--levels=10,20,40", "--final-time=1", "--order-tolerance=9"),
     "model = masing, scheme = euler, engine = sweep"),
    (("scan", "--over=w=1,2", "--force=cos(w*t)", "--cells=2", "--steady"),
     "model = masing, scheme = euler, engine = exact")])
def test_what_is_solved_is_said_once(masing, words, line):
    is_scan = words[0] == "scan"
    said = masing(*words, ranks=3 if is_scan else None)
    assert (said.returncode, masing.lines_of(said.stderr)) == (0, [f"masing {words[0]}: {line}"])
    for silent in ("--quiet", "--print-config", "--validate-only")[:3 if is_scan else 1]:
        assert "model = " not in masing(*words, silent).stderr


def test_what_petsc_has_not_asked_for_is_told_once(masing):
    words = ("simulate", "--cells=2", "--steps=40", "--final-time=1", "--quiet", "--petsc", "-malloc_dump", "-log_view",
             ":log.txt")
    assert masing.done(*words, ranks=3).stderr == ""
    assert "PETSc Performance Summary" in (masing.folder / "log.txt").read_text(encoding="utf-8")
    said = "masing warning: PETSc has not used -log_veiw; is it misspelt, or masing's, before --petsc?\n"
    assert masing(*words, "-log_veiw", ranks=3).stderr == said


def test_petscs_log_has_a_stage_for_each_phase_and_an_event_for_sums_over_ranks(masing):
    said = masing.done("simulate", "--cells=100000", "--steps=10", "--quiet", "--petsc", "-log_view", ranks=2).stdout
    stages = [line.split(":")[1].strip() for line in said.splitlines() if re.match(r" ?\d+: .*%", line)]
    assert stages == ["Main Stage", "setup", "steps", "output", "seal", "rest"]
    of_steps = said.split("--- Event Stage 2: steps")[1].split("--- Event Stage")[0]
    assert re.search(r"^sum over ranks +5 ", of_steps, re.MULTILINE)  # of euler, one every second step
