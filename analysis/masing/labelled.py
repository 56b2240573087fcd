"""The numbers of a result file by name, and as objects of pandas and xarray."""

from pathlib import Path

import numpy as np

from masing import hdf5
from masing.command_line import MasingError

# The dimensions of the datasets, by group or by name; what is not here is found by its name only.
DIMENSIONS = {"series": ("t",), "energy": ("t",), "cases": ("level",), "points": ("point",),
              "points/multiplier": ("multiplier",),
              "points/multiplier_re": ("point", "multiplier"), "points/multiplier_im": ("point", "multiplier"),
              "field/t": ("field_t",), "field/s": ("s",), "field/eta": ("s",), "field/k": ("s",),
              "field/u": ("field_t", "s"), "probe/s": ("probe_s",), "probe/u": ("t", "probe_s"),
              "state/t": ("state_t",), "state/values": ("state_t", "column")}
# Names of variables, where the dataset's own says too little.
NAMES = {"field/t": "field_t", "probe/s": "probe_s", "probe/u": "probe_u", "state/t": "state_t",
         "state/values": "state"}


class Labelled:
    """The datasets of the result file `path` as arrays by name, `data`, and their attributes, `described`.

    `configuration` is the resolved .ini as text, `provenance` what made the file, by name. All was read at once: the
    file may be replaced or removed.
    """

    # The dimension along which to_dataframe() has its rows.
    rows = "t"

    def __init__(self, path):
        """Read the file; raises UserError when it cannot be read."""
        self.path, self.data, self.described = Path(path), {}, {}
        with hdf5.opened(self.path) as file:
            self.configuration = hdf5.scalar_text(file, "configuration")
            self.provenance = hdf5.attributes(file, "provenance")
            names = []
            file.visit(names.append)
            for name in names:
                if getattr(file[name], "ndim", 0):
                    self.data[name], self.described[name] = file[name][()], hdf5.attributes(file, name)

    def __getitem__(self, name):
        """The dataset `name` of the file, such as "field/u", as an array; raises MasingError where there is none."""
        if name not in self.data:
            raise MasingError(f"{self.path}: has no numbers '{name}'; it has {', '.join(sorted(self.data)) or 'none'}")
        return self.data[name]

    def to_dataframe(self):
        """All that has one value, or one row of them, a row: samples by t, levels, or points; a pandas.DataFrame."""
        import pandas as pd

        columns = {}
        for name, (dimensions, values, attributes) in self._variables().items():
            if dimensions == (self.rows,):
                columns[name] = values
            elif dimensions == (self.rows, "column"):
                columns |= dict(zip(attributes["columns"].split(), values.T))
            elif dimensions == (self.rows, "probe_s"):
                columns |= {f"u({s:g})": u for s, u in zip(self.data["probe/s"], values.T)}
        frame = pd.DataFrame(columns)
        return frame.set_index(self.rows) if self.rows in columns else frame

    def to_xarray(self):
        """All numbers with their axes, an xarray.Dataset; configuration and provenance are its attributes."""
        try:
            import xarray as xr
        except ImportError:
            raise MasingError("to_xarray() needs xarray: install it, such as Debian's python3-xarray") from None
        variables = self._variables()
        for dimensions, _, attributes in list(variables.values()):
            if "column" in dimensions:
                variables["column"] = ("column",), attributes["columns"].split(), {}
        data = xr.Dataset(variables, attrs={"configuration": self.configuration or "", **self.provenance})
        return data.set_coords([name for name in variables if name in data.dims])

    def _variables(self):
        """{variable: (dimensions, array, attributes)} of the datasets whose dimensions are known."""
        found = {}
        for name, values in self.data.items():
            dimensions = DIMENSIONS.get(name) or DIMENSIONS.get(name.rpartition("/")[0])
            if dimensions and values.ndim == len(dimensions):
                found[NAMES.get(name, name.rpartition("/")[2])] = dimensions, values, self.described[name]
        if "state_t" in found and np.array_equal(self.data["state/t"], self.data.get("series/t")):
            del found["state_t"]
            found["state"] = ("t", "column"), *found["state"][1:]
        return found
