# SPDX-License-Identifier: Apache-2.0
"""The sections of a saved histogram, unihist-format(5), as arrays: to join and to set its cells exactly."""
from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ._arrays import Array
from ._counter import Counter, Unit, loaded_bytes, saved_bytes

Sections = dict[str, Array]

MAGIC = b"\x89UHIST\r\n"
HEAD = struct.Struct("<8sIIQ")  # magic, version, number of sections, length
SECTION = struct.Struct("<24s8sQQ")  # name, type, number of dimensions, size
DIGIT = 32  # bits
LOWEST = -1088  # the exponent of the lowest digit of a float64
CELLS = ("counts", "sums", "squares", "flags", "sums.digits", "squares.digits")


def sections_of(counter: Counter) -> Sections:
    """The sections of a histogram by their names."""
    return _sections_in(saved_bytes(counter))


def _sections_in(data: Any) -> Sections:
    at, found = HEAD.size, {}
    for _ in range(HEAD.unpack_from(data)[2]):
        name, kind, ndim, size = SECTION.unpack_from(data, at)
        shape = struct.unpack_from(f"<{ndim}Q", data, at + SECTION.size)
        at += SECTION.size + 8 * ndim
        dtype = np.dtype(kind.rstrip(b"\0").decode())
        found[name.rstrip(b"\0").decode()] = np.frombuffer(data, dtype, size // dtype.itemsize, at).reshape(shape)
        at += size + -size % 8
    return found


def counter_of(sections: Sections, queue: Any, units: Sequence[Unit] = ()) -> Counter:
    """The histogram of these sections."""
    return loaded_bytes(_bytes_of(sections), queue, units)


def _bytes_of(sections: Sections) -> bytes:
    parts = []
    for name, a in sections.items():
        data = a.tobytes()
        parts += [SECTION.pack(name.encode(), a.dtype.str.encode(), a.ndim, len(data)),
                  struct.pack(f"<{a.ndim}Q", *a.shape), data, bytes(-len(data) % 8)]
    length = HEAD.size + sum(map(len, parts)) + hashlib.sha256().digest_size
    whole = b"".join([HEAD.pack(MAGIC, 1, len(sections), length), *parts])
    return whole + hashlib.sha256(whole).digest()


def text_in(sections: Sections, name: str) -> str:
    """A section with text."""
    return sections[name].tobytes().decode()


def as_text(text: str) -> Array:
    """Text for a section."""
    return np.frombuffer(text.encode(), "S1")


# ---- files. The section "python" is JSON of what C does not know. Units and texts decide which histograms can be added:
# C refuses a file with them, and skips the section with other notes, such as names.


def written(counter: Counter, abouts: Sequence[dict[str, Any]], about: dict[str, Any], path: str) -> bool:
    """Writes a file with notes; False if there is nothing to note."""
    axes, own = ([{key: x for key, x in one.items() if isinstance(x, (str, int, float, list, dict)) and x != ""}
                  for one in several] for several in (abouts, [about]))
    units = [unit and unit.str for unit in counter.units]
    if not any([*axes, *own, *units]):
        return False
    name = "python" if units or any("_texts" in one for one in axes) else "meta.python"
    notes = {"units": units, "axes": axes, "about": own[0]}
    data = _bytes_of({**sections_of(counter), name: as_text(json.dumps(notes))})
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
            file.write(data)
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)
    return True


def read(path: str) -> Optional[tuple[Sections, dict[str, Any]]]:
    """The sections and the notes of a valid file that has them."""
    if not os.path.isfile(path) or os.path.getsize(path) < HEAD.size + 32:
        return None
    data = np.memmap(path, np.uint8, "r")
    if bytes(data[:8]) != MAGIC or hashlib.sha256(data[:-32].data).digest() != bytes(data[-32:]):
        return None
    sections = _sections_in(data)
    name = next((name for name in ("python", "meta.python") if name in sections), None)
    return None if name is None else (sections, json.loads(text_in({name: sections.pop(name)}, name)))


# ---- exact sums: rows of digits in base 2^32, in two's complement, the lowest first


def _wide(digits: Array) -> Array:
    wide = digits.astype(np.int64)
    if digits.shape[-1]:
        wide[..., -1] = digits[..., -1].view(np.int32)
    return wide


def _digits(wide: Array) -> Array:
    """Rows of digits of rows of int64 that may exceed a digit, without columns that only repeat the sign."""
    wide = np.concatenate([wide, np.zeros((*wide.shape[:-1], 1), np.int64)], axis=-1)
    for column in range(wide.shape[-1] - 1):
        wide[..., column + 1] += wide[..., column] >> DIGIT
        wide[..., column] &= (1 << DIGIT) - 1
    while wide.shape[-1] > 1 and (wide[..., -1] == -(wide[..., -2] >> DIGIT - 1)).all():
        wide = wide[..., :-1]
    return np.ascontiguousarray(wide.astype(np.uint32))


def _scaled(number: Any) -> int:
    """A finite number times 2^-LOWEST, which is an integer."""
    top, bottom = number.as_integer_ratio()
    return int((top << -LOWEST) // bottom)


def _set_digits(sections: Sections, name: str, cells: Array, numbers: Sequence[int], exponent: int) -> None:
    """Sets the sums of some cells to integers times 2 to this power, and all others to 0."""
    size = 4 * (max((number.bit_length() for number in numbers), default=0) // DIGIT + 1)
    data = b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)
    digits = np.frombuffer(data, np.uint32).reshape(-1, size // 4)
    zeros = int((np.cumsum(digits.any(axis=0)) == 0)[:-1].sum())
    whole = np.zeros((sections["flags"].size, size // 4 - zeros), np.uint32)
    whole[cells] = digits[:, zeros:]
    sections[name + ".digits"] = whole
    sections[name + ".exponent"] = np.array([exponent + DIGIT * zeros], "<i8")


# ---- changes


def cleared(sections: Sections, cells: Any, outside: bool = False) -> Sections:
    """The same without the content of some cells, and of what is outside."""
    made = dict(sections)
    for name in [name for name in CELLS if name in sections]:
        made[name] = sections[name].copy()
        made[name][:-1][cells] = 0
        made[name][-1:] *= not outside
    inside = made["counts"][:-1].sum() if _counted(made) else sections["points"][0] * (not outside)
    made["points"] = np.array([inside, 0 if outside else sections["points"][1]], "<u8")
    for name in [name for name in sections if name.endswith(".flow") and outside]:
        made[name] = np.zeros_like(sections[name])
    return made


def _counted(sections: Sections) -> bool:
    """Whether the storage has all numbers of points."""
    return text_in(sections, "storage") in ("count", "mean")


def negated(sections: Sections) -> None:
    """Changes the sign of all sums of weights, but not of their squares."""
    if "sums" in sections:
        sections["sums"] = -sections["sums"]
    else:
        sections["sums.digits"] = _digits(-_wide(sections["sums.digits"]))
    flags = sections["flags"]
    sections["flags"] = (flags & 1) | (flags & 2) << 1 | (flags & 4) >> 1


def set_cells(sections: Sections, storage: str, cells: Sequence[Array]) -> None:
    """Sets the content of all cells, as `Histogram.contents` has it, exactly. Points in no cell are dropped."""
    numbers, value, spread = cells[0], *(cells[-2:] if len(cells) > 1 else [*cells, *cells])
    if "counts" in sections:
        dtype = sections["counts"].dtype
        most = min(np.iinfo(dtype).max, np.iinfo(np.int64).max)
        sections["counts"] = np.append(np.minimum(numbers, most), 0).astype(dtype)
        if _counted(sections):
            sections["points"] = np.array([sections["counts"].sum(), 0], "<u8")
    if "flags" not in sections:
        return
    if storage == "mean":
        value, spread = (np.where(numbers > 0, a, 0) for a in (value, spread))
    finite = np.isfinite(value)
    if not np.isfinite(spread[finite]).all():
        raise ValueError("a variance is not finite, expected one where the value is not finite either")
    flags = np.isnan(value) * 1 + (value == np.inf) * 2 + (value == -np.inf) * 4
    sections["flags"] = np.append(flags, 0).astype(np.uint8)
    value, spread = (np.where(finite, a, 0) for a in (value, spread))
    for name, a in (("sums", value), ("squares", spread)):
        if name in sections:  # added fast
            sections[name] = np.append(a.astype(float), 0)
    if "sums" in sections:
        return
    some = np.flatnonzero((value != 0) | (spread != 0))
    sums, squares = (list(map(_scaled, a[some].tolist())) for a in (value, spread))
    if storage == "mean":
        counts = numbers[some].tolist()
        squares = [n * s * s + (square << -LOWEST) for n, s, square in zip(counts, sums, squares)]
        sums = [n * s for n, s in zip(counts, sums)]
    _set_digits(sections, "sums", some, sums, LOWEST)
    if storage != "sum":
        _set_digits(sections, "squares", some, squares, 2 * LOWEST if storage == "mean" else LOWEST)
