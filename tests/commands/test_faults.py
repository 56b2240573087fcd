"""What goes wrong around a run ends it with one line and without a hang, and leaves what was there; files that are
damaged are refused. (io/test_files.cpp changes every byte; full disks are in test_stops.py.)"""

import os
import shutil
import signal
import subprocess

import h5py
import numpy as np
import pytest
from result_files import numbers

SMALL = ("simulate", "--steps=3000", "--final-time=5", "--cells=2000", "--quiet")


@pytest.mark.parametrize("words", [("--help",), (*SMALL, "--output=run.h5")])
def test_a_full_disk_under_what_is_said(masing, words):
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = subprocess.run([masing.program, *words], cwd=masing.folder, stdout=full, stderr=subprocess.PIPE,
                                 text=True, timeout=600)
    assert "standard output" in masing.one_line(process, 1)


def test_two_runs_to_one_file(masing):
    first = masing.start("simulate", "--steps=1000000", "--cells=20000", "--quiet", "--output=one.h5",
                         "--checkpoint=c.h5")
    masing.wait_until(first, (masing.folder / "one.h5.partial").exists)
    first.send_signal(signal.SIGSTOP)  # it keeps its locks
    both = ("--output=one.h5",), ("--output=two.h5", "--checkpoint=c.h5")
    assert "--output: another run is writing one.h5" in masing.refused(*SMALL, *both[0], ranks=2)
    assert "--checkpoint: another run is writing c.h5" in masing.refusal(*SMALL, *both[1])
    first.kill()
    first.communicate()
    for words in both:
        masing.in_process(masing.folder, *SMALL, *words)
    assert masing.names() == ["c.h5", "one.h5", "two.h5"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("by", ["SIGTERM", "SIGKILL"])
def test_a_rank_that_waits_in_mpi_init_is_ended(masing, by):
    """By a signal, or by the death of its launcher. MPI_Init is one that never returns."""
    source = masing.file("wait.c", "#include <stdio.h>\n#include <unistd.h>\nint MPI_Init_thread(void) {\n"
                         '  dprintf(1, "%d\\n", getpid());\n  for (;;) pause();\n}\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "wait.so", source], cwd=masing.folder, check=True)
    launcher = subprocess.Popen(
        ["sh", "-c", '"$0" simulate & wait', masing.program], cwd=masing.folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LD_PRELOAD": str(masing.folder / "wait.so"), "OMPI_COMM_WORLD_SIZE": "2"})
    rank = int(launcher.stdout.readline())
    os.kill(rank if by == "SIGTERM" else launcher.pid, getattr(signal, by))
    try:
        assert launcher.communicate(timeout=600)[1] == ""  # until no process has its pipes
    except subprocess.TimeoutExpired:
        os.kill(rank, signal.SIGKILL)
        raise


def test_a_pipe_at_the_output_is_refused_and_a_study_spares_an_unfinished_run(masing):
    os.mkfifo(masing.folder / "masing.h5")
    assert "masing.h5 is not a regular file" in masing.refused(*SMALL)
    (masing.folder / "masing.h5").unlink()
    masing.file("masing.h5.partial", "rows")
    masing.refusal("converge", "--levels=10,20", "--final-time=1", "--threshold=0", "--force=0", "--output=masing.h5")
    assert (masing.folder / "masing.h5.partial").read_text(encoding="utf-8") == "rows"


def test_growth_is_told_and_a_position_goes_at_once_to_where_it_begins(masing):
    """Growth by exp(dt omega^2 T/2) with omega = 2, T = 10: 10 at 86.9 steps, 1.1 at dt = ln(1.1)/20. From x0 = 0 to
    0.5 the force of (s + 0.1) is 1.1 x - x^2/2 - 0.005."""
    words = ("simulate", "--k0=3", "--force=0", "--final-time=10", "--cells=5", "--quiet")
    assert "with a step of 0.004766 by 1.1" in masing(*words, "--steps=86").stderr
    assert masing.done(*words, "--steps=87").stderr == ""
    case = ("simulate", "--model=masing-quasistatic", "--position=0.5+t", "--final-time=1", "--steps=4", "--cells=inf",
            "--quiet", "--output=run.h5")
    assert masing.done(*case).stderr == ""
    assert numbers(masing.folder / "run.h5")["restoring"][0] == pytest.approx(0.42, abs=1e-14)
    assert masing.done(*case, "--x0=0.5", f"--let=a=1{' ' * 70000}").stderr == ""  # on a long command line, too


def test_the_seal_says_what_has_become_of_a_file(masing):
    """It holds, is broken, or was cut off, as HDF5 does where it changes a file. What HDF5
    cannot read of an unsealed file, here a form that masing does not read, is the user's mistake."""
    words = ("simulate", "--cells=4", "--force=0.45*cos(0.5*t)", "--final-time=1", "--steps=40")
    path = masing.made(*words, "--field-every=10", name="run.h5")
    run = path.read_bytes()
    path.write_bytes(run[:5000] + b"!" + run[5001:])
    said = "run.h5 is damaged: its checksum is another; take a copy that is"
    assert said in masing.refused("reproduce", "run.h5", "--quiet", ranks=2)
    path.write_bytes(run)
    assert masing.done("reproduce", "run.h5", "--quiet").stderr == ""
    with h5py.File(path, "a") as file:
        file.attrs["remark"] = "mine"
    words = (*words, "--initial-u=file:run.h5")
    said = masing.done(*words, "--quiet", ranks=2).stderr
    assert said.startswith("masing warning: run.h5 has no seal: an older masing or another program")
    with h5py.File(path, "a") as file:
        del file["field/u"]
        file.create_dataset("field/u", data=np.zeros((5, 10**6)), compression="gzip")
    assert "run.h5 has no field of a slab" in masing.refusal(*words)
