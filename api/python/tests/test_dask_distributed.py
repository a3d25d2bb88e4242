# SPDX-License-Identifier: Apache-2.0
"""Two processes of dask's, of which one is killed, and tasks that fail: the bits stay those of one process."""
import os
import pathlib
import signal
import time

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

import unihist  # noqa: E402
import unihist.dask  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
RANDOM = np.random.default_rng(9)
N = 40_000
X = RANDOM.normal(size=N)
WILD = RANDOM.choice([1e16, 1.0, -1e16, 0.1, 3.0, 1e-300], N)
EXPECTED = [unihist.histogram(X, 50, weights=WILD)[0], unihist.histogramdd([X, WILD], 9)[0],
            unihist.Sampler(X * X).draw(N, seed=4)]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, local_directory=str(folder),
                                  silence_logs=50) as cluster, distributed.Client(cluster) as found:
        found.wait_for_workers(2, timeout=60)
        yield found


def results(x):
    """All that can be computed, of blocks that may have to be computed."""
    w = da.from_array(WILD, chunks=x.chunks)
    return [unihist.dask.histogram(x, 50, weights=w, split_every=2)[0],
            unihist.dask.histogramdd([x, w], 9)[0], unihist.dask.sample(x * x, N, seed=4, chunks=3000)]


def equal(found):
    return all(a.tobytes() == e.tobytes() for a, e in zip(found, EXPECTED))


def test_two_workers_get_the_bits_of_one_process(client):
    x = da.from_array(X, chunks=N // 16).persist()
    distributed.wait(x)
    assert len(set(client.run(os.getpid).values())) == 2
    assert equal(client.gather(client.compute(results(x))))


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(client, tmp_path):
    killed = str(tmp_path / "killed")

    def late(block, block_info=None):
        while block_info[0]["chunk-location"] == (15,) and not os.path.exists(killed):
            time.sleep(0.02)
        return block

    workers = client.run(os.getpid)
    futures = client.compute(results(da.from_array(X, chunks=N // 16).map_blocks(late, dtype=X.dtype)))
    deadline = time.monotonic() + 60
    while client.run_on_scheduler(lambda dask_scheduler: sum(
            task.state == "memory" for task in dask_scheduler.tasks.values())) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert not futures[0].done()
    os.kill(next(iter(workers.values())), signal.SIGKILL)
    pathlib.Path(killed).touch()
    assert equal(client.gather(futures))
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != set(workers.values())


def test_tasks_that_are_run_again_change_nothing(client, tmp_path):
    folder = str(tmp_path)

    def flaky(block, block_info=None):
        mark = pathlib.Path(folder, str(block_info[0]["chunk-location"][0]))
        if not mark.exists():
            mark.touch()
            raise OSError("the first time")
        return block

    x = da.from_array(X, chunks=N // 8).map_blocks(flaky, dtype=X.dtype)
    assert equal(client.gather(client.compute(results(x), retries=2)))
    assert len(list(tmp_path.iterdir())) == 8


def test_merging_does_not_change_its_arguments():
    parts = [unihist.Histogram([-1, 0, 1], storage="sum").fill(X[i::3], weight=WILD[i::3]) for i in range(3)]
    once = unihist.dask.merged(parts)
    assert unihist.dask.merged(parts) == once == unihist.Histogram([-1, 0, 1], storage="sum").fill(X, weight=WILD)
