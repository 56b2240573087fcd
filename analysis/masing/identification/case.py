"""Write a case file for an identified model, with which the program computes its motion round the measured cycle."""

from pathlib import Path

import numpy as np

from masing.command_line import write_file
from masing.identification.discrete import Discrete
from masing.text import csv

# The circular frequency ω of the motion. The mass is k0 + Σk, so that it is 1 for the model without yielding.
FREQUENCY = 0.2
# The time at which the motion first reaches x = -X, for the amplitude X.
REVERSAL = np.pi / (np.sqrt(2) * FREQUENCY)
FORCE_POINTS, STIFFNESS_POINTS, CELLS = 4000, 400, 2000
# The numbers of steps, and of steps between two samples. The scheme of the discrete model is of order one.
SIZE = {"discrete": (400000, 40), "continuous": (40000, 10)}
# The tables of a case.
TABLES = ("force", "stiffness")


def write_case(path, fitted, threshold=None):
    """Write the case file `path` and its tables for a Discrete model, or a Continuous one and its text η(s).

    The force moves the mass from rest to x = -X, and then along x = -X cos(ω t') once round the cycle.
    """
    elements, amplitude = fitted.elements, fitted.branch.width / 2
    mass = elements.k0 + elements.stiffness.sum()
    start, end = REVERSAL, REVERSAL + 2 * np.pi / FREQUENCY
    force = _table(path, "force", "t", *_force(elements, amplitude, mass, end))
    steps, every = SIZE["discrete" if isinstance(fitted, Discrete) else "continuous"]
    if isinstance(fitted, Discrete):
        order = np.argsort(elements.threshold)
        k, eta = (", ".join(repr(float(value)) for value in values[order])
                  for values in (elements.stiffness, elements.threshold))
        model, section = ["model = discrete-masing"], ["", "[model]", f"n = {len(order)}", f"k = {k}", f"eta = {eta}"]
    else:
        places = np.linspace(0, 1, STIFFNESS_POINTS + 1)
        stiffness = _table(path, "stiffness", "s", places, np.interp(places, fitted.s, fitted.stiffness))
        model, section = [f"stiffness = table:{stiffness}", f"threshold = {threshold}", "initial-u = 0",
                          f"cells = {CELLS}", "rule = midpoint", "scheme = leapfrog"], []
    text = [f"# Identified by masing from {fitted.branch.path.name}.", *model, f"force = table:{force}",
            f"mass = {mass!r}", f"k0 = {elements.k0!r}", "x0 = 0", "y0 = 0", f"final-time = {end!r}",
            f"steps = {steps}", f"sample-every = {every}", f"from = {start!r}", f"to = {end!r}", *section]
    write_file(path, ("\n".join(text) + "\n").encode())


def _force(elements, amplitude, mass, end):
    """Return times [points], and the force F = m x'' + f of the motion."""
    start = REVERSAL
    turn = start + np.pi / FREQUENCY
    times = np.r_[np.linspace(0, start, FORCE_POINTS)[:-1], np.linspace(start, end, 2 * FORCE_POINTS + 1)]
    fast, slow = np.sqrt(2) * FREQUENCY * times, FREQUENCY * (times - start)
    virgin = amplitude / 2 * (1 - np.cos(fast))
    round_it = amplitude * (1 - np.cos(slow))
    top = elements.backbone(np.array(amplitude))
    # Before x = -X is reached, the circular frequency is √2 ω, so that the acceleration is continuous there.
    inertia = mass * amplitude * FREQUENCY**2 * np.where(times < start, -np.cos(fast), np.cos(slow))
    restoring = np.select([times < start, times < turn], [-elements.backbone(virgin), elements.branch(round_it) - top],
                          top - elements.branch(2 * amplitude - round_it))
    return times, inertia + restoring


def _table(path, name, argument, arguments, values):
    """Write the table path-NAME.csv of an argument and values, and return its path."""
    table = Path(path).with_name(f"{path.stem}-{name}.csv")
    write_file(table, csv({argument: arguments, name: values}))
    return table
