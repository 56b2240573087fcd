"""The commands that make a file again, and what `masing reproduce` said when the page was made."""

import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

import program as masing
from cli import UserError

REPRODUCED, DIFFERENT = 0, 1


@dataclass(frozen=True)
class Reproduction:
    """The command that makes a file again; whether it did (None: it was not run) and what the program said."""

    command: str
    same: bool | None
    said: list


def reproduction(run, program, wanted):
    """The Reproduction of a file; runs the program where `wanted`. Raises UserError when it is refused or not found."""
    command = run.made_by or f"masing reproduce {shlex.quote(run.path.name)}"
    if not wanted or run.made_by:
        return Reproduction(command, None, [])
    if program is None:
        raise UserError("--reproduce: the program masing was not found; build it or name it by --program")
    with tempfile.TemporaryDirectory(prefix="masing-reproduce-") as folder:
        answer = masing.run(program, "reproduce", "--quiet", "--output", Path(folder) / "again.h5", run.path)
    if answer.code not in (REPRODUCED, DIFFERENT):
        raise UserError(f"--reproduce: masing reproduce {run.path}: {' '.join(answer.lines[-1:])}")
    said = [line.replace(str(run.path), run.path.name) for line in answer.lines]
    return Reproduction(command, answer.code == REPRODUCED, said)
