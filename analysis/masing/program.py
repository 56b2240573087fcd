"""The program masing: its path, and running it."""

from collections import namedtuple
import os
import pty
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from masing import values
from masing.errors import FAILURE, MasingError

ROOT = Path(__file__).resolve().parents[2]
WARNING, ERROR = "masing warning: ", "masing: "
# What the program redraws its progress with, and how a line of it looks.
CLEAR, PROGRESS = "\033[K", re.compile(r"\[[#.]+\] +\d+ %")
# The lines in which a command says before a run what it solves, and those with which mpirun frames what it says.
NOTE = re.compile(r"masing \w+: |  |-+$")


class Answer(namedtuple("Answer", "code printed errors")):
    """The exit code of a run of the program, -1 where it did not end; what it printed, and its lines on stderr."""

    @property
    def lines(self):
        """The lines of stdout and stderr that are not empty."""
        return [line for line in self.printed.splitlines() + self.errors if line.strip()]

    def said(self, mark=ERROR):
        """The lines of the program's own that begin with the mark, without it."""
        return [line.removeprefix(mark) for line in self.errors if line.startswith(mark)]

    def require(self, *codes):
        """Raise MasingError with the program's own line and its code, unless that is one of `codes`."""
        if self.code not in codes:
            lines = [line for line in self.lines if not NOTE.match(line)]
            known = [*self.said(), *lines, f"the program ended with exit code {self.code}"]
            raise MasingError(known[0], self.code if self.code > 0 else FAILURE)


def find(given=None):
    """The program: `given`, $MASING_PROGRAM, build/masing of this clone or bin/masing of this prefix, or masing on
    the PATH; else None. Raises MasingError when the given one cannot be run."""
    if given:
        found = shutil.which(given)
        if found is None:
            raise MasingError(f"--program: {given} is not a program; give the path of masing, such as build/masing")
        return found
    candidates = (os.environ.get("MASING_PROGRAM", ""), str(ROOT / "build" / "masing"),
                  str(ROOT / "../../bin/masing"), "masing")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def required(given=None):
    """The absolute path of the program that find() gives; raises MasingError when there is none."""
    found = find(given)
    if found is None:
        is_clone, given = (ROOT / "CMakeLists.txt").is_file(), os.environ.get("MASING_PROGRAM", "")
        here = ROOT / "build/masing" if is_clone else (ROOT / "../../bin/masing").resolve()
        raise MasingError(f"no program at {here} or on the PATH{given and f', nor at $MASING_PROGRAM = {given}'}: "
                          "build it, or give its path in $MASING_PROGRAM")
    return str(Path(found).resolve())


def version():
    """The version of the program that is found, such as 1.0.0; raises MasingError where it is another one."""
    program = required()
    if found := re.match(r"masing (\S+)", run(program, "--version").printed):
        return found[1]
    raise MasingError(f"{program} is not masing; give its path in $MASING_PROGRAM")


def run(program, *words, seconds=None, ranks=None, show=None):
    """Run the program and give its Answer; after `seconds` it is stopped. `ranks`: on so many, by mpirun on this
    host. show, if any, gets every line of its progress, and None after the last; no line of it is in the Answer. It is
    stopped with this process, where there is setpriv."""
    with_us = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") and shutil.which(program) else []
    call = [*with_us, *_launcher(program, ranks), str(program), *map(str, words)]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        # Only on a terminal does the program redraw its progress.
        ours, theirs = pty.openpty() if show else os.pipe()
        try:
            process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=printed, stderr=theirs, env=environment())
        except OSError as error:
            os.close(ours)
            return Answer(-1, "", [f"{program}: {error.strerror}"])
        finally:
            os.close(theirs)
        timer = threading.Timer(seconds or threading.TIMEOUT_MAX, process.kill)
        timer.daemon = True
        timer.start()
        lines = Lines(show)
        try:
            while chunk := _read(ours):
                lines.take(chunk)
            lines.end()
            code = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        finally:
            late = not timer.is_alive()
            timer.cancel()
            os.close(ours)
        printed.seek(0)
        return Answer(-1, "", [f"stopped after {seconds} s"]) if late else Answer(code, printed.read(), lines.lines)


def _launcher(program, ranks):
    """mpirun on so many ranks, as the job scripts beside this package or the program set it up, if any; [] for None."""
    if ranks is None:
        return []
    ranks = values.ranks(ranks)
    if shutil.which("mpirun") is None:
        raise MasingError(f"ranks={ranks}: there is no mpirun on the PATH", FAILURE)
    folders = (ROOT, *Path(program).resolve().parents)
    scripts = (folder / place / "common.sh" for folder in folders for place in ("jobs", "share/masing/jobs"))
    common = next((each for each in scripts if each.is_file()), None)
    source = ["bash", "-c", 'source "$0" && exec "$@"', str(common)] if common else []
    return [*source, "mpirun", "-n", str(ranks)]


class Lines:
    """The lines of stderr but those of progress, which `show`, if any, gets as they come, and None after the last."""

    def __init__(self, show):
        self.lines, self._rest, self._show, self._shown = [], b"", show, None

    def take(self, chunk):
        """The next bytes."""
        *whole, self._rest = re.split(rb"[\r\n]+", self._rest + chunk)
        lines = (each.decode("utf-8", "replace").removeprefix(CLEAR) for each in (*whole, self._rest))
        for number, line in enumerate(lines):
            if not (progress := PROGRESS.search(line)):
                self.lines += [line] if number < len(whole) else []
            elif self._show and line[progress.start():] != self._shown:
                self._shown = line[progress.start():]
                self._show(self._shown)

    def end(self):
        """No more will come."""
        if self._shown is not None:
            self._show(None)
        if self._rest.strip() and not PROGRESS.search(str(self._rest)):
            self.lines.append(self._rest.decode("utf-8", "replace"))


def _read(source):
    try:
        return os.read(source, 65536)
    except OSError:
        # So ends a terminal whose other side is closed.
        return b""


def environment():
    """The environment without Open MPI's variables, so that the program does not join the job that runs this script."""
    job = ["OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PMIX_"]
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        job += ["OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix"]  # as its mpirun sets them
    return {name: value for name, value in os.environ.items() if not name.startswith(tuple(job))}
