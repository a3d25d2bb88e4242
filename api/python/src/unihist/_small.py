# SPDX-License-Identifier: Apache-2.0
"""Calls for plain arrays of NumPy: C recognizes them, and does all, because for small arrays most of the time would be
Python's."""
from __future__ import annotations

import atexit
import os
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any, Callable, Optional

import numpy as np

from . import _native
from ._arrays import Array
from ._counter import Counter, axis_of_edges
from ._native import ffi, lib
from ._queue import Queue
from ._status import made

# The type of edges for float32 numbers, if numpy.linspace computes them in it, as since NumPy 2.
_SINGLE = np.dtype(np.float32) if np.linspace(np.float32(0), np.float32(1), 2).dtype == np.float32 else None
CELLS, EQUAL, INTEGERS, LEFT, RIGHT = lib.UHPY_CELLS, lib.UHPY_EQUAL, lib.UHPY_INTEGERS, lib.UHPY_LEFT, lib.UHPY_RIGHT
CLOSED = {CELLS: lib.UH_CLOSED_LEFT, LEFT: lib.UH_HALF_OPEN_LEFT, RIGHT: lib.UH_HALF_OPEN_RIGHT}


def address_of(handle: Any) -> int:
    """The address of an object of C."""
    return int(ffi.cast("size_t", handle))


def _kept(kind: int, device: Optional[str], threads: Optional[int], *arguments: Any) -> tuple[Any, ...]:
    """What at_once.c keeps for such calls: the address of a histogram or queue, that itself, and its arguments."""
    queue, edges = Queue(device, threads), []
    if kind == EQUAL:
        return address_of(queue.handle), queue, device, threads
    if kind in CLOSED:
        edges = [e.copy() for e in arguments[len(arguments) // 2:]]
    axes = [axis_of_edges(e, CLOSED[kind]) for e in edges] or [
        made(lib.uh_axis_create_growing, "uh_axis", lib.uh_axis_destroy)]
    counter = Counter.over(queue, axes)
    return address_of(counter.handle), counter, device, threads, *edges


# PEP 489: the file of _native has a second module.
_spec: Any = spec_from_loader("unihist._at_once", ExtensionFileLoader("unihist._at_once", str(_native.__file__)))
_module: Any = module_from_spec(_spec)


def begin(empty: Any) -> None:
    """Tells at_once.c what it uses of Python's."""
    _module.begin(_kept, np.ndarray, empty, np.dtype(np.int64), np.dtype(float), _SINGLE)


begin(np.empty)
atexit.register(_module.discard)  # before the modules that destroy what is kept
os.register_at_fork(after_in_child=_module.discard)  # a device belongs to the parent
at_once: Callable[..., Optional[Array]] = _module.at_once
pair_at_once: Callable[..., Optional[tuple[Array, Array]]] = _module.at_once  # of EQUAL
add: Callable[[int, tuple[Any, ...]], Optional[bool]] = _module.add
