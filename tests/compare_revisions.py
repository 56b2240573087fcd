"""Runs two programs on all case files and on configurations over every engine, scheme, rule, recorder, reference,
refinement, model and scan, on 1 and 3 ranks, and prints every number that differs: of result files outside /provenance
and /timing, of what is printed, and exit codes. With --times it measures both on named studies, in turn."""

import argparse
import concurrent.futures
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

sys.path.append(str(Path(__file__).resolve().parent / "support"))
from result_files import visit_contents  # noqa: E402

CASES = Path(__file__).resolve().parent.parent / "jobs" / "cases"
LONGEST = 600  # seconds a run may take

# Of a few seconds at most: what varies is named first.
SMALL = "--final-time 20 --steps 2000 --cells 40 --sample-every 20"
FORCED = "--force 0.45*cos(0.5*t)"
CURVED = f"--stiffness 0.5+s --threshold 0.1+s^2/2 {FORCED}"
STUDY = "--final-time 20 --steps 1000 --cells 40"
CONFIGURATIONS = {
    # engines, schemes and rules
    "sweep": f"simulate {SMALL}",
    "sweep, midpoint": f"simulate {SMALL} {CURVED} --rule midpoint",
    "sweep, leapfrog": f"simulate {SMALL} {CURVED} --scheme leapfrog --rule midpoint",
    "memory": f"simulate {SMALL} {CURVED} --engine memory",
    "memory, leapfrog": f"simulate {SMALL} --engine memory --scheme leapfrog --rule midpoint",
    "memory, infinite": f"simulate {SMALL} {CURVED} --cells inf",
    "memory, 10^9 cells": f"simulate {SMALL} --cells 1000000000 --engine memory --field-points 50",
    "exact": f"simulate {SMALL} {CURVED} --engine exact",
    "exact, infinite": f"simulate {SMALL} --cells inf --engine exact",
    # problems
    "hardening and damping": f"simulate {SMALL} --k0 0.3 --damping 0.1 --mass 2 --x0 0.2 --y0 -0.1 {FORCED}",
    "thresholds by direction": f"simulate {SMALL} --threshold-down 0.2+s --initial-u 0.05*s --engine exact {FORCED}",
    "moving base": f"simulate {SMALL} --force 0 --base-acceleration 0.6*sin(1.3*t)*exp(-t/9) --engine memory --scheme euler",
    "jumps": f"simulate {SMALL} --force 0.4*square(t/3.7)+0.2*sawtooth(t/2) --engine exact",
    "points": f"simulate {SMALL} --threshold points:0,0.1;0.5,0.4;1,1.3 --stiffness points:0,1;1,2 {FORCED}",
    "constants": f"simulate {SMALL} --let F=0.45 --let w=F+0.05 --force F*cos(w*t) --k0 F/9",
    "no threshold at 0": f"simulate {SMALL} --threshold s --cells inf --engine exact {FORCED}",
    "quasi-static": "simulate --model masing-quasistatic --position 1.2*sin(t) --final-time 20 --steps 200 --cells inf",
    "quasi-static, force": "simulate --model masing-quasistatic --force 0.5*sin(t) --k0 0.2 --final-time 9 --steps 200",
    # recorders
    "energy and fields": f"simulate {SMALL} --energy --field-every 400",
    "energy, exact": f"simulate {SMALL} --energy --engine exact --cells inf --field-points 30",
    "window": f"simulate {SMALL} --from 5 --to 15 --field-every 500 --field-points 7 --engine memory",
    # references and refinements
    **{
        f"steps, {reference}": f"converge {STUDY} --refine steps --levels 1000,2000,4000,8000 --reference {reference}"
        for reference in ("exact-time", "finest", "successive")
    },
    "steps, exact": "converge --final-time 20 --cells inf --refine steps --levels 1000:8000:12 --reference exact",
    "steps, leapfrog": f"converge {STUDY} --scheme leapfrog --refine steps --levels 300:4800:9 --reference exact-time",
    **{
        f"cells, {reference}": f"converge {STUDY} {CURVED} --refine cells --levels 20,40,80,160 --reference {reference}"
        for reference in ("cells-inf", "finest", "successive")
    },
    "cells, midpoint": f"converge {STUDY} --refine cells --rule midpoint --levels 20,40,80,160 --reference cells-inf",
    "cells, memory": f"converge {STUDY} --engine memory --refine cells --levels 100:102400:6 --reference cells-inf",
    "cells, engine exact": f"converge {STUDY} --engine exact --refine cells --levels 20,40,80,160 --reference exact",
    **{
        f"both, {reference}": f"converge {STUDY} --refine both --levels 20:1000,40:1000,40:2000,80:2000,80:4000"
        f" --reference {reference}"
        for reference in ("exact", "finest", "successive")
    },
    "both, 12 levels": f"converge {STUDY} --refine both --levels 20:500:160:4000:12 --reference exact --expect-order 1",
    "two levels": f"converge {STUDY} --refine steps --levels 1000,2000 --reference exact-time",
    "wrong expectation": f"converge {STUDY} --refine steps --levels 1000:32000:6 --reference exact-time"
    " --expect-order 2",
    "file": [
        "simulate --final-time 20 --steps 64000 --cells 40 --field-every 320 --sample-every 1 --output fine.h5",
        f"simulate {SMALL} --initial-u file:fine.h5 --x0 0.1 {FORCED}",
    ],
    # scans
    "scan": "scan --over a=0.1:1:7 --force a*sin(t)*exp(-0.05*t) --final-time 30 --engine exact --cells inf",
    "scan, grid, series": f"scan --over k0=0,0.2 --over F=0.1:0.5:3:log --force F*cos(t) {SMALL} --keep series",
    "steady": "scan --over w=0.3:1.75:12 --force 0.3*cos(w*t) --k0 0.2 --cells inf --steady",
    "steady, damped": "scan --over F=0.1:0.4:4 --force F*cos(0.7*t) --k0 0.1 --damping 0.05 --cells inf --steady",
    # mistakes, whose messages have numbers
    "mistake in a function": "simulate --force 0.45*cos(0.5t)",
    "mistake in a number": "simulate --mass -1",
    "mistake in levels": "converge --levels 10,5",
    "no mistake": f"simulate {SMALL} --print-config",
    "models": "models",
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

# Named studies whose times are compared.
QUICKSTART = (
    "proposition-4.1",
    "proposition-3.1",
    "study-cells",
    "study-steps",
    "study-euler",
    "study-memory",
    "study-leapfrog",
    "proposition-4.1-jumps",
)
TIMES = {
    "quickstart's eight studies": [f"converge --config {CASES / name}.ini" for name in QUICKSTART],
    "many cells": "converge --refine cells --levels 1000:1024000:11 --reference cells-inf --engine memory --steps 2000",
    "finest": "converge --refine steps --levels 20000:320000:5 --cells 20 --reference finest --final-time 100",
    "successive": "converge --refine steps --levels 20000:640000:6 --cells 20 --reference successive --final-time 100",
    "exact-time": "converge --refine steps --reference exact-time --levels 25663,48192",
    "simulate, sweep": "simulate",
    "simulate, sweep leapfrog": "simulate --scheme leapfrog --rule midpoint",
    "simulate, memory": "simulate --engine memory",
    "simulate, infinite": "simulate --cells inf",
    "simulate, exact": "simulate --engine exact",
    "simulate, exact infinite": "simulate --engine exact --cells inf",
    "1,000 steady points": "scan --over w=0.3:1.75:1000 --force 0.3*cos(w*t) --k0 0.2 --cells inf --steady",
    "scan of 160,000 points": "scan --over a=0.1:1:400 --over w=0.3:1.7:400 --force a*cos(w*t) --cells 1 --steps 10"
    " --final-time 1",
}

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)(?![\w])")
# Times and rates, in messages, too, and how well the two exact solutions agree, which depends on their steps.
TIMING = re.compile(
    r"[-+.\de]+ (?:s|ms|min|h)\b|[-+.\de]+ (?:steps|cell-updates|points)/s|(?:itself|agree) to [-+.\de]+"
)


def words_of(line):
    """The words of a command; of an option that is given again the last value counts. In points, which have blanks,
    a comma stands for the blank between two numbers."""
    words = []
    for word in line.split():
        if word.startswith("--") and word in words and word not in ("--let", "--set", "--over"):
            at = words.index(word)
            del words[at : at + 2]
        words.append(word.replace(",", " ") if word.startswith("points:") else word)
    return words


def commands_of(given):
    """The words of each of the commands of a run, given as a line or a list of lines."""
    return [words_of(line) for line in ([given] if isinstance(given, str) else given)]


def command_of(case):
    """What a case file is for: its keys say it."""
    text = case.read_text()
    if re.search(r"^\[over\]", text, re.M):
        return "scan"
    return "converge" if re.search(r"^levels", text, re.M) else "simulate"


def runs_to_compare(ranks):
    """(name, ranks, list of commands as words) of all runs."""
    runs = []
    for case in sorted(CASES.glob("*.ini")):
        runs.append((f"case {case.stem}", 1, [[command_of(case), "--config", str(case)]]))
    several = {name: commands_of(given) for name, given in CONFIGURATIONS.items()}
    for model, parameters in MODELS.items():
        for force in FORCES:
            short = f"simulate --final-time 20 --steps 2000 --force {force} --model {model}".split()
            short += [word for parameter in parameters.split() for word in ("--set", parameter)]
            for engine in ([], ["--engine", "exact"]):
                several[" ".join(["model", model, force, *engine])] = [short + engine]
    for name, commands in several.items():
        runs += [(name, count, commands) for count in ranks]
    return runs


class Made:
    """What one program makes of the commands of a run: exit codes, what it prints, and its files."""

    def __init__(self, program, commands, ranks, folder):
        self.folder = folder
        folder.mkdir(parents=True)
        self.codes, self.printed = [], []
        for i, words in enumerate(commands):
            call = [program, *words]
            if words[0] in ("simulate", "converge", "scan"):
                call += ["--quiet"]
                if "--output" not in words:
                    call += ["--output", f"{i}.h5"]
            if ranks > 1:
                call = ["mpirun", "-n", str(ranks), *call]
            try:
                done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=LONGEST)
                self.codes.append(done.returncode)
                lines = (done.stdout + done.stderr).splitlines()
                self.printed += [line for line in lines if "Process name:" not in line]  # mpirun's own number
            except subprocess.TimeoutExpired:
                self.codes.append(f"longer than {LONGEST} s")


def arrays(path):
    """Every dataset and attribute of a file outside /provenance and /timing, by name, but `self_check`."""
    found = {}

    def visit(name, thing, attributes):
        found.update({f"/{name}@{key}": value for key, value in attributes.items() if key != "self_check"})
        if isinstance(thing, h5py.Dataset):
            found[f"/{name}"] = np.asarray(thing[()])

    visit_contents(path, visit)
    return found


class Report:
    """The differences found, and how much was compared."""

    def __init__(self):
        self.lines = []
        self.files = self.numbers = self.differing = 0

    def compare_arrays(self, name, before, after):
        """A dataset or an attribute; texts must be alike."""
        if before.dtype.kind not in "biuf" or after.dtype.kind not in "biuf":
            if before.shape != after.shape or before.tolist() != after.tolist():
                self.lines.append(f"{name}: {str(before.tolist())[:60]!r}, now {str(after.tolist())[:60]!r}")
            return
        self.numbers += before.size
        if before.shape != after.shape:
            self.differing += max(before.size, after.size)
            self.lines.append(f"{name}: shape {before.shape}, now {after.shape}")
            return
        a, b = before.astype(float).ravel(), after.astype(float).ravel()
        differs = ~((a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b)))
        count = int(differs.sum())
        if count:
            self.differing += count
            with np.errstate(all="ignore"):
                distance = np.abs(a - b)[differs]
                relative = distance / np.maximum(np.abs(a), np.abs(b))[differs]
            if np.isnan(distance).any():
                worst = "some finite in one alone"
            else:
                worst = f"at most by {distance.max():.3g}, relative {np.nanmax(np.append(relative, 0.0)):.3g}"
            self.lines.append(f"{name}: {count} of {a.size} numbers differ, {worst}")

    def compare_files(self, before, after):
        self.files += 1
        there, here = arrays(before), arrays(after)
        for name in sorted(there.keys() | here.keys()):
            where = f"{before.name} {name}"
            if name not in here:
                self.lines.append(f"{where}: only before")
            elif name not in there:
                self.lines.append(f"{where}: only now")
            else:
                self.compare_arrays(where, there[name], here[name])

    def compare_printed(self, before, after):
        """The numbers of each line, but for times; words may differ."""
        numbers = [[NUMBER.findall(TIMING.sub("", line)) for line in lines] for lines in (before, after)]
        there, here = ([numbers for numbers in lines if numbers] for lines in numbers)
        self.numbers += sum(len(line) for line in there)
        different = [(a, b) for a, b in zip(there, here) if a != b]
        if different:
            a, b = different[0]
            self.differing += sum(max(len(a), len(b)) for a, b in different)
            self.lines.append(f"printed: {len(different)} lines differ, first {' '.join(a)}, now {' '.join(b)}")
        if len(there) != len(here):
            self.lines.append(f"printed: {len(there)} lines with numbers, now {len(here)}")

    def compare(self, before, after):
        if before.codes != after.codes:
            self.lines.append(f"exit codes {before.codes}, now {after.codes}")
        self.compare_printed(before.printed, after.printed)
        there, here = ({path.name for path in made.folder.glob("*.h5")} for made in (before, after))
        for name in sorted(there ^ here):
            self.lines.append(f"{name}: only {'before' if name in there else 'now'}")
        for name in sorted(there & here):
            self.compare_files(before.folder / name, after.folder / name)


def compared(run, programs, folder):
    """The report of one run by both programs."""
    _, ranks, commands = run
    report = Report()
    report.compare(*(Made(program, commands, ranks, folder / str(i)) for i, program in enumerate(programs)))
    shutil.rmtree(folder)
    return report


def compare(programs, only, ranks, jobs):
    """Prints every number that differs, and returns the exit code."""
    runs = [run for run in runs_to_compare(ranks) if only in run[0]]
    total = Report()
    differing_runs = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        folders = [Path(folder) / str(i) for i in range(len(runs))]
        for run, report in zip(runs, pool.map(lambda i: compared(runs[i], programs, folders[i]), range(len(runs)))):
            for line in report.lines:
                print(f"{run[0]}, {run[1]} rank{'s' if run[1] > 1 else ''}: {line}", flush=True)
            differing_runs += bool(report.lines)
            total.files += report.files
            total.numbers += report.numbers
            total.differing += report.differing
    print(f"{len(runs)} runs, {total.files} files, {total.numbers} numbers compared: {total.differing} numbers differ,"
          f" {differing_runs} runs differ")  # fmt: skip
    return 1 if differing_runs else 0


def seconds(program, commands, folder):
    begin = time.perf_counter()
    for words in commands:
        done = subprocess.run([program, *words, "--quiet", "--output", "times.h5"], cwd=folder, capture_output=True)
        if done.returncode not in (0, 3):
            return float("nan")
    return time.perf_counter() - begin


def compare_times(programs, only, repeats):
    """Prints the medians of both programs, which take turns, and of the ratios of the pairs."""
    print(f"{'seconds, medians of ' + str(repeats):<28}{'before':>10}{'now':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, given in TIMES.items():
            if only not in name:
                continue
            commands = commands_of(given)
            pairs = []
            for i in range(repeats):
                order = (0, 1) if i % 2 == 0 else (1, 0)
                took = {which: seconds(programs[which], commands, folder) for which in order}
                pairs.append((took[0], took[1]))
            before, now = (statistics.median(pair[which] for pair in pairs) for which in (0, 1))
            ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
            print(f"{name:<28}{before:>10.3f}{now:>10.3f}{ratio:>8.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage="tests/compare_revisions.sh REVISION|PROGRAM [--only WORDS] [--times] ..."
    )
    parser.add_argument("before", help="the program of the other revision")
    parser.add_argument("now", help="the program of this one")
    parser.add_argument("--only", default="", metavar="WORDS", help="only runs whose name contains these words")
    parser.add_argument("--ranks", default="1,3", help="numbers of ranks of the configurations (1,3)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (as many as cores)")
    parser.add_argument("--times", action="store_true", help="compare times, not numbers")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of which the median is taken (5)")
    options = parser.parse_args()
    if not re.fullmatch(r"\d+(,\d+)*", options.ranks) or options.jobs < 1 or options.repeats < 1:
        parser.error("--ranks is a list of numbers as 1,3; --jobs and --repeats are at least 1")
    programs = [os.path.abspath(program) for program in (options.before, options.now)]
    for program in programs:
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is not a program")
    if not any(options.only in name for name in (TIMES if options.times else [r[0] for r in runs_to_compare([1])])):
        parser.error(f"nothing has '{options.only}' in its name")
    os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"  # ranks outnumber cores
    if options.times:
        compare_times(programs, options.only, options.repeats)
        return 0
    return compare(programs, options.only, [int(count) for count in options.ranks.split(",")], options.jobs)


if __name__ == "__main__":
    sys.exit(main())
