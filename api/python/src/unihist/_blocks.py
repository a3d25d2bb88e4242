# SPDX-License-Identifier: Apache-2.0
"""Arrays of dask in blocks that belong together, and what is made of them. What tasks get they do not change, so that
any of them may be run again."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np

from ._arrays import Array, as_array
from ._axis import Axis
from ._edges import bin_edges
from ._functions_nd import axis_edges
from ._histogram import Histogram
from ._queue import Where

Block = tuple[Any, ...]  # delayed blocks at one place of several arrays


def array_of(x: Any, like: Any = None) -> Any:
    """A dask array of what is given, which is cut like another where it is in memory."""
    if hasattr(x, "to_dask_array"):
        return x.to_dask_array()
    if isinstance(x, da.Array):
        return x
    whole = as_array(x)
    return da.from_array(whole, chunks=-1 if like is None or whole.shape != like.shape else like.chunks)


def weights_of(weights: Any, like: Any) -> list[Any]:
    """No array, or that of the weights, or samples, that belong to an array's elements."""
    if weights is None:
        return []
    numbers = array_of(weights, like)
    if numbers.dtype.kind == "c":
        raise TypeError(f"weights are of {numbers.dtype}, expected real numbers")
    return [numbers]


def columns_of(sample: Any) -> list[Any]:
    """An array for each axis."""
    if hasattr(sample, "to_dask_array") and hasattr(sample, "columns"):
        return [sample[name].to_dask_array() for name in sample.columns]
    if isinstance(sample, (list, tuple)) and any(isinstance(a, da.Array) or hasattr(a, "dask") for a in sample):
        return [array_of(a) for a in sample]
    points = array_of(sample)
    if points.ndim != 2:
        raise ValueError(f"sample has {points.ndim} dimensions, expected (N, D), or a list of D arrays")
    points = points.rechunk({1: -1})
    return [points[:, axis] for axis in np.arange(points.shape[1])]


def _known(a: Any) -> bool:
    return not np.isnan(a.shape).any()


def blocks_of(arrays: Sequence[Any]) -> list[Block]:
    """The blocks of arrays of one shape, cut as the first one is."""
    known = [a for a in arrays if _known(a)]
    if len({a.shape for a in known}) > 1:
        raise ValueError(f"arrays have shapes {[a.shape for a in arrays]}, expected one")
    if len(known) == len(arrays):
        arrays = [a.rechunk(arrays[0].chunks) for a in arrays]
    blocks = [a.to_delayed(optimize_graph=False).ravel() for a in dask.optimize(*arrays)]
    if len({len(of) for of in blocks}) > 1:
        raise ValueError(f"arrays are cut into {[len(of) for of in blocks]} blocks, expected as many of each")
    return list(zip(*blocks))


def _tree(join: Callable[[list[Any]], Any], parts: list[Any], split: int) -> Any:
    if split < 2:
        raise ValueError(f"split_every is {split}, expected at least 2")
    joined = dask.delayed(join, pure=True)
    while len(parts) > 1:
        parts = [joined(parts[at:at + split]) for at in range(0, len(parts), split)]
    return parts[0]


# ---- edges


def _extremes(values: Any, nan: str) -> Array:
    """The smallest and the largest value, or none of none; a NaN where there is one that counts."""
    a = as_array(values)
    low, high = (np.fmin, np.fmax) if nan == "omit" else (np.minimum, np.maximum)
    return np.array([low.reduce(a, None), high.reduce(a, None)] if a.size else [], a.dtype)


def _joined(parts: list[Array], nan: str) -> Array:
    return _extremes(np.concatenate(parts), nan)


def extremes_of(values: Sequence[Any], nan: str, split: int) -> Any:
    """The extremes of all blocks of an array, delayed."""
    found = dask.delayed(_extremes, pure=True)
    return _tree(functools.partial(_joined, nan=nan), [found(block, nan) for block in values], split)


def line_edges(extremes: Array, bins: Any, range: Any, nan: str, where: Where) -> Array:
    """The edges of `histogram` of values with these extremes."""
    return bin_edges(extremes, bins, range, None, nan, where)


def edges_on_axis(extremes: Array, axis: int, bins: Any, range: Any, nan: str, where: Where) -> Array:
    """The edges of `histogramdd` on an axis of values with these extremes."""
    return axis_edges(extremes, axis, bins, range, nan, where)


# ---- histograms


def over(edges: list[Array], weighted: bool, where: Where) -> Histogram:
    """An empty histogram."""
    device, threads = where
    return Histogram(*map(Axis, edges), storage="sum" if weighted else "count", device=device, threads=threads)


def _part(empty: Histogram, arrays: list[Any], numbers: Any) -> Histogram:
    given = {} if numbers is None else {"sample" if empty.storage == "mean" else "weight": numbers}
    return empty._alone().fill(*arrays, **given)


def merged(parts: list[Histogram]) -> Histogram:
    """The sum of histograms, which stay as they are."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def total_of(empty: Any, blocks: list[Block], dims: int, split: int) -> Any:
    """What an empty histogram is filled with by all blocks: of coordinates and, where there are more arrays than axes,
    of weights or samples."""
    part = dask.delayed(_part, pure=True)
    empty = dask.delayed(empty, pure=True)
    parts = [part(empty, list(block[:dims]), block[dims] if len(block) > dims else None) for block in blocks]
    return _tree(merged, parts, split)


def line_of(total: Histogram, dtype: Optional[np.dtype[Any]]) -> Array:
    """The counts, or sums of weights of this type, of a histogram over one axis."""
    counter = total._counter
    return counter.counts() if dtype is None else counter.sums(dtype)
