"""Compare the errors of x of several studies in a figure, over the computational work."""

from collections import namedtuple

import numpy as np

from masing import style
from masing.text import cell, count, measured
from masing.report.pictures import Picture
from masing.samples import drawable_in_logarithm

# This sign marks the error of the finest level of a study if a coarser level of the same study has a smaller error.
BEATEN = "§"


# A line of the work-precision diagram. `study` is its Study, `label` its label, and `errors` [levels] are the errors of
# x, in which 0 is replaced by NaN.
Line = namedtuple("Line", "study label errors")


def lines(studies):
    """Return the Lines of the studies of one problem against its exact solution.

    Of several problems the one with the most studies is chosen. Models without cells have one method and are left
    out.
    """
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
    """Return the template's values for the work-precision diagram of a page, or None if no study is suitable.

    They are the diagram, if an error can be drawn, and the caption and rows of a table of the finest levels.
    """
    found = lines(studies)
    if not found:
        return None
    drawn = [line for line in found if drawable_in_logarithm(line.study["timing/cell_updates"], line.errors).any()]
    ends = "; ".join(f"{line.label}: {measured(line.errors[-1])} at "
                     f"{measured(line.study['timing/cell_updates'][-1])}"
                     for line in drawn)
    caption = "Error of x against the exact solution over the cell updates P·N."
    pictures = [Picture("work-precision", work_figure(drawn), "Log-log figure of the error of x over the cell updates "
                        f"P·N, the finest level of each study: {ends}.", caption)] if drawn else []
    beaten = [BEATEN if np.nanmin(line.errors) < line.errors[-1] else "" for line in found]
    rows = [(line.label, [cell(values[-1], shown, sign if values is line.errors else "") for values, shown in (
        (line.study["cells"], count), (line.study["steps"], count), (line.errors, measured),
        (line.study["timing/cell_updates"], measured), (line.study["timing/cases"], measured))])
        for line, sign in zip(found, beaten)]
    note = f" {BEATEN} A coarser level has a smaller error: those in space and in time cancel." if any(beaten) else ""
    return {"pictures": pictures, "caption": f"The finest level of each study.{note}", "rows": rows}


def work_figure(drawn):
    """Return the figure of the errors of x over the cell updates of the Lines `drawn`."""
    figure, axes = style.frame(1, 1.15, xscale="log", yscale="log")
    slopes = {}
    for n, line in enumerate(drawn):
        keep = drawable_in_logarithm(line.study["timing/cell_updates"], line.errors)
        cost, errors = line.study["timing/cell_updates"][keep], line.errors[keep]
        axes.plot(cost, errors, linestyle="", marker=style.MARKERS[n % len(style.MARKERS)],
                  color=style.COLOURS[n % len(style.COLOURS)], label=line.label)
        if line.study.refine == "both" and (order := line.study.number("expected_order_x")) > 0:
            by_cost = np.argsort(cost)
            slopes.setdefault(-order / 2, []).append((cost[by_cost], errors[by_cost]))
    axes.margins(0.12)
    for slope, curves in slopes.items():
        style.draw_triangle(axes, curves, slope)
    style.label_decades(axes.xaxis, axes.yaxis)
    axes.set(xlabel="cell updates P·N", ylabel="maximal error of x")
    style.legend(axes)
    return figure
