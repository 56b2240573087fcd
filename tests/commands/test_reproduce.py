"""A result file made again from the configuration in it and its numbers compared bit by bit: what
differs is named, texts and additions are noted, and what cannot be made again is refused."""

import fcntl
import re
import shutil

import h5py
import numpy as np
import pytest
from result_files import contents

RUN = ("--final-time=10", "--cells=1500", "--steps=400", "--k0=0.1", "--stiffness=1+0.2*s", "--field-every=100",
       "--force=0.45*cos(0.5*t)", "--energy", "--quiet")
STUDY = ("--final-time=10", "--cells=inf", "--scheme=leapfrog", "--reference=exact", "--levels=200,400,800",
         "--field-samples=20", "--quiet")
UNSEALED = "an older masing or another program wrote or changed it, and damage may go unnoticed"


@pytest.fixture(scope="module")
def folder(masing_once):
    """A trajectory and a study, made on 2 ranks; the study's verdict does not matter here."""
    masing_once.done("simulate", *RUN, "--output=run.h5", ranks=2)
    masing_once("converge", *STUDY, "--output=study.h5", ranks=2)
    return masing_once.folder


@pytest.fixture
def copy(masing, folder):
    """Copies one of the files to the test's own folder, does something to it, and gives its name."""
    def made(name, change=None):
        shutil.copy(folder / name, masing.folder / name)
        if change:
            with h5py.File(masing.folder / name, "r+") as file:
                change(file)
        return name
    return made


@pytest.mark.parametrize(("name", "ranks"), [("run.h5", 3), ("study.h5", None)])
def test_what_is_reproduced_is_said_with_the_ranks_and_nothing_is_written(masing, copy, name, ranks):
    copy(name)
    before = (masing.folder / name).read_bytes()
    said = masing.done("reproduce", name, ranks=ranks).stdout
    assert said == f"{name}: reproduced, bit for bit, on {ranks or 1} rank{'s' if ranks else ''}\n"
    assert masing.names() == [name]
    assert (masing.folder / name).read_bytes() == before


def flip(name, entry=0):
    """Flips the lowest bit of one number of a dataset, or of an attribute of a group."""
    def change(file):
        group, _, attribute = name.partition("@")
        values = np.array(file[group].attrs[attribute] if attribute else file[name][()])
        values.reshape(-1).view(np.uint64)[entry] ^= np.uint64(1)
        if attribute:
            file[group].attrs.modify(attribute, values)
        else:
            file[name][...] = values
    return change


def again(name, values):
    """Writes a dataset anew, with what a function makes of the old values."""
    return lambda file: file.create_dataset(name, data=values(file.pop(name)[()]))


def configured(old, new):
    """Replaces part of /configuration, which has a fixed length."""
    return again("configuration", lambda text: np.bytes_(text.replace(old, new)))


# what is done to a file: a run, where it is not named study; what must be said of it: differences that count
CHANGES = {
    "the last bit of u": (flip("field/u", 5 * 1500 - 1), "/field/u: 1 of 7500 entries, the first at 7499"),
    "study: a bit of an error": (flip("cases/error_u", 2), "/cases/error_u: 1 of 3 entries, the first at 2"),
    "study: a bit of an attribute": (flip("fit@order_x"), "/fit attribute order_x: 1 of 1 entries, the first at 0"),
    "a dataset that is not made": (lambda file: file.create_dataset("series/z", data=[1.0]),
                                   "/series/z: not made again"),
    "a dataset of narrower numbers": (again("series/force", lambda old: old.astype(np.float32)),
                                      "/series/force: another type or shape"),
    "study: a whole number without sign": (lambda file: file["fit"].attrs.create("levels_x", np.uint64(3)),
                                           "/fit attribute levels_x: another type or shape"),
}

# The same for what is noted only.
NOTES = {
    "a description of variable length": (lambda file: file["series/y"].attrs.modify("description", "another velocity"),
                                         "/series/y attribute description: another text"),
    "the same text of variable length": (lambda file: file["series/y"].attrs.modify("symbol", "y"), ""),
    "study: a new attribute of numbers": (lambda file: file["fit"].attrs.pop("order_x"),
                                          "/fit attribute order_x: not in the file"),
    "study: a new group": (lambda file: file.pop("fit"), "/fit: not in the file"),
    "dimension scales": (lambda file: file["series/x"].dims[0].detach_scale(file["series/t"]),
                         "/series/x attribute DIMENSION_LIST: not in the file"),
    "study: a whole number that was stored narrower": (
        lambda file: file["fit"].attrs.create("levels_x", np.int16(file["fit"].attrs["levels_x"])), ""),
    "a text in the place of numbers": (again("series/force", lambda old: np.bytes_("none")),
                                       "/series/force: another type"),
    "a new key": (configured(b"y0 = 0\n", b""), "/configuration y0: not in the file"),
    "a comment, an order and blanks": (configured(b"x0 = 0\ny0 = 0\n", b"y0=0 # rest\nx0  =  0.0\n"),
                                       "/configuration attribute problem: not in the file"),
    "study: provenance and timing": (lambda file: (file["provenance"].attrs.modify("date", "long ago"),
                                                   file.pop("timing")), ""),
}


def changed(copy, title, change):
    return copy("study.h5" if title.startswith("study") else "run.h5", change)


@pytest.mark.parametrize("title", CHANGES)
def test_a_difference_is_found_and_named(masing, copy, title):
    change, said = CHANGES[title]
    name = changed(copy, title, change)
    ranks = 3 if title == "the last bit of u" else 1
    process = masing("reproduce", name, "--quiet", ranks=ranks if ranks > 1 else None)
    assert process.returncode == 1, process.stdout
    assert f"masing warning: {name} has no seal: {UNSEALED}" in process.stderr.splitlines()
    lines = process.stdout.splitlines()
    assert lines[0] == f"{name}: not reproduced on {ranks} rank{'s' * (ranks > 1)}" and said in lines[1:]
    place = said.split()[0].rstrip(":")  # a dataset that is written anew has no attributes
    rest = [line for line in lines[1:] if not line.startswith((place, f"note: {place}"))]
    is_dirty = "git_dirty     yes" in masing("--version").stdout
    assert rest == [f"note: the builds {'differ at most in what was not committed' if is_dirty else 'do not differ'}"]
    assert masing.names() == [name]


def test_where_numbers_differ_it_is_said_in_what_the_builds_do(masing, copy):
    def change(file):
        flip("series/x")(file)
        file["provenance"].attrs["compiler"] = "Clang 3.1"
        del file["provenance"].attrs["xxhash"]  # of an older version

    process = masing("reproduce", copy("run.h5", change), "--quiet")
    assert process.returncode == 1
    with h5py.File(masing.folder / "run.h5") as file:
        flags = file["provenance"].attrs["flags"]
    assert "-O" in flags and flags not in process.stdout
    notes = [line for line in process.stdout.splitlines() if line.startswith("note: made by ")]
    assert len(notes) == 1 and re.fullmatch(r"note: made by compiler Clang 3.1, here \S+ \d+\S*", notes[0])


@pytest.mark.parametrize("title", NOTES)
def test_a_text_or_an_addition_is_noted_and_does_not_count(masing, copy, title):
    change, said = NOTES[title]
    name = changed(copy, title, change)
    *notes, last = masing.done("reproduce", name, "--quiet").stdout.splitlines()
    assert last == f"{name}: reproduced, bit for bit, on 1 rank"
    assert f"note: {said}" in notes or (not said and notes == [])
    assert all(line.startswith("note: /") for line in notes) and masing.names() == [name]


def test_output_keeps_what_was_made_again(masing, copy, folder):
    masing.done("reproduce", copy("run.h5"), "--output=again.h5")
    assert masing.names() == ["again.h5", "run.h5"]
    assert contents(masing.folder / "again.h5") == contents(folder / "run.h5")
    before = (masing.folder / "run.h5").read_bytes()
    assert "run.h5 is the file to reproduce" in masing.refused("reproduce", "run.h5", "--output=./run.h5")
    assert (masing.folder / "run.h5").read_bytes() == before


def test_what_another_run_writes_stays(masing, copy):
    copy("run.h5")
    (masing.folder / "run.h5.reproduced.partial").touch()
    with open(masing.folder / "run.h5.reproduced.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is writing run.h5.reproduced" in masing.refused("reproduce", "run.h5")
    assert masing.names() == ["run.h5", "run.h5.reproduced.lock", "run.h5.reproduced.partial"]


def of(kind, text):
    """A file of that kind, with a configuration."""
    return lambda file: (file.attrs.create("kind", np.bytes_(kind)), file.create_dataset("configuration", data=text))


STRANGE = {
    "none": (None, ["HDF5"]),
    "a text": (lambda path: path.write_text("no HDF5"), ["HDF5"]),
    "foreign": (lambda file: file.create_dataset("x", data=[1.0, 2.0]), ["/configuration"]),
    "of variable length": (of("simulate", "mass = 1\n"), ["/configuration"]),  # as h5py writes texts
    "a group": (lambda file: (file.attrs.create("kind", np.bytes_("simulate")), file.create_group("configuration")),
                ["/configuration"]),
    "of another kind": (of("benchmark", np.bytes_("mass = 1\n")), ["benchmark", "simulate"]),
    "with an unknown key": (of("simulate", np.bytes_("mass = 1\nspin = 2\n")), ["line 2", "spin"]),
}


@pytest.mark.parametrize("title", STRANGE)
def test_what_is_no_result_is_refused(masing, title):
    make, said = STRANGE[title]
    if title == "a text":
        make(masing.folder / "bad.h5")
    elif make:
        with h5py.File(masing.folder / "bad.h5", "w") as file:
            make(file)
    before = masing.names()
    message = masing.refused("reproduce", "bad.h5", ranks=None if make else 3)
    assert message.isprintable() and all(part in message for part in ("bad.h5", *said)), message
    assert masing.names() == before
