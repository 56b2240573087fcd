"""Cases of columns of soil: what stands in them, what is refused, and a linear column against its closed form."""

import column as script
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import eigh_tridiagonal

from masing import program
from masing.report.chains import spectra
from masing.results import Run, parse_configuration
from test_analysis_mistakes import one_line

LAYERS = """thickness,density,speed,reference_strain,damping
5,1800,150,0.0008,0.02
10,1900,250,0.001,0.015
15,2000,400,0.0012,0.01
0,2200,800,0,0
"""
CURVE = """strain,ratio
1e-6,1
1e-5,0.995
1e-4,0.91
1e-3,0.5
1e-2,0.1
"""
RECORD = "time (s);acceleration (m/s2)\n0;0\n0,05;2\n0,1;1\n0,15;0\n"


@pytest.fixture
def case(run_script, tmp_path):
    """Make a case from texts of files; gives the configuration in it, and its lists of numbers as arrays."""
    def make(*options, profile=LAYERS, **files):
        for name, text in {"profile": profile, **files}.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        words = [tmp_path / word if str(word).endswith(".csv") else word for word in options]
        code, out, err = run_script(script, tmp_path / "profile.csv", *words)
        assert (code, err) == (0, "") and out.splitlines()[-1] == str(tmp_path / "profile.ini")
        settings = parse_configuration((tmp_path / "profile.ini").read_text(encoding="utf-8"))
        return settings, {key.removeprefix("model."): np.array(value.split(","), dtype=float)
                          for key, value in settings.items() if key.startswith("model.")}
    return make


def backbone(settings, ratio):
    """The force ∫ k(s) min(d, η(s)) ds of the case's shape at the elongation d, by quadrature."""
    names = {key.removeprefix("let."): float(value) for key, value in settings.items() if key.startswith("let.")}
    stiffness, threshold = (eval(f"lambda s: {settings[key].replace('^', '**')}", names)
                            for key in ("stiffness", "threshold"))
    slides = ratio ** names["a"] if ratio < 1 else 1
    part = quad(lambda s: stiffness(s) * threshold(s), 0, slides, epsabs=1e-13, epsrel=1e-12, limit=200)[0]
    return part + ratio * quad(stiffness, slides, 1, epsabs=1e-13, epsrel=1e-12, limit=200)[0]


@pytest.mark.parametrize("exponent, reach", [(1, 100), (0.919, 100), (0.7, 1000), (1.1, 8)])
def test_the_shape_has_the_backbone_of_the_formula(case, exponent, reach):
    settings, model = case("--exponent", exponent, "--reach", reach)
    j, reference = 0, 0.0012  # the lowest element is of the last layer
    height, modulus = 1.5, 2000 * 400**2
    for strain in reference * np.array([0.01, 0.3, 1, 5, 0.99 * reach]):
        elongation = strain * height
        force = (model["k"][j] * model["eta"][j] * backbone(settings, elongation / model["eta"][j])
                 + model["k0"][j] * elongation)
        expected = modulus * strain / (1 + (strain / reference)**exponent)
        assert abs(force - expected) <= 1e-10 * expected


def test_the_elements_are_those_of_the_layers(case):
    settings, model = case("--frequency", 25)
    assert settings["model.n"] == "29"  # 15 m/1.6 m, 10 m/1 m and 5 m/0.6 m are 10, 10 and 9 elements
    height = np.repeat([1.5, 1, 5 / 9], [10, 10, 9])
    density, speed, damping = (np.repeat(values, [10, 10, 9]) for values in
                               ([2000, 1900, 1800], [400, 250, 150], [0.01, 0.015, 0.02]))
    assert np.allclose(model["k"], density * speed**2 / height, rtol=1e-14)
    halves = density * height / 2
    assert np.allclose(model["m"], np.r_[halves[:-1] + halves[1:], halves[-1]], rtol=1e-14)
    assert model["base_mass"] == halves[0] and model["base_impedance"] == 2200 * 800
    # At the first frequency the loss factor b ω/κ is 2 ξ.
    omega = 2 * np.pi / (4 * (15 / 400 + 10 / 250 + 5 / 150))
    assert np.allclose(model["c"] * omega / model["k"], 2 * damping, rtol=1e-14)
    assert settings["watch"] == "0,10,20,29"


@pytest.mark.parametrize("damping", [0, 0.02])
def test_the_step_is_stable_and_not_much_too_small(case, damping):
    settings, model = case(profile=f"thickness,density,speed,reference_strain,damping\n20,1800,200,1e-3,{damping}\n"
                           "10,2000,300,1e-3,0\n0,2200,800,1,0\n")
    stiffness, mass = model["k"], np.r_[model["base_mass"], model["m"]]
    diagonal = (np.r_[0, stiffness] + np.r_[stiffness, 0]) / mass
    omega = np.sqrt(eigh_tridiagonal(diagonal, -stiffness / np.sqrt(mass[:-1] * mass[1:]), eigvals_only=True)[-1])
    ratio = np.max(model["c"] * omega / (2 * (stiffness - model["k0"]))) if damping else 0
    largest = 2 * (np.sqrt(1 + 4 * ratio**2) - 2 * ratio) / omega
    step = float(settings["final-time"]) / float(settings["steps"])
    # The script's bound of ω is up to √2 high; 0.8 is its margin, and N is rounded up to a multiple of 400.
    assert 0.8 / 2**0.5 / 2**0.5 * 0.6 * largest < step <= 0.8 * largest


def test_a_curve_is_met_at_its_points_and_concave_between(case, tmp_path):
    settings, model = case("--curve", "curve.csv", curve=CURVE)
    s, eta = np.loadtxt(tmp_path / "profile-curve.csv", delimiter=",", skiprows=1).T
    stiffness = float(settings["stiffness"])
    assert s[0] == 0 and s[-1] == 1 and (np.diff(s) > 0).all() and (np.diff(eta) >= 0).all()

    def ratio(strain):
        """The secant modulus: ∫ k min(γ, η) ds over the pieces on which η is linear in s, and k0 γ."""
        force = 0
        for low, high, first, last in zip(s[:-1], s[1:], eta[:-1], eta[1:]):
            part = float(strain >= last) if strain >= last or strain <= first else (strain - first) / (last - first)
            below = part * (first + min(last, strain)) / 2
            force += (high - low) * (below + (1 - part) * strain)
        return stiffness * force / strain + model["k0"][0] / model["k"][0]

    points = np.genfromtxt(CURVE.splitlines(), delimiter=",", skip_header=1)
    # η may jump over 1e-9 in s in each of the seven intervals.
    assert np.allclose([ratio(strain) for strain in points[:, 0]], points[:, 1], atol=1e-8)
    # The reference strain of the curve is 0.001, where the ratio is ½; that of the lowest layer is 0.0012.
    assert np.allclose(model["eta"][0], 1.5 * 1.2, rtol=1e-14)


def test_records_become_velocities_of_the_wave_that_comes_up(case, tmp_path):
    settings, _ = case("--record", "rec.csv", "--scale", 9.81, rec=RECORD)
    assert settings["incoming-velocity"] == f"table:{tmp_path / 'profile-velocity.csv'}"
    t, v = np.loadtxt(tmp_path / "profile-velocity.csv", delimiter=",", skiprows=1).T
    # Trapezia under (0, 2, 1, 0) with the step 0.05, half of them, times 9.81.
    assert np.allclose(t, [0, 0.05, 0.1, 0.15])
    assert np.allclose(v, 9.81 * np.array([0, 0.025, 0.0625, 0.075]), rtol=1e-14)
    samples, rest = divmod(int(settings["steps"]), int(settings["sample-every"]))
    assert float(settings["final-time"]) == 0.15 and rest == 0
    # The acceleration jumps at the points of the record, so one of k samples of an interval is wrong.
    assert samples % 3 == 0 and 8 <= samples / 3 < 16


@pytest.mark.parametrize("record, remarks", [
    (RECORD, ["the record drifts: its velocity ends at 0.15 m/s, 100 % of the greatest; correct its baseline"]),
    ("1,0\n1.05,2\n1.1,-2\n1.15,0\n", ["the record begins at 1 s, which is t = 0 of the case"]),
    ("0,0\n0.05,2\n0.1,-2\n0.15,0\n", [])])
def test_what_is_remarkable_about_a_record_is_said(run_script, tmp_path, record, remarks):
    for name, text in (("profile", LAYERS), ("rec", record)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    code, out, _ = run_script(script, tmp_path / "profile.csv", "--record", tmp_path / "rec.csv")
    assert code == 0 and out.splitlines()[2:-1] == remarks
    assert np.loadtxt(tmp_path / "profile-velocity.csv", delimiter=",", skiprows=1)[0, 0] == 0


def test_a_record_at_the_base_moves_it(case, tmp_path):
    settings, model = case("--record", "rec.csv", "--within", rec=RECORD)
    assert settings["base-acceleration"] == f"table:{tmp_path / 'profile-acceleration.csv'}"
    assert np.allclose(np.loadtxt(tmp_path / "profile-acceleration.csv", delimiter=",", skiprows=1)[:, 1], [0, 2, 1, 0])
    assert "incoming-velocity" not in settings and not {"base_mass", "base_impedance"} & model.keys()
    assert settings["watch"] == "0,10,20,29"


def changed(old, new):
    return {"profile": LAYERS.replace(old, new)}


BAD = [
    ({}, ["--frequency", 0], "--frequency 0: give the greatest frequency"),
    ({}, ["--frequency", 1e300], "more than 10000; give at most 9.02e+03"),
    ({}, ["--frequency", 1e6], "more than 10000; give at most 9.02e+03"),
    ({}, ["--exponent", 1.1], "--exponent 1.1: the stress falls beyond the strain 8.111 γ_r; give --reach up to"),
    ({}, ["--exponent", -1], "--exponent -1: give a number above 0"),
    ({}, ["--reach", "nan"], "--reach nan: give a number above 0"),
    ({}, ["--damping-frequency", 0.2], "--damping-frequency 0.2: give a frequency in Hz, at least a tenth of the first "
     "one of the column, 2.26 Hz"),
    ({}, ["--damping", 2], "unrecognized arguments: --damping 2; did you mean --damping-frequency?"),
    ({}, ["--within"], "--within: needs a record"),
    ({}, ["--record", "none.csv"], "none.csv: is not there"),
    ({"curve": CURVE}, ["--curve", "curve.csv", "--reach", 9], "--curve: takes the place of the formula"),
    (changed("thickness", "height"), [], "profile.csv: has no column thickness"),
    (changed("0,2200,800,0,0\n", ""), [], "the thickness of its last row is 15; give a row for each layer"),
    (changed("5,1800", "-5,1800"), [], "the thickness of layer 1 is -5; give it in m, from 0.01 to 10000"),
    (changed("10,1900", "10,1.9"), [], "the density of layer 2 is 1.9; give it in kg/m³"),
    (changed("250", "1e5"), [], "the speed of layer 2 is 100000; give it in m/s"),
    (changed("800,0,0", "0.8,0,0"), [], "the speed of the half-space is 0.8; give it in m/s"),
    (changed("0.0012", "12"), [], "the reference_strain of layer 3 is 12; give it as a fraction, 0.001 for 0.1 %"),
    (changed("0.015", "1.5"), [], "the damping of layer 2 is 1.5; give it as a fraction, 0.02 for 2 %"),
    (changed("0.0008", "0,0008"), [], "line 2: has 6 cells for the columns thickness, density, speed"),
    (changed("250", "fast"), [], "line 3: 'fast' is not a finite number"),
    (changed("reference_strain", "remark"), [], "the profile has no column reference_strain; give it, or a curve"),
    ({"curve": CURVE.replace("0.91", "0.05")}, ["--curve", "curve.csv"], "is not concave at the strain 0.0001"),
    ({"curve": CURVE.replace("0.1\n", "0.01\n")}, ["--curve", "curve.csv"], "the stress falls beyond the strain 0.001"),
    ({"curve": CURVE.replace("1e-2,0.1\n", "").replace("0.5", "0.6")}, ["--curve", "curve.csv"], "never falls to half"),
    ({"curve": CURVE.replace("ratio", "G")}, ["--curve", "curve.csv"], "curve.csv: has not the right columns"),
    ({"curve": CURVE.replace("1e-5", "1e-7")}, ["--curve", "curve.csv"], "strain 1e-07 is not above the one before"),
    ({"curve": CURVE.replace("0.91", "91")}, ["--curve", "curve.csv"], "a ratio is 91; give numbers above 0, up to 1"),
    ({"curve": "strain,ratio\n1e-4,1\n1e-3,1\n1e-2,1\n"}, ["--curve", "curve.csv"], "is a straight line"),
    ({"rec": RECORD.replace("0,15", "0,09")}, ["--record", "rec.csv"], "the time 0.09 is not above the one before"),
    ({"rec": "0,0\n5,2\n10,0\n"}, ["--record", "rec.csv"], "its points are 5 s apart; give times in s, at most 0.1"),
    ({"rec": RECORD.replace(";2", ";2000")}, ["--record", "rec.csv"], "the greatest acceleration is 2000 m/s²"),
    ({"rec": RECORD.replace(";0", ";0;0")}, ["--record", "rec.csv"], "has 3 cells for the columns t, a"),
    ({"rec": RECORD}, ["--record", "rec.csv", "rec.csv"], "two records have the same name"),
]


@pytest.mark.parametrize("files, options, words", BAD, ids=[words for *_, words in BAD])
def test_mistakes_are_refused_in_one_line(run_script, tmp_path, files, options, words):
    for name, text in ({"profile": LAYERS} | files).items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    before = set(tmp_path.iterdir())
    options = [tmp_path / word if str(word).endswith(".csv") else word for word in options]
    one_line(run_script(script, tmp_path / "profile.csv", *options), words)
    assert set(tmp_path.iterdir()) == before


# A uniform layer with damping on a half-space: thickness, density, speed, damping ratio; density and speed below.
HEIGHT, DENSITY, SPEED, DAMPING, ROCK = 30, 1900, 300, 0.03, 2200 * 900
UNIFORM = ("thickness,density,speed,reference_strain,damping\n"
           f"{HEIGHT},{DENSITY},{SPEED},0.001,{DAMPING}\n0,2200,900,0,0\n")
FREQUENCY = np.linspace(0.5, 8, 31)


def closed_form(frequency):
    """The motion at the surface over that of the wave that comes up, and over that at the base, of exp(i ω t)."""
    omega = 2 * np.pi * frequency
    speed = SPEED * np.sqrt(1 + 2j * DAMPING * frequency / (SPEED / (4 * HEIGHT)))
    phase, impedance = omega * HEIGHT / speed, DENSITY * speed / ROCK
    return 2 / (np.cos(phase) + 1j * impedance * np.sin(phase)), 1 / np.cos(phase)


@pytest.fixture
def linear_run(case, made, tmp_path):
    """The Run of the uniform column under a pulse so weak that nothing slides, for elements up to this frequency."""
    def run(greatest):
        settings, _ = case("--frequency", greatest, profile=UNIFORM)
        # The waves lose all but (1-α)/(1+α) = 0.55 of the amplitude in 2 H/v = 0.2 s: 1e-6 of it is left at the end.
        steps = int(np.ceil(int(settings["steps"]) * 5 / float(settings["final-time"])))
        return Run(made("simulate", tmp_path / f"{greatest}.h5", "--config", tmp_path / "profile.ini", "--final-time=5",
                        f"--steps={steps}", "--incoming-velocity=1e-9*sin(pi*min(t/0.12,1))^4"))
    return run


def test_a_weak_wave_in_a_uniform_column_is_that_of_the_closed_form(linear_run):
    expected, _ = closed_form(FREQUENCY)
    errors = []
    for greatest in (25, 50):
        run = linear_run(greatest)
        t, y = run["watch/t"], run["watch/y"][:, -1]
        kernel = np.exp(-2j * np.pi * np.outer(FREQUENCY, t)) * t[1]
        transfer = kernel @ y / (kernel @ (1e-9 * np.sin(np.pi * np.minimum(t / 0.12, 1))**4))
        errors.append(np.abs(transfer / expected - 1).max())
    # The wave number of elements of a tenth of the shortest wavelength is wrong by (k h)²/24, the phase by k H of it,
    # and the transfer by at most the ratio ρ_r v_r/(ρ v) of this.
    kh, phase = 2 * np.pi * FREQUENCY[-1] / (10 * 25), 2 * np.pi * FREQUENCY[-1] * HEIGHT / SPEED
    assert errors[0] <= kh**2 / 24 * phase * ROCK / (DENSITY * SPEED)
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_the_transfer_of_a_page_is_that_from_the_base_to_the_surface(linear_run):
    run = linear_run(25)
    frequency, _, (own, smoothed), _ = spectra(run)
    known = np.isfinite(own) & (frequency <= FREQUENCY[-1])
    expected = np.abs(closed_form(frequency[known])[1])
    # The phase φ = k H is wrong by (k h)²/24 of it, and 1/cos φ by φ (k h)²/24 |tan φ|; |tan φ|² ≤ 1/|cos φ|² + 1.
    phase = 2 * np.pi * frequency[known] * HEIGHT / SPEED
    bound = phase * (phase / int(run.settings["model.n"]))**2 / 24 * np.sqrt(expected**2 + 1)
    assert (np.abs(own[known] / expected - 1) <= bound).all() and np.count_nonzero(known) == 40
    assert np.nanmax(smoothed) < 0.8 * expected.max()  # it is 2 ξ f = 0.15 Hz wide, smoothed over ±0.2 Hz


# A weak motion of a second, whose greatest circular frequency is 4 π: velocity sin⁴ π t and its derivative, every 5 ms.
STEP = 0.005
TIMES = STEP * np.arange(401)
WEAK = 1e-7 * np.where(TIMES < 1, 4 * np.pi * np.sin(np.pi * TIMES)**3 * np.cos(np.pi * TIMES), 0)
WEAK_RECORD = "".join(f"{t!r},{a!r}\n" for t, a in zip(TIMES.tolist(), WEAK.tolist()))


def velocity(t):
    return 1e-7 * np.where((t > 0) & (t < 1), np.sin(np.pi * t)**4, 0)


def weak_run(case, made, tmp_path, *options):
    """The Run of 20 m of the rock of the half-space itself, ρ = 2000 and v = 200, without damping, under this motion;
    and a bound of the relative error of a wave after each passage of the column.

    The error of the elements is that of the phase, (k h)²/24 k H, and that of trapezia and straight lines (ω δ)²/8.
    """
    case("--record", "rec.csv", *options, rec=WEAK_RECORD,
         profile="thickness,density,speed,reference_strain\n20,2000,200,0.1\n0,2000,200,0\n")
    run = Run(made("simulate", tmp_path / "weak.h5", "--config", tmp_path / "profile.ini"))
    omega, height = 4 * np.pi, 20 / float(run.settings["model.n"])
    return run, (omega / 200 * height)**2 / 24 * omega * DELAY, (omega * STEP)**2 / 8


DELAY = 20 / 200


def test_the_surface_of_the_half_space_itself_moves_as_the_record_that_crops_out(case, made, tmp_path):
    run, of_elements, of_record = weak_run(case, made, tmp_path)
    difference = run["watch/y"][:, -1] - velocity(run["watch/t"] - DELAY)
    assert np.abs(difference).max() <= (of_elements + of_record) * 1e-7


def test_a_record_at_the_base_is_reflected_at_both_ends(case, made, tmp_path):
    run, of_elements, of_record = weak_run(case, made, tmp_path, "--within")
    # The surface doubles every wave, and the base, which moves as it is told, turns its sign; x is relative to it.
    t, passages = run["watch/t"], np.arange(1, 2 / DELAY, 2)
    signs = 2 * (-1.0) ** np.arange(len(passages))
    expected = sum(sign * velocity(t - passage * DELAY) for sign, passage in zip(signs, passages)) - velocity(t)
    bound = sum(2 * (passage * of_elements + of_record) for passage in passages)
    assert np.abs(run["watch/y"][:, -1] - expected).max() <= bound * 1e-7 < 0.1 * np.abs(expected).max()


def test_a_case_is_valid(case, masing, tmp_path):
    case("--record", "rec.csv", "--curve", "curve.csv", rec=RECORD, curve=CURVE)
    program.run(masing, "simulate", "--config", tmp_path / "profile.ini", "--validate-only").require(0)
