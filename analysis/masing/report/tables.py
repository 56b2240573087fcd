"""The tables of a study: levels and orders, as cells of the page, as CSV with every digit, and as LaTeX for \\input."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from masing.notation import EN_DASH, cell, estimate, grouped, measured, order, scientific
from masing.results import QUANTITY_NAMES, Mark

SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}
MARKS = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
         Mark.NO_ERROR: "no error"}
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
        """A tabular in the rules of the package booktabs."""
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
    return "".join(SPECIAL.get(letter, LETTERS.get(letter, letter)) for letter in words)


def _latex_column(values):
    """The cells of a column, all numbers of it in one format: whole, or with a power of ten and four digits."""
    numbers = [float(each) for each in (value[0] if isinstance(value, tuple) else value for value in values)
               if not isinstance(each, str) and math.isfinite(each)]
    shown = _latex_whole if all(number.is_integer() for number in numbers) else _latex_power
    return [_latex_cell(value, shown) for value in values]


def _latex_cell(value, shown):
    """A number as `shown` formats it, -- for none, $\\infty$ for what is infinite."""
    if isinstance(value, tuple):
        return _latex_cell(value[0], shown) + (f"${LETTERS[value[1]].strip('$')}$" if value[1] else "")
    if isinstance(value, str):
        return latex(value)
    if math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    return shown(value)


def _latex_whole(value):
    digits = f"{int(value):,}".replace(",", r"\,") if abs(value) >= 10000 else str(int(value))
    return f"${digits}$"


def _latex_power(value):
    if value == 0:
        return "$0$"
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"


def sizes(study):
    """The columns of the levels' sizes, {heading: (values [levels], format)}; without cells only N and δt."""
    columns = {"P": (study.cells, grouped), "N": (study.steps, grouped), "δs": (study.ds, scientific),
               "δt": (study.dt, scientific)}
    return columns if study.run.has_cells else {name: columns[name] for name in ("N", "δt")}


def told_apart(study):
    """The quantities of a study to show: without u at the cells' points where nothing is expected of it and all that is
    shown of it is also shown of u."""
    shown = study.quantities
    if {"u", "u_cells"} <= set(shown) and not study.fit.get("expected_u_cells"):
        columns = [[[text for _, text, _ in row] for row in level_rows(study, [q])] for q in ("u", "u_cells")]
        return [q for q in shown if q != "u_cells" or columns[0] != columns[1]]
    return shown


def level_rows(study, quantities):
    """The rows of the page's table of levels: cells of the sizes, then of each quantity its error and order."""
    columns = [[cell(value, shown) for value in values] for values, shown in sizes(study).values()]
    for q in quantities:
        columns.append([cell(error, scientific, sign) for error, sign in zip(study.errors[q], signs(study, q))])
        columns.append([cell(value, order) for value in study.orders[q]])
    return list(zip(*columns))


def signs(study, quantity):
    """The sign behind each error [levels] that is left out of the fit."""
    return [SIGNS.get(mark, "") for mark in study.marks[quantity]]


def constant_headings(study):
    """The headings of the constants of the fits: C of the one step, or C₁ and C₂; [] without constants."""
    quantities = [q for q in QUANTITY_NAMES if study.errors[q] is not None]
    if any(study.joint(q) for q in quantities):
        return ["C₁ (of δs)", "C₂ (of δt)"]
    return ["C"] if any(math.isfinite(study.number(f"constant_{q}")) for q in quantities) else []


def constant_cells(study, quantity):
    """The constants of a quantity, with their uncertainty, as words below constant_headings()."""
    found = study.joint(quantity)
    if found:
        return [estimate(found.space, found.space_uncertainty), estimate(found.time, found.time_uncertainty)]
    headings = constant_headings(study)
    return [estimate(study.number(f"constant_{quantity}"), math.nan)] if headings == ["C"] else [EN_DASH] * len(headings)


def study_tables(study, findings, quantities):
    """The Tables of a study: its levels, and the orders of the findings with the constants of their fits."""
    known, stem = study.run.provenance, study.run.path.stem
    words = (("masing", "version"), ("revision", "git_revision"), ("of", "date"))
    made = [f"{word} {known[key]}" for word, key in words if key in known]
    origin = f"from {study.run.path.name}{', ' if made else ''}{' '.join(made)}"
    judged = {finding.quantity for finding in findings if finding.expected}
    short = [q for q in quantities if q != "u_cells" or q in judged]
    reference = f"Maximal errors against {study.fit['reference_text']}."
    return [Table(f"{stem}-levels", _levels(study, study.quantities), origin, _short_levels(study, short),
                  (reference, *sign_notes(study, short))),
            Table(f"{stem}-orders", _orders_found(study, findings), origin, _short_orders(study, findings),
                  ("In brackets the interval of the order; of a constant its 95 % confidence interval.", reference))]


def sign_notes(study, quantities):
    """What the signs behind errors mean, one line for each that is there."""
    used = {sign for q in quantities for sign in signs(study, q)}
    floor = study.number("floor")
    legends = {Mark.BEFORE: "before the asymptotic range (the residuals of a fit with them show a trend)",
               Mark.ON_FLOOR: "on the round-off floor" + (f", {measured(floor)}" if floor > 0 else "")}
    return [f"{SIGNS[mark]} left out of the fit: {legend}." for mark, legend in legends.items() if SIGNS[mark] in used]


def _levels(study, quantities):
    columns = {heading: values for heading, (values, _) in sizes(study).items()}
    for q in quantities:
        name = QUANTITY_NAMES[q]
        columns |= {f"error of {name}": study.errors[q], f"order of {name}": study.orders[q],
                    f"fit of {name}": [MARKS.get(mark, "unknown") for mark in study.marks[q]]}
    return _whole_sizes(pd.DataFrame(columns))


def _short_levels(study, quantities):
    frame = _whole_sizes(pd.DataFrame({name: values for name, (values, _) in sizes(study).items()}))
    for q in quantities:
        errors = list(zip(study.errors[q], signs(study, q)))
        frame.insert(len(frame.columns), f"e({SHORT_NAMES[q]})", errors)
        frame.insert(len(frame.columns), "order", [order(value) for value in study.orders[q]], allow_duplicates=True)
    return frame


def _whole_sizes(frame):
    """The frame with P and N as whole numbers; P = ∞ is 0 in the file and infinite here."""
    for name in frame.columns.intersection(["P", "N"]):
        if np.isfinite(frame[name]).all():
            frame[name] = pd.Series([int(n) if n or name == "N" else math.inf for n in frame[name]], dtype=object)
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
