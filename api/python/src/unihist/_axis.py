# SPDX-License-Identifier: Apache-2.0
"""Axes of histograms."""
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import TYPES, Array, as_array, as_edges, known, read_as
from ._counter import Counter, Kept, Unit, axis_and_unit, loaded, saved
from ._dates import INTEGER, MIN
from ._native import ffi, lib
from ._queue import queue_of
from ._status import made, named, properties, text

CLOSED = ["left", "right", "half-open left", "half-open right"]  # in the order of uh_closed


class Traits(NamedTuple):
    """The traits of an axis in scikit-hep's unified histogram interface."""

    circular: bool
    discrete: bool


def _closed(name: str) -> int:
    if name not in CLOSED:
        raise ValueError(f"closed is {name!r}, expected one of {CLOSED}")
    return CLOSED.index(name)


class Axis:
    """
    The edges of bins in one dimension.

    Parameters
    ----------
    edges : 1-D array_like
        Two or more numbers of any type that do not decrease, also infinite ones; or dates or durations. 64-bit integers
        stay exact.
    closed : {"left", "right", "half-open left", "half-open right"}
        The end that belongs to a bin: "left" is NumPy's, `edge[j] <= x < edge[j + 1]`, and both ends of the last bin;
        "right" is its mirror; half-open bins have no exception.

    Examples
    --------
    >>> from unihist import Axis
    >>> Axis([0, 1, 10])
    Axis([ 0.,  1., 10.])
    >>> Axis.equal(4, 0, 2).edges
    array([0. , 0.5, 1. , 1.5, 2. ])
    """

    _unit: Unit = None  # of dates or durations

    def __init__(self, edges: npt.ArrayLike, *, closed: str = "left") -> None:
        array = np.asarray(as_edges(edges, "edges"))
        if array.ndim != 1:
            raise ValueError(f"edges have {array.ndim} dimensions, expected 1")
        handle, self._unit = axis_and_unit(array, _closed(closed))
        self._set(handle)

    def _set(self, handle: Any, keeps: object = None) -> None:
        self._handle = handle
        self._keeps = keeps  # the owner of the handle

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
        """Bins of equal width, with the edges `numpy.linspace(low, high, bins + 1)`."""
        return cls._made(lib.uh_axis_create_regular, lib.UH_SPACING_EQUAL, bins, low, high, _closed(closed))

    @classmethod
    def log(cls, bins: int, low: float, high: float, *, closed: str = "left") -> Axis:
        """Bins in geometric progression: `numpy.geomspace`."""
        return cls._made(lib.uh_axis_create_regular, lib.UH_SPACING_LOG, bins, low, high, _closed(closed))

    @classmethod
    def integers(cls, first: int, last: int) -> Axis:
        """A bin for each of the integers first to last, which also holds the values up to the next one."""
        return cls._made(lib.uh_axis_create_integer, first, last)

    @classmethod
    def growing(cls) -> Axis:
        """A bin for each of the integers 0, 1, 2, ... up to the largest value, as NumPy counts integers."""
        return cls._made(lib.uh_axis_create_growing)

    @classmethod
    def categories(cls, values: npt.ArrayLike) -> Axis:
        """A bin for each of these numbers, in this order, which holds the values that equal it."""
        array = known(as_array(values), "values")
        if array.dtype.kind in "mM":
            raise TypeError(f"values are of {array.dtype}, expected numbers")
        array = np.ascontiguousarray(array, read_as(array.dtype))
        return cls._made(lib.uh_axis_create_categories, TYPES[array.dtype], ffi.from_buffer(array), array.size)

    def with_flow_bins(self, which: str = "both") -> Axis:
        """
        The same bins, with one for all values "below", "above", or "both".

        Values that histograms otherwise count in `flow` then have a bin, which is part of `values`, sums and
        projections; its outer edge is infinite. For categories, "above" is the bin of all other values.

        Examples
        --------
        >>> from unihist import Axis, Histogram, overflow
        >>> h = Histogram(Axis([0, 1, 2]).with_flow_bins(), [0, 5]).fill([-1, 0.5, 7, 9], [1, 2, 3, 4])
        >>> h.values().ravel()
        array([1, 1, 0, 2])
        >>> h[overflow, 0]
        2
        """
        wider = self._made(lib.uh_axis_create_with_flow_bins, self._handle,
                           named(lib.UH_ENUM_FLOW_BINS, "which", which))
        wider._unit = self._unit
        return wider

    def _properties(self) -> Any:
        return properties("uh_axis_properties", lib.uh_axis_get_properties, self._handle)

    @property
    def edges(self) -> Array:
        """The edges, one more than bins: dates or durations, with NaT for an infinite one, or float64. For categories
        0, 1, 2, ..., to draw them."""
        about = self._properties()
        if about.categories:
            return np.arange(about.bins + 1.0)
        exact = about.integers != ffi.NULL and self._unit is not None
        edges = np.array(ffi.unpack(about.integers if exact else about.edges, about.bins + 1))
        if self._unit is None:
            return edges
        return np.where(np.isfinite(edges), edges, MIN).astype(INTEGER).view(self._unit)

    @property
    def closed(self) -> str:
        """The end that belongs to a bin."""
        return CLOSED[int(self._properties().closed)]

    @property
    def flow_bins(self) -> str:
        """The flow bins: "none", "below", "above" or "both"."""
        return text(lib.uh_enum_name(lib.UH_ENUM_FLOW_BINS, self._properties().flow_bins))

    @property
    def traits(self) -> Traits:
        """Whether the axis is circular (never), and whether its bins are categories."""
        return Traits(False, bool(self._properties().categories))

    def __len__(self) -> int:
        return int(self._properties().bins)

    def __getitem__(self, bin: int) -> Union[tuple[float, float], float]:
        about = self._properties()
        at = range(about.bins)[bin]
        if about.categories:
            other = about.flow_bins and at == about.bins - 1
            return math.nan if other else float(about.categories[at])
        if self._unit is not None:
            return tuple(self.edges[at:at + 2])
        return about.edges[at], about.edges[at + 1]

    def __iter__(self) -> Iterator[Any]:
        return (self[bin] for bin in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return self._unit == other._unit and bool(lib.uh_axis_equal(self._handle, other._handle))

    __hash__ = None  # type: ignore[assignment]

    def index(self, x: npt.ArrayLike) -> Any:
        """
        The bin of each value; -1 if it is below the first one, `len(axis)` if above the last one or NaN.

        Examples
        --------
        >>> from unihist import Axis
        >>> Axis([0, 1, 10]).index([0.5, 10, 11, -1])
        array([ 0,  1,  2, -1])
        """
        values = as_array(x)
        index = Counter.over(queue_of("host", 1), [self._handle], units=[self._unit]).index(values.reshape(-1))
        index = index.reshape(values.shape) - 1
        return index if index.ndim else index[()]

    def __reduce__(self) -> tuple[Any, ...]:
        return _axis_of_kept, (saved(Counter.over(queue_of("host", 1), [self._handle], units=[self._unit])),)

    def __repr__(self) -> str:
        about = self._properties()
        if about.categories:
            named = [value for value in self if value == value]
            return f"Axis.categories({_few(named)}){'.with_flow_bins()' if len(named) < len(self) else ''}"
        closed, beyond = CLOSED[about.closed], self.flow_bins
        edges = self.edges[beyond in ("below", "both"):len(self) + (beyond not in ("above", "both"))]
        flow = "" if beyond == "none" else f".with_flow_bins({'' if beyond == 'both' else repr(beyond)})"
        return f"Axis({_few(edges)}{'' if closed == 'left' else f', closed={closed!r}'}){flow}"


def _axis_of_kept(kept: Kept) -> Axis:
    counter = loaded(kept, queue_of("host", 1))
    axis = Axis._of(lib.uh_histogram_axis(counter.handle, 0), counter)
    axis._unit = counter.unit(0)
    return axis


def _few(numbers: Any) -> str:
    """A list as text, shortened if it is long."""
    return np.array2string(np.asarray(numbers), separator=", ", threshold=10).replace("\n", "")
