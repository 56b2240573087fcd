"""The files beside a page: pictures as SVG and PDF, tables as CSV and LaTeX."""

import csv
import io
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import report
from masing import tables
from masing.convergence.levels import orders_table
from masing.report.pictures import Text, file_names, write_pieces
from synthetic import NAN, fit, fitted, jointly, ladder, marked, staircase, write_study


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


def test_a_study_leaves_its_pictures_and_tables_of_the_same_bytes_again(tmp_path, papers_case):
    study = write_study(tmp_path / "study.h5", ladder(), fit(), papers_case)
    for page in ("page.html", "again.html"):
        report.main([str(study), "--files-only", "-o", str(tmp_path / page)])
    beside = tmp_path / "page-files"
    names = {"study-errors": ("svg", "pdf", "csv"), "study-motion": ("svg", "pdf", "csv"), "study": ("ini",),
             "study-levels": ("csv", "tex"), "study-orders": ("csv", "tex")}
    assert sorted(path.name for path in beside.iterdir()) == sorted(
        f"{name}.{kind}" for name, kinds in names.items() for kind in kinds)
    assert (beside / "study-errors.pdf").read_bytes().startswith(b"%PDF")
    assert b"<svg" in (beside / "study-errors.svg").read_bytes()
    for path in beside.iterdir():
        assert (tmp_path / "again-files" / path.name).read_bytes() == path.read_bytes()


def test_the_csv_has_every_digit(pieces_of, tmp_path):
    columns = marked(ladder(5), x=[1, 0, 0, 0, 2])
    columns["error_y"][2] = NAN
    folder = pieces_of(write_study(tmp_path / "s.h5", columns, fitted(1.00512345678901)))
    levels = columns_of(folder / "s-levels.csv")
    for heading, name in (("P", "cells"), ("N", "steps"), ("δt", "dt"), ("error of x", "error_x"),
                          ("error of y", "error_y"), ("order of u", "order_u")):
        np.testing.assert_array_equal([float(cell) for cell in levels[heading]], columns[name])
    assert levels["fit of x"] == ("before the asymptotic range", *("fitted",) * 3, "on the round-off floor")
    assert levels["fit of u"] == ("fitted",) * 5
    text = (folder / "s-levels.tex").read_text(encoding="ascii")
    assert r"P & N & $\delta$s & $\delta$t & e(x) & order & e(y) & order & e(u) & order \\" in text
    # Errors are 0.123456 place δt with δt = 1/2, one format for a column.
    assert r"$6.173\cdot 10^{-2}$$\dagger$ & -- & $1.235\cdot 10^{-1}$ & -- & " in text
    assert r"$3.858\cdot 10^{-3}$$\ddagger$ & 1.000 & " in text and r"{\footnotesize $\ddagger$ left out of the fit" in text
    assert "Maximal errors against one run at least 16 times finer" in text and r"\toprule" in text and r"\hline" not in text
    continuum = ladder()
    continuum["cells"][:] = continuum["ds"][:] = 0.0
    infinite = pieces_of(write_study(tmp_path / "inf.h5", continuum, fitted(), cells="inf"))
    assert set(columns_of(infinite / "inf-levels.csv")["P"]) == {"inf"}
    assert r"$\infty$" in (infinite / "inf-levels.tex").read_text(encoding="ascii")
    orders = columns_of(folder / "s-orders.csv")
    assert orders["quantity"][:3] == ("x", "y", "u") and orders["verdict"][0] == "as expected"
    assert {float(cell) for cell in orders["order"]} == {1.00512345678901}


def test_a_joint_fit_has_its_constants(pieces_of, tmp_path):
    folder = pieces_of(write_study(tmp_path / "s.h5", staircase(), fitted() | jointly()))
    orders = columns_of(folder / "s-orders.csv")
    assert r"x & 1.000 [0.996,~1.004] & 1~$\pm$~0.1 & as expected & 12.00 [11.58,~12.42] & $-$5.00 [$-$5.65,~$-$4.35] \\" in (
        folder / "s-orders.tex").read_text(encoding="ascii")
    assert [float(cell) for cell in orders["C₁"][:2]] == [12, 24] and float(orders["half-width of C₂"][0]) == 0.65
    # Files of older programs have no interval of a constant C.
    alone = pieces_of(write_study(tmp_path / "c.h5", ladder(), fitted())) / "c-orders.tex"
    said = [file.read_text(encoding="ascii").count("confidence interval") for file in (folder / "s-orders.tex", alone)]
    assert said == [1, 0] and "In brackets the interval of the order." in alone.read_text(encoding="ascii")


def test_a_constant_alone_has_its_interval_in_csv_and_latex(pieces_of, tmp_path):
    known = fitted() | {"constant_x": 12.0, "constant_uncertainty_x": 0.42}
    folder = pieces_of(write_study(tmp_path / "s.h5", ladder(), known))
    orders, text = columns_of(folder / "s-orders.csv"), (folder / "s-orders.tex").read_text(encoding="ascii")
    assert (float(orders["C"][0]), float(orders["half-width of C"][0])) == (12.0, 0.42)
    assert r"12.00 [11.58,~12.42] \\" in text and text.count("confidence interval") == 1


def test_orders_of_levels_that_differ_in_steps_alone_are_marked(pieces_of, tmp_path):
    columns = staircase()
    folder = pieces_of(write_study(tmp_path / "s.h5", columns, fitted() | jointly() | {"step_x": "joint"}))
    alone = [False, *(a == b for a, b in zip(columns["cells"], columns["cells"][1:]))]
    assert any(alone) and not all(alone[1:])
    assert columns_of(folder / "s-levels.csv")["refines N alone"] == tuple("yes" if each else "no" for each in alone)
    text = (folder / "s-levels.tex").read_text(encoding="ascii")
    rows = [line for line in text.splitlines() if line.count("&") > 3][1:]
    assert ["*" in row for row in rows] == alone and r"\footnotesize * order of two levels" in text


def test_the_parts_of_a_half_width_are_in_their_columns():
    numbers = {"statistical_uncertainty_x": 0.01, "structural_uncertainty_x": 0.02, "tolerance": 0.1, "constant_x": 3.0}
    study = SimpleNamespace(number=numbers.get, joint=lambda quantity: None, quantities=["x"])
    finding = SimpleNamespace(name="x", quantity="x", observed=1.0, uncertainty=0.03, expected="1", verdict="good")
    (row,) = orders_table(study, [finding]).to_dict("records")
    assert (row["statistical part"], row["structural part"], row["half-width of its interval"]) == (0.01, 0.02, 0.03)


def test_words_and_numbers_are_escaped_for_latex():
    frame = pd.DataFrame([[1.23456e-5, NAN, 1500.0], ["a{b", -np.inf, 0.25]], columns=["error of x", "a_b & 50 %", "C₁"])
    text = tables.latex(frame, "from a\nb.h5").decode("ascii")
    assert text.splitlines()[0] == r"% from a b.h5; needs \usepackage{booktabs}"
    assert r"error of x & a\_b \& 50 \% & C$_1$ \\" in text
    assert r"$1.235\cdot 10^{-5}$ & -- & $1.500\cdot 10^{3}$ \\" in text
    assert r"a\{b & $-\infty$ & $2.500\cdot 10^{-1}$ \\" in text
    assert tables.in_latex("~^\\") == r"\textasciitilde{}\textasciicircum{}\textbackslash{}"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_tables_compile(pieces_of, tmp_path):
    folder = pieces_of(write_study(tmp_path / "s_1.h5", staircase(), fitted() | jointly()))
    inputs = "\n\n".join(rf"\input{{{path.name}}}" for path in sorted(folder.glob("*.tex")))
    (folder / "paper.tex").write_text(rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{inputs}\end{{document}}")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=folder,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_files_have_valid_unique_names_in_a_folder_that_can_be_made(run_script, tmp_path):
    made = [Text(name, {"csv": b"x", "tex": b"x"}) for name in ("a/b c", "a b/c", "...", "a-b-c-2")]
    assert [name for name, _ in file_names(made)] == ["a-b-c", "a-b-c-2", "piece", "a-b-c-2-2"]
    write_pieces(tmp_path / "beside", made)
    assert len(list((tmp_path / "beside").iterdir())) == 8
    (tmp_path / "page-files").write_text("in the way")
    study = write_study(tmp_path / "s.h5", ladder(), fit())
    code, out, err = run_script(report, study, "--files-only", "-o", tmp_path / "page.html")
    assert (code, out) == (2, "") and "page-files: cannot be made" in err and not (tmp_path / "page.html").exists()
