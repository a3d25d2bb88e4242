# SPDX-License-Identifier: Apache-2.0
"""Indices of scikit-hep's unified histogram interface."""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, as_edges
from ._axis import Axis
from ._dates import as_unit, integers
from ._native import ffi, lib
from ._saved import as_text, counter_of, sections_of, text_in
from ._status import fitting


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
        return (len(axis) if self.value > 0 else -1) + self.offset


underflow, overflow = _End(-math.inf), _End(math.inf)


class rebin(NamedTuple):
    """The step of a slice that joins `factor` neighbouring bins each, or these numbers of bins, or those between some
    edges; alone, of a whole axis."""

    factor: Optional[int] = None
    groups: Optional[Sequence[int]] = None
    edges: Optional[npt.ArrayLike] = None
    axis: Optional[Axis] = None  #: with the joined bins

    def group_mapping(self, axis: Any) -> Sequence[int]:
        """How many bins are joined to each."""
        if self.groups is not None:
            return self.groups
        given, edges = self.axis.edges if self.edges is None and self.axis else self.edges, axis.edges
        wanted = np.asarray(as_edges(given, "edges"))
        if wanted.dtype.kind not in (edges.dtype.kind if axis._unit else "biuf"):
            raise TypeError(f"edges are of {wanted.dtype}, expected {edges.dtype}, as those of the axis")
        if axis._unit:
            numbers, unit = as_unit(wanted, axis._unit)
            near = np.searchsorted(integers(edges), numbers).clip(max=len(axis))
            wrong = (integers(edges)[near] != numbers) | (unit != axis._unit)
        else:
            near = np.abs(edges[:, None] - wanted).argmin(axis=0)
            wrong = ~np.isclose(edges[near], wanted, rtol=1e-12, atol=1e-12 * np.ptp(edges))
        if wrong.any():
            raise ValueError(f"edges are {wanted.tolist()}, expected the first, some and the last of {edges.tolist()}")
        return np.diff(near).tolist()  # type: ignore[no-any-return]


class Part(NamedTuple):
    """The bins order[cuts[j]] to order[cuts[j + 1] - 1] of an axis, flow bins included, become bin j."""

    order: Array
    cuts: list[int]
    summed: bool = False  # the axis is removed
    axis: Optional[Axis] = None  # has the new bins


def entries(index: Any, axes: tuple[Axis, ...]) -> list[Any]:
    """The entry of an index for each axis."""
    if isinstance(index, dict):  # of some axes, by their numbers or names
        given: list[Any] = [slice(None)] * len(axes)
        for axis, entry in index.items():
            given[axis_number(axis, axes)] = entry
    else:
        given = list(index) if type(index) is tuple else [index]  # a loc is a tuple too
    if (dots := sum(entry is Ellipsis for entry in given)) == 1:
        at = next(place for place, entry in enumerate(given) if entry is Ellipsis)
        given[at:at + 1] = [slice(None)] * (len(axes) - len(given) + 1)
    if len(given) != len(axes) or dots > 1:
        raise IndexError(f"the index has {len(given)} entries, expected one for each of {len(axes)} axes")
    return [slice(None, None, entry) if entry is builtins.sum or hasattr(entry, "group_mapping") else entry
            for entry in given]


def axis_number(axis: Any, axes: tuple[Axis, ...]) -> int:
    """The number of an axis, which may be given by its name."""
    names = [other.name for other in axes]
    if not isinstance(axis, str):
        number = int(fitting("axis", axis, "int64_t"))
        if not -len(axes) <= number < len(axes):
            raise IndexError(f"axis is {axis}, expected one of {len(axes)}, or a name")
        return number % len(axes)
    if axis not in names:
        raise ValueError(f"axes have the names {names}, expected {axis!r} among them")
    return names.index(axis)


def _at(place: Any, axis: Axis, bound: bool = False) -> int:
    """A bin, from -1, that below, to `len(axis)`; as the bound of a range an edge is the bin that begins there."""
    if isinstance(place, complex):
        place = loc(place.imag, int(place.real))
    if callable(place):
        value: Any = getattr(place, "value", None)
        if bound and hasattr(place, "offset") and not axis.traits.discrete:
            date, edges = None if axis._unit is None else as_array(value), axis.edges
            if value in edges.tolist() if date is None else date.dtype.kind == edges.dtype.kind and date in edges:
                return int(np.searchsorted(edges, value if date is None else date, "right")) - 1 + int(place.offset)
        return int(place(axis))
    if isinstance(place, (str, bytes)):
        raise IndexError(f"the index is {place!r}, expected a number or the locator protocol: loc({place!r})")
    number, size = operator.index(place), len(axis)
    if not bound and not -size <= number < size:
        raise IndexError(f"bin {number} is outside an axis of {size} bins")
    return max(number + size, 0) if number < 0 else number


def _bin(place: Any, axis: Axis) -> int:
    """The place of a bin among all, flow bins included."""
    at, size, (below, above) = _at(place, axis), len(axis), axis._flow
    if not -below <= at < size + above:
        flow = {-1: ", and has no underflow bin", size: ", and has no overflow bin"}.get(at, "")
        raise IndexError(f"bin {place} is outside an axis of {size} bins{flow}")
    return at + below


def _bounds(entry: slice, axis: Axis) -> tuple[int, int]:
    """The first bin of a range and the end, with flow bins at the ends without bound."""
    size, (below, above) = len(axis), axis._flow
    low = -1 if entry.start is None else _at(entry.start, axis, True)
    high = size + 1 if entry.stop is None else _at(entry.stop, axis, True)
    low, high = max(low, -below), min(high, size + above)
    if low >= high or entry.step is not builtins.sum and max(low, 0) >= min(high, size):
        raise IndexError(f"the range from {entry.start} to {entry.stop} has no bin")
    return low, high


def _plain(entry: Any, axis: Axis) -> Any:
    """The place of bins, a range or an array of them among all."""
    size, below = len(axis), axis._flow[0]
    if isinstance(entry, np.ndarray):
        if entry.size and not -size <= entry.min() <= entry.max() < size:
            raise IndexError(f"bins {entry} are not all inside an axis of {size} bins")
        return np.where(entry < 0, entry + size, entry) + below
    if isinstance(entry, list) or isinstance(entry, slice) and entry.step is not None:
        raise IndexError(f"the entry is {entry}, expected bins, ranges or integer arrays to set cells, or with integer "
                         "arrays, but no list, and no rebin, sum, or locator slices")
    if not isinstance(entry, slice):
        return _bin(entry, axis)
    low, high = _bounds(entry, axis)
    return slice(max(low, 0) + below, min(high, size) + below)


def _picked(bins: Sequence[int], axis: Axis) -> Part:
    """These bins of categories; the others become part of the flow bin."""
    rest = np.delete(np.arange(axis.extent), bins)
    return Part(np.append(bins, rest).astype(int), [*range(len(bins) + 1), *[axis.extent] * axis._flow[1]])


def _of_axis(entry: Any, axis: Axis) -> Union[int, Part]:
    if isinstance(entry, slice):
        return _range(entry, axis)
    if not isinstance(entry, list):
        return _bin(entry, axis)
    if axis.traits.ordered:
        raise IndexError(f"a list of bins is {entry}, expected a range, as the axis has no categories")
    return _picked([_bin(one, axis) for one in entry], axis)


def _range(entry: slice, axis: Axis) -> Part:
    step, size, every, (below, above) = entry.step, len(axis), np.arange(axis.extent), axis._flow
    joinable = axis.traits.ordered or axis._integer
    low, high = _bounds(entry, axis)
    if step is builtins.sum:
        high = high if joinable or entry.start is None or entry.stop is not None else size
        if low >= high:
            raise IndexError(f"the range from {entry.start} has no category")
        return Part(every, [low + below, high + below], True)
    low, high = max(low, 0), min(high, size)
    if isinstance(step, complex):
        step = rebin(int(step.imag))
    groups, onto, factor = [1] * (high - low), None, getattr(step, "factor", None)
    if factor is not None:
        factor = fitting("factor", factor, "size_t")
        groups = [factor] * (len(groups) // factor if factor else 0)
        if not groups or sum(groups) < high - low and not above:  # an overflow bin takes the rest
            raise ValueError(f"rebin's factor is {factor}, expected a divisor of {high - low} bins")
    elif hasattr(step, "group_mapping"):
        groups, onto = list(step.group_mapping(Axis(axis.edges[low:high + 1]))), getattr(step, "axis", None)
        if sum(groups) != high - low or min(groups) < 1:
            raise ValueError(f"rebin's groups are {groups}, expected the sum of the groups to be {high - low}")
    elif step is not None:
        raise IndexError(f"the step is {step!r}, expected sum or rebin(n)")
    if onto is None and not joinable:
        if max(groups) > 1:
            raise ValueError("bins of a categorical axis are joined, expected rebin(groups=, axis=) with the new one")
        return _picked(range(low, high), axis)
    low += below
    if onto is not None:  # old flow bins that it lacks are outside, new ones are empty
        if below and not onto._flow[0] and not onto.traits.ordered:  # what is below is another category
            every, low = np.roll(every, -1), low - 1
        below, above = onto._flow
    cuts = [*[0] * below, *(int(low + cut) for cut in np.cumsum([0, *groups])), *[axis.extent] * above]
    return Part(every, cuts, False, onto)


def _axis_of(old: Axis, bins: Part) -> Axis:
    """The axis of joined bins."""
    cuts, (below, above) = bins.cuts, old._flow
    new = Axis([0, 1]) if bins.summed else bins.axis
    if new is not None:
        if new.extent != len(cuts) - 1:
            raise ValueError(f"rebin's axis is {new!r}, expected one of {len(cuts) - 1} bins")
        return new
    about = {key: kept for key, kept in old._about.items() if key not in ("_origin", "_boolean")}
    if old._integer and max(np.diff(cuts)[below:len(cuts) - 1 - above]) == 1:
        about["_origin"] = {"orig_type": "Integer"}
    empty = old._counter()
    sections = sections_of(empty)
    edges, closed = sections["axis0.edges"], old.closed
    if text_in(sections, "axis0.closed") == "categories":
        order = bins.order[cuts[:len(cuts) - 1 - above]]
        sections["axis0.edges"] = edges[order]
        if "_texts" in about:
            about["_texts"] = [about["_texts"][bin] for bin in order]
            sections["axis0.edges"] = edges[:len(order)]
    else:
        sections["axis0.edges"] = edges[cuts]
        if closed == "left" and cuts[-1 - above] < old.extent - above:  # an end inside keeps the rule of its bin
            sections["axis0.closed"] = as_text("half-open left")
        elif closed == "right" and cuts[below] > below:
            sections["axis0.closed"] = as_text("half-open right")
    sections["shape"] = np.array([len(cuts) - 1], "<u8")
    sections["counts"] = sections["counts"][:len(cuts)]
    empty = counter_of(sections, empty.queue, [old._unit])
    return Axis._of(lib.uh_histogram_axis(empty.handle, 0), empty, about, old._unit)


def part_of(h: Any, index: Any) -> Any:
    """The part of a histogram that an index selects, or a number."""
    axes = h.axes
    given = entries(index, axes)
    if any(isinstance(entry, np.ndarray) for entry in given):
        return h.view(flow=True)[tuple(map(_plain, given, axes))]
    bins = [None if entry == slice(None) else _of_axis(entry, axis) for entry, axis in zip(given, axes)]
    number = all(isinstance(one, int) or one and one.summed for one in bins)
    if all(isinstance(one, int) for one in bins):
        return _number(h.view(flow=True)[tuple(bins)])
    counter, abouts = h._counter, list(h._abouts)
    for axis, one in reversed([*enumerate(bins)]):  # the numbers of the other axes stay
        alone, extent = len(abouts) == 1, axes[axis].extent
        if isinstance(one, int):
            one = Part(np.arange(extent), [one, one + 1], True)
        if one and (alone or not one.summed or one.cuts != [0, extent]):
            new, to = _axis_of(axes[axis], one), np.full(extent, -1, np.intp)  # outside
            to[one.order[one.cuts[0]:one.cuts[-1]]] = np.repeat(np.arange(len(one.cuts) - 1), np.diff(one.cuts))
            units = [counter.unit(other) for other in range(len(abouts))]
            abouts[axis], units[axis] = dict(new._about), new._unit
            counter = counter.derived(lib.uh_histogram_rebin, axis, new._handle, ffi.from_buffer("size_t[]", to))
            counter.units = tuple(units) if any(units) else ()
        if one and one.summed and not alone:
            del abouts[axis]
            kept = [other for other in range(counter.axes()) if other != axis]
            counter = counter.derived(lib.uh_histogram_project, kept, len(kept))
    left = h.copy() if counter is h._counter else h._derived(counter, abouts)
    return _number(left.view(flow=True)[0]) if number else left


def _number(cell: Any) -> Any:
    return cell if cell.dtype.names else cell.item()


def place_of(axes: tuple[Axis, ...], index: Any, given: Array, value: Any) -> tuple[Any, ...]:
    """The place among all cells that an index selects for given cells, which are those of a histogram or another
    value."""
    wanted = entries(index, axes)
    places = list(map(_plain, wanted, axes))
    parts = [axis for axis, place in enumerate(places) if isinstance(place, slice)]
    if any(isinstance(place, np.ndarray) for place in places):
        return tuple(places)
    if given.ndim not in (0, len(parts)):
        raise ValueError(f"the cells have {given.ndim} dimensions, expected {len(parts)}")
    for dimension, axis in enumerate(parts):
        low, high = _bounds(wanted[axis], axes[axis])
        flow, place = (low < 0, high > len(axes[axis])), places[axis]
        if hasattr(value, "axes") and flow != value.axes[dimension].traits[2:4]:
            raise ValueError("Cannot set histogram with underflow={}, overflow={} to a slice with underflow={}, "
                             "overflow={}".format(*value.axes[dimension].traits[2:4], *flow))
        size, inner = given.shape[dimension] if given.ndim else 1, place.stop - place.start
        if size not in (1, inner):
            if size != inner + sum(flow):
                raise ValueError(f"Mismatched shapes {given.shape} in dimension {axis}, {size} != {inner}, or "
                                 f"{inner + sum(flow)} with flow bins")
            places[axis] = slice(place.start - flow[0], place.stop + flow[1])
    return tuple(places)
