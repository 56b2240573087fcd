"""The cycles script, and the facts that are read off a cycle; the numbers of a cycle against closed forms."""

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import cycles
import masing
from masing import draw, style
from masing.cycles.curves import Measured
from masing.cycles.limit_cycle import analyse
from masing.cycles.polygons import straight_slopes
from masing.report.cycles import cycles_section
from masing.results import Run
from masing.results import between
from oracle import SLIPS, TABLES, continuum, drive, driven, led, noisy, papers_case as samples_of, write_csv
from synthetic import write_run


@pytest.mark.parametrize("name, start, words", [
    ("a.svg", b"<?xml", ()), ("a.pdf", b"%PDF", ("--together",))])
def test_each_kind_of_picture_has_its_bytes_again(run_script, run_file, study_file, tmp_path, name, start, words):
    picture, pictures = tmp_path / name, set()
    for _ in range(2):  # the second replaces the first, which is the script's own
        assert run_script(cycles, run_file, study_file, *words, "-o", picture) == (0, f"{picture}\n", "")
        pictures.add(picture.read_bytes())
    assert [each[:len(start)] for each in pictures] == [start]


def test_a_polygon_has_its_slopes_and_a_monotone_or_resting_curve_no_half_cycle():
    t, x, _, _, restoring = samples_of(10, 40000, 20, 4)
    np.testing.assert_allclose(straight_slopes(x, restoring), np.arange(10, -1, -1) / 10, atol=1e-9)
    assert not len(straight_slopes(np.zeros(9), np.zeros(9))) and not len(straight_slopes(-np.arange(9.0), np.zeros(9)))


def test_a_window_has_the_samples_at_its_ends():
    assert list(between(np.arange(5.0), 1, 3)) == [False, True, True, True, False]
    assert between(np.arange(5.0)).all()


def test_at_most_four_panels_have_all_cycles_and_no_place_is_empty():
    angle = np.linspace(0, 2 * np.pi, 500)
    ellipses = [(width * np.cos(angle), np.sin(angle)) for width in (1, 1.5, 2)]
    figure, common = draw.panels(ellipses, [f"P = {n}, N = 10" for n in range(3)])
    assert [len(axes.lines) for axes in figure.axes] == [1, 1, 1, 3] and common == "N = 10"
    assert [axes.get_title("left") for axes in figure.axes] == ["(a) P = 0", "(b) P = 1", "(c) P = 2", "(d) all"]
    # A curve has the same line in its panel and among all.
    looks = [[(line.get_color(), line.get_linestyle(), line.get_linewidth()) for line in axes.lines]
             for axes in figure.axes]
    assert sum(looks[:3], []) == looks[3]
    boxes = [axes.get_position() for axes in figure.axes]
    np.testing.assert_allclose([(box.width, box.height) for box in boxes], [(boxes[0].width, boxes[0].height)] * 4)
    figure, _ = draw.panels(ellipses[:2] * 3, [f"P = {n}" for n in range(6)])
    assert [axes.get_title("left") for axes in figure.axes] == [
        "(a) P = 0", "(b) P = 1", "(c) P = 2, P = 3, P = 4, P = 5", "(d) all"]
    assert [len(axes.lines) for axes in figure.axes] == [1, 1, 4, 6]
    for apart, has_scales_of_its_own in ((1, False), (100, True)):
        moved = [(x + n * apart, f) for n, (x, f) in enumerate(ellipses)]
        limits = {axes.get_xlim() for axes in draw.panels(moved, "abc")[0].axes[:3]}
        assert (len(limits) == 3) == has_scales_of_its_own


@pytest.mark.parametrize("count", [8, 9])
def test_many_curves_in_one_frame_have_a_colour_scale_and_few_a_legend(tmp_path, papers_case, count):
    runs = [Run(write_run(tmp_path / f"{n}.h5", papers_case, cells=n)) for n in range(1, count + 1)]
    axes, *bar = draw.over_exact(runs).axes
    colours = [line.get_color() for line in axes.lines]
    assert len(set(map(str, colours))) == count == len(axes.lines)
    assert (axes.get_legend() is None) == bool(bar) == (count > 8)
    for label in bar[0].get_yticklabels() if bar else ():
        place = round(label.get_position()[1])
        assert label.get_text() == f"P = {place + 1}"
        assert np.allclose(style.SEQUENCE(place / (count - 1)), colours[place], atol=0.01)


def shifted(folder, papers_case, *shifts):
    """Runs of P = 10, 100, … cells whose x is the exact one's, moved by parts of its width, f by half of them; and the
    exact Run."""
    moved = np.ptp(papers_case, axis=1, keepdims=True) * [[0], [1], [0], [0], [0.5]]
    return [Run(write_run(folder / f"{n}.h5", papers_case + shift * moved, cells=10 ** n))
            for n, shift in enumerate(shifts, start=1)], Run(write_run(folder / "exact.h5", papers_case))


def drawn(axes):
    """The labels of the curves, and the magnification of the frame within."""
    return ", ".join(line.get_label() for line in axes.lines), [text.get_text() for inset in axes.child_axes
                                                                for text in inset.texts]


def test_cycles_of_one_problem_are_in_one_frame_over_the_exact_one(tmp_path, papers_case):
    """But for that of P = 1000, which cannot be told from the exact one; the nearest can, magnified, at a sixth of
    the corner's width. A cycle nearer than 1e-6 is not told apart even there."""
    runs, exact = shifted(tmp_path, papers_case, 0.1, 0.02, 5e-3, 1e-3)
    found = cycles_section(runs, exact=SimpleNamespace(get=lambda run: exact))
    (picture,) = found["pictures"]
    assert re.fullmatch(r"Hysteresis cycles of P = 10, P = 100 and P = 10⁴ over the exact one, grey, with the "
                        r"right-hand corner magnified, \S+ ≤ t ≤ \S+\.", picture.caption)
    assert drawn(picture.figure.axes[0]) == ("exact, P = 10, P = 100, P = 10⁴", ["× 47"])
    others = [Run(write_run(tmp_path / f"{name}.h5", papers_case, **{name: value}))
              for name, value in (("scheme", "leapfrog"), ("mass", 2))]
    one, *more = [each.figure.axes[0] for each in cycles_section([runs[1], runs[0], *others])["pictures"]]
    assert drawn(one) == ("P = 10, P = 100", []) and [len(axes.lines) for axes in more] == [1, 1]
    assert one.get_ylabel() == "restoring force F − m x″"
    for shift in (0.02, 1e-8):
        axes = draw.over_exact(*shifted(tmp_path, papers_case, 0.1, shift)).axes[0]
        assert drawn(axes) == ("exact, P = 10, P = 100", [])


def test_runs_of_other_numbers_of_steps_are_drawn_each(tmp_path, papers_case):
    runs = [Run(write_run(tmp_path / f"{steps}.h5", papers_case, steps=steps)) for steps in (1000, 2000, 1000)]
    (picture,) = cycles_section(runs[:2])["pictures"]
    assert drawn(picture.figure.axes[0])[0] == "P = 3, N = 1000, P = 3, N = 2000"
    assert cycles_section(runs[:1] + runs[2:])["pictures"][0].caption == cycles_section(runs[:1])["pictures"][0].caption


THRESHOLD, STIFFNESS = np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 0.5])
K0, X = 0.25, 2.5


@pytest.fixture
def curve():
    """Two cycles of three elements and a hardening spring, shifted, after the virgin loading; corners are samples."""
    leg = np.linspace(-X, X, 2001)
    x = np.r_[leg[1000:], np.tile(np.r_[leg[::-1][1:], leg[1:]], 2), leg[::-1][1:300]]
    return Measured(Path("three"), np.arange(len(x)) * 0.01, x + 7, drive(x, THRESHOLD, STIFFNESS, K0) - 2)


def test_a_cycle_has_its_closed_forms(curve):
    found = analyse(curve)
    area = 4 * np.sum(STIFFNESS * THRESHOLD * (X - THRESHOLD))
    secant = K0 + np.sum(STIFFNESS * THRESHOLD) / X
    for loop in found.loops:
        assert loop.area == pytest.approx(area, rel=1e-12)
        assert (loop.amplitude, loop.centre_x, loop.centre_force) == pytest.approx((X, 7, -2), abs=1e-12)
        assert loop.secant_stiffness == pytest.approx(secant, rel=1e-12)
        assert loop.tangent_after_reversal == pytest.approx(K0 + STIFFNESS.sum(), rel=1e-9)
        assert loop.tangent_before_reversal == pytest.approx(K0, rel=1e-9)
        assert loop.damping_ratio == pytest.approx(area / (2 * np.pi * secant * X**2), rel=1e-12)
        assert loop.asymmetry < 1e-12
    assert (found.first, found.period, len(found.loops), found.segments) == (0, 1, 2, 8)
    np.testing.assert_allclose(found.corners[:4, 0], 7 - X + 2 * np.r_[0, THRESHOLD], atol=1e-9)
    np.testing.assert_allclose(found.corners[4:, 0], 7 + X - 2 * np.r_[0, THRESHOLD], atol=1e-9)
    x, force = found.backbone.T
    virgin = K0 * x + np.sum(STIFFNESS * np.minimum(x[:, None], THRESHOLD), axis=1)
    np.testing.assert_allclose(force, virgin, atol=1e-12)


def analysed(x, *model):
    """The cycles of the elements led along x."""
    return analyse(Measured(Path("curve"), None, x, drive(x, *model)))


def test_transients_end_where_loops_repeat():
    threshold, stiffness, amplitude = TABLES["V"]
    t, x, _, _, force = driven(threshold, stiffness, amplitude, final_time=150.0)
    found = analyse(Measured(Path("five"), t, x, force))
    assert found.segments == 12 and 1 <= found.first < len(found.loops) - 2 and found.period == 1
    stated = [loop["limit_cycle"] for loop in found.numbers()["loops"] if not loop["inner"]]
    assert stated == [n >= found.first for n in range(len(found.loops))]
    assert np.ptp(found.corners[:, 0]) == pytest.approx(2 * found.loops[-1].amplitude)


UNLOADINGS = (-2, -0.5, -1, -0.9, -0.97, 1, 0.8, 2)  # one loop is inside of another
SINES = 0.8 * np.sin(PHASE := np.linspace(0, 2 * np.pi, 4001)) + 0.5 * np.sin(3 * PHASE)
SIX = 0.8 * np.sin(PHASES := np.linspace(0, 12 * np.pi, 2401)) + 0.5 * np.sin(3 * PHASES)  # equal but for rounding


@pytest.mark.parametrize("x, amplitude, inner", [
    (led(0, *3 * SLIPS, 0), 2, [0.04] * 6), (led(0, 2, *2 * UNLOADINGS, 0), 2, [0.035, 0.1, 0.25] * 2),
    (SIX, SIX.max(), [(SIX.max() - 0.3) / 2] * 12),
    # A closed record may begin on an inner loop.
    (np.roll(SINES[1:], 2900)[[*range(4000), 0]], SINES.max(), [(SINES.max() - 0.3) / 2] * 2)])
def test_inner_loops_are_taken_out_and_listed_as_such(x, amplitude, inner):
    """The area of a loop of the papers' slab is 4 ∫ η (X - η) ds over the η = s + 0.1 below its amplitude X."""
    def area(size):
        top = min(max(size, 0.1), 1.1)
        return 4 * (size * (top**2 - 0.01) / 2 - (top**3 - 0.001) / 3)

    eta, k = continuum(lambda s: s + 0.1 - 0.5 / 1500, lambda s: 1)
    numbers = masing.cycle_numbers((x, drive(np.r_[x, x], eta, k)[len(x):]))
    found = {flag: sorted(((loop["amplitude"], loop["area"]) for loop in numbers["loops"] if loop["inner"] == flag))
             for flag in (False, True)}
    np.testing.assert_allclose(found[True], [(size, area(size)) for size in sorted(inner)], rtol=2e-3, atol=2e-5)
    np.testing.assert_allclose(found[False], [(amplitude, area(amplitude))] * len(found[False]), rtol=2e-3)
    assert found[False] and numbers["loops_in_period"] == 1 and not numbers["last_loop"]["inner"]
    assert [loop["start"] for loop in numbers["loops"]] == sorted(loop["start"] for loop in numbers["loops"])


def test_a_curve_by_chance_has_numbers():
    assert masing.cycle_numbers(np.random.default_rng(0).random((2, 400)))["loops"]


def test_small_cycles_of_a_protocol_are_listed_however_coarse():
    steps = np.repeat([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2], 3)
    x = np.r_[np.outer(steps, np.sin(np.arange(16) * np.pi / 8)).ravel(), 0]
    assert {loop.amplitude for loop in analysed(x, THRESHOLD, STIFFNESS, K0).loops} >= set(steps)


def test_loops_that_grow_have_no_limit_and_a_limit_cycle_may_have_two_loops_and_drift():
    turn = np.linspace(0, 2 * np.pi, 201)
    found = analysed(np.concatenate([size * np.sin(turn) for size in np.arange(1.0, 6)]), THRESHOLD, STIFFNESS)
    assert found.first is None and found.numbers()["transient_loops"] == len(found.loops) >= 3
    x = np.concatenate([size * (np.cos(turn)[:-1] - 1) for size in np.tile([1.0, 2.0], 4)])
    x += 0.1 * np.arange(len(x)) / 400
    found = analysed(x, THRESHOLD, STIFFNESS)
    assert found.period == 2 and found.first is not None
    assert found.drift == pytest.approx(0.05, abs=1e-3)
    # A linear spring loses no energy, also in a loop that drifts.
    for one, other in zip(found.loops, analysed(x, THRESHOLD, STIFFNESS, K0).loops, strict=True):
        assert one.area == pytest.approx(other.area, rel=1e-12)
    # A smaller loop is a loop of its own however far x drifts meanwhile.
    small = np.concatenate([size * (1 - np.cos(turn)[:-1]) for size in np.tile([1.0, 0.6], 4)])
    far = Measured(Path("far"), None, small + 0.3 * np.arange(len(small)) / 200, drive(small, THRESHOLD, STIFFNESS))
    assert analyse(far).period == 2 and not analyse(far).inner


@pytest.mark.parametrize("share, seed", [(0.02, 2), (0.005, 3), (0, 0)])
def test_a_noisy_smooth_loop_has_no_segments_and_a_noisy_polygon_its_own_and_its_area(share, seed):
    """The polygon of the lowest criterion has about nine segments in the smooth loop. The widest of three elements of
    equal size begins to slide at 2.4 of a half-cycle of 3, between corners at 0.8 and 1.6."""
    x = np.r_[np.linspace(0, 1.5, 400)[:-1], 1.5 * np.cos(np.linspace(0, 4 * np.pi, 1601))]
    for model, segments in ((continuum(lambda s: s + 0.1, lambda s: 1 + s), None),
                            ((np.array([0.4, 0.8, 1.2]), np.ones(3)), 8)):
        force = drive(x, *model)
        found = analyse(Measured(Path("noisy"), None, x, noisy(force, share, seed)))
        assert found.segments == segments and (found.corners is None) == (segments is None)
        eta, k = model
        # Three standard deviations of Σ f dx over the loop.
        error = 3 * share * np.ptp(force) * np.linalg.norm(np.diff(x[-801:]))
        assert found.loops[-1].area == pytest.approx(4 * np.sum(k * eta * np.maximum(1.5 - eta, 0)), rel=2e-3, abs=error)


def test_the_script_writes_numbers_and_a_picture(run_script, curve, tmp_path):
    path = write_csv(tmp_path / "lab.csv", "t,x,force", curve.t, curve.x, curve.force)
    code, out, err = run_script(cycles, path, "--analysis")
    picture, table, objects = (Path(line) for line in out.split())
    assert (code, err) == (0, "") and picture.read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(table.open()))
    (stated,) = json.loads(objects.read_text())
    assert [row["limit_cycle"] for row in rows] == ["True", "True"] and float(rows[1]["centre_x"]) == 7
    assert (stated["transient_loops"], stated["loops_in_period"]) == (0, 1)
    assert stated["segments"] == 8 and stated["last_loop"]["area"] == float(rows[1]["area"])
