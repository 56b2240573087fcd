"""Draw hysteresis cycles, the curves of a restoring force over x, as matplotlib Figures."""

import textwrap

import numpy as np

from masing import style
from masing.cycles.curves import differences_from
from masing.cycles.half_cycles import reversals
from masing.style import RESTORING_LABEL, X_LABEL
from masing.text import labels, motion

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
# The largest number of letters in a line of a title.
TITLE_LETTERS = 36


def labels_of_axes(units):
    """Return the labels of the axes of x and of the force, with the units of curves {name: unit} where these agree."""
    known = [{each.get(name, "") for each in units} for name in ("x", "force")]
    return [f"{label} [{min(unit)}]" if len(unit) == 1 and any(unit) else label
            for label, unit in zip((X_LABEL, RESTORING_LABEL), known)]


def start_of_last_cycles(run, wanted):
    """Return the time at which the last `wanted` cycles of x begin, or that of the first sample if x has fewer."""
    turns = reversals(run.x)
    return float(run.t[turns[-2 * wanted - 1]]) if len(turns) > 2 * wanted else float(run.t[0])


def together(curves, names, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure of all curves (x, force) in one frame, and the words that all names have in common."""
    names, common = _without_common(names)
    figure, axes = style.frame(TOGETHER_WIDTH, 1.2, xlabel=axis_labels[0], ylabel=axis_labels[1])
    for curve, name, colour in zip(curves, names, style.colours(len(curves))):
        axes.plot(*curve, color=colour, label=name)
    style.legend(axes)
    return figure, common


def over_exact(runs, exact=None, start=None, end=None):
    """Return a figure of the cycles of several Runs of one problem in start <= t <= end, over that of the Run `exact`.

    Of the cycles that look the same as the exact one (see VISIBLE), only the nearest is drawn. Its right-hand corner is
    magnified if its distance from the exact cycle exceeds LEAST_VISIBLE.
    """
    figure, axes = style.frame(1, 1.15, xlabel=X_LABEL, ylabel=motion(runs[0]).ordinate)
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


def panels(curves, names, axis_labels=(X_LABEL, RESTORING_LABEL)):
    """Return a figure with a panel for each curve, (a), (b), …, and the words that all names have in common.

    A place that would be empty beside the last panel shows all curves, each with the line of its own panel. The panels
    have the same scales unless the curves lie far apart.
    """
    names, common = _without_common(names)
    columns = min(len(curves), 2)
    rows = -(-len(curves) // columns)
    shared = [bool(np.ptp(np.concatenate(values)) <= 2 * max(map(np.ptp, values))) for values in zip(*curves)]
    figure = style.figure(PAGE_WIDTH, ROW_HEIGHT * rows) if columns > 1 else style.figure()
    frames = figure.subplots(rows, columns, sharex=shared[0], sharey=shared[1], squeeze=False).ravel()
    drawn = list(zip(curves, style.colours(len(curves))))
    for place, (axes, title) in enumerate(zip(frames, [*names, "all"])):
        for curve, colour in drawn[place:place + 1] or drawn:
            axes.plot(*curve, color=colour, linewidth=1.2)
        letter = f"({chr(ord('a') + place)}) " if 1 < len(curves) <= 26 else ""
        axes.set_title(textwrap.fill(letter + title, TITLE_LETTERS), loc="left")
    figure.supxlabel(axis_labels[0])
    figure.supylabel(axis_labels[1])
    return figure, common


def _without_common(names):
    """Return the names without those parts, separated by ", ", that all of them have, and these parts.

    If a name consisted of such parts only, nothing is left out of any name.
    """
    parts = [name.split(", ") for name in names]
    common = [part for part in parts[0] if all(part in each for each in parts)]
    short = [", ".join(part for part in each if part not in common) for each in parts]
    return (short, ", ".join(common)) if all(short) else (list(names), "")
