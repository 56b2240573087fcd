"""Functions that prepare tables of samples and of records, which are given as arrays, for the program."""

import csv
import re
from itertools import product
from os import PathLike
from pathlib import Path

from masing import values
from masing.errors import UsageError, quoted

# An array in a table of samples is written as this text, followed by its index.
ARRAY = "array:"
# What stands above the numbers of a record in PEER's format AT2.
AT2 = re.compile(r"NPTS *= *(\d+) *, *DT *= *([\d.eE+-]+).*\n", re.IGNORECASE)


def of_at2(path):
    """Return the times from 0 and the values (t, a) of a record in PEER's format AT2."""
    try:
        text = Path(path).read_text(encoding="latin-1")
        found = AT2.search(text)
        values = [float(word) for word in text[found.end():].split()]
        if len(values) != int(found[1]):
            raise ValueError(f"{len(values)} numbers, not NPTS = {found[1]}")
        return [i * float(found[2]) for i in range(len(values))], values
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: is no record with NPTS=, DT= and its numbers below: {error}") from None


def converted(options):
    """Return the options of a scan, in which functions that `over` varies are columns of `samples`.

    An entry {"force": [(t, f), …]} of `over` becomes a column `force` whose cells are these records, and the option
    force="force(t)". Raises MasingError if `over` varies a function and there is a table of samples, too.
    """
    over, of_function = options.get("over"), values.OF_T + values.OF_S
    over = {name: list(value) if name in of_function and hasattr(value, "__next__") else value
            for name, value in over.items()} if isinstance(over, dict) else {}
    functions = [name for name, value in over.items() if name in of_function and isinstance(value, list | tuple)]
    if not functions:
        return options
    for name in functions:
        if options.get(name) is not None or options.get("samples") is not None:
            raise UsageError(f"over={{{name!r}: …}}: {name} or samples is given, too; give the records as a column of "
                              f"samples, and {name} as an expression of this column")
        if not len(over[name]):
            raise UsageError(f"over={{{name!r}: …}}: is empty; give records")
    rows = list(product(*(over[name] for name in functions)))
    others = {name: value for name, value in over.items() if name not in functions}
    calls = {name: f"{name}({'t' if name in values.OF_T else 's'})" for name in functions}
    return options | calls | {"samples": dict(zip(functions, map(list, zip(*rows)))), "over": others or None}


def write(path, samples):
    """Write a table of samples to an HDF5 file that the option `samples` of a scan may name.

    `samples` is a pandas.DataFrame or {column: values}. A cell is a number, the path of a record, or a record as a
    table, such as a pair of arrays (t, a). The columns final_time and sample_every stand for these options. Raises
    MasingError if `samples` or a record cannot be used.
    """
    import h5py
    import numpy as np
    import pandas as pd

    try:
        columns = {str(name): list(column) for name, column in dict(samples).items()}
        if len(columns) != len(dict(samples)) or hasattr(samples, "columns") and len(columns) != len(samples.columns):
            raise UsageError("samples: two columns have the same name; give each its own")
        table = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})
    except (TypeError, ValueError):
        raise UsageError(f"samples={quoted(samples)}: give a DataFrame, {{column: values}}, or the path of a table") \
            from None
    if not columns or 0 in map(len, columns.values()):
        raise UsageError("samples: has no rows; give a row for each sample")
    if len({len(cells) for cells in columns.values()}) != 1:
        raise UsageError("samples: its columns differ in length; give as many values in each")
    arrays, known = [], {}

    def cell(name, value):
        value = values.scalar(value)
        if value is None or callable(value):
            raise UsageError(f"samples[{name!r}]: {quoted(value)} is no cell; give a number, a path or a table")
        if isinstance(value, str | PathLike):
            if any(letter in str(value) for letter in '"\n\r'):
                raise UsageError(f"samples[{name!r}]: {quoted(value)} has a quotation mark or a line end; rename it")
            return str(value)
        if not hasattr(value, "__len__"):
            return repr(value)
        if id(value) not in known:
            known[id(value)] = f"{ARRAY}{len(arrays)}"
            arrays.append(values.table(f"samples[{name!r}]", value))
        return known[id(value)]

    table = pd.DataFrame({name: [cell(name, value) for value in column] for name, column in table.items()})
    table.columns = [name.replace("_", "-") if name in ("final_time", "sample_every") else name for name in table]
    with h5py.File(path, "w") as file:
        file["samples/table"] = np.bytes_(table.to_csv(index=False, quoting=csv.QUOTE_ALL).encode("utf-8"))
        file["samples"].attrs["folder"] = str(Path.cwd())
        if arrays:
            file["samples/sizes"] = np.array([len(arguments) for arguments, _ in arrays], dtype=float)
            file["samples/arguments"] = np.concatenate([arguments for arguments, _ in arrays])
            file["samples/values"] = np.concatenate([numbers for _, numbers in arrays])
