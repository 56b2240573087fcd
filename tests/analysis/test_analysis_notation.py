"""Numbers and lists as text."""

import math
import re

from masing.notation import (count, estimate, interval, listed, measured, negatives, order, power_of_ten, scientific,
                             signs_of, tick)

NAN = math.nan


def test_whole_numbers_powers_and_lists_are_words():
    assert [count(n) for n in (0, 3, 1500, 10**6, 25 * 10**4)] == ["∞", "3", "1500", "10⁶", "2.5·10⁵"]
    assert [tick(value) for value in (0.0, -0.25, 20000.0, 3e-13, 1e6)] == ["0", "−0.25", "20000", "3·10⁻¹³", "10⁶"]
    assert [power_of_ten(value) for value in (1e-3, 2e-3)] == ["10⁻³", "2·10⁻³"]
    assert [listed("x"), listed("xy"), listed("xyu")] == ["x", "x and y", "x, y and u"]


def test_measured_numbers_have_two_digits():
    assert [measured(value) for value in (5.06e-3, 1.5e9, 41.7, 0.1, 1e-4, NAN)] == [
        "5.1·10⁻³", "1.5·10⁹", "42", "0.1", "10⁻⁴", "–"]


def test_an_interval_is_never_narrower_than_what_is_known():
    assert [estimate(-5.428, 0.6457), estimate(123.4, 21.0), estimate(2.5, NAN), estimate(0.1, 8e-16)] == [
        "−5.43 [−6.07,\u00a0−4.78]", "123 [102,\u00a0144]", "2.500", "0.1000"]
    assert [estimate(3e-5, 2e-6), estimate(NAN, 1.0)] == ["3.00·10⁻⁵ [2.80·10⁻⁵,\u00a03.20·10⁻⁵]", "–"]
    assert [interval(0.999, 0.01), interval(1.0, NAN), interval(-1, 0.5, 1)] == [
        "[0.989,\u00a01.009]", "", "[−1.5,\u00a0−0.5]"]


def test_orders_and_errors_have_fixed_digits():
    assert [order(1.0004), order(-0.0112), order(NAN)] == ["1.000", "−0.011", "–"]
    assert re.fullmatch(r"\d\.\d{3}e-05", scientific(1.23456e-5))


def test_the_programs_sentences_have_the_signs_of_a_page():
    assert signs_of("k, u0 and y0 by 4e-14, 1.25e+06 or 1e-10; order 2.5, e1, 0x0.") == (
        "k, u₀ and y₀ by 4·10⁻¹⁴, 1.25·10⁶ or 10⁻¹⁰; order 2.5, e1, 0x0.")
    assert negatives("x (-0.011), [-0.5, 1]: --levels 10-20, 1e-3") == "x (−0.011), [−0.5, 1]: --levels 10-20, 1e-3"
