"""The elongations u(t, s) as an image with the yield fronts; data in, matplotlib Figure out."""

import numpy as np

import style  # before matplotlib's own modules: it sets the backend and the defaults
from matplotlib.figure import Figure

# Blue to red through white, which the colour-blind can tell apart; yielding is drawn besides, as a line and hatching.
COLOUR_MAP = "RdBu_r"
# A cell is at its yield displacement when it is this near to it.
AT_YIELD = 1e-9


def yielding(field):
    """Which cells are at their yield displacement, |u| = η, [times, places]."""
    return np.abs(field.u) >= field.eta * (1 - AT_YIELD)


def field_figure(field):
    """The image of u over t and s, with a line around where |u| = η."""
    figure = Figure(figsize=(1.25 * style.PANEL[0], 1.25 * style.PANEL[1]))
    axes = figure.add_subplot()
    most = float(np.abs(field.u).max()) or 1.0
    # One picture within the vector file: a mesh of rectangles would be megabytes.
    mesh = axes.pcolormesh(field.t, field.s, field.u.T, cmap=COLOUR_MAP, vmin=-most, vmax=most, shading="nearest",
                           rasterized=True)
    at_yield = yielding(field)
    if at_yield.any() and not at_yield.all():
        axes.contour(field.t, field.s, at_yield.T.astype(float), levels=[0.5], colors="black", linewidths=1.0)
        axes.contourf(field.t, field.s, at_yield.T.astype(float), levels=[0.5, 1.5], colors="none", hatches=[".."])
    figure.colorbar(mesh, ax=axes, label="elongation u(t, s)", orientation="horizontal", aspect=40)
    axes.grid(False)
    axes.set(xlabel="time t", ylabel="s")
    return figure
