"""The figure of an analysed cycle: the limit cycle in its transient, with its corners, centre and backbone."""

import style  # before matplotlib's own modules: it sets the backend and the defaults
from figures import RESTORING_LABEL, X_LABEL
from matplotlib.figure import Figure
from notation import measured

TRANSIENT, CENTRE = "#bbbbbb", "#000000"
ROUNDING = 1e-9


def analysis_figure(analyses, titles):
    """One panel an Analysis, with its numbers below the title."""
    figure = Figure(figsize=(1.5 * style.PANEL[0], 1.6 * style.PANEL[1] * len(analyses)))
    panels = figure.subplots(len(analyses), 1, squeeze=False)[:, 0]
    for axes, analysis, title in zip(panels, analyses, titles):
        _draw(axes, analysis, title)
    return figure


def _draw(axes, analysis, title):
    loop = analysis.last
    begin = analysis.loops[-analysis.period].start if analysis.first is not None else loop.start
    x, force = analysis.x, analysis.force
    if begin:
        axes.plot(x[:begin + 1], force[:begin + 1], color=TRANSIENT, linewidth=0.7, label="before")
    axes.plot(x[begin:loop.end + 1], force[begin:loop.end + 1], color=style.COLOURS[0],
              label="limit cycle" if analysis.first is not None else "last cycle, no limit yet")
    axes.plot(loop.centre_x + analysis.backbone[:, 0], loop.centre_force + analysis.backbone[:, 1],
              color=style.COLOURS[1], linestyle="--", label="backbone")
    if analysis.corners is not None:
        axes.plot(*analysis.corners.T, "o", color=CENTRE, markersize=4, label="corners")
    axes.plot(loop.centre_x, loop.centre_force, "+", color=CENTRE, markersize=10, label="centre")
    axes.set(xlabel=X_LABEL, ylabel=RESTORING_LABEL)
    axes.set_title(f"{title}\n{_numbers(analysis)}", fontsize=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _numbers(analysis):
    loop = analysis.last
    # A slope that is rounding beside the steepest is none.
    least = ROUNDING * abs(loop.tangent_after_reversal)
    last_slope = loop.tangent_before_reversal if abs(loop.tangent_before_reversal) > least else 0.0
    shape = f"{analysis.segments} segments" if analysis.segments else "no polygon"
    return (f"amplitude {measured(loop.amplitude, 4)}, area {measured(loop.area, 4)}, {shape},\n"
            f"secant {measured(loop.secant_stiffness, 3)}, tangents {measured(loop.tangent_after_reversal, 3)} to "
            f"{measured(last_slope, 3)}, damping ratio {measured(loop.damping_ratio, 3)}")
