"""What a laboratory may hand in, and one line for what it may not."""

import re
from pathlib import Path

import numpy as np
import pytest

import cycles
import identify
from masing.cycles.curves import Measured, read_measured
from masing.cycles.half_cycles import turning_points, widest_half_cycle
from masing.cycles.noise import with_smooth_x
from masing.errors import DataError
from oracle import drive, noisy, write_csv
from synthetic import write_run
from test_analysis_misfit import identified
from test_analysis_mistakes import one_line

X = np.linspace(0, 3, 400)
YIELDING = np.minimum(X, 1)


def round_trip(branch):
    """x and force [points]: from the top down and up again, both ways along branch [400], a force at X from 0 on."""
    return np.r_[X[::-1], X[1:]], np.r_[branch[-1] - branch, branch[1:]]


# The lines of an engineer's file: what stands above the numbers, and how a line has t, x and F.
AS_IT_IS = [
    ("", "{t},{x},{f}"), ("", "{x};{f}"), ("", "{t}\t{x}\t{f}"), ("x [mm],F [kN]", "{x},{f}"),
    ("x [mm]  F [kN]", "{x}  {f}"), ("Time, s;x, mm;F, kN", "{t};{x};{f}"), ("Time, s, x, mm, F, kN", "{t},{x},{f}"),
    ('"Time, s","x, mm","F, kN"', "{t},{x},{f}"), ("F (kN)\tx (mm)\tt (s)", "{f}\t{x}\t{t}"),
    ("Zeit/s;Weg/mm;Kraft/kN;Temperatur/K", "{t};{x};{f};300"), ("Load kN,Displacement mm", "{f},{x}"),
    ("Lab 3, 2024\nTime Displacement Force\ns mm kN", "{t} {x} {f}"), ("# F x", "{f} {x}"), ("# a test", "{x} {f}"),
    ("u (mm, left),x (mm, right),f", "7,{x},{f}"), ("x,force", "{x},{f}"), ("# a test\n\nForce;X", "{f};{x}"),
    ("sep=;\nx;force", "{x};{f}"), ("Timestamp,Displacement (mm),Force (N)", "2024-05-06 10:15:00.000,{x},{f}"),
    ("Step,Displacement (mm),Force (N)", "Cyclic #1,{x},{f}"), ("Clock;Weg;Kraft\n;mm;N", "10:15:00,000;{x};{f}"),
    ("Operator: Max\nTest 7, of 2024-01-02\nx,force", "{x},{f}"), ("40 2", "{x} {f}"), ("40\t2", "{x}\t{f}"),
    ("| x | force |\n|---|---|", "| {x} | {f} |"), ("x,force,", "{x},{f},"), (",x,force", "0,{x},{f}"),
    ("", "{x},{f}"), ("t,x,force,restoring", "{t},{x},9,{f}"), ("x\tf", "{x}\t{f}"), ("x force", "{x}  {f}")]
# Lines of which the columns are told, and how.
TOLD = [("Kraft;Weg\nkN;mm", "{f};{x}"), ("# Prüfung\nPrüfer A\nKraft\tWeg", "{f}\t{x}"), ("Kraft, Weg", "{f}, {x}")]
COLUMNS = {"x": "Weg", "force": "kraft"}, {"x": "2", "force": "1"}


@pytest.mark.parametrize("heading, line, columns", [
    *((*each, None) for each in AS_IT_IS), *((*each, columns) for each in TOLD for columns in COLUMNS)])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252"])
def test_the_file_of_an_engineer_is_read(tmp_path, heading, line, columns, encoding):
    x, path = np.sin(np.linspace(0, 9, 40)), tmp_path / "lab.csv"
    rows = [line.format(t=f"{0.5 * n:.17g}", x=f"{value:.17g}", f=f"{3 * value:.17g}") for n, value in enumerate(x)]
    texts = ["\n".join([heading, *rows])]
    # Decimal commas are those of columns that semicolons or tabs separate; a heading keeps its points.
    texts += ["\n".join([heading, *(row.replace(".", ",") for row in rows)])] if ";" in line or "\t" in line else []
    for text in texts:
        path.write_text(text, encoding=encoding)
        curve, scaled = (read_measured(path, columns=columns, scale=scale) for scale in (None, {"force": 0.001}))
        assert np.array_equal(curve.x, x) and np.array_equal(curve.force, 3 * x)
        np.testing.assert_allclose(scaled.force, 0.003 * x, rtol=1e-15)
        assert np.array_equal(curve.t, 0.5 * np.arange(40)) if "{t}" in line else curve.t is None


@pytest.mark.parametrize("heading, line, words", [
    ("", "{x},{f},{t}", "has 3 columns and no heading; without one, it needs x, force, or t, x, force"),
    ("", "{t},{t},{f}", "alone increases"), ("", "{t},{x},{f},1", "has 4 columns and no heading"),
    ("x [mm],Weg [mm],F [kN]", "{x},{x},{f}", "the columns 1 and 2 may both be x; say with --columns"),
    ("x,Force A (kN),Force B (kN)", "{x},{f},{f}", "has the columns x, force a (kn), force b (kn); it needs"),
    ("x,Force (kN),Load (kN)", "{x},{f},{f}", "the columns 2 and 3 may both be force")])
@pytest.mark.parametrize("script, option", [(identify, ()), (cycles, ("--analysis",))])
def test_a_file_that_may_be_read_in_two_ways_is_refused(run_script, tmp_path, script, option, heading, line, words):
    path = tmp_path / "lab.csv"
    path.write_text("\n".join([heading, *(line.format(t=n, x=n % 5, f=n % 7) for n in range(40))]))
    one_line(run_script(script, path, *option), path, words)


BAD = {"a, b": ("a,b", (X, X)), "x and force": ("t,x", (X, X)), "10": ("x,force", (X[:9], X[:9])),
       "never changes": ("x,force", (0 * X, X)), "a double holds": ("x,force", (1.5e308 * np.sin(9 * X), X)),
       "line 9: 'nan'": ("x,force", (X, np.where(np.arange(400) == 7, np.nan, YIELDING))),
       "no column t": ("x,force", (X, YIELDING))}
NOT_MASING = {"too few samples": np.random.default_rng(0).random((2, 400)),
              "x only rises": (X, YIELDING),
              "x rises and falls": (np.r_[X, X[::-1]], np.r_[YIELDING, YIELDING[::-1] - 1]),
              "gone round the wrong way": round_trip(X**3),
              "does not rise": round_trip(-X), "line of slope 2 (k0 + Σk)": round_trip(2 * X),
              "jumps by 2": (round_trip(X)[0], np.r_[2 * X[::-1] - 1, 2 * X[1:] + 1]),
              "is curved": round_trip(np.tanh(X)), "from 1 to -0.2": round_trip(np.where(X < 1, X, 1.2 - 0.2 * X))}
# Two loops of a motion that begins at rest, and the forces of laws that are no springs that slide.
CYCLES = np.linspace(0, 2.25, 1351)
SINE = np.sin(2 * np.pi * CYCLES)
SLIDING, FRICTION = drive(SINE, np.array([0.3]), np.array([1.0])), 0.3 * np.sign(np.gradient(SINE))
LAWS = [(SINE**3, "one curve"), (np.tanh(3 * SINE), "one curve"), (SINE + 0.3 * SINE**2, "one curve"),
        (0.1 * SINE**3 + SINE, "one curve"), (2 * SINE, "no sliding seen"), (SINE + FRICTION, "jumps by"),
        (FRICTION, "jumps by"), (SINE**3 + FRICTION, "jumps by"), (SLIDING + FRICTION / 2, "jumps by"),
        (SLIDING + SINE**3, "increases (stiffer outwards?)"), (SLIDING + np.gradient(SINE) * 10, "depends on the speed"),
        (SINE + np.gradient(SINE) * 10, "depends on the speed"), (SLIDING + 0.2 * SINE, None)]


@pytest.mark.parametrize("words", [*BAD, *NOT_MASING])
def test_curves_that_are_no_cycles_are_refused_and_data_of_another_kind_are_named(run_script, tmp_path, words):
    heading, columns = BAD[words] if words in BAD else ("x,force", NOT_MASING[words])
    path = write_csv(tmp_path / "bad.csv", heading, *columns)
    window = ("--from", "1") if words == "no column t" else ()
    one_line(run_script(identify, path, *window), path, words, code=2 if words in BAD else 3)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("noise", [0.01, pytest.param(0, marks=pytest.mark.long)])
@pytest.mark.parametrize("force, words", LAWS)
def test_laws_that_are_no_springs_that_slide_are_told_apart(force, words, noise):
    force = noisy(force, noise, 5)
    if words is None:
        assert len(identified(SINE, force).elements.threshold) == 1
        return
    with pytest.raises(DataError, match=re.escape(words)):
        identified(SINE, force)


@pytest.mark.parametrize("count, seed", [(5, 4), (1, 5)])
def test_elements_are_found_where_x_is_noisy_too(count, seed):
    """Smoothing x leaves errors that are smooth themselves, and large forces where the branch is steep."""
    threshold, stiffness = 0.1 * 8 ** (np.arange(count) / 4), 1 / np.arange(1, count + 1)
    force = noisy(drive(SINE, threshold, stiffness), 0.005, seed)
    x = noisy(SINE, 0.003, 10 + seed)
    found = identified(x, force, smooth=True)
    assert len(found.elements.threshold) >= (1 if count == 1 else 3)
    for law in (SINE + FRICTION, SLIDING + FRICTION):
        with pytest.raises(DataError, match="jumps by"):
            identified(x, noisy(law, 0.005, seed), smooth=True)


@pytest.mark.parametrize("content, words", [
    (b"", "empty"), (b"x,force\n1,2\n2,three\n", "line 3: 'three'"), (b"x,force\n1,2\n2\n", "line 3"),
    (bytes(range(128, 256)), "neither"), (b"1,2,3\n" * 20, "no heading")])
def test_files_that_are_no_tables_are_refused(run_script, tmp_path, content, words):
    (tmp_path / "bad.csv").write_bytes(content)
    one_line(run_script(identify, tmp_path / "bad.csv"), words)


@pytest.mark.parametrize("arguments, words", [
    (("--threshold", "(s-0.5)^2+1"), "monotone"), (("--threshold", "s+"), "position"),
    (("--threshold", "100+s"), "smaller"), (("-o", "a.txt"), ".ini"), (("--program", "./none"), "--program"),
    (("-o", "CYCLE.ini"), "replace"), (("-o", "LINK.ini"), "replace"), (("--columns", "x=1"), "which is force"),
    (("--columns", "x=Weg,force=2"), "no column 'Weg' in x, force"), (("--columns", "x=1,force=3"), "the columns are 1 to 2"),
    (("--columns", "u=1"), "not of the form"), (("--scale", "x=0"), "other than 0"),
    (("--scale", "x=much"), "other than 0"), (("--scale", "t=2"), "no column t"), (("--scale", "x=1,x=2"), "not of the form")])
def test_mistakes_in_the_request_are_refused(run_script, tmp_path, arguments, words):
    path = write_csv(tmp_path / "CYCLE-force.csv", "x,force", *round_trip(YIELDING))
    (tmp_path / "LINK.json").hardlink_to(path)
    given = [str(tmp_path / word) if word in ("CYCLE.ini", "LINK.ini") else word for word in arguments]
    one_line(run_script(identify, path, *given), words)
    assert sorted(tmp_path.iterdir()) == [path, tmp_path / "LINK.json"]


def test_a_threshold_must_span_what_yields_and_samples_be_finite(run_script, tmp_path, papers_case):
    path = write_csv(tmp_path / "lab.csv", "x,force", *round_trip(YIELDING))
    one_line(run_script(identify, path, "--threshold", "0.01*(1+s)"), "span", code=3)
    samples = papers_case.copy()
    samples[4, 17] = np.nan
    one_line(run_script(identify, write_run(tmp_path / "blown.h5", samples)), "point 18")


def test_small_reversals_are_noise():
    x = np.sin(np.linspace(0, 12, 500)) + 0.02 * np.random.default_rng(1).standard_normal(500)
    turns = turning_points(x)
    assert len(turns) == 6
    np.testing.assert_allclose(np.abs(x[turns[1:-1]]), 1, atol=0.08)


@pytest.mark.parametrize("seed", range(24))
def test_a_noisy_loop_is_closed_whose_first_and_last_samples_are_equal(seed):
    random = np.random.default_rng(seed)
    points, phase = random.integers(150, 800), random.uniform(0, 2 * np.pi)
    x = np.cos(np.linspace(phase - 2 * np.pi, phase + 2 * np.pi, 2 * points + 1))
    force = noisy(drive(x, np.array([0.3, 0.7]), np.ones(2), 0.3)[points:], (0.005, 0.02, 0.01)[seed % 3], seed)
    x = noisy(x[points:], (0, 0.002, 0.01)[seed % 3], seed + 1)
    half = widest_half_cycle(with_smooth_x(Measured(Path("c"), None, np.r_[x, x[0]], np.r_[force, force[0]])))
    assert half.width > 1.9 and half.mirrored


def test_the_last_of_the_widest_half_cycles_is_used_up_to_the_start_of_the_leg_before():
    def half(x):
        return widest_half_cycle(Measured(Path("c"), None, x, x))
    found = half(np.r_[np.linspace(0, 1, 50), np.linspace(1, 0.2, 50)[1:], np.linspace(0.2, 3, 90)[1:]])
    assert found.x[0] == pytest.approx(0.2) and found.width == pytest.approx(0.8)
    assert half(np.cos(np.linspace(0, 6 * np.pi, 601))).start_index == 500
    x = np.roll(np.cos(np.linspace(0, 2 * np.pi, 400, endpoint=False)), 130)  # a closed cycle may begin anywhere
    found = half(np.r_[x, x[0]])
    assert found.width == pytest.approx(2, abs=1e-3) and len(found.before_x) > 190
