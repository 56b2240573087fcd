"""The hysteresis cycles of continuous-masing-2001, figures 6 to 10, and what their authors saw in them."""

from configuration import size
from problem import method, problem

POLYGON = "a polygonal cycle, like those of the discrete Prandtl model"
SMOOTH = "a smooth closed curve with two straight segments and a concave part; no polygon any more"
FIGURES = {3: (6, POLYGON), 10: (7, POLYGON), 100: (8, SMOOTH), 700: (9, SMOOTH), 1500: (10, SMOOTH)}
STEPS = 10**6
# P and N of the finest case.
FINEST = (1500, STEPS)

# Section 6, (28)-(31), in the words of the configuration.
PROBLEM = problem({"model": "masing", "stiffness": "1", "threshold": "s+0.1", "initial-u": "0",
                   "force": "0.45*cos(0.5*t)", "mass": "1", "k0": "0", "x0": "0", "y0": "0", "final-time": "500"})
METHOD = ("euler", "right")


def seen_in_paper(settings):
    """One sentence on the paper's figure of the same case, or None when the settings are not those of one."""
    cells, steps = size(settings, "cells"), size(settings, "steps")
    if cells not in FIGURES or not is_papers_problem(settings) or method(settings) != METHOD:
        return None
    number, words = FIGURES[cells]
    other = "" if steps == STEPS else " (with N = 10⁶)"
    return f"Figure {number} of Bastien and others (2001){other}: {words}."


def is_papers_problem(settings):
    """Whether the settings have the data of section 6."""
    return problem(settings) == PROBLEM
