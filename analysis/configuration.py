"""The resolved configuration of a run: its `key = value` lines, and the short names they give to a figure."""

from notation import count


def parse(text):
    """The lines `key = value` of an .ini as {key: value}; keys of a [section] get the prefix `section.`."""
    settings, prefix = {}, ""
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            prefix = line[1:-1] + "."
        elif "=" in line and line[0] not in "#;":
            key, value = line.split("=", 1)
            settings[prefix + key.strip()] = value.strip()
    return settings


def size(settings, key):
    """The whole number P (key `cells`, 0 for ∞) or N (key `steps`) of the settings, or None when not stated."""
    value = settings.get(key, "")
    if value == "inf":
        return 0
    try:
        return int(float(value))
    except (ValueError, OverflowError):
        return None


def size_title(cells, steps):
    """The title `P = 700, N = 10⁶`, or an empty string when neither is known."""
    parts = [f"{symbol} = {count(value)}" for symbol, value in (("P", cells), ("N", steps)) if value is not None]
    return ", ".join(parts)


def title(run):
    """The title of a run's figure: its model when it is not the continuous Masing one, then P and N."""
    model = run.settings.get("model", "masing")
    cells = size(run.settings, "cells") if run.is_slab else None
    parts = [model if model != "masing" else "", size_title(cells, size(run.settings, "steps"))]
    return ", ".join(part for part in parts if part) or run.path.stem
