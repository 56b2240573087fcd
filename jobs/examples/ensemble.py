#!/usr/bin/env python3
"""The papers' slab under 200 made records at ten intensities: quantiles of max |x| and a fragility curve.

    /usr/bin/python3 ensemble.py [FOLDER] [--records 200] [--seed 1] [--limit 0.6]

A record is white noise through the filter of Kanai and Tajimi, in an envelope that rises, stays and decays. Its peak
is 1, so that the constant a of the scan is the peak acceleration. FOLDER (default: ensemble) takes the records, their
table samples.csv, the scan, its figure, and the quantiles and the exceedances as tables. The scan is the command

    masing scan --samples FOLDER/samples.csv --over a=0.1:1:10 --base-acceleration "a*record(t)" \\
        --final-time record --steps record --cells inf --scheme leapfrog
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import signal

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "analysis"))

import masing
from masing import response, style

# In units in which the slab has the mass and the initial stiffness 1: the frequency and the damping ratio of the
# filter, and the time from one point of a record to the next.
FREQUENCY, DAMPING, STEP = 2.5, 0.6, 0.02


def record(random):
    """Return the times and the accelerations of a record of 2000 to 4000 steps with a peak of 1."""
    t = STEP * np.arange(random.integers(2001, 4002))
    # The filter has the transfer function (2 ζ ω s + ω²) / (s² + 2 ζ ω s + ω²).
    linear, constant = 2 * DAMPING * FREQUENCY, FREQUENCY**2
    coefficients = signal.bilinear([linear, constant], [1, linear, constant], fs=1 / STEP)
    rise, end = 0.15 * t[-1], 0.5 * t[-1]
    envelope = np.minimum(t / rise, 1)**2 * np.exp(-8 * np.maximum(t - end, 0) / t[-1])
    acceleration = envelope * signal.lfilter(*coefficients, random.standard_normal(len(t)))
    return t, acceleration / np.abs(acceleration).max()


def main():
    """Make the records, run the scan, and write and print its summaries."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", metavar="FOLDER", nargs="?", type=Path, default=Path("ensemble"))
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=0.6)
    options = parser.parse_args()
    folder, random = options.folder, np.random.default_rng(options.seed)
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"record-{n:03d}.csv" for n in range(options.records)]
    for name in names:
        np.savetxt(folder / name, np.column_stack(record(random)), delimiter=",", header="t,a", fmt="%.17g")
    pd.DataFrame({"record": names}).to_csv(folder / "samples.csv", index=False)

    scan = masing.scan(samples=folder / "samples.csv", over={"a": "0.1:1:10"}, base_acceleration="a*record(t)",
                       final_time="record", steps="record", cells="inf", scheme="leapfrog",
                       output=folder / "ensemble.h5")
    quantiles, exceedance = scan.summary("peak_x", by="a"), scan.exceedance(options.limit, by="a")
    quantiles.to_csv(folder / "quantiles.csv", index=False)
    exceedance.to_csv(folder / "exceedance.csv", index=False)
    curve = scan.fragility(options.limit, by="a")
    print(quantiles.pivot(index="a", columns="quantile", values="value").to_string(float_format="%.3f"))
    print(curve)
    with style.applied():
        style.save(response.ensemble_figure(scan, curve), folder / "ensemble.png")
    print(folder / "ensemble.png")


if __name__ == "__main__":
    try:
        main()
    except (masing.MasingError, OSError) as mistake:
        sys.exit(f"ensemble.py: {mistake}")
