"""The case file of an identified model: masing simulate runs it once round the measured cycle."""

from pathlib import Path

import numpy as np

from masing import tables
from masing.command_line import write_file
from masing.identification.discrete import Discrete

# The circular frequency of the motion; the mass is k0 + Σk, so that the unyielded model's own is 1.
FREQUENCY = 0.2
# When the motion is at x = -X for the first time.
REVERSAL = np.pi / (np.sqrt(2) * FREQUENCY)
FORCE_POINTS = 4000
# Steps and steps between samples: the discrete model has the scheme of order one only.
SIZE = {"discrete": (400000, 40), "continuous": (40000, 10)}
CELLS = 2000
STIFFNESS_POINTS = 400
TABLES = ("force", "stiffness")


def write_case(path, found, threshold=None):
    """Write path.ini and the tables beside it for a Discrete, or a Continuous model of the expression η(s) `threshold`.

    From rest at x = 0 the force moves the mass to x = -X, then along x = -X cos(ω t') once round the cycle of the
    amplitude X; the samples are of that.
    """
    elements, amplitude = found.elements, found.branch.width / 2
    mass = elements.k0 + elements.stiffness.sum()
    start, end = REVERSAL, REVERSAL + 2 * np.pi / FREQUENCY
    force = _table(path, "force", "t", *_force(elements, amplitude, mass, end))
    steps, every = SIZE["discrete" if isinstance(found, Discrete) else "continuous"]
    if isinstance(found, Discrete):
        order = np.argsort(elements.threshold)
        k, eta = (", ".join(repr(float(value)) for value in values[order])
                  for values in (elements.stiffness, elements.threshold))
        model, section = ["model = discrete-masing"], ["", "[model]", f"n = {len(order)}", f"k = {k}", f"eta = {eta}"]
    else:
        places = np.linspace(0, 1, STIFFNESS_POINTS + 1)
        stiffness = _table(path, "stiffness", "s", places, np.interp(places, found.s, found.stiffness))
        model, section = [f"stiffness = table:{stiffness}", f"threshold = {threshold}", "initial-u = 0",
                          f"cells = {CELLS}", "rule = midpoint", "scheme = leapfrog"], []
    text = [f"# Identified from {found.branch.path.name}.", *model, f"force = table:{force}", f"mass = {mass!r}",
            f"k0 = {elements.k0!r}", "x0 = 0", "y0 = 0", f"final-time = {end!r}", f"steps = {steps}",
            f"sample-every = {every}", f"from = {start!r}", f"to = {end!r}", *section]
    write_file(path, ("\n".join(text) + "\n").encode())


def _force(elements, amplitude, mass, end):
    """Times and F = m x'' + f that make the motion, f the restoring force along it: [points] each."""
    start = REVERSAL
    turn = start + np.pi / FREQUENCY
    times = np.unique(np.r_[np.linspace(0, start, FORCE_POINTS), np.linspace(start, end, 2 * FORCE_POINTS + 1),
                            _corner_times(elements, amplitude)])
    fast, slow = np.sqrt(2) * FREQUENCY * times, FREQUENCY * (times - start)
    virgin = amplitude / 2 * (1 - np.cos(fast))
    round_it = amplitude * (1 - np.cos(slow))
    top = elements.backbone(np.array(amplitude))
    # The acceleration is continuous at the reversal: that of the way there is of a frequency larger by √2.
    inertia = mass * amplitude * FREQUENCY**2 * np.where(times < start, -np.cos(fast), np.cos(slow))
    restoring = np.select([times < start, times < turn], [-elements.backbone(virgin), elements.branch(round_it) - top],
                          top - elements.branch(2 * amplitude - round_it))
    return times, inertia + restoring


def _corner_times(elements, amplitude):
    """When an element begins to slide; a continuum's cells do so at every time."""
    yielding = elements.threshold[elements.threshold < amplitude]
    if len(yielding) > FORCE_POINTS // 8:
        return np.empty(0)
    virgin = np.arccos(1 - 2 * yielding / amplitude) / (np.sqrt(2) * FREQUENCY)
    rising = np.arccos(1 - 2 * yielding / amplitude) / FREQUENCY
    return np.r_[virgin, REVERSAL + rising, REVERSAL + np.pi / FREQUENCY + rising]


def _table(path, name, argument, arguments, values):
    """Write path-NAME.csv, one "argument, value" a line, and give its name as the program is to open it."""
    table = Path(path).with_name(f"{path.stem}-{name}.csv")
    write_file(table, tables.csv({argument: arguments, name: values}))
    return table
