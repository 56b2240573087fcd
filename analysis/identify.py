#!/usr/bin/env python3
"""Identify a Masing model from a measured hysteresis cycle: a file of masing simulate, or a CSV of x and force.

Without --threshold it is the discrete model, elements (k_i, η_i) in parallel; with --threshold "η(s)" the continuous
one, whose k(s) follows. Writes OUT.ini, which masing simulate runs, its tables OUT-….csv, its result OUT.h5, the
numbers OUT.json and the page OUT.png. Data that no such model explains: one line that says what they are, exit code 3.
"""

from pathlib import Path

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "matplotlib")

from masing import program, style
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.cycles.noise import with_smooth_x
from masing.identification.case import TABLES, write_case
from masing.identification.continuous import identify_continuous, threshold_values
from masing.identification.discrete import identify_discrete
from masing.identification.figure import identification_page
from masing.identification.findings import compare, facts, numbers
from masing.identification.replay import refuse_misfit
from masing.results import read_run

style.apply()

# To what fraction of the force's range a model can be right, and what a branch is that it misses.
DISCRETE = 1e-6, "it is curved, or no branch of a Masing model: --threshold η(s) identifies a continuous one"
CONTINUOUS = 5e-3, "η(s) must span all that yields, and k(s) be smooth"


def parser():
    """The command line of this script."""
    options = command_line.Parser(description=__doc__)
    options.add_argument("cycle", metavar="CYCLE", help="HDF5 of masing, or CSV with columns x and force (and t)")
    options.add_argument("-o", "--output", metavar="OUT.ini", help="case file (default: CYCLE-identified.ini, "
                         "with --threshold CYCLE-identified-continuous.ini)")
    options.add_argument("--threshold", metavar="η(s)", help="identify k(s) for this monotone η(s), an expression in s "
                         "or table:FILE.csv, as the program takes it")
    options.add_window(("leave out samples before", "leave out samples after"))
    options.add_measured()
    options.add_argument("--figure", metavar="PAGE", help="the page, .png, .svg or .pdf (default: OUT.png)")
    options.add_program()
    return options


def refuse_overwriting(read, case, page):
    """Raise UserError when a file that is written for the case is one of the files `read`, by whatever name."""
    written = [case.with_suffix(ending) for ending in (".ini", ".h5", ".json")]
    for path in [*written, *(case.with_name(f"{case.stem}-{table}.csv") for table in TABLES), page]:
        if path.exists() and any(path.samefile(each) for each in read if each.exists()):
            raise command_line.UserError(f"{path}: would replace a file that is read; give another name with -o")


def identified(measured, masing, threshold):
    """The model of a Measured curve, discrete or of η(s) = threshold, and the HalfCycle that has it; raises DataError
    where no such model explains the curve."""
    half = widest_half_cycle(measured)
    if threshold is None:
        found = identify_discrete(measured.path, half)
        refuse_misfit(found, half, *DISCRETE)
    else:
        found = identify_continuous(measured.path, half, *threshold_values(masing, threshold))
        refuse_misfit(found, half, *CONTINUOUS)
    return found, half


def main(arguments):
    """Identify, write the case, run it, compare, and print what was found."""
    options = parser().parse_args(arguments)
    measured = read_measured(options.cycle, options.start, options.end, options.columns, options.scale)
    curve = measured.path
    kind = "identified" if options.threshold is None else "identified-continuous"
    case = command_line.output_path(options.output or curve.with_name(f"{curve.stem}-{kind}.ini"), curve, ".ini",
                                    (".ini",))
    page = command_line.output_path(options.figure, case, ".png", command_line.PICTURES)
    refuse_overwriting([curve, Path((options.threshold or "").removeprefix("table:"))], case, page)
    known = with_smooth_x(measured)
    about = known.noise.words(measured)
    masing = program.required(options.program)
    try:
        found, half = identified(known, masing, options.threshold)
    except command_line.DataError as refusal:
        raise command_line.DataError("; ".join([str(refusal), *about])) from None
    write_case(case, found, options.threshold)
    result, objects = case.with_suffix(".h5"), case.with_suffix(".json")
    program.simulate(masing, "--config", case, "--output", result)
    compared = compare(found, half, read_run(result).series)
    lines = [*facts(found, compared), *about]
    command_line.write_file(objects, numbers(found, compared, options.threshold, known.noise))
    style.save(identification_page(found, compared, options.threshold, lines), page)
    print(*lines, f"{case}  {result}  {objects}  {page}", sep="\n")


if __name__ == "__main__":
    command_line.run(main)
