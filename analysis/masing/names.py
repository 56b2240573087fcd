"""What runs, by what differs between them, and forces, by the terms of motion, are called; values in short."""

from collections import Counter, namedtuple

from masing.notation import grouped

# Keys that say how a run is sampled and stored, not what is computed; P and N are in its title.
OUTPUT_KEYS = {"sample-every", "field-every", "from", "to", "energy", "field-points", "probe", "field-samples", "levels",
               "refine", "reference", "expect-order", "order-tolerance", "breaks", "cells", "steps"}
# The data of a problem, in the order of the equations.
SYMBOLS = {"mass": "m", "damping": "c", "k0": "k₀", "stiffness": "k(s)", "threshold": "η(s)", "threshold-down": "η⁻(s)",
           "force": "F(t)", "base-acceleration": "a_g(t)", "position": "x(t)", "x0": "x₀", "y0": "y₀",
           "initial-u": "u₀(s)", "final-time": "T"}
# These speak for themselves without their key.
WORDS = {"model", "rule", "scheme", "engine"}
POINTS = "points:"
# A longer value is shortened in the middle.
LONGEST = 60


def names_apart(runs):
    """A name for each Run: its title, unless all share it and differ otherwise; behind it the settings in which
    it differs from most others, as `F(t) = …`; and its file's name where two would have the same."""
    titles = [run.title for run in runs]
    keys = [key for run in runs for key in run.settings if key not in OUTPUT_KEYS]
    # What only one kind of model has is no difference.
    values = {key: Counter(run.settings[key] for run in runs if key in run.settings) for key in dict.fromkeys(keys)}
    differ = [key for key, counted in values.items() if len(counted) > 1]
    with_title = len(set(titles)) > 1 or not differ
    names = [", ".join([title] * with_title + [_setting(key, run.settings[key]) for key in differ if key in run.settings
                                              and run.settings[key] and run.settings[key] not in title.split(", ")
                                              and values[key][run.settings[key]] <= len(runs) / 2])
             for title, run in zip(titles, runs)]
    counted = Counter(names)
    return [name if name and counted[name] == 1 else f"{name or title} ({run.path.stem})"
            for name, title, run in zip(names, titles, runs)]


def _setting(key, value):
    text = short_value(value)
    return text if key in WORDS else f"{SYMBOLS.get(key, key.removeprefix('model.'))} = {text}"


def points_of(value):
    """The points of a table, [(abscissa, ordinate), …], or of a long list, [(1, number), …]; None of another value."""
    try:
        if value.startswith(POINTS):
            return [tuple(map(float, row.split())) for row in value[len(POINTS):].split(";") if row.strip()]
        numbers = [float(word) for word in value.split(",")]
    except ValueError:
        return None
    return list(enumerate(numbers, start=1)) if len(value) > LONGEST else None


def short_value(value):
    """A value of a configuration in at most LONGEST letters: `table, 2000 points`, or with its middle left out."""
    points = points_of(value)
    if points is not None:
        return f"table, {grouped(len(points))} points" if value.startswith(POINTS) else f"{grouped(len(points))} numbers"
    return value if len(value) <= LONGEST else f"{value[:LONGEST - 12]} … {value[-9:]}"


def short_configuration(text):
    """The lines of a configuration with each value that is a table or a long list in short."""
    lines = (line.partition(" = ") for line in text.splitlines())
    return "\n".join(f"{key} = {short_value(value)}" if equals and points_of(value) is not None else key + equals + value
                     for key, equals, value in lines)


class Motion(namedtuple("Motion", "has_slab has_mass is_damped base_moves")):
    """Which terms of m y′ = F − m a_g − c y − k₀ x − S a result has; without a slab its model has other forces."""

    force = property(lambda self: "F − m a_g" if self.base_moves else "F",
                     doc="/series/force, which does the work /energy/input.")
    force_over_time = property(lambda self: "F(t) − m a_g(t)" if self.base_moves else "F(t)", doc="The same.")

    @property
    def restoring(self):
        """/series/restoring, the ordinate of a cycle: F less all other terms of the equation."""
        is_with_rest = self.is_damped or self.base_moves or not self.has_mass
        return "k₀ x + S" if self.has_slab and is_with_rest else "F − m x″" if self.has_mass else "F"

    labels = property(lambda self: {"force": f"force {self.force}", "restoring": f"restoring force {self.restoring}"},
                      doc="Labels of axes, by the names in /series.")


def motion(result):
    """The Motion of a Run, a Study or a Scan, by its configuration."""
    model, is_curve = result.model, getattr(result, "kind", None) == "closed curves"
    is_damped, moves = (bool(result.settings.get(key, "0").strip("-0.")) for key in ("damping", "base-acceleration"))
    label = result.attributes("series/force").get("label", "a_g" * moves)  # a scan has none
    return Motion(model.startswith("masing"), not (is_curve or model.endswith("quasistatic")), is_damped, "a_g" in label)


def restoring_of_all(results):
    """What the restoring force of all of the results is called, `f` where they differ."""
    names = {motion(each).restoring for each in results}
    return names.pop() if len(names) == 1 else "f"
