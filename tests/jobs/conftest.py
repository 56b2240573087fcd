"""What the tests of the job scripts share: the program, and reading what it writes."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))
sys.path.insert(0, str(ROOT / "tests" / "commands"))

from masing import program


@pytest.fixture(scope="session")
def masing():
    """The path of the program; these tests need one."""
    found = program.find()
    if found is None:
        pytest.skip("no program masing is built")
    return str(Path(found).resolve())
