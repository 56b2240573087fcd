"""Studies and scans of chains: norms over the nodes against those of single runs, orders, and what is refused."""

import numpy as np
import pytest
from result_files import contents, numbers

# A wave that loads, reverses at the surface and unloads.
CHAIN = {"n": 10, "m": "i<n ? 1/n : 0.5/n", "k": "n", "eta": "1/n"}
PROBLEM = {"threshold": "s+0.05", "cells": "inf", "base-acceleration": "-3*sin(2*t)^3*cos(2*t)", "final-time": 2}


def wave(*words, final_time=2, **parameters):
    """The words of a chain with other parameters, and those given."""
    chain = [f"--set={key}={value}" for key, value in (CHAIN | parameters).items()]
    problem = [f"--{key}={value}" for key, value in (PROBLEM | {"final-time": final_time}).items()]
    return ["--model=masing-chain", *chain, *problem, *words]


def damped(*words, **parameters):
    """The same with a dashpot in every element."""
    return wave(*words, c="0.002*n", **parameters)


QUANTITIES = ("x", "y", "x_rms", "y_rms")


@pytest.mark.parametrize("absorbs", [False, True])
def test_norms_are_those_of_single_runs_at_the_nodes_that_both_have(masing, absorbs):
    # 12 elements have the nodes 6 and 12 in common with 10, and 15 of 12 the nodes 4, 8 and 12; and all a moving base.
    def words(**parameters):
        base = ["--set=base_impedance=2", "--set=base_mass=0.5/n", "--incoming-velocity=0.5*sin(3*t)^2"]
        return [word for word in wave(**parameters) if "base-acc" not in word] + base if absorbs else wave(**parameters)

    levels, times = [(10, 160), (12, 192), (15, 240)], 16
    runs = [masing.run(*words(n=n), f"--steps={steps}", f"--field-every={steps // times}") for n, steps in levels]
    cases = masing.study(*words(), "--refine=elements", "--reference=successive", f"--field-samples={times}",
                         "--levels=" + ",".join(f"{n}:{steps}" for n, steps in levels))["cases"]
    for level in range(2):
        pair = runs[level:level + 2]
        common = np.gcd(*(levels[level + at][0] for at in range(2)))
        for name in "xy":
            one, other = (run[f"field/{name}"][:, np.isin(run["field/node"] * common % run["field/node"][-1], [0])]
                          for run in pair)
            assert one.shape[1] == common + absorbs
            assert len(one) == times + 1
            assert np.isclose(cases[f"error_{name}_rms"][level], np.sqrt(np.mean((one - other)**2, axis=1)).max(),
                              rtol=1e-12, atol=0)
            # The node that the force acts on is compared at every step, too.
            assert cases[f"error_{name}"][level] >= np.abs(one - other).max() * (1 - 1e-12)
    assert list(cases["elements"]) == [n for n, _ in levels]
    masing.done("reproduce", "study.h5")


def test_orders_of_a_wave(masing):
    words = ("--refine=elements", "--reference=successive", "--levels=50:400:400:3200:4")
    smooth = masing.study(*damped(), *words)
    assert smooth["quantities"] == " ".join(QUANTITIES)
    assert all(abs(smooth[f"observed_{name}"] - 2) < 0.3 for name in QUANTITIES), smooth["said"]
    # Without dashpots the kinks of the wave stay, and nothing is expected of its order.
    plain = masing.study(*wave(), *words)
    assert plain["verdict"] == "not judged" and plain["observed_y"] < 1.5
    assert list(plain["cases"]["elements"]) == [50, 100, 200, 400]
    for scheme, order in (("leapfrog", 2), ("euler", 1)):
        found = masing.study(*damped(), f"--scheme={scheme}", "--refine=steps", "--levels=4000,8000,16000")
        assert found["verdict"] == "as expected", found["said"]
        assert all(found[f"expected_{name}"] == str(order) for name in QUANTITIES)
    for rule, order in (("right", 1), ("midpoint", 2)):
        found = masing.study(*(word for word in damped() if "cells" not in word), f"--rule={rule}", "--refine=cells", "--reference=cells-inf", "--steps=800",
                             "--levels=50,100,200,400,800", "--order-tolerance=0.9")
        assert all(str(order) in found[f"expected_{name}"] for name in QUANTITIES)
        assert all(abs(found[f"observed_{name}"] - order) < 0.3 for name in QUANTITIES), found["said"]


def test_a_study_is_the_same_on_any_ranks(masing):
    words = ("converge", *wave(final_time=0.05), "--refine=elements", "--levels=2048:160,4096:320", "--quiet",
             "--reference=successive")
    for ranks in (1, 3):
        masing.done(*words, f"--output=on{ranks}.h5", ranks=ranks)
    assert contents(masing.folder / "on1.h5") == contents(masing.folder / "on3.h5")


@pytest.mark.parametrize(("words", "said"), [
    (["--refine=elements", "--levels=10:100,20:300"], "'20:300' has another ratio n:N than 10:100; give one ratio"),
    (["--refine=elements", "--levels=10,20"], "--refine elements takes \"100:200,200:400\""),
    (["--refine=elements", "--force-node=3"], "leave it out"),
    (["--refine=both"], "give steps, cells or elements"),
    (["--reference=exact"], "masing-chain has no exact solution; give finest or successive")])
def test_mistakes(masing, words, said):
    assert said in masing.refused("converge", *wave(), *words)
    assert masing.names() == []


def test_other_mistakes(masing):
    listed = wave("--refine=elements", "--levels=10:100,20:200", "--reference=successive", m="1,2,3,4,5,6,7,8,9,10")
    assert "m has 10 values; must be 20" in masing.refused("converge", *listed)
    assert "elements is there for masing-chain" in masing.refused("converge", "--refine=elements")
    fixed = wave("--refine=elements", "--levels=10:200,20:400", "--reference=successive", m=0.1, k=10, eta=0.1)
    assert "n stands in no parameter" in masing.done("converge", *fixed, "--quiet", "--output=fixed.h5").stderr


def test_peaks_of_points_are_those_of_runs(masing):
    window = ("--steps=400", "--from=0.5", "--to=1.5")
    masing.done("scan", *wave(), *window, "--quiet", "--over=n=5,10", "--force-node=4", "--output=scan.h5")
    points = numbers(masing.folder / "scan.h5")
    for point, n in enumerate((5, 10)):
        run = masing.run(*wave(n=n), "--force-node=4", "--watch=4", "--sample-every=1", *window)
        assert points["points/most_elongation"][point] == np.abs(run["watch/elongation"]).max()
        assert points["points/most_acceleration"][point] == np.abs(run["watch/a"]).max()
        assert points["points/most_x"][point] == run["x"].max()
