# SPDX-License-Identifier: Apache-2.0
"""numpy.bincount, add.at, digitize and searchsorted."""
from __future__ import annotations

import operator
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import (TYPES, Array, as_array, as_chunks, as_edges, as_signed, as_weights, c_arrays, known, out, pieces,
                      read_as, weight_as)
from ._counter import axis_of_edges, filled
from ._dates import MIN, as_unit, integers, rounded
from ._native import ffi, lib
from ._progress import Progress, progress_of
from ._queue import queue_of
from ._remote import where_of
from ._small import INTEGERS, LEFT, RIGHT, at_once
from ._status import made

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def bincount(x: npt.ArrayLike, /, weights: Optional[npt.ArrayLike] = None, minlength: int = 0, *,
             device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Array:
    """
    Counts of the integers 0, 1, 2, ..., or sums of weights per integer: `numpy.bincount`.

    Arguments and results are NumPy's, but that a sum is that of the real numbers, rounded once; of integers that
    float64 does not hold, OverflowError. `device`, `threads` and `progress` are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.bincount([0, 1, 1, 3, 2, 1, 7])
    array([1, 3, 1, 1, 0, 0, 0, 1])
    >>> unihist.bincount([0, 1, 1], weights=[0.5, 0.25, 0.25])
    array([0.5, 0.5])
    """
    if weights is None and not progress and (found := at_once(INTEGERS, device, threads, x, minlength)) is not None:
        return found
    values = as_chunks(x, weights is None)
    if values.ndim != 1:
        raise ValueError("object of too small depth for desired array" if values.ndim == 0
                         else "object too deep for desired array")
    if not values.size and isinstance(x, (list, tuple)):
        values = values.astype(np.intp)
    if values.dtype.kind not in "iub":
        raise TypeError(f"x is of {values.dtype}, expected integers")
    if not hasattr(minlength, "__index__"):
        raise TypeError(f"minlength: {type(minlength).__name__!r} object cannot be interpreted as an integer")
    if operator.index(minlength) < 0:
        raise ValueError("'minlength' must not be negative")
    numbers = None if weights is None else as_weights(weights)
    if numbers is not None and numbers.shape != values.shape:
        raise ValueError("The weights and list don't have the same length.")
    growing = made(lib.uh_axis_create_growing, "uh_axis", lib.uh_axis_destroy)
    where, names = where_of(device, threads, values, numbers), {"arrays[0]": "x"}
    return filled([growing], [values], numbers, where, progress, True, names, minlength=minlength)


def scatter_add(out: Array, index: npt.ArrayLike, values: npt.ArrayLike, *, device: Optional[str] = None,
                threads: Optional[int] = None) -> None:
    """
    Adds values to the elements of an array that an index names, however often: `numpy.add.at(out, index, values)`.

    Each element becomes the sum of the real numbers, rounded once, so that no order or number of threads changes a bit.
    A sum that `out`, of integers, does not hold is OverflowError. `out` has one dimension; an index below 0 counts from
    its end. `device` and `threads` are those of `histogram`. On an error `out` is unchanged.

    Examples
    --------
    >>> import numpy as np, unihist
    >>> sums = np.zeros(3)
    >>> unihist.scatter_add(sums, [0, 2, 0], [0.5, 1, 0.25])
    >>> sums.tolist()
    [0.75, 0.0, 1.0]
    """
    if not isinstance(out, np.ndarray) or out.ndim != 1 or not (out.dtype.kind in "iu" or out.dtype.newbyteorder("=") in FLOATS):
        raise TypeError(f"out is {out!r}, expected an array of one dimension, of integers, float32 or float64")
    if not out.flags.writeable:
        raise ValueError("out is read-only, expected an array to add to")
    places = np.asarray(known(as_array(index), "index"))
    if not places.size and isinstance(index, (list, tuple)):
        places = places.astype(np.intp)
    if places.dtype.kind not in "iu":
        raise TypeError(f"index is of {places.dtype}, expected integers")
    numbers = np.broadcast_to(as_weights(values, "values"), places.shape).reshape(-1)
    places = np.ascontiguousarray(places, read_as(places.dtype)).reshape(-1)
    low, high = (int(places.min()), int(places.max())) if places.size else (0, -1)
    if low < -out.size or high >= out.size:
        at = int(np.argmax((places < -out.size) | (places >= out.size)))
        raise IndexError(f"index[{at}] is {places[at]}, expected {-out.size} to {out.size - 1}")
    if low < 0:
        places = places + np.where(places < 0, out.size, 0)
    kind = out.dtype.newbyteorder("=") if out.dtype.kind == "f" else np.dtype("u8" if out.dtype == np.uint64 else "i8")
    sums = np.array(out, kind)
    weights = as_signed(numbers.astype(weight_as(numbers.dtype), copy=False))
    queue_of(device, threads).call(lib.uh_scatter_add, c_arrays([places]), c_arrays([weights]), TYPES[kind],
                                   ffi.from_buffer(sums), sums.size)
    held = sums.astype(out.dtype)
    if kind.kind != "f" and (held != sums).any():
        at = int(np.argmax(held != sums))
        raise OverflowError(f"out[{at}] becomes {sums[at]}, which {out.dtype} does not hold")
    out[...] = held


def digitize(x: npt.ArrayLike, bins: npt.ArrayLike, right: bool = False, *, dtype: npt.DTypeLike = np.int64,
             device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Any:
    """
    The bin of each value: `numpy.digitize`, of values and edges compared as real numbers.

    Arguments and results are NumPy's, but for `dtype`, their type: uint8, uint16, int32 or int64, which holds
    `len(bins)`. `device`, `threads` and `progress` are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.digitize([0.2, 6.4, 3.0, 1.6], [0.0, 1.0, 2.5, 4.0, 10.0])
    array([1, 4, 3, 2])
    """
    kind = np.dtype(dtype)
    if kind == np.int64 and not progress:
        found = at_once(RIGHT if right else LEFT, device, threads, x, bins)
        if found is not None:
            return found
    if kind not in TYPES:
        raise ValueError(f"dtype is {kind}, expected uint8, uint16, int32 or int64")
    values, edges = as_array(x), np.asarray(as_edges(bins, "bins"))
    if values.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if edges.ndim != 1:
        raise ValueError("object of too small depth for desired array" if edges.ndim == 0
                         else "object too deep for desired array")
    decreasing = edges.size > 1 and edges[0] > edges[-1]
    edges = edges[::-1] if decreasing else edges
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    dates, unit = edges.dtype.kind in "mM", None
    if dates != (values.dtype.kind in "mM"):
        raise TypeError(f"x is of {values.dtype}, and bins of {edges.dtype}")
    if dates:
        edges, unit = as_unit(edges, values.dtype)
    edges = np.ascontiguousarray(edges, read_as(edges.dtype))
    index = np.zeros(values.shape, kind)
    if edges.size:
        queue, row, done = queue_of(*where_of(device, threads, values)), index.reshape(-1), 0
        with progress_of(progress, "digitize", values.size) as advance:
            whole = integers(np.ma.getdata(values))
            for piece in pieces([whole], [read_as(whole.dtype)], in_order=True):
                part, missing = row[done:done + piece[0].size], piece[0] == MIN if dates else None
                if unit is not None and unit != values.dtype:
                    piece = [rounded(piece[0], values.dtype, unit, bool(right), MIN, int(edges[-1]) if right else MIN)]
                queue.call(lib.uh_digitize, c_arrays(piece), c_arrays([edges]), bool(right), TYPES[index.dtype],
                           ffi.from_buffer(part))
                if missing is not None:
                    part[missing] = edges.size  # as NaN
                done += part.size
                advance(part.size)
    if isinstance(values, np.ma.MaskedArray):
        index[np.ma.getmaskarray(values)] = edges.size
    if decreasing:
        np.subtract(edges.size, index, out=index)
    return index if index.ndim else index[()]


def digitize_columns(x: npt.ArrayLike, bins: Any, right: bool = False, *, dtype: Optional[npt.DTypeLike] = None,
                     order: Literal["C", "F"] = "C", device: Optional[str] = None, threads: Optional[int] = None) -> Array:
    """
    Codes of a table's values, as gradient boosting reads them: the bin of each value in its column's edges.

    Parameters
    ----------
    x : array_like, (n, m)
        Numbers in rows and columns; those missing in a masked array are as NaN.
    bins : array_like, or list of m of them
        Edges of all columns, or of each: k + 1 numbers that do not decrease are k bins.
    right : bool
        Whether a value that equals an edge is in the bin below it, as in scikit-learn's gradient boosting.
    dtype : {uint8, uint16, int32, int64}, optional
        Of the codes; by default the first that holds the largest.
    order : {"C", "F"}
        How codes lie in memory: by rows or by columns.
    device, threads
        As in `histogram`.

    Returns
    -------
    ndarray, (n, m)
        0 to k - 1, in which the outer bins have no ends; k for NaN.

    Examples
    --------
    >>> import unihist
    >>> unihist.digitize_columns([[0.5, 10], [1.5, 25], [7, float("nan")]], [[0, 1, 2], [0, 20, 30, 40]])
    array([[0, 0],
           [1, 1],
           [1, 3]], dtype=uint8)
    """
    given = as_array(x)
    values = np.ma.getdata(given)
    if values.ndim != 2 or values.dtype.kind in "mMc":
        raise ValueError(f"x is of {values.dtype} with {values.ndim} dimensions, expected numbers with 2")
    columns = values.shape[1]
    per_column = isinstance(bins, (list, tuple)) and len(bins) and np.ndim(bins[0]) == 1
    edges = [np.asarray(as_edges(e, "bins")) for e in (bins if per_column else [bins])]
    if len(edges) not in (1, columns) or any(e.ndim != 1 for e in edges):
        raise ValueError(f"bins are {len(edges)} arrays, expected edges of one dimension for all {columns} columns or each")
    closed = lib.UH_HALF_OPEN_RIGHT if right else lib.UH_HALF_OPEN_LEFT
    axes = [axis_of_edges(e, closed) for e in edges] * (columns if len(edges) == 1 else 1)
    most = max((e.size - 1 for e in edges), default=0)
    kind = np.dtype("u1" if most < 1 << 8 else "u2" if most < 1 << 16 else "i4") if dtype is None else np.dtype(dtype)
    if kind not in TYPES:
        raise ValueError(f"dtype is {kind}, expected uint8, uint16, int32 or int64")
    codes = np.empty(values.shape, kind, order)
    values = values.astype(read_as(values.dtype), copy=False)
    if codes.size:
        to = ffi.new("uh_codes *", (TYPES[kind], ffi.from_buffer(codes.reshape(-1, order="A")), *codes.strides))
        queue_of(device, threads).call(lib.uh_digitize_columns, c_arrays(list(values.T)), axes, columns, to)
    if isinstance(given, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(given)
        codes[missing] = np.broadcast_to([e.size - 1 for e in edges], values.shape)[missing]
    return codes


def searchsorted(a: npt.ArrayLike, v: npt.ArrayLike, side: str = "left", sorter: Optional[npt.ArrayLike] = None, *,
                 device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Any:
    """
    The positions of values in a sorted array: `numpy.searchsorted`, of values and numbers compared as real numbers.

    Arguments and results are NumPy's; `a` has no NaN. `device`, `threads` and `progress` are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.searchsorted([1, 2, 2, 3], [2, 0, 2.5])
    array([1, 0, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}, expected 'left' or 'right'")
    if sorter is None and not progress:
        found = at_once(RIGHT if side == "left" else LEFT, device, threads, v, a)
        if found is not None:
            return found
    edges = np.asarray(as_edges(a, "a"))
    if sorter is not None:
        order = np.asarray(sorter)
        if order.dtype.kind not in "iu":
            raise TypeError(f"sorter is of {order.dtype}, expected integers")
        edges = edges[order]
    if edges.ndim == 1 and np.any(edges[:-1] > edges[1:]):
        raise ValueError("a decreases, expected numbers in order, or their sorter")
    return digitize(v, edges, side == "left", device=device, threads=threads, progress=progress)
