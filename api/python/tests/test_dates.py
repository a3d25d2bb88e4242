# SPDX-License-Identifier: Apache-2.0
"""Dates and durations of all units against exact integers, and against Python's calendar."""
import bisect
import collections
import contextlib
import copy
import datetime
import os
import pickle
import random

import numpy as np
import oracle
import pytest

import unihist
from unihist._axis import CLOSED
from unihist._counter import Counter
from unihist._native import lib
from unihist._queue import queue_of

SECOND, FAR = 10**18, 2**63 - 1
SIZES = {"W": 604800 * SECOND, "D": 86400 * SECOND, "m": 60 * SECOND, "25s": 25 * SECOND, "10s": 10 * SECOND,
         "s": SECOND, "ms": 10**15, "us": 10**12, "as": 1}
RANDOM = random.Random(3)


def exact(a):
    """Dates or durations as attoseconds."""
    unit = a.dtype.name[a.dtype.name.index("[") + 1:-1]
    if unit == "M":
        months = [(1970 + i // 12, i % 12 + 1) for i in a.astype(int).tolist()]
        return [SIZES["D"] * (datetime.date(*month, 1).toordinal() - 719163) for month in months]
    return [SIZES[unit] * i for i in a.astype(int).tolist()]


def instants(number, kind):
    """Some of a unit, near multiples of others, and rarely at the ends of their type."""
    unit = RANDOM.choice([*SIZES, "M"] if kind == "M" else [*SIZES])
    far = 20000 if unit == "M" else FAR
    step = RANDOM.choice([1, 6, 60, 1000]) if unit == "M" else RANDOM.choice([1, 6, 1000, 6048 * 10**5])
    near = [step * RANDOM.randint(-3, 3) + RANDOM.randint(-1, 1) for _ in range(number)]
    ends = [far, -far, far - 1, (2 * far + 1) // 5]  # the last one of 25 s is not quite an int64 of 10 s
    some = [RANDOM.choice(ends) if RANDOM.random() < 0.1 else i for i in near]
    return np.array(some).view(f"{kind}8[{unit}]")


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("kind", ["m", "M"])
def test_instants_of_any_units_are_compared_exactly(kind, closed):
    for _ in range(1000):
        values, edges = instants(5, kind), np.sort(instants(4, kind))
        x, e = exact(values), exact(edges)
        last = edges[-1].astype(int) == FAR and any(i > e[-1] for i in x)  # no type has both
        values = np.append(values, np.array("NaT", values.dtype))
        for right, find in enumerate([bisect.bisect_right, bisect.bisect_left][:0 if last else 2]):
            assert unihist.digitize(values, edges, bool(right)).tolist() == [find(e, i) for i in x] + [len(e)]
        h = unihist.Histogram(unihist.Axis(edges, closed=closed))
        try:
            h.fill(values)
            assert unihist.histogram(values, edges)[0].tolist() == oracle.counts(x, e)
        except OverflowError:
            assert last
            continue
        side = -1 if "right" in closed else 1  # bins that hold their upper ends are a mirror of the others
        x, ends = [side * i for i in x], sorted(side * i for i in e)
        counts = oracle.counts([i for i in x if closed in ("left", "right") or i != ends[-1]], ends)
        assert h.values().tolist() == counts[::side]
        assert h.flow().nan == 1 and exact(h.axes[0].edges) == e and pickle.loads(pickle.dumps(h)) == h


@pytest.mark.parametrize("span,bins,edges", [
    (3000, "nice:5", ["2026-01-30T22:00", "2026-01-30T22:10"]), (86400 * 6, "nice:7", ["2026-01-30", "2026-01-31"]),
    (86400 * 300, "nice", ["2026-01", "2026-02"]), (86400 * 365 * 90, "nice:9", ["2020", "2030"])])
def test_nice_bins_are_steps_of_the_calendar(span, bins, edges):
    times = np.datetime64("2026-01-30T22:07") + (np.arange(51) * span // 50).astype("m8[s]")
    counts, found = unihist.histogram(times, bins)
    assert (found[:2] == np.array(edges, "M8[s]")).all() and counts.sum() == 51 and found[-1] > times[-1]
    assert unihist.histogram(times - times[0], bins)[0].sum() == 51
    with pytest.raises(ValueError, match="'nice' or 'nice:N'"):
        unihist.histogram(times, "nice:0")


RULES = {"year": lambda d: d.year, "month": lambda d: (d.year, d.month), "week": lambda d: d.isocalendar()[:2],
         "day": lambda d: d.date(), "hour": lambda d: str(d)[:13], "minute": lambda d: str(d)[:16]}


@pytest.mark.parametrize("rule", RULES)
def test_days_and_the_like_are_those_of_the_calendar(rule):
    few = {"hour": 40, "minute": 1}.get(rule, 900)
    start = datetime.datetime(1968, 12, 30)  # before day 0, and a Monday
    dates = [start + datetime.timedelta(days=few * (i * i % 97) / 97) for i in range(60)]
    dates.append(start + datetime.timedelta(days=7 * few, minutes=-1))  # a Sunday
    counts, edges = unihist.histogram(dates, rule)
    expected = collections.Counter(map(RULES[rule], dates))
    assert {RULES[rule](low.astype("M8[us]").item()): n for low, n in zip(edges, counts.tolist()) if n} == expected
    assert counts[0] and counts[-1]
    again, same = unihist.histogram(dates, rule, (edges[0], edges[-1]))
    assert same.tolist() == edges.tolist() and again.tolist() == counts.tolist()


def test_equal_dates_have_bins_around_them():
    for unit in ("ns", "D"):
        counts, edges = unihist.histogram(np.zeros(3, f"M8[{unit}]"), 4)
        assert counts.tolist() == [3, 0, 0, 0] and edges[0] == np.datetime64(0, "ns") and len(set(edges.tolist())) == 5


@pytest.mark.parametrize("bins,end,unit", [(3, "2024-02-01", "ns"), (7, "2024-02-01", "ns"), (7, "9999-12-31", "us")])
def test_equal_bins_of_dates_end_where_the_dates_do(bins, end, unit):
    days = np.array(["2024-01-01", "2024-01-03", end], "M8[D]")
    counts, edges = unihist.histogram(days, bins)
    widths = np.diff(edges).astype(int)
    assert edges[0] == days[0] and edges[-1] == days[-1] and counts.sum() == 3
    assert edges.dtype == f"M8[{unit}]" and np.ptp(widths) == (bins == 7)
    again, same = unihist.histogramdd([days], [bins], [(days[0], days[-1])], True, np.ones(3, "m8[s]"))
    assert same[0].tolist() == edges.tolist() and (again * widths).sum().round(9) == 1
    ends = np.array([-FAR, FAR], "m8[as]")
    assert exact(unihist.histogram_bin_edges(ends, bins)) == [-FAR + 2 * FAR * i // bins for i in range(bins + 1)]


DAYS = np.arange("2024-01-01", "2024-01-06", dtype="M8[D]")
PARTS = [  # what is made of a histogram over days, and the edges that are left
    (lambda h: h.copy(), DAYS), (copy.deepcopy, DAYS), (lambda h: pickle.loads(pickle.dumps(h)), DAYS),
    (lambda h: h.project("x", "day").project("day"), DAYS), (lambda h: h[:, 1], DAYS), (lambda h: h[..., sum], DAYS),
    (lambda h: h[::unihist.rebin(2), :], DAYS[::2]), (lambda h: h[1:3, sum], DAYS[1:4]),
    (lambda h: h[unihist.rebin(edges=DAYS[[0, 3, 4]]), :], DAYS[[0, 3, 4]]), (lambda h: h[{"x": sum}][2:], DAYS[2:]),
    (lambda h: h[::unihist.rebin(groups=[3, 1], axis=unihist.Axis(DAYS[[0, 3, 4]], name="day", metadata=[3])), sum],
     DAYS[[0, 3, 4]]),
    (lambda h: h[:unihist.loc(DAYS[-1]), :], DAYS), (lambda h: h[unihist.loc(DAYS[1]):, 0], DAYS[1:]),
    (lambda h: h + h, DAYS), (lambda h: h - h, DAYS), (lambda h: h * 2, DAYS), (lambda h: 0.5 * h / h, DAYS),
    (lambda h: sum([h, h]), DAYS), (lambda h: unihist.Histogram(*h.axes), DAYS),
]


@pytest.mark.parametrize("flow", ["none", "both"])
@pytest.mark.parametrize("make,edges", PARTS)
def test_parts_and_results_keep_dates_names_and_metadata(make, edges, flow):
    days = unihist.Axis(DAYS, name="day", metadata=[3]).with_flow_bins(flow)
    h = unihist.Histogram(days, unihist.Axis([0, 1, 2], name="x")).fill(DAYS[[0, 1, 2, 3, 3]], [0, 1, 1, 0, 1])
    made = make(h)
    axis = made.axes[0]
    assert axis.edges.dtype == "M8[D]" and axis.edges.tolist() == edges.tolist() and axis[0] == tuple(edges[:2])
    assert axis.name == axis.label == "day" and axis.metadata == [3] and len(axis.centers) == len(axis.widths)
    assert made.fill(*[DAYS[2:3], [1]][:made.ndim]) is made and pickle.loads(pickle.dumps(axis)) == axis


def test_uhi_and_files_keep_dates_and_names(tmp_path):
    h = unihist.Histogram(unihist.Axis(DAYS, closed="right", name="day").with_flow_bins()).fill(DAYS)
    texts = unihist.Histogram(unihist.Axis.categories(["b", "a"], metadata=[3])).fill(["a", "b", "a"])
    names = unihist.Histogram(unihist.Axis([0, 1], name="x"), label="a label").fill(0.5)
    for kept in (h, texts, names):
        for _ in range(2):  # the second replaces the first
            kept.save(tmp_path / "h.uh")
        again = unihist.Histogram.load(tmp_path / "h.uh", threads=1)
        assert again == kept and again.axes == kept.axes and [*tmp_path.iterdir()] == [tmp_path / "h.uh"]
        assert [(a.name, a.metadata) for a in again.axes] == [(a.name, a.metadata) for a in kept.axes]
        assert again.label == kept.label
        with contextlib.nullcontext() if kept is names else pytest.raises(ValueError, match="section 'python' is unk"):
            Counter.made_on(queue_of("host", 1), lib.uh_histogram_load, os.fsencode(tmp_path / "h.uh"))
    (tmp_path / "h.uh").write_bytes((tmp_path / "h.uh").read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match="h.uh"):
        unihist.Histogram.load(tmp_path / "h.uh")
    assert unihist.Histogram(h._to_uhi_()) == h and unihist.Histogram(h._to_uhi_()).axes[0].name == "day"
    assert h.to_numpy(flow=True)[1].tolist() == [None, *DAYS.tolist(), None]
    assert h.axes.centers[0][0] == DAYS[0]
    sparse = unihist.Histogram(DAYS, np.arange(1000))
    assert pickle.loads(pickle.dumps(sparse)) == sparse and unihist.Axis(DAYS) != unihist.Axis(DAYS.astype(int))


WIDE, NAT = unihist.Axis(np.array([-3 * 10**18, 9 * 10**18 + 1], "M8[ns]")), np.array(["NaT", "2024-01-01"], "M8[D]")


def test_middles_and_widths_of_dates_that_int64_hardly_holds_are_exact():
    assert WIDE.centers.view(int).tolist() == [3 * 10**18]
    assert unihist.Axis(DAYS).widths.tolist() == [datetime.timedelta(1)] * 4


def test_axes_and_estimates_of_dates_are_dates():
    first, last = DAYS[0], DAYS[-1]
    days = unihist.Axis.equal("day", first, np.datetime64(last, "s"), name="day")
    assert days.edges.tolist() == np.arange(first, last + 1).tolist() and days.name == "day"
    assert unihist.Axis.equal(2, DAYS[0] - DAYS[0], np.timedelta64(3, "s")).widths.astype(int).tolist() == [15 * 10**8] * 2
    h = unihist.Histogram(np.array(["2024-01-01", "2024-01-11", "2024-01-31"], "M8[D]")).fill([days.edges[0]] * 2)
    assert h.quantiles([0.2, 1]).tolist() == [datetime.date(2024, 1, 3), datetime.date(2024, 1, 11)]
    assert h.moments()[1] == np.datetime64("2024-01-06") and h.moments().deviation == np.timedelta64(0, "D")


def test_dates_of_python_are_read():
    h = unihist.Histogram(DAYS).fill(DAYS[:4])
    part = h[unihist.loc(datetime.date(2024, 1, 2)):unihist.loc(DAYS[3])]
    assert part.axes[0].edges.tolist() == DAYS[1:4].tolist() and "[2024-01-02, 2024-01-03)  1" in str(h)
    east = datetime.timezone(datetime.timedelta(hours=2))
    assert unihist.searchsorted(DAYS, [datetime.datetime(2024, 1, 2, 1, tzinfo=east), None]).tolist() == [1, 5]


def test_wrong_dates_are_named():
    h, durations = unihist.Histogram(DAYS), DAYS - DAYS[0]
    for error, match, call in [
        (OverflowError, "exceeds int64", lambda: WIDE.widths),
        (TypeError, "edges are of int64, expected datetime64", lambda: h[unihist.rebin(edges=[1, 2])]),
        (TypeError, "edges are of datetime64", lambda: unihist.Histogram([0, 1])[unihist.rebin(edges=DAYS)]),
        (ValueError, "expected the first, some", lambda: h[unihist.rebin(edges=DAYS.view(int).view("M8[s]"))]),
        (ValueError, "expected the first, some", lambda: h[unihist.rebin(edges=DAYS.astype("M8[s]") + 1)]),
        (ValueError, r"bins\[0\] is NaT", lambda: unihist.histogram(DAYS, NAT)),
        (ValueError, r"edges\[0\] is NaT", lambda: unihist.Axis(NAT)),
        (ValueError, "do not decrease", lambda: unihist.Axis(DAYS[::-1])),
        (ValueError, "at most 1073741824; it is 1000000000000", lambda: unihist.histogram(DAYS, 10**12)),
        (ValueError, "range", lambda: unihist.histogram(DAYS, 3, NAT)),
        (ValueError, "missing", lambda: unihist.histogram(NAT, 3)),
        (TypeError, "expected numbers", lambda: unihist.histogram(DAYS, [0, 1])),
        (TypeError, "datetime64", lambda: unihist.Histogram(DAYS).fill([1])),
        (TypeError, "compared", lambda: unihist.digitize(np.array([1], "m8[M]"), durations)),
        (TypeError, "no unit", lambda: unihist.histogram(np.array([1], "m8"), durations)),
        (ValueError, "'century', expected one of", lambda: unihist.histogram(DAYS, "century")),
        (ValueError, "is 'month'", lambda: unihist.histogram(durations, "month")),
        (ValueError, "units", lambda: unihist.Histogram(DAYS).__iadd__(unihist.Histogram(DAYS.astype(int)))),
    ]:
        with pytest.raises(error, match=match):
            call()
