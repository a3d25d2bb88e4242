# SPDX-License-Identifier: Apache-2.0
"""bincount and digitize against the oracle and NumPy."""
import bisect

import numpy as np
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import unihist

RANDOM = np.random.default_rng(3)


@given(strategies.arrays(), strategies.edges(), st.booleans(), st.booleans())
def test_indices_and_places_in_sorted_numbers_are_exact(values, edges, right, decreasing):
    find = bisect.bisect_left if right else bisect.bisect_right
    sorted_edges = oracle.numbers(edges)
    expected = [len(edges) if x != x else find(sorted_edges, x) for x in oracle.numbers(values)]
    places = unihist.searchsorted(edges, values, "left" if right else "right")
    assert places.dtype == np.int64 and places.shape == values.shape and places.ravel().tolist() == expected
    if decreasing and edges[0] < edges[-1]:
        edges, expected = edges[::-1], [len(edges) - i for i in expected]
    index = unihist.digitize(values, edges, right)
    assert index.dtype == np.int64 and index.shape == values.shape
    assert index.ravel().tolist() == expected


def test_searchsorted_is_numpys():
    a, v = RANDOM.permutation(50) / 7, RANDOM.random((3, 20)) * 7
    for side in ("left", "right"):
        order = np.argsort(a)
        expected = np.searchsorted(a, v, side, order)
        assert unihist.searchsorted(a, v, side, order).tolist() == expected.tolist()
    assert unihist.searchsorted([1, 2], 2) == 1 and unihist.searchsorted([], [1.0]).tolist() == [0]


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(allow_nan=False, allow_infinity=False)), max_size=50))
def test_sums_of_bincount_are_rounded_once(pairs):
    x, weights = [p[0] for p in pairs], [p[1] for p in pairs]
    exact = oracle.sums(x, np.arange(max(x, default=-1) + 2), weights)
    assert unihist.bincount(x, weights).tolist() == [oracle.rounded(s, np.float64) for s in exact]


INVALID = {
    "bincount": [([-1],), (np.array([1.5]),), ([[1]],), (1,), ("x",), ([1], [1, 2]), ([1], None, -1), ([1], None, 1.5),
                 (np.array([], float),)],
    "digitize": [([1], [1, 3, 2]), ([1j], [1, 2]), ([1], [[1, 2]]), ([1], 1)],
    "histogram": [([1], [2, 1]), ([1], [[1, 2]]), ([1], 0), ([1], 1.5), ([1, np.inf],), ([1], 2, (2, 1)),
                  ([1], 2, (0, np.nan)), ([1], 2, None, None, [1, 2]), ([1], "nonsense"),
                  (["a"], 3)],
    "histogram_bin_edges": [([1], 0), ([1], 2, None, [1, 2])],
    "choice": [(0,), (-1,), ([],), ([[1, 2]],), (3, 1, True, [0.5, 0.5]), (3, 1, True, [0.5, 0.5, 0.5]),
               (2, 1, True, [1.5, -0.5]), (2, 1, True, [[0.5, 0.5]]), (2, -1), (2, 1, True, [np.nan, 1])],
}


@pytest.mark.parametrize("function", INVALID)
def test_invalid_arguments_are_numpys_errors(function):
    for arguments in INVALID[function]:
        with pytest.raises((ValueError, TypeError)) as expected:
            getattr(np.random if function == "choice" else np, function)(*arguments)
        kind, = {ValueError, TypeError} & set(expected.type.__mro__)
        with pytest.raises(kind):
            getattr(unihist, function)(*arguments)
