"""Define the pictures and texts of a page, and write their files into the folder beside the page."""

import base64
import re
from collections import namedtuple
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from masing import style
from masing.command_line import write_file
from masing.errors import MasingError

# Each picture becomes a file of each of these kinds in the folder beside the page.
KINDS = ("svg", "pdf")


@dataclass(eq=False)
class Picture:
    """A figure on a page; `name` is the name of its files."""

    name: str
    figure: Figure
    caption: str
    _encoded: dict = field(default_factory=dict)

    @property
    def src(self):
        """Return the picture as an SVG data URI, so that a page needs no other files."""
        return "data:image/svg+xml;base64," + base64.b64encode(self._file("svg")).decode("ascii")

    @property
    def files(self):
        """Return the picture's files, {kind: bytes}."""
        return {kind: self._file(kind) for kind in KINDS}

    def _file(self, kind):
        if kind not in self._encoded:
            self._encoded[kind] = style.encoded(self.figure, kind)
            # The layout that was computed for the first file of the picture is kept for the other files.
            self.figure.set_layout_engine("none")
        return self._encoded[kind]


# A text beside the page, such as a configuration or a table: the name of its files, and their contents {kind: bytes}.
Text = namedtuple("Text", "name files")


def write_pieces(folder, parts):
    """Write the files of the `parts`, Pictures and Texts, into the folder; MasingError if it cannot be made."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise MasingError(f"{folder}: cannot be made: {error.strerror}") from None
    for name, content in files_of(parts).items():
        write_file(folder / name, content)


def files_of(parts):
    """Return {name: bytes} of the files of the `parts`, with valid names that all differ."""
    files, taken = {}, set()
    for part in parts:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", part.name).strip("-.") or "piece"
        name = next(n for n in (plain, *(f"{plain}-{k}" for k in range(2, len(parts) + 2))) if n not in taken)
        taken.add(name)
        files |= {f"{name}.{kind}": content for kind, content in part.files.items()}
    return files
