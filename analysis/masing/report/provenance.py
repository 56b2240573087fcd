"""State where the numbers of a page come from.

The page lists its files with the attributes of their /provenance, and says whether the files were reproduced.
"""

import math
import shlex
import tempfile
from collections import namedtuple
from pathlib import Path

from masing import program as masing
from masing.errors import MasingError
from masing.text import EN_DASH, cell, listed, measured, short_configuration
from masing.results import read

# The exit codes with which `masing reproduce` says that a result is the same or different. Any other code means that
# there was no comparison.
REPRODUCED, DIFFERENT = 0, 1
# {attribute of /provenance: its name on the page}, in the order of the page. All other attributes follow on the page
# under their own names.
WORDS = {"version": "masing", "git_revision": "revision", "git_dirty": "uncommitted changes", "date": "date",
         "ranks": "ranks", "host": "host", "mpi": "MPI", "petsc": "PETSc", "hdf5": "HDF5", "boost": "Boost",
         "eigen": "Eigen", "xxhash": "xxHash", "libc": "C library"}
# The attributes of /provenance that the page omits. The original command line may need files in the folder where it was
# called; the page shows a command `masing reproduce`, which needs only the result file. The page describes the seal in
# other words, and only a restart needs `rows`.
LEFT_OUT = {"command_line", "seal", "rows"}

# The outcome of reproducing a file. `command` computes the file again. `same` says whether the result is the same, and
# is None if the file was not computed again. `output` are the lines that the program printed, `provenance` is that of
# the new file, and `seal_fault` the result of seal_fault().
Reproduction = namedtuple("Reproduction", "command same output provenance seal_fault")


def reproduction(run, program=None, wanted=False):
    """Return the Reproduction of the file of a run.

    The program computes the file again only if `wanted` is true and the run was not computed for the page itself.
    Raises MasingError if the file is to be computed again, but `program` is None or cannot compute it.
    """
    command = run.made_by or f"masing reproduce {shlex.quote(run.path.name)}"
    fault = seal_fault(run, program)
    if not wanted or run.made_by:
        return Reproduction(command, None, [], {}, fault)
    if program is None:
        raise MasingError("--reproduce: the program masing was not found; build it or name it by --program")
    with tempfile.TemporaryDirectory(prefix="masing-reproduce-") as folder:
        again = Path(folder) / "again.h5"
        answer = masing.run(program, "reproduce", "--quiet", "--output", again, run.path)
        if answer.code not in (REPRODUCED, DIFFERENT):
            raise MasingError(f"--reproduce: masing reproduce {run.path}: {' '.join(answer.lines[-1:])}")
        made_by = read(again).provenance
    output = [line.replace(str(run.path), run.path.name) for line in answer.lines]
    return Reproduction(command, answer.code == REPRODUCED, output, made_by, fault)


def seal_fault(run, program=None):
    """Return what the program says about the seal of a run's file.

    This is a message if the seal does not hold, and an empty text if it holds. It is also an empty text if the run was
    computed for the page itself. It is None if the seal could not be checked.
    """
    if program is None or run.made_by:
        return "" if run.made_by else None
    # The program checks the seal of a file before it reads the configuration in it.
    answer = masing.run(program, run.attributes("/")["kind"], "--config", run.path, "--print-config")
    said = [line for line in answer.said(masing.WARNING) + answer.said() if line.startswith(f"{run.path} ")]
    return run.path.name + said[0][len(str(run.path)):].partition(";")[0] if said else "" if answer.code == 0 else None


def provenance_section(runs, reproductions):
    """Return the template's values on the provenance of the files.

    `rows` contain the origin of each file, and `ran` says whether any file was computed again.
    """
    return {"ran": any(each.same is not None for each in reproductions),
            "rows": [origin(run, again) for run, again in zip(runs, reproductions)]}


def origin(run, again):
    """Return the template's values on the origin of a file, or of a run that was computed for the page. `again` is the
    Reproduction of this file."""
    words = _words(run)
    return {"name": run.path.name, "again": again, "is_file": run.made_by is None, "facts": list(words.items()),
            "known": [words.get(name, EN_DASH) for name in ("masing", "revision", "date", "ranks")],
            "seconds": cell(run.timing.get("wall_seconds") or math.nan, lambda value: measured(value, 3)),
            "configuration": short_configuration(run.configuration or "")}


def machines(provenances):
    """Return the hosts on which runs were computed as a list of texts.

    Each host occurs once, with all the numbers of ranks that were used on it, as in `node1, 1 and 2 ranks`. What a
    provenance lacks is omitted.
    """
    ranks = {}
    for each in provenances:
        ranks.setdefault(str(each.get("host", "")), set()).update({each["ranks"]} if "ranks" in each else ())
    counts = {words: f"{listed(map(str, sorted(of_it)))} rank{'s' if of_it != {1} else ''}" if of_it else ""
              for words, of_it in ranks.items()}
    return [text for words, count in counts.items() if (text := ", ".join(filter(None, (words, count))))]


def is_dirty(provenance):
    """Return whether the program that wrote a file with this `provenance` was built with uncommitted changes."""
    return str(provenance.get("git_dirty", "no")) not in ("no", "0")


def _words(run):
    """Return the provenance of a file as {name: text}, with the attributes of WORDS first."""
    known = {key: value for key, value in run.provenance.items() if key not in LEFT_OUT}
    if "date" in known:
        known["date"] = str(known["date"])[:10]
    known["git_dirty"] = "yes" if is_dirty(known) else "no"
    ordered = [key for key in WORDS if key in known] + [key for key in known if key not in WORDS]
    return {WORDS.get(key, key.replace("_", " ")): str(known[key]) for key in ordered} if run.provenance else {}
