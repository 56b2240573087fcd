"""The program's HDF5 files as values: a Run (one trajectory) and a Study (a ladder of refinements)."""

import math
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import IntEnum
from pathlib import Path

import numpy as np

from masing import derived, hdf5
from masing.command_line import UserError

QUANTITIES = ("x", "y", "u", "u_cells")


class Mark(IntEnum):
    """Whether a level is in the fit of an order, as /cases/mark_* numbers it."""

    FITTED = 0
    BEFORE = 1
    ON_FLOOR = 2
    NO_ERROR = 3


@dataclass(frozen=True)
class Series:
    """Samples of a trajectory: t, x and restoring = F - m x'', each [samples], dimensionless; y and F where known."""

    t: np.ndarray
    x: np.ndarray
    restoring: np.ndarray
    y: np.ndarray | None = None
    force: np.ndarray | None = None


@dataclass(frozen=True)
class Field:
    """The elongations u [times, places] at the times t and the places s with the yield displacements eta [places]."""

    t: np.ndarray
    s: np.ndarray
    eta: np.ndarray
    u: np.ndarray


@dataclass(frozen=True)
class Energy:
    """The energy balance at the samples: kinetic, elastic, dissipated and input (the work of F), each [samples]."""

    kinetic: np.ndarray
    elastic: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray

    @property
    def residual(self):
        """The residual of the balance [samples]."""
        return derived.energy_residual(self)


@dataclass(frozen=True)
class Run:
    """One trajectory, of either kind of file: samples (None where a study has none), settings, provenance, timing.

    `configuration` is the resolved .ini as text, `settings` its keys, with P and N of the trajectory. `columns` are
    further samples by name, the state of a model; `made_by` is the command of a run that was made for a page.
    """

    path: Path
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

    @property
    def has_cells(self):
        """Whether the model has cells of s in [0, 1]."""
        return derived.has_cells(self.model)

    def size(self, key):
        """P (key `cells`, 0 for ∞) or N (key `steps`), or None when not stated."""
        value = self.settings.get(key, "")
        try:
            return 0 if value == "inf" else int(float(value))
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True)
class Study:
    """A refinement study: P, N, δs, δt, errors, orders, marks and seconds, each [levels], and the attributes of `fit`.

    Errors, orders and marks are by quantity, None where the study has none of it; a mark is a Mark.
    """

    run: Run
    cells: np.ndarray
    steps: np.ndarray
    ds: np.ndarray
    dt: np.ndarray
    errors: dict
    orders: dict
    marks: dict
    seconds: np.ndarray
    fit: dict

    @property
    def levels(self):
        """The number of levels."""
        return len(self.cells)

    @property
    def refine(self):
        """What is refined: "steps", "cells" or "both"."""
        return self.fit["refine"]

    @property
    def reference(self):
        """What the levels are compared with, as the option --reference names it."""
        return self.fit.get("reference")

    def number(self, name):
        """The attribute `name` of /fit as a number; NaN where there is none."""
        value = self.fit.get(name)
        return float(value) if isinstance(value, (int, float)) else math.nan


def parse_configuration(text):
    """The lines `key = value` of an .ini as {key: value}; keys of a [section] get the prefix `section.`."""
    settings, prefix = {}, ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            prefix = line[1:-1] + "."
        elif "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            settings[prefix + key.strip()] = value.strip()
    return settings


def read(path):
    """The Study or the Run in a file; raises UserError when it is damaged or not from masing."""
    with hdf5.opened(Path(path)) as file:
        kind = _kind(file)
        run = _run(file, kind, series_required=kind == "simulate")
        return _study(file, run) if kind == "converge" else run


def read_run(path):
    """The trajectory in a file of either kind; raises UserError when it has none or is not from masing."""
    with hdf5.opened(Path(path)) as file:
        return _run(file, _kind(file), series_required=True)


def _kind(file):
    root = hdf5.attributes(file, "/")
    if root.get("program") != "masing" or root.get("kind") not in ("simulate", "converge"):
        raise UserError(f"{file.filename}: was not written by masing (its root attributes program and kind do not "
                        "say so); give a file of masing simulate or masing converge")
    return root["kind"]


def _run(file, kind, series_required):
    series = _series(file) if series_required or "series" in file else None
    resolved = hdf5.scalar_text(file, "configuration")
    settings = parse_configuration(resolved or "")
    if kind == "converge":
        settings |= derived.trajectory_size(*_ladder(file))
    rows = 0 if series is None else len(series.t)
    return Run(Path(file.filename), series, resolved, settings, hdf5.attributes(file, "provenance"),
               hdf5.attributes(file, "timing"), _field(file), _energy(file, rows), _state(file, rows))


def _series(file):
    t = hdf5.column(file, "series/t")
    return Series(t, *(hdf5.column(file, f"series/{name}", len(t)) for name in ("x", "restoring")),
                  *(hdf5.optional_column(file, f"series/{name}", len(t)) for name in ("y", "force")))


def _field(file):
    """The Field of a file at more than one time and place, or None."""
    if any(f"field/{name}" not in file for name in ("t", "s", "eta", "u")):
        return None
    t, s = hdf5.column(file, "field/t"), hdf5.column(file, "field/s")
    if len(t) < 2 or len(s) < 2:
        return None
    return Field(t, s, hdf5.column(file, "field/eta", len(s)), hdf5.table(file, "field/u", (len(t), len(s))))


def _energy(file, rows):
    names = ("kinetic", "elastic", "dissipated", "input")
    if not rows or any(f"energy/{name}" not in file for name in names):
        return None
    return Energy(*(hdf5.column(file, f"energy/{name}", rows) for name in names))


def _state(file, rows):
    if not rows or "state/values" not in file:
        return {}
    names = hdf5.attribute_words(file, "state/values", "columns")
    return dict(zip(names, hdf5.table(file, "state/values", (rows, len(names))).T))


def _ladder(file):
    """P, N, δs and δt of the levels, each [levels]."""
    cells, steps, ds, dt = (hdf5.column(file, f"cases/{name}") for name in ("cells", "steps", "ds", "dt"))
    if len({len(column) for column in (cells, steps, ds, dt)}) != 1 or len(cells) == 0:
        raise UserError(f"{file.filename}: the columns of /cases must have the same length, at least one level")
    return cells, steps, ds, dt


def _study(file, run):
    ladder = _ladder(file)
    levels = len(ladder[0])
    required = ("x", "y", "u") if run.model == "masing" else ("x",)
    errors = {q: (hdf5.column if q in required else hdf5.optional_column)(file, f"cases/error_{q}", levels)
              for q in QUANTITIES}
    orders, marks = ({q: None if errors[q] is None else hdf5.column(file, f"cases/{kind}_{q}", levels)
                      for q in QUANTITIES} for kind in ("order", "mark"))
    fit = hdf5.attributes(file, "fit")
    if fit.get("refine") not in ("steps", "cells", "both"):
        raise UserError(f"{file.filename}: /fit does not say what was refined; give a study written by masing converge")
    return Study(run, *ladder, errors, orders, marks, hdf5.column(file, "timing/cases", levels), fit)
