"""A drawing declared in words: `x, restoring`, `t, x from 400 to 500`, `x, restoring, t`, `field`, `energy` or `motion`."""

import re
from dataclasses import dataclass

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.figure import Figure

from cli import UserError
from cycle import HUGE
from picture import Picture
from trajectory_section import energy_picture, field_picture, motion_picture, named

PICTURES = {"field": field_picture, "energy": energy_picture, "motion": motion_picture}
LABELS = {"t": "time t", "x": "displacement x", "y": "velocity y", "force": "force F",
          "restoring": "restoring force F − m x″"}
WINDOW = re.compile(r"^(?P<names>.*?)(?:\s+from\s+(?P<start>\S+))?(?:\s+to\s+(?P<end>\S+))?$")


@dataclass(frozen=True)
class Drawing:
    """Two names make a curve in the plane, three one in space; samples before `start` and after `end` are left out."""

    names: list
    start: float
    end: float


def parse_drawing(words):
    """The Drawing that the words declare; raises UserError when they are none."""
    found = WINDOW.match(words.strip())
    names = [name.strip() for name in found["names"].split(",")]
    try:
        window = [float(found[key]) if found[key] else limit for key, limit in (("start", -np.inf), ("end", np.inf))]
    except ValueError:
        raise UserError(f"draw: {words}: after 'from' and 'to' there must be a number") from None
    if len(names) not in (2, 3):
        raise UserError(f"draw: {words}: give two or three names, as in 'x, restoring' or 't, x from 400', or one of "
                        f"{', '.join(PICTURES)}")
    return Drawing(names, *window)


def picture(run, words):
    """The Picture of a run that the words declare; raises UserError when the run has not what they name."""
    if words in PICTURES:
        made = PICTURES[words](run)
        if made is None:
            raise UserError(f"{run.path}: has nothing to draw for 'draw: {words}'")
        return made
    drawing = parse_drawing(words)
    columns = _columns(run)
    unknown = [name for name in drawing.names if name not in columns]
    if unknown:
        raise UserError(f"{run.path}: has no '{unknown[0]}' to draw; it has {', '.join(columns)}")
    t = columns["t"]
    keep = (t >= drawing.start) & (t <= drawing.end)
    keep &= np.all([np.abs(columns[name]) < HUGE for name in drawing.names], axis=0)
    if not keep.any():
        raise UserError(f"{run.path}: no finite sample for 'draw: {words}'; it has {t[0]:g} <= t <= {t[-1]:g}")
    curve = [columns[name][keep] for name in drawing.names]
    window = f"{t[keep][0]:.6g} ≤ t ≤ {t[keep][-1]:.6g}"
    ranges = ", ".join(f"{name} in [{values.min():.4g}, {values.max():.4g}]".replace("-", "−")
                       for name, values in zip(drawing.names, curve))
    return Picture(f"{run.path.stem}-{'-'.join(drawing.names)}", curve_figure(curve, drawing.names),
                   f"Curve of {' over '.join(reversed(drawing.names))}, {named(run)}, {window}: {ranges}.",
                   f"{window}: {ranges}.")


def curve_figure(curve, names):
    """A curve [2 or 3 arrays of samples] in the plane or in space."""
    labels = [LABELS.get(name, name) for name in names]
    figure = Figure(figsize=style.PANEL if len(curve) == 2 else (style.PANEL[0], 1.2 * style.PANEL[1]))
    axes = figure.add_subplot(projection=None if len(curve) == 2 else "3d")
    axes.plot(*curve, color=style.COLOURS[0], linewidth=1.0)
    axes.set(**dict(zip(("xlabel", "ylabel", "zlabel"), labels)))
    return figure


def _columns(run):
    """The samples of a run by name, those of its series before those of its state."""
    series = run.series
    found = {"t": series.t, "x": series.x, "y": series.y, "force": series.force, "restoring": series.restoring}
    return {name: values for name, values in (run.columns | found).items() if values is not None}
