"""The model of a step's time on many ranks, fitted to a benchmark file: latency, bandwidth and compute.

A step of P cells on R ranks costs

    t(P, R) = f + c(n) + L(R)/2,    n = cells of the largest slab, in whole blocks of 1024 cells

with f the forcing and the arithmetic of a step, c the pass over a slab, and L the allreduce, one for two steps.
    c(n) = n (h/compute + (1 - h)/streaming),   h = min(1, cache/n)   the part of a slab in a core's share of the cache
    L(R) = alpha + beta log2 R               within a host, fitted
         = L(host) + hop log2(R/host)        over hosts of `host` ranks each, hop assumed, not measured
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from masing import hdf5
from masing.errors import MasingError

BLOCK = 1024
CACHE_IF_UNKNOWN = 32 << 20
MOST_RANKS = 10**5
# The search for a crossover ends at this number of cells.
MOST_CELLS = 1e15


@dataclass(frozen=True)
class Machine:
    """A host as a model: seconds, cells, and cell-updates a second of one core with all cores busy."""

    variant: str
    fixed: float    # f, seconds a step
    compute: float  # cell-updates a second of a core whose slab is in cache
    streaming: float  # the same where the slab streams from RAM, whose bandwidth the ranks of the host share
    cache: float    # cells of a slab that a core's share of the cache holds
    alpha: float    # seconds of an allreduce within the host ...
    beta: float     # ... and for each doubling of its ranks
    host: int       # ranks of a host
    hop: float      # seconds for each doubling of hosts
    memory_engine: float  # seconds a step of engine memory, forcing included
    counts: tuple   # the numbers of ranks, more than one, over which the file has an allreduce

    def slab(self, cells, ranks):
        """Cells of the largest slab: whole blocks where there is more than one."""
        blocks = np.ceil(np.asarray(cells, dtype=float) / BLOCK)
        return np.minimum(cells, np.ceil(blocks / ranks) * BLOCK)

    def work(self, slab):
        """c(n), seconds of a step's pass over a slab."""
        cached = np.minimum(1.0, self.cache / slab)
        return slab * (cached / self.compute + (1 - cached) / self.streaming)

    def latency(self, ranks):
        """L(R), seconds of an allreduce; none on one rank."""
        ranks = np.asarray(ranks, dtype=float)
        inside = self.alpha + self.beta * np.log2(np.clip(ranks, 1, self.host))
        beyond = self.hop * np.log2(np.maximum(ranks / self.host, 1))
        return np.where(ranks > 1, inside * (np.minimum(ranks, self.host) > 1) + beyond, 0.0)

    def step(self, cells, ranks):
        """t(P, R), seconds of a step of engine sweep."""
        return self.fixed + self.work(self.slab(cells, ranks)) + self.latency(ranks) / 2

    def best_ranks(self, cells):
        """The number of ranks at which a step of so many cells is quickest, among all that change the slabs."""
        ranks = useful_ranks(cells)
        return int(ranks[np.argmin(self.step(cells, ranks))])

    def worthwhile_ranks(self, cells):
        """The most ranks whose parallel efficiency is still at least one half, no more than the quickest."""
        ranks = useful_ranks(cells)
        good = self.step(cells, 1) / (ranks * self.step(cells, ranks)) >= 0.5
        return min(int(ranks[good].max()), self.best_ranks(cells))

    def memory_engine_wins_from(self):
        """The least P from which on engine memory is quicker than sweep on any number of ranks; inf if none."""
        def slower(cells):
            return self.step(cells, self.best_ranks(cells)) > self.memory_engine

        if slower(1):
            return 1
        if not slower(MOST_CELLS):
            return np.inf
        low, high = 1, int(MOST_CELLS)
        while high - low > 1:
            middle = (low + high) // 2 if high < 2 * low + 4 else int(np.sqrt(low * high))
            low, high = (low, middle) if slower(middle) else (middle, high)
        return high


def useful_ranks(cells):
    """Numbers of ranks up to MOST_RANKS to compare: all small ones, then close enough to miss nothing of a percent."""
    last = int(max(1, min(MOST_RANKS, np.ceil(cells / BLOCK))))
    dense = np.unique(np.round(np.geomspace(1, last, 2000)).astype(np.int64))
    return np.unique(np.r_[np.arange(1, min(last, 64) + 1), dense])


def read_machine(path, variant, hop, host=None):
    """The Machine that a benchmark file describes; MasingError where the file is not one or lacks a part."""
    path = Path(path)
    with hdf5.opened(path) as file:
        hdf5.kind(file, "benchmark")
        cells = hdf5.column(file, "kernel/cells")
        one, together = (hdf5.column(file, f"kernel/{scope}/{variant}/seconds_per_step", len(cells))
                         for scope in ("one_rank", "all_ranks"))
        # What a cell takes in RAM: an update of two steps a pass reads it once and writes u once.
        footprint = hdf5.column(file, f"kernel/one_rank/{variant}/bytes_per_update", len(cells))[:1] * 2 - 8
        facts, step = (hdf5.attributes(file, name) for name in ("machine", "step"))
        ranks, seconds = hdf5.column(file, "latency/ranks"), hdf5.column(file, "latency/seconds")
        places = hdf5.column(file, "memory/cells")
        look_up = hdf5.column(file, "memory/seconds_per_step", len(places))
    _require_positive(path, cells, one, together, footprint, ranks, seconds, look_up)
    numbers = {name: _number(path, group, name) for group, names in (
        (facts, ("ranks", "hosts", "cores", "cache_bytes", "update_bandwidth_all_ranks")),
        (step, ("forcing_seconds", "three_cells_seconds"))) for name in names}
    busy = max(1, round(numbers["ranks"] / numbers["hosts"]))
    alpha, beta = fitted_latency(ranks, seconds)
    per_rank = (numbers["cache_bytes"] or CACHE_IF_UNKNOWN) / min(busy, numbers["cores"])
    cache = per_rank / footprint[0]
    compute = compute_rate(cells, one, cache)
    return Machine(variant=variant, fixed=numbers["forcing_seconds"] + numbers["three_cells_seconds"], compute=compute,
                   streaming=min(compute, streaming_rate(cells, together, numbers["ranks"], cache,
                                                   numbers["update_bandwidth_all_ranks"], footprint[0])),
                   cache=cache, alpha=alpha, beta=beta, host=host or busy, hop=hop,
                   memory_engine=numbers["forcing_seconds"] + float(np.median(look_up)),
                   counts=tuple(int(r) for r in ranks if r > 1))


def fitted_latency(ranks, seconds):
    """(alpha, beta) of alpha + beta log2 R by least squares, neither negative; no allreduce, no latency."""
    doublings, seconds = np.log2(ranks[ranks > 1]), seconds[ranks > 1]
    if len(doublings) == 0:
        return 0.0, 0.0
    if len(doublings) == 1:
        return 0.0, float(seconds[0] / doublings[0])
    beta, alpha = np.polyfit(doublings, seconds, 1)
    if beta < 0:
        return float(np.mean(seconds)), 0.0
    if alpha < 0:
        return 0.0, float(doublings @ seconds / (doublings @ doublings))
    return float(alpha), float(beta)


def compute_rate(cells, seconds, cache):
    """Cell-updates a second while a slab stays in cache: the slope over these P, which leaves out the fixed part."""
    inside = cells <= max(cache / 2, cells.min())
    n, t = cells[inside], seconds[inside]
    if len(n) < 2:
        return float(n[-1] / t[-1])
    # Each P counts alike: residuals are relative.
    slope, fixed = np.linalg.lstsq(np.c_[n, np.ones(len(n))] / t[:, None], np.ones(len(n)), rcond=None)[0]
    return float(1 / slope) if fixed > 0 and slope > 0 else float(np.max(n / t))


def streaming_rate(cells, seconds, ranks, cache, bandwidth, footprint):
    """Cell-updates a second of a rank while all ranks stream: measured at the largest P, else from the bandwidth."""
    if cells[-1] / ranks > 4 * cache:
        return float(cells[-1] / seconds[-1] / ranks)
    # A pass of two steps reads all of a cell and writes u back.
    return float(2 * bandwidth / (footprint + 8) / ranks)


def _number(path, group, name):
    value = group.get(name)
    if not isinstance(value, (int, float)) or not np.isfinite(value) or value < 0:
        raise MasingError(f"{path}: lacks the number '{name}'; make it again with masing benchmark")
    return value


def _require_positive(path, *columns):
    if any(len(column) == 0 or not np.all(np.isfinite(column) & (column > 0)) for column in columns):
        raise MasingError(f"{path}: holds times that are not positive numbers; make it again with masing benchmark")


def summary(machine, cells_shown):
    """The fitted model and its crossovers at the numbers of cells `cells_shown`, as lines of text."""
    measured = "measured"
    if not machine.counts:
        measured = "none measured: give a file of two ranks or more"
    elif len(machine.counts) == 1:
        measured = (f"measured over {machine.counts[0]} ranks alone, which cannot tell the two apart; "
                    "give a file of four ranks or more")
    lines = [
        f"variant {machine.variant}, hosts of {machine.host} rank{'s' if machine.host > 1 else ''}",
        f"compute    {machine.compute:.3g} cell-updates/s of a core, slabs up to {machine.cache:.3g} cells in cache",
        f"bandwidth  {machine.streaming:.3g} cell-updates/s of a core, slabs far larger",
        f"latency    {1e6 * machine.alpha:.3g} us + {1e6 * machine.beta:.3g} us log2(ranks) within a host "
        f"({measured}), + {1e6 * machine.hop:.3g} us log2(hosts) (assumed)",
        f"a step     {1e9 * machine.fixed:.3g} ns beside the cells; engine memory {1e9 * machine.memory_engine:.3g} ns "
        "in all",
        "         P   ranks at efficiency 1/2   quickest with ranks   speed-up   step there",
    ]
    for cells in cells_shown:
        best = machine.best_ranks(cells)
        step = float(machine.step(cells, best))
        lines.append(f"{cells:10.0e} {_up_to_most(machine.worthwhile_ranks(cells)):>25} {_up_to_most(best):>21} "
                     f"{float(machine.step(cells, 1)) / step:10.3g} {1e6 * step:9.3g} us")
    return [*lines, _crossover(machine)]


def _up_to_most(ranks):
    """A number of ranks; at the end of the search a lower bound."""
    return f">={ranks}" if ranks == MOST_RANKS else str(ranks)


def _crossover(machine):
    """The P from which on engine memory is quicker than the cells on any number of ranks."""
    cells = machine.memory_engine_wins_from()
    if math.isinf(cells):
        return f"engine memory is never quicker than the cells on up to {MOST_RANKS} ranks"
    return (f"engine memory beats sweep on any number of ranks (up to {MOST_RANKS}) "
            + ("at every P" if cells == 1 else f"from P = {cells} on"))
