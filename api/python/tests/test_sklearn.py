# SPDX-License-Identifier: Apache-2.0
"""The estimator against scikit-learn's own, and scikit-learn's checks of it."""
import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", "1.6")

from sklearn.cluster import MeanShift as Theirs  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from unihist.sklearn import MeanShift  # noqa: E402

RANDOM = np.random.default_rng(6)
CENTERS = np.array([[0.0, 0], [5, 5], [0, 7]])
POINTS = np.repeat(CENTERS, [200, 150, 100], 0) + RANDOM.normal(size=(450, 2)) * 0.5


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([MeanShift()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bandwidth", [2.0, None])
@pytest.mark.parametrize("bin_seeding", [False, True])
def test_clusters_are_scikit_learns(dtype, bandwidth, bin_seeding):
    points = POINTS.astype(dtype)
    ours = MeanShift(bandwidth=bandwidth, bin_seeding=bin_seeding, min_bin_freq=2, threads=1).fit(points)
    theirs = Theirs(bandwidth=bandwidth, bin_seeding=bin_seeding, min_bin_freq=2).fit(points)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert np.sort(ours.cluster_centers_, 0) == pytest.approx(np.sort(theirs.cluster_centers_, 0), abs=0.05)
    assert ours.cluster_centers_.dtype == points.dtype and ours.n_iter_ >= 1
    assert np.array_equal(ours.predict(points), ours.labels_)


@pytest.mark.parametrize("kernel", ["flat", "epanechnikov", "gaussian"])
@pytest.mark.parametrize("algorithm", ["modes", "blurring"])
def test_kernels_and_algorithms_find_the_centers(kernel, algorithm):
    found = MeanShift(bandwidth=2, kernel=kernel, algorithm=algorithm, device="host").fit(POINTS)
    assert found.cluster_centers_ == pytest.approx(CENTERS, abs=0.2)
    assert np.unique(found.labels_, return_counts=True)[1].tolist() == [200, 150, 100]


def test_invalid_arguments_are_named():
    for wrong, message in [({"bandwidth": -1}, "radius"), ({"kernel": "square"}, "square"),
                           ({"algorithm": "fast"}, "fast"), ({"device": "no-such"}, "no-such")]:
        with pytest.raises(ValueError, match=message):
            MeanShift(**wrong).fit(POINTS)
    with pytest.raises(ValueError, match="no bandwidth"):
        MeanShift().fit(np.ones((9, 2)))
    one = MeanShift(bandwidth=2, max_iter=1).fit(POINTS)
    assert one.n_iter_ == 1
