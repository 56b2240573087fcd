"""Functions that draw the results of a Scan as panels of a matplotlib Figure."""

from functools import partial

import numpy as np

from masing import style
from masing.text import in_figure, minus, motion

LABELS = {"peak_x": "max |x|", "most_x": "max x", "least_x": "min x", "last_x": "last x", "most_speed": "max |x′|",
          "most_restoring": "max |restoring force|", "amplitude": "amplitude X",
          "phase": "phase lag φ of x behind",
          "loss": "loss a cycle ∮ f dx", "damping_ratio": "hysteretic damping ratio ζ",
          "secant_stiffness": "secant stiffness kₛ", "restoring_amplitude": "amplitude of restoring force"}
# A map of the amplitude over two parameters is drawn only if each of them has at least this number of values.
MAP = 6
# A damping ratio up to this size is regarded as zero, because rounding errors may cause it.
ROUNDING = 1e-10


def panels(scan, abscissa=None):
    """Return the panels of a scan as [(draw, words), …], where draw(axes) draws a panel and `words` describe it.

    The first two show the amplitude (of runs without a phase max |x|) and the phase (or else the restoring force) over
    the parameter `abscissa`, of an ensemble their quantiles. The others show loss and damping ratio over the amplitude,
    a map over two parameters with MAP values each, and the cycles, as far as the scan has them.
    """
    over, size = abscissa or scan.abscissa(), size_of(scan)
    second = "phase" if np.isfinite(scan.get("phase", [])).any() else "restoring_amplitude"
    if set(scan.parameters) == {"sample", over} and len(set(scan[over])) < len(scan[over]):
        chosen = [(partial(_quantiles, scan=scan, over=over, name=name),
                   f"quantiles of {label_of(scan, name)} over {over}, with bands of 95 %") for name in (size, second)]
    else:
        chosen = [(partial(curves, scan=scan, over=over, name=name), f"{label_of(scan, name)} over {over}")
                  for name in (size, second)]
    has_loss = scan["damping_ratio"] > ROUNDING
    without = np.count_nonzero(scan.done & ~has_loss)
    left_out = f"; not drawn: {without} of {len(scan.done)} cycles, without loss" if without else ""
    if has_loss.any():
        chosen += [(partial(_over_amplitude, scan=scan, over=over, name=name, has_loss=has_loss),
                    f"{LABELS[name]} over the amplitude{left_out}") for name in ("loss", "damping_ratio")]
    sizes = [len(set(values)) for values in map(scan.get, scan.parameters)]
    # The points form no grid if a value was given twice; then no map can be drawn.
    if len(sizes) == 2 and min(sizes) >= MAP and len(scan.done) == np.prod(sizes) and "sample" not in scan.parameters:
        chosen.append((partial(_map, scan=scan, name=size), f"{LABELS[size]} over both parameters"))
    return chosen + [(partial(_cycles, scan=scan), "cycles")] * bool(scan.cycles)


def size_of(scan):
    """Return the quantity of LABELS by which a scan shows how far x moves: max |x| for runs without a known phase."""
    has_phase = np.isfinite(scan.get("phase", [])).any()
    return "amplitude" if has_phase or scan.kind != "runs" else "peak_x"


def label_of(scan, quantity):
    """Return the label of a quantity that a scan computes at each point."""
    return LABELS.get(quantity, quantity) + f" {motion(scan).force}" * (quantity == "phase")


def response_figure(scan, abscissa=None):
    """Return a figure with all panels of a scan, one below the other."""
    chosen = panels(scan, abscissa)
    figure = style.figure(1, len(chosen))
    for (draw, _), axes in zip(chosen, figure.subplots(len(chosen), 1, squeeze=False)[:, 0]):
        draw(axes)
    return figure


def ensemble_figure(scan, fragility, where=None):
    """Return a figure of an ensemble: quantiles with their bands and the limit, and below the fragility curve.

    `where` are the points for which the Fragility was fitted. The quantiles are left out if no intensity has two
    points.
    """
    rows = 1 + (fragility.counts["points"].max() > 1)
    figure = style.figure(1, rows)
    *above, below = figure.subplots(rows, 1, squeeze=False)[:, 0]
    for axes in above:
        _quantiles(axes, scan, fragility.by, fragility.of, where)
        axes.axhline(fragility.limit, color=style.GREY, linestyle=":", label="limit")
        style.legend(axes)
    fragility.plot(below)
    style.legend(below)
    _set_scales(below, scan, [fragility.by])
    return figure


def _quantiles(axes, scan, over, name, where=None):
    """Draw quantiles of a number over the intensity `over`, each with the band of its intervals."""
    groups = list(scan.summary(name, over, where=where).groupby("quantile", sort=False))[::-1]
    for (part, rows), color, line in zip(groups, style.COLOURS, style.LINES):
        a, lower, upper = rows.iloc[:, 0], rows["lower"], rows["upper"]
        axes.fill_between(a, lower, upper, where=np.isfinite(upper - lower), color=color, alpha=0.2, linewidth=0)
        axes.plot(a, np.where(np.isfinite(rows["value"]), rows["value"], np.nan), color=color, linestyle=line,
                  label=f"{100 * part:g} %")
    axes.set(xlabel=f"intensity {over}", ylabel=label_of(scan, name))
    _set_scales(axes, scan, [over])
    style.legend(axes)


def _families(scan, over):
    """Yield (label or None, colour, indices of the points that were computed) for each family of points."""
    families = scan.families(over)
    for (others, indices), colour in zip(families, style.colours(len(families))):
        # Samples only have numbers, which say nothing in a legend.
        yield None if "sample" in others else _label(others), colour, indices[scan.done[indices]]


def _label(others):
    """Return the values of parameters {name: value} as the label of a curve; None if there are none."""
    return ", ".join(f"{name} = {minus(f'{value:.4g}')}" for name, value in others.items()) or None


def _set_scales(axes, scan, of_x, of_y=()):
    """Make an axis logarithmic if a parameter in its list was given with `:log`, and all values on it are positive."""
    for names, values, set_scale in ((of_x, axes.dataLim.intervalx, axes.set_xscale),
                                     (of_y, axes.dataLim.intervaly, axes.set_yscale)):
        if any(scan.settings.get(f"over.{name}", "").endswith(":log") for name in names) and min(values) > 0:
            set_scale("log")
    style.label_decades(axes.xaxis, axes.yaxis)


def curves(axes, scan, over, name, **line):
    """Draw a quantity over a parameter into the axes, a line for each combination of the other parameters' values."""
    for label, colour, indices in _families(scan, over):
        x, y = scan[over][indices], scan[name][indices]
        axes.plot(x, _centred(y) if name == "phase" else y,
                  **{"color": colour, "marker": "." if len(x) < 40 else None, "label": label, **line})
    axes.set(xlabel=over, ylabel=in_figure(label_of(scan, name).replace(" F − ", "\nF − ")))
    _set_scales(axes, scan, [over], [] if name == "phase" else scan.parameters)
    if "color" not in line:
        style.legend(axes, inside=bool(axes.get_title()))


def _centred(phase):
    """Return a phase lag in [-π/2, 3π/2), where rounding cannot turn a lag of 0 into one of almost 2π."""
    return (phase + np.pi / 2) % (2 * np.pi) - np.pi / 2


def _over_amplitude(axes, scan, over, name, has_loss):
    for n, (label, colour, indices) in enumerate(_families(scan, over)):
        order = indices[has_loss[indices]]
        # Several families may lie on the same curve, so each is drawn as points with its own marker.
        axes.plot(scan["amplitude"][order], scan[name][order], color=colour, label=label,
                  marker=style.MARKERS[n % len(style.MARKERS)], markersize=3.5, linestyle="", markerfacecolor="none")
    axes.set(xlabel=LABELS["amplitude"], ylabel=LABELS[name], xscale="log",
             yscale="log" if name == "loss" else "linear")
    style.label_decades(axes.xaxis, axes.yaxis)
    style.legend(axes)


def _map(axes, scan, name):
    first, second = scan.parameters
    (rows, row), (columns, column) = (np.unique(scan[each], return_inverse=True) for each in (first, second))
    grid = np.full((len(rows), len(columns)), np.nan)
    grid[row, column] = np.where(scan.done, scan[name], np.nan)
    image = axes.pcolormesh(columns, rows, grid, shading="nearest", rasterized=True)
    axes.figure.colorbar(image, ax=axes, label=LABELS[name])
    axes.set(xlabel=second, ylabel=first)
    _set_scales(axes, scan, [second], [first])


def _cycles(axes, scan):
    for n, (x, restoring) in enumerate(scan.cycles):
        axes.plot(x, restoring, color=style.colours(len(scan.cycles))[n], linewidth=1,
                  label=_label({name: scan[name][n] for name in scan.parameters}))
    axes.set(xlabel=style.X_LABEL, ylabel=in_figure(motion(scan).ordinate))
    style.legend(axes)
