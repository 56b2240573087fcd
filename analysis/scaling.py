#!/usr/bin/env python3
"""Predict strong and weak scaling to 100,000 ranks, and how many ranks are worthwhile, from a file of masing benchmark.

The predicted time of a step of scheme euler is the sum of three times. The first is that of the arithmetic that does
not depend on the number of cells, such as the force. The second is that of the update of the cells of a rank, in the
cache or from RAM. The third is half the latency of an allreduce, because two steps of this scheme need one allreduce.
The latency within a host is measured. Every doubling of the number of hosts is assumed to add --hop microseconds to it.
With --table the script draws no figure, but prints what each part of a run costs on 10,000 and 100,000 ranks: the bytes
that a rank receives, the memory of a rank, and the time.
"""

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "matplotlib")

import math

from masing import style
from masing.errors import MasingError
from masing.scaling.costs import System, table
from masing.scaling.model import STRONG, read_machine, scaling_figure, summary

style.apply()


PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("file", metavar="BENCHMARK.h5", help="of masing benchmark, best on all cores of a host")
PARSER.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the file)")
PARSER.add_argument("--hop", type=float, default=2.0, metavar="US",
                    help="assumed microseconds of an allreduce for each doubling of hosts (default 2)")
PARSER.add_argument("--host", type=int, metavar="RANKS", help="ranks of a host (default: as in the file)")
PARSER.add_argument("--table", action="store_true", help="print what each part of a run costs, and draw nothing")
PARSER.add_argument("--cells", type=float, default=1e10, metavar="P", help="of the table (default 1e10)")
PARSER.add_argument("--network", type=float, default=1.0, metavar="GB/S",
                    help="assumed bandwidth of a rank to others (default 1)")
PARSER.add_argument("--disk", type=float, default=1.0, metavar="GB/S",
                    help="assumed bandwidth of the file system to all ranks together (default 1)")


def main(arguments):
    """Read the file; then print the table with --table, or else draw the figure and print the model and the path."""
    options = PARSER.parse_args(arguments)
    if not 0 <= options.hop < math.inf:
        raise MasingError(f"--hop {options.hop}: must be a number of microseconds from 0 on")
    if options.host is not None and options.host < 1:
        raise MasingError(f"--host {options.host}: must be at least 1 rank")
    for name in ("cells", "network", "disk"):
        if not 0 < getattr(options, name) < math.inf:
            raise MasingError(f"--{name} {getattr(options, name):g}: must be a number > 0")
    if options.table:
        machine = read_machine(options.file, 1e-6 * options.hop, options.host)
        system = System(network=1e9 * options.network, disk=1e9 * options.disk)
        print(*table(machine, system, options.cells), sep="\n")
        return
    path = command_line.output_path(options.output, options.file, ".png", command_line.PICTURES)
    machine = read_machine(options.file, 1e-6 * options.hop, options.host)
    style.save(scaling_figure(machine), path)
    print(*summary(machine, STRONG), path, sep="\n")


if __name__ == "__main__":
    command_line.run(main)
