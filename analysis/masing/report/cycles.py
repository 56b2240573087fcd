"""The hysteresis cycles of a page: those of one problem in one frame over the exact one, their differences, a table."""

from collections import namedtuple
import re

import numpy as np

from masing.cycles import figures
from masing.cycles.half_cycles import reversals
from masing.cycles.polygons import segments_in_words
from masing.names import motion, names_apart, restoring_of_all
from masing.notation import cell, count, listed, measured, scientific
from masing.report.cases import curve_figure
from masing.report.problem import first_sentence, typeset
from masing.report.exact import distance
from masing.report.pictures import Picture
from masing.report.trajectories import start_of_last_cycles
from masing.results import Study
from masing.samples import drawable
from masing.style import MANY_REVERSALS

# A study's own samples run from rest; its cycle is drawn from the first of these last parts of [0, T] with a whole one.
LAST_PARTS = (0.2, 0.4, 0.6, 0.8)
# The differences of so many cycles, those of the most cells, are drawn.
MOST_DIFFERENCES = 3
# The figure of a paper, in the words of a case file.
FIGURE = re.compile(r"[Ff]igure (\d+\w?)")


class Cycle(namedtuple("Cycle", "run sample")):
    """A cycle on the page: its run, its samples (t, x, restoring) in the window, and the window in words."""
    curve = property(lambda self: self.sample[1:])
    extent = property(lambda self: self.sample[0][[0, -1]])
    window = property(lambda self: "{:.6g} ≤ t ≤ {:.6g}".format(*self.extent))
    is_long = property(lambda self: len(reversals(self.sample[1])) > MANY_REVERSALS)


def cycles_section(runs, start=None, end=None, studies=(), exact=None):
    """The template's values for the cycles of the runs, and of the finest levels of the studies against the exact
    solution, in start <= t <= end, or None.

    `together`: of each problem the Picture of the cycles of one method and window, the most there are, over the exact
    one where the ExactSolutions `exact` have it; `differences`: the Pictures of how far these are from it; `long`: those
    of records of many cycles; `rows`: the facts of each.
    """
    cycles = [Cycle(run, run.in_window(start, end)) for run in runs]
    shown = [_case(run) for run in runs]
    for study in studies:
        found = _finest(study, start, end) if study.reference == "exact" else None
        # The same trajectory is drawn once.
        if found is not None and _case(study) not in shown:
            shown.append(_case(study))
            cycles.append(found)
    if not cycles:
        return None
    beside = [_exact_of(cycle.run, exact) for cycle in cycles]
    together, differences = [], []
    # The studies' levels are in the table, and in the pictures of problems that have no other cycles.
    given = {run.problem for run in runs}
    for group in _groups([cycle for n, cycle in enumerate(cycles) if n < len(runs) or cycle.run.problem not in given]):
        behind = _exact_of(group[0].run, exact)
        together.append(_together(group, behind))
        if behind is not None:
            # A run at rest has no distance, and a logarithmic axis no zero.
            far = np.max([distance(cycle.sample, behind) for cycle in group[-MOST_DIFFERENCES:]], axis=0)
            differences += [_differences(group, behind, of) for of, most in zip("xf", far) if most > 0]
    ordinate = restoring_of_all(cycle.run for cycle in cycles)
    rows = [_row(*each) for each in zip(cycles, names_apart([cycle.run for cycle in cycles]), beside)]
    return {"together": together, "differences": differences, "long": [_long(cycle) for cycle in cycles if cycle.is_long],
            "rows": rows, "has_name": any(row["name"] for row in rows), "has_figure": any(row["figure"] for row in rows),
            "has_exact": any(run is not None for run in beside), "ordinate": typeset(ordinate), "force": ordinate,
            "forces": list(dict.fromkeys(motion(cycle.run).restoring for cycle in cycles))}


def _case(run):
    """What tells one trajectory from another: its problem, its method, P and N."""
    return run.problem, run.method, run.cells, run.steps


def _finest(study, start, end):
    """The Cycle of the study's finest level, in the last part of its time, with a whole cycle if it has one, unless a
    window is given; None where the file has no samples that can be drawn."""
    if not study.has_samples or not drawable(study.x, study.restoring).any():
        return None
    if start is None and end is None:
        # A part, not the reversal itself, so that studies of one problem have the same window.
        starts = study.t[-1] - np.array(LAST_PARTS) * (study.t[-1] - study.t[0])
        start = next((each for each in starts if each <= start_of_last_cycles(study, 1)), None)
    return Cycle(study, study.in_window(start, end))


def _exact_of(run, exact):
    """The exact Run beside a run that is none, or None."""
    return exact.get(run) if exact and run.engine != "exact" else None


def _groups(cycles):
    """Of each problem the cycles of one method and window, the most there are, by P; no long records, none twice."""
    groups = {}
    for cycle in cycles:
        if not cycle.is_long:
            of_problem = groups.setdefault(cycle.run.problem, {})
            key = cycle.run.method, cycle.run.engine == "exact", cycle.window
            of_problem.setdefault(key, {}).setdefault(_case(cycle.run), cycle)
    return [sorted(max(of_problem.values(), key=len).values(),
                   key=lambda cycle: (cycle.run.cells or np.inf, cycle.run.steps or 0)) for of_problem in groups.values()]


def _together(group, exact):
    """The Picture of the Cycles of a group in one frame, over the exact Run, if given."""
    runs, words = [cycle.run for cycle in group], "cycle" if len(reversals(group[0].curve[0])) > 1 else "arc"
    figure = figures.together(runs, exact, *group[0].extent)
    # What cannot be told from the exact one is not drawn.
    labels = [line.get_label() for line in figure.axes[0].lines if line.get_label() in figures.labels(runs)]
    caption = f"Hysteresis {words}{'s' * (len(runs) > 1)} of {_listed(labels)}"
    caption += " over the exact one, grey" if exact is not None else ""
    return Picture(f"{runs[0].path.stem}-together", figure, f"{caption}, {group[0].window}.", f"{caption}.")


def _listed(labels):
    """The labels of cycles in a sentence: `P = 3, 10 and 100`."""
    if all(label.startswith("P = ") and "," not in label for label in labels):
        return "P = " + listed(label.removeprefix("P = ") for label in labels)
    return listed(labels)


def _differences(group, exact, of):
    """The Picture of how far the Cycles of the most cells are from the exact Run, `of` "x" or "f"."""
    labels = figures.labels([cycle.run for cycle in group])
    far = listed(f"{measured(distance(cycle.sample, exact)['xf'.index(of)])} for {label}"
                 for cycle, label in list(zip(group, labels))[-MOST_DIFFERENCES:])
    name = of if of == "x" else f"f = {motion(group[0].run).restoring}"
    caption = f"Distance of {name} from the exact solution over the last two periods"
    others = labels[:-MOST_DIFFERENCES]
    caption += f"; that of {_listed(others)} is in the table." if others else "."
    figure = figures.differences([cycle.run for cycle in group], exact, of, MOST_DIFFERENCES)
    return Picture(f"{group[-1].run.path.stem}-differences-{of}", figure,
                   f"{caption} In the window of the cycles at most {far}.", caption)


def _long(cycle):
    """The Picture of a record of many cycles, coloured by time where they differ."""
    by_time = ", coloured by time" if figures.is_by_time(cycle.curve[0]) else ""
    caption = f"{cycle.run.title} ({cycle.run.path.name}), {cycle.window}{by_time}."
    figure = curve_figure(dict(zip(("t", "x", "restoring"), cycle.sample)), [("x", "restoring")], cycle.run)
    return Picture(f"{cycle.run.path.stem}-cycle", figure, f"Hysteresis cycles, {caption}", caption)


def _row(cycle, name, exact):
    (x, restoring), run = cycle.curve, cycle.run
    apart = distance(cycle.sample, exact) if exact is not None else (None, None)
    case = "" if isinstance(run, Study) else first_sentence(run)
    found = FIGURE.search(case)
    return {"name": name.replace(run.title, "").lstrip(", "), "file": f"{run.path.name}{': ' if case else ''}{case}",
            "figure": f"Fig. {found[1]}" if found else "", "cells": cell(run.cells, count), "steps": cell(run.steps, count),
            "segments": segments_in_words(x, restoring, most=3),
            "x": cell(float(np.abs(x).max()), lambda value: f"{value:#.4g}"),
            "force": cell(float(np.abs(restoring).max()), lambda value: f"{value:#.4g}"),
            "apart_x": cell(apart[0], scientific), "apart_force": cell(apart[1], scientific)}
