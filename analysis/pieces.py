"""The files beside a page: its pictures as SVG and PDF, its tables as CSV and LaTeX."""

import re

from cli import UserError, write_file


def write_pieces(folder, pieces):
    """Write the files of the pieces (of pictures and tables) into the folder; raises UserError when it cannot be made."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None
    for name, piece in named(pieces):
        for kind, content in piece.files.items():
            write_file(folder / f"{name}.{kind}", content)


def named(pieces):
    """The pairs (name, piece) with names that are those of files, each once."""
    taken, pairs = set(), []
    for piece in pieces:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", piece.name).strip("-.") or "piece"
        name = next(n for n in (plain, *(f"{plain}-{k}" for k in range(2, len(pieces) + 2))) if n not in taken)
        taken.add(name)
        pairs.append((name, piece))
    return pairs
