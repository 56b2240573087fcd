"""Describe the problems on a page, each by the model with its equations in HTML and by its data."""

import re
from collections import namedtuple
from itertools import takewhile

from markupsafe import Markup, escape

from masing.text import SYMBOLS, listed, motion, short_value

# A problem on a page: its id in the HTML text, the names of its files and of its model, what the program says of the
# model, pairs (symbol, value as a short text), and its Motion.
Problem = namedtuple("Problem", "id files model title equations source data motion")


def problems_of(files, exact):
    """Return {identity of a problem: its Problem} of all files. exact: the ExactSolutions of the page."""
    groups = {}
    for run in files:
        groups.setdefault(run.problem, []).append(run)
    models = [runs[0].model for runs in groups.values()]
    by_model = sorted(groups.items(), key=lambda group: models.index(group[1][0].model))
    return {key: _problem(runs[0], f"problem-{n}", listed(run.path.name for run in runs),
                          exact.description(runs[0].model)) for n, (key, runs) in enumerate(by_model, start=1)}


def _problem(run, identifier, files, described):
    """Return the Problem of a Run, where `described` is the output of `masing models MODEL`."""
    terms = motion(run)
    keys = [*SYMBOLS, "force-node", *(key for key in run.settings if key.startswith("model."))]
    if run.settings.get("refine") == "elements":
        keys.remove("model.n")  # It is in the table of levels.
    data = {SYMBOLS.get(key, key.removeprefix("model.")): short_value(run.settings[key]) for key in keys
            if run.settings.get(key, "0") not in ("", "0")}
    text = described
    for work in WORKS:
        text = text.replace(work.name or work.key, work.key)
    # The equations are shown without the terms of which this problem has none.
    terms_of = {" - c y": terms.is_damped, " - m a_g": terms.base_moves, " - m_i a_g": terms.base_moves,
                " - c_ground_i y_i": "c_ground" in data, " k0_j d_j +": "k0" in data, " c_j d_j' +": "c" in data}
    for term in (term for term, is_there in terms_of.items() if not is_there):
        text = text.replace(term, "")
    equations = [typeset(line) for line in equations_of(text)
                 if "base_impedance" not in line or "base_impedance" in data]
    source = re.search(r"^source +(.*)$", text, re.MULTILINE)
    return Problem(identifier, files, run.model, text.partition("\n")[0].partition(": ")[2], equations,
                   source[1] if source else "", list(data.items()), terms)


GREEK = {"alpha": "α", "beta": "β", "chi": "χ", "delta": "δ", "eta": "η", "sigma": "σ", "phi": "φ", "psi": "ψ",
         "Theta": "Θ"}
SIGNS = {"-": "−", "<=": "≤", ">=": "≥", "'": "′", "''": "″", "'''": "‴"}
# A word in the program's description of a model is the symbol of a quantity if it has one letter, but is not the article
# a without an index, or if it is in GREEK or NAMES.
NAMES = {"ds": "ds", "dt": "dt"}
TOKEN = re.compile(r"(?P<name>[A-Za-z]+)(?P<digits>\d*)(?:_(?P<index>\{[^}]*\}|[A-Za-z0-9]+))?"
                   r"|\^(?P<power>\{[^}]*\}|-?[A-Za-z0-9]+)|_(?P<after>\{[^}]*\}|[A-Za-z0-9]+)|(?P<sign>'+|<=|>=|-)"
                   r"|(?P<other>.)", re.DOTALL)

# A published work: how a page cites it, its entry in the list of works, and its name in texts of the program, if any.
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
)


def typeset(text):
    """Return the HTML of one line of text, in which symbols of quantities are set in italics and words are not."""
    return Markup("").join(_token(found) for found in TOKEN.finditer(text))


def _token(found):
    for part, tag in (("power", "sup"), ("after", "sub")):
        if found[part]:
            return Markup(f"<{tag}>{{}}</{tag}>").format(typeset(found[part].strip("{}")))
    name, digits, index = found["name"], found["digits"], found["index"]
    if not name:
        return escape(SIGNS.get(found["sign"], found["other"] or found["sign"]))
    letter = (GREEK | NAMES).get(name, name)
    if letter == name and len(name) > 1 and name not in NAMES or name == "a" and not index:
        return escape(found[0])
    below = ",".join(filter(None, (digits, (index or "").strip("{}"))))
    return Markup("<i>{}</i>").format(letter) + (Markup("<sub>{}</sub>").format(typeset(below)) if below else "")


def equations_of(described):
    """Return the indented lines below the first line of the program's description of a model, its equations."""
    below = takewhile(lambda line: not line.strip() or line.startswith(" "), described.splitlines()[1:])
    return [line.strip() for line in below if line.strip()]
