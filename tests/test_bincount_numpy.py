# SPDX-License-Identifier: Apache-2.0
"""uh_bincount beside numpy.bincount, through ctypes."""
import ctypes
import fractions
import os
import sys

from command import CommandTest, main, np

LIBRARY = os.environ.get("UNIHIST_LIBRARY")
if not LIBRARY:
    print("skipped: UNIHIST_LIBRARY does not name the library")
    sys.exit(77)
if os.environ.get("UNIHIST_INSTRUMENTED"):
    print("skipped: a sanitizer's runtime wants to be loaded first")
    sys.exit(77)

RANDOM = np.random.default_rng(29)
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
CODES = {name: code for code, name in enumerate(["float32", "float64", *INTEGERS])}
EXACT, FAST = 0, 1
size_t, pointer = ctypes.c_size_t, ctypes.c_void_p


class Library:
    """The calls of bincount.h that are tried here."""

    def __init__(self):
        self.library = ctypes.CDLL(LIBRARY)
        self.library.uh_last_error.restype = ctypes.c_char_p
        device, self.queue = pointer(), pointer()
        self.check(self.library.uh_device_select(b"host", ctypes.byref(device)))
        self.check(self.library.uh_queue_create(device, None, ctypes.byref(self.queue)))
        self.library.uh_bincount.argtypes = [pointer, ctypes.c_int, pointer, size_t, size_t, pointer, pointer]
        self.library.uh_bincount_into.argtypes = [pointer, ctypes.c_int, pointer, size_t, pointer, size_t]
        self.library.uh_bincount_weighted.argtypes = [pointer, ctypes.c_int, pointer, size_t, ctypes.c_int, pointer,
                                                      size_t, size_t, ctypes.c_int, pointer, pointer]
        self.library.uh_bincount_weighted_i64.argtypes = [pointer, ctypes.c_int, pointer, size_t, ctypes.c_int,
                                                          pointer, size_t, size_t, pointer, pointer]
        self.library.uh_bincount_free.argtypes = [pointer]

    def check(self, status):
        if status:
            raise ValueError(self.library.uh_last_error().decode())

    def take(self, made, length, kind):
        array = np.array(np.ctypeslib.as_array(ctypes.cast(made, ctypes.POINTER(kind)), (length.value,)))
        self.library.uh_bincount_free(made)
        return array

    def bincount(self, x, weights=None, minlength=0, sum_mode=EXACT):
        made, length = pointer(), size_t()
        where = (ctypes.byref(made), ctypes.byref(length))
        data = (self.queue, CODES[x.dtype.name], x.ctypes.data, x.size)
        if weights is None:
            self.check(self.library.uh_bincount(*data, minlength, *where))
            return self.take(made, length, ctypes.c_uint64)
        w = (CODES[weights.dtype.name], weights.ctypes.data, weights.size)
        self.check(self.library.uh_bincount_weighted(*data, *w, minlength, sum_mode, *where))
        return self.take(made, length, ctypes.c_double)

    def sums_i64(self, x, weights):
        made, length = pointer(), size_t()
        self.check(self.library.uh_bincount_weighted_i64(
            self.queue, CODES[x.dtype.name], x.ctypes.data, x.size, CODES[weights.dtype.name], weights.ctypes.data,
            weights.size, 0, ctypes.byref(made), ctypes.byref(length)))
        return self.take(made, length, ctypes.c_int64)

    def into(self, x, length):
        counts = np.full(length, 77, np.uint64)
        self.check(self.library.uh_bincount_into(self.queue, CODES[x.dtype.name], x.ctypes.data, x.size,
                                                 counts.ctypes.data, length))
        return counts


class Bincount(CommandTest):
    library = Library()

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
                        self.equal(self.library.bincount(x), expected)
                        if n:
                            self.equal(self.library.into(x, expected.size), expected)

    def test_minlength_is_numpys(self):
        for n in (0, 10, 5000):
            x = self.values("int16", n, 40)
            for minlength in (0, 1, 39, 40, 41, 1000):
                self.equal(self.library.bincount(x, minlength=minlength), np.bincount(x, minlength=minlength))

    def test_where_numpy_raises_so_does_the_library(self):
        cases = [np.array([1, 2, -1]), np.array([-5], np.int8), np.full(100000, -2, np.int16)]
        for x in cases:
            with self.assertRaises(ValueError):
                np.bincount(x)
            with self.assertRaisesRegex(ValueError, "expected no negative value"):
                self.library.bincount(x)
        with self.assertRaises(TypeError):
            np.bincount(np.array([1.0, 2.0]))
        with self.assertRaisesRegex(ValueError, "dtype is float64"):
            self.library.bincount(np.array([1.0, 2.0]))
        with self.assertRaises(ValueError):
            np.bincount([1, 2], weights=[1.0])
        with self.assertRaisesRegex(ValueError, "nweights is 1, expected 2"):
            self.library.bincount(np.array([1, 2]), np.array([1.0]))
        with self.assertRaises((ValueError, MemoryError)):
            np.bincount(np.array([1 << 60]))
        with self.assertRaisesRegex(ValueError, "more bins than memory holds"):
            self.library.bincount(np.array([1 << 60]))

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
            found = self.library.bincount(x, w)
            self.equal(found, expected)
            order = RANDOM.permutation(x.size)
            self.equal(self.library.bincount(x[order].copy(), w[order].copy()), expected)
            np.testing.assert_allclose(self.library.bincount(x, w, sum_mode=FAST), np.bincount(x, w), rtol=1e-9,
                                       atol=1e-3)
            if dtype.startswith("i"):
                self.equal(self.library.sums_i64(x, w), [int(number) for number in exact])

    def test_weights_where_float64_is_exact_are_numpys(self):
        for n in (0, 1, 100, 200001):
            x = self.values("uint16", n, 3000)
            w = RANDOM.integers(-1000, 1000, size=n).astype(np.float64) / 8
            self.equal(self.library.bincount(x, w, minlength=5), np.bincount(x, w, minlength=5))


if __name__ == "__main__":
    main()
