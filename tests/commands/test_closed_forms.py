"""Motions and forces in closed form, of what only the program's options make: damping, a moving base, thresholds that
differ by direction, thresholds of 0 (Segalman's Iwan element), profiles with jumps and peaks, breaks of the force."""

import numpy as np
import pytest
from scipy.integrate import quad

MASS, STIFFNESS, START, FORCE = 0.8, 1.5, (0.2, -0.7), 0.3 + 0.2  # k0 + ∫k; u0 = 0 at x0: S = x - x0
LINEAR = ("--threshold=9", "--force=0.3", "--mass=0.8", "--k0=0.5", "--x0=0.2", "--y0=-0.7")  # nothing yields


@pytest.mark.parametrize("cells", ["3", "inf"])
@pytest.mark.parametrize("damping", [0.2, 1.9, 20])  # below, near and beyond the critical 2.19
def test_the_exact_engine_has_the_damped_oscillator_on_a_swinging_base(masing, damping, cells):
    """m x'' + c x' + k x = F - m A sin ωt: the steady answer, and by the system's eigenvalues what the start adds."""
    size, rate = 0.4, 1.7
    run = masing.run(*LINEAR, f"--damping={damping}", f"--base-acceleration={size}*sin({rate}*t)", f"--cells={cells}",
                     "--engine=exact", "--final-time=30", "--steps=60")
    swing = -MASS * size / (STIFFNESS - MASS * rate**2 + 1j * damping * rate)  # x = Im swing exp(i ω t)
    wave = swing * np.exp(1j * rate * run["t"])
    values, vectors = np.linalg.eig(np.array([[0, 1], [-STIFFNESS / MASS, -damping / MASS]], dtype=complex))
    rest = np.array([FORCE / STIFFNESS, 0])
    weights = np.linalg.solve(vectors, np.array(START) - rest - np.array([swing.imag, rate * swing.real]))
    free = (vectors @ (weights[:, None] * np.exp(np.outer(values, run["t"])))).real
    x, y = rest[:, None] + free + np.array([wave.imag, rate * wave.real])
    for name, expected in (("x", x), ("y", y), ("restoring", STIFFNESS * x - 0.2)):  # k0 x + S: no c y in it
        assert np.max(np.abs(run[name] - expected)) < 1e-12, name
    assert np.max(np.abs(run["force"] - 0.3 + MASS * size * np.sin(rate * run["t"]))) < 1e-15


def scheme_map(scheme, damping, step):
    """One step of a scheme on (x, y, 1), as a matrix, F constant and nothing yielding."""
    w, b, f = STIFFNESS / MASS, damping / MASS, FORCE / MASS
    if scheme == "euler":
        return np.array([[1, step, 0], [-step * w, 1 - step * b, step * f], [0, 0, 1]])
    a = np.array([-w, -b, f])  # the acceleration
    x = np.array([1, step, 0]) + step**2 / 2 * a
    y = (np.array([0, 1, 0]) + step / 2 * (a - w * x + np.array([0, 0, f]))) / (1 + step * b / 2)
    return np.array([x, y, [0, 0, 1]])


@pytest.mark.parametrize("engine", ["sweep", "memory"])
@pytest.mark.parametrize("scheme", ["euler", "leapfrog"])
@pytest.mark.parametrize("damping", [0, 0.4])
def test_a_scheme_is_its_linear_map(masing, damping, scheme, engine):
    run = masing.run(*LINEAR, f"--damping={damping}", f"--scheme={scheme}", f"--engine={engine}", "--cells=4",
                     "--final-time=20", "--steps=400", "--sample-every=1")
    state, matrix = np.array([*START, 1.0]), scheme_map(scheme, damping, 0.05)
    for x, y in zip(run["x"], run["y"]):
        assert np.allclose((x, y), state[:2], rtol=0, atol=1e-12)
        state = matrix @ state


@pytest.mark.parametrize("cells", ["40", "inf"])
def test_a_sliding_slab_stops_where_damping_and_friction_stop_it(masing, cells):
    """u0 = η and y0 > 0: m y' = -c y - S with S = ∫kη, until y = 0 at t* = m/c log(1 + c y0/S)."""
    mass, damping, speed = 1.3, 0.5, 2.0
    friction = 0.6 if cells == "inf" else 0.6 + 0.5 / 40
    stop = mass / damping * np.log(1 + damping * speed / friction)
    run = masing.run("--initial-u=s+0.1", "--force=0", f"--mass={mass}", f"--damping={damping}", f"--y0={speed}",
                     f"--cells={cells}", "--engine=exact", f"--final-time={stop!r}", "--steps=50", "--energy")
    way = mass / damping * (speed - friction / damping * np.log(1 + damping * speed / friction))
    for name, expected in (("x", way), ("y", 0), ("dissipated", friction * way),
                           ("viscous", 0.5 * mass * speed**2 - friction * way)):
        assert abs(run[name][-1] - expected) < 1e-12, name


def test_damping_brings_the_mass_to_rest(masing):
    """Reversals by the thousand, of ever smaller amplitude, to rounding: every one is an event."""
    run = masing.run("--force=0.1", "--damping=0.5", "--engine=exact", "--cells=inf", "--final-time=2000",
                     "--steps=200")
    assert max(abs(run["y"][-1]), abs(run["restoring"][-1] - 0.1)) < 1e-13


# two independent event-driven programs agree on these digits
@pytest.mark.first(1)
@pytest.mark.parametrize(("cells", "x"), [("inf", -1.8628145429), ("1500", -1.8551603990)])
def test_x_at_500_is_what_other_programs_find(masing, cells, x):
    run = masing.run("--engine=exact", f"--cells={cells}", "--steps=500")
    assert run["t"][-1] == 500
    assert abs(run["x"][-1] - x) < 1e-9


@pytest.mark.parametrize(("force", "breaks"), [("abs(cos(t))", "1.5707963267948966,4.71238898038469"),
                                               ("t < 3 ? 0.5 : -0.2", "3")])
def test_breaks_allow_a_force_that_is_not_smooth(masing, force, breaks):
    case = (f"--force={force}", "--final-time=6", "--cells=10")
    exact = masing.run(*case, "--engine=exact", "--steps=10", f"--breaks={breaks}")
    near = masing.run(*case, "--scheme=leapfrog", "--steps=60000", "--sample-every=6000")
    # A jump of F inside a step costs δt; here it lies on one, and F(3) is the later value.
    assert np.max(np.abs(exact["x"] - near["x"])) < 2e-4
    assert np.max(np.abs(exact["x"])) > 0.3


def moved(masing, position, *words, time=1):
    """x and S of the continuum without a mass, moved as given; k0 = 0."""
    found = masing.run("--model=masing-quasistatic", "--cells=inf", f"--position={position}", f"--final-time={time}",
                       "--sample-every=1", *words)
    return found["x"], found["restoring"]


K, UP, DOWN = (lambda s: 1 + 0.5 * s), (lambda s: s + 0.1), (lambda s: 0.3 + 0.2 * s * s)
DIRECTED = ("--stiffness=1+0.5*s", "--threshold=s+0.1", "--threshold-down=0.3+0.2*s^2")


def backbone(x, bound):
    """∫k min(x, η) ds for x ≥ 0, η growing with s."""
    inside = np.clip(np.interp(x, bound(np.linspace(0, 1, 10**5)), np.linspace(0, 1, 10**5)), 0, 1)
    return sum(quad(lambda s: K(s) * min(x, bound(s)), *ends)[0] for ends in ((0, inside), (inside, 1)))


@pytest.mark.parametrize(("sign", "bound"), [(1, UP), (-1, DOWN)])
def test_the_backbone_is_each_direction_s_own(masing, sign, bound):
    x, force = moved(masing, f"{sign}*1.3*t", *DIRECTED, "--steps=40")
    assert np.max(np.abs(sign * force - [backbone(sign * at, bound) for at in x])) < 1e-11


def test_a_loop_has_branches_of_masing_and_dissipates_its_closed_form(masing):
    """Once all has slid: f = f_r ± 2B(|x - x_r|/2), B the backbone of the mean threshold; 4∫kη(X-η)⁺ds a cycle."""
    size, steps = 1.2, 400
    x, f = moved(masing, f"{size}*triangle(t)", *DIRECTED, f"--steps={2 * steps}", time=2)
    mean = lambda s: (UP(s) + DOWN(s)) / 2  # noqa: E731
    down = slice(steps + steps // 4, steps + 3 * steps // 4 + 1, 20)
    top = f[down.start]
    branch = [top - 2 * backbone((x[down.start] - at) / 2, mean) for at in x[down]]
    assert np.max(np.abs(f[down] - branch)) < 1e-11
    cycle = slice(steps // 4, steps // 4 + steps + 1)
    area = abs(np.sum((f[cycle][1:] + f[cycle][:-1]) / 2 * np.diff(x[cycle])))
    loss = 4 * quad(lambda s: K(s) * mean(s) * (size - mean(s)), 0, 1)[0]
    assert abs(area - loss) < 1e-3 * loss  # the trapezoidal rule over 400 steps


def iwan(chi, spike):
    """η(s) of Segalman's element, whose stiffness over φ ≤ 1 is like φ^χ; `spike`: the part that slides at 1."""
    return f"--threshold=min(1, s/{1 - spike!r})^{1 / (1 + chi)!r}"


def iwan_backbone(x, chi, spike):
    """∫ min(x, φ) dK(φ) for ∫dK = 1."""
    z = np.minimum(x, 1)
    return (1 - spike) * (z ** (2 + chi) * (1 + chi) / (2 + chi) + z * (1 - z ** (1 + chi))) + spike * z


@pytest.mark.parametrize("chi", [-0.2, -0.9])
def test_iwans_element_has_its_closed_backbone_and_branches(masing, chi):
    x, f = moved(masing, "1.2*t^4", iwan(chi, 0.2), "--steps=60")  # x from 1e-7 on
    assert np.max(np.abs(f - iwan_backbone(x, chi, 0.2))) < 1e-14
    x, f = (values[100:301] for values in moved(masing, "0.9*triangle(t)", iwan(chi, 0.2), "--steps=400"))
    assert np.max(np.abs(f - (f[0] - 2 * iwan_backbone((x[0] - x) / 2, chi, 0.2)))) < 1e-14


def test_jumps_of_the_profile_cost_nothing(masing):
    """S = ∫ k min(x, η) on the way up: η = 0.2 + s, then 0.9 + s; and of k while nothing slides."""
    x, f = moved(masing, "2.5*t", "--threshold=s<0.5?0.2+s:0.9+s", "--steps=50")
    for at, expected in ((0.05, 0.05), (1, 0.225 + 0.5), (2.5, (0.2 + 0.7) / 2 * 0.5 + (1.4 + 1.9) / 2 * 0.5)):
        assert abs(f[np.argmin(np.abs(x - at))] - expected) < 1e-13
    x, f = moved(masing, "2.5*triangle(t)", "--stiffness=s<0.3123456789?1:3", "--threshold=3+s", "--steps=50")
    assert np.max(np.abs(f - (0.3123456789 + 3 * (1 - 0.3123456789)) * x)) < 1e-13


@pytest.mark.parametrize("width", [1e-3, 1e-8])
def test_a_peak_of_the_stiffness_is_not_missed(masing, width):
    """k = 1 + a peak of area 2, η = s + 0.5: while nothing slides S = 3x; once the peak's cells slide, 2η(c)."""
    centre = 0.3771234567
    x, f = moved(masing, "t", f"--stiffness=1+2/sqrt(pi)/{width}*exp(-((s-{centre})/{width})^2)", "--threshold=s+0.5",
                 "--steps=20")
    assert np.max(np.abs(f - 3 * x)[x < 0.5]) < 1e-11
    # at x = 1: ∫ min(1, s + 0.5) = 0.875 of the rest; the mean of η over the peak is η(c)
    assert abs(f[-1] - (0.875 + 2 * (0.5 + centre))) < 1e-11


@pytest.mark.first(1)
@pytest.mark.parametrize("word", ["--initial-u=0.01*square(1e7*s)", "--stiffness=2+sin(1e9*s)",
                                  "--threshold=0.5+0.3*sin(1e5*s)", "--threshold=0.1+rint(1e5*s)/1e5"])
def test_a_continuum_that_cannot_be_resolved_is_refused(masing, word):
    said = masing.refused("simulate", "--cells=inf", "--engine=memory", "--steps=10", "--force=0", "--quiet", word)
    assert word.split("=")[0] in said and "use a number of cells" in said
