# SPDX-License-Identifier: Apache-2.0
"""Numbers of Philox4x64 compared with numpy.random.Philox, through the shared library."""
import unittest

from library import DTYPES, QUEUE, Stream, call, np

PHILOX4X64 = 1
# NumPy counts on before it makes a block: with the counter at 0, its first block is number 1.
FIRST = 4


def numpy_generator(seed, stream, block=0):
    """The generator whose next block is number block + 1 of the stream."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, stream], np.uint64), counter=block))


class BesideNumpy(unittest.TestCase):
    KEYS = [(0, 0), (1, 2), (0x0123456789abcdef, 0xfedcba9876543210), (2**64 - 1, 2**64 - 1)]

    def make(self, dtype, seed, stream, offset, n):
        out = np.empty(n, dtype)
        call("uh_random", QUEUE, Stream(PHILOX4X64, seed, stream, offset), 0, DTYPES[out.dtype], out, n)
        return out

    def test_integers_are_numpys(self):
        for seed, stream in self.KEYS:
            found = self.make(np.uint64, seed, stream, FIRST, 10001)
            expected = np.random.Philox(key=np.array([seed, stream], np.uint64), counter=0).random_raw(10001)
            np.testing.assert_array_equal(found, expected)

    def test_doubles_are_numpys(self):
        for seed, stream in self.KEYS:
            found = self.make(np.float64, seed, stream, FIRST, 10001)
            np.testing.assert_array_equal(found, numpy_generator(seed, stream).random(10001))

    def test_floats_are_numpys(self):
        for seed, stream in self.KEYS:
            found = self.make(np.float32, seed, stream, 2 * FIRST, 10001)
            np.testing.assert_array_equal(found, numpy_generator(seed, stream).random(10001, dtype=np.float32))

    def test_numbers_far_on_in_the_stream_are_numpys(self):
        for block in (2**32 - 2, 2**40 + 7, 2**61):
            found = self.make(np.uint64, 5, 6, 4 * block + FIRST, 1001)
            expected = np.random.Philox(key=np.array([5, 6], np.uint64), counter=block).random_raw(1001)
            np.testing.assert_array_equal(found, expected)
