"""A problem on a page: its model with equations typeset, its data, a thumbnail of each that is a table; works cited."""

import re
from collections import namedtuple

from markupsafe import Markup, escape

from masing import style
from masing.names import POINTS, SYMBOLS, motion, points_of, short_value
from masing.report.pictures import Picture

# All that closed curves, which are no motion, depend on.
OF_CURVES = {"k0", "stiffness", "threshold", "threshold-down"}
# What a table of a function is over, by the end of its symbol.
ABSCISSAS = {"(s)": "s", "(t)": "time t"}

# One of a problem's data: its symbol, its value in short, and its Picture where it is a table.
Datum = namedtuple("Datum", "symbol value picture", defaults=[None])


class Problem(namedtuple("Problem", "id model title equations data motion moves", defaults=[True])):
    """What a page says of a problem: the name of its model, the program's words and equations of it, its data, the
    pictures of those that are tables, its Motion, and whether there is a motion or only closed curves."""

    pictures = property(lambda self: [each.picture for each in self.data if each.picture])


def problem(run, identifier, described):
    """The Problem of a Run under an id of the page; described: the output of masing models MODEL, or None."""
    moves = getattr(run, "kind", None) != "closed curves"
    terms = motion(run)
    without_saying = {"damping": not terms.is_damped, "base-acceleration": not terms.base_moves}
    shown = [key for key in SYMBOLS if run.settings.get(key) and not without_saying.get(key)
             and (moves or key in OF_CURVES)]
    keys = shown + [key for key in run.settings if key.startswith("model.")]
    return Problem(identifier, run.model, *in_equations(described), [_datum(run, key) for key in keys],
                   terms, moves)


def in_equations(described):
    """(title, equations as HTML) of a model from the output of masing models MODEL; empty where it is None."""
    text = in_words(described or "")
    return text.partition("\n")[0].partition(": ")[2], [typeset(line) for line in equations_of(text)]


def _datum(run, key):
    value, points = run.settings[key], points_of(run.settings[key])
    symbol = SYMBOLS.get(key, key.removeprefix("model."))
    if points is None or len(points) < 2:
        return Datum(symbol, short_value(value))
    name = f"{run.path.stem}-{key.removeprefix('model.')}"
    what = f"{symbol} of {run.path.name}, {short_value(value)}"
    figure = _thumbnail(points, ABSCISSAS.get(symbol[-3:], "number"), symbol, value.startswith(POINTS))
    return Datum(symbol, f"{short_value(value)}, in {name}.csv", Picture(name, figure, f"Curve of {what}."))


def _thumbnail(points, abscissa, symbol, joined):
    figure, axes = style.frame(0.7, 0.5)
    axes.plot(*zip(*points), "-" if joined else ".", color=style.COLOURS[0], linewidth=0.8, label=symbol)
    axes.set(xlabel=abscissa, ylabel=symbol)
    style.label_values(axes.xaxis, axes.yaxis)
    return figure


GREEK = {"alpha": "α", "beta": "β", "delta": "δ", "eta": "η", "sigma": "σ", "phi": "φ", "psi": "ψ"}
SIGNS = {"-": "−", "<=": "≤", ">=": "≥", "'": "′", "''": "″", "'''": "‴"}
# A word of more letters than this, or one that is listed, is a word; a shorter one is the name of a quantity.
LONGEST_NAME = 1
NAMES = {"ds", "dt"}
TOKEN = re.compile(r"(?P<name>[A-Za-z]+)(?P<digits>\d*)(?:_(?P<index>\{[^}]*\}|[A-Za-z0-9]+))?"
                   r"|\^(?P<power>\{[^}]*\}|-?[A-Za-z0-9]+)|_(?P<after>\{[^}]*\}|[A-Za-z0-9]+)|(?P<sign>'+|<=|>=|-)"
                   r"|(?P<other>.)", re.DOTALL)


# How a work is cited, its entry in the list, and the name that the sources of the program use.
Work = namedtuple("Work", "key entry name", defaults=[""])

WORKS = (
    Work("Bastien, Lamarque and Schatzman (2001)",
         "J. Bastien, C.-H. Lamarque, M. Schatzman, Study of an elastoplastic model with an infinite number of degrees of "
         "freedom, ASME DETC 2001, VIB-21456; hal-04216235.", "continuous-masing-2001"),
    Work("Bastien, Schatzman and Lamarque (2000)",
         "J. Bastien, M. Schatzman, C.-H. Lamarque, Study of some rheological models with a finite number of degrees of "
         "freedom, Eur. J. Mech. A/Solids 19 (2000) 277–307.", "rheological-models-2000"),
    Work("Bastien and Lamarque (2006)",
         "J. Bastien, C.-H. Lamarque, The Persoz’s gephyroidal model described by a maximal monotone differential "
         "inclusion, submitted to Arch. Appl. Mech., 2006.", "persoz-gephyroid"),
    Work("Bastien and Schatzman (2002)",
         "J. Bastien, M. Schatzman, Numerical precision for differential inclusions with uniqueness, M2AN 36 (2002) "
         "427–460."),
    Work("Eça and Hoekstra (2014)",
         "L. Eça, M. Hoekstra, A procedure for the estimation of the numerical uncertainty of CFD calculations based on "
         "grid refinement studies, J. Comput. Phys. 262 (2014) 104–130."),
    Work("Hausman (1978)", "J. A. Hausman, Specification tests in econometrics, Econometrica 46 (1978) 1251–1271."),
)


def typeset(text):
    """The HTML of one line in which short names are quantities and all other words are words."""
    return Markup("").join(_token(found) for found in TOKEN.finditer(text))


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
    if greek is None and len(name) > LONGEST_NAME and name not in NAMES:
        return escape(name + digits)
    letter = greek or ("d" + name[1] if name in NAMES else name)
    below = digits + (("," if digits else "") + index.strip("{}") if index else "")
    return Markup("<i>{}</i>").format(letter) + (Markup("<sub>{}</sub>").format(typeset(below)) if below else "")


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


def first_sentence(run):
    """The first sentence of the comment of a run's case file, without its full stop; empty without a comment."""
    return steps_in_words(run.comment.split(". ")[0].strip().rstrip("."))


def cited(text):
    """The Works that a text cites, in the order of WORKS."""
    return [work for work in WORKS if work.key in text]


def in_words(text):
    """A text of the program with each work cited by author and year instead of by the name that sources use."""
    for work in WORKS:
        text = text.replace(work.name, work.key) if work.name else text
    return text
