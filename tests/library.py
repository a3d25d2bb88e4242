# SPDX-License-Identifier: Apache-2.0
"""The shared library through ctypes, for tests that set it beside NumPy. Where it cannot be had, importing this ends the
test as skipped and says why."""
import ctypes as c
import os
import unittest

from command import np

LIBRARY = os.environ.get("UNIHIST_LIBRARY")
if not LIBRARY:
    raise unittest.SkipTest("UNIHIST_LIBRARY does not name the shared library")
if os.environ.get("UNIHIST_INSTRUMENTED"):
    raise unittest.SkipTest("a sanitizer's runtime wants to be loaded first")

uh = c.CDLL(LIBRARY)
uh.uh_last_error.restype = c.c_char_p
DTYPES = {np.dtype(name): number for number, name in enumerate(
    ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])}


class Array(c.Structure):
    """uh_array."""
    _fields_ = [("dtype", c.c_int), ("data", c.c_void_p), ("stride", c.c_ssize_t), ("count", c.c_size_t)]


def array_of(x):
    return Array(DTYPES[x.dtype], x.ctypes.data, x.strides[0], len(x))


def call(function, *arguments):
    """Calls a function that returns a status; what fails is an error with the library's message."""
    status = getattr(uh, function)(*arguments)
    if status:
        raise AssertionError(uh.uh_last_error().decode())


def make_queue():
    """A queue of the host, with its usual threads."""
    device, queue = c.c_void_p(), c.c_void_p()
    call("uh_device_select", b"host", c.byref(device))
    call("uh_queue_create", device, None, c.byref(queue))
    return queue
