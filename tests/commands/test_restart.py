"""Runs that are stopped, by signals, by the clock or by force, and go on: the file is that of a run
that nobody stopped, bit for bit, on any number of ranks."""

import ctypes
import ctypes.util
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import h5py
import numpy as np
import pytest
from result_files import contents

# So many cells that ranks share them.
STEPS, EVERY = 14000, 17
RUN = (
    *("simulate", f"--steps={STEPS}", "--final-time=40", "--cells=180000", "--k0=0.1"),
    *("--field-every=1955", f"--sample-every={EVERY}", "--initial-u=0.05*cos(9*s)", "--output=run.h5"),
)
# The state of each engine is another test's: here those whose recorders keep something between samples.
ENGINES = {
    "sweep": (
        *("--steps=20000", "--cells=180000", "--final-time=40", "--sample-every=19"),
        *("--probe=0.1,0.9", "--energy"),
    ),
    "inf": ("--engine=memory", "--steps=8000000", "--cells=inf", "--sample-every=9999", "--energy"),
    "s-chain": ("--model=s-chain", "--set=n=5000", "--set=k=n", "--final-time=2", "--force=3*sin(t)",
                "--set=eta=0.1", "--steps=12000"),
}
STUDY = (
    *("converge", "--levels=1600,3200,6400", "--final-time=10", "--cells=180000"),
    *("--reference=successive", "--field-samples=5", "--expect-order=>=0.5", "--output=run.h5"),
)


def ranks_of(process):
    """The process ids of the ranks that mpirun has started, or of the run without it."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                    name, rest = file.read().rsplit(")", 1)
            except OSError:
                continue
            if int(rest.split()[1]) == process.pid and name.endswith("(masing"):
                found.append(int(entry))
    return sorted(found) or [process.pid]


def cpu_seconds(pid):
    """What a process has computed."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        _, rest = file.read().rsplit(")", 1)
    return sum(map(int, rest.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def is_pending(process):
    """Whether a signal has not reached it."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("ShdPnd:")).split()[1], 16) != 0


def ended(process):
    """Exit code and stderr; a run that hangs is killed."""
    try:
        _, stderr = process.communicate(timeout=600)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    return process.returncode, stderr


def one_line(stderr):
    """The one line of ours among those of mpirun."""
    ours = [line for line in stderr.splitlines() if line.startswith("masing: ")]
    assert len(ours) == 1, stderr
    return ours[0]


def begun(masing, words, ranks=None):
    """A run that is on its way: the first rank has computed for a while since the file of its rows is there."""
    process = masing.start(*words, "--quiet", ranks=ranks)
    masing.wait_until(process, (masing.folder / "run.h5.partial").exists)
    first = ranks_of(process)[0]
    enough = cpu_seconds(first) + 0.05
    masing.wait_until(process, lambda: cpu_seconds(first) >= enough)
    return process


def stopped(masing, words, ranks=None, by=signal.SIGUSR1):
    """What a run says that the signal to one of its ranks stops."""
    process = begun(masing, words, ranks)
    os.kill(ranks_of(process)[-1], by)
    code, stderr = ended(process)
    assert code == 75, (code, stderr)
    return one_line(stderr)


def same(one, other):
    """Whether two result files are the same where they must, apart from their names."""
    first, second = contents(one), contents(other)
    del first["configuration"], second["configuration"]
    return first == second


@pytest.fixture(scope="module")
def whole(masing_once):
    """The file of RUN that nobody stopped."""
    masing_once.done(*RUN, "--quiet")
    return masing_once.folder / "run.h5"


SIGNALS = ("SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU")


@pytest.mark.parametrize(
    ("name", "ranks", "more"), zip(SIGNALS, (1, 2, 3, 2, 3, 2), (3, 1, 2, None, None, 1), strict=True)
)
def test_a_signal_to_one_rank(masing, whole, name, ranks, more):
    said = stopped(masing, RUN, ranks, getattr(signal, name))
    assert re.search(f"stopped by {name} after [0-9]+ of {STEPS} steps; ", said), said
    assert "restart = run.h5.checkpoint" in said
    assert not (masing.folder / "run.h5").exists()
    masing.done(*RUN, "--quiet", "--restart=run.h5.checkpoint", ranks=more)
    assert same(masing.folder / "run.h5", whole)
    assert masing.names() == ["run.h5"]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_recorders_keep(masing, engine):
    words = ("simulate", "--output=run.h5", *ENGINES[engine])
    masing.done(*words, "--quiet")
    (masing.folder / "run.h5").rename(masing.folder / "whole.h5")
    said = stopped(masing, words, 2)
    assert "after 0 of " not in said
    masing.done(*words, "--quiet", "--restart=run.h5.checkpoint", ranks=3)
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")


def test_the_wall_limit(masing, whole):
    """Far below what the run takes on any machine. How far it comes before is the machine's affair."""
    words = (*RUN, "--quiet", "--checkpoint=c.h5")
    process = masing(*words, "--wall-limit=0.001", ranks=2)
    assert process.returncode == 75
    assert f"stopped by the wall limit after 0 of {STEPS} steps" in one_line(process.stderr)
    begin = time.monotonic()
    process = masing(*words, "--restart=c.h5", "--wall-limit=0:0:0.2")
    assert process.returncode == 75 and time.monotonic() - begin > 0.2, process.stderr
    assert "stopped by the wall limit after " in one_line(process.stderr)
    masing.done(*words, "--restart=c.h5", ranks=3)
    assert same(masing.folder / "run.h5", whole)


LONG_STEP = ("simulate", "--cells=inf", "--engine=exact", "--steps=100", "--final-time=1e7", "--output=run.h5")


@pytest.mark.parametrize("before", [("SIGTERM",), ("SIGXCPU", "SIGXCPU")])
def test_a_second_signal_ends_at_once(masing, before):
    """But SIGXCPU, which Linux sends every second from the limit of CPU time on."""
    process = begun(masing, LONG_STEP)
    for name in before:
        process.send_signal(getattr(signal, name))
        masing.wait_until(process, lambda: not is_pending(process))
        time.sleep(0.7)  # within half a second it would be the same request
    process.send_signal(signal.SIGTERM)
    code, stderr = ended(process)
    assert (code, stderr) == (128 + signal.SIGTERM, "masing: ended at once by a second signal\n")
    assert "run.h5" not in masing.names()


def test_what_nohup_ignores_stays_ignored(masing):
    words = ["sh", "-c", 'trap "" HUP; exec "$0" "$@"', masing.program, "simulate",
             "--cells=10000", "--steps=100000000", "--output=run.h5"]
    process = subprocess.Popen(words, cwd=masing.folder, stderr=subprocess.PIPE, text=True)
    masing.wait_until(process, (masing.folder / "run.h5.partial").exists)
    process.send_signal(signal.SIGHUP)
    enough = cpu_seconds(process.pid) + 0.3
    masing.wait_until(process, lambda: cpu_seconds(process.pid) >= enough)
    process.send_signal(signal.SIGUSR1)
    assert "stopped by SIGUSR1 after " in one_line(ended(process)[1])


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_what_mpirun_ends_goes_on(masing, whole, name):
    """Its ranks get SIGTERM, and SIGKILL a second later: the last checkpoint may be one that was due before."""
    words = (*RUN, "--checkpoint=c.h5", "--checkpoint-every=500")
    process = begun(masing, words, 2)
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    process.send_signal(getattr(signal, name))
    assert ended(process)[0] != 0
    masing.done(*words, "--quiet", "--restart=c.h5", ranks=3)
    assert same(masing.folder / "run.h5", whole)


def test_what_is_long_says_how_mpirun_stops_it(masing):
    process = masing.start("simulate", "--cells=10000", "--steps=100000000", ranks=2)
    said = next(line for line in process.stderr if "Ctrl-C" in line)
    process.terminate()
    ended(process)
    assert "Ctrl-C on mpirun leaves 1 s to write a checkpoint (OMPI_MCA_odls_base_sigkill_timeout), or the last one " \
           "stays; kill -USR1 to mpirun leaves the time it needs" in said


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("command", [("simulate", "--steps=100"), ("converge", "--levels=100,200", "--reference=exact")])
def test_a_signal_while_the_continuum_is_set_up(masing, command, ranks):
    """The integrals of a threshold of a thousand extrema take seconds."""
    process = masing.start(*command, "--cells=inf", "--threshold=1+0.5*sin(3000*s)", "--final-time=1", "--quiet",
                           ranks=ranks)
    masing.wait_until(process, lambda: max(map(cpu_seconds, ranks_of(process))) >= 0.5)
    for rank in ranks_of(process):
        os.kill(rank, signal.SIGTERM)
    code, stderr = ended(process)
    assert code == 75, stderr
    assert "stopped by SIGTERM before the first step" in one_line(stderr)
    assert [name for name in masing.names() if name.endswith((".lock", ".draft", ".partial"))] == []


def test_the_folder_of_the_output_is_removed(masing):
    """With it go the rows: the run is told so at its end, and the last checkpoint, elsewhere, is refused."""
    words = ("simulate", "--steps=6000", "--final-time=40", "--cells=180000", "--quiet")
    words = (*words, "--checkpoint=c.h5")
    (masing.folder / "there").mkdir()
    process = masing.start(*words, "--checkpoint-every=1000", "--output=there/run.h5", ranks=2)
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    shutil.rmtree(masing.folder / "there")
    code, stderr = ended(process)
    assert code == 1, stderr
    assert "there/run.h5.partial: No such file" in one_line(stderr)
    said = masing.refused(*words, "--restart=c.h5", "--output=run.h5", ranks=2)
    assert "the rows that c.h5 goes on with are not in run.h5.partial, nor in run.h5" in said
    assert masing.names() == ["c.h5"]


@pytest.mark.parametrize("place", ["run.h5.partial", "run.h5"])
def test_the_rows_are_found(masing, whole, place):
    """In the file of the run that was stopped, or finished, by the name that the checkpoint has of it: the
    folder is moved and the result has another name. What was there stays."""
    first = type(masing)(masing.folder / "first", masing.program)
    first.folder.mkdir()
    if place == "run.h5":
        first.done(*RUN, "--checkpoint=c.h5", "--quiet", ranks=2)
    else:
        stopped(first, (*RUN, "--checkpoint=c.h5"), 2)
    first.folder.rename(masing.folder / "moved")
    before = (masing.folder / "moved" / place).read_bytes()
    masing.done(*RUN, "--quiet", "--restart=moved/c.h5", ranks=3)
    assert same(masing.folder / "run.h5", whole)
    assert (masing.folder / "moved" / place).read_bytes() == before


def test_a_file_with_fewer_rows_of_the_run_is_passed_over(masing):
    """What the run left where it was stopped first, when the checkpoint counts rows of another output."""
    words = ("simulate", "--steps=1000", "--final-time=5", "--cells=100", "--quiet", "--checkpoint=c.h5")
    assert masing(*words, "--output=a.h5", "--wall-limit=0.0001").returncode == 75
    masing.done(*words, "--output=b.h5", "--restart=c.h5")
    masing.done(*words, "--output=a.h5", "--restart=c.h5")
    assert same(masing.folder / "a.h5", masing.folder / "b.h5")


def test_rows_of_another_run_are_not_taken(masing):
    """A run that is begun anew replaces the rows of the one that was stopped."""
    words = ("simulate", "--steps=1000", "--final-time=5", "--cells=100", "--quiet")
    assert masing(*words, "--checkpoint=c.h5", "--wall-limit=0.0001").returncode == 75
    masing.done(*words)
    assert "the rows that c.h5 goes on with" in masing.refused(*words, "--restart=c.h5")
    assert masing.names() == ["c.h5", "masing.h5"]


SMALL = (
    *("simulate", "--steps=900", "--final-time=5", "--cells=1100", "--energy", "--probe=0.3", "--sample-every=2"),
    *("--field-every=230", "--output=run.h5", "--checkpoint=c.h5", "--checkpoint-every=250", "--quiet"),
)


@pytest.mark.parametrize("call", ["pwrite64", "write", "fsync", "rename", "unlink"])
def test_a_kill_before_every_change_of_a_file(masing, call, long):
    """strace kills the run at its n-th call of one kind; n goes up until the run is done."""
    traced = ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    if shutil.which("strace") is None or subprocess.run([*traced, "true"], capture_output=True).returncode:
        pytest.skip("strace is missing or not allowed")
    masing.done(*SMALL)
    files = [masing.folder / name for name in ("run.h5", "c.h5")]
    whole = files[0].rename(masing.folder / "whole.h5")
    moments = 0
    for n in range(1, 1000) if long else random.Random(call).sample(range(1, 40), 2) + [1000]:
        for file in files:
            file.unlink(missing_ok=True)
        run = subprocess.run([*traced, "-e", f"inject={call}:signal=KILL:when={n}", masing.program, *SMALL],
                             cwd=masing.folder, capture_output=True, timeout=600)
        done = run.returncode == 0
        moments += not done
        masing.done(*SMALL, *(["--restart=c.h5"] if files[1].exists() else []), ranks=1 + n % 3)
        assert same(files[0], whole), f"killed at {call} {n}"
        if done:
            break
    assert done and (moments > 2 or not long)


def killed_and_restarted(masing, words, kills, chance, at_most):
    """Kill a run so many times, all its ranks or one of them, and go on with its checkpoint."""
    survived = 0
    while survived < kills:
        restart = ["--restart=c.h5"] if (masing.folder / "c.h5").exists() else []
        process = masing.start(*words, *restart, ranks=chance.choice([1, 2, 3, 4]))
        time.sleep(chance.uniform(0, at_most))
        if process.poll() is None:
            ranks = ranks_of(process)
            for rank in ranks if chance.random() < 0.5 else [chance.choice(ranks)]:
                try:
                    os.kill(rank, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        code, stderr = ended(process)
        assert code != 2, stderr
        if code == 0:
            (masing.folder / "run.h5").unlink()  # killed too late: once more from the start
            (masing.folder / "c.h5").unlink(missing_ok=True)
        survived += 1
    restart = ["--restart=c.h5"] if (masing.folder / "c.h5").exists() else []
    masing(*words, *restart, ranks=2)


@pytest.mark.parametrize(("words", "steps"), [
    (("--cells=500", "--k0=0.1", "--field-every=77777", "--probe=0.5", "--energy", "--sample-every=300"), 400000),
    (("--cells=inf", "--engine=exact", "--sample-every=7"), 1000)])
def test_a_longer_run(masing, words, steps):
    """Stopped, gone on with to its end, then to twice the time."""
    short = ("simulate", *words, "--output=run.h5", "--quiet")
    at = [(f"--final-time={20 * n}", f"--steps={steps * n}") for n in (1, 2)]
    masing.done(*short, *at[1])
    (masing.folder / "run.h5").rename(masing.folder / "whole.h5")
    masing(*short, *at[0], "--wall-limit=0.3", "--checkpoint=c.h5", ranks=2)
    for time_and_steps in at:
        masing.done(*short, *time_and_steps, "--checkpoint=c.h5", "--restart=c.h5")
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")
    masing.refused(*short, *at[0], "--restart=c.h5")


def test_a_run_that_goes_on_says_all_of_it(masing):
    """Its extremes, here before the restart, are of both parts, its speed is of the second, and its
    energies go on from a first sample with energy in it."""
    words = ("simulate", "--cells=20", "--k0=0.2", "--x0=0.4", "--y0=-0.3", "--force=-3*sin(t)*exp(-t/3)")
    words = (*words, "--energy", "--sample-every=1", "--output=run.h5", "--quiet")
    whole = masing.done(*words, "--final-time=40", "--steps=4000").stdout.splitlines()
    (masing.folder / "run.h5").rename(masing.folder / "whole.h5")
    masing.done(*words, "--final-time=30", "--steps=3000", "--checkpoint=c.h5")
    longer = masing.done(*words, "--final-time=40", "--steps=4000", "--checkpoint=c.h5", "--restart=c.h5")
    assert longer.stdout.splitlines()[1] == whole[1]
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")
    with h5py.File(masing.folder / "run.h5") as file:
        x, force = (f"[{min(values):.6g}, {max(values):.6g}]" for values in
                    (file["series/x"][:], file["series/restoring"][:]))
        assert whole[1].strip() == f"x in {x}, restoring force in {force}"
        timing = file["timing"].attrs
        assert abs(timing["steps_per_second"] * timing["wall_seconds"] - 1000) < 1e-9


@pytest.fixture(scope="module")
def checkpoint(masing_once):
    """The checkpoint of a small run that was stopped at its start, and the words for it."""
    words = ("simulate", "--steps=1000", "--final-time=5", "--cells=100", "--quiet")
    assert masing_once(*words, "--checkpoint=small.c", "--wall-limit=0.0001").returncode == 75
    return masing_once.folder / "small.c", words


def test_another_configuration_is_refused(masing, checkpoint):
    path, words = checkpoint
    shutil.copy(path, masing.folder / "c.h5")
    said = masing.refused(*words, "--restart=c.h5", "--k0=0.5", "--mass=2", ranks=2)
    for part in ("--restart: c.h5", "k0 (was 0, is 0.5)", "mass (was 1, is 2)"):
        assert part in said
    assert masing.names() == ["c.h5"]


BAD = {"empty": b"", "foreign": b"no checkpoint of ours" * 1000}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_checkpoint_is_refused(masing, checkpoint, fault):
    words = checkpoint[1]
    (masing.folder / "c.h5").write_bytes(BAD[fault])
    masing.file("masing.h5", "the old result")
    masing.file("masing.h5.partial", "what is left of a run")
    before = {name: (masing.folder / name).read_bytes() for name in masing.names()}
    for command in (words, (*STUDY, "--quiet")):
        said = masing.refused(*command, "--restart=c.h5", ranks=2 if fault == "foreign" else None)
        assert "--restart: c.h5" in said
        assert {name: (masing.folder / name).read_bytes() for name in masing.names()} == before


def xxh3(content):
    """XXH3-64 by the library that masing is linked with."""
    checksum = ctypes.CDLL(ctypes.util.find_library("xxhash")).XXH3_64bits
    checksum.restype, checksum.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
    return checksum(content, len(content))


def replace(file, name, values):
    del file[name]
    file[name] = values


FORGED = {
    "a later step": lambda file: replace(file, "checkpoint/loop/step", [1e12, 1.0]),
    "a step before the first": lambda file: replace(file, "checkpoint/loop/step", [-5.0, 1.0]),
    "another version": lambda file: file["checkpoint"].attrs.modify("format", 0),
    "no version": lambda file: file["checkpoint"].attrs.__delitem__("format"),
    "another run": lambda file: file["checkpoint"].attrs.modify("run", "0" * 32),
    "no checksums of rows": lambda file: [owner.pop("rows", None) for owner in file["checkpoint"].values()
                                          if isinstance(owner, h5py.Group)],
    "no run": lambda file: file["checkpoint"].attrs.__delitem__("run"),
    "no mass": lambda file: replace(file, "checkpoint/engine/mass", []),
    "no engine": lambda file: file.__delitem__("checkpoint/engine"),
    "fewer cells": lambda file: replace(file, "checkpoint/engine/u", [0.0]),
}


@pytest.mark.parametrize("change", FORGED)
def test_a_whole_checkpoint_of_another_state_is_refused(masing, checkpoint, change):
    path, words = checkpoint
    forged = masing.folder / "c.h5"
    forged.write_bytes(path.read_bytes()[:-32])
    shutil.copy(path.parent / "masing.h5.partial", masing.folder)
    with h5py.File(forged, "a") as file:
        FORGED[change](file)
    content = forged.read_bytes()
    forged.write_bytes(
        content + b"masing seal 2\n\0\0" + struct.pack("<qQ", len(content), xxh3(content))
    )
    said = masing.refused(*words, "--restart=c.h5", ranks=2)
    assert "--restart: " in said and "c.h5" in said and "; give " in said


def test_a_checkpoint_of_the_other_command_is_refused(masing, checkpoint):
    path, words = checkpoint
    shutil.copy(path, masing.folder / "c.h5")
    said = masing.refused(*STUDY, "--quiet", "--restart=c.h5")
    assert "of masing simulate; give a checkpoint of masing converge" in said
    assert masing(*STUDY, "--quiet", "--checkpoint=s.h5", "--wall-limit=0.001").returncode == 75
    said = masing.refused(*words, "--restart=s.h5")
    assert "of masing converge; give a checkpoint of masing simulate" in said
    (masing.folder / "c.ini").write_text("restart = s.h5\n")
    said = masing.refused("simulate", "--config=c.ini")
    assert "c.ini line 1, restart: s.h5 is of masing converge" in said


def test_a_result_is_told_from_a_checkpoint(masing):
    masing.done("simulate", "--cells=3", "--steps=20", "--final-time=1", "--quiet", "--output=o.h5")
    said = "--restart: o.h5 is a result, no checkpoint; give --config o.h5"
    for words in (("simulate",), (*STUDY, "--quiet")):
        assert said in masing.refused(*words, "--restart=o.h5")
    assert masing.names() == ["o.h5"]


def test_a_missing_checkpoint_is_refused(masing):
    said = masing.refused("simulate", "--restart=none.h5", ranks=2)
    assert "--restart: cannot open none.h5 as HDF5: No such file" in said
    assert masing.names() == []


def test_a_checkpoint_holds_the_state_alone(masing):
    """The rows up to its step are in FILE.partial, the others are zeros there."""
    stopped(masing, (*RUN, "--checkpoint=c.h5"))
    with h5py.File(masing.folder / "c.h5") as file:
        step = int(file["checkpoint/loop/step"][0])
        assert 0 <= step < STEPS  # 0: stopped before its first chunk
        assert sorted(file) == ["checkpoint", "configuration"]
    with h5py.File(masing.folder / "run.h5.partial") as file:
        rows = 1 + step // EVERY
        assert file["series/t"][:rows] == pytest.approx(np.arange(rows) * EVERY * 40 / STEPS)
        assert not np.any(file["series/t"][rows:])


@pytest.fixture(scope="module")
def study(masing_once):
    """The file of STUDY that nobody stopped."""
    masing_once.done(*STUDY, "--quiet")
    return masing_once.folder / "run.h5"


@pytest.mark.parametrize("given", [(), ("--checkpoint=c.h5",)])
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_study_goes_on_where_it_was(masing, study, given, ranks):
    """Twice, the second time to another checkpoint, which must have what the first one had."""
    words = (*STUDY, "--quiet")
    process = masing(*words, *given, "--wall-limit=0.15", ranks=ranks)
    assert process.returncode == 75, process.stderr
    said = one_line(process.stderr)
    first = "c.h5" if given else "run.h5.checkpoint"
    assert f"restart = {first} goes on" in said
    assert "after 0 of 3 comparisons" in said
    step = saved(masing.folder, first)[1]
    moved = (f"--restart={first}", "--checkpoint=d.h5")
    process = masing(*words, *moved, "--wall-limit=0.001", ranks=2)
    assert process.returncode == 75, process.stderr
    assert saved(masing.folder, "d.h5")[1] >= step
    masing.done(*words, "--restart=d.h5", ranks=2)
    assert same(masing.folder / "run.h5", study)
    assert [name for name in masing.names() if name.startswith("run.h5.")] == []
    assert "d.h5" in masing.names()  # given, not made


def saved(folder, name):
    """Which comparisons a study's checkpoint has made, and the step of the finest run of those that all ranks share."""
    if not (folder / name).exists():
        return [], 0
    with h5py.File(folder / name) as file:
        state = file["checkpoint"]
        made = np.flatnonzero(np.isfinite(state["source/errors"][::4])).tolist()
        return made, int(state["work/comparisons"][0]) if "work" in state else 0


def test_a_checkpoint_of_a_study_has_its_last_window_alone(masing):
    """x(t) and y(t) of a level would be 16 bytes a step, u 800 bytes a time."""
    words = ("converge", "--levels=500000,2000000", "--final-time=40", "--cells=inf", "--reference=exact", "--quiet")
    masing.done(*words, "--output=whole.h5")
    process = masing.start(*words, "--output=run.h5", "--checkpoint=c.h5", "--checkpoint-every=10000")
    masing.wait_until(process, lambda: saved(masing.folder, "c.h5")[1] > 0)
    process.send_signal(signal.SIGUSR1)
    code, stderr = ended(process)
    assert code == 75, stderr
    assert [name for name in masing.names() if name.startswith("c.h5")] == ["c.h5"]
    assert (masing.folder / "c.h5").stat().st_size < 50_000
    masing.done(*words, "--output=run.h5", "--restart=c.h5")
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")


def test_checkpoints_of_a_study_are_so_many_steps_of_the_finest_run_apart(masing):
    process = masing.start(*STUDY, "--quiet", "--checkpoint=c.h5", "--checkpoint-every=300")
    steps = set()

    def seen():
        steps.add(saved(masing.folder, "c.h5")[1])
        return len(steps) > 2

    masing.wait_until(process, seen)
    process.kill()
    process.communicate()
    assert all(step % 300 == 0 for step in steps), steps


def test_levels_that_are_done_are_not_made_again(masing):
    """The rank of the first level is done long before the other."""
    words = ("converge", "--levels=20000,2000000", "--cells=inf", "--reference=exact", "--final-time=40", "--quiet")
    masing.done(*words, "--output=whole.h5")
    process = masing.start(*words, "--output=run.h5", "--checkpoint=c.h5", "--checkpoint-every=10000", ranks=2)
    masing.wait_until(process, lambda: saved(masing.folder, "c.h5")[0] == [0])
    os.kill(ranks_of(process)[-1], signal.SIGUSR1)
    code, stderr = ended(process)
    assert code == 75 and "after 1 of 2 comparisons" in one_line(stderr), stderr
    assert saved(masing.folder, "c.h5")[0] == [0]
    process = masing(*words, "--output=run.h5", "--restart=c.h5", "--checkpoint=d.h5", "--wall-limit=0.001", ranks=3)
    assert "after 1 of 2 comparisons" in one_line(process.stderr)
    assert saved(masing.folder, "d.h5")[0] == [0]
    masing.done(*words, "--output=run.h5", "--restart=d.h5")
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")


# A run; comparisons that ranks share; that they have each for itself; and both.
KILLED = {
    "run": (*RUN, "--checkpoint-every=1000"),
    "shared": (*STUDY, "--checkpoint-every=500"),
    "own": (
        *("converge", "--levels=300000,600000,1000000,1500000,1700000", "--cells=inf", "--reference=exact"),
        *("--final-time=40", "--output=run.h5", "--checkpoint-every=100000"),
    ),
    "both": (
        *("converge", "--refine=both", "--levels=200:60000,400:60000,40000:60000,50000:120000", "--final-time=40"),
        *("--reference=cells-inf", "--expect-order=none", "--output=run.h5", "--checkpoint-every=10000"),
    ),
}


@pytest.mark.parametrize("kind", KILLED)
def test_kills_at_random_moments(masing, long, kind):
    words = (*KILLED[kind], "--quiet", "--checkpoint=c.h5")
    masing.done(*words)
    (masing.folder / "run.h5").rename(masing.folder / "whole.h5")
    (masing.folder / "c.h5").unlink(missing_ok=True)
    killed_and_restarted(masing, words, 30 if long else 2, random.Random(11), 1.0)
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")
