"""η = 0 at single s: Segalman's Iwan element, whose stiffness over its thresholds φ is like φ^χ (k constant, η =
φ_max s^(1/(1+χ)), and a part of [0, 1] where all slides at φ_max): closed backbone and branches, the power law of its
loss, energies, the orders that schemes and rules keep; and cells that always slide."""

import h5py
import numpy as np
import pytest

QUIET = ("--quiet", "--output=run.h5")
EXPONENTS = [-0.2, -0.5, -0.9]


def run(masing, *words):
    """Series, energies and the last field of a run, by name."""
    masing.done("simulate", *words, *QUIET)
    with h5py.File(masing.folder / "run.h5") as file:
        found = {name: values[:] for group in ("series", "energy") for name, values in file.get(group, {}).items()}
        return found | {"field": file["field/u"][-1]}


def threshold(chi, spike):
    """η(s) for φ_max = 1; `spike`: the part of the stiffness that slides at φ_max."""
    return f"--threshold=min(1, s/{1 - spike!r})^{1 / (1 + chi)!r}"


def backbone(x, chi, spike):
    """∫ min(x, φ) dK(φ) for ∫dK = 1."""
    z = np.minimum(x, 1)
    spread = z ** (2 + chi) * (1 + chi) / (2 + chi) + z * (1 - z ** (1 + chi))
    return (1 - spike) * spread + spike * z


@pytest.mark.parametrize("chi", EXPONENTS)
def test_the_element_has_its_closed_backbone_and_branches(masing, chi):
    spike = 0.2
    case = ("--model=masing-quasistatic", threshold(chi, spike), "--cells=inf")
    found = run(masing, *case, "--position=1.2*t^4", "--final-time=1", "--steps=60")  # x from 1e-7 on
    assert np.max(np.abs(found["restoring"] - backbone(found["x"], chi, spike))) < 1e-14
    found = run(masing, *case, "--position=0.9*triangle(t)", "--final-time=1", "--steps=400", "--sample-every=1")
    x, f = found["x"][100:301], found["restoring"][100:301]
    assert np.max(np.abs(f - (f[0] - 2 * backbone((x[0] - x) / 2, chi, spike)))) < 1e-14


@pytest.mark.parametrize(("size", "slope"), [(0.1, 2.89), (1e-3, 2.53)])
def test_its_loss_is_a_power_law_only_in_the_limit(masing, size, slope):
    """χ = -½, no spike: d log loss / d log (restoring amplitude) = 2.5 (1 - ⅔√X)/(1 - √X)."""
    exact = 2.5 * (1 - 2 / 3 * size**0.5) / (1 - size**0.5)
    assert abs(exact - slope) < 0.005
    steps, loss, amplitude = 4000, [], []
    for x in (0.95 * size, 1.05 * size):
        found = run(masing, "--model=masing-quasistatic", "--threshold=s^2", "--cells=inf", f"--position={x}*sin(2*pi*t)",
                    "--final-time=2", f"--steps={2 * steps}", "--sample-every=1")
        position, force = found["x"][-steps - 1:], found["restoring"][-steps - 1:]
        loss.append(np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(position)))
        amplitude.append(np.max(force))
        # 4∫kη(X-η)⁺ds = 4 (X √X X/3 - X² √X/5); sin meets its peaks, the rest is the trapezoidal rule
        assert abs(loss[-1] - 8 / 15 * x**2.5) < 1e-5 * loss[-1]
    assert abs(np.diff(np.log(loss)) / np.diff(np.log(amplitude)) - exact) < 1e-3


@pytest.mark.parametrize("chi", EXPONENTS)
@pytest.mark.parametrize("cells", ["300", "inf"])
def test_the_exact_solution_goes_through_its_singular_reversals(masing, chi, cells):
    case = (threshold(chi, 0.2), "--k0=0.1", "--force=0.5*cos(0.7*t)", f"--cells={cells}", "--final-time=100", "--energy",
            "--sample-every=1")
    exact = run(masing, *case, "--engine=exact", "--steps=100")
    assert np.max(np.abs(exact["residual"])) < 1e-11
    assert np.min(np.diff(exact["dissipated"])) > -1e-13
    near = run(masing, *case[:-1], "--scheme=leapfrog", "--engine=memory", "--steps=40000", "--sample-every=400")
    assert np.max(np.abs(near["x"] - exact["x"])) < 1e-4


@pytest.mark.parametrize("chi", [-0.5, *(pytest.param(chi, marks=pytest.mark.long) for chi in (-0.2, -0.8))])
@pytest.mark.parametrize("words", [
    ("--cells=inf", "--reference=exact-time", "--levels=8000:128000:9", "--expect-order=1"),
    ("--cells=inf", "--reference=exact-time", "--levels=1000:32000:30", "--scheme=leapfrog", "--expect-order=2"),
    ("--refine=cells", "--reference=cells-inf", "--levels=50:3200:25", "--scheme=leapfrog", "--steps=8000", "--expect-order=1"),
    ("--refine=cells", "--reference=cells-inf", "--levels=50:3200:40", "--scheme=leapfrog", "--steps=8000",
     "--rule=midpoint", "--expect-order=x=2,y=2,u=1,u_cells=2", "--order-tolerance=0.25"),
])
def test_schemes_and_rules_keep_their_orders(masing, chi, words):
    """No proposition promises them, as η(0) = 0: so they are asked for."""
    said = masing.done("converge", threshold(chi, 0.2), "--k0=0.1", "--force=0.5*cos(0.7*t)", "--final-time=40",
                       "--engine=memory", *words, "--quiet").stdout
    assert "as expected" in said


@pytest.mark.parametrize("profile", [("--threshold=max(0, s-0.3)",), ("--threshold=s^2", "--initial-u=-0.5*s^2"),
                                     ("--threshold=abs(s-0.5)", "--threshold-down=max(0, 0.7-s)")])
def test_cells_that_always_slide_hold_nothing(masing, profile):
    case = (*profile, "--rule=midpoint", "--cells=1000", "--final-time=60", "--steps=6000", "--k0=0.05", "--energy")
    sweep, memory, exact = (run(masing, *case, f"--engine={engine}") for engine in ("sweep", "memory", "exact"))
    for name in sweep:
        assert np.max(np.abs(sweep[name] - memory[name])) < 1e-11 * max(1, np.max(np.abs(sweep["x"]))), name
    assert np.max(np.abs(exact["residual"])) < 1e-11
    assert np.max(np.abs(exact["x"] - sweep["x"])) < 0.05
    continuum = run(masing, *profile, "--cells=inf", "--final-time=60", "--steps=6000", "--k0=0.05", "--engine=exact")
    assert np.max(np.abs(continuum["x"] - exact["x"])) < 1e-4


def test_mistakes(masing):
    for words in (("--cells=10",), ("--cells=inf",)):
        assert "eta must be >= 0" in masing.refused("simulate", *words, "--threshold=s-0.5")
        assert masing.refused("simulate", *words, "--threshold=0").endswith(
            "the largest stiffness * threshold is 0; it must lie between 1e-200 and 1e200")
    # an integrable pole of k: take k ds = ds' for the variable
    said = masing.refused("simulate", "--cells=inf", "--stiffness=s^-0.5", "--threshold=s")
    assert "--stiffness: k(s) = inf at s = 0" in said
