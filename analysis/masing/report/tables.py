"""The tables of a study: levels and orders, as cells of the page, as CSV with every digit, and as LaTeX for \\input."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from masing.notation import EN_DASH, cell, grouped, order, scientific, within
from masing.results import QUANTITY_NAMES, Mark

SIGNS = {Mark.BEFORE: "†", Mark.ON_FLOOR: "‡"}
MARKS = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
         Mark.NO_ERROR: "no error"}
SHORT_NAMES = QUANTITY_NAMES | {"u_cells": "u, cells"}
# LaTeX of the letters beyond ASCII in a heading, and of its own special characters.
LETTERS = {"δ": r"$\delta$", "η": r"$\eta$", "∞": r"$\infty$", "₁": "$_1$", "₂": "$_2$", "′": "$'$", "″": "$''$",
           "≥": r"$\ge$", "≤": r"$\le$", "±": r"$\pm$", "−": "$-$", "–": "--", "’": "'", "\u00a0": "~", "\u202f": r"\,",
           "†": r"$\dagger$", "‡": r"$\ddagger$", "·": r"$\cdot$", "|": r"$|$", "<": r"$<$", ">": r"$>$"}
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {c: f"\\{c}"
                                                                                               for c in "&%$#_{}"}


@dataclass(frozen=True)
class Table:
    """A table under a `name` for its files: numbers or words by heading, and one line on its origin.

    `short` is another one for LaTeX, where a line is short; a cell of it may be (number, sign behind it).
    """

    name: str
    frame: pd.DataFrame
    origin: str
    short: pd.DataFrame | None = None

    @property
    def files(self):
        """The bytes of the table's files by kind."""
        csv = self.frame.to_csv(index=False, na_rep="nan")
        return {"csv": csv.encode("utf-8"), "tex": self._tex().encode("ascii", "replace")}

    def _tex(self):
        """A tabular that needs no package."""
        frame = self.frame if self.short is None else self.short
        rows = [map(_latex_cell, row) for row in frame.itertuples(index=False, name=None)]
        heading, *lines = [" & ".join(row) + r" \\" for row in (map(latex, frame.columns), *rows)]
        return "\n".join([f"% {' '.join(self.origin.split())}", rf"\begin{{tabular}}{{{'r' * len(frame.columns)}}}",
                          r"\hline", heading, r"\hline", *lines, r"\hline", r"\end{tabular}", ""])


def latex(words):
    """Words for LaTeX: its special characters escaped, letters beyond ASCII named."""
    return "".join(SPECIAL.get(letter, LETTERS.get(letter, letter)) for letter in words)


def _latex_cell(value):
    """A whole number in full, another with four digits, -- for none, $\\infty$ for what is infinite."""
    if isinstance(value, tuple):
        return _latex_cell(value[0]) + latex(value[1])
    if isinstance(value, str):
        return latex(value)
    if math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    if float(value).is_integer():
        return f"${int(value)}$"
    mantissa, exponent = f"{value:.3e}".split("e")
    return f"${value:.4g}$" if -3 < int(exponent) < 4 else rf"${mantissa}\cdot 10^{{{int(exponent)}}}$"


def sizes(study):
    """The columns of the levels' sizes, {heading: (values [levels], format)}; without cells only N and δt."""
    columns = {"P": (study.cells, grouped), "N": (study.steps, grouped), "δs": (study.ds, scientific),
               "δt": (study.dt, scientific)}
    return columns if study.run.has_cells else {name: columns[name] for name in ("N", "δt")}


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
        return [within(found.space, found.space_uncertainty), within(found.time, found.time_uncertainty)]
    headings = constant_headings(study)
    return [within(study.number(f"constant_{quantity}"), math.nan)] if headings == ["C"] else [EN_DASH] * len(headings)


def study_tables(study, findings, quantities):
    """The Tables of a study: its levels, and the orders of the findings with the constants of their fits."""
    known, stem = study.run.provenance, study.run.path.stem
    words = (("masing", "version"), ("revision", "git_revision"), ("of", "date"))
    made = [f"{word} {known[key]}" for word, key in words if key in known]
    origin = f"from {study.run.path.name}{', ' if made else ''}{' '.join(made)}"
    judged = {finding.quantity for finding in findings if finding.expected}
    short = [q for q in quantities if q != "u_cells" or q in judged]
    return [Table(f"{stem}-levels", _levels(study, quantities), origin, _short_levels(study, short)),
            Table(f"{stem}-orders", _orders_found(study, findings), origin, _short_orders(study, findings))]


def _levels(study, quantities):
    columns = {heading: values for heading, (values, _) in sizes(study).items()}
    for q in quantities:
        name = QUANTITY_NAMES[q]
        columns |= {f"error of {name}": study.errors[q], f"order of {name}": study.orders[q],
                    f"fit of {name}": [MARKS.get(mark, "unknown") for mark in study.marks[q]]}
    return _whole_sizes(pd.DataFrame(columns))


def _short_levels(study, quantities):
    frame = _whole_sizes(pd.DataFrame({name: values for name, (values, _) in sizes(study).items() if name in "PN"}))
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
    frame = pd.DataFrame([(f.name, f.observed, f.uncertainty, f.expected or "", f.verdict) for f in findings],
                         columns=["quantity", "order", "half-width of its interval", "expected", "verdict"])
    joint = [study.joint(f.quantity) for f in findings]
    if not any(joint):
        return frame.assign(C=[study.number(f"constant_{f.quantity}") for f in findings])
    names = {"C₁": "space", "± of C₁": "space_uncertainty", "C₂": "time", "± of C₂": "time_uncertainty"}
    return frame.assign(**{heading: [getattr(each, name, math.nan) for each in joint]
                           for heading, name in names.items()})


def _short_orders(study, findings):
    return pd.DataFrame([[f.name, f.observation, f.expected or EN_DASH, f.verdict, *constant_cells(study, f.quantity)]
                         for f in findings],
                        columns=["", "observed order", "expected", "verdict", *constant_headings(study)])
