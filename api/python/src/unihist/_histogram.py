# SPDX-License-Identifier: Apache-2.0
"""Histograms that are filled piece by piece."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, as_weights, known, out
from ._arrow import columns_of, whole
from ._axis import Axis
from ._counter import Counter, Kept, loaded, saved
from ._native import ffi, lib
from ._progress import Progress
from ._queue import Queue
from ._shown import picture_of, text_of
from ._slices import in_array, leaves_number, part, whole_index
from ._status import named, structure, text


class Flow(NamedTuple):
    """Numbers of points without a bin on an axis."""

    below: int
    above: int
    nan: int


class Total(NamedTuple):
    """Numbers of points in cells and in none."""

    inside: int
    outside: int


class Moments(NamedTuple):
    """Moments of the values on an axis, estimated from the bins."""

    total: float
    mean: float
    variance: float
    deviation: float
    skewness: float
    kurtosis: float


class Histogram:
    """
    A histogram over 1 to 8 axes, exact for any order and division of the data. Several threads may use it.

    Parameters
    ----------
    *axes : Axis or 1-D array_like
        The axes; an array is the edges of one.
    storage : {"count", "sum", "weighted", "mean", "u8", "u16"}
        The content of a cell: the number of points; the sum of their weights; that and the sum of squared weights;
        number, mean and variance of samples; or a number that saturates at 255 or 65535.
    sum : {"exact", "fast"}
        The addition of weights: as real numbers, rounded once; or as float64 in any order.
    method : str
        The look-up, "auto", "mesh" or "binary", which changes only the speed.
    device, threads
        As in `unihist.histogram`.

    Examples
    --------
    >>> from unihist import Axis, Histogram
    >>> h = Histogram(Axis.equal(3, 0, 3), [0, 1, 10])
    >>> h.fill([0.5, 2, 2, 7], [0, 5, 5, 5])
    Histogram(Axis([0., 1., 2., 3.]), Axis([ 0.,  1., 10.]), storage='count') of 3 points, 1 outside
    >>> h.values()
    array([[1, 0],
           [0, 0],
           [0, 2]])
    >>> h[2, :].values()
    array([0, 2])
    >>> h.flow(0)
    Flow(below=0, above=1, nan=0)
    """

    def __init__(self, *axes: Union[Axis, npt.ArrayLike], storage: str = "count", sum: str = "exact",
                 method: str = "auto", device: Optional[str] = None, threads: Optional[int] = None) -> None:
        over = [axis if isinstance(axis, Axis) else Axis(axis) for axis in axes]
        methods = ffi.new("uh_method[]", [named(lib.UH_ENUM_METHOD, "method", method)] * len(over))
        counter = Counter.over(Queue(device, threads), [axis._handle for axis in over],
                               named(lib.UH_ENUM_STORAGE, "storage", storage), [axis._unit for axis in over],
                               sum=named(lib.UH_ENUM_SUM, "sum", sum), methods=methods)
        self._set(counter, device, threads)

    def _set(self, counter: Counter, device: Optional[str], threads: Optional[int]) -> None:
        self._counter = counter
        self._lock = counter.queue.lock  # shared with its parts
        self._where = (device, threads)

    def _derived(self, counter: Counter) -> Histogram:
        return type(self)._of(counter, *self._where)

    @contextlib.contextmanager
    def _with(self, other: Histogram) -> Iterator[None]:
        """Both locks, in an order that is the same for all threads."""
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            yield

    # ---- filling

    def fill(self, *coordinates: npt.ArrayLike, weight: Optional[npt.ArrayLike] = None,
             sample: Optional[npt.ArrayLike] = None, progress: Progress = False) -> Histogram:
        """
        Adds points, and returns the histogram.

        The coordinates are an array per axis, all of one shape, each with its own type; they are not copied. A number
        applies to all points. Storages "sum" and "weighted" add `weight` per point, by default 1; storage "mean" keeps
        mean and variance of `sample`. `progress` is that of `unihist.histogram`. After an interruption, by Ctrl-C for
        example, the completed pieces are counted.

        The columns of an Arrow table or stream (`__arrow_c_stream__`: pyarrow's readers, DuckDB, polars) are the
        coordinates, in order, but for one that `weight` or `sample` names; a stream is counted chunk after chunk.
        """
        if weight is not None and sample is not None:
            raise ValueError("weight and sample are both given, expected one")
        given = weight if sample is None else sample
        name = "weight" if sample is None else "sample"
        arrays: list[Any] = columns_of(coordinates[0]) if len(coordinates) == 1 else []
        if isinstance(given, str):
            names = [column.name for column in arrays]
            if names.count(given) != 1:
                raise ValueError(f"{name} is {given!r}, expected one of the columns {names}")
            given = arrays.pop(names.index(given))
        elif arrays and given is not None:
            arrays = whole(arrays)
        arrays = arrays or [as_array(a) for a in coordinates]
        numbers = None if given is None else as_weights(given, name)
        if numbers is not None and numbers.dtype.kind in "cmM":
            raise TypeError(f"{name} is of {numbers.dtype}, expected real numbers")
        shapes = {a.shape for a in [*arrays, *([] if numbers is None else [numbers])] if a.ndim > 0}
        if len(shapes) > 1:
            raise ValueError(f"arrays have shapes {sorted(shapes)}, expected one")
        for shape in shapes:
            arrays = [a if a.ndim else np.broadcast_to(known(a, "a coordinate", nan=False), shape) for a in arrays]
            numbers = numbers if numbers is None or numbers.ndim else np.broadcast_to(numbers, shape)
        with self._lock:
            self._expect(weight is None or self.storage in ("sum", "weighted"), "weight")
            self._expect((sample is not None) == (self.storage == "mean"), "sample")
            if len(arrays) != self.ndim:
                raise ValueError(f"{len(arrays)} arrays are given, expected {self.ndim}, one per axis")
            self._counter.fill(arrays, numbers, progress)
        return self

    def _expect(self, holds: bool, what: str) -> None:
        if not holds:
            raise ValueError(f"{what}: the storage is {self.storage!r}")

    def reset(self) -> None:
        """Empties all cells and counters."""
        self._counter.call(lib.uh_histogram_reset)

    def __iadd__(self, other: Histogram) -> Histogram:
        if not isinstance(other, Histogram):
            return NotImplemented
        with self._with(other):
            if self._counter.units != other._counter.units:
                raise ValueError(f"axes have the units {other._counter.units}, expected {self._counter.units}")
            self._counter.call(lib.uh_histogram_merge, other._counter.handle)
        return self

    def __add__(self, other: Histogram) -> Histogram:
        if not isinstance(other, Histogram):
            return NotImplemented
        added = self.copy()
        added += other
        return added

    def __radd__(self, other: object) -> Histogram:
        return self.copy() if other == 0 else NotImplemented  # sum() begins with 0

    # ---- reading

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._counter.axes()

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of bins of each axis."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes; a growing axis in its current state."""
        with self._lock:
            return tuple(self._axis(axis) for axis in range(self.ndim))

    def _axis(self, axis: int) -> Axis:
        handle = lib.uh_histogram_axis(self._counter.handle, axis)
        if handle == ffi.NULL:
            raise MemoryError("no memory for the edges of the axis")
        found, cells = Axis._of(handle, self._counter.handle), self._counter.cells()
        found._unit = self._counter.unit(axis)
        if found._unit is not None:
            return found
        # The handle of a growing axis is valid until it grows: return an equal axis.
        if self.ndim == 1 and (not cells or found[0] == (0, 1) and found[-1] == (cells - 1, cells)):
            like = Axis.integers(0, cells - 1) if cells else Axis.growing()
            return like if like == found else found
        return found

    @property
    def storage(self) -> str:
        """The content of a cell."""
        return text(lib.uh_enum_name(lib.UH_ENUM_STORAGE, self._counter.properties().storage))

    @property
    def kind(self) -> str:
        """Of the unified histogram interface: "MEAN" if `values` are means, otherwise "COUNT"."""
        return "MEAN" if self.storage == "mean" else "COUNT"

    def contents(self) -> tuple[Array, ...]:
        """
        The whole content of cells: counts; sums, for storage "weighted" with the sums of squares; or counts, means and
        sums of squared deviations from the mean.
        """
        with self._lock:
            storage, shape, cells = self.storage, self.shape, self._counter.cells()
            if storage in ("sum", "weighted"):
                found = [np.empty(cells) for _ in range(1 if storage == "sum" else 2)]
                squares = ffi.from_buffer(found[1]) if storage == "weighted" else ffi.NULL
                self._counter.call(lib.uh_histogram_sums, lib.UH_F64, ffi.from_buffer(found[0]), squares)
            elif storage == "mean":
                found = [np.empty(cells, np.int64), np.empty(cells), np.empty(cells)]
                self._counter.call(lib.uh_histogram_means, out("uint64_t", found[0]), out("double", found[1]),
                                   out("double", found[2]))
            else:
                found = [self._counter.counts()]
            return tuple(a.reshape(shape) for a in found)

    def values(self) -> Array:
        """The counts, sums of weights or means of cells."""
        found = self.contents()
        return found[1] if self.kind == "MEAN" else found[0]

    def counts(self) -> Array:
        """
        The numbers of points of cells; for storage "weighted", the number of unweighted points with the same relative
        error; for storage "sum", the sums.
        """
        found = self.contents()
        if self.storage != "weighted":
            return found[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(found[1] == 0, 0.0, found[0] ** 2 / found[1])

    def variances(self) -> Optional[Array]:
        """
        The variances of `values`: the counts themselves, the sums of squared weights, or the variances of means, NaN
        for fewer than two points; None for storage "sum".
        """
        found = self.contents()
        if self.storage == "sum":
            return None
        if self.storage == "mean":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(found[0] > 1, found[2] / (found[0] - 1) / found[0], np.nan)
        return found[-1].astype(float)

    def density(self) -> Array:
        """The values divided by widths and by their sum, as in `histogram(density=True)`."""
        with self._lock:
            density = np.empty(self.shape)
            self._counter.call(lib.uh_histogram_density, out("double", density))
        return density

    def total(self) -> Total:
        """The numbers of points in cells and in none."""
        numbers = ffi.new("uint64_t[2]")
        self._counter.call(lib.uh_histogram_total, numbers, numbers + 1)
        return Total(*numbers)

    def flow(self, axis: int = 0) -> Flow:
        """The numbers of points below an axis, above it, and NaN on it."""
        flow = ffi.new("uh_flow *")
        self._counter.call(lib.uh_histogram_flow, axis, flow)
        return Flow(flow.below, flow.above, flow.nan)

    def quantiles(self, probabilities: npt.ArrayLike) -> Array:
        """Estimated quantiles of the values on one axis, as if values were spread evenly over their bin."""
        wanted = np.ascontiguousarray(probabilities, float)
        found = np.empty(wanted.shape)
        self._counter.call(lib.uh_histogram_quantiles, out("double", wanted), wanted.size, out("double", found))
        return found

    def moments(self, axis: int = 0) -> Moments:
        """Estimated moments of the values on an axis, as if values lay in the middle of their bin."""
        found = structure("uh_moments")
        self._counter.call(lib.uh_histogram_moments, axis, found)
        return Moments(*(getattr(found, name) for name in Moments._fields))

    def to_numpy(self) -> tuple[Array, ...]:
        """The values and the edges of each axis, as `histogram2d` returns them."""
        with self._lock:
            return (self.values(), *(axis.edges for axis in self.axes))

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        if copy is False:
            raise ValueError("values are computed when they are read: there is nothing to share")
        values = self.values()
        return values if dtype is None else values.astype(dtype)

    # ---- parts

    def copy(self) -> Histogram:
        """Another histogram with the same contents."""
        return self.project(*range(self.ndim))

    def project(self, *axes: int) -> Histogram:
        """The sum over all other axes; these axes in the given order."""
        return self._derived(self._counter.derived(lib.uh_histogram_project, axes, len(axes)))

    def __getitem__(self, index: Any) -> Any:
        """
        A part by the unified histogram interface, or a number if no axis is left.

        An axis is indexed by a bin, or by a range of bins with the step `sum`, which adds them, or `rebin(n)`, which
        joins n neighbours each; `sum` or `rebin(n)` alone applies to all bins; `loc(x)` is the bin of a value,
        `loc(x) + 1` the next. A dict has indices of some axes, by their numbers.
        """
        with self._lock:
            bins = whole_index(index, self.axes)
            number = all(map(leaves_number, bins))
            if number and (self.storage == "count" or all(isinstance(bin, int) for bin in bins)):
                return self.values()[tuple(map(in_array, bins))].sum().item()
            counter = self._counter
            for axis in reversed(range(len(bins))):  # the numbers of the other axes stay
                counter = part(counter, axis, bins[axis])
            left = self.copy() if counter is self._counter else self._derived(counter)
            return left.values().item() if number else left

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Histogram:
        return self.copy()

    # ---- kept

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the histogram to a file, which `unihist merge` and C also read."""
        self._counter.call(lib.uh_histogram_save, os.fsencode(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], *, device: Optional[str] = None,
             threads: Optional[int] = None) -> Histogram:
        """Reads a file of `save`, C or the command."""
        return cls._of(Counter.made_on(Queue(device, threads), lib.uh_histogram_load, os.fsencode(path)), device,
                       threads)

    @classmethod
    def _of(cls, counter: Counter, device: Optional[str], threads: Optional[int]) -> Histogram:
        histogram = cls.__new__(cls)
        histogram._set(counter, device, threads)
        return histogram

    @classmethod
    def _of_kept(cls, kept: Kept, device: Optional[str], threads: Optional[int]) -> Histogram:
        return cls._of(loaded(kept, Queue(device, threads)), device, threads)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of_kept, (saved(self._counter), *self._where)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        with self._with(other):
            return (self.storage == other.storage and self.axes == other.axes and
                    all(np.array_equal(a, b, equal_nan=True) for a, b in zip(self.contents(), other.contents())))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        axes, (inside, outside) = ", ".join(map(repr, self.axes)), self.total()
        return f"{type(self).__name__}({axes}, storage={self.storage!r}) of {inside} points, {outside} outside"

    def __str__(self) -> str:
        with self._lock:
            if self.ndim > 1:
                return repr(self)
            return f"{self!r}\n{text_of(self.axes[0], self.values(), self.flow())}"

    def _repr_png_(self) -> Optional[bytes]:
        values, *edges = self.to_numpy()
        return picture_of(edges, values)
