# SPDX-License-Identifier: Apache-2.0
"""Histograms of arrays that C reads where they are, by one call of it: of small ones Python's time is most of it, so this
is one function, which looks only at what it must."""
from __future__ import annotations

import atexit
import os
import threading
from typing import Any, Optional

import numpy as np

from ._arrays import TYPES, Array, pointer
from ._counter import Counter, axis_of_edges, not_distinct
from ._native import ffi, lib
from ._progress import STRIDE
from ._queue import queue_of
from ._status import check

KEPT = 16  # histograms that a thread keeps, over edges that come again
KEPT_BYTES = 1 << 16  # the most edges, which are compared each time
# Whether numpy.linspace computes in the type of float32 numbers, as since NumPy 2.
LIKE_NUMPY_2 = np.linspace(np.float32(0), np.float32(1), 2).dtype == np.float32

# Names that are looked up faster so.
_INT64, _FLOAT64, _FLOAT32 = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.float32)
_SINGLE, _type_of, _from_buffer, _empty, _ndarray = lib.UH_F32, TYPES.get, ffi.from_buffer, np.empty, np.ndarray
_count, _count_equal, _count_equal_f32 = lib.uhpy_count, lib.uhpy_count_equal, lib.uhpy_count_equal_f32


class _Kept:
    """What a thread keeps: histograms of C's for edges by their bytes; and what it had last, behind its key, as to
    compare bytes takes less time than to hash them."""

    __slots__ = ("counters", "counter", "queue")

    def __init__(self) -> None:
        self.counters: dict[Any, Counter] = {}
        self.counter: Any = None, None, None, None  # a histogram, its queue's lock, and how many bins it has
        self.queue: Any = None, None, None  # a queue, and its lock


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.kept = _Kept()


_of_thread = _OfThread()


@atexit.register
def _forget() -> None:
    _of_thread.kept = _Kept()


os.register_at_fork(after_in_child=_forget)  # as queues are


def _over(kept: _Kept, key: Any) -> Any:
    """What is to be kept of these edges."""
    counter = kept.counters.get(key)
    dtype, edges, device, threads = key
    if counter is None:
        axis = axis_of_edges(np.frombuffer(edges, dtype), lib.UH_CLOSED_LEFT)
        counter = Counter.over(queue_of(device, threads), [axis])
        if len(kept.counters) >= KEPT:
            del kept.counters[next(iter(kept.counters))]
        kept.counters[key] = counter
    kept.counter = key, counter.handle, counter.queue.lock, len(edges) // dtype.itemsize - 1
    return kept.counter


def _queue(kept: _Kept, where: Any) -> Any:
    """What is to be kept of a queue."""
    queue = queue_of(*where)
    kept.queue = where, queue.handle, queue.lock
    return kept.queue


def count_at_once(a: Array, bins: Any, range: Any, device: Optional[str],
                  threads: Optional[int]) -> Optional[tuple[Array, Array]]:
    """Counts, and the edges: given ones, or equal bins as C makes them. None where that is not what is asked for."""
    dtype, size = _type_of(a.dtype), a.size
    if dtype is None or size > STRIDE:
        return None
    try:
        data, stride = _from_buffer(a), a.itemsize
    except (BufferError, ValueError):  # it is no block
        if a.ndim != 1:
            return None
        data, stride = pointer(a), a.strides[0]
    kept = _of_thread.kept
    if type(bins) is _ndarray:
        if bins.nbytes > KEPT_BYTES or bins.ndim != 1:
            return None
        key = bins.dtype, bins.tobytes(), device, threads
        had, handle, lock, number = kept.counter
        if had != key:
            if bins.size < 2 or bins.dtype not in TYPES:
                return None
            _, handle, lock, number = _over(kept, key)  # C finds where they decrease
        counts = _empty(number, _INT64)
        with lock:
            status = _count(handle, dtype, data, stride, size, _from_buffer(counts))
            if status:
                check(status)
        return counts, bins
    if type(bins) is not int or bins < 1:
        return None
    if range is None:
        ranged, first, last = False, 0, 0
    else:
        ranged, (first, last) = True, range
        if not (type(first) is int or type(first) is float) or not (type(last) is int or type(last) is float):
            return None
    if dtype != _SINGLE:
        count, edges = _count_equal, _empty(bins + 1, _FLOAT64)
    elif LIKE_NUMPY_2:
        count, edges = _count_equal_f32, _empty(bins + 1, _FLOAT32)
    else:
        return None
    where = device, threads
    had, handle, lock = kept.queue
    if had != where:
        _, handle, lock = _queue(kept, where)
    counts = _empty(bins, _INT64)
    with lock:
        status = count(handle, dtype, data, stride, size, bins, ranged, first, last, _from_buffer(counts),
                       _from_buffer(edges))
        if status:
            if status == lib.UHPY_NOT_DONE:
                return None
            if status == lib.UHPY_NOT_DISTINCT:
                raise not_distinct(bins)
            check(status)
    return counts, edges
