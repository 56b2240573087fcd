"""The page: its sections in the order a reviewer reads them, as HTML text, with the pieces for the files beside it."""

from pathlib import Path

import jinja2

from cost_section import cost_rows
from cycle_section import cycle_pictures, distances_table
from problem import problem
from reproduction import reproduction
from study_section import named, study_section
from trajectory_section import trajectory_pictures
from work_precision import work_precision

TEMPLATES = Path(__file__).resolve().parent / "templates"


def page(title, studies, runs, companions, reproductions, window=(None, None)):
    """The HTML text of the page on the studies and the runs, and its pieces: the pictures and tables in it.

    reproductions: one for each study, then one for each run. Raises UserError where no sample is in the window.
    """
    sections, earlier = [], {}
    for number, study in enumerate(studies, start=1):
        data = problem(study.run.settings)
        sections.append(study_section(study, number, earlier.get(data)))
        earlier.setdefault(data, number)
    cycles = cycle_pictures(runs, *window, studies=studies, companions=companions)
    work = work_precision(studies)
    shown = trajectory_pictures(_trajectories(studies, runs, companions))
    helpers = [run for run in companions.all if run.made_by]
    made = [reproduction(run, None, False) for run in helpers]
    everything = [study.run for study in studies] + runs + helpers
    html = environment().get_template("report.html.j2").render(
        title=title, studies=sections, work=work, cycles=cycles, distances=distances_table(cycles), trajectories=shown,
        cost=cost_rows(studies, runs), missing=list(dict.fromkeys(companions.reasons.values())),
        origins=[origin(run, again) for run, again in zip(everything, reproductions + made)])
    pictures = [section[name] for section in sections for name in ("errors", "map") if section[name] is not None]
    pictures += (work["pictures"] if work else []) + cycles + shown
    return html, pictures + [table for section in sections for table in section["tables"]]


def environment():
    """The templates; what is put into them is escaped."""
    return jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                              lstrip_blocks=True, undefined=jinja2.StrictUndefined)


def _trajectories(studies, runs, companions):
    """The trajectories shown over time: of each problem the exact one, or else the first file's; and those of the
    given ones that hold a field over time or an energy balance."""
    files = [study.run for study in studies] + runs
    first = {}
    # The continuum before finite numbers of cells.
    for run in [*sorted(companions.all, key=lambda run: run.settings.get("cells") != "inf"), *files]:
        if run.series is not None:
            first.setdefault(problem(run.settings), run)
    chosen = list(first.values())
    return chosen + [run for run in runs if (run.field or run.energy) and all(run is not other for other in chosen)]


def origin(run, again):
    """What the template says of the origin of a file, or of a run made for the page."""
    provenance = dict(run.provenance)
    dirty = str(provenance.get("git_dirty", "no")) not in ("no", "0")
    words = [("masing", "version"), ("revision", "git_revision"), ("on", "date"), ("ranks:", "ranks")]
    brief = ", ".join(f"{word} {provenance[key]}" for word, key in words if key in provenance)
    return {"name": run.path.name, "brief": brief + (", with uncommitted changes" if dirty else ""), "again": again,
            "is_file": run.made_by is None, "configuration": run.configuration, "provenance": named(provenance),
            "timing": named(run.timing)}
