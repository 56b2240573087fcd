"""The tables of a study as files: its levels, and the orders with the constants of their fits."""

import math

import numpy as np

from claim import NAMES
from constants import constant_cells, constant_headings
from fitted import Mark, joint, number
from levels_table import SIGNS
from notation import EN_DASH, order
from tables import Table

FATE = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
        Mark.NO_ERROR: "no error"}
SHORT = {"x": "x", "y": "y", "u": "u", "u_cells": "u, cells"}


def study_tables(study, findings, columns):
    """The Tables of a study: levels, and orders of the findings."""
    origin = _origin(study)
    stem = study.run.path.stem
    judged = {finding.quantity for finding in findings if finding.expected}
    short = [q for q in columns if q != "u_cells" or q in judged]
    return [Table(f"{stem}-levels", *_levels(study, columns), origin, _short_levels(study, short)),
            Table(f"{stem}-orders", *_orders(study, findings), origin, _short_orders(study, findings))]


def _levels(study, columns):
    headings = ["P", "N", "δs", "δt"]
    # P = ∞ is 0 in the file.
    cells = np.where(study.cells == 0, np.inf, study.cells)
    values = [cells, study.steps, study.ds, study.dt]
    for q in columns:
        headings += [f"error of {NAMES[q]}", f"order of {NAMES[q]}"]
        values += [study.errors[q], np.full(study.levels, math.nan) if study.orders[q] is None else study.orders[q]]
        if study.marks[q] is not None:
            headings.append(f"fit of {NAMES[q]}")
            values.append([FATE.get(mark, "unknown") for mark in study.marks[q]])
    return headings, [list(row) for row in zip(*values)]


def _orders(study, findings):
    headings = ["quantity", "order", "half-width of its 95 % interval", "expected", "verdict"]
    jointly = any(joint(study, finding.quantity) for finding in findings)
    headings += ["C₁", "± of C₁", "C₂", "± of C₂"] if jointly else ["C"]
    return headings, [[finding.name, finding.observed, finding.uncertainty, finding.expected or "", finding.verdict,
                       *_constants(study, finding.quantity, jointly)] for finding in findings]


def _short_levels(study, columns):
    """P, N, and of each quantity error and order, a sign behind an error that is not fitted: what a page's width holds."""
    headings = ["P", "N"] + [heading for q in columns for heading in (f"e({SHORT[q]})", "order")]
    rows = []
    for n in range(study.levels):
        row = [math.inf if study.cells[n] == 0 else study.cells[n], study.steps[n]]
        for q in columns:
            mark = Mark.FITTED if study.marks[q] is None else study.marks[q][n]
            row += [(study.errors[q][n], SIGNS.get(mark, "")),
                    EN_DASH if study.orders[q] is None else order(study.orders[q][n])]
        rows.append(row)
    return headings, rows


def _short_orders(study, findings):
    names = constant_headings(study)
    return (["", "observed order", "expected", "verdict", *names],
            [[finding.name, finding.observation, finding.expected or EN_DASH, finding.verdict,
              *constant_cells(study, finding.quantity)] for finding in findings])


def _constants(study, quantity, jointly):
    if not jointly:
        return [number(study, f"constant_{quantity}")]
    found = joint(study, quantity)
    return [found.space, found.space_uncertainty, found.time, found.time_uncertainty] if found else [math.nan] * 4


def _origin(study):
    known = study.run.provenance
    made = " ".join(f"{word} {known[key]}" for word, key in
                    (("masing", "version"), ("revision", "git_revision"), ("of", "date")) if key in known)
    return f"from {study.run.path.name}{', ' if made else ''}{made}"
