"""A run and its file: names, shapes, attributes and samples as the interface says, windows and thinned fields, what is
printed, and how the program is started."""

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
    found = masing.run(*CASE, f"--cells={P}", f"--steps={N}", "--sample-every=10", "--field-every=250")
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


@pytest.mark.parametrize(("word", "restoring", "force", "work", "part"), [
    ("damping=0.1", "k₀ x + S", "F", "int F dx", "dissipated less viscous"),
    ("base-acceleration=sin(t)", "k₀ x + S", "F − m a_g", "int (F - m a_g) dx", "dissipated"),
    ("threshold-down=0.3", "F − m x″", "F", "int F dx", "dissipated")])
def test_the_file_says_what_it_holds(masing, word, restoring, force, work, part):
    found = masing.run("--cells=4", "--final-time=50", "--steps=100", "--force=sin(t)", "--energy", f"--{word}")
    with h5py.File(masing.folder / "run.h5") as file:
        for name, symbol in (("series/restoring", restoring), ("series/force", force), ("energy/input", work),
                             ("energy/residual", f"{work} - ...")):
            assert text(file[name].attrs["symbol"]) == symbol, name
        told = f"input less {part} less the gain of kinetic and elastic, since"
        assert told in file["energy/residual"].attrs["description"]
        assert word in text(file["configuration"].attrs["problem"])
    assert ("field/eta_down" in found) == ("threshold-down" in word)
    assert np.allclose(found.get("field/eta_down", 0.3), 0.3, rtol=0, atol=1e-15)


def test_the_window_cuts_the_samples_and_nothing_else(masing):
    case = (*CASE, "--cells=20", "--steps=1000", "--sample-every=7")
    whole, window = masing.run(*case), masing.run(*case, "--from=4", "--to=6")
    keep = (whole["t"] >= 4) & (whole["t"] <= 6)
    assert 0 < np.count_nonzero(keep) < len(keep)
    assert np.array_equal(whole["field/t"], [10.0]) and whole["field/u"].shape == (1, 20)  # by default
    for name in whole:
        assert np.array_equal(window[name], whole[name] if name.startswith("field") else whole[name][keep]), name


def test_the_field_is_thinned(masing):
    cells, n = 5000, 37
    many = ("--steps=20", "--final-time=2", *CASE[:2], "--threshold=0.1+s*s", "--force=0.45*cos(0.5*t)")
    whole = masing.run(*many, f"--cells={cells}")
    thin = masing.run(*many, f"--cells={cells}", f"--field-points={n}", "--field-every=7", ranks=2)
    kept = (2 * np.arange(n) + 1) * cells // (2 * n)
    for name in ("s", "eta", "k"):
        assert np.array_equal(thin[f"field/{name}"], whole[f"field/{name}"][kept]), name
    assert thin["field/u"].shape == (4, n)  # steps 7, 14 and 20 after 0
    assert np.array_equal(thin["field/u"][-1], whole["field/u"][-1][kept]) and np.array_equal(thin["x"], whole["x"])
    assert masing.run(*many, "--cells=30", "--field-points=1000")["field/u"].shape[1] == 30  # no more than there are


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
