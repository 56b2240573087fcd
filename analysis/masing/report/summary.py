"""The first screen of a page: its claim in words, the studies at a glance, the machine and the date."""

from collections import Counter

from masing.notation import listed
from masing.report.provenance import machine

# The verdicts in the order in which a claim counts them.
VERDICTS = ("as expected", "exact", "not as expected", "undecided", "undefined", "not judged")


def summary(sections, studies, runs, reproductions, scans=()):
    """The template's values: sentences of the claim, and facts (name, text) on where and when.

    sections: the template's values of the studies; reproductions: one for each study, each run, then each scan.
    """
    files = [*studies, *runs, *scans]
    counted = Counter(study.verdict for study in studies)
    total = f"of {len(studies)} stud{'y' if len(studies) == 1 else 'ies'}"
    verdicts = [(verdict, f"{counted[verdict]} {total} {verdict}") for verdict in VERDICTS if counted[verdict]]
    return {"verdicts": verdicts, "reproduced": _reproduced(reproductions, files),
            "outside": sum(bool(study.fit.get("unmet_hypotheses")) for study in studies),
            "facts": _facts(files, reproductions), "sections": sections, "trajectories": len(runs)}


def _reproduced(reproductions, files):
    """(whether all were, sentence) on the files that were run again for the page; None where none was."""
    tried = [again for again in reproductions if again.same is not None]
    if not tried:
        return None
    same = sum(again.same for again in tried)
    where = list(dict.fromkeys(machine(again.provenance) for again in tried))
    alike = set(where) == {machine(run.provenance) for run in files}
    on = "the same machine" if alike else listed(each or "an unknown machine" for each in where)
    return (same == len(tried), f"{same} of {len(tried)} file{'' if len(tried) == 1 else 's'} reproduced bit for bit when "
            f"this page was made, on {on}")


def _facts(files, reproductions):
    known = [run.provenance for run in files if run.provenance]
    machines = list(dict.fromkeys(machine(each) for each in known))
    programs = list(dict.fromkeys(_program(each) for each in known))
    dates = sorted(str(each["date"])[:10] for each in known if "date" in each)
    facts = [("computed on", "; ".join(each for each in machines if each)), ("by", "; ".join(programs)),
             ("date", dates[0] if dates and dates[0] == dates[-1] else " to ".join((dates[:1] + dates[-1:])))]
    return [(name, text) for name, text in facts if text]


def _program(provenance):
    dirty = str(provenance.get("git_dirty", "no")) not in ("no", "0")
    return (f"masing {provenance.get('version', '?')}, revision {provenance.get('git_revision', 'unknown')}"
            + (" with uncommitted changes" if dirty else ""))
