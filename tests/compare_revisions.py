"""Runs two programs on all case files and on configurations over every engine, scheme, rule, recorder, reference,
refinement, model and scan, on 1 and 3 ranks, and prints every number that differs: of result files outside /provenance
and /timing, of what is printed, and exit codes."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).resolve().parent / "support"))
from open_mpi import OPEN_MPI, YIELD  # noqa: E402
from result_files import visit_contents  # noqa: E402

CASES = Path(__file__).resolve().parent.parent / "jobs" / "cases"

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
CHAIN = "simulate --steps 600 --sample-every 7 --energy --field-every 100 --field-points 700"
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
    "wrong expectation": f"{STEPS} --levels 1000:32000:6 --reference exact-time --expect-order 2",
    "elements, split": "converge --model masing-chain --refine elements --reference successive --levels 2050:160,4100:320"
                       " --set m=i<n?1/n:0.5/n --set k=n --set eta=1/n --threshold s+0.05 --cells inf --final-time 0.05"
                       " --base-acceleration -3*sin(2*t)^3*cos(2*t)",
    # scans
    "scan, grid, series": "scan --over k0=0,0.2 --over F=0.1:0.5:3:log --force F*cos(t) --final-time 20*2*pi"
                          " --steps 20*200 --cells inf --keep series --sample-every 50",
    "scan, split": "scan --over w=0.7:1.3:3 --force 0.3*cos(w*t) --k0 0.2 --cells 180000 --final-time 5 --steps 50",
    "steady": "scan --over w=0.3:1.75:12 --force 0.3*cos(w*t) --k0 0.2 --cells inf --steady",
    "steady, damped": "scan --over F=0.1:0.4:4 --force F*cos(0.7*t) --k0 0.1 --damping 0.05 --cells inf --steady",
    "mistake in a function": "simulate --force 0.45*cos(0.5t)",  # whose message has numbers
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

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w])")
# Times and rates, in messages, too, and how well the two exact solutions agree, which depends on their steps.
TIMING = re.compile(r"[-+.\de]+ (?:s|ms|min|h)\b|[-+.\de]+ (?:steps|cell-updates|points)/s|"
                    r"(?:itself|agree) to [-+.\de]+")


def words_of(line):
    """The words of a command. In points, which have blanks, a comma stands for the blank between two numbers."""
    words = []
    for word in line.split():
        if word.startswith("--") and word in words and word not in ("--let", "--set", "--over"):
            at = words.index(word)
            del words[at : at + 2]
        words.append(word.replace(",", " ") if word.startswith("points:") else word)
    return words


def runs_to_compare(ranks):
    """(name, ranks, words of the command) of all runs."""
    several = {name: words_of(line) for name, line in CONFIGURATIONS.items()}
    for model, parameters in MODELS.items():
        for force in FORCES:
            short = f"simulate --final-time 20 --steps 2000 --force {force} --model {model}".split()
            short += [word for parameter in parameters.split() for word in ("--set", parameter)]
            for engine in ([], ["--engine", "exact"]):
                several[" ".join(["model", model, force, *engine])] = short + engine
    runs = []
    for case in sorted(CASES.glob("*.ini")):
        text = case.read_text(encoding="utf-8")  # whose keys say what it is for
        command = ("scan" if re.search(r"^\[over\]", text, re.M) else
                   "converge" if re.search(r"^levels", text, re.M) else "simulate")
        runs.append((f"case {case.stem}", 1, [command, "--config", str(case)]))
    return runs + [(name, count, words) for name, words in several.items() for count in ranks]


def made(program, words, ranks):
    """The exit code of a program, the numbers in each line that it prints, and those in its result file by name."""
    call = [*(["mpirun", "-n", str(ranks)] if ranks > 1 else []), program, *words, "--quiet", "--output", "made.h5"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=600,
                              env={**os.environ, **OPEN_MPI, **YIELD})
        lines = [line for line in (done.stdout + done.stderr).splitlines()
                 if "Process name:" not in line]  # which has mpirun's own number
        arrays = {}

        def visit(name, thing, attributes):
            arrays.update({f"/{name}@{key}": value for key, value in attributes.items() if key != "self_check"})
            if isinstance(thing, h5py.Dataset):
                arrays[f"/{name}"] = np.asarray(thing[()])

        if (Path(folder) / "made.h5").exists():
            visit_contents(Path(folder) / "made.h5", visit)
    return done.returncode, [found for line in lines if (found := NUMBER.findall(TIMING.sub("", line)))], arrays


def difference(before, after):
    """What two datasets or attributes do not have in common, "" if nothing; of texts any difference."""
    if before.dtype.kind not in "biuf" or after.dtype.kind not in "biuf" or before.shape != after.shape:
        a, b = ((each.shape, each.tolist()) for each in (before, after))
        return "" if a == b else f"{str(a)[:60]}, now {str(b)[:60]}"
    a, b = before.astype(float).ravel(), after.astype(float).ravel()
    differs = ~((a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b)))
    if not differs.any():
        return ""
    with np.errstate(all="ignore"):
        distance = np.abs(a - b)[differs]
        relative = distance / np.maximum(np.abs(a), np.abs(b))[differs]
    return (f"{differs.sum()} of {a.size} numbers differ, at most by {distance.max():.3g}, "
            f"relative {np.nanmax(np.append(relative, 0.0)):.3g}")


def differences(words, ranks, programs):
    """Lines about what two programs do not make alike of a command, and how many numbers were compared."""
    (code, printed, there), (new_code, new_printed, here) = (made(program, words, ranks) for program in programs)
    lines = [f"exit code {code}, now {new_code}"] if code != new_code else []
    if printed != new_printed:
        first = next(((a, b) for a, b in zip(printed, new_printed, strict=False) if a != b), ([], []))
        lines.append(f"printed: {len(printed)} lines with numbers, now {len(new_printed)}; the first that differ: "
                     f"{' '.join(first[0])}, now {' '.join(first[1])}")
    for name in sorted(there.keys() | here.keys()):
        said = (difference(there[name], here[name]) if name in there and name in here else
                f"only {'before' if name in there else 'now'}")
        lines += [f"{name}: {said}"] if said else []
    return lines, sum(map(len, printed)) + sum(each.size for each in there.values())


def compare(programs, only, ranks, jobs):
    """Prints every number that differs, and returns the exit code."""
    runs = [run for run in runs_to_compare(ranks) if only in run[0]]
    programs = [os.path.abspath(program) for program in programs]
    numbers = differing = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda run: differences(run[2], run[1], programs), runs)
        for (name, count, _), (lines, compared) in zip(runs, found, strict=True):
            for line in lines:
                print(f"{name}, {count} rank{'s' if count > 1 else ''}: {line}", flush=True)
            numbers += compared
            differing += bool(lines)
    print(f"{len(runs)} runs, {numbers} numbers compared: {differing} runs differ")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", help="the program of another revision")
    parser.add_argument("now", help="the program of this one")
    parser.add_argument("--only", default="", metavar="WORDS", help="only runs whose name contains these words")
    parser.add_argument("--ranks", default="1,3", help="numbers of ranks of the configurations (1,3)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (as many as cores)")
    options = parser.parse_args()
    return compare((options.before, options.now), options.only, [int(count) for count in options.ranks.split(",")],
                   options.jobs)


if __name__ == "__main__":
    sys.exit(main())
