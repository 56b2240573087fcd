"""What the package raises, and the exit codes that the scripts and the program share."""

FAILURE, USER_MISTAKE, NOT_AS_EXPECTED, STOPPED = 1, 2, 3, 75


class MasingError(Exception):
    """A mistake or a failure in one line: what is wrong, where, and what would be right; its exit code in `code`."""

    # So that a traceback has the name under which it is caught.
    __module__ = "masing"
    code = USER_MISTAKE

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = self.code if code is None else code


class DataError(MasingError):
    """Data that are readable, but not of the kind that was asked for; the message says what they are instead."""

    code = NOT_AS_EXPECTED
