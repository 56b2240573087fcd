#!/usr/bin/env python3
"""Identify a Masing model from a measured hysteresis cycle: a file of masing simulate, or a CSV of x and force.

Without --threshold it is the discrete model, elements (k_i, η_i) in parallel; with --threshold "η(s)" the continuous
one, whose k(s) follows. Writes OUT.ini, which masing simulate runs, its tables OUT-….csv, its result OUT.h5, the
numbers OUT.json and the page OUT.png.
"""

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "matplotlib")

from masing import program, style
from masing.cycles.curves import read_measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.identification.case import TABLES, write_case
from masing.identification.continuous import identify_continuous, threshold_values
from masing.identification.discrete import identify_discrete
from masing.identification.figure import identification_page
from masing.identification.findings import compare, facts, numbers
from masing.results import read_run


def parser():
    """The command line of this script."""
    options = command_line.Parser(description=__doc__)
    options.add_argument("cycle", metavar="CYCLE", help="HDF5 of masing, or CSV with columns x and force (and t)")
    options.add_argument("-o", "--output", metavar="OUT.ini", help="case file (default: CYCLE-identified.ini)")
    options.add_argument("--threshold", metavar="η(s)", help="identify k(s) for this monotone η(s), an expression in s "
                         "or table:FILE.csv, as the program takes it")
    options.add_window(("leave out samples before", "leave out samples after"))
    options.add_argument("--figure", metavar="PAGE", help="the page, .png, .svg or .pdf (default: OUT.png)")
    options.add_program()
    return options


def refuse_overwriting(curve, case):
    """Raise UserError when what is written for the case would replace the measured curve."""
    written = {case.with_suffix(ending) for ending in (".ini", ".h5", ".json")} | {case.with_name(
        f"{case.stem}-{table}.csv") for table in TABLES}
    if curve.resolve() in {path.resolve() for path in written}:
        raise command_line.UserError(f"{case}: would replace the measured {curve}; give another name with -o")


def main(arguments):
    """Identify, write the case, run it, compare, and print what was found."""
    options = parser().parse_args(arguments)
    measured = read_measured(options.cycle, options.start, options.end)
    curve = measured.path
    case = command_line.output_path(options.output or curve.with_name(f"{curve.stem}-identified.ini"), curve, ".ini",
                                    (".ini",))
    page = command_line.output_path(options.figure, case, ".png", command_line.PICTURES)
    refuse_overwriting(curve, case)
    half = widest_half_cycle(measured)
    masing = program.required(options.program)
    if options.threshold is None:
        found = identify_discrete(curve, half)
    else:
        found = identify_continuous(curve, half, *threshold_values(masing, options.threshold))
    write_case(case, found, options.threshold)
    result, objects = case.with_suffix(".h5"), case.with_suffix(".json")
    program.simulate(masing, "--config", case, "--output", result)
    compared = compare(found, half, read_run(result).series)
    lines = facts(found, compared)
    command_line.write_file(objects, numbers(found, compared, options.threshold))
    style.save(identification_page(found, compared, options.threshold, lines), page)
    print(*lines, f"{case}  {result}  {objects}  {page}", sep="\n")


if __name__ == "__main__":
    command_line.run(main)
