"""The work-precision figure: error over cost in log-log axes, one line per study."""

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.figure import Figure

from log_axes import label_decades, visible


def work_figure(drawn, label):
    """Error of x over a cost called `label`; drawn = [(work_precision.Line, cost [levels]), ...].

    A line joins the efficient levels of one study, the filled points. The papers' finest case has a ring. Levels
    without a cost are left out.
    """
    figure = Figure(figsize=(style.PANEL[0], style.PANEL[1] * (1 + 0.07 * len(drawn))))
    axes = figure.add_subplot(xscale="log", yscale="log")
    for n, (line, cost) in enumerate(drawn):
        keep = visible(cost, line.errors)
        marker, colour = style.MARKERS[n % len(style.MARKERS)], style.COLOURS[n % len(style.COLOURS)]
        dashes = style.LINES[n % len(style.LINES)]
        axes.plot(cost[keep], line.errors[keep], marker, color=colour, markerfacecolor="white", markeredgewidth=1.4)
        best = efficient(cost[keep], line.errors[keep])
        axes.plot(cost[keep][best], line.errors[keep][best], dashes, marker=marker, color=colour, label=line.label)
        if line.finest is not None and keep[line.finest]:
            axes.plot(cost[line.finest], line.errors[line.finest], "o", markersize=14, markerfacecolor="none",
                      markeredgecolor="black", markeredgewidth=1.2)
    axes.margins(0.12)
    label_decades(axes)
    axes.set(xlabel=label, ylabel="maximal error of x")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=1)
    return figure


def efficient(cost, errors):
    """The indices of the points that no other one beats in both cost and error, by rising cost."""
    chosen, least = [], np.inf
    for n in np.lexsort((errors, cost)):
        if errors[n] < least:
            chosen.append(n)
            least = errors[n]
    return np.array(chosen, dtype=int)
