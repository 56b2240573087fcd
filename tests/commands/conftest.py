"""What the tests of the program as a user meets it share: how to run it, alone and under mpirun."""

import os
import re
import shutil
import subprocess
import time

import pytest
from masing import MasingError
from open_mpi import OPEN_MPI, YIELD
from result_files import numbers, study

PATIENCE = 600  # seconds until a run counts as hung

# Warnings, the line that names the model at the start, and the progress, which a slow machine shows.
EXPECTED = re.compile(r"masing warning: |masing (simulate|converge|scan): model = |"
                      r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[[#.]+\] ")


def unexpected(text):
    """The lines of stderr that are none of those."""
    return [line for line in text.splitlines() if not EXPECTED.match(line)]


class Masing:
    """Runs the program in a folder of its own."""

    def __init__(self, folder, program, in_process=None):
        self.folder, self.program, self.in_process = folder, program, in_process

    def start(self, *words, ranks=None, env=None):
        """The process, running; `ranks` None is without mpirun, a variable of `env` that is None is taken out."""
        launcher = [] if ranks is None else ["mpirun", "-n", str(ranks)]
        all_of_it = {**os.environ, **OPEN_MPI, **(YIELD if (ranks or 1) > 1 else {}), **(env or {})}
        given = {name: value for name, value in all_of_it.items() if value is not None}
        return subprocess.Popen([*launcher, self.program, *map(str, words)], cwd=self.folder, env=given,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    @staticmethod
    def wait_until(process, happened):
        """Until happened() is true; the process must not end before."""
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.002)

    @staticmethod
    def ended(process):
        """The finished process; one that hangs is killed."""
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def __call__(self, *words, ranks=None, env=None):
        """The finished process."""
        return self.ended(self.start(*words, ranks=ranks, env=env))

    @staticmethod
    def one_line(process, code):
        """The one line of ours, among those of mpirun, of a finished process with this exit code."""
        ours = [line for line in process.stderr.splitlines() if line.startswith("masing: ")]
        assert (process.returncode, len(ours)) == (code, 1), (process.returncode, process.stderr, process.stdout)
        return ours[0]

    def done(self, *words, ranks=None):
        """The finished process, which must have succeeded and said nothing on stderr but warnings."""
        process = self(*words, ranks=ranks)
        assert process.returncode == 0, process.stderr + process.stdout
        assert unexpected(process.stderr) == []
        return process

    def refused(self, *words, ranks=None):
        """The message of a refused run: exit code 2, and one line on stderr in all, `masing: …`."""
        process = self(*words, ranks=ranks)
        said = self.one_line(process, 2)
        assert ranks is not None or unexpected(process.stderr) == [said], process.stderr
        return said

    def made(self, command, *words, name=None):
        """The path of the result file of a command, which must succeed; computed in this process, without --output."""
        path = self.folder / (name or f"{command}.h5")
        path.write_bytes(self.in_process(self.folder, command, *words))
        return path

    def refusal(self, command, *words):
        """What refused() gives, of a command that is computed in this process."""
        with pytest.raises(MasingError) as raised:
            self.in_process(self.folder, command, *words)
        assert raised.value.code == 2 and len(str(raised.value).splitlines()) == 1
        return f"masing: {raised.value}"

    def run(self, *words, ranks=None):
        """What result_files.numbers() gives of a run, which must succeed; without ranks in this process."""
        if ranks is None:
            return numbers(self.made("simulate", *words, name="run.h5"))
        self.done("simulate", *words, "--quiet", "--output=run.h5", ranks=ranks)
        return numbers(self.folder / "run.h5")

    def study(self, *words, code=0):
        """What a study found, as result_files.study() gives it, and what it printed as "said"."""
        process = self("converge", *words, "--quiet", "--output=study.h5")
        assert process.returncode == code, process.stderr + process.stdout
        assert unexpected(process.stderr) == []
        return {**study(self.folder / "study.h5"), "said": process.stdout}

    def file(self, name, text):
        """A file in the run's folder."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def names(self):
        """What lies in the run's folder."""
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def masing(tmp_path, program_path, in_process):
    """The program, run in an empty folder."""
    return Masing(tmp_path, program_path, in_process)


@pytest.fixture(scope="module")
def masing_once(tmp_path_factory, program_path, in_process):
    """The program, run in a folder that the tests of a file share."""
    return Masing(tmp_path_factory.mktemp("masing"), program_path, in_process)


@pytest.fixture
def strace(monkeypatch):
    """The words that begin a call of strace, under which a program with AddressSanitizer cannot look for leaks."""
    if shutil.which("strace") is None or subprocess.run(["strace", "-qqo/dev/null", "true"]).returncode:
        pytest.skip("strace is missing or not allowed")
    monkeypatch.setenv("ASAN_OPTIONS", f"{os.environ['ASAN_OPTIONS']}:detect_leaks=0")
    return "strace", "-qq"
