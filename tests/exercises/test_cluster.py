"""A Dask cluster of this machine: the same bytes, also where a worker dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from symattn.export import run as runs
from symattn.export import workers
from tests.exercises.common import run
from tests.exercises.recipes import ALL
from tests.exercises.test_runs import held

distributed = pytest.importorskip("distributed")


@pytest.mark.filterwarnings("ignore")  # a worker that is killed leaves sockets, which Dask tells of
def test_a_cluster_that_loses_a_worker_makes_the_same_bytes(tmp_path: Path):
    task = runs.Task(run(ALL["weights"]), ("md", "json"))
    runs.exercises(task, 120, tmp_path / "alone")
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        pool, jobs, leave = workers.cluster(cluster.scheduler_address)
        assert jobs == 2

        def told(served: int, candidates: int) -> None:
            if served == 5 and not killed:
                victim = next(iter(cluster.workers.values()))
                killed.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)

        try:
            runs.exercises(task, 120, tmp_path / "cluster", pool=pool, jobs=jobs, told=told)
        finally:
            leave()
    assert killed
    assert held(tmp_path / "cluster") == held(tmp_path / "alone")
