"""The program masing: its path, and running it."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from masing.command_line import UserError

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answer:
    """The exit code of a run of the program, and its output lines, those of stdout first."""

    code: int
    lines: list


def find(given=None):
    """The program: `given`, $MASING_PROGRAM, build/masing of this clone or bin/masing of this prefix, or masing on
    the PATH; else None.

    Raises UserError when the given one cannot be run.
    """
    if given:
        found = shutil.which(given)
        if found is None:
            raise UserError(f"--program: {given} is not a program; give the path of masing, such as build/masing")
        return found
    candidates = (os.environ.get("MASING_PROGRAM", ""), str(ROOT / "build" / "masing"),
                  str(ROOT.parents[1] / "bin" / "masing"), "masing")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def required(given=None):
    """The absolute path of the program that find() gives; raises UserError when there is none."""
    found = find(given)
    if found is None:
        raise UserError(f"no program at {ROOT / 'build/masing'} or on the PATH: build it, or give its path with "
                        "--program")
    return str(Path(found).resolve())


def run(program, *arguments, seconds=None):
    """Run the program and give its Answer; after `seconds` it is stopped, with code -1."""
    try:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
                              errors="replace", env=environment(), stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return Answer(-1, [f"stopped after {seconds} s"])
    except OSError as error:
        return Answer(-1, [f"{program}: {error.strerror}"])
    return Answer(done.returncode, [line for line in (done.stdout + done.stderr).splitlines() if line.strip()])


def simulate(program, *arguments):
    """Run masing simulate; raises UserError with the program's own message when it fails."""
    answer = run(program, "simulate", "--quiet", *arguments)
    if answer.code:
        messages = [line for line in answer.lines if line.startswith("masing: ")] or answer.lines
        raise UserError(messages[0].removeprefix("masing: ") if messages
                        else f"{program} ended with exit code {answer.code}")


def environment():
    """The environment without Open MPI's variables, so that the program does not join the job that runs this script."""
    job = ("OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PMIX_")
    return {name: value for name, value in os.environ.items() if not name.startswith(job)}
