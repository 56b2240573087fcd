"""masing benchmark measures what it promises and writes it down; no figure decides a test."""

import signal

import h5py
import numpy as np
import pytest
from test_stops import cpu_seconds

SMALL = ("--quick", "--largest", "20000")
VARIANTS = ("baseline", "general", "both", "leapfrog")
BYTES = {"baseline": 32, "general": 16, "both": 8, "leapfrog": 32}


def positive(*values):
    return np.size(values) > 0 and np.isfinite(values).all() and np.min(values) > 0


def printed_rates(table, scope, variant):
    """P, updates/s, least, most, bytes, fraction of the bandwidth, ratio to the loop, ns: one row each of the table."""
    lines = [line.translate(str.maketrans("[],", "   ")).split() for line in table.splitlines()]
    return np.array([line[2:] for line in lines if line[:2] == [scope, variant]], dtype=float).T


def check_kernel(file, table):
    cells = file["kernel/cells"][()]
    assert list(cells) == [100, 1000, 1500, 10000, 20000]
    for scope in ("one_rank", "all_ranks"):
        loop = file[f"kernel/{scope}/baseline/seconds_per_step"][()]
        for name in VARIANTS:
            group = file[f"kernel/{scope}/{name}"]
            seconds = group["seconds_per_step"][()]
            assert seconds.shape == (5,) and positive(seconds), (scope, name)
            between = np.stack([group["seconds_per_step_least"], seconds, group["seconds_per_step_most"]])
            assert np.all(np.diff(between, axis=0) >= 0)
            assert set(group["bytes_per_update"]) == {BYTES[name]}
            places, rates, least, most, moved, fraction, ratio, nanoseconds = printed_rates(table, scope, name)
            bandwidth = file["machine"].attrs[f"update_bandwidth_{scope}"]
            assert np.array_equal(places, cells) and set(moved) == {BYTES[name]}
            assert np.allclose(rates * seconds, cells, rtol=1e-3, atol=0)
            assert np.all(least <= rates) and np.all(rates <= most)
            assert np.allclose(fraction, BYTES[name] * cells / seconds / bandwidth, rtol=1e-3, atol=1e-3)
            assert np.allclose(ratio, loop / seconds, rtol=1e-3, atol=0.01)
            assert np.allclose(nanoseconds, 1e9 * seconds, rtol=1e-3, atol=0.01)


def test_table_and_file(masing, ranks=3):
    run = masing.done("benchmark", *SMALL, "--output", "b.h5", ranks=ranks)
    for words in ("bandwidth", "GB/s", "allreduce", "updates/s", "of bandw.", "/baseline", "ns/step",
                  "engine memory, P = inf", "the obvious loop, 100 sliders, n = 1000", "engine sweep, P = 3", "engine exact, P = inf", "benchmark in b.h5",
                  *VARIANTS):
        assert words in run.stdout, words
    assert "nan" not in run.stdout and "inf s" not in run.stdout
    assert masing.names() == ["b.h5"]
    with h5py.File(masing.folder / "b.h5") as file:
        assert file.attrs["kind"] == "benchmark"
        assert file["provenance"].attrs["ranks"] == ranks
        machine = file["machine"].attrs
        assert machine["ranks"] == ranks and machine["cores"] >= 1 and machine["hosts"] == 1
        assert machine["instruction_set"] in ("avx512", "avx2", "baseline") and machine["processor"]
        check_kernel(file, run.stdout)
        assert list(file["latency/ranks"]) == [2, 3] and list(file["memory/cells"]) == [10, 100, 1000, 10000, 0]
        assert positive(file["latency/seconds"]) and positive(file["memory/seconds_per_step"])
        assert list(file["chain/elements"]) == [1000, 10000]
        for name in ("one_rank", "all_ranks", "sliders_10", "sliders_100"):
            assert positive(file[f"chain/{name}"])
        # Sums over P sliders, at the midpoints of P parts, err by a multiple of 1/P^2, here by about 1/P^2.
        errors = [file["chain"].attrs[f"error_{sliders}"] * sliders**2 for sliders in (10, 100)]
        assert positive(*errors) and max(errors) < 2 and max(errors) < 1.5 * min(errors)
        step = [file["step"].attrs[name] for name in ("three_cells_seconds", "forcing_seconds")]
        assert positive(*step, file["exact"].attrs["seconds_per_step"])


@pytest.mark.parametrize(("words", "said", "ranks"), [
    (["--largest", "1e15"], ["--largest", "GiB", "give at most"], None), (["--largest", "none"], ["--largest"], 2),
    (["--mass", "1"], ["--mass", "masing benchmark --help"], None), (["--output", "none/b.h5"], ["folder"], None)])
def test_mistakes(masing, words, said, ranks):
    message = masing.refused("benchmark", "--quick", *words, ranks=ranks)
    assert all(part in message for part in said), message
    assert masing.names() == []


def test_a_signal_ends_it_at_once_and_leaves_nothing(masing):
    process = masing.start("benchmark")
    masing.wait_until(process, lambda: cpu_seconds(process.pid) >= 0.5)  # of minutes
    process.send_signal(signal.SIGUSR1)
    done = masing.ended(process)
    assert done.returncode == -signal.SIGUSR1, done.stderr
    assert masing.names() == []
