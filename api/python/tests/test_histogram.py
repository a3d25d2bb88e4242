# SPDX-License-Identifier: Apache-2.0
"""The class Histogram against NumPy and the oracle; test_boost compares it with boost-histogram."""
import concurrent.futures
import copy
import fractions
import pickle

import numpy as np
import oracle
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import unihist
from unihist import Axis, Histogram, loc

RANDOM = np.random.default_rng(5)
X, Y, W = RANDOM.random(500), RANDOM.normal(size=500).astype("f4"), RANDOM.random(500)
EDGES = np.array([-2.0, -1, 0, 0.5, 3])


def filled(storage="count"):
    given = {"sum": {"weight": W}, "weighted": {"weight": W}, "mean": {"sample": W}}.get(storage, {})
    return Histogram(Axis.equal(4, 0, 0.9), EDGES, storage=storage).fill(X, Y, **given)


@given(strategies.arrays(max_size=40), strategies.edges(), st.integers(0, 5))
def test_pieces_in_any_order_and_merged_are_exact(values, edges, cut):
    values = values.ravel()
    h = Histogram(edges).fill(values[cut:])
    h.fill(values[:cut])
    assert h.counts().tolist() == oracle.counts(values, edges)
    halves = Histogram(edges).fill(values[::2]) + Histogram(edges).fill(values[1::2])
    assert halves == h and sum([halves]) == h
    nan = sum(x != x for x in oracle.numbers(values))
    assert h.total() == (sum(h.counts()), len(values) - sum(h.counts())) and h.flow().nan == nan
    assert sum(h.flow()) == h.total().outside


@pytest.mark.parametrize("storage", ["count", "sum", "weighted", "mean", "u8", "u16"])
def test_the_content_of_each_storage_is_exact(storage):
    h = filled(storage)
    members = {}
    for cell, w in zip(oracle.places([X, Y], [np.linspace(0, 0.9, 5), EDGES]), W.tolist()):
        members.setdefault(cell, []).append(fractions.Fraction(w))
    for cell in np.ndindex(4, 4):
        inside, kept = members.get(cell, []), [a[cell] for a in h.contents()]
        total, squares = sum(inside, fractions.Fraction(0)), sum(w * w for w in inside)
        if storage == "sum":
            assert kept == [float(total)]
        elif storage == "weighted":
            assert kept == [float(total), float(squares)]
            assert h.counts()[cell] == pytest.approx(float(total**2 / squares) if inside else 0)
        elif storage == "mean":
            mean = total / len(inside)
            assert kept == [len(inside), float(mean), float(squares - len(inside) * mean**2)]
            assert h.values()[cell] == kept[1] and h.counts()[cell] == kept[0]
            assert h.variances()[cell] == pytest.approx(kept[2] / (kept[0] - 1) / kept[0])
        else:
            assert kept == [len(inside)] == [h.values()[cell]] == [h.variances()[cell]]
    assert h.kind == ("MEAN" if storage == "mean" else "COUNT") and h.storage == storage
    assert (h.variances() is None) == (storage == "sum")
    loaded = pickle.loads(pickle.dumps(h))
    assert loaded == h and loaded + h != h
    twice = h + loaded
    h += h
    assert h == twice
    h.reset()
    assert h.total() == (0, 0) and h != loaded


def test_sums_may_be_fast():
    fast = Histogram(EDGES, storage="sum", sum="fast").fill(Y, weight=W)
    assert np.allclose(fast.values(), Histogram(EDGES, storage="sum").fill(Y, weight=W).values())


@pytest.mark.parametrize("method", ["auto", "mesh", "binary"])
def test_methods_count_alike(method):
    assert Histogram(EDGES, method=method).fill(Y).values().tolist() == oracle.counts(Y, EDGES)


@pytest.mark.parametrize("wrong", [
    (0,), (0, 1, 2), (4, 0), (-5, 0), (slice(2, 2), 0), (slice(None, None, 2), 0), (..., 0, ...), {2: 0}])
def test_parts_that_are_not_there(wrong):
    with pytest.raises(IndexError):
        filled()[wrong]


def test_as_numpy_has_it():
    h = filled()
    expected, *edges = np.histogram2d(X, Y, [np.linspace(0, 0.9, 5), EDGES])
    assert np.asarray(h).tolist() == expected.tolist() and np.asarray(h, "f4").dtype == np.float32
    values, *ours = h.to_numpy()
    assert values.tolist() == expected.tolist() and [e.tolist() for e in ours] == [e.tolist() for e in edges]
    assert h.density() == pytest.approx(np.histogram2d(X, Y, edges, density=True)[0])


def test_copies_are_independent():
    h = filled()
    for other in (h.copy(), copy.copy(h), copy.deepcopy(h)):
        assert other == h
        other += h
        assert other != h and other.values().tolist() == (2 * h.values()).tolist()
    assert h == filled()
    assert h != 1 and (h == 1) is False


@pytest.mark.parametrize("storage", ["count", "sum", "weighted", "mean", "u8"])
def test_pickles_of_few_points_are_small(storage):
    given = {"sum": {"weight": W[:9]}, "weighted": {"weight": W[:9]}, "mean": {"sample": W[:9]}}.get(storage, {})
    h = Histogram(Axis.equal(300, 0, 1), Axis.equal(300, -3, 3), storage=storage).fill(X[:9], Y[:9], **given)
    kept = pickle.dumps(h)
    assert len(kept) < 12_000 and pickle.loads(kept) == h
    full = Histogram(EDGES).fill(Y)
    assert len(pickle.dumps(full)) < 2000 and pickle.loads(pickle.dumps(full)) == full


def test_integers_that_grow():
    h = Histogram(Axis.growing())
    assert h.shape == (0,) and h.axes == (Axis.growing(),)
    before = h.fill([1, 1, 3]).axes
    assert h.fill([0, 5]).values().tolist() == [1, 2, 0, 1, 0, 1]
    assert before[0].edges.tolist() == [0, 1, 2, 3, 4] and h.axes[0] == Axis.integers(0, 5)
    assert pickle.loads(pickle.dumps(h)).fill([6]).values().tolist() == [1, 2, 0, 1, 0, 1, 1]


def test_threads_fill_one_and_merge_in_circles():
    h, others = Histogram(EDGES), [Histogram(EDGES, threads=1).fill(Y) for _ in range(8)]
    expected = others[0].values()

    def work(i):
        for _ in range(50):
            h.fill(Y)
            h.copy()
            others[i] + others[i - 1]
            pickle.dumps(others[i - 1])

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert h.values().tolist() == (400 * expected).tolist()


def test_axes():
    axis = Axis.equal(4, 0, 2)
    assert len(axis) == 4 and axis[0] == (0, 0.5) and axis[-1] == (1.5, 2) and list(axis)[1] == (0.5, 1)
    assert axis == Axis([0, 0.5, 1, 1.5, 2]) != Axis([0, 1]) and axis != Axis.equal(4, 0, 2, closed="right")
    assert Axis.log(3, 1, 1000).edges == pytest.approx([1, 10, 100, 1000])
    assert Axis.integers(-1, 2).edges.tolist() == [-1, 0, 1, 2, 3]
    assert axis.traits == (False, False, False, False) and axis.closed == "left" and axis != 3
    assert axis.index([[0.1, 2], [np.nan, -1]]).tolist() == [[0, 3], [4, -1]] and axis.index(0.6) == 1
    assert repr(Axis([0, 1], closed="half-open right")) == "Axis([0., 1.], closed='half-open right')"


def test_flow_bins():
    plain, points = Axis([0.0, 1, 2]), np.array([-1, 0.5, 1.5, 1.5, 7, np.nan, -np.inf])
    for which, expected in [("both", [2, 1, 2, 1]), ("below", [2, 1, 2]), ("above", [1, 2, 1]), ("none", [1, 2])]:
        axis = plain.with_flow_bins(which)
        h = Histogram(axis).fill(points)
        assert h.values(flow=True).tolist() == expected and axis.flow_bins == which and axis.extent == len(expected)
        assert h.values().tolist() == [1, 2] and len(axis) == 2 and axis.edges.tolist() == [0, 1, 2]
        assert h.total() == (sum(expected), 7 - sum(expected)) and h[::sum] == sum(expected)
        assert h.density().tolist() == [1 / sum(expected), 2 / sum(expected)]
        assert h.to_numpy(flow=True)[1].size == 1 + len(expected)
        assert eval(repr(axis)) == axis and pickle.loads(pickle.dumps(h)) == h
        assert Histogram(axis, [0, 9]).fill(points, np.ones(7)).values(flow=True)[:, 0].tolist() == expected
        assert axis.index([-np.inf, np.nan, 2, 9, 0]).tolist() == [-1, 2, 1, 2, 0]
    other = Axis.categories([7, 1]).with_flow_bins("above")
    assert Histogram(other).fill([1, 2, 3]).values(flow=True).tolist() == [0, 1, 2] and list(other) == [7, 1]
    assert repr(other) == "Axis.categories([7., 1.]).with_flow_bins('above')"


def test_a_part_of_all_bins_is_another_histogram():
    h = Histogram([0, 1, 2], [0, 1, 2]).fill([0.5, 1.5], [0.5, 0.5])
    for whole in (h[:, :], h[...], h[{}], h[:2, 0:]):
        assert whole == h
        whole.fill([0.5], [0.5])
        assert h.values().tolist() == [[1, 0], [1, 0]] and whole.values().tolist() == [[2, 0], [1, 0]]
