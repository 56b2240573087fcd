"""Result files as others read them: axes with names, units, texts of any length, a version of the form.

xarray reads them through h5netcdf, which knows nothing of masing.
"""

import h5py
import numpy as np
import pytest
import xarray as xr

SLAB = ("simulate", "--quiet", "--cells=10", "--steps=100", "--final-time=1", "--threshold-down=0.3")
FILES = {
    "slab": (*SLAB, "--field-every=50", "--energy", "--damping=0.1", "--probe=0.2,0.7"),
    "model": ("simulate", "--quiet", "--model=s-chain", "--set=n=3", "--set=k=1", "--set=eta=0.3", "--steps=100",
              "--final-time=1", "--field-every=50"),
    "quasistatic": ("simulate", "--quiet", "--model=masing-quasistatic", "--cells=10", "--steps=100", "--final-time=1"),
    "study": ("converge", "--quiet", "--levels=100,200,400", "--final-time=1"),
    "scan": ("scan", "--quiet", "--over=k0=0.2,0.4", "--force=0.45*cos(0.8*t)", "--steady", "--cells=inf"),
    "runs": ("scan", "--quiet", "--over=k0=0.2,0.4", "--steps=100", "--final-time=1", "--keep=series"),
    "benchmark": ("benchmark", "--quick", "--largest=1000"),
}
# Axes by group, as they are for xarray.
AXES = {
    "slab": {"series": ["t"], "energy": ["t"], "field": ["s", "t"], "probe": ["s", "t"]},
    "model": {"series": ["t"], "state": ["column", "t"]},
    "quasistatic": {"series": ["t"], "state": ["column", "t"], "field": ["s", "t"]},
    "study": {"series": ["t"], "cases": ["level"], "timing": ["level"]},
    "scan": {"points": ["multiplier", "point"], "timing": ["point"]},
    "runs": {"points": ["point"], "timing": ["point"], "runs/00001": ["t"]},
    "benchmark": {"kernel": ["cells"], "memory": ["cells"], "latency": ["ranks"]},
}


@pytest.fixture(scope="module", params=FILES)
def file(masing_once, request):
    """A result of that kind, its name and its path; made on two ranks, but for the benchmark."""
    kind = request.param
    ranks = None if kind == "benchmark" else 2
    process = masing_once(*FILES[kind], f"--output={kind}.h5", ranks=ranks)
    assert process.returncode in (0, 3), process.stderr
    return kind, masing_once.folder / f"{kind}.h5"


def test_axes_have_names(file):
    kind, path = file
    for group, axes in AXES[kind].items():
        with xr.open_dataset(path, group=group, engine="h5netcdf") as data:
            assert sorted(data.sizes) == sorted(data.coords) == axes
            assert not any(name.startswith("phony") for name in data.sizes)


def test_every_dataset_says_what_it_is(file):
    """All of the numbers, wherever they are, have axes that are scales of the size of the data."""
    kind, path = file

    def look(name, dataset):
        if not isinstance(dataset, h5py.Dataset) or dataset.dtype.kind != "f":
            return
        assert all(isinstance(dataset.attrs[text], str) for text in ("description", "symbol", "units")), name
        assert dataset.attrs["units"] in ("1", "s", "s-1", "byte"), name
        assert (dataset.attrs["units"] == "1") or kind == "benchmark" or name.startswith("timing/"), name
        if dataset.attrs.get("CLASS") != b"DIMENSION_SCALE":
            assert [axis[0].shape[0] for axis in dataset.dims] == list(dataset.shape), name

    with h5py.File(path) as opened:
        opened.visititems(look)
        assert opened.attrs["schema"] == "masing 1.0"
        made = opened["provenance"].attrs
        assert "-O" in made["flags"] and "-ffp-contract=off" in made["flags"]
        assert made["hosts"] == 1 and made["processor"] and "core" in made["system"]


def test_a_time_is_found_by_its_label(masing_once):
    masing_once.done(*FILES["slab"], "--output=labels.h5")
    path = masing_once.folder / "labels.h5"
    with xr.open_dataset(path, group="series", engine="h5netcdf") as series:
        with xr.open_dataset(path, group="field", engine="h5netcdf") as field, h5py.File(path) as file:
            assert float(series.x.sel(t=0.5)) == file["series/x"][50]
            assert np.array_equal(field.u.sel(t=1.0), file["field/u"][2])
            assert float(field.eta.sel(s=0.3)) == file["field/eta"][2]


def test_the_version_says_what_the_program_is_made_of(masing):
    text = masing.done("--version").stdout.splitlines()
    assert text[0].startswith("masing ")
    facts = dict(line.split(maxsplit=1) for line in text[1:])
    assert {"git_revision", "compiler", "flags", "kernel", "mpi", "petsc", "hdf5", "boost"} <= set(facts)
    assert "Open MPI" in facts["mpi"] and "-O" in facts["flags"]
