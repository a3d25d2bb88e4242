# SPDX-License-Identifier: Apache-2.0
"""Calls of the C library: errors, objects, structures, enumerations."""
from __future__ import annotations

import functools
import re
from typing import Any, Callable

from ._native import ffi, lib

ERRORS: dict[int, type[Exception]] = {
    lib.UH_ERROR_INVALID_ARGUMENT: ValueError,
    lib.UH_ERROR_OUT_OF_MEMORY: MemoryError,
    lib.UH_ERROR_OUT_OF_DEVICE_MEMORY: MemoryError,
    lib.UH_ERROR_NOT_FOUND: ValueError,
    lib.UH_ERROR_UNSUPPORTED: NotImplementedError,
    lib.UH_ERROR_INCOMPATIBLE: ValueError,
    lib.UH_ERROR_OVERFLOW: OverflowError,
    lib.UH_ERROR_IO: OSError,
}


# What messages of C's functions say otherwise than Python.
WORDS = {
    "uh_axis_create_regular": {"lo": "low", "hi": "high"},
    "uh_choice": {"from": "a", "weights": "p"},
    "uh_device_select": {"selector": "device"},
    "uh_digitize": {"edges": "bins"},
    "uh_digitize_columns": {"codes is of": "dtype is"},
    "uh_histogram_fill": {"arrays": "coordinates"},
    **dict.fromkeys(("uh_estimate_bandwidth", "uh_mean_shift"), {"dims": "the number of features of X"}),
    "uh_histogram_merge": {"target": "the histogram", "source": "the other"},
    **dict.fromkeys(("uh_integrate", "uh_integrate_many"), {
        "integrand": "function", "integrands": "functions", "is a C function": "is Python's", "dims": "the length of lower"}),
    "uh_queue_create": {"expected 0": "expected 1"},
}
FORMS: list[tuple[str, Any]] = [  # of C's messages, and Python's
    (r"(->|\.)count is (\d+)", r" has \2 elements"), (r"(->|\.)dtype is\b", " is of"), (r"(->|\.)data\b", ""),
    (r"\b(\w+->)+", ""), (r"\bnaxes\b", "the number of axes"), (r" \(UH_\w+\)|; see uh_.*", ""),
    (r"\bUH_[A-Z]+_([A-Z0-9_]+)", lambda found: found[1].lower())]

# Numbers that Python passes to C, by their places among the arguments.
NUMBERS = {
    "uh_axis_create_integer": {0: "first", 1: "last"},
    "uh_axis_create_regular": {1: "bins", 2: "low", 3: "high"},
    "uh_histogram_flow": {1: "axis"},
    "uh_histogram_moments": {1: "axis"},
}


def check(status: int, names: dict[str, str] = {}, offset: int = 0) -> None:
    """Raises the error of a failed call in Python's words; RuntimeError if the caller did not cause it. `names` are the
    names that C's have in this function, and `offset` is the number of elements before those that C was given."""
    if status:
        info = lib.uh_last_error_info()
        argument, said = text(info.argument), text(info.text)
        place = f"{argument}[{info.index}]"
        if said.startswith(place):
            said = f"{argument}[{info.index + offset}]{said[len(place):]}"
        words = {**names, **WORDS.get(text(info.call), {})}
        raise ERRORS[status](_translated(said, words)) if status in ERRORS else RuntimeError(said)


def _translated(said: str, words: dict[str, str]) -> str:
    """A message of C in Python's words; what is in quotes stays."""
    parts = re.split(r"""('[^']*'|"[^"]*")""", said)
    for at in range(0, len(parts), 2):
        for form, by in FORMS:
            parts[at] = re.sub(form, by, parts[at])
        for name, by in words.items():
            parts[at] = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", by, parts[at])
    return "".join(parts)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function of C. A number that its type does not hold is refused by name."""
    try:
        status = function(*arguments)
    except (OverflowError, TypeError):
        types = ffi.typeof(function).args
        for at, name in NUMBERS.get(function.__name__, {}).items():
            fitting(name, arguments[at], types[at])
        raise
    check(status)


def fitting(name: str, value: Any, kind: Any) -> Any:
    """The value of a type of C, or an array of its numbers; the error has the argument's name in Python."""
    kind = ffi.typeof(kind) if isinstance(kind, str) else kind
    if kind.kind == "pointer":
        return [fitting(f"{name}[{i}]", x, kind.item) for i, x in enumerate(value)]
    try:
        return ffi.new(ffi.getctype(kind, "*"), value)[0]
    except OverflowError:
        bits, sign = 8 * ffi.sizeof(kind), int(ffi.cast(kind, -1)) < 0
        ends = f"-2**{bits - 1} to 2**{bits - 1} - 1" if sign else f"0 to 2**{bits} - 1"
        raise ValueError(f"{name} is {value}, expected {ends}") from None
    except TypeError:
        expected = "a number" if kind.cname in ("float", "double") else "an integer"
        raise TypeError(f"{name} is {value!r}, expected {expected}") from None


def text(chars: Any) -> str:
    """A C string."""
    return str(ffi.string(chars).decode())


def made(create: Callable[..., int], kind: str, destroy: Callable[[Any], object], *arguments: Any,
         of: Any = None) -> Any:
    """The object that a `_create` call or a similar one stores in its last argument. It is destroyed with the last
    reference to it, in any thread. `of` is its Queue, which lives longer."""
    pointer = ffi.new(kind + " **")
    call(create, *arguments, pointer)
    return ffi.gc(pointer[0], destroy if of is None else functools.partial(_destroy_of, of, destroy))


def _destroy_of(queue: Any, destroy: Callable[[Any], object], pointer: Any) -> None:
    with queue.lock:
        destroy(pointer)


def structure(kind: str, /, **members: Any) -> Any:
    """A structure of C that starts with its size; other members are zero."""
    try:
        return ffi.new(kind + " *", {"struct_size": ffi.sizeof(kind), **members})
    except (OverflowError, TypeError):
        for name, field in ffi.typeof(kind).fields:
            if name in members and field.type.kind == "primitive":
                fitting(name, members[name], field.type)
        raise


def properties(kind: str, get: Callable[..., int], handle: Any) -> Any:
    """The properties of an object, from a `_get_properties` call."""
    found = structure(kind)
    check(get(handle, found))
    return found


@functools.lru_cache(maxsize=None)
def names(kind: int) -> dict[str, int]:
    """The names of an enumeration (a uh_enum), and their values."""
    found: dict[str, int] = {}
    while (name := lib.uh_enum_name(kind, len(found))) != ffi.NULL:
        found[text(name)] = len(found)
    return found


def named(kind: int, argument: str, name: str) -> int:
    """The value with this name; `argument` is the argument of Python, for the error."""
    if str(name) not in names(kind):
        raise ValueError(f"{argument} is {name!r}, expected one of {list(names(kind))}")
    return names(kind)[str(name)]
