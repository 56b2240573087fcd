"""Verdicts on tables that other programs have printed: published ones, manufactured ones, and wrong ones."""

import itertools
import json
import math
from pathlib import Path

import judge as script
import numpy as np
import pandas as pd
import pytest

import masing
from masing.errors import MasingError
from outputs import one_line

PUBLISHED = json.loads((Path(__file__).parent / "published_orders.json").read_text(encoding="utf-8"))
# Published tables whose errors do not have the expected order: by adaptive refinement, limiters, mortars and
# closures at boundaries, integrands that are not smooth, or orders that are misprinted.
OTHERWISE = {"P005", "P076", "P077", "P078", "P079", "P087", "P088", "P094", "P098", "P100", "P154", "P155"}
CELLS = 4 ** np.arange(3, 9)
H = 1 / np.sqrt(CELLS)


def test_no_published_table_is_judged_wrongly():
    published = {}
    for table in PUBLISHED:
        columns = table["columns"] | {"error": table["errors"]}
        published[table["id"]] = masing.judge(columns, {"error": table["expected"]}, table["step"])["error"]
    verdicts = [found.verdict for found in published.values()]
    assert {name for name, found in published.items() if found.verdict == "not as expected"} == OTHERWISE
    assert verdicts.count("as expected") >= 70 and verdicts.count("undecided") <= 65
    assert {name for name, found in published.items() if found.verdict == "undefined"} == {"P032"}
    assert "no order between -4 and 20" in published["P032"].why  # the errors grow with each refinement


def test_orders_of_powers_against_every_reference_and_over_two_steps():
    steps = {"cells": CELLS, "h": H, "dt": H}
    for p in (1.0, 2.5):
        errors = {"exact": 3 * H ** p, "finest:0.001": 3 * (H ** p - 0.001 ** p),
                  "successive": np.append(3 * (H[:-1] ** p - H[1:] ** p), np.nan)}
        for reference, error in errors.items():
            for step in ("h", "1/sqrt(cells)", "cells^-0.5", "h,dt"):
                kind = f"{reference},0.001" if step == "h,dt" and ":" in reference else reference
                found = masing.judge(steps | {"e": error}, {"e": p}, step, reference=kind)["e"]
                assert found.order == pytest.approx(p, abs=1e-6) and found.verdict == "as expected", (reference, step)
        # A level may also be compared with the one before, and the rows may have any order.
        before = np.append(np.nan, errors["successive"][:-1])
        assert masing.judge({"h": H, "e": before}, p, reference="successive")["e"].order == pytest.approx(p, abs=1e-6)
    # A cell of blanks is empty.
    assert masing.judge({"h": H[:4], "e": ["0.16", "0.04", "0.01", " "]}, 2)["e"].order == pytest.approx(2, abs=0.1)
    mixed = pd.DataFrame({"h": H, "e": H ** 2}).sample(frac=1, random_state=1)
    assert masing.judge(mixed, 2)["e"].order == pytest.approx(2)
    # The errors of δs and δt differ, and their ratio changes.
    ds, dt = np.array([0.1, 0.1, 0.05, 0.05, 0.025]), np.array([0.1, 0.05, 0.05, 0.025, 0.025])
    both = masing.judge({"ds": ds, "dt": dt, "e": 2 * ds + 5 * dt}, 1, "ds,dt")["e"]
    assert both.order == pytest.approx(1, abs=1e-6) and len(both.pair_orders) == 0


def test_the_digits_that_are_printed_count():
    error = ["1.0e-1", "2.5e-2", "6.3e-3", "1.6e-3"]
    table = {"h": [0.4, 0.2, 0.1, 0.05], "printed": error, "computed": [float(text) for text in error]}
    found = masing.judge(table, 2)
    assert found["printed"].verdict == "undecided" and found["computed"].verdict == "as expected"
    # Half a unit of 1.0e-1 and of 2.5e-2, as a change of the order of this pair, which is the worst.
    change = math.hypot(0.05 / 1.0, 0.05 / 2.5) / math.log(2)
    assert found["printed"].uncertainty - found["computed"].uncertainty == pytest.approx(2 * change)
    # Of successive levels the first cell may be empty, or the last: the digits are the same.
    first, last = (masing.judge({"h": [0.4, 0.2, 0.1, 0.05, 0.025], "e": cells}, 2, reference="successive")["e"]
                   for cells in (["", *error], [*error, ""]))
    assert (first.order, first.uncertainty) == (last.order, last.uncertainty) and last.uncertainty > change


@pytest.mark.parametrize("form", ["{:.3f}", "{:.3g}", "{:.1e}"])
def test_the_digits_of_steps_count(form):
    """The steps of the errors are not those that are printed: the interval holds the order all the same."""
    for p, first in itertools.product((1, 2, 4), [0.453, 0.35, 0.6]):
        h = first * 1.5 ** -np.arange(7.0)
        error = h ** p * (1 + 0.2 * h)
        found = masing.judge({"h": [form.format(each) for each in h], "e": error}, p)["e"]
        from_fine = masing.judge({"h": [form.format(each) for each in h[::-1]], "e": error[::-1]}, p)["e"]
        assert from_fine.uncertainty == found.uncertainty
        assert abs(found.order - p) <= found.uncertainty and found.verdict != "not as expected"
        assert masing.judge({"h": [repr(float(each)) for each in h], "e": error}, p)["e"].uncertainty < 0.05


def test_every_verdict_has_its_words_and_prints():
    table = {"h": H, "good": H ** 2, "bad": H, "none": 0 * H, "wild": H * [1, 3, 1, 3, 1, 3], "free": H}
    found = masing.judge(table, {"good": 2, "bad": ">=2", "none": 2, "wild": 1, "free": None})
    assert {name: each.verdict for name, each in found.items()} == {
        "good": "as expected", "bad": "not as expected", "none": "exact", "wild": "undecided", "free": "not judged"}
    assert found.verdict == "not as expected" and masing.judge(table, {"bad": ">=1"}).verdict == "as expected"
    line = next(line for line in repr(found).splitlines() if "good" in line)
    assert "2.000\u00a0±\u00a00.010" in line and "steady" in line
    names = found.figure().axes[0].get_legend().get_texts()
    assert [text.get_text() for text in names] == ["good", "bad", "none", "wild", "free"]
    assert masing.judge({"h": H, "e": H ** 2}, 2, floor=H[2] ** 2)["e"].verdict == "undefined"


def test_values_are_extrapolated():
    found = masing.judge({"h": H, "phi": 1 - 2 * H ** 2}, 2, values=True)["phi"]
    assert found.value == pytest.approx(1, abs=1e-9) and found.order == pytest.approx(2, abs=1e-3)
    assert abs(found.errors[-1] - 1) <= found.index <= 2 * abs(found.errors[-1] - 1)
    assert found.verdict == "not judged" and "limit 1" in found.why
    # Of two values the limit has the expected order, and the bound is 3 |phi1 - phi2|/(2^2 - 1).
    found = masing.judge({"h": [0.2, 0.1], "phi": [1.04, 1.01]}, 2, values=True)["phi"]
    assert (found.value, found.index) == (pytest.approx(1), pytest.approx(0.03)) and math.isnan(found.order)


@pytest.mark.parametrize("text", ["# a comment\n\ncells\tL2\n4\t2.5e-1\n16\t6.25e-2\n64\t1.5625e-2\n",
                                  "cells,L2,EOC,order_L2\n4,0.25,-,\n16,0.0625,2,2\n64,0.015625,2,2\n",
                                  "mesh,cells,L2,\ncoarse,4,2.5D-01,\nfine,16,6.25D-02,\nfinest,64,1.5625D-02,\n"])
def test_files_as_other_programs_write_them(tmp_path, text):
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")
    (name, found), = masing.judge(tmp_path / "table.csv", 2, "1/sqrt(cells)").items()
    assert name == "L2" and found.order == pytest.approx(2) and list(found.errors) == [0.25, 0.0625, 0.015625]


def test_the_script_prints_writes_and_draws(tmp_path, run_script):
    pd.DataFrame({"cells": CELLS, "L2": H ** 2, "H1": H}).to_csv(tmp_path / "table.csv", index=False)
    words = (script, tmp_path / "table.csv", "--step", "1/sqrt(cells)", "--expect-order")
    code, out, err = run_script(*words, "L2=2,H1>=1")
    assert (code, err) == (0, "") and out.splitlines()[-2:] == [str(tmp_path / "table-verdicts.csv"),
                                                               str(tmp_path / "table.png")]
    written = pd.read_csv(tmp_path / "table-verdicts.csv")
    assert list(written["verdict"]) == ["as expected"] * 2 and np.allclose(written["order"], [2, 1])
    assert (tmp_path / "table.png").read_bytes()[:4] == b"\x89PNG"
    code, out, err = run_script(*words, "2", "-o", tmp_path / "other.svg")
    assert (code, err) == (3, "") and "not as expected" in out and (tmp_path / "other.svg").exists()
    (tmp_path / "few.csv").write_text("h,e\n0.4,1.0e-1\n0.2,2.5e-2\n0.1,6.3e-3\n0.05,1.6e-3\n", encoding="utf-8")
    code, out, err = run_script(script, tmp_path / "few.csv", "--expect-order", "2")
    assert (code, err) == (3, "") and "undecided" in out
    (tmp_path / "twice.csv").write_text("h,h\n1,2\n2,3\n3,4\n", encoding="utf-8")
    one_line(run_script(script, tmp_path / "twice.csv"), "judge.py", "the column h occurs twice")


GOOD = {"h": [0.4, 0.2, 0.1], "L2": ["4e-2", "1e-2", "2.5e-3"]}


@pytest.mark.parametrize("table, options, words", [
    (GOOD, {"step": "1/cells"}, "no column cells; the table has h and L2"),
    (GOOD, {"step": "h-0.1"}, "row 3: 0 is not a step"),
    (GOOD, {"expect_order": {"L2": "two"}}, "'two': not an order"),
    (GOOD, {"reference": "finest:0.1"}, "0.1 is not below the last step of the table, 0.1"),
    (GOOD, {"reference": "successive"}, "leave the last cell empty"),
    (GOOD | {"h": [0.4, 0.2, 0.2]}, {}, "a step occurs twice"),
    (GOOD | {"L2": ["4e-2", "-1e-2", "2.5e-3"]}, {}, "L2, row 2: the error -1e-2 is negative"),
    (GOOD | {"L2": ["4e-2", "1e-2", ""]}, {}, "2 errors; an order needs at least 3"),
    ({"h": [0.4, 0.2], "L2": [4, 1]}, {}, "2 rows; an order needs at least 3"),
    (GOOD | {"L2": ["4e-2", "?", "1"]}, {}, "'?' is not a number"), (GOOD, {"step": "h,h,h"}, "or two of them"),
    (GOOD, {"step": "h.sum()"}, "not an expression of columns"), (GOOD, {"tolerance": -1}, "not negative"),
    (GOOD, {"expect_order": "L2=2,H1"}, "give each column one order"),
    (GOOD, {"expect_order": {"H1": 2}}, "no column H1"), ({"h": [4, 2, 1]}, {}, "no column of errors"),
    (GOOD, {"reference": "coarsest:1"}, "give exact, successive or finest:H"),
    ({"h": [0.2, 0.1], "phi": [2, 1]}, {"values": True}, "bounded by their expected order"),
    (3, {}, "table=3: give a path, a DataFrame")])
def test_mistakes_are_told_in_one_line(table, options, words):
    with pytest.raises(MasingError) as raised:
        masing.judge(table, **options)
    assert words in str(raised.value) and "\n" not in str(raised.value) and raised.value.code == 2

