"""Ranks on two hosts, with nothing but TCP between them, make the bits that one rank makes. The hosts are network
namespaces of this machine that only a pair of virtual interfaces joins."""

import os
import shutil

import pytest
from open_mpi import TCP, YIELD
from processes import alone, ran
from result_files import contents

STEPS = 4000
RUN = ("simulate", "--final-time=20", f"--steps={STEPS}", "--cells=40000", "--field-every=1000")
STUDY = ("converge", "--final-time=10", "--cells=50", "--levels=500,1000,2000", "--reference=exact-time")
NETWORK = "10.213.{}.{}"  # private; the third number is of this process


def obstacle():
    """Why there can be no second host here, or None."""
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        return "no ip or unshare here: apt-get install iproute2 util-linux"
    name = f"masing-try-{os.getpid()}"
    try:
        tried = ran("sh", "-c", f"ip netns add {name} && ip netns exec {name} unshare --uts true")
    finally:
        ran("ip", "netns", "delete", name)
    return None if tried.returncode == 0 else f"ip netns is not permitted here: {tried.stderr.strip()}"


def _ip(*words):
    return ran("ip", *words, check=True)


class TwoHosts:
    """Up on entry, gone on exit; `folder` takes what mpirun needs."""

    def __init__(self, folder):
        self.folder = folder
        self.names = [f"masing{os.getpid()}{letter}" for letter in "ab"]
        self.addresses = [NETWORK.format(os.getpid() % 256, end) for end in (1, 2)]

    def __enter__(self):
        links = [f"m{os.getpid()}{letter}" for letter in "ab"]
        try:
            for name in self.names:
                _ip("netns", "add", name)
            _ip("link", "add", links[0], "netns", self.names[0], "type", "veth",
                "peer", "name", links[1], "netns", self.names[1])
            for name, link, address in zip(self.names, links, self.addresses):
                _ip("-n", name, "address", "add", f"{address}/24", "dev", link)
                _ip("-n", name, "link", "set", link, "up")
                _ip("-n", name, "link", "set", "lo", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            ran("ip", "netns", "delete", name)

    def mpirun(self, *words):
        """The finished run of a rank on each host, started on the first."""
        first, second = self.names
        agent = self.folder / "agent"
        # What mpirun takes for ssh: the address, then the command.
        agent.write_text(f'#!/bin/sh\nshift\nexec ip netns exec {second} unshare --uts sh -c "hostname {second}; $*"\n')
        agent.chmod(0o755)
        hosts = self.folder / "hosts"
        hosts.write_text("".join(f"{address} slots=1\n" for address in self.addresses))
        environment = {**os.environ, **TCP, **YIELD, "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": str(agent)}
        return ran("ip", "netns", "exec", first, "unshare", "--uts", "sh", "-c", f'hostname {first}; exec "$@"', "sh",
                   "mpirun", "-n", "2", "--hostfile", hosts, *words, cwd=self.folder, env=environment)

    def received(self):
        """The bytes that have reached each host."""
        read = ("sh", "-c", "cat /sys/class/net/m*/statistics/rx_bytes")
        return [int(_ip("netns", "exec", name, *read).stdout) for name in self.names]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """The two hosts."""
    if reason := obstacle():
        pytest.skip(reason)
    with TwoHosts(tmp_path_factory.mktemp("hosts")) as up:
        yield up


@pytest.mark.parametrize("words", [RUN, STUDY], ids=["run", "study"])
def test_the_same_bits_as_on_one(hosts, masing, words):
    before = hosts.received()
    process = hosts.mpirun(masing, *words, "--quiet", "--output=two.h5")
    assert process.returncode == 0, process.stderr
    # Of the run, each of at least STEPS/2 allreduces brings each host a packet of more than 64 bytes.
    least = STEPS / 2 * 64 if words is RUN else 0
    assert all(now - then > least for now, then in zip(hosts.received(), before))
    assert contents(hosts.folder / "two.h5") == alone(masing, hosts.folder, *words)
