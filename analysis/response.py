#!/usr/bin/env python3
"""Draw the responses in a file that masing scan has written.

The figure shows two quantities over a parameter, such as the amplitude and the phase. It shows the loss and the damping
ratio over the amplitude. It also shows a map of the amplitude over two parameters, and the cycles that the file
contains. A panel is omitted if the file has no data for it.
"""

from masing import command_line

command_line.require("h5py", "numpy", "matplotlib")

from masing import response, style
from masing.errors import MasingError
from masing.results import Scan

style.apply()


PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("file", metavar="SCAN.h5", help="of masing scan")
PARSER.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the file)")
PARSER.add_argument("--over", metavar="NAME", help="the abscissa (default: the axis with the most values)")


def main(arguments):
    """Read the file of a scan, draw and save the figure, and print the path of the figure."""
    options = PARSER.parse_args(arguments)
    path = command_line.output_path(options.output, options.file, ".png", command_line.PICTURES)
    scan = Scan(options.file)
    if options.over and options.over not in scan.axes:
        raise MasingError(f"--over: {options.file} has no axis {options.over}; give one of "
                          f"{', '.join(scan.axes)}")
    if not scan.done.any():
        raise MasingError(f"{options.file}: no point of it is done; see its /points/messages")
    style.save(response.response_figure(scan, options.over), path)
    print(path)


if __name__ == "__main__":
    command_line.run(main)
