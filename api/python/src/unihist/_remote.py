# SPDX-License-Identifier: Apache-2.0
"""Arrays in SYCL's unified shared memory, of dpctl, dpnp or PyTorch: read where they lie."""
from __future__ import annotations

import math
import sys
import types
from typing import Any, Optional

import numpy as np

from ._arrow import content
from ._native import ffi, lib
from ._queue import Where, selector_of
from ._status import check

ONEAPI = 14  # of DLPack's kinds of devices


class Remote:
    """An array in the memory of a device, with what functions ask an array for."""

    def __init__(self, interface: dict[str, Any], owner: object, selector: str) -> None:
        self.owner, self.selector = owner, selector
        self.dtype, self.shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        self.ndim, self.size = len(self.shape), math.prod(self.shape)
        self.address, self.strides = interface["data"][0], interface["strides"]
        in_order = self.strides == _in_order(self.shape, self.dtype.itemsize)
        self.flags = types.SimpleNamespace(c_contiguous=in_order, f_contiguous=False)
        self._data = self  # numpy.ma.getdata

    def _row(self, address: int, size: int, stride: int) -> Remote:
        row = {"data": (address, True), "shape": (size,), "strides": (stride,), "typestr": self.dtype.str}
        return Remote(row, self, self.selector)

    def reshape(self, size: int) -> Remote:
        """One dimension, of an array that is contiguous."""
        return self._row(self.address, self.size, self.dtype.itemsize)

    def __getitem__(self, part: slice) -> Remote:
        return self._row(self.address + part.start * self.strides[0], part.stop - part.start, self.strides[0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(f"an array of {self.dtype} and shape {self.shape} in the memory of {self.selector} is read there "
                        "only as a row of float32, float64 or integers, and not for a rule: copy it to the host")


def _in_order(shape: tuple[int, ...], item: int) -> tuple[int, ...]:
    return tuple(item * math.prod(shape[axis + 1:]) for axis in range(len(shape)))


def usm_array(x: Any) -> Any:
    """The array of an object with `__sycl_usm_array_interface__`, or with DLPack on a oneAPI device: NumPy's if the host
    can read it, otherwise a Remote; None of other objects."""
    about, owner = getattr(x, "__sycl_usm_array_interface__", None), x
    if about is not None:
        kind, item = np.dtype(about["typestr"]), np.dtype(about["typestr"]).itemsize
        address, shape = about["data"][0] + about.get("offset", 0) * item, about["shape"]
        strides = about.get("strides")
    elif hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == ONEAPI:
        owner = content(x.__dlpack__(), "dltensor", "uhpy_tensor")
        if owner.code > 2 or owner.lanes != 1:
            raise TypeError(f"{type(x).__name__} has DLPack's type {owner.code}, expected integers or floats")
        kind, item = np.dtype(f"{'iuf'[owner.code]}{owner.bits // 8}"), owner.bits // 8
        address = int(ffi.cast("uintptr_t", owner.data)) + owner.byte_offset
        shape = tuple(owner.shape[0:owner.ndim])
        strides = tuple(owner.strides[0:owner.ndim]) if owner.strides else None
    else:
        return None
    queue: Any = getattr(x, "sycl_queue", None) or (about or {}).get("syclobj")
    if hasattr(queue, "wait"):
        queue.wait()  # work that writes the array may be pending
    elif getattr(x, "is_xpu", False):
        sys.modules["torch"].xpu.synchronize(x.device)
    interface = {"data": (address, False), "shape": shape, "version": 3, "typestr": kind.str, "strides": _in_order(
        shape, item) if strides is None else tuple(item * stride for stride in strides)}
    if getattr(x, "usm_type", None) in ("shared", "host") or getattr(getattr(x, "sycl_device", None), "is_cpu", False):
        return np.asarray(types.SimpleNamespace(__array_interface__=interface, owner=owner))
    place = ffi.new("uh_pointer_info *")
    check(lib.uh_device_count(ffi.new("size_t *")))  # opens the drivers, which are asked
    check(lib.uh_pointer_type(ffi.cast("void *", address), place))
    if place.kind == lib.UH_MEMORY_UNKNOWN and math.prod(shape):
        name = getattr(getattr(x, "sycl_device", None), "name", "a device")
        raise TypeError(f"{type(x).__name__} is in memory of {name}, which no driver here has in its default context: "
                        "copy it to the host")
    if place.kind != lib.UH_MEMORY_DEVICE:
        return np.asarray(types.SimpleNamespace(__array_interface__=interface, owner=owner))
    return Remote(interface, owner, selector_of(place.device))


def where_of(device: Optional[str], threads: Optional[int], *arrays: Any) -> Where:
    """Where to compute: by default on the device that has an array."""
    there = [a.selector for a in arrays if isinstance(a, Remote)]
    return there[0] if device is None and there else device, threads
