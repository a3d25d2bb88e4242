# SPDX-License-Identifier: Apache-2.0
"""Bandwidths and densities compared with scikit-learn's, through the shared library. The Python package compares
clusters."""
import ctypes as c
import unittest

from library import QUEUE, Array, array_of, call, np

try:
    from sklearn.cluster import estimate_bandwidth
    from sklearn.neighbors import KernelDensity
except ImportError:
    raise unittest.SkipTest("this Python has no scikit-learn, package python3-sklearn")

GAUSSIAN, FLAT, EPANECHNIKOV = range(3)  # uh_density_kernel


class DensityOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("kernel", c.c_int), ("method", c.c_int), ("radius", c.c_double),
                ("sigma", c.c_double), ("squared", c.c_int), ("grid", c.c_int)]


class BandwidthOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("quantile", c.c_double), ("samples", c.c_size_t),
                ("exchange", c.c_void_p)]


def columns_of(points):
    columns = [array_of(points[:, axis]) for axis in range(points.shape[1])]
    return (Array * len(columns))(*columns)


def density_of(points, places, **options):
    density = np.empty(len(places))
    call("uh_kde", QUEUE, columns_of(points), points.shape[1], columns_of(places),
         DensityOptions(c.sizeof(DensityOptions), **options), density)
    return density


def bandwidth_of(points, quantile):
    bandwidth = c.c_double()
    options = BandwidthOptions(c.sizeof(BandwidthOptions), quantile)
    call("uh_estimate_bandwidth", QUEUE, columns_of(points), points.shape[1], c.byref(options), c.byref(bandwidth))
    return bandwidth.value


class BesideScikitLearn(unittest.TestCase):
    def test_bandwidths_are_scikit_learns(self):
        for dims in (1, 2, 5):
            points = np.random.default_rng(dims).normal(size=(150, dims))
            for quantile in (0.001, 0.3, 1):
                expected = estimate_bandwidth(points, quantile=quantile)
                found = [bandwidth_of(points.astype(dtype), quantile) for dtype in ("f4", "f8")]
                np.testing.assert_allclose(found, [expected] * 2, rtol=1e-6, atol=1e-12, err_msg=f"{dims} {quantile}")

    def test_densities_are_scikit_learns(self):
        kernels = {"gaussian": GAUSSIAN, "tophat": FLAT, "epanechnikov": EPANECHNIKOV}
        for dims in (1, 2, 3, 7):
            random = np.random.default_rng(dims)
            points, places = random.normal(size=(300, dims)), random.normal(size=(50, dims))
            width = {1: 0.5, 2: 0.5, 3: 2.0, 7: 3.0}[dims]
            for name, kernel in kernels.items():
                with self.subTest(dims=dims, kernel=name):
                    # Of the Gaussian less than 1e-7 lies beyond seven deviations.
                    widths = {"sigma": width, "radius": 7 * width} if kernel == GAUSSIAN else {"radius": width}
                    theirs = KernelDensity(kernel=name, bandwidth=width, rtol=1e-9).fit(points)
                    expected = np.exp(theirs.score_samples(places))
                    found = density_of(points, places, kernel=kernel, **widths)
                    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * expected.max())
                    self.assertGreater(np.count_nonzero(found), 25)
