"""What runs, forces, equations, works and numbers are called on a page. Of an equation of motion with damping, on a
moving base, without a mass the model is the program's own statement of it, m x″ = F − m a_g − k0 x − c x′ − S, and the
names in its files."""

import re

import numpy as np
import pytest

import cycles
from masing import style
from masing.cycles.figures import together
from masing.names import motion, names_apart, short_configuration, short_value
from masing.notation import (count, estimate, interval, listed, measured, order, scientific, signs_of,
                             tick)
from masing.report.cases import cycle_picture
from masing.report.pictures import Picture
from masing.report.problem import cited, equations_of, in_words, steps_in_words, typeset
from masing.response import panels
from masing.results import Run, Scan, read
from synthetic import NAN, write_run


@pytest.mark.parametrize("changes, names", [
    (({}, {"cells": 10}), ["P = 3, N = 10⁶", "P = 10, N = 10⁶"]),
    (({}, {"force": "cos(t)"}), ["F(t) = 0.45*cos(0.5*t)", "F(t) = cos(t)"]),
    (({}, {"sample_every": 7}), ["P = 3, N = 10⁶ (0)", "P = 3, N = 10⁶ (1)"]),
    (({}, {"cells": 10}, {"cells": 30, "scheme": "leapfrog"}),
     ["P = 3, N = 10⁶", "P = 10, N = 10⁶", "P = 30, N = 10⁶, leapfrog"])])
def test_runs_are_told_apart_by_what_differs(tmp_path, papers_case, changes, names):
    runs = [Run(write_run(tmp_path / f"{n}.h5", papers_case, **each)) for n, each in enumerate(changes)]
    assert names_apart(runs) == names


def test_what_another_kind_of_model_has_is_no_difference_and_nothing_is_empty(result_of):
    discrete = ("--model=discrete-masing", "--set", "n=3", "--set", "k=1/n", "--set", "eta=i", FORCED)
    words = {"discrete": discrete, "slab": ("--cells=10",),
             "down": ("--cells=10", "--threshold-down=0.1+0.5*s", FORCED)}
    runs = [Run(result_of("simulate", f"{name}.h5", "--steps=200", "--final-time=10", *options))
            for name, options in words.items()]
    assert names_apart(runs[:2]) == ["discrete-masing, N = 200", "P = 10, N = 200, masing"]
    assert names_apart(runs[1:]) == ["P = 10, N = 200 (slab)", "η⁻(s) = 0.1+0.5*s"]


def test_values_are_short_equations_typeset_and_works_cited():
    assert short_value("points:0 1; 2 3.5") == "table, 2 points"
    for text, short in (("1, 2", "1, 2"), ("s+0.1", "s+0.1"), ("0.9106013664704218*s", "0.910601*s"), ("3", "3"),
                        ("1.23456789e-12-x1", "1.23457e-12-x1"), ("a1.23456789", "a1.23456789")):
        assert short_value(text) == short
    assert short_value(", ".join("1" * 60)) == "60 numbers" and len(short_value("x" * 500)) == 60
    assert short_configuration("# a\nforce = points:0 1; 1 2\nmass = 1") == "# a\nforce = table, 2 points\nmass = 1"
    assert typeset("m y' = F - k0 x") == "<i>m</i> <i>y</i>′ = <i>F</i> − <i>k</i><sub>0</sub> <i>x</i>"
    assert typeset("k_{i+1} u_i, with F") == "<i>k</i><sub><i>i</i>+1</sub> <i>u</i><sub><i>i</i></sub>, with <i>F</i>"
    assert typeset("eta1 = K^-1 <= 2") == "<i>η</i><sub>1</sub> = <i>K</i><sup>−1</sup> ≤ 2"
    assert typeset("u < 1 & x''") == "<i>u</i> &lt; 1 &amp; <i>x</i>″"
    assert typeset("a base: m a_g") == "a base: <i>m</i> <i>a</i><sub><i>g</i></sub>"
    described = "prandtl: the Prandtl model\n\n  x' = y\n  m y' = F\n\nparameters\n  m  mass\n"
    assert equations_of(described) == ["x' = y", "m y' = F"]
    assert steps_in_words("within C (ds + dt) of words") == "within C (δs + δt) of words"
    assert in_words("(7), (26), continuous-masing-2001") == "(7), (26), Bastien, Lamarque and Schatzman (2001)"
    (work,) = cited("Bastien, Lamarque and Schatzman (2001)")
    assert "VIB-21456" in work.entry and cited("nobody (1999)") == []


def test_the_curves_of_a_figure_are_those_drawn_and_images_are_none():
    axes = style.figure().add_subplot()
    axes.plot([1, 2], [3, 4], label="x")
    style.line_by_time(axes, np.arange(3.0), np.array([0.0, 1, 0]), np.array([0.0, 1, 2]))
    assert list(style.curves_of(axes.figure)) == [(1, "x", 0, 1, 3), (1, "x", 1, 2, 4), (1, "by time", 0, 0, 0),
                                                  (1, "by time", 1, 1, 1), (1, "by time", 2, 0, 2)]
    axes = style.figure().add_subplot()
    axes.pcolormesh(np.ones((2, 2)))
    assert list(style.curves_of(axes.figure)) == [] and set(Picture("u", axes.figure, "").files) == {"svg", "pdf"}


def test_ticks_far_from_zero_are_told_apart():
    axes = style.figure().add_subplot(xlim=(-19904, -19896), ylim=(-0.2, 0.2))
    style.label_values(axes.xaxis, axes.yaxis)
    for axis in (axes.xaxis, axes.yaxis):
        words = [axis.get_major_formatter()(place) for place in axis.get_majorticklocs()]
        assert len(set(words)) == len(words) > 3 and all(len(word) < 8 for word in words)


def test_numbers_and_lists_are_words():
    assert [count(n) for n in (0, 3, 1500, 10**6, 25 * 10**4)] == ["∞", "3", "1500", "10⁶", "2.5·10⁵"]
    assert [tick(value) for value in (0.0, -0.25, 20000.0, 3e-13, 1e6)] == ["0", "−0.25", "20000", "3·10⁻¹³", "10⁶"]
    assert [listed("x"), listed("xy"), listed("xyu")] == ["x", "x and y", "x, y and u"]
    assert [measured(value) for value in (5.06e-3, 1.5e9, 41.7, 0.1, 1e-4, NAN)] == [
        "5.1·10⁻³", "1.5·10⁹", "42", "0.1", "10⁻⁴", "–"]
    assert [order(1.0004), order(-0.0112), order(NAN)] == ["1.000", "−0.011", "–"]
    assert re.fullmatch(r"\d\.\d{3}e-05", scientific(1.23456e-5))
    # An interval is never narrower than what is known.
    assert [estimate(-5.428, 0.6457), estimate(123.4, 21.0), estimate(2.5, NAN), estimate(0.1, 8e-16)] == [
        "−5.43 [−6.07,\u00a0−4.78]", "123 [102,\u00a0144]", "2.500", "0.1000"]
    assert [estimate(3e-5, 2e-6), estimate(NAN, 1.0)] == ["3.00·10⁻⁵ [2.80·10⁻⁵,\u00a03.20·10⁻⁵]", "–"]
    assert [interval(0.999, 0.01), interval(1.0, NAN), interval(-1, 0.5, 1)] == [
        "[0.989,\u00a01.009]", "", "[−1.5,\u00a0−0.5]"]
    assert signs_of("k, u0 and y0 by 4e-14, 1.25e+06 or 1e-10; order 2.5, e1, 0x0.") == (
        "k, u₀ and y₀ by 4·10⁻¹⁴, 1.25·10⁶ or 10⁻¹⁰; order 2.5, e1, 0x0.")


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
    for name in ("force", "restoring"):
        about = run.attributes(f"series/{name}")
        assert (about["symbol"], about["label"]) == (getattr(found, name), found.labels[name])


@pytest.mark.parametrize(("words", "said", "unsaid"), [
    ((DAMPED, FORCED), ["my′=F(t)−cy−k0x−∫", "mF(t)x(t)ck(s)", "therewithoutdamping.", "workofF:W", "x(t)andF(t)=0.45"],
     ["mag", "(x,F"]),
    ((BASE,), ["my′=F(t)−mag(t)−k0x−∫", "mF(t)x(t)ag(t)k(s)", "relativetothebase", "workofF−ma_g:W",
               "x(t)andF(t)−ma_g(t).x"], ["−cy", "workofF:"]),
    ((DAMPED, BASE), ["my′=F(t)−mag(t)−cy−k0x−∫", "withoutdampingandamovingbase.", "mF(t)x(t)cag(t)k(s)",
                      "Thecurves(x,k₀x+S)", "max|k₀x+S|"], ["F−mx″"]),
    ((), ["my′=F(t)−k0x−∫", "workofF:W", "Thecurves(x,F−mx″)", "max|F−mx″|", "mF(t)x(t)k(s)"],
     ["k₀x+S", "mag", "−cy", "without"])])
def test_a_page_has_the_terms_of_its_equation(result_of, page_of, words, said, unsaid):
    words = page_of(result_of("simulate", "run.h5", *SHORT, "--energy", *words)).words
    found = "".join(words.split())
    assert [text for text in said if text not in found] == [] and [text for text in unsaid if text in found] == []


def test_curves_of_two_forces_have_a_name_for_both(page_of, tmp_path, papers_case):
    files = [write_run(tmp_path / f"{damping}.h5", papers_case, damping=damping) for damping in (0, 0.5)]
    words = page_of(*files).words
    assert f"The curves (x, f) of figure 1, f = {ALONE} or {WITH_REST}." in words
    (tmp_path / "lab.csv").write_text("x,force\n0,0\n", encoding="utf-8")
    for given, name in ((files[:1], ALONE), (files[1:], WITH_REST), (files, "f"), ([tmp_path / "lab.csv"], "f")):
        assert cycles.axis_labels(given, [])[1] == f"restoring force {name}"


def test_every_figure_of_a_cycle_names_its_force(run_script, tmp_path, papers_case):
    """Whatever the label in the file, which older ones have not, or another."""
    run = read(write_run(tmp_path / "damped.h5", papers_case, damping=0.5))
    label = f"restoring force {WITH_REST}"
    for axes in (together([run]).axes[0], cycle_picture(run).figure.axes[0], run.plot_cycle()):
        assert axes.get_ylabel() == label
    for words in ((), ("--together",), ("--analysis",)):
        assert run_script(cycles, run.path, *words, "-o", tmp_path / "c.svg")[0] == 0
        assert f"<!-- {label} -->" in (tmp_path / "c.svg").read_text(encoding="utf-8")


def test_a_scan_on_a_moving_base_lags_behind_what_moves_the_mass(result_of):
    words = ("--over=w=0.7:1.3:3", "--base-acceleration=0.3*sin(w*t)", "--force=0", "--k0=0.2", "--cells=inf")
    scan = Scan(result_of("scan", "scan.h5", *words, "--steady"))
    assert "phase lag φ of x behind F − m a_g over w" in [said for _, said in panels(scan)]
