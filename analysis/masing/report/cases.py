"""Read case files, and draw the hysteresis cycle of a trajectory."""

from collections import namedtuple
from pathlib import Path

import numpy as np

from masing.draw import curve_of_run
from masing.errors import MasingError
from masing.text import listed, measured, minus
from masing.report.problem import steps_in_words
from masing.report.pictures import Picture
from masing.report.trajectories import trajectory_name
from masing.results import comment_lines, leading_comment, parse_configuration
from masing.samples import drawable

GROUP = "group:"


class Case(namedtuple("Case", "path command model caption group")):
    """A case file.

    `path` is its path, `command` the command of masing that runs it, `model` the name of its model, and `caption` its
    caption. `group` is its group in the gallery, or "" if the file names no group.
    """
    name = property(lambda self: self.path.stem, doc="The name of the case's files.")


def read_case(path):
    """Return the Case that an .ini file describes.

    Its caption is the comment at the beginning of the file, or else the name of the file without its ending. A file
    with the key `refine` or `levels` is a study for masing converge, one with a section [over] is a scan for masing
    scan, and any other a trajectory for masing simulate. Raises MasingError if the file cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        raise MasingError(f"{path}: cannot be read; give a case file such as those in jobs/cases") from None
    group = next((line[len(GROUP):].strip() for line in comment_lines(text) if line.startswith(GROUP)), "")
    caption = steps_in_words(leading_comment(text))
    settings = parse_configuration(text)
    command = "converge" if not {"refine", "levels"}.isdisjoint(settings) else \
        "scan" if any(key.startswith("over.") for key in settings) else "simulate"
    return Case(path, command, settings.get("model", "masing"), caption or path.stem, group)


def cycle_picture(run, exact=None):
    """Return the Picture of the restoring force of a run over x.

    If the Run `exact` is given, which has the same times, the exact curve is drawn behind that of the run, and the
    caption contains the largest differences from it. Raises MasingError if the run has no sample that can be drawn.
    """
    keep = drawable(run.t, run.x, run.restoring)
    if not keep.any():
        raise MasingError(f"{run.path}: has no finite sample to draw")
    sample = [values[keep] for values in (run.t, run.x, run.restoring)]
    behind = exact and [values[keep] for values in (exact.x, exact.restoring)]
    window = f"{sample[0][0]:.6g} ≤ t ≤ {sample[0][-1]:.6g}"
    names = ("x", "restoring")
    # Numbers whose range is at most a thousandth of their size have more digits.
    digits = [4 if np.ptp(values) > 1e-3 * np.abs(values).max() else 7 for values in sample[1:]]
    ranges = ", ".join(minus(f"{name} in [{values.min():.{n}g}, {values.max():.{n}g}]")
                       for name, values, n in zip(names, sample[1:], digits))
    apart = {name: np.abs(one - other).max() for name, one, other in zip(names, sample[1:], behind or ())}
    far = listed(f"{measured(far)} in {name}" for name, far in apart.items())
    beside = f" At most {far} from the exact solution." if apart else ""
    caption = f"{window}: {ranges}.{beside}"
    return Picture(f"{run.path.stem}-cycle", curve_of_run(run, sample, behind),
                   f"Curve of restoring over x, {trajectory_name(run)}, {caption}", caption)
