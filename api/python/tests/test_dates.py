# SPDX-License-Identifier: Apache-2.0
"""Dates and durations of all units against exact integers, and against Python's calendar."""
import bisect
import collections
import datetime
import pickle

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unihist
from unihist._axis import CLOSED

SECOND = 10**18
SIZES = {"W": 604800 * SECOND, "D": 86400 * SECOND, "h": 3600 * SECOND, "m": 60 * SECOND, "25s": 25 * SECOND,
         "s": SECOND, "ms": 10**15, "ns": 10**9, "as": 1}


def exact(a):
    """Dates or durations as attoseconds."""
    unit, dates = np.datetime_data(a.dtype)[0], a.dtype.kind == "M"
    if unit == "M" and dates:
        days = [datetime.date(1970 + i // 12, i % 12 + 1, 1).toordinal() - 719163 for i in a.astype(int).tolist()]
        return [SIZES["D"] * i for i in days]
    return [SIZES[a.dtype.name[a.dtype.name.index("[") + 1:-1]] * i for i in a.astype(int).tolist()]


def arrays(least_size):
    """Few instants near each other or near the ends of their type, so that units do not hold each other's."""
    def of(unit, kind):
        far = 20000 if unit == "M" else 2**63 - 1
        numbers = st.one_of(st.integers(-9, 9), st.sampled_from([25, 864, 3600, far, -far, far - 1]))
        made = st.lists(numbers, min_size=least_size, max_size=9)
        return made.map(lambda x: np.array(x, np.int64).view(f"{kind}8[{unit}]"))
    return of


@given(st.data(), st.sampled_from("mM"), st.sampled_from(CLOSED))
def test_instants_of_any_units_are_compared_exactly(data, kind, closed):
    units = [data.draw(st.sampled_from([*SIZES, "M"][:-1 if kind == "m" else None])) for _ in range(2)]
    values, edges = data.draw(arrays(0)(units[0], kind)), np.sort(data.draw(arrays(2)(units[1], kind)))
    x, e = exact(values), exact(edges)
    last = edges[-1].astype(int) == 2**63 - 1 and any(i > e[-1] for i in x)
    values = np.append(values, np.array("NaT", values.dtype))
    for right in (False, True) if not last else ():
        find = bisect.bisect_left if right else bisect.bisect_right
        assert unihist.digitize(values, edges, right).tolist() == [find(e, i) for i in x] + [len(e)]
    h = unihist.Histogram(unihist.Axis(edges, closed=closed))
    try:
        h.fill(values)
        assert unihist.histogram(values, edges)[0].tolist() == oracle.counts(x, e)
    except OverflowError:
        assert last
        return
    mirrored = [-i for i in x] if "right" in closed else x
    ends = sorted(-i for i in e) if "right" in closed else e
    counts = oracle.counts([i for i in mirrored if closed in ("left", "right") or i != ends[-1]], ends)
    assert h.values().tolist() == (counts[::-1] if "right" in closed else counts)
    assert h.flow().nan == 1 and exact(h.axes[0].edges) == e and pickle.loads(pickle.dumps(h)) == h


RULES = {"year": lambda d: d.year, "month": lambda d: (d.year, d.month), "week": lambda d: d.isocalendar()[:2],
         "day": lambda d: d.date(), "hour": lambda d: str(d)[:13], "minute": lambda d: str(d)[:16]}


@pytest.mark.parametrize("rule", RULES)
def test_days_and_the_like_are_those_of_the_calendar(rule):
    few = {"hour": 40, "minute": 1}.get(rule, 900)
    start = datetime.datetime(1968, 12, 30)  # before day 0, and a Monday
    dates = [start + datetime.timedelta(days=few * (i * i % 97) / 97) for i in range(60)]
    counts, edges = unihist.histogram(dates, rule)
    expected = collections.Counter(map(RULES[rule], dates))
    assert {RULES[rule](low.astype("M8[us]").item()): n for low, n in zip(edges, counts.tolist()) if n} == expected
    assert counts[0] and counts[-1]
    again, same = unihist.histogram(dates, rule, (edges[0], edges[-1]))
    assert same.tolist() == edges.tolist() and again.tolist() == counts.tolist()


@pytest.mark.parametrize("bins", [1, 3, 7, 24])
def test_equal_bins_of_dates_end_where_the_dates_do(bins):
    days = np.array(["2024-01-01", "2024-01-03", "2024-02-01"], "M8[D]")
    counts, edges = unihist.histogram(days, bins)
    widths = np.diff(edges).astype(int)
    assert edges[0] == days[0] and edges[-1] == days[-1] and counts.sum() == 3 and np.ptp(widths) <= 1
    assert unihist.histogramdd([days], [bins], [(days[0], days[-1])])[1][0].tolist() == edges.tolist()


def test_parts_keep_dates_and_wrong_ones_are_named():
    days = np.arange("2024-01-01", "2024-01-06", dtype="M8[D]")
    h = unihist.Histogram(days, [0, 1, 2]).fill(days[:4], [0, 1, 1, 0])
    assert h.project(1, 0).axes[1].edges.tolist() == h[:, 1].axes[0].edges.tolist() == days.tolist()
    part = h[unihist.loc(datetime.date(2024, 1, 2)):unihist.loc(days[3]), :]
    assert part.axes[0].edges.tolist() == days[1:4].tolist() and "[2024-01-02, 2024-01-03)  1" in str(h[:, sum])
    east = datetime.timezone(datetime.timedelta(hours=2))
    assert unihist.searchsorted(days, [datetime.datetime(2024, 1, 2, 1, tzinfo=east), None]).tolist() == [1, 5]
    nat = np.array(["NaT", "2024-01-01"], "M8[D]")
    for error, match, call in [
        (ValueError, r"bins\[0\] is NaT", lambda: unihist.histogram(days, nat)),
        (ValueError, r"edges\[0\] is NaT", lambda: unihist.Axis(nat)),
        (ValueError, "range", lambda: unihist.histogram(days, 3, nat)),
        (ValueError, "missing", lambda: unihist.histogram(nat, 3)),
        (TypeError, "expected numbers", lambda: unihist.histogram(days, [0, 1])),
        (TypeError, "datetime64", lambda: unihist.Histogram(days).fill([1])),
        (TypeError, "compared", lambda: unihist.digitize(np.array([1], "m8[M]"), days - days[0])),
        (TypeError, "no unit", lambda: unihist.histogram(np.array([1], "m8"), days - days[0])),
        (ValueError, "'century', expected one of", lambda: unihist.histogram(days, "century")),
        (ValueError, "is 'month'", lambda: unihist.histogram(days - days[0], "month")),
        (ValueError, "units", lambda: unihist.Histogram(days).__iadd__(unihist.Histogram(days.astype(int)))),
    ]:
        with pytest.raises(error, match=match):
            call()
