# SPDX-License-Identifier: Apache-2.0
"""The table of api/docs/exactness.md: inputs for which NumPy and boost-histogram differ from the exact result."""
import numpy as np
import pytest

import unihist

bh = pytest.importorskip("boost_histogram")


def counts(values, edges, weights=None):
    """As NumPy, Boost.Histogram and unihist have it."""
    values = np.asarray(values)
    histogram = bh.Histogram(bh.axis.Variable(edges))
    histogram.fill(values, weight=weights)
    with np.errstate(invalid="ignore"):
        return (np.histogram(values, edges, weights=weights)[0].tolist(), histogram.view().tolist(),
                unihist.histogram(values, edges, weights=weights)[0].tolist())


def test_a_running_sum_loses_small_weights():
    numpy, others, ours = counts([0.5, 1.5, 2.6], [0, 1, 2.5, 3], weights=[1e16, 1, 1])
    assert numpy == [1e16, 0, 0]
    assert others == ours == [1e16, 1, 1]


def test_a_running_sum_spreads_infinity():
    numpy, others, ours = counts([0.5, 1.5, 3.5], [0, 1, 3, 4], weights=[np.inf, 1, 2])
    assert str(numpy) == "[inf, nan, nan]"
    assert others == ours == [np.inf, 1, 2]


def test_an_integer_below_an_edge_that_float64_rounds_onto_it():
    numpy, others, ours = counts([2 ** 60 - 1], [0, 2.0 ** 60, 2.0 ** 61])
    assert numpy == others == [0, 1]
    assert ours == [1, 0]


def test_left_edges_of_equal_bins():
    wrong = 0
    for n in range(2, 200):
        edges = np.linspace(0, 1, n + 1)
        histogram = bh.Histogram(bh.axis.Regular(n, 0, 1))
        histogram.fill(edges[:-1])
        wrong += bool((histogram.view() != 1).any())
        assert (np.histogram(edges[:-1], n, (0, 1))[0] == 1).all()
        assert (unihist.histogram(edges[:-1], n, (0, 1))[0] == 1).all()
    assert wrong == 120
