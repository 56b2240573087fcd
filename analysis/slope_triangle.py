"""The slope triangle of a log-log error figure."""

import numpy as np

import style

# Where a first and a second triangle lie between the smallest (0) and the largest (1) step, in logarithms.
PLACES = ((0.55, 0.9), (0.1, 0.45))
# How far below the lowest curve it stays.
GAP = 1.8


def draw_triangle(axes, curves, exponent, place=0):
    """Draw the triangle of slope `exponent` below the curves [(h, error), ...]; nothing when no curve has two points."""
    curves = [(np.log(h), np.log(error)) for h, error in curves if len(h) > 1]
    if not curves:
        return
    first, last = min(h[0] for h, _ in curves), max(h[-1] for h, _ in curves)
    left, right = (first + part * (last - first) for part in PLACES[place % len(PLACES)])
    bottom = _height(curves, left, right, exponent)
    corners = np.exp([(left, bottom), (right, bottom), (right, bottom + exponent * (right - left))])
    axes.fill(*corners.T, facecolor="none", edgecolor=style.GREY, linewidth=1)
    middle = np.exp(((left + right) / 2, bottom + exponent * (right - left) / 2))
    axes.annotate("1", (middle[0], corners[0, 1]), (0, -3), textcoords="offset points",
                  ha="center", va="top", color=style.GREY)
    axes.annotate(f"{exponent:g}", (corners[1, 0], middle[1]), (4, 0), textcoords="offset points",
                  ha="left", va="center", color=style.GREY)


def _height(curves, left, right, exponent):
    """The logarithm of the triangle's lower side, such that the hypotenuse stays below every curve."""
    places = np.linspace(left, right, 9)
    room = [np.interp(places, h, error) - exponent * (places - left) for h, error in curves]
    return np.min(room) - np.log(GAP)
