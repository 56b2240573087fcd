"""Responses of scans: what is read of a file, which points belong to a curve, what is drawn and said; by files that the
program makes."""

import shutil
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

import report
import response
from masing import style
from masing import response as figures
from masing.report.summary import claim_of_scan
from masing.report.trajectories import response_pictures
from masing.results import Scan, read
from test_analysis_mistakes import one_line

GRID = ("--over", "F=0.2,0.4", "--over", "w=0.7:1.3:4", "--force", "F*cos(w*t)", "--k0=0.2", "--cells=inf")


@pytest.fixture(scope="module")
def scans(made, tmp_path_factory):
    """The files of scans by name: limit cycles, some of which lose nothing, runs with their series."""
    folder = tmp_path_factory.mktemp("scans")
    words = {"steady": (*GRID, "--steady"), "small": ("--over=F=0.01:0.5:20", "--force=F*cos(0.3*t)", "--k0=0.2", "--cells=inf", "--steady"),
             "runs": (*GRID, "--final-time", "10*2*pi/w", "--steps=2000", "--keep=series")}
    return {name: made("scan", folder / f"{name}.h5", *options) for name, options in words.items()}


def test_each_kind_of_scan_has_its_panels(scans):
    words = {name: [what for _, what in figures.panels(Scan(file))] for name, file in scans.items()}
    assert words["steady"] == ["amplitude X over frequency w", "phase lag φ of x behind F over frequency w",
                               "loss a cycle ∮ f dx over the amplitude",
                               "hysteretic damping ratio ζ over the amplitude"]
    assert words["runs"] == [*words["steady"], "cycles"]
    small = Scan(scans["small"])
    without = np.count_nonzero(small.values("amplitude") <= 0.1)  # the least threshold
    assert without and words["small"][2].endswith(f"over the amplitude; not drawn: {without} of 20 cycles, without loss")
    drawn = figures.response_figure(small)
    assert len(drawn.axes[2].lines[0].get_xdata()) == 20 - without
    assert drawn.get_size_inches()[0] == style.PANEL[0]  # The figure is one column wide.


def test_curves_are_the_numbers_of_the_file(scans):
    scan = Scan(scans["steady"])
    assert scan.abscissa() == "w" and len(scan.families("F")) == 4
    assert [(others, list(indices)) for others, indices in scan.families("w")] == [
        ({"F": 0.2}, [0, 1, 2, 3]), ({"F": 0.4}, [4, 5, 6, 7])]
    axes = figures.response_figure(scan).axes
    assert [each.get_legend() is not None for each in axes] == [True, False, False, False]
    assert [line.get_label() for line in axes[0].lines] == ["F = 0.2", "F = 0.4"]
    assert np.array_equal(axes[0].lines[1].get_xydata(), np.c_[scan.axes["w"], scan.values("amplitude")][4:])
    assert [len(line.get_xdata()) for each in axes[2:] for line in each.lines] == [4] * 4
    assert all(line.get_markevery() is None for each in axes for line in each.lines)
    # A lag about zero does not jump.
    assert np.allclose(figures._centred(np.array([0.1, 2 * np.pi - 0.1, 3.0])), [0.1, -0.1, 3.0])


def test_a_grid_has_a_map(result_of):
    words = ("--over", "F=0.2:0.4:6", "--over", "w=0.8:1.2:6", *GRID[4:], "--steady")
    grid = Scan(result_of("scan", "grid.h5", *words))
    assert figures.panels(grid)[-1][1] == "amplitude X over both parameters"
    assert figures.response_figure(grid).axes[-2].get_ylabel() == "F"
    assert figures.response_figure(grid).axes[-2].get_yscale() == "linear"
    spread = Scan(result_of("scan", "spread.h5", "--over=F=0.02:2:6:log", *words[2:]))
    map_axes = figures.response_figure(spread).axes[-2]
    assert (map_axes.get_xscale(), map_axes.get_yscale()) == ("linear", "log")


def test_the_small_ones_of_two_decades_of_amplitudes_are_seen(result_of, scans):
    words = ("--over", "F=0.005,0.5", "--over", "w=0.7:1.3:4", *GRID[4:], "--damping=0.1", "--steady")
    wide, narrow = (figures.response_figure(scan).axes for scan in (Scan(result_of("scan", "wide.h5", *words)),
                                                                    Scan(scans["steady"])))
    assert [axes[0].get_yscale() for axes in (wide, narrow)] == ["log", "linear"]
    assert [axes[1].get_yscale() for axes in (wide, narrow)] == ["linear"] * 2
    assert wide[0].get_ylim()[0] <= min(line.get_ydata().min() for line in wide[0].lines)


@pytest.mark.parametrize("more, label, scale", [
    (("--over=k0=0:0.5:12",), "k0", "linear"), (("--over=k0=0.01:1:12:log",), "k0", "log"),
    (("--over=k0=0:0.5:4", "--over=a=1,2,3", "--threshold", "s+0.1*a"), "number of curve, by k0, a", "linear")])
def test_many_curves_have_a_scale_of_colours(result_of, more, label, scale):
    scan = Scan(result_of("scan", "many.h5", "--over=F=0.05:1:20", "--force=F*cos(t)", "--final-time=20", "--steps=200",
                          *more, "--cells=inf"))
    axes, bar = figures.response_figure(scan).axes[:2]
    assert axes.get_legend() is None and (bar.get_ylabel(), bar.get_yscale()) == (label, scale)
    colours = [line.get_color() for line in axes.lines]
    # The values are equidistant, or in geometric progression.
    assert np.allclose(colours, style.SEQUENCE(np.linspace(0, 1, 12)))
    values = scan.values("k0") if label == "k0" else [1, 12]
    assert np.allclose(bar.get_ylim(), (min(values), max(values)))


@pytest.mark.parametrize("name", ["steady", "runs"])
def test_the_script_draws_and_names_its_picture(scans, run_script, tmp_path, name):
    out = tmp_path / f"{name}.svg"
    assert run_script(response, scans[name], "-o", out) == (0, f"{out}\n", "")
    assert out.read_bytes().startswith(b"<?xml")
    one_line(run_script(response, scans[name], "--over=v"), "no axis v")


def test_runs_without_a_period_show_the_largest_displacement(result_of):
    """Of either sign: the pulses are opposite."""
    scan = Scan(result_of("scan", "pulse.h5", "--over", "a=-1,1", "--force", "a*exp(-t)", "--final-time=20",
                          "--steps=2000", "--keep=series"))
    (curve,) = figures.response_figure(scan).axes[0].lines
    assert np.allclose(curve.get_ydata(), [np.abs(x).max() for x, _ in scan.cycles], rtol=1e-12)
    assert (curve.get_ydata() > 1.3 * scan.values("amplitude")).all()
    assert f": max |x| from {min(curve.get_ydata()):.4g} to " in response_pictures(scan)[0].caption


def test_the_map_of_runs_without_a_period_is_of_the_largest_displacement(result_of):
    scan = Scan(result_of("scan", "map.h5", "--over", "a=-1:1:6", "--over=k0=0.1:1:6", "--force", "a*exp(-t)",
                          "--final-time=2", "--steps=50", "--keep=series"))
    assert figures.panels(scan)[-2][1] == "max |x| over both parameters"
    (bar,) = [axes for axes in figures.response_figure(scan).axes if axes.get_ylabel() == "max |x|" and axes.collections]
    largest = [np.abs(x).max() for x, _ in scan.cycles]
    assert np.allclose(bar.get_ylim(), (min(largest), max(largest)), rtol=1e-12)


def test_limit_cycles_are_as_closed_as_the_worst_that_was_found():
    scan = SimpleNamespace(kind="steady", kind_in_words="limit cycles", settings={"cells": "inf"},
                           done=np.array([True, True, False]),
                           values={"residual": np.array([1e-13, -4e-12, 1.0])}.get)
    assert claim_of_scan(scan).startswith("2 of 3 limit cycles of the exact solution at P = ∞")
    assert claim_of_scan(scan).endswith(" each closed to 4·10⁻¹² of its range.")
    scan.kind, scan.kind_in_words, scan.engine = "runs", "runs", "sweep"
    for steps, words in (("800", "N = 800 steps"), ("record", "steps, as many as each point’s record says")):
        scan.settings["steps"] = steps
        assert f"2 of 3 runs are by {words} at P = ∞;" in claim_of_scan(scan)


def test_a_report_has_a_section_on_scans(scans, result_of, page_of, run_script, tmp_path):
    words = page_of(scans["steady"]).words
    assert words.startswith("Responses Responses 8 of 8 limit cycles of the exact solution at P = ∞, by shooting")
    assert "8 limit cycles for F in [0.2, 0.4] and w in" in words and "steady.h5 – – " in words.partition("Files: cost")[2]
    assert "masing reproduce steady.h5" in words and "Not tested: values between" in words
    assert " of its range. Figure 1. Amplitude X over frequency w." in words and "Figure 5" not in words
    # --cycles alone is enough, and beside a scan both are on the first screen.
    run = result_of("simulate", "a.h5", "--cells=5", "--steps=2000", "--final-time=20")
    assert run_script(report, "--cycles", run, "--files-only", "--page-only")[1] == f"{tmp_path / 'a.html'}\n"
    words = page_of(scans["steady"], "--cycles", run).words
    assert "of its range. Figure 1. Left: Hysteresis cycle of P = 5. Right: Amplitude X over" in words
    one_line(run_script(report, "-o", tmp_path / "page.html"), "no file is given")
    pictures = response_pictures(read(scans["steady"]))
    assert len(pictures) == 4 and "F(t) = F*cos(w*t), k(s) = 1, η(s) = s+0.1, k₀ = 0.2." in pictures[0].caption
    assert all(each.figure.axes[0].get_legend() and each.alt for each in pictures)


@pytest.mark.parametrize("name", ["steady", "runs"])
@pytest.mark.filterwarnings("error")
def test_a_scan_whose_amplitudes_are_no_numbers_has_its_page(scans, page_of, tmp_path, name):
    path = shutil.copy(scans[name], tmp_path / "lost.h5")
    with h5py.File(path, "a") as file:
        for each in {"amplitude", "most_x", "least_x", "loss"} & set(file["points"]):
            file["points"][each][...] = np.nan
    assert "amplitudes from" not in page_of(path, drawn=True).words
