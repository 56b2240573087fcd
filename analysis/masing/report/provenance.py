"""State where the numbers of a page come from, and whether its files were reproduced."""

import math
import shlex
from collections import namedtuple

from masing import program as masing
from masing.errors import MasingError
from masing.text import EN_DASH, cell, measured, short_configuration

# The outcome of reproducing a file: the command that computes it again, whether the result is the same (None if it was
# not computed), the lines that the program printed, and the result of seal_fault().
Reproduction = namedtuple("Reproduction", "command same output seal_fault")


def reproduction(run, program=None, wanted=False):
    """Return the Reproduction of the file of a run, computed again if `wanted` and if it was not made for the page.

    Raises MasingError if the file is to be computed again, but `program` is None or cannot compute it.
    """
    command = run.made_by or f"masing reproduce {shlex.quote(run.path.name)}"
    fault = seal_fault(run, program)
    if not wanted or run.made_by:
        return Reproduction(command, None, [], fault)
    if program is None:
        raise MasingError("--reproduce: the program masing was not found; build it, or give its path in MASING_PROGRAM")
    answer = masing.run(program, "reproduce", "--quiet", run.path)
    if answer.code not in (0, 1):  # other codes than those of the same and of different bits
        raise MasingError(f"--reproduce: masing reproduce {run.path}: {' '.join(answer.lines[-1:])}")
    output = [line.replace(str(run.path), run.path.name) for line in answer.lines]
    return Reproduction(command, answer.code == 0, output, fault)


def seal_fault(run, program=None):
    """Return what the program says about the seal of a run's file, "" if it holds, None if it could not be checked."""
    if program is None or run.made_by:
        return "" if run.made_by else None
    # The program checks the seal of a file before it reads the configuration in it.
    answer = masing.run(program, run.attributes("/")["kind"], "--config", run.path, "--print-config")
    said = [line for line in answer.said(masing.WARNING) + answer.said() if line.startswith(f"{run.path} ")]
    return run.path.name + said[0][len(str(run.path)):].partition(";")[0] if said else "" if answer.code == 0 else None


def origin(run, again):
    """Return the template's values on the origin of a file, or of a run computed for the page, and its Reproduction."""
    known = run.provenance
    revision = str(known.get("git_revision", EN_DASH)) + ", with uncommitted changes" * is_dirty(known)
    return {"name": run.path.name, "again": again, "facts": known,
            "known": [known.get("version", EN_DASH), revision, str(known.get("date", EN_DASH))[:10],
                      known.get("ranks", EN_DASH)],
            "seconds": cell(run.attributes("timing").get("wall_seconds") or math.nan, lambda value: measured(value, 3)),
            "configuration": short_configuration(run.configuration)}


def is_dirty(provenance):
    """Return whether the program that wrote a file with this `provenance` was built with uncommitted changes."""
    return str(provenance.get("git_dirty", "no")) not in ("no", "0")
