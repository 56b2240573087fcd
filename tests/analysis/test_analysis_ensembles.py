"""Summaries of ensembles of records: intervals against exact binomial sums and on laws whose quantiles and fragility
curves are known, the fit against SciPy's minimizer on the single points, failed points against large and small demands,
and what the script draws."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

import response
from masing import ensembles
from masing import response as figures
from masing.errors import MasingError
from masing.results import Scan

LEVELS = np.geomspace(0.1, 2.5, 10)
MEDIAN, DISPERSION = 0.5, 0.4


def table_of(demand, intensity, cluster=None, failed=False):
    """The points of a scan as ensembles.points() returns them."""
    cluster = np.arange(len(demand)) if cluster is None else cluster
    return pd.DataFrame({"demand": demand, "intensity": intensity, "failed": failed, "cluster": cluster})


def records(random, count, shared):
    """Points of records at LEVELS that exceed 0 with the probability Φ(ln(a / MEDIAN) / DISPERSION); all points of a
    record have the part `shared` of the variance in common."""
    of_record, of_point = random.standard_normal((count, 1)), random.standard_normal((count, len(LEVELS)))
    chance = math.sqrt(shared) * of_record + math.sqrt(1 - shared) * of_point
    demand = np.log(LEVELS / MEDIAN) + DISPERSION * chance
    return table_of(demand.ravel(), np.tile(LEVELS, count), np.repeat(np.arange(count), len(LEVELS)))


def binomial(size, part, first, last):
    """P(first <= B <= last) of a binomial number B."""
    return math.fsum(math.comb(size, k) * part**k * (1 - part)**(size - k) for k in range(first, last + 1))


@pytest.mark.parametrize("size", [5, 40, 200])
def test_an_interval_of_a_quantile_is_the_shortest_of_order_statistics_that_holds(size):
    """Of the demands 1 to n each is its rank; the number of demands up to the true quantile is binomial."""
    demands = np.random.default_rng(1).permutation(np.arange(1.0, size + 1))
    table = ensembles.quantiles(table_of(demands, np.ones(size)), "a", (0.84, 0.16, 0.5))
    assert list(table["quantile"]) == [0.16, 0.5, 0.84] and (table["points"] == size).all()
    for _, q, _, _, value, if_below, lower, upper in table.itertuples(index=False):
        assert value == if_below == np.quantile(demands, q, method="inverted_cdf")
        low, high = (int(np.clip(bound, 0, size + 1)) for bound in (lower, upper))
        assert binomial(size, q, 0, low - 1) <= 0.025 < binomial(size, q, 0, low)
        assert binomial(size, q, high, size) <= 0.025 < binomial(size, q, high - 1, size)
        assert (low > 0) == np.isfinite(lower) and (high <= size) == np.isfinite(upper)


def test_intervals_of_probabilities_are_those_of_clopper_and_pearson():
    size = 20
    demand = [float(n < k) for k in range(size + 1) for n in range(size)]
    table = ensembles.exceedances(table_of(np.array(demand), np.repeat(np.arange(size + 1), size)), "k", 0.5)
    assert list(table["exceeded"]) == list(range(size + 1)) and np.array_equal(table["probability"], table["k"] / size)
    for k, lower, upper in table[["exceeded", "lower", "upper"]].itertuples(index=False):
        exact = stats.binomtest(int(k), size).proportion_ci(method="exact")
        assert (lower, upper) == pytest.approx(exact, abs=1e-10)


def likeliest(demand, intensity):
    """The median and the dispersion of greatest likelihood of points that exceed 0, by SciPy's minimizer."""
    sign = np.where(demand > 0, 1, -1)
    found = optimize.minimize(lambda b: -stats.norm.logcdf(sign * (b[0] + b[1] * np.log(intensity))).sum(), [0, 1],
                              method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11, "maxiter": 4000})
    return math.exp(-found.x[0] / found.x[1]), 1 / found.x[1]


@pytest.mark.parametrize("count", [6, 40])
def test_the_curve_has_the_greatest_likelihood(count):
    table = records(np.random.default_rng(count), count, 0.5)
    found = ensembles.Fragility(table, "a", 0, "y", 100)
    assert (found.median, found.dispersion) == pytest.approx(likeliest(table["demand"], table["intensity"]), rel=1e-6)
    curve = found.curve([0.2, MEDIAN])
    expected = stats.norm.cdf(np.log(np.array([0.2, MEDIAN]) / found.median) / found.dispersion)
    assert np.allclose(curve["probability"], expected, rtol=1e-12) and found.clusters == count
    assert (curve["lower"] < curve["probability"]).all() and (curve["probability"] < curve["upper"]).all()


def test_counts_without_a_finite_maximum_have_the_curves_that_they_tend_to():
    x, size = np.log([1.0, 2.0, 4.0]), np.full((1, 3), 5.0)

    def curve(*exceeded):
        intercept, slope = ensembles.fits(x, np.array([exceeded], dtype=float), size)
        return stats.norm.cdf(intercept + slope * np.r_[x, np.log(3)])

    assert (curve(0, 0, 0) == 0).all() and (curve(5, 5, 5) == 1).all()
    assert np.allclose(curve(3, 2, 1), 0.4, rtol=1e-12)
    assert np.allclose(curve(0, 0, 5)[:3], [0, 0, 1]) and np.allclose(curve(0, 2, 5)[[0, 2, 3]], [0, 1, 1])
    # A curve of two parameters passes through the parts at two intensities.
    assert np.allclose(stats.norm.cdf([1, x[1]] @ ensembles.fits(x[:2], np.array([[1.0, 3]]), size[:, :2])), 0.6)
    # One point more determines a slope.
    assert np.allclose(curve(0, 1, 4)[:3], [0.0031, 0.187, 0.812], atol=0.02)


@pytest.mark.first(1)
@pytest.mark.parametrize("shared", [1.0, 0.5])
def test_a_bootstrap_of_records_holds(long, shared):
    """In the parts of draws of 40 records that are asked for, the intervals of median and dispersion hold them."""
    draws, random, held = 500 if long else 40, np.random.default_rng(5), []
    for seed in range(draws):
        fit = ensembles.Fragility(records(random, 40, shared), "a", 0, "y", 1000 if long else 200, seed)
        held.append((fit.median_interval[0] <= MEDIAN <= fit.median_interval[1],
                     fit.dispersion_interval[0] <= DISPERSION <= fit.dispersion_interval[1]))
    # Three standard deviations of 40 draws are 10 %; of 500 draws the median is to hold in 93 %.
    assert min(np.mean(held, axis=0)) >= (0.93 if long else 0.85)


def test_points_that_fail_count_as_above_and_as_below():
    random = np.random.default_rng(6)
    table = records(random, 40, 0.5)
    table["failed"] = random.random(len(table)) < 0.05
    failed = table["failed"]
    lost = table.assign(demand=table["demand"].mask(failed))
    above, below = (table.assign(demand=table["demand"].mask(failed, value), failed=False) for value in (1e9, -1e9))
    for summarize, most in ((lambda each: ensembles.quantiles(each, "a", (0.16, 0.5)), "value"),
                            (lambda each: ensembles.exceedances(each, "a", 0), "probability")):
        both, over, under = (summarize(each).replace([1e9, -1e9], [np.inf, -np.inf]) for each in (lost, above, below))
        assert both["failed"].sum() in (failed.sum(), 2 * failed.sum())
        assert np.array_equal(both[[most, "if_below"]], np.c_[over[most], under[most]])
        assert np.array_equal(both[["lower", "upper"]], np.c_[under["lower"], over["upper"]])
    both, over, under = (ensembles.Fragility(each, "a", 0, "y", 200) for each in (lost, above, below))
    assert (both.median, both.dispersion) == (over.median, over.dispersion)
    assert list(both.to_dataframe()["if_below"]) == [under.median, under.dispersion]
    assert np.array_equal(both.curve()[["probability", "if_below"]],
                          np.c_[over.curve()["probability"], under.curve()["probability"]])
    for bound, widest in (("lower", np.minimum), ("upper", np.maximum)):
        assert np.array_equal(both.curve()[bound], widest(over.curve()[bound], under.curve()[bound]))
    assert f"; {failed.sum()} of 400 points failed" in str(both)


@pytest.mark.parametrize("demand", [(0, 0, 0, 0, 0, 0), (2, 2, 2, 2, 2, 2), (0, 0, 0, 2, 2, 2), (2, 0, 0, 0, 0, 0)])
def test_points_without_a_curve_are_refused(demand):
    table = table_of(np.array(demand, dtype=float), np.repeat([1.0, 2.0, 3.0], 2))
    with pytest.raises(MasingError, match="the points with y > 1 determine no curve over a: "):
        ensembles.Fragility(table, "a", 1, "y")


PULSES = ("--base-acceleration", "a*exp(-(t-5)^2/8)*sin((1+0.07*r)*t+r)", "--cells=inf", "--final-time=12",
          "--steps=600", "--scheme=leapfrog")
LIMIT = 1.0


@pytest.fixture(scope="module")
def pulses(made, tmp_path_factory):
    """A scan of twelve pulses, each at five intensities."""
    folder = tmp_path_factory.mktemp("pulses")
    table = folder / "samples.csv"
    table.write_text("r,c\n" + "".join(f"{n},{0.01 * (n % 3)!r}\n" for n in range(1, 13)), encoding="utf-8")
    return made("scan", folder / "12.h5", *PULSES, f"--samples={table}", "--damping=c", "--over=a=0.2:1:5")


def test_a_scan_is_summarized_by_its_columns(pulses):
    scan, frame = Scan(pulses), Scan(pulses).to_dataframe()
    frame["peak"] = frame[["most_x", "least_x"]].abs().max(axis=1)
    of_level = frame.groupby("a")
    median = scan.summary("peak_x", "a", quantiles=0.5)
    assert np.array_equal(median["value"], of_level["peak"].quantile(0.5, interpolation="lower"))
    # 84 % of twelve points are eleven.
    assert np.array_equal(scan.summary("most_x", by="a")["value"][2::3],
                          [rows["most_x"].nsmallest(11).max() for _, rows in of_level])
    one = scan.summary("most_x", "a", quantiles=0.5, where={"a": 0.6, "sample": 1})
    assert list(one["value"]) == list(frame["most_x"][np.isclose(frame["a"], 0.6) & (frame["sample"] == 1)])
    counts = scan.exceedance(LIMIT, "a")
    assert np.array_equal(counts["exceeded"], of_level["peak"].apply(lambda values: (values > LIMIT).sum()))
    found = scan.fragility(LIMIT, "a", resamples=200)
    assert found.counts.equals(counts) and found.clusters == 12
    assert found.median == pytest.approx(likeliest(frame["peak"] - LIMIT, frame["a"])[0], rel=1e-6)


@pytest.mark.parametrize("call, words", [
    (lambda scan: scan.summary("most_x", "a", quantiles=(0.5, 50)), "give numbers between 0 and 1"),
    (lambda scan: scan.exceedance(math.nan, "a"), "limit=nan: give a finite number"),
    (lambda scan: scan.fragility(LIMIT, "a", resamples=10), "10 resamples: a bootstrap needs at least 3 and 100"),
    (lambda scan: scan.fragility(LIMIT, "a", cluster="d"), "has no dataset d; it has a, "),
    (lambda scan: scan.fragility(LIMIT, "a", where={"a": 0.6}), "needs two or more intensities, all of them positive"),
    (lambda scan: scan.exceedance(LIMIT, "c"), "points of the same c and sample differ in a: choose some"),
    (lambda scan: scan.summary("peak", "a"), "has no dataset peak; it has a, "),
    (lambda scan: scan.summary("most_x", "a", where={"c": 0.5}), "no such point"),
    (lambda scan: scan.fragility(LIMIT, "a", where={"sample": 1}), "a bootstrap needs at least 3")])
def test_mistakes_are_told_in_one_line(pulses, call, words):
    with pytest.raises(MasingError, match=words):
        call(Scan(pulses))


def test_the_script_draws_quantiles_and_the_curve(pulses, run_script, tmp_path):
    out = tmp_path / "pulses.svg"
    scan = Scan(pulses)
    found = scan.fragility(LIMIT, "a")
    assert run_script(response, pulses, f"--limit={LIMIT}", "-o", out) == (0, f"{found}\n{out}\n", "")
    drawn = figures.ensemble_figure(scan, found)
    upper, lower = drawn.axes
    table = scan.summary("peak_x", "a")
    assert [line.get_label() for line in upper.lines] == ["84 %", "50 %", "16 %", "limit"]
    for line, q in zip(upper.lines, (0.84, 0.5, 0.16)):
        assert np.array_equal(line.get_ydata(), table["value"][table["quantile"] == q])
    assert np.array_equal(lower.lines[0].get_xydata(), found.curve()[["a", "probability"]])
    bars = [segment[:, 1] for segment in lower.containers[0][2][0].get_segments()]
    np.testing.assert_allclose(bars, scan.exceedance(LIMIT, "a")[["lower", "upper"]], atol=1e-12)
    part = figures.ensemble_figure(scan, scan.fragility(LIMIT, "a", where={"c": 0.01}), {"c": 0.01}).axes[0].lines[1]
    assert np.array_equal(part.get_ydata(), scan.summary("peak_x", "a", 0.5, where={"c": 0.01})["value"])
    printed = run_script(response, pulses, f"--limit={LIMIT}", "--over=a", "--where=c=0.01", "-o", out)[1]
    assert printed == f"{scan.fragility(LIMIT, 'a', where={'c': 0.01})}\n{out}\n"
    assert run_script(response, pulses, "--of=most_x", "-o", out)[2].endswith(" need --limit\n")
    assert "'c' is no parameter; the scan is over" in run_script(response, pulses, "--over=c", "-o", out)[2]
    # Without a limit, the panels of an ensemble are its quantiles, too.
    (draw, words), *_ = figures.panels(scan)
    draw(axes := figures.style.figure().add_subplot())
    assert words == "quantiles of max |x| over a, with bands of 95 %" and len(axes.lines) == 3
    assert np.array_equal(axes.lines[1].get_ydata(), table["value"][table["quantile"] == 0.5])
    # Twelve records do not bound the 16 % and 84 % quantiles from both sides; no band is drawn there.
    assert [len(each.get_paths()) for each in upper.collections] == [0, 1, 0]
