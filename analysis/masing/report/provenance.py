"""Where the numbers of a page come from: one table of its files, what they share, and whether they were reproduced."""

import shlex
import tempfile
from collections import namedtuple
from pathlib import Path

from masing import program as masing
from masing.errors import MasingError
from masing.names import short_configuration
from masing.notation import listed
from masing.results import read

# The exit codes of masing reproduce with a comparison behind them.
REPRODUCED, DIFFERENT = 0, 1
# The attributes of /provenance with their names on the page, in its order; others follow under their own.
WORDS = {"version": "masing", "git_revision": "revision", "git_dirty": "uncommitted changes", "date": "date",
         "ranks": "ranks", "processor": "processor", "host": "host", "nodes": "nodes", "job": "job of the scheduler",
         "modules": "loaded modules", "system": "system", "kernel": "instruction set", "mpi": "MPI", "petsc": "PETSc",
         "hdf5": "HDF5", "boost": "Boost", "eigen": "Eigen", "xxhash": "xxHash", "libc": "C library"}
# A command needs the other files of its folder, `masing reproduce` none; seal and places of rows are for restarts.
LEFT_OUT = {"command_line", "seal", "rows"}

# The command that makes a file again; whether it did (None: not run), its output, and its machine; the seal_fault().
Reproduction = namedtuple("Reproduction", "command same output provenance seal_fault")


def reproduction(run, program=None, wanted=False):
    """The Reproduction of a file; runs the program where `wanted`. Raises MasingError when it refuses or is not found."""
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
    """What the program says against the seal of a file: "" where it holds or there is none to check; None unchecked."""
    if program is None or run.made_by:
        return "" if run.made_by else None
    # It checks the seal of a file before it reads what follows.
    answer = masing.run(program, run.attributes("/")["kind"], "--config", run.path, "--print-config")
    said = [line for line in answer.said(masing.WARNING) + answer.said() if line.startswith(f"{run.path} ")]
    return run.path.name + said[0][len(str(run.path)):].partition(";")[0] if said else "" if answer.code == 0 else None


def provenance_section(runs, reproductions):
    """The template's values: what all files share, what else is known by column, and the origin of each file in full."""
    known = [_words(run) for run in runs]
    keys = list(dict.fromkeys(key for words in known for key in words))
    shared = {key: known[0][key] for key in keys if len({words.get(key) for words in known}) == 1}
    columns = [key for key in keys if key not in shared]
    return {"shared": list(shared.items()), "columns": columns, "ran": any(each.same is not None for each in reproductions),
            "rows": [origin(run, again) | {"known": [words.get(key, "–") for key in columns]}
                     for run, words, again in zip(runs, known, reproductions)]}


def origin(run, again):
    """The template's values on the origin of a file, or of a run made for the page; `again` is its Reproduction."""
    return {"name": run.path.name, "again": again, "phases": [], "is_file": run.made_by is None,
            "configuration": short_configuration(run.configuration or ""), "facts": list(_words(run).items())}


def machine(provenance):
    """The machine of a run in words, as far as its file says: `AMD EPYC 9R14 (2 cores), 2 ranks`."""
    return "; ".join(machines([provenance]))


def machines(provenances):
    """The machines of runs in words, each once with all numbers of ranks: `AMD EPYC 9R14 (2 cores), 1 and 2 ranks`."""
    ranks = {}
    for each in provenances:
        words = ", ".join(str(each[key]) for key in ("processor", "host", "system") if each.get(key))
        ranks.setdefault(words, set()).update({each["ranks"]} if "ranks" in each else ())
    counts = {words: f"{listed(map(str, sorted(of_it)))} rank{'s' if of_it != {1} else ''}" if of_it else ""
              for words, of_it in ranks.items()}
    return [text for words, count in counts.items() if (text := ", ".join(filter(None, (words, count))))]


def is_dirty(provenance):
    """Whether the program that made a file was built with uncommitted changes."""
    return str(provenance.get("git_dirty", "no")) not in ("no", "0")


def _words(run):
    """The provenance of a file as {name: text}, the names of the page first."""
    known = {key: value for key, value in run.provenance.items() if key not in LEFT_OUT}
    if "date" in known:
        known["date"] = str(known["date"])[:10]
    known["git_dirty"] = "yes" if is_dirty(known) else "no"
    ordered = [key for key in WORDS if key in known] + [key for key in known if key not in WORDS]
    return {WORDS.get(key, key.replace("_", " ")): str(known[key]) for key in ordered} if run.provenance else {}
