#!/usr/bin/env python3
"""Make a page of each case file's results and an index of thumbnails with links to them.

The results are FOLDER/CASE.h5 for each CASE.ini; a leading comment in a case file is its caption, and a line
`# draw: x, restoring; t, x from 400 to 500` in it declares the pictures of a trajectory (by default its cycle). A line
`# group: NAME` puts a study into a group of its own, with a table of the orders that were observed.
"""

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "pandas", "matplotlib", "jinja2")

import math
from pathlib import Path

from masing import program, style
from masing.convergence.claim import findings
from masing.errors import MasingError
from masing.notation import measured
from masing.report import papers
from masing.report.cases import picture, read_case
from masing.report.exact import ExactSolutions
from masing.report.page import page, render
from masing.report.problem import WORKS, in_equations
from masing.report.provenance import origin, reproduction
from masing.report.trajectories import response_pictures
from masing.results import Run, Scan, Study, read

style.apply()


# Where the index puts the cases that cite no work.
OTHERS = "Other cases"


PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("cases", nargs="+", metavar="CASE.ini", help="case files, in the gallery's order")
PARSER.add_argument("--results", required=True, metavar="FOLDER", help="where CASE.h5 are, and where the pages go")
PARSER.add_program()
PARSER.add_argument("--files-only", action="store_true", help="show what the files hold and run no program")
PARSER.add_argument("--commands", action="store_true",
                    help="print `simulate CASE`, `converge CASE` or `scan CASE`, and stop")


def entry(case, folder, found):
    """Write the page of a case into the folder and give its entry in the index; found: the program, or None."""
    # Each page has its own: one of another case may have another P.
    result, exact = read(folder / f"{case.name}.h5"), ExactSolutions([], found)
    # The first sentence is the heading.
    title, _, about = case.caption.partition(". ")
    if isinstance(result, Study):
        html, pieces = page(title, [result], [], exact, [reproduction(result, found)], about=about)
        thumbnail = next(piece for piece in pieces if piece.name.endswith("-errors"))
        shown = {"summary": result.claim, "verdict": result.verdict, "orders": order_cells(result) if case.group else None}
    else:
        if isinstance(result, Scan):
            pictures = response_pictures(result)
        else:
            beside = exact.beside(result)
            pictures = [picture(result, words, beside) for words in case.drawings]
        html = render("case.html.j2", title=title, about=about, pictures=pictures,
                      origin=origin(result, reproduction(result, found)))
        thumbnail, shown = pictures[0], {"summary": pictures[0].caption, "verdict": None, "run": result}
    command_line.write_file(folder / f"{case.name}.html", html.encode("utf-8"))
    return shown | {"case": case, "title": title.rstrip("."), "address": f"{case.name}.html", "src": thumbnail.src,
                    "alt": thumbnail.alt}


def order_cells(study):
    """Of x, y and the state what a Study observed, [order ± half its interval, constant]; [] where it measures none."""
    found = {f.quantity: f for f in findings(study) if f.quantity in study.quantities and math.isfinite(f.observed)}
    return [[f"{found[q].value} ± {found[q].uncertainty:.3f}", measured(study.number(f"constant_{q}"))]
            if q in found else [] for q in ("x", "y", "u")]


def groups(entries, exact):
    """The entries of the index by work, or the group that a case names, and model: [(work, [(model, its title, its
    equations, [entry, …]), …], the rows of what it prints), …], the works in the order of the bibliography, then groups,
    and those that cite none last."""
    by_work, printed = {}, papers.rows([entry["run"] for entry in entries if isinstance(entry.get("run"), Run)])
    for entry in entries:
        case = entry["case"]
        work = case.group or next((work.key for work in WORKS if work.key in case.caption), OTHERS)
        by_work.setdefault(work, {}).setdefault(case.model, []).append(entry)
    works = [work.key for work in WORKS]
    ordered = sorted(by_work, key=lambda key: (key == OTHERS, works.index(key) if key in works else len(works)))
    return [(key, [(model, *in_equations(exact.description(model)), chosen) for model, chosen in by_work[key].items()],
             [row for row in printed if row["work"] == key]) for key in ordered]


def main(arguments):
    """Read the cases and their results, write the pages and the index, print its path."""
    options = PARSER.parse_args(arguments)
    cases = [read_case(path) for path in options.cases]
    if options.commands:
        print("\n".join(f"{case.command} {case.path}" for case in cases))
        return
    folder = Path(options.results)
    if not folder.is_dir():
        raise MasingError(f"--results: {folder} is not a folder; give the one of the results CASE.h5")
    found = None if options.files_only else program.find(options.program)
    entries, failures = [], []
    for case in cases:
        try:
            entries.append(entry(case, folder, found))
        except MasingError as mistake:
            failures.append(str(mistake))
            entries.append({"case": case, "address": None, "summary": str(mistake)})
    index = folder / "index.html"
    html = render("gallery.html.j2", groups=groups(entries, ExactSolutions([], found)))
    command_line.write_file(index, html.encode("utf-8"))
    print(index)
    if failures:
        raise MasingError(f"{len(failures)} of {len(cases)} cases have no page; the first: {failures[0]}")


if __name__ == "__main__":
    command_line.run(main)
