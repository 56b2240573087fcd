"""The documents: their links lead somewhere, and what they show is what their commands print; the studies of waves that
jobs/waves.sh makes have the orders that theory gives them; the tutorial gives the output that it shows."""

import re
from pathlib import Path

import numpy as np
import pytest
from processes import ran
from result_files import study
from scipy import signal

import masing

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "src/slab", "src/parallel", "src/library", "jobs", "analysis", "tests")
DOCUMENTS = ["README.md", "CHANGELOG.md", *(f"{folder}/README.md" for folder in FOLDERS)]
COMMANDS = ("mkdir -p results", "build/masing ", "/usr/bin/python3 analysis/", "awk ", "printf ")


def headings(path):
    """The names of a document's headings in links."""
    found = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_every_link_leads_to_a_heading_or_a_file():
    links = [(ROOT / name, *link) for name in DOCUMENTS for link in re.findall(
        r"\]\(((?:(?:\.\./|[\w-]+/)*[\w-]+\.\w+)?)(?:#([\w-]+))?\)", (ROOT / name).read_text(encoding="utf-8"))]
    assert len(links) > 60
    for document, file, heading in links:
        target = document.parent / file if file else document
        assert target.exists() and (not heading or heading in headings(target)), f"{document}: {file}#{heading}"


def test_the_citation_the_readme_and_the_package_have_the_version_of_the_program(masing):
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert {"cff-version", "message", "title", "authors"} <= set(re.findall(r"^([a-z-]+):", citation, re.MULTILINE))
    version = re.search(r'^version: "(.*)"$', citation, re.MULTILINE)[1]
    assert re.search(rf"\b{re.escape(version)}\b", ran(masing, "--version", check=True).stdout)
    assert f"version = {{{version}, revision" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f'\nversion = "{version}"\n' in (ROOT / "analysis" / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\n__version__ = "{version}"\n' in (ROOT / "analysis/masing/__init__.py").read_text(encoding="utf-8")


def shown(text):
    """The commands in the indented blocks of a text, and the other lines of these, as they stand."""
    blocks = re.sub(r"\\\n\s*", "", "\n".join(line[4:] for line in text.splitlines() if line.startswith("    ")))
    commands = [line for line in blocks.splitlines() if line.startswith(COMMANDS)]
    return commands, [line for line in blocks.splitlines() if line not in commands]


@pytest.fixture
def clone(masing, tmp_path):
    """A folder with what the commands of the documents need of a clone."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "masing").symlink_to(masing)
    for folder in ("analysis", "jobs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    return tmp_path


def test_the_commands_of_the_readme_print_what_it_shows_and_write_into_results_alone(clone, long):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands, _ = shown(text)
    assert len(commands) == 8
    said = ""
    for command in commands:
        if long or "python3" not in command:  # pictures take long
            done = ran("sh", "-c", command, cwd=clone, check=True)
            said += done.stderr + done.stdout
    assert sorted(path.name for path in clone.iterdir()) == ["analysis", "build", "jobs", "results"]
    parts = [text[text.index(f"## {part}"):].split("\n## ", 1)[0] for part in ("A first run", "A study")]
    lines = [line.rstrip() for part in parts for line in shown(part)[1]]
    assert len(lines) == 11
    for line in lines:
        assert re.search(re.escape(line).replace("…", ".*"), said), line  # … stands for what is left out


@pytest.mark.long
def test_the_commands_of_the_page_on_running_succeed(clone):
    """All but the benchmark, which takes a minute, and those of a case of the user's own."""
    commands, _ = shown((ROOT / "jobs" / "README.md").read_text(encoding="utf-8"))
    assert len(commands) == 10
    (clone / "results").mkdir()
    for command in commands:
        if "masing benchmark" not in command:
            ran("sh", "-c", command, cwd=clone, check=True)


@pytest.mark.long
def test_the_first_steps_of_the_page_on_analysis_make_the_pictures_and_pages_that_it_names(clone):
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    commands, _ = shown(text[text.index("## First steps"):text.index("## From Python")])
    assert len(commands) == 6
    for command in commands:
        ran("sh", "-c", command, cwd=clone, check=True)
    made = {path.name for path in (clone / "results").iterdir()}
    assert {"run.png", "report.html", "run-identified-continuous.ini"} <= made, made


def test_the_table_of_the_page_on_analysis_is_judged_as_it_shows(clone):
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    part = text[text.index("**Example.**"):text.index("## Other methods")]
    command = re.search("`judge.py (.*)` prints", part)[1]
    lines = shown(part)[1]
    (clone / "table.csv").write_text("\n".join(line for line in lines if "," in line.split()[0]), encoding="utf-8")
    done = ran("sh", "-c", f"/usr/bin/python3 analysis/judge.py {command}", cwd=clone)
    verdicts = [line for line in lines if "," not in line.split()[0]]
    assert len(verdicts) == 4 and done.returncode == 3
    for line in verdicts:
        assert line in done.stdout.replace("\N{NO-BREAK SPACE}", " "), done.stdout + done.stderr


def peak(record, **options):
    """The largest |x| of the frame of the page on analysis under a record (t, a)."""
    run = masing.simulate(base_acceleration=record, stiffness=4 * np.pi**2, threshold="0.005+0.03*s", damping=0.5,
                          cells="inf", final_time=20, sample_every=1, **options)
    return np.abs(run.x).max()


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_the_errors_of_records_are_those_of_the_page_on_analysis():
    """Records of noise of 0.5 to 10 Hz."""
    t = 0.01 * np.arange(2001)
    band = signal.butter(2, [0.5, 10], "band", fs=100, output="sos")
    errors = []
    for seed in range(40):
        a = signal.sosfilt(band, np.random.default_rng(seed).standard_normal(2001)) * t * np.exp(-t / 4)
        record = t, 3 * a / np.abs(a).max()
        exact = peak(record, engine="exact", steps=20000)
        errors.append([abs(peak(record, scheme=scheme, steps=steps) / exact - 1) for scheme, steps in
                       (("euler", 2000), ("euler", 20000), ("leapfrog", 2000))])
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    for name, of_schemes in (("median", np.median(errors, axis=0)), ("largest", np.max(errors, axis=0))):
        assert f"| {name} | {' | '.join(f'{error:.1e}' for error in of_schemes)} |" in text


def test_scripts_refuse_what_they_do_not_know(tmp_path):
    for script in ("jobs/quickstart.sh", "jobs/gallery.sh", "jobs/waves.sh", "tests/run.sh"):
        answer = ran("bash", ROOT / script, "--wrong", cwd=tmp_path)
        assert answer.returncode == 2 and "unknown argument '--wrong'" in answer.stdout + answer.stderr
        assert ran("bash", ROOT / script, "--help", cwd=tmp_path, check=True).stdout and not list(tmp_path.iterdir())


@pytest.mark.parametrize("wave", ("loading", "unloading", "reversals"))
@pytest.mark.parametrize("slab", ("smooth", "papers"))
def test_a_wave_has_the_orders_of_its_kinks(in_process, tmp_path, slab, wave):
    """A smooth wave is of order two. Leapfrog's dispersion, of order h² in the third derivative, spreads a kink of the
    velocity over a width of h^(2/3): y then has the order 2/3, in the mean square 2/3 + 1/3, and x, over which the
    spread kink passes in a time of this order, has at least 4/3. The levels are shorter than those of the case."""
    case = ROOT / "jobs" / "cases" / f"wave-{slab}-{wave}.ini"
    n, steps = map(int, re.search("^levels = (.*)$", case.read_text("utf-8"), re.MULTILINE)[1].split(":")[:2])
    levels = (50, 100, 200, 400) if slab == "smooth" else (100, 200, 400, 800)
    (tmp_path / "s.h5").write_bytes(in_process(tmp_path, "converge", f"--config={case}", "--levels=" + ",".join(
        f"{each}:{each * steps // n}" for each in levels)))
    found = study(tmp_path / "s.h5")
    orders = {q: found["cases"][f"order_{q}"][-2] for q in ("x", "y", "x_rms", "y_rms")}
    expected = {found.get(f"expected_{q}") for q in orders}
    if slab == "smooth" and wave != "reversals":
        # The next term of the error is smaller by the square of h over the width of a front, less than (0.01/0.1)².
        assert expected == {"2"} and all(abs(order - 2) < 0.02 for order in orders.values()), orders
    else:
        # The places of a kink between two nodes make the order between two levels jitter.
        assert expected == {None} and orders["x"] > 4 / 3 - 0.2, orders
        assert abs(orders["y"] - 2 / 3) < 0.12 and abs(orders["y_rms"] - 1) < 0.2, orders


@pytest.mark.long
def test_the_tutorial_gives_the_output_that_it_shows(masing, monkeypatch):
    nbformat, nbclient, _, _ = map(pytest.importorskip, ("nbformat", "nbclient", "ipykernel", "xarray"))
    notebook = ROOT / "jobs" / "tutorial.ipynb"
    monkeypatch.setenv("MASING_PROGRAM", str(Path(masing).resolve()))
    monkeypatch.setenv("MPLBACKEND", "Agg")  # as where there is no display: pictures are shown all the same

    def said(cell):
        """Its output as texts; what is printed comes in one piece or in several, as it happens."""
        outputs = cell.get("outputs", [])
        printed = "".join(output["text"] for output in outputs if output["output_type"] == "stream")
        data = [output.get("data", {}) for output in outputs]
        texts = [printed, *(each.get("text/html") or each.get("text/plain") for each in data)]
        return [re.sub('src="data:[^"]*"', "", text) for text in texts if text]

    before, after = (nbformat.read(notebook, as_version=4) for _ in range(2))
    nbclient.NotebookClient(after, resources={"metadata": {"path": str(notebook.parent)}}, timeout=600).execute()
    for one, other in zip(before.cells, after.cells, strict=True):
        assert said(other) == said(one), f"{one.source}\nshows something else: execute {notebook} again"
    assert sum("image/png" in output.get("data", "") for cell in after.cells for output in cell.get("outputs", [])) == 6
