"""The page of a study: its numbers are the file's, its verdict is the truth, and it needs nothing from outside."""

import re

import numpy as np

from notation import order, scientific
from synthetic import NAN, fit, ladder, write_run, write_study


def test_numbers_equal_those_of_the_file(page_of, study_file):
    page, columns = page_of(study_file), ladder()
    rows = zip(*(columns[name] for name in ("cells", "steps", "ds", "dt", "error_x", "order_x", "error_y", "order_y",
                                            "error_u", "order_u", "error_u_cells", "order_u_cells")))
    expected = [1.0, 1.0, 1.0] + [value for row in rows for value in row]
    times = zip(columns["cells"], columns["steps"], np.linspace(0.1, 0.9, 4))
    expected += [value for row in times for value in row]
    np.testing.assert_array_equal(page.values, expected)
    for error in columns["error_x"]:
        assert scientific(error) in page.words


def test_claim_and_verdict_of_a_good_study(page_of, study_file):
    words = page_of(study_file).words
    assert "Order one in δt: x 1.000, y 1.000 and u 1.000. Verdict: as expected." in words
    assert "1.000" in words and "1 ± 0.1" in words
    assert "(25) of Bastien" in words and "0.45*cos(0.5*t)" in words and "git revision 0123abc" in words


def test_failed_verdict(page_of, tmp_path):
    facts = fit(0.512, "not as expected", observed_x=1.0, verdict_x="as expected")
    words = page_of(write_study(tmp_path / "bad.h5", ladder(order=0.512), facts)).words
    assert "Order one in δt was expected; observed: x 1.000, y 0.512 and u 0.512. Verdict: not as expected." in words
    assert "not the expected one for y (0.512) and u (0.512)" in words
    assert "Verdict: as expected" not in words


def test_one_level_has_no_order(page_of, tmp_path):
    words = page_of(write_study(tmp_path / "one.h5", ladder(1), fit(NAN, "undefined"))).words
    assert "observed: x none, y none and u none. Verdict: undefined." in words and "one level" in words
    assert not re.search(r"\bnan\b", words.lower())
    assert "– in a column “order”: undefined" in words


def test_zero_errors_and_undefined_orders(page_of, tmp_path):
    columns = ladder()
    columns["error_u"][:] = 0.0
    columns["order_u"][:] = NAN
    facts = fit(observed_u=NAN, verdict_u="undefined", verdict="undefined")
    page = page_of(write_study(tmp_path / "zero.h5", columns, facts))
    assert "No order was observed for u." in page.words and "Verdict: undefined." in page.words
    assert "zero or not a number: 4 of 12 points" in page.words


def test_an_unsupported_verdict_is_not_repeated(page_of, tmp_path):
    words = page_of(write_study(tmp_path / "odd.h5", ladder(1), fit(NAN, "as expected"))).words
    assert "Verdict: undefined." in words and "not supported by its numbers" in words


def test_successive_differences_leave_the_last_level_without_errors(page_of, tmp_path):
    columns = ladder()
    for name in columns:
        if name.startswith(("error", "order")):
            columns[name][-1] = NAN
    words = page_of(write_study(tmp_path / "s.h5", columns, fit(reference="successive"))).words
    assert "The last level has no finer one to differ from." in words


def test_infinitely_many_cells_and_a_lower_bound(page_of, tmp_path):
    columns = ladder()
    columns["cells"][:] = columns["ds"][:] = 0.0
    facts = fit(**{f"expected_{q}": ">=0.5" for q in "xyu"})
    words = page_of(write_study(tmp_path / "inf.h5", columns, facts, cells="inf")).words
    assert "Order at least 0.5 in δt" in words and "≥ 0.5" in words and "∞" in words


def test_a_study_that_expects_nothing_and_lacks_what_is_optional(page_of, tmp_path):
    facts = {"refine": "cells", "reference": "finest"}
    words = page_of(write_study(tmp_path / "plain.h5", ladder(quantities=("x", "y", "u")), facts)).words
    assert "No order in δs was expected" in words and "not judged" in words
    assert "cells’ points" not in words


def test_the_page_is_self_contained(page_of, study_file, run_file):
    page = page_of(study_file, study_file, "--cycles", run_file)
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
    assert "Figure 6 of Bastien and others (2001): a polygonal cycle" in words
    assert "2 straight segments" in words and "1.000, 0.667" in words
    other = write_run(tmp_path / "other.h5", papers_case, force="0.4*cos(0.5*t)")
    assert "Figure 6" not in page_of(study_file, "--cycles", other).words


def test_orders_as_text():
    assert [order(1.0004), order(NAN)] == ["1.000", "–"]
    assert re.fullmatch(r"\d\.\d{3}e-05", scientific(1.23456e-5))
