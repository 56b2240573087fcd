#!/usr/bin/env python3
"""What the program asks of MPI, rank by rank, and the memory a rank takes, as a table over numbers of ranks.

    MASING_PROGRAM=build/dev/masing tests/support/count_messages.py [RANKS ...]    (1 2 4 8 16 32)

Calls and bytes are counted in the program itself (count_messages.c), not timed, so ranks may outnumber the cores by
far. What is not a whole run is the difference of two that differ by so many units of one thing: steps, rows, fields,
checkpoints. How many steps a chunk has depends on the clock, and with it how often the force is broadcast (Ibcast).
Numbers are those of the root, and, where others have other ones, those of the rank with most beside.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from open_mpi import OPEN_MPI, YIELD

SOURCE = Path(__file__).with_suffix(".c")
MEMORY = ("VmHWM", "RssAnon")
# The functions of MPI that are counted, without "MPI_": messages between two ranks,
SENT = ("Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend", "Irsend", "Sendrecv")
# of all ranks,
COLLECTIVES = ("Barrier", "Ibarrier", "Bcast", "Ibcast", "Allreduce", "Iallreduce", "Scan", "Exscan", "Reduce",
               "Reduce_scatter_block", "Reduce_scatter", "Allgather", "Iallgather", "Alltoall", "Gather", "Scatter",
               "Allgatherv", "Gatherv", "Alltoallv", "Win_create", "Win_allocate", "Win_allocate_shared")
# those that make communicators, each of which takes memory on every rank and a few messages,
COMMUNICATORS = ("Comm_dup", "Comm_split", "Comm_split_type", "Comm_create", "Comm_create_group")
# of files, by all ranks and by one,
FILES = ("File_open", "File_close", "File_set_size", "File_sync", "File_set_view", "File_read_at_all",
         "File_write_at_all")
OWN_FILES = ("File_read_at", "File_write_at")
# and those that send nothing.
LOCAL = ("Send_init", "Recv", "Irecv", "Win_fence", "Win_lock", "Put", "Get", "Accumulate")
# Open MPI's mpirun sets it to the ranks of the host; where these outnumber the cores, sums do not use shared memory.
CROWDED = ("env", "OMPI_COMM_WORLD_LOCAL_SIZE=100000")


class Calls:
    """Of one rank: functions of MPI without "MPI_", and how often and with how many bytes it has called them."""

    def __init__(self, calls=(), size=()):
        self.calls, self.bytes = Counter(calls), Counter(size)

    @classmethod
    def read(cls, path):
        """What count_messages.c has written."""
        lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
        return cls({name: int(calls) for name, calls, _ in lines}, {name: int(size) for name, _, size in lines})

    def __sub__(self, other):
        difference = Calls(self.calls, self.bytes)
        difference.calls.subtract(other.calls)
        difference.bytes.subtract(other.bytes)
        return difference

    def of(self, *names):
        """How often these were called."""
        return sum(self.calls[name] for name in names)

    def bytes_of(self, *names):
        """With how many bytes."""
        return sum(self.bytes[name] for name in names)


def bytes_of_call(name, parameters):
    """C for the bytes of a call: those of the larger of its buffers, of MPI_Allgather what all ranks send."""
    names = {parameter.strip("[]") for parameter in parameters}
    if name.startswith("Win_"):
        return "size" if "size" in names else "0"
    ranks = "ranks_at(comm, root)" if "root" in names else "ranks_of(comm)"
    # Which buffer has a part of each rank.
    whole = "send" if name == "Scatter" else "recv" if re.search("gather|alltoall|scatter", name.lower()) else "none"
    found = ["0"]
    for side in ("send", "recv", "origin_", ""):
        kinds = (f"{side}type", f"{side}datatype", "datatype")
        kind = next((each for each in kinds if each in names), None)
        if f"{side}counts" in names:
            found.append(f"bytes_of(sum_of({side}counts, {ranks}), {kind})")
        elif kind and f"{side}count" in names:
            found.append(f"bytes_of({ranks if side == whole else '1LL'} * {side}count, {kind})")
    return f"larger({found[-2]}, {found[-1]})" if len(found) > 1 else "0"


def wrappers():
    """C that defines the functions that are counted, by their declarations in mpi.h."""
    header = subprocess.run(["mpicc", "-E", "-include", "mpi.h", "-xc", "/dev/null"], capture_output=True, text=True,
                            check=True).stdout
    lines = []
    for name in (*SENT, *COLLECTIVES, *COMMUNICATORS, *FILES, *OWN_FILES, *LOCAL):
        given = " ".join(re.search(rf"\bint MPI_{name}\(([^)]*)\);", header)[1].split())
        parameters = [re.search(r"\w+(\[\])?$", each)[0] for each in given.split(",")]
        arguments = ", ".join(each.strip("[]") for each in parameters)
        lines.append(f"COUNTED({name}, ({given}), ({arguments}), {bytes_of_call(name, parameters)})\n")
    return "".join(lines)


class Counting:
    """Runs a program on some ranks in a folder, and counts what each asks of MPI."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        self.library = self.folder / "count_messages.so"
        (self.folder / "counted.h").write_text(wrappers(), encoding="ascii")
        subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", f"-I{self.folder}", "-o", self.library, SOURCE], check=True)

    def __call__(self, ranks, *words, code=0, stop_at=None):
        """The Calls of every rank. `stop_at`: a file; as soon as it is there, SIGUSR1 goes to all ranks."""
        counts = Path(tempfile.mkdtemp(dir=self.folder))
        process = subprocess.Popen(
            ["mpirun", "-n", str(ranks), *CROWDED, f"LD_PRELOAD={self.library}", self.program, *map(str, words)],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **OPEN_MPI, **YIELD, "MASING_COUNTS": str(counts)})
        try:
            if stop_at is not None:
                deadline = time.monotonic() + 600
                while not (self.folder / stop_at).exists() and process.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.01)
                process.send_signal(signal.SIGUSR1)  # mpirun passes it on to all
            said = process.communicate(timeout=600)
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode != code:
            raise RuntimeError(f"{words}: exit code {process.returncode}\n{said[1]}")
        return [Calls.read(counts / str(rank)) for rank in range(ranks)]


# Slabs that ranks share: 64 blocks of 1024 cells. T is so short that no step is in doubt.
SLAB = ("simulate", "--quiet", "--cells=65536", "--final-time=1", "--field-points=1", "--output=run.h5")
CHAIN = ("simulate", "--quiet", "--model=s-chain", "--set=n=8192", "--set=k=n", "--set=eta=0.1",
         "--final-time=0.0001", "--force=3*sin(t)", "--output=run.h5")
STUDY = ("converge", "--quiet", "--final-time=1", "--expect-order=none", "--field-samples=4", "--output=study.h5",
         "--reference=successive", "--sample-every=1000000")
SCAN = ("scan", "--quiet", "--cells=100", "--steps=2000", "--final-time=10", "--output=scan.h5", "--force=0.4*cos(w*t)")

LONG = (*SLAB, "--steps=4000000", "--checkpoint=stop.h5", "--checkpoint-every=64")
ONE_RANK = (*STUDY, "--cells=100", "--refine=steps", "--levels=40000,80000,160000")
SPLIT = (*STUDY, "--cells=65536", "--refine=steps", "--levels=400,800")

# The words of a run, those of one that does more, and by how many units it does; whole runs have no other.
PARTS = {
    "euler step": ((*SLAB, "--steps=1000", "--sample-every=1000"),
                   (*SLAB, "--steps=2000", "--sample-every=2000"), 1000),
    "leapfrog step": ((*SLAB, "--scheme=leapfrog", "--steps=1000", "--sample-every=1000"),
                      (*SLAB, "--scheme=leapfrog", "--steps=2000", "--sample-every=2000"), 1000),
    "s-chain step": ((*CHAIN, "--steps=100", "--sample-every=100"), (*CHAIN, "--steps=200", "--sample-every=200"), 100),
    "8192 sample rows": ((*SLAB, "--steps=9000", "--sample-every=9000"),
                         (*SLAB, "--steps=9000", "--sample-every=1"), 1),
    "energy row": ((*SLAB, "--steps=1000", "--sample-every=10"),
                   (*SLAB, "--steps=1000", "--sample-every=10", "--energy"), 100),
    "field row, 65536 cells": ((*SLAB[:4], "--output=run.h5", "--steps=1000", "--field-every=500"),
                               (*SLAB[:4], "--output=run.h5", "--steps=1000", "--field-every=100"), 8),
    "checkpoint": ((*SLAB, "--steps=1000", "--checkpoint=state.h5", "--checkpoint-every=500"),
                   (*SLAB, "--steps=1000", "--checkpoint=state.h5", "--checkpoint-every=100"), 8),
    "study of one rank's levels, checkpoint": (
        ONE_RANK, (*ONE_RANK, "--checkpoint=study-state.h5", "--checkpoint-every=40000"), 4),
    "study of split levels, checkpoint": (
        SPLIT, (*SPLIT, "--checkpoint=study-state.h5", "--checkpoint-every=200"), 4),
    "scan point": ((*SCAN, "--over=w=0.3:1.7:20"), (*SCAN, "--over=w=0.3:1.7:80"), 60),
    "whole run, 16 steps": (None, (*SLAB, "--steps=16", "--sample-every=16"), 1),
    "check of a run, without a file": (None, (*SLAB, "--steps=16", "--validate-only"), 1),
    "whole study, one rank's levels": (None, ONE_RANK, 1),
    "whole study, split levels": (None, SPLIT, 1),
    "whole scan, 20 points": (None, (*SCAN, "--over=w=0.3:1.7:20"), 1),
    "whole run, stopped by a signal to all": (None, LONG, 1),
    "whole restart, then stopped": (None, (*LONG, "--restart=stop.h5", "--wall-limit=0:0:0.01"), 1),
}
KINDS = {"of all ranks": COLLECTIVES, "communicators": COMMUNICATORS, "to single ranks": SENT, "of the file": FILES,
         "own reads and writes": OWN_FILES}


def entry(names, units, calls):
    """Calls and bytes a unit, of the root, and where others have other ones, of the rank with most calls."""
    root, *others = ((each.of(*names) / units, each.bytes_of(*names) / units) for each in calls)
    both = dict.fromkeys([root, max(others, default=root)])
    return ", ".join(f"{number:.4g} ({size:.4g} B)" for number, size in both)


def main(words):
    """Print a table for each of these numbers of ranks."""
    program = str(Path(os.environ.get("MASING_PROGRAM", "build/dev/masing")).resolve())
    with tempfile.TemporaryDirectory(prefix="masing-counts-") as folder:
        count = Counting(folder, program)
        for ranks in [int(word) for word in words] or [1, 2, 4, 8, 16, 32]:
            print(f"\n| on {ranks} ranks | {' | '.join(KINDS)} | MiB of the root, its own |")
            print("|---" * (len(KINDS) + 2) + "|")
            for name, (fewer, run, units) in PARTS.items():
                stop = {"code": 75, "stop_at": "stop.h5" if run is LONG else None} if run[:len(LONG)] == LONG else {}
                calls = count(ranks, *run, **stop)
                memory = "".join(f" {calls[0].bytes[each] / 2**20:.3g}" for each in MEMORY)
                if fewer:
                    calls = [b - a for a, b in zip(count(ranks, *fewer), calls, strict=True)]
                parts = " | ".join(entry(names, units, calls) for names in KINDS.values())
                print(f"| {name} | {parts} |{memory} |", flush=True)
            (Path(folder) / "stop.h5").unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
