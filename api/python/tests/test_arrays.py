# SPDX-License-Identifier: Apache-2.0
"""Arrays of other packages."""
import array
import ctypes
import types

import numpy as np
import pytest

import unihist
from unihist import _arrays, _progress
from unihist._native import ffi, lib
from unihist._queue import Queue
from unihist._remote import where_of
from unihist._status import check

DATA = np.arange(24, dtype=np.float32)
EDGES = np.array([0.0, 5, 20, 23])
EXPECTED = [5, 15, 4]

Interface = types.SimpleNamespace  # an array with a single protocol
OTHERS = {
    "list": DATA.tolist(),
    "array.array": array.array("f", DATA),
    "memoryview": memoryview(DATA),
    "memoryview in steps": memoryview(np.repeat(DATA, 2))[::2],
    "table": DATA.reshape(2, 3, 4),
    "__array_interface__": Interface(__array_interface__=DATA.__array_interface__, keep=DATA),
    "__array__": Interface(__array__=lambda dtype=None, copy=None: DATA),
    "DLPack": Interface(__dlpack__=lambda **how: DATA.__dlpack__(), __dlpack_device__=lambda: (1, 0)),
    "read-only": np.frombuffer(DATA.tobytes(), DATA.dtype),
    "not aligned": np.frombuffer(b"x" + DATA.tobytes(), DATA.dtype, offset=1),
    "field": np.rec.fromarrays([DATA, DATA], names="a,b")["b"],
    "memory-mapped": DATA.view(np.memmap),
    "matrix": np.ma.array(DATA),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_arrays_of_other_packages_are_read(kind):
    assert unihist.histogram(OTHERS[kind], EDGES)[0].tolist() == EXPECTED


@pytest.mark.parametrize("kind", [kind for kind in OTHERS if kind not in ("list", "read-only", "not aligned", "field")])
def test_arrays_of_other_packages_are_not_copied(kind):
    a = _arrays.as_array(OTHERS[kind])
    piece, = next(iter(_arrays.pieces([a], [a.dtype])))
    owner = OTHERS[kind] if kind in ("array.array", "memoryview in steps") else DATA
    assert np.shares_memory(piece, np.asarray(owner))


class Usm:
    """As dpctl describes an array: offset and strides count elements."""

    waited = False

    def wait(self):
        """Of its queue, which it is itself."""
        self.waited = True

    def __init__(self, a, usm_type, is_cpu=False):
        self.a, self.usm_type = a, usm_type
        self.sycl_device = types.SimpleNamespace(name="Some GPU", is_cpu=is_cpu)
        base = a if a.base is None else a.base
        interface, item = base.__array_interface__, a.itemsize
        self.__sycl_usm_array_interface__ = {
            "data": interface["data"], "shape": a.shape, "typestr": "|" + interface["typestr"][1:], "version": 1,
            "syclobj": self, "offset": (a.ctypes.data - base.ctypes.data) // item,
            "strides": None if a.flags.c_contiguous else tuple(s // item for s in a.strides)}


@pytest.mark.parametrize("usm_type,is_cpu", [("shared", False), ("host", False), ("device", True)])
def test_shared_memory_of_sycl_is_read_in_place(usm_type, is_cpu):
    for a in (DATA.copy(), DATA.copy()[3:20:2], DATA.copy()[::-1], DATA.reshape(4, 6).copy()[1:, ::2]):
        x = Usm(a, usm_type, is_cpu)
        read = _arrays.as_array(x)
        assert read.tolist() == a.tolist() and np.shares_memory(read, a) and x.waited
        assert unihist.histogram(x, EDGES)[0].tolist() == np.histogram(a, EDGES)[0].tolist()


def test_memory_of_an_unknown_context_is_rejected_with_its_place():
    with pytest.raises(TypeError, match="Usm is in memory of Some GPU, which no driver here has in its default context"):
        unihist.histogram(Usm(DATA, "device"), EDGES)


def on_device(a, selector, protocol):
    """An array in the memory of a device, as dpnp or an XPU of PyTorch offers it."""
    queue, memory = Queue(selector, 1), ffi.new("void **")
    check(lib.uh_malloc(queue.device, lib.UH_MEMORY_DEVICE, a.nbytes, 0, memory))
    queue.call(lib.uh_memcpy, memory[0], ffi.from_buffer(a), a.nbytes, ffi.NULL)
    queue.call(lib.uh_queue_wait)
    keeps = [ffi.gc(memory[0], lambda pointer: lib.uh_free(pointer))]
    address, shape = int(ffi.cast("uintptr_t", memory[0])), ffi.new("int64_t[]", a.shape)
    if protocol == "SYCL":
        return Interface(keeps=keeps, __sycl_usm_array_interface__={"data": (address, False), "shape": a.shape,
                                                                    "typestr": a.dtype.str, "syclobj": None})
    tensor = ffi.new("uhpy_tensor *", {"data": memory[0], "device_type": 14, "ndim": a.ndim, "bits": 8 * a.itemsize,
                                       "code": "iuf".index(a.dtype.kind), "lanes": 1, "shape": shape})
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi))
    return Interface(__dlpack_device__=lambda: (14, 0), keeps=[*keeps, tensor, shape],
                     __dlpack__=lambda: new(int(ffi.cast("uintptr_t", tensor)), b"dltensor", None))


@pytest.mark.parametrize("protocol", ["SYCL", "DLPack"])
@pytest.mark.parametrize("device", [device.selector for device in unihist.devices()])
def test_memory_of_a_device_is_read_where_it_lies(device, protocol, monkeypatch):
    for room in (_arrays, _progress):
        monkeypatch.setattr(room, "STRIDE", 1001)
    x, i = np.append(np.linspace(-3, 3, 2998, dtype=np.float32), [np.nan, 9]), np.arange(3000) % 7
    there, integers = on_device(x, device, protocol), on_device(i, device, protocol)
    both, edges = on_device(x.reshape(30, 100), device, protocol), np.linspace(-2, 2, 9)
    expected = np.histogram(x, edges)[0].tolist()
    assert where_of(None, 1, _arrays.as_array(there)) == (device, 1)
    assert unihist.histogram(there, edges)[0].tolist() == unihist.histogram(both, edges)[0].tolist() == expected
    assert unihist.histogram(there, 7, nan="omit")[0].tolist() == unihist.histogram(x, 7, nan="omit")[0].tolist()
    assert (unihist.histogram(there, edges, weights=integers)[0].tolist() ==
            unihist.histogram(x, edges, weights=i)[0].tolist())
    assert unihist.bincount(integers).tolist() == np.bincount(i).tolist()
    assert unihist.digitize(both, edges).tolist() == np.digitize(x.reshape(30, 100), edges).tolist()
    assert (unihist.Histogram(edges, np.arange(8), device=device).fill(there, integers) ==
            unihist.Histogram(edges, np.arange(8)).fill(x, i))
    for rule in ("auto", "knuth", "quantile:5"):
        assert (unihist.histogram(there, rule, nan="omit")[1].tolist() ==
                unihist.histogram(x.astype(float), rule, nan="omit", weights=np.ones(3000))[1].tolist())
    with pytest.raises(TypeError, match=f"in the memory of {device} .*copy it to the host"):
        unihist.histogram(on_device(x.astype("f2"), device, protocol), edges)
    with pytest.raises(TypeError, match=f"in the memory of {device} .*copy it to the host"):
        unihist.bins.Bins().add(there)


def test_memory_of_another_device_is_rejected_with_its_place():
    def fail(**how):
        raise BufferError("not on the CPU")

    with pytest.raises(TypeError, match=r"SimpleNamespace on DLPack's device \(2, 0\)"):
        unihist.histogram(Interface(__dlpack__=fail, __dlpack_device__=lambda: (2, 0)), EDGES)
