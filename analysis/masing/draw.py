"""Draw hysteresis cycles, the curves of a restoring force over x, as matplotlib Figures."""

import math
import textwrap

import numpy as np
from scipy.spatial import cKDTree

from masing import style
from masing.cycles.curves import differences_from
from masing.cycles.half_cycles import reversals
from masing.style import RESTORING_LABEL, X_LABEL
from masing.text import in_figure, labels, listed, measured, motion

# The place of the magnified corner of a cycle (left, bottom, width, height) as fractions of the frame, at the lower
# right, where a frame with a cycle is empty.
CORNER = (0.71, 0.04, 0.28, 0.28)
# The distance between two cycles is the larger of two numbers: the largest difference in x, divided by the range of x,
# and the same for the force. Cycles whose distance is at most VISIBLE look the same. If the distance is also more than
# LEAST_VISIBLE, a corner is magnified, and its width is 2 CORNER_DISTANCES times the distance.
VISIBLE, LEAST_VISIBLE, CORNER_DISTANCES = 0.01, 1e-6, 3
# A figure with two columns of panels is as wide as a page of a journal, 170 mm. All widths and heights are in panels.
PAGE_WIDTH, ROW_HEIGHT = 170 / 25.4 / style.PANEL[0], 0.9
TOGETHER_WIDTH = 1.3
# Two cycles share a panel if no point of one is farther from the other than this fraction of the range of x or force.
ALIKE = 0.05
# The largest number of letters in a line of a title.
TITLE_LETTERS = 36


def labels_of_axes(units):
    """Return the labels of the axes of x and of the force, with the units of curves {name: unit} where these agree."""
    known = [{each.get(name, "") for each in units} for name in ("x", "force")]
    return [f"{label} [{min(unit)}]" if len(unit) == 1 and any(unit) else label
            for label, unit in zip((X_LABEL, RESTORING_LABEL), known)]


def is_by_time(x):
    """Return whether x [samples] has more than MANY_REVERSALS reversals, and a range that changes visibly."""
    if len(reversals(x)) <= style.MANY_REVERSALS:
        return False
    halves = [(half.min(), half.max()) for half in np.array_split(x, 2)]
    return bool(np.abs(np.subtract(*halves)).max() > VISIBLE * np.ptp(x))


def start_of_last_cycles(run, wanted):
    """Return the time at which the last `wanted` cycles of x begin, or that of the first sample if x has fewer."""
    turns = reversals(run.x)
    return float(run.t[turns[-2 * wanted - 1]]) if len(turns) > 2 * wanted else float(run.t[0])


def cycle(axes, x, force, *, t=None, **line):
    """Draw one curve, a line with the properties `line` of Axes.plot, into the axes.

    The curve is coloured by the times t if they are given and it has many cycles whose range changes.
    """
    if t is not None and is_by_time(x):
        style.line_by_time(axes, t, x, force)
    else:
        axes.plot(x, force, **line)


def together(curves, names, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure of all curves (x, force) in one frame, and the words that all names have in common."""
    names, common = _without_common(names)
    figure, axes = style.frame(TOGETHER_WIDTH, 1.2)
    for curve, name, colour in zip(curves, names, style.colours(len(curves))):
        cycle(axes, *curve, color=colour, label=name)
    axes.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
    style.legend(axes)
    return figure, common


def over_exact(runs, exact=None, start=None, end=None):
    """Return a figure of the cycles of several Runs of one problem in start <= t <= end, over that of the Run `exact`.

    Of the cycles that look the same as the exact one (see VISIBLE), only the nearest is drawn. Its right-hand corner is
    magnified if its distance from the exact cycle exceeds LEAST_VISIBLE.
    """
    figure, axes = style.frame(1, 1.15)
    samples = [run.in_window(start, end) for run in runs]
    curves = list(zip((sample[1:] for sample in samples), style.colours(len(runs)), labels(runs)))
    if exact is not None:
        behind = exact.in_window(*samples[0][0][[0, -1]])[1:]
        axes.plot(*behind, **style.BEHIND, label="exact")
        sizes = [np.ptp(values) or 1.0 for values in behind]
        apart = [max(np.abs(far).max() / size for far, size in zip(differences_from(exact, sample), sizes))
                 for sample in samples]
        nearest = int(np.argmin(apart))
        if LEAST_VISIBLE < apart[nearest] <= VISIBLE:
            _magnify_corner(axes, curves[nearest], behind, CORNER_DISTANCES * apart[nearest])
        curves = [curve for n, curve in enumerate(curves) if n == nearest or apart[n] > VISIBLE]
    for curve, colour, name in curves:
        axes.plot(*curve, color=colour, label=name)
    axes.set(xlabel=X_LABEL, ylabel=motion(runs[0]).labels["restoring"])
    if len(axes.lines) > 1:
        style.legend(axes, inside=True)
    return figure


def _magnify_corner(axes, curve, exact, part):
    """Draw the right-hand corner of a curve, magnified, into a small frame within the axes."""
    inset = axes.inset_axes(CORNER)
    inset.plot(*exact, **style.BEHIND)
    inset.plot(*curve[0], color=curve[1])
    tip = np.argmax(exact[0])
    half = [part * np.ptp(values) or 1.0 for values in exact]
    limits = [(values[tip] - 1.5 * h, values[tip] + 0.5 * h) for values, h in zip(exact, half)]
    inset.set(xlim=limits[0], ylim=limits[1], xticks=[], yticks=[])
    inset.text(0.95, 0.08, f"× {CORNER[2] / (2 * part):.2g}", transform=inset.transAxes, ha="right", fontsize=10)
    inset.spines[:].set_visible(True)
    axes.indicate_inset_zoom(inset, edgecolor=style.GREY, linewidth=1.2)


def panels(curves, names, times=None, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure with a panel for each curve, (a), (b), …, and the words that all names have in common.

    Curves that look alike (see ALIKE) share a panel, and a place that would be empty beside the last panel shows all
    curves. A curve is coloured by its times, if they are given, as in cycle(). A curve has the same line in all panels,
    and these have the same scales unless the curves lie far apart.
    """
    times = times or [None] * len(curves)
    names, common = _without_common(names)
    groups = _groups(curves, times)
    columns = min(len(groups), 2)
    rows = math.ceil(len(groups) / columns)
    shared = [bool(np.ptp(np.concatenate(values)) <= 2 * max(map(np.ptp, values))) for values in zip(*curves)]
    figure = style.figure(PAGE_WIDTH, ROW_HEIGHT * rows) if columns > 1 else style.figure()
    frames = figure.subplots(rows, columns, sharex=shared[0], sharey=shared[1], squeeze=False).ravel()
    colours = style.colours(len(curves))
    for place, (axes, group) in enumerate(zip(frames, groups + [range(len(curves))])):
        for n in group:
            cycle(axes, *curves[n], t=times[n] if len(group) == 1 else None, color=colours[n], linewidth=1.2,
                  label=names[n])
        title = "all" if place == len(groups) else listed(names[n] for n in group)
        letter = f"({chr(ord('a') + place)}) " if 1 < len(groups) <= 26 else ""
        axes.set_title(textwrap.fill(letter + title, TITLE_LETTERS), loc="left")
        # The panel of all curves needs no legend: they have the colours of their own panels.
        if 1 < len(group) <= style.MOST_NAMED and place < len(groups):
            style.legend(axes, inside=True)
    figure.supxlabel(axis_labels[0])
    figure.supylabel(axis_labels[1])
    return figure, common


def _groups(curves, times):
    """Return lists of the numbers of curves that look alike; a curve coloured by time is alone."""
    groups = []
    for n, curve in enumerate(curves):
        others = [] if times[n] is not None and is_by_time(curve[0]) else groups
        group = next((each for each in others if _look_alike(curves[each[0]], curve)), None)
        if group is None:
            groups.append([n])
        else:
            group.append(n)
    return groups


def _look_alike(one, other):
    """Return whether no point of one curve is farther than ALIKE from the other curve."""
    points = [np.column_stack(curve) / [np.ptp(values) or 1.0 for values in one] for curve in (one, other)]
    extents = [np.r_[each.min(axis=0), each.max(axis=0)] for each in points]
    if np.abs(extents[0] - extents[1]).max() > ALIKE:
        return False
    # A thousand points of each curve are compared with all points of the other one.
    return all(cKDTree(of).query(at[::len(at) // 1000 + 1])[0].max() <= ALIKE for of, at in (points, points[::-1]))


def _without_common(names):
    """Return the names without those parts, separated by ", ", that all of them have, and these parts.

    If a name consisted of such parts only, nothing is left out of any name.
    """
    parts = [name.split(", ") for name in names]
    common = [part for part in parts[0] if all(part in each for each in parts)]
    short = [", ".join(part for part in each if part not in common) for each in parts]
    return (short, ", ".join(common)) if all(short) else (list(names), "")


def curve_of_run(run, sample):
    """Return a figure of the restoring force over x of a Run, where `sample` are its (t, x, restoring) [samples]."""
    figure, axes = style.frame()
    t, x, restoring = sample
    cycle(axes, x, restoring, t=t)
    axes.set(xlabel=in_figure(run.attributes("series/x").get("label", "x")))
    axes.set(ylabel=in_figure(motion(run).labels["restoring"]))
    return figure


def analysis_figure(analyses, titles, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure with one panel for each Analysis.

    A panel shows the limit cycle or, if there is none, the last loop, before the rest of the curve in grey.
    """
    figure = style.figure(TOGETHER_WIDTH, 1.5 * len(analyses))
    for axes, analysis, title in zip(figure.subplots(len(analyses), 1, squeeze=False)[:, 0], analyses, titles):
        _analysis(axes, analysis)
        loop = analysis.last
        axes.set(xlabel=axis_labels[0], ylabel=axis_labels[1])
        axes.set_title(f"{title}: amplitude {measured(loop.amplitude, 4)}, area {measured(loop.area, 4)},\n"
                       f"secant {measured(loop.secant_stiffness, 3)}, damping ratio {measured(loop.damping_ratio, 3)}")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncol=3)
    return figure


def _analysis(axes, analysis):
    """Draw the limit cycle of an Analysis with its backbone, corners and centre."""
    loop = analysis.last
    begin = analysis.loops[-analysis.period].start if analysis.first is not None else loop.start
    x, force = analysis.x, analysis.force
    if begin:
        axes.plot(x[:begin + 1], force[:begin + 1], color="#bbbbbb", linewidth=0.9, label="before")
    axes.plot(x[begin:loop.end + 1], force[begin:loop.end + 1], color=style.COLOURS[0],
              label="limit cycle" if analysis.first is not None else "last cycle, no limit yet")
    axes.plot(loop.centre_x + analysis.backbone[:, 0], loop.centre_force + analysis.backbone[:, 1],
              color=style.COLOURS[1], linestyle="--", label="backbone")
    if analysis.corners is not None:
        axes.plot(*analysis.corners.T, "ko", markersize=4, label="corners")
    axes.plot(loop.centre_x, loop.centre_force, "k+", markersize=10, label="centre")
