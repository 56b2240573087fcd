"""What the tests of the job scripts share: an installation of the program, and reading what it writes."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "commands"))


@pytest.fixture(scope="session")
def prefix(masing, tmp_path_factory):
    """An installation of the build that the program is of, in a folder whose name has spaces and umlauts."""
    build, folder = Path(masing).parent, tmp_path_factory.mktemp("Größe 1 ü")
    if not (build / "CMakeCache.txt").exists():
        pytest.skip(f"{masing} is not in a build folder")
    subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder
