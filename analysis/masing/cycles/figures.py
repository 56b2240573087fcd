"""The figures of hysteresis cycles and of analysed limit cycles: data in, matplotlib Figure out."""

import math
import textwrap

import numpy as np
from scipy.spatial import cKDTree

from masing import style
from masing.cycles.curves import differences_from
from masing.cycles.half_cycles import reversals
from masing.names import motion, names_apart
from masing.notation import count, measured
from masing.style import RESTORING_LABEL, X_LABEL

# Where a cycle's magnified corner is drawn, in parts of the frame: a cycle leaves the lower right empty.
CORNER = (0.71, 0.04, 0.28, 0.28)
# A cycle nearer to the exact one than this part of its width cannot be told from it, and nearer than the least one not
# even in the corner, which is this many distances wide to each side of the exact cycle's tip.
VISIBLE, LEAST_VISIBLE, CORNER_DISTANCES = 0.01, 1e-6, 3
# So many last periods of differences are drawn.
PERIODS = 2
# The width of a figure of cycles in one frame, in panels.
TOGETHER_WIDTH = 1.6
# A figure has at most this many panels: a page in print.
PANELS = 12
TITLE_LETTERS, TOGETHER_LETTERS = 42, 54
TRANSIENT, CENTRE = "#bbbbbb", "#000000"
# A slope of this fraction of the steepest is rounding.
ROUNDING = 1e-9


def cycle_panels(curves, titles, times=None, ylabel=RESTORING_LABEL):
    """Figures of at most PANELS panels, one a cycle, all on the same scales; curves = [(x, restoring), ...]; those of many
    cycles that differ are coloured by their times, [t, ...], if given."""
    panels = list(zip(curves, titles, shared_limits(curves), times or [None] * len(curves)))
    figures = []
    for part in (panels[n:n + PANELS] for n in range(0, len(panels), PANELS)):
        columns = 1 if len(part) == 1 else 2 if len(part) <= 6 else 3
        rows = math.ceil(len(part) / columns)
        figures.append(style.figure(columns, rows))
        for place, (curve, title, limits, t) in enumerate(part, start=1):
            axes = figures[-1].add_subplot(rows, columns, place)
            draw_record(axes, curve, t, color=style.COLOURS[0])
            axes.set(xlabel=X_LABEL, ylabel=ylabel, title="\n".join(textwrap.wrap(title, TITLE_LETTERS)),
                     xlim=limits[0], ylim=limits[1])
            style.label_values(axes.xaxis, axes.yaxis)
    return figures


def cycles_together(curves, labels, ylabel=RESTORING_LABEL):
    """All cycles in one frame; each line is thinner than the one before, so that coinciding cycles stay visible."""
    # A label takes about a tenth of an inch a letter, and as much again for its line.
    columns = max(1, min(4, int(TOGETHER_WIDTH * style.PANEL[0] * 10 / (max(map(len, labels)) + 8))))
    labels = ["\n".join(textwrap.wrap(label, TOGETHER_LETTERS)) for label in labels]
    lines = max(label.count("\n") + 1 for label in labels) * math.ceil(len(curves) / columns)
    figure, axes = style.frame(TOGETHER_WIDTH, 1.4 + 0.065 * lines)
    widths = np.linspace(1.2 + 0.7 * min(len(curves) - 1, 4), 1.2, len(curves))
    for curve, label, width, colour in zip(curves, labels, widths, style.colours(len(curves))):
        axes.plot(*curve, color=colour, label=label, linewidth=width)
    axes.set(xlabel=X_LABEL, ylabel=ylabel)
    style.label_values(axes.xaxis, axes.yaxis)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=columns)
    return figure


def together(runs, exact=None, start=None, end=None):
    """The cycles (x, restoring) of the Runs of one problem in start <= t <= end over that of the Run `exact`, grey, if
    given; of those that cannot be told from it only the nearest, for which the right-hand corner is magnified."""
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
            axes.plot(*samples[run][1:], color=colours[run], label=label, linewidth=1.2)
    if exact is not None and LEAST_VISIBLE < apart[nearest] <= VISIBLE:
        _draw_corner(axes, samples[nearest][1:], behind, CORNER_DISTANCES * apart[nearest], colours[nearest])
    axes.set(xlabel=X_LABEL, ylabel=motion(runs[0]).labels["restoring"])
    style.label_values(axes.xaxis, axes.yaxis)
    if len(axes.lines) > 1:
        axes.legend(loc="upper left", borderaxespad=0, handlelength=1.2, labelspacing=0.25)
    return figure


def _draw_corner(axes, curve, exact, part, colour):
    inset = axes.inset_axes(CORNER)
    inset.plot(*exact, **style.BEHIND)
    inset.plot(*curve, color=colour, linewidth=1.2)
    tip = np.argmax(exact[0])
    half = [part * np.ptp(values) or 1.0 for values in exact]
    limits = [(values[tip] - 1.5 * h, values[tip] + 0.5 * h) for values, h in zip(exact, half)]
    inset.set(xlim=limits[0], ylim=limits[1], xticks=[], yticks=[])
    inset.text(0.95, 0.08, f"× {CORNER[2] / (2 * part):.2g}", transform=inset.transAxes, ha="right", fontsize=10)
    for spine in inset.spines.values():
        spine.set_visible(True)
    axes.indicate_inset_zoom(inset, edgecolor=style.GREY)


def labels(runs):
    """What tells Runs of one problem apart: `P = 100` where that does, else their names."""
    sizes = [count(run.cells) for run in runs if run.cells is not None]
    return [f"P = {size}" for size in sizes] if len(set(sizes)) == len(runs) else names_apart(runs)


def differences(runs, exact, of, most=len(style.LINES)):
    """|x(t; P) - x(t)|, or that of the restoring force where `of` is "f", of the last `most` Runs from the exact Run over
    its last two periods, on a logarithmic axis, in the colours of together()."""
    turns = reversals(exact.x)
    start = exact.t[turns[-2 * PERIODS - 1]] if len(turns) > 2 * PERIODS else None
    figure, axes = style.frame(1, 1.15, yscale="log")
    for run, label, colour, dashes in list(zip(runs, labels(runs), style.colours(len(runs)), style.LINES * 9))[-most:]:
        t, x, restoring = run.in_window(start)
        far = differences_from(exact, (t, x, restoring))["xf".index(of)]
        axes.plot(t, np.abs(far), dashes, color=colour, label=label)
    # Where the curves cross the difference is zero.
    least = min(line.get_ydata().max() for line in axes.lines)
    axes.set(xlabel="time t", ylabel=f"|{of}(t; P) − {of}(t)|", ylim=(least / 30 or None, None))
    style.label_values(axes.xaxis)
    style.label_decades(axes.yaxis)
    style.legend_above(axes, 3)
    return figure


def is_by_time(x):
    """Whether the displacements x [samples] are of many cycles whose range changes, by more than is visible."""
    if len(reversals(x)) <= style.MANY_REVERSALS:
        return False
    halves = [(half.min(), half.max()) for half in np.array_split(x, 2)]
    return bool(np.abs(np.subtract(*halves)).max() > VISIBLE * np.ptp(x))


def draw_record(axes, curve, t, **line):
    """Draw a curve of two columns [samples] as `line`; one of many cycles that differ in the colours of its times t."""
    if t is not None and is_by_time(curve[0]):
        axes.figure.colorbar(style.line_by_time(axes, t, *curve), ax=axes, label="time t", aspect=30)
    else:
        axes.plot(*curve, **line)


def shared_limits(curves):
    """For each curve its axes' limits ((x0, x1), (y0, y1)), of the same widths, so that shapes can be compared."""
    return list(zip(*(_shared([curve[axis] for curve in curves]) for axis in (0, 1))))


def _shared(columns, margin=0.05):
    low, high = np.array([(column.min(), column.max()) for column in columns]).T
    widest = (high - low).max() or 1.0
    # Without hardening a cycle is defined up to a translation: cycles far apart keep the scale, not the place.
    if high.max() - low.min() <= 2 * widest:
        low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
        widest = high[0] - low[0] or 1.0
    centre, half = (low + high) / 2, (0.5 + margin) * widest
    return [(c - half, c + half) for c in centre]


def analysis_figure(analyses, titles, ylabel=RESTORING_LABEL):
    """One panel an Analysis, with its numbers below the title."""
    figure = style.figure(1.5, 1.6 * len(analyses))
    for axes, analysis, title in zip(figure.subplots(len(analyses), 1, squeeze=False)[:, 0], analyses, titles):
        _draw_analysis(axes, analysis, title)
        axes.set(ylabel=ylabel)
    return figure


def _draw_analysis(axes, analysis, title):
    loop = analysis.last
    begin = analysis.loops[-analysis.period].start if analysis.first is not None else loop.start
    x, force = analysis.x, analysis.force
    before, cycle = (np.column_stack([x[part], force[part]]) for part in (slice(begin + 1), slice(begin, loop.end + 1)))
    size = np.ptp(cycle, axis=0)
    size[size == 0] = 1
    if begin and cKDTree(cycle / size).query(before / size)[0].max() > VISIBLE:
        axes.plot(*before.T, color=TRANSIENT, linewidth=0.7, label="before")
    axes.plot(*cycle.T, color=style.COLOURS[0],
              label="limit cycle" if analysis.first is not None else "last cycle, no limit yet")
    axes.plot(loop.centre_x + analysis.backbone[:, 0], loop.centre_force + analysis.backbone[:, 1],
              color=style.COLOURS[1], linestyle="--", label="backbone")
    if analysis.corners is not None:
        axes.plot(*analysis.corners.T, "o", color=CENTRE, markersize=4, label="corners")
    axes.plot(loop.centre_x, loop.centre_force, "+", color=CENTRE, markersize=10, label="centre")
    axes.set(xlabel=X_LABEL)
    style.label_values(axes.xaxis, axes.yaxis)
    axes.set_title(f"{title}\n{_numbers(analysis)}", fontsize=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _numbers(analysis):
    loop = analysis.last
    least = ROUNDING * abs(loop.tangent_after_reversal)
    last_slope = loop.tangent_before_reversal if abs(loop.tangent_before_reversal) > least else 0.0
    shape = f"{analysis.segments} segments" if analysis.segments else "no polygon"
    return (f"amplitude {measured(loop.amplitude, 4)}, area {measured(loop.area, 4)}, {shape},\n"
            f"secant {measured(loop.secant_stiffness, 3)}, tangents {measured(loop.tangent_after_reversal, 3)} to "
            f"{measured(last_slope, 3)}, damping ratio {measured(loop.damping_ratio, 3)}")
