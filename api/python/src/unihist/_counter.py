# SPDX-License-Identifier: Apache-2.0
"""The C library's histogram, for functions and classes; and its bytes, for pickles."""
from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Optional, Union

import numpy as np

from ._arrays import TYPES, Array, as_signed, c_arrays, known, out, pieces, read_as, weight_as
from ._arrow import Column, groups_of
from ._dates import INTEGER, MIN, as_unit, integers, rounded
from ._native import ffi, lib
from ._progress import Progress, progress_of
from ._queue import Queue, Where, queue_of, selector_of
from ._remote import Remote
from ._status import call, check, made, properties, structure


HUGE = np.finfo(float).max / 2
Unit = Optional[np.dtype[Any]]  # of an axis of dates or durations; None of numbers


def axis_and_unit(edges: Array, closed: int, like: Unit = None) -> tuple[Any, Unit]:
    """An axis of C, and the unit of dates or durations: if possible that of values of type `like`."""
    if edges.dtype.kind not in "mM":
        return axis_of_edges(edges, closed), None
    numbers, unit = as_unit(known(edges, "edges"), like)
    if (numbers[:-1] > numbers[1:]).any():
        raise ValueError(f"edges are {edges}, expected instants that do not decrease")
    return axis_of_edges(numbers, closed), unit


def axis_of_edges(edges: Array, closed: int) -> Any:
    """An axis of C; edges of types that C lacks are converted."""
    edges = np.ascontiguousarray(edges, read_as(edges.dtype))
    return made(lib.uh_axis_create_edges, "uh_axis", lib.uh_axis_destroy, TYPES[edges.dtype], ffi.from_buffer(edges),
                edges.size, closed)


def axis_for_many(edges: Array, like: Unit = None) -> tuple[Any, Unit]:
    """The same for many values: equal bins are declared as such, because their plan is faster."""
    if edges.dtype == np.float64 and np.isfinite(edges).all() and 0 < edges[-1] / 2 - edges[0] / 2 < HUGE:
        equal = made(lib.uh_axis_create_regular, "uh_axis", lib.uh_axis_destroy, lib.UH_SPACING_EQUAL, edges.size - 1,
                     edges[0], edges[-1], lib.UH_CLOSED_LEFT)
        about = properties("uh_axis_properties", lib.uh_axis_get_properties, equal)
        if np.array_equal(np.frombuffer(ffi.buffer(about.edges, edges.nbytes)), edges):
            return equal, None
    return axis_and_unit(edges, lib.UH_CLOSED_LEFT, like)


class Counter:
    """A histogram of C, and the units of its axes; none if all are of numbers."""

    __slots__ = ("handle", "queue", "units")

    def __init__(self, queue: Queue, handle: Any, units: Sequence[Unit] = ()) -> None:
        self.queue = queue
        self.handle = handle
        self.units = tuple(units) if any(units) else ()

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of C with the histogram as first argument."""
        with self.queue.lock:
            call(function, self.handle, *arguments)

    @classmethod
    def over(cls, queue: Queue, axes: Sequence[Any], storage: int = lib.UH_STORAGE_COUNT, units: Sequence[Unit] = (),
             **options: Any) -> Counter:
        """An empty histogram over axes of C."""
        chosen = structure("uh_histogram_options", storage=storage, **options)
        return cls.made_on(queue, lib.uh_histogram_create, list(axes), len(axes), chosen, units=units)

    @classmethod
    def made_on(cls, queue: Queue, create: Any, *arguments: Any, units: Sequence[Unit] = ()) -> Counter:
        """A histogram that a call of C makes on a queue."""
        with queue.lock:
            handle = made(create, "uh_histogram", lib.uh_histogram_destroy, queue.handle, *arguments, of=queue)
        return cls(queue, handle, units)

    def derived(self, make: Any, *arguments: Any) -> Counter:
        """A histogram that a call of C derives from this one."""
        with self.queue.lock:
            handle = made(make, "uh_histogram", lib.uh_histogram_destroy, self.handle, *arguments, of=self.queue)
        units = self.units
        if units and make == lib.uh_histogram_project:
            units = tuple(units[axis] for axis in arguments[0])
        return Counter(self.queue, handle, units)

    def unit(self, axis: int) -> Unit:
        """The unit of an axis of dates or durations."""
        return self.units[axis] if self.units else None

    def fill(self, arrays: Sequence[Array], weights: Optional[Array] = None, progress: Progress = False,
             names: dict[str, str] = {}) -> None:
        """Adds points: an array per axis, all of one shape, or columns. What is missing counts as NaN. `names` are
        those of `check`."""
        given = [*arrays, *([] if weights is None else [weights])]
        with progress_of(progress, "fill", max(arrays[0].size, 0) if arrays else 0) as advance:
            if given and isinstance(given[0], Column):
                self._add_columns(given, len(arrays), advance, names)
            else:
                self._add(arrays, weights, advance, names)
            if any(isinstance(a, Remote) for a in given):
                self.queue.call(lib.uh_queue_wait)  # their memory may be freed then

    def _add_columns(self, columns: Sequence[Any], dims: int, advance: Callable[[int], None],
                     names: dict[str, str]) -> None:
        """Adds the points of a table, or none if it cannot be read to its end. Of several chunks another thread counts some
        while this one reads the next."""
        groups, done, work = groups_of(columns), 0, Future[None]()
        first = list(itertools.islice(groups, 2))
        if [len(chunks) for chunks, _ in first] == [1]:
            self._add_chunks(first[0][0], columns, dims, names, done)
            return advance(first[0][1])
        about = properties("uh_queue_properties", lib.uh_queue_get_properties, self.queue.handle)
        queue = Queue(selector_of(about.device), max(about.threads - 1, 1))
        part = loaded(saved(self), queue)
        part.call(lib.uh_histogram_reset)
        work.set_result(None)
        with ThreadPoolExecutor(1) as pool:
            for chunks, rows in itertools.chain(first, groups):
                work.result()
                work = pool.submit(part._add_chunks, chunks, columns, dims, names, done)
                done += rows
                advance(rows)
            work.result()
        self.call(lib.uh_histogram_merge, part.handle)

    def _add_chunks(self, chunks: Sequence[Any], columns: Sequence[Any], dims: int, names: dict[str, str],
                    done: int) -> None:
        types = [column.dtype for column in columns if column.dtype == column.stored]
        in_c = len(types) == dims == len(columns) and TYPES.keys() >= set(types) and not self.units
        arrays = ffi.new("uh_array[]", [(TYPES[dtype], ffi.NULL, dtype.itemsize, 0) for dtype in types if in_c])
        places = ffi.new("int[]", [column.place for column in columns])
        for chunk in chunks:
            with self.queue.lock:
                status = lib.uhpy_fill_chunk(self.handle, chunk, dims, places, arrays) if in_c else lib.UHPY_NOT_DONE
            if status == lib.UHPY_NOT_DONE:
                row = [column.read(chunk) for column in columns]
                weights = known(row[dims], "weights in a chunk", nan=False) if row[dims:] else None
                self._add(row[:dims], weights, lambda more: None, names, done)
            else:
                check(status, names, done)
            done += chunk.length

    def _add(self, arrays: Sequence[Array], weights: Optional[Array], advance: Callable[[int], None],
             names: dict[str, str], done: int = 0) -> None:
        given, dims = weights is not None, len(arrays)
        masks = {axis: np.ma.getmaskarray(a) for axis, a in enumerate(arrays) if isinstance(a, np.ma.MaskedArray)}
        if masks and dims == 1 and lib.uh_histogram_prepare(self.handle, [lib.UH_F32]):  # an axis that grows has no NaN
            at = ~masks.pop(0)
            arrays, weights = [np.ma.getdata(arrays[0])[at]], None if weights is None else weights[at]
        whole = [integers(np.ma.getdata(a)) for a in arrays]
        types = [read_as(a.dtype) for a in whole]
        readers = {axis: self._reader(axis, a.dtype) for axis, a in enumerate(arrays)
                   if a.dtype.kind in "mM" or self.unit(axis) is not None}
        if weights is not None:
            whole, types = [*whole, integers(weights)], [*types, weight_as(integers(weights).dtype)]
        for piece in pieces([*whole, *masks.values()], [*types, *[np.dtype(bool)] * len(masks)]):
            rows, missing = list(piece[:dims + given]), dict(zip(masks, piece[dims + given:]))
            for axis, read in readers.items():
                rows[axis], nat = read(rows[axis]), rows[axis] == MIN
                missing[axis] = missing[axis] | nat if axis in missing else nat
            if given:
                rows[dims] = as_signed(rows[dims])
            for part in _parts(rows, missing):
                c_rows = c_arrays(part)
                with self.queue.lock:
                    check(lib.uh_histogram_fill(self.handle, c_rows, c_rows + dims if given else ffi.NULL), names, done)
            done += rows[0].size
            advance(rows[0].size)

    def index(self, values: Array) -> Array:
        """The place of each value of a row on the only axis: 0 below it, one more than its bins above it or missing."""
        whole, found = integers(np.ma.getdata(values)), np.empty(values.size, np.int64)
        row, missing = np.ascontiguousarray(whole, read_as(whole.dtype)), np.ma.getmaskarray(values)
        if values.dtype.kind in "mM" or self.unit(0) is not None:
            row, missing = self._reader(0, values.dtype)(row), missing | (row == MIN)
        self.call(lib.uh_histogram_digitize, c_arrays([row]), lib.UH_I64, ffi.from_buffer(found))
        found[missing] = self.cells() + 1
        return found

    def _reader(self, axis: int, dtype: np.dtype[Any]) -> Callable[[Array], Array]:
        """What makes values of dates or durations, as integers, comparable with the edges of an axis."""
        unit = self.unit(axis)
        if unit is None or dtype.kind != unit.kind:
            raise TypeError(f"values are of {dtype}, expected {'numbers' if unit is None else unit}, as edges are")
        if dtype.newbyteorder("=") == unit:
            return lambda row: row
        about = properties("uh_axis_properties", lib.uh_axis_get_properties, lib.uh_histogram_axis(self.handle, axis))
        below, above = (about.flow_bins & flow != 0 for flow in (lib.UH_FLOW_BINS_BELOW, lib.UH_FLOW_BINS_ABOVE))
        edges = about.edges if about.integers == ffi.NULL else about.integers
        first, last = int(edges[below]), int(edges[about.bins - above])
        up = about.closed in (lib.UH_CLOSED_RIGHT, lib.UH_HALF_OPEN_RIGHT)
        return lambda row: rounded(row, dtype.newbyteorder("="), unit, up, first, last)

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
        """Sums of weights of this type: of floats in this type, rounded once; of durations in theirs; of integers as
        int64, or as uint64 if they have no sign and need it. OverflowError if the type does not hold one."""
        if dtype.kind == "f":
            sums = self._sums(np.dtype(np.float64 if dtype.itemsize == 8 else np.float32))
            return sums.astype(dtype, copy=False)
        try:
            sums = self._sums(INTEGER)
        except OverflowError:
            if dtype.kind != "u":
                raise
            return self._sums(np.dtype(np.uint64))
        if dtype.kind != "m":
            return sums
        if (sums == MIN).any():
            raise OverflowError(f"a sum of weights is -2**63, which is NaT of {dtype}")
        return sums.view(dtype.newbyteorder("="))

    def _sums(self, dtype: np.dtype[Any]) -> Array:
        sums = np.empty(self.cells(), dtype)
        self.call(lib.uh_histogram_sums, TYPES[dtype], ffi.from_buffer(sums), ffi.NULL)
        return sums


def _parts(rows: list[Array], missing: dict[int, Array]) -> Iterator[list[Array]]:
    """Rows without missing values as they are, and of the others, which some axes lack, NaN there."""
    if not missing:
        yield rows
        return
    (axis, lacks), *others = missing.items()
    for which in (~lacks, lacks) if lacks.any() else (slice(None),):
        part = [row[which] for row in rows]
        if which is lacks:
            part[axis] = np.full(part[axis].size, np.nan, np.float32)
        if part[axis].size:
            yield from _parts(part, {other: mask[which] for other, mask in others})


def filled(axes: Sequence[Any], arrays: Sequence[Array], weights: Optional[Array], where: Where, progress: Progress,
           floats: bool = False, names: dict[str, str] = {}, **options: Any) -> Array:
    """Counts as int64, or sums of weights, of points over axes of C. Sums have the type of Counter.sums; with `floats`,
    as NumPy has it, float64, but OverflowError if that rounds a sum of integers. Complex weights add up to such."""
    if weights is not None and weights.dtype.kind == "c":
        real, imag = (filled(axes, arrays, part, where, progress, floats, names, **options)
                      for part in (weights.real, weights.imag))
        return complex_of(real, imag)
    storage = lib.UH_STORAGE_COUNT if weights is None else lib.UH_STORAGE_SUM
    counter = Counter.over(queue_of(*where), axes, storage, **options)
    counter.fill(arrays, weights, progress, names)
    return cells_of(counter, None if weights is None else weights.dtype, floats)


def cells_of(counter: Counter, dtype: Optional[np.dtype[Any]], floats: bool = False) -> Array:
    """Counts, or the sums of real weights of a type; see `filled`."""
    if dtype is None:
        return counter.counts()
    sums = counter.sums(np.dtype(float) if floats and dtype.kind == "f" else dtype)
    return _as_floats(sums) if floats and dtype.kind in "iub" else sums


def cell_type(dtype: Optional[np.dtype[Any]], floats: bool = False) -> np.dtype[Any]:
    """The type of what cells_of returns; int64 also where sums of unsigned weights may need uint64."""
    if dtype is None or dtype.kind in "iub" and not floats:
        return INTEGER
    return np.dtype(float) if floats and dtype.kind != "m" else dtype


def complex_of(real: Array, imag: Array) -> Array:
    """The complex numbers of these parts."""
    made = np.empty(real.shape, np.result_type(real, np.complex64))
    made.real, made.imag = real, imag
    return made


def _as_floats(sums: Array) -> Array:
    found: Array = sums.astype(float)
    for at in np.flatnonzero(np.abs(found) >= 1 << 53).tolist():
        if int(found[at]) != int(sums[at]):
            raise OverflowError(f"the sum of weights in cell {at} is {sums[at]}, which float64 rounds: convert the "
                                "weights to float64 for a rounded sum")
    return found


# ---- pickles: the saved form, or only its non-zero words if these are few


# The saved form, or length, indices and values of words; and units of axes.
Kept = tuple[Union[bytes, tuple[int, Array, Array]], tuple[Unit, ...]]
WORD = np.dtype("<u8")


def saved_bytes(counter: Counter) -> Array:
    """The saved form: bytes of whole words."""
    length = ffi.new("size_t *")
    with counter.queue.lock:
        counter.call(lib.uh_histogram_save_bytes, ffi.NULL, 0, length)
        whole = np.zeros(length[0], np.uint8)
        counter.call(lib.uh_histogram_save_bytes, ffi.from_buffer(whole), length[0], length)
    return whole


def loaded_bytes(whole: Any, queue: Queue, units: Sequence[Unit] = ()) -> Counter:
    """The histogram of a saved form, on a queue."""
    return Counter.made_on(queue, lib.uh_histogram_load_bytes, ffi.from_buffer(whole), len(whole), units=units)


def saved(counter: Counter) -> Kept:
    """A histogram in the form that is pickled."""
    whole = saved_bytes(counter).view(WORD)
    places = np.flatnonzero(whole)
    if 2 * places.size > whole.size:
        return whole.tobytes(), counter.units
    narrow = np.uint32 if whole.size <= 1 << 32 else np.uint64
    return (whole.nbytes, places.astype(narrow), whole[places]), counter.units


def loaded(kept: Kept, queue: Queue) -> Counter:
    """The histogram of a pickle, on a queue."""
    content, units = kept
    if isinstance(content, bytes):
        return loaded_bytes(content, queue, units)
    length, places, words = content
    whole = np.zeros(-(-length // WORD.itemsize), WORD)
    whole[places] = words
    return loaded_bytes(whole.view(np.uint8), queue, units)
