# SPDX-License-Identifier: Apache-2.0
"""Reading histograms."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Array, out
from ._axis import Axis
from ._counter import Counter
from ._native import ffi, lib
from ._status import text


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
    skewness: float
    kurtosis: float


class Reads:
    """The methods of Histogram that change nothing."""

    _counter: Counter
    _lock: Any

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
        found = ffi.new("uh_moments *", {"struct_size": ffi.sizeof("uh_moments")})
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
