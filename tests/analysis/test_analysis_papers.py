"""The papers' own numbers beside the program's: what is typed against the case files, what is computed
against closed forms and against numbers of two exact solutions (tests/commands/test_papers.py)."""

import csv
import functools
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from outputs import number
from masing.report import papers
from masing.results import Run, parse_configuration

CASES = Path(__file__).resolve().parents[2] / "jobs" / "cases"
SHORT = ["theta-fig05", "cycle-table4", "cycle-table5", "persoz-fig2",
         "rheology-fig17", "rheology-fig21b"]


# Figures 6 to 10 of the first paper differ in the number of cells. The case file is that of figure 10.
CELLS = {"cycle-fig06": "3", "cycle-fig07": "10", "cycle-fig08": "100", "cycle-fig09": "700"}
OTHERS = Path(__file__).with_name("printed_data.csv")  # the data of cases of which no number is printed


def printed(path=Path(papers.__file__).with_suffix(".csv")):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.fixture(scope="session")
def runs_of(made, tmp_path_factory):
    """The Runs of case files, each made once."""
    folder = tmp_path_factory.mktemp("papers")
    run = functools.cache(lambda case: Run(made("simulate", folder / f"{case}.h5", "--config", CASES / f"{case}.ini")))
    return lambda cases: list(map(run, cases))


def by_place(runs):
    return {(row["place"], row["quantity"]): row for row in papers.rows(runs)}


def test_the_case_files_have_the_data_in_print():
    def value(text):
        try:
            return [pytest.approx(float(Fraction(word))) for word in text.split(",")]
        except ValueError:
            return text

    apart = {}
    data = [row for row in printed() + printed(OTHERS) if row["value"] == "data"]
    for row in data:
        file = CASES / f"{'cycle-fig10' if row['case'] in CELLS else row['case']}.ini"
        settings = {"cells": "1500"} | parse_configuration(file.read_text(encoding="utf-8"))
        settings |= {"cells": CELLS[row["case"]]} if row["case"] in CELLS else {}
        for key, _, text in (word.partition("=") for word in re.split(r" (?=\S+=)", row["printed"])):
            given = settings.get(key, settings.get(f"model.{key}", {"m": "1", "k0": "0", "n": "5"}.get(key)))
            if given is None or value(given) != value(text):
                apart[row["case"], key] = given
    assert apart == {} and {row["case"] for row in printed()} <= {row["case"] for row in data}


def test_the_programs_numbers_are_those_of_closed_forms(runs_of):
    runs = runs_of(SHORT)
    rows = by_place(runs)
    for place, name, true in (("Table IV", "η_i", [1, 2, 3, 4, 5]), ("Table IV", "k0 and k_i", [0, 1, 1, 1, 1, 1])):
        np.testing.assert_allclose([number(word) for word in rows[place, name]["here"].split()], true, atol=5e-5)
    for place in ("(4.27)", "(4.29)"):
        for name in ("η_i", "k0 and k_i"):
            assert number(rows[place, f"largest error of {name}"]["here"]) < 1e-12
    assert number(rows["(27), fig. 5", "Θ″ of the concave part"]["here"]) == pytest.approx(-0.5, abs=1e-6)
    component = rows["(4.12), fig. 17", "component of x at ω, printed as ≈ 20"]
    assert number(component["printed"].rstrip("†")) == pytest.approx(20 / 0.99, abs=5e-3)
    # A least-squares fit to x finds 19.893, of 19.892: the steps of the run leave no more digits.
    assert component["here"] == "19.89"
    # An element slips where the cycle is wider than 2η: 5.210 has two of five.
    assert rows["p. 292, fig. 21b", "segments of the cycle"]["here"] == "6"
    assert rows["(13a), fig. 2", "largest |g1|, |g2|, |g3|"]["here"] == "1 2 3"


@pytest.mark.long
def test_all_that_is_in_print_has_a_row(runs_of):
    rows = by_place(runs_of(sorted({row["case"] for row in printed()})))
    assert len(rows) == sum(row["value"] != "data" for row in printed())
    assert all(row["here"] != "–" for row in rows.values())
    # The width is that of two exact solutions, by the scheme of order one.
    width = rows["(4.10), fig. 16", "amplitude of x, here the last cycle peak to peak"]["here"]
    assert number(width) == pytest.approx(3998.24, rel=1e-3)


@pytest.mark.parametrize("name, case, words, programs", [
    ("theta-fig05", None, ("--force=0.1*sin(3*t)", "--final-time=300", "--steps=3000", "--cells=10"), set()),
    ("cycle-table4", "cycle-table4", ("--steps=3000", "--set=n=2", "--set=k=1,1", "--set=eta=1,2"), set()),
    ("mine", "theta-fig05", (), set()),
    ("rheology-fig16", "rheology-fig16", ("--steps=3", "--sample-every=1"), {("(4.10), fig. 16", "–")})])
def test_a_run_of_other_data_or_name_has_no_row_one_of_other_steps_no_number(result_of, name, case, words, programs):
    config = ("--config", CASES / f"{case}.ini") if case else ()
    run = Run(result_of("simulate", f"{name}.h5", *config, *words))
    assert {(row["place"], row["here"]) for row in papers.rows([run])} == programs
