#!/usr/bin/env python3
"""Write one page about the results of each case file, and an index of thumbnails that link to these pages.

The results of CASE.ini are read from FOLDER/CASE.h5. The comment at the beginning of a case file is the caption of its
page, and a line `# group: NAME` in it puts the case under the heading NAME of the index. If there are studies under
this heading, a table of their observed orders is shown below it.
"""

from masing import command_line

command_line.require("h5py", "numpy", "scipy", "pandas", "matplotlib", "jinja2")

import math
from pathlib import Path

from masing import program, style
from masing.convergence.claim import QUANTITY_NAMES, findings
from masing.errors import MasingError
from masing.text import order, uncertain
from masing.report import papers
from masing.report.cases import cycle_picture, read_case
from masing.report.chains import chain_pictures
from masing.report.exact import ExactSolutions
from masing.report.page import page, render
from masing.report.problem import WORKS, in_equations, problem, prose
from masing.report.provenance import origin, reproduction
from masing.report.trajectories import response_pictures
from masing.results import Run, Scan, Study, read

style.apply()


# The heading of the index for the cases that neither name a group nor cite a publication.
OTHERS = "Other cases"


PARSER = command_line.Parser(description=__doc__)
PARSER.add_argument("cases", nargs="+", metavar="CASE.ini", help="case files, in the gallery's order")
PARSER.add_argument("--results", required=True, metavar="FOLDER", help="where CASE.h5 are, and where the pages go")
PARSER.add_program()
PARSER.add_argument("--files-only", action="store_true", help="show what the files hold and run no program")
PARSER.add_argument("--commands", action="store_true",
                    help="print `simulate CASE`, `converge CASE` or `scan CASE`, and stop")


def entry(case, folder, masing):
    """Write the page of a case into the folder, and return the entry of the case in the index.

    `masing` is the path of the program, or None if no program is to be run.
    """
    # Each case has its own exact solutions, so that its page does not depend on the other cases.
    result, exact = read(folder / f"{case.name}.h5"), ExactSolutions([], masing)
    # The first sentence of the caption becomes the heading of the page.
    title, _, about = map(prose, case.caption.partition(". "))
    if isinstance(result, Study):
        html, parts = page(title, [result], [], exact, [reproduction(result, masing)], about=about)
        # The last picture of the first figure shows the errors of the study.
        thumbnail = [part for part in parts if getattr(part, "number", 0) == 1][-1]
        # {quantity: its observed order and the constant of its fit} is a part of a row of the table below a group.
        orders = {f.quantity: [order(f.observed, f.uncertainty), uncertain(
            result.number(f"constant_{f.quantity}"), result.number(f"constant_uncertainty_{f.quantity}"))]
                  for f in findings(result) if f.quantity in result.quantities and f.quantity != "u_cells"
                  and math.isfinite(f.observed)}
        item = {"summary": result.claim, "verdict": result.verdict, "orders": orders if case.group else None}
    else:
        pictures = response_pictures(result) if isinstance(result, Scan) else chain_pictures([result])
        pictures = pictures or [cycle_picture(result, exact.beside(result))]
        for each in pictures:
            each.caption = prose(each.caption)
        html = render("case.html.j2", title=title, about=about, pictures=pictures,
                      problem=problem(result, "problem-1", exact.description(result.model)),
                      origin=origin(result, reproduction(result, masing)))
        thumbnail, item = pictures[0], {"summary": pictures[0].caption, "verdict": None, "run": result}
    command_line.write_file(folder / f"{case.name}.html", html.encode("utf-8"))
    return item | {"case": case, "title": title.rstrip("."), "address": f"{case.name}.html", "src": thumbnail.src,
                    "alt": thumbnail.alt}


def groups(entries, exact):
    """Return the entries of the index, grouped by publication or by the group that a case names, and then by model.

    The result is [(name, [(model, title of the model, equations of the model, [entry, …]), …], rows), …], where the
    `rows` compare the numbers printed in the publication with those of the program. The publications come first, in the
    order of WORKS, then the groups, then OTHERS.
    """
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
    """Read the cases and their results, write the pages and the index, and print the path of the index."""
    options = PARSER.parse_args(arguments)
    cases = [read_case(path) for path in options.cases]
    if options.commands:
        print("\n".join(f"{case.command} {case.path}" for case in cases))
        return
    folder = Path(options.results)
    if not folder.is_dir():
        raise MasingError(f"--results: {folder} is not a folder; give the one of the results CASE.h5")
    masing = None if options.files_only else program.find(options.program)
    entries, failures = [], []
    for case in cases:
        try:
            entries.append(entry(case, folder, masing))
        except MasingError as mistake:
            failures.append(str(mistake))
            entries.append({"case": case, "title": prose(case.caption), "address": None, "summary": str(mistake)})
    index = folder / "index.html"
    names = QUANTITY_NAMES | {"u": "the state"}
    html = render("gallery.html.j2", groups=groups(entries, ExactSolutions([], masing)), names=names)
    command_line.write_file(index, html.encode("utf-8"))
    print(index)
    if failures:
        raise MasingError(f"{len(failures)} of {len(cases)} cases have no page; the first: {failures[0]}")


if __name__ == "__main__":
    command_line.run(main)
