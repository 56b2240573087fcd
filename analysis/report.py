#!/usr/bin/env python3
"""Write one self-contained HTML page on one or more refinement studies of masing converge."""

import cli

cli.require("h5py", "numpy", "matplotlib", "jinja2")

from pathlib import Path

import jinja2

from cycle_section import cycle_pictures
from results import read_run, read_study
from study_section import named, study_section
from work_precision import work_precision

TEMPLATES = Path(__file__).resolve().parent / "templates"


def parser():
    """The command line of this script."""
    options = cli.Parser(description=__doc__)
    options.add_argument("studies", nargs="+", metavar="STUDY.h5", help="written by masing converge")
    options.add_argument("--cycles", nargs="+", default=[], metavar="FILE.h5", help="trajectories whose cycles to show")
    options.add_argument("-o", "--output", metavar="REPORT.html", help="default: beside the first study")
    options.add_argument("--title", default="Order of convergence and hysteresis cycles", help="the page's heading")
    options.add_argument("--from", dest="start", type=float, metavar="T0", help="draw cycles from T0")
    options.add_argument("--to", dest="end", type=float, metavar="T1", help="draw cycles up to T1")
    return options


def page(title, studies, runs, window=(None, None)):
    """The HTML text of the page on the studies and the cycles of the runs."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True,
                                     trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    sections = [study_section(study, number, window) for number, study in enumerate(studies, start=1)]
    origins = [(run.path.name, run.configuration, named(run.provenance), named(run.timing)) for run in runs]
    return environment.get_template("report.html.j2").render(
        title=title, studies=sections, work=work_precision(studies),
        cycles=cycle_pictures(runs, *window, studies=studies), origins=origins)


def main(arguments):
    """Read the files, write the page, print its path."""
    options = parser().parse_args(arguments)
    path = cli.output_path(options.output, options.studies[0], ".html", (".html", ".htm"))
    studies = [read_study(file) for file in options.studies]
    runs = [read_run(file) for file in options.cycles]
    html = page(options.title, studies, runs, (options.start, options.end))
    cli.write_file(path, html.encode("utf-8"))
    print(path)


if __name__ == "__main__":
    cli.run(main)
