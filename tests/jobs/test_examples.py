"""The examples for finite-element codes: built against an installation with a compiler alone, by the commands in their
first lines, and run."""

import csv
import ctypes
import math
import os
import re
import runpy
import shutil
import sys
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from clamping import clamped
from processes import ran
from scipy import signal

import masing
from masing import native

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


@pytest.fixture(scope="module")
def examples(prefix):
    """The installed examples."""
    return prefix / "share" / "masing" / "jobs" / "examples"


@pytest.fixture(scope="module")
def compiled(prefix, examples, tmp_path_factory):
    """Compiles an example by the command in its first lines, or by `edit` of it, without a warning; the program."""
    copy = shutil.copytree(examples, tmp_path_factory.mktemp("examples") / "copy")

    def compile_(name, edit=lambda command: command):
        source = copy / name
        lines = [line.strip(" /*!") for line in source.read_text(encoding="utf-8").splitlines()]
        first = next(n for n, line in enumerate(lines) if line.startswith(("c++ ", "cc ", "gfortran ")))
        command = edit(" ".join(lines[first:first + next(n for n, line in enumerate(lines[first:]) if not line)]))
        # Without IFS the shell does not split the folder's name, which has spaces.
        ran("sh", "-c", f"IFS=; {command} {' '.join(STRICT)}", cwd=source.parent, check=True,
            env={**os.environ, "PREFIX": str(prefix)})
        return source.parent / command.split()[-1]
    return compile_


def said(program, *words):
    """What it prints; shown by pytest -s."""
    done = ran(program, *words)
    assert (done.returncode, done.stderr) == (0, "")
    print(done.stdout)
    return done.stdout


def closed_form(strain):
    """Stress, tangent and work of a first loading, k = E (1 - b), η = 0.001 + 0.004 s, beside a spring b E."""
    k, k0, yielded = 196e3, 4e3, (strain - 0.001) / 0.004
    moments = [(strain**n - 0.001**n) / (0.004 * n) for n in (2, 3)]  # ∫ η ds and ∫ η² ds where η < strain
    return (k * (moments[0] + (1 - yielded) * strain) + k0 * strain, k * (1 - yielded) + k0,
            k * (moments[0] * strain - moments[1] / 2 + (1 - yielded) * strain**2 / 2) + k0 * strain**2 / 2)


COUNT = """#include <cstdio>
extern "C" {
void* __real_masing_material_continuum(const char*, const char*, const char*, const char*, double);
void* __wrap_masing_material_continuum(const char* k, const char* eta, const char* down, const char* u, double k0) {
  std::puts("makes a material");
  return __real_masing_material_continuum(k, eta, down, u, k0);
}
}
"""


# OpenSees is compiled as C++11.
@pytest.mark.first(1)
@pytest.mark.parametrize("standard", ["c++11", "c++17"])
def test_a_uniaxial_material_of_opensees(compiled, tmp_path, standard):
    """From a strain of 0.004 to -0.002 a branch is the first loading by half as much, doubled."""
    (tmp_path / "count.cpp").write_text(COUNT, encoding="utf-8")
    counted = f"-Wl,--wrap=masing_material_continuum {tmp_path}/count.cpp"
    text = said(compiled("opensees/move.cpp", lambda command: command.replace("c++11", f"{standard} {counted}")))
    assert text.count("makes a material") == 2  # of copies and of messages none, and one that is refused
    found = {name: [float(word) for word in words.split()]
             for name, words in re.findall(r"^(\w+) ([-\d.e+ ]+)$", text, re.MULTILINE)}
    stress, slope, energy = closed_form(0.004)
    assert found["loaded"] == pytest.approx([stress, slope]) and found["energy"] == pytest.approx([energy])
    half = closed_form(0.003)
    assert found["moved"] == pytest.approx([stress - 2 * half[0], half[1]])
    assert found["copy"] == found["received"] == found["moved"]
    assert found["refused"] == [1] and found["sent"] == found["start"] == [0]
    assert "MasingMaterial: threshold" in text and re.search(
        r"Masing tag: 7\n +E: 200000\n +epsFirst: 0.001\n +epsLast: 0.005\n +b: 0.02\n", text)


def stresses(strains, n):
    """Those of n sliders, the continuum's at the middles of n equal parts of s."""
    u = clamped([0, *strains], np.zeros(n), 0.001 + 0.004 * (np.arange(n) + 0.5) / n)
    return np.array([196e3 * each.mean() for each in u])[1:] + 4e3 * strains


# What Abaqus has beside the UMAT: a line in the message file.
MESSAGE = """#include <string.h>
char message[501];
void stdb_abqerr_(const int* lop, const char* text, const int* integers, const double* reals, const char* names,
                  size_t text_length, size_t names_length) {
  memcpy(message, text, text_length);
  message[text_length] = 0;
}
"""
PROPS = (200e3, 0.001, 0.005, 0.02)
START = {"stress": 0.0, "statev": np.zeros(60), "slope": 0.0, "sse": 0.0, "spd": 0.0, "strain": 0.0}


def umat_of(path):
    """The function umat_ of a library as Abaqus calls it for one element of one stress, and the text of the last line
    in the message file. The function takes the state at the beginning of an increment and gives that at its end."""
    library = ctypes.CDLL(path)
    one, none, nprops, noel, npt, step = (np.array(value, np.intc) for value in (1, 0, 4, 12, 3, (1, 1, 0, 0)))
    other, unit, name = np.zeros(3), np.eye(3), np.frombuffer(b"MASING".ljust(80))

    def umat(begin, dstran, nstatv=60, props=PROPS):
        end = {key: np.array(value) for key, value in begin.items()} | {"pnewdt": np.array(1.0)}
        *results, strain, pnewdt = end.values()
        given = [np.array(each) for each in (dstran, props)]
        arrays = [*results, *[other] * 5, strain, given[0], *[other] * 6, name, one, none, one, np.array(nstatv, np.intc),
                  given[1], nprops, other, unit, pnewdt, other, unit, unit, noel, npt, one, one, step, one]
        library.umat_(*(each.ctypes.data_as(ctypes.c_void_p) for each in arrays), ctypes.c_size_t(80))
        strain += dstran
        return end
    return umat, (ctypes.c_char * 501).in_dll(library, "message")


# Abaqus compiles user subroutines by g++ on Linux, which takes .c as C++.
@pytest.mark.parametrize("compiler", ["cc", "g++"])
def test_a_user_material_of_abaqus(prefix, examples, tmp_path, compiler):
    """Each increment is tried with other strains first, some with a cut-back, always from the state at its beginning."""
    (tmp_path / "message.c").write_text(MESSAGE, encoding="utf-8")
    ran(compiler, "-c", "-fPIC", "-O2", *STRICT, f"-I{prefix}/include", examples / "abaqus" / "umat.c", "-o",
        tmp_path / "umat.o", check=True)
    ran("cc", "-shared", "-fPIC", tmp_path / "message.c", tmp_path / "umat.o", f"-L{prefix}/lib", "-lmasing_material",
        f"-Wl,-rpath,{prefix}/lib", "-o", tmp_path / "umat.so", check=True)
    umat, message = umat_of(tmp_path / "umat.so")
    t = 8 * np.pi * np.arange(1, 4001) / 4000
    strains = 0.004 * np.sin(t) + 0.003 * np.sin(2.7 * t)  # loops close inside others
    point, path, sizes, slopes, work = START, [], [], [], 0.0
    for n, strain in enumerate(strains, start=1):
        step = strain - point["strain"]
        expected = umat(point, step)["stress"]
        for given_up in (-3, 1.5):
            umat(point, given_up * step)
        begin = point if n % 10 else umat(point, 0.5 * step)
        end = umat(begin, strain - begin["strain"])
        assert end["stress"] == expected
        # DDSDDE beside the secant of a small further step in the same direction.
        small = math.copysign(1e-7, step)
        slopes.append((umat(end, small)["stress"] - end["stress"]) / small - end["slope"])
        work += 0.5 * (point["stress"] + end["stress"]) * step
        path.append(end["stress"])
        sizes.append(end["statev"][0] + 1)
        point = end
    # By the midpoint rule the error of sliders goes with the square of 1/n.
    many = stresses(strains, 10000)
    hundred = np.abs(stresses(strains, 100) - many).max()
    assert hundred > 1e-7 and np.abs(path - many).max() < 2 * hundred * (100 / 10000)**2 + 1e-9
    assert 5 < max(sizes) <= 60
    # The work by the trapezoidal rule: its error goes with the square of an increment, 1e-4 of the strains' range.
    assert point["sse"] + point["spd"] == pytest.approx(work, rel=1e-4)
    # One-sided secants over 1e-7 of a tangent that changes by E over 2 (0.005 - 0.001).
    assert np.abs(slopes).max() / PROPS[0] < 1e-7 / 0.004
    assert umat(point, math.nan)["pnewdt"] == 0.5
    few, message.value = START, b""
    for strain in strains:
        few = umat(few, strain - few["strain"], 14)
        if message.value:
            break
    needed = re.fullmatch(r"MASING UMAT: element 12, point 3: \*DEPVAR is 14, and its state takes (\d+); give that.*",
                          message.value.decode())
    message.value = b""
    assert 14 < int(needed[1]) < 20
    # Two hundred materials in a thread, each asked again when all of them are there.
    for n in range(400):
        modulus = 200e3 + n % 200
        assert umat(START, 0.0005, props=(modulus, *PROPS[1:]))["stress"] == pytest.approx(0.0005 * modulus, abs=1e-9)
    assert message.value == b""
    umat(START | {"stress": 10.0}, 0.001)
    assert message.value.startswith(b"MASING UMAT: there is an initial stress, ")


@pytest.mark.skipif(shutil.which("gfortran") is None or native.module() is None, reason="no gfortran, or no module")
def test_the_material_in_fortran(compiled, examples, prefix, declared, printed):
    """Every function of the header for C has an interface and is called; the numbers are those of C++, to the bit."""
    module = (prefix / "include" / "masing" / "masing_material.f90").read_text(encoding="utf-8")
    names = set(re.findall(r"(?:function|subroutine) (masing_\w+)\(.*?\) bind\(c\)", module, re.DOTALL))
    text = (examples / "material.f90").read_text(encoding="utf-8")
    assert names == declared and not [name for name in names if f"{name}(" not in text]
    found = printed(compiled("material.f90", lambda command: command.replace(" ", " -std=f2018 -fcheck=all ", 1)))
    numbers = {name: [[float(word) for word in line.split()] for line in lines] for name, lines in found.items()
               if name not in ("version", "mistake")}
    slab = masing.Material("2-s", "0.2+0.5*s", k0=0.1)
    springs = masing.Material.of_springs([2, 1], [0.1, 0.4], initial_u=[0.05, 0], k0=0.5)
    assert numbers["stiffness"] == [[slab.elastic_stiffness, springs.elastic_stiffness]]
    assert found["fingerprint"] == [str(slab.fingerprint)]
    point = masing.MaterialPoint(springs)
    assert numbers["point"] == [[0.8, *[(moved := point.move_to(0.8))[0]] * 2, moved[1], point.stored_energy,
                                 point.dissipated_energy, point.elongation(0.4)]]
    assert numbers["start"] == [[0, point.force]] and numbers["restored"] == [[0]]
    points = masing.MaterialPoints(slab, 3)
    x = np.array([[end * math.sin(0.5 * step) for end in (0.3, -0.5, 1.2)] for step in range(1, 51)])
    for row, force in zip(x, numbers["force"], strict=True):
        expected = points.move(row)
        np.testing.assert_array_equal(force, expected[0])
    np.testing.assert_array_equal(numbers["slope"], expected[1:])
    np.testing.assert_array_equal(numbers["energies"], [[*points.stored_energy, *points.dissipated_energy]])
    assert numbers["second"] == [[3, points.force[1]]]
    assert found["version"] == [masing.__version__]
    assert found["mistake"] == ["a position of inf; it must be finite, at most 1e+150"]


def loaded(path):
    """What an example in Python has by name."""
    return SimpleNamespace(**runpy.run_path(path))


@pytest.fixture(scope="module")
def force(examples):
    """The module masing_force, which finds the library of its installation."""
    return loaded(examples / "tmdsimpy" / "masing_force.py")


def test_the_force_finds_the_library_on_the_path_of_the_loader_by_its_version(prefix, examples, tmp_path):
    alone = shutil.copy(examples / "tmdsimpy" / "masing_force.py", tmp_path)
    done = ran(sys.executable, "-c", f"import runpy; runpy.run_path({str(alone)!r})['load']()",
               env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
    assert done.returncode == 0, done.stderr


def test_harmonics_balanced_by_ctypes_and_limit_cycles_of_the_program(masing, examples, tmp_path):
    text = said(sys.executable, examples / "tmdsimpy" / "masing_force.py")
    rows = np.array([list(map(float, row)) for row in re.findall(r"^ +(\d\.\d\d) +(\S+) +(\S+)$", text, re.MULTILINE)])
    assert rows.shape == (6, 3)
    ran(masing, "scan", "--quiet", "--steady", "--cells=inf", "--damping=0.1", "--let=w=1", "--force=0.45*cos(w*t)",
        "--over=w=" + ",".join(map(str, rows[:, 0])), "--output=s.h5", cwd=tmp_path, check=True)
    with h5py.File(tmp_path / "s.h5") as file:
        amplitude = file["points/amplitude"][()]
    # A turning point may be missed by half a sample: (π/512)²/2 of the amplitude; twice a period.
    assert rows[:, 1] == pytest.approx(amplitude, rel=4 * (np.pi / 512)**2 / 2)
    # One hundred sliders: corners 1/100 apart leave k/(8·100²) of a force of 0.6 wrong.
    assert np.abs(rows[:, 2] - rows[:, 1]).max() < 10 / (8 * 100**2)


@pytest.mark.parametrize("place", [None, np.array([0.3, -0.2, 0.1])])
@pytest.mark.parametrize("h", [np.arange(4), np.array([1, 2, 3])])
def test_the_derivative_of_the_force_is_its_difference_quotient(force, h, place):
    """Three degrees of freedom, two elements, three harmonics, with a mean or without: loops inside loops."""
    rng = np.random.default_rng(1)
    n, Q, T = 3 * (7 if h[0] == 0 else 6), np.array([[1.0, 0, 0], [-1, 1, 0]]), np.array([[1.0, -1], [0, 1], [0, 0]])
    made = force.MasingForce(Q, T, k0=0.1)
    if place is not None:
        made.set_aft_initialize(place)
    U, step = rng.normal(size=n) * 0.4, 1e-6
    F, jacobian, by_w = made.aft(U, 1.0, h, 256)
    assert (F.shape, jacobian.shape, by_w.shape, made.nl_force_type()) == ((n,), (n, n), (n,), 1)
    assert (made.aft(U, 1.0, h, 256, 1e-7, calc_grad=False)[0] == F).all()
    for i, column in enumerate(np.eye(n) * step):
        quotient = (made.aft(U + column, 1.0, h, 256)[0] - made.aft(U - column, 1.0, h, 256)[0]) / (2 * step)
        assert jacobian[:, i] == pytest.approx(quotient, abs=1e-7)


def test_sliders_begin_at_the_mean_as_those_of_tmdsimpy(force):
    h, U = np.arange(3), np.array([0.7, 0.3, -0.5, 0.2, 0.1])
    made = force.MasingForce(1.0, 1.0, k0=0.2)
    F = made.aft(U, 1.0, h, 256)[0]
    # Moved by 5 the loop is the same; of the mean the spring k0 alone knows.
    assert made.aft(U + [5, 0, 0, 0, 0], 1.0, h, 256)[0] == pytest.approx(F + [0.2 * 5, 0, 0, 0, 0], abs=1e-13)
    made.set_aft_initialize(np.array([0.0]))  # begins on the other side: all sliders are drawn up
    assert made.aft(U + [5, 0, 0, 0, 0], 1.0, h, 256)[0][0] > F[0] + 0.2 * 5 + 0.1


@pytest.mark.parametrize("mean", [0.0, 0.6])
def test_the_history_of_the_force_is_that_of_sliders(force, mean):
    h, rng = np.arange(4), np.random.default_rng(2)
    cst, U = force.harmonics(h, 128), rng.normal(size=7) * 0.4
    U[0] += mean
    u = (cst @ U)[:, None]
    made, sliders = force.MasingForce(1.0, 1.0), force.SliderForce(1.0, 1.0, 2000)
    ft, derivative, _ = made.local_force_history(u, 0 * u, h, cst, U[:1])
    expected, steps, _ = sliders.local_force_history(u, 0 * u, h, cst, U[:1])
    # Branches between corners 2/2000 apart: 2 (1/2000)²/8 each, of two; a tangent one slider off, by waves of 2.
    assert ft == pytest.approx(expected, abs=4 / (8 * 2000**2) * 2)
    assert derivative == pytest.approx(steps, abs=2 * 2 * 2 / 2000)
    made.init_history()
    assert made.force(np.array([0.8]))[0] == pytest.approx(0.555, rel=1e-12)


def test_mistakes_are_exceptions_in_python(force):
    with pytest.raises(ValueError, match="threshold"):
        force.MasingForce(1.0, 1.0, threshold="s-1")
    with pytest.raises(ValueError, match="position"):
        force.MasingForce(1.0, 1.0).force(np.array([np.nan]))


def test_made_records_have_the_spectrum_of_kanai_and_tajimi(monkeypatch, examples):
    monkeypatch.setattr(sys, "path", [*sys.path])
    example, random = loaded(examples / "ensemble.py"), np.random.default_rng(3)
    densities = []
    for _ in range(400):
        t, a = example.record(random)
        assert np.abs(a).max() == 1 and 2001 <= len(t) <= 4001 and np.abs(a[-1]) < 0.1
        stationary = a[int(0.15 * len(a)):int(0.5 * len(a))]
        w, density = signal.welch(stationary / stationary.std(), 2 * np.pi / example.STEP, nperseg=512)
        densities.append(density)
    band = (w > 0.5) & (w < 3 * example.GROUND)
    r, damping = w[band] / example.GROUND, 2 * example.DAMPING
    expected = (1 + (damping * r)**2) / ((1 - r**2)**2 + (damping * r)**2)
    found = np.mean(densities, axis=0)[band]
    # 400 records of one or two windows: 4 % by chance, and the windows blur the spectrum.
    assert found / found.sum() == pytest.approx(expected / expected.sum(), rel=0.15)


def test_an_ensemble_of_made_records(masing, examples, tmp_path):
    folder = tmp_path / "ensemble"
    done = ran(sys.executable, examples / "ensemble.py", folder, "--records=25", cwd=tmp_path, check=True)
    lines = done.stdout.splitlines()
    assert lines[-1] == str(folder / "ensemble.png") and lines[-2].startswith("peak_x > 0.6 over a: median 0.")
    assert (folder / "ensemble.png").stat().st_size > 10000
    t = np.loadtxt(folder / "record-007.csv", delimiter=",")[:, 0]
    ran(masing, "simulate", "--quiet", "--base-acceleration=table:record-007.csv", f"--final-time={t[-1]!r}",
        f"--steps={len(t) - 1}", "--sample-every=1", "--cells=inf", "--scheme=leapfrog", "--output=run.h5", cwd=folder,
        check=True)
    with h5py.File(folder / "ensemble.h5") as scan, h5py.File(folder / "run.h5") as run:
        assert scan["points/most_x"].shape == (250,) and not scan["points/status"][()].any()
        assert scan["points/most_x"][79] == run["series/x"][()].max()
        peak = np.maximum(scan["points/most_x"][()], -scan["points/least_x"][()])[9::10]
    rows = list(csv.DictReader((folder / "exceedance.csv").open(encoding="utf-8")))
    assert len(rows) == 10 and int(rows[-1]["exceeded"]) == np.count_nonzero(peak > 0.6)
