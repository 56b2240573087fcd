"""Problems that have no solution, or none that can be found: what is wrong, where and what would be right, as values
and bounds of the functions show it; what is at the limit is taken. (test_mistakes.py: words and ranges.)"""

import re

import pytest

PRANDTL = ("--model=prandtl", "--set=k=1", "--set=eta=1")
CHAIN = ("--model=s-chain", "--set=k=1", "--set=eta=1", "--engine=exact")
QUASISTATIC = ("--model=masing-quasistatic",)
EXACT = ("--engine=exact", "--cells=3")

REFUSED = {
    "base with a pole": (("--base-acceleration=1/(1-t)", "--final-time=2", "--steps=4"),
                         ["--base-acceleration: F(t) - m a_g(t) = -inf at step 2"]),
    "exact, base with corners": ((*EXACT, "--base-acceleration=abs(sin(t))"), ["--base-acceleration: it uses abs()"]),
    # breaks of the base do not vouch for the force
    "exact, force with corners": ((*EXACT, "--base-acceleration=square(t)", "--force=abs(sin(t))"),
                                  ["--force: it uses"]),
    "exact, too fast a force": ((*EXACT, "--force=sin(1e17*t)"), ["--force", "resolve"]),
    "base without a mass": ((*QUASISTATIC, "--base-acceleration=1"), ["not a key of --model masing-quasistatic"]),
    "damping without a mass": ((*QUASISTATIC, "--damping=1"), ["not a key of --model masing-quasistatic"]),
    "damping, few steps": (("--damping=30", "--final-time=10", "--steps=149", "--cells=3"),
                           ["give at least 150 steps"]),
    "u0 below": (("--threshold-down=0.3", "--initial-u=-0.31", "--cells=700"),
                 ["u0 must lie in [-eta_down(s), eta(s)] = [-0.3, 0.1"]),
    "u0 below, infinite": (("--threshold-down=0.3", "--initial-u=-0.31", "--cells=inf"),
                           ["u0 must lie in [-eta_down(s), eta(s)] = [-0.3, 0.1"]),
    "lower threshold": (("--threshold-down=0.3-s", "--cells=inf"), ["--threshold-down: eta_down(s) = -"]),
    "upper threshold": (("--threshold-down=2", "--threshold=-s-0.1"), ["--threshold: eta(s)"]),
    "threshold": (("--threshold=s-0.5", "--cells=10"), ["eta must be >= 0"]),
    "threshold, infinite": (("--threshold=s-0.5", "--cells=inf"), ["eta must be >= 0"]),
    "a narrow fault": (("--threshold=1-2*exp(-((s-0.123456789)/1e-6)^2)", "--cells=inf"), ["must be >= 0"]),
    "threshold 0": (("--threshold=0",),
                    ["the largest stiffness * threshold is 0; it must lie between 1e-200 and 1e200"]),
    # an integrable pole of k: take k ds = ds' for the variable
    "stiffness with a pole": (("--cells=inf", "--stiffness=s^-0.5", "--threshold=s"),
                              ["--stiffness: k(s) = inf at s = 0"]),
    "saturation": ((*QUASISTATIC, "--force=0.7*sin(t)"), ["--force", "everything slides", "k0 = 0"]),
    "model without a parameter": (PRANDTL[:2], ["--set eta", "missing"]),
    "model, a key of the slab": ((*PRANDTL, "--threshold-down=1"), ["not a key of --model prandtl"]),
    "model, by turning points": ((*PRANDTL, "--engine=memory"), ["--engine", "exact"]),
    "exact, too many elements": ((*CHAIN, "--set=n=3000"), ["--engine", "2000"]),
    "exact model with corners": ((*CHAIN, "--set=n=3", "--force=abs(sin(t))"), ["as breaks"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(masing, name):
    words, said = REFUSED[name]
    message = masing.refused("simulate", *words, "--quiet")
    for part in said:
        assert part in message
    assert "masing.h5" not in masing.names()


def test_it_is_refused_on_two_ranks(masing):
    words, said = REFUSED["saturation"]
    message = masing.refused("simulate", *words, "--quiet", ranks=2)
    assert all(part in message for part in said)


@pytest.mark.parametrize(("words", "said"), [
    (("--reference=exact-time",), ["--reference", "finest"]), (("--engine=exact",), ["--engine", "--reference exact"]),
    (("--refine=cells",), ["--refine: prandtl has no cells; give steps"])])
def test_studies_of_slabs_only(masing, words, said):
    message = masing.refused("converge", *PRANDTL, *words)
    assert all(part in message for part in said)


@pytest.mark.parametrize("words", [
    ("--damping=30", "--final-time=10", "--steps=150", "--cells=3"),
    (*EXACT, "--base-acceleration=square(t)", "--final-time=3"),
    (*CHAIN, "--set=n=3", "--force=abs(sin(t))", "--final-time=7", "--breaks=3.141592653589793,6.283185307179586"),
    # u0 at either end, though it rounds
    *(("--threshold-down=0.3", f"--initial-u={end}", *engine) for end in ("s+0.1", "-0.3")
      for engine in (("--cells=700",), ("--cells=700", "--engine=memory"), ("--cells=inf",)))])
def test_what_is_at_the_limit_is_taken(masing, words):
    masing.done("simulate", *(("--steps=100",) if "--steps=150" not in words else ()), *words, "--quiet")


def test_the_limits_of_a_force_without_a_mass_are_told(masing):
    said = masing.refused("simulate", *QUASISTATIC, "--threshold-down=0.3", "--force=-0.4*t", "--final-time=1",
                          "--cells=inf")
    low, high = map(float, re.search(r"must stay within (\S+) and (\S+),", said).groups())
    assert (low, high) == (pytest.approx(-0.3, abs=1e-14), pytest.approx(0.6, abs=1e-14))
