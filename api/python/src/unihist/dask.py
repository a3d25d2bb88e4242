# SPDX-License-Identifier: Apache-2.0
"""
Histograms and samples of dask's arrays and dataframes, which must be there.

Each block makes a histogram of its own where it lies, and these are put together in a tree: with the bits that one
process would have got, sums of weights included, however the data are cut and whatever is computed again. Nothing is
computed before dask is told to.
"""
from __future__ import annotations

import operator
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt

from . import _blocks
from ._arrays import Array
from ._axis import Axis
from ._edges import values_of
from ._functions import as_numbers, density_of
from ._functions_nd import bins_and_ranges, density_of_cells
from ._histogram import Histogram
from ._sample import Sampler, seed_of

SPLIT = 8  # partial results that are put together at once


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None, *,
              nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
              split_every: int = SPLIT) -> tuple[Any, Any]:
    """
    `unihist.histogram` of a dask array or a column of a dataframe, in blocks.

    Parameters
    ----------
    a : dask array or series
        Values, as of `unihist.histogram`.
    bins, range, density, nan, device
        As there, but that `bins` is no name. Where the values give the range they are read twice.
    weights : array_like, dask array or series, optional
        Real numbers to be added instead of 1, in the values' shape. Where uint64 of 2**63 and more are among them,
        those of their block are rounded to float64.
    threads : int, optional
        Threads of each task; None: all of the machine's.
    split_every : int
        How many histograms are put together at once.

    Returns
    -------
    hist : dask array
        What `unihist.histogram` of all values returns, to the bit.
    bin_edges : ndarray, or dask array where the values give the range
        One more than bins.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> x = da.from_array([1, 2, 1, 7], chunks=2)
    >>> hist, edges = unihist.dask.histogram(x, bins=[0, 1, 2, 3])
    >>> hist.compute()
    array([0, 2, 1])
    >>> sums, edges = unihist.dask.histogram(da.zeros(3, chunks=1), [0, 1], weights=[1e17, 1.0, -1e17])
    >>> sums.compute()
    array([1.])
    """
    if isinstance(bins, str):
        raise ValueError(f"bins is {bins!r}, expected a number or edges: an estimate takes all values at once")
    where = (device, threads)
    values = _blocks.array_of(a)
    values = values.astype(values_of(np.empty(0, values.dtype)).dtype)
    arrays = [values, *_blocks.weights_of(weights, values)]
    blocks = _blocks.blocks_of(arrays)
    if range is None and np.ndim(bins) == 0:
        found = _blocks.extremes_of([block[0] for block in blocks], nan, split_every)
        edges = _delayed(_blocks.line_edges, found, bins, range, nan, where)
        sample = _blocks.line_edges(np.zeros(1, values.dtype), bins, range, nan, where)
        shown: Any = da.from_delayed(edges, sample.shape, sample.dtype)
    else:
        edges = shown = _blocks.line_edges(np.empty(0, values.dtype), bins, range, nan, where)
        if values.dtype.kind in "mM":
            values, edges = as_numbers(values, edges)
            blocks = _blocks.blocks_of([values, *arrays[1:]])
    dtype = arrays[1].dtype if weights is not None else None
    total = _blocks.total_of(_delayed(_blocks.over, [edges], weights is not None, where), blocks, 1, split_every)
    hist = _delayed(_blocks.line_of, total, dtype)
    if density:
        hist, dtype = _delayed(density_of, hist, edges), np.dtype(float)
    return da.from_delayed(hist, (shown.size - 1,), np.dtype(np.int64) if dtype is None else dtype), shown


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None, *,
                nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
                split_every: int = SPLIT) -> tuple[Any, tuple[Any, ...]]:
    """
    `unihist.histogramdd` of dask arrays or a dataframe, in blocks.

    Parameters
    ----------
    sample : (N, D) dask array, a list of D arrays or series of N, or a dataframe of D columns
        The points. Arrays and columns may have types of their own.
    bins, range, density, nan, device
        As of `unihist.histogramdd`.
    weights, threads, split_every
        As of `histogram`.

    Returns
    -------
    hist : dask array
        What `unihist.histogramdd` of all points returns, to the bit.
    edges : tuple of ndarray, or dask array where the values give the range
        The edges of each axis.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> points = da.from_array([[0, 0], [1, 1], [1, 1]], chunks=(2, 2))
    >>> hist, edges = unihist.dask.histogramdd(points, bins=2)
    >>> hist.compute()
    array([[1., 0.],
           [0., 2.]])
    """
    where = (device, threads)
    columns = _blocks.columns_of(sample)
    bins, range = bins_and_ranges(bins, range, len(columns))
    blocks = _blocks.blocks_of([*columns, *_blocks.weights_of(weights, columns[0])])
    edges, shown = [], []
    for axis, column in enumerate(columns):
        about = (axis, bins[axis], range[axis], nan, where)
        known = _blocks.edges_on_axis(np.zeros(1, column.dtype), *about)
        edges.append(known)
        shown.append(known)
        if range[axis] is None and np.ndim(bins[axis]) == 0:
            found = _blocks.extremes_of([block[axis] for block in blocks], nan, split_every)
            edges[axis] = _delayed(_blocks.edges_on_axis, found, *about)
            shown[axis] = da.from_delayed(edges[axis], known.shape, known.dtype)
    empty = _delayed(_blocks.over, edges, weights is not None, where)
    total = _blocks.total_of(empty, blocks, len(columns), split_every)
    hist = _delayed(_cells, total, weights is not None)
    if density:
        hist = _delayed(density_of_cells, hist, edges)
    return da.from_delayed(hist, tuple(e.size - 1 for e in shown), np.dtype(float)), tuple(shown)


def bincount(x: Any, weights: Any = None, minlength: int = 0, *, device: Optional[str] = None,
             threads: Optional[int] = 1, split_every: int = SPLIT) -> Any:
    """
    `unihist.bincount` of a dask array or a column of a dataframe, in blocks.

    Parameters
    ----------
    x : 1-D dask array or series of integers
        None is negative.
    weights, threads, split_every
        As of `histogram`.
    minlength, device
        As of `unihist.bincount`.

    Returns
    -------
    dask array
        What `unihist.bincount` of all values returns, to the bit. Its length is known when it is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> unihist.dask.bincount(da.from_array([0, 1, 1, 3, 2, 1, 7], chunks=3)).compute()
    array([1, 3, 1, 1, 0, 0, 0, 1])
    """
    values = _blocks.array_of(x)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise TypeError(f"x is of {values.dtype} in {values.ndim} dimensions, expected integers in one")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    storage, dtype = ("count", None) if weights is None else ("sum", np.dtype(float))
    empty = Histogram(Axis.growing(), storage=storage, device=device, threads=threads)
    blocks = _blocks.blocks_of([values, *_blocks.weights_of(weights, values)])
    line = _delayed(_blocks.line_of, _blocks.total_of(empty, blocks, 1, split_every), dtype)
    return da.from_delayed(_delayed(_lengthened, line, minlength), (np.nan,), dtype or np.dtype(np.int64))


def fill(histogram: Histogram, *coordinates: Any, weight: Any = None, sample: Any = None,
         split_every: int = SPLIT) -> Any:
    """
    `Histogram.fill` of dask arrays or columns of a dataframe, in blocks.

    Parameters
    ----------
    histogram : Histogram
        What there is already; it stays as it is.
    *coordinates : dask array or series
        An array an axis, of one shape.
    weight, sample : array_like, dask array or series, optional
        As of `Histogram.fill`.
    split_every : int
        As of `unihist.dask.histogram`.

    Returns
    -------
    dask.delayed.Delayed
        Another Histogram, which has the points too.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> x = da.from_array([0.5, 2.5, 2.5], chunks=1)
    >>> unihist.dask.fill(unihist.Histogram([0, 1, 2, 3]), x).compute().values()
    array([1, 0, 2])
    """
    if weight is not None and sample is not None:
        raise ValueError("weight and sample are both given, expected one")
    if len(coordinates) != histogram.ndim:
        raise ValueError(f"{len(coordinates)} arrays are given, expected {histogram.ndim}, one an axis")
    arrays = [_blocks.array_of(a) for a in coordinates]
    numbers = _blocks.weights_of(weight if sample is None else sample, arrays[0])
    empty = histogram.copy()
    empty.reset()
    total = _blocks.total_of(empty, _blocks.blocks_of([*arrays, *numbers]), len(arrays), split_every)
    return _delayed(_blocks.merged, [histogram, total])


def sample(weights: Any, size: Any, *, seed: Optional[int] = None, offset: int = 0, dtype: npt.DTypeLike = np.int64,
           chunks: Any = "auto", device: Optional[str] = None, threads: Optional[int] = 1) -> Any:
    """
    `Sampler.draw` as a dask array, whose blocks are drawn where they are wanted.

    Parameters
    ----------
    weights : Sampler, array_like, or 1-D dask array
        What draws; or weights, which may have to be computed.
    size : int or tuple of int
        The shape of the result.
    seed, offset, dtype
        As of `Sampler.draw`.
    chunks
        As of dask's arrays, but that the first dimension alone is cut.
    device, threads
        As of `Sampler`, where weights are given.

    Returns
    -------
    dask array
        What `Sampler.draw` returns, however it is cut.

    Examples
    --------
    >>> import unihist.dask
    >>> unihist.dask.sample([1, 0, 3, 6, 0], 8, seed=1, chunks=3).compute()
    array([3, 0, 3, 3, 2, 2, 3, 3])
    """
    shape = tuple(size) if isinstance(size, (tuple, list)) else (operator.index(size),)
    if not shape:
        raise ValueError("size is (), expected one dimension or more")
    if not isinstance(chunks, (tuple, dict)):
        chunks = (chunks, *[-1] * (len(shape) - 1))
    cut = da.core.normalize_chunks(chunks, shape, dtype=np.dtype(dtype))
    if any(len(lengths) > 1 for lengths in cut[1:]):
        raise ValueError(f"chunks are {cut}, expected that the first dimension alone is cut")
    if isinstance(weights, Sampler):
        sampler = dask.delayed(weights, pure=True)
    else:
        whole = weights.rechunk(-1).to_delayed()[0] if isinstance(weights, da.Array) else weights
        sampler = dask.delayed(Sampler, pure=True)(whole, device=device, threads=threads)
    chosen, first, blocks = seed_of(seed), offset, []
    for rows in cut[0]:
        block = (rows, *shape[1:])
        drawn = _delayed(Sampler.draw, sampler, block, seed=chosen, offset=first, dtype=dtype)
        blocks.append(da.from_delayed(drawn, block, np.dtype(dtype)))
        first += int(np.prod(block))
    return da.concatenate(blocks)


def _delayed(function: Any, *arguments: Any, **keywords: Any) -> Any:
    return dask.delayed(function, pure=True)(*arguments, **keywords)


def _cells(total: Histogram, weighted: bool) -> Array:
    line = _blocks.line_of(total, np.dtype(float) if weighted else None)
    return line.astype(float, copy=False).reshape(total.shape)


def _lengthened(line: Array, minlength: int) -> Array:
    return np.pad(line, (0, max(minlength - line.size, 0)))
