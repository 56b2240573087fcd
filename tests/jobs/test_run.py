"""tests/run.sh and .ci/run themselves, in a folder of their own where CMake, ctest and pytest only say that they have
begun, and wait: exit codes, and that nothing is left."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from processes import ran

ROOT = Path(__file__).resolve().parents[2]
# The first build ends, as does all that is not to hang; what hangs has a child, and says so when it is there.
STUB = """#!/bin/sh
case "$(basename "$0") $*" in
  "python -c"*) exit ;;
  "$HANGS"* | "python -m"*) sleep 1000 & touch "$(dirname "$0")/$(basename "$0").begun"; wait ;;
esac
"""


@pytest.fixture
def clone(tmp_path):
    """A folder with the scripts alone, in which nothing is missing."""
    for name in ("tests/run.sh", ".ci/run", "jobs/common.sh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "stubs").mkdir()
    for name in ("jobs/install_dependencies.sh", "stubs/cmake", "stubs/ctest", "stubs/python"):
        (tmp_path / name).write_text(STUB)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_a_signal_ends_all_that_has_begun(clone):
    environment = {**os.environ, "PATH": f"{clone}/stubs:{os.environ['PATH']}", "TMPDIR": str(clone),
                   "MASING_PYTHON": str(clone / "stubs" / "python"), "HANGS": "ctest"}
    process = subprocess.Popen([clone / "tests/run.sh"], env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    while not all((clone / "stubs" / f"{each}.begun").exists() for each in ("ctest", "python")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.terminate()
    said, _ = process.communicate(timeout=600)  # until nothing has stdout any more
    assert process.returncode == 128 + signal.SIGTERM, said
    assert sorted(path.name for path in clone.iterdir()) == [".ci", "jobs", "stubs", "tests"]


def test_ci_has_a_release_that_fails_where_there_is_none(clone):
    done = ran(clone / ".ci/run", "--short")
    assert done.returncode == 2 and "run.sh: unknown argument '--short'" in done.stdout + done.stderr
    done = ran(clone / "build" / "masing", "--version")
    assert done.returncode == 1 and "made by .ci/run" in done.stderr
