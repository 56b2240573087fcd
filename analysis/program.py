"""The program masing itself: where it is, and running it for what a result file does not hold."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cli import UserError

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Answer:
    """What the program said: its exit code and its lines, those on stdout first."""

    code: int
    lines: list


def find(given=None):
    """The program: `given`, $MASING_PROGRAM, build/masing of this folder's repository, or masing on the PATH; or None.

    Raises UserError when the given one cannot be run.
    """
    if given:
        found = shutil.which(given)
        if found is None:
            raise UserError(f"--program: {given} is not a program; give the path of masing, such as build/masing")
        return found
    candidates = (os.environ.get("MASING_PROGRAM", ""), str(ROOT / "build" / "masing"), "masing")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def run(program, *arguments, seconds=None):
    """The program's Answer to the arguments; after `seconds` it is stopped, with code -1."""
    try:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
                              errors="replace", env=_environment(), stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-1, [f"stopped after {seconds} s"])
    except OSError as error:
        return Answer(-1, [f"{program}: {error.strerror}"])
    return Answer(done.returncode, [line for line in (done.stdout + done.stderr).splitlines() if line.strip()])


def _environment():
    """The environment for one rank; Open MPI must not take it for a part of a job that runs this script."""
    job = ("OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PMIX_")
    return {name: value for name, value in os.environ.items() if not name.startswith(job)}
