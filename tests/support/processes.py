"""Programs that tests of the job scripts and of the installation run to their end."""

import subprocess
from pathlib import Path

import pytest
from result_files import contents


def ran(*words, check=False, **options):
    """The finished program, with what it has said as text; `check`: it must succeed."""
    done = subprocess.run([*map(str, words)], **{"capture_output": True, "text": True, "timeout": 1800, **options})
    assert done.returncode == 0 or not check, f"{done.args}\n{done.stderr}"
    return done


def alone(masing, folder, *words):
    """The contents of what one rank of the program writes, without a launcher."""
    ran(masing, *words, "--output=alone.h5", "--quiet", cwd=folder, check=True)
    return contents(folder / "alone.h5")


def built(source, folder, *options):
    """The build folder of a project that CMake configures and builds."""
    ran("cmake", "-S", source, "-B", folder, *options, check=True)
    ran("cmake", "--build", folder, check=True)
    return folder


def installed(masing, prefix):
    """`prefix`, with the build that the program is of installed there; the test is skipped if it is of none."""
    build = Path(masing).parent
    if not (build / "CMakeCache.txt").exists():
        pytest.skip(f"{masing} is not in a build folder")
    ran("cmake", "--install", build, "--prefix", prefix, check=True)
    return prefix
