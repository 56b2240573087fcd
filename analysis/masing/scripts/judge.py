"""Judge the orders of convergence in a table of errors that any program has printed.

The script prints the table of the orders and verdicts, and writes it as a CSV file beside a figure of the errors. It
exits with code 0 if all orders are as expected, exact or not judged, and with 3 otherwise.
"""

import sys

from masing import command_line, style
from masing.errors import NOT_AS_EXPECTED
from masing.judgement import GOOD, judge
from masing.text import csv

style.apply()

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("file", metavar="TABLE.csv", help="the table, with a heading and a row for each level")
PARSER.add_argument("--expect-order", metavar="L2=2,H1>=1", help="expected orders; one number is for all columns "
                    "(default: orders are not judged)")
PARSER.add_argument("--step", default="h", metavar="EXPRESSION", help="a column, an expression of columns such as "
                    "\"1/sqrt(cells)\", or two, \"ds,dt\" (default: h)")
PARSER.add_argument("--reference", default="exact", metavar="R", help="exact, finest:H or successive (default: exact)")
PARSER.add_argument("--values", action="store_true", help="the columns are values: only extrapolate them")
PARSER.add_argument("--order-tolerance", dest="tolerance", type=float, default=0.1, metavar="A", help="default: 0.1")
PARSER.add_argument("--floor", type=float, default=0.0, metavar="E", help="errors up to E are round-off (default: 0)")
PARSER.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf; the verdicts are written beside it, "
                    "to OUT-verdicts.csv (default: beside the table)")


@command_line.script
def main(arguments):
    """Judge the table, print and write the verdicts, and draw the figure."""
    options = vars(PARSER.parse_args(arguments))
    file, output = options.pop("file"), options.pop("output")
    path = command_line.output_path(output, file, *command_line.PICTURES)
    found = judge(file, **options)
    print(found)
    beside = path.with_name(f"{path.stem}-verdicts.csv")
    command_line.write_file(beside, csv(found.to_dataframe()))
    style.save(found.figure(), path)
    print(f"{beside}\n{path}")
    if found.verdict not in GOOD:
        sys.exit(NOT_AS_EXPECTED)
