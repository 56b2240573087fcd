"""Simulations that an identification needs: of the case it found, and of η(s) as the program reads it."""

import tempfile
from pathlib import Path

import program
from cli import UserError
from hdf5 import column, opened

PLACES = 4000


def find_program(given=None):
    """The path of masing as program.find() finds it; raises UserError when there is none."""
    found = program.find(given)
    if found is None:
        raise UserError(f"no program at {program.ROOT / 'build/masing'} or on the PATH: build it, or give its path with "
                        "--program")
    return str(Path(found).resolve())


def simulate(masing, *words):
    """Run masing simulate; raises UserError with its own line when it refuses or fails."""
    answer = program.run(masing, "simulate", "--quiet", *words)
    if answer.code:
        said = [line for line in answer.lines if line.startswith("masing: ")] or answer.lines
        raise UserError(said[0].removeprefix("masing: ") if said else f"{masing} ended with exit code {answer.code}")


def threshold_values(masing, threshold):
    """The middles s_i of PLACES cells and η(s_i) as the program reads the expression or table `threshold`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "threshold.h5"
        simulate(masing, "--threshold", threshold, "--cells", str(PLACES), "--rule", "midpoint", "--steps", "1",
                 "--final-time", "1e-9", "--field-points", "0", "--output", str(file))
        with opened(file) as data:
            return column(data, "field/s"), column(data, "field/eta")
