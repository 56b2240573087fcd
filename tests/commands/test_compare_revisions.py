"""compare_revisions.sh: alike programs have no differences, and each kind of difference is named, of a program whose
files and messages a script around it has changed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long
SCRIPT = Path(__file__).resolve().parents[1] / "compare_revisions.sh"

CHANGED = """#!/usr/bin/env bash
"{program}" "$@" | sed 's/12 points/13 points/'
/usr/bin/env "{python}" - <<'END'
import h5py
with h5py.File("0.h5", "a") as file:
    file["points/most_x"][3] *= 1 + 2**-50
    del file["points/loss"]
    file["points"].attrs["more"] = 1.0
    file["timing"].attrs["wall_seconds"] = 7.0
END
exit 4
"""


def compared(other, program):
    call = [SCRIPT, other, "--ranks", "1", "--only", "steady"]
    return subprocess.run(call, capture_output=True, text=True, env={**os.environ, "MASING_PROGRAM": str(program)})


def test_every_kind_of_difference_is_named(masing, tmp_path):
    changed = tmp_path / "changed"
    changed.write_text(CHANGED.format(program=masing.program, python=sys.executable))
    changed.chmod(0o755)
    alike = compared(masing.program, masing.program)
    assert alike.returncode == 0, alike.stdout + alike.stderr
    assert alike.stdout.splitlines()[-1].endswith(": 0 numbers differ, 0 runs differ")
    done = compared(masing.program, changed)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("steady, 1 rank: ")]
    for words in ("exit codes [0], now [4]", "printed: 1 lines differ", "0.h5 /points/loss: only before",
                  "0.h5 /points/most_x: 1 of 12 numbers differ, at most by", "0.h5 /points@more: only now"):
        assert any(words in line for line in lines), words + "\n" + done.stdout
    assert not any("timing" in line for line in lines)
