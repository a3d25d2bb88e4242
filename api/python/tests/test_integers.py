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


@pytest.mark.parametrize("dtype", [None, "u1", "u2", "i4", "i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_codes_of_columns_are_those_of_each_column(order, dtype):
    x = np.array(RANDOM.normal(size=(500, 4)), "f4", order=order)
    x[::7, 1] = np.nan
    edges = [np.sort(RANDOM.normal(size=k)) for k in (2, 5, 9, 300 if dtype is None else 200)]
    expected = np.stack([np.where(np.isnan(c), e.size - 1, np.clip(np.digitize(c, e), 1, e.size - 1) - 1)
                         for c, e in zip(x.T, edges)], 1)
    for threads in (1, 2):
        codes = unihist.digitize_columns(x, edges, dtype=dtype, order=order, threads=threads)
        assert codes.dtype == np.dtype(dtype or "u2") and codes.flags[order + "_CONTIGUOUS"]
        assert np.array_equal(codes, expected)
    at_edges = unihist.digitize_columns(edges[2].reshape(-1, 1), edges[2], True, order=order)
    assert at_edges.ravel().tolist() == [0, *range(8)]
    one = unihist.digitize_columns(x[::-2, ::-1], edges[1])
    assert np.array_equal(one[:, 2], expected[::-2, 1]) and one.dtype == np.uint8
    masked = unihist.digitize_columns(np.ma.masked_less(x[:, 2:], 0), edges[1])
    assert ((masked == 4) == (x[:, 2:] < 0)).all()
    assert unihist.digitize_columns(x[:0], edges[1]).shape == (0, 4)


@pytest.mark.parametrize("arguments, error", [
    (([1, 2], [0, 1]), "x is of int64 with 1 dimensions"), (([[1j]], [0, 1]), "x is of complex128"),
    (([[1, 2]], [[0, 1]] * 3), "bins are 3 arrays, expected .* all 2 columns"), (([[1]], [2, 1]), "edges"),
    (([[1]], np.arange(300), "u1"), "dtype is uint8, which holds numbers up to 255, expected one for 299"),
    (([[1]], [0, 1], "f4"), "dtype is float32, expected uint8"), (([[1]], [0]), "")])
def test_bad_tables_of_columns_are_named(arguments, error):
    with pytest.raises(ValueError, match=error or "."):
        unihist.digitize_columns(*arguments[:2], dtype=arguments[2] if len(arguments) > 2 else None)


def test_indices_have_the_type_that_is_asked_for():
    found = unihist.digitize([0.5, 3, np.nan], [0, 1, 2], dtype=np.uint8)
    assert found.dtype == np.uint8 and found.tolist() == [1, 3, 3]
    assert unihist.digitize([0.5, 3], [2, 1, 0], dtype="i4").tolist() == [2, 0]


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
