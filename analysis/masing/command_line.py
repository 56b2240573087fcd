"""Functions with which the scripts parse their command lines, report mistakes of the user, and write files."""

import argparse
import json
import os
import sys
from pathlib import Path

from masing.errors import FAILURE, MasingError

PICTURES = (".png", ".svg", ".pdf")


class Parser(argparse.ArgumentParser):
    """An argument parser that raises MasingError for a wrong command line and takes no abbreviations of options."""

    def __init__(self, **given):
        super().__init__(allow_abbrev=False, **given)

    def error(self, message):
        """Raise MasingError with the message of argparse."""
        raise MasingError(f"{message} (see --help)")

    def add_window(self):
        """Add the options --from and --to, whose values become the attributes `start` and `end`."""
        self.add_argument("--from", dest="start", type=float, metavar="T0", help="leave out samples before T0")
        self.add_argument("--to", dest="end", type=float, metavar="T1", help="leave out samples after T1")

    def add_measured(self):
        """Add the options --columns and --scale for files of measurements; the value of each option is a dictionary."""
        self.add_argument("--columns", type=pairs, metavar="x=A,force=B",
                          help="which columns of a CSV are x, force and t, by name or by number from 1, as in "
                          "x=Weg,force=3")
        self.add_argument("--scale", type=pairs, metavar="x=A,force=B",
                          help="factors for x, force and t, as in x=0.001 for millimetres to metres")


def pairs(text):
    """Return {"x": "A", "force": "B"} for the text "x=A,force=B"; raises ValueError for another text."""
    return {name.strip(): value.strip() for name, value in (each.split("=") for each in text.split(","))}


def script(main):
    """Return a function that calls main() and, if it raises MasingError, prints the message and exits with the code."""
    def run(arguments=None):
        try:
            main(arguments)
        except MasingError as mistake:
            print(f"{Path(sys.argv[0]).name}: {mistake}", file=sys.stderr)
            sys.exit(mistake.code)
        except KeyboardInterrupt:
            sys.exit(FAILURE)
    return run


def output_path(given, beside, *endings):
    """Return the path of an output file: `given` or, without it, `beside` with the first of the `endings`.

    Raises MasingError if the path has none of the endings, or if its folder does not exist.
    """
    path = Path(given) if given else Path(beside).with_suffix(endings[0])
    if path.suffix.lower() not in endings:
        raise MasingError(f"{path}: cannot write this kind of file; the name must end in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise MasingError(f"{path}: the folder {path.parent} does not exist")
    return path


def write_file(path, content):
    """Write bytes to a temporary file and rename it to `path`; raise MasingError if this fails.

    Pictures and pages contain the word masing. They replace no file without it, which may be one of the user's own.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        if b"masing" in content and path.is_file() and b"masing" not in path.read_bytes():
            raise MasingError(f"{path}: is there already and is not of masing; give another name")
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise MasingError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)


def as_json(value):
    """Return the bytes of a JSON file for lists, dictionaries, arrays and numbers; one that is not finite is null."""
    plain = json.loads(json.dumps(value, default=lambda each: each.tolist()), parse_constant=lambda _: None)
    return (json.dumps(plain, indent=1) + "\n").encode()
