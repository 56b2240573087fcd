"""Functions that read HDF5 files, and raise MasingError if a file is missing, incomplete or damaged."""

from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np

from masing.errors import FileMissing, MasingError
from masing.text import listed

# The exceptions that h5py raises on a damaged file; which one it raises depends on the part that is damaged.
DAMAGE = (OSError, RuntimeError, KeyError, MemoryError)
# The attributes that HDF5 stores for dimension scales, which are datasets with the coordinates of an axis.
OF_AXES = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST")
# The exceptions that are raised if a dataset or an attribute of an unexpected type is read.
OTHER_TYPE = (ValueError, TypeError, UnicodeError, AttributeError)


def require_there(path, wanted):
    """Raise MasingError if there is no file at `path`, or if its name ends in .partial because a run is incomplete.

    If there is only the file PATH.partial, the message says that PATH is still being written, or that its run was
    stopped. `wanted` is the description of the expected file in the message.
    """
    if _is_file(path):
        if path.suffix != ".partial":
            return
        raise MasingError(f"{path}: is of a run that is not finished, whose rows to come are zeros; wait for "
                          f"{path.stem}, or go on with the run from its checkpoint")
    if _is_file(partial := Path(f"{path}.partial")):
        raise MasingError(f"{path}: is still being written, or was stopped: {partial} has what there is; wait, or make "
                          "it again with masing")
    raise FileMissing(f"{path}: is not there or is not a file; give {wanted}")


def _is_file(path):
    try:
        return path.is_file()
    except OSError:  # the name is too long
        return False


@contextmanager
def opened(path):
    """Open the file at `path` for reading, and close it at the end of the context.

    Raises MasingError if the file is missing, truncated, damaged or not an HDF5 file, or if the user has no permission
    to read it.
    """
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


def head(path):
    """Return the beginning of a file, where masing writes a hash of the content; raises MasingError without a file."""
    require_there(path, "an HDF5 file written by masing")
    try:
        with path.open("rb") as file:
            return file.read(512)
    except OSError:
        return b""


def kind(file, *wanted):
    """Return the command of masing that wrote the file; raises MasingError unless this command is one of `wanted`."""
    root = attributes(file, "/")
    found = root.get("kind") if root.get("program") == "masing" else None
    if found in wanted:
        return found
    why = (f"is of masing {found}" if found else
           "was not written by masing (its root attributes program and kind do not say so)")
    raise MasingError(f"{file.filename}: {why}; give a file of {listed((f'masing {each}' for each in wanted), 'or')}")


def attributes(file, name):
    """Return {name: text or number} of the attributes of the group or dataset `name`; {} if there is no such item.

    The attributes in OF_AXES are omitted.
    """
    try:
        held = file[name].attrs if name in file else {}
        return {key: _plain(held[key]) for key in held if key not in OF_AXES}
    except OTHER_TYPE:
        raise MasingError(f"{file.filename}: the attributes of /{name} cannot be read; make the file again") from None


def _plain(value):
    """Return a numeric scalar as a Python number and any other value as a string.

    An array of strings is returned as one string that contains these strings separated by blanks.
    """
    value = value.item() if isinstance(value, (np.generic, np.ndarray)) and np.size(value) == 1 else value
    if isinstance(value, np.ndarray) and value.dtype.kind in "OSU":
        return " ".join(map(_plain, value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").rstrip("\0")
    return value if isinstance(value, (int, float)) else str(value)


def scalar_text(file, name):
    """Return the string in the dataset `name`, or None if there is no such dataset."""
    try:
        return str(_plain(file[name][()])) if name in file else None
    except (*DAMAGE, *OTHER_TYPE):
        raise MasingError(f"{file.filename}: /{name} cannot be read as a string; make the file again") from None


def axes_agree(item):
    """Return whether the shape of a dataset is that of its dimension scales."""
    return h5py.h5ds.is_scale(item.id) or item.shape == tuple(len(axis[0]) if len(axis) else None for axis in item.dims)


def numbers(file, name):
    """Return the dataset `name` as a read-only array of doubles, or None if there is no such array of numbers."""
    try:
        item = file[name]
        values = item[...].astype(float, copy=False) if item.shape and item.dtype.kind in "fiu" else None
    except (*DAMAGE, *OTHER_TYPE):
        return None
    if values is not None:
        values.flags.writeable = False
    return values


def datasets(source, groups, rename):
    """Return the groups of a file as one xarray.Dataset, in which rename(group, name) is the name of a variable.

    `source` is the path of the file or a buffer with its content.
    """
    import h5netcdf
    import xarray as xr

    with h5netcdf.File(source, "r") as file:
        parts = []
        for group in groups:
            store = xr.backends.H5NetCDFStore(file, group=group)
            data = xr.open_dataset(store, decode_times=False, mask_and_scale=False)
            names = {name: rename(group, name) for name in {*data.variables, *data.dims}}
            parts.append(data.rename({name: other for name, other in names.items() if other != name}))
        return xr.merge(parts, compat="equals", join="exact", combine_attrs="override").load()
