"""The numbers of a result by other ways: h5py and xarray read the program's file, to_xarray() and to_netcdf() what comes
of it; xarray's own readers and writers know nothing of masing."""

import h5py
import numpy as np
import pytest

import masing

xarray = pytest.importorskip("xarray")
SMALL = {"cells": 20, "final_time": 20, "steps": 2000}
GRID = {"over": {"w": [0.7, 0.8, 0.9], "f": [0.3, 0.5]}, "force": "f*sin(w*t)", "k0": 0.2, "cells": "inf",
        "steady": True}
# Calls, the group of a variable, and the variable.
RESULTS = {
    "run": (lambda: masing.simulate(**SMALL, energy=True, probe=[0.5, 0.2], field_every=500, damping=0.1), "series", "x"),
    "model": (lambda: masing.simulate(model="s-chain", set={"n": 3, "k": 1, "eta": 0.3}, final_time=1, steps=100,
                                      field_every=50), "series", "y"),
    "study": (lambda: masing.converge(refine="cells", levels=[25, 50, 100], reference="cells-inf", final_time=2, steps=200),
              "cases", "error_x"),
    "steady": (lambda: masing.scan(**GRID), "points", "amplitude"),
    "back": (lambda: masing.scan(over={"w": [0.5, 0.7, 0.5]}, force="0.1*sin(w*t)", keep="series", **SMALL),
             "points", "loss"),
    "closed": (lambda: masing.scan(backbone="X=0.01:2:20:log", k0=0.2, cells="inf"), "points", "secant_stiffness")}


@pytest.mark.filterwarnings("ignore:with a step of")
@pytest.mark.parametrize("name", RESULTS)
def test_all_ways_agree(name, tmp_path):
    made, group, variable = RESULTS[name]
    result = made()
    data = result.to_xarray()
    with h5py.File(result.path) as file:
        numbers, about = file[f"{group}/{variable}"][:], file[f"{group}/{variable}"].attrs["long_name"]
    np.testing.assert_array_equal(result[f"{group}/{variable}"], numbers)
    np.testing.assert_array_equal(data[variable].values.ravel(), numbers)
    with xarray.open_dataset(result.path, group=group, engine="h5netcdf") as own:
        np.testing.assert_array_equal(own[variable], numbers)
        assert own[variable].long_name == data[variable].long_name == about
    with xarray.open_dataset(result.path, engine="h5netcdf") as own:
        assert own.attrs["Conventions"] == "masing-1.2" and own.configuration.item().decode() == result.configuration
    # xarray's own choice of a library, and each.
    result.to_netcdf(tmp_path / "own.nc")
    engines = [None] + [engine for engine in ("scipy", "h5netcdf") if engine in xarray.backends.list_engines()]
    for engine in engines[1:]:
        data.to_netcdf(tmp_path / f"{engine}.nc", engine=engine)
    for engine in engines:
        with xarray.open_dataset(tmp_path / f"{engine or 'own'}.nc", engine=engine) as again:
            xarray.testing.assert_identical(again.load(), data)
            assert again.attrs["configuration"] == result.configuration and again.attrs["title"] == result.title


def test_a_netcdf_file_that_cannot_be_written_is_one_line(tmp_path):
    run = masing.simulate(cells=2, final_time=1, steps=10)
    for path in (tmp_path / "none" / "a.nc", tmp_path):
        with pytest.raises(masing.MasingError, match=r"^to_netcdf\(.*\): (No such|Is a dir|\[?Errno|Perm)"):
            run.to_netcdf(path)
