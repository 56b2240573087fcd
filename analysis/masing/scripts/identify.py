"""Identify a Masing model from a hysteresis cycle in a file of masing simulate, or in a CSV file of x and force.

Without --threshold the script identifies the discrete model, which has elements (k_i, η_i) in parallel; with
--threshold "η(s)" it identifies the function k(s) of the continuous model. It writes the model as a case file OUT.ini
for masing simulate, with tables OUT-….csv, and runs this case, whose result is OUT.h5. It also writes the identified
numbers to OUT.json, a figure to OUT.png and the printed findings to OUT.txt. If no such model explains the data, the
script prints one line that describes the data, and exits with the code 3.
"""

from pathlib import Path

from masing import command_line
from masing.identification.identify import findings_path, identify

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("cycle", metavar="CYCLE", help="HDF5 of masing, or CSV with columns x and force (and t)")
PARSER.add_argument("-o", "--output", metavar="OUT.ini", help="case file (default: CYCLE-identified.ini, "
                    "with --threshold CYCLE-identified-continuous.ini)")
PARSER.add_argument("--threshold", metavar="η(s)", help="identify k(s) for this monotone η(s), an expression in s "
                    "or table:FILE.csv, as the program takes it")
PARSER.add_window()
PARSER.add_measured()
PARSER.add_argument("--figure", metavar="PAGE", help="the page, .png, .svg or .pdf (default: OUT.png)")


@command_line.script
def main(arguments):
    """Identify the model, write the files, and print the findings and the paths of the files."""
    options = PARSER.parse_args(arguments)
    curve = Path(options.cycle)
    kind = "identified" if options.threshold is None else "identified-continuous"
    case = command_line.output_path(options.output, curve.with_name(f"{curve.stem}-{kind}.ini"), ".ini")
    page = command_line.output_path(options.figure, case, *command_line.PICTURES)
    found = identify(curve, options.threshold, start=options.start, end=options.end, columns=options.columns,
                     scale=options.scale, output=case, figure=page)
    files = case, case.with_suffix(".h5"), case.with_suffix(".json"), page, findings_path(page)
    print(*found.lines, "  ".join(map(str, files)), sep="\n")
