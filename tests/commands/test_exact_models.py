"""The exact solution of the papers' models at the command line: the same file on any number of ranks
and after a restart, the slab's own exact solution in other letters, and studies against it."""

import h5py
import numpy as np
import pytest

from test_models import MODELS

FINITE = sorted(set(MODELS) - {"masing-quasistatic"})
TIME = ("--final-time=40", "--quiet")
EXACT = ("--engine=exact", *TIME, "--steps=1000", "--sample-every=10")


def trajectory(masing, *words, **how):
    masing.done("simulate", *words, *EXACT, **how)
    with h5py.File(masing.folder / "masing.h5") as file:
        return {
            name: file[name][:]
            for name in ("series/x", "series/y", "series/restoring", "state/values")
        }


@pytest.mark.first(4)
@pytest.mark.parametrize("model", FINITE)
def test_the_same_on_any_number_of_ranks_and_reproduced(masing, model):
    words = ("--model", model, *MODELS[model][0])
    one = trajectory(masing, *words)
    masing.done("reproduce", "masing.h5", "--quiet", "--output=again.h5")
    three = trajectory(masing, *words, ranks=3)
    for name, values in one.items():
        assert np.all(np.isfinite(values))
        assert np.array_equal(values, three[name]), name
    assert np.max(np.abs(one["series/y"])) > 0.1


def test_the_slab_in_other_letters(masing):
    """Elements of stiffness 1/n are the cells of a slab, whose exact solution has turning points in
    place of modes."""
    force = "--force=0.45*cos(0.5*t)+0.1*square(t/7)"
    elements = trajectory(
        masing, "--model=discrete-masing", "--set=n=30", "--set=k=1/n", "--set=eta=0.1+i/n",
        "--k0=0.05", force,
    )  # fmt: skip
    slab = ("--cells=30", "--k0=0.05", force, "--field-every=10")
    masing.done("simulate", *slab, *EXACT)
    with h5py.File(masing.folder / "masing.h5") as file:
        for name in ("x", "y", "restoring"):
            assert np.max(np.abs(elements[f"series/{name}"] - file[f"series/{name}"][:])) < 1e-12
        assert np.max(np.abs(elements["state/values"][:, 2:] - file["field/u"][:])) < 1e-12


def test_a_restart_goes_on_with_the_same_bits(masing):
    words = ("--model=p-chain", "--set=n=3", "--set=k=i", "--set=alpha=0.1")
    whole = trajectory(masing, *words)
    masing.done("simulate", *words, *EXACT, "--checkpoint=half.h5", "--checkpoint-every=500")
    again = trajectory(masing, *words, "--restart=half.h5")
    for name, values in whole.items():
        assert np.array_equal(values, again[name]), name


@pytest.mark.parametrize("model", FINITE)
def test_a_study_of_true_errors(masing, model):
    """Order 1 of x, y and the state, also where the theory promises 1/2: errors of five levels fall
    by a factor that single steps at events change by some tenths. The force has jumps; not that of
    the model without a mass, whose x would jump, and whose y is a difference quotient."""
    is_massless = model.endswith("quasistatic")
    columns = {name[0] for name in MODELS[model][1].split()}
    letters = sorted((columns & {"x", "y"}) | ({"u"} if columns - {"x", "y"} else set()))
    said = masing.done(
        "converge", "--model", model, *MODELS[model][0], *TIME, "--reference=exact",
        "--force=0.45*cos(0.5*t)" + ("" if is_massless else "+0.2*sawtooth(t/9)"),
        "--levels=4000,8000,16000,32000,64000",
        "--expect-order=" + ",".join(f"{letter}>=0.5" for letter in letters),
    ).stdout  # fmt: skip
    assert "the exact solution" in said
    with h5py.File(masing.folder / "masing.h5") as file:
        for letter in letters:
            error = file[f"cases/error_{letter}"][:]
            order = np.log2(error[0] / error[-1]) / 4
            assert 0.85 < order < (2.5 if is_massless else 1.15), letter


@pytest.mark.parametrize("model", [
    ("p-chain", "--set=m=0.844,1.055", "--set=k=2.615,1.284", "--set=alpha=0.309,0.21"),
    ("friction-oscillator", "--set=m=1.3", "--set=k=2", "--set=alpha=0.3")])
def test_a_start_from_sticking_is_that_of_the_scheme(masing, model):
    """Masses stick until F breaks them loose; the scheme's errors of order 1 halve with its steps."""
    words = ("simulate", "--model", *model, "--final-time=14.1", "--quiet",
             "--force=0.429*sin(0.311*t)+0.302*cos(3.973*t)-0.107")  # fmt: skip

    def positions(*how):
        masing.done(*words, *how)
        with h5py.File(masing.folder / "masing.h5") as file:
            return file["series/x"][:]

    exact = positions("--engine=exact", "--steps=50")
    far, near = (
        np.max(np.abs(positions(f"--steps={steps}", f"--sample-every={steps // 50}") - exact))
        for steps in (20000, 40000)
    )
    assert np.max(np.abs(exact)) > 0.05
    assert far < 1e-2
    assert 0.4 < near / far < 0.6


def test_mistakes(masing):
    chain = ("--model=s-chain", "--set=k=1", "--set=eta=1", *TIME)
    said = masing.refused("simulate", *chain, "--set=n=3000", "--engine=exact")
    assert "--engine" in said and "2000" in said
    said = masing.refused("simulate", *chain, "--set=n=3", "--engine=exact", "--force=abs(sin(t))")
    assert "as breaks" in said
    masing.done("simulate", *chain, "--set=n=3", "--engine=exact", "--force=abs(sin(t))",
                "--breaks=" + ",".join(str(i * np.pi) for i in range(1, 13)))  # fmt: skip
