"""A run and its file: names, shapes, attributes and samples as the interface says, what is printed, and how the program
is started. (tests/io has windows, tests/base the places of a thinned field.)"""

import os

import h5py
import numpy as np
import pytest
from clamping import moved
from result_files import text

CASE = ("--stiffness=1+0.2*s", "--initial-u=0.05*s", "--mass=0.8", "--k0=0.1", "--x0=0.1", "--y0=-0.2",
        "--force=0.45*cos(0.5*t)", "--final-time=10")
P, N = 2500, 1003


def test_the_file_has_the_samples_the_fields_and_the_profile_of_the_scheme(masing):
    """Scheme (26) in NumPy; sums of 2500 terms differ by some eps, grown over T = 10."""
    found = masing.run(*CASE, f"--cells={P}", f"--steps={N}", "--sample-every=10", "--field-every=250",
                       "--field-points=9999")  # there are no more than cells
    samples = np.append(np.arange(0, N, 10), N)
    assert {name: values.shape for name, values in found.items()} == {
        **{name: samples.shape for name in ("t", "x", "y", "force", "restoring")},
        **{f"field/{name}": (P,) for name in ("s", "eta", "k")}, "field/t": (6,), "field/u": (6, P)}
    assert np.array_equal(found["t"], samples * 10.0 / N)
    assert np.array_equal(found["field/t"], np.array([0, 250, 500, 750, 1000, N]) * 10.0 / N)
    s, k, eta, u = np.arange(1, P + 1) / P, found["field/k"], found["field/eta"], found["field/u"][0]
    assert np.array_equal(found["field/s"], s)
    # An affine threshold is computed from a line, within 4 units in the last place of the largest.
    assert np.allclose(eta, s + 0.1, rtol=0, atol=4 * np.finfo(float).eps * 1.1)
    assert np.allclose(k, 1 + 0.2 * s, rtol=1e-15, atol=0) and np.allclose(u, 0.05 * s, rtol=1e-15, atol=0)
    x, y, dt, rows = 0.1, -0.2, 10.0 / N, []
    for p in range(N + 1):
        force, restoring = 0.45 * np.cos(0.5 * p * 10.0 / N), 0.1 * x + np.dot(k, u) / P
        rows.append((x, y, force, restoring))
        u = moved(u, dt * y, eta)
        x, y = x + dt * y, y + dt / 0.8 * (force - restoring)
    for name, expected in zip(("x", "y", "force", "restoring"), np.array(rows)[samples].T):
        assert np.allclose(found[name], expected, rtol=0, atol=1e-11), name


@pytest.mark.parametrize(("cells", "ranks"), [("20", 1), ("200000", 2)])
def test_a_file_says_how_it_was_made(masing, cells, ranks):
    """Of two ranks one alone makes a run of few cells. (test_requests.py makes runs of the configuration.)"""
    said = masing.done("simulate", *CASE, f"--cells={cells}", "--steps=10", "--output=here.h5", ranks=2).stdout
    assert f"P = {cells}, N = 10" in said and "here.h5" in said and masing.names() == ["here.h5"]
    with h5py.File(masing.folder / "here.h5") as file:
        attributes = file["provenance"].attrs
        for name in ("version", "git_revision", "git_dirty", "compiler", "petsc", "date", "mpi", "hdf5", "boost",
                     "eigen", "fmt", "xxhash", "libc"):
            assert attributes[name], name
        assert (attributes["host"], attributes["ranks"]) == (os.uname().nodename, ranks)
        assert "--output=here.h5" in text(attributes["command_line"]) and file["timing"].attrs["wall_seconds"] > 0
        assert text(file["configuration"].attrs["derived"])


TINY = ("simulate", "--cells=4", "--steps=10", "--final-time=1", "--quiet")


@pytest.mark.parametrize(("ranks", "env", "networks"), [
    (None, {}, False), (None, {"SLURM_STEP_ID": "0"}, True), (1, {}, True)])
def test_a_run_without_a_launcher_looks_for_no_network(masing, ranks, env, networks):
    process = masing(*TINY, ranks=ranks, env={"OMPI_MCA_btl": None, "OMPI_MCA_btl_base_verbose": "100", **env})
    assert process.returncode == 0 and "found loaded component self" in process.stderr
    assert ("found loaded component tcp" in process.stderr) == networks


def test_runs_at_once_leave_no_folder_of_open_mpi(masing):
    (masing.folder / "tmp").mkdir()
    for run in [masing.start(*TINY, f"--output={i}.h5", env={"TMPDIR": str(masing.folder / "tmp")}) for i in range(6)]:
        done = masing.ended(run)
        assert (done.returncode, done.stderr) == (0, "")
    assert list((masing.folder / "tmp").iterdir()) == []
