"""The program masing, found and run, so that an identified model is solved as any other."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from cli import UserError
from hdf5 import column, opened

REPOSITORY = Path(__file__).resolve().parents[1]
# Open MPI refuses root unless told; a single process asks for nothing else.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
PLACES = 4000


def find_program(given=None):
    """The path of masing: as given, $MASING_PROGRAM, built here, or on the PATH; raises UserError when there is none."""
    stated = given or os.environ.get("MASING_PROGRAM")
    built = [stated] if stated else [REPOSITORY / "build/masing", REPOSITORY / "build/dev/masing"]
    found = next((str(path) for path in built if os.access(path, os.X_OK) and Path(path).is_file()), None)
    found = found or (shutil.which("masing") if not stated else None)
    if found is None:
        raise UserError(f"no program at {' or '.join(map(str, built))}: build it, or give its path with --program")
    return str(Path(found).resolve())


def simulate(program, *words):
    """Run masing simulate; raises UserError with its own line when it refuses or fails."""
    done = subprocess.run([program, "simulate", "--quiet", *words], env=ENVIRONMENT | os.environ, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("masing: ")] or done.stderr.splitlines()
        raise UserError(lines[0].removeprefix("masing: ") if lines else f"{program} ended with {done.returncode}")


def threshold_values(program, threshold):
    """The middles s_i of PLACES cells and η(s_i) as the program reads the expression or table `threshold`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "threshold.h5"
        simulate(program, "--threshold", threshold, "--cells", str(PLACES), "--rule", "midpoint", "--steps", "1",
                 "--final-time", "1e-9", "--field-points", "0", "--output", str(file))
        with opened(file) as data:
            return column(data, "field/s"), column(data, "field/eta")
