"""The page of studies and the files beside it say what follows from the numbers of the files, which are made here."""

import csv
import io
import math
import re

import h5py
import numpy as np
import pytest

import report
from masing.convergence import claim
from masing.convergence.figures import Curve, error_figure, fixed_ratio
from masing.convergence.levels import pair_signs
from masing.report.study import error_picture
from masing.results import Study
from masing.text import measured
from synthetic import NAN, fit, fitted, jointly, ladder, marked, staircase, write_run, write_study


def without(columns, names, places=slice(None), value=NAN):
    """The columns of a ladder with this value at these places of those whose names begin so."""
    for name in columns:
        if name.startswith(names):
            columns[name][places] = value
    return columns


UNEXPECTED_Y = fitted() | {"order_y": -0.06, "observed_y": -0.06, "order_uncertainty_y": 0.1, "verdict_y": "not judged"}
del UNEXPECTED_Y["expected_y"]
LAST_PAIR = fitted(1.005, order_x=NAN, order_uncertainty_x=NAN, observed_x=0.9913, order_uncertainty_u=2e-4)
FOUND = {"richardson_x": -1.25, "richardson_order_x": 1.01, "gci_x": 2.5e-4, "gci_relative_x": 2e-4,
         "richardson_y": 0.5, "richardson_order_y": 0.98, "gci_y": 3.5e-3}
NOT_FOUND = {"richardson_y": NAN, "richardson_order_y": NAN, "gci_y": NAN}
BOTH = {"refine": "both", "reference": "exact"}
CONTINUUM = without(ladder(), ("cells", "ds"), value=0.0)
# What a page says of a study, and what it does not say: columns, attributes of /fit, said, unsaid.
PAGES = {
    "good": (ladder(), fit(), ["Order one in δt: x 1.000", "Tested: (25) (here P = 10)",
                               "1 of 1 study as expected", "0.45*cos(0.5*t)"],
             ["The smallest C", "xtrapol"]),
    "failed": (ladder(order=0.512), fit(0.512, "not as expected", observed_x=1.0, verdict_x="as expected"),
               ["Order one in δt was expected; observed: x 1.000, y 0.512 and u 0.512."],
               ["Verdict: as expected"]),
    "undecided": (ladder(), fit(verdict="undecided", deciding_levels="1000:64000:13"), ["levels = 1000:64000:13."],
                  ["No ladder"]),
    "one level": (ladder(1), fit(NAN, "undefined", **NOT_FOUND),
                  ["observed: x none, y none and u none. Verdict: undefined.", "No extrapolation of y(T)"],
                  [" nan", " NaN"]),
    "u is exact": (without(without(ladder(), "error_u", value=0.0), "order_u"), fit(observed_u=NAN, verdict_u="exact"),
                   ["x 1.000, y 1.000 and u exact. Verdict: as expected.", "zero or not a number: 4 of 12 points"], []),
    "successive": (without(marked(ladder()), ("error", "order"), -1), fitted(reference="successive"),
                   ["C (δtᵖ − that of the next level)"], []),
    "lower bound": (CONTINUUM, fit(**{f"expected_{q}": ">=0.5" for q in "xyu"}),
                    ["Order at least 0.5 in δt", "≥ 0.5 − 0.1", "∞"], ["both sides"]),
    "uncertainty": (marked(ladder()), LAST_PAIR,
                    ["0.991 (last pair) 1.005 ± 0.004 1.005 ± 0.000 as expected",
                     "y as expected 1.005 ± 0.004 1 ± 0.1 4 of 4"], ["left out"]),
    "left out": (marked(ladder(5), x=[1, 1, 0, 0, 0], y=[0, 0, 0, 0, 2], u=[0] * 5), fitted(floor=2.3e-10),
                 ["3.086e-02† 1.000", "7.716e-03‡ 1.000", "on the round-off floor, 2.3·10⁻¹⁰.", "3 of 5", "4 of 5"],
                 []),
    "joint": (staircase(), fitted() | jointly(),
              ["C₁ (of δs) C₂ (of δt)", "12.00 ± 0.42 −5.00 ± 0.65", "Constants of opposite signs",
               "C = 21.5 suffices at these levels.", "Order one in δs and δt: x 1.000"], ["apart x", "terms cancel"]),
    "one ray": (staircase(stairs=((100, 100000), (200, 200000), (400, 400000))), fitted(**BOTH),
                ["Order one along δs/δt = 2: x 1.000", "error ≈ C (δs + δt)ᵖ"], ["cannot tell"]),
    "no joint fit": (staircase(), fitted(**BOTH), ["cannot tell the two constants C₁ (of δs) and C₂"], []),
    "continuum": (CONTINUUM, fit(reference="exact"),
                  ["(here P = ∞)", "∞ 1000 0 5.000e-01 ", "∞ 8000 0 6.250e-02 ", "C = 0.371 suffices at these levels."],
                  []),
    "extrapolation": (ladder(), fit(**FOUND),
                      ["x(T) extrapolated to step zero by least squares over all levels: −1.25, observed order 1.010.",
                       "(2014): 2.50·10⁻⁴.", "(2014): 3.50·10⁻³."], []),
    "parts of a half-width": (
        ladder(), fitted(statistical_uncertainty_x=0.0031, structural_uncertainty_x=0.0017, least_uncertainty=0.005),
        ["half-width: scatter; choice", "4 of 4 3.1·10⁻³; 1.7·10⁻³ 0.1235", "√(scatter² + choice² + 0.005²)"], []),
    "y does not converge": (ladder(), UNEXPECTED_Y,
                            ["x 1.000 and u 1.000. y does not converge: order −0.060 ± 0.100."], ["x does not"]),
    "y may converge": (ladder(), UNEXPECTED_Y | {"order_y": 0.06, "observed_y": 0.06}, ["0.060 ± 0.100 not judged"],
                       ["not converge"]),
    "doubt": (ladder(), fit(verdict="undecided", unmet_hypotheses="F jumps near t = 1"),
              ["1 of 1 study undecided 1 outside the hypotheses of the propositions", "F jumps near t = 1"],
              ["1 study as expected"]),
    "left over": (ladder(), fit(refine="cells", left_over="time"), ["errors hold the error in time of the fixed N ="],
                  ["Tested:"]),
}


@pytest.mark.parametrize("columns, facts, said, unsaid", PAGES.values(), ids=PAGES)
def test_a_page_says_what_its_study_shows(page_of, tmp_path, columns, facts, said, unsaid):
    cells = {"cells": "inf"} if not columns["cells"].any() else {}
    words = page_of(write_study(tmp_path / "s.h5", columns, facts, **cells)).words
    assert [text for text in said if text not in words] == []
    assert [text for text in unsaid if text in words] == []


LEAPFROG, MIDPOINT, CONTINUOUS = {"scheme": "leapfrog"}, {"rule": "midpoint"}, {"cells": "inf"}


@pytest.mark.parametrize("refine, reference, settings, expected, has_bound", [
    ("cells", "cells-inf", {}, "3.1", True), ("cells", "cells-inf", LEAPFROG, "3.1", True),
    ("cells", "exact", {"engine": "exact"}, "3.1", True), ("cells", "successive", {}, "3.1", False),
    ("steps", "exact-time", {}, "25", True), ("steps", "finest", {}, "25", False),
    ("steps", "exact", CONTINUOUS, "25", True), ("steps", "exact-time", CONTINUOUS, "25", False),
    ("both", "exact", {}, "4.1", True), ("both", "exact-time", {}, "4.1", False),
    ("cells", "cells-inf", MIDPOINT, "midpoint", False), ("steps", "exact", {}, "mixed", False),
    ("both", "exact", LEAPFROG | MIDPOINT, "leapfrog midpoint", False),
    ("steps", "exact-time", {"damping": "0.1"}, "damping", False),
    ("steps", "exact-time", {"threshold_down": "0.2"}, "thresholds", False),
    ("steps", "finest", {"model": "masing-quasistatic"}, "model", False)])
def test_the_statement_is_of_the_papers_method_beyond_it_or_none(tmp_path, refine, reference, settings, expected,
                                                                 has_bound):
    left_over = "space" if expected == "mixed" else ""
    columns = ladder() | ({"cells": np.zeros(4), "ds": np.zeros(4)} if "cells" in settings else {})
    study = Study(write_study(tmp_path / "s.h5", columns,
                              fit(refine=refine, reference=reference, left_over=left_over), **settings))
    proved = expected in ("3.1", "4.1", "25", "mixed", "model")
    assert claim.statement(study) == (expected if proved else "beyond")
    assert math.isfinite(claim.bound(study)) == has_bound


def test_the_bound_is_the_largest_ratio_of_x_y_and_u_to_the_step(tmp_path):
    columns = ladder(2) | {"step": np.array([0.2, 0.1]), "error_x": np.array([0.1, 0.1]),
                           "error_y": np.array([0.3, NAN]), "error_u": np.array([0.2, 0.2]),
                           "error_u_cells": np.array([9.0, 9.0])}
    for last, largest in ((0.1, 0.2 / 0.1), (0.0, 0.3 / 0.2)):
        columns["step"] = np.array([0.2, last])
        assert claim.bound(Study(write_study(tmp_path / "s.h5", columns, fit(reference="exact-time")))) == largest


def test_the_order_of_u_at_the_cells_points_is_named(page_of, tmp_path):
    strict = write_study(tmp_path / "a.h5", ladder(), fitted())
    at_points = write_study(tmp_path / "c.h5", ladder(), fit(quantities=("x", "u_cells")))
    assert " 1.000 – 1.000 at the cells’ points as expected" in page_of(at_points, strict).words


def test_numbers_equal_those_of_the_file(page_of, tmp_path, papers_case):
    columns = ladder()
    study = write_study(tmp_path / "study.h5", columns, fit(reference="exact"), papers_case)
    page = page_of(study, "--cycles", study, "--from", "480")
    errors = [f"{what}_{name}" for name in ("x", "y", "u") for what in ("error", "order")]
    rows = zip(*(columns[name] for name in ("cells", "steps", "ds", "dt", *errors)))
    late = papers_case[0] >= 480
    extent = [np.abs(papers_case[n][late]).max() for n in (1, 4)]
    size = [columns[name][-1] for name in ("cells", "steps")]
    # The orders of the table of studies and of the study's own; its levels; the cycle; the file as both.
    expected = [1.0] * 6 + [value for row in rows for value in row] + [*size, *extent]
    expected += [1.5, 1.5]
    np.testing.assert_array_equal(page.values, expected)


def test_the_page_is_self_contained_and_names_are_escaped(page_of, tmp_path, study_file, papers_case):
    run = write_run(tmp_path / "a<b>.h5", papers_case, force="2*(t<1)&1")
    page = page_of(study_file, study_file, "--cycles", run, "--title", "<script>", drawn=True)
    assert all(address.startswith(("data:", "#")) for address in page.addresses) and len(page.ids) == len(set(page.ids))
    assert len(page.alternatives) == 5 and all(len(text) > 20 for text in page.alternatives)
    assert all(text in page.words for text in ("a<b>.h5", "2*(t<1)&1", "<script>"))


def test_the_problems_of_runs_without_a_study_are_shown(page_of, tmp_path, study_file, papers_case):
    runs = [write_run(tmp_path / name, papers_case, force=force)
            for name, force in (("a.h5", "sin(3*t)"), ("b.h5", "sin(5*t)"), ("c.h5", "sin(3*t)"))]
    words = page_of(study_file, "--cycles", *runs).words
    section = words[words.index("The problems"):words.index("The order.")]
    parts = ["a.h5 and c.h5 The model masing above, with these data", "sin(3*t)", "b.h5", "sin(5*t)"]
    assert sorted(parts, key=section.index) == parts


def test_the_levels_are_printed(page_of, tmp_path, study_file):
    """What is folded on the screen is left out in print."""
    page_of(study_file)
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    folded = "".join(re.findall("<details>.*?</details>", html, re.DOTALL))
    assert html.count("The levels: errors") == 1 and folded and "The levels: errors" not in folded


def test_the_sections_are_in_order_and_show_field_and_energy(page_of, whole_run, tmp_path, papers_case):
    study = write_study(tmp_path / "s.h5", staircase(), fitted() | jointly(), papers_case)
    with h5py.File(whole_run) as file:
        lacking = measured(np.abs(file["energy/residual"][:]).max())
    words = page_of(study, whole_run).words
    parts = ["1 of 1 study as expected", "First: Hysteresis cycle of", "The problem The model", "The studies Proposition",
             "Hysteresis cycles", "hatched where it yields, |u| = η.",
             f"the balance lacks at most {lacking}", "Files: cost", "masing reproduce s.h5", "References Bastien"]
    assert sorted(parts, key=words.index) == parts


def test_points_in_the_fit_are_filled_and_the_floor_is_drawn_in_sight():
    h = np.array([1e-3, 1e-2, 1e-1])
    curve = Curve("x", h, np.array([True, True, False]), h, h)
    for floor, drawn in ((2e-3, 1), (1e-9, 0)):
        axes = error_figure([curve], [1], "step", floor).axes[0]
        faces = {line.get_markerfacecolor(): len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"
                 and len(line.get_xdata())}
        assert sorted(faces.values()) == [1, 2] and faces["white"] == 1
        assert sum(text.get_text() == "round-off floor" for text in axes.texts) == drawn


def test_the_quotients_by_the_step_are_those_of_the_fit():
    h = np.logspace(-9, 0, 10)
    figure = error_figure([Curve("x", 2 * h, h > 2e-9, 2 * h, h)], [1], "step")
    (points,) = figure.axes[1].collections
    assert figure.axes[1].get_xlim() == figure.axes[0].get_xlim() and figure.axes[1].get_xscale() == "log"
    np.testing.assert_allclose(points.get_offsets(), np.column_stack([h[1:], np.full(9, 2)]))


def test_a_joint_fit_is_beside_the_errors_over_the_cell_width_at_a_fixed_ratio(tmp_path):
    """Three of five levels have the most frequent ratio."""
    stairs = ((100, 125000), (200, 250000), (200, 125000), (400, 500000), (400, 250000))
    study = Study(write_study(tmp_path / "s.h5", staircase(stairs=stairs), fitted() | jointly()))
    ratio, alike = fixed_ratio(study)
    assert ratio == pytest.approx(study.ds[0] / study.dt[0]) and list(alike) == [True, True, False, True, False]
    picture = error_picture(study, study.quantities)
    assert f"Below: over δs, at δs/δt = {measured(ratio, 3)}." in picture.caption
    above, below = picture.figure.axes
    points = below.lines[1].get_xydata()
    np.testing.assert_allclose(points, np.column_stack([study.ds, study.errors["x"]])[alike][::-1])
    assert below.get_xlabel() == f"cell width δs, with δs/δt = {measured(ratio, 3)}" and above.get_legend()


@pytest.fixture
def pieces_of(run_script, tmp_path, undrawn):
    """Write the page on the files, with empty pictures, and give the folder beside it."""
    def write(*arguments):
        assert run_script(report, *arguments, "--files-only", "-o", tmp_path / "page.html")[0] == 0
        return tmp_path / "page-files"
    return write


def columns_of(path):
    """The columns of a CSV as {heading: [cells]}."""
    headings, *rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    return dict(zip(headings, zip(*rows)))


def test_the_files_of_a_study_have_every_digit(pieces_of, tmp_path, papers_case):
    columns = without(marked(ladder(5), x=[1, 0, 0, 0, 2]), "error_y", 2)
    folder = pieces_of(write_study(tmp_path / "s.h5", columns, fitted(1.00512345678901), papers_case))
    assert {path.name for path in folder.iterdir()} == {
        "s.ini", *(f"s-{name}.{kind}" for name in ("errors", "motion") for kind in ("svg", "pdf")), "s-levels.csv"}
    levels = columns_of(folder / "s-levels.csv")
    for heading, name in (("P", "cells"), ("N", "steps"), ("δt", "dt"), ("error of x", "error_x"),
                          ("error of y", "error_y"), ("order of u", "order_u")):
        np.testing.assert_array_equal([float(cell) for cell in levels[heading]], columns[name])
    assert levels["fit of x"] == ("before the asymptotic range", *("fitted",) * 3, "on the round-off floor")
    assert levels["fit of u"] == ("fitted",) * 5


def test_levels_of_infinitely_many_cells_have_this_number(tmp_path):
    levels = Study(write_study(tmp_path / "s.h5", CONTINUUM, fit(reference="exact"))).levels
    assert (levels["P"] == math.inf).all() and levels["N"].tolist() == [1000, 2000, 4000, 8000]


def test_a_pair_of_levels_of_a_joint_fit_is_marked_where_they_have_the_same_cells(tmp_path):
    study = Study(write_study(tmp_path / "s.h5", staircase(), fitted() | jointly()))
    assert list(study["cells"]) == [100, 200, 200, 400] and pair_signs(study) == ["", "", "*", ""]
