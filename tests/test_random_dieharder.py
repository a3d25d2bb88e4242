# SPDX-License-Identifier: Apache-2.0
"""dieharder (R. G. Brown; G. Marsaglia's diehard, NIST's STS and more) judges the library's random numbers: a few of
its quick tests, on each kind of number, on both generators, and across seeds and streams.

`test_random_dieharder.py KIND [SEED]` writes numbers u32, u64, f32 or f64 without end, for all of dieharder's tests
(tests/README.md). dieharder prints probabilities with 8 digits after the point, so what it calls 0 or 1 is within 5e-9
of it; that fails, at either end. Seeds are fixed."""
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from library import DTYPES, QUEUE, Stream, call, np

if not shutil.which("dieharder"):
    raise unittest.SkipTest("dieharder is not installed")

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
    for offset in itertools.count(0, n):
        for row, (of_stream, of_seed) in zip(rows, itertools.product(range(streams), range(seeds))):
            source = Stream(generator, seed + of_seed, stream + of_stream, offset)
            call("uh_random", QUEUE, source, 0, DTYPES[row.dtype], row, n)
        numbers = rows.T.ravel()
        if kind[0] == "f":
            numbers = (numbers * 2.0**bits).astype(dtype)
        if bits in (32, 64):
            yield numbers.tobytes()
        else:
            each = np.unpackbits(numbers.view("u1").reshape(BLOCK, -1), axis=1, count=bits, bitorder="little")
            yield np.packbits(each.ravel(), bitorder="little").tobytes()


PRINTED = 5e-9          # a probability that is printed as 0.00000000 is below this
RUN_LEVEL = 1e-6        # the most that all tests of a run may fail with by chance

# Tests by dieharder's numbers, some with fewer numbers (-t) than usual. Each is done 100 times: with fewer (-p) what
# dieharder makes of them is not uniform, for any generator.
QUICK = {
    "birthdays": ["-d", "0"],
    "count the 1s": ["-d", "8"],
    "runs": ["-d", "15"],
    "monobit": ["-d", "100"],
    "distribution of 4 bits": ["-d", "200", "-n", "4", "-t", "10000"],
    "discrete cosine transform": ["-d", "206"],
}
SERIAL = {"serial, 1 to 16 bits": ["-d", "102", "-t", "5000"]}

SOURCES = {
    "u32": ({"kind": "u32"}, {**QUICK, **SERIAL}),
    "u64": ({"kind": "u64", "seed": 1}, QUICK),
    "f32": ({"kind": "f32", "seed": 2}, QUICK),
    "f64": ({"kind": "f64", "seed": 3}, QUICK),
    "philox4x64": ({"kind": "u64", "seed": 4, "generator": PHILOX4X64}, QUICK),
    "neighbouring seeds": ({"seeds": 256}, QUICK),
    "neighbouring streams": ({"streams": 256}, QUICK),
    "philox4x64, neighbouring seeds": ({"seeds": 256, "generator": PHILOX4X64}, QUICK),
    "a sampler's two streams": ({"stream": 2**63, "streams": 2}, QUICK),
}


def dieharder(blocks, arguments):
    """The probabilities that dieharder finds for blocks of bytes, of which it takes as many as it needs."""
    with subprocess.Popen(["dieharder", "-g", "200", *arguments, "-D", "pvalues"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as judge:
        with contextlib.suppress(BrokenPipeError):
            for block in blocks:
                judge.stdin.write(block)
        with contextlib.suppress(BrokenPipeError):
            judge.stdin.close()
        printed, said = judge.stdout.read(), judge.stderr.read()
    values = [float(line) for line in printed.split()]
    if judge.returncode or not values:
        raise AssertionError(f"dieharder {arguments} printed no probability: {printed}{said}")
    return values


def passes(p):
    return PRINTED < p < 1 - PRINTED


class Dieharder(unittest.TestCase):
    def test_every_kind_of_number_passes_in_all_but_one_run_in_a_million(self):
        jobs = [(source, test, options, arguments)
                for source, (options, tests) in SOURCES.items() for test, arguments in tests.items()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: dieharder(words(**job[2]), job[3]), jobs))
        asked = 0
        for (source, test, *_), values in zip(jobs, results):
            asked += len(values)
            print(f"{source}: {test}: {' '.join(f'{p:.4f}' for p in values)}")
            with self.subTest(source, test=test):
                self.assertTrue(all(map(passes, values)), values)
        self.assertLess(asked * 2 * PRINTED, RUN_LEVEL)

    def test_a_generator_with_a_stuck_bit_fails(self):
        table = bytes(x | 16 for x in range(256))
        for test in ("birthdays", "distribution of 4 bits", "discrete cosine transform"):
            with self.subTest(test):
                stuck = (block.translate(table) for block in words(seed=1))
                self.assertFalse(all(map(passes, dieharder(stuck, QUICK[test]))))


if __name__ == "__main__":
    for raw in words(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        sys.stdout.buffer.write(raw)
