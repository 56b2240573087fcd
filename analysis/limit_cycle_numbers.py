"""The numbers of analysed cycles as files: a table of loops (CSV), and all of it (JSON)."""

import csv
import io
import json
import math


def as_csv(names, analyses):
    """One row a loop, after a heading, of all files, as bytes."""
    buffer = io.StringIO()
    rows = [{"file": name, "loop": n} | row for name, analysis in zip(names, analyses)
            for n, row in enumerate(analysis.rows(), start=1)]
    writer = csv.DictWriter(buffer, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: repr(value) if isinstance(value, float) else value for key, value in row.items()}
                     for row in ({key: _plain(value) for key, value in row.items()} for row in rows))
    return buffer.getvalue().encode()


def as_json(names, analyses):
    """One object a file, as bytes; what is not a number is null."""
    return (json.dumps([_object(*each) for each in zip(names, analyses)], indent=1) + "\n").encode()


def _object(name, analysis):
    rows = analysis.rows()
    found = analysis.first is not None
    return {"file": name, "limit_cycle_found": found, "transient_loops": analysis.first if found else len(rows),
            "loops_in_period": analysis.period, "drift_of_centre_per_loop": _plain(analysis.drift),
            "last_loop": _clean(rows[-1]), "segments": analysis.segments,
            "corners": None if analysis.corners is None else analysis.corners.tolist(),
            "backbone": analysis.backbone.tolist(), "loops": [_clean(row) for row in rows]}


def _clean(row):
    return {key: _plain(value) for key, value in row.items()}


def _plain(value):
    """A Python number, or None where it is not finite."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
