"""What the parts of a run cost on many ranks: the table "Ten thousand ranks" of src/README.md, with numbers.

The counts are those of the program (tests/support/count_messages.py measures them on up to 32 ranks). A part takes

    n L(R) + b log2(R)/network + g R/network + d/disk + w

n messages of all ranks, L(R) each; b bytes that are passed on in them; g bytes of each rank that all ranks get; d bytes
of the file by all ranks together; w seconds of a rank beside. A message of the file by all ranks (MPI-IO) counts as one
of all ranks in which each gets an offset and a length of every other.
"""

import math
from collections import namedtuple
from dataclasses import dataclass

from masing.scaling.model import latency_in_words

RANKS = (10**4, 10**5)
OFFSET = 16  # bytes of each rank that MPI-IO gives to all
LAYOUT = 8  # bytes of each rank in PETSc's layout of a vector
CELL = 8  # bytes of u
ARRAYS = 4  # a cell has at most: u, k, η, u0
SETUP = 1e-7  # seconds a cell, to evaluate k, η and u0
CHUNK = 4096  # steps
PIECE = 1 << 20  # numbers of a rank in one transfer of a row
LOOK = 0.02  # seconds between two looks for the notice of a stop
TREE = 8  # ranks to which a rank passes a stop on
SHARES = 5000  # requests a second to the rank that deals out the points of a scan
SHARE_SECONDS = 0.02  # at least, of a share of these points


# What a cluster gives beside its cores: bytes a second of a rank's network, and of the disks of all ranks together.
System = namedtuple("System", "network disk")


@dataclass(frozen=True)
class Part:
    """A part of a run, and what it takes of each rank."""

    name: str
    messages: float = 0.0  # of all ranks; n
    passed_on: float = 0.0  # bytes; b
    of_each: float = 0.0  # bytes; g
    files: float = 0.0  # messages of the file, in MPI-IO
    disk: float = 0.0  # bytes of all ranks together; d
    memory: float = 0.0  # bytes a rank
    work: float = 0.0  # seconds; w

    def bytes(self, ranks):
        """Bytes that a rank gets."""
        return self.passed_on + (self.of_each + OFFSET * self.files) * ranks

    def seconds(self, machine, system, ranks):
        """About how long it takes on so many ranks."""
        messages = (self.messages + self.files) * float(machine.latency(ranks))
        gathered = (self.of_each + OFFSET * self.files) * ranks
        return (messages + (self.passed_on * math.log2(ranks) + gathered) / system.network + self.disk / system.disk +
                self.work)


def levels_of_tree(ranks):
    """How many messages a stop takes from the last of so many ranks up to the first."""
    rank, levels = ranks - 1, 0
    while rank > 0:
        rank, levels = (rank - 1) // TREE, levels + 1
    return levels


def parts(machine, cells, ranks):
    """The parts of a run of `cells` cells on so many ranks, by engine sweep."""
    slab = float(machine.slab(cells, ranks))
    state = CELL * cells
    step = machine.fixed + float(machine.work(slab))
    pieces = math.ceil(slab / PIECE)
    return [
        Part("session and set-up", messages=45, passed_on=11e3, of_each=2 * LAYOUT,
             memory=CELL * ARRAYS * slab + LAYOUT * ranks, work=SETUP * slab),
        Part("file", messages=85, passed_on=8e3, files=20, memory=1 << 20),
        Part("chunk of 4096 steps", messages=1, passed_on=8 * CHUNK, memory=5 * 8 * CHUNK),
        Part("step, euler", messages=0.5, passed_on=8, work=step),
        Part("step, leapfrog", messages=1, passed_on=8, work=step),
        Part("8192 samples", messages=10, passed_on=40, disk=5 * 8 * 8192, memory=2 << 20),
        Part("row of energy and probes", messages=3, passed_on=64),
        Part("row of u, all cells", messages=5, files=3 * pieces, disk=state, memory=8 << 20),
        Part("checkpoint", messages=100, passed_on=4e3, files=10, disk=2 * state, memory=4 << 20),
        Part("seal of 8P bytes", messages=8, disk=state, memory=4 << 20),
        Part("restart", messages=450, passed_on=90e3, files=70, disk=2 * state, memory=8 << 20),
        Part("stop", passed_on=4 * (TREE + 1), memory=4 * (TREE + 1), work=2 * levels_of_tree(ranks) * LOOK),
        Part("checkpoint of a study, split runs", messages=60, passed_on=400, files=9),
        Part("share of a scan's points", passed_on=16, work=max(SHARE_SECONDS, ranks / SHARES)),
    ]


def table(machine, system, cells):
    """The parts of a run on ten and a hundred thousand ranks, as lines of text."""
    lines = [f"{'P = %.0e on ranks' % cells:<34}" + "".join(f"{ranks:>36,}" for ranks in RANKS),
             f"{'':<34}" + f"{'received, B':>12}{'memory, B':>12}{'time, s':>12}" * len(RANKS)]
    for each in zip(*(parts(machine, cells, ranks) for ranks in RANKS)):
        columns = (f"{part.bytes(ranks):12.3g}{part.memory:12.3g}{part.seconds(machine, system, ranks):12.3g}"
                   for part, ranks in zip(each, RANKS))
        lines.append(f"{each[0].name:<34}" + "".join(columns))
    return [*lines, "received and memory: of a rank",
            f"latency: {latency_in_words(machine)}; hosts of {machine.host} rank{'s' if machine.host > 1 else ''}",
            f"bandwidth (assumed): {1e-9 * system.network:g} GB/s of a rank to others, "
            f"{1e-9 * system.disk:g} GB/s of the file system to all ranks"]
