"""Numbers and lists as text."""

import math
import re

from masing.notation import count, listed, measured, order, power_of_ten, scientific, within

NAN = math.nan


def test_whole_numbers_powers_and_lists_are_words():
    assert [count(n) for n in (0, 3, 1500, 10**6, 25 * 10**4)] == ["∞", "3", "1500", "10⁶", "2.5·10⁵"]
    assert [power_of_ten(value) for value in (1e-3, 2e-3)] == ["10⁻³", "2·10⁻³"]
    assert [listed("x"), listed("xy"), listed("xyu")] == ["x", "x and y", "x, y and u"]


def test_measured_numbers_have_two_digits():
    assert [measured(value) for value in (5.06e-3, 1.5e9, 41.7, 0.1, 1e-4, NAN)] == [
        "5.1·10⁻³", "1.5·10⁹", "42", "0.1", "10⁻⁴", "–"]
    assert [within(-5.428, 0.6457), within(123.4, 21.0), within(2.5, NAN)] == ["−5.43 ± 0.65", "123 ± 21", "2.500"]


def test_orders_and_errors_have_fixed_digits():
    assert [order(1.0004), order(NAN)] == ["1.000", "–"]
    assert re.fullmatch(r"\d\.\d{3}e-05", scientific(1.23456e-5))
