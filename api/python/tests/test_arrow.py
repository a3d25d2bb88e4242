# SPDX-License-Identifier: Apache-2.0
"""Arrow's arrays, tables and streams, read without pyarrow, against NumPy's of the values that are not missing."""
import numpy as np
import pytest

import unihist

pa = pytest.importorskip("pyarrow")

RANDOM = np.random.default_rng(5)
N = 1000
TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float16(),
         pa.float32(), pa.float64(), pa.bool_(), pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"),
         pa.time64("us"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ms", "UTC"), pa.timestamp("us"),
         pa.timestamp("ns", "Asia/Tokyo"), pa.duration("s"), pa.duration("ns")]
EDGES, COLUMN = np.array([0, 1, 3, 8]), np.arange(N)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch):
    monkeypatch.setattr(unihist._arrow, "GROUP", 300)


def array_of(kind, integers, mask=None):
    stored = f"i{kind.bit_width // 8}" if pa.types.is_temporal(kind) else kind.to_pandas_dtype()
    array = pa.array(integers.astype(stored), mask=mask)
    return array.view(kind) if pa.types.is_temporal(kind) else array


@pytest.mark.parametrize("missing", [0, 0.3, 1])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_each_type_counts_as_numpy_with_missing_values_in_no_bin(kind, missing):
    values, mask = RANDOM.integers(0, 2 if kind == pa.bool_() else 9, N + 20), RANDOM.random(N + 20) < missing
    array = array_of(kind, values, mask).slice(13, N)
    values, mask, edges = values[13:-7], mask[13:-7], EDGES if kind == pa.bool_() else array_of(kind, EDGES)
    chunked = pa.chunked_array([array[:1], array[1:1], array[1:640], array[640:]])
    for x, times in ((array, 1), (chunked, 1), (pa.concat_arrays([array] * 40), 40)):
        assert unihist.histogram(x, edges)[0].tolist() == (times * np.histogram(values[~mask], EDGES)[0]).tolist()
    h = unihist.Histogram(edges, [0, 500, 999], storage="sum").fill(chunked, COLUMN, weight=COLUMN)
    assert h.values().tolist() == np.histogram2d(
        values[~mask], COLUMN[~mask], [EDGES, [0, 500, 999]], weights=COLUMN[~mask])[0].tolist()
    assert h.flow(0).nan == mask.sum() and h.flow(1).nan == 0
    assert unihist.digitize(chunked, edges).tolist() == np.where(mask, 4, np.digitize(values, EDGES)).tolist()
    if pa.types.is_temporal(kind):
        unit = {pa.date32(): "D", pa.date64(): "ms"}.get(kind) or kind.unit
        assert np.datetime_data(unihist.histogram(array, edges)[1].dtype)[0] == unit
    elif not pa.types.is_floating(kind):
        assert unihist.bincount(chunked).tolist() == np.bincount(values[~mask]).tolist()


X, I, W = RANDOM.normal(size=N), RANDOM.integers(-5, 5, N), RANDOM.random(N)
TABLE = pa.table({"x": X, "i": I, "w": W})
X_EDGES, I_EDGES = np.linspace(-2, 2, 9), np.arange(-5, 6)


def reader(*names, rows=77):
    table = TABLE.select(names)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows))


@pytest.mark.parametrize("source", [
    lambda: reader("x", "i", "w"), lambda: TABLE, lambda: TABLE.to_batches()[0], lambda: TABLE.to_struct_array().chunk(0),
    *(lambda name=name: pytest.importorskip(name).from_arrow(TABLE) for name in ("duckdb", "polars"))])
def test_tables_fill_a_histogram_with_weights_by_name(source):
    h = unihist.Histogram(X_EDGES, I_EDGES, storage="weighted").fill(source(), weight="w")
    expected = unihist.Histogram(X_EDGES, I_EDGES, storage="weighted").fill(X, I, weight=W)
    assert h == expected and h.flow(0) == expected.flow(0)


# Of functions, with streams that can be read once, cut elsewhere than the other arguments.
ONCE = {
    "histogram": lambda x, i, w: unihist.histogram(x, X_EDGES, weights=w)[0],
    "a range": lambda x, i, w: unihist.histogram(x, 7, (-1, 1))[0],
    "a rule": lambda x, i, w: unihist.histogram(x, "sturges")[0],
    "the values' range": lambda x, i, w: unihist.histogram(x, 10)[0],
    "their ranges": lambda x, i, w: unihist.histogramdd([x, i], [7, I_EDGES])[0],
    "histogram2d": lambda x, i, w: unihist.histogram2d(x, i, [X_EDGES, I_EDGES], weights=w)[0],
    "histogramdd": lambda x, i, w: unihist.histogramdd([x, i], [X_EDGES, I_EDGES], weights=w)[0],
    "bincount": lambda x, i, w: unihist.bincount(pa.array(I + 5), w),
    "digitize": lambda x, i, w: unihist.digitize(x, X_EDGES),
    "fill": lambda x, i, w: unihist.Histogram(X_EDGES, storage="mean").fill(x, sample=w).values(),
    "fill with a number": lambda x, i, w: unihist.Histogram(X_EDGES, I_EDGES, storage="sum").fill(
        x, 3, weight=0.5).values(),
}


@pytest.mark.parametrize("name", ONCE)
def test_streams_are_read_once_chunk_after_chunk(name):
    function, expected = ONCE[name], ONCE[name](X, I, W).tolist()
    assert function(reader("x"), reader("i", rows=100), reader("w", rows=1000)).tolist() == expected
    assert function(reader("x"), I, W).tolist() == expected


def test_chunks_are_not_copied_and_texts_are_numpys():
    assert unihist.choice(pa.array(["a"]), 2).tolist() == ["a", "a"]
    column = unihist._arrays.as_chunks(pa.chunked_array([pa.array(X[:10]), pa.array(X[10:])]), True)
    assert all(np.shares_memory(column.read(chunk), X) for chunk in column.chunks)


REFUSED = {
    "columns": (lambda: unihist.histogram(reader("x", "i"), [0, 1]), TypeError, r"has columns \['x', 'i'\], expected one"),
    "weight": (lambda: unihist.Histogram(X_EDGES, storage="sum").fill(TABLE, weight="y"), ValueError,
               r"weight is 'y', expected one of the columns \['x', 'i', 'w'\]"),
    "axes": (lambda: unihist.Histogram(X_EDGES).fill(TABLE), ValueError, "3 arrays are given, expected 1"),
    "dictionary": (lambda: unihist.histogram(pa.table({"x": pa.array(["a", "b"]).dictionary_encode()}).to_reader(), [0, 1]),
                   TypeError, "format 'dictionary', expected numbers.*its indices can be read"),
    "shapes": (lambda: unihist.Histogram(X_EDGES, X_EDGES).fill(reader("x"), X[1:]), ValueError, "shapes"),
    "missing weight of a stream": (lambda: unihist.Histogram(X_EDGES, storage="sum").fill(
        pa.table({"x": X[:3], "w": pa.array([1, None, 1])}), weight="w"), ValueError, r"weights in a chunk\[1\] is missing"),
    "numbers": (lambda: unihist.Histogram(np.array(["2020", "2021"], "M8[D]")).fill(pa.array([1])), TypeError,
                "values are of int64, expected datetime64"),
    "missing weight": (lambda: unihist.histogram(X[:2], X_EDGES, weights=pa.array([1.0, None])), ValueError,
                       r"weights\[1\] is missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_by_name(name):
    call, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("raised,error", [(ValueError("no more"), OSError), (KeyboardInterrupt("no more"), KeyboardInterrupt)])
def test_a_stream_is_counted_in_little_memory_and_adds_nothing_if_it_fails(raised, error):
    def stream(fails=False):
        for _ in range(40):
            seen.append(pa.total_allocated_bytes())
            yield pa.record_batch({"x": pa.array(X.tolist())})
        if fails:
            raise raised

    seen, schema = [], TABLE.select(["x"]).schema
    h = unihist.Histogram(X_EDGES).fill(X).fill(pa.RecordBatchReader.from_batches(schema, stream()))
    assert h.values().tolist() == (41 * np.histogram(X, X_EDGES)[0]).tolist()
    assert len(seen) == 40 and max(seen) < seen[0] + 10 * X.nbytes
    before = h.copy()
    with pytest.raises(error, match="no more"):
        h.fill(pa.RecordBatchReader.from_batches(schema, stream(True)))
    assert h == before and h.total() == before.total()


@pytest.mark.parametrize("rows", [np.zeros(N, bool), RANDOM.random(N) < 0.3])
@pytest.mark.parametrize("axes", [1, 2])
def test_missing_rows_and_values_of_tables_lie_in_no_bin(axes, rows):
    values = RANDOM.random(N) < 0.3
    columns = [pa.array(np.append(0, X), mask=np.append(0, values).astype(bool))[1:], pa.array(I)]
    table = pa.StructArray.from_arrays(columns[:axes], ["x", "i"][:axes], mask=pa.array(rows))
    h = unihist.Histogram(*[X_EDGES, I_EDGES][:axes]).fill(pa.chunked_array([table[13:500], table[500:]]))
    known = [np.where(rows | values, np.nan, X)[13:], np.where(rows, np.nan, I)[13:]][:axes]
    assert h == unihist.Histogram(*[X_EDGES, I_EDGES][:axes]).fill(*known) and h.flow().nan == np.isnan(known[0]).sum()


def test_texts_and_the_places_of_wrong_values_in_chunks():
    texts = unihist.Histogram(unihist.Axis.categories(["a", "b"]))
    texts.fill(pa.array(["a", "b", "c", "b"])).fill(np.ma.array(["a", "b"], mask=[False, True]))
    assert texts.values().tolist() == [2, 2] and texts.flow() == (0, 1, 1)
    for chunks in (0, 100, 200):
        with pytest.raises(ValueError, match=rf"x\[{2 * chunks + 1}\] is -1"):
            unihist.bincount(pa.chunked_array([[1, 2]] * chunks + [[3, -1]]))
