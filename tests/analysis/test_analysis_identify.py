"""Models are read off cycles that were made with known ones, and other records are refused.

Forces are those of elements clamped one by one, of x + c x', and of Bouc and Wen's equation; reversals lie between
samples. The shares allowed are those that README.md states.
"""

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
from masing.identification.discrete import Elements, identify_discrete
from masing.identification.findings import _of_elements, compare
from masing.identification.identify import DISCRETE
from masing.identification.identify import identify as identify_curve
from masing.identification.replay import refuse_misfit, replay
from masing.notation import percent
from masing.results import Run
from oracle import SLIPS, TABLES, continuum, drive, led, noisy, one_cycle, write_csv
from outputs import one_line

MIDDLES = (np.arange(4000) + 0.5) / 4000


def half_cycle(x, force):
    return widest_half_cycle(Measured(Path("curve"), None, x, force))


def continuous(x, force, threshold):
    return identify_continuous(Path("curve"), half_cycle(x, force), MIDDLES, threshold(MIDDLES))


def identified(x, force, smooth=False):
    """The elements of a record, smoothed in x where asked, which passes the test of the misfit."""
    record = Measured(Path("record"), None, x, force)
    record = with_smooth_x(record) if smooth else record
    half = widest_half_cycle(record)
    found = identify_discrete(record.path, half)
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
    # No sample within 0.2 of the lower reversal, which may so lie up to there; elsewhere the gaps are 0.01. Hundreds of
    # samples on either side of the corner have noise of 4e-4.
    way = np.linspace(-3, 3, 601)
    x = np.r_[way[::-1][:-20], -3, way[20:]]
    force = drive(np.r_[np.linspace(0, 3, 301)[:-1], x], np.array([1.003]), np.array([1.0]), k0=0.5)[300:]
    found = identify_discrete(Path("c"), half_cycle(x, noisy(force, 1e-4, 3)))
    assert not found.exact and len(found.threshold_width) == 1
    assert 0.2 / 2 < found.threshold_width[0] < 0.2 / 2 + 0.01 + 0.01


def test_the_half_width_of_a_corner_is_no_wider_than_the_scatter_over_seeds():
    x = one_cycle(3, 700)
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


def test_outputs_are_replaced_all_or_none(run_script, tmp_path):
    x, out = one_cycle(1.5, 400), tmp_path / "out.ini"
    for n, (eta, words) in enumerate(((np.array([0.8]), ()), (np.linspace(0.1, 1.1, 400), ("--threshold", "s+0.1")))):
        path = write_csv(tmp_path / f"lab{n}.csv", "x,force", x, drive(x, eta, np.ones(len(eta))))
        code, printed, err = run_script(identify, path, *words, "-o", out)
        assert (code, err) == (0, "") and printed.splitlines()[:-1] == out.with_suffix(".txt").read_text().splitlines()
        assert json.loads(out.with_suffix(".json").read_text())["cycle"] == path.name
    # A file of the user's, under the name that is written last: nothing is replaced.
    out.with_suffix(".txt").write_text("my notes\n")
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    one_line(run_script(identify, tmp_path / "lab0.csv", "-o", out), "out.txt: is there already")
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_a_csv_gives_a_density_that_runs_like_it(run_script, undrawn, tmp_path, monkeypatch):
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
    found = identify_curve("lab.csv", "s+0.1")
    page = found.figure()
    # The residuals of both halves are drawn; of many points at most 600.
    assert [300 <= len(axes.lines[0].get_xdata()) <= 600 for axes in page.axes[2:]] == [True, True]
    rms = np.sqrt(np.mean(found.comparison.unloading_residual**2))
    assert page.axes[3].get_title() == f"unloading: rms {percent(rms)}"


# Records that are made by chance: how many half-cycles they have, their noise, and their kind of motion.
FINE = 4
ETA, K = np.array([0.1, 0.3, 0.6]), np.ones(3)
NOISES = [0, 0.001, 0.005, 0.01, 0.02]
KINDS = ["sine", "triangle", "inside", "growing", "fading"]
BOUC_WEN = [(0.5, 0.5, 1), (0.9, 0.1, 1), (0.7, 0.3, 1.5), (0.2, 0.8, 1)]


def motion(random, half_cycle, kind):
    """t in cycles and x, FINE times as dense as the samples, `half_cycle` of them a half-cycle."""
    cycles = random.uniform(1.6, 3.5)
    t = np.arange(int(cycles * 2 * half_cycle * FINE)) / (2 * half_cycle * FINE)
    wave = np.sin(2 * np.pi * t)
    shifted = np.cos(2 * np.pi * (t + random.random()))
    return t, {"sine": wave, "triangle": np.arcsin(wave) * 2 / np.pi, "inside": shifted,
               "growing": (0.4 + 0.6 * t / cycles) * wave, "fading": (1 - 0.5 * t / cycles) * wave}[kind]


def masing_record(random, half_cycle, noise, kind):
    """x, force and η of one to four elements, each at least 1.25 times the one before."""
    count = random.integers(1, 5)
    eta = 0.1 * np.cumprod(random.uniform(1.25, 1.8, count))
    x = motion(random, half_cycle, kind)[1]
    force = drive(x, eta, random.uniform(0.5, 1.5, count), random.choice([0, 0.3]))[::FINE]
    return x[::FINE], noisy(force, noise, random), eta


def kelvin_voigt(random, half_cycle, noise, kind):
    t, x = motion(random, half_cycle, kind)
    force = (x + random.choice([0.2, 0.5, 1.0]) * np.gradient(x, t) / (2 * np.pi))[::FINE]
    return x[::FINE], noisy(force, noise, random)


def bouc_wen(random, half_cycle, noise, kind):
    """z' = x' - β |x'| |z|ⁿ⁻¹ z - γ x' |z|ⁿ from z = 0, by Heun's midpoint steps."""
    x = random.choice([1.5, 3]) * motion(random, half_cycle, kind)[1]
    (beta, gamma, power), z, values = BOUC_WEN[random.integers(len(BOUC_WEN))], 0.0, [0.0]
    for h in np.diff(x).tolist():
        def rise(z):
            return h - (beta * abs(h) * np.sign(z) + gamma * h) * abs(z)**power
        z += rise(z + rise(z) / 2)
        values.append(z)
    force = np.array(values)[::FINE]
    return x[::FINE], noisy(force, noise, random)


def verdicts(make, kinds, half_cycles, noises, seeds):
    """The models found, or the refusals, with what make gives beside x and force."""
    for seed in seeds:
        random = np.random.default_rng(seed)
        x, force, *truth = make(random, int(random.choice(half_cycles)), random.choice(noises), random.choice(kinds))
        try:
            yield identified(x, force), truth
        except DataError as refusal:
            yield refusal, truth


def test_records_of_masing_models_are_identified(long):
    """At most 2 % refused, and, down to 50 samples a half-cycle, none for noise; where n is right the 95 % half-widths
    hold η in at least 90 %."""
    count = 200 if long else 10
    for found, _ in verdicts(masing_record, KINDS, [50, 100, 200], NOISES, range(6000, 6400 if long else 6008)):
        assert not isinstance(found, DataError) or "too coarse" in str(found)
    results = list(verdicts(masing_record, KINDS, [100, 200, 500] if long else [100, 200], NOISES, range(count)))
    models = [(found, eta) for found, (eta,) in results if not isinstance(found, DataError)]
    assert count - len(models) <= max(1, 0.02 * count)
    held = [np.abs(found.elements.threshold - eta) <= found.threshold_width + 1e-9
            for found, eta in models if len(found.threshold_width) == len(eta)]
    assert np.concatenate(held).mean() >= 0.9


@pytest.mark.first(2)
@pytest.mark.parametrize("make, kinds, noises, half_cycles, seeds, fewest, count", [
    # Up to 2 % noise and as few as 50 samples a half-cycle: these, and at least `fewest` of `count`.
    (kelvin_voigt, ["sine", "growing", "fading"], NOISES, [50, 100, 200], [14, 26, 82], 90, 100),
    (bouc_wen, ["sine", "fading", "growing"], NOISES, [50, 100, 200], [33, 58], 84, 100),
    (kelvin_voigt, ["sine", "growing", "fading"], [0, 0.001, 0.005], [200, 500], [], 30, 30),
    (bouc_wen, ["sine", "fading"], [0, 0.001], [200, 500], [], 50, 50)])
def test_other_records_are_refused(make, kinds, noises, half_cycles, seeds, fewest, count, long):
    found = list(verdicts(make, kinds, half_cycles, noises, range(count) if long else seeds))
    assert sum(isinstance(each, DataError) for each, _ in found) >= (fewest if long else len(found))


def test_few_samples_give_no_digits_that_are_not_there():
    """Either nothing, or elements within their half-widths of those that are there."""
    for points in [*range(8, 24), *range(24, 60, 5)]:
        triangle = 2 * np.abs(np.arange(4 * points) / points % 2 - 1) - 1
        for shape in (np.cos(np.linspace(0, 4 * np.pi, 4 * points)), triangle):
            try:
                found = identified(shape, drive(np.r_[0, shape], ETA, K, 0.2)[1:])
            except MasingError:
                continue
            apart = np.abs(np.subtract.outer(found.elements.threshold, ETA)).min(axis=1)
            assert len(apart) <= 3 and np.all(apart <= found.threshold_width + 1e-9), points


def test_a_record_that_starts_inside_a_branch_has_no_further_element():
    x = np.r_[one_cycle(1, 400), np.cos(np.linspace(0, 2 * np.pi, 800))[1:]]
    force = drive(x, ETA, K, 0.2)
    for start in (*range(400, 700, 58), *range(800, 1200, 58)):
        found = identified(x[start:start + 900], force[start:start + 900])
        # From inside the unloading it may reach less far.
        np.testing.assert_allclose(found.elements.threshold, ETA[:len(found.elements.threshold)], atol=1e-9)


@pytest.mark.parametrize("noise", [0, 0.005])
@pytest.mark.parametrize("turns", [SLIPS, (2, -0.62, -0.6, -2, 0.6, 0.59), (2, 0.5, 0.9, -1, -0.8, -2, 1, 0.4)])
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


def test_the_replay_is_that_of_clamped_elements():
    x = np.cumsum(np.random.default_rng(3).standard_normal(500)) / 10
    x -= x[0]
    np.testing.assert_allclose(replay(Elements(0.2, K, ETA), x, np.zeros(3)), drive(x, ETA, K, 0.2), atol=1e-12)


X = np.linspace(0, 3, 400)
YIELDING = np.minimum(X, 1)


def round_trip(branch):
    """x and force [points]: from the top down and up again, both ways along branch [400], a force at X from 0 on."""
    return np.r_[X[::-1], X[1:]], np.r_[branch[-1] - branch, branch[1:]]


# Two loops of a motion that begins at rest, and the forces of laws that are no springs that slide.
CYCLES = np.linspace(0, 2.25, 1351)
SINE = np.sin(2 * np.pi * CYCLES)
SLIDING, FRICTION = drive(SINE, np.array([0.3]), np.array([1.0])), 0.3 * np.sign(np.gradient(SINE))
# x and the force of data that are no cycle of springs that slide, and what is said of them.
NO_CYCLES = [
    (*np.random.default_rng(0).random((2, 400)), "too few samples"), (X, YIELDING, "x only rises"),
    (np.r_[X, X[::-1]], np.r_[YIELDING, YIELDING[::-1] - 1], "x rises and falls"),
    (*round_trip(X**3), "gone round the wrong way"), (*round_trip(-X), "does not rise"),
    (*round_trip(2 * X), "line of slope 2 (k0 + Σk)"),
    (round_trip(X)[0], np.r_[2 * X[::-1] - 1, 2 * X[1:] + 1], "jumps by 2"), (*round_trip(np.tanh(X)), "is curved"),
    (*round_trip(np.where(X < 1, X, 1.2 - 0.2 * X)), "from 1 to -0.2")]
LAWS = [(SINE**3, "one curve"), (np.tanh(3 * SINE), "one curve"), (SINE + 0.3 * SINE**2, "one curve"),
        (0.1 * SINE**3 + SINE, "one curve"), (2 * SINE, "no sliding seen"), (SINE + FRICTION, "jumps by"),
        (FRICTION, "jumps by"), (SINE**3 + FRICTION, "jumps by"), (SLIDING + FRICTION / 2, "jumps by"),
        (SLIDING + SINE**3, "increases (stiffer outwards?)"),
        (SLIDING + np.gradient(SINE) * 10, "depends on the speed"),
        (SINE + np.gradient(SINE) * 10, "depends on the speed")]


@pytest.mark.parametrize("x, force, words", [*NO_CYCLES, *((SINE, noisy(law, 0.01, 5), words) for law, words in LAWS)])
def test_laws_that_are_no_springs_that_slide_are_told_apart(x, force, words):
    with pytest.raises(DataError, match=re.escape(words)) as refused:
        identify_curve((x, force))
    assert refused.value.code == 3 and "\n" not in str(refused.value)


def test_a_spring_beside_an_element_is_no_other_law():
    assert len(identified(SINE, noisy(SLIDING + 0.2 * SINE, 0.01, 5)).elements.threshold) == 1


def test_the_reason_is_given_and_no_file_is_written(run_script, tmp_path):
    for make, options, words in ((kelvin_voigt, (), "rate-dependent"), (bouc_wen, (), "not Masing"),
                                 (bouc_wen, ("--threshold", "0.01+3*s"), "")):
        path = write_csv(tmp_path / "lab.csv", "x,force", *make(np.random.default_rng(1), 200, 0.005, "sine"))
        one_line(run_script(identify, path, *options), path, words, code=3)
        assert list(tmp_path.iterdir()) == [path]
    path = write_csv(tmp_path / "lab.csv", "x,force", *round_trip(YIELDING))
    one_line(run_script(identify, path, "--threshold", "0.01*(1+s)"), "span", code=3)


@pytest.mark.parametrize("count, seed", [(5, 4), (1, 5)])
def test_elements_are_found_where_x_is_noisy_too(count, seed):
    """Smoothing x leaves errors that are smooth themselves, and large forces where the branch is steep."""
    threshold, stiffness = 0.1 * 8 ** (np.arange(count) / 4), 1 / np.arange(1, count + 1)
    force = noisy(drive(SINE, threshold, stiffness), 0.005, seed)
    x = noisy(SINE, 0.003, 10 + seed)
    found = identified(x, force, smooth=True)
    assert len(found.elements.threshold) >= (1 if count == 1 else 3)
    for law in (SINE + FRICTION, SLIDING + FRICTION):
        with pytest.raises(DataError, match="jumps by"):
            identified(x, noisy(law, 0.005, seed), smooth=True)


def test_small_reversals_are_noise():
    x = np.sin(np.linspace(0, 12, 500)) + 0.02 * np.random.default_rng(1).standard_normal(500)
    turns = turning_points(x)
    assert len(turns) == 6
    np.testing.assert_allclose(np.abs(x[turns[1:-1]]), 1, atol=0.08)


def test_a_noisy_loop_is_closed_whose_first_and_last_samples_are_equal(long):
    for seed in range(24 if long else 9):
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
    assert half(np.cos(np.linspace(0, 6 * np.pi, 601))).start_index == 500
    x = np.roll(np.cos(np.linspace(0, 2 * np.pi, 400, endpoint=False)), 130)  # a closed cycle may begin anywhere
    found = half(np.r_[x, x[0]])
    assert found.width == pytest.approx(2, abs=1e-3) and len(found.before_x) > 190
