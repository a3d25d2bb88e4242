# SPDX-License-Identifier: Apache-2.0
"""bincount, scatter_add and digitize against the oracle and NumPy."""
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


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "i8", "f4", "f8", ">f8", ">i2"])
def test_scatter_add_is_numpys(dtype):
    index = RANDOM.integers(-5, 5, (40, 3)).astype("i2")
    values = RANDOM.integers(0, 2, 3).astype(np.uint8 if np.dtype(dtype).kind == "u" else np.int8)
    for out in (np.arange(5).astype(dtype), np.arange(10).astype(dtype)[::2]):
        expected = out.copy()
        np.add.at(expected, index.ravel(), np.tile(values, 40))  # which NumPy broadcasts wrongly for int8
        assert unihist.scatter_add(out, index, values) is None
        assert out.dtype == np.dtype(dtype) and out.tolist() == expected.tolist()
    unihist.scatter_add(out, [], [])
    assert out.tolist() == expected.tolist()


def test_scattered_sums_are_rounded_once():
    out = np.array([0.5, 1], "f4")
    unihist.scatter_add(out, [0, 0, 0], [1e30, 2.0**-30, -1e30])
    assert out.tolist() == [0.5, 1]
    unihist.scatter_add(out, [1, 1], 2.0**-25)
    assert out.tolist() == [0.5, 1]  # 1 + 2^-24 lies between two numbers: the even one
    unihist.scatter_add(out, [1, 1, 1], [2.0**-25, 2.0**-25, 2.0**-50])
    assert out.tolist() == [0.5, 1 + 2.0**-23]


@pytest.mark.parametrize("out, index, values, error", [
    (np.zeros(3), [0, 3], 1, "IndexError: index\\[1\\] is 3, expected -3 to 2"), (np.zeros(3), [-4], 1, "IndexError: index"),
    (np.zeros(3), [0.5], 1, "TypeError: index is of float64"), ([0, 0], [0], 1, "TypeError: out is"),
    (np.zeros((2, 2)), [0], 1, "TypeError: out is"), (np.zeros(2, "f2"), [0], 1, "TypeError: out is"),
    (np.zeros(3), [0, 1], [1, 2, 3], "ValueError"), (np.array([100], "i1"), [0, 0], [20, 20], "OverflowError: out\\[0\\] becomes"),
    (np.zeros(1, "i8"), [0], 0.5, "OverflowError"), (np.frombuffer(b"12345678"), [0], 1, "ValueError: out is read-only"),
    (np.zeros(3), np.ma.masked_array([0, 1], [0, 1]), 1, "ValueError: index")])
def test_errors_of_scatter_add_say_what_was_expected(out, index, values, error):
    before = np.array(out, copy=True)
    kind, _, said = error.partition(": ")
    with pytest.raises({e.__name__: e for e in (IndexError, TypeError, ValueError, OverflowError)}[kind], match=said or "."):
        unihist.scatter_add(out, index, values)
    assert np.array_equal(out, before)


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
