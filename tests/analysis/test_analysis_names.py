"""What runs, forces, equations, works and numbers are called on a page, and how small letters are in
print. Of an equation of motion with damping, on a moving base, without a mass the model is the program's own statement
of it, m x″ = F − m a_g − k0 x − c x′ − S, and the names in its files."""

import re

import pytest
from matplotlib.lines import Line2D
from matplotlib.text import Text

from masing import draw, style
from masing.convergence.figures import study_figure
from masing.report.page import TEMPLATES
from masing.report.problem import equations_of, typeset
from masing.report.trajectories import chain_pictures, response_pictures, trajectory_pictures
from masing.response import panels
from masing.results import Run, Scan, Study, read
from masing.text import (count, listed, measured, motion, names_apart, order, restoring_of_all, rounded_up,
                         scientific, short_configuration, short_value, signs_of, uncertain)
from outputs import labels_that_touch
from synthetic import NAN, fitted, jointly, staircase, write_run, write_study


@pytest.mark.parametrize("changes, names", [
    (({}, {"cells": 10}), ["P = 3, N = 10⁶", "P = 10, N = 10⁶"]),
    (({}, {"cells": 10}, {"force": "cos(t)"}), ["0", "1", "2"])])
def test_runs_are_told_apart_by_their_titles_or_their_files(tmp_path, papers_case, changes, names):
    runs = [Run(write_run(tmp_path / f"{n}.h5", papers_case, **each)) for n, each in enumerate(changes)]
    assert names_apart(runs) == names


def test_values_are_short_and_equations_typeset():
    for text, short in (("1, 2", "1, 2"), ("0.9106013664704218*s", "0.9106013664704218*s"),
                        ("points:0 1;1 2;", "table, 2 points")):
        assert short_value(text) == short
    assert len(short_value("x" * 500)) == 60
    assert short_configuration("# a\nforce = points:0 1; 1 2\nmass = 1") == "# a\nforce = table, 2 points\nmass = 1"
    for text, html in (
            ("m y' = F - k0 x", "<i>m</i> <i>y</i>′ = <i>F</i> − <i>k</i><sub>0</sub> <i>x</i>"),
            ("k_{i+1} u_i, with F", "<i>k</i><sub><i>i</i>+1</sub> <i>u</i><sub><i>i</i></sub>, with <i>F</i>"),
            ("eta1 = K^-1 <= 2", "<i>η</i><sub>1</sub> = <i>K</i><sup>−1</sup> ≤ 2"),
            ("a base: u < 1 & x''", "a base: <i>u</i> &lt; 1 &amp; <i>x</i>″")):
        assert typeset(text) == html
    assert equations_of("prandtl: a model\n\n  x' = y\n  m y' = F\n\nparameters\n  m  mass\n") == ["x' = y", "m y' = F"]


def test_numbers_and_lists_are_words():
    assert [count(n) for n in (0, 3, 1500, 10**6, 25 * 10**4)] == ["∞", "3", "1500", "10⁶", "2.5·10⁵"]
    assert [listed("x"), listed("xy"), listed("xyu")] == ["x", "x and y", "x, y and u"]
    assert [measured(value) for value in (5.06e-3, 1.5e9, 41.7, 0.1, 1e-4, NAN)] == [
        "5.1·10⁻³", "1.5·10⁹", "42", "0.1", "10⁻⁴", "–"]
    assert [order(1.0004), order(-0.0112), order(NAN)] == ["1.000", "−0.011", "–"]
    assert re.fullmatch(r"\d\.\d{3}e-05", scientific(1.23456e-5))
    assert [order(*each) for each in ((0.999, 0.01), (-1, 0.5), (NAN, 1))] == [
        "0.999\u00a0±\u00a00.010", "−1.000\u00a0±\u00a00.500", "–"]
    assert [uncertain(*each).replace("\u00a0", " ") for each in (
        (-5.428, 0.6457), (123.4, 21.0), (3e-5, 2e-6), (2.5, NAN), (0.1, 8e-16), (NAN, 1.0))] == [
        "−5.43 ± 0.65", "123 ± 21", "(3.00 ± 0.20)·10⁻⁵", "2.5", "0.1", "–"]
    assert signs_of("k, u0 and y0 by 4e-14, 1.25e+06 or 1e-10; order 2.5, e1, 0x0.") == (
        "k, u₀ and y₀ by 4·10⁻¹⁴, 1.25·10⁶ or 10⁻¹⁰; order 2.5, e1, 0x0.")
    # A constant that suffices is never rounded below what was found.
    assert [rounded_up(value, 3) for value in (0.37001, 21.5, 1.2345e-5)] == pytest.approx([0.371, 21.5, 1.24e-5],
                                                                                           rel=1e-12)


SHORT = ("--cells=5", "--final-time=20", "--steps=2000")
DAMPED, BASE, FORCED = "--damping=0.2", "--base-acceleration=0.3*sin(t)", "--force=0.45*cos(0.5*t)"
GEPHYROID = (*(f"--set=k{i}=1" for i in range(4)), *(f"--set=alpha{i}={i}" for i in (1, 2, 3)))
QUASISTATIC = "--model=masing-quasistatic"
ALONE, WITH_REST = "F − m x″", "k₀ x + S"


@pytest.mark.parametrize(("words", "force", "restoring"), [
    ((DAMPED, FORCED, *SHORT), "F", WITH_REST), ((BASE, *SHORT), "F − m a_g", WITH_REST), (SHORT, "F", ALONE),
    (("--let=a=0", "--damping=0.0", "--base-acceleration=a", *SHORT), "F", ALONE),
    ((QUASISTATIC, FORCED, *SHORT), "F", WITH_REST),
    (("--model=persoz-quasistatic", FORCED, *GEPHYROID, *SHORT[1:]), "F", "F"),
    (("--model=masing-chain", "--set=n=2", "--set=m=1", "--set=k=1", BASE, *SHORT), "F", "fᵢ − fᵢ₊₁"),
    (("--model=friction-oscillator", "--set=k=1", "--set=alpha=0.3", FORCED, *SHORT[1:]), "F", ALONE)])
def test_forces_are_called_as_the_file_calls_them(result_of, words, force, restoring):
    run = read(result_of("simulate", "run.h5", *words))
    found = motion(run)
    assert (found.force, found.restoring) == (force, restoring)
    for name, label in (("force", f"force {force}"), ("restoring", found.ordinate)):
        about = run.attributes(f"series/{name}")
        assert (about["symbol"], about["label"]) == (getattr(found, name), label)


def test_curves_of_several_restoring_forces_are_called_f(result_of):
    runs = [read(result_of("simulate", name, *SHORT, *words)) for name, words in (("a.h5", ()), ("b.h5", (DAMPED, FORCED)))]
    assert [restoring_of_all(each) for each in (runs[:1], runs)] == [ALONE, "f"]


@pytest.mark.parametrize(("words", "said", "unsaid"), [
    ((DAMPED, FORCED), ["my′=F−cy−k0x−∫", "mF(t)x(t)ck(s)", "workofF:W"], ["mag", "(x,F"]),
    ((BASE,), ["my′=F−mag−k0x−∫", "workofF−mag:W", "x(t)andF(t)−mag(t)."], ["−cy", "workofF:"]),
    ((), ["my′=F−k0x−∫", "workofF:W", "Cycles(x,F−mx″)", "max|F−mx″|"], ["k₀x+S", "mag", "−cy", "without"])])
def test_a_page_has_the_terms_of_its_equation(result_of, page_of, words, said, unsaid):
    words = page_of(result_of("simulate", "run.h5", *SHORT, "--energy", *words)).words
    found = "".join(words.split())
    assert [text for text in said if text not in found] == [] and [text for text in unsaid if text in found] == []


def test_a_scan_on_a_moving_base_lags_behind_what_moves_the_mass(result_of):
    words = ("--over=w=0.7:1.3:3", "--base-acceleration=0.3*sin(w*t)", "--force=0", "--k0=0.2", "--cells=inf")
    scan = Scan(result_of("scan", "scan.h5", *words, "--steady"))
    assert "phase lag φ of x behind F − m a_g over w" in [said for _, said in panels(scan)]


def test_letters_of_pictures_are_large_and_labels_of_ticks_apart(tmp_path, whole_run, result_of, papers_case):
    """At least eight points in a column of pictures between the margins of an A4 page; no line is thinner than half."""
    scan = result_of("scan", "scan.h5", "--over=F=0.2,0.4", "--over=w=0.7:1.3:4", "--force=F*cos(w*t)", "--k0=0.2",
                     "--cells=inf", "--steady")
    joint = Study(write_study(tmp_path / "s.h5", staircase(), fitted() | jointly(), papers_case))
    cycle, run = Run(write_run(tmp_path / "c.h5", papers_case, cells=3)), read(whole_run)
    chain = read(result_of("simulate", "chain.h5", "--model=masing-chain", "--set=n=4", "--set=m=1", "--set=k=1",
                           FORCED, *SHORT, "--watch=1,3", "--field-every=400"))
    with style.applied():
        pictures = [*trajectory_pictures([run]), *chain_pictures([chain]), *response_pictures(Scan(scan))[:3]]
        drawn = [study_figure(joint, joint.quantities), draw.over_exact([cycle], run),
                 draw.over_exact([run]),
                 *(each.figure for each in pictures)]
        alone, _ = draw.panels([cycle.in_window()[1:], run.in_window()[1:]], ["a", "b"])
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8").partition("@media print")
    (percent,) = re.findall(r"^  \.pictures \{ grid-template-columns: ([\d.]+)% ", css[2], re.MULTILINE)
    assert "margin: 15mm 14mm" in "".join(css) and len(drawn) >= 12
    for figure in drawn:
        scale = float(percent) / 100 * (210 - 2 * 14) / 25.4 / figure.get_figwidth()
        assert labels_that_touch(figure) == []
        letters = [text.get_fontsize() for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
        widths = [line.get_linewidth() for line in figure.findobj(Line2D) if line.get_linestyle() != "None"]
        assert min(letters) * scale >= 8 and min(widths) * scale >= 0.5
    assert labels_that_touch(alone) == []


def value_of(label):
    """The number that the label of a tick states, such as $\\mathdefault{3\\times10^{-4}}$ or 0.5."""
    text = re.sub(r"[$\\{}]|mathdefault", "", label).replace("−", "-").replace("times", "·").lstrip("·")
    mantissa, _, power = text.rpartition("·") if "^" in text else (text, "", "10^0")
    return float(mantissa or 1) * 10.0 ** float(power.partition("^")[2])


@pytest.mark.parametrize("low, high", [(10 / 420, 10 / 400), (6e-14, 1.6e-13), (1, 1.5), (2.3e-3, 2.1e-2), (3e-7, 2e-5),
                                       (1e-12, 1e3)])
def test_labels_of_ticks_do_not_touch(low, high):
    """In the width of a panel, as levels of 400 to 420 steps have it; each is the number at which it stands."""
    with style.applied():
        figure, axes = style.frame(1, 1.15, xscale="log", xlim=(low, high))
        assert figure.get_figheight() == 1.15 * style.figure().get_figheight()
        style.label_decades(axes.xaxis)
        figure.draw_without_rendering()
    assert labels_that_touch(figure) == []
    shown = [label for label in axes.get_xticklabels() if low <= label.get_position()[0] <= high]
    factor = axes.xaxis.get_offset_text().get_text()
    assert len(shown) >= 2
    for label in shown:
        assert value_of(label.get_text()) * (value_of(factor) if factor else 1) == pytest.approx(
            label.get_position()[0], rel=1e-6)
