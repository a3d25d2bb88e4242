# SPDX-License-Identifier: Apache-2.0
"""Calls of the C library: errors, objects, structures, enumerations."""
from __future__ import annotations

import functools
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


def check(status: int) -> None:
    """Raises the error of a failed call; RuntimeError if the caller did not cause it."""
    if status:
        raise ERRORS.get(status, RuntimeError)(text(lib.uh_last_error()))


def text(chars: Any) -> str:
    """A C string."""
    return str(ffi.string(chars).decode())


def made(create: Callable[..., int], kind: str, destroy: Callable[[Any], object], *arguments: Any,
         of: Any = None) -> Any:
    """The object that a `_create` call or a similar one stores in its last argument. It is destroyed with the last
    reference to it, in any thread. `of` is its Queue, which lives longer."""
    pointer = ffi.new(kind + " **")
    check(create(*arguments, pointer))
    return ffi.gc(pointer[0], destroy if of is None else functools.partial(_destroy_of, of, destroy))


def _destroy_of(queue: Any, destroy: Callable[[Any], object], pointer: Any) -> None:
    with queue.lock:
        destroy(pointer)


def structure(kind: str, /, **members: Any) -> Any:
    """A structure of C that starts with its size; other members are zero."""
    return ffi.new(kind + " *", {"struct_size": ffi.sizeof(kind), **members})


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
