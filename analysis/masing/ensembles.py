"""Summaries of a scan of many records at several intensities: quantiles, exceedances of a limit, a fragility curve.

All intervals are of 95 %. A point counts as failed if it was not computed, or if its quantity is NaN. An estimate
counts failed points as above every limit, and the column `if_below` counts them as below; an interval covers both.
"""

import numpy as np
import pandas as pd
import scipy

from masing.errors import UsageError, quoted
from masing.text import listed, number

TAIL = 0.025
# The slope of a fitted curve that is a step.
STEEPEST = 1e12
# The largest number of counts of resamples, clusters and intensities that are held in memory at a time.
BLOCK = 4_000_000


def points(scan, of, by, where=None, cluster=None):
    """Return the points of a Scan as a DataFrame with the columns demand, intensity, failed and cluster.

    `of`, `by` and `cluster` are names of the scan; without a cluster each point is one of its own. `where` selects
    points by the values of other columns. Raises MasingError if points of the same sample have the same intensity.
    """
    if cluster == "sample" and "sample" not in scan:
        raise UsageError(f"{scan._name}: has no column sample; give cluster=NAME, the column whose values tell the "
                         "records apart, or cluster=None if every point has a record of its own")
    table = pd.DataFrame({"demand": scan[of], "intensity": scan[by], "failed": ~scan.done | np.isnan(scan[of]),
                          "cluster": scan[cluster] if cluster else np.arange(len(scan.done))})
    if not np.isfinite(scan[by]).all():
        raise UsageError(f"by={by!r}: not every point of {scan._name} has a finite {by}")
    keep = np.ones(len(table), dtype=bool)
    for name, value in (where or {}).items():
        keep &= np.isclose(scan[name], number(value), rtol=1e-9, atol=0)
    if not keep.any():
        raise UsageError(f"where={quoted(where)}: {scan._name} has no such point")
    columns = pd.DataFrame({name: scan[name] for name in (by, *scan.parameters)})[keep]
    if "sample" in columns and columns.duplicated([by, "sample"]).any():
        others = [name for name in columns if name not in (by, "sample") and columns[name].nunique() > 1]
        raise UsageError(f"points of the same {by} and sample differ in {listed(others)}: choose some by where")
    return table[keep]


def quantiles(table, by, probabilities):
    """Return the quantiles of the demand at each intensity, as a DataFrame with a row for each of them.

    A quantile is the smallest demand that at least this part of the points does not exceed. Its interval is between two
    order statistics, because the number of demands that do not exceed the true quantile is binomial.
    """
    wanted = np.unique(np.ravel(probabilities))
    if not ((wanted > 0) & (wanted < 1)).all():
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
    """Return the part of the points at each intensity that exceeds the limit, with Clopper and Pearson's interval."""
    if not np.isfinite(number(limit)):
        raise UsageError(f"limit={quoted(limit)}: give a finite number")
    over = table.assign(points=1, exceeded=(table["demand"] > limit) & ~table["failed"])
    counts = over.groupby("intensity")[["points", "exceeded", "failed"]].sum().rename_axis(by).reset_index()
    size, least, most = counts["points"], counts["exceeded"], counts["exceeded"] + counts["failed"]
    return counts.assign(probability=most / size, if_below=least / size,
                         lower=np.where(least > 0, scipy.stats.beta.ppf(TAIL, least, size - least + 1), 0),
                         upper=np.where(most < size, scipy.stats.beta.ppf(1 - TAIL, most + 1, size - most), 1))


def fits(x, exceeded, size):
    """Return the most likely parameters (intercept, slope) [2, fits] of probabilities Φ(intercept + slope x [levels]).

    `exceeded` of `size` points [fits, levels] exceed the limit. The slope is 0 if the exceedances do not grow with x,
    and STEEPEST if they begin at once. The other fits are by Fisher's scoring.
    """
    share, middle = exceeded.sum(1) / size.sum(1), x.mean()
    flat = ((exceeded - share[:, None] * size) * (x - middle)).sum(1) <= 1e-12 * size.sum(1)
    first = np.where(exceeded > 0, x, np.inf).min(1)
    last = np.where(exceeded < size, x, -np.inf).max(1)
    step = ~flat & (last <= first)
    found = np.stack([scipy.special.ndtri(share), np.zeros(len(share))])
    found[:, step] = -STEEPEST * (first + last)[step] / 2, np.full(step.sum(), STEEPEST)
    if (others := ~flat & ~step).any():
        found[:, others] = _scoring(x, exceeded[others], size[others], found[:, others].T)
    return found


def _scoring(x, exceeded, size, found):
    """Return the most likely parameters [2, fits] of probit regressions, from constant probabilities `found`."""
    design, place = np.column_stack([np.ones_like(x), x - x.mean()]), x.mean()
    for _ in range(200):
        z = found @ design.T
        density = -z * z / 2 - np.log(2 * np.pi) / 2
        up, down = np.exp(density - scipy.special.log_ndtr(z)), np.exp(density - scipy.special.log_ndtr(-z))
        score = (exceeded * up - (size - exceeded) * down) @ design
        information = np.einsum("fl,li,lj->fij", size * up * down, design, design)
        change = np.linalg.solve(information, score[..., None])[..., 0]
        # No step changes an argument of Φ by more than 1, because longer steps may diverge.
        found += change / np.maximum(1, np.abs(change @ design.T).max(1))[:, None]
        if np.abs(change).max() < 1e-10:
            break
    return np.stack([found[:, 0] - found[:, 1] * place, found[:, 1]])


class Fragility:
    """The lognormal fragility curve P(demand > limit) = Φ(ln(a / median) / dispersion) over the intensity a.

    The intervals are from a bootstrap of clusters. Half the width is a percentile of the distances of the resampled
    numbers from the estimate, in the logarithms of the parameters and in the argument of Φ (P. Hall, On symmetric
    bootstrap confidence intervals, 1988). The percentile is increased as Student's t is against the normal distribution
    (T. Hesterberg, What teachers should know about the bootstrap, 2015).

    Attributes
    ----------
    median, dispersion, median_interval, dispersion_interval : float and tuple of float
        The estimates of the greatest likelihood and their 95 % intervals.
    clusters, counts : int and pandas.DataFrame
        The number of clusters and the table of Scan.exceedance().
    """

    def __init__(self, table, by, limit, of, resamples=1000, seed=0):
        self.by, self.limit, self.of = by, limit, of
        self.counts = exceedances(table := table[table["intensity"] != 0], by, limit)
        a, place = np.unique(table["intensity"], return_inverse=True)
        labels, owner = np.unique(table["cluster"], return_inverse=True)
        self.clusters, self._range = len(labels), (a[0], a[-1])
        if len(a) < 2 or a[0] <= 0:
            raise UsageError(f"by={by!r}: a fragility curve needs two or more intensities, all of them positive")
        if self.clusters < 3 or resamples < 100:
            raise UsageError(f"{self.clusters} clusters, {resamples} resamples: a bootstrap needs at least 3 and 100")
        x, failed = np.log(a), table["failed"].to_numpy()
        exceeded = ~failed & (table["demand"].to_numpy() > limit)
        # Counts [clusters, levels]. Failed points count as above the limit first, then as below it.
        counts = np.zeros((3 if failed.any() else 2, self.clusters, len(a)))
        for of_cluster, points in zip(counts, (np.ones(len(table)), exceeded | failed, exceeded)):
            np.add.at(of_cluster, (owner, place), points)
        size, *ways = counts
        self._fits = [fits(x, way.sum(0)[None], size.sum(0)[None]) for way in ways]
        if not 0 < self._fits[0][1, 0] < STEEPEST:
            raise UsageError(f"the points with {of} > {limit:g} determine no curve over {by}: they are none, all, all "
                             "from one intensity on, or do not become more with it")

        def resampled(drawn, axis):
            return np.concatenate([fits(x, way[drawn].sum(-2), size[drawn].sum(-2)) for way in ways])

        with np.errstate(invalid="ignore"):  # the infinite intercepts of resamples without a finite maximum
            drawn = scipy.stats.bootstrap((np.arange(self.clusters),), resampled, n_resamples=resamples,
                                          batch=max(1, BLOCK // size.size), vectorized=True, method="percentile",
                                          random_state=np.random.default_rng(seed)).bootstrap_distribution
        self._resampled = np.split(drawn, len(ways))
        self._estimates = [np.exp(_logarithms(each)[:, 0]).tolist() for each in self._fits]
        self.median, self.dispersion = self._estimates[0]
        bounds = np.exp(self._interval(_logarithms))
        self.median_interval, self.dispersion_interval = map(tuple, bounds.T.tolist())

    def _interval(self, numbers):
        """Return the intervals of numbers(fits) [n, fits] as bounds [2, n] that cover both counts of failures."""
        free = self.clusters - 2
        part = 1 - 2 * scipy.stats.norm.cdf(scipy.stats.t.ppf(TAIL, free) * np.sqrt(self.clusters / free))
        bounds = []
        for fitted, resampled in zip(self._fits, self._resampled):
            estimate, values = numbers(fitted), numbers(resampled)
            with np.errstate(invalid="ignore"):
                distances = np.where(values == estimate, 0, np.abs(values - estimate))
            # A number that a resample does not determine counts as infinitely far from the estimate.
            distances = np.sort(np.where(np.isnan(distances), np.inf, distances))
            half = distances[:, [int(np.ceil(part * distances.shape[1])) - 1]]
            bounds.append(np.hstack([estimate - half, estimate + half]))
        low, high = np.moveaxis(bounds, 2, 0)
        return np.array([np.nanmin(low, axis=0), np.nanmax(high, axis=0)])

    def curve(self, a=None):
        """Return the curve with its band at intensities `a`, by default 101 over the range of the scan, as a DataFrame.

        Its columns are probability, if_below, lower and upper.
        """
        a = np.geomspace(*self._range, 101) if a is None else np.ravel(a)

        def arguments(fits):
            return fits[0] + fits[1] * np.log(a)[:, None]

        lower, upper = scipy.special.ndtr(self._interval(arguments))
        return pd.DataFrame({self.by: a, "probability": scipy.special.ndtr(arguments(self._fits[0])[:, 0]),
                             "if_below": scipy.special.ndtr(arguments(self._fits[-1])[:, 0]),
                             "lower": lower, "upper": upper})

    def plot(self, ax=None):
        """Draw the curve with its band and the part of the points that exceeds the limit, and return the Axes."""
        from matplotlib import pyplot

        ax = ax or pyplot.figure(layout="constrained").add_subplot()
        curve, counts, share = self.curve(), self.counts, self.counts["probability"]
        (line,) = ax.plot(curve[self.by], curve["probability"], label="lognormal curve")
        ax.fill_between(curve[self.by], curve["lower"], curve["upper"], color=line.get_color(), alpha=0.2, linewidth=0)
        ax.errorbar(counts[self.by], share, [share - counts["lower"], counts["upper"] - share], linestyle="",
                    marker="o", markersize=4, elinewidth=1, label="part of the points")
        of = "max |x|" if self.of == "peak_x" else self.of
        ax.set(xlabel=f"intensity {self.by}", ylabel=f"P({of} > {self.limit:g})", ylim=(-0.02, 1.02))
        ax.legend()
        return ax

    def to_dataframe(self):
        """Return the median and the dispersion as the rows of a DataFrame, with columns as of Scan.summary()."""
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
