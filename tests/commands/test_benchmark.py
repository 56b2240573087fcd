"""masing benchmark measures what it promises and writes it down; no figure decides a test."""

import signal
import time

import h5py
import numpy as np
import pytest

SMALL = ("--quick", "--largest", "20000", "--seconds", "0.003", "--repeat", "1")
VARIANTS = ("baseline", "general", "affine", "constant", "both", "leapfrog")
BYTES = {"baseline": 32, "general": 16, "affine": 12, "constant": 12, "both": 8, "leapfrog": 32}


def positive(values):
    values = np.asarray(values, dtype=float)
    return values.size > 0 and bool(np.all(np.isfinite(values)) and np.all(values > 0))


def check_kernel(file):
    assert list(file["kernel/cells"]) == [100, 1000, 1500, 10000, 20000]
    for scope in ("one_rank", "all_ranks"):
        for name in VARIANTS:
            group = file[f"kernel/{scope}/{name}"]
            for column in ("seconds_per_step", "seconds_per_step_least", "seconds_per_step_most",
                           "updates_per_second", "bandwidth_fraction", "baseline_ratio"):
                assert group[column].shape == (5,) and positive(group[column]), (scope, name, column)
            assert set(group["bytes_per_update"]) == {BYTES[name]}
            assert np.allclose(group["updates_per_second"][()] * group["seconds_per_step"][()],
                               file["kernel/cells"][()])
            assert ("speed_up" in group) == (scope == "all_ranks")
            if scope == "all_ranks":
                alone = file[f"kernel/one_rank/{name}/seconds_per_step"][()]
                assert np.allclose(group["speed_up"], alone / group["seconds_per_step"][()])
        assert set(file[f"kernel/{scope}/baseline/baseline_ratio"]) == {1}
    for name in ("general", "both"):
        overhead = file[f"kernel/one_rank/sum_overhead_{name}"]
        assert overhead.shape == (5,) and positive(overhead)
        # B c/(t - B c) of B blocks: c, the sum of one, is the same at all P.
        blocks = np.ceil(file["kernel/cells"][()] / 1024)
        sums = file[f"kernel/one_rank/{name}/seconds_per_step"][()] / (1 + 1 / overhead[()]) / blocks
        assert np.allclose(sums, sums[0], atol=0)


def check_machine(file, ranks):
    machine = file["machine"].attrs
    assert machine["ranks"] == ranks and machine["cores"] >= 1 and machine["hosts"] == 1
    assert machine["instruction_set"] in ("avx512", "avx2", "baseline")
    assert machine["processor"]
    for who in ("one_rank", "all_ranks"):
        for what in ("copy", "triad", "update"):
            assert positive(machine[f"{what}_bandwidth_{who}"])
    assert list(file["latency/ranks"]) == [ranks]
    assert positive(file["latency/seconds"]) and positive(machine["allreduce_seconds"])


def check_engines(file):
    assert list(file["memory/cells"]) == [10, 100, 1000, 10000, 0]
    assert positive(file["memory/seconds_per_step"])
    start = file["from_start"].attrs
    assert (start["cells"], start["steps"]) == (20000, 20000)
    for name in ("zero", "any"):
        assert positive([start[f"{name}_setup_seconds"], start[f"{name}_seconds_per_step"]])
    assert positive([file["step"].attrs[name] for name in ("three_cells_seconds", "forcing_seconds")])
    assert positive([file["exact"].attrs[name] for name in ("seconds_per_step", "steps_per_second")])
    case = file["case"].attrs
    assert (case["cells"], case["steps"]) == (1200, 3000)
    parts = [case[f"predicted_{part}_seconds"] for part in ("cells", "allreduce", "forcing", "overhead")]
    assert np.isclose(sum(parts), case["predicted_seconds"])
    assert positive([case["predicted_seconds"], case["measured_seconds"]])


@pytest.mark.parametrize("ranks", [1, 2])
def test_table_and_file(masing, ranks):
    run = masing.done("benchmark", *SMALL, "--cells", "1200", "--steps", "3000", "--output", "b.h5", ranks=ranks)
    for words in ("copy", "triad", "allreduce", "updates/s", "of bandw.", "/baseline", "ns/step",
                  "engine memory, P = inf", "with any u0, P = 20000", "engine sweep, P = 3", "engine exact", "reproducible sums",
                  "P = 1200, N = 3000", "predicted", "measured", "benchmark in b.h5", *VARIANTS):
        assert words in run.stdout, words
    assert "nan" not in run.stdout and "inf s" not in run.stdout
    assert masing.names() == ["b.h5"]
    with h5py.File(masing.folder / "b.h5") as file:
        assert file.attrs["kind"] == "benchmark"
        assert file["provenance"].attrs["ranks"] == ranks
        check_machine(file, ranks)
        check_kernel(file)
        check_engines(file)
        named = []
        file.visititems(lambda name, thing: named.append(name) if isinstance(thing, h5py.Dataset) else None)
        for name in named:
            assert file[name].attrs["description"] and file[name].attrs["symbol"], name


def test_allreduces_over_fewer_ranks_are_measured_too(masing):
    masing.done("benchmark", "--quick", "--largest", "100", "--seconds", "0.002", "--repeat", "2", "--steps", "100",
                ranks=4)
    with h5py.File(masing.folder / "benchmark.h5") as file:
        assert list(file["latency/ranks"]) == [2, 4]
        assert list(file["kernel/cells"]) == [100]


def test_a_benchmark_is_not_reproduced(masing):
    masing.done("benchmark", "--quick", "--largest", "5", "--seconds", "0.002", "--repeat", "1", "--steps", "10")
    assert "benchmark" in masing.refused("reproduce", "benchmark.h5")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--largest", "0"], ["--largest", "0", "from 1"]),
        (["--largest", "2.5"], ["--largest", "2.5", "whole number"]),
        (["--largest", "1e15"], ["--largest", "GiB", "give at most"]),
        (["--cells", "1e15"], ["--cells", "GiB", "give at most"]),
        (["--cells", "inf"], ["--cells", "inf", "whole number"]),
        (["--steps", "-1"], ["--steps", "-1", "from 1"]),
        (["--repeat", "0"], ["--repeat", "from 1"]),
        (["--seconds", "0"], ["--seconds", "> 0"]),
        (["--seconds", "soon"], ["--seconds", "soon"]),
        (["--mass", "1"], ["--mass", "masing benchmark --help"]),
        (["--steps"], ["--steps", "masing benchmark --help"]),
        (["1500"], ["masing benchmark --help"]),
        (["--output", "none/b.h5"], ["none/b.h5", "folder"]),
    ],
)
def test_mistakes(masing, words, said):
    message = masing.refused("benchmark", "--quick", *words)
    for part in said:
        assert part in message
    assert masing.names() == []


def test_help(masing):
    text = masing.done("benchmark", "--help").stdout
    for option in ("output", "largest", "seconds", "repeat", "quick", "cells", "steps"):
        assert f"--{option}" in text
    assert "masing benchmark" in masing.done("--help").stdout


def test_a_mistake_on_two_ranks_is_one_line(masing):
    masing.refused("benchmark", "--largest", "none", ranks=2)


def test_a_signal_ends_it_at_once_and_leaves_nothing(masing):
    process = masing.start("benchmark", "--seconds=5")
    time.sleep(1.0)
    begin = time.monotonic()
    process.send_signal(signal.SIGUSR1)
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - begin < 3
    assert process.returncode == -signal.SIGUSR1, said
    assert masing.names() == []
