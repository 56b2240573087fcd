"""Studies compared: the errors of x over work and time, and the errors in time for different numbers of cells."""

from dataclasses import dataclass

import numpy as np

from masing import style
from masing.notation import cell, count, listed, measured
from masing.report.pictures import Picture
from masing.results import QUANTITY_NAMES
from masing.style import drawable_in_logarithm, label_decades

# Colours of the methods and markers of the engines, the same on every page; others take what follows.
METHODS = (("euler", "right"), ("leapfrog", "midpoint"), ("euler", "midpoint"), ("leapfrog", "right"))
ENGINES = ("sweep", "memory", "exact")
# The quantities whose errors are shown for different numbers of cells.
QUANTITIES = ("x", "y", "u")


@dataclass(frozen=True)
class Line:
    """A study in the diagram, its label, its errors of x [levels], NaN where they are 0, and its best level."""

    study: object
    label: str
    errors: np.ndarray
    best: int


def lines(studies):
    """The Lines of the largest group of studies that solve one problem and are measured against the exact solution; none
    of models that have one method only."""
    groups = {}
    for study in studies:
        if study.reference == "exact" and study.has_cells and (study.errors["x"] > 0).any():
            groups.setdefault(study.problem, []).append(study)
    chosen = max(groups.values(), key=len, default=[])
    methods = [(study.method, study.engine) for study in chosen]
    found = []
    for study, (method, engine) in zip(chosen, methods):
        label = ", ".join(method) + (f", {engine}" if len({each for _, each in methods}) > 1 else "")
        label += f" ({study.path.stem})" if methods.count((method, engine)) > 1 else ""
        errors = np.where(study.errors["x"] > 0, study.errors["x"], np.nan)
        found.append(Line(study, label, errors, int(np.nanargmin(errors))))
    return found


def work_precision(studies):
    """The Pictures of the work-precision diagram of a page, its caption, and the `rows` of the studies' most accurate
    levels, (label, cells of P, N, error, work, seconds); None when there is none."""
    found = lines(studies)
    pictures = []
    for name, label in (("cell_updates", "cell updates P·N"), ("seconds", "wall time (s)")):
        drawn = [(line, getattr(line.study, name)) for line in found]
        if any((np.isfinite(cost) & (cost > 0) & (line.errors > 0)).any() for line, cost in drawn):
            best = [f"{line.label}: {measured(line.errors[line.best])} at {measured(cost[line.best])}"
                    for line, cost in drawn if np.isfinite(cost[line.best])]
            pictures.append(Picture(f"work-precision-{name.replace('cell_updates', 'work')}", work_figure(drawn, label),
                                    f"Log-log figure of the error of x over {label}, the most accurate level of each "
                                    f"study: {'; '.join(best)}."))
    rows = [(line.label, [cell(values[line.best], shown) for values, shown in (
        (line.study.level_cells, count), (line.study.level_steps, count), (line.errors, measured),
        (line.study.cell_updates, measured), (line.study.seconds, measured))]) for line in found]
    caption = ("Error of x against the exact solution over work and over wall time. Filled and joined: the levels that no "
               "other of their study beats in both. The table has the most accurate level of each study.")
    return {"pictures": pictures, "caption": caption, "rows": rows} if pictures else None


def work_figure(drawn, label):
    """Error of x over a cost called `label`; drawn = [(Line, cost [levels]), ...]. A line joins the efficient levels
    of one study, the filled points. Levels without a cost are left out."""
    figure = style.figure(1, 1 + 0.07 * len(drawn))
    axes = figure.add_subplot(xscale="log", yscale="log")
    for n, (line, cost) in enumerate(drawn):
        keep = drawable_in_logarithm(cost, line.errors)
        marker = style.MARKERS[ENGINES.index(line.study.engine) if line.study.engine in ENGINES else -1]
        colour = style.COLOURS[METHODS.index(line.study.method) if line.study.method in METHODS else -1]
        dashes = style.LINES[n % len(style.LINES)]
        axes.plot(cost[keep], line.errors[keep], marker, color=colour, markerfacecolor="white", markeredgewidth=1.4)
        best = efficient(cost[keep], line.errors[keep])
        axes.plot(cost[keep][best], line.errors[keep][best], dashes, marker=marker, color=colour, label=line.label)
    axes.margins(0.12)
    label_decades(axes.xaxis, axes.yaxis)
    axes.set(xlabel=label, ylabel="maximal error of x")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=1)
    return figure


def efficient(cost, errors):
    """The indices of the points that no other one beats in both cost and error, by rising cost."""
    order = np.lexsort((errors, cost))
    before = np.minimum.accumulate(np.r_[np.inf, errors[order]])[:-1]
    return order[errors[order] < before]


def number_pictures(studies):
    """The Pictures of the groups of studies that refine the step of one problem by one method, each for another P."""
    groups = {}
    for study in studies:
        numbers = set(study.level_cells)
        if study.refine == "steps" and study.has_cells and len(numbers) == 1:
            key = study.problem, study.method, study.reference
            groups.setdefault(key, {}).setdefault(numbers.pop(), study)
    return [_number_picture(dict(sorted(group.items(), key=lambda pair: pair[0] or np.inf)), f"numbers-of-cells-{n}")
            for n, group in enumerate((group for group in groups.values() if len(group) > 1), start=1)]


def _number_picture(group, name):
    """The Picture of a group {P: Study}, P = 0 for ∞ and last."""
    quantities = [q for q in QUANTITIES if all(q in study.errors for study in group.values())]
    last, most = group[list(group)[-1]], list(group)[-1]
    apart = [f"P = {count(cells)} by {100 * distance:.2g} %" for cells, study in list(group.items())[:-1]
             if (distance := _distance(study, last, quantities)) is not None]
    beside = f" At the same N the errors differ from those of P = {count(most)} at most: {listed(apart)}." if apart else ""
    words = listed(QUANTITY_NAMES[q] for q in quantities)
    caption = f"Maximal errors of {words} over the steps N, a curve for each number of cells P.{beside}"
    return Picture(name, _number_figure(group, quantities), f"Log-log figure. {caption}", caption)


def _distance(study, last, quantities):
    """The largest |e/e_last - 1| at the steps that both studies have; None without any."""
    common, here, there = np.intersect1d(study.level_steps, last.level_steps, return_indices=True)
    if not len(common):
        return None
    ratios = np.array([study.errors[q][here] / last.errors[q][there] for q in quantities])
    known = np.isfinite(ratios)
    return float(np.abs(ratios[known] - 1).max()) if known.any() else None


def _number_figure(group, quantities):
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
