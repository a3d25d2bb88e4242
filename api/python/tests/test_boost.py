# SPDX-License-Identifier: Apache-2.0
"""The table of api/docs/exactness.md: inputs for which NumPy and boost-histogram differ from the exact result."""
import numpy as np
import pytest

import unihist

bh = pytest.importorskip("boost_histogram")


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("values,edges,weights,numpys,boosts,ours", [
    pytest.param([0.5, 1.5, 2.6], [0, 1, 2.5, 3], [1e16, 1, 1], [1e16, 0, 0], [1e16, 1, 1], [1e16, 1, 1],
                 id="a running sum loses small weights"),
    pytest.param([0.5, 1.5, 3.5], [0, 1, 3, 4], [np.inf, 1, 2], [np.inf, np.nan, np.nan], [np.inf, 1, 2], [np.inf, 1, 2],
                 id="a running sum spreads infinity"),
    pytest.param([2**60 - 1], [0, 2.0**60, 2.0**61], None, [0, 1], [0, 1], [1, 0],
                 id="float64 rounds an integer below an edge onto it")])
def test_results_of_three_libraries(values, edges, weights, numpys, boosts, ours):
    boost = bh.Histogram(bh.axis.Variable(edges)).fill(values, weight=weights)
    np.testing.assert_array_equal(np.histogram(values, edges, weights=weights)[0], numpys)
    np.testing.assert_array_equal(boost.view(), boosts)
    np.testing.assert_array_equal(unihist.histogram(values, edges, weights=weights)[0], ours)


def test_left_edges_of_equal_bins():
    wrong = 0
    for n in range(2, 200):
        left = np.linspace(0, 1, n + 1)[:-1]
        wrong += (bh.Histogram(bh.axis.Regular(n, 0, 1)).fill(left).view() != 1).any()
        assert (np.histogram(left, n, (0, 1))[0] == 1).all() and (unihist.histogram(left, n, (0, 1))[0] == 1).all()
    assert wrong == 120
