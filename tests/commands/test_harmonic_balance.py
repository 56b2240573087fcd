"""Harmonic balance with Jenkins elements, as it is compared with the continuous slab: a closed form where nothing
slips, and orders in the elements and the harmonics against limit cycles of the program."""

import numpy as np
import pytest

import harmonic_balance
from harmonic_balance import FORCE, FREQUENCY, K0
from result_files import numbers

SAMPLES = 1024


@pytest.fixture(scope="module")
def exact(masing_once):
    """Amplitudes of the papers' slab, k0 = 0.2, F = 0.45 cos 0.8t, by cells."""
    words = ("scan", "--steady", "--quiet", f"--k0={K0}", f"--force={FORCE}*cos({FREQUENCY}*t)", "--rule=midpoint")
    for cells in ("10", "inf"):
        masing_once.done(*words, "--over=mass=1", f"--cells={cells}", f"--output={cells}.h5")
    return {cells: numbers(masing_once.folder / f"{cells}.h5")["points/amplitude"][0] for cells in ("10", "inf")}


def amplitude(count, harmonics, samples=SAMPLES):
    elements = harmonic_balance.elements(count, k0=K0)
    return harmonic_balance.amplitude(harmonic_balance.solve(elements, FORCE, FREQUENCY, harmonics, samples))


def test_where_nothing_slips_it_is_a_linear_oscillator():
    elements = harmonic_balance.elements(10, mass=2.0, k0=0.3, damping=0.4)
    found = harmonic_balance.amplitude(harmonic_balance.solve(elements, 0.05, 1.5, 3, 64))
    # |k - mω² + icω| = a/X with k = k0 + Σk_i; X < min η, 0.15.
    assert found == pytest.approx(0.05 / abs(1.3 - 2 * 1.5**2 + 0.6j), rel=1e-6)  # of 4096 samples' parabola


def test_with_harmonics_it_comes_to_the_cycle_of_as_many_cells(exact):
    omega, tau, fastest = 0.8, 2 * np.pi / 0.8, 1.7 * 0.8  # |y| of a motion of 1.64 that is nearly a cosine
    # S' jumps by k_i |y| where element i begins to slip, twice a period, by V = 2 Σk |y| in all. So the harmonic j of S
    # is below 2 V / (τ j²ω²), of x below that / (j²ω² - k0); samples miss an extreme by half their distance at most.
    odd = np.arange(1, 10001, 2)
    of_x = 2 * 2 * fastest / (tau * (odd * omega) ** 2) / abs((odd * omega) ** 2 - 0.2)
    samples = 4 * SAMPLES
    for harmonics in (3, 9, 25):
        error = abs(amplitude(10, harmonics, samples) - exact["10"])
        assert error < of_x[odd > harmonics].sum() + fastest * omega * (tau / samples) ** 2 / 8, harmonics


def test_with_elements_it_comes_to_the_continuous_slab_at_order_two_until_harmonics_limit_it(exact):
    error = {(count, harmonics): abs(amplitude(count, harmonics) - exact["inf"])
             for count in (10, 20, 40, 80) for harmonics in (1, 9)}
    orders = np.log2([error[count, 9] / error[2 * count, 9] for count in (10, 20, 40)])
    assert np.allclose(orders, 2, rtol=0, atol=0.2), orders  # the midpoint rule
    assert error[80, 1] > 0.8 * error[40, 1]
    assert error[80, 9] < 0.1 * error[80, 1]


@pytest.mark.long
def test_over_a_response_it_has_the_amplitudes_of_the_continuous_slab(masing):
    """Also where a part does not yield: harmonic balance forgets the past there, which only moves the cycle."""
    frequencies, before = [round(0.3 + 0.15 * i, 2) for i in range(10)], None
    masing.done("scan", "--steady", "--quiet", "--cells=inf", f"--k0={K0}", f"--force={FORCE}*cos(w*t)",
                f"--over=w={','.join(map(repr, frequencies))}")
    found = numbers(masing.folder / "masing.h5")
    assert found["points/frozen"].max() > 0.8
    for frequency, expected in zip(frequencies, found["points/amplitude"]):
        before = harmonic_balance.solve(harmonic_balance.elements(200, k0=K0), FORCE, frequency, 15, start=before)
        assert abs(harmonic_balance.amplitude(before) - expected) < 1e-5, frequency
