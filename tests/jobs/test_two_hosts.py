"""Ranks on two hosts, with nothing but TCP between them, make the bits that one rank makes."""

import subprocess

import pytest
import two_hosts
from result_files import contents

STEPS = 4000
RUN = ("simulate", "--final-time=20", f"--steps={STEPS}", "--cells=40000", "--field-every=1000", "--quiet")
STUDY = ("converge", "--final-time=10", "--cells=50", "--levels=500,1000,2000",
         "--reference=exact-time", "--quiet")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """The two hosts."""
    reason = two_hosts.obstacle()
    if reason:
        pytest.skip(reason)
    with two_hosts.TwoHosts(tmp_path_factory.mktemp("hosts")) as up:
        yield up


def test_the_ranks_are_on_two_hosts(hosts):
    process = hosts.mpirun("hostname")
    assert process.returncode == 0, process.stderr
    assert sorted(process.stdout.split()) == hosts.names


@pytest.mark.parametrize("words", [RUN, STUDY], ids=["run", "study"])
def test_the_same_bits_as_on_one(hosts, masing, words):
    before = hosts.received()
    process = hosts.mpirun(masing, *words, "--output=two.h5")
    assert process.returncode == 0, process.stderr
    # Of the run, each of at least STEPS/2 allreduces brings each host a packet of more than 64 bytes.
    least = STEPS / 2 * 64 if words is RUN else 0
    assert all(now - then > least for now, then in zip(hosts.received(), before))
    subprocess.run([masing, *words, "--output=one.h5"], cwd=hosts.folder, check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    assert contents(hosts.folder / "two.h5") == contents(hosts.folder / "one.h5")
