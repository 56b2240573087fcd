"""What the package raises, and the exit codes that the scripts and the program share."""

import importlib.util
import signal
import sys
import threading

FAILURE, USER_MISTAKE, NOT_AS_EXPECTED, STOPPED = 1, 2, 3, 75


def missing(*libraries):
    """One line that says which of the named libraries this Python lacks, "" where none; loads none of them."""
    names = ", ".join(name for name in libraries if importlib.util.find_spec(name) is None)
    return names and (f"{sys.executable} has no {names}: use a Python that has them, such as /usr/bin/python3 with "
                      "Debian's python3-h5py, python3-matplotlib, python3-pandas, python3-jinja2")


def require(*libraries):
    """Raise MasingError if this Python lacks one of the named libraries."""
    if line := missing(*libraries):
        raise MasingError(line, FAILURE)


def loaded(name):
    """The module `name`; Ctrl-C while it is imported comes when it is whole, as no module of C is imported again."""
    before, pressed = signal.getsignal(signal.SIGINT), []
    if name in sys.modules or before is None or threading.current_thread() is not threading.main_thread():
        return importlib.import_module(name)
    signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        return importlib.import_module(name)
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


def shown(value):
    """A value for a message: one line, and not a long one."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of anyone's class
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:57]}..."


class MasingError(Exception):
    """A mistake or a failure in one line: what is wrong, where, and what would be right; its exit code in `code`."""

    # So that a traceback has the name under which it is caught.
    __module__ = "masing"
    code = USER_MISTAKE

    def __init__(self, message, code=None):
        super().__init__(str(message).replace("\n", " "))
        self.code = self.code if code is None else code


class DataError(MasingError):
    """Data that are readable, but not of the kind that was asked for; the message says what they are instead."""

    code = NOT_AS_EXPECTED
