# SPDX-License-Identifier: Apache-2.0
"""Arrays of other packages."""
import array
import mmap
import types

import numpy as np
import pytest

import unihist
from unihist import _arrays

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


def test_memory_of_a_gpu_is_rejected_with_its_place():
    with pytest.raises(TypeError, match="Usm in memory of kind device of Some GPU cannot be read"):
        unihist.histogram(Usm(DATA, "device"), EDGES)


def test_memory_mapped_files_are_read(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(DATA.tobytes())
    assert unihist.histogram(np.memmap(path, np.float32, "r"), EDGES)[0].tolist() == EXPECTED
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert unihist.histogram(np.frombuffer(mapped, np.uint8), [0, 255])[0] == [DATA.nbytes]


def test_memory_of_another_device_is_rejected_with_its_place():
    def fail(**how):
        raise BufferError("not on the CPU")

    with pytest.raises(TypeError, match=r"SimpleNamespace on DLPack's device \(2, 0\)"):
        unihist.histogram(Interface(__dlpack__=fail, __dlpack_device__=lambda: (2, 0)), EDGES)
