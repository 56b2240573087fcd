"""Draw the responses in a file that masing scan has written.

The figure shows two quantities over a parameter, such as the amplitude and the phase, the loss and the damping ratio
over the amplitude, a map of the amplitude over two parameters, and cycles, as far as the file has data for them.

With --limit the figure shows an ensemble of records in place of these: the 16, 50 and 84 % quantiles of max |x|, or of
another number, over the intensity, and the fragility curve, the probability that the number exceeds the limit.
"""

from collections import ChainMap

from masing import command_line, response, style
from masing.errors import MasingError
from masing.results import Scan

style.apply()

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("file", metavar="SCAN.h5", help="of masing scan")
PARSER.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the file)")
PARSER.add_argument("--over", metavar="NAME", help="the abscissa (default: the axis with the most values); with "
                    "--limit the column of the intensities")
PARSER.add_argument("--limit", metavar="L", type=float, help="draw quantiles and the fragility curve for this limit")
PARSER.add_argument("--of", metavar="NAME", help="with --limit: the number that is compared with it (default: peak_x, "
                    "which is max |x|)")
PARSER.add_argument("--cluster", metavar="NAME", help="with --limit: the column that tells records apart, or none "
                    "(default: sample)")
PARSER.add_argument("--where", metavar="NAME=VALUE", action="append", default=[], type=command_line.pairs,
                    help="with --limit: only points with this value; may be repeated")


@command_line.script
def main(arguments):
    """Read the file of a scan, draw and save the figure, and print the path of the figure."""
    options = PARSER.parse_args(arguments)
    path = command_line.output_path(options.output, options.file, *command_line.PICTURES)
    scan = Scan(options.file)
    if options.limit is None:
        if options.of or options.cluster or options.where:
            raise MasingError("--of, --cluster and --where: need --limit")
        if not scan.done.any():
            raise MasingError(f"{options.file}: no point of it is done; see its /points/messages")
        figure = response.response_figure(scan, options.over)
    else:
        where = dict(ChainMap(*options.where))
        cluster = None if options.cluster in ("none", "None") else options.cluster or "sample"
        curve = scan.fragility(options.limit, options.over or scan.abscissa(), cluster, of=options.of or "peak_x",
                               where=where)
        figure = response.ensemble_figure(scan, curve, where)
        print(curve)
    style.save(figure, path)
    print(path)
