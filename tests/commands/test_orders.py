"""Studies that end as theory expects, exit code 0, where neither C++ tests nor the corpus have a case: of every model,
with damping, a moving base, thresholds by direction and of 0, any initial elongation; and orders that the problem
raises or hides."""

import numpy as np
import pytest
from test_engines import earthquake
from test_models import MODELS, QUASISTATIC

DAMPED = ("--stiffness=1+0.5*s", "--initial-u=-0.3*(s+0.1)", "--mass=0.8", "--k0=0.15", "--x0=0.2", "--y0=-0.3",
          "--damping=0.25", "--force=0.45*cos(0.5*t)", "--final-time=20")
BASE = ("--base-acceleration=table:quake.csv", "--force=0", "--damping=0.1", "--final-time=15")
DIRECTED = ("--stiffness=1+0.5*s", "--threshold=s+0.1", "--threshold-down=0.3+0.2*s^2", "--initial-u=0.05",
            "--final-time=20", "--damping=0.1", "--force=0.8*cos(0.9*t)")
IWAN = ("--k0=0.1", "--force=0.5*cos(0.7*t)", "--final-time=40")
STRAINED = ("--initial-u=(s+0.1)*sin(12*s)", "--force=0.45*cos(0.5*t)", "--final-time=20")
TIME = ("--engine=memory", "--reference=exact-time")
SPACE = ("--engine=memory", "--refine=cells", "--reference=cells-inf")
LEAPFROG, MIDPOINT = "--scheme=leapfrog", "--rule=midpoint"
SWUNG = ("--force=0.6*sin(t)", *SPACE, "--levels=50,100,200,400,800,1600", "--steps=4000", "--final-time=40")
ELASTIC = (*SPACE, "--levels=20,40,80,160", "--threshold=2-0.1*s", "--force=0.3*sin(t)", "--steps=2000",
           "--final-time=10")

STUDIES = {
    "damped, leapfrog": (*DAMPED, *TIME, "--cells=inf", LEAPFROG, "--levels=1000:16000:9"),
    "moving base": (*BASE, *TIME, "--cells=inf", "--scheme=euler", "--levels=8000:128000:9"),
    "by direction, leapfrog": (*DIRECTED, *TIME, "--cells=inf", LEAPFROG, "--levels=2000:32000:9"),
    "by direction, cells": (*DIRECTED, *SPACE, "--levels=50:3200:25", LEAPFROG, "--steps=8000",
                            "--order-tolerance=0.2"),
    "strained, cells": (*STRAINED, *SPACE, "--steps=4000", "--levels=100,200,400,800"),
    # An order that the problem raises: the error of the rule right is δs/2 (k u(1) - k u(0)) + O(δs²).
    "uniform u": (*SWUNG, "--stiffness=1+s^2", "--threshold=0.5", MIDPOINT),
    "k u(0) = k u(1)": (*SWUNG, "--stiffness=2-s+s^2", "--threshold=0.2+4*s*(1-s)"),
    # Nothing yields: the error is that of the sums of k.
    "elastic, midpoint": (*ELASTIC, MIDPOINT, "--stiffness=1/(1+s)"),
    # The levels share 10 times only; between steps u would be known to first order.
    "common steps": ("--force=0.8*sin(0.7*t)", "--final-time=20", "--cells=inf", LEAPFROG, "--reference=exact",
                     "--levels=1010,2030,4070,8110"),
    # The middles of overlapping cells are (δs + δs_ref)/2 apart, or (δs - δs_ref)/2 where P divides P_ref.
    "cells that are not nested": (MIDPOINT, "--refine=cells", "--levels=34:189:63", "--reference=finest",
                                  "--steps=2000", "--final-time=20"),
    # The round-off floor is relative to each quantity.
    "tiny": ("--threshold=1e-8*(s+0.1)", "--force=1e-8*0.45*cos(0.5*t)", "--final-time=10", "--cells=inf",
             "--levels=1000,2000,4000,8000,16000", "--reference=exact"),
}
# η(0) = 0: no proposition promises an order, so it is asked for.
ELEMENT = {
    "euler": (*TIME, "--cells=inf", "--levels=8000:128000:9", "--expect-order=1"),
    "leapfrog": (*TIME, "--cells=inf", "--levels=1000:32000:30", LEAPFROG, "--expect-order=2"),
    "right": (*SPACE, "--levels=50:3200:25", LEAPFROG, "--steps=8000", "--expect-order=1"),
    "midpoint": (*SPACE, "--levels=50:3200:40", LEAPFROG, "--steps=8000", MIDPOINT,
                 "--expect-order=x=2,y=2,u=1,u_cells=2", "--order-tolerance=0.25"),
}
for name, words in ELEMENT.items():
    STUDIES[f"Iwan's element, {name}"] = (*IWAN, "--threshold=min(1, s/0.8)^2", *words)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_as_expected(masing, name):
    if "base" in name:
        earthquake(masing)
    found = masing.study(*STUDIES[name])
    assert found["verdict"] == "as expected"


@pytest.mark.first(3)
@pytest.mark.parametrize("model", [name for name in MODELS if name != "masing-quasistatic"])
def test_a_models_true_errors_are_of_order_one(masing, model):
    """Of x, y and the state, also where the theory promises 1/2: errors of five levels fall by a factor that single
    steps at events change by some tenths. The force has jumps; not that of the model without a mass, whose x would
    jump, and whose y is a difference quotient."""
    is_massless = model in QUASISTATIC
    options, columns = MODELS[model]
    letters = {name[0] if name[0] in "xy" else "u" for name in columns.split()}
    found = masing.study("--model", model, *options, "--final-time=40", "--reference=exact",
                         "--force=0.45*cos(0.5*t)" + ("" if is_massless else "+0.2*sawtooth(t/9)"),
                         "--levels=4000,8000,16000,32000,64000",
                         "--expect-order=" + ",".join(f"{letter}>=0.5" for letter in letters))
    assert "the exact solution" in found["said"]
    for letter in letters:
        error = found["cases"][f"error_{letter}"]
        assert 0.85 < np.log2(error[0] / error[-1]) / 4 < (2.5 if is_massless else 1.15), letter
    assert np.all(np.isnan(found["cases"]["error_u"])) == (len(columns.split()) == 2)


@pytest.mark.parametrize("model", QUASISTATIC)
def test_without_a_mass_only_a_missed_peak_is_an_error(masing, model):
    """A peak between two steps is missed by at most h²/8 max |F''|, and x by that times the largest
    compliance, once for the peak and at most twice for each branch that leaves it."""
    force, compliance = 0.3, 10.0
    cases = masing.study("--model", model, *MODELS[model][0], f"--force={force}*sin(t)", "--steps=16000",
                         "--final-time=20", "--expect-order=x=>=1")["cases"]
    assert np.all(cases["error_x"] <= 5 * compliance * force * cases["dt"] ** 2 / 8) and np.any(cases["error_x"] > 0)
