"""Chains of slabs from Python and on pages: their tables, pictures and studies, against the numbers of the files and,
where all is smooth, against the order two of the leapfrog scheme."""

from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

import masing
from masing.convergence.claim import reference_text
from masing.convergence.figures import study_figure
from masing.text import scientific
from masing.report.trajectories import chain_pictures
from masing.results import Run, Study, read

# Five masses between a base that absorbs and a free end.
FIVE = ("--model=masing-chain", "--set=n=5", "--set=m=i<n ? 1 : 0.5", "--set=k=4", "--set=k0=0.1",
        "--set=base_impedance=2", "--set=base_mass=0.5", "--threshold=s", "--cells=inf", "--final-time=20",
        "--steps=4000", "--sample-every=10", "--field-every=100", "--energy")
# A chain of the length 1 and the mass 1, whose base begins to move smoothly.
CHAIN = ("--model=masing-chain", "--set=n=20", "--set=m=i<n ? 1/n : 0.5/n", "--set=k=n", "--set=eta=1/n", "--cells=inf",
         "--threshold=s")
SHAKEN = "--base-acceleration=3.6*sin(1.5*t)^3*cos(1.5*t)"
LEVELS = (40, 80, 160, 320)
QUANTITIES = ["x", "y", "x_rms", "y_rms"]


@pytest.fixture(scope="module")
def chain_run(made, tmp_path_factory):
    """A chain under a pulse, of which nodes and elements are watched in an order of their own."""
    folder = tmp_path_factory.mktemp("chain")

    def run(name, amplitude):
        return Run(made("simulate", folder / name, *FIVE, "--watch=5,0,2,3", f"--let=a={amplitude}",
                        "--incoming-velocity=a*sin(t)^3*exp(-0.1*t)"))
    return [run("strong.h5", 0.5), run("weak.h5", 0.05)]


@pytest.fixture(scope="module")
def study(made, tmp_path_factory):
    """A study of the number of elements, without an expected order."""
    return made("converge", tmp_path_factory.mktemp("waves") / "wave.h5", *CHAIN, SHAKEN, "--final-time=0.95",
                "--refine=elements", "--levels=" + ",".join(f"{n}:{2 * n}" for n in LEVELS), "--field-samples=40",
                "--reference=successive")


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
    data = run.to_xarray()
    assert data["watch_x"].dims == ("watch_t", "watch_node") and data["field_x"].dims == ("field_t", "field_node")
    # The force acts on the last node, whose samples are in /series, too.
    assert np.array_equal(data["watch_x"].sel(watch_node=5), np.interp(data["watch_t"], data["t"], data["x"]))


def test_pictures_show_the_waves_the_extremes_and_the_loops(chain_run):
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        pictures = {picture.name: picture for picture in chain_pictures(chain_run)}
    assert list(pictures) == [f"{name}-{kind}" for kind in ("wave", "extremes", "loops")
                              for name in ("strong", "weak")]
    image = pictures["strong-wave"].figure.axes[0].collections[0]
    x = chain_run[0]["field/x"].T
    assert np.array_equal(image.get_array().reshape(6, -1), x - x[0])  # without the drift of the base
    curves = [axes.lines[0].get_xydata() for axes in pictures["strong-extremes"].figure.axes]
    assert np.array_equal(curves[3], np.c_[chain_run[0]["profile/max_force"], range(6)], equal_nan=True)
    loops = {axes.lines[0].get_label(): axes.lines[0].get_xydata() for axes in pictures["strong-loops"].figure.axes}
    assert list(loops) == ["element 2", "element 3", "element 5"]
    assert np.array_equal(loops["element 2"], chain_run[0].watch.xs(2, axis=1, level="node")[["elongation", "force"]])


def test_an_element_is_named_by_its_number_on_a_fixed_base():
    values = {"n": 4, "m": 1, "k": "abs(i-3)<0.5 ? 1 : 4"}
    run = masing.simulate(model="masing-chain", set=values, threshold=9, force="sin(t)^2", cells="inf", final_time=9,
                          steps=900)
    (picture,) = [each for each in chain_pictures([run]) if each.name.endswith("extremes")]
    assert "; element 3 has the largest |d|, " in picture.caption


def test_a_page_has_a_section_on_chains_and_no_cycles_of_them(page_of, chain_run):
    page = page_of(*(run.path for run in chain_run))
    assert {"chains", "time"} <= set(page.ids) and "cycles" not in page.ids
    assert "a*sin(t)^3*exp(-0.1*t)" in page.words and "work of F and of the base" in page.words
    assert page.words.count("force over elongation of elements 2, 3 and 5") == 2


def test_a_study_of_elements_has_their_numbers_and_the_errors_of_the_nodes(study):
    found = read(study)
    assert isinstance(found, Study) and found.quantities == QUANTITIES and found.verdict == "not judged"
    assert tuple(found["elements"]) == LEVELS and np.allclose(found.dt, 0.475 / np.array(LEVELS), rtol=1e-15)
    for q in QUANTITIES:
        assert found.order(q)[0] == pytest.approx(2, abs=0.02)  # the next term of the error is of order h⁴
    table = found.levels
    assert list(table)[:5] == ["n", "P", "N", "h", "δt"] and list(table["n"]) == list(LEVELS)
    assert np.array_equal(table["h"], 1 / np.array(LEVELS)) and np.isinf(table["P"].astype(float)).all()
    assert np.array_equal(table["error of y in the mean square"], found.errors["y_rms"], equal_nan=True)
    of_chain = SimpleNamespace(has_cells=False, is_chain=True, reference="exact")
    assert reference_text(of_chain) == "the exact solution (P = ∞, N = ∞)"
    assert "h = 1/n" in study_figure(found, QUANTITIES).axes[0].get_xlabel()


def test_its_page_shows_the_chain_and_its_levels_without_u(page_of, study):
    page, found = page_of(study), Study(study)
    for said in ("n masses in series", "fj = kj ∫ k(s) uj(s) ds", "N 80…640", "over δt = 0.475 h, where h = 1/n"):
        assert said in page.words, said
    for n, h, error in zip(LEVELS, 1 / np.array(LEVELS), found.errors["x"][:-1]):
        assert f"{n} ∞ {2 * n} {scientific(h)} {scientific(0.475 * h)} {scientific(error)}" in page.words


@pytest.mark.parametrize("words, said", [
    ((SHAKEN, "--set=c=0.01", "--set=c_ground=0.1/n", "--set=k0=n", "--force=0.01*t^3"),
     ["− cgroundi yi + fi+1", "fj = k0,j dj + cj dj′ + kj ∫", "F(t)0.01*t^3"]),
    (("--set=base_impedance=1.5", "--set=base_mass=0.5/n", "--incoming-velocity=0.1*t^3", "--force-node=3"),
     ["base that absorbs", "y0′ = base_impedance (2 v − y0) + f1", "v(t)0.1*t^3", "force-node3"])])
def test_a_page_shows_what_a_chain_has(page_of, result_of, words, said):
    words = (*words, "--refine=steps", "--levels=100,200", "--expect-order=none", "--final-time=0.95")
    found = page_of(result_of("converge", "chain.h5", *CHAIN, *words)).words
    assert [text for text in said if text not in found] == []
