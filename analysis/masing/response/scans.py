"""Reading files of masing scan."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from masing import hdf5
from masing.command_line import UserError
from masing.results import Run, run_in

NUMBERS = ("most_x", "least_x", "amplitude", "centre", "restoring_amplitude", "loss", "secant_stiffness",
           "damping_ratio", "phase", "period_multiple", "stable", "fold")


@dataclass(frozen=True)
class Scan:
    """The points of a scan: `axes` {name: [n]}, `numbers` {name: [n]} of those NUMBERS that the file has, `done` [n];
    `cycles` [(x, restoring)] of the runs that it keeps. `run` is a Run without samples: what the file says of itself."""

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
        indices in the order of the file, which is that of a branch."""
        others = [name for name in self.axes if name != abscissa]
        keys = list(zip(*(self.axes[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]


def read_scan(path):
    """The Scan in a file; raises UserError when it is damaged or not of masing scan."""
    with hdf5.opened(Path(path)) as file:
        return scan_in(file)


def scan_in(file):
    """The Scan in an open file; raises UserError as read_scan."""
    root = hdf5.attributes(file, "/")
    if root.get("program") != "masing" or root.get("kind") != "scan":
        raise UserError(f"{file.filename}: was not written by masing scan; give a file of it")
    status = hdf5.column(file, "points/status")
    names = hdf5.attribute_words(file, "points", "axes")
    axes = {name: hdf5.column(file, f"points/{name}", len(status)) for name in names}
    numbers = {name: hdf5.column(file, f"points/{name}", len(status))
               for name in NUMBERS if f"points/{name}" in file}
    cycles = []
    for run in sorted(file["runs"]) if "runs" in file else []:
        x = hdf5.column(file, f"runs/{run}/x")
        cycles.append((x, hdf5.column(file, f"runs/{run}/restoring", len(x))))
    return Scan(run_in(file, series_required=False), hdf5.attribute(file, "points", "kind"),
                hdf5.attribute(file, "points", "past"), axes, numbers, status == 0, cycles)
