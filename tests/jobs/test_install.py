"""What `cmake --install` puts below a prefix is all that a user needs, with the clone out of sight; projects in C, C++
and with pkg-config use the material alone; the job script with stand-ins for launcher and Slurm; the recipe of
jobs/packaging against what CMake looks for."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from processes import built, ran

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests" / "library" / "material"
WITHOUT_MPI = "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"


def without_the_clone(command, folder, **variables):
    """What the command says, which must succeed, in `folder` where the clone is an empty folder (a mount that only it
    sees)."""
    rights = ["--map-root-user"] if os.getuid() else []
    hidden = ["unshare", *rights, "--mount", "sh", "-c", f'mount -t tmpfs none "{ROOT}" && exec "$@"', "-"]
    if ran(*hidden, "true").returncode != 0:
        pytest.skip("unshare may not mount: the clone cannot be hidden")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MASING")}
    return ran(*hidden, *command, cwd=folder, env={**environment, **variables}, check=True).stdout


def runpath(path):
    """The folders where a program or library looks for the libraries it needs."""
    found = re.search(r"\(R(?:UN)?PATH\).*\[(.*)\]", ran("readelf", "-d", path, check=True).stdout)
    return {folder for folder in found[1].split(":") if folder} if found else set()


def test_what_is_installed_runs_without_the_clone_and_has_all_files(masing, prefix, tmp_path):
    share = prefix / "share" / "masing"
    case = share / "jobs" / "cases" / "cycle-fig10.ini"
    without_the_clone([prefix / "bin" / "masing", "simulate", "--quiet", "--config", case, "--output=ü.h5"], tmp_path)
    said = without_the_clone(["mpirun", "-n", "2", prefix / "bin" / "masing", "reproduce", "ü.h5"], tmp_path,
                             OMPI_MCA_rmaps_base_oversubscribe="1")
    assert "bit for bit" in said
    script = "import masing; masing.open('ü.h5'); print(masing.simulate(steps=9, cells=3).x.size)"
    said = without_the_clone(["/usr/bin/python3", "-B", "-c", script], tmp_path, PYTHONPATH=str(share / "analysis"),
                             PATH=f"{prefix}/bin:{os.environ['PATH']}")
    assert said == "10\n" and (share / "CITATION.cff").is_file()
    job = share / "jobs" / "slurm" / "run.sbatch"
    assert f"masing=${{MASING_PROGRAM:-{prefix}/bin/masing}}" in job.read_text() and os.access(job, os.X_OK)
    assert (share / "jobs" / "quickstart.sh").is_file() and (share / "jobs" / "tutorial.ipynb").is_file()
    for readme in share.rglob("README.md"):
        for link in re.findall(r"\]\(((?:\.\./|[\w-]+/)*[\w-]+\.\w+)(?:#[^)]*)?\)", readme.read_text(encoding="utf-8")):
            assert (readme.parent / link).exists(), f"{readme}: {link}"
    for path in (prefix / "bin" / "masing", *share.glob("analysis/masing/_masing*.so")):
        assert runpath(path) >= runpath(masing)


@pytest.mark.long
def test_pip_installs_the_package_without_a_network(prefix, tmp_path):
    """From a source distribution of the installation, which has what a clone has; the program is on the PATH, with how
    mpirun is set."""
    if ran("/usr/bin/python3", "-c", "import setuptools, pip, wheel").returncode != 0:
        pytest.skip("no pip, setuptools and wheel: apt-get install python3-pip")
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(prefix / "share" / "masing" / "analysis", source)
    ran("/usr/bin/python3", "-c", "from setuptools import build_meta; build_meta.build_sdist('dist')", cwd=source,
        check=True)
    archive, = (source / "dist").glob("*.tar.gz")
    ran("/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps",
        "--root-user-action=ignore", "--disable-pip-version-check", "--target", site, archive, check=True)
    assert (site / "masing" / "py.typed").is_file()
    script = ("import masing, masing.report.page; print(masing.__file__); "
              "print(masing.simulate(cells=100000, final_time=1, steps=200, ranks=2).provenance['ranks'])")
    said = without_the_clone(["/usr/bin/python3", "-B", "-c", script], tmp_path, PYTHONPATH=str(site),
                             PATH=f"{prefix}/bin:{os.environ['PATH']}")
    assert said.splitlines() == [f"{site}/masing/__init__.py", "2"]
    for name in ("report", "cycles", "identify", "judge"):
        assert "usage: masing-" + name in without_the_clone(
            ["/usr/bin/python3", "-B", site / "bin" / f"masing-{name}", "--help"], tmp_path, PYTHONPATH=str(site))
    for path in (source / "masing").rglob("*"):
        assert path.suffix == ".so" or (site / path.relative_to(source)).exists(), path


@pytest.mark.long
def test_cmake_says_what_petsc_is_missing(tmp_path):
    none = tmp_path / "none"
    for environment, message in (({"PETSC_DIR": str(none)}, f"PETSC_DIR = {none} (PETSC_ARCH = '') has no PETSc"),
                                 ({"PKG_CONFIG_LIBDIR": str(none)}, "masing needs PETSc, and pkg-config finds none")):
        done = ran("cmake", "-S", ROOT, "-B", tmp_path / "build", env={**os.environ, **environment})
        said = " ".join(done.stderr.split())
        assert done.returncode != 0 and message in said and "apt-get install libpetsc64-real-dev" in said


def test_a_project_in_c_and_cpp_uses_the_material_without_mpi_petsc_and_hdf5(prefix, tmp_path, printed, declared):
    """k = 1, η = s + 0.1: B(0.8), B'(0.8), ½ ∫ u² ds there, and 4 ∫ η (0.8 - η)⁺ ds."""
    build = built(PROJECT, tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", WITHOUT_MPI)
    c, cpp = printed(build / "material_c"), printed(build / "material_cpp")
    version, = c["version"]
    assert c["header"] == [f"{version} {version}"] and (prefix / "lib" / f"libmasing_material.so.{version}").exists()
    assert c["first_error"] == ['""'] and c["refused"] == cpp["refused"] == cpp["restored"] == ["1"]
    expected = {"backbone": -0.32 + 0.88 - 0.005, "backbone_slope": 1.1 - 0.8,
                "stored": 0.5 * ((0.8**3 - 0.1**3) / 3 + 0.3 * 0.8**2),
                "loss": 4 * ((0.4 * 0.8**2 - 0.8**3 / 3) - (0.4 * 0.1**2 - 0.1**3 / 3))}
    for found in (c, cpp):
        assert {name: float(found[name][0]) for name in expected if name in found or found is c} == pytest.approx(
            {name: value for name, value in expected.items() if name in found}, rel=1e-13)
    text = (PROJECT.parent / "test_material.cpp").read_text(encoding="utf-8")
    assert len(declared) > 20
    assert [name for name in declared if not re.search(rf"\b{name}\b", text)] == ["masing_version"]
    for program in ("material_c", "material_cpp"):
        libraries = ran("ldd", build / program, check=True).stdout.lower()
        assert "libmasing_material" in libraries and not re.search("mpi|petsc|hdf5|not found", libraries)


def configured(source, prefix, folder):
    """What CMake says of a project that finds masing in `prefix` and no MPI, and its exit code."""
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(own C CXX)\n{source}")
    done = ran("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", WITHOUT_MPI)
    return re.sub(r"\s+", " ", done.stdout + done.stderr), done.returncode


@pytest.mark.long
def test_the_material_in_other_standards_by_pkg_config_and_of_another_version(prefix, tmp_path, printed):
    """pkg-config finds it also where the prefix was moved."""
    for standard in ("c99", "c11", "c17", "c++98", "c++17", "c++20"):
        ran("cc", f"-x{standard[:-2]}", f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            "-fsyntax-only", f"-I{prefix}/include", "-include", "masing/material.h", "/dev/null", check=True)
    moved = tmp_path / "moved 1"
    for name in ("include", "lib"):
        shutil.copytree(prefix / name, moved / name, symlinks=True)
    words = ran("pkg-config", "--cflags", "--libs", "masing_material >= 1.0", check=True,
                env={**os.environ, "PKG_CONFIG_PATH": str(moved / "lib" / "pkgconfig")}).stdout
    ran("cc", "-o", tmp_path / "own", PROJECT / "material.c", *shlex.split(words), f"-Wl,-rpath,{moved}/lib",
        check=True)
    assert printed(tmp_path / "own")["refused"] == ["1"]
    source = """find_package(masing 3.0 REQUIRED)
get_target_property(material masing::material INTERFACE_COMPILE_FEATURES)
message(STATUS "${material}")"""
    assert "-- cxx_std_17" in configured(source, prefix, tmp_path / "features")[0]
    text, code = configured("find_package(masing 2.0 REQUIRED)", prefix, tmp_path / "older")
    assert code == 1 and "version: 3." in text


@pytest.mark.long
def test_the_material_alone_is_installed_without_mpi_petsc_and_hdf5(masing, tmp_path):
    """What is compiled is the same library as that of the build of the program."""
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    ran("cmake", "-S", ROOT, "-B", build, "-DMASING_MATERIAL_ONLY=ON", WITHOUT_MPI,
        *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("HDF5", "Eigen3", "pybind11")), check=True)
    assert not re.search(r"^(MPI|HDF5|PETSC|Python)_", (build / "CMakeCache.txt").read_text("utf-8"), re.MULTILINE)
    for library in Path(masing).parent.glob("libmasing_material.so*"):
        shutil.copy(library, build, follow_symlinks=False)
    ran("cmake", "--install", build, "--prefix", prefix, check=True)
    headers = {file.name for file in (prefix / "include" / "masing").iterdir()}
    assert headers == {"error.hpp", "masing_material.f90", "material.h", "material.hpp", "version.h"}
    assert not (prefix / "bin").exists()
    text, code = configured("find_package(masing REQUIRED)", prefix, tmp_path / "own")
    assert code == 0, text


def test_a_job_has_its_launcher_and_stops_where_turns_make_no_progress(tmp_path):
    """The script without Slurm, also where the TMPDIR that Slurm hands on is of another machine. Each turn ends with
    75 and the program's line in the file `turn`, or without one; the last with 0."""
    log, checkpoint = tmp_path / "job.log", tmp_path / "run.h5.checkpoint"
    for name, body in (("srun", 'echo "$TMPDIR" "$@" >>called'), ("mpirun", 'cat turn >&2; exit "$(cat code)"'),
                       ("scontrol", 'echo "$@" >>requeued')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)

    def turn(done, code=75, command="simulate", **variables):
        (tmp_path / "code").write_text(str(code))
        (tmp_path / "turn").write_text("" if done is None else "masing simulate: stopped by SIGUSR1 after "
                                       f"{done} of 90 steps; the same with restart = run.h5.checkpoint goes on\n")
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7",
                       "MASING_LAUNCHER": "mpirun", **variables}
        with open(log, "a", encoding="utf-8") as said:
            return subprocess.run(["bash", ROOT / "jobs" / "slurm" / "run.sbatch", command, "case.ini", "run.h5"],
                                  cwd=tmp_path, env=environment, stdout=said, stderr=said, check=False).returncode

    assert turn(None, 0, "converge", MASING_LAUNCHER="srun --mpi=pmix", MASING_PROGRAM="the program",
                TMPDIR=str(tmp_path / "none")) == 0, log.read_text()
    assert (tmp_path / "called").read_text().startswith("/tmp --mpi=pmix the program converge ")
    for done in (10, 20, None, 30):  # the line of a turn before is not taken for this one's
        assert turn(done) == 75, log.read_text()
        said = "no step" if done is None else f"{done} of 90 steps"
        assert log.read_text().endswith(f"run.sbatch: stopped after {said}; the job returns to the queue\n")
    assert turn(30) == 1
    assert "run.sbatch: two turns ended after 30 of 90 steps: no progress" in log.read_text()
    assert (tmp_path / "requeued").read_text() == "requeue 7\n" * 4
    checkpoint.touch()
    assert turn(90, 0) == 0 and not checkpoint.exists()


@pytest.mark.long
def test_the_recipe_has_what_cmake_looks_for():
    cmake, dependencies = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.findall(
        r'depends_on\("([^"]*)"', (ROOT / "jobs" / "packaging" / "package.py").read_text(encoding="utf-8"))
    looked_for = {name.lower() for name in re.findall(r"(?:find_package|pkg_\w+)\((\w+) ", cmake)} - {"doxygen"}
    other = {"eigen3": "eigen", "pybind11": "py-pybind11"}
    assert len(looked_for) == 10
    assert {other.get(name, name) for name in looked_for} <= {re.split("[@+]", spec)[0] for spec in dependencies}
