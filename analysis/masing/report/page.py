"""The page: its sections as HTML text, and the pieces (pictures and tables) for the files beside it."""

import functools
import math
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

import jinja2

from masing import program as masing
from masing.command_line import UserError
from masing.notation import cell, grouped, measured
from masing.report.cycles import cycle_pictures, distances_table
from masing.report.study import study_section
from masing.report.trajectories import trajectory_pictures
from masing.report.work import work_precision

TEMPLATES = Path(__file__).resolve().parent / "templates"
# The exit codes of masing reproduce with a comparison behind them.
REPRODUCED, DIFFERENT = 0, 1


@dataclass(frozen=True)
class Reproduction:
    """The command that makes a file again; whether it did (None: it was not run), and the program's output."""

    command: str
    same: bool | None
    output: list


def page(title, studies, runs, exact, reproductions, window=(None, None)):
    """The HTML text of the page on the studies and the runs, and its pieces: the pictures and tables in it.

    exact: the ExactSolutions of the page; reproductions: one for each study, then one for each run. Raises UserError
    where no sample is in the window.
    """
    sections, earlier = [], {}
    for number, study in enumerate(studies, start=1):
        data = study.run.problem
        described = exact.description(study.run.model) if study.run.model != "masing" else None
        sections.append(study_section(study, number, earlier.get(data), described))
        earlier.setdefault(data, number)
    cycles = cycle_pictures(runs, *window, studies=studies, exact=exact)
    work = work_precision(studies)
    trajectories = trajectory_pictures(_trajectories(studies, runs, exact))
    made = [run for run in exact.all if run.made_by]
    everything = [study.run for study in studies] + runs + made
    html = render("report.html.j2", title=title, studies=sections, work=work, cycles=cycles,
                  distances=distances_table(cycles), trajectories=trajectories, cost=_cost_rows(studies, runs),
                  missing=list(dict.fromkeys(exact.reasons.values())),
                  origins=[origin(run, again)
                           for run, again in zip(everything, reproductions + [reproduction(run) for run in made])])
    pictures = [section[name] for section in sections for name in ("errors", "map") if section[name] is not None]
    pictures += (work["pictures"] if work else []) + cycles + trajectories
    return html, pictures + [table for section in sections for table in section["tables"]]


def render(template, **values):
    """The text of a template with the values, which are escaped."""
    return _templates().get_template(template).render(values)


@functools.cache
def _templates():
    """The templates, which are compiled once for all pages."""
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                              lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def reproduction(run, program=None, wanted=False):
    """The Reproduction of a file; runs the program where `wanted`. Raises UserError when it refuses or is not found."""
    command = run.made_by or f"masing reproduce {shlex.quote(run.path.name)}"
    if not wanted or run.made_by:
        return Reproduction(command, None, [])
    if program is None:
        raise UserError("--reproduce: the program masing was not found; build it or name it by --program")
    with tempfile.TemporaryDirectory(prefix="masing-reproduce-") as folder:
        answer = masing.run(program, "reproduce", "--quiet", "--output", Path(folder) / "again.h5", run.path)
    if answer.code not in (REPRODUCED, DIFFERENT):
        raise UserError(f"--reproduce: masing reproduce {run.path}: {' '.join(answer.lines[-1:])}")
    output = [line.replace(str(run.path), run.path.name) for line in answer.lines]
    return Reproduction(command, answer.code == REPRODUCED, output)


def origin(run, again):
    """The template's values on the origin of a file, or of a run made for the page; `again` is its Reproduction."""
    provenance = dict(run.provenance)
    dirty = str(provenance.get("git_dirty", "no")) not in ("no", "0")
    words = [("masing", "version"), ("revision", "git_revision"), ("on", "date"), ("ranks:", "ranks")]
    brief = ", ".join(f"{word} {provenance[key]}" for word, key in words if key in provenance)
    rows = [(name.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value))
            for name, value in (*provenance.items(), *run.timing.items())] if provenance else []
    return {"name": run.path.name, "brief": brief + (", with uncommitted changes" if dirty else ""), "again": again,
            "is_file": run.made_by is None, "configuration": run.configuration, "facts": rows}


def _trajectories(studies, runs, exact):
    """The trajectories shown over time: of each problem the exact one, or else the first file's; and those of the
    given ones that hold a field over time or an energy balance."""
    files = [study.run for study in studies] + runs
    first = {}
    # The continuum before finite numbers of cells.
    for run in [*sorted(exact.all, key=lambda run: run.cells != 0), *files]:
        if run.series is not None:
            first.setdefault(run.problem, run)
    chosen = list(first.values())
    return chosen + [run for run in runs if (run.field or run.energy) and all(run is not other for other in chosen)]


def _cost_rows(studies, runs):
    """The rows (file, how many rows it has, cells) with P, N, ranks, wall time, steps/s and cell updates/s; the file is
    None but in its first row."""
    groups = [(study.run.path.name, _study_costs(study)) for study in studies]
    groups += [(run.path.name, [_run_cost(run)]) for run in runs]
    return [(None if n else name, len(rows), row) for name, rows in groups for n, row in enumerate(rows)]


def _study_costs(study):
    cells = study.cells if study.run.has_cells else [None] * study.levels
    columns = cells, study.steps, study.seconds, study.steps_per_second, study.cell_updates_per_second
    return [_cost(study.run, *row) for row in zip(*columns)]


def _run_cost(run):
    rates = (run.timing.get(name) for name in ("wall_seconds", "steps_per_second", "cell_updates_per_second"))
    return _cost(run, run.cells, run.steps, *rates)


def _cost(run, cells, steps, *rates):
    return (cell(cells, grouped), cell(steps, grouped), cell(run.provenance.get("ranks"), grouped),
            *(cell(value or math.nan, lambda rate: measured(rate, 3)) for value in rates))
