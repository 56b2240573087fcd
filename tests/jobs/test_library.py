"""A program of another project's builds against the installed libmasing and runs, on one rank and on two."""

import os
import subprocess
from pathlib import Path

import pytest
from open_mpi import OPEN_MPI, YIELD

EXAMPLE = Path(__file__).resolve().parents[1] / "library"


@pytest.fixture(scope="module")
def example(prefix, tmp_path_factory):
    """The example, built against an installation."""
    build = tmp_path_factory.mktemp("example")
    subprocess.run(["cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
    return build / "example"


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_example(example, tmp_path, ranks, printed):
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    found = printed(*launcher, example, cwd=tmp_path, env={**os.environ, **OPEN_MPI, **YIELD})
    assert found["verdict"] == ["as expected"]
    for quantity in ("x", "y", "u"):
        assert float(found[f"order_{quantity}"][0]) == pytest.approx(1.0, abs=0.1)
    assert found["samples"] == ["8001"]
    assert found["last_x_differs"] == ["0"]
    assert found["refused"] == ["1"]
    assert found["not_thrown"] == ["100000"] and found.get("thrown", []) == ["1"] * (ranks - 1)
    # ∫ k ds and Σ k; B(0.8) = -x²/2 + 1.1 x - 0.005.
    slab, three = map(float, found["elastic"][0].split())
    assert (slab, three) == pytest.approx((1.0, 3.5), rel=1e-13)
    assert float(found["backbone"][0]) == pytest.approx(-0.32 + 0.88 - 0.005, rel=1e-12)
    assert found["restored_differs"] == ["0"]
