# SPDX-License-Identifier: Apache-2.0
"""What each function does with each type of array, against exact numbers; README has the table that this prints."""
import bisect
import importlib
import pathlib
import warnings

import numpy as np
import oracle
import pytest

import unihist
from unihist._arrays import as_array

EDGES, POINTS = [0, 1, 3, 4], [0, 1, 1, 3, 4]


def of(*dtypes):
    """What makes arrays of types of NumPy of numbers, and of None where something can be missing; complex ones of
    multiples of 1 + 2j."""
    none, unit = np.array("NaT" if dtypes[0][-4:-3] == "8" else np.nan), 1 + 2j if dtypes[0][0] == "c" else 1
    return [lambda x, t=t: np.array([(none if i is None else np.array(i * unit)).astype(t) for i in x], t)
            for t in dtypes]


def by(package, *makes):
    """The same with a package that may not be installed."""
    return [lambda x, make=make: make(importlib.import_module(package), x) for make in makes]


DAYS, = of("M8[D]")
ROWS = {  # what makes arrays of types that are treated alike
    "bool": of("?"), "int8 to int64": of("i1", "i2", "i4", "i8", ">i2", ">i8"),
    "uint8 to uint64": of("u1", "u2", "u4", "u8", ">u8"), "float16 to float64": of("f2", "f4", "f8", ">f4"),
    "complex64, complex128": of("c8", "c16"), "datetime64": of("M8[D]", ">M8[D]"), "timedelta64": of("m8[D]"),
    "longdouble, object, str": of("g", "O", "U3"),
    "numpy.ma, int64": by("numpy", lambda p, x: p.ma.array([i or 0 for i in x], mask=[i is None for i in x])),
    "pandas, Int64": by("pandas", *(lambda p, x, t=t: p.Series(x, dtype=t) for t in ("Int64", "int8[pyarrow]"))),
    "pandas, Float64": by("pandas", lambda p, x: p.array(x, dtype="Float64")),
    "pandas, dates": by("pandas", lambda p, x: p.Series(DAYS(x)).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
                        lambda p, x: p.Series(DAYS(x)).astype("date32[pyarrow]")),
    "polars, Int64": by("polars", lambda p, x: p.Series(x, dtype=p.Int64)),
    "polars, Date": by("polars", lambda p, x: p.Series(x, dtype=p.Int32).cast(p.Date)),
    "Arrow, int64": by("pyarrow", lambda p, x: p.array(x, p.int64())),
    "Arrow, date32": by("pyarrow", lambda p, x: p.chunked_array([p.array(x, p.int32()).cast(p.date32())])),
}


def like(a, numbers):
    """Numbers as a type that can be compared with an array: of dates in another unit."""
    kind = as_array(a).dtype.kind
    return (np.array(numbers) * 86400).astype(f"{kind}8[s]") if kind in "mM" else np.array(numbers, float)


def values(call):
    """A column: points, of which one may be missing, and given edges."""
    def check(make, lacks):
        x = [i for i in POINTS if make is not ROWS["bool"][0] or i < 2]
        a = make(x + [None] * lacks)
        found, expected = call(a, like(a, EDGES), x, lacks)
        assert np.ravel(found).tolist() == expected
        return "exact"
    return check


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
    """A column: given edges."""
    x = [0, 1] if make is ROWS["bool"][0] else EDGES
    a = make([*x[:-1], None, x[-1]] if lacks else x)
    assert unihist.histogram(like(a, POINTS), a)[0].tolist() == oracle.counts(POINTS, x)
    return "exact"


def sums(call):
    """A column: the type of sums of weights, which a narrow type does not hold."""
    def check(make, lacks):
        x = [1, 1, 1] if make is ROWS["bool"][0] else [1, 100, 100]
        a = make([*x[:2], None] if lacks else x)
        found = call(a)
        if lacks and np.isnan(found).all() and type(a) is np.ndarray:
            raise ValueError("weights[2] is NaN")  # an ordinary float, whose sums are NaN
        unit = 1 + 2j if found.dtype.kind == "c" else 1
        assert (found.astype(int) if found.dtype.kind == "m" else found).tolist() == [sum(x) * unit]
        return found.dtype.name
    return check


def drawn(make, lacks):
    return "exact" if unihist.choice(2 + lacks, 5, p=make([0, 1, None][:2 + lacks])).all() else "wrong"


COUNTS = {
    "histogram": values(lambda a, e, x, n: (unihist.histogram(a, e)[0], oracle.counts(x, EDGES))),
    "histogramdd": values(lambda a, e, x, n: (unihist.histogramdd([a, np.zeros(len(a))], [e, [0, 1]])[0],
                                              oracle.counts(x, EDGES))),
    "histc": values(lambda a, e, x, n: (unihist.histc(a, 4, 0, 4), oracle.counts(x, range(5)))),
    "bincount": values(lambda a, e, x, n: (unihist.bincount(a), [x.count(i) for i in range(max(x) + 1)])),
    "digitize": values(digitized), "Histogram": values(kept),
}
COLUMNS = {
    **COUNTS, "edges": edges, "sums: histogram": sums(lambda w: unihist.histogram([0] * 3, [0, 1], weights=w)[0]),
    "bincount ": sums(lambda w: unihist.bincount([0] * 3, w)),
    "histogramdd ": sums(lambda w: unihist.histogramdd([[0] * 3], [[0, 1]], weights=w)[0]),
    "Histogram ": sums(lambda w: unihist.Histogram([0, 1], storage="sum").fill([0] * 3, weight=w).values()), "p": drawn,
}


def outcome(column, make):
    """What the check of a column returns, or "-" if the type is refused. What is missing must be in no bin or, as an
    edge, a weight or a probability, be refused by name."""
    check, one = COLUMNS[column], make([1])
    try:
        found = check(make, 0)
    except TypeError:
        return "-"
    if type(one) is np.ndarray and one.dtype.kind in "biu":
        return found
    if column in COUNTS:
        check(make, 1)
    else:
        with pytest.raises(ValueError, match=r"\[\d\] is (missing|NaN|NaT)"):
            check(make, 1)
    return found


def line(row):
    """A row of the table."""
    cells = [", ".join(sorted({outcome(column, make) for make in ROWS[row]})) for column in COLUMNS]
    return f"| {row} | {' | '.join(cells)} |"


@pytest.mark.filterwarnings("ignore:Converting input from bool")
@pytest.mark.parametrize("row", ROWS)
def test_every_function_is_exact_for_a_type_or_refuses_it(row):
    readme = pathlib.Path(__file__).parent.parent / "README.md"
    try:
        assert line(row) in readme.read_text().splitlines()
    except ModuleNotFoundError as why:
        pytest.skip(str(why))


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
    columns = {"a": [2**53, 2**53 + 1, 3], "b": [0.5, 0.5, 0.25]}
    sample = getattr(pytest.importorskip(module), table)(columns)
    hist = unihist.histogramdd(sample, [[2**53, 2**53 + 1, 2**53 + 2], [0, 1]])[0]
    assert hist.tolist() == [[1], [1]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n".join([f"| type | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|", *map(line, ROWS)]))
