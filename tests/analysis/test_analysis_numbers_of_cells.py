"""The errors in time for different numbers of cells: which studies share a picture, and what it says."""

import numpy as np

from masing.report.numbers_of_cells import number_pictures
from masing.results import read
from synthetic import fit, ladder, write_study


def study(folder, name, cells, factor=1.0, levels=4, **changes):
    """A study in N at P cells (0 for ∞) whose errors are `factor` times those of ladder()."""
    columns = ladder(levels)
    columns |= {q: factor * columns[q] for q in columns if q.startswith("error_")}
    columns["cells"] = np.full(levels, float(cells))
    write_study(folder / f"{name}.h5", columns, fit(), cells="inf" if cells == 0 else cells, **changes)
    return read(folder / f"{name}.h5")


def test_studies_of_different_numbers_share_a_picture(tmp_path):
    studies = [study(tmp_path, "inf", 0), study(tmp_path, "ten", 10, 0.8), study(tmp_path, "more", 100, 1.01, levels=3)]
    picture, = number_pictures(studies)
    assert picture.caption.endswith("differ from those of P = ∞ at most: P = 10 by 20 % and P = 100 by 1 %.")
    frames = {axes.get_title(): [line.get_label() for line in axes.get_lines()] for axes in picture.figure.axes}
    assert frames == dict.fromkeys(("error of x", "error of y", "error of u"), ["P = 10", "P = 100", "P = ∞"])
    for axes in picture.figure.axes:
        assert [len(line.get_xdata()) for line in axes.get_lines()] == [4, 3, 4]


def test_other_problems_methods_and_the_same_number_do_not(tmp_path):
    one = study(tmp_path, "one", 10)
    others = [study(tmp_path, "problem", 100, force="0.4*cos(0.5*t)"), study(tmp_path, "scheme", 100, scheme="leapfrog"),
              study(tmp_path, "engine", 10, engine="memory")]
    assert number_pictures([one, *others]) == []


def test_the_page_has_the_picture_and_its_files(page_of, tmp_path):
    files = [study(tmp_path, f"study-{cells}", cells).path for cells in (10, 20)]
    page = page_of(*files)
    assert "The error in time for different numbers of cells" in page.words
    assert "At the same N the errors differ from those of P = 20 at most: P = 10 by 0 %." in page.words
    assert "different numbers of cells" not in page_of(files[0]).words
