"""A study, what it prints and its file, and the exit codes that tell its verdict."""

import re

import h5py
import numpy as np
from result_files import study, text

STUDY = ("--final-time=10", "--cells=30", "--levels=500,1000,2000", "--field-samples=20")
QUANTITIES = ("x", "y", "u", "u_cells")


def test_the_file_holds_the_cases_and_the_conclusions(masing):
    fit = masing.study(*STUDY)
    cases, last, steps = fit["cases"], 10 / 32000, np.array([500, 1000, 2000])
    for name, expected in {"steps": steps, "cells": 30, "dt": 10 / steps, "step": 10 / steps, "ds": 1 / 30}.items():
        assert np.array_equal(cases[name], np.broadcast_to(expected, 3)), name
    for quantity in QUANTITIES:
        error, order = cases[f"error_{quantity}"], cases[f"order_{quantity}"]
        assert np.all(error > 0) and np.isnan(order[0])
        assert np.allclose(order[1:], np.log2(error[:-1] / error[1:]), rtol=0, atol=1e-12)
        assert np.all(np.abs(order[1:] - 1) < 0.1)
        assert [fit[f"{name}_{quantity}"] for name in ("observed_from", "step", "cancels")] == ["fit", "time", 0]
        assert not cases[f"mark_{quantity}"].any() and fit[f"levels_{quantity}"] == 3
        assert 0 < fit[f"order_uncertainty_{quantity}"] < 0.3 and np.isnan(fit[f"space_constant_{quantity}"])
        h, order = cases[f"step_{quantity}"], fit[f"order_{quantity}"]
        fitted = fit[f"constant_{quantity}"] * (h**order - last**order)
        assert np.allclose(cases[f"fitted_error_{quantity}"], fitted, rtol=1e-13, atol=0)
    assert (fit["verdict"], fit["verdict_x"], fit["verdict_u_cells"]) == ("as expected", "as expected", "not judged")
    assert (fit["expected_order_x"], fit["expected_at_least_x"]) == (1, 0)
    assert (fit["quantities"], fit["reference_steps"]) == ("x y u u_cells", 32000)
    assert fit["floor_y"] < fit["floor_x"]  # as the largest values of y and x
    assert fit["left_over"] == "" and masing.names() == ["study.h5"]
    for part in (" 500 ", " 2000 ", "order of x", "order of u", "as expected", "study.h5", "x(T) extrapolated",
                 "grid convergence index"):
        assert part in fit["said"]
    with h5py.File(masing.folder / "study.h5") as file:
        assert (text(file.attrs["title"]), file.attrs["has_cells"]) == ("P = 30, N = 2000", 1)
        assert dict(file["series"].attrs) == {"cells": 30, "steps": 2000}
        assert file["series/x"].shape == file["series/t"].shape and file["configuration"].attrs["papers_problem"] == 0
        timing = file["timing"]
        assert np.array_equal(timing["steps_per_second"], steps / timing["cases"][:])
        assert np.array_equal(timing["cell_updates_per_second"], timing["steps_per_second"][:] * 30)
    # Only what goes through the cells has cell-updates.
    with h5py.File(masing.made("simulate", "--engine=memory", "--cells=5", "--steps=10")) as run:
        assert np.isnan(run["timing"].attrs["cell_updates_per_second"])
        assert run["configuration"].attrs["papers_problem"] == 1 and text(run.attrs["title"]) == "P = 5, N = 10"


def test_of_many_levels_every_second_is_printed_up_to_the_last(masing):
    said = masing.done("converge", "--cells=3", "--final-time=1", "--levels=100:400:30", "--reference=successive",
                       "--quiet").stdout
    assert " 400 " in said and " 364 " in said and " 382 " not in said and "15 of 30 levels" in said


def test_a_study_of_both_writes_the_two_constants(masing):
    levels = "50:10000,100:10000,100:20000,200:20000,200:40000,400:40000"
    fit = masing.study("--refine=both", f"--levels={levels}", "--reference=exact", "--engine=memory", "--final-time=10")
    assert re.search(r"error = \(.* \+- .*\) ds \+ \(.* \+- .*\) dt for ds/dt from 10 to 20", fit["said"])
    cases, space, time = fit["cases"], fit["space_constant_x"], fit["time_constant_x"]
    assert np.all(np.abs((space * cases["ds"] + time * cases["dt"]) / cases["error_x"] - 1) < 0.1)
    assert np.array_equal(cases["step"], cases["ds"] + cases["dt"])
    assert 0 < fit["space_constant_uncertainty_x"] < abs(space)
    assert 0 < fit["time_constant_uncertainty_x"] < abs(time) and fit["self_check"] > 0
    assert np.allclose((fit["least_ratio_x"], fit["largest_ratio_x"]), (10, 20))  # δs/δt = N/PT
    fit = study(masing.made("converge", "--final-time=10", "--refine=both", "--levels=50:500,100:1000"))
    assert np.array_equal((fit["cases"]["cells"], fit["cases"]["steps"]), [[50, 100], [500, 1000]])
    assert fit["reference_cells"] == 1600


def test_a_study_without_errors_is_exact(masing):
    """Nothing yields, so that the springs are one of the same stiffness for every P."""
    fit = masing.study("--refine=cells", "--reference=cells-inf", "--levels=20,40,80", "--threshold=100",
                       "--force=cos(t)", "--final-time=10", "--steps=100")
    assert fit["verdict"] == "exact" and np.array_equal(fit["cases"]["step"], fit["cases"]["ds"])


def test_a_study_keeps_no_motion(masing):
    """Of 10¹² steps it would be 16 TB."""
    masing.done("converge", "--levels=1e12,2e12,4e12", "--cells=inf", "--engine=memory", "--reference=finest",
                "--validate-only")


def test_what_hinders_a_verdict_is_named(masing):
    """Propositions 3.1 and 4.1 ask for bounded derivatives of k, eta and u0 and for eta >= gamma > 0."""
    words = ("--refine=both", "--levels=50:2000,100:4000,200:8000", "--reference=exact", "--final-time=20",
             "--threshold=1e-9+s^(2/3)", "--force=0.45*cos(0.5*t)")
    fit, fault = masing.study(*words), "eta' is unbounded near s = 0 (exponent 0.67)"
    assert f"outside the hypotheses: {fault}; no order follows from them" in fit["said"]
    assert (fit["unmet_hypotheses"], fit["verdict"]) == (fault, "not judged")
    fit = masing.study(*words, "--expect-order=3", code=3)  # the file is whole all the same
    assert fit["verdict"] == "not as expected" and "not as expected" in fit["said"]
