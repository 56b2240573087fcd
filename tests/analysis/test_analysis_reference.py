"""The exact solution that studies are compared with is checked without the program, and the page says by how much."""

import h5py
import numpy as np
import pytest

from masing.errors import MasingError
from masing.notation import measured
from masing.report.independent import function, motion
from masing.results import Run, Study

PROBLEM = {"stiffness": "1.5-s", "threshold": "0.2+0.5*s", "initial-u": "0.1-0.2*s", "k0": "0.1", "damping": "0.05",
           "mass": "1.3", "x0": "0.1", "force": "0.4*sin(0.7*t)+0.3*square(t/7.3)", "final-time": "15"}


def test_springs_that_do_not_slide_are_linear():
    """x″ = F − x from rest has the solution 0.6 (cos 0.5t − cos t) for F = 0.45 cos 0.5t."""
    times = np.linspace(0, 40, 401)
    settings = {"threshold": "100", "force": "0.45*cos(0.5*t)", "final-time": "40"}
    assert np.abs(motion(settings, times, 10)[0] - 0.6 * (np.cos(0.5 * times) - np.cos(times))).max() < 1e-9


def test_it_is_the_exact_solution_of_the_program_to_the_error_of_its_sliders(result_of):
    words = [f"--{key}={value}" for key, value in PROBLEM.items()]
    exact = result_of("simulate", "e.h5", *words, "--cells=inf", "--engine=exact", "--steps=3000", "--sample-every=1")
    with h5py.File(exact) as file:
        times, exact = file["series/t"][:], [file["series/x"][:], file["series/y"][:]]
    apart = [np.abs(motion(PROBLEM, times, sliders) - exact).max() for sliders in (1000, 10000)]
    assert 1e-8 < apart[0] < 1e-6 and apart[1] < apart[0] / 30  # 1/n², which falls to a hundredth


@pytest.mark.parametrize("text", ["__import__('os')", "t.real", "t<1", "t if t else 1", "let+t", "'a'", "2*", "lambda: 1"])
def test_other_formulas_are_not_evaluated(text):
    with pytest.raises(MasingError, match="not evaluated without the program"):
        function(text, "t")


def test_a_motion_that_takes_too_long_and_data_that_are_not_known_are_given_up(monkeypatch):
    with pytest.raises(MasingError, match="threshold-down is not known"):
        motion(PROBLEM | {"threshold-down": "0.1"}, np.zeros(1))
    monkeypatch.setattr("masing.report.independent.MOST_EVALUATIONS", 100)
    with pytest.raises(MasingError, match="more than 100 evaluations"):
        motion(PROBLEM, np.zeros(1), 10)


def test_the_page_shows_the_checks_of_the_exact_solution_and_sees_a_wrong_one(page_of, result_of, masing, tmp_path):
    words = ["--threshold=0.1+s", "--force=0.8*cos(0.5*t)", "--final-time=20"]
    study = result_of("converge", "s.h5", *words, "--refine=both", "--levels=40:1600,80:3200,160:6400,320:12800", "--reference=exact")
    exact = result_of("simulate", "e.h5", *words, "--cells=inf", "--engine=exact", "--steps=2000", "--sample-every=1",
                      "--energy")
    page = page_of(study, "--cycles", exact, options=("--program", masing))
    row = page.words.split("least error of x in a study", 1)[1].split()
    assert row[0] == "1" and all("10⁻" in text for text in row[1:7])
    with h5py.File(exact, "a") as file:
        file["series/x"][1000:] += 1e-3
        file["series/restoring"][0] = 1.0
    row = page_of(study, "--cycles", exact, options=("--program", masing)).words.split(
        "least error of x in a study", 1)[1].split()
    assert row[4] == "10⁻³" and row[3] == "–"  # ∫ k η ds = 0.6 is not the largest force


def test_studies_beyond_the_cells_that_are_added_say_how_they_are_summed(page_of, result_of):
    data = "--final-time=10", "--threshold=0.1+s", "--force=0.8*cos(0.5*t)", "--steps=1000", "--engine=memory"
    study = result_of("converge", "c.h5", *data, "--refine=cells", "--levels=1e2,1e3,1e4,1e8,1e9", "--reference=cells-inf")
    words, fit = page_of(study).words, Study(study).fit
    assert "(study 1). Up to 224 cells" in words and "10⁴ cells, the last number that is added" in words
    assert f"P = 250 differs from P = ∞ by {measured(fit['floor'] / 10)}," in words
    many, all_cells = (Run(result_of("simulate", "r.h5", *data, f"--cells={cells}", "--sample-every=1")).y
                       for cells in (2**50, "inf"))
    assert fit["floor_y"] == 10 * np.abs(many - all_cells).max() > 0
