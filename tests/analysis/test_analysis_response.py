"""Responses of scans: what is read of a file, which points belong to a curve, what is drawn and said; by files that the
program makes."""

import numpy as np
import pytest

from masing import response as figures
from masing.report.trajectories import _scan_facts, response_pictures
from masing.results import Scan

class Points(dict):
    """What is asked of a Scan, by name and by attribute."""

    def __init__(self, numbers, **attributes):
        super().__init__(numbers)
        self.__dict__ |= attributes


GRID = ("--over", "F=0.2,0.4", "--over", "w=0.7:1.3:4", "--force", "F*cos(w*t)", "--k0=0.2", "--cells=inf")


@pytest.fixture(scope="module")
def scans(made, tmp_path_factory):
    """The files of scans by name: limit cycles, some of which lose nothing, runs with their series."""
    folder = tmp_path_factory.mktemp("scans")
    words = {"steady": (*GRID, "--steady"), "small": ("--over=F=0.01:0.5:8", "--force=F*cos(0.3*t)", "--k0=0.2",
                                                      "--cells=inf", "--steady"),
             "runs": (*GRID, "--final-time", "10*2*pi/w", "--steps=2000", "--keep=series")}
    return {name: made("scan", folder / f"{name}.h5", *options) for name, options in words.items()}


def test_each_kind_of_scan_has_its_panels(scans):
    words = {name: [what for _, what in figures.panels(Scan(file))] for name, file in scans.items()}
    assert words["steady"] == ["amplitude X over w", "phase lag φ of x behind F over w",
                               "loss a cycle ∮ f dx over the amplitude",
                               "hysteretic damping ratio ζ over the amplitude"]
    assert words["runs"] == [*words["steady"], "cycles"]
    small = Scan(scans["small"])
    without = np.count_nonzero(small["amplitude"] <= 0.1)  # the least threshold
    assert without and words["small"][2].endswith(f"over the amplitude; not drawn: {without} of 8 cycles, without loss")
    drawn = figures.response_figure(small)
    assert len(drawn.axes[2].lines[0].get_xdata()) == 8 - without


def test_curves_are_the_numbers_of_the_file(scans):
    scan = Scan(scans["steady"])
    square = Points({"w": [1, 2], "F": [3, 4], "sample": [1, 2, 3]}, parameters=["w", "F", "sample"])
    assert Scan.abscissa(square) == "F"  # the last of two with as many values
    assert scan.abscissa() == "w" and len(scan.families("F")) == 4
    assert [(others, list(indices)) for others, indices in scan.families("w")] == [
        ({"F": 0.2}, [0, 1, 2, 3]), ({"F": 0.4}, [4, 5, 6, 7])]
    axes = figures.response_figure(scan).axes
    assert [line.get_label() for line in axes[0].lines] == ["F = 0.2", "F = 0.4"]
    assert np.array_equal(axes[0].lines[1].get_xydata(), np.c_[scan["w"], scan["amplitude"]][4:])
    assert [len(line.get_xdata()) for each in axes[2:] for line in each.lines] == [4] * 4
    for phase, name in (([np.nan, 1], "amplitude"), ([np.nan, np.nan], "peak_x")):
        assert figures.size_of(Points({"phase": phase}, kind="runs")) == name
    lines = scan.plot("loss").lines
    assert [line.get_label() for line in lines] == ["w = 0.7", "w = 0.9", "w = 1.1", "w = 1.3"]
    assert np.array_equal(lines[1].get_xydata(), np.c_[[0.2, 0.4], scan["loss"][1::4]])
    # A lag about zero does not jump.
    assert np.allclose(figures._centred(np.array([0.1, 2 * np.pi - 0.1, 3.0])), [0.1, -0.1, 3.0])


def test_a_grid_has_a_map(result_of):
    words = ("--over", "F=0.2:0.4:6", "--over", "w=0.8:1.2:6", *GRID[4:], "--steady")
    grid = Scan(result_of("scan", "grid.h5", *words))
    assert figures.panels(grid)[-1][1] == "amplitude X over both parameters"
    map_axes = figures.response_figure(grid).axes[-2]
    assert (map_axes.get_ylabel(), map_axes.get_yscale()) == ("F", "linear")
    spread = Scan(result_of("scan", "spread.h5", "--over=F=0.02:2:6:log", *words[2:]))
    map_axes = figures.response_figure(spread).axes[-2]
    assert (map_axes.get_xscale(), map_axes.get_yscale()) == ("linear", "log")


def test_runs_without_a_period_show_the_largest_displacement(result_of):
    """Of either sign: the pulses are opposite."""
    scan = Scan(result_of("scan", "pulse.h5", "--over", "a=-1,1", "--force", "a*exp(-t)", "--final-time=20",
                          "--steps=2000", "--keep=series"))
    (curve,) = figures.response_figure(scan).axes[0].lines
    assert np.allclose(curve.get_ydata(), [np.abs(x).max() for x, _ in scan.cycles], rtol=1e-12)
    assert (curve.get_ydata() > 1.3 * scan["amplitude"]).all()
    assert response_pictures(scan)[0].caption == "Max |x| over a (pulse.h5). 2 of 2 runs."


def test_limit_cycles_are_as_closed_as_the_worst_that_was_found():
    scan = Points({"residual": np.array([1e-13, -4e-12, 1.0]), "settled": np.array([1e-9, 2e-3, 1.0])}, kind="steady",
                  done=np.array([True, True, False]))
    assert _scan_facts(scan) == ("2 of 3 limit cycles, each closed to 4·10⁻¹² of its range; not settled, as the "
                                 "motion still changes: 1.")


def test_a_report_has_a_section_on_scans(scans, page_of):
    words = page_of(scans["steady"]).words
    assert "Responses Responses Amplitude X over w (steady.h5). 8 of 8 limit cycles, each closed to " in words
    assert "masing reproduce steady.h5" in words
    assert "k₀0.2k(s)1η(s)s+0.1F(t)F*cos(w*t)T500" in words
