# SPDX-License-Identifier: Apache-2.0
"""The estimators against scikit-learn's own, by its own tests, and scikit-learn's checks of estimators."""
import fractions
import itertools
import re

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", "1.7")

from sklearn import cluster, preprocessing  # noqa: E402
from sklearn.cluster.tests import test_mean_shift as own_tests  # noqa: E402
from sklearn.cluster.tests.test_mean_shift import *  # noqa: E402, F403
from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from unihist import histogram_bin_edges  # noqa: E402
from unihist.sklearn import Binner, MeanShift  # noqa: E402


pytestmark = pytest.mark.filterwarnings("ignore:Binning data failed")


@pytest.fixture(params=["f4", "f8"])
def global_dtype(request):
    return np.dtype(request.param)


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture(autouse=True)
def scikit_learns_tests_take_our_estimators(monkeypatch):
    monkeypatch.setattr(own_tests, "MeanShift", MeanShift)
    monkeypatch.setattr(cluster._mean_shift, "MeanShift", MeanShift)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([MeanShift(), Binner(), Binner(encode="ordinal", missing="bin", strategy="uniform")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def blobs(n, dims, spread=1.0, seed=0):
    return make_blobs(n, dims, centers=4, cluster_std=spread, random_state=seed)[0]


LATTICE = np.array([[x, y] for x in (0, 1, 2, 7, 8) for y in (0, 1, 5)], float)
CASES = [
    *((blobs(40, dims), {"bin_seeding": seeding}) for dims in (1, 2, 5, 20) for seeding in (False, True)),
    *((blobs(80, 2, 3.0, seed), {"bandwidth": 2.5, "max_iter": steps}) for seed in range(3) for steps in (0, 1, 300)),
    (blobs(90, 2), {"bandwidth": 1.5, "bin_seeding": True, "min_bin_freq": 3, "cluster_all": False}),
    (blobs(50, 3), {"bandwidth": 4, "seeds": [[0, 0, 0], [90, 0, 0], [2, 4, 1]]}),
    (LATTICE, {"bandwidth": 1}), (LATTICE, {"bandwidth": 1, "bin_seeding": True}),
    (np.array([[0], [1.2], [1.3]]), {"bandwidth": 1.2, "bin_seeding": True, "min_bin_freq": 2}),
    (LATTICE, {"bandwidth": 1.5, "cluster_all": False}), (LATTICE[:4] + 0.4, {"bandwidth": 0.9, "bin_seeding": True}),
    *((np.array(rows, float), {"bin_seeding": seeding}) for seeding in (False, True) for rows in (
        [[3]], [[3, 4], [1, 2]], [[2, 2]] * 9, [[v] for v in (107, 107, 107, 108, 108, 108, 109, 109)])),
]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_clusters_are_scikit_learns(case, dtype):
    points, options = CASES[case]
    points = points.astype(dtype)
    ours, theirs = MeanShift(**options).fit(points), cluster.MeanShift(**options).fit(points)
    assert ours.cluster_centers_ == pytest.approx(theirs.cluster_centers_, rel=1e-5 if dtype == "f4" else 1e-9)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert (ours.n_iter_, ours.n_features_in_) == (theirs.n_iter_, theirs.n_features_in_)
    assert ours.cluster_centers_.dtype == points.dtype and ours.labels_.dtype == theirs.labels_.dtype
    assert np.array_equal(ours.predict(points), theirs.predict(points))


@pytest.mark.parametrize("kernel", ["flat", "epanechnikov", "gaussian"])
@pytest.mark.parametrize("algorithm", ["modes", "blurring"])
def test_kernels_and_algorithms_find_the_centers(kernel, algorithm):
    centers = np.array([[0.0, 0], [5, 5], [0, 7]])
    points = np.repeat(centers, [200, 150, 100], 0) + np.random.default_rng(6).normal(size=(450, 2)) * 0.5
    found = MeanShift(bandwidth=2, kernel=kernel, algorithm=algorithm, device="host").fit(points)
    assert found.cluster_centers_ == pytest.approx(centers, abs=0.2)
    assert np.unique(found.labels_, return_counts=True)[1].tolist() == [200, 150, 100]


RANDOM = np.random.default_rng(3)
TABLES = {"normal": RANDOM.normal(size=(500, 3)), "single": RANDOM.normal(size=(300, 2)).astype("f4"),
          "whole": RANDOM.integers(-9, 9, (200, 2)), "few": np.array([[0.0, 5], [0, 5], [1, 5], [7, 5]])}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("encode", ["ordinal", "onehot", "onehot-dense"])
@pytest.mark.parametrize("weighted, bins", [(False, 2), (True, 2), (False, 7), (True, 7)])
@pytest.mark.filterwarnings("ignore:Feature 1 is constant", "ignore:Bins w", "ignore:invalid value")
def test_bins_are_kbinsdiscretizers(table, strategy, encode, weighted, bins):
    values = TABLES[table]
    weights = np.arange(len(values)) ** 2 % 5 if weighted else None
    theirs = preprocessing.KBinsDiscretizer(bins, encode=encode, strategy=strategy, subsample=None,
                                            quantile_method="averaged_inverted_cdf").fit(values, None, weights)
    ours = Binner(bins, encode=encode, strategy=strategy).fit(values, None, weights)
    for edges, expected in zip(ours.bin_edges_, theirs.bin_edges_):
        assert edges == pytest.approx(expected, rel=1e-6 if table == "single" else 1e-14)
    beyond = np.concatenate([values, values * 3])
    found, expected = ours.transform(beyond), theirs.transform(beyond)
    assert type(found) is type(expected) and not (found != expected).sum()
    assert ours.inverse_transform(found) == pytest.approx(theirs.inverse_transform(expected), rel=1e-6, nan_ok=True)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("size, scale", [(3, 1), (9, 1e-310), (10, 1.7e308), (42, 1), (49, 1e-310)])
def test_quantiles_are_exact(size, scale):
    values = np.sort(RANDOM.uniform(-1, 1, size)) * scale
    for bins in range(2, size):
        edges = Binner(bins).fit(values[::-1, None]).bin_edges_[0]
        for k, edge in enumerate(edges):
            at = fractions.Fraction(k * size, bins)
            low, high = (values[min(max(i, 0), size - 1)] for i in (-(-at // 1) - 1, at // 1))
            assert edge == float((fractions.Fraction(low) + fractions.Fraction(high)) / 2)


def test_rules_and_classes_choose_bins():
    values = np.concatenate([RANDOM.normal(0, 1, 300), RANDOM.normal(9, 0.1, 200)])[:, None]
    for rule in ("blocks", "fd", "nice:6"):
        edges = Binner(strategy=rule).fit(values).bin_edges_[0]
        assert edges.tolist() == histogram_bin_edges(values[:, 0], rule).tolist()
    binner = Binner(strategy="mdlp", encode="ordinal").fit(values, values[:, 0] > 4)
    assert binner.n_bins_[0] == 2 and (binner.transform(values)[:, 0] == (values[:, 0] > 4)).all()
    with pytest.raises(ValueError, match="y is None"):
        Binner(strategy="mdlp").fit(values)


@pytest.mark.parametrize("size, bins, scale", [(9, 2, 1), (9, 5, 1e-310), (12, 4, 1e307), (10, 10, 1), (6, 9, 1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_optimal_bins_have_the_least_squares(size, bins, scale, weighted):
    for _ in range(5):
        values = np.round(RANDOM.uniform(-1, 1, size), 1)
        weights = RANDOM.integers(1, 4, size) if weighted else np.ones(size, int)
        edges = Binner(bins, strategy="optimal").fit(values[:, None] * scale, None, weights).bin_edges_[0]
        distinct, count = np.unique(values), min(bins, len(np.unique(values)))

        def squares(place):
            parts = [place == bin for bin in range(count)]
            means = [np.average(values[part], weights=weights[part]) for part in parts]
            return sum((weights[part] * (values[part] - mean)**2).sum() for part, mean in zip(parts, means))

        every = [squares(np.searchsorted(distinct[list(cuts)], values, "right"))
                 for cuts in itertools.combinations(range(1, len(distinct)), count - 1)]
        found = np.searchsorted(edges[1:-1], values * scale, "right")
        assert squares(found) == pytest.approx(min(every), abs=1e-12) and len(edges) == count + 1
    groups = np.concatenate([RANDOM.normal(at, 0.1, 30) for at in (0, 5, 10)])[:, None]
    theirs = preprocessing.KBinsDiscretizer(3, strategy="kmeans").fit(groups)
    assert Binner(3, strategy="optimal").fit(groups).bin_edges_[0] == pytest.approx(theirs.bin_edges_[0])


@pytest.mark.parametrize("options, dtype, bins", [
    ({"edges": [0, 1, 5, 9]}, "u1", [[0, 1], [2, 2], [2, 0]]),
    ({"edges": [[0, 1, 5], [2, 5, 6]]}, "u1", [[0, 0], [1, 1], [1, 0]]),
    *(({"edges": np.arange(-1, last + 1)}, dtype, [[1, 3], [6, 6], [10, 0]])
      for last, dtype in ((255, "u1"), (256, "u2"), (65535, "u2"), (65536, "i4"))),
    ({"edges": [0, 2, 6], "dtype": "f4"}, "f4", [[0, 1], [1, 1], [1, 0]]),
    ({"edges": [0, 2, 6], "missing": "bin"}, "u1", [[0, 1], [1, 1], [1, 2]]),
])
def test_results_are_of_the_smallest_type_or_the_one_asked(options, dtype, bins):
    values = np.array([[0.5, 2.5], [5.5, 5.5], [9.5, np.nan if "missing" in options else -1]])
    binner = Binner(encode="ordinal", strategy="given", **options).fit(values)
    found = binner.transform(values)
    assert found.tolist() == bins and found.dtype == dtype
    assert np.array_equal(np.isnan(binner.inverse_transform(found)), np.isnan(values))
    dense = Binner(encode="onehot-dense", strategy="given", **options).fit(values)
    np.testing.assert_array_equal(dense.inverse_transform(dense.transform(values)), binner.inverse_transform(found))
    with pytest.raises(ValueError, match="X has bins"):
        binner.inverse_transform(found.astype(int) + [0, int(dense.n_bins_[1])])


@pytest.mark.parametrize("estimator, message", [
    (MeanShift(bandwidth=-1), "bandwidth is -1"), (MeanShift(bandwidth=0), "bandwidth is 0"),
    (MeanShift(kernel="square"), "square"), (MeanShift(algorithm="fast"), "fast"), (MeanShift(max_iter=-1), "max_iter"),
    (MeanShift(min_bin_freq=0), "min_bin_freq is 0"), (MeanShift(n_jobs=0), "n_jobs == 0"),
    (MeanShift(seeds=[[1]]), "bandwidth is 0"), (MeanShift(seeds=[[1]], bandwidth=1), "seeds have 1 feature"),
    (MeanShift(bin_seeding=True, min_bin_freq=9, bandwidth=1), "min_bin_freq is 9, expected at most 2"),
    (MeanShift(algorithm="blurring", bin_seeding=True), "blurring"), (MeanShift(device="no-such"), "no-such"),
    (Binner(1), "n_bins is 1"), (Binner([2, 3, 4]), "n_bins has shape (3,)"), (Binner(encode="dense"), "encode is 'd"),
    (Binner(missing="ignore"), "missing is 'ignore'"),
    (Binner(strategy="given", edges=[2, 1]), "edges of feature 0"), (Binner(strategy="given"), "edges of feature 0"),
    (Binner(strategy="given", edges=[[1, 2]]), "edges are 1 arrays, expected 2"),
    (Binner(300, dtype="u1", encode="ordinal", strategy="uniform"), "dtype is uint8"),
])
def test_invalid_arguments_are_named(estimator, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        estimator.fit([[0, 0], [0, 0.25], [4, 4]])
    with pytest.raises(ValueError, match="the number of features of X is 300, expected 1 to 256"):
        MeanShift().fit(np.zeros((3, 300)))
