"""The signatures of simulate(), converge() and scan(), built from the table of options in the module masing._masing."""

import inspect
import re

from masing import native
from masing.commands import keyword
from masing.errors import MasingError

HEADING = "\n\nOptions, their values, and defaults in brackets:\n\n"
# Options that the functions have in addition to those in the table of the program: (name, kind, value, help, default).
OTHERS = [("ranks", "number", "n", "run n ranks on this host by mpirun", ""),
          ("print-config", "flag", "", "give the resolved configuration as a text, and run nothing", "false"),
          ("validate-only", "flag", "", "check the configuration, and run nothing", "false"),
          ("petsc", "text", "", "words for PETSc", "")]


def describe(function):
    """Set the signature of a command's function and append its options to its docstring.

    Nothing is changed if there is no module masing._masing that can be used, as with MASING_MODULE=0.
    """
    try:
        module = native.module()
    except MasingError:  # MASING_PROGRAM is no program
        return
    if module:
        options = _options(module, function.__name__)
        function.__signature__ = inspect.Signature(
            [inspect.Parameter(keyword(name), inspect.Parameter.KEYWORD_ONLY, default=_default(kind, default))
             for name, kind, _, _, default in options])
        function.__doc__ = inspect.cleandoc(function.__doc__) + HEADING + _document(options)


def _options(module, command):
    """Return the options of a Python function as [(name, kind, value, help, default), …].

    `module` is the module masing._masing, which lists the options of the program. The option `output` loses its
    default, because a Python function writes no result file unless `output` is given.
    """
    return [(*each[:4], "" if each[0] == "output" else each[4]) for each in module.options(command)] + OTHERS


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


def _document(options):
    """Return a line for each option, with keywords in place of the options of the program."""
    lines = []
    for name, _, value, words, default in options:
        first, *others = (re.sub(r"--([a-z][\w-]*)", lambda found: keyword(found[1]), line.strip())
                          for line in words.split("\n"))
        about = f" [{default}]" * (default not in ("", "false"))
        meaning = " ".join([first, "; ".join(others)]).strip()
        lines.append(f"    {keyword(name)}{f' ({value})' if value else ''}: {meaning}{about}")
    return "\n".join(lines)
