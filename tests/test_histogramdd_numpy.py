# SPDX-License-Identifier: Apache-2.0
"""Histograms over several axes beside numpy.histogramdd and numpy.histogram(weights=), through the shared library."""
import ctypes as c
import math
import unittest
from fractions import Fraction

from library import DTYPES, Array, array_of, call, make_queue, np, uh

CLOSED_LEFT, COUNT, SUM, WEIGHTED, MEAN = 0, 0, 1, 2, 3


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("storage", c.c_int), ("sum", c.c_int), ("methods", c.c_void_p),
                ("leaf_bins", c.c_uint32), ("table_bytes", c.c_size_t), ("minlength", c.c_size_t),
                ("maxlength", c.c_size_t)]


def pointer(array):
    return c.c_void_p(array.ctypes.data)


QUEUE = make_queue()


class Histogram:
    """Over axes of any edges."""

    def __init__(self, edges, storage=COUNT):
        self.shape = [len(e) - 1 for e in edges]
        axes = (c.c_void_p * len(edges))()
        for i, e in enumerate(edges):
            e = np.ascontiguousarray(e)
            axis = c.c_void_p()
            call("uh_axis_create_edges", DTYPES[e.dtype], pointer(e), c.c_size_t(len(e)), CLOSED_LEFT, c.byref(axis))
            axes[i] = axis
        self.handle = c.c_void_p()
        options = Options(c.sizeof(Options), storage, 0, None, 0, 0)
        call("uh_histogram_create", QUEUE, axes, c.c_size_t(len(edges)), c.byref(options), c.byref(self.handle))
        for axis in axes:
            uh.uh_axis_destroy(c.c_void_p(axis))

    def __del__(self):
        uh.uh_histogram_destroy(self.handle)

    def fill(self, columns, values=None):
        arrays = (Array * len(columns))(*map(array_of, columns))
        call("uh_histogram_fill", self.handle, arrays, None if values is None else c.byref(array_of(values)))

    def read(self, what, dtype):
        out = np.empty(self.shape, dtype)
        if what == "sums":
            call("uh_histogram_sums", self.handle, DTYPES[out.dtype], pointer(out), None)
        else:
            call("uh_histogram_" + what, self.handle, pointer(out))
        return out


class Moments(c.Structure):
    _fields_ = [("struct_size", c.c_size_t)] + [(name, c.c_double) for name in
                                                ("total", "mean", "variance", "skewness", "kurtosis")]


def exact_quantile(edges, masses, p):
    """The smallest x up to which there is a part p, of what lies evenly in each bin, as a fraction."""
    spans = [(Fraction(lo), Fraction(hi), Fraction(v)) for lo, hi, v in zip(edges, edges[1:], masses) if v]
    wanted, before = Fraction(p) * sum(v for _, _, v in spans), Fraction(0)
    for lo, hi, v in spans:
        if before + v >= wanted:
            return lo + (hi - lo) * (wanted - before) / v
        before += v
    raise AssertionError("more is wanted than there is")


def exact_moments(edges, masses):
    """Of masses in the middles of their bins: total, mean, variance, skewness and kurtosis, roots taken at the end."""
    points = [((Fraction(lo) + Fraction(hi)) / 2, Fraction(v)) for lo, hi, v in zip(edges, edges[1:], masses)]
    total = sum(v for _, v in points)
    mean = sum(x * v for x, v in points) / total
    two, three, four = (sum(v * (x - mean) ** k for x, v in points) / total for k in (2, 3, 4))
    return float(total), float(mean), float(two), float(three) / float(two) ** 1.5, float(four / two ** 2) - 3


def columns_of(random, naxes, n, dtypes):
    """Random points, some of them outside and some on edges."""
    return [np.where(random.random(n) < 0.1, np.round(x), x).astype(dtypes[a % len(dtypes)])
            for a, x in enumerate(random.normal(0, 40, (naxes, n)))]


class BesideNumpy(unittest.TestCase):
    def each_case(self, seed):
        random = np.random.default_rng(seed)
        for naxes, bins, n in [(1, 1000, 50000), (2, 100, 200000), (2, 7, 1000), (3, 20, 60000), (4, 9, 30000),
                               (6, 4, 20000), (8, 3, 20000)]:
            for dtypes in (["f4"], ["f8"], ["i2", "f8", "u1"]):
                edges = [np.unique(np.concatenate([np.round(random.uniform(-80, 80, bins - bins // 2)),
                                                   random.uniform(-90, 90, bins // 2 + 1)])) for _ in range(naxes)]
                yield random, edges, [np.ascontiguousarray(x) for x in columns_of(random, naxes, n, dtypes)]

    def test_counts_and_densities_are_numpys(self):
        for _, edges, columns in self.each_case(1):
            with self.subTest(shape=[len(e) for e in edges], dtype=columns[0].dtype):
                # As float64, in which NumPy compares: float32 columns of mixed types are exact there.
                points = np.column_stack([x.astype("f8") for x in columns])
                expected, _ = np.histogramdd(points, edges)
                histogram = Histogram(edges)
                histogram.fill(columns)
                np.testing.assert_array_equal(histogram.read("counts", "u8"), expected)
                density, _ = np.histogramdd(points, edges, density=True)
                np.testing.assert_array_equal(histogram.read("density", "f8"), density)

    def test_whole_weights_add_up_to_numpys_sums(self):
        for random, edges, columns in self.each_case(2):
            for dtype in ("f4", "f8", "i4", "i8"):
                weights = random.integers(-1000, 1000, len(columns[0])).astype(dtype)
                points = np.column_stack([x.astype("f8") for x in columns])
                expected, _ = np.histogramdd(points, edges, weights=weights)
                histogram = Histogram(edges, SUM)
                histogram.fill(columns, weights)
                np.testing.assert_array_equal(histogram.read("sums", "f8"), expected)

    def test_a_projection_is_numpys_sum_over_axes(self):
        for _, edges, columns in self.each_case(5):
            histogram = Histogram(edges)
            histogram.fill(columns)
            counts = histogram.read("counts", "u8")
            for keep in range(len(edges)):
                other, axis = c.c_void_p(), (c.c_size_t * 1)(keep)
                call("uh_histogram_project", histogram.handle, axis, c.c_size_t(1), c.byref(other))
                got = np.empty(counts.shape[keep], "u8")
                call("uh_histogram_counts", other, pointer(got))
                np.testing.assert_array_equal(got, counts.sum(axis=tuple(a for a in range(len(edges)) if a != keep)))
                uh.uh_histogram_destroy(other)

    def test_one_call_is_numpys(self):
        random = np.random.default_rng(6)
        for naxes, bins, n in [(1, [37], 20000), (2, [5, 9], 20000), (3, [4, 1, 6], 5000), (8, [2, 1, 3, 2, 2, 1, 2, 2], 900),
                               (2, [3, 4], 0)]:
            columns = [random.normal(0, 10, n) for _ in range(naxes)]
            for spans in (None, [(-5.0, 12.5 + a) for a in range(naxes)]):
                for weights in (None, random.integers(-99, 99, n).astype("i4"), random.integers(-99, 99, n) / 16):
                    with self.subTest(bins=bins, n=n, spans=spans):
                        self.compare_one_call(columns, bins, spans, weights)

    def compare_one_call(self, columns, bins, spans, weights):
        naxes = len(columns)
        arrays, sizes = (Array * naxes)(*map(array_of, columns)), (c.c_size_t * naxes)(*bins)
        ranges = None if spans is None else ((c.c_double * 2) * naxes)(*spans)
        got = np.full(bins, 7, "u8" if weights is None else "f8")
        edges = [np.empty(k + 1) for k in bins]
        places = (c.c_void_p * naxes)(*(e.ctypes.data for e in edges))
        places[naxes - 1] = None if naxes > 2 else places[naxes - 1]
        call("uh_histogramdd_of", QUEUE, arrays, c.c_size_t(naxes), weights is not None and c.byref(array_of(weights)) or
             None, sizes, ranges, pointer(got) if weights is None else None, None if weights is None else pointer(got),
             places)
        expected, numpys = np.histogramdd(np.column_stack(columns), bins, range=spans, weights=weights)
        np.testing.assert_array_equal(got, expected)
        for e, expected in list(zip(edges, numpys))[: naxes - (naxes > 2)]:
            np.testing.assert_array_equal(e, expected)


class Statistics(unittest.TestCase):
    """Beside numpy.histogram's bins and exact sums: SciPy's rules, written out."""

    def statistic(self, x, values, which, bins, span=None):
        result, edges = np.empty(bins), np.empty(bins + 1)
        limits = None if span is None else (c.c_double * 2)(*span)
        call("uh_binned_statistic", QUEUE, c.byref(array_of(x)), None if values is None else c.byref(array_of(values)),
             which, c.c_size_t(bins), limits, pointer(result), pointer(edges))
        return result, edges

    def expected(self, kept):
        """Count, sum, mean and the deviation's square of some numbers."""
        numbers = [Fraction(v) for v in kept.tolist()]
        n, total = len(numbers), sum(numbers)
        if n == 0:
            return [0, 0, math.nan, math.nan]
        return [n, float(total), float(total / n), float(sum((v - total / n) ** 2 for v in numbers) / n)]

    def test_statistics_are_those_of_the_values_of_each_bin(self):
        random = np.random.default_rng(10)
        for dtype, bins, span in (("f4", 9, None), ("f8", 9, None), ("i4", 40, (-1.0, 2.5)), ("i8", 1500, (-4.0, 4.0))):
            x, values = random.normal(0, 1, 3000), (random.normal(5, 300, 3000)).astype(dtype)
            edges = np.histogram_bin_edges(x, bins, span)
            index = np.searchsorted(edges, x, "right") - 1
            index[x == edges[-1]] = bins - 1
            expected = np.array([self.expected(values[index == j]) for j in range(bins)]).T
            for which in range(4):
                got, got_edges = self.statistic(x, values if which else None, which, bins, span)
                np.testing.assert_array_equal(got_edges, edges)
                if which < 3:
                    np.testing.assert_array_equal(got, expected[which])
                else:
                    np.testing.assert_allclose(got, np.sqrt(expected[which]), rtol=1e-15)

    def test_a_value_that_is_none_is_its_bins_alone(self):
        x = np.array([0.5, 0.5, 1.5, 2.5])
        values = np.array([math.nan, 1, math.inf, 4])
        for which, expected in enumerate([[2, 1, 1], [math.nan, math.inf, 4], [math.nan, math.inf, 4],
                                          [math.nan, math.nan, 0]]):
            np.testing.assert_array_equal(self.statistic(x, values, which, 3, (0, 3))[0], expected)


class Estimates(unittest.TestCase):
    def quantiles(self, histogram, probabilities):
        p, values = np.array(probabilities, "f8"), np.empty(len(probabilities))
        call("uh_histogram_quantiles", histogram.handle, pointer(p), c.c_size_t(len(p)), pointer(values))
        return values

    def moments(self, histogram, axis=0):
        moments = Moments(c.sizeof(Moments))
        call("uh_histogram_moments", histogram.handle, c.c_size_t(axis), c.byref(moments))
        return [getattr(moments, name) for name, _ in Moments._fields_[1:]]

    def filled(self, edges, columns, storage=COUNT, weights=None):
        histogram = Histogram(edges, storage)
        histogram.fill([np.array(column) for column in columns], weights)
        return histogram

    def test_quantiles_of_a_few_bins_are_those_worked_out_by_hand(self):
        edges = np.array([0.0, 1, 3, 4, 8])
        some = self.filled([edges], [[0.5, 1, 2, 2.5, 4, 5, 6, 8]])  # 1, 3, 0 and 4 of 8
        np.testing.assert_array_equal(self.quantiles(some, [0, 0.125, 0.25, 0.5, 0.75, 1]), [0, 1, 5 / 3, 3, 6, 8])
        late = self.filled([edges], [[1, 2]])  # nothing in the first bin, nor behind the second one
        np.testing.assert_array_equal(self.quantiles(late, [0, 0.5, 1]), [1, 2, 3])
        self.assertTrue(np.isnan(self.quantiles(self.filled([edges], [[]]), [0, 0.5, 1])).all())
        self.assertEqual(len(self.quantiles(some, [])), 0)

    def test_what_lies_in_a_bin_without_an_end_lies_at_its_edge(self):
        inf = math.inf
        ends = self.filled([np.array([-inf, 0, 2, inf])], [[-5.0, -6, 1, 1, 1, 1, 3, 4]])  # 2, 4 and 2
        np.testing.assert_array_equal(self.quantiles(ends, [0, 0.25, 0.5, 0.75, 1]), [0, 0, 1, 2, 2])
        np.testing.assert_array_equal(self.moments(ends), [8, 1, 0.5, 0, -1])
        line = self.filled([np.array([-inf, inf])], [[1.0]])
        self.assertTrue(np.isnan(self.quantiles(line, [0.5])).all())
        np.testing.assert_array_equal(self.moments(line), [1] + [math.nan] * 4)

    def test_moments_that_there_are_not_are_nan(self):
        edges = np.array([0.1, 0.3, 7])
        np.testing.assert_array_equal(self.moments(self.filled([edges], [[0.4] * 3])),
                                      [3, float((Fraction(0.3) + 7) / 2), 0, math.nan, math.nan])
        np.testing.assert_array_equal(self.moments(self.filled([edges], [[-1.0]])), [0] + [math.nan] * 4)

    def test_quantiles_and_moments_are_those_of_fractions(self):
        random = np.random.default_rng(8)
        for bins in (1, 2, 5, 60, 3000):
            edges = np.sort(np.concatenate([[-300, 300], random.normal(3, 100, bins - 1)]))
            x = random.normal(3, 80, 4 * bins + 7)
            weights = random.random(len(x)) * 10.0 ** random.integers(-3, 3, len(x))
            for storage, w in ((COUNT, None), (SUM, weights), (MEAN, weights), (WEIGHTED, weights)):
                histogram = self.filled([edges], [x], storage, w)
                summed = storage in (SUM, WEIGHTED)
                masses = histogram.read("sums", "f8") if summed else histogram.read("counts", "u8")
                masses = [Fraction(float(v)) for v in masses]
                probabilities = np.concatenate([[0, 1], random.random(20)])
                for p, got in zip(probabilities, self.quantiles(histogram, probabilities)):
                    expected = exact_quantile(edges, masses, p)
                    self.assertLessEqual(abs(Fraction(got) - expected), abs(expected) / 10 ** 13 + Fraction(1, 10 ** 11))
                if bins > 2:
                    np.testing.assert_allclose(self.moments(histogram), exact_moments(edges, masses), rtol=1e-13,
                                               atol=1e-13)

    def test_moments_of_several_axes_are_those_of_each_alone(self):
        random = np.random.default_rng(9)
        edges = [np.array([-2, -1, 0.5, 1, 3]), np.array([-3.0, -0.25, 2]), np.linspace(-3, 3, 8)]
        columns = random.normal(0, 1, (3, 3000))
        for storage, weights in ((COUNT, None), (SUM, random.integers(-2, 9, 3000).astype("f8"))):
            histogram = self.filled(edges, columns, storage, weights)
            values = histogram.read("sums", "f8") if weights is not None else histogram.read("counts", "u8")
            for axis in range(3):
                marginal = values.sum(axis=tuple(a for a in range(3) if a != axis))
                np.testing.assert_allclose(self.moments(histogram, axis), exact_moments(edges[axis], marginal.tolist()),
                                           rtol=1e-13)
