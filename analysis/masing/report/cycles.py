"""The hysteresis cycles of a page: those of one problem in one frame, each in its own beside the exact one, and a table."""

from dataclasses import dataclass

import numpy as np

from masing.cycles import figures
from masing.cycles.curves import samples_in_window
from masing.cycles.half_cycles import reversals
from masing.cycles.shape import description, segments_in_words
from masing.names import names_apart
from masing.notation import EN_DASH, cell, count, listed, measured, scientific
from masing.report.problem import first_sentence
from masing.report.exact import distance
from masing.report.pictures import Picture
from masing.report.trajectories import start_of_last_cycles
from masing.results import Study
from masing.style import MANY_REVERSALS, drawable

# A study's own samples run from rest; its cycle is drawn from the first of these last parts of [0, T] with a whole one.
LAST_PARTS = (0.2, 0.4, 0.6, 0.8)
# The magnified corner is this many distances between the two cycles wide to each side, within these parts of a cycle;
# a larger distance is visible without. A distance below this part of the smallest corner is hidden by the lines.
CORNER_DISTANCES = 3
SMALLEST_CORNER, LARGEST_CORNER = 2e-3, 0.07
HIDDEN = 0.025
# More cycles than this in one frame hide each other.
MOST_TOGETHER = 12


@dataclass(frozen=True)
class Cycle:
    """A cycle on the page: its run, its samples (t, x, restoring) in the window, P of the exact solution beside it; its
    (x, restoring), and the window in words."""

    run: object
    sample: tuple
    cells: int = 0
    curve = property(lambda self: self.sample[1:])
    extent = property(lambda self: self.sample[0][[0, -1]])
    window = property(lambda self: "{:.6g} ≤ t ≤ {:.6g}".format(*self.extent))


def cycles_section(runs, start=None, end=None, studies=(), exact=None):
    """The template's values for the cycles of the runs and of the studies' finest levels in start <= t <= end, or None.

    `together`: the Pictures of the cycles of a problem in one frame; `pictures`: one a cycle, those of one problem on the
    same scales, each over its exact cycle where the ExactSolutions `exact` have it; `rows`: the facts of each.
    """
    cycles = [Cycle(run, samples_in_window(run, start, end)) for run in runs]
    drawn = [_case(run) for run in runs]
    for study in studies:
        found = _finest(study, start, end)
        # The same trajectory is drawn once, unless its exact solution is another one.
        if found is not None and (found.cells or _case(study) not in drawn):
            drawn.append(_case(study))
            cycles.append(found)
    if not cycles:
        return None
    groups = {}
    for cycle in cycles:
        groups.setdefault(cycle.run.problem, []).append(cycle.curve)
    limits = {key: figures.shared_limits(curves) for key, curves in groups.items()}
    names = names_apart([cycle.run for cycle in cycles])
    pictures, rows = [], []
    for cycle, name in zip(cycles, names):
        beside = exact.get(cycle.run, cycle.cells) if exact and cycle.run.engine != "exact" else None
        pictures.append(_picture(cycle, name, limits[cycle.run.problem].pop(0), beside))
        rows.append(_row(cycle, name, beside, studies))
    return {"together": _together(cycles, names, exact), "pictures": pictures, "rows": rows,
            "has_case": any(row["case"] for row in rows),
            "has_exact": any(row["which"] or row["over_all"] != EN_DASH for row in rows)}


def distance_from_exact(run, studies):
    """The maximal error of x of the run over all steps, in words, from a study of which it is a level; None without one."""
    for study in studies:
        level = np.flatnonzero((study.level_cells == run.cells) & (study.level_steps == run.steps) & np.isfinite(study.errors["x"]))
        if study.reference == "exact" and _case(study)[:2] == _case(run)[:2] and len(level):
            return measured(study.errors["x"][level[0]])
    return None


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
    at_the_same_cells = study.refine == "steps" and study.reference != "exact"
    return Cycle(study, samples_in_window(study, start, end), study.cells or 0 if at_the_same_cells else 0)


def _together(cycles, names, exact):
    """The Pictures of the cycles of one problem, method and window of which there are several; without long records."""
    groups = {}
    for cycle, name in zip(cycles, names):
        if len(reversals(cycle.curve[0])) <= MANY_REVERSALS:
            key = cycle.run.problem, cycle.run.method, cycle.window
            groups.setdefault(key, {}).setdefault(_case(cycle.run), (cycle, name))
    return [_overlay(list(group.values()), exact) for group in groups.values() if 1 < len(group) <= MOST_TOGETHER]


def _overlay(group, exact):
    """The Picture of cycles in one frame, by P where they have cells, over the exact one of the continuum."""
    group = sorted(group, key=lambda each: (each[0].run.cells or np.inf, each[0].run.steps or 0))
    runs = [cycle.run for cycle, _ in group]
    beside = exact.get(runs[-1], 0) if exact and runs[-1].engine != "exact" else None
    behind, part = None, None
    if beside is not None:
        behind = samples_in_window(beside, *group[-1][0].extent)[1:]
        part = _corner_part([distance(cycle.sample, beside) for cycle, _ in group], behind, figures.TOGETHER_WIDTH)
    sizes = [count(run.cells) for run in runs if run.cells is not None]
    by_cells = len(set(sizes)) == len(runs)
    words = "cycles" if all(len(reversals(cycle.curve[0])) > 1 for cycle, _ in group) else "arcs"
    caption = f"The {words} for P = {listed(sizes)} in one frame" if by_cells else f"{len(runs)} {words} in one frame"
    caption += ", over the exact one, grey" if behind is not None else ""
    caption += f"; the corner is magnified {figures.magnification(part):.2g} times." if part else "."
    labels = [f"P = {size}" for size in sizes] if by_cells else [name for _, name in group]
    figure = figures.cycles_together([cycle.curve for cycle, _ in group], labels, behind, part)
    return Picture(f"{runs[0].path.stem}-together", figure, f"Hysteresis cycles. {caption}", caption)


def _picture(cycle, name, limits, exact):
    run, behind, part, beside = cycle.run, None, None, ""
    # A record of many cycles is coloured by time: a grey one behind it would muddle that.
    if exact is not None and len(reversals(cycle.curve[0])) <= MANY_REVERSALS:
        behind = samples_in_window(exact, *cycle.extent)[1:]
        part = _corner_part([distance(cycle.sample, exact)], behind)
        of_cells = f" of P = {exact.cells} cells" if exact.cells else ""
        magnified = f", the corner magnified {figures.magnification(part):.2g} times" if part else ""
        beside = f" Grey: exact{of_cells}{magnified}."
    figure = figures.cycle_figure(cycle.curve, name, limits, behind, part, cycle.sample[0])
    alt = (f"Hysteresis cycle, {name}, {cycle.window}: restoring force over displacement.{beside} "
           + description(*cycle.curve))
    return Picture(f"{run.path.stem}-cycle", figure, alt, f"{name}, {cycle.window}.{beside}")


def _row(cycle, name, exact, studies):
    x, restoring = cycle.curve
    apart = distance(cycle.sample, exact) if exact is not None else (None, None)
    return {"name": name, "file": cycle.run.path.name,
            "case": "" if isinstance(cycle.run, Study) else first_sentence(cycle.run),
            "segments": segments_in_words(x, restoring),
            "x": cell(float(np.abs(x).max()), lambda value: f"{value:#.4g}"),
            "force": cell(float(np.abs(restoring).max()), lambda value: f"{value:#.4g}"),
            "which": (f"P = {exact.cells}" if exact.cells else "P = ∞") if exact is not None else "",
            "apart_x": cell(apart[0], scientific), "apart_force": cell(apart[1], scientific),
            "over_all": distance_from_exact(cycle.run, studies) or EN_DASH}


def _corner_part(distances, behind, width=1.0):
    """The part of the exact cycle's width and height that shows the largest of the cycles' distances from it that is
    not visible without, in a figure of this width; None where there is none, or where the lines would hide it."""
    widths = [np.ptp(values) or 1.0 for values in behind]
    wanted = [CORNER_DISTANCES * max(x / widths[0], restoring / widths[1]) for x, restoring in distances]
    wanted = max((each for each in wanted if each < LARGEST_CORNER / width), default=0.0)
    return max(SMALLEST_CORNER, float(wanted)) if wanted > CORNER_DISTANCES * HIDDEN * SMALLEST_CORNER else None
