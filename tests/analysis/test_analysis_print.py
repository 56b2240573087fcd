"""Pictures in print: no letter and no line is too small, by the sizes of the figures and of the page's columns."""

import re
from pathlib import Path

import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

from masing import style
from masing.convergence.figures import study_figure
from masing.cycles import figures
from masing.cycles.curves import Measured
from masing.cycles.limit_cycle import analyse
from masing.report.cases import cycle_picture
from masing.report.page import TEMPLATES
from masing.report.trajectories import response_pictures, trajectory_pictures
from masing.report.work import work_precision
from masing.results import Run, Scan, Study, read
from synthetic import fitted, jointly, staircase, write_run, write_study


def test_no_letter_of_a_picture_is_below_eight_points(tmp_path, whole_run, result_of, papers_case):
    """In figures of every kind that a page has, and in a column of pictures between the margins of an A4 page."""
    scan = result_of("scan", "scan.h5", "--over=F=0.2,0.4", "--over=w=0.7:1.3:4", "--force=F*cos(w*t)", "--k0=0.2",
                     "--cells=inf", "--steady")
    joint = Study(write_study(tmp_path / "s.h5", staircase(), fitted() | jointly(), papers_case))
    cycle, run = Run(write_run(tmp_path / "c.h5", papers_case, cells=3)), read(whole_run)
    pictures = [cycle_picture(run), *trajectory_pictures([run]), *response_pictures(Scan(scan)),
                *work_precision([joint])["pictures"]]
    drawn = [study_figure(joint, joint.quantities), figures.together([cycle], run),
             figures.differences([cycle], run, "x"), *(each.figure for each in pictures)]
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8").partition("@media print")
    (percent,) = re.findall(r"^  \.pictures \{ grid-template-columns: ([\d.]+)% ", css[2], re.MULTILINE)
    assert "margin: 15mm 14mm" in "".join(css) and len(drawn) >= 12
    for figure in drawn:
        check_sizes(figure, float(percent) / 100 * (210 - 2 * 14) / 25.4 / figure.get_figwidth(), 8)


@pytest.mark.parametrize("low, high", [(10 / 420, 10 / 400), (6e-14, 1.6e-13), (9.9e-5, 1.01e-4), (1, 1.5),
                                       (5.2e-14, 1.6e-13), (3e-7, 2e-5), (1e-12, 1e3)])
def test_labels_of_ticks_do_not_touch(low, high):
    """In the width of a panel, as levels of 400 to 420 steps have it; each is the number at which it stands."""
    with style.applied():
        figure, axes = style.frame(1, 1.15, xscale="log", xlim=(low, high))
        style.label_decades(axes.xaxis)
        figure.draw_without_rendering()
    shown = [(*label.get_window_extent().extents[[0, 2]], label.get_text(), label.get_position()[0])
             for label in axes.get_xticklabels(which="both") if low <= label.get_position()[0] <= high and label.get_text()]
    assert len(shown) >= 2 and all(left[1] < right[0] for left, right in zip(shown, shown[1:])), shown
    for _, _, text, place in shown:
        text = re.sub("^(?=10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "1·", text).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        assert float(text.replace("·10", "e")) == pytest.approx(place, rel=1e-6)


def check_sizes(figure, scale, points):
    """No letter of a figure, printed at this scale, has fewer points, and no line is thinner than half a point."""
    figure.canvas.draw()
    letters = {text.get_text(): text.get_fontsize() * scale for text in figure.findobj(Text)
               if text.get_visible() and text.get_text()}
    assert letters and min(letters.values()) >= points, letters
    widths = [line.get_linewidth() * scale for line in figure.findobj(Line2D) if line.get_linestyle() != "None"]
    assert widths and min(widths) >= 0.5, min(widths)


def test_pictures_of_cycles_can_be_read_in_a_column_of_a_journal(papers_case):
    t, x, _, _, restoring = papers_case
    curves, names = [(x * (1 + n), restoring) for n in range(4)], ["a", "b", "c", "d"]
    analysis = analyse(Measured(Path("run.csv"), t, x, restoring))
    for figure in (*figures.cycle_panels(curves[:1], names[:1]), *figures.cycle_panels(curves, names),
                   figures.cycles_together(curves, names), figures.analysis_figure([analysis], ["run"])):
        check_sizes(figure, 85 / 25.4 / figure.get_figwidth(), 6)
