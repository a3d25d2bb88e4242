# SPDX-License-Identifier: Apache-2.0
"""Files that NumPy wrote are read bit for bit as NumPy holds them (through dump_input, a program of these tests);
refusals and the cuts of chunks are asked by test_cli_input_npy and its kin."""
import itertools
import os
import subprocess
import tempfile
import unittest
import warnings

from command import np

DUMP = os.environ.get("UNIHIST_DUMP_INPUT")
if not DUMP:
    raise unittest.SkipTest("UNIHIST_DUMP_INPUT does not name the program dump_input")

CODES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
SHAPES = [(), (1,), (0,), (7,), (3, 5), (4, 0, 2), (2, 3, 4), (1, 1, 1, 1, 9)]


def run(arguments, stdin=None):
    return subprocess.run([DUMP, *map(str, arguments)], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300)


def read(arguments, stdin=None):
    """The arrays that dump_input gives."""
    done = run(arguments, stdin)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    arrays, rest = [], done.stdout
    while rest:
        line, rest = rest.split(b"\n", 1)
        name, count = line.decode().split()
        dtype = np.dtype(name)
        size = int(count) * dtype.itemsize
        arrays.append(np.frombuffer(rest[:size], dtype))
        rest = rest[size:]
    return arrays


def expected(array):
    """What the command calculates with: native order, bool as uint8, float16 as float32, in the file's order."""
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    flat = array.flatten(order)
    if flat.dtype == bool:
        return flat.astype(np.uint8)
    if flat.dtype.newbyteorder("=") == np.float16:
        return flat.astype(np.float32)
    return flat.astype(flat.dtype.newbyteorder("="))


def random_array(random, dtype, shape):
    count = int(np.prod(shape))
    if dtype == bool:
        return random.integers(0, 2, count).astype(bool).reshape(shape)
    bits = np.frombuffer(random.bytes(count * dtype.itemsize), dtype)
    if dtype.kind == "f":  # converting may change a NaN's bits, and which NaN it is does not matter
        bits = np.where(np.isnan(bits), dtype.type(1), bits).astype(dtype)
    return bits.reshape(shape)


def write(path, array, version):
    with open(path, "wb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(file, array, version=version)


class Numpy(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.random = np.random.default_rng(5)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def assert_same(self, got, array):
        want = expected(array)
        self.assertEqual(got.dtype, want.dtype)
        self.assertEqual(got.tobytes(), want.tobytes())

    def test_every_dtype_order_shape_layout_and_version_is_read_bit_for_bit(self):
        paths, arrays = [], []
        combinations = itertools.product(CODES, "<>", SHAPES, "CF", [(1, 0), (2, 0), (3, 0), None])
        for i, (code, order, shape, layout, version) in enumerate(combinations):
            array = random_array(self.random, np.dtype(order + code), shape)
            array = np.asfortranarray(array) if layout == "F" else array
            paths.append(self.path(f"{i}.npy"))
            arrays.append(array)
            write(paths[-1], array, version)
        for chunk in 1, 24, 1 << 20:
            read_arrays = read(["--chunk", chunk, *paths])
            self.assertEqual(len(read_arrays), len(arrays))
            for got, array in zip(read_arrays, arrays):
                self.assert_same(got, array)

    def test_npy_comes_through_a_pipe_and_twice(self):
        for array in np.arange(100000, dtype=">i4"), np.linspace(-1, 1, 77777), np.float16([1, 2]), np.zeros(0):
            np.save(self.path("a.npy"), array)
            with open(self.path("a.npy"), "rb") as file:
                content = file.read()
            for passes, chunk in itertools.product([1, 3], [999, 0]):
                (got,) = read(["--passes", passes, "--chunk", chunk, "-"], content)
                self.assert_same(got, array)
                with open(self.path("a.npy"), "rb") as file:
                    done = subprocess.run([DUMP, "--passes", str(passes), "-"], stdin=file, stdout=subprocess.PIPE)
                self.assertEqual(done.stdout, f"{got.dtype} {got.size}\n".encode() + got.tobytes())

    def test_text_of_savetxt_is_read_as_genfromtxt_reads_it(self):
        table = self.random.standard_normal((2000, 3)) * 10.0 ** self.random.integers(-300, 300, (2000, 3))
        table[5, 1] = np.nan
        table[6, 1] = -np.inf
        for fmt, delimiter, newline in itertools.product(["%.18e", "%r", "%.3g", "%20.6f"], ", ;\t", ["\n", "\r\n"]):
            name = self.path("a.csv")
            rows = [delimiter.join(repr(float(x)) if fmt == "%r" else fmt % x for x in row) for row in table]
            with open(name, "w", newline="") as file:
                file.write("# written by a test" + newline + newline.join(rows))
            want = np.genfromtxt(name, delimiter=None if delimiter == " " else delimiter)
            for column in range(3):
                (got,) = read(["--column", column, name])
                self.assert_same(got, want[:, column])
