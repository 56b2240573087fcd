"""Tables: a pandas.DataFrame, or what makes one, as CSV with every digit, as LaTeX for \\input, and as HTML."""

import math

import pandas as pd

# LaTeX of the letters beyond ASCII in a heading, and of its own special characters.
LETTERS = {"δ": r"$\delta$", "η": r"$\eta$", "∞": r"$\infty$", "₁": "$_1$", "₂": "$_2$", "′": "$'$", "″": "$''$",
           "≥": r"$\ge$", "≤": r"$\le$", "±": r"$\pm$", "−": "$-$", "–": "--", "’": "'", "\u00a0": "~", "\u202f": r"\,",
           "†": r"$\dagger$", "‡": r"$\ddagger$", "ᵖ": "$^p$", "ç": r"\c{c}", "·": r"$\cdot$", "|": r"$|$", "<": r"$<$", ">": r"$>$"}
LETTERS |= {raised: f"$^{plain}$" for plain, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}"
                                                                                               for c in "&%$#_{}"}


def csv(table, missing=""):
    """The bytes of a CSV of a table, `missing` for each number that is none."""
    return pd.DataFrame(table).to_csv(index=False, na_rep=missing).encode("utf-8")


def html(frame, formats):
    """The HTML of a table; formats: {heading: the function that gives the text of a number}."""
    return frame.to_html(index=False, formatters=formats, na_rep="–")


def latex(frame, origin, notes=()):
    """The bytes of a table in LaTeX, with a comment on its origin above and the notes as lines below it. A cell is a
    number, words, or (number, sign behind it); all numbers of a column have one format."""
    cells = pd.DataFrame([_cells(frame.iloc[:, n].tolist()) for n in range(len(frame.columns))]).T
    cells.columns = map(in_latex, frame.columns)
    width, ending = len(cells.columns), "\\end{tabular}\n"
    text = cells.style.hide(axis="index").to_latex(column_format="r" * width, hrules=True).removesuffix(ending)
    below = [rf"\multicolumn{{{width}}}{{l}}{{\footnotesize {in_latex(note)}}} \\" + "\n" for note in notes]
    comment = f"% {' '.join(origin.split())}; needs \\usepackage{{booktabs}}\n"
    return "".join([comment, text, *below, ending]).encode("ascii", "replace")


def in_latex(words):
    """Words for LaTeX: its special characters escaped, letters beyond ASCII named."""
    return words.translate(str.maketrans(LETTERS | SPECIAL))


def _cells(values):
    """The cells of a column in LaTeX, its numbers all whole, or with a power of ten and four digits."""
    numbers = [float(each) for each in (value[0] if isinstance(value, tuple) else value for value in values)
               if not isinstance(each, str) and math.isfinite(each)]
    return [_cell(value, all(number.is_integer() for number in numbers)) for value in values]


def _cell(value, whole):
    if isinstance(value, tuple):
        return _cell(value[0], whole) + in_latex(value[1])
    if isinstance(value, str):
        return in_latex(value)
    if not math.isfinite(value):
        return "--" if math.isnan(value) else r"$\infty$" if value > 0 else r"$-\infty$"
    if whole or value == 0:
        return "$" + (f"{int(value):,}".replace(",", r"\,") if abs(value) >= 10000 else str(int(value))) + "$"
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"
