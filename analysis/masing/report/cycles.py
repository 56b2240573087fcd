"""Build the section of a page on hysteresis cycles, drawn over the exact ones, with their distances in a table."""

from collections import namedtuple

import numpy as np

from masing import draw
from masing.cycles.half_cycles import reversals
from masing.cycles.polygons import segments_in_words
from masing.text import cell, count, labels, listed, motion, restoring_of_all, scientific
from masing.report.exact import distance
from masing.report.pictures import Picture

# A hysteresis cycle on the page: a Run, its finite samples (t, x, restoring) in a window of time, and this window.
Cycle = namedtuple("Cycle", "run sample window")


def cycles_section(runs, start=None, end=None, exact=None):
    """Return the template's values for the section on the cycles in start <= t <= end, or None if there are none.

    A picture shows the cycles of the same problem, method and window, over the exact cycle if it is known.
    """
    samples = [run.in_window(start, end) for run in runs]
    cycles = [Cycle(run, sample, "{:.6g} ≤ t ≤ {:.6g}".format(*sample[0][[0, -1]]))
              for run, sample in zip(runs, samples)]
    if not cycles:
        return None
    beside = [_exact_of(cycle.run, exact) for cycle in cycles]
    return {"pictures": [_together(group, _exact_of(group[0].run, exact)) for group in _groups(cycles)],
            "rows": [_row(*each) for each in zip(cycles, beside)], "has_exact": any(run is not None for run in beside),
            "force": restoring_of_all(cycle.run for cycle in cycles),
            "forces": list(dict.fromkeys(motion(cycle.run).restoring for cycle in cycles))}


def _exact_of(run, exact):
    """Return the exact Run with which a run is compared; None if there is none, or if the run itself is exact."""
    return exact.get(run) if exact and run.engine != "exact" else None


def _groups(cycles):
    """Return lists of different Cycles of one problem, method and window, by numbers of cells."""
    groups = {}
    for cycle in cycles:
        run = cycle.run
        key = run.problem, run.method, run.engine == "exact", cycle.window
        groups.setdefault(key, {}).setdefault((run.cells, run.steps), cycle)
    return [sorted(group.values(), key=lambda cycle: (cycle.run.cells or np.inf, cycle.run.steps or 0))
            for group in groups.values()]


def _together(group, exact):
    """Return the Picture of the Cycles `group` in one frame, over the cycle of the Run `exact` if it is known."""
    runs, words = [cycle.run for cycle in group], "cycle" if len(reversals(group[0].sample[1])) > 1 else "arc"
    figure = draw.over_exact(runs, exact, *group[0].sample[0][[0, -1]])
    # The caption names only the cycles that are drawn.
    drawn = [line.get_label() for line in figure.axes[0].lines if line.get_label() in labels(runs)]
    caption = f"Hysteresis {words}s of {listed(drawn)}" if len(drawn) > 1 else f"Hysteresis {words} of {runs[0].path.name}"
    caption += " over the exact one, grey" if exact is not None else ""
    caption += ", with the right-hand corner magnified" if figure.axes[0].child_axes else ""
    return Picture(f"{runs[0].path.stem}-together", figure, f"{caption}, {group[0].window}.")


def _row(cycle, exact):
    (_, x, restoring), run = cycle.sample, cycle.run
    apart = distance(cycle.sample, exact) if exact is not None else (None, None)
    return {"file": run.path.name, "cells": cell(run.cells, count), "steps": cell(run.steps, count),
            "segments": segments_in_words(x, restoring),
            "x": cell(float(np.abs(x).max()), lambda value: f"{value:#.4g}"),
            "force": cell(float(np.abs(restoring).max()), lambda value: f"{value:#.4g}"),
            "apart_x": cell(apart[0], scientific), "apart_force": cell(apart[1], scientific)}
