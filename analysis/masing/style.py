"""The style of all figures: sizes, colours, labels of axes, slope triangles, and files that are reproducible."""

import io
import re
import textwrap

import matplotlib
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation, LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

from masing.command_line import write_file

# The colours of Okabe and Ito that contrast with white paper by at least 3 to 1; the purple is darkened.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#9E3D80", "#000000")
MARKERS = ("o", "s", "^", "D")
LINES = ("-", "--", "-.", ":")
GREY = "#555555"
# The style of an exact curve behind a computed one: it is wider, so that it is visible where the two coincide.
BEHIND = {"color": "#999999", "linewidth": 4.0, "solid_capstyle": "round"}

# The width and the height of a panel in inches. If two panels are printed beside each other on a page, each 80 mm wide,
# letters of 10 points are still larger than 8 points.
PANEL = (3.9, 2.95)
# An image over time has at most this many columns of pixels.
MOST_COLUMNS = 600

X_LABEL = "displacement x"
# The label of an axis for restoring forces that were measured, or that different models define differently.
RESTORING_LABEL = "restoring force f"
# If a frame has more curves than this, a colour scale names them and not a legend. The scale names MOST_TICKS of them.
MOST_NAMED, MOST_TICKS = 8, 6
# A line of a legend has LETTERS letters in an inch; the line in front of a name takes as much as LINE_LETTERS.
LETTERS, LINE_LETTERS = 10, 4
# A colour map from light to dark that is visible on white, and that colour-blind readers can distinguish.
SEQUENCE = ListedColormap(matplotlib.colormaps["viridis_r"](np.linspace(0.3, 1, 256)))
# The left and the right end of the first and of the second slope triangle of a figure. An end is a position on the
# logarithmic horizontal axis, on which the smallest step of the curves is at 0 and the largest at 1.
TRIANGLES = ((0.55, 0.9), (0.1, 0.45))
# A triangle is below the lowest curve by the factor GAP or, if this is more, by this part of the vertical axis.
GAP, PART_OF_AXIS = 1.8, 0.12

PARAMETERS = {
    "font.size": 11,
    "axes.titlesize": "medium",
    "figure.labelsize": "medium",
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "hatch.linewidth": 0.7,
    "savefig.dpi": 300,
    # Vertices that move a line by less than 0.3 pixels are omitted, so that curves of many cycles give smaller files.
    "path.simplify_threshold": 0.3,
    # Fonts are embedded as TrueType (Type 42), because publishers do not accept Type 3 fonts.
    "pdf.fonttype": 42,
    # Labels of axes are the values themselves, or these with a common power of ten beside the axis.
    "axes.formatter.useoffset": False,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 4),
    # With a fixed salt the ids in an SVG file are reproducible, so that the same figure has the same bytes.
    "svg.hashsalt": "masing",
}

UNDATED = {"png": {"Software": "masing"}, "svg": {"Date": None, "Creator": "masing"},
           "pdf": {"CreationDate": None, "Creator": "masing"}}


def apply():
    """Set this style for all later figures of the process; only scripts call this function."""
    matplotlib.rcParams.update(PARAMETERS)


def applied():
    """Return a context manager for drawing in this style; afterwards the previous style of the session is restored."""
    return matplotlib.rc_context(PARAMETERS)


def figure(width=1.0, height=1.0):
    """Return an empty figure that is `width` times as wide and `height` times as high as a panel."""
    return Figure(figsize=(width * PANEL[0], height * PANEL[1]))


def frame(width=1.0, height=1.0, **settings):
    """Return a figure with one frame, and the Axes of the frame with the given settings."""
    drawing = figure(width, height)
    return drawing, drawing.add_subplot(**settings)


def colours(count):
    """Return `count` colours for curves: the first of COLOURS if they suffice, otherwise colours from light to dark."""
    return COLOURS[:count] if count <= len(COLOURS) else list(SEQUENCE(np.linspace(0, 1, count)))


def label_decades(*axes):
    """Label those of the axes that are logarithmic: powers of ten, or more numbers if the axis has less than two.

    Equidistant numbers are labels only on a short axis, because the largest ones of a long axis would overlap.
    """
    for axis in (each for each in axes if each.get_scale() == "log"):
        low, high = axis.get_view_interval()
        if high < 10 * low:
            is_short = high < 5 * low
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]) if is_short else LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(ScalarFormatter())
        else:
            axis.set_major_locator(LogLocator(subs=(1, 3) if high < 100 * low else (1,), numticks=7))
            axis.set_major_formatter(LogFormatterSciNotation(minor_thresholds=(np.inf, np.inf)))
        axis.set_minor_formatter(NullFormatter())
        axis.grid(True, which="minor", linewidth=0.6)


def draw_triangle(axes, curves, exponent, place=0):
    """Draw a triangle of slope `exponent` below those curves [(h, error), ...] that have at least two points.

    `place` is the number of the triangle in the figure, counted from 0; see TRIANGLES.
    """
    curves = [(np.log(h), np.log(error)) for h, error in curves if len(h) > 1]
    if not curves:
        return
    first, last = min(h[0] for h, _ in curves), max(h[-1] for h, _ in curves)
    left, right = (first + part * (last - first) for part in TRIANGLES[place % len(TRIANGLES)])
    # The hypotenuse must be below every curve. The curves are straight between their points, so it is sufficient to
    # compare them with the hypotenuse at its ends and at the points between.
    places = np.unique(np.r_[left, right, *(h[(left < h) & (h < right)] for h, _ in curves)])
    room = [np.interp(places, h, error) - exponent * (places - left) for h, error in curves]
    bottom = np.min(room) - max(np.log(GAP), PART_OF_AXIS * np.ptp(np.log(axes.get_ylim())))
    top = bottom + exponent * (right - left)
    # The corner with the right angle is below the hypotenuse.
    corners = np.exp([(left, bottom), (right, bottom), (right, top)])
    axes.fill(*corners.T, facecolor="none", edgecolor=GREY, linewidth=1)
    text = {"textcoords": "offset points", "color": GREY}
    axes.annotate("1", np.exp(((left + right) / 2, bottom)), (0, -3), ha="center", va="top", **text)
    axes.annotate(f"{exponent:g}", np.exp((right, (bottom + top) / 2)), (4, 0), ha="left", va="center", **text)


def legend(axes, inside=False):
    """Name the curves of a frame: above it, or inside it at a place that they leave free.

    More than MOST_NAMED curves, which must have the colours colours(count), are named by a colour bar beside the frame.
    """
    lines, names = axes.get_legend_handles_labels()
    if len(names) > MOST_NAMED:
        bar = axes.figure.colorbar(ScalarMappable(Normalize(0, len(names) - 1), SEQUENCE), ax=axes, aspect=30)
        places = np.linspace(0, len(names) - 1, MOST_TICKS).round().astype(int)
        bar.set_ticks(places, labels=[names[n].replace(", ", "\n") for n in places])
        bar.ax.grid(False)
    elif names:
        width = int(LETTERS * axes.figure.get_figwidth() / axes.get_subplotspec().get_gridspec().ncols) - LINE_LETTERS
        names = [textwrap.fill(name, width) for name in names]
        columns = max(1, width // (max(map(len, names)) + LINE_LETTERS))
        where = {"loc": "best"} if inside else {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncol": columns}
        # A power of ten of the axis would stand at the place of the legend; its end is now where the legend begins.
        axes.yaxis.get_offset_text().set_horizontalalignment("right")
        axes.legend(lines, names, borderaxespad=0, handlelength=1.2, columnspacing=1, handletextpad=0.5, **where)


def image(axes, t, places, values, **bar):
    """Draw values [times, places] over t, from blue through white to red, which colour-blind readers can distinguish.

    `bar` are the properties of the colour bar. No grid is drawn on the image.
    """
    most = float(np.abs(values).max()) or 1.0
    # The mesh is rasterized, because its rectangles would take megabytes in a vector file.
    mesh = axes.pcolormesh(t, places, values.T, cmap="RdBu_r", vmin=-most, vmax=most, shading="nearest",
                           rasterized=True)
    axes.figure.colorbar(mesh, ax=axes, **bar)
    axes.grid(False)


def save(drawing, path):
    """Write a figure to the path, whose ending determines the format; raises MasingError if it cannot be written."""
    write_file(path, encoded(drawing, path.suffix.lower()[1:]))


def encoded(drawing, kind):
    """Return a figure as the bytes of a file of the format `kind`: "png", "pdf", or "svg", all on one line."""
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=kind, metadata=UNDATED[kind])
    return re.sub(rb"\s*\n\s*", b" ", buffer.getvalue()) if kind == "svg" else buffer.getvalue()
