"""A model of the time that a step of scheme euler takes on many ranks.

The model is fitted to a benchmark file and drawn in a figure.

The cells of a slab are distributed over R ranks in whole blocks of 1024 cells; in this module `slab` is n, the largest
number of cells of a rank. A step of P cells on R ranks takes the time

    t(P, R) = f + c(n) + L(R)/2

Here f is the time of the arithmetic that does not depend on the number of cells, such as the forcing. c(n) is the time
in which a rank updates n cells, and L(R) is the latency of an allreduce. L(R) is divided by 2, because two steps of
scheme euler need one allreduce. The formulas of c(n) and L(R) are

    c(n) = n (h/compute + (1 - h)/streaming),   h = min(1, cache/n)
    L(R) = alpha + beta log2 R               within a host; alpha and beta are fitted
         = L(host) + hop log2(R/host)        on several hosts of `host` ranks each; hop is assumed, not measured

where h is the fraction of the n cells that a core's share of the cache holds.
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
# memory_engine_wins_from() searches only numbers of cells below this one.
MOST_CELLS = 10**15
# The figure shows strong scaling for these values of P and weak scaling for these values of P/R, each over R.
STRONG, WEAK = (10**4, 10**6, 10**8, 10**10), (10**4, 10**5, 10**6, 10**7)
# Dotted lines are drawn in black, because they would be pale in the other colours.
COLOURS = (*style.COLOURS[:3], style.COLOURS[4])
RANKS = np.unique(np.round(np.geomspace(1, MOST_RANKS, 400)).astype(np.int64))


@dataclass(frozen=True)
class Machine:
    """The parameters of the model for one cluster. The rate `compute` is measured on one core while the others are
    idle, and `streaming` while all ranks are busy."""

    fixed: float    # f, in seconds per step
    compute: float  # cell updates per second of a core whose cells are in cache
    streaming: float  # cell updates per second of a core whose cells are streamed from RAM
    cache: float    # the number of cells that a core's share of the cache holds
    alpha: float    # the part of the latency within a host that does not depend on the number of ranks, in seconds
    beta: float     # the increase of this latency for each doubling of the ranks, in seconds
    host: int       # the number of ranks of a host
    hop: float      # the increase of the latency for each doubling of the hosts, in seconds
    memory_engine: float  # the time of a step of engine memory including the forcing, in seconds
    counts: tuple   # the numbers of ranks larger than one for which the file contains the time of an allreduce
    disturbed: float = 0.0  # the time of the allreduce over all ranks in the file if it was disturbed, in seconds

    def slab(self, cells, ranks):
        """Return n, the largest number of cells of a rank. The cells are distributed in whole blocks, of which only the
        last one may be smaller than BLOCK."""
        blocks = np.ceil(np.asarray(cells, dtype=float) / BLOCK)
        return np.minimum(cells, np.ceil(blocks / ranks) * BLOCK)

    def work(self, slab):
        """Return c(n), the time in seconds in which a rank updates n = `slab` cells in a step."""
        cached = np.minimum(1.0, self.cache / slab)
        return slab * (cached / self.compute + (1 - cached) / self.streaming)

    def latency(self, ranks):
        """Return L(R), the latency of an allreduce in seconds; it is 0 on one rank."""
        ranks = np.asarray(ranks, dtype=float)
        inside = self.alpha + self.beta * np.log2(np.clip(ranks, 1, self.host))
        beyond = self.hop * np.log2(np.maximum(ranks / self.host, 1))
        return np.where(ranks > 1, inside * (np.minimum(ranks, self.host) > 1) + beyond, 0.0)

    def step(self, cells, ranks):
        """Return t(P, R), the time in seconds of a step of engine sweep with scheme euler."""
        return self.fixed + self.work(self.slab(cells, ranks)) + self.latency(ranks) / 2

    def best_ranks(self, cells):
        """Return the number of ranks among useful_ranks(cells) on which a step with this number of cells takes the
        shortest time."""
        ranks = useful_ranks(cells)
        return int(ranks[np.argmin(self.step(cells, ranks))])

    def worthwhile_ranks(self, cells):
        """Return the largest worthwhile number of ranks for this number of cells.

        It is the smaller of two numbers: best_ranks(cells), and the largest number among useful_ranks(cells) with a
        parallel efficiency of at least one half.
        """
        ranks = useful_ranks(cells)
        good = self.step(cells, 1) / (ranks * self.step(cells, ranks)) >= 0.5
        return min(int(ranks[good].max()), self.best_ranks(cells))

    def memory_engine_wins_from(self):
        """Return the number of cells P from which on engine memory is faster than engine sweep.

        From this P on, a step of engine memory takes less time than a step of engine sweep on best_ranks(P) ranks. The
        search assumes that it takes longer for all smaller P. If there is no such P below MOST_CELLS, inf is returned.
        """
        cells = range(1, MOST_CELLS)
        place = bisect_left(cells, True, key=lambda each: self.step(each, self.best_ranks(each)) > self.memory_engine)
        return cells[place] if place < len(cells) else math.inf


def useful_ranks(cells):
    """Return the numbers of ranks whose times are compared. They are at most MOST_RANKS, and at most the number of
    blocks into which the cells are divided.

    The result contains all numbers up to 64, and up to 2000 numbers in geometric progression. Neighbouring numbers are
    so close to each other that the shortest time of a step on one of them is within one percent of the shortest time on
    any number of ranks.
    """
    last = int(max(1, min(MOST_RANKS, np.ceil(cells / BLOCK))))
    dense = np.unique(np.round(np.geomspace(1, last, 2000)).astype(np.int64))
    return np.unique(np.r_[np.arange(1, min(last, 64) + 1), dense])


class Benchmark(Result):
    """A result file of the command masing benchmark."""

    kinds = ("benchmark",)

    def times(self, *names):
        """Return the datasets with these names; raises MasingError if a dataset is empty or has a number that is not
        finite and positive."""
        found = [self[name] for name in names]
        if any(len(each) == 0 or not np.all(np.isfinite(each) & (each > 0)) for each in found):
            raise MasingError(f"{self.path}: holds times that are not positive; make it again with masing benchmark")
        return found

    def number(self, group, name):
        """Return the attribute `name` of a group; raises MasingError unless this is a finite number that is not
        negative."""
        value = self.attributes(group).get(name)
        if not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            raise MasingError(f"{self.path}: lacks the number '{name}'; make it again with masing benchmark")
        return value


def read_machine(path, hop, host=None):
    """Return the Machine that a benchmark file describes.

    `hop` is the assumed increase of the latency in seconds for each doubling of the hosts, and `host` is the number of
    ranks of a host, by default that of the file. Raises MasingError if the file is not a benchmark file or is
    incomplete.
    """
    file = Benchmark(path)
    kernel = "kernel/{}/both/{}"
    cells, one, together, traffic, ranks, seconds, look_up = file.times(
        "kernel/cells", kernel.format("one_rank", "seconds_per_step"), kernel.format("all_ranks", "seconds_per_step"),
        kernel.format("one_rank", "bytes_per_update"), "latency/ranks", "latency/seconds", "memory/seconds_per_step")
    all_ranks, hosts, cores, cache_bytes, bandwidth = (file.number("machine", name) for name in (
        "ranks", "hosts", "cores", "cache_bytes", "update_bandwidth_all_ranks"))
    forcing, three_cells = (file.number("step", name) for name in ("forcing_seconds", "three_cells_seconds"))
    # The bytes of a cell in RAM. One loop over the cells computes two steps; it reads all data of a cell and writes the
    # 8 bytes of u.
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
    """Return the times of the allreduces in seconds, corrected if the measurement on all ranks was disturbed.

    `seconds` are the measured times for increasing numbers of ranks, of which the last one is for all ranks. `one` and
    `together` are the times of a step on one rank and on all ranks for the numbers of cells `cells`.

    The allreduce on all ranks was disturbed if half of its time is longer than a whole step on all ranks with the
    smallest number of cells. If this number is at most one block, all cells are on one rank. A step on all ranks then
    takes only half an allreduce longer than a step on one rank. Twice this difference replaces the disturbed time, and
    every longer time for fewer ranks. If the number is larger than a block, the times are returned unchanged.
    """
    shown = 2 * (together[0] - one[0])
    if cells[0] > BLOCK or seconds[-1] <= 2 * together[0] or shown <= 0:
        return seconds
    return np.minimum.accumulate(np.append(seconds[:-1], shown)[::-1])[::-1]


def fitted_latency(ranks, seconds):
    """Fit the latency alpha + beta log2 R to the measured times `seconds` for R = `ranks` by least squares, and return
    (alpha, beta).

    Neither alpha nor beta is negative. Both are 0 if there is no measurement on more than one rank.
    """
    doublings, seconds = np.log2(ranks[ranks > 1]), seconds[ranks > 1]
    if len(doublings) == 0:
        return 0.0, 0.0
    beta, alpha = nnls(np.column_stack([doublings, np.ones(len(doublings))]), seconds)[0]
    return float(alpha), float(beta)


def compute_rate(cells, seconds, cache):
    """Return the cell updates per second of a core whose cells are in cache.

    A line is fitted to the times of a step for those numbers of cells that fill at most half of the cache. The slope of
    the line is the time of one cell update, because the rest of a step does not depend on the number of cells. If fewer
    than two such numbers were measured, or if a coefficient of the line is not positive, a measured number of cells
    divided by the time of its step is returned.
    """
    inside = cells <= max(cache / 2, cells.min())
    n, t = cells[inside], seconds[inside]
    if len(n) < 2:
        return float(n[-1] / t[-1])
    # The residuals are relative, so that each number of cells P has the same weight.
    slope, fixed = np.linalg.lstsq(np.c_[n, np.ones(len(n))] / t[:, None], np.ones(len(n)), rcond=None)[0]
    return float(1 / slope) if fixed > 0 and slope > 0 else float(np.max(n / t))


def streaming_rate(cells, seconds, ranks, cache, bandwidth, footprint):
    """Return the cell updates per second of a rank while all ranks stream their cells from RAM.

    If at the largest measured P each rank has more than four times as many cells as its share of the cache holds, the
    rate measured there is returned. Otherwise the rate is computed from the measured bandwidth.
    """
    if cells[-1] / ranks > 4 * cache:
        return float(cells[-1] / seconds[-1] / ranks)
    # One loop over the cells computes two steps; it reads all data of a cell and writes the 8 bytes of u.
    return float(2 * bandwidth / (footprint + 8) / ranks)


def summary(machine, cells_shown):
    """Return the fitted model, and the best number of ranks for each P in `cells_shown`, as lines of text."""
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
    """Return the formula of the latency L(R) as a text, which also says which parts of it are measured."""
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
    """Return a number of ranks as text. MOST_RANKS is written with `>=`, because larger numbers were not compared and
    may be better."""
    return f">={ranks}" if ranks == MOST_RANKS else str(ranks)


def scaling_figure(machine):
    """Return a figure with two panels one below the other, which show strong scaling and weak scaling.

    The panel of strong scaling also shows the time of a step of engine memory and, for each P, the best number of ranks
    if this is less than MOST_RANKS.
    """
    figure = style.figure(1, 2.7)
    for axes, draw in zip(figure.subplots(2, 1), (_draw_strong, _draw_weak)):
        draw(axes, machine)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2)
    return figure


def _draw_strong(axes, machine):
    for place, cells in enumerate(STRONG):
        colour, best = COLOURS[place], machine.best_ranks(cells)
        axes.loglog(RANKS, 1e6 * machine.step(cells, RANKS), style.LINES[place], color=colour,
                    label=f"P = {count(cells)}")
        if best < MOST_RANKS:
            axes.plot(best, 1e6 * machine.step(cells, best), style.MARKERS[place], color=colour)
    axes.axhline(1e6 * machine.memory_engine, color=style.GREY, linewidth=1)
    axes.annotate("engine memory, any P", (RANKS[-1], 1e6 * machine.memory_engine), (0, 4), textcoords="offset points",
                  ha="right", color=style.GREY, fontsize=10)
    axes.set(xlabel="ranks", ylabel="time of a step, µs", title="fixed P; beyond a mark\nmore ranks do not help")
    style.label_decades(axes.xaxis, axes.yaxis)


def _draw_weak(axes, machine):
    for place, cells in enumerate(WEAK):
        efficiency = machine.step(cells, 1) / machine.step(cells * RANKS.astype(float), RANKS)
        axes.semilogx(RANKS, efficiency, style.LINES[place], color=COLOURS[place], label=f"P/R = {count(cells)}")
    axes.set(xlabel="ranks R", ylabel="efficiency t(P/R, 1) / t(P, R)", title="fixed cells a rank", ylim=(0, 1.1))
    style.label_decades(axes.xaxis)
