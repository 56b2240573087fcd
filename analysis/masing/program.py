"""Functions that search for the program masing and run it."""

from collections import namedtuple
import os
import re
import shutil
import subprocess
from pathlib import Path

from masing.errors import FAILURE, FileMissing, MasingError

ROOT = Path(__file__).resolve().parents[2]
WARNING, ERROR = "masing warning: ", "masing: "
# The pattern of lines that are no messages: some commands name the model before a run, and mpirun encloses its own
# messages with dashes.
NOTE = re.compile(r"masing \w+: |  |-+$")


class Answer(namedtuple("Answer", "code printed errors")):
    """The exit code of the program, negative if it did not end by itself, its text on stdout and lines on stderr."""

    @property
    def lines(self):
        """Return the lines of stdout and stderr that are not empty."""
        return [line for line in self.printed.splitlines() + self.errors if line.strip()]

    def said(self, mark=ERROR):
        """Return the lines on stderr that begin with the text `mark`, ERROR or WARNING, without this text."""
        return [line.removeprefix(mark) for line in self.errors if line.startswith(mark)]

    def require(self, *codes):
        """Raise MasingError with the error message of the program unless the exit code is one of `codes`."""
        if self.code not in codes:
            lines = [line for line in self.lines if not NOTE.match(line)]
            known = [*self.said(), *lines, f"the program ended with exit code {self.code}"]
            raise MasingError(known[0], self.code if self.code > 0 else FAILURE)


def find():
    """Return the path of the program, or None if there is none.

    It is the first that exists among $MASING_PROGRAM, build/masing of this clone, bin/masing of the prefix in which
    this package is installed, and masing on the PATH.
    """
    candidates = (os.environ.get("MASING_PROGRAM", ""), f"{ROOT}/build/masing", f"{ROOT}/../../bin/masing", "masing")
    return next(filter(None, map(shutil.which, candidates)), None)


def required():
    """Return the absolute path of the program that find() returns; raises MasingError if there is no program."""
    if found := find():
        return str(Path(found).resolve())
    raise FileMissing(f"no program masing in {ROOT}/build, in bin of the installation, on the PATH or at "
                      f"$MASING_PROGRAM = {os.environ.get('MASING_PROGRAM', '')}: build it, or give its path there")


def run(program, *words, seconds=None, ranks=None):
    """Run the program with the command line `words` and return its Answer.

    The program is stopped after `seconds`. If the tool setpriv is installed, it is also stopped when this process ends.
    If `ranks` is given, mpirun starts the program on this number of ranks of this host.
    """
    with_us = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") and shutil.which(program) else []
    call = [*with_us, *_launcher(program, ranks), str(program), *map(str, words)]
    try:
        process = subprocess.Popen(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   encoding="utf-8", errors="replace", env=_environment())
    except OSError as error:
        return Answer(-1, "", [f"{program}: {error.strerror}"])
    try:
        printed, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Answer(-1, "", [f"stopped after {seconds} s"])
    except BaseException:
        process.terminate()
        process.communicate()
        raise
    return Answer(process.returncode, printed, errors.splitlines())


def _launcher(program, ranks):
    """Return the words of the mpirun command for `ranks`, or [] for None; common.sh of the jobs sets it up."""
    if ranks is None:
        return []
    if not str(ranks).isdecimal() or int(ranks) < 1:
        raise MasingError(f"ranks={ranks}: give a whole number from 1")
    if shutil.which("mpirun") is None:
        raise MasingError(f"ranks={ranks}: there is no mpirun on the PATH", FAILURE)
    folders = (ROOT, *Path(program).resolve().parents)
    scripts = (folder / place / "common.sh" for folder in folders for place in ("jobs", "share/masing/jobs"))
    common = next((each for each in scripts if each.is_file()), None)
    source = ["bash", "-c", 'source "$0" && exec "$@"', str(common)] if common else []
    return [*source, "mpirun", "-n", str(ranks)]


def _environment():
    """Return the environment without the variables that would make the program a part of this process's MPI job."""
    job = ("OMPI_COMM_WORLD", "OMPI_UNIVERSE", "PMIX_", "OMPI_MCA_ess", "OMPI_MCA_orte_", "OMPI_MCA_pmix")
    return {name: value for name, value in os.environ.items() if not name.startswith(job)}
