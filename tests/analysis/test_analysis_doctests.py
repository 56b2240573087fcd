"""The examples in the docstrings of the public names."""

import doctest

import numpy as np
import pytest

import masing

# The program warns that the steps of the examples are coarse.
pytestmark = pytest.mark.filterwarnings("ignore")
TESTS = [test for name in masing.__all__ for test in doctest.DocTestFinder(recurse=True).find(
    getattr(masing, name), f"masing.{name}", module=False, globs={"masing": masing, "np": np}) if test.examples]


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_examples_give_what_they_show(test):
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_results_have_examples():
    assert {"masing.simulate", "masing.Run", "masing.Study", "masing.Scan"} <= {test.name for test in TESTS}
