# SPDX-License-Identifier: Apache-2.0
"""Arrays, tables and streams of the Arrow PyCapsule interface, read in place, chunk after chunk, without pyarrow.
Source: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html."""
from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._native import ffi
from ._status import text

Array = npt.NDArray[Any]

# Formats, the types of the stored numbers, and those of their values. Bits become uint8.
TYPES = {format: (np.dtype(stored), np.dtype(dtype)) for format, stored, dtype in (
    *((code, name, name) for code, name in zip("cCsSiIlLefg", "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split())),
    *((kind + unit[0], "i8", f"{name}[{unit}]") for kind, name in (("ts", "M8"), ("tD", "m8"))
      for unit in ("s", "ms", "us", "ns")),
    ("b", "?", "u1"), ("tdD", "i4", "M8[D]"), ("tdm", "i8", "M8[ms]"), ("tts", "i4", "m8[s]"),
    ("ttm", "i4", "m8[ms]"), ("ttu", "i8", "m8[us]"), ("ttn", "i8", "m8[ns]"))}

GROUP = 1 << 20

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def kept(pointer: Any, owner: object) -> Any:
    """The pointer, which keeps the owner of its memory alive."""
    return ffi.gc(pointer, lambda _, owner=owner: None)


def content(capsule: object, name: str, kind: str) -> Any:
    """The pointer in a capsule of this name."""
    return kept(ffi.cast(kind + " *", _pointer(capsule, name.encode())), capsule)


def _taken(stream: Any, get: Any, kind: str) -> Any:
    """A structure that a function of a stream fills in; it is released when it is not used any more."""
    found = ffi.gc(ffi.new(kind + " *"), lambda found: found.release(found) if found.release else None)
    if error := get(stream, found):
        why = stream.get_last_error(stream)
        said = text(why) if why else "it does not say why"
        interrupted = "\nKeyboardInterrupt" in said  # Python, in a stream of its own
        raise (KeyboardInterrupt if interrupted else OSError)(error, f"the Arrow stream ends: {said}")
    return found


def _open(x: Any) -> tuple[Any, Iterator[Any]]:
    """Schema and arrays of an object."""
    if not hasattr(x, "__arrow_c_stream__"):
        schema, array = x.__arrow_c_array__()
        return content(schema, "arrow_schema", "uhpy_arrow_schema"), iter([content(array, "arrow_array",
                                                                                   "uhpy_arrow_array")])
    stream = content(x.__arrow_c_stream__(), "arrow_array_stream", "uhpy_arrow_stream")
    arrays = iter(lambda: _taken(stream, stream.get_next, "uhpy_arrow_array"), None)
    return _taken(stream, stream.get_schema, "uhpy_arrow_schema"), arrays


class Column:
    """A column, whose chunks come once, together with those of the other columns of its table; with what functions ask
    an array for. The size is not known before."""

    ndim, size, shape = 1, -1, (-1,)

    def __init__(self, chunks: Iterator[Any], place: int, schema: Any) -> None:
        self.chunks, self.place = chunks, place
        self.name = text(schema.name) if schema.name else ""
        self.format = "dictionary" if schema.dictionary else text(schema.format)
        kinds: Any = TYPES.get(self.format.split(":")[0], (None, None))  # without the time zone
        self.stored, self._dtype = kinds

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        if self._dtype is None:
            raise TypeError(f"column {self.name!r} has Arrow's format {self.format!r}, expected numbers, bool, dates or "
                            "durations; of a dictionary, its indices can be read")
        return self._dtype  # type: ignore[no-any-return]

    def read(self, array: Any) -> Array:
        """The values of a chunk, in place but for bits and 32-bit dates; masked if some are missing."""
        owner, dtype, stored = array, self.dtype, np.dtype(self.stored)
        start, size = array.offset, array.length
        valid = _valid(array, start, size)
        if self.place >= 0:
            array = array.children[self.place]
            start += array.offset
            valid += _valid(array, start, size)
        if not size:
            return np.empty(0, dtype)
        if self.format == "b":
            values = _bits(array.buffers[1], start, size)
        else:
            address = kept(ffi.cast("char *", array.buffers[1]) + start * stored.itemsize, owner)
            values = np.frombuffer(ffi.buffer(address, size * stored.itemsize), stored)
            values = values.astype("i8", copy=False).view(dtype) if dtype.kind in "mM" else values
        return np.ma.array(values, mask=~np.logical_and.reduce(valid)) if valid else values


def _bits(address: Any, start: int, size: int) -> Array:
    first = start // 8
    packed = np.frombuffer(ffi.buffer(ffi.cast("char *", address) + first, (start + size + 7) // 8 - first), np.uint8)
    return np.unpackbits(packed, bitorder="little")[start - 8 * first:][:size]


def _valid(array: Any, start: int, size: int) -> list[Array]:
    """Which elements are not missing, unless none is."""
    missing = size and array.null_count and array.buffers[0]
    return [_bits(array.buffers[0], start, size).view(bool)] if missing else []


def columns_of(x: Any) -> list[Column]:
    """The columns of an Arrow table, stream or array; none of other objects, and of pandas' and xarray's, which
    would copy, and lose dimensions."""
    if isinstance(x, Column):
        return [x]
    if not (hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__")) or hasattr(x, "_mgr") or hasattr(x, "dims"):
        return []
    schema, arrays = _open(x)
    chunks = itertools.takewhile(lambda array: bool(array.release), arrays)
    if text(schema.format) != "+s":
        return [Column(chunks, -1, schema)]
    return [Column(chunks, place, schema.children[place]) for place in range(schema.n_children)]


def column_of(x: Any) -> Optional[Column]:
    """The only column of an Arrow object; None of others, and of tables and texts that NumPy reads."""
    columns = columns_of(x)
    if hasattr(x, "__array__") and any(len(columns) > 1 or column.stored is None for column in columns):
        return None
    if len(columns) > 1:
        raise TypeError(f"{type(x).__name__} has columns {[c.name for c in columns]}, expected one")
    return columns[0] if len(columns) == 1 else None


def groups_of(columns: Sequence[Column]) -> Iterator[tuple[list[Any], int]]:
    """The chunks of a table, GROUP rows or more together, and their number of rows."""
    group, rows = [], 0
    for chunk in columns[0].chunks:
        group.append(chunk)
        rows += chunk.length
        if rows >= GROUP:
            yield group, rows
            group, rows = [], 0
    if group:
        yield group, rows


def whole(columns: Sequence[Column]) -> list[Array]:
    """All values of columns of one table, without a copy if they are one chunk."""
    chunks = [[column.read(chunk) for column in columns] for chunk in columns[0].chunks] or [[np.empty(0, column.dtype) for column in columns]]
    if len(chunks) == 1:
        return chunks[0]
    joined: Any = map(np.ma.concatenate, zip(*chunks))
    return [a if np.ma.is_masked(a) else np.ma.getdata(a) for a in joined]
