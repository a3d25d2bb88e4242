# SPDX-License-Identifier: Apache-2.0
"""NumPy's own tests of numpy.histogram, histogramdd, histogram2d, bincount and digitize, which come with it, run with
the library's calls in these functions' place (numpy_shim.py); and the library beside NumPy for random arguments."""
import fractions
import importlib
import sys
import unittest
from decimal import Decimal
from unittest import mock

import numpy_shim
from library import CALLS, CLOSED_LEFT, DTYPES, Axis, np

# numpy.histogram2d is a few lines of Python around numpy.histogramdd: what it calls is the library's.
REPLACED = {name: getattr(numpy_shim, name) for name in ("histogram", "histogramdd", "bincount", "digitize")}
NUMPYS = {name: getattr(np, name) for name in REPLACED}
SEED, CASES, SIZES, TYPES = 29, 300, [0, 1, 7, 100, 3000, 20000], list(DTYPES)
CLASSES = {"test_histograms": ["TestHistogram", "TestHistogramOptimBinNums", "TestHistogramdd"],
           "test_twodim_base": ["TestHistogram2d"], "test_function_base": ["TestBincount", "TestDigitize"]}

# What is not as NumPy has it: the test, what it fails with, and why.
DEVIATIONS = {
    # Weights are real numbers of the types that uh_histogram_fill names.
    "test_histograms.TestHistogram.test_exotic_weights": "Cannot cast array data from dtype..complex128",
    # Edges are float64 whatever the data's type is, and values are compared with them as real numbers.
    "test_histograms.TestHistogram.test_precision": "Mismatched elements: 1 / 1",
    # A range that falls is refused in other words.
    "test_histograms.TestHistogram.test_invalid_range": "expected lo < hi",
    # 0.99 bins are a TypeError, as they are in numpy.histogram.
    "test_histograms.TestHistogramdd.test_bins_errors": "'float' object cannot be interpreted as an integer",
}
# What is of Python's arguments alone, or of NumPy's rules for bins: nothing is asked of the library.
OF_PYTHON = {
    "test_function_base.TestBincount.test_error_not_1d.2", "test_function_base.TestBincount.test_error_not_1d.[[2, 2]]",
    "test_function_base.TestBincount.test_with_incorrect_minlength",
    "test_function_base.TestDigitize.test_casting_error",
    "test_histograms.TestHistogram.test_arr_weights_mismatch", "test_histograms.TestHistogram.test_bin_array_dims",
    "test_histograms.TestHistogram.test_exotic_weights", "test_histograms.TestHistogramdd.test_bins_errors",
    "test_histograms.TestHistogramOptimBinNums.test_incorrect_methods",
    "test_histograms.TestHistogramOptimBinNums.test_limited_variance",
    "test_histograms.TestHistogramOptimBinNums.test_simple_weighted",
    "test_twodim_base.TestHistogram2d.test_bad_length.10.11", "test_twodim_base.TestHistogram2d.test_bad_length.20.19",
    "test_twodim_base.TestHistogram2d.test_dispatch",
}


class Marks:
    """pytest's marks, which Debian's NumPy does not need: of those in use, parameters and `slow` change what runs here.
    What NumPy marks as its own failure is expected to pass."""

    skipif = xfail = staticmethod(lambda *_, **__: lambda function: function)

    @staticmethod
    def parametrize(argnames, argvalues):
        def mark(function):
            function.rows = [row if isinstance(row, tuple) else (row,) for row in argvalues]
            return function
        return mark

    @staticmethod
    def slow(function):
        function.rows = []
        return function


def numpys_tests():
    """Module, class, function and arguments of each test."""
    pytest = mock.MagicMock(mark=Marks)
    pytest.raises = lambda kind, match="": unittest.TestCase().assertRaisesRegex(kind, match)
    absent = ["hypothesis", "hypothesis.extra", "hypothesis.extra.numpy", "hypothesis.strategies"]
    with mock.patch.dict(sys.modules, {"pytest": pytest, **{name: mock.MagicMock() for name in absent}}):
        for name, classes in CLASSES.items():
            module = importlib.import_module("numpy.lib.tests." + name)
            for function, ours in REPLACED.items():
                if hasattr(module, function):
                    setattr(module, function, ours)
            for tests in (getattr(module, each) for each in classes):
                for test in (getattr(tests, each) for each in dir(tests) if each.startswith("test_")):
                    for row in getattr(test, "rows", [()]):
                        yield ".".join([name, test.__qualname__, *map(str, row)]), tests, test, row


@unittest.skipUnless(np.__version__.startswith("1.24."), "the list of deviations is that of NumPy 1.24, Debian 12's")
class NumpysOwn(unittest.TestCase):
    def test_every_other_test_of_numpys_passes(self):
        seen = set()
        for name, tests, test, row in numpys_tests():
            seen.add(name)
            before = CALLS.total()
            with self.subTest(name), mock.patch.multiple(np, **REPLACED):
                if name in DEVIATIONS:
                    self.assertRaisesRegex(Exception, DEVIATIONS[name], test, tests(), *row)
                else:
                    test(tests(), *row)
                self.assertEqual(CALLS.total() == before, name in OF_PYTHON)
        self.assertLessEqual({*DEVIATIONS, *OF_PYTHON}, seen)
        self.assertGreater(len(seen), 80)


class RandomArguments(unittest.TestCase):
    """The library beside NumPy; weights are eighths, of which any order of additions gives the exact sums. float32 is
    told to NumPy as float64: its edges are float32 then (see DEVIATIONS)."""

    def each(self, check):
        for case in range(CASES):
            with self.subTest(seed=SEED, case=case), np.errstate(all="ignore"):
                check(np.random.default_rng([SEED, case]))

    def values(self, random, dtypes, n, special=True):
        """Of one of the types, many of them alike, with any stride."""
        dtype, step = np.dtype(str(random.choice(dtypes))), int(random.choice([1, 1, 3, -1, -2]))
        x = random.integers(0 if dtype.kind == "u" else -100, 101, n * abs(step)) / (8 if dtype.kind == "f" else 1)
        if dtype.kind == "f" and special and random.random() < 0.5:
            x[random.random(x.size) < 0.05] = random.choice([np.nan, np.inf, -np.inf])
        return x.astype(dtype)[::step]

    def weights(self, random, n):
        return self.values(random, ["f4", "f8", "i4", "i8"], n, special=False) if random.random() < 0.5 else None

    def bins(self, random):
        if random.random() < 0.5:
            return int(random.integers(1, 60))
        edges = np.sort(random.integers(-60, 60, random.integers(2, 40))) / random.choice([1, 4])
        edges[-1] = edges[-random.choice([1, 1, 2])]  # a last bin of no width has a value now and then
        return edges

    def span(self, random):
        """Of no length now and then."""
        return None if random.random() < 0.5 else tuple(np.sort(random.integers(-20, 20, 2) / 4.0).tolist())

    def assert_same(self, name, *arguments, **options):
        """Both give the same, or raise."""
        try:
            expected = NUMPYS[name](*[x.astype("f8") if getattr(x, "dtype", 0) == np.float32 else x for x in arguments],
                                    **options)
        except ValueError:
            self.assertRaises(ValueError, REPLACED[name], *arguments, **options)
            return
        got = REPLACED[name](*arguments, **options)
        if isinstance(expected, tuple):
            np.testing.assert_equal(got[1], expected[1])
            got, expected = got[0], expected[0]
        np.testing.assert_array_equal(got, expected)

    def test_histogram(self):
        def check(random):
            n = int(random.choice(SIZES))
            self.assert_same("histogram", self.values(random, TYPES, n), self.bins(random), self.span(random),
                             weights=self.weights(random, n), density=random.random() < 0.3)
        self.each(check)

    def test_histogramdd(self):
        def check(random):
            n, naxes = int(random.choice(SIZES)), int(random.integers(1, 9))
            special = random.random() < 0.3  # without a range they are refused
            points = np.column_stack([self.values(random, ["f8"], n, special) for _ in range(naxes)])
            spans = [self.span(random) for _ in range(naxes)] if random.random() < 0.5 else None
            bins = [self.bins(random) if random.random() < 0.5 else 4 for _ in range(naxes)]
            most = 60 if naxes < 3 else 3
            bins = [k[:most + 1] if np.ndim(k) else min(k, most) for k in bins]
            self.assert_same("histogramdd", points, bins, spans, weights=self.weights(random, n),
                             density=random.random() < 0.3)
        self.each(check)

    def test_digitize(self):
        def check(random):
            edges = np.sort(self.values(random, TYPES, int(random.integers(1, 50)), special=False))
            self.assert_same("digitize", self.values(random, TYPES, int(random.choice(SIZES))),
                             edges[::random.choice([-1, 1])], random.random() < 0.5)
        self.each(check)

    def test_bincount(self):
        def check(random):
            n = int(random.choice(SIZES))
            x = self.values(random, ["i1", "i2", "i4", "i8", "u1", "u2", "u4"], n)
            x = x if random.random() < 0.1 else np.abs(x)  # else some are negative
            self.assert_same("bincount", x, self.weights(random, n), int(random.choice([0, 7, 300])))
        self.each(check)

    def test_sums_of_any_weights_are_rounded_once(self):
        def check(random):
            x = random.integers(0, 9, 300)
            for dtype in ("f4", "f8", "i8"):
                w = random.normal(size=300) * 10.0 ** random.integers(-12, 12, 300)
                w = w.astype(dtype) if dtype != "i8" else random.integers(-2**62, 2**62, 300)
                expected = [float(sum(map(fractions.Fraction, w[x == j].tolist()))) for j in range(9)]
                np.testing.assert_array_equal(numpy_shim.bincount(x, w, 9), expected)
                np.testing.assert_array_equal(numpy_shim.by_one_call([x], [9], [(0, 9)], w)[0], expected)
        check(np.random.default_rng(SEED))


class Edges(unittest.TestCase):
    """Of ranges that are hard for float64, and of any size."""

    RANGES = [(0.1, 0.7, 7), (-1e300, 1e300, 3), (0, 1e-323, 4), (0, 5e-324, 4), (1 / 3, 142857.142857, 6),
              (-5, -4.9, 9), (1e16, 1e16 + 20, 9), (-0.3, 0.9, 1000000), (1, 1000, 3), (1e-300, 1e300, 6),
              (5e-324, 1.7e308, 5), (1e6, 1e6 + 2**-30, 4)]

    def ranges(self):
        random = np.random.default_rng(SEED)
        sizes = 10.0 ** random.uniform(-300, 300, (200, 2)) * random.choice([-1, 1], (200, 2))
        return self.RANGES + [(lo, hi, int(random.integers(1, 40))) for lo, hi in np.sort(sizes).tolist()]

    def test_equal_bins_have_linspaces_edges_to_the_bit(self):
        for lo, hi, bins in self.ranges():
            with self.subTest(lo=lo, hi=hi, bins=bins):
                found = Axis("regular", EQUAL, bins, float(lo), float(hi), CLOSED_LEFT).edges()
                np.testing.assert_array_equal(found, np.linspace(lo, hi, bins + 1))

    def test_log_bins_have_geomspaces_edges_but_for_rounding(self):
        """numpy.geomspace computes 10^y: a rounding of y near 308 by 2^-45 changes the edge by 6.5e-14 of it."""
        for lo, hi, bins in ((abs(lo), abs(hi), bins) for lo, hi, bins in self.ranges() if 0 < abs(lo) < abs(hi)):
            with self.subTest(lo=lo, hi=hi, bins=bins):
                found = Axis("regular", LOG, bins, float(lo), float(hi), CLOSED_LEFT).edges()
                np.testing.assert_allclose(found, np.geomspace(lo, hi, bins + 1), rtol=4e-13, atol=0)
                low, high = Decimal(lo), Decimal(hi)
                for j in range(0, bins + 1, 1 + bins // 100):
                    exact = low * (high / low) ** (Decimal(j) / bins)
                    self.assertLessEqual(abs(Decimal(found[j]) - exact), exact * Decimal(4e-13))
                self.assertEqual((found[0], found[-1]), (lo, hi))
                self.assertTrue((np.diff(found) >= 0).all())
