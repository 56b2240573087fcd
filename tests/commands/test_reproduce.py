"""A result file made again from the configuration in it and its numbers compared bit by bit: what
differs is named, texts and additions are noted, and what cannot be made again is refused."""

import shutil

import h5py
import numpy as np
import pytest
from result_files import contents

RUN = (
    *("--final-time=10", "--cells=1500", "--steps=400", "--k0=0.1", "--stiffness=1+0.2*s"),
    *("--field-every=100", "--probe=0.2,0.7", "--energy", "--quiet"),
)
STUDY = (
    *("--final-time=10", "--cells=inf", "--scheme=leapfrog", "--reference=exact"),
    *("--levels=200,400,800", "--field-samples=20", "--quiet"),
)


UNSEALED = "an older masing or another program wrote or changed it, and damage may go unnoticed"


@pytest.fixture(scope="module")
def folder(masing_once):
    """A trajectory and a study, made on 2 ranks; the study's verdict does not matter here."""
    masing_once.done("simulate", *RUN, "--output=run.h5", ranks=2)
    masing_once("converge", *STUDY, "--output=study.h5", ranks=2)
    return masing_once.folder


@pytest.fixture
def copy(masing, folder):
    """A copy of one of the files in the test's own folder."""
    return lambda name: shutil.copy(folder / name, masing.folder / name)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("name", ["run.h5", "study.h5"])
def test_a_file_is_reproduced_on_other_ranks(masing, copy, name, ranks):
    copy(name)
    before = (masing.folder / name).read_bytes()
    said = masing.done("reproduce", name, ranks=ranks).stdout
    assert said == f"{name}: reproduced, bit for bit, on {ranks or 1} rank{'s' if ranks else ''}\n"
    assert masing.names() == [name]
    assert (masing.folder / name).read_bytes() == before


def flip(file, name, entry=0):
    """Flip the lowest bit of one number of a dataset."""
    values = file[name][()]
    values.reshape(-1).view(np.uint64)[entry] ^= np.uint64(1)
    file[name][...] = values


def flip_attribute(file, name):
    """Flip the lowest bit of an attribute of /fit."""
    value = np.array(file["fit"].attrs[name])
    value.reshape(1).view(np.uint64)[0] ^= np.uint64(1)
    file["fit"].attrs.modify(name, value)


def again(file, name, values):
    """Write a dataset anew; a function makes its values of the old ones."""
    old = file[name][()]
    del file[name]
    file[name] = values(old)


def with_configuration(file, old, new):
    """Replace part of /configuration, which has a fixed length."""
    text = file["configuration"][()]
    assert old in text
    del file["configuration"]
    file["configuration"] = np.bytes_(text.replace(old, new))


def without_scales(file):
    """As files were before their axes had names."""
    file["series/x"].dims[0].detach_scale(file["series/t"])


# file, what is done to it, what must be said of it: differences that count
CHANGES = {
    "a bit of x": (
        "run.h5",
        lambda file: flip(file, "series/x", 7),
        "/series/x: 1 of 401 entries, the first at 7",
    ),
    "the last bit of u": (
        "run.h5",
        lambda file: flip(file, "field/u", 5 * 1500 - 1),
        "/field/u: 1 of 7500 entries, the first at 7499",
    ),
    "a bit of an energy": (
        "run.h5",
        lambda file: flip(file, "energy/dissipated", 400),
        "/energy/dissipated: 1 of 401 entries, the first at 400",
    ),
    "a bit of an error": (
        "study.h5",
        lambda file: flip(file, "cases/error_u", 2),
        "/cases/error_u: 1 of 3 entries, the first at 2",
    ),
    "a bit of an attribute": (
        "study.h5",
        lambda file: flip_attribute(file, "order_x"),
        "/fit attribute order_x: 1 of 1 entries, the first at 0",
    ),
    "an attribute that is not made": (
        "run.h5",
        lambda file: file["series/t"].attrs.create("scale", 1.5),
        "/series/t attribute scale: not made again",
    ),
    "an attribute of a group that is not made": (
        "run.h5",
        lambda file: file.create_group("more").attrs.create("scale", 1.5),
        "/more: not made again",
    ),
    "a dataset that is not made": (
        "run.h5",
        lambda file: file.create_dataset("series/z", data=[1.0]),
        "/series/z: not made again",
    ),
    "a shorter dataset": (
        "study.h5",
        lambda file: again(file, "cases/ds", lambda old: old[:2]),
        "/cases/ds: another type or shape",
    ),
    "a dataset of another class": (
        "run.h5",
        lambda file: again(file, "series/force", lambda old: old.astype(np.int64)),
        "/series/force: another type or shape",
    ),
    "a dataset of narrower numbers": (
        "run.h5",
        lambda file: again(file, "series/force", lambda old: old.astype(np.float32)),
        "/series/force: another type or shape",
    ),
    "a whole number": (
        "study.h5",
        lambda file: file["fit"].attrs.create("levels_x", 4),
        "/fit attribute levels_x: 1 of 1 entries, the first at 0",
    ),
    "a whole number without sign": (
        "study.h5",
        lambda file: file["fit"].attrs.create("levels_x", np.uint64(3)),
        "/fit attribute levels_x: another type or shape",
    ),
}

# The same for what is noted only.
NOTES = {
    "a symbol": (
        "run.h5",
        lambda file: file["series/y"].attrs.modify("symbol", np.bytes_("z")),
        "/series/y attribute symbol: another text",
    ),
    "a description of variable length": (
        "run.h5",
        lambda file: file["series/y"].attrs.modify("description", "another velocity"),
        "/series/y attribute description: another text",
    ),
    "the same text of variable length": (
        "run.h5",
        lambda file: file["series/y"].attrs.modify("symbol", "y"),
        "",
    ),
    "a text that is not made": (
        "run.h5",
        lambda file: file["series/y"].attrs.create("comment", "read twice"),
        "/series/y attribute comment: not made again",
    ),
    "a dataset of texts that is not made": (
        "run.h5",
        lambda file: file.create_dataset("names", data=["a", "bc"], dtype=h5py.string_dtype()),
        "/names: not made again",
    ),
    "an empty group": ("run.h5", lambda file: file.create_group("more"), "/more: not made again"),
    "a new attribute": (
        "run.h5",
        lambda file: file["series/t"].attrs.pop("description"),
        "/series/t attribute description: not in the file",
    ),
    "a new attribute of numbers": (
        "study.h5",
        lambda file: file["fit"].attrs.pop("order_x"),
        "/fit attribute order_x: not in the file",
    ),
    "a new dataset": ("run.h5", lambda file: file.pop("series/force"),
                      "/series/force: not in the file"),
    "a new group": ("study.h5", lambda file: file.pop("fit"), "/fit: not in the file"),
    "dimension scales": (
        "run.h5",
        without_scales,
        "/series/x attribute DIMENSION_LIST: not in the file",
    ),
    "a whole number that was stored narrower": (
        "study.h5",
        lambda file: file["fit"].attrs.create("levels_x", np.int16(file["fit"].attrs["levels_x"])),
        "",
    ),
    "numbers in the place of a text": (
        "run.h5",
        lambda file: again(file, "series/force", lambda old: np.bytes_("gone")),
        "/series/force: another type",
    ),
    "a new key": (
        "run.h5",
        lambda file: with_configuration(file, b"y0 = 0\n", b""),
        "/configuration y0: not in the file",
    ),
    "a comment, an order and blanks": (
        "run.h5",
        lambda file: with_configuration(file, b"x0 = 0\ny0 = 0\n", b"y0=0 # rest\nx0  =  0.0\n"),
        "/configuration: the same keys and values in another text",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_difference_is_found_and_named(masing, copy, change):
    name, do, said = CHANGES[change]
    copy(name)
    with h5py.File(masing.folder / name, "r+") as file:
        do(file)
    process = masing("reproduce", name, "--quiet")
    assert process.returncode == 1, process.stdout
    assert process.stderr.splitlines() == [f"masing warning: {name} has no seal: {UNSEALED}"]
    lines = process.stdout.splitlines()
    assert lines[0] == f"{name}: not reproduced on 1 rank"
    assert said in lines[1:]
    place = said.split()[0].rstrip(":")  # a dataset that is written anew has no attributes
    assert [line for line in lines[1:] if not line.startswith((place, f"note: {place}"))] == []
    assert masing.names() == [name]


@pytest.mark.parametrize("change", NOTES)
def test_a_text_or_an_addition_is_noted_and_does_not_count(masing, copy, change):
    name, do, said = NOTES[change]
    copy(name)
    with h5py.File(masing.folder / name, "r+") as file:
        do(file)
    *notes, last = masing.done("reproduce", name, "--quiet").stdout.splitlines()
    assert last == f"{name}: reproduced, bit for bit, on 1 rank"
    assert f"note: {said}" in notes or (not said and notes == [])
    assert [line for line in notes if not line.startswith("note: /")] == []
    assert masing.names() == [name]


def test_a_difference_is_found_on_several_ranks(masing, copy):
    copy("run.h5")
    with h5py.File(masing.folder / "run.h5", "r+") as file:
        flip(file, "field/u", 3000)
    process = masing("reproduce", "run.h5", ranks=3)
    assert process.returncode == 1
    assert process.stdout.count("/field/u: 1 of 7500 entries, the first at 3000") == 1
    assert masing.names() == ["run.h5"]


def test_provenance_and_timing_may_differ(masing, copy):
    copy("study.h5")
    with h5py.File(masing.folder / "study.h5", "r+") as file:
        file["provenance"].attrs["date"] = np.bytes_("long ago")
        file.pop("timing")
    masing.done("reproduce", "study.h5")


def test_another_configuration_gives_another_result(masing, copy):
    copy("run.h5")
    with h5py.File(masing.folder / "run.h5", "r+") as file:
        words = file["configuration"][()].replace(b"k0 = 0.1\n", b"k0 = 0.2\n")
        file["configuration"][()] = words
    process = masing("reproduce", "run.h5")
    assert process.returncode == 1
    for name in ("/series/x", "/series/restoring", "/field/u", "/probe/u"):
        assert f"\n{name}: " in process.stdout
    for name in ("/series/t", "/series/force", "/field/eta"):
        assert f"\n{name}: " not in process.stdout


def test_output_keeps_what_was_made_again(masing, copy, folder):
    copy("run.h5")
    masing.done("reproduce", "run.h5", "--output=again.h5")
    assert masing.names() == ["again.h5", "run.h5"]
    assert contents(masing.folder / "again.h5") == contents(folder / "run.h5")


@pytest.mark.parametrize("other", ["run.h5", "./run.h5"])
def test_output_must_not_be_the_file_itself(masing, copy, other):
    copy("run.h5")
    with h5py.File(masing.folder / "run.h5", "r+") as file:
        flip(file, "series/x")
    before = (masing.folder / "run.h5").read_bytes()
    assert "--output" in masing.refused("reproduce", "run.h5", f"--output={other}")
    assert (masing.folder / "run.h5").read_bytes() == before
    assert masing.names() == ["run.h5"]


def foreign(path):
    with h5py.File(path, "w") as file:
        file["x"] = [1.0, 2.0]


def of_another_program(path):
    """A dataset of variable length, as h5py writes texts."""
    with h5py.File(path, "w") as file:
        file.attrs["kind"] = "simulate"
        file["configuration"] = "mass = 1\n"


def of_a_group(path):
    with h5py.File(path, "w") as file:
        file.attrs["kind"] = np.bytes_("simulate")
        file.create_group("configuration")


def of_another_kind(path):
    with h5py.File(path, "w") as file:
        file.attrs["kind"] = np.bytes_("identify")
        file["configuration"] = np.bytes_("mass = 1\n")


def with_an_unknown_key(path):
    with h5py.File(path, "w") as file:
        file.attrs["kind"] = np.bytes_("simulate")
        file["configuration"] = np.bytes_("mass = 1\nspin = 2\n")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (None, ["bad.h5", "HDF5"]),
        (lambda path: path.write_text("no HDF5"), ["bad.h5", "HDF5"]),
        (lambda path: path.mkdir(), ["bad.h5", "HDF5"]),
        (foreign, ["bad.h5", "/configuration"]),
        (of_another_program, ["bad.h5", "/configuration"]),
        (of_a_group, ["bad.h5", "/configuration"]),
        (of_another_kind, ["bad.h5", "identify", "simulate"]),
        (with_an_unknown_key, ["bad.h5", "line 2", "spin"]),
    ],
)
def test_what_is_no_result_is_refused(masing, make, said):
    if make:
        make(masing.folder / "bad.h5")
    before = masing.names()
    message = masing.refused("reproduce", "bad.h5")
    assert message.isprintable()
    for part in said:
        assert part in message
    assert masing.names() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "STUDY.h5"),
        (["a.h5", "b.h5"], "one result file"),
        (["a.h5", "--steps=3"], "steps"),
        (["a.h5", "--output"], "output"),
    ],
)
def test_a_wrong_request_is_refused(masing, words, said):
    assert said in masing.refused("reproduce", *words)
    assert masing.names() == []


def test_every_rank_ends_alike(masing):
    assert "none.h5" in masing.refused("reproduce", "none.h5", ranks=3)


def test_help(masing):
    said = masing.done("reproduce", "--help").stdout
    for word in ("FILE.h5", "--output", "bit by bit"):
        assert word in said
