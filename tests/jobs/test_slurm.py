"""The script of jobs/slurm on a real Slurm of two virtual nodes on this host, in a folder of its own, with --long.
(test_install.py has the script with stand-ins.)"""

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

# cred_expire makes a requeue take 6 s instead of 2 minutes; %n is the node.
NODE = "CPUs=2 Sockets=1 CoresPerSocket=2 RealMemory=4000"
CONFIGURATION = f"""
ClusterName=masing
SlurmctldHost={{host}}(127.0.0.1)
SlurmctldPort={{ports[0]}}
SlurmUser=root
AuthInfo=socket={{folder}}/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
StateSaveLocation={{folder}}/state
SlurmctldPidFile={{folder}}/slurmctld.pid
SlurmdSpoolDir={{folder}}/spool-%n
SlurmdPidFile={{folder}}/slurmd-%n.pid
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


def wait_for(what, name, seconds=600):
    """Until what() is true."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"no {name} after {seconds} s"
        time.sleep(0.3)  # to ask Slurm takes a tenth of it


@pytest.fixture(scope="module")
def slurm(masing):
    """Slurm, whose jobs run this program: the finished program of some words, in its environment."""
    if missing := [name for name in ("munged", "slurmctld", "slurmd") if shutil.which(name, path=PATH) is None]:
        pytest.skip(f"no {', '.join(missing)} here: apt-get install slurm-wlm munge")
    if os.getuid() != 0:
        pytest.skip("slurmd runs jobs as root only")
    # munged wants a socket that everybody can reach, which pytest's own folders are not. All descendants of a
    # namespace of processes end with it, where one is allowed.
    own = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    own = own if ran(*own, "true").returncode == 0 else []
    with tempfile.TemporaryDirectory(prefix="masing-slurm-") as folder, contextlib.ExitStack() as stack:
        os.chmod(folder, 0o755)
        for name in ("munge", "state", "spool-node1", "spool-node2", "tmp-node1", "tmp-node2"):
            Path(folder, name).mkdir(mode=0o755)
        Path(folder, "munge/key").write_bytes(os.urandom(128))
        Path(folder, "munge/key").chmod(0o400)
        with contextlib.ExitStack() as listening:  # on ports that nobody listens to
            ports = [listening.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
                     for _ in range(3)]
        Path(folder, "slurm.conf").write_text(
            CONFIGURATION.format(folder=folder, host=socket.gethostname(), ports=ports), encoding="utf-8")
        # The nodes share /dev/shm, and would take each other's segments for their own. A stopped run waits for the
        # timeout, up to twice.
        environment = {**os.environ, **TCP, **YIELD, "PATH": PATH, "SLURM_CONF": f"{folder}/slurm.conf",
                       "OMPI_MCA_odls_base_sigkill_timeout": "1", "MASING_PROGRAM": masing}

        def call(*words, launcher="", **options):
            return ran(*words, env={**environment, "MASING_LAUNCHER": launcher}, **options)

        keeper = stack.enter_context(subprocess.Popen([*own, "bash", "-c", KEEPER, "keeper", folder], env=environment,
                                                      stdin=subprocess.PIPE, stderr=subprocess.DEVNULL))
        try:
            wait_for(lambda: call("sinfo", "-hN", "--format=%T").stdout.split() == ["idle"] * 2, "two idle nodes")
            yield call
        finally:  # Jobs first: where their processes are not a namespace of ours, only Slurm knows them.
            call("scancel", "--signal=KILL", "--full", "--user=root")
            call("scancel", "--user=root")
            with contextlib.suppress(AssertionError):
                wait_for(lambda: not call("squeue", "-h").stdout, "end of all jobs", 10)


@pytest.mark.parametrize("launcher", ["mpirun", "srun --mpi=pmix"])
def test_a_long_run_is_requeued_and_loses_nothing(slurm, masing, tmp_path, launcher):
    """On two nodes, with the bits of one rank."""
    log, result, checkpoint = tmp_path / "masing.log", tmp_path / "made.h5", tmp_path / "made.h5.checkpoint"
    (tmp_path / "case.ini").write_text("final-time = 20\ncells = 40000\nsteps = 200000\n", encoding="utf-8")
    job = slurm("sbatch", "--parsable", *TWO_NODES, "--output=masing.log", SCRIPT, "simulate", "case.ini", "made.h5",
                "--checkpoint-every=2000", "--quiet", launcher=launcher, cwd=tmp_path, check=True).stdout.strip()
    wait_for(checkpoint.exists, "checkpoint")
    # To the job's script alone, as --signal=B:USR1@… sends it.
    slurm("scancel", "--batch", "--signal=USR1", job, check=True)
    known = {}

    def has_ended():
        known.update(re.findall(r"(\w+)=(\S*)", slurm("scontrol", "--oneliner", "show", "job", job).stdout))
        return known["JobState"] in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL")

    wait_for(has_ended, f"end of job {job}")
    assert (known["JobState"], known["Restarts"]) == ("COMPLETED", "1") and not checkpoint.exists(), log.read_text()
    assert contents(result) == alone(masing, tmp_path, "simulate", "--config=case.ini")
    stop = int(re.search(r"stopped by SIGUSR1 after (\d+) of 200000 steps", log.read_text(encoding="utf-8"))[1])
    # The second turn went on where the first had stopped, and did not begin again.
    with h5py.File(result) as file:
        timing = file["timing"].attrs
        assert timing["wall_seconds"] * timing["steps_per_second"] == pytest.approx(200_000 - stop)
        assert file["provenance"].attrs["ranks"] == 2
