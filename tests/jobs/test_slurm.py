"""The scripts of jobs/slurm on a real Slurm: two virtual nodes on this host."""

import datetime
import os
import re
import subprocess
import tempfile
from pathlib import Path

import h5py
import pytest
import virtual_cluster
from result_files import contents, text

SCRIPTS = Path(__file__).resolve().parents[2] / "jobs" / "slurm"
TWO_NODES = ("--nodes=2", "--ntasks-per-node=1", "--time=5")
CASE = "final-time = 50\ncells = 300\nsteps = {steps}\n"


@pytest.fixture(scope="module")
def cluster(masing):
    """The cluster, whose jobs run this program."""
    reason = virtual_cluster.obstacle()
    if reason:
        pytest.skip(reason)
    # munged wants a socket that everybody can reach, which pytest's own folders are not.
    with tempfile.TemporaryDirectory(prefix="masing-slurm-") as name:
        os.chmod(name, 0o755)
        with virtual_cluster.Cluster(Path(name)) as running:
            running.environment["MASING_PROGRAM"] = masing
            yield running


def completed(cluster, job):
    """The ended jobs, which must all have succeeded."""
    jobs = cluster.finish(job)
    assert jobs
    assert {one["JobState"] for one in jobs} == {"COMPLETED"}, (jobs, cluster.logs())
    return jobs


def alone(masing, folder, *words):
    """What one rank without Slurm writes."""
    subprocess.run([masing, *words, "--output=alone.h5", "--quiet"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    return contents(folder / "alone.h5")


def test_a_long_run_that_nobody_stops(cluster, masing, tmp_path):
    (tmp_path / "case.ini").write_text(CASE.format(steps=5000), encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPTS / "long.sbatch", "case.ini", "run.h5",
                         "--checkpoint-every=1000", "--quiet", cwd=tmp_path)
    (one,) = completed(cluster, job)
    assert one["Restarts"] == "0"
    assert not (tmp_path / "run.h5.checkpoint").exists()
    assert contents(tmp_path / "run.h5") == alone(masing, tmp_path, "simulate", "--config=case.ini")


@pytest.mark.long
def test_a_long_run_is_requeued_and_loses_nothing(cluster, masing, tmp_path):
    (tmp_path / "case.ini").write_text(CASE.format(steps=200_000), encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPTS / "long.sbatch", "case.ini", "run.h5",
                         "--checkpoint-every=10000", "--quiet", cwd=tmp_path)
    log = tmp_path / f"masing-long-{job}.log"
    checkpoint = tmp_path / "run.h5.checkpoint"
    cluster.wait_for(checkpoint.exists, 30, "checkpoint")
    signalled = datetime.datetime.now(datetime.timezone.utc)
    cluster.signal(job)
    cluster.wait_for(lambda: "goes back into the queue" in log.read_text(), 20, "requeue")
    (one,) = completed(cluster, job)
    said = log.read_text(encoding="utf-8")
    assert one["Restarts"] == "1", said
    stop = re.search(r"stopped by SIGUSR1 after step (\d+) of 200000", said)
    assert stop and int(stop[1]) >= 10_000, said
    assert not checkpoint.exists()
    # The second turn went on with the file of the first, and did not begin again.
    with h5py.File(tmp_path / "run.h5") as file:
        began = datetime.datetime.fromisoformat(text(file["provenance"].attrs["date"]).replace("Z", "+00:00"))
    assert began <= signalled
    assert contents(tmp_path / "run.h5") == alone(masing, tmp_path, "simulate", "--config=case.ini")


def test_a_study(cluster, masing, tmp_path):
    (tmp_path / "study.ini").write_text(
        "final-time = 20\ncells = 50\nlevels = 1000,2000,4000\nreference = exact-time\n",
        encoding="utf-8")
    job = cluster.submit(*TWO_NODES, SCRIPTS / "study.sbatch", "study.ini", "study.h5", cwd=tmp_path)
    completed(cluster, job)
    assert contents(tmp_path / "study.h5") == alone(
        masing, tmp_path, "converge", "--config=study.ini")


def test_an_array_over_a_parameter(cluster, masing, tmp_path):
    (tmp_path / "case.ini").write_text(CASE.format(steps=5000), encoding="utf-8")
    job = cluster.submit("--time=5", "--array=0,2,4%2", SCRIPTS / "array.sbatch", "case.ini", "runs",
                         cwd=tmp_path)
    assert len(completed(cluster, job)) == 3
    made = sorted(path.name for path in (tmp_path / "runs").iterdir())
    assert made == ["run-0.25.h5", "run-0.45.h5", "run-0.65.h5"]
    for value in ("0.25", "0.45", "0.65"):
        assert contents(tmp_path / "runs" / f"run-{value}.h5") == alone(
            masing, tmp_path, "simulate", "--config=case.ini", f"--force={value}*cos(0.5*t)")


@pytest.mark.long
def test_scaling(cluster, tmp_path, monkeypatch):
    for name, value in (("STRONG_CELLS", "2000"), ("WEAK_CELLS", "1000"), ("STEPS", "500")):
        monkeypatch.setitem(cluster.environment, name, value)
    job = cluster.submit(*TWO_NODES, SCRIPTS / "scaling.sbatch", "scaling", cwd=tmp_path)
    completed(cluster, job)
    rows = [row.split(",") for row in (tmp_path / "scaling/scaling.csv").read_text().split()]
    assert rows[0] == ["kind", "ranks", "cells", "seconds"]
    assert [row[:3] for row in rows[1:]] == [
        ["strong", "1", "2000"], ["weak", "1", "1000"], ["strong", "2", "2000"], ["weak", "2", "2000"]]
    assert all(float(row[3]) > 0 for row in rows[1:])
