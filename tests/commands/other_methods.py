"""The limit cycle of the papers' slab by methods that are not the program's, error over work: finite sliders with an
adaptive ODE solver, harmonic balance, and the program's schemes. As a script,

    /usr/bin/python3 tests/commands/other_methods.py build/masing results/other-methods

it writes results/other-methods.csv and .svg and prints the table of analysis/README in some two minutes, best on a
machine that does nothing else; --quick takes one repeat of what is fast. All have their elements, or cells, at
(i - 1/2)/n unless it says otherwise.
"""

import csv
import math
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from datetime import date
from functools import partial
from pathlib import Path

import h5py
import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "analysis"))

import harmonic_balance
from harmonic_balance import FORCE, FREQUENCY, K0, elements, extent

# The amplitude of the limit cycle at P = ∞ by masing scan --steady. That of events(), extrapolated from n = 100 and
# 200, is off by 6.5·10⁻¹¹, see main(): no error below KNOWN is claimed.
AMPLITUDE, KNOWN = 1.64357602457, 1e-10
# The motion has settled to 4·10⁻¹¹ after so many periods; the last one counts, in so many samples.
PERIODS, SAMPLES, REPEATS = 10, 2000, 7
# The steps of leapfrog for each element. The errors in time and of the elements have opposite signs and cancel at 40.
STEPS = 160
# Seconds that the program takes before its loop, and the n of the printed table; 0 is ∞.
START, TABLED = 0.05, (50, 100, 200, 0)
PERIOD = 2 * np.pi / FREQUENCY
END = PERIODS * PERIOD

# `work`: evaluations of an element's force; the right-hand side of events() has one element at a time.
Found = namedtuple("Found", "amplitude work seconds")
Row = namedtuple("Row", "method elements setting error evaluations seconds_median seconds_least seconds_most repeats")
EVENTS, LEAPFROG, EXACT = "DOP853 with events", "masing: leapfrog, midpoint", "masing: exact, a bound"


def ode(count, method, tolerance):
    """u_i' = x', or 0 where |u_i| = η_i and x' pushes outwards: scipy's solver on 2 + n unknowns."""
    parts, work = elements(count, k0=K0), 0

    def slope(t, state):
        nonlocal work
        work += count
        x, speed, u = state[0], state[1], state[2:]
        slides = (np.abs(u) >= parts.threshold) & (u * speed > 0)
        restoring = K0 * x + parts.stiffness @ np.clip(u, -parts.threshold, parts.threshold)
        return np.r_[speed, FORCE * np.cos(FREQUENCY * t) - restoring, np.where(slides, 0, speed)]

    last = np.linspace(END - PERIOD, END, SAMPLES + 1)[1:]
    x = solve_ivp(slope, (0, END), np.zeros(count + 2), method, last, rtol=tolerance, atol=0.01 * tolerance).y[0]
    return extent(x), work


def events(count, tolerance):
    """From one slip, or reversal of x, to the next by scipy's DOP853, which finds them: between them the springs that
    stick are one, so that the unknowns are x and x'."""
    parts, time_now, state, work = elements(count, k0=K0), 0.0, np.zeros(2), 0
    u, slides, direction, extremes = np.zeros(count), np.zeros(count, dtype=bool), 1, []
    while time_now < END:
        stiffness = K0 + parts.stiffness[~slides].sum()
        level = K0 * state[0] + parts.stiffness @ u - stiffness * state[0]

        def slope(t, state, stiffness=stiffness, level=level):
            return state[1], FORCE * np.cos(FREQUENCY * t) - stiffness * state[0] - level

        left = np.where(slides, np.inf, parts.threshold - direction * u)
        place = state[0] + direction * left.min()
        reversal, slip = (lambda t, state: state[1]), (lambda t, state, place=place: state[0] - place)
        reversal.terminal = slip.terminal = True
        reversal.direction, slip.direction = -direction, direction
        found = solve_ivp(slope, (time_now, END), state, "DOP853", rtol=tolerance, atol=0.01 * tolerance,
                          events=(reversal, slip), max_step=0.2)
        work += found.nfev
        before, time_now, state = state[0], found.t[-1], found.y[:, -1]
        u = np.where(slides, u, u + state[0] - before)
        if len(found.t_events[1]):
            first = int(np.argmin(left))
            slides[first], u[first] = True, direction * parts.threshold[first]
        elif len(found.t_events[0]):
            extremes.append(state[0])
            state[1], direction = 0.0, -direction
            slides[:] = False
    return abs(extremes[-1] - extremes[-2]) / 2, work


def balance(count, harmonics):
    """Harmonic balance: Newton's method from the response when nothing slips."""
    parts, calls, once = elements(count, k0=K0), 0, harmonic_balance.hysteresis

    def counted(*words):
        nonlocal calls
        calls += 1
        return once(*words)

    harmonic_balance.hysteresis = counted
    try:
        found = harmonic_balance.amplitude(harmonic_balance.solve(parts, FORCE, FREQUENCY, harmonics))
    finally:
        harmonic_balance.hysteresis = once
    return found, calls * 2 * 1024 * count


def program(masing, command, words, work):
    """A command of the program: the seconds of its loop, without those of its start."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.h5"
        subprocess.run([masing, command, "--quiet", f"--k0={K0}", f"--output={file}", *words], check=True,
                       capture_output=True)
        with h5py.File(file) as found:
            amplitude = (extent(found["series/x"][1:]) if command == "simulate" else found["points/amplitude"][0])
            return Found(amplitude, work, found["timing"].attrs["wall_seconds"])


def trajectory(masing, cells, steps, scheme, rule):
    """PERIODS of the program's scheme."""
    words = (f"--force={FORCE}*cos({FREQUENCY}*t)", f"--cells={cells}", f"--steps={steps}", f"--scheme={scheme}",
             f"--rule={rule}", f"--final-time={END!r}", f"--from={END - PERIOD!r}", f"--to={END!r}",
             f"--sample-every={max(1, steps // PERIODS // SAMPLES)}")
    return program(masing, "simulate", words, cells * steps)


def timed(call, *words):
    """Found of a method that is written in Python."""
    start = time.perf_counter()
    amplitude, work = call(*words)
    return Found(amplitude, work, time.perf_counter() - start)


def methods(masing, quick):
    """[(method, elements, setting, call)]; the quick ones take less than a second each."""
    sliders = [("RK45", 10, 1e-3), ("RK45", 10, 1e-4), ("RK45", 50, 1e-3), ("LSODA", 10, 1e-3)]
    slow = [("RK45", 50, 1e-5), ("RK45", 50, 1e-6), ("RK45", 200, 1e-5), ("RK45", 200, 1e-6), ("LSODA", 50, 1e-3)]
    found = [(name, n, f"rtol {tolerance:g}", partial(timed, ode, n, name, tolerance))
             for name, n, tolerance in sorted(sliders + ([] if quick else slow),
                                         key=lambda each: (each[0] == "LSODA", each[1], -each[2]))]
    found += [(EVENTS, n, "rtol 1e-08", partial(timed, events, n, 1e-8))
              for n in (10, 20, 50, 100, 200)[:2 if quick else 5]]
    found += [("harmonic balance", n, f"H = {most}", partial(timed, balance, n, most))
              for n, most in ((10, 5), (20, 5), (50, 9), (100, 15), (200, 15))]
    found += [("masing: euler, right", n, f"N = {50 * n}", partial(trajectory, masing, n, 50 * n, "euler", "right"))
              for n in (20, 200, 2000)]
    found += [(LEAPFROG, n, f"N = {STEPS * n}", partial(trajectory, masing, n, STEPS * n, "leapfrog", "midpoint"))
              for n in (12, 50, 100, 200, 1000)]
    words = ("--steady", "--cells=inf", f"--force={FORCE}*cos(w*t)", f"--over=w={FREQUENCY}")
    return [*found, (EXACT, 0, "scan --steady", partial(program, masing, "scan", words, math.nan))]


def main(masing, output, quick=False):
    """Measure, print the table, write the rows and the figure."""
    compared = methods(masing, quick)
    # One after the other in every repeat: what else the machine does falls on all alike.
    runs = [[call() for *_, call in compared] for _ in range(1 if quick else REPEATS)]
    rows = []
    for (method, count, setting, _), found in zip(compared, zip(*runs)):
        seconds = sorted(each.seconds for each in found)
        error = max(abs(found[0].amplitude - AMPLITUDE), KNOWN)
        rows.append(Row(method, count, setting, error, found[0].work, statistics.median(seconds), seconds[0],
                        seconds[-1], len(found)))
    print(table(rows))
    *_, (half, coarse), (double, fine) = ((each.elements, found.amplitude) for each, found in zip(rows, runs[0])
                                          if each.method == EVENTS)
    ratio = (double / half)**2
    print(f"P = ∞ by extrapolation of {EVENTS}: off by {abs((ratio * fine - coarse) / (ratio - 1) - AMPLITUDE):.1e}")
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{output}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    draw(rows, Path(f"{output}.svg"))


def table(rows):
    """The Markdown table of analysis/README: for each method and n of TABLED its last setting."""
    lines = ["| method | n | setting | error | evaluations | ms: median (least to most) |", "|---|---|---|---|---|---|"]
    for each in {(each.method, each.elements): each for each in rows if each.elements in TABLED}.values():
        work = "" if math.isnan(each.evaluations) else f"{each.evaluations:.1e}"
        middle, least, most = (f"{float(f'{1000 * seconds:.2g}'):g}" for seconds in each[5:8])
        lines.append(f"| {each.method} | {each.elements or '∞'} | {each.setting} | {each.error:.1e} | {work} "
                     f"| {middle} ({least} to {most}) |")
    return "\n".join(lines)


def draw(rows, path):
    """Error over seconds, median with bars from least to most, and over evaluations."""
    from masing import style

    looks = {"RK45": (1, "o", ""), "LSODA": (1, "D", ""), EVENTS: (2, "^", "-"), "harmonic balance": (3, "s", "-"),
             "masing: euler, right": (0, "v", "--"), LEAPFROG: (0, "o", "-"), EXACT: (0, "*", "")}
    with style.applied():
        figure = style.figure(2, 1.35)
        panels = figure.subplots(1, 2, sharey=True)
        for method, (colour, marker, line) in looks.items():
            own = [each for each in rows if each.method == method]
            given = {"color": style.COLOURS[colour], "marker": marker, "linestyle": line,
                     "markerfacecolor": "white" if line == "--" else style.COLOURS[colour],
                     "label": method, "markersize": 12 if marker == "*" else 6}
            error, middle = [each.error for each in own], np.array([each.seconds_median for each in own])
            bars = middle - [each.seconds_least for each in own], [each.seconds_most for each in own] - middle
            panels[0].errorbar(middle, error, xerr=bars, capsize=2, **given)
            panels[1].plot([each.evaluations for each in own], error, **given)
        panels[0].axvline(START, color=style.GREY, linestyle=":")
        panels[0].set(xscale="log", yscale="log", xlabel="seconds of a solution", ylabel="error of the amplitude")
        panels[1].set(xscale="log", xlabel="evaluations of an element")
        style.label_decades(panels[0].xaxis, panels[0].yaxis, panels[1].xaxis)
        figure.legend(*panels[1].get_legend_handles_labels(), loc="upper center", ncol=4,
                      columnspacing=1.2, handlelength=1.6)
        figure.get_layout_engine().set(rect=(0, 0, 1, 0.86))
        figure.supxlabel(f"{rows[0].repeats} repeats: median, least and most; masing without its start, {START} s "
                         f"(dotted). {processor()}, {date.today()}", fontsize=9)
        path.write_bytes(style.encoded(figure, "svg"))


def processor():
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--quick"]
    main(given[0], given[1] if len(given) > 1 else "results/other-methods", "--quick" in sys.argv)
