"""A picture of a page: a figure with its name, its caption and the words for those who cannot see it."""

from dataclasses import dataclass, field

import style
from matplotlib.figure import Figure

# The kinds of file that a picture is written as, beside the page.
KINDS = ("svg", "pdf")


@dataclass(frozen=True)
class Picture:
    """A figure under a `name` for its files; `alt` says in words what it shows, `words` are parts of a caption by name."""

    name: str
    figure: Figure
    alt: str
    caption: str = ""
    words: dict = field(default_factory=dict)
    _encoded: dict = field(default_factory=dict)

    @property
    def src(self):
        """The picture as an SVG data URI."""
        return style.data_uri(self._file("svg"))

    @property
    def files(self):
        """The bytes of the picture's files by kind; the same figure gives the same bytes."""
        return {kind: self._file(kind) for kind in KINDS}

    def _file(self, kind):
        if kind not in self._encoded:
            self._encoded[kind] = style.encoded(self.figure, kind)
            # The places found for the first file hold for the others.
            self.figure.set_layout_engine("none")
        return self._encoded[kind]
