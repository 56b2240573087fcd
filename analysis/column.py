#!/usr/bin/env python3
"""Make a case of a column of soil, which masing simulate runs, from a table of its layers.

The table is a CSV file with a row for each layer from the surface down and the columns thickness (m), density (kg/m³),
speed (of shear waves, m/s), reference_strain and damping (the ratio at small strains, may be absent). The last row has
the thickness 0 and is the elastic half-space below. The case and its tables are in SI units.
"""

from pathlib import Path

from masing import command_line

command_line.require("numpy", "scipy", "pandas", "h5py")

from masing import column
from masing.errors import MasingError

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("profile", metavar="PROFILE.csv", help="the layers and the half-space")
PARSER.add_argument("--frequency", type=float, default=25, metavar="F", help="the greatest frequency in Hz for which a "
                    "wavelength has ten elements at least (default: 25)")
PARSER.add_argument("--record", metavar="REC.csv", nargs="+", action="extend", default=[], help="accelerations in two "
                    "columns, t in s and a in m/s², of the half-space where it crops out; a case for each record "
                    "(default: a pulse)")
PARSER.add_argument("--within", action="store_true", help="the records are of the ground at the base of the column: it "
                    "moves as they say, and the half-space is not used")
PARSER.add_argument("--scale", type=float, default=1, metavar="A", help="factor for the accelerations, 9.81 for parts "
                    "of g (default: 1)")
PARSER.add_argument("--exponent", type=float, metavar="A", help="a in the backbone G γ/(1+(γ/γ_r)^a): 1 for the "
                    "hyperbola, 0.919 for Darendeli's (default: 1)")
PARSER.add_argument("--reach", type=float, metavar="R", help="the backbone is straight beyond the strain R γ_r "
                    "(default: 100)")
PARSER.add_argument("--curve", metavar="CURVE.csv", help="in place of the formula, a backbone through the points of "
                    "columns strain and ratio, or strain and stress")
PARSER.add_argument("--damping-frequency", type=float, metavar="F", help="the frequency in Hz at which elements have "
                    "their damping ratio (default: the first of the column)")
PARSER.add_argument("-o", "--output", metavar="OUT.ini", help="the case (default: PROFILE.ini); of several records "
                    "OUT-REC.ini")


def main(arguments):
    """Make the cases, and print what they contain and their paths."""
    options = PARSER.parse_args(arguments)
    path = command_line.output_path(options.output, options.profile, ".ini", (".ini",))
    if options.within and not options.record:
        raise MasingError("--within: needs a record; give --record REC.csv")
    if options.curve and (options.exponent, options.reach) != (None, None):
        raise MasingError("--curve: takes the place of the formula; leave out --exponent and --reach")
    given = column.read_profile(Path(options.profile), options.frequency)
    backbone = column.curve(Path(options.curve)) if options.curve else \
        column.formula(1.0 if options.exponent is None else options.exponent,
                       100.0 if options.reach is None else options.reach)
    records = {Path(each).stem: column.read_record(Path(each), options.scale) for each in options.record} or {"": None}
    if len(records) < len(options.record):
        raise MasingError("--record: two records have the same name, and so would their cases; rename one")
    for name, record in records.items():
        case = path if len(records) == 1 else path.with_name(f"{path.stem}-{name}.ini")
        found = column.write_case(case, options.profile, given, backbone, options.frequency, record, options.within,
                                  options.damping_frequency)
        print(*found, case, sep="\n")


if __name__ == "__main__":
    command_line.run(main)
