"""Any initial elongation: turning points and sweep make the same steps, for noise in every cell as for functions of s,
through restarts, on any ranks; P = ∞ and the exact solution are what both tend to."""

import h5py
import numpy as np
import pytest
from result_files import contents

ENGINES = ("sweep", "memory")


def series(masing, name):
    with h5py.File(masing.folder / name) as file:
        return {key: file[key][:] for key in ("series/x", "series/y", "series/restoring", "field/u")}


def noise(masing, random, cells, kind):
    """A table of u0, of its own in every cell, for η = 0.1 + s: up to η, one of ±η, or in steps of 1/16."""
    s = np.arange(1, cells + 1) / cells
    eta = 0.1 + s
    u0 = eta * random.uniform(-1, 1, cells)
    u0 = {0: u0, 1: eta * random.choice((-1, 1), cells), 2: np.round(u0 * 16) / 16, 3: 0.3 * u0}[kind]
    u0 = np.clip(u0, -eta, eta)
    return masing.file("noise.csv", "".join(f"{a!r},{b!r}\n" for a, b in zip(s.tolist(), u0.tolist())))


def test_turning_points_are_the_sweep_from_noise_in_every_cell(masing, long):
    """To 1e-11 of the largest |x|, after a million steps."""
    for seed in range(200 if long else 4):
        random = np.random.default_rng(seed)
        cells, steps = int(random.integers(1, 200)), 1_000_000 if long else 20_000
        u0 = noise(masing, random, cells, seed % 4)
        drive = f"{random.uniform(0.2, 0.9)!r}*cos({random.uniform(0.3, 2)!r}*t)"
        run = ("simulate", f"--initial-u=table:{u0}", f"--cells={cells}", f"--force={drive}", f"--x0={random.uniform(-1, 1)!r}",
               f"--k0={random.choice((0, 0.2))}", f"--steps={steps}", f"--final-time={steps // 1000}", f"--y0={random.uniform(-1, 1)!r}",
               f"--scheme={random.choice(('euler', 'leapfrog'))}", f"--field-every={steps // 8}", "--quiet")
        for engine in ENGINES:
            masing.done(*run, f"--engine={engine}", f"--output={engine}.h5")
        sweep, memory = (series(masing, f"{engine}.h5") for engine in ENGINES)
        allowed = 1e-11 * max(1, np.max(np.abs(sweep["series/x"])))
        for key, values in sweep.items():
            assert np.max(np.abs(values - memory[key])) <= allowed, (seed, key)


@pytest.mark.first(2)
@pytest.mark.parametrize(("cells", "engine"), [("1500", "memory"), ("inf", "exact"), ("1500", "exact"), ("inf", "memory")])
def test_ranks_and_restarts_do_not_show(masing, engine, cells):
    run = ("simulate", "--initial-u=(s+0.1)*sin(20*s)", f"--cells={cells}", f"--engine={engine}", "--steps=600",
           "--final-time=12", "--probe=0.1,0.5", "--field-every=100", "--energy", "--quiet")
    masing.done(*run, "--output=whole.h5")
    masing.done(*run, "--output=ranks.h5", ranks=3)
    masing.done(*run, "--output=part.h5", "--checkpoint=point.h5", "--checkpoint-every=35")
    masing.done(*run, "--output=resumed.h5", "--restart=point.h5", ranks=2)
    whole = contents(masing.folder / "whole.h5")
    for name in ("ranks", "resumed"):
        assert contents(masing.folder / f"{name}.h5") == whole, name


def test_a_position_is_followed_from_any_initial_state(masing):
    """The slab without a mass, moved through x0 and beyond both extremes, against clamping every cell."""
    path = "points:0 0; 1 0.4; 2 -0.3; 3 0; 4 0.7; 5 -1.5; 6 2"
    masing.done("simulate", "--model=masing-quasistatic", "--k0=0", f"--position={path}", "--final-time=6", "--steps=600",
                "--threshold=0.5", "--initial-u=s-0.5", "--cells=400", "--rule=midpoint", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        x, restoring = file["series/x"][:], file["series/restoring"][:]
    u = (np.arange(400) + 0.5) / 400 - 0.5
    before = 0.0
    for place, found in zip(x, restoring):
        u = np.clip(u + (place - before), -0.5, 0.5)
        before = place
        assert abs(found - np.mean(u)) < 1e-14


@pytest.mark.parametrize("initial_u", ["0.5-s", "(s+0.1)*cos(9*s)", "s<0.3 ? 0.1 : -0.4*s"])
def test_the_balance_of_energy_closes(masing, initial_u):
    """By the exact solution, which integrates both works with the motion; at P = ∞ ½∫ku² comes from the sets."""
    for cells in ("300", "inf"):
        masing.done("simulate", f"--initial-u={initial_u}", "--threshold=0.1+s" if "cos" in initial_u else "--threshold=0.5",
                    "--engine=exact", f"--cells={cells}", "--steps=400", "--final-time=40", "--energy", "--quiet")
        with h5py.File(masing.folder / "masing.h5") as file:
            assert np.max(np.abs(file["energy/residual"][:])) < 1e-12
            dissipated = file["energy/dissipated"][:]
        assert np.min(np.diff(dissipated)) > -1e-13


@pytest.mark.parametrize("refine", ["steps", "cells"])
def test_studies_keep_their_orders(masing, refine):
    """Order one in δt and in δs, against the exact solution, whatever u0 is."""
    levels = "4000,8000,16000,32000" if refine == "steps" else "100,200,400,800"
    masing.done("converge", f"--refine={refine}", f"--levels={levels}", "--initial-u=(s+0.1)*sin(12*s)", "--final-time=20",
                "--engine=memory", "--steps=4000", "--cells=500", "--quiet",
                f"--reference={'exact-time' if refine == 'steps' else 'cells-inf'}")


FREE = ("simulate", "--force=0.3", "--quiet")
ONCE, TWICE = ("--steps=2000", "--final-time=20"), ("--steps=4000", "--final-time=40")


def last_state(masing, name):
    with h5py.File(masing.folder / name) as file:
        return [f"--{key}0={float(file[f'series/{key}'][-1])!r}" for key in "xy"]


@pytest.mark.parametrize("rule", ["right", "midpoint"])
def test_a_run_goes_on_from_the_last_field_of_another(masing, rule):
    """With x and y, u is all of the state: under a constant force to the bit, by the sweep."""
    run = (*FREE, f"--rule={rule}", "--threshold=0.1+s^2")
    masing.done(*run, *ONCE, "--cells=300", "--initial-u=0.05", "--output=first.h5")
    masing.done(*run, *TWICE, "--cells=300", "--initial-u=0.05", "--output=whole.h5")
    again = (*run, *ONCE, "--initial-u=file:first.h5", *last_state(masing, "first.h5"))
    masing.done(*again, "--cells=300", "--output=second.h5")
    masing.done("reproduce", "second.h5")  # its configuration has the field
    whole, second = series(masing, "whole.h5"), series(masing, "second.h5")
    assert np.array_equal(second["series/x"], whole["series/x"][2000:])
    assert np.array_equal(second["field/u"], whole["field/u"])
    # by turning points to rounding; with other cells and P = ∞ as near as the fields are
    for cells, allowed in (300, 1e-13), (1200, 0.01), ("inf", 0.01):
        masing.done(*again, f"--cells={cells}", "--engine=memory", "--output=b.h5")
        assert np.max(np.abs(series(masing, "b.h5")["series/x"] - second["series/x"])) < allowed


def test_the_continuum_goes_on_from_its_own_field(masing):
    """A field at 4000 places, linear between them."""
    run = (*FREE, "--cells=inf", "--field-points=4000", "--threshold=0.1+s^2")
    masing.done(*run, *ONCE, "--output=first.h5")
    masing.done(*run, *TWICE, "--output=whole.h5")
    masing.done(*run, *ONCE, "--initial-u=file:first.h5", *last_state(masing, "first.h5"), "--output=second.h5")
    whole, second = series(masing, "whole.h5"), series(masing, "second.h5")
    assert np.max(np.abs(second["series/x"] - whole["series/x"][2000:])) < 1e-5


def test_files_that_have_no_whole_field_are_refused(masing):
    masing.done(*FREE, *ONCE, "--cells=300", "--field-points=100", "--output=thin.h5")
    masing.done(*FREE, *ONCE, "--model=prandtl", "--set=k=1", "--set=eta=1", "--output=prandtl.h5")
    masing.file("text.csv", "0,1")
    run = (*FREE, *ONCE, "--cells=300")
    for name, said in (("thin.h5", "thin.h5 holds a thinned field; give a file made with field-points = 0"),
                       ("prandtl.h5", "prandtl.h5 has no /field/u; give a file of masing simulate"),
                       ("text.csv", "cannot open text.csv as HDF5"), ("none.h5", "cannot open none.h5 as HDF5")):
        assert masing.refused(*run, f"--initial-u=file:{name}").startswith(f"masing: --initial-u: {said}")
    # another problem's u
    masing.done(*run, "--threshold=1+s", "--output=wide.h5")
    assert "is a file that the run reads" in masing.refused(*run, "--threshold=1+s", "--initial-u=file:wide.h5", "--output=wide.h5")
    assert "|u0| must be <= eta" in masing.refused(*run, "--initial-u=file:wide.h5")


def test_a_table_is_cut_off_between_its_points_only_by_a_little(masing):
    masing.file("coarse.csv", "0,0.6\n1,0.6\n")
    assert "|u0| must be <= eta" in masing.refused(*FREE, *ONCE, "--cells=300", "--threshold=0.1+abs(s-0.5)", "--initial-u=table:coarse.csv")
    masing.file("fine.csv", "".join(f"{i / 50},{0.1 + (i / 50) ** 2}\n" for i in range(51)))
    for cells, engine in (("300", "sweep"), ("300", "memory"), ("inf", "memory")):
        masing.done(*FREE, *ONCE, f"--cells={cells}", f"--engine={engine}", "--threshold=0.1+s^2", "--initial-u=table:fine.csv")
        with h5py.File(masing.folder / "masing.h5") as file:
            assert np.all(np.abs(file["field/u"][:]) <= file["field/eta"][:])
