"""How many messages ranks send each other: counted in the program itself by a library that stands between it and MPI
(support/count_messages.c); what src/parallel/README.md says of ten thousand ranks. No count may depend on them."""

import re
import shutil

import pytest
from count_messages import CHAIN, FILES, LONG, SENT, SLAB, STUDY, Counting

pytestmark = pytest.mark.skipif(shutil.which("mpicc") is None, reason="no mpicc")
CHUNK = "Ibcast"  # of the force, one for up to 4096 steps and about 0.1 s


@pytest.fixture
def count(tmp_path, program_path):
    """The Calls of every rank of a run."""
    return Counting(tmp_path, program_path)


def more(count, ranks, fewer, words):
    """What the root calls more often in the second run, by name."""
    less, found = (count(ranks, *each)[0] for each in (fewer, words))
    return found - less, less.calls[CHUNK] + found.calls[CHUNK]


@pytest.mark.long
def test_two_steps_of_euler_are_one_sum_and_rows_are_no_message_of_the_file(count):
    fewer = (*SLAB, "--steps=2000", "--sample-every=1")
    found, chunks = more(count, 3, fewer, (*SLAB, "--steps=10000", "--sample-every=1"))
    assert found.of(*FILES) == 0
    # A chunk of an odd number of steps ends with a sum for one step.
    assert abs(found.calls["Allreduce"] - 4000) <= chunks and found.of(*SENT) == 0
    # Rows go out once more for 8192, five columns, which the root writes alone.
    assert found.of("File_write_at_all", "File_set_view", "File_sync") == 0
    assert found.calls["File_write_at"] == 5


def test_a_step_of_leapfrog_is_one_sum(count):
    run = (*SLAB, "--scheme=leapfrog")
    found, _ = more(count, 3, (*run, "--steps=100"), (*run, "--steps=300"))
    assert (found.calls["Allreduce"], found.of(*SENT)) == (200, 0)


def test_a_step_of_a_chain_is_an_exchange_with_each_neighbour(count):
    found, _ = more(count, 3, (*CHAIN, "--steps=16", "--sample-every=16"), (*CHAIN, "--steps=32", "--sample-every=32"))
    assert (found.calls["Sendrecv"], found.calls["Allreduce"]) == (32, 0)


@pytest.mark.long
def test_one_rank_sends_nothing(count):
    (alone,) = count(1, *SLAB, "--steps=1000")
    assert alone.of(*SENT, CHUNK) == 0 and alone.calls["Allreduce"] < 50  # HDF5's own


@pytest.mark.first(1)
@pytest.mark.parametrize("words", [
    # Chunks end where the field is wanted, here at every step, and not by the clock.
    (*SLAB, "--steps=16", "--field-every=1", "--checkpoint=state.h5", "--checkpoint-every=8"),
    (*STUDY, "--cells=100", "--refine=steps", "--levels=100,200,400", "--checkpoint=state.h5",
     "--checkpoint-every=100"),
], ids=["simulate", "converge"])
def test_no_count_grows_with_the_ranks(count, words):
    few, many = (count(ranks, *words)[0] for ranks in (3, 6))
    names = (set(few.calls) | set(many.calls)) - {"VmHWM", "RssAnon"}
    assert {name: many.calls[name] for name in names if many.calls[name] > few.calls[name]} == {}


@pytest.mark.long
def test_the_root_alone_looks_for_files(masing, strace):
    """Others open those that all write, by MPI-IO, for which Open MPI makes files of its own, *.locktest.1 and *.sm."""
    masing.file("case.ini", "steps = 16\nforce = table:force.csv\ncheckpoint = state.h5\n")
    masing.file("force.csv", "t,F\n0,0\n1,0.4\n")
    words = f"{' '.join(strace)} -fe trace=file -o of.$OMPI_COMM_WORLD_RANK {masing.program} $@"
    traced = masing.file("traced", f"exec {words}")
    masing.program = "sh"
    masing.done(traced, *SLAB, "--config=case.ini", ranks=2)
    root, other = (set(re.findall(r'"(?:[^"]*/)?((?:run|state|case|force)\.[^"]*)"',
                                  (masing.folder / name).read_text(encoding="utf-8"))) for name in ("of.0", "of.1"))
    assert {"case.ini", "force.csv", "run.h5", "run.h5.lock", "state.h5"} <= root
    assert {name for name in other if not name.endswith((".locktest.1", ".sm"))} == {"run.h5.partial", "state.h5.draft"}


@pytest.mark.long
def test_a_stop_is_one_message_to_the_root_and_a_restart_reads_once(count):
    ranks = 3
    stopped = count(ranks, *LONG, code=75, stop_at="stop.h5")
    root, *others = (each.of(*SENT) for each in stopped)
    assert root == 0 and max(others) <= 1
    # What HDF5 keeps beside the numbers is read by the root for all.
    again = count(ranks, *LONG, "--restart=stop.h5", "--wall-limit=0:0:0.01", code=75)
    assert max(each.calls["File_read_at"] for each in again[1:]) <= 10 < again[0].calls["File_read_at"]
