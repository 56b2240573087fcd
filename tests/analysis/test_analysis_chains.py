"""Chains from Python and on pages: their tables, and what the pictures say about them."""

import cycles
import matplotlib
import numpy as np
import pytest

from masing import style
from masing.report import chains
from masing.report.trajectories import energy_picture
from masing.results import Run
from test_analysis_mistakes import one_line

# Five masses between a base that absorbs and a free end.
CHAIN = ("--model=masing-chain", "--set=n=5", "--set=m=i<n ? 1 : 0.5", "--set=k=4", "--set=k0=0.1", "--set=base_impedance=2",
         "--set=base_mass=0.5", "--threshold=s", "--cells=inf", "--final-time=20", "--steps=4000", "--sample-every=10",
         "--field-every=100", "--energy")


@pytest.fixture(scope="module")
def chain_run(made, tmp_path_factory):
    """A chain under a pulse, of which nodes and elements are watched in an order of their own."""
    folder = tmp_path_factory.mktemp("chain")

    def run(name, amplitude):
        return Run(made("simulate", folder / name, *CHAIN, "--watch=5,0,2,3", f"--let=a={amplitude}",
                        "--incoming-velocity=a*sin(t)^3*exp(-0.1*t)"))
    return [run("strong.h5", 0.5), run("weak.h5", 0.05)]


def test_the_tables_of_a_chain_have_the_numbers_of_its_file(chain_run):
    run = chain_run[0]
    profile, watch = run.profile, run.watch
    assert list(profile.index) == [0, 1, 2, 3, 4, 5] and profile.loc[0].isna().sum() == 3  # the base has no element
    assert profile["max_force"][3] == run["profile/max_force"][3]
    # The extremes are those of every step, the rows of /watch those of every tenth.
    for column, name in (("x", "max_x"), ("a", "max_a"), ("elongation", "max_elongation"), ("force", "max_force")):
        sampled = watch[column][3].abs().max()
        assert 0.98 * profile[name][3] <= sampled <= profile[name][3]
    assert list(watch["x"].columns) == [5, 0, 2, 3] and watch.index.name == "t"
    assert np.array_equal(watch["force"][3], run["watch/force"][:, 3])
    # A node and the element below it: d_3 = x_3 - x_2.
    assert np.allclose(watch["elongation"][3], watch["x"][3] - watch["x"][2], atol=1e-15)
    assert watch["force"][0].isna().all()
    profile.loc[0] = watch.iloc[0] = 0  # what a user changes is a copy
    assert np.isnan(run["profile/max_force"][0])


def test_all_arrays_of_a_chain_have_their_axes(chain_run):
    pytest.importorskip("xarray")
    data = chain_run[0].to_xarray()
    assert data["watch_x"].dims == ("watch_t", "watch_node") and data["field_x"].dims == ("field_t", "field_node")
    assert data["max_x"].dims == ("profile_node",) and data["x"].dims == ("t",)
    # The force acts on the last node, whose samples are in /series, too.
    assert np.array_equal(data["watch_x"].sel(watch_node=5), np.interp(data["watch_t"], data["t"], data["x"]))


def test_pictures_show_the_waves_the_extremes_and_the_loops(chain_run):
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        pictures = {picture.name: picture for picture in chains.chain_pictures(chain_run)}
    assert list(pictures) == [f"{name}-{kind}" for kind in ("wave", "extremes", "loops")
                              for name in ("strong", "weak")]
    image = pictures["strong-wave"].figure.axes[0].collections[0]
    x = chain_run[0]["field/x"].T
    assert np.array_equal(image.get_array().reshape(6, -1), x - x[0])  # without the drift of the base
    assert "x less that of node 0, up to" in pictures["strong-wave"].caption
    curves = [axes.lines[0].get_xydata() for axes in pictures["strong-extremes"].figure.axes]
    assert np.array_equal(curves[3], np.c_[chain_run[0]["profile/max_force"], range(6)], equal_nan=True)
    loops = {axes.lines[0].get_label(): axes.lines[0].get_xydata() for axes in pictures["strong-loops"].figure.axes}
    assert list(loops) == ["element 2", "element 3", "element 5"]
    assert np.array_equal(loops["element 2"], chain_run[0].watch.xs(2, axis=1, level="node")[["elongation", "force"]])
    # Every figure is as wide as the column that it is printed in.
    assert {picture.figure.get_size_inches()[0] for picture in pictures.values()} == {style.PANEL[0]}
    for axes in pictures["strong-extremes"].figure.axes:
        shown = [place for place in axes.get_xticks() if axes.get_xlim()[0] <= place <= axes.get_xlim()[1]]
        assert len(shown) == 2 and shown[0] == 0


def test_the_energies_of_a_chain_are_shown_from_the_start(chain_run):
    stored = energy_picture(chain_run[0]).figure.axes[1]
    assert all(np.array_equal(line.get_xdata(), chain_run[0].t) for line in stored.lines) and stored.get_xlim()[0] == 0


def test_a_page_has_a_section_on_chains_and_no_cycles_of_them(page_of, chain_run):
    page = page_of(*(run.path for run in chain_run))
    assert {"chains", "time"} <= set(page.ids) and "cycles" not in page.ids
    assert "a*sin(t)^3*exp(-0.1*t)" in page.seen["problem-1"]
    assert "work of F and of the base" in page.seen["time"] and "by damping" not in page.seen["time"]
    assert page.seen["chains"].count("force over elongation of elements 2, 3 and 5") == 2


def test_no_cycle_is_drawn_of_a_node(run_script, chain_run, tmp_path):
    for options in ([], ["--analysis"]):
        answer = run_script(cycles, chain_run[0].path, *options, "-o", tmp_path / "out.png")
        one_line(answer, "strong.h5: is of a chain", "report.py draws the loops of the elements")
