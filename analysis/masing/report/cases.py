"""Read case files, and draw the pictures that they declare.

The comment at the beginning of a case file contains a caption. It may also declare drawings in words, such as `x,
restoring`, `t, u1 and u2 from 400`, `field` or `energy`.
"""

import re
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import numpy as np

from masing import style
from masing.cycles.figures import draw_record, is_by_time
from masing.cycles.half_cycles import reversals
from masing.errors import MasingError
from masing.names import motion
from masing.notation import in_figure, listed, measured, minus, tick
from masing.report.chains import extremes_picture, loops_picture, spectra_picture, wave_picture
from masing.report.problem import steps_in_words
from masing.report.pictures import Picture
from masing.report.trajectories import energy_picture, field_picture, motion_picture, trajectory_name
from masing.results import comment_lines, leading_comment, parse_configuration
from masing.samples import between, drawable

DRAW = "draw:"
GROUP = "group:"
# A curve y over x is narrow if y less a x, with the slope a of the line of least squares, has at most this part of the
# range of y. A part below ROUNDING is only rounding.
NARROW, ROUNDING = 0.1, 1e-9
# This drawing is used for a trajectory whose case file declares no drawing.
CYCLE = "x, restoring"
PICTURES = {"field": field_picture, "energy": energy_picture, "motion": motion_picture, "wave": wave_picture,
            "extremes": extremes_picture, "loops": loops_picture, "spectra": spectra_picture}
WINDOW = re.compile(r"^(?P<names>.*?)(?:\s+from\s+(?P<start>\S+))?(?:\s+to\s+(?P<end>\S+))?$")


class Case(namedtuple("Case", "path command model caption drawings group", defaults=[""])):
    """A case file.

    `path` is its path, `command` the command of masing that runs it, `model` the name of its model, and `caption` its
    caption. `drawings` are its drawings in words, an empty list for a study or a scan. `group` is its group in the
    gallery, or "" if the file names no group.
    """
    name = property(lambda self: self.path.stem, doc="The name of the case's files.")


def read_case(path):
    """Return the Case that an .ini file describes.

    Its caption is the comment at the beginning of the file, without lines such as `draw: x, restoring; t, x` or `group:
    NAME`. If there is no such comment, the caption is the name of the file without its ending.

    A file with the key `refine` or `levels` is a study for masing converge. A file with the key `backbone` or a section
    [over] is a scan for masing scan. Any other file is a trajectory for masing simulate. Raises MasingError if the file
    cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise MasingError(f"{path}: cannot be read; give a case file such as those in jobs/cases") from None
    comment = comment_lines(text)
    drawn = [line[len(DRAW):] for line in comment if line.startswith(DRAW)]
    group = next((line[len(GROUP):].strip() for line in comment if line.startswith(GROUP)), "")
    caption = steps_in_words(leading_comment(text))
    settings = parse_configuration(text)
    command = "converge" if not {"refine", "levels"}.isdisjoint(settings) else \
        "scan" if "backbone" in settings or any(key.startswith("over.") for key in settings) else "simulate"
    drawings = [words.strip() for line in drawn for words in line.split(";") if words.strip()]
    return Case(path, command, settings.get("model", "masing"), caption or path.stem,
                drawings or [CYCLE] if command == "simulate" else [], group)

# A drawing of one or several curves in one frame. A curve is given by two names, those of the columns on the abscissa
# and the ordinate. Only samples at start <= t <= end are drawn.
Drawing = namedtuple("Drawing", "curves start end")


def parse_drawing(words):
    """Return the Drawing that the words declare; raises MasingError if the words declare no drawing."""
    found = WINDOW.match(words.strip())
    names = [name.strip() for name in found["names"].split(",")]
    try:
        window = [float(found[key]) if found[key] else limit for key, limit in (("start", -np.inf), ("end", np.inf))]
    except ValueError:
        raise MasingError(f"draw: {words}: after 'from' and 'to' there must be a number") from None
    several = names[1].split(" and ") if len(names) == 2 else []
    if not 0 < len(several) <= len(style.LINES):
        raise MasingError(f"draw: {words}: give two names, as in 'x, restoring' or 't, u1 and u2 from 400', or one of "
                          f"{', '.join(PICTURES)}; a frame takes up to {len(style.LINES)} curves")
    return Drawing([[names[0], name.strip()] for name in several], *window)


def picture(run, words, exact=None):
    """Return the Picture of a run that the words declare.

    If the words name curves and the Run `exact` is given, curve_figure() also gets the exact curves. The caption then
    contains the largest difference from the exact solution for each quantity except t and F. The pictures in PICTURES
    do not use `exact`. Raises MasingError if the words declare no picture, or if the run lacks the data for it.
    """
    if words in PICTURES:
        declared = PICTURES[words](run)
        if declared is None:
            raise MasingError(f"{run.path}: has nothing to draw for 'draw: {words}'")
        return replace(declared, caption=f"{declared.caption} {declared.words.get('legend', '')}".strip())
    drawing = parse_drawing(words)
    columns = run.columns
    names = list(dict.fromkeys(each for curve in drawing.curves for each in curve))
    unknown = [each for each in names if each not in columns]
    if unknown:
        raise MasingError(f"{run.path}: has no '{unknown[0]}' to draw; it has {', '.join(columns)}")
    t = columns["t"]
    keep = between(t, drawing.start, drawing.end) & drawable(*(columns[each] for each in names))
    if not keep.any():
        raise MasingError(f"{run.path}: no finite sample for 'draw: {words}'; it has {t[0]:g} <= t <= {t[-1]:g}")
    kept = {each: columns[each][keep] for each in dict.fromkeys([*names, "t"])}
    compared = [each for each in names if each not in ("t", "force")] if exact else []
    behind = compared and {each: values[keep] for each, values in exact.columns.items() if each in kept}
    window = f"{t[keep][0]:.6g} ≤ t ≤ {t[keep][-1]:.6g}"
    ranges = ", ".join(minus(f"{each} in {extent(kept[each])}") for each in names if each != "t")
    drawn = "; ".join(" over ".join(reversed(curve)) for curve in drawing.curves)
    apart = {each: np.abs(kept[each] - behind[each]).max() for each in compared}
    far = listed(f"{measured(far)} in {name}" for name, far in apart.items())
    beside = f" At most {far} from the exact solution." if apart else ""
    return Picture(f"{run.path.stem}-{'-'.join(names)}", curve_figure(kept, drawing.curves, run, behind),
                   f"Curve of {drawn}, {trajectory_name(run)}, {window}: {ranges}.{beside}", f"{window}: {ranges}.{beside}")


def slope_of_narrow(x, y):
    """Return the slope of the line of least squares through a curve (x, y) [samples], or None if the curve is straight
    or not narrow, see NARROW."""
    slope = np.polyfit(x, y, 1)[0] if np.ptp(x) > 0 else 0.0
    return slope if ROUNDING < np.ptp(y - slope * x) / (np.ptp(y) or np.inf) <= NARROW else None


def extent(values):
    """Return the least and the largest of the values as a text in brackets. The numbers have four digits, or seven if
    the range of the values is at most a thousandth of their largest absolute value."""
    digits = 4 if np.ptp(values) > 1e-3 * np.abs(values).max() else 7
    return f"[{values.min():.{digits}g}, {values.max():.{digits}g}]"


def curve_figure(columns, curves, run, behind=None):
    """Return a figure of curves of a run. Each curve is given by two names (abscissa, ordinate) of arrays in `columns`,
    which are [samples].

    `behind` are the columns of the exact solution, or None. How they are drawn depends on the curves:
    - If a curve over time has many cycles, it would hide an exact curve. The difference between the two is then drawn
      in a frame below.
    - If a curve is coloured by time, `behind` is not used.
    - In all other cases, the exact curves are drawn as grey lines behind the curves of the run.

    A narrow curve is drawn once more in a frame below, less the line of slope_of_narrow().
    """
    x, y = ([columns[each] for each in column] for column in zip(*curves))
    over_time, is_long = curves[0][0] == "t", any(len(reversals(each)) > style.MANY_REVERSALS for each in y)
    apart = bool(behind) and over_time and is_long
    winds = len(curves) == 1 and not over_time and is_by_time(x[0])
    slope = None if over_time or len(curves) > 1 else slope_of_narrow(x[0], y[0])
    two = apart or slope is not None
    figure = style.figure(1, 1.3 if apart else 1.6 if two else 1)
    heights = [2 if apart else 1, 1][:1 + two]
    axes, *below = figure.subplots(1 + two, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    beside = behind and not apart and not winds
    for n, names in enumerate(curves):
        if beside:
            axes.plot(*(behind[each] for each in names), **style.BEHIND, label=None if n else "exact")
        draw_record(axes, [x[n], y[n]], columns["t"] if winds else None, linestyle=style.LINES[n],
                    color=style.COLOURS[n], linewidth=1 if apart else 1.3,
                    label="computed" if behind and len(curves) == 1 else names[-1])
        for frame in below[:apart]:
            frame.plot(x[n], y[n] - behind[names[1]], style.LINES[n], color=style.COLOURS[n], linewidth=1)
            frame.set(ylabel="error")
    if slope is not None:
        if beside:
            exact_x, exact_y = (behind[each] for each in curves[0])
            below[0].plot(exact_x, exact_y - slope * exact_x, **style.BEHIND)
        draw_record(below[0], [x[0], y[0] - slope * x[0]], columns["t"] if winds else None, color=style.COLOURS[0],
                    linewidth=1.3)
        below[0].set(ylabel=f"the same less {tick(slope)} x")
    words = [motion(run).labels.get(name) or run.attributes(f"series/{name}").get("label", name) for name in curves[0]]
    [axes, *below][-1].set(xlabel=in_figure(words[0]))
    axes.set(ylabel=in_figure(words[1]) if len(curves) == 1 else None)
    for frame in (axes, *below):
        style.label_values(frame.xaxis, frame.yaxis)
    if len(curves) > 1 or beside:
        lines, labels = axes.get_legend_handles_labels()
        style.legend_above(axes, len(curves) + bool(behind), (lines, map(in_figure, labels)))
    return figure
