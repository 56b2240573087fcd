"""Draw the hysteresis cycle of a trajectory."""

import numpy as np

from masing import style
from masing.cycles.figures import draw_record, is_by_time
from masing.text import motion, in_figure, tick

# A curve y over x is narrow if y less a x, with the slope a of the line of least squares, has at most this part of the
# range of y. A part below ROUNDING is only rounding.
NARROW, ROUNDING = 0.1, 1e-9


def curve_figure(sample, run, behind=None):
    """Return a figure of the restoring force over x of a run, where `sample` are the arrays (t, x, restoring) [samples].

    `behind` are x and the restoring force of the exact solution, or None. If the curve is coloured by time, `behind` is
    not used; otherwise the exact curve is a grey line behind that of the run. A narrow curve is drawn once more in a
    frame below, less the line of least squares, unless it is straight; see NARROW.
    """
    t, x, y = sample
    slope = np.polyfit(x, y, 1)[0] if np.ptp(x) > 0 else 0.0
    is_narrow = ROUNDING < np.ptp(y - slope * x) / (np.ptp(y) or np.inf) <= NARROW
    figure = style.figure(1, 1.6 if is_narrow else 1)
    axes, *below = figure.subplots(1 + is_narrow, 1, sharex=True, squeeze=False)[:, 0]
    beside = behind and not is_by_time(x)
    for frame, less in zip((axes, *below), (0, slope)):
        if beside:
            frame.plot(behind[0], behind[1] - less * behind[0], **style.BEHIND, label="exact")
        draw_record(frame, [x, y - less * x], t, color=style.COLOURS[0], linewidth=1.3,
                    label="computed" if behind else "restoring")
        style.label_values(frame.xaxis, frame.yaxis)
    for frame in below:
        frame.set(ylabel=f"the same less {tick(slope)} x")
    [axes, *below][-1].set(xlabel=in_figure(run.attributes("series/x").get("label", "x")))
    axes.set(ylabel=in_figure(motion(run).labels["restoring"]))
    if beside:
        style.legend_above(axes, 2)
    return figure
