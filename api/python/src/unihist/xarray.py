# SPDX-License-Identifier: Apache-2.0
"""Histograms of xarray's arrays along some of their dimensions, as xhistogram makes them; needs xarray."""
from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Sequence
from typing import Any, Optional, Union

import numpy as np
import xarray as xr

from ._arrays import Array, as_weights
from ._axis import Axis
from ._counter import cell_type, cells_of, complex_of
from ._dates import integers
from ._edges import bin_edges, density_of, values_of
from ._histogram import Histogram
from ._queue import Where


def histogram(*arrays: Any, bins: Any = 10, range: Any = None, dim: Union[None, Hashable, Sequence[Hashable]] = None,
              weights: Any = None, density: bool = False, bin_dim_suffix: str = "_bin", nan: str = "raise",
              device: Optional[str] = None, threads: Optional[int] = None) -> xr.DataArray:
    """
    Exact counts, or sums of weights, along dimensions: `xhistogram.xarray.histogram`.

    `arrays` are DataArrays, one per axis of the histogram, with names and equal indices, which are broadcast, as a
    number or DataArray of `weights` is. `bins`, which may follow as the last of them, and `range` are those of
    `unihist.histogram`, for all arrays, or a list of one for each. Dimensions other than `dim`, which by default are
    none, stay, with their coordinates; the bins of an array are a dimension of its name with the suffix, whose
    coordinates are the middles. `density` is that of each place of dimensions that stay. If an array is lazy (dask's),
    the result is, and edges or a range are needed. ValueError, with its value, for another `dim`, `bins` or name.

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
    is_lazy, where, edges = any(hasattr(a, "dask") for a in data), (device, threads), []
    for a, b, r, name in zip(data, *_each(bins, range, len(names)), names):
        if is_lazy and (isinstance(b, str) or r is None and np.ndim(b) == 0):
            raise ValueError(f"bins of {name} is {b!r}, expected edges, or a number with a range: arrays are lazy")
        edges.append(bin_edges(values_of(np.empty(0, a.dtype) if is_lazy else a), b, r, None, nan, where))
    part = functools.partial(_filled, edges=edges, kept=len(kept), where=where)
    if weights is not None and data[-1].dtype.kind == "c":
        parts = [_cells_of([*data[:-1], a], part, is_lazy) for a in (data[-1].real, data[-1].imag)]
        cells = complex_of(*parts) if not is_lazy else parts[0].map_blocks(complex_of, parts[1], dtype=data[-1].dtype)
    else:
        cells = _cells_of(data, part, is_lazy)
    places = {f"{a.name}{bin_dim_suffix}": (Axis(e).centers, a.attrs) for a, e in zip(arrays, edges)}
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


def _filled(arrays: Sequence[Any], edges: list[Array], kept: int, where: Where) -> Histogram:
    """The histogram of arrays, and of weights after them, whose first axis has a bin per place of the dimensions that
    stay."""
    shape = arrays[0].shape
    rows = np.arange(math.prod(shape[:kept])).reshape(shape[:kept] + (1,) * (len(shape) - kept))
    weights = integers(as_weights(arrays[-1])) if len(arrays) > len(edges) else None
    made = Histogram(Axis.integers(0, max(rows.size, 1) - 1), *edges, device=where[0],
                     threads=where[1], storage="count" if weights is None else "sum")
    return made.fill(np.broadcast_to(rows, shape), *(values_of(a) for a in arrays[:len(edges)]), weight=weights)


def _cells_of(data: list[Any], part: Any, is_lazy: bool) -> Any:
    """The cells of all places of arrays and weights, of which `part` makes the histogram."""
    edges, kept = part.keywords["edges"], part.keywords["kept"]
    dtype, bins = data[-1].dtype if len(data) > len(edges) else None, tuple(e.size - 1 for e in edges)
    end = functools.partial(_cells, dtype=dtype)
    if not is_lazy:
        return end(part(data), (*data[0].shape[:kept], *bins))
    from ._blocks import rows_of
    return rows_of(data, kept, bins, cell_type(dtype), part, end)


def _cells(filled: Histogram, shape: tuple[int, ...], dtype: Optional[np.dtype[Any]]) -> Array:
    """Counts, or sums of a type, of a shape."""
    return cells_of(filled._counter, dtype)[:math.prod(shape)].reshape(shape)
