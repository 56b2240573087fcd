"""The figures of scans: data in, matplotlib Figure out."""

import matplotlib
import numpy as np

from masing import style
from masing.notation import tick

LABELS = {"amplitude": "amplitude X", "phase": "phase lag of x behind F", "loss": "loss a cycle",
          "damping_ratio": "hysteretic damping ratio", "secant_stiffness": "secant stiffness",
          "restoring_amplitude": "amplitude of the restoring force"}
# A map needs as many values of both parameters.
MAP = 6
MOST_LABELS = 8
# A damping ratio up to this is none.
ROUNDING = 1e-10


def panels(scan, abscissa=None):
    """The panels of a scan, [(draw(axes), words)]: amplitude and phase over the abscissa, loss and damping ratio over
    the amplitude, a map of two parameters, and the cycles that the file keeps."""
    over = abscissa or scan.abscissa()
    chosen = []
    has_phase = np.isfinite(scan.points.get("phase", [])).any()
    first = ("restoring_amplitude", "secant_stiffness") if scan.kind == "closed curves" else \
        ("amplitude", "phase" if has_phase else "restoring_amplitude")
    for name in first:
        chosen.append((lambda axes, name=name: _over(axes, scan, over, name), f"{LABELS[name]} over {over}"))
    for name in ("loss", "damping_ratio"):
        if (scan.values("damping_ratio") > ROUNDING).any():
            chosen.append((lambda axes, name=name: _over_amplitude(axes, scan, over, name),
                           f"{LABELS[name]} over the amplitude"))
    if len(scan.axes) == 2 and all(len(set(values)) >= MAP for values in scan.axes.values()):
        chosen.append((lambda axes: _map(axes, scan), "amplitude over both parameters"))
    if scan.cycles:
        chosen.append((lambda axes: _cycles(axes, scan), "cycles"))
    return chosen


def response_figure(scan, abscissa=None):
    """All panels of a scan in one figure."""
    chosen = panels(scan, abscissa)
    columns = min(2, len(chosen))
    rows = -(-len(chosen) // columns)
    figure = style.figure(columns, rows)
    seen = []
    for place, (draw, _) in enumerate(chosen, start=1):
        axes = figure.add_subplot(rows, columns, place)
        draw(axes)
        if legend := axes.get_legend():  # the same families in every panel: one legend
            words = [text.get_text() for text in legend.get_texts()]
            if words in seen:
                legend.remove()
            seen.append(words)
    return figure


def panel_figure(draw):
    """One panel as a figure."""
    draw((figure := style.figure(1.15, 1)).add_subplot())
    return figure


def _colour(n, count):
    """The n-th of `count` families: those of few are told apart, those of many are in order."""
    if count <= len(style.COLOURS):
        return style.COLOURS[n]
    return matplotlib.colormaps["viridis"](0.85 * n / (count - 1))


def _label(others):
    return ", ".join(f"{name} = {tick(value)}" for name, value in others.items())


def _curves(scan, over):
    families = scan.families(over)
    for n, (others, indices) in enumerate(families):
        yield _label(others), _colour(n, len(families)), indices[scan.done[indices]]


def _over(axes, scan, over, name):
    for label, colour, indices in _curves(scan, over):
        x, y = scan.values(over)[indices], scan.values(name)[indices]
        if name == "phase":
            y = _centred(y)
        axes.plot(x, y, color=colour, marker="." if len(x) < 40 else None, label=label or None)
    axes.set(xlabel=over, ylabel=LABELS[name])
    if name == "phase":
        axes.set_yticks(np.arange(-0.5, 1.6, 0.5) * np.pi, ["−π/2", "0", "π/2", "π", "3π/2"])
        lag = _centred(scan.values("phase")[scan.done])
        axes.set_ylim(min(0, np.nanmin(lag)) - 0.05, max(np.pi, np.nanmax(lag)) + 0.1)
    _finish(axes, scan, over)


def _centred(phase):
    """A lag in [-π/2, 3π/2): that of a motion in phase with F, which rounding may put on either side of 0, is near 0."""
    return (phase + np.pi / 2) % (2 * np.pi) - np.pi / 2


def _over_amplitude(axes, scan, over, name):
    for label, colour, indices in _curves(scan, over):
        order = indices[np.argsort(scan.values("amplitude")[indices])] if scan.kind == "closed curves" else indices
        order = order[scan.values("damping_ratio")[order] > ROUNDING]
        x, y = scan.values("amplitude")[order], scan.values(name)[order]
        look = {} if scan.kind == "closed curves" else {"marker": ".", "linestyle": "", "markersize": 4}
        axes.plot(x, y, color=colour, label=label or None, **look)
    axes.set(xlabel=LABELS["amplitude"], ylabel=LABELS[name])
    axes.set_xscale("log")
    if name == "loss":
        axes.set_yscale("log")
        style.label_decades(axes.yaxis)
    style.label_decades(axes.xaxis)
    _add_legend(axes)


def _finish(axes, scan, over):
    grid = scan.settings.get(f"over.{over}", scan.settings.get("backbone", ""))
    if grid.endswith(":log") and min(scan.axes[over]) > 0:
        axes.set_xscale("log")
        style.label_decades(axes.xaxis)
        if scan.kind == "closed curves":
            axes.set_yscale("log")
            style.label_decades(axes.yaxis)
    _add_legend(axes)


def _add_legend(axes):
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        chosen = np.unique(np.linspace(0, len(labels) - 1, min(MOST_LABELS, len(labels))).astype(int))
        axes.legend([handles[n] for n in chosen], [labels[n] for n in chosen], fontsize=8)


def _map(axes, scan):
    (first, rows), (second, columns) = scan.axes.items()
    grid = np.full((len(np.unique(rows)), len(np.unique(columns))), np.nan)
    place = np.searchsorted(np.unique(rows), rows), np.searchsorted(np.unique(columns), columns)
    grid[place] = np.where(scan.done, scan.values("amplitude"), np.nan)
    image = axes.pcolormesh(np.unique(columns), np.unique(rows), grid, shading="nearest", rasterized=True)
    axes.figure.colorbar(image, ax=axes, label=LABELS["amplitude"])
    axes.set(xlabel=second, ylabel=first)


def _cycles(axes, scan):
    for n, (x, restoring) in enumerate(scan.cycles):
        if len(x):
            axes.plot(x, restoring, color=_colour(n, len(scan.cycles)), linewidth=1,
                      label=_label({name: values[n] for name, values in scan.axes.items()}))
    axes.set(xlabel=style.X_LABEL, ylabel="restoring force k0 x + S")
    _add_legend(axes)
