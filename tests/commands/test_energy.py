"""The balance of energy: what the recorder writes, how its defect falls with the step, that it closes by the exact
solution, whatever the problem. (test_closed_forms.py has the dissipation of a closed cycle.)"""

import numpy as np
import pytest
from test_engines import earthquake

NAMES = ("kinetic", "elastic", "dissipated", "input", "residual")
FORCED = "--force=0.45*cos(0.5*t)"
CASE = ("--stiffness=1+0.5*s", "--initial-u=-0.3*(s+0.1)", "--mass=0.8", "--k0=0.15", "--x0=0.2", "--y0=-0.3",
        FORCED, "--final-time=20", "--energy")


def test_every_sample_has_its_energies(masing):
    for damping in (0, 0.1):
        run = masing.run(*CASE, "--cells=50", "--steps=105", "--sample-every=10", f"--damping={damping}")
        assert ("viscous" in run) == (damping > 0)
        assert all(run[name].shape == run["t"].shape == (12,) for name in NAMES)
        assert np.allclose(run["kinetic"], 0.4 * run["y"] ** 2, rtol=1e-15, atol=0)
        elastic = 0.075 * run["x"][-1] ** 2 + np.dot(run["field/k"], run["field/u"][-1] ** 2) / 100
        assert abs(run["elastic"][-1] - elastic) < 1e-14
        assert run["dissipated"][0] == run["input"][0] == 0
        gain = run["kinetic"] + run["elastic"] + run["dissipated"] + run.get("viscous", 0) - run["input"]
        assert np.allclose(run["residual"], gain[0] - gain, rtol=0, atol=1e-14)
    assert "dissipated" not in masing.run("--cells=5", "--steps=10")


@pytest.mark.parametrize(("scheme", "order", "damping", "cells"), [
    ("euler", 1, 0.25, "inf"), ("leapfrog", 2, 0.25, "200"), ("leapfrog", 2, 0, "inf")])
def test_the_balance_closes_to_the_order_of_the_scheme(masing, scheme, order, damping, cells):
    case = (*CASE, f"--scheme={scheme}", f"--cells={cells}", "--engine=memory", f"--damping={damping}")
    lacking = []
    for steps in (2000, 4000, 8000) if order == 2 else (8000, 16000, 32000):
        run = masing.run(*case, f"--steps={steps}", f"--sample-every={steps // 200}")
        lacking.append(np.max(np.abs(run["residual"])))
    # A front that passes cells, or turns, inside a step leaves a part that depends on its phase.
    assert np.all(np.abs(np.log2(np.array(lacking[:-1]) / lacking[1:]) - order) < 0.1 * order), lacking
    # What slides only takes: falls are errors of the trapezoidal rule at kinks.
    assert np.min(np.diff(run["dissipated"])) > -1e-6
    exact = masing.run(*case[:len(CASE)], f"--cells={cells}", "--engine=exact", "--steps=200", f"--damping={damping}")
    for name in ("dissipated", *["viscous"] * (damping > 0)):
        assert exact[name][-1] > 0.1 and abs(run[name][-1] - exact[name][-1]) < 3 * lacking[-1], name


PROBLEMS = {
    "general": CASE[:7],
    "wavy": ("--threshold=0.5+0.3*cos(9*s)", "--stiffness=exp(-s)", "--y0=1", FORCED),
    "strained, falling": ("--threshold=0.5", "--initial-u=0.5-s", FORCED),
    "strained, jump": ("--threshold=0.5", "--initial-u=s<0.3 ? 0.1 : -0.4*s", FORCED),
    "by direction": ("--stiffness=1+0.5*s", "--threshold-down=0.3+0.2*s^2", "--initial-u=0.05", "--damping=0.1", FORCED),
    "Iwan's element": ("--threshold=min(1, s/0.8)^5", "--k0=0.1", "--force=0.5*cos(0.7*t)"),
    "always sliding": ("--threshold=max(0, s-0.3)", "--k0=0.05", FORCED),
    "earthquake": ("--base-acceleration=table:quake.csv", "--force=0.1", "--mass=1.5", "--damping=0.2"),
}


@pytest.mark.parametrize(("name", "cells"), [*((name, "inf") for name in PROBLEMS), ("general", "40"),
                                             ("by direction", "40"), ("Iwan's element", "40")])
def test_exact_energies_balance_wherever_the_samples_lie(masing, name, cells):
    """To rounding, though each is found by itself; leapfrog tends to them, in second order."""
    if name == "earthquake":
        earthquake(masing)
    run = (*PROBLEMS[name], f"--cells={cells}", "--final-time=40", "--energy")
    few, many = (masing.run(*run, "--engine=exact", f"--steps={steps}") for steps in (8, 800))
    scale = max(1, np.max(np.abs(many["input"])))
    for energy in NAMES:
        assert np.max(np.abs(few[energy] - many[energy][::100])) < 1e-12 * scale, energy
    assert np.max(np.abs(many["residual"])) < 1e-12 * scale
    assert np.min(np.diff(many["dissipated"])) > -1e-13 * scale
    near = masing.run(*run, "--engine=memory", "--scheme=leapfrog", "--steps=40000", "--sample-every=5000")
    for energy in NAMES:
        assert np.max(np.abs(few[energy] - near[energy])) < 1e-4 * scale, energy


def test_the_energy_of_the_continuum_misses_no_stiff_part(masing):
    """½∫ku² while nothing slides is ½x²∫k: of a peak of k of width 1e-3 and area 10."""
    peak = "1+10/sqrt(pi)/1e-3*exp(-((s-0.4321)/1e-3)^2)"
    run = masing.run(f"--stiffness={peak}", "--threshold=1+s", "--force=0", "--x0=0", "--y0=1", "--final-time=1",
                     "--cells=inf", "--engine=exact", "--steps=10", "--energy")
    assert np.max(np.abs(run["elastic"] - 5.5 * run["x"] ** 2)) < 1e-12


@pytest.mark.parametrize("profile", [
    ("--threshold=s+0.1", "--initial-u=s"), ("--threshold=0.3+0.5*s", "--initial-u=0.1-0.5*s")])
def test_dissipation_never_drops_where_the_virgin_order_is_flat(masing, profile):
    """At P = inf eta - u0 or eta + u0 is the same for all s: its cells are no longer counted all or none."""
    run = masing.run(*profile, "--force=0.7*sin(t)", "--final-time=20", "--cells=inf", "--energy", "--steps=20000",
                     "--sample-every=4")
    assert np.all(np.diff(run["dissipated"]) > -1e-6 * run["input"].max())
    assert np.all(np.abs(np.diff(run["elastic"])) < 5e-3)
