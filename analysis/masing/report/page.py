"""Build the HTML text of a page from its sections, and collect the pictures, tables and texts beside it."""

from pathlib import Path

import jinja2

from masing.convergence.claim import AS_EXPECTED, EXACT
from masing.report.cycles import cycles_section
from masing.report.exact import reference_section
from masing.report.pictures import Text
from masing.report.problem import WORKS, problems_of
from masing.report.provenance import origin, reproduction
from masing.report.study import badges, study_rows, study_section
from masing.report.trajectories import chain_pictures, response_pictures, trajectory_pictures

TEMPLATES = Path(__file__).resolve().parent / "templates"
ENVIRONMENT = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), trim_blocks=True, lstrip_blocks=True,
                                 autoescape=lambda name: name.endswith(".html.j2"), undefined=jinja2.StrictUndefined)


def page(title, studies, runs, exact, reproductions, window=(None, None), scans=(), papers=()):
    """Return the HTML text of the page on the studies, runs and scans, and the Pictures and Texts beside it.

    exact: the ExactSolutions of the page. reproductions: one Reproduction for each study, run and scan. window: the
    start and the end of the cycles. papers: rows of papers.rows(). Raises MasingError if no sample is in the window.
    """
    files = [*studies, *runs, *scans]
    problems = problems_of(files, exact)
    sections = [study_section(study, number, problems[study.problem]) for number, study in enumerate(studies, start=1)]
    # The curve of restoring force over x of a node between two elements is no hysteresis cycle.
    cycles = cycles_section([run for run in runs if not run.is_chain], *window, exact)
    reference = reference_section(studies, exact)
    trajectories, chains = trajectory_pictures(_trajectories(studies, runs, exact)), chain_pictures(runs)
    responses = [picture for scan in scans for picture in response_pictures(scan)]
    computed = [run for run in exact.all if run.made_by]
    origins = [origin(*each) for each in zip(files + computed, reproductions + [reproduction(run) for run in computed])]
    # The first figure shows the study with the most levels, of those that are neither as expected nor exact if any are.
    chosen = min(sections, key=lambda each: (each["verdict"] in (AS_EXPECTED, EXACT), -len(each["levels"])),
                 default=None)
    overview = cycles["pictures"][:1] if cycles else []
    overview = overview + ([chosen["errors"]] if chosen else responses[:1]) or chains[:1]
    columns, rows = study_rows(sections)
    html = render(
        "report.html.j2",
        title=title, badges=badges(studies, reproductions), overview=overview, chosen=chosen, columns=columns,
        rows=rows, problems=list(problems.values()), studies=sections, reference=reference, cycles=cycles,
        papers=papers, trajectories=trajectories, chains=chains, responses=responses, origins=origins, works=WORKS,
        missing=list(dict.fromkeys(exact.reasons.values())))
    pictures = [section["errors"] for section in sections] + (cycles["pictures"] if cycles else [])
    tables = [section["levels_csv"] for section in sections]
    texts = [Text(run.path.stem, {"ini": run.configuration.encode("utf-8")}) for run in files]
    return html, pictures + trajectories + chains + responses + tables + texts


def render(template, **values):
    """Return the text of the template with this file name, filled with the values."""
    return ENVIRONMENT.get_template(template).render(values)


def _trajectories(studies, runs, exact):
    """Return of each problem the exact solution, or else the first study or run with samples, and all runs with fields
    or an energy balance."""
    first = {}
    for run in [*exact.all, *filter(None, (study.finest for study in studies)), *runs]:
        first.setdefault(run.problem, run)
    more = [run for run in runs if run.has_field or run.has_energy]
    return list(dict.fromkeys([*first.values(), *more]))
