# SPDX-License-Identifier: Apache-2.0
"""numpy.histogram, histogramdd, bincount and digitize by the library, for NumPy's own tests. What arguments there are
and what type and shape of array they become is NumPy's and told here; edges, counts, sums, densities and indices are
the library's."""
import ctypes as c
import operator

try:
    from numpy.lib._histograms_impl import _ravel_and_check_weights
except ImportError:  # NumPy 1
    from numpy.lib.histograms import _ravel_and_check_weights

from library import QUEUE, SUM, Array, Histogram, array_of, call, np, uh

uh.uh_bincount_free.argtypes = [c.c_void_p]
histogram_bin_edges = np.histogram_bin_edges


def converted(x):
    """Types that the library does not have and another one holds: float16, and times, which are integers."""
    return x.astype("f4") if x.dtype == np.float16 else x.view("i8") if x.dtype.kind in "mM" else x


def weights_of(weights):
    """Of a type that weights have, or one that holds theirs."""
    return weights if weights.dtype in map(np.dtype, ("f4", "f8", "i4", "i8")) else weights.astype("f8", casting="safe")


def equal_bins(x, bins, span):
    """Counts and edges of equal bins."""
    bins = operator.index(bins)
    counts, edges, flow = np.empty(bins, "i8"), np.empty(bins + 1), np.empty(3, "i8")
    call("uh_histogram_of", QUEUE, array_of(x), bins, None if span is None else (c.c_double * 2)(*span), counts, edges,
         flow)
    assert flow.tolist() == [(x < edges[0]).sum(), (x > edges[-1]).sum(), np.isnan(x).sum()]
    return counts, edges


def given_bins(x, bins):
    counts, edges = np.empty(max(len(bins) - 1, 0), "i8"), np.ascontiguousarray(converted(bins))
    call("uh_histogram_of_edges", QUEUE, array_of(x), array_of(edges).dtype, edges, len(edges), counts, None)
    return counts, bins


def by_one_call(columns, bins, ranges, weights):
    """Counts or sums of weights over equal bins of each axis, and their edges."""
    bins = [operator.index(k) for k in bins]
    cells, edges = np.empty(bins, "i8" if weights is None else "f8"), [np.empty(k + 1) for k in bins]
    call("uh_histogramdd_of", QUEUE, (Array * len(bins))(*map(array_of, columns)), len(bins),
         None if weights is None else array_of(weights), (c.c_size_t * len(bins))(*bins),
         None if ranges is None else (c.POINTER(c.c_double * 2) * len(bins))(
             *(span and c.pointer((c.c_double * 2)(*span)) for span in ranges)),
         cells if weights is None else None, None if weights is None else cells,
         (c.c_void_p * len(bins))(*(e.ctypes.data for e in edges)))
    return cells, edges


def cells_and_edges(columns, bins, ranges, density, weights):
    """Of one axis or several, each with a number of bins or with edges."""
    equal = [np.ndim(k) == 0 for k in bins]
    ranges = None if ranges is None or set(ranges) == {None} else ranges
    if all(equal) and not density:
        return by_one_call(columns, bins, ranges, weights)
    edges = [equal_bins(x, k, span)[1] if is_equal else np.asarray(k)
             for x, k, span, is_equal in zip(columns, bins, ranges or [None] * len(bins), equal)]
    histogram = Histogram([converted(e) for e in edges], 0 if weights is None else SUM)
    histogram.fill(columns, weights)
    what = "density" if density else "counts" if weights is None else "sums"
    return histogram.read(what, "i8" if what == "counts" else "f8"), edges


def histogram(a, bins=10, range=None, density=None, weights=None):
    a, weights = _ravel_and_check_weights(a, weights)
    a = converted(a)
    if isinstance(bins, str):  # the rules are NumPy's; what comes of them is a number of bins
        bins = len(histogram_bin_edges(a, bins, range, weights)) - 1
    if np.ndim(bins) > 1:
        raise ValueError("`bins` must be 1d, when an array")
    if weights is None and not density:
        return equal_bins(a, bins, range) if np.ndim(bins) == 0 else given_bins(a, np.asarray(bins))
    exact = weights is None or weights.dtype.kind == "f" or density
    weights = None if weights is None else weights_of(weights)
    cells, edges = cells_and_edges([a], [bins], None if range is None else [tuple(range)], density, weights)
    return cells if exact else cells.astype(weights.dtype), edges[0]


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    if np.ndim(sample) != 2 or not isinstance(sample, np.ndarray):
        sample = np.atleast_2d(sample).T
    columns = list(sample.T)
    bins = list(bins) if np.iterable(bins) else [bins] * len(columns)
    if len(bins) != len(columns):
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = None if range is None else [None if span is None else tuple(span) for span in range]
    weights = None if weights is None else weights_of(np.asarray(weights))
    cells, edges = cells_and_edges([converted(x) for x in columns], bins, ranges, density, weights)
    return cells.astype("f8"), edges


def bincount(x, weights=None, minlength=0):
    x, minlength = np.asarray(x, np.intp if np.size(x) == 0 else None), operator.index(minlength)
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    found, length = c.c_void_p(), c.c_size_t()
    if weights is None:
        kind = c.c_int64
        call("uh_bincount", QUEUE, array_of(x), minlength, c.byref(found), c.byref(length))
    else:
        kind = c.c_double
        call("uh_bincount_weighted", QUEUE, array_of(x), array_of(weights_of(np.asarray(weights))), minlength, 0,
             c.byref(found), c.byref(length))
    result = np.array(np.ctypeslib.as_array(c.cast(found, c.POINTER(kind)), (length.value,)))
    uh.uh_bincount_free(found)
    return result


def digitize(x, bins, right=False):
    """Edges that decrease are told to the library from their end."""
    x, bins = np.asarray(x), np.asarray(bins)
    falling = len(bins) > 1 and bins[0] > bins[-1]
    edges, index = np.ascontiguousarray(bins[::-1] if falling else bins), np.empty(x.size, "i8")
    call("uh_digitize", QUEUE, array_of(x.ravel()), array_of(edges), int(bool(right)), index)
    return (len(bins) - index if falling else index).reshape(x.shape)[()]
