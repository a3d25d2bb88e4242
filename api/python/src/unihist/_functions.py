# SPDX-License-Identifier: Apache-2.0
"""numpy.histogram, histogram_bin_edges, histogram2d and histogramdd."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, as_chunks, as_weights, c_arrays, known, read_as, weight_as
from ._arrow import Column, columns_of, whole
from ._counter import Counter, axis_and_unit, axis_for_many, cells_of, filled
from ._edges import axis_edges, bin_edges, density_of, known_before, values_of
from ._native import ffi, lib
from ._progress import Progress
from ._queue import Where, queue_of
from ._remote import where_of
from ._small import CELLS, EQUAL, at_once, pair_at_once
from ._status import made, structure

Bins = Union[int, str, npt.ArrayLike]
Range = Optional[tuple[float, float]]


def histogram(a: npt.ArrayLike, bins: Bins = 10, range: Range = None, density: Optional[bool] = None,
              weights: Optional[npt.ArrayLike] = None, *, axis: Optional[int] = None, nan: str = "raise",
              device: Optional[str] = None, threads: Optional[int] = None,
              progress: Progress = False) -> tuple[Array, Array]:
    """
    Counts, or sums of weights, of values in bins: `numpy.histogram`, exact.

    Parameters
    ----------
    a : array_like
        Values of float16 to float64, integers, bool, dates or durations, of any shape and strides. An array is not
        copied. What is missing, by a mask, a null or NaT, counts as NaN.
    bins, range, density, weights
        As in NumPy: a number of equal bins, the name of a rule that estimates it, or edges of any widths; the ends of
        equal bins; division by widths and sum; numbers to add instead of 1, of which none may be missing. Of dates and
        durations edges may have any unit, and the names of `bins` are "year", "month", "week", "day", "hour", "minute"
        and "second". Further rules, and options after colons, are "knuth", "shimazaki", "nice:20", "quantile:4",
        "blocks" (Bayesian blocks; "blocks:0.01" sets p0), "clusters:5" (natural breaks), "denby_mallows:20" and
        "equal_probability:normal:20". All rules take weights; whole ones repeat values.
    axis : int, optional
        The dimension of `a`, an array of numbers without a mask, along which to count: the results have a histogram for
        each place of the others, all in the same bins, as `numpy.apply_along_axis` gives; by default one of all values.
    nan : {"raise", "omit"}
        If the values give the range: whether NaN is an error, as in NumPy, or ignored. Otherwise it lies in no bin.
    device : str, optional
        The device: "auto" (the default), "host", "gpu", or another selector that `unihist.devices` lists.
    threads : int, optional
        Number of the host's threads.
    progress : bool or callable
        Whether to show the progress: with tqdm if it is installed, otherwise with the logger "unihist". A function is
        called with the numbers of completed and of all values.

    Returns
    -------
    hist : ndarray
        The dimensions of `a` but `axis`, and that of the bins. Counts as int64, densities, or sums: of the weights'
        type, but for integers int64, or uint64 if weights without a sign need it; OverflowError if that does not hold one.
    bin_edges : ndarray
        One more than bins.

    Notes
    -----
    A bin is `edge[j] <= x < edge[j + 1]`, the last one also `x == edge[-1]`; values and edges of all types are compared
    as real numbers, dates as instants in UTC. A sum of weights is that of the real numbers, rounded once, where NumPy
    rounds each addition. The range of 64-bit integers beyond 2**53 is rounded outwards.

    Examples
    --------
    >>> import unihist
    >>> unihist.histogram([1, 2, 1], bins=[0, 1, 2, 3])
    (array([0, 2, 1]), array([0, 1, 2, 3]))
    >>> unihist.histogram([0.0, 0.0, 0.0], bins=[0, 1], weights=[1e17, 1.0, -1e17])[0]
    array([1.])
    """
    if axis is not None:
        return _along(axis, np.asarray(known(as_array(a), "a", nan=False)), bins, range, density, weights, nan, (device, threads))
    if weights is None and nan == "raise" and not progress:
        counts = at_once(CELLS, device, threads, a, bins)
        found: Optional[tuple[Array, Any]] = None if counts is None else (counts, bins)
        if found is None:
            if type(a) is not np.ndarray:
                a = as_chunks(a, known_before(bins, range))
            found = pair_at_once(EQUAL, device, threads, a, bins, range)
        if found is not None:
            return (density_of(found[0], [found[1]]), found[1]) if density else found
    values = values_of(a, weights is None and known_before(bins, range))
    numbers = None if weights is None else _weights_of(weights, values)
    where = where_of(device, threads, values, numbers)
    edges = bin_edges(values, bins, range, numbers, nan, where)
    hist = _cells(values, edges, numbers, where, progress)
    return density_of(hist, [edges]) if density else hist, edges


def histogram_bin_edges(a: npt.ArrayLike, bins: Bins = 10, range: Range = None,
                        weights: Optional[npt.ArrayLike] = None, *, nan: str = "raise",
                        device: Optional[str] = None, threads: Optional[int] = None) -> Array:
    """
    The edges that `histogram` would use: `numpy.histogram_bin_edges`. Arguments are those of `histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.histogram_bin_edges([0, 0, 0, 1, 2, 3, 3, 4, 5], bins=5)
    array([0., 1., 2., 3., 4., 5.])
    """
    values = values_of(a)
    numbers = None if weights is None else _weights_of(weights, values)
    return bin_edges(values, bins, range, numbers, nan, where_of(device, threads, values, numbers))


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
    hist, edges = histogramdd(columns, axes_of_plane(bins), range, density, weights, nan=nan, device=device,
                              threads=threads, progress=progress)
    return hist, edges[0], edges[1]


def axes_of_plane(bins: Any) -> Any:
    """The argument `bins` of numpy.histogram2d for numpy.histogramdd."""
    try:
        number = len(bins)
    except TypeError:
        number = 1
    return bins if number in (1, 2) else [bins, bins]


def histogramdd(sample: npt.ArrayLike | Sequence[npt.ArrayLike], bins: Any = 10, range: Any = None,
                density: Optional[bool] = None, weights: Optional[npt.ArrayLike] = None, *, nan: str = "raise",
                device: Optional[str] = None, threads: Optional[int] = None,
                progress: Progress = False) -> tuple[Array, tuple[Array, ...]]:
    """
    Counts, or sums of weights, of points over 1 to 8 axes: `numpy.histogramdd`, exact.

    Arguments and results are NumPy's; a `sample` of D arrays, or a table of D columns, may have different types. A sum
    of integers that float64 rounds is an OverflowError. `nan`, `device`, `threads` and `progress` are those of
    `histogram`.

    Examples
    --------
    >>> import unihist
    >>> hist, edges = unihist.histogramdd([[0, 1, 1], [0, 1, 1], [5, 6, 7]], bins=(2, 2, [5, 7]))
    >>> hist.tolist()
    [[[1.0], [0.0]], [[0.0], [2.0]]]
    """
    plain = weights is None and nan == "raise" and not progress
    if plain and isinstance(sample, (list, tuple)) and isinstance(bins, (list, tuple)) and len(sample) == len(bins) > 1:
        found = at_once(CELLS, device, threads, *sample, *bins)
        if found is not None:
            return density_of(found, bins) if density else found, tuple(bins)
    columns = _columns(sample)
    bins, range = bins_and_ranges(bins, range, len(columns))
    if isinstance(columns[0], Column) and not (weights is None and all(map(known_before, bins, range))):
        columns = whole(columns)
    numbers = None if weights is None else _weights_of(weights, columns[0])
    where = where_of(device, threads, *columns, numbers)
    edges = tuple(axis_edges(a, axis, bins[axis], range[axis], nan, where) for axis, a in enumerate(columns))
    axes, units = zip(*(axis_and_unit(e, lib.UH_CLOSED_LEFT, a.dtype) for e, a in zip(edges, columns)))
    cells = filled(axes, columns, numbers, where, progress, True, units=units)
    hist = (cells if numbers is not None else cells.astype(float)).reshape([e.size - 1 for e in edges])
    return density_of(hist, edges) if density else hist, edges


def _weights_of(weights: npt.ArrayLike, values: Array) -> Array:
    numbers = as_weights(weights)
    if numbers.shape != values.shape:
        raise ValueError(f"weights have shape {numbers.shape}, expected the same shape as a, {values.shape}")
    return numbers


def _along(axis: int, values: Array, bins: Bins, range: Range, density: Optional[bool],
           weights: Optional[npt.ArrayLike], nan: str, where: Where) -> tuple[Array, Array]:
    """Cells of all rows along a dimension, and their edges."""
    if values.dtype.kind in "mMc":
        raise TypeError(f"a is of {values.dtype}, expected numbers where axis is given")
    numbers = None if weights is None else np.asarray(_weights_of(weights, values))
    if numbers is not None and numbers.dtype.kind in "mc":
        raise TypeError(f"weights are of {numbers.dtype}, expected numbers where axis is given")
    edges = np.asarray(bin_edges(values, bins, range, numbers, nan, where))
    rows = np.moveaxis(values.astype(read_as(values.dtype), copy=False), axis, -1)
    shape, bins_axis = (*rows.shape[:-1], edges.size - 1), axis_for_many(edges, values.dtype)[0]
    dtype = None if numbers is None else numbers.dtype
    if not rows.size:
        return np.zeros(shape, np.int64 if dtype is None else dtype), edges
    rows = rows.reshape(-1, rows.shape[-1])
    first = made(lib.uh_axis_create_integer, "uh_axis", lib.uh_axis_destroy, 0, len(rows) - 1)
    storage = lib.UH_STORAGE_COUNT if numbers is None else lib.UH_STORAGE_SUM
    counter = Counter.over(queue_of(*where), [first, bins_axis], storage)
    kept = [c_arrays([rows[0]]), ffi.new("ptrdiff_t[]", [rows.strides[0]])]  # as long as `to_add`
    to_add = structure("uh_rows", count=len(rows), arrays=kept[0], pitches=kept[1])
    if numbers is not None:
        numbers = np.moveaxis(numbers.astype(weight_as(numbers.dtype), copy=False), axis, -1).reshape(rows.shape)
        kept.append(c_arrays([numbers[0]]))
        to_add.weights, to_add.weights_pitch = kept[2], numbers.strides[0]
    counter.call(lib.uh_histogram_fill_rows, to_add)
    hist = cells_of(counter, dtype).reshape(shape)
    return density_of(hist, [edges]) if density else hist, edges


def _cells(values: Array, edges: Array, weights: Optional[Array], where: Where, progress: Progress = False) -> Array:
    if weights is not None:
        axis, unit = axis_and_unit(edges, lib.UH_CLOSED_LEFT, values.dtype)
    elif edges.size < 2:
        return np.zeros(0, np.int64)
    elif not progress and (found := at_once(CELLS, *where, values, edges)) is not None:
        return found
    else:
        axis, unit = axis_for_many(edges, values.dtype)
    return filled([axis], [values], weights, where, progress, units=[unit])


def bins_and_ranges(bins: Any, range: Any, dims: int) -> tuple[Any, Any]:
    """Bins and range of each axis."""
    bins = [bins] * dims if isinstance(bins, str) else bins
    try:
        if len(bins) != dims:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    except TypeError:
        bins = [bins] * dims
    if range is None:
        range = [None] * dims
    elif not hasattr(range, "__len__") or len(range) != dims:
        raise ValueError(f"range is {range!r}, expected a pair of ends, one entry per dimension, {dims} in all")
    return bins, range


def _columns(sample: Any) -> list[Any]:
    if columns := columns_of(sample):
        return columns
    if hasattr(sample, "columns"):  # a table of pandas, whose columns have types of their own
        sample = [column for _, column in sample.items()]
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
