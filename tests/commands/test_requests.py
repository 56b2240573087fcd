"""What the program says of itself: version, help, the printed configuration, PETSc's options. (tests/cli has the help.)"""


import h5py
import numpy as np


def test_the_version_says_what_the_program_is_made_of_and_only_the_root_speaks(masing):
    said = masing.done("--version", ranks=2).stdout.splitlines()
    name, number = said[0].split()[:2]
    assert name == "masing" and number[0].isdigit()
    facts = dict(line.split(maxsplit=1) for line in said[1:])
    known = "git_revision compiler flags mpi petsc hdf5 boost eigen fmt xxhash libc"
    assert set(known.split()) <= set(facts) and len(facts) == len(said) - 1
    assert "Open MPI" in facts["mpi"] and "-O" in facts["flags"]


def test_a_result_file_has_the_options_of_its_run(masing):
    masing.file("k.csv", "s,k\n0,1\n1,2\n")
    words = ("--cells=20", "--steps=200", "--final-time=2", "--stiffness=table:k.csv", "--force=0.45*cos(0.5*t)")
    run = masing.run(*words)["x"]
    (masing.folder / "k.csv").unlink()
    (masing.folder / "run.h5").rename(masing.folder / "case.ini")  # whatever its name
    assert np.array_equal(run, masing.run("--config=case.ini")["x"])
    finer = masing.run("--config=case.ini", "--steps=400", "--sample-every=2")["x"]
    assert len(finer) == len(run) == 201 and 0 < np.abs(finer - run).max() < 0.02  # dt = 0.01 and half of it
    said = masing.done("simulate", "--config=case.ini", "--print-config", "--y0=0.30000000000000004").stdout
    for line in ("cells = 20", "stiffness = points:0 1; 1 2", "y0 = 0.30000000000000004"):
        assert f"\n{line}\n" in said
    # It is read: no run replaces it.
    words = ("simulate", "--config=case.ini", "--output=case.ini")
    assert "case.ini is a file that the run reads" in masing.refusal(*words)


def test_what_is_no_result_file_of_the_command_has_no_options_for_it(masing):
    whole = masing.made("converge", "--cells=10", "--levels=100,200", "--final-time=1", name="study.h5").read_bytes()
    (masing.folder / "changed.h5").write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    with h5py.File(masing.folder / "other.h5", "w") as file:
        file.attrs["kind"], file["configuration"] = "simulate", np.bytes_("cells = 3\nlevels = 4\n")
    for name, said in (
            ("changed.h5", "changed.h5 is damaged"),
            ("study.h5", "study.h5 is of masing converge; give a file of masing simulate"),
            ("other.h5", "/configuration of other.h5 line 2, levels: not a key of masing simulate")):
        assert said in masing.refusal("simulate", f"--config={name}")


def test_help_is_given_however_it_is_asked_for_and_what_was_meant(masing):
    of_all, of_simulate = masing.done("--help").stdout, masing.done("simulate", "--mass=2", "--help").stdout
    assert of_all.startswith("masing: ") and of_simulate.startswith("masing simulate: ")
    assert masing.done("help", "everything").stdout == of_all and masing.done("help", "simulate").stdout == of_simulate
    assert "takes one result file" in masing.refused("reproduce", "a.h5", "b.h5")
    for command in ("reproduce", "benchmark"):
        assert masing.done(command, "-h").stdout.startswith(f"masing {command}")
    for words, said in (("simulat --steps=3", "; did you mean simulate?"), ("--mass 1", "(masing --help)"),
                        ("r/my.ini", "masing simulate --config r/my.ini"),
                        ("models Persos", "; did you mean persoz?")):
        assert said in masing.refused(*words.split())


def test_words_behind_petsc_are_petscs(masing):
    process = masing("simulate", "--cells=100000", "--steps=10", "--quiet", "--petsc", "-options_left", "-log_view",
                     ":log.txt", "-log_veiw", ranks=2)
    assert "-log_veiw" in process.stdout and (masing.folder / "log.txt").exists()
