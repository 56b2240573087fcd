"""Result files of masing 2.0: what they hold is computed again, although some keys in them are gone; a key that is gone
and changed the result is refused."""

import gzip
from pathlib import Path

import h5py
import numpy as np
import pytest
from result_files import contents

DATA = Path(__file__).resolve().parents[1] / "data"  # the files that masing 2.0.0 wrote
FILES = {"simulate": "run.h5", "converge": "study.h5", "scan": "scan.h5"}


@pytest.fixture
def old(masing):
    """Puts a file of 2.0 into the test's folder, and gives its name."""
    def unpacked(name):
        (masing.folder / name).write_bytes(gzip.decompress((DATA / f"{name}.gz").read_bytes()))
        return name
    return unpacked


@pytest.mark.parametrize("command", FILES)
def test_a_file_of_2_0_is_reproduced(masing, old, command):
    name = old(FILES[command])
    assert f"{name}: reproduced, bit for bit" in masing.done("reproduce", name).stdout


@pytest.mark.parametrize("command", FILES)
def test_the_configuration_in_a_file_of_2_0_is_computed(masing, old, command):
    before = contents(masing.folder / old(FILES[command]))
    process = masing(command, "--config", FILES[command], "--output=new.h5", "--quiet")
    assert process.returncode == (3 if command == "converge" else 0), process.stderr
    after = contents(masing.folder / "new.h5")
    tables = [name for name in before if "@" not in name and name not in ("configuration", "points/messages")]
    assert [name for name in tables if after.get(name) != before[name]] == []

@pytest.mark.parametrize("words", [("simulate", "--config"), ("reproduce",)], ids=" ".join)
def test_a_key_that_is_gone_and_changed_the_result_is_refused(masing, old, words):
    said = masing.refused(*words, old("probe.h5"))
    assert said.startswith("masing: /configuration of probe.h5 line 27, probe: gone in 3.0")


@pytest.mark.parametrize(("name", "key", "value"), [
    ("study.h5", "looks", "3"), ("study.h5", "reference", "fine.h5"), ("scan.h5", "past", "point"), ("scan.h5", "backbone", "X=1,2"),
    ("scan.h5", "resolve", "0.1")])
def test_each_key_that_is_gone_is_refused_with_another_value_than_its_default(masing, old, name, key, value):
    with h5py.File(masing.folder / old(name), "r+") as file:
        lines = file.pop("configuration")[()].decode().split("\n")
        others = [line for line in lines[1:] if not line.startswith(f"{key} =")]
        file["configuration"] = np.bytes_("\n".join([lines[0], f"{key} = {value}", *others]))
    said = masing.refused("reproduce", name)
    assert said.startswith(f"masing: /configuration of {name} line 2, {key}: gone in 3.0") and value in said
