"""Draw hysteresis cycles (restoring force over x) of files of masing simulate or converge, or of CSV files.

With --analysis the script divides each curve into loops and searches for the limit cycle to which these loops tend. It
writes the area, the stiffnesses, the damping ratio and the asymmetry of every loop to OUT-numbers.csv. The file
OUT-numbers.json contains the same numbers, and also the corners and the backbone of the last loop.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from masing import command_line, draw, style
from masing.cycles.curves import Measured, is_text, read_measured
from masing.cycles.limit_cycle import analyse
from masing.errors import MasingError
from masing.text import csv, names_apart, restoring_of_all
from masing.results import Run
from masing.style import X_LABEL

style.apply()

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("files", nargs="+", metavar="FILE.h5",
                    help="of masing simulate or masing converge, or a CSV with columns x and force (and t)")
PARSER.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the first file)")
PARSER.add_window()
PARSER.add_measured()
PARSER.add_argument("--together", action="store_true", help="all cycles in one frame, not a panel each")
PARSER.add_argument("--analysis", action="store_true", help="analyse the limit cycle, write its numbers, too")


def curve_of(file, run, options):
    """Return the Measured curve in a file; `run` is None for a CSV file.

    Only the analysis needs every number of a run to be finite.
    """
    window = options.start, options.end
    if run and not options.analysis:
        return Measured(Path(file), *run.in_window(*window))
    return read_measured(file, *window, *(() if run else (options.columns, options.scale)))


def write_numbers(path, curves, analyses):
    """Write the numbers of the analyses to OUT-numbers.csv and .json beside the figure, and print their paths."""
    table, objects = (path.with_name(f"{path.stem}-numbers{ending}") for ending in (".csv", ".json"))
    numbers = [{"file": curve.path.stem} | analysis.numbers() for curve, analysis in zip(curves, analyses)]
    rows = [{"file": each["file"], "loop": n} | loop
            for each in numbers for n, loop in enumerate(each["loops"], start=1)]
    command_line.write_file(table, csv(pd.DataFrame(rows).replace([np.inf, -np.inf], np.nan)))
    command_line.write_file(objects, command_line.as_json(numbers))
    print(f"{table}\n{objects}")


@command_line.script
def main(arguments):
    """Read the files, draw and save the figure, and print the paths of all files that were written."""
    options = PARSER.parse_args(arguments)
    path = command_line.output_path(options.output, options.files[0], *command_line.PICTURES)
    if options.analysis and f"{path.stem}-numbers" in [Path(file).stem for file in options.files]:
        raise MasingError(f"{path}: the file with its numbers would replace a file that is read; give another name")
    runs = [None if is_text(file) else Run(file) for file in options.files]
    if any(run.is_chain for run in runs if run):
        raise MasingError("in a chain no force has a loop over x of a node; report.py draws the loops of the elements "
                          "that are watched")
    curves = [curve_of(file, run, options) for file, run in zip(options.files, runs)]
    names = iter(names_apart([run for run in runs if run]))
    titles = [next(names) if run else curve.path.stem for run, curve in zip(runs, curves)]
    axes = (X_LABEL, f"restoring force {restoring_of_all(runs)}") if all(runs) else draw.labels_of_axes(
        [curve.units for curve in curves])
    analyses = [analyse(curve) for curve in curves] if options.analysis else []
    draw_all = draw.together if options.together else draw.panels
    figure, common = draw_all([(curve.x, curve.force) for curve in curves], titles, axes)
    style.save(figure, path)
    print(path)
    if analyses:
        write_numbers(path, curves, analyses)
    if common:
        print(f"All curves have {common}.")
