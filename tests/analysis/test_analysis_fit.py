"""What a study's fit says: orders with their uncertainty, levels left out, constants, the statement that is tested."""

import numpy as np
import pytest

from masing.convergence.figures import Curve, error_figure
from masing.report.study import map_picture
from masing.results import Joint, read
from synthetic import NAN, fit, fitted, jointly, ladder, marked, staircase, write_study


def test_the_claim_carries_orders_with_their_uncertainty(page_of, tmp_path):
    facts = fitted(1.005, order_x=NAN, order_uncertainty_x=NAN, observed_x=0.9913, order_uncertainty_u=2e-4)
    words = page_of(write_study(tmp_path / "s.h5", marked(ladder()), facts)).words
    assert "Order one in δt: x 0.991 (last pair), y 1.005 and u 1.005. Verdict: as expected." in words
    assert "x 0.991 (last pair)y 1.005 [1.001, 1.009]u 1.005 [1.005, 1.005] as expected" in words
    assert "y 1.005 [1.001, 1.009] 1 ± 0.1 as expected" in words


def test_a_failed_claim_names_expected_and_observed_orders(page_of, tmp_path):
    facts = fitted(0.5, verdict="not as expected", **{f"verdict_{q}": "not as expected" for q in "xyu"})
    words = page_of(write_study(tmp_path / "s.h5", marked(ladder()), facts)).words
    assert "Order one in δt was expected; observed: x 0.500, y" in words
    assert "Verdict: not as expected." in words


def test_levels_left_out_of_the_fit_are_marked(page_of, tmp_path):
    columns = marked(ladder(5), x=[1, 1, 0, 0, 0], y=[0, 0, 0, 0, 2], u=[0, 0, 0, 0, 0])
    words = page_of(write_study(tmp_path / "s.h5", columns, fitted(floor=2.3e-10))).words
    for n, signs in ((0, "† – "), (1, "† 1.000")):
        assert f"{columns['error_x'][n]:.3e}{signs}" in words
    assert f"{columns['error_y'][4]:.3e}‡ 1.000" in words
    assert "† left out of the fit: before the asymptotic range" in words
    assert "‡ left out of the fit: on the round-off floor, 2.3·10⁻¹⁰." in words
    assert "hollow ones are not" in words and "3 of 5" in words and "4 of 5" in words


def test_nothing_left_out_has_no_legend(page_of, tmp_path):
    words = page_of(write_study(tmp_path / "s.h5", marked(ladder()), fitted())).words
    assert "left out" not in words and "4 of 4" in words


def test_a_joint_fit_shows_its_constants_and_the_combined_step(page_of, tmp_path):
    words = page_of(write_study(tmp_path / "s.h5", staircase(), fitted() | jointly())).words
    assert "C₁ (of δs) C₂ (of δt)" in words and "12.00 [11.58, 12.42] −5.00 [−5.65, −4.35]" in words
    assert "opposite signs and partly cancel" in words
    assert "over |C₁ δs + C₂ δt| with the constants of x" in words and "The error of x over δs and δt" in words


def test_a_joint_fit_has_its_power_in_space_and_in_time():
    assert Joint(3, 0, -5, 0, 2, True).at(0.1, 0.2) == pytest.approx(5 * 0.2**2 - 3 * 0.1**2)
    assert Joint(3, 0, -5, 0, 1, True).at(0.1, 0.2) == pytest.approx(5 * 0.2 - 3 * 0.1)


def test_the_map_has_cells_to_the_right_and_steps_upwards(tmp_path):
    columns = staircase()
    axes = map_picture(read(write_study(tmp_path / "s.h5", columns, fitted() | jointly()))).figure.axes[0]
    assert "δs" in axes.get_xlabel() and "δt" in axes.get_ylabel()
    points = max((np.ma.getdata(each.get_offsets()) for each in axes.collections), key=len)
    np.testing.assert_allclose(points, np.column_stack([columns["ds"], columns["dt"]]))


def test_positive_joint_constants_do_not_cancel(page_of, tmp_path):
    words = page_of(write_study(tmp_path / "s.h5", staircase(time=5.0), fitted() | jointly(time=5.0))).words
    assert "C₁ (of δs)" in words and "cancel" not in words


def test_a_constant_that_may_be_zero_cancels_nothing(page_of, tmp_path):
    facts = fitted() | jointly() | {"cancels_x": 0}
    assert not read(write_study(tmp_path / "s.h5", staircase(), facts)).joint("x").cancels
    assert "A negative constant (y, u and u at the cells’ points)" in page_of(tmp_path / "s.h5").words


def test_without_a_combined_step_errors_are_over_the_sum(page_of, tmp_path):
    path = write_study(tmp_path / "s.h5", staircase(), fitted() | jointly() | {"step_x": "sum"})
    assert "u over δs + δt." in page_of(path).words


def test_levels_on_one_ray_cannot_tell_the_constants_apart(page_of, tmp_path):
    columns = staircase(stairs=((100, 100000), (200, 200000), (400, 400000)))
    facts = fitted(refine="both", reference="exact", joint_missing="δs/δt = 2 at all of them, one ray")
    words = page_of(write_study(tmp_path / "s.h5", columns, facts)).words
    assert "cannot tell the two constants C₁ (of δs) and C₂ (of δt) apart: δs/δt = 2 at all of them" in words
    assert "error ≈ C (δs + δt)ᵖ" in words and "0.1235" in words and "Along the dashed line" not in words


@pytest.mark.parametrize("reference, form", [("exact-time", "C δtᵖ"), ("finest", "C (δtᵖ − that of the reference)"),
                                             ("successive", "C (δtᵖ − that of the next level)")])
def test_the_fitted_line_goes_through_errors_of_its_form(page_of, tmp_path, reference, form):
    columns = marked(ladder())
    columns["fitted_error_x"] = columns["error_x"]
    page = page_of(write_study(tmp_path / "s.h5", columns, fitted(1.1, constant=0.3, reference=reference)))
    assert f"error ≈ {form}" in page.words and "lines are the fits, over the levels in them" in page.words


@pytest.mark.parametrize("refine, statement, beyond, said, unsaid", [
    ("cells", "3.1", "", ["Proposition 3.1", "|x − xδs| ≤ C δs"], ["Proposition 4.1", "(25)"]),
    ("both", "4.1", "", ["Proposition 4.1", "C (δs + δt)"], ["Proposition 3.1"]),
    ("steps", "25", "", ["(25) of Bastien", "(here P = 10)"], ["Proposition", "continuum."]),
    ("steps", "beyond", "leapfrog", ["velocity Verlet", "taken apart"], ["(25)", "midpoint”", "stays"]),
    ("cells", "beyond", "midpoint", ["at their middle", "No proposition"], ["Verlet", "Proposition 3.1", "stays"]),
    ("both", "beyond", "leapfrog midpoint", ["Verlet", "at their middle", "No proposition"],
     ["Proposition 4.1", "stays"]),
    ("both", "beyond", "leapfrog", ["Verlet", "“right” stays of first order in δs"], ["Proposition 4.1"]),
    ("both", "beyond", "midpoint", ["at their middle", "“euler” stays of first order in δt"], ["Proposition 4.1"]),
])
def test_the_page_names_the_statement_that_is_tested(page_of, tmp_path, refine, statement, beyond, said, unsaid):
    facts = fit(refine=refine, statement=statement, beyond=beyond)
    words = page_of(write_study(tmp_path / "s.h5", ladder(), facts)).words
    assert [text for text in said if text not in words] == []
    assert [text for text in unsaid if text in words] == []


def test_infinitely_many_cells_are_shown(page_of, tmp_path, papers_case):
    columns = ladder()
    columns["cells"][:] = columns["ds"][:] = 0.0
    facts = fit(reference="exact", bound=3 * 0.123456)
    words = page_of(write_study(tmp_path / "s.h5", columns, facts, papers_case, cells="inf")).words
    assert "(here P = ∞)" in words and "tried on the continuum" in words
    assert all(f"∞ {n} 0 {500 / n:.3e} " in words for n in (1000, 2000, 4000, 8000))
    assert f"at every level of this study: {3 * 0.123456:.3g}" in words


def test_infinitely_many_cells_are_not_on_the_map(page_of, tmp_path):
    columns = staircase()
    columns["cells"][-1] = columns["ds"][-1] = 0.0
    columns["error_x"][-1] = 0.01
    words = page_of(write_study(tmp_path / "s.h5", columns, fitted() | jointly())).words
    assert "P = ∞ or without an error: 1 of 4 levels" in words


def test_a_study_without_a_smallest_bound_shows_none(page_of, tmp_path):
    path = write_study(tmp_path / "s.h5", ladder(), fit(reference="finest"))
    assert "The smallest C" not in page_of(path).words


def test_extrapolations_are_shown(page_of, tmp_path):
    found = {"richardson_x": -1.25, "richardson_order_x": 1.01, "gci_x": 2.5e-4,
             "gci_relative_x": 2e-4,
             "richardson_y": NAN, "richardson_order_y": NAN, "gci_y": NAN}
    words = page_of(write_study(tmp_path / "s.h5", ladder(), fit(**found))).words
    assert ("x(T) extrapolated to step zero by least squares over all levels: −1.25, observed order 1.010. Bound of the "
            "error of the last level, by the grid convergence index of Eça and Hoekstra (2014): 2.50·10⁻⁴, absolute (relative 2.00·10⁻⁴).") in words
    assert "No extrapolation of y(T)" in words
    found |= {"richardson_y": 0.5, "richardson_order_y": 0.98, "gci_y": 3.5e-3, "gci_relative_y": 7e-3}
    words = page_of(write_study(tmp_path / "y.h5", ladder(), fit(**found))).words
    assert "y(T) extrapolated" in words and "Eça and Hoekstra (2014): 3.50·10⁻³, absolute" in words
    assert "xtrapol" not in page_of(write_study(tmp_path / "t.h5", ladder(), fit(reference="exact-time"))).words


def test_points_in_the_fit_are_filled_and_the_floor_is_drawn_in_sight():
    h = np.array([1e-3, 1e-2, 1e-1])
    curve = Curve("x", h, np.array([True, True, False]), h)
    for floor, lines in ((2e-3, 1), (1e-9, 0)):
        axes = error_figure(h, [curve], [1], "step", floor).axes[0]
        faces = {line.get_markerfacecolor(): len(line.get_xdata()) for line in axes.lines if line.get_marker() == "o"
                 and len(line.get_xdata())}
        assert sorted(faces.values()) == [1, 2] and faces["white"] == 1
        assert sum(text.get_text() == "round-off floor" for text in axes.texts) == lines


@pytest.mark.parametrize("decades, order", [(1, 1), (3, 2), (12, 1), (12, 0.5)])
def test_no_point_lies_on_a_slope_triangle(decades, order):
    h = np.logspace(-decades, 0, 2 * decades + 1)
    curves = [Curve(name, factor * h**order, np.ones(len(h), bool), factor * h**order)
              for name, factor in (("x", 1), ("y", 0.4), ("u", 0.5))]
    figure = error_figure(h, curves, [order], "step")
    figure.canvas.draw()
    axes = figure.axes[0]
    corners = axes.transData.transform(axes.patches[0].get_xy()[:3]) * 72 / figure.dpi
    points = axes.transData.transform([point for curve in curves for point in zip(h, curve.errors)]) * 72 / figure.dpi
    # The hypotenuse goes from the first corner to the last; a marker reaches 5 points from its place.
    along = (corners[2] - corners[0]) / np.linalg.norm(corners[2] - corners[0])
    above = np.cross(along, points - corners[0])
    assert above.min() > 8
