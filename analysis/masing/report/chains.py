"""Draw the pictures of a chain: the waves along it, the extremes of every node, and loops of its elements.

A picture is omitted if the run lacks the data for it.
"""

import numpy as np

from masing import style
from masing.text import listed, measured
from masing.report.trajectories import named_picture
from masing.samples import drawable

# {column of /profile: label of its axis}.
EXTREMES = {"max_x": "max |x|", "max_a": "max |a|", "max_elongation": "max |d|", "max_force": "max |f|",
            "dissipated": "dissipated"}
# The loops of at most so many elements are drawn.
MOST_LOOPS = 4


def chain_pictures(runs):
    """Return the Pictures of those of the Runs that are of a chain."""
    return [picture for make in (_wave_picture, _extremes_picture, _loops_picture) for run in runs
            if "profile/max_x" in run and (picture := make(run)) is not None]


def _wave_picture(run):
    """Return the Picture of x and y over time and the nodes; None if the file has no fields at several times.

    On a base that absorbs, which drifts, x is drawn less that of the lowest node.
    """
    if "field/x" not in run or len(run.field_t) < 2 or not drawable(run["field/x"], run["field/y"]).all():
        return None
    every, fields = -(-len(run.field_t) // style.MOST_COLUMNS), {name: run[f"field/{name}"] for name in "xy"}
    less = ""
    if run["profile/node"][0] == 0:
        fields["x"] = fields["x"] - fields["x"][:, :1]
        less = f" less that of node {run['field/node'][0]:.0f}"
    figure = style.figure(1, 1.6)
    for axes, name, label in zip(figure.subplots(2, 1, sharex=True), "xy", ("position x", "velocity y")):
        style.image(axes, run.field_t[::every], run["field/node"], fields[name][::every], label=label)
        axes.set(ylabel="node i")
    axes.set(xlabel="time t")
    return named_picture(run, "wave", figure, f"x{less} and y, over time and the nodes")


def _extremes_picture(run):
    """Return the Picture of the greatest values of every node and element."""
    figure = style.figure(1, 1.8)
    frames = figure.subplot_mosaic([[*EXTREMES][:3], [*EXTREMES][3:] + ["."]], sharey=True)
    for (name, label), axes in zip(EXTREMES.items(), frames.values()):
        axes.plot(run[f"profile/{name}"], run["profile/node"], color=style.COLOURS[0], label=label)
        axes.locator_params(axis="x", nbins=2)
        axes.set_xlim(0, 1.05 * np.nanmax(run[f"profile/{name}"]) or 1)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set(xlabel=label)
    for axes in (frames["max_x"], frames["max_force"]):
        axes.set(ylabel="node i")
    place = int(np.nanargmax(run["profile/max_elongation"]))
    return named_picture(run, "extremes", figure, f"extremes over all steps; element {run['profile/node'][place]:.0f} "
                         f"is stretched most, by {measured(run['profile/max_elongation'][place], 4)}")


def _loops_picture(run):
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
        axes.locator_params(axis="x", nbins=3)
        style.legend(axes)
    figure.supxlabel("elongation d")
    figure.supylabel("force f")
    for axes in frames[len(chosen):]:
        axes.remove()
    numbers = listed(f"{node:.0f}" for node in run["watch/node"][chosen])
    return named_picture(run, "loops", figure, f"force over elongation of element{'s' * (len(chosen) > 1)} {numbers}")
