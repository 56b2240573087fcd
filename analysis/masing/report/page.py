"""The page: its sections as HTML text, and the pieces (pictures and tables) for the files beside it."""

import functools
import math
from collections import Counter
from pathlib import Path

import jinja2

from masing.notation import cell, grouped, listed, measured
from masing.report.cycles import cycles_section
from masing.report.pictures import Text
from masing.report.problem import cited, problem
from masing.report.provenance import machine, machines, provenance_section, reproduction
from masing.report.study import study_section
from masing.report.trajectories import response_pictures, trajectory_pictures
from masing.report.work import number_pictures, work_precision

# Where a template lists the works that the page cites.
BIBLIOGRAPHY = "<!-- bibliography -->"
TEMPLATES = Path(__file__).resolve().parent / "templates"
# The attributes of /timing that do not overlap, with their names on the page; older files lack some.
PHASES = {"setup": "set-up", "steps": "steps", "output": "output", "seal": "seal",
          "rest": "comparing fields, waiting and what else is no phase"}
# The verdicts in the order in which a claim counts them.
VERDICTS = ("as expected", "exact", "not as expected", "undecided", "undefined", "not judged")


def page(title, studies, runs, exact, reproductions, window=(None, None), scans=(), papers=()):
    """The HTML text of the page on the studies, the runs and the scans, and its pieces: the pictures, tables and
    configurations.

    exact: the ExactSolutions of the page; reproductions: one for each study, each run, then each scan; papers: rows of
    what the papers print beside the program's, {work, place, quantity, printed, program, difference, command: text}.
    Raises MasingError where no sample is in the window.
    """
    files = [*studies, *runs, *scans]
    first = {}
    for run in files:
        first.setdefault(run.problem, run)
    problems = {key: problem(run, f"problem-{n}", exact.description(run.model))
                for n, (key, run) in enumerate(first.items(), start=1)}
    sections = _sections(studies, problems)
    cycles = cycles_section(runs, *window, studies=studies, exact=exact)
    numbers = number_pictures(studies)
    work = work_precision(studies)
    trajectories = trajectory_pictures(_trajectories(studies, runs, exact))
    made = [run for run in exact.all if run.made_by]
    responses = [picture for scan in scans for picture in response_pictures(scan)]
    origins = provenance_section(files + made, reproductions + [reproduction(run) for run in made])
    html = render("report.html.j2", title=title, summary=summary(sections, studies, runs, reproductions, scans),
                  problem=next(iter(problems.values())), studies=sections, numbers=numbers, work=work, cycles=cycles, papers=papers,
                  trajectories=trajectories, responses=responses, cost=_cost_rows(studies, runs, scans),
                  phases=_phases(files), origins=origins, missing=list(dict.fromkeys(exact.reasons.values())))
    pictures = [section[name] for section in sections for name in ("errors", "map") if section[name] is not None]
    pictures += numbers + (work["pictures"] if work else []) + trajectories + responses
    pictures += cycles["together"] + cycles["pictures"] if cycles else []
    pictures += [picture for each in problems.values() for picture in each.pictures]
    texts = [Text(run.path.stem, {"ini": run.configuration.encode("utf-8")}) for run in files if run.configuration]
    return html, pictures + [table for section in sections for table in section["tables"]] + texts


def _sections(studies, problems):
    """The template's values of the studies; what an earlier section shows is named by its number."""
    sections, shown, stated, explained = [], {next(iter(problems), None)}, {}, {}
    models = {each.model for each in list(problems.values())[:1]}
    for number, study in enumerate(studies, start=1):
        key, statement = study.problem, study.fit["statement"]
        section = study_section(study, number, problems[key], key not in shown, stated.get(statement))
        section["shows_model"] = problems[key].model not in models
        shown.add(key)
        models.add(problems[key].model)
        if statement in ("3.1", "4.1", "25"):
            stated.setdefault(statement, number)
        if explained.setdefault(section["explained"], number) != number and section["explained"]:
            section["explained"] = f"How it is found is said in study {explained[section['explained']]}."
        sections.append(section)
    return sections


def render(template, **values):
    """The text of a template with the values, which are escaped, and the works that its words cite where it lists them."""
    html = _templates().get_template(template).render(values)
    return html.replace(BIBLIOGRAPHY, _templates().get_template("bibliography.html.j2").render(works=cited(html)))


@functools.cache
def _templates():
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                              lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def _trajectories(studies, runs, exact):
    """The trajectories shown over time: of each problem the exact one, or else the first file's; and those of the
    given ones that hold a field over time or an energy balance."""
    first = {}
    # The continuum before finite numbers of cells.
    for run in [*sorted(exact.all, key=lambda run: run.cells != 0), *studies, *runs]:
        if run.has_samples:
            first.setdefault(run.problem, run)
    chosen = list(first.values())
    return chosen + [run for run in runs if (run.has_field or run.has_energy) and all(run is not other for other in chosen)]


def _cost_rows(studies, runs, scans):
    """The rows (file, how many rows it has, cells) with P, N, ranks, wall time, set-up, steps/s and cell updates/s; the
    last row of a study, and that of a scan, is on the whole file. The file is None but in its first row."""
    timed = ("wall_seconds", "setup_seconds", "steps_per_second", "cell_updates_per_second")
    groups = []
    for study in studies:
        none = [None] * study.levels
        levels = zip(study.level_cells if study.has_cells else none, study.level_steps, study.seconds, none,
                     study.steps_per_second, study.cell_updates_per_second)
        groups.append((study, [*levels, (None, None, *map(study.timing.get, timed))]))
    groups += [(run, [(run.cells, run.steps, *map(run.timing.get, timed))]) for run in runs]
    groups += [(scan, [(None, None, *map(scan.timing.get, timed))]) for scan in scans]
    rows = [(run.path.name, [(cell(cells, grouped), cell(steps, grouped), cell(run.provenance.get("ranks"), grouped),
                              *(cell(value or math.nan, lambda rate: measured(rate, 3)) for value in rates))
                             for cells, steps, *rates in levels]) for run, levels in groups]
    return [(None if n else name, len(levels), row) for name, levels in rows for n, row in enumerate(levels)]


def _phases(files):
    """A sentence for each file that has them on the seconds of its phases, and of communication, a part of them."""
    sentences = []
    for run in files:
        seconds = {name: run.timing[f"{key}_seconds"] for key, name in PHASES.items() if f"{key}_seconds" in run.timing}
        if seconds:
            parts = listed(f"{name} {measured(value, 3)} s" for name, value in seconds.items())
            whole = measured(sum(seconds.values()), 3)
            total = f", {whole} s from begin to end" if "rest_seconds" in run.timing else ""
            within = run.timing.get("communication_seconds", 0)
            of_these = f"; of these {measured(within, 3)} s in sums at every step" if within else ""
            sentences.append(f"{run.path.name}{total}: {parts}{of_these}.")
    return sentences


def summary(sections, studies, runs, reproductions, scans=()):
    """The template's values: sentences of the claim, and facts (name, text) on where and when. sections: the
    template's values of the studies; reproductions: one for each study, each run, then each scan."""
    files = [*studies, *runs, *scans]
    counted = Counter(study.verdict for study in studies)
    total = f"of {len(studies)} stud{'y' if len(studies) == 1 else 'ies'}"
    verdicts = [(verdict, f"{counted[verdict]} {total} {verdict}") for verdict in VERDICTS if counted[verdict]]
    return {"verdicts": verdicts, "reproduced": _reproduced(reproductions, files),
            "outside": sum(bool(study.fit.get("unmet_hypotheses")) for study in studies),
            "facts": _facts(files, reproductions), "sections": sections, "trajectories": len(runs)}


def _reproduced(reproductions, files):
    """(whether all were, sentence) on the files that were run again for the page; None where none was."""
    tried = [again for again in reproductions if again.same is not None]
    if not tried:
        return None
    same = sum(again.same for again in tried)
    where = list(dict.fromkeys(machine(again.provenance) for again in tried))
    alike = set(where) == {machine(run.provenance) for run in files}
    on = "the same machine" if alike else listed(each or "an unknown machine" for each in where)
    return (same == len(tried), f"{same} of {len(tried)} file{'' if len(tried) == 1 else 's'} reproduced bit for bit when "
            f"this page was made, on {on}")


def _facts(files, reproductions):
    known = [run.provenance for run in files if run.provenance]
    programs = list(dict.fromkeys(_program(each) for each in known))
    dates = sorted(str(each["date"])[:10] for each in known if "date" in each)
    facts = [("computed on", "; ".join(machines(known))), ("by", "; ".join(programs)),
             ("date", dates[0] if dates and dates[0] == dates[-1] else " to ".join((dates[:1] + dates[-1:])))]
    return [(name, text) for name, text in facts if text]


def _program(provenance):
    dirty = str(provenance.get("git_dirty", "no")) not in ("no", "0")
    return (f"masing {provenance.get('version', '?')}, revision {provenance.get('git_revision', 'unknown')}"
            + (" with uncommitted changes" if dirty else ""))
