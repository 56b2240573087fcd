"""The page of a study: its numbers are the file's, its verdict is the truth, and it needs nothing from outside."""

import re

import h5py
import numpy as np
import pytest

from colours import DICHROMATS, contrast_with_white, lab, linear
from masing import style
from masing.notation import scientific
from synthetic import (NAN, add_energy, add_field, fit, fitted, jointly, ladder, staircase, write_model, write_run,
                       write_study)


def test_numbers_equal_those_of_the_file(page_of, study_file, papers_case):
    page, columns = page_of(study_file), ladder()
    rows = zip(*(columns[name] for name in ("cells", "steps", "ds", "dt", "error_x", "order_x", "error_y", "order_y",
                                            "error_u", "order_u", "error_u_cells", "order_u_cells")))
    expected = [1.0, 1.0, 1.0] + [value for row in rows for value in row]
    seconds = np.linspace(0.1, 0.9, 4)
    cost = zip(columns["cells"], columns["steps"], np.full(4, 2.0), seconds, columns["steps"] / seconds,
               columns["steps"] / seconds * columns["cells"])
    late = papers_case[0] >= 480
    cycle = [np.abs(papers_case[n][late]).max() for n in (1, 4)]
    expected += [*cycle, *(value for row in cost for value in row)]
    np.testing.assert_array_equal(page.values, expected)
    for error in columns["error_x"]:
        assert scientific(error) in page.words


def test_a_good_study_has_claim_and_verdict(page_of, study_file):
    words = page_of(study_file).words
    assert "Order one in δt: x 1.000, y 1.000 and u 1.000. Verdict: as expected." in words
    assert "1 of 1 study as expected" in words and "1 ± 0.1" in words
    assert "(25) of Bastien, Lamarque and Schatzman (2001)" in words and "0.45*cos(0.5*t)" in words and "revision 0123abc" in words


def test_a_failed_study_has_its_verdict(page_of, tmp_path):
    remark = "The observed order is not the expected one for y (0.512) and u (0.512)."
    facts = fit(0.512, "not as expected", observed_x=1.0, verdict_x="as expected", remarks=remark)
    words = page_of(write_study(tmp_path / "bad.h5", ladder(order=0.512), facts)).words
    assert "Order one in δt was expected; observed: x 1.000, y 0.512 and u 0.512. Verdict: not as expected." in words
    assert "not the expected one for y (0.512) and u (0.512)" in words
    assert "Verdict: as expected" not in words


def test_one_level_has_no_order(page_of, tmp_path):
    facts = fit(NAN, "undefined", remarks="No order was observed.")
    words = page_of(write_study(tmp_path / "one.h5", ladder(1), facts), drawn=True).words
    assert "observed: x none, y none and u none. Verdict: undefined." in words and "No order was observed." in words
    assert not re.search(r"\bnan\b", words.lower())
    assert "– in a column “order”: undefined" in words


def test_zero_errors_are_exact(page_of, tmp_path):
    columns = ladder()
    columns["error_u"][:] = 0.0
    columns["order_u"][:] = NAN
    facts = fit(observed_u=NAN, verdict_u="exact", remarks="All errors of u are on the round-off floor.")
    page = page_of(write_study(tmp_path / "zero.h5", columns, facts), drawn=True)
    assert "Order one in δt: x 1.000, y 1.000 and u exact. Verdict: as expected." in page.words
    assert "All errors of u are on the round-off floor." in page.words
    assert "zero or not a number: 4 of 12 points" in page.words


def test_a_study_without_errors_is_exact(page_of, tmp_path):
    columns = ladder()
    for q in "xyu":
        columns[f"error_{q}"][:] = 0.0
        columns[f"order_{q}"][:] = NAN
    words = page_of(write_study(tmp_path / "rest.h5", columns, fit(NAN, "exact")), drawn=True).words
    assert "1 of 1 study exact" in words
    assert "Order one in δt: x exact, y exact and u exact. Verdict: exact." in words


def test_successive_differences_leave_the_last_level_without_errors(page_of, tmp_path):
    columns = ladder()
    for name in columns:
        if name.startswith(("error", "order")):
            columns[name][-1] = NAN
    words = page_of(write_study(tmp_path / "s.h5", columns, fit(reference="successive")), drawn=True).words
    assert "The last level has no finer one to differ from." in words


def test_an_expected_order_may_be_a_lower_bound(page_of, tmp_path):
    columns = ladder()
    columns["cells"][:] = columns["ds"][:] = 0.0
    facts = fit(**{f"expected_{q}": ">=0.5" for q in "xyu"})
    words = page_of(write_study(tmp_path / "inf.h5", columns, facts, cells="inf")).words
    assert "Order at least 0.5 in δt" in words and "≥ 0.5 − 0.1" in words and "∞" in words


def test_a_study_may_expect_nothing(page_of, tmp_path):
    facts = {"refine": "cells", "reference": "finest"}
    words = page_of(write_study(tmp_path / "plain.h5", ladder(quantities=("x", "y", "u")), facts)).words
    assert "No order in δs was expected" in words and "not judged" in words
    assert "cells’ points" not in words


def test_the_page_is_self_contained(page_of, study_file, run_file):
    page = page_of(study_file, study_file, "--cycles", run_file, drawn=True)
    assert all(address.startswith(("data:", "#")) for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))
    assert len(page.alternatives) == 5 and all(len(text) > 20 for text in page.alternatives)


def test_names_and_titles_are_escaped(page_of, tmp_path, papers_case):
    file = write_run(tmp_path / "a<b>.h5", papers_case, force="2*(t<1)&1")
    study = write_study(tmp_path / "s.h5", ladder(), fit(), force="2*(t<1)&1")
    page = page_of(study, "--cycles", file, "--title", "<script>")
    assert "a<b>.h5" in page.words and "2*(t<1)&1" in page.words and "<script>" in page.words


def test_caption_says_what_the_paper_saw_and_what_is_seen(page_of, study_file, run_file, tmp_path, papers_case):
    words = page_of(study_file, "--cycles", run_file).words
    assert "figure 6: polygon 2: 1.000, 0.667 " in words
    other = write_run(tmp_path / "other.h5", papers_case, force="0.4*cos(0.5*t)")
    assert "figure 6" not in page_of(study_file, "--cycles", other).words


@pytest.mark.parametrize("facts, said", [
    ({"statement": "mixed", "left_over": "space"}, "errors hold the error in space of the fixed P = 10"),
    ({"statement": "mixed", "left_over": "time", "refine": "cells"}, "errors hold the error in time of the fixed N ="),
    ({"statement": "25"}, "Tested: (25) of"), ({"statement": "3.1", "refine": "cells"}, "Tested: Proposition 3.1"),
])
def test_a_statement_is_tested_only_where_the_errors_are_those_it_bounds(page_of, tmp_path, facts, said):
    words = page_of(write_study(tmp_path / "s.h5", ladder(), fit(**facts))).words
    assert said in words
    assert ("Tested:" in words) == said.startswith("Tested:")


def test_studies_of_one_problem_show_it_once_and_are_compared(page_of, study_file, tmp_path):
    failed = fit(0.5, "not as expected")
    other = write_study(tmp_path / "other.h5", ladder(order=0.5), failed, scheme="leapfrog")
    page = page_of(study_file, other)
    assert page.words.count("The continuous Masing (Prandtl) model") == 1
    assert page.addresses.count("#study-2") == 1 and "1 of 2 studies as expected 1 of 2 studies not as" in page.words
    assert "right, leapfrog, sweep (25) x 0.500y 0.500u 0.500 not as expected" in page.words


def test_the_sections_are_in_order(page_of, tmp_path, papers_case):
    study = write_study(tmp_path / "s.h5", staircase(), fitted() | jointly(), papers_case)
    run = write_run(tmp_path / "run.h5", papers_case)
    add_field(run)
    add_energy(run)
    words = page_of(study, run, drawn=True).words
    parts = ["1 of 1 study as expected", "The problem The", "Verdict: as expected", "Errors are maxima over",
             "Maximal errors of", "The error of x over δs and δt", "Work and precision Error", "Hysteresis cycles",
             "yield fronts", "x(t) and F(t)", "lacks at most", "Cost Wall", "masing reproduce s.h5", "References Bastien"]
    places = [words.index(part) for part in parts]
    assert places == sorted(places)


def test_field_and_energy_are_those_of_the_file(page_of, run_file):
    eta, u = add_field(run_file)
    add_energy(run_file, lacking=1.3e-3)
    words = page_of(run_file).words
    assert "the balance lacks at most 1.3·10⁻³" in words
    # Which cells slide is known by construction: sin t beyond η.
    resting = np.mean(np.all(np.abs(u) < eta, axis=1))
    assert f"At most 100 % of the cells yield at once; none do in {resting:.0%}".replace("%", " %").replace(
        "  ", " ") in words


def test_another_model_is_shown_by_its_name_and_its_parameters(page_of, tmp_path, papers_case):
    run = write_model(tmp_path / "prandtl.h5", papers_case)
    assert "prandtl, N = 2·10⁴" in page_of(run).words
    columns = ladder(quantities=("x", "y"))
    # What the program writes of a model without cells.
    columns["cells"][:], columns["ds"][:] = 3, NAN
    study = write_study(tmp_path / "s.h5", columns, fit(quantities=("x", "y")), papers_case)
    with h5py.File(run) as source, h5py.File(study, "a") as file:
        del file["configuration"]
        source.copy("configuration", file)
        file.attrs.update({"title": "prandtl, N = 8000", "has_cells": 0})
    words = page_of(study, run).words
    assert "prandtl, N = 8000, 480 ≤ t ≤ 500." in words
    assert "The model prandtl, in the form (3.8)" in words and "P N δs" not in words and "eta1" in words and "k1" in words
    assert "Masing (Prandtl)" not in words and "Proposition" not in words and "stiffness density" not in words


def test_studies_that_agree_in_every_digit_share_a_section(page_of, study_file, tmp_path, papers_case):
    same = write_study(tmp_path / "same.h5", ladder(), fit(), papers_case, engine="memory")
    page = page_of(study_file, same)
    assert "study-2" not in page.ids and page.words.count("as the study above, in every digit shown") == 1
    assert "(right, euler, memory; same.h5) agrees with it in every digit shown here" in page.words
    columns = ladder()
    columns["error_x"][0] *= 1.001
    assert "study-2" in page_of(study_file, write_study(tmp_path / "near.h5", columns, fit(), papers_case)).ids


def test_a_study_is_named_by_what_it_shows(page_of, study_file):
    assert "(25): order in δt of right, euler, sweep" in page_of(study_file).words
    with h5py.File(study_file, "a") as file:
        text = "# masing converge\n# Order one in dt at fixed P. Data of\n# Bastien and Schatzman (2002).\nmodel = masing\n"
        text += file["configuration"][()].decode()
        attributes = dict(file["configuration"].attrs)
        del file["configuration"]
        file["configuration"] = np.array(text.encode())
        file["configuration"].attrs.update(attributes)
    words = page_of(study_file).words
    assert words.count("Order one in δt at fixed P") == 2 and "study.h5 (25)" not in words


@pytest.mark.parametrize("verdict", ["undecided", "not as expected"])
def test_doubt_is_on_the_first_screen(page_of, tmp_path, verdict):
    facts = fit(verdict=verdict, statement="outside", unmet_hypotheses="F jumps near t = 1")
    words = page_of(write_study(tmp_path / "s.h5", ladder(), facts)).words
    first = words[:words.index("The problem")]
    assert f"1 of 1 study {verdict} 1 outside the hypotheses of the propositions" in first
    assert "F jumps near t = 1" in words and "as expected 1 outside" not in first.replace(f"{verdict} 1 outside", "")


def test_a_table_is_a_thumbnail_and_a_file(page_of, study_file, tmp_path):
    points = "points:" + "; ".join(f"{t} {np.sin(t):.17g}" for t in range(2000))
    study = write_study(tmp_path / "t.h5", ladder(), fit(), force=points)
    page = page_of(study)
    assert "table, 2000 points, in t-force.csv" in page.words and "points:" not in page.words
    assert page.words.count("force = table, 2000 points") == 1
    assert any(text.startswith("Curve of F(t) of t.h5") for text in page.alternatives)


def test_the_reference_explains_itself_once(page_of, tmp_path):
    explained = "It is found from event to event, u0 and all, to 4e-14."
    facts = fit(reference_text="the exact solution", reference_explanation=explained)
    files = [write_study(tmp_path / f"{n}.h5", ladder(order=order), facts) for n, order in enumerate((1.0, 1.1))]
    words = page_of(*files).words
    assert words.count("measured against: the exact solution. It is found from event to event, u₀ and all, to 4·10⁻¹⁴.") == 1
    assert "How it is found is said in study 1." in words


def test_the_colours_stand_out_and_apart():
    ratios = [contrast_with_white(colour) for colour in style.COLOURS]
    assert min(ratios) >= 3 and contrast_with_white(style.GREY) >= 4.5
    for seen in DICHROMATS.values():
        places = [lab(seen @ linear(colour)) for colour in style.COLOURS]
        apart = [np.linalg.norm(a - b) for n, a in enumerate(places) for b in places[:n]]
        assert min(apart) > 10
