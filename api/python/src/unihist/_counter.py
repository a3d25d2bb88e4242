# SPDX-License-Identifier: Apache-2.0
"""The C library's histogram, for functions and classes; and its bytes, for pickles."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from ._arrays import TYPES, Array, c_arrays, out, pieces, read_as, weight_as
from ._native import ffi, lib
from ._progress import Progress, progress_of
from ._queue import Queue, Where, queue_of
from ._status import call, check, made, properties, structure


def axis_of_edges(edges: Array, closed: int) -> Any:
    """An axis of C; edges of types that C lacks are converted."""
    edges = np.ascontiguousarray(edges, read_as(edges.dtype))
    return made(lib.uh_axis_create_edges, "uh_axis", lib.uh_axis_destroy, TYPES[edges.dtype], ffi.from_buffer(edges),
                edges.size, closed)


def axis_for_many(edges: Array) -> Any:
    """The same for many values: equal bins are declared as such, because their plan is faster."""
    if edges.dtype == np.float64 and np.isfinite(edges).all() and edges[0] < edges[-1]:
        equal = made(lib.uh_axis_create_regular, "uh_axis", lib.uh_axis_destroy, lib.UH_SPACING_EQUAL, edges.size - 1,
                     edges[0], edges[-1], lib.UH_CLOSED_LEFT)
        about = properties("uh_axis_properties", lib.uh_axis_get_properties, equal)
        if np.array_equal(np.frombuffer(ffi.buffer(about.edges, edges.nbytes)), edges):
            return equal
    return axis_of_edges(edges, lib.UH_CLOSED_LEFT)


class Counter:
    """A histogram of C."""

    __slots__ = ("handle", "queue")

    def __init__(self, queue: Queue, handle: Any) -> None:
        self.queue = queue
        self.handle = handle

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of C with the histogram as first argument."""
        with self.queue.lock:
            call(function, self.handle, *arguments)

    @classmethod
    def over(cls, queue: Queue, axes: Sequence[Any], storage: int = lib.UH_STORAGE_COUNT, **options: Any) -> Counter:
        """An empty histogram over axes of C."""
        chosen = structure("uh_histogram_options", storage=storage, **options)
        return cls.made_on(queue, lib.uh_histogram_create, list(axes), len(axes), chosen)

    @classmethod
    def made_on(cls, queue: Queue, create: Any, *arguments: Any) -> Counter:
        """A histogram that a call of C makes on a queue."""
        with queue.lock:
            handle = made(create, "uh_histogram", lib.uh_histogram_destroy, queue.handle, *arguments, of=queue)
        return cls(queue, handle)

    def derived(self, make: Any, *arguments: Any) -> Counter:
        """A histogram that a call of C derives from this one."""
        with self.queue.lock:
            handle = made(make, "uh_histogram", lib.uh_histogram_destroy, self.handle, *arguments, of=self.queue)
        return Counter(self.queue, handle)

    def fill(self, arrays: Sequence[Array], weights: Optional[Array] = None, progress: Progress = False,
             names: dict[str, str] = {}) -> None:
        """Adds points: an array per axis, all of one shape. `names` are those of `check`."""
        size = arrays[0].size if arrays else 0
        types = [read_as(a.dtype) for a in arrays]
        if weights is not None:
            arrays, types = [*arrays, weights], [*types, weight_as(weights)]
        done = 0
        with progress_of(progress, "fill", size) as advance:
            for piece in pieces(arrays, types):
                rows = c_arrays(piece)
                last = rows + len(piece) - 1 if weights is not None else ffi.NULL
                with self.queue.lock:
                    check(lib.uh_histogram_fill(self.handle, rows, last), names, done)
                done += piece[0].size
                advance(piece[0].size)

    def cells(self) -> int:
        """The number of cells."""
        return int(self.properties().cells)

    def properties(self) -> Any:
        """The properties of the histogram."""
        return properties("uh_histogram_properties", lib.uh_histogram_get_properties, self.handle)

    def axes(self) -> int:
        """The number of axes."""
        return int(self.properties().naxes)

    def counts(self) -> Array:
        """The number of points of each cell."""
        counts = np.empty(self.cells(), np.int64)
        self.call(lib.uh_histogram_counts, out("uint64_t", counts))
        return counts

    def sums(self, dtype: np.dtype[Any]) -> Array:
        """Sums of weights in this type, converted as NumPy does if C lacks it."""
        wide = np.dtype(np.int64 if dtype.kind != "f" else np.float64 if dtype.itemsize == 8 else np.float32)
        sums = np.empty(self.cells(), wide)
        self.call(lib.uh_histogram_sums, TYPES[wide], ffi.from_buffer(sums), ffi.NULL)
        return sums.astype(dtype, copy=False)


def filled(axes: Sequence[Any], arrays: Sequence[Array], weights: Optional[Array], dtype: np.dtype[Any], where: Where,
           progress: Progress, names: dict[str, str] = {}, **options: Any) -> Array:
    """Counts as int64, or sums of weights as this type, of points over axes of C."""
    storage = lib.UH_STORAGE_COUNT if weights is None else lib.UH_STORAGE_SUM
    counter = Counter.over(queue_of(*where), axes, storage, **options)
    counter.fill(arrays, weights, progress, names)
    return counter.counts() if weights is None else counter.sums(dtype)


# ---- pickles: the saved form, or only its non-zero words if these are few


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
    whole: Any
    if isinstance(kept, bytes):
        whole, length = kept, len(kept)
    else:
        length, places, words = kept
        whole = np.zeros(-(-length // WORD.itemsize), WORD)
        whole[places] = words
    return Counter.made_on(queue, lib.uh_histogram_load_bytes, ffi.from_buffer(whole), length)
