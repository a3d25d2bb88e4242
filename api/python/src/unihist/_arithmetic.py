# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of histograms, and setting their cells."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._arrays import Array
from ._contents import Contents
from ._counter import Counter
from ._native import lib
from ._saved import cleared, counter_of, negated, sections_of, set_cells

UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide}


def _calculated(storage: str, symbol: str, cells: Any, operand: Array, swapped: bool) -> Any:
    """Cells with a number or an array of numbers. Counts stay integers unless they are divided or meet a float."""
    function = UFUNCS[symbol]

    def both(a: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(function(operand, a) if swapped else function(a, operand))

    if storage in ("weighted", "mean"):
        if symbol == "/" and swapped or storage == "mean" and symbol in "+-":
            raise TypeError(f"storage {storage!r} does not support {symbol!r} with a number, or to divide a scalar or "
                            "array by it")
        made: Any = np.array(np.broadcast_to(cells, np.broadcast_shapes(cells.shape, operand.shape)))
        made["value"], name = both(made["value"]), made.dtype.names[-1]
        made[name] = made[name] + operand**2 if symbol in "+-" else function(function(made[name], operand), operand)
        return made
    if cells.dtype.kind == "f" or operand.dtype.kind == "f" or symbol == "/":
        return both(cells.astype(float))
    if (near := np.abs(both(cells.astype(float)))).max(initial=0) >= 2.0**63:
        raise OverflowError(f"a count {symbol} {operand.max()} is {near.max():g}, which exceeds int64")
    return both(cells)


def _operator(symbol: str, swapped: bool = False) -> Any:
    return lambda self, other: self._operated(symbol, other, swapped)


def _in_place(symbol: str) -> Any:
    return lambda self, other: self._merge(other) if symbol == "+" and isinstance(other, Arithmetic) else \
        self._become(self._operated(symbol, other))


class Arithmetic(Contents):
    """Operators of histograms with histograms over equal axes, numbers, and arrays of numbers of their shape, with or
    without flow bins. Sums and differences of histograms are exact, other results are rounded. Variances are those of
    independent weights; an added number has its square, as in boost-histogram. Counts stay counts if non-negative
    integers are added or multiplied; otherwise they become storage "sum"."""

    __add__, __radd__, __iadd__ = _operator("+"), _operator("+", True), _in_place("+")
    __sub__, __rsub__, __isub__ = _operator("-"), _operator("-", True), _in_place("-")
    __mul__, __rmul__, __imul__ = _operator("*"), _operator("*", True), _in_place("*")
    __truediv__, __rtruediv__, __itruediv__ = _operator("/"), _operator("/", True), _in_place("/")
    __array_priority__ = 20  # an array on the left leaves the operation to the histogram

    def _merge(self, other: Arithmetic) -> Any:
        with self._with(other):
            if self.storage != other.storage:
                raise TypeError(f"storages are {self.storage!r} and {other.storage!r}, expected equal ones for '+'")
            for a, b in zip(self.axes, other.axes):
                if (a._unit, a._texts()) != (b._unit, b._texts()):
                    raise ValueError(f"axes are {a} and {b}, expected equal units and texts")
            self._counter.call(lib.uh_histogram_merge, other._counter.handle)
        return self

    @contextlib.contextmanager
    def _with(self, other: Arithmetic) -> Iterator[None]:
        """Both locks, in an order that is the same for all threads."""
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            yield

    def _operated(self, symbol: str, other: Any, swapped: bool = False) -> Any:
        if getattr(getattr(other, "dtype", None), "names", None):  # cells, as of `view(flow=True)`
            other = self._like("", other)
        if isinstance(other, Arithmetic):
            return self._with_histogram(symbol, other)
        operand = np.asarray(other)
        if operand.dtype.kind not in "biuf":
            return NotImplemented
        if operand.dtype.kind in "bu":
            operand = operand.astype(np.int64)
        with self._lock:
            cells: Any = np.array(self.view(flow=True))
            for at in ((...,), self._inner()):  # with and without flow bins
                if not operand.ndim or operand.ndim == self.ndim and \
                        all(given in (1, bins) for given, bins in zip(operand.shape, cells[at].shape)):
                    break
            else:
                raise ValueError(f"the array has shape {operand.shape}, expected {self.shape} or {cells.shape}")
            if symbol in "+-" and not swapped and not operand.any() or symbol == "+" and not operand.any():
                return self.copy()
            found = _calculated(self.storage, symbol, cells[at], operand, swapped)
            stays = cells.dtype.kind != "i" or found.dtype.kind == "i" and symbol in "+*" and (operand >= 0).all()
            cells = cells.astype(found.dtype)
            cells[at] = found
            return self._like("" if stays else "sum", cells)

    def _with_histogram(self, symbol: str, other: Arithmetic) -> Any:
        if symbol == "+":
            return self.copy()._merge(other)
        storages = {self.storage, other.storage}
        if not storages <= ({"count", "sum", "weighted"} if symbol == "-" and len(storages) == 1 else {"count", "sum"}):
            raise TypeError(f"storages {self.storage!r} and {other.storage!r} do not support {symbol!r}")
        if self.axes != other.axes:
            raise ValueError(f"axes are {self.axes} and {other.axes}, expected equal ones")
        if symbol != "-":
            return self._operated(symbol, other.values(flow=True).astype(float))
        made, taken = (h._like("sum", h.view(flow=True)) if h.storage == "count" else h.copy() for h in (self, other))
        sections = sections_of(taken._counter)
        negated(sections)
        taken._replace([counter_of(sections, taken._counter.queue)])
        return made._merge(taken)

    def _like(self, storage: str, cells: Array) -> Any:
        """A histogram over the same axes, of another storage or of the same, with these cells."""
        made: Any = self.copy()
        if storage:
            made = type(made)(*self.axes, storage=storage, device=self._where[0], threads=self._where[1])
            made._about = dict(self._about)
        made._write(cells)
        return made

    def _become(self, other: Any) -> Any:
        if other is NotImplemented:
            return other
        with self._lock:
            if other.storage == self.storage:  # stays on its queue, with its method
                self._replace([other._counter])
            else:
                self._set(other._counter, *self._where, other._abouts, self._about)
        return self

    def _replace(self, counters: Sequence[Counter]) -> None:
        self._counter.call(lib.uh_histogram_reset)
        for counter in counters:
            self._counter.call(lib.uh_histogram_merge, counter.handle)

    def _write(self, cells: Array) -> None:
        """Sets all cells. Those that do not change keep their exact sums."""
        with self._lock:
            storage, whole = self.storage, np.ascontiguousarray(cells)
            changed = (np.asarray(self.view(flow=True)) != whole).ravel()
            sections = sections_of(self._counter)
            new = cleared(sections, slice(None), True)
            fields = [whole[name] for name in whole.dtype.names] if whole.dtype.names else [whole]
            set_cells(new, storage, [np.where(changed, a.ravel(), a.dtype.type(0)) for a in fields])
            self._replace([counter_of(s, self._counter.queue) for s in (cleared(sections, changed), new)])
