"""What accuracy costs, for how many cells: computed from the files, never typed in."""

import h5py
import numpy as np
import pytest

from masing.report.work import efficient, lines, work_precision
from masing.results import read
from synthetic import fitted, marked, write_study


def against_exact(path, levels, **changes):
    """A study against the exact solution; levels = [(P, N, error of x), ...]."""
    cells, steps, errors = np.array(levels, dtype=float).T
    columns = {"cells": cells, "steps": steps, "ds": np.where(cells > 0, 1 / np.maximum(cells, 1), 0), "dt": 500 / steps}
    for q in ("x", "y", "u"):
        columns |= {f"error_{q}": errors, f"order_{q}": np.full(len(cells), np.nan)}
    return write_study(path, marked(columns, ("x", "y", "u")), fitted(refine="both", reference="exact"), **changes)


@pytest.fixture
def euler(tmp_path):
    """The papers' scheme up to their finest case."""
    return against_exact(tmp_path / "euler.h5", [(750, 500000, 1e-2), (1500, 10**6, 5e-3)])


@pytest.fixture
def leapfrog(tmp_path):
    """The scheme of second order, a fiftieth of the work."""
    return against_exact(tmp_path / "leapfrog.h5", [(750, 10000, 5e-4), (1500, 20000, 1.24e-4)],
                         scheme="leapfrog", rule="midpoint")


def test_the_table_has_the_finest_level_of_each_study(page_of, euler, leapfrog, tmp_path):
    page = page_of(euler, leapfrog)
    assert "euler, right 1500 10⁶ 5.0·10⁻³ 1.5·10⁹ 0.9 leapfrog, midpoint 1500 2·10⁴ 1.2·10⁻⁴ 3.0·10⁷ 0.9" in page.words
    assert sum("cell updates P·N" in text for text in page.alternatives) == 1 and "§" not in page.words
    beaten = against_exact(tmp_path / "beaten.h5", [(800, 500000, 9e-3), (800, 10**6, 1.2e-2)])
    words = page_of(beaten).words
    assert "euler, right 800 10⁶ 1.2·10⁻²§ 8.0·10⁸" in words and "§ A coarser level has a smaller error" in words


def test_slopes_and_curves_are_those_of_the_studies_in_sight(euler, leapfrog, tmp_path):
    memory = against_exact(tmp_path / "memory.h5", [(0, 10**6, 5e-3)], engine="memory")
    studies = [read(path) for path in (euler, leapfrog, memory)]
    studies[1].fit["expected_order_x"] = 2.0
    (picture,) = work_precision(studies)["pictures"]
    axes = picture.figure.axes[0]
    # Work grows by 4 where the error of order one is halved.
    assert [text.get_text() for text in axes.texts] == ["1", "−0.5", "1", "−1"]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "euler, right, sweep", "leapfrog, midpoint, sweep"]


def test_other_problems_and_other_references_are_not_in_the_diagram(page_of, euler, tmp_path):
    other = against_exact(tmp_path / "other.h5", [(10, 2000, 1e-2)], force="0.4*cos(0.5*t)")
    assert len(lines([read(euler), read(other)])) == 1
    finest = against_exact(tmp_path / "finest.h5", [(10, 2000, 1e-2)])
    assert len(lines([read(euler), read(finest)])) == 2
    with h5py.File(finest, "a") as file:
        file["fit"].attrs["reference"] = "finest"
    assert len(lines([read(euler), read(finest)])) == 1
    assert "Work and precision" not in page_of(finest).words


def test_a_line_joins_only_levels_that_no_other_beats():
    cost, errors = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 5.0]), np.array([5.0, 3.0, 4.0, 2.0, 2.0, 1.0])
    assert list(efficient(cost, errors)) == [0, 1, 3, 5]
    assert len(efficient(np.array([]), np.array([]))) == 0


def test_engines_are_told_apart_and_studies_of_one_method_by_their_files(page_of, euler, tmp_path):
    memory = against_exact(tmp_path / "memory.h5", [(0, 10**6, 5e-3)], engine="memory")
    _, line = found = lines([read(euler), read(memory)])
    assert [each.label for each in found] == ["euler, right, sweep", "euler, right, memory"]
    # What does not go through the cells has no cell updates.
    assert np.isnan(line.study.cell_updates).all() and np.isfinite(line.study.seconds).all()
    assert "Work and precision" in page_of(memory, euler).words
    again = against_exact(tmp_path / "again.h5", [(10, 2000, 1e-2)])
    assert [each.label for each in lines([read(euler), read(again)])] == ["euler, right (euler)", "euler, right (again)"]
