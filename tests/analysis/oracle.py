"""Independent simulations of Masing models, and curves of a laboratory, to read the models off again."""

import math

import numpy as np
from clamping import clamped

# Tables IV and V of rheological-models-2000: η, k and the force's amplitude at which all elements yield.
TABLES = {"IV": ([1, 2, 3, 4, 5], [1, 1, 1, 1, 1], 15),
          "V": ([1 / 2, 1, 2, 7 / 2, 11 / 2], [1, 2, 2 / 3, 1 / 12, 1 / 4], 6.6)}
# Turns of x that reach 2 and -2, unload a little, slip back a part of it and go on.
SLIPS = (2, 1.9, 1.98, -2, -1.9, -1.98)


def driven(threshold, stiffness, amplitude, steps=60000, final_time=60.0):
    """Samples (t, x, y, force, restoring) of each step of (4.1), (4.2), rheological-models-2000, for F = f cos(t/2)."""
    h, x, y, u = final_time / steps, 0.0, 0.0, [0.0] * len(threshold)
    rows = []
    for p in range(steps + 1):
        t = p * final_time / steps
        force = amplitude * math.cos(0.5 * t)
        restoring = sum(k * each for k, each in zip(stiffness, u))
        rows.append((t, x, y, force, restoring))
        u = [min(max(each + h * y, -eta), eta) for each, eta in zip(u, threshold)]
        x, y = x + h * y, y + h * (force - restoring)
    return np.array(rows).T


def papers_case(cells, steps, final_time, every):
    """The samples of driven() for the papers' η_i = i/P + 0.1 and k_i = 1/P, each `every` steps."""
    eta = (np.arange(cells) + 1) / cells + 0.1
    return driven(eta.tolist(), [1 / cells] * cells, 0.45, steps=steps, final_time=final_time)[:, ::every]


def drive(x, threshold, stiffness, k0=0.0, down=None, u0=0.0):
    """The restoring force [points] of elements, each [n], with elongations u0 at x = 0 and led along x [points]; their
    thresholds downwards are `down`, else those upwards."""
    places = np.r_[0.0, x]
    elongations = clamped(places, np.zeros(len(threshold)) + u0, threshold, down)
    return np.array([k0 * place + np.dot(stiffness, u) for place, u in zip(places, elongations)][1:])


def one_cycle(amplitude, points):
    """x from 0 to the top, then once round a cycle of the amplitude, `points` samples a half-cycle."""
    turn = amplitude * np.cos(np.linspace(0, 2 * np.pi, 2 * points))
    return np.r_[np.linspace(0, amplitude, points)[:-1], turn]


def led(*turns):
    """x [points] that moves between the turns, each way as a cosine of 60 steps."""
    rise = (1 - np.cos(np.linspace(0, np.pi, 61)[1:])) / 2
    return np.concatenate([[turns[0]], *(start + (end - start) * rise for start, end in zip(turns, turns[1:]))])


def continuum(threshold, stiffness, cells=1500):
    """η_i and k_i/P of the cells s_i = i/P, the papers' rule."""
    s = np.arange(1, cells + 1) / cells
    return threshold(s), stiffness(s) / cells + 0 * s


def noisy(force, share, seed):
    """The force with normal noise of this share of its range."""
    return force + share * np.ptp(force) * np.random.default_rng(seed).standard_normal(len(force))


def write_csv(path, heading, *columns):
    """A CSV of the columns in full precision."""
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=heading, comments="", fmt="%.17g")
    return path
