"""The same bits of each command on other ranks, when made again by `masing reproduce`, and by programs of other
compilers and levels of optimisation, whatever the engine, the problem, the recorders and the model; of a run also after
a restart."""

import os

import h5py
import pytest
from result_files import contents, text

OTHERS = os.environ.get("MASING_OTHER_PROGRAMS", "").split(":")

DRIVEN = ("--force=0.5*sin(t)+0.1*cos(2.3*t)", "--k0=0.1", "--final-time={time}", "--steps={steps}", "--sample-every=7")
FIELDS = ("--energy", "--field-every=100")
GENERAL = (*DRIVEN, *FIELDS, "--stiffness=2-s+0.3*sin(3*s)", "--threshold=0.2+0.5*s^2+0.1*exp(-s)", "--damping=0.05")
BOUNDS = (*GENERAL, "--threshold-down=0.3+0.2*s^2", "--initial-u=0.2*sin(20*s)", "--base-acceleration=0.2*sin(1.3*t)")
CHAIN = ("--model=masing-chain", "--final-time={time}/600", "--steps={steps}", "--sample-every=7", *FIELDS,
         "--field-points=700")
# The first nine always run, the others with --long.
RUNS = {
    "sweep, split": (*GENERAL, "--cells=180000", "--field-points=500"),
    "memory": (*BOUNDS, "--cells=2500", "--engine=memory"),
    "memory, infinite": (*BOUNDS, "--cells=inf", "--scheme=leapfrog", "--field-points=2500"),
    "exact": (*BOUNDS, "--cells=250", "--engine=exact"),
    "position": (*DRIVEN[2:], "--model=masing-quasistatic", "--position=0.8*sin(t)", "--field-every=100"),
    "p-chain, exact": (DRIVEN[0], *DRIVEN[2:], "--model=p-chain", "--set=n=3", "--set=k=i", "--set=alpha=0.1",
                       "--engine=exact"),
    "s-chain, split": ("--force=3*sin(t)", *DRIVEN[2:], "--model=s-chain", "--set=n=2100", "--set=k=1+i/n",
                       "--set=eta=0.1", "--set=y0=sin(i)", "--field-every=100"),
    "masing-chain, split, wave": (*CHAIN, "--set=n=5000", "--set=m=i<n ? 1/n : 0.5/n", "--set=k=n*(1.5-i/n)",
                                  "--set=eta=(1.2-0.6*i/n)/n", "--set=c=1e-4*n/(i+9)", "--set=base_mass=0.5/n",
                                  "--set=base_impedance=1.5", "--incoming-velocity=0.5*sin(3*t)^3",
                                  "--set=x0=0.01*sin(i/9)", "--cells=inf", "--watch=0,1,1250,2500,3333,5000"),
    # Ranks end at the nodes 1024 and 2048: there are the force and watched nodes.
    "masing-chain, split, shaken": (*CHAIN, "--set=n=2500", "--set=m=1/n", "--set=k=n", "--set=eta=0.1/n",
                                    "--set=k0=i<1500 ? 0.1*n : 0", "--set=c_ground=i>2000 ? 1/n : 0",
                                    "--set=y0=0.1*sin(i/50)", "--base-acceleration=3*sin(90*t)",
                                    "--force=0.2*sin(300*t)", "--force-node=1024", "--stiffness=1+s",
                                    "--threshold-down=s+0.2", "--initial-u=0.1*s", "--cells=9",
                                    "--watch=1024,1025,2048"),
    "sweep": (*DRIVEN, *FIELDS, "--cells=2500"),
    "leapfrog": (*BOUNDS, "--cells=2500", "--scheme=leapfrog"),
    "memory, 10^9 cells": (*GENERAL, "--cells=1e9", "--engine=memory", "--field-points=50"),
    "exact, infinite": (*BOUNDS, "--cells=inf", "--engine=exact", "--field-points=300"),
    "prandtl": (DRIVEN[0], *DRIVEN[2:], "--model=prandtl", "--set=k=1", "--set=eta=0.4", "--k0=0.1"),
    "friction": (DRIVEN[0], *DRIVEN[2:], "--model=friction-oscillator", "--set=k=1", "--set=alpha=0.3"),
    "p-series, split": ("--force=3*sin(t)", *DRIVEN[2:], "--model=p-series", "--set=n=2100", "--set=k=n*(1+i/n)",
                        "--set=k0=1", "--set=alpha=1", "--set=y0=1", "--field-every=100"),
}
STUDIES = {
    "slab": ("converge", "--final-time=10", "--cells=30", "--levels=500,1000,2000", "--field-samples=20"),
    "exact": ("converge", "--final-time=20", "--cells=inf", "--levels=1000,2000,4000,8000", "--reference=exact"),
    "p-series": ("converge", "--model=p-series", "--set=n=1100", "--set=k=n", "--set=k0=1", "--set=alpha=1",
                 "--set=y0=1", "--force=3*sin(t)", "--final-time=2", "--levels=25,50", "--expect-order=none",
                 "--field-samples=5"),
    "both": ("converge", "--final-time=10", "--refine=both", "--levels=30:400,2050:900", "--reference=cells-inf",
             "--expect-order=none"),
}
POINTS = ("scan", "--over=F=0.3,0.45", "--over=w=0.7:1.3:3", "--force=F*cos(w*t)", "--k0=0.2", "--cells=inf")
SCANS = {
    "runs": (*POINTS, "--final-time=20*2*pi/w", "--steps=20*200", "--keep=series", "--sample-every=50"),
    "runs, split": (*POINTS[:1], *POINTS[2:5], "--let=F=0.3", "--cells=180000", "--final-time=5", "--steps=50"),
    "limit cycles": (*POINTS, "--steady"),
}
ALL = {**STUDIES, **SCANS}


def run_of(name, share=1):
    """The words of a run, or of its beginning; that of an exact one is longer than 64 of its first time steps."""
    time, steps = (96 if "exact" in name else 12), (120 if name == "sweep, split" else 600)
    words = [word.format(time=time * share, steps=round(steps * share)) for word in RUNS[name]]
    return ("simulate", *words, "--quiet")


@pytest.mark.first(9)
@pytest.mark.parametrize("name", RUNS)
def test_ranks_and_restarts_do_not_show(masing, name):
    """Half of it is made by three ranks, the other half by one; all of it is made again by two."""
    masing.done(*run_of(name), "--output=whole.h5")
    masing.done(*run_of(name, 0.5), "--output=part.h5", "--checkpoint=point.h5", ranks=3)
    masing.done(*run_of(name), "--output=resumed.h5", "--restart=point.h5")
    whole = contents(masing.folder / "whole.h5")
    assert len(whole["series/t"][2]) > 100
    assert contents(masing.folder / "resumed.h5") == whole
    assert "bit for bit" in masing.done("reproduce", "whole.h5", ranks=2).stdout


@pytest.mark.parametrize("words", ALL.values(), ids=ALL)
def test_a_study_or_a_scan_is_made_again_on_other_ranks(masing, words):
    masing.done(*words, "--output=made.h5", "--quiet")
    assert "bit for bit" in masing.done("reproduce", "made.h5", ranks=3).stdout


@pytest.mark.long
@pytest.mark.skipif(OTHERS == [""], reason="MASING_OTHER_PROGRAMS names no programs of other builds")
@pytest.mark.parametrize("name", [*RUNS, *ALL])
def test_the_bits_do_not_depend_on_the_build(masing, name):
    words = run_of(name) if name in RUNS else (*ALL[name], "--quiet")

    def made():
        masing.done(*words, "--output=made.h5")
        with h5py.File(masing.folder / "made.h5") as file:
            build = [text(file["provenance"].attrs[fact]) for fact in ("compiler", "flags")]
        return build, contents(masing.folder / "made.h5")

    build, expected = made()
    for masing.program in OTHERS:
        other, found = made()
        assert other != build
        assert found == expected, other
