# SPDX-License-Identifier: Apache-2.0
"""Blocks of dask's arrays and dataframes: their histograms have the bits of one process, also where
one of two processes is killed."""
import os
import pathlib
import re
import signal
import time

import numpy as np
import pytest

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import unihist  # noqa: E402
import unihist.dask  # noqa: E402
from unihist import Axis, Histogram, Sampler  # noqa: E402

RANDOM = np.random.default_rng(8)
N = 1000
WILD = RANDOM.choice([1e16, 1.0, -1e16, 0.1, 3.0, 1e-300], N)  # sums of them depend on the order of rounded additions
COUNTS = RANDOM.integers(0, 9, N)
VALUES = {"f8": RANDOM.normal(size=N), ">f4": RANDOM.normal(size=N).astype(">f4"),
          "i2": RANDOM.integers(-9, 9, N, "i2"), "u8": RANDOM.choice(np.array([0, 1, 2**53 + 1, 2**63], "u8"), N)}


def same(ours, expected):
    """Whether arrays are, to the bit."""
    computed = [np.asarray(a) for a in dask.compute(*ours)]
    for lazy, a, e in zip(ours, computed, expected):
        assert a.dtype == e.dtype == lazy.dtype and a.shape == e.shape and a.tobytes() == e.tobytes()
        assert np.isnan(lazy.shape).any() or lazy.shape == e.shape
    return True


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("chunks", [400, (1, 0, 499, 500)])
@pytest.mark.parametrize("options", [{}, {"bins": 7}, {"bins": 5, "range": (-1, 2)}, {"bins": [-1.0, 0, 0.5, 4]}])
def test_a_histogram_is_that_of_one_process(dtype, chunks, options):
    values = VALUES[dtype]
    x = da.from_array(values, chunks=chunks if isinstance(chunks, int) else (chunks,))
    for weights, density in [(None, False), (None, True), (WILD, False), (WILD.astype("f4"), False), (COUNTS, True)]:
        expected = unihist.histogram(values, density=density, weights=weights, **options)
        assert same(unihist.dask.histogram(x, density=density, weights=weights, split_every=2, **options), expected)


def test_any_shape_and_weights_of_other_chunks():
    values, weights = RANDOM.random((30, 40)), RANDOM.random((30, 40))
    x, w = da.from_array(values, chunks=(7, 11)), da.from_array(weights, chunks=(30, 3))
    assert same(unihist.dask.histogram(x, 9, weights=w), unihist.histogram(values, 9, weights=weights))
    assert same(unihist.dask.histogram(x, 9, density=True, weights=w * 1j), unihist.histogram(x, 9, None, True, weights * 1j))
    ones, large = da.ones(3, dtype=int, chunks=2), np.array([2**53, 1, 0])
    for sums in (unihist.dask.histogramdd(ones[:, None], [[0, 2]], weights=large)[0], unihist.dask.bincount(ones, large)):
        with pytest.raises(OverflowError, match="9007199254740993, which float64 rounds"):
            sums.compute()


def test_nan_and_dates_and_bool():
    values = np.append(RANDOM.random(50), np.nan)
    x = da.from_array(values, chunks=20)
    assert same(unihist.dask.histogram(x, 5, nan="omit"), unihist.histogram(values, 5, nan="omit"))
    assert same(unihist.dask.histogramdd([x, x], 5, nan="omit")[:1], unihist.histogramdd([values] * 2, 5, nan="omit"))
    days = np.array(["2024-01-01", "2024-01-03", "2024-02-01", "NaT"], "M8[D]")
    edges = np.array(["2024-01-01T00:00", "2024-01-03T00:00", "2024-03-01T00:00"], "M8[m]")
    lazy, weights = da.from_array(days, chunks=3), np.array([3, 5, 7, 9])
    after = lazy > np.datetime64("2023-12-31")
    for x, w in [(lazy, da.from_array(weights, chunks=2)), (lazy[after], da.from_array(weights, chunks=3)[after])]:
        counts, same_edges = unihist.dask.histogram(x, edges)
        assert counts.compute().tolist() == [1, 2] and same_edges is edges  # a chunk has no length known, or has
        assert unihist.dask.histogram(x, edges, weights=w)[0].compute().tolist() == [3, 12]
    with pytest.warns(RuntimeWarning, match="bool to uint8"):
        assert unihist.dask.histogram(da.from_array([True, False, True], chunks=2), 2)[0].compute().tolist() == [1, 2]


@pytest.mark.parametrize("bins,limits", [(4, None), ((3, [-1.0, 0, 2], 2), [(-1, 1), None, None])])
@pytest.mark.parametrize("density", [False, True])
def test_cells_are_those_of_one_process(bins, limits, density):
    columns = [VALUES["f8"], VALUES["i2"], VALUES[">f4"]]
    points = np.array(columns).T
    for sample, whole in [([da.from_array(a, chunks=300) for a in columns], columns),
                          (da.from_array(points, chunks=(300, 2)), points)]:
        for weights in (None, WILD):
            hist, edges = unihist.dask.histogramdd(sample, bins, limits, density, weights)
            expected, expected_edges = unihist.histogramdd(whole, bins, limits, density, weights)
            assert same([hist], [expected])
            assert all(np.asarray(a).tolist() == e.tolist() for a, e in zip(edges, expected_edges))
    for plane in (bins if bins == 4 else bins[:2], np.arange(-2.0, 5)):
        expected = unihist.histogram2d(*columns[:2], plane, density=density, weights=WILD)
        x, y = (da.from_array(a, chunks=300) for a in columns[:2])
        assert same(unihist.dask.histogram2d(x, y, plane, density=density, weights=WILD), expected)


@pytest.mark.parametrize("bins", ["fd", "knuth", "blocks", "quantile:9", "nice:10", "equal_probability:normal"])
def test_rules_choose_the_bins_of_one_process(bins):
    values = np.where(np.arange(N) % 3, RANDOM.normal(size=N), 5 + RANDOM.normal(size=N) / 9)
    x, whole = da.from_array(values, chunks=99), RANDOM.integers(0, 5, N)
    for weights in (None, np.abs(WILD), whole):
        for limits in (None, (-1.0, 2.5)):
            lazy = unihist.dask.histogram(x, bins, limits, weights=weights, split_every=3)
            assert same(lazy, unihist.histogram(values, bins, limits, weights=weights))


@pytest.mark.parametrize("minlength", [0, 30])
def test_integers_are_counted_as_by_one_process(minlength):
    values = RANDOM.integers(0, 20, N).astype("u1")
    x = da.from_array(values, chunks=99)
    for weights in (None, WILD, WILD.astype("f4")):
        assert same([unihist.dask.bincount(x, weights, minlength)], [unihist.bincount(values, weights, minlength)])
    assert same([unihist.dask.bincount(x[:0], minlength=minlength)], [unihist.bincount(values[:0], None, minlength)])


@pytest.mark.parametrize("storage", ["count", "sum", "weighted", "mean", "u8"])
def test_any_histogram_is_filled(storage):
    kind = {"sum": "weight", "weighted": "weight", "mean": "sample"}.get(storage)
    given = {kind: WILD} if kind else {}
    axes = Axis.equal(5, -2, 2, closed="right"), Axis.categories([0, 3, 7])
    expected = Histogram(*axes, storage=storage).fill(VALUES["f8"], VALUES["i2"], **given)
    before = Histogram(*axes, storage=storage)
    x, y = (da.from_array(VALUES[name], chunks=77) for name in ("f8", "i2"))
    assert unihist.dask.fill(before, x, y, **given).compute() == expected
    assert before == Histogram(*axes, storage=storage)
    one = {kind: 0.1} if kind else {}
    assert unihist.dask.fill(before, x, 3, **one).compute() == before.copy().fill(VALUES["f8"], 3, **one)
    twice = unihist.dask.fill(expected, x, y, split_every=3, **given).compute()
    assert twice == expected + expected and twice.flow(0) == (expected + expected).flow(0)


@pytest.mark.parametrize("size,chunks", [(1000, 300), (1000, "auto"), ((50, 20), 7), ((5, 4, 3), ((2, 3), (4,), (3,)))])
def test_samples_are_those_of_one_draw(size, chunks):
    weights = np.array([1, 0, 3, 6, 0, 2.5])
    expected = Sampler(weights).draw(size, seed=3, offset=5, dtype="i4")
    for given in (weights, Sampler(weights), da.from_array(weights, chunks=2)):
        drawn = unihist.dask.sample(given, size, seed=3, offset=5, dtype="i4", chunks=chunks)
        assert same([drawn], [expected])
    for p in (None, weights / weights.sum()):
        for items in (6, np.array(list("abcdef")), np.array([None, "b", 3, 4, 5, 6], object)):
            lazy = items if isinstance(items, int) else da.from_array(items, chunks=4)
            drawn = unihist.dask.choice(lazy, size, p=None if p is None else da.from_array(p), seed=3, chunks=chunks)
            assert drawn.compute().tolist() == unihist.choice(items, size, p=p, seed=3).tolist()
            assert drawn.dtype == np.asarray(items).dtype
    assert unihist.dask.choice(6, seed=3, offset=5).compute() == unihist.choice(6, seed=3, offset=5)
    unseeded = unihist.dask.sample(weights, 1000, chunks=100)  # one seed for all blocks, and each time
    assert same([unseeded], [unseeded.compute()])


def test_merging_does_not_change_its_arguments():
    x = VALUES["f8"]
    parts = [Histogram([-1, 0, 1], storage="sum").fill(x[i::3], weight=WILD[i::3]) for i in range(3)]
    once = unihist.dask.merged(parts)
    assert unihist.dask.merged(parts) == once == Histogram([-1, 0, 1], storage="sum").fill(x, weight=WILD)


FLOATS, INTEGERS = da.from_array(np.arange(9.0), chunks=4), da.from_array(np.arange(9) - 1, chunks=4)


@pytest.mark.parametrize("call,message", [
    (lambda: unihist.dask.histogram(FLOATS, 9, weights=FLOATS[1:]), "ValueError: .*shapes"),
    (lambda: unihist.dask.histogram(FLOATS, "median"), "ValueError: .*'median'"),
    (lambda: unihist.dask.histogram(FLOATS * np.nan, "fd")[0].compute(), "ValueError: .*not finite"),
    (lambda: unihist.dask.histogram(FLOATS, [0, 1], split_every=1), "ValueError: split_every is 1"),
    (lambda: unihist.dask.histogram(FLOATS * np.nan, 5)[0].compute(), "ValueError: .*not finite"),
    (lambda: unihist.dask.histogramdd(FLOATS.reshape(3, 3), 3, [None]), "ValueError: .*one entry per dimension"),
    (lambda: unihist.dask.histogramdd(FLOATS, 3), "ValueError: .*1 dimensions"),
    (lambda: unihist.dask.bincount(INTEGERS).compute(), "ValueError: .*(negative|-1)"),
    (lambda: unihist.dask.bincount(FLOATS), "TypeError: .*expected integers"),
    (lambda: unihist.dask.bincount(INTEGERS.reshape(3, 3)), "TypeError: .*expected integers"),
    (lambda: unihist.dask.bincount(INTEGERS, minlength=-1), "ValueError: .*minlength"),
    (lambda: unihist.dask.fill(Histogram([0, 1], [0, 1]), FLOATS), "ValueError: .*expected 2"),
    (lambda: unihist.dask.fill(Histogram([0, 1]), FLOATS, weight=WILD, sample=WILD), "ValueError: .*expected one"),
    (lambda: unihist.dask.choice(5, 3, p=[0.5, 0.5]), "ValueError: .*same size"),
    (lambda: unihist.dask.sample([1, 2], ()), "ValueError"),
    (lambda: unihist.dask.sample([1, 2], (4, 4), chunks=(2, 2)), "ValueError")])
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises((ValueError, TypeError)) as found:
        call()
    assert re.match(message, f"{found.typename}: {found.value}")


def test_the_same_call_has_the_same_tasks():
    x = da.from_array(VALUES["f8"], chunks=300)
    first, again, other = (unihist.dask.histogram(x, bins, (0, 1), weights=WILD)[0] for bins in (5, 5, 6))
    assert first.name == again.name != other.name


@pytest.mark.filterwarnings("error", "ignore:Converting input from bool")
@pytest.mark.parametrize("dtype,like", [
    ("Int64", "i8"), ("UInt8", "u1"), ("Float64", "f8"), ("boolean", "?"), ("int64[pyarrow]", "i8"),
    ("uint8[pyarrow]", "u1"), ("double[pyarrow]", "f8"), ("bool[pyarrow]", "?"),
    ("timestamp[ms][pyarrow]", "M8[ms]"), ("datetime64[ns]", "M8[ns]")])
def test_columns_of_pandas_types(dtype, like):
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    plain = RANDOM.integers(0, 9, N).astype(like)
    edges = np.array([0, 1, 3, 7]).astype("u1" if like == "?" else like)
    table = pandas.DataFrame({"x": pandas.array(plain, dtype=dtype), "w": WILD})
    frame = dd.from_pandas(table, npartitions=4)
    x, w = frame.x, frame.w
    assert same(unihist.dask.histogram(x, edges, weights=w), unihist.histogram(plain, edges, weights=WILD))
    if like.startswith("M"):
        return
    sums = unihist.dask.histogram(w, [-9, 0, 9], weights=x)[0]
    assert same([sums], unihist.histogram(WILD, [-9, 0, 9], weights=plain)[:1])
    twice = [unihist.dask.histogramdd(columns, 3)[0] for columns in (frame, [x, w], [x, w])]
    assert twice[1].name == twice[2].name and same(twice[:2], [unihist.histogramdd([plain, WILD], 3)[0]] * 2)
    with pytest.raises(ValueError, match="blocks"):
        unihist.dask.histogram(x, edges, weights=dd.from_pandas(table, npartitions=3).w)
    index = unihist.dask.digitize(x, edges)
    assert index.dtype == np.int64 and np.array_equal(index.compute(), np.digitize(plain, edges))
    if "f" not in like:
        assert same([unihist.dask.bincount(x)], [np.bincount(plain)])


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(tmp_path):
    distributed, size, killed = pytest.importorskip("distributed"), 40_000, str(tmp_path / "killed")
    values, wild = RANDOM.normal(size=size), RANDOM.choice(WILD, size)

    def late(block, block_info=None):
        while block_info[0]["chunk-location"] == (15,) and not os.path.exists(killed):
            time.sleep(0.02)
        return block

    x = da.from_array(values, chunks=size // 16).map_blocks(late, dtype=values.dtype)
    w = da.from_array(wild, chunks=x.chunks)
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path),
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        workers = client.run(os.getpid)
        futures = client.compute([unihist.dask.histogram(x, 50, weights=w, split_every=2)[0],
                                  unihist.dask.histogramdd([x, w], 9)[0],
                                  unihist.dask.sample(x * x, size, seed=4, chunks=3000)])
        deadline = time.monotonic() + 60
        while client.run_on_scheduler(lambda dask_scheduler: sum(
                task.state == "memory" for task in dask_scheduler.tasks.values())) < 4:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert not futures[0].done()
        os.kill(next(iter(workers.values())), signal.SIGKILL)
        pathlib.Path(killed).touch()
        found = client.gather(futures)
        client.wait_for_workers(2, timeout=60)
        assert set(client.run(os.getpid).values()) != set(workers.values())
    expected = [unihist.histogram(values, 50, weights=wild)[0], unihist.histogramdd([values, wild], 9)[0],
                Sampler(values * values).draw(size, seed=4)]
    assert all(a.tobytes() == e.tobytes() for a, e in zip(found, expected))
