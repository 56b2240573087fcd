"""Chains of continuous elements: a loop over all sliders of each element, written here; one element, which is another
model; closed forms of simple waves and of an absorbing base; balances of energy; studies and points against single
runs; what is refused and warned of. (tests/slab has the balance of each step, test_same_bits.py other ranks.)"""

import re

import numpy as np
import pytest
from clamping import moved
from result_files import numbers, study
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh

SETS = ("n", "m", "k", "eta", "k0", "c", "c_ground", "x0", "y0", "base_impedance", "base_mass")


def words(case, *more):
    """The words of a call, from the keys of `case`: parameters of the chain and options; None leaves one out."""
    given = {"model": "masing-chain", **case}
    return [*(f"--{f'set={key}' if key in SETS else key}={text}" for key, text in given.items() if text is not None),
            *more]


def value(text, **names):
    """The value of an expression of the program in names, found by Python."""
    known = {"sin": np.sin, "cos": np.cos, "exp": np.exp, "min": np.minimum, "pi": np.pi}
    return np.array(eval(str(text).replace("^", "**"), known | names), dtype=float)


def chain_of_sliders(case, steps, cells, place=0.5, scheme="leapfrog"):
    """x, y, the absolute a, and elongation and force of the element below, of the nodes 0 to n at all steps, and the
    energy that each element has dissipated.

    Every slider of every element is moved and clamped, by leapfrog first to the vertex of the parabola of its element's
    elongation where this lies in the step."""
    n, time = int(case["n"]), float(value(case["final-time"]))
    step, i, s = time / steps, np.arange(1, n + 1), (np.arange(cells) + place) / cells

    def listed(key, preset):
        return np.broadcast_to(value(case.get(key, preset), i=i, n=n), n)

    def shape(key, preset):
        return np.array([np.broadcast_to(value(case.get(key, preset), i=j, n=n, s=s), cells) for j in i])

    impedance, absorbs = value(case.get("base_impedance", 0)), "base_mass" in case
    mass = np.append(value(case["base_mass"]) if absorbs else np.inf, listed("m", 1))
    ground, k0, c = np.append(impedance, listed("c_ground", 0)), listed("k0", 0), listed("c", 0)
    theta, weight = listed("eta", 1)[:, None], listed("k", 1)[:, None] * shape("stiffness", 1) / cells
    up = theta * shape("threshold", "s+0.1")
    down, u = theta * shape("threshold-down", case.get("threshold", "s+0.1")), theta * shape("initial-u", 0)
    x, y = np.append(0, listed("x0", 0)), np.append(0, listed("y0", 0))
    spent = np.zeros(n)

    def swing(t):
        return np.append(0, np.full(n, value(case.get("base-acceleration", 0), t=t)))

    def pulled(t, w):  # the force of each element, and the acceleration without dashpots to the ground
        force = k0 * np.diff(x) + c * w + np.einsum("ij,ij->i", weight, u)
        pull = np.append(force, 0) - np.append(0, force)
        pull[int(case.get("force-node", n))] += value(case.get("force", 0), t=t)
        pull[0] += 2 * impedance * value(case.get("incoming-velocity", 0), t=t)
        return force, pull / mass - swing(t)

    def move(way):
        nonlocal u, spent
        free, u = u + way[:, None], moved(u, way[:, None], up, down)
        spent = spent + np.einsum("ij,ij->i", weight * u, free - u)

    force, a = pulled(0, np.diff(y))
    a = a - ground * y / mass
    rows = [(x, y, a + swing(0), np.diff(x, prepend=np.nan), np.append(np.nan, force))]
    for t in time * np.arange(1, steps + 1) / steps:
        w, bend = np.diff(y), np.diff(a)
        if scheme == "euler":
            x, y = x + step * y, y + step * a
            move(step * w)
            force, new = pulled(t, np.diff(y))
        else:
            turn = -w / np.where(bend == 0, np.inf, bend)
            vertex = np.where((turn > 0) & (turn < step), w * turn / 2, 0)
            if np.any(vertex):
                move(vertex)
            move(step * w + step**2 / 2 * bend - vertex)
            x = x + step * y + step**2 / 2 * a
            force, new = pulled(t, np.diff(y + step * a))
            y = (y + step / 2 * (a + new)) / (1 + step / 2 * ground / mass)
        spent = spent + step / 2 * c * (w**2 + np.diff(y) ** 2)
        a = new - ground * y / mass
        rows.append((x, y, a + swing(t), np.diff(x, prepend=np.nan), np.append(np.nan, force)))
    return dict(zip(("x", "y", "a", "elongation", "force"), map(np.array, zip(*rows)))), spent


THREE = {"n": 3, "m": "0.8,1.3,0.6", "k": "2+0.3*i", "eta": "0.5/i", "k0": "0.1,0,0.2", "c_ground": "0.02,0,0.1",
         "x0": "0.1*i", "y0": "0.2,-0.3,0.1", "stiffness": "1+0.5*s", "threshold": "s+0.1", "c": "0.02*i",
         "threshold-down": "0.2+0.3*s+0.1*i/n", "initial-u": "-0.2*s", "final-time": 12}
BASE = {"base_impedance": 1.5, "base_mass": 0.4}
LOADED = {
    "drifting": {**THREE, "force": "0.25+0.9*sin(2*t)", "force-node": 2},
    "on a swinging base": {**THREE, "base-acceleration": "0.7*sin(t)+0.4*cos(2.3*t)", "k0": 0},
    "on an absorbing base": {**THREE, **BASE, "force": "0.2*cos(t)", "incoming-velocity": "0.6*sin(1.3*t)^3"},
}


# Waves up and down, and neighbours that are in different states.
MANY = {"n": 100, "m": "(1+sin(i)/3)/n", "k": "n*(1.5-0.9*i/n)", "eta": "(0.3+0.2*cos(7*i))/n", "y0": "0.2*sin(0.3*i)",
        "c": "2e-5*n*(1+sin(i))", "base_impedance": 1.2, "base_mass": "0.004", "threshold-down": "0.2+0.3*s^2",
        "stiffness": "1+s", "threshold": "s^2+0.05", "incoming-velocity": "0.3*sin(5*t)^3", "final-time": 1.5}


@pytest.mark.parametrize(("name", "cells", "scheme", "place", "more", "tolerance"), [
    ("on a swinging base", 20000, "leapfrog", 0.5, ("--rule=midpoint",), 1e-12),
    *((name, 20000, "leapfrog", 0.5, ("--cells=inf",), 1.25e-8) for name in LOADED),
    ("drifting", 5000, "leapfrog", 1, (), 1e-12), ("drifting", 5000, "euler", 1, ("--scheme=euler",), 1e-12),
    ("many", 1, "leapfrog", 1, (), 1e-12), ("many", 150, "leapfrog", 1, (), 1e-12)])
def test_it_is_a_loop_over_all_sliders(masing, name, cells, scheme, place, more, tolerance):
    """To rounding with the same cells; at P = ∞ to the error of midpoints, κθ k δs²/8 at each kink of u(s)."""
    case, steps = LOADED.get(name, MANY), 200 if name in LOADED else 500
    first = 0 if "base_mass" in case else 1  # the base has a node of its own
    nodes = [node for node in range(first, int(case["n"]) + 1) if node < 4 or node % 7 == 0]
    expected, spent = chain_of_sliders(case, steps, cells, place, scheme)
    run = masing.run(*words(case, *more, *[f"--cells={cells}"] * ("--cells=inf" not in more), f"--steps={steps}",
                            "--sample-every=1", f"--watch={','.join(map(str, nodes))}"))
    if "force-node" in case:  # the restoring force is that of this node, which here is not the last
        node = int(case["force-node"]) - first
        np.testing.assert_array_equal(run["restoring"], run["watch/force"][:, node] - run["watch/force"][:, node + 1])
    for key, exact in expected.items():
        scale = tolerance * max(1, np.nanmax(np.abs(exact)))
        np.testing.assert_allclose(run[f"watch/{key}"], exact[:, nodes], rtol=0, atol=scale, err_msg=key)
        if key != "y":
            most = np.max(np.abs(exact[:, first:]), axis=0)
            np.testing.assert_allclose(run[f"profile/max_{key}"], most, rtol=0, atol=scale, err_msg=key)
    if name in LOADED:
        # The work of a move is trapezoidal: |f''| |d|³/12 <= κ max k/(2 θ min η') |d|³/12.
        i, ways = np.arange(1, 4), np.abs(np.diff(expected["elongation"][:, 1:], axis=0))
        lack = (2 + 0.3 * i) * 1.5 / (0.5 / i * 0.6) * np.sum(ways**3, axis=0) / 12
        assert np.all(np.abs(run["profile/dissipated"][-3:] - spent) < lack + 1e-9) and np.all(lack < 0.1 * spent)
    assert np.sum(spent) > 0.01


def orders(errors):
    """log₂ of the ratios of errors [levels, quantities], each at half the step of the one before."""
    return np.log2(np.array(errors)[:-1] / np.array(errors)[1:])


def swing_in(t):
    """V = 0.3 sin⁴ t and its integral."""
    return 0.3 * np.sin(t) ** 4, 0.3 * (3 * t / 8 - np.sin(2 * t) / 4 + np.sin(4 * t) / 32)


def simple_wave(z, t, share):
    """x and y, relative to the base, behind a base of velocity share·V, of B = γ - γ²/2 from rest.

    v = V(t₀) on z = c(γ₀) (t - t₀), where ∫₀^γ₀ c dγ = V(t₀) and c² = B' = 1 - γ: c³ = 1 - 3V/2. As dt = dt₀ + z d(1/c)
    at fixed z and dV = c dγ, x = ∫ v dt = ∫V dt₀ + z (V/c - γ₀)."""
    def speed(start):
        return np.cbrt(1 - 1.5 * share * swing_in(start)[0])

    low, high = np.zeros_like(z), np.maximum(t - z, 0)
    for _ in range(60):
        middle = (low + high) / 2
        is_early = speed(middle) * (t - middle) > z
        low, high = np.where(is_early, middle, low), np.where(is_early, high, middle)
    (v, way), c = share * np.array(swing_in(low)), speed(low)
    return way + z * (v / c - (1 - c**2)) - share * swing_in(t)[1], v - share * swing_in(t)[0]


# From u0 = min(η, γ*), held by the force B(γ*), a branch is 2B(Δ/2): twice the wave of V/2.
UNLOADED = ("--initial-u=min(s, 0.3)", "--force=0.3-0.3^2/2")


@pytest.mark.parametrize(("share", "more"), [(1, ()), (0.5, UNLOADED)], ids=["loading", "unloading"])
def test_simple_waves_are_of_second_order(masing, share, more):
    """The base moves at V(t), a_g = V'; x and y at the nodes at the end, before the wave is at the free end."""
    errors = []
    for n in (100, 200, 400):
        run = masing.run(*words({"n": n, "m": "i<n ? 1/n : 0.5/n", "k": "n", "eta": "1/n", "threshold": "s",
                                 "base-acceleration": "1.2*sin(t)^3*cos(t)", "final-time": 0.95, "steps": 19 * n // 10,
                                 "cells": "inf", "field-points": n, "field-every": 0}, *more))
        exact = simple_wave(np.arange(1, n + 1) / n, 0.95, share)
        errors.append([np.max(np.abs(run[f"field/{name}"][-1] - wave / share)) for name, wave in zip("xy", exact)])
    assert np.all(np.abs(orders(errors) - 2) < 0.02), errors
    assert np.all(np.array(errors[-1]) < np.array([9.2e-8, 2e-7]))


def test_an_absorbing_base_lets_waves_in_and_out_in_second_order(masing, impedance=2.5):
    """A layer of impedance 1: v = 2c/(1+c) Σ r^j (v_in(t - z - 2j) + v_in(t + z - 2 - 2j)), r = (1-c)/(1+c)."""
    errors = []
    for n in (100, 200, 400):
        run = masing.run(*words({"n": n, "m": "i<n ? 1/n : 0.5/n", "k": "n", "threshold": 9, "base_mass": 0.5 / n,
                                 "base_impedance": impedance, "incoming-velocity": "exp(-((t-1.2)/0.2)^2)", "cells": 1,
                                 "final-time": 6, "steps": 12 * n, "field-every": n, "field-points": n + 1}))
        assert list(run["profile/node"]) == list(range(n + 1))
        z, t = run["field/node"] / n, run["field/t"][:, None]
        back, v = (1 - impedance) / (1 + impedance), 0
        for j in range(4):
            v = v + 2 * impedance / (1 + impedance) * back**j * (
                np.exp(-((t - z - 2 * j - 1.2) / 0.2) ** 2) + np.exp(-((t + z - 2 - 2 * j - 1.2) / 0.2) ** 2))
        lack = np.abs(run["field/y"] - v)
        errors.append([np.max(lack), np.max(lack[8:])])  # ever, and once the wave has left: t >= 4
    assert np.all(np.abs(orders(errors) - 2) < 0.02), errors


@pytest.mark.parametrize("name", [*LOADED][1:])
def test_the_balance_of_energy_is_of_second_order(masing, name):
    """What is put in is that of F, by a spline through every step, and that of the base; sliding only takes."""
    case, base = LOADED[name], "base_mass" in LOADED[name]
    nodes = "0,1,2,3" if base else "1,2,3"
    errors = []
    for steps in (2000, 4000, 8000):
        run = masing.run(*words(case, "--cells=inf", f"--steps={steps}", "--sample-every=1", f"--watch={nodes}",
                                "--energy"))
        t, y, mass = run["t"], run["watch/y"], [0.4] * base + [0.8, 1.3, 0.6]
        assert np.max(np.abs(run["kinetic"] - y**2 @ mass / 2)) < 1e-14
        gain = run["kinetic"] + run["elastic"] + run["dissipated"] + run["viscous"] - run["input"]
        assert np.max(np.abs(run["residual"] - (gain[0] - gain))) < 1e-13
        assert np.min(np.diff(run["dissipated"])) > -1e-9
        power = value(case.get("force", 0), t=t) * y[:, base + int(case.get("force-node", 3)) - 1]
        of_base = (1.5 * y[:, 0] * (2 * value(case["incoming-velocity"], t=t) - y[:, 0]) if base else
                   -value(case["base-acceleration"], t=t) * (y @ mass))
        ground = y**2 @ [*[0] * base, 0.02, 0, 0.1]
        rate = np.diff(np.hstack([np.zeros((t.size, 1 - base)), y]), axis=1)
        dashpots = rate**2 @ (value(case["c"], i=np.arange(1, 4)))
        errors.append([np.max(np.abs(run["residual"]))] + [
            np.max(np.abs(found - CubicSpline(t, wanted).antiderivative()(t))) for found, wanted in
            [(run["viscous"], ground + dashpots), (run["input"], power + of_base), (run["base"], of_base)]])
    assert np.all(np.abs(orders(errors) - 2) < 0.2), errors


SMALL = {"n": 3, "m": 1, "k": 1, "final-time": 1, "steps": 50, "cells": 9}


@pytest.mark.parametrize(("given", "said"), [
    ({**BASE, "incoming-velocity": "1/(t-0.5)"}, ["--incoming-velocity", "inf", "t = 0.5"]),
    ({"threshold": "2.5-i"}, ["--threshold", "eta(s) = -0.5", "must be >= 0"]),
    ({"threshold": "s+0.1", "initial-u": "0.1*i"}, ["--initial-u", "u0(s) = 0.3", "0.21"]),
    ({"scheme": "euler", "c_ground": "0,40,120"}, ["--steps", "at least 60 steps"]),
    ({"scheme": "euler", "base_impedance": 44, "base_mass": 0.4}, ["at least 55 steps"])])
def test_it_is_refused(masing, given, said):
    """What only its shapes and steps show (tests/cli has the others)."""
    message = masing.refusal("simulate", *words({**SMALL, **given}))
    assert all(part in message for part in said), message


@pytest.mark.parametrize("dashpots", [(0, 0, 0, 0), (0.3, 0, 0.1, 0)])
def test_too_few_steps_are_refused_with_a_number_that_holds(masing, dashpots, time=50):
    """δt ω <= 2 (√(1+4ξ²) - 2ξ), ω the greatest elastic frequency, ξ = max b ω/2K, K of slab and spring."""
    own = np.array([3.5, 9, 2.2, 5])  # of slab and spring
    stiffness = np.diag(np.append(0, own) + np.append(own, 0)) - np.diag(own, 1) - np.diag(own, -1)
    omega = np.sqrt(eigh(stiffness, np.diag([0.4, 0.7, 1.2, 0.9, 0.5]), eigvals_only=True)[-1])
    damped = np.max(dashpots / (2 * own)) * omega
    least = int(np.ceil(time * omega / (2 * (np.sqrt(1 + 4 * damped**2) - 2 * damped))))
    case = {"n": 4, "m": "0.7,1.2,0.9,0.5", "k0": "0.5,0,0.2,0", "c": ",".join(map(str, dashpots)), "final-time": time,
            "cells": 10, "k": 1, "stiffness": "i==1 ? 3 : i==2 ? 9 : i==3 ? 2 : 5", **BASE}
    said = masing.refusal("simulate", *words(case, f"--steps={least - 1}"))
    assert "--steps" in said and int(re.search(r"at least (\d+) steps", said)[1].replace(",", "")) == least
    masing.run(*words(case, f"--steps={least}"))


@pytest.mark.parametrize(("given", "said"), [
    ({}, None), ({"force": "2*t"}, "element 3 has reached its strength"),
    ({"scheme": "euler", "final-time": 300, "steps": 1000}, "grow by exp(dt omega^2 T/2)")])
def test_it_is_warned_of(masing, given, said):
    case = {"n": 3, "m": "1,1,0.5", "k": 1, "final-time": 2, "steps": 50, **given}
    warnings = [line for line in masing.done("simulate", *words(case, "--quiet")).stderr.splitlines()
                if line.startswith("masing warning: ")]
    assert len(warnings) == bool(said) and all(said in line for line in warnings), warnings


# A wave that loads, reverses at the surface and unloads.
WAVE = {"n": 10, "m": "i<n ? 1/n : 0.5/n", "k": "n", "eta": "1/n", "threshold": "s+0.05", "cells": "inf",
        "base-acceleration": "-3*sin(2*t)^3*cos(2*t)", "final-time": 2}
DAMPED = WAVE | {"c": "0.002*n"}
QUANTITIES = ("x", "y", "x_rms", "y_rms")


@pytest.mark.parametrize(("case", "more", "order", "within", "expected"), [
    (DAMPED, ("--refine=elements", "--reference=successive", "--levels=50:400:400:3200:4"), 2, 0.3, None),
    (DAMPED, ("--scheme=leapfrog", "--refine=steps", "--levels=4000,8000,16000"), 2, 0.1, "2"),
    (DAMPED | {"cells": None}, ("--rule=midpoint", "--refine=cells", "--reference=cells-inf", "--steps=800",
                                "--levels=50,100,200,400,800"), 2, 0.3, "2")])
def test_a_wave_with_dashpots_has_the_orders_of_its_scheme_and_rule(masing, case, more, order, within, expected):
    """(jobs/cases has waves whose kinks stay, and smooth ones of which order 2 is expected in the elements.)"""
    found = study(masing.made("converge", *words(case), *more))
    assert found["quantities"] == " ".join(QUANTITIES)
    for name in QUANTITIES:
        assert found.get(f"expected_{name}") == expected and abs(found[f"observed_{name}"] - order) < within, name


def test_peaks_of_points_are_those_of_runs(masing):
    window = ("--steps=400", "--from=0.5", "--to=1.5", "--force-node=4")
    points = numbers(masing.made("scan", *words(WAVE | {"n": None}), *window, "--over=n=5,10"))
    for point, n in enumerate((5, 10)):
        run = masing.run(*words(WAVE | {"n": n}), "--watch=4", "--sample-every=1", *window)
        assert points["points/most_elongation"][point] == np.abs(run["watch/elongation"]).max()
        assert points["points/most_acceleration"][point] == np.abs(run["watch/a"]).max()
        assert points["points/most_x"][point] == run["x"].max()
