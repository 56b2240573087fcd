"""Identify the continuous model: the stiffness density k(s) with which a chosen η(s) gives the measured branch."""

from collections import namedtuple

import numpy as np
import scipy

from masing import commands
from masing.cycles.half_cycles import loading
from masing.cycles.polygons import NORMAL_95, grouped
from masing.errors import MasingError
from masing.identification.discrete import Elements, last_slope_spring

DEGREE, MOST_INTERVALS, POINTS_PER_INTERVAL = 3, 40, 5
# The fit is averaged over the weights w = SMOOTHINGS of its penalty on the roughness of k(s). The prior density of
# log w is w to the power -PRIOR: with 0 all log w would be equally probable, with 0.5 all of the roughness 1/sqrt(w).
SMOOTHINGS, PRIOR = np.logspace(-12, 8, 81), 0.25
# The half-width of the 95 % band of k(s) in standard deviations, less than 1.96, because actual k(s) are smoother than
# the prior assumes: for 80 random cycles (seeds 1000 to 1079 of tests/analysis/test_analysis_band.py) the band contains
# the true k at 95 % of all s.
BAND = 1.45
# Additional elements at the ends of the range of η are used if each has at most LARGEST_END times the stiffness of the
# spline, and if they reduce the score of generalised cross-validation by more than the factor LEAST_GAIN. Each
# parameter counts as COST parameters there, so that the fit with the lowest score does not fit the noise.
LARGEST_END, LEAST_GAIN, COST = 0.005, 1.1, 1.4
# The model requires k > 0. The least density that is returned is this fraction of the mean density.
LEAST_STIFFNESS = 1e-6
# The number of cells at whose midpoints the program evaluates η(s).
PLACES = 4000


class Continuous(namedtuple("Continuous", "branch s threshold stiffness stiffness_width known k0 start_force "
                                          "smoothing freedom noise estimates ends")):
    """An identified continuous model; arrays are [places].

    `branch` is the Loading that was fitted, and `start_force` the force at its start. `threshold` and `stiffness` are
    η and k at the places `s`, and `stiffness_width` is the half-width of the 95 % band of k. `known` says which places
    yield; for the others, only the sum of k0 and of their integral of k is measured. `smoothing` is the most probable
    weight of the penalty ∫ k''² ds, `freedom` the effective number of parameters, and `noise` the standard deviation of
    the residuals. `estimates` are the numbers of _estimates(), and `ends` is the stiffness of the elements at the ends
    of η that the fit has beside k(s), or 0.
    """

    # k0 is not known if a place does not yield.
    k0_width = property(lambda self: self.estimates["last_slope"][1] if self.known.all() else np.nan)
    parameters = property(lambda self: self.freedom)
    elements = property(lambda self: Elements(self.k0, self.stiffness / len(self.s), self.threshold))


def identify_continuous(path, half, s, threshold):
    """Return the Continuous model that a HalfCycle determines for a strictly monotone η(s_i) = threshold [places].

    The s_i are the midpoints of equal cells of [0, 1]. The force Θ at the distance d from the reversal is fitted by
    Θ(d) = Θ(0) + p d + ∫ k(s) min(d, 2 η(s)) ds over the s that yield, where k is a cubic spline with a penalty on k''.
    Then Θ''(2η) = -k/(2|η'|), which is (27), continuous-masing-2001, for an affine η.
    """
    if not (np.all(np.diff(threshold) > 0) or np.all(np.diff(threshold) < 0)):
        raise MasingError("threshold: η(s) must be strictly monotone on [0, 1]: k(s) is read off where cell after "
                          "cell yields")
    branch = loading(path, half, half.x[0])
    known = 2 * threshold <= branch.width
    if np.count_nonzero(known) < DEGREE + 1:
        raise MasingError(f"threshold: η(s) is at least {threshold.min():.6g}, but the cells of this cycle yield "
                          f"below {branch.width / 2:.6g}, half its width; choose a smaller η(s)")
    distance, force = grouped(branch.distance, branch.force)
    error = np.ones(len(distance)) if branch.error is None else grouped(branch.distance, branch.error)[1]
    weight = error.min() / error
    first, last = np.sort(2 * threshold[known][[0, -1]])
    inside = np.count_nonzero((distance >= first) & (distance <= last))
    basis = _basis(s[known], min(MOST_INTERVALS, max(1, inside // POINTS_PER_INTERVAL)))
    beyond = _beyond_cells(threshold, known, branch.width / 2)
    fit = _fit(distance, force, weight, threshold[known], basis / len(s), beyond)
    return _continued(branch, s, threshold, known, basis, fit)


def threshold_values(masing, threshold):
    """Return the midpoints s_i of PLACES cells, and η(s_i) as the program at the path `masing` evaluates it."""
    options = {"threshold": threshold, "force": 0, "cells": PLACES, "rule": "midpoint", "steps": 1, "final_time": 1e-9,
               "field_points": 0, "quiet": True}
    try:
        _, run = commands.run("simulate", options, masing=masing)
    except MasingError as error:
        raise type(error)(str(error).replace("--threshold", "threshold"), error.code) from None
    return run.s, run.eta


def _beyond_cells(threshold, known, amplitude):
    """Return how far s with η(s) = amplitude is beyond the outermost of the `known` cells, in cells (-1/2 to 1/2)."""
    rising, count = np.sort(threshold), np.count_nonzero(known)
    if count == len(rising):
        return 0.0
    return (amplitude - rising[count - 1]) / (rising[count] - rising[count - 1]) - 0.5


def _basis(s, intervals):
    """Return the cubic B-splines on equal intervals of the range of s: [places, intervals + 3]."""
    half_cell = (s[1] - s[0]) / 2
    step = (s[-1] - s[0] + 2 * half_cell) / intervals
    knots = s[0] - half_cell + step * np.arange(-DEGREE, intervals + DEGREE + 1)
    return scipy.interpolate.BSpline.design_matrix(s, knots, DEGREE).toarray()


# The `coefficients` of a fit are Θ(0), p, the stiffnesses of the additional elements in a fit with them, and those of
# the spline; `score` is that of generalised cross-validation.
_Fit = namedtuple("_Fit", "coefficients covariance smoothing freedom noise score estimates ends",
                  defaults=[None, 0.0])


def _fit(distance, force, weight, threshold, shares, beyond=0.0):
    """Return a fit of the force by the spline, with or without two additional elements at the ends of the range of η.

    The thresholds of a model with cells may end about one cell before or after the range of η(s), which would make k(s)
    oscillate; the two elements, which are not part of k(s), prevent this. `shares` [places, splines] are the B-splines
    divided by the number of places.
    """
    answers = np.column_stack([Elements(0.0, each, threshold).branch(distance) for each in shares.T])
    tied = np.column_stack([np.ones_like(distance), distance, answers])
    ends = np.minimum(distance[:, None], 2 * threshold[[0, -1]])
    alone, with_ends = (_smoothed(columns * weight[:, None], force * weight, shares.shape[1])
                        for columns in (tied, np.column_stack([tied[:, :2], ends, answers])))
    small = np.all(np.abs(with_ends.coefficients[2:4])
                   <= LARGEST_END * shares.sum(axis=0) @ np.abs(with_ends.coefficients[4:]))
    best = with_ends if small and with_ends.score < alone.score / LEAST_GAIN else alone
    elements = shares if best is alone else np.hstack([np.eye(len(threshold))[:, [0, -1]], shares])
    edge = beyond * shares[-1 if threshold[-1] > threshold[0] else 0]
    edge = np.r_[np.zeros(elements.shape[1] - len(edge)), edge]
    estimates = _estimates(best, threshold, elements, distance[-1], edge)
    keep = np.r_[:2, len(best.coefficients) - shares.shape[1]:len(best.coefficients)]
    # The noise is that of a sample with the mean variance.
    return best._replace(coefficients=best.coefficients[keep], covariance=best.covariance[np.ix_(keep, keep)],
                         noise=best.noise * np.sqrt(np.mean(weight**-2.0)), estimates=estimates,
                         ends=float(best.coefficients[2:keep[2]].sum()))


def _estimates(fit, threshold, elements, width, edge):
    """Return numbers of the fitted cycle of this `width` as {name: (value, half-width of the 95 % interval)}.

    `k_integral` is the integral of k over the s that yield, and `last_slope` is k0 plus that over the other s.
    `elements` are the stiffnesses at the places for coefficients of 1, and `edge` those of the part of a cell by which
    the integral ends beyond the places. The damping ratio is linearised in the coefficients.
    """
    stiffness, slid = elements.sum(axis=0), 2 * np.minimum(threshold, width / 2) @ elements / width
    lost = 4 * (threshold * np.maximum(width / 2 - threshold, 0)) @ elements
    rows = np.array([np.r_[0, 0, stiffness + edge], np.r_[0, 1, -edge], np.r_[0, 0, lost], np.r_[0, 1, slid]])
    integral, slope, area, secant = rows @ fit.coefficients
    factor = 1 / (2 * np.pi * secant * (width / 2)**2)
    rows[3] = factor * (rows[2] - area / secant * rows[3])
    widths = NORMAL_95 * np.sqrt(np.einsum("ij,jk,ik->i", rows, fit.covariance, rows))
    values = integral, slope, area, factor * area
    return dict(zip(("k_integral", "last_slope", "area", "damping_ratio"), zip(map(float, values), map(float, widths))))


def _smoothed(columns, force, splines):
    """Return the least-squares fit of the force with a penalty on k'', averaged over the weights SMOOTHINGS.

    The last `splines` columns belong to the spline. Each fit counts in proportion to the prior density and the marginal
    likelihood (REML) of its weight. The covariance of the average is the mean of those of the fits, which include the
    bias of smoothing, plus that of the fits among each other. If p or a coefficient of the spline is negative in the
    average, the fit with the most probable weight and with these >= 0 replaces it. Source: Wahba, J. R. Stat. Soc. B 45
    (1983) 133-150, for one weight.
    """
    n = len(force)
    scale = np.linalg.norm(columns, axis=0)
    q, r = np.linalg.qr(columns / scale)
    answer = q.T @ force
    beyond = np.sum((force - q @ answer)**2)
    others = columns.shape[1] - splines
    # The penalty acts on the second differences of the coefficients of the spline before the columns were scaled.
    roughness = np.hstack([np.zeros((splines - 2, others)), np.diff(np.eye(splines), 2, axis=0)])
    roughness = roughness / scale * scale[others:].mean()
    free = n - others - 2

    def solved(smoothing):
        upper, triangle = np.linalg.qr(np.vstack([r, np.sqrt(smoothing) * roughness]))
        upper = upper[:len(r)]
        solution = np.linalg.solve(triangle, upper.T @ answer)
        left = beyond + np.sum((r @ solution - answer)**2)
        penalised = left + smoothing * np.sum((roughness @ solution)**2)
        likelihood = (splines - 2) / 2 * np.log(smoothing) - np.log(np.abs(np.diag(triangle))).sum() \
            - free / 2 * np.log(penalised)
        inverse = np.linalg.inv(triangle)
        return solution, left, np.sum(upper**2), penalised / free * inverse @ inverse.T, likelihood

    fits = [solved(smoothing) for smoothing in SMOOTHINGS]
    solutions, lefts, freedoms, covariances, likelihoods = (np.array(each) for each in zip(*fits))
    score = (n * lefts / (n - COST * freedoms)**2).min()
    likelihoods = likelihoods - PRIOR * np.log(SMOOTHINGS)
    weights = np.exp(likelihoods - likelihoods.max())
    weights /= weights.sum()
    solution = weights @ solutions
    off = solutions - solution
    covariance = np.einsum("i,ijk->jk", weights, covariances) + np.einsum("i,ij,ik->jk", weights, off, off)
    likeliest, freedom = SMOOTHINGS[int(np.argmax(weights))], weights @ freedoms
    least = np.r_[-np.inf, 0, np.full(others - 2, -np.inf), np.zeros(splines)]
    if np.any(solution < least):
        stacked, rest = np.vstack([r, np.sqrt(likeliest) * roughness]), np.r_[answer, np.zeros(len(roughness))]
        solution = scipy.optimize.lsq_linear(stacked, rest, (least, np.inf), method="bvls").x
    left = beyond + np.sum((r @ solution - answer)**2)
    noise = np.sqrt(left / max(n - freedom, 1))
    return _Fit(solution / scale, covariance / np.outer(scale, scale), likeliest, freedom, noise, score)


def _continued(branch, s, threshold, known, basis, fit):
    """Return the fit as a Continuous model; where nothing yields, k is that of the nearest place, or less."""
    stiffness, width = np.empty_like(s), np.full_like(s, np.nan)
    stiffness[known] = basis @ fit.coefficients[2:]
    width[known] = BAND * np.sqrt(np.einsum("ij,jk,ik->i", basis, fit.covariance[2:, 2:], basis))
    least = LEAST_STIFFNESS * stiffness[known].mean()
    k0, unknown = fit.coefficients[1], np.mean(~known)
    if unknown:
        edge = stiffness[known][-1 if known[0] else 0]
        stiffness[~known] = min(edge, k0 / unknown)
        k0 -= stiffness[~known][0] * unknown
    return Continuous(branch, s, threshold, np.maximum(stiffness, least), width, known,
                      last_slope_spring(k0, stiffness.mean()),
                      fit.coefficients[0], fit.smoothing, fit.freedom, fit.noise, fit.estimates, fit.ends)
