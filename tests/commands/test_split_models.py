"""Models whose elements are split over the ranks, at the command line."""

import h5py
import numpy as np
import pytest
from result_files import contents

MODELS = {
    "s-chain": ("--set=k=1+i/n", "--set=eta=0.1", "--set=y0=sin(i)"),
    "p-series": ("--set=k=n*(1+i/n)", "--set=k0=1", "--set=alpha=1", "--set=y0=1"),
}
COMMON = ("--force=3*sin(t)", "--final-time=2", "--steps=100", "--quiet")


def words(model, elements):
    return ("--model", model, f"--set=n={elements}", *MODELS[model], *COMMON)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("elements", [2, 2100])
def test_a_trajectory_has_the_same_bits_on_any_ranks(masing, model, elements):
    masing.done("simulate", *words(model, elements), "--output=one.h5")
    masing.done("simulate", *words(model, elements), "--output=four.h5", ranks=4)
    one, four = (contents(masing.folder / name) for name in ("one.h5", "four.h5"))
    columns = {"s-chain": 3 * elements, "p-series": 2 + elements}[model]
    assert one["state/values"][0] == (101, columns)
    del one["configuration"], four["configuration"]  # has the name of the file
    assert one == four


@pytest.mark.parametrize("model", MODELS)
def test_a_study_has_the_same_bits_on_any_ranks(masing, model):
    study = (*words(model, 1100), "--levels=25,50", "--expect-order=>=0.5", "--field-samples=5")
    masing.done("converge", *study, "--output=one.h5")
    masing.done("converge", *study, "--output=three.h5", ranks=3)
    one, three = (contents(masing.folder / name) for name in ("one.h5", "three.h5"))
    del one["configuration"], three["configuration"]
    assert one == three


def test_a_huge_state_is_written_where_asked(masing):
    huge = words("s-chain", 40000)  # 101 samples of 120,000 columns
    masing.done("simulate", *huge, "--output=ends.h5")
    masing.done("simulate", *huge, "--field-every=40", "--output=some.h5", ranks=2)
    with h5py.File(masing.folder / "ends.h5") as ends, h5py.File(masing.folder / "some.h5") as some:
        assert len(ends["series/t"]) == len(some["series/t"]) == 101
        assert np.array_equal(ends["state/t"], [0, 2])
        assert np.allclose(some["state/t"], [0, 0.8, 1.6, 2], rtol=0, atol=1e-15)
        assert np.array_equal(some["state/values"][[0, 3]], ends["state/values"])
        last_x = some["state/values"][:, 39999]
        assert np.array_equal(last_x, some["series/x"][:][[0, 40, 80, 100]])
