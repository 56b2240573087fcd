"""The command line of the scripts: options, one line for a user's mistake, and complete files only."""

import argparse
import difflib
import json
import math
import os
import re
import sys
from pathlib import Path

from masing.errors import FAILURE, MasingError, missing

PICTURES = (".png", ".svg", ".pdf")
# In every picture and page, by which a later run knows it as one that it may replace.
MARK = b"masing"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises MasingError instead of printing its usage."""

    def error(self, message):
        """Raise MasingError with argparse's message; where that names an unknown option, with the nearest one."""
        unknown = next((word for word in message.split() if word.startswith("--") and message[0] == "u"), "")
        near = difflib.get_close_matches(unknown, self._option_string_actions, 1)
        raise MasingError(f"{message}{f'; did you mean {near[0]}?' if near else ''} (see --help)")

    def add_window(self, what):
        """Add --from and --to, with a help text of the form `<what> T0`; the values are `start` and `end`."""
        self.add_argument("--from", dest="start", type=float, metavar="T0", help=f"{what[0]} T0")
        self.add_argument("--to", dest="end", type=float, metavar="T1", help=f"{what[1]} T1")

    def add_measured(self):
        """Add --columns and --scale, dictionaries by name, for files of measurements."""
        self.add_argument("--columns", type=_pairs, metavar="x=A,force=B",
                          help="which columns of a CSV are x, force and t, by name or by number from 1, as in "
                          "x=Weg,force=3")
        self.add_argument("--scale", type=_pairs, metavar="x=A,force=B",
                          help="factors for x, force and t, as in x=0.001 for millimetres to metres")

    def add_program(self):
        """Add --program, the path of masing."""
        self.add_argument("--program", metavar="MASING",
                          help="the program (default: $MASING_PROGRAM, build/masing, PATH)")


def _pairs(text):
    """"x=A,force=B" as a dictionary; raises ArgumentTypeError where that is not what it is."""
    pairs = [[word.strip() for word in each.partition("=")[::2]] for each in text.split(",")]
    names = {name for name, _ in pairs}
    if not names <= {"x", "force", "t"} or len(names) < len(pairs) or not all(value for _, value in pairs):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form x=A,force=B, or x=A,force=B,t=C")
    return dict(pairs)


def require(*libraries):
    """Exit with code 1 and one line on stderr if this Python lacks one of the named libraries."""
    if line := missing(*libraries):
        print(f"{Path(sys.argv[0]).name}: {line}", file=sys.stderr)
        sys.exit(FAILURE)


def run(main):
    """Call main(arguments) and exit: 0 when it returns, 2 or 3 with one line on stderr when it raises MasingError."""
    script = Path(sys.argv[0]).name
    try:
        main(sys.argv[1:])
    except MasingError as mistake:
        print(f"{script}: {' '.join(str(mistake).split())}", file=sys.stderr)
        sys.exit(mistake.code)
    except BrokenPipeError:
        # The reader of stdout is gone; Python must not flush to it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILURE)
    except KeyboardInterrupt:
        print(f"{script}: interrupted", file=sys.stderr)
        sys.exit(FAILURE)


def output_path(given, beside, suffix, allowed):
    """The path to write: `given`, or `beside` with `suffix`; raises MasingError unless its ending is in `allowed`."""
    path = Path(given) if given else Path(beside).with_suffix(suffix)
    if path.suffix.lower() not in allowed:
        raise MasingError(f"{path}: cannot write this kind of file; the name must end in {' or '.join(allowed)}")
    if path.is_dir():
        raise MasingError(f"{path}: is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise MasingError(f"{path}: the folder {path.parent} does not exist")
    return path


def _heading(content):
    """What two files of one kind share: the first column of the first line, of JSON the first key, too."""
    lines = 3 if content[:1] in (b"{", b"[") else 1
    return [re.split(b"[:,]", line)[0] for line in content.split(b"\n")[:lines]]


def write_file(path, content):
    """Write the bytes `content` beside `path` and rename when complete; raises MasingError if that fails, or would
    replace a file that no script of masing made: their pictures and pages hold MARK, their other files begin alike."""
    old = path.read_bytes() if path.is_file() else b""
    if old and MARK not in old and _heading(old) != _heading(content):
        raise MasingError(f"{path}: is there already and was not made by this script; move it, or give another name")
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise MasingError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def as_json(value):
    """JSON as bytes of nested lists, dictionaries, NumPy arrays and scalars; null where a number is not finite."""
    return (json.dumps(_plain(value), indent=1) + "\n").encode()


def _plain(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
