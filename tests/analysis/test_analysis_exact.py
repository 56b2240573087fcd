"""The exact solution beside a trajectory, and the reproduction of a file: what the program is asked for a page."""

from types import SimpleNamespace

import h5py
import numpy as np
import pytest

from masing.errors import MasingError
from masing.notation import scientific
from masing.report import exact as exact_module
from masing.report.exact import ExactSolutions, distance
from masing.report.provenance import reproduction
from masing.report.trajectories import _is_yielding, start_of_last_cycles
from masing.results import Run
from synthetic import write_run

EVERY = 0.05


@pytest.fixture
def coarse(monkeypatch):
    """An exact solution with fewer samples than a page's, for a short test."""
    monkeypatch.setattr(exact_module, "SAMPLES", 3000)
    monkeypatch.setattr(exact_module, "FIELDS", 300)


@pytest.fixture
def page_with(page_of, coarse):
    """Write the page on the files with the help of the program, which the script finds, and read it."""
    return lambda *arguments, options=(): page_of(*arguments, options=options)


def circle(t, shift=0.0):
    """Samples whose x is sin t and whose restoring force is cos t."""
    return SimpleNamespace(t=t, x=np.sin(t) + shift, restoring=np.cos(t) - 2 * shift, y=np.cos(t))


def test_elements_that_start_shifted_yield_at_a_displacement_of_its_own_each_way():
    class Shifted(dict):
        eta = np.array([1.0, 1.0])
    u = np.array([[1.0, 0.9], [-0.5, -0.5], [-0.4, -1.0]])
    assert _is_yielding(Shifted({"field/eta_down": np.array([0.5, 1.0])}), u).tolist() == [
        [True, False], [True, False], [False, True]]
    assert _is_yielding(Shifted(), u).tolist() == [[True, False], [False, False], [False, True]]


def test_the_distance_is_at_equal_times():
    t = np.arange(0, 40, EVERY)
    exact, odd = circle(t), np.linspace(1, 39, 777)
    computed = circle(odd, 0.25)
    apart_x, apart_restoring = distance((odd, computed.x, computed.restoring), exact)
    # Hermite's cubic is off by h⁴/384, a cubic spline by 5h⁴/384, times the fourth derivative.
    assert apart_x == pytest.approx(0.25, abs=EVERY**4 / 384 * 1.01)
    assert apart_restoring == pytest.approx(0.5, abs=5 * EVERY**4 / 384 * 1.01)
    computed.x[100] += 1
    computed.restoring[200] -= 1
    largest = distance((odd, computed.x, computed.restoring), exact)
    assert largest == pytest.approx((1.25, 1.5), abs=1e-3)


def test_the_last_cycles_start_at_a_reversal():
    series = circle(np.arange(0, 100, EVERY))
    # The reversals of sin are at π/2 + nπ, the last before 100 with n = 31; a rest is no reversal.
    assert start_of_last_cycles(series, 2) == pytest.approx(np.pi / 2 + 27 * np.pi, abs=EVERY)
    assert start_of_last_cycles(series, 40) == 0
    resting = SimpleNamespace(t=np.arange(6.0), x=np.array([0.0, 1, 1, 2, 1, 2]))
    assert start_of_last_cycles(resting, 1) == 0 and start_of_last_cycles(resting, 0) == 4


CASE = ("--final-time", "60", "--cells", "20")


def test_a_cycle_is_drawn_over_the_exact_one(result_of, page_with, masing, coarse):
    run = Run(result_of("simulate", "run.h5", *CASE, "--steps", "6000", "--sample-every", "20"))
    words = ("--engine=exact", "--cells=inf", "--final-time=60", "--steps=6000")
    truth = Run(result_of("simulate", "truth.h5", *words, "--sample-every=20"))
    apart = np.abs(run.x - truth.x).max()
    solutions = ExactSolutions([], masing)
    exact = solutions.get(run)
    found = distance((run.t, run.x, run.restoring), exact)
    # The exact solution's samples are h = 60/3000 apart, so that h⁴/384 is 4e-10.
    assert found[0] == pytest.approx(apart, abs=1e-9)
    said = page_with(run.path).words
    for part in ("over the exact one, grey", f" {scientific(apart)} ", "Difference of x from the exact solution", "u(t, s)",
                 "x(t) and F(t)", "the balance lacks at most"):
        assert part in said
    assert solutions.get(run) is exact and not solutions.reasons
    # One among the files is taken.
    said = page_with(run.path, result_of("simulate", "given.h5", *words)).words
    assert "over the exact one, grey" in said and "made for this page" not in said


def test_every_datum_of_a_problem_goes_to_its_exact_solution(result_of, masing, coarse):
    run = Run(result_of("simulate", "run.h5", *CASE, "--steps=6000", "--stiffness=2-s", "--threshold=0.3+v/10*s",
                        "--threshold-down=0.2+0.2*s", "--initial-u=0.1*s", "--mass=1.5", "--damping=0.1", "--k0=0.2",
                        "--x0=0.1", "--y0=0.2", "--base-acceleration=0.1*sin(t)", "--scheme=leapfrog", "--energy",
                        "--let", "w=v/2", "--let", "v=1", "--force", "0.45*cos(w*t)"))
    exact = ExactSolutions([], masing).get(run)
    assert (exact.problem, exact.cells) == (run.problem, 0) and "--let=w=0.5 --let=v=1" in exact.made_by


def test_the_exact_solution_of_an_older_file_is_computed_without_the_keys_that_went(masing, coarse, tmp_path, papers_case):
    older = {"final_time": "20", "probe": "0.5", "looks": "3", "until": "decided"}
    assert ExactSolutions([], masing).get(Run(write_run(tmp_path / "run.h5", papers_case, **older))) is not None


def test_a_problem_without_an_exact_solution_says_why_but_of_other_models(masing, tmp_path, papers_case):
    solutions = ExactSolutions([], masing)
    assert solutions.get(Run(write_run(tmp_path / "model.h5", papers_case, model="prandtl"))) is None
    assert not solutions.reasons
    run = Run(write_run(tmp_path / "run.h5", papers_case, force="abs(sin(t))"))
    assert solutions.get(run) is None and "abs()" in list(solutions.reasons.values())[0]
    assert ExactSolutions([], None).get(run) is None


def test_a_page_says_which_files_have_no_seal_that_holds(result_of, page_with, page_of, masing):
    sealed, changed, damaged = (result_of("simulate", f"{name}.h5", "--model=masing-quasistatic",
                                          "--force=0.45*cos(0.5*t)", *CASE, "--steps=2000")
                                for name in ("sealed", "changed", "dama;ged"))
    with h5py.File(changed, "a") as file:
        file["series/x"][3] += 1
    with damaged.open("r+b") as file:
        file.seek(damaged.stat().st_size // 2)
        file.write(bytes([file.read(1)[0] ^ 1]))
    assert [reproduction(Run(path), masing).seal_fault for path in (sealed, damaged)] == [
        "", "dama;ged.h5 is damaged: its checksum is another"]
    words = page_with(sealed, changed, damaged).words
    for said in ("Trajectories 2 of 3 files without a seal that holds", "no seal that holds changed.h5 has no seal: an",
                 "no seal that holds dama;ged.h5 is damaged: its checksum is another.", "Seals were checked."):
        assert said in words
    assert "a seal that holds" not in page_with(sealed).words
    words = page_of(sealed, changed).words
    assert "Seals were not checked: sealed.h5, changed.h5." in words and "that holds" not in words


def test_the_output_of_reproduce_is_on_the_page(result_of, page_with, masing):
    run = result_of("simulate", "run.h5", *CASE, "--steps", "2000")
    words = page_with(run, options=["--reproduce"]).words
    assert "1 of 1 file reproduced bit for bit, on the same machine" in words and "run.h5: reproduced, bit for bit, on 1 rank" in words
    with h5py.File(run, "a") as file:
        file["series/x"][3] += 1e-12
    found = reproduction(Run(run), masing, True)
    assert found.same is False and "not reproduced" in found.output[0] and "/series/x" in " ".join(found.output)
    assert reproduction(Run(run), masing, False).same is None
    with h5py.File(run, "a") as file:
        del file["configuration"]
    with pytest.raises(MasingError, match="has no /configuration"):
        reproduction(Run(run), masing, True)
