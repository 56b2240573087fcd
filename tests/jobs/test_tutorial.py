"""The tutorial runs, and the output that it is shown with is what it gives."""

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("xarray")

NOTEBOOK = Path(__file__).resolve().parents[2] / "jobs" / "tutorial.ipynb"
# What the pictures in it may take, in bytes.
LARGEST = 220_000


def said(cell):
    """The output of a cell as texts, without its pictures and without progress, which is empty at the end.

    What is printed comes in one piece or in several, as it happens.
    """
    outputs = cell.get("outputs", [])
    printed = "".join(output["text"] for output in outputs if output["output_type"] == "stream")
    texts = [output.get("data", {}).get("text/html") or output.get("data", {}).get("text/plain") for output in outputs]
    return [re.sub('src="data:[^"]*"', "", text) for text in [printed, *texts] if text]


def test_the_tutorial_gives_the_output_that_it_shows(masing, monkeypatch):
    monkeypatch.setenv("MASING_PROGRAM", str(Path(masing).resolve()))
    monkeypatch.setenv("MPLBACKEND", "Agg")  # as where there is no display: pictures are shown all the same
    shown = nbformat.read(NOTEBOOK, as_version=4)
    again = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(again, resources={"metadata": {"path": str(NOTEBOOK.parent)}}, timeout=600).execute()
    for before, after in zip(shown.cells, again.cells, strict=True):
        assert said(after) == said(before), f"{before.source}\nshows something else: execute {NOTEBOOK} again"
    pictures = ["image/png" in output.get("data", "") for cell in again.cells for output in cell.get("outputs", [])]
    assert sum(pictures) == 5
    assert NOTEBOOK.stat().st_size < LARGEST
