"""Draw the pictures of a trajectory and of a scan.

A trajectory has up to three pictures: u(t, s), x(t) with F(t), and the energy balance. A picture is omitted if the run
lacks the data for it.
"""

import numpy as np

from masing import style
from masing.draw import start_of_last_cycles
from masing.text import SYMBOLS, in_figure, listed, measured, minus, motion, percent, short_value
from masing.report.pictures import Picture
from masing.response import LABELS, panels, size_of
from masing.samples import drawable

# The field u is drawn over the last FIELD_CYCLES cycles of x, with lines at the yield fronts if it has at least
# MANY_FIELDS times, since these lines would else be guesses between distant times.
FIELD_CYCLES, MANY_FIELDS = 2, 50
# The range of x is stated for all times and for the last MOTION_CYCLES cycles.
MOTION_CYCLES = 4
# A cell counts as yielding if u exceeds one of its bounds, or differs from this bound by at most this fraction of the
# larger yield displacement.
AT_YIELD = 1e-9
# A caption contains the expression of F only if it has at most this many characters.
SHORT = 30
# The caption of a scan states the values of these keys of its configuration.
DATA = ("force", "base-acceleration", "stiffness", "threshold", "damping", "k0")


def trajectory_pictures(runs, whose=()):
    """Return the Pictures of u of all runs, then those of x and F, and then those of the energy.

    `whose` is {problem: words in front of the captions of its Pictures}, or empty.
    """
    shown = [run for run in runs if len(run.t) > 1 and drawable(run.x).all() and np.all(np.diff(run.t) > 0)]
    made = [(run, make(run)) for make in (field_picture, motion_picture, energy_picture) for run in shown]
    for run, picture in made:
        if picture is not None and run.problem in whose:
            picture.caption = f"{whose[run.problem]}. {picture.caption}"
    return [picture for _, picture in made if picture is not None]


def field_picture(run):
    """Return the Picture of u(t, s) in the last cycles, or None if the run has no such field to draw."""
    if not run.has_field or not drawable(run.u).all():
        return None
    late = run.field_t >= start_of_last_cycles(run, FIELD_CYCLES)
    if np.count_nonzero(late) < 2:
        late[:] = True
    t, u = run.field_t[late], run.u[late]
    share = _is_yielding(run, u).mean(axis=1)
    facts = (f"At most {percent(share.max())} of the cells yield at once; none do in "
             f"{percent(np.mean(share == 0))} of the time shown.")
    every = -(-len(t) // style.MOST_COLUMNS)
    figure = _field_figure(run, t[::every], u[::every])
    # The legend names only what the figure has: hatching is there if some but not all of the elongations yield.
    legend = f"Elongations are hatched where they yield, {_yield_law(run)}" if 0 < share.mean() < 1 else ""
    legend += "; lines are the yield fronts" * bool(legend and len(t) >= MANY_FIELDS) + "." * bool(legend)
    return _picture(run, "u", figure, f"Image of the elongations u over time t and s, {t[0]:.4g} ≤ t ≤ {t[-1]:.4g}",
                    "u(t, s).", facts, legend)


def motion_picture(run):
    """Return the Picture of x(t) and, if the run has it, of the force that moves the mass."""
    start = start_of_last_cycles(run, MOTION_CYCLES)
    ranges = [f"[{measured(x.min(), 4)}, {measured(x.max(), 4)}]" for x in (run.x, run.x[run.t >= start])]
    facts = f"x in {', at the end in '.join(dict.fromkeys(ranges))}."
    known = "series/force" in run and run.force.any()
    # A long expression of F would fill the caption. It is omitted, because the description of the problem contains it.
    name, law = motion(run).force_over_time, run.settings.get("force", "")
    law = f" = {law}" if name == "F(t)" and 0 < len(law) <= SHORT else ""
    force = f" and {name}{law}" if known else ""
    node = " of the node on which F acts" if run.is_chain else ""
    return _picture(run, "motion", _motion_figure(run),
                    f"Displacement x{f' and force {motion(run).force}' if known else ''} over time",
                    f"x(t){node}{force}.", facts)


def energy_picture(run):
    """Return the Picture of the energy balance, or None if the run has no finite one."""
    if not run.has_energy or not np.all(np.isfinite(run["energy/residual"])):
        return None
    residual, work = (np.abs(run[f"energy/{name}"]).max() for name in ("residual", "input"))
    share = f", balanced to {measured(residual / work)} of the largest work" if work > 0 else ""
    last = {name: measured(run[f"energy/{name}"][-1], 4) for name in ("input", "dissipated", "viscous")
            if name != "viscous" or _has(run, name)}
    damped = f" by sliding and {last['viscous']} by damping" if "viscous" in last else ""
    work_of = motion(run).force + " and of the base" * _has(run, "base")
    facts = f"dissipated: D = {last['dissipated']}{damped}; the balance lacks at most {measured(residual)}."
    return _picture(run, "energy", _energy_figure(run),
                    f"Energy over time{share}", f"work of {work_of}: W = {last['input']},", facts,
                    "What the balance lacks is W − D − ΔE, E the kinetic and the elastic energy.")


def _picture(run, kind, figure, alt, caption, facts, legend=""):
    return Picture(f"{run.path.stem}-{kind}", figure, f"{alt}, {trajectory_name(run)}. {facts}",
                   f"{trajectory_name(run, capital=True)}: {caption} {facts}", legend)


def trajectory_name(run, capital=False):
    """Return the name of a trajectory, its title or “the exact solution”, with its file unless made for the page."""
    if run.made_by or run.engine == "exact":
        words = "the exact solution" + (f" of P = {run.cells} cells" if run.cells else "")
        words += "" if run.made_by else f" ({run.path.name})"
    else:
        words = f"{run.title} ({run.path.name})"
    return words[0].upper() + words[1:] if capital else words


def _is_yielding(run, u):
    """Return whether the elongations u [times, places] have reached η, or −η⁻ (−η without η⁻); see AT_YIELD."""
    down = run["field/eta_down"] if "field/eta_down" in run else run.eta
    near = AT_YIELD * np.maximum(run.eta, down)
    return (u >= run.eta - near) | (u <= near - down)


def _yield_law(run):
    """Return the condition for yielding in words; it names η⁻ if the file has it."""
    return "u = η or u = −η⁻" if "field/eta_down" in run else "|u| = η"


def _field_figure(run, t, u):
    """Return the image of u [times, places] over t and s, hatched where it yields, with fronts if times are many."""
    figure, axes = style.frame(1, 1.25)
    at_yield = _is_yielding(run, u)
    is_hatched = at_yield.any() and not at_yield.all()
    style.image(axes, t, run.s, u, orientation="horizontal", aspect=40,
                label="elongation u(t, s)" + f"; hatched: {_yield_law(run)}" * bool(is_hatched))
    if is_hatched:
        axes.contourf(t, run.s, at_yield.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=["//"])
        if len(t) >= MANY_FIELDS:
            axes.contour(t, run.s, at_yield.T.astype(float), levels=[0.5], colors="black", linewidths=1.0)
    axes.set(xlabel="time t", ylabel="s", xlim=(t[0], t[-1]), ylim=(run.s[0], run.s[-1]))
    return figure


def _motion_figure(run):
    """Return the figure of x(t) and, if the run has it, of the force that moves the mass."""
    rows = [("x(t)", run.x)]
    if "series/force" in run and run.force.any():
        rows.append((motion(run).force_over_time.replace(" − ", "\n− "), run.force))
    figure = style.figure(1, 0.5 * len(rows))
    frames = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, values), colour in zip(frames, rows, style.COLOURS):
        axes.plot(run.t, values, color=colour, linewidth=0.9, label=label)
        axes.set(ylabel=in_figure(label), xlim=(run.t[0], run.t[-1]))
    frames[-1].set(xlabel="time t")
    return figure


def _has(run, name):
    """Return whether the energy balance has the part `name` and this part is not 0 throughout."""
    return f"energy/{name}" in run and bool(run[f"energy/{name}"].any())


def _energy_figure(run):
    """Return the figure of the energy balance: the work of the force with the dissipated energy, and the residual."""
    figure = style.figure(1, 1.15)
    work, residual = figure.subplots(2, 1, sharex=True)
    # The dissipated energy may be nearly equal to the work. The work is therefore drawn as a wider line behind it.
    work.plot(run.t, run["energy/input"], **style.BEHIND, label="W")
    damped = _has(run, "viscous")
    parts = {"D" + ", sliding" * damped: "dissipated"} | ({"D, damping": "viscous"} if damped else {})
    for (label, name), colour, line in zip(parts.items(), style.COLOURS, style.LINES):
        work.plot(run.t, run[f"energy/{name}"], line, color=colour, label=label)
    work.set(ylabel="energy")
    style.legend(work)
    residual.plot(run.t, run["energy/residual"], color=style.COLOURS[4], linewidth=0.9, label="residual")
    residual.set(xlabel="time t", ylabel="W − D − ΔE", xlim=(run.t[0], run.t[-1]))
    return figure


def response_pictures(scan):
    """Return the Pictures of a Scan. The caption of the first Picture says what was scanned."""
    pictures = []
    for n, (draw, words) in enumerate(panels(scan), start=1):
        figure, axes = style.frame()
        draw(axes)
        caption = f"{words[0].upper()}{words[1:]}." + f" {_scan_facts(scan)}" * (n == 1)
        pictures.append(Picture(f"{scan.path.stem}-{n}", figure, f"{caption[:-1]}, {scan.path.stem}", caption))
    return pictures


def _scan_facts(scan):
    """Return sentences on the number of points of a scan, the range of their size_of(), and the problem."""
    failed = int(np.sum(~scan.done))
    sizes = scan[size := size_of(scan)]
    sizes = sizes[scan.done & np.isfinite(sizes)]
    over = listed(f"{name} in [{scan[name].min():.4g}, {scan[name].max():.4g}]" for name in scan.parameters)
    text = f"{len(scan.done)} {scan.kind_in_words} for {over}"
    text += f": {LABELS[size]} from {sizes.min():.4g} to {sizes.max():.4g}" if len(sizes) else ""
    text += ", half the range of x" if scan.kind == "runs" and size == "amplitude" and len(sizes) else ""
    text += f"; {failed} failed" if failed else ""
    data = ", ".join(f"{SYMBOLS[key]} = {short_value(scan.settings[key])}" for key in DATA
                     if scan.settings.get(key, "0") != "0")
    return minus(f"{text}.") + (f" {data}." if data else "")
