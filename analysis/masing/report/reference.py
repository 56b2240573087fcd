"""Build the section of a page that says how it is known that the exact solutions are right."""

import math

import numpy as np

from masing.errors import MasingError
from masing.text import EN_DASH, grouped, listed, measured
from masing.report.independent import SLIDERS, motion


def reference_section(studies, exact):
    """Return the template's values for the checks of the exact solutions, or None if there are none to check.

    There is a row for each problem of the model masing with a study against P = ∞ and a solution in ExactSolutions.
    """
    against = {}
    for number, study in enumerate(studies, start=1):
        if study.model == "masing" and study.reference in ("exact", "exact-time", "cells-inf"):
            against.setdefault(study.problem, []).append((number, study))
    rows = [_row(group, run) for group in against.values() if (run := exact.get(group[0][1])) is not None]
    return {"rows": rows, "sliders": grouped(SLIDERS)} if rows else None


def _row(group, run):
    """Return a row of the table of checks of an exact Run, with which the studies [(number, Study), ...] are compared.

    The row contains the numbers of the studies, the differences as texts, and the reason for which there is no
    comparison with an independent motion, or an empty text.
    """
    apart, reason = (math.nan, math.nan), ""
    try:
        apart = np.abs(motion(run.settings, run.t) - [run.x, run.y]).max(axis=1)
    except MasingError as error:
        reason = str(error)
    against_it = [study for _, study in group if study.reference == "exact"]
    errors = np.concatenate([study.errors["x"] for study in against_it] or [[math.nan]])
    balance = np.abs(run["energy/residual"]).max() / np.abs(run["energy/input"]).max() if run.has_energy else math.nan
    checked = max((study.number("self_check") for study in against_it), default=math.nan)
    numbers = (checked, balance, *apart, np.nanmin(errors, initial=math.inf))
    return {"studies": listed(str(number) for number, _ in group), "reason": reason,
            "numbers": [measured(value) if math.isfinite(value) else EN_DASH for value in numbers]}
