"""Functions that check the values of options in Python and convert them to values that the program can read.

A value that cannot be used raises MasingError, whose message of one line names the option.
"""

import math
import shlex
from datetime import timedelta
from decimal import Decimal
from numbers import Number
from os import PathLike

from masing.errors import UsageError, quoted

# The options whose values are functions of t, and those whose values are functions of s in [0, 1].
OF_T = ("base_acceleration", "force", "incoming_velocity", "position")
OF_S = ("initial_u", "stiffness", "threshold", "threshold_down")
# The options that may be repeated, each time with one NAME=VALUE; the options that take no value; and the options whose
# value is the path of a file.
REPEATED = ("set", "let", "over", "tables")
FLAGS = ("energy", "help", "print_config", "quiet", "steady", "validate_only")
FILES = ("output", "config", "restart", "checkpoint")
# The numeric options that a scan can vary and that the program does not write with _.
VARIED = {"final_time": "final-time", "sample_every": "sample-every"}
# The types of values that are passed on unchanged.
SIMPLE = (str, PathLike, int, float, Decimal, timedelta)


def checked(options, functions):
    """Return the options that are not None, with their values converted to types of Python, such as numbers and lists.

    The value of an option whose name is in `functions` may also be a table, which is not checked here. Raises
    UsageError for a name that no option can have, and for a value that cannot be used.
    """
    for name in options:
        if name in ("dt", "t_span", "t_eval"):
            raise UsageError(f"{name}={quoted(options[name])}: is no option: the step is final_time / steps; give "
                             "these two")
        if not name.isidentifier():
            raise UsageError(f"{quoted(name)} is no option: give its name with _ for -, as in final_time=60")
    return {name: _checked(name, value, name in functions) for name, value in options.items() if value is not None}


def _checked(name, value, is_function):
    if name == "ranks":
        return ranks(value)
    if isinstance(scalar(value), bool) and name not in FLAGS:
        raise UsageError(f"{name}={scalar(value)}: give a value, or None for none; True and False are for "
                          f"{', '.join(FLAGS)}")
    if name in FLAGS and not isinstance(scalar(value), bool):
        raise UsageError(f"{name}={quoted(value)}: give True or False")
    if callable(value):
        raise UsageError(f"{name}: a function of Python is no value of it; give a number"
                          f"{', a table' * is_function} or a text")
    if (path := _file(value)) is not None:
        # A Run, a Study or a Scan stands for the field in its file if it is given as initial_u. Given as any other
        # option, it stands for the path of its file.
        return f"file:{path}" if name == "initial_u" else path
    if is_function and isinstance(value, str) and value.lower().endswith(".at2"):
        raise UsageError(f"{name}={quoted(value)}: names a record; give its Path")
    if name == "samples":
        return value
    if name in FILES and not isinstance(value, str | PathLike):
        raise UsageError(f"{name}={quoted(value)}: give the name of a file")
    if name == "petsc":
        try:
            return shlex.join(shlex.split(value) if isinstance(value, str) else value)
        except (TypeError, ValueError):
            raise UsageError(f"{name}={quoted(value)}: give words as on a command line, \"-log_view\"") from None
    value = list(value) if hasattr(value, "__next__") else scalar(value)
    if is_function and hasattr(value, "__len__") and not isinstance(value, str):
        return value
    if name == "tables" and isinstance(value, dict):
        for key, each in value.items():
            if not (isinstance(each, str | PathLike) or hasattr(each, "__len__")):
                raise UsageError(f"tables[{key!r}]={quoted(each)}: give a table, such as (t, a), or the path of one")
        return value
    if name in REPEATED:
        return _repeated(name, value)
    return _plain(name, value, list_too=not is_function)


def ranks(value):
    """Return a number of ranks as an int; raises MasingError unless it is a whole number of at least 1."""
    value = scalar(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool) or isinstance(value, str) and value.isdecimal()
    if not is_whole or int(value) < 1:
        raise UsageError(f"ranks={value if isinstance(value, str) else quoted(value)}: give a whole number from 1")
    return int(value)


def scalar(value):
    """Return a number of NumPy, or an array without axes, as a number of Python; return any other value unchanged."""
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else value


def _file(value):
    """Return the path of the file of a Run, a Study or a Scan; None for any other value."""
    if isinstance(value, (str, bytes, Number, list, tuple, dict)):
        return None
    from masing.results import Result

    if not isinstance(value, Result):
        return None
    with value._opened():  # raises MasingError if the file was written again or deleted
        return str(value.path)


def _plain(name, value, list_too=True):
    """Return a value of a type in SIMPLE, or a list or a dictionary {text: value} of such values.

    Lists and dictionaries are allowed only if `list_too` is true. Raises MasingError for any other value, for an empty
    list or dictionary, for NaN, and for a text with a character that the program refuses.
    """
    value = scalar(value)
    if isinstance(value, SIMPLE) or isinstance(value, Number) and not isinstance(value, complex):
        if isinstance(value, float) and math.isnan(value):
            raise UsageError(f"{name}=nan: give a number")
        if isinstance(value, str) and ("\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value)):
            raise UsageError(f"{name}={quoted(value)}: has a character that no text of the program has")
        return value
    value = value.tolist() if hasattr(value, "tolist") else value
    if not list_too or not isinstance(value, list | tuple | range | dict):
        raise UsageError(f"{name}={quoted(value)}: give a number, a text or {'a list' if list_too else 'a table'}")
    if isinstance(value, dict):
        some = {str(key): _plain(f"{name}[{str(key)!r}]", each) for key, each in value.items()}
    else:
        some = [_plain(name, each) for each in value]
    if not some:
        raise UsageError(f"{name}={quoted(value)}: is empty; leave it out, or give some")
    return some


def _repeated(name, value):
    """Return the value of a repeated option as a dictionary {NAME: value} or a list of texts "NAME=VALUE"."""
    some = [value] if isinstance(value, str) else value
    if isinstance(some, dict) or isinstance(some, list | tuple) and all(isinstance(each, str) for each in some):
        return _plain(name, some)
    raise UsageError(f"{name}={quoted(value)}: give a dictionary, {name}={{\"w\": 0.5}}")
