"""Functions that draw hysteresis cycles as matplotlib Figures, with the numbers of their limit cycles as text."""

import math
import textwrap

import numpy as np
from scipy.spatial import cKDTree

from masing import style
from masing.cycles.curves import differences_from
from masing.cycles.half_cycles import reversals
from masing.text import count, measured, motion, names_apart
from masing.style import RESTORING_LABEL, X_LABEL

# The place of the magnified corner of a cycle (left, bottom, width, height) as fractions of the frame. It is at the
# lower right, where a frame with a cycle is empty.
CORNER = (0.71, 0.04, 0.28, 0.28)
# The distance between a cycle and the exact one is the larger of two numbers: the largest difference in x, divided by
# the range of x on the exact cycle, and the same for the force. If the distance is at most VISIBLE, the two cycles look
# the same. If it is also more than LEAST_VISIBLE, a corner of the cycle is magnified to show it. The width of the
# magnified part is 2 CORNER_DISTANCES times the distance, as a fraction of the range of x. Its height is the same
# fraction of the range of the force.
VISIBLE, LEAST_VISIBLE, CORNER_DISTANCES = 0.01, 1e-6, 3
# Differences from the exact solution are drawn over this number of cycles of x at the end of it, for at most
# MOST_DIFFERENCES runs, which are those with the most cells. A frame of one has about FEW_TICKS labels on an axis.
CYCLES, MOST_DIFFERENCES, FEW_TICKS = 2, 3, 4
# A figure with all cycles in one frame is TOGETHER_WIDTH panels wide, and one with two columns of panels is PAIR_WIDTH
# panels wide. If they are printed 85 mm wide, their letters are larger than 6 points.
TOGETHER_WIDTH, PAIR_WIDTH, PAIR_HEIGHT = 1.3, 1.35, 0.78
# A figure has at most this many panels, as many as a printed page can hold.
PANELS = 12
# Two cycles share a panel if no point of one is farther from the other than this fraction of the range of x or force.
ALIKE = 0.05
# The titles of panels are wrapped into lines of at most TITLE_LETTERS letters, the first number for a panel alone and
# the second for one of two columns. In a figure with all cycles in one frame, the labels are wrapped into lines of at
# most TOGETHER_LETTERS letters.
TITLE_LETTERS, TOGETHER_LETTERS = (42, 27), 54
TRANSIENT, CENTRE = "#bbbbbb", "#000000"
# If the slope at the end of a half-cycle is at most this fraction of the slope at its beginning, it is regarded as a
# rounding error and printed as 0.
ROUNDING = 1e-9


def labels_of_axes(units):
    """Return the labels of the axes of x and of the force, with the units of curves {name: unit} where these agree."""
    known = [{each.get(name, "") for each in units} for name in ("x", "force")]
    return [f"{label} [{min(unit)}]" if len(unit) == 1 and any(unit) else label
            for label, unit in zip((X_LABEL, RESTORING_LABEL), known)]


def cycle_panels(curves, titles, times=None, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return figures with one panel for each curve, at most PANELS panels in a figure. Curves that look alike (see
    ALIKE) share a panel, and a place that would be empty beside the last panel shows all curves of the figure.

    curves: [(x, restoring), ...]. titles: one for each curve. times: [t or None, ...], one for each curve; a curve is
    coloured by its times if they are given and the curve has many cycles whose range changes (is_by_time()). The axes
    of all panels have the same scales.
    """
    groups, times = [], times or [None] * len(curves)
    titles, common = _without_common(titles)
    for n, curve in enumerate(curves):
        others = [] if times[n] is not None and is_by_time(curve[0]) else groups
        group = next((each for each in others if _look_alike(curves[each[0]], curve)), [])
        if not group:
            groups.append(group)
        group.append(n)
    return [_panels(groups[n:n + PANELS], curves, titles, common, times, axis_labels) for n in range(0, len(groups), PANELS)]


def _without_common(titles):
    """Return the titles without those parts, separated by ", ", that all of them have, and these parts.

    If a title consisted of such parts only, nothing is left out of any title.
    """
    parts = [title.split(", ") for title in titles]
    common = [part for part in parts[0] if all(part in each for each in parts)]
    short = [", ".join(part for part in each if part not in common) for each in parts]
    return (short, ", ".join(common)) if all(short) else (titles, "")


def _look_alike(one, other):
    points = [np.column_stack(curve) / [np.ptp(values) or 1.0 for values in one] for curve in (one, other)]
    extents = [np.r_[each.min(axis=0), each.max(axis=0)] for each in points]
    if np.abs(extents[0] - extents[1]).max() > ALIKE:
        return False
    # A thousand points of each curve are compared with all points of the other one.
    return all(cKDTree(of).query(at[::len(at) // 1000 + 1])[0].max() <= ALIKE for of, at in (points, points[::-1]))


def _panels(groups, curves, titles, common, times, axis_labels):
    """Return a figure with a panel for each of the `groups` of numbers of curves, and the words `common` above them."""
    columns = min(len(groups), 2)
    rows = math.ceil(len(groups) / columns)
    every = sorted(n for group in groups for n in group)
    limits = dict(zip(every, shared_limits([curves[n] for n in every])))
    shared = len(set(limits.values())) == 1
    figure = style.figure(PAIR_WIDTH, PAIR_HEIGHT * rows) if columns > 1 else style.figure()
    frames = figure.subplots(rows, columns, sharex=shared, sharey=shared, squeeze=False).ravel()
    colours = dict(zip(every, style.colours(len(every))))
    for axes, group in zip(frames, groups + [every]):
        names = ["\n".join(textwrap.wrap(titles[n], TITLE_LETTERS[columns - 1])) for n in group]
        for n, width in zip(group, _widths(len(group))):
            draw_record(axes, curves[n], times[n] if len(group) == 1 else None, color=colours[n], linewidth=width)
        if shared or len(group) == 1:
            axes.set(xlim=limits[group[0]][0], ylim=limits[group[0]][1])
        if len(group) == 1 or group is every:
            axes.set_title(names[0] if len(group) == 1 else "all together")
        else:
            style.name_curves(axes, axes.lines, names)
        style.label_values(axes.xaxis, axes.yaxis)
    figure.suptitle(common)
    figure.supxlabel(axis_labels[0])
    figure.supylabel(axis_labels[1])
    return figure


def _widths(count):
    """Return the widths of `count` lines in one frame. Each line is thinner than the line before, so that lines which
    coincide stay visible; only of more lines than a legend has, all are thin."""
    return np.linspace(1.2 + min(0.9 * (count - 1), 2) * (count <= style.MOST_NAMED), 1.2, count)


def cycles_together(curves, labels, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure of all curves (x, restoring) in one frame."""
    labels, common = _without_common(labels)
    # A letter of a label takes about a tenth of an inch in the legend. The line in front of the label takes as much as
    # eight letters.
    columns = max(1, min(4, int(TOGETHER_WIDTH * style.PANEL[0] * 10 / (max(map(len, labels)) + 8))))
    labels = ["\n".join(textwrap.wrap(label, TOGETHER_LETTERS)) for label in labels]
    lines = max(label.count("\n") + 1 for label in labels) * math.ceil(len(curves) / columns)
    figure, axes = style.frame(TOGETHER_WIDTH, 1.2 + 0.065 * (lines if len(curves) <= style.MOST_NAMED else 0))
    for curve, label, width, colour in zip(curves, labels, _widths(len(curves)), style.colours(len(curves))):
        axes.plot(*curve, color=colour, label=label, linewidth=width)
    axes.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    style.label_values(axes.xaxis, axes.yaxis)
    style.name_curves(axes, axes.lines, labels, columns)
    figure.suptitle(common)
    return figure


def together(runs, exact=None, start=None, end=None):
    """Return a figure of the cycles (x, restoring) of several Runs of one problem in start <= t <= end.

    If the Run `exact` is given, its cycle is drawn behind the others as a grey line. Of the cycles that look the same
    as the exact one (see VISIBLE), only the nearest is then drawn. The right-hand corner of this nearest cycle is
    magnified if its distance from the exact cycle exceeds LEAST_VISIBLE.
    """
    figure, axes = style.frame(1, 1.15)
    samples = {run: run.in_window(start, end) for run in runs}
    drawn, colours = runs, dict(zip(runs, style.colours(len(runs))))
    if exact is not None:
        behind = exact.in_window(*samples[runs[0]][0][[0, -1]])[1:]
        axes.plot(*behind, **style.BEHIND, label="exact")
        sizes = [np.ptp(values) or 1.0 for values in behind]
        apart = {run: max(np.abs(far).max() / size for far, size in zip(differences_from(exact, sample), sizes))
                 for run, sample in samples.items()}
        nearest = min(runs, key=apart.get)
        drawn = [run for run in runs if run is nearest or apart[run] > VISIBLE]
    for run, label in zip(runs, labels(runs)):
        if run in drawn:
            axes.plot(*samples[run][1:], color=colours[run], label=label)
    if exact is not None and LEAST_VISIBLE < apart[nearest] <= VISIBLE:
        _draw_corner(axes, samples[nearest][1:], behind, CORNER_DISTANCES * apart[nearest], colours[nearest])
    axes.set(xlabel=X_LABEL, ylabel=motion(runs[0]).labels["restoring"])
    style.label_values(axes.xaxis, axes.yaxis)
    if len(runs) > style.MOST_NAMED:
        style.scale_of_names(axes, labels(runs))
    elif len(axes.lines) > 1:
        axes.legend(loc="upper left", borderaxespad=0, handlelength=1.2, labelspacing=0.25)
    return figure


def _draw_corner(axes, curve, exact, part, colour):
    inset = axes.inset_axes(CORNER)
    inset.plot(*exact, **style.BEHIND)
    inset.plot(*curve, color=colour)
    tip = np.argmax(exact[0])
    half = [part * np.ptp(values) or 1.0 for values in exact]
    limits = [(values[tip] - 1.5 * h, values[tip] + 0.5 * h) for values, h in zip(exact, half)]
    inset.set(xlim=limits[0], ylim=limits[1], xticks=[], yticks=[])
    inset.text(0.95, 0.08, f"× {CORNER[2] / (2 * part):.2g}", transform=inset.transAxes, ha="right", fontsize=10)
    for spine in inset.spines.values():
        spine.set_visible(True)
    axes.indicate_inset_zoom(inset, edgecolor=style.GREY, linewidth=1.2)


def labels(runs):
    """Return labels that distinguish the Runs of one problem.

    A label is `P = 100` if all runs have different numbers of cells P, and otherwise the name from names_apart().
    """
    sizes = [count(run.cells) for run in runs if run.cells is not None]
    return [f"P = {size}" for size in sizes] if len(set(sizes)) == len(runs) else names_apart(runs)


def differences(runs, exact, of, most=MOST_DIFFERENCES):
    """Return a figure of x(t; P) − x(t) over the last CYCLES cycles of the Run `exact`, a frame for each run.

    Here x(t; P) is the x of a run with P cells, and x(t) is the x of `exact`. If `of` is "f" and not "x", the restoring
    forces are compared. Only the last `most` of the runs are drawn, each with the same colour as in together() and with
    its own scale. If `exact` has fewer cycles, all samples of the runs are used.
    """
    start = start_of_last_cycles(exact, CYCLES)
    shown = list(zip(runs, labels(runs), style.colours(len(runs))))[-most:]
    figure = style.figure(1, 0.2 + 0.95 * max(len(shown), 2) / MOST_DIFFERENCES)
    for axes, (run, label, colour) in zip(figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0], shown):
        t, x, restoring = run.in_window(start)
        far = differences_from(exact, (t, x, restoring))["xf".index(of)]
        axes.plot(t, far, color=colour, label=label)
        axes.set(xlim=(t[0], t[-1]))
        axes.set_title(label, loc="left", fontsize=10, pad=3)
        style.label_values(axes.xaxis, axes.yaxis, most=FEW_TICKS)
    axes.set(xlabel="time t")
    figure.supylabel(f"{of}(t; P) − {of}(t)")
    return figure


def start_of_last_cycles(run, wanted):
    """Return the time at which the last `wanted` cycles of x begin, each of which takes two reversals of x.

    If a run has fewer cycles, the time of its first sample is returned.
    """
    turns = reversals(run.x)
    return float(run.t[turns[-2 * wanted - 1]]) if len(turns) > 2 * wanted else float(run.t[0])


def is_by_time(x):
    """Return whether x [samples] has more than MANY_REVERSALS reversals, and a range that changes.

    The range changes if the minimum or the maximum of x differs between the first and the second half of the samples by
    more than VISIBLE times the range of x.
    """
    if len(reversals(x)) <= style.MANY_REVERSALS:
        return False
    halves = [(half.min(), half.max()) for half in np.array_split(x, 2)]
    return bool(np.abs(np.subtract(*halves)).max() > VISIBLE * np.ptp(x))


def draw_record(axes, curve, t, **line):
    """Draw a curve (x, y) [samples] into the axes with the properties `line` of Axes.plot.

    If the times t are given and the curve has many cycles whose range changes (is_by_time()), the curve is coloured by
    t, a colour bar is added, and `line` is ignored. If t is None, the curve is never coloured by time.
    """
    if t is not None and is_by_time(curve[0]):
        style.line_by_time(axes, t, *curve)
    else:
        axes.plot(*curve, **line)


def shared_limits(curves):
    """Return the limits ((x0, x1), (y0, y1)) of the axes for each curve.

    The widths x1 - x0 and y1 - y0 are the same for all curves, so that the shapes of the curves can be compared.
    """
    limits = []
    for columns in zip(*curves):
        low, high = np.array([(column.min(), column.max()) for column in columns]).T
        widest = (high - low).max() or 1.0
        # All curves share their limits if together they span at most twice the widest of them. Otherwise the limits
        # have the same width, but different centres, because the curves may be far apart. Without the spring k0, for
        # instance, a limit cycle may lie anywhere in x.
        if high.max() - low.min() <= 2 * widest:
            low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
            widest = high[0] - low[0] or 1.0
        limits.append([(centre - 0.55 * widest, centre + 0.55 * widest) for centre in (low + high) / 2])
    return list(zip(*limits))


def analysis_figure(analyses, titles, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure with one panel for each Analysis.

    A panel shows the limit cycle or, if there is none, the last loop; the part of the curve before it is drawn in grey
    if it looks different. The numbers below the title are those of the last loop.
    """
    figure = style.figure(TOGETHER_WIDTH, 1.6 * len(analyses))
    for axes, analysis, title in zip(figure.subplots(len(analyses), 1, squeeze=False)[:, 0], analyses, titles):
        _draw_analysis(axes, analysis, title)
        axes.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    return figure


def _draw_analysis(axes, analysis, title):
    loop = analysis.last
    begin = analysis.loops[-analysis.period].start if analysis.first is not None else loop.start
    x, force = analysis.x, analysis.force
    before, cycle = (np.column_stack([x[part], force[part]]) for part in (slice(begin + 1), slice(begin, loop.end + 1)))
    size = np.ptp(cycle, axis=0)
    size[size == 0] = 1
    if begin and cKDTree(cycle / size).query(before / size)[0].max() > VISIBLE:
        axes.plot(*before.T, color=TRANSIENT, linewidth=0.9, label="before")
    axes.plot(*cycle.T, color=style.COLOURS[0],
              label="limit cycle" if analysis.first is not None else "last cycle, no limit yet")
    axes.plot(loop.centre_x + analysis.backbone[:, 0], loop.centre_force + analysis.backbone[:, 1],
              color=style.COLOURS[1], linestyle="--", label="backbone")
    if analysis.corners is not None:
        axes.plot(*analysis.corners.T, "o", color=CENTRE, markersize=4, label="corners")
    axes.plot(loop.centre_x, loop.centre_force, "+", color=CENTRE, markersize=10, label="centre")
    style.label_values(axes.xaxis, axes.yaxis)
    axes.set_title(f"{title}\n{_numbers(analysis)}", fontsize=10)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)


def _numbers(analysis):
    loop = analysis.last
    least = ROUNDING * abs(loop.tangent_after_reversal)
    last_slope = loop.tangent_before_reversal if abs(loop.tangent_before_reversal) > least else 0.0
    shape = f"{analysis.segments} segments" if analysis.segments else "no polygon"
    return (f"amplitude {measured(loop.amplitude, 4)}, area {measured(loop.area, 4)}, {shape},\n"
            f"secant {measured(loop.secant_stiffness, 3)}, tangents {measured(loop.tangent_after_reversal, 3)} to "
            f"{measured(last_slope, 3)}, damping ratio {measured(loop.damping_ratio, 3)}")
