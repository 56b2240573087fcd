"""A study against a trajectory in a file: the exact solution in one gives its own errors back."""

import numpy as np

FINE = ("simulate", "--cells=30", "--final-time=10", "--quiet")
LEVELS = ("--cells=30", "--final-time=10", "--levels=400,800,1600")


def test_errors_against_a_file_are_those_against_what_it_holds(masing):
    # 1600 samples and 20 fields of the exact solution at the levels' P lie at steps of every level.
    masing.done(*FINE, "--engine=exact", "--steps=1600", "--sample-every=1", "--field-every=80", "--output=truth.h5")
    exact = masing.study(*LEVELS, "--reference=exact-time", "--field-samples=20")["cases"]
    fit = masing.study(*LEVELS, "--reference=truth.h5")
    file = fit["cases"]
    # The file is also compared between the steps of a coarse level, where x is linear:
    # within dt^2/8 max|x''| of the error at the steps.
    for quantity, more in (("u", 1e-9), ("u_cells", 1e-9), ("x", file["dt"] ** 2), ("y", file["dt"] ** 2)):
        difference = file[f"error_{quantity}"] - exact[f"error_{quantity}"]
        assert np.all(difference >= -1e-9) and np.all(difference <= more), quantity
    assert fit["reference"] == "truth.h5"
    assert masing.done("reproduce", "study.h5", ranks=3)


def test_a_file_of_another_problem_is_refused(masing):
    run = {"--final-time": 10, "--steps": 6400, "--cells": 30, "--mass": 1, "--field-every": 64}
    made = {"mass.h5": ({"--mass": 2}, "is of another problem: mass ('2' there, '1' here)"),
            "short.h5": ({"--final-time": 0.6}, "is of another problem: final-time ('0.6' there, '10' here)"),
            "late.h5": ({"--from": 5}, "holds the samples from t = 5 to 10 of [0, 10] alone"),
            "coarse.h5": ({"--steps": 1600}, "has 1600 steps, no more than the last level"),
            "thin.h5": ({"--field-points": 20}, "holds a thinned field"),
            "few.h5": ({"--sample-every": 64}, "errors between them are not seen; give one with at least 401 samples")}
    for name, (changes, message) in made.items():
        words = [f"{key}={value}" for key, value in (run | changes).items()]
        masing.done("simulate", *words, "--quiet", f"--output={name}")
    masing.study(*LEVELS)
    others = {"none.h5": "cannot open", "study.h5": "is of masing converge; give a file of masing simulate"}
    for name, message in ({name: message for name, (_, message) in made.items()} | others).items():
        said = masing.refused("converge", *LEVELS, f"--reference={name}", "--output=new.h5")
        assert message in said and name in said
    masing.done(*FINE, "--steps=3200", "--field-every=64", "--output=near.h5")
    said = masing.refused("converge", *LEVELS[:2], "--levels=800,1600", "--reference=near.h5", "--output=new.h5")
    assert "near.h5 has 3200 steps, 2 times the last level, and its own error is part of the one pair" in said
    masing.done(*FINE, "--steps=6400", "--field-every=64", "--output=fine.h5")
    both = ("converge", "--final-time=10", "--refine=both", "--levels=15:800,30:1600", "--reference=fine.h5")
    said = masing.refused(*both, "--output=new.h5")
    assert "fine.h5 has 30 cells and 6400 steps, no more than the last level" in said and "new.h5" not in masing.names()


def test_a_model_is_compared_with_a_file_of_its_own(masing):
    model = ("--model=prandtl", "--set=k=1", "--set=eta=0.4", "--final-time=20")
    masing.done("simulate", *model, "--engine=exact", "--steps=4000", "--sample-every=1", "--field-every=200",
                "--quiet", "--output=truth.h5")
    file, exact = (masing.study(*model, "--levels=1000,2000,4000", f"--reference={reference}", "--field-samples=20",
                                "--expect-order=none")["cases"]["error_u"] for reference in ("truth.h5", "exact"))
    assert np.all(file > 0) and np.allclose(file, exact, rtol=0, atol=1e-9)
    assert "another problem: model ('prandtl' there, 'masing' here)" in masing.refused(
        "converge", *LEVELS, "--reference=truth.h5")


def test_what_would_decide_stays_coarser_than_the_file(masing):
    """The steps of a file bound those of levels; one that is not finer by far scatters as the levels do."""
    problem = ("--threshold=0.2+0.5*s", "--force=0.6*square(0.24*t)", "--final-time=60", "--engine=memory",
               "--cells=inf", "--quiet")
    study = ("converge", *problem, "--reference=file.h5")
    for steps, advice in ((32000, "the file is 2 times finer than the last level"), (512000, "levels = 1000:32000:")):
        masing.done("simulate", *problem, f"--steps={steps}", f"--sample-every={steps // 4000}",
                    f"--field-every={steps // 100}", "--output=file.h5")
        undecided = masing(*study, "--levels=1000,2000,4000,8000,16000")
        assert undecided.returncode == 3 and advice in undecided.stdout.split("undecided: ")[1]
    levels = undecided.stdout.split("levels = ")[1].split()[0]
    decided = masing(*study, f"--levels={levels}")
    assert decided.returncode == 3  # because of u, of which there are no errors
    assert [line.split()[-2:] for line in decided.stdout.splitlines() if line.startswith("order of")][:2] == [
        ["as", "expected"]] * 2


def test_a_file_may_differ_in_cells_engine_scheme_and_rule(masing):
    masing.done("simulate", "--cells=60", "--final-time=10", "--steps=8000", "--engine=memory", "--rule=midpoint",
                "--scheme=leapfrog", "--force=0.45 * cos( 0.5*t )", "--quiet", "--output=other.h5")
    study = masing("converge", *LEVELS, "--reference=other.h5", "--expect-order=none", "--quiet")
    told = [line for line in study.stderr.splitlines() if line.startswith("masing warning: --reference: other.h5: ")]
    assert (study.returncode, len(told)) == (0, 1)
    for difference in ("by the scheme leapfrog, the levels by euler: the fit takes it as exact in time",
                       "by the rule midpoint, the levels by right: the errors hold the difference of both rules",
                       "P = 60, the levels P = 30: the errors hold the difference of both in space"):
        assert difference in told[0]
    fit = masing.study(*LEVELS, "--reference=other.h5", "--expect-order=none")
    assert "reference_steps" not in fit  # its errors are of another kind
    assert told[0].endswith(fit["reference_explanation"])


def test_a_file_that_differs_in_nothing_but_what_is_refined_is_not_remarked(masing):
    masing.done(*FINE, "--steps=6400", "--field-every=64", "--output=fine.h5")
    assert masing("converge", *LEVELS, "--reference=fine.h5", "--quiet").stderr == ""
    masing.done(*FINE, "--steps=6400", "--output=end.h5")
    told = masing("converge", *LEVELS, "--reference=end.h5", "--quiet").stderr
    assert "end.h5: It has u at t = T alone: e(u) is that of u(T, s)" in told
    study = masing("converge", "--refine=cells", "--steps=800", "--final-time=10", "--levels=5,10,20",
                   "--reference=fine.h5", "--expect-order=none", "--quiet")
    assert "It has N = 6400, the levels N = 800: the errors hold the difference of both in time" in study.stderr
