"""The results of the program, read from their files: the classes Run, Study and Scan.

The numbers of a file are read when they are first used.
"""

import io
import itertools
import math
import os
import shutil
import tempfile
import warnings
import weakref
from collections import namedtuple
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from functools import cached_property
from html import escape
from numbers import Real
from os import PathLike
from pathlib import Path
from textwrap import fill

import h5py
import numpy as np
import pandas as pd

from masing import ensembles, hdf5
from masing.convergence.claim import STEPS, remarks, sentence
from masing.convergence.levels import levels_table
from masing.errors import MasingError, NameMissing, UsageError, quoted, require
from masing.samples import between, drawable
from masing.text import SYMBOLS, listed, motion, number, order, scientific, short_value, superscript

# The groups of a file that are no part of its arrays by name.
NOT_DATA = ("provenance", "fit", "timing", "samples", "runs")
# The groups of a file that are only written with a certain option: {group: (option, example of the option in Python)}.
OPTIONS = {"energy": ("energy", "energy=True"), "runs": ("keep", 'keep="series"'), "watch": ("watch", "watch=[1, 20]")}
# Columns of whole numbers, which result files store as doubles.
COUNTS = ("cells", "elements", "level", "period_multiple", "point", "sample", "status", "steps")
# The keys of a configuration that only a study has, and the groups of its file that are not of its finest level.
OF_STUDY = ("refine", "levels", "reference", "expect-order", "order-tolerance", "field-samples")
LEVELS = ("cases", "fit", "timing")
# Attributes that the report and the scripts read, and that dir() does not show.
INTERNAL = ("attributes", "cell_updates", "comment", "engine", "fitted_errors", "has_cells", "has_energy", "has_field",
            "in_window", "is_chain", "is_papers_problem", "kind_in_words", "level_cells", "level_elements",
            "level_steps", "made_by", "method", "model", "number", "order_steps", "problem")
# The name of max |x| at each point of a scan, which is not in the file.
PEAK = "peak_x"


def read(path):
    """Return the Run, Study or Scan in a file; raises MasingError if it cannot be read as one of these."""
    with hdf5.opened(Path(path)) as file:
        kind = hdf5.kind(file, *CLASSES)
    return CLASSES[kind](path)


def in_memory(command, image):
    """Return the result of a command of masing whose file exists only in memory, as the bytes `image`."""
    result = object.__new__(CLASSES[command])
    result.__dict__ |= {"_path": None, "_image": image, "_numbers": {}, "_head": None}
    return result


def variable(group, name):
    """Return the name by which a result has a dataset of a group of its file: `name`, or one that is not ambiguous."""
    if group == "watch" or group in ("field", "state", "profile") and name in ("t", "x", "y", "node", "dissipated"):
        return f"{group}_{name}"
    return "state" if (group, name) == ("state", "values") else name


class Folder:
    """A temporary folder that is deleted when no result refers to it any more.

    Only the process that created the object deletes the folder, not a fork of this process.
    """

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
            raise NameMissing(f"{self._name}: /{name.strip('/')} has no attribute {key}; make the file again")
        return kind(self.attributes(name)[key])
    return property(value, doc=what)


class Result(Mapping):
    """A mapping of names to the arrays of a result file, and what the file says of itself.

    Parameters
    ----------
    path : str or PathLike
        A file that the program wrote.

    Raises
    ------
    MasingError
        If the file is missing, damaged or of another kind.
    """

    # The axis of the rows of to_dataframe(), the commands whose files this class reads, the datasets that a file must
    # have, and the Folder of the file if that is temporary.
    _rows, _kinds, _required, _folder = "t", (), (), None
    # The command line of a run that was computed only for a page.
    made_by = None
    # Results are compared by identity, and not by their arrays.
    __eq__, __hash__ = object.__eq__, object.__hash__

    title = _attribute("/", "title", "What was run, such as `P = 400, N = 60000`.")
    problem = _attribute("configuration", "problem", "A text that is the same for files of the same problem.")
    is_papers_problem = _attribute("configuration", "papers_problem", "Whether the problem is the papers' one.", bool)
    has_cells = _attribute("/", "has_cells", "Whether the model has cells.", bool)
    provenance = property(lambda self: self.attributes("provenance"), doc="Versions, ranks, host and more, by name.")
    timing = property(lambda self: self.attributes("timing"), doc="Wall times and rates, by name.")
    model = property(lambda self: self.settings.get("model", ""), doc="The name of the model.")
    is_chain = property(lambda self: self.model == "masing-chain", doc="Whether the model is a chain of slabs.")
    method = property(lambda self: (self.settings.get("scheme"), self.settings.get("rule")),
                      doc="The pair (scheme in t, rule in s), with None for what the model lacks.")
    engine = property(lambda self: self.settings.get("engine"), doc="The engine; None if the model has only one.")

    def __init__(self, path):
        if not isinstance(path, str | PathLike):
            raise UsageError(f"{type(self).__name__}({quoted(path)}): give the path of a result file")
        self._path, self._image, self._numbers = Path(path).absolute(), None, {}
        self._head = hdf5.head(self._path)
        for name in self._required:
            self._require(name)
        # These are read now, so that a Run is shown even if the file is replaced or deleted later.
        self.attributes("/"), self.configuration, self._paths

    @cached_property
    def configuration(self):
        """The text of the .ini file with the values of all options, including those that were not given."""
        with self._opened() as file:
            return hdf5.scalar_text(file, "configuration") or ""

    @property
    def comment(self):
        """The comment at the beginning of the case file as one line, without its instructions for older galleries."""
        lines = itertools.takewhile(lambda line: line.startswith(("#", ";")), self.configuration.splitlines())
        words = (line.lstrip("#; ").rstrip() for line in lines)
        return " ".join(word for word in words if not word.startswith(("draw:", "group:", "masing ")))

    @cached_property
    def settings(self):
        """The values of all options, as {key: text}."""
        return parse_configuration(self.configuration)

    @cached_property
    def _file(self):
        # The file in memory; HDF5 neither copies nor frees the image.
        return h5py.File(h5py.h5f.open_file_image(self._image, 2 | 4))

    @cached_property
    def _shapes(self):
        """The shapes of the datasets that have axes, by their paths; raises MasingError for a wrong shape or file."""
        shapes = {}

        def take(path, item):
            if getattr(item, "shape", ()):
                shapes[path] = item.shape
                if not path.startswith("runs/") and not hdf5.axes_agree(item):
                    raise MasingError(f"{self._name}: /{path} has the shape {item.shape}, which its axes do not have; "
                                      "give a file written by masing")
        with self._opened() as file:
            hdf5.kind(file, *self._kinds)
            file.visititems(take)
        return shapes

    @cached_property
    def _paths(self):
        """The paths of the datasets in the file by their names, those of the samples first."""
        paths = {}
        for path in sorted(self._shapes, key=lambda path: not path.startswith("series/")):
            group, *names = path.split("/")
            if len(names) == 1 and group not in NOT_DATA:
                paths.setdefault(variable(group, *names), path)
        return paths

    @property
    def path(self):
        """The path of the file; a result in memory is written to a temporary file, which is deleted with the result.

        A pickle of a result has this path and the numbers read so far, one of a result in memory all numbers.
        """
        if self._path is None:
            folder = tempfile.mkdtemp(prefix="masing-run-")
            self._folder = Folder(folder)
            self._path = Path(folder) / f"{self._command}.h5"
            self._path.write_bytes(self._image)
        return self._path

    @property
    def _command(self):
        return self.attributes("/")["kind"]

    @property
    def _name(self):
        """The name of the result in messages: the path of its file, or the function that returned it."""
        return f"what masing.{self._command}() gave" if self._image else str(self._path)

    def save(self, path):
        """Write the result file to `path`, replacing an existing file, and return the path."""
        if not isinstance(path, str | PathLike):
            raise UsageError(f"save({quoted(path)}): give the path of a file")
        path, content = Path(path), self._content()
        try:
            path.write_bytes(content)
        except OSError as error:
            raise MasingError(f"save({str(path)!r}): {error.strerror}") from None
        return path

    def _content(self):
        """Return the bytes of the result file."""
        if self._image:
            return self._image
        with self._opened():
            return self._path.read_bytes()

    def __copy__(self):
        other = object.__new__(type(self))
        other.__dict__ |= self.__dict__
        return other

    def __getstate__(self):
        # A result in memory or in a temporary file is pickled with the bytes of the file, because a temporary file may
        # be deleted.
        state = {name: value for name, value in self.__dict__.items() if name not in ("_file", "_folder", "finest")}
        is_temporary = self._image or self._folder
        return state | ({"_path": None, "_image": self._content()} if is_temporary else {})

    def __setstate__(self, state):
        self.__dict__ |= state
        for values in self._numbers.values():
            values.flags.writeable = False

    def _opened(self):
        if self._image:
            return nullcontext(self._file)
        if hdf5.head(self._path) != self._head:
            raise MasingError(f"{self._path}: was written again after it was opened; open it again")
        return hdf5.opened(self._path)

    def _require(self, path):
        """Raise NameMissing if the file has no dataset with this path."""
        if path not in self._shapes:
            known = ", ".join(self) or "none"
            hint = "; what the model has is in result[\"state\"]" * (path == "field/u" and "state/values" in self)
            option, example = OPTIONS.get(group := path.partition("/")[0], ("", ""))
            if option in self.settings and not any(each.startswith(f"{group}/") for each in self._shapes):
                hint = f"; make it with {example}"
            raise NameMissing(f"{self._name}: has no dataset /{path}; it has {known}{hint}")

    def __contains__(self, name):
        return name in self._paths or str(name).strip("/") in self._shapes

    def __iter__(self):
        return iter(self._paths)

    def __len__(self):
        return len(self._paths)

    def __getitem__(self, name):
        """Return an array of read-only doubles by its name, such as "u", or its path in the file, such as "field/u"."""
        path = str(name).strip("/")
        path = path if "/" in path else self._paths.get(path, path)
        if path not in self._numbers:
            self._require(path)
            with self._opened() as file:
                values = hdf5.numbers(file, path)
            if values is None:
                raise MasingError(f"{self._name}: /{path} cannot be read as numbers; make the file again")
            self._numbers[path] = values
        return self._numbers[path]

    def attributes(self, path):
        """Return the attributes of a group or a dataset of the file as {name: text or number}; {} if there is none."""
        cache = self.__dict__.setdefault("_attributes", {})
        if path not in cache:
            with self._opened() as file:
                cache[path] = hdf5.attributes(file, path)
        return cache[path]

    def to_dataframe(self):
        """Return a new pandas.DataFrame of the arrays that have a value for each sample, each level or each point.

        The index is the time t of a Run, the level of a Study, and the number of the point of a Scan.
        """
        data = self._dataset()
        frame = data[[name for name in data.data_vars if data[name].dims == (self._rows,)]].to_dataframe()
        if "state" in data and data["state"].dims[0] == self._rows:
            frame = frame.assign(**data["state"].to_pandas())
        counts = [name for name in frame if name in COUNTS or name.startswith("mark_")]
        frame.index = frame.index.astype(int) if self._rows in COUNTS else frame.index
        return frame.astype({name: int for name in counts if (frame[name] % 1 == 0).all()})

    def to_xarray(self):
        """Return a new xarray.Dataset of all arrays with their axes and attributes.

        The timing and the single runs of a scan are left out. The attributes of the Dataset are the title, the
        configuration and the provenance.
        """
        return self._dataset()

    def _dataset(self):
        """Return the Dataset of the file, in which each axis is as in the file."""
        # The samples are the first group, so that the axis t has their labels.
        groups = dict.fromkeys(path.partition("/")[0] for path in self._paths.values())
        try:
            with self._opened():
                data = hdf5.datasets(io.BytesIO(self._image) if self._image else self._path, groups, variable)
        except (*hdf5.DAMAGE, *hdf5.OTHER_TYPE) as error:
            raise MasingError(f"{self._name}: cannot be read by xarray ({error}); make the file again") from None
        if "state" in data:
            state = data["state"]
            data["column"] = "column", state.attrs["columns"].split()
            if "t" in data and np.array_equal(data["state_t"], data["t"]):
                data["state"] = ("t", "column"), state.values, state.attrs
                data = data.drop_vars("state_t")
        origin = {key: value for key, value in self.provenance.items() if key != "rows"}  # only a restart needs `rows`
        data.attrs = {"title": self.title, "configuration": self.configuration, **origin}
        return data

    def to_netcdf(self, path):
        """Write the Dataset of to_xarray() to a netCDF file, which xarray.open_dataset(path) reads."""
        self.to_xarray().to_netcdf(path, engine="h5netcdf")

    def _ipython_key_completions_(self):
        return list(self)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.startswith("_") and name not in INTERNAL]

    def _headline(self):
        return self.title

    def __repr__(self):
        symbols = SYMBOLS | {key: key.removeprefix("model.") for key in self.settings if key.startswith("model.")}
        values = ", ".join(f"{symbol}={short_value(self.settings[key])}" for key, symbol in symbols.items()
                           if self.settings.get(key))
        of_shape = {}
        for name, path in self._paths.items():
            of_shape.setdefault(self._shapes[path], []).append(name)
        arrays = [fill(", ".join(names), 110, initial_indent=f"    {' × '.join(map(str, shape)):<12}",
                       subsequent_indent=" " * 16) for shape, names in of_shape.items()]
        return "\n".join([f"<masing.{type(self).__name__}> {self._headline()}", fill(values, 110), "Arrays:", *arrays])


class Run(Result):
    """One trajectory: a mapping of names to arrays, such as the samples t, x, y, force, restoring and the field u.

    Parameters
    ----------
    path : str or PathLike
        A file of `masing simulate`, or one of `masing converge`, of which the finest level is read.

    Examples
    --------
    >>> run = masing.simulate(cells=20, force="0.3*sin(t)", final_time=20, steps=2000)
    >>> float(run.x[0]), run.u.shape == (1, 20), "restoring" in run
    (0.0, True, True)
    >>> run.to_dataframe().index.name
    't'
    """

    _kinds, _required = ("simulate", "converge"), ("series/t", "series/x", "series/restoring")

    t = _dataset("series/t", "Times of the samples [samples]")
    x = _dataset("series/x", "Position x(t) [samples]")
    y = _dataset("series/y", "Velocity x'(t) [samples]")
    force = _dataset("series/force", "External force F(t) [samples]")
    restoring = _dataset("series/restoring", "Restoring force, the ordinate of a cycle [samples]")
    field_t = _dataset("field/t", "Times of the fields [times]")
    s = _dataset("field/s", "The places s at which u is stored [places]")
    eta = _dataset("field/eta", "Thresholds η(s) [places]")
    k = _dataset("field/k", "Stiffness densities k(s) [places]")
    last_u = property(lambda self: self["field/u"][-1], doc="Elongations at the last time of the fields [places]")
    cells = property(lambda self: self.attributes("series").get("cells"), doc="P; 0 for ∞, None without cells.")
    steps = property(lambda self: self.attributes("series").get("steps"), doc="N, the number of steps.")
    has_field = property(lambda self: min(self._shapes.get("field/u", (0,))) > 1 and "field/eta" in self,
                         doc="Whether η is stored, and u at several times and places.")
    has_energy = property(lambda self: "energy/residual" in self, doc="Whether there is an energy balance.")

    @cached_property
    def configuration(self):
        """The text of the .ini file with the values of all options, of a study those of its finest level."""
        text = super().configuration
        return _finest_configuration(text, self.attributes("series")) if self._command == "converge" else text

    @cached_property
    def _shapes(self):
        shapes = super()._shapes
        left_out = LEVELS if self._command == "converge" else ()
        return {path: shape for path, shape in shapes.items() if path.partition("/")[0] not in left_out}

    def save(self, path):
        """Write the result file to `path`, replacing an existing file, and return the path."""
        if self._command == "converge":
            raise UsageError("save(): the finest level of a study has no file of its own; save the study")
        return super().save(path)

    @property
    def u(self):
        """The elongations u(t, s) [times, places]; a warning is issued if the file has them at one time only."""
        if len(self["field/u"]) == 1:
            often = max(1, int(self.steps or 0) // 100)
            warnings.warn(f"u is known at t = {self.field_t[0]:g} alone, and is last_u; field_every={often} keeps it "
                          f"every {f'{often} steps' if often > 1 else 'step'}", stacklevel=2)
        return self["field/u"]

    @property
    def state(self):
        """The columns of the state of the model {name: array}; {} if the state is not stored for every sample."""
        if "state/values" not in self or "state/t" in self and len(self["state/t"]) != len(self.t):
            return {}
        return dict(zip(self.attributes("state/values")["columns"].split(), self["state/values"].T))

    @property
    def profile(self):
        """The greatest values of each node and element of a chain over all steps, as a new pandas.DataFrame.

        Its index is the node i, with the element i below it.
        """
        self._require("profile/max_x")
        columns = {path.partition("/")[2]: self[path] for path in self._shapes if path.startswith("profile/")}
        return pd.DataFrame(columns).astype({"node": int}).set_index("node")

    @property
    def watch(self):
        """The motion of the watched nodes of a chain, with the force and the elongation of the element below each.

        The result is a new pandas.DataFrame with the index t, in which watch["force"][20] is the force of element 20.
        """
        self._require("watch/x")
        nodes = self["watch/node"].astype(int)
        paths = [path for path, shape in self._shapes.items() if path.startswith("watch/") and len(shape) == 2]
        frames = {path.partition("/")[2]: pd.DataFrame(self[path], columns=nodes) for path in paths}
        return pd.concat(frames, axis=1, names=["quantity", "node"]).set_index(pd.Index(self["watch/t"], name="t"))

    def in_window(self, start=None, end=None):
        """Return the samples (t, x, restoring) with start <= t <= end; raises MasingError if there are none.

        A sample is left out if its x or its restoring force is NaN, infinite, or of a size of 1e100 or more.
        """
        for name, time in (("start", start), ("end", end)):
            if not isinstance(time, Real | None):
                raise UsageError(f"{name}={quoted(time)}: give a time")
        keep = drawable(self.x, self.restoring) & between(self.t, start, end)
        if not keep.any():
            extent = f"its samples are in {self.t.min():g} <= t <= {self.t.max():g}" if len(self.t) else "it has none"
            raise MasingError(f"{self._name}: no finite sample in the window; {extent}")
        return self.t[keep], self.x[keep], self.restoring[keep]

    def plot(self, *, start=None, end=None, ax=None, **line):
        """Draw x over t.

        Parameters
        ----------
        start, end : float, optional
            The window of time; by default all samples are drawn.
        ax : matplotlib.axes.Axes, optional
            The axes to draw into, by default new ones.
        **line
            Keywords of Axes.plot.

        Returns
        -------
        matplotlib.axes.Axes
        """
        t, x, _ = self.in_window(start, end)
        return self._plot(ax, t, x, line, "t", self.attributes("series/x")["label"])

    def plot_cycle(self, *, start=None, end=None, ax=None, **line):
        """Draw the restoring force over x; the arguments and the result are those of `plot`."""
        _, x, restoring = self.in_window(start, end)
        return self._plot(ax, x, restoring, line, "x", motion(self).ordinate)

    def _plot(self, ax, x, y, line, abscissa, ylabel):
        """Draw a curve over the dataset `abscissa` of the samples, label the axes, and return them."""
        with _axes(ax, self.title) as ax:
            ax.plot(x, y, **{"label": self.title, **line})
            ax.set(xlabel=self.attributes(f"series/{abscissa}")["label"], ylabel=ylabel)
            return ax


@contextmanager
def _axes(ax, title):
    """Give the Axes to draw into, by default new ones with a title, in the style of masing's own figures."""
    require("matplotlib")
    import matplotlib.pyplot as plt

    from masing import style

    with style.applied():
        yield ax or plt.figure().add_subplot(title=title)


def show():
    """Show the windows of all plots until the user closes them; issues a warning if windows cannot be shown."""
    require("matplotlib")
    import matplotlib.pyplot as plt

    if plt.get_backend().lower() in ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template"):
        warnings.warn("no window on this machine: write the picture, ax.figure.savefig(\"cycle.png\")", stacklevel=2)
    else:
        plt.show()


class Joint(namedtuple("Joint", "space time power cancels least_ratio largest_ratio")):
    """The formula error ≈ |C₁ δsᵖ + C₂ δtᵖ|, fitted to the errors of a study that refines both space and time.

    `space` is C₁, `time` is C₂, and `power` is the prescribed exponent p. The fit is valid only for ratios δs/δt from
    `least_ratio` to `largest_ratio`, the smallest and the largest ratio of the levels. `cancels` says whether C₁ and C₂
    have opposite signs and |C₁| and |C₂| both exceed their uncertainties.
    """

    @property
    def formula(self):
        """The formula of the fit as text, such as C₁ δs + C₂ δt or, if the exponent is not 1, C₁ δs² + C₂ δt²."""
        power = "" if self.power == 1 else superscript(f"{self.power:g}")
        return f"C₁ δs{power} + C₂ δt{power}"


def _of_quantities(kind, what):
    def values(self):
        return {q: self[f"cases/{kind}_{q}"] for q in self.quantities}
    return property(values, doc=f"{{quantity: {what} [levels]}}.")


class Study(Result):
    """A refinement study: a mapping of names to arrays [levels], with the orders and the verdict of the program.

    Parameters
    ----------
    path : str or PathLike
        A file of `masing converge`.

    Examples
    --------
    >>> study = masing.converge(refine="cells", levels=[25, 50, 100, 200], reference="cells-inf", final_time=20,
    ...                         steps=20000)
    >>> study.verdict, list(study["cells"]), study.finest.steps
    ('as expected', [25.0, 50.0, 100.0, 200.0], 20000)
    """

    _rows, _kinds = "level", ("converge",)
    _required = tuple(f"cases/{name}" for name in ("cells", "steps", "ds", "dt", "step", "error_x"))

    level_cells = _dataset("cases/cells", "P, 0 for ∞ [levels]")
    level_steps = _dataset("cases/steps", "N [levels]")
    level_elements = _dataset("cases/elements", "n, of a study that refines the elements of a chain [levels]")
    ds = _dataset("cases/ds", "δs [levels]")
    dt = _dataset("cases/dt", "δt [levels]")
    step = _dataset("cases/step", "The refined step, δt, δs or δs + δt [levels]")
    seconds = _dataset("timing/cases", "Wall times [levels]")
    cell_updates = _dataset("timing/cell_updates", "P·N, NaN where the engine does not go through the cells [levels]")
    fit = property(lambda self: self.attributes("fit"), doc="The conclusions of the program: the attributes of /fit.")
    refine = property(lambda self: self.fit["refine"], doc="What is refined: steps, cells, both or elements.")
    reference = property(lambda self: self.fit["reference"], doc="The option --reference of the study.")
    quantities = property(lambda self: self.fit["quantities"].split(), doc="The quantities that the study measures.")
    verdict = property(lambda self: self.fit["verdict"], doc="The program's verdict, such as `as expected`.")
    errors = _of_quantities("error", "errors")
    orders = _of_quantities("order", "order between each level and the level before")
    marks = _of_quantities("mark", "marks as numbers")
    order_steps = _of_quantities("step", "steps to which the orders refer")
    fitted_errors = _of_quantities("fitted_error", "errors that the fit predicts, NaN without a fit")

    def __init__(self, path):
        super().__init__(path)
        if not len(self.level_cells):
            raise MasingError(f"{self._name}: the columns of /cases must have at least one level")
        if self.fit.get("refine") not in STEPS:
            raise MasingError(f"{self._name}: /fit does not say what was refined; give a study of masing converge")

    @property
    def levels(self):
        """A new pandas.DataFrame with one row for each level: its sizes, errors, orders and marks."""
        return levels_table(self)

    @cached_property
    def finest(self):
        """The Run of the finest level; None if the file does not have its samples."""
        if not all(path in self._shapes for path in Run._required):
            return None
        run = object.__new__(Run)
        run.__dict__ |= {name: value for name, value in self.__dict__.items()
                         if not isinstance(getattr(type(self), name, None), cached_property)}
        return run

    def number(self, name):
        """Return the attribute `name` of /fit as a number; NaN if the attribute is missing or is not a number."""
        return number(self.fit.get(name))

    def joint(self, quantity):
        """Return the Joint fit of the errors of a quantity, or None if the file contains no such fit."""
        names = ("space_constant", "time_constant", "joint_power", "cancels", "least_ratio", "largest_ratio")
        found = Joint(*(self.number(f"{name}_{quantity}") for name in names))
        return found if math.isfinite(found.space + found.time) else None

    def order(self, quantity="x"):
        """Return the observed order of a quantity and half the width of its confidence interval.

        Parameters
        ----------
        quantity : str
            One of `quantities`.

        Returns
        -------
        order, half_width : float
            A number is NaN if the study did not determine it.
        """
        if f"observed_{quantity}" not in self.fit:
            raise NameMissing(f"order({quantity!r}): the study measures {', '.join(self.quantities)}")
        return self.number(f"observed_{quantity}"), self.number(f"order_uncertainty_{quantity}")

    @property
    def claim(self):
        """The claim of the study in one or several sentences, which state the expected and the observed orders."""
        return sentence(self)

    def plot_errors(self, ax=None):
        """Draw the errors over the refined step with the fitted lines into `ax` or a new figure; returns the Axes."""
        require("matplotlib")
        # Importing pyplot registers the display of figures in notebooks.
        import matplotlib.pyplot  # noqa: F401

        from masing import style
        from masing.convergence.figures import study_figure

        with style.applied():
            figure = study_figure(self, self.quantities, ax)
            if ax is None:
                figure.draw_without_rendering()
            return ax or figure.axes[0]

    def _headline(self):
        return f"{self.claim} Verdict: {self.verdict}."

    def _repr_html_(self):
        from masing import style

        with style.applied():
            picture = style.data_uri(style.encoded(self.plot_errors().figure, "svg"))
        table = self.levels
        shown = {name: order if name.startswith("order") else scientific for name in table.select_dtypes(float)}
        return (f"<p><b>{self.claim}</b> Verdict: <strong>{self.verdict}</strong>.</p>"
                + "".join(f"<p>{escape(line)}</p>" for line in remarks(self))
                + table.to_html(index=False, formatters=shown, na_rep="–")
                + f'<img src="{picture}" alt="Errors over the refined step." width="420">')


class Scan(Result):
    """A scan: a mapping of names to arrays [points], of the parameters and of the numbers computed at each point.

    The last of the `parameters` varies fastest from point to point. `peak_x` is the largest size of x at each point.

    Parameters
    ----------
    path : str or PathLike
        A file of `masing scan`.

    Examples
    --------
    >>> scan = masing.scan(over={"w": [0.5, 0.7], "f": [0.1, 0.2]}, force="f*sin(w*t)", cells=20, final_time=20,
    ...                    steps=2000)
    >>> scan.parameters, list(scan["f"]), scan["peak_x"].shape, scan.done.all()
    (['w', 'f'], [0.1, 0.2, 0.1, 0.2], (4,), True)
    """

    _rows, _kinds = "point", ("scan",)

    kind = _attribute("points", "kind", "What the points are: runs or steady.")
    kind_in_words = property(lambda self: {"steady": "limit cycles"}.get(self.kind, self.kind),
                             doc="What the points are, in words: runs or limit cycles.")
    parameters = _attribute("points", "axes", "The names of the parameters.",
                            lambda text: text.replace(",", " ").split())
    points = property(lambda self: self.to_dataframe(), doc="A new pandas.DataFrame of the points, as to_dataframe().")

    @property
    def done(self):
        """Whether each point was computed [points]."""
        done = self["points/status"] == 0
        done.flags.writeable = False
        return done

    @cached_property
    def messages(self):
        """One line for each point whose computation failed."""
        with self._opened() as file:
            return (hdf5.scalar_text(file, "points/messages") or "").splitlines()

    @property
    def records(self):
        """The records of the samples as a pandas.DataFrame with the path of each.

        Its index is the number that a column of records has at each point. It is None if the scan has no records.
        """
        with self._opened() as file:
            text = hdf5.scalar_text(file, "samples/records")
        return None if text is None else pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)

    @property
    def cycles(self):
        """The curves (x, restoring) of the runs that the file contains, in the order of the points."""
        runs = sorted({path.split("/")[1] for path in self._shapes if path.startswith("runs/")})
        return [(self[f"runs/{run}/x"], self[f"runs/{run}/restoring"]) for run in runs]

    @cached_property
    def _paths(self):
        paths = super()._paths
        return paths | {PEAK: "points/most_x"} if {"most_x", "least_x"} <= set(paths) else paths

    def __getitem__(self, name):
        if name != PEAK:
            return super().__getitem__(name)
        peak = np.maximum(self["most_x"], -self["least_x"])
        peak.flags.writeable = False
        return peak

    def abscissa(self):
        """Return the name of the parameter that has the largest number of different values, other than the samples.

        If several parameters have this number of values, the last of them is returned.
        """
        names = [name for name in self.parameters if name != "sample"] or self.parameters
        return max(names, key=lambda name: (len(set(self[name])), names.index(name)))

    def families(self, abscissa):
        """Return the groups of points that differ only in the parameter `abscissa`.

        Each group is ({other parameter: value}, indices [m] of its points in the order of the file). Raises MasingError
        if the scan has no such parameter.
        """
        if abscissa not in self.parameters:
            raise NameMissing(f"{quoted(abscissa)} is no parameter; the scan is over {listed(self.parameters)}")
        others = [name for name in self.parameters if name != abscissa]
        keys = list(zip(*(self[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]

    def summary(self, of, by, quantiles=(0.16, 0.5, 0.84), where=None):
        """Return quantiles of a number over all points of each intensity.

        Parameters
        ----------
        of : str
            A name of the scan, such as "peak_x".
        by : str
            The name of the intensity, such as a parameter.
        quantiles : sequence of float
            Parts of the points, between 0 and 1.
        where : dict, optional
            Values of other parameters that select points, such as {"k0": 0.1}.

        Returns
        -------
        pandas.DataFrame
            `value` counts points that failed as above all others and `if_below` as below all others. The 95 % interval
            from `lower` to `upper` covers both; it holds for every distribution of independent points.
        """
        return ensembles.quantiles(ensembles.points(self, of, by, where), by, quantiles)

    def exceedance(self, limit, by, of="peak_x", where=None):
        """Return the part of the points of each intensity whose `of` exceeds a limit.

        The arguments `by`, `of` and `where` are those of `summary`.

        Returns
        -------
        pandas.DataFrame
            `probability` counts points that failed as exceeding and `if_below` as not exceeding. The 95 % interval of
            Clopper and Pearson for independent points, from `lower` to `upper`, covers both.
        """
        return ensembles.exceedances(ensembles.points(self, of, by, where), by, limit)

    def fragility(self, limit, by, cluster="sample", resamples=1000, seed=0, of="peak_x", where=None):
        """Return the lognormal fragility curve P(of > limit) over the intensity, by the greatest likelihood.

        Parameters
        ----------
        limit, by, of, where
            As in `exceedance`, where points that failed count in the same way.
        cluster : str, sequence or None
            The column whose values tell groups of dependent points apart, by default all points of a record; or a label
            for each row of the table of samples; None if each point is independent of the others.
        resamples, seed : int
            The number of resamples of the clusters for the 95 % intervals, and the seed of the generator.

        Returns
        -------
        Fragility
        """
        table = ensembles.points(self, of, by, where, cluster)
        return ensembles.Fragility(table, by, limit, of, cluster, resamples, seed)

    def _dataset(self):
        data = super()._dataset().drop_vars("messages", errors="ignore")
        return data.assign({PEAK: ("point", self[PEAK].copy())}) if PEAK in self else data

    def to_xarray(self):
        """Return a new xarray.Dataset of all arrays with their axes and attributes.

        If the points form a grid, the parameters are axes of the Dataset. Otherwise the axis `point` counts the points.
        """
        data, places = self._dataset(), pd.DataFrame({name: self[name] for name in self.parameters})
        # The points form a grid if every combination of the values of the parameters occurs exactly once.
        if places.nunique().prod() != len(places) or places.duplicated().any():
            return data
        if len(self.parameters) == 1:
            return data.swap_dims(point=self.parameters[0]).set_coords(self.parameters)
        return data.drop_vars("point", errors="ignore").set_index(point=self.parameters).unstack("point")

    def plot(self, quantity="amplitude", over=None, ax=None, **line):
        """Draw a number over a parameter, with one line for each combination of the other parameters' values.

        Parameters
        ----------
        quantity : str
            A name of the scan, such as "amplitude" or "peak_x".
        over : str, optional
            The parameter of the abscissa, by default the first.
        ax, **line
            As in `Run.plot`.

        Returns
        -------
        matplotlib.axes.Axes
        """
        over = over or self.parameters[0]
        self.families(over), self[quantity]  # raises KeyError before an empty figure is made
        with _axes(ax, self.title) as ax:
            from masing import response

            response.curves(ax, self, over, quantity, **line)
            return ax

    def _headline(self):
        return f"{len(self.done)} points over {listed(self.parameters)}"

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()


CLASSES = {"simulate": Run, "converge": Study, "scan": Scan}


def _finest_configuration(text, sizes):
    """Return the configuration of the finest level of a study, whose text is given, with the sizes of this level."""
    known = {"steps": sizes.get("steps"), "cells": sizes.get("cells") or "inf", "model.n": sizes.get("elements")}
    lines, section = [], ""
    for line in text.splitlines():
        section = f"{line.strip(' []')}." if line.startswith("[") else section
        name = line.partition("=")[0].strip()
        if known.get(section + name) is not None:
            line = f"{name} = {known[section + name]}"
        if section + name not in OF_STUDY:
            lines.append(line.replace("# masing converge", "# masing simulate"))
    return "".join(f"{line}\n" for line in lines)


def parse_configuration(text):
    """Return the lines `key = value` of an .ini file as {key: value}; keys of a [section] get the prefix `section.`.

    If a value is an expression whose number follows as a comment, such as `final-time = 60*T  # 471.2`, the number is
    returned as the value.
    """
    settings, prefix = {}, ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            prefix = line[1:-1] + "."
        elif "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            given, _, value = value.partition("# ")
            settings[prefix + key.strip()] = (value if math.isfinite(number(value)) else given).strip()
    return settings
