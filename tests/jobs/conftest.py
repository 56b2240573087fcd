"""What the tests of the job scripts share: the program, an installation of it, and reading what it writes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))
sys.path.insert(0, str(ROOT / "tests" / "commands"))

from masing import program

os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture(scope="session")
def masing():
    """The path of the program; these tests need one."""
    found = program.find()
    if found is None:
        pytest.skip("no program masing is built")
    return str(Path(found).resolve())


@pytest.fixture(scope="session")
def prefix(masing, tmp_path_factory):
    """An installation of the build that the program is of: what `cmake --install` puts there."""
    build, folder = Path(masing).parent, tmp_path_factory.mktemp("prefix")
    if not (build / "CMakeCache.txt").exists():
        pytest.skip(f"{masing} is not in a build folder")
    subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder
