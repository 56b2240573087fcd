"""Access to the result files of the program: the classes Run, Study and Scan.

The numbers of a file are read when they are first used.
"""

from collections import namedtuple
import io
import itertools
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
from masing.convergence.claim import STEPS, remarks, sentence
from masing.errors import MasingError, NameMissing, loaded, require, quoted
from masing.text import SYMBOLS, motion, short_value, listed, number, order, scientific, superscript
from masing.samples import between, drawable

# {path of a dataset in the file: name of its variable or axis}. The last part of these paths would be ambiguous, or say
# too little. All other datasets are named by the last part of their path.
NAMES = {name: name.replace("/", "_") for name in ("field/t", "state/t", "field/node", "field/x", "field/y",
                                                   "profile/node", "profile/dissipated")}
NAMES |= {f"watch/{name}": f"watch_{name}" for name in ("t", "node", "x", "y", "a", "elongation", "force")}
NAMES["state/values"] = "state"
# The groups of a file that are only written with a certain option: {group: (option, example of the option in Python)}.
OPTIONS = {"energy": ("energy", "energy=True"), "runs": ("keep", 'keep="series"'), "watch": ("watch", "watch=[1, 20]")}
# Columns of whole numbers, which result files store as doubles.
COUNTS = ("cells", "elements", "level", "period_multiple", "point", "sample", "status", "steps")


def read(path):
    """Return the Run, Study or Scan in a file; raises MasingError if it cannot be read as one of these."""
    with hdf5.opened(Path(path)) as file:
        kind = hdf5.kind(file, "simulate", "converge", "scan")
    return CLASSES[kind](path)


def in_memory(command, image):
    """Return the Run, Study or Scan of a result file that exists only in memory.

    `image` are the bytes of the file, and `command` is the command of masing that computed it.
    """
    result = object.__new__(CLASSES[command])
    result.__dict__ |= {"_path": None, "_image": image, "_numbers": {}}
    return result


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
            raise MasingError(f"{self._name}: /{name.strip('/')} has no attribute {key}; make the file again with masing")
        return kind(self.attributes(name)[key])
    return property(value, doc=what)


class Result:
    """A result file. `result["field/u"]` returns a dataset as an array, which is read from the file at the first
    access.

    `path` is the path of the file; for a result in memory it is the path of a temporary file. `configuration` is the
    text of the .ini file with the values of all options, including those that were not given, and `settings` are these
    values as {key: text}. `made_by` is the command line of a run that was computed only for a page; otherwise it is
    None.
    """

    # `rows` is the axis that becomes the rows of to_dataframe(). `kinds` are the commands that write files of this
    # class, and `required` are the datasets that such a file must contain.
    rows, kinds, required = "t", (), ()
    made_by = None
    # The Folder that contains the file if the file is temporary; otherwise None.
    folder = None

    title = _attribute("/", "title", "What was run, such as `P = 400, N = 60000`.")
    problem = _attribute("configuration", "problem", "A text; files of the same problem have the same one.")
    is_papers_problem = _attribute("configuration", "papers_problem",
                                   "Whether the problem is that of the papers.", bool)
    has_cells = _attribute("/", "has_cells", "Whether the model has cells.", bool)
    provenance = property(lambda self: self.attributes("provenance"), doc="The attributes of /provenance: versions, ranks, host.")
    timing = property(lambda self: self.attributes("timing"), doc="Wall times and rates, by name.")
    comment = property(lambda self: leading_comment(self.configuration or ""), doc="The comment at the beginning of the case file.")
    model = property(lambda self: self.settings.get("model", ""), doc="The name of the model.")
    is_chain = property(lambda self: self.model == "masing-chain", doc="Whether the model is a chain of slabs.")
    method = property(lambda self: (self.settings.get("scheme"), self.settings.get("rule")),
                      doc="The pair (scheme in t, rule in s), with None for what the model lacks.")
    engine = property(lambda self: self.settings.get("engine"), doc="The engine; None if the model has only one.")

    def __init__(self, path):
        """Read the configuration, the attributes and the shapes of the datasets, but not the numbers.

        Raises MasingError if the file is damaged or of another kind, or if it lacks one of the datasets in `required`.
        MasingError is also raised if the shape of a dataset differs from the lengths of its axes.
        """
        if not isinstance(path, str | PathLike):
            raise MasingError(f"{type(self).__name__}({quoted(path)}): give the path of a result file")
        self._path, self._image, self._numbers = Path(path), None, {}
        self._look()
        for name in self.required:
            self._require(name)

    def __getattr__(self, name):
        # These attributes of a result in memory are read when one of them is first used.
        if name in ("_shapes", "_axes", "_attributes", "configuration", "settings", "messages"):
            self._look()
            return self.__dict__[name]
        if name == "_file":
            self._file = h5py.h5f.open_file_image(self._image, 2 | 4)  # HDF5 neither copies nor frees the image
            return self._file
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def path(self):
        """The path of the file.

        For a result in memory this property writes a temporary file, which is deleted with the result.
        """
        if self._path is None:
            folder = tempfile.mkdtemp(prefix="masing-run-")
            self.folder = Folder(folder)
            self._path = Path(folder) / f"{self.kinds[0]}.h5"
            self._path.write_bytes(self._image)
        return self._path

    @property
    def _name(self):
        """The name of the result in messages: the path of its file, or the function that returned it."""
        return f"what masing.{self.kinds[0]}() gave" if self._image else str(self._path)

    def save(self, path):
        """Write the result file to `path`, as the option `output` would, and return the path.

        An existing file is replaced. Raises MasingError if the file cannot be written.
        """
        if not isinstance(path, str | PathLike):
            raise MasingError(f"save({quoted(path)}): give the path of a file")
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
        # A result in memory or in a temporary file is pickled with the bytes of the file, because a temporary file may
        # be deleted.
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
        """Read everything in the file except the numbers of the datasets."""
        self._shapes, self._axes, self._attributes = {}, {}, {}
        with self._opened() as file:
            hdf5.kind(file, *self.kinds)
            self.configuration = hdf5.scalar_text(file, "configuration")
            self.settings = parse_configuration(self.configuration or "")
            self.messages = (hdf5.scalar_text(file, "points/messages") or "").splitlines()
            self._attributes["/"] = hdf5.attributes(file, "/")
            file.visititems(lambda name, item: self._take_in(file, name, item))

    def _take_in(self, file, name, item):
        """Store the attributes of a group or a dataset, and the shape and the axes of a dataset.

        A scan may contain many runs. For a dataset of such a run, only the shape is stored. For any other dataset,
        MasingError is raised if its shape differs from the lengths of its axes.
        """
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
            raise NameMissing(f"{self._name}: has no dataset /{name}; it has {known}{hint}")

    def __contains__(self, name):
        name = str(name).strip("/")
        return name in self._shapes or "/" not in name and name in self._variables()

    def __iter__(self):
        """Iterate over the names of the datasets."""
        return iter(self._shapes)

    def __str__(self):
        symbols = SYMBOLS | {key: key.removeprefix("model.") for key in self.settings if key.startswith("model.")}
        values = ", ".join(f"{symbol} = {short_value(self.settings[key])}" for key, symbol in symbols.items()
                           if self.settings.get(key))
        return f"{self!r}\n  {values}"

    def __getitem__(self, name):
        """Return a dataset as a read-only array of doubles.

        `name` is the name of the dataset in the file, such as "field/u", or its name in to_xarray(), such as
        "amplitude". Raises MasingError if there is no such dataset.
        """
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
        # The array is read-only, because every access returns the same array. A change would also alter the results
        # that are pickled or drawn later.
        values.flags.writeable = False
        return self._numbers.setdefault(name, values)

    def attributes(self, name):
        """Return the attributes of a group or a dataset as {name: text or number}; {} if there is no such item."""
        return self._attributes.get(str(name), {})

    def to_dataframe(self):
        """Return a new pandas.DataFrame of all data that have a value for each sample, each level or each point.

        The rows of a Run are its samples with the index t, the rows of a Study are its levels, and those of a Scan are
        its points. The state has one column for each of its components.
        """
        pd, columns = loaded("pandas"), {}
        for variable, (axes, name) in self._variables().items():
            if axes == (self.rows,):
                columns[variable] = self[name]
            elif axes == (self.rows, "column"):
                columns |= dict(zip(self.attributes(name)["columns"].split(), self[name].T))
        frame = pd.DataFrame(columns)
        counts = [name for name in frame if name in COUNTS or name.startswith("mark_")]
        frame = frame.astype({name: int for name in counts if (frame[name] % 1 == 0).all()})
        return frame.set_index(self.rows) if self.rows in columns else frame

    def to_xarray(self):
        """Return an xarray.Dataset of all arrays with their axes.

        The timing and the single runs of a scan are left out. The attributes of the Dataset are the title, the
        configuration and the provenance.
        """
        try:
            import xarray as xr
        except ImportError:
            raise MasingError("to_xarray() needs xarray: install it, such as Debian's python3-xarray") from None
        variables = {variable: (axes, self[name], self.attributes(name))
                     for variable, (axes, name) in self._variables().items()}
        if "state" in variables:
            variables["column"] = ("column",), self.attributes("state/values")["columns"].split(), {}
        origin = {key: value for key, value in self.provenance.items() if key != "rows"}  # only a restart needs `rows`
        data = xr.Dataset(variables, attrs={"title": self.title, "configuration": self.configuration or "", **origin})
        return data.set_coords([name for name in variables if name in data.dims])

    def to_netcdf(self, path):
        """Write the result of to_xarray() to a netCDF file with the library that xarray chooses.

        xarray.open_dataset(path) then returns an equal Dataset. Raises MasingError if the file cannot be written.
        """
        data = self.to_xarray()
        try:
            data.to_netcdf(path)
        except (OSError, TypeError, ValueError) as error:
            raise MasingError(f"to_netcdf({quoted(path)}): {getattr(error, 'strerror', None) or error}") from None

    def _variables(self):
        """Return {variable: (names of its axes, name of its dataset)} for the arrays that to_xarray() returns."""
        found = {NAMES.get(name, name.rpartition("/")[2]): (axes, name) for name, axes in self._axes.items()
                 if not name.startswith(("timing/", "samples/"))}
        if "state_t" in found and "series/t" in self and np.array_equal(self["state/t"], self["series/t"]):
            del found["state_t"]
            found["state"] = ("t", "column"), "state/values"
        return found


class Run(Result):
    """One trajectory, with the samples t, x, y, force and restoring, the field u(t, s), and all other data in the file.

    `cells` is the number of cells P with which the samples were computed (0 for ∞, None for a model without cells), and
    `steps` is the number of steps N. If the object is a Study, these samples are those of its last level.
    """

    kinds, required = ("simulate", "converge"), ("series/t", "series/x", "series/restoring")

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
    cells = property(lambda self: self.attributes("series").get("cells"), doc="P; 0 for ∞, None if not known.")
    steps = property(lambda self: self.attributes("series").get("steps"), doc="N; None without samples.")

    @property
    def u(self):
        """The elongations u(t, s) [times, places]; a warning is issued if the file has them at one time only."""
        if len(self["field/u"]) == 1:
            often = max(1, int(self.steps or 0) // 100)
            warnings.warn(f"u is known at t = {self.field_t[0]:g} alone, and is last_u; field_every={often} keeps it "
                          f"every {f'{often} steps' if often > 1 else 'step'}", stacklevel=2)
        return self["field/u"]

    has_samples = property(lambda self: all(name in self for name in Run.required),
                           doc="Whether there are samples; a study may have none.")
    has_field = property(lambda self: min(self._shapes.get("field/u", (0,))) > 1 and "field/eta" in self,
                         doc="Whether η is stored, and u at several times and places.")
    has_energy = property(lambda self: "energy/residual" in self, doc="Whether there is an energy balance.")

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
        columns = {name.partition("/")[2]: self[name] for name in self if name.startswith("profile/")}
        frame = loaded("pandas").DataFrame(columns)
        return frame.astype({"node": int}).set_index("node")

    @property
    def watch(self):
        """The motion of the watched nodes of a chain, with the force and the elongation of the element below each.

        The result is a new pandas.DataFrame with the index t, in which watch["force"][20] is the force of element 20.
        """
        self._require("watch/x")
        pd, nodes = loaded("pandas"), self["watch/node"].astype(int)
        names = [name for name in self if name.startswith("watch/") and len(self._shapes[name]) == 2]
        frames = {name.partition("/")[2]: pd.DataFrame(self[name], columns=nodes) for name in names}
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

    def __repr__(self):
        return f"<masing.Run {self.title}, {len(self.t)} samples, {self.t[0]:g} <= t <= {self.t[-1]:g}>"

    def table(self):
        """Return the smallest and the largest value of every column of the samples.

        The result is a pandas.DataFrame with one row for each of these columns.
        """
        return self.to_dataframe().agg(["min", "max"]).T.rename(columns={"min": "least", "max": "most"})

    def plot_cycle(self, start=None, end=None, axes=None, *, from_=None, to=None, **line):
        """Draw the restoring force over x for start <= t <= end, and return the matplotlib Axes.

        The curve is drawn into `axes`, by default into new ones. The keywords `line` are passed to Axes.plot. The
        arguments from_ and to are other names for start and end, as in cycle_numbers(). The function masing.show()
        opens the window of the figure, and axes.figure.savefig("cycle.png") writes the figure to a file.
        """
        for name, time in (("start", start), ("end", end), ("from_", from_), ("to", to)):
            if not isinstance(time, Real | None):
                raise MasingError(f"plot_cycle({name}={time!r}): give a time")
        axes = _axes(axes, self.title)
        _, x, restoring = self.in_window(from_ if start is None else start, to if end is None else end)
        _draw(axes, x, restoring, {"label": self.title, **line})
        axes.set(xlabel=self.attributes("series/x")["label"], ylabel=motion(self).labels["restoring"])
        return axes


def _axes(given, title):
    """Return the given matplotlib Axes, or new ones with the title if `given` is None."""
    if given is not None:
        if not hasattr(given, "plot"):
            raise MasingError(f"axes={quoted(given)}: give Axes of matplotlib")
        return given
    require("matplotlib")
    import matplotlib.pyplot as plt

    return plt.figure(layout="constrained").add_subplot(title=title)


def _draw(axes, x, y, line):
    """Call Axes.plot with the keywords `line`; if Axes.plot fails, raise MasingError with the message of matplotlib."""
    try:
        axes.plot(x, y, **line)
    except (AttributeError, TypeError, ValueError) as error:
        raise MasingError(f"Axes.plot with {quoted(line)}: {error}") from None


def show():
    """Show the windows of all plots until the user closes them; issues a warning if windows cannot be shown."""
    require("matplotlib")
    import matplotlib.pyplot as plt

    if plt.get_backend().lower() in ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template"):
        warnings.warn("no window on this machine: write the picture, axes.figure.savefig(\"cycle.png\")", stacklevel=2)
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


class Study(Run):
    """A refinement study, with the errors and the orders of its levels and the verdict of the program.

    If the file contains the samples of the last level, they are available as the samples of a Run.
    """

    rows, kinds = "level", ("converge",)
    required = tuple(f"cases/{name}" for name in ("cells", "steps", "ds", "dt", "step", "error_x"))

    levels = property(lambda self: len(self.level_cells), doc="The number of levels.")
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
    reference = property(lambda self: self.fit["reference"], doc="The reference of the levels, as given by --reference.")
    quantities = property(lambda self: self.fit["quantities"].split(), doc="The quantities that the study measures.")
    verdict = property(lambda self: self.fit["verdict"], doc="The program's verdict, such as `as expected`.")
    errors = _of_quantities("error", "errors")
    orders = _of_quantities("order", "order between each level and the level before")
    marks = _of_quantities("mark", "Marks as numbers")
    order_steps = _of_quantities("step", "steps to which the orders refer")
    fitted_errors = _of_quantities("fitted_error", "errors that the fit predicts, NaN without a fit")

    def __init__(self, path):
        super().__init__(path)
        if not self.levels:
            raise MasingError(f"{self._name}: the columns of /cases must have at least one level")
        if self.fit.get("refine") not in STEPS:
            raise MasingError(f"{self._name}: /fit does not say what was refined; give a study written by masing converge")

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

        A number is NaN if the study did not determine it. Raises MasingError if the study does not measure the
        quantity.
        """
        if f"observed_{quantity}" not in self.fit:
            raise MasingError(f"order({quantity!r}): the study measures {', '.join(self.quantities)}")
        return self.number(f"observed_{quantity}"), self.number(f"order_uncertainty_{quantity}")

    @property
    def claim(self):
        """The claim of the study in one or several sentences, which state the expected and the observed orders.

        If no order was expected, the claim says so.
        """
        return sentence(self)

    def __repr__(self):
        return f"<masing.Study {self.claim} Verdict: {self.verdict}.>"

    def table(self):
        """Return a pandas.DataFrame with one row for each level: its sizes, errors, orders and marks."""
        return loaded("masing.convergence.levels").levels_table(self)

    def plot_errors(self):
        """Draw the errors over the refined step with the fitted lines, and return the matplotlib Figure."""
        require("matplotlib")
        # Importing pyplot registers the display of figures in notebooks.
        import matplotlib.pyplot  # noqa: F401

        from masing import style
        from masing.convergence.figures import study_figure

        with style.applied():
            figure = study_figure(self, self.quantities)
            figure.draw_without_rendering()
            return figure

    def _repr_html_(self):
        from masing import style

        with style.applied():
            picture = style.data_uri(style.encoded(self.plot_errors(), "svg"))
        table = self.table()
        shown = {name: order if name.startswith("order") else scientific for name in table.select_dtypes(float)}
        return (f"<p><b>{self.claim}</b> Verdict: <strong>{self.verdict}</strong>.</p>"
                + "".join(f"<p>{escape(line)}</p>" for line in remarks(self))
                + table.to_html(index=False, formatters=shown, na_rep="–")
                + f'<img src="{picture}" alt="Errors over the refined step." width="420">')


class Scan(Result):
    """A scan, which computes several numbers at each point of a grid of parameters.

    The last of the parameters `names` varies fastest from point to point. `messages` has one line for each point whose
    computation failed.
    """

    rows, kinds = "point", ("scan",)

    kind = _attribute("points", "kind", "What the points are: runs or steady.")
    kind_in_words = property(lambda self: {"steady": "limit cycles"}.get(self.kind, self.kind),
                             doc="What the points are, in words: runs or limit cycles.")
    names = _attribute("points", "axes", "The names of the parameters.", lambda text: text.replace(",", " ").split())
    done = property(lambda self: self["points/status"] == 0, doc="Whether each point was computed [points].")
    axes = property(lambda self: {name: self.values(name) for name in self.names},
                    doc="{parameter: its values [points]}.")

    @property
    def points(self):
        """The parameters and the numbers that were computed at each point, as {name: array [points]}."""
        return {variable: self[name] for variable, (axes, name) in self._variables().items()
                if axes == ("point",) and variable != "point"}

    @property
    def records(self):
        """The records of the samples as a pandas.DataFrame with the path of each.

        Its index is the number that a column of records has at each point. It is None if the scan has no records.
        """
        with self._opened() as file:
            text = hdf5.scalar_text(file, "samples/records")
        return None if text is None else loaded("pandas").read_csv(io.StringIO(text), dtype=str, keep_default_na=False)

    @property
    def cycles(self):
        """The curves (x, restoring) of the runs that the file contains, in the order of the points."""
        runs = sorted({name.split("/")[1] for name in self._shapes if name.startswith("runs/")})
        return [(self[f"runs/{run}/x"], self[f"runs/{run}/restoring"]) for run in runs]

    def values(self, name):
        """Return the values of a parameter, or of a number that was computed at each point, as an array [points]."""
        return self[f"points/{name}"]

    def abscissa(self):
        """Return the name of the parameter that has the largest number of different values, other than the samples.

        If several parameters have this number of values, the last of them is returned.
        """
        names = [name for name in self.names if name != "sample"] or self.names
        return max(names, key=lambda name: (len(set(self.axes[name])), names.index(name)))

    def families(self, abscissa):
        """Return the groups of points that differ only in the parameter `abscissa`.

        Each group is ({other axis: value}, indices [m] of its points in the order of the file). Raises MasingError if
        the scan has no such parameter.
        """
        if abscissa not in self.names:
            raise MasingError(f"families({quoted(abscissa)}): the scan is over {listed(self.names)}")
        others = [name for name in self.names if name != abscissa]
        keys = list(zip(*(self.axes[name] for name in others))) if others else [()] * len(self.done)
        return [(dict(zip(others, key)), np.flatnonzero([each == key for each in keys]))
                for key in dict.fromkeys(keys)]

    def __repr__(self):
        return f"<masing.Scan {len(self.to_dataframe())} points over {listed(self.names)}>"

    def table(self):
        """Return the points as a pandas.DataFrame with one row for each point."""
        return self.to_dataframe()

    def summary(self, of, by, quantiles=(0.16, 0.5, 0.84), where=None):
        """Return quantiles of the number `of` over all points of each intensity `by`, as a pandas.DataFrame.

        `of` is a number of the points such as "most_x", or "peak_x", which is max |x|. `by` is a column of the points,
        such as the name of a parameter. `where` selects points by their other parameters, as in where={"k0": 0.1}.

        The columns `lower` and `upper` are a 95 % interval between two order statistics, which holds for every
        distribution if the points of an intensity are independent. `value` counts points that failed as above all
        others, `if_below` counts them as below all others, and the interval covers both.
        """
        ensembles = loaded("masing.ensembles")
        return ensembles.quantiles(ensembles.points(self, of, by, where), by, quantiles)

    def exceedance(self, limit, by, of="peak_x", where=None):
        """Return the part of the points of each intensity `by` whose `of` exceeds the limit, as a pandas.DataFrame.

        The columns `lower` and `upper` are the 95 % interval of Clopper and Pearson for independent points.
        `probability` counts points that failed as exceeding, `if_below` as not exceeding, and the interval covers both.
        The arguments `of`, `by` and `where` are those of summary().
        """
        ensembles = loaded("masing.ensembles")
        return ensembles.exceedances(ensembles.points(self, of, by, where), by, limit)

    def fragility(self, limit, by, cluster="sample", resamples=1000, seed=0, of="peak_x", where=None):
        """Return the lognormal fragility curve P(of > limit) over the intensity `by`, as a masing.Fragility.

        The median and the dispersion are those of the greatest likelihood. Their 95 % intervals are from a bootstrap
        over clusters of points that are not independent: those with the same value in the column `cluster`, by default
        all points of a record. `cluster` may also be a sequence with a label for each row of the table of samples. With
        cluster=None each point is its own cluster. Points that failed count as in exceedance(). The other arguments are
        those of summary().

        Raises MasingError if the points determine no curve, for example because none of them exceeds the limit.
        """
        ensembles = loaded("masing.ensembles")
        table = ensembles.points(self, of, by, where, cluster)
        return ensembles.Fragility(table, by, limit, of, cluster, resamples, seed)

    def to_xarray(self):
        """Return the arrays of Result.to_xarray() as an xarray.Dataset.

        If the points form a grid, the parameters are axes of the Dataset. Otherwise the axis `point` counts the points.
        """
        data, places = super().to_xarray(), self.to_dataframe()[self.names]
        # The points form a grid if every combination of the values of the parameters occurs exactly once.
        is_grid = places.nunique().prod() == len(places) and not places.duplicated().any()
        if not is_grid:
            return data
        if len(self.names) == 1:
            return data.swap_dims(point=self.names[0]).set_coords(self.names)
        return data.drop_vars("point", errors="ignore").set_index(point=self.names).unstack("point")

    def plot(self, quantity="amplitude", axes=None, **line):
        """Draw a quantity over the first parameter, with one line for each combination of the other parameters' values.

        The lines are drawn into the matplotlib Axes `axes`, by default into new ones. The keywords `line` are passed to
        Axes.plot. Returns the Axes.
        """
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


def leading_comment(text):
    """Return the comment at the beginning of an .ini file as one line of text.

    Lines that begin with `group:`, `draw:` or `masing ` are omitted. The first two are instructions for the gallery, of
    which older files have the second; the third is the line with which the program begins a configuration that it
    prints.
    """
    words = [line for line in comment_lines(text) if not line.startswith(("draw:", "group:", "masing "))]
    return " ".join(words)


def comment_lines(text):
    """Return the lines of the comment at the beginning of an .ini file."""
    lines = itertools.takewhile(lambda line: line.startswith(("#", ";")), text.splitlines())
    return [line.lstrip("#; ").rstrip() for line in lines]
