"""A run and its file: names, shapes, attributes and samples as the interface says, thinned fields, many cells, and how
the program is started."""

import os
import re

import h5py
import numpy as np
import pytest
from clamping import moved
from result_files import contents, text

CASE = ("--stiffness=1+0.2*s", "--initial-u=0.05*s", "--mass=0.8", "--k0=0.1", "--x0=0.1", "--y0=-0.2",
        "--force=0.45*cos(0.5*t)", "--final-time=10")
P, N = 2500, 1003
RUN = (*CASE, f"--cells={P}", f"--steps={N}", "--sample-every=10", "--field-every=250")
SAMPLES = np.append(np.arange(0, N, 10), N)


@pytest.fixture(scope="module")
def result(masing_once):
    """The numbers of a run."""
    return masing_once.run(*RUN)


def test_names_shapes_and_times(result):
    assert {name: values.shape for name, values in result.items()} == {
        **{name: SAMPLES.shape for name in ("t", "x", "y", "force", "restoring")},
        **{f"field/{name}": (P,) for name in ("s", "eta", "k")}, "field/t": (6,), "field/u": (6, P)}
    assert all(values.dtype == np.float64 for values in result.values())
    assert np.array_equal(result["t"], SAMPLES * 10.0 / N)
    assert np.array_equal(result["field/t"], np.array([0, 250, 500, 750, 1000, N]) * 10.0 / N)


def test_the_profile_is_that_of_the_expressions(result):
    s = np.arange(1, P + 1) / P
    assert np.array_equal(result["field/s"], s)
    # An affine threshold is computed from a line, within 4 units in the last place of the largest.
    assert np.allclose(result["field/eta"], s + 0.1, rtol=0, atol=4 * np.finfo(float).eps * 1.1)
    assert np.allclose(result["field/k"], 1 + 0.2 * s, rtol=1e-15, atol=0)
    assert np.allclose(result["field/u"][0], 0.05 * s, rtol=1e-15, atol=0)


def test_the_trajectory_is_the_schemes(result):
    """Scheme (26) in NumPy; sums of 2500 terms differ by some eps, grown over T = 10."""
    k, eta, u = result["field/k"], result["field/eta"], result["field/u"][0]
    x, y, dt, rows = 0.1, -0.2, 10.0 / N, []
    for p in range(N + 1):
        force = 0.45 * np.cos(0.5 * p * 10.0 / N)
        restoring = 0.1 * x + np.dot(k, u) / P
        rows.append((x, y, force, restoring))
        u = moved(u, dt * y, eta)
        x, y = x + dt * y, y + dt / 0.8 * (force - restoring)
    for name, expected in zip(("x", "y", "force", "restoring"), np.array(rows)[SAMPLES].T):
        assert np.allclose(result[name], expected, rtol=0, atol=1e-11), name
    assert abs(result["restoring"][-1] - 0.1 * result["x"][-1] - np.dot(k, result["field/u"][-1]) / P) < 1e-14
    assert np.all(np.abs(result["field/u"]) <= eta)


def test_more_ranks_than_blocks_are_told_once(masing):
    """Of 5000 elements there are five blocks, of a study's coarsest and finest run alike."""
    words = ("converge", "--model=s-chain", "--set=n=5000", "--set=m=1", "--set=k=1", "--set=eta=1", "--final-time=0.1",
             "--force=sin(t)", "--levels=2,4", "--reference=successive")
    (said,) = [line for line in masing(*words, ranks=6).stderr.splitlines() if "ranks" in line]
    assert re.fullmatch("masing converge: 1 of 6 ranks have none of the elements of s-chain, N = .*, which are dealt "
                        "out in blocks of 1024; 5 ranks would do", said), said


def test_provenance_and_configuration(masing):
    """Of three ranks one alone makes a run of few cells; it is said which. The configuration gives the same data."""
    for cells, ranks in (("20", 1), ("200000", 3)):
        said = masing.done("simulate", *CASE, f"--cells={cells}", "--steps=10", "--output=here.h5", ranks=3).stdout
        assert f"P = {cells}, N = 10" in said and "here.h5" in said
        assert masing.names() == ["here.h5"]
        with h5py.File(masing.folder / "here.h5") as file:
            attributes = file["provenance"].attrs
            for name in ("version", "git_revision", "git_dirty", "compiler", "petsc", "date", "mpi", "hdf5",
                         "boost", "eigen", "fmt", "xxhash", "libc"):
                assert attributes[name], name
            assert (attributes["host"], attributes["ranks"]) == (os.uname().nodename, ranks)
            assert "--output=here.h5" in text(attributes["command_line"])
            assert file["timing"].attrs["wall_seconds"] > 0
            masing.file("again.ini", text(file["configuration"][()]))
        masing.done("simulate", "--config=again.ini", "--quiet", "--output=again.h5")
        again, here = contents(masing.folder / "again.h5"), contents(masing.folder / "here.h5")
        # In the text all keys are given, and none is derived.
        assert not again.pop("configuration@derived").strip(b"\0") and b"f" in here.pop("configuration@derived")
        assert again == here
        for name in ("again.ini", "again.h5"):
            (masing.folder / name).unlink()


@pytest.mark.parametrize(("word", "restoring", "force", "work", "part"), [
    ("", "F − m x″", "F", "int F dx", "dissipated"),
    ("damping=0.1", "k₀ x + S", "F", "int F dx", "dissipated less viscous"),
    ("base-acceleration=sin(t)", "k₀ x + S", "F − m a_g", "int (F - m a_g) dx", "dissipated"),
    ("threshold-down=0.3", "F − m x″", "F", "int F dx", "dissipated")])
def test_the_file_says_what_it_holds(masing, word, restoring, force, work, part):
    found = masing.run("--cells=4", "--final-time=50", "--steps=100", "--force=sin(t)", "--energy", *[f"--{word}"] * bool(word))
    with h5py.File(masing.folder / "run.h5") as file:
        series, said = file["series"], text(file["configuration"].attrs["problem"])
        for name, symbol in (("series/restoring", restoring), ("series/force", force), ("energy/input", work),
                             ("energy/residual", f"{work} - ...")):
            assert text(file[name].attrs["symbol"]) == symbol, name
        assert word in said and all((key in said) == (key in word) for key in ("damping", "base", "threshold-down"))
        told = f"input less {part} less the gain of kinetic and elastic, since"
        assert told in file["energy/residual"].attrs["description"]
        if not word:
            labels = {name: text(data.attrs["label"]) for name, data in series.items()}
            assert labels == {"t": "time t", "x": "displacement x", "y": "velocity y", "force": "force F",
                              "restoring": "restoring force F − m x″"}
    assert ("field/eta_down" in found) == ("threshold-down" in word)
    assert np.allclose(found.get("field/eta_down", 0.3), 0.3, rtol=0, atol=1e-15)


def test_what_is_kept_by_default(masing):
    run = masing.run(*CASE, "--cells=7", "--steps=20")
    assert np.array_equal(run["field/t"], [10.0])
    assert (run["field/u"].shape, run["t"].shape) == ((1, 7), (21,))
    assert masing.run(*CASE, "--cells=1", "--steps=100", ranks=3)["field/u"].shape == (1, 1)


def test_the_window_cuts_the_samples_and_nothing_else(masing):
    case = (*CASE, "--cells=20", "--steps=1000", "--sample-every=7")
    whole, window = masing.run(*case), masing.run(*case, "--from=4", "--to=6")
    keep = (whole["t"] >= 4) & (whole["t"] <= 6)
    assert 0 < np.count_nonzero(keep) < len(keep)
    for name in whole:
        assert np.array_equal(window[name], whole[name] if name.startswith("field") else whole[name][keep]), name


@pytest.mark.parametrize("engine", ["memory", "exact"])
def test_the_continuum_has_a_field(masing, engine):
    run = masing.run("--cells=inf", f"--engine={engine}", "--steps=400", "--final-time=20", "--field-points=300",
                     "--field-every=100")
    assert run["field/u"].shape == (5, 300)
    assert np.allclose(run["field/s"], np.arange(1, 301) / 300, rtol=0, atol=1e-15)
    assert np.allclose(run["field/eta"], run["field/s"] + 0.1, rtol=0, atol=1e-15)
    assert np.all(np.abs(run["field/u"]) <= run["field/eta"])


MANY = ("--steps=20", "--final-time=2")
GENERAL = ("--stiffness=1+0.2*s", "--threshold=0.1+s*s", "--initial-u=0.05*s", "--force=0.45*cos(0.5*t)")


@pytest.mark.parametrize("profile", [(), GENERAL])
def test_the_field_is_thinned(masing, profile):
    cells, n = 5000, 37
    whole = masing.run(*MANY, *profile, f"--cells={cells}")
    thin = masing.run(*MANY, *profile, f"--cells={cells}", f"--field-points={n}", "--field-every=7", ranks=3)
    kept = (2 * np.arange(n) + 1) * cells // (2 * n)
    for name in ("s", "eta", "k"):
        assert np.array_equal(thin[f"field/{name}"], whole[f"field/{name}"][kept]), name
    assert thin["field/u"].shape == (4, n)  # steps 7, 14 and 20 after 0
    assert np.array_equal(thin["field/u"][-1], whole["field/u"][-1][kept]) and np.array_equal(thin["x"], whole["x"])
    assert masing.run(*MANY, "--cells=30", "--field-points=1000")["field/u"].shape[1] == 30  # no more than there are


def test_huge_fields_are_thinned_unless_asked_for(masing):
    """Of more than 10^7 numbers."""
    told = masing.done("simulate", "--cells=50000", "--steps=250", "--final-time=2", "--field-every=1", "--quiet",
                       "--engine=memory").stderr
    assert "masing warning: --field-points: of 50000 cells the file keeps 10000" in told
    assert "give --field-points 0 for all" in told
    with h5py.File(masing.folder / "masing.h5") as file:
        assert (file["field/u"].shape, file["field"].attrs["thinned_from"]) == ((251, 10000), 50000)


def test_a_huge_state_is_written_where_asked(masing):
    huge = ("--model=s-chain", "--set=n=40000", "--set=k=1+i/n", "--set=eta=0.1", "--set=y0=sin(i)", "--force=3*sin(t)",
            "--final-time=2", "--steps=100")  # 101 samples of 120,000 columns
    ends, some = masing.run(*huge), masing.run(*huge, "--field-every=40", ranks=2)
    assert len(ends["t"]) == len(some["t"]) == 101 and np.array_equal(ends["state/t"], [0, 2])
    assert np.allclose(some["state/t"], [0, 0.8, 1.6, 2], rtol=0, atol=1e-15)
    assert np.array_equal(some["state/values"][[0, 3]], ends["state/values"])
    assert np.array_equal(some["state/values"][:, 39999], some["x"][[0, 40, 80, 100]])


def test_what_memory_does_not_hold_is_refused_at_once(masing, ranks=2):
    message = masing.refused("simulate", *MANY, "--cells=1e12", *GENERAL, ranks=ranks)  # to look at each takes hours
    for part in ("--cells: 1000000000000 cells need", "GiB a rank", "GiB may be used; give fewer",
                 f"need at least {8e12 / ranks / 2**30:.1f} GiB"):
        assert part in message
    assert masing.names() == []


TINY = ("simulate", "--cells=4", "--steps=10", "--final-time=1", "--quiet")


@pytest.mark.parametrize(("ranks", "env", "networks"), [
    (None, {}, False), (None, {"SLURM_STEP_ID": "0"}, True), (1, {}, True)])
def test_a_run_without_a_launcher_looks_for_no_network(masing, ranks, env, networks):
    process = masing(*TINY, ranks=ranks, env={"OMPI_MCA_btl": None, "OMPI_MCA_btl_base_verbose": "100", **env})
    assert process.returncode == 0, process.stderr
    assert "found loaded component self" in process.stderr
    assert ("found loaded component tcp" in process.stderr) == networks


def test_runs_at_once_leave_no_folder_of_open_mpi(masing, long):
    (masing.folder / "tmp").mkdir()
    env = {"TMPDIR": str(masing.folder / "tmp")}
    for run in [masing.start(*TINY, f"--output={i}.h5", env=env) for i in range(20 if long else 8)]:
        done = masing.ended(run)
        assert (done.returncode, done.stderr) == (0, "")
    assert list((masing.folder / "tmp").iterdir()) == []
