# SPDX-License-Identifier: Apache-2.0
"""histogram2d and histogramdd against the oracle and NumPy."""
import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import unihist

RANDOM = np.random.default_rng(2)


def cells(columns, edges):
    """The oracle: how many points lie in each cell."""
    found = np.zeros([len(e) - 1 for e in edges], int)
    lists = [oracle.numbers(e) for e in edges]
    for point in zip(*map(oracle.numbers, columns)):
        at = tuple(map(oracle.bin_of, point, lists))
        if None not in at:
            found[at] += 1
    return found


@given(st.integers(1, 4), st.integers(0, 40), st.data())
def test_cells_are_exact_for_columns_of_any_types(dims, size, data):
    columns = []
    for _ in range(dims):
        a = data.draw(strategies.arrays(max_size=60)).ravel()
        columns.append(np.resize(a, size) if a.size else np.zeros(size, a.dtype))
    edges = [data.draw(strategies.edges()) for _ in columns]
    hist, same = unihist.histogramdd(columns, edges)
    assert hist.dtype == float and all(a is b for a, b in zip(same, edges))
    assert hist.tolist() == cells(columns, edges).tolist()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", ">f8"])
def test_points_in_rows_and_in_columns_are_the_same(dtype):
    points = (RANDOM.random((500, 3)) * 100).astype(dtype)
    weights = RANDOM.integers(0, 9, 500)
    for w in (None, weights):
        expected, edges = np.histogramdd(points, (3, 4, 5), weights=w)
        for sample in (points, np.asfortranarray(points), list(points.T), points[::-1][::-1]):
            hist, ours = unihist.histogramdd(sample, (3, 4, 5), weights=w)
            assert hist.tolist() == expected.tolist()
            assert all(a.tolist() == b.tolist() and a.dtype == b.dtype for a, b in zip(ours, edges))
    assert unihist.histogramdd(points[:, 0], 5)[0].tolist() == np.histogramdd(points[:, 0], 5)[0].tolist()
    assert unihist.histogramdd([1, 2, 3], 5)[0].tolist() == np.histogramdd([1, 2, 3], 5)[0].tolist()


@pytest.mark.parametrize("bins", [5, (4, 6), [0, 0.5, 1], ([0, 0.3, 1], 4), np.linspace(0, 1, 9)])
@pytest.mark.parametrize("limits", [None, [[0, 1], [0.25, 0.5]]])
def test_histogram2d_is_numpys(bins, limits):
    x, y = RANDOM.random(300), RANDOM.random(300)
    for ours, expected in zip(unihist.histogram2d(x, y, bins, limits), np.histogram2d(x, y, bins, limits)):
        assert ours.dtype == expected.dtype and ours.tolist() == expected.tolist()


def test_what_is_wrong_is_named():
    x = np.arange(3.0)
    for wrong, message in [
        (lambda: unihist.histogram2d(x, x[:2]), "same length"),
        (lambda: unihist.histogramdd([x, x[:2]]), "as many in each"),
        (lambda: unihist.histogramdd(x.reshape(1, 1, 3)), "dimensions"),
        (lambda: unihist.histogramdd([x, x], [3]), "dimension of bins"),
        (lambda: unihist.histogramdd([x, x], 3, [None]), "one entry per dimension"),
        (lambda: unihist.histogramdd([x, x], [0, 3]), r"bins\[0\]` must be positive"),
        (lambda: unihist.histogramdd([x, x], [3, [1, 0]]), r"bins\[1\]` must increase monotonically"),
        (lambda: unihist.histogramdd([x, x], [3, [[1]]]), r"bins\[1\]` must be a scalar or 1d"),
        (lambda: unihist.histogramdd([x] * 9, 1), "naxes is 9"),
        (lambda: unihist.histogramdd([x, x], 3, weights=x[:2]), "weights"),
    ]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError, match=r"bins\[0\]` must be an integer"):
        unihist.histogramdd([x, x], [3.5, 2])
