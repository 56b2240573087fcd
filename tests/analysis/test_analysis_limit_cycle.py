"""The numbers of a cycle against closed forms."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import cycles
from masing.cycles.curves import Measured
from masing.cycles.limit_cycle import analyse
from oracle import TABLES, drive, driven, noisy, one_cycle, write_csv
from test_analysis_mistakes import one_line

THRESHOLD, STIFFNESS = np.array([0.5, 1.0, 2.0]), np.array([1.0, 2.0, 0.5])
K0, X = 0.25, 2.5


@pytest.fixture
def curve():
    """Two cycles of three elements and a hardening spring, shifted, after the virgin loading; corners are samples."""
    leg = np.linspace(-X, X, 2001)
    x = np.r_[np.linspace(0, X, 1001), leg[::-1][1:], leg[1:], leg[::-1][1:], leg[1:], leg[::-1][1:300]]
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


def test_transients_end_where_loops_repeat():
    threshold, stiffness, amplitude = TABLES["V"]
    t, x, _, _, force = driven(threshold, stiffness, amplitude, final_time=150.0)
    found = analyse(Measured(Path("five"), t, x, force))
    assert found.segments == 12 and 1 <= found.first < len(found.loops) - 2 and found.period == 1


def test_loops_that_grow_have_no_limit_and_a_limit_cycle_may_have_two_loops_and_drift():
    x = np.concatenate([size * np.sin(np.linspace(0, 2 * np.pi, 200)) for size in np.arange(1.0, 6)])
    found = analyse(Measured(Path("growing"), None, x, drive(x, THRESHOLD, STIFFNESS)))
    assert found.first is None and len(found.loops) >= 3
    x = np.concatenate([size * np.cos(np.linspace(0, 2 * np.pi, 201))[:-1] - size for size in np.tile([1.0, 2.0], 4)])
    x += 0.1 * np.arange(len(x)) / 400
    found = analyse(Measured(Path("two"), None, x, drive(x, THRESHOLD, STIFFNESS)))
    assert found.period == 2 and found.first is not None
    assert found.drift == pytest.approx(0.05, abs=1e-3)
    # A linear spring loses no energy, also in a loop that drifts.
    with_spring = analyse(Measured(Path("spring"), None, x, drive(x, THRESHOLD, STIFFNESS, K0)))
    for one, other in zip(found.loops, with_spring.loops, strict=True):
        assert one.area == pytest.approx(other.area, rel=1e-12)


def test_noise_hides_neither_corners_nor_area_and_a_smooth_cycle_is_no_polygon():
    threshold, stiffness, _ = (np.array(each) for each in TABLES["IV"])
    x = one_cycle(6.5, 2000)
    found = analyse(Measured(Path("n"), None, x[2000:], noisy(drive(x, threshold, stiffness), 0.01, 4)[2000:]))
    assert found.segments == 12
    assert found.last.area == pytest.approx(4 * np.sum(stiffness * threshold * (6.5 - threshold)), rel=0.005)
    x = 2 * np.cos(np.linspace(0, 4 * np.pi, 2000))
    force = drive(x, np.linspace(0.1, 1.1, 700), np.full(700, 1 / 700))
    assert analyse(Measured(Path("smooth"), None, x, force)).segments is None


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
    assert run_script(cycles, path, "-o", tmp_path / "plain.svg")[0] == 0


@pytest.mark.parametrize("x, words", [(np.linspace(0, 1, 50), "three"), (np.zeros(50), "never changes")])
def test_curves_without_a_cycle_are_refused(run_script, tmp_path, x, words):
    one_line(run_script(cycles, write_csv(tmp_path / "c.csv", "x,force", x, x), "--analysis"), words)
