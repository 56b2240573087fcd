"""The tables of a study: levels and orders, as cells of the page, as CSV with every digit, and as LaTeX for \\input."""

import math
from dataclasses import dataclass

import pandas as pd

from masing.convergence.claim import QUANTITY_NAMES, SIGNS, Mark, signs, sizes_table
from masing.notation import EN_DASH, estimate, measured, order

SHORT_NAMES = QUANTITY_NAMES | {"u_cells": "u, cells"}
# LaTeX of the letters beyond ASCII in a heading, and of its own special characters.
LETTERS = {"δ": r"$\delta$", "η": r"$\eta$", "∞": r"$\infty$", "₁": "$_1$", "₂": "$_2$", "′": "$'$", "″": "$''$",
           "≥": r"$\ge$", "≤": r"$\le$", "±": r"$\pm$", "−": "$-$", "–": "--", "’": "'", "\u00a0": "~", "\u202f": r"\,",
           "†": r"$\dagger$", "‡": r"$\ddagger$", "ᵖ": "$^p$", "ç": r"\c{c}", "·": r"$\cdot$", "|": r"$|$", "<": r"$<$", ">": r"$>$"}
LETTERS |= {raised: f"$^{plain}$" for plain, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}"
                                                                                               for c in "&%$#_{}"}


@dataclass(frozen=True)
class Table:
    """A table under a `name` for its files: numbers or words by heading, and one line on its origin.

    `short` is another one for LaTeX, where a line is short; a cell of it may be (number, sign behind it). `notes` are
    lines below it.
    """

    name: str
    frame: pd.DataFrame
    origin: str
    short: pd.DataFrame | None = None
    notes: tuple = ()

    @property
    def files(self):
        """The bytes of the table's files by kind."""
        csv = self.frame.to_csv(index=False, na_rep="nan")
        return {"csv": csv.encode("utf-8"), "tex": self._tex().encode("ascii", "replace")}

    def _tex(self):
        frame = self.frame if self.short is None else self.short
        columns = [_latex_column(frame.iloc[:, n].tolist()) for n in range(len(frame.columns))]
        heading, *lines = [" & ".join(row) + r" \\" for row in (map(latex, frame.columns), *zip(*columns))]
        width = len(frame.columns)
        below = [rf"\multicolumn{{{width}}}{{l}}{{\footnotesize {latex(note)}}} \\" for note in self.notes]
        return "\n".join([f"% {' '.join(self.origin.split())}; needs \\usepackage{{booktabs}}",
                          rf"\begin{{tabular}}{{{'r' * width}}}", r"\toprule", heading, r"\midrule", *lines,
                          r"\bottomrule", *below, r"\end{tabular}", ""])


def latex(words):
    """Words for LaTeX: its special characters escaped, letters beyond ASCII named."""
    return words.translate(str.maketrans(LETTERS | SPECIAL))


def _latex_column(values):
    """The cells of a column, all numbers of it in one format: whole, or with a power of ten and four digits."""
    numbers = [float(each) for each in (value[0] if isinstance(value, tuple) else value for value in values)
               if not isinstance(each, str) and math.isfinite(each)]
    return [_latex_cell(value, all(number.is_integer() for number in numbers)) for value in values]


def _latex_cell(value, whole):
    """A number, -- for none, $\\infty$ for what is infinite; words; or (number, sign behind it)."""
    if isinstance(value, tuple):
        return _latex_cell(value[0], whole) + latex(value[1])
    if isinstance(value, str):
        return latex(value)
    if not math.isfinite(value):
        return "--" if math.isnan(value) else r"$\infty$" if value > 0 else r"$-\infty$"
    if whole or value == 0:
        return "$" + (f"{int(value):,}".replace(",", r"\,") if abs(value) >= 10000 else str(int(value))) + "$"
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"


def constant_headings(study):
    """The headings of the constants of the fits: C of the one step, or C₁ and C₂; [] without constants."""
    if any(study.joint(q) for q in study.quantities):
        return ["C₁ (of δs)", "C₂ (of δt)"]
    return ["C"] if any(math.isfinite(study.number(f"constant_{q}")) for q in study.quantities) else []


def constant_cells(study, quantity):
    """The constants of a quantity, with their uncertainty, as words below constant_headings()."""
    found = study.joint(quantity)
    if found:
        return [estimate(found.space, found.space_uncertainty), estimate(found.time, found.time_uncertainty)]
    headings = constant_headings(study)
    return [estimate(study.number(f"constant_{quantity}"), math.nan)] if headings == ["C"] else [EN_DASH] * len(headings)


def study_tables(study, findings, quantities):
    """The Tables of a study: its levels, and the orders of the findings with the constants of their fits."""
    known, stem = study.provenance, study.path.stem
    words = (("masing", "version"), ("revision", "git_revision"), ("of", "date"))
    made = [f"{word} {known[key]}" for word, key in words if key in known]
    origin = f"from {study.path.name}{', ' if made else ''}{' '.join(made)}"
    judged = {finding.quantity for finding in findings if finding.expected}
    short = [q for q in quantities if q != "u_cells" or q in judged]
    reference = f"Maximal errors against {study.fit['reference_text']}."
    brackets = "In brackets the interval of the order" + "; of a constant its 95 % confidence interval" * any(
        study.joint(f.quantity) for f in findings) + "."
    return [Table(f"{stem}-levels", study.table(), origin, _short_levels(study, short),
                  (reference, *sign_notes(study, short))),
            Table(f"{stem}-orders", _orders_found(study, findings), origin, _short_orders(study, findings),
                  (brackets, reference))]


def sign_notes(study, quantities):
    """What the signs behind errors mean, one line for each that is there."""
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {Mark.BEFORE: "before the asymptotic range (the residuals of a fit with them show a trend)",
               Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    return [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used]


def _short_levels(study, quantities):
    frame = sizes_table(study)
    for q in quantities:
        errors = list(zip(study.errors[q], signs(study, q)))
        frame.insert(len(frame.columns), f"e({SHORT_NAMES[q]})", errors)
        frame.insert(len(frame.columns), "order", [order(value) for value in study.orders[q]], allow_duplicates=True)
    return frame


def _orders_found(study, findings):
    parts = [[study.number(f"{name}_uncertainty_{f.quantity}") for name in ("statistical", "structural")]
             for f in findings]
    frame = pd.DataFrame([(f.name, f.observed, f.uncertainty, *part, f.expected or "", study.number("tolerance"), f.verdict)
                          for f, part in zip(findings, parts)],
                         columns=["quantity", "order", "half-width of its interval", "statistical part",
                                  "structural part", "expected", "tolerance", "verdict"])
    joint = [study.joint(f.quantity) for f in findings]
    if not any(joint):
        return frame.assign(C=[study.number(f"constant_{f.quantity}") for f in findings])
    names = {"C₁": "space", "half-width of C₁": "space_uncertainty", "C₂": "time", "half-width of C₂": "time_uncertainty"}
    return frame.assign(**{heading: [getattr(each, name, math.nan) for each in joint]
                           for heading, name in names.items()})


def _short_orders(study, findings):
    return pd.DataFrame([[f.name, f.observation, f.expectation(study.number("tolerance")), f.verdict,
                          *constant_cells(study, f.quantity)]
                         for f in findings],
                        columns=["", "observed order", "expected", "verdict", *constant_headings(study)])
