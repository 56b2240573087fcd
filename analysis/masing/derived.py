"""Facts about a run or a study that follow from its file, but are not in it; one function each.

Where the program comes to write such a value into the file, the function here becomes a read of it.
"""

import math
from dataclasses import dataclass

import numpy as np

from masing.notation import FIXED_SPACE, count, grouped, listed, measured, order, superscript

QUANTITY_NAMES = {"x": "x", "y": "y", "u": "u", "u_cells": "u at the cells’ points"}
AS_EXPECTED, NOT_AS_EXPECTED, UNDEFINED, NOT_JUDGED = "as expected", "not as expected", "undefined", "not judged"

# The values of keys that a configuration lacks.
DEFAULT_FUNCTIONS = {"model": "masing", "stiffness": "1", "threshold": "s+0.1", "initial-u": "0",
                     "force": "0.45*cos(0.5*t)", "position": ""}
DEFAULT_NUMBERS = {"mass": 1, "k0": 0, "x0": 0, "y0": 0, "final-time": 500}
REFERENCES = {
    "finest": "one run at least 16 times finer in what is refined",
    "successive": "the next finer level (differences of successive levels)",
    "exact": "the exact solution (P = ∞, N = ∞)",
    "exact-time": "the solution exact in time at the same P",
    "cells-inf": "the solution with P = ∞ at the same N",
}
# The statements of continuous-masing-2001 that a study may test, and the cases in which it tests none.
SPACE, BOTH, TIME, BEYOND, OTHER_MODEL, MIXED = "3.1", "4.1", "25", "beyond", "model", "mixed"


# Trajectories

def has_cells(model):
    """Whether a model has cells of s in [0, 1]."""
    return model.startswith("masing")


def trajectory_size(cells, steps, ds, dt):
    """P and N of a study's samples, those of its finest level, as settings; the arguments are columns [levels]."""
    finest = np.argmin(np.nan_to_num(ds) + dt)
    return {"cells": f"{cells[finest]:.0f}" if cells[finest] else "inf", "steps": f"{steps[finest]:.0f}"}


def title(run):
    """The title of a run's figure: its model when it is not the continuous Masing one, then P and N."""
    sizes = (("P", run.size("cells") if run.has_cells else None), ("N", run.size("steps")))
    parts = [run.model] if run.model != "masing" else []
    return ", ".join(parts + [f"{symbol} = {count(n)}" for symbol, n in sizes if n is not None]) or run.path.stem


def energy_residual(energy):
    """The residual of an Energy's balance: input less dissipated less the stored energy's rise, [samples]."""
    stored = energy.kinetic + energy.elastic
    return energy.input - energy.input[0] - (energy.dissipated - energy.dissipated[0]) - (stored - stored[0])


def problem(settings):
    """The data of the problem as a value that compares: the equations' functions and numbers, a [model] section."""
    functions = tuple(settings.get(key, value).replace(" ", "") for key, value in DEFAULT_FUNCTIONS.items())
    numbers = tuple(_number(settings.get(key, value)) for key, value in DEFAULT_NUMBERS.items())
    return functions + numbers + tuple(sorted((key, value) for key, value in settings.items() if "." in key))


def is_papers_problem(settings):
    """Whether the problem is that of section 6, (28)-(31), continuous-masing-2001; the program's defaults are."""
    return problem(settings) == problem({})


def method(settings):
    """The scheme in t and the rule in s, (scheme, rule)."""
    return settings.get("scheme", "euler"), settings.get("rule", "right")


def engine(settings):
    """The engine of a run."""
    return settings.get("engine", "sweep")


def cell_updates(study):
    """P·N of the levels [levels]; NaN where the engine does not go through the cells."""
    sweeps = engine(study.run.settings) == "sweep" and study.run.model == "masing"
    return np.where(sweeps & (study.cells > 0), study.cells * study.steps, np.nan)


def cell_update_rate(run):
    """Cell updates a second of a trajectory; None where the engine does not go through the cells."""
    sweeps = engine(run.settings) == "sweep" and run.has_cells
    return run.timing.get("cell_updates_per_second") if sweeps else None


# The steps and fitted errors of a study

@dataclass(frozen=True)
class Joint:
    """error ≈ C₁ δsᵖ + C₂ δtᵖ, p given, with the half-widths of the constants' 95 % confidence intervals."""

    space: float
    space_uncertainty: float
    time: float
    time_uncertainty: float
    power: float = 1.0

    @property
    def cancels(self):
        """Whether the errors in space and in time have opposite signs, both constants being significant."""
        significant = abs(self.space) > self.space_uncertainty and abs(self.time) > self.time_uncertainty
        return significant and self.space * self.time < 0

    def at(self, ds, dt):
        """|C₁ δsᵖ + C₂ δtᵖ|, of the shape of δs and δt."""
        return np.abs(self.signed(ds, dt))

    def signed(self, ds, dt):
        """C₁ δsᵖ + C₂ δtᵖ, of the shape of δs and δt."""
        return self.space * ds ** self.power + self.time * dt ** self.power

    @property
    def formula(self):
        """The fit in letters: C₁ δs + C₂ δt, with its power where it is not one."""
        power = "" if self.power == 1 else superscript(f"{self.power:g}")
        return f"C₁ δs{power} + C₂ δt{power}"


def joint_fit(study, quantity):
    """The Joint fit of a quantity's errors, or None where the levels could not determine it."""
    names = ("space_constant", "space_constant_uncertainty", "time_constant", "time_constant_uncertainty")
    power = study.number(f"joint_power_{quantity}")
    found = Joint(*(study.number(f"{name}_{quantity}") for name in names), 1.0 if math.isnan(power) else power)
    return found if study.refine == "both" and math.isfinite(found.space + found.time) else None


def plain_step(study):
    """The refined step [levels]: δt, δs or δs + δt."""
    return {"steps": study.dt, "cells": study.ds, "both": study.ds + study.dt}[study.refine]


def joint_step(study, quantity):
    """h [levels], hᵖ = C₁ δsᵖ + C₂ δtᵖ, to which orders refer if it is positive at every level; else None."""
    found = joint_fit(study, quantity)
    if found is None or not np.all(found.signed(study.ds, study.dt) > 0):
        return None
    return found.at(study.ds, study.dt) ** (1 / found.power)


def step(study, quantity):
    """The step [levels] to which a quantity's orders refer: δt, δs, their sum, or that of the joint fit."""
    jointly = joint_step(study, quantity)
    return plain_step(study) if jointly is None else jointly


def fitted_errors(study, quantity):
    """The fitted error [levels], C hᵖ less the reference's own; NaN where there is no fitted order."""
    h, power, constant = step(study, quantity), study.number(f"order_{quantity}"), study.number(f"constant_{quantity}")
    if not math.isfinite(power + constant) or not np.all(h > 0):
        return np.full(study.levels, np.nan)
    if study.reference == "successive":
        return constant * (h ** power - np.r_[h[1:], np.nan] ** power)
    return constant * (h ** power - _reference_step(study, quantity) ** power)


def _reference_step(study, quantity):
    """The step of the one run against which errors are measured; 0 for an exact reference."""
    cells, steps = study.number("reference_cells"), study.number("reference_steps")
    if study.reference != "finest" or not math.isfinite(steps):
        return 0.0
    ds, dt = 1 / cells if cells > 0 else 0.0, study.dt[0] * study.steps[0] / steps
    if joint_step(study, quantity) is not None:
        found = joint_fit(study, quantity)
        return float(found.at(ds, dt) ** (1 / found.power))
    return {"steps": dt, "cells": ds, "both": ds + dt}[study.refine]


# What was expected of a study, and its verdict

def quantities(study):
    """The quantities that have errors; without cells there are no cells' points."""
    return [q for q in QUANTITY_NAMES if study.errors[q] is not None and (q != "u_cells" or study.run.has_cells)]


def expected_order(expected):
    """The positive number in an expected order, `1` or `>=0.5`; None when there is none."""
    try:
        number = float(expected.lstrip(">=≥ "))
    except (AttributeError, ValueError):
        return None
    return number if 0 < number < math.inf else None


def is_at_least(expected):
    """Whether an expected order is a lower bound, as `>=0.5`."""
    return expected.startswith((">", "≥"))


def is_last_pair(study, quantity):
    """Whether the observed order of a quantity is that of the last pair of levels, because there is no fit."""
    return f"order_{quantity}" in study.fit and not math.isfinite(study.number(f"order_{quantity}"))


def verdict(study, findings):
    """The verdict of a study and the sentences on it, of its report.study.Findings.

    The verdict is that of the file, except that "as expected" needs an observed order of all that was expected.
    """
    expected = [finding for finding in findings if finding.expected]
    stated = study.fit.get("verdict") or (UNDEFINED if expected else NOT_JUDGED)
    remarks = []
    if study.levels == 1:
        remarks.append("The study has one level: an order needs at least two.")
    unseen = [finding.name for finding in expected if not math.isfinite(finding.observed)]
    if unseen:
        remarks.append(f"No order was observed for {listed(unseen)}.")
    failed = [f"{finding.name} ({order(finding.observed)})" for finding in expected
              if finding.verdict == NOT_AS_EXPECTED]
    if failed:
        remarks.append(f"The observed order is not the expected one for {listed(failed)}.")
    tolerance = study.number("tolerance")
    wide = [f"{finding.name} (±{FIXED_SPACE}{finding.uncertainty:.3g})" for finding in expected
            if math.isfinite(finding.observed) and not finding.last_pair and finding.uncertainty > tolerance]
    if wide:
        remarks.append(f"The 95 % interval of the order of {listed(wide)} is wider than the tolerance ±{FIXED_SPACE}"
                       f"{tolerance:g}: the verdict compares its middle alone and is uncertain.")
    if stated == AS_EXPECTED and (unseen or failed or not expected):
        remarks.append("The file’s own verdict, “as expected”, is not supported by its numbers.")
        stated = NOT_AS_EXPECTED if failed else UNDEFINED
    return stated, remarks


def reference_text(study):
    """What errors are measured against, in words; None where the file does not say."""
    text = REFERENCES.get(study.reference, study.reference)
    sizes = [f"{symbol} = {grouped(study.number(key))}" for symbol, key in
             (("P", "reference_cells"), ("N", "reference_steps"))
             if not math.isnan(study.number(key)) and (study.run.has_cells or symbol == "N")]
    return f"{text} ({', '.join(sizes)})" if sizes and study.reference == "finest" else text


# The statement that a study tests

def statement(study):
    """The statement of continuous-masing-2001 that a study tests: one of the names above.

    Proposition 3.1: cells alone are refined, sampled by rule right. Proposition 4.1: scheme euler, rule right, both
    refined. (25): scheme euler, time alone refined. BEYOND: a scheme or a rule that the papers do not have. MIXED: the
    errors hold one that the levels do not refine, so that they level off.
    """
    scheme, rule = method(study.run.settings)
    if study.run.model != "masing":
        return OTHER_MODEL
    if left_over(study):
        return MIXED
    if study.refine == "cells":
        return SPACE if rule == "right" else BEYOND
    if study.refine == "steps":
        return TIME if scheme == "euler" else BEYOND
    return BOTH if (scheme, rule) == ("euler", "right") else BEYOND


def left_over(study):
    """The error that the study's errors hold and its levels do not refine: "space", "time" or None."""
    if study.refine == "steps" and study.reference in ("exact", "cells-inf") and not at_infinitely_many_cells(study):
        return "space"
    if study.refine == "cells" and study.reference in ("exact", "exact-time"):
        return "time"
    return None


def beyond_the_papers(study):
    """What of the study's method is not the papers': "leapfrog" and "midpoint", if the study refines them."""
    scheme, rule = method(study.run.settings)
    found = {"leapfrog"} if study.refine != "cells" and scheme == "leapfrog" else set()
    return found | ({"midpoint"} if study.refine != "steps" and rule == "midpoint" else set())


def at_infinitely_many_cells(study):
    """Whether P = ∞ is fixed while the steps are refined."""
    return study.refine == "steps" and study.run.size("cells") == 0


def smallest_bound(study):
    """The smallest C for which the statement's bound of x, y and u holds at every level of the study.

    NaN where errors are not against what the statement compares with.
    """
    exact_in_time = "exact" if at_infinitely_many_cells(study) else "exact-time"
    if study.reference != {SPACE: "cells-inf", TIME: exact_in_time, BOTH: "exact"}.get(statement(study), ""):
        return math.nan
    return max((error / h for q in ("x", "y", "u") for error, h in zip(study.errors[q], plain_step(study))
                if h > 0 and math.isfinite(error)), default=math.nan)


def why_no_joint_fit(study):
    """Why the levels of a study of both steps do not determine C₁ and C₂."""
    rays = {round(math.log(ds / dt), 3) for ds, dt in zip(study.ds, study.dt) if ds > 0 and dt > 0}
    if len(rays) == 1:
        return f"δs/δt = {measured(study.ds[0] / study.dt[0], 3)} at all of them, one ray in the plane (δs, δt)"
    return "fewer than three have an error" if len(rays) > 1 else "δs/δt is not known"


def _number(value):
    try:
        return float(value)
    except ValueError:
        return value
