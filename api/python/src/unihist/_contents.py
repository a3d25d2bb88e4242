# SPDX-License-Identifier: Apache-2.0
"""What a histogram contains, as arrays; and histograms that are derived from one."""
from __future__ import annotations

import builtins
import functools
from collections.abc import Sequence
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np

from ._arrays import Array, out
from ._axis import Axis
from ._counter import Counter
from ._native import ffi, lib
from ._slices import axis_number
from ._small import address_of
from ._status import fitting, text

Self = TypeVar("Self", bound="Contents")


def variance_of(cells: Any) -> Any:
    """The variances of samples, NaN for fewer than two."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(cells["count"] > 1, cells["_sum_of_deltas_squared"] / (cells["count"] - 1), np.nan)[()]


class MeanCell(np.record):  # type: ignore[misc]
    """A cell of storage "mean"."""

    variance = property(variance_of)


WEIGHTED = np.dtype((np.record, [("value", float), ("variance", float)]))
MEAN = np.dtype((MeanCell, [("count", np.int64), ("value", float), ("_sum_of_deltas_squared", float)]))
DTYPES = {"sum": np.dtype(float), "weighted": WEIGHTED, "mean": MEAN}  # otherwise int64


class Cells(np.ndarray[Any, Any]):
    """Cells when they were read; an assignment changes the histogram too. Fields are attributes."""

    write: Optional[Callable[[Array], None]] = None  # only of the array that `view` returns

    def __getattr__(self, name: str) -> Any:
        if name == "variance" and self.dtype == MEAN:
            return variance_of(np.asarray(self))
        if name not in (self.dtype.names or ()):
            raise AttributeError(f"cells of type {self.dtype} have no {name}")
        return np.asarray(self[name])

    def __mul__(self, by: Any) -> Any:
        if self.dtype.names is None:
            return super().__mul__(by)
        made = np.array(self)
        made["value"] *= by
        made[self.dtype.names[-1]] *= np.square(by)
        return made.view(Cells)

    __rmul__ = __mul__

    def __setitem__(self, at: Any, new: Any) -> None:
        if self.write is None:
            raise ValueError("these cells are a part or a copy of what `view` returned, expected that itself")
        changed = np.array(self)
        changed[at] = as_cells(new, self.dtype)
        self.write(changed)
        self.flags.writeable = True
        super().__setitem__(..., changed)
        self.flags.writeable = False


def as_cells(value: Any, dtype: np.dtype[Any]) -> Array:
    """Cells of this type: of a histogram, with flow bins, of an array, or of one with the fields in its last dimension:
    value and variance, or count, mean and variance of the samples."""
    given: Any = value.view(flow=True) if hasattr(value, "axes") else np.asarray(value)
    made, names = given, dtype.names
    if names and given.dtype.names is None:
        if given.ndim == 0 or given.shape[-1] != len(names):
            raise ValueError(f"cells have shape {given.shape}, expected {len(names)} numbers in the last dimension")
        made = np.zeros(given.shape[:-1], [(name, float) for name in names])
        for field, name in enumerate(names):
            made[name] = given[..., field]
        if dtype == MEAN:
            made[names[2]] = np.where(made["count"] > 1, made[names[2]] * (made["count"] - 1), 0)
    if dtype.kind == "i" or dtype == MEAN:
        counts = made["count"] if names else made
        if (wrong := counts[(counts < 0) | (counts != np.floor(counts))]).size:
            raise ValueError(f"a count is {wrong[0]}, expected a whole number from 0")
    return np.asarray(made)


class Axes(tuple[Axis, ...]):
    """The axes of a histogram; an attribute of axes is the tuple of theirs, arrays along the dimensions of cells."""

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        found = tuple(getattr(axis, name) for axis in self)
        return tuple(np.meshgrid(*found, indexing="ij", sparse=True)) if isinstance(found[0], np.ndarray) else found

    def __getitem__(self, at: Any) -> Any:
        return Axes(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)


class Contents:
    """The part of `Histogram` that reads."""

    _write: Any
    __getitem__: Any

    @classmethod
    def _of(cls: type[Self], counter: Counter, device: Optional[str], threads: Optional[int],
            abouts: Optional[Sequence[dict[str, Any]]], about: dict[str, Any]) -> Self:
        histogram = cls.__new__(cls)
        histogram._set(counter, device, threads, abouts or [{} for _ in range(counter.axes())], about)
        return histogram

    def _set(self, counter: Counter, device: Optional[str], threads: Optional[int], abouts: Sequence[dict[str, Any]],
             about: dict[str, Any]) -> None:
        self._counter = counter
        self._lock = counter.queue.lock  # shared with its parts
        self._where = (device, threads)
        self._abouts = list(abouts)  # of the axes
        kept = [*counter.units, *(about.get("_texts") or about.get("_circular") for about in abouts)]
        self._plain = 0 if any(kept) else address_of(counter.handle)  # takes arrays of numbers as they are
        self._about = about

    def _derived(self: Self, counter: Counter, abouts: Optional[Sequence[dict[str, Any]]] = None) -> Self:
        return self._of(counter, *self._where, list(map(dict, self._abouts if abouts is None else abouts)),
                        dict(self._about))

    def project(self: Self, *axes: Union[int, str], flow: bool = True) -> Self:
        """The sum over all other axes, with flow bins or not; these axes, by numbers or names, in the given order."""
        for axis in axes:
            if not isinstance(axis, str) and not 0 <= fitting("axes", axis, "int64_t") < self.ndim:
                raise ValueError(f"axes has {axis}, expected 0 to {self.ndim - 1} or names")
        kept = [axis_number(axis, self.axes) for axis in axes]
        if not flow:
            left = self[{axis: slice(0, len, builtins.sum) for axis in range(self.ndim) if axis not in kept}]
            return left.project(*(sorted(kept).index(axis) for axis in kept))  # type: ignore[no-any-return]
        counter = self._counter.derived(lib.uh_histogram_project, kept, len(kept))
        return self._derived(counter, [self._abouts[axis] for axis in kept])

    def copy(self: Self) -> Self:
        """Another histogram with the same contents."""
        return self.project(*range(self.ndim))

    __copy__ = copy

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self.copy()

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
    def axes(self) -> Axes:
        """The axes; a growing axis in its current state. `h.axes.edges` are the edges of all, and so on."""
        with self._lock:
            return Axes(self._axis(axis) for axis in range(self.ndim))

    def _axis(self, axis: int) -> Axis:
        handle = lib.uh_histogram_axis(self._counter.handle, axis)
        if handle == ffi.NULL:
            raise MemoryError("no memory for the edges of the axis")
        about = self._abouts[axis]
        found, cells = Axis._of(handle, self._counter.handle, about, self._counter.unit(axis)), self._counter.cells()
        if found._unit is not None:
            return found
        # The handle of a growing axis is valid until it grows: return an equal axis.
        if self.ndim == 1 and (not cells or len(found) and found[0] == (0, 1) and found[-1] == (cells - 1, cells)):
            like = Axis.integers(0, cells - 1) if cells else Axis.growing()
            like._about = about
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

    def _inner(self) -> tuple[slice, ...]:
        """The place of the other bins among all, flow bins included."""
        return tuple(slice(int(axis._flow[0]), axis._flow[0] + len(axis)) for axis in self.axes)

    def contents(self, flow: bool = False) -> tuple[Array, ...]:
        """
        The whole content of cells: counts; sums, for storage "weighted" with the sums of squares; or counts, means and
        sums of squared deviations from the mean. With `flow` also those of flow bins, at the ends.
        """
        with self._lock:
            storage, axes, cells = self.storage, self.axes, self._counter.cells()
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
            return tuple(a.reshape(axes.extent)[... if flow else self._inner()] for a in found)

    def view(self, flow: bool = False) -> Any:
        """
        The cells as an array: counts, sums, or records with `value` and `variance`, for storage "mean" with `count`.
        To assign to it, as in `h.view()[2:4] = 1`, also changes the histogram; a later fill does not change the array.
        """
        found = self.contents(flow)
        dtype = DTYPES.get(self.storage, np.dtype(np.int64))
        made: Any = np.empty(found[0].shape, dtype)
        for name, a in zip(dtype.names or (...,), found):
            made[name] = a
        cells: Cells = made.view(Cells)
        cells.flags.writeable = False
        cells.write = functools.partial(self._write_part, flow)
        return cells

    def _write_part(self, flow: bool, cells: Array) -> None:
        with self._lock:
            whole = np.array(self.view(flow=True))
            whole[... if flow else self._inner()] = cells
            self._write(whole)

    def sum(self, flow: bool = False) -> Any:
        """The sum over all cells, with flow bins if wanted: exact, or rounded once."""
        if not self._counter.cells():
            return 0
        return self[tuple(slice(None if flow else 0, None if flow else len, builtins.sum) for _ in range(self.ndim))]

    def values(self, flow: bool = False) -> Array:
        """The counts, sums of weights or means of cells; with `flow` those of flow bins too, at the ends."""
        found = self.contents(flow)
        return found[1] if self.kind == "MEAN" else found[0]

    def counts(self, flow: bool = False) -> Array:
        """
        The number of points of cells; for storage "weighted", the number of unweighted points with the same relative
        error; for storage "sum", the sums.
        """
        found = self.contents(flow)
        if self.storage != "weighted":
            return found[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(found[1] == 0, 0.0, found[0] ** 2 / found[1])

    def variances(self, flow: bool = False) -> Optional[Array]:
        """
        The variances of `values`: the counts themselves, the sums of squared weights, or the variances of means, NaN
        for fewer than two points; None for storage "sum".
        """
        found = self.contents(flow)
        if self.storage == "sum":
            return None
        if self.storage == "mean":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(found[0] > 1, found[2] / (found[0] - 1) / found[0], np.nan)
        return found[-1].astype(float)

    def density(self) -> Array:
        """The values divided by widths and by their sum, as in `histogram(density=True)`."""
        with self._lock:
            density = np.empty(self.axes.extent)
            self._counter.call(lib.uh_histogram_density, out("double", density))
            return density[self._inner()]

    def to_numpy(self, flow: bool = False) -> tuple[Array, ...]:
        """The values and the edges of each axis, as `histogram2d` returns them; those of flow bins are infinite, of
        dates NaT."""
        with self._lock:
            edges = [axis._all_edges() if flow else axis.edges for axis in self.axes]
            return (self.values(flow), *edges)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Array:
        if copy is False:
            raise ValueError("values are computed when they are read: there is nothing to share")
        values = self.values()
        return values if dtype is None else values.astype(dtype)
