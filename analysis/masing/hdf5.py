"""Functions that read HDF5 files, and raise MasingError if a file is missing, incomplete or damaged."""

import os
from contextlib import contextmanager

import h5py
import numpy as np

from masing.errors import FileMissing, MasingError
from masing.text import listed

# The exceptions that are raised where a file is damaged, or has other data than masing writes.
DAMAGE = (OSError, RuntimeError, LookupError, MemoryError, ValueError, TypeError, AttributeError)
# The attributes that HDF5 stores for dimension scales, which are datasets with the coordinates of an axis.
OF_AXES = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST")


def require_there(path, wanted):
    """Raise FileMissing if there is no file at `path`, and MasingError if the run that writes it is not finished.

    `wanted` is the description of the expected file in the message.
    """
    is_partial = str(path).endswith(".partial")
    if os.path.isfile(path) and not is_partial:
        return
    if os.path.isfile(path if is_partial else f"{path}.partial"):
        raise MasingError(f"{path}: is of a run that is not finished; wait, restart it, or make it again")
    raise FileMissing(f"{path}: is not there or is not a file; give {wanted}")


@contextmanager
def opened(path, beginning=None):
    """Open the file at `path` for reading; raises MasingError if it is missing, damaged or no HDF5 file.

    If `beginning` is given, the file must still begin with these bytes, which head() has returned.
    """
    require_there(path, "an HDF5 file written by masing")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        why = "may not be read by you" if isinstance(error, PermissionError) else "is not a complete HDF5 file"
        raise MasingError(f"{path}: {why}; give one written by masing to its end") from None
    with file:
        if beginning not in (None, head(path)):
            raise MasingError(f"{path}: was written again after it was opened; open it again")
        try:
            yield file
        except MasingError:
            raise
        except DAMAGE as error:
            raise MasingError(f"{path}: is damaged ({error}); make it again with masing") from None


def head(path):
    """Return the beginning of a file, where masing writes a hash of the content."""
    with path.open("rb") as file:
        return file.read(512)


def kind(file, *wanted):
    """Return the command of masing that wrote the file; raises MasingError unless this command is one of `wanted`."""
    root = attributes(file, "/")
    found = root.get("kind") if root.get("program") == "masing" else None
    if found not in wanted:
        why = f"is of masing {found}" if found else "was not written by masing"
        raise MasingError(f"{file.filename}: {why}; give a file of masing {listed(wanted, 'or')}")
    return found


def attributes(file, name):
    """Return {name: text or number} of the attributes of the group or dataset `name`; {} if there is no such item."""
    held = file[name].attrs if name in file else {}
    return {key: held[key].item() if isinstance(held[key], np.generic) else held[key]
            for key in held if key not in OF_AXES}


def text(file, name):
    """Return the string in the dataset `name`, or None if there is no such dataset."""
    return file[name].asstr("utf-8", "replace")[()] if name in file else None


def axes_agree(item):
    """Return whether the shape of a dataset is that of its dimension scales."""
    return h5py.h5ds.is_scale(item.id) or item.shape == tuple(len(axis[0]) if len(axis) else None for axis in item.dims)


def variable(group, name):
    """Return the name by which a result has a dataset of a group of its file: `name`, or one that is not ambiguous."""
    if group == "watch" or group in ("field", "state", "profile") and name in ("t", "x", "y", "node", "dissipated"):
        return f"{group}_{name}"
    return "state" if (group, name) == ("state", "values") else name.replace("-", "_")


def datasets(source, groups):
    """Return the groups of a file, given as a path or as a buffer with its content, as one xarray.Dataset."""
    import h5netcdf
    import xarray as xr

    with h5netcdf.File(source, "r") as file:
        parts = []
        for group in groups:
            store = xr.backends.H5NetCDFStore(file, group=group)
            data = xr.open_dataset(store, decode_times=False, mask_and_scale=False)
            names = {name: variable(group, name) for name in {*data.variables, *data.dims}}
            parts.append(data.rename({name: other for name, other in names.items() if other != name}))
        return xr.merge(parts, compat="equals", join="exact", combine_attrs="override").load()
