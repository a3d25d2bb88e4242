# SPDX-License-Identifier: Apache-2.0
"""uh_bincount beside numpy.bincount, through ctypes."""
import ctypes as c
import fractions

from command import CommandTest
from library import DTYPES, call, make_queue, np, uh

RANDOM = np.random.default_rng(29)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
EXACT, FAST = 0, 1
SUM = 1  # UH_STORAGE_SUM
QUEUE = make_queue()
uh.uh_bincount_free.argtypes = [c.c_void_p]
uh.uh_histogram_cells.restype = c.c_size_t


class Array(c.Structure):
    """uh_array"""
    _fields_ = [("dtype", c.c_int), ("data", c.c_void_p), ("stride", c.c_ssize_t), ("count", c.c_size_t)]


class Options(c.Structure):
    """uh_histogram_options"""
    _fields_ = [("struct_size", c.c_size_t), ("storage", c.c_int), ("sum", c.c_int), ("methods", c.c_void_p),
                ("leaf_bins", c.c_uint32), ("table_bytes", c.c_size_t), ("minlength", c.c_size_t),
                ("maxlength", c.c_size_t)]


def array_of(array):
    return c.byref(Array(DTYPES[array.dtype], array.ctypes.data, array.strides[0], array.size))


def made(kind, function, *arguments):
    """What a call of bincount.h makes, whose last arguments say where it is and how long."""
    pointer, length = c.c_void_p(), c.c_size_t()
    call(function, QUEUE, *arguments, c.byref(pointer), c.byref(length))
    array = np.array(np.ctypeslib.as_array(c.cast(pointer, c.POINTER(kind)), (length.value,)))
    uh.uh_bincount_free(pointer)
    return array


def bincount(x, weights=None, minlength=0, sum_mode=EXACT):
    minlength = c.c_size_t(minlength)
    if weights is None:
        return made(c.c_uint64, "uh_bincount", array_of(x), minlength)
    return made(c.c_double, "uh_bincount_weighted", array_of(x), array_of(weights), minlength, sum_mode)


def sums_i64(x, weights):
    """By a histogram over an axis that grows."""
    axis, histogram = c.c_void_p(), c.c_void_p()
    options = Options(struct_size=c.sizeof(Options), storage=SUM)
    call("uh_axis_create_growing", c.byref(axis))
    call("uh_histogram_create", QUEUE, c.byref(axis), c.c_size_t(1), c.byref(options), c.byref(histogram))
    call("uh_histogram_fill", histogram, array_of(x), array_of(weights))
    sums = np.full(uh.uh_histogram_cells(histogram), 77, np.int64)
    call("uh_histogram_sums", histogram, DTYPES[sums.dtype], c.c_void_p(sums.ctypes.data), None)
    uh.uh_histogram_destroy(histogram)
    uh.uh_axis_destroy(axis)
    return sums


def into(x, length):
    counts = np.full(length, 77, np.uint64)
    call("uh_bincount_into", QUEUE, array_of(x), c.c_void_p(counts.ctypes.data), c.c_size_t(length))
    return counts


class Bincount(CommandTest):
    def values(self, dtype, n, bins):
        most = min(bins - 1, np.iinfo(dtype).max)
        return RANDOM.integers(0, most, size=n, endpoint=True).astype(dtype)

    def test_counts_are_numpys_for_every_type_and_length(self):
        for dtype in INTEGERS:
            for n in (0, 1, 7, 4095, 4096, 100001):
                for bins in (1, 3, 128, 1000, 70000):
                    x = self.values(dtype, n, bins)
                    with self.subTest(dtype=dtype, n=n, bins=bins):
                        expected = np.bincount(x.astype(np.int64))
                        self.equal(bincount(x), expected)
                        self.equal(bincount(x[::-1]), expected)
                        self.equal(bincount(x[1::3]), np.bincount(x[1::3].astype(np.int64)))
                        if n:
                            self.equal(into(x, expected.size), expected)

    def test_minlength_is_numpys(self):
        for n in (0, 10, 5000):
            x = self.values("int16", n, 40)
            for minlength in (0, 1, 39, 40, 41, 1000):
                self.equal(bincount(x, minlength=minlength), np.bincount(x, minlength=minlength))

    def test_where_numpy_raises_so_does_the_library(self):
        cases = [np.array([1, 2, -1]), np.array([-5], np.int8), np.full(100000, -2, np.int16)]
        for x in cases:
            with self.assertRaises(ValueError):
                np.bincount(x)
            with self.assertRaisesRegex(AssertionError, "expected no negative value"):
                bincount(x)
        with self.assertRaises(TypeError):
            np.bincount(np.array([1.0, 2.0]))
        with self.assertRaisesRegex(AssertionError, "dtype is float64"):
            bincount(np.array([1.0, 2.0]))
        with self.assertRaises(ValueError):
            np.bincount([1, 2], weights=[1.0])
        with self.assertRaisesRegex(AssertionError, "weights->count is 1, expected 2"):
            bincount(np.array([1, 2]), np.array([1.0]))
        with self.assertRaises((ValueError, MemoryError)):
            np.bincount(np.array([1 << 60]))
        with self.assertRaisesRegex(AssertionError, "more bins than memory holds"):
            bincount(np.array([1 << 60]))

    def test_sums_of_weights_are_the_exact_sums_rounded_once(self):
        for dtype in ("float32", "float64", "int32", "int64"):
            x = self.values("int32", 3000, 20)
            if dtype.startswith("f"):
                w = (RANDOM.normal(size=x.size) * 10.0 ** RANDOM.integers(-12, 12, size=x.size)).astype(dtype)
            else:
                w = RANDOM.integers(np.iinfo(dtype).min // 8192, np.iinfo(dtype).max // 8192, size=x.size, dtype=dtype)
            exact = [fractions.Fraction(0)] * int(x.max() + 1)
            for value, weight in zip(x.tolist(), w.tolist()):
                exact[value] += fractions.Fraction(weight)
            expected = [float(number) for number in exact]
            found = bincount(x, w)
            self.equal(found, expected)
            order = RANDOM.permutation(x.size)
            self.equal(bincount(x[order].copy(), w[order].copy()), expected)
            np.testing.assert_allclose(bincount(x, w, sum_mode=FAST), np.bincount(x, w), rtol=1e-9, atol=1e-3)
            if dtype.startswith("i"):
                self.equal(sums_i64(x, w), [int(number) for number in exact])

    def test_weights_where_float64_is_exact_are_numpys(self):
        for n in (0, 1, 100, 200001):
            x = self.values("uint16", n, 3000)
            w = RANDOM.integers(-1000, 1000, size=n).astype(np.float64) / 8
            self.equal(bincount(x, w, minlength=5), np.bincount(x, w, minlength=5))
