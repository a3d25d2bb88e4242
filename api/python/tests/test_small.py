# SPDX-License-Identifier: Apache-2.0
"""What calls of C's function for small arrays are made with: the lock of the queue, and the number of threads asked for."""
import threading

import numpy as np
import pytest

import unihist
from unihist import _small

X = np.array([0.5, 1.5, 1.5, 7])
EDGES = np.array([0.0, 1, 2])
CALLS = {"_count": lambda **how: unihist.histogram(X, EDGES, **how),
         "_count_equal": lambda **how: unihist.histogram(X, 4, **how),
         "_count_equal_f32": lambda **how: unihist.histogram(X.astype("f4"), 4, **how)}
if not _small.LIKE_NUMPY_2:
    del CALLS["_count_equal_f32"]


def is_free(lock):
    """Whether another thread can take the lock."""
    found = []

    def take():
        found.append(lock.acquire(blocking=False))
        if found[0]:
            lock.release()

    other = threading.Thread(target=take)
    other.start()
    other.join()
    return found[0]


@pytest.fixture
def calls(monkeypatch):
    """Of each call: the name of C's function, its first argument, and whether the lock of the queue was free."""
    made = []

    def watched(name):
        function = getattr(_small, name)

        def call(handle, *arguments):
            kept = _small._of_thread.kept
            lock = kept.counter[2] if name == "_count" else kept.queue[2]
            made.append((name, handle, is_free(lock)))
            return function(handle, *arguments)

        monkeypatch.setattr(_small, name, call)

    monkeypatch.setattr(_small._of_thread, "kept", _small._Kept())
    for name in CALLS:
        watched(name)
    return made


@pytest.mark.parametrize("name", CALLS)
def test_who_counts_has_the_queues_lock(calls, name):
    CALLS[name]()
    assert [(called, free) for called, _, free in calls] == [(name, False)]


@pytest.mark.parametrize("name", CALLS)
def test_each_number_of_threads_has_a_queue(calls, monkeypatch, name):
    asked, queue_of = [], _small.queue_of

    def watched(device, threads):
        asked.append(threads)
        return queue_of(device, threads)

    monkeypatch.setattr(_small, "queue_of", watched)
    for threads in (1, 2, 2, 1):
        CALLS[name](threads=threads)
    handles = [handle for _, handle, _ in calls]
    assert asked[:2] == [1, 2] and set(asked) == {1, 2}
    assert handles[1] == handles[2] != handles[0] == handles[3]
