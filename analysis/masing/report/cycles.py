"""Build the section of a page on hysteresis cycles.

For each problem the section shows the cycles in one frame. If the exact solution is known, the exact cycle is drawn
behind them, and the differences from it are shown in further figures. A table lists all cycles.
"""

from collections import namedtuple
import re

import numpy as np

from masing.cycles import figures
from masing.cycles.half_cycles import reversals
from masing.cycles.polygons import segments_in_words
from masing.text import cell, count, listed, measured, motion, names_apart, restoring_of_all, scientific
from masing.report.cases import curve_figure
from masing.report.problem import first_sentence, typeset
from masing.report.exact import distance
from masing.report.pictures import Picture
from masing.results import Study
from masing.samples import drawable
from masing.style import MANY_REVERSALS

# The samples of a study begin at its initial state, which is in general not on the cycle that the motion approaches. A
# study is therefore drawn only over the last part of the time interval [0, T]. The length of this part is the first of
# these fractions of T with which the part contains a whole cycle.
LAST_PARTS = (0.2, 0.4, 0.6, 0.8)
# This regular expression matches the number of a paper's figure in the comment of a case file, or in a file's name such
# as cycle-fig06.
FIGURE = re.compile(r"(?:[Ff]igure |-fig0?)(\d+\w?)")


class Cycle(namedtuple("Cycle", "run sample")):
    """A hysteresis cycle on the page.

    `run` is its Run or Study, and `sample` the finite samples (t, x, restoring) of the run in a window of time. `curve`
    is (x, restoring), `extent` the times of the first and the last sample, and `window` the same interval as a text.
    `is_long` says whether x has more than MANY_REVERSALS reversals.
    """
    curve = property(lambda self: self.sample[1:])
    extent = property(lambda self: self.sample[0][[0, -1]])
    window = property(lambda self: "{:.6g} ≤ t ≤ {:.6g}".format(*self.extent))
    is_long = property(lambda self: len(reversals(self.sample[1])) > MANY_REVERSALS)


def cycles_section(runs, start=None, end=None, studies=(), exact=None):
    """Return the template's values for the section on the cycles in the window start <= t <= end, or None if there are
    no cycles.

    There is a cycle for each run, and for the finest level of each study whose reference is the exact solution, unless
    a run has the same trajectory. `together` are Pictures of each problem's largest group of cycles with the same
    method and window, over the exact cycle if it is in the ExactSolutions `exact`; `differences` are those of the
    differences from it, and `long` those of curves with more than MANY_REVERSALS reversals.
    """
    cycles = [Cycle(run, run.in_window(start, end)) for run in runs]
    shown = [_case(run) for run in runs]
    for study in studies:
        found = _finest(study, start, end) if study.reference == "exact" else None
        # If a run on the page has the same trajectory as the study, the study adds no cycle.
        if found is not None and _case(study) not in shown:
            shown.append(_case(study))
            cycles.append(found)
    if not cycles:
        return None
    beside = [_exact_of(cycle.run, exact) for cycle in cycles]
    together, differences = [], []
    # If there are runs, the cycles of studies are in the table, but not in the pictures.
    for group in _groups(cycles[:len(runs)] or cycles):
        behind = _exact_of(group[0].run, exact)
        together.append(_together(group, behind))
        if behind is not None:
            # If the cycles are equal to the exact one, as for runs at rest, no picture of the differences is drawn,
            # because it would show nothing.
            far = np.max([distance(cycle.sample, behind) for cycle in group[-figures.MOST_DIFFERENCES:]], axis=0)
            differences += [_differences(group, behind, of) for of, most in zip("xf", far) if most > 0]
    ordinate = restoring_of_all(cycle.run for cycle in cycles)
    rows = [_row(*each) for each in zip(cycles, names_apart([cycle.run for cycle in cycles]), beside)]
    return {"together": together, "differences": differences, "long": [_long(cycle) for cycle in cycles if cycle.is_long],
            "rows": rows, "has_name": any(row["name"] for row in rows), "has_figure": any(row["figure"] for row in rows),
            "has_exact": any(run is not None for run in beside), "ordinate": typeset(ordinate), "force": ordinate,
            "forces": list(dict.fromkeys(motion(cycle.run).restoring for cycle in cycles))}


def _case(run):
    """Return the values that identify a trajectory: its problem, its method, and its numbers of cells and steps."""
    return run.problem, run.method, run.cells, run.steps


def _finest(study, start, end):
    """Return the Cycle of the finest level of a study, or None if its file has no samples that can be drawn.

    If neither `start` nor `end` is given, the Cycle has the samples of the last part of [0, T] (see LAST_PARTS). If no
    such part contains a whole cycle, it has all samples.
    """
    if not study.has_samples or not drawable(study.x, study.restoring).any():
        return None
    if start is None and end is None:
        # The window begins at a fixed fraction of T and not at a reversal, so that studies of one problem have the same
        # window.
        starts = study.t[-1] - np.array(LAST_PARTS) * (study.t[-1] - study.t[0])
        start = next((each for each in starts if each <= figures.start_of_last_cycles(study, 1)), None)
    return Cycle(study, study.in_window(start, end))


def _exact_of(run, exact):
    """Return the exact Run with which a run is to be compared; return None if there is no exact Run, or if the run
    itself is exact."""
    return exact.get(run) if exact and run.engine != "exact" else None


def _groups(cycles):
    """Return for each problem the largest group of Cycles with the same method and the same window.

    Each group is sorted by the number of cells. Curves with more than MANY_REVERSALS reversals are left out. If a
    trajectory occurs several times, only its first Cycle is used.
    """
    groups = {}
    for cycle in cycles:
        if not cycle.is_long:
            of_problem = groups.setdefault(cycle.run.problem, {})
            key = cycle.run.method, cycle.run.engine == "exact", cycle.window
            of_problem.setdefault(key, {}).setdefault(_case(cycle.run), cycle)
    return [sorted(max(of_problem.values(), key=len).values(),
                   key=lambda cycle: (cycle.run.cells or np.inf, cycle.run.steps or 0)) for of_problem in groups.values()]


def _together(group, exact):
    """Return the Picture that shows the Cycles `group` in one frame. If the Run `exact` is not None, its cycle is drawn
    behind them."""
    runs, words = [cycle.run for cycle in group], "cycle" if len(reversals(group[0].curve[0])) > 1 else "arc"
    figure = figures.together(runs, exact, *group[0].extent)
    # figures.together() omits cycles that look the same as the exact one, except the nearest of them. The caption names
    # only the cycles that are drawn.
    labels = [line.get_label() for line in figure.axes[0].lines if line.get_label() in figures.labels(runs)]
    caption = f"Hysteresis {words}{'s' * (len(runs) > 1)} of {_listed(labels)}"
    caption += " over the exact one, grey" if exact is not None else ""
    return Picture(f"{runs[0].path.stem}-together", figure, f"{caption}, {group[0].window}.", f"{caption}.")


def _listed(labels):
    """Return the labels of cycles as a list within a sentence, such as `P = 3, 10 and 100`."""
    if all(label.startswith("P = ") and "," not in label for label in labels):
        return "P = " + listed(label.removeprefix("P = ") for label in labels)
    return listed(labels)


def _differences(group, exact, of):
    """Return the Picture of the differences between the exact Run and those Cycles of `group` that have the most cells.

    It shows the differences of x if `of` is "x", and those of the restoring force if `of` is "f".
    """
    labels = figures.labels([cycle.run for cycle in group])
    far = listed(f"{measured(distance(cycle.sample, exact)['xf'.index(of)])} for {label}"
                 for cycle, label in list(zip(group, labels))[-figures.MOST_DIFFERENCES:])
    name = of if of == "x" else f"f = {motion(group[0].run).restoring}"
    figure = figures.differences([cycle.run for cycle in group], exact, of)
    start, end = figure.axes[-1].get_xlim()
    caption = f"Difference of {name} from the exact solution in {start:.6g} ≤ t ≤ {end:.6g}"
    caption += ", each on its own scale" * (len(labels) > 1)
    others = labels[:-figures.MOST_DIFFERENCES]
    caption += f"; that of {_listed(others)} is in the table." if others else "."
    return Picture(f"{group[-1].run.path.stem}-differences-{of}", figure,
                   f"{caption} In {group[0].window} at most {far}.", caption)


def _long(cycle):
    """Return the Picture of a Cycle whose curve consists of many cycles. The curve is coloured by time if the range of
    these cycles changes."""
    by_time = ", coloured by time" if figures.is_by_time(cycle.curve[0]) else ""
    caption = f"{cycle.run.title} ({cycle.run.path.name}), {cycle.window}{by_time}."
    figure = curve_figure(cycle.sample, cycle.run)
    return Picture(f"{cycle.run.path.stem}-cycle", figure, f"Hysteresis cycles, {caption}", caption)


def _row(cycle, name, exact):
    (x, restoring), run = cycle.curve, cycle.run
    apart = distance(cycle.sample, exact) if exact is not None else (None, None)
    case = "" if isinstance(run, Study) else first_sentence(run)
    found = FIGURE.search(f"{case} {run.path.stem}")
    return {"name": name.replace(run.title, "").lstrip(", "), "file": f"{run.path.name}{': ' if case else ''}{case}",
            "figure": f"Fig. {found[1]}" if found else "", "cells": cell(run.cells, count), "steps": cell(run.steps, count),
            "segments": segments_in_words(x, restoring, most=3),
            "x": cell(float(np.abs(x).max()), lambda value: f"{value:#.4g}"),
            "force": cell(float(np.abs(restoring).max()), lambda value: f"{value:#.4g}"),
            "apart_x": cell(apart[0], scientific), "apart_force": cell(apart[1], scientific)}
