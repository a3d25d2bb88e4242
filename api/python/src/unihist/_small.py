# SPDX-License-Identifier: Apache-2.0
"""Histograms of arrays that C reads in place, by one call of C. For small arrays most of the time is Python's:
therefore one long function that checks as little as possible."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import TYPES, Array, pointer
from ._counter import Counter, axis_of_edges
from ._edges import MAX_BINS, ends_of
from ._native import ffi, lib
from ._progress import STRIDE
from ._queue import of_thread, queue_of
from ._status import check

KEPT = 16  # histograms that a thread keeps, for edges that are used again
KEPT_BYTES = 1 << 16  # maximum size of their edges, which each call compares
# Whether numpy.linspace computes in float32 for float32 numbers, as since NumPy 2.
LIKE_NUMPY_2 = np.linspace(np.float32(0), np.float32(1), 2).dtype == np.float32

# Names in the module are found faster than attributes.
_INT64, _FLOAT64, _FLOAT32 = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.float32)
_SINGLE, _type_of, _from_buffer, _empty, _ndarray = lib.UH_F32, TYPES.get, ffi.from_buffer, np.empty, np.ndarray
_count, _count_equal = lib.uhpy_count, lib.uhpy_count_equal


def _counter(key: Any) -> Any:
    """Of these edges: key, histogram, its queue's lock, and number of bins."""
    counter = of_thread.counters.get(key)
    dtype, edges, device, threads = key
    if counter is None:
        axis = axis_of_edges(np.frombuffer(edges, dtype), lib.UH_CLOSED_LEFT)
        counter = Counter.over(queue_of(device, threads), [axis])
        if len(of_thread.counters) >= KEPT:
            del of_thread.counters[next(iter(of_thread.counters))]
        of_thread.counters[key] = counter
    of_thread.last_counter = key, counter.handle, counter.queue.lock, len(edges) // dtype.itemsize - 1
    return of_thread.last_counter


def _queue(where: Any) -> Any:
    """Device and threads, and their queue and its lock."""
    queue = queue_of(*where)
    of_thread.last_queue = where, queue.handle, queue.lock
    return of_thread.last_queue


def count_at_once(a: Array, bins: Any, range: Any, device: Optional[str],
                  threads: Optional[int]) -> Optional[tuple[Array, Array]]:
    """Counts, and the given edges or those of equal bins. None if the arguments are of another kind."""
    dtype, size = _type_of(a.dtype), a.size
    if dtype is None or size > STRIDE:
        return None
    try:
        data, stride = _from_buffer(a), a.itemsize
    except (BufferError, ValueError):  # not contiguous
        if a.ndim != 1:
            return None
        data, stride = pointer(a), a.strides[0]
    if type(bins) is _ndarray:
        if bins.nbytes > KEPT_BYTES or bins.ndim != 1:
            return None
        key = bins.dtype, bins.tobytes(), device, threads
        had, handle, lock, number = of_thread.last_counter  # comparing bytes is faster than hashing them
        if had != key:
            if bins.size < 2 or bins.dtype not in TYPES:
                return None
            try:
                _, handle, lock, number = _counter(key)
            except ValueError:
                return None
        counts = _empty(number, _INT64)
        with lock:
            status = _count(handle, dtype, data, stride, size, _from_buffer(counts))
            if status:
                check(status)
        return counts, bins
    if type(bins) is not int or not 0 < bins <= MAX_BINS or dtype == _SINGLE and not LIKE_NUMPY_2:
        return None
    if range is None:
        ranged, first, last = False, 0, 0
    else:
        ranged, (first, last) = True, ends_of(range)
        if not (type(first) is int or type(first) is float) or not (type(last) is int or type(last) is float):
            return None
    edges = _empty(bins + 1, _FLOAT32 if dtype == _SINGLE else _FLOAT64)
    where = device, threads
    had, handle, lock = of_thread.last_queue
    if had != where:
        _, handle, lock = _queue(where)
    counts = _empty(bins, _INT64)
    with lock:
        status = _count_equal(handle, dtype, data, stride, size, bins, ranged, first, last, _from_buffer(counts),
                              _from_buffer(edges))
    return (counts, edges) if not status else None  # the long way has NumPy's errors
