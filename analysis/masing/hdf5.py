"""Checked access to HDF5: a missing or damaged part raises MasingError with the file and the dataset."""

from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from masing.errors import MasingError
from masing.notation import listed

# The kinds of file that masing writes, by its command, and the script that reads each.
SCRIPTS = {"simulate": "cycles.py", "converge": "report.py", "scan": "response.py", "benchmark": "scaling.py"}
# What h5py raises on a damaged file depends on the part that is damaged; and on a dataset of an unexpected type.
DAMAGE = (OSError, RuntimeError, KeyError, MemoryError)
OF_AXES = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST")
OTHER_TYPE = (ValueError, TypeError, UnicodeError, AttributeError)


def require_there(path, wanted):
    """Raise MasingError when there is no file at `path`, which says so if it is still being written."""
    if _is_file(path):
        if path.suffix != ".partial":
            return
        raise MasingError(f"{path}: is of a run that is not finished, whose rows to come are zeros; wait for "
                          f"{path.stem}, or go on with the run from its checkpoint")
    if _is_file(partial := Path(f"{path}.partial")):
        raise MasingError(f"{path}: is still being written, or was stopped: {partial} has what there is; wait, or make "
                          "it again with masing")
    raise MasingError(f"{path}: is not there or is not a file; give {wanted}")


def _is_file(path):
    try:
        return path.is_file()
    except OSError:  # of a name that is too long
        return False


@contextmanager
def opened(path):
    """The open file at `path`, read only; raises MasingError when it is missing, not HDF5, cut off, or damaged."""
    require_there(path, "an HDF5 file written by masing")
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
    """The attributes of the group or dataset `name`, {name: string or number}, without those of axes; {} of none."""
    try:
        held = file[name].attrs if name in file else {}
        return {key: _plain(held[key]) for key in held if key not in OF_AXES}
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


def scales(item):
    """[(name, length)] of the dimension scales of a dataset, of one that is a scale its own; none without them."""
    if h5py.h5ds.is_scale(item.id):
        return [(item.name[1:], len(item))]
    return [(axis[0].name[1:], len(axis[0])) for axis in item.dims if len(axis)]


def numbers(file, name):
    """The dataset `name` of an h5py.h5f.FileID as doubles of its shape; None where no array of numbers can be read."""
    try:
        item = h5py.h5d.open(file, name.encode())
        if item.shape and item.get_type().get_class() in (h5py.h5t.FLOAT, h5py.h5t.INTEGER):
            values = np.empty(item.shape)
            item.read(h5py.h5s.ALL, h5py.h5s.ALL, values)
            return values
    except (*DAMAGE, *OTHER_TYPE):
        pass
    return None
