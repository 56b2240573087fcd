"""The program's equations in plain letters, typeset for a page: `m y' = F - k0 x` with signs, italics and indices."""

import re

from markupsafe import Markup, escape

GREEK = {"alpha": "α", "beta": "β", "delta": "δ", "eta": "η", "sigma": "σ", "phi": "φ", "psi": "ψ"}
SIGNS = {"-": "−", "<=": "≤", ">=": "≥", "'": "′", "''": "″", "'''": "‴"}
# A word of more letters than this, or one that is listed, is a word; a shorter one is the name of a quantity.
LONGEST_NAME = 1
NAMES = {"ds", "dt"}
TOKEN = re.compile(r"(?P<name>[A-Za-z]+)(?P<digits>\d*)(?:_(?P<index>\{[^}]*\}|[A-Za-z0-9]+))?"
                   r"|\^(?P<power>\{[^}]*\}|-?[A-Za-z0-9]+)|_(?P<after>\{[^}]*\}|[A-Za-z0-9]+)|(?P<sign>'+|<=|>=|-)"
                   r"|(?P<other>.)", re.DOTALL)


def typeset(text):
    """The HTML of one line in which short names are quantities and all other words are words."""
    return Markup("").join(_token(found) for found in TOKEN.finditer(text))


def _token(found):
    if found["name"]:
        return _name(found["name"], found["digits"], found["index"])
    if found["power"]:
        return Markup("<sup>{}</sup>").format(_within(found["power"]))
    if found["after"]:
        return Markup("<sub>{}</sub>").format(_within(found["after"]))
    return escape(SIGNS.get(found["sign"], found["other"] or found["sign"]))


def _name(name, digits, index):
    greek = GREEK.get(name)
    if greek is None and len(name) > LONGEST_NAME and name not in NAMES:
        return escape(name + digits)
    letter = greek or ("d" + name[1] if name in NAMES else name)
    below = digits + (("," if digits else "") + index.strip("{}") if index else "")
    return Markup("<i>{}</i>").format(letter) + (Markup("<sub>{}</sub>").format(typeset(below)) if below else Markup(""))


def _within(text):
    return typeset(text.strip("{}"))


def equations_of(described):
    """The lines of equations in the program's description of a model, those indented below its first line."""
    lines = []
    for line in described.splitlines()[1:]:
        if line.strip() and not line.startswith(" "):
            break
        if line.strip():
            lines.append(line.strip())
    return lines


def steps_in_words(text):
    """A sentence with the steps ds and dt as δs and δt."""
    return re.sub(r"\bd([st])\b", r"δ\1", text)
