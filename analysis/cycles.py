#!/usr/bin/env python3
"""Draw the hysteresis cycles (x, F - m x'') of files of masing simulate or converge, or of CSV files of x and force.

With --analysis it also finds the limit cycle and writes its numbers: area, stiffnesses, damping ratio and symmetry of
every loop to OUT-numbers.csv; these, corners and backbone to OUT-numbers.json.
"""

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "pandas", "matplotlib")

from masing import style
from masing.cycles import figures
from masing.cycles.curves import is_text, read_measured, samples_in_window
from masing.results import read_run

style.apply()


def parser():
    """The command line of this script."""
    options = command_line.Parser(description=__doc__)
    options.add_argument("files", nargs="+", metavar="FILE.h5",
                         help="of masing simulate or masing converge, or a CSV with columns x and force (and t)")
    options.add_argument("-o", "--output", metavar="OUT", help="OUT.png, .svg or .pdf (default: beside the first file)")
    options.add_window(("leave out samples before", "leave out samples after"))
    options.add_measured()
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
        raise command_line.UserError(f"--labels names {len(names)} of {len(titles)} files; give one label per file, "
                                     "as in \"a,b\"")
    return names


def title_and_curve(file, start, end, columns=None, scale=None):
    """The title of a file and its (x, restoring) in the window; samples of a run that are not finite are left out."""
    if is_text(file):
        curve = read_measured(file, start, end, columns, scale)
        return curve.path.stem, (curve.x, curve.force)
    run = read_run(file)
    return run.title, samples_in_window(run, start, end)[1:]


def of_text(file, options):
    """Columns and factors, which concern files of measurements only."""
    return (options.columns, options.scale) if is_text(file) else (None, None)


def analyse_files(options, path):
    """Analyse each file, write the figure and the numbers beside it, give the paths written."""
    # Here, because the libraries it needs take longer to load than a figure to draw.
    from masing.cycles import limit_cycle

    curves = [read_measured(file, options.start, options.end, *of_text(file, options)) for file in options.files]
    analyses = [limit_cycle.analyse(curve) for curve in curves]
    names = [curve.path.stem for curve in curves]
    picture = figures.analysis_figure(analyses, labels(options.labels, names))
    table, objects = (path.with_name(f"{path.stem}-numbers{ending}") for ending in (".csv", ".json"))
    style.save(picture, path)
    command_line.write_file(table, limit_cycle.csv_table(names, analyses))
    command_line.write_file(objects, limit_cycle.json_objects(names, analyses))
    return path, table, objects


def main(arguments):
    """Read the files, draw the figure, print its path."""
    options = parser().parse_args(arguments)
    path = command_line.output_path(options.output, options.files[0], ".png", command_line.PICTURES)
    if options.analysis:
        print(*analyse_files(options, path), sep="\n")
        return
    titles, curves = zip(*(title_and_curve(file, options.start, options.end, *of_text(file, options))
                           for file in options.files))
    draw = figures.cycles_together if options.together else figures.cycle_panels
    style.save(draw(curves, labels(options.labels, list(titles))), path)
    print(path)


if __name__ == "__main__":
    command_line.run(main)
