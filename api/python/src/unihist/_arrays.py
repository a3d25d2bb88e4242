# SPDX-License-Identifier: Apache-2.0
"""Arrays for C: read in place if their elements have one of its types; copied in pieces to a buffer if they have
another byte order or type, or several dimensions that are not one row. What is missing is masked, as by numpy.ma, or
NaT."""
from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from ._arrow import Column, column_of, whole
from ._dates import INTEGER, of_objects
from ._native import ffi, lib
from ._progress import STRIDE, spans
from ._remote import Remote, usm_array
from ._status import names

Array = npt.NDArray[Any]

PIECE = 1 << 18  # elements that are converted at a time


TYPES = {np.dtype(name): value for name, value in names(lib.UH_ENUM_DTYPE).items()}  # NumPy's types, and C's
# Types that C lacks, and types that hold all of their values.
WIDER: dict[np.dtype[Any], np.dtype[Any]] = {np.dtype("f2"): np.dtype("f4"), np.dtype("?"): np.dtype("u1")}
WEIGHTS = {np.dtype(name) for name in ("f4", "f8", "i4", "i8", "u8")}


def _nullable(x: Any) -> Optional[Array]:
    """The masked array of an object that knows which of its values are missing, in the type that these have; of dates
    their instants, with NaT. None of other objects."""
    dtype: Any = getattr(x, "dtype", None)
    if isinstance(x, np.ma.MaskedArray):
        values, missing = x.data, np.ma.getmaskarray(x)
    elif hasattr(dtype, "tz") and hasattr(dtype, "unit"):  # pandas, with a time zone
        return np.asarray(x, f"M8[{dtype.unit}]")
    elif hasattr(dtype, "pyarrow_dtype"):  # pandas, with arrays of Arrow
        return as_array(getattr(x, "array", x).__arrow_array__())
    elif hasattr(dtype, "numpy_dtype") and hasattr(x, "isna"):  # pandas, with masks
        values, missing = x.to_numpy(dtype.numpy_dtype, na_value=0), np.asarray(x.isna())
    else:
        return None
    return np.ma.array(values, mask=missing, copy=False) if missing.any() else values


def as_array(x: Any) -> Array:
    """A NumPy array, masked if values are missing; of datetimes and the like, of their type. Objects with the buffer
    protocol, `__array_interface__`, `__array__`, DLPack or `__sycl_usm_array_interface__` are not copied."""
    if type(x) is np.ndarray and x.dtype.kind != "O":
        return x
    if isinstance(x, Remote):
        return x  # type: ignore[return-value]
    if (column := column_of(x)) is not None:
        return whole([column])[0]
    if (usm := usm_array(x)) is not None:
        return usm  # type: ignore[no-any-return]
    found = _nullable(x)
    if found is not None:
        return found
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError) as why:
            raise TypeError(f"{type(x).__name__} on DLPack's device {x.__dlpack_device__()} cannot be read from the "
                            f"host: {why}") from why
    array = np.asarray(x)
    if isinstance(x, (list, tuple)) and array.dtype == float and array.size and np.abs(array).max() >= 1 << 53:
        for given, number in zip(np.asarray(x, object).flat, array.flat):
            if isinstance(given, numbers.Integral) and given != int(number):
                raise OverflowError(f"{given} is among numbers that are all read as float64, which rounds it")
    return of_objects(array) if array.dtype.kind == "O" else array


def lacks(a: Array) -> Optional[Array]:
    """Where elements are missing; None if none can be."""
    return np.ma.getmaskarray(a) if isinstance(a, np.ma.MaskedArray) else np.isnat(a) if a.dtype.kind in "mM" else None


def as_chunks(x: Any, chunks: bool) -> Array:
    """The same, but if `chunks` a column of Arrow's stands for an array, and comes chunk after chunk, once."""
    return as_array(x) if not chunks or (column := column_of(x)) is None else column  # type: ignore[return-value]


def known(a: Array, name: str, nan: bool = True) -> Array:
    """The array, of which no element may be missing, nor NaN unless allowed."""
    missing, kind = lacks(a), "missing" if isinstance(a, np.ma.MaskedArray) else "NaT"
    if missing is None and nan and a.dtype.kind in "fc":
        missing, kind = np.isnan(a), "NaN"
    if missing is not None and missing.any():
        raise ValueError(f"{name}{np.argwhere(missing)[0].tolist() or ''} is {kind}, expected a known value")
    return np.ma.getdata(a)


def as_weights(weights: Any, name: str = "weights") -> Array:
    """The array of weights, of which none may be missing, nor be a date; of a column, when it is read."""
    if isinstance(weights, Column):
        return weights  # type: ignore[return-value]
    found = known(as_array(weights), name, nan=False)
    if found.dtype.kind == "M":
        raise TypeError(f"{name} has elements of type {found.dtype}, expected numbers or durations")
    if found.dtype.kind != "c":
        read_as(found.dtype, name)
    return found


def as_edges(bins: Any, name: str) -> Any:
    """The array of given edges, of which none may be missing; a number or a rule's name as it is."""
    if isinstance(bins, (str, int)):
        return bins
    edges = as_array(bins)
    if not edges.ndim:
        return bins
    read_as(edges.dtype, name)
    return known(edges, name)


def read_as(dtype: np.dtype[Any], name: str = "an array of values") -> np.dtype[Any]:
    """The type in which C reads elements of this type, with the same values; dates and durations as integers."""
    if dtype in TYPES:
        return dtype
    if dtype.kind in "mM":
        return INTEGER
    native: np.dtype[Any] = np.dtype(dtype.newbyteorder("="))
    if native in WIDER:
        native = WIDER[native]
    if native not in TYPES:
        raise TypeError(f"{name} has elements of type {dtype}, expected float16 to float64, integers of 8 to 64 bits, "
                        "bool, dates or durations")
    return native


def weight_as(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which C reads weights of a type, with the same values."""
    dtype = read_as(dtype)
    return dtype if dtype in WEIGHTS else np.dtype(np.int32 if dtype.itemsize < 4 else np.int64)


def as_signed(row: Array) -> Array:
    """A row of weights, of uint64 as int64 if that has their values: devices add no others."""
    return row.view(np.int64) if row.dtype == np.uint64 and (not row.size or row.max() < 1 << 63) else row


def row(a: Array) -> Array | None:
    """The array as one dimension in C order, if that needs no copy."""
    if a.ndim == 1:
        return a
    return a.reshape(-1) if a.flags.c_contiguous else None


def pieces(arrays: Sequence[Array], types: Sequence[np.dtype[Any]],
           in_order: bool = False) -> Iterator[Sequence[Array]]:
    """Arrays of one shape as rows of these types: parts of the arrays if possible, otherwise a buffer that the next
    piece overwrites. The elements of a single array come in any order, unless `in_order`."""
    if len(arrays) == 1 and not in_order and arrays[0].flags.f_contiguous:
        arrays = [arrays[0].T]
    rows = [r for a in arrays if (r := row(a)) is not None]
    if len(rows) == len(arrays) and all(r.dtype == dtype for r, dtype in zip(rows, types)):
        if all(r.size == rows[0].size > STRIDE for r in rows):
            yield from ([r[span] for r in rows] for span in spans(rows[0].size))
        else:
            yield rows  # C reports different sizes
        return
    iterator: Any = np.nditer(list(map(np.asarray, arrays)), flags=["external_loop", "buffered", "zerosize_ok"],
                              op_flags=[["readonly"]] * len(arrays), op_dtypes=list(types), order="C",
                              casting="same_kind", buffersize=PIECE)
    with iterator:
        for piece in iterator:
            yield [piece] if len(arrays) == 1 else piece


def pointer(a: Array) -> Any:
    """The address of the first element. The caller keeps the array."""
    if isinstance(a, Remote):
        return ffi.cast("char *", a.address)
    return ffi.from_buffer(a) if a.flags.c_contiguous else ffi.cast("char *", a.__array_interface__["data"][0])


def argument(r: Array) -> tuple[int, Any, int, int]:
    """A row as four arguments of C: type, pointer, stride and count. The caller keeps the array."""
    return TYPES[r.dtype], pointer(r), r.strides[0], r.size


def c_arrays(rows: Sequence[Array]) -> Any:
    """A `uh_array[]` of rows, which the caller keeps."""
    return ffi.new("uh_array[]", [argument(r) for r in rows])


def out(dtype: str, a: Array) -> Any:
    """A pointer of this type to an array's elements."""
    return ffi.cast(dtype + " *", ffi.from_buffer(a))
