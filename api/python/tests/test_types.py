# SPDX-License-Identifier: Apache-2.0
"""What each function does with each type of array, against exact numbers; and the table of README, which
`python test_types.py README.md` renews."""
import bisect
import importlib
import pathlib
import re
import sys

import numpy as np
import oracle
import pytest

import unihist
from unihist._arrays import as_array

EDGES, POINTS, BITS = [0, 1, 3, 4], [0, 1, 1, 3, 4], [0, 1, 1]  # of all types, and of bool
MARKS = "<!-- made by tests/test_types.py -->\n"


def numpy_of(dtype):
    """What makes arrays of this type of NumPy, of numbers, and of None if something can be missing."""
    kind = np.dtype(dtype).kind
    if kind in "mM":
        return lambda x: np.array(["NaT" if i is None else i for i in x], dtype)
    if kind in "fc":
        return lambda x: np.array([np.nan if i is None else i for i in x], dtype)
    return lambda x: np.array(x).astype(dtype)


def masked(x):
    """An array of int64, masked where a number is missing."""
    return np.ma.array([i or 0 for i in x], np.int64, mask=[i is None for i in x])


def by(package, make):
    """The same with a package that may not be installed."""
    return lambda x: make(importlib.import_module(package), x)


def zoned(pandas, x):
    """Dates with a time zone."""
    return pandas.Series(numpy_of("M8[D]")(x)).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")


ROWS = {  # what makes arrays of types that are treated alike
    "bool": [numpy_of("?")],
    "int8 to int64": [*map(numpy_of, ("i1", "i2", "i4", "i8", ">i2", ">i8"))],
    "uint8 to uint64": [*map(numpy_of, ("u1", "u2", "u4", "u8", ">u8"))],
    "float16 to float64": [*map(numpy_of, ("f2", "f4", "f8", ">f4"))],
    "complex64, complex128": [*map(numpy_of, ("c8", "c16"))],
    "datetime64": [*map(numpy_of, ("M8[D]", ">M8[D]"))],
    "timedelta64": [numpy_of("m8[D]")],
    "longdouble, object, str": [*map(numpy_of, ("g", "O", "U3"))],
    "numpy.ma, int64": [masked],
    "pandas, Int64": [by("pandas", lambda p, x, t=t: p.Series(x, dtype=t)) for t in ("Int64", "int8[pyarrow]")],
    "pandas, Float64": [by("pandas", lambda p, x: p.array(x, dtype="Float64"))],
    "pandas, time zone": [by("pandas", zoned)],
    "polars, Int64": [by("polars", lambda p, x: p.Series(x, dtype=p.Int64))],
    "polars, Date": [by("polars", lambda p, x: p.Series(x, dtype=p.Int32).cast(p.Date))],
    "Arrow, int64": [by("pyarrow", lambda p, x: p.array(x, p.int64()))],
    "Arrow, date32": [by("pyarrow", lambda p, x: p.chunked_array([p.array(x, p.int32()).cast(p.date32())]))],
}


def values(call):
    """A column: points that may be missing, and edges, of dates in another unit."""
    def check(make, lacks):
        points = BITS if make is ROWS["bool"][0] else POINTS
        a = make(points + [None] * lacks)
        kind = as_array(a).dtype.kind
        edges = (np.array(EDGES) * 86400).astype(f"{kind}8[s]") if kind in "mM" else EDGES
        found, expected = call(a, edges, points, lacks)
        assert np.ravel(found).tolist() == expected
        return "exact"
    return check, True


def digitized(a, edges, x, lacks):
    expected = [bisect.bisect_right(EDGES, i) for i in x] + [len(EDGES)] * lacks
    assert unihist.searchsorted(edges, a, "right").tolist() == expected
    return unihist.digitize(a, edges), expected


def kept(a, edges, x, lacks):
    h = unihist.Histogram(edges).fill(a)
    assert h.flow().nan == lacks and h.axes[0] == unihist.Axis(edges) and (h.axes[0].edges == edges).all()
    assert unihist.Axis(edges).index(a).tolist() == [oracle.bin_of(i, EDGES) for i in x] + [3] * lacks
    return h.values(), oracle.counts(x, EDGES)


def edges(make, lacks):
    """A column: edges of points that are dates in another unit, or float64."""
    numbers = [0, 1] if make is ROWS["bool"][0] else EDGES
    a = make([*numbers[:-1], None, numbers[-1]] if lacks else numbers)
    kind = as_array(a).dtype.kind
    points = (np.array(POINTS) * 86400).astype(f"{kind}8[s]") if kind in "mM" else np.array(POINTS, float)
    assert unihist.histogram(points, a)[0].tolist() == oracle.counts(POINTS, numbers)
    return "exact"


def sums(call):
    """A column: the type of sums of weights, which a narrow type does not hold."""
    def check(make, lacks):
        x = [1, 1, 1] if make is ROWS["bool"][0] else [1, 100, 100]
        a = make([*x[:2], None] if lacks else x)
        found, dtype = call(a), as_array(a).dtype
        if lacks and type(a) is np.ndarray and dtype.kind in "fc":
            assert np.isnan(found).all()  # NaN is a weight, as in NumPy
            raise ValueError("a weight is NaN")
        assert (found.astype(int) if dtype.kind == "m" else found).tolist() == [sum(x)]
        return found.dtype.name
    return check, False


def drawn(make, lacks):
    p = make([0, 1, None] if lacks else [0, 1])
    assert unihist.choice(2 + lacks, 5, p=p).tolist() == [1] * 5
    return "exact"


COLUMNS = {
    "histogram": values(lambda a, e, x, n: (unihist.histogram(a, e)[0], oracle.counts(x, EDGES))),
    "histogramdd": values(lambda a, e, x, n: (unihist.histogramdd([a, np.zeros(len(a))], [e, [0, 1]])[0],
                                              oracle.counts(x, EDGES))),
    "histc": values(lambda a, e, x, n: (unihist.histc(a, 4, 0, 4), oracle.counts(x, range(5)))),
    "bincount": values(lambda a, e, x, n: (unihist.bincount(a), [x.count(i) for i in range(max(x) + 1)])),
    "digitize": values(digitized), "Histogram": values(kept), "edges": (edges, False),
    "sums, histogram": sums(lambda w: unihist.histogram([0] * 3, [0, 1], weights=w)[0]),
    "bincount, histogramdd": sums(lambda w: unihist.bincount([0] * 3, w) + 0 * unihist.histogramdd(
        [[0] * 3], [[0, 1]], weights=w)[0]),
    "Histogram, sum": sums(lambda w: unihist.Histogram([0, 1], storage="sum").fill([0] * 3, weight=w).values()),
    "p": (drawn, False),
}


def outcome(column, make):
    """What the check of a column returns, or that the type is refused; and what is missing must be in no bin or, of
    edges, weights and probabilities, refused by name."""
    check, takes_missing = COLUMNS[column]
    try:
        found = check(make, 0)
    except TypeError as why:
        assert re.search("cannot be read|expected|not be complex|are of|is of", str(why)), why
        return "-"
    if type(make([1])) is np.ndarray and make([1]).dtype.kind in "biu":
        return found  # nothing can be missing
    if takes_missing:
        check(make, 1)
    else:
        with pytest.raises(ValueError, match=r"\[\d\] is (missing|NaN|NaT)|a weight is NaN"):
            check(make, 1)
    return found


def line(row):
    """A row of the table; None if a package is not installed."""
    try:
        found = [{outcome(column, make) for make in ROWS[row]} for column in COLUMNS]
    except ModuleNotFoundError:
        return None
    return f"| {row} | {' | '.join(', '.join(sorted(alike)) for alike in found)} |"


def table(text):
    """The text with the lines of the table that can be made here."""
    head, old, tail = text.split(MARKS)
    kept_lines = {line.split("|")[1].strip(): line for line in old.splitlines() if line}
    lines = [line(row) or kept_lines[row] for row in ROWS]
    top = ["| type | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    return head + MARKS + "\n".join([*top, *lines]) + "\n" + MARKS + tail


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("row", ROWS)
def test_every_function_is_exact_for_a_type_or_refuses_it(row):
    readme = pathlib.Path(__file__).parent.parent / "README.md"
    found = line(row)
    if found is None:
        pytest.skip("a package is not installed")
    assert found in readme.read_text().splitlines()


def test_missing_values_of_several_axes_count_as_nan():
    random = np.random.default_rng(5)
    columns = [np.ma.array(random.integers(0, 5, 500), mask=random.random(500) < 0.2) for _ in range(3)]
    floats, weights = [c.astype(float).filled(np.nan) for c in columns], random.random(500)
    empty = unihist.Histogram([1, 2, 4], [0, 3], [0, 1, 2, 3], storage="sum")
    filled = [empty.copy().fill(*of, weight=weights) for of in (columns, floats)]
    assert filled[0] == filled[1] and all(len({h.flow(axis) for h in filled}) == 1 for axis in range(3))
    x, w = columns[0].compressed(), weights[~columns[0].mask]
    assert unihist.histogram(columns[0], 3, nan="omit")[0].tolist() == np.histogram(x, 3)[0].tolist()
    assert unihist.bincount(columns[0], weights).tolist() == unihist.bincount(x, w).tolist()
    omit = [unihist.histogramdd(of, 2, nan="omit")[0].tolist() for of in (columns, floats)]
    assert omit[0] == omit[1]
    with pytest.raises(ValueError, match="nan='omit'"):
        unihist.histogram(columns[0], 3)


@pytest.mark.parametrize("module,table", [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")])
def test_columns_of_a_table_keep_their_types(module, table):
    package = pytest.importorskip(module)
    columns = {"a": [2**53, 2**53 + 1, 3], "b": [0.5, 0.5, 0.25]}
    hist = unihist.histogramdd(getattr(package, table)(columns), [[2**53, 2**53 + 1, 2**53 + 2], [0, 1]])[0]
    assert hist.tolist() == [[1], [1]]


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    path.write_text(table(path.read_text()))
