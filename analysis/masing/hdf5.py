"""Checked access to HDF5: a missing or damaged part raises UserError with the file and the dataset."""

from contextlib import contextmanager

import h5py
import numpy as np

from masing.command_line import UserError
from masing.notation import listed

# The kinds of file that masing writes, by its command, and the script that reads each.
SCRIPTS = {"simulate": "cycles.py", "converge": "report.py", "scan": "response.py", "benchmark": "scaling.py"}
# What h5py raises on a damaged file depends on the part that is damaged.
DAMAGE = (OSError, RuntimeError, KeyError, MemoryError)
# What h5py and NumPy raise when a dataset is of another type than expected.
OTHER_TYPE = (ValueError, TypeError, UnicodeError)


@contextmanager
def opened(path):
    """The open file at `path`, read only; raises UserError when it is missing, not HDF5, cut off, or damaged."""
    if not path.is_file():
        raise UserError(f"{path}: is not there or is not a file; give an HDF5 file written by masing")
    try:
        file = h5py.File(path, "r")
    except PermissionError:
        raise UserError(f"{path}: may not be read by you; change its permissions") from None
    except OSError:
        raise UserError(f"{path}: is not a complete HDF5 file; give one written by masing to its end") from None
    with file:
        try:
            yield file
        except DAMAGE:
            raise UserError(f"{path}: is damaged; make it again with masing") from None


def text(value):
    """A string from any form in which h5py gives one: bytes, str, or a NumPy scalar of them."""
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and np.size(value) == 1 else value
    return value.decode("utf-8", "replace").rstrip("\0") if isinstance(value, bytes) else str(value)


def kind(file, *wanted):
    """The command of masing that wrote the file; raises UserError when it is none of those wanted."""
    root = attributes(file, "/")
    found = root.get("kind") if root.get("program") == "masing" else None
    if found in wanted:
        return found
    why = (f"is of masing {found}, which analysis/{SCRIPTS[found]} reads" if found in SCRIPTS else
           "was not written by masing (its root attributes program and kind do not say so)")
    raise UserError(f"{file.filename}: {why}; give a file of {listed((f'masing {each}' for each in wanted), 'or')}")


def attributes(file, name):
    """The attributes of the group or dataset `name` as {name: string or number}; empty when there is none."""
    try:
        return {key: plain(value) for key, value in file[name].attrs.items()} if name in file else {}
    except OTHER_TYPE:
        raise UserError(f"{file.filename}: the attributes of /{name} cannot be read; make the file again") from None


def attribute(file, name, key):
    """The attribute `key` of the group or dataset `name`, a string or a number; raises UserError when it is missing."""
    if name not in file:
        raise UserError(f"{file.filename}: has no /{name}; make the file again with masing")
    found = attributes(file, name)
    if key not in found:
        raise UserError(f"{file.filename}: /{name.strip('/')} has no attribute {key}; make the file again with masing")
    return found[key]


def plain(value):
    """A Python number for a numeric scalar, a string for everything else."""
    scalar = value.item() if isinstance(value, (np.generic, np.ndarray)) and np.size(value) == 1 else value
    return scalar if isinstance(scalar, (int, float)) else text(value)


def scalar_text(file, name):
    """The string dataset `name`, or None when there is none."""
    try:
        return text(file[name][()]) if name in file else None
    except (*DAMAGE, *OTHER_TYPE, AttributeError):
        raise UserError(f"{file.filename}: /{name} cannot be read as a string; make the file again") from None


def column(file, name, length=None):
    """The 1-D dataset `name` as doubles [n]; raises UserError when it is missing, damaged, or not of `length`."""
    if name not in file:
        raise UserError(f"{file.filename}: has no dataset /{name}; give a file written by masing")
    values = _doubles(file, name)
    if values.ndim != 1 or (length is not None and len(values) != length):
        wanted = "one column" if length is None else f"one column of {length} rows"
        raise UserError(f"{file.filename}: /{name} has the shape {values.shape}; it must be {wanted}")
    return values


def optional_column(file, name, length):
    """The same as column(), or None when there is no such dataset."""
    return column(file, name, length) if name in file else None


def table(file, name, shape):
    """The 2-D dataset `name` as doubles; raises UserError when it is damaged or not of the shape."""
    values = _doubles(file, name)
    if values.shape != shape:
        raise UserError(f"{file.filename}: /{name} has the shape {values.shape}; it must be {shape}")
    return values


def _doubles(file, name):
    try:
        values = np.asarray(file[name][()])
    except (*DAMAGE, *OTHER_TYPE, AttributeError):
        values = np.asarray("")
    if values.dtype.kind not in "fiu":
        raise UserError(f"{file.filename}: /{name} cannot be read as numbers; make the file again")
    return values.astype(float)


def attribute_words(file, name, attribute):
    """The words of an attribute of the group or dataset `name`, a string with blanks or commas or a list of strings."""
    try:
        value = file[name].attrs[attribute]
    except DAMAGE:
        raise UserError(f"{file.filename}: /{name} has no attribute {attribute}; make the file again") from None
    words = [text(word) for word in np.atleast_1d(value)]
    return words[0].replace(",", " ").split() if len(words) == 1 else words
