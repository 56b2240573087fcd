"""Fixtures: the synthetic files, and the scripts called as a user calls them."""

import sys

import matplotlib
import oracle
import pytest
import report
import synthetic
from outputs import Page
from masing import style


@pytest.fixture(scope="session", autouse=True)
def no_layout():
    """Draw without finding a layout first, which takes most of the time; the tests in the browser find it."""
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        yield


@pytest.fixture
def run_script(capsys, monkeypatch):
    """Call a script's main as the command line does; gives (exit code, stdout, stderr)."""
    def call(script, *arguments):
        monkeypatch.setattr(sys, "argv", [f"{script.__name__}.py", *map(str, arguments)])
        code = 0
        try:
            script.main()
        except SystemExit as leaving:
            code = leaving.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err
    return call


@pytest.fixture(scope="session")
def made(in_process):
    """Compute a command of the program with these words, which must succeed; gives its result file, at this path."""
    def call(command, path, *words):
        path.write_bytes(in_process(path.parent, command, *words))
        return path
    return call


@pytest.fixture
def result_of(made, tmp_path):
    """The same, in a folder of the test's own."""
    return lambda command, name, *words: made(command, tmp_path / name, *words)


@pytest.fixture(scope="session")
def whole_run(made, tmp_path_factory):
    """A file of masing simulate with the field and the energy."""
    return made("simulate", tmp_path_factory.mktemp("whole") / "run.h5", "--cells=20", "--steps=50000",
                "--sample-every=50", "--from=400", "--energy", "--field-every=100")


@pytest.fixture
def undrawn(monkeypatch):
    """Pages and their files get empty pictures; only what is about pictures needs them."""
    monkeypatch.setattr(style, "encoded", lambda figure, kind: b"<svg/>")


@pytest.fixture
def page_of(run_script, tmp_path, request):
    """Write the page on the files and read it; its pictures are drawn where a test is about them, too."""
    def write(*arguments, drawn=False, options=("--files-only",)):
        if not drawn:
            request.getfixturevalue("undrawn")
        output = tmp_path / "page.html"
        code, out, err = run_script(report, *arguments, *options, "--page-only", "-o", output)
        assert (code, out, err) == (0, f"{output}\n", "")
        return Page(output.read_text(encoding="utf-8"))
    return write


@pytest.fixture(scope="session")
def papers_case():
    """Samples of the papers' case for P = 3 in the last 100 of T = 500."""
    samples = oracle.papers_case(3, 20000, 500, 4)
    return samples[:, samples[0] >= 400]


@pytest.fixture
def run_file(tmp_path, papers_case):
    """A file of masing simulate."""
    return synthetic.write_run(tmp_path / "cycle.h5", papers_case)


@pytest.fixture
def study_file(tmp_path, papers_case):
    """A file of masing converge: four levels, order one, as expected."""
    return synthetic.write_study(tmp_path / "study.h5", synthetic.ladder(), synthetic.fit(), papers_case)
