"""Numbers as a reader expects them on a figure or a page."""

import math

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
EN_DASH = "–"
THIN_SPACE = "\u202f"


def count(value):
    """A whole number: 1500, 10⁶, 2.5·10⁵, 12 345; 0 stands for ∞ (cells)."""
    if value == 0:
        return "∞"
    value = int(value)
    exponent = len(str(value)) - 1
    mantissa = str(value).rstrip("0")
    if exponent < 4 or len(mantissa) > 2:
        return grouped(value)
    power = "10" + str(exponent).translate(SUPERSCRIPTS)
    return power if mantissa == "1" else f"{'.'.join(mantissa)}·{power}"


def power_of_ten(value):
    """A tick of a logarithmic axis: 10⁻³, 2·10⁻³."""
    mantissa, exponent = f"{value:.0e}".split("e")
    power = "10" + str(int(exponent)).translate(SUPERSCRIPTS)
    return power if mantissa == "1" else f"{mantissa}·{power}"


def grouped(value):
    """A whole number in full, in groups of three digits; 0 stands for ∞ (cells)."""
    if not math.isfinite(value):
        return EN_DASH
    if value == 0:
        return "∞"
    return f"{int(value):,}".replace(",", THIN_SPACE) if value >= 10000 else str(int(value))


def scientific(value):
    """A step or an error with four digits, 1.234e-03; 0 for zero; an en dash where it is not a number."""
    if not math.isfinite(value):
        return EN_DASH
    return f"{value:.3e}" if value else "0"


def order(value):
    """An observed order with three decimals; an en dash where it is undefined."""
    return f"{value:.3f}" if math.isfinite(value) else EN_DASH


def listed(words):
    """The words as a sentence lists them: `x, y and u`."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
