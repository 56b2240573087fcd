"""A base that moves: the motion relative to it is that under F - m a_g, in every engine and scheme; closed forms of a
linear oscillator, and a table like an earthquake's."""

import h5py
import numpy as np
import pytest
from result_files import text

QUIET = ("--quiet", "--output=run.h5")
SERIES = ("t", "x", "y", "force", "restoring")


def series(masing, *words):
    """The series of a run."""
    masing.done("simulate", *words, *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        return {name: file[f"series/{name}"][:] for name in SERIES}


@pytest.mark.parametrize("cells", ["3", "inf"])
def test_a_linear_oscillator_on_a_swinging_base(masing, cells):
    """m x'' + c x' + k x = -m A sin wt, nothing yielding: the steady response and what the start adds to it."""
    mass, damping, stiffness, size, rate = 0.8, 0.3, 1.5, 0.4, 1.7
    run = series(masing, "--threshold=2", "--force=0", f"--mass={mass}", f"--damping={damping}", "--k0=0.5",
                 f"--base-acceleration={size}*sin({rate}*t)", f"--cells={cells}", "--engine=exact", "--final-time=30",
                 "--steps=60")
    steady = -mass * size / (stiffness - mass * rate**2 + 1j * damping * rate)  # x = Im steady exp(i w t)
    decay = damping / (2 * mass)
    free = np.sqrt(stiffness / mass - decay**2)
    x0, y0 = -steady.imag, -rate * steady.real  # what the start adds begins with
    t = run["t"]
    added = np.exp(-decay * t) * (x0 * np.cos(free * t) + (y0 + decay * x0) / free * np.sin(free * t))
    x = (steady * np.exp(1j * rate * t)).imag + added
    assert np.max(np.abs(x)) < 2
    assert np.max(np.abs(run["x"] - x)) < 1e-12
    assert np.max(np.abs(run["restoring"] - stiffness * x)) < 1e-12
    assert np.max(np.abs(run["force"] + mass * size * np.sin(rate * t))) < 1e-15


def earthquake(masing):
    """A table of a ground acceleration: waves of random phases in an envelope that rises fast and dies slowly."""
    random = np.random.default_rng(11)
    t = np.arange(0, 12, 0.02)
    rates, phases = np.linspace(2, 20, 30), random.uniform(0, 2 * np.pi, 30)
    waves = np.sin(np.outer(t, rates) + phases).sum(axis=1) / np.sqrt(30)
    a = 4 * t * np.exp(1 - t / 2) * waves
    masing.file("quake.csv", "t, a\n" + "".join(f"{x!r}, {y!r}\n" for x, y in zip(t.tolist(), a.tolist())))
    return t, a


@pytest.mark.parametrize("words", [
    ("--cells=20", "--engine=sweep"), ("--cells=20", "--engine=memory"), ("--cells=20", "--engine=exact"),
    ("--cells=inf",), ("--cells=inf", "--engine=exact"), ("--cells=20", "--scheme=leapfrog"),
])
def test_every_engine_takes_it_as_a_force(masing, words):
    """-m a_g as F, m a power of two: to the bit."""
    t, a = earthquake(masing)
    masing.file("force.csv", "".join(f"{x!r}, {-2 * y!r}\n" for x, y in zip(t.tolist(), a.tolist())))
    case = (*words, "--mass=2", "--damping=0.1", "--final-time=15", "--steps=3000")
    base = series(masing, *case, "--base-acceleration=table:quake.csv", "--force=0")
    force = series(masing, *case, "--force=table:force.csv")
    assert np.ptp(base["restoring"]) > 0.5  # it yields
    for name in SERIES:
        assert np.array_equal(base[name], force[name]), name


def test_beside_a_force(masing):
    both = series(masing, "--force=0.3*cos(t)", "--base-acceleration=0.2*sin(2*t)", "--mass=0.5", "--cells=inf",
                  "--engine=exact", "--final-time=20", "--steps=40")
    one = series(masing, "--force=0.3*cos(t)-0.5*0.2*sin(2*t)", "--mass=0.5", "--cells=inf", "--engine=exact",
                 "--final-time=20", "--steps=40")
    for name in SERIES:
        assert np.max(np.abs(both[name] - one[name])) < 1e-12, name


@pytest.mark.first(2)
@pytest.mark.parametrize(("scheme", "levels"), [("euler", "8000:128000:9"), ("leapfrog", "3000,6000,12000,24000,48000")])
@pytest.mark.parametrize("cells", ["50", "inf"])
def test_schemes_keep_their_order(masing, scheme, levels, cells):
    """A table is Lipschitz; leapfrog's steps hit its points. The verdict is the study's: as expected, exit code 0."""
    earthquake(masing)
    masing.done("converge", "--base-acceleration=table:quake.csv", "--force=0", "--damping=0.1", "--final-time=15",
                f"--scheme={scheme}", f"--cells={cells}", "--engine=memory", "--reference=exact-time",
                f"--levels={levels}", "--quiet")


def test_its_energy_balances_and_the_file_says_what_it_holds(masing):
    earthquake(masing)
    masing.done("simulate", "--base-acceleration=table:quake.csv", "--force=0.1", "--mass=1.5", "--cells=inf",
                "--engine=exact", "--damping=0.2", "--final-time=15", "--steps=300", "--energy", *QUIET)
    masing.done("reproduce", "run.h5", "--quiet")  # the table is in it
    with h5py.File(masing.folder / "run.h5") as file:
        assert np.max(np.abs(file["energy/residual"])) < 1e-12 * np.max(np.abs(file["energy/input"]))
        assert text(file["series/force"].attrs["symbol"]) == "F − m a_g"
        assert text(file["series/restoring"].attrs["symbol"]) == "k₀ x + S"
        assert "base-acceleration=" in text(file["configuration"].attrs["problem"])
        assert np.max(np.abs(file["energy/input"])) > 0.1
    masing.done("simulate", "--cells=3", "--steps=10", *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        assert text(file["series/force"].attrs["symbol"]) == "F"
        assert "base-acceleration" not in text(file["configuration"].attrs["problem"])


def test_mistakes(masing):
    said = masing.refused("simulate", "--base-acceleration=1/(1-t)", "--final-time=2", "--steps=4")
    assert "--base-acceleration: F(t) - m a_g(t) = -inf at step 2" in said
    exact = ("simulate", "--engine=exact", "--cells=3")
    assert masing.refused(*exact, "--base-acceleration=abs(sin(t))").startswith("masing: --base-acceleration: it uses abs()")
    masing.done(*exact, "--base-acceleration=square(t)", "--final-time=3", "--steps=30", *QUIET)
    # breaks of the base do not vouch for the force
    assert masing.refused(*exact, "--base-acceleration=square(t)", "--force=abs(sin(t))").startswith("masing: --force: it")
    quasistatic = ("simulate", "--model=masing-quasistatic", "--base-acceleration=1")
    assert "not a key of --model masing-quasistatic" in masing.refused(*quasistatic)
