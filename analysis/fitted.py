"""What the file fitted to the errors of one quantity: which levels, over which step, with which constants."""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from notation import superscript


class Mark(IntEnum):
    """Why a level is or is not in the fit, as the file numbers it."""

    FITTED = 0
    BEFORE = 1
    ON_FLOOR = 2
    NO_ERROR = 3


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
        """Whether the errors in space and in time have opposite signs, both constants being told from zero."""
        told = abs(self.space) > self.space_uncertainty and abs(self.time) > self.time_uncertainty
        return told and self.space * self.time < 0

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


def number(study, name):
    """The attribute `name` of a study's fit as a number; NaN where it is missing or none."""
    value = study.fit.get(name)
    return float(value) if isinstance(value, (int, float)) else math.nan


def joint(study, quantity):
    """The Joint fit of a quantity's errors, or None where the file has none or the levels could not tell it."""
    names = ("space_constant", "space_constant_uncertainty", "time_constant", "time_constant_uncertainty")
    power = number(study, f"joint_power_{quantity}")
    found = Joint(*(number(study, f"{name}_{quantity}") for name in names), 1.0 if math.isnan(power) else power)
    return found if study.refine == "both" and math.isfinite(found.space + found.time) else None


def steps_of_joint(study, quantity):
    """h [levels], hᵖ = C₁ δsᵖ + C₂ δtᵖ, where the orders refer to it: it is positive at every level; else None."""
    found = joint(study, quantity)
    if found is None or not np.all(found.signed(study.ds, study.dt) > 0):
        return None
    return found.at(study.ds, study.dt) ** (1 / found.power)


def step(study, quantity):
    """The step [levels] to which a quantity's orders refer: δt, δs, their sum, or that of the joint fit."""
    jointly = steps_of_joint(study, quantity)
    return plain_step(study) if jointly is None else jointly


def plain_step(study):
    """The refined step [levels]: δt, δs or δs + δt."""
    return {"steps": study.dt, "cells": study.ds, "both": study.ds + study.dt}[study.refine]


def is_fitted(study, quantity):
    """Which levels [levels] are in the fit of a quantity's order; all that have an error where the file does not say."""
    marks = study.marks[quantity]
    return np.isfinite(study.errors[quantity]) if marks is None else marks == Mark.FITTED


def predicted(study, quantity):
    """The fitted error [levels], C hᵖ less what the reference has of it; NaN where the file has no fitted order."""
    h, order, constant = (step(study, quantity), number(study, f"order_{quantity}"),
                          number(study, f"constant_{quantity}"))
    if not math.isfinite(order + constant) or not np.all(h > 0):
        return np.full(study.levels, np.nan)
    if study.fit.get("reference") == "successive":
        return constant * (h ** order - np.r_[h[1:], np.nan] ** order)
    return constant * (h ** order - _reference_step(study, quantity) ** order)


def _reference_step(study, quantity):
    """The step of the one run against which errors are measured; 0 for an exact reference."""
    cells, steps = number(study, "reference_cells"), number(study, "reference_steps")
    if study.fit.get("reference") != "finest" or not math.isfinite(steps):
        return 0.0
    ds, dt = 1 / cells if cells > 0 else 0.0, study.dt[0] * study.steps[0] / steps
    if steps_of_joint(study, quantity) is not None:
        found = joint(study, quantity)
        return float(found.at(ds, dt) ** (1 / found.power))
    return {"steps": dt, "cells": ds, "both": ds + dt}[study.refine]
