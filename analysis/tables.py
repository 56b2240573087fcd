"""Tables as files beside a page: CSV with every digit, and LaTeX for \\input."""

import csv
import io
import math
from dataclasses import dataclass

# What LaTeX calls the letters of a heading.
LETTERS = {"δ": r"$\delta$", "η": r"$\eta$", "∞": r"$\infty$", "₁": "$_1$", "₂": "$_2$", "′": "$'$", "″": "$''$",
           "≥": r"$\ge$", "≤": r"$\le$", "±": r"$\pm$", "−": "$-$", "–": "--", "’": "'", "\u00a0": "~", "\u202f": r"\,",
           "†": r"$\dagger$", "‡": r"$\ddagger$", "·": r"$\cdot$", "|": r"$|$", "<": r"$<$", ">": r"$>$"}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}"
                                                                                               for c in "&%$#_{}"}


@dataclass(frozen=True)
class Table:
    """A table under a `name` for its files: headings, rows of cells (numbers or words), and one line on its origin.

    `compact` are other headings and rows for LaTeX, where a line is short; a cell may there be (number, sign behind it).
    """

    name: str
    headings: list
    rows: list
    origin: str
    compact: tuple | None = None

    @property
    def files(self):
        """The bytes of the table's files by kind."""
        return {"csv": self._csv().encode("utf-8"), "tex": self._tex().encode("ascii", "replace")}

    def _csv(self):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([[_exact(cell) for cell in row] for row in self.rows])
        return text.getvalue()

    def _tex(self):
        """A tabular without packages: \\input it in a table environment."""
        headings, rows = self.compact or (self.headings, self.rows)
        lines = [f"% {' '.join(self.origin.split())}", rf"\begin{{tabular}}{{{'r' * len(headings)}}}", r"\hline",
                 _row(map(latex, headings)), r"\hline"]
        lines += [_row(_in_latex(cell) for cell in row) for row in rows]
        return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


def latex(words):
    """Words for LaTeX: its special characters escaped, letters beyond ASCII named."""
    return "".join(SPECIAL.get(letter, LETTERS.get(letter, letter)) for letter in words)


def _row(cells):
    return " & ".join(cells) + r" \\"


def _exact(cell):
    return cell if isinstance(cell, str) else _whole(cell) or repr(float(cell))


def _whole(number):
    return str(int(number)) if math.isfinite(number) and float(number).is_integer() else ""


def _in_latex(cell):
    """A whole number in full, another with four digits, -- for none, $\\infty$ for what is infinite."""
    if isinstance(cell, tuple):
        return _in_latex(cell[0]) + latex(cell[1])
    if isinstance(cell, str):
        return latex(cell)
    if math.isnan(cell):
        return "--"
    if math.isinf(cell):
        return r"$\infty$" if cell > 0 else r"$-\infty$"
    if whole := _whole(cell):
        return f"${whole}$"
    mantissa, exponent = f"{cell:.3e}".split("e")
    if -3 < int(exponent) < 4:
        return f"${cell:.4g}$"
    return rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"
