"""A signal ends tests/run.sh with its exit code, and nothing is left; in a folder of its own, where CMake ends at
once and ctest and pytest only say that they have begun, and wait. (test_documents.py has what it refuses.)"""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The build ends; the tests do not, and have a child: they write the ids of both when it is there.
STUB = """#!/bin/sh
case "$(basename "$0") $*" in
  "python -c"*) exit ;;
  "ctest"* | "python -m"*) sleep 1000 & echo $! $$ >"$0.pids.new"; mv "$0.pids.new" "$0.pids"; wait ;;
esac
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_that_has_begun(tmp_path, sent):
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
                               stderr=subprocess.STDOUT,
                               preexec_fn=lambda: signal.signal(sent, signal.SIG_DFL))  # as without nohup and &
    written = [stubs / f"{each}.pids" for each in ("ctest", "python")]
    while not all(each.exists() for each in written):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(sent)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 128 + sent, said
    assert not any(is_running(pid) for each in written for pid in each.read_text(encoding="utf-8").split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jobs", "stubs", "tests"]
