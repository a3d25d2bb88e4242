# SPDX-License-Identifier: Apache-2.0
"""numpy.bincount and digitize."""
from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, c_arrays, out, pieces, read_as
from ._counter import filled
from ._native import lib
from ._progress import Progress, progress_of
from ._queue import Queue, queue_of
from ._status import made


def bincount(x: npt.ArrayLike, /, weights: Optional[npt.ArrayLike] = None, minlength: int = 0, *,
             device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Array:
    """
    How often each of the integers 0, 1, 2, ... occurs, or sums of weights by integer: `numpy.bincount`.

    Parameters
    ----------
    x : 1-D array_like of integers
        None is negative.
    weights : array_like, optional
        Numbers to be added instead of 1, as many as values.
    minlength : int
        The least number of bins.
    device, threads, progress
        As of `histogram`.

    Returns
    -------
    ndarray
        `max(x) + 1` counts as int64, or sums as float64: of the real numbers, rounded once, where NumPy rounds each
        addition.

    Examples
    --------
    >>> import unihist
    >>> unihist.bincount([0, 1, 1, 3, 2, 1, 7])
    array([1, 3, 1, 1, 0, 0, 0, 1])
    >>> unihist.bincount([0, 1, 1], weights=[0.5, 0.25, 0.25])
    array([0.5, 0.5])
    """
    values = as_array(x)
    if values.ndim != 1:
        raise ValueError("object of too small depth for desired array" if values.ndim == 0
                         else "object too deep for desired array")
    if not values.size and isinstance(x, (list, tuple)):
        values = values.astype(np.intp)
    if values.dtype.kind not in "iub":
        raise TypeError(f"x is of {values.dtype}, expected integers")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    numbers = None if weights is None else as_array(weights)
    if numbers is not None and numbers.shape != values.shape:
        raise ValueError("The weights and list don't have the same length.")
    if numbers is not None and numbers.dtype.kind == "c":
        raise TypeError(f"weights are of {numbers.dtype}, expected real numbers")
    growing = made(lib.uh_axis_create_growing, "uh_axis", lib.uh_axis_destroy)
    return filled([growing], [values], numbers, np.dtype(float), (device, threads), progress, minlength=minlength)


def digitize(x: npt.ArrayLike, bins: npt.ArrayLike, right: bool = False, *, device: Optional[str] = None,
             threads: Optional[int] = None, progress: Progress = False) -> Any:
    """
    The bin of each value: `numpy.digitize`.

    Parameters
    ----------
    x : array_like
        Values, as of `histogram`.
    bins : 1-D array_like
        Edges that do not decrease, or do not increase.
    right : bool
        Whether a bin holds its right edge instead of its left one.
    device, threads, progress
        As of `histogram`.

    Returns
    -------
    ndarray of int64, or int64
        Of the shape of x: i where `bins[i-1] <= x < bins[i]`, 0 or `len(bins)` beyond, `len(bins)` of NaN.

    Examples
    --------
    >>> import unihist
    >>> unihist.digitize([0.2, 6.4, 3.0, 1.6], [0.0, 1.0, 2.5, 4.0, 10.0])
    array([1, 4, 3, 2])
    """
    values, edges = as_array(x), np.asarray(bins)
    if values.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if edges.ndim != 1:
        raise ValueError("object of too small depth for desired array" if edges.ndim == 0
                         else "object too deep for desired array")
    decreasing = edges.size > 1 and edges[0] > edges[-1]
    edges = np.ascontiguousarray(edges[::-1] if decreasing else edges, read_as(edges.dtype))
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("bins must be monotonically increasing or decreasing")
    index = np.zeros(values.shape, np.int64)
    if edges.size:
        _digitize(values, edges, right, index.reshape(-1), queue_of(device, threads), progress)
    if decreasing:
        np.subtract(edges.size, index, out=index)
    return index if index.ndim else index[()]


def searchsorted(a: npt.ArrayLike, v: npt.ArrayLike, side: str = "left", sorter: Optional[npt.ArrayLike] = None, *,
                 device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Any:
    """
    Where values would be put into a sorted array: `numpy.searchsorted`, of values and numbers compared as real numbers.

    Parameters
    ----------
    a : 1-D array_like
        Numbers that do not decrease, without NaN.
    v : array_like
        Values, as of `histogram`.
    side : {"left", "right"}
        Whether before numbers that are equal to a value, or behind them.
    sorter : 1-D array_like of integers, optional
        Indices that sort `a`.
    device, threads, progress
        As of `histogram`.

    Returns
    -------
    ndarray of int64, or int64
        Of the shape of v; `len(a)` of NaN.

    Examples
    --------
    >>> import unihist
    >>> unihist.searchsorted([1, 2, 2, 3], [2, 0, 2.5])
    array([1, 0, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side is {side!r}, expected 'left' or 'right'")
    edges = np.asarray(a)
    if sorter is not None:
        edges = edges[np.asarray(sorter)]
    if edges.ndim == 1 and np.any(edges[:-1] > edges[1:]):
        raise ValueError("a decreases, expected numbers in order, or their sorter")
    return digitize(v, edges, side == "left", device=device, threads=threads, progress=progress)


def _digitize(values: Array, edges: Array, right: bool, index: Array, queue: Queue, progress: Progress) -> None:
    """Indices of the values in order."""
    done = 0
    with progress_of(progress, "digitize", values.size) as tell:
        for piece in pieces([values], [read_as(values.dtype)], in_order=True):
            part = index[done:done + piece[0].size]
            queue.call(lib.uh_digitize, c_arrays(piece), c_arrays([edges]), bool(right), out("int64_t", part))
            done += part.size
            tell(part.size)
