"""The exact solution beside a study or a trajectory: that of a file, or else computed by the program for the page."""

import shlex

import numpy as np

from masing import commands
from masing import program as masing
from masing.cycles.curves import differences_from
from masing.errors import MasingError
from masing.names import OUTPUT_KEYS

# The steps of the exact solution only place its samples.
SAMPLES = 20000
FIELDS = 10000
PLACES = 200
# Seconds after which a page does without it.
TIME_LIMIT = 120
NO_PROGRAM = "the program masing was not asked or not found; build it, or name it by --program"
# What the exact solution has otherwise. All other keys of a run go to it: none may be forgotten.
NO_DATA = OUTPUT_KEYS - {"breaks"} | {"scheme", "engine"}


class ExactSolutions:
    """The exact solution of each problem of a page, of its files or computed; `reasons`: a line for each there is not."""

    def __init__(self, runs, program):
        self._program = program
        self._found = {run.problem: run for run in reversed(runs) if is_exact(run)}
        self.reasons = {}

    def get(self, run):
        """The exact solution of the run's problem, the continuum, or None."""
        if run.model != "masing" or run.configuration is None:
            return None
        if run.problem not in self._found:
            self._found[run.problem] = self._made(run.problem, _compute, run)
        return self._found[run.problem]

    def _made(self, key, make, *given):
        try:
            if self._program is None:
                raise MasingError(NO_PROGRAM)
            return make(self._program, *given)
        except MasingError as error:
            self.reasons[key] = str(error)
            return None

    def beside(self, run):
        """The exact solution of a run of a model of finitely many elements, with the run's samples, or None."""
        if self._program is None or run.configuration is None or run.model.startswith("masing"):
            return None
        steps, each = int(run.settings["steps"]), int(run.settings["sample-every"])
        # The steps of the exact solution only place its samples.
        places = {"steps": steps // each, "sample_every": 1, "field_every": 1 if run.state else 0}
        options = {"engine": "exact"} | (places if steps % each == 0 else {})
        found = self._made(run.path, _simulated, run.configuration, options)
        return found if found is not None and len(found.t) == len(run.t) else None

    def description(self, model):
        """The text of masing models MODEL, or None without a program."""
        if self._program is None:
            return None
        answer = masing.run(self._program, "models", model, seconds=TIME_LIMIT)
        return "\n".join(answer.lines) if answer.code == 0 else None

    all = property(lambda self: [found for found in self._found.values() if found is not None],
                   doc="The exact solutions that were found or computed.")


def is_exact(run):
    """Whether a run is the exact solution of the continuous Masing model at P = ∞, with samples over all of [0, T]."""
    if run.cells != 0 or run.model != "masing" or run.engine != "exact" or "series/y" not in run or len(run.t) < 2:
        return False
    whole = run.t[0] == 0 and f"{run.t[-1]:.12g}" == run.settings["final-time"]
    return whole and bool(np.all(np.diff(run.t) > 0) and np.all(np.isfinite([run.x, run.y, run.restoring])))


def distance(sample, exact):
    """The largest distances in x and in the restoring force of the samples (t, x, restoring) from the exact Run."""
    return tuple(float(np.abs(apart).max()) for apart in differences_from(exact, sample))


def _compute(program, run):
    """The exact solution of a run's problem as a Run; raises MasingError where there is none."""
    settings = {key: text for key, text in run.settings.items() if text and key not in NO_DATA}
    settings["cells"] = "inf"
    options = {"engine": "exact", "steps": SAMPLES, "sample_every": 1, "field_every": SAMPLES // FIELDS,
               "field_points": PLACES, "energy": True}
    text = "".join(f"{key} = {value}\n" for key, value in settings.items())
    found = _simulated(program, text, options, "exact-P-inf")
    data = [f"--{key.replace('let.', 'let=')}={value}" for key, value in settings.items()]
    found.made_by = f"masing simulate {shlex.join([*data, *commands.words(options, '')])}"
    return found


def _simulated(program, configuration, options, name=None):
    """The Run of a configuration as text with further options; raises MasingError where there is none."""
    return commands.run("simulate", {"config": configuration, **options, "quiet": True}, masing=program,
                        seconds=TIME_LIMIT, name=name)[1]
