# SPDX-License-Identifier: Apache-2.0
"""Devices, threads and memory."""
import concurrent.futures
import gc
import multiprocessing
import os
import pickle
import resource
import threading

import numpy as np
import pytest

import unihist
from unihist import _small

RANDOM = np.random.default_rng(4)


def test_the_host_is_listed():
    host = unihist.devices()[-1]
    assert host.selector == "host:0" and host.kind == "cpu" and host.memory > 0 and host.name


@pytest.mark.parametrize("device", [device.selector for device in unihist.devices()])
@pytest.mark.parametrize("threads", [None, 1, 2])
def test_each_device_counts(device, threads):
    x, where = RANDOM.integers(0, 9, 1000), {"device": device, "threads": threads}
    expected = np.histogram(x, np.arange(10))[0].tolist()
    assert unihist.Histogram(unihist.Axis.growing(), **where).fill(x).values().tolist() == expected
    assert unihist.histogram(x, np.arange(10), **where)[0].tolist() == expected
    assert unihist.histogram(x, 9, (0, 9), **where)[0].tolist() == expected
    assert unihist.histogram(x.astype("f4"), 9, (0, 9), **where)[0].tolist() == expected
    assert unihist.histogram(x, np.arange(10), weights=x, **where)[0].sum() == x.sum()
    assert unihist.histogram_bin_edges(x, 4, **where).tolist() == [0, 2, 4, 6, 8]
    assert unihist.histogramdd([x], [9], [(0, 9)], **where)[0].tolist() == expected
    assert unihist.histogram2d(x, x, 9, [(0, 9)] * 2, **where)[0].diagonal().tolist() == expected
    assert unihist.digitize(x, np.arange(1, 10), **where).tolist() == x.tolist()


def use_in_child(h, on_host):
    """Uses a histogram of the parent in a forked process."""
    assert unihist.histogram([1, 1], [0, 1, 2], threads=1)[0].tolist() == [0, 2]  # on the host
    assert unihist.devices()[0].selector == "host:0" if not on_host else unihist.devices()
    if on_host:
        h.fill([1.5])
    else:
        with pytest.raises(Exception, match="forked after its parent"):
            h.fill([1.5])
    del h
    gc.collect()


@pytest.mark.parametrize("device", [device.selector for device in unihist.devices()])
def test_a_forked_process_works_after_its_parent_used_a_device(device):
    h = unihist.Histogram(unihist.Axis.equal(4, 0, 4), device=device, threads=1)
    h.fill([0.5, 1.5])
    unihist.histogram([1, 1], device=device)
    child = multiprocessing.get_context("fork").Process(target=use_in_child, args=(h, device == "host:0"))
    child.start()
    child.join(60)
    if child.exitcode is None:
        child.kill()
    assert child.exitcode == 0
    h.fill([0.5])
    assert h.counts().tolist() == [2, 1, 0, 0]


def test_eight_threads_at_once():
    data = [RANDOM.random(20_000 + i).astype("f4" if i % 2 else "f8") for i in range(8)]
    edges = [np.sort(RANDOM.random(50 + i % 3)) for i in range(8)]
    expected = [np.histogram(x, e)[0].tolist() for x, e in zip(data, edges)]
    begin = threading.Barrier(8)

    def count(i):
        begin.wait()
        return all(unihist.histogram(data[i], edges[i], threads=1 + i % 2)[0].tolist() == expected[i] and
                   unihist.histogram(np.arange(100))[0].sum() == 100 for _ in range(50))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(count, range(8)))


def test_a_kept_histogram_is_for_its_arguments_and_one_call_at_a_time(monkeypatch):
    x, edges = np.array([0.0, 1, 1, 2]), np.array([0.0, 1, 2])
    counts = lambda: [unihist.histogram(x, e)[0].tolist() for e in (edges, edges.view(np.int64), edges * 2, edges[1:])]
    expected = [[1, 3], [4, 0], [3, 1], [3]]
    assert counts() == expected == counts() and unihist.digitize(x, edges).tolist() == [1, 2, 2, 3]
    assert unihist.digitize(x, edges, True).tolist() == [0, 1, 1, 2] == unihist.searchsorted(edges, x).tolist()
    made = _small.Queue
    monkeypatch.setattr(_small, "Queue", lambda *where: wheres.append(where) or made(*where))
    for wheres in ([], []):  # more than are kept
        for threads in range(1, 41):
            assert unihist.histogram(x, edges, threads=threads)[0].tolist() == [1, 3]
        assert wheres == [(None, threads) for threads in range(1, 41)]
    with pytest.raises(ValueError, match="expected 1"):
        unihist.Histogram(edges).fill(x, x)
    start = edges.copy()
    edges += 1
    assert unihist.histogram(x, edges)[0].tolist() == [2, 1]  # changed in place

    def empty(*arguments):  # as a finalizer that Python runs then
        if not between:
            between.append(0)
            between[:] = unihist.bincount(np.array([7, 7])), unihist.histogram(x[:1], start)[0], unihist.digitize(x, start)
        return np.empty(*arguments)

    try:
        _small.begin(empty)
        for call, result in [(lambda: unihist.histogram(x, start)[0], [1, 3]),
                             (lambda: unihist.bincount(np.array([1, 0, 1])), [1, 2])]:
            between = []
            assert call().tolist() == result and between[1].tolist() == [1, 0]
    finally:
        _small.begin(np.empty)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_count_the_arguments_they_receive(method):
    x, edges = RANDOM.random(1_000_000), np.linspace(0, 1, 1001)
    h = unihist.Histogram(edges, threads=2).fill(x)
    expected = unihist.histogram(x, edges, threads=2)[0].tolist()
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = [pool.apply_async(unihist.histogram, (x, edges), {"threads": threads}) for threads in (None, 1, 2)]
        assert [result.get(60)[0].tolist() for result in found] == [expected] * 3
        assert pool.apply_async(h.fill, (x,)).get(60).values().tolist() == [2 * count for count in expected]
    assert h.values().tolist() == expected


def test_calls_leak_no_memory():
    x, edges, weights = RANDOM.random(100), np.linspace(0, 1, 11), RANDOM.random(100)
    calls = [
        lambda: unihist.histogram(x, edges),
        lambda: unihist.histogram(x, 10),
        lambda: unihist.histogram(x.astype("f4"), 10),
        lambda: unihist.histogram(x, edges, weights=weights),
        lambda: unihist.histogram(x.astype("f2"), edges),
        lambda: unihist.digitize(x, edges),
        lambda: unihist.Histogram(unihist.Axis.growing()).fill([1, 2, 3]),
        lambda: unihist.histogramdd([x], [edges]),
        lambda: pickle.loads(pickle.dumps(unihist.Histogram(edges).fill(x)))[2:4].axes[0].index(x),
        lambda: unihist.Sampler(x).draw(10, seed=1),
        lambda: unihist.searchsorted(edges, x),
        lambda: unihist.histogram(x, edges, progress=lambda done, total: None),
        lambda: unihist.choice(100, 10, p=x / x.sum()),
        lambda: pytest.raises(ValueError, unihist.histogram, x, edges[::-1]),
        lambda: pytest.raises(ValueError, unihist.histogram, x, 3, (1, 0)),
    ]

    def run(times):
        for _ in range(times):
            for call in calls:
                call()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, len(gc.get_objects())

    run(500)
    before, objects_before = run(500)
    after, objects_after = run((20_000 if "UNIHIST_TEST_COARSE" in os.environ else 100_000) // len(calls))
    assert after - before < 1024, "KiB more"  # 10 bytes a call, in a coarse run 50
    assert objects_after - objects_before < 100


def test_a_thread_frees_its_queues_at_its_end():
    x = RANDOM.random(100)

    def run():
        thread = threading.Thread(target=lambda: unihist.histogram(x, np.linspace(0, 1, 2000), threads=1))
        thread.start()
        thread.join()

    for _ in range(50):
        run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(500):
        run()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096
