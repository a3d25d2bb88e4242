# SPDX-License-Identifier: Apache-2.0
"""histogram, histogram2d and histogramdd against the oracle, and against NumPy where it is exact too."""
import numpy as np
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import unihist

RANDOM = np.random.default_rng(1)


@given(strategies.arrays(), strategies.edges())
def test_counts_are_exact_for_every_type_stride_and_edge(values, edges):
    counts, same = unihist.histogram(values, edges)
    assert same is edges and counts.dtype == np.int64
    assert counts.tolist() == oracle.counts(values, edges)
    assert unihist.histogram(values, edges, threads=1)[0].tolist() == counts.tolist()


@given(strategies.arrays(max_size=30), st.integers(1, 9), st.floats(-10, 10), st.floats(0.5, 1e3))
def test_equal_bins_are_numpys_and_their_counts_exact(values, bins, low, width):
    counts, edges = unihist.histogram(values, bins, (low, low + width))
    expected = np.histogram_bin_edges(np.empty(0, values.dtype), bins, (low, low + width))
    assert edges.dtype == expected.dtype and edges.tolist() == expected.tolist()
    assert counts.tolist() == oracle.counts(values, edges)


@pytest.mark.filterwarnings("ignore:The number of bins estimated")
@pytest.mark.parametrize("dtype", strategies.DTYPES)
@pytest.mark.parametrize("bins", [1, 10, 77, "auto", "fd", "doane", "scott", "sturges", "rice", "sqrt", "stone"])
def test_bins_over_the_datas_own_range_are_numpys(dtype, bins):
    values = (RANDOM.normal(size=500) * 4).astype(np.int8).astype(dtype)
    expected = np.histogram_bin_edges(values, bins)
    counts, edges = unihist.histogram(values, bins)
    assert edges.dtype == expected.dtype and edges.tolist() == expected.tolist()
    assert unihist.histogram_bin_edges(values, bins).tolist() == expected.tolist()
    assert counts.tolist() == oracle.counts(values, edges)


@pytest.mark.filterwarnings("ignore:The number of bins estimated")
@pytest.mark.parametrize("bins", ["knuth", "shimazaki", "blocks", "blocks:0.5", "clusters:3", "denby_mallows:12", "nice",
                                  "quantile:5", "equal_probability:normal:7"])
def test_rules_of_the_library_choose_bins(bins):
    values = np.concatenate([RANDOM.normal(size=2000), 6 + RANDOM.normal(size=300) / 20]).astype(np.float32)
    counts, edges = unihist.histogram(values, bins)
    assert counts.tolist() == oracle.counts(values, edges) and counts.sum() == values.size
    assert edges[0] <= values.min() and edges[-1] >= values.max() and (np.diff(edges) > 0).all()
    assert unihist.histogram_bin_edges(RANDOM.permutation(values), bins).tolist() == edges.tolist()
    assert unihist.histogram_bin_edges([], bins).tolist() == [0, 1]
    inside = unihist.histogram_bin_edges(values, bins, (-1, 1))
    assert bins.startswith("e") or inside[0] >= -1 and inside[-1] <= 1
    with pytest.raises(ValueError, match="nan among them, is not finite"):
        unihist.histogram([1.0, np.nan, np.inf], bins)
    masked = np.ma.masked_invalid(np.append(values, np.nan))
    assert unihist.histogram_bin_edges(masked, bins, nan="omit").tolist() == edges.tolist()
    weights = np.append(RANDOM.integers(0, 4, values.size), 2)
    repeated = unihist.histogram_bin_edges(np.repeat(values, weights[:-1]), bins)
    assert unihist.histogram_bin_edges(masked, bins, weights=weights, nan="omit").tolist() == repeated.tolist()


@pytest.mark.parametrize("bins", ["auto", "fd", "stone", "scott", "doane", "sqrt"])
def test_numpys_rules_take_weights_and_many_values(bins):
    values, weights = RANDOM.exponential(size=300_000), RANDOM.integers(0, 4, 300_000)
    found = unihist.histogram_bin_edges(values, bins, weights=weights)
    assert found.tolist() == unihist.histogram_bin_edges(np.repeat(values, weights), bins).tolist()
    if bins != "stone":
        assert unihist.histogram_bin_edges(values, bins).tolist() == np.histogram_bin_edges(values, bins).tolist()
    halves = unihist.histogram_bin_edges(values[:5000], bins, weights=np.full(5000, 0.5))
    assert halves.size == unihist.histogram_bin_edges(values[:5000], bins).size


def test_wrong_rules_are_named():
    for bins, words in (("clusters", "bins is 0, expected 1 to 65536"), ("clusters:x", "a number after the colon"),
                        ("clusters:4", "bins is 4, expected at most 3"), ("knuth:4", "expected 0: the rule knuth"), ("median", "bins is 'median'"),
                        ("equal_probability:x", "expected NAME, NAME:NUMBER"),
                        ("blocks:2", "p0 is 2, expected 0 to 1")):
        with pytest.raises(ValueError, match=words):
            unihist.histogram([1, 2, 3], bins)


@given(st.lists(st.floats(-2.0**99, 2.0**99, width=32), min_size=1, max_size=5), st.integers(1, 300),
       st.sampled_from(["f4", "f8"]), st.sampled_from([None, (0, 7), (-1.5, 1e20), (np.float64(0.1), np.float64(0.7))]))
def test_equal_bins_of_any_numbers_are_numpys(values, bins, dtype, limits):
    values = np.array(values, dtype)
    try:
        expected = np.histogram_bin_edges(values, bins, limits)
    except ValueError:  # of later versions
        expected = np.zeros(2)
    if not np.all(expected[:-1] < expected[1:]):
        with pytest.raises(ValueError, match="Too many bins|expected lo < hi|too large for bins"):
            unihist.histogram(values, bins, limits)
        return
    counts, edges = unihist.histogram(values, bins, limits)
    assert edges.dtype == expected.dtype and edges.tolist() == expected.tolist()
    assert counts.tolist() == oracle.counts(values, edges)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("bins", [5, "fd"])
def test_nan_in_the_datas_own_range_is_an_error_or_omitted(dtype, bins):
    values = np.append(RANDOM.random(50), np.nan).astype(dtype)
    with pytest.raises(ValueError, match="NaN|nan"):
        unihist.histogram(values, bins)
    counts, edges = unihist.histogram(values, bins, nan="omit")
    expected = np.histogram(values[:-1], bins)
    assert edges.tolist() == expected[1].tolist() and counts.sum() == 50
    assert unihist.histogram(values[-1:], 1, nan="omit")[1].tolist() == [0, 1]
    assert unihist.histogram2d(values, values, 5, nan="omit")[0].sum() == 50


def test_given_edges_may_span_more_than_a_float_holds():
    found, _ = unihist.histogram([-1, 0, 1.7e308], [-1.7e308, 0, 1.7e308], progress=lambda *at: None)
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("values", [np.array([-3e4, 36e3], "f2"), np.array([2e38, -2e38], "f4"), [-1.7e308, 1.7e308]])
def test_a_range_wider_than_its_type_has_one_message(values):
    for call in [lambda: unihist.histogram(values), lambda: unihist.histogram(values, weights=[1, 2]),
                 lambda: unihist.histogram([1], 3, tuple(values)), lambda: unihist.histogram2d(values, [1, 2])][
                     :4 if np.asarray(values).dtype == float else 2]:
        with pytest.raises(ValueError, match=r"range is \[.*\], wider than the largest float"):
            call()


WEIGHTS = ["f4", "f8", "f2", ">f8", "i1", "i2", "i4", "i8", "u1", "u4", "u8", ">i2"]


@given(strategies.arrays(["f4", "i2", ">f8"]), strategies.edges(["f4", "i2"]), st.sampled_from(WEIGHTS), st.data())
def test_sums_of_weights_are_rounded_once(values, edges, dtype, data):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        wild = st.sampled_from([1e16, 1.0, -1e16, 0.1, 3.0])
        numbers = st.floats(-1e4, 1e4, width=16) if dtype.itemsize == 2 else wild
        weights = [data.draw(numbers) for _ in range(values.size)]
    else:
        numbers = st.integers(max(np.iinfo(dtype).min, -2**57), min(np.iinfo(dtype).max, 2**57))
        weights = data.draw(st.lists(numbers, min_size=values.size, max_size=values.size))
    weights = np.array(weights, dtype).reshape(values.shape)
    sums, _ = unihist.histogram(values, edges, weights=weights)
    assert sums.dtype == (dtype if dtype.kind == "f" else np.int64)
    exact = oracle.sums(values, edges, weights)
    if dtype.kind == "f" and dtype.itemsize > 2:
        assert sums.tolist() == [oracle.rounded(x, dtype.newbyteorder("=").type) for x in exact]
    elif dtype.kind != "f":
        assert sums.tolist() == exact
    else:
        assert np.allclose(sums.astype(float), [float(x) for x in exact], rtol=2**-10)


def test_weights_of_64_bits():
    large = np.array([2**62, 2**62 - 1, 5], np.int64)
    assert unihist.histogram([0, 0, 1], [0, 1, 2], weights=large)[0].tolist() == [2**63 - 1, 5]
    with pytest.raises(OverflowError):
        unihist.histogram([0, 0, 0], [0, 1], weights=large)
    unsigned = np.array([2**53 + 1, 1, 2**63], np.uint64)
    found, h = unihist.histogram([0, 0, 1], [0, 1, 2], weights=unsigned)[0], unihist.Histogram([0, 1, 2], storage="sum")
    assert found.dtype == np.uint64 and found.tolist() == [2**53 + 2, 2**63]
    pieces = h.copy()
    for piece in range(3):
        pieces.fill([0, 0, 1][piece:piece + 1], weight=unsigned[piece:piece + 1])
    assert pieces == h.fill([0, 0, 1], weight=unsigned) and h.total() == (3, 0)
    assert h.values().tolist() == unihist.bincount([0, 0, 1], unsigned).tolist() == [2**53 + 2, 2**63]
    squares = unihist.Histogram([0, 1], storage="weighted").fill([0, 0], weight=unsigned[1:]).contents()
    assert [float(a[0]) for a in squares] == [2.0**63, 2.0**126]
    with pytest.raises(OverflowError):
        unihist.histogram([0, 0], [0, 1], weights=np.array([2**63] * 2, np.uint64))
    with pytest.raises(OverflowError, match="convert the weights to float64"):
        unihist.bincount([0, 0], [2**53, 1])


def test_edges_of_the_same_bytes_and_another_type_are_others():
    edges = np.array([0, 1, 2])
    for of in (edges, edges.view(np.float64), edges):
        assert unihist.histogram([0.5, 1.5], of)[0].tolist() == oracle.counts(np.array([0.5, 1.5]), of)


def test_pieces_of_converted_arrays_add_up():
    values = RANDOM.integers(0, 50, 700_001).astype(">f4")
    weights = RANDOM.integers(0, 9, values.size).astype(">i4")
    edges = np.arange(51.0)
    assert unihist.histogram(values, edges)[0].tolist() == np.histogram(values, edges)[0].tolist()
    for converted in (values, values.astype(">i8")):
        sums = unihist.histogram(converted, edges, weights=weights)[0]
        assert sums.tolist() == np.histogram(values, edges, weights=weights)[0].tolist()
    assert unihist.digitize(values, edges).tolist() == np.digitize(values, edges).tolist()
    assert unihist.histogram(values, 5)[1].tolist() == np.histogram(values, 5)[1].tolist()
    table = RANDOM.random((1000, 5))[:, ::2]
    assert unihist.histogram(table, 20)[0].tolist() == np.histogram(table, 20)[0].tolist()


def test_edges_that_come_again_are_those_that_are_given():
    values, edges = RANDOM.random(100), np.array([0, 0.25, 1])
    for edge in (0.5, 0.75, 0.5):  # the same array with other numbers
        edges[1] = edge
        assert unihist.histogram(values, edges)[0].tolist() == oracle.counts(values, edges)
    for number in range(40):  # more than are kept
        edges = np.array([0, (number % 20 + 1) / 30, 1])
        assert unihist.histogram(values, edges)[0].tolist() == oracle.counts(values, edges)
    large = np.linspace(0, 1, 20_001)  # not kept
    assert unihist.histogram(values, large[::2])[0].tolist() == oracle.counts(values, large[::2])


@given(st.integers(1, 4), st.integers(0, 40), st.data())
def test_cells_are_exact_for_columns_of_any_types(dims, size, data):
    columns = []
    for _ in range(dims):
        a = data.draw(strategies.arrays(max_size=60)).ravel()
        columns.append(np.resize(a, size) if a.size else np.zeros(size, a.dtype))
    edges = [data.draw(strategies.edges()) for _ in columns]
    hist, same = unihist.histogramdd(columns, edges)
    assert hist.dtype == float and all(a is b for a, b in zip(same, edges))
    expected = np.zeros(hist.shape)
    for at in oracle.places(columns, edges):
        if None not in at:
            expected[at] += 1
    assert hist.tolist() == expected.tolist()


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


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_histograms_along_an_axis_are_those_of_each_row(axis, dtype):
    a = (np.random.default_rng(3).normal(size=(7, 50, 11)) * 20).astype(dtype)
    weights = np.random.default_rng(4).integers(-9, 9, a.shape)
    edges = [-30, -5.5, 0, 1, 1, 14]
    for bins, limits in ((edges, None), (9, (-20, 20)), (6, None)):
        found, found_edges = unihist.histogram(a, bins, limits, axis=axis)
        assert np.array_equal(found_edges, unihist.histogram_bin_edges(a, bins, limits))
        expected = np.apply_along_axis(lambda row: np.histogram(row.astype(float), found_edges)[0], axis, a)
        assert found.dtype == np.int64 and np.array_equal(found, np.moveaxis(expected, axis, -1))
    for view in (a[:, ::-2, ::3], np.asfortranarray(a), a.transpose(2, 0, 1)):
        assert np.array_equal(unihist.histogram(view, edges, axis=axis)[0],
                              unihist.histogram(view.copy(), edges, axis=axis, threads=1)[0])
    sums = unihist.histogram(a, edges, weights=weights, axis=axis)[0]
    places = np.ndindex(sums.shape[:-1])
    for place, row, w in zip(places, np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis]),
                             np.moveaxis(weights, axis, -1).reshape(-1, a.shape[axis])):
        assert np.array_equal(sums[place], unihist.histogram(row, edges, weights=w)[0])
    if dtype != "u8":  # rows of which have no values there
        density = unihist.histogram(a, 5, (-200, 300), density=True, axis=axis)[0]
        assert np.allclose(density.sum(axis=-1) * 100, 1)


def test_histograms_along_an_axis_refuse_what_has_none():
    assert unihist.histogram(np.empty((3, 0)), [0, 1], axis=1)[0].tolist() == [[0], [0], [0]]
    assert unihist.histogram([[1, np.nan], [3, 1]], [0, 2, 4], axis=1)[0].tolist() == [[1, 0], [1, 1]]
    for arguments, error in ((([1, 2], [0, 1]), "axis"), ((np.array(["2026"], "M8[D]"), ["2026", "2027"]), "a is of"),
                             ((np.ma.masked_array([1, 2], [0, 1]), [0, 1]), "a\\[1\\] is missing")):
        with pytest.raises((ValueError, TypeError), match=error):
            unihist.histogram(*arguments, axis=3 if error == "axis" else 0)
