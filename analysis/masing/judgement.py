"""Judge the orders of convergence in a table of errors of any program, by the C++ code of src/statistics/order.hpp."""

import math
import re
from collections import namedtuple
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from os import PathLike

import numpy as np
import pandas as pd

from masing import native
from masing.errors import MasingError, NameMissing, quoted
from masing.text import listed, number, order as order_text
from masing.tables import TextTable

# The verdicts from the worst to the best, and those with which a script ends with exit code 0.
VERDICTS = ("not as expected", "undefined", "undecided", "as expected", "exact", "not judged")
GOOD = VERDICTS[3:]
# Texts of cells without a number.
MISSING = ("", "-", "–", "nan")
FEWEST = 3
# A column and its expected order in a text such as "L2=2,H1>=1".
PAIR = re.compile(r"(?:^|,)\s*([^=>,]+?)\s*(?:=|(?=>))([^,]*)")
# The name of a column in an expression: a word that is neither a function nor part of a number such as 1e-3.
NAME = re.compile(r"(?<![\w.])[^\W\d]\w*\b(?!\s*\()")
ATTRIBUTE = re.compile(r"(?:[^\W\d]\w*|\))\s*\.")
# A name of a column with orders, and not with errors.
RATE = re.compile(r"(?<![a-z])(rate|order|eoc)s?(?![a-z])", re.IGNORECASE)
EXPRESSION = re.compile(r"[\w\s.+*/()^-]+")


class Judgement(namedtuple("Judgement", "quantity order uncertainty expected verdict why steps errors pair_orders "
                                        "value index")):
    """What is found about one quantity of a table.

    `order` is the observed order and `uncertainty` half its interval, or NaN; `expected` is the text of the expected
    order, or "". `verdict` is one of VERDICTS, and `why` says from what the order was found. `steps` [levels], their
    sum if there are two, and `errors` [levels] are sorted from coarse to fine; `pair_orders` [levels - 1] are those
    between two levels. For values, `errors` are the values, `value` is their limit and `index` the grid convergence
    index, a bound of the error of the last value; otherwise both are NaN.
    """


class Judgements(dict):
    """The Judgement of each quantity of a table, by its name."""

    @property
    def verdict(self):
        """Return the worst of the verdicts."""
        return min((each.verdict for each in self.values()), key=VERDICTS.index)

    def __missing__(self, quantity):
        raise NameMissing(f"{quoted(quantity)} is no column that is judged; these are {listed(self)}")

    def to_dataframe(self):
        """Return a DataFrame with one row for each quantity."""
        names = ["quantity", "order", "uncertainty", "expected", "verdict", "why"]
        names += ["value", "index"] * any(math.isfinite(each.value) for each in self.values())
        return pd.DataFrame([{name: getattr(each, name) for name in names} for each in self.values()])

    def __repr__(self):
        rows = [[each.quantity, order_text(each.order, each.uncertainty), each.expected, each.verdict, each.why]
                for each in self.values()]
        return pd.DataFrame(rows, columns=["", "order", "expected", "verdict", "why"]).to_string(
            index=False, justify="left", max_colwidth=None)

    def figure(self):
        """Return a log-log matplotlib Figure of the errors, or of the distances of values from their limit."""
        from masing import style
        from masing.convergence.figures import Curve, error_figure

        curves = []
        for each in self.values():
            errors = np.abs(each.errors - (each.value if math.isfinite(each.value) else 0))
            curves.append(Curve(each.quantity, errors, errors != 0, np.full(len(errors), np.nan), each.steps))
        orders = sorted({_expectation(each.expected)[0] for each in self.values() if each.expected})
        with style.applied():
            drawing = error_figure(curves, orders, "step")
            drawing.axes[0].set_ylabel("distance from the limit" if "value" in self.to_dataframe() else "error")
            return drawing


def judge(table, expect_order=None, step="h", *, reference="exact", values=False, tolerance=0.1, floor=0.0):
    """Judge whether the errors in a table, which any program may have printed, converge with the expected orders.

    Parameters
    ----------
    table : path, DataFrame or dict
        A table with a row for each level. The digits of an error that is a text count: it may be wrong by half a unit
        of its last digit, and so may a step that looks rounded.
    expect_order : dict, number or str
        {column: order}, where an order is a number or a text such as ">=1", or one order for all columns that `step`
        does not name. Without it, the orders of these columns are found, but not judged.
    step : str
        The column of the step, an expression of columns such as "1/sqrt(cells)", or two of them such as "ds,dt".
    reference : str
        With what each level is compared: "exact"; "finest:H", one run with the step H (for two steps "finest:H1,H2");
        or "successive", the next level, or the one before, where the last error, or the first, is left empty.
    values : bool
        Whether the columns contain values, which are extrapolated and get a grid convergence index.
    tolerance, floor : float
        How far the interval of an order may reach from the expected one; the size of errors that are round-off.

    Returns
    -------
    Judgements
        The Judgement of each column, {column: Judgement}, which prints as a table.

    Examples
    --------
    >>> found = masing.judge({"h": [0.4, 0.2, 0.1], "L2": [0.16, 0.04, 0.01]}, {"L2": 2})
    >>> round(found["L2"].order, 6), found["L2"].verdict
    (2.0, 'as expected')
    """
    module = native.required("judge()")
    frame, fewest = _frame(table), 2 if values else FEWEST
    if len(frame) < fewest:
        raise MasingError(f"table: {len(frame)} rows; {'a limit' if values else 'an order'} needs at least {fewest}")
    steps, step_digits, used = _steps(frame, step)
    sorting = np.argsort(-steps.sum(axis=0), kind="stable")
    steps, step_digits = steps[:, sorting], step_digits[sorting]
    if (np.abs(np.diff(steps, axis=1)) <= 1e-12 * steps[:, 1:]).all(axis=0).any():
        raise MasingError(f"step {step}: a step occurs twice in the table; give each level one row")
    tolerance, floor = number(tolerance), number(floor)
    if not (0 <= tolerance < math.inf and 0 <= floor < math.inf):
        raise MasingError("tolerance, floor: give numbers that are not negative")
    found = Judgements()
    for quantity, expected in _expectations(frame, expect_order, used).items():
        promised, at_least = _expectation(expected)
        cells = [frame[quantity].iloc[row] for row in sorting]
        numbers = np.array([_number(cell, f"{quantity}, row {row + 1}") for cell, row in zip(cells, sorting)])
        if values:
            found[quantity] = _extrapolated(module, quantity, expected, promised, steps, numbers)
            continue
        if (is_wrong := (numbers < 0) | np.isinf(numbers)).any():
            row = np.argmax(is_wrong)
            raise MasingError(f"{quantity}, row {sorting[row] + 1}: the error {cells[row]} is negative or infinite; give "
                              "its size, or no number if the level has none")
        if reference == "successive":
            numbers, cells = _successive(quantity, numbers, cells)
        if np.isfinite(numbers).sum() < FEWEST:
            raise MasingError(f"{quantity}: {np.isfinite(numbers).sum()} errors; an order needs at least {FEWEST}")
        digits = [_half_unit(cell) / error if error > 0 else 0.0 for cell, error in zip(cells, numbers)]
        order, width, verdict, why, pairs = module.judge(
            steps, numbers, digits, step_digits, _finest(reference, steps), reference == "successive", floor, promised,
            at_least, tolerance)
        found[quantity] = Judgement(quantity, order, width, expected, verdict, why, steps.sum(axis=0), numbers,
                                    np.array(pairs), math.nan, math.nan)
    return found


def _extrapolated(module, quantity, expected, promised, steps, numbers):
    """Return the Judgement of a column of values: their limit and its grid convergence index."""
    if not promised > 0:
        raise MasingError(f"{quantity}: values are bounded by their expected order; give expect_order")
    known = np.isfinite(numbers)
    limit, order, index = module.extrapolate(steps[:, known], numbers[known], promised)
    why = f"limit {limit:.8g}, error of the last value at most {index:.2g}" if math.isfinite(limit) else \
        f"no limit: {known.sum()} values are too few, do not change, or do not approach one"
    return Judgement(quantity, order, math.nan, expected, "not judged", why, steps.sum(axis=0), numbers, np.array([]),
                     limit, index)


def _frame(table):
    """Return a table as a DataFrame whose cells are those of the user; a file is read as text."""
    if isinstance(table, str | PathLike):
        read = TextTable(table)
        if not read.heading:
            raise MasingError(f"{read.path}: has no heading with a name for each of its columns; give one")
        named = {n: name for n, name in enumerate(read.heading) if name}
        frame = pd.DataFrame({n: [text or cell for text, cell in zip(read.texts(n), read.cells[n])] for n in named})
        frame.columns = named.values()
    else:
        try:
            # pandas refuses the text "".
            frame = pd.DataFrame(table if isinstance(table, dict | pd.DataFrame) else "")
        except (ValueError, TypeError):
            raise MasingError(f"table={quoted(table)}: give a path, a DataFrame, or {{column: values}} with as many "
                              "values in each column") from None
    frame.columns = [str(name).strip() for name in frame.columns]
    if not frame.columns.is_unique:
        raise MasingError(f"table: the column {frame.columns[frame.columns.duplicated()][0]} occurs twice")
    return frame


def _number(cell, where):
    """Return a cell as a number; NaN if it is empty."""
    text = str(cell).strip()
    if cell is None or text.lower() in MISSING:
        return math.nan
    try:
        return float(text)
    except ValueError:
        raise MasingError(f"{where}: {quoted(cell)} is not a number") from None


def _half_unit(cell):
    """Return half a unit of the last digit of a number that is given as a text; 0 for any other cell."""
    try:
        return float(Decimal((0, (5,), Decimal(cell.strip()).as_tuple().exponent - 1))) if isinstance(cell, str) else 0
    except (InvalidOperation, TypeError):
        return 0.0


def _steps(frame, step):
    """Return the steps [1 or 2][levels], half a unit of their last digits as a fraction [levels], and their columns."""
    texts = [str(step)] if str(step) in frame.columns else str(step).split(",")
    if len(texts) > 2:
        raise MasingError(f"step {step}: give a column or an expression of columns, or two of them")
    columns, digits, used = [], np.zeros(len(frame)), set()
    for text in map(str.strip, texts):
        names = {text} if text in frame.columns else set(NAME.findall(text))
        if unknown := sorted(names - set(frame.columns)):
            raise MasingError(f"step {step}: no column {unknown[0]}; the table has {listed(frame.columns)}")
        numbers = pd.DataFrame({name: [_number(cell, f"{name}, row {row}") for row, cell in enumerate(frame[name], 1)]
                                for name in names})

        def evaluated(numbers):
            column = numbers[text] if text in numbers else numbers.eval(text.replace("^", "**"), engine="python")
            return np.broadcast_to(np.asarray(column, dtype=float), len(frame))

        try:
            if text not in numbers and (not EXPRESSION.fullmatch(text) or ATTRIBUTE.search(text)):
                raise SyntaxError
            columns.append(evaluated(numbers))
        except Exception:  # DataFrame.eval raises errors of many classes
            raise MasingError(f"step {step}: not an expression of columns, such as 1/sqrt(cells)") from None
        is_step = np.isfinite(columns[-1]) & (columns[-1] > 0)
        if not is_step.all():
            row = int(np.argmin(is_step))
            raise MasingError(f"step {step}, row {row + 1}: {columns[-1][row]:g} is not a step; steps are positive")
        changed = (evaluated(numbers.assign(**{name: numbers[name] + _rounded(frame[name])})) for name in names)
        digits = np.maximum(digits, sum(np.abs(each / columns[-1] - 1) for each in changed))
        used |= names
    return np.array(columns), digits, used


def _rounded(cells):
    """Return half a unit of the last digit of each step [levels], or 0 if they look exact.

    Rounded steps are texts with decimals that are no geometric sequence as they stand. More than half of them have the
    largest number of digits, or of decimals, and this is at least two digits for all; the others end with zeros.
    """
    steps = np.abs([float(cell) if _half_unit(cell) else 0.0 for cell in cells])
    if steps.min() == 0 or len(set(steps)) < 3 or np.ptp(np.diff(np.log(np.unique(steps)))) < 1e-9:
        return 0 * steps
    numbers = [Decimal(cell.strip()).as_tuple() for cell in cells]
    digits, places = np.array([(len(each.digits), each.exponent) for each in numbers]).T
    most, last, units = digits.max(), places.min(), 0 * steps
    if most > 1 and np.mean(digits == most) > 0.5:
        units = 10.0 ** (np.floor(np.log10(steps)) + 1 - most)
    if np.mean(places == last) > 0.5 and steps.min() >= 10.0 ** (last + 1):
        units = np.maximum(units, 10.0 ** last)
    return units / 2 * (places.max() < 0)


def _expectations(frame, expect_order, used):
    """Return {column: text of its expected order}; expect_order may also be a text such as "L2=2,H1>=1"."""
    if isinstance(expect_order, str) and (pairs := PAIR.findall(expect_order)):
        if len(dict(pairs)) < len(expect_order.split(",")):
            raise MasingError(f"expect_order {expect_order}: give each column one order, as in L2=2,H1>=1")
        expect_order = dict(pairs)
    if not isinstance(expect_order, dict):
        expect_order = {name: expect_order for name in frame.columns if name not in used and not RATE.search(name)
                        and any(math.isfinite(number(str(cell))) for cell in frame[name])}
    result = {name: "" if order is None else str(order).strip().lstrip("=") for name, order in expect_order.items()}
    if unknown := [name for name in result if name not in frame.columns]:
        raise MasingError(f"expect_order: no column {unknown[0]}; the table has {listed(frame.columns)}")
    if not result:
        raise MasingError("expect_order: the table has no column of errors")
    for text in result.values():
        _expectation(text)
    return result


def _expectation(text):
    """Return (order, at_least) for the text of an expected order; the order is NaN for ""."""
    try:
        return float(Fraction(text.removeprefix(">=").strip())) if text else math.nan, text.startswith(">=")
    except (ValueError, ZeroDivisionError):
        raise MasingError(f"expect_order {quoted(text)}: not an order; give a number, or a text such as >=1") from None


def _finest(reference, steps):
    """Return the steps of the reference, or [] if it is no single run."""
    if reference in ("exact", "successive"):
        return []
    word, _, rest = str(reference).partition(":")
    finest = [number(each) for each in rest.split(",")]
    if word != "finest" or len(finest) != len(steps) or not np.isfinite(finest).all():
        raise MasingError(f"reference {quoted(reference)}: give exact, successive or finest:H, H for each step")
    for fine, own in zip(finest, steps):
        if not 0 < fine < own.min():
            raise MasingError(f"reference {reference}: {fine:g} is not below the last step of the table, {own.min():g}")
    return finest


def _successive(quantity, numbers, cells):
    """Return errors and their cells such that each level is compared with the next one, and the last one is empty."""
    if math.isnan(numbers[-1]):
        return numbers, cells
    if math.isnan(numbers[0]):
        return np.append(numbers[1:], math.nan), [*cells[1:], ""]
    raise MasingError(f"{quantity}: of successive levels there is one difference less than levels; leave the last cell "
                      "empty, or the first")
