# SPDX-License-Identifier: Apache-2.0
"""Edges of bins from the arguments `bins` and `range` of NumPy's functions."""
from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import Array, as_array, as_chunks, as_edges, c_arrays, known, lacks, pieces, read_as
from ._dates import calendar_edges, equal_edges, integers
from ._native import ffi, lib
from ._queue import Where, queue_of
from ._remote import Remote
from ._status import names
from .bins import chosen_edges, is_rule


MAX_BINS = 1 << 30  # UH_MAX_BINS
NUMPYS = ("auto", "sqrt", "sturges", "rice", "doane", "scott", "fd", "stone")
QUICKER = ("auto", "fd", "stone")


def values_of(a: Any, chunks: bool = False) -> Array:
    """The array of the values, as `as_chunks`; bool with NumPy's warning."""
    values = as_chunks(a, chunks)
    if values.dtype.kind == "b":
        warnings.warn(f"Converting input from {values.dtype} to uint8 for compatibility.", RuntimeWarning, stacklevel=3)
        values = values.view(np.uint8)
    return values


def present(a: Array, nan: str) -> Array:
    """The values that are not missing, which is an error as NaN is."""
    missing = lacks(a)
    if missing is None or not missing.any():
        return np.ma.getdata(a)
    if nan == "raise":
        raise ValueError("autodetected range of values of which some are missing: give a range, or nan='omit'")
    return np.ma.getdata(a)[~missing]


def known_before(bins: Any, range: Any) -> bool:
    """Whether the edges do not depend on the values."""
    return not isinstance(bins, str) and (range is not None or np.ndim(as_edges(bins, "bins")) > 0)


def extremes(a: Array, nan: str, where: Where) -> tuple[Any, Any]:
    """The smallest and largest value, in the array's type if it is floating-point or of dates; 0 and 1 of no values."""
    a = present(a, nan)
    if a.dtype.kind in "mM":
        return (a.min(), a.max()) if a.size else (np.int64(0).view(a.dtype), np.int64(1).view(a.dtype))
    low, high, nans = np.inf, -np.inf, 0
    found, number, queue = ffi.new("double[2]"), ffi.new("uint64_t *"), queue_of(*where)
    for piece in pieces([a], [read_as(a.dtype)]):
        queue.call(lib.uh_min_max, c_arrays(piece), found, found + 1, number)
        low, high, nans = min(low, found[0]), max(high, found[1]), nans + number[0]
    if nans and nan == "raise":
        low = high = np.nan
    if low > high:
        return 0, 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
    return (a.dtype.type(low), a.dtype.type(high)) if a.dtype.kind == "f" else (low, high)


def checked_nan(nan: str) -> None:
    """Rejects an invalid `nan`."""
    if nan not in ("raise", "omit"):
        raise ValueError(f"nan is {nan!r}, expected 'raise' or 'omit'")


def number_of_bins(bins: Any, name: str = "bins") -> int:
    """A number of equal bins, checked; `name` is that of the argument."""
    try:
        if not 1 <= bins <= MAX_BINS:
            raise ValueError(f"`{name}` must be positive, when an integer, and at most {MAX_BINS}; it is {bins}")
        return operator.index(bins)
    except TypeError as why:
        raise TypeError(f"`{name}` must be an integer, when a scalar") from why


def bin_edges(a: Array, bins: Any, range: Any, weights: Optional[Array], nan: str, where: Where) -> Array:
    """The edges of numpy.histogram."""
    checked_nan(nan)
    bins, range = as_edges(bins, "bins"), ends_of(range)
    if a.dtype.kind in "mM" and np.ndim(bins) == 0:
        return _date_edges(a, bins, range, nan, where)
    if isinstance(bins, str):
        if isinstance(a, Remote):
            return chosen_edges(a, bins, range, weights, nan == "omit")
        kept, weights = kept_for_rule(a, weights, nan)
        return rule_edges(kept, bins, range, weights)
    if np.ndim(bins) == 0:
        bins = number_of_bins(bins)
        range = extremes(a, nan, where) if range is None else range
    check_range(range)
    edges = np.histogram_bin_edges(np.empty(0, a.dtype), bins, range)
    if np.ndim(bins) == 0 and not (edges[:-1] < edges[1:]).all():  # NumPy before 2.0 accepts them
        raise ValueError(f"Too many bins for data range. Cannot create {edges.size - 1} finite-sized bins.")
    return edges


def kept_for_rule(a: Array, weights: Optional[Array], nan: str) -> tuple[Array, Optional[Array]]:
    """The values, and weights, that are not missing; and not NaN if that is omitted."""
    kept, missing = present(a, nan), lacks(a)
    if weights is not None and missing is not None:
        weights = weights[~missing]
    if nan == "omit" and a.dtype.kind == "f":
        weights = None if weights is None else weights[~np.isnan(kept)]
        kept = kept[~np.isnan(kept)]
    return kept, weights


def rule_edges(a: Array, bins: str, range: Any, weights: Optional[Array]) -> Array:
    """The edges of a rule; those of numpy.histogram_bin_edges for its rules without weights."""
    old = bins == "auto" and np.lib.NumpyVersion(np.__version__) < "2.0.0"  # which has another formula
    if bins in NUMPYS and weights is None and (bins not in QUICKER or old or a.dtype != np.float64):
        return np.histogram_bin_edges(a, bins, range)  # of float32 it is rounded, and of integers they are in the bins
    if not is_rule(bins):
        raise ValueError(f"bins is {bins!r}, expected a number, edges or one of {[*names(lib.UH_ENUM_RULE)]}")
    return chosen_edges(a, bins, range, weights)


def _date_edges(a: Array, bins: Any, range: Any, nan: str, where: Where) -> Array:
    """Equal bins of dates or durations, or the days, months and the like that hold them."""
    if range is None:
        first, last = extremes(a, nan, where)
    else:
        ends = known(as_array(range), "range")
        if ends.dtype.kind != a.dtype.kind:
            raise TypeError(f"range is {range!r}, expected the first and the last of values of {a.dtype}")
        first, last = ends
    if isinstance(bins, str):
        edges = calendar_edges(first, last, bins)
        return edges[:-1] if range is not None and edges.size > 2 and edges[-2] == last else edges
    return equal_edges(first, last, number_of_bins(bins))


def ends_of(range: Any, name: str = "range") -> Any:
    """A range, if it is given, which has two ends."""
    if range is not None and ((ends := as_array(range)).shape != (2,) or ends.dtype.kind in "cSUV"):
        raise TypeError(f"{name} is {range!r}, expected two ends, which are numbers, dates or durations")
    return range


def check_range(range: Any) -> None:
    """Refuses a range whose width its type does not hold."""
    if range is not None and all(math.isfinite(end) for end in range):
        with np.errstate(over="ignore"):
            width = np.subtract(range[1], range[0])
        if not np.isfinite(width):
            raise ValueError(f"range is [{range[0]}, {range[1]}], wider than the largest {width.dtype}")


def axis_edges(a: Array, axis: int, bins: Any, range: Any, nan: str, where: Where) -> Array:
    """The edges of an axis of numpy.histogramdd."""
    checked_nan(nan)
    bins, range = as_edges(bins, f"bins[{axis}]"), ends_of(range, f"range[{axis}]")
    if a.dtype.kind in "mM" and np.ndim(bins) == 0:
        return _date_edges(a, bins, range, nan, where)
    if np.ndim(bins) == 1:
        edges = np.asarray(bins)
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError(f"`bins[{axis}]` must increase monotonically, when an array")
        return edges
    if np.ndim(bins) != 0:
        raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array")
    if isinstance(bins, str):
        raise TypeError(f"`bins[{axis}]` is {bins!r}, expected a number or edges")
    number = number_of_bins(bins, f"bins[{axis}]")
    first, last = extremes(a, nan, where) if range is None else range
    if first > last:
        raise ValueError("max must be larger than min in range parameter.")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError(f"supplied range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    check_range((first, last))
    return np.linspace(first, last, number + 1)


def density_of(hist: Array, edges: Sequence[Array]) -> Array:
    """Counts or sums, divided by the widths of each cell and the sum over all cells of the last axes."""
    density = hist = integers(hist)
    last = range(-len(edges), 0)
    for axis, e in zip(last, edges):
        density = density / np.array(np.diff(e), float).reshape([-1] + [1] * (-1 - axis))
    normalized: Array = density / hist.sum(axis=tuple(last), keepdims=True)
    return normalized
