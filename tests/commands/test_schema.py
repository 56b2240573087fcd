"""Result files as others read them: axes with names, units, texts of any length, a version of the form. xarray reads
them through h5netcdf, which knows nothing of masing. What masing benchmark measures; no figure decides a test."""

import signal

import h5py
import numpy as np
import pytest
import xarray as xr
from test_stops import cpu_seconds

SHORT = ("--steps=100", "--final-time=1", "--force=0.45*cos(0.5*t)")
# words, and the axes of groups, as they are for xarray
FILES = {
    "slab": (("simulate", *SHORT, "--cells=10", "--threshold-down=0.3", "--field-every=50", "--energy"),
             {"series": ["t"], "energy": ["t"], "field": ["s", "t"]}),
    "model": (("simulate", *SHORT, "--model=s-chain", "--set=n=3", "--set=k=1", "--set=eta=0.3", "--field-every=50"),
              {"series": ["t"], "state": ["column", "t"]}),
    "study": (("converge", "--levels=100,200,400", "--final-time=1"),
              {"series": ["t"], "cases": ["level"], "timing": ["level"]}),
    "scan": (("scan", "--over=k0=0.2,0.4", "--force=0.45*cos(0.8*t)", "--steady", "--cells=inf"),
             {"points": ["multiplier", "point"], "timing": ["point"]}),
    "benchmark": (("benchmark", "--quick", "--largest=20000"), {"kernel": ["cells"], "memory": ["cells"],
                                                                "machine": ["ranks"], "chain": ["sliders"]}),
}
BYTES = {"baseline": 32, "general": 16, "both": 8, "leapfrog": 32}  # of a cell, by the variant of the kernel


@pytest.mark.parametrize("kind", FILES)
def test_every_dataset_has_axes_with_names_and_says_what_it_is(masing, kind):
    """All of the numbers, wherever they are, have axes that are scales of the size of the data."""
    words, groups = FILES[kind]
    if kind == "benchmark":
        path, printed = masing.folder / "b.h5", masing.done(*words, "--output=b.h5", ranks=2).stdout
    else:
        path = masing.made(*words)
    for group, axes in groups.items():
        with xr.open_dataset(path, group=group, engine="h5netcdf") as data:
            assert sorted(data.sizes) == sorted(data.coords) == axes  # no phony ones

    def look(name, dataset):
        if not isinstance(dataset, h5py.Dataset) or dataset.dtype.kind != "f":
            return
        said = dataset.attrs
        assert all(isinstance(said[each], str) and said[each] for each in ("description", "symbol", "long_name")), name
        assert said["long_name"] == said.get("label", said["description"]), name
        units = ("1", "s", "s-1") if kind == "benchmark" or name.startswith("timing/") else ("1",)
        assert isinstance(said["units"], str) and said["units"] in units, name
        if said.get("CLASS") != b"DIMENSION_SCALE":
            assert [axis[0].shape[0] for axis in dataset.dims] == list(dataset.shape), name

    with h5py.File(path) as file:
        file.visititems(look)
        assert (file.attrs["schema"], file.attrs["Conventions"]) == ("masing 2.0", "masing-2.0")
        made = file["provenance"].attrs
        assert "-O" in made["flags"] and "-ffp-contract=off" in made["flags"]
        if kind == "benchmark":
            check_benchmark(file, printed)
        else:
            seconds = [file["timing"].attrs[f"{name}_seconds"] for name in
                       ("setup", "steps", "communication", "output", "seal")]
            assert np.isfinite(seconds).all() and seconds[2] == 0 < min(seconds[:2] + seconds[3:4])
        if kind == "slab":
            with xr.open_dataset(path, group="series", engine="h5netcdf") as series:
                assert float(series.x.sel(t=0.5)) == file["series/x"][50]
            with xr.open_dataset(path, group="field", engine="h5netcdf") as field:
                assert np.array_equal(field.u.sel(t=1.0), file["field/u"][2])
                assert float(field.eta.sel(s=0.3)) == file["field/eta"][2]
                assert np.allclose(file["field/eta_down"], 0.3, rtol=0, atol=1e-15)
                assert file["field/u"].chunks is None and file["field/u"].id.get_offset() is not None  # in one piece


def check_benchmark(file, printed):
    """The table that is printed has the file's numbers."""
    assert (file.attrs["kind"], file["provenance"].attrs["ranks"]) == ("benchmark", 2)
    cells, bandwidth = file["kernel/cells"][()], file["machine/bandwidth"][0]
    assert list(cells) == [100, 1000, 1500, 10000, 20000] and list(file["machine/ranks"]) == [2]
    assert list(file["memory/cells"]) == [10, 100, 1000, 10000, 0] and list(file["exact/cells"]) == [0]
    every = [file[f"{name}/seconds_per_step"][()] for name in ("memory", "exact", "chain")]
    lines = [line.translate(str.maketrans("[],", "   ")).split() for line in printed.splitlines()]
    for name, size in BYTES.items():
        seconds = file[f"kernel/{name}"][()]
        rows = np.array([line[1:] for line in lines if line[:1] == [name] and len(line) == 9], dtype=float)
        places, rates, least, most, moved, fraction, *_ = rows.T
        assert np.array_equal(places, cells) and set(moved) == {size}
        assert np.allclose(rates * seconds, cells, rtol=1e-3, atol=0)
        assert np.all(least <= rates) and np.all(rates <= most)
        assert np.allclose(fraction, size * cells / seconds / bandwidth, rtol=1e-3, atol=1e-3)
        every.append(seconds)
    for values in (*every, bandwidth, file["machine/allreduce_seconds"][()]):
        assert np.isfinite(values).all() and np.min(values) > 0


def test_a_benchmark_is_refused_before_it_begins_or_ended_at_once_and_leaves_nothing(masing):
    for words, *said in ((["--largest", "1e15"], "--largest", "GiB", "give at most"),
                         (["--mass", "1"], "--mass: not a key of masing benchmark"),
                         (["--output", "none/b.h5"], "folder")):
        message = masing.refused("benchmark", "--quick", *words)
        assert all(part in message for part in said) and masing.names() == []
    process = masing.start("benchmark")
    masing.wait_until(process, lambda: cpu_seconds(process.pid) >= 0.5)  # of minutes
    process.send_signal(signal.SIGUSR1)
    assert masing.ended(process).returncode == -signal.SIGUSR1 and masing.names() == []
