"""The script of jobs/slurm on a real Slurm of two virtual nodes on this host, in a folder of its own, with --long."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import h5py
import pytest
from open_mpi import TCP, YIELD
from processes import alone, ran
from result_files import contents

pytestmark = pytest.mark.long
SCRIPT = Path(__file__).resolve().parents[2] / "jobs" / "slurm" / "run.sbatch"
# A time beyond the 300 s before its end at which Slurm signals the script.
TWO_NODES = ("--nodes=2", "--ntasks-per-node=1", "--time=30")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"  # where the daemons are
PATIENCE = 600  # seconds until a job counts as hung

# cred_expire makes a requeue take 6 s instead of 2 minutes; %n is the node.
NODE = "CPUs=2 Sockets=1 CoresPerSocket=2 RealMemory=4000"
CONFIGURATION = f"""
ClusterName=masing
SlurmctldHost={{host}}(127.0.0.1)
SlurmctldPort={{ports[0]}}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={{folder}}/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
StateSaveLocation={{folder}}/state
SlurmctldPidFile={{folder}}/slurmctld.pid
SlurmctldLogFile={{folder}}/slurmctld.log
SlurmdSpoolDir={{folder}}/spool-%n
SlurmdPidFile={{folder}}/slurmd-%n.pid
SlurmdLogFile={{folder}}/slurmd-%n.log
TmpFS={{folder}}/tmp-%n
NodeName=node1 NodeHostname={{host}} NodeAddr=127.0.0.1 Port={{ports[1]}} {NODE}
NodeName=node2 NodeHostname={{host}} NodeAddr=127.0.0.1 Port={{ports[2]}} {NODE}
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
"""

# Whoever holds stdin holds the daemons: when it closes, even because the tests were killed, they end.
KEEPER = """
cd "$1" || exit 1
munged --foreground --key-file munge/key --socket munge/socket --pid-file munge/pid \
  --log-file munge/log --seed-file munge/seed &
until [ -S munge/socket ]; do sleep 0.05; done
slurmctld -D &
slurmd -D -N node1 &
slurmd -D -N node2 &
read -r _
kill $(jobs -p)
wait
"""


class Cluster:
    """Slurm in a folder that all can read, as munged wants; after begin() it is there until end()."""

    def __init__(self, folder, program):
        self.folder = folder
        # The nodes share /dev/shm, and would take each other's segments for their own. A stopped run waits for the
        # timeout, up to twice.
        self.environment = {**os.environ, **TCP, **YIELD, "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf"),
                            "OMPI_MCA_odls_base_sigkill_timeout": "1", "MASING_PROGRAM": program}

    def begin(self):
        """Start the daemons, and wait for the nodes."""
        for name in ("munge", "state", "spool-node1", "spool-node2", "tmp-node1", "tmp-node2"):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        with contextlib.ExitStack() as stack:  # on ports that nobody listens to
            listening = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
            text = CONFIGURATION.format(folder=self.folder, host=socket.gethostname(),
                                        ports=[each.getsockname()[1] for each in listening])
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        # All descendants of a namespace of processes end with it, where one is allowed.
        own = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        own = own if ran(*own, "true").returncode == 0 else []
        with open(self.folder / "daemons.log", "wb") as log:
            self._keeper = subprocess.Popen([*own, "bash", "-c", KEEPER, "keeper", str(self.folder)],
                                            env=self.environment, stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.wait_for(lambda: self.call("sinfo", "--noheader", "--Node", "--format=%T").split() == ["idle"] * 2,
                      "two idle nodes")

    def end(self):
        """End the jobs and the daemons."""
        # Jobs first: where their processes are not a namespace of ours, only Slurm knows them.
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            self.call("scancel", "--signal=KILL", "--full", "--user=root")
            self.call("scancel", "--user=root")
            self.wait_for(lambda: not self.call("squeue", "--noheader"), "end of all jobs", 10)
        self._keeper.stdin.close()
        try:
            self._keeper.wait(10)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()

    def call(self, *words, **options):
        """What a command of Slurm prints."""
        return ran(*words, env=self.environment, **options).stdout

    def wait_for(self, what, name, seconds=PATIENCE):
        """Until what() is true; AssertionError with the daemons' last lines after so many seconds."""
        end = time.monotonic() + seconds
        while not what():
            logs = "".join(f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}"
                           for path in sorted(self.folder.rglob("*.log"))) if time.monotonic() > end else ""
            assert time.monotonic() < end, f"no {name} after {seconds} s\n{logs}"
            time.sleep(0.3)  # to ask Slurm takes a tenth of it

    def submit(self, folder, case, *words):
        """The number of the job of the script with a case file, on two nodes."""
        (folder / "case.ini").write_text(case, encoding="utf-8")
        return self.call("sbatch", "--parsable", *TWO_NODES, SCRIPT, words[0], "case.ini", "made.h5", *words[1:],
                         "--quiet", cwd=folder, check=True).strip()

    def ended(self, number):
        """The state of a job that has ended, and how often it was restarted."""
        known = {}

        def has_ended():
            known.update(re.findall(r"(\w+)=(\S*)", self.call("scontrol", "--oneliner", "show", "job", number)))
            return known["JobState"] in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")

        self.wait_for(has_ended, f"end of job {number}")
        return known["JobState"], known["Restarts"]


@pytest.fixture(scope="module")
def cluster(masing):
    """The cluster, whose jobs run this program."""
    if missing := [name for name in ("munged", "slurmctld", "slurmd") if shutil.which(name, path=PATH) is None]:
        pytest.skip(f"no {', '.join(missing)} here: apt-get install slurm-wlm munge")
    if os.getuid() != 0:
        pytest.skip("slurmd runs jobs as root only")
    # munged wants a socket that everybody can reach, which pytest's own folders are not.
    with tempfile.TemporaryDirectory(prefix="masing-slurm-") as name:
        os.chmod(name, 0o755)
        running = Cluster(Path(name), masing)
        try:
            running.begin()
            yield running
        finally:
            running.end()


@pytest.fixture(params=["mpirun", "srun --mpi=pmix"])
def launcher(cluster, request, monkeypatch):
    """What the script starts the program with."""
    monkeypatch.setitem(cluster.environment, "MASING_LAUNCHER", request.param)


@pytest.mark.usefixtures("launcher")
def test_a_long_run_is_requeued_and_loses_nothing(cluster, masing, tmp_path):
    job = cluster.submit(tmp_path, "final-time = 50\ncells = 300\nsteps = 5000000\n", "simulate",
                         "--checkpoint-every=100000")
    log, checkpoint = tmp_path / f"masing-{job}.log", tmp_path / "made.h5.checkpoint"
    cluster.wait_for(checkpoint.exists, "checkpoint")
    # To the job's script alone, as --signal=B:USR1@… sends it.
    cluster.call("scancel", "--batch", "--signal=USR1", job, check=True)
    cluster.wait_for(lambda: "returns to the queue" in log.read_text(), "requeue")
    assert cluster.ended(job) == ("COMPLETED", "1"), log.read_text()
    stop = int(re.search(r"stopped by SIGUSR1 after (\d+) of 5000000 steps", log.read_text(encoding="utf-8"))[1])
    assert stop >= 100_000 and not checkpoint.exists()
    # The second turn went on where the first had stopped, and did not begin again.
    with h5py.File(tmp_path / "made.h5") as file:
        timing = file["timing"].attrs
        assert timing["wall_seconds"] * timing["steps_per_second"] == pytest.approx(5_000_000 - stop)
    assert contents(tmp_path / "made.h5") == alone(masing, tmp_path, "simulate", "--config=case.ini")


@pytest.mark.usefixtures("launcher")
@pytest.mark.parametrize("command, case", [
    ("simulate", "final-time = 20\nsteps = 4000\ncells = 40000\nfield-every = 1000\n"),
    ("converge", "final-time = 20\ncells = 50\nlevels = 1000,2000,4000\nreference = exact-time\n")])
def test_two_nodes_that_nobody_stops_make_the_bits_of_one_rank(cluster, masing, tmp_path, command, case):
    """A run that both nodes share, with a sum over them in each step, and a study."""
    job = cluster.submit(tmp_path, case, command, "--checkpoint-every=1000")
    assert cluster.ended(job) == ("COMPLETED", "0") and not (tmp_path / "made.h5.checkpoint").exists()
    with h5py.File(tmp_path / "made.h5") as file:
        assert file["provenance"].attrs["ranks"] == 2
    assert contents(tmp_path / "made.h5") == alone(masing, tmp_path, command, "--config=case.ini")


@pytest.mark.usefixtures("launcher")
def test_a_job_whose_turns_end_at_the_same_step_is_not_requeued(cluster, tmp_path):
    job = cluster.submit(tmp_path, "final-time = 50\ncells = 300\nsteps = 5000\n", "simulate", "--wall-limit=1e-6")
    ended, said = cluster.ended(job), (tmp_path / f"masing-{job}.log").read_text(encoding="utf-8")
    assert ended == ("FAILED", "1") and said.count("stopped by the wall limit") == 2, said
    assert said.count("returns to the queue") == 1 and "run.sbatch: two turns ended after " in said, said
