"""Numbers, names of runs, labels of forces and tables as text, for figures, pages and files."""

import math
import re
from collections import namedtuple

import pandas as pd

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
EN_DASH = "–"
THIN_SPACE = "\u202f"
FIXED_SPACE = "\u00a0"

# The data of a problem, {key of the configuration: symbol in the equations}, in the order in which a page lists them.
SYMBOLS = {"mass": "m", "damping": "c", "k0": "k₀", "stiffness": "k(s)", "threshold": "η(s)", "threshold-down": "η⁻(s)",
           "force": "F(t)", "base-acceleration": "a_g(t)", "incoming-velocity": "v(t)", "position": "x(t)",
           "x0": "x₀", "y0": "y₀", "initial-u": "u₀(s)", "final-time": "T"}
# A value that is a table begins with this text.
POINTS = "points:"
# A value with more characters than this is shortened in the middle.
LONGEST = 60


def number(value, otherwise=math.nan):
    """Return a value, such as a text, as a float; `otherwise` if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return otherwise


def count(value):
    """Return a whole number as text, such as 1500, 10⁶, 2.5·10⁵ or 12 345; 0, infinitely many cells, as ∞."""
    digits = f"{value:.0f}"
    mantissa = digits.rstrip("0")
    return grouped(value) if len(digits) < 5 or len(mantissa) > 2 else _times_ten(".".join(mantissa), len(digits) - 1)


def _times_ten(mantissa, exponent):
    """Return a number in powers of ten, without a mantissa of one."""
    power = "10" + superscript(str(int(exponent)))
    return power if float(mantissa) == 1 else f"{mantissa}·{power}"


def grouped(value):
    """Return a whole number with all its digits, from 10 000 on in groups of three; 0, infinitely many cells, as ∞."""
    if not math.isfinite(value):
        return EN_DASH
    if value == 0:
        return "∞"
    return f"{int(value):,}".replace(",", THIN_SPACE) if value >= 10000 else str(int(value))


def scientific(value):
    """Return a step or an error with four digits, such as 1.234e-03."""
    if not math.isfinite(value):
        return EN_DASH
    return f"{value:.3e}" if value else "0"


def measured(value, digits=2, plain=range(-1, 4)):
    """Return a number rounded to `digits` significant digits, such as 5.1·10⁻³, or 0.51 for an exponent in `plain`."""
    if not math.isfinite(value):
        return EN_DASH
    rounded = f"{value:.{digits - 1}e}"
    mantissa, exponent = rounded.split("e")
    return minus(f"{float(rounded):g}" if value == 0 or int(exponent) in plain else _times_ten(mantissa, exponent))


def order(value, half=math.nan):
    """Return an observed order with three decimals and, if it is known, half its interval: `1.004 ± 0.006`."""
    if not math.isfinite(value):
        return EN_DASH
    return _with_half(value, half, ".3f") if math.isfinite(half) else minus(f"{value:.3f}")


def uncertain(value, half):
    """Return a number with half its interval, in two digits, such as `−5.43 ± 0.65` or `(3.00 ± 0.20)·10⁻⁵`.

    The number is returned alone, with four digits, if the half-width is not known or only of the size of rounding.
    """
    if math.isfinite(value) and math.isfinite(half) and half > 1e-9 * abs(value):
        return _with_half(value, half, ".2u")
    return measured(value, 4)


def _with_half(value, half, digits):
    """Return `value ± half` in the format `digits` of uncertainties, with the signs of the pages."""
    from uncertainties import ufloat

    return minus(f"{ufloat(value, half):{digits}P}").replace("±", f"{FIXED_SPACE}±{FIXED_SPACE}").replace("×", "·")


def rounded_up(value, digits):
    """Return a positive number rounded up to this number of significant digits: 4.39 for 4.3835 and three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return math.ceil(value / unit) * unit


def percent(share):
    """Return a fraction of one as a percentage, such as `50 %` or `0.13 %`."""
    return f"{measured(100 * share)} %"


def minus(text):
    """Return the text with all hyphens replaced by minus signs."""
    return text.replace("-", "−")


def superscript(text):
    """Return the text with its digits and hyphens as superscripts, for exponents as in δs²."""
    return text.translate(SUPERSCRIPTS)


def cell(value, to_text, sign=""):
    """Return an entry of a table: the number with all digits, its text by the function `to_text`, and a mark."""
    value = number(value)
    return repr(value), to_text(value) if math.isfinite(value) else EN_DASH, sign


def listed(words, last="and"):
    """Return the words as a list within a sentence, such as `x, y and u`; `last` is the word before the last item."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def signs_of(text):
    """Return a sentence of the program in the notation of the pages: 4e-14 becomes 4·10⁻¹⁴, and u0 becomes u₀."""
    text = re.sub(r"\b\d(?:\.(\d+))?e[+-]?\d+\b",
                  lambda found: measured(float(found[0]), 1 + len(found[1] or "")), text)
    return re.sub(r"\b([kuxy])0\b", r"\1₀", text)


def in_figure(text):
    """Return a text for a figure in which the index of a symbol such as a_g or u1 is written as an index."""
    return re.sub(r"\b([^\W\d_])_?((?<=_)\w+|\d+)\b", r"$\\mathregular{\1_{\2}}$", text)


def names_apart(runs):
    """Return the titles of Runs, such as `P = 3, N = 1000`, or the names of their files if two titles are the same."""
    titles = [run.title for run in runs]
    return titles if len(set(titles)) == len(titles) else [run.path.stem for run in runs]


def labels(runs):
    """Return short names of Runs of one problem: `P = 100` if all have different P, otherwise those of names_apart."""
    sizes = [count(run.cells) for run in runs if run.cells is not None]
    return [f"P = {size}" for size in sizes] if len(set(sizes)) == len(runs) else names_apart(runs)


def short_value(value):
    """Return a value of a configuration without the points of a table, and without its middle if it is too long."""
    if value.startswith(POINTS):
        return f"table, {grouped(len(value.rstrip(';').split(';')))} points"
    return value if len(value) <= LONGEST else f"{value[:LONGEST - 12]} … {value[-9:]}"


def short_configuration(text):
    """Return the text of a configuration in which each table is replaced by its number of points."""
    return re.sub(f"(?<= = ){POINTS}.*", lambda found: short_value(found[0]), text)


# The terms of the equation of motion of a result, m y′ = F − m a_g − c y − k₀ x − S in full, and the labels of the
# datasets /series/force, whose work is /energy/input, and /series/restoring. `ordinate` is the label of an axis.
Motion = namedtuple("Motion", "is_damped base_moves force force_over_time restoring ordinate")


def motion(result):
    """Return the Motion of a Run, a Study or a Scan, determined from its configuration and the label of its force."""
    is_damped, moves = (bool(result.settings.get(key, "0").strip("-0.")) for key in ("damping", "base-acceleration"))
    label = result.attributes("series/force").get("label", "a_g" * moves)  # a scan has no such label
    # In a chain of slabs, F acts on a node and is without − m a_g.
    base_moves = "a_g" in label and not result.is_chain
    has_mass = not result.model.endswith("quasistatic")
    if result.is_chain:
        restoring = "fᵢ − fᵢ₊₁"
    elif result.model.startswith("masing") and (is_damped or base_moves or not has_mass):
        restoring = "k₀ x + S"
    else:
        restoring = "F − m x″" if has_mass else "F"
    force, over_time = ("F − m a_g", "F(t) − m a_g(t)") if base_moves else ("F", "F(t)")
    return Motion(is_damped, base_moves, force, over_time, restoring, f"restoring force {restoring}")


def restoring_of_all(results):
    """Return the common label of the restoring forces of the results, or `f` if their labels differ."""
    names = {motion(each).restoring for each in results}
    return names.pop() if len(names) == 1 else "f"


def csv(table, missing=""):
    """Return a table as the bytes of a CSV file with all digits, and the text `missing` in place of each NaN."""
    return pd.DataFrame(table).to_csv(index=False, na_rep=missing).encode("utf-8")
