#!/usr/bin/env python3
"""Draw the hysteresis cycles (x, F - m x'') of files of masing simulate or masing converge, or of CSV files of x and force.

With --analysis it finds the limit cycle and writes its numbers, too: area, stiffnesses, damping ratio, corners,
backbone, symmetry, of every loop to OUT-numbers.csv, and all of it to OUT-numbers.json."""

import cli

cli.require("h5py", "numpy", "scipy", "matplotlib")

from pathlib import Path

import configuration
import figures
import limit_cycle_numbers
import style
from cycle import in_window
from limit_cycle import analyse
from limit_cycle_figure import analysis_figure
from measured import is_text, read_measured
from results import read_run

FORMATS = (".png", ".svg", ".pdf")


def parser():
    """The command line of this script."""
    options = cli.Parser(description=__doc__)
    options.add_argument("files", nargs="+", metavar="FILE.h5",
                         help="written by masing simulate or masing converge, or a CSV with columns x and force (and t)")
    options.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the first file)")
    options.add_argument("--from", dest="start", type=float, metavar="T0", help="leave out samples before T0")
    options.add_argument("--to", dest="end", type=float, metavar="T1", help="leave out samples after T1")
    options.add_argument("--labels", metavar="A,B", help="one title per file instead of P and N")
    options.add_argument("--together", action="store_true", help="all cycles in one frame, not one panel per file")
    options.add_argument("--analysis", action="store_true", help="analyse the limit cycle, write its numbers, too")
    return options


def labels(given, titles):
    """One label per file: those given as "a,b", or the titles; raises UserError on a miscount."""
    if given is None:
        return titles
    names = [name.strip() for name in given.split(",")]
    if len(names) != len(titles):
        raise cli.UserError(f"--labels names {len(names)} of {len(titles)} files; give one label per file, as in "
                            "\"a,b\"")
    return names


def title_and_curve(file, start, end):
    """The title of a file and its (x, restoring) in the window; what is not finite in a run of the program is left out."""
    if is_text(file):
        curve = read_measured(file, start, end)
        return curve.path.stem, (curve.x, curve.force)
    run = read_run(file)
    return configuration.title(run), in_window(run, start, end)[1:]


def analyse_files(options, path):
    """Analyse each file; write the figure and the numbers beside it; the paths written."""
    curves = [read_measured(file, options.start, options.end) for file in options.files]
    analyses = [analyse(curve) for curve in curves]
    stems = [curve.path.stem for curve in curves]
    figure = analysis_figure(analyses, labels(options.labels, stems))
    numbers = path.with_name(f"{path.stem}-numbers")
    contents = {path: style.encoded(figure, path.suffix.lower()[1:]),
                numbers.with_suffix(".csv"): limit_cycle_numbers.as_csv(stems, analyses),
                numbers.with_suffix(".json"): limit_cycle_numbers.as_json(stems, analyses)}
    for name, content in contents.items():
        cli.write_file(name, content)
    return list(contents)


def main(arguments):
    """Read the files, draw the figure, print its path."""
    options = parser().parse_args(arguments)
    path = cli.output_path(options.output, Path(options.files[0]), ".png", FORMATS)
    if options.analysis:
        print(*analyse_files(options, path), sep="\n")
        return
    titles, curves = zip(*(title_and_curve(file, options.start, options.end) for file in options.files))
    names = labels(options.labels, list(titles))
    draw = figures.cycles_together if options.together else figures.cycle_panels
    cli.write_file(path, style.encoded(draw(curves, names), path.suffix.lower()[1:]))
    print(path)


if __name__ == "__main__":
    cli.run(main)
