# SPDX-License-Identifier: Apache-2.0
"""Mean shift as an estimator of scikit-learn; needs version 1.6 or later."""
from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._arrays import Array, c_arrays
from ._native import ffi, lib
from ._progress import Watch
from ._queue import queue_of
from ._status import made, named, properties, structure


class MeanShift(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """
    Clusters of points that climb to the same mode of their density: `sklearn.cluster.MeanShift`.

    Parameters
    ----------
    bandwidth : float, optional
        The radius within which points attract each other; by default scikit-learn's estimate for the quantile 0.3.
    bin_seeding : bool
        Whether to move, instead of all points, the centres of bins of this width with at least `min_bin_freq` points.
    min_bin_freq, max_iter : int
        As in scikit-learn.
    kernel : {"flat", "epanechnikov", "gaussian"}
        The attraction; the standard deviation of "gaussian" is a third of the bandwidth.
    algorithm : {"modes", "blurring"}
        Whether the given points attract, or the moved ones.
    device, threads
        As in `unihist.histogram`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
    labels_ : ndarray of shape (n_samples,)
    n_iter_ : int

    Notes
    -----
    Results do not depend on device and threads. Clusters are numbered by size, the largest first.

    Examples
    --------
    >>> from unihist.sklearn import MeanShift
    >>> found = MeanShift(bandwidth=2).fit([[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]])
    >>> found.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> found.predict([[0, 0], [5, 5]])
    array([0, 1])
    """

    def __init__(self, *, bandwidth: Optional[float] = None, bin_seeding: bool = False, min_bin_freq: int = 1,
                 max_iter: int = 300, kernel: str = "flat", algorithm: str = "modes", device: Optional[str] = None,
                 threads: Optional[int] = None) -> None:
        self.bandwidth = bandwidth
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.max_iter = max_iter
        self.kernel = kernel
        self.algorithm = algorithm
        self.device = device
        self.threads = threads

    def fit(self, X: npt.ArrayLike, y: object = None) -> MeanShift:
        """Finds the clusters of points, rows of coordinates; y is ignored."""
        points = validate_data(self, X, dtype=[np.float64, np.float32])
        columns = [points[:, axis] for axis in range(points.shape[1])]
        queue = queue_of(self.device, self.threads)
        radius = self.bandwidth
        if radius is None:
            estimate = ffi.new("double *")
            queue.call(lib.uh_estimate_bandwidth, c_arrays(columns), len(columns), ffi.NULL, estimate)
            radius = estimate[0]
            if radius == 0:
                raise ValueError(f"n_samples = {len(points)} points give no bandwidth: it would be 0")
        options = structure(
            "uh_mean_shift_options",
            algorithm=named(lib.UH_ENUM_MEAN_SHIFT_ALGORITHM, "algorithm", self.algorithm),
            kernel=named(lib.UH_ENUM_DENSITY_KERNEL, "kernel", self.kernel),
            reduction=lib.UH_MEAN_SHIFT_DENSEST, radius=radius, delta=radius, iterations=self.max_iter,
            seed_bins=radius if self.bin_seeding else 0, seed_points=self.min_bin_freq,
            progress=lib.uhpy_progress)
        with queue.lock, Watch() as watch:
            options.progress_context = watch.handle
            clusters = made(lib.uh_mean_shift, "uh_clusters", lib.uh_clusters_destroy, queue.handle, c_arrays(columns),
                            len(columns), options)
        found = properties("uh_clusters_properties", lib.uh_clusters_get_properties, clusters)
        shape = (found.clusters, found.dims)
        self.cluster_centers_ = np.array(ffi.unpack(found.centroids, shape[0] * shape[1])).reshape(shape)
        self.cluster_centers_ = self.cluster_centers_.astype(points.dtype, copy=False)
        self.labels_ = np.frombuffer(ffi.buffer(found.labels, 4 * found.n), np.uint32).astype(np.int64)
        self.n_iter_ = int(found.iterations)
        return self

    def predict(self, X: npt.ArrayLike) -> Array:
        """The cluster of each point: that of the nearest centre."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return np.asarray(pairwise_distances_argmin(points, self.cluster_centers_), np.int64)
