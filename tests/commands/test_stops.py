"""Runs, studies and scans that are stopped, killed, or whose disk is full go on to the file of a command that nobody
stopped, bit for bit, on other numbers of ranks; what is said of a stop; which checkpoints are refused."""

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from result_files import contents, seal

SPLIT = ("--cells=360000", "--final-time=40", "--k0=0.1")  # so many cells that ranks share them
FORCED, PERIODIC = "--force=0.45*cos(0.5*t)", ("--force=0.4*cos(w*t)", "--k0=0.1")
SMALL = ("simulate", "--steps=1000", "--final-time=5", "--cells=100")
STUDY = ("converge", "--levels=1600,3200,6400", "--final-time=10", "--reference=successive", "--field-samples=5",
         "--expect-order=none")
SCAN = ("scan", "--over=w=0.5:1.5:60", *PERIODIC, "--cells=500", "--steps=20000", "--final-time=40", "--keep=series",
        "--sample-every=50")

# The signal, the ranks of the command that it stops and the one of them that it goes to, the ranks on which the command
# goes on, what it counts, and its words. Each takes about a second. Of each command there are works of all ranks
# together, works of single ranks, or both. The first checkpoint is behind rows and fields.
COMMANDS = {
    "a run with all recorders": ("SIGUSR1", 2, 1, 3, "600 steps", (
        "simulate", *SPLIT, FORCED, "--initial-u=0.05*cos(9*s)", "--steps=600", "--from=5", "--energy",
        "--sample-every=19", "--field-every=115", "--checkpoint-every=240")),
    "a run by turning points": ("SIGTERM", 2, 1, None, "4000000 steps", (
        "simulate", "--engine=memory", "--steps=4000000", "--cells=inf", "--sample-every=9999", "--energy",
        "--checkpoint-every=1500000")),
    "a chain of slabs": ("SIGUSR2", None, 0, 2, "600 steps", (
        "simulate", "--model=masing-chain", "--set=n=5000", "--set=m=1", "--set=k=3-i/n", "--set=eta=0.1",
        "--set=y0=sin(i/9)", "--set=c=0.01+i/n/50", "--force=sin(t)", "--final-time=30", "--cells=inf", "--steps=600",
        "--energy", "--watch=1,2500,5000", "--sample-every=19", "--field-every=191", "--checkpoint-every=240")),
    "comparisons of all ranks": ("SIGINT", 3, 1, 2, "3 comparisons", (
        *STUDY, "--cells=360000")),
    "comparisons of single ranks": ("SIGXCPU", None, 0, 2, "5 comparisons", (
        "converge", "--levels=40000,80000,120000,160000,200000", "--cells=inf", "--reference=exact", "--final-time=40")),
    "points that are runs": ("SIGHUP", 2, 0, 3, "60 points", (*SCAN, "--checkpoint-every=25")),
    # The extremes of its second point, which is not stopped, are before the end.
    "points of a chain": ("SIGUSR1", None, 0, 2, "2 points", (
        "scan", "--over=w=0.9,0.8", "--model=masing-chain", "--set=n=3", "--set=m=1", "--set=k=1", "--set=eta=1",
        "--set=c_ground=0.5", "--force=exp(-t)*cos(w*t)", "--cells=inf", "--final-time=100", "--steps=1600000")),
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


def cpu_seconds(pid):
    """What a process has computed."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        _, rest = file.read().rsplit(")", 1)
    return sum(map(int, rest.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(masing, process, seconds, of=max):
    """Until all ranks handle signals, and the one that has computed most (or least) has computed for so many seconds
    more."""
    def are_ready():
        masks = [re.search(r"SigCgt:\t(\w+)", Path(f"/proc/{rank}/status").read_text(encoding="utf-8"))[1]
                 for rank in ranks_of(masing)]
        return masks and all(int(mask, 16) >> (signal.SIGXCPU - 1) & 1 for mask in masks)

    def computed():
        return of(map(cpu_seconds, ranks_of(masing)), default=0)

    masing.wait_until(process, are_ready)
    enough = computed() + seconds
    masing.wait_until(process, lambda: computed() >= enough)


def same(one, other):
    """Whether two result files are the same where they must, apart from their names."""
    return contents(one) | {"configuration": None} == contents(other) | {"configuration": None}


def whole_of(masing, *words):
    """The file whole.h5 of a command that nobody stops, and that saves nothing on its way."""
    kept = (word for word in words if not word.startswith("--checkpoint-every"))
    masing.done(*kept, "--quiet", "--output=run.h5", "--wall-limit=0:5:0")
    return (masing.folder / "run.h5").rename(masing.folder / "whole.h5")


def progress(masing, process, by, counted):
    """What a command that was stopped has counted, by what it says, and the steps of the part that it was at."""
    said = masing.one_line(process, 75)
    found = re.fullmatch(f"masing: stopped by {by} after ([0-9]+) of {counted}(?: and ([0-9]+) steps)?; the same with "
                         "restart = c.h5 goes on", said)
    assert found, said
    return int(found[1]), int(found[2] or 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_a_signal_to_one_rank_stops_goes_on_to_the_same_bits(masing, name):
    """A second stop follows at once, on one rank: what was computed before the first is not computed again."""
    by, ranks, rank, others, counted, words = COMMANDS[name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    whole, saved = whole_of(masing, *words), masing.folder / "c.h5"
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    words = (*words, "--quiet", "--output=run.h5", "--checkpoint=c.h5")
    process = masing.start(*words, ranks=ranks)
    if any(word.startswith("--checkpoint-every") for word in words):
        masing.wait_until(process, saved.exists)
    elif ranks is None:
        wait_for_work(masing, process, 0.4 * taken)
    else:  # ranks that compute together; those that wait use their cores, too
        wait_for_work(masing, process, 0.25 * taken, of=min)
    os.kill(ranks_of(masing)[rank], getattr(signal, by))
    first = progress(masing, masing.ended(process), by, counted)
    assert masing.names() == ["c.h5"] + ["run.h5.partial"] * (words[0] == "simulate") + ["whole.h5"]
    second = progress(masing, masing(*words, "--restart=c.h5", "--wall-limit=0.0001"), "the wall limit", counted)
    assert second >= first > (0, 0)
    masing.done(*words, "--restart=c.h5", ranks=others)
    assert same(masing.folder / "run.h5", whole)
    assert masing.names() == ["c.h5"] * (words[0] == "simulate") + ["run.h5", "whole.h5"]


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_goes_on_after_kills_at_random_moments(masing, name):
    """On other numbers of ranks each time; the seed determines all choices."""
    words, chance, begin = COMMANDS[name][-1], random.Random(name), time.monotonic()
    whole, saved, result = whole_of(masing, *words), masing.folder / "c.h5", masing.folder / "run.h5"
    words, seconds = (*words, "--quiet", "--output=run.h5", "--checkpoint=c.h5"), time.monotonic() - begin
    for turn in range(30):
        ranks, by = chance.choice((None, 2, 3, 4)), chance.choice(("SIGTERM", "SIGUSR1", "SIGINT", "SIGKILL"))
        restart = ["--restart=c.h5"] * saved.exists()
        process = masing.start(*words, *restart, ranks=ranks)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, (ranks or 1) * seconds))
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(ranks_of(masing)[chance.randrange(ranks or 1)], getattr(signal, by))
        deadline = time.monotonic() + 600
        while left := processes_in(masing.folder):
            if process.poll() is None and left == [process.pid] and ranks:
                # If a rank ends while it connects to mpirun 4.1, mpirun can wait for a lock for ever.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(20)
                process.kill()
            process.poll()
            assert time.monotonic() < deadline, "the run hangs"
            time.sleep(0.01)
        said = process.communicate()[1]
        assert saved.exists() or result.exists() or not (restart or said.endswith(" goes on\n")), (ranks, by, said)
        if turn % 6 == 5 and not result.exists():
            masing.done(*words, *["--restart=c.h5"] * saved.exists())
        if result.exists():
            assert same(result, whole), (turn, ranks, by)
            assert not [left for left in masing.names() if left.endswith((".partial", ".lock", ".draft"))]
            result.unlink()
            saved.unlink(missing_ok=True)


def test_a_second_signal_ends_at_once(masing):
    """But SIGXCPU, which Linux sends every second from the limit of CPU time on."""
    process = masing.start("simulate", "--cells=inf", "--engine=exact", "--steps=100", "--final-time=1e7", "--quiet")
    wait_for_work(masing, process, 0.3)
    for name in ("SIGXCPU", "SIGXCPU", "SIGTERM"):
        process.send_signal(getattr(signal, name))
        status = Path(f"/proc/{process.pid}/status")
        masing.wait_until(process, lambda: re.search(r"ShdPnd:\t0+\n", status.read_text()))  # it has arrived
        if name != "SIGTERM":
            time.sleep(0.7)  # within half a second it would be the same request
    done = masing.ended(process)
    assert (done.returncode, done.stderr) == (128 + signal.SIGTERM, "masing: ended at once by a second signal\n")
    assert "masing.h5" not in masing.names()


def test_what_nohup_ignores_stays_ignored(masing):
    words = ("-c", 'trap "" HUP; exec "$0" "$@"', masing.program, "simulate", "--cells=10000", "--steps=100000000")
    process = type(masing)(masing.folder, "sh").start(*words)
    masing.wait_until(process, (masing.folder / "masing.h5.partial").exists)
    process.send_signal(signal.SIGHUP)
    wait_for_work(masing, process, 0.3)
    process.send_signal(signal.SIGUSR1)
    assert "stopped by SIGUSR1 after " in masing.one_line(masing.ended(process), 75)


@pytest.mark.parametrize(("command", "ranks"), [
    (("simulate", "--steps=100"), None), (("converge", "--levels=100,200", "--reference=exact"), 2),
    (("scan", "--steps=100", "--over=k0=0.1,0.2"), None)], ids=["simulate", "converge", "scan"])
def test_a_signal_while_the_continuum_is_set_up(masing, command, ranks):
    """The integrals of a threshold of a thousand extrema take seconds."""
    process = masing.start(*command, "--cells=inf", "--threshold=1+0.5*sin(3000*s)", FORCED, "--final-time=1",
                           "--quiet", ranks=ranks)
    wait_for_work(masing, process, 0.5)
    for rank in ranks_of(masing):
        os.kill(rank, signal.SIGTERM)
    said = masing.one_line(masing.ended(process), 75)
    assert "stopped by SIGTERM before the first step; nothing is lost" in said and masing.names() == []


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_a_kill_before_any_change_of_a_file(masing, strace, call, long):
    """strace counts the calls of one kind, and kills the run at its n-th, 2 of them by default, 40 with --long."""
    traced = ("simulate", "--steps=900", "--final-time=5", "--cells=1100", "--energy", "--sample-every=2", "--quiet",
              "--field-every=230", "--output=run.h5", "--checkpoint=c.h5", "--checkpoint-every=250")

    def run(*words):
        return subprocess.run([*strace, "-o", "calls", "-e", f"trace={call}", *words, masing.program, *traced],
                              cwd=masing.folder, capture_output=True, timeout=600).returncode

    assert run() == 0
    moments = range(1, 1 + len((masing.folder / "calls").read_text(encoding="utf-8").splitlines()))
    files = [masing.folder / name for name in ("run.h5", "c.h5")]
    whole = files[0].rename(masing.folder / "whole.h5")
    assert len(moments) > 2
    for n in random.Random(call).sample(moments, min(40 if long else 2, len(moments))):
        for file in files:
            file.unlink(missing_ok=True)
        assert run("-e", f"inject={call}:signal=KILL:when={n}") == -signal.SIGKILL
        masing.done(*traced, *(["--restart=c.h5"] if files[1].exists() else []))
        assert same(files[0], whole), f"killed at {call} {n}"


@pytest.mark.parametrize("place", ["run.h5.partial", "run.h5"])
def test_the_rows_are_found(masing, place):
    """In the file of the run that was stopped, or finished, wherever both files are now, and not in another result."""
    words = (*SMALL, "--sample-every=3", "--quiet")
    whole = whole_of(masing, *words[:-1])
    (masing.folder / "first").mkdir()
    stop = ["--wall-limit=0.0001"] if place == "run.h5.partial" else []
    first = masing(*words, "--output=first/run.h5", "--checkpoint=first/c.h5", *stop)
    assert first.returncode == (75 if stop else 0)
    assert "are not in other.h5.partial, nor in other.h5; give as output the file" in masing.refusal(
        *words, "--output=other.h5", "--restart=first/c.h5")
    (masing.folder / "first").rename(masing.folder / "moved")
    masing.done(*words, "--output=moved/run.h5", "--restart=moved/c.h5", ranks=2 if stop else None)
    assert same(masing.folder / "moved/run.h5", whole)


def test_a_run_that_goes_on_says_all_of_it(masing):
    """Its extremes, here before the restart, are of both parts, its speed is of the second, and its
    energies go on from a first sample with energy in it."""
    words = ("simulate", "--cells=20", "--k0=0.2", "--x0=0.4", "--y0=-0.3", "--force=-3*sin(t)*exp(-t/3)", "--energy",
             "--sample-every=1", "--output=run.h5", "--quiet")
    whole = masing.done(*words, "--final-time=40", "--steps=4000").stdout.splitlines()
    (masing.folder / "run.h5").rename(masing.folder / "whole.h5")
    masing.done(*words, "--final-time=30", "--steps=3000", "--checkpoint=c.h5")
    longer = masing.done(*words, "--final-time=40", "--steps=4000", "--checkpoint=checkpoint", "--restart=c.h5")
    # Its command line has the name of a checkpoint.
    said = masing.refusal("simulate", "--output=o.h5", "--checkpoint=run.h5")
    assert "run.h5 is a result, no checkpoint; give another name" in said
    assert longer.stdout.splitlines()[1] == whole[1]
    assert same(masing.folder / "run.h5", masing.folder / "whole.h5")
    with h5py.File(masing.folder / "run.h5") as file:
        x, force = (f"[{min(values):.6g}, {max(values):.6g}]" for values in
                    (file["series/x"][:], file["series/restoring"][:]))
        assert whole[1].strip() == f"x in {x}, restoring force in {force}"
        timing = file["timing"].attrs
        assert abs(timing["steps_per_second"] * timing["wall_seconds"] - 1000) < 1e-9


@pytest.fixture(scope="module")
def checkpoints(masing_once):
    """The folder of checkpoints of a run that was stopped at its start, a study and a scan, NAME.c."""
    assert masing_once(*SMALL, "--quiet", "--checkpoint=simulate.c", "--wall-limit=0.0001").returncode == 75
    for name in ("comparisons of all ranks", "points that are runs"):
        command, *words = COMMANDS[name][-1]
        process = masing_once.start(command, *words, "--quiet", f"--checkpoint={command}.c")
        if command == "scan":
            masing_once.wait_until(process, (masing_once.folder / "scan.c").exists)
        else:
            wait_for_work(masing_once, process, 0.1)
        process.terminate()
        assert masing_once.ended(process).returncode == 75
    return masing_once.folder


# what is done to the checkpoint, what is given beside, and what must be said
UNFIT = "c.h5 does not hold the state of this run: "
REFUSED = {
    "of another problem": (None, ("--k0=0.5", "--mass=2", FORCED), "mass (was 1, is 2), k0 (was 0, is 0.5)"),
    "a later step": (lambda file: file["checkpoint/loop/step"].write_direct(np.array([1e12, 1.0])), (), UNFIT),
    "no engine": (lambda file: file.pop("checkpoint/engine"), (), UNFIT),
    "version 2.0": (lambda file: file["checkpoint"].attrs.modify("format", "13"), (), "of another version"),
    "another run": (lambda file: file["checkpoint"].attrs.modify("run", "0" * 32), (), "the rows that c"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_checkpoint_that_does_not_fit_is_refused(masing, checkpoints, fault):
    """In one line, and what is there stays as it is; but of a state that does not fit the rows do, and their file is
    opened. What is changed is sealed again."""
    change, more, said = REFUSED[fault]
    path = masing.folder / "c.h5"
    shutil.copy(checkpoints / "masing.h5.partial", masing.folder / "masing.h5.partial")
    shutil.copy(checkpoints / "simulate.c", path)
    if change:
        with h5py.File(path, "a") as file:
            change(file)
        seal(path)
    before = {name: (masing.folder / name).read_bytes() for name in masing.names()}
    words = (*SMALL, "--output=masing.h5", "--restart=c.h5", *more)
    line = masing.refused(*words, ranks=2) if fault == "another run" else masing.refusal(*words)
    assert line.startswith("masing: --restart: ") and said in line and "; give " in line, line
    assert masing.names() == sorted(before)
    for name in before if said != UNFIT else ["c.h5"]:
        assert (masing.folder / name).read_bytes() == before[name], name


@pytest.mark.parametrize(("words", "of"), [(SMALL, "scan"), (STUDY, "simulate"), (SCAN, "converge")])
def test_a_checkpoint_or_result_of_another_command_is_refused(masing, checkpoints, words, of):
    shutil.copy(checkpoints / f"{of}.c", masing.folder / "c.h5")
    said = f"c.h5 is of masing {of}; give a checkpoint of masing {words[0]}"
    assert f"--restart: {said}" in masing.refusal(*words, "--restart=c.h5")
    masing.made("simulate", "--cells=3", "--steps=20", "--final-time=1", name="o.h5")
    assert "--restart: o.h5 is a result, no checkpoint; give --config o.h5" in masing.refusal(*words, "--restart=o.h5")
    assert "c.h5 is a checkpoint; give a result file" in masing.refused("reproduce", "c.h5")
    said = "o.h5 is a result, no checkpoint; give another name"
    assert said in masing.refusal("simulate", "--output=new.h5", "--checkpoint=o.h5")
    assert masing.names() == ["c.h5", "o.h5"]


@pytest.fixture
def small_disk(masing, request):
    """The folder "disk" on a disk of 1 MB, or of what a test asks for."""
    folder = masing.folder / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", getattr(request, "param", "size=1m"), "tmpfs", folder]).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(disk, left):
    """Takes all of a disk but some kB."""
    free = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - left * 1024))


@pytest.mark.parametrize("small_disk", ["size=250k,nr_inodes=3"], indirect=True)
def test_a_result_that_cannot_be_written_is_not_lost(masing, small_disk):
    """There may be two files on the disk, where the locks have been. A checkpoint does not fit there: it needs 262144
    bytes beside its numbers, 33 of a point. From one that is elsewhere the result alone is written: it takes 235 kB."""
    words = ("scan", "--over=w=0.5:1.5:1000", *PERIODIC, "--cells=20", "--final-time=20", "--steps=200", "--quiet",
             "--output=disk/run.h5")
    said = masing.one_line(masing(*words, ranks=2), 1)
    found = re.fullmatch("masing: disk/run.h5: HDF5: .*; nor could what was computed be saved: disk/run.h5.checkpoint: "
                         "cannot write a checkpoint of ([0-9.]+) MB: its disk is full", said)
    assert found and float(found[1]) == pytest.approx((262144 + 8 * 33000) / 1e6, rel=0.1), said
    assert list(small_disk.iterdir()) == []
    subprocess.run(["mount", "-o", "remount,nr_inodes=2", small_disk], check=True)  # one file, the lock
    said = masing.one_line(masing(*words, "--checkpoint=c.h5"), 1)
    assert said.startswith("masing: disk/run.h5: HDF5: ")
    assert said.endswith("; what was computed is saved; the same with restart = c.h5 goes on")
    subprocess.run(["mount", "-o", "remount,size=300k,nr_inodes=9", small_disk], check=True)
    masing.done(*words, "--checkpoint=disk/c.h5", "--restart=c.h5")
    assert [path.name for path in small_disk.iterdir()] == ["run.h5"]


@pytest.mark.parametrize(("words", "ranks"), [
    (("--cells=2000", "--steps=1000000", "--final-time=5", "--field-every=40000"), None),
    # rows that the root alone has, of a slab that is split over ranks, which do not wait for it for ever
    (("--cells=400000", "--steps=6000", "--final-time=10", "--field-points=1000", "--sample-every=1",
      "--energy", "--checkpoint=c.h5"), 2)])
def test_a_disk_that_others_fill_under_the_rows_of_a_run(masing, small_disk, words, ranks):
    """There was room for its file; the disk is full as soon as that is there."""
    process = masing.start("simulate", *words, "--quiet", "--output=disk/run.h5", ranks=ranks)
    masing.wait_until(process, (small_disk / "run.h5.partial").exists)
    with open(small_disk / "ballast", "wb", buffering=0) as ballast, pytest.raises(OSError, match="No space left"):
        while True:
            ballast.write(bytes(4096))
    said = masing.one_line(masing.ended(process), 1)
    assert "disk/run.h5" in said and "disk is full" in said
    if ranks is None:
        assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "run.h5.partial"]


def test_a_full_disk_under_a_restart_leaves_what_was_there(masing, small_disk):
    """The rows are copied to a new file, which has no room beside the old one."""
    words = ("simulate", "--cells=2000", "--field-every=100", "--quiet", "--checkpoint=c.h5")
    masing.done(*words, "--steps=3000", "--final-time=5", "--output=disk/run.h5")
    fill(small_disk, 150)
    before = [path.read_bytes() for path in (small_disk / "run.h5", masing.folder / "c.h5")]
    longer = (*words, "--steps=6000", "--final-time=10")
    said = masing.one_line(masing(*longer, "--restart=c.h5", "--output=disk/run.h5"), 1)
    assert "disk/run.h5: HDF5" in said and "write failed" in said
    assert sorted(path.name for path in small_disk.iterdir()) == ["ballast", "run.h5"]
    assert [path.read_bytes() for path in (small_disk / "run.h5", masing.folder / "c.h5")] == before
    (masing.folder / "run.h5").write_bytes(before[0])
    masing.done(*longer, "--restart=c.h5", "--output=run.h5")
    assert same(masing.folder / "run.h5", masing.made(*longer[:-3], *longer[-2:], name="whole.h5"))
