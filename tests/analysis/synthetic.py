"""Small HDF5 files of the program's schema, with data made here; their heads have no seal.

What the program concludes from its data (title, orders, verdicts, …) is given to these files, not worked out.
"""

import h5py
import numpy as np

from masing.text import count

NAN = np.nan
QUANTITIES = ("x", "y", "u", "u_cells")
CONFIGURATION = {
    "model": "masing", "stiffness": "1", "threshold": "s+0.1", "initial-u": "0", "force": "0.45*cos(0.5*t)",
    "mass": "1", "k0": "0", "x0": "0", "y0": "0", "final-time": "500", "steps": "1000000", "cells": "3",
    "rule": "right", "scheme": "euler", "engine": "sweep", "from": "400", "to": "500",
}
# What tells one problem from another.
PROBLEM = ("model", "stiffness", "threshold", "initial-u", "force", "mass", "k0", "x0", "y0", "final-time")
LABELS = {"t": "time t", "x": "displacement x", "y": "velocity y", "force": "force F",
          "restoring": "restoring force F − m x″"}
SYMBOLS = {"force": "F", "restoring": "F − m x″"}
# The dimension scales of the columns, by their name or their group.
AXES = {"series": "series/t", "cases": "cases/level", "timing": "timing/level"}
PROVENANCE = {"version": "0.1.0", "git_revision": "0123abc", "git_dirty": 0, "compiler": "GNU 12.2",
              "mpi": "Open MPI 4.1", "petsc": "3.18", "command_line": "masing converge --refine steps", "ranks": 2,
              "date": "2001-02-03"}


def write_run(path, samples, kind="simulate", comment="", **changes):
    """A file of masing simulate with the samples (t, x, y, force, restoring), and the papers' configuration but for the
    changes, behind a comment."""
    given = CONFIGURATION | {key.replace("_", "-"): str(value) for key, value in changes.items()}
    cells = 0 if given["cells"] == "inf" else int(given["cells"])
    with h5py.File(path, "w", userblock_size=512) as file:
        file.attrs.update({"program": "masing", "kind": kind, "has_cells": int(given["model"].startswith("masing")),
                           "title": f"P = {count(cells)}, N = {count(int(given['steps']))}"})
        for name, values in zip(LABELS, samples):
            put(file, f"series/{name}", values, SYMBOLS.get(name, name))
            file[f"series/{name}"].attrs["label"] = LABELS[name]
        if "series" in file:
            file["series"].attrs.update({"cells": cells, "steps": int(given["steps"])})
        lines = [comment, *(f"{key} = {value}\n" for key, value in given.items())]
        file["configuration"] = np.array("".join(lines).encode())
        file["configuration"].attrs.update({"problem": ";".join(f"{key}={given[key]}" for key in PROBLEM),
                                            "papers_problem": int(all(given[k] == CONFIGURATION[k] for k in PROBLEM))})
        file.create_group("provenance").attrs.update(PROVENANCE)
        file.create_group("timing").attrs.update({"wall_seconds": 1.5, "steps_per_second": 2e6})
    with open(path, "r+b") as file:
        file.write(f"masing file 2\nkind {kind}\n".encode().ljust(512))
    return path


def write_study(path, columns, fit, samples=None, **changes):
    """A file of masing converge: columns of /cases by name, attributes of /fit; no /series without samples. Levels
    without a mark are fitted; what else is not given is that of a study that tests (25) and is as expected."""
    last = {"steps": f"{columns['steps'][-1]:.0f}", "cells": f"{columns['cells'][-1]:.0f}".replace("nan", "0")}
    write_run(path, samples if samples is not None else [], kind="converge", **last | changes)
    quantities = [name[6:] for name in columns if name.startswith("error_")]
    with h5py.File(path, "a") as file:
        columns = marked(columns, quantities) | {"step": columns["dt"]} | columns
        for q in quantities:
            columns = {f"step_{q}": columns["step"], f"fitted_error_{q}": np.full(len(columns["cells"]), NAN)} | columns
        for name, values in columns.items():
            put(file, f"cases/{name}", values, name)
        file.create_group("fit").attrs.update(_concluded(columns, quantities, fit))
        seconds = np.linspace(0.1, 0.9, len(columns["cells"]))
        rate = columns["steps"] / seconds
        swept = np.where((columns["cells"] > 0) & (changes.get("engine", "sweep") == "sweep"), columns["cells"], NAN)
        for name, values in (("cases", seconds), ("cell_updates", swept * columns["steps"]), ("steps_per_second", rate),
                             ("cell_updates_per_second", rate * swept)):
            put(file, f"timing/{name}", values, name)
    return path


def _concluded(columns, quantities, given):
    """The attributes of /fit: those given, and for the others those of a good study of order one in δt."""
    facts = {"left_over": "", "deciding_levels": "", "verdict": "not judged", "quantities": " ".join(quantities)}
    for q in QUANTITIES:
        observed = given.get(f"observed_{q}", NAN)
        source = "none" if np.isnan(observed) else "last pair" if np.isnan(given.get(f"order_{q}", 0)) else "fit"
        facts |= {f"levels_{q}": np.count_nonzero(columns.get(f"mark_{q}", NAN) == 0), f"step_{q}": "time",
                  f"cancels_{q}": 0, f"observed_from_{q}": source, f"verdict_{q}": "not judged"}
        if f"expected_{q}" in given:
            expected = given[f"expected_{q}"]
            facts |= {f"expected_order_{q}": float(expected.lstrip(">=")),
                      f"expected_at_least_{q}": int(expected.startswith(">="))}
    return facts | given


def ladder(levels=4, order=1.0, quantities=QUANTITIES):
    """The columns of /cases of a study in N whose errors fall with exactly `order`."""
    n = 1000 * 2 ** np.arange(levels)
    columns = {"cells": np.full(levels, 10.0), "steps": n.astype(float), "ds": np.full(levels, 0.1), "dt": 500 / n}
    for place, q in enumerate(quantities, start=1):
        columns[f"error_{q}"] = 0.123456 * place * columns["dt"] ** order
        columns[f"order_{q}"] = np.r_[NAN, np.full(levels - 1, order)]
    return columns


def marked(columns, quantities=QUANTITIES, **marks):
    """The columns with /cases/mark_q: 0 at every level but for the marks given by quantity, a list [levels]."""
    levels = len(columns["cells"])
    return columns | {f"mark_{q}": np.array(marks.get(q, np.zeros(levels)), dtype=float) for q in quantities}


def staircase(space=12.0, time=-5.0, stairs=((100, 125000), (200, 125000), (200, 250000), (400, 250000))):
    """The columns of /cases of a study in P and N whose errors are exactly place·(C₁ δs + C₂ δt), place 1 for x."""
    cells, steps = np.array(stairs, dtype=float).T
    columns = {"cells": cells, "steps": steps, "ds": 1 / cells, "dt": 500 / steps}
    for place, q in enumerate(QUANTITIES, start=1):
        columns[f"error_{q}"] = columns[f"step_{q}"] = place * (space * columns["ds"] + time * columns["dt"])
        columns[f"order_{q}"] = np.r_[NAN, np.full(len(cells) - 1, 1.0)]
    return marked(columns | {"step": columns["ds"] + columns["dt"]})


def fitted(order=1.0, **changes):
    """The attributes of fit() with those that a fit adds: orders, their uncertainty, constants, no joint constants."""
    attributes = fit(order)
    for q in QUANTITIES:
        attributes |= {f"{of}_constant{what}_{q}": NAN for of in ("space", "time") for what in ("", "_uncertainty")} | {
            f"observed_{q}": order, f"order_{q}": order, f"order_uncertainty_{q}": 0.004, f"constant_{q}": 0.123456,
            f"last_pair_{q}": order}
    return attributes | changes


def jointly(space=12.0, time=-5.0):
    """The attributes of a joint fit of the errors of staircase(), half-widths 0.42 and 0.65."""
    attributes = {"refine": "both", "reference": "exact"}
    for place, q in enumerate(QUANTITIES, start=1):
        attributes |= {f"space_constant_{q}": place * space, f"space_constant_uncertainty_{q}": 0.42,
                       f"time_constant_{q}": place * time, f"time_constant_uncertainty_{q}": 0.65,
                       f"joint_power_{q}": 1.0, f"cancels_{q}": int(time < 0), f"step_{q}": "joint"}
    return attributes


def fit(observed=1.0, verdict="as expected", quantities=("x", "y", "u"), **changes):
    """The attributes of /fit of a study in N where 1 ± 0.1 was expected of x, y and u."""
    attributes = {"refine": "steps", "reference": "finest", "tolerance": 0.1, "verdict": verdict}
    for q in quantities:
        attributes |= {f"observed_{q}": observed, f"expected_{q}": "1", f"verdict_{q}": verdict}
    return attributes | changes


def put(file, name, values, symbol=""):
    """Write a column with its attributes and its axes, whose scales are made where missing, into an open file."""
    dataset = file.create_dataset(name, data=np.asarray(values, dtype=float))
    dataset.attrs["description"], dataset.attrs["symbol"] = f"the column {name}", symbol
    axis = AXES[name.split("/")[0]]
    if name == axis:
        dataset.make_scale(name)
        return
    if axis not in file:
        put(file, axis, np.arange(float(len(values))))
    dataset.dims[0].attach_scale(file[axis])
