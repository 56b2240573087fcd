"""What a file holds of a trajectory: samples, the field over time, the energy balance, the state of a model."""

from dataclasses import dataclass

import numpy as np

import hdf5


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
        """What the balance lacks, input less dissipated less what is stored more than at the start, [samples]."""
        stored = self.kinetic + self.elastic
        return self.input - self.input[0] - (self.dissipated - self.dissipated[0]) - (stored - stored[0])


def series(file):
    """The Series of a file; raises UserError when a column is missing or damaged."""
    t = hdf5.column(file, "series/t")
    return Series(t, *(hdf5.column(file, f"series/{name}", len(t)) for name in ("x", "restoring")),
                  *(hdf5.optional_column(file, f"series/{name}", len(t)) for name in ("y", "force")))


def field(file):
    """The field of a file at more than one time, or None."""
    if any(f"field/{name}" not in file for name in ("t", "s", "eta", "u")):
        return None
    t, s = hdf5.column(file, "field/t"), hdf5.column(file, "field/s")
    if len(t) < 2 or len(s) < 2:
        return None
    return Field(t, s, hdf5.column(file, "field/eta", len(s)), hdf5.table(file, "field/u", (len(t), len(s))))


def energy(file, samples):
    """The Energy of a file with so many samples, or None."""
    names = ("kinetic", "elastic", "dissipated", "input")
    if not samples or any(f"energy/{name}" not in file for name in names):
        return None
    return Energy(*(hdf5.column(file, f"energy/{name}", samples) for name in names))


def state(file, rows):
    """The columns of a model's state by name; {} where the file has none."""
    if not rows or "state/values" not in file:
        return {}
    names = hdf5.attribute_words(file, "state/values", "columns")
    values = hdf5.table(file, "state/values", (rows, len(names)))
    return dict(zip(names, values.T))
