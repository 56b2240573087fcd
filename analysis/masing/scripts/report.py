"""Write one self-contained HTML page about the refinement studies, trajectories and scans in result files of masing.

The pictures (SVG, PDF) and the tables (CSV) of the page PAGE.html are also written into the folder PAGE-files
beside the page, unless --page-only is given. The cycles of the continuous model are compared with the exact solution.
If none of the files contains it, the program masing computes it for the page, unless --files-only is given.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from masing import command_line, program, style
from masing.errors import MasingError
from masing.report import papers
from masing.report.archive import write_archive
from masing.report.exact import ExactSolutions
from masing.report.page import page
from masing.report.provenance import reproduction
from masing.report.pictures import write_pieces
from masing.results import Run, Scan, Study, read

style.apply()

PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("files", nargs="*", metavar="FILE.h5", help="studies of masing converge, in the page's order, "
                    "trajectories of masing simulate and scans of masing scan")
PARSER.add_argument("--cycles", nargs="+", default=[], metavar="FILE.h5",
                    help="more trajectories; of a study its finest level")
PARSER.add_argument("-o", "--output", metavar="REPORT.html", help="default: beside the first file")
PARSER.add_argument("--title", help="the page's heading, by default what it shows")
PARSER.add_window()
PARSER.add_argument("--archive", metavar="OUT.zip", help="write page, results, cases, source and a script that makes "
                    "every result again, for artefact evaluation")
either = PARSER.add_mutually_exclusive_group()
either.add_argument("--reproduce", action="store_true", help="let masing reproduce every file, show the result")
either.add_argument("--files-only", action="store_true", help="show what the files hold and compute nothing")
PARSER.add_argument("--page-only", action="store_true", help="write no folder of pictures and tables")


@command_line.script
def main(arguments):
    """Read the result files, write the page, the files beside it and the archive, and print the path of the page."""
    options = PARSER.parse_args(arguments)
    files = options.files + options.cycles
    if not files:
        raise MasingError("FILE.h5: no file is given (see --help)")
    path = command_line.output_path(options.output, files[0], ".html", ".htm")
    archive = command_line.output_path(options.archive, "", ".zip") if options.archive else None
    masing = None if options.files_only else program.find()
    results = [read(file) for file in options.files]
    studies = [result for result in results if isinstance(result, Study)]
    scans = [result for result in results if isinstance(result, Scan)]
    runs = [result for result in results if isinstance(result, Run)] + [Run(file) for file in options.cycles]
    every = [*studies, *runs, *scans]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Each thread waits for a run of the program.
        again = list(pool.map(lambda file: reproduction(file, masing, options.reproduce), every))
    title = options.title or ("Order of convergence and hysteresis cycles" if studies else
                              "Responses" + " and cycles" * bool(runs) if scans else "Trajectories")
    html, parts = page(title, studies, runs, ExactSolutions(runs, masing), again, (options.start, options.end),
                       scans, papers.rows(runs))
    if not options.page_only:
        write_pieces(Path(f"{path.with_suffix('')}-files"), parts)
    command_line.write_file(path, html.encode("utf-8"))
    if archive:
        write_archive(archive, title, path, parts, every)
    print(path)
