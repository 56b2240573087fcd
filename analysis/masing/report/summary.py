"""Build the first screen of a page. It contains the claims of the page, facts on where and when its files were
computed, the table of studies, and a list of what was not tested."""

import math
from collections import Counter

import numpy as np

from masing.convergence.claim import AS_EXPECTED, EXACT, QUANTITY_NAMES, findings, reference_text, unconverged
from masing.convergence.levels import sizes
from masing.text import EN_DASH, FIXED_SPACE, count, grouped, listed, measured
from masing.report.provenance import is_dirty, machines

# The verdicts of studies, in the order in which the page lists how many studies have each of them.
VERDICTS = (AS_EXPECTED, EXACT, "not as expected", "undecided", "undefined", "not judged")
# {what statement() returns: short name on the page}.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "scheme’s order", "beyond": "no proposition"}
# In the table of studies, a title of more characters than this is cut off at its first colon.
LONGEST_TITLE = 70
# The quantities of each column of orders in the table of studies; _order_cell() says which of them is shown.
COLUMNS = (("x",), ("y",), ("u", "u_cells"), ("x_rms",), ("y_rms",))
# The statements that the papers prove.
PROVED = ("3.1", "4.1", "25")
# {name of a reference in the file of a study: short name on the page}.
REFERENCES = {"exact": "exact", "exact-time": "exact, same P", "cells-inf": "P = ∞, same N", "finest": "finest level",
              "successive": "next level"}


def summary(studies, runs, reproductions, scans=()):
    """Return the template's values for the first screen of the page.

    The values are, among others, the verdicts as pairs (verdict, words), the claim as sentences, facts (name, text) on
    where, when and by which program the files were computed, and what was not tested. reproductions: one Reproduction
    for each study, then for each run, then for each scan.
    """
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
    """Return sentences on the studies whose orders are not as expected, on quantities that do not converge, and on the
    references against which the errors are measured."""
    failing = [f"Study {n} is {study.verdict}: {study.claim}" for n, study in enumerate(studies, start=1)
               if study.verdict not in (AS_EXPECTED, EXACT) and any(found.expected for found in findings(study))]
    growing = [f"{found.name}{FIXED_SPACE}does not converge in study {n}." for n, study in enumerate(studies, start=1)
               if study.verdict in (AS_EXPECTED, EXACT) for found in unconverged(study)]
    references = listed(dict.fromkeys(map(reference_text, studies)), "or")
    return failing + growing + [f"Errors are measured against {references}."] * bool(studies)


def claim_of_scan(scan):
    """Return a sentence that says what was computed at the points of a Scan, and what is known about the errors."""
    cells = {"inf": "P = ∞", None: ""}.get(scan.settings.get("cells"), f"P = {scan.settings.get('cells')}")
    at = f" at {cells}" * bool(cells)
    points = f"{np.sum(scan.done)} of {len(scan.done)} {scan.kind_in_words}"
    if scan.kind == "steady":
        closed = np.abs(scan["residual"][scan.done]).max(initial=0)
        return f"{points} of the exact solution{at}, by shooting, each closed to {measured(closed, 1)} of its range."
    if scan.engine == "exact":
        return f"{points} are exact in time{at}."
    steps = scan.settings["steps"]
    count_of = f"the N that belongs to the {steps} of each" if steps.isidentifier() else f"N = {steps}"
    return f"{points} are computed in steps of time{at}, with {count_of}; their errors are not measured."


def _untested(studies, scans=()):
    """Return a list of texts, each of which names something that the studies and the scans of a page do not test."""
    between = ["values between the points of a scan", "its numbers by another method"] * bool(scans)
    if not studies:
        return between + ["other machines"] * bool(scans)
    known = "this one"
    if studies[0].is_papers_problem:
        known = "the data of section 6 of Bastien, Lamarque and Schatzman (2001)"
    parts = [f"problems other than {known if len({study.problem for study in studies}) == 1 else 'these'}"]
    fields = {study.settings.get("field-samples") for study in studies if study.has_cells} - {None, ""}
    parts += [f"u between the {listed(sorted(fields))} times at which it is compared"] * bool(fields)
    return parts + between + ["other machines"]


def study_rows(sections, studies):
    """Return the headings of the columns of orders in the table of studies, and the rows of this table.

    Only quantities that a study measures have a column. A row contains the values of the study's section, the short
    title, texts with n, P and N, the reference, the engine ("" for the engine sweep), and the entries of the orders.
    """
    columns = [names for names in COLUMNS if any(not set(names).isdisjoint(study.quantities) for study in studies)]
    rows = []
    for section, study in zip(sections, studies):
        found = {f.quantity: f for f in findings(study) if f.quantity in study.quantities or f.expected}
        cells = [_order_cell(found, names) for names in columns]
        title = section["title"] if len(section["title"]) <= LONGEST_TITLE else section["title"].partition(": ")[0]
        engine = study.engine if study.engine != "sweep" else ""
        counts = [_range(name, values) for name, (values, _) in sizes(study).items() if name in ("n", "P", "N")]
        rows.append((section, title, counts, REFERENCES.get(study.reference, study.reference), engine, cells))
    return [QUANTITY_NAMES[names[0]] for names in columns], rows


def _order_cell(found, names):
    """Return the table entry of an order, (order with all digits, text, remark).

    The entry is about the first of the quantities `names` for which an order was expected. If there is none, it is
    about the first of `names`. `found` is {quantity: OrderResult}.
    """
    f = next((found[name] for name in names if name in found and found[name].expected), found.get(names[0]))
    if f is None:
        return repr(math.nan), EN_DASH, ""
    behind = "at the cells’ points" * (f.quantity == "u_cells") if f.expected else "not judged"
    return repr(f.observed), f.observation, behind


def _range(name, values):
    """Return the values of P or N as text, such as `P = 100` for equal values and `P 100…800` for different ones."""
    known = [value for value in dict.fromkeys(values) if math.isfinite(value)]
    words = [(grouped if 0 < value < 1e5 else count)(value) for value in known]
    return f"{name} {words[0]}…{words[-1]}" if len(words) > 1 else f"{name} = {''.join(words) or EN_DASH}"


def _reproduced(reproductions, files):
    """Return whether all files that were computed again are the same, and a text that says how many, and on which
    machines.

    The result is None if no file was computed again.
    """
    tried = [again for again in reproductions if again.same is not None]
    if not tried:
        return None
    same = sum(again.same for again in tried)
    where, here = (dict.fromkeys("; ".join(machines([each.provenance])) for each in those) for those in (tried, files))
    on = "the same machine" if where.keys() == here.keys() else listed(each or "an unknown machine" for each in where)
    return same == len(tried), f"{same} of {len(tried)} file{'s' * (len(tried) > 1)} reproduced bit for bit, on {on}"


def _facts(files):
    known = [run.provenance for run in files if run.provenance]
    programs = dict.fromkeys(f"masing {each.get('version', '?')}, revision {each.get('git_revision', 'unknown')}"
                             + " with uncommitted changes" * is_dirty(each) for each in known)
    dates = sorted(str(each["date"])[:10] for each in known if "date" in each)
    facts = [("computed on", "; ".join(machines(known))), ("by", "; ".join(programs)),
             ("date", dates[0] if dates and dates[0] == dates[-1] else " to ".join((dates[:1] + dates[-1:])))]
    return [(name, text) for name, text in facts if text]
