"""The style of the figures: sizes, colours, logarithmic axes, reproducible files."""

import base64
import io

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from masing.command_line import write_file
from masing.notation import power_of_ten

# Those of Okabe and Ito's colours that also stand out from white paper, by a contrast of 3 and more.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D")
LINES = ("-", "--", "-.", ":")
GREY = "#555555"
# The exact curve behind a computed one: wider, so that it is visible where the two coincide.
BEHIND = {"color": "#999999", "linewidth": 4.0, "solid_capstyle": "round"}

# Inches. A panel stays legible when a phone shows it 340 pixels wide.
PANEL = (4.5, 3.4)

X_LABEL = "displacement x"
RESTORING_LABEL = "restoring force F − m x″"
# Numbers of this size, the end of an unstable run, cannot be drawn.
HUGE = 1e100
# The multiples of a power of ten that a logarithmic axis may label, the fewest first.
DIGITS = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), range(1, 10))

PARAMETERS = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 6,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "hatch.color": "#555555",
    "hatch.linewidth": 0.5,
    "savefig.dpi": 200,
    "svg.fonttype": "path",
    # The same figure gives the same bytes.
    "svg.hashsalt": "masing",
}

UNDATED = {"png": {"Software": "masing"}, "svg": {"Date": None, "Creator": "masing"},
           "pdf": {"CreationDate": None, "Creator": "masing"}}


def apply():
    """Draw in this style from here on: for scripts, which are alone."""
    matplotlib.rcParams.update(PARAMETERS)


def applied():
    """A context that draws in this style, and leaves that of the session, a notebook's, as it is."""
    return matplotlib.rc_context(PARAMETERS)


def figure(width=1.0, height=1.0):
    """An empty figure whose width and height are multiples of a panel's."""
    return Figure(figsize=(width * PANEL[0], height * PANEL[1]))


def drawable(*columns):
    """Which rows [n] of the columns are finite numbers of a size that can be drawn."""
    return np.all([np.abs(column) < HUGE for column in columns], axis=0)


def drawable_in_logarithm(abscissa, errors):
    """Which points a log-log figure can show: those with positive, finite coordinates of a size that can be drawn."""
    return drawable(abscissa, errors) & (abscissa > 1 / HUGE) & (errors > 1 / HUGE)


def label_decades(*axes):
    """Label the powers of ten of logarithmic axes; on a short one also multiples, for at least three labels."""
    for axis in axes:
        low, high = axis.get_view_interval()
        decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        ticks = [np.outer(decades, digits).ravel() for digits in DIGITS]
        ticks = [each[(each >= low) & (each <= high)] for each in ticks]
        enough = next((each for each in ticks if len(each) >= 3), None)
        if enough is not None:
            axis.set_ticks(enough)
            axis.set_major_formatter(lambda value, _: power_of_ten(value))
            axis.set_minor_formatter(NullFormatter())
        axis.grid(True, which="minor", linewidth=0.3)


def save(drawing, path):
    """Write a figure to the path, whose ending gives the kind of file; raises UserError if that fails."""
    write_file(path, encoded(drawing, path.suffix.lower()[1:]))


def encoded(drawing, kind):
    """A figure as the bytes of a file of kind "png", "svg" or "pdf"."""
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=kind, metadata=UNDATED[kind])
    return buffer.getvalue()


def data_uri(svg):
    """The bytes of an SVG as a data URI, so that a page holds its pictures and their ids cannot clash."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
