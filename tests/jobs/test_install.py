"""What `cmake --install` puts below a prefix is all that a user needs, with the clone out of sight; the job script
with stand-ins for launcher and Slurm."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from processes import installed, ran

ROOT = Path(__file__).resolve().parents[2]


def without_the_clone(command, folder, **variables):
    """The finished command, run in `folder` where the clone is an empty folder (a mount that only it sees)."""
    rights = ["--map-root-user"] if os.getuid() else []
    hidden = ["unshare", *rights, "--mount", "sh", "-c", f'mount -t tmpfs none "{ROOT}" && exec "$@"', "-"]
    can_hide = ran(*hidden, "true").returncode == 0
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MASING")}
    return ran(*(hidden if can_hide else []), *command, cwd=folder, env={**environment, **variables})


@pytest.mark.parametrize("nobody", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_user_also_one_without_a_home_runs_what_is_installed(masing, nobody):
    if nobody and os.getuid() != 0:
        pytest.skip("only root may become another user")
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        prefix, work = Path(name) / "prefix ö", Path(name) / "work ß"
        installed(masing, prefix)
        work.mkdir()
        as_user = []
        if nobody:
            os.chown(work, 65534, 65534)
            as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "HOME"]

        def done(*command):
            finished = without_the_clone([*as_user, *command], work, TMPDIR=str(work),
                                         OMPI_MCA_rmaps_base_oversubscribe="1")
            assert finished.returncode == 0, finished.stderr
            return finished.stdout

        assert done("id", "-u") == f"{65534 if nobody else os.getuid()}\n"
        program, share, three = prefix / "bin" / "masing", prefix / "share" / "masing", ("mpirun", "-n", "3")
        done(program, "simulate", "--quiet", "--config", share / "jobs" / "cases" / "cycle-fig10.ini", "--cells=3",
             "--output=ü.h5")
        split = ("--cells=100000", "--final-time=1", "--steps=200", "--field-points=100")
        assert "3 ranks" in done(*three, program, "simulate", "--quiet", *split, "--output=split.h5")
        assert "bit for bit" in done(*three, program, "reproduce", "ü.h5")
        done("/usr/bin/python3", "-B", share / "analysis" / "report.py", "ü.h5", "--reproduce")
        assert "bit for bit" in (work / "ü.html").read_text(encoding="utf-8")


def test_pip_installs_the_package_without_a_network(prefix, tmp_path):
    """From the installation, which has what a clone has; the program is on the PATH, with how mpirun is set."""
    needed = "import setuptools, pip, wheel; assert int(setuptools.__version__.split('.')[0]) >= 61"
    if ran("/usr/bin/python3", "-c", needed).returncode != 0:
        pytest.skip("no pip, setuptools from 61 on and wheel: apt-get install python3-pip")
    share, source, site = prefix / "share" / "masing", tmp_path / "source", tmp_path / "site"
    shutil.copytree(share / "analysis", source / "analysis")
    ran("/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps",
        "--root-user-action=ignore", "--disable-pip-version-check", "--target", site, source / "analysis", check=True)
    version = re.search(r'^version: "(.*)"$', (share / "CITATION.cff").read_text(), re.MULTILINE)[1]
    assert (site / f"masing-{version}.dist-info").is_dir() and (site / "masing" / "py.typed").is_file()
    script = ("import masing, masing.report.page; print(masing.__file__, masing.__version__); "
              "large = {'cells': 100000, 'final_time': 1, 'steps': 200, 'field_points': 100}; "
              "runs = [masing.simulate(**large, ranks=n) for n in (None, 2)]; "
              "print(*(run.provenance['ranks'] for run in runs), bool((runs[0].x == runs[1].x).all()))")
    done = without_the_clone(["/usr/bin/python3", "-B", "-c", script], tmp_path, PYTHONPATH=str(site),
                             PATH=f"{prefix}/bin:{os.environ['PATH']}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"{site}/masing/__init__.py {version}", "1 2 True"]
    package = {path.relative_to(share / "analysis") for path in (share / "analysis" / "masing").rglob("*")}
    assert {path for path in package if path.suffix != ".so"} <= {
        path.relative_to(site) for path in (site / "masing").rglob("*")}


def test_the_job_script_names_the_installed_program(prefix):
    share = prefix / "share" / "masing"
    script = share / "jobs" / "slurm" / "run.sbatch"
    assert f"masing=${{MASING_PROGRAM:-{prefix}/bin/masing}}" in script.read_text() and os.access(script, os.X_OK)
    assert (share / "jobs" / "quickstart.sh").is_file() and (share / "jobs" / "tutorial.ipynb").is_file()
    # Of the documents every link to a file leads to one.
    for name in (".", "CHANGELOG.md", "src", "jobs", "analysis", "tests"):
        document = share / name if name == "CHANGELOG.md" else share / name / "README.md"
        text = document.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(((?:\.\./|[\w-]+/)*[\w-]+\.\w+)(?:#[^)]*)?\)", text):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def runpath(path):
    """The folders where a program or library looks for the libraries it needs."""
    text = ran("readelf", "-d", path, check=True).stdout
    found = re.search(r"\(R(?:UN)?PATH\).*\[(.*)\]", text)
    return {folder for folder in found[1].split(":") if folder} if found else set()


def test_what_is_installed_finds_the_libraries_it_was_built_with(masing, prefix):
    built = runpath(masing)
    if not built:
        pytest.skip("the linker looks for all libraries by itself")
    for installed in (prefix / "bin" / "masing", *prefix.glob("share/masing/analysis/masing/_masing*.so")):
        assert runpath(installed) >= built


def test_cmake_takes_folders_and_flags_with_spaces(tmp_path):
    build, flags = tmp_path / "Größe 1 ü", "-O1 -DTEXT='a; b'"
    for _ in ("first", "again"):
        ran("cmake", "-S", ROOT, "-B", build, "-DMASING_TESTS=OFF", f"-DCMAKE_CXX_FLAGS={flags}", check=True)
    ran("cmake", "--build", build, "--target", "build_info", check=True)
    header = (build / "src" / "generated" / "io" / "build_info.hpp").read_text(encoding="utf-8")
    assert f'#define MASING_FLAGS "{flags} ' in header


def test_cmake_says_what_petsc_is_missing(tmp_path):
    none = tmp_path / "none"
    for environment, message in (({"PETSC_DIR": str(none)}, f"PETSC_DIR = {none} (PETSC_ARCH = '') has no PETSc"),
                                 ({"PKG_CONFIG_LIBDIR": str(none)}, "masing needs PETSc, and pkg-config finds none")):
        done = ran("cmake", "-S", ROOT, "-B", tmp_path / "build", env={**os.environ, **environment})
        said = " ".join(done.stderr.split())
        assert done.returncode != 0 and message in said and "apt-get install libpetsc64-real-dev" in said


def stand_in(folder, name, body):
    """A command of this name in `folder`, which comes first on the PATH."""
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def job(folder, *words, launcher="mpirun", **variables):
    """The finished job script, without Slurm, as a further turn of the job whose log is job.log."""
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_JOB_ID": "7",
                   "MASING_LAUNCHER": launcher, **variables}
    with open(folder / "job.log", "a", encoding="utf-8") as log:
        return subprocess.run(["bash", ROOT / "jobs" / "slurm" / "run.sbatch", *words], cwd=folder, env=environment,
                              stdout=log, stderr=log, check=False).returncode


@pytest.mark.parametrize("launcher", ["mpirun", "srun --mpi=pmix"])
def test_a_job_has_its_launcher_and_a_folder_for_temporary_files(tmp_path, launcher):
    """Also where the TMPDIR that Slurm hands on is of another machine."""
    command, *option = launcher.split()
    stand_in(tmp_path, command, 'echo "$TMPDIR" "$@" >>called')
    assert job(tmp_path, "converge", "case.ini", "run.h5", launcher=launcher, MASING_PROGRAM="the program",
               TMPDIR=str(tmp_path / "none")) == 0, (tmp_path / "job.log").read_text()
    (called,) = (tmp_path / "called").read_text().splitlines()
    assert called.startswith(" ".join(["/tmp", *option, "the program converge "]))


def test_a_job_stops_where_turns_make_no_progress(tmp_path):
    """Each turn ends with 75 and the program's line in the file `turn`, or without one; the last with 0."""
    stand_in(tmp_path, "mpirun", 'cat turn >&2; exit "$(cat code)"')
    stand_in(tmp_path, "scontrol", 'echo "$@" >>requeued')
    log = tmp_path / "job.log"

    def turn(done, code=75):
        (tmp_path / "code").write_text(str(code))
        (tmp_path / "turn").write_text("" if done is None else "masing simulate: stopped by SIGUSR1 after "
                                       f"{done} of 90 steps; the same with restart = run.h5.checkpoint goes on\n")
        return job(tmp_path, "simulate", "case.ini", "run.h5")

    for done in (10, 20, None, 30):  # the line of a turn before is not taken for this one's
        assert turn(done) == 75, log.read_text()
        said = "no step" if done is None else f"{done} of 90 steps"
        assert log.read_text().endswith(f"run.sbatch: stopped after {said}; the job returns to the queue\n")
    assert (tmp_path / "requeued").read_text() == "requeue 7\n" * 4
    assert turn(30) == 1
    assert "run.sbatch: two turns ended after 30 of 90 steps: no progress" in log.read_text()
    assert (tmp_path / "requeued").read_text() == "requeue 7\n" * 4
    checkpoint = tmp_path / "run.h5.checkpoint"
    checkpoint.touch()
    assert turn(90, 0) == 0 and not checkpoint.exists()
