"""A program of another project's builds against the installed libmasing and runs, on one rank and on two."""

import os
import subprocess
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[1] / "library"


@pytest.fixture(scope="module")
def example(prefix, tmp_path_factory):
    """The example, built against an installation."""
    build = tmp_path_factory.mktemp("example")
    subprocess.run(["cmake", "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
    return build / "example"


def printed(text):
    """The values of "name value" lines; a name that comes twice has both."""
    values = {}
    for line in text.splitlines():
        name, value = line.split(" ", 1)
        values.setdefault(name, []).append(value)
    return values


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_example(example, tmp_path, ranks):
    environment = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run([*launcher, example], cwd=tmp_path, env=environment, capture_output=True, text=True,
                          timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = printed(done.stdout)
    assert found["verdict"] == ["as expected"]
    for quantity in ("x", "y", "u"):
        assert float(found[f"order_{quantity}"][0]) == pytest.approx(1.0, abs=0.1)
    assert found["samples"] == ["8001"]
    assert found["last_x_differs"] == ["0"]
    assert found["refused"] == ["1"]
    assert found["not_thrown"] == ["100000"] and found.get("thrown", []) == ["1"] * (ranks - 1)
    # ∫ k ds and Σ k; B(0.8) = -x²/2 + 1.1 x - 0.005; 4 ∫ k η (X - η)⁺ ds and 4 Σ k η (X - η)⁺.
    slab, three = map(float, found["elastic"][0].split())
    assert (slab, three) == pytest.approx((1.0, 3.5), rel=1e-13)
    assert float(found["backbone"][0]) == pytest.approx(-0.32 + 0.88 - 0.005, rel=1e-12)
    eta = [0.1, 0.8]
    closed = 4 * ((0.4 * eta[1]**2 - eta[1]**3 / 3) - (0.4 * eta[0]**2 - eta[0]**3 / 3))
    # The trapezoidal rule: an error below h² max|S''| X for the bends, h² Σk for the corners, h = 8e-5.
    assert float(found["loss_slab"][0]) == pytest.approx(closed, rel=1e-7)
    assert float(found["loss_three"][0]) == pytest.approx(4 * (2 * 0.1 * 0.7 + 0.4 * 0.4), rel=1e-7)
    assert found["refused_positions"] == ["6", "6"]
    assert found["frame_differs"] == ["0", "0"]
    assert all(0.01 < float(drift) < 10 for drift in found["most_drift"])
