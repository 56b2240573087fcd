"""Build the HTML text of a page from its sections, and collect the pictures, tables and texts whose files are beside
it."""

import functools
from pathlib import Path

import jinja2

from masing.convergence.claim import AS_EXPECTED, EXACT
from masing.report.chains import chain_pictures
from masing.report.cycles import cycles_section
from masing.report.pictures import Text
from masing.report.problem import cited, problem
from masing.report.provenance import provenance_section, reproduction
from masing.report.reference import reference_section
from masing.report.study import study_section
from masing.report.summary import study_rows, summary
from masing.report.trajectories import response_pictures, trajectory_pictures
from masing.text import listed

# A template contains this comment at the place where the list of the works that the page cites is inserted.
BIBLIOGRAPHY = "<!-- bibliography -->"
TEMPLATES = Path(__file__).resolve().parent / "templates"
# {id of a section of the page: its name in the table of contents}.
SECTIONS = {"problem-1": "Problem", "studies": "Studies", "reference": "The reference", "cycles": "Cycles",
            "papers": "The papers’ numbers", "time": "Over time", "chains": "Along chains",
            "responses": "Responses", "provenance": "Files"}


def page(title, studies, runs, exact, reproductions, window=(None, None), scans=(), papers=()):
    """Return the HTML text of the page on the studies, runs and scans, and the Pictures and Texts whose files are
    beside it.

    exact: the ExactSolutions of the problems on the page. reproductions: one Reproduction for each study, then for each
    run, then for each scan. window: the start and the end of the time in which cycles are drawn, None for no limit.
    papers: rows of papers.rows(). Raises MasingError if no sample is in the window.
    """
    files = [*studies, *runs, *scans]
    first = {}
    for run in files:
        first.setdefault(run.problem, run)
    problems = {key: problem(run, f"problem-{n}", exact.description(run.model))
                for n, (key, run) in enumerate(first.items(), start=1)}
    of_files = _problems_of_files(files, problems, {study.problem for study in studies})
    sections = _sections(studies, problems, {each.model for each, *_ in of_files})
    # The curve of restoring force over x of a node between two elements is no hysteresis cycle.
    cycles = cycles_section([run for run in runs if not run.is_chain], *window, studies=studies, exact=exact)
    drawn, whose = _trajectories(studies, runs, exact), {}
    if len({run.problem for run in drawn}) > 1:
        for number, study in enumerate(studies, start=1):
            whose.setdefault(study.problem, f"Problem of study {number}")
    trajectories, chains = trajectory_pictures(drawn, whose), chain_pictures(runs)
    reference = reference_section(studies, exact)
    computed = [run for run in exact.all if run.made_by]
    responses = [picture for scan in scans for picture in response_pictures(scan)]
    origins = provenance_section(files + computed, reproductions + [reproduction(run) for run in computed])
    # The first figure shows the study with the most levels, of those that are neither as expected nor exact if any are.
    chosen = min(range(len(studies)), key=lambda n: (studies[n].verdict in (AS_EXPECTED, EXACT), -len(studies[n].ds)),
                 default=None)
    overview = (cycles["together"][:1] if cycles else []) + ([sections[chosen]["errors"]] if studies else responses[:1])
    overview = overview or chains[:1]
    others = [section["errors"] for section in sections]
    others += cycles["together"] + cycles["long"] if cycles else []
    others += trajectories + chains + responses
    pictures = list(dict.fromkeys(overview + others))
    for n, picture in enumerate(pictures, start=1):  # The pictures of the overview are all figure 1.
        picture.number = max(1, n - max(0, len(overview) - 1))
    shown = {"problem-1": True, "studies": studies, "reference": reference, "cycles": cycles, "papers": papers,
             "time": trajectories, "chains": chains, "responses": responses, "provenance": True}
    tables = ["studies"] * bool(studies) + [section["id"] for section in sections if section["findings"]]
    tables += [name for name in ("reference", "cycles", "papers", "provenance") if shown[name]]
    columns, rows = study_rows(sections, studies)
    contents = [(name, SECTIONS[name]) for name, there in shown.items() if there]
    html = render("report.html.j2", title=title, contents=contents, number=_places(dict(contents)).get,
                  tables=_places(tables), summary=summary(studies, runs, reproductions, scans), overview=overview,
                  chosen=sections[chosen]["number"] if studies else None, columns=columns, rows=rows,
                  problems=of_files, studies=sections, cycles=cycles, reference=reference,
                  trajectories=trajectories, chains=chains, responses=responses, papers=papers, origins=origins,
                  missing=list(dict.fromkeys(exact.reasons.values())))
    texts = [Text(run.path.stem, {"ini": run.configuration.encode("utf-8")}) for run in files if run.configuration]
    return html, pictures + [table for section in sections for table in section["tables"]] + texts


def _places(names):
    return {name: place for place, name in enumerate(names, start=1)}


def _problems_of_files(files, problems, of_studies):
    """Return (Problem, whether it shows its model, names of its files) for the section on the problems.

    These are the first problem and those that no study has, as the sections on the studies show the others.
    """
    shown, models = [], set()
    for number, (key, each) in enumerate(problems.items()):
        if number == 0 or key not in of_studies:
            shown.append((each, each.model not in models, listed(run.path.name for run in files if run.problem == key)))
            models.add(each.model)
    return shown


def _sections(studies, problems, models):
    """Return the template's values for the section of each study.

    The values also say whether an earlier section shows the same problem or model; the template does not repeat it.
    `models` are those of the section on the problems.
    """
    sections, shown, models = [], {next(iter(problems), None)}, set(models)
    for number, study in enumerate(studies, start=1):
        key = study.problem
        section = study_section(study, number, problems[key], key not in shown)
        section["shows_model"] = problems[key].model not in models
        shown.add(key)
        models.add(problems[key].model)
        sections.append(section)
    return sections


def render(template, **values):
    """Return the text of the template with this file name, filled with the values. In templates of HTML the values are
    escaped. The comment BIBLIOGRAPHY is replaced by the list of the works that the text cites."""
    html = _templates().get_template(template).render(values)
    return html.replace(BIBLIOGRAPHY, _templates().get_template("bibliography.html.j2").render(works=cited(html)))


@functools.cache
def _templates():
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True,
                              autoescape=lambda name: name.endswith(".html.j2"), undefined=jinja2.StrictUndefined)


def _trajectories(studies, runs, exact):
    """Return the runs whose trajectories are drawn over time.

    For each problem this is the exact solution or, if there is none, the first study or run with samples. All runs with
    fields or an energy balance are added.
    """
    first = {}
    for run in [*exact.all, *filter(None, (study.finest for study in studies)), *runs]:
        first.setdefault(run.problem, run)
    chosen = list(first.values())
    return chosen + [run for run in runs
                     if (run.has_field or run.has_energy) and all(run is not other for other in chosen)]
