"""Models are read off cycles of elements clamped one by one, whose reversals lie between samples, and records of other
laws are refused."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.signal import lfilter

import identify
from masing.cycles.curves import Measured
from masing.cycles.half_cycles import turning_points, widest_half_cycle
from masing.cycles.noise import with_smooth_x
from masing.errors import DataError, MasingError
from masing.identification.continuous import identify_continuous
from masing.identification.discrete import identify_discrete
from masing.identification.findings import _of_elements, compare
from masing.identification.identify import DISCRETE
from masing.identification.identify import identify as identify_curve
from masing.identification.replay import refuse_misfit
from masing.results import Run
from oracle import SLIPS, TABLES, continuum, drive, led, noisy, one_cycle, write_csv
from outputs import one_line

MIDDLES = (np.arange(4000) + 0.5) / 4000


def half_cycle(x, force):
    return widest_half_cycle(Measured(Path("curve"), None, x, force))


def continuous(x, force, threshold):
    return identify_continuous(Path("curve"), half_cycle(x, force), MIDDLES, threshold(MIDDLES))


def identified(x, force):
    """The elements of a record which passes the test of the misfit."""
    half = half_cycle(x, force)
    found = identify_discrete(Path("record"), half)
    refuse_misfit(found, half, *DISCRETE)
    return found


def test_elements_that_do_not_yield_are_in_k0_and_corners_known_to_the_gaps_about_them_and_the_reversal():
    x = one_cycle(3.5, 3000)
    found = identify_discrete(Path("c"), half_cycle(x, drive(x, np.arange(1.0, 6), np.ones(5), k0=0.25)))
    np.testing.assert_allclose(found.elements.threshold, [1, 2, 3], atol=1e-9)
    assert found.k0 == pytest.approx(2.25, abs=1e-9)
    x = np.r_[np.linspace(0, 3, 301)[:-1], np.linspace(3, -3, 601)[:-1], np.linspace(-3, 3, 601)]
    found = identify_discrete(Path("c"), half_cycle(x, drive(x, np.array([1.003]), np.array([1.0]), k0=0.5)))
    np.testing.assert_allclose(found.threshold_width, 0.01 / 2 + 0.01 / 2, rtol=1e-6)


def test_a_corner_by_regression_is_not_known_better_than_the_reversal():
    """No sample within 0.2 of the lower reversal; elsewhere the gaps are 0.01."""
    way = np.linspace(-3, 3, 601)
    x = np.r_[way[::-1][:-20], -3, way[20:]]
    force = drive(np.r_[np.linspace(0, 3, 301)[:-1], x], np.array([1.003]), np.array([1.0]), k0=0.5)[300:]
    found = identify_discrete(Path("c"), half_cycle(x, noisy(force, 1e-4, 3)))
    assert not found.exact and len(found.threshold_width) == 1
    assert 0.2 / 2 < found.threshold_width[0] < 0.2 / 2 + 0.01 + 0.01


def test_the_half_width_of_a_corner_is_no_wider_than_the_scatter_over_seeds():
    x = one_cycle(3, 700)
    force = drive(x, np.array([1.0]), np.array([1.0]), 0.5)
    found = [identify_discrete(Path("c"), half_cycle(x, noisy(force, 0.03, seed))) for seed in range(8)]
    scatter = np.std([each.elements.threshold[0] for each in found], ddof=1)
    assert np.mean([each.threshold_width[0] for each in found]) / 1.96 < 1.6 * scatter


def test_the_whole_unloading_half_is_compared():
    x = 2 * np.cos(np.linspace(0, 2 * np.pi, 2001))
    force = drive(np.r_[np.linspace(0, 2, 100)[:-1], x], np.array([0.5, 1.0]), np.array([1.0, 2.0]))[99:]
    found = identify_discrete(Path("c"), half_cycle(x, force))
    run = SimpleNamespace(x=np.r_[x[1000:], x[1:1001]], restoring=np.r_[force[1000:], force[1:1001]])
    force[[100, 1100]] += 0.1 * np.ptp(force)  # in the upper half, and in the lower one
    compared = compare(found, half_cycle(x, force), run)
    assert len(compared.unloading[0]) == 1001 and compared.largest == pytest.approx(0.1)
    assert compared.unloading_largest == pytest.approx(0.1)
    # Measured minus computed, on both.
    assert compared.residual.max() == pytest.approx(0.1) == compared.unloading_residual.max()


def test_the_density_of_1500_cells_is_found_and_a_small_cycle_leaves_cells_unknown():
    x = one_cycle(1.5, 1200)
    for threshold, stiffness in ((lambda s: 0.2 + 0.5 * s**2, lambda s: 2 - s),
                                 (lambda s: 1.1 - s, lambda s: 1 + 0.5 * np.sin(3 * s))):
        found = continuous(x, drive(x, *continuum(threshold, stiffness)), threshold)
        assert found.known.all() and found.k0 < 1e-6
        assert np.abs(found.stiffness - stiffness(MIDDLES))[200:-200].max() < 1e-3
    # k goes on with its value at s = 1/2, and k0 is what is left of the cells that did not yield.
    x = one_cycle(0.6, 1200)
    for threshold in (lambda s: s + 0.1, lambda s: 1.1 - s):
        found = continuous(x, drive(x, *continuum(threshold, lambda s: 1 + s), k0=0.5), threshold)
        assert found.known.mean() == pytest.approx(0.5, abs=1e-3)
        assert found.stiffness[~found.known] == pytest.approx(1.5, abs=0.02)
        rest = np.where(found.known, 0, 1 + MIDDLES).mean() + 0.5
        assert found.k0 + found.elements.stiffness[~found.known].sum() == pytest.approx(rest, abs=5e-3)


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
    value, width = map(float, line.replace("±", " ").split()[-2:])
    assert abs(value - 0.5) < 3 * factor * width and np.isnan(found.numbers["k0_halfwidth_95"])


@pytest.mark.parametrize("threshold", ["s+0.1", "1.1-s"])
def test_the_integral_ends_within_the_cell_that_reaches_the_amplitude(threshold):
    """k = 1 and k0 = 0.5 on a cycle of the amplitude 0.6001, up to which 0.5 + 0.4/4000 of s yields."""
    def branch(distance):
        yielding = np.clip(distance / 2, 0.1, 1.1)
        return 0.5 * distance + yielding**2 - 0.01 + distance * (1.1 - yielding)

    amplitude = 0.6001
    x = one_cycle(amplitude, 1200)
    top, last = branch(2 * amplitude) / 2, np.arange(len(x)) > np.argmin(x)
    force = np.where(last, branch(amplitude + x) - top, top - branch(amplitude - x))
    force[:1200] = branch(2 * x[:1200]) / 2
    found = identify_curve((x, force), threshold)
    for name, true in (("k_integral", 0.5001), ("last_slope", 0.9999)):
        assert found.numbers[name] == pytest.approx(true, abs=5e-6)


def test_the_numbers_are_those_of_the_model_and_of_the_elements_at_the_ends_that_it_lacks():
    """A cycle of 400 cells, which lack the spring of the lowest η in comparison with a continuum."""
    x = one_cycle(1.5, 1200)
    found = identify_curve((x, drive(x, *continuum(lambda s: 0.2 + 0.5 * s**2, lambda s: 2 - s, 400))), "0.2+0.5*s^2")
    numbers = found.numbers
    assert abs(numbers["stiffness_at_ends"]) > 1e-3 and "the model that is written does not" in "".join(found.lines)
    assert numbers["k0"] + np.mean(numbers["k"]) + numbers["stiffness_at_ends"] == pytest.approx(
        numbers["k_integral"] + numbers["last_slope"], abs=1e-5)


def test_a_run_of_the_program_gives_a_case_that_runs_like_it(run_script, result_of, undrawn, tmp_path, monkeypatch):
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
    result_of("simulate", "again.h5", "--config", "measured-identified.ini", *run, "--mass", "1")
    np.testing.assert_allclose(Run("again.h5").x, Run("measured.h5").x, atol=1e-8)


def test_outputs_are_replaced_and_a_refused_cycle_leaves_none(run_script, tmp_path):
    x, out = one_cycle(1.5, 400), tmp_path / "out.ini"
    for n, (eta, words) in enumerate(((np.array([0.8]), ()), (np.linspace(0.1, 1.1, 400), ("--threshold", "s+0.1")))):
        path = write_csv(tmp_path / f"lab{n}.csv", "x,force", x, drive(x, eta, np.ones(len(eta))))
        code, printed, err = run_script(identify, path, *words, "-o", out)
        assert (code, err) == (0, "") and printed.splitlines()[:-1] == out.with_suffix(".txt").read_text().splitlines()
        assert json.loads(out.with_suffix(".json").read_text())["cycle"] == path.name
    rated = write_csv(tmp_path / "rated.csv", "x,force", SINE, SINE + np.gradient(SINE) * 10)
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    one_line(run_script(identify, rated), rated, "the speed", code=3)
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_csv_gives_a_density_that_runs_like_it(run_script, undrawn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = one_cycle(1.5, 1200)
    write_csv("lab.csv", "x,force", x, drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0)) + 3)
    code, out, err = run_script(identify, "lab.csv", "--threshold", "s+0.1", "--figure", "page.svg")
    assert (code, err) == (0, "") and "likeliest weight" in out and "not unique" in out
    # The papers' cells lie half a cell beyond the continuum's: 1/(2P) of a range of 1.2.
    stated = json.loads(Path("lab-identified-continuous.json").read_text())
    assert stated["misfit_max"] < 1e-3 and stated["amplitude"] == pytest.approx(1.5)
    # ∫k ds, 4∫k η (X - η) ds, and this over 2π X ∫k η ds, with X = 1.5; no force is left where all yields.
    area = 4 * (1.5 * 0.6 - (1.1**3 - 0.1**3) / 3)
    for name, true in (("k_integral", 1), ("area", area), ("damping_ratio", area / (2 * np.pi * 1.5 * 0.6))):
        assert stated[name] == pytest.approx(true, rel=1e-3) and 0 < stated[f"{name}_halfwidth_95"] < 1e-3 * true
    assert abs(stated["last_slope"]) < 1e-4 and stated["k0_halfwidth_95"] == stated["last_slope_halfwidth_95"]
    assert out.splitlines()[:-1] == Path("page.txt").read_text().splitlines() and "± (95 %)" in out
    case = Path("lab-identified-continuous.ini").read_text()
    assert "stiffness = table:lab-identified-continuous-stiffness.csv" in case
    # The residuals of both halves are drawn; of many points at most 600.
    page = identify_curve("lab.csv", "s+0.1").figure()
    assert [300 <= len(axes.lines[0].get_xdata()) <= 600 for axes in page.axes[2:]] == [True, True]


# Records of motions that are made by chance, FINE times as dense as the samples.
FINE = 4
ETA, K = np.array([0.1, 0.3, 0.6]), np.ones(3)


def motion(random, half_cycle):
    """t in cycles and x of a sine, a triangle, one that begins inside of a branch, or one that grows or fades."""
    cycles = random.uniform(1.6, 3.5)
    t = np.arange(int(cycles * 2 * half_cycle * FINE)) / (2 * half_cycle * FINE)
    wave = np.sin(2 * np.pi * t)
    return t, [wave, np.arcsin(wave) * 2 / np.pi, np.cos(2 * np.pi * (t + random.random())),
               (0.4 + 0.6 * t / cycles) * wave, (1 - 0.5 * t / cycles) * wave][random.integers(5)]


def test_records_of_masing_models_are_identified(long):
    """Of one to four elements, each at least 1.25 times the one before, at most 2 % are refused; where n is right the
    95 % half-widths hold η in at least 90 %. Of the 20 by default three standard deviations are 15 %."""
    count, refused, held = 200 if long else 10, 0, []
    for seed in range(count):
        random = np.random.default_rng(seed)
        x = motion(random, int(random.choice([100, 200, 500] if long else [100, 200])))[1]
        eta = 0.1 * np.cumprod(random.uniform(1.25, 1.8, random.integers(1, 5)))
        force = drive(x, eta, random.uniform(0.5, 1.5, len(eta)), random.choice([0, 0.3]))
        noise = random.choice([0, 0.001, 0.005, 0.01, 0.02])
        try:
            found = identified(x[::FINE], noisy(force[::FINE], noise, random))
        except DataError:
            refused += 1
            continue
        if len(found.threshold_width) == len(eta):
            held += [*(np.abs(found.elements.threshold - eta) <= found.threshold_width + 1e-9)]
    assert refused <= max(1, 0.02 * count) and np.mean(held) >= (0.9 if long else 0.95 - 0.15)


def test_a_record_whose_extremes_lie_between_samples_is_not_refused():
    x = np.sin(0.3 + 2 * np.pi * np.arange(9105) / 3035)  # three cycles, of which every 50th sample is recorded
    found = identified(x[::50], drive(x, np.array([0.2, 0.5, 0.7]), np.array([1.0, 2, 1]))[::50])
    assert found.elements.stiffness == pytest.approx([1, 2, 1], rel=1e-6)


def test_few_samples_give_no_digits_that_are_not_there():
    """Either nothing, or elements within their half-widths of those that are there."""
    for points in (8, 9, 11, 14, 18, 23, 34, 54):
        triangle = 2 * np.abs(np.arange(4 * points) / points % 2 - 1) - 1
        for shape in (np.cos(np.linspace(0, 4 * np.pi, 4 * points)), triangle):
            try:
                found = identified(shape, drive(np.r_[0, shape], ETA, K, 0.2)[1:])
            except MasingError:
                continue
            apart = np.abs(np.subtract.outer(found.elements.threshold, ETA)).min(axis=1)
            assert len(apart) <= 3 and np.all(apart <= found.threshold_width + 1e-9), points


@pytest.mark.parametrize("turns, noise", [
    (SLIPS, 0), ((2, -0.62, -0.6, -2, 0.6, 0.59), 0), ((2, 0.5, 0.9, -1, -0.8, -2, 1, 0.4), 0.005)])
def test_records_with_inner_loops_are_identified(turns, noise):
    x = led(0, *3 * turns, 0)
    force = noisy(drive(x, np.array([0.4, 1.0]), np.array([800.0, 500.0]), 60.0), noise, 7)
    found = identified(x, force)
    np.testing.assert_allclose(found.elements.threshold, [0.4, 1], atol=1e-8 if found.exact else 0.03)
    np.testing.assert_allclose(found.elements.stiffness, [800, 500], rtol=1e-8 if found.exact else 0.03)
    # The whole record is tested: an inner loop that is no loop of the model is told.
    inside = np.flatnonzero(np.abs(x - np.mean(turns[1:3])) < np.ptp(turns[1:3]) / 4)
    with pytest.raises(DataError, match="not springs that only slide"):
        identified(x, force + 300 * np.isin(np.arange(len(x)), inside[:20]))


def round_trip(branch):
    """x and force [points]: from the top down and up again, both ways along branch [400], a force at X from 0 on."""
    return np.r_[X[::-1], X[1:]], np.r_[branch[-1] - branch, branch[1:]]


X = np.linspace(0, 3, 400)
YIELDING = np.minimum(X, 1)
# Two loops of a motion that begins at rest, and the forces of laws that are no springs that slide.
CYCLES = np.linspace(0, 2.25, 676)
SINE = np.sin(2 * np.pi * CYCLES)
SLIDING, FRICTION = drive(SINE, np.array([0.3]), np.array([1.0])), 0.3 * np.sign(np.gradient(SINE))
# x and the force of data that are no cycle of springs that slide, and what is said of them.
NO_CYCLES = [
    (*np.random.default_rng(0).random((2, 400)), "too few samples"), (X, YIELDING, "no closed cycle"),
    (np.r_[X, X[::-1]], np.r_[YIELDING, YIELDING[::-1] - 1], "no closed cycle"),
    (*round_trip(X**3), "gone round the wrong way"), (*round_trip(-X), "does not rise"),
    (*round_trip(2 * X), "line of slope 2 (k0 + Σk)"),
    (round_trip(X)[0], np.r_[2 * X[::-1] - 1, 2 * X[1:] + 1], "jumps by 2"), (*round_trip(np.tanh(X)), "is curved"),
    (*round_trip(np.where(X < 1, X, 1.2 - 0.2 * X)), "or is negative somewhere")]
LAWS = [(SINE**3, "one curve"), (SINE + 0.3 * SINE**2, "one curve"), (2 * SINE, "no sliding seen"),
        (SINE + FRICTION, "jumps by"), (FRICTION, "jumps by"), (SLIDING + FRICTION / 2, "jumps by"),
        (SLIDING + SINE**3, "increases (stiffer outwards?)"), (SINE + np.gradient(SINE) * 10, "depends on the speed")]


@pytest.mark.parametrize("x, force, words", [*NO_CYCLES, *((SINE, noisy(law, 0.01, 5), words) for law, words in LAWS)])
def test_laws_that_are_no_springs_that_slide_are_told_apart(x, force, words):
    with pytest.raises(DataError, match=re.escape(words)) as refused:
        identify_curve((x, force))
    assert refused.value.code == 3 and "\n" not in str(refused.value)


def test_a_noisy_loop_is_closed_whose_first_and_last_samples_are_equal(long):
    for seed in range(24 if long else 4):
        random = np.random.default_rng(seed)
        points, phase = random.integers(150, 800), random.uniform(0, 2 * np.pi)
        x = np.cos(np.linspace(phase - 2 * np.pi, phase + 2 * np.pi, 2 * points + 1))
        force = noisy(drive(x, np.array([0.3, 0.7]), np.ones(2), 0.3)[points:], (0.005, 0.02, 0.01)[seed % 3], seed)
        x = noisy(x[points:], (0, 0.002, 0.01)[seed % 3], seed + 1)
        half = widest_half_cycle(with_smooth_x(Measured(Path("c"), None, np.r_[x, x[0]], np.r_[force, force[0]])))
        assert half.width > 1.9 and half.mirrored, seed


def test_the_last_of_the_widest_half_cycles_is_used_up_to_the_start_of_the_leg_before():
    def half(x):
        return widest_half_cycle(Measured(Path("c"), None, x, x))
    found = half(np.r_[np.linspace(0, 1, 50), np.linspace(1, 0.2, 50)[1:], np.linspace(0.2, 3, 90)[1:]])
    assert found.x[0] == pytest.approx(0.2) and found.width == pytest.approx(0.8)
    phase = np.linspace(0, 6 * np.pi, 601)
    assert half(np.cos(phase)).start_index == half((1 - 2e-4 * phase) * np.cos(phase)).start_index == 500
    x = np.roll(np.cos(np.linspace(0, 2 * np.pi, 400, endpoint=False)), 130)  # a closed cycle may begin anywhere
    found = half(np.r_[x, x[0]])
    assert found.width == pytest.approx(2, abs=1e-3) and len(found.before_x) > 190
    # Small reversals are noise.
    x = np.sin(np.linspace(0, 12, 500)) + 0.02 * np.random.default_rng(1).standard_normal(500)
    turns = turning_points(x)
    assert len(turns) == 6
    np.testing.assert_allclose(np.abs(x[turns[1:-1]]), 1, atol=0.08)
