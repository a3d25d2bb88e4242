# SPDX-License-Identifier: Apache-2.0
"""Mean shift, bandwidths and densities beside scikit-learn's, through the shared library. scikit-learn ends a point that
moves by less than a thousandth of the bandwidth, as the library does by default; its clusters are those of the
reduction `densest`."""
import ctypes as c
import unittest

from library import QUEUE, Array, array_of, call, made, np, uh

try:
    from sklearn.cluster import MeanShift, estimate_bandwidth
    from sklearn.neighbors import KernelDensity
except ImportError:
    raise unittest.SkipTest("this Python has no scikit-learn")

GAUSSIAN, FLAT, EPANECHNIKOV = range(3)  # uh_density_kernel
DENSEST = 2  # uh_mean_shift_reduction


class Options(c.Structure):
    """uh_mean_shift_options"""
    _fields_ = [("struct_size", c.c_size_t), ("algorithm", c.c_int), ("kernel", c.c_int), ("method", c.c_int),
                ("reduction", c.c_int), ("radius", c.c_double), ("sigma", c.c_double), ("delta", c.c_double),
                ("squared", c.c_int), ("eps", c.c_double), ("iterations", c.c_size_t), ("seed_bins", c.c_double),
                ("seed_points", c.c_size_t), ("report", c.c_void_p), ("report_context", c.c_void_p),
                ("progress", c.c_void_p), ("progress_context", c.c_void_p)]


class Properties(c.Structure):
    """uh_clusters_properties"""
    _fields_ = [("struct_size", c.c_size_t), ("n", c.c_size_t), ("dims", c.c_size_t), ("dtype", c.c_int),
                ("clusters", c.c_size_t), ("centroids", c.POINTER(c.c_double)), ("counts", c.POINTER(c.c_uint64)),
                ("labels", c.POINTER(c.c_uint32)), ("moved", c.c_size_t), ("shifted", c.c_void_p),
                ("iterations", c.c_size_t), ("end", c.c_int), ("method", c.c_int), ("radius", c.c_double),
                ("sigma", c.c_double), ("delta", c.c_double), ("interactions", c.c_uint64), ("kernel_ns", c.c_uint64),
                ("total_ns", c.c_uint64)]


class DensityOptions(c.Structure):
    """uh_kde_options"""
    _fields_ = [("struct_size", c.c_size_t), ("kernel", c.c_int), ("method", c.c_int), ("radius", c.c_double),
                ("sigma", c.c_double), ("squared", c.c_int), ("grid", c.c_int)]


def columns_of(points):
    columns = [array_of(points[:, axis]) for axis in range(points.shape[1])]
    return (Array * len(columns))(*columns)


def clusters_of(points, **options):
    """Centroids, labels, and how many rows have moved."""
    clusters = made("uh_mean_shift", QUEUE, columns_of(points), points.shape[1],
                    Options(c.sizeof(Options), **options))
    found = Properties(c.sizeof(Properties))
    call("uh_clusters_get_properties", clusters, found)
    centroids = np.ctypeslib.as_array(found.centroids, (found.clusters, found.dims)).copy()
    labels = np.ctypeslib.as_array(found.labels, (found.n,)).copy()
    uh.uh_clusters_destroy(clusters)
    return centroids, labels, found.moved


def density_of(points, places, **options):
    density = np.empty(len(places))
    call("uh_kde", QUEUE, columns_of(points), points.shape[1], columns_of(places),
         DensityOptions(c.sizeof(DensityOptions), **options), density)
    return density


def bandwidth_of(points, quantile):
    bandwidth = c.c_double()
    call("uh_estimate_bandwidth", QUEUE, columns_of(points), points.shape[1], float(quantile), 0, c.byref(bandwidth))
    return bandwidth.value


def blobs(seed, dims, n=100, groups=4, dtype="f8"):
    """Groups of points around centres that are 6 and more apart."""
    random = np.random.default_rng(seed)
    centres = 6.0 * np.stack(np.unravel_index(random.permutation(3**dims)[:groups], (3,) * dims), axis=1)
    return (centres[np.arange(n) % groups] + random.normal(scale=0.7, size=(n, dims))).astype(dtype)


class BesideScikitLearn(unittest.TestCase):
    def assert_same_clusters(self, expected, centroids, labels, apart):
        """But for the numbers that clusters have."""
        self.assertEqual(len(centroids), len(expected.cluster_centers_))
        pairs = set(zip(labels.tolist(), expected.labels_.tolist()))
        self.assertEqual(len(pairs), len(centroids))
        for ours, theirs in pairs:
            np.testing.assert_allclose(centroids[ours], expected.cluster_centers_[theirs], rtol=0, atol=apart)

    def test_clusters_are_scikit_learns(self):
        for dims in (2, 3):
            for seed, bandwidth in enumerate((2.0, 3.0)):
                for dtype in ("f4", "f8"):
                    with self.subTest(dims=dims, bandwidth=bandwidth, dtype=dtype):
                        points = blobs(seed, dims, dtype=dtype)
                        expected = MeanShift(bandwidth=bandwidth).fit(points.astype("f8"))
                        centroids, labels, moved = clusters_of(points, kernel=FLAT, radius=bandwidth, reduction=DENSEST)
                        self.assertEqual(moved, len(points))
                        self.assert_same_clusters(expected, centroids, labels, 0.05 * bandwidth)

    def test_clusters_of_seeds_are_scikit_learns(self):
        for least in (1, 2, 5):
            with self.subTest(least=least):
                points, bandwidth = blobs(7 + least, 2, n=300), 1.5
                expected = MeanShift(bandwidth=bandwidth, bin_seeding=True, min_bin_freq=least).fit(points)
                centroids, labels, moved = clusters_of(points, kernel=FLAT, radius=bandwidth, reduction=DENSEST,
                                                       seed_bins=bandwidth, seed_points=least)
                bins, counts = np.unique(np.round(points / bandwidth), axis=0, return_counts=True)
                self.assertEqual(moved, np.count_nonzero(counts >= least))
                self.assertLess(moved, len(points))
                self.assert_same_clusters(expected, centroids, labels, 0.05 * bandwidth)

    def test_bandwidths_are_scikit_learns(self):
        for dims in (1, 2, 5):
            points = np.random.default_rng(dims).normal(size=(150, dims))
            for quantile in (0.001, 0.3, 1):
                with self.subTest(dims=dims, quantile=quantile):
                    expected = estimate_bandwidth(points, quantile=quantile)
                    np.testing.assert_allclose(bandwidth_of(points, quantile), expected, rtol=1e-6, atol=1e-12)
                    single = bandwidth_of(points.astype("f4"), quantile)
                    np.testing.assert_allclose(single, expected, rtol=1e-6, atol=1e-12)

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
