"""An installation of the build that a program is of."""

import subprocess
from pathlib import Path

import pytest


def cached(folder, name):
    """A value of a build folder's CMake cache."""
    lines = (folder / "CMakeCache.txt").read_text().splitlines()
    return next(line.split("=", 1)[1] for line in lines if line.startswith(f"{name}:"))


def installation(program, folder):
    """`folder`, with what `cmake --install` puts there."""
    build = Path(program).resolve().parent
    if not (build / "CMakeCache.txt").exists():
        pytest.skip(f"{program} is not in a build folder")
    subprocess.run([cached(build, "CMAKE_COMMAND"), "--install", build, "--prefix", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return folder
