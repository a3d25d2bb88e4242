# SPDX-License-Identifier: Apache-2.0
"""Indices of scikit-hep's unified histogram interface."""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any, NamedTuple, Union

from ._axis import Axis
from ._counter import Counter
from ._native import lib


class loc(NamedTuple):
    """In an index: the bin of a value; `loc(x) + 1` is the next one."""

    value: float
    offset: int = 0  #: in bins

    def __call__(self, axis: Any) -> int:
        return int(axis.index(self.value)) + self.offset

    def __add__(self, bins: int) -> loc:  # type: ignore[override]
        return self._replace(offset=self.offset + bins)

    def __sub__(self, bins: int) -> loc:
        return self + -bins


class _End(loc):
    """In an index: the flow bin below or above all others, by the sign of infinity."""

    def __call__(self, axis: Any) -> int:
        if self.value > 0:
            return len(axis) - (axis.flow_bins in ("above", "both")) + self.offset
        return (axis.flow_bins in ("below", "both")) - 1 + self.offset


underflow, overflow = _End(-math.inf), _End(math.inf)


class rebin(NamedTuple):
    """The step of a slice that joins `factor` neighbouring bins each; alone, of a whole axis."""

    factor: int


class Range(NamedTuple):
    """Bins first to end - 1 of the `bins` of an axis, and whether they are summed or joined."""

    first: int
    end: int
    bins: int
    summed: bool
    factor: int


def whole_index(index: Any, axes: tuple[Axis, ...]) -> tuple[Union[int, Range], ...]:
    """The bin or range of each axis that an index selects."""
    if isinstance(index, dict):  # of some axes, by their numbers
        given: list[Any] = [slice(None)] * len(axes)
        for axis, entry in index.items():
            given[axis] = entry
    else:
        given = list(index) if type(index) is tuple else [index]  # a loc is a tuple too
    if (dots := sum(entry is Ellipsis for entry in given)) == 1:
        at = next(place for place, entry in enumerate(given) if entry is Ellipsis)
        given[at:at + 1] = [slice(None)] * (len(axes) - len(given) + 1)
    if len(given) != len(axes) or dots > 1:
        raise IndexError(f"the index has {len(given)} entries, expected one for each of {len(axes)} axes")
    return tuple(map(_of_axis, given, axes))


def _of_axis(entry: Any, axis: Axis) -> Union[int, Range]:
    if entry is builtins.sum or isinstance(entry, rebin):
        entry = slice(None, None, entry)
    if isinstance(entry, slice):
        return _range(entry, axis)
    bin = _at(entry, axis)
    if not 0 <= bin < len(axis):
        raise IndexError(f"bin {entry} is outside an axis of {len(axis)} bins")
    return bin


def _at(place: Any, axis: Axis) -> int:
    if callable(place):
        return int(place(axis))
    number = operator.index(place)
    return number + len(axis) if number < 0 else number


def _range(entry: slice, axis: Axis) -> Range:
    first = 0 if entry.start is None else _at(entry.start, axis)
    end = len(axis) if entry.stop is None else _at(entry.stop, axis)
    first, end = max(first, 0), min(end, len(axis))
    if first >= end:
        raise IndexError(f"the range from {first} to {end - 1} has no bin")
    summed = entry.step is builtins.sum
    factor = 1 if summed or entry.step is None else getattr(entry.step, "factor", None)
    if factor is None:
        raise IndexError(f"the step is {entry.step!r}, expected sum or rebin(n)")
    return Range(first, end, len(axis), summed, factor)


def in_array(bins: Union[int, Range]) -> Union[int, slice]:
    """The index of an array that selects these bins."""
    return bins if isinstance(bins, int) else slice(bins.first, bins.end)


def leaves_number(bins: Union[int, Range]) -> bool:
    """Whether the axis is removed."""
    return isinstance(bins, int) or bins.summed


def part(counter: Counter, axis: int, bins: Union[int, Range]) -> Counter:
    """The part of a histogram that an index selects on one axis; the only axis keeps at least one bin."""
    alone = counter.axes() == 1
    if isinstance(bins, int):
        if not alone:
            return counter.derived(lib.uh_histogram_slice, axis, bins)
        return counter.derived(lib.uh_histogram_crop, axis, bins, bins + 1)
    if bins.end - bins.first < bins.bins:
        counter = counter.derived(lib.uh_histogram_crop, axis, bins.first, bins.end)
    if bins.summed and not alone:
        kept = [other for other in range(counter.axes()) if other != axis]
        return counter.derived(lib.uh_histogram_project, kept, len(kept))
    factor = bins.end - bins.first if bins.summed else bins.factor
    return counter.derived(lib.uh_histogram_rebin, axis, factor) if factor != 1 else counter
