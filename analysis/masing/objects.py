"""What the Python functions of masing give: a Run, a Study or a Scan, each the content of one result file."""

from masing import hdf5, results
from masing.command_line import MasingError
from masing.labelled import Labelled
from masing.notation import listed


def read(path):
    """The Run, Study or Scan in a result file; raises UserError when it is damaged or of another kind."""
    with hdf5.opened(path) as file:
        kind = hdf5.attributes(file, "/").get("kind")
    return Scan(path) if kind == "scan" else Study(path) if kind == "converge" else Run(path)


def _series(name, what):
    def values(self):
        return self["series/" + name]
    return property(values, doc=f"{what} [samples], dimensionless.")


def _field(name, what, shape):
    def values(self):
        return self["field/" + name]
    return property(values, doc=f"{what} {shape}, dimensionless.")


class Run(Labelled):
    """One trajectory: samples t, x, y, force, restoring, the field u(t, s), and whatever else the file holds."""

    t = _series("t", "Times of the samples")
    x = _series("x", "Position x(t)")
    y = _series("y", "Velocity x'(t)")
    force = _series("force", "External force F(t)")
    restoring = _series("restoring", "Restoring force F - m x''")
    field_t = _field("t", "Times of the fields", "[times]")
    s = _field("s", "Places of the cells", "[places]")
    eta = _field("eta", "Yield displacements η(s)", "[places]")
    k = _field("k", "Stiffness densities k(s)", "[places]")
    u = _field("u", "Elongations u(t, s)", "[times, places]")

    def __init__(self, path):
        """Read the file; raises UserError when it holds no trajectory of masing."""
        super().__init__(path)
        self._run = results.read_run(self.path)

    @property
    def title(self):
        """What was run, such as `P = 400, N = 60000`."""
        return self._run.title

    @property
    def settings(self):
        """The options of the run as the program resolved them: {key: text}."""
        return self._run.settings

    def __repr__(self):
        return f"<masing.Run {self.title}, {len(self.t)} samples, {self.t[0]:g} <= t <= {self.t[-1]:g}>"

    def table(self):
        """Least and most of every column of the samples: a pandas.DataFrame, one row a column."""
        return self.to_dataframe().agg(["min", "max"]).T.rename(columns={"min": "least", "max": "most"})

    def plot_cycle(self, start=None, end=None, axes=None, **line):
        """Draw the restoring force over x, start <= t <= end, into the matplotlib Axes, by default new ones.

        `line` goes to Axes.plot. Returns the Axes.
        """
        import matplotlib.pyplot as plt

        from masing.cycles.curves import samples_in_window

        if axes is None:
            axes = plt.figure(layout="constrained").add_subplot()
        _, x, restoring = samples_in_window(self._run, start, end)
        axes.plot(x, restoring, **{"label": self.title, **line})
        axes.set(xlabel=self._run.labels["x"], ylabel=self._run.labels["restoring"])
        return axes


class Study(Labelled):
    """A refinement study: errors and orders of its levels, and the verdict of the program.

    In a notebook it shows its claim, its levels and the picture of its errors.
    """

    rows = "level"

    def __init__(self, path):
        """Read the file; raises UserError when it is no study of masing."""
        super().__init__(path)
        self._study = results.read(self.path)

    @property
    def fit(self):
        """What the program concluded: the attributes of /fit by name."""
        return self._study.fit

    @property
    def verdict(self):
        """The program's verdict, such as `as expected`."""
        return self.fit["verdict"]

    @property
    def settings(self):
        """The options of the study as the program resolved them: {key: text}."""
        return self._study.run.settings

    @property
    def claim(self):
        """The claim in one sentence: the expected order and the observed ones."""
        from masing.report.study import claim

        return claim(self._study).sentence

    def order(self, quantity="x"):
        """The observed order of a quantity and half its interval, NaN where there is none."""
        return self._study.number(f"observed_{quantity}"), self._study.number(f"order_uncertainty_{quantity}")

    def __repr__(self):
        return f"<masing.Study {self.claim} Verdict: {self.verdict}.>"

    def table(self):
        """The levels: sizes, errors, orders and marks, a pandas.DataFrame of one row a level."""
        from masing.report.study import claim
        from masing.report.tables import study_tables

        return study_tables(self._study, claim(self._study).findings, self._study.quantities)[0].frame

    def plot_errors(self):
        """The errors over the refined step with the fitted lines, a matplotlib Figure."""
        # It lets notebooks show figures.
        import matplotlib.pyplot  # noqa: F401

        return self._picture().figure

    def _picture(self):
        from masing import style
        from masing.report.errors import error_picture
        from masing.report.study import claim

        with style.applied():
            picture = error_picture(self._study, claim(self._study).findings, self._study.quantities)
            picture.figure.draw_without_rendering()
            return picture

    def _repr_html_(self):
        from masing import style
        from masing.report.page import render
        from masing.report.study import claim
        from masing.report.tables import level_rows, sizes

        quantities = self._study.quantities
        with style.applied():
            picture = self._picture()
            return render("notebook.html.j2", claim=claim(self._study), picture=picture.src, alt=picture.alt,
                          headings=[*sizes(self._study), *(word for q in quantities for word in (f"e({q})", "order"))],
                          rows=level_rows(self._study, quantities))


class Scan(Labelled):
    """A scan: one row a point. `names` are the parameters that vary; a grid has the last varying fastest.

    `messages` has a line for each point that failed, `settings` the options as the program resolved them.
    """

    rows = "point"

    def __init__(self, path):
        """Read the file; raises UserError when it holds no points."""
        super().__init__(path)
        with hdf5.opened(self.path) as file:
            self.names = hdf5.attribute(file, "points", "axes").split()
            self.messages = (hdf5.scalar_text(file, "points/messages") or "").splitlines()
        self.settings = results.parse_configuration(self.configuration or "")

    @property
    def points(self):
        """{name: array [points]}: the parameters and what was found at each."""
        return {name: values for name, (dimensions, values, _) in self._variables().items()
                if dimensions == ("point",) and name != "point"}

    def __repr__(self):
        return f"<masing.Scan {len(next(iter(self.points.values())))} points over {listed(self.names)}>"

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
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.figure(layout="constrained").add_subplot()
        frame, (first, *others) = self.to_dataframe(), self.names
        for values in frame[others].drop_duplicates().to_numpy() if others else [()]:
            part = frame[(frame[others] == values).all(axis=1)]
            label = ", ".join(f"{name} = {value:g}" for name, value in zip(others, values))
            axes.plot(part[first], part[quantity], **{"label": label, **line})
        axes.set(xlabel=first, ylabel=quantity)
        if others:
            axes.legend()
        return axes

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()
