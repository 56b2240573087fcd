"""A result file is made again from the configuration in it, also one of masing 2.0, and its numbers are compared bit by
bit: what differs is named, texts and additions are noted, and what cannot be made again is refused."""

import fcntl
import gzip
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from result_files import contents

RUN = ("--final-time=10", "--cells=1500", "--steps=400", "--k0=0.1", "--stiffness=1+0.2*s", "--field-every=100",
       "--force=0.45*cos(0.5*t)", "--energy")
STUDY = ("--final-time=10", "--cells=inf", "--scheme=leapfrog", "--reference=exact", "--levels=200,400,800",
         "--field-samples=20")
UNSEALED = "an older masing or another program wrote or changed it, and damage may go unnoticed"
DATA = Path(__file__).resolve().parents[1] / "data"  # the files that masing 2.0.0 wrote
OLD = {"simulate": "run.h5", "converge": "study.h5", "scan": "scan.h5"}


@pytest.fixture(scope="module")
def results(masing_once):
    """The bytes of a trajectory and of a study, whose verdict does not matter here."""
    return {"run.h5": masing_once.made("simulate", *RUN).read_bytes(),
            "study.h5": masing_once.made("converge", *STUDY).read_bytes()}


@pytest.fixture
def copy(masing, results):
    """Copies one of the files to the test's own folder, does something to it, and gives its name."""
    def made(name, change=None):
        (masing.folder / name).write_bytes(results[name])
        if change:
            with h5py.File(masing.folder / name, "r+") as file:
                change(file)
        return name
    return made


def old(masing, name):
    """Puts a file of 2.0 into the test's folder, and gives its name."""
    (masing.folder / name).write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
    return name


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


# what is done to a file, a run where it is not named study, and what must be said of it: a difference that counts,
DIFFERENCES = {
    "the last bit of u": (flip("field/u", 5 * 1500 - 1), "/field/u: 1 of 7500 entries, the first at 7499"),
    "study: a bit of an attribute": (flip("fit@order_x"), "/fit attribute order_x: 1 of 1 entries, the first at 0"),
    "a new dataset": (lambda file: file.create_dataset("series/z", data=[1.0]), "/series/z: not made again"),
    "narrower numbers": (again("series/force", lambda old: old.astype(np.float32)),
                         "/series/force: another type or shape"),
}
# or one that is noted only
NOTES = {
    "the same text of variable length": (lambda file: file["series/y"].attrs.modify("symbol", "y"), ""),
    "study: a new group": (lambda file: file.pop("fit"), "/fit: not in the file"),
    "dimension scales": (lambda file: file["series/x"].dims[0].detach_scale(file["series/t"]),
                         "/series/x attribute DIMENSION_LIST: not in the file"),
    "study: a whole number that was stored narrower": (
        lambda file: file["fit"].attrs.create("levels_x", np.int16(file["fit"].attrs["levels_x"])), ""),
    "a text for numbers": (again("series/force", lambda old: np.bytes_("none")), "/series/force: another type"),
    "a comment, an order, blanks and a new key": (
        again("configuration", lambda text: np.bytes_(text.replace(b"x0 = 0\ny0 = 0\n", b"x0  =  0.0 # rest\n"))),
        "/configuration y0: not in the file"),
    "study: provenance and timing": (lambda file: (file["provenance"].attrs.modify("date", "long ago"),
                                                   file.pop("timing")), ""),
}


@pytest.mark.parametrize("title", [*DIFFERENCES, *NOTES])
def test_a_difference_is_found_and_named_and_counts_if_it_is_one_of_numbers(masing, copy, title):
    change, said = (DIFFERENCES | NOTES)[title]
    name = copy("study.h5" if title.startswith("study") else "run.h5", change)
    ranks = 3 if title == "the last bit of u" else None
    process = masing("reproduce", name, "--quiet", ranks=ranks)
    assert f"masing warning: {name} has no seal: {UNSEALED}" in process.stderr.splitlines()
    lines = process.stdout.splitlines()
    if title in DIFFERENCES:
        assert process.returncode == 1 and said in lines
        assert lines.pop(0) == f"{name}: not reproduced on {ranks or 1} rank{'s' if ranks else ''}"
        assert lines.pop().startswith("note: the builds d")
    else:
        assert process.returncode == 0 and lines.pop() == f"{name}: reproduced, bit for bit, on 1 rank"
        assert f"note: {said}" in lines if said else lines == []
    place = said.split(" ")[0].rstrip(":")  # a dataset that is written anew has no attributes
    assert all(line.removeprefix("note: ").startswith((place, "/configuration attribute")) for line in lines)
    assert masing.names() == [name]


def test_what_is_made_again_is_kept_where_asked_and_a_difference_laid_to_the_builds(masing, copy, results):
    run, again = masing.folder / copy("run.h5"), masing.folder / "again.h5"
    said = masing.done("reproduce", "run.h5", "--output=again.h5", ranks=3).stdout
    assert said.startswith("run.h5: reproduced, bit for bit, on 3 ranks\n") and contents(again) == contents(run)
    assert "run.h5 is the file to reproduce" in masing.refused("reproduce", "run.h5", "--output=./run.h5")
    (masing.folder / "run.h5.reproduced.partial").touch()
    with open(masing.folder / "run.h5.reproduced.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another run is writing run.h5.reproduced" in masing.refused("reproduce", "run.h5")
    assert masing.names() == ["again.h5", "run.h5", "run.h5.reproduced.lock", "run.h5.reproduced.partial"]
    assert run.read_bytes() == results["run.h5"]
    with h5py.File(again, "r+") as file:
        flip("series/x")(file)
        file["provenance"].attrs["compiler"] = "Clang 3.1"
        del file["provenance"].attrs["xxhash"]  # of an older version
    said = masing("reproduce", "again.h5", "--quiet").stdout
    assert len(re.findall(r"^note: made by .*$", said, re.MULTILINE)) == 1
    assert re.search(r"^note: made by compiler Clang 3.1, here \S+ \d+\S*$", said, re.MULTILINE)


def of(kind, text):
    """A file of that kind, with a configuration."""
    return lambda file: (file.attrs.create("kind", np.bytes_(kind)), file.create_dataset("configuration", data=text))


@pytest.mark.parametrize(("make", "said"), [
    (lambda file: file.create_dataset("x", data=[1.0, 2.0]), "/configuration"),
    (lambda file: (file.attrs.create("kind", np.bytes_("simulate")), file.create_group("configuration")),
     "/configuration"),
    (of("benchmark", np.bytes_("mass = 1\n")), "benchmark"),
    (of("simulate", np.bytes_("mass = 1\nspin = 2\n")), "line 2, spin")])
def test_what_is_no_result_is_refused(masing, make, said):
    with h5py.File(masing.folder / "bad.h5", "w") as file:
        make(file)
    message = masing.refused("reproduce", "bad.h5", ranks=2 if "spin" in said else None)
    assert message.isprintable() and "bad.h5" in message and said in message, message
    assert masing.names() == ["bad.h5"]


@pytest.mark.parametrize("command", OLD)
def test_a_file_of_2_0_is_reproduced_and_its_configuration_computed(masing, command):
    name = old(masing, OLD[command])
    assert f"{name}: reproduced, bit for bit" in masing.done("reproduce", name).stdout
    before, after = contents(masing.folder / name), contents(masing.made(command, "--config", name, name="new.h5"))
    tables = [each for each in before if "@" not in each and each not in ("configuration", "points/messages")]
    # The law of the errors is found by another rule in 3.0.
    other = [each for each in tables if after.get(each) != before[each] and "/fitted_error_" not in each]
    assert other == []


@pytest.mark.parametrize(("command", "key", "value"), [
    ("simulate", "probe", "0.5"), ("converge", "looks", "3"), ("converge", "reference", "fine.h5"),
    ("scan", "past", "point"), ("scan", "backbone", "X=1,2"), ("scan", "resolve", "0.1")])
def test_each_key_that_is_gone_is_refused_with_another_value_than_its_default(masing, command, key, value):
    with h5py.File(masing.folder / old(masing, OLD[command]), "r+") as file:
        first, *lines = file.pop("configuration")[()].decode().split("\n")
        lines = [first, f"{key} = {value}", *(line for line in lines if not line.startswith(f"{key} ="))]
        file["configuration"] = np.bytes_("\n".join(lines))
    said = masing.refusal(command, "--config", OLD[command])
    assert said.startswith(f"masing: /configuration of {OLD[command]} line 2, {key}: gone in 3.0") and value in said
