"""Where the program is; tests that take long run with --long only, a short form of each, if one can be made, always."""

import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "analysis"), str(ROOT / "tests"), str(ROOT / "tests" / "support")]
BUILDS = [ROOT / "build/dev/masing", ROOT / "build/masing"]
os.environ.setdefault("MASING_PROGRAM", str(next((path for path in BUILDS if path.is_file()), BUILDS[0])))
# Tests send these signals. A script's `&` ignores them for all that follows, unless they are handled here.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
# Of a program with AddressSanitizer: another library may be loaded before it, and what others leak is known.
os.environ.setdefault("ASAN_OPTIONS", "verify_asan_link_order=0")
os.environ.setdefault("LSAN_OPTIONS", f"suppressions={ROOT}/tests/sanitizers/leaks.supp:print_suppressions=0")
os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture(scope="session")
def program_path():
    """The absolute path of the program as str."""
    found = shutil.which(os.environ["MASING_PROGRAM"])
    if found is None:
        pytest.exit(f"no program at {os.environ['MASING_PROGRAM']}: build it first", returncode=1)
    return str(Path(found).resolve())


@pytest.fixture(scope="session")
def masing(program_path):
    """The path of the program; in tests/commands what runs it in a folder."""
    return program_path


@pytest.fixture(scope="session")
def in_process(program_path):
    """in_process(folder, command, *words) computes a command with the module beside the program, in this process, where
    the words would be those of its command line in `folder`. It gives the bytes of the result file, b"" with --output,
    and raises MasingError, with the message and the exit code of the program, if that refuses. Where no module can be
    used the program is started."""
    from masing import native, program

    def call(folder, command, *words):
        words = [*["--quiet"] * ("--quiet" not in words), *map(str, words)]
        given = []  # names and values; an option and its value are one word or two
        for word, following in zip(words, [*words[1:], "--"], strict=True):
            name, sign, value = word.partition("=")
            if name.startswith("--"):
                given.append((name[2:], value if sign else None if following.startswith("--") else following))
        with contextlib.chdir(folder):
            if module := native.usable({name.replace("-", "_"): True for name, _ in given}):
                return native.run(module, command, given, None, {})[0]
            output = Path("in-process.h5")
            more = [] if any(name == "output" for name, _ in given) else [f"--output={output}"]
            answer = program.run(program_path, command, *words, *more)
            if not output.exists():  # a scan whose points fail writes its file and exits with 1
                answer.require(0, 3)
            content = output.read_bytes() if more else b""
            output.unlink(missing_ok=True)
            return content
    return call


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the tests that take long, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; runs with --long only")
    config.addinivalue_line("markers", "first(n): the first n of its parameters always run, others with --long only")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    of_test = {}
    for item in items:
        if first := item.get_closest_marker("first"):
            cases = of_test.setdefault((item.path, item.originalname), [])
            cases.append(item)
            if len(cases) > first.args[0]:
                long.append(item)
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def long(pytestconfig):
    """Whether what repeats is to repeat many times."""
    return pytestconfig.getoption("--long")
