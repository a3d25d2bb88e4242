# SPDX-License-Identifier: Apache-2.0
"""Axes of histograms."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import TYPES, Array, as_array, c_arrays, out, read_as
from ._counter import Counter, axis_of_edges
from ._native import ffi, lib
from ._queue import queue_of
from ._saved import Kept, loaded, saved
from ._status import made, named, properties, text

CLOSED: dict[str, int] = {
    "left": lib.UH_CLOSED_LEFT,
    "right": lib.UH_CLOSED_RIGHT,
    "half-open left": lib.UH_HALF_OPEN_LEFT,
    "half-open right": lib.UH_HALF_OPEN_RIGHT,
}
CLOSED_NAMES = {value: name for name, value in CLOSED.items()}


class Traits(NamedTuple):
    """What scikit-hep's unified histogram interface asks of an axis."""

    circular: bool
    discrete: bool


def _closed(name: str) -> int:
    if name not in CLOSED:
        raise ValueError(f"closed is {name!r}, expected one of {list(CLOSED)}")
    return CLOSED[name]


class Axis:
    """
    The edges of bins in one dimension.

    Parameters
    ----------
    edges : 1-D array_like
        Two or more numbers of any type that do not decrease, infinities too. 64-bit integers are kept exactly.
    closed : {"left", "right", "half-open left", "half-open right"}
        Which end of a bin belongs to it: "left" is NumPy's, `edge[j] <= x < edge[j + 1]`, where the last bin has both
        ends; "right" is its mirror; half-open bins make no exception.

    Examples
    --------
    >>> from unihist import Axis
    >>> Axis([0, 1, 10])
    Axis([ 0.,  1., 10.])
    >>> Axis.equal(4, 0, 2).edges
    array([0. , 0.5, 1. , 1.5, 2. ])
    """

    def __init__(self, edges: npt.ArrayLike, *, closed: str = "left") -> None:
        array = np.asarray(edges)
        if array.ndim != 1:
            raise ValueError(f"edges have {array.ndim} dimensions, expected 1")
        self._set(axis_of_edges(array, _closed(closed)))

    def _set(self, handle: Any, keeps: object = None) -> None:
        self._handle = handle
        self._keeps = keeps  # what lends the handle

    @classmethod
    def _of(cls, handle: Any, keeps: object = None) -> Axis:
        axis = cls.__new__(cls)
        axis._set(handle, keeps)
        return axis

    @classmethod
    def _made(cls, create: Any, *arguments: Any) -> Axis:
        return cls._of(made(create, "uh_axis", lib.uh_axis_destroy, *arguments))

    @classmethod
    def equal(cls, bins: int, low: float, high: float, *, closed: str = "left") -> Axis:
        """Bins of one width, whose edges are those of `numpy.linspace(low, high, bins + 1)`."""
        return cls._made(lib.uh_axis_create_regular, lib.UH_SPACING_EQUAL, bins, low, high, _closed(closed))

    @classmethod
    def log(cls, bins: int, low: float, high: float, *, closed: str = "left") -> Axis:
        """Bins of which each is wider than the one before by the same factor: `numpy.geomspace`."""
        return cls._made(lib.uh_axis_create_regular, lib.UH_SPACING_LOG, bins, low, high, _closed(closed))

    @classmethod
    def integers(cls, first: int, last: int) -> Axis:
        """A bin for each of the integers first to last, which also holds what lies between it and the next."""
        return cls._made(lib.uh_axis_create_integer, first, last)

    @classmethod
    def growing(cls) -> Axis:
        """A bin for each of the integers 0, 1, 2, ... up to the largest value: that of `numpy.bincount`."""
        return cls._made(lib.uh_axis_create_growing)

    @classmethod
    def categories(cls, values: npt.ArrayLike) -> Axis:
        """A bin for each of these numbers, in their order, which holds what is equal to it."""
        array = np.asarray(values)
        array = np.ascontiguousarray(array, read_as(array.dtype))
        return cls._made(lib.uh_axis_create_categories, TYPES[array.dtype], ffi.from_buffer(array), array.size)

    def with_flow_bins(self, which: str = "both") -> Axis:
        """
        The same bins, and before and behind them one for all that lies "below" or "above" them, or "both".

        What histograms count in `flow` otherwise lies in such a bin, in each cell of other axes, and is in `values`,
        sums and projections; its outer edge is infinite. Of categories "above" is a bin for what equals none.

        Examples
        --------
        >>> from unihist import Axis, Histogram, overflow
        >>> h = Histogram(Axis([0, 1, 2]).with_flow_bins(), [0, 5]).fill([-1, 0.5, 7, 9], [1, 2, 3, 4])
        >>> h.values().ravel()
        array([1, 1, 0, 2])
        >>> h[overflow, 0]
        2
        """
        return self._made(lib.uh_axis_create_with_flow_bins, self._handle,
                          named(lib.UH_ENUM_FLOW_BINS, "which", which))

    def _properties(self) -> Any:
        return properties("uh_axis_properties", lib.uh_axis_get_properties, self._handle)

    @property
    def edges(self) -> Array:
        """One more than bins, as float64. Of categories 0, 1, 2, ..., by which they may be drawn."""
        about = self._properties()
        if about.categories:
            return np.arange(about.bins + 1.0)
        return np.array(ffi.unpack(about.edges, about.bins + 1))

    @property
    def closed(self) -> str:
        """Which end of a bin belongs to it."""
        return CLOSED_NAMES[self._properties().closed]

    @property
    def flow_bins(self) -> str:
        """Which bins there are for what lies beyond the others: "none", "below", "above" or "both"."""
        return text(lib.uh_enum_name(lib.UH_ENUM_FLOW_BINS, self._properties().flow_bins))

    @property
    def traits(self) -> Traits:
        """Whether the axis is circular, as none is, and whether its bins are single numbers, as categories are."""
        return Traits(False, bool(self._properties().categories))

    def __len__(self) -> int:
        return int(self._properties().bins)

    def __getitem__(self, bin: int) -> Union[tuple[float, float], float]:
        about = self._properties()
        at = range(about.bins)[bin]
        if about.categories:
            other = about.flow_bins and at == about.bins - 1
            return math.nan if other else float(about.categories[at])
        return about.edges[at], about.edges[at + 1]

    def __iter__(self) -> Iterator[Any]:
        return (self[bin] for bin in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return bool(lib.uh_axis_equal(self._handle, other._handle))

    __hash__ = None  # type: ignore[assignment]

    def index(self, x: npt.ArrayLike) -> Any:
        """
        The bin of each value: -1 below the first one, `len(axis)` above the last one and of NaN.

        Examples
        --------
        >>> from unihist import Axis
        >>> Axis([0, 1, 10]).index([0.5, 10, 11, -1])
        array([ 0,  1,  2, -1])
        """
        values = as_array(x)
        row = np.ascontiguousarray(values, read_as(values.dtype)).reshape(-1)
        index = np.empty(values.shape, np.int64)
        counter = Counter.over(queue_of("host", 1), [self._handle])
        counter.call(lib.uh_histogram_digitize, c_arrays([row]), out("int64_t", index))
        index -= 1
        return index if index.ndim else index[()]

    def __reduce__(self) -> tuple[Any, ...]:
        return _axis_of_kept, (saved(Counter.over(queue_of("host", 1), [self._handle])),)

    def __repr__(self) -> str:
        about = self._properties()
        if about.categories:
            named = [value for value in self if value == value]
            return f"Axis.categories({_few(named)}){'.with_flow_bins()' if len(named) < len(self) else ''}"
        closed, beyond = CLOSED_NAMES[about.closed], self.flow_bins
        edges = self.edges[beyond in ("below", "both"):len(self) + (beyond not in ("above", "both"))]
        flow = "" if beyond == "none" else f".with_flow_bins({'' if beyond == 'both' else repr(beyond)})"
        return f"Axis({_few(edges)}{'' if closed == 'left' else f', closed={closed!r}'}){flow}"


def _axis_of_kept(kept: Kept) -> Axis:
    counter = loaded(kept, queue_of("host", 1))
    return Axis._of(lib.uh_histogram_axis(counter.handle, 0), counter)


def _few(numbers: Any) -> str:
    """A list that is shortened where it is long."""
    return np.array2string(np.asarray(numbers), separator=", ", threshold=10).replace("\n", "")
