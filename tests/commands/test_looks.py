"""Studies that go on until their orders are decided: how many looks they take and what they leave, against ordinary
studies of the levels of the last look, on other ranks, and after a stop; Student's quantiles are SciPy's."""

import random
import signal

import h5py
import pytest
from result_files import contents, study, text
from scipy.stats import t as student

# F jumps between steps, at a phase of its own at each level, and so the errors scatter.
SCATTERED = ("--force=0.5*square(0.23*t)", "--threshold=0.2+0.5*s^2", "--stiffness=2-s", "--final-time=10",
             "--cells=inf", "--reference=exact", "--field-samples=5", "--expect-order=x=1", "--order-tolerance=0.2")
FIRST, UNTIL = "--levels=500:8000:5", "--until=decided"
# The true order, 1, is where the tolerance ends, so that no interval decides.
BORDER = ("--model=friction-oscillator", "--set=k=1", "--set=alpha=0.3", "--final-time=10", "--levels=100,200,400,800",
          "--reference=exact", "--expect-order=x=1.1", UNTIL)


def levels_of(process):
    """The levels of each look but the first, as they were named on stderr."""
    return [line.split(" = ")[1] for line in process.stderr.splitlines()
            if line.startswith("masing converge: next look: levels = ")]


def earlier_levels(path):
    """What a file keeps of the looks before the last."""
    with h5py.File(path) as file:
        return text(file["provenance"].attrs.get("earlier_levels", b""))


@pytest.fixture(scope="module")
def decided(masing_once):
    """A study that its second look decides: the process, and the path of the file."""
    return masing_once("converge", *SCATTERED, FIRST, UNTIL, "--output=a.h5"), masing_once.folder / "a.h5"


def test_a_study_ends_when_it_is_decided(decided):
    process, path = decided
    assert process.returncode == 0, process.stderr
    before, after = process.stderr.split("masing converge: next look: ")
    assert "within 0.2: undecided\n" in before and "levels = 500:32000:" in after.splitlines()[0]
    assert "order of x" not in after and process.stdout.count("order of x: ") == 1
    assert "within 0.2: as expected\n" in process.stdout
    assert earlier_levels(path) == "500,1000,2000,4000,8000"


def test_its_file_is_that_of_an_ordinary_study_of_the_last_levels(masing, decided):
    """Every byte outside /provenance and /timing: the levels and `looks` are in /configuration, --until is not."""
    process, path = decided
    fit = masing.study(*SCATTERED, f"--levels={levels_of(process)[0]}", "--looks=3")
    assert contents(masing.folder / "study.h5") == contents(path)
    assert earlier_levels(masing.folder / "study.h5") == ""
    # 95 % is the confidence of the same study without `looks`. Of many levels a degree of freedom is for the choice.
    usual = masing.study(*SCATTERED, f"--levels={levels_of(process)[0]}")
    assert fit["confidence"] == 1 - 0.05 / 3 and "confidence" not in usual
    levels = usual["levels_x"]
    quantiles = [student.ppf((1 + confidence) / 2, range(levels - 4, levels)) for confidence in (1 - 0.05 / 3, 0.95)]
    ratio = fit["statistical_uncertainty_x"] / usual["statistical_uncertainty_x"]
    assert (quantiles[0] / quantiles[1]).min() <= ratio <= (quantiles[0] / quantiles[1]).max()
    assert masing.done("reproduce", path, "--quiet").stdout == f"{path}: reproduced, bit for bit, on 1 rank\n"
    printed = masing.done("converge", f"--config={path}", "--print-config").stdout
    steps = ",".join(str(int(count)) for count in fit["cases"]["steps"])
    assert "\nlooks = 3\n" in printed and f"\nlevels = {steps}\n" in printed


def test_the_looks_do_not_depend_on_the_ranks(masing, decided):
    masing.done("converge", *SCATTERED, FIRST, UNTIL, "--quiet", "--output=b.h5", ranks=3)
    assert contents(masing.folder / "b.h5") == contents(decided[1])


def test_no_verdict_is_wrong_and_the_intervals_hold(masing, long):
    """Right and wrong expectations of problems by chance, whose true order is 1. None of so few verdicts may be wrong,
    and 95 % of the intervals hold 1, less three standard deviations."""
    chance, count = random.Random(45), 60 if long else 6
    held = decided = 0
    for number in range(count):
        shift = (0.0, 0.3, -0.3)[number % 3]
        words = [f"--force={chance.uniform(0.4, 0.6):.3f}*square({chance.uniform(0.15, 0.3):.4f}*t)", *SCATTERED[1:-2],
                 f"--expect-order=x={1 + shift}", SCATTERED[-1], "--levels=250:2000:4", UNTIL, "--quiet"]
        assert masing("converge", *words, "--output=a.h5").returncode in (0, 3)
        fit = study(masing.folder / "a.h5")
        assert fit["verdict"] != ("not as expected" if shift == 0 else "as expected"), words
        held += abs(fit["order_x"] - 1) <= fit["order_uncertainty_x"]
        decided += fit["verdict"] != "undecided"
    assert held >= 0.95 * count - 3 * (0.05 * 0.95 * count) ** 0.5 and decided >= 0.8 * count, (held, decided)


@pytest.mark.parametrize("looks", [2, 4])
def test_a_study_that_nothing_decides_ends_after_all_looks(masing, looks):
    process = masing("converge", *BORDER, f"--looks={looks}", "--output=a.h5")
    assert (process.returncode, len(levels_of(process))) == (3, looks - 1)
    assert "within 0.1: undecided" in process.stdout
    fit = study(masing.folder / "a.h5")
    assert (fit["confidence"], fit["verdict"]) == (1 - 0.05 / looks, "undecided")
    assert len(fit["cases"]["steps"]) == int(levels_of(process)[-1].split(":")[2])
    assert len(earlier_levels(masing.folder / "a.h5").split(";")) == looks - 1


def test_a_study_looks_on_where_no_levels_are_sure_to_decide(masing):
    """Differences of 5 doublings that scatter: 4 more doublings, to 16 times the last level, and 4 more."""
    words = [word.replace("reference=exact", "reference=successive") for word in SCATTERED[:-1]]
    process = masing("converge", *words, "--levels=250:4000:5", UNTIL, "--output=a.h5")
    assert levels_of(process) == ["250:64000:9", "250:1024000:13"]
    assert process.returncode == 3 and "undecided: differences of successive levels scatter" in process.stderr
    assert len(study(masing.folder / "a.h5")["cases"]["steps"]) == 13


def test_a_study_that_is_decided_at_once_has_one_look(masing):
    words = [word.replace("x=1.1", "x=3") for word in BORDER]
    process = masing("converge", *words, "--output=a.h5")
    assert (process.returncode, levels_of(process)) == (3, []) and "within 0.1: not as expected" in process.stdout
    assert earlier_levels(masing.folder / "a.h5") == ""


def test_quiet_leaves_the_earlier_looks_out(masing):
    process = masing("converge", *BORDER, "--looks=2", "--quiet")
    assert (process.returncode, process.stderr, process.stdout.count("order of x")) == (3, "", 1)


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_stop_in_a_later_look_goes_on_within_it(masing, decided, ranks):
    """The file of the first look is there when the second begins."""
    words = ("converge", *SCATTERED, FIRST, UNTIL, "--output=b.h5")
    process = masing.start(*words, ranks=ranks)
    masing.wait_until(process, (masing.folder / "b.h5").exists)
    process.send_signal(signal.SIGUSR1)
    assert "restart = b.h5.checkpoint goes on" in masing.one_line(masing.ended(process), 75)
    assert study(masing.folder / "b.h5")["verdict"] == "undecided"
    goes_on = (*words, "--restart=b.h5.checkpoint")
    for changed, what in (("--levels=500:8000:6", "levels (was 500,1000,2000,4000,8000, is 500,871,"),
                          ("--looks=4", "looks (was 3, is 4)")):
        others = [word for word in goes_on if word.split("=")[0] != changed.split("=")[0]]
        assert what in masing.refused(*others, changed)
    assert "levels (was 500," in masing.refused(*(word for word in goes_on if word != UNTIL), "--looks=3")
    process = masing(*goes_on, ranks=2 if ranks is None else None)
    assert (process.returncode, levels_of(process)) == (0, []), process.stderr
    assert contents(masing.folder / "b.h5") == contents(decided[1]) and masing.names() == ["b.h5"]
    assert earlier_levels(masing.folder / "b.h5") == earlier_levels(decided[1])


def test_a_next_look_that_cannot_be_computed_leaves_the_last_one(masing):
    """No cell of the first look is where the threshold is negative, one of the second is: 10241/20480."""
    words = ("--refine=cells", "--final-time=10", "--steps=500", "--levels=20,40,80,160", "--field-samples=5",
             "--threshold=s>0.50004 && s<0.50006 ? -1 : 0.2+s", "--expect-order=x=1.1")
    ordinary = masing.study(*words, "--looks=2", code=3)
    process = masing("converge", *words, "--looks=2", UNTIL, "--quiet", "--output=a.h5")
    assert process.returncode == 3
    warning, = process.stderr.splitlines()
    assert warning.startswith("masing warning: the next look, of levels = 20:1280:") and "threshold" in warning
    assert process.stdout.split("\n", 1)[1].replace("a.h5", "study.h5") == ordinary["said"].split("\n", 1)[1]
    assert contents(masing.folder / "a.h5") == contents(masing.folder / "study.h5")
