"""Functions that draw the results of a Scan as panels of a matplotlib Figure."""

import re

import numpy as np

from matplotlib.colors import LogNorm

from masing import style
from masing.text import in_figure, motion, tick

LABELS = {"peak_x": "max |x|", "most_x": "max x", "least_x": "min x", "last_x": "last x", "most_speed": "max |x′|",
          "most_restoring": "max |restoring force|", "amplitude": "amplitude X",
          "phase": "phase lag φ of x behind",
          "loss": "loss a cycle ∮ f dx", "damping_ratio": "hysteretic damping ratio ζ",
          "secant_stiffness": "secant stiffness kₛ", "restoring_amplitude": "amplitude of restoring force"}
# A map of the amplitude over two parameters is drawn only if each of them has at least this number of values.
MAP = 6
# If the largest values of two curves differ by a larger factor than this, their axis is logarithmic.
WIDE = 10
# A damping ratio up to this size is regarded as zero, because rounding errors may cause it.
ROUNDING = 1e-10


def panels(scan, abscissa=None):
    """Return the panels of a scan as [(draw, words), …], where draw(axes) draws a panel and `words` describe it.

    The first two show the amplitude (of runs without a phase max |x|) and the phase (or else the restoring force) over
    the parameter `abscissa`, of an ensemble their quantiles. The others show loss and damping ratio over the amplitude,
    a map over two parameters with MAP values each, and the cycles, as far as the scan has them.
    """
    over = abscissa or scan.abscissa()
    chosen = []
    name_of = axis_label(scan, over)
    size = size_of(scan)
    for name in (size, "phase" if np.isfinite(scan.get("phase", [])).any() else "restoring_amplitude"):
        if set(scan.parameters) == {"sample", over} and len(set(scan[over])) < len(scan[over]):
            chosen.append((lambda axes, name=name: _quantiles(axes, scan, over, name),
                           f"quantiles of {quantity(scan, name)} over {name_of}, with bands of 95 %"))
        else:
            chosen.append((lambda axes, name=name: _over(axes, scan, over, name),
                           f"{quantity(scan, name)} over {name_of}"))
    without = int(np.sum(scan["damping_ratio"][scan.done] <= ROUNDING))
    left_out = f"; not drawn: {without} of {len(scan.done)} cycles, without loss" if without else ""
    for name in ("loss", "damping_ratio"):
        if (scan["damping_ratio"] > ROUNDING).any():
            chosen.append((lambda axes, name=name: _over_amplitude(axes, scan, over, name),
                           f"{LABELS[name]} over the amplitude{left_out}"))
    sizes = [len(set(values)) for values in map(scan.get, scan.parameters)]
    # The points form no grid if a value was given twice; then no map can be drawn.
    if len(sizes) == 2 and min(sizes) >= MAP and len(scan.done) == np.prod(sizes) and "sample" not in scan.parameters:
        chosen.append((lambda axes: _map(axes, scan, size), f"{LABELS[size]} over both parameters"))
    if scan.cycles:
        chosen.append((lambda axes: _cycles(axes, scan), "cycles"))
    return chosen


def axis_label(scan, name):
    """Return the label of the axis of a parameter: its name, after `frequency` if it is that of the force."""
    of_time = rf"\b(?:cos|sin)\(\s*{re.escape(name)}\s*\*\s*t\b"
    return f"frequency {name}" if re.search(of_time, scan.settings.get("force", "")) else name


def size_of(scan):
    """Return the quantity of LABELS by which a scan shows how far x moves: max |x| for runs without a known phase."""
    has_phase = np.isfinite(scan.get("phase", [])).any()
    return "amplitude" if has_phase or scan.kind != "runs" else "peak_x"


def quantity(scan, name):
    """Return the label of a quantity that a scan computes at each point."""
    return LABELS[name] + f" {motion(scan).force}" * (name == "phase")


def response_figure(scan, abscissa=None):
    """Return a figure with all panels of a scan, one below the other; the first of equal legends stands."""
    chosen = panels(scan, abscissa)
    figure = style.figure(1, len(chosen))
    seen = []
    for place, (draw, _) in enumerate(chosen, start=1):
        draw(axes := figure.add_subplot(len(chosen), 1, place))
        if legend := axes.get_legend():
            seen.append([text.get_text() for text in legend.get_texts()])
            if seen[-1] in seen[:-1]:
                legend.remove()
    return figure


def ensemble_figure(scan, fragility, where=None):
    """Return a figure of an ensemble: quantiles with their bands and the limit, and below the fragility curve.

    `where` are the points for which the Fragility was fitted. The quantiles are left out if no intensity has two
    points.
    """
    over = fragility.by
    has_groups = fragility.counts["points"].max() > 1
    drawing = style.figure(1, 1 + has_groups)
    if has_groups:
        axes = drawing.add_subplot(2, 1, 1)
        _quantiles(axes, scan, over, fragility.of, where, fragility.limit)
    axes = drawing.add_subplot(1 + has_groups, 1, 1 + has_groups)
    fragility.plot(axes)
    style.legend(axes)
    if _is_logarithmic(scan, over):
        axes.set_xscale("log")
        style.label_decades(axes.xaxis)
    return drawing


def _quantiles(axes, scan, over, name, where=None, limit=None):
    """Draw quantiles of a number over the intensity `over`, each with the band of its intervals, and the limit."""
    groups = list(scan.summary(name, over, where=where).groupby("quantile", sort=False))[::-1]
    for (part, rows), color, line in zip(groups, style.COLOURS, style.LINES):
        a, lower, upper = rows.iloc[:, 0], rows["lower"], rows["upper"]
        axes.fill_between(a, lower, upper, where=np.isfinite(upper - lower), color=color, alpha=0.2, linewidth=0)
        axes.plot(a, np.where(np.isfinite(rows["value"]), rows["value"], np.nan), color=color, linestyle=line,
                  label=f"{100 * part:g} %")
    if limit is not None:
        axes.axhline(limit, color=style.GREY, linestyle=":", label="limit")
    axes.set(xlabel=f"intensity {over}", ylabel=LABELS.get(name, name))
    if _is_logarithmic(scan, over):
        axes.set_xscale("log")
        style.label_decades(axes.xaxis)
    style.legend(axes)


def _label(others):
    """Return the values of parameters {name: value} as the label of a curve; None if there are none."""
    return ", ".join(f"{name} = {tick(value)}" for name, value in others.items()) or None


def _curves(axes, scan, over):
    """Yield (label or None, colour, indices of the points that were computed) for each family of points."""
    families = scan.families(over)
    for (others, indices), colour in zip(families, _colours(axes, scan, [others for others, _ in families])):
        # Samples only have numbers, which say nothing in a legend.
        has_label = len(families) <= style.MOST_NAMED and "sample" not in others
        yield _label(others) if has_label else None, colour, indices[scan.done[indices]]


def _colours(axes, scan, choices):
    """Return a colour for each of the curves whose parameters {name: value} are the `choices`.

    For more curves than a legend can name, a colour bar shows the values of a parameter, or the places of the curves.
    """
    if len(choices) <= style.MOST_NAMED:
        return style.colours(len(choices))
    name, *more = [name for name in choices[0] if len({each[name] for each in choices}) > 1]
    if more:
        label = f"number of curve, by {', '.join([name, *more])}"
        return style.colour_bar(axes, np.arange(1, len(choices) + 1), label)
    return style.colour_bar(axes, [each[name] for each in choices], axis_label(scan, name),
                            log=_is_logarithmic(scan, name))


def _is_logarithmic(scan, name):
    """Return whether the values of a parameter were given with `:log`, and all of them are positive."""
    return scan.settings.get(f"over.{name}", "").endswith(":log") and min(scan[name]) > 0


def _differ_widely(curves):
    """Return whether the largest values of two of the curves differ by more than the factor WIDE."""
    largest = [top for top in (max(y[np.isfinite(y)], default=0) for y in curves) if top > 0]
    return bool(largest) and max(largest) > WIDE * min(largest)


def _over(axes, scan, over, name):
    for label, colour, indices in _curves(axes, scan, over):
        x, y = scan[over][indices], scan[name][indices]
        if name == "phase":
            y = _centred(y)
        axes.plot(x, y, color=colour, marker="." if len(x) < 40 else None, label=label)
    axes.set(xlabel=axis_label(scan, over), ylabel=in_figure(quantity(scan, name).replace(" F − ", "\nF − ")))
    if name == "phase":
        axes.set_yticks(np.arange(-0.5, 1.6, 0.5) * np.pi, ["−π/2", "0", "π/2", "π", "3π/2"])
        lag = _centred(scan["phase"][scan.done])
        axes.set_ylim(min(0, np.nanmin(lag)) - 0.05, max(np.pi, np.nanmax(lag)) + 0.1)
    elif _is_logarithmic(scan, over) or _differ_widely([line.get_ydata() for line in axes.lines]):
        _make_logarithmic(axes, "y")
    if _is_logarithmic(scan, over):
        _make_logarithmic(axes, "x")
    style.label_decades(axes.xaxis, axes.yaxis)
    style.legend(axes)


def _centred(phase):
    """Return a phase lag in [-π/2, 3π/2), where rounding cannot turn a lag of 0 into one of almost 2π."""
    return (phase + np.pi / 2) % (2 * np.pi) - np.pi / 2


def _over_amplitude(axes, scan, over, name):
    for n, (label, colour, indices) in enumerate(_curves(axes, scan, over)):
        order = indices[scan["damping_ratio"][indices] > ROUNDING]
        # A family consists of the points that differ only in `over`. Several families may lie on the same curve, so
        # each is drawn as points with its own marker.
        axes.plot(scan["amplitude"][order], scan[name][order], color=colour, label=label,
                  marker=style.MARKERS[n % len(style.MARKERS)], markersize=3.5, linestyle="", markerfacecolor="none")
    axes.set(xlabel=LABELS["amplitude"], ylabel=LABELS[name])
    _make_logarithmic(axes, "xy" if name == "loss" else "x")
    style.label_decades(axes.xaxis, axes.yaxis)
    style.legend(axes)


def _make_logarithmic(axes, names):
    """For each letter x or y in `names`, make this axis logarithmic if a positive value is drawn on it."""
    for name in names:
        if any((getattr(line, f"get_{name}data")() > 0).any() for line in axes.lines):
            getattr(axes, f"set_{name}scale")("log")


def _map(axes, scan, name):
    first, second = scan.parameters
    rows, columns = scan[first], scan[second]
    grid = np.full((len(np.unique(rows)), len(np.unique(columns))), np.nan)
    place = np.searchsorted(np.unique(rows), rows), np.searchsorted(np.unique(columns), columns)
    grid[place] = np.where(scan.done, scan[name], np.nan)
    image = axes.pcolormesh(np.unique(columns), np.unique(rows), grid, shading="nearest", rasterized=True,
                            norm=LogNorm() if _differ_widely(grid) and np.nanmin(grid) > 0 else None)
    axes.figure.colorbar(image, ax=axes, label=LABELS[name])
    scales = ["log" if _is_logarithmic(scan, name) else "linear" for name in (second, first)]
    axes.set(xlabel=axis_label(scan, second), ylabel=axis_label(scan, first), xscale=scales[0], yscale=scales[1])


def _cycles(axes, scan):
    choices = [{name: scan[name][n] for name in scan.parameters} for n in range(len(scan.cycles))]
    is_named = len(choices) <= style.MOST_NAMED
    for (x, restoring), choice, colour in zip(scan.cycles, choices, _colours(axes, scan, choices)):
        if len(x):
            axes.plot(x, restoring, color=colour, linewidth=1, label=_label(choice) if is_named else None)
    axes.set(xlabel=style.X_LABEL, ylabel=in_figure(motion(scan).labels["restoring"]))
    style.legend(axes)
