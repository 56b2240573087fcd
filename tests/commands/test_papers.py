"""Statements of the papers that are closed forms, on the program's own case files: the half-cycle and the family of
section 5 of continuous-masing-2001 and the half-cycle (4.23), (4.24) of rheological-models-2000. The numbers that the
second paper reads off its figures are computed by two exact solutions and by its scheme."""

import re
from pathlib import Path

import numpy as np
import pytest

CASES = Path(__file__).resolve().parents[2] / "jobs" / "cases"


def value(path, key):
    """The value of a key in a case file, as text."""
    return re.search(f"^{key} *= *(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)[1].strip()


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


def test_a_family_shares_one_cycle(masing):
    one, other = (np.array(samples(masing, "family.ini", *words))
                  for words in (("--stiffness=1", "--threshold=s+0.1"), ()))
    # k/η′ is 1 over η in [0.1, 1.1] for both: S(x) is the same function of the turning points. Both solutions check
    # themselves to 1e-10 or better.
    np.testing.assert_allclose(one, other, atol=1e-9)
    # A profile of another density over η has another cycle.
    assert np.abs(one - np.array(samples(masing, "family.ini", "--stiffness=1"))).max() > 1e-2


@pytest.mark.parametrize(("case", "corners", "slopes"), [
    ("14", [0, 0.4, 0.8, 1.2, 1.6, 2.0], [1.2, 1.0, 0.8, 0.6, 0.4, 0.2]),
    ("15", [0, 1, 2, 4, 7, 11], [4, 3, 1, 1 / 3, 1 / 4, 0])])
def test_a_half_cycle_has_the_slopes_and_corners_of_its_elements(masing, case, corners, slopes):
    _, x, force = samples(masing, f"rheology-fig{case}.ini")
    at = np.maximum(x[:, None] - np.array(corners), 0)
    # (4.23): the slope changes by -k_i at each corner d_i = 2 η_i, (4.24).
    np.testing.assert_allclose(force - force[0], at @ np.diff([0, *slopes]), atol=1e-9)


COSINE = 4 * np.pi  # the period of cos(0.5 t)
TABLE_V = ("--cells=5", "--stiffness=points:0.2 5; 0.4 10; 0.6 3.3333333333333335; 0.8 0.41666666666666667; 1 1.25",
           "--threshold=points:0.2 0.5; 0.4 1; 0.6 2; 0.8 3.5; 1 5.5")
# The period of the force, periods, width of x over the last of them and how far x drifts in it, the elements as cells
# of a slab. The paper sees of 17 a width of 40, of 25 a ratchet.
FIGURES = {
    "17": (20 * np.pi, 4, 39.829272, -0.0005, ("--cells=1", "--threshold=1", "--k0=1")),
    "29": (COSINE, 79, 35.514520, 0, TABLE_V),
    "25": (2, 250, 12.894531, 5.457, ("--cells=1", "--threshold=1")),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_has_its_numbers(masing, figure):
    """Once from event to event of the elements' modes, once as a slab by its turning points."""
    period, periods, width, drift, cells = FIGURES[figure]
    path, a_period = CASES / f"rheology-fig{figure}.ini", 2000
    when = (f"--final-time={period * periods!r}", f"--steps={a_period * periods}", "--sample-every=1",
            f"--from={period * (periods - 1.5)!r}", f"--to={period * periods!r}", "--engine=exact", "--field-every=0")
    elements = masing.run(f"--config={path}", *when)
    words = (f"--force={value(path, 'force')}", "--stiffness=1", *cells, *when)
    slab = masing.run(*{word.split("=")[0]: word for word in words}.values())
    for name in ("x", "restoring"):
        assert np.all(np.abs(elements[name] - slab[name]) < 1e-9 * np.abs(elements[name]).max()), name
    last = elements["x"][-a_period - 1:]
    # To the digits given, and what the two solutions may differ by.
    differ = 1e-9 * np.abs(elements["x"]).max()
    assert np.ptp(last) == pytest.approx(width, abs=1e-6 + differ)
    assert last[-1] - last[0] == pytest.approx(drift, abs=5e-4 + differ)
    # The case as it is, by the scheme of order one: to some steps of 0.001 or 0.002.
    x = masing.run(f"--config={path}", "--sample-every=1", f"--from={period * (periods - 1)!r}",
                   f"--to={period * periods!r}", "--field-every=0")["x"]
    assert np.ptp(x) == pytest.approx(width, rel=4e-3)
    assert x[-1] - x[0] == pytest.approx(drift, abs=4e-3 * width)


def test_the_dashpot_of_figure_30_vanishes_as_c_grows(masing):
    t, prandtl, _ = samples(masing, "rheology-fig20a.ini")
    late = t > 2000 - COSINE
    apart = [np.ptp((samples(masing, "rheology-fig30a.ini", f"--set=c={c}", "--from=50")[1] - prandtl)[late]) / 2
             for c in (100, 1000)]
    assert apart[0] < 0.01 * np.ptp(prandtl[late]) and apart[0] / apart[1] == pytest.approx(10, rel=0.1)


def test_the_bridge_of_the_gephyroid_leaves_its_bound_as_the_others_reach_theirs(masing):
    state = masing.run(f"--config={CASES / 'persoz-fig2.ini'}")["state/values"]
    for sign in (1, -1):
        g2, g3, g1 = sign * state[:, 2:].T
        slipping = (g2 == 2) & (g3 == 3)
        reached = np.flatnonzero(~slipping[:-1] & slipping[1:])
        # While only element 2 slips, the bridge is at its bound without slipping: up to rounding.
        stuck = g1 < -1 + 1e-12
        assert len(reached) in (3, 4)
        np.testing.assert_array_equal(np.flatnonzero(stuck[:-1] & ~stuck[1:]), reached)
        assert np.all(np.abs(g1[slipping]) < 1)
