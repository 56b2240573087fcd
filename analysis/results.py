"""The program's HDF5 files as small values: a Run (one trajectory) and a Study (a ladder of refinements)."""

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from pathlib import Path

import numpy as np

import configuration
import hdf5
import samples
from cli import UserError
from samples import Energy, Field, Series

QUANTITIES = ("x", "y", "u", "u_cells")


@dataclass(frozen=True)
class Run:
    """What both kinds of file hold: samples (None where a study has none), settings, provenance, timing.

    `configuration` is the resolved one as written, `settings` its keys; P and N of a study are its finest level's.
    `columns` are further samples by name, the state of a model; `made_by` is the command that made a run for the page.
    """

    path: Path
    kind: str
    series: Series | None
    configuration: str | None
    settings: dict
    provenance: dict
    timing: dict
    field: Field | None = None
    energy: Energy | None = None
    columns: dict = dataclass_field(default_factory=dict)
    made_by: str | None = None

    @property
    def model(self):
        """The name of the model."""
        return self.settings.get("model", "masing")


@dataclass(frozen=True)
class Study:
    """A refinement study: per level P, N, δs, δt, errors, orders and marks, each [levels]; `fit` has the observed orders.

    `marks` says why a level is or is not in the fit of a quantity's order (fitted.Mark); None where the file does not.
    """

    run: Run
    cells: np.ndarray
    steps: np.ndarray
    ds: np.ndarray
    dt: np.ndarray
    errors: dict
    orders: dict
    marks: dict
    seconds: np.ndarray | None
    fit: dict

    @property
    def levels(self):
        """How many levels the ladder has."""
        return len(self.cells)

    @property
    def refine(self):
        """What is refined: "steps", "cells" or "both"; read from the columns when the file does not say."""
        said = self.fit.get("refine")
        if said in ("steps", "cells", "both"):
            return said
        moves = [len(np.unique(column)) > 1 for column in (self.cells, self.steps)]
        return {(True, False): "cells", (True, True): "both"}.get(tuple(moves), "steps")


def read(path):
    """What a file holds, a Study or a Run; raises UserError when it is damaged or not from masing."""
    with hdf5.opened(Path(path)) as file:
        kind = _kind(file)
        run = _run(file, kind, series_required=kind == "simulate")
        return _study(file, run) if kind == "converge" else run


def read_run(path):
    """The trajectory in a file of either kind; raises UserError when it has none or is not from masing."""
    with hdf5.opened(Path(path)) as file:
        return _run(file, _kind(file), series_required=True)


def read_study(path):
    """The study in a file of kind converge; raises UserError when it is of another kind, damaged or foreign."""
    with hdf5.opened(Path(path)) as file:
        kind = _kind(file)
        if kind != "converge":
            raise UserError(f"{path}: was written by masing {kind}; give a study written by masing converge")
        return _study(file, _run(file, kind, series_required=False))


def _kind(file):
    root = hdf5.attributes(file, "/")
    if root.get("program") != "masing" or root.get("kind") not in ("simulate", "converge"):
        raise UserError(f"{file.filename}: was not written by masing (its root attributes program and kind do not "
                        "say so); give a file of masing simulate or masing converge")
    return root["kind"]


def _run(file, kind, series_required):
    series = samples.series(file) if series_required or "series" in file else None
    resolved = hdf5.scalar_text(file, "configuration")
    settings = configuration.parse(resolved or "") | (_finest_size(file) if kind == "converge" else {})
    rows = 0 if series is None else len(series.t)
    return Run(Path(file.filename), kind, series, resolved, settings, hdf5.attributes(file, "provenance"),
               hdf5.attributes(file, "timing"), samples.field(file), samples.energy(file, rows),
               samples.state(file, rows))


def _finest_size(file):
    """P and N of a study's samples, which are those of its finest level, in the words of the configuration."""
    cells, steps, ds, dt = (hdf5.column(file, f"cases/{name}") for name in ("cells", "steps", "ds", "dt"))
    if len({len(column) for column in (cells, steps, ds, dt)}) != 1 or len(cells) == 0:
        raise UserError(f"{file.filename}: the columns of /cases must have the same length, at least one level")
    finest = np.argmin(ds + dt)
    return {"cells": f"{cells[finest]:.0f}" if cells[finest] else "inf", "steps": f"{steps[finest]:.0f}"}


def _study(file, run):
    cells = hdf5.column(file, "cases/cells")
    levels = len(cells)
    steps, ds, dt = (hdf5.column(file, f"cases/{name}", levels) for name in ("steps", "ds", "dt"))
    required = ("x", "y", "u") if run.model == "masing" else ("x",)
    errors, orders = ({q: (hdf5.column if q in required else hdf5.optional_column)(file, f"cases/{kind}_{q}", levels)
                       for q in QUANTITIES} for kind in ("error", "order"))
    return Study(run, cells, steps, ds, dt, errors, orders,
                 _marks(file, levels), hdf5.optional_column(file, "timing/cases", levels), hdf5.attributes(file, "fit"))


def _marks(file, levels):
    return {q: hdf5.optional_column(file, f"cases/mark_{q}", levels) for q in QUANTITIES}
