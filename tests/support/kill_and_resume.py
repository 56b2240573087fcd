#!/usr/bin/env python3
"""Kills a command of masing at random moments and resumes it, until a result is complete; then compares the result with
that of the command that nobody has killed, bit for bit, and begins again. Prints what has happened, and exits with 1
if a result differs or if a command fails.

    kill_and_resume.py [--kills N] [--seed N] [--ranks R] PROGRAM simulate WORDS

A third of the kills comes in the last 50 ms of a command, where its files are completed."""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from result_files import contents


def session_of(process):
    """The ids of the processes in the session of a process, apart from itself."""
    found = subprocess.run(["ps", "-o", "pid=", "-s", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split() if int(pid) != process.pid]


def kill(process, chance):
    """Kills one of the ranks, or all of them; mpirun ends the others. Returns whether there was one."""
    ranks = session_of(process) or [process.pid] * (process.poll() is None)
    for rank in ranks if chance.random() < 0.5 else ranks[:1]:
        try:
            os.kill(rank, signal.SIGKILL)
        except ProcessLookupError:
            continue
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:  # mpirun 4.1 can wait for a rank that ends while it connects
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    while session_of(process):
        time.sleep(0.01)
    return bool(ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("program", type=Path)
    parser.add_argument("words", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    chance, counted = random.Random(asked.seed), Counter()
    launcher = ["mpirun", "-n", str(asked.ranks)] if asked.ranks > 1 else []
    command = [*launcher, asked.program.resolve(), *asked.words, "--quiet", "--output=run.h5", "--checkpoint=c.h5"]
    with tempfile.TemporaryDirectory() as folder:
        result, saved = Path(folder, "run.h5"), Path(folder, "c.h5")

        def start():
            return subprocess.Popen([*command, *["--restart=c.h5"] * saved.exists()], cwd=folder, text=True,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

        begin = time.monotonic()
        assert start().wait() == 0
        seconds = time.monotonic() - begin
        whole = contents(result) | {"configuration": None}
        for file in (result, saved):
            file.unlink(missing_ok=True)
        while counted["kills"] < asked.kills:
            process = start()
            end = chance.uniform(seconds - 0.05, seconds) if chance.random() < 1 / 3 else chance.uniform(0, seconds)
            try:
                process.wait(max(end, 0))
            except subprocess.TimeoutExpired:
                counted["kills"] += kill(process, chance)
            else:
                counted["restarts to the end"] += 1
                if process.returncode:
                    counted["failures"] += 1
                    print(process.stderr.read(), file=sys.stderr)
                    saved.unlink(missing_ok=True)
            if result.exists():
                counted["results"] += 1
                counted["other results"] += contents(result) | {"configuration": None} != whole
                for file in (result, saved):
                    file.unlink(missing_ok=True)
    print(", ".join(f"{count} {name}" for name, count in counted.items()))
    sys.exit(bool(counted["failures"] + counted["other results"]))


if __name__ == "__main__":
    main()
