"""How many messages ranks send each other: counted in the program itself by a library that stands between it and MPI
(support/count_messages.py); what src/parallel/README.md says of ten thousand ranks. No count may depend on them."""

import shutil

import pytest
from count_messages import KINDS, Counting, total

# Slabs that ranks share: 64 blocks of 1024 cells. T is so short that no step is in doubt.
SLAB = ("simulate", "--quiet", "--cells=65536", "--final-time=1", "--field-points=1", "--output=run.h5")
CHAIN = ("simulate", "--quiet", "--model=masing-chain", "--set=n=8192", "--set=m=1/n", "--set=k=n", "--set=eta=0.1",
         "--cells=inf", "--final-time=0.0001", "--force=3*sin(t)", "--output=run.h5")
SENT = KINDS["to single ranks"]
pytestmark = [pytest.mark.long, pytest.mark.skipif(shutil.which("mpicc") is None, reason="no mpicc")]


@pytest.fixture
def count(tmp_path, program_path):
    """A Counter of the calls of every rank of a run."""
    return Counting(tmp_path, program_path)


def test_a_step_is_half_a_sum_or_one_or_an_exchange_with_each_neighbour(count):
    """Rows are no message of the file: they go out once more for 8192, five columns, which the root writes alone."""
    less, more = (count(3, *SLAB, f"--steps={steps}", "--sample-every=1")[0] for steps in (2000, 10000))
    found = more - less
    assert total(found, KINDS["of the file"]) == total(found, SENT) == 0 and found["File_write_at"] == 5
    # A chunk of an odd number of steps ends with a sum for one step; of each the force is broadcast.
    assert abs(found["Allreduce"] - 4000) <= less["Ibcast"] + more["Ibcast"]
    less, more = (count(3, *SLAB, "--scheme=leapfrog", f"--steps={steps}")[0] for steps in (100, 300))
    assert ((more - less)["Allreduce"], total(more - less, SENT)) == (200, 0)
    less, more = (count(3, *CHAIN, f"--steps={steps}", f"--sample-every={steps}")[0] for steps in (16, 32))
    assert ((more - less)["Sendrecv"], (more - less)["Allreduce"]) == (32, 0)
    (alone,) = count(1, *SLAB, "--steps=1000")
    assert total(alone, (*SENT, "Ibcast")) == 0 and alone["Allreduce"] < 50  # HDF5's own


@pytest.mark.parametrize("words", [
    # Chunks end where the field is wanted, here at every step, and not by the clock.
    (*SLAB, "--steps=16", "--field-every=1", "--checkpoint=state.h5", "--checkpoint-every=8"),
    ("converge", "--quiet", "--final-time=1", "--expect-order=none", "--field-samples=4", "--cells=100",
     "--reference=successive", "--levels=100,200,400", "--checkpoint=state.h5", "--checkpoint-every=1"),
], ids=["simulate", "converge"])
def test_no_count_grows_with_the_ranks(count, words):
    """A message is counted where it is sent: which rank takes which level, and so reports, depends on the clock."""
    few, many = (count(ranks, *words)[0] for ranks in (3, 6))
    assert {name: calls for name, calls in many.items()
            if calls > few[name] and name not in KINDS["without messages"]} == {}


def test_a_stop_is_one_message_to_the_root_and_a_restart_reads_once(count):
    words = (*SLAB, "--steps=4000000", "--checkpoint=stop.h5", "--checkpoint-every=64")
    root, *others = (total(each, SENT) for each in count(3, *words, code=75, stop_at="stop.h5"))
    assert root == 0 and max(others) <= 1
    # What HDF5 keeps beside the numbers is read by the root for all.
    again = count(3, *words, "--restart=stop.h5", "--wall-limit=0:0:0.01", code=75)
    assert max(each["File_read_at"] for each in again[1:]) <= 10 < again[0]["File_read_at"]
