"""The page: its sections as HTML text, and the pieces (pictures and tables) for the files beside it."""

import functools
import math
from pathlib import Path

import jinja2

from masing.convergence.claim import AS_EXPECTED, EXACT
from masing.convergence.levels import twin
from masing.notation import cell, count, measured
from masing.report.cycles import cycles_section
from masing.report.pictures import Text
from masing.report.problem import cited, problem
from masing.report.provenance import provenance_section, reproduction
from masing.report.study import study_section
from masing.report.summary import study_rows, summary
from masing.report.trajectories import response_pictures, trajectory_pictures
from masing.report.work import number_pictures, work_precision

# Where a template lists the works that the page cites.
BIBLIOGRAPHY = "<!-- bibliography -->"
TEMPLATES = Path(__file__).resolve().parent / "templates"
# The attributes of /timing with their names on the page; older files lack some.
PHASES = {"setup": "set-up", "steps": "steps", "output": "output", "seal": "seal",
          "rest": "comparing fields, waiting and what else is no phase", "communication": "of these in sums at every step"}

# The sections of a page with their names in its contents.
SECTIONS = {"problem-1": "Problem", "studies": "Studies", "cycles": "Cycles", "papers": "The papers’ numbers",
            "work": "Work and precision", "time": "Over time", "responses": "Responses", "provenance": "Files"}


def page(title, studies, runs, exact, reproductions, window=(None, None), scans=(), papers=(), about=""):
    """The HTML text of the page on the studies, the runs and the scans, and its pieces: the pictures, tables and
    configurations.

    exact: the ExactSolutions of the page; reproductions: one for each study, each run, then each scan; papers: rows of
    what the papers print beside the program's, {work, place, quantity, printed, program, difference, command: text};
    about: words below the title. Raises MasingError where no sample is in the window.
    """
    files = [*studies, *runs, *scans]
    first = {}
    for run in files:
        first.setdefault(run.problem, run)
    problems = {key: problem(run, f"problem-{n}", exact.description(run.model))
                for n, (key, run) in enumerate(first.items(), start=1)}
    sections = _sections(studies, problems)
    cycles = cycles_section(runs, *window, studies=studies, exact=exact)
    numbers, work = number_pictures(studies), work_precision(studies)
    trajectories = trajectory_pictures(_trajectories(studies, runs, exact))
    made = [run for run in exact.all if run.made_by]
    responses = [picture for scan in scans for picture in response_pictures(scan)]
    origins = provenance_section(files + made, reproductions + [reproduction(run) for run in made])
    for origin, run in zip(origins["rows"], files + made):
        origin["cost"], origin["phases"] = _cost(run)
    chosen = _chosen(studies)
    overview = (cycles["together"][:1] if cycles else []) + ([sections[chosen]["errors"]] if studies else responses[:1])
    alone = [section for section in sections if section["twin"] is None]
    pictures = _numbered(overview, [section[name] for section in alone for name in ("errors", "map")] + numbers
                         + (cycles["together"] + cycles["differences"] + cycles["long"] if cycles else [])
                         + (work["pictures"] if work else []) + trajectories + responses)
    shown = {"problem-1": True, "studies": studies, "cycles": cycles, "papers": papers, "work": work, "time": trajectories,
             "responses": responses, "provenance": True}
    tables = ["studies"] * bool(studies) + [section["id"] for section in alone if section["findings"]]
    tables += [name for name in ("cycles", "papers", "work", "provenance") if shown[name]]
    contents = [(name, SECTIONS[name]) for name, there in shown.items() if there]
    html = render("report.html.j2", title=title, about=about, contents=contents, number=_places(dict(contents)).get,
                  tables=_places(tables), summary=summary(studies, runs, reproductions, scans), overview=overview,
                  chosen=sections[chosen]["number"] if studies else None, rows=study_rows(sections, studies),
                  problem=next(iter(problems.values())), studies=sections, numbers=numbers, work=work, cycles=cycles,
                  trajectories=trajectories, responses=responses, papers=papers, origins=origins,
                  missing=list(dict.fromkeys(exact.reasons.values())))
    pictures += [picture for each in problems.values() for picture in each.pictures]
    texts = [Text(run.path.stem, {"ini": run.configuration.encode("utf-8")}) for run in files if run.configuration]
    return html, pictures + [table for section in sections for table in section["tables"]] + texts


def _places(names):
    return {name: place for place, name in enumerate(names, start=1)}


def _chosen(studies):
    """The place of the study in the first figure: the first not as expected, else that of the most levels; or None."""
    return min(range(len(studies)), key=lambda n: (studies[n].verdict in (AS_EXPECTED, EXACT), -studies[n].levels),
               default=None)


def _numbered(overview, others):
    """All Pictures in the page's order, numbered: those of the overview are figure 1 together."""
    pictures = overview + [picture for picture in others if picture is not None and picture not in overview]
    for n, picture in enumerate(pictures, start=1):
        picture.number = max(1, n - max(0, len(overview) - 1))
    return pictures


def _sections(studies, problems):
    """The template's values of the studies; what an earlier section shows is named by its number."""
    sections, shown, explained = [], {next(iter(problems), None)}, {}
    models = {each.model for each in list(problems.values())[:1]}
    for number, study in enumerate(studies, start=1):
        key = study.problem
        section = study_section(study, number, problems[key], key not in shown)
        same = twin(study, studies[:number - 1])
        section["twin"] = None if same is None else same + 1
        section["shows_model"] = problems[key].model not in models
        shown.add(key)
        models.add(problems[key].model)
        section["as_in"] = explained.setdefault(section["explained"] or number, number)
        sections.append(section)
    return sections


def render(template, **values):
    """The text of a template with the values, of HTML escaped, and the works that its words cite where it lists them."""
    html = _templates().get_template(template).render(values)
    return html.replace(BIBLIOGRAPHY, _templates().get_template("bibliography.html.j2").render(works=cited(html)))


@functools.cache
def _templates():
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True,
                              autoescape=lambda name: name.endswith(".html.j2"), undefined=jinja2.StrictUndefined)


def _trajectories(studies, runs, exact):
    """The trajectories over time: of each problem the exact one or the first; and the runs with fields or an energy."""
    first = {}
    for run in [*exact.all, *studies, *runs]:
        if run.has_samples:
            first.setdefault(run.problem, run)
    chosen = list(first.values())
    return chosen + [run for run in runs if (run.has_field or run.has_energy) and all(run is not other for other in chosen)]


def _cost(run):
    """P and N, of a study's finest level, wall time and rates as cells; pairs (name, seconds) of what took the time."""
    names = "wall_seconds", "steps_per_second", "cell_updates_per_second"
    cells = [*(cell(getattr(run, name, None), count) for name in ("cells", "steps")),
             *(cell(run.timing.get(name) or math.nan, lambda value: measured(value, 3)) for name in names)]
    return cells, [(name, f"{measured(run.timing[f'{key}_seconds'], 3)} s") for key, name in PHASES.items()
                   if f"{key}_seconds" in run.timing]
