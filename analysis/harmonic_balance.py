#!/usr/bin/env python3
"""Compare harmonic balance on n Jenkins elements with the limit cycle of the continuous slab by masing scan --steady:
error of the amplitude over elements and harmonics, and times, on the papers' slab under a cos(ωt).
"""

from masing import command_line

command_line.require("h5py", "numpy", "matplotlib")

import tempfile
import time
from pathlib import Path

import numpy as np

from masing import harmonic_balance, program, style
from masing.results import Scan
from masing.errors import MasingError

style.apply()

REPEATS = 3


def parser():
    """The command line of this script."""
    options = command_line.Parser(description=__doc__)
    options.add_argument("-o", "--output", metavar="OUT", default="harmonic-balance.png", help="OUT.png, .svg or .pdf")
    options.add_argument("--sliders", type=_list_of(int), default=[10, 20, 50, 100, 200], metavar="n,n,…",
                         help="numbers of elements (default 10,20,50,100,200)")
    options.add_argument("--harmonics", type=_list_of(int), default=[1, 3, 5, 9, 15], metavar="H,H,…",
                         help="numbers of harmonics (default 1,3,5,9,15)")
    options.add_argument("--samples", type=int, default=1024, help="samples of a period (default 1024)")
    options.add_argument("--force", type=float, default=0.45, metavar="a", help="amplitude of the force (default 0.45)")
    options.add_argument("--k0", type=float, default=0.2, help="hardening spring (default 0.2)")
    options.add_argument("--frequency", type=float, default=0.8, metavar="w", help="of the table (default 0.8)")
    options.add_argument("--frequencies", type=_list_of(float), default=[round(0.3 + 0.15 * i, 2) for i in range(10)],
                         metavar="w,w,…", help="of the response, in the order of continuation (default 0.3,0.45,…,1.65)")
    options.add_program()
    return options


def _list_of(kind):
    """A list with commas of positive numbers."""
    def values(text):
        found = [kind(word) for word in text.split(",")]
        if not all(value > 0 for value in found):
            raise ValueError
        return found
    return values


def limit_cycles(masing, options, frequencies):
    """The amplitudes at P = ∞ and the shares of ∫k that do not yield, [n]; the seconds that the scan took, and those of
    the whole process. The best of a few runs."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scan.h5"
        for _ in range(REPEATS):
            start = time.perf_counter()
            answer = program.run(masing, "scan", "--steady", "--cells=inf", "--quiet", f"--k0={options.k0}", "--force",
                                 f"{options.force}*cos(w*t)", "--over", f"w={','.join(map(repr, frequencies))}",
                                 "--output", file)
            whole = time.perf_counter() - start
            answer.require(0)
            scan = Scan(file)
            seconds.append((scan.timing["wall_seconds"], whole))
        return scan.values("amplitude"), scan.values("frozen"), *np.min(seconds, axis=0)


def balance(options, count, harmonics, frequencies):
    """The amplitudes by harmonic balance, [n], each from the solution before, and the seconds; the best of a few."""
    some = harmonic_balance.elements(count, k0=options.k0)
    seconds = []
    for _ in range(REPEATS):
        start, before, amplitudes = time.perf_counter(), None, []
        for frequency in frequencies:
            found = harmonic_balance.solve(some, options.force, frequency, harmonics, options.samples, before)
            before = found.coefficients
            amplitudes.append(found.amplitude())
        seconds.append(time.perf_counter() - start)
    return np.array(amplitudes), min(seconds)


def draw(options, errors, seconds, exact_seconds):
    """Error over the elements for each number of harmonics, and over the time."""
    figure = style.figure(2, 1.15)
    over, cost = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    sliders = np.array(options.sliders)
    for n, harmonics in enumerate(options.harmonics):
        look = {"color": style.COLOURS[n % len(style.COLOURS)], "marker": style.MARKERS[n % len(style.MARKERS)],
                "linestyle": style.LINES[n % len(style.LINES)], "label": f"H = {harmonics}"}
        over.loglog(sliders, errors[:, n], **look)
        cost.loglog(1000 * seconds[:, n], errors[:, n], **look)
    over.loglog(sliders, errors.max() * 0.4 * (sliders / sliders[0]) ** -2.0, color=style.GREY, linewidth=1,
                label="∝ n⁻²")
    cost.axvline(1000 * exact_seconds, color=style.GREY, linewidth=1)
    cost.annotate("masing scan --steady, P = ∞", (1000 * exact_seconds, errors.max()), (4, 0), rotation=90, va="top",
                  textcoords="offset points", color=style.GREY, fontsize=9)
    over.set(xlabel="elements n", ylabel="error of the amplitude")
    cost.set(xlabel="time of a solution, ms", ylabel="error of the amplitude")
    over.legend(fontsize=8, loc="lower left")
    style.label_decades(over.xaxis, over.yaxis, cost.xaxis, cost.yaxis)
    return figure


def main(arguments):
    """Solve by both methods, print the table, draw the figure, print its path."""
    options = parser().parse_args(arguments)
    path = command_line.output_path(options.output, options.output, ".png", command_line.PICTURES)
    if options.samples < 4 * max(options.harmonics):
        raise MasingError(f"--samples {options.samples}: must be at least four a harmonic, "
                          f"{4 * max(options.harmonics)}")
    masing = program.required(options.program)
    exact, frozen, seconds, whole = limit_cycles(masing, options, [options.frequency])
    print(f"P = ∞: amplitude {exact[0]:.12g}, {1000 * seconds:.1f} ms ({1000 * whole:.0f} ms with its start), "
          f"{100 * frozen[0]:.1f} % of ∫k does not yield")
    found = [[balance(options, count, harmonics, [options.frequency]) for harmonics in options.harmonics]
             for count in options.sliders]
    errors = np.array([[abs(amplitude[0] - exact[0]) for amplitude, _ in row] for row in found])
    times = np.array([[each for _, each in row] for row in found])
    print("\nerror of the amplitude, ms", "n".rjust(8) + "".join(f"H = {each}".rjust(18) for each in options.harmonics),
          sep="\n")
    for count, error, cost in zip(options.sliders, errors, times):
        print(f"{count:8}" + "".join(f"{e:10.1e}{1000 * s:8.0f}" for e, s in zip(error, cost)))
    most, last = max(options.sliders), max(options.harmonics)
    exact, frozen, response, whole = limit_cycles(masing, options, options.frequencies)
    amplitude, spent = balance(options, most, last, options.frequencies)
    print(f"\n{len(exact)} frequencies: P = ∞ {1000 * response:.0f} ms ({1000 * whole:.0f} ms with its start), "
          f"n = {most}, H = {last} {1000 * spent:.0f} ms\n       w   amplitude   frozen     error")
    for row in zip(options.frequencies, exact, frozen, abs(amplitude - exact)):
        print("{:8.4g}{:12.8f}{:8.1%}{:11.1e}".format(*row))
    style.save(draw(options, errors, times, seconds), path)
    print(path)


if __name__ == "__main__":
    command_line.run(main)
