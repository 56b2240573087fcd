"""The figure of predicted scaling: a step's time for fixed P, and the efficiency for fixed cells a rank."""

import numpy as np

from masing import style
from masing.notation import count
from masing.scaling.model import MOST_RANKS

STRONG = (10**4, 10**6, 10**8, 10**10)
WEAK = (10**4, 10**5, 10**6, 10**7)
RANKS = np.unique(np.round(np.geomspace(1, MOST_RANKS, 400)).astype(np.int64))


def scaling_figure(machine):
    """Two panels: strong scaling with the best number of ranks and engine memory, and weak scaling."""
    figure = style.figure(2, 1.25)
    _draw_strong(figure.add_subplot(1, 2, 1), machine)
    _draw_weak(figure.add_subplot(1, 2, 2), machine)
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
    _legend(axes)
    style.label_decades(axes.xaxis, axes.yaxis)


def _draw_weak(axes, machine):
    for place, cells in enumerate(WEAK):
        efficiency = machine.step(cells, 1) / machine.step(cells * RANKS.astype(float), RANKS)
        axes.semilogx(RANKS, efficiency, style.LINES[place], color=style.COLOURS[place], label=f"P/R = {count(cells)}")
    axes.set(xlabel="ranks R", ylabel="efficiency t(P/R, 1) / t(P, R)", title="fixed cells a rank", ylim=(0, 1.1))
    _legend(axes)
    style.label_decades(axes.xaxis)


def _legend(axes):
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2)
