"""A problem on a page: its model with equations, its data, and a thumbnail of each that is a table."""

from collections import namedtuple
from dataclasses import dataclass

from masing import style
from masing.names import POINTS, SYMBOLS, points_of, short_value
from masing.report.equations import equations_of, in_words, typeset
from masing.report.pictures import Picture

# Data that go without saying where they are 0.
SILENT = ("damping", "base-acceleration")
# What a table of a function is over, by the end of its symbol.
ABSCISSAS = {"(s)": "s", "(t)": "time t"}

# One of a problem's data: its symbol, its value in short, and its Picture where it is a table.
Datum = namedtuple("Datum", "symbol value picture", defaults=[None])


@dataclass(frozen=True)
class Problem:
    """What a page says of a problem: the name of its model, the program's words and equations of it, its data, and the
    pictures of those that are tables."""

    id: str
    model: str
    title: str
    equations: list
    data: list

    pictures = property(lambda self: [each.picture for each in self.data if each.picture])


def problem(run, identifier, described):
    """The Problem of a Run under an id of the page; described: the output of masing models MODEL, or None."""
    shown = [key for key in SYMBOLS if run.settings.get(key) and (key not in SILENT or run.settings[key] != "0")]
    keys = shown + [key for key in run.settings if key.startswith("model.")]
    return Problem(identifier, run.model, *in_equations(described), [_datum(run, key) for key in keys])


def in_equations(described):
    """(title, equations as HTML) of a model from the output of masing models MODEL; empty where it is None."""
    text = in_words(described or "")
    return text.partition("\n")[0].partition(": ")[2], [typeset(line) for line in equations_of(text)]


def _datum(run, key):
    value, points = run.settings[key], points_of(run.settings[key])
    symbol = SYMBOLS.get(key, key.removeprefix("model."))
    if points is None or len(points) < 2:
        return Datum(symbol, short_value(value))
    name = f"{run.path.stem}-{key.removeprefix('model.')}"
    what = f"{symbol} of {run.path.name}, {short_value(value)}"
    figure = _thumbnail(points, ABSCISSAS.get(symbol[-3:], "number"), symbol, value.startswith(POINTS))
    return Datum(symbol, f"{short_value(value)}, in {name}.csv", Picture(name, figure, f"Curve of {what}."))


def _thumbnail(points, abscissa, symbol, joined):
    figure = style.figure(0.7, 0.5)
    axes = figure.add_subplot()
    axes.plot(*zip(*points), "-" if joined else ".", color=style.COLOURS[0], linewidth=0.8, label=symbol)
    axes.set(xlabel=abscissa, ylabel=symbol)
    style.label_values(axes.xaxis, axes.yaxis)
    return figure
