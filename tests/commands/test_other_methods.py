"""What other_methods.py compares: errors and counts of its methods, not their seconds."""

import csv
from pathlib import Path

import numpy as np
import pytest

import other_methods
from other_methods import AMPLITUDE, EXACT, KNOWN, LEAPFROG, Row, balance, events, methods, trajectory

README = Path(__file__).resolve().parents[2] / "analysis" / "README.md"


def test_sliders_with_events_have_the_error_of_so_many_elements():
    """That of harmonic balance with many harmonics, which falls as n⁻²; and extrapolated the amplitude of P = ∞."""
    found = [events(count, 1e-8)[0] for count in (10, 20)]
    assert found[0] - AMPLITUDE == pytest.approx(balance(10, 15)[0] - AMPLITUDE, rel=0.03)
    assert (found[0] - AMPLITUDE) / (found[1] - AMPLITUDE) == pytest.approx(4, abs=0.01)
    assert (4 * found[1] - found[0]) / 3 == pytest.approx(AMPLITUDE, abs=5e-7)


@pytest.mark.long
def test_leapfrog_does_not_gain_by_errors_that_cancel(masing):
    """Its rows have the error of their elements, less a tenth for that in time: half the step leaves that of the
    elements, which DOP853 has without steps of the program."""
    own = (AMPLITUDE - events(50, 1e-8)[0]) * 50**2
    rows = [(each[1], each[3]) for each in methods(masing.program, True) if each[0] == LEAPFROG]
    for count, call in rows:
        found = call()
        finer = trajectory(masing.program, count, 2 * found.work // count, "leapfrog", "midpoint")
        error, less = ((AMPLITUDE - each.amplitude) * count**2 for each in (found, finer))
        assert 0.9 * own < error < less < 1.01 * own
    assert len(rows) > 3


@pytest.mark.long
def test_the_table_and_the_figure_have_every_method(masing, tmp_path, capsys):
    other_methods.main(masing.program, tmp_path / "new" / "others", quick=True)
    with (tmp_path / "new" / "others.csv").open(encoding="utf-8") as file:
        rows = [Row(*row) for row in csv.reader(file)][1:]
    assert {row.method for row in rows} == {"RK45", "LSODA", "DOP853 with events", "harmonic balance",
                                            "masing: euler, right", LEAPFROG, EXACT}
    error = {(row.method, int(row.elements)): float(row.error) for row in rows}
    assert error[EXACT, 0] == KNOWN
    assert error["masing: euler, right", 200] / error["masing: euler, right", 2000] == pytest.approx(10, abs=0.5)
    assert all(float(row.seconds_least) <= float(row.seconds_median) <= float(row.seconds_most) for row in rows)
    assert len(np.unique([row.repeats for row in rows])) == 1
    printed, readme = capsys.readouterr().out, README.read_text(encoding="utf-8")
    assert (tmp_path / "new" / "others.svg").stat().st_size > 10000 and "extrapolation" in printed
    # The README has these rows; seconds, the last column, are others.
    short = [line.rsplit("|", 2)[0] for line in printed.splitlines() if line.startswith("| masing")]
    assert len(short) == 5 and all(line in readme for line in short)
