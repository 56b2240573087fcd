"""Summaries of a scan of many records at several intensities: quantiles, exceedances of a limit, a fragility curve.

All intervals are of 95 %. A point counts as failed if it was not computed, or if its quantity is NaN. An estimate
counts failed points as above every limit, and the column `if_below` counts them as below; an interval covers both.
"""

import numpy as np
import pandas as pd
import scipy

from masing.errors import FAILURE, MasingError, UsageError, quoted
from masing.text import listed, number

TAIL = 0.025
# The slope of a fitted curve that is a step.
STEEPEST = 1e12
# The largest number of counts of resamples, clusters and intensities that are held in memory at a time.
BLOCK = 4_000_000
# The largest number of intensities at which a plot has the parts of the points beside the curve.
MOST_BARS = 30


def points(scan, of, by, where=None, cluster=None):
    """Return the points of a Scan as a DataFrame with the columns demand, intensity, failed and cluster.

    `of` is a number that the scan computed at each point, or peak_x, which is max |x|. `by` is the column of the
    intensities, and `where` selects points by the values of other columns. `cluster` is a column or a label for each
    sample; if it is None, each point is a cluster of its own. Raises MasingError if a column is missing, or if points
    of the same sample have the same intensity.
    """
    columns = {name: scan[name] for name in scan.points}
    if cluster is not None and not isinstance(cluster, str):
        labels, count = pd.factorize(np.ravel(cluster))[0], len(np.unique(columns.get("sample", [])))
        if len(labels) != count or not count:
            raise UsageError(f"cluster={quoted(cluster)}: give the name of a column, or a label for each of the "
                              f"{count} samples of {scan._name}")
        columns |= {"clusters": labels[columns["sample"].astype(int)]}
        cluster = "clusters"
    if isinstance(cluster, str) and cluster == by:
        raise UsageError(f"cluster={by!r}: is the intensity; give the column whose values tell the records apart")
    if not isinstance(where or {}, dict):
        raise UsageError(f"where={quoted(where)}: give a dictionary, such as {{'k0': 0.1}}")
    for key, name in (("of", of), ("by", by), ("cluster", cluster), *(("where", name) for name in where or {})):
        if key == "cluster" and name == "sample" and name not in columns:
            raise UsageError(f"{scan._name}: has no column sample: give cluster=NAME, the column whose values tell "
                              "the records apart, or cluster=None if every point has a record of its own")
        if (key, name) != ("cluster", None) and not (isinstance(name, str) and name in columns):
            raise UsageError(f"{key}={quoted(name)}: {scan._name} has the columns {listed(sorted(columns))}")
    keep = np.ones(len(scan.done), dtype=bool)
    for name, value in (where or {}).items():
        keep &= np.isclose(columns[name], number(value), rtol=1e-9, atol=0)
        if not keep.any():
            raise UsageError(f"where={quoted(where)}: {scan._name} has no such point; its {name} are "
                              f"{quoted(np.unique(columns[name]).tolist())}")
    table = pd.DataFrame({"demand": columns[of], "intensity": columns[by]}).astype(float)
    table["failed"] = ~scan.done | table["demand"].isna()
    table["cluster"] = columns[cluster] if cluster else np.arange(len(table))
    table, columns = table[keep], {name: values[keep] for name, values in columns.items()}
    if not np.isfinite(table["intensity"]).all():
        raise UsageError(f"by={by!r}: not every point of {scan._name} has a finite {by}")
    if "sample" in columns and pd.DataFrame({n: columns[n] for n in (by, "sample")}).duplicated().any():
        others = [name for name in scan.parameters if name not in (by, "sample") and len(set(columns[name])) > 1]
        raise UsageError(f"points of the same {by} and sample differ in {listed(others) or 'nothing'}: choose some, "
                          f"where={{{(others or ['NAME'])[0]!r}: VALUE}}")
    return table


def quantiles(table, by, probabilities):
    """Return the quantiles of the demand at each intensity, as a DataFrame with a row for each of them.

    A quantile is the smallest demand that at least this part of the points does not exceed. The interval from `lower`
    to `upper` is between two order statistics. It holds for every distribution of independent demands, because the
    number of them that do not exceed the true quantile is binomial. A bound is infinite if there are too few points
    for it.
    """
    wanted = np.unique([number(each) for each in np.ravel(probabilities)])
    if not (wanted.size and ((wanted > 0) & (wanted < 1)).all()):
        raise UsageError(f"quantiles={quoted(probabilities)}: give numbers between 0 and 1")
    rows = []
    for intensity, group in table.groupby("intensity"):
        known, size = np.sort(group["demand"][~group["failed"]]), len(group)
        missing = np.full(size - len(known), np.inf)
        # The order statistics 0 and size + 1 are those that any number of points leaves unbounded.
        below, above = np.r_[-np.inf, -missing, known, np.inf], np.r_[-np.inf, known, missing, np.inf]
        for q in wanted:
            low, high = scipy.stats.binom.ppf([TAIL, 1 - TAIL], size, q).astype(int)
            # The product of size and q may exceed a whole number by rounding.
            at = max(1, int(np.ceil(size * q - 1e-9)))
            rows.append((intensity, q, size, len(missing), above[at], below[at], below[low], above[high + 1]))
    return pd.DataFrame(rows, columns=[by, "quantile", "points", "failed", "value", "if_below", "lower", "upper"])


def exceedances(table, by, limit):
    """Return the part of the points at each intensity whose demand exceeds the limit, as a DataFrame.

    The interval from `lower` to `upper` is that of Clopper and Pearson for independent points.
    """
    if not isinstance(limit, (int, float, np.number)) or isinstance(limit, bool) or not np.isfinite(limit):
        raise UsageError(f"limit={quoted(limit)}: give a finite number")
    over = table.assign(points=1, exceeded=(table["demand"] > limit) & ~table["failed"])
    counts = over.groupby("intensity")[["points", "exceeded", "failed"]].sum().rename_axis(by).reset_index()
    size, least, most = counts["points"], counts["exceeded"], counts["exceeded"] + counts["failed"]
    return counts.assign(probability=most / size, if_below=least / size,
                         lower=np.where(least > 0, scipy.stats.beta.ppf(TAIL, least, size - least + 1), 0),
                         upper=np.where(most < size, scipy.stats.beta.ppf(1 - TAIL, most + 1, size - most), 1))


def fits(x, exceeded, size, start=None):
    """Return the most likely parameters (intercept, slope) [2, fits] of probabilities Φ(intercept + slope x).

    At the logarithms x [levels] of the intensities, `exceeded` of `size` points exceed the limit, both [fits, levels].
    If the exceedances do not grow with x, the slope is 0. If there are none below an intensity and nothing else above
    it, the slope is STEEPEST. All other fits are computed together by Fisher's scoring from the parameters `start` or,
    if there is only one fit and no start, by statsmodels.
    """
    share, middle = exceeded.sum(1) / size.sum(1), x.mean()
    flat = ((exceeded - share[:, None] * size) * (x - middle)).sum(1) <= 1e-12 * size.sum(1)
    first = np.where(exceeded > 0, x, np.inf).min(1)
    last = np.where(exceeded < size, x, -np.inf).max(1)
    step = ~flat & (last <= first)
    found = np.stack([scipy.special.ndtri(share), np.zeros(len(share))])
    found[:, step] = -STEEPEST * (first + last)[step] / 2, np.full(step.sum(), STEEPEST)
    if (others := ~flat & ~step).any():
        k, n = exceeded[others], size[others]
        found[:, others] = _probit(x, k[0], n[0])[:, None] if start is None else _scoring(x, k, n, start)
    return found


def _probit(x, exceeded, size):
    """Return the most likely parameters [2] of a probit regression by statsmodels."""
    try:
        from statsmodels.genmod import families
        from statsmodels.genmod.generalized_linear_model import GLM
    except ImportError:
        raise MasingError("fragility() needs statsmodels: install it, such as Debian's python3-statsmodels",
                          FAILURE) from None
    probit = getattr(families.links, "Probit", None) or families.links.probit  # the name in statsmodels up to 0.13
    design = np.column_stack([np.ones_like(x), x])
    return GLM(np.column_stack([exceeded, size - exceeded]), design, families.Binomial(probit())).fit(tol=1e-12).params


def _scoring(x, exceeded, size, start):
    """Return the most likely parameters [2, fits] of probit regressions, by Fisher's scoring from `start` [2].

    No step changes an argument of Φ by more than 1, because longer steps may diverge.
    """
    design, place = np.column_stack([np.ones_like(x), x - x.mean()]), x.mean()
    found = np.tile([start[0] + start[1] * place, start[1]], (len(exceeded), 1))
    for _ in range(200):
        z = found @ design.T
        density = -z * z / 2 - np.log(2 * np.pi) / 2
        up, down = np.exp(density - scipy.special.log_ndtr(z)), np.exp(density - scipy.special.log_ndtr(-z))
        score = (exceeded * up - (size - exceeded) * down) @ design
        information = np.einsum("fl,li,lj->fij", size * up * down, design, design)
        change = np.linalg.solve(information, score[..., None])[..., 0]
        found += change / np.maximum(1, np.abs(change @ design.T).max(1))[:, None]
        if np.abs(change).max() < 1e-10:
            break
    return np.stack([found[:, 0] - found[:, 1] * place, found[:, 1]])


class Fragility:
    """The lognormal fragility curve P(demand > limit) = Φ(ln(a / median) / dispersion) over the intensity a.

    The parameters have the greatest likelihood. The intervals and the band of the curve are from a bootstrap of
    clusters: all points of a record are drawn or left out together, because they are not independent. Half the width
    of an interval is a percentile of the distances of the resampled numbers from the estimate, in the logarithms of the
    parameters and in the argument of Φ (P. Hall, On symmetric bootstrap confidence intervals, 1988). This percentile is
    increased as Student's t is against the normal distribution, for two parameters (T. Hesterberg, What teachers should
    know about the bootstrap, 2015).

    Attributes
    ----------
    median, dispersion : float
        The estimates.
    median_interval, dispersion_interval : tuple of float
        Their 95 % intervals.
    clusters : int
        The number of clusters.
    counts : pandas.DataFrame
        The table of Scan.exceedance().
    """

    def __init__(self, table, by, limit, of, cluster, resamples=1000, seed=0):
        """Fit the curve to the points of intensities other than 0. Raises MasingError if they determine no curve."""
        self.by, self.limit, self.of = by, limit, of
        self.counts = exceedances(table := table[table["intensity"] != 0], by, limit)
        a, place = np.unique(table["intensity"], return_inverse=True)
        labels, owner = np.unique(table["cluster"], return_inverse=True)
        self.clusters, self._range = len(labels), (a[0], a[-1])
        if not isinstance(resamples, (int, np.integer)) or resamples < 100:
            raise UsageError(f"resamples={quoted(resamples)}: give a whole number of at least 100")
        if len(a) < 2 or a[0] <= 0:
            raise UsageError(f"by={by!r}: a fragility curve needs two or more intensities, all of them positive; they "
                             f"are {quoted(a.tolist())}")
        if self.clusters < 3:
            raise UsageError(f"cluster={cluster!r}: the points are in {self.clusters} of them; a bootstrap needs at "
                             "least 3, and some 20 to be accurate")
        try:
            random = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise UsageError(f"seed={quoted(seed)}: give a whole number >= 0") from None
        x, failed = np.log(a), table["failed"].to_numpy()
        exceeded = ~failed & (table["demand"].to_numpy() > limit)
        # Counts [clusters, levels]. Failed points count as above the limit first, then as below it.
        counts = np.zeros((3 if failed.any() else 2, self.clusters, len(a)))
        for of_cluster, points in zip(counts, (np.ones(len(table)), exceeded | failed, exceeded)):
            np.add.at(of_cluster, (owner, place), points)
        size, *ways = counts
        self._require_curve(a, ways[0].sum(0), size.sum(0))
        self._fits = [fits(x, way.sum(0)[None], size.sum(0)[None]) for way in ways]

        def resampled(drawn, axis):
            return np.concatenate([fits(x, way[drawn].sum(-2), size[drawn].sum(-2), found[:, 0])
                                   for way, found in zip(ways, self._fits)])

        with np.errstate(invalid="ignore"):  # the infinite intercepts of resamples without a finite maximum
            drawn = scipy.stats.bootstrap((np.arange(self.clusters),), resampled, n_resamples=int(resamples),
                                          batch=max(1, BLOCK // size.size), vectorized=True, method="percentile",
                                          random_state=random).bootstrap_distribution
        self._resampled = np.split(drawn, len(ways))
        self._estimates = [np.exp(_logarithms(each)[:, 0]).tolist() for each in self._fits]
        self.median, self.dispersion = self._estimates[0]
        bounds = np.exp(self._interval(_logarithms))
        self.median_interval, self.dispersion_interval = map(tuple, bounds.T.tolist())

    def _require_curve(self, a, exceeded, size):
        """Raise MasingError if the counts at the intensities a, with failed points above the limit, fix no curve."""
        name, has_failed = self.by, self.counts["failed"].any()
        what = f"{self.of} = {self.limit:g}" + " (failed points count as exceeding it)" * bool(has_failed)
        if not exceeded.any():
            raise UsageError(f"no point up to {name} = {a[-1]:g} exceeds {what}: lower the limit, or scan larger "
                             f"{name}")
        if (exceeded == size).all():
            raise UsageError(f"every point from {name} = {a[0]:g} on exceeds {what}: raise the limit, or scan smaller "
                             f"{name}")
        if np.dot(exceeded - size * exceeded.sum() / size.sum(), np.log(a)) <= 1e-12 * size.sum():
            raise UsageError(f"the part of the points that exceeds {what} does not grow with {name}: there is no "
                             "fragility curve")
        first, last = a[exceeded > 0][0], a[exceeded < size][-1]
        if last <= first:
            raise UsageError(f"no point below {name} = {first:g} and every point above {name} = {last:g} exceeds "
                             f"{what}: the median is there, but the dispersion is not known; scan more {name} there")

    def _interval(self, numbers):
        """Return the intervals of numbers(fits) [n, fits] as bounds [2, n] that cover both ways of counting failures.

        A number that a resample does not determine counts as infinitely far from the estimate.
        """
        free = self.clusters - 2
        part = 1 - 2 * scipy.stats.norm.cdf(scipy.stats.t.ppf(TAIL, free) * np.sqrt(self.clusters / free))
        bounds = []
        for fitted, resampled in zip(self._fits, self._resampled):
            estimate, values = numbers(fitted), numbers(resampled)
            with np.errstate(invalid="ignore"):
                distances = np.where(values == estimate, 0, np.abs(values - estimate))
            distances = np.sort(np.where(np.isnan(distances), np.inf, distances))
            half = distances[:, [int(np.ceil(part * distances.shape[1])) - 1]]
            bounds.append(np.hstack([estimate - half, estimate + half]))
        low, high = np.moveaxis(bounds, 2, 0)
        return np.array([np.nanmin(low, axis=0), np.nanmax(high, axis=0)])

    def curve(self, a=None):
        """Return the curve at intensities `a` as a DataFrame with the columns probability, if_below, lower and upper.

        `lower` and `upper` are the band, an interval for each intensity. The default of `a` are 101 intensities over
        the range of the scan.
        """
        a = np.geomspace(*self._range, 101) if a is None else np.array([number(each) for each in np.ravel(a)])
        if not (a > 0).all():
            raise UsageError(f"curve({quoted(a.tolist())}): give positive intensities")

        def arguments(fits):
            return fits[0] + fits[1] * np.log(a)[:, None]

        lower, upper = scipy.special.ndtr(self._interval(arguments))
        return pd.DataFrame({self.by: a, "probability": scipy.special.ndtr(arguments(self._fits[0])[:, 0]),
                             "if_below": scipy.special.ndtr(arguments(self._fits[-1])[:, 0]),
                             "lower": lower, "upper": upper})

    def plot(self, ax=None):
        """Draw the curve with its band, and the part of the points that exceeds the limit with its intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes. The parts are left out if there are more than 30 intensities.
        """
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained")[1] if ax is None else ax
        curve, counts, share = self.curve(), self.counts, self.counts["probability"]
        (line,) = ax.plot(curve[self.by], curve["probability"], label="lognormal curve")
        ax.fill_between(curve[self.by], curve["lower"], curve["upper"], color=line.get_color(), alpha=0.2, linewidth=0)
        if len(counts) <= MOST_BARS:
            ax.errorbar(counts[self.by], share, [share - counts["lower"], counts["upper"] - share], linestyle="",
                        marker="o", markersize=4, elinewidth=1, label="part of the points")
        of = "max |x|" if self.of == "peak_x" else self.of
        ax.set(xlabel=f"intensity {self.by}", ylabel=f"P({of} > {self.limit:g})", ylim=(-0.02, 1.02))
        ax.legend()
        return ax

    def to_dataframe(self):
        """Return the median and the dispersion as the rows of a DataFrame, with columns like those of summary()."""
        rows = zip(self._estimates[0], self._estimates[-1], *zip(self.median_interval, self.dispersion_interval))
        return pd.DataFrame(rows, ["median", "dispersion"], ["value", "if_below", "lower", "upper"])

    def __str__(self):
        numbers = ", ".join(f"{name} {row.value:.4g} ({row.lower:.4g} to {row.upper:.4g})"
                            for name, row in self.to_dataframe().iterrows())
        failed = self.counts["failed"].sum()
        return (f"{self.of} > {self.limit:g} over {self.by}: {numbers}, {self.clusters} clusters"
                + f"; {failed} of {self.counts['points'].sum()} points failed" * bool(failed))

    def __repr__(self):
        return f"<masing.Fragility {self}>"

    def _repr_html_(self):
        return self.to_dataframe()._repr_html_()


def _logarithms(fits):
    """Return the logarithms of the medians and of the dispersions [2, fits] of fits (intercept, slope)."""
    intercept, slope = fits
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([-intercept / slope, -np.log(np.where(slope < STEEPEST / 1e6, slope, np.inf))])
