# SPDX-License-Identifier: Apache-2.0
"""Mean shift and bins as estimators of scikit-learn; needs version 1.6 or later."""
from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, Optional

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from ._arrays import Array, c_arrays
from ._integers import digitize_columns
from ._native import ffi, lib
from ._progress import Watch
from ._queue import Queue, Where, properties_of, queue_of
from ._status import check, named, properties, structure
from .bins import Bins, chosen_edges, is_rule, mdlp

FLOATS = [np.float64, np.float32]
CHOICES = {"encode": ["onehot", "onehot-dense", "ordinal"], "strategy": ["uniform", "quantile", "optimal", "given", "mdlp"],
           "missing": ["error", "bin"]}


def _where(of: Any) -> Where:
    return of.device, None if of.n_jobs is None else effective_n_jobs(of.n_jobs)


def _check_integer(name: str, value: Any, least: int) -> None:
    if not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} is {value!r}, expected an integer of at least {least}")


def _group_equal(points: Array) -> tuple[Array, Array, int]:
    """Centres, labels and iterations where only equal points attract each other."""
    rows, groups, sizes = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(sizes, kind="stable")[::-1]
    return rows[order], np.argsort(order)[groups.reshape(-1)], 0


def _moved(queue: Queue, columns: list[Array], seeds: Optional[Array], radius: float,
           options: dict[str, int]) -> tuple[Array, Array, int]:
    """Centres, labels and iterations."""
    rows = [] if seeds is None else list(seeds.astype(columns[0].dtype, copy=False).T)
    moving, handle = c_arrays(rows) if rows else ffi.NULL, ffi.new("uh_clusters **")
    chosen = structure("uh_mean_shift_options", reduction=lib.UH_MEAN_SHIFT_DENSEST, radius=radius, delta=radius,
                       seeds=moving, progress=lib.uhpy_progress, **options)
    with queue.lock, Watch() as watch:
        chosen.progress_context = watch.handle
        status = lib.uh_mean_shift(queue.handle, c_arrays(columns), len(columns), chosen, handle)
        clusters = ffi.gc(handle[0], lib.uh_clusters_destroy)  # also if the watch raises
    if status == lib.UH_ERROR_NOT_FOUND:
        raise ValueError(f"No point was within bandwidth={radius:f} of any seed: expected more, or other seeds")
    check(status)
    found = properties("uh_clusters_properties", lib.uh_clusters_get_properties, clusters)
    centers = np.array(ffi.unpack(found.centroids, found.clusters * found.dims)).reshape(found.clusters, found.dims)
    labels = np.frombuffer(ffi.buffer(found.labels, 4 * found.n), np.uint32).astype(np.int64)
    return centers, labels, int(found.iterations) - 1


class MeanShift(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """
    Clusters of points that climb to the same mode of their density: `sklearn.cluster.MeanShift`.

    Parameters
    ----------
    bandwidth : float, optional
        The radius within which points attract each other, above 0; by default scikit-learn's estimate for the quantile
        0.3. If that is 0, equal points form clusters.
    seeds, bin_seeding, min_bin_freq, cluster_all, max_iter
        As in scikit-learn.
    kernel : {"flat", "epanechnikov", "gaussian"}
        The attraction: scikit-learn's, or others; the standard deviation of "gaussian" is a third of the bandwidth.
    algorithm : {"modes", "blurring"}
        Whether the given points attract, as in scikit-learn, or the moved ones.
    n_jobs, device
        The host's threads as in joblib, None for all; the device as in `unihist.histogram`.

    Attributes
    ----------
    cluster_centers_, labels_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn; with other kernels the centre of the largest sum of the kernel is the first.

    Notes
    -----
    Results are scikit-learn's but for rounding: means are rounded once, to a multiple of 2**-40 bandwidths, or 2**-21
    on devices without float64. Threads and devices do not change them otherwise. Points have at most 256 features.

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
        self.bandwidth, self.seeds, self.bin_seeding, self.min_bin_freq = bandwidth, seeds, bin_seeding, min_bin_freq
        self.cluster_all, self.max_iter, self.kernel, self.algorithm = cluster_all, max_iter, kernel, algorithm
        self.n_jobs, self.device = n_jobs, device

    def fit(self, X: npt.ArrayLike, y: object = None) -> MeanShift:
        """Finds the clusters of points, rows of coordinates; y is ignored."""
        points = validate_data(self, X, dtype=FLOATS)
        options = self._options()
        queue = queue_of(*_where(self))
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
            centers, labels, self.n_iter_ = _moved(queue, columns, self._seeds_of(points, radius), radius, options)
        if not self.cluster_all:
            labels[np.linalg.norm(points - centers[labels], axis=1) > radius] = -1
        self.cluster_centers_, self.labels_ = centers.astype(points.dtype, copy=False), labels
        return self

    def _options(self) -> dict[str, int]:
        """The options of C that need no points."""
        width = self.bandwidth
        if width is not None and not (isinstance(width, numbers.Real) and 0 < width < math.inf):
            raise ValueError(f"bandwidth is {width!r}, expected None or a number above 0")
        _check_integer("min_bin_freq", self.min_bin_freq, 1)
        _check_integer("max_iter", self.max_iter, 0)
        if self.algorithm == "blurring" and (self.bin_seeding or self.seeds is not None):
            raise ValueError("algorithm is 'blurring', which moves the points: expected no seeds and no bin_seeding")
        return {"algorithm": named(lib.UH_ENUM_MEAN_SHIFT_ALGORITHM, "algorithm", self.algorithm),
                "kernel": named(lib.UH_ENUM_DENSITY_KERNEL, "kernel", self.kernel), "iterations": self.max_iter + 1}

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
            raise ValueError(f"min_bin_freq is {self.min_bin_freq}, expected at most {numbers_.max()}, as bins have")
        if len(seeds) == len(points):
            warnings.warn(f"Binning data failed with provided bin_size={width:f}, using data points as seeds.")
            return None
        return np.asarray(seeds * width, points.dtype)

    def predict(self, X: npt.ArrayLike) -> Array:
        """The cluster of each point: that of the nearest centre."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=FLOATS)
        return np.asarray(pairwise_distances_argmin(points, self.cluster_centers_), np.int64)


class Binner(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """
    Numbers of bins in the place of values: `sklearn.preprocessing.KBinsDiscretizer`, of all samples and exact.

    Parameters
    ----------
    n_bins, encode, n_jobs, device
        As in scikit-learn and `MeanShift`.
    strategy : {"uniform", "quantile", "optimal", "given", "mdlp"} or a rule of `unihist.histogram`
        Bins of equal width; of equal content, whose edges between two values are in their middle; with the least sum of
        squared distances from the means of bins, which scikit-learn's "kmeans" approximates; those of `edges`; those
        that separate the classes `y`; or those of a rule such as "blocks" or "fd", which finds their number instead of
        `n_bins`. Bins without width are removed, with a warning.
    edges : array_like or list of n_features of them, optional
        Edges that increase, of all features or each.
    missing : {"error", "bin"}
        Whether NaN is an error, or has a bin of its own after all others, which `n_bins_` does not count.
    dtype : dtype, optional
        Type of the results: for "ordinal" by default uint8, uint16 or int32, the first that holds all numbers;
        otherwise float64.

    Attributes
    ----------
    bin_edges_, n_bins_, n_features_in_, feature_names_in_
        As in scikit-learn: values beyond the outer edges are in the outer bins.

    Examples
    --------
    >>> from unihist.sklearn import Binner
    >>> Binner(3, encode="ordinal").fit_transform([[0], [1], [2], [3], [4], [90]]).ravel()
    array([0, 0, 1, 1, 2, 2], dtype=uint8)
    """

    def __init__(self, n_bins: Any = 5, *, encode: str = "onehot", strategy: str = "quantile", edges: Any = None,
                 missing: str = "error", dtype: Any = None, n_jobs: Optional[int] = None,
                 device: Optional[str] = None) -> None:
        self.n_bins, self.encode, self.strategy, self.edges = n_bins, encode, strategy, edges
        self.missing, self.dtype, self.n_jobs, self.device = missing, dtype, n_jobs, device

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "bin"
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _checked(self, X: npt.ArrayLike, reset: bool) -> Array:
        finite = "allow-nan" if self.missing == "bin" else True
        return np.asarray(validate_data(self, X, reset=reset, dtype="numeric", ensure_all_finite=finite))

    def fit(self, X: npt.ArrayLike, y: object = None, sample_weight: Optional[npt.ArrayLike] = None) -> Binner:
        """Finds the edges; samples of weight 0 are left out, and others count by weight for "quantile" and
        "optimal"."""
        for name, names in CHOICES.items():
            if getattr(self, name) not in names and not (name == "strategy" and is_rule(self.strategy)):
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected one of {names}")
        values = self._checked(X, True)
        features = values.shape[1]
        weights = None if sample_weight is None else np.asarray(sample_weight, float)
        if weights is not None and (weights.shape != values.shape[:1] or not (weights >= 0).all() or not weights.any()):
            raise ValueError(f"sample_weight has shape {weights.shape}, expected {values.shape[:1]} above or at zero")
        wanted, given = np.asarray(self.n_bins), self.edges
        if wanted.shape not in ((), (features,)):
            raise ValueError(f"n_bins has shape {wanted.shape}, expected one number, or {features}, one per feature")
        given = [given] * features if given is None or np.ndim(given[0]) == 0 else given
        if len(given) != features:
            raise ValueError(f"edges are {len(given)} arrays, expected {features}, one per feature of X")
        if self.strategy == "mdlp" and y is None:
            raise ValueError("y is None, expected classes for the strategy 'mdlp'")
        found = [self._edges(j, values[:, j], weights, bins.item(), y if self.strategy == "mdlp" else given[j])
                 for j, bins in enumerate(np.broadcast_to(wanted, features))]
        self.bin_edges_ = np.array([*found, None], object)[:-1]
        self.n_bins_ = np.array([len(edges) - 1 for edges in found])
        self._widths: Array = self.n_bins_ + (self.missing == "bin")
        self._dtype()
        return self

    def _edges(self, feature: int, column: Array, weights: Optional[Array], bins: Any, given: Any) -> Array:
        if self.strategy == "given":
            edges = np.asarray(given, float)
            if edges.ndim != 1 or len(edges) < 2 or not (edges[:-1] < edges[1:]).all():
                raise ValueError(f"edges of feature {feature} are {given!r}, expected two or more that increase")
            return edges
        if self.strategy != "mdlp" and (self.strategy == "quantile" or not is_rule(self.strategy)):
            _check_integer("n_bins", bins, 2)
        if weights is not None or self.missing == "bin":
            kept = ~np.isnan(column) & (weights is None or weights > 0)
            column, weights = column[kept], None if weights is None else weights[kept]
            given = np.asarray(given)[kept] if self.strategy == "mdlp" else given
        low, high = (column.min(), column.max()) if len(column) else (0, 0)
        if low == high:
            warnings.warn(f"Feature {feature} is constant and will be replaced with 0.")
            return np.array([-np.inf, np.inf])
        if self.strategy == "quantile":
            edges = _quantiles(column, weights, bins)
        elif self.strategy == "optimal":
            edges = _optimal(column, weights, bins)
        elif self.strategy == "mdlp":
            edges = mdlp(column, np.asarray(given), weights)
        elif self.strategy != "uniform":
            edges = chosen_edges(column, self.strategy, None, weights)
        else:
            edges = np.linspace(low, high, bins + 1)
        if not np.isfinite(edges).all():
            raise ValueError(f"feature {feature} of X is from {low} to {high}, expected less than a float holds")
        distinct = edges[np.ediff1d(edges, to_begin=np.inf) > 0]
        if len(distinct) < len(edges):
            warnings.warn(f"Bins without width in feature {feature} are removed. Consider fewer bins.")
        return distinct

    def _dtype(self) -> np.dtype[Any]:
        if self.encode != "ordinal":
            return np.dtype(self.dtype or float)
        last = int(self._widths.max()) - 1
        dtype = np.dtype(self.dtype or ("u1" if last < 1 << 8 else "u2" if last < 1 << 16 else "i4"))
        if dtype.kind not in "iuf" or int(np.array(last).astype(dtype)) != last:
            raise ValueError(f"dtype is {dtype}, expected one that holds the bin {last}")
        return dtype

    def transform(self, X: npt.ArrayLike) -> Any:
        """The bins of values, as `encode` says."""
        check_is_fitted(self)
        values, ordinal, widths = self._checked(X, False), self.encode == "ordinal", self._widths
        device, threads = _where(self)
        codes = digitize_columns(values, list(self.bin_edges_), device=device, threads=threads)
        if ordinal:
            return codes.astype(self._dtype(), copy=False)
        found = codes + (np.cumsum(widths) - widths)
        shape = len(found), int(widths.sum())
        ends = np.arange(0, found.size + 1, values.shape[1])
        matrix = csr_matrix((np.ones(found.size, self._dtype()), found.ravel(), ends), shape)
        return matrix if self.encode == "onehot" else matrix.toarray()

    def inverse_transform(self, X: Any) -> Array:
        """The middles of bins, NaN for that of NaN and for constant features."""
        check_is_fitted(self)
        bins, widths = check_array(X, accept_sparse="csr"), self._widths
        expected = len(widths) if self.encode == "ordinal" else widths.sum()
        if bins.shape[1] != expected:
            raise ValueError(f"X has {bins.shape[1]} columns, expected {expected}")
        if self.encode != "ordinal":
            blocks = [bins[:, end - width:end] for width, end in zip(widths, np.cumsum(widths))]
            bins = np.stack([np.asarray(block.argmax(axis=1)).ravel() for block in blocks], axis=1)
        if not ((bins >= 0) & (bins < widths)).all():
            raise ValueError(f"X has bins from {bins.min()} to {bins.max()}, expected 0 to {widths - 1}")
        with np.errstate(invalid="ignore"):
            middles = [np.append((edges[1:] + edges[:-1]) / 2, np.nan) for edges in self.bin_edges_]
        return np.stack([at[bins[:, j].astype(int)] for j, at in enumerate(middles)], axis=1)

    def get_feature_names_out(self, input_features: Optional[npt.ArrayLike] = None) -> Array:
        """Names of the results' columns: those of features, followed by the bin if there is a column for each."""
        names: Array = super().get_feature_names_out(input_features)
        bins = [f"{name}_{float(bin)}" for name, width in zip(names, self._widths) for bin in range(width)]
        return names if self.encode == "ordinal" else np.array(bins, object)


def _quantiles(values: Array, weights: Optional[Array], bins: int) -> Array:
    """Edges of bins of equal weight: the values up to which it lies, or the middle between two values."""
    if weights is None:
        values, sums = np.sort(values), np.arange(1, len(values) + 1)
    else:
        order = np.argsort(values, kind="stable")
        values, sums = values[order], np.cumsum(weights[order])
    wanted = np.arange(bins + 1) * sums[-1] / bins
    low, high = (values[np.minimum(np.searchsorted(sums, wanted, side), len(values) - 1)].astype(float)
                 for side in ("left", "right"))
    with np.errstate(over="ignore"):
        return np.asarray(np.where(np.isinf(low + high), low / 2 + high / 2, (low + high) / 2))


def _optimal(values: Array, weights: Optional[Array], bins: int) -> Array:
    """Edges between the means of bins with the least squares."""
    low, scale = values.min() / 2, values.max() / 2 - values.min() / 2
    near = (values.astype(float) / 2 - low) / scale * 2 - 1  # from -1 to 1
    whole = weights is not None and (weights == np.floor(weights)).all() and weights.sum() < 1 << 53
    held = Bins().add(near, weights.astype(np.int64) if weights is not None and whole else weights)
    cuts = held.edges("clusters", min(bins, np.unique(near).size))
    at = np.searchsorted(cuts[1:-1], near, "right")
    sums = np.bincount(at, near if weights is None else near * weights)
    means = low + values.max() / 2 + scale * (sums / np.bincount(at, weights))
    return np.array([values.min(), *(means[1:] / 2 + means[:-1] / 2), values.max()])
