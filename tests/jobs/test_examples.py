"""The examples for finite-element codes, and the reader of result files in C: built against an installation with a
compiler alone, by the commands in their first lines, and run."""

import csv
import importlib.util
import math
import os
import re
import shutil
import sys

import h5py
import numpy as np
import pytest
import xarray
from processes import ran
from scipy import signal

import masing
from masing import native

SLIDERS = 10000  # of the references; by the midpoint rule their error goes with the square of 1/n


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
        ran("sh", "-c", f"IFS=; {command} -Wall -Wextra -Wpedantic -Werror", cwd=source.parent, check=True,
            env={**os.environ, "PREFIX": str(prefix)})
        return source.parent / command.split()[-1]
    return compile_


def said(program, *words):
    """What it prints; shown by pytest -s."""
    done = ran(program, *words)
    assert (done.returncode, done.stderr) == (0, "")
    print(done.stdout)
    return done.stdout


def number(text, pattern):
    """The number that a pattern's group finds."""
    return float(re.search(pattern, text)[1])


def check_errors(text, name, newton):
    """The element is as far from the reference as that is from the continuum, by 100 sliders' error; and `newton`."""
    element = number(text, rf"{name} +([\d.e+-]+)")
    hundred = number(text, r"100 sliders +([\d.e+-]+)")
    assert 100 * newton < hundred
    assert element < 2 * hundred * (100 / SLIDERS)**2 + newton


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
    (tmp_path / "count.cpp").write_text(COUNT, encoding="utf-8")
    counted = f"-Wl,--wrap=masing_material_continuum {tmp_path}/count.cpp"
    program = compiled("opensees/truss.cpp", lambda command: command.replace("c++11", f"{standard} {counted}"))
    text = said(program, SLIDERS)
    assert text.count("makes a material") == 2  # of copies and of messages none, and one that is refused
    # Residuals of 5.5e-8 N against 4 m/h² = 1.6e7 N/mm in each of 4000 steps, none of them damped.
    check_errors(text, "Masing", newton=4000 * 5.5e-8 / 1.6e7 * 10)
    assert "same bits of a copy, a message, a reverted step: yes" in text
    assert "MasingMaterial: threshold" in text and "refused thresholds: yes" in text
    assert re.search(r"E: 200000\n +epsFirst: 0.001\n +epsLast: 0.005\n +b: 0.02\n", text)


# Abaqus compiles user subroutines by g++ on Linux, which takes .c as C++.
@pytest.mark.parametrize("compiler", ["cc", "g++"])
def test_a_user_material_of_abaqus(compiled, compiler):
    compiled("abaqus/driver.c", lambda command: f"{compiler} -c -I$PREFIX/include umat.c -o umat.o")
    text = said(compiled("abaqus/driver.c", lambda command: command.replace("umat.c", "umat.o")), SLIDERS)
    check_errors(text, "UMAT", newton=1e-9)
    assert "cut back: differs by 0 MPa" in text
    assert 5 < number(text, r"most state variables (\d+)") <= 60
    # The work by the trapezoidal rule: its error goes with the square of an increment, 1e-4 of the strains' range.
    work, energies = map(float, re.search(r"work (\S+), SSE \+ SPD (\S+)", text).groups())
    assert energies == pytest.approx(work, rel=1e-4)
    # One-sided secants over 1e-7 of a tangent that changes by E over 2 (0.005 - 0.001).
    assert number(text, r"tangent off by (\S+) E") < 1e-7 / 0.004
    assert "PNEWDT at a strain of NaN: 0.5" in text
    needed = number(text, r"MASING UMAT: element 12, point 3: \*DEPVAR is 14, and its state takes (\d+); give that")
    assert 14 < needed < 20
    assert "wrong of 200 materials: 0\nMASING UMAT: there is an initial stress, " in text


def test_a_frame_of_two_storeys(compiled):
    text = said(compiled("frame.cpp"), SLIDERS)
    # Newton's iterations end at 1e-13 of a displacement, in each of 4000 steps.
    check_errors(text, "Masing", newton=4000 * 1e-13)
    assert number(text, r"Masing +\S+ +\d+ +(\d+)") >= 10  # cut-backs
    assert abs(number(text, r"balance of the scheme: (\S+)")) < 1e-11
    # dissipated_energy does not know of the steps: the trapezoidal rule's error goes with the square of them.
    coarse, fine = map(float, re.search(r"trapezoidal rule: (\S+), with twice the steps (\S+)", text).groups())
    assert 3.5 < coarse / fine < 4.5 and 1e-6 < abs(coarse) < 1e-3
    energies = re.search(r"input (\S+) = kinetic (\S+) \+ stored (\S+) \+ dissipated (\S+)", text).groups()
    given, *parts = map(float, energies)
    assert given + coarse == pytest.approx(sum(parts), abs=1e-6)
    assert parts[2] > 0.5 * given > 0.1
    assert "same bits after a restart: yes" in text


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
    """An example in Python as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


@pytest.fixture(scope="module")
def force(examples):
    """The module masing_force, which finds the library of its installation."""
    return loaded(examples / "tmdsimpy" / "masing_force.py")


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


def test_a_reader_in_c_agrees_with_h5py_and_xarray(masing, examples, tmp_path):
    compiler = shutil.which("h5cc") or shutil.which("h5pcc")
    if compiler is None:
        pytest.skip("no h5cc, which compiles programs with HDF5")
    shutil.copy(examples / "read_result.c", tmp_path)  # h5cc takes no folder with spaces
    ran(compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "read_result.c", "-o", "read_result",
        cwd=tmp_path, check=True)
    ran(masing, "simulate", "--quiet", "--cells=inf", "--final-time=40", "--steps=4000", "--energy", "--output=run.h5",
        cwd=tmp_path, check=True)
    for words, group in (([], "series"), (["energy"], "energy")):
        text = said(tmp_path / "read_result", tmp_path / "run.h5", *words)
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        names, values = rows[0], np.array(rows[1:], dtype=float)
        with h5py.File(tmp_path / "run.h5") as file, \
                xarray.open_dataset(tmp_path / "run.h5", group=group, engine="h5netcdf", decode_times=False) as data:
            assert sorted(names) == sorted(file[group]) == sorted([*data.data_vars, *data.coords])
            for name, column in zip(names, values.T):
                attributes = file[group][name].attrs
                assert (column == file[group][name][()]).all() and (column == data[name].values).all()
                expected = f"{attributes['description']}; symbol {attributes['symbol']}, units {attributes['units']}"
                if "long_name" in attributes:
                    expected += f", long name {attributes['long_name']}"
                    assert data[name].attrs["long_name"] == attributes["long_name"]
                assert f"\n# {name}: {expected}\n" in f"\n{text}"
    for words, line in (([], "takes RUN.h5 [GROUP]"), (["none.h5"], "is no HDF5 file")):
        done = ran(tmp_path / "read_result", *words, cwd=tmp_path)
        assert done.returncode == 2 and line in done.stderr and done.stderr.count("\n") == 1


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
