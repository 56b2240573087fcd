"""What every script shares: one clear line for a user's mistake, and files that are never half written."""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

USER_MISTAKE = 2
FAILURE = 1


class UserError(Exception):
    """A mistake of the user: its message says in one line what is wrong, where, and what would be right."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line, without the usage before them."""

    def error(self, message):
        """Raise UserError with argparse's message."""
        raise UserError(f"{message} (see --help)")


def require(*libraries):
    """End with one line and exit code 1 when this Python lacks one of the named libraries."""
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        script = Path(sys.argv[0]).name
        print(f"{script}: {sys.executable} has no {', '.join(missing)}: use a Python that has them, "
              "such as /usr/bin/python3 with Debian's python3-h5py, python3-matplotlib, python3-jinja2",
              file=sys.stderr)
        sys.exit(FAILURE)


def run(main):
    """Call main(arguments) and exit: 0 when it returns, 2 with one line on stderr when it raises UserError."""
    script = Path(sys.argv[0]).name
    try:
        main(sys.argv[1:])
    except UserError as mistake:
        print(f"{script}: {' '.join(str(mistake).split())}", file=sys.stderr)
        sys.exit(USER_MISTAKE)
    except BrokenPipeError:
        # The reader of the output has left; nothing may be flushed to it when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILURE)
    except KeyboardInterrupt:
        print(f"{script}: interrupted", file=sys.stderr)
        sys.exit(FAILURE)


def output_path(given, beside, suffix, allowed):
    """The path to write: `given`, or `beside` with `suffix`; raises UserError unless its ending is in `allowed`."""
    path = Path(given) if given else Path(beside).with_suffix(suffix)
    if path.suffix.lower() not in allowed:
        raise UserError(f"{path}: cannot write this kind of file; the name must end in {' or '.join(allowed)}")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise UserError(f"{path}: the folder {path.parent} does not exist")
    return path


def write_file(path, content):
    """Write the bytes `content` beside `path` and rename when done; raises UserError when the place is not writable."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
