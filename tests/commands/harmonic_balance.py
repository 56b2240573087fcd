"""Harmonic balance with the alternating frequency-time method, for a mass on n Jenkins elements in parallel.

m x'' + c x' + k0 x + Σ f_i = a cos(ωt), f_i of element i between -k_i η_i and k_i η_i. Written from the equations in
M. Krack and J. Gross, Harmonic Balance for Nonlinear Vibration Problems, Springer, 2019, chapters 2 and 3.
"""

from dataclasses import dataclass

import numpy as np

# What is compared: the papers' slab with k0 under FORCE·cos(FREQUENCY·t).
FORCE, K0, FREQUENCY = 0.45, 0.2, 0.8


@dataclass(frozen=True)
class Elements:
    """n elements: `stiffness` k_i [n], `threshold` η_i [n]; `mass`, `k0`, `damping` of what they hold."""

    stiffness: np.ndarray
    threshold: np.ndarray
    mass: float = 1.0
    k0: float = 0.0
    damping: float = 0.0


def amplitude(coefficients):
    """Half the difference between the largest and the least x of the Fourier series of coefficients [2H + 1]."""
    return extent(basis(len(coefficients) // 2, 4096) @ coefficients)


def extent(x):
    """Half the difference between the largest and the least x of the samples of a period [n]."""
    peaks = []
    for side in (x, -x):
        # By the parabola through the largest and its neighbours: the error is of the fourth power of their distance.
        i = np.argmax(side)
        before, here, after = side[i - 1], side[i], side[(i + 1) % len(side)]
        peaks.append(here + (after - before) ** 2 / (8 * (2 * here - before - after)))
    return sum(peaks) / 2


def elements(count, stiffness=lambda s: np.ones_like(s), threshold=lambda s: s + 0.1, **oscillator):
    """The continuous slab in n = `count` elements at s_i = (i - 1/2)/n: k_i = k(s_i)/n, η_i = η(s_i)."""
    s = (np.arange(count) + 0.5) / count
    return Elements(stiffness(s) / count, threshold(s), **oscillator)


def basis(harmonics, samples):
    """1, cos jφ, sin jφ for j = 1, …, H at the phases φ of the samples, [samples, 2H + 1]."""
    turns = 2 * np.pi * np.outer(np.arange(samples), np.arange(1, harmonics + 1)) / samples
    both = np.stack([np.cos(turns), np.sin(turns)], axis=2).reshape(samples, -1)
    return np.hstack([np.ones((samples, 1)), both])


def hysteresis(parts, q, basis):
    """Σ f_i at the samples of a period of x = basis·q, [M], and its slope by q, [M, 2H + 1].

    The elements go through the period twice from u = 0, x = 0; the second time counts. As long as x rises or falls, u
    is what it was before, and the way since then, between the thresholds: so the samples between two reversals are
    evaluated at once. While an element sticks, d u/d q is d x/d q now less that at its last slip. One that never slips
    has u = x for ever: it keeps nothing of a transient.
    """
    samples, size = basis.shape
    x = np.r_[0.0, np.tile(basis @ q, 2)]
    rows = np.vstack([np.zeros(size), basis, basis])
    u, slipped = np.zeros(len(parts.stiffness)), np.zeros((len(parts.stiffness), size))
    reversals = np.flatnonzero(np.diff(np.sign(np.diff(x)))) + 1
    forces, slopes = [], []
    for first, end in zip(np.r_[0, reversals], np.r_[reversals, 2 * samples]):
        trial = u + (x[first + 1:end + 1, None] - x[first])
        held = np.clip(trial, -parts.threshold, parts.threshold)
        sticks = held == trial
        forces.append(held @ parts.stiffness)
        stiffness = sticks * parts.stiffness
        slopes.append(stiffness.sum(axis=1)[:, None] * rows[first + 1:end + 1] - stiffness @ slipped)
        u = held[-1]
        slipped = np.where(sticks[-1][:, None], slipped, rows[end])
    return np.concatenate(forces)[samples:], np.concatenate(slopes)[samples:]


def solve(parts, amplitude, frequency, harmonics, samples=1024, start=None, tolerance=1e-11):
    """The coefficients [2H + 1] of 1, cos ωt, sin ωt, cos 2ωt, … under amplitude·cos(frequency·t): Newton's method on
    the residual's harmonics 0 to H, from `start`, else from the response when nothing slips. Raises RuntimeError where
    it does not converge."""
    functions = basis(harmonics, samples)
    project = functions.T * (np.r_[1.0, np.full(2 * harmonics, 2.0)] / samples)[:, None]
    linear = _linear(parts, frequency, harmonics)
    load = np.zeros(2 * harmonics + 1)
    load[1] = amplitude

    def residual(q):
        force, slope = hysteresis(parts, q, functions)
        return linear @ q + project @ force - load, linear + project @ slope

    q = np.linalg.solve(linear + parts.stiffness.sum() * np.eye(len(load)), load) if start is None else start.copy()
    here, slope = residual(q)
    for _ in range(100):
        step = np.linalg.solve(slope, -here)
        part = 1.0
        while True:
            trial, trial_slope = residual(q + part * step)
            if np.linalg.norm(trial) < np.linalg.norm(here) or part < 1e-3:
                break
            part /= 2
        q, here, slope = q + part * step, trial, trial_slope
        if np.linalg.norm(here) <= tolerance * amplitude:
            return q
    raise RuntimeError(f"harmonic balance does not converge at {len(parts.stiffness)} elements, {harmonics} harmonics, "
                       f"frequency {frequency:g}: residual {np.linalg.norm(here):.1e}")


def _linear(parts, frequency, harmonics):
    """k0 - m j²ω² and ± c j ω of each harmonic j, as a matrix on the coefficients."""
    matrix = np.diag(np.repeat(parts.k0 - parts.mass * (np.arange(harmonics + 1) * frequency) ** 2, 2)[1:])
    for harmonic in range(1, harmonics + 1):
        cosine = 2 * harmonic - 1
        matrix[cosine, cosine + 1] = parts.damping * harmonic * frequency
        matrix[cosine + 1, cosine] = -parts.damping * harmonic * frequency
    return matrix
