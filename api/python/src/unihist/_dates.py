# SPDX-License-Identifier: Apache-2.0
"""Dates and durations: NumPy's datetime64 and timedelta64 as integers of a unit, which C compares."""
from __future__ import annotations

import datetime
import fractions
import math
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

INTEGER = np.dtype(np.int64)
MIN, MAX = np.iinfo(INTEGER).min, np.iinfo(INTEGER).max  # MIN is NaT
SECOND = 10**18  # attoseconds
SIZES = {"W": 604800 * SECOND, "D": 86400 * SECOND, "h": 3600 * SECOND, "m": 60 * SECOND, "s": SECOND, "ms": 10**15,
         "us": 10**12, "ns": 10**9, "ps": 10**6, "fs": 1000, "as": 1}
RULES = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "h", "minute": "m", "second": "s"}
NICE = [f"{n}{unit}" for unit, numbers in (("s", (1, 2, 5, 10, 15, 30)), ("m", (1, 2, 5, 10, 15, 30)), ("h", (1, 2, 3, 6, 12)),
                                           ("D", (1,)), ("M", (1, 3)), ("Y", (1, 2, 5, 10))) for n in numbers]
MAX_BINS = 1 << 31


def _instant(x: Any) -> Any:
    """An object of Python or pandas as one that NumPy reads exactly; with a time zone, its instant in UTC."""
    for name in ("to_datetime64", "to_timedelta64"):  # pandas' have nanoseconds
        if hasattr(x, name):
            return getattr(x, name)()
    if isinstance(x, datetime.datetime) and x.tzinfo is not None:
        return x.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return x


def of_objects(a: Array) -> Array:
    """An array of Python's or pandas' dates or durations as one of NumPy's; others as they are."""
    for kind, types in (("M8", (datetime.date, np.datetime64)), ("m8", (datetime.timedelta, np.timedelta64))):
        if any(x is not None for x in a.flat) and all(x is None or isinstance(x, types) for x in a.flat):
            return np.array([_instant(x) for x in a.flat], kind).reshape(a.shape)
    return a


def integers(a: Array) -> Array:
    """The integers of dates and durations; other arrays as they are."""
    return a.view(INTEGER.newbyteorder(a.dtype.byteorder)) if a.dtype.kind in "mM" else a


def as_dates(x: Any, unit: np.dtype[Any]) -> Any:
    """The nearest instants or durations of a unit to finite numbers of it, and NaT of others."""
    near = np.rint(x)
    return np.where(np.abs(near) < 2.0**63, near, MIN).astype(INTEGER).view(unit)[()]


def _size(dtype: np.dtype[Any]) -> tuple[str, int]:
    """The size of a type's unit, in attoseconds or in months, which have no length in seconds."""
    unit, count = np.datetime_data(dtype)
    if unit in ("Y", "M"):
        return "months", count * (12 if unit == "Y" else 1)
    if unit not in SIZES:
        raise TypeError(f"elements of type {dtype} have no unit, expected one such as {dtype.name}[s]")
    return "attoseconds", count * SIZES[unit]


def unit_for(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A type in native byte order whose units have one length each: days instead of calendar months and years."""
    kind, _ = _size(dtype)
    return np.dtype("M8[D]") if dtype.kind == "M" and kind == "months" else np.dtype(dtype.newbyteorder("="))


def _days(x: Array, dtype: np.dtype[Any]) -> tuple[Array, np.dtype[Any]]:
    """Integers of a type, and the type of unit_for. Years beyond those of all edges are cut off before they wrap."""
    unit = unit_for(dtype)
    if _size(dtype)[0] == _size(unit)[0]:
        return x, unit
    far = 10**12
    return integers(np.clip(x, -far, far).view(dtype.newbyteorder("=")).astype(unit)), unit


def _scaled(x: Array, dtype: np.dtype[Any], to: np.dtype[Any]) -> tuple[Array, Array, Array]:
    """Instants in units of another type, rounded down; whether that is less; and whether it is beyond an int64, of
    which they are then the first or the last."""
    x, dtype = _days(x, dtype)
    (kind, size), (kind_to, size_to) = _size(dtype), _size(to)
    if dtype.kind != to.kind or kind != kind_to:
        raise TypeError(f"{dtype} cannot be compared with {to}")
    ratio = fractions.Fraction(size, size_to)
    if ratio.numerator == 1 and ratio.denominator <= MAX:
        low, rest = np.divmod(x, ratio.denominator)
        return low, rest > 0, np.zeros(x.shape, bool)
    if ratio.denominator == 1:
        most = MAX // ratio.numerator
        beyond = (x > most) | (x < -most)
        low = np.where(beyond, 0, x) * np.int64(min(ratio.numerator, MAX))
        return np.where(beyond, np.where(x > 0, MAX, MIN), low), np.zeros(x.shape, bool), beyond
    wide = x.astype(object) * ratio.numerator
    low = wide // ratio.denominator
    beyond = np.asarray((wide > MAX * ratio.denominator) | (wide < MIN * ratio.denominator), bool)
    rest = np.asarray(wide % ratio.denominator > 0, bool) & ~beyond
    return np.clip(low, MIN, MAX).astype(INTEGER), rest, beyond


def exactly(x: Array, dtype: np.dtype[Any], to: np.dtype[Any]) -> Optional[Array]:
    """Instants in units of another type, if all of them are whole ones that an int64 holds."""
    low, rest, beyond = _scaled(x, dtype, to)
    return None if rest.any() or beyond.any() else low


def rounded(x: Array, dtype: np.dtype[Any], to: np.dtype[Any], up: bool, first: int, last: int) -> Array:
    """Instants that compare with edges in units of another type as they do themselves: rounded down or, where bins hold
    their upper ends, up; but not to the end of the axis that belongs to a bin."""
    low, rest, beyond = _scaled(x, dtype, to)
    if last == MAX and (beyond & (low == MAX)).any():
        raise OverflowError(f"values of {dtype} exceed the last edge, which is the last instant of {to}")
    found: Array = low + (rest & ((low + 1 != first) if up else (low == last)))
    return found


def as_unit(edges: Array, like: Optional[np.dtype[Any]]) -> tuple[Array, np.dtype[Any]]:
    """Edges as integers, and their unit: that of values of type `like`, so that these are compared in place, if it has
    whole numbers of all edges; otherwise their own."""
    own, unit = _days(integers(edges).astype(INTEGER), edges.dtype)
    if like is not None and like.kind == unit.kind and unit_for(like) == like:
        found = exactly(own, unit, like)
        if found is not None:
            return found, like
    return own, unit


def nice_edges(first: Any, last: Any, wanted: float) -> Array:
    """The edges of about this number of steps of the calendar, from a second to ten years, that hold first to last."""
    kind, found = first.dtype.kind, []
    for step in NICE[:None if kind == "M" else NICE.index("1M")]:
        unit = np.dtype(f"{kind}8[{step}]")
        low, high = integers(np.array([first, last]).astype(unit)).tolist()  # rounded down
        found.append((abs(math.log((high - low + 1) / wanted)), unit, low, high))
    _, unit, low, high = min(found, key=lambda one: one[0])
    if high - low >= MAX_BINS:
        raise ValueError(f"bins is 'nice', which gives {high - low + 1} bins, expected fewer than 2**31")
    return np.arange(low, high + 2).view(unit).astype(f"{kind}8[{'M' if unit.str[-2] in 'MY' else 's'}]")


def calendar_edges(first: Any, last: Any, rule: str) -> Array:
    """The edges of all days, or other units, that hold the dates or durations first to last. Weeks begin on Monday."""
    name, _, wanted = rule.partition(":")
    if name == "nice":
        if wanted and not (wanted.isdigit() and int(wanted) > 0):
            raise ValueError(f"bins is {rule!r}, expected 'nice' or 'nice:N' with a number above 0")
        return nice_edges(first, last, float(wanted or 10))
    dates = first.dtype.kind == "M"
    rules = [*RULES] if dates else [*RULES][2:]  # months have no length
    if rule not in rules:
        raise ValueError(f"bins is {rule!r}, expected one of {rules} for {'dates' if dates else 'durations'}")
    week = dates and rule == "week"
    unit = np.dtype(f"{first.dtype.kind}8[{'D' if week else RULES[rule]}]")
    low, high = (integers(np.array([first, last]).astype(unit)) + 3 * week).tolist()  # rounded down
    if week:  # day 0 is a Thursday
        low, high = low // 7, high // 7
    if high - low >= MAX_BINS:
        raise ValueError(f"bins is {rule!r}, which gives {high - low + 1} bins, expected fewer than 2**31")
    edges = np.arange(low, high + 2)
    return (7 * edges - 3 if week else edges).view(unit)


def equal_edges(first: Any, last: Any, bins: int) -> Array:
    """Edges of equal bins between dates or durations, rounded down to the smallest unit that holds the ends, from
    nanoseconds to seconds."""
    at, of = _days(integers(np.array([first, last])), first.dtype)
    at[1] += at[0] == at[1]
    units = [of, *(np.dtype(f"{of.kind}8[{name}]") for name in ("s", "ms", "us", "ns") if _size(of)[0] != "months")]
    unit, (low, high) = [(unit, x.tolist()) for unit in units if (x := exactly(at, of, unit)) is not None][-1]
    if first == last:
        high = max(high, low + bins)
    if not low + bins <= high or bins >= MAX_BINS:
        raise ValueError(f"range is ({first}, {last}), expected {bins} increasing instants of {unit}, at most 2**31")
    i, (step, rest) = np.arange(bins + 1, dtype=np.uint64), map(np.uint64, divmod(high - low, bins))
    edges: Array = i * step + i * rest // np.uint64(bins) + np.uint64(low % 2**64)  # modulo 2^64
    return edges.view(unit)
