"""The page of a study: its numbers are the file's, its verdict is the truth, and it needs nothing from outside."""

import h5py
import numpy as np
import pytest

from masing import style
from masing.convergence.figures import Curve, error_figure, study_figure
from masing.convergence.levels import twins
from masing.notation import measured, scientific
from masing.report.trajectories import FIELD_CYCLES, start_of_last_cycles
from masing.results import Run, Study
from synthetic import NAN, fit, fitted, jointly, ladder, marked, staircase, write_run, write_study


def without(columns, names, places=slice(None), value=NAN):
    """The columns of a ladder with this value at these places of those whose names begin so."""
    for name in columns:
        if name.startswith(names):
            columns[name][places] = value
    return columns


def unexpected_y(order):
    """The facts of a fit in which y has this order ± 0.1 where none was expected."""
    facts = fitted() | {"order_y": order, "observed_y": order, "order_uncertainty_y": 0.1, "verdict_y": "not judged"}
    del facts["expected_y"]
    return facts


LAST_PAIR = fitted(1.005, order_x=NAN, order_uncertainty_x=NAN, observed_x=0.9913, order_uncertainty_u=2e-4)
FOUND = {"richardson_x": -1.25, "richardson_order_x": 1.01, "gci_x": 2.5e-4, "gci_relative_x": 2e-4,
         "richardson_y": 0.5, "richardson_order_y": 0.98, "gci_y": 3.5e-3}
NOT_FOUND = {"richardson_y": NAN, "richardson_order_y": NAN, "gci_y": NAN}
BOTH = {"refine": "both", "reference": "exact"}
CONTINUUM = without(ladder(), ("cells", "ds"), value=0.0)
# What a page says of a study, and what it does not say: columns, attributes of /fit, said, unsaid.
PAGES = {
    "good": (ladder(), fit(), ["The order one (at least one by (25)) is observed: 1.000 for x, y and u, every order",
                               "A study that expects “1 ± d” asks for more",
                               "Order one in δt: x 1.000, y 1.000 and u 1.000. Verdict: as expected.", "1 ± 0.1",
                               "1 of 1 study as expected", "(25) of Bastien, Lamarque and Schatzman (2001)",
                               "0.45*cos(0.5*t)", "revision 0123abc", "Order in δt of right, euler, sweep"],
             ["The smallest C", "xtrapol"]),
    "failed": (ladder(order=0.512), fit(0.512, "not as expected", observed_x=1.0, verdict_x="as expected"),
               ["Study 1 is not as expected: Order one in δt was",
                "Order one in δt was expected; observed: x 1.000, y 0.512 and u 0.512. Verdict: not as expected."],
               ["Verdict: as expected", "A higher order"]),
    "higher": (ladder(order=2), fit(2.0, "not as expected"),
               ["A higher order than the expected one means that the leading error vanishes"], []),
    "undecided": (ladder(), fit(verdict="undecided", deciding_levels="1000:64000:13"),
                  ["These levels would probably decide: levels = 1000:64000:13."], ["No ladder"]),
    "one level": (ladder(1), fit(NAN, "undefined", **NOT_FOUND),
                  ["observed: x none, y none and u none. Verdict: undefined.", "–: undefined.", "No extrapolation of y(T)"], [" nan", " NaN"]),
    "u is exact": (without(without(ladder(), "error_u", value=0.0), "order_u"), fit(observed_u=NAN, verdict_u="exact"),
                   ["Order one in δt: x 1.000, y 1.000 and u exact. Verdict: as expected.",
                    "zero or not a number: 4 of 12 points"], []),
    "exact": (without(without(ladder(), "error", value=0.0), "order"), fit(NAN, "exact"),
              ["1 of 1 study exact", "Order one in δt: x exact, y exact and u exact. Verdict: exact.",
               "All errors of x, y and u are on the round-off floor, and so of any order."], []),
    "successive": (without(marked(ladder()), ("error", "order"), -1), fitted(reference="successive"),
                   ["The last level has no finer one to differ from.", "C (δtᵖ − that of the next level)"], []),
    "successive, undecided": (without(marked(ladder()), ("error", "order"), -1),
                              fitted(reference="successive", verdict="undecided", verdict_x="undecided"),
                              ["another reference may decide, such as finest."], []),
    "lower bound": (CONTINUUM, fit(**{f"expected_{q}": ">=0.5" for q in "xyu"}),
                    ["Order at least 0.5 in δt", "≥ 0.5 − 0.1", "∞"], ["both sides"]),
    "nothing expected": (ladder(quantities=("x", "y", "u")), {"refine": "cells", "reference": "finest"},
                         ["No order in δs was expected", "not judged"], ["cells’ points"]),
    "uncertainty": (marked(ladder()), LAST_PAIR,
                    ["Order one in δt: x 0.991 (last pair), y 1.005 and u 1.005. Verdict: as expected.",
                     "0.991 (last pair) 1.005 ± 0.004 1.005 ± 0.000 as expected",
                     "y as expected 1.005 [1.001, 1.009] 1 ± 0.1 4 of 4"], ["left out"]),
    "left out": (marked(ladder(5), x=[1, 1, 0, 0, 0], y=[0, 0, 0, 0, 2], u=[0] * 5), fitted(floor=2.3e-10),
                 ["3.086e-02† 1.000", "7.716e-03‡ 1.000", "† left out of the fit: before the asymptotic range",
                  "‡ left out of the fit: on the round-off floor, 2.3·10⁻¹⁰.", "their points are hollow", "3 of 5", "4 of 5"],
                 []),
    "joint": (staircase(), fitted() | jointly(),
              ["C₁ (of δs) C₂ (of δt)", "12.00 [11.58, 12.42] −5.00 [−5.65, −4.35]", "Constants of opposite signs",
               "C = 21.5 suffices at these levels.", "Order one in δs and δt: x 1.000",
               "over |C₁ δs + C₂ δt|, with the constants of each, fitted at p = 1: slope p if it holds"],
              ["apart x", "terms cancel", "Order one in δs + δt"]),
    "joint, perhaps zero": (staircase(), fitted() | jointly() | {"cancels_x": 0},
                            ["Constants of opposite signs (y, u and u at the cells’ points)"], []),
    "joint, no common step": (staircase(), fitted() | jointly() | {"step_x": "sum"}, ["u over δs + δt."], []),
    "one ray": (staircase(stairs=((100, 100000), (200, 200000), (400, 400000))),
                fitted(**BOTH),
                ["Order one along δs/δt = 2: x 1.000, y 1.000 and u 1.000; space and time are not told apart.",
                 "error ≈ C (δs + δt)ᵖ exp(D z)", "0.1235"],
                ["Along the dashed line", "Order one in δs", "cannot tell"]),
    "no joint fit": (staircase(), fitted(**BOTH),
                     ["Order one in δs and δt:",
                      "cannot tell the two constants C₁ (of δs) and C₂ (of δt) apart: fewer than three"], []),
    "form, exact": (marked(ladder()), fitted(1.1, reference="exact-time"), ["error ≈ C δtᵖ exp(D z)"], ["xtrapol"]),
    "form, finest": (marked(ladder()), fitted(1.1), ["error ≈ C (δtᵖ − that of the reference)"], []),
    "continuum": (CONTINUUM, fit(reference="exact"),
                  ["(here P = ∞)", "tried on the continuum", "∞ 1000 0 5.000e-01 ", "∞ 8000 0 6.250e-02 ",
                   "C = 0.371 suffices at these levels.", "That one C holds for all steps cannot be"], []),
    "extrapolation": (ladder(), fit(**FOUND),
                      ["x(T) extrapolated to step zero by least squares over all levels: −1.25, observed order 1.010. "
                       "Bound of the error of the last level, by the grid convergence index of Eça and Hoekstra (2014): "
                       "2.50·10⁻⁴, absolute (relative 2.00·10⁻⁴).", "y(T) extrapolated", "(2014): 3.50·10⁻³, absolute"], []),
    "least part": (ladder(), fitted(least_uncertainty=0.005),
                   ["half-width: scatter; choice", "√(scatter² + choice² + 0.005²)"],
                   ["other choices of levels and terms"]),
    "y does not converge": (ladder(), unexpected_y(-0.06),
                            ["Order one in δt: x 1.000 and u 1.000. y does not converge: order −0.060 [−0.160, 0.040].",
                             "x and u, every interval within 1 ± 0.1. y does not converge. Errors",
                             "−0.060 ± 0.100 not judged"], ["x does not"]),
    "doubt": (ladder(), fit(verdict="undecided", unmet_hypotheses="F jumps near t = 1"),
              ["1 of 1 study undecided 1 outside the hypotheses of the propositions", "F jumps near t = 1",
               "No ladder of up to 1000 levels is sure to decide"],
              ["1 study as expected"]),
    "y may converge": (ladder(), unexpected_y(0.06), ["0.060 ± 0.100 not judged"], ["not converge"]),
}


# What a good study tests: what it refines, other facts, its settings, said, unsaid.
TESTED = [
    ("steps", {}, {}, ["Tested: (25) (here P = 10)", "C δt"], ["Proposition", "continuum."]),
    ("cells", {}, {}, ["Tested: Proposition 3.1, exact in time in the paper, here by N = ", "|x − xh| ≤ C h", "h = δs for",
                       "Proposition 3.1 exact in time (study 1: N steps)"], ["Proposition 4.1", "(25)"]),
    ("both", {}, {}, ["Tested: Proposition 4.1", "h = δs + δt for"], ["Proposition 3.1", "h = δs for"]),
    ("steps", {"left_over": "space"}, {}, ["errors hold the error in space of the fixed P = 10"], ["Tested:"]),
    ("cells", {"left_over": "time"}, {}, ["errors hold the error in time of the fixed N ="], ["Tested:"]),
    ("steps", {}, {"scheme": "leapfrog"}, ["velocity Verlet", "taken apart"], ["(25)", "midpoint”", "stays", "both sides"]),
    ("cells", {}, {"rule": "midpoint"}, ["at their middle", "No proposition"], ["Verlet", "Proposition 3.1", "stays"]),
    ("both", {}, {"scheme": "leapfrog", "rule": "midpoint"}, ["Verlet", "at their middle"], ["Proposition 4.1", "stays"]),
    ("both", {}, {"scheme": "leapfrog"}, ["Verlet", "“right” stays of first order in δs"], ["Proposition 4.1"]),
    ("both", {}, {"rule": "midpoint"}, ["“euler” stays of first order in δt"], ["Proposition 4.1"])]


@pytest.mark.parametrize("refine, facts, settings, said, unsaid", TESTED)
def test_a_page_says_what_its_study_tests(page_of, tmp_path, papers_case, refine, facts, settings, said, unsaid):
    study = write_study(tmp_path / "s.h5", ladder(), fit(refine=refine, **facts), papers_case, **settings)
    words = page_of(study).words
    assert [text for text in said if text not in words] == []
    assert [text for text in unsaid if text in words] == []


@pytest.mark.parametrize("columns, facts, said, unsaid", PAGES.values(), ids=PAGES)
def test_a_page_says_what_its_study_shows(page_of, tmp_path, papers_case, columns, facts, said, unsaid):
    cells = {"cells": "inf"} if not columns["cells"].any() else {}
    words = page_of(write_study(tmp_path / "s.h5", columns, facts, papers_case, **cells)).words
    assert [text for text in said if text not in words] == []
    assert [text for text in unsaid if text in words] == []


def test_a_claim_holds_for_all_of_its_studies(page_of, tmp_path, papers_case):
    strict = write_study(tmp_path / "a.h5", ladder(), fitted(), papers_case)
    lax = write_study(tmp_path / "b.h5", ladder(order=1.2), fitted(1.2, tolerance=0.9), papers_case)
    words = page_of(lax, strict).words
    assert "1.000 to 1.200 for x, y and u in 2 studies, every interval within 1 ± 0.9" in words


def test_numbers_equal_those_of_the_file(page_of, tmp_path, papers_case):
    columns = ladder()
    page = page_of(write_study(tmp_path / "study.h5", columns, fit(reference="exact"), papers_case))
    rows = zip(*(columns[name] for name in ("cells", "steps", "ds", "dt", "error_x", "order_x", "error_y", "order_y",
                                            "error_u", "order_u", "error_u_cells", "order_u_cells")))
    late = papers_case[0] >= 480
    extent = [np.abs(papers_case[n][late]).max() for n in (1, 4)]
    size = [columns[name][-1] for name in ("cells", "steps")]
    # The orders of the table of studies, and of the study's own; its levels; the cycle; the most accurate level; the file.
    expected = [1.0] * 6 + [value for row in rows for value in row] + [*size, *extent]
    expected += [*size, columns["error_x"][-1], size[0] * size[1], 0.9, *size, 1.5, 2e6, np.nan]
    np.testing.assert_array_equal(page.values, expected)
    for error in columns["error_x"]:
        assert scientific(error) in page.words


def test_the_cost_has_all_of_the_time(page_of, study_file, run_file):
    with h5py.File(study_file, "a") as file:
        for name, seconds in (("wall", 81.5), ("setup", 2.25), ("steps", 0.5), ("output", 3.0), ("seal", 0.25),
                              ("rest", 84.0), ("communication", 0.125)):
            file["timing"].attrs[f"{name}_seconds"] = seconds
        file["provenance"].attrs.update({"host": "Z80", "rows": np.bytes_("rows of 0123: /series/x 4711 ")})
    with h5py.File(run_file, "a") as file:
        file["provenance"].attrs.update({"host": "Z80", "ranks": 1})
        file["timing"].attrs.update({"setup_seconds": 1.0, "steps_seconds": 2.0})  # as of an older file
    page = page_of(study_file, "--cycles", run_file)
    assert 81.5 in page.values and "4711" not in page.words
    for said in ("set-up 2.25 s, steps 0.5 s, output 3 s, seal 0.25 s, comparing fields, waiting and what else is no "
                 "phase 84 s, of these in sums at every step 0.125 s.", "set-up 1 s, steps 2 s.",
                 "Computed on Z80, 1 and 2 ranks"):
        assert said in page.words


def test_the_page_is_self_contained(page_of, study_file, run_file):
    page = page_of(study_file, study_file, "--cycles", run_file, drawn=True)
    assert all(address.startswith(("data:", "#")) for address in page.addresses) and len(page.ids) == len(set(page.ids))
    assert len(page.alternatives) == 3 and all(len(text) > 20 for text in page.alternatives)


def test_names_and_titles_are_escaped(page_of, tmp_path, papers_case):
    file = write_run(tmp_path / "a<b>.h5", papers_case, force="2*(t<1)&1")
    study = write_study(tmp_path / "s.h5", ladder(), fit(), force="2*(t<1)&1")
    page = page_of(study, "--cycles", file, "--title", "<script>")
    assert "a<b>.h5" in page.words and "2*(t<1)&1" in page.words and "<script>" in page.words


def test_a_cycle_and_a_study_are_named_by_their_cases(page_of, tmp_path, papers_case):
    said = "# masing converge\n# Order one in dt at fixed P. Data of\n# Bastien and Schatzman (2002).\n"
    study = write_study(tmp_path / "study.h5", ladder(), fit(), papers_case, comment=said)
    said = "# masing simulate\n# Figure 6 of the paper: a polygon. Of 3 cells.\n"
    words = page_of(study, "--cycles", write_run(tmp_path / "run.h5", papers_case, comment=said)).words
    assert "Fig. 6 3 10⁶ 2: 1.000, 0.667 " in words
    assert "Figure 1. Left: Hysteresis cycles" not in words and "Left: Hysteresis cycle of P = 3." in words
    assert words.count("Order one in δt at fixed P") >= 2 and "study.h5 (25)" not in words


def test_studies_of_one_problem_show_it_once_and_are_compared(page_of, tmp_path):
    about = {"reference": "exact"}
    other = ladder(order=0.5), fit(0.5, "not as expected", **about)
    page = page_of(write_study(tmp_path / "study.h5", ladder(), fit(**about)),
                   write_study(tmp_path / "other.h5", *other, scheme="leapfrog"))
    words = page.words
    assert words.count("The continuous Masing (Prandtl) model") == 1
    assert page.addresses.count("#study-2") == 1 and "1 of 2 studies as expected 1 of 2 studies not as" in words
    assert "Figure 1. Study 2: Maximal errors of" in words
    assert "leapfrog, sweep no propositionexact P = 10N 1000…8000 0.500 0.500 0.500 not as expected" in words
    assert words.count("against: the exact solution (P = ∞, N = ∞) (") == 2


def test_the_sections_are_in_order_and_show_field_and_energy(page_of, whole_run, tmp_path, papers_case):
    study = write_study(tmp_path / "s.h5", staircase(), fitted() | jointly(), papers_case)
    with h5py.File(whole_run) as file:
        late = file["field/t"][:] >= start_of_last_cycles(Run(whole_run), FIELD_CYCLES)
        share = np.mean(np.abs(file["field/u"][:][late]) == file["field/eta"][:], axis=1)  # that slide
        lacking = measured(np.abs(file["energy/residual"][:]).max())
    words = page_of(study, whole_run).words
    parts = ["1 of 1 study as expected", "Figure 1. Left: Hysteresis cycle of", "Right: Maximal errors of", "Table 1.",
             "Not tested: problems other than the data of section 6", "1 Problem · 2 Studies · 3 Cycles · 4 Work and precision",
             "1 The problem", "2 The studies", "Errors are maxima over", "Verdict: as expected",
             "Table 2. Orders", "3 Hysteresis cycles", "Table 3.", "4 Work and precision Figure", "Table 4.", "yield fronts",
             "Figure 4.", "x(t) and F(t)", f"the balance lacks at most {lacking}", "6 Files: cost", "Table 5.",
             "masing reproduce s.h5", "References Bastien"]
    assert sorted(parts, key=words.index) == parts
    most, resting = 100 * share.max(), 100 * np.mean(share == 0)
    assert f"At most {most:.0f} % of the cells yield at once; none do in {resting:.0f} %" in words


def test_a_study_that_repeats_another_is_not_counted(page_of, tmp_path, papers_case):
    facts = fit(refine="cells", reference="exact", self_check=1e-13)
    files = [write_study(tmp_path / f"{engine}.h5", ladder(), facts, papers_case, engine=engine)
             for engine in ("sweep", "memory")]
    page = page_of(*files, write_study(tmp_path / "steps.h5", ladder(5), fit(reference="exact"), papers_case),
                   write_run(tmp_path / "cycle-fig06.h5", papers_case))
    first = " ".join(page.seen["summary"].split())
    for said in ("in 2 studies (study 2 repeats study 1), every", "Proposition 3.1 exact in time (studies 1 and 2",
                 " memory ", "Engine memory: turning points, no sweep of cells.", "share the law of force",
                 "The papers print no numbers to compare here"):
        assert said in first, (said, first)
    assert "in every digit shown" in page.seen["study-2"]


def test_another_model_is_shown_by_its_name_and_its_parameters(page_of, result_of, tmp_path, papers_case):
    path = result_of("simulate", "prandtl.h5", "--model=prandtl", "--set=k=1", "--set=eta=1", "--final-time=50",
                     "--force=0.45*cos(0.5*t)", "--steps=20000", "--sample-every=50")
    columns = ladder(quantities=("x", "y"))
    # What the program writes of a model without cells.
    columns["cells"][:], columns["ds"][:] = 3, NAN
    study = write_study(tmp_path / "s.h5", columns, fit(quantities=("x", "y"), reference="exact"), papers_case)
    with h5py.File(study, "a") as file, h5py.File(path) as run:
        del file["configuration"]
        run.copy("configuration", file)
        file.attrs.update({"title": "prandtl, N = 8000", "has_cells": 0})
    words = page_of(study, path).words
    assert "Hysteresis cycle of prandtl" in words and page_of(path).words.startswith("Trajectories")
    assert "The model prandtl, in the form (3.8)" in words and "P N δs" not in words and "eta1" in words and "k1" in words
    assert "Masing (Prandtl)" not in words and "Proposition" not in words and "stiffness density" not in words


def test_a_table_is_its_number_of_points(page_of, tmp_path):
    points = "points:" + "; ".join(f"{t} {np.sin(t):.17g}" for t in range(2000))
    page = page_of(write_study(tmp_path / "t.h5", ladder(), fit(), force=points))
    assert page.words.count("table, 2000 points") == 2 and "points:" not in page.words
    assert page.words.count("force = table, 2000 points") == 1


def test_of_a_joint_fit_each_quantity_has_its_own_steps(tmp_path):
    columns = staircase()
    facts = fitted() | jointly() | {"joint_power_u": 2.0, "joint_power_u_cells": 2.0}
    study = Study(write_study(tmp_path / "s.h5", columns, facts))
    axes = study_figure(study, ("x", "y", "u")).axes[0]
    points = {line.get_label(): line.get_data() for line in axes.lines}
    # A triangle a power; the steps of y are twice those of x.
    assert [text.get_text() for text in axes.texts] == ["1", "1", "1", "2"] and len(points) > 3
    filled = [line.get_xdata() for line in axes.lines if line.get_marker() in ("o", "s") and len(line.get_xdata()) == 4]
    assert np.allclose(np.divide(filled[1], filled[0]), 2)


def test_points_in_the_fit_are_filled_and_the_floor_is_drawn_in_sight():
    h = np.array([1e-3, 1e-2, 1e-1])
    curve = Curve("x", h, np.array([True, True, False]), h, h)
    for floor, lines in ((2e-3, 1), (1e-9, 0)):
        axes = error_figure([curve], {1: [curve]}, "step", floor).axes[0]
        faces = {line.get_markerfacecolor(): len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"
                 and len(line.get_xdata())}
        assert sorted(faces.values()) == [1, 2] and faces["white"] == 1
        assert sum(text.get_text() == "round-off floor" for text in axes.texts) == lines


def test_the_quotients_by_the_step_are_those_of_the_fit_and_not_in_the_table_of_curves():
    """Errors on the floor are not fitted: their quotients would hide the others."""
    h = np.logspace(-9, 0, 10)
    errors = np.maximum(2 * h, 2e-6)
    figure = error_figure([Curve("x", errors, h >= 1e-6, errors, h)], {1: []}, "step", 2e-6)
    assert len(figure.axes) == 1  # the fitted errors range over six decades, and not over more
    figure = error_figure([Curve("x", 2 * h, h > 2e-9, 2 * h, h)], {1: []}, "step")
    (points,) = figure.axes[1].collections
    np.testing.assert_allclose(points.get_offsets(), np.column_stack([h[1:], np.full(9, 2)]))
    assert {row[0] for row in style.curves_of(figure)} == {1}


@pytest.mark.parametrize("decades, order", [(1, 1), (3, 2), (12, 1), (12, 0.5)])
def test_no_point_lies_on_a_slope_triangle(decades, order):
    h = np.logspace(-decades, 0, 2 * decades + 1)
    curves = [Curve(name, factor * h**order, np.ones(len(h), bool), factor * h**order, h)
              for name, factor in (("x", 1), ("y", 0.4), ("u", 0.5))]
    figure = error_figure(curves, {order: curves}, "step")
    figure.canvas.draw()
    axes, *below = figure.axes
    # Of errors over more than six decades the quotients by the promised step are drawn, where no two curves coincide.
    assert len(below) == (decades * order >= 6)
    for frame in below:
        drawn = [points.get_offsets()[:, 1] for points in frame.collections]
        quotients = [np.unique(each.round(9)) for each in drawn if len(each)]
        assert quotients == [[1], [0.4], [0.5]]
    corners = axes.transData.transform(axes.patches[0].get_xy()[:3]) * 72 / figure.dpi
    points = axes.transData.transform([point for curve in curves for point in zip(h, curve.errors)]) * 72 / figure.dpi
    # The hypotenuse goes from the first corner to the last; a marker reaches 5 points from its place.
    along = (corners[2] - corners[0]) / np.linalg.norm(corners[2] - corners[0])
    assert np.cross(along, points - corners[0]).min() > 8


def test_the_colours_stand_out_from_white():
    for colour in (*style.COLOURS, style.GREY):
        encoded = np.array([int(colour[n:n + 2], 16) for n in (1, 3, 5)]) / 255
        linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
        # The contrast ratio of WCAG 2.
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= (4.5 if colour == style.GREY else 3)


def test_studies_with_other_expectations_are_no_twins(tmp_path, papers_case):
    first, same, other = (Study(write_study(tmp_path / f"{name}.h5", ladder(), fit(expected_x=order), papers_case))
                          for name, order in (("first", "1"), ("same", "1"), ("other", ">=1")))
    assert (twins([other, first, same]), twins([first, other])) == ({id(same): (3, 2)}, {})
