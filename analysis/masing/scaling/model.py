"""The model of a step's time on many ranks, fitted to a benchmark file, and its figure.

A step of P cells on R ranks costs

    t(P, R) = f + c(n) + L(R)/2,    n = cells of the largest slab, in whole blocks of 1024 cells

with f the forcing and the arithmetic of a step, c the pass over a slab, and L the allreduce, one for two steps.
    c(n) = n (h/compute + (1 - h)/streaming),   h = min(1, cache/n)   the part of a slab in a core's share of the cache
    L(R) = alpha + beta log2 R               within a host, fitted
         = L(host) + hop log2(R/host)        over hosts of `host` ranks each, hop assumed, not measured
"""

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from masing import style
from masing.errors import MasingError
from masing.notation import count
from masing.results import Result

BLOCK = 1024
CACHE_IF_UNKNOWN = 32 << 20
MOST_RANKS = 10**5
# The search for a crossover ends at this number of cells.
MOST_CELLS = 10**15
# What the figure shows: P of strong scaling, P/R of weak scaling, over R.
STRONG, WEAK = (10**4, 10**6, 10**8, 10**10), (10**4, 10**5, 10**6, 10**7)
RANKS = np.unique(np.round(np.geomspace(1, MOST_RANKS, 400)).astype(np.int64))


@dataclass(frozen=True)
class Machine:
    """A host as a model: seconds, cells, and cell-updates a second of one core with all cores busy."""

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
    disturbed: float = 0.0  # seconds of the file's allreduce over all ranks, where its steps show it too long

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
        cells = range(1, MOST_CELLS)
        place = bisect_left(cells, True, key=lambda each: self.step(each, self.best_ranks(each)) > self.memory_engine)
        return cells[place] if place < len(cells) else math.inf


def useful_ranks(cells):
    """Numbers of ranks up to MOST_RANKS to compare: all small ones, then close enough to miss nothing of a percent."""
    last = int(max(1, min(MOST_RANKS, np.ceil(cells / BLOCK))))
    dense = np.unique(np.round(np.geomspace(1, last, 2000)).astype(np.int64))
    return np.unique(np.r_[np.arange(1, min(last, 64) + 1), dense])


class Benchmark(Result):
    """A file of masing benchmark."""

    kinds = ("benchmark",)

    def times(self, *names):
        """The datasets of these names; raises MasingError where one has no positive numbers."""
        found = [self[name] for name in names]
        if any(len(each) == 0 or not np.all(np.isfinite(each) & (each > 0)) for each in found):
            raise MasingError(f"{self.path}: holds times that are not positive; make it again with masing benchmark")
        return found

    def number(self, group, name):
        """An attribute that is a finite number from 0 on; raises MasingError where it is not."""
        value = self.attributes(group).get(name)
        if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            raise MasingError(f"{self.path}: lacks the number '{name}'; make it again with masing benchmark")
        return value


def read_machine(path, hop, host=None):
    """The Machine that a benchmark file describes; MasingError where the file is not one or lacks a part."""
    file = Benchmark(path)
    kernel = "kernel/{}/both/{}"
    cells, one, together, traffic, ranks, seconds, look_up = file.times(
        "kernel/cells", kernel.format("one_rank", "seconds_per_step"), kernel.format("all_ranks", "seconds_per_step"),
        kernel.format("one_rank", "bytes_per_update"), "latency/ranks", "latency/seconds", "memory/seconds_per_step")
    all_ranks, hosts, cores, cache_bytes, bandwidth = (file.number("machine", name) for name in (
        "ranks", "hosts", "cores", "cache_bytes", "update_bandwidth_all_ranks"))
    forcing, three_cells = (file.number("step", name) for name in ("forcing_seconds", "three_cells_seconds"))
    # What a cell takes in RAM: an update of two steps a pass reads it once and writes u once.
    footprint = 2 * traffic[0] - 8
    busy = max(1, round(all_ranks / hosts))
    alone, seconds = seconds[-1], shown_by_steps(seconds, cells, one, together)
    alpha, beta = fitted_latency(ranks, seconds)
    cache = (cache_bytes or CACHE_IF_UNKNOWN) / min(busy, cores) / footprint
    compute = compute_rate(cells, one, cache)
    return Machine(fixed=forcing + three_cells, compute=compute,
                   streaming=min(compute, streaming_rate(cells, together, all_ranks, cache, bandwidth, footprint)),
                   cache=cache, alpha=alpha, beta=beta, host=host or busy, hop=hop,
                   memory_engine=forcing + float(np.median(look_up)), counts=tuple(int(r) for r in ranks if r > 1),
                   disturbed=float(alone) if alone > seconds[-1] else 0.0)


def shown_by_steps(seconds, cells, one, together):
    """The seconds of the allreduces, the last over all ranks; where half of that takes longer than a whole step, it was
    disturbed, and the steps on the fewest cells, which one rank has, show it: half a sum more on all ranks than on one.
    """
    shown = 2 * (together[0] - one[0])
    if cells[0] > BLOCK or seconds[-1] <= 2 * together[0] or shown <= 0:
        return seconds
    return np.minimum.accumulate(np.append(seconds[:-1], shown)[::-1])[::-1]


def fitted_latency(ranks, seconds):
    """(alpha, beta) of alpha + beta log2 R by least squares, neither negative; no allreduce, no latency."""
    doublings, seconds = np.log2(ranks[ranks > 1]), seconds[ranks > 1]
    if len(doublings) == 0:
        return 0.0, 0.0
    beta, alpha = nnls(np.column_stack([doublings, np.ones(len(doublings))]), seconds)[0]
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


def summary(machine, cells_shown):
    """The fitted model and its crossovers at the numbers of cells `cells_shown`, as lines of text."""
    lines = [
        f"hosts of {machine.host} rank{'s' if machine.host > 1 else ''}",
        f"compute    {machine.compute:.3g} cell-updates/s of a core, slabs up to {machine.cache:.3g} cells in cache",
        f"bandwidth  {machine.streaming:.3g} cell-updates/s of a core, slabs far larger",
        f"latency    {latency_in_words(machine)}",
        f"a step     {1e9 * machine.fixed:.3g} ns beside the cells; engine memory {1e9 * machine.memory_engine:.3g} ns "
        "in all",
        "         P   ranks at efficiency 1/2   quickest with ranks   speed-up   step there",
    ]
    for cells in cells_shown:
        best = machine.best_ranks(cells)
        step = float(machine.step(cells, best))
        lines.append(f"{cells:10.0e} {_up_to_most(machine.worthwhile_ranks(cells)):>25} {_up_to_most(best):>21} "
                     f"{float(machine.step(cells, 1)) / step:10.3g} {1e6 * step:9.3g} us")
    cells = machine.memory_engine_wins_from()
    if math.isinf(cells):
        return [*lines, f"engine memory is never quicker than the cells on up to {MOST_RANKS} ranks"]
    where = "at every P" if cells == 1 else f"from P = {cells} on"
    return [*lines, f"engine memory beats sweep on any number of ranks (up to {MOST_RANKS}) {where}"]


def latency_in_words(machine):
    """L(R) as a sum, and what of it is measured."""
    measured = "measured"
    if not machine.counts:
        measured = "none measured: give a file of two ranks or more"
    elif len(machine.counts) == 1:
        measured = (f"measured over {machine.counts[0]} ranks alone, which cannot tell the two apart; "
                    "give a file of four ranks or more")
    if machine.disturbed:
        measured += f"; from whole steps, as the sum alone was disturbed: {1e6 * machine.disturbed:.3g} us"
    return (f"{1e6 * machine.alpha:.3g} us + {1e6 * machine.beta:.3g} us log2(ranks) within a host ({measured}), "
            f"+ {1e6 * machine.hop:.3g} us log2(hosts) (assumed)")


def _up_to_most(ranks):
    """A number of ranks; at the end of the search a lower bound."""
    return f">={ranks}" if ranks == MOST_RANKS else str(ranks)


def scaling_figure(machine):
    """Two panels: strong scaling with the best number of ranks and engine memory, and weak scaling."""
    figure = style.figure(2, 1.25)
    for axes, draw in zip(figure.subplots(1, 2), (_draw_strong, _draw_weak)):
        draw(axes, machine)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2)
    return figure


def _draw_strong(axes, machine):
    for place, cells in enumerate(STRONG):
        colour, best = style.COLOURS[place], machine.best_ranks(cells)
        axes.loglog(RANKS, 1e6 * machine.step(cells, RANKS), style.LINES[place], color=colour,
                    label=f"P = {count(cells)}")
        if best < MOST_RANKS:
            axes.plot(best, 1e6 * machine.step(cells, best), style.MARKERS[place], color=colour)
    axes.axhline(1e6 * machine.memory_engine, color=style.GREY, linewidth=1)
    axes.annotate("engine memory, any P", (RANKS[-1], 1e6 * machine.memory_engine), (0, 4), textcoords="offset points",
                  ha="right", color=style.GREY, fontsize=10)
    axes.set(xlabel="ranks", ylabel="time of a step, µs", title="fixed P; beyond a mark more ranks do not help")
    style.label_decades(axes.xaxis, axes.yaxis)


def _draw_weak(axes, machine):
    for place, cells in enumerate(WEAK):
        efficiency = machine.step(cells, 1) / machine.step(cells * RANKS.astype(float), RANKS)
        axes.semilogx(RANKS, efficiency, style.LINES[place], color=style.COLOURS[place], label=f"P/R = {count(cells)}")
    axes.set(xlabel="ranks R", ylabel="efficiency t(P/R, 1) / t(P, R)", title="fixed cells a rank", ylim=(0, 1.1))
    style.label_decades(axes.xaxis)
