"""Result files as others read them: axes with names, units, texts of any length, a version of the form. xarray reads
them through h5netcdf, which knows nothing of masing."""

import h5py
import numpy as np
import pytest
import xarray as xr

SHORT = ("--steps=100", "--final-time=1", "--quiet", "--force=0.45*cos(0.5*t)")
# words, and the axes of groups, as they are for xarray
FILES = {
    "slab": (("simulate", *SHORT, "--cells=10", "--threshold-down=0.3", "--field-every=50", "--energy", "--damping=0.1"),
             {"series": ["t"], "energy": ["t"], "field": ["s", "t"]}),
    "model": (("simulate", *SHORT, "--model=s-chain", "--set=n=3", "--set=k=1", "--set=eta=0.3", "--field-every=50"),
              {"series": ["t"], "state": ["column", "t"]}),
    "quasistatic": (("simulate", *SHORT, "--model=masing-quasistatic", "--cells=10"),
                    {"series": ["t"], "state": ["column", "t"], "field": ["s", "t"]}),
    "study": (("converge", "--quiet", "--levels=100,200,400", "--final-time=1"),
              {"series": ["t"], "cases": ["level"], "timing": ["level"]}),
    "scan": (("scan", "--quiet", "--over=k0=0.2,0.4", "--force=0.45*cos(0.8*t)", "--steady", "--cells=inf"),
             {"points": ["multiplier", "point"], "timing": ["point"]}),
    "runs": (("scan", "--over=k0=0.2,0.4", *SHORT, "--keep=series"),
             {"points": ["point"], "timing": ["point"], "runs/00001": ["t"]}),
    "benchmark": (("benchmark", "--quick", "--largest=1000"), {"kernel": ["cells"], "memory": ["cells"],
                                                               "machine": ["ranks"], "chain": ["sliders"]}),
}


@pytest.mark.parametrize("kind", FILES)
def test_every_dataset_has_axes_with_names_and_says_what_it_is(masing, kind):
    """All of the numbers, wherever they are, have axes that are scales of the size of the data."""
    words, groups = FILES[kind]
    process = masing(*words, "--output=made.h5")
    assert process.returncode in (0, 3), process.stderr
    path = masing.folder / "made.h5"
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
        assert (file.attrs["schema"], file.attrs["Conventions"]) == ("masing 1.2", "masing-1.2")
        made = file["provenance"].attrs
        assert "-O" in made["flags"] and "-ffp-contract=off" in made["flags"]
        phases = [f"{name}_seconds" for name in ("setup", "steps", "communication", "output", "seal")]
        assert [name in file.get("timing", file).attrs for name in phases] == [kind != "benchmark"] * 5
        if kind != "benchmark":
            seconds = [file["timing"].attrs[name] for name in phases]
            assert np.isfinite(seconds).all() and seconds[2] == 0 < min(seconds[:2] + seconds[3:])
        if kind == "slab":
            with xr.open_dataset(path, group="series", engine="h5netcdf") as series:
                assert float(series.x.sel(t=0.5)) == file["series/x"][50]
            with xr.open_dataset(path, group="field", engine="h5netcdf") as field:
                assert np.array_equal(field.u.sel(t=1.0), file["field/u"][2])
                assert float(field.eta.sel(s=0.3)) == file["field/eta"][2]
                assert file["field/u"].chunks is None and file["field/u"].id.get_offset() is not None  # in one piece
