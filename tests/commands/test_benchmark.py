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


def printed_rates(table, variant):
    """P, updates/s, least, most, bytes, fraction of the bandwidth, ratio to the loop, ns: one row each of the table."""
    lines = [line.translate(str.maketrans("[],", "   ")).split() for line in table.splitlines()]
    return np.array([line[1:] for line in lines if line[:1] == [variant] and len(line) == 9], dtype=float).T


def check_kernel(file, table):
    cells = file["kernel/cells"][()]
    assert list(cells) == [100, 1000, 1500, 10000, 20000]
    loop = file["kernel/baseline"][()]
    for name in VARIANTS:
        seconds = file[f"kernel/{name}"][()]
        assert seconds.shape == (5,) and positive(seconds), name
        places, rates, least, most, moved, fraction, ratio, nanoseconds = printed_rates(table, name)
        bandwidth = file["machine/bandwidth"][0]
        assert np.array_equal(places, cells) and set(moved) == {BYTES[name]}
        assert np.allclose(rates * seconds, cells, rtol=1e-3, atol=0)
        assert np.all(least <= rates) and np.all(rates <= most)
        assert np.allclose(fraction, BYTES[name] * cells / seconds / bandwidth, rtol=1e-3, atol=1e-3)
        assert np.allclose(ratio, loop / seconds, rtol=1e-3, atol=0.01)
        assert np.allclose(nanoseconds, 1e9 * seconds, rtol=1e-3, atol=0.01)


def test_table_and_file(masing, ranks=3):
    run = masing.done("benchmark", *SMALL, "--output", "b.h5", ranks=ranks)
    for words in ("bandwidth", "GB/s", "allreduce", "updates/s", "of bandw.", "/baseline", "ns/step",
                  "engine memory, P = inf", "a chain, n = 20000", "engine exact, P = inf", "benchmark in b.h5", *VARIANTS):
        assert words in run.stdout, words
    assert "nan" not in run.stdout and "inf s" not in run.stdout
    assert masing.names() == ["b.h5"]
    with h5py.File(masing.folder / "b.h5") as file:
        assert file.attrs["kind"] == "benchmark"
        assert file["provenance"].attrs["ranks"] == ranks
        assert list(file["machine/ranks"]) == [ranks]
        assert positive(file["machine/bandwidth"], file["machine/allreduce_seconds"])
        check_kernel(file, run.stdout)
        assert list(file["memory/cells"]) == [10, 100, 1000, 10000, 0] and positive(file["memory/seconds_per_step"])
        assert list(file["exact/cells"]) == [0] and positive(file["exact/seconds_per_step"])
        assert list(file["chain/sliders"]) == [0, 10, 100] and positive(file["chain/seconds_per_step"])


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
