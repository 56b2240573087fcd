"""What the tests of the job scripts share: an installation of the program, and reading what programs print."""

import re

import pytest
from processes import installed, ran


@pytest.fixture(scope="session")
def prefix(masing, tmp_path_factory):
    """An installation of the build that the program is of, in a folder whose name has spaces and umlauts."""
    return installed(masing, tmp_path_factory.mktemp("Größe 1 ü"))


@pytest.fixture(scope="session")
def declared(prefix):
    """The names of the functions in the installed header for C."""
    header = (prefix / "include" / "masing" / "material.h").read_text(encoding="utf-8")
    return set(re.findall(r"\b(masing_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)))


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
