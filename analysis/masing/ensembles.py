"""Summaries of a scan of many records at several intensities: quantiles, exceedances of a limit, a fragility curve.

All intervals are of 95 %. A point counts as failed if it was not computed, or if its quantity is NaN. An estimate
counts failed points as above every limit, and the column `if_below` counts them as below; an interval covers both.
"""

import numpy as np
import pandas as pd
from scipy import sparse, special, stats

from masing.errors import UsageError, quoted
from masing.notation import listed, number

TAIL = 0.025
# The slope of a fitted curve that is a step.
STEEPEST = 1e12
# The largest number of counts of resamples, clusters and intensities that are held in memory at a time.
BLOCK = 4_000_000


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
            low, high = stats.binom.ppf([TAIL, 1 - TAIL], size, q).astype(int)
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
                         lower=np.where(least > 0, stats.beta.ppf(TAIL, least, size - least + 1), 0),
                         upper=np.where(most < size, stats.beta.ppf(1 - TAIL, most + 1, size - most), 1))


def fit(x, exceeded, size):
    """Return the most likely (intercept, slope) [fits] of the probabilities Φ(intercept + slope x) with slope >= 0.

    `x` are the logarithms of the intensities [levels]; at each of them `exceeded` of `size` points exceed the limit,
    both [fits, levels]. Three kinds of counts have no finite maximum with a positive slope:

    - If the exceedances do not grow with x, the slope is 0. The intercept then is infinite if there are none, or all.
    - If they begin at one intensity, below which there are none and above which there is nothing else, the slope is
      STEEPEST.

    All other fits are computed together by Newton's method. The logarithm of the likelihood is concave, and a step that
    would decrease it is halved.
    """
    x, middle, scale = (x - x.mean()) / x.std(), x.mean(), x.std()
    within = size - exceeded
    share = exceeded.sum(1) / size.sum(1)
    intercept, slope = special.ndtri(share), np.zeros(len(share))
    flat = ((exceeded - share[:, None] * size) * x).sum(1) <= 1e-12 * size.sum(1)
    first, last = np.where(exceeded > 0, x, np.inf).min(1), np.where(within > 0, x, -np.inf).max(1)
    step = ~flat & (last <= first)
    slope[step] = STEEPEST
    intercept[step] = -STEEPEST * (first + last)[step] / 2
    still = np.flatnonzero(~flat & ~step)
    for _ in range(200):
        if not still.size:
            break
        k, rest, a, b = exceeded[still], within[still], intercept[still, None], slope[still, None]
        z, before = a + b * x, _likelihood(k, rest, a + b * x)
        density = -z * z / 2 - np.log(2 * np.pi) / 2
        up, down = np.exp(density - special.log_ndtr(z)), np.exp(density - special.log_ndtr(-z))
        score, weight = k * up - rest * down, k * up * (up + z) + rest * down * (down - z)
        moments = [(weight * x**n).sum(1) for n in range(3)]
        forces = score.sum(1), (score * x).sum(1)
        determinant = moments[0] * moments[2] - moments[1]**2
        da = (moments[2] * forces[0] - moments[1] * forces[1]) / determinant
        db = (moments[0] * forces[1] - moments[1] * forces[0]) / determinant
        for _ in range(60):
            worse = _likelihood(k, rest, z + da[:, None] + db[:, None] * x) < before - 1e-12 * np.abs(before)
            if not worse.any():
                break
            da[worse] /= 2
            db[worse] /= 2
        intercept[still] += da
        slope[still] += db
        still = still[np.abs(da) + np.abs(db) > 1e-10 * (1 + slope[still])]
    return intercept - slope / scale * middle, slope / scale


def _likelihood(exceeded, within, z):
    return (exceeded * special.log_ndtr(z) + within * special.log_ndtr(-z)).sum(1)


class Fragility:
    """The lognormal fragility curve P(demand > limit) = Φ(ln(a / median) / dispersion) over the intensity a.

    `median` and `dispersion` have the greatest likelihood, and `median_interval` and `dispersion_interval` are pairs.
    The intervals and the band of the curve are from a bootstrap of clusters: all points of a record are drawn or left
    out together, because they are not independent. They are symmetric about the logarithms of the estimates and about
    the argument of Φ: half their width is a percentile of the distances of the resampled numbers from the estimate
    (P. Hall, On symmetric bootstrap confidence intervals, 1988). This percentile is increased as Student's t is against
    the normal distribution, for two parameters (T. Hesterberg, What teachers should know about the bootstrap, 2015).
    `counts` is the table of exceedances().
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
        size, *ways = (sparse.csr_matrix((each.astype(float), (owner, place)), shape=(len(labels), len(a)))
                       for each in (np.ones(len(table)), exceeded | failed, exceeded)[:3 if failed.any() else 2])
        self._fits = [np.stack(fit(x, np.asarray(way.sum(0)), np.asarray(size.sum(0)))) for way in ways]
        self._require_curve(a, self._fits[0][1, 0])
        resampled, left, most = [[] for _ in ways], resamples, max(1, BLOCK // max(len(a), len(labels)))
        while left:
            drawn = random.multinomial(len(labels), np.full(len(labels), 1 / len(labels)), min(left, most))
            for way, fits in zip(ways, resampled):
                fits.append(fit(x, drawn @ way, drawn @ size))
            left -= len(drawn)
        self._resampled = [np.concatenate(each, axis=1) for each in resampled]
        self._estimates = [np.exp(_logarithms(each)[:, 0]).tolist() for each in self._fits]
        self.median, self.dispersion = self._estimates[0]
        bounds = np.exp(self._interval(_logarithms))
        self.median_interval, self.dispersion_interval = map(tuple, bounds.T.tolist())

    def _require_curve(self, a, slope):
        """Raise MasingError if the counts at the intensities a, with failed points above the limit, fix no curve."""
        failed, size = self.counts["failed"].to_numpy(), self.counts["points"].to_numpy()
        exceeded, name = self.counts["exceeded"].to_numpy() + failed, self.by
        what = f"{self.of} = {self.limit:g}" + " (failed points count as exceeding it)" * bool(failed.any())
        if not exceeded.any():
            raise UsageError(f"no point up to {name} = {a[-1]:g} exceeds {what}: lower the limit, or scan larger "
                              f"{name}")
        if (exceeded == size).all():
            raise UsageError(f"every point from {name} = {a[0]:g} on exceeds {what}: raise the limit, or scan smaller "
                              f"{name}")
        if slope == 0:
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
        widened = stats.t.ppf(TAIL, free) * np.sqrt(self.clusters / free)
        part = 1 - 2 * stats.norm.cdf(widened)
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

        lower, upper = special.ndtr(self._interval(arguments))
        return pd.DataFrame({self.by: a, "probability": special.ndtr(arguments(self._fits[0])[:, 0]),
                             "if_below": special.ndtr(arguments(self._fits[-1])[:, 0]), "lower": lower, "upper": upper})

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
