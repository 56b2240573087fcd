"""Studies compared: the errors of x over work and time, and the errors in time for different numbers of cells."""

from dataclasses import dataclass

import numpy as np

from masing import style
from masing.notation import count, listed, measured
from masing.report.cycles import PAPERS_METHOD, PAPERS_STEPS
from masing.report.pictures import Picture
from masing.results import QUANTITY_NAMES
from masing.style import drawable_in_logarithm, label_decades

# Colours of the methods and markers of the engines, the same on every page; others take what follows.
METHODS = (("euler", "right"), ("leapfrog", "midpoint"), ("euler", "midpoint"), ("leapfrog", "right"))
ENGINES = ("sweep", "memory", "exact")
# P and N of the papers' finest case.
FINEST = (1500, PAPERS_STEPS)
# The quantities whose errors are shown for different numbers of cells.
QUANTITIES = ("x", "y", "u")


@dataclass(frozen=True)
class Line:
    """A study in the diagram: its errors of x, work P·N (NaN where an engine or P = ∞ does not go through the cells) and
    seconds, each [levels]; the indices of the most accurate level and of the papers' finest case, or None."""

    study: object
    label: str
    best: int | None
    finest: int | None
    errors = property(lambda self: self.study.errors["x"])
    work = property(lambda self: self.study.cell_updates)
    seconds = property(lambda self: self.study.seconds)
    method = property(lambda self: self.study.method)
    engine = property(lambda self: self.study.engine)


def lines(studies):
    """The Lines of the largest group of studies that solve one problem and are measured against the exact solution; none
    of models that have one method only."""
    groups = {}
    for study in studies:
        if study.reference == "exact" and study.has_cells:
            groups.setdefault(study.problem, []).append(study)
    chosen = max(groups.values(), key=len, default=[])
    methods = [(study.method, study.engine) for study in chosen]
    found = [_line(study, methods) for study in chosen]
    return [line for line in found if line.best is not None]


def _line(study, methods):
    """The Line of a study; methods are the pairs (method, engine) of all studies in the diagram."""
    method, engine = study.method, study.engine
    label = ", ".join(method) + (f", {engine}" if len({engine for _, engine in methods}) > 1 else "")
    if methods.count((method, engine)) > 1:
        label += f" ({study.path.stem})"
    errors = np.where(study.errors["x"] > 0, study.errors["x"], np.nan)
    finest = np.flatnonzero((study.level_cells == FINEST[0]) & (study.level_steps == FINEST[1]) & np.isfinite(errors))
    is_papers = method == PAPERS_METHOD and study.is_papers_problem and len(finest) > 0
    return Line(study, label, int(np.nanargmin(errors)) if np.isfinite(errors).any() else None,
                int(finest[0]) if is_papers else None)


def work_precision(studies):
    """The Pictures, the caption and the comparisons of the work-precision diagram of a page; None when there is none."""
    found = lines(studies)
    ring = RINGED if any(line.finest is not None for line in found) else ""
    pictures = []
    for name, label in (("work", "cell updates P·N"), ("seconds", "wall time (s)")):
        drawn = [(line, getattr(line, name)) for line in found]
        if any((np.isfinite(cost) & (cost > 0) & (line.errors > 0)).any() for line, cost in drawn):
            best = [f"{line.label}: {measured(line.errors[line.best])} at {measured(cost[line.best])}"
                    for line, cost in drawn if np.isfinite(cost[line.best])]
            pictures.append(Picture(f"work-precision-{name}", work_figure(drawn, label),
                                    f"Log-log figure of the error of x over {label}, the most accurate level of each "
                                    f"study: {'; '.join(best)}."))
    return {"pictures": pictures, "caption": CAPTION.format(ring), "sentences": comparisons(found)} if pictures else None


CAPTION = ("Error of x against the exact solution over work and over wall time. Filled and joined: the levels that no other "
           "of their study beats in both{}.")
RINGED = "; ringed: the papers’ finest case"


def comparisons(found):
    """The sentences that compare the most accurate levels of these Lines with the papers' finest case, or with the best of
    the papers' method."""
    base = next((line for line in found if line.finest is not None), None)
    level = base.finest if base else None
    if base is None:
        base = next((line for line in found if line.method == PAPERS_METHOD), found[0])
        level = base.best
    ring = ", the papers’ finest case" if level == base.finest else ""
    sentences = [f"{_size(base, level)} with scheme {base.method[0]} and rule {base.method[1]}{ring}: {_price(base, level)}."]
    for wanted in dict.fromkeys(line.method for line in found if line.method != base.method):
        other = min((line for line in found if line.method == wanted), key=lambda line: line.errors[line.best])
        sentences.append(f"Scheme {wanted[0]} and rule {wanted[1]} at {_size(other, other.best)}: {_price(other, other.best)}, that "
                         f"is {_comparison(base, level, other, other.best)}.")
    for line in found:
        same = np.flatnonzero((line.study.level_cells == base.study.level_cells[level]) & (line.errors > 0)
                              & (line.study.level_steps == base.study.level_steps[level]))
        if line.method == base.method and line.engine != base.engine and len(same):
            sentences.append(f"The same level by engine {line.engine}: {_comparison(base, level, line, same[0])}.")
    return sentences


def _comparison(base, level, other, place):
    """The accuracy, the work and the time of a level of `other` beside those of a level of `base`, in words."""
    gain = base.errors[level] / other.errors[place]
    if abs(gain - 1) < 1e-3:
        accuracy = "as accurate"
    else:
        accuracy = f"{measured(gain)} times more accurate" if gain >= 1 else f"{measured(1 / gain)} times less accurate"
    shares = [(other.work[place] / base.work[level], "work"), (other.seconds[place] / base.seconds[level], "time")]
    costs = [f"{_share(share)} {name}" for share, name in shares if np.isfinite(share) and share > 0]
    return f"{accuracy} for {listed(costs)}" if costs else accuracy


def _share(share):
    if abs(share - 1) < 0.05:
        return "the same"
    return f"1/{measured(1 / share)} of the" if share < 1 else f"{measured(share)} times the"


def _size(line, level):
    return f"P = {count(line.study.level_cells[level])}, N = {count(line.study.level_steps[level])}"


def _price(line, level):
    costs = [f"{measured(line.work[level])} cell updates"] if np.isfinite(line.work[level]) else []
    costs += [f"{line.seconds[level]:.2g} s"] if np.isfinite(line.seconds[level]) else []
    return measured(line.errors[level]) + (f" for {listed(costs)}" if costs else "")


def work_figure(drawn, label):
    """Error of x over a cost called `label`; drawn = [(Line, cost [levels]), ...]. A line joins the efficient levels
    of one study, the filled points. The papers' finest case has a ring. Levels without a cost are left out."""
    figure = style.figure(1, 1 + 0.07 * len(drawn))
    axes = figure.add_subplot(xscale="log", yscale="log")
    for n, (line, cost) in enumerate(drawn):
        keep = drawable_in_logarithm(cost, line.errors)
        marker = style.MARKERS[ENGINES.index(line.engine) if line.engine in ENGINES else -1]
        colour = style.COLOURS[METHODS.index(line.method) if line.method in METHODS else -1]
        dashes = style.LINES[n % len(style.LINES)]
        axes.plot(cost[keep], line.errors[keep], marker, color=colour, markerfacecolor="white", markeredgewidth=1.4)
        best = efficient(cost[keep], line.errors[keep])
        axes.plot(cost[keep][best], line.errors[keep][best], dashes, marker=marker, color=colour, label=line.label)
        if line.finest is not None and keep[line.finest]:
            axes.plot(cost[line.finest], line.errors[line.finest], "o", markersize=14, markerfacecolor="none",
                      markeredgecolor="black", markeredgewidth=1.2)
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
