"""Checked access to HDF5: a missing or damaged part raises MasingError with the file and the dataset."""

from contextlib import contextmanager

import h5py
import numpy as np

from masing.errors import MasingError
from masing.notation import listed

# The kinds of file that masing writes, by its command, and the script that reads each.
SCRIPTS = {"simulate": "cycles.py", "converge": "report.py", "scan": "response.py", "benchmark": "scaling.py"}
# What h5py raises on a damaged file depends on the part that is damaged; and on a dataset of an unexpected type.
DAMAGE = (OSError, RuntimeError, KeyError, MemoryError)
OTHER_TYPE = (ValueError, TypeError, UnicodeError, AttributeError)


@contextmanager
def opened(path):
    """The open file at `path`, read only; raises MasingError when it is missing, not HDF5, cut off, or damaged."""
    if not path.is_file():
        raise MasingError(f"{path}: is not there or is not a file; give an HDF5 file written by masing")
    try:
        file = h5py.File(path, "r")
    except PermissionError:
        raise MasingError(f"{path}: may not be read by you; change its permissions") from None
    except OSError:
        raise MasingError(f"{path}: is not a complete HDF5 file; give one written by masing to its end") from None
    with file:
        try:
            yield file
        except DAMAGE:
            raise MasingError(f"{path}: is damaged; make it again with masing") from None


def kind(file, *wanted):
    """The command of masing that wrote the file; raises MasingError when it is none of those wanted."""
    root = attributes(file, "/")
    found = root.get("kind") if root.get("program") == "masing" else None
    if found in wanted:
        return found
    why = (f"is of masing {found}, which analysis/{SCRIPTS[found]} reads" if found in SCRIPTS else
           "was not written by masing (its root attributes program and kind do not say so)")
    raise MasingError(f"{file.filename}: {why}; give a file of {listed((f'masing {each}' for each in wanted), 'or')}")


def attributes(file, name):
    """The attributes of the group or dataset `name` as {name: string or number}; empty when there is none."""
    try:
        return {key: _plain(value) for key, value in file[name].attrs.items()} if name in file else {}
    except OTHER_TYPE:
        raise MasingError(f"{file.filename}: the attributes of /{name} cannot be read; make the file again") from None


def _plain(value):
    """A Python number for a numeric scalar, for everything else a string; of a list of strings with blanks."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and np.size(value) == 1 else value
    if isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
        return " ".join(map(_plain, value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").rstrip("\0")
    return value if isinstance(value, (int, float)) else str(value)


def scalar_text(file, name):
    """The string dataset `name`, or None when there is none."""
    try:
        return str(_plain(file[name][()])) if name in file else None
    except (*DAMAGE, *OTHER_TYPE):
        raise MasingError(f"{file.filename}: /{name} cannot be read as a string; make the file again") from None


def column(file, name, length=None):
    """The 1-D dataset `name` as doubles [n]; raises MasingError when it is missing, damaged, or not of `length`."""
    if name not in file:
        raise MasingError(f"{file.filename}: has no dataset /{name}; give a file written by masing")
    values = numbers(file, name)
    require_shape(file.filename, name, values.shape, (length,))
    return values


def require_shape(path, name, shape, wanted):
    """Raise MasingError where a dataset is not of the shape wanted, in which None is any length."""
    if len(shape) != len(wanted) or any(size not in (None, found) for size, found in zip(wanted, shape)):
        rows = "" if wanted[0] is None else f" of {wanted[0]} rows"
        must = wanted if len(wanted) > 1 else f"one column{rows}"
        raise MasingError(f"{path}: /{name} has the shape {shape}; it must be {must}")


def numbers(file, name):
    """The dataset `name` as doubles of its shape; raises MasingError where it holds no numbers."""
    try:
        values = np.asarray(file[name][()])
    except (*DAMAGE, *OTHER_TYPE):
        values = np.asarray("")
    if values.dtype.kind not in "fiu":
        raise MasingError(f"{file.filename}: /{name} cannot be read as numbers; make the file again")
    return values.astype(float)
