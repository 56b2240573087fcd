"""Draw the pictures of a chain: the waves along it, the extremes of every node, loops of its elements, and spectra.

A picture is omitted if the run lacks the data for it.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from masing import style
from masing.names import names_apart
from masing.notation import listed, measured
from masing.report.pictures import Picture
from masing.report.trajectories import trajectory_name
from masing.response import MOST_LABELS
from masing.samples import drawable

# {column of /profile: label of its axis}.
EXTREMES = {"max_x": "max |x|", "max_a": "max |a|", "max_elongation": "max |d|", "max_force": "max |f|",
            "dissipated": "dissipated"}
# The loops of at most so many elements are drawn. An image has at most so many columns.
MOST_LOOPS, MOST_COLUMNS = 4, 600
# The transfer is known where the lower node has at least the part LEAST_POWER of its greatest power. The range that is
# drawn ends with the last frequency at which it has the part LAST_POWER, and powers are smoothed over SMOOTH of it.
LEAST_POWER, LAST_POWER, SMOOTH = 1e-3, 1e-2, 0.006


def is_chain(run):
    """Return whether a Run is a trajectory of a chain."""
    return "profile/max_x" in run


def chain_pictures(runs):
    """Return the Pictures of those of the Runs that are of a chain, and the one that compares their transfer."""
    chains = [run for run in runs if is_chain(run)]
    pictures = [picture for make in (wave_picture, extremes_picture, loops_picture, spectra_picture)
                for run in chains if (picture := make(run)) is not None]
    return pictures + transfer_pictures(chains)


def wave_picture(run):
    """Return the Picture of x and y over time and the nodes; None if the file has no fields at several times.

    On a base that absorbs, which drifts, x is drawn less that of the lowest node.
    """
    if "field/x" not in run or len(run.field_t) < 2 or not drawable(run["field/x"], run["field/y"]).all():
        return None
    every, fields = -(-len(run.field_t) // MOST_COLUMNS), {name: run[f"field/{name}"] for name in "xy"}
    less = ""
    if run["profile/node"][0] == 0:
        fields["x"] = fields["x"] - fields["x"][:, :1]
        less = f" less that of node {run['field/node'][0]:.0f}"
    figure = style.figure(1, 1.6)
    for axes, name, label in zip(figure.subplots(2, 1, sharex=True), "xy", ("position x", "velocity y")):
        values = fields[name][::every]
        most = float(np.abs(values).max()) or 1.0
        # The mesh is rasterized, because its rectangles would take megabytes in a vector file.
        mesh = axes.pcolormesh(run.field_t[::every], run["field/node"], values.T, cmap="RdBu_r", vmin=-most, vmax=most,
                               shading="nearest", rasterized=True)
        bar = figure.colorbar(mesh, ax=axes, label=label)
        style.label_values(axes.xaxis, axes.yaxis, bar.ax.yaxis)
        axes.grid(False)
        axes.set(ylabel="node i")
    axes.set(xlabel="time t")
    return _picture(run, "wave", figure, f"images of x{less}, up to {_most(fields['x'])}, and of y, up to "
                    f"{_most(fields['y'])}, over time and the nodes")


def extremes_picture(run):
    """Return the Picture of the greatest values of every node and element."""
    figure = style.figure(1, 1.8)
    frames = figure.subplot_mosaic([[*EXTREMES][:3], [*EXTREMES][3:] + ["."]], sharey=True)
    for (name, label), axes in zip(EXTREMES.items(), frames.values()):
        axes.plot(run[f"profile/{name}"], run["profile/node"], color=style.COLOURS[0], label=label)
        style.label_values(axes.xaxis, axes.yaxis)
        # Three numbers with powers of ten would overlap: the ticks are 0 and one more.
        axes.xaxis.set_major_locator(style.MaxNLocator(2, prune="upper"))
        axes.set_xlim(left=0)
        axes.set(xlabel=label)
    for axes in (frames["max_x"], frames["max_force"]):
        axes.set(ylabel="node or element i")
    place = int(np.nanargmax(run["profile/max_elongation"]))
    return _picture(run, "extremes", figure, f"extremes over all steps: |x| up to {_most(run['profile/max_x'])}, |a| "
                    f"up to {_most(run['profile/max_a'])}; element {run['profile/node'][place]:.0f} is stretched most, by "
                    f"{_most(run['profile/max_elongation'])}")


def loops_picture(run):
    """Return the Picture of the force over the elongation of watched elements; None if none is watched."""
    if "watch/node" not in run or not (run["watch/node"] > 0).any():
        return None
    places = np.argsort(run["watch/node"])[np.count_nonzero(run["watch/node"] == 0):]
    chosen = places[np.unique(np.linspace(0, len(places) - 1, MOST_LOOPS).round().astype(int))]
    rows = -(-len(chosen) // 2)
    figure = style.figure(1, 0.75 * rows)
    frames = figure.subplots(rows, min(2, len(chosen)), squeeze=False).ravel()
    for axes, place, colour in zip(frames, chosen, style.COLOURS):
        axes.plot(run["watch/elongation"][:, place], run["watch/force"][:, place], color=colour, linewidth=0.8,
                  label=f"element {run['watch/node'][place]:.0f}")
        style.label_values(axes.xaxis, axes.yaxis)
        axes.xaxis.set_major_locator(style.MaxNLocator(2))
        style.legend_above(axes)
    for axes in frames[:len(chosen):2]:
        axes.set(ylabel="force f")
    for axes in frames[max(0, len(chosen) - 2):len(chosen)]:
        axes.set(xlabel="elongation d")
    for axes in frames[len(chosen):]:
        axes.remove()
    numbers = listed(f"{node:.0f}" for node in run["watch/node"][chosen])
    return _picture(run, "loops", figure, f"force over elongation of element{'s' * (len(chosen) > 1)} {numbers}")


def spectra_picture(run):
    """Return the Picture of the spectra of the acceleration at the lowest and at the highest watched node.

    The result is None if fewer than two nodes are watched, or if nothing moves.
    """
    if (found := spectra(run)) is None:
        return None
    frequency, (below, above), (own, transfer), width = found
    low, high = (f"{run['watch/node'][place]:.0f}" for place in _ends(run))
    figure = style.figure(1, 1.4)
    upper, lower = figure.subplots(2, 1, sharex=True)
    for n, (node, values) in enumerate(((low, below), (high, above))):
        upper.plot(frequency, values, style.LINES[n], color=style.COLOURS[n], linewidth=1.2, label=f"node {node}")
    lower.plot(frequency, own, color=style.BEHIND["color"], linewidth=1, label="as it is")
    lower.plot(frequency, transfer, color=style.COLOURS[2], label="smoothed")
    style.label_values(upper.xaxis, upper.yaxis, lower.yaxis)
    for axes in (upper, lower):
        style.legend_above(axes, 2)
    upper.set(ylabel="|a|, spectrum")
    lower.set(xlabel="frequency", ylabel="transfer")
    return _picture(run, "spectra", figure, f"spectra of the acceleration, and their ratio from node {low} to node "
                    f"{high}, as it is and smoothed, which lowers narrow peaks: {_peak(frequency, transfer, width)}")


def transfer_pictures(runs):
    """Return a Picture of the transfer functions for each group of at least two Runs of one chain."""
    groups = {}
    for run in runs:
        if (found := spectra(run)) is not None:
            chain = tuple(item for item in run.settings.items() if item[0].startswith("model."))
            groups.setdefault(chain, []).append((run, found))
    groups = [group for group in groups.values() if len(group) > 1]
    return [_transfer_picture(group, f"transfer-{n}") for n, group in enumerate(groups, start=1)]


def _transfer_picture(group, name):
    figure, axes = style.frame(1, 1.2, xlabel="frequency", ylabel="transfer of the acceleration")
    labels, facts = names_apart([run for run, _ in group]), []
    few = len(group) <= MOST_LABELS
    colours = style.colours(len(group)) if few else style.scale_of_values(axes, np.arange(len(group)) + 1, "number of run")
    for label, colour, (_, (frequency, _, (_, transfer), width)) in zip(labels, colours, group):
        axes.plot(frequency, transfer, color=colour, label=label)
        facts.append(f"{label}: {_peak(frequency, transfer, width)}")
    style.label_values(axes.xaxis, axes.yaxis)
    if few:
        style.legend_above(axes)
    caption = "Transfer from the lowest to the highest watched node, of the acceleration, smoothed, which lowers " \
        f"narrow peaks. {'; '.join(facts)}."
    return Picture(name, figure, caption, caption)


def spectra(run):
    """Return (frequency, amplitudes, transfers, width) of the accelerations at the lowest and highest watched node.

    `frequency` is [frequencies], and `amplitudes` [2, frequencies] are those of the Fourier transforms. `transfers` [2,
    frequencies] are their ratio, and the root of the ratio of their squares, smoothed by a Gaussian curve of the
    standard deviation `width`; both are NaN where the lower node has too little. The result is None if fewer than two
    nodes are watched, or if one of them does not move.
    """
    if "watch/a" not in run or len(run["watch/node"]) < 2 or len(run["watch/t"]) < 8:
        return None
    t, a = run["watch/t"], run["watch/a"][:, _ends(run)]
    if not drawable(*a.T).all() or not np.abs(a).max(axis=0).all():
        return None
    step = (t[-1] - t[0]) / (len(t) - 1)
    transform = step * np.fft.rfft(a, axis=0).T
    frequency = np.fft.rfftfreq(len(t), step)
    powers = np.abs(transform)**2
    end = np.flatnonzero(powers[0] >= LAST_POWER * powers[0].max())[-1] + 1
    width = max(1.0, SMOOTH * end)
    transfers = [np.sqrt(np.where(below >= LEAST_POWER * below.max(), above, np.nan) / below)[:end]
                 for below, above in (powers, gaussian_filter1d(powers, width))]
    return frequency[:end], np.abs(transform[:, :end]), np.array(transfers), width * frequency[1]


def _ends(run):
    """Return the columns of /watch of the lowest and of the highest watched node."""
    return [int(np.argmin(run["watch/node"])), int(np.argmax(run["watch/node"]))]


def _peak(frequency, transfer, width):
    place = int(np.nanargmax(transfer))
    return f"over ±{measured(width)}, and then greatest near {measured(frequency[place])}"


def _picture(run, kind, figure, facts):
    return Picture(f"{run.path.stem}-{kind}", figure, f"{facts[0].upper()}{facts[1:]}, {trajectory_name(run)}.",
                   f"{trajectory_name(run, capital=True)}: {facts}.")


def _most(values):
    return measured(float(np.nanmax(np.abs(values))), 4)
