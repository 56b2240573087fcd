"""Statements of the papers that are closed forms, on the program's own case files: the half-cycle and the family of section 5
of continuous-masing-2001, the slip phase (4.8) and the half-cycle (4.23), (4.24) of rheological-models-2000."""

from pathlib import Path

import h5py
import numpy as np

CASES = Path(__file__).resolve().parents[2] / "jobs" / "cases"


def samples(masing, case, *words):
    """(t, x, restoring) of a case file of the repository."""
    masing.done("simulate", f"--config={CASES / case}", "--quiet", *words)
    with h5py.File(masing.folder / "masing.h5") as file:
        return [file[f"series/{name}"][:] for name in ("t", "x", "restoring")]


def test_the_half_cycle_of_a_continuum_is_theta(masing):
    _, x, force = samples(masing, "theta-fig05.ini")
    # From all u = -η, f(x) = ∫ k min(x - η, η) ds = 2 B(x/2) - B(∞), B the backbone of the slab of section 6.
    half = x / 2
    backbone = np.where(half <= 0.1, half, np.where(half <= 1.1, -half**2 / 2 + 1.1 * half - 0.005, 0.6))
    np.testing.assert_allclose(force, 2 * backbone - 0.6, atol=1e-10)
    # (27): 2 (η(1) - η(0)) Θ″ = -k, here Θ″ = -1/2, on (2 η(0), 2 η(1)). Second differences at h = 0.01 divide rounding
    # by h².
    inside = (x[1:-1] > 0.2 + 0.02) & (x[1:-1] < 2.2 - 0.02)
    curvature = np.diff(force, 2) / np.diff(x)[0] ** 2
    np.testing.assert_allclose(2 * curvature[inside], -1, atol=1e-7)
    assert np.all(curvature <= 1e-7)


def test_a_family_shares_one_cycle(masing):
    one, other = (np.array(samples(masing, f"family-{name}.ini")) for name in "ab")
    # k/η′ is 1 over η in [0.1, 1.1] for both: S(x) is the same function of the turning points. Both solutions check
    # themselves to 1e-10 or better.
    np.testing.assert_allclose(one, other, atol=1e-9)
    # A profile of another density over η has another cycle.
    changed = np.array(samples(masing, "family-b.ini", "--stiffness=1"))
    assert np.abs(one - changed).max() > 1e-2


def test_a_half_cycle_has_the_slopes_and_corners_of_its_elements(masing):
    for case, corners, slopes in (
            ("rheology-fig14.ini", [0.4, 0.8, 1.2, 1.6, 2.0], [1.2, 1.0, 0.8, 0.6, 0.4, 0.2]),
            ("rheology-fig15.ini", [1, 2, 4, 7, 11], [4, 3, 1, 1 / 3, 1 / 4, 0])):
        _, x, force = samples(masing, case)
        corners = np.array([0, *corners])
        at = np.maximum(x[:, None] - corners, 0)
        # (4.23): the slope changes by -k_i at each corner d_i = 2 η_i, (4.24).
        np.testing.assert_allclose(force - force[0], at @ np.diff([0, *slopes]), atol=1e-9)


def test_a_slip_phase_is_the_closed_form(masing):
    f, omega, limit = 20.0, 0.1, 1.0
    masing.done("simulate", "--stiffness=1", "--threshold=1", f"--force={f}*cos({omega}*t)", "--cells=1",
                "--engine=exact", "--final-time=100", "--steps=100000", "--sample-every=10", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        t, x, y, force = (file[f"series/{name}"][:] for name in ("t", "x", "y", "restoring"))
    slips = np.abs(np.abs(force) - limit) < 1e-13
    first = np.flatnonzero(np.diff(slips.astype(int)) == 1)[2] + 1
    last = first + np.flatnonzero(~slips[first:])[0] - 1
    assert last - first > 100
    # (4.8) with what its print lacks: half the arguments of the sines, and x′(t0); u = εη, m = 1, k0 = 0.
    sign, t0, since = np.sign(force[first]), t[first], t[first:last] - t[first]
    both = t[first:last] + t0
    closed = (2 * f / omega**2 * np.sin(omega * both / 2) * np.sin(omega * since / 2) - sign * limit / 2 * since**2
              + (y[first] - f / omega * np.sin(omega * t0)) * since + x[first])
    np.testing.assert_allclose(x[first:last], closed, atol=1e-11 * 2 * f / omega**2)
    # (4.10): over one slip phase x moves by about 2f/(m ω²).
    assert 0.5 < np.ptp(x[first:last]) / (2 * f / omega**2) < 1.5
