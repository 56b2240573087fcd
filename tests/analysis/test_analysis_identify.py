"""Models are read off cycles that were made with known ones."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.signal import lfilter

import identify
from masing.cycles.curves import Measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.identification.continuous import identify_continuous
from masing.identification.discrete import identify_discrete
from masing.identification.findings import _of_elements, compare
from masing.identification.identify import identify as identify_curve
from masing.notation import percent
from masing.results import Run
from oracle import TABLES, continuum, drive, noisy, one_cycle, write_csv
from test_analysis_mistakes import one_line

MIDDLES = (np.arange(4000) + 0.5) / 4000


def half_cycle(x, force):
    return widest_half_cycle(Measured(Path("curve"), None, x, force))


def continuous(x, force, threshold):
    return identify_continuous(Path("curve"), half_cycle(x, force), MIDDLES, threshold(MIDDLES))


def test_elements_that_do_not_yield_are_in_k0_and_corners_known_to_the_gaps_about_them_and_the_reversal():
    x = one_cycle(3.5, 3000)
    found = identify_discrete(Path("c"), half_cycle(x, drive(x, np.arange(1.0, 6), np.ones(5), k0=0.25)))
    np.testing.assert_allclose(found.elements.threshold, [1, 2, 3], atol=1e-9)
    assert found.k0 == pytest.approx(2.25, abs=1e-9)
    x = np.r_[np.linspace(0, 3, 301)[:-1], np.linspace(3, -3, 601)[:-1], np.linspace(-3, 3, 601)]
    found = identify_discrete(Path("c"), half_cycle(x, drive(x, np.array([1.003]), np.array([1.0]), k0=0.5)))
    np.testing.assert_allclose(found.threshold_width, 0.01 / 2 + 0.01 / 2, rtol=1e-6)


def test_a_corner_by_regression_is_not_known_better_than_the_reversal():
    # No sample within 0.2 of the lower reversal, which may so lie up to there; elsewhere the gaps are 0.01. Hundreds of
    # samples on either side of the corner have noise of 4e-4.
    way = np.linspace(-3, 3, 601)
    x = np.r_[way[::-1][:-20], -3, way[20:]]
    force = drive(np.r_[np.linspace(0, 3, 301)[:-1], x], np.array([1.003]), np.array([1.0]), k0=0.5)[300:]
    found = identify_discrete(Path("c"), half_cycle(x, noisy(force, 1e-4, 3)))
    assert not found.exact and len(found.threshold_width) == 1
    assert 0.2 / 2 < found.threshold_width[0] < 0.2 / 2 + 0.01 + 0.01


def test_the_half_width_of_a_corner_is_no_wider_than_the_scatter_over_seeds():
    x = one_cycle(3, 2000)
    force = drive(x, np.array([1.0]), np.array([1.0]), 0.5)
    found = [identify_discrete(Path("c"), half_cycle(x, noisy(force, 0.03, seed))) for seed in range(12)]
    scatter = np.std([each.elements.threshold[0] for each in found], ddof=1)
    assert np.mean([each.threshold_width[0] for each in found]) / 1.96 < 1.6 * scatter


def test_the_whole_unloading_half_is_compared():
    x = 2 * np.cos(np.linspace(0, 2 * np.pi, 2001))
    force = drive(np.r_[np.linspace(0, 2, 100)[:-1], x], np.array([0.5, 1.0]), np.array([1.0, 2.0]))[99:]
    found = identify_discrete(Path("c"), half_cycle(x, force))
    run = SimpleNamespace(x=np.r_[x[1000:], x[1:1001]], restoring=np.r_[force[1000:], force[1:1001]])
    force[100] += 0.1 * np.ptp(force)  # in the upper half
    compared = compare(found, half_cycle(x, force), run)
    assert len(compared.unloading[0]) == 1001 and compared.largest < 1e-9
    assert compared.unloading_largest == pytest.approx(0.1)


@pytest.mark.first(1)
@pytest.mark.parametrize(("name", "seed"), [("V", 1), ("IV", 1), ("IV", 2), ("V", 2)])
def test_five_elements_are_found_in_one_percent_of_noise(name, seed):
    threshold, stiffness, _ = (np.array(each) for each in TABLES[name])
    x = one_cycle(1.3 * threshold[-1], 2000)
    force = drive(x, threshold, stiffness)
    found = identify_discrete(Path("noisy"), half_cycle(x[2000:], noisy(force, 0.01, seed)[2000:]))
    rise = slice(np.argmin(x), None)
    off = found.start_force + found.elements.branch(x[rise] - x.min()) - force[rise]
    assert not found.exact and len(found.elements.stiffness) == 5 and np.abs(off).max() < 0.01 * np.ptp(force)
    assert np.all(np.abs(found.elements.threshold - threshold) < 2.5 * found.threshold_width)


CONTINUA = {"affine": (lambda s: s + 0.1, lambda s: 1.0), "curved": (lambda s: 0.2 + 0.5 * s**2, lambda s: 2 - s),
            "falling": (lambda s: 1.1 - s, lambda s: 1 + 0.5 * np.sin(3 * s))}


@pytest.mark.parametrize("name", CONTINUA)
def test_the_density_of_1500_cells_is_found(name):
    threshold, stiffness = CONTINUA[name]
    x = one_cycle(1.5, 1200)
    found = continuous(x, drive(x, *continuum(threshold, stiffness)), threshold)
    assert found.known.all() and found.k0 < 1e-6
    assert np.abs(found.stiffness - stiffness(MIDDLES))[200:-200].max() < 1e-3


def test_another_threshold_gives_another_density_and_a_small_cycle_leaves_cells_unknown():
    x = one_cycle(1.5, 1200)
    force = drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0))
    found = continuous(x, force, lambda s: 0.1 + s**2)
    # k ds = k dη/η': the density over η is 1 in both.
    assert np.abs(found.stiffness - 2 * MIDDLES)[MIDDLES > 0.1][:-200].max() < 3e-3
    x = one_cycle(0.6, 1200)
    found = continuous(x, drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0)), lambda s: s + 0.1)
    assert found.known.mean() == pytest.approx(0.5, abs=1e-3)
    assert found.k0 + found.elements.stiffness[~found.known].sum() == pytest.approx(0.5, abs=2e-3)


def test_an_unloading_from_inside_a_branch_is_not_pooled():
    x = np.r_[np.linspace(0.5, -2, 2000), np.linspace(-2, 0.5, 2000)[1:]]  # begins at u = 0.5, inside of [-1, 1]
    record = noisy(drive(x, np.array([1.0]), np.array([1.0])), 0.01, 3)
    found = identify_discrete(Path("half"), half_cycle(x, record))
    assert not found.branch.with_unloading and len(found.elements.stiffness) == 1
    assert found.elements.threshold[0] == pytest.approx(1, abs=0.02)


def test_the_misfit_of_a_quarter_of_the_samples_has_half_its_size_for_rms():
    x = one_cycle(3.5, 3000)
    half = half_cycle(x, drive(x, np.arange(1.0, 6), np.ones(5), k0=0.25))
    bump = np.where(np.arange(len(half.x)) < len(half.x) // 4, 0.1, 0.0)
    run = SimpleNamespace(x=np.r_[half.x, half.x[::-1][1:]], restoring=np.r_[half.force + bump, -half.force[1:]])
    found = compare(identify_discrete(Path("c"), half), half, run)
    assert (found.largest, found.mean) == pytest.approx(np.array([0.1, 0.05]) / np.ptp(half.force), rel=1e-3)
    assert found.unloading_largest < 1e-3
    # The residual is 0.1 in a quarter and 0 elsewhere: of 3000 pairs of neighbours one differs.
    assert found.correlation == pytest.approx(1, abs=5e-3)
    run.restoring = np.r_[noisy(half.force, 1e-3, 2), -half.force[1:]]
    assert compare(identify_discrete(Path("c"), half), half, run).correlation == 0


def test_elements_that_a_smooth_curve_could_replace_are_said_to_be_such():
    x = one_cycle(1.5, 300)
    force = drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0))
    smooth = identify_discrete(Path("c"), half_cycle(x, noisy(force, 0.01, 6)))
    assert smooth.is_smooth and "a smooth curve explains the branch" in " ".join(_of_elements(smooth, ""))
    corners = identify_discrete(Path("c"), half_cycle(x, noisy(drive(x, np.array([0.5, 1.0]), np.ones(2)), 0.01, 6)))
    assert not corners.is_smooth and "smooth" not in " ".join(_of_elements(corners, ""))


def test_correlated_residuals_and_an_integral_over_a_part_of_s_are_named():
    x = one_cycle(0.6, 1200)
    force = drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0))
    white = np.random.default_rng(4).standard_normal(len(x))
    found = identify_curve((x, force + 2e-4 * lfilter([1], [1, -0.5], white)), "s+0.1")
    (said,) = [line for line in found.lines if "correlated" in line]
    correlation, factor = map(float, re.findall(r"\((.*?)\).* about (\S+) times", said)[0])
    # The correlation 0.5 is known to √((1 - 0.5²)/1200) = 0.025.
    assert correlation == pytest.approx(0.5, abs=0.1)
    assert factor == pytest.approx(np.sqrt((1 + correlation) / (1 - correlation)), rel=0.05)
    # Half of s yields; the rest is one spring with k0, whose stiffness is 1/2.
    (line,) = [line for line in found.lines if "k0 + ∫k ds over all other s" in line]
    value, width = map(float, line.split()[-2:])
    assert abs(value - 0.5) < 3 * factor * width and np.isnan(found.numbers["k0_halfwidth_95"])


def test_a_run_of_the_program_gives_a_case_that_runs_like_it(run_script, result_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    threshold, stiffness, amplitude = TABLES["IV"]
    run = ["--force", f"{amplitude}*cos(0.5*t)", "--final-time", "60", "--steps", "60000", "--sample-every", "7",
           "--from", "0", "--to", "60"]
    model = ["--model", "discrete-masing", "--set", "k=1,1,1,1,1", "--set", "eta=1,2,3,4,5"]
    result_of("simulate", "measured.h5", *model, *run)
    code, out, err = run_script(identify, "measured.h5", "--from", "20")
    assert (code, err) == (0, "") and "5 elements" in out
    found = json.loads(Path("measured-identified.json").read_text())
    np.testing.assert_allclose(found["eta"], threshold, atol=1e-8)
    np.testing.assert_allclose(found["k"], stiffness, atol=1e-8)
    assert found["k_halfwidth_95"] == [0] * 5 and min(found["eta_halfwidth_95"]) > 0 and found["k0_halfwidth_95"] == 0
    assert found["misfit_max"] < 1e-3 and found["misfit_max_unloading"] < 1e-3
    assert Path("measured-identified.png").stat().st_size > 10000
    result_of("simulate", "again.h5", "--config", "measured-identified.ini", *run, "--mass", "1")
    np.testing.assert_allclose(Run("again.h5").x, Run("measured.h5").x, atol=1e-8)


def test_outputs_are_replaced_by_those_of_another_model_and_all_or_none(run_script, tmp_path):
    x, out = one_cycle(1.5, 400), tmp_path / "out.ini"
    kinds = [((eta, np.ones(len(eta))), words) for eta, words in (
        (np.array([0.5, 1.0]), ()), (np.array([0.8]), ()), (np.linspace(0.1, 1.1, 400), ("--threshold", "s+0.1")))]
    for n, (model, words) in enumerate([*kinds, kinds[0]]):
        path = write_csv(tmp_path / f"lab{n}.csv", "x,force", x, drive(x, *model))
        code, printed, err = run_script(identify, path, *words, "-o", out)
        assert (code, err) == (0, "") and printed.splitlines()[:-1] == out.with_suffix(".txt").read_text().splitlines()
        assert json.loads(out.with_suffix(".json").read_text())["cycle"] == path.name
    # A file of the user's, under the name that is written last: nothing is replaced.
    out.with_suffix(".txt").write_text("my notes\n")
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    one_line(run_script(identify, tmp_path / "lab1.csv", "-o", out), "out.txt: is there already")
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_csv_gives_a_density_that_runs_like_it(run_script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = one_cycle(1.5, 1200)
    write_csv("lab.csv", "x,force", x, drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0)) + 3)
    code, out, err = run_script(identify, "lab.csv", "--threshold", "s+0.1", "--figure", "page.svg")
    assert (code, err) == (0, "") and "likeliest weight" in out and "not unique" in out
    # The papers' cells lie half a cell beyond the continuum's: 1/(2P) of a range of 1.2.
    stated = json.loads(Path("lab-identified-continuous.json").read_text())
    assert stated["misfit_max"] < 1e-3
    # ∫k ds, 4∫k η (X - η) ds, and this over 2π X ∫k η ds, with X = 1.5; no force is left where all yields.
    area = 4 * (1.5 * 0.6 - (1.1**3 - 0.1**3) / 3)
    for name, true in (("k_integral", 1), ("area", area), ("damping_ratio", area / (2 * np.pi * 1.5 * 0.6))):
        assert stated[name] == pytest.approx(true, rel=1e-3) and 0 < stated[f"{name}_halfwidth_95"] < 1e-3 * true
    assert abs(stated["last_slope"]) < 1e-4 and stated["k0_halfwidth_95"] == stated["last_slope_halfwidth_95"]
    assert out.splitlines()[:-1] == Path("page.txt").read_text().splitlines() and "± (95 %)" in out
    case = Path("lab-identified-continuous.ini").read_text()
    assert "stiffness = table:lab-identified-continuous-stiffness.csv" in case
    assert Path("page.svg").read_text().startswith("<?xml")
    found = identify_curve("lab.csv", "s+0.1")
    page = found.figure()
    # A band that the line hides has no entry of its own.
    (entry,) = page.axes[1].get_legend().get_texts()
    assert re.fullmatch(r"k\(s\) for η = s\+0\.1\n± \S+ at most \(95 %\)", entry.get_text())
    assert page._suptitle.get_text() == "Identified from lab.csv"
    # The residuals of both halves are drawn; of many points at most 600.
    assert [300 <= len(axes.lines[0].get_xdata()) <= 600 for axes in page.axes[2:]] == [True, True]
    rms = np.sqrt(np.mean(found.comparison.unloading_residual**2))
    assert page.axes[3].get_title() == f"unloading: rms {percent(rms)}"
