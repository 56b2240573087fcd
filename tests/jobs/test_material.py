"""A project in C and C++17 that uses the material alone builds against an installation without MPI, and runs without
MPI, PETSc and HDF5."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from processes import built, ran

PROJECT = Path(__file__).resolve().parents[1] / "library" / "material"
WITHOUT_MPI = "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"


@pytest.fixture(scope="module")
def build(prefix, tmp_path_factory):
    """The project's build folder."""
    return built(PROJECT, tmp_path_factory.mktemp("material"), f"-DCMAKE_PREFIX_PATH={prefix}", WITHOUT_MPI)


def closed_forms():
    """k = 1, η = s + 0.1: B(0.8), B'(0.8), ½ ∫ u² ds there, and 4 ∫ η (0.8 - η)⁺ ds."""
    backbone, slope = -0.32 + 0.88 - 0.005, 1.1 - 0.8
    stored = 0.5 * ((0.8**3 - 0.1**3) / 3 + 0.3 * 0.8**2)
    loss = 4 * ((0.4 * 0.8**2 - 0.8**3 / 3) - (0.4 * 0.1**2 - 0.1**3 / 3))
    return {"backbone": backbone, "backbone_slope": slope, "stored": stored, "loss": loss}


def test_the_material_in_c_99(build, prefix, printed, declared):
    found = printed(build / "material_c")
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["version"][0])
    assert (prefix / "lib" / f"libmasing_material.so.{found['version'][0]}").exists()
    assert found["header"] == [f"{found['version'][0]} {found['version'][0]}"]
    assert found["first_error"] == ['""'] and found["refused"] == ["1"]
    for name, value in closed_forms().items():
        assert float(found[name][0]) == pytest.approx(value, rel=1e-13), name
    text = (PROJECT.parent / "test_material.cpp").read_text(encoding="utf-8")
    assert len(declared) > 25
    assert [name for name in declared if not re.search(rf"\b{name}\b", text)] == ["masing_version"]


def test_the_header_in_old_and_new_c_and_cpp(prefix):
    for standard in ("c99", "c11", "c17", "c++98", "c++17", "c++20"):
        ran("cc", f"-x{standard[:-2]}", f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            "-fsyntax-only", f"-I{prefix}/include", "-include", "masing/material.h", "/dev/null", check=True)


def test_the_material_in_cpp_17(build, printed):
    found = printed(build / "material_cpp")
    expected = closed_forms()
    for name in ("backbone", "backbone_slope"):
        assert float(found[name][0]) == pytest.approx(expected[name], rel=1e-13)
    assert found["restored"] == ["1"] and found["refused"] == ["1"]


def test_pkg_config_finds_the_material_also_where_the_prefix_was_moved(prefix, tmp_path, printed):
    moved = tmp_path / "moved 1"
    shutil.copytree(prefix / "include", moved / "include")
    shutil.copytree(prefix / "lib", moved / "lib", symlinks=True)
    words = ran("pkg-config", "--cflags", "--libs", "masing_material >= 1.0", check=True,
                env={**os.environ, "PKG_CONFIG_PATH": str(moved / "lib" / "pkgconfig")}).stdout
    ran("cc", PROJECT / "material.c", *shlex.split(words), f"-Wl,-rpath,{moved}/lib", "-o",
        tmp_path / "own", check=True)
    found = printed(tmp_path / "own")
    assert found["header"] == [f"{found['version'][0]} {found['version'][0]}"]


def configured(source, prefix, folder):
    """What CMake says of a project that finds masing in `prefix` and no MPI, and its exit code."""
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(own C CXX)\n{source}",
                                           encoding="utf-8")
    done = ran("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", WITHOUT_MPI)
    return re.sub(r"\s+", " ", done.stdout + done.stderr), done.returncode


def test_the_target_knows_its_language_and_another_major_version_is_refused(prefix, tmp_path):
    source = """find_package(masing 3.0 REQUIRED)
get_target_property(material masing::material INTERFACE_COMPILE_FEATURES)
message(STATUS "${material}")"""
    assert "-- cxx_std_17" in configured(source, prefix, tmp_path / "features")[0]
    text, code = configured("find_package(masing 2.0 REQUIRED)", prefix, tmp_path / "older")
    assert code == 1 and "version: 3." in text


def test_the_material_alone_is_built_without_mpi_petsc_and_hdf5(masing, tmp_path, printed):
    """Configured and installed; what is compiled is the same library as that of the build of the program."""
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    ran("cmake", "-S", PROJECT.parents[2], "-B", build, "-DMASING_MATERIAL_ONLY=ON", WITHOUT_MPI,
        *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("HDF5", "Eigen3", "pybind11")), check=True)
    assert not re.search(r"^(MPI|HDF5|PETSC|Python)_", (build / "CMakeCache.txt").read_text("utf-8"), re.MULTILINE)
    for library in Path(masing).parent.glob("libmasing_material.so*"):
        shutil.copy(library, build, follow_symlinks=False)
    ran("cmake", "--install", build, "--prefix", prefix, check=True)
    headers = {file.name for file in (prefix / "include" / "masing").iterdir()}
    assert headers == {"error.hpp", "masing_material.f90", "material.h", "material.hpp", "version.h"}
    assert not (prefix / "bin").exists()
    source = f"find_package(masing REQUIRED)\nadd_executable(own {PROJECT}/material.cpp)\n" \
             "target_link_libraries(own masing::material)"
    text, code = configured(source, prefix, tmp_path / "own")
    assert code == 0, text
    ran("cmake", "--build", tmp_path / "own" / "build", check=True)
    assert printed(tmp_path / "own" / "build" / "own")["restored"] == ["1"]


@pytest.mark.parametrize("program", ["material_c", "material_cpp"])
def test_it_loads_no_mpi_petsc_or_hdf5(build, program):
    libraries = ran("ldd", build / program, check=True).stdout.lower()
    assert "libmasing_material" in libraries and "not found" not in libraries
    assert not re.search("mpi|petsc|hdf5", libraries)
