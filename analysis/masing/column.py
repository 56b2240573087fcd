"""Make a case of the model masing-chain from the layers of a soil, in SI units.

The case is a column of soil of 1 m², in which a shear wave travels: ρ ∂²x/∂t² = ∂τ/∂z. It is divided into elements of
the height h, from the base (element 1) to the surface (element n). An element has the stiffness κ = G/h with G = ρ v²;
its masses ρ h/2 are at its two ends. Its backbone is τ(γ) with γ = d/h, and its dashpot b = 2 ξ κ/(2π f) gives it the
damping ratio ξ at the frequency f.
"""

from collections import namedtuple
from pathlib import Path

import numpy as np
from scipy.integrate import cumulative_trapezoid

from masing import tables
from masing.command_line import write_file
from masing.cycles.curves import read_columns
from masing.errors import MasingError
from masing.notation import rounded_up

# {column of a profile: (least value, greatest value, unit)}. A value outside is taken for one in other units.
COLUMNS = {"thickness": (0.01, 1e4, "in m"), "density": (300, 2e4, "in kg/m³"), "speed": (5, 1e4, "in m/s"),
           "reference_strain": (1e-7, 0.5, "as a fraction, 0.001 for 0.1 %"),
           "damping": (0, 0.5, "as a fraction, 0.02 for 2 %")}
PROFILE = ("columns thickness, density, speed and, if they are known, reference_strain and damping, a row for each "
           "layer from the surface down and one of the thickness 0 for the half-space")
# An element is at most this part of a wavelength high.
PER_WAVELENGTH = 10
# The most elements of a column; the greatest acceleration of a record in m/s², and the longest interval in s.
MOST_ELEMENTS, MOST_ACCELERATION, LONGEST_INTERVAL = 10000, 100, 0.1
# The step is this part of the largest stable one. A file has some FIELDS fields, at least.
MARGIN, FIELDS = 0.8, 400
# An interval of a record has LEAST_STEPS steps at least and some SAMPLES samples: at its ends the accelerations jump.
LEAST_STEPS, SAMPLES = 4, 8
# A record drifts if its velocity ends at more than this part of the greatest.
DRIFT = 0.05
# The most layers whose uppermost node is watched.
MOST_WATCHED = 100
# In a table of η a jump extends over this length in s.
GAP = 1e-9

# The elements of a column from the base up, as arrays [n]; `layer` counts the layers from the surface. `speed` and
# `density` of the half-space are `rock`.
Column = namedtuple("Column", "height density speed reference_strain damping layer rock")

# The backbone of all elements. `lines` are its keys in the case and `lets` its constants. `k0` is the tangent beyond
# its last point, in parts of the first one. Elements with η = `reference` slide from the reference strain on. `table`
# is a pair of arrays (s, η), or None; `words` describe the backbone.
Backbone = namedtuple("Backbone", "lines lets k0 reference table words")


def read_profile(path, frequency):
    """Return the Column of a profile, whose elements resolve waves up to the frequency.

    Each layer has a whole number of elements, whose height is at most v/(10 f). Raises MasingError if the profile
    cannot be used, or if the column has more than MOST_ELEMENTS elements.
    """
    if not 0 < frequency < np.inf:
        raise MasingError(f"--frequency {frequency:g}: give the greatest frequency of the waves in Hz, above 0")
    columns = read_columns(path, COLUMNS, PROFILE)
    if absent := [name for name in ("thickness", "density", "speed") if name not in columns]:
        raise MasingError(f"{path}: has no column {absent[0]}; give {PROFILE}")
    count = len(columns["thickness"]) - 1
    if count < 1 or columns["thickness"][count] != 0:
        raise MasingError(f"{path}: the thickness of its last row is {columns['thickness'][count]:g}; give a row for "
                          "each layer and a last one of the thickness 0 for the half-space")
    for name, values in columns.items():
        least, most, unit = COLUMNS[name]
        # The half-space needs a density and a speed only.
        seen = values if name in ("density", "speed") else values[:count]
        if len(bad := np.flatnonzero((seen < least) | (seen > most))):
            where = f"layer {bad[0] + 1}" if bad[0] < count else "the half-space"
            raise MasingError(f"{path}: the {name} of {where} is {seen[bad[0]]:g}; give it {unit}, from {least:g} to "
                              f"{most:g}")
    layers = {name: values[:count] for name, values in columns.items()}
    pieces = np.ceil(layers["thickness"] * PER_WAVELENGTH * frequency / layers["speed"] * (1 - 1e-12))
    if pieces.sum() > MOST_ELEMENTS:
        raise MasingError(f"--frequency {frequency:g}: the column needs {pieces.sum():.7g} elements, more than "
                          f"{MOST_ELEMENTS}; give at most {frequency * MOST_ELEMENTS / pieces.sum():.3g}")
    layers |= {"height": layers.pop("thickness") / pieces, "layer": np.arange(1, count + 1)}
    layers = {name: np.repeat(values, pieces.astype(int))[::-1] for name, values in layers.items()}
    layers = {"reference_strain": None, "damping": np.zeros_like(layers["height"])} | layers
    return Column(**layers, rock=(columns["density"][count], columns["speed"][count]))


def formula(exponent, reach):
    """Return the Backbone τ = G γ/(1 + (γ/γ_r)^a) with a = `exponent`, up to γ = reach γ_r, and straight beyond.

    With a = 1 it is the hyperbola, with a = 0.919 that of Darendeli; other exponents are those of MKZ. Raises
    MasingError if it is not concave.
    """
    for name, value in (("--exponent", exponent), ("--reach", reach)):
        if not 0 < value < np.inf:
            raise MasingError(f"{name} {value:g}: give a number above 0")
    q = reach**exponent
    if exponent > 1 and q > 1 / (exponent - 1):
        raise MasingError(f"--exponent {exponent:g}: the stress falls beyond the strain "
                          f"{np.floor(1000 * (exponent - 1) ** (-1 / exponent)) / 1000:g} γ_r; give --reach up to this "
                          "number, or an exponent up to 1")
    return Backbone(["stiffness = Q*((1+a)+(1-a)*Q*s)/(1+Q*s)^3", "threshold = s^(1/a)"],
                    [f"a = {exponent!r}", f"Q = {q!r}"], (1 + (1 - exponent) * q) / (1 + q)**2, 1 / reach, None,
                    f"G γ/(1+(γ/γ_r)^{exponent:g}), straight beyond γ = {reach:g} γ_r")


def curve(path):
    """Return the Backbone through the points of a file with the columns strain, and ratio (of moduli) or stress.

    It is concave and smooth. Its tangent is G at 0, at a point the geometric mean of the slopes of both chords, and at
    the last point in the same ratio to the chord as at the one before; beyond it the backbone is straight. In each
    interval the tangent is linear up to the place where it has the slope of the chord, and from there on, which is the
    only such place for which the backbone meets both points. G is the first modulus, of stresses the slope of the first
    chord. Raises MasingError if the points are not those of a concave curve that rises.
    """
    wanted = "the columns strain and ratio (the secant modulus over the first), or strain and stress"
    columns = read_columns(path, ("strain", "ratio", "stress"), wanted)
    if "strain" not in columns or len(columns) != 2:
        raise MasingError(f"{path}: has not the right columns; give {wanted}")
    is_ratio, strain, value = "ratio" in columns, columns.pop("strain"), *columns.values()
    if strain[0] == 0:
        strain, value = strain[1:], value[1:]
    if len(strain) < 3 or len(bad := np.flatnonzero(np.diff(np.r_[0, strain]) <= 0)):
        where = f"the strain {strain[bad[0]]:g} is not above the one before" if len(strain) > 2 else "too few points"
        raise MasingError(f"{path}: {where}; give three strains at least, which increase from 0")
    if value.min() <= 0 or is_ratio and value.max() > 1:
        what, most = ("ratio", ", up to 1") if is_ratio else ("stress", "")
        wrong = value.min() if value.min() <= 0 else value.max()
        raise MasingError(f"{path}: a {what} is {wrong:g}; give numbers above 0{most}")
    stress = np.r_[0, value * strain if is_ratio else value * strain[0] / value[0]]
    strain = np.r_[0, strain]
    slope = np.diff(stress) / np.diff(strain)
    if len(bad := np.flatnonzero(np.diff(np.r_[1, slope]) > 1e-12)):
        raise MasingError(f"{path}: the curve is not concave at the strain {strain[bad[0]]:g}, where its slope rises "
                          f"from {np.r_[1, slope][bad[0]]:.4g} to {slope[bad[0]]:.4g} G; smooth it there")
    if slope[-1] < 0:
        raise MasingError(f"{path}: the stress falls beyond the strain {strain[np.argmax(slope < 0)]:g}; leave out the "
                          "points beyond")
    if slope[-1] > 1 - 1e-9:
        raise MasingError(f"{path}: the curve is a straight line, so nothing slides; give points at larger strains")
    ratio = np.sqrt(slope[1:] / np.maximum(slope[:-1], 1e-300))
    tangent = np.r_[1, slope[:-1] * ratio, slope[-1] * ratio[-1]]
    fall = -np.diff(tangent)
    part = np.divide(slope - tangent[1:], fall, out=np.full_like(fall, 0.5), where=fall > 0)
    eta = np.r_[strain, strain[:-1] + part * np.diff(strain)]
    s = 1 - np.r_[tangent, slope]
    order = np.lexsort((s, eta))
    s, eta = s[order], eta[order]
    # Where the tangent is constant nothing begins to slide: η jumps there, over GAP in s, and begins where it falls.
    begin, gaps = np.flatnonzero(s < GAP)[-1], GAP * np.arange(len(s))
    s = np.maximum.accumulate(s - gaps)[begin:] + gaps[begin:]
    secant = stress[1:] / strain[1:]
    half = float(np.interp(0.5, secant[::-1], strain[:0:-1], left=np.nan, right=np.nan))
    return Backbone([f"stiffness = {1 - tangent[-1]!r}", f"threshold = table:{{}}"], [], float(tangent[-1]), half,
                    ((s - s[0]) / (s[-1] - s[0]), eta[begin:]), f"the curve of {path.name}")


def read_record(path, scale):
    """Return the times, and the accelerations times `scale`, of a record in a file of two columns.

    Raises MasingError if the times do not increase, or if times or accelerations are too great to be in s and m/s².
    """
    columns = read_columns(path, ("t", "a"), "two columns, t in s and the acceleration",
                           by_name=False)
    t, a = columns["t"], scale * columns["a"]
    if len(t) < 2 or len(bad := np.flatnonzero(np.diff(t) <= 0)):
        where = f"the time {t[bad[0] + 1]:g} is not above the one before" if len(t) > 1 else "it has one point"
        raise MasingError(f"{path}: {where}; give points at times that increase")
    if (interval := (t[-1] - t[0]) / (len(t) - 1)) > LONGEST_INTERVAL:
        raise MasingError(f"{path}: its points are {interval:g} s apart; give times in s, at most {LONGEST_INTERVAL} "
                          "apart")
    if not 0 < np.abs(a).max() <= MOST_ACCELERATION:
        raise MasingError(f"{path}: the greatest acceleration is {np.abs(a).max():g} m/s²; give a record of up to "
                          f"{MOST_ACCELERATION}, with --scale if it is in other units (9.81 for parts of g)")
    return t, a


def write_case(path, profile, column, backbone, frequency, record=None, within=False, damping_frequency=None):
    """Write the case `path` and its tables beside it, and return lines that describe the column and the record.

    profile: the path of the profile. record: (t, a) in s and m/s², whose first time is t = 0 of the case, or None for
    a pulse of 0.1 m/s whose spectrum ends at the frequency. With within=True the base of the column moves as the
    record, which is of the ground at this depth: the sum of the waves that go up and down. Otherwise a is the
    acceleration of the half-space where it crops out, twice that of the wave that comes up. damping_frequency: the
    frequency at which elements have their damping ratio; None for 1/(4 Σ h/v), the first of the column on a rigid base.
    Raises MasingError if an argument cannot be used.
    """
    travel = np.sum(column.height / column.speed)
    first, remarks = 1 / (4 * travel), []
    damping_frequency = first if damping_frequency is None else damping_frequency
    if not first / 10 <= damping_frequency < np.inf:
        raise MasingError(f"--damping-frequency {damping_frequency:g}: give a frequency in Hz, at least a tenth of the "
                          f"first one of the column, {first:.3g} Hz")
    model, n = _parameters(column, backbone, within, 2 * np.pi * damping_frequency), len(column.height)
    largest = MARGIN * _largest_step(model)
    if record is None:
        pulse = 3 / frequency
        motion, says = f"incoming-velocity = 0.1*sin(pi*min(t/{pulse!r},1))^4", \
            f"A pulse comes up whose spectrum ends at {frequency:g} Hz."
        end = rounded_up(pulse + 6 * travel, 2)
        steps = FIELDS * int(np.ceil(end / largest / FIELDS))
        each = max(1, steps // (10 * FIELDS))
    else:
        t, velocity = record[0] - record[0][0], cumulative_trapezoid(record[1], record[0], initial=0)
        motion, says = _of_record(path, t, record[1], velocity, within)
        intervals, end = len(t) - 1, float(t[-1])
        least = max(LEAST_STEPS, int(np.ceil(end / intervals / largest)))
        each = max(1, least // SAMPLES)
        steps = each * -(-least // each) * intervals
        if record[0][0] != 0:
            remarks.append(f"the record begins at {record[0][0]:g} s, which is t = 0 of the case")
        if (part := abs(velocity[-1]) / np.abs(velocity).max()) > DRIFT:
            remarks.append(f"the record drifts: its velocity ends at {velocity[-1]:.3g} m/s, {100 * part:.0f} % of the "
                           "greatest; correct its baseline")
    threshold = _table(path, "curve", "s", "strain", *backbone.table) if backbone.table else ""
    watched = np.flatnonzero(np.diff(np.r_[column.layer, 0]))[-MOST_WATCHED:] + 1
    damped = f", damping ratios at {damping_frequency:.4g} Hz" if "c" in model else ""
    text = [f"# A column of soil of 1 m² in SI units: the layers of {Path(profile).name} in {n} elements",
            f"# from the base to the surface, {PER_WAVELENGTH} or more a wavelength at {frequency:g} Hz.", f"# {says}",
            f"# Backbone: {backbone.words}{damped}.", "# draw: wave; extremes; loops; spectra", "model = masing-chain",
            *(line.format(threshold) for line in backbone.lines), "cells = inf", "scheme = leapfrog", motion,
            f"final-time = {end!r}", f"steps = {steps}", f"sample-every = {each}",
            f"field-every = {each * max(1, steps // each // FIELDS)}",
            f"watch = {','.join(map(str, [0] + watched.tolist()))}",
            *["[let]", *backbone.lets] * bool(backbone.lets), "[model]", f"n = {n}",
            *(f"{key} = {', '.join(map(repr, np.atleast_1d(values).tolist()))}" for key, values in model.items())]
    write_file(path, ("\n".join(text) + "\n").encode())
    height = column.height
    return [f"{n} elements of {height.min():.3g} to {height.max():.3g} m, {height.sum():.4g} m in all; "
            f"first frequency {first:.3g} Hz{damped}", f"{steps} steps of {end / steps:.3g} s", *remarks]


def _of_record(path, t, acceleration, velocity, within):
    """Write the table of a record, and return the line of the case that names it and a sentence about it."""
    if within:
        table = _table(path, "acceleration", "t", "a", t, acceleration)
        return f"base-acceleration = table:{table}", "The base moves as the record; x is relative to it."
    table = _table(path, "velocity", "t", "v", t, velocity / 2)
    return f"incoming-velocity = table:{table}", "The wave that comes up has half the velocity of the record, which " \
        "is of the half-space where it crops out."


def _parameters(column, backbone, within, circular):
    """Return the parameters {name: array} of the model masing-chain; `circular` is the circular frequency at which the
    elements have their damping ratio."""
    stiffness = column.density * column.speed**2 / column.height
    threshold, halves = column.height, column.density * column.height / 2
    if column.reference_strain is not None:
        if np.isnan(backbone.reference):
            raise MasingError(f"{backbone.words} never falls to half of G, so its reference strain is not known; leave "
                              "the column reference_strain out, or give points at larger strains")
        threshold = column.height * column.reference_strain / backbone.reference
    elif backbone.table is None:
        raise MasingError("the profile has no column reference_strain; give it, or a curve by --curve")
    elif backbone.table[1][-1] > COLUMNS["reference_strain"][1]:
        raise MasingError(f"{backbone.words} has the strain {backbone.table[1][-1]:g}; give strains "
                          f"{COLUMNS['reference_strain'][2]}")
    model = {"m": halves + np.r_[halves[1:], 0], "k": stiffness, "k0": backbone.k0 * stiffness, "eta": threshold}
    if column.damping.any():
        model["c"] = 2 * column.damping * stiffness / circular
    if not within:
        model |= {"base_mass": halves[0], "base_impedance": np.prod(column.rock)}
    return model


def _largest_step(model):
    """Return a lower bound of the largest stable step of the scheme leapfrog.

    It is 2 (√(1 + 4 ξ²) − 2 ξ)/ω with ξ = max b ω/(2 K) and the bound ω² ≤ max κ (1/m' + 1/m'') of the circular
    frequencies, where m' and m'' at the ends of an element are half of an inner mass and all of an end mass.
    """
    nodes = np.r_[model.get("base_mass", np.inf), model["m"][:-1] / 2, model["m"][-1]]
    omega = np.sqrt(np.max(model["k"] * (1 / nodes[:-1] + 1 / nodes[1:])))
    ratio = np.max(model.get("c", 0) * omega / (2 * (model["k"] - model["k0"])))
    return 2 / (np.sqrt(1 + 4 * ratio**2) + 2 * ratio) / omega


def _table(path, kind, argument, name, arguments, values):
    """Write the table PATH-KIND.csv of two columns beside the case, and return its path."""
    table = Path(path).with_name(f"{Path(path).stem}-{kind}.csv")
    write_file(table, tables.csv({argument: arguments, name: values}))
    return table
