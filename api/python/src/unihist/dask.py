# SPDX-License-Identifier: Apache-2.0
"""
Histograms and samples of dask's arrays and dataframes; needs dask.

Each block is filled into a histogram of its own on its worker, and these are added in a tree: with the bits of one
process, including sums of weights, for any division into blocks and after any recomputation. Everything is lazy.

In all functions, arrays are dask arrays, columns of dataframes, or arrays in memory; `threads` is the number of threads
of each task (None: all of the machine), and `split_every` the number of histograms that one task adds. Other arguments
are those of the functions of the same name in `unihist`.
"""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array
from ._axis import Axis
from ._edges import axis_edges, bin_edges, density_of, values_of
from ._functions import bins_and_ranges
from ._histogram import Histogram
from ._queue import Where
from ._sample import Sampler, seed_of

SPLIT = 8  # histograms that one task adds


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None, *,
              nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
              split_every: int = SPLIT) -> tuple[Any, Any]:
    """
    `unihist.histogram` in blocks.

    `bins` may not be the name of a rule. If the values give the range, they are read twice, and the edges are lazy too.
    Weights are real numbers.

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
    values = _array_of(a)
    values = values.astype(values_of(np.empty(0, values.dtype)).dtype)
    numbers = _weights_of(weights, values)
    blocks = _blocks_of([values, *numbers])
    make = functools.partial(bin_edges, bins=bins, range=range, weights=None, nan=nan, where=where)
    edges, shown = _edges_of(values.dtype, [block[0] for block in blocks], make, bins, range, nan, split_every)
    dtype = numbers[0].dtype if numbers and numbers[0].dtype.kind not in "iub" else np.dtype(np.int64)
    return _cells_of(blocks, [edges], [shown], bool(numbers), dtype, density, where, split_every), shown


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None, *,
                nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
                split_every: int = SPLIT) -> tuple[Any, tuple[Any, ...]]:
    """
    `unihist.histogramdd` in blocks.

    `sample` is an (N, D) array, a list of D arrays of N, or a dataframe of D columns, each with its own type.

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
    columns = _columns_of(sample)
    bins, range = bins_and_ranges(bins, range, len(columns))
    numbers = _weights_of(weights, columns[0])
    blocks = _blocks_of([*columns, *numbers])
    edges, shown = [], []
    for axis, column in enumerate(columns):
        make = functools.partial(axis_edges, axis=axis, bins=bins[axis], range=range[axis], nan=nan, where=where)
        found = _edges_of(column.dtype, [block[axis] for block in blocks], make, bins[axis], range[axis], nan,
                          split_every)
        edges.append(found[0])
        shown.append(found[1])
    hist = _cells_of(blocks, edges, shown, bool(numbers), np.dtype(float), density, where, split_every)
    return hist, tuple(shown)


def bincount(x: Any, weights: Any = None, minlength: int = 0, *, device: Optional[str] = None,
             threads: Optional[int] = 1, split_every: int = SPLIT) -> Any:
    """
    `unihist.bincount` in blocks. The length of the result is unknown until it is computed.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> unihist.dask.bincount(da.from_array([0, 1, 1, 3, 2, 1, 7], chunks=3)).compute()
    array([1, 3, 1, 1, 0, 0, 0, 1])
    """
    values = _array_of(x)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise TypeError(f"x is of {values.dtype} in {values.ndim} dimensions, expected integers in one")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    storage, dtype = ("count", np.dtype(np.int64)) if weights is None else ("sum", np.dtype(float))
    empty = Histogram(Axis.growing(), storage=storage, device=device, threads=threads)
    total = _total_of(empty, _blocks_of([values, *_weights_of(weights, values)]), 1, split_every)
    return da.from_delayed(_delayed(_cells, total, weights is not None, dtype, minlength), (np.nan,), dtype)


def fill(histogram: Histogram, *coordinates: Any, weight: Any = None, sample: Any = None,
         split_every: int = SPLIT) -> Any:
    """
    `Histogram.fill` in blocks: a Delayed of a copy with these points added; `histogram` is unchanged.

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
        raise ValueError(f"{len(coordinates)} arrays are given, expected {histogram.ndim}, one per axis")
    arrays = [_array_of(a) for a in coordinates]
    numbers = _weights_of(weight if sample is None else sample, arrays[0])
    empty = histogram.copy()
    empty.reset()
    total = _total_of(empty, _blocks_of([*arrays, *numbers]), len(arrays), split_every)
    return _delayed(merged, [histogram, total])


def sample(weights: Any, size: Any, *, seed: Optional[int] = None, offset: int = 0, dtype: npt.DTypeLike = np.int64,
           chunks: Any = "auto", device: Optional[str] = None, threads: Optional[int] = 1) -> Any:
    """
    `Sampler.draw` as a dask array: the same samples for any `chunks`, which may divide the first dimension only.

    `weights` is a Sampler, or the weights of one, which may be lazy.

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
        sampler = _delayed(Sampler, whole, device=device, threads=threads)
    chosen, first, blocks = seed_of(seed), offset, []
    for rows in cut[0]:
        block = (rows, *shape[1:])
        drawn = _delayed(Sampler.draw, sampler, block, seed=chosen, offset=first, dtype=dtype)
        blocks.append(da.from_delayed(drawn, block, np.dtype(dtype)))
        first += int(np.prod(block))
    return da.concatenate(blocks)


# ---- arrays and their blocks


def _array_of(x: Any, like: Any = None) -> Any:
    """A dask array; an array in memory is cut like another one of the same shape."""
    if hasattr(x, "to_dask_array"):
        return x.to_dask_array()
    if isinstance(x, da.Array):
        return x
    whole = as_array(x)
    return da.from_array(whole, chunks=-1 if like is None or whole.shape != like.shape else like.chunks)


def _weights_of(weights: Any, like: Any) -> list[Any]:
    """The array of the weights or samples of an array's elements, if given."""
    if weights is None:
        return []
    numbers = _array_of(weights, like)
    if numbers.dtype.kind == "c":
        raise TypeError(f"weights are of {numbers.dtype}, expected real numbers")
    return [numbers]


def _columns_of(sample: Any) -> list[Any]:
    """An array per axis."""
    if hasattr(sample, "to_dask_array") and hasattr(sample, "columns"):
        return [sample[name].to_dask_array() for name in sample.columns]
    if isinstance(sample, (list, tuple)) and any(isinstance(a, da.Array) or hasattr(a, "dask") for a in sample):
        return [_array_of(a) for a in sample]
    points = _array_of(sample)
    if points.ndim != 2:
        raise ValueError(f"sample has {points.ndim} dimensions, expected (N, D), or a list of D arrays")
    points = points.rechunk({1: -1})
    return [points[:, axis] for axis in np.arange(points.shape[1])]


def _blocks_of(arrays: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The delayed blocks of arrays of one shape, cut like the first: for each place a block of each array."""
    known = [a for a in arrays if not np.isnan(a.shape).any()]
    if len({a.shape for a in known}) > 1:
        raise ValueError(f"arrays have shapes {[a.shape for a in arrays]}, expected one")
    if len(known) == len(arrays):
        arrays = [a.rechunk(arrays[0].chunks) for a in arrays]
    blocks = [a.to_delayed(optimize_graph=False).ravel() for a in dask.optimize(*arrays)]
    if len({len(of) for of in blocks}) > 1:
        raise ValueError(f"arrays are cut into {[len(of) for of in blocks]} blocks, expected as many of each")
    return list(zip(*blocks))


# ---- tasks; none changes its arguments, so that each may run again


def _delayed(function: Any, *arguments: Any, **keywords: Any) -> Any:
    return dask.delayed(function, pure=True)(*arguments, **keywords)


def _tree(join: Callable[[list[Any]], Any], parts: list[Any], split: int) -> Any:
    if split < 2:
        raise ValueError(f"split_every is {split}, expected at least 2")
    while len(parts) > 1:
        parts = [_delayed(join, parts[at:at + split]) for at in range(0, len(parts), split)]
    return parts[0]


def _extremes(values: Any, nan: str) -> Array:
    """The smallest and the largest value, if any; NaN if one counts."""
    a = as_array(values)
    low, high = (np.fmin, np.fmax) if nan == "omit" else (np.minimum, np.maximum)
    return np.array([low.reduce(a, None), high.reduce(a, None)] if a.size else [], a.dtype)


def _joined(parts: list[Array], nan: str) -> Array:
    return _extremes(np.concatenate(parts), nan)


def _edges_of(dtype: np.dtype[Any], blocks: list[Any], make: Callable[[Any], Array], bins: Any, range: Any, nan: str,
              split: int) -> tuple[Any, Any]:
    """Edges of values of a type, by a function of values with the same extremes: as a task and as a dask array if the
    values of the blocks give the range."""
    known = make(np.zeros(1, dtype))
    if range is not None or np.ndim(bins) > 0:
        return known, known
    join = functools.partial(_joined, nan=nan)
    edges = _delayed(make, _tree(join, [_delayed(_extremes, block, nan) for block in blocks], split))
    return edges, da.from_delayed(edges, known.shape, known.dtype)


def _over(edges: list[Array], weighted: bool, where: Where) -> Histogram:
    """An empty histogram."""
    return Histogram(*edges, storage="sum" if weighted else "count", device=where[0], threads=where[1])


def _part(empty: Histogram, arrays: list[Any], numbers: Any) -> Histogram:
    given = {} if numbers is None else {"sample" if empty.storage == "mean" else "weight": numbers}
    make, kept = empty.__reduce__()  # a queue of its own
    return make(*kept).fill(*arrays, **given)  # type: ignore[no-any-return]


def merged(parts: list[Histogram]) -> Histogram:
    """The sum of histograms."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def _total_of(empty: Any, blocks: list[Any], dims: int, split: int) -> Any:
    """An empty histogram, filled with all blocks: `dims` coordinates and possibly weights or samples."""
    empty = dask.delayed(empty, pure=True)
    parts = [_delayed(_part, empty, list(block[:dims]), block[dims] if len(block) > dims else None) for block in blocks]
    return _tree(merged, parts, split)


def _cells(total: Histogram, weighted: bool, dtype: np.dtype[Any], minlength: int = 0) -> Array:
    """Counts or sums of weights, and zeros up to a length."""
    counter = total._counter
    cells = counter.sums(dtype) if weighted else counter.counts().astype(dtype, copy=False)
    return np.pad(cells, (0, minlength - cells.size)) if cells.size < minlength else cells.reshape(total.shape)


def _cells_of(blocks: list[Any], edges: list[Any], shown: list[Any], weighted: bool, dtype: np.dtype[Any],
              density: Optional[bool], where: Where, split: int) -> Any:
    """The cells between edges, as a dask array; the shapes of `shown` are known."""
    total = _total_of(_delayed(_over, edges, weighted, where), blocks, len(edges), split)
    hist = _delayed(_cells, total, weighted, dtype)
    if density:
        hist, dtype = _delayed(density_of, hist, edges), np.dtype(float)
    return da.from_delayed(hist, tuple(e.size - 1 for e in shown), dtype)
