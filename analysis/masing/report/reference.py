"""Build the section of a page that says how it is known that the references of the studies are right."""

import math

import numpy as np
from scipy.integrate import quad

from masing.errors import MasingError
from masing.text import EN_DASH, count, grouped, listed, measured
from masing.report.independent import SLIDERS, function, motion

# The engine memory adds the cells one by one up to this number of cells, and by a formula beyond.
MOST_ADDED = 2**24
# The number of cells of the run that a study with more cells compares with P = ∞, to find its floor.
MOST_CELLS = 2**50
# The restoring force of the closed form is compared if the exact one comes as close to it as this, relative to it.
ALL_SLIDE = 1e-3
# The columns of the table of checks, in the order of the numbers of _row().
CHECKS = ("two integrators", "energy, of the input", "closed form of the force", "x without the program",
          "y without the program", "least error of x in a study")


def reference_section(studies, exact):
    """Return the template's values for the section on the references of the studies, or None if no study is compared
    with a solution for P = ∞ of the model masing.

    exact: the ExactSolutions of the page.
    """
    against = {}
    for number, study in enumerate(studies, start=1):
        if study.model == "masing" and study.reference in ("exact", "exact-time", "cells-inf"):
            against.setdefault(study.problem, []).append((number, study))
    rows = [row for group in against.values() if (row := _row(group, exact)) is not None]
    checks = [name for place, name in enumerate(CHECKS) if any(row["numbers"][place] != EN_DASH for row in rows)]
    for row in rows:
        row["numbers"] = [text for name, text in zip(CHECKS, row["numbers"]) if name in checks]
    sums = [each for number, study in enumerate(studies, start=1) if (each := _sums(number, study)) is not None]
    return {"rows": rows, "checks": checks, "sums": sums, "sliders": grouped(SLIDERS),
            "same_cells": listed(f"study {number}, {measured(study.number('self_check'))}" for group in against.values()
                                 for number, study in group if study.reference == "exact-time"),
            "same_steps": listed(str(number) for group in against.values() for number, study in group
                                 if study.reference == "cells-inf")} if rows or sums else None


def _row(group, exact):
    """Return a row of the table of checks of the exact solution of one problem; None if there is no exact solution.

    The row contains the numbers of the studies of this problem, the differences as texts, and the reason for which
    there is no comparison with an independent motion, or an empty text.
    """
    run = exact.get(group[0][1])
    if run is None:
        return None
    apart, reason = (math.nan, math.nan), ""
    try:
        apart = np.abs(motion(run.settings, run.t) - [run.x, run["series/y"]]).max(axis=1)
    except MasingError as error:
        reason = str(error)
    against_it = [(number, study) for number, study in group if study.reference == "exact"]
    errors = np.concatenate([study.errors["x"] for _, study in against_it] or [[math.nan]])
    balance = np.abs(run["energy/residual"]).max() / np.abs(run["energy/input"]).max() if run.has_energy else math.nan
    checked = max((study.number("self_check") for _, study in against_it), default=math.nan)
    numbers = (checked, balance, _closed_form(run), *apart, np.nanmin(errors, initial=math.inf))
    numbers_of = [number for number, _ in against_it or group]
    is_row = len(numbers_of) > 2 and numbers_of == list(range(numbers_of[0], numbers_of[-1] + 1))
    names = f"{numbers_of[0]} to {numbers_of[-1]}" if is_row else listed(map(str, numbers_of))
    return {"studies": names, "reason": reason,
            "numbers": [measured(value) if math.isfinite(value) else EN_DASH for value in numbers]}


def _closed_form(run):
    """Return by how much the largest restoring force of an exact solution differs from ∫ k η ds, the force when all
    springs slide; NaN if not all of them slide at any time, or if the force has further parts."""
    try:
        k, eta = (function(run.settings[key], "s") for key in ("stiffness", "threshold"))
        known = quad(lambda s: k(s) * eta(s), 0, 1, epsabs=0, epsrel=1e-13)[0]
    except (MasingError, KeyError):
        return math.nan
    apart = abs(np.abs(run.restoring).max() - known)
    alone = all(run.settings.get(key) in (None, "", "0") for key in ("k0", "damping", "threshold-down"))
    return apart if alone and apart <= ALL_SLIDE * known else math.nan


def _sums(number, study):
    """Return the template's values on a study with more cells than are added one by one; None for any other study."""
    cells = study["cells"]
    method = study.engine, study.reference, study.refine
    if method != ("memory", "cells-inf", "cells") or not cells.max() > MOST_ADDED:
        return None
    last, first = np.argmax(np.where(cells <= MOST_ADDED, cells, 0)), np.argmax(cells > MOST_ADDED)
    known = [f"{study.errors['x'][level] / study.ds[level]:.5g}" for level in (last, first)]
    return {"number": number, "added": count(cells[last]), "beyond": count(cells[first]), "ratios": known,
            "of_cells": measured(study.number("constant_x") / MOST_CELLS),
            "floor": measured(study.number("floor") / 10)}
