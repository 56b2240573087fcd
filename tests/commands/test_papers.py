"""Statements of the papers that are closed forms, on the program's own case files: the half-cycle and the family of
section 5 of continuous-masing-2001, the slip phase (4.8), (4.9) and the half-cycle (4.23), (4.24) of
rheological-models-2000; and the numbers of figures 16 to 29 of the latter from two exact solutions."""

from pathlib import Path

import numpy as np
import pytest

CASES = Path(__file__).resolve().parents[2] / "jobs" / "cases"


def samples(masing, case, *words):
    """(t, x, restoring) of a case file of the repository."""
    run = masing.run(f"--config={CASES / case}", *words)
    return [run[name] for name in ("t", "x", "restoring")]


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
    run = masing.run("--stiffness=1", "--threshold=1", f"--force={f}*cos({omega}*t)", "--cells=1", "--engine=exact",
                     "--final-time=100", "--steps=100000", "--sample-every=10")
    t, x, y, force = (run[name] for name in ("t", "x", "y", "restoring"))
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


def test_a_cycle_that_slips_nearly_always_is_that_of_a_free_mass(masing):
    f, omega, period = 20.0, 0.1, 20 * np.pi
    t, x, force = samples(masing, "rheology-fig16.ini", "--engine=exact", f"--final-time={100 * period!r}",
                          "--steps=200000", f"--from={98 * period!r}", "--sample-every=1", "--field-every=0")
    assert np.mean(np.abs(np.abs(force) - 1) < 1e-12) > 0.95
    first = int(np.argmin(x[:2000]))
    since, moved = (each[first: first + 1001] - each[first] for each in (t, x))
    # (4.9), whose print has sin(ω(t - t0)) and the amplitude (4.10): with t0 where x is least, (4.8) is
    # 2f/ω² sin²(ω(t - t0)/2) where kη ≪ f. The friction kη = 1 turns the velocity over at sin ωt0 = -πη/(2f), half a
    # period long: the terms that this adds to (4.8) are at most ηL²(1/(2π) - 1/8), L = π/ω, and 2f/ω²(1 - cos ωt0). The
    # elastic phase takes √(4η/f), and changes the velocity by at most η times that.
    amplitude, half = 2 * f / omega**2, np.pi / omega
    allowed = half**2 * (1 / (2 * np.pi) - 1 / 8) + amplitude * (np.pi / (2 * f)) ** 2 / 2 + half * np.sqrt(4 / f)
    assert allowed < 0.016 * amplitude
    assert np.abs(moved - amplitude * np.sin(omega * since / 2) ** 2).max() < allowed
    assert abs(np.ptp(x) - amplitude) < allowed


COSINE = 4 * np.pi  # the period of cos(0.5 t)
FIVE = ("--cells=5", "--stiffness=5", "--threshold=5*s")
THIRTY = ("--cells=30", "--stiffness=1", "--threshold=30*s")
TABLE_V = ("--cells=5", "--stiffness=points:0.2 5; 0.4 10; 0.6 3.3333333333333335; 0.8 0.41666666666666667; 1 1.25",
           "--threshold=points:0.2 0.5; 0.4 1; 0.6 2; 0.8 3.5; 1 5.5")
# The period of the force, periods, width of x over the last of them and how far x drifts in it, the elements as cells
# of a slab. The paper sees of 16 a width of 4000, of 17 of 40, of 20 the same cycle twice, of 25 a ratchet.
FIGURES = {
    "16": (20 * np.pi, 31, 3998.235408, -2.185, ("--cells=1", "--threshold=1")),
    "17": (20 * np.pi, 4, 39.829272, -0.0005, ("--cells=1", "--threshold=1", "--k0=1")),
    "18": (20 * np.pi, 127, 3997.194975, 0, ("--cells=1", "--threshold=1")),
    "19": (20 * np.pi, 28, 3999.094685, -3.988, ("--cells=1", "--threshold=1")),
    "20a": (COSINE, 159, 7.839765, 0, ("--cells=1", "--threshold=1")),
    "20b": (COSINE, 159, 7.839765, 0, ("--cells=1", "--threshold=1", "--initial-u=0.99", "--x0=100", "--y0=-200")),
    "21a": (COSINE, 238, 14.286491, 0, FIVE),
    "21b": (COSINE, 238, 5.210045, 0, FIVE),
    "22a": (COSINE, 318, 98.633972, 0, THIRTY),
    "22b": (COSINE, 318, 86.967582, 0, (*THIRTY, f"--k0={1 / 30!r}")),
    "23a": (COSINE, 318, 518.579097, 0, ("--cells=100", "--stiffness=1", "--threshold=100*s")),
    "24": (2, 1000, 2.712574, 0, ("--cells=1", "--threshold=1")),
    "25": (2, 250, 12.894531, 5.457, ("--cells=1", "--threshold=1")),
    "27a": (2, 250, 11.563756, -0.001, ("--cells=1", "--threshold=1", "--k0=1")),
    "28": (2, 500, 105.781347, 0, (*THIRTY, f"--k0={1 / 30!r}")),
    "29": (COSINE, 79, 35.514520, 0, TABLE_V),
}
SHORT = ("16", "17", "25", "29")  # those of few events, one of each kind
LONG = [name for name in FIGURES if name not in SHORT]


@pytest.mark.parametrize("figure", [*SHORT, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)])
def test_a_figure_has_its_numbers(masing, figure):
    """Once from event to event of the elements' modes, once as a slab by its turning points."""
    period, periods, width, drift, cells = FIGURES[figure]
    path = CASES / f"rheology-fig{figure}.ini"
    force = next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("force"))
    samples_a_period = 2000
    when = (f"--final-time={period * periods!r}", f"--steps={samples_a_period * periods}", "--sample-every=1",
            f"--from={period * (periods - 1.5)!r}", f"--to={period * periods!r}", "--engine=exact", "--field-every=0")
    elements = masing.run(f"--config={path}", *when)
    words = (f"--force={force.split('=', 1)[1].strip()}", "--stiffness=1", *cells, *when)
    slab = masing.run(*{word.split("=")[0]: word for word in words}.values())
    for name in ("x", "restoring"):
        assert np.all(np.abs(elements[name] - slab[name]) < 1e-9 * np.abs(elements[name]).max()), name
    last = elements["x"][-samples_a_period - 1:]
    # To the digits given, and what the two solutions may differ by.
    differ = 1e-9 * np.abs(elements["x"]).max()
    assert np.ptp(last) == pytest.approx(width, abs=1e-6 + differ)
    assert last[-1] - last[0] == pytest.approx(drift, abs=5e-4 + differ)
