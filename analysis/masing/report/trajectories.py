"""The pictures of a trajectory: u(t, s) with its yield fronts, x(t) and F(t), the energy balance."""

from dataclasses import replace

import numpy as np

from masing import style
from masing.cycles.half_cycles import reversals
from masing.notation import measured, percent
from masing.report.pictures import Picture

FIELD_CYCLES, MOTION_CYCLES = 2, 4
# An image has about this many columns; more fields in the file are thinned.
MOST_COLUMNS = 600
# Blue to red through white, which the colour-blind can tell apart; yielding has a line and hatching besides.
COLOUR_MAP = "RdBu_r"
# A cell is at its yield displacement when it is this near to it.
AT_YIELD = 1e-9
TIME = "time t"


def trajectory_pictures(runs):
    """The Pictures of u, then of x and F, then of the energy, one of each run that has what they show."""
    drawable = [run for run in runs if _is_drawable(run.series)]
    return [picture for make in (field_picture, motion_picture, energy_picture)
            for run in drawable if (picture := make(run)) is not None]


def field_picture(run):
    """The Picture of u(t, s) in the last cycles; None where the run has no field over time."""
    if run.field is None or not style.drawable(run.field.u).all():
        return None
    late = run.field.t >= start_of_last_cycles(run.series, FIELD_CYCLES)
    if np.count_nonzero(late) < 2:
        late[:] = True
    field = replace(run.field, t=run.field.t[late], u=run.field.u[late])
    share = _is_yielding(field).mean(axis=1)
    facts = (f"At most {percent(share.max())} of the cells yield at once; none do in "
             f"{percent(np.mean(share == 0))} of the time shown.")
    every = -(-len(field.t) // MOST_COLUMNS)
    return _picture(run, "u", _field_figure(replace(field, t=field.t[::every], u=field.u[::every])),
                    f"Image of the elongations u over time t and s, {_window(field.t)}",
                    "u(t, s).", facts, "Elongations are dotted where they yield, |u| = η; lines are the yield fronts.")


def motion_picture(run):
    """The Picture of x(t) and F(t)."""
    series = run.series
    start = start_of_last_cycles(series, MOTION_CYCLES)
    late = series.x[series.t >= start]
    ranges = [f"[{measured(x.min(), 4)}, {measured(x.max(), 4)}]" for x in (series.x, late)]
    facts = f"x is in {', in the last cycles in '.join(dict.fromkeys(ranges))}."
    known = series.force is not None
    return _picture(run, "motion", _motion_figure(series, start),
                    f"Displacement x{' and force F' if known else ''} over time",
                    f"x(t){' and F(t)' if known else ''}.", facts)


def energy_picture(run):
    """The Picture of the energy balance; None where the run has none."""
    energy, t = run.energy, run.series.t
    if energy is None or not np.all(np.isfinite(energy.residual)):
        return None
    lacking = np.abs(energy.residual).max()
    work = np.abs(energy.input).max()
    share = f", balanced to {measured(lacking / work)} of the largest work" if work > 0 else ""
    damped = "" if energy.viscous is None else f" by sliding and {measured(energy.viscous[-1], 4)} by damping"
    facts = (f"dissipated {measured(energy.dissipated[-1], 4)}{damped}; "
             f"the balance lacks at most {measured(lacking)}.")
    return _picture(run, "energy", _energy_figure(t, energy, start_of_last_cycles(run.series, MOTION_CYCLES)),
                    f"Energy over time{share}", f"work of F {measured(energy.input[-1], 4)},", facts,
                    "In the balance the work of F is what is dissipated and what is gained.")


def _picture(run, kind, figure, alt, caption, facts, legend=""):
    """A Picture of a run; its `legend` explains all pictures of its kind."""
    return Picture(f"{run.path.stem}-{kind}", figure, f"{alt}, {trajectory_name(run)}. {facts}",
                   f"{trajectory_name(run, capital=True)}: {caption} {facts}", {"legend": legend})


def trajectory_name(run, capital=False):
    """The name of a trajectory on the page: the exact solution, or its title and its file."""
    if run.made_by or run.engine == "exact":
        words = "the exact solution" + (f" of P = {run.cells} cells" if run.cells else "")
        words += "" if run.made_by else f" ({run.path.name})"
    else:
        words = f"{run.title} ({run.path.name})"
    return words[0].upper() + words[1:] if capital else words


def start_of_last_cycles(series, wanted):
    """The time from which the samples hold the last `wanted` cycles of x, by its reversals; their start if fewer."""
    turns = reversals(series.x)
    return float(series.t[turns[-2 * wanted - 1]]) if len(turns) > 2 * wanted else float(series.t[0])


def _is_drawable(series):
    return len(series.t) > 1 and bool(style.drawable(series.x).all()) and bool(np.all(np.diff(series.t) > 0))


def _window(t):
    return f"{t[0]:.4g} ≤ t ≤ {t[-1]:.4g}"


def _is_yielding(field):
    """Which cells are at their yield displacement in either direction, [times, places]."""
    down = field.eta if field.eta_down is None else field.eta_down
    near = AT_YIELD * np.maximum(field.eta, down)
    return (field.u >= field.eta - near) | (field.u <= near - down)


def _field_figure(field):
    """The image of u over t and s, with a line around where |u| = η."""
    figure = style.figure(1.25, 1.25)
    axes = figure.add_subplot()
    most = float(np.abs(field.u).max()) or 1.0
    # Rasterized: a mesh of rectangles would be megabytes of a vector file.
    mesh = axes.pcolormesh(field.t, field.s, field.u.T, cmap=COLOUR_MAP, vmin=-most, vmax=most, shading="nearest",
                           rasterized=True)
    at_yield = _is_yielding(field)
    if at_yield.any() and not at_yield.all():
        axes.contour(field.t, field.s, at_yield.T.astype(float), levels=[0.5], colors="black", linewidths=1.0)
        axes.contourf(field.t, field.s, at_yield.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=[".."])
    figure.colorbar(mesh, ax=axes, label="elongation u(t, s)", orientation="horizontal", aspect=40)
    style.label_values(axes.xaxis, axes.yaxis)
    axes.grid(False)
    axes.set(xlabel="time t", ylabel="s")
    return figure


def _motion_figure(series, start):
    """x(t) over all samples, and x(t) and F(t) from `start` on."""
    late = series.t >= start
    rows = [(series.t, series.x, "x, all samples"), (series.t[late], series.x[late], "x, last cycles")]
    if series.force is not None:
        rows.append((series.t[late], series.force[late], "F, last cycles"))
    figure, frames = _stacked(len(rows))
    for n, (axes, (t, values, label)) in enumerate(zip(frames, rows)):
        axes.plot(*style.thinned(t, values), color=style.COLOURS[n // 2], linewidth=0.9 if n == 0 else None, label=label)
        style.label_values(axes.xaxis, axes.yaxis)
        axes.set(ylabel=label, xlim=(t[0], t[-1]))
    frames[-1].set(xlabel=TIME)
    return figure


def _energy_figure(t, energy, start):
    """The work of F and the dissipated energy over all samples, what is stored from `start` on, and the residual."""
    late = t >= start
    figure, (work, stored, lacking) = _stacked(3)
    taken = (("dissipated", energy.dissipated),) if energy.viscous is None else (
        ("by sliding", energy.dissipated), ("by damping", energy.viscous))
    _lines(work, t, (("work of F", energy.input), *taken))
    _lines(stored, t[late], (("kinetic", energy.kinetic[late]), ("elastic", energy.elastic[late])))
    lacking.plot(*style.thinned(t, energy.residual), color=style.COLOURS[4], linewidth=0.9, label="lacking")
    style.label_values(lacking.xaxis, lacking.yaxis)
    lacking.set(xlabel=TIME, ylabel="lacking", xlim=(t[0], t[-1]))
    return figure


def _lines(axes, t, curves):
    for n, (label, values) in enumerate(curves):
        axes.plot(*style.thinned(t, values), style.LINES[n], color=style.COLOURS[n], label=label)
    style.label_values(axes.xaxis, axes.yaxis)
    axes.set(ylabel="energy", xlim=(t[0], t[-1]))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 0.98), ncol=2, borderaxespad=0)


def _stacked(rows):
    figure = style.figure(1.25, 0.55 * rows)
    return figure, np.atleast_1d(figure.subplots(rows, 1))
