"""The papers' models at the command line: the catalogue, their files, studies, and mistakes."""

import h5py
import numpy as np
import pytest

from result_files import text

TIME = ("--final-time=20", "--quiet")
COMMON = (*TIME, "--steps=4000")
SPRINGS = tuple(f"--set=k{i}=1" for i in range(4))
GEPHYROID = (*SPRINGS, "--set=alpha1=0.1", "--set=alpha2=0.2", "--set=alpha3=0.3")
PAIR = ("--set=k1=1", "--set=alpha1=0.2", "--set=k2=1", "--set=alpha2=0.1")

# model → its options and the columns of its state
MODELS = {
    "friction-oscillator": (("--set=k=1", "--set=alpha=0.3"), "x y"),
    "p-parallel": (("--set=k=1,2", "--set=alpha=0.1"), "x y"),
    "viscoelastoplastic": (("--set=k=1", "--set=eta=0.4", "--set=c=1"), "x y u"),
    "prandtl": (("--set=k=1", "--set=eta=0.4", "--k0=0.1"), "x y u"),
    "three-springs": (("--set=K1=1", "--set=K2=1", "--set=K3=2", "--set=A=0.3"), "x y u"),
    "discrete-masing": (("--set=k=1/n", "--set=eta=0.1,0.3,0.5"), "x y u1 u2 u3"),
    "s-chain": (("--set=n=2", "--set=k=i", "--set=eta=0.3"), "x1 x2 y1 y2 u1 u2"),
    "p-chain": (("--set=n=2", "--set=k=i", "--set=alpha=0.1"), "x1 x2 y1 y2"),
    "p-series": (("--set=k0=1", "--set=k=1,2", "--set=alpha=0.1,0.2"), "x y v1 v2"),
    "s1-p2-series": (PAIR, "x1 y1 x2 y2 u1"),
    "s1-p2-parallel": (PAIR, "x y u"),
    "persoz": (GEPHYROID, "x y g2 g3 g1"),
    "persoz-quasistatic": (GEPHYROID, "x g2 g3 g1"),
    "masing-quasistatic": (("--cells=40",), "x"),
}


def test_the_catalogue(masing):
    said = masing.done("models").stdout
    for name in [*MODELS, "masing"]:
        assert f"\n{name}: " in said
        one = masing.done("models", name).stdout
        for part in ("expected order", "source"):
            assert part in one
    # Table I of rheological-models-2000, its column p; for Persoz's models the columns with an equation of their own.
    dimensions = {"friction-oscillator": "2", "p-parallel": "2", "viscoelastoplastic": "3", "prandtl": "3",
                  "three-springs": "3", "discrete-masing": "n + 2", "p-series": "n + 2", "s-chain": "3n", "p-chain": "2n",
                  "s1-p2-series": "5", "s1-p2-parallel": "3", "persoz": "5", "persoz-quasistatic": "3"}
    for name, dimension in dimensions.items():
        assert f"  dimension   {dimension}\n" in masing.done("models", name).stdout
    assert "'ising'" in masing.refused("models", "ising")
    assert "one word too many" in masing.refused("models", "prandtl", "persoz")


@pytest.mark.parametrize("model", MODELS)
def test_a_trajectory_and_its_reproduction(masing, model):
    words, columns = MODELS[model]
    masing.done("simulate", "--model", model, *words, *COMMON, "--sample-every=7")
    with h5py.File(masing.folder / "masing.h5") as file:
        values = file["state/values"]
        assert text(values.attrs["columns"]) == columns
        names = columns.split()
        series = file["series"]
        assert values.shape == (len(series["t"]), len(names))
        last = {name[0]: i for i, name in enumerate(names)}
        assert np.array_equal(values[:, last["x"]], series["x"])
        if "y" in last:
            assert np.array_equal(values[:, last["y"]], series["y"])
        assert np.all(np.isfinite(values[:]))
        assert np.max(np.abs(series["restoring"])) > 0
    # The elements of these are split over the ranks.
    masing.done("reproduce", "masing.h5", "--quiet", ranks=2 if model in ("s-chain", "p-series") else None)


def test_the_printed_configuration_reads_back(masing):
    words = ("--model=discrete-masing", *MODELS["discrete-masing"][0], "--mass=2", "--x0=0.5")
    printed = masing.done("simulate", *words, "--print-config").stdout
    assert "\n[model]\nm = 2\n" in printed
    masing.file("case.ini", printed)
    assert masing.done("simulate", "--config=case.ini", "--print-config").stdout == printed


def test_dry_friction_is_in_the_restoring_force_from_the_start(masing):
    friction = ("--model=friction-oscillator", "--set=k=2", "--set=alpha=0.3", *COMMON)
    for words, expected in [
        (("--force=0.2",), 0.2),  # at rest: what balances F
        (("--force=5", "--x0=1"), 2 + 0.3),  # it will slide
        (("--force=0", "--x0=1", "--y0=-1e-3"), 2 - 0.3),  # it slides
    ]:
        masing.done("simulate", *friction, *words)
        with h5py.File(masing.folder / "masing.h5") as file:
            assert file["series/restoring"][0] == pytest.approx(expected, abs=1e-15)


def test_acceleration_and_restoring_force_add_up_to_the_force(masing):
    """(y⁺ - y) m/h = F(t_p) - k x - g⁺ with the friction g⁺ that the resolvent found."""
    masing.done(
        *("simulate", "--model=friction-oscillator", "--set=k=2", "--set=alpha=0.3", "--mass=3"),
        *(*COMMON, "--sample-every=1", "--force=cos(t)"),
    )
    with h5py.File(masing.folder / "masing.h5") as file:
        x, y, force, restoring = (file["series"][k][:] for k in ("x", "y", "force", "restoring"))
    h = 20 / 4000
    friction = restoring[1:] - 2 * x[1:]
    assert np.max(np.abs(friction)) == pytest.approx(0.3, abs=1e-14)
    np.testing.assert_allclose(3 * np.diff(y) / h, force[:-1] - 2 * x[:-1] - friction, atol=1e-11)


def test_the_slab_follows_its_backbone_and_branches_without_a_mass(masing):
    force = "0.5*triangle(t)"
    masing.done(
        *("simulate", "--model=masing-quasistatic", "--cells=inf", "--force", force),
        *("--final-time=1.25", "--steps=500", "--quiet"),
    )

    def compliance(f):  # of the papers' backbone, inverted
        return f if f <= 0.1 else 1.1 - np.sqrt(1.2 - 2 * f)

    with h5py.File(masing.folder / "masing.h5") as file:
        t, x, f = (file["series"][k][:] for k in ("t", "x", "force"))
        np.testing.assert_allclose(file["series/restoring"][:], f, atol=1e-15)
    peak = compliance(0.5)
    for time, place, load in zip(t, x, f, strict=True):
        if time <= 0.25:
            expected = compliance(load)
        elif time <= 0.75:
            expected = peak - 2 * compliance((0.5 - load) / 2)
        else:
            expected = -peak + 2 * compliance((load + 0.5) / 2)
        assert place == pytest.approx(expected, abs=2e-14)


def test_prescribed_positions_and_the_force_they_need(masing):
    quasistatic = ("--model=masing-quasistatic", "--cells=60", "--k0=0.2", *COMMON)
    position = "0.7*sin(t+0.3)+0.2*sin(3*t)"
    masing.done("simulate", *quasistatic, "--position", position, "--sample-every=1")
    with h5py.File(masing.folder / "masing.h5") as file:
        t, x, f = (file["series"][k][:] for k in ("t", "x", "force"))
        assert np.array_equal(f, file["series/restoring"])
    np.testing.assert_allclose(x, 0.7 * np.sin(t + 0.3) + 0.2 * np.sin(3 * t), atol=1e-14)
    np.savetxt(masing.folder / "force.csv", np.column_stack([t, f]), fmt="%.17g", delimiter=",")
    masing.done("simulate", *quasistatic, "--force=table:force.csv", "--sample-every=1")
    with h5py.File(masing.folder / "masing.h5") as file:
        np.testing.assert_allclose(file["series/x"][:], x, atol=1e-12)


QUASISTATIC = ("persoz-quasistatic", "masing-quasistatic")


@pytest.mark.parametrize("model", QUASISTATIC)
def test_without_a_mass_y_is_the_mean_velocity_of_the_last_step(masing, model):
    masing.done("simulate", "--model", model, *MODELS[model][0], *COMMON, "--sample-every=1")
    with h5py.File(masing.folder / "masing.h5") as file:
        t, x, y = (file["series"][k][:] for k in ("t", "x", "y"))
    step = t[-1] / (len(t) - 1)
    np.testing.assert_allclose(y[1:], np.diff(x) / step, rtol=1e-14)
    assert y[0] == 0 and np.any(y[1:] != 0)


@pytest.mark.parametrize("model", [name for name in MODELS if name not in QUASISTATIC])
def test_a_study_finds_the_expected_order(masing, model):
    """As the catalogue expects it, or the exit code is 3; dry friction, too, is of order one here."""
    masing.done("converge", "--model", model, *MODELS[model][0], *TIME, "--steps=64000")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert abs(file["fit"].attrs["order_x"] - 1) < 0.1
        others = len(MODELS[model][1].split()) - 2
        assert np.all(np.isnan(file["cases/error_u"])) == (others == 0)


@pytest.mark.parametrize("model", QUASISTATIC)
def test_without_a_mass_only_a_missed_peak_is_an_error(masing, model):
    """A peak between two steps is missed by at most h²/8 max |F''|, and x by that times the largest
    compliance, once for the peak and at most twice for each branch that leaves it."""
    force, compliance = 0.3, 10.0
    masing.done(
        *("converge", "--model", model, *MODELS[model][0], *TIME, "--force", f"{force}*sin(t)"),
        *("--steps=16000", "--expect-order=x=>=1"),
    )
    with h5py.File(masing.folder / "masing.h5") as file:
        h = file["cases/dt"][:]
        error = file["cases/error_x"][:]
    assert np.all(error <= 5 * compliance * force * h**2 / 8)
    assert np.any(error > 0)


def test_a_study_is_made_again_on_other_ranks(masing):
    masing.done("converge", "--model=persoz", *MODELS["persoz"][0], *TIME, "--steps=8000")
    masing.done("reproduce", "masing.h5", "--quiet", ranks=3)


def test_the_errors_of_a_study_are_those_between_trajectories(masing):
    model = ("--model=discrete-masing", "--set=k=1/n", "--set=eta=0.02,0.05,0.1", *TIME)
    states = {}
    for steps in (1000, 2000):
        masing.done("simulate", *model, f"--steps={steps}", f"--sample-every={steps // 1000}")
        with h5py.File(masing.folder / "masing.h5") as file:
            states[steps] = file["state/values"][:]
    words = ("--levels=1000,2000", "--reference=successive", "--field-samples=20")
    assert masing("converge", *model, *words).returncode in (0, 3)  # no order of one error
    difference = np.abs(states[1000] - states[2000])
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["cases/error_x"][0] == np.max(difference[:, 0])
        assert file["cases/error_y"][0] == np.max(difference[:, 1])
        assert file["cases/error_u"][0] == np.max(difference[50::50, 2:]) > 0
        assert file["cases/error_u"][0] < np.max(difference[50::50, 1])  # y is not among u
        assert file["cases/error_u_cells"][0] == file["cases/error_u"][0]
        assert np.array_equal(file["cases/cells"][:], [5, 5])


def test_a_study_against_a_trajectory_in_a_file(masing):
    model = ("--model=viscoelastoplastic", *MODELS["viscoelastoplastic"][0], *TIME)
    masing.done("simulate", *model, "--steps=512000", "--sample-every=640", "--output=fine.h5")
    masing.done("converge", *model, "--levels=2000,4000,8000", "--reference=fine.h5")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.all(file["cases/error_u"][:] > 0)
    words = ("--model=prandtl", "--set=k=1", "--set=eta=1", *COMMON, "--reference=none.h5")
    assert "none.h5" in masing.refused("converge", *words)
    chain = ("--model=p-chain", *MODELS["p-chain"][0], *COMMON, "--reference=fine.h5")
    assert "another problem: model ('viscoelastoplastic' there, 'p-chain' here)" in masing.refused("converge", *chain)


MISTAKES = {
    "missing": (["--model=prandtl", "--set=k=1"], ["--set eta", "missing"]),
    "strange": (["--model=prandtl", "--set=k=1", "--set=eta=1", "--set=alpha=1"], ["--set alpha"]),
    "length": (["--model=p-chain", "--set=k=1,2", "--set=alpha=1,2,3"], ["--set alpha", "3 values"]),
    "mass": (["--model=prandtl", "--set=k=1", "--set=eta=1", "--mass=-1"], ["--mass", "> 0"]),
    "u0": (["--model=prandtl", "--set=k=1", "--set=eta=1", "--set=u0=2"], ["--set u0", "+-eta"]),
    "singular": (
        ["--model=persoz", *SPRINGS[:2], "--set=k2=0", "--set=k3=0", *GEPHYROID[4:]],
        ["--set k1", "singular", "at least two"],
    ),
    "no option": (["--model=prandtl", "--set=k=1", "--set=eta=1", "--rule=right"], ["--rule"]),
    "saturation": (
        ["--model=masing-quasistatic", "--force=0.7*sin(t)"],
        ["--force", "everything slides", "k0 = 0"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
@pytest.mark.parametrize("ranks", [None, 2])
def test_mistakes(masing, name, ranks):
    words, said = MISTAKES[name]
    message = masing.refused("simulate", *words, *COMMON, ranks=ranks)
    for part in said:
        assert part in message
    assert "masing.h5" not in masing.names()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reference=exact-time"], ["--reference", "finest"]),
        (["--engine=exact"], ["--engine", "--reference exact"]),
        (["--engine=memory"], ["--engine", "exact"]),
        (["--reference=cells-inf"], ["--reference", "finest"]),
        (["--refine=cells"], ["--refine: prandtl has no cells; give steps"]),
    ],
)
def test_studies_of_a_slab_only(masing, words, said):
    prandtl = ("--model=prandtl", "--set=k=1", "--set=eta=1", *COMMON)
    message = masing.refused("converge", *prandtl, *words)
    for part in said:
        assert part in message
