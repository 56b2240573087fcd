#!/usr/bin/env python3
"""Takes any masing command, stops it at random moments, resumes it, and compares all bits.

    tests/support/kill_and_resume.py --times 200 --seed 7 -- simulate --cells=180000 --checkpoint-every=5000

The command first runs undisturbed, once on each number of ranks. Its result without mpirun is the
reference, and its durations are the scale of the delays. Then stories follow until there have been as many
stops as asked for. A story starts the command in a folder of its own, stops it by a signal to mpirun or to
one rank, resumes it from its checkpoint, or from the beginning if there is none, on the next number of
ranks, and so on; the last run ends by itself. Every dataset and attribute of its result outside /provenance
and /timing must have the bits of the reference. The seed determines all choices. Commands that last one to
three seconds and often write a checkpoint show most. The files that they read need absolute paths. --output
and --restart are given by this tool.
"""

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/commands"), str(ROOT / "tests/support")]
from count_messages import OPEN_MPI  # noqa: E402
from result_files import contents  # noqa: E402

RANKS, SIGNALS, MAX_STOPS = (0, 1, 2, 3, 4), ("TERM", "USR1", "INT", "KILL"), 6
STOPPED = 75  # the exit code of a run that was stopped and can be resumed
PATIENCE = 60  # seconds until a run that got a signal hangs, or 20 of its durations if these are longer
ORPHANS_END = 30  # seconds in which all ranks must end after mpirun has ended


class Failure(Exception):
    """What a story has shown to be wrong."""


@dataclass
class Outcome:
    """What the stories have shown; `failures` has a text for each story that failed."""

    ranks: tuple
    failures: list = field(default_factory=list)
    stories: int = 0
    signals: Counter = field(default_factory=Counter)  # how many stops were by each of them
    late: int = 0  # runs that had ended before the signal came, or ended in spite of it
    after_checkpoint: int = 0  # stops of runs that had a checkpoint when the signal came
    resumed: int = 0  # runs that began from a checkpoint
    broken_launchers: int = 0  # how often mpirun itself has hung or crashed in its end

    def __str__(self):
        signals = ", ".join(f"{count} {name}" for name, count in sorted(self.signals.items()))
        verdict = f"{len(self.failures)} FAILED" if self.failures else "all bits as undisturbed"
        return (f"{self.signals.total()} stops in {self.stories} stories on {min(self.ranks)} to "
                f"{max(self.ranks)} ranks: {signals}; {self.resumed} times resumed from a checkpoint; "
                f"{self.after_checkpoint} of the stops came after the first checkpoint; {self.late} other "
                f"signals came too late; mpirun itself failed {self.broken_launchers} times; {verdict}")  # fmt: skip


def processes_in(folder, name=None):
    """The ids of the processes that work in a folder, in ascending order; if a name is given, only those of
    that program. This finds ranks even if mpirun was killed."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{entry}/comm").read_text(encoding="utf-8").strip()
            if os.readlink(f"/proc/{entry}/cwd") == str(folder) and name in (None, command):
                found.append(int(entry))
        except OSError:  # It has ended, or belongs to another user.
            continue
    return sorted(found)


def stamp(path):
    """A value that changes when a file is made, written, replaced or removed."""
    try:
        return path.stat().st_ino, path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


class Story:
    """Runs of one command in one folder, each of which goes on where the one before was stopped."""

    def __init__(self, program, words, folder):
        self.program, self.name, self.folder = program, Path(program).name[:15], folder.resolve()
        self.folder.mkdir(parents=True)
        parser = argparse.ArgumentParser(allow_abbrev=False)
        parser.add_argument("--checkpoint", default="run.checkpoint")
        given, others = parser.parse_known_args([word for word in words if word != "--quiet"])
        self.checkpoint, self.output = self.folder / given.checkpoint, self.folder / "run.h5"
        self.broken_launchers = 0  # how often mpirun itself has hung or crashed
        self.words = [*others, "--quiet", "--output=run.h5", f"--checkpoint={given.checkpoint}"]
        # All that was done, as commands for a shell.
        environment = " ".join(f"{name}={value}" for name, value in OPEN_MPI.items())
        self.shell = [f"cd $(mktemp -d); export {environment}"]

    def start(self, ranks):
        """Starts the command, or resumes it if there is a checkpoint, and returns whether there is one."""
        resumes, self.ranks = self.checkpoint.exists(), ranks
        call = ["mpirun", "-n", str(ranks)] if ranks else []
        call += [self.program, *self.words, *([f"--restart={self.checkpoint.name}"] if resumes else [])]
        self.shell.append(shlex.join(call))
        self.begin, self.begin_of_files = time.monotonic(), time.time()
        with open(self.folder / "said.txt", "w", encoding="utf-8") as said:
            self.process = subprocess.Popen(call, cwd=self.folder, env=os.environ | OPEN_MPI,
                                            stdin=subprocess.DEVNULL, stdout=said, stderr=said)  # fmt: skip
        return resumes

    def said(self):
        """What the last run has printed."""
        return (self.folder / "said.txt").read_text(encoding="utf-8", errors="replace")

    def wait(self, seconds):
        """The exit code of the run, as soon as all its processes have ended."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            if not self.ranks or processes_in(self.folder) != [self.process.pid]:
                raise Failure(f"the run hangs: it has not ended in {seconds:.0f} s") from None
            # All ranks have ended. If one of them ends while it connects to mpirun 4.1, mpirun can wait in
            # PMIx_server_finalize() for a lock that nobody releases.
            self.process.kill()
            code = self.process.wait()
            self.broken_launchers += 1
        self.shell[-1] += f"  # exit code {code}"
        deadline = time.monotonic() + ORPHANS_END
        while alive := processes_in(self.folder):
            if time.monotonic() > deadline:
                raise Failure(f"{len(alive)} processes still run {ORPHANS_END} s after exit code {code}")
            time.sleep(0.01)
        return code

    def is_running_after(self, seconds, after_change):
        """Waits until so many seconds after the start, then, unless `after_change` is None, until so many
        seconds after the next change of the checkpoint or its draft; returns whether the run goes on."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            files = [self.checkpoint, Path(f"{self.checkpoint}.draft")]
            before, deadline = [stamp(path) for path in files], time.monotonic() + PATIENCE
            while after_change is not None and self.process.poll() is None and time.monotonic() < deadline:
                if [stamp(path) for path in files] != before:
                    time.sleep(after_change)
                    break
                time.sleep(0.0005)
        return self.process.poll() is None

    def send(self, name, rank):
        """Sends a signal to a rank, or if `rank` is None or not there yet to what was started."""
        ranks = [pid for pid in processes_in(self.folder, self.name) if pid != self.process.pid]
        pid, target = self.process.pid, "$!"
        if rank is not None and rank < len(ranks):
            pid, target = ranks[rank], f"$(pgrep -P $! -x {self.name} | sed -n {rank + 1}p)"
        self.shell[-1] += f" & sleep {time.monotonic() - self.begin:.3f}; kill -{name} {target}; wait $!"
        try:
            os.kill(pid, signal.Signals[f"SIG{name}"])
        except ProcessLookupError:  # It has ended meanwhile.
            pass

    def check_stop(self, code, name, ranks):
        """Throws Failure if the signal does not explain how the run has ended and what it has said."""
        number = signal.Signals[f"SIG{name}"]
        explained = {-number, 128 + number}  # before the program handles the signal; the latter is mpirun's
        if name != "KILL":
            explained.add(STOPPED)
        if ranks and name not in ("USR1", "USR2"):
            explained.add(1)  # mpirun has ended the other ranks
        if ranks and self.broken_launchers and "exited on signal" not in self.said():
            explained.add(-signal.SIGKILL)  # wait() has ended mpirun
        if ranks and name in ("INT", "TERM") and code == -signal.SIGSEGV:
            # A signal to mpirun 4.1, from here or from a rank that has ended, can break mpirun itself while
            # it ends. A rank that is broken gives another code: 128 + SIGSEGV.
            explained.add(code)
            self.broken_launchers += 1
        ours = [line for line in self.said().splitlines() if line.startswith("masing: ")]
        expected = (" stopped by ", " ended at once by ", " the launcher has ended ")
        others = [line for line in ours if not any(part in line for part in expected)]
        if code not in explained or others or (code == STOPPED and not ours):
            raise Failure(f"{name} does not explain exit code {code} with this output:\n{self.said()}")
        if any(line.endswith(" goes on") for line in ours) and not self.checkpoint.exists():
            raise Failure(f"there is no {self.checkpoint.name}, although the run says: {ours[0]}")

    def result(self):
        """What result_files.contents() gives of the result."""
        return contents(self.output) if self.output.exists() else {}

    def check_result(self, expected):
        """Throws Failure if a bit of the result differs."""
        result = self.result()
        if names := sorted(name for name in result | expected if result.get(name) != expected.get(name)):
            raise Failure(f"{len(names)} of {len(expected)} parts of the result differ, first {names[:5]}")

    def check_end(self, code, reference):
        """Throws Failure if a run that nobody stopped has left something else than the reference."""
        if code != reference.code:
            raise Failure(f"a run that nobody stopped has the exit code {code}:\n{self.said()}")
        self.check_result(reference.result)
        files = [path.name for path in self.folder.iterdir()]
        if left := [name for name in files if name.endswith((".partial", ".lock", ".draft"))]:
            raise Failure(f"a run that is done has left {left}")

    def kill(self):
        """Ends all that still runs."""
        for pid in processes_in(self.folder):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class Reference:
    """The exit code and the result of the undisturbed command, and its seconds by number of ranks."""

    def __init__(self, story):
        try:
            story.start(0)
            self.code = story.wait(None)
        finally:
            story.kill()
        self.seconds, self.result = {0: time.monotonic() - story.begin}, story.result()
        if not self.result:
            raise ValueError(f"the undisturbed command has no result:\n{story.said()}")

    def patience(self, ranks):
        """The seconds after which a run on so many ranks hangs."""
        return max(PATIENCE, 20 * self.seconds.get(ranks, self.seconds[0]))

    def measure(self, story, ranks):
        """Runs the command undisturbed on so many ranks."""
        story.start(ranks)
        story.check_end(story.wait(self.patience(ranks)), self)
        self.seconds[ranks] = time.monotonic() - story.begin

    def tell(self, story, ranks, signals, chance, outcome):
        """Starts the command on the first of `ranks`, stops it and resumes it on each of the others; the run
        on the last of them ends by itself."""
        saved = 0.0  # the share of the command that the checkpoint has, at most
        for turn, number in enumerate(ranks, 1):
            outcome.resumed += story.start(number)
            name = chance.choice(signals)
            rank = chance.randrange(number) if number and chance.random() < 0.5 else None
            seconds = chance.uniform(0, 1.1) * self.seconds[number] * max(0.3, 1 - saved)
            after_change = chance.uniform(0, 0.02) if chance.random() < 0.3 else None
            if turn == len(ranks):
                break
            if not story.is_running_after(seconds, after_change):
                outcome.late += 1
                break
            has_checkpoint, output = story.checkpoint.exists(), stamp(story.output)
            story.send(name, rank)
            code = story.wait(self.patience(number))
            if code == self.code and story.result():
                outcome.late += 1
                return story.check_end(code, self)
            outcome.signals[name] += 1
            outcome.after_checkpoint += has_checkpoint
            story.check_stop(code, name, number)
            if stamp(story.output) != output:  # Its ranks have gone on to their end without mpirun.
                story.check_result(self.result)
            elif has_checkpoint and not story.checkpoint.exists():
                raise Failure(f"{story.checkpoint.name} is gone, and there is no result in its place")
            if story.checkpoint.exists():
                at = story.checkpoint.stat().st_mtime - story.begin_of_files
                saved += max(0, at) / self.seconds[number]
        story.check_end(story.wait(self.patience(number)), self)


def kill_and_resume(program, words, times, folder, seed=1, ranks=RANKS, signals=SIGNALS, max_stops=MAX_STOPS,
                    keep=False):  # fmt: skip
    """Stops `program words` so many times, at most `max_stops` times a story, and returns the Outcome. The
    subfolders of `folder` in which stories failed stay, those of others only if asked for by `keep`."""
    reference = Reference(Story(program, words, folder / "reference"))
    outcome = Outcome(tuple(ranks))

    def tried(name, tell, *arguments):
        story = Story(program, words, folder / name)
        try:
            tell(story, *arguments)
        except Failure as failure:
            heading = f"{failure}\n{name} of seed {seed}, in {story.folder}:"
            outcome.failures.append("\n".join([heading, *story.shell]))
        else:
            if not keep:
                shutil.rmtree(story.folder)
        finally:
            story.kill()
            outcome.broken_launchers += story.broken_launchers

    for number in sorted(set(ranks) - {0}):
        tried(f"undisturbed-{number}", reference.measure, number)
    if outcome.failures:  # on some number of ranks, undisturbed
        return outcome
    while (left := times - outcome.signals.total()) > 0 and outcome.stories < 10 + 5 * times:
        chance = random.Random(f"{seed} {outcome.stories}")
        stops = min(chance.randint(1, max_stops), left)
        turns = [ranks[(outcome.stories + i) % len(ranks)] for i in range(stops + 1)]
        tried(f"story-{outcome.stories}", reference.tell, turns, signals, chance, outcome)
        outcome.stories += 1
    if outcome.broken_launchers > 1 + times / 20:
        outcome.failures.append(f"mpirun itself failed {outcome.broken_launchers} times: is it by the program?")
    if left > 0 and not outcome.failures:
        outcome.failures.append(f"{left} of {times} stops are missing: the command ends too soon")
    return outcome


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [OPTION ...] -- simulate|converge|scan [OPTION ...]")  # fmt: skip
    builds = [ROOT / "build/dev/masing", ROOT / "build/masing"]
    built = os.environ.get("MASING_PROGRAM", next((path for path in builds if path.is_file()), builds[0]))
    ranks, signals = ",".join(map(str, RANKS)), ",".join(SIGNALS)
    parser.add_argument("--times", type=int, default=20, help="how many stops there are in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random choices (%(default)s)")
    parser.add_argument("--ranks", default=ranks, help="their numbers in turn, 0: no mpirun (%(default)s)")
    parser.add_argument("--signals", default=signals, help="one is chosen at random (%(default)s)")
    parser.add_argument("--max-stops", type=int, default=MAX_STOPS, help="of a story (%(default)s)")
    parser.add_argument("--program", default=str(built), help="($MASING_PROGRAM, or that of the build)")
    parser.add_argument("--keep", action="store_true", help="keep all folders, not only those of failures")
    parser.add_argument("words", nargs="+", help="the command and its options, after --")
    given = parser.parse_args()
    program = shutil.which(given.program)
    if program is None:
        parser.error(f"there is no program {given.program}")
    if any(word.partition("=")[0] in ("--output", "--restart") for word in given.words):
        parser.error("--output and --restart are given by this tool")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Jobs in the background of a script ignore it.
    folder = Path(tempfile.mkdtemp(prefix="masing-stops-"))
    ranks, signals = [int(number) for number in given.ranks.split(",")], given.signals.split(",")
    try:
        outcome = kill_and_resume(os.path.abspath(program), given.words, given.times, folder, given.seed,
                                  ranks, signals, given.max_stops, given.keep)  # fmt: skip
    except ValueError as error:
        shutil.rmtree(folder)
        parser.error(str(error))
    for failure in outcome.failures:
        print(f"FAILED: {failure}\n")
    if given.keep or outcome.failures:
        print(f"The folders are in {folder}.")
    else:
        shutil.rmtree(folder)
    print(outcome)
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
