# SPDX-License-Identifier: Apache-2.0
"""The estimators against scikit-learn's own, by its own tests, and scikit-learn's checks of estimators."""
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", "1.6")

from sklearn.cluster import MeanShift as Theirs  # noqa: E402
from sklearn.cluster import _mean_shift  # noqa: E402
from sklearn.cluster.tests import test_mean_shift as own_tests  # noqa: E402
from sklearn.cluster.tests.test_mean_shift import *  # noqa: E402, F403
from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from unihist.sklearn import MeanShift  # noqa: E402


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
    monkeypatch.setattr(_mean_shift, "MeanShift", MeanShift)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([MeanShift()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def blobs(n, dims, spread=1.0, seed=0):
    return make_blobs(n, dims, centers=4, cluster_std=spread, random_state=seed)[0]


LATTICE = np.array([[x, y] for x in (0, 1, 2, 7, 8) for y in (0, 1, 5)], float)
CASES = [
    *((blobs(60, dims), {"bin_seeding": seeding}) for dims in (1, 2, 5, 16) for seeding in (False, True)),
    *((blobs(80, 2, 3.0, seed), {"bandwidth": 2.5, "max_iter": steps}) for seed in range(3) for steps in (0, 1, 300)),
    (blobs(90, 2), {"bandwidth": 1.5, "bin_seeding": True, "min_bin_freq": 3, "cluster_all": False}),
    (blobs(50, 3), {"bandwidth": 4, "seeds": [[0, 0, 0], [90, 0, 0], [2, 4, 1]]}),
    (LATTICE, {"bandwidth": 1}), (LATTICE, {"bandwidth": 1, "bin_seeding": True}),
    (LATTICE, {"bandwidth": 1.5, "cluster_all": False}),
    *((np.array(rows, float), {"bin_seeding": seeding}) for seeding in (False, True) for rows in (
        [[3]], [[3, 4], [1, 2]], [[2, 2]] * 9, [[v] for v in (107, 107, 107, 108, 108, 108, 109, 109)])),
]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_clusters_are_scikit_learns(case, dtype):
    points, options = CASES[case]
    points = points.astype(dtype)
    ours, theirs = MeanShift(**options).fit(points), Theirs(**options).fit(points)
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


@pytest.mark.parametrize("wrong, message", [
    ({"bandwidth": -1}, "bandwidth is -1"), ({"bandwidth": 0}, "bandwidth is 0"), ({"kernel": "square"}, "square"),
    ({"algorithm": "fast"}, "fast"), ({"device": "no-such"}, "no-such"), ({"max_iter": -1}, "max_iter is -1"),
    ({"min_bin_freq": 0}, "min_bin_freq is 0"), ({"n_jobs": 0}, "n_jobs is 0"), ({"seeds": [[1]]}, "bandwidth is 0"),
    ({"seeds": [[1]], "bandwidth": 1}, "seeds have 1 feature"),
    ({"bin_seeding": True, "min_bin_freq": 9, "bandwidth": 1}, "min_bin_freq is 9, expected at most 2"),
    ({"algorithm": "blurring", "bin_seeding": True}, "blurring"),
])
def test_invalid_arguments_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        MeanShift(**wrong).fit([[0, 0], [0, 0.25], [4, 4]])
