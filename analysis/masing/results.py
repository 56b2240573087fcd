"""The program's result files: a Run, a Study or a Scan, whose numbers are read when they are asked for."""

from collections import namedtuple
import math
import os
import shutil
import tempfile
import warnings
import weakref
from contextlib import nullcontext
from html import escape
from numbers import Real
from os import PathLike
from pathlib import Path

import h5py
import numpy as np

from masing import hdf5
from masing.convergence.claim import sentence
from masing.errors import MasingError, loaded, require, shown
from masing.names import SYMBOLS, motion, short_value
from masing.notation import listed, negatives, number, order, scientific, superscript
from masing.samples import between, drawable

# What variables and axes are called where the last part of their name in the file says too little.
NAMES = {name: name.replace("/", "_") for name in ("field/t", "probe/s", "probe/u", "state/t")}
NAMES["state/values"] = "state"
# Groups that an option alone writes, and how it is given.
OPTIONS = {"energy": ("energy", "energy=True"), "probe": ("probe", "probe=[0.5]"), "runs": ("keep", 'keep="series"')}
# Columns of whole numbers, which files have as doubles.
COUNTS = ("cells", "level", "period_multiple", "point", "status", "steps")


def read(path):
    """The Run, Study or Scan in a file; raises MasingError when it is damaged or not from masing."""
    with hdf5.opened(Path(path)) as file:
        kind = hdf5.kind(file, "simulate", "converge", "scan")
    return CLASSES[kind](path)


def in_memory(command, image):
    """The Run, Study or Scan whose file would have the bytes `image`, made by this command of masing."""
    result = object.__new__(CLASSES[command])
    result.__dict__ |= {"_path": None, "_image": image, "_numbers": {}}
    return result


class Folder:
    """A temporary folder, which goes with the last result that has it, in the process that made it."""

    def __init__(self, path):
        weakref.finalize(self, self._remove, path, os.getpid())

    @staticmethod
    def _remove(path, process):
        if os.getpid() == process:
            shutil.rmtree(path, ignore_errors=True)


def _dataset(name, what):
    return property(lambda self: self[name], doc=what)


def _attribute(name, key, what, kind=str):
    def value(self):
        if key not in self.attributes(name):
            raise MasingError(f"{self._name}: /{name.strip('/')} has no attribute {key}; make the file again with masing")
        return kind(self.attributes(name)[key])
    return property(value, doc=what)


class Result:
    """A result file: `result["field/u"]` is any dataset of it as an array, read when it is first asked for.

    `path` is the file, of a result in memory a temporary one, `configuration` the resolved .ini as text, `settings` its
    keys {key: text}; `made_by` the command of a run made for a page.
    """

    # The dimension along which to_dataframe() has its rows, the commands whose files these are, what must be there.
    rows, kinds, required = "t", (), ()
    made_by = None
    # That of a temporary file.
    folder = None

    title = _attribute("/", "title", "What was run, such as `P = 400, N = 60000`.")
    problem = _attribute("configuration", "problem", "Equal for two files exactly if they solve the same problem.")
    is_papers_problem = _attribute("configuration", "papers_problem", "Whether it is that of the papers.", bool)
    has_cells = _attribute("/", "has_cells", "Whether the model has cells.", bool)
    provenance = property(lambda self: self.attributes("provenance"), doc="What made the file, by name.")
    timing = property(lambda self: self.attributes("timing"), doc="Wall times and rates, by name.")
    comment = property(lambda self: leading_comment(self.configuration or ""), doc="That of the case file.")
    model = property(lambda self: self.settings.get("model", ""), doc="The name of the model.")
    method = property(lambda self: (self.settings.get("scheme"), self.settings.get("rule")),
                      doc="The scheme in t and the rule in s; None for what the model does not have.")
    engine = property(lambda self: self.settings.get("engine"), doc="The engine, None where the model has one only.")

    def __init__(self, path):
        """Look into the file; raises MasingError when it is damaged, of another kind, or its parts do not fit."""
        if not isinstance(path, str | PathLike):
            raise MasingError(f"{type(self).__name__}({shown(path)}): give the path of a result file")
        self._path, self._image, self._numbers = Path(path), None, {}
        self._look()
        for name in self.required:
            self._require(name)

    def __getattr__(self, name):
        # Those of a result in memory are read when the first is asked for.
        if name in ("_shapes", "_axes", "_attributes", "configuration", "settings", "messages"):
            self._look()
            return self.__dict__[name]
        if name == "_file":
            self._file = h5py.h5f.open_file_image(self._image, 2 | 4)  # neither copied nor released
            return self._file
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def path(self):
        """The file; of a result in memory a temporary one, written now, which goes with the result."""
        if self._path is None:
            folder = tempfile.mkdtemp(prefix="masing-run-")
            self.folder = Folder(folder)
            self._path = Path(folder) / f"{self.kinds[0]}.h5"
            self._path.write_bytes(self._image)
        return self._path

    @property
    def _name(self):
        """How messages call it: the path of its file, or the function that made it."""
        return f"what masing.{self.kinds[0]}() gave" if self._image else str(self._path)

    def save(self, path):
        """Write the result file, as `output` would; a file that is there is replaced. Returns its path."""
        if not isinstance(path, str | PathLike):
            raise MasingError(f"save({shown(path)}): give the path of a file")
        path = Path(path)
        try:
            path.write_bytes(self._image or self._path.read_bytes())
        except OSError as error:
            raise MasingError(f"save({str(path)!r}): {error.strerror}") from None
        return path

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        return other

    def __getstate__(self):
        # A temporary file travels as its bytes.
        state = {name: value for name, value in self.__dict__.items() if name not in ("_file", "folder")}
        return state | ({"_path": None, "_image": self._image or self._path.read_bytes()} if self._image or self.folder
                        else {})

    def __setstate__(self, state):
        self.__dict__ |= state
        for values in self._numbers.values():
            values.flags.writeable = False

    def _opened(self):
        return nullcontext(h5py.File(self._file)) if self._image else hdf5.opened(self._path)

    def _look(self):
        """Read all but the numbers."""
        self._shapes, self._axes, self._attributes = {}, {}, {}
        with self._opened() as file:
            hdf5.kind(file, *self.kinds)
            self.configuration = hdf5.scalar_text(file, "configuration")
            self.settings = parse_configuration(self.configuration or "")
            self.messages = (hdf5.scalar_text(file, "points/messages") or "").splitlines()
            self._attributes["/"] = hdf5.attributes(file, "/")
            file.visititems(lambda name, item: self._take_in(file, name, item))

    def _take_in(self, file, name, item):
        """Remember the shape of an array; and its axes and attributes, but of the runs of a scan, which are many."""
        if not name.startswith("runs/"):
            self._attributes[name] = hdf5.attributes(file, name)
        if not getattr(item, "ndim", 0):
            return
        self._shapes[name] = item.shape
        if not name.startswith("runs/"):
            scales = hdf5.scales(item)
            self._axes[name] = axes = tuple(NAMES.get(scale, scale.rpartition("/")[2]) for scale, _ in scales)
            if item.shape != tuple(size for _, size in scales):
                raise MasingError(f"{self._name}: /{name} has the shape {item.shape}, which its axes "
                                  f"{listed(axes) or '(none)'} do not have; give a file written by masing")

    def _require(self, name):
        if name not in self._shapes:
            known = ", ".join(sorted(self._shapes)) or "none"
            hint = "; what the model has is in result[\"state/values\"]" * (name == "field/u" and "state/values" in self)
            option, example = OPTIONS.get(group := name.partition("/")[0], ("", ""))
            if option in self.settings and not any(each.startswith(f"{group}/") for each in self):
                hint = f"; make it with {example}"
            raise MasingError(f"{self._name}: has no dataset /{name}; it has {known}{hint}")

    def __contains__(self, name):
        name = str(name).strip("/")
        return name in self._shapes or "/" not in name and name in self._variables()

    def __iter__(self):
        """The names of the datasets."""
        return iter(self._shapes)

    def __str__(self):
        symbols = SYMBOLS | {key: key.removeprefix("model.") for key in self.settings if key.startswith("model.")}
        values = ", ".join(f"{symbol} = {short_value(self.settings[key])}" for key, symbol in symbols.items()
                           if self.settings.get(key))
        return f"{self!r}\n  {values}"

    def __getitem__(self, name):
        """The dataset `name` of the file, such as "field/u", or its name in to_xarray(), such as "amplitude", as doubles
        that are read-only; raises MasingError where there is none."""
        name = str(name).strip("/")
        if name in self._numbers:
            return self._numbers[name]
        if self._image and (values := hdf5.numbers(self._file, name)) is not None:
            return self._kept(name, values)
        if name not in self._shapes:
            name = self._variables().get(name, ((), name))[1]
        self._require(name)
        with self._opened() as file:
            values = hdf5.numbers(file.id, name)
        if values is None:
            raise MasingError(f"{self._name}: /{name} cannot be read as numbers; make the file again")
        return self._kept(name, values)

    def _kept(self, name, values):
        # Read-only, as all who ask have the same array, and what is pickled or drawn is to be what was computed.
        values.flags.writeable = False
        return self._numbers.setdefault(name, values)

    def attributes(self, name):
        """The attributes of a group or a dataset, {name: text or number}; empty where there is none."""
        return self._attributes.get(str(name), {})

    def to_dataframe(self):
        """A new pandas.DataFrame of all that has one value, or one row of them, a row: samples by t, levels, or points."""
        pd, columns = loaded("pandas"), {}
        for variable, (axes, name) in self._variables().items():
            if axes == (self.rows,):
                columns[variable] = self[name]
            elif axes == (self.rows, "column"):
                columns |= dict(zip(self.attributes(name)["columns"].split(), self[name].T))
            elif axes == (self.rows, "probe_s"):
                columns |= {f"u({s:g})": u for s, u in zip(self["probe/s"], self[name].T)}
        frame = pd.DataFrame(columns)
        counts = [name for name in frame if name in COUNTS or name.startswith("mark_")]
        frame = frame.astype({name: int for name in counts if (frame[name] % 1 == 0).all()})
        return frame.set_index(self.rows) if self.rows in columns else frame

    def to_xarray(self):
        """All numbers with their axes, an xarray.Dataset; configuration and provenance are its attributes."""
        try:
            import xarray as xr
        except ImportError:
            raise MasingError("to_xarray() needs xarray: install it, such as Debian's python3-xarray") from None
        variables = {variable: (axes, self[name], self.attributes(name))
                     for variable, (axes, name) in self._variables().items()}
        if "state" in variables:
            variables["column"] = ("column",), self.attributes("state/values")["columns"].split(), {}
        made = {key: value for key, value in self.provenance.items() if key != "rows"}  # for restarts alone
        data = xr.Dataset(variables, attrs={"title": self.title, "configuration": self.configuration or "", **made})
        return data.set_coords([name for name in variables if name in data.dims])

    def to_netcdf(self, path):
        """Write to_xarray() as a netCDF file, by the best library xarray finds; xarray.open_dataset(path) equals it."""
        data = self.to_xarray()
        try:
            data.to_netcdf(path)
        except (OSError, TypeError, ValueError) as error:
            raise MasingError(f"to_netcdf({shown(path)}): {getattr(error, 'strerror', None) or error}") from None

    def _variables(self):
        """{variable: (axes, dataset)} of the arrays but of timing."""
        found = {NAMES.get(name, name.rpartition("/")[2]): (axes, name) for name, axes in self._axes.items()
                 if not name.startswith("timing/")}
        if "state_t" in found and "series/t" in self and np.array_equal(self["state/t"], self["series/t"]):
            del found["state_t"]
            found["state"] = ("t", "column"), "state/values"
        return found


class Run(Result):
    """One trajectory: samples t, x, y, force, restoring, the field u(t, s), and whatever else the file holds.

    `cells` (P, 0 for ∞, None without cells) and `steps` (N) are those of the samples. Of a study it is its last level.
    """

    kinds, required = ("simulate", "converge"), ("series/t", "series/x", "series/restoring")

    t = _dataset("series/t", "Times of the samples [samples]")
    x = _dataset("series/x", "Position x(t) [samples]")
    y = _dataset("series/y", "Velocity x'(t) [samples]")
    force = _dataset("series/force", "External force F(t) [samples]")
    restoring = _dataset("series/restoring", "Restoring force, the ordinate of a cycle [samples]")
    field_t = _dataset("field/t", "Times of the fields [times]")
    s = _dataset("field/s", "Places of the cells [places]")
    eta = _dataset("field/eta", "Yield displacements η(s) [places]")
    k = _dataset("field/k", "Stiffness densities k(s) [places]")
    last_u = property(lambda self: self["field/u"][-1], doc="Elongations at the last time of the fields [places]")
    cells = property(lambda self: self.attributes("series").get("cells"), doc="P, 0 for ∞, None without cells.")
    steps = property(lambda self: self.attributes("series").get("steps"), doc="N, None without samples.")

    @property
    def u(self):
        """Elongations u(t, s) [times, places]; warns where there is one time only."""
        if len(self["field/u"]) == 1:
            often = max(1, int(self.steps or 0) // 100)
            warnings.warn(f"u is known at t = {self.field_t[0]:g} alone, and is last_u; field_every={often} keeps it "
                          f"every {f'{often} steps' if often > 1 else 'step'}", stacklevel=2)
        return self["field/u"]

    has_samples = property(lambda self: all(name in self for name in Run.required),
                           doc="Whether there are samples; a study may have none.")
    has_field = property(lambda self: min(self._shapes.get("field/u", (0,))) > 1 and "field/eta" in self,
                         doc="Whether there are fields at more than one time and place.")
    has_energy = property(lambda self: "energy/residual" in self, doc="Whether there is an energy balance.")

    @property
    def state(self):
        """The columns of the model's state by name where it comes with every sample; else {}."""
        if "state/values" not in self or "state/t" in self and len(self["state/t"]) != len(self.t):
            return {}
        return dict(zip(self.attributes("state/values")["columns"].split(), self["state/values"].T))

    @property
    def columns(self):
        """The samples by name, those of the state among them."""
        names = [name for name in ("t", "x", "y", "force", "restoring") if f"series/{name}" in self]
        return self.state | {name: self[f"series/{name}"] for name in names}

    def in_window(self, start=None, end=None):
        """The finite samples (t, x, restoring) in start <= t <= end; raises MasingError when there are none."""
        keep = drawable(self.x, self.restoring) & between(self.t, start, end)
        if not keep.any():
            extent = f"its samples are in {self.t.min():g} <= t <= {self.t.max():g}" if len(self.t) else "it has none"
            raise MasingError(f"{self._name}: no finite sample in the window; {extent}")
        return self.t[keep], self.x[keep], self.restoring[keep]

    def __repr__(self):
        return f"<masing.Run {self.title}, {len(self.t)} samples, {self.t[0]:g} <= t <= {self.t[-1]:g}>"

    def table(self):
        """Least and most of every column of the samples: a pandas.DataFrame, one row a column."""
        return self.to_dataframe().agg(["min", "max"]).T.rename(columns={"min": "least", "max": "most"})

    def plot_cycle(self, start=None, end=None, axes=None, *, from_=None, to=None, **line):
        """Draw the restoring force over x, start <= t <= end, into the matplotlib Axes, by default new ones. `line`
        goes to Axes.plot; from_ and to, as of cycle_numbers(), are start and end. Returns the Axes; masing.show() opens
        their window, axes.figure.savefig("cycle.png") writes them."""
        for name, time in (("start", start), ("end", end), ("from_", from_), ("to", to)):
            if not isinstance(time, Real | None):
                raise MasingError(f"plot_cycle({name}={time!r}): give a time")
        axes = _axes(axes, self.title)
        _, x, restoring = self.in_window(from_ if start is None else start, to if end is None else end)
        _draw(axes, x, restoring, {"label": self.title, **line})
        axes.set(xlabel=self.attributes("series/x")["label"], ylabel=motion(self).labels["restoring"])
        return axes


def _axes(given, title):
    """The matplotlib Axes that are given, by default new ones."""
    if given is not None:
        if not hasattr(given, "plot"):
            raise MasingError(f"axes={shown(given)}: give Axes of matplotlib")
        return given
    require("matplotlib")
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").add_subplot(title=title)


def _draw(axes, x, y, line):
    """Axes.plot with the keywords `line`; raises MasingError with what it says of these."""
    try:
        axes.plot(x, y, **line)
    except (AttributeError, TypeError, ValueError) as error:
        raise MasingError(f"Axes.plot with {shown(line)}: {error}") from None


def show():
    """Show the windows of all plots until they are closed; warns where there can be none."""
    require("matplotlib")
    import matplotlib.pyplot as plt

    if plt.get_backend().lower() in ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template"):
        warnings.warn("no window on this machine: write the picture, axes.figure.savefig(\"cycle.png\")", stacklevel=2)
    else:
        plt.show()


class Joint(namedtuple("Joint", "space space_uncertainty time time_uncertainty power cancels least_ratio "
                                "largest_ratio", defaults=[math.nan, math.nan])):
    """error ≈ C₁ δsᵖ + C₂ δtᵖ, p given, with the half-widths of the constants' 95 % confidence intervals, and the least
    and the largest δs/δt of the levels, beyond which other constants hold.

    `cancels`: whether the errors in space and in time have opposite signs, both constants being significant.
    """

    def at(self, ds, dt):
        """|C₁ δsᵖ + C₂ δtᵖ|, of the shape of δs and δt."""
        return np.abs(self.space * ds ** self.power + self.time * dt ** self.power)

    @property
    def formula(self):
        """The fit in letters: C₁ δs + C₂ δt, with its power where it is not one."""
        power = "" if self.power == 1 else superscript(f"{self.power:g}")
        return f"C₁ δs{power} + C₂ δt{power}"


def _of_quantities(kind, what):
    def values(self):
        return {q: self[f"cases/{kind}_{q}"] for q in self.quantities}
    return property(values, doc=f"{what} [levels] by each of the study's quantities.")


class Study(Run):
    """A refinement study: errors and orders of its levels, the program's verdict, and any samples of its last level."""

    rows, kinds = "level", ("converge",)
    required = tuple(f"cases/{name}" for name in ("cells", "steps", "ds", "dt", "step", "error_x"))

    levels = property(lambda self: len(self.level_cells), doc="The number of levels.")
    level_cells = _dataset("cases/cells", "P, 0 for ∞ [levels]")
    level_steps = _dataset("cases/steps", "N [levels]")
    ds = _dataset("cases/ds", "δs [levels]")
    dt = _dataset("cases/dt", "δt [levels]")
    step = _dataset("cases/step", "The refined step, δt, δs or δs + δt [levels]")
    seconds = _dataset("timing/cases", "Wall times [levels]")
    cell_updates = _dataset("timing/cell_updates", "P·N, NaN where the engine does not go through the cells [levels]")
    steps_per_second = _dataset("timing/steps_per_second", "Rates [levels]")
    cell_updates_per_second = _dataset("timing/cell_updates_per_second", "Rates [levels]")
    fit = property(lambda self: self.attributes("fit"), doc="What the program concluded: the attributes of /fit.")
    refine = property(lambda self: self.fit["refine"], doc="What is refined: steps, cells or both.")
    reference = property(lambda self: self.fit["reference"], doc="What the levels are compared with, as --reference.")
    quantities = property(lambda self: self.fit["quantities"].split(), doc="The quantities that the study measures.")
    verdict = property(lambda self: self.fit["verdict"], doc="The program's verdict, such as `as expected`.")
    errors = _of_quantities("error", "The errors")
    orders = _of_quantities("order", "The orders from the level before")
    marks = _of_quantities("mark", "A Mark")
    order_steps = _of_quantities("step", "The step to which the orders refer")
    fitted_errors = _of_quantities("fitted_error", "What the fit predicts, NaN without one")

    def __init__(self, path):
        super().__init__(path)
        if not self.levels:
            raise MasingError(f"{self._name}: the columns of /cases must have at least one level")
        if self.fit.get("refine") not in ("steps", "cells", "both"):
            raise MasingError(f"{self._name}: /fit does not say what was refined; give a study written by masing converge")

    def number(self, name):
        """The attribute `name` of /fit as a number; NaN where there is none."""
        value = self.fit.get(name)
        return float(value) if isinstance(value, (int, float)) else math.nan

    def joint(self, quantity):
        """The Joint fit of a quantity's errors, or None where the levels could not determine it."""
        names = ("space_constant", "space_constant_uncertainty", "time_constant", "time_constant_uncertainty",
                 "joint_power", "cancels", "least_ratio", "largest_ratio")
        found = Joint(*(self.number(f"{name}_{quantity}") for name in names))
        return found if math.isfinite(found.space + found.time) else None

    def order(self, quantity="x"):
        """The observed order of a quantity and half its interval, NaN where there is none."""
        if f"observed_{quantity}" not in self.fit:
            raise MasingError(f"order({quantity!r}): the study measures {', '.join(self.quantities)}")
        return self.number(f"observed_{quantity}"), self.number(f"order_uncertainty_{quantity}")

    @property
    def claim(self):
        """The claim in one sentence: the expected order and the observed ones."""
        return sentence(self)

    def __repr__(self):
        return f"<masing.Study {self.claim} Verdict: {self.verdict}.>"

    def table(self):
        """The levels: sizes, errors, orders and marks, a pandas.DataFrame of one row a level."""
        return loaded("masing.convergence.levels").levels_table(self)

    def plot_errors(self):
        """The errors over the refined step with the fitted lines, a matplotlib Figure."""
        require("matplotlib")
        # pyplot lets notebooks show figures.
        import matplotlib.pyplot  # noqa: F401

        from masing import style
        from masing.convergence.figures import study_figure

        with style.applied():
            figure = study_figure(self, self.quantities)
            figure.draw_without_rendering()
            return figure

    def _repr_html_(self):
        from masing import style, tables

        with style.applied():
            picture = style.data_uri(style.encoded(self.plot_errors(), "svg"))
        table = self.table()
        shown = {name: order if name.startswith("order") else scientific for name in table.select_dtypes(float)}
        return (f"<p><b>{self.claim}</b> Verdict: <strong>{self.verdict}</strong>.</p>"
                + "".join(f"<p>{escape(negatives(line))}</p>" for line in self.fit["remarks"].splitlines())
                + tables.html(table, shown)
                + f'<img src="{picture}" alt="Errors over the refined step." width="420">')


class Scan(Result):
    """A scan: one row a point; of a grid the last of `names` varies fastest. `messages`: a line for each failed point."""

    rows, kinds = "point", ("scan",)

    kind = _attribute("points", "kind", "What the points are: runs, steady, closed curves.")
    past = _attribute("points", "past", "What cells that do not yield keep.")
    names = _attribute("points", "axes", "The names of the parameters.", lambda text: text.replace(",", " ").split())
    done = property(lambda self: self["points/status"] == 0, doc="Which points are done [points].")
    axes = property(lambda self: {name: self.values(name) for name in self.names}, doc="The parameters by name.")

    @property
    def points(self):
        """{name: array [points]}: the parameters and what was found at each."""
        return {variable: self[name] for variable, (axes, name) in self._variables().items()
                if axes == ("point",) and variable != "point"}

    @property
    def cycles(self):
        """(x, restoring) of the runs that the file keeps, in the order of the points."""
        runs = sorted({name.split("/")[1] for name in self._shapes if name.startswith("runs/")})
        return [(self[f"runs/{run}/x"], self[f"runs/{run}/restoring"]) for run in runs]

    def values(self, name):
        """A parameter or a number of each point [points]."""
        return self[f"points/{name}"]

    def abscissa(self):
        """The name of the axis that has the most values; of several the last, which varies fastest."""
        return max(self.names, key=lambda name: (len(set(self.axes[name])), self.names.index(name)))

    def families(self, abscissa):
        """The points that differ in `abscissa` alone: [({other axis: value}, indices [m] in the order of the file)]."""
        if abscissa not in self.names:
            raise MasingError(f"families({shown(abscissa)}): the scan is over {listed(self.names)}")
        others = [name for name in self.names if name != abscissa]
        keys = list(zip(*(self.axes[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]

    def __repr__(self):
        return f"<masing.Scan {len(self.to_dataframe())} points over {listed(self.names)}>"

    def table(self):
        """The points, a pandas.DataFrame of one row a point."""
        return self.to_dataframe()

    def to_xarray(self):
        """As for a Run; where the points are a grid, the parameters are its axes."""
        data, places = super().to_xarray(), self.to_dataframe()[self.names]
        # An axis may have a value more than once.
        is_grid = places.nunique().prod() == len(places) and not places.duplicated().any()
        if not is_grid:
            return data
        if len(self.names) == 1:
            return data.swap_dims(point=self.names[0]).set_coords(self.names)
        return data.drop_vars("point", errors="ignore").set_index(point=self.names).unstack("point")

    def plot(self, quantity="amplitude", axes=None, **line):
        """Draw a quantity over the first parameter into the matplotlib Axes, by default new ones; one line for each
        value of the others. `line` goes to Axes.plot. Returns the Axes."""
        axes = _axes(axes, self.title)
        first = self.names[0]
        for others, indices in self.families(first):
            label = ", ".join(f"{name} = {value:g}" for name, value in others.items())
            _draw(axes, self.values(first)[indices], self[quantity][indices], {"label": label, **line})
        axes.set(xlabel=first, ylabel=quantity)
        if len(self.names) > 1:
            axes.legend()
        return axes

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()


CLASSES = {"simulate": Run, "converge": Study, "scan": Scan}


def parse_configuration(text):
    """The lines `key = value` of an .ini as {key: value}; keys of a [section] get the prefix `section.`. A number
    given as an expression has its value behind it, as a comment: `final-time = 60*T  # 471.2`."""
    settings, prefix = {}, ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            prefix = line[1:-1] + "."
        elif "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            given, _, value = value.partition("# ")
            settings[prefix + key.strip()] = (value if math.isfinite(number(value)) else given).strip()
    return settings


def leading_comment(text):
    """The words of the comment at the start of an .ini, without the lines that the program and the gallery read."""
    words = [line for line in comment_lines(text) if not line.startswith(("draw:", "group:", "masing "))]
    return " ".join(words)


def comment_lines(text):
    """The lines of the comment at the start of an .ini."""
    lines = text.splitlines()
    end = next((n for n, line in enumerate(lines) if not line.startswith(("#", ";"))), len(lines))
    return [line.lstrip("#; ").rstrip() for line in lines[:end]]
