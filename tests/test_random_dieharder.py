# SPDX-License-Identifier: Apache-2.0
"""Random numbers of the library before dieharder (R. G. Brown; G. Marsaglia's diehard, NIST's STS and more): a few of
its quick tests, on each kind of number, on both generators, and across seeds and streams. tests/README.md has the
command for all of its tests.

dieharder prints probabilities with 8 digits after the point, so what it calls 0 or 1 is within 5e-9 of it; that fails,
at either end. Seeds are fixed."""
import os
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

RANDOM_RAW = os.environ.get("UNIHIST_RANDOM_RAW")
if not RANDOM_RAW:
    raise unittest.SkipTest("UNIHIST_RANDOM_RAW does not name the program that writes random numbers")
if os.environ.get("UNIHIST_INSTRUMENTED"):
    raise unittest.SkipTest("instrumented, it takes too long")
if not shutil.which("dieharder"):
    raise unittest.SkipTest("dieharder is not installed")

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
    "u32": (["u32"], {**QUICK, **SERIAL}),
    "u64": (["--seed", "1", "u64"], QUICK),
    "f32": (["--seed", "2", "f32"], QUICK),
    "f64": (["--seed", "3", "f64"], QUICK),
    "philox4x64": (["--generator", "philox4x64", "--seed", "4", "u64"], QUICK),
    "neighbouring seeds": (["--across-seeds", "256", "u32"], QUICK),
    "neighbouring streams": (["--across-streams", "256", "u32"], QUICK),
    "philox4x64, neighbouring seeds": (["--generator", "philox4x64", "--across-seeds", "256", "u32"], QUICK),
    "a sampler's two streams": (["--stream", str(2**63), "--across-streams", "2", "u32"], QUICK),
}


def dieharder(command, arguments):
    """The probabilities that dieharder finds for what a command writes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
        judge = subprocess.run(["dieharder", "-g", "200", *arguments, "-D", "pvalues"], stdin=source.stdout,
                               capture_output=True, text=True, timeout=600, check=True)
        source.stdout.close()
        source.terminate()
    values = [float(line) for line in judge.stdout.split()]
    if not values:
        raise AssertionError(f"dieharder {arguments} printed no probability: {judge.stdout}{judge.stderr}")
    return values


def passes(p):
    return PRINTED < p < 1 - PRINTED


class Dieharder(unittest.TestCase):
    def test_every_kind_of_number_passes_in_all_but_one_run_in_a_million(self):
        jobs = [(source, test, [RANDOM_RAW, *command], arguments)
                for source, (command, tests) in SOURCES.items() for test, arguments in tests.items()]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: dieharder(*job[2:]), jobs))
        asked = 0
        for (source, test, *_), values in zip(jobs, results):
            asked += len(values)
            print(f"{source}: {test}: {' '.join(f'{p:.4f}' for p in values)}")
            with self.subTest(source, test=test):
                self.assertTrue(all(map(passes, values)), values)
        self.assertLess(asked * 2 * PRINTED, RUN_LEVEL)

    def test_a_generator_with_a_stuck_bit_fails(self):
        stuck = [sys.executable, "-c", "import random, sys\n"
                 "source, table = random.Random(1), bytes(x | 16 for x in range(256))\n"
                 "while True:\n"
                 "    sys.stdout.buffer.write(source.randbytes(1 << 16).translate(table))\n"]
        for test in ("birthdays", "distribution of 4 bits", "discrete cosine transform"):
            with self.subTest(test):
                self.assertFalse(all(map(passes, dieharder(stuck, QUICK[test]))))
