# SPDX-License-Identifier: Apache-2.0
"""Calls of C for small arrays: they hold the queue's lock, and each number of threads has its queue."""
import threading

import numpy as np
import pytest

import unihist
from unihist import _queue, _small

X, EDGES = np.array([0.5, 1.5, 1.5, 7]), np.array([0.0, 1, 2])
CALLS = {"last_counter": ("_count", X, EDGES), "last_queue": ("_count_equal", X, 4)}


@pytest.fixture(params=CALLS)
def call(request, monkeypatch):
    """Makes a small call, and returns the handle that C was given, and whether the queue's lock was held."""
    name, *arguments = CALLS[request.param]
    function, seen = getattr(_small, name), []

    def watched(handle, *rest):
        lock, free = getattr(of_thread, request.param)[2], []
        other = threading.Thread(target=lambda: free.append(lock.acquire(blocking=False) and not lock.release()))
        other.start()
        other.join()
        seen.append((handle, not free[0]))
        return function(handle, *rest)

    of_thread = _queue._OfThread()
    for module in (_queue, _small):
        monkeypatch.setattr(module, "of_thread", of_thread)
    monkeypatch.setattr(_small, name, watched)
    return lambda **how: unihist.histogram(*arguments, **how) and seen[-1]


def test_a_call_holds_the_lock_of_its_queue(call):
    assert call()[1]


def test_each_number_of_threads_has_a_queue(call, monkeypatch):
    numbers, queue_of = [], _small.queue_of
    monkeypatch.setattr(_small, "queue_of", lambda *where: numbers.append(where[1]) or queue_of(*where))
    handles = [call(threads=threads)[0] for threads in (1, 2, 2, 1)]
    assert numbers[:2] == [1, 2] and set(numbers) == {1, 2}
    assert handles[1] == handles[2] != handles[0] == handles[3]
