"""The section on scans: their pictures with what is seen in them."""

import numpy as np

from masing.notation import minus
from masing.report.pictures import Picture
from masing.response.figures import panel_figure, panels


def response_pictures(scan):
    """The Pictures of a Scan."""
    found = f"{scan.path.stem}, {_seen(scan)}"
    return [Picture(f"{scan.path.stem}-{n}", panel_figure(draw), f"{words}, {found}",
                    f"{words[0].upper()}{words[1:]}. {found[0].upper()}{found[1:]}")
            for n, (draw, words) in enumerate(panels(scan), start=1)]


def _seen(scan):
    """The points of a scan and the range of its amplitudes, as a sentence's end."""
    failed = int(np.sum(~scan.done))
    amplitudes = scan.values("amplitude")[scan.done]
    over = " × ".join(f"{name} in [{values.min():.4g}, {values.max():.4g}]" for name, values in scan.axes.items())
    kind = {"steady": "limit cycles", "runs": "runs"}.get(scan.kind, scan.kind)
    text = f"{len(scan.done)} {kind} over {over}"
    text += f": amplitudes from {np.nanmin(amplitudes):.4g} to {np.nanmax(amplitudes):.4g}" if len(amplitudes) else ""
    unstable = int(np.sum(scan.points.get("stable", np.ones(1)) == 0))
    text += f"; {unstable} unstable" if unstable else ""
    text += f"; {failed} failed" if failed else ""
    return minus(f"{text}." + (f" Past: {scan.past}." if scan.past else ""))
