"""Draw the pictures of a trajectory and of a scan.

A trajectory has up to three pictures: u(t, s) with lines around the elements that yield, x(t) with F(t), and the energy
balance. A picture is omitted if the run lacks the data for it.
"""

import numpy as np

from masing import style
from masing.draw import start_of_last_cycles
from masing.text import SYMBOLS, in_figure, listed, measured, minus, motion, percent, short_value
from masing.report.pictures import Picture
from masing.response import LABELS, panels, size_of, values_of
from masing.samples import drawable

# The field u is drawn over the last FIELD_CYCLES cycles of x. The force, the stored energy, and x once more in a frame
# of its own, are drawn over the last MOTION_CYCLES cycles.
FIELD_CYCLES, MOTION_CYCLES = 2, 4
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

    A Picture is omitted if the run lacks the data for it. Runs whose x cannot be drawn have no Pictures.
    """
    shown = [run for run in runs if len(run.t) > 1 and drawable(run.x).all() and np.all(np.diff(run.t) > 0)]
    made = [(run, make(run)) for make in (field_picture, motion_picture, energy_picture) for run in shown]
    for run, picture in made:
        if picture is not None and run.problem in whose:
            picture.caption = f"{whose[run.problem]}. {picture.caption}"
    return [picture for _, picture in made if picture is not None]


def field_picture(run):
    """Return the Picture of u(t, s) in the last cycles.

    The result is None if the run has no field at several times, or if the field has numbers that cannot be drawn.
    """
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
    return _picture(run, "u", _field_figure(run, t[::every], u[::every]),
                    f"Image of the elongations u over time t and s, {t[0]:.4g} ≤ t ≤ {t[-1]:.4g}",
                    "u(t, s).", facts,
                    f"Elongations are hatched where they yield, {_yield_law(run)}; lines are the yield fronts.")


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
    return _picture(run, "motion", _motion_figure(run, start),
                    f"Displacement x{f' and force {motion(run).force}' if known else ''} over time",
                    f"x(t){force}.", facts)


def energy_picture(run):
    """Return the Picture of the energy balance. The result is None if the run has no energy balance, or if its residual
    is infinite or NaN at some time."""
    if not run.has_energy or not np.all(np.isfinite(run["energy/residual"])):
        return None
    residual, work = (np.abs(run[f"energy/{name}"]).max() for name in ("residual", "input"))
    share = f", balanced to {measured(residual / work)} of the largest work" if work > 0 else ""
    last = {name: measured(run[f"energy/{name}"][-1], 4) for name in ("input", "dissipated", "viscous")
            if name != "viscous" or _has(run, name)}
    damped = f" by sliding and {last['viscous']} by damping" if "viscous" in last else ""
    work_of = motion(run).force + " and of the base" * _has(run, "base")
    # The energies of a chain are those of all its nodes, so that cycles of one node do not matter.
    start = run.t[0] if run.is_chain else start_of_last_cycles(run, MOTION_CYCLES)
    facts = f"dissipated: D = {last['dissipated']}{damped}; the balance lacks at most {measured(residual)}."
    return _picture(run, "energy", _energy_figure(run, start),
                    f"Energy over time{share}", f"work of {work_of}: W = {last['input']},", facts,
                    "What the balance lacks is W − D − ΔE, E the kinetic and the elastic energy.")


def _picture(run, kind, figure, alt, caption, facts, legend=""):
    return Picture(f"{run.path.stem}-{kind}", figure, f"{alt}, {trajectory_name(run)}. {facts}",
                   f"{trajectory_name(run, capital=True)}: {caption} {facts}", legend)


def trajectory_name(run, capital=False):
    """Return the name of a trajectory on the page. It is "the exact solution" for engine exact, and otherwise the title
    of the run. The name of the file follows, unless the run was computed for the page."""
    if run.made_by or run.engine == "exact":
        words = "the exact solution" + (f" of P = {run.cells} cells" if run.cells else "")
        words += "" if run.made_by else f" ({run.path.name})"
    else:
        words = f"{run.title} ({run.path.name})"
    return words[0].upper() + words[1:] if capital else words


def _is_yielding(run, u):
    """Return booleans [times, places] that say where the elongations u [times, places] have reached one of their
    bounds.

    The upper bound is η. The lower bound is -η⁻, or -η if the file has no η⁻ (see AT_YIELD).
    """
    down = run["field/eta_down"] if "field/eta_down" in run else run.eta
    near = AT_YIELD * np.maximum(run.eta, down)
    return (u >= run.eta - near) | (u <= near - down)


def _yield_law(run):
    """Return the condition for yielding in words; it names η⁻ if the file has it."""
    return "u = η or u = −η⁻" if "field/eta_down" in run else "|u| = η"


def _field_figure(run, t, u):
    """Return the figure of the elongations u [times, places] of a run as an image over t and s. The region of (t, s) in
    which elements yield is hatched, and a line surrounds it."""
    figure, axes = style.frame(1, 1.25)
    style.image(axes, t, run.s, u, orientation="horizontal", aspect=40,
                label=f"elongation u(t, s); hatched: {_yield_law(run)}")
    at_yield = _is_yielding(run, u)
    if at_yield.any() and not at_yield.all():
        axes.contour(t, run.s, at_yield.T.astype(float), levels=[0.5], colors="black", linewidths=1.0)
        axes.contourf(t, run.s, at_yield.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=["//"])
    axes.set(xlabel="time t", ylabel="s")
    return figure


def _motion_figure(run, start):
    late = run.t >= start
    rows = [(run.t, run.x, "x(t)")] + [(run.t[late], run.x[late], "x(t), end")] * (not late.all())
    if "series/force" in run and run.force.any():
        name = motion(run).force_over_time.replace(" − ", "\n− ")
        rows.append((run.t[late], run.force[late], name + ", end" * (not late.all())))
    figure = style.figure(1, 0.5 * len(rows))
    frames = figure.subplots(len(rows), 1, squeeze=False)[:, 0]
    for n, (axes, (t, values, label)) in enumerate(zip(frames, rows)):
        axes.plot(t, values, color=style.COLOURS[label[0] == "F"], linewidth=0.9 if n == 0 else None, label=label)
        axes.set(ylabel=in_figure(label), xlim=(t[0], t[-1]))
    frames[-1].set(xlabel="time t")
    return figure


def _has(run, name):
    """Return whether the energy balance has the part `name` and this part is not 0 throughout."""
    return f"energy/{name}" in run and bool(run[f"energy/{name}"].any())


def _energy_figure(run, start):
    """Return the figure of the energy balance.

    It has three frames. They show the work of the force with the dissipated energy, the kinetic and the elastic energy
    from the time `start` on, and the residual of the balance.
    """
    t, late = run.t, run.t >= start
    figure = style.figure(1, 1.5)
    work, stored, residual = figure.subplots(3, 1)
    # The dissipated energy may be nearly equal to the work. The work is therefore drawn as a wider line behind the line
    # of the dissipated energy.
    work.plot(t, run["energy/input"], **style.BEHIND, label="W")
    damped = _has(run, "viscous")
    _lines(work, t, {"D" + ", sliding" * damped: run["energy/dissipated"]}
           | ({"D, damping": run["energy/viscous"]} if damped else {}))
    _lines(stored, t[late], {"E, kinetic": run["energy/kinetic"][late], "E, elastic": run["energy/elastic"][late]})
    if not late.all():
        stored.set(ylabel="energy, end")
    residual.plot(t, run["energy/residual"], color=style.COLOURS[4], linewidth=0.9, label="residual")
    residual.set(xlabel="time t", ylabel="W − D − ΔE", xlim=(t[0], t[-1]))
    return figure


def _lines(axes, t, curves):
    for n, (name, values) in enumerate(curves.items()):
        axes.plot(t, values, style.LINES[n], color=style.COLOURS[n], label=name)
    axes.set(ylabel="energy", xlim=(t[0], t[-1]))
    style.legend(axes)


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
    """Return sentences that state the number of points of a scan, the range of their size_of(), and data of the
    problem."""
    failed = int(np.sum(~scan.done))
    sizes = values_of(scan, size := size_of(scan))
    sizes = sizes[scan.done & np.isfinite(sizes)]
    over = listed(f"{name} in [{scan[name].min():.4g}, {scan[name].max():.4g}]" for name in scan.parameters)
    text = f"{len(scan.done)} {scan.kind_in_words} for {over}"
    text += f": {LABELS[size]} from {sizes.min():.4g} to {sizes.max():.4g}" if len(sizes) else ""
    text += ", half the range of x" if scan.kind == "runs" and size == "amplitude" and len(sizes) else ""
    text += f"; {failed} failed" if failed else ""
    data = ", ".join(f"{SYMBOLS[key]} = {short_value(scan.settings[key])}" for key in DATA
                     if scan.settings.get(key, "0") != "0")
    return minus(f"{text}.") + (f" {data}." if data else "")
