"""From a measured cycle to a model: identification, its test, its case file, the run of that, and the comparison."""

from collections import namedtuple
import shutil
import tempfile
from os import PathLike
from pathlib import Path

from masing import commands, program, style
from masing.command_line import as_json, write_file
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.cycles.noise import with_smooth_x
from masing.errors import DataError, MasingError, shown
from masing.identification.case import TABLES, write_case
from masing.identification.continuous import identify_continuous, threshold_values
from masing.identification.discrete import identify_discrete
from masing.identification.findings import compare, facts, identification_page, numbers
from masing.identification.replay import refuse_misfit
from masing.results import Folder

# To what fraction of the force's range a model can be right, and what a branch is that it misses.
DISCRETE = 1e-6, "it is curved: --threshold η(s) identifies a continuous model"
CONTINUOUS = 5e-3, "η(s) must span all that yields, and k(s) be smooth"


class Identified(namedtuple("Identified", "numbers lines case run model comparison threshold")):
    """An identified model: `numbers` as in OUT.json, the `lines` of the script, its `case` file, and the `run` of that."""

    def __repr__(self):
        return "\n".join(self.lines)

    def figure(self):
        """A page with the measured and the identified cycle and the misfit, a matplotlib Figure."""
        with style.applied():
            return identification_page(self.model, self.comparison, self.threshold, self.lines)


def identify(curve, threshold=None, *, from_=None, to=None, columns=None, scale=None, output=None, figure=None,
             program_path=None):
    """The Masing model that has a measured cycle, Identified: elements (k_i, η_i), or k(s) for a threshold "η(s)".

    curve: a file of masing, a CSV, a Run, or arrays (x, force) or (t, x, force), each [samples]; the others as the options
    of identify.py, columns={"x": "Weg", "force": 3}, scale={"x": 0.001}. With output="OUT.ini" the case, its tables, its
    result OUT.h5 and OUT.json are kept, with figure="OUT.png" the page; without they go with the result. The program
    is that at program_path, else as everywhere. Raises MasingError, of the code 3 where the data are none of such a model.
    """
    if not isinstance(threshold, str | None):
        raise MasingError("threshold: give η(s) as a text, \"s+0.1\" or \"table:FILE.csv\"")
    for name, path in (("output", output), ("figure", figure), ("program_path", program_path)):
        if not isinstance(path, str | PathLike | None):
            raise MasingError(f"{name}={shown(path)}: give the name of a file")
    measured = read_measured(curve, from_, to, columns, scale)
    masing = program.required(program_path)
    folder = None if output else tempfile.mkdtemp(prefix="masing-identify-")
    try:
        case = Path(output) if output else Path(folder) / "identified.ini"
        _refuse_overwriting([measured.path, Path((threshold or "").removeprefix("table:"))], case, figure)
        known = with_smooth_x(measured)
        about = known.noise.words(measured)
        try:
            found, half = _model(known, masing, threshold)
        except DataError as refusal:
            raise DataError("; ".join([str(refusal), *about])) from None
        write_case(case, found, threshold)
        options = {"config": case, "output": case.with_suffix(".h5"), "quiet": True}
        _, run = commands.run("simulate", options, masing=masing)
        compared = compare(found, half, run)
        identified = Identified(numbers(found, compared, threshold, known.noise), [*facts(found, compared), *about], case,
                                run, found, compared, threshold)
        if output:
            write_file(case.with_suffix(".json"), as_json(identified.numbers))
        if figure:
            with style.applied():
                style.save(identified.figure(), Path(figure))
    except BaseException:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if folder:
        run.folder = Folder(folder)
    return identified


def _model(measured, masing, threshold):
    """The model of a Measured curve, discrete or of η(s) = threshold, and its HalfCycle; raises DataError without one."""
    half = widest_half_cycle(measured)
    if threshold is None:
        found = identify_discrete(measured.path, half)
        refuse_misfit(found, half, *DISCRETE)
    else:
        found = identify_continuous(measured.path, half, *threshold_values(masing, threshold))
        refuse_misfit(found, half, *CONTINUOUS)
    return found, half


def _refuse_overwriting(read, case, page):
    """Raise MasingError when a file that is written for the case is one of the files `read`, by whatever name."""
    written = [case.with_suffix(ending) for ending in (".ini", ".h5", ".json")]
    written += [case.with_name(f"{case.stem}-{table}.csv") for table in TABLES] + ([Path(page)] if page else [])
    for path in written:
        if path.exists() and any(path.samefile(each) for each in read if each.exists()):
            raise MasingError(f"{path}: would replace a file that is read; give another name with -o")
