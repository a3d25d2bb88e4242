# SPDX-License-Identifier: Apache-2.0
"""Axes of histograms."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import TYPES, Array, as_array, as_edges, known, read_as
from ._counter import Counter, Kept, Unit, axis_and_unit, loaded, saved
from ._dates import INTEGER, integers
from ._edges import bin_edges
from ._native import ffi, lib
from ._queue import queue_of
from ._status import made, named, properties, text

CLOSED = ["left", "right", "half-open left", "half-open right"]  # in the order of uh_closed


class Traits(NamedTuple):
    """The traits of an axis in scikit-hep's unified histogram interface."""

    circular: bool
    discrete: bool
    underflow: bool
    overflow: bool

    @property
    def ordered(self) -> bool:
        """Whether neighbouring bins can be joined."""
        return not self.discrete


def kept(key: str, default: Any, text: str) -> Any:
    """A property that `_about`, a dict, holds."""
    return property(lambda self: self._about.get(key, default), lambda self, new: self._about.update({key: new}),
                    doc=text)


def checked(about: dict[str, Any]) -> dict[str, Any]:
    if unknown := about.keys() - {"name", "label", "metadata"}:
        raise TypeError(f"{unknown.pop()} is no argument, expected name, label or metadata")
    return about


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
    **about
        `name`, `label`, `metadata`: any objects, which histograms and their parts keep. They can be set later, too.

    Examples
    --------
    >>> from unihist import Axis
    >>> Axis([0, 1, 10])
    Axis([ 0.,  1., 10.])
    >>> Axis.equal(4, 0, 2).edges
    array([0. , 0.5, 1. , 1.5, 2. ])
    """

    name = kept("name", "", "The name, by which an index or `project` can refer to the axis.")
    metadata = kept("metadata", None, "Any object.")

    def __init__(self, edges: npt.ArrayLike, *, closed: str = "left", **about: Any) -> None:
        array = np.asarray(as_edges(edges, "edges"))
        if array.ndim != 1:
            raise ValueError(f"edges have {array.ndim} dimensions, expected 1")
        handle, unit = axis_and_unit(array, _closed(closed))
        self._set(handle, None, checked(about), unit)

    def _set(self, handle: Any, keeps: object, about: dict[str, Any], unit: Unit = None) -> None:
        self._handle = handle
        self._keeps = keeps  # the owner of the handle
        self._about = about
        self._unit = unit  # of dates or durations
        flow = int(self._properties().flow_bins)
        self._flow = bool(flow & lib.UH_FLOW_BINS_BELOW), bool(flow & lib.UH_FLOW_BINS_ABOVE)

    @classmethod
    def _of(cls, handle: Any, keeps: object, about: dict[str, Any], unit: Unit = None) -> Axis:
        axis = cls.__new__(cls)
        axis._set(handle, keeps, about, unit)
        return axis

    @classmethod
    def _made(cls, about: dict[str, Any], create: Any, *arguments: Any) -> Axis:
        return cls._of(made(create, "uh_axis", lib.uh_axis_destroy, *arguments), None, checked(about))

    @property
    def label(self) -> Any:
        """The label of pictures; by default the name."""
        return self._about.get("label") or self.name

    @label.setter
    def label(self, label: Any) -> None:
        self._about["label"] = label

    @classmethod
    def equal(cls, bins: Union[int, str], low: Any, high: Any, *, closed: str = "left", **about: Any) -> Axis:
        """Bins of equal width, with the edges `numpy.linspace(low, high, bins + 1)`. Between dates or durations those of
        `unihist.histogram`, of which bins="day" and the like are the days that hold them."""
        ends = [known(as_array(end), name) for name, end in (("low", low), ("high", high))]
        if any(end.dtype.kind in "mM" for end in ends):
            range = np.stack(ends)
            return cls(bin_edges(range, bins, range, None, "raise", ("host", 1)), closed=closed, **about)
        return cls._made(about, lib.uh_axis_create_regular, lib.UH_SPACING_EQUAL, bins, low, high, _closed(closed))

    @classmethod
    def log(cls, bins: int, low: float, high: float, *, closed: str = "left", **about: Any) -> Axis:
        """Bins in geometric progression: `numpy.geomspace`."""
        return cls._made(about, lib.uh_axis_create_regular, lib.UH_SPACING_LOG, bins, low, high, _closed(closed))

    @classmethod
    def integers(cls, first: int, last: int, **about: Any) -> Axis:
        """A bin for each of the integers first to last, which also holds the values up to the next one."""
        return cls._made(about, lib.uh_axis_create_integer, first, last)

    @classmethod
    def growing(cls, **about: Any) -> Axis:
        """A bin for each of the integers 0, 1, 2, ... up to the largest value, as NumPy counts integers."""
        return cls._made(about, lib.uh_axis_create_growing)

    @classmethod
    def categories(cls, values: npt.ArrayLike, **about: Any) -> Axis:
        """A bin for each of these numbers or texts, in this order, which holds the values that equal it."""
        array, texts = as_array(values), None
        array = array if array.dtype.kind == "O" else known(array, "values")
        if array.dtype.kind in "mM":
            raise TypeError(f"values are of {array.dtype}, expected numbers or texts")
        if array.dtype.kind in "US" or array.dtype.kind == "O" and all(isinstance(x, str) for x in array.flat):
            texts = array.astype(str).tolist()
            if len(set(texts)) < array.size:
                raise ValueError(f"values are {texts}, expected distinct ones")
            array = np.arange(array.size)
        array = np.ascontiguousarray(array, read_as(array.dtype))
        axis = cls._made(about, lib.uh_axis_create_categories, TYPES[array.dtype], ffi.from_buffer(array), array.size)
        axis._about.update({"_texts": texts} if texts else {})
        return axis

    def with_flow_bins(self, which: str = "both") -> Axis:
        """
        The same bins, with one for all values "below", "above", or "both".

        Values that histograms otherwise count in `flow` then have a bin: as in boost-histogram it is part of sums and
        projections, of `values(flow=True)`, and of no index but `underflow` and `overflow`, and densities are shares of
        all. For categories, "above" is the bin of all other values.

        Examples
        --------
        >>> from unihist import Axis, Histogram, overflow
        >>> h = Histogram(Axis([0, 1, 2]).with_flow_bins(), [0, 5]).fill([-1, 0.5, 7, 9], [1, 2, 3, 4])
        >>> h.values().ravel(), h.values(flow=True).ravel()
        (array([1, 0]), array([1, 1, 0, 2]))
        >>> h[overflow, 0]
        2
        """
        handle = made(lib.uh_axis_create_with_flow_bins, "uh_axis", lib.uh_axis_destroy, self._handle,
                      named(lib.UH_ENUM_FLOW_BINS, "which", which))
        return self._of(handle, None, dict(self._about), self._unit)

    def _properties(self) -> Any:
        return properties("uh_axis_properties", lib.uh_axis_get_properties, self._handle)

    @property
    def edges(self) -> Array:
        """The edges, one more than bins, without those of flow bins: dates or durations, or float64. For categories 0,
        1, 2, ..., to draw them."""
        about = self._properties()
        if about.categories:
            return np.arange(len(self) + 1.0)
        exact = about.integers != ffi.NULL and self._unit is not None
        edges = np.array(ffi.unpack((about.integers if exact else about.edges) + self._flow[0], len(self) + 1))
        return edges if self._unit is None else edges.astype(INTEGER).view(self._unit)

    def _all_edges(self) -> Array:
        """With those of flow bins."""
        ends = [np.array(["NaT"] if self._unit else [end], self._unit or float) for end in (-np.inf, np.inf)]
        return np.concatenate([ends[0][:self._flow[0]], self.edges, ends[1][:self._flow[1]]])

    @property
    def centers(self) -> Array:
        """The middle of each bin; of dates in their unit, rounded down."""
        edges = self.edges
        if self._unit is None:
            return edges[:-1] / 2 + edges[1:] / 2
        low, high = integers(edges)[:-1], integers(edges)[1:]
        return ((low & high) + ((low ^ high) >> 1)).view(self._unit)

    @property
    def widths(self) -> Array:
        """The width of each bin; OverflowError if no duration holds it."""
        widths = np.diff(self.edges)
        if self._unit is not None and (integers(widths) < 0).any():
            raise OverflowError(f"a width between edges {_few(self.edges)} exceeds int64")
        return widths

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
        """Whether the axis is circular, whether its bins are single values, and which flow bins it has."""
        discrete = bool(self._properties().categories) or self._integer
        return Traits(bool(self._about.get("_circular")), discrete, *self._flow)

    @property
    def _integer(self) -> bool:
        """Whether bins are integers, as of boost-histogram's axis of this name."""
        return "_origin" in self._about and self._about["_origin"].get("orig_type") == "Integer"

    @property
    def extent(self) -> int:
        """The number of bins with flow bins."""
        return int(self._properties().bins)

    @property
    def size(self) -> int:
        """The number of bins without flow bins."""
        return self.extent - sum(self._flow)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, bin: int) -> Any:
        at, about = range(len(self))[bin], self._properties()
        if about.categories:
            return self._about["_texts"][at] if "_texts" in self._about else float(about.categories[at])
        if self._unit is not None:
            return tuple(self.edges[at:at + 2])
        at += self._flow[0]
        return int(about.edges[at]) if self._integer else (about.edges[at], about.edges[at + 1])

    def value(self, bin: int) -> Any:
        """The value of a category or an integer, and of other bins the lower edge."""
        found = self[bin]
        return found[0] if isinstance(found, tuple) else found

    def __iter__(self) -> Iterator[Any]:
        return (self[bin] for bin in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Axis):
            return NotImplemented
        return (self._unit == other._unit and bool(lib.uh_axis_equal(self._handle, other._handle)) and
                self._texts() == other._texts())

    def _texts(self) -> Any:
        return self._about.get("_texts")

    __hash__ = None  # type: ignore[assignment]

    def index(self, x: npt.ArrayLike) -> Any:
        """
        The bin of each value; -1 if it is below the first one, `len(axis)` if above the last one or NaN. Flow bins, if
        the axis has them, hold these.

        Examples
        --------
        >>> from unihist import Axis
        >>> Axis([0, 1, 10]).index([0.5, 10, 11, -1])
        array([ 0,  1,  2, -1])
        """
        values = self._numbers(as_array(x))
        index = self._counter().index(values.reshape(-1)).reshape(values.shape)
        index = np.clip(index - 1 - self._flow[0], -1, len(self))
        return index if index.ndim else index[()]

    def _numbers(self, values: Array) -> Array:
        """Texts as the numbers of their bins; other values as they are."""
        texts = self._texts()
        if self.traits.circular:
            raise ValueError("the axis is circular, expected another one: its histograms can be read, but not filled")
        if (texts is not None) != (values.dtype.kind in "USO"):
            raise TypeError(f"values are of type {values.dtype}, expected {'texts' if texts else 'numbers'}")
        if self._about.get("_boolean") and values.dtype.kind in "iu":
            return values != 0  # type: ignore[no-any-return]
        if texts is None:
            return values
        distinct, place = np.unique(np.ma.getdata(values).astype(str), return_inverse=True)
        bins = {name: bin for bin, name in enumerate(texts)}
        found = np.array([bins.get(name, len(texts)) for name in distinct.tolist()], int)[place].reshape(values.shape)
        return np.ma.array(found, mask=values.mask) if isinstance(values, np.ma.MaskedArray) else found

    def __reduce__(self) -> tuple[Any, ...]:
        return _axis_of_kept, (saved(self._counter()), self._about)

    def _counter(self) -> Counter:
        return Counter.over(queue_of("host", 1), [self._handle], units=[self._unit])

    def __repr__(self) -> str:
        flow = "" if self.flow_bins == "none" else f".with_flow_bins({self.flow_bins!r})"
        if self._properties().categories:
            return f"Axis.categories({_few(list(self))}){flow}"
        closed = "" if self.closed == "left" else f", closed={self.closed!r}"
        return f"Axis({_few(self.edges)}{closed}){flow}"


def _axis_of_kept(kept: Kept, about: dict[str, Any]) -> Axis:
    counter = loaded(kept, queue_of("host", 1))
    return Axis._of(lib.uh_histogram_axis(counter.handle, 0), counter, about, counter.unit(0))


def _few(numbers: Any) -> str:
    """A list as text, shortened if it is long."""
    return np.array2string(np.asarray(numbers), separator=", ", threshold=10).replace("\n", "")
