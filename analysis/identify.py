#!/usr/bin/env python3
"""Identify a Masing model from a measured hysteresis cycle: a file of masing simulate, or a CSV of x and force.

Without --threshold it is the discrete model, elements (k_i, η_i) in parallel; with --threshold "η(s)" the continuous
one, whose k(s) follows. Writes OUT.ini, which masing simulate runs, its tables OUT-….csv, its result OUT.h5, the
numbers OUT.json and the page OUT.png."""

import cli

cli.require("h5py", "numpy", "scipy", "matplotlib")

import identified_case
import identify_figure
import style
from comparison import compare
from continuum import identify_continuum
from discrete import identify_discrete
from findings import facts, numbers
from measured import read_measured
from results import read_run
from reversals import widest_half_cycle
from simulation import find_program, simulate, threshold_values

PICTURES = (".png", ".svg", ".pdf")


def parser():
    """The command line of this script."""
    options = cli.Parser(description=__doc__)
    options.add_argument("cycle", metavar="CYCLE", help="HDF5 of masing, or CSV with columns x and force (and t)")
    options.add_argument("-o", "--output", metavar="OUT.ini", help="case file (default: CYCLE-identified.ini)")
    options.add_argument("--threshold", metavar="η(s)", help="identify k(s) for this monotone η(s), an expression in s "
                         "or table:FILE.csv, as the program takes it")
    options.add_argument("--from", dest="start", type=float, metavar="T0", help="leave out samples before T0")
    options.add_argument("--to", dest="end", type=float, metavar="T1", help="leave out samples after T1")
    options.add_argument("--figure", metavar="PAGE", help="the page, .png, .svg or .pdf (default: OUT.png)")
    options.add_argument("--program", metavar="PATH", help="the program masing (default: the one built here)")
    return options


def refuse_overwriting(curve, case):
    """Raise UserError when what is written for the case would replace the measured curve."""
    written = {case.with_suffix(ending) for ending in (".ini", ".h5", ".json")} | {case.with_name(
        f"{case.stem}-{table}.csv") for table in identified_case.TABLES}
    if curve.resolve() in {path.resolve() for path in written}:
        raise cli.UserError(f"{case}: would replace the measured {curve}; give another name with -o")


def main(arguments):
    """Identify, write the case, run it, compare, and print what was found."""
    options = parser().parse_args(arguments)
    measured = read_measured(options.cycle, options.start, options.end)
    curve = measured.path
    case = cli.output_path(options.output or curve.with_name(f"{curve.stem}-identified.ini"), curve, ".ini", (".ini",))
    page = cli.output_path(options.figure, case, ".png", PICTURES)
    refuse_overwriting(curve, case)
    half = widest_half_cycle(measured)
    program = find_program(options.program)
    if options.threshold is None:
        found = identify_discrete(curve, half)
    else:
        found = identify_continuum(curve, half, *threshold_values(program, options.threshold))
    identified_case.write_case(case, found, options.threshold)
    result = case.with_suffix(".h5")
    simulate(program, "--config", str(case), "--output", str(result))
    compared = compare(found, half, read_run(result).series)
    said = facts(found, compared)
    cli.write_file(case.with_suffix(".json"), numbers(found, compared, options.threshold))
    picture = identify_figure.identification_page(found, compared, options.threshold, said)
    cli.write_file(page, style.encoded(picture, page.suffix.lower()[1:]))
    print("\n".join([*said, f"{case}  {result}  {case.with_suffix('.json')}  {page}"]))


if __name__ == "__main__":
    cli.run(main)
