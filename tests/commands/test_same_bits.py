"""The same bits of each command on other ranks, when made again by `masing reproduce`, and by programs of other
compilers and levels of optimisation. (engine/test_restart.cpp has every engine, also after a restart.)"""

import os

import pytest
from compare_revisions import CONFIGURATIONS, compare, words_of

OTHERS = [path for path in os.environ.get("MASING_OTHER_PROGRAMS", "").split(":") if path]
# Of what ranks share the recorders and watched nodes are in no test of an engine.
SPLIT = ("sweep, split", "masing-chain, split, shaken", "both, split", "elements, split", "scan, split", "scan, grid, series", "steady",
         "masing-chain, split, wave", "s-chain, long", "p-series, long", "steps, p-series", "steps, exact")


@pytest.mark.first(7)
@pytest.mark.parametrize("name", SPLIT)
def test_a_result_is_made_again_on_other_ranks(masing, name):
    words = words_of(CONFIGURATIONS[name])
    masing.made(*words, name="made.h5")
    assert "bit for bit" in masing.done("reproduce", "made.h5", ranks=3).stdout


@pytest.mark.long
@pytest.mark.skipif(not OTHERS, reason="MASING_OTHER_PROGRAMS names no programs of other builds")
def test_the_bits_do_not_depend_on_the_build(masing):
    for other in OTHERS:
        assert compare([other, masing.program], "", [1], os.cpu_count()) == 0
