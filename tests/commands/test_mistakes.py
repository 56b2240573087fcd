"""A user's mistake, or a problem that has no solution or none that can be found, is refused in one line that names the
key, what is wrong, where, and what would be right; nothing is left at the output path, and what was there is untouched.
What is at the limit is taken. (tests/cli has every key, its range and its spellings.)"""

import re
import shutil

import pytest

PRANDTL = ("--model=prandtl", "--set=k=1", "--set=eta=1", "--force=0")
CHAIN = ("--model=s-chain", "--set=k=1", "--set=eta=1", "--engine=exact")
QUASISTATIC = ("--model=masing-quasistatic",)
EXACT = ("--engine=exact", "--cells=3")
FAST = ("--scheme=leapfrog", "--k0=3", "--force=0", "--final-time=100", "--cells=5")
STIFF = ("--damping=30", "--force=0", "--final-time=10", "--cells=3")

# what is asked for, simulate where no command is named, and what the message must contain: one of each way, and what no
# C++ test sees
REFUSED = {
    "stiffness negative at a cell": (("--stiffness=0.9-s", "--force=0"), ["--stiffness", "k(s) = -", "cell", ">= 0"]),
    # an integrable pole of k
    "stiffness with a pole": (("--cells=inf", "--stiffness=s^-0.5", "--threshold=s", "--force=0"),
                              ["k(s) = inf at s = 0"]),
    "a narrow fault": (("--threshold=1-2*exp(-((s-0.123456789)/1e-6)^2)", "--cells=inf", "--force=0"),
                       ["must be >= 0"]),
    "energy too small": (("--threshold=1e-110*(s+0.1)", "--cells=9", "--energy", "--force=0"),
                         ["the largest energy k eta^2 / 2 of --energy is 6.05"]),
    "force infinite at a step": (("--force=1/(t-2.5)",), ["--force", "inf", "t = 2.5", "finite"]),
    "base with a pole": (("--base-acceleration=1/(1-t)", "--final-time=2", "--steps=4"),
                         ["--base-acceleration: F(t) - m a_g(t) = -inf at step 2"]),
    # breaks of the base do not vouch for the force
    "exact, force with corners": ((*EXACT, "--base-acceleration=square(t)", "--force=abs(sin(t))"),
                                  ["--force: it uses abs()", "not smooth", "as breaks"]),
    "exact, too fast a force": ((*EXACT, "--force=sin(1e12*t)", "--final-time=1"), ["--force", "resolve"]),
    "damping, few steps": ((*STIFF, "--steps=149"), ["give at least 150 steps"]),
    # ω = 2: stable up to a step of 1
    "leapfrog, few steps": ((*FAST, "--steps=99"), ["leapfrog", "at least 100 steps"]),
    "saturation": ((*QUASISTATIC, "--force=0.7*sin(t)"), ["--force", "everything slides", "k0 = 0"]),
    "model, by turning points": ((*PRANDTL, "--engine=memory"), ["--engine", "exact"]),
    "exact, too many elements": ((*CHAIN, "--set=n=3000", "--force=0"), ["--engine", "2000"]),
    "config a folder": (("--config=.",), ["not a regular file"]),
    "output folder missing": (("--output=none/out.h5",), ["--output", "cannot write none/out.h5: ", "folder"]),
    "too long a name": (("--output=o.h5", "--checkpoint=" + 300 * "c"), ["--checkpoint: cannot write ccc"]),
    "output a folder": (("--output=.",), ["--output", "not a regular file", "file name"]),
    **{name: (("--checkpoint=c.h5", f"--output={name}"), [f"--output: {name}; the run writes this file itself"])
       for name in ("c.h5.draft", "c.h5.lock", "./c.h5.partial.draft")},
    "study of one level": (("converge", "--levels=100"), ["--levels: '100' is too few for an order", "two levels"]),
    "study, exact cells of a model": (("converge", *PRANDTL, "--reference=exact-time"), ["--reference", "finest"]),
    "study, no cells": (("converge", *PRANDTL, "--refine=cells"), ["--refine: prandtl has no cells; give steps"]),
}


@pytest.mark.parametrize(("name", "ranks"), [*((name, None) for name in REFUSED), ("force infinite at a step", 2)])
def test_it_is_refused(masing, name, ranks):
    words, said = REFUSED[name]
    command, *words = words if words[0] == "converge" else ("simulate", *words)
    keys = {word.split("=")[0] for word in words} | ({"--steps"} if command == "converge" else set())
    words += [word for word in ("--steps=50", "--final-time=5") if word.split("=")[0] not in keys]
    message = masing.refused(command, *words, "--quiet", ranks=ranks) if ranks else masing.refusal(command, *words)
    assert all(part in message for part in said), message
    assert [left for left in masing.names() if not left.endswith(".partial")] == []


@pytest.mark.parametrize("words", [
    (*STIFF, "--steps=150"), FAST,
    (*EXACT, "--base-acceleration=square(t)", "--final-time=3"),
    (*CHAIN, "--set=n=3", "--force=abs(sin(t))", "--final-time=7", "--breaks=3.141592653589793,6.283185307179586"),
    # u0 at either end, though it rounds
    *(("--threshold-down=0.3", f"--initial-u={end}", "--force=0", *engine) for end in ("s+0.1", "-0.3")
      for engine in (("--cells=700",), ("--cells=700", "--engine=memory"), ("--cells=inf",)))])
def test_what_is_at_the_limit_is_taken(masing, words):
    masing.made("simulate", *(("--steps=100",) if "--steps=150" not in words else ()), *words)


def test_the_limits_of_a_force_without_a_mass_are_told(masing):
    said = masing.refusal("simulate", *QUASISTATIC, "--threshold-down=0.3", "--force=-0.4*t", "--final-time=1",
                          "--cells=inf")
    low, high = map(float, re.search(r"must stay within (\S+) and (\S+),", said).groups())
    assert (low, high) == (pytest.approx(-0.3, abs=1e-14), pytest.approx(0.6, abs=1e-14))


def test_what_an_output_replaces_or_is_named_is_told(masing):
    """A file of another command, even one that was damaged behind its first bytes; not one of the same command."""
    run = ("simulate", "--steps=10", "--final-time=1")
    study = ("converge", "--levels=10,20", "--final-time=1", "--expect-order=none")
    for words in (study, run, ("scan", "--over=mass=1,2", "--force=0", *run[1:])):
        masing.made(*words)
    start = (masing.folder / "simulate.h5").read_bytes()[:4096]
    (masing.folder / "before.h5").write_bytes(start.replace(b"masing 1.2", b"masing 1.0"))  # of an older program

    def told(*words, ranks=None):
        return [line for line in masing.done(*words, "--quiet", ranks=ranks).stderr.splitlines() if "--output" in line]

    said = "masing warning: --output: {} is of masing {} and will be replaced by a file of masing {}"
    assert told(*study, "--output=simulate.h5", "--validate-only") == []
    assert told(*study, "--output=before.h5") == [said.format("before.h5", "simulate", "converge")]
    assert told(*study, "--output=simulate.h5", ranks=2) == [said.format("simulate.h5", "simulate", "converge")]
    assert told(*study, "--output=simulate.h5") == told(*run, "--output=mine.hdf5") == []
    assert told(*run, "--output=scan.h5") == [said.format("scan.h5", "scan", "simulate")]
    assert told(*run, "--output=mine.csv") == ["masing warning: --output: mine.csv will be HDF5, whatever its name"]


@pytest.mark.parametrize("words", [["--mass=0", "--force=0"], ["--force=1/(t-2.5)"], ["--k0=1e300", "--force=0"]])
def test_an_existing_result_stays(masing, words):
    run = ("simulate", "--steps=50", "--final-time=5", "--x0=1")
    before = masing.made(*run, "--force=0", name="result.h5").read_bytes()
    masing.refusal(*run, "--output=result.h5", *words)
    assert masing.names() in (["result.h5"], ["result.h5", "result.h5.partial"])
    assert (masing.folder / "result.h5").read_bytes() == before


def test_validate_only_finds_what_only_sampling_shows(masing):
    run = ("simulate", "--steps=50", "--final-time=5", "--validate-only")
    assert "--force" in masing.refused(*run, "--force=1/(t-2.5)")
    # The cell at s = 0.05 is one of the 20, not of the 2.
    assert "cell 1 of 20" in masing.refused("converge", "--refine=cells", "--levels=2,20", "--validate-only",
                                            "--steps=10", "--force=0", "--stiffness=s < 0.07 ? -1 : 1")
    assert masing.names() == []


def test_no_output_replaces_what_the_run_reads_or_what_is_not_masings(masing):
    run = ("simulate", "--steps=20", "--final-time=2", "--cells=5", "--force=0.45*cos(0.5*t)")
    kept = {"my.ini": "mass = 2\n", "kk.csv": "0,1\n1,2\n", "notes.txt": "not a result\n"}
    for name, content in kept.items():
        masing.file(name, content)
    (masing.folder / "link.h5").symlink_to("my.ini")
    (masing.folder / "second.h5").hardlink_to(masing.folder / "kk.csv")
    reads, foreign = "is a file that the run reads", "is there already and was not made by masing"
    result = masing.made(*run, "--sample-every=1", name="run.h5")
    before = result.read_bytes()
    for words, message in [(("--config=my.ini", "--output=./link.h5"), reads), (("--output=notes.txt",), foreign),
                           (("--config=my.ini", "--output=o.h5", "--checkpoint=my.ini"), reads),
                           (("--output=o.h5", "--checkpoint=notes.txt",), foreign),
                           (("--stiffness=table:kk.csv", "--output=second.h5"), reads),
                           (("--initial-u=file:run.h5", "--output=run.h5"), reads)]:
        refused = masing.refusal(*run, *words)
        assert message in refused and words[-1].split("=")[1] in refused
    assert foreign in masing.refused("benchmark", "--quick", "--output=notes.txt")
    for _ in range(2):  # a checkpoint is replaced
        masing.in_process(masing.folder, *run, "--checkpoint=c.h5", "--checkpoint-every=7", "--output=o.h5")
    masing.file("run.h5.checkpoint", "mine\n")  # what a stopped run would replace
    assert foreign in masing.refusal(*run, "--output=run.h5")
    shutil.copy(result, masing.folder / "run.h5.checkpoint")
    refused = masing.refusal(*run, "--output=run.h5")
    assert "--checkpoint: run.h5.checkpoint is a result, no checkpoint; give another name" in refused
    (masing.folder / "run.h5.checkpoint").unlink()
    assert result.read_bytes() == before
    for name, content in kept.items():
        assert (masing.folder / name).read_text() == content
    (masing.folder / "empty.h5").touch()
    for name in ("run.h5", "empty.h5"):
        masing.in_process(masing.folder, *run, f"--output={name}")
        assert (masing.folder / name).stat().st_size > 10000
