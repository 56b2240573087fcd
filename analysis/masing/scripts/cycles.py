"""Draw hysteresis cycles (restoring force over x) of files of masing simulate or converge, or of CSV files.

With --analysis the script divides each curve into loops and searches for the limit cycle to which these loops tend. It
writes the area, the stiffnesses, the damping ratio and the asymmetry of every loop to OUT-numbers.csv. The file
OUT-numbers.json contains the same numbers, and also the corners and the backbone of the last loop.
"""

from functools import partial

import numpy as np
import pandas as pd

from masing import command_line, draw, style
from masing.cycles.curves import is_text, read_measured
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
PARSER.add_window(("leave out samples before", "leave out samples after"))
PARSER.add_measured()
PARSER.add_argument("--labels", metavar="A,B", help="one title per file instead of P and N")
PARSER.add_argument("--together", action="store_true", help="all cycles in one frame, not a panel each")
PARSER.add_argument("--analysis", action="store_true", help="analyse the limit cycle, write its numbers, too")


def labels(given, titles):
    """Return one label for each file: the parts of the text `given`, such as "a,b", or `titles` if `given` is None.

    Raises MasingError if the number of parts of the text differs from the number of files.
    """
    if given is None:
        return titles
    names = [name.strip() for name in given.split(",")]
    if len(names) != len(titles):
        raise MasingError(f"--labels names {len(names)} of {len(titles)} files; give one label per file, "
                          "as in \"a,b\"")
    return names


def titles_and_samples(options):
    """Return three tuples with an item for each file: titles, samples (t or None, x, restoring), units {name: unit}.

    Only the samples within the window from --from to --to are returned. A sample of a result file is left out if its x
    or its restoring force is NaN, infinite, or of a size of 1e100 or more.
    """
    runs = [None if is_text(file) else Run(file) for file in options.files]
    names = iter(names_apart([run for run in runs if run]))
    samples = []
    for file, run in zip(options.files, runs):
        if run is None:
            curve = measured(file, options)
            samples.append((curve.path.stem, (curve.t, curve.x, curve.force), curve.units))
        else:
            samples.append((next(names), run.in_window(options.start, options.end), {}))
    return zip(*samples)


def axis_labels(files, units):
    """Return the labels of the axes for the curves of all files; units count only if all files are CSV files."""
    if any(map(is_text, files)):
        return draw.labels_of_axes(units)
    return X_LABEL, f"restoring force {restoring_of_all(map(Run, files))}"


def measured(file, options):
    """Return the samples of a file in the window from --from to --to, as a masing.cycles.curves.Measured.

    The options --columns and --scale are applied only to CSV files.
    """
    return read_measured(file, options.start, options.end, *((options.columns, options.scale) if is_text(file) else ()))


def analyse_files(options, path):
    """Analyse each file, and write the figure to `path` and the numbers to a CSV and a JSON file beside the figure.

    Returns the paths of the three files.
    """
    curves = [measured(file, options) for file in options.files]
    analyses = [analyse(curve) for curve in curves]
    names = [curve.path.stem for curve in curves]
    picture = draw.analysis_figure(analyses, labels(options.labels, names),
                                      axis_labels(options.files, [curve.units for curve in curves]))
    table, objects = (path.with_name(f"{path.stem}-numbers{ending}") for ending in (".csv", ".json"))
    style.save(picture, path)
    numbers = [{"file": name} | analysis.numbers() for name, analysis in zip(names, analyses)]
    rows = [{"file": each["file"], "loop": n} | loop
            for each in numbers for n, loop in enumerate(each["loops"], start=1)]
    command_line.write_file(table, csv(pd.DataFrame(rows).replace([np.inf, -np.inf], np.nan)))
    command_line.write_file(objects, command_line.as_json(numbers))
    return path, table, objects


def main(arguments):
    """Read the files, draw and save the figure, and print the paths of all files that were written."""
    options = PARSER.parse_args(arguments)
    path = command_line.output_path(options.output, options.files[0], ".png", command_line.PICTURES)
    for file in options.files:
        if not is_text(file) and Run(file).is_chain:
            raise MasingError(f"{file}: is of a chain, where no force has a loop over x of a node; report.py draws the "
                              "loops of the elements that are watched")
    if options.analysis:
        print(*analyse_files(options, path), sep="\n")
        return
    titles, samples, units = titles_and_samples(options)
    axes = axis_labels(options.files, units)
    curves, titles = [sample[1:] for sample in samples], labels(options.labels, list(titles))
    figure, common = (draw.together(curves, titles, axes) if options.together
                      else draw.panels(curves, titles, axes))
    style.save(figure, path)
    print(path)
    if common:
        print(f"All curves have {common}.")


run = partial(command_line.run, main)
