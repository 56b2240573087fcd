"""Numbers and lists as text, for figures and pages."""

import math
import re

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
EN_DASH = "–"
THIN_SPACE = "\u202f"
FIXED_SPACE = "\u00a0"


def number(value, otherwise=math.nan):
    """A text or what else may be a number as one; `otherwise` where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return otherwise


def count(value):
    """A whole number: 1500, 10⁶, 2.5·10⁵, 12 345; 0 stands for ∞ (cells)."""
    if value == 0:
        return "∞"
    value = int(value)
    exponent = len(str(value)) - 1
    mantissa = str(value).rstrip("0")
    return grouped(value) if exponent < 4 or len(mantissa) > 2 else _times_ten(".".join(mantissa), exponent)


def _times_ten(mantissa, exponent):
    power = "10" + superscript(str(int(exponent)))
    return power if float(mantissa) == 1 else f"{mantissa}·{power}"


def signs_of(text):
    """A sentence of the program with its numbers and names as pages have them: 4e-14 as 4·10⁻¹⁴, u0 as u₀."""
    text = re.sub(r"\b\d(?:\.(\d+))?e[+-]?\d+\b", lambda found: measured(float(found[0]), 1 + len(found[1] or "")), text)
    return re.sub(r"\b([kuxy])0\b", r"\1₀", text)


def superscript(text):
    """The digits of a text raised, as in δs²."""
    return text.translate(SUPERSCRIPTS)


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
    return minus(f"{value:.3f}") if math.isfinite(value) else EN_DASH


def interval(value, width, digits=3):
    """The interval value − width to value + width in brackets, `[0.989, 1.009]`; empty where there is none."""
    if not math.isfinite(value) or not math.isfinite(width):
        return ""
    return _between(minus(f"{value - width:.{digits}f}"), minus(f"{value + width:.{digits}f}"))


def measured(value, digits=2, plain=range(-1, 4)):
    """A measured number, 5.1·10⁻³ or 0.51, of `digits` digits, plain where its power of ten is in `plain`; – for none."""
    if not math.isfinite(value):
        return EN_DASH
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if value == 0 or int(exponent) in plain:
        return minus(f"{float(f'{value:.{digits - 1}e}'):g}")
    return minus(_times_ten(mantissa, exponent))


def rounded_up(value, digits):
    """The least number of so many significant digits that is not below a positive one: 4.39 of 4.3835."""
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return math.ceil(value / unit) * unit


def tick(value, digits=4):
    """A number on an axis: `−1.5`, `0`, `2.5·10⁻¹⁴`; so many digits, without trailing zeros."""
    return re.sub(r"\.?0+(?=·)", "", measured(value, digits, plain=range(-3, max(5, digits))))


def estimate(value, width):
    """A number and its confidence interval, `−5.43 [−6.07, −4.78]`: two digits of its half-width, at most four of the
    number; the number alone where the interval is unknown or below those digits."""
    if not math.isfinite(value):
        return EN_DASH
    if not math.isfinite(width) or width < 5e-4 * abs(value):
        return minus(f"{value:#.4g}") if 1e-2 <= abs(value) < 1e4 else measured(value, 4)
    size = max(abs(value), width)
    if not 1e-3 <= size < 1e5:
        return f"{measured(value, 3)} {_between(measured(value - width, 3), measured(value + width, 3))}"
    places = max(0, 1 - math.floor(math.log10(width)))
    return f"{minus(f'{value:.{places}f}')} {interval(value, width, places)}"


def _between(low, high):
    return f"[{low},{FIXED_SPACE}{high}]"


def negatives(text):
    """A sentence of the program with the minus signs of its negative numbers."""
    return re.sub(r"(?<![\w.-])-(?=\d)", "−", text)


def minus(text):
    """The text with its hyphens as minus signs."""
    return text.replace("-", "−")


def percent(share):
    """A share as a percentage: `50 %`, `0.13 %`."""
    return f"{measured(100 * share)} %"


def cell(value, shown, sign=""):
    """A table's cell (exact value, text, sign): a number as `shown` formats it, an en dash where it is not finite."""
    value = float(value) if isinstance(value, (int, float)) else math.nan
    return repr(value), shown(value) if math.isfinite(value) else EN_DASH, sign


def listed(words, last="and"):
    """The words as a sentence lists them: `x, y and u`."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
