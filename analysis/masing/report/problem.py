"""Describe a problem on a page, and list the works that the page cites.

The description consists of the model with its equations in HTML, and the data.
"""

import re
from collections import namedtuple
from itertools import takewhile

from markupsafe import Markup, escape

from masing.text import SYMBOLS, motion, short_value


class Problem(namedtuple("Problem", "id model title equations source data motion")):
    """A problem on a page.

    `id` is its id in the HTML text. `model` is the name of its model, and `title`, `equations` and `source` are those
    of the model in the description by the program. `data` are pairs (symbol, value as a short text), and `motion` is
    its Motion.
    """


def problem(run, identifier, described):
    """Return the Problem of a Run, with the `identifier` as its id on the page. described: the output of `masing models
    MODEL`, or None if it is not known."""
    terms = motion(run)
    without_saying = {"damping": not terms.is_damped, "base-acceleration": not terms.base_moves}
    if run.is_chain:
        # Most chains have few of the many terms that a chain can have. A study of n has its levels in a table.
        without_saying = {key: True for key, value in run.settings.items() if value == "0"}
        without_saying["model.n"] = run.settings.get("refine") == "elements"
    shown = [key for key in SYMBOLS if run.settings.get(key) and not without_saying.get(key)]
    keys = shown + ["force-node"] * bool(run.settings.get("force-node"))
    keys += [key for key in run.settings if key.startswith("model.") and not without_saying.get(key)]
    data = [(SYMBOLS.get(key, key.removeprefix("model.")), short_value(run.settings[key])) for key in keys]
    text = in_words(described or "")
    # The equations are shown without the terms of which this problem has none.
    terms_of = {" - c y": terms.is_damped, " - m a_g": terms.base_moves, " - m_i a_g": terms.base_moves,
                " - c_ground_i y_i": "c_ground" in dict(data), " k0_j d_j +": "k0" in dict(data),
                " c_j d_j' +": "c" in dict(data)}
    for term in (term for term, is_there in terms_of.items() if not is_there):
        text = text.replace(term, "")
    equations = [typeset(line) for line in equations_of(text)
                 if "base_impedance" not in line or "base_impedance" in dict(data)]
    source = re.search(r"^source +(.*)$", text, re.MULTILINE)
    return Problem(identifier, run.model, text.partition("\n")[0].partition(": ")[2], equations,
                   source[1] if source else "", data, terms)


GREEK = {"alpha": "α", "beta": "β", "chi": "χ", "delta": "δ", "eta": "η", "sigma": "σ", "phi": "φ", "psi": "ψ",
         "Theta": "Θ"}
SIGNS = {"-": "−", "<=": "≤", ">=": "≥", "'": "′", "''": "″", "'''": "‴"}
# In the program's description of a model, a word is the symbol of a quantity if it has at most LONGEST_NAME letters or
# is in GREEK or NAMES. All other words are plain text, and so is the article a, which has no index.
LONGEST_NAME = 1
NAMES = {"ds", "dt"}
TOKEN = re.compile(r"(?P<name>[A-Za-z]+)(?P<digits>\d*)(?:_(?P<index>\{[^}]*\}|[A-Za-z0-9]+))?"
                   r"|\^(?P<power>\{[^}]*\}|-?[A-Za-z0-9]+)|_(?P<after>\{[^}]*\}|[A-Za-z0-9]+)|(?P<sign>'+|<=|>=|-)"
                   r"|(?P<other>.)", re.DOTALL)


# A published work. `key` are the words by which a page cites it, and `entry` is its entry in the list of works. `name`
# is its name in texts of the program, or "" if they do not name it.
Work = namedtuple("Work", "key entry name", defaults=[""])

WORKS = (
    Work("Bastien, Lamarque and Schatzman (2001)",
         "J. Bastien, C.-H. Lamarque, M. Schatzman, Study of an elastoplastic model with an infinite number of degrees "
         "of freedom, ASME DETC 2001, VIB-21456; hal-04216235.", "continuous-masing-2001"),
    Work("Bastien, Schatzman and Lamarque (2000)",
         "J. Bastien, M. Schatzman, C.-H. Lamarque, Study of some rheological models with a finite number of degrees "
         "of freedom, Eur. J. Mech. A/Solids 19 (2000) 277–307.", "rheological-models-2000"),
    Work("Bastien and Lamarque (2006)",
         "J. Bastien, C.-H. Lamarque, The Persoz’s gephyroidal model described by a maximal monotone differential "
         "inclusion, submitted to Arch. Appl. Mech., 2006.", "persoz-gephyroid"),
    Work("Bastien and Schatzman (2002)",
         "J. Bastien, M. Schatzman, Numerical precision for differential inclusions with uniqueness, M2AN 36 (2002) "
         "427–460."),
    Work("Eça and Hoekstra (2014)",
         "L. Eça, M. Hoekstra, A procedure for the estimation of the numerical uncertainty of CFD calculations based "
         "on grid refinement studies, J. Comput. Phys. 262 (2014) 104–130."),
    Work("Hausman (1978)", "J. A. Hausman, Specification tests in econometrics, Econometrica 46 (1978) 1251–1271."),
)


def typeset(text):
    """Return the HTML of one line of text, in which symbols of quantities are set in italics and words are not."""
    return Markup("").join(_token(found) for found in TOKEN.finditer(text))


# These replacements make signs of mathematics of what is typed on a keyboard. A symbol is one letter or a Greek one,
# and the digit after it is its index.
SYMBOL = rf"(?<![\w./'-])(?:[^\W\d_]|{'|'.join(GREEK)})"
TYPED = {re.compile(pattern): text for pattern, text in {
    r"\+-": "±", rf"(?<= )-(?= )|(?<![\w.-])-(?=[\d½]|{'|'.join(GREEK)})|(?<=\^)-": "−", r"\bsqrt(?=\()": "√",
    rf"({SYMBOL})(\d)(?![\w-])": r"\1_\2", rf"({SYMBOL}\w*)''(?!\w)": r"\1″", rf"({SYMBOL})'(?!\w)": r"\1′",
    r"= inf\b": "= ∞"}.items()}


def prose(text):
    """Return the HTML of a comment, in which symbols are typeset: eta_i with its index, φ^χ with its power."""
    for pattern, sign in TYPED.items():
        text = pattern.sub(sign, text)
    text = re.sub(rf"{SYMBOL}(?![^\W\d_])", lambda found: GREEK.get(found[0], found[0]), text)
    text = re.sub(r"(?<![^\W\d])([^\W\d_])_([A-Za-z0-9]+)(?!\w)", r"\1<sub>\2</sub>", str(escape(text)))
    return Markup(re.sub(r"\^(\(.+?\)|−?\w+(?:\.\d+)?)", lambda found: f"<sup>{found[1].strip('()')}</sup>", text))


def _token(found):
    if found["name"]:
        return _name(found["name"], found["digits"], found["index"])
    if found["power"]:
        return Markup("<sup>{}</sup>").format(typeset(found["power"].strip("{}")))
    if found["after"]:
        return Markup("<sub>{}</sub>").format(typeset(found["after"].strip("{}")))
    return escape(SIGNS.get(found["sign"], found["other"] or found["sign"]))


def _name(name, digits, index):
    greek = GREEK.get(name)
    if greek is None and len(name) > LONGEST_NAME and name not in NAMES or name == "a" and not index:
        return escape(name + digits + (f"_{index}" if index else ""))
    letter = greek or ("d" + name[1] if name in NAMES else name)
    below = digits + (("," if digits else "") + index.strip("{}") if index else "")
    return Markup("<i>{}</i>").format(letter) + (Markup("<sub>{}</sub>").format(typeset(below)) if below else "")


def equations_of(described):
    """Return the lines of equations in the program's description of a model. These are the indented lines directly
    below its first line."""
    below = takewhile(lambda line: not line.strip() or line.startswith(" "), described.splitlines()[1:])
    return [line.strip() for line in below if line.strip()]


def steps_in_words(text):
    """Return a text in which the steps ds and dt are written δs and δt."""
    return re.sub(r"\bd([st])\b", r"δ\1", text)


def first_sentence(run):
    """Return the first sentence of the comment in a run's case file without its full stop, or an empty text if there is
    no comment."""
    return steps_in_words(run.comment.split(". ")[0].strip().rstrip("."))


def cited(text):
    """Return the Works that a text cites, in the order of WORKS."""
    return [work for work in WORKS if work.key in text]


def in_words(text):
    """Return a text of the program in which the program's own names of works, such as persoz-gephyroid, are replaced by
    the authors and the year."""
    for work in WORKS:
        text = text.replace(work.name, work.key) if work.name else text
    return text
