"""What the tests look at of what a script gives: the words and numbers of a page, one line of a mistake, and what a
Python of its own that imports masing from this clone prints."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import masing
from masing import program

ANALYSIS = Path(masing.__file__).resolve().parents[1]


def one_line(result, *words, code=2):
    """Check that a script ended with this exit code and one line on stderr that holds the words."""
    found, out, err = result
    assert found == code and out == "" and err.count("\n") == 1 and "Traceback" not in err
    for word in words:
        assert str(word) in err


def lines_of(script, *launcher, **variables):
    """The lines that Python prints for a script; it must end well, and say nothing on stderr."""
    environment = os.environ | {"PYTHONPATH": str(ANALYSIS), "MASING_PROGRAM": program.required(), **variables}
    done = subprocess.run([*launcher, sys.executable, "-W", "ignore", "-c", script], env=environment, timeout=600,
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), script
    return done.stdout.splitlines()


def labels_that_touch(figure):
    """The pairs of labels of ticks of one axis of a figure whose boxes overlap, once its layout is found."""
    figure.set_layout_engine("constrained")
    figure.draw_without_rendering()
    touching = []
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) if axes.get_visible()):
        low, high = sorted(axis.get_view_interval())
        labels = [(tick.label1.get_text(), tick.label1.get_window_extent()) for tick in
                  axis.get_major_ticks() + axis.get_minor_ticks()
                  if low <= tick.get_loc() <= high and tick.label1.get_visible() and tick.label1.get_text()]
        touching += [(one, other) for n, (one, box) in enumerate(labels) for other, next_box in labels[n + 1:]
                     if box.overlaps(next_box)]
    return touching


def number(text):
    """The number that a page shows as −2.7·10⁻¹⁴."""
    mantissa, _, power = re.sub("^(?=10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "1·", text).partition("·10")
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(mantissa.replace("−", "-")) * 10.0 ** int(exponent or 0)


class Page(HTMLParser):
    """The page: its words, the <data> values, all addresses, ids and alternative texts."""

    def __init__(self, html):
        super().__init__()
        self.words, self.values, self.addresses, self.ids, self.alternatives = "", [], [], [], []
        self._shown = True
        self.feed(html)
        self.words = " ".join(self.words.split())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._shown = tag != "style"
        self.words += " " if tag in ("td", "th") else ""
        self.addresses += [given[key] for key in ("src", "href") if key in given]
        self.ids += [given["id"]] if "id" in given else []
        self.values += [float(given["value"])] if tag == "data" else []
        self.alternatives += [given.get("alt", "")] if tag == "img" else []

    def handle_data(self, data):
        self.words += data if self._shown else ""
