# SPDX-License-Identifier: Apache-2.0
"""random_raw.py KIND [SEED]: writes the library's random numbers u32, u64, f32 or f64 to standard output without end,
for programs that judge generators (dieharder -g 200)."""
import itertools
import sys

from library import DTYPES, Stream, call, made, np

PHILOX4X32, PHILOX4X64 = range(2)
BLOCK = 1 << 16
# The type of the integers, and the random bits of a number: of a float only its 24 or 53 are random.
KINDS = {"u32": ("u4", 32), "u64": ("u8", 64), "f32": ("u4", 24), "f64": ("u8", 53)}


def words(kind="u32", seed=0, stream=0, seeds=1, streams=1, generator=PHILOX4X32):
    """Blocks of raw bits, one number after the other. Number i of several seeds is element i // seeds of seed
    seed + i % seeds; streams alike."""
    dtype, bits = KINDS[kind]
    n = BLOCK // (seeds * streams)
    rows = np.empty((seeds * streams, n), dtype if kind[0] == "u" else dtype.replace("u", "f"))
    queue = made("uh_queue_create", made("uh_device_select", b"host"), None)
    for offset in itertools.count(0, n):
        for row, (of_stream, of_seed) in zip(rows, itertools.product(range(streams), range(seeds))):
            source = Stream(generator, seed + of_seed, stream + of_stream, offset)
            call("uh_random", queue, source, 0, DTYPES[row.dtype], row, n)
        numbers = rows.T.ravel()
        if kind[0] == "f":
            numbers = (numbers * 2.0**bits).astype(dtype)
        if bits in (32, 64):
            yield numbers.tobytes()
        else:
            each = np.unpackbits(numbers.view("u1").reshape(BLOCK, -1), axis=1, count=bits, bitorder="little")
            yield np.packbits(each.ravel(), bitorder="little").tobytes()


if __name__ == "__main__":
    for block in words(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        sys.stdout.buffer.write(block)
