# SPDX-License-Identifier: Apache-2.0
"""Mean shift and bins as estimators of scikit-learn; needs version 1.6 or later."""
from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ._arrays import Array, c_arrays
from ._native import ffi, lib
from ._progress import Watch
from ._queue import Queue, properties_of, queue_of
from ._status import check, named, properties, structure

FLOATS = [np.float64, np.float32]


def _queue(device: Optional[str], n_jobs: Optional[int]) -> Queue:
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs < -1 or n_jobs == 0):
        raise ValueError(f"n_jobs is {n_jobs!r}, expected a number of threads, or None or -1 for all")
    return queue_of(device, None if n_jobs is None or n_jobs == -1 else int(n_jobs))


def _check_integer(name: str, value: Any, least: int) -> None:
    if not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} is {value!r}, expected an integer of at least {least}")


def _group_equal(points: Array) -> tuple[Array, Array, int]:
    """Centres, labels and iterations where only equal points attract each other."""
    rows, groups, sizes = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(sizes, kind="stable")[::-1]
    return rows[order], np.argsort(order)[groups.reshape(-1)], 0


class MeanShift(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """
    Clusters of points that climb to the same mode of their density: `sklearn.cluster.MeanShift`.

    Parameters
    ----------
    bandwidth : float, optional
        The radius within which points attract each other, above 0; by default scikit-learn's estimate for the quantile
        0.3. If that is 0, equal points form clusters.
    seeds : array_like of shape (n_seeds, n_features), optional
        Places that move instead of the points.
    bin_seeding : bool
        Whether to move, instead of all points, the centres of bins of the bandwidth's width with at least
        `min_bin_freq` points. Ignored with `seeds`.
    min_bin_freq, max_iter : int
        As in scikit-learn.
    cluster_all : bool
        Whether points farther than the bandwidth from all centres belong to the nearest one; otherwise their label is
        -1.
    n_jobs : int, optional
        Number of the host's threads; None and -1 mean all.
    kernel : {"flat", "epanechnikov", "gaussian"}
        The attraction: scikit-learn's, or others; the standard deviation of "gaussian" is a third of the bandwidth.
    algorithm : {"modes", "blurring"}
        Whether the given points attract, as in scikit-learn, or the moved ones.
    device : str, optional
        As in `unihist.histogram`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        In descending order of density: of the sum of the kernel where a centre made its last move, for "flat" the
        number of points, then of coordinates.
    labels_ : ndarray of shape (n_samples,)
    n_iter_ : int
        Largest number of moves of a point after its first.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Results do not depend on threads, nor on the device if it has float64, in which points of float32 move, too. They
    are scikit-learn's but for rounding: means are rounded once, to a multiple of 2**-40 bandwidths (2**-21 in float32);
    scikit-learn's in an order that depends on its tree.

    Examples
    --------
    >>> from unihist.sklearn import MeanShift
    >>> found = MeanShift(bandwidth=2).fit([[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]])
    >>> found.labels_
    array([1, 1, 1, 0, 0, 0])
    >>> found.predict([[0, 0], [5, 5]])
    array([1, 0])
    """

    def __init__(self, *, bandwidth: Optional[float] = None, seeds: Optional[npt.ArrayLike] = None,
                 bin_seeding: bool = False, min_bin_freq: int = 1, cluster_all: bool = True,
                 n_jobs: Optional[int] = None, max_iter: int = 300, kernel: str = "flat", algorithm: str = "modes",
                 device: Optional[str] = None) -> None:
        self.bandwidth = bandwidth
        self.seeds = seeds
        self.bin_seeding = bin_seeding
        self.min_bin_freq = min_bin_freq
        self.cluster_all = cluster_all
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.kernel = kernel
        self.algorithm = algorithm
        self.device = device

    def fit(self, X: npt.ArrayLike, y: object = None) -> MeanShift:
        """Finds the clusters of points, rows of coordinates; y is ignored."""
        points = validate_data(self, X, dtype=FLOATS)
        self._check_parameters()
        queue = _queue(self.device, self.n_jobs)
        columns = list(points.astype(np.float64 if properties_of(queue.device).fp64 else np.float32, copy=False).T)
        radius = self.bandwidth
        if radius is None:
            estimate = ffi.new("double *")
            queue.call(lib.uh_estimate_bandwidth, c_arrays(columns), len(columns), ffi.NULL, estimate)
            radius = estimate[0]
        if radius == 0 and self.seeds is not None:
            raise ValueError("the estimate of the bandwidth is 0, expected a bandwidth with seeds")
        if radius == 0:
            centers, labels, self.n_iter_ = _group_equal(points)
        else:
            centers, labels, self.n_iter_ = self._move(queue, columns, self._seeds_of(points, radius), radius)
        if not self.cluster_all:
            labels[np.linalg.norm(points - centers[labels], axis=1) > radius] = -1
        self.cluster_centers_, self.labels_ = centers.astype(points.dtype, copy=False), labels
        return self

    def _check_parameters(self) -> None:
        width = self.bandwidth
        if width is not None and not (isinstance(width, numbers.Real) and 0 < width < math.inf):
            raise ValueError(f"bandwidth is {width!r}, expected None or a number above 0")
        _check_integer("min_bin_freq", self.min_bin_freq, 1)
        _check_integer("max_iter", self.max_iter, 0)
        named(lib.UH_ENUM_DENSITY_KERNEL, "kernel", self.kernel)
        named(lib.UH_ENUM_MEAN_SHIFT_ALGORITHM, "algorithm", self.algorithm)
        if self.algorithm == "blurring" and (self.bin_seeding or self.seeds is not None):
            raise ValueError("algorithm is 'blurring', which moves the points: expected no seeds and no bin_seeding")

    def _seeds_of(self, points: Array, width: float) -> Optional[Array]:
        """The places that move, if they are not the points: with the rounding of scikit-learn's get_bin_seeds."""
        if self.seeds is not None:
            given: Array = check_array(self.seeds, dtype=points.dtype, input_name="seeds")
            if given.shape[1] != points.shape[1]:
                raise ValueError(f"seeds have {given.shape[1]} features, expected {points.shape[1]}, as X")
            return given
        if not self.bin_seeding:
            return None
        bins, numbers_ = np.unique(np.round(points / width), axis=0, return_counts=True)
        seeds = bins[numbers_ >= self.min_bin_freq].astype(np.float32)
        if not len(seeds):
            raise ValueError(f"min_bin_freq is {self.min_bin_freq}, expected at most {numbers_.max()}, the largest "
                             "number of points in a bin")
        if len(seeds) == len(points):
            warnings.warn(f"Binning data failed with provided bin_size={width:f}, using data points as seeds.")
            return None
        return np.asarray(seeds * width, points.dtype)

    def _move(self, queue: Queue, columns: list[Array], seeds: Optional[Array],
              radius: float) -> tuple[Array, Array, int]:
        rows = [] if seeds is None else list(seeds.astype(columns[0].dtype, copy=False).T)
        moving = c_arrays(rows) if rows else ffi.NULL
        options = structure(
            "uh_mean_shift_options",
            algorithm=named(lib.UH_ENUM_MEAN_SHIFT_ALGORITHM, "algorithm", self.algorithm),
            kernel=named(lib.UH_ENUM_DENSITY_KERNEL, "kernel", self.kernel),
            reduction=lib.UH_MEAN_SHIFT_DENSEST, radius=radius, delta=radius, iterations=self.max_iter + 1,
            seeds=moving, progress=lib.uhpy_progress)
        with queue.lock, Watch() as watch:
            options.progress_context = watch.handle
            handle = ffi.new("uh_clusters **")
            status = lib.uh_mean_shift(queue.handle, c_arrays(columns), len(columns), options, handle)
        if status == lib.UH_ERROR_NOT_FOUND:
            raise ValueError(f"No point was within bandwidth={radius:f} of any seed: expected other seeds or a larger "
                             "bandwidth")
        check(status)
        clusters = ffi.gc(handle[0], lib.uh_clusters_destroy)
        found = properties("uh_clusters_properties", lib.uh_clusters_get_properties, clusters)
        shape = (found.clusters, found.dims)
        centers = np.array(ffi.unpack(found.centroids, shape[0] * shape[1])).reshape(shape)
        labels = np.frombuffer(ffi.buffer(found.labels, 4 * found.n), np.uint32).astype(np.int64)
        return centers, labels, int(found.iterations) - 1

    def predict(self, X: npt.ArrayLike) -> Array:
        """The cluster of each point: that of the nearest centre."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=FLOATS)
        return np.asarray(pairwise_distances_argmin(points, self.cluster_centers_), np.int64)
