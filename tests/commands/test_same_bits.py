"""The same bits of each command on other ranks, when made again by `masing reproduce`, and by programs of other
compilers and levels of optimisation. (engine/test_restart.cpp has every engine, also after a restart.)"""

import os

import pytest

OTHERS = [path for path in os.environ.get("MASING_OTHER_PROGRAMS", "").split(":") if path]

# Lines of words. Of an option that is given again the last value counts, as of one that follows these.
SMALL = "simulate --final-time 20 --steps 2000 --cells 40 --sample-every 20"
FORCED = "--force 0.45*cos(0.5*t)"
CURVED = f"--stiffness 0.5+s --threshold 0.1+s^2/2 {FORCED}"
STUDY = "converge --final-time 20"
STEPS, CELLS = f"{STUDY} --cells 40 --refine steps", f"{STUDY} --steps 1000 --refine cells"
GENERAL = ("simulate --final-time 12 --steps 600 --sample-every 7 --energy --field-every 100 --k0 0.1"
           " --force 0.5*sin(t)+0.1*cos(2.3*t) --stiffness 2-s+0.3*sin(3*s) --damping 0.05"
           " --threshold 0.2+0.5*s^2+0.1*exp(-s)")
BOUNDS = (f"{GENERAL} --cells 2500 --threshold-down 0.3+0.2*s^2 --initial-u 0.2*sin(20*s)"
          " --base-acceleration 0.2*sin(1.3*t)")
CHAIN = "simulate --steps 400 --sample-every 7 --energy --field-every 100 --field-points 700"
CONFIGURATIONS = {
    # engines, schemes and rules
    "sweep": SMALL,
    "sweep, split": f"{GENERAL} --steps 120 --cells 180000 --field-points 500",
    "sweep, leapfrog": f"{BOUNDS} --scheme leapfrog --rule midpoint",
    "memory": f"{BOUNDS} --engine memory",
    "memory, infinite": f"{BOUNDS} --cells inf --scheme leapfrog --field-points 2500",
    "exact": f"{BOUNDS} --final-time 96 --cells 250 --engine exact",
    "exact, infinite": f"{BOUNDS} --final-time 96 --cells inf --engine exact --field-points 300",
    # problems
    "jumps": f"{SMALL} --force 0.4*square(t/3.7)+0.2*sawtooth(t/2) --engine exact",
    "points": f"{SMALL} --threshold points:0,0.1;0.5,0.4;1,1.3 --stiffness points:0,1;1,2 {FORCED}",
    "no threshold at 0": f"{SMALL} --threshold s --cells inf --engine exact {FORCED}",
    "position": f"{SMALL} --model masing-quasistatic --position 0.8*sin(t) --field-every 100",
    # models that ranks share: in those of slabs ranks end at the nodes 1024 and 2048
    "s-chain, long": "simulate --model s-chain --set n=2100 --set k=1+i/n --set eta=0.1 --set y0=sin(i) --steps 600"
                      " --force 3*sin(t) --final-time 12 --sample-every 7 --field-every 100",
    "p-series, long": "simulate --model p-series --set n=2100 --set k=n*(1+i/n) --set k0=1 --set alpha=1 --set y0=1"
                       " --force 3*sin(t) --final-time 12 --steps 600 --sample-every 7 --field-every 100",
    "masing-chain, split, wave": f"{CHAIN} --model masing-chain --final-time 0.02 --set n=5000 --set m=i<n?1/n:0.5/n"
                                 " --set k=n*(1.5-i/n) --set eta=(1.2-0.6*i/n)/n --set c=1e-4*n/(i+9) --cells inf"
                                 " --set base_mass=0.5/n --set base_impedance=1.5 --set x0=0.01*sin(i/9)"
                                 " --incoming-velocity 0.5*sin(3*t)^3 --watch 0,1,1250,2500,3333,5000",
    "masing-chain, split, shaken": f"{CHAIN} --model masing-chain --final-time 0.02 --set n=2500 --set m=1/n --set k=n"
                                   " --set eta=0.1/n --set k0=i<1500?0.1*n:0 --set c_ground=i>2000?1/n:0"
                                   " --set y0=0.1*sin(i/50) --base-acceleration 3*sin(90*t) --stiffness 1+s --cells 9"
                                   " --force 0.2*sin(300*t) --force-node 1024 --threshold-down s+0.2"
                                   " --initial-u 0.1*s --watch 1024,1025,2048",
    # references and refinements
    **{f"steps, {reference}": f"{STEPS} --levels 1000,2000,4000,8000 --reference {reference}"
       for reference in ("exact-time", "finest", "successive")},
    "steps, exact": "converge --final-time 20 --cells inf --refine steps --levels 1000:8000:12 --reference exact",
    "steps, p-series": "converge --model p-series --set n=1100 --set k=n --set k0=1 --set alpha=1 --set y0=1"
                       " --force 3*sin(t) --final-time 2 --levels 25,50 --expect-order none --field-samples 5",
    **{f"cells, {reference}": f"{CELLS} {CURVED} --levels 20,40,80,160 --reference {reference}"
       for reference in ("cells-inf", "finest", "successive")},
    "cells, memory": f"{CELLS} --engine memory --levels 100:102400:6 --reference cells-inf",
    "both": f"{STUDY} --refine both --levels 20:1000,40:1000,40:2000,80:2000,80:4000 --reference exact",
    "both, split": "converge --final-time 10 --refine both --levels 30:400,2050:900 --reference cells-inf"
                   " --expect-order none",
    "elements, split": "converge --model masing-chain --refine elements --reference successive"
                       " --levels 2050:160,4100:320 --set m=i<n?1/n:0.5/n --set k=n --set eta=1/n"
                       " --threshold s+0.05 --cells inf --final-time 0.05"
                       " --base-acceleration -3*sin(2*t)^3*cos(2*t)",
    # scans
    "scan, grid, series": "scan --over k0=0,0.2 --over F=0.1:0.5:3:log --force F*cos(t) --final-time 20*2*pi"
                          " --steps 20*200 --cells inf --keep series --sample-every 50",
    "scan, split": "scan --over w=0.7:1.3:3 --force 0.3*cos(w*t) --k0 0.2 --cells 180000 --final-time 5 --steps 50",
    "steady": "scan --over w=0.3:1.75:12 --force 0.3*cos(w*t) --k0 0.2 --cells inf --steady",
    "steady, damped": "scan --over F=0.1:0.4:4 --force F*cos(0.7*t) --k0 0.1 --damping 0.05 --cells inf --steady",
}

# Parameters of the models of finitely many elements, and the forces that they are run with: one is smooth, one jumps.
MODELS = {
    "discrete-masing": "k0=0.3 n=5 k=0.6 eta=0.1*i",
    "friction-oscillator": "k=1 alpha=0.3",
    "p-chain": "n=3 k=2 alpha=0.1*i",
    "p-parallel": "n=3 k=1/i alpha=0.1*i",
    "p-series": "n=3 k0=2 k=i alpha=0.1*i",
    "persoz": "k0=2 k1=1 k2=2 k3=3 alpha1=0.1 alpha2=0.3 alpha3=0.4",
    "persoz-quasistatic": "k0=2 k1=1 k2=2 k3=3 alpha1=0.1 alpha2=0.3 alpha3=0.4",
    "prandtl": "k0=0.5 k=2 eta=0.2",
    "s-chain": "n=3 k=i eta=0.3/i u0=0.3/i",
    "s1-p2-parallel": "k1=2 alpha1=0.4 k2=1 alpha2=0.2",
    "s1-p2-series": "k1=2 alpha1=0.3 k2=1 alpha2=0.3 x0=0.15,0.15 u0=0.15",
    "three-springs": "K1=4 K2=1 K3=3 A=0.3",
    "viscoelastoplastic": "k=2 eta=0.2 c=5",
}
FORCES = ("0.9*sin(1.1*t)+0.5*sin(3.1*t)", "0.7*sin(1.1*t)+0.4*square(t/3.7)")

# Of what ranks share the recorders and watched nodes are in no test of an engine.
SPLIT = ("sweep, split", "masing-chain, split, shaken", "both, split", "elements, split", "scan, split",
         "scan, grid, series", "steady", "masing-chain, split, wave", "s-chain, long", "p-series, long",
         "steps, p-series", "steps, exact")


def words_of(line):
    """The words of a command. In points, which have blanks, a comma stands for the blank between two numbers."""
    words = []
    for word in line.split():
        if word.startswith("--") and word in words and word not in ("--let", "--set", "--over"):
            at = words.index(word)
            del words[at : at + 2]
        words.append(word.replace(",", " ") if word.startswith("points:") else word)
    return words


def of_all_builds():
    """The words of each configuration, and of each model of finitely many elements with each force and engine."""
    for line in CONFIGURATIONS.values():
        yield words_of(line)
    for model, parameters in MODELS.items():
        for force in FORCES:
            for engine in ([], ["--engine", "exact"]):
                yield [*f"simulate --final-time 20 --steps 2000 --force {force} --model {model}".split(), *engine,
                       *(word for parameter in parameters.split() for word in ("--set", parameter))]


@pytest.mark.first(7)
@pytest.mark.parametrize("name", SPLIT)
def test_a_result_is_made_again_on_other_ranks(masing, name):
    words = words_of(CONFIGURATIONS[name])
    masing.made(*words, name="made.h5")
    assert "bit for bit" in masing.done("reproduce", "made.h5", ranks=3).stdout


@pytest.mark.long
@pytest.mark.skipif(not OTHERS, reason="MASING_OTHER_PROGRAMS names no programs of other builds")
@pytest.mark.parametrize("words", of_all_builds(), ids=" ".join)
def test_the_bits_do_not_depend_on_the_build(masing, words):
    masing.made(*words, name="made.h5")
    for other in OTHERS:
        assert "bit for bit" in type(masing)(masing.folder, other).done("reproduce", "made.h5").stdout
