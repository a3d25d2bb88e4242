# SPDX-License-Identifier: Apache-2.0
"""bincount and digitize against the oracle and NumPy."""
import bisect
import fractions

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
    with pytest.raises(ValueError, match="decreases"):
        unihist.searchsorted(a, v)
    with pytest.raises(TypeError, match="sorter is of bool"):
        unihist.searchsorted([1, 2], [1], sorter=np.array([True, False]))
    with pytest.raises(ValueError, match="side is 'middle'"):
        unihist.searchsorted([1], v, "middle")


def test_digitize_takes_a_number_and_few_edges():
    index = unihist.digitize(2.5, [1, 2, 3])
    assert index == 2 and isinstance(index, np.int64)
    assert unihist.digitize([1, 2], [2]).tolist() == np.digitize([1, 2], [2]).tolist()
    assert unihist.digitize([1, 2], []).tolist() == np.digitize([1, 2], []).tolist()
    assert unihist.digitize(np.zeros((2, 0, 3)), [1, 2]).shape == (2, 0, 3)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", ">i8", "u8", "?"])
@pytest.mark.parametrize("weights", [None, "i8", "f4", ">f8", "i2", "?"])
def test_bincount_is_numpys(dtype, weights):
    x = RANDOM.integers(0, 2 if dtype == "?" else 100, 1000).astype(dtype)
    numbers = None if weights is None else RANDOM.integers(0, 1000, 1000).astype(weights)
    for step, minlength in [(1, 0), (-1, 3), (3, 300)]:
        values, w = x[::step], None if numbers is None else numbers[::step]
        expected, ours = np.bincount(values.astype(int), w, minlength), unihist.bincount(values, w, minlength)
        assert ours.dtype == expected.dtype and ours.tolist() == expected.tolist()


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(allow_nan=False, allow_infinity=False)), max_size=50))
def test_sums_of_bincount_are_rounded_once(pairs):
    x, weights = [p[0] for p in pairs], [p[1] for p in pairs]
    exact = [fractions.Fraction(0)] * (max(x, default=-1) + 1)
    for i, w in pairs:
        exact[i] += fractions.Fraction(w)
    assert unihist.bincount(x, weights).tolist() == [oracle.rounded(s, np.float64) for s in exact]


def test_invalid_arguments_are_numpys_errors():
    for function, arguments in [
        ("bincount", ([-1],)), ("bincount", (np.array([1.5]),)), ("bincount", ([[1]],)), ("bincount", (1,)),
        ("bincount", ("x",)),
        ("bincount", ([1], [1, 2])), ("bincount", ([1], None, -1)), ("bincount", ([1], None, 1.5)),
        ("bincount", (np.array([], float),)),
        ("digitize", ([1], [1, 3, 2])), ("digitize", ([1j], [1, 2])), ("digitize", ([1], [[1, 2]])),
        ("digitize", ([1], 1)),
        ("histogram", ([1], [2, 1])), ("histogram", ([1], [[1, 2]])), ("histogram", ([1], 0)),
        ("histogram", ([1], 1.5)),
        ("histogram", ([1, np.inf],)), ("histogram", ([1], 2, (2, 1))), ("histogram", ([1], 2, (0, np.nan))),
        ("histogram", ([1], 2, None, None, [1, 2])), ("histogram", ([1], "nonsense")),
        ("histogram", ([1], "auto", None, None, [1])), ("histogram", (["a"], 3)),
        ("histogram_bin_edges", ([1], 0)), ("histogram_bin_edges", ([1], 2, None, [1, 2])),
    ]:
        with pytest.raises(Exception) as expected:
            getattr(np, function)(*arguments)
        with pytest.raises(Exception) as ours:
            getattr(unihist, function)(*arguments)
        kind, = {ValueError, TypeError} & set(expected.type.__mro__)
        assert isinstance(ours.value, kind), (function, arguments, expected.value, ours.value)
