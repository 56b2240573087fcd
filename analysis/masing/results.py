"""The program's HDF5 files as values: a Run (one trajectory), a Study (a ladder of refinements), a Scan (points)."""

import math
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from enum import IntEnum
from pathlib import Path

import numpy as np

from masing import hdf5
from masing.command_line import UserError
from masing.notation import superscript

QUANTITY_NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points"}
SERIES = ("t", "x", "y", "force", "restoring")
SCAN_NUMBERS = ("most_x", "least_x", "amplitude", "centre", "restoring_amplitude", "loss", "secant_stiffness",
           "damping_ratio", "phase", "period_multiple")


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
    """The elongations u [times, places] at the times t and the places s with the yield displacements eta [places], and
    downwards eta_down [places], None where they are alike."""

    t: np.ndarray
    s: np.ndarray
    eta: np.ndarray
    u: np.ndarray
    eta_down: np.ndarray | None = None


@dataclass(frozen=True)
class Energy:
    """The energy balance at the samples: kinetic, elastic, dissipated (by sliding), input (the work of F), residual and
    viscous (what damping took; None without), each [samples].

    residual = input − dissipated − viscous − (kinetic + elastic), less its value at the first sample.
    """

    kinetic: np.ndarray
    elastic: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    residual: np.ndarray
    viscous: np.ndarray | None = None


@dataclass(frozen=True)
class Run:
    """One trajectory, of either kind of file: samples (None where a study has none), settings, provenance, timing.

    `configuration` is the resolved .ini as text, `settings` its keys. `cells` (P, 0 for ∞, None without cells) and
    `steps` (N) are those of the samples, None without samples. `title` names the run in figures; `problem` is equal for
    two runs exactly if they solve the same problem. `labels` and `symbols` of the samples are by name. `columns` are
    further samples by name, the state of a model; `made_by` is the command of a run that was made for a page; `comment`
    is the leading comment of its case file.
    """

    path: Path
    series: Series | None
    configuration: str | None
    settings: dict
    provenance: dict
    timing: dict
    title: str = ""
    problem: str = ""
    is_papers_problem: bool = False
    has_cells: bool = True
    cells: int | None = None
    steps: int | None = None
    labels: dict = dataclass_field(default_factory=dict)
    symbols: dict = dataclass_field(default_factory=dict)
    field: Field | None = None
    energy: Energy | None = None
    columns: dict = dataclass_field(default_factory=dict)
    made_by: str | None = None
    comment: str = ""

    @property
    def model(self):
        """The name of the model."""
        return self.settings["model"]

    @property
    def method(self):
        """The scheme in t and the rule in s, (scheme, rule); None for what the model does not have."""
        return self.settings.get("scheme"), self.settings.get("rule")

    @property
    def engine(self):
        """The engine, None where the model has one only."""
        return self.settings.get("engine")


@dataclass(frozen=True)
class Joint:
    """error ≈ C₁ δsᵖ + C₂ δtᵖ, p given, with the half-widths of the constants' 95 % confidence intervals, and the least
    and the largest δs/δt of the levels (NaN in older files), beyond which other constants hold.

    `cancels`: whether the errors in space and in time have opposite signs, both constants being significant.
    """

    space: float
    space_uncertainty: float
    time: float
    time_uncertainty: float
    power: float
    cancels: bool
    least_ratio: float = math.nan
    largest_ratio: float = math.nan

    def at(self, ds, dt):
        """|C₁ δsᵖ + C₂ δtᵖ|, of the shape of δs and δt."""
        return np.abs(self.space * ds ** self.power + self.time * dt ** self.power)

    @property
    def formula(self):
        """The fit in letters: C₁ δs + C₂ δt, with its power where it is not one."""
        power = "" if self.power == 1 else superscript(f"{self.power:g}")
        return f"C₁ δs{power} + C₂ δt{power}"


@dataclass(frozen=True)
class Study:
    """A refinement study: columns [levels], and the attributes of `fit`.

    P, N, δs, δt, the refined step (δt, δs or δs + δt) and the seconds of each level; its cell updates P·N (NaN where the
    engine does not go through the cells), its time steps and cell updates a second. By quantity, None where the study
    has none of it: errors, orders, marks (a Mark), the step to which the orders refer, and the errors that the fit
    predicts (NaN without a fit).
    """

    run: Run
    cells: np.ndarray
    steps: np.ndarray
    ds: np.ndarray
    dt: np.ndarray
    step: np.ndarray
    errors: dict
    orders: dict
    marks: dict
    order_steps: dict
    fitted_errors: dict
    seconds: np.ndarray
    cell_updates: np.ndarray
    steps_per_second: np.ndarray
    cell_updates_per_second: np.ndarray
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
        return self.fit["reference"]

    @property
    def quantities(self):
        """The quantities that the study measures."""
        return self.fit["quantities"].split()

    def number(self, name):
        """The attribute `name` of /fit as a number; NaN where there is none."""
        value = self.fit.get(name)
        return float(value) if isinstance(value, (int, float)) else math.nan

    def joint(self, quantity):
        """The Joint fit of a quantity's errors, or None where the levels could not determine it."""
        names = ("space_constant", "space_constant_uncertainty", "time_constant", "time_constant_uncertainty",
                 "joint_power", "cancels", "least_ratio", "largest_ratio")
        found = Joint(*(self.number(f"{name}_{quantity}") for name in names))
        return found if math.isfinite(found.space + found.time) else None


@dataclass(frozen=True)
class Scan:
    """The points of a scan: `axes` {name: [n]}, `numbers` {name: [n]} of those SCAN_NUMBERS that the file has,
    `done` [n]; `cycles` [(x, restoring)] of the runs that it keeps. `run` is a Run without samples: what the file
    says of itself.
    """

    run: Run
    kind: str
    past: str
    axes: dict
    numbers: dict
    done: np.ndarray
    cycles: list

    @property
    def path(self):
        """The file."""
        return self.run.path

    def values(self, name):
        """An axis or a number of each point."""
        return self.axes[name] if name in self.axes else self.numbers[name]

    def abscissa(self):
        """The name of the axis that has the most values; of several the last, which varies fastest."""
        return max(self.axes, key=lambda name: (len(set(self.axes[name])), list(self.axes).index(name)))

    def families(self, abscissa):
        """The points that differ in `abscissa` alone: [(values of the other axes {name: value}, indices [m])], the
        indices in the order of the file."""
        others = [name for name in self.axes if name != abscissa]
        keys = list(zip(*(self.axes[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]


def parse_configuration(text):
    """The lines `key = value` of an .ini as {key: value}; keys of a [section] get the prefix `section.`. A number
    given as an expression has its value behind it, as a comment: `final-time = 60*T  # 471.2`."""
    settings, prefix = {}, ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            prefix = line[1:-1] + "."
        elif "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            given, _, number = value.partition("# ")
            settings[prefix + key.strip()] = (number if _is_number(number) else given).strip()
    return settings


def leading_comment(text):
    """The words of the comment at the start of an .ini, without the lines that the program and the gallery read."""
    words = []
    for line in text.splitlines():
        if not line.startswith(("#", ";")):
            break
        words.append(line.lstrip("#; ").rstrip())
    return " ".join(line for line in words if not line.startswith(("draw:", "group:", "masing ")))


def _is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read(path):
    """The Study, the Run or the Scan in a file; raises UserError when it is damaged or not from masing."""
    with hdf5.opened(Path(path)) as file:
        kind = hdf5.kind(file, "simulate", "converge", "scan")
        if kind == "scan":
            return _scan(file)
        run = _run(file, series_required=kind == "simulate")
        return _study(file, run) if kind == "converge" else run


def read_run(path):
    """The trajectory in a file of either kind; raises UserError when it has none or is not from masing."""
    with hdf5.opened(Path(path)) as file:
        hdf5.kind(file, "simulate", "converge")
        return _run(file, series_required=True)


def read_scan(path):
    """The Scan in a file; raises UserError when it is damaged or not of masing scan."""
    with hdf5.opened(Path(path)) as file:
        hdf5.kind(file, "scan")
        return _scan(file)


def _run(file, series_required):
    """The Run in an open file, without samples where it has none and needs none."""
    series = _series(file) if series_required or "series" in file else None
    resolved = hdf5.scalar_text(file, "configuration")
    settings = parse_configuration(resolved or "")
    rows = 0 if series is None else len(series.t)
    sizes = hdf5.attributes(file, "series")
    words = {name: hdf5.attributes(file, f"series/{name}") for name in SERIES}
    return Run(Path(file.filename), series, resolved, settings, hdf5.attributes(file, "provenance"),
               hdf5.attributes(file, "timing"), hdf5.attribute(file, "/", "title"),
               hdf5.attribute(file, "configuration", "problem"),
               bool(hdf5.attribute(file, "configuration", "papers_problem")),
               bool(hdf5.attribute(file, "/", "has_cells")), sizes.get("cells"), sizes.get("steps"),
               *({name: found[key] for name, found in words.items() if key in found} for key in ("label", "symbol")),
               _field(file), _energy(file, rows), _state(file, rows),
               comment=leading_comment(resolved or ""))


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
    down = hdf5.column(file, "field/eta_down", len(s)) if "field/eta_down" in file else None
    return Field(t, s, hdf5.column(file, "field/eta", len(s)), hdf5.table(file, "field/u", (len(t), len(s))), down)


def _energy(file, rows):
    names = ("kinetic", "elastic", "dissipated", "input", "residual")
    if not rows or any(f"energy/{name}" not in file for name in names):
        return None
    names += ("viscous",) if "energy/viscous" in file else ()
    return Energy(*(hdf5.column(file, f"energy/{name}", rows) for name in names))


def _state(file, rows):
    """The columns of a state that comes with every sample, by name; {} where it has times of its own."""
    own_times = "state/t" in file and len(hdf5.column(file, "state/t")) != rows
    if not rows or "state/values" not in file or own_times:
        return {}
    names = hdf5.attribute_words(file, "state/values", "columns")
    return dict(zip(names, hdf5.table(file, "state/values", (rows, len(names))).T))


def _ladder(file):
    """P, N, δs, δt and the refined step of the levels, each [levels]."""
    columns = [hdf5.column(file, f"cases/{name}") for name in ("cells", "steps", "ds", "dt", "step")]
    if len({len(column) for column in columns}) != 1 or len(columns[0]) == 0:
        raise UserError(f"{file.filename}: the columns of /cases must have the same length, at least one level")
    return columns


def _study(file, run):
    ladder = _ladder(file)
    levels = len(ladder[0])
    required = ("x", "y", "u") if run.model == "masing" else ("x",)
    errors = {q: (hdf5.column if q in required else hdf5.optional_column)(file, f"cases/error_{q}", levels)
              for q in QUANTITY_NAMES}
    by_quantity = ({q: None if errors[q] is None else hdf5.column(file, f"cases/{kind}_{q}", levels)
                    for q in QUANTITY_NAMES} for kind in ("order", "mark", "step", "fitted_error"))
    timing = (hdf5.column(file, f"timing/{name}", levels)
              for name in ("cases", "cell_updates", "steps_per_second", "cell_updates_per_second"))
    fit = hdf5.attributes(file, "fit")
    if fit.get("refine") not in ("steps", "cells", "both"):
        raise UserError(f"{file.filename}: /fit does not say what was refined; give a study written by masing converge")
    return Study(run, *ladder, errors, *by_quantity, *timing, fit)


def _scan(file):
    status = hdf5.column(file, "points/status")
    names = hdf5.attribute_words(file, "points", "axes")
    axes = {name: hdf5.column(file, f"points/{name}", len(status)) for name in names}
    numbers = {name: hdf5.column(file, f"points/{name}", len(status))
               for name in SCAN_NUMBERS if f"points/{name}" in file}
    cycles = []
    for run in sorted(file["runs"]) if "runs" in file else []:
        x = hdf5.column(file, f"runs/{run}/x")
        cycles.append((x, hdf5.column(file, f"runs/{run}/restoring", len(x))))
    return Scan(_run(file, series_required=False), hdf5.attribute(file, "points", "kind"),
                hdf5.attribute(file, "points", "past"), axes, numbers, status == 0, cycles)
