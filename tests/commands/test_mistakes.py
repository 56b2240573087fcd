"""A user's mistake, or a problem that has no solution or none that can be found, is refused in one line that names the
key, what is wrong, where, and what would be right; nothing is left at the output path, and what was there is untouched.
(tests/cli has every key, its range and what is at its limits, tests/slab the functions of s.)"""

import re
import shutil

import h5py
import pytest

QUASISTATIC = "--model=masing-quasistatic"
# what is asked for, and what the message must contain: what no C++ test sees
REFUSED = {
    "stiffness negative at a cell": (("--stiffness=0.9-s", "--force=0"), ["--stiffness", "k(s) = -", "cell", ">= 0"]),
    "a narrow fault": (("--threshold=1-2*exp(-((s-0.123456789)/1e-6)^2)", "--cells=inf", "--force=0"),
                       ["must be >= 0"]),
    "energy too small": (("--threshold=1e-110*(s+0.1)", "--cells=9", "--energy", "--force=0"),
                         ["the largest energy k eta^2 / 2 of --energy is 6.05"]),
    "force infinite at a step": (("--force=1/(t-2.5)",), ["--force", "inf", "t = 2.5", "finite"]),
    "base with a pole": (("--base-acceleration=1/(1-t)", "--final-time=2", "--steps=4"),
                         ["--base-acceleration: F(t) - m a_g(t) = -inf at step 2"]),
    "exact, too fast a force": (("--engine=exact", "--cells=3", "--force=sin(1e12*t)", "--final-time=1"),
                                ["--force", "resolve"]),
    "saturation": ((QUASISTATIC, "--force=0.7*sin(t)"), ["--force", "everything slides", "k0 = 0"]),
    "output folder missing": (("--output=none/out.h5",), ["--output", "cannot write none/out.h5: ", "folder"]),
    "too long a name": (("--output=o.h5", "--checkpoint=" + 300 * "c"), ["--checkpoint: cannot write ccc"]),
    "output a folder": (("--output=.",), ["--output", "not a regular file", "file name"]),
}


@pytest.mark.parametrize(("name", "ranks"), [*((name, None) for name in REFUSED), ("force infinite at a step", 2)])
def test_it_is_refused(masing, name, ranks):
    words, said = REFUSED[name]
    words = ("--steps=50", "--final-time=5", *words) if "--steps=4" not in words else words
    words = tuple({word.split("=")[0]: word for word in words}.values())
    message = (masing.refused("simulate", *words, "--quiet", ranks=ranks) if ranks else
               masing.refusal("simulate", *words))
    assert all(part in message for part in said), message
    assert [left for left in masing.names() if not left.endswith(".partial")] == []


def test_the_limits_of_a_force_without_a_mass_are_told(masing):
    said = masing.refusal("simulate", QUASISTATIC, "--threshold-down=0.3", "--force=-0.4*t", "--final-time=1",
                          "--cells=inf")
    low, high = map(float, re.search(r"must stay within (\S+) and (\S+),", said).groups())
    assert (low, high) == (pytest.approx(-0.3, abs=1e-14), pytest.approx(0.6, abs=1e-14))


def test_a_number_of_steps_may_be_whole_but_for_rounding(masing):
    run = masing.run("--force=0", "--final-time=10", "--steps=0.1*3*1e5", "--sample-every=10000")
    assert run["t"].size == 4  # 0.1*3*1e5 is 30000.000000000004


def test_validate_only_finds_what_only_sampling_shows(masing):
    run = ("simulate", "--steps=50", "--final-time=5", "--validate-only")
    for force in ("1/(t-2.5)", "1/(5-t)"):
        assert "--force" in masing.refused(*run, f"--force={force}")
    # The cell at s = 0.05 is one of the 20, not of the 2.
    assert "cell 1 of 20" in masing.refused("converge", "--refine=cells", "--levels=2,20", "--validate-only",
                                            "--steps=10", "--force=0", "--stiffness=s < 0.07 ? -1 : 1")
    assert masing.names() == []


def test_no_output_replaces_what_the_run_reads_or_what_is_not_masings(masing):
    run = ("simulate", "--steps=20", "--final-time=2", "--cells=5", "--force=0.45*cos(0.5*t)")
    kept = {"my.ini": "mass = 2\n", "my.lock": "mass = 2\n", "kk.csv": "0,1\n1,2\n", "notes.txt": "not a result\n", "run.h5.checkpoint": "mine"}
    for name, content in kept.items():
        masing.file(name, content)
    (masing.folder / "link.h5").symlink_to("my.ini")
    (masing.folder / "second.h5").hardlink_to(masing.folder / "kk.csv")
    with h5py.File(masing.folder / "mine.h5", "w") as file:
        file["x"] = 1.0
    reads, foreign = "is a file that the run reads", "is there already and was not made by masing"
    result = masing.made(*run, "--sample-every=1", name="run.h5")
    before = result.read_bytes()
    for words, message in [(("--config=my.ini", "--output=./link.h5"), reads), (("--output=notes.txt",), foreign),
                           (("--output=mine.h5",), foreign),
                           (("--output=o.h5", "--checkpoint=notes.txt",), foreign),
                           (("--config=my.lock", "--checkpoint=my"), reads),
                           (("--stiffness=table:kk.csv", "--output=second.h5"), reads),
                           (("--initial-u=file:run.h5", "--output=run.h5"), reads)]:
        refused = masing.refusal(*run, *words)
        assert message in refused and words[-1].split("=")[1] in refused
    assert foreign in masing.refusal(*run, "--output=run.h5")  # the checkpoint that a stopped run would replace
    assert foreign in masing.refused("benchmark", "--quick", "--output=notes.txt")
    for _ in range(2):  # a checkpoint is replaced
        masing.in_process(masing.folder, *run, "--checkpoint=c.h5", "--checkpoint-every=7", "--output=o.h5")
    assert result.read_bytes() == before
    for name, content in kept.items():
        assert (masing.folder / name).read_text() == content
    checkpoint = (masing.folder / "c.h5").read_bytes()
    assert "--output: c.h5 is a checkpoint, no result" in masing.refusal(*run, "--output=c.h5")
    assert (masing.folder / "c.h5").read_bytes() == checkpoint
    shutil.copy(result, masing.folder / "run.h5.checkpoint")
    assert "run.h5.checkpoint is a result, no checkpoint" in masing.refusal(*run, "--output=run.h5")
    (masing.folder / "run.h5.checkpoint").write_bytes(result.read_bytes()[512:])
    assert "run.h5.checkpoint is of an older masing; give another" in masing.refusal(*run, "--output=run.h5")
    (masing.folder / "run.h5.checkpoint").unlink()
    (masing.folder / "empty.h5").touch()
    for name in ("run.h5", "empty.h5"):
        masing.in_process(masing.folder, *run, f"--output={name}")
        assert (masing.folder / name).stat().st_size > 10000
