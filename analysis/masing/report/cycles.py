"""The hysteresis cycles of a page: one picture each beside the exact cycle, with a caption of facts."""

import numpy as np

from masing.cycles import figures
from masing.cycles.curves import samples_in_window
from masing.cycles.half_cycles import reversals
from masing.cycles.shape import description
from masing.notation import cell, measured, scientific
from masing.report.exact import distance
from masing.report.pictures import Picture
from masing.style import drawable

# A study's own samples run from rest; its cycle is drawn from the last part of [0, T].
LAST_PART = 0.2
# The magnified corner is this many distances between the two cycles wide to each side, within these parts of a cycle;
# a larger distance is visible without.
CORNER_DISTANCES = 3
SMALLEST_CORNER, LARGEST_CORNER = 2e-3, 0.07
# Figures 6 to 10 of continuous-masing-2001 by P, and the paper's description of them.
POLYGON = "a polygonal cycle, like those of the discrete Prandtl model"
SMOOTH = "a smooth closed curve with two straight segments and a concave part; no polygon any more"
PAPERS_FIGURES = {3: (6, POLYGON), 10: (7, POLYGON), 100: (8, SMOOTH), 700: (9, SMOOTH), 1500: (10, SMOOTH)}
PAPERS_STEPS = 10**6
PAPERS_METHOD = ("euler", "right")


def cycle_pictures(runs, start=None, end=None, studies=(), exact=None):
    """The Pictures of the cycles of the runs and of the studies' finest levels in start <= t <= end.

    Those of one problem have the same scales. Each is drawn over its exact cycle where the ExactSolutions `exact` have
    it; its caption has the distance between the two, also over all steps where one of the studies measured that.
    """
    samples = [(run, samples_in_window(run, start, end), 0) for run in runs]
    drawn = [_case(run) for run in runs]
    for study in studies:
        sample = _finest(study, start, end)
        # The same trajectory is drawn once, unless its exact solution is another one.
        if sample is not None and (sample[2] or _case(study.run) not in drawn):
            samples.append(sample)
    limits = _limits(samples)
    pictures = []
    for run, sample, cells in samples:
        beside = exact.get(run, cells) if exact and run.engine != "exact" else None
        pictures.append(_picture(run, sample, limits[run.problem].pop(0), beside,
                                 distance_from_exact(run, studies)))
    return pictures


def distances_table(pictures):
    """The rows (title, file, exact solution of, distance in x, distance in F − m x″) of the cycles beside an exact one;
    a distance is a cell (exact value, as shown, sign)."""
    found = [picture.words["distance"] for picture in pictures if "distance" in picture.words]
    return [(title, file, which.replace(" of ", "").replace(" cells", ""), cell(apart.x, scientific),
             cell(apart.restoring, scientific)) for title, file, which, apart in found]


def distance_from_exact(run, studies):
    """One sentence on the maximal error of x of the run, from a study of which it is a level; None without one."""
    for study in studies:
        level = np.flatnonzero((study.cells == run.cells) & (study.steps == run.steps) & np.isfinite(study.errors["x"]))
        if study.reference == "exact" and _case(study.run)[:2] == _case(run)[:2] and len(level):
            final = study.run.settings["final-time"]
            source = f" ({study.run.path.name})" if study.run is not run else ""
            return (f"From the exact solution it is at most {measured(study.errors['x'][level[0]])} away in x "
                    f"over 0 ≤ t ≤ {final}{source}.")
    return None


def _case(run):
    """What tells one trajectory from another: its problem, its method, P and N."""
    return run.problem, run.method, run.cells, run.steps


def _limits(samples):
    groups = {}
    for run, (_, x, restoring), _ in samples:
        groups.setdefault(run.problem, []).append((x, restoring))
    return {key: figures.shared_limits(curves) for key, curves in groups.items()}


def _finest(study, start, end):
    """(run, samples, P of the exact solution beside it) of the study's finest level, in the last part of its time
    unless a window is given; None where the file has no samples that can be drawn."""
    series = study.run.series
    if series is None or not drawable(series.x, series.restoring).any():
        return None
    if start is None and end is None:
        start = series.t[-1] - LAST_PART * (series.t[-1] - series.t[0])
        if len(reversals(series.x[series.t >= start])) < 2:
            start = None
    at_the_same_cells = study.refine == "steps" and study.reference != "exact"
    return study.run, samples_in_window(study.run, start, end), study.run.cells or 0 if at_the_same_cells else 0


def _picture(run, sample, limits, exact, over_all_steps):
    t, x, restoring = sample
    title = run.title
    window = f"{t[0]:.6g} ≤ t ≤ {t[-1]:.6g}"
    seen = description(x, restoring)
    words = {"title": f"{title}, {window}", "paper": _in_paper(run), "seen": seen,
             "file": run.path.name, "exact": [over_all_steps] if over_all_steps else []}
    behind, part, beside = None, None, ""
    if exact is not None:
        apart = distance(sample, exact)
        keep = (exact.series.t >= t[0]) & (exact.series.t <= t[-1])
        behind = exact.series.x[keep], exact.series.restoring[keep]
        part = _corner_part(apart, behind)
        of_cells = f" of P = {exact.cells} cells" if exact.cells else ""
        beside = f" Behind it the exact cycle{of_cells}, grey."
        magnified = f"; the corner is magnified {figures.magnification(part):.2g} times." if part else "."
        words["exact"].insert(0, f"Grey: the exact cycle{of_cells}. At the samples drawn the computed one is at most "
                                 f"{measured(apart.x)} from it in x and {measured(apart.restoring)} in F − m x″ "
                                 f"at equal times{magnified}")
        words["distance"] = (title, run.path.name, of_cells or "P = ∞", apart)
    figure = figures.cycle_figure((x, restoring), title, limits, behind, part)
    alt = f"Hysteresis cycle, {title}, {window}: restoring force over displacement.{beside} {seen}"
    return Picture(f"{run.path.stem}-cycle", figure, alt, words=words)


def _corner_part(apart, behind):
    """The part of the exact cycle's width and height that shows the distance of the cycles; None for a large one."""
    widths = [np.ptp(values) or 1.0 for values in behind]
    wanted = CORNER_DISTANCES * max(apart.x / widths[0], apart.restoring / widths[1])
    return max(SMALLEST_CORNER, float(wanted)) if wanted < LARGEST_CORNER else None


def _in_paper(run):
    """One sentence on the paper's figure of the same case, or None when the run is not one of them."""
    if run.cells not in PAPERS_FIGURES or not run.is_papers_problem or run.method != PAPERS_METHOD:
        return None
    number, words = PAPERS_FIGURES[run.cells]
    other = "" if run.steps == PAPERS_STEPS else " (with N = 10⁶)"
    return f"Figure {number} of Bastien and others (2001){other}: {words}."
