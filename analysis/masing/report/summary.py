"""Build the verdicts and the table of studies on the first screen of a page."""

import math
from collections import Counter

from masing.convergence.claim import QUANTITY_NAMES, findings
from masing.convergence.levels import sizes
from masing.text import EN_DASH, count, grouped

# {what statement() returns: short name on the page}.
STATEMENTS = {"3.1": "Proposition 3.1", "4.1": "Proposition 4.1", "25": "(25)", "outside": "outside the hypotheses",
              "mixed": "no proposition", "model": "scheme’s order", "beyond": "no proposition"}
# The quantities of each column of orders in the table of studies; _order_cell() says which of them is shown.
COLUMNS = (("x",), ("y",), ("u", "u_cells"), ("x_rms",), ("y_rms",))


def badges(studies, reproductions):
    """Return pairs (words, verdict that gives their colour) on the studies and on the Reproductions of all files."""
    total = f"of {len(studies)} stud{'y' if len(studies) == 1 else 'ies'}"
    found = [(f"{number} {total} {verdict}", verdict)
             for verdict, number in Counter(study.verdict for study in studies).items()]
    if outside := sum(bool(study.fit.get("unmet_hypotheses")) for study in studies):
        found.append((f"{outside} outside the hypotheses of the propositions", "outside"))
    files = f"of {len(reproductions)} file{'s' * (len(reproductions) > 1)}"
    if faults := sum(bool(each.seal_fault) for each in reproductions):
        found.append((f"{faults} {files} without a seal that holds", "not as expected"))
    same = [each.same for each in reproductions]
    if None not in same:
        found.append((f"{sum(same)} {files} reproduced bit for bit", "as expected" if all(same) else "not as expected"))
    return found


def study_rows(sections):
    """Return the headings of the columns of orders in the table of studies, and the rows of this table.

    Only quantities that a study measures have a column. A row contains the values of the study's section, texts with n,
    P and N, the engine ("" for the engine sweep), and the entries of the orders.
    """
    studies = [section["run"] for section in sections]
    columns = [names for names in COLUMNS if any(not set(names).isdisjoint(study.quantities) for study in studies)]
    rows = []
    for section, study in zip(sections, studies):
        found = {f.quantity: f for f in findings(study) if f.quantity in study.quantities or f.expected}
        counts = [_range(name, values) for name, (values, _) in sizes(study).items() if name in ("n", "P", "N")]
        engine = study.engine if study.engine != "sweep" else ""
        rows.append((section, counts, engine, [_order_cell(found, names) for names in columns]))
    return [QUANTITY_NAMES[names[0]] for names in columns], rows


def _order_cell(found, names):
    """Return the table entry of an order, (order with all digits, text, remark), from {quantity: OrderResult}.

    The entry is about the first of the quantities `names` for which an order was expected, or else about the first.
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
