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
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt

from . import _integers, _sample
from ._arrays import as_array
from ._axis import Axis
from ._blocks import (SPLIT, array_of, blocks_of, columns_of, counted, counted_by, delayed, merged, summed, total_of, weights_of, whole_of)
from ._edges import axis_edges, bin_edges, values_of
from ._functions import axes_of_plane, bins_and_ranges
from ._histogram import Histogram
from ._sample import Sampler, seed_of
from .bins import is_rule, parsed


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None, *,
              nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
              split_every: int = SPLIT) -> tuple[Any, Any]:
    """
    `unihist.histogram` in blocks.

    If the values give the range, or `bins` is the name of a rule, they are read twice, and the edges are lazy too; of a
    rule their number is unknown, and NumPy's rules take values as float64. "day" and the like need a range of dates.

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
    where, values = (device, threads), array_of(a)
    if isinstance(bins, str) and not is_rule(bins) and (range is None or values.dtype.kind not in "mM"):
        raise ValueError(f"bins is {bins!r}, expected a number, edges or a rule, or a unit of dates with their range")
    values = values.astype(values_of(np.empty(0, values.dtype)).dtype)
    numbers = weights_of(weights, values)
    if is_rule(bins) and values.dtype.kind not in "mM":
        return counted_by(parsed(bins), values, numbers, range, nan, density, where, split_every)
    make = functools.partial(bin_edges, bins=bins, range=range, weights=None, nan=nan, where=where)
    hist, edges = counted([values], numbers, [make], [range is not None or np.ndim(bins) > 0], nan, False, density,
                          where, split_every)
    return hist, edges[0]


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
    where, columns = (device, threads), columns_of(sample)
    bins, range = bins_and_ranges(bins, range, len(columns))
    makes = [functools.partial(axis_edges, axis=axis, bins=b, range=r, nan=nan, where=where)
             for axis, (b, r) in enumerate(zip(bins, range))]
    hist, edges = counted(columns, weights_of(weights, columns[0]), makes,
                          [r is not None or np.ndim(b) > 0 for b, r in zip(bins, range)], nan, True, density,
                          where, split_every)
    return hist, tuple(edges)


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: Optional[bool] = None, weights: Any = None,
                *, nan: str = "raise", device: Optional[str] = None, threads: Optional[int] = 1,
                split_every: int = SPLIT) -> tuple[Any, Any, Any]:
    """
    `unihist.histogram2d` in blocks.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> x = da.from_array([0, 1, 1], chunks=2)
    >>> unihist.dask.histogram2d(x, x, bins=2)[0].compute()
    array([[1., 0.],
           [0., 2.]])
    """
    hist, edges = histogramdd([array_of(x), array_of(y)], axes_of_plane(bins), range, density, weights, nan=nan,
                              device=device, threads=threads, split_every=split_every)
    return hist, edges[0], edges[1]


def digitize(x: Any, bins: npt.ArrayLike, right: bool = False, *, device: Optional[str] = None,
             threads: Optional[int] = 1) -> Any:
    """
    `unihist.digitize` in blocks: an int64 array of the shape of `x`. `bins` is an array in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> import unihist.dask
    >>> x = da.from_array([0.2, 6.4, 3.0, 1.6], chunks=3)
    >>> unihist.dask.digitize(x, [0.0, 1.0, 2.5, 4.0, 10.0]).compute()
    array([1, 4, 3, 2])
    """
    values, find = array_of(x), functools.partial(_integers.digitize, bins=as_array(bins), right=right, device=device,
                                                  threads=threads)
    find(np.empty(0, values.dtype))  # reports invalid arguments now
    return values.map_blocks(find, dtype=np.int64, meta=np.empty((0,) * values.ndim, np.int64))


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
    values = array_of(x)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise TypeError(f"x is of {values.dtype} in {values.ndim} dimensions, expected integers in one")
    minlength = operator.index(minlength)
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    empty = Histogram(Axis.growing(), storage="count" if weights is None else "sum", device=device, threads=threads)
    task, dtype = summed(empty, [values], weights_of(weights, values), split_every, True, minlength)
    return da.from_delayed(task, (np.nan,), dtype)


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
    arrays = [array_of(a) for a in coordinates]
    given = weight if sample is None else sample
    numbers = [] if given is None else [array_of(given, max(arrays, key=lambda a: a.ndim))]
    empty = histogram.copy()
    empty.reset()
    total = total_of(empty, blocks_of([*arrays, *numbers]), len(arrays), split_every)
    return delayed(merged, [histogram, total])


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
    if isinstance(weights, Sampler):
        sampler = dask.delayed(weights, pure=True)
    else:
        sampler = delayed(Sampler, whole_of(weights), device=device, threads=threads)
    return _drawn(functools.partial(delayed, Sampler.draw, sampler, dtype=dtype), size, seed, offset, np.dtype(dtype),
                  chunks)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, *, seed: Optional[int] = None,
           offset: int = 0, chunks: Any = "auto", device: Optional[str] = None, threads: Optional[int] = 1) -> Any:
    """
    `unihist.choice` as a dask array: the same elements for any `chunks`, which may divide the first dimension only.

    `a` and `p` may be lazy.

    Examples
    --------
    >>> import unihist.dask
    >>> unihist.dask.choice(5, 8, p=[0.1, 0, 0.3, 0.6, 0], seed=1, chunks=3).compute()
    array([3, 0, 3, 3, 2, 2, 3, 3])
    """
    given: dict[str, Any] = {"replace": replace, "device": device, "threads": threads}
    if hasattr(a, "dask"):
        dtype = array_of(a).dtype
    else:
        dtype = _sample.choice(a, 0, p=None if hasattr(p, "dask") else p, **given).dtype
    draw = functools.partial(delayed, _sample.choice, whole_of(a), p=whole_of(p), **given)
    return _drawn(draw, size, seed, offset, dtype, chunks)


def _drawn(draw: Any, size: Any, seed: Optional[int], offset: int, dtype: np.dtype[Any], chunks: Any) -> Any:
    """The samples of blocks as a dask array; `draw` makes the task of a block, of its shape and first sample."""
    if size is None:
        return da.from_delayed(draw(size=(), seed=seed_of(seed), offset=offset), (), dtype)
    shape = tuple(size) if isinstance(size, (tuple, list)) else (operator.index(size),)
    if not shape:
        raise ValueError("size is (), expected one dimension or more")
    if not isinstance(chunks, (tuple, dict)):
        chunks = (chunks, *[-1] * (len(shape) - 1))
    cut = da.core.normalize_chunks(chunks, shape, dtype=np.dtype(np.int64) if dtype.hasobject else dtype)
    if any(len(lengths) > 1 for lengths in cut[1:]):
        raise ValueError(f"chunks are {cut}, expected that the first dimension alone is cut")
    chosen, first, blocks = seed_of(seed), offset, []
    for rows in cut[0]:
        block = (rows, *shape[1:])
        blocks.append(da.from_delayed(draw(size=block, seed=chosen, offset=first), block, dtype))
        first += int(np.prod(block))
    return da.concatenate(blocks)
