# SPDX-License-Identifier: Apache-2.0
"""Histograms that are filled piece by piece."""
from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arithmetic import Arithmetic
from ._arrays import Array, as_array, as_weights, known, out
from ._arrow import columns_of, whole
from ._axis import Axis, checked, kept
from ._contents import as_cells
from ._counter import Counter, Kept, loaded, saved
from ._dates import as_dates
from ._native import ffi, lib
from ._progress import Progress
from ._queue import Queue
from ._saved import counter_of, read, written
from ._shown import picture_of, text_of
from ._slices import part_of, place_of
from ._small import add
from ._status import named, structure
from ._uhi import from_uhi, to_uhi


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
    mean: Any
    variance: float
    deviation: Any
    skewness: float
    kurtosis: float


class Histogram(Arithmetic):
    """
    A histogram over 1 to 8 axes, exact for any order and division of the data. Several threads may use it.

    Parameters
    ----------
    *axes : Axis or 1-D array_like
        The axes; an array is the edges of one. Or one histogram of boost-histogram, `hist` or another package with
        `_to_uhi_`, or what that returns, to copy.
    storage : {"count", "sum", "weighted", "mean", "u8", "u16"}
        The content of a cell: the number of points; the sum of their weights; that and the sum of squared weights;
        number, mean and variance of samples; or a number that saturates at 255 or 65535.
    sum : {"exact", "fast"}
        The addition of weights: as real numbers, rounded once; or as float64 in any order.
    method : str
        The look-up, "auto", "mesh" or "binary", which changes only the speed.
    device, threads
        As in `unihist.histogram`.
    name, label, metadata
        Any objects, which the histogram keeps.

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

    name = kept("name", "", "The name.")
    label = kept("label", "", "The label of pictures.")
    metadata = kept("metadata", None, "Any object.")

    def __init__(self, *axes: Union[Axis, npt.ArrayLike], storage: str = "count", sum: str = "exact",
                 method: str = "auto", device: Optional[str] = None, threads: Optional[int] = None,
                 **about: Any) -> None:
        if len(axes) == 1 and (isinstance(axes[0], dict) or hasattr(axes[0], "_to_uhi_")):
            found = from_uhi(axes[0], type(self), device, threads)
            self._set(found._counter, device, threads, found._abouts, {**found._about, **about})
            return
        if counts := [axis for axis in axes if hasattr(axis, "axes") and hasattr(axis, "values")]:
            raise TypeError(f"a {type(counts[0]).__name__} is given, expected axes, edges, or one histogram of uhi's")
        over = [axis if isinstance(axis, Axis) else Axis(axis) for axis in axes]
        methods = ffi.new("uh_method[]", [named(lib.UH_ENUM_METHOD, "method", method)] * len(over))
        counter = Counter.over(Queue(device, threads), [axis._handle for axis in over],
                               named(lib.UH_ENUM_STORAGE, "storage", storage), [axis._unit for axis in over],
                               sum=named(lib.UH_ENUM_SUM, "sum", sum), methods=methods)
        self._set(counter, device, threads, [dict(axis._about) for axis in over], checked(about))

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
        coordinates, in order, but for one that `weight` or `sample` names; a stream is counted chunk after chunk, while
        the next ones are read, and adds nothing if it fails.
        """
        if weight is None and sample is None and not progress and self._plain:
            with self._lock, self._counter.queue.lock:
                if add(self._plain, coordinates):
                    return self
        if weight is not None and sample is not None:
            raise ValueError("weight and sample are both given, expected one")
        given = weight if sample is None else sample
        name = "weight" if sample is None else "sample"
        axes = self.axes
        is_table = len(coordinates) == 1 and not any(axis._texts() for axis in axes)
        arrays: list[Any] = columns_of(coordinates[0]) if is_table else []
        if isinstance(given, str):
            names = [column.name for column in arrays]
            if names.count(given) != 1:
                raise ValueError(f"{name} is {given!r}, expected one of the columns {names}")
            given = arrays.pop(names.index(given))
        elif arrays and given is not None:
            arrays = whole(arrays)
        arrays = arrays or [as_array(a) for a in coordinates]
        arrays = [axis._numbers(a) for axis, a in zip(axes, arrays)] + arrays[len(axes):]
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

    # ---- reading

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
        """Estimated quantiles of the values on one axis, as if values were spread evenly over their bin; dates are
        rounded to their unit."""
        wanted = np.ascontiguousarray(known(as_array(probabilities), "probabilities"), float)
        found = np.empty(wanted.shape)
        self._counter.call(lib.uh_histogram_quantiles, out("double", wanted), wanted.size, out("double", found))
        unit = self._counter.unit(0)
        return found if unit is None else as_dates(found, unit)

    def moments(self, axis: int = 0) -> Moments:
        """Estimated moments of the values on an axis, as if values lay in the middle of their bin. Of dates the mean is a
        date, the deviation a duration, both rounded to their unit, and the variance in squares of it."""
        found = structure("uh_moments")
        self._counter.call(lib.uh_histogram_moments, axis, found)
        made, unit = Moments(*(getattr(found, name) for name in Moments._fields)), self._counter.unit(axis)
        if unit is None:
            return made
        duration = np.dtype(unit.str.replace("M", "m"))
        return made._replace(mean=as_dates(made.mean, unit), deviation=as_dates(made.deviation, duration))

    # ---- parts

    def _to_uhi_(self) -> dict[str, Any]:
        """The histogram in the form of the package uhi, schema 1, for its modules of files and for other packages. A
        variance of samples is rounded."""
        return to_uhi(self)

    @classmethod
    def _from_uhi_(cls, data: Any) -> Histogram:
        return cls(data)

    def _to_boost_histogram_(self) -> Any:
        """For `boost_histogram.Histogram(h)` and `hist.Hist(h)`."""
        return importlib.import_module("boost_histogram").Histogram(self._to_uhi_())

    def __getitem__(self, index: Any) -> Any:
        """
        A part by the unified histogram interface, as in boost-histogram and `hist`, or a number if no axis is left.

        An axis is indexed by a bin, flow bins not counted; by `underflow` or `overflow`; by `loc(x)`, the bin of a
        value, or 1.5j for `loc(1.5)`; or by a range of them, in which an edge is the bin that begins there. Bins that a
        range leaves out go into flow bins, if the axis has them, otherwise outside. The step of a range is `sum`, which
        adds the bins, with flow bins at an end without bound, or a `rebin`; either alone applies to all bins. A list
        picks categories. A dict has indices of some axes, by their numbers or names. Arrays of bins give an array.
        """
        with self._lock:
            return part_of(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """
        Sets cells to a number, an array or the cells of a histogram. An array that is larger by the flow bins at the
        ends without bound sets these too, as in boost-histogram.
        """
        with self._lock:
            cells = np.array(self.view(flow=True))
            given = as_cells(value, cells.dtype)
            cells[place_of(self.axes, index, given, value)] = given
            self._write(cells)

    # ---- kept

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the histogram to a file, with its names, labels, and metadata of texts, numbers, lists and dicts. Also
        `unihist merge` and C read it, but refuse axes of dates, durations and texts."""
        with self._lock:
            if not written(self._counter, self._abouts, self._about, os.path.realpath(path)):
                self._counter.call(lib.uh_histogram_save, os.fsencode(path))

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], *, device: Optional[str] = None,
             threads: Optional[int] = None) -> Histogram:
        """Reads a file of `save`, C or the command."""
        queue, found = Queue(device, threads), read(os.fspath(path))
        if found is None:
            counter = Counter.made_on(queue, lib.uh_histogram_load, os.fsencode(path))
            return cls._of(counter, device, threads, None, {})
        sections, notes = found
        counter = counter_of(sections, queue, [unit and np.dtype(unit) for unit in notes["units"]])
        return cls._of(counter, device, threads, notes["axes"], notes["about"])

    @classmethod
    def _of_kept(cls, kept: Kept, device: Optional[str], threads: Optional[int],
                 abouts: Optional[Sequence[dict[str, Any]]], about: dict[str, Any]) -> Histogram:
        return cls._of(loaded(kept, Queue(device, threads)), device, threads, abouts, about)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of_kept, (saved(self._counter), *self._where, self._abouts, self._about)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        with self._with(other):
            cells = zip(self.contents(True), other.contents(True))
            return (self.storage == other.storage and self.axes == other.axes and
                    all(np.array_equal(a, b, equal_nan=True) for a, b in cells))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        axes, (inside, outside) = ", ".join(map(repr, self.axes)), self.total()
        return f"{type(self).__name__}({axes}, storage={self.storage!r}) of {inside} points, {outside} outside"

    def __str__(self) -> str:
        with self._lock:
            if self.ndim > 1:
                return repr(self)
            return f"{self!r}\n{text_of(self.axes[0], self.values(flow=True), self.flow())}"

    def _repr_png_(self) -> Optional[bytes]:
        values, *edges = self.to_numpy()
        return picture_of(edges, values)
