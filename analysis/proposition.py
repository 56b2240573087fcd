"""Which statement of continuous-masing-2001 a study tests, as its configuration says."""

import configuration

# The names that the page's words are kept under.
SPACE, BOTH, TIME, BEYOND, OTHER_MODEL, MIXED = "3.1", "4.1", "25", "beyond", "model", "mixed"


def proposition(study):
    """The statement that a study tests: one of the names above.

    Proposition 3.1: cells alone are refined, sampled by rule right. Proposition 4.1: scheme euler, rule right, both
    refined. (25): scheme euler, time alone refined. BEYOND: a scheme or a rule that the papers do not have. MIXED: the errors
    hold one that the levels do not refine, so that they level off.
    """
    settings = study.run.settings
    rule, scheme = settings.get("rule", "right"), settings.get("scheme", "euler")
    if settings.get("model", "masing") != "masing":
        return OTHER_MODEL
    if left_over(study):
        return MIXED
    if study.refine == "cells":
        return SPACE if rule == "right" else BEYOND
    if study.refine == "steps":
        return TIME if scheme == "euler" else BEYOND
    return BOTH if (rule, scheme) == ("right", "euler") else BEYOND


def left_over(study):
    """The error that the study's errors hold and its levels do not refine: "space", "time" or None."""
    reference = study.fit.get("reference")
    if study.refine == "steps" and reference in ("exact", "cells-inf") and not at_infinitely_many_cells(study):
        return "space"
    if study.refine == "cells" and reference in ("exact", "exact-time"):
        return "time"
    return None


def beyond_the_papers(study):
    """What of the study is not the papers': the set of "leapfrog" and "midpoint" as far as the study refines them."""
    settings = study.run.settings
    found = set()
    if study.refine != "cells" and settings.get("scheme") == "leapfrog":
        found.add("leapfrog")
    if study.refine != "steps" and settings.get("rule") == "midpoint":
        found.add("midpoint")
    return found


def at_infinitely_many_cells(study):
    """Whether cells are held at P = ∞ while the steps are refined."""
    return study.refine == "steps" and configuration.size(study.run.settings, "cells") == 0
