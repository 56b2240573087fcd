#!/usr/bin/env python3
"""Draw the hysteresis cycles (x, F - m x'') of one or more files of masing simulate or masing converge."""

import cli

cli.require("h5py", "numpy", "matplotlib")

from pathlib import Path

import configuration
import figures
import style
from cycle import in_window
from results import read_run

FORMATS = (".png", ".svg", ".pdf")


def parser():
    """The command line of this script."""
    options = cli.Parser(description=__doc__)
    options.add_argument("files", nargs="+", metavar="FILE.h5", help="written by masing simulate or masing converge")
    options.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the first file)")
    options.add_argument("--from", dest="start", type=float, metavar="T0", help="leave out samples before T0")
    options.add_argument("--to", dest="end", type=float, metavar="T1", help="leave out samples after T1")
    options.add_argument("--labels", metavar="A,B", help="one title per file instead of P and N")
    options.add_argument("--together", action="store_true", help="all cycles in one frame, not one panel per file")
    return options


def labels(given, runs):
    """One label per run: those given as "a,b", or the titles of the configurations; raises UserError on a miscount."""
    if given is None:
        return [configuration.title(run) for run in runs]
    names = [name.strip() for name in given.split(",")]
    if len(names) != len(runs):
        raise cli.UserError(f"--labels names {len(names)} of {len(runs)} files; give one label per file, as in \"a,b\"")
    return names


def main(arguments):
    """Read the files, draw the figure, print its path."""
    options = parser().parse_args(arguments)
    path = cli.output_path(options.output, Path(options.files[0]), ".png", FORMATS)
    runs = [read_run(file) for file in options.files]
    names = labels(options.labels, runs)
    curves = [in_window(run, options.start, options.end)[1:] for run in runs]
    draw = figures.cycles_together if options.together else figures.cycle_panels
    cli.write_file(path, style.encoded(draw(curves, names), path.suffix.lower()[1:]))
    print(path)


if __name__ == "__main__":
    cli.run(main)
