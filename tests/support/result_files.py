"""Reading the files that the program writes."""

import ctypes
import ctypes.util

import h5py
import numpy as np


def text(value):
    """A text of an HDF5 file, which h5py gives as str or as bytes by its type in the file."""
    return value.decode() if isinstance(value, bytes) else str(value)


def visit_contents(path, visit):
    """Calls visit(name, thing, attributes) for every group and dataset of a file outside /provenance and /timing. The
    attributes are arrays by name, without the addresses of dimension scales."""
    def look(name, thing):
        if name.split("/")[0] not in ("provenance", "timing"):
            visit(name, thing, {key: np.asarray(value) for key, value in thing.attrs.items()
                                if key not in ("DIMENSION_LIST", "REFERENCE_LIST")})

    with h5py.File(path) as file:
        file.visititems(look)
        look("", file)


def seal(path):
    """Completes a file of at most 4 MiB that h5py has changed: a head with the XXH3-64 of the library that masing is
    linked with, and an end."""
    content = path.read_bytes()
    assert len(content) <= 4 << 20
    checksum = ctypes.CDLL(ctypes.util.find_library("xxhash")).XXH3_64bits_withSeed
    checksum.restype, checksum.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64)
    head, content = content[:512].split(b"bytes ")[0] + b"bytes %d\n" % len(content), content[512:]
    both = checksum(content, len(content), 0) + checksum(head, len(head), 2**64 - 1)
    path.write_bytes((head + b"xxh3 %016x\n" % (both % 2**64)).ljust(512) + content + b"masing file end\n")


def contents(path):
    """Every dataset and attribute of a file outside /provenance and /timing, as bytes."""
    found = {}

    def visit(name, thing, attributes):
        found.update({f"{name}@{key}": value.tobytes() for key, value in attributes.items()})
        if isinstance(thing, h5py.Dataset):
            found[f"{name}@axes"] = [[scale.name for scale in axis.values()] for axis in thing.dims]
            value = np.asarray(thing[()])
            found[name] = (value.shape, str(value.dtype), value.tobytes())
        else:
            found[name] = "group"

    visit_contents(path, visit)
    return found


def numbers(path):
    """The datasets of a run by name: those of /series and /energy by their own, others as "field/u"."""
    found = {}

    def visit(name, thing):
        if isinstance(thing, h5py.Dataset) and thing.dtype.kind == "f":
            found[name.removeprefix("series/").removeprefix("energy/")] = thing[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def study(path):
    """The attributes of /fit, and the columns of /cases as "cases"."""
    with h5py.File(path) as file:
        fit = {key: text(value) if isinstance(value, (bytes, str)) else value
               for key, value in file["fit"].attrs.items()}
        return {**fit, "cases": {name: column[()] for name, column in file["cases"].items()}}
