"""The costs of the parts of a run on many ranks.

This module computes the numbers of the table "Ten thousand ranks" in src/parallel/README.md. The numbers of messages
and of bytes below are those of the program; tests/support/count_messages.py counts them on up to 32 ranks. On R ranks a
part of a run takes the time

    n L(R) + b log2(R)/network + g R/network + d/disk + w

with these symbols:
- n is the number of messages in which all ranks take part, and L(R) the latency of one such message;
- b is the number of bytes that a rank passes on in these messages;
- g is the number of bytes that each rank sends to all other ranks;
- d is the number of bytes of the result file or the checkpoint that all ranks together write or read;
- w is the time in seconds that a rank computes or waits;
- `network` and `disk` are bandwidths.

A transfer is a collective write or read of a file by MPI-IO. It counts as a message in which each rank receives an
offset and a length from every other rank.
"""

import math
from collections import namedtuple
from dataclasses import dataclass

from masing.scaling.model import latency_in_words

RANKS = (10**4, 10**5)
OFFSET = 16  # bytes that each rank sends to all others in a transfer
LAYOUT = 8  # bytes of the entry of each rank in the layout of a PETSc vector
CELL = 8  # bytes of the elongation u of a cell
ARRAYS = 4  # the largest number of values that are stored for a cell: u, k, η and u0
SETUP = 1e-7  # seconds in which k, η and u0 of a cell are evaluated
CHUNK = 4096  # the number of steps of a chunk
SEGMENT = 1 << 20  # the largest number of values of a row that a rank writes at once
LOOK = 0.02  # seconds between two checks of a rank whether it has been notified of a stop
TREE = 8  # the number of ranks that a rank notifies of a stop
SHARES = 5000  # requests per second that the root, which assigns the points of a scan, can answer
SHARE_SECONDS = 0.02  # the shortest time in seconds in which a rank computes the points that it gets at once


# The bandwidths of a cluster in bytes per second: `network` is that of the network for one rank, and `disk` that of the
# file system for all ranks together.
System = namedtuple("System", "network disk")


@dataclass(frozen=True)
class Part:
    """A part of a run and its costs. The letters n, b, g, d and w refer to the formula in the module's docstring, where
    n also includes the transfers."""

    name: str
    messages: float = 0.0  # number of messages in which all ranks take part; n
    passed_on: float = 0.0  # bytes that a rank passes on in these messages; b
    of_each: float = 0.0  # bytes that each rank sends to all others; g
    files: float = 0.0  # number of transfers, each of which also counts as a message
    disk: float = 0.0  # bytes of the file that all ranks together write or read; d
    memory: float = 0.0  # bytes of memory of each rank
    work: float = 0.0  # seconds that a rank computes or waits; w

    def bytes(self, ranks):
        """Return the number of bytes that a rank receives in this part on this number of ranks."""
        return self.passed_on + (self.of_each + OFFSET * self.files) * ranks

    def seconds(self, machine, system, ranks):
        """Return the estimated time of the part in seconds on this number of ranks."""
        messages = (self.messages + self.files) * float(machine.latency(ranks))
        gathered = (self.of_each + OFFSET * self.files) * ranks
        return (messages + (self.passed_on * math.log2(ranks) + gathered) / system.network + self.disk / system.disk +
                self.work)


def levels_of_tree(ranks):
    """Return how many messages, one after another, carry the notice of a stop from the last rank to rank 0.

    The ranks form a tree, in which each rank exchanges such messages with its parent and with up to TREE children.
    """
    rank, levels = ranks - 1, 0
    while rank > 0:
        rank, levels = (rank - 1) // TREE, levels + 1
    return levels


def parts(machine, cells, ranks):
    """Return the Parts of a run that has `cells` cells and the engine sweep, on this number of ranks."""
    slab = float(machine.slab(cells, ranks))
    state = CELL * cells
    step = machine.fixed + float(machine.work(slab))
    segments = math.ceil(slab / SEGMENT)
    return [
        Part("session and set-up", messages=45, passed_on=11e3, of_each=2 * LAYOUT,
             memory=CELL * ARRAYS * slab + LAYOUT * ranks, work=SETUP * slab),
        Part("file", messages=85, passed_on=8e3, files=20, memory=1 << 20),
        Part("chunk of 4096 steps", messages=1, passed_on=8 * CHUNK, memory=5 * 8 * CHUNK),
        Part("step, euler", messages=0.5, passed_on=8, work=step),
        Part("step, leapfrog", messages=1, passed_on=8, work=step),
        Part("8192 samples", messages=10, passed_on=40, disk=5 * 8 * 8192, memory=2 << 20),
        Part("row of energy and probes", messages=3, passed_on=64),
        Part("row of u, all cells", messages=5, files=3 * segments, disk=state, memory=8 << 20),
        Part("checkpoint", messages=100, passed_on=4e3, files=10, disk=2 * state, memory=4 << 20),
        Part("seal of 8P bytes", messages=8, disk=state, memory=4 << 20),
        Part("restart", messages=450, passed_on=90e3, files=70, disk=2 * state, memory=8 << 20),
        Part("stop", passed_on=4 * (TREE + 1), memory=4 * (TREE + 1), work=2 * levels_of_tree(ranks) * LOOK),
        Part("checkpoint of a study, split runs", messages=60, passed_on=400, files=9),
        Part("share of a scan's points", passed_on=16, work=max(SHARE_SECONDS, ranks / SHARES)),
    ]


def table(machine, system, cells):
    """Return a table of the costs of all parts of a run on 10,000 and 100,000 ranks, as lines of text."""
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
