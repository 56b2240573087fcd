"""A run and its file: names, shapes, attributes and samples as the interface says, the same bits for
every number of ranks."""

import h5py
import numpy as np
import pytest
from result_files import contents, text

CASE = (
    *("--stiffness=1+0.2*s", "--initial-u=0.05*s", "--mass=0.8", "--k0=0.1", "--x0=0.1", "--y0=-0.2"),
    *("--force=0.45*cos(0.5*t)", "--final-time=10", "--quiet"),
)
P, N = 2500, 1003
RUN = (*CASE, f"--cells={P}", f"--steps={N}", "--sample-every=10", "--field-every=250")
PROBES = [0.0, 0.1, 0.28, 1.0]


@pytest.fixture(scope="module")
def results(masing_once):
    """Files of the same run on 1 rank without mpirun (0) and on 1 to 4 ranks with it."""
    probe = "--probe=" + ",".join(map(str, PROBES))
    for ranks in range(5):
        masing_once.done("simulate", *RUN, probe, f"--output={ranks}.h5", ranks=ranks or None)
    return [masing_once.folder / f"{ranks}.h5" for ranks in range(5)]


@pytest.fixture
def result(results):
    with h5py.File(results[0]) as file:
        yield file


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_data_do_not_depend_on_the_ranks(results, ranks):
    expected = contents(results[0])
    assert "series/x" in expected
    assert "field/u" in expected
    assert contents(results[ranks]) == expected


def test_nothing_else_is_left(results):
    assert sorted(path.name for path in results[0].parent.iterdir()) == [p.name for p in results]


def test_names_and_shapes(result):
    rows = N // 10 + 2  # 0, 10, …, 1000 and 1003
    fields = N // 250 + 2
    shapes = {}
    result.visititems(
        lambda name, thing: shapes.update({name: thing.shape})
        if isinstance(thing, h5py.Dataset)
        else None
    )
    assert shapes == {
        "configuration": (),
        **{f"series/{name}": (rows,) for name in ("t", "x", "y", "force", "restoring")},
        "field/t": (fields,),
        **{f"field/{name}": (P,) for name in ("s", "eta", "k")},
        "field/u": (fields, P),
        "probe/t": (rows,),
        "probe/s": (len(PROBES),),
        "probe/u": (rows, len(PROBES)),
    }


def test_every_dataset_says_what_it_is(result):
    def check(name, thing):
        if isinstance(thing, h5py.Dataset) and name != "configuration":
            assert thing.attrs["description"], name
            assert thing.attrs["symbol"], name
            assert thing.dtype == np.float64, name

    result.visititems(check)
    labels = {name: text(data.attrs["label"]) for name, data in result["series"].items()}
    assert labels == {"t": "time t", "x": "displacement x", "y": "velocity y", "force": "force F",
                      "restoring": "restoring force F − m x″"}


def test_steps_0_and_n_are_samples(result):
    steps = np.append(np.arange(0, N, 10), N)
    assert np.array_equal(result["series/t"], steps * 10.0 / N)
    fields = np.array([0, 250, 500, 750, 1000, N])
    assert np.array_equal(result["field/t"], fields * 10.0 / N)


def test_the_profile_is_that_of_the_expressions(result):
    s = np.arange(1, P + 1) / P
    assert np.array_equal(result["field/s"], s)
    # An affine threshold is computed from a line, within 4 units in the last place of the largest.
    assert np.allclose(result["field/eta"], s + 0.1, rtol=0, atol=4 * np.finfo(float).eps * 1.1)
    assert np.allclose(result["field/k"], 1 + 0.2 * s, rtol=1e-15, atol=0)
    assert np.allclose(result["field/u"][0], 0.05 * s, rtol=1e-15, atol=0)


def test_the_trajectory_is_the_schemes(result):
    """Scheme (26) in NumPy; sums of 2500 terms differ by some eps, grown over T = 10."""
    k, eta, u = result["field/k"][:], result["field/eta"][:], result["field/u"][0]
    x, y, dt, rows = 0.1, -0.2, 10.0 / N, []
    for p in range(N + 1):
        force = 0.45 * np.cos(0.5 * p * 10.0 / N)
        restoring = 0.1 * x + np.dot(k, u) / P
        rows.append((x, y, force, restoring))
        u = np.clip(u + dt * y, -eta, eta)
        x, y = x + dt * y, y + dt / 0.8 * (force - restoring)
    samples = np.array([*rows[:N:10], rows[N]])
    for column, name in enumerate(("x", "y", "force", "restoring")):
        assert np.allclose(result[f"series/{name}"], samples[:, column], rtol=0, atol=1e-11), name


def test_the_restoring_force_is_that_of_the_field(result):
    u, k = result["field/u"][-1], result["field/k"][:]
    expected = 0.1 * result["series/x"][-1] + np.dot(k, u) / P
    assert abs(result["series/restoring"][-1] - expected) < 1e-14
    assert np.all(np.abs(result["field/u"][:]) <= result["field/eta"][:])


def test_probes_show_the_cell_that_holds_the_place(result):
    assert np.array_equal(result["probe/s"], PROBES)
    cells = [0, 250 - 1, 700 - 1, P - 1]
    assert np.array_equal(result["probe/u"][0], result["field/u"][0][cells])
    assert np.array_equal(result["probe/u"][-1], result["field/u"][-1][cells])
    # step 500 is sample 50 and field 2
    assert np.array_equal(result["probe/u"][50], result["field/u"][2][cells])


def test_a_probe_at_a_cells_right_end_shows_that_cell(masing):
    """s·P may round above the whole number: 7/25·25 does."""
    places = ",".join(repr(i / 25) for i in range(1, 26))
    masing.done("simulate", *CASE, "--cells=25", "--steps=60", f"--probe={places}")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.array_equal(file["probe/u"][-1], file["field/u"][-1])


def test_provenance(results, masing):
    """Of three ranks one alone makes a run of few cells; it is said which."""
    masing.done("simulate", *CASE, "--cells=200000", "--steps=10", "--output=split.h5", ranks=3)
    for path, ranks in ((results[1], 1), (results[3], 1), (masing.folder / "split.h5", 3)):
        with h5py.File(path) as file:
            attributes = file["provenance"].attrs
            for name in ("version", "git_revision", "git_dirty", "compiler", "petsc", "date", "mpi", "processor", "system"):
                assert attributes[name], name
            assert attributes["ranks"] == ranks
            assert f"--output={path.name}" in text(attributes["command_line"])
            assert file["timing"].attrs["wall_seconds"] > 0


def test_the_embedded_configuration_gives_the_same_data(masing, results):
    with h5py.File(results[0]) as file:
        masing.file("again.ini", text(file["configuration"][()]))
    masing.done("simulate", "--config=again.ini", "--quiet")
    assert contents(masing.folder / "masing.h5") == contents(results[0])


def test_the_last_field_only_by_default(masing):
    masing.done("simulate", *CASE, "--cells=7", "--steps=20")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.array_equal(file["field/t"], [10.0])
        assert file["field/u"].shape == (1, 7)
        assert file["series/t"].shape == (21,)
        assert "probe" not in file
    assert masing.names() == ["masing.h5"]


def test_the_window_cuts_the_samples_and_nothing_else(masing):
    case = (*CASE, "--cells=20", "--steps=1000", "--sample-every=7")
    masing.done("simulate", *case, "--output=all.h5")
    masing.done("simulate", *case, "--from=4", "--to=6", "--output=window.h5")
    masing.done("simulate", *case, "--from=9.99", "--output=end.h5", ranks=2)
    with h5py.File(masing.folder / "all.h5") as file:
        everything = {name: file[f"series/{name}"][:] for name in file["series"]}
        last = file["field/u"][:]
    for name, keep in {
        "window.h5": (everything["t"] >= 4) & (everything["t"] <= 6),
        "end.h5": everything["t"] >= 9.99,
    }.items():
        with h5py.File(masing.folder / name) as file:
            assert 0 < np.count_nonzero(keep) < len(keep)
            for column, values in everything.items():
                assert np.array_equal(file[f"series/{column}"], values[keep]), column
            assert np.array_equal(file["field/u"], last)


def test_the_last_step_is_a_sample_whatever_the_rounding(masing):
    """3·0.1/3 rounds above 0.1."""
    masing.done("simulate", "--final-time=0.1", "--steps=3", "--sample-every=2", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["series/t"].shape == (3,)


def test_about_ten_thousand_samples_by_default(masing):
    masing.done("simulate", *CASE, "--cells=2", "--steps=25001")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["series/t"].shape == (12502,)
        assert file["series/t"][-1] == 10.0


@pytest.mark.parametrize("ranks", [1, 4])
def test_one_cell(masing, ranks):
    masing.done("simulate", *CASE, "--cells=1", "--steps=100", ranks=ranks)
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["field/u"].shape == (1, 1)
        assert file["series/x"].shape == (101,)


def test_a_result_replaces_the_old_one(masing):
    for steps in (20, 10):
        masing.done("simulate", *CASE, "--cells=3", f"--steps={steps}")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["series"].attrs["steps"] == 10


def test_a_table_is_embedded(masing):
    masing.file("eta.csv", "s,eta\n0,0.1\n1,1.1\n")
    masing.done("simulate", *CASE, "--cells=40", "--steps=50", "--threshold=table:eta.csv")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "threshold = points:0 0.1; 1 1.1\n" in text(file["configuration"][()])
        assert np.allclose(file["field/eta"], file["field/s"][:] + 0.1, rtol=1e-15, atol=1e-16)


def test_the_summary_names_the_file(masing):
    said = masing.done("simulate", *CASE, "--cells=3", "--steps=10", "--output=here.h5").stdout
    assert "P = 3, N = 10" in said
    assert "here.h5" in said


ALONE = {"OMPI_MCA_btl": None, "OMPI_MCA_btl_base_verbose": "100"}


@pytest.mark.parametrize(
    ("ranks", "env", "networks"),
    [
        (None, {}, False),
        (None, {"MASING_SINGLETON": "0"}, True),
        (None, {"OMPI_MCA_btl": "tcp,self"}, True),
        (None, {"SLURM_STEP_ID": "0"}, True),
        (1, {}, True),
        (2, {}, True),
    ],
)
def test_a_run_without_a_launcher_looks_for_no_network(masing, ranks, env, networks):
    words = ("simulate", "--cells=4", "--steps=10", "--final-time=1", "--quiet")
    process = masing(*words, ranks=ranks, env={**ALONE, **env})
    assert process.returncode == 0, process.stderr
    assert "found loaded component self" in process.stderr
    assert ("found loaded component tcp" in process.stderr) == networks


def test_runs_at_once_share_no_folder_of_open_mpi(masing, long):
    (masing.folder / "tmp").mkdir()
    words = ("simulate", "--cells=4", "--steps=10", "--final-time=1", "--quiet")
    env = {"TMPDIR": str(masing.folder / "tmp")}
    runs = [masing.start(*words, f"--output={i}.h5", env=env) for i in range(20 if long else 8)]
    for run in runs:
        _, stderr = run.communicate(timeout=30)
        assert (run.returncode, stderr) == (0, "")
    assert list((masing.folder / "tmp").iterdir()) == []
