"""Functions that return a table as CSV with all digits, or as LaTeX for \\input.

A table is a pandas.DataFrame, or a value from which a DataFrame can be constructed.
"""

import math

import pandas as pd

# {character: LaTeX command} for characters that LaTeX would not print as they are. LETTERS contains | < > and
# symbols outside ASCII. SPECIAL contains the characters that are part of the syntax of LaTeX.
LETTERS = {"δ": r"$\delta$", "η": r"$\eta$", "∞": r"$\infty$", "₁": "$_1$", "₂": "$_2$", "′": "$'$", "″": "$''$",
           "≥": r"$\ge$", "≤": r"$\le$", "±": r"$\pm$", "−": "$-$", "–": "--", "’": "'", "\u00a0": "~", "\u202f": r"\,",
           "†": r"$\dagger$", "‡": r"$\ddagger$", "ᵖ": "$^p$", "ç": r"\c{c}",
           "·": r"$\cdot$", "|": r"$|$", "<": r"$<$", ">": r"$>$"}
LETTERS |= {raised: f"$^{plain}$" for plain, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}"
                                                                                               for c in "&%$#_{}"}


def csv(table, missing=""):
    """Return a table as the bytes of a CSV file, with the text `missing` in place of each NaN."""
    return pd.DataFrame(table).to_csv(index=False, na_rep=missing).encode("utf-8")


def latex(frame, origin, notes=()):
    """Return a table as the bytes of a LaTeX file.

    A comment above the table contains the text `origin`; the `notes` are lines below the table. An entry of `frame` is
    a number, a text, or a pair (number, mark that is written behind the number). In the table and the notes, characters
    in LETTERS and SPECIAL are replaced by LaTeX commands. All characters outside ASCII that are left then, and all
    those in the comment, are replaced by question marks.
    """
    cells = pd.DataFrame([_cells(frame.iloc[:, n].tolist()) for n in range(len(frame.columns))]).T
    cells.columns = map(in_latex, frame.columns)
    width, ending = len(cells.columns), "\\end{tabular}\n"
    text = cells.style.hide(axis="index").to_latex(column_format="r" * width, hrules=True).removesuffix(ending)
    below = [rf"\multicolumn{{{width}}}{{l}}{{\footnotesize {in_latex(note)}}} \\" + "\n" for note in notes]
    comment = f"% {' '.join(origin.split())}; needs \\usepackage{{booktabs}}\n"
    return "".join([comment, text, *below, ending]).encode("ascii", "replace")


def in_latex(words):
    """Return a text with LaTeX commands in place of the characters in LETTERS and SPECIAL."""
    return words.translate(str.maketrans(LETTERS | SPECIAL))


def _cells(values):
    """Return the entries of a column in LaTeX.

    If all finite numbers of the column are whole, they are written as whole numbers. Otherwise each of them except 0 is
    written with four digits and a power of ten.
    """
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
