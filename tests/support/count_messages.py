#!/usr/bin/env python3
"""What the program asks of MPI, rank by rank, and the memory a rank takes, as a table over numbers of ranks.

    MASING_PROGRAM=build/dev/masing tests/support/count_messages.py [RANKS ...]    (1 2 4 8 16 32)

Calls and bytes are counted in the program itself (count_messages.c), not timed, so ranks may outnumber the cores by
far. What is not a whole run is the difference of two that differ by so many units of one thing: steps, rows, fields,
checkpoints. How many steps a chunk has depends on the clock, and with it how often the force is broadcast (Ibcast).
Numbers are those of the root, and, where others have other ones, those of the rank with most beside.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
SENT = ("Send", "Ssend", "Bsend", "Rsend", "Isend", "Issend", "Irsend", "Sendrecv")
MEMORY = ("VmHWM", "RssAnon")
COMMUNICATORS = ("Comm_dup", "Comm_split", "Comm_split_type", "Comm_create", "Comm_create_group")
FILES = ("File_open", "File_close", "File_set_size", "File_sync", "File_set_view", "File_read_at_all",
         "File_write_at_all")
OWN_FILES = ("File_read_at", "File_write_at")
LOCAL = (*MEMORY, "Send_init", "Recv", "Irecv", "Win_fence", "Win_lock", "Put", "Get", "Accumulate")
# Open MPI's mpirun sets it to the ranks of the host; where these outnumber the cores, sums do not use shared memory.
CROWDED = ("env", "OMPI_COMM_WORLD_LOCAL_SIZE=100000")
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "vader,self",
}


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

    @property
    def collectives(self):
        """The functions of all ranks that are not of files and make no communicator."""
        return sorted(set(self.calls) - {*SENT, *COMMUNICATORS, *FILES, *OWN_FILES, *LOCAL})


class Counting:
    """Runs a program on some ranks in a folder, and counts what each asks of MPI."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        self.library = self.folder / "count_messages.so"
        subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", "-o", self.library, SOURCE], check=True)

    def __call__(self, ranks, *words, code=0, stop_at=None, environment=()):
        """The Calls of every rank. `stop_at`: a file; as soon as it is there, SIGUSR1 goes to all ranks."""
        counts = Path(tempfile.mkdtemp(dir=self.folder))
        process = subprocess.Popen(
            ["mpirun", "-n", str(ranks), *CROWDED, f"LD_PRELOAD={self.library}", self.program, *map(str, words)],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **OPEN_MPI, **dict(environment), "MASING_COUNTS": str(counts)})
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

# Name, units by which the second run has more, the words of both.
DIFFERENCES = {
    "euler step": (1000, (*SLAB, "--steps=1000", "--sample-every=1000"),
                   (*SLAB, "--steps=2000", "--sample-every=2000")),
    "leapfrog step": (1000, (*SLAB, "--scheme=leapfrog", "--steps=1000", "--sample-every=1000"),
                      (*SLAB, "--scheme=leapfrog", "--steps=2000", "--sample-every=2000")),
    "s-chain step": (100, (*CHAIN, "--steps=100", "--sample-every=100"),
                     (*CHAIN, "--steps=200", "--sample-every=200")),
    "8192 sample rows": (1, (*SLAB, "--steps=9000", "--sample-every=9000"),
                         (*SLAB, "--steps=9000", "--sample-every=1")),
    "energy and probe row": (100, (*SLAB, "--steps=1000", "--sample-every=10"),
                             (*SLAB, "--steps=1000", "--sample-every=10", "--energy", "--probe=0.1,0.5")),
    "field row, 65536 cells": (8, (*SLAB[:4], "--output=run.h5", "--steps=1000", "--field-every=500"),
                               (*SLAB[:4], "--output=run.h5", "--steps=1000", "--field-every=100")),
    "checkpoint": (8, (*SLAB, "--steps=1000", "--checkpoint=state.h5", "--checkpoint-every=500"),
                   (*SLAB, "--steps=1000", "--checkpoint=state.h5", "--checkpoint-every=100")),
    "study of one rank's levels, checkpoint": (
        4, (*STUDY, "--cells=100", "--refine=steps", "--levels=40000,80000,160000"),
        (*STUDY, "--cells=100", "--refine=steps", "--levels=40000,80000,160000", "--checkpoint=study-state.h5",
         "--checkpoint-every=40000")),
    "study of split levels, checkpoint": (
        4, (*STUDY, "--cells=65536", "--refine=steps", "--levels=400,800"),
        (*STUDY, "--cells=65536", "--refine=steps", "--levels=400,800", "--checkpoint=study-state.h5",
         "--checkpoint-every=200")),
    "scan point": (60, (*SCAN, "--over=w=0.3:1.7:20"), (*SCAN, "--over=w=0.3:1.7:80")),
}
WHOLE = {
    "whole run, 16 steps": (*SLAB, "--steps=16", "--sample-every=16"),
    "check of a run, without a file": (*SLAB, "--steps=16", "--validate-only"),
    "whole run of one rank": ("simulate", "--quiet", "--cells=100", "--steps=16", "--final-time=1", "--output=run.h5"),
    "whole study, one rank's levels": DIFFERENCES["study of one rank's levels, checkpoint"][1],
    "whole study, split levels": DIFFERENCES["study of split levels, checkpoint"][1],
    "whole scan, 20 points": DIFFERENCES["scan point"][1],
}
LONG = (*SLAB, "--steps=4000000", "--checkpoint=stop.h5", "--checkpoint-every=64")


TABLES = {
    "Messages of all ranks": lambda calls: calls.of(*calls.collectives),
    "Bytes of a rank in them": lambda calls: calls.bytes_of(*calls.collectives),
    "Communicators made": lambda calls: calls.of(*COMMUNICATORS),
    "Messages sent to single ranks": lambda calls: calls.of(*SENT),
    "Messages of the file, of all ranks": lambda calls: calls.of(*FILES),
    "Bytes of a rank in them, of the file": lambda calls: calls.bytes_of(*FILES),
    "Reads and writes of a rank alone": lambda calls: calls.of(*OWN_FILES),
    "Bytes of these": lambda calls: calls.bytes_of(*OWN_FILES),
}


def text(number):
    """A number for the table."""
    return f"{number:.0f}" if abs(number - round(number)) < 0.005 else f"{number:.3g}"


def entry(number, units, calls):
    """The number a unit, of the root, and where others have another one, of the rank with most."""
    root, *others = (text(number(each) / units) for each in calls)
    most = max(others, key=float, default=root)
    return root if most == root else f"{root}, {most}"


def tables(numbers, found):
    """Tables over numbers of ranks of what was found: by name and ranks the units and the Calls of each rank."""
    names = list(dict.fromkeys(name for name, _ in found))

    def of(title, value):
        lines = ["", f"| {title} | " + " | ".join(map(str, numbers)) + " |", "|---" * (1 + len(numbers)) + "|"]
        return lines + [f"| {name} | " + " | ".join(value(*found[name, ranks]) for ranks in numbers) + " |"
                        for name in names]

    lines = [line for title, number in TABLES.items()
             for line in of(title, lambda units, calls, _, number=number: entry(number, units, calls))]
    for title, name in (("MiB at most", "VmHWM"), ("MiB of its own in the end", "RssAnon")):
        lines += of(title, lambda _, __, whole, name=name: entry(lambda calls: calls.bytes[name], 2**20, whole))
    lines += ["", f"| By name, on {numbers[-1]} ranks, of the root | |", "|---|---|"]
    for name in names:
        units, (root, *_), _ = found[name, numbers[-1]]
        each = sorted(set(root.calls) - set(MEMORY))
        lines.append(f"| {name} | " + ", ".join(f"{text(root.calls[call] / units)} {call}" for call in each
                                                if root.calls[call]) + " |")
    return lines


def main(words):
    """Print the tables for these numbers of ranks."""
    numbers = [int(word) for word in words] or [1, 2, 4, 8, 16, 32]
    program = str(Path(os.environ.get("MASING_PROGRAM", "build/dev/masing")).resolve())
    found = {}
    with tempfile.TemporaryDirectory(prefix="masing-counts-") as folder:
        count = Counting(folder, program)
        for ranks in numbers:
            print(f"{ranks} ranks", file=sys.stderr, flush=True)
            for name, run in WHOLE.items():
                calls = count(ranks, *run)
                found[name, ranks] = 1, calls, calls
            for name, (units, fewer, more) in DIFFERENCES.items():
                less, calls = count(ranks, *fewer), count(ranks, *more)
                found[name, ranks] = units, [b - a for a, b in zip(less, calls, strict=True)], calls
            stopped = count(ranks, *LONG, code=75, stop_at="stop.h5")
            found["whole run, stopped by a signal to all", ranks] = 1, stopped, stopped
            again = count(ranks, *LONG, "--restart=stop.h5", "--wall-limit=0:0:0.01", code=75)
            found["whole restart, then stopped", ranks] = 1, again, again
            (Path(folder) / "stop.h5").unlink()
    print(*tables(numbers, found)[1:], sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
