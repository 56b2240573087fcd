"""A study against a trajectory in a file: the exact solution in one gives its own errors back."""

import h5py
import numpy as np

LEVELS = ("--levels=400,800,1600", "--cells=30", "--final-time=10", "--quiet")


def test_errors_against_a_file_are_those_against_what_it_holds(masing):
    # 1600 samples and 20 fields of the exact solution at the levels' P lie at steps of every level.
    masing.done("simulate", "--engine=exact", "--cells=30", "--final-time=10", "--steps=1600",
                "--sample-every=1", "--field-every=80", "--output=truth.h5")
    masing.done("converge", *LEVELS, "--reference=truth.h5", "--output=file.h5")
    masing.done("converge", *LEVELS, "--reference=exact-time", "--field-samples=20",
                "--output=exact.h5")
    with h5py.File(masing.folder / "file.h5") as file, h5py.File(masing.folder / "exact.h5") as exact:
        for quantity in ("u", "u_cells"):
            assert np.allclose(file[f"cases/error_{quantity}"], exact[f"cases/error_{quantity}"],
                               rtol=0, atol=1e-9)
        for quantity in ("x", "y"):
            # The file is also compared between the steps of a coarse level, where x is linear:
            # within dt^2/8 max|x''| of the error at the steps.
            difference = file[f"cases/error_{quantity}"][:] - exact[f"cases/error_{quantity}"][:]
            assert np.all(difference >= -1e-9)
            assert np.all(difference <= file["cases/dt"][:] ** 2)
        assert file["fit"].attrs["reference"] in ("truth.h5", b"truth.h5")
    assert masing.done("reproduce", "file.h5", ranks=3)


def test_a_file_that_is_no_trajectory_is_refused(masing):
    masing.done("converge", *LEVELS, "--output=study.h5")
    masing.done("simulate", "--final-time=20", "--steps=100", "--cells=30", "--output=longer.h5")
    for name, word in (("none.h5", "cannot open"), ("study.h5", "/field/t"), ("longer.h5", "t = 20")):
        refused = masing("converge", *LEVELS, f"--reference={name}", "--output=new.h5")
        assert refused.returncode == 2
        assert word in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
        assert not (masing.folder / "new.h5").exists()
