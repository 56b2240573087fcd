"""Functions with which the scripts parse their command lines, report mistakes of the user, and write files.

A mistake is reported in one line. A file is written completely or not at all.
"""

import argparse
import difflib
import json
import os
import re
import sys
from pathlib import Path

from masing.errors import FAILURE, MasingError

PICTURES = (".png", ".svg", ".pdf")
# Every picture and every page that a script writes contains this word. The function write_file() replaces an existing
# file only if the file is empty, contains this word, or begins in the same way as the new content.
MARK = b"masing"


class Parser(argparse.ArgumentParser):
    """An argument parser that raises MasingError for a wrong command line, in place of printing its usage and
    exiting. It takes no abbreviations of options."""

    def __init__(self, **given):
        super().__init__(allow_abbrev=False, **given)

    def error(self, message):
        """Raise MasingError with the message of argparse.

        For an unknown option the message also suggests the known option that is most similar to it, if there is one.
        """
        unknown = next((word for word in message.split() if word.startswith("--") and message[0] == "u"), "")
        near = difflib.get_close_matches(unknown, self._option_string_actions, 1)
        raise MasingError(f"{message}{f'; did you mean {near[0]}?' if near else ''} (see --help)")

    def add_window(self, what):
        """Add the options --from and --to, whose values become the attributes `start` and `end`.

        `what` are two texts: the help of --from is the first text followed by T0, and the help of --to is the second
        text followed by T1.
        """
        self.add_argument("--from", dest="start", type=float, metavar="T0", help=f"{what[0]} T0")
        self.add_argument("--to", dest="end", type=float, metavar="T1", help=f"{what[1]} T1")

    def add_measured(self):
        """Add the options --columns and --scale for files of measurements; the value of each option is a dictionary."""
        self.add_argument("--columns", type=_pairs, metavar="x=A,force=B",
                          help="which columns of a CSV are x, force and t, by name or by number from 1, as in "
                          "x=Weg,force=3")
        self.add_argument("--scale", type=_pairs, metavar="x=A,force=B",
                          help="factors for x, force and t, as in x=0.001 for millimetres to metres")

    def add_program(self):
        """Add the option --program, whose value is the path of the program masing."""
        self.add_argument("--program", metavar="MASING",
                          help="the program (default: $MASING_PROGRAM, build/masing, PATH)")


def _pairs(text):
    """Return {"x": "A", "force": "B"} for the text "x=A,force=B".

    The names x, force and t may occur in the text, each at most once. Raises ArgumentTypeError for any other text.
    """
    pairs = [[word.strip() for word in each.partition("=")[::2]] for each in text.split(",")]
    names = {name for name, _ in pairs}
    if not names <= {"x", "force", "t"} or len(names) < len(pairs) or not all(value for _, value in pairs):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form x=A,force=B, or x=A,force=B,t=C")
    return dict(pairs)


def assignment(text):
    """Return the pair (name, number) for the text "NAME=VALUE"; raises ArgumentTypeError for any other text."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE") from None


def run(main):
    """Call main() with the words of the command line, and return if main() returns.

    If main() raises MasingError, print the message as one line on stderr and exit with the code of the error. Exit with
    code 1 after Ctrl-C, or if the program to which stdout is piped has closed the pipe.
    """
    script = Path(sys.argv[0]).name
    try:
        main(sys.argv[1:])
    except MasingError as mistake:
        print(f"{script}: {' '.join(str(mistake).split())}", file=sys.stderr)
        sys.exit(mistake.code)
    except BrokenPipeError:
        # The program to which stdout is piped has closed the pipe. Python flushes stdout when it exits; stdout is
        # redirected to the null device, because writing to the closed pipe would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILURE)
    except KeyboardInterrupt:
        print(f"{script}: interrupted", file=sys.stderr)
        sys.exit(FAILURE)


def output_path(given, beside, suffix, allowed):
    """Return the path of an output file.

    The path is `given` or, if `given` is None or empty, the path `beside` with its ending replaced by `suffix`. Raises
    MasingError if the ending of the path is not in `allowed`, if the path is a folder, or if its folder does not exist.
    """
    path = Path(given) if given else Path(beside).with_suffix(suffix)
    if path.suffix.lower() not in allowed:
        raise MasingError(f"{path}: cannot write this kind of file; the name must end in {' or '.join(allowed)}")
    if path.is_dir():
        raise MasingError(f"{path}: is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise MasingError(f"{path}: the folder {path.parent} does not exist")
    return path


def _heading(content):
    """Return a list of the beginnings of lines, by which the kind of a file with the bytes `content` is recognized.

    The beginning of a line ends before its first comma or colon. If the content begins with { or [, as JSON does, the
    list contains the beginnings of the first three lines, so that the first key is among them. Otherwise it contains
    only the beginning of the first line.
    """
    lines = 3 if content[:1] in (b"{", b"[") else 1
    return [re.split(b"[:,]", line)[0] for line in content.split(b"\n")[:lines]]


def refuse_foreign(path, content=b""):
    """Raise MasingError if a file `path` exists that may be one of the user's own: if it is not empty, does not contain
    MARK, as pictures and pages do, and has another _heading() than `content`."""
    old = path.read_bytes() if path.is_file() else b""
    if old and MARK not in old and _heading(old) != _heading(content):
        raise MasingError(f"{path}: is there already and was not made by this script; move it, or give another name")


def write_file(path, content):
    """Write the bytes `content` into a temporary file, which is renamed to `path` when it is complete.

    Raises MasingError if the file cannot be written, or as refuse_foreign() does.
    """
    refuse_foreign(path, content)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise MasingError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def as_json(value):
    """Return the bytes of a JSON file for a value that consists of lists, dictionaries, NumPy arrays and scalars.

    A number that is not finite is written as null.
    """
    plain = json.loads(json.dumps(value, default=lambda each: each.tolist()), parse_constant=lambda _: None)
    return (json.dumps(plain, indent=1) + "\n").encode()
