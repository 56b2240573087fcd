"""Studies compared: the errors of x over work and time, and the errors in time for different numbers of cells."""

from collections import namedtuple

import numpy as np

from masing import style
from masing.notation import cell, count, listed, measured
from masing.report.pictures import Picture
from masing.samples import drawable_in_logarithm
from masing.style import label_decades

# The sign of an error that a coarser level beats.
BEATEN = "§"


# A study in the diagram, its label, and its errors of x [levels], NaN where they are 0.
Line = namedtuple("Line", "study label errors")


def lines(studies):
    """The Lines of the most studies of one problem against the exact solution; none of models of one method only."""
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
        found.append(Line(study, label, np.where(study.errors["x"] > 0, study.errors["x"], np.nan)))
    return found


def work_precision(studies):
    """The Pictures of the work-precision diagram of a page, its caption, and the `rows` of the studies' finest levels,
    (label, cells of P, N, error, work, seconds); None when there is none."""
    found = lines(studies)
    if not found:
        return None
    drawn = [line for line in found if drawable_in_logarithm(line.study.cell_updates, line.errors).any()]
    ends = "; ".join(f"{line.label}: {measured(line.errors[-1])} at {measured(line.study.cell_updates[-1])}"
                     for line in drawn)
    caption = ("Error of x against the exact solution over the cell updates P·N. Filled and joined: levels that no other "
               "of their study beats in both.")
    pictures = [Picture("work-precision", work_figure(drawn), "Log-log figure of the error of x over the cell updates "
                        f"P·N, the finest level of each study: {ends}.", caption)] if drawn else []
    beaten = [BEATEN if np.nanmin(line.errors) < line.errors[-1] else "" for line in found]
    rows = [(line.label, [cell(values[-1], shown, sign if values is line.errors else "") for values, shown in (
        (line.study.level_cells, count), (line.study.level_steps, count), (line.errors, measured),
        (line.study.cell_updates, measured), (line.study.seconds, measured))]) for line, sign in zip(found, beaten)]
    note = f" {BEATEN} A coarser level has a smaller error: those in space and in time cancel." if any(beaten) else ""
    return {"pictures": pictures, "caption": f"The finest level of each study.{note}", "rows": rows}


def work_figure(drawn):
    """Error of x over the cell updates of the Lines, joined and filled where they are efficient."""
    figure, axes = style.frame(1, 1.15, xscale="log", yscale="log")
    slopes = {}
    for n, line in enumerate(drawn):
        keep = drawable_in_logarithm(line.study.cell_updates, line.errors)
        cost, errors = line.study.cell_updates[keep], line.errors[keep]
        look = {"marker": style.MARKERS[n % len(style.MARKERS)], "color": style.COLOURS[n % len(style.COLOURS)]}
        axes.plot(cost, errors, linestyle="", markerfacecolor="white", markeredgewidth=1.4, **look)
        best = efficient(cost, errors)
        axes.plot(cost[best], errors[best], label=line.label, **look)
        if line.study.refine == "both" and (order := line.study.number("expected_order_x")) > 0:
            slopes.setdefault(-order / 2, []).append((cost[best], errors[best]))
    axes.margins(0.12)
    for slope, curves in slopes.items():
        style.draw_triangle(axes, curves, slope)
    label_decades(axes.xaxis, axes.yaxis)
    axes.set(xlabel="cell updates P·N", ylabel="maximal error of x")
    style.legend_above(axes)
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
    most, last = list(group.items())[-1]
    apart = [f"P = {count(cells)} by {100 * distance:.2g} %" for cells, study in list(group.items())[:-1]
             if (distance := _distance(study, last)) is not None]
    beside = f" At the same N they differ from those of P = {count(most)} at most: {listed(apart)}." if apart else ""
    caption = f"Maximal errors of x over the steps N, a curve for each number of cells P.{beside}"
    return Picture(name, _number_figure(group), f"Log-log figure. {caption}", caption)


def _distance(study, last):
    """The largest |e/e_last - 1| of x at the steps that both studies have; None without any."""
    _, here, there = np.intersect1d(study.level_steps, last.level_steps, return_indices=True)
    ratios = study.errors["x"][here] / last.errors["x"][there]
    known = np.isfinite(ratios)
    return float(np.abs(ratios[known] - 1).max()) if known.any() else None


def _number_figure(group):
    figure, axes = style.frame(1, 1.15, xscale="log", yscale="log", xlabel="steps N", ylabel="maximal error of x")
    curves, orders = [], {study.number("expected_order_x") for study in group.values()}
    for n, (cells, study) in enumerate(group.items()):
        keep = drawable_in_logarithm(study.level_steps, study.errors["x"])
        curves.append((study.level_steps[keep], study.errors["x"][keep]))
        # Later points are smaller: those that lie on each other are all seen.
        axes.plot(*curves[-1], style.LINES[n % len(style.LINES)], marker=style.MARKERS[n % len(style.MARKERS)],
                  color=style.COLOURS[n % len(style.COLOURS)], markersize=max(3.0, 11 - 2.5 * n),
                  markerfacecolor="none", label=f"P = {count(cells)}")
    if len(orders) == 1 and (order := orders.pop()) > 0:
        style.draw_triangle(axes, curves, -order, 1)
    label_decades(axes.xaxis, axes.yaxis)
    axes.legend(loc="upper right")
    return figure
