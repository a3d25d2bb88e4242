# SPDX-License-Identifier: Apache-2.0
"""Real hardware, where there is some: the tests that run on any device, the command on the GPU beside the host, and
what the runtime adds to a launch. Skipped where there is no Level Zero GPU with a driver of its own. Takes UNIHIST and
UNIHIST_PERF, the programs, and UNIHIST_DEVICE_TESTS, each a test program and its test, with colons between them."""
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

UNIHIST = os.environ.get("UNIHIST")
PERF = os.environ.get("UNIHIST_PERF")
TESTS = [test.rsplit(" ", 1) for test in os.environ.get("UNIHIST_DEVICE_TESTS", "").split(":") if test]

# What would put another driver in the place of the hardware's, or make that one work without hardware.
STAND_INS = ("ZE_ENABLE_ALT_DRIVERS", "ZE_ENABLE_NULL_DRIVER", "NEOReadDebugKeys", "SetCommandStreamReceiver",
             "ProductFamilyOverride", "HardwareInfoOverride", "ONEAPI_DEVICE_SELECTOR", "UNIHIST_TEST_DEVICE")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in STAND_INS}


def run(*arguments, **variables):
    return subprocess.run([str(argument) for argument in arguments], env={**ENVIRONMENT, **variables},
                          capture_output=True, text=True, timeout=800, check=False)


def find_gpu():
    """The selector of the first GPU; skips all where there is none."""
    if not UNIHIST:
        raise unittest.SkipTest("UNIHIST does not name the command")
    listed = run(UNIHIST, "devices").stdout.splitlines()
    for line, kind in zip(listed, listed[1:]):
        if line.startswith("level_zero:") and kind.split()[:2] == ["kind", "gpu,"]:
            print(line)
            return line.split()[0]
    said = run(UNIHIST, "histogram", "--device", "gpu", os.devnull).stderr.strip()
    raise unittest.SkipTest(f"there is no Level Zero GPU: {said}")


GPU = find_gpu()


class Hardware(unittest.TestCase):
    def test_every_test_for_devices_passes(self):
        self.assertTrue(TESTS)
        for program, test in TESTS:
            with self.subTest(test):
                result = run(program, test, UNIHIST_TEST_DEVICE=GPU)
                self.assertIn(result.returncode, (0, 77), result.stdout[-4000:] + result.stderr[-4000:])

    def test_the_command_gives_the_same_bytes_as_on_the_host(self):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data.csv"
            source = random.Random(1)
            values = [source.gauss(0, 100) for _ in range(100000)]
            values += [0.0, -0.0, 50.0, struct.unpack("f", b"\1\0\0\0")[0]]
            data.write_text("".join(f"{value!r}\n" for value in values), encoding="utf-8")
            for bins in ("10", "1000", "100000"):
                results = []
                for device in ("cpu", GPU):
                    path = pathlib.Path(folder) / f"{device}.npy".replace(":", "_")
                    result = run(UNIHIST, "histogram", data, "--bins", bins, "--device", device, "--dtype", "f32", "-o",
                                 path)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    results.append(path.read_bytes())
                self.assertEqual(results[0], results[1], bins)

    def test_the_runtime_adds_little_to_a_launch(self):
        if not PERF:
            self.skipTest("UNIHIST_PERF names no program")
        result = run(PERF, "runtime", "--device", GPU, "--check", "--jobs", "launch", "--min-time", "0.5")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
