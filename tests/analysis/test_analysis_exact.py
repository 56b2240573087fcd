"""The exact solution beside a trajectory and behind a study, checked without the program; the reproduction of files
for a page, and the archive of a page whose script makes the results again."""

import subprocess
import zipfile
from types import SimpleNamespace

import h5py
import numpy as np
import pytest

import report
from masing import program
from masing.errors import MasingError
from masing.text import scientific
from masing.report import archive, exact as exact_module
from masing.report.exact import ExactSolutions, distance, is_exact
from masing.report.independent import function, motion
from masing.report.provenance import reproduction
from masing.report.trajectories import _is_yielding, start_of_last_cycles
from masing.results import Run
from synthetic import write_run

EVERY = 0.05
PROBLEM = {"stiffness": "1.5-s", "threshold": "0.2+0.5*s", "initial-u": "0.1-0.2*s", "k0": "0.1", "damping": "0.05",
           "mass": "1.3", "x0": "0.1", "force": "0.4*sin(0.7*t)+0.3*square(t/7.3)", "final-time": "15"}


@pytest.fixture
def coarse(monkeypatch):
    """An exact solution with fewer samples than a page's."""
    monkeypatch.setattr(exact_module, "SAMPLES", 3000)
    monkeypatch.setattr(exact_module, "FIELDS", 300)


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
    exact, odd = circle(np.arange(0, 40, EVERY)), np.linspace(1, 39, 777)
    computed = circle(odd, 0.25)
    apart_x, apart_restoring = distance((odd, computed.x, computed.restoring), exact)
    # Hermite's cubic is off by h⁴/384, a cubic spline by 5h⁴/384, times the fourth derivative.
    assert apart_x == pytest.approx(0.25, abs=EVERY**4 / 384 * 1.01)
    assert apart_restoring == pytest.approx(0.5, abs=5 * EVERY**4 / 384 * 1.01)
    computed.x[100] += 1
    computed.restoring[200] -= 1
    assert distance((odd, computed.x, computed.restoring), exact) == pytest.approx((1.25, 1.5), abs=1e-3)


def test_the_last_cycles_start_at_a_reversal():
    series = circle(np.arange(0, 100, EVERY))
    # The reversals of sin are at π/2 + nπ, the last before 100 with n = 31; a rest is no reversal.
    assert start_of_last_cycles(series, 2) == pytest.approx(np.pi / 2 + 27 * np.pi, abs=EVERY)
    resting = SimpleNamespace(t=np.arange(6.0), x=np.array([0.0, 1, 1, 2, 1, 2]))
    assert start_of_last_cycles(resting, 1) == 0 and start_of_last_cycles(resting, 0) == 4


CASE = ("--final-time", "60", "--cells", "20")


def test_a_cycle_is_drawn_over_the_exact_one(result_of, page_of, masing, coarse):
    run = Run(result_of("simulate", "run.h5", *CASE, "--steps", "6000", "--sample-every", "20"))
    words = ("--engine=exact", "--cells=inf", "--final-time=60", "--steps=6000")
    truth = Run(result_of("simulate", "truth.h5", *words, "--sample-every=20"))
    apart = np.abs(run.x - truth.x).max()
    solutions = ExactSolutions([], masing)
    exact = solutions.get(run)
    found = distance((run.t, run.x, run.restoring), exact)
    # The exact solution's samples are h = 60/3000 apart, so that h⁴/384 is 4e-10.
    assert found[0] == pytest.approx(apart, abs=1e-9)
    said = page_of(run.path, options=()).words
    for part in ("over the exact one, grey", f" {scientific(apart)} ", "the balance lacks at most"):
        assert part in said
    assert solutions.get(run) is exact and not solutions.reasons


def test_every_datum_of_a_problem_goes_to_its_exact_solution(result_of, masing, coarse):
    run = Run(result_of("simulate", "run.h5", *CASE, "--steps=6000", "--stiffness=2-s", "--threshold=0.3+v/10*s",
                        "--threshold-down=0.2+0.2*s", "--initial-u=0.1*s", "--mass=1.5", "--damping=0.1", "--k0=0.2",
                        "--x0=0.1", "--y0=0.2", "--base-acceleration=0.1*sin(t)", "--scheme=leapfrog", "--energy",
                        "--let", "w=v/2", "--let", "v=1", "--force", "0.45*cos(w*t)"))
    exact = ExactSolutions([], masing).get(run)
    assert (exact.problem, exact.cells) == (run.problem, 0) and "--let=w=0.5 --let=v=1" in exact.made_by


def test_a_problem_without_an_exact_solution_says_why_but_of_other_models(masing, tmp_path, papers_case):
    solutions = ExactSolutions([], masing)
    assert solutions.get(Run(write_run(tmp_path / "model.h5", papers_case, model="prandtl"))) is None
    assert not solutions.reasons
    run = Run(write_run(tmp_path / "run.h5", papers_case, force="abs(sin(t))"))
    assert solutions.get(run) is None and "abs()" in list(solutions.reasons.values())[0]
    assert ExactSolutions([], None).get(run) is None


def test_a_page_says_which_files_have_no_seal_that_holds(result_of, page_of, masing, coarse):
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
    words = page_of(sealed, changed, damaged, options=()).words
    for said in ("Trajectories 2 of 3 files without a seal that holds", "no seal that holds changed.h5 has no seal: an",
                 "no seal that holds dama;ged.h5 is damaged: its checksum is another.", "Seals were checked."):
        assert said in words
    assert "Seals were not checked: sealed.h5, changed.h5." in page_of(sealed, changed).words


def test_the_output_of_reproduce_is_on_the_page(result_of, page_of, coarse):
    run, other = (result_of("simulate", f"{name}.h5", *CASE, "--steps", "200") for name in ("run", "other"))
    with h5py.File(other, "a") as file:
        file["series/x"][3] += 1e-12
    words = page_of(run, other, options=["--reproduce"]).words
    assert "1 of 2 files reproduced bit for bit" in words and "run.h5: reproduced" not in words
    assert "not reproduced" in words and "other.h5: " in words and "/series/x" in words


def test_it_is_the_exact_solution_of_the_program_to_the_error_of_its_sliders(result_of):
    words = [f"--{key}={value}" for key, value in PROBLEM.items()]
    exact = result_of("simulate", "e.h5", *words, "--cells=inf", "--engine=exact", "--steps=3000", "--sample-every=1")
    with h5py.File(exact) as file:
        times, exact = file["series/t"][:], [file["series/x"][:], file["series/y"][:]]
    apart = [np.abs(motion(PROBLEM, times, sliders) - exact).max() for sliders in (1000, 10000)]
    assert 1e-8 < apart[0] < 1e-6 and apart[1] < apart[0] / 30  # 1/n², which falls to a hundredth


def test_other_formulas_other_data_and_long_motions_are_given_up(monkeypatch):
    for text in ("__import__('os')", "t.real", "t<1", "let+t", "2*"):
        with pytest.raises(MasingError, match="not evaluated without the program"):
            function(text, "t")
    with pytest.raises(MasingError, match="threshold-down is not known"):
        motion(PROBLEM | {"threshold-down": "0.1"}, np.zeros(1))
    monkeypatch.setattr("masing.report.independent.MOST_EVALUATIONS", 100)
    with pytest.raises(MasingError, match="more than 100 evaluations"):
        motion(PROBLEM, np.zeros(1), 10)


def test_the_page_shows_the_checks_of_the_exact_solution_and_sees_a_wrong_one(page_of, result_of, masing, tmp_path):
    words = ["--threshold=0.1+s", "--force=0.8*cos(0.5*t)", "--final-time=20"]
    study = result_of("converge", "s.h5", *words, "--refine=both", "--levels=40:1600,80:3200,160:6400,320:12800",
                      "--reference=exact")
    exact = result_of("simulate", "e.h5", *words, "--cells=inf", "--engine=exact", "--steps=2000", "--sample-every=1",
                      "--energy")
    page = page_of(study, "--cycles", exact, options=())
    row = page.words.split("least error of x in a study", 1)[1].split()
    assert all("10⁻" in text for text in row[1:6])
    with h5py.File(exact, "a") as file:
        file["series/x"][1000:] += 1e-3
    changed = page_of(study, "--cycles", exact, options=()).words
    assert changed.split("least error of x in a study", 1)[1].split()[3] == "10⁻³"


def test_an_archive_has_the_source_of_one_clean_revision_alone():
    revision = subprocess.run(["git", "-C", str(program.ROOT), "rev-parse", "HEAD"], capture_output=True, text=True,
                              check=False).stdout.strip() or pytest.skip("no clone")
    clean, dirty, other = (SimpleNamespace(provenance={"git_revision": name, "git_dirty": changed}) for name, changed in
                           ((revision, "no"), (revision, "yes"), ("0" * 40, "no")))
    assert list(archive._source([clean, clean])[0]) == [f"source/masing-{revision}.tar.gz"]
    for runs in ([clean, dirty], [clean, other], [other]):
        assert archive._source(runs)[0] == {}


def test_the_exact_solution_of_a_page_is_that_of_the_whole_time(result_of):
    words = ("--engine=exact", "--cells=inf", "--final-time=20", "--steps=200", "--sample-every=1")
    whole, late = (Run(result_of("simulate", f"from{start}.h5", *words, f"--from={start}")) for start in (0, 10))
    assert is_exact(whole) and not is_exact(late)


def test_an_archive_has_its_parts_and_its_script_makes_the_results_again(tmp_path, masing, result_of, undrawn):
    run = result_of("simulate", "50 % öfter.h5", "--cells=5", "--steps=200", "--final-time=2")
    report.main([str(run), "--files-only", "--archive", str(tmp_path / "a.zip"), "-o", str(tmp_path / "page.html")])
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(tmp_path / "a.zip") as archived:
        archived.extractall(folder)
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {"README.md", "reproduce.sh", "page/page.html", "cases/50 % öfter.ini"} <= names
    assert (folder / "results" / run.name).read_bytes() == run.read_bytes()
    sums = folder / "SHA256SUMS"
    assert {line.split("  ")[1] for line in sums.read_text().splitlines()} == names - {"SHA256SUMS"}

    def reproduce():
        done = subprocess.run(["bash", "reproduce.sh"], cwd=folder, capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "MASING_PROGRAM": str(masing)})
        return done.returncode, done.stdout + done.stderr

    code, said = reproduce()
    assert code == 0 and said.endswith("1 of 1 results reproduced bit for bit\n") and "as in SHA256SUMS" in said
    with h5py.File(folder / "results" / run.name, "a") as file:
        file["series/x"][3] += 1e-12
    assert ".h5: FAILED" in reproduce()[1]
    sums.write_text("".join(line for line in sums.read_text().splitlines(True) if ".h5" not in line))
    code, said = reproduce()
    assert code == 1 and "0 of 1 results reproduced bit for bit\n" in said and "/series/x" in said
