"""Functions that return names of runs, labels of forces, and short texts for the values of a configuration.

The name of a run contains settings in which the run differs from other runs. The label of a force consists of terms
of the equation of motion.
"""

import re
from collections import Counter, namedtuple

from masing.notation import grouped

# The name of a run omits the values of these keys of its configuration. Most of them only say how the run is sampled,
# stored or compared. The numbers of cells and of steps are omitted, because the title of the run contains them.
OUTPUT_KEYS = {"sample-every", "field-every", "from", "to", "energy", "field-points", "watch", "field-samples",
               "levels", "refine", "reference", "expect-order", "order-tolerance", "breaks", "cells", "steps"}
# The data of a problem, {key of the configuration: symbol in the equations}, in the order in which a page lists them.
SYMBOLS = {"mass": "m", "damping": "c", "k0": "k₀", "stiffness": "k(s)", "threshold": "η(s)", "threshold-down": "η⁻(s)",
           "force": "F(t)", "base-acceleration": "a_g(t)", "incoming-velocity": "v(t)", "position": "x(t)",
           "x0": "x₀", "y0": "y₀", "initial-u": "u₀(s)", "final-time": "T"}
# In the name of a run, the values of these keys are written without the key.
WORDS = {"model", "rule", "scheme", "engine"}
# A value that is a table begins with this text.
POINTS = "points:"
# A decimal number with so many characters that it may have more than six digits.
DECIMAL = re.compile(r"(?<![\w.])(?=[\d.]{8})\d*\.\d+(?:e[+-]?\d+)?(?![\w.])", re.IGNORECASE)
# A value with more characters than this is shortened in the middle.
LONGEST = 60


def names_apart(runs):
    """Return a list of names that distinguish the Runs `runs`, one name for each.

    A name is the title of the run, followed by settings of the run such as `F(t) = …`. The name contains a setting of
    the run if the runs have different values of it, if at most half of them have the value of this run, and if the
    title does not contain this value. The title is omitted if all runs have the same title and differ in some setting.
    If a name would be empty or that of several runs, the name of the run's file is appended.
    """
    titles = [run.title for run in runs]
    keys = [key for run in runs for key in run.settings if key not in OUTPUT_KEYS]
    # A key with only one value does not distinguish runs, even if some runs lack the key because of their model.
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
    return text if key in WORDS else f"{SYMBOLS.get(key, key.removeprefix('model.').removeprefix('let.'))} = {text}"


def _points(value):
    """Return the number of points of a value that is a table, or of a list of numbers with more than LONGEST
    characters; None for any other value."""
    if value.startswith(POINTS):
        return sum(1 for row in value[len(POINTS):].split(";") if row.strip())
    try:
        numbers = [float(word) for word in value.split(",")]
    except ValueError:
        return None
    return len(numbers) if len(value) > LONGEST else None


def short_value(value):
    """Return a value of a configuration in at most LONGEST characters.

    A table or a long list is replaced by its number of points, as in `table, 2000 points`. Elsewhere decimal numbers
    have at most six digits, and the middle of a long value is omitted.
    """
    points = _points(value)
    if points is not None:
        return f"table, {grouped(points)} points" if value.startswith(POINTS) else f"{grouped(points)} numbers"
    value = DECIMAL.sub(lambda found: f"{float(found[0]):.6g}", value)
    return value if len(value) <= LONGEST else f"{value[:LONGEST - 12]} … {value[-9:]}"


def short_configuration(text):
    """Return the text of a configuration in which each table and each long list is replaced by its number of points."""
    lines = (line.partition(" = ") for line in text.splitlines())
    return "\n".join(f"{key} = {short_value(value)}" if equals and _points(value) is not None else key + equals + value
                     for key, equals, value in lines)


class Motion(namedtuple("Motion", "has_slab has_mass is_damped base_moves is_chain", defaults=[False])):
    """The terms that the equation of motion of a result has, and the labels of the forces in it.

    The full equation is m y′ = F − m a_g − c y − k₀ x − S; the first four fields say which terms are there.

    In a model without a slab, other forces replace k₀ x + S. In a chain of slabs they are those of the two elements
    beside the node that F acts on, and `base_moves` is false, because F is without − m a_g.
    """

    force = property(lambda self: "F − m a_g" if self.base_moves else "F",
                     doc="The label of /series/force, whose work is /energy/input.")
    force_over_time = property(lambda self: "F(t) − m a_g(t)" if self.base_moves else "F(t)",
                               doc="The label of /series/force as a function of t.")

    @property
    def restoring(self):
        """The label of the dataset /series/restoring, which is the ordinate of a hysteresis cycle.

        The label is `fᵢ − fᵢ₊₁` for a chain, and `k₀ x + S` for a slab with damping, with base acceleration or without
        mass. In all other cases it is `F − m x″`, or `F` if there is no mass.
        """
        if self.is_chain:
            return "fᵢ − fᵢ₊₁"
        is_with_rest = self.is_damped or self.base_moves or not self.has_mass
        return "k₀ x + S" if self.has_slab and is_with_rest else "F − m x″" if self.has_mass else "F"

    labels = property(lambda self: {"force": f"force {self.force}", "restoring": f"restoring force {self.restoring}"},
                      doc="{dataset in /series: label of its axis}, for force and restoring.")


def motion(result):
    """Return the Motion of a Run, a Study or a Scan, determined from its configuration and the label of its force."""
    model = result.model
    is_damped, moves = (bool(result.settings.get(key, "0").strip("-0.")) for key in ("damping", "base-acceleration"))
    label = result.attributes("series/force").get("label", "a_g" * moves)  # a scan has no such label
    return Motion(model.startswith("masing"), not model.endswith("quasistatic"), is_damped,
                  "a_g" in label and not result.is_chain, result.is_chain)


def restoring_of_all(results):
    """Return the common label of the restoring forces of the results, or `f` if their labels differ."""
    names = {motion(each).restoring for each in results}
    return names.pop() if len(names) == 1 else "f"
