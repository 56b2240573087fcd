"""The hysteresis cycles of continuous-masing-2001, figures 6 to 10, and what their authors saw in them."""

from configuration import size

POLYGON = "a polygonal cycle, like those of the discrete Prandtl model"
SMOOTH = "a smooth closed curve with two straight segments and a concave part; no polygon any more"
FIGURES = {3: (6, POLYGON), 10: (7, POLYGON), 100: (8, SMOOTH), 700: (9, SMOOTH), 1500: (10, SMOOTH)}
STEPS = 10**6

# Section 6, (28)-(31), in the words of the configuration.
EXPRESSIONS = {"stiffness": "1", "threshold": "s+0.1", "initial-u": "0", "force": "0.45*cos(0.5*t)"}
NUMBERS = {"mass": 1, "k0": 0, "x0": 0, "y0": 0, "final-time": 500}
WORDS = {"model": "masing", "rule": "right", "scheme": "euler"}


def seen_in_paper(settings):
    """One sentence on the paper's figure of the same case, or None when the settings are not those of one."""
    cells, steps = size(settings, "cells"), size(settings, "steps")
    if cells not in FIGURES or not _is_papers_case(settings):
        return None
    number, words = FIGURES[cells]
    other = "" if steps == STEPS else " (with N = 10⁶)"
    return f"Figure {number} of Bastien and others (2001){other}: {words}."


def _is_papers_case(settings):
    try:
        return (all(settings.get(key, value).replace(" ", "") == value for key, value in EXPRESSIONS.items())
                and all(float(settings.get(key, value)) == value for key, value in NUMBERS.items())
                and all(settings.get(key, value) == value for key, value in WORDS.items()))
    except ValueError:
        return False
