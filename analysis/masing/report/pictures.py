"""The pieces of a page: pictures, and the folder beside the page with the files of its pictures and tables."""

import re
from collections import namedtuple
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.figure import Figure

from masing import style, tables
from masing.command_line import write_file
from masing.errors import MasingError

# The kinds of file of a picture in the folder beside the page.
KINDS = ("svg", "pdf")
CURVE_HEADINGS = ("frame", "curve", "point", "abscissa", "ordinate", "third")


@dataclass(eq=False)
class Picture:
    """A figure, the `name` of its files, its words, parts of a caption by name, and its number on the page or 0."""

    name: str
    figure: Figure
    alt: str
    caption: str = ""
    words: dict = field(default_factory=dict)
    number: int = 0
    _encoded: dict = field(default_factory=dict)

    @property
    def src(self):
        """The picture as an SVG data URI."""
        return style.data_uri(self._file("svg"))

    @property
    def files(self):
        """The bytes of the picture's files by kind, the same of the same figure; points of its curves are a CSV."""
        points = list(style.curves_of(self.figure))
        headings = CURVE_HEADINGS[:max(map(len, points), default=0)]
        csv = {"csv": tables.csv(pd.DataFrame(points, columns=headings))} if points else {}
        return {kind: self._file(kind) for kind in KINDS} | csv

    def _file(self, kind):
        if kind not in self._encoded:
            self._encoded[kind] = style.encoded(self.figure, kind)
            # The layout found for the first file is kept for the others.
            self.figure.set_layout_engine("none")
        return self._encoded[kind]


# A text under a `name` for its `files`, the bytes by their kind, such as a configuration.
Text = namedtuple("Text", "name files")


def write_pieces(folder, pieces):
    """Write the files of the pieces (pictures, tables, texts) into the folder; raises MasingError when it cannot be made."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise MasingError(f"{folder}: cannot be made: {error.strerror}") from None
    for name, piece in file_names(pieces):
        for kind, content in piece.files.items():
            write_file(folder / f"{name}.{kind}", content)


def file_names(pieces):
    """The pairs (name, piece) with names that are valid for files and unique."""
    taken, pairs = set(), []
    for piece in pieces:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", piece.name).strip("-.") or "piece"
        name = next(n for n in (plain, *(f"{plain}-{k}" for k in range(2, len(pieces) + 2))) if n not in taken)
        taken.add(name)
        pairs.append((name, piece))
    return pairs
