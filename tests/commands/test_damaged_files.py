"""Files damaged by chance, a few bytes each, given wherever the program opens one: a crash of HDF5
stays in a child process, and what is refused is refused in one line and leaves nothing behind."""

import random

import pytest

HELD = ("--cells=4", "--final-time=1", "--quiet")
STUDY = ("converge", *HELD, "--levels=20,40", "--field-samples=4")


@pytest.fixture(scope="module")
def whole(masing_once):
    """The bytes of a trajectory, of a study and of a checkpoint."""
    masing_once.done("simulate", *HELD, "--steps=40", "--field-every=10", "--output=run.h5",
                     "--checkpoint=check.h5", "--checkpoint-every=20")
    masing_once(*STUDY, "--output=study.h5")
    return {name: (masing_once.folder / name).read_bytes()
            for name in ("run.h5", "study.h5", "check.h5")}


@pytest.fixture(scope="module")
def tries(long):
    """Files of each kind."""
    return 200 if long else 6


def damaged(content, seed):
    """The content with one to eight bytes changed, a stretch zeroed, or its end cut off."""
    chance = random.Random(seed)
    changed = bytearray(content)
    kind = chance.randrange(8)
    if kind == 0:
        return bytes(changed[: chance.randrange(len(changed))])
    if kind == 1:
        at = chance.randrange(len(changed))
        changed[at : at + 64] = bytes(len(changed[at : at + 64]))
        return bytes(changed)
    for _ in range(chance.randrange(1, 9)):
        # The structures of HDF5 lie mostly in the beginning.
        end = len(changed) if chance.randrange(2) else min(len(changed), 4096)
        changed[chance.randrange(end)] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
    return bytes(changed)


def try_all(masing, content, words, codes, tries):
    """Run `words` on damaged copies; every run ends with one of the codes and leaves nothing."""
    seen = set()
    for seed in range(tries):
        (masing.folder / "bad.h5").write_bytes(damaged(content, seed))
        process = masing(*words, ranks=2 if seed % 20 == 5 else None)
        seen.add(process.returncode)
        said = f"seed {seed}: {process.returncode}\n{process.stderr}{process.stdout}"
        assert process.returncode in codes, said
        ours = [line for line in process.stderr.splitlines() if line.startswith("masing: ")]
        assert len(ours) == (1 if process.returncode == 2 else 0), said
        assert masing.names() == ["bad.h5"] or process.returncode != 2, said
        for name in masing.names():
            (masing.folder / name).unlink()
    assert 2 in seen


@pytest.mark.parametrize("name", ["run.h5", "study.h5"])
def test_reproduce_survives_a_damaged_file(masing, whole, name, tries):
    # 0: what was hit is not compared (provenance, gaps); 1: it is, and differs.
    try_all(masing, whole[name], ("reproduce", "bad.h5", "--quiet"), {0, 1, 2}, tries)


def test_a_study_survives_a_damaged_reference(masing, whole, tries):
    # 0 and 3: the hit did not show, or showed in the errors.
    try_all(masing, whole["run.h5"],
            (*STUDY, "--reference=bad.h5", "--output=new.h5"), {0, 2, 3}, tries)


def test_a_damaged_checkpoint_is_always_refused(masing, whole, tries):
    same = ("simulate", *HELD, "--steps=40", "--field-every=10")
    changed = [seed for seed in range(tries) if damaged(whole["check.h5"], seed) != whole["check.h5"]]
    for seed in changed:
        (masing.folder / "bad.h5").write_bytes(damaged(whole["check.h5"], seed))
        assert "bad.h5" in masing.refused(*same, "--restart=bad.h5")
        assert masing.names() == ["bad.h5"]
