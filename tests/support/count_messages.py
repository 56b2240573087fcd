"""What the program asks of MPI, rank by rank: a library that is loaded before the program counts its calls. What
a step, a row or a checkpoint costs is the difference of two runs that differ by so many of them."""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from open_mpi import OPEN_MPI, YIELD

# The functions of MPI that are counted, without "MPI_".
KINDS = {kind: names.split() for kind, names in {
    "of all ranks": "Barrier Ibarrier Bcast Ibcast Allreduce Iallreduce Scan Exscan Reduce Reduce_scatter_block "
                    "Reduce_scatter Allgather Iallgather Alltoall Gather Scatter Allgatherv Gatherv Alltoallv "
                    "Win_create Win_allocate Win_allocate_shared",
    # each takes memory on every rank and a few messages
    "communicators": "Comm_dup Comm_split Comm_split_type Comm_create Comm_create_group",
    "to single ranks": "Send Ssend Bsend Rsend Isend Issend Irsend Sendrecv",
    "of the file": "File_open File_close File_set_size File_sync File_set_view File_read_at_all File_write_at_all",
    "own reads and writes": "File_read_at File_write_at",
    "without messages": "Send_init Recv Irecv Win_fence Win_lock Put Get Accumulate"}.items()}
# The library counts the calls by the program, not those within MPI, and writes them into a file of each rank.
LIBRARY = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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
%s
  fclose(file);
  return PMPI_Finalize();
}
"""


class Counting:
    """Runs a program on some ranks in a folder, and counts what each asks of MPI."""

    def __init__(self, folder, program):
        self.folder, self.program = Path(folder), program
        self.library, source = self.folder / "count_messages.so", self.folder / "count_messages.c"
        header = subprocess.run(["mpicc", "-E", "-include", "mpi.h", "-xc", "/dev/null"], capture_output=True,
                                text=True, check=True).stdout
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
        return [Counter(dict(zip(line[::2], map(int, line[1::2]), strict=True))) for line in lines]


def total(calls, names):
    """How often these were called."""
    return sum(calls[name] for name in names)
