# SPDX-License-Identifier: Apache-2.0
"""Histograms of xarray's arrays along some of their dimensions, as xhistogram makes them; needs xarray."""
from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Sequence
from typing import Any, Optional, Union

import numpy as np
import xarray as xr

from . import _functions
from ._arrays import Array, as_array
from ._axis import Axis
from ._edges import bin_edges, density_of, values_of
from ._histogram import Histogram
from ._queue import Where


def histogram(*arrays: Any, bins: Any = 10, range: Any = None, dim: Union[None, Hashable, Sequence[Hashable]] = None,
              weights: Any = None, density: bool = False, bin_dim_suffix: str = "_bin", nan: str = "raise",
              device: Optional[str] = None, threads: Optional[int] = None) -> xr.DataArray:
    """
    Exact counts, or sums of weights, along dimensions: `xhistogram.xarray.histogram`.

    Parameters
    ----------
    *arrays : DataArray
        One per axis of the histogram, with names and equal indices; they are broadcast. If they are lazy (dask's), so
        is the result, and `bins` are edges or have a range. `bins` may follow as the last one.
    bins, range
        As in `unihist.histogram`, for all arrays; or a list of one for each.
    dim : hashable or sequence of hashable, optional
        The dimensions to count along; by default all. The others stay, with their coordinates.
    weights : DataArray or number, optional
        Is broadcast with the arrays.
    density, nan, device, threads
        As in `unihist.histogram`; each place of the dimensions that stay has its own density.
    bin_dim_suffix : str
        The dimension of an array's bins is its name with this suffix; its coordinates are the middles of bins.

    Examples
    --------
    >>> import xarray as xr
    >>> import unihist.xarray
    >>> rain = xr.DataArray([[0.0, 2.5, 2.5], [0.5, 7.0, 1.0]], dims=["day", "place"], name="rain")
    >>> found = unihist.xarray.histogram(rain, bins=[0, 1, 3, 10], dim="place")
    >>> found.dims, found.values.tolist(), found.rain_bin.values.tolist()
    (('day', 'rain_bin'), [[1, 2, 0], [1, 1, 1]], [0.5, 2.0, 6.5])
    """
    if arrays and not isinstance(arrays[-1], xr.DataArray):
        *arrays, bins = arrays  # type: ignore[assignment]
    names = [getattr(a, "name", None) for a in arrays]
    if None in names or not names:
        raise ValueError(f"arrays have the names {names}, expected DataArrays, each with a name")
    given = [*arrays, *([] if weights is None else [xr.DataArray(weights) if np.isscalar(weights) else weights])]
    aligned = xr.broadcast(*xr.align(*given, join="exact"))
    dims = aligned[0].dims
    along = list(dims) if dim is None else [dim] if isinstance(dim, str) or dim in dims else list(dim)  # type: ignore
    if not along or not set(along) <= set(dims):
        raise ValueError(f"dim is {dim!r}, expected one or more of {dims}")
    kept = [name for name in dims if name not in along]
    data = [a.transpose(*kept, *along).data for a in aligned]
    edges = [_edges_of(a, b, r, str(name), nan, (device, threads))
             for a, b, r, name in zip(data, *_each(bins, range, len(names)), names)]
    dtype = np.dtype(np.int64)
    if weights is not None:
        dtype = _functions.histogram(np.zeros(0), [0, 1], weights=np.zeros(0, data[-1].dtype))[0].dtype
    bins = tuple(e.size - 1 for e in edges)
    part = functools.partial(_filled, edges=edges, kept=len(kept), where=(device, threads))
    end = functools.partial(_cells, dtype=None if weights is None else dtype)
    if any(hasattr(a, "dask") for a in data):
        from ._blocks import rows_of
        cells = rows_of(data, len(kept), bins, dtype, part, end)
    else:
        cells = end(part(data), (*data[0].shape[:len(kept)], *bins))
    places = {f"{a.name}{bin_dim_suffix}": (e[:-1] + np.diff(e) / 2, a.attrs) for a, e in zip(arrays, edges)}
    coordinates = {name: c for name, c in aligned[0].coords.items() if set(c.dims) <= set(kept)}
    coordinates.update({name: (name, middles, attributes) for name, (middles, attributes) in places.items()})
    return xr.DataArray(density_of(cells, edges) if density else cells, coordinates, [*kept, *places],
                        "_".join(["histogram", *map(str, names)]))


def _each(bins: Any, range: Any, number: int) -> tuple[list[Any], list[Any]]:
    """Bins and range of each array."""
    listed = isinstance(bins, (list, tuple)) and (number > 1 or np.ndim(bins[0]) == 1)
    every = range is None or np.isscalar(range[0])
    found = list(bins) if listed else [bins] * number, [range] * number if every else list(range)
    for name, each in zip(("bins", "range"), found):
        if len(each) != number:
            raise ValueError(f"{name} has {len(each)} elements, expected {number}, one per array")
    return found


def _edges_of(values: Any, bins: Any, range: Any, name: str, nan: str, where: Where) -> Array:
    if hasattr(values, "dask"):
        if isinstance(bins, str) or range is None and np.ndim(bins) == 0:
            raise ValueError(f"bins of {name} is {bins!r}, expected edges, or a number with a range: the array is lazy")
        values = np.empty(0, values.dtype)
    return bin_edges(values_of(values), bins, range, None, nan, where)


def _filled(arrays: Sequence[Any], edges: list[Array], kept: int, where: Where) -> Histogram:
    """The histogram of arrays, and of weights after them, whose first axis has a bin per place of the dimensions that
    stay."""
    shape = arrays[0].shape
    rows = np.arange(math.prod(shape[:kept])).reshape(shape[:kept] + (1,) * (len(shape) - kept))
    pairs = [_functions.as_numbers(values_of(a), e) for a, e in zip(arrays, edges)]
    weights = as_array(arrays[-1]) if len(arrays) > len(edges) else None
    made = Histogram(Axis.integers(0, max(rows.size, 1) - 1), *(e for _, e in pairs), device=where[0],
                     threads=where[1], storage="count" if weights is None else "sum")
    return made.fill(np.broadcast_to(rows, shape), *(a for a, _ in pairs), weight=weights)


def _cells(filled: Histogram, shape: tuple[int, ...], dtype: Optional[np.dtype[Any]]) -> Array:
    """Counts, or sums of a type, of a shape."""
    cells = filled._counter.counts() if dtype is None else filled._counter.sums(dtype)
    return cells[:math.prod(shape)].reshape(shape)
