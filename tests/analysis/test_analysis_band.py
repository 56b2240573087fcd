"""The 95 % intervals of k(s) and of its integrals cover the truth of random cycles of 1500 elements as often as they
say. Errors of the band are correlated in s. The test therefore requires a mean coverage between 90 % (87 % with noise
of x) and 98 % over 200 cycles; over 20, the default, only a mean coverage of 83 %."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, chi2

import identify
from masing.errors import MasingError
from masing.cycles.curves import Measured
from masing.cycles.half_cycles import widest_half_cycle
from masing.cycles.noise import noise, with_smooth_x
from masing.identification.continuous import _basis, _continued, _estimates, _fit, identify_continuous
from oracle import continuum, drive, noisy, one_cycle, write_csv

CELLS = 1500
MIDDLES = (np.arange(CELLS) + 0.5) / CELLS


def random_problem(random):
    """η(s), monotone, and k(s) > 0, each [CELLS], of at most three half-waves; a quarter of the k(s) are linear."""
    least, most, power = random.uniform(0.05, 0.3), random.uniform(0.8, 1.2), random.uniform(0.7, 2)
    threshold = least + (most - least) * MIDDLES**power
    if random.random() < 0.25:
        stiffness = 1 + random.uniform(-0.8, 0.8) * (MIDDLES - 0.5)
    else:
        waves = np.arange(1, 4)
        size = 0.5 * random.standard_normal(3) / waves
        stiffness = np.exp(size @ np.cos(np.pi * waves[:, None] * MIDDLES + random.uniform(0, 2 * np.pi, (3, 1))))
    return (threshold[::-1] if random.random() < 0.3 else threshold), stiffness


# The closed forms of a cycle of amplitude X are those of elements: an element with η < X loses 4 k η (X - η).
INTEGRALS = ("k_integral", "last_slope", "area", "damping_ratio")


def misses(seed, of_force, of_x):
    """The errors of the INTEGRALS of a random cycle with noise of the force and of x, in their half-widths, and the
    share of s at which the band covers k; in half of the cycles k0 is not 0. None where the cycle is refused."""
    random = np.random.default_rng([seed, int(1e4 * of_force)])
    threshold, stiffness = random_problem(random)
    k0 = random.choice([0.0, 0.2]) * stiffness.mean()
    amplitude, points = random.uniform(0.9, 1.5) * threshold.max(), int(np.exp(random.uniform(*np.log([300, 3000]))))
    phase = np.linspace(0, 2 * np.pi, 2 * points + 1)
    x = amplitude * (np.cos(phase) if random.random() < 0.5 else 2 * np.abs(phase / np.pi - 1) - 1)
    force = drive(np.r_[np.linspace(0, amplitude, 20), x], threshold, stiffness / CELLS, k0)[20:]
    force = noisy(force, of_force, random)
    try:
        half = widest_half_cycle(with_smooth_x(Measured(Path("c"), None, noisy(x, of_x, random), force)))
        found = identify_continuous(Path("c"), half, MIDDLES, threshold)
    except MasingError:
        return None
    yields = threshold <= amplitude
    area = 4 * np.sum((stiffness * threshold * (amplitude - threshold))[yields]) / CELLS
    secant = k0 + np.sum(stiffness * np.minimum(threshold, amplitude)) / CELLS / amplitude
    truth = (stiffness[yields].sum() / CELLS, k0 + stiffness[~yields].sum() / CELLS, area,
             area / (2 * np.pi * secant * amplitude**2))
    assert tuple(found.estimates) == INTEGRALS
    # The other half-widths are those of the same fit: k0 is known only if all of it yields.
    assert found.k0_width == found.estimates["last_slope"][1] if yields.all() else np.isnan(found.k0_width)
    off = [(value - true) / width for (value, width), true in zip(found.estimates.values(), truth)]
    return np.array(off), np.mean((np.abs(found.stiffness - stiffness) <= found.stiffness_width)[found.known])


@pytest.mark.first(1)
@pytest.mark.parametrize("noise, of_x", [(5e-3, 0), (5e-3, 3e-3), (1e-3, 0), (2e-2, 0)])
def test_the_intervals_of_the_integrals_and_the_band_cover_them_as_often(long, noise, of_x):
    """The number of the covered among n cycles is binomial; as twelve are judged, each is asked to lie between the
    quantiles of 0.1 and 99.9 %, as n times the mean square of the errors in their standard deviations, which is χ² of
    n, times 0.8 where the errors of k0 are cut off, as k0 >= 0. That the band is too wide is seen with --long only."""
    count = 200 if long else 20
    found = [each for seed in range(count) if (each := misses(seed, noise, of_x))]
    assert len(found) >= (0.95 if of_x else 1) * count
    off, shares = map(np.array, zip(*found))
    # A piece of s is covered or not, so that one cycle deviates by at most √(0.95·0.05) = 0.22.
    least = (0.87 if of_x else 0.90) if long else 0.95 - 2.5 * 0.22 / np.sqrt(count)
    assert least <= shares.mean() <= (0.98 if long else 1)
    if of_x:  # the intervals contain no error of x at the reversals
        return
    covered = np.sum(np.abs(off) <= 1, axis=0)
    least, most = binom.ppf([0.001, 0.999], count, 0.95)
    assert np.all((least <= covered) & (covered <= most))
    squares, (least, most) = np.sum((1.96 * off)**2, axis=0), chi2.ppf([0.001, 0.999], count)
    assert np.all((0.8 * least <= squares) & (squares <= most))


def test_the_half_widths_of_integrals_are_those_of_their_derivatives():
    """Of three elements with a spring, at coefficients whose standard deviations are known; the amplitude is 1, and a
    quarter of the last element counts twice in the integral."""
    threshold, coefficients, deviation = np.array([0.2, 0.5, 0.9]), np.array([7, 0.3, 1, 2, 0.5]), np.arange(1, 6) / 100

    def estimates(changed):
        fit = SimpleNamespace(coefficients=changed, covariance=np.diag(deviation**2))
        return _estimates(fit, threshold, np.eye(3), 2, np.array([0, 0, 0.25]))

    found = estimates(coefficients)
    area = 4 * np.sum(coefficients[2:] * threshold * (1 - threshold))
    ratio = area / (2 * np.pi * (0.3 + np.sum(coefficients[2:] * threshold)))
    assert [found[name][0] for name in INTEGRALS] == pytest.approx([3.625, 0.175, area, ratio])
    steps = 1e-4 * np.eye(5)
    for name in INTEGRALS:
        slopes = [(estimates(coefficients + step)[name][0] - estimates(coefficients - step)[name][0]) / 2e-4
                  for step in steps]
        assert found[name][1] == pytest.approx(1.96 * np.linalg.norm(slopes * deviation), rel=1e-5)


def test_the_half_width_is_as_many_deviations_as_cover():
    """That the truth lies within 1.45 in 95 % of s cannot be worked out: in 60 cycles it was 96 %, within 1.96 98 %."""
    deviation = np.array([0.1, 0.2, 0.3, 0.4])
    fit = SimpleNamespace(coefficients=np.r_[0, 0, np.ones(4)], covariance=np.diag(np.r_[9, 9, deviation**2]),
                          smoothing=1, freedom=4, noise=0, estimates={}, ends=0)
    found = _continued(None, MIDDLES[:4], MIDDLES[:4], np.full(4, True), np.eye(4), fit)
    np.testing.assert_allclose(found.stiffness_width, 1.45 * deviation)


def test_the_noise_of_samples_that_differ_is_that_of_their_mean_variance():
    # η = s, k = 1; every other force is known ten times as well.
    distance, error = np.linspace(0, 2.5, 2000), np.tile([0.001, 0.01], 1000)
    force = np.minimum(distance, 2 * MIDDLES[:, None]).mean(axis=0)
    force += error * np.random.default_rng(7).standard_normal(2000)
    found = _fit(distance, force, error.min() / error, MIDDLES, _basis(MIDDLES, 5) / CELLS)
    # The weighted sum of 2000 squares is known to √(2/2000) = 3 %, its root to half of that.
    assert found.noise == pytest.approx(np.sqrt(np.mean(error**2)), rel=0.05)


@pytest.mark.parametrize("motion, share", [(np.cos, 1e-3), (lambda phase: 2 * np.abs(phase / np.pi - 1) - 1, 1e-2)])
def test_the_noise_of_x_is_found_and_taken_out_and_a_motion_without_noise_stays_as_it_is(share, motion):
    x = motion(np.linspace(0, 2 * np.pi, 4001))
    measured = noisy(x, share, 3)
    # The median of 4000 numbers is known to 2 %; neighbours share differences.
    assert noise(measured) == pytest.approx(2 * share, rel=0.1)
    found = with_smooth_x(Measured(Path("c"), None, measured, x))
    # Windows of 7 samples and more: the noise of a cubic's middle is √(1/3) of theirs at most, ends apart.
    assert np.std(found.x - x) < 2 * share / np.sqrt(3)
    for x in (x, motion(np.linspace(0, 2 * np.pi, 100))):
        curve = with_smooth_x(Measured(Path("c"), None, x, x))
        assert curve.x is x and curve.force is x and curve.noise.x == 0


def test_noise_in_x_is_named(run_script, undrawn, tmp_path):
    x = one_cycle(1.5, 2000)
    force = noisy(drive(x, *continuum(lambda s: s + 0.1, lambda s: 1.0)), 0.01, 2)
    lab = write_csv(tmp_path / "lab.csv", "x,force", noisy(x, 0.005, 3), force)
    code, out, err = run_script(identify, lab, "--threshold", "s+0.1")
    assert (code, err) == (0, "") and "errors in both" in out
    assert float(re.search("noise of x (.*) % of its range", out)[1]) == pytest.approx(0.5, rel=0.1)
