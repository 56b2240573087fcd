"""Many cells: refused at once where memory does not hold them, thinned in files where asked."""

import time

import h5py
import numpy as np
import pytest
from result_files import contents, text

RUN = ("--steps=20", "--final-time=2", "--quiet")
GENERAL = ("--stiffness=1+0.2*s", "--threshold=0.1+s*s", "--initial-u=0.05*s")


@pytest.mark.parametrize("ranks", [None, 2])
def test_what_memory_does_not_hold_is_refused_at_once(masing, ranks):
    begin = time.monotonic()
    message = masing.refused("simulate", "--cells=1e12", *GENERAL, ranks=ranks)
    assert time.monotonic() - begin < 15  # a look at the cells would take hours
    for part in ["--cells: P = 1000000000000 needs", "GiB a rank", "GiB available; use more ranks"]:
        assert part in message
    assert f"needs {8e12 / (ranks or 1) / 2**30:.1f} GiB" in message
    assert masing.names() == []


def test_a_study_counts_its_fields(masing):
    words = ["--refine=cells", "--levels=1e7,2e7", "--steps=10", "--field-samples=100000"]
    message = masing.refused("converge", *words)
    assert "GiB a rank" in message
    assert "a reference that needs less" in message


LADDER = ("--refine=steps", "--levels=1e12,2e12,4e12", "--cells=inf", "--engine=memory")


@pytest.mark.parametrize("reference", ["successive", "finest", "exact"])
def test_a_study_keeps_no_motion(masing, reference):
    """Of 10¹² steps it would be 16 TB."""
    process = masing("converge", *LADDER, f"--reference={reference}", "--validate-only", ranks=2)
    assert process.returncode == 0, process.stderr
    first, second, *runs = [line for line in process.stderr.splitlines() if not line.startswith("masing warning")]
    count = 3 if reference == "successive" else 4
    assert first.startswith(f"masing converge: {count} runs, about ") and "MiB a rank of" in first
    assert second.startswith("  errors against ")
    assert len(runs) == count and all(", on 1 rank, about " in line for line in runs)
    assert {line.split(":")[0] for line in runs} == (
        {f"  level {i} of 3" for i in (1, 2, 3)} | (set() if count == 3 else {"  reference"})
    )
    words = ("converge", *LADDER, f"--reference={reference}", "--validate-only", "--quiet")
    assert masing.done(*words).stdout == "valid\n"


@pytest.mark.parametrize("profile", [(), GENERAL])
@pytest.mark.parametrize("ranks", [None, 3])
def test_the_field_is_thinned(masing, profile, ranks):
    cells, n = 5000, 37
    masing.done("simulate", *RUN, *profile, f"--cells={cells}", "--output=whole.h5")
    thin = [f"--cells={cells}", f"--field-points={n}", "--field-every=7", "--output=thin.h5"]
    masing.done("simulate", *RUN, *profile, *thin, ranks=ranks)
    kept = (2 * np.arange(n) + 1) * cells // (2 * n)
    with h5py.File(masing.folder / "whole.h5") as whole, h5py.File(masing.folder / "thin.h5") as file:
        for name in ("s", "eta", "k"):
            assert np.array_equal(file[f"field/{name}"], whole[f"field/{name}"][:][kept]), name
        assert file["field/u"].shape == (4, n)  # steps 7, 14 and 20 after 0
        assert np.array_equal(file["field/u"][-1], whole["field/u"][-1][kept])
        assert np.array_equal(file["series/x"], whole["series/x"])
    assert "bit for bit" in masing.done("reproduce", "thin.h5").stdout


def test_a_thinned_field_is_no_reference(masing):
    masing.done("simulate", *RUN, "--cells=50", "--field-points=20", "--output=thin.h5")
    levels = ["--final-time=2", "--levels=5,10", "--reference=thin.h5", "--expect-order=none"]
    message = masing.refused("converge", *levels)
    assert "thin.h5" in message
    assert "thinned" in message


def test_more_points_than_cells_are_all_cells(masing):
    masing.done("simulate", *RUN, "--cells=30", "--field-points=1000")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["field/u"].shape[1] == 30


def test_a_row_lies_in_one_piece(masing):
    masing.done("simulate", *RUN, "--cells=300000")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["field/u"].chunks is None and file["field/u"].id.get_offset() is not None
        assert file["field/s"][-1] == 1.0


def test_huge_fields_are_thinned_unless_asked_for(masing):
    """By default a field of more than 10^7 numbers keeps 10,000 cells, and says so; 0 keeps meaning all."""
    many = ("simulate", "--cells=50000", "--steps=250", "--final-time=2", "--field-every=1", "--engine=memory", "--quiet")
    told = masing.done(*many).stderr
    assert "masing warning: --field-points: of 50000 cells the file keeps 10000" in told
    assert "give --field-points 0 for all" in told
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["field/u"].shape == (251, 10000)
        assert file["field"].attrs["thinned_from"] == 50000
        assert "field-points = 10000" in text(file["configuration"][()])
    for words, value in ((many, 10000), (("simulate", "--cells=1e8"), 10000), (("simulate", "--cells=1e7"), 0),
                         ((*many, "--field-points=0"), 0), ((*many, "--field-points=77"), 77),
                         (("simulate", "--cells=9999", "--field-every=1"), 0)):
        assert f"field-points = {value}\n" in masing.done(*words, "--print-config").stdout


MANY = ("--stiffness=2-s", "--threshold=0.2+0.5*s^2", "--initial-u=0.2*sin(20*s)", "--final-time=30", "--steps=3000", "--quiet")


def test_a_billion_cells_need_no_memory(masing):
    """No table, no field, no look at every cell: they differ from P = ∞ by some δs, on any ranks alike."""
    found = {}
    for cells in ("1e9", "1e12", "inf"):
        run = ("simulate", *MANY, "--engine=memory", f"--cells={cells}", "--energy", "--probe=0.25,1", "--field-points=50")
        masing.done(*run, f"--output={cells}.h5")
        with h5py.File(masing.folder / f"{cells}.h5") as file:
            found[cells] = {name: file[name][:] for name in ("series/x", "energy/elastic", "probe/u")}
    for cells, width in ("1e9", 1e-9), ("1e12", 1e-12):
        for name in ("series/x", "energy/elastic"):
            assert 0 < np.max(np.abs(found[cells][name] - found["inf"][name])) < 10 * width, name
    # u at the right end of a cell, at s = 0.25 and 1; P = ∞ has 50 places, of which s = 1 is one
    assert np.max(np.abs(found["1e9"]["probe/u"] - found["1e12"]["probe/u"])) < 1e-8
    assert np.max(np.abs(found["1e9"]["probe/u"][:, 1] - found["inf"]["probe/u"][:, 1])) < 1e-8
    run = ("simulate", *MANY, "--engine=memory", "--cells=1e9", "--energy", "--probe=0.25,1", "--field-points=50")
    masing.done(*run, "--output=ranks.h5", ranks=2)
    assert contents(masing.folder / "ranks.h5") == contents(masing.folder / "1e9.h5")
    masing.done(*run, "--output=part.h5", "--checkpoint=point.h5", "--checkpoint-every=700")
    masing.done(*run, "--output=resumed.h5", "--restart=point.h5")
    assert contents(masing.folder / "resumed.h5") == contents(masing.folder / "1e9.h5")


def test_a_slab_without_a_mass_may_have_as_many_cells(masing):
    run = ("simulate", "--model=masing-quasistatic", "--initial-u=0.1*cos(9*s)", "--force=0.5*sin(t)", "--final-time=20",
           "--steps=500", "--quiet")
    x = {}
    for cells in ("1e10", "inf"):
        masing.done(*run, f"--cells={cells}")
        with h5py.File(masing.folder / "masing.h5") as file:
            x[cells] = file["series/x"][:]
    assert 0 < np.max(np.abs(x["1e10"] - x["inf"])) < 1e-8


def test_noise_in_too_many_cells_is_refused_before_it_is_made(masing):
    """Three lists and a table of 96 bytes a cell, u and what no formula gives of k, eta and u0."""
    said = masing.refused("simulate", "--engine=memory", "--cells=1e12", "--threshold=1+0.5*sin(1e7*s)", "--quiet")
    assert "--cells: P = 1000000000000 needs" in said and "GiB" in said
