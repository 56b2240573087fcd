"""The case files of the papers' figures: what the papers say of each, on the numbers that the program gives.

In a model of S-elements u moves with x, step by step, so its cycle lies on the polygon of (4.23) and (4.24) whatever
the time step; only where it turns depends on the step. So the polygons are checked to rounding, at ten times the step
of the case where that is a long run.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from masing import program
from masing.cycles.shape import rising_half
from masing.results import Run, parse_configuration

CASES = program.ROOT / "jobs" / "cases"
COSINE = 4 * np.pi  # the period of cos(0.5 t)


@pytest.fixture(scope="module")
def solve(masing, tmp_path_factory):
    """The run that some options ask for, made once."""
    folder, made = tmp_path_factory.mktemp("cases"), {}

    def run(*options):
        if options not in made:
            output = folder / f"{len(made)}.h5"
            program.run(masing, "simulate", "--quiet", "--output", output, *options).require(0)
            made[options] = Run(output)
        return made[options]
    return run


@pytest.fixture
def case(solve):
    """A case file's run, with options that win over the file's."""
    return lambda name, *options: solve("--config", CASES / f"{name}.ini", *options)


@pytest.fixture
def last_cycles(case):
    """The Run of the last two periods of a case in every step, beginning anywhere in the period."""
    def run(name, period, *options):
        end = float(parse_configuration((CASES / f"{name}.ini").read_text(encoding="utf-8"))["final-time"])
        return case(name, *options, f"--from={end - 2 * period}", "--sample-every=1")
    return run


def rise(series):
    """x and restoring of the widest rise between two reversals of x in the samples."""
    turns = np.flatnonzero(np.diff(np.sign(np.diff(series.x)))) + 1
    widest = np.argmax(np.diff(series.x[turns]))
    part = slice(turns[widest], turns[widest + 1] + 1)
    return series.x[part], series.restoring[part]


def mirrored(series):
    """The samples with x and the force turned round: its rises are the falls."""
    return SimpleNamespace(t=series.t, x=-series.x, restoring=-series.restoring)


def rounding(series, stiffness):
    """What the restoring force differs by from one that adds the steps of x in another order."""
    return len(series.x) * np.finfo(float).eps * np.abs(series.x).max() * stiffness


TABLE_V = (np.array([1, 2, 2 / 3, 1 / 12, 1 / 4]), np.array([0.5, 1, 2, 3.5, 5.5]))


def equal_elements(n, stiffness):
    return np.full(n, stiffness), np.arange(1.0, n + 1)


ONE_TENTH = "--steps=400000"
# The period, the elements, k0, options, and the slopes that the paper's figure shows.
POLYGONS = {
    "rheology-fig20a": (COSINE, equal_elements(1, 1), 0, (), [1, 0]),
    "rheology-fig21a": (COSINE, equal_elements(5, 1), 0, (), [5, 4, 3, 2, 1, 0]),
    "rheology-fig21b": (COSINE, equal_elements(5, 1), 0, (), [5, 4, 3]),
    "rheology-fig22a": (COSINE, equal_elements(30, 1 / 30), 0, (ONE_TENTH,), np.arange(30, -1, -1) / 30),
    "rheology-fig22b": (COSINE, equal_elements(30, 1 / 30), 1 / 30, (ONE_TENTH,), np.arange(31, 0, -1) / 30),
    "rheology-fig23a": (COSINE, equal_elements(100, 1 / 100), 0, (ONE_TENTH,), None),
    "rheology-fig24": (2, equal_elements(1, 1), 0, (), [1, 0]),
    "rheology-fig27a": (2, equal_elements(1, 1), 1, (), [2, 1]),
    "rheology-fig28": (2, equal_elements(30, 1 / 30), 1 / 30, (), None),
    "rheology-fig29": (COSINE, TABLE_V, 0, (), [4, 3, 1, 1 / 3, 1 / 4, 0]),
}


@pytest.mark.parametrize("name", POLYGONS)
def test_both_halves_of_a_cycle_lie_on_the_polygon_and_have_the_segments_of_the_paper(last_cycles, name):
    period, (k, eta), k0, options, slopes = POLYGONS[name]
    series = last_cycles(name, period, *options)
    for half in (series, mirrored(series)):
        x, restoring = rise(half)
        distance = x - x[0]
        # From a reversal at which all elements slip: (4.23), (4.24).
        polygon = k0 * distance + sum(ki * np.minimum(distance, 2 * ei) for ki, ei in zip(k, eta))
        np.testing.assert_allclose(restoring - restoring[0], polygon, rtol=0, atol=rounding(series, k0 + k.sum()))
        if slopes is not None:
            found = rising_half(half.x, half.restoring)
            np.testing.assert_allclose(found.slopes, slopes, rtol=0, atol=1e-6)
            assert found.concave


def test_a_hundred_elements_slip_in_figure_23(last_cycles):
    x, restoring = rise(last_cycles("rheology-fig23a", COSINE, ONE_TENTH))
    assert x[-1] - x[0] > 2 * 100
    assert (-restoring[0], restoring[-1]) == (pytest.approx(50.5), pytest.approx(50.5))


def test_figure_16_spans_4000(case, solve):
    force, friction, omega = 20, 1, 0.1
    exact = solve("--engine=exact", "--cells=1", "--threshold=1", "--force=20*cos(0.1*t)", "--final-time=2000",
                  "--steps=10000", "--sample-every=1")
    span, exact_span = (np.ptp(run.x[run.t > 2000 - 2 * np.pi / omega])
                        for run in (case("rheology-fig16"), exact))
    # (4.10) leaves out the friction, a force of +-1 beside one of amplitude 20.
    assert abs(span - 2 * force / omega**2) < 2 * friction / omega**2
    # The time step is 1e-3, the scheme of order one.
    assert span == pytest.approx(exact_span, rel=1e-3)


def test_figure_17_has_an_amplitude_of_20_at_the_frequency_of_the_force(case):
    force, friction, omega = 20, 1, 0.1
    series = case("rheology-fig17")
    late = series.t > 300 - 4 * np.pi / omega
    waves = np.stack([np.cos(omega * series.t), np.sin(omega * series.t), np.ones_like(series.t)])[:, late]
    (cosine, sine, _), *_ = np.linalg.lstsq(waves.T, series.x[late], rcond=None)
    # (4.12), and the friction, at most a square wave of +-1, whose component at omega is 4/pi.
    assert abs(np.hypot(cosine, sine) - force / (1 - omega**2)) < 4 / np.pi * friction / (1 - omega**2)


def test_figure_18_is_one_motion_in_two_coordinates_whose_oblique_parts_have_the_slope_k(case):
    run = case("rheology-fig18", "--from=7930", "--sample-every=1")
    step = 8000 / float(run.settings["steps"])
    acceleration = (run.x[2:] - 2 * run.x[1:-1] + run.x[:-2]) / step**2
    # A second difference of x has four times its rounding.
    np.testing.assert_allclose((run.force - run.restoring)[:-2], acceleration, rtol=0,
                               atol=4 * np.finfo(float).eps * np.abs(run.x).max() / step**2)
    oblique = np.abs(run.restoring) < 1
    oblique = oblique[1:] & oblique[:-1]
    assert np.count_nonzero(oblique) > 100
    np.testing.assert_allclose(np.diff(run.restoring)[oblique], np.diff(run.x)[oblique], rtol=0, atol=1e-11)


def test_figure_19_has_transients_up_to_1500_and_then_cycles(case):
    series, period = case("rheology-fig19"), 20 * np.pi
    assert (series.x[0], series.restoring[0]) == (0, 0)
    starts = np.arange(0, 1800 - period, period)
    tops = [series.x[(series.t > start) & (series.t <= start + period)].max() for start in starts]
    drift = np.abs(np.diff(tops))
    assert np.all(np.diff(drift) < 0)
    assert drift[0] > 0.1 * 4000
    assert np.all(drift[starts[:-1] > 1500] < 0.002 * 4000)


def test_figure_20_shows_one_cycle_twice(case):
    rest, moving = case("rheology-fig20a"), case("rheology-fig20b")
    late = rest.t > 2000 - COSINE
    shift = (moving.x - rest.x)[late]
    tolerance = rounding(moving, 1)
    np.testing.assert_allclose(shift, shift[0], rtol=0, atol=tolerance)
    np.testing.assert_allclose(moving.restoring[late], rest.restoring[late], rtol=0, atol=tolerance)
    # Friction alone stops y0 after y0^2/2; the force changes y by at most 2 of its 200.
    assert shift[0] == pytest.approx(100 - 200**2 / 2, rel=0.02)
    assert np.hypot(rest.x, rest.restoring)[late].min() > 0.5


def test_figure_25_is_a_ratchet(case, solve):
    drift = np.diff(case("rheology-fig25", "--sample-every=2001", "--from=400").x)
    exact = np.diff(solve("--engine=exact", "--cells=1", "--threshold=1", "--force=80*sawtooth(0.5*t)",
                          "--final-time=500", "--steps=2500", "--sample-every=10", "--from=400").x)
    assert len(drift) == len(exact) == 50
    np.testing.assert_allclose(drift, drift[0], rtol=1e-6)
    np.testing.assert_allclose(drift, exact, rtol=1e-3)
    assert drift[0] == pytest.approx(5.457, abs=1e-3)


@pytest.mark.parametrize("name, stiffness", [("rheology-fig26", 1), ("rheology-fig27b", 2)])
def test_a_fast_sawtooth_moves_the_elements_elastically(case, name, stiffness):
    run = case(name, "--from=0")
    series, omega, step = run, 10, 500 / float(run.settings["steps"])
    np.testing.assert_allclose(series.restoring, stiffness * series.x, rtol=0, atol=1e-12)
    # The mean of 80 w t^2 over a period is the velocity at which the swing begins, and x ripples about
    # the swing by 2/3 of that mean until t = 1/(2 w sqrt 3). Euler's swing grows as exp(h k T/2).
    velocity = 80 / (12 * omega)
    swing = velocity / np.sqrt(stiffness) * np.exp(step * stiffness * 500 / 2)
    ripple = 2 / 3 * velocity / (2 * omega * np.sqrt(3))
    assert np.abs(series.x).max() == pytest.approx(swing + ripple, rel=0.01)


@pytest.mark.parametrize("name, steps", [
    ("rheology-fig27a", 2001), ("rheology-fig27b", 1001), ("rheology-fig28", 2001),
])
def test_hardening_ends_the_drift(case, name, steps):
    x = case(name, f"--sample-every={steps}", "--from=400").x
    drift, _ = np.polyfit(np.arange(len(x)), x, 1)
    assert abs(drift) < 1e-3


def test_the_dashpot_of_figure_30_vanishes_as_c_grows(case):
    prandtl = case("rheology-fig20a")
    late = prandtl.t > 2000 - COSINE

    def distance(c):
        series = case("rheology-fig30a", f"--set=c={c}", "--from=50")
        apart = (series.x - prandtl.x)[late]
        return np.ptp(apart) / 2

    assert distance(100) < 0.01 * np.ptp(prandtl.x[late])
    assert distance(100) / distance(1000) == pytest.approx(10, rel=0.1)


@pytest.mark.parametrize("name, least, most", [("rheology-fig30a", 0, 0.02), ("rheology-fig30b", 0.5, 10)])
def test_figure_30_has_straight_and_curved_flanks(case, name, least, most):
    series = case(name, "--from=1980")
    flank = np.abs(series.restoring) < 1
    flank = flank[1:] & flank[:-1]
    slopes = np.diff(series.restoring)[flank] / np.diff(series.x)[flank]
    assert least < np.median(np.abs(slopes - 1)) < most


@pytest.mark.parametrize("sign", [1, -1])
def test_the_bridge_of_the_gephyroid_leaves_its_bound_as_the_others_reach_theirs(case, sign):
    columns = case("persoz-fig2").columns
    g1, g2, g3 = (sign * columns[f"g{i}"] for i in (1, 2, 3))
    slipping = (g2 == 2) & (g3 == 3)
    reached = np.flatnonzero(~slipping[:-1] & slipping[1:])
    # While only element 2 slips, the bridge is at its bound without slipping: up to rounding.
    stuck = g1 < -1 + 1e-12
    left = np.flatnonzero(stuck[:-1] & ~stuck[1:])
    assert len(reached) in (3, 4)
    np.testing.assert_array_equal(left, reached)
    assert np.all(np.abs(g1[slipping]) < 1)
