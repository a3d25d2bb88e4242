# SPDX-License-Identifier: Apache-2.0
"""Parameters of the estimator, without scikit-learn: on stand-ins of the parts that it uses."""
import importlib
import sys
import types

import numpy as np


def estimator(monkeypatch):
    for name, members in {
            "base": {"BaseEstimator": object, "ClusterMixin": type("ClusterMixin", (), {})},
            "metrics": {"pairwise_distances_argmin": None},
            "utils.validation": {"check_is_fitted": None, "validate_data": lambda _, X, **__: np.asarray(X)},
    }.items():
        monkeypatch.setitem(sys.modules, "sklearn." + name, types.SimpleNamespace(**members))
    monkeypatch.delitem(sys.modules, "unihist.sklearn", raising=False)
    found = importlib.import_module("unihist.sklearn").MeanShift
    del sys.modules["unihist.sklearn"]
    return found


def test_bins_of_fewer_points_than_min_bin_freq_are_no_seeds(monkeypatch):
    mean_shift = estimator(monkeypatch)
    points = np.array([[0.0, 0.0]] * 5 + [[9.0, 9.0]])
    found = [mean_shift(bandwidth=1.0, bin_seeding=True, min_bin_freq=least, threads=1).fit(points) for least in (1, 2)]
    assert [len(each.cluster_centers_) for each in found] == [2, 1]
