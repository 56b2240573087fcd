"""The style of the figures: sizes, colours, logarithmic axes, reproducible files."""

import base64
import io

import matplotlib
import numpy as np
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from masing.command_line import write_file
from masing.notation import measured, minus, tick

# Those of Okabe and Ito's colours that also stand out from white paper, by a contrast of 3 and more.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D")
LINES = ("-", "--", "-.", ":")
GREY = "#555555"
# The exact curve behind a computed one: wider, so that it is visible where the two coincide.
BEHIND = {"color": "#999999", "linewidth": 4.0, "solid_capstyle": "round"}

# Inches. Two panels beside each other on a printed page, 80 mm each, keep letters of 10 points above 8.
PANEL = (3.9, 2.95)

X_LABEL = "displacement x"
# Of what is measured, or of several models.
RESTORING_LABEL = "restoring force f"
# More numbers along a linear axis would touch each other.
MOST_TICKS, MOST_DECADES = 6, 7
# A record with more reversals than this is coloured by time; as one line it would be a blot.
MANY_REVERSALS = 18
# A vector file of more pieces than this would be megabytes.
MOST_PIECES = 7200
# Light to dark, from early to late or few cells to many, visible on white, and the same to the colour-blind.
SEQUENCE = ListedColormap(matplotlib.colormaps["viridis_r"](np.linspace(0.22, 1, 256)))
BY_TIME = "by time"
# The multiples of a power of ten that a logarithmic axis may label, the fewest first.
DIGITS = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7), range(1, 10))

# Where a first and a second slope triangle lie between the smallest (0) and the largest (1) step, in logarithms.
TRIANGLES = ((0.55, 0.9), (0.1, 0.45))
# A triangle is below the lowest curve by this factor, and by this part of the axis, more than a marker.
GAP, PART_OF_AXIS = 1.8, 0.12

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
    "hatch.linewidth": 0.7,
    "savefig.dpi": 200,
    # Of a curve that is run through again and again the points that no figure can tell apart are left out.
    "path.simplify_threshold": 0.3,
    "svg.fonttype": "path",
    # Publishers refuse Type 3.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    # A number on an axis is the value, not what is left of an offset.
    "axes.formatter.useoffset": False,
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


def frame(width=1.0, height=1.0, **settings):
    """A figure with one frame, and its Axes with these settings."""
    drawing = figure(width, height)
    return drawing, drawing.add_subplot(**settings)


def colours(count):
    """The colours of `count` curves in their order: told apart where they are few, else from light to dark."""
    return COLOURS[:count] if count <= len(COLOURS) else list(SEQUENCE(np.linspace(0, 1, count)))


def label_decades(*axes):
    """Label some powers of ten of logarithmic axes, on short ones also multiples, for three labels at least."""
    for axis in (each for each in axes if each.get_scale() == "log"):
        low, high = axis.get_view_interval()
        decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        ticks = [np.outer(decades, digits).ravel() for digits in DIGITS]
        ticks = [each[(each >= low) & (each <= high)] for each in ticks]
        enough = next((each for each in ticks if len(each) >= 3), None)
        if enough is not None:
            axis.set_ticks(enough[:: -(-len(enough) // MOST_DECADES)])
            axis.set_major_formatter(lambda value, _: measured(value, 1, plain=()))
            axis.set_minor_formatter(NullFormatter())
        axis.grid(True, which="minor", linewidth=0.3)


def draw_triangle(axes, curves, exponent, place=0):
    """Draw the `place`-th triangle of slope `exponent` below the curves [(h, error), ...] if one has two points."""
    curves = [(np.log(h), np.log(error)) for h, error in curves if len(h) > 1]
    if not curves:
        return
    first, last = min(h[0] for h, _ in curves), max(h[-1] for h, _ in curves)
    left, right = (first + part * (last - first) for part in TRIANGLES[place % len(TRIANGLES)])
    # The hypotenuse must be below every curve: straight between the points, so that ends and points tell.
    places = np.unique(np.r_[left, right, *(h[(left < h) & (h < right)] for h, _ in curves)])
    room = [np.interp(places, h, error) - exponent * (places - left) for h, error in curves]
    bottom = np.min(room) - max(np.log(GAP), PART_OF_AXIS * np.ptp(np.log(axes.get_ylim())))
    rise, falls = exponent * (right - left), exponent < 0
    # The right angle is below the hypotenuse.
    angle = (left, bottom + rise) if falls else (right, bottom)
    axes.fill(*np.exp([(left, bottom), angle, (right, bottom + rise)]).T, facecolor="none", edgecolor=GREY, linewidth=1)
    middle, (beside, below) = np.exp(((left + right) / 2, bottom + rise / 2)), np.exp(angle)
    axes.annotate("1", (middle[0], below), (0, -3), textcoords="offset points", ha="center", va="top", color=GREY)
    axes.annotate(minus(f"{exponent:g}"), (beside, middle[1]), (-4 if falls else 4, 0), textcoords="offset points",
                  ha="right" if falls else "left", va="center", color=GREY)


def legend_above(axes, columns=1, entries=()):
    """Put the legend, of all that has a label or of (lines, labels), above the frame, where no curve can be."""
    axes.legend(*entries, loc="lower left", bbox_to_anchor=(0, 1), ncol=columns, borderaxespad=0, handlelength=1.2,
                columnspacing=1, handletextpad=0.5)


def label_values(*axes):
    """Label linear axes with few numbers in full, `-1.5` or `2·10⁻¹⁴`, never with a factor or an offset beside them."""
    for axis in axes:
        axis.set_major_locator(MaxNLocator(MOST_TICKS - 1, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(lambda value, _, axis=axis: tick(value, _digits(axis.get_majorticklocs())))


def _digits(places):
    """How many digits tell the places of ticks apart, four at least."""
    most, step = np.abs(places).max(), np.diff(places).min(initial=np.inf)
    return 4 if not 0 < step < most else max(4, 2 + int(np.floor(np.log10(most)) - np.floor(np.log10(step))))


def line_by_time(axes, t, x, y):
    """Draw a long curve (x, y) [samples], each piece in the colour of its time t; gives what a colour bar takes."""
    points = np.column_stack([x, y])
    pieces = LineCollection(np.stack([points[:-1], points[1:]], axis=1), array=t[:-1], cmap=SEQUENCE, linewidths=0.6,
                            rasterized=len(t) > MOST_PIECES, label=BY_TIME)
    axes.add_collection(pieces)
    axes.autoscale_view()
    return pieces


def curves_of(drawing):
    """The curves of a figure as rows (frame, curve, place of the point, abscissa, ordinate, third), all as drawn.
    Points with a label that are coloured by a value have it as the third. Images and contour lines are no curves."""
    for frame, axes in enumerate(drawing.axes, start=1):
        lines = [(str(line.get_label()), np.array(line.get_data(orig=True))) for line in axes.lines]
        for each in axes.collections:
            if each.get_label() == BY_TIME:
                pieces = np.array(each.get_segments()).reshape(-1, 2, 2)
                lines.append((BY_TIME, np.vstack([pieces[:, 0], pieces[-1:, 1]]).T))
        lines += [(each.get_label(), np.column_stack([each.get_offsets(), each.get_array()]).T)
                  for each in axes.collections
                  if isinstance(each, PathCollection) and not each.get_label().startswith("_")]
        for number, (label, points) in enumerate(lines, start=1):
            name = f"curve {number}" if label.startswith("_") else label
            for place, point in enumerate(points.T if points.size else ()):
                yield frame, name, place, *point


def save(drawing, path):
    """Write a figure to the path, whose ending gives the kind of file; raises MasingError if that fails."""
    write_file(path, encoded(drawing, path.suffix.lower()[1:]))


def save_all(drawings, path):
    """Write figures to the pages of a PDF, or to PATH, PATH-2, … of one figure each; gives the paths."""
    if path.suffix.lower() == ".pdf" and len(drawings) > 1:
        buffer = io.BytesIO()
        with PdfPages(buffer, metadata=UNDATED["pdf"]) as book:
            for drawing in drawings:
                book.savefig(drawing)
        write_file(path, buffer.getvalue())
        return [path]
    paths = [path if n == 1 else path.with_name(f"{path.stem}-{n}{path.suffix}") for n in range(1, len(drawings) + 1)]
    for drawing, each in zip(drawings, paths):
        save(drawing, each)
    return paths


def encoded(drawing, kind):
    """A figure as the bytes of a file of kind "png", "svg" or "pdf"."""
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=kind, metadata=UNDATED[kind])
    return buffer.getvalue()


def data_uri(svg):
    """The bytes of an SVG as a data URI, so that a page holds its pictures and their ids cannot clash."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
