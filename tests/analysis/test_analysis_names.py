"""What runs, equations, works and numbers are called on a page."""

import math
import re

import numpy as np
import pytest

from masing import style
from masing.names import names_apart, points_of, short_configuration, short_value
from masing.notation import (count, estimate, interval, listed, measured, negatives, order, scientific,
                             signs_of, tick)
from masing.report.problem import cited, equations_of, in_words, steps_in_words, typeset
from masing.report.pictures import Picture
from masing.results import Run
from synthetic import write_run

NAN = math.nan


@pytest.mark.parametrize("changes, names", [
    (({}, {"cells": 10}), ["P = 3, N = 10⁶", "P = 10, N = 10⁶"]),
    (({}, {"force": "cos(t)"}), ["F(t) = 0.45*cos(0.5*t)", "F(t) = cos(t)"]),
    (({}, {"sample_every": 7}), ["P = 3, N = 10⁶ (0)", "P = 3, N = 10⁶ (1)"]),
    (({}, {"cells": 10}, {"cells": 30, "scheme": "leapfrog"}),
     ["P = 3, N = 10⁶", "P = 10, N = 10⁶", "P = 30, N = 10⁶, leapfrog"]),
])
def test_runs_are_told_apart_by_what_differs(tmp_path, papers_case, changes, names):
    runs = [Run(write_run(tmp_path / f"{n}.h5", papers_case, **each)) for n, each in enumerate(changes)]
    assert names_apart(runs) == names


def test_what_another_kind_of_model_has_is_no_difference_and_nothing_is_empty(result_of):
    discrete = ("--model=discrete-masing", "--set", "n=3", "--set", "k=1/n", "--set", "eta=i")
    words = {"discrete": discrete, "slab": ("--cells=10",), "down": ("--cells=10", "--threshold-down=0.1+0.5*s")}
    runs = [Run(result_of("simulate", f"{name}.h5", "--steps=200", "--final-time=10", *options))
            for name, options in words.items()]
    assert names_apart(runs[:2]) == ["discrete-masing, N = 200", "P = 10, N = 200, masing"]
    assert names_apart(runs[1:]) == ["P = 10, N = 200 (slab)", "η⁻(s) = 0.1+0.5*s"]


def test_values_are_short_equations_typeset_and_works_cited():
    assert points_of("points:0 1; 2 3.5") == [(0, 1), (2, 3.5)] and points_of("s+0.1") is None
    assert short_value("points:0 1; 2 3.5") == "table, 2 points" and short_value("1, 2") == "1, 2"
    assert short_value(", ".join("1" * 60)) == "60 numbers" and len(short_value("x" * 500)) == 60
    assert short_configuration("# a\nforce = points:0 1; 1 2\nmass = 1") == "# a\nforce = table, 2 points\nmass = 1"
    assert typeset("m y' = F - k0 x") == "<i>m</i> <i>y</i>′ = <i>F</i> − <i>k</i><sub>0</sub> <i>x</i>"
    assert typeset("k_{i+1} u_i, with F") == (
        "<i>k</i><sub><i>i</i>+1</sub> <i>u</i><sub><i>i</i></sub>, with <i>F</i>")
    assert typeset("eta1 = K^-1 <= 2") == "<i>η</i><sub>1</sub> = <i>K</i><sup>−1</sup> ≤ 2"
    assert typeset("u < 1 & x''") == "<i>u</i> &lt; 1 &amp; <i>x</i>″"
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
    axes.scatter([1, 2], [3, 4], c=[5, 6], label="error")
    assert list(style.curves_of(axes.figure)) == [(1, "error", 0, 1, 3, 5), (1, "error", 1, 2, 4, 6)]


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
    assert negatives("x (-0.011), [-0.5, 1]: --levels 10-20, 1e-3") == "x (−0.011), [−0.5, 1]: --levels 10-20, 1e-3"
