"""What the tests of the job scripts share: an installation of the program, and reading what programs print."""

import subprocess
from pathlib import Path

import pytest
from processes import ran


@pytest.fixture(scope="session")
def prefix(masing, tmp_path_factory):
    """An installation of the build that the program is of, in a folder whose name has spaces and umlauts."""
    build, folder = Path(masing).parent, tmp_path_factory.mktemp("Größe 1 ü")
    if not (build / "CMakeCache.txt").exists():
        pytest.skip(f"{masing} is not in a build folder")
    subprocess.run(["cmake", "--install", build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def printed():
    """Runs a program, which must succeed, and gives the values of the "name value" lines that it prints."""
    def run(*command, **options):
        done = ran(*command, **options)
        assert done.returncode == 0, done.stderr
        values = {}
        for name, value in (line.split(" ", 1) for line in done.stdout.splitlines()):
            values.setdefault(name, []).append(value)
        return values
    return run
