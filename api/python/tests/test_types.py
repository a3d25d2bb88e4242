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

pytest.importorskip("unihist.dask", exc_type=ImportError)

EDGES = [0, 1, 3, 4]


def of(*dtypes):
    """What makes arrays of types of NumPy of numbers, and of None where something can be missing; complex ones of
    multiples of 1 + 2j."""
    none, unit = np.array("NaT" if dtypes[0][-4:-3] == "8" else np.nan), 1 + 2j if dtypes[0][0] == "c" else 1
    return [lambda x, t=t: np.array([(none if i is None else np.array(i * unit)).astype(t) for i in x], t)
            for t in dtypes]


def by(packages, *makes):
    """The same with the first of packages that may not be installed."""
    return [lambda x, make=make: make([*map(importlib.import_module, packages.split())][0], x) for make in makes]


DAYS, = of("M8[D]")
ROWS = {  # what makes arrays of types that are treated alike
    "bool": of("?"), "int8 to int64": of("i1", "i2", "i4", "i8", ">i2", ">i8"),
    "uint8 to uint64": of("u1", "u2", "u4", "u8", ">u8"), "float16 to float64": of("f2", "f4", "f8", ">f4"),
    "complex64, complex128": of("c8", "c16"), "datetime64": of("M8[D]", ">M8[D]"), "timedelta64": of("m8[D]"),
    "longdouble, object, str": of("g", "O", "U3"),
    "numpy.ma, int64": by("numpy", lambda p, x: p.ma.array([i or 0 for i in x], mask=[i is None for i in x])),
    "pandas, Int64": by("pandas pyarrow", lambda p, x: p.Series(x, dtype="Int64"),
                        lambda p, x: p.Series(x, dtype="int8[pyarrow]")),
    "pandas, Float64": by("pandas", lambda p, x: p.array(x, dtype="Float64")),
    "pandas, dates": by("pandas pyarrow", lambda p, x: p.Series(DAYS(x)).dt.tz_localize("UTC").dt.tz_convert("Japan"),
                        lambda p, x: p.Series(DAYS(x)).astype("date32[pyarrow]")),
    "polars, Int64": by("polars", lambda p, x: p.Series(x, dtype=p.Int64)),
    "polars, Date": by("polars", lambda p, x: p.Series(x, dtype=p.Int32).cast(p.Date)),
    "Arrow, int64": by("pyarrow", lambda p, x: p.array(x, p.int64())),
    "Arrow, date32": by("pyarrow", lambda p, x: p.chunked_array([p.array(x, p.int32()).cast(p.date32())])),
}


def counted(x, edges=EDGES):
    return oracle.counts([i for i in x if i is not None], edges)


def kept(a, edges):
    h, axis = unihist.Histogram(edges).fill(a), unihist.Axis(edges)
    assert h.axes[0] == axis and (h.axes[0].edges == edges).all()
    return [*h.values(), h.flow().nan, *axis.index(a)]


def placed(x):
    return [bisect.bisect_right(EDGES, i) if i is not None else len(EDGES) for i in x]


X, SUMS = np.ones(3), unihist.Histogram([0, 1], storage="sum")
NUMBERS = {"points": [0, 1, 1, 3, 4], "edges": EDGES, "p": [0, 1], "weights": [1, 100, 100]}
COLUMNS = {  # of which numbers, a call with their array and with edges or points, and what it returns
    "histogram": ("points", lambda a, e: unihist.histogram(a, e)[0], counted),
    "histogramdd": ("points", lambda a, e: unihist.histogramdd([a, np.zeros(len(a))], [e, [0, 1]])[0], counted),
    "bincount": ("points", lambda a, e: unihist.bincount(a, minlength=5), lambda x: [x.count(i) for i in range(5)]),
    "digitize": ("points", lambda a, e: [unihist.digitize(a, e), unihist.searchsorted(e, a, "right")],
                 lambda x: 2 * placed(x)),
    "Histogram": ("points", kept, lambda x: [*counted(x), x.count(None), *(
        len(EDGES) - 1 if i is None else oracle.bin_of(i, EDGES) for i in x)]),
    "dask": ("points", lambda a, e: unihist.dask.histogram(a, e)[0].compute(), counted),
    "edges": ("edges", lambda a, e: unihist.histogram(e, a)[0], lambda x: oracle.counts(EDGES, x)),
    "p": ("p", lambda a, e: unihist.choice(len(a), 3, p=a), lambda x: [1, 1, 1]),
    "sums: histogram": ("weights", lambda a, e: unihist.histogram(0 * X, [0, 1], weights=a)[0], sum),
    "bincount ": ("weights", lambda a, e: unihist.bincount([0] * 3, a), sum),
    "histogramdd ": ("weights", lambda a, e: unihist.histogramdd([0 * X], [[0, 1]], weights=a)[0], sum),
    "dask ": ("weights", lambda a, e: unihist.dask.histogram(0 * X, [0, 1], weights=a)[0].compute(), sum),
    "dask.histogramdd": ("weights", lambda a, e: unihist.dask.histogramdd(0 * X[:, None], [[0, 1]], weights=a)[0].compute(),
                         sum),
    "Histogram ": ("weights", lambda a, e: SUMS.copy().fill(0 * X, weight=a).values(), sum),
}


def outcome(column, make):
    """The type of sums, otherwise "exact", or "-" if the type is refused. What is missing must be in no bin or, as an
    edge, a weight or a probability, be refused by name."""
    numbers, call, expected = COLUMNS[column]
    x = [min(i, 1) if make is ROWS["bool"][0] else i for i in NUMBERS[numbers]]
    lacks, kind = [x[0], None, *x[2:]], as_array(make(x)).dtype.kind
    edges = (np.array(EDGES) * 86400).astype(f"{kind}8[s]") if kind in "mM" else np.array(EDGES, float)

    def check(x):
        found, unit = np.ravel(call(make(x), edges)), 1 + 2j if kind == "c" else 1
        expect = np.ravel(np.multiply(expected(x), unit))
        assert (found.astype(int) if kind == "m" else found).tolist() == expect.tolist()
        return found.dtype.name if numbers == "weights" else "exact"

    try:
        found = check(x)
    except TypeError:
        return "-"
    own = type(make(x)) is np.ndarray
    if numbers == "points" and not (own and kind in "biu"):
        check(lacks)
    elif numbers == "weights" and own and kind in "fc":
        assert np.isnan(call(make(lacks), edges)).all()
    elif not (own and kind in "biu"):
        with pytest.raises(ValueError, match=r"\[1\] is (missing|NaN|NaT)"):
            check(lacks)
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


@pytest.mark.parametrize("module,table", [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")])
def test_columns_of_a_table_keep_their_types(module, table):
    columns = {"a": [2**53, 2**53 + 1, 3], "b": [0.5, 0.5, 0.25]}
    sample = getattr(pytest.importorskip(module), table)(columns)
    hist = unihist.histogramdd(sample, [[2**53, 2**53 + 1, 2**53 + 2], [0, 1]])[0]
    assert hist.tolist() == [[1], [1]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n".join([f"| type | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|", *map(line, ROWS)]))
