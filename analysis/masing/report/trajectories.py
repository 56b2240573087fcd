"""Draw the pictures of a trajectory, u(t, s), x(t) with F(t) and the energy balance, of a chain, and of a scan.

A picture is omitted if the run lacks the data for it.
"""

import numpy as np

from masing import style
from masing.draw import start_of_last_cycles
from masing.text import in_figure, listed, measured, motion
from masing.report.pictures import Picture
from masing.response import panels
from masing.results import drawable

# The field u is drawn over the last FIELD_CYCLES cycles of x.
FIELD_CYCLES = 2
# A cell counts as yielding if u exceeds one of its bounds, or differs from this bound by at most this fraction of the
# larger yield displacement.
AT_YIELD = 1e-9
# {column of /profile: label of its axis}.
EXTREMES = {"max_x": "max |x|", "max_a": "max |a|", "max_elongation": "max |d|", "max_force": "max |f|",
            "dissipated": "dissipated"}
# The loops of at most so many elements are drawn.
MOST_LOOPS = 4
# A limit cycle is settled if the motion changes by at most this fraction of its size from one repetition to the next.
SETTLED = 1e-3


def trajectory_pictures(runs):
    """Return the Pictures of u of all runs, then those of x and F, once a problem, and then those of the energy."""
    shown = [run for run in runs if len(run.t) > 1 and drawable(run.x).all() and np.all(np.diff(run.t) > 0)]
    first = {run.problem: run for run in reversed(shown)}
    made = [make(run) for make in (_field_picture, _motion_picture, _energy_picture) for run in shown
            if make != _motion_picture or run is first[run.problem]]
    return [picture for picture in made if picture is not None]


def named_picture(run, kind, figure, words):
    """Return the Picture of a run whose caption has the run's title and file, and these words."""
    title = f"Exact solution, {run.title}" if run.engine == "exact" else run.title
    name = f"{title[0].upper()}{title[1:]} ({run.path.name})"
    if run.made_by:
        name = f"The exact solution of the problem of {run.path.stem.removesuffix('-exact')}.h5"
    return Picture(f"{run.path.stem}-{kind}", figure, f"{name}: {words}.")


def _field_picture(run):
    """Return the Picture of u(t, s) in the last cycles, hatched where it yields, or None if there is no such field."""
    if not run.has_field or not drawable(run.u).all():
        return None
    late = run.field_t >= start_of_last_cycles(run, FIELD_CYCLES)
    if np.count_nonzero(late) < 2:
        late[:] = True
    every = -(-np.count_nonzero(late) // style.MOST_COLUMNS)
    t, u = run.field_t[late][::every], run.u[late][::every]
    figure, axes = style.frame(1, 1.25)
    style.image(axes, t, run.s, u, orientation="horizontal", aspect=40, label="elongation u(t, s)")
    at_yield, words = _is_yielding(run, u), "u(t, s)"
    if at_yield.any() and not at_yield.all():
        axes.contourf(t, run.s, at_yield.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=["//"])
        words += f", hatched where it yields, {'u = η or u = −η⁻' if 'field/eta_down' in run else '|u| = η'}"
    axes.set(xlabel="time t", ylabel="s", xlim=(t[0], t[-1]), ylim=(run.s[0], run.s[-1]))
    return named_picture(run, "u", figure, words)


def _is_yielding(run, u):
    """Return whether the elongations u [times, places] have reached η, or −η⁻ (−η without η⁻); see AT_YIELD."""
    down = run["field/eta_down"] if "field/eta_down" in run else run.eta
    near = AT_YIELD * np.maximum(run.eta, down)
    return (u >= run.eta - near) | (u <= near - down)


def _motion_picture(run):
    """Return the Picture of x(t) and, if the run has it, of the force that moves the mass."""
    rows = {"x(t)": run.x}
    if "series/force" in run and run.force.any():
        rows[motion(run).force_over_time] = run.force
    figure = style.figure(1, 0.5 * len(rows))
    frames = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, values), colour in zip(frames, rows.items(), style.COLOURS):
        axes.plot(run.t, values, color=colour, linewidth=0.9, label=label)
        axes.set(ylabel=in_figure(label.replace(" − ", "\n− ")), xlim=(run.t[0], run.t[-1]))
    frames[-1].set(xlabel="time t")
    node = " of the node on which F acts" if run.is_chain else ""
    return named_picture(run, "motion", figure, f"{' and '.join(rows)}{node}")


def _energy_picture(run):
    """Return the Picture of the energy balance, or None if the run has no finite one."""
    if not run.has_energy or not np.all(np.isfinite(run["energy/residual"])):
        return None
    figure = style.figure(1, 1.15)
    above, below = figure.subplots(2, 1, sharex=True)
    # The dissipated energy may be nearly equal to the work. The work is therefore drawn as a wider line behind it.
    above.plot(run.t, run["energy/input"], **style.BEHIND, label="work W")
    parts = {"by sliding": "dissipated", "by damping": "viscous"}
    parts = {words: run[f"energy/{name}"] for words, name in parts.items()
             if f"energy/{name}" in run and run[f"energy/{name}"].any()}
    for (words, values), colour, line in zip(parts.items(), style.COLOURS, style.LINES):
        above.plot(run.t, values, line, color=colour, label=f"D {words}")
    above.set(ylabel="energy")
    style.legend(above)
    below.plot(run.t, run["energy/residual"], color=style.COLOURS[4], linewidth=0.9, label="residual")
    below.set(xlabel="time t", ylabel="W − D − ΔE", xlim=(run.t[0], run.t[-1]))
    base = " and of the base" if "energy/base" in run and run["energy/base"].any() else ""
    work = measured(run["energy/input"][-1], 4)
    lost = listed(f"{measured(values[-1], 4)} {words}" for words, values in parts.items()) or "0"
    lacking = measured(np.abs(run["energy/residual"]).max())
    return named_picture(run, "energy", figure, f"work of {motion(run).force}{base}: W = {work}, dissipated: D = {lost}; "
                         f"with the energy E the balance lacks at most {lacking}")


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
                         f"has the largest |d|, {measured(run['profile/max_elongation'][place], 4)}")


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


def response_pictures(scan):
    """Return the Pictures of a Scan. The caption of the first says how many points there are."""
    pictures = []
    for n, (draw, words) in enumerate(panels(scan), start=1):
        figure, axes = style.frame()
        draw(axes)
        caption = f"{words[0].upper()}{words[1:]} ({scan.path.name})." + f" {_scan_facts(scan)}" * (n == 1)
        pictures.append(Picture(f"{scan.path.stem}-{n}", figure, caption))
    return pictures


def _scan_facts(scan):
    """Return words on how many points of a scan were computed and, of limit cycles, how well they are closed."""
    points = f"{np.sum(scan.done)} of {len(scan.done)}"
    if scan.kind != "steady":
        return f"{points} runs."
    closed = np.abs(scan["residual"][scan.done]).max(initial=0)
    changing = np.count_nonzero(scan["settled"][scan.done] > SETTLED) if "settled" in scan else 0
    return (f"{points} limit cycles, each closed to {measured(closed, 1)} of its range"
            + f"; not settled, as the motion still changes: {changing}" * (changing > 0) + ".")
