"""P = ∞ for profiles that jump, wave or have narrow peaks, against sums of many cells and closed forms; and wide
ranges of k at every P. The slab is moved to given x(t), so that its force is known without any time step."""

import time

import h5py
import numpy as np
import pytest
from result_files import contents

# x(t): to 2.5, back to -2.5, and on, with stops on the way
PATH = "points:0 0; 1 2.5; 2 -2.5; 3 0.4"
TIMES = (0.02, 0.1, 0.4, 1, 1.06, 1.3, 2, 2.14, 2.6, 3)


def forces(masing, *words, steps=150):
    """S at the TIMES, for the slab with P = ∞."""
    masing.done("simulate", "--model=masing-quasistatic", "--k0=0", "--cells=inf", f"--position={PATH}",
                "--final-time=3", f"--steps={steps}", "--quiet", "--output=slab.h5", *words)
    with h5py.File(masing.folder / "slab.h5") as file:
        t, restoring = file["series/t"][:], file["series/restoring"][:]
    return np.interp(TIMES, t, restoring)


def position(t):
    return np.interp(t, (0, 1, 2, 3), (0, 2.5, -2.5, 0.4))


def sums(weight, k, eta, u0):
    """Σ k u δs at the TIMES by clamping every cell, in long double."""
    u, here, found = u0.copy(), 0.0, []
    for t in sorted({*TIMES, 1, 2}):
        x = position(t)
        np.clip(u + (x - here), -eta, eta, out=u)
        here = x
        if t in TIMES:
            found.append(float(np.sum(weight * k * u, dtype=np.longdouble)))
    return np.array(found)


class Piecewise:
    """A function with jumps at random places, as an expression and as NumPy sees it."""

    def __init__(self, random, low, high):
        self.cuts = np.sort(random.uniform(0, 1, random.integers(0, 4)))
        self.texts, self.parts = [], []
        for _ in range(len(self.cuts) + 1):
            a, b = random.uniform(low, high), random.uniform(-0.45, 0.45) * low
            w = random.uniform(-30, 30)
            text, part = [
                (f"{a!r}", lambda s, a=a: np.full_like(s, a)),
                (f"({a!r}+({b!r})*s)", lambda s, a=a, b=b: a + b * s),
                (f"({a!r}+({b!r})*s^2)", lambda s, a=a, b=b: a + b * s * s),
                (f"({a!r}+({b!r})*sin(({w!r})*s))", lambda s, a=a, b=b, w=w: a + b * np.sin(w * s)),
            ][random.integers(4)]
            self.texts.append(text)
            self.parts.append(part)

    def text(self):
        text = self.texts[-1]
        for cut, part in zip(self.cuts[::-1], self.texts[-2::-1]):
            text = f"(s<{cut!r}?{part}:{text})"
        return text

    def __call__(self, s, inside):
        """At the places s of a stretch without a jump, `inside` one of them."""
        return self.parts[int(np.searchsorted(self.cuts, inside, side="right"))](s)


def test_random_piecewise_profiles_are_what_many_cells_tend_to(masing, long):
    """Each stretch between jumps has its own cells, so that jumps cost nothing: second order in δs, with second
    derivatives of k u up to some 10⁴."""
    cells, tries = (10**7, 1000) if long else (2 * 10**5, 6)
    for seed in range(tries):
        random = np.random.default_rng(seed)
        k, eta = Piecewise(random, 0.3, 3), Piecewise(random, 0.2, 1.5)
        share = random.uniform(-0.9, 0.9) if seed % 3 == 0 else 0.0  # u0 = share·η is admissible
        words = [f"--stiffness={k.text()}", f"--threshold={eta.text()}"]
        words += [f"--initial-u={share!r}*{eta.text()}"] if share else []
        found = forces(masing, *words)
        ends = np.unique([0, *k.cuts, *eta.cuts, 1])
        expected = np.zeros(len(TIMES))
        for a, b in zip(ends, ends[1:]):
            count = max(64, int(cells * (b - a)))
            s = a + (b - a) * (np.arange(count) + 0.5) / count
            middle = (a + b) / 2
            stretch = eta(s, middle)
            expected += sums((b - a) / count, k(s, middle), stretch, share * stretch)
        assert np.max(np.abs(found - expected)) < 2e4 / cells**2 + 1e-11, (seed, words)


def test_a_jump_of_the_threshold_costs_nothing(masing):
    """S = ∫ min(x, η) on the way up, η = 0.2 + s, then 0.9 + s."""
    began = time.monotonic()
    found = forces(masing, "--threshold=s<0.5?0.2+s:0.9+s")
    assert time.monotonic() - began < 20
    saturated = (0.2 + 0.7) / 2 * 0.5 + (1.4 + 1.9) / 2 * 0.5
    assert abs(found[0] - 0.05) < 1e-14
    # at x = 1 the first half slides, the other not
    assert abs(found[2] - (0.225 + 0.5)) < 1e-13
    assert abs(found[3] - saturated) < 1e-13


def test_a_jump_of_the_stiffness_lies_where_it_is(masing):
    found = forces(masing, "--stiffness=s<0.3123456789?1:3", "--threshold=3+s")
    whole = 0.3123456789 + 3 * (1 - 0.3123456789)
    assert np.max(np.abs(found - whole * position(np.array(TIMES)))) < 1e-13


@pytest.mark.parametrize("width", [1e-3, 1e-5, 1e-8])
def test_a_peak_of_the_stiffness_is_not_missed(masing, width):
    """k = 1 + a peak of area 2, η = s + 0.5: while nothing slides S = 3x; once the peak's cells slide, 2η(c)."""
    centre = 0.3771234567
    peak = f"1+2/sqrt(pi)/{width}*exp(-((s-{centre})/{width})^2)"
    found = forces(masing, f"--stiffness={peak}", "--threshold=s+0.5")
    assert np.max(np.abs(found[:2] - 3 * np.array([0.05, 0.25]))) < 1e-11
    # at x = 1: ∫ min(1, s + 0.5) = 0.875 of the rest; the mean of η over the peak is η(c)
    assert abs(found[2] - (0.875 + 2 * (0.5 + centre))) < 1e-11


def test_a_wavy_threshold_takes_a_second(masing):
    began = time.monotonic()
    found = forces(masing, "--threshold=0.5+0.3*sin(200*pi*s)")
    assert time.monotonic() - began < 20, "on a busy machine"
    s = (np.arange(10**6) + 0.5) / 10**6 / 100  # one of 100 periods
    expected = sums(1e-6, np.ones_like(s), 0.5 + 0.3 * np.sin(200 * np.pi * s), np.zeros_like(s))
    assert np.max(np.abs(found - expected)) < 1e-10


@pytest.mark.first(3)
@pytest.mark.parametrize("words", [
    ("--threshold=0.5+0.3*sin(1/s)",), ("--stiffness=2+sin(1e9*s)",), ("--initial-u=0.01*square(1e7*s)",),
    ("--threshold=0.5+0.3*sin(1e5*s)",), ("--threshold=0.1+rint(1e5*s)/1e5",),
])
def test_what_cannot_be_resolved_is_refused(masing, words):
    said = masing.refused("simulate", "--cells=inf", "--engine=memory", "--steps=10", "--quiet", *words)
    assert words[0].split("=")[0] in said
    assert "use a number of cells" in said


def test_a_narrow_fault_is_seen(masing):
    said = masing.refused(
        "simulate", "--cells=inf", "--engine=exact", "--steps=10", "--quiet",
        "--threshold=1-2*exp(-((s-0.123456789)/1e-6)^2)",
    )
    assert "must be >= 0" in said


WIDE = ("--stiffness=exp(-60*s)", "--threshold=0.1+s", "--initial-u=0.5*s", "--k0=0.3", "--force=0.5*cos(0.7*t)",
        "--final-time=40", "--field-every=200", "--steps=4000", "--quiet")


def test_the_virgin_front_is_found_where_k_is_small(masing):
    """k over 26 decades: the cells that have yielded are told by η, not by sums of k."""
    u = {}
    for name, words in {"sweep": ("--cells=1000",), "memory": ("--cells=1000",), "inf": ("--cells=inf", "--field-points=1000")}.items():
        engine = "sweep" if name == "sweep" else "memory"
        masing.done("simulate", *WIDE, *words, f"--engine={engine}", f"--output={name}.h5")
        with h5py.File(masing.folder / f"{name}.h5") as file:
            u[name] = file["field/u"][:]
    assert np.max(np.abs(u["memory"] - u["sweep"])) < 1e-12
    # the rectangle rule for ∫k, and the force with it, is off by 3 %: δs · k(0)/2 of 1/60
    assert np.max(np.abs(u["inf"] - u["sweep"])) < 0.01


def test_one_stiff_cell_does_not_blunt_the_sum_of_the_others(masing):
    """Sums are rounded to a unit that follows the slab's largest force, not its stiffest cell's."""
    run = ("simulate", "--stiffness=1+1e12*exp(-((s-0.5)*2e5)^2)", "--threshold=0.1+s", "--final-time=2e-5",
           "--y0=1e-3", "--force=0", "--scheme=leapfrog", "--cells=200000", "--steps=50", "--quiet")
    force = {}
    for name, words, ranks in (("memory", ("--engine=memory",), None), ("sweep", (), None), ("ranks", (), 3)):
        masing.done(*run, *words, f"--output={name}.h5", ranks=ranks)
        with h5py.File(masing.folder / f"{name}.h5") as file:
            force[name] = file["series/restoring"][:]
    assert contents(masing.folder / "ranks.h5") == contents(masing.folder / "sweep.h5")
    # u is 1e-7 of η: a unit of 2⁻⁶² of the largest force, in 200 blocks
    assert np.max(np.abs(force["sweep"] - force["memory"])) < 1e-8 * np.max(np.abs(force["memory"]))
