# SPDX-License-Identifier: Apache-2.0
"""Arrays and columns of dask as blocks, and the tasks that fill histograms with them; needs dask."""
from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np

from ._arrays import Array, as_array, as_weights
from ._counter import cell_type, cells_of, complex_of
from ._dates import integers
from ._edges import density_of, kept_for_rule, present
from ._histogram import Histogram
from ._queue import Where
from .bins import Bins, edges_by

SPLIT = 8  # histograms that one task adds

def array_of(x: Any, like: Any = None) -> Any:
    """A dask array; an array in memory is cut like another one of the same shape. The parts of a column are read as
    `as_array` reads them, where dask would make objects of nullable types."""
    if hasattr(x, "to_dask_array"):
        meta = as_array(x._meta)
        return da.concatenate([da.from_delayed(delayed(as_array, part), (np.nan, *meta.shape[1:]), meta.dtype)
                               for part in x.to_delayed()])
    if isinstance(x, da.Array):
        return x
    whole = as_array(x)
    return da.from_array(whole, chunks=-1 if like is None or whole.shape != like.shape else like.chunks)


def weights_of(weights: Any, like: Any) -> list[Any]:
    """The array of the weights of an array's elements, if given."""
    if weights is None:
        return []
    numbers = array_of(weights, like)
    if numbers.ndim != like.ndim:
        raise ValueError(f"weights have {numbers.ndim} dimensions, expected {like.ndim}, as the values have")
    return [numbers]


def columns_of(sample: Any) -> list[Any]:
    """An array per axis."""
    if hasattr(sample, "to_dask_array") and hasattr(sample, "columns"):
        return [array_of(sample[name]) for name in sample.columns]
    if isinstance(sample, (list, tuple)) and any(isinstance(a, da.Array) or hasattr(a, "dask") for a in sample):
        return [array_of(a) for a in sample]
    points = array_of(sample)
    if points.ndim != 2:
        raise ValueError(f"sample has {points.ndim} dimensions, expected (N, D), or a list of D arrays")
    points = points.rechunk({1: -1})
    return [points[:, axis] for axis in np.arange(points.shape[1])]


def blocks_of(arrays: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The delayed blocks of arrays of one shape, cut like the first: for each place a block of each array. A number
    stands in each place."""
    cut = [a for a in arrays if a.ndim > 0]
    known = [a for a in cut if not np.isnan(a.shape).any()]
    if len({a.shape for a in known}) > 1:
        raise ValueError(f"arrays have shapes {[a.shape for a in cut]}, expected one")
    if len(known) == len(cut):
        arrays = [a.rechunk(cut[0].chunks) if a.ndim > 0 else a for a in arrays]
    blocks = [a.to_delayed(optimize_graph=False).ravel() for a in dask.optimize(*arrays)]
    lengths = {len(of) for a, of in zip(arrays, blocks) if a.ndim > 0}
    if len(lengths) > 1:
        raise ValueError(f"arrays are cut into {[len(of) for of in blocks]} blocks, expected as many of each")
    return list(zip(*(of if a.ndim > 0 or not cut else itertools.repeat(of[0]) for a, of in zip(arrays, blocks))))


def whole_of(x: Any) -> Any:
    """An array in memory, or one task that joins the blocks of a lazy one."""
    if not hasattr(x, "dask"):
        return x
    return delayed(np.concatenate, [block for block, in blocks_of([array_of(x)])])


# ---- tasks; none changes its arguments, so that each may run again


def delayed(function: Any, *arguments: Any, **keywords: Any) -> Any:
    """The call of a function, as a task."""
    return dask.delayed(function, pure=True)(*arguments, **keywords)


def _tree(join: Callable[[list[Any]], Any], parts: list[Any], split: int) -> Any:
    if split < 2:
        raise ValueError(f"split_every is {split}, expected at least 2")
    while len(parts) > 1:
        parts = [delayed(join, parts[at:at + split]) for at in range(0, len(parts), split)]
    return parts[0]


def _extremes(values: Any, nan: str) -> Array:
    """The smallest and the largest value, if any; NaN if one counts."""
    a = present(as_array(values), nan)
    low, high = (np.fmin, np.fmax) if nan == "omit" else (np.minimum, np.maximum)
    return np.array([low.reduce(a, None), high.reduce(a, None)] if a.size else [], a.dtype)


def _joined(parts: list[Array], nan: str) -> Array:
    return _extremes(np.concatenate(parts), nan)


def _part(empty: Histogram, arrays: list[Any], numbers: Any) -> Histogram:
    name = "sample" if empty.storage == "mean" else "weight"
    given = {} if numbers is None else {name: integers(as_weights(numbers, name))}
    make, kept = empty.__reduce__()  # a queue of its own
    return make(*kept).fill(*arrays, **given)  # type: ignore[no-any-return]


def merged(parts: list[Histogram]) -> Histogram:
    """The sum of histograms."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def total_of(empty: Any, blocks: list[Any], dims: int, split: int) -> Any:
    """An empty histogram, filled with all blocks: `dims` coordinates and possibly weights or samples."""
    empty = dask.delayed(empty, pure=True)
    parts = [delayed(_part, empty, list(block[:dims]), block[dims] if len(block) > dims else None) for block in blocks]
    return _tree(merged, parts, split)


def cells(total: Histogram, dtype: Optional[np.dtype[Any]], floats: bool, minlength: int = 0) -> Array:
    """Sums of weights of a type, or counts, and zeros up to a length."""
    found = cells_of(total._counter, dtype, floats)
    return np.pad(found, (0, minlength - found.size)) if found.size < minlength else found.reshape(total.shape)


def summed(empty: Any, arrays: Sequence[Any], weights: list[Any], split: int, floats: bool, minlength: int = 0) -> Any:
    """The cells of an empty histogram that all blocks fill, as a task, and their type; see `filled`."""
    dtype = weights[0].dtype if weights else None
    if dtype is not None and dtype.kind == "c":
        parts = [summed(empty, arrays, [part], split, floats, minlength) for part in (weights[0].real, weights[0].imag)]
        return delayed(complex_of, *(task for task, _ in parts)), np.result_type(parts[0][1], np.complex64)
    total = total_of(empty, blocks_of([*arrays, *weights]), len(arrays), split)
    return delayed(cells, total, dtype, floats, minlength), cell_type(dtype, floats)


def counted(columns: list[Any], weights: list[Any], makes: Sequence[Callable[[Any], Array]], has_range: list[bool],
            nan: str, floats: bool, density: Optional[bool], where: Where, split: int) -> tuple[Any, list[Any]]:
    """The cells of columns, and edges, which functions make of an axis's values, or of its extremes where they give the
    range: those edges are lazy too."""
    blocks, edges, shown = blocks_of([*columns, *weights]), [], []
    for axis, (column, make) in enumerate(zip(columns, makes)):
        edges.append(make(np.zeros(1, column.dtype)))
        shown.append(edges[axis])
        if not has_range[axis]:
            join = functools.partial(_joined, nan=nan)
            ends = _tree(join, [delayed(_extremes, block[axis], nan) for block in blocks], split)
            edges[axis] = delayed(make, ends)
            shown[axis] = da.from_delayed(edges[axis], shown[axis].shape, shown[axis].dtype)
    empty = delayed(Histogram, *edges, storage="sum" if weights else "count", device=where[0], threads=where[1])
    hist, dtype = summed(empty, columns, weights, split, floats)
    if density:
        hist, dtype = delayed(density_of, hist, edges), np.dtype(complex if dtype.kind == "c" else float)
    found = da.from_delayed(hist, tuple(e.size - 1 for e in shown), dtype)
    return found.astype(float) if floats and not weights else found, shown


def _values_of(block: Sequence[Any], range: Any, nan: str) -> Bins:
    weights = None if len(block) < 2 else integers(as_weights(block[1]))
    return Bins(range).add(*kept_for_rule(as_array(block[0]), weights, nan))


def _merged_values(parts: list[Bins]) -> Bins:
    total = Bins.__new__(Bins)
    total.__setstate__(parts[0].__getstate__())  # no task changes its arguments
    return functools.reduce(Bins.merge, parts[1:], total)


def counted_by(rule: dict[str, Any], values: Any, weights: list[Any], range: Any, nan: str, density: Optional[bool],
               where: Where, split: int) -> tuple[Any, Any]:
    """Cells and edges by a rule, of unknown lengths."""
    parts = [delayed(_values_of, list(block), range, nan) for block in blocks_of([values, *weights])]
    edges = delayed(edges_by, rule, _tree(_merged_values, parts, split), range)
    empty = delayed(Histogram, edges, storage="sum" if weights else "count", device=where[0], threads=where[1])
    hist, dtype = summed(empty, [values], weights, split, False)
    if density:
        hist, dtype = delayed(density_of, hist, [edges]), np.dtype(complex if dtype.kind == "c" else float)
    return da.from_delayed(hist, (np.nan,), dtype), da.from_delayed(edges, (np.nan,), float)


def rows_of(arrays: Sequence[Any], kept: int, bins: tuple[int, ...], dtype: np.dtype[Any], part: Any, end: Any) -> Any:
    """Cells per place of the first dimensions: `part` makes the histogram of a block of each array, and `end` the cells
    of the sum over the other dimensions, of a shape."""
    chunks = next(a for a in arrays if isinstance(a, da.Array)).chunks
    grids = [a.to_delayed(optimize_graph=False) for a in dask.optimize(*(array_of(a).rechunk(chunks) for a in arrays))]
    blocks = np.empty(grids[0].shape[:kept] + (1,) * len(bins), object)
    for place in np.ndindex(grids[0].shape[:kept]):
        parts = [delayed(part, block) for block in zip(*(grid[place].ravel() for grid in grids))]
        shape = (*(lengths[at] for lengths, at in zip(chunks, place)), *bins)
        cells = delayed(end, _tree(merged, parts, SPLIT), shape)
        blocks[place + (0,) * len(bins)] = da.from_delayed(cells, shape, dtype)
    return da.block(blocks.tolist())
