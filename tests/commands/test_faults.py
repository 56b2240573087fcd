"""What goes wrong around a run ends it with one line and without a hang, and leaves what was there. Full disks are in
test_stops.py."""

import os
import re
import shutil
import signal
import subprocess

import h5py
import numpy as np
import pytest
from processes import ran
from result_files import numbers

SMALL = ("simulate", "--steps=3000", "--final-time=5", "--cells=2000", "--quiet")


@pytest.mark.parametrize("words", [("--help",), ("models",), (*SMALL, "--output=run.h5")])
def test_a_full_disk_under_what_is_said(masing, words):
    with open("/dev/full", "w") as full:
        process = subprocess.run([masing.program, *words], cwd=masing.folder, stdout=full, stderr=subprocess.PIPE,
                                 text=True, timeout=600)
    assert "standard output" in masing.one_line(process, 1)


def test_a_run_without_a_launcher_needs_no_temporary_folder(masing):
    nowhere = "".join(f"mount --bind {name} {name} && mount -o remount,ro,bind {name} && "
                      for name in ("/tmp", "/dev/shm"))
    words = ["unshare", "--mount", "sh", "-c", nowhere + 'exec "$0" "$@"']
    if subprocess.run([*words, "true"]).returncode != 0:
        pytest.skip("mounting is not allowed here")
    output = f"--output={masing.folder}/run.h5"
    process = ran(*words, masing.program, "simulate", "--steps=10", "--cells=4", "--validate-only", output,
                  cwd=masing.folder, env={**os.environ, "TMPDIR": "/proc"})
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize(("words", "said"), [
    (("--output=one.h5",), "--output: another run is writing one.h5"),
    (("--output=two.h5", "--checkpoint=c.h5"), "--checkpoint: another run is writing c.h5")])
def test_two_runs_to_one_file(masing, words, said):
    first = masing.start("simulate", "--steps=1000000", "--cells=20000", "--quiet", "--output=one.h5",
                         "--checkpoint=c.h5")
    masing.wait_until(first, (masing.folder / "one.h5.partial").exists)
    first.send_signal(signal.SIGSTOP)  # it keeps its locks
    assert said in masing.refused(*SMALL, *words, ranks=2)
    first.kill()
    first.communicate()
    masing.done(*SMALL, *words)
    assert not [name for name in masing.names() if name.endswith(".lock") and name[:-5] in " ".join(words)]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("by", ["the death of its launcher", "SIGTERM"])
def test_a_rank_that_waits_in_mpi_init_is_ended(masing, by):
    """MPI_Init is one that never returns, as it may be where the launcher is killed meanwhile."""
    source = masing.file("wait.c", "#include <stdio.h>\n#include <unistd.h>\nint MPI_Init_thread(void) {\n"
                         '  dprintf(1, "%d\\n", getpid());\n  for (;;) pause();\n}\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "wait.so", source], cwd=masing.folder, check=True)
    launcher = subprocess.Popen(
        ["sh", "-c", '"$0" simulate & wait', masing.program], cwd=masing.folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LD_PRELOAD": str(masing.folder / "wait.so"), "OMPI_COMM_WORLD_SIZE": "2"})
    rank = int(launcher.stdout.readline())
    try:
        if by == "SIGTERM":
            os.kill(rank, signal.SIGTERM)
        else:
            launcher.kill()
        _, said = launcher.communicate(timeout=20)  # until no process has its pipes
    except BaseException:
        os.kill(rank, signal.SIGKILL)
        launcher.communicate()
        raise
    assert said == ("" if by == "SIGTERM" else "masing: the launcher has ended before MPI began\n")


def test_a_run_makes_no_file_but_its_own(masing, strace):
    """None that a kill would leave, as those of MPI-IO in the folder of the result, or in /dev."""
    subprocess.run([*strace, "-f", "-o", "calls", "-e", "trace=open,openat", masing.program, *SMALL,
                    "--checkpoint=c.h5"], cwd=masing.folder, check=True, stdout=subprocess.DEVNULL)
    calls = (masing.folder / "calls").read_text(encoding="utf-8")
    made = re.findall(r'open(?:at)?\((?:AT_FDCWD, )?"([^"]*)", [A-Z_|]*O_CREAT[^)]*\) = [0-9]', calls)
    assert {name for name in made if not name.startswith("/dev/shm/")} == {
        "masing.h5.lock", "masing.h5.partial", "c.h5.lock", "c.h5.draft"}


@pytest.mark.parametrize("name", ["masing.h5", "masing.h5.partial", "masing.h5.lock"])
def test_a_pipe_at_the_output(masing, name):
    os.mkfifo(masing.folder / name)
    assert name in masing.refused(*SMALL)


def test_a_study_spares_an_unfinished_run(masing):
    masing.file("masing.h5.partial", "rows")
    masing.refused("converge", "--levels=10,20", "--final-time=1", "--threshold=0", "--force=0")
    assert (masing.folder / "masing.h5.partial").read_text(encoding="utf-8") == "rows"


def test_a_killed_run_leaves_its_samples(masing):
    """A run of some 2 s, which writes 8192 samples at a time; the first are whole when the second come. What
    is not written yet are zeros, which take no room on the disk."""
    words = ("--cells=50000", "--field-points=1", "--steps=200000", "--sample-every=1", "--quiet")
    process = masing.start("simulate", *words)
    partial = masing.folder / "masing.h5.partial"
    masing.wait_until(process, lambda: partial.exists() and 512 * partial.stat().st_blocks >= 2 * 5 * 8 * 8192)
    process.kill()
    process.communicate()
    with h5py.File(partial) as file:
        t = np.trim_zeros(file["series/t"][:], "b")
        assert 8192 <= len(t) < 200000 and np.all(np.diff(t) > 0)


@pytest.mark.parametrize("env", [
    {"PMI_SIZE": "4", "PMI_RANK": "0"}, {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"},
    {"SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"}])
def test_copies_of_another_mpi(masing, env):
    process = masing(*SMALL, env=env)
    assert process.returncode == 2 and len(process.stderr.splitlines()) == 1
    assert process.stderr.startswith(f"masing: started as {next(iter(env.values()))} copies")
    other = {name: "3" if value == "0" else value for name, value in env.items()}
    process = masing(*SMALL, env=other)
    assert (process.returncode, process.stderr) == (2, "")
    assert masing.names() == []


def test_growth_is_told(masing):
    """By exp(dt omega^2 T/2) with omega = 2, T = 10: 10 at 86.9 steps, 1.1 at dt = ln(1.1)/20."""
    words = ("simulate", "--k0=3", "--force=0", "--final-time=10", "--cells=5", "--quiet")
    process = masing(*words, "--steps=86")
    assert process.returncode == 0 and process.stderr.startswith("masing warning: ")
    assert "with a step of 0.004766 by 1.1" in process.stderr
    assert masing.done(*words, "--steps=87").stderr == ""


def test_a_position_that_does_not_begin_at_x0_is_told(masing):
    """(s + 0.1) from x0 = 0 to 0.5: the force is there 1.1 x - x^2/2 - 0.005."""
    case = ("simulate", "--model=masing-quasistatic", "--position=0.5+t", "--final-time=1", "--steps=4", "--cells=inf",
            "--quiet", "--output=run.h5")
    process = masing(*case)
    assert process.returncode == 0
    assert process.stderr == ("masing warning: --position: x(0) = 0.5 is not x0 = 0, where u = u0; x goes there at "
                              "once, before the first sample\n")
    assert numbers(masing.folder / "run.h5")["restoring"][0] == pytest.approx(0.42, abs=1e-14)
    assert masing(*case, "--x0=0.5").stderr == ""


def test_a_long_command_line(masing):
    masing.done(*SMALL, "--force=0.1*sin(t)" + " " * 70000)
    assert masing.names() == ["masing.h5"]
