"""The limit cycle of the papers' slab by two methods that use nothing of the program: harmonic balance, and a solver of
ODEs from one slip or reversal to the next. Written from the equations in M. Krack and J. Gross, Harmonic Balance for
Nonlinear Vibration Problems, Springer, 2019, chapters 2 and 3."""

import numpy as np
import pytest
from result_files import numbers
from scipy.integrate import solve_ivp

FORCE, K0, FREQUENCY, SAMPLES = 0.45, 0.2, 0.8, 1024
PERIOD = 2 * np.pi / FREQUENCY


def elements(count):
    """k_i = 1/n and η_i = s_i + 0.1 of n elements at s_i = (i - 1/2)/n, each [n]."""
    return np.full(count, 1 / count), (np.arange(count) + 0.5) / count + 0.1


def basis(harmonics, samples):
    """1, cos jφ, sin jφ for j = 1, …, H at the phases φ of the samples, [samples, 2H + 1]."""
    turns = 2 * np.pi * np.outer(np.arange(samples), np.arange(1, harmonics + 1)) / samples
    both = np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(samples, -1)
    return np.hstack([np.ones((samples, 1)), both])


def hysteresis(stiffness, threshold, q, functions):
    """Σ f_i at the samples of a period of x = functions·q, [M], and its slope by q, [M, 2H + 1].

    The elements go through the period twice from u = 0, x = 0; the second time counts. As long as x rises or falls, u
    is what it was before, and the way since then, between the thresholds: so the samples between two reversals are
    evaluated at once. While an element sticks, d u/d q is d x/d q now less that at its last slip. One that never slips
    has u = x for ever: it keeps nothing of a transient.
    """
    samples, size = functions.shape
    x, rows = np.r_[0.0, np.tile(functions @ q, 2)], np.vstack([np.zeros(size), functions, functions])
    u, slipped = np.zeros(len(stiffness)), np.zeros((len(stiffness), size))
    reversals = np.flatnonzero(np.diff(np.sign(np.diff(x)))) + 1
    forces, slopes = [], []
    for first, end in zip(np.r_[0, reversals], np.r_[reversals, 2 * samples]):
        trial = u + (x[first + 1:end + 1, None] - x[first])
        held = np.clip(trial, -threshold, threshold)
        sticks = held == trial
        forces.append(held @ stiffness)
        sticking = sticks * stiffness
        slopes.append(sticking.sum(axis=1)[:, None] * rows[first + 1:end + 1] - sticking @ slipped)
        u, slipped = held[-1], np.where(sticks[-1][:, None], slipped, rows[end])
    return np.concatenate(forces)[samples:], np.concatenate(slopes)[samples:]


def balanced(count, harmonics, samples=SAMPLES, force=FORCE, frequency=FREQUENCY):
    """The amplitude of n elements by Newton's method on the residual's harmonics 0 to H, from the response when nothing
    slips."""
    functions, (stiffness, threshold) = basis(harmonics, samples), elements(count)
    project = functions.T * (np.r_[1.0, np.full(2 * harmonics, 2.0)] / samples)[:, None]
    linear = np.diag(np.repeat(K0 - (np.arange(harmonics + 1) * frequency) ** 2, 2)[1:])
    load = force * np.eye(2 * harmonics + 1)[1]

    def residual(q):
        f, slope = hysteresis(stiffness, threshold, q, functions)
        return linear @ q + project @ f - load, linear + project @ slope

    q = np.linalg.solve(linear + stiffness.sum() * np.eye(len(load)), load)
    here, slope = residual(q)
    for _ in range(100):
        step, part = np.linalg.solve(slope, -here), 1.0
        while np.linalg.norm((trial := residual(q + part * step))[0]) >= np.linalg.norm(here) and part > 1e-3:
            part /= 2
        q, (here, slope) = q + part * step, trial
        if np.linalg.norm(here) <= 1e-11 * force:
            return np.ptp(basis(harmonics, 2**16) @ q) / 2
    raise AssertionError(f"no convergence: residual {np.linalg.norm(here):.1e}")


def between_events(count, tolerance=1e-8):
    """The amplitude after ten periods from rest, when the motion has settled to 4e-11: between a slip, or reversal of x,
    and the next, which DOP853 finds, the elements that stick are one spring."""
    (k, threshold), now, state = elements(count), 0.0, np.zeros(2)
    u, slides, direction, extremes = np.zeros(count), np.zeros(count, dtype=bool), 1, []
    while now < 10 * PERIOD:
        stiffness = K0 + k[~slides].sum()
        level = K0 * state[0] + k @ u - stiffness * state[0]

        def slope(t, state, stiffness=stiffness, level=level):
            return state[1], FORCE * np.cos(FREQUENCY * t) - stiffness * state[0] - level

        left = np.where(slides, np.inf, threshold - direction * u)
        place = state[0] + direction * left.min()
        reversal, slip = (lambda t, state: state[1]), (lambda t, state, place=place: state[0] - place)
        reversal.terminal = slip.terminal = True
        reversal.direction, slip.direction = -direction, direction
        found = solve_ivp(slope, (now, 10 * PERIOD), state, "DOP853", rtol=tolerance, atol=0.01 * tolerance,
                          events=(reversal, slip), max_step=0.2)
        before, now, state = state[0], found.t[-1], found.y[:, -1]
        u = np.where(slides, u, u + state[0] - before)
        if len(found.t_events[1]):
            first = int(np.argmin(left))
            slides[first], u[first] = True, direction * threshold[first]
        elif len(found.t_events[0]):
            extremes.append(state[0])
            state[1], direction, slides[:] = 0.0, -direction, False
    return abs(extremes[-1] - extremes[-2]) / 2


@pytest.fixture(scope="module")
def exact(masing_once):
    """Amplitudes of limit cycles of the program, by cells."""
    words = ("--steady", f"--k0={K0}", f"--force={FORCE}*cos({FREQUENCY}*t)", "--rule=midpoint", "--over=mass=1,2")
    return {cells: numbers(masing_once.made("scan", *words, f"--cells={cells}"))["points/amplitude"][0]
            for cells in (10, 20, "inf")}


def test_from_event_to_event_it_is_the_cycle_of_as_many_cells_and_extrapolated_of_the_continuum(exact):
    few, many = between_events(10), between_events(20)
    assert (few, many) == pytest.approx((exact[10], exact[20]), abs=1e-8)
    assert (4 * many - few) / 3 == pytest.approx(exact["inf"], abs=5e-7)


def test_where_nothing_slips_harmonic_balance_is_a_linear_oscillator():
    # |k - mω²| = a/X with k = k0 + Σk_i = 1.2; X < min η, 0.15.
    assert balanced(10, 3, 64, 0.05, 1.5) == pytest.approx(0.05 / abs(1.2 - 1.5**2), rel=1e-6)


def test_with_harmonics_it_comes_to_the_cycle_of_as_many_cells(exact):
    omega, tau, fastest = FREQUENCY, PERIOD, 1.7 * 0.8  # |y| of a motion of 1.64 that is nearly a cosine
    # S' jumps by k_i |y| where element i begins to slip, twice a period, by V = 2 Σk |y| in all. So the harmonic j of S
    # is below 2 V / (τ j²ω²), of x below that / (j²ω² - k0); samples miss an extreme by half their distance at most.
    odd = np.arange(1, 10001, 2)
    of_x = 2 * 2 * fastest / (tau * (odd * omega) ** 2) / abs((odd * omega) ** 2 - 0.2)
    for harmonics in (3, 9, 25):
        error = abs(balanced(10, harmonics, 4 * SAMPLES) - exact[10])
        assert error < of_x[odd > harmonics].sum() + fastest * omega * (tau / (4 * SAMPLES)) ** 2 / 8, harmonics


def test_with_elements_it_comes_to_the_continuous_slab_at_order_two(exact):
    error = [abs(balanced(count, 9) - exact["inf"]) for count in (10, 20, 40, 80)]
    assert np.allclose(np.log2(np.array(error[:-1]) / error[1:]), 2, rtol=0, atol=0.2), error  # the midpoint rule
