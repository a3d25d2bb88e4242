# SPDX-License-Identifier: Apache-2.0
"""Devices, and queues for calls: one for each calling thread, device and number of threads."""
from __future__ import annotations

import atexit
import os
import threading
from typing import Any, Callable, NamedTuple, Optional

from ._native import ffi, lib
from ._status import call, check, made, properties, structure, text

Where = tuple[Optional[str], Optional[int]]  # the arguments device and threads

KINDS = {lib.UH_DEVICE_CPU: "cpu", lib.UH_DEVICE_GPU: "gpu", lib.UH_DEVICE_ACCELERATOR: "accelerator"}


class Device(NamedTuple):
    """A device."""

    selector: str  #: for ``device=``, selects exactly this one
    name: str  #: given by the manufacturer
    kind: str  #: "cpu", "gpu" or "accelerator"
    memory: int  #: usable bytes


def devices() -> list[Device]:
    """
    The available devices: those of Level Zero, and the host as the last one.

    Examples
    --------
    >>> import unihist
    >>> unihist.devices()[-1].selector
    'host:0'
    """
    count = ffi.new("size_t *")
    check(lib.uh_device_count(count))
    found = []
    for index in range(count[0]):
        device = ffi.new("uh_device **")
        check(lib.uh_device_get(index, device))
        about = properties_of(device[0])
        found.append(Device(text(about.selector), text(about.name), KINDS[about.kind], about.memory))
    return found


def properties_of(device: Any) -> Any:
    """The properties of a device."""
    return properties("uh_device_properties", lib.uh_device_get_properties, device)


def selector_of(device: Any) -> str:
    """The selector of a device."""
    about = properties_of(device)  # holds the text
    return text(about.selector)


class Queue:
    """A queue on the selected device; None is "auto". Its lock protects the queue and its objects, even if only one
    thread uses them: another one may destroy an object that, for example, the traceback of an error referred to."""

    __slots__ = ("device", "handle", "lock")

    def __init__(self, device: Optional[str], threads: Optional[int]) -> None:
        if not isinstance(device, (str, type(None))):
            raise TypeError(f"device is {device!r}, expected a selector, as of unihist.devices()")
        if threads == 0:
            raise ValueError("threads is 0, expected at least 1, or None for all")
        chosen = ffi.new("uh_device **")
        check(lib.uh_device_select(("auto" if device is None else device).encode(), chosen))
        options = structure("uh_queue_options", threads=0 if threads is None else threads)
        self.device = chosen[0]  # not to be freed
        self.handle = made(lib.uh_queue_create, "uh_queue", lib.uh_queue_destroy, self.device, options)
        self.lock = threading.RLock()

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of C with the queue as first argument."""
        with self.lock:
            call(function, self.handle, *arguments)


class _OfThread(threading.local):
    """What a thread keeps between calls."""

    def __init__(self) -> None:
        self.discard()

    def discard(self) -> None:
        self.queues: dict[Where, Queue] = {}


of_thread = _OfThread()
atexit.register(of_thread.discard)  # the main thread ends after all modules that could do it
os.register_at_fork(after_in_child=of_thread.discard)  # a device belongs to the parent; "auto" selects again


def queue_of(device: Optional[str], threads: Optional[int]) -> Queue:
    """This thread's queue."""
    queues = of_thread.queues
    queue = queues.get((device, threads)) if device is None or isinstance(device, str) else None
    if queue is None:
        queue = queues[device, threads] = Queue(device, threads)
    return queue
