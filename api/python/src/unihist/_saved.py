# SPDX-License-Identifier: Apache-2.0
"""Histograms as bytes, for pickles: the saved form, or only its non-zero words if these are few."""
from __future__ import annotations

from typing import Any, Union

import numpy as np

from ._arrays import Array
from ._counter import Counter
from ._native import ffi, lib
from ._queue import Queue

Kept = Union[bytes, tuple[int, Array, Array]]  # the saved form; or length, indices and values

WORD = np.dtype("<u8")


def saved(counter: Counter) -> Kept:
    """A histogram in the form that is pickled."""
    length = ffi.new("size_t *")
    with counter.queue.lock:
        counter.call(lib.uh_histogram_save_bytes, ffi.NULL, 0, length)
        whole = np.zeros(-(-length[0] // WORD.itemsize), WORD)
        counter.call(lib.uh_histogram_save_bytes, ffi.from_buffer(whole), length[0], length)
    places = np.flatnonzero(whole)
    if 2 * places.size > whole.size:
        return whole.tobytes()[:length[0]]
    narrow = np.uint32 if whole.size <= 1 << 32 else np.uint64
    return length[0], places.astype(narrow), whole[places]


def loaded(kept: Kept, queue: Queue) -> Counter:
    """The histogram of a pickle, on a queue."""
    if isinstance(kept, bytes):
        return _loaded(ffi.from_buffer(kept), len(kept), queue)
    length, places, words = kept
    whole = np.zeros(-(-length // WORD.itemsize), WORD)
    whole[places] = words
    return _loaded(ffi.from_buffer(whole), length, queue)


def _loaded(pointer: Any, length: int, queue: Queue) -> Counter:
    return Counter.made_on(queue, lib.uh_histogram_load_bytes, pointer, length)
