"""A program of another project's builds against the installed libmasing and runs, on one rank and on two."""

import os
from pathlib import Path

import pytest
from open_mpi import OPEN_MPI, YIELD
from processes import built

EXAMPLE = Path(__file__).resolve().parents[1] / "library"


@pytest.fixture(scope="module")
def example(prefix, tmp_path_factory):
    """The example, built against an installation."""
    return built(EXAMPLE, tmp_path_factory.mktemp("example"), f"-DCMAKE_PREFIX_PATH={prefix}") / "example"


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_example(example, tmp_path, ranks, printed):
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    found = printed(*launcher, example, cwd=tmp_path, env={**os.environ, **OPEN_MPI, **YIELD})
    for quantity in ("x", "y", "u"):
        assert float(found[f"order_{quantity}"][0]) == pytest.approx(1.0, abs=0.1)
    for name, value in {"verdict": "as expected", "samples": "8001", "last_x_differs": "0", "refused": "1",
                        "not_thrown": "100000", "restored_differs": "0"}.items():
        assert found[name] == [value], name
    assert found.get("thrown", []) == ["1"] * (ranks - 1)
    # ∫ k ds and Σ k; B(0.8) = -x²/2 + 1.1 x - 0.005.
    slab, three = map(float, found["elastic"][0].split())
    assert (slab, three) == pytest.approx((1.0, 3.5), rel=1e-13)
    assert float(found["backbone"][0]) == pytest.approx(-0.32 + 0.88 - 0.005, rel=1e-12)
