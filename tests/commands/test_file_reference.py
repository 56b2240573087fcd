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


def test_a_file_of_another_problem_is_refused(masing):
    run = {"--final-time": 10, "--steps": 6400, "--cells": 30, "--mass": 1, "--x0": 0, "--field-every": 64}
    masing.done("converge", *LEVELS, "--output=study.h5")
    made = {"mass.h5": {"--mass": 2}, "short.h5": {"--final-time": 0.6}, "longer.h5": {"--final-time": 20},
            "late.h5": {"--from": 5}, "coarse.h5": {"--steps": 1600}, "force.h5": {"--force": "0.4*cos(0.5*t)"}}
    for name, changes in made.items():
        words = [f"{key}={value}" for key, value in (run | changes).items()]
        masing.done("simulate", *words, "--quiet", f"--output={name}")
    messages = {
        "none.h5": "cannot open", "study.h5": "is of masing converge; give a file of masing simulate",
        "mass.h5": "is of another problem: mass ('2' there, '1' here)",
        "short.h5": "is of another problem: final-time ('0.6' there, '10' here)",
        "longer.h5": "is of another problem: final-time ('20' there, '10' here)",
        "late.h5": "holds the samples from t = 5 to 10 of [0, 10] alone",
        "coarse.h5": "has 1600 steps, no more than the last level",
        "force.h5": "is of another problem: force ('0.4*cos(0.5*t)' there, '0.45*cos(0.5*t)' here)"}
    for name, message in messages.items():
        for ranks in (None, 2) if name == "mass.h5" else (None,):
            refused = masing("converge", *LEVELS, f"--reference={name}", "--output=new.h5", ranks=ranks)
            assert refused.returncode == 2, name
            assert f"{name}" in refused.stderr
            assert message in refused.stderr
            assert len([line for line in refused.stderr.splitlines() if line.startswith("masing")]) == 1
            assert not (masing.folder / "new.h5").exists()


def test_what_would_decide_stays_coarser_than_the_file(masing):
    """The steps of a file bound those of levels; one that is not finer by far scatters as the levels do."""
    problem = ("--threshold=0.2+0.5*s", "--force=0.6*square(0.24*t)", "--final-time=60", "--engine=memory", "--cells=inf",
               "--quiet")
    study = ("converge", *problem, "--levels=1000,2000,4000,8000,16000")
    for steps, advice in ((32000, "the file is 2 times finer than the last level"), (512000, "levels = 1000:32000:")):
        masing.done("simulate", *problem, f"--steps={steps}", f"--sample-every={steps // 4000}",
                    f"--field-every={steps // 100}", "--output=file.h5")
        undecided = masing(*study, "--reference=file.h5")
        assert undecided.returncode == 3
        assert advice in undecided.stdout.split("undecided: ")[1]
    levels = undecided.stdout.split("levels = ")[1].split()[0]
    assert masing(*study[:-1], f"--levels={levels}", "--reference=file.h5").returncode in (0, 3)


def test_a_file_may_differ_in_cells_engine_scheme_and_rule(masing):
    masing.done("simulate", "--cells=60", "--final-time=10", "--steps=8000", "--engine=memory", "--rule=midpoint",
                "--scheme=leapfrog", "--force=0.45 * cos( 0.5*t )", "--quiet", "--output=other.h5")
    study = masing("converge", *LEVELS, "--reference=other.h5", "--expect-order=none")
    assert study.returncode == 0
    told = [line for line in study.stderr.splitlines() if line.startswith("masing warning: --reference: other.h5: ")]
    assert len(told) == 1
    for difference in ("by the scheme leapfrog, the levels by euler: the fit takes it as exact in time",
                       "by the rule midpoint, the levels by right: the errors hold the difference of both rules",
                       "P = 60, the levels P = 30: the errors hold the difference of both in space"):
        assert difference in told[0]
    with h5py.File(masing.folder / "masing.h5") as file:
        assert "reference_steps" not in file["fit"].attrs  # its errors are of another kind
        assert told[0].endswith(file["fit"].attrs["reference_explanation"])


def test_a_file_that_differs_in_nothing_but_what_is_refined_is_not_remarked(masing):
    fine = ("simulate", "--cells=30", "--final-time=10", "--steps=6400", "--quiet")
    masing.done(*fine, "--field-every=64", "--output=fine.h5")
    assert masing("converge", *LEVELS, "--reference=fine.h5").stderr == ""
    masing.done(*fine, "--output=end.h5")
    told = masing("converge", *LEVELS, "--reference=end.h5").stderr
    assert "end.h5: It has u at t = T alone: e(u) is that of u(T, s)" in told
    study = masing("converge", "--refine=cells", "--steps=800", "--final-time=10", "--levels=5,10,20",
                   "--reference=fine.h5", "--expect-order=none", "--quiet")
    assert "It has N = 6400, the levels N = 800: the errors hold the difference of both in time" in study.stderr


def test_two_levels_need_a_file_that_is_nearly_exact(masing):
    """Of order one and r times finer than the last level, it makes the one pair look of order log2((2-1/r)/(1-1/r))."""
    for steps in (3200, 25600):
        masing.done("simulate", "--cells=30", "--final-time=10", f"--steps={steps}", "--sample-every=1",
                    "--field-every=80", "--quiet", f"--output={steps}.h5")
    words = ("--cells=30", "--final-time=10", "--quiet")
    refused = masing("converge", *words, "--levels=800,1600", "--reference=3200.h5")
    assert refused.returncode == 2
    assert ("3200.h5 has 3200 steps, 2 times the last level, and its own error is part of the one pair of errors; give "
            "one at least 16 times finer, or more levels") in refused.stderr
    masing.done("converge", *words, "--levels=800,1600", "--reference=25600.h5")
    # The fit of three levels knows the step of the file; its pairs read 1.2 and 1.6.
    assert masing("converge", *words, "--levels=400,800,1600", "--reference=3200.h5").returncode in (0, 3)
    with h5py.File(masing.folder / "masing.h5") as file:
        assert abs(file["fit"].attrs["order_x"] - 1) < 0.05 and file["cases/order_x"][-1] > 1.5


def test_a_file_of_few_samples_is_refused(masing):
    for name, words in (("four.h5", ("--steps=4",)), ("hundred.h5", ("--steps=6400", "--sample-every=64"))):
        masing.done("simulate", "--engine=exact", "--cells=30", "--final-time=10", "--quiet", *words, f"--output={name}")
        refused = masing("converge", *LEVELS, f"--reference={name}")
        assert refused.returncode == 2
        assert "errors between them are not seen; give one with at least 401 samples" in refused.stderr
    assert "four.h5 has 5 samples up to 2.5 apart" in masing("converge", *LEVELS, "--reference=four.h5").stderr
