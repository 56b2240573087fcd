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
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from textwrap import fill

import h5py
import numpy as np
import pandas as pd

from masing import ensembles, hdf5
from masing.convergence.claim import sentence
from masing.convergence.levels import levels_table
from masing.errors import MasingError, NameMissing, quoted
from masing.text import listed, motion, number, superscript

# The groups of a file that are no part of its arrays by name, and those of a study that are not of its finest level.
NOT_DATA = ("provenance", "fit", "timing", "samples", "runs")
OF_LEVELS = ("cases", "fit", "timing")
# Columns of whole numbers, which result files store as doubles.
COUNTS = ("cells", "elements", "level", "period_multiple", "point", "sample", "status", "steps")
# The keys of a configuration that only a study has.
OF_STUDY = ("refine", "levels", "reference", "expect-order", "order-tolerance", "field-samples")
# Attributes that the report and the scripts read, and that dir() does not show.
INTERNAL = ("attributes", "comment", "engine", "has_cells", "has_energy", "has_field", "in_window", "is_chain",
            "joint", "made_by", "method", "model", "number", "problem")
# The name of max |x| at each point of a scan, which is not in the file.
PEAK = "peak_x"
# Numbers of this size or more are not drawn. They occur when a run becomes unstable.
HUGE = 1e100
# What a result is made of; a Run of the finest level of a study has the same.
PARTS = ("_path", "_image", "_head", "_numbers", "_folder")


def read(path):
    """Return the Run, Study or Scan in a file; raises MasingError if it cannot be read as one of these."""
    with hdf5.opened(Path(path)) as file:
        kind = hdf5.kind(file, *CLASSES)
    return CLASSES[kind](path)


def in_memory(command, image):
    """Return the result of a command of masing whose file exists only in memory, as the bytes `image`."""
    return _made(CLASSES[command], None, image, None, {}, None)


def _made(kind, *parts):
    result = object.__new__(kind)
    result.__dict__ |= zip(PARTS, parts)
    return result


def between(t, start=None, end=None):
    """Return for each of the times t whether start <= t <= end; None is no limit."""
    return (t >= (-np.inf if start is None else start)) & (t <= (np.inf if end is None else end))


def drawable(*columns):
    """Return for each row whether the numbers of all columns are finite and below HUGE in size, as booleans [rows]."""
    return np.all([np.abs(column) < HUGE for column in columns], axis=0)


class Folder:
    """A temporary folder, which this process, but no fork of it, deletes when no result refers to it any more."""

    def __init__(self, path):
        weakref.finalize(self, self._remove, path, os.getpid())

    @staticmethod
    def _remove(path, process):
        if os.getpid() == process:
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _writing(path):
    """Raise MasingError if the file at `path` cannot be written in this context."""
    try:
        yield
    except (OSError, TypeError, ValueError) as error:
        raise MasingError(f"{quoted(path)}: cannot be written: {getattr(error, 'strerror', None) or error}") from None


def _attribute(name, key, what, kind=str):
    def value(self):
        if key not in self.attributes(name):
            raise NameMissing(f"{self._name}: /{name.strip('/')} has no attribute {key}; make the file again")
        return kind(self.attributes(name)[key])
    return property(value, doc=what)


class Result(Mapping):
    """A mapping of names to the arrays of a result file, and what the file says of itself.

    An array is also an attribute: result.x is result["x"].
    """

    # The axis of the rows of to_dataframe() and the groups of its columns, and the commands whose files are read.
    _rows, _of_rows, _kinds = "t", ("series/", "energy/"), ()
    # The command line of a run that was computed only for a page.
    made_by = None
    # Results are compared by identity, and not by their arrays.
    __eq__, __hash__ = object.__eq__, object.__hash__

    title = _attribute("/", "title", "What was run, such as `P = 400, N = 60000`.")
    problem = _attribute("configuration", "problem", "A text that is the same for files of the same problem.")
    has_cells = _attribute("/", "has_cells", "Whether the model has cells.", bool)
    provenance = property(lambda self: self.attributes("provenance"), doc="Versions, ranks, host and more, by name.")
    model = property(lambda self: self.settings.get("model", ""), doc="The name of the model.")
    is_chain = property(lambda self: self.model == "masing-chain", doc="Whether the model is a chain of slabs.")
    method = property(lambda self: (self.settings.get("scheme"), self.settings.get("rule")),
                      doc="The pair (scheme in t, rule in s), with None for what the model lacks.")
    engine = property(lambda self: self.settings.get("engine"), doc="The engine; None if the model has only one.")

    def __init__(self, path):
        self.__dict__ |= zip(PARTS, (Path(path).absolute(), None, None, {}, None))
        with self._opened():
            self._head = hdf5.head(self._path)
        # These are read now, so that a result is shown even if the file is replaced or deleted later.
        self.attributes("/"), self.configuration, self._paths

    def _opened(self):
        if self._image:
            return h5py.File(h5py.h5f.open_file_image(self._image, 2 | 4))  # HDF5 neither copies nor frees the image
        return hdf5.opened(self._path, self._head)

    @cached_property
    def configuration(self):
        """The text of the .ini file with the values of all options, including those that were not given."""
        with self._opened() as file:
            return hdf5.text(file, "configuration") or ""

    @cached_property
    def settings(self):
        """The values of all options, as {key: text}."""
        return parse_configuration(self.configuration)

    @property
    def comment(self):
        """The comment at the beginning of the case file as one line."""
        lines = itertools.takewhile(lambda line: line.startswith(("#", ";")), self.configuration.splitlines())
        words = (line.lstrip("#; ").rstrip() for line in lines)
        return " ".join(word for word in words if not word.startswith("masing "))

    @cached_property
    def _shapes(self):
        """The shapes of the datasets that have axes, by their paths."""
        shapes = {}

        def take(path, item):
            if shape := getattr(item, "shape", ()):
                shapes[path] = shape
                if not path.startswith("runs/") and (0 in shape or not hdf5.axes_agree(item)):
                    raise MasingError(f"{self._name}: /{path} is empty, or its axes have other lengths; give a file of "
                                      "masing that nothing has changed")
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
                paths.setdefault(hdf5.variable(group, *names), path)
        return paths

    @property
    def _command(self):
        return self.attributes("/")["kind"]

    @property
    def _name(self):
        """The name of the result in messages: the path of its file, or the function that returned it."""
        return f"what masing.{self._command}() gave" if self._image else str(self._path)

    @property
    def path(self):
        """The path of the file; a result in memory is written to a temporary file, which is deleted with the result."""
        if self._path is None:
            folder = tempfile.mkdtemp(prefix="masing-run-")
            self._folder, self._path = Folder(folder), Path(folder) / f"{self._command}.h5"
            self._path.write_bytes(self._image)
        return self._path

    def save(self, path):
        """Write the result file to `path`, replacing an existing file, and return the path."""
        content = self._content()
        with _writing(path):
            Path(path).write_bytes(content)
        return Path(path)

    def _content(self):
        with self._opened():
            return self._image or self._path.read_bytes()

    def __getstate__(self):
        # A copy or a pickle has the bytes of a temporary file, which may be deleted. The finest level is made again.
        kept = {name: value for name, value in self.__dict__.items() if name != "finest"} | {"_numbers": {}}
        is_temporary = self._image or self._folder
        return kept | ({"_path": None, "_image": self._content(), "_folder": None} if is_temporary else {})

    def __contains__(self, name):
        return name in self._paths or str(name).strip("/") in self._shapes

    def __iter__(self):
        return iter(self._paths)

    def __len__(self):
        return len(self._paths)

    def __getitem__(self, name):
        """Return an array of read-only doubles by its name, such as "u", or its path in the file, such as "field/u"."""
        path = str(name).strip("/")
        path = self._paths.get(path, path)
        if path not in self._numbers:
            if path not in self._shapes:
                raise NameMissing(f"{self._name}: has no dataset {path}; it has {', '.join(self) or 'none'}")
            with self._opened() as file:
                values = file[path][...].astype(float, copy=False)
            values.flags.writeable = False
            self._numbers[path] = values
        return self._numbers[path]

    def __getattr__(self, name):
        if name.startswith("_") or hasattr(type(self), name):
            return object.__getattribute__(self, name)  # raises the error of the property again
        return self[name]

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
        columns = {name: self[name] for name, path in self._paths.items()
                   if path.startswith(self._of_rows) and len(self._shapes[path]) == 1 and name != "multiplier"}
        if self._rows == "t" and self._shapes.get("state/values", [0])[0] == len(self.t):
            columns |= zip(self.attributes("state/values")["columns"].split(), self["state"].T)
        counts = [name for name in columns if name in COUNTS or name.startswith("mark_")]
        whole = {name: columns[name].astype(int) for name in counts if (columns[name] % 1 == 0).all()}
        return pd.DataFrame(columns | whole).set_index(self._rows)

    def to_xarray(self):
        """Return a new xarray.Dataset of all arrays with their axes, but for the timing and the single runs of a scan.

        The attributes of the Dataset are the title, the configuration and the provenance.
        """
        # The samples are the first group, so that the axis t has their labels.
        groups = dict.fromkeys(path.partition("/")[0] for path in self._paths.values())
        with self._opened():
            data = hdf5.datasets(io.BytesIO(self._image) if self._image else self._path, groups)
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
        data = self.to_xarray()
        with _writing(path):
            data.to_netcdf(Path(path), engine="h5netcdf")

    def _ipython_key_completions_(self):
        return list(self)

    def __dir__(self):
        names = {*super().__dir__(), *self}
        return sorted(name for name in names if not name.startswith("_") and name not in INTERNAL)

    def _headline(self):
        return self.title

    def __repr__(self):
        of_shape = {}
        for name, path in self._paths.items():
            of_shape.setdefault(self._shapes[path], []).append(name)
        arrays = [fill(", ".join(names), 110, initial_indent=f"    {' × '.join(map(str, shape)):<12}",
                       subsequent_indent=" " * 16) for shape, names in of_shape.items()]
        return "\n".join([f"<masing.{type(self).__name__}> {self._headline()}", "Arrays:", *arrays])


class Run(Result):
    """One trajectory, in a file of `masing simulate`, or the finest level in a file of `masing converge`.

    Attributes
    ----------
    t, x, y, force, restoring : numpy.ndarray [samples]
        The times, position, velocity, external force F(t) and restoring force, the ordinate of a cycle.
    field_t : numpy.ndarray [times]
        The times of the field u, of which there is one without `field_every`.
    s, eta, k : numpy.ndarray [places]
        The places of the field, with thresholds η(s) and stiffness densities k(s).
    u : numpy.ndarray [times, places]
        The elongations u(t, s).

    Examples
    --------
    >>> run = masing.simulate(cells=20, force="0.3*sin(t)", final_time=20, steps=2000)
    >>> float(run.x[0]), run.u.shape == (1, 20), "restoring" in run
    (0.0, True, True)
    >>> run.to_dataframe().index.name
    't'
    """

    _kinds = ("simulate", "converge")

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
        if self._command != "converge":
            return text
        settings, sizes = parse_configuration(text), self.attributes("series")
        settings |= {name: size for name, size in (("steps", sizes["steps"]), ("cells", sizes.get("cells") or "inf"),
                                                   ("model.n", sizes.get("elements"))) if name in settings and size}
        return "".join(f"{key} = {value}\n" for key, value in settings.items() if key not in OF_STUDY)

    @cached_property
    def _shapes(self):
        shapes = super()._shapes
        left_out = OF_LEVELS if self._command == "converge" else ()
        return {path: shape for path, shape in shapes.items() if path.partition("/")[0] not in left_out}

    @property
    def profile(self):
        """The greatest values of each node of a chain and of the element below it, as a new pandas.DataFrame."""
        columns = {path.partition("/")[2]: self[path] for path in self._shapes if path.startswith("profile/")}
        return pd.DataFrame(columns or self["profile"]).astype({"node": int}).set_index("node")

    @property
    def watch(self):
        """The motion of the watched nodes of a chain, with the force and the elongation of the element below each.

        The result is a new pandas.DataFrame with the index t, in which watch["force"][20] is the force of element 20.
        """
        nodes = self["watch/node"].astype(int)
        paths = [path for path, shape in self._shapes.items() if path.startswith("watch/") and len(shape) == 2]
        frames = {path.partition("/")[2]: pd.DataFrame(self[path], columns=nodes) for path in paths}
        return pd.concat(frames, axis=1, names=["quantity", "node"]).set_index(pd.Index(self["watch/t"], name="t"))

    def in_window(self, start=None, end=None):
        """Return the samples (t, x, restoring) with start <= t <= end; raises MasingError if there are none.

        A sample is left out if its x or its restoring force is NaN, infinite, or of a size of 1e100 or more.
        """
        keep = drawable(self.x, self.restoring) & between(self.t, start, end)
        if not keep.any():
            extent = f"its samples are in {self.t.min():g} <= t <= {self.t.max():g}" if len(self.t) else "it has none"
            raise MasingError(f"{self._name}: no finite sample in the window; {extent}")
        return self.t[keep], self.x[keep], self.restoring[keep]

    def plot(self, *, start=None, end=None, ax=None, **line):
        """Draw x over t, and return the Axes.

        Parameters
        ----------
        start, end : float, optional
            The window of time; by default all samples are drawn.
        ax : matplotlib.axes.Axes, optional
            The axes to draw into, by default new ones.
        **line
            Keywords of Axes.plot.
        """
        t, x, _ = self.in_window(start, end)
        return self._plot(ax, t, x, line, "time t", self.attributes("series/x")["label"])

    def plot_cycle(self, *, start=None, end=None, ax=None, **line):
        """Draw the restoring force over x; the arguments and the result are those of `plot`."""
        _, x, restoring = self.in_window(start, end)
        return self._plot(ax, x, restoring, line, self.attributes("series/x")["label"],
                          motion(self).ordinate)

    def _plot(self, ax, x, y, line, xlabel, ylabel):
        with _axes(ax, self.title) as ax:
            ax.plot(x, y, **{"label": self.title, **line})
            ax.set(xlabel=xlabel, ylabel=ylabel)
            return ax


@contextmanager
def _axes(ax, title):
    """Give the Axes to draw into, by default new ones with a title, in the style of masing's own figures."""
    from matplotlib import pyplot

    from masing import style

    with style.applied():
        yield ax or pyplot.figure().add_subplot(title=title)


def show():
    """Show the windows of all plots until the user closes them; issues a warning if windows cannot be shown."""
    from matplotlib import pyplot

    if pyplot.get_backend().lower() == "agg":
        warnings.warn("no window on this machine: write the picture, ax.figure.savefig(\"cycle.png\")", stacklevel=2)
    else:
        pyplot.show()


class Joint(namedtuple("Joint", "space time power cancels least_ratio largest_ratio")):
    """The fit |C₁ δsᵖ + C₂ δtᵖ| of errors, with C₁ `space`, C₂ `time` and p `power`, for a range of ratios δs/δt.

    `cancels` says whether C₁ and C₂ have opposite signs and both exceed their uncertainties.
    """

    @property
    def formula(self):
        """The formula of the fit as text, such as C₁ δs + C₂ δt or, if the exponent is not 1, C₁ δs² + C₂ δt²."""
        power = "" if self.power == 1 else superscript(f"{self.power:g}")
        return f"C₁ δs{power} + C₂ δt{power}"


class Study(Result):
    """A refinement study in a file of `masing converge`, with the orders and the verdict of the program.

    Its names are those of the arrays [levels] of /cases, and of the samples of the finest level.

    Examples
    --------
    >>> study = masing.converge(refine="cells", levels=[25, 50, 100, 200], reference="cells-inf", final_time=20,
    ...                         steps=20000)
    >>> study.verdict, list(study["cells"]), study.finest.steps
    ('as expected', [25.0, 50.0, 100.0, 200.0], 20000)
    """

    _rows, _of_rows, _kinds = "level", ("cases/",), ("converge",)

    fit = property(lambda self: self.attributes("fit"), doc="The conclusions of the program: the attributes of /fit.")
    refine = _attribute("fit", "refine", "What is refined: steps, cells, both or elements.")
    reference = _attribute("fit", "reference", "The option --reference of the study.")
    quantities = _attribute("fit", "quantities", "The quantities that the study measures.", str.split)
    verdict = _attribute("fit", "verdict", "The program's verdict, such as `as expected`.")
    errors = property(lambda self: {q: self[f"cases/error_{q}"] for q in self.quantities},
                      doc="{quantity: errors [levels]}.")
    orders = property(lambda self: {q: self[f"cases/order_{q}"] for q in self.quantities},
                      doc="{quantity: order between each level and the level before [levels]}.")
    claim = property(sentence, doc="The expected and the observed orders in one or several sentences.")
    levels = property(levels_table, doc="A new pandas.DataFrame of the levels: their sizes, errors, orders and marks.")

    @cached_property
    def finest(self):
        """The Run of the finest level; None if the file does not have its samples."""
        return _made(Run, *(self.__dict__[name] for name in PARTS)) if "series/x" in self else None

    def number(self, name):
        """Return the attribute `name` of /fit as a number; NaN if the attribute is missing or is not a number."""
        return number(self.fit.get(name))

    def joint(self, quantity):
        """Return the Joint fit of the errors of a quantity, or None if the file contains no such fit."""
        names = ("space_constant", "time_constant", "joint_power", "cancels", "least_ratio", "largest_ratio")
        found = Joint(*(self.number(f"{name}_{quantity}") for name in names))
        return found if math.isfinite(found.space + found.time) else None

    def order(self, quantity="x"):
        """Return the observed order of a quantity and half the width of its interval, as numbers or NaN."""
        if f"observed_{quantity}" not in self.fit:
            raise NameMissing(f"order({quantity!r}): the study measures {', '.join(self.quantities)}")
        return self.number(f"observed_{quantity}"), self.number(f"order_uncertainty_{quantity}")

    def plot_errors(self, ax=None):
        """Draw the errors over the refined step with the fitted lines into `ax` or new Axes, and return the Axes."""
        from masing.convergence.figures import study_figure

        with _axes(ax, "") as ax:
            study_figure(self, self.quantities, ax)
            return ax

    def _headline(self):
        return f"{self.claim} Verdict: {self.verdict}."

    def _repr_html_(self):
        return f"<p>{self._headline()}</p>{self.levels.to_html(index=False)}"


class Scan(Result):
    """A scan in a file of `masing scan`: arrays [points] of the parameters and of the numbers computed at each point.

    The last of the `parameters` varies fastest from point to point. `peak_x` is the largest size of x at each point.

    Examples
    --------
    >>> scan = masing.scan(over={"w": [0.5, 0.7], "f": [0.1, 0.2]}, force="f*sin(w*t)", cells=20, final_time=20,
    ...                    steps=2000)
    >>> scan.parameters, list(scan["f"]), scan["peak_x"].shape, scan.done.all()
    (['w', 'f'], [0.1, 0.2, 0.1, 0.2], (4,), True)
    """

    _rows, _of_rows, _kinds = "point", ("points/",), ("scan",)

    kind = _attribute("points", "kind", "What the points are: runs or steady.")
    parameters = _attribute("points", "axes", "The names of the parameters.",
                            lambda text: text.replace(",", " ").replace("-", "_").split())
    points = property(lambda self: self.to_dataframe(), doc="A new pandas.DataFrame of the points, as to_dataframe().")
    done = property(lambda self: self["status"] == 0, doc="Whether each point was computed, as a new array [points].")

    @cached_property
    def messages(self):
        """One line for each point whose computation failed."""
        with self._opened() as file:
            return (hdf5.text(file, "points/messages") or "").splitlines()

    @property
    def records(self):
        """The paths of the samples' records, a pandas.DataFrame over their numbers at the points, or None."""
        with self._opened() as file:
            text = hdf5.text(file, "samples/records")
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
        """Return the parameter with the most values, the last of several, other than the number of the sample."""
        names = [name for name in self.parameters if name != "sample"] or self.parameters
        return max(names, key=lambda name: (len(set(self[name])), names.index(name)))

    def families(self, abscissa):
        """Return the groups of points that differ only in the parameter `abscissa`.

        Each group is ({other parameter: value}, indices [m] of its points in the order of the file).
        """
        if abscissa not in self.parameters:
            raise NameMissing(f"{quoted(abscissa)} is no parameter; the scan is over {listed(self.parameters)}")
        others = [name for name in self.parameters if name != abscissa]
        keys = list(zip(*(self[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]

    def summary(self, of, by, quantiles=(0.16, 0.5, 0.84), where=None):
        """Return quantiles of a number over all points of each intensity, as a pandas.DataFrame.

        `value` counts points that failed as above all others and `if_below` as below all others. The 95 % interval
        from `lower` to `upper` covers both; it holds for every distribution of independent points.

        Parameters
        ----------
        of, by : str
            The names of the number, such as "peak_x", and of the intensity, such as a parameter.
        quantiles : sequence of float
            Parts of the points, between 0 and 1.
        where : dict, optional
            Values of other parameters that select points, such as {"k0": 0.1}.
        """
        return ensembles.quantiles(ensembles.points(self, of, by, where), by, quantiles)

    def exceedance(self, limit, by, of="peak_x", where=None):
        """Return the part of the points of each intensity whose `of` exceeds a limit, as a pandas.DataFrame.

        `probability` counts points that failed as exceeding and `if_below` as not exceeding. The 95 % interval of
        Clopper and Pearson for independent points covers both. The arguments are as in `summary`.
        """
        return ensembles.exceedances(ensembles.points(self, of, by, where), by, limit)

    def fragility(self, limit, by, cluster="sample", resamples=1000, seed=0, of="peak_x", where=None):
        """Return the Fragility of the points: the lognormal curve P(of > limit) of the greatest likelihood.

        Parameters
        ----------
        limit, by, of, where
            As in `exceedance`, where points that failed count in the same way.
        cluster : str or None
            The column whose values tell groups of dependent points apart, by default all points of a record; None if
            each point is independent of the others.
        resamples, seed : int
            The number of resamples of the clusters for the 95 % intervals, and the seed of the generator.
        """
        table = ensembles.points(self, of, by, where, cluster)
        return ensembles.Fragility(table, by, limit, of, resamples, seed)

    def to_xarray(self):
        """Return a new xarray.Dataset of all arrays with their axes and attributes.

        If the points form a grid, the parameters are axes of the Dataset. Otherwise the axis `point` counts the points.
        """
        data = super().to_xarray().drop_vars("messages", errors="ignore")
        data = data.assign({PEAK: ("point", self[PEAK].copy())}) if PEAK in self else data
        places = pd.DataFrame({name: self[name] for name in self.parameters})
        # The points form a grid if every combination of the values of the parameters occurs exactly once.
        if places.nunique().prod() != len(places) or places.duplicated().any():
            return data
        if len(self.parameters) == 1:
            return data.swap_dims(point=self.parameters[0]).set_coords(self.parameters)
        return data.drop_vars("point", errors="ignore").set_index(point=self.parameters).unstack("point")

    def plot(self, quantity="amplitude", over=None, ax=None, **line):
        """Draw a number of the scan, such as "peak_x", over a parameter, by default the first, and return the Axes.

        Each combination of the other parameters' values has a line; `ax` and `line` are as in `Run.plot`.
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


def parse_configuration(text):
    """Return the lines `key = value` of an .ini file as {key: value}; keys of a [section] get the prefix `section.`.

    The value of an expression whose number follows, such as `final-time = 60*T  # 471.2`, is this number.
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
