"""Pictures in print: no letter is below eight points, by the sizes of the figures and of the page's columns."""

import re

from matplotlib.text import Text

from masing import program
from masing.convergence.figures import study_figure
from masing.cycles import figures
from masing.report.cases import picture
from masing.report.page import TEMPLATES
from masing.report.study import map_picture
from masing.report.trajectories import response_pictures, trajectory_pictures
from masing.report.work import number_pictures, work_precision
from masing.results import Run, Scan, Study, read
from synthetic import fitted, jointly, staircase, write_run, write_study
from test_analysis_work import study

LEAST = 8
# Millimetres of an inch, and between the margins of an A4 page.
MILLIMETRES, TEXT_WIDTH = 25.4, 210 - 2 * 14
CSS = (TEMPLATES / "report.css").read_text(encoding="utf-8")
PRINT = CSS[CSS.index("@media print"):]


def column():
    """The width of a column of pictures, millimetres."""
    assert "margin: 15mm 14mm" in CSS
    (parts,) = re.findall(r"^  \.pictures \{ grid-template-columns: ([\d.]+)% ", PRINT, re.MULTILINE)
    return float(parts) / 100 * TEXT_WIDTH


def drawn(tmp_path, masing, papers_case):
    """Figures of every kind that a page has."""
    run = tmp_path / "run.h5"
    program.run(masing, "simulate", "--quiet", "--output", run, "--cells=20", "--steps=50000", "--sample-every=50",
                "--from=400", "--energy", "--field-every=100").require(0)
    scan = tmp_path / "scan.h5"
    program.run(masing, "scan", "--quiet", "--output", scan, "--over", "F=0.2,0.4", "--over", "w=0.7:1.3:4", "--force",
                "F*cos(w*t)", "--k0=0.2", "--cells=inf", "--steady").require(0)
    facts = fitted() | jointly() | {"reference": "exact"}
    joint = Study(write_study(tmp_path / "s.h5", staircase(), facts, papers_case))
    cycle = Run(write_run(tmp_path / "c.h5", papers_case, cells=3))
    run = read(run)
    yield from (study_figure(joint, joint.quantities), map_picture(joint).figure, figures.together([cycle], run),
                figures.differences([cycle], run, "x"), picture(run, "t, x").figure, picture(run, "x, restoring").figure)
    several = [study(tmp_path, "inf", 0), study(tmp_path, "ten", 10)]
    for each in (*trajectory_pictures([run]), *response_pictures(Scan(scan)), *work_precision([joint])["pictures"],
                 *number_pictures(several)):
        yield each.figure


def test_no_letter_of_a_picture_is_below_eight_points(tmp_path, masing, papers_case):
    found = list(drawn(tmp_path, masing, papers_case))
    assert len(found) >= 14
    for figure in found:
        scale = column() / (figure.get_figwidth() * MILLIMETRES)
        figure.canvas.draw()
        letters = {text.get_text(): text.get_fontsize() * scale for text in figure.findobj(Text)
                   if text.get_visible() and text.get_text()}
        assert letters and min(letters.values()) >= LEAST, letters
