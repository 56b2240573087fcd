"""Identify a model from a measured cycle, test it, write and run a case file for it, and compare both cycles."""

from collections import namedtuple
import tempfile
from pathlib import Path

import numpy as np

from masing import commands, program
from masing.command_line import as_json, write_file
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.cycles.noise import with_smooth_x
from masing.errors import DataError, MasingError
from masing.identification.case import TABLES, write_case
from masing.identification.continuous import identify_continuous, threshold_values
from masing.identification.discrete import identify_discrete
from masing.identification.findings import compare, facts, numbers
from masing.identification.replay import refuse_misfit
from masing.results import Folder
from masing.text import percent

# The accuracy of a model as a fraction of the force's range, and the advice if it does not fit.
DISCRETE = 1e-6, "it is curved: a threshold η(s) identifies a continuous model"
CONTINUOUS = 5e-3, "η(s) must span all that yields, and k(s) be smooth"


class Identified(namedtuple("Identified", "numbers lines case run model comparison threshold")):
    """An identified model.

    `numbers` are the findings {name: value}, `lines` the lines that identify.py prints, and `run` is the Run of the
    case file `case`. `comparison` compares it with the measured cycle; `threshold` is the text of η(s), or None.
    """

    def __repr__(self):
        return "\n".join(self.lines)

    def figure(self):
        """Return a matplotlib Figure of both cycles, of the model, and of the residuals of both halves."""
        from masing import style
        from masing.identification.page import identification_page

        with style.applied():
            return identification_page(self.model, self.comparison, self.threshold)


def identify(curve, threshold=None, *, start=None, end=None, columns=None, scale=None, output=None, figure=None):
    """Identify the Masing model that has a measured cycle.

    Parameters
    ----------
    curve, start, end, columns, scale
        As of cycle_numbers().
    threshold : str
        The text of η(s), for which k(s) is identified. Without it elements (k_i, η_i) are identified.
    output, figure : path
        OUT.ini, beside which its tables, the result OUT.h5 and the findings OUT.json are written, and OUT.png, the
        page, with the lines in OUT.txt. Without `output`, the case and the result are deleted together with the `run`.

    Returns
    -------
    Identified
        Its `numbers`, `lines`, `case` and `run`, and figure().

    Raises
    ------
    MasingError
        With the code 3 if no such model has the measured cycle.

    Examples
    --------
    >>> x = np.concatenate([np.linspace(0, 2, 101), np.linspace(2, -2, 201)[1:], np.linspace(-2, 2, 201)[1:]])
    >>> points = masing.MaterialPoint(masing.Material.of_springs(3, 0.5))
    >>> found = masing.identify((x, points.move_along(x)))
    >>> found.numbers["k"].round(6), found.numbers["eta"].round(6)
    (array([3.]), array([0.5]))
    """
    if not isinstance(threshold, str | None):
        raise MasingError("threshold: give η(s) as a text, \"s+0.1\" or \"table:FILE.csv\"")
    measured = read_measured(curve, start, end, columns, scale)
    masing = program.required()
    temporary = None if output else tempfile.mkdtemp(prefix="masing-identify-")
    folder = temporary and Folder(temporary)  # deleted when nothing refers to it any more
    case = Path(output or f"{temporary}/identified.ini")
    _refuse_overwriting([measured.path, Path((threshold or "").removeprefix("table:"))], case, figure)
    known = with_smooth_x(measured)
    about = [f"noise of x {percent(known.noise.x / np.ptp(measured.x))} of its range, of force "
             f"{percent(known.noise.force / np.ptp(measured.force))}: errors in both"] if known.noise.x else []
    try:
        half = widest_half_cycle(known)
        fitted = (identify_discrete(known.path, half) if threshold is None
                  else identify_continuous(known.path, half, *threshold_values(masing, threshold)))
        refuse_misfit(fitted, half, *(DISCRETE if threshold is None else CONTINUOUS))
    except DataError as refusal:
        raise DataError("; ".join([str(refusal), *about])) from None
    write_case(case, fitted, threshold)
    options = {"config": case, "output": case.with_suffix(".h5"), "quiet": True}
    _, run = commands.run("simulate", options, masing=masing)
    if folder:
        run._folder = folder
    compared = compare(fitted, half, run)
    identified = Identified(numbers(fitted, compared, threshold, known.noise), [*facts(fitted, compared), *about],
                            case, run, fitted, compared, threshold)
    if output:
        write_file(case.with_suffix(".json"), as_json(identified.numbers))
    if figure:
        from masing import style

        style.save(identified.figure(), Path(figure))
        write_file(findings_path(figure), ("\n".join(identified.lines) + "\n").encode())
    return identified


def findings_path(page):
    """Return the path of the text with the findings, beside the page."""
    return Path(page).with_suffix(".txt")


def _refuse_overwriting(read, case, page):
    """Raise MasingError if a file to be written is one of the files `read`."""
    written = [case.with_suffix(ending) for ending in (".ini", ".h5", ".json")]
    written += [case.with_name(f"{case.stem}-{table}.csv") for table in TABLES]
    written += [Path(page), findings_path(page)] if page else []
    for path in written:
        if path.exists() and any(path.samefile(each) for each in read if each.exists()):
            raise MasingError(f"{path}: would replace a file that is read; give another name with -o")
