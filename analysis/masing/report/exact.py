"""Provide the exact solutions of the problems on a page, and the section that says how they are checked."""

import math
import shlex

import numpy as np

from masing import commands
from masing import program as masing
from masing.cycles.curves import differences_from
from masing.errors import MasingError
from masing.text import EN_DASH, grouped, listed, measured
from masing.report.independent import SLIDERS, motion

# A computed exact solution has SAMPLES samples, and FIELDS fields u at PLACES places s.
SAMPLES = 20000
FIELDS = 10000
PLACES = 200
# If the program needs more seconds than this for an exact solution, the page is written without it.
TIME_LIMIT = 120
# The keys of a configuration that do not define the problem, the last three in older files.
NO_DATA = {"sample-every", "field-every", "from", "to", "energy", "field-points", "watch", "field-samples", "levels",
           "refine", "reference", "expect-order", "order-tolerance", "cells", "steps", "scheme", "engine", "looks",
           "probe", "until"}


class ExactSolutions:
    """The exact solutions of the problems on a page.

    They are taken from the `runs` of the page, or computed by the program at the path `program`, if it is not None.
    `reasons` {problem: text} says why an exact solution could not be computed.
    """

    def __init__(self, runs, program):
        self._program = program
        self._solutions = {run.problem: run for run in reversed(runs) if is_exact(run)}
        self.reasons = {}

    def get(self, run):
        """Return the exact solution of the run's problem for P = ∞; None for other models, or if it is not known."""
        if run.model != "masing":
            return None
        if run.problem not in self._solutions:
            try:
                self._solutions[run.problem] = _compute(self._program, run)
            except MasingError as error:
                self._solutions[run.problem] = None
                self.reasons[run.problem] = str(error)
        return self._solutions[run.problem]

    def description(self, model):
        """Return the output of `masing models MODEL`, also on a page for which the program computes nothing, or ""."""
        program = self._program or masing.find()
        answer = program and masing.run(program, "models", model, seconds=TIME_LIMIT)
        return "\n".join(answer.lines) if answer and answer.code == 0 else ""

    all = property(lambda self: [found for found in self._solutions.values() if found is not None],
                   doc="The exact solutions that were found or computed.")


def is_exact(run):
    """Return whether a run is the exact solution for P = ∞ with finite samples from t = 0 to the final time T."""
    if run.cells != 0 or run.model != "masing" or run.engine != "exact" or "series/y" not in run or len(run.t) < 2:
        return False
    whole = run.t[0] == 0 and f"{run.t[-1]:.12g}" == run.settings["final-time"]
    return whole and bool(np.all(np.diff(run.t) > 0) and np.all(np.isfinite([run.x, run.y, run.restoring])))


def distance(sample, exact):
    """Return the largest differences in x and in the restoring force of samples (t, x, restoring) and an exact Run."""
    return tuple(float(np.abs(apart).max()) for apart in differences_from(exact, sample))


def _compute(program, run):
    """Return the exact solution of a run's problem for P = ∞; MasingError if it cannot be computed in TIME_LIMIT."""
    if program is None:
        raise MasingError("the program masing was not asked or not found; build it, or give its path in MASING_PROGRAM")
    settings = {key: text for key, text in run.settings.items() if text and key not in NO_DATA}
    settings["cells"] = "inf"
    options = {"engine": "exact", "steps": SAMPLES, "sample_every": 1, "field_every": SAMPLES // FIELDS,
               "field_points": PLACES, "energy": True}
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    words = {"config": text, **options, "quiet": True}
    found = commands.run("simulate", words, masing=program, seconds=TIME_LIMIT, name=f"{run.path.stem}-exact.h5")[1]
    data = [f"--{key.replace('let.', 'let=')}={value}" for key, value in settings.items()]
    found.made_by = f"masing simulate {shlex.join([*data, *commands.words(options, '')])}"
    return found


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
