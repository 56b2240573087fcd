"""The hysteresis cycles of a page: one picture each on the exact cycle, with a caption of facts."""

import numpy as np

import configuration
import figures
from cycle import HUGE, in_window
from cycle_facts import facts
from exact_cycle import distance, window_of
from notation import EN_DASH, measured, scientific
from paper import seen_in_paper
from picture import Picture
from problem import method, problem

# A study's own samples run from rest; its cycle is drawn from the last part of [0, T].
LAST_PART = 0.2
# The magnified corner is this many distances between the two cycles wide to each side, within these parts of a cycle;
# cycles farther apart are told apart without.
CORNER_DISTANCES = 3
SMALLEST_CORNER, LARGEST_CORNER = 2e-3, 0.07


def cycle_pictures(runs, start=None, end=None, studies=(), companions=None):
    """The Pictures of the cycles of the runs and of the studies' finest levels in start <= t <= end.

    Those of one problem have the same scales. Each has its exact cycle behind it where `companions` have it; its words
    say how far from the exact solution it is, also over all steps where one of the studies measured that.
    """
    samples = [(run, in_window(run, start, end), 0) for run in runs]
    drawn = [_case(run) for run in runs]
    for study in studies:
        for sample in _finest(study, start, end):
            # The same trajectory is drawn once, unless its exact solution is another one.
            if sample[2] or _case(study.run) not in drawn:
                samples.append(sample)
    limits = _limits(samples)
    pictures = []
    for run, sample, cells in samples:
        exact = companions.exact(run, cells) if companions and run.settings.get("engine") != "exact" else None
        pictures.append(_picture(run, sample, limits[problem(run.settings)].pop(0), exact,
                                 distance_from_exact(run, studies)))
    return pictures


def _case(run):
    """What tells one trajectory from another: its problem, its method, P and N."""
    return problem(run.settings), method(run.settings), *(configuration.size(run.settings, key)
                                                          for key in ("cells", "steps"))


def _limits(samples):
    groups = {}
    for run, (_, x, restoring), _ in samples:
        groups.setdefault(problem(run.settings), []).append((x, restoring))
    return {key: figures.shared_limits(curves) for key, curves in groups.items()}


def _finest(study, start, end):
    """[(run, samples, P of the exact solution beside it)] of the study's finest level, in the last part of its time
    unless a window is given; [] where the file has no samples that can be drawn."""
    series = study.run.series
    if series is None or not ((np.abs(series.x) < HUGE) & (np.abs(series.restoring) < HUGE)).any():
        return []
    if start is None and end is None:
        start = _last_part(series)
    at_the_same_cells = study.refine == "steps" and study.fit.get("reference") != "exact"
    cells = (configuration.size(study.run.settings, "cells") or 0) if at_the_same_cells else 0
    return [(study.run, in_window(study.run, start, end), cells)]


def _last_part(series):
    """Where the last part of the samples starts, or their start when that part has no two reversals."""
    start = series.t[-1] - LAST_PART * (series.t[-1] - series.t[0])
    direction = np.sign(np.diff(series.x[series.t >= start]))
    return start if np.count_nonzero(np.diff(direction)) >= 2 else None


def distance_from_exact(run, studies):
    """One sentence on the maximal error of x of the run, from a study that has it as a level; None when there is none."""
    cells, steps = configuration.size(run.settings, "cells"), configuration.size(run.settings, "steps")
    for study in studies:
        same = (problem(study.run.settings) == problem(run.settings)
                and method(study.run.settings) == method(run.settings))
        level = np.flatnonzero((study.cells == cells) & (study.steps == steps) & np.isfinite(study.errors["x"]))
        if study.fit.get("reference") == "exact" and same and len(level):
            final = study.run.settings.get("final-time", "T")
            source = f" ({study.run.path.name})" if study.run is not run else ""
            return (f"From the exact solution it is at most {measured(study.errors['x'][level[0]])} away in x "
                    f"over 0 ≤ t ≤ {final}{source}.")
    return None


def _picture(run, sample, limits, exact, over_all_steps):
    t, x, restoring = sample
    title = configuration.title(run)
    window = f"{t[0]:.6g} ≤ t ≤ {t[-1]:.6g}"
    seen = facts(x, restoring)
    words = {"title": f"{title}, {window}", "paper": seen_in_paper(run.settings), "seen": seen,
             "file": run.path.name, "exact": [over_all_steps] if over_all_steps else []}
    behind, part, beside = None, None, ""
    if exact is not None:
        apart = distance(sample, exact)
        behind = window_of(exact, t[0], t[-1])
        part = corner_part(apart, behind)
        beside = f" Behind it the exact cycle{_of_cells(exact)}, grey."
        words["exact"].insert(0, f"Grey: the exact cycle{_of_cells(exact)}. At the samples drawn the computed one is at "
                                 f"most {measured(apart.x)} from it in x and {measured(apart.restoring)} in F − m x″ at "
                                 "equal times"
                                 + (f"; the corner is magnified {figures.magnification(part):.2g} times." if part else "."))
        words["distance"] = (title, run.path.name, _of_cells(exact) or "P = ∞", apart)
    figure = figures.cycle_figure((x, restoring), title, limits, behind, part)
    return Picture(f"{run.path.stem}-cycle", figure,
                   f"Hysteresis cycle, {title}, {window}: restoring force over displacement.{beside} {seen}", words=words)


def corner_part(apart, behind):
    """The part of the exact cycle's width and height that shows the distance between the cycles; None for a large one."""
    widths = [np.ptp(values) or 1.0 for values in behind]
    wanted = CORNER_DISTANCES * max(apart.x / widths[0], apart.restoring / widths[1])
    return max(SMALLEST_CORNER, float(wanted)) if wanted < LARGEST_CORNER else None


def distances_table(pictures):
    """The rows (title, file, exact solution of, distance in x, distance in F − m x″) of the cycles beside an exact one;
    a distance is a cell (exact value, as shown)."""
    found = [picture.words["distance"] for picture in pictures if "distance" in picture.words]
    return [(title, file, which.replace(" of ", "").replace(" cells", ""),
             *((repr(float(value)), scientific(value) if np.isfinite(value) else EN_DASH)
               for value in (apart.x, apart.restoring))) for title, file, which, apart in found]


def _of_cells(exact):
    cells = configuration.size(exact.settings, "cells")
    return f" of P = {cells} cells" if cells else ""
