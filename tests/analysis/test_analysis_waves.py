"""Studies of chains of slabs: what their page says of the model, the levels and the orders, against the file's numbers
and, where all is smooth, against the order two of the leapfrog scheme."""

import csv
import io
import re

import h5py
import numpy as np
import pytest

import gallery
import masing as package
import report
from html_page import Page
from masing.convergence.figures import study_figure
from masing.notation import scientific
from masing.results import Study, read

# A chain of the length 1 and the mass 1, whose base begins to move smoothly.
CHAIN = ("--model=masing-chain", "--set=n=20", "--set=m=i<n ? 1/n : 0.5/n", "--set=k=n", "--set=eta=1/n", "--cells=inf",
         "--threshold=s")
SHAKEN = "--base-acceleration=3.6*sin(1.5*t)^3*cos(1.5*t)"
WAVE = (*CHAIN, SHAKEN, "--final-time=0.95")
LEVELS = (40, 80, 160, 320, 640)
IN_N = ("--refine=elements", "--levels=" + ",".join(f"{n}:{2 * n}" for n in LEVELS), "--field-samples=40",
        "--reference=successive")
QUANTITIES = ["x", "y", "x_rms", "y_rms"]


@pytest.fixture(scope="module")
def study(made, tmp_path_factory):
    """A study of the number of elements, without an expected order."""
    return made("converge", tmp_path_factory.mktemp("waves") / "wave.h5", *WAVE, *IN_N)


def test_a_study_of_elements_has_their_numbers_and_the_errors_of_the_nodes(study):
    found = read(study)
    assert isinstance(found, Study) and found.quantities == QUANTITIES and found.verdict == "not judged"
    assert tuple(found.level_elements) == LEVELS and np.allclose(found.dt, 0.475 / np.array(LEVELS), rtol=1e-15)
    for q in QUANTITIES:
        assert found.order(q)[0] == pytest.approx(2, abs=0.02)  # the next term of the error is of order h⁴
    with pytest.raises(package.MasingError, match="measures x, y, x_rms, y_rms"):
        found.order("u")
    table = found.table()
    assert list(table)[:5] == ["n", "P", "N", "h", "δt"] and list(table["n"]) == list(LEVELS)
    assert np.array_equal(table["h"], 1 / np.array(LEVELS)) and np.isinf(table["P"].astype(float)).all()
    assert np.array_equal(table["error of y in the mean square"], found.errors["y_rms"], equal_nan=True)
    assert "h = 1/n" in study_figure(found, QUANTITIES).axes[0].get_xlabel()


def test_its_page_shows_the_chain_and_its_levels_without_u(page_of, study):
    page, found = page_of(study), Study(study)
    for said in ("No order in h and δt was expected", "1 of 1 study not judged", "A chain of n masses",
                 "mi yi′ = Fi(t) − mi ag(t)", "fj = kj ∫01 k(s) uj(t, s) ds", "x0 = 0", "n 40…640", "P = ∞",
                 "N 80…1280", "x in the mean square y in the mean square verdict", "over δt = 0.475 h, where h = 1/n",
                 "at the nodes that the level and its reference have in common", "velocity Verlet", "error ≈ C (δtᵖ"):
        assert said in page.words, said
    for unsaid in ("resolvent", "error of u", "columns of the state", "(3.8)", "cj", "cground"):
        assert unsaid not in page.words, unsaid
    for n, h, error in zip(LEVELS, 1 / np.array(LEVELS), found.errors["x"][:-1]):
        assert f"{n} ∞ {2 * n} {scientific(h)} {scientific(0.475 * h)} {scientific(error)}" in page.words


def test_its_tables_are_files(run_script, undrawn, study, tmp_path):
    output = tmp_path / "page.html"
    assert run_script(report, study, "--files-only", "-o", output)[0] == 0
    folder, found = tmp_path / "page-files", Study(study)
    rows = list(csv.DictReader(io.StringIO((folder / "wave-levels.csv").read_text(encoding="utf-8"))))
    assert [int(row["n"]) for row in rows] == list(LEVELS)
    assert [float(row["error of x in the mean square"]) for row in rows[:-1]] == list(found.errors["x_rms"][:-1])
    assert "e(y, rms) & order" in (folder / "wave-levels.tex").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((folder / "wave-orders.csv").read_text(encoding="utf-8"))))
    assert [row["quantity"] for row in rows] == ["x", "y", "x in the mean square", "y in the mean square"]
    assert {row["verdict"] for row in rows} == {"not judged"}


def test_beside_a_slab_a_chain_adds_its_columns_and_an_expected_order_is_judged(page_of, study_file, result_of):
    judged = result_of("converge", "judged.h5", *WAVE, *IN_N, "--expect-order=2")
    words = page_of(study_file, judged).words
    assert "x y u x in the mean square y in the mean square verdict" in words and "2 of 2 studies as expected" in words
    assert re.search(r"Order two in h and δt: x (2\.00|1\.99)", words)


@pytest.mark.parametrize("words, said", [
    ((SHAKEN, "--refine=steps", "--levels=40,80,160"), ["Order two in δt: ", "∞ 40 0 ", "2 ± 0.1"]),
    ((SHAKEN, "--refine=cells", "--levels=20,40,80", "--steps=100", "--reference=cells-inf"),
     ["in δs", "20 100 5.000e-02"]),
    ((SHAKEN, "--refine=steps", "--levels=100,200", "--set=c=0.01", "--set=c_ground=0.1/n", "--set=k0=n",
      "--force=0.01*t^3", "--expect-order=none"), ["− cground,i yi + fi+1", "fj = k0,j dj + cj dj′ + kj ∫", "F(t)0.01*t^3"]),
    (("--refine=steps", "--levels=100,200", "--set=base_impedance=1.5", "--set=base_mass=0.5/n",
      "--incoming-velocity=0.1*t^3", "--force-node=3", "--expect-order=none"),
     ["absolute, on a base that absorbs", "m0 y0′ = cb (2 v(t) − y0) + f1", "v(t)0.1*t^3", "force-node3"])])
def test_a_page_shows_what_a_chain_has(page_of, result_of, words, said):
    chain = [word for word in CHAIN if word != "--cells=inf" or "--refine=cells" not in words]
    found = page_of(result_of("converge", "chain.h5", *chain, "--final-time=0.95", *words)).words
    for text in said:
        assert text in found, text


def test_pages_of_runs_and_scans_of_chains(page_of, result_of):
    run = result_of("simulate", "run.h5", *WAVE, "--steps=200", "--watch=1,20", "--energy", "--field-every=50")
    scan = result_of("scan", "scan.h5", *CHAIN, "--force=0.05*sin(w*t)", "--over=w=1,2,3", "--final-time=20",
                     "--steps=4000")
    dissipated = package.open(run).to_dataframe()["dissipated"]  # over time, not that of the elements
    with h5py.File(run) as file:
        assert np.array_equal(dissipated, file["energy/dissipated"][:]) and len(dissipated) == 201
    words = page_of(run, scan).words
    assert words.count("A chain of n masses") == 1 and "3 of 3 runs are by N = 4000 steps at P = ∞" in words
    assert package.open(run).plot_cycle().get_ylabel() == "restoring force fᵢ − fᵢ₊₁"


def test_a_group_of_waves_has_the_orders_of_both_norms(run_script, tmp_path, undrawn, made):
    case = tmp_path / "wave.ini"
    lines = [word.removeprefix("--").replace("=", " = ", 1) for word in (*WAVE, *IN_N)]
    parameters = [line.removeprefix("set = ").replace("=", " = ", 1) for line in lines if line.startswith("set")]
    others = [line for line in lines if not line.startswith("set")]
    case.write_text("\n".join(["# A wave that runs into a chain. It is smooth.", "# group: Waves", *others, "[model]",
                               *parameters]), "utf-8")
    made("converge", tmp_path / "wave.h5", "--config", case)
    code, _, err = run_script(gallery, case, "--results", tmp_path, "--files-only")
    assert (code, err) == (0, "")
    words = Page((tmp_path / "index.html").read_text(encoding="utf-8")).words
    headings = "p of x C p of y C p of x in the mean square C p of y in the mean square C"
    assert re.search(headings + r" wave (2\.0|1\.9)", words)
    assert "root mean squares over the nodes" in words and "State" not in words and "exact solution" not in words
    words = Page((tmp_path / "wave.html").read_text(encoding="utf-8")).words
    assert words.count("It is smooth.") == 2  # below the title and in the case file
