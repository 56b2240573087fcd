"""Define the pictures and texts of a page, and write their files into the folder beside the page."""

import re
from collections import namedtuple
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.figure import Figure

from masing import style, tables
from masing.command_line import write_file
from masing.errors import MasingError

# Each picture becomes a file of each of these kinds in the folder beside the page.
KINDS = ("svg", "pdf")
CURVE_HEADINGS = ("frame", "curve", "point", "abscissa", "ordinate", "third")


@dataclass(eq=False)
class Picture:
    """A figure on a page: the `name` of its files, its text `alt` for readers who cannot see it, its `caption`, `words`
    {name: text} with texts that a template adds to the caption, and its `number` on the page, which is 0 until it is
    set."""

    name: str
    figure: Figure
    alt: str
    caption: str = ""
    words: dict = field(default_factory=dict)
    number: int = 0
    _encoded: dict = field(default_factory=dict)

    @property
    def src(self):
        """Return the picture as an SVG data URI."""
        return style.data_uri(self._file("svg"))

    @property
    def files(self):
        """Return the contents of the picture's files, {kind: bytes}. The same figure always gives the same bytes. If
        the figure has curves, one of the files is a CSV file with the points of these curves."""
        points = list(style.curves_of(self.figure))
        headings = CURVE_HEADINGS[:max(map(len, points), default=0)]
        csv = {"csv": tables.csv(pd.DataFrame(points, columns=headings))} if points else {}
        return {kind: self._file(kind) for kind in KINDS} | csv

    def _file(self, kind):
        if kind not in self._encoded:
            self._encoded[kind] = style.encoded(self.figure, kind)
            # The layout that was computed for the first file of the picture is kept for the other files.
            self.figure.set_layout_engine("none")
        return self._encoded[kind]


# A text beside the page, such as a configuration or a table: the `name` of its files, and their contents {kind: bytes}.
Text = namedtuple("Text", "name files")


def write_pieces(folder, pieces):
    """Write the files of the `pieces`, which are Pictures and Texts, into the folder; raises MasingError if the folder
    cannot be created."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise MasingError(f"{folder}: cannot be made: {error.strerror}") from None
    for name, piece in file_names(pieces):
        for kind, content in piece.files.items():
            write_file(folder / f"{name}.{kind}", content)


def file_names(pieces):
    """Return a pair (name, piece) for each of the Pictures and Texts `pieces`. The names are valid names of files, and
    no two of them are equal."""
    taken, pairs = set(), []
    for piece in pieces:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", piece.name).strip("-.") or "piece"
        name = next(n for n in (plain, *(f"{plain}-{k}" for k in range(2, len(pieces) + 2))) if n not in taken)
        taken.add(name)
        pairs.append((name, piece))
    return pairs
