"""What follows from the file of a study: the statement of the papers that it tests and with which constant, and its
reference in words."""

import math

import numpy as np
import pytest
from synthetic import NAN, fit, ladder, write_study

from masing.convergence import claim
from masing.report.summary import PROVED
from masing.results import Study

LEAPFROG, MIDPOINT, CONTINUUM = {"scheme": "leapfrog"}, {"rule": "midpoint"}, {"cells": "inf"}


@pytest.fixture
def study_of(tmp_path):
    def make(facts, columns=None, **settings):
        return Study(write_study(tmp_path / "s.h5", columns or ladder(), facts, **settings))
    return make


@pytest.mark.parametrize("refine, reference, settings, expected, has_bound", [
    ("cells", "cells-inf", {}, "3.1", True), ("cells", "cells-inf", LEAPFROG, "3.1", True),
    ("cells", "exact", {"engine": "exact"}, "3.1", True), ("cells", "successive", {}, "3.1", False),
    ("steps", "exact-time", {}, "25", True), ("steps", "finest", {}, "25", False),
    ("steps", "exact-time", MIDPOINT, "25", True), ("steps", "exact", CONTINUUM, "25", True),
    ("steps", "exact-time", CONTINUUM, "25", False), ("both", "exact", {}, "4.1", True),
    ("both", "exact-time", {}, "4.1", False), ("steps", "exact-time", LEAPFROG, "leapfrog", False),
    ("cells", "cells-inf", MIDPOINT, "midpoint", False), ("both", "exact", MIDPOINT, "midpoint", False),
    ("both", "exact", LEAPFROG | MIDPOINT, "leapfrog midpoint", False), ("steps", "exact-time", {"damping": "0.1"}, "damping", False),
    ("steps", "exact-time", {"threshold_down": "0.2"}, "thresholds", False), ("steps", "exact", {}, "mixed", False),
    ("steps", "finest", {"model": "masing-quasistatic"}, "model", False)])
def test_the_statement_is_of_the_papers_method_beyond_it_or_none(study_of, refine, reference, settings, expected, has_bound):
    left_over = "space" if expected == "mixed" else ""
    columns = ladder() | ({"cells": np.zeros(4), "ds": np.zeros(4)} if "cells" in settings else {})
    study = study_of(fit(refine=refine, reference=reference, left_over=left_over), columns, **settings)
    proved = expected in (*PROVED, "mixed", "model")
    assert claim.statement(study) == (expected if proved else "beyond")
    assert proved or claim.beyond(study) == expected.split()
    assert math.isfinite(claim.bound(study)) == has_bound


def test_outside_the_hypotheses_no_statement_is_tested(study_of):
    assert claim.statement(study_of(fit(unmet_hypotheses="F jumps near t = 1"))) == "outside"


def test_the_bound_is_the_largest_ratio_of_x_y_and_u_to_the_step(study_of):
    columns = ladder(2) | {"step": np.array([0.2, 0.1]), "error_x": np.array([0.1, 0.1]), "error_y": np.array([0.3, NAN]),
                           "error_u": np.array([0.2, 0.2]), "error_u_cells": np.array([9.0, 9.0])}
    assert claim.bound(study_of(fit(reference="exact-time"), columns)) == 0.2 / 0.1
    columns["step"] = np.array([0.2, 0.0])
    assert claim.bound(study_of(fit(reference="exact-time"), columns)) == 0.3 / 0.2


def test_a_reference_is_said_with_its_counts(study_of):
    finest = study_of(fit(reference_cells=30, reference_steps=32000))
    assert claim.reference_text(finest) == "one run at least 16 times finer in what is refined (P = 30, N = 32\u202f000)"
    for model, said in (("masing", "(P = ∞, N = ∞)"), ("prandtl", "(N = ∞)")):
        assert claim.reference_text(study_of(fit(reference="exact"), model=model)) == f"the exact solution {said}"
