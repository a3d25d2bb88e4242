# SPDX-License-Identifier: Apache-2.0
"""Histograms over several axes beside numpy.histogramdd and numpy.histogram(weights=), through the shared library."""
import ctypes as c
import unittest

from library import DTYPES, call, make_queue, np, uh

CLOSED_LEFT, COUNT, SUM, WEIGHTED, MEAN = 0, 0, 1, 2, 3


class Array(c.Structure):
    _fields_ = [("dtype", c.c_int), ("data", c.c_void_p), ("stride", c.c_ssize_t), ("count", c.c_size_t)]


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("storage", c.c_int), ("sum", c.c_int), ("methods", c.c_void_p),
                ("leaf_bins", c.c_uint32), ("table_bytes", c.c_size_t)]


def pointer(array):
    return c.c_void_p(array.ctypes.data)


def array_of(x):
    return Array(DTYPES[x.dtype], x.ctypes.data, x.strides[0], len(x))


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

    def test_one_call_is_numpy_histogram_with_weights(self):
        random = np.random.default_rng(6)
        x = random.normal(0, 10, 20000)
        for weights in (random.integers(-99, 99, len(x)).astype("i4"), random.integers(-99, 99, len(x)) / 16):
            for span in (None, (-5.0, 12.5)):
                expected, edges = np.histogram(x, 37, range=span, weights=weights)
                sums, got = np.empty(37), np.empty(38)
                limits = None if span is None else (c.c_double * 2)(*span)
                call("uh_histogram_weighted", QUEUE, c.byref(array_of(x)), c.byref(array_of(weights)), c.c_size_t(37),
                     limits, pointer(sums), pointer(got))
                np.testing.assert_array_equal(got, edges)
                np.testing.assert_array_equal(sums, expected)
