# SPDX-License-Identifier: Apache-2.0
"""boost-histogram fills, slices, sums and projects alike, without flow bins and with bins closed at the left. And the
table of api/docs/exactness.md: inputs for which NumPy and boost-histogram differ from the exact result."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unihist
from unihist import Axis, Histogram, rebin

bh = pytest.importorskip("boost_histogram")

STORAGES = {"count": bh.storage.Int64, "weighted": bh.storage.Weight, "mean": bh.storage.Mean}


@st.composite
def axes(draw):
    """An axis of each package, with the same bins, and values on it or around it."""
    bins = draw(st.integers(1, 12))
    kind = draw(st.sampled_from(["equal", "edges", "integers"]))
    if kind == "integers":
        first = draw(st.integers(-5, 5))
        return Axis.integers(first, first + bins - 1), bh.axis.Integer(first, first + bins), \
            st.integers(first - 2, first + bins + 2)
    edges = np.cumsum(draw(st.lists(st.integers(1, 9), min_size=bins + 1, max_size=bins + 1))) / 4 - 3
    if kind == "equal":  # in quarters, so that theirs computes the bins exactly
        edges = np.arange(bins + 1) / 4
        return Axis.equal(bins, 0, bins / 4, closed="half-open left"), bh.axis.Regular(bins, 0, bins / 4), \
            st.integers(-3, bins + 3).map(lambda i: i / 4)
    return Axis(edges, closed="half-open left"), bh.axis.Variable(edges), \
        st.one_of(st.sampled_from(edges.tolist()), st.floats(edges[0] - 1, edges[-1] + 1))


@st.composite
def indices(draw, axis):
    """The index of an axis, for ours and for theirs."""
    kinds = ["bin", "all", "range", "sum", *([] if isinstance(axis, bh.axis.Integer) else ["rebin"])]
    kind, bins = draw(st.sampled_from(kinds)), len(axis)
    first = draw(st.integers(0, bins - 1))
    end = draw(st.integers(first + 1, bins))
    if kind == "bin":
        return draw(st.sampled_from([(first,) * 2, (first - bins,) * 2]))
    if kind == "rebin":
        factor = draw(st.sampled_from([n for n in range(1, bins + 1) if bins % n == 0]))
        return slice(None, None, rebin(factor)), slice(None, None, bh.rebin(factor))
    part = slice(None) if kind == "all" else slice(first, end, sum if kind == "sum" else None)
    return part, part


def same(ours, theirs, storage):
    """Whether two histograms, or numbers, hold the same."""
    if not isinstance(ours, Histogram):
        value = getattr(theirs, "value", theirs)
        return ours == pytest.approx(value, nan_ok=True) or storage == "mean" and np.isnan(ours)
    for axis, other in zip(ours.axes, theirs.axes):  # of a part theirs are computed anew, and rounded
        assert axis.edges == pytest.approx(other.edges, rel=1e-12, abs=1e-12)
    assert len(ours.axes) == len(theirs.axes)
    if storage != "mean":
        if theirs.variances() is not None:  # as of sums of counts
            assert ours.variances().tolist() == theirs.variances().tolist()
        return ours.values().tolist() == theirs.values().tolist()
    some = ours.counts() > 0
    assert ours.counts().tolist() == theirs.counts().tolist()
    return np.allclose(ours.values()[some], theirs.values()[some])


@given(st.lists(axes(), min_size=1, max_size=3), st.sampled_from(list(STORAGES)), st.data())
def test_boost_histogram_fills_slices_and_projects_alike(over, storage, data):
    size = data.draw(st.integers(0, 30))
    columns = [np.array(data.draw(st.lists(values, min_size=size, max_size=size)),
                        int if isinstance(axis, bh.axis.Integer) else float) for _, axis, values in over]
    numbers = np.array(data.draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size)), float)
    keyword = {"weighted": {"weight": numbers}, "mean": {"sample": numbers}}.get(storage, {})
    ours = Histogram(*(axis for axis, _, _ in over), storage=storage)
    theirs = bh.Histogram(*(axis for _, axis, _ in over), storage=STORAGES[storage]())
    half = size // 2
    for part in (slice(None, half), slice(half, None)):
        for h in (ours, theirs):
            h.fill(*(a[part] for a in columns), **{name: a[part] for name, a in keyword.items()})
    assert same(ours, theirs, storage) and same(ours + ours, theirs + theirs, storage)
    parts = [data.draw(indices(axis)) for _, axis, _ in over]
    assert same(ours[tuple(p for p, _ in parts)], theirs[tuple(p for _, p in parts)], storage)
    kept = data.draw(st.permutations(range(len(over))))[:data.draw(st.integers(1, len(over)))]
    inside = tuple(slice(None) if axis in kept else slice(0, len, sum) for axis in range(len(over)))
    order = [sorted(kept).index(axis) for axis in kept]
    assert same(ours.project(*kept), theirs[inside].project(*order), storage)


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
