"""The balance of energy: what the recorder writes, how its defect falls with the step, and the
dissipation of a closed cycle."""

import h5py
import numpy as np
import pytest
from result_files import contents

NAMES = ("kinetic", "elastic", "dissipated", "input", "residual")
CASE = (
    *("--stiffness=1+0.5*s", "--initial-u=-0.3*(s+0.1)", "--mass=0.8", "--k0=0.15", "--x0=0.2"),
    *("--y0=-0.3", "--final-time=20", "--energy", "--quiet"),
)


def energies(masing, *words):
    """The energies and the series of a run."""
    masing.done("simulate", *words, "--output=energy.h5")
    with h5py.File(masing.folder / "energy.h5") as file:
        found = {name: file[f"energy/{name}"][:] for name in NAMES}
        return found, {name: values[:] for name, values in file["series"].items()}


def defect(energy):
    """max |kinetic + elastic + dissipated - input - what it was at t = 0|."""
    balance = energy["kinetic"] + energy["elastic"] + energy["dissipated"] - energy["input"]
    return np.max(np.abs(balance - balance[0]))


def test_every_sample_has_its_energies(masing):
    masing.done("simulate", *CASE, "--cells=50", "--steps=105", "--sample-every=10")
    with h5py.File(masing.folder / "masing.h5") as file:
        rows = file["series/t"].shape
        assert rows == (12,)
        assert set(file["energy"]) == {"t", *NAMES}
        assert np.array_equal(file["energy/t"], file["series/t"])
        for name in NAMES:
            data = file["energy"][name]
            assert data.shape == rows, name
            assert data.dtype == np.float64, name
            assert data.attrs["description"], name
            assert data.attrs["symbol"], name
        x, y = file["series/x"][:], file["series/y"][:]
        k, u = file["field/k"][:], file["field/u"][-1]
        assert np.allclose(file["energy/kinetic"], 0.4 * y * y, rtol=1e-15, atol=0)
        elastic = 0.075 * x[-1] ** 2 + np.dot(k, u * u) / 100
        assert abs(file["energy/elastic"][-1] - elastic) < 1e-14
        assert file["energy/dissipated"][0] == 0
        assert file["energy/input"][0] == 0
        energy = {name: file[f"energy/{name}"][:] for name in NAMES}
        stored = energy["kinetic"] + energy["elastic"]
        lacking = (energy["input"] - energy["input"][0] - (energy["dissipated"] - energy["dissipated"][0])
                   - (stored - stored[0]))
        assert np.array_equal(energy["residual"], lacking)


def test_only_where_it_is_asked_for(masing):
    masing.done("simulate", "--cells=5", "--steps=10", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "energy" not in file


@pytest.mark.parametrize("cells", ["200", "inf"])
@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("leapfrog", 2)])
def test_the_balance_closes_to_the_order_of_the_scheme(masing, scheme, order, cells):
    case = (*CASE, f"--scheme={scheme}", f"--cells={cells}", "--engine=memory")
    steps = (2000, 4000, 8000) if scheme == "leapfrog" else (8000, 16000, 32000)
    every = [f"--sample-every={n // 200}" for n in steps]
    runs = [energies(masing, *case, f"--steps={n}", e) for n, e in zip(steps, every)]
    defects = np.array([defect(energy) for energy, _ in runs])
    # A front that passes cells, or turns, inside a step leaves a part that depends on its phase.
    assert np.all(np.abs(np.log2(defects[:-1] / defects[1:]) - order) < 0.1 * order), defects
    energy, _ = runs[-1]
    assert energy["dissipated"][-1] > 0.5
    # What slides only takes: falls are errors of the trapezoidal rule at kinks.
    assert np.min(np.diff(energy["dissipated"])) > -1e-6


def test_an_elastic_oscillator_dissipates_nothing(masing):
    words = ("--threshold=100", "--force=0", "--x0=0.3", "--initial-u=0.3", "--final-time=20")
    energy, _ = energies(
        masing, *words, "--scheme=leapfrog", "--steps=2000", "--cells=10", "--energy", "--quiet"
    )
    # The trapezoidal rule is exact where S is linear in x: 2000 steps round by some eps each.
    assert np.max(np.abs(energy["dissipated"])) < 1e-13
    assert np.max(energy["kinetic"]) == pytest.approx(0.045, rel=1e-3)


# forced at ω = ½ for 20 periods: transients have died away where k0 > 0
CYCLES = 20
LOOP = ("--k0=0.4", "--mass=0.5", "--force=1.2*cos(t/2)", f"--final-time={CYCLES * 4 * np.pi!r}")


@pytest.mark.parametrize(
    ("cells", "scheme", "steps"),
    [("100", "leapfrog", 2000), ("inf", "leapfrog", 1000), ("100", "euler", 8000)],
)
def test_a_closed_cycle_dissipates_its_closed_form(masing, cells, scheme, steps):
    """4∫kη(X-η)⁺ds, X half the peak-to-peak. The samples miss a peak by up to |x''|δt²/8, and the
    trapezoidal rule the kinks of S by as much: for any scheme that balances its energy."""
    energy, series = energies(
        masing,
        *(*LOOP, "--stiffness=1+0.5*s", "--engine=memory", "--energy", "--quiet"),
        *(f"--scheme={scheme}", f"--steps={CYCLES * steps}", "--sample-every=1"),
        f"--cells={cells}",
    )
    last = slice(-steps - 1, None)
    x, dissipated = series["x"][last], energy["dissipated"][last]
    assert abs(x[-1] - x[0]) < 1e-6, "no closed cycle yet"
    half = np.ptp(x) / 2
    assert half > 1.2, "all cells must slide"
    count = 100 if cells == "100" else 100000
    s = (np.arange(count) + (1 if cells == "100" else 0.5)) / count
    expected = 4 * np.mean((1 + 0.5 * s) * (s + 0.1) * np.maximum(half - s - 0.1, 0))
    assert abs(dissipated[-1] - dissipated[0] - expected) < (4 * np.pi / steps) ** 2 / 4 * expected


@pytest.mark.parametrize("words", [("--cells=2500",), ("--cells=inf", "--field-points=2500")])
def test_the_energies_do_not_depend_on_the_ranks(masing, words):
    run = (*CASE, *words, "--steps=300")
    masing.done("simulate", *run, "--output=1.h5")
    masing.done("simulate", *run, "--output=3.h5", ranks=3)
    expected = contents(masing.folder / "1.h5")
    assert "energy/dissipated" in expected
    assert contents(masing.folder / "3.h5") == expected


def test_every_engine_gives_the_same_energies(masing):
    """Sweep and memory agree to rounding, the exact solution is what leapfrog tends to."""
    run = (*CASE, "--cells=60", "--steps=4000", "--scheme=leapfrog")
    sweep, memory, exact = (
        energies(masing, *run, f"--engine={engine}")[0] for engine in ("sweep", "memory", "exact")
    )
    for name in NAMES:
        assert np.max(np.abs(sweep[name] - memory[name])) < 1e-11, name
        assert np.max(np.abs(sweep[name] - exact[name])) < 1e-3, name
    assert defect(exact) < 1e-4


@pytest.mark.parametrize("cells", ["inf", "40"])
@pytest.mark.parametrize(
    "case",
    [(), CASE[:6], ("--threshold=0.5+0.3*cos(9*s)", "--stiffness=exp(-s)", "--y0=1"),
     ("--threshold=0.5+0.3*cos(3*s)", "--initial-u=0.2+0.25*cos(3*s)", "--stiffness=1+s^2")],
)
def test_exact_energies_do_not_depend_on_where_the_samples_lie(masing, case, cells):
    """And they balance to rounding, though each is found by itself."""
    run = (*case, f"--cells={cells}", "--final-time=40", "--energy", "--quiet", "--engine=exact")
    few, _ = energies(masing, *run, "--steps=8")
    many, _ = energies(masing, *run, "--steps=800")
    for name in NAMES:
        assert np.max(np.abs(few[name] - many[name][::100])) < 1e-13, name
    assert np.max(np.abs(many["residual"])) < 1e-12
    assert np.min(np.diff(many["dissipated"])) > -1e-13
    # leapfrog tends to them, in second order
    near, _ = energies(masing, *run[:-1], "--engine=memory", "--scheme=leapfrog", "--steps=80000", "--sample-every=10000")
    for name in NAMES:
        assert np.max(np.abs(few[name] - near[name])) < 1e-6, name


def test_the_energy_of_the_continuum_misses_no_stiff_part(masing):
    """½∫ku² while nothing slides is ½x²∫k: of a peak of k of width 1e-3 and area 10."""
    width = 1e-3
    peak = f"1+10/sqrt(pi)/{width}*exp(-((s-0.4321)/{width})^2)"
    energy, series = energies(
        masing, f"--stiffness={peak}", "--threshold=1+s", "--force=0", "--x0=0", "--y0=1", "--final-time=1",
        "--cells=inf", "--engine=exact", "--steps=10", "--energy", "--quiet",
    )
    assert np.max(np.abs(energy["elastic"] - 5.5 * series["x"] ** 2)) < 1e-12


def test_a_resumed_exact_run_has_the_same_energies(masing):
    run = (*CASE, "--engine=exact", "--cells=inf", "--steps=500", "--sample-every=50")
    masing.done("simulate", *run, "--output=whole.h5")
    masing.done("simulate", *run, "--output=part.h5", "--checkpoint=point.h5", "--checkpoint-every=230")
    masing.done("simulate", *run, "--output=resumed.h5", "--restart=point.h5")
    assert contents(masing.folder / "resumed.h5") == contents(masing.folder / "whole.h5")


@pytest.mark.parametrize("profile", [("--threshold=s+0.1", "--initial-u=s"), ("--threshold=s+0.1", "--initial-u=s-0.08"),
                                     ("--threshold=0.3+0.5*s", "--initial-u=0.1-0.5*s")])
def test_dissipation_never_drops_where_the_virgin_order_is_flat(masing, profile):
    """At P = inf eta - u0 or eta + u0 is the same for all s: its cells are no longer counted all or none."""
    masing.done("simulate", *profile, "--force=0.7*sin(t)", "--final-time=20", "--cells=inf", "--energy",
                "--steps=20000", "--sample-every=4", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        energy = {name: file[f"energy/{name}"][:] for name in ("dissipated", "elastic", "input")}
    assert np.all(np.diff(energy["dissipated"]) > -1e-6 * energy["input"].max())
    assert np.all(np.abs(np.diff(energy["elastic"])) < 5e-3)
