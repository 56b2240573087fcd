"""The style of all figures: sizes, colours, labels of axes, slope triangles, and files that are reproducible."""

import base64
import io
import re

import matplotlib
import numpy as np
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullFormatter

from masing.command_line import write_file
from masing.text import measured, minus, tick

# The colours of the palette of Okabe and Ito that have a contrast ratio of at least 3 to white paper. Its purple is
# darkened, because it is pale in thin lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#9E3D80", "#000000")
MARKERS = ("o", "s", "^", "D")
LINES = ("-", "--", "-.", ":")
GREY = "#555555"
# The style of an exact curve that is drawn behind a computed one. The exact curve is wider, so that it is visible where
# the two curves coincide.
BEHIND = {"color": "#999999", "linewidth": 4.0, "solid_capstyle": "round"}

# The width and the height of a panel in inches. If two panels are printed beside each other on a page, each 80 mm wide,
# letters of 10 points are still larger than 8 points.
PANEL = (3.9, 2.95)
# An image over time has at most this many columns of pixels.
MOST_COLUMNS = 600

X_LABEL = "displacement x"
# The label of an axis for restoring forces that were measured, or that different models define differently.
RESTORING_LABEL = "restoring force f"
# The largest number of labels on a linear axis and of labels on a logarithmic axis; more labels would overlap.
MOST_TICKS, MOST_DECADES = 6, 7
# If a frame has more curves than this, a colour scale names them and not a legend.
MOST_NAMED = 8
# A curve with more reversals of x than this, whose range also changes, is coloured by time. In one colour its loops
# could not be distinguished.
MANY_REVERSALS = 18
# If a curve that is coloured by time has at least this many line segments, it is rasterized, because it would take
# several megabytes in a vector file.
MOST_SEGMENTS = 7200
# A colour map from light to dark, for early to late times or for few to many cells. All its colours are visible on
# white, and colour-blind readers can distinguish them.
SEQUENCE = ListedColormap(matplotlib.colormaps["viridis_r"](np.linspace(0.3, 1, 256)))
BY_TIME = "by time"
# Sets of the multiples of each power of ten that a logarithmic axis may label. The first set that gives at least three
# labels is used.
DIGITS = ((1,), (1, 3), (1, 2, 5), (1, 2, 3, 5, 7))

# The left and the right end of the first and of the second slope triangle of a figure. An end is a position on the
# logarithmic horizontal axis, on which the smallest step of the curves is at 0 and the largest at 1.
TRIANGLES = ((0.55, 0.9), (0.1, 0.45))
# A triangle is below the lowest curve by the factor GAP or, if this is more, by the fraction PART_OF_AXIS of the length
# of the vertical axis. This fraction is larger than a marker.
GAP, PART_OF_AXIS = 1.8, 0.12

PARAMETERS = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "figure.labelsize": 11,
    "figure.titlesize": 11,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 6,
    "lines.dotted_pattern": [1.5, 1.3],
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "hatch.color": "#555555",
    "hatch.linewidth": 0.7,
    "savefig.dpi": 200,
    # matplotlib may omit a vertex of a line if this moves the line by less than 0.3 pixels (the default is 0.11), so
    # that curves of many cycles give smaller files.
    "path.simplify_threshold": 0.3,
    "svg.fonttype": "path",
    # Fonts are embedded as TrueType (Type 42), because publishers do not accept Type 3 fonts.
    "pdf.fonttype": 42,
    # The labels of an axis are the values themselves and not differences from an offset beside the axis.
    "axes.formatter.useoffset": False,
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
    """Label powers of ten on those of the axes that are logarithmic.

    If an axis contains fewer than three powers of ten, multiples of them are also labelled, so that there are at least
    three labels. If this is not possible, the axis is labelled as a linear one. If there would be more than
    MOST_DECADES labels, some of them are left out.
    """
    for axis in (each for each in axes if each.get_scale() == "log"):
        low, high = axis.get_view_interval()
        decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        ticks = [np.outer(decades, digits).ravel() for digits in DIGITS]
        ticks = [each[(each >= low) & (each <= high)] for each in ticks]
        enough = next((each for each in ticks if len(each) >= 3), None)
        if enough is None:
            label_values(axis, most=4)
        else:
            axis.set_ticks(enough[:: -(-len(enough) // MOST_DECADES)])
            axis.set_major_formatter(lambda value, _: measured(value, 1, plain=()))
        axis.set_minor_formatter(NullFormatter())
        axis.grid(True, which="minor", linewidth=0.6)


def draw_triangle(axes, curves, exponent, place=0):
    """Draw a triangle of slope `exponent` below those curves [(h, error), ...] that have at least two points.

    If there are no such curves, nothing is drawn. `place` is the number of the triangle in the figure, counted from 0;
    TRIANGLES gives its horizontal position.
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
    rise, falls = exponent * (right - left), exponent < 0
    # The corner with the right angle is below the hypotenuse.
    angle = (left, bottom + rise) if falls else (right, bottom)
    axes.fill(*np.exp([(left, bottom), angle, (right, bottom + rise)]).T, facecolor="none", edgecolor=GREY, linewidth=1)
    middle, (beside, below) = np.exp(((left + right) / 2, bottom + rise / 2)), np.exp(angle)
    axes.annotate("1", (middle[0], below), (0, -3), textcoords="offset points", ha="center", va="top", color=GREY)
    axes.annotate(minus(f"{exponent:g}"), (beside, middle[1]), (-4 if falls else 4, 0), textcoords="offset points",
                  ha="right" if falls else "left", va="center", color=GREY)


def legend_above(axes, columns=1, entries=()):
    """Put the legend above the frame, where it cannot hide a curve.

    `entries` are (lines, labels); by default the legend has all lines with a label.
    """
    axes.legend(*entries, loc="lower left", bbox_to_anchor=(0, 1), ncol=columns, borderaxespad=0, handlelength=1.2,
                columnspacing=1, handletextpad=0.5)


def name_curves(axes, curves, labels, columns=1):
    """Name all the curves of a frame, which have the colours colours(len(curves)): by a legend above the frame, or by a
    colour scale if there are more than MOST_NAMED of them."""
    if len(curves) > MOST_NAMED:
        scale_of_names(axes, labels)
    else:
        legend_above(axes, columns, (curves, labels))


def scale_of_names(axes, labels):
    """Draw the colour bar of curves that have the colours colours(len(labels)). Of the labels MOST_TICKS are written,
    the first and the last among them."""
    places = np.linspace(0, len(labels) - 1, MOST_TICKS).round().astype(int)
    bar = axes.figure.colorbar(ScalarMappable(Normalize(0, len(labels) - 1), SEQUENCE), ax=axes, aspect=30)
    bar.set_ticks(places, labels=[labels[n] for n in places])


def scale_of_values(axes, values, label, log=False):
    """Draw a colour bar beside the axes, and return the colour that it has at each of the values, for as many curves.

    The scale of the bar is logarithmic if `log` is true; the values are positive then.
    """
    norm = (LogNorm if log else Normalize)(min(values), max(values))
    bar = axes.figure.colorbar(ScalarMappable(norm, SEQUENCE), ax=axes, label=label, aspect=30)
    (label_decades if log else label_values)(bar.ax.yaxis)
    if np.asarray(values).dtype.kind == "i":
        bar.ax.yaxis.get_major_locator().set_params(integer=True)
    bar.ax.grid(False, which="both")
    return list(SEQUENCE(norm(values)))


def label_values(*axes, most=MOST_TICKS):
    """Label linear axes with a few numbers, at most about `most`, that are written in full, such as `−1.5` or
    `2·10⁻¹⁴`.

    No factor and no offset is written beside the axis.
    """
    for axis in axes:
        axis.set_major_locator(MaxNLocator(most - 1, steps=[1, 2, 2.5, 5, 10]))
        axis.set_major_formatter(lambda value, _, axis=axis: tick(value, _digits(axis.get_majorticklocs())))


def _digits(places):
    """Return the number of significant digits, at least four, with which the labels of ticks at these places differ."""
    most, step = np.abs(places).max(), np.diff(places).min(initial=np.inf)
    return 4 if not 0 < step < most else max(4, 2 + int(np.floor(np.log10(most)) - np.floor(np.log10(step))))


def image(axes, t, places, values, **bar):
    """Draw values [times, places] over t, from blue through white to red, which colour-blind readers can distinguish.

    `bar` are the properties of the colour bar. No grid is drawn on the image.
    """
    most = float(np.abs(values).max()) or 1.0
    # The mesh is rasterized, because its rectangles would take megabytes in a vector file.
    mesh = axes.pcolormesh(t, places, values.T, cmap="RdBu_r", vmin=-most, vmax=most, shading="nearest",
                           rasterized=True)
    scale = axes.figure.colorbar(mesh, ax=axes, **bar)
    label_values(axes.xaxis, axes.yaxis, scale.ax.xaxis if scale.orientation == "horizontal" else scale.ax.yaxis)
    axes.grid(False)


def line_by_time(axes, t, x, y):
    """Draw a long curve (x, y) [samples], each line segment in the colour of its time t, and a colour bar."""
    points = np.column_stack([x, y])
    segments = LineCollection(np.stack([points[:-1], points[1:]], axis=1), array=t[:-1], cmap=SEQUENCE, linewidths=1.0,
                            rasterized=len(t) > MOST_SEGMENTS, label=BY_TIME)
    axes.add_collection(segments)
    axes.autoscale_view()
    axes.figure.colorbar(segments, ax=axes, label="time t", aspect=30)


def curves_of(drawing):
    """Yield a row (number of the frame, label of the curve, index of the point, abscissa, ordinate) for every point.

    The points of all curves of a figure are included, but no images and no contour lines.
    """
    for frame, axes in enumerate(drawing.axes, start=1):
        lines = [(str(line.get_label()), np.array(line.get_data(orig=True))) for line in axes.lines]
        for each in axes.collections:
            if each.get_label() == BY_TIME:
                segments = np.array(each.get_segments()).reshape(-1, 2, 2)
                lines.append((BY_TIME, np.vstack([segments[:, 0], segments[-1:, 1]]).T))
        for number, (label, points) in enumerate(lines, start=1):
            name = f"curve {number}" if label.startswith("_") else label
            for place, point in enumerate(points.T if points.size else ()):
                yield frame, name, place, *point


def save(drawing, path):
    """Write a figure to the path, whose ending determines the format; raises MasingError if it cannot be written."""
    write_file(path, encoded(drawing, path.suffix.lower()[1:]))


def save_all(drawings, path):
    """Write figures to files, and return the paths of these files.

    If `path` ends in .pdf, the figures become the pages of one file. Otherwise each figure has a file of its own: PATH,
    PATH-2, ….
    """
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
    """Return a figure as the bytes of a file of the format `kind`, which is "png", "svg" or "pdf".

    The elements of an SVG file are on one line, which makes it smaller.
    """
    buffer = io.BytesIO()
    drawing.savefig(buffer, format=kind, metadata=UNDATED[kind])
    return re.sub(rb"\s*\n\s*", b" ", buffer.getvalue()) if kind == "svg" else buffer.getvalue()


def data_uri(svg):
    """Return the bytes of an SVG file as a data URI.

    A page that contains its pictures as data URIs needs no other files, and the ids in different pictures cannot clash.
    """
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode("ascii")
