"""A study and its file, and the exit codes that tell its verdict."""

import h5py
import numpy as np
import pytest
from result_files import contents, text

STUDY = ("--final-time=10", "--cells=30", "--levels=500,1000,2000", "--field-samples=20", "--quiet")
COLUMNS = ["cells", "steps", "ds", "dt"] + [
    f"{kind}_{quantity}" for kind in ("error", "order") for quantity in ("x", "y", "u", "u_cells")
]


@pytest.fixture(scope="module")
def studies(masing_once):
    """The same study without mpirun and on 3 ranks."""
    said = masing_once.done("converge", *STUDY, "--output=1.h5").stdout
    masing_once.done("converge", *STUDY, "--output=3.h5", ranks=3)
    return said, masing_once.folder


def test_the_file_holds_the_cases(studies):
    with h5py.File(studies[1] / "1.h5") as file:
        cases = file["cases"]
        assert set(COLUMNS) <= set(cases)
        for name in COLUMNS:
            assert cases[name].shape == (3,), name
            assert cases[name].attrs["description"], name
            assert cases[name].attrs["symbol"], name
        assert np.array_equal(cases["steps"], [500, 1000, 2000])
        assert np.array_equal(cases["cells"], [30, 30, 30])
        assert np.array_equal(cases["dt"], [10 / 500, 10 / 1000, 10 / 2000])
        assert np.array_equal(cases["ds"], [1 / 30, 1 / 30, 1 / 30])
        for quantity in ("x", "y", "u", "u_cells"):
            error, order = cases[f"error_{quantity}"][:], cases[f"order_{quantity}"][:]
            assert np.all(error > 0)
            assert np.isnan(order[0])
            assert np.allclose(order[1:], np.log2(error[:-1] / error[1:]), rtol=0, atol=1e-12)
            assert np.all(np.abs(order[1:] - 1) < 0.1)


def test_the_file_holds_the_verdict_and_what_made_it(studies):
    with h5py.File(studies[1] / "1.h5") as file:
        assert text(file["fit"].attrs["verdict"]) == "as expected"
        assert file["fit"].attrs["reference_steps"] == 32000
        assert "refine = steps\n" in text(file["configuration"][()])
        assert file["provenance"].attrs["version"]
        assert file["timing/cases"].shape == (3,)
        assert file["series/x"].shape == file["series/t"].shape


def test_the_file_says_what_it_concludes(studies):
    with h5py.File(studies[1] / "1.h5") as file:
        assert text(file.attrs["title"]) == "P = 30, N = 2000"
        assert file.attrs["has_cells"] == 1
        assert dict(file["series"].attrs) == {"cells": 30, "steps": 2000}
        assert text(file["series/x"].attrs["label"]) == "displacement x"
        assert "final-time=10" in text(file["configuration"].attrs["problem"])
        assert file["configuration"].attrs["papers_problem"] == 0
        fit = {name: text(value) if isinstance(value, (bytes, str)) else value
               for name, value in file["fit"].attrs.items()}
        assert fit["quantities"] == "x y u u_cells"
        assert fit["reference_text"] == (
            "one run at least 16 times finer in what is refined (P = 30, N = 32\u202f000)")
        assert (fit["statement"], fit["left_over"], fit["beyond"], fit["joint_missing"]) == ("25", "", "", "")
        assert np.isnan(fit["bound"])
        assert (fit["expected_order_x"], fit["expected_at_least_x"]) == (1, 0)
        assert (fit["verdict_x"], fit["verdict_u_cells"]) == ("as expected", "not judged")
        cases, last = file["cases"], 10 / 32000
        assert np.array_equal(cases["step"], cases["dt"])
        for quantity in ("x", "y", "u", "u_cells"):
            assert fit[f"observed_from_{quantity}"] == "fit"
            assert (fit[f"step_{quantity}"], fit[f"cancels_{quantity}"]) == ("time", 0)
            h, order = cases[f"step_{quantity}"][:], fit[f"order_{quantity}"]
            assert np.array_equal(h, cases["dt"])
            fitted = fit[f"constant_{quantity}"] * (h**order - last**order)
            assert np.allclose(cases[f"fitted_error_{quantity}"], fitted, rtol=1e-13, atol=0)
        timing = file["timing"]
        assert np.array_equal(timing["cell_updates"], [30 * 500, 30 * 1000, 30 * 2000])
        assert np.array_equal(timing["steps_per_second"], cases["steps"] / timing["cases"][:])
        assert np.array_equal(timing["cell_updates_per_second"], timing["steps_per_second"][:] * 30)


def test_only_what_goes_through_the_cells_has_cell_updates(masing):
    masing.done("converge", *STUDY, "--engine=memory", "--output=memory.h5")
    masing.done("simulate", "--engine=memory", "--cells=5", "--steps=10", "--output=run.h5")
    with h5py.File(masing.folder / "memory.h5") as study, h5py.File(masing.folder / "run.h5") as run:
        assert np.isnan(study["timing/cell_updates"]).all()
        assert np.isnan(run["timing"].attrs["cell_updates_per_second"])
        assert run["configuration"].attrs["papers_problem"] == 1
        assert text(run.attrs["title"]) == "P = 5, N = 10"


def test_the_table_is_on_stdout(studies):
    for part in (" 500 ", " 2000 ", "order of x", "order of u", "as expected", "1.h5"):
        assert part in studies[0]


def test_the_data_do_not_depend_on_the_ranks(studies):
    expected = contents(studies[1] / "1.h5")
    assert "cases/order_u" in expected
    assert contents(studies[1] / "3.h5") == expected


def test_nothing_else_is_left(studies):
    assert sorted(path.name for path in studies[1].iterdir()) == ["1.h5", "3.h5"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_an_unexpected_order_is_exit_code_3(masing, ranks):
    process = masing("converge", *STUDY, "--expect-order=2", ranks=ranks)
    assert process.returncode == 3, process.stderr
    assert "not as expected" in process.stdout
    assert not [line for line in process.stderr.splitlines() if line.startswith("masing:")]
    # The study is whole all the same: it shows what went wrong.
    with h5py.File(masing.folder / "masing.h5") as file:
        assert text(file["fit"].attrs["verdict"]) == "not as expected"
    assert masing.names() == ["masing.h5"]


def test_pairs_of_orders_far_apart_leave_the_verdict_undecided(masing):
    """Orders of pairs of x are 1.76, 0.24, 0.13, 2.61, 1.04: F jumps between steps, at a phase of its own each time."""
    process = masing("converge", "--force=0.6*square(0.1371*t)", "--threshold=0.2+0.5*s^2", "--stiffness=2-s",
                     "--final-time=60", "--cells=inf", "--levels=2000,4000,8000,16000,32000,64000",
                     "--reference=exact", "--expect-order=x=1", "--quiet")
    assert process.returncode == 3, process.stderr
    assert "expected 1 within 0.1: undecided" in process.stdout
    with h5py.File(masing.folder / "masing.h5") as file:
        levels = text(file["fit"].attrs["deciding_levels"])
        assert text(file["fit"].attrs["verdict"]) == "undecided"
    assert f"levels = {levels}" in process.stdout
    first, last, count = map(int, levels.split(":"))
    assert first == 2000 and last >= 64000 and count > 6


def test_ten_levels_of_slope_two_are_as_expected(masing):
    """Orders of pairs are 1.83 to 2.16: the phase of kinks among the cells."""
    masing.done("converge", "--threshold=s+0.1", "--force=0.654*sin(0.313*t)+0.139*cos(1.128*t)", "--final-time=100",
                "--refine=cells", "--engine=memory", "--rule=midpoint", "--scheme=leapfrog", "--steps=5000",
                "--levels=50,100,200,400,800,1600,3200,6400,12800,25600", "--reference=cells-inf", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert file["fit"].attrs["levels_x"] == 10
        assert abs(file["fit"].attrs["order_x"] - 2) <= file["fit"].attrs["order_uncertainty_x"] < 0.1


def test_a_dense_ladder_is_thinned_on_the_screen_and_whole_in_the_file(masing):
    said = masing.done("converge", "--final-time=10", "--refine=cells", "--steps=500", "--reference=cells-inf",
                       "--engine=memory", "--levels=20:2000:60", "--quiet").stdout
    assert "20 of 60 levels; the others are in the file" in said
    with h5py.File(masing.folder / "masing.h5") as file:
        assert len(file["cases/cells"]) == 60
        rows = [line for line in said.splitlines() if line.split()[1:2] == ["500"]]
        assert [int(row.split()[0]) for row in rows] == list(file["cases/cells"][2::3])


def test_the_round_off_floor_is_relative_to_each_quantity(masing):
    """η and F scaled by 1e-8 scale x, y, u and their errors: the orders stay."""
    words = ("--final-time=10", "--cells=inf", "--levels=1000,2000,4000,8000,16000", "--reference=exact", "--quiet")
    orders = []
    for scale in ("1", "1e-8"):
        masing.done("converge", f"--threshold={scale}*(s+0.1)", f"--force={scale}*0.45*cos(0.5*t)", *words)
        with h5py.File(masing.folder / "masing.h5") as file:
            orders.append([file["fit"].attrs[f"order_{q}"] for q in "xyu"])
    assert np.allclose(*orders, atol=0.01) and np.allclose(orders[0], 1, atol=0.02)


def test_an_undefined_order_is_exit_code_3(masing):
    process = masing("converge", "--final-time=1", "--cells=3", "--levels=10,20", "--reference=successive", "--quiet")
    assert process.returncode == 3
    assert "undefined" in process.stdout


@pytest.mark.parametrize("reference", ["finest", "successive", "exact"])
def test_errors_of_zero_are_exact(masing, reference):
    """At rest every level has the solution, whatever its step."""
    said = masing.done("converge", "--force=0", "--cells=3", "--final-time=3", "--levels=100,200,400",
                       f"--reference={reference}", "--quiet").stdout  # fmt: skip
    assert "order of x: none observed, expected 1 within 0.1: exact" in said
    with h5py.File(masing.folder / "masing.h5") as file:
        fit = {name: text(value) for name, value in file["fit"].attrs.items()}
        assert (fit["verdict"], fit["verdict_x"], fit["verdict_u"]) == ("exact",) * 3
        assert fit["remarks"] == "All errors of x, y and u are on the round-off floor, and so of any order."
        assert np.all(file["cases/mark_x"][:3 if reference != "successive" else 2] == 2)
    assert "bit for bit" in masing.done("reproduce", "masing.h5", "--output=again.h5").stdout


def test_no_order_is_rejected_where_nothing_yields(masing):
    """|u| < 0.8 < 1.9 ≤ η: u is uniform, and its error that of the sums of k, of order 2 by the rule midpoint and,
    as k is the same at both ends, by the rule right."""
    common = ("converge", "--refine=cells", "--levels=20,40,80,160", "--reference=cells-inf", "--engine=memory",
              "--threshold=2-0.1*s", "--force=0.3*sin(t)", "--steps=2000", "--final-time=10", "--quiet")  # fmt: skip
    for words in (("--rule=midpoint", "--stiffness=1/(1+s)"), ("--rule=right", "--stiffness=1+s*(1-s)")):
        said = masing.done(*common, *words).stdout
        assert "expected >=1: as expected" in next(line for line in said.splitlines() if "order of u:" in line)
        with h5py.File(masing.folder / "masing.h5") as file:
            assert abs(file["fit"].attrs["observed_u"] - 2) < 0.01


def test_at_least_an_order_is_exit_code_0(masing):
    masing.done("converge", *STUDY, "--expect-order=x>=0.5,u>=0.5")


def test_cells_against_the_next_level(masing):
    words = ("--final-time=10", "--steps=500", "--refine=cells", "--levels=100,200,400")
    said = masing.done("converge", *words, "--reference=successive", "--quiet").stdout
    assert "successive" in said
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.isnan(file["cases/error_x"][-1])
        assert abs(file["cases/order_x"][1] - 1) < 0.1
        assert "reference_steps" not in file["fit"].attrs


def test_cells_and_steps_together(masing):
    words = ("--final-time=10", "--refine=both", "--levels=50:500,100:1000")
    masing.done("converge", *words, "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        assert np.array_equal(file["cases/cells"], [50, 100])
        assert np.array_equal(file["cases/steps"], [500, 1000])
        assert file["fit"].attrs["reference_cells"] == 1600


def test_one_level_is_refused(masing):
    for refine, levels in (("steps", "100"), ("cells", "5"), ("both", "5:100")):
        said = masing.refused("converge", f"--refine={refine}", f"--levels={levels}", "--final-time=5", "--quiet")
        assert said.strip().splitlines()[-1] == (
            f"masing: --levels: '{levels}' is too few for an order; give at least two levels")


def test_an_error_that_the_levels_do_not_refine_is_named(masing):
    """Cells against the exact solution have the error in time of their steps, unless they are solved exactly, too."""
    study = ("converge", "--refine=cells", "--levels=25,50,100,200,400", "--reference=exact", "--steps=2000",
             "--final-time=40", "--force=0.6*sin(t)", "--quiet")
    mixed = masing(*study)
    assert mixed.returncode == 3
    clause = "the errors hold that in time of N = 2000, too, which more cells do not lessen; the reference cells-inf"
    assert clause in mixed.stdout
    assert "would probably decide" not in mixed.stdout
    assert "the errors hold" not in masing.done(*study, "--engine=exact").stdout
    with h5py.File(masing.folder / "masing.h5") as file:
        assert text(file["fit"].attrs["statement"]) == "3.1"
        assert text(file["fit"].attrs["left_over"]) == ""


def test_u_against_cells_that_are_not_nested_is_of_order_one(masing):
    """The middles of overlapping cells are (δs + δs_ref)/2 apart, or (δs - δs_ref)/2 where P divides P_ref."""
    said = masing.done("converge", "--rule=midpoint", "--refine=cells", "--levels=34:189:63", "--reference=finest",
                       "--steps=2000", "--final-time=20", "--quiet").stdout
    assert "(fit of 63 levels), expected 1 within 0.1: as expected" in said.split("order of u:")[1].splitlines()[0]


@pytest.mark.parametrize(("words", "orders"), [
    (("--stiffness=1+s^2", "--threshold=0.5", "--rule=midpoint"), {"x": 2, "y": 2, "u": 2}),  # u is the same for all s
    (("--stiffness=1+s^2", "--threshold=0.5"), {"x": 1, "y": 1, "u": 1}),
    (("--stiffness=2-s+s^2", "--threshold=0.2+4*s*(1-s)"), {"x": 2, "y": 2, "u": 1, "u_cells": 2}),  # k u(0) = k u(1)
])
def test_an_order_that_the_problem_raises_is_expected(masing, words, orders):
    """The error of the rule right is δs/2 (k u(1) - k u(0)) + O(δs²), that of midpoint O(δs²)."""
    masing.done("converge", *words, "--force=0.6*sin(t)", "--refine=cells", "--reference=cells-inf",
                "--levels=50,100,200,400,800,1600", "--steps=4000", "--final-time=40", "--quiet")
    with h5py.File(masing.folder / "masing.h5") as file:
        for name in ("x", "y", "u", "u_cells"):
            expected = orders.get(name)
            assert text(file["fit"].attrs[f"verdict_{name}"]) == ("as expected" if expected else "not judged")
            assert expected is None or file["fit"].attrs[f"expected_order_{name}"] == expected


def test_outside_the_hypotheses_nothing_is_expected(masing):
    """Propositions 3.1 and 4.1 ask for bounded derivatives of k, eta and u0 and for eta >= gamma > 0."""
    study = ("converge", "--refine=both", "--levels=50:2000,100:4000,200:8000", "--reference=exact",
             "--final-time=20", "--quiet")
    for profile, fault in (("--threshold=1e-9+s^(2/3)", "eta' is unbounded near s = 0 (exponent 0.67)"),
                           ("--stiffness=1+abs(s-0.25)^0.5", "k' is unbounded near s = 0.25 (exponent 0.50)"),
                           ("--threshold=(s-0.3)^2", "eta(0.3) = 0 is not positive")):
        told = masing.done(*study, profile)
        assert f"outside the hypotheses: {fault}; no order follows from them" in told.stdout
        with h5py.File(masing.folder / "masing.h5") as file:
            assert text(file["fit"].attrs["unmet_hypotheses"]) == fault
            assert text(file["fit"].attrs["statement"]) == "outside"
            assert text(file["fit"].attrs["verdict"]) == "not judged"
            assert "expect-order = none" in file["configuration"][()].decode()
        told = masing(*study, profile, "--expect-order=3")
        assert told.returncode == 3
        assert "not as expected" in told.stdout


def test_a_second_order_scheme_asks_for_a_force_without_jumps(masing):
    study = ("converge", "--scheme=leapfrog", "--levels=2000,4000,8000", "--cells=20", "--final-time=20",
             "--reference=exact-time", "--quiet")
    assert "outside the hypotheses: F jumps near t = " in masing.done(*study, "--force=0.4*square(0.1371*t)").stdout
    assert "outside" not in masing(*study, "--force=0.4*triangle(0.1371*t)").stdout
    assert "outside" not in masing(*study, "--scheme=euler", "--force=0.4*square(0.1371*t)").stdout


def test_u_of_second_order_is_compared_at_common_steps(masing):
    """The levels share 10 times only; between steps u would be known to first order."""
    told = masing.done("converge", "--force=0.8*sin(0.7*t)", "--final-time=20", "--cells=inf", "--scheme=leapfrog",
                       "--reference=exact", "--levels=1010,2030,4070,8110", "--quiet").stdout
    assert "order of u: 2.0" in told or "order of u: 1.9" in told
