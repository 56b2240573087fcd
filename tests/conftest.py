"""Tests that take long run with --long only; each has a short form that always runs."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="run the tests that take long, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes long; runs with --long only")
    config.addinivalue_line("markers", "first(n): the first n of its parameters always run, the others with --long only")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    of_test = {}
    for item in items:
        if first := item.get_closest_marker("first"):
            cases = of_test.setdefault((item.path, item.originalname), [])
            cases.append(item)
            if len(cases) > first.args[0]:
                long.append(item)
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def long(pytestconfig):
    """Whether what repeats is to repeat many times."""
    return pytestconfig.getoption("--long")
