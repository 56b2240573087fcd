"""What `cmake --install` puts below a prefix is all that a user needs, with the clone out of sight."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def without_the_clone(command, folder):
    """The finished command, run in `folder` where the clone is an empty folder (a mount that only it sees)."""
    hidden = ["unshare", "--map-root-user", "--mount", "sh", "-c", f'mount -t tmpfs none "{ROOT}" && exec "$@"', "-"]
    can_hide = subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode == 0
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MASING")}
    return subprocess.run([*(hidden if can_hide else []), *map(str, command)], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=120, check=False)


def test_a_case_and_its_report_from_the_prefix(prefix, tmp_path):
    share = prefix / "share" / "masing"
    done = without_the_clone([prefix / "bin" / "masing", "simulate", "--quiet", "--config",
                              share / "jobs" / "cases" / "cycle-fig06.ini", "--output", "run.h5"], tmp_path)
    assert done.returncode == 0, done.stderr
    report = share / "analysis" / "report.py"
    done = without_the_clone(["/usr/bin/python3", "-B", report, "run.h5", "--reproduce"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "bit for bit" in (tmp_path / "run.html").read_text(encoding="utf-8")


def test_python_finds_package_and_program_below_the_prefix(prefix, tmp_path):
    script = "import masing; print(masing.__file__, masing.simulate(cells=20, final_time=20, steps=20000))"
    package = prefix / "share" / "masing" / "analysis"
    done = without_the_clone(["env", f"PYTHONPATH={package}", "/usr/bin/python3", "-B", "-c", script], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(package) in done.stdout and "P = 20" in done.stdout
    tutorial = prefix / "share" / "masing" / "jobs" / "tutorial.ipynb"
    assert tutorial.exists()


def test_the_job_scripts_name_the_installed_program(prefix):
    scripts = sorted((prefix / "share" / "masing" / "jobs" / "slurm").glob("*.sbatch"))
    assert len(scripts) == 4
    for script in scripts:
        assert f"masing=${{MASING_PROGRAM:-{prefix}/bin/masing}}" in script.read_text()
        assert os.access(script, os.X_OK) == os.access(ROOT / "jobs" / "slurm" / script.name, os.X_OK)
    for name in ("README.md", "src/README.md", "jobs/README.md", "analysis/README.md", "jobs/quickstart.sh"):
        assert (prefix / "share" / "masing" / name).is_file()


def test_cmake_says_what_petsc_is_missing(tmp_path):
    none = tmp_path / "none"
    for environment, message in (({"PETSC_DIR": str(none)}, f"PETSC_DIR = {none} (PETSC_ARCH = '') has no PETSc"),
                                 ({"PKG_CONFIG_LIBDIR": str(none)}, "masing needs PETSc, and pkg-config finds none")):
        done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path / "build"], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False)
        assert done.returncode != 0
        said = " ".join(done.stderr.split())
        assert message in said
        assert "apt-get install libpetsc64-real-dev" in said


def test_a_long_job_stops_where_turns_make_no_progress(tmp_path):
    """Slurm and the program are stand-ins: each turn ends with 75 after the step in the file `turn`."""
    stand_ins = {"mpirun": 'echo "masing: stopped by a signal after step $(cat turn) of 90; go on" >&2; exit 75',
                 "scontrol": 'echo "$@" >>requeued'}
    for name, body in stand_ins.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    script = ROOT / "jobs" / "slurm" / "long.sbatch"
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}

    def turn(step):
        (tmp_path / "turn").write_text(str(step))
        return subprocess.run(["bash", script, "case.ini", "run.h5"], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, timeout=30, check=False)

    for step in (10, 20, 30):
        assert turn(step).returncode == 75
    stuck = turn(30)
    assert stuck.returncode == 1
    assert "two turns ended after step 30: no progress" in stuck.stderr
    assert (tmp_path / "requeued").read_text() == "requeue 7\n" * 3
