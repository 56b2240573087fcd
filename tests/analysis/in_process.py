"""What runs cost from Python, in the process and by the program: a run of 1000 steps, a fit, an ensemble.

    MASING_PROGRAM=build/masing PYTHONPATH=analysis /usr/bin/python3 tests/analysis/in_process.py
"""

import os
import time
import warnings

import numpy as np
from scipy.optimize import least_squares

import masing

RUN = {"cells": 100, "final_time": 60, "steps": 1000, "scheme": "leapfrog"}


def fit():
    """(number of runs, [k0, η(0)]) of the fit of k0 and η to x(t) with noise."""
    measured = masing.simulate(**RUN, k0=0.25, threshold="s+0.2").x
    measured = measured + 1e-3 * np.random.default_rng(1).standard_normal(len(measured))
    runs = 1

    def misfit(parameters):
        nonlocal runs
        runs += 1
        k0, eta = parameters
        return masing.simulate(**RUN, k0=k0, threshold=f"s+{eta}").x - measured
    found = least_squares(misfit, [0.1, 0.1], bounds=(0, np.inf), x_scale=[0.1, 0.1],
                          ftol=1e-5)
    return runs, found.x


def ensemble():
    """The standard deviation of max |x| of 200 runs with a random factor of the force."""
    factors = np.random.default_rng(2).uniform(0.3, 0.6, 200)
    return np.std([abs(masing.simulate(**RUN, force=f"{factor}*cos(0.5*t)").x).max() for factor in factors])


def seconds(work, repeats):
    """The least time of several, and what came out."""
    least = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        value = work()
        least = min(least, time.perf_counter() - begin)
    return least, value


def main():
    """Print the table."""
    warnings.simplefilter("ignore")
    for name, setting, repeats in (("module", "1", 5), ("program", "0", 1)):
        os.environ["MASING_MODULE"] = setting
        masing.simulate(**RUN)
        run, _ = seconds(lambda: masing.simulate(**RUN).x, 40 * repeats)
        of_fit, (runs, found) = seconds(fit, repeats)
        of_ensemble, spread = seconds(ensemble, repeats)
        print(f"{name:8}  run {1000 * run:7.2f} ms   fit {of_fit:6.3f} s ({runs} runs, k0 = {found[0]:.6f}, eta = s+"
              f"{found[1]:.6f})   ensemble {of_ensemble:6.3f} s (spread {spread:.6f})")


if __name__ == "__main__":
    main()
