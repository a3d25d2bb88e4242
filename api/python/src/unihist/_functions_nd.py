# SPDX-License-Identifier: Apache-2.0
"""numpy.histogram2d and histogramdd."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array
from ._counter import axis_of_edges, filled
from ._edges import axis_edges, density_of
from ._native import lib
from ._progress import Progress


def histogram2d(x: npt.ArrayLike, y: npt.ArrayLike, bins: Any = 10, range: Any = None, density: Optional[bool] = None,
                weights: Optional[npt.ArrayLike] = None, *, nan: str = "raise", device: Optional[str] = None,
                threads: Optional[int] = None, progress: Progress = False) -> tuple[Array, Array, Array]:
    """
    Counts, or sums of weights, of points in the plane: `numpy.histogram2d`, exact.

    Arguments and results are NumPy's; `x` and `y` may have different types. `nan`, `device`, `threads` and `progress`
    are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.histogram2d([0, 1, 1], [0, 1, 1], bins=2)[0]
    array([[1., 0.],
           [0., 2.]])
    """
    columns = [as_array(x), as_array(y)]
    if len(columns[0]) != len(columns[1]):
        raise ValueError("x and y must have the same length.")
    try:
        number = len(bins)
    except TypeError:
        number = 1
    if number not in (1, 2):
        bins = [bins, bins]
    hist, edges = histogramdd(columns, bins, range, density, weights, nan=nan, device=device, threads=threads,
                              progress=progress)
    return hist, edges[0], edges[1]


def histogramdd(sample: npt.ArrayLike | Sequence[npt.ArrayLike], bins: Any = 10, range: Any = None,
                density: Optional[bool] = None, weights: Optional[npt.ArrayLike] = None, *, nan: str = "raise",
                device: Optional[str] = None, threads: Optional[int] = None,
                progress: Progress = False) -> tuple[Array, tuple[Array, ...]]:
    """
    Counts, or sums of weights, of points over 1 to 8 axes: `numpy.histogramdd`, exact.

    Arguments and results are NumPy's; a `sample` of D arrays may have different types. `nan`, `device`, `threads` and
    `progress` are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> hist, edges = unihist.histogramdd([[0, 1, 1], [0, 1, 1], [5, 6, 7]], bins=(2, 2, [5, 7]))
    >>> hist.tolist()
    [[[1.0], [0.0]], [[0.0], [2.0]]]
    """
    where = (device, threads)
    columns = _columns(sample)
    bins, range = bins_and_ranges(bins, range, len(columns))
    numbers = None if weights is None else as_array(weights)
    edges = tuple(axis_edges(a, axis, bins[axis], range[axis], nan, where) for axis, a in enumerate(columns))
    axes = [axis_of_edges(e, lib.UH_CLOSED_LEFT) for e in edges]
    cells = filled(axes, columns, numbers, np.dtype(float), where, progress)
    hist = cells.astype(float, copy=False).reshape([e.size - 1 for e in edges])
    return density_of(hist, edges) if density else hist, edges


def bins_and_ranges(bins: Any, range: Any, dims: int) -> tuple[Any, Any]:
    """Bins and range of each axis."""
    try:
        if len(bins) != dims:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = [bins] * dims
    if range is None:
        range = [None] * dims
    elif len(range) != dims:
        raise ValueError("range argument must have one entry per dimension")
    return bins, range


def _columns(sample: Any) -> list[Array]:
    if isinstance(sample, (list, tuple)):
        arrays = [as_array(a) for a in sample]
        if arrays and all(a.ndim == 1 for a in arrays):
            if len({a.size for a in arrays}) > 1:
                raise ValueError(f"arrays have {[a.size for a in arrays]} elements, expected as many in each")
            return arrays
    points = as_array(sample)
    if points.ndim != 2:
        points = np.atleast_2d(points).T
    if points.ndim != 2:
        raise ValueError(f"sample has {points.ndim} dimensions, expected (N, D)")
    return list(points.T)
