"""What accuracy costs: the errors of x of several studies against the exact solution, over their work and their time."""

from dataclasses import dataclass

import numpy as np

from notation import count, listed, measured
from paper import FINEST, METHOD, is_papers_problem
from picture import Picture
from problem import method, problem
from work_figure import work_figure


@dataclass(frozen=True)
class Line:
    """The levels of a study: error of x, work P·N (NaN where an engine or P = ∞ does not go through the cells), seconds
    (NaN where the file has none), each [levels]; `finest` is the index of the papers' finest case among them or None."""

    method: tuple
    label: str
    cells: np.ndarray
    steps: np.ndarray
    errors: np.ndarray
    work: np.ndarray
    seconds: np.ndarray
    finest: int | None

    @property
    def best(self):
        """The index of the most accurate level, or None without an error."""
        errors = np.where(self.errors > 0, self.errors, np.nan)
        return int(np.nanargmin(errors)) if np.isfinite(errors).any() else None


def lines(studies):
    """The Lines of the most studies that solve one problem with true errors, those against the exact solution."""
    groups = {}
    for study in studies:
        if study.fit.get("reference") == "exact":
            groups.setdefault(problem(study.run.settings), []).append(study)
    chosen = max(groups.values(), key=len, default=[])
    return [line for line in (_line(study, chosen) for study in chosen) if line.best is not None]


def work_precision(studies):
    """The Pictures and the caption of the work-precision diagram of a page; None when there is none."""
    found = lines(studies)
    pictures = []
    for name, label in (("work", "cell updates P·N"), ("seconds", "wall time (s)")):
        drawn = [(line, getattr(line, name)) for line in found]
        if any((np.isfinite(cost) & (cost > 0) & (line.errors > 0)).any() for line, cost in drawn):
            pictures.append(Picture(f"work-precision-{name}", work_figure(drawn, label), _alternative(drawn, label)))
    return {"pictures": pictures, "caption": caption(found)} if pictures else None


def caption(found):
    """In numbers what the diagram of these Lines shows: the papers' method, and what another one gives beside it."""
    start = ("Error of x against the exact solution; the error falls downwards and what it costs grows to the right. "
             "Filled points, joined for each study: the levels that no other of the study beats in both.")
    base = next((line for line in found if line.finest is not None), None)
    level = base.finest if base else None
    if base is None:
        base = next((line for line in found if line.method == METHOD), found[0])
        level = base.best
    ring = ", the papers’ finest case (ringed)" if level == base.finest else ""
    sentences = [f"{_size(base, level)} with {_words(base.method)}{ring}: {_price(base, level)}"]
    for wanted in dict.fromkeys(line.method for line in found if line.method != base.method):
        other = min((line for line in found if line.method == wanted), key=lambda line: line.errors[line.best])
        sentences.append(f"{_words(wanted)} at {_size(other, other.best)}: {_price(other, other.best)}, that is "
                         + comparison(base, level, other, other.best))
    return f"{start} {'; '.join(sentences)}."


def comparison(base, level, other, place):
    """The accuracy, the work and the time of a level of `other` beside those of a level of `base`, in words."""
    gain = base.errors[level] / other.errors[place]
    accuracy = f"{measured(gain)} times more accurate" if gain >= 1 else f"{measured(1 / gain)} times less accurate"
    shares = [(other.work[place] / base.work[level], "work"), (other.seconds[place] / base.seconds[level], "time")]
    costs = [f"{_share(share)} {name}" for share, name in shares if np.isfinite(share) and share > 0]
    return f"{accuracy} for {listed(costs)}" if costs else accuracy


def _share(share):
    if abs(share - 1) < 0.05:
        return "the same"
    return f"1/{measured(1 / share)} of the" if share < 1 else f"{measured(share)} times the"


def _line(study, chosen):
    settings = study.run.settings
    used = method(settings)
    engines = [other.run.settings.get("engine", "sweep") for other in chosen]
    name = ", ".join(used) + (f", {settings.get('engine', 'sweep')}" if len(set(engines)) > 1 else "")
    if [(method(other.run.settings), engine) for other, engine in zip(chosen, engines)].count(
            (used, settings.get("engine", "sweep"))) > 1:
        name += f" ({study.run.path.stem})"
    sweeps = settings.get("engine", "sweep") == "sweep"
    work = np.where((study.cells > 0) & sweeps, study.cells * study.steps, np.nan)
    seconds = study.seconds if study.seconds is not None else np.full(study.levels, np.nan)
    finest = np.flatnonzero((study.cells == FINEST[0]) & (study.steps == FINEST[1]) & (study.errors["x"] > 0))
    is_papers = used == METHOD and is_papers_problem(settings) and len(finest) > 0
    return Line(used, name, study.cells, study.steps, study.errors["x"], work, seconds,
                int(finest[0]) if is_papers else None)


def _size(line, level):
    return f"P = {count(line.cells[level])}, N = {count(line.steps[level])}"


def _words(used):
    return f"scheme {used[0]} and rule {used[1]}"


def _price(line, level):
    costs = [f"{measured(line.work[level])} cell updates"] if np.isfinite(line.work[level]) else []
    costs += [f"{line.seconds[level]:.2g} s"] if np.isfinite(line.seconds[level]) else []
    return measured(line.errors[level]) + (f" for {listed(costs)}" if costs else "")


def _alternative(drawn, label):
    parts = [f"{line.label}: {measured(line.errors[line.best])} at {measured(cost[line.best])}"
             for line, cost in drawn if np.isfinite(cost[line.best])]
    return f"Log-log figure of the error of x over {label}, the most accurate level of each study: {'; '.join(parts)}."
