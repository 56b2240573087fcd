"""The exact solution beside a study or a trajectory: what the file does not hold, made by the program for the page."""

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import configuration
import program as masing
from problem import EXPRESSIONS, NUMBERS, problem
from results import read_run

# The steps of the exact solution only place its samples.
SAMPLES = 20000
FIELDS = 10000
PLACES = 200
# A page must not wait for ever.
PATIENCE = 120
NO_PROGRAM = "the program masing was not asked or not found; build it, or name it by --program"


class Companions:
    """The exact solutions of a page: those among its files, and those that `program` makes, one for each problem."""

    def __init__(self, runs, program):
        self._program = program
        self._made = {_key(run.settings): run for run in reversed(runs) if is_exact(run)}
        self.reasons = {}

    def exact(self, run, cells=0):
        """The exact solution of the run's problem with `cells` cells (0: the continuum), or None."""
        if run.model != "masing" or run.configuration is None:
            return None
        settings = run.settings | {"cells": str(cells) if cells else "inf"}
        key = _key(settings)
        if key not in self._made:
            self._made[key] = _make(self._program, settings) if self._program else NO_PROGRAM
        made = self._made[key]
        if isinstance(made, str):
            self.reasons[key] = made
            return None
        return made

    @property
    def all(self):
        """The exact solutions that were found or made."""
        return [made for made in self._made.values() if not isinstance(made, str)]


def is_exact(run):
    """Whether a run of the continuous Masing model is exact in time, with samples over all of [0, T]."""
    series = run.series
    if run.model != "masing" or run.settings.get("engine") != "exact" or series.y is None or len(series.t) < 2:
        return False
    whole = series.t[0] == 0 and f"{series.t[-1]:.12g}" == run.settings.get("final-time", "500")
    return whole and bool(np.all(np.diff(series.t) > 0) and np.all(np.isfinite([series.x, series.y, series.restoring])))


def _key(settings):
    cells = configuration.size(settings, "cells")
    # The continuum is not sampled.
    return problem(settings), cells, settings.get("rule", "right") if cells else None


def _make(program, settings):
    """The exact solution as a Run, or one line on why there is none."""
    keys = [key for key in (*EXPRESSIONS, *NUMBERS, "cells", "rule", "breaks") if settings.get(key)]
    with tempfile.TemporaryDirectory(prefix="masing-report-") as folder:
        recipe, output = Path(folder) / "exact.ini", Path(folder) / "exact.h5"
        recipe.write_text("".join(f"{key} = {settings[key]}\n" for key in keys), encoding="utf-8")
        options = ["--engine", "exact", "--steps", SAMPLES, "--sample-every", 1, "--field-every", SAMPLES // FIELDS,
                   "--field-points", PLACES, "--energy"]
        answer = masing.run(program, "simulate", "--quiet", "--config", recipe, "--output", output, *options,
                            seconds=PATIENCE)
        if answer.code != 0 or not output.is_file():
            return answer.lines[-1] if answer.lines else f"masing ended with exit code {answer.code}"
        data = [f"--{key}={shlex.quote(settings[key])}" for key in keys]
        command = " ".join(["masing simulate", *data, *map(str, options)])
        return replace(read_run(output), path=Path(f"exact-P-{settings['cells']}"), made_by=command)
