"""A case file: what its leading comment says of the case, and what is to be drawn of it."""

from dataclasses import dataclass
from pathlib import Path

import configuration
from cli import UserError

DRAW = "draw:"
# What is drawn of a trajectory whose case file does not say.
CYCLE = "x, restoring"


@dataclass(frozen=True)
class Case:
    """A case file: the command that runs it, its caption, and its drawings as words (none for a study)."""

    path: Path
    command: str
    caption: str
    drawings: list

    @property
    def name(self):
        """The name of its files."""
        return self.path.stem


def read_case(path):
    """The Case in an .ini: its caption is the leading comment, less a line `draw: x, restoring; t, x`.

    A file with the key `refine` is a study for masing converge, another a trajectory for masing simulate. Raises
    UserError when it cannot be read.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        raise UserError(f"{path}: cannot be read; give a case file such as those in jobs/cases") from None
    comment = []
    for line in lines:
        if not line.startswith(("#", ";")):
            break
        comment.append(line.lstrip("#; ").rstrip())
    drawn = [line[len(DRAW):] for line in comment if line.startswith(DRAW)]
    caption = " ".join(line for line in comment if not line.startswith(DRAW))
    is_study = "refine" in configuration.parse("\n".join(lines))
    drawings = [words.strip() for line in drawn for words in line.split(";") if words.strip()]
    return Case(path, "converge" if is_study else "simulate", caption or path.stem,
                [] if is_study else drawings or [CYCLE])
