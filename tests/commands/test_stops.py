"""Runs, studies and scans that are stopped at any moment, or whose disk is full, go on to the file of a command that
nobody stopped, bit for bit, on any number of ranks; what is said of a stop; which checkpoints are refused."""

import contextlib
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
from pathlib import Path

import h5py
import numpy as np
import pytest
from result_files import contents

# So many cells that ranks share them.
SPLIT = ("--cells=180000", "--final-time=40", "--k0=0.1")
FORCED = "--force=0.45*cos(0.5*t)"
STEPS, EVERY = 14000, 17
RUN = ("simulate", *SPLIT, FORCED, f"--steps={STEPS}", f"--sample-every={EVERY}", "--field-every=1955", "--output=run.h5")
STUDY = ("converge", "--levels=1600,3200,6400", "--final-time=10", "--cells=180000", "--reference=successive",
         "--field-samples=5", "--expect-order=none", "--output=run.h5")
LONG_STUDY = ("converge", "--levels=16000,32000,64000", *STUDY[2:])  # which no signal comes too late for
PERIODIC, STEADY, SERIES = ("--force=0.4*cos(w*t)", "--k0=0.1"), ("--cells=inf", "--steady"), ("--keep=series",)
SCAN = ("scan", "--over=w=0.5:1.5:100", *PERIODIC, "--cells=500", "--final-time=40", "--steps=40000", "--output=run.h5")
SMALL = ("simulate", "--steps=1000", "--final-time=5", "--cells=100")

# Of each command works of all ranks together, works of single ranks, and both. The first two always run.
COMMANDS = {
    "a run with all recorders": ("simulate", *SPLIT, FORCED, "--initial-u=0.05*cos(9*s)", "--steps=5000", "--sample-every=19",
                                 "--field-every=955", "--energy", "--checkpoint-every=400"),
    "limit cycles": ("scan", "--over=w=1.5:0.5:40", *PERIODIC, *STEADY, "--checkpoint-every=5"),
    "a chain": ("simulate", "--model=s-chain", "--set=n=5000", "--set=k=n", "--set=eta=0.1", "--final-time=1",
                "--force=3*sin(t)", "--steps=8000", "--checkpoint-every=800"),
    "a chain of slabs": ("simulate", "--model=masing-chain", "--set=n=5000", "--set=m=1", "--set=k=3-i/n",
                         "--set=eta=0.1", "--set=y0=sin(i/9)", "--force=sin(t)", "--final-time=60", "--cells=inf",
                         "--steps=3000", "--energy", "--watch=1,2500,5000", "--sample-every=19", "--field-every=955",
                         "--checkpoint-every=300"),
    "comparisons of all ranks": (*STUDY[:-1], "--checkpoint-every=500"),
    "a run by turning points": ("simulate", "--engine=memory", "--steps=4000000", "--cells=inf", "--sample-every=9999",
                                "--energy", "--checkpoint-every=300000"),
    "points that are runs": ("scan", "--over=w=0.5:1.5:60", *PERIODIC, "--cells=500", "--final-time=40",
                             "--steps=20000", *SERIES, "--sample-every=50", "--checkpoint-every=10"),
    "comparisons of single ranks": ("converge", "--levels=40000,80000,120000,160000,200000", "--cells=inf",
                                    "--reference=exact", "--final-time=40", "--checkpoint-every=12000"),
    "one point that is a long run": ("scan", "--over=w=0.9", *PERIODIC, "--cells=inf", "--engine=memory",
                                     "--final-time=40", "--steps=4000000", *SERIES, "--sample-every=9999"),
    "a split point": ("scan", "--over=w=0.9", PERIODIC[0], *SPLIT, "--steps=4000", *SERIES, "--sample-every=19"),
    "comparisons of both": ("converge", "--refine=both", "--levels=200:12000,400:12000,40000:12000,50000:24000",
                            "--final-time=40", "--reference=cells-inf", "--expect-order=none",
                            "--checkpoint-every=2000"),
}


def processes_in(folder, name=None):
    """The ids of the processes that work in a folder, in ascending order; of one program if a name is given."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{entry}/comm").read_text(encoding="utf-8").strip()
            if os.readlink(f"/proc/{entry}/cwd") == str(folder) and name in (None, command):
                found.append(int(entry))
        except OSError:  # It has ended, or belongs to another user.
            continue
    return sorted(found)


def ranks_of(masing):
    """The ids of the processes of the program in its folder, of the ranks and not of mpirun."""
    return processes_in(masing.folder, Path(masing.program).name[:15])


def stop_at_random(masing, process, seconds, ranks, chance, history):
    """Sends a signal after so many seconds to what was started or to one of its ranks, and checks how that ends it;
    returns whether it was still running then."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    was_running = process.poll() is None
    name = chance.choice(["SIGTERM", "SIGUSR1", "SIGINT", "SIGKILL"])
    number, rank = getattr(signal, name), chance.randrange(2 * ranks) if ranks else 0
    if was_running:
        of_ranks = [pid for pid in ranks_of(masing) if pid != process.pid]
        with contextlib.suppress(ProcessLookupError):
            os.kill(of_ranks[rank] if rank < len(of_ranks) else process.pid, number)
    deadline, is_broken = time.monotonic() + 600, False
    while process.poll() is None or processes_in(masing.folder):
        if process.poll() is None and ranks and processes_in(masing.folder) == [process.pid] and not is_broken:
            # All ranks have ended. If one ends while it connects to mpirun 4.1, mpirun can wait for a lock for ever.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            is_broken = process.poll() is None
            if is_broken:
                process.kill()
        assert time.monotonic() < deadline, (history, "the run hangs")
        time.sleep(0.01)
    code, said = process.returncode, process.communicate()[1]
    history[-1] += f" by {name}, exit code {code}"
    # By the program, before it handles the signal, by mpirun, which may break as it ends, or by its end of the others.
    explained = {0, 75, -number, 128 + number, *([1, -signal.SIGSEGV, -signal.SIGKILL] if ranks else [])}
    assert code in (explained if was_running else {0}), (history, said)
    ours = [line for line in said.splitlines() if line.startswith("masing: ")]
    expected = (" stopped by ", " ended at once by ", " the launcher has ended ")
    assert all(any(part in line for part in expected) for line in ours), (history, said)
    if any(line.endswith(" goes on") for line in ours):
        assert (masing.folder / "c.h5").exists() or (masing.folder / "run.h5").exists(), (history, said)
    return was_running and code != 0


@pytest.mark.first(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_goes_on_after_stops_at_random_moments(masing, name, long):
    """On other numbers of ranks each time; the seed determines all choices, and `history` is what was done."""
    words, chance = (*COMMANDS[name], "--quiet", "--output=run.h5"), random.Random(name)
    ranks, seconds, stops, restarts, history = (0, 1, 2, 3, 4) if long else (2, 0), {}, 0, 0, []
    for number in sorted(ranks):
        begin = time.monotonic()
        masing.done(*words, ranks=number or None)
        seconds[number] = time.monotonic() - begin
        result = (masing.folder / "run.h5").rename(masing.folder / ("other.h5" if number else "whole.h5"))
        assert same(result, masing.folder / "whole.h5"), f"undisturbed on {number} ranks"
    most = 6 if long else 3
    for story in range(1000 if long else 20):
        for turn in range(chance.randint(1, most) + 1):
            number, restart = ranks[(story + turn) % len(ranks)], (masing.folder / "c.h5").exists()
            restarts += restart
            process = masing.start(*words, "--checkpoint=c.h5", *["--restart=c.h5"] * restart, ranks=number or None)
            moment = chance.uniform(0, 1.1) * seconds[number]
            history.append(f"{number} ranks, from a checkpoint: {restart}, stopped after {moment:.3f} s")
            stops += stop_at_random(masing, process, moment, number, chance, history)
            assert not restart or (masing.folder / "c.h5").exists() or (masing.folder / "run.h5").exists(), history
            if (masing.folder / "run.h5").exists():
                break
        else:
            masing.done(*words, "--checkpoint=c.h5", *["--restart=c.h5"] * (masing.folder / "c.h5").exists())
        assert same(masing.folder / "run.h5", masing.folder / "whole.h5"), history
        assert not [left for left in masing.names() if left.endswith((".partial", ".lock", ".draft"))], history
        for left in ("run.h5", "c.h5"):
            (masing.folder / left).unlink(missing_ok=True)
        history.clear()
        if stops >= (30 if long else 3):
            assert restarts > 3 or not long, "no stop left a checkpoint"
            return
    raise AssertionError(f"{name} ends too soon for {stops} stops")


def cpu_seconds(pid):
    """What a process has computed."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        _, rest = file.read().rsplit(")", 1)
    return sum(map(int, rest.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(masing, process, seconds):
    """Until the rank that has computed most has computed for so many seconds more; none need have begun."""
    def most():
        return max(map(cpu_seconds, ranks_of(masing)), default=0)

    enough = most() + seconds
    masing.wait_until(process, lambda: most() >= enough)


def is_pending(process):
    """Whether a signal has not reached it."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
        return int(next(line for line in file if line.startswith("ShdPnd:")).split()[1], 16) != 0


def begun(masing, words, ranks=None):
    """A command that is on its way: a rank has computed for a while since the lock of its result is there."""
    process = masing.start(*words, "--quiet", ranks=ranks)
    masing.wait_until(process, (masing.folder / "run.h5.lock").exists)
    wait_for_work(masing, process, 0.1)
    return process


def stopped(masing, words, ranks=None, by=signal.SIGUSR1):
    """What a command says that the signal to one of its ranks stops."""
    process = begun(masing, words, ranks)
    os.kill(ranks_of(masing)[-1], by)
    return masing.one_line(masing.ended(process), 75)


def same(one, other):
    """Whether two result files are the same where they must, apart from their names."""
    return contents(one) | {"configuration": None} == contents(other) | {"configuration": None}


def done_and_kept(masing, *words):
    """The file whole.h5 of a command that nobody stops, whose output is run.h5."""
    masing.done(*words, "--quiet")
    return (masing.folder / "run.h5").rename(masing.folder / "whole.h5")


@pytest.mark.parametrize(("name", "words", "counted", "ranks"), [
    ("SIGUSR1", RUN, f"{STEPS} steps", 1), ("SIGUSR2", RUN, f"{STEPS} steps", 2),
    ("SIGTERM", LONG_STUDY, "3 comparisons", 3), ("SIGINT", LONG_STUDY, "3 comparisons", None),
    ("SIGHUP", SCAN, "100 points", 3), ("SIGXCPU", SCAN, "100 points", None)])
def test_a_signal_to_one_rank_says_how_to_go_on(masing, name, words, counted, ranks):
    said = stopped(masing, words, ranks, getattr(signal, name))
    assert re.fullmatch(f"masing: stopped by {name} after [0-9]+ of {counted}( and [0-9]+ steps)?; "
                        "the same with restart = run.h5.checkpoint goes on", said), said
    assert masing.names() == ["run.h5.checkpoint"] + ["run.h5.partial"] * (words is RUN)


@pytest.mark.parametrize("rank", range(3))
@pytest.mark.parametrize("words", [
    RUN, LONG_STUDY, ("simulate", "--cells=10000", "--steps=100000000", "--output=run.h5"),
    (*COMMANDS["one point that is a long run"], "--output=run.h5")],
    ids=["split run", "split study", "run of the root", "point of the root"])
def test_a_signal_to_any_rank_stops_all(masing, words, rank):
    """Also to one that waits for the others, or that is not the root of a run that all compute."""
    process = begun(masing, words, 3)
    os.kill(ranks_of(masing)[rank], signal.SIGUSR1)
    assert "stopped by SIGUSR1 after " in masing.one_line(masing.ended(process), 75)


def test_the_steps_of_a_point_count_as_progress(masing):
    process = masing("scan", "--cells=20", "--over=mass=1", FORCED, "--steps=60000000", "--quiet", "--output=scan.h5",
                     "--wall-limit=0.5")
    assert re.fullmatch(r"masing: stopped by the wall limit after 0 of 1 points and [1-9]\d* steps; the same with "
                        "restart = scan.h5.checkpoint goes on", masing.one_line(process, 75))


@pytest.mark.parametrize("before", [("SIGTERM",), ("SIGXCPU", "SIGXCPU")])
def test_a_second_signal_ends_at_once(masing, before):
    """But SIGXCPU, which Linux sends every second from the limit of CPU time on."""
    words = ("simulate", "--cells=inf", "--engine=exact", "--steps=100", "--final-time=1e7", "--output=run.h5")
    process = begun(masing, words)
    for name in before:
        process.send_signal(getattr(signal, name))
        masing.wait_until(process, lambda: not is_pending(process))
        time.sleep(0.7)  # within half a second it would be the same request
    process.send_signal(signal.SIGTERM)
    done = masing.ended(process)
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "masing: ended at once by a second signal\n")
    assert "run.h5" not in masing.names()


def test_what_nohup_ignores_stays_ignored(masing):
    words = ("-c", 'trap "" HUP; exec "$0" "$@"', masing.program, "simulate", "--cells=10000", "--steps=100000000")
    process = type(masing)(masing.folder, "sh").start(*words, "--output=run.h5")
    masing.wait_until(process, (masing.folder / "run.h5.partial").exists)
    process.send_signal(signal.SIGHUP)
    wait_for_work(masing, process, 0.3)
    process.send_signal(signal.SIGUSR1)
    assert "stopped by SIGUSR1 after " in masing.one_line(masing.ended(process), 75)


@pytest.mark.parametrize(("command", "ranks"), [
    (("simulate", "--steps=100"), None), (("converge", "--levels=100,200", "--reference=exact"), 2),
    (("scan", "--steps=100", "--over=k0=0.1,0.2"), 2)], ids=["simulate", "converge", "scan"])
def test_a_signal_while_the_continuum_is_set_up(masing, command, ranks):
    """The integrals of a threshold of a thousand extrema take seconds."""
    process = masing.start(*command, "--cells=inf", "--threshold=1+0.5*sin(3000*s)", FORCED, "--final-time=1",
                           "--quiet", ranks=ranks)
    wait_for_work(masing, process, 0.5)
    for rank in ranks_of(masing):
        os.kill(rank, signal.SIGTERM)
    said = masing.one_line(masing.ended(process), 75)
    assert "stopped by SIGTERM before the first step; nothing is lost" in said
    assert masing.names() == []


@pytest.mark.parametrize("place", ["run.h5.partial", "run.h5"])
def test_the_rows_are_found(masing, place):
    """In the file of the run that was stopped, or finished, by the name that the checkpoint has of it: the
    folder is moved and the result has another name. What was there stays."""
    words = (*SMALL, "--sample-every=3", "--output=run.h5")
    whole = done_and_kept(masing, *words)
    (masing.folder / "first").mkdir()
    first = type(masing)(masing.folder / "first", masing.program)
    stop = ["--wall-limit=0.0001"] if place == "run.h5.partial" else []
    assert first(*words, "--quiet", "--checkpoint=c.h5", *stop).returncode == (75 if stop else 0)
    first.folder.rename(masing.folder / "moved")
    before = (masing.folder / "moved" / place).read_bytes()
    masing.done(*words, "--quiet", "--restart=moved/c.h5", ranks=3)
    assert same(masing.folder / "run.h5", whole)
    assert (masing.folder / "moved" / place).read_bytes() == before


def test_a_file_with_fewer_rows_of_the_run_is_passed_over(masing):
    """What the run left where it was stopped first, when the checkpoint counts rows of another output."""
    words = (*SMALL, "--quiet", "--checkpoint=c.h5")
    assert masing(*words, "--output=a.h5", "--wall-limit=0.0001").returncode == 75
    masing.done(*words, "--output=b.h5", "--restart=c.h5")
    masing.done(*words, "--output=a.h5", "--restart=c.h5")
    assert same(masing.folder / "a.h5", masing.folder / "b.h5")


def test_rows_of_another_run_are_not_taken(masing):
    """A run that is begun anew replaces the rows of the one that was stopped."""
    assert masing(*SMALL, "--quiet", "--checkpoint=c.h5", "--wall-limit=0.0001").returncode == 75
    masing.done(*SMALL, "--quiet")
    assert "the rows that c.h5 goes on with" in masing.refused(*SMALL, "--quiet", "--restart=c.h5")
    assert masing.names() == ["c.h5", "masing.h5"]


def test_the_folder_of_the_output_is_removed(masing):
    """With it go the rows: the run is told so at its end, and the last checkpoint, elsewhere, is refused."""
    words = ("simulate", *SPLIT, FORCED, "--steps=3000", "--quiet", "--checkpoint=c.h5")
    (masing.folder / "there").mkdir()
    process = masing.start(*words, "--checkpoint-every=500", "--output=there/run.h5", ranks=2)
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    shutil.rmtree(masing.folder / "there")
    assert "there/run.h5.partial: No such file" in masing.one_line(masing.ended(process), 1)
    said = masing.refused(*words, "--restart=c.h5", "--output=run.h5", ranks=2)
    assert "the rows that c.h5 goes on with are not in run.h5.partial, nor in run.h5" in said
    assert masing.names() == ["c.h5"]


TRACED = ("simulate", "--steps=900", "--final-time=5", "--cells=1100", "--energy", "--sample-every=2",
          "--field-every=230", "--output=run.h5", "--checkpoint=c.h5", "--checkpoint-every=250")


def test_a_study_goes_on_from_the_step_of_its_checkpoint(masing):
    """A checkpoint is at a multiple of --checkpoint-every steps of the finest run, and has little more than u."""
    def step(name):
        with h5py.File(masing.folder / name) as file:
            return int(file["checkpoint/work/comparisons"][0])

    words = (*LONG_STUDY, "--quiet", "--checkpoint-every=300")
    process = masing.start(*words, "--checkpoint=c.h5")
    masing.wait_until(process, (masing.folder / "c.h5").exists)
    process.kill()
    process.communicate()
    saved, bytes_of_u = step("c.h5"), 3 * 180000 * 8
    assert saved > 0 and saved % 300 == 0 and (masing.folder / "c.h5").stat().st_size < bytes_of_u + 200_000
    masing.ended(masing.start(*words, "--restart=c.h5", "--checkpoint=d.h5", "--wall-limit=0.001", ranks=2))
    assert step("d.h5") >= saved


@pytest.mark.parametrize("call", ["pwrite64", "write", "fsync", "rename", "unlink"])
def test_a_kill_before_any_change_of_a_file(masing, strace, call, long):
    """strace counts the calls of one kind, and kills the run at its n-th, 2 of them by default, 40 with --long."""
    def run(*words):
        traced = (*strace, "-o", "calls", "-e", f"trace={call}", *words, masing.program, *TRACED, "--quiet")
        return subprocess.run(traced, cwd=masing.folder, capture_output=True, timeout=600).returncode

    assert run() == 0
    moments = range(1, 1 + len((masing.folder / "calls").read_text(encoding="utf-8").splitlines()))
    files = [masing.folder / name for name in ("run.h5", "c.h5")]
    whole = files[0].rename(masing.folder / "whole.h5")
    assert len(moments) > 2
    for n in random.Random(call).sample(moments, min(40 if long else 2, len(moments))):
        for file in files:
            file.unlink(missing_ok=True)
        assert run("-e", f"inject={call}:signal=KILL:when={n}") == -signal.SIGKILL
        masing.done(*TRACED, "--quiet", *(["--restart=c.h5"] if files[1].exists() else []), ranks=1 + n % 3)
        assert same(files[0], whole), f"killed at {call} {n}"


def test_a_run_that_goes_on_says_all_of_it(masing):
    """Its extremes, here before the restart, are of both parts, its speed is of the second, and its
    energies go on from a first sample with energy in it."""
    words = ("simulate", "--cells=20", "--k0=0.2", "--x0=0.4", "--y0=-0.3", "--force=-3*sin(t)*exp(-t/3)", "--energy",
             "--sample-every=1", "--output=run.h5", "--quiet")
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


def test_a_checkpoint_of_a_run_holds_the_state_alone(masing):
    """The rows up to its step are in FILE.partial, the others are zeros there."""
    stopped(masing, (*RUN, "--checkpoint=c.h5"))
    with h5py.File(masing.folder / "c.h5") as file:
        step = int(file["checkpoint/loop/step"][0])
        assert sorted(file) == ["checkpoint", "configuration"] and 0 <= step < STEPS  # 0: before its first chunk
    with h5py.File(masing.folder / "run.h5.partial") as file:
        rows = 1 + step // EVERY
        assert file["series/t"][:rows] == pytest.approx(np.arange(rows) * EVERY * 40 / STEPS)
        assert not np.any(file["series/t"][rows:])


def test_a_point_of_a_chain_goes_on_with_its_extremes(masing):
    """They were before the stop."""
    words = ("scan", "--over=w=0.9", "--model=masing-chain", "--set=n=3", "--set=m=1", "--set=k=1", "--set=eta=1",
             "--set=c_ground=0.5", "--force=exp(-t)*cos(w*t)", "--cells=inf", "--final-time=100", "--steps=3200000",
             "--output=run.h5")
    whole = done_and_kept(masing, *words)
    assert " of 1 points and " in stopped(masing, words)
    masing.done(*words, "--quiet", "--restart=run.h5.checkpoint")
    assert same(masing.folder / "run.h5", whole)


@pytest.fixture(scope="module")
def checkpoints(masing_once):
    """Of a small run that was stopped at its start, and of a study and a scan that were stopped."""
    assert masing_once(*SMALL, "--quiet", "--checkpoint=simulate.c", "--wall-limit=0.0001").returncode == 75
    stopped(masing_once, (*STUDY, "--checkpoint=converge.c"))
    stopped(masing_once, (*SCAN, "--checkpoint=scan.c"))
    return masing_once.folder


def xxh3(content):
    """XXH3-64 by the library that masing is linked with."""
    checksum = ctypes.CDLL(ctypes.util.find_library("xxhash")).XXH3_64bits
    checksum.restype, checksum.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t)
    return checksum(content, len(content))


def forged(change):
    """What changes a checkpoint and seals it again."""
    def made(path):
        path.write_bytes(path.read_bytes()[:-32])
        with h5py.File(path, "a") as file:
            change(file)
        content = path.read_bytes()
        assert len(content) <= 4 << 20  # one piece, whose seed is 0
        path.write_bytes(content + b"masing seal 3\n\0\0" + struct.pack("<qQ", len(content), xxh3(content)))
    return made


def replaced(name, values):
    def change(file):
        del file[name]
        file[name] = values
    return forged(change)


def without_rows(file):
    for owner in file["checkpoint"].values():
        if isinstance(owner, h5py.Group):
            owner.pop("rows", None)


# what is done to the checkpoint; what is given beside; what must be said
UNFIT = "c.h5 does not hold the state of this run: "
REFUSED = {
    "missing": (Path.unlink, (), "cannot open c.h5 as HDF5: No such file"),
    "empty": (lambda path: path.write_bytes(b""), (), "c.h5"),
    "foreign": (lambda path: path.write_bytes(b"no checkpoint of ours" * 1000), (), "c.h5"),
    "of another problem": (lambda path: None, ("--k0=0.5", "--mass=2", FORCED), "mass (was 1, is 2), k0 (was 0, is 0.5)"),
    "a later step": (replaced("checkpoint/loop/step", [1e12, 1.0]), (), UNFIT),
    "a step before the first": (replaced("checkpoint/loop/step", [-5.0, 1.0]), (), UNFIT),
    "another version": (forged(lambda file: file["checkpoint"].attrs.modify("format", 0)), (), "of another version"),
    "version 2.0": (forged(lambda file: file["checkpoint"].attrs.modify("format", 13)), (), "of another version"),
    "another run": (forged(lambda file: file["checkpoint"].attrs.modify("run", "0" * 32)), (), "the rows that c.h5"),
    "no checksums of rows": (forged(without_rows), (), "c.h5"),
    "no run": (forged(lambda file: file["checkpoint"].attrs.__delitem__("run")), (), "c.h5"),
    "no engine": (forged(lambda file: file.__delitem__("checkpoint/engine")), (), UNFIT),
    "no mass": (replaced("checkpoint/engine/mass", []), (), UNFIT),
    "fewer cells": (replaced("checkpoint/engine/u", [0.0]), (), UNFIT),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_checkpoint_that_does_not_fit_is_refused(masing, checkpoints, fault):
    """In one line, and what is there stays as it is; but of a state that does not fit the rows do, and are copied."""
    change, more, said = REFUSED[fault]
    shutil.copy(checkpoints / "simulate.c", masing.folder / "c.h5")
    shutil.copy(checkpoints / "masing.h5.partial", masing.folder / "masing.h5.partial")
    change(masing.folder / "c.h5")
    before = {name: (masing.folder / name).read_bytes() for name in masing.names()}
    ranks = 2 if fault in ("missing", "no run") else None
    line = masing.refused(*SMALL, "--quiet", "--restart=c.h5", *more, ranks=ranks)
    assert line.startswith("masing: --restart: ") and said in line and "; give " in line, line
    assert masing.names() == sorted(before)
    for name in before if said != UNFIT else ["c.h5"]:
        assert (masing.folder / name).read_bytes() == before[name], name


@pytest.mark.parametrize(("words", "of"), [(SMALL, "scan"), (STUDY, "simulate"), (SCAN, "converge")])
def test_a_checkpoint_or_result_of_another_command_is_refused(masing, checkpoints, words, of):
    shutil.copy(checkpoints / f"{of}.c", masing.folder / "c.h5")
    said = f"c.h5 is of masing {of}; give a checkpoint of masing {words[0]}"
    assert f"--restart: {said}" in masing.refused(*words, "--quiet", "--restart=c.h5")
    masing.file("c.ini", "restart = c.h5\n" + ("levels = 10,20\n" if words is STUDY else ""))
    if words is not SCAN:
        assert f"c.ini line 1, restart: {said}" in masing.refused(words[0], "--config=c.ini")
    masing.done("simulate", "--cells=3", "--steps=20", "--final-time=1", "--quiet", "--output=o.h5")
    said = "--restart: o.h5 is a result, no checkpoint; give --config o.h5"
    assert said in masing.refused(*words, "--quiet", "--restart=o.h5")
    assert masing.names() == ["c.h5", "c.ini", "o.h5"]


def test_the_result_of_a_resumed_command_is_no_checkpoint(masing):
    """Its command line ends with the name of a checkpoint."""
    stopped(masing, (*SCAN, "--checkpoint=run.checkpoint"))
    shutil.copy(masing.folder / "run.checkpoint", masing.folder / "kept")
    masing.done(*SCAN, "--quiet", "--restart", "run.checkpoint")
    refused = masing.refused("simulate", "--quiet", "--checkpoint=run.h5", "--output=o.h5")
    assert "run.h5 is a result, no checkpoint; give another name" in refused
    assert "kept is a checkpoint; give a result file" in masing.refused("reproduce", "kept")


@pytest.fixture
def small_disk(masing, request):
    """The folder "disk" on a disk of 1 MB, or of what a test asks for."""
    folder = masing.folder / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", getattr(request, "param", "size=1m"), "tmpfs", folder]).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


# On a disk of 250 kB there may be one file: a result finds its disk full, where its lock has been.
ONE_FILE = pytest.mark.parametrize("small_disk", ["size=250k,nr_inodes=2"], indirect=True)


def fill(disk, left):
    """Takes all of a disk but some kB."""
    free = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - left * 1024))


RESULTS = {
    "scan": ("scan", "--over=w=0.5:1.5:1000", *PERIODIC, "--cells=20", "--final-time=20", "--steps=200"),
    "study": ("converge", "--levels=100,200", "--reference=successive", "--cells=30", "--final-time=10",
              "--expect-order=none"),
}


@ONE_FILE
@pytest.mark.parametrize(("name", "ranks", "numbers"), [("scan", 3, 1000 * 33), ("study", None, 1000)])
def test_a_result_and_a_checkpoint_that_cannot_be_written_are_both_named(masing, small_disk, name, ranks, numbers):
    """A checkpoint needs 262144 bytes beside its numbers: of a point some 33, of a study mostly its series."""
    said = masing.one_line(masing(*RESULTS[name], "--quiet", "--output=disk/run.h5", ranks=ranks), 1)
    found = re.fullmatch("masing: disk/run.h5: HDF5 .*; nor could what was computed be saved: disk/run.h5.checkpoint: "
                         "cannot write a checkpoint of ([0-9.]+) MB: its disk is full", said)
    assert found and float(found[1]) == pytest.approx((262144 + 8 * numbers) / 1e6, rel=0.1), said
    assert list(small_disk.iterdir()) == []


@ONE_FILE
@pytest.mark.parametrize("name", RESULTS)
def test_where_all_is_done_a_restart_needs_room_for_the_result_only(masing, small_disk, name):
    """That of the scan takes 235 kB, and two checkpoints, of which no one is written, twice 192 kB."""
    words = (*RESULTS[name], "--quiet", "--output=disk/run.h5")
    assert "; what was computed is saved; " in masing.one_line(masing(*words, "--checkpoint=c.h5"), 1)
    subprocess.run(["mount", "-o", "remount,size=300k,nr_inodes=9", small_disk], check=True)
    masing.done(*words, "--checkpoint=disk/c.h5", "--restart=c.h5")
    assert [path.name for path in small_disk.iterdir()] == ["run.h5"]


FILLED = {
    "simulate": ("simulate", "--cells=10000", "--final-time=40", "--steps=140000", "--output=run.h5",
                 "--checkpoint-every=5000"),
    "converge": ("converge", "--cells=4000", "--final-time=10", "--levels=40000,80000,160000", "--field-samples=5",
                 "--reference=successive", "--expect-order=none", "--sample-every=99", "--output=run.h5",
                 "--checkpoint-every=12000"),
    "scan": (*SCAN, "--checkpoint-every=5"),
}


@pytest.mark.parametrize(("command", "ranks"), [("simulate", None), ("converge", 2), ("scan", 3)])
def test_a_full_disk_under_a_checkpoint_leaves_the_last_one(masing, small_disk, command, ranks):
    words = FILLED[command]
    whole = done_and_kept(masing, *words[:-1])
    process = masing.start(*words, "--quiet", "--checkpoint=disk/c.h5", ranks=2)
    masing.wait_until(process, (small_disk / "c.h5").exists)
    for pid in ranks_of(masing):  # those of an mpirun that is killed go on for a while
        os.kill(pid, signal.SIGKILL)
    masing.ended(process)
    for name in small_disk.iterdir():
        if name.name != "c.h5":
            name.unlink()
    before = (small_disk / "c.h5").read_bytes()
    fill(small_disk, 200)
    kept = (*words, "--quiet", "--checkpoint=disk/c.h5", "--restart=disk/c.h5")
    said = masing.one_line(masing(*kept, ranks=ranks), 1)
    assert "disk/c.h5: cannot write a checkpoint of 0." in said and said.endswith(" MB: its disk is full"), said
    assert (small_disk / "c.h5").read_bytes() == before
    if ranks is None:  # a rank that fails alone has the others killed
        assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "c.h5"]
    (small_disk / "ballast").unlink()
    masing.done(*kept, ranks=2)
    assert same(masing.folder / "run.h5", whole)
    assert (small_disk / "c.h5").exists() == (command == "simulate")  # from which a longer run can go on


@pytest.mark.parametrize(("words", "ranks"), [
    (("--cells=2000", "--steps=1000000", "--final-time=5", "--field-every=40000"), None),
    # rows that the root alone has, of a slab that is split over ranks, which do not wait for it for ever
    (("--cells=400000", "--steps=6000", "--final-time=10", "--field-points=1000", "--sample-every=1",
      "--energy", "--checkpoint=c.h5"), 3)])
def test_a_disk_that_others_fill_under_the_rows_of_a_run(masing, small_disk, words, ranks):
    """There was room for its file; the disk is full as soon as that is there."""
    process = masing.start("simulate", *words, "--quiet", "--output=disk/run.h5", ranks=ranks)
    masing.wait_until(process, (small_disk / "run.h5.partial").exists)
    with open(small_disk / "ballast", "wb", buffering=0) as ballast, pytest.raises(OSError, match="No space left"):
        while True:
            ballast.write(bytes(4096))
    said = masing.one_line(masing.ended(process), 1)
    assert "disk/run.h5" in said and "disk is full" in said
    if ranks != 3:
        assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "run.h5.partial"]


# words of a run of 3000 steps, the numbers that go to the disk of 1 MB, by hand, and the option that is at fault
EACH = ("--cells=2000", "--sample-every=1", "--energy", "--field-every=1", "--output=disk/run.h5")
CHECKPOINT = ("--field-points=10", "--output=run.h5", "--checkpoint=disk/c.h5")
ROOM = [
    (("--cells=2000", "--field-every=10", "--sample-every=1", "--output=disk/run.h5"), 3001 * 5 + 304 * 2000, "output"),
    ((*EACH, "--field-points=10"), 3001 * (5 + 6) + 3004 * 10, ""),
    ((*EACH, "--field-points=100"), 3001 * (5 + 6) + 3004 * 100, "output"),
    (("--model=s-chain", "--set=n=100", "--set=k=1", "--set=eta=0.3", FORCED, "--field-every=1", "--sample-every=1",
      "--output=disk/run.h5"), 3001 * 5 + 3001 * 301, "output"),
    (("--cells=50000", *CHECKPOINT), 50000 * 2, ""), (("--cells=100000", *CHECKPOINT), 100000 * 2, "checkpoint"),
]


@pytest.mark.parametrize(("words", "numbers", "option"), ROOM)
def test_the_room_on_the_disk_is_looked_at_before_a_run(masing, small_disk, words, numbers, option):
    for ranks, more in ((None, ("--validate-only",)), (3, ())):
        run = ("simulate", "--steps=3000", "--final-time=5", "--quiet", *words, *more)
        if not option:
            masing.done(*run, ranks=ranks)
        else:
            said = masing.refused(*run, ranks=ranks)
            assert said.startswith(f"masing: --{option}: disk/")
            needs = re.search(r"needs ([\d.]+) MiB, with what goes beside it; the disk has 1 MiB", said).group(1)
            names = 65536 if option == "output" else 0
            assert abs(float(needs) * 2**20 / (8 * numbers + names) - 1) < 0.006
            assert list(small_disk.iterdir()) == []


def test_what_a_kill_has_left_makes_room(masing, small_disk):
    """The file of a run that is begun again, without --restart, takes the place of what is left of it."""
    (small_disk / "run.h5.partial").write_bytes(bytes(800 * 1024))
    words = ("simulate", "--steps=3000", "--final-time=5", "--sample-every=1", "--cells=2000", "--field-points=10",
             "--field-every=10", "--quiet", "--output=disk/run.h5")
    masing.done(*words, "--energy")


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_full_disk_under_a_restart_leaves_what_was_there(masing, small_disk, ranks):
    """The rows are copied to a new file, which has no room beside the old one."""
    words = ("simulate", "--cells=2000", "--field-every=100", "--quiet", "--checkpoint=c.h5")
    masing.done(*words, "--steps=3000", "--final-time=5", "--output=disk/run.h5")
    fill(small_disk, 150)
    before = [path.read_bytes() for path in (small_disk / "run.h5", masing.folder / "c.h5")]
    longer = (*words, "--steps=6000", "--final-time=10", "--restart=c.h5")
    said = masing.refused(*longer, "--output=disk/run.h5", ranks=ranks)
    assert re.search("disk/run.h5 needs .* MiB, with what goes beside it; the disk has 1.. KiB|0.1.* MiB", said)
    assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "run.h5"]
    assert [path.read_bytes() for path in (small_disk / "run.h5", masing.folder / "c.h5")] == before
    masing.done(*longer, "--output=run.h5")
    masing.done(*words[:-1], "--steps=6000", "--final-time=10", "--output=whole.h5")
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")
