"""The errors in time of one problem solved with different numbers of cells P, in one picture."""

import numpy as np

from masing import style
from masing.notation import count, listed
from masing.report.pictures import Picture
from masing.results import QUANTITY_NAMES
from masing.style import drawable_in_logarithm, label_decades

QUANTITIES = ("x", "y", "u")


def number_pictures(studies):
    """The Pictures of the groups of studies that refine the step of one problem by one method, each for another P."""
    groups = {}
    for study in studies:
        numbers = set(study.level_cells)
        if study.refine == "steps" and study.has_cells and len(numbers) == 1:
            key = study.problem, study.method, study.reference
            groups.setdefault(key, {}).setdefault(numbers.pop(), study)
    return [_picture(dict(sorted(group.items(), key=lambda pair: pair[0] or np.inf)), f"numbers-of-cells-{n}")
            for n, group in enumerate((group for group in groups.values() if len(group) > 1), start=1)]


def _picture(group, name):
    """The Picture of a group {P: Study}, P = 0 for ∞ and last."""
    quantities = [q for q in QUANTITIES if all(q in study.errors for study in group.values())]
    last, most = group[list(group)[-1]], list(group)[-1]
    apart = [f"P = {count(cells)} by {100 * distance:.2g} %" for cells, study in list(group.items())[:-1]
             if (distance := _distance(study, last, quantities)) is not None]
    beside = f" At the same N the errors differ from those of P = {count(most)} at most: {listed(apart)}." if apart else ""
    words = listed(QUANTITY_NAMES[q] for q in quantities)
    caption = f"Maximal errors of {words} over the steps N, a curve for each number of cells P.{beside}"
    return Picture(name, _figure(group, quantities), f"Log-log figure. {caption}", caption)


def _distance(study, last, quantities):
    """The largest |e/e_last - 1| at the steps that both studies have; None without any."""
    common, here, there = np.intersect1d(study.level_steps, last.level_steps, return_indices=True)
    if not len(common):
        return None
    ratios = np.array([study.errors[q][here] / last.errors[q][there] for q in quantities])
    known = np.isfinite(ratios)
    return float(np.abs(ratios[known] - 1).max()) if known.any() else None


def _figure(group, quantities):
    figure = style.figure(0.75 * len(quantities), 1.1)
    panels = figure.subplots(1, len(quantities), sharex=True, squeeze=False)[0]
    for axes, quantity in zip(panels, quantities):
        axes.set(xscale="log", yscale="log", xlabel="steps N", title=f"error of {QUANTITY_NAMES[quantity]}")
        for n, (cells, study) in enumerate(group.items()):
            keep = drawable_in_logarithm(study.level_steps, study.errors[quantity])
            # Later points are smaller: those that lie on each other are all seen.
            axes.plot(study.level_steps[keep], study.errors[quantity][keep], style.LINES[n % len(style.LINES)],
                      marker=style.MARKERS[n % len(style.MARKERS)], color=style.COLOURS[n % len(style.COLOURS)],
                      markersize=max(3.0, 11 - 2.5 * n), markerfacecolor="none", label=f"P = {count(cells)}")
        label_decades(axes.xaxis, axes.yaxis)
    panels[0].legend(loc="lower left")
    return figure
