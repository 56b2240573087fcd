"""What the files of a page cost: wall time, rate and ranks of each study's levels and of each trajectory."""

import numpy as np

import configuration
from notation import EN_DASH, grouped, measured


def cost_rows(studies, runs):
    """The rows (file, how many rows it has, cells) with P, N, ranks, wall time, steps/s and cell updates/s, each cell
    (exact value, as shown, ''); the file is None but in its first row."""
    groups = [(study.run.path.name, list(_levels(study))) for study in studies]
    groups += [(run.path.name, [_trajectory(run)]) for run in runs]
    return [(None if n else name, len(rows), row) for name, rows in groups for n, row in enumerate(rows)]


def _levels(study):
    ranks = _cell(study.run.provenance.get("ranks"), grouped)
    seconds = study.seconds if study.seconds is not None else np.full(study.levels, np.nan)
    sweeps = study.run.settings.get("engine", "sweep") == "sweep" and study.run.model == "masing"
    for n in range(study.levels):
        rate = study.steps[n] / seconds[n] if seconds[n] > 0 else np.nan
        updates = rate * study.cells[n] if sweeps and study.cells[n] > 0 else np.nan
        yield (_cell(study.cells[n], grouped), _cell(study.steps[n], grouped), ranks,
               *(_cell(value, _rounded) for value in (seconds[n], rate, updates)))


def _trajectory(run):
    timing = run.timing
    cells = configuration.size(run.settings, "cells") if run.model == "masing" else None
    sweeps = run.settings.get("engine", "sweep") == "sweep"
    updates = timing.get("cell_updates_per_second") if sweeps else None
    return (_cell(cells, grouped), _cell(configuration.size(run.settings, "steps"), grouped),
            _cell(run.provenance.get("ranks"), grouped),
            *(_cell(value, _rounded) for value in (timing.get("wall_seconds"), timing.get("steps_per_second"), updates)))


def _rounded(value):
    return measured(value, 3) if value else EN_DASH


def _cell(value, shown):
    value = float(value) if isinstance(value, (int, float)) else np.nan
    return repr(value), shown(value) if np.isfinite(value) else EN_DASH, ""
