"""The first screen of a page: what it claims, where and when it was computed, the table of studies, what was not tested."""

import math
from collections import Counter

import numpy as np

from masing.convergence.claim import AS_EXPECTED, EXACT, QUANTITY_NAMES, findings, unconverged
from masing.convergence.levels import sizes, twin
from masing.notation import EN_DASH, FIXED_SPACE, count, grouped, listed, measured, order
from masing.report.provenance import is_dirty, machine, machines

# The verdicts in the order in which a claim counts them.
VERDICTS = (AS_EXPECTED, EXACT, "not as expected", "undecided", "undefined", "not judged")
# What a study tests, in short, by the name of the statement in the file.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "scheme’s order", "beyond": "no proposition"}
# A longer title ends at its first colon in the table of studies.
LONGEST_TITLE = 70
PROVED = ("3.1", "4.1", "25")
# The references in short, by their names in the file.
REFERENCES = {"exact": "exact", "exact-time": "exact, same P", "cells-inf": "P = ∞, same N", "finest": "finest level",
              "successive": "next level"}

# What the points of a scan are, by their kind in the file.
KINDS = {"steady": "limit cycles", "runs": "runs", "closed curves": "closed curves"}


def summary(studies, runs, reproductions, scans=()):
    """The template's values: verdicts as (verdict, words), the claim in sentences, facts (name, text) on where and when,
    and what was not tested. reproductions: one for each study, each run, then each scan."""
    files = [*studies, *runs, *scans]
    counted, faults = Counter(study.verdict for study in studies), sum(bool(each.seal_fault) for each in reproductions)
    total = f"of {len(studies)} stud{'y' if len(studies) == 1 else 'ies'}"
    verdicts = [(verdict, f"{counted[verdict]} {total} {verdict}") for verdict in VERDICTS if counted[verdict]]
    return {"verdicts": verdicts, "reproduced": _reproduced(reproductions, files),
            "faults": f"{faults} of {len(files)} file{'s' * (len(files) > 1)} without a seal that holds" * bool(faults),
            "outside": sum(bool(study.fit.get("unmet_hypotheses")) for study in studies),
            "claim": claim_of_page(studies) + [claim_of_scan(scan) for scan in scans], "facts": _facts(files),
            "untested": _untested(studies, scans)}


def claim_of_page(studies):
    """The claim of a page in sentences: studies that are not as expected first, then the least and the largest order of
    the others, and what errors are measured against; [] where nothing was expected."""
    sentences, groups, failing = [], {}, []
    for n, study in enumerate(studies, start=1):
        expected = [found for found in findings(study) if found.expected]
        place = f" in study {n}" * (len(studies) > 1)
        if expected and study.verdict not in (AS_EXPECTED, EXACT):
            sentences.append(f"Study {n} is {study.verdict}: {study.claim}")
            continue
        failing += [f"{f.name}{FIXED_SPACE}does not converge{place}." for f in unconverged(study)]
        by = "proved" if study.fit["statement"] in PROVED else study.fit["statement"]
        for found in expected:
            groups.setdefault((by, found.expected), []).append((study, found))
    twins = {id(study): (n, same + 1) for n, study in enumerate(studies, start=1)
             if (same := twin(study, studies[:n - 1])) is not None}
    sentences += [_observed(by, pairs, twins) for (by, _), pairs in groups.items()] + failing
    return sentences + [f"Errors are measured against {_references(studies)}."] * bool(sentences)


def _observed(by, pairs, twins):
    """A sentence on the orders of (Study, OrderResult) that share what was expected, all of them as expected, and by what:
    "proved", or the name of another statement. twins: of studies that repeat another the numbers of both, by id."""
    studies, first = {id(study): study for study, _ in pairs}, pairs[0][1]
    orders = [found.observed for _, found in pairs if math.isfinite(found.observed)]
    seen = " to ".join(dict.fromkeys(order(each) for each in (min(orders), max(orders)))) if orders else "exact"
    names = listed(QUANTITY_NAMES[q] for q in QUANTITY_NAMES if q in {found.quantity for _, found in pairs})
    stated = [STATEMENTS[name] for name in PROVED if name in {study.fit["statement"] for study in studies.values()}]
    if stated[1:2] == ["Proposition 4.1"]:
        stated = ["Propositions 3.1", "4.1", *stated[2:]]
    by = {"proved": f" (at least one by {listed(stated)})", "model": ""}.get(by, ", which no proposition promises,")
    repeated = [twins[key] for key in studies if key in twins]
    own = len(studies) - len(repeated)
    where = f" in {own} studies" if own > 1 else ""
    where += f" ({listed(f'study {n} repeats study {other}' for n, other in repeated)})" * bool(repeated)
    has_intervals = orders and all(math.isfinite(found.uncertainty) for _, found in pairs if math.isfinite(found.observed))
    largest = max(study.number("tolerance") for study in studies.values())
    within = f", every {'interval' if has_intervals else 'order'} within {first.expectation(largest)}" if orders else ""
    return f"The order {first.degree}{by} is observed: {seen} for {names}{where}{within}."


def _references(studies):
    """What the errors of the studies are measured against, in words."""
    exact = [study for study in studies if study.reference.startswith("exact")]
    check = max((study.number("self_check") for study in exact), default=math.nan)
    agreed = (f", on which two integrators that share the law of force and the search for events agree to "
              f"{measured(check, 1)}" if check > 0 else "")
    parts = [f"the exact solution{agreed}{',' * bool(agreed) * (len(exact) < len(studies))}"] if exact else []
    return listed(dict.fromkeys([*parts, *(study.fit["reference_text"] for study in studies if study not in exact)]), "or")


def claim_of_scan(scan):
    """What the points of a Scan are, and how far from exact, in one sentence."""
    cells = {"inf": "P = ∞", None: ""}.get(scan.settings.get("cells"), f"P = {scan.settings.get('cells')}")
    at = f" at {cells}" * bool(cells)
    points = f"{np.sum(scan.done)} of {len(scan.done)} {KINDS[scan.kind]}"
    if scan.kind == "closed curves":
        return f"{points} follow{at} from the law of force alone, without steps."
    if scan.kind == "steady":
        closed = np.abs(scan.values("residual")[scan.done]).max(initial=0)
        return f"{points} of the exact solution{at}, by shooting, each closed to {measured(closed, 1)} of its range."
    if scan.engine == "exact":
        return f"{points} are exact in time{at}."
    return f"{points} are by N = {scan.settings['steps']} steps{at}; their errors are not measured."


def shares_time(study):
    """Whether Proposition 3.1, which is exact in time, is tested by solutions in the same steps."""
    return study.fit["statement"] == "3.1" and study.engine != "exact"


def _untested(studies, scans=()):
    """What the studies of a page, and its scans, leave open, as parts of a sentence."""
    between = ["values between the points of a scan", "its numbers by another method"] * bool(scans)
    if not studies:
        return between + ["other machines"] * bool(scans)
    known = "the data of section 6 of Bastien, Lamarque and Schatzman (2001)" if studies[0].is_papers_problem else "this one"
    parts = [f"problems other than {known if len({study.problem for study in studies}) == 1 else 'these'}"]
    fields = {study.settings.get("field-samples") for study in studies if study.has_cells} - {None, ""}
    if fields:
        parts.append(f"u between the {listed(sorted(fields))} times at which it is compared")
    in_steps = [f"{n}" for n, study in enumerate(studies, start=1) if shares_time(study)]
    if in_steps:
        these = f"stud{'y' if len(in_steps) == 1 else 'ies'} {listed(in_steps)}"
        parts.append(f"Proposition 3.1 exact in time ({these}: N steps)")
    ratios = [f"{fit.least_ratio:.3g} to {fit.largest_ratio:.3g}" + f" (study {n})" * (len(studies) > 1)
              for n, study in enumerate(studies, start=1) if (fit := study.joint("x")) and fit.least_ratio > 0]
    return parts + [f"δs/δt outside {listed(ratios)}"] * bool(ratios) + between + ["other machines"]


def study_rows(sections, studies):
    """The rows of the table of studies: the values of its section, its title in short, P and N, the reference, the
    engine where it sweeps no cells, and the orders of x, y and u, that at the cells' points where only it was expected."""
    rows = []
    for section, study in zip(sections, studies):
        found = {f.quantity: f for f in findings(study) if f.quantity in study.quantities or f.expected}
        cells = [_order_cell(found, names) for names in (("x",), ("y",), ("u", "u_cells"))]
        title = section["title"] if len(section["title"]) <= LONGEST_TITLE else section["title"].partition(": ")[0]
        engine = study.engine if study.engine != "sweep" else ""
        rows.append((section, title, [_range(name, values) for name, (values, _) in sizes(study).items() if name in "PN"],
                     REFERENCES.get(study.reference, study.reference), engine, cells))
    return rows


def _order_cell(found, names):
    """(exact order, text, what is behind it) of the first name with an expected order, or else the first measured."""
    f = next((found[name] for name in names if name in found and found[name].expected), found.get(names[0]))
    if f is None:
        return repr(math.nan), EN_DASH, ""
    width = f" ± {f.uncertainty:.3f}".replace(" ", FIXED_SPACE) if math.isfinite(f.uncertainty) else ""
    behind = "at the cells’ points" * (f.quantity == "u_cells") if f.expected else "not judged"
    return repr(f.observed), f.value + (width or " (last pair)" * f.last_pair), behind


def _range(name, values):
    """`P = 100`, or `P 100…800` of what varies."""
    known = [value for value in dict.fromkeys(values) if math.isfinite(value)]
    words = [(grouped if 0 < value < 1e5 else count)(value) for value in known]
    return f"{name} {words[0]}…{words[-1]}" if len(words) > 1 else f"{name} = {''.join(words) or EN_DASH}"


def _reproduced(reproductions, files):
    """(whether all were, sentence) on the files that were run again for the page; None where none was."""
    tried = [again for again in reproductions if again.same is not None]
    if not tried:
        return None
    same = sum(again.same for again in tried)
    where = list(dict.fromkeys(machine(again.provenance) for again in tried))
    alike = set(where) == {machine(run.provenance) for run in files}
    on = "the same machine" if alike else listed(each or "an unknown machine" for each in where)
    return (same == len(tried), f"{same} of {len(tried)} file{'' if len(tried) == 1 else 's'} reproduced bit for bit, "
            f"on {on}")


def _facts(files):
    known = [run.provenance for run in files if run.provenance]
    programs = dict.fromkeys(f"masing {each.get('version', '?')}, revision {each.get('git_revision', 'unknown')}"
                             + " with uncommitted changes" * is_dirty(each) for each in known)
    dates = sorted(str(each["date"])[:10] for each in known if "date" in each)
    facts = [("computed on", "; ".join(machines(known))), ("by", "; ".join(programs)),
             ("date", dates[0] if dates and dates[0] == dates[-1] else " to ".join((dates[:1] + dates[-1:])))]
    return [(name, text) for name, text in facts if text]
