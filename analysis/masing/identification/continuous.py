"""Identification of the continuous model: the stiffness density k(s) that a chosen η(s) needs for a measured branch."""

from collections import namedtuple

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import lsq_linear

from masing import commands
from masing.cycles.half_cycles import loading
from masing.cycles.polygons import grouped
from masing.errors import MasingError
from masing.identification.discrete import Elements, last_slope_spring

DEGREE = 3
MOST_INTERVALS = 40
POINTS_PER_INTERVAL = 5
# How probable a smoothing is before the data: as its power -PRIOR. 0 is flat in its logarithm, and so for ever
# straighter k; 0.5 is flat in the roughness.
PRIOR = 0.25
# Half the band's width in standard deviations. Stiffness densities are smoother than the rough k that is allowed for:
# of 80 random cycles (seeds 1000 to 1079 of tests/analysis/test_analysis_band.py) 95 % of s lie within so many.
BAND = 1.45
SMOOTHINGS = np.logspace(-12, 8, 81)
# Whether the branch has elements at the ends of η is asked of generalised cross-validation, in which parameters count a
# little more than one each; otherwise it sometimes fits the noise.
COST = 1.4
# Elements at the ends of η are taken out if they have at most this part of the stiffness, and lower the criterion so much.
LARGEST_END = 0.005
LEAST_GAIN = 1.1
# The fit needs k > 0: the least density, as a fraction of the mean.
LEAST_STIFFNESS = 1e-6
# The number of cells at which the program evaluates η(s).
PLACES = 4000


class Continuous(namedtuple("Continuous", "branch s threshold stiffness stiffness_width known k0 start_force "
                                          "smoothing freedom noise")):
    """k(s_i) with its 95 % half-width, at places s_i with yield displacements η(s_i), each [places], and k0.

    `known` marks the places that yield in the branch; elsewhere k continues constant, and only k0 + ∫ k ds over them is
    measured. `smoothing` is the likeliest weight of ∫ k''², `freedom` the parameters that are left in effect.
    """

    parameters = property(lambda self: self.freedom, doc="How many numbers were fitted, in effect.")
    elements = property(lambda self: Elements(self.k0, self.stiffness / len(self.s), self.threshold),
                        doc="The places as elements of the stiffness k(s_i)/places.")


def identify_continuous(path, half, s, threshold):
    """The Continuous model of a HalfCycle for η(s_i) = threshold at the equidistant middles s_i [places], monotone.

    Fits Θ(d) = Θ(0) + p d + ∫ k(s) min(d, 2 η(s)) ds over the cells that yield, so that Θ''(2η) = -k/(2|η'|) holds,
    which is (27), continuous-masing-2001, for an affine η; k is a cubic spline under a penalty on k''. Raises MasingError
    where η is not monotone, or nothing of it yields.
    """
    if not (np.all(np.diff(threshold) > 0) or np.all(np.diff(threshold) < 0)):
        raise MasingError("--threshold: η(s) must be strictly monotone on [0, 1]: k(s) is read off where cell after cell "
                          "yields")
    branch = loading(path, half, half.x[0])
    known = 2 * threshold <= branch.width
    if np.count_nonzero(known) < DEGREE + 1:
        raise MasingError(f"--threshold: η(s) is at least {threshold.min():.6g}, but the cells of this cycle yield below "
                          f"{branch.width / 2:.6g}, half its width; choose a smaller η(s)")
    distance, force = grouped(branch.distance, branch.force)
    weight = np.ones(len(distance))
    if branch.error is not None:
        # The least error over that of each sample, or group of samples.
        weight = grouped(branch.distance, branch.error)[1]
        weight = weight.min() / weight
    first, last = np.sort(2 * threshold[known][[0, -1]])
    inside = np.count_nonzero((distance >= first) & (distance <= last))
    basis = _basis(s[known], min(MOST_INTERVALS, max(1, inside // POINTS_PER_INTERVAL)))
    fit = _fit(distance, force, weight, threshold[known], basis / len(s))
    return _continued(branch, s, threshold, known, basis, fit)


def threshold_values(masing, threshold):
    """The middles s_i of PLACES cells and η(s_i) as the program evaluates the expression or table `threshold`."""
    _, run = commands.run("simulate", {"threshold": threshold, "cells": PLACES, "rule": "midpoint", "steps": 1,
                                       "final_time": 1e-9, "field_points": 0, "quiet": True}, masing=masing)
    return run.s, run.eta


def _basis(s, intervals):
    """Cubic B-splines on equal intervals of the range of s: [places, intervals + 3]."""
    half_cell = (s[1] - s[0]) / 2
    ends = np.linspace(s[0] - half_cell, s[-1] + half_cell, intervals + 1)
    step = ends[1] - ends[0]
    knots = np.r_[ends[0] - step * np.arange(DEGREE, 0, -1), ends, ends[-1] + step * np.arange(1, DEGREE + 1)]
    return BSpline.design_matrix(s, knots, DEGREE).toarray()


def _answers(distance, threshold, weights):
    """Σ_i weights[i, j] min(d, 2 η_i): [points, functions], by sums over the cells in the order of η."""
    order = np.argsort(threshold)
    weights, threshold = weights[order], threshold[order]
    stiff = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights, axis=0)])
    slid = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights * threshold[:, None], axis=0)])
    passed = np.searchsorted(threshold, distance / 2, side="right")
    return distance[:, None] * (stiff[-1] - stiff[passed]) + 2 * slid[passed]


_Fit = namedtuple("_Fit", "coefficients covariance smoothing freedom noise score ends")


def _fit(distance, force, weight, threshold, shares):
    """The spline alone, or with two elements at the ends of η if these are small, but above the noise.

    The cells of a measured model may end about one cell before or after η(s): the papers' rule has none at s = 0. The
    wrong end makes k(s) oscillate. The two elements take up the difference and are not part of k(s).
    """
    answers = _answers(distance, threshold, shares)
    tied = np.column_stack([np.ones_like(distance), distance, answers])
    ends = np.minimum(distance[:, None], 2 * threshold[[0, -1]])
    alone, with_ends = (_smoothed(columns * weight[:, None], force * weight, shares.shape[1])
                        for columns in (tied, np.column_stack([tied[:, :2], ends, answers])))
    small = np.all(np.abs(with_ends.ends) <= LARGEST_END * shares.sum(axis=0) @ np.abs(with_ends.coefficients[2:]))
    best = with_ends if small and with_ends.score < alone.score / LEAST_GAIN else alone
    # Of a sample of mean variance, not of the most exact one.
    return best._replace(noise=best.noise * np.sqrt(np.mean(weight**-2.0)))


def _smoothed(columns, force, splines):
    """Penalised least squares with every smoothing, weighed by its marginal likelihood; the noise is unknown, too.

    To penalise k'' by a weight is to expect k to be a Wiener process integrated once more; the data say by their
    likelihood how rough it is. The mean over the smoothings is the estimate. Its covariance is the mean of theirs, which
    the roughness that one expects widens, and that of the estimates among them: so the bias of smoothing is in it.
    Source: Wahba, J. R. Stat. Soc. B 45 (1983) 133-150, for one smoothing; the likelihood is that of REML.
    """
    n = len(force)
    scale = np.linalg.norm(columns, axis=0)
    q, r = np.linalg.qr(columns / scale)
    answer = q.T @ force
    beyond = np.sum((force - q @ answer)**2)
    others = columns.shape[1] - splines
    # Second differences of the spline's coefficients, as densities that are comparable with each other.
    roughness = np.hstack([np.zeros((splines - 2, others)), np.diff(np.eye(splines), 2, axis=0)])
    roughness = roughness / scale * scale[others:].mean()
    free = n - others - 2

    def solved(smoothing):
        upper, triangle = np.linalg.qr(np.vstack([r, np.sqrt(smoothing) * roughness]))
        upper = upper[:len(r)]
        found = np.linalg.solve(triangle, upper.T @ answer)
        left = beyond + np.sum((r @ found - answer)**2)
        penalised = left + smoothing * np.sum((roughness @ found)**2)
        likelihood = (splines - 2) / 2 * np.log(smoothing) - np.log(np.abs(np.diag(triangle))).sum() \
            - free / 2 * np.log(penalised)
        inverse = np.linalg.inv(triangle)
        return found, left, np.sum(upper**2), penalised / free * inverse @ inverse.T, likelihood

    fits = [solved(smoothing) for smoothing in SMOOTHINGS]
    founds, lefts, freedoms, covariances, likelihoods = (np.array(each) for each in zip(*fits))
    score = (n * lefts / (n - COST * freedoms)**2).min()
    likelihoods = likelihoods - PRIOR * np.log(SMOOTHINGS)
    weights = np.exp(likelihoods - likelihoods.max())
    weights /= weights.sum()
    found = weights @ founds
    off = founds - found
    covariance = np.einsum("i,ijk->jk", weights, covariances) + np.einsum("i,ij,ik->jk", weights, off, off)
    likeliest, freedom = SMOOTHINGS[int(np.argmax(weights))], weights @ freedoms
    least = np.r_[-np.inf, 0, np.full(others - 2, -np.inf), np.zeros(splines)]
    if np.any(found < least):
        stacked, rest = np.vstack([r, np.sqrt(likeliest) * roughness]), np.r_[answer, np.zeros(len(roughness))]
        found = lsq_linear(stacked, rest, (least, np.inf), method="bvls").x
    left = beyond + np.sum((r @ found - answer)**2)
    noise = np.sqrt(left / max(n - freedom, 1))
    keep = np.r_[:2, others:len(found)]
    return _Fit((found / scale)[keep], (covariance / np.outer(scale, scale))[np.ix_(keep, keep)], likeliest,
                freedom, noise, score, found[2:others] / scale[2:others])


def _continued(branch, s, threshold, known, basis, fit):
    """The fit as a Continuous model: beyond the known places k is constant, at most what the last slope allows."""
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
                      fit.coefficients[0], fit.smoothing, fit.freedom, fit.noise)
