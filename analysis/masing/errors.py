"""The exceptions of the package, and the exit codes that the scripts and the program have in common."""

import errno
import os

FAILURE, USER_MISTAKE, NOT_AS_EXPECTED, STOPPED = 1, 2, 3, 75


def quoted(value):
    """Return the text of a value for a message: one line of at most 60 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


class MasingError(Exception):
    """The error for a mistake of the user or a failure of masing.

    The message says in one line what is wrong, where, and what would be right. `code` is the exit code of a script that
    ends with the error. MasingError(message) with the code USER_MISTAKE is an object of the class FileMissing if the
    message says that there is no such file, and otherwise of the class UsageError.
    """

    # A traceback prints the class with this module, as masing.MasingError, the name under which users catch it.
    __module__ = "masing"
    code = USER_MISTAKE

    def __new__(cls, message, code=None):
        if cls is MasingError and code in (None, USER_MISTAKE):
            cls = FileMissing if os.strerror(errno.ENOENT) in str(message) else UsageError
        return super().__new__(cls, message)

    def __init__(self, message, code=None):
        super().__init__(str(message).replace("\n", " "))
        self.code = self.code if code is None else code


class UsageError(MasingError, ValueError):
    """An error for a value that cannot be used."""


class DataError(UsageError):
    """An error for data that are readable, but not of the requested kind; the message describes the data."""

    code = NOT_AS_EXPECTED


class PlaceError(MasingError, IndexError):
    """An error for an index outside its range."""


class NameMissing(MasingError, KeyError, AttributeError):
    """An error for a name that a result does not have; it is an AttributeError so that hasattr() returns False."""

    __str__ = Exception.__str__  # KeyError would enclose the message in quotation marks


class FileMissing(MasingError, FileNotFoundError):
    """An error for a file, a folder or a program that does not exist."""

    __str__ = Exception.__str__
