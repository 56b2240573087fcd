"""The examples for finite-element codes, with --long: built against an installation with a compiler alone, by the
commands in their first lines, and run; against closed forms, sliders and limit cycles of the program."""

import ctypes
import math
import os
import re
import shutil
import sys

import h5py
import numpy as np
import pytest
from clamping import clamped
from processes import ran
from scipy.integrate import quad

import masing
from masing import native

pytestmark = pytest.mark.long
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


@pytest.fixture(scope="module")
def examples(prefix):
    """The installed examples."""
    return prefix / "share" / "masing" / "jobs" / "examples"


@pytest.fixture(scope="module")
def compiled(prefix, examples, tmp_path_factory):
    """Compiles an example by the command in its first lines, without a warning; the program."""
    copy = shutil.copytree(examples, tmp_path_factory.mktemp("examples") / "copy")

    def compile_(name):
        source = copy / name
        lines = [line.strip(" /*!") for line in source.read_text(encoding="utf-8").splitlines()]
        first = next(n for n, line in enumerate(lines) if line.startswith(("c++ ", "cc ", "gfortran ")))
        command = " ".join(lines[first:first + next(n for n, line in enumerate(lines[first:]) if not line)])
        # Without IFS the shell does not split the folder's name, which has spaces.
        ran("sh", "-c", f"IFS=; {command} {' '.join(STRICT)}", cwd=source.parent, check=True,
            env={**os.environ, "PREFIX": str(prefix)})
        return source.parent / command.split()[-1]
    return compile_


def test_a_uniaxial_material_of_opensees(compiled):
    """k = E (1 - b), η = 0.001 + 0.004 s, beside a spring b E: stress, tangent and work of a first loading to 0.004.
    From there to -0.002 a branch is the first loading by half as much, doubled."""
    def stress_and_slope(strain):
        k, k0, yielded = 196e3, 4e3, (strain - 0.001) / 0.004
        return (k * ((strain**2 - 0.001**2) / 0.008 + (1 - yielded) * strain) + k0 * strain, k * (1 - yielded) + k0)

    text = ran(compiled("opensees/move.cpp"), check=True).stdout
    found = {name: [float(word) for word in words.split()]
             for name, words in re.findall(r"^(\w+) ([-\d.e+ ]+)$", text, re.MULTILINE)}
    stress, slope = stress_and_slope(0.004)
    energy = quad(lambda strain: stress_and_slope(strain)[0], 0.001, 0.004)[0] + 200e3 * 0.001**2 / 2
    assert found["loaded"] == pytest.approx([stress, slope]) and found["energy"] == pytest.approx([energy])
    half = stress_and_slope(0.003)
    assert found["moved"] == pytest.approx([stress - 2 * half[0], half[1]])
    assert found["copy"] == found["received"] == found["moved"]
    assert found["refused"] == [1] and found["sent"] == found["start"] == [0] and "MasingMaterial: threshold" in text


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


def test_a_user_material_of_abaqus(prefix, examples, tmp_path):
    """Abaqus compiles user subroutines by g++ on Linux, which takes .c as C++. Each increment is tried with other
    strains first, some with a cut-back, always from the state at its beginning."""
    (tmp_path / "message.c").write_text(MESSAGE, encoding="utf-8")
    ran("g++", "-c", "-fPIC", "-O2", *STRICT, f"-I{prefix}/include", examples / "abaqus" / "umat.c", "-o",
        tmp_path / "umat.o", check=True)
    ran("cc", "-shared", "-fPIC", tmp_path / "message.c", tmp_path / "umat.o", f"-L{prefix}/lib", "-lmasing_material",
        f"-Wl,-rpath,{prefix}/lib", "-o", tmp_path / "umat.so", check=True)
    library = ctypes.CDLL(tmp_path / "umat.so")
    message = (ctypes.c_char * 501).in_dll(library, "message")
    one, none, nprops, noel, npt, step = (np.array(value, np.intc) for value in (1, 0, 4, 12, 3, (1, 1, 0, 0)))
    other, unit, name, nstatv = np.zeros(3), np.eye(3), np.frombuffer(b"MASING".ljust(80)), np.array(60, np.intc)

    def umat(begin, dstran):
        """The state at the end of an increment, of an element of one stress, from that at its beginning."""
        end = {key: np.array(value) for key, value in begin.items()} | {"pnewdt": np.array(1.0)}
        *results, strain, pnewdt = end.values()
        given = [np.array(each) for each in (dstran, PROPS)]
        arrays = [*results, *[other] * 5, strain, given[0], *[other] * 6, name, one, none, one, nstatv, given[1],
                  nprops, other, unit, pnewdt, other, unit, unit, noel, npt, one, one, step, one]
        library.umat_(*(each.ctypes.data_as(ctypes.c_void_p) for each in arrays), ctypes.c_size_t(80))
        strain += dstran
        return end

    t = 8 * np.pi * np.arange(1, 4001) / 4000
    strains = 0.004 * np.sin(t) + 0.003 * np.sin(2.7 * t)  # loops close inside others
    point, path, slopes, work = START, [], [], 0.0
    for n, strain in enumerate(strains, start=1):
        step_of_strain = strain - point["strain"]
        umat(point, -3 * step_of_strain)
        begin = point if n % 10 else umat(point, 0.5 * step_of_strain)
        end = umat(begin, strain - begin["strain"])
        small = math.copysign(1e-7, step_of_strain)  # DDSDDE beside the secant of a small further step
        slopes.append((umat(end, small)["stress"] - end["stress"]) / small - end["slope"])
        work += 0.5 * (point["stress"] + end["stress"]) * step_of_strain
        path.append(end["stress"])
        point = end
    eta = [0.001 + 0.004 * (np.arange(n) + 0.5) / n for n in (100, 10000)]
    few, many = (np.array([196e3 * u.mean() for u in clamped([0, *strains], 0 * each, each)])[1:] + 4e3 * strains
                 for each in eta)
    # By the midpoint rule the error of sliders goes with the square of 1/n.
    hundred = np.abs(few - many).max()
    assert hundred > 1e-7 and np.abs(path - many).max() < 2 * hundred * (100 / 10000)**2 + 1e-9
    # The work by the trapezoidal rule: its error goes with the square of an increment, 1e-4 of the strains' range.
    assert point["sse"] + point["spd"] == pytest.approx(work, rel=1e-4)
    # One-sided secants over 1e-7 of a tangent that changes by E over 2 (0.005 - 0.001).
    assert np.abs(slopes).max() / PROPS[0] < 1e-7 / 0.004 and message.value == b""
    umat(START | {"stress": 10.0}, 0.001)
    assert message.value.startswith(b"MASING UMAT: there is an initial stress, ")


@pytest.mark.skipif(shutil.which("gfortran") is None or native.module() is None, reason="no gfortran, or no module")
def test_the_material_in_fortran(compiled, examples, prefix, declared, printed):
    """Every function of the header for C has an interface and is called; the numbers are those of C++, to the bit."""
    module = (prefix / "include" / "masing" / "masing_material.f90").read_text(encoding="utf-8")
    names = set(re.findall(r"(?:function|subroutine) (masing_\w+)\(.*?\) bind\(c\)", module, re.DOTALL))
    text = (examples / "material.f90").read_text(encoding="utf-8")
    assert names == declared and not [name for name in names if f"{name}(" not in text]
    found = printed(compiled("material.f90"))
    slab = masing.Material("2-s", "0.2+0.5*s", k0=0.1)
    points = masing.MaterialPoints(slab, 3)
    x = np.array([[end * math.sin(0.5 * step) for end in (0.3, -0.5, 1.2)] for step in range(1, 51)])
    for row, line in zip(x, found["force"], strict=True):
        force, slope = points.move(row)
        assert list(map(float, line.split())) == list(force)
    assert list(map(float, found["slope"][0].split())) == list(slope)
    assert found["fingerprint"] == [str(slab.fingerprint)]
    assert found["mistake"] == ["a position of inf; it must be finite, at most 1e+150"]


def test_harmonics_balanced_by_ctypes_and_limit_cycles_of_the_program(masing, examples, tmp_path):
    text = ran(sys.executable, examples / "tmdsimpy" / "masing_force.py", check=True).stdout
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


def test_an_ensemble_of_made_records_has_a_row_for_each_record_and_size(examples, tmp_path):
    """(commands/test_scan.py has the rows of samples against single runs.)"""
    done = ran(sys.executable, examples / "ensemble.py", tmp_path / "made", "--records=25", cwd=tmp_path, check=True)
    assert done.stdout.splitlines()[-1] == str(tmp_path / "made" / "ensemble.png")
    with h5py.File(tmp_path / "made" / "ensemble.h5") as scan:
        assert scan["points/most_x"].shape == (250,) and not scan["points/status"][()].any()
