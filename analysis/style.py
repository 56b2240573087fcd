"""The one style of every figure: sizes, colours that the colour-blind can tell apart, reproducible files."""

import base64
import io

import matplotlib

matplotlib.use("Agg")

# Those of Okabe and Ito's colours that also stand out from white paper, by a contrast of 3 and more.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D")
LINES = ("-", "--", "-.", ":")
GREY = "#555555"
# The exact curve behind a computed one: seen at its sides even where they coincide.
BEHIND = {"color": "#999999", "linewidth": 4.0, "solid_capstyle": "round"}

# Inches. A panel stays legible when a phone shows it 340 pixels wide.
PANEL = (4.5, 3.4)

matplotlib.rcParams.update({
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
})

UNDATED = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def encoded(figure, kind):
    """The figure as the bytes of a file of kind "png", "svg" or "pdf"."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, metadata=UNDATED[kind])
    return buffer.getvalue()


def data_uri(svg):
    """The bytes of an SVG as a data URI, so that a page holds its pictures and their ids cannot clash."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
