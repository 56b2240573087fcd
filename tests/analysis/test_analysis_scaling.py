"""The scaling script: the model it fits is the one a file was made from, and its crossovers follow by hand."""

import math

import h5py
import numpy as np
import pytest

import scaling
from masing import style
from masing.scaling import costs, model
from masing.scaling.model import scaling_figure
from synthetic import put
from test_analysis_mistakes import one_line

CELLS = np.array([100.0, 1000, 1500, 1e4, 1e5, 1e6, 1e7, 1e8])
COMPUTE, STREAMING, PASS = 8e9, 1e9, 4e-9  # updates/s in cache and streaming, seconds a pass beside them
FORCING, THREE_CELLS, LOOK_UP = 40e-9, 20e-9, 15e-9
ALPHA, BETA = 0.3e-6, 0.2e-6
CACHE = 32 << 20


def latency(file, ranks, seconds):
    """Write the seconds of an allreduce over these ranks, in place of others."""
    file.pop("latency", None)
    put(file, "latency/ranks", ranks)
    put(file, "latency/seconds", seconds)


@pytest.fixture
def benchmark_file(tmp_path):
    """A file of masing benchmark on four ranks of one host, with times made by the model itself."""
    path = tmp_path / "bench.h5"
    with h5py.File(path, "w") as file:
        file.attrs["program"], file.attrs["kind"] = "masing", "benchmark"
        put(file, "kernel/cells", CELLS)
        for scope, ranks, allreduce in (("one_rank", 1, 0), ("all_ranks", 4, ALPHA + 2 * BETA)):
            slab = np.minimum(CELLS, np.ceil(np.ceil(CELLS / 1024) / ranks) * 1024)
            cached = np.minimum(1, CACHE / 4 / 8 / slab)
            seconds = PASS + slab * (cached / COMPUTE + (1 - cached) / STREAMING) + allreduce / 2
            put(file, f"kernel/{scope}/both/seconds_per_step", seconds)
            put(file, f"kernel/{scope}/both/bytes_per_update", np.full(len(CELLS), 8.0))
        file.create_group("machine").attrs.update({"ranks": 4, "hosts": 1, "cores": 4, "cache_bytes": CACHE,
                                                   "update_bandwidth_all_ranks": 32e9})
        file.create_group("step").attrs.update({"forcing_seconds": FORCING, "three_cells_seconds": THREE_CELLS})
        latency(file, [2.0, 4.0], ALPHA + BETA * np.array([1.0, 2.0]))
        put(file, "memory/cells", [10.0, 1e4, 0.0])
        put(file, "memory/seconds_per_step", np.full(3, LOOK_UP))
    return path


def machine(path, **changes):
    return model.read_machine(path, changes.pop("hop", 2e-6), **changes)


def test_the_fit_finds_what_the_file_was_made_of(benchmark_file):
    found = machine(benchmark_file)
    assert found.compute == pytest.approx(COMPUTE, rel=1e-6)
    assert found.streaming == pytest.approx(STREAMING, rel=0.05)  # of 10⁸ cells a little is still in cache
    assert (found.alpha, found.beta) == (pytest.approx(ALPHA), pytest.approx(BETA))
    assert found.fixed == pytest.approx(FORCING + THREE_CELLS) and found.memory_engine == pytest.approx(FORCING + LOOK_UP)
    assert found.host == 4 and found.counts == (2, 4) and found.cache == CACHE / 4 / 8
    with h5py.File(benchmark_file, "a") as file:
        file["machine"].attrs["cores"] = 2  # ranks beyond the cores share no more cache
        latency(file, [4.0], [ALPHA + 2 * BETA])
    found = machine(benchmark_file)
    assert found.cache == CACHE / 2 / 8
    said = "\n".join(model.summary(found, (1e4,)))
    assert "measured over 4 ranks alone, which cannot tell the two apart" in said
    with h5py.File(benchmark_file, "a") as file:
        latency(file, [1.0], [1e-8])  # one rank measures no sum
    found = machine(benchmark_file, host=1)
    assert found.counts == () and found.latency(4) == pytest.approx(4e-6)


def test_a_sum_takes_no_longer_than_whole_steps_show(run_script, benchmark_file):
    # While the sums were measured both ranks shared a core.
    with h5py.File(benchmark_file, "a") as file:
        latency(file, [2.0, 4.0], [9e-6, 6e-6])
    found = machine(benchmark_file)
    assert float(found.latency(4)) == pytest.approx(ALPHA + 2 * BETA)
    assert float(found.latency(2)) == pytest.approx(ALPHA + 2 * BETA)  # of fewer ranks no longer than of all
    # What the file measured of 10⁴ cells on 4 ranks, 0.73 µs with PASS, is quicker than 1.3 µs on one.
    assert found.best_ranks(1e4) > 1
    out = run_script(scaling, benchmark_file)[1]
    assert "(measured; from whole steps, as the sum alone was disturbed: 6 us)" in out
    assert out.endswith(f"{benchmark_file.with_suffix('.png')}\n")
    with h5py.File(benchmark_file, "a") as file:  # a larger P tells nothing: its slabs differ
        file["kernel/cells"][...] = 2000 * CELLS
    assert float(machine(benchmark_file).latency(4)) > 5e-6


def test_a_step_is_the_sum_of_its_parts_and_more_ranks_stop_helping(benchmark_file):
    found = machine(benchmark_file)
    one = found.step(1e4, 1)
    assert one == pytest.approx(found.fixed + 1e4 / COMPUTE, rel=1e-6)
    # 10⁴ cells are ten blocks: eight ranks leave one rank two of them.
    assert found.step(1e4, 8) == pytest.approx(
        found.fixed + 2048 / COMPUTE + (ALPHA + 2 * BETA + 2e-6 * math.log2(2)) / 2, rel=1e-6)
    assert found.latency(1) == 0 and found.latency(2) == pytest.approx(ALPHA + BETA)
    # 1500 cells take 0.19 µs, less than the half allreduce that would share them.
    assert found.best_ranks(1500) == 1
    # Beyond the host a doubling costs 1 µs and saves n/(2 compute): dt/dR = -P/(c R²) + 1 µs/(R ln 2) = 0.
    best = found.best_ranks(10**8)
    assert best == pytest.approx(1e8 / COMPUTE * math.log(2) / 1e-6, rel=0.03)
    around = found.step(10**8, np.array([best // 2, best, 2 * best]))
    assert around[1] < around[0] and around[1] < around[2]
    assert found.worthwhile_ranks(10**8) <= best
    # In one rank's cache there is nothing to gain but time: half of it is lost a few ranks further on.
    few = found.worthwhile_ranks(10**6)
    efficiency = [found.step(10**6, 1) / (ranks * found.step(10**6, ranks)) for ranks in (few, few + 4)]
    assert few < found.best_ranks(10**6) and efficiency[0] >= 0.5 > efficiency[1]
    assert machine(benchmark_file, hop=0.0).best_ranks(10**8) > best


def test_the_memory_engine_wins_from_a_number_of_cells(benchmark_file):
    # A step of one cell costs more than a look-up here, and later f + P/compute = forcing + 200 ns.
    assert machine(benchmark_file).memory_engine_wins_from() == 1
    with h5py.File(benchmark_file, "a") as file:
        file["memory/seconds_per_step"][...] = 200e-9
    assert machine(benchmark_file).memory_engine_wins_from() == pytest.approx(180e-9 * COMPUTE, abs=2)


@pytest.mark.parametrize("seconds, expected", [
    ([1e-6], (0, 1e-6)), ([1e-6, 3e-6], (0, 1.4e-6)), ([3e-6, 1e-6], (2e-6, 0)), ([2e-6, 3e-6], (1e-6, 1e-6))])
def test_latency_is_never_negative(seconds, expected):
    assert model.fitted_latency(np.array([2.0, 4.0][:len(seconds)]), np.array(seconds)) == pytest.approx(expected)


def test_the_time_of_a_part_is_the_sum_of_its_messages_its_bytes_and_its_work(benchmark_file):
    found = machine(benchmark_file, host=16)
    system = costs.System(network=1e9, disk=2e9)
    latency = ALPHA + 4 * BETA + 2e-6 * math.log2(1024 / 16)  # L(1024): 13.1 µs

    def seconds(**part):
        return costs.Part("a part", **part).seconds(found, system, 1024)

    assert latency == pytest.approx(13.1e-6)
    assert seconds(messages=3) == pytest.approx(3 * latency)
    assert seconds(passed_on=4000) == pytest.approx(4000 * 10 / 1e9)
    assert seconds(of_each=24) == pytest.approx(24 * 1024 / 1e9)
    assert seconds(files=2) == pytest.approx(2 * latency + 2 * 16 * 1024 / 1e9)
    assert seconds(disk=1e9, work=0.25) == pytest.approx(0.75)
    assert costs.Part("a part", passed_on=7, of_each=8, files=1).bytes(1024) == 7 + 24 * 1024


def test_the_parts_of_a_run_on_a_hundred_thousand_ranks(benchmark_file):
    found = machine(benchmark_file)
    # 10⁹ cells are 976,563 blocks: ten on the first ranks.
    parts = {part.name: part for part in costs.parts(found, 1e9, 10**5)}
    system = costs.System(network=math.inf, disk=1e9)
    assert parts["session and set-up"].work == pytest.approx(10240 * 1e-7)
    assert parts["session and set-up"].memory == pytest.approx(10240 * 32 + 10**5 * 8)
    for name, sums in (("step, euler", 0.5), ("step, leapfrog", 1)):
        step = found.fixed + 10240 / COMPUTE + sums * float(found.latency(10**5))
        assert parts[name].seconds(found, system, 10**5) == pytest.approx(step, rel=1e-6)
    # Of 2²⁰ cells at most a transfer goes by each rank: here 10240, of 10¹² cells ten times 2²⁰.
    assert parts["row of u, all cells"].files == 3
    assert {part.name: part for part in costs.parts(found, 1e12, 10**5)}["row of u, all cells"].files == 30
    # u, 8 GB, and at a checkpoint again for its checksum.
    assert parts["row of u, all cells"].disk == 8e9 and parts["checkpoint"].disk == 16e9
    assert parts["seal of 8P bytes"].disk == 8e9 and parts["seal of 8P bytes"].messages == 8
    # A tree of 8 has 1 + 8 + 64 + 512 + 4096 + 32768 ranks on its first levels: up six and down again, 20 ms each.
    assert [costs.levels_of_tree(ranks) for ranks in (1, 2, 9, 10, 37449, 37450)] == [0, 1, 1, 2, 5, 6]
    assert parts["stop"].work == pytest.approx(0.24)
    assert parts["share of a scan's points"].work == pytest.approx(20)  # 5000 ranks a second
    assert max(part.memory for part in parts.values()) < 16 << 20


def test_the_figure_is_one_column_wide_and_holds_its_titles(benchmark_file):
    with style.applied():
        drawn = scaling_figure(machine(benchmark_file))
    drawn.draw_without_rendering()
    assert drawn.get_size_inches()[0] == style.PANEL[0]
    spans = [text.get_window_extent() for axes in drawn.axes for text in (axes.title, axes.yaxis.label)]
    assert all(0 <= span.x0 and span.x1 <= drawn.bbox.x1 and span.y1 <= drawn.bbox.y1 for span in spans)


def test_the_script_prints_crossovers_and_draws_or_prints_the_table(run_script, benchmark_file, tmp_path):
    code, out, err = run_script(scaling, benchmark_file, "-o", tmp_path / "a.svg")
    assert (code, err) == (0, "") and out.endswith(f"{tmp_path / 'a.svg'}\n")
    said = ("compute    8e+09", "0.3 us + 0.2 us log2(ranks)", "quickest with ranks", "engine memory beats sweep")
    assert [words for words in said if words not in out] == []
    (tmp_path / "a.svg").unlink()
    code, out, err = run_script(scaling, benchmark_file, "--table", "--cells", "1e9", "--disk", "8")
    assert (code, err) == (0, "") and list(tmp_path.iterdir()) == [benchmark_file]
    lines = out.splitlines()
    assert lines[0].split() == ["P", "=", "1e+09", "on", "ranks", "10,000", "100,000"]
    assert lines[1].split(maxsplit=6)[:6] == ["received,", "B", "memory,", "B", "time,", "s"]
    assert len(lines) == 5 + len(costs.parts(machine(benchmark_file), 1e9, 10))
    assert "0.3 us + 0.2 us log2(ranks) within a host (measured), + 2 us log2(hosts) (assumed)" in lines[-2]
    assert "1 GB/s of a rank to others, 8 GB/s of the file system" in lines[-1]
    field = next(line for line in lines if line.startswith("row of u")).split()
    assert [float(field[i]) for i in (7, 10)] == pytest.approx([1, 1], rel=0.05)  # 8 GB at 8 GB/s


@pytest.mark.parametrize("damage, words", [
    (lambda file: file.attrs.modify("kind", "simulate"), "masing benchmark"),
    (lambda file: file.pop("latency/seconds"), "/latency/seconds"),
    (lambda file: file["machine"].attrs.pop("ranks"), "'ranks'"),
    (lambda file: file["kernel/one_rank/both/seconds_per_step"].write_direct(np.full(8, np.nan)), "positive"),
    (lambda file: latency(file, [2.0, 4.0], [1e-6]), "the shape (1,)")])
def test_damaged_benchmarks_are_refused(run_script, benchmark_file, damage, words):
    with h5py.File(benchmark_file, "a") as file:
        damage(file)
    one_line(run_script(scaling, benchmark_file), words, benchmark_file)
