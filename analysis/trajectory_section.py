"""The pictures of a trajectory: u(t, s) with its yield fronts, x(t) and F(t), the energy balance."""

from dataclasses import replace

import numpy as np

import configuration
from cycle import HUGE
from exact_cycle import last_cycles
from field_figure import field_figure, yielding
from motion_figure import energy_figure, motion_figure
from notation import measured
from picture import Picture

FIELD_CYCLES, MOTION_CYCLES = 2, 4
# An image has about so many columns; more fields in the file are thinned.
MOST_COLUMNS = 600


def trajectory_pictures(runs):
    """The Pictures of u, then of x and F, then of the energy, one of each run that has what they show."""
    drawable = [run for run in runs if _is_drawable(run.series)]
    return [picture for make in (field_picture, motion_picture, energy_picture)
            for run in drawable if (picture := make(run)) is not None]


def field_picture(run):
    """The Picture of u(t, s) in the last cycles; None where the run has no field over time."""
    if run.field is None or not np.all(np.abs(run.field.u) < HUGE):
        return None
    late = run.field.t >= last_cycles(run.series, FIELD_CYCLES)
    if np.count_nonzero(late) < 2:
        late[:] = True
    field = replace(run.field, t=run.field.t[late], u=run.field.u[late])
    share = yielding(field).mean(axis=1)
    window = _window(field.t)
    facts = (f"At most {share.max():.0%} of the cells yield at once".replace("%", " %")
             + f", and none do in {np.mean(share == 0):.0%} of the time shown.".replace("%", " %"))
    every = -(-len(field.t) // MOST_COLUMNS)
    return Picture(f"{run.path.stem}-u", field_figure(replace(field, t=field.t[::every], u=field.u[::every])),
                   f"Image of the elongations u over time t and s, {window}, {named(run)}. {facts}",
                   f"{named(run, True)}: u(t, s), {window}. Dotted areas yield, |u| = η; "
                   f"the lines around them are the yield fronts. {facts}")


def motion_picture(run):
    """The Picture of x(t) and F(t)."""
    series = run.series
    start = last_cycles(series, MOTION_CYCLES)
    late = series.x[series.t >= start]
    facts = (f"x is in [{measured(series.x.min(), 4)}, {measured(series.x.max(), 4)}], in the last cycles in "
             f"[{measured(late.min(), 4)}, {measured(late.max(), 4)}].")
    shown = "x(t)" if series.force is None else "x(t) and F(t)"
    return Picture(f"{run.path.stem}-motion", motion_figure(series, start),
                   f"Displacement x{' and force F' if series.force is not None else ''} over time, {named(run)}. {facts}",
                   f"{named(run, True)}: {shown}; last cycles, {_window(series.t[series.t >= start])}. {facts}")


def energy_picture(run):
    """The Picture of the energy balance; None where the run has none."""
    energy, t = run.energy, run.series.t
    if energy is None or not np.all(np.isfinite(energy.residual)):
        return None
    lacking = np.abs(energy.residual).max()
    work = np.abs(energy.input).max()
    share = f", {measured(lacking / work)} of the largest work" if work > 0 else ""
    facts = (f"Work of F over all samples {measured(energy.input[-1], 4)}, dissipated "
             f"{measured(energy.dissipated[-1], 4)}; the balance lacks at most {measured(lacking)}{share}.")
    return Picture(f"{run.path.stem}-energy", energy_figure(t, energy, last_cycles(run.series, MOTION_CYCLES)),
                   f"Energy over time, {named(run)}. {facts}",
                   f"{named(run, True)}: work = dissipated + what the kinetic and elastic energy gained, with integrals "
                   f"over the steps. {facts}")


def named(run, starts=False):
    """What the page calls a trajectory: the exact solution, or its title and its file."""
    if run.made_by or run.settings.get("engine") == "exact":
        cells = configuration.size(run.settings, "cells")
        words = "the exact solution" + (f" of P = {cells} cells" if cells else "")
        words += "" if run.made_by else f" ({run.path.name})"
    else:
        words = f"{configuration.title(run)} ({run.path.name})"
    return words[0].upper() + words[1:] if starts else words


def _is_drawable(series):
    return len(series.t) > 1 and bool(np.all(np.abs(series.x) < HUGE)) and bool(np.all(np.diff(series.t) > 0))


def _window(t):
    return f"{t[0]:.4g} ≤ t ≤ {t[-1]:.4g}"
