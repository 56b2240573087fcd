"""Provide the exact solution with which a study or a trajectory is compared. If no file of the page contains the exact
solution, the program computes it."""

import shlex

import numpy as np

from masing import commands
from masing import program as masing
from masing.cycles.curves import differences_from
from masing.errors import MasingError
from masing.text import OUTPUT_KEYS

# A computed exact solution has SAMPLES steps, with a sample at each, and FIELDS fields u at PLACES places s. These
# steps only determine the times of the samples and fields, not the accuracy.
SAMPLES = 20000
FIELDS = 10000
PLACES = 200
# If the program needs more than this number of seconds to compute an exact solution, the page is written without this
# solution.
TIME_LIMIT = 120
# These keys of a run's configuration concern the method or the output. They are omitted when the exact solution of the
# run's problem is computed. All other keys are used, so that nothing that defines the problem is lost. The last three
# keys are those of older files.
NO_DATA = OUTPUT_KEYS - {"breaks"} | {"scheme", "engine", "looks", "probe", "until"}


class ExactSolutions:
    """The exact solutions of the problems on a page.

    They are taken from the `runs` of the page, or computed by the program at the path `program`. If this is None, none
    is computed. `reasons` {problem or path of a run: text} says why an exact solution could not be computed.
    """

    def __init__(self, runs, program):
        self._program = program
        self._solutions = {run.problem: run for run in reversed(runs) if is_exact(run)}
        self.reasons = {}

    def get(self, run):
        """Return the exact solution of the run's problem in the continuum, P = ∞.

        The result is None if the run is not of the model masing or has no configuration, or if the solution could not
        be computed.
        """
        if run.model != "masing" or run.configuration is None:
            return None
        if run.problem not in self._solutions:
            self._solutions[run.problem] = self._attempt(run.problem, _compute, run)
        return self._solutions[run.problem]

    def _attempt(self, key, compute, *given):
        try:
            if self._program is None:
                raise MasingError("the program masing was not asked or not found; build it, or name it by --program")
            return compute(self._program, *given)
        except MasingError as error:
            self.reasons[key] = str(error)
            return None

    def description(self, model):
        """Return the output of `masing models MODEL`, or None if there is no program or the command fails.

        The program is also asked if it computes nothing for the page, because it reads no file for this.
        """
        program = self._program or masing.find(None)
        answer = program and masing.run(program, "models", model, seconds=TIME_LIMIT)
        return "\n".join(answer.lines) if answer and answer.code == 0 else None

    all = property(lambda self: [found for found in self._solutions.values() if found is not None],
                   doc="The exact solutions that were found or computed.")


def is_exact(run):
    """Return whether a run is the exact solution of the continuous Masing model for P = ∞, with finite samples from t =
    0 to the final time T."""
    if run.cells != 0 or run.model != "masing" or run.engine != "exact" or "series/y" not in run or len(run.t) < 2:
        return False
    whole = run.t[0] == 0 and f"{run.t[-1]:.12g}" == run.settings["final-time"]
    return whole and bool(np.all(np.diff(run.t) > 0) and np.all(np.isfinite([run.x, run.y, run.restoring])))


def distance(sample, exact):
    """Return the largest absolute difference in x between the samples (t, x, restoring) and the Run `exact`, and then
    the largest absolute difference in the restoring force."""
    return tuple(float(np.abs(apart).max()) for apart in differences_from(exact, sample))


def _compute(program, run):
    """Compute the exact solution of a run's problem in the continuum and return it as a Run; raises MasingError if the
    program cannot compute it within TIME_LIMIT."""
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
    """Return the Run that `masing simulate` computes for a configuration, given as text, and additional options. Raises
    MasingError if the program cannot compute it within TIME_LIMIT."""
    return commands.run("simulate", {"config": configuration, **options, "quiet": True}, masing=program,
                        seconds=TIME_LIMIT, name=name)[1]
