"""The hysteresis cycles of a page: one picture each on common scales, with a caption of facts."""

import numpy as np

import configuration
import figures
import style
from cycle import HUGE, SHORTEST, half_cycle, in_window
from notation import measured
from paper import seen_in_paper
from problem import method, problem

# A study's own samples run from rest; its cycle is drawn from the last part of [0, T].
LAST_PART = 0.2
MANY_SLOPES = 12


def cycle_pictures(runs, start=None, end=None, studies=()):
    """The pictures {src, alt, title, paper, seen, exact} of the runs' cycles in start <= t <= end, on the same scales.

    `exact` says how far a run is from the exact solution, where one of the studies measured that.
    """
    samples = [in_window(run, start, end) for run in runs]
    limits = figures.shared_limits([(x, f) for _, x, f in samples]) if samples else []
    return [_picture(run, sample, limit, distance_from_exact(run, studies))
            for run, sample, limit in zip(runs, samples, limits)]


def finest_cycle(study, start=None, end=None):
    """The picture of the study's finest level, in the last part of its time unless a window is given; None without."""
    series = study.run.series
    if series is None or not ((np.abs(series.x) < HUGE) & (np.abs(series.restoring) < HUGE)).any():
        return None
    if start is None and end is None:
        start = _last_part(series)
    return _picture(study.run, in_window(study.run, start, end), None, distance_from_exact(study.run, [study]))


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


def _picture(run, sample, limits, exact):
    t, x, restoring = sample
    title = configuration.title(run)
    window = f"{t[0]:.6g} ≤ t ≤ {t[-1]:.6g}"
    seen = _facts(x, restoring)
    return {"src": style.data_uri(figures.cycle_figure((x, restoring), title, limits)),
            "alt": f"Hysteresis cycle, {title}, {window}: restoring force over displacement. {seen}",
            "title": f"{title}, {window}", "paper": seen_in_paper(run.settings), "seen": seen, "exact": exact,
            "file": run.path.name}


def _facts(x, restoring):
    extent = f"max |x| = {np.abs(x).max():.4g}, max |F − m x″| = {np.abs(restoring).max():.4g}."
    half = half_cycle(x, restoring)
    if half is None:
        return f"No rising half cycle is in the samples; {extent}"
    shape = "its slope never increases" if half.concave else "its slope increases somewhere"
    reach = f"x from {half.start:.4g} to {half.end:.4g}".replace("-", "−")
    return f"In the widest rising half cycle ({reach}) {_straight(half.slopes)} and {shape}; {extent}"


def _straight(slopes):
    share = f"of at least {SHORTEST:.0%} of its width".replace("%", " %")
    if len(slopes) == 0:
        return f"the samples show no straight segment {share}"
    words = "one straight segment" if len(slopes) == 1 else f"{len(slopes)} straight segments"
    if len(slopes) > MANY_SLOPES:
        return f"the samples show {words} {share} (slopes {slopes[0]:.3f} to {slopes[-1]:.3f})"
    return (f"the samples show {words} {share} (slope{'s' if len(slopes) > 1 else ''} "
            f"{', '.join(f'{slope:.3f}' for slope in slopes)})")
