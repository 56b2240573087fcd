"""The figures of a trajectory over time: x and F, and the energy balance; data in, matplotlib Figure out."""

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.figure import Figure

TIME = "time t"


def motion_figure(series, start):
    """x(t) over all samples, and x(t) and F(t) from `start` on."""
    late = series.t >= start
    rows = [(series.t, series.x, "x, all samples"), (series.t[late], series.x[late], "x, last cycles")]
    if series.force is not None:
        rows.append((series.t[late], series.force[late], "F, last cycles"))
    figure, frames = _stacked(len(rows))
    for n, (axes, (t, values, label)) in enumerate(zip(frames, rows)):
        axes.plot(t, values, color=style.COLOURS[n // 2], linewidth=0.9 if n == 0 else None)
        axes.set(ylabel=label, xlim=(t[0], t[-1]))
    frames[-1].set(xlabel=TIME)
    return figure


def energy_figure(t, energy, start):
    """The work of F and what is dissipated over all samples, what is stored from `start` on, and what the balance lacks."""
    late = t >= start
    figure, (work, stored, lacking) = _stacked(3)
    _lines(work, t, (("work of F", energy.input), ("dissipated", energy.dissipated)))
    _lines(stored, t[late], (("kinetic", energy.kinetic[late]), ("elastic", energy.elastic[late])))
    lacking.plot(t, energy.residual, color=style.COLOURS[4], linewidth=0.9)
    lacking.ticklabel_format(axis="y", style="sci", scilimits=(0, 0), useMathText=True)
    lacking.set(xlabel=TIME, ylabel="lacking", xlim=(t[0], t[-1]))
    return figure


def _lines(axes, t, curves):
    for n, (label, values) in enumerate(curves):
        axes.plot(t, values, style.LINES[n], color=style.COLOURS[n], label=label)
    axes.set(ylabel="energy", xlim=(t[0], t[-1]))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 0.98), ncol=2, borderaxespad=0)


def _stacked(rows):
    figure = Figure(figsize=(1.25 * style.PANEL[0], 0.55 * rows * style.PANEL[1]))
    return figure, np.atleast_1d(figure.subplots(rows, 1))
