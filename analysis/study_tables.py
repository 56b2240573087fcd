"""The tables of a study as files: its levels, and the orders with the constants of their fits."""

import math

import numpy as np

from claim import NAMES
from fitted import Mark, joint, number
from tables import Table

FATE = {Mark.FITTED: "fitted", Mark.BEFORE: "before the asymptotic range", Mark.ON_FLOOR: "on the round-off floor",
        Mark.NO_ERROR: "no error"}


def study_tables(study, findings, columns):
    """The Tables of a study: levels, and orders of the findings."""
    origin = _origin(study)
    stem = study.run.path.stem
    return [Table(f"{stem}-levels", *_levels(study, columns), origin),
            Table(f"{stem}-orders", *_orders(study, findings), origin)]


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
