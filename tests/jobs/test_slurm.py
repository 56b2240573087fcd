"""The script of jobs/slurm on a real Slurm of two virtual nodes on this host, in a folder of its own."""

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

SCRIPT = Path(__file__).resolve().parents[2] / "jobs" / "slurm" / "run.sbatch"
# A time beyond the 300 s before its end at which Slurm signals the script.
TWO_NODES = ("--nodes=2", "--ntasks-per-node=1", "--time=30")
CASE = "final-time = 50\ncells = 300\nsteps = {steps}\n"

DAEMONS = ("munged", "slurmctld", "slurmd")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"  # where the daemons are
START = 300  # seconds until the nodes must be idle
PATIENCE = 600  # seconds until a job counts as hung

# cred_expire makes a requeue take 6 s instead of 2 minutes; %n is the node.
CONFIGURATION = """
ClusterName=masing
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
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
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
TmpFS={folder}/tmp-%n
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 Sockets=1 CoresPerSocket=2 RealMemory=4000
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 Sockets=1 CoresPerSocket=2 RealMemory=4000
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


def obstacle():
    """Why no Slurm can be started here, or None."""
    if missing := [name for name in DAEMONS if shutil.which(name, path=PATH) is None]:
        return f"no {', '.join(missing)} here: apt-get install slurm-wlm munge"
    return "slurmd runs jobs as root only" if os.getuid() != 0 else None


def own_processes():
    """The words that start a command whose descendants all end with it, where that is allowed."""
    words = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    return words if ran(*words, "true").returncode == 0 else []


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
        with open(self.folder / "daemons.log", "wb") as log:
            self._keeper = subprocess.Popen([*own_processes(), "bash", "-c", KEEPER, "keeper", str(self.folder)],
                                            env=self.environment, stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.wait_for(lambda: self._call("sinfo", "--noheader", "--Node", "--format=%T").stdout.split() == ["idle"] * 2,
                      START, "two idle nodes")

    def end(self):
        """End the jobs and the daemons."""
        # Jobs first: where their processes are not a namespace of ours, only Slurm knows them.
        with contextlib.suppress(subprocess.SubprocessError, AssertionError):
            self._call("scancel", "--signal=KILL", "--full", "--user=root")
            self._call("scancel", "--user=root")
            self.wait_for(lambda: not self._call("squeue", "--noheader").stdout, 10, "no jobs")
        self._keeper.stdin.close()
        try:
            self._keeper.wait(10)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()

    def _call(self, *words, **options):
        return ran(*words, env=self.environment, **options)

    def wait_for(self, what, seconds, name):
        """Until what() is true; AssertionError with the daemons' last lines after so many seconds."""
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, f"no {name} after {seconds} s\n{self.logs()}"
            time.sleep(0.3)  # to ask Slurm takes a tenth of it

    def logs(self):
        """The last lines of every log."""
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-1500:]}"
                         for path in sorted(self.folder.rglob("*.log")))

    def submit(self, *words, cwd):
        """The number of the job that sbatch makes of these words."""
        return self._call("sbatch", "--parsable", *words, cwd=cwd, check=True).stdout.strip()

    def signal(self, job):
        """SIGUSR1 to the job's script alone, as --signal=B:USR1@… sends it."""
        self._call("scancel", "--batch", "--signal=USR1", job, check=True)

    def job(self, number):
        """What Slurm knows of a job: a dictionary of text."""
        return dict(re.findall(r"(\w+)=(\S*)", self._call("scontrol", "--oneliner", "show", "job", number).stdout))

    def finish(self, number):
        """job(number), once it has ended."""
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")
        self.wait_for(lambda: self.job(number)["JobState"] in ended, PATIENCE, f"end of job {number}")
        return self.job(number)


@pytest.fixture(scope="module")
def cluster(masing):
    """The cluster, whose jobs run this program."""
    if reason := obstacle():
        pytest.skip(reason)
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


def completed(cluster, job):
    """The ended job, which must have succeeded."""
    ended = cluster.finish(job)
    assert ended["JobState"] == "COMPLETED", (ended, cluster.logs())
    return ended


@pytest.mark.long
@pytest.mark.usefixtures("launcher")
def test_a_long_run_is_requeued_and_loses_nothing(cluster, masing, tmp_path):
    (tmp_path / "case.ini").write_text(CASE.format(steps=5_000_000), encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPT, "simulate", "case.ini", "run.h5", "--checkpoint-every=100000",
                         "--quiet", cwd=tmp_path)
    log, checkpoint = tmp_path / f"masing-{job}.log", tmp_path / "run.h5.checkpoint"
    cluster.wait_for(checkpoint.exists, PATIENCE, "checkpoint")
    cluster.signal(job)
    cluster.wait_for(lambda: "returns to the queue" in log.read_text(), PATIENCE, "requeue")
    ended = completed(cluster, job)
    said = log.read_text(encoding="utf-8")
    assert ended["Restarts"] == "1", said
    stop = re.search(r"stopped by SIGUSR1 after (\d+) of 5000000 steps", said)
    assert stop and int(stop[1]) >= 100_000, said
    assert not checkpoint.exists()
    # The second turn went on where the first had stopped, and did not begin again.
    with h5py.File(tmp_path / "run.h5") as file:
        timing = file["timing"].attrs
        assert timing["wall_seconds"] * timing["steps_per_second"] == pytest.approx(5_000_000 - int(stop[1]))
    assert contents(tmp_path / "run.h5") == alone(masing, tmp_path, "simulate", "--config=case.ini")


# A run that both nodes share, with a sum over them in each step, and a study.
RUN = "final-time = 20\nsteps = 4000\ncells = 40000\nfield-every = 1000\n"
STUDY = "final-time = 20\ncells = 50\nlevels = 1000,2000,4000\nreference = exact-time\n"


@pytest.mark.usefixtures("launcher")
@pytest.mark.parametrize("command, case", [("simulate", RUN), ("converge", STUDY)])
def test_two_nodes_that_nobody_stops_make_the_bits_of_one_rank(cluster, masing, tmp_path, command, case):
    (tmp_path / "case.ini").write_text(case, encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPT, command, "case.ini", "made.h5", "--checkpoint-every=1000", "--quiet",
                         cwd=tmp_path)
    assert completed(cluster, job)["Restarts"] == "0" and not (tmp_path / "made.h5.checkpoint").exists()
    with h5py.File(tmp_path / "made.h5") as file:
        assert file["provenance"].attrs["ranks"] == 2
    assert contents(tmp_path / "made.h5") == alone(masing, tmp_path, command, "--config=case.ini")


@pytest.mark.long
@pytest.mark.usefixtures("launcher")
def test_a_job_whose_turns_end_at_the_same_step_is_not_requeued(cluster, tmp_path):
    (tmp_path / "case.ini").write_text(CASE.format(steps=5000), encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPT, "simulate", "case.ini", "run.h5", "--wall-limit=1e-6", cwd=tmp_path)
    ended = cluster.finish(job)
    said = (tmp_path / f"masing-{job}.log").read_text(encoding="utf-8")
    assert (ended["JobState"], ended["Restarts"]) == ("FAILED", "1"), said
    assert said.count("stopped by the wall limit") == 2 and said.count("returns to the queue") == 1, said
    assert "run.sbatch: two turns ended after " in said and "no progress" in said
