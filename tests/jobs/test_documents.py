"""The documents: their links lead somewhere; what the main README shows is what its commands print."""

import os
import re
import sys
from pathlib import Path

import pytest
from processes import ran

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "src/slab", "src/parallel", "src/library", "jobs", "analysis", "tests")
DOCUMENTS = ["README.md", "CHANGELOG.md", *(f"{folder}/README.md" for folder in FOLDERS)]
COMMANDS = ("mkdir -p results", "build/masing ", "/usr/bin/python3 analysis/")


def headings(path):
    """The names of a document's headings in links."""
    found = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_every_link_to_a_heading_leads_to_one():
    links = [(ROOT / name, *link) for name in DOCUMENTS
             for link in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", (ROOT / name).read_text(encoding="utf-8"))]
    assert len(links) > 30
    for document, file, heading in links:
        target = document.parent / file if file else document
        assert heading in headings(target), f"{document}: {file}#{heading}"


def test_the_citation_has_the_keys_that_its_format_requires_and_the_programs_version(masing):
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert {"cff-version", "message", "title", "authors"} <= set(re.findall(r"^([a-z-]+):", text, re.MULTILINE))
    version = re.search(r'^version: "(.*)"$', text, re.MULTILINE)[1]
    assert re.search(rf"\b{re.escape(version)}\b", ran(masing, "--version", check=True).stdout)
    assert f"version = {{{version}, revision" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_package_has_the_version_of_the_program():
    made = re.search(r"^project\(masing VERSION ([\d.]+) ", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    assert f'\nversion = "{made}"\n' in (ROOT / "analysis" / "pyproject.toml").read_text(encoding="utf-8")


def shown(text):
    """The commands in the indented blocks of a text, and the other lines of these, as they stand."""
    blocks = re.sub(r"\\\n\s*", "", "\n".join(line[4:] for line in text.splitlines() if line.startswith("    ")))
    commands = [line for line in blocks.splitlines() if line.startswith(COMMANDS)]
    return commands, [line for line in blocks.splitlines() if line not in commands]


def test_the_commands_of_the_readme_print_what_it_shows_and_write_into_results_alone(masing, tmp_path, long):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "masing").symlink_to(masing)
    for folder in ("analysis", "jobs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    commands, _ = shown(text)
    assert len(commands) == 8
    said = ""
    for command in (*commands, "build/masing converge --config jobs/cases/proposition-4.1.ini --output results/p.h5"):
        if long or "python3" not in command:  # pictures take long
            done = ran("sh", "-c", command, cwd=tmp_path, check=True)
            said += done.stderr + done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["analysis", "build", "jobs", "results"]
    # A number of columns, and what stands for … in a line, may be left out.
    examples = text[text.index("## Two commands"):text.index("## The model")], text[text.index("It says what"):]
    lines = [line for part in examples for line in shown(part.split("\n## ")[0])[1] if not line.startswith("jobs/")]
    lines = [line for line in lines if not line.startswith("tests/")] + re.findall(r"`(order of x: [^`]*)`", text)
    assert len(lines) > 15
    for line in lines:
        assert re.search(re.escape(line.rstrip()).replace("…", ".*"), said), line


def test_the_errors_of_records_are_those_that_their_script_prints(masing, tmp_path):
    text = (ROOT / "analysis" / "README.md").read_text(encoding="utf-8")
    part = text[text.index("### Records"):text.index("### The material")]
    script, said, *_ = re.findall(r"(?:^    .*\n|^\n(?=    ))+", part, re.MULTILINE)
    (tmp_path / "records.py").write_text(re.sub("^    ", "", script, flags=re.MULTILINE), encoding="utf-8")
    done = ran(sys.executable, "records.py", cwd=tmp_path, check=True,
               env={**os.environ, "PYTHONPATH": str(ROOT / "analysis"), "MASING_PROGRAM": str(masing)})
    assert done.stdout == re.sub("^    ", "", said, flags=re.MULTILINE).lstrip("\n")


@pytest.mark.parametrize("script, words, code, said", [
    *((f"jobs/{name}.sh", *each) for name in ("quickstart", "gallery", "waves") for each in (
        (["-h"], 0, ".sh [FOLDER]"), (["--help"], 0, ".sh [FOLDER]"),
        (["--folder"], 2, "unknown argument '--folder'; see --help"),
        (["a", "b"], 2, "unknown argument 'b'; the only one is the folder"))),
    *(("tests/run.sh", [word], 0, "\n  tests/run.sh [--long] ") for word in ("-h", "--help")),
    *(("tests/run.sh", words, 2, f"run.sh: unknown argument '{words[-1]}'; the only ones are --long and --help\n")
      for words in (["--short"], ["--long", "more"]))])
def test_a_script_says_how_it_is_used(tmp_path, script, words, code, said):
    answer = ran("bash", ROOT / script, *words, cwd=tmp_path)
    assert answer.returncode == code and said in answer.stdout + answer.stderr and not list(tmp_path.iterdir())
