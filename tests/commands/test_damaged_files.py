"""Files damaged by chance, a few bytes each, given wherever the program opens one: the broken seal is
seen before HDF5 opens them, and they are refused in one line that leaves nothing behind."""

import random

import h5py
import numpy as np
import pytest
from result_files import contents

HELD = ("--cells=4", "--force=0.45*cos(0.5*t)", "--final-time=1", "--quiet")
STUDY = ("converge", *HELD, "--levels=10,20", "--field-samples=4")


@pytest.fixture(scope="module")
def whole(masing_once):
    """The bytes of a trajectory, of a study and of a checkpoint."""
    masing_once.done("simulate", *HELD, "--steps=40", "--field-every=10", "--output=run.h5",
                     "--checkpoint=check.h5", "--checkpoint-every=20")
    masing_once(*STUDY, "--output=study.h5")
    return {name: (masing_once.folder / name).read_bytes() for name in ("run.h5", "study.h5", "check.h5")}


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


FILES = {
    "a file to reproduce": ("run.h5", ("reproduce", "bad.h5", "--quiet")),
    "a study to reproduce": ("study.h5", ("reproduce", "bad.h5", "--quiet")),
    "a field": ("run.h5", ("simulate", *HELD, "--initial-u=file:bad.h5", "--output=new.h5")),
    "a checkpoint": ("check.h5", ("simulate", *HELD, "--steps=40", "--field-every=10", "--restart=bad.h5")),
}


@pytest.mark.parametrize("use", FILES)
def test_a_damaged_file_is_refused(masing, whole, use, long):
    name, words = FILES[use]
    for seed in range(100 if long else 6):
        bad = damaged(whole[name], seed)
        if bad != whole[name] and bad != whole[name][:-32]:
            (masing.folder / "bad.h5").write_bytes(bad)
            assert "bad.h5" in masing.refused(*words, ranks=2 if seed % 20 == 5 else None), seed
            assert masing.names() == ["bad.h5"]


def test_the_seal_says_what_has_become_of_a_file(masing, whole):
    """It holds, is broken, is of another version, or was cut off, as HDF5 does where it changes a file."""
    run, path = whole["run.h5"], masing.folder / "run.h5"
    for changed, said in (
            (run[:5000] + b"!" + run[5001:], "run.h5 is damaged: its checksum is another; take a copy that is whole"),
            (run[:-20] + b"9" + run[-19:], "another version of masing")):
        path.write_bytes(changed)
        assert said in masing.refused("reproduce", "run.h5", "--quiet")
    path.write_bytes(run)
    assert masing.done("reproduce", "run.h5", "--quiet").stderr == ""
    with h5py.File(masing.folder / "run.h5", "a") as file:
        file.attrs["remark"] = "mine"
    for words in (("reproduce", "run.h5", "--quiet"), ("simulate", *HELD, "--steps=40", "--initial-u=file:run.h5")):
        said = masing.done(*words, ranks=2).stderr
        assert said.startswith("masing warning: run.h5 has no seal: an older masing or another program")


def test_what_hdf5_cannot_read_of_an_unsealed_file_is_the_users_mistake(masing, whole):
    """A dataset of the file that another program has written, with a form that masing does not read."""
    (masing.folder / "run.h5").write_bytes(whole["run.h5"])
    with h5py.File(masing.folder / "run.h5", "a") as file:
        del file["field/u"]
        file.create_dataset("field/u", data=np.zeros((5, 10**6)), compression="gzip")
    said = masing.refused("simulate", *HELD, "--initial-u=file:run.h5")
    assert "run.h5" in said and "larger than the file" in said


def test_a_failed_reproduction_leaves_nothing(masing, whole):
    """F becomes infinite on the way."""
    (masing.folder / "run.h5").write_bytes(whole["run.h5"])
    with h5py.File(masing.folder / "run.h5", "a") as file:
        text = file.pop("configuration")[()].decode()
        file["configuration"] = np.bytes_(text.replace("force = 0.45*cos(0.5*t)", "force = 1/(t-0.5)"))
    for ranks in (None, 2):
        assert "F(t) = inf at step 20" in masing.refused("reproduce", "run.h5", "--quiet", ranks=ranks)
        assert masing.names() == ["run.h5"]


ROWS = ("simulate", "--cells=2000", "--sample-every=1", "--field-every=50", "--energy", "--damping=0.1",
        "--force=0.45*cos(0.5*t)", "--quiet", "--checkpoint=c.h5", "--output=run.h5")
SHORT, LONG = ("--steps=600", "--final-time=9"), ("--steps=800", "--final-time=12")


def test_damaged_rows_are_refused(masing):
    """A bit of a number that counts, of every table of the run that goes on."""
    masing.done(*ROWS, *SHORT)
    kept = {name: (masing.folder / name).read_bytes() for name in ("run.h5", "c.h5")}
    with h5py.File(masing.folder / "run.h5") as file:
        places = {name: (file[name].id.get_offset(), file[name].size * 8) for name in
                  ("series/x", "field/t", "field/u", "energy/viscous")}
    chance = random.Random(5)
    for name, (first, size) in places.items():
        changed = bytearray(kept["run.h5"])
        changed[first + chance.randrange(size)] ^= 1 << chance.randrange(8)
        (masing.folder / "run.h5").write_bytes(changed)
        said = masing.refused(*ROWS, *LONG, "--restart=c.h5", ranks=2 if name == "field/u" else None)
        assert said.startswith("masing: --restart: "), name
        assert (masing.folder / "run.h5").read_bytes() == changed
        assert (masing.folder / "c.h5").read_bytes() == kept["c.h5"]
    # What is no row may be anything, also the first bytes of HDF5.
    (masing.folder / "run.h5").rename(masing.folder / "run.h5.partial")
    (masing.folder / "run.h5.partial").write_bytes(bytes(8) + kept["run.h5"][8:])
    masing.done(*ROWS, *LONG, "--restart=c.h5")
    resumed = contents(masing.folder / "run.h5")
    (masing.folder / "c.h5").unlink()
    masing.done(*ROWS, *LONG)
    assert resumed == contents(masing.folder / "run.h5")
