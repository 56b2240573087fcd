"""Functions that format numbers and lists as text for figures and pages."""

import math
import re

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
EN_DASH = "–"
THIN_SPACE = "\u202f"
FIXED_SPACE = "\u00a0"


def number(value, otherwise=math.nan):
    """Return a value, such as a text, as a float; `otherwise` if it is not a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return otherwise


def count(value):
    """Return a whole number as text, such as 1500, 10⁶, 2.5·10⁵ or 12 345.

    0 is returned as ∞, because a number of cells of 0 stands for infinitely many cells.
    """
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
    """Return a sentence of the program in the notation of the pages: 4e-14 becomes 4·10⁻¹⁴, and u0 becomes u₀."""
    text = re.sub(r"\b\d(?:\.(\d+))?e[+-]?\d+\b", lambda found: measured(float(found[0]), 1 + len(found[1] or "")), text)
    return re.sub(r"\b([kuxy])0\b", r"\1₀", text)


def in_figure(text):
    """Return a text for a figure in which the index of a symbol such as a_g or u1 is written as an index."""
    return re.sub(r"\b([^\W\d_])_?((?<=_)\w+|\d+)\b", r"$\\mathregular{\1_{\2}}$", text)


def superscript(text):
    """Return the text with its digits and hyphens as superscripts, for exponents as in δs²."""
    return text.translate(SUPERSCRIPTS)


def grouped(value):
    """Return a whole number as text with all its digits. If it is 10 000 or more, they are in groups of three.

    0 is returned as ∞, because a number of cells of 0 stands for infinitely many cells. A value that is not finite is
    returned as an en dash.
    """
    if not math.isfinite(value):
        return EN_DASH
    if value == 0:
        return "∞"
    return f"{int(value):,}".replace(",", THIN_SPACE) if value >= 10000 else str(int(value))


def scientific(value):
    """Return a step or an error as text with four digits, such as 1.234e-03.

    Zero is returned as 0, and a value that is not finite as an en dash.
    """
    if not math.isfinite(value):
        return EN_DASH
    return f"{value:.3e}" if value else "0"


def order(value):
    """Return an observed order as text with three decimals, or an en dash if the order is not finite."""
    return minus(f"{value:.3f}") if math.isfinite(value) else EN_DASH


def interval(value, width, digits=3):
    """Return the interval from value − width to value + width in brackets, such as `[0.989, 1.009]`.

    The text is empty if `value` or `width` is not finite.
    """
    if not math.isfinite(value) or not math.isfinite(width):
        return ""
    return _between(minus(f"{value - width:.{digits}f}"), minus(f"{value + width:.{digits}f}"))


def measured(value, digits=2, plain=range(-1, 4)):
    """Return a measured number as text, rounded to `digits` significant digits, such as 5.1·10⁻³ or 0.51.

    The number is written without a power of ten if its decimal exponent is in `plain`. A value that is not finite is
    returned as an en dash.
    """
    if not math.isfinite(value):
        return EN_DASH
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if value == 0 or int(exponent) in plain:
        return minus(f"{float(f'{value:.{digits - 1}e}'):g}")
    return minus(_times_ten(mantissa, exponent))


def rounded_up(value, digits):
    """Return a positive number rounded up to this number of significant digits: 4.39 for 4.3835 and three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return math.ceil(value / unit) * unit


def tick(value, digits=4):
    """Return the label of a tick on an axis, such as `−1.5`, `0` or `2.5·10⁻¹⁴`.

    The label has at most `digits` significant digits, and no trailing zeros after the decimal point.
    """
    return re.sub(r"\.?0+(?=·)", "", measured(value, digits, plain=range(-3, max(5, digits))))


def estimate(value, width):
    """Return a number and its confidence interval as text, such as `−5.43 [−6.07, −4.78]`.

    `width` is half the width of the interval. If `width` is not finite or is below 5·10⁻⁴ |value|, the number is
    returned alone, with four digits. Otherwise, if the larger of |value| and `width` is from 10⁻³ to 10⁵, all numbers
    have so many decimals that `width` would have at least two significant digits. Outside this range, measured() writes
    them with three significant digits. If the value is not finite, an en dash is returned.
    """
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


def minus(text):
    """Return the text with all hyphens replaced by minus signs."""
    return text.replace("-", "−")


def percent(share):
    """Return a fraction of one as a percentage, such as `50 %` or `0.13 %`."""
    return f"{measured(100 * share)} %"


def cell(value, to_text, sign=""):
    """Return an entry of a table as (exact value, text, sign), where `sign` is a mark to print behind the number.

    The exact value is the repr() of the number. The text is the number in the format of the function `to_text`, or an
    en dash if the number is not finite.
    """
    value = float(value) if isinstance(value, (int, float)) else math.nan
    return repr(value), to_text(value) if math.isfinite(value) else EN_DASH, sign


def listed(words, last="and"):
    """Return the words as a list within a sentence, such as `x, y and u`; `last` is the word before the last item."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""
