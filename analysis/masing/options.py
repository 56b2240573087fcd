"""The options of the program as keyword arguments, whose values become texts that the program reads."""

import inspect
import itertools
import re
import shlex
from numbers import Number
from os import PathLike
from pathlib import Path

import numpy as np

from masing import native, tables
from masing.errors import MasingError
from masing.results import Result
from masing.tables import FUNCTIONS, VARIED

# The keywords whose options have another name; from_ and to are accepted, too.
OPTIONS = {"start": "from", "end": "to", "tables": "table"}
KEYWORDS = {option: name for name, option in OPTIONS.items()}
# The options that may be repeated, each time with one NAME=VALUE; their values are dictionaries or one such text.
REPEATED = ("set", "let", "over", "tables")
# Options that the program has and the module masing._masing has not: (name, kind, value, help, default).
OTHERS = [("ranks", "number", "n", "run n ranks on this host by mpirun", ""),
          ("print-config", "flag", "", "give the resolved configuration as a text, and run nothing", "false"),
          ("validate-only", "flag", "", "check the configuration, and run nothing", "false"),
          ("petsc", "text", "", "words for PETSc", "")]


def pairs(options, folder, table):
    """Yield `options`, which are given as for simulate(), as pairs (name of the program's option, text).

    The text is None for an option that takes no value. The function table(name, value) must return the path under
    which the program finds a table that is given as arrays. Cases and samples in memory are written to `folder`.
    """
    for name, value in options.items():
        option = OPTIONS.get(name) or name.rstrip("_").replace("_", "-")
        if isinstance(value, Result):
            with value._opened():  # raises MasingError if the file was written again or deleted
                value = f"file:{value.path}" if name == "initial_u" else value.path
        elif getattr(value, "ndim", 1) == 0:
            value = value.item()
        elif name in FUNCTIONS and isinstance(value, str) and value.lower().endswith(".at2"):
            value = Path(value)
        if value is None or value is False:
            continue
        if callable(value):
            raise MasingError(f"{name}: a function of Python is no value of it; give a number, a table or a text")
        if value is True:
            yield option, None
        elif name == "config" and is_case(value):
            (case := Path(folder) / "case.ini").write_text(value, encoding="utf-8")
            yield option, str(case)
        elif name == "samples" and not isinstance(value, str | PathLike):
            tables.write_samples(path := Path(folder) / "samples.h5", value)
            yield option, str(path)
        elif name in FUNCTIONS and not isinstance(value, str | Number):
            kind = "file" if name == "initial_u" and str(value).endswith(".h5") else "table"
            yield option, f"{kind}:{_path(name, value, table)}"
        elif name == "tables" and isinstance(value, dict):
            yield from ((option, f"{key}={_path(f'tables[{key!r}]', each, table)}") for key, each in value.items())
        elif name in REPEATED and isinstance(value, dict):
            names = VARIED if name == "over" else {}
            yield from ((option, f"{names.get(key, key)}={text(each)}") for key, each in value.items())
        else:
            yield option, text(value)


def _path(name, value, table):
    """Return the path of a file with a table, which the function `table` provides for a record or a table in memory."""
    if isinstance(value, str | PathLike) and str(value).lower().endswith(".at2"):
        value = tables.of_at2(value)
    return value if isinstance(value, str | PathLike) else table(name, value)


def words(options, folder):
    """Return `options` as words of the program's command line; tables in memory are written to files in `folder`."""
    count = itertools.count()

    def table(name, value):
        path = Path(folder) / f"table-{next(count)}.csv"
        np.savetxt(path, np.column_stack(tables.pair(name, value)), fmt="%.17g")
        return path

    options = dict(options)
    petsc = shlex.split(options.pop("petsc", ""))
    result = [f"--{name}" if value is None else f"--{name}={value}" for name, value in pairs(options, folder, table)]
    return result + ["--petsc", *petsc] * bool(petsc)


def text(value, separator=","):
    """Return a value as the text that the program reads; the two numbers of a pair in a list are joined by a colon."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return ",".join(f"{key}={text(each)}" for key, each in value.items())
    if isinstance(value, list | tuple | range):
        return separator.join(text(each, ":") for each in value)
    return str(value)


def is_case(config):
    """Return whether the value of the option `config` is the text of a case file, and not the path of a file."""
    return isinstance(config, str) and ("\n" in config or "=" in config and not Path(config).exists())


def keyword(option):
    """Return the keyword of a Python function for an option of the program, such as final_time or start."""
    return KEYWORDS.get(option) or option.replace("-", "_")


def in_python(line):
    """Return a message of the program with options as keyword arguments, such as start for --from."""
    line = re.sub(rf"\b{tables.ARRAY}(?=\d)", "array ", line)
    return re.sub(r"(?<![\w-])--([A-Za-z][\w-]*)", lambda option: keyword(option[1]), line)


def describe(function):
    """Set the signature of a command's function and append its options to its docstring, if there is the module."""
    if not (module := native.module()):
        return
    parameters, lines = [], []
    for name, kind, value, meaning, default in module.options(function.__name__) + OTHERS:
        # A Python function writes no result file unless `output` is given.
        default = "" if name == "output" else default
        parameters.append(inspect.Parameter(keyword(name), inspect.Parameter.KEYWORD_ONLY,
                                            default=_default(kind, default)))
        first, *others = (in_python(line.strip()) for line in meaning.split("\n"))
        meaning = " ".join([first, "; ".join(others)]).strip()
        about = f" [{default}]" * (default not in ("", "false"))
        lines.append(f"    {keyword(name)}{value and f' ({value})'}: {meaning}{about}")
    function.__signature__ = inspect.Signature(parameters)
    heading = "\n\nOptions, their values, and defaults in brackets:\n\n"
    function.__doc__ = inspect.cleandoc(function.__doc__) + heading + "\n".join(lines)


def _default(kind, text):
    if kind == "flag":
        return text == "true"
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        return text or None
