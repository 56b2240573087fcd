"""A Python of its own that imports masing from this clone."""

import os
import subprocess
import sys
from pathlib import Path

import masing
from masing import program

ANALYSIS = Path(masing.__file__).resolve().parents[1]


def lines_of(script, *launcher, **variables):
    """The lines that it prints; it must end well, and say nothing on stderr."""
    environment = os.environ | {"PYTHONPATH": str(ANALYSIS), "MASING_PROGRAM": program.required(), **variables}
    done = subprocess.run([*launcher, sys.executable, "-W", "ignore", "-c", script], env=environment, timeout=600,
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), script
    return done.stdout.splitlines()
