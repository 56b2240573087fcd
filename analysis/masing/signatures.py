"""The signatures of simulate(), converge() and scan(), built from the table of options in the module masing._masing.

    python3 -m masing.signatures MODULE FILE.pyi …

writes the stub of the package, a file of type annotations, to each FILE.pyi. Editors use the stub for completion, and
type checkers check the types of options with it.
"""

import importlib.util
import inspect
import keyword
import re
import sys
from pathlib import Path

from masing import commands, native
from masing.command_line import write_file
from masing.errors import MasingError

COMMANDS = {"simulate": "Run", "converge": "Study", "scan": "Scan"}
HEADING = "\n\nOptions, their values, and defaults in brackets:\n\n"
# Options that the functions have in addition to those in the table of the program: (name, kind, value, help, default).
OTHERS = [("ranks", "number", "n", "run n ranks on this host by mpirun", ""),
          ("print-config", "flag", "", "give the resolved configuration as a text, and run nothing", "false"),
          ("validate-only", "flag", "", "check the configuration, and run nothing", "false"),
          ("petsc", "text", "", "words for PETSc", "")]
# With one of these options a function computes nothing and returns the printed text.
WITHOUT_RUN = ("print-config", "validate-only")
STUB = '''\
# The options of masing {version}, made with it by masing/signatures.py.
from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike
from typing import Any, Literal, TypeAlias, overload

from numpy import ndarray
from numpy.typing import ArrayLike
from pandas import DataFrame, Series

{imports}

__version__: str

_Number: TypeAlias = float | str
_Text: TypeAlias = float | str | timedelta
_List: TypeAlias = float | str | Sequence[Any] | ndarray | Series
_Pairs: TypeAlias = str | Sequence[str] | Mapping[str, Any]
_File: TypeAlias = str | PathLike[str] | Run | Scan
_Function: TypeAlias = (float | str | tuple[ArrayLike, ArrayLike] | Sequence[Sequence[float]] | ndarray | DataFrame | Series
                        | PathLike[str])

{functions}
'''


def describe(function):
    """Set the signature of a function in COMMANDS, append its options to its docstring, and return the function.

    The signature and the docstring are not changed if there is no module masing._masing that can be used, as with the
    environment variable MASING_MODULE=0.
    """
    try:
        module = native.module()
    except MasingError:
        module = None
    if module and not hasattr(function, "__signature__"):
        options = _options(module, function.__name__)
        function.__signature__ = inspect.Signature(
            [inspect.Parameter(_name(name), inspect.Parameter.KEYWORD_ONLY, default=_default(kind, default))
             for name, kind, _, _, default in options])
        function.__doc__ = _document(function, options)
    return function


def _options(module, command):
    """Return the options of a Python function as [(name, kind, value, help, default), …].

    `module` is the module masing._masing, which lists the options of the program. The option `output` loses its
    default, because a Python function writes no result file unless `output` is given.
    """
    return [(*each[:4], "" if each[0] == "output" else each[4]) for each in module.options(command)] + OTHERS


def _name(option):
    """Return the name of an option as a keyword of a Python function, such as final_time or from_."""
    name = "tables" if option == "table" else option.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _default(kind, text):
    """Return the default of an option, given as text, as a Python value.

    The value of an empty text is False for an option of the kind "flag", and None for any other option.
    """
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return False if kind == "flag" else text or None


def _document(function, options):
    lines = []
    for name, _, value, words, default in options:
        first, *others = (re.sub(r"--([a-z][\w-]*)", lambda found: _name(found[1]), line.strip())
                          for line in words.split("\n"))
        about = f" [{default}]" * (default not in ("", "false"))
        meaning = " ".join([first, "; ".join(others)]).strip()
        lines.append(f"    {_name(name)}{f' ({value})' if value else ''}: {meaning}{about}")
    return inspect.cleandoc(function.__doc__.partition(HEADING)[0]) + HEADING + "\n".join(lines)


def _type(name, kind, value):
    """Return the type annotation for the values of an option."""
    if name in WITHOUT_RUN:
        return "Literal[False]"
    words = [repr(word) for word in value.split("|") if word.islower()] if kind == "choice" else []
    literal = f"Literal[{', '.join(words)}]" if words else "_Function" if kind.startswith("function") else ""
    if name == "samples":
        return "str | PathLike[str] | DataFrame | Mapping[str, Any]"
    file = "_File" if "FILE" in value and kind != "pair" or name == "initial-u" else ""
    by_kind = {"flag": "bool", "number": "_Number", "list": "_List", "pair": "_Pairs", "choice": "str"}
    return " | ".join(filter(None, (literal, file))) or \
        ("_Pairs" if kind == "text" and "=" in value else "int" if name == "ranks" else by_kind.get(kind, "_Text"))


def stub(module):
    """Return the text of the stub of the package, with the options that the module masing._masing lists."""
    lines = [f"from {source} import {name} as {name}" for name, source in sorted(commands.SOURCES.items())
             if name not in COMMANDS]
    functions = []
    for command, result in COMMANDS.items():
        options = _options(module, command)
        parameters = "".join(f"    {_name(name)}: {_type(name, kind, value)} | None = ...,\n"
                             for name, kind, value, _, _ in options)
        text = _document(getattr(commands, command), options).replace("\\", "\\\\").replace('"""', "'''")
        body = "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
        functions += [f"@overload\ndef {command}(*, {_name(name)}: Literal[True], **options: Any) -> str: ...\n"
                      for name in WITHOUT_RUN]
        functions.append(f"@overload\ndef {command}(\n    *,\n{parameters}) -> {result}:\n"
                         f'    """{body.strip()}\n    """\n')
    return STUB.format(version=module.__version__, imports="\n".join(lines), functions="\n".join(functions))


def main(arguments):
    """Write the stub of the package into files.

    `arguments` are the path of the module masing._masing and the paths of the files to write. A file that cannot be
    written, for example in a read-only source folder, is skipped with a message.
    """
    file, *places = arguments
    try:
        spec = importlib.util.spec_from_file_location("masing._masing", file)
        module = importlib.util.module_from_spec(spec)
    except ImportError as error:
        print(f"no stub of the package: {error}", file=sys.stderr)
        return
    for place in places:
        try:
            write_file(Path(place), stub(module).encode("utf-8"))
        except MasingError as error:
            print(error, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
