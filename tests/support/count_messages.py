#!/usr/bin/env python3
"""What the program asks of MPI, rank by rank, and the memory a rank takes, as a table over numbers of ranks.

    MASING_PROGRAM=build/dev/masing tests/support/count_messages.py [RANKS ...]    (1 2 4 8 16 32)

Calls are counted in the program itself, by a library that is loaded before it, not timed, so ranks may outnumber the
cores by far. What is not a whole run is the difference of two that differ by so many units of one thing: steps, rows,
fields, checkpoints. How many steps a chunk has depends on the clock, and with it how often the force is broadcast
(Ibcast). Numbers are those of the root, and, where others have other ones, those of the rank with most beside.
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

# The functions of MPI that are counted, without "MPI_": messages between two ranks, what all ranks do, those that make
# communicators, each of which takes memory on every rank and a few messages, those of files by all ranks and by one, and
# those that send nothing.
SENT = "Send Ssend Bsend Rsend Isend Issend Irsend Sendrecv".split()
KINDS = {
    "of all ranks": "Barrier Ibarrier Bcast Ibcast Allreduce Iallreduce Scan Exscan Reduce Reduce_scatter_block "
                    "Reduce_scatter Allgather Iallgather Alltoall Gather Scatter Allgatherv Gatherv Alltoallv Win_create "
                    "Win_allocate Win_allocate_shared".split(),
    "communicators": "Comm_dup Comm_split Comm_split_type Comm_create Comm_create_group".split(),
    "to single ranks": SENT,
    "of the file": "File_open File_close File_set_size File_sync File_set_view File_read_at_all File_write_at_all".split(),
    "own reads and writes": "File_read_at File_write_at".split(),
    "that send nothing": "Send_init Recv Irecv Win_fence Win_lock Put Get Accumulate".split(),
}
# The library counts the calls of each function by the program, not those within MPI, and writes them, and the memory of
# the rank at most, into a file of each rank in the folder $MASING_COUNTS.
LIBRARY = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define COUNTED(name, parameters, arguments)                 \
  static long long calls_of_##name;                          \
  int MPI_##name parameters {                                \
    ++calls_of_##name;                                       \
    return PMPI_##name arguments;                            \
  }
%s
int MPI_Finalize(void) {
  char text[4096];
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(text, sizeof text, "%%s/%%d", getenv("MASING_COUNTS"), rank);
  FILE* file = fopen(text, "w");
  FILE* status = fopen("/proc/self/status", "r");
%s
  while (fgets(text, sizeof text, status) != NULL) {
    if (strncmp(text, "VmHWM:", 6) == 0) {
      fprintf(file, "VmHWM %%lld\n", atoll(text + 6));
    }
  }
  fclose(file);
  return PMPI_Finalize();
}
"""


class Counting:
    """Runs a program on some ranks in a folder, and counts what each asks of MPI."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        self.library, source = self.folder / "count_messages.so", self.folder / "count_messages.c"
        header = subprocess.run(["mpicc", "-E", "-include", "mpi.h", "-xc", "/dev/null"], capture_output=True, text=True,
                                check=True).stdout
        counted, written = [], []
        for name in (name for names in KINDS.values() for name in names):
            given = " ".join(re.search(rf"\bint MPI_{name}\(([^)]*)\);", header)[1].split())
            arguments = ", ".join(re.search(r"(\w+)(?:\[\])?$", each)[1] for each in given.split(","))
            counted.append(f"COUNTED({name}, ({given}), ({arguments}))")
            written.append(f'  fprintf(file, "{name} %lld\\n", calls_of_{name});')
        source.write_text(LIBRARY % ("\n".join(counted), "\n".join(written)), encoding="ascii")
        subprocess.run(["mpicc", "-O1", "-shared", "-fPIC", "-o", self.library, source], check=True)

    def __call__(self, ranks, *words, code=0, stop_at=None):
        """A Counter of each rank by name. `stop_at`: a file; as soon as it is there, SIGUSR1 goes to all ranks."""
        counts = Path(tempfile.mkdtemp(dir=self.folder))
        # Open MPI's mpirun sets the ranks of the host; where these outnumber the cores, sums do not use shared memory.
        crowded = ("env", "OMPI_COMM_WORLD_LOCAL_SIZE=100000")
        process = subprocess.Popen(
            ["mpirun", "-n", str(ranks), *crowded, f"LD_PRELOAD={self.library}", self.program, *map(str, words)],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, **OPEN_MPI, **YIELD, "MASING_COUNTS": str(counts)})
        try:
            if stop_at is not None:
                while not (self.folder / stop_at).exists() and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(signal.SIGUSR1)  # mpirun passes it on to all
            said = process.communicate(timeout=600)
        finally:
            process.kill()
        if process.returncode != code:
            raise RuntimeError(f"{words}: exit code {process.returncode}\n{said[1]}")
        lines = [(counts / str(rank)).read_text(encoding="ascii").split() for rank in range(ranks)]
        return [Counter({name: int(calls) for name, calls in zip(line[::2], line[1::2], strict=True)}) for line in lines]


def total(calls, names):
    """How often these were called."""
    return sum(calls[name] for name in names)


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

# The words of a run, what one that does less and one that does more has beside them, and by how many units that does
# more; None for whole runs.
PARTS = {
    "euler step": (SLAB, "--steps=1000 --sample-every=1000", "--steps=2000 --sample-every=2000", 1000),
    "leapfrog step": ((*SLAB, "--scheme=leapfrog"), "--steps=1000 --sample-every=1000",
                      "--steps=2000 --sample-every=2000", 1000),
    "s-chain step": (CHAIN, "--steps=100 --sample-every=100", "--steps=200 --sample-every=200", 100),
    "8192 sample rows": ((*SLAB, "--steps=9000"), "--sample-every=9000", "--sample-every=1", 1),
    "energy row": ((*SLAB, "--steps=1000", "--sample-every=10"), "", "--energy", 100),
    "field row, 65536 cells": ((*SLAB[:4], "--output=run.h5", "--steps=1000"), "--field-every=500", "--field-every=100", 8),
    "checkpoint": ((*SLAB, "--steps=1000", "--checkpoint=state.h5"), "--checkpoint-every=500", "--checkpoint-every=100", 8),
    "study of one rank's levels, checkpoint": (ONE_RANK, "", "--checkpoint=study-state.h5 --checkpoint-every=40000", 4),
    "study of split levels, checkpoint": (SPLIT, "", "--checkpoint=study-state.h5 --checkpoint-every=200", 4),
    "scan point": (SCAN, "--over=w=0.3:1.7:20", "--over=w=0.3:1.7:80", 60),
    "whole run, 16 steps": (SLAB, None, "--steps=16 --sample-every=16", 1),
    "check of a run, without a file": (SLAB, None, "--steps=16 --validate-only", 1),
    "whole study, one rank's levels": (ONE_RANK, None, "", 1),
    "whole study, split levels": (SPLIT, None, "", 1),
    "whole scan, 20 points": (SCAN, None, "--over=w=0.3:1.7:20", 1),
    "whole run, stopped by a signal to all": (LONG, None, "", 1),
    "whole restart, then stopped": (LONG, None, "--restart=stop.h5 --wall-limit=0:0:0.01", 1),
}


def main(words):
    """Print a table for each of these numbers of ranks."""
    program = str(Path(os.environ.get("MASING_PROGRAM", "build/dev/masing")).resolve())
    with tempfile.TemporaryDirectory(prefix="masing-counts-") as folder:
        count = Counting(folder, program)
        for ranks in [int(word) for word in words] or [1, 2, 4, 8, 16, 32]:
            print(f"\n| on {ranks} ranks | {' | '.join(KINDS)} | MiB of the root |\n{'|---' * (len(KINDS) + 2)}|")
            for name, (run, less, more, units) in PARTS.items():
                stop = {"code": 75, "stop_at": None if more else "stop.h5"} if run is LONG else {}
                calls = count(ranks, *run, *more.split(), **stop)
                memory = calls[0]["VmHWM"] / 2**10
                for i, fewer in enumerate(count(ranks, *run, *less.split()) if less is not None else []):
                    calls[i].subtract(fewer)
                parts = []
                for names in KINDS.values():
                    root, *others = (total(each, names) / units for each in calls)
                    parts.append(", ".join(f"{number:.4g}" for number in dict.fromkeys([root, max(others, default=root)])))
                print(f"| {name} | {' | '.join(parts)} | {memory:.3g} |", flush=True)
            (Path(folder) / "stop.h5").unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
