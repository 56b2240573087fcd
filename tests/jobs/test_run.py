"""A signal ends tests/run.sh with its exit code, and nothing is left; in a folder of its own, where CMake ends at
once and ctest and pytest only say that they have begun, and wait. (test_documents.py has what it refuses.)"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The build ends; the tests do not, and have a child: they say so when it is there.
STUB = """#!/bin/sh
case "$(basename "$0") $*" in
  "python -c"*) exit ;;
  "ctest"* | "python -m"*) sleep 1000 & touch "$(dirname "$0")/$(basename "$0").begun"; wait ;;
esac
"""


def test_a_signal_ends_all_that_has_begun(tmp_path):
    for name in ("tests/run.sh", "jobs/common.sh"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for path in (tmp_path / "jobs" / "install_dependencies.sh", stubs / "cmake", stubs / "ctest", stubs / "python"):
        path.write_text(STUB)
        path.chmod(0o755)
    environment = {**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}", "TMPDIR": str(tmp_path),
                   "MASING_PYTHON": str(stubs / "python")}
    process = subprocess.Popen([tmp_path / "tests/run.sh"], env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    while not all((stubs / f"{each}.begun").exists() for each in ("ctest", "python")):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.terminate()
    said, _ = process.communicate(timeout=600)  # until nothing has stdout any more
    assert process.returncode == 128 + signal.SIGTERM, said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs", "stubs", "tests"]
