"""Functions that search for the program masing and run it."""

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
from masing.errors import FAILURE, FileMissing, MasingError

ROOT = Path(__file__).resolve().parents[2]
WARNING, ERROR = "masing warning: ", "masing: "
# The control sequence with which the program clears the line that shows its progress, and the pattern of this line.
CLEAR, PROGRESS = "\033[K", re.compile(r"\[[#.]+\] +\d+ %")
# The pattern of lines that are not error messages. In some of them a command names the model before a run. The
# others consist of dashes, with which mpirun encloses its own messages.
NOTE = re.compile(r"masing \w+: |  |-+$")


class Answer(namedtuple("Answer", "code printed errors")):
    """The outcome of one execution of the program.

    `code` is the exit code; it is negative if the program could not be started, was stopped after a time limit or was
    ended by a signal. `printed` is the text on stdout, and `errors` are the lines on stderr except those of progress.
    """

    @property
    def lines(self):
        """Return the lines of stdout and stderr that are not empty."""
        return [line for line in self.printed.splitlines() + self.errors if line.strip()]

    def said(self, mark=ERROR):
        """Return those lines on stderr that begin with the text `mark`, without this text.

        The program begins its error messages with ERROR and its warnings with WARNING.
        """
        return [line.removeprefix(mark) for line in self.errors if line.startswith(mark)]

    def require(self, *codes):
        """Raise MasingError unless the exit code is one of `codes`.

        The error has the exit code and the error message of the program. Without an error message, the first line on
        stdout or stderr that does not match NOTE takes its place. A negative exit code is replaced by FAILURE.
        """
        if self.code not in codes:
            lines = [line for line in self.lines if not NOTE.match(line)]
            known = [*self.said(), *lines, f"the program ended with exit code {self.code}"]
            raise MasingError(known[0], self.code if self.code > 0 else FAILURE)


def find(given=None):
    """Return the path of the program, or None if there is no program.

    If `given` is not None, this program is used. Otherwise the first program that exists is used among $MASING_PROGRAM,
    build/masing of this clone, bin/masing of the prefix in which this package is installed, and masing on the PATH.
    Raises MasingError if `given` cannot be executed.
    """
    if given:
        found = shutil.which(given)
        if found is None:
            raise FileMissing(f"{given} is not a program; give the path of masing, such as build/masing")
        return found
    candidates = (os.environ.get("MASING_PROGRAM", ""), str(ROOT / "build" / "masing"),
                  str(ROOT / "../../bin/masing"), "masing")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def required(given=None):
    """Return the absolute path of the program that find() returns; raises MasingError if there is no program."""
    found = find(given)
    if found is None:
        is_clone, given = (ROOT / "CMakeLists.txt").is_file(), os.environ.get("MASING_PROGRAM", "")
        here = ROOT / "build/masing" if is_clone else (ROOT / "../../bin/masing").resolve()
        raise FileMissing(f"no program at {here} or on the PATH{given and f', nor at $MASING_PROGRAM = {given}'}: "
                          "build it, or give its path in $MASING_PROGRAM")
    return str(Path(found).resolve())


def version():
    """Return the version of the program, such as 1.0.0; raises MasingError if there is none or it is not masing."""
    program = required()
    if found := re.match(r"masing (\S+)", run(program, "--version").printed):
        return found[1]
    raise MasingError(f"{program} is not masing; give its path in $MASING_PROGRAM")


def run(program, *words, seconds=None, ranks=None, show=None):
    """Run the program with the command line `words` and return its Answer.

    If `seconds` is given, the program is stopped after this time. If the tool setpriv is installed, the program is also
    stopped when this process ends. If `ranks` is given, mpirun starts the program on this number of ranks of this host.
    If the function `show` is given, it is called with every line of progress, and with None after the last one. Lines
    of progress are not part of the Answer.
    """
    with_us = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") and shutil.which(program) else []
    call = [*with_us, *_launcher(program, ranks), str(program), *map(str, words)]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        # The program shows its progress only if stderr is a terminal.
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
    """Return the words of the mpirun command for this number of ranks, or [] if `ranks` is None.

    The job scripts of this clone or of the program's installation contain a file common.sh, which sets up the
    environment of mpirun. If this file is found, bash first sources it and then runs mpirun. Raises MasingError if
    there is no mpirun.
    """
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
    """Collect the lines that the program writes to stderr, apart from the lines of progress.

    The function `show`, unless it is None, is called with each line of progress as soon as it arrives, and with None
    after the last one.
    """

    def __init__(self, show):
        self.lines, self._rest, self._show, self._shown = [], b"", show, None

    def take(self, chunk):
        """Process the next bytes of stderr."""
        *whole, self._rest = re.split(rb"[\r\n]+", self._rest + chunk)
        lines = (each.decode("utf-8", "replace").removeprefix(CLEAR) for each in (*whole, self._rest))
        for number, line in enumerate(lines):
            if not (progress := PROGRESS.search(line)):
                self.lines += [line] if number < len(whole) else []
            elif self._show and line[progress.start():] != self._shown:
                self._shown = line[progress.start():]
                self._show(self._shown)

    def end(self):
        """Process the last line, which may lack its line end, and call `show` with None if it was called before."""
        if self._shown is not None:
            self._show(None)
        if self._rest.strip() and not PROGRESS.search(str(self._rest)):
            self.lines.append(self._rest.decode("utf-8", "replace"))


def _read(source):
    try:
        return os.read(source, 65536)
    except OSError:
        # Reading from a terminal raises this error when the program has closed the other side.
        return b""


def environment():
    """Return the environment variables of this process without those with which Open MPI identifies a rank.

    With these variables, a program that this process starts would become a part of the MPI job of this process.
    """
    job = ["OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PMIX_"]
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        job += ["OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix"]  # mpirun sets these for its ranks
    return {name: value for name, value in os.environ.items() if not name.startswith(tuple(job))}
