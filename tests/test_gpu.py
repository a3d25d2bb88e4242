# SPDX-License-Identifier: Apache-2.0
"""Real hardware, if present: the tests that run on any device, the command on the GPU compared with the host, and
what the runtime adds to a launch. Skipped without a Level Zero GPU with its own driver. Takes UNIHIST and
UNIHIST_PERF, the programs, and UNIHIST_DEVICE_TESTS, a file with a test a line: its program, its name, its arguments.

toolchain/test-gpu runs it for each device that it finds: UNIHIST_TEST_GPU is the device then, on any driver that the
environment has, and UNIHIST_TEST_ONLY a regular expression that the tests' lines must have in them. Each test has
UNIHIST_TEST_TIMEOUT seconds (600), since a device that hangs may not come back by itself."""
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import time
import unittest

UNIHIST = os.environ.get("UNIHIST")
PERF = os.environ.get("UNIHIST_PERF")
TESTS = os.environ.get("UNIHIST_DEVICE_TESTS")
ONLY = os.environ.get("UNIHIST_TEST_ONLY", "")
TIMEOUT = float(os.environ.get("UNIHIST_TEST_TIMEOUT", "600"))

# Variables that replace the hardware's driver, or make it work without hardware.
STAND_INS = ("ZE_ENABLE_ALT_DRIVERS", "ZE_ENABLE_NULL_DRIVER", "NEOReadDebugKeys", "SetCommandStreamReceiver",
             "ProductFamilyOverride", "HardwareInfoOverride", "ONEAPI_DEVICE_SELECTOR", "UNIHIST_TEST_DEVICE")
ENVIRONMENT = dict(os.environ)
if not os.environ.get("UNIHIST_TEST_GPU"):
    ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in STAND_INS}


def run(*arguments, **variables):
    """The finished process; one that did not end in time has the exit code of timeout(1), 124."""
    command = [str(argument) for argument in arguments]
    try:
        return subprocess.run(command, env={**ENVIRONMENT, **variables}, capture_output=True, text=True,
                              errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired as late:
        said = [(output or b"").decode(errors="replace") for output in (late.stdout, late.stderr)]
        return subprocess.CompletedProcess(command, 124, said[0], f"{said[1]}\nstill at work after {TIMEOUT:g} s")


def find_gpu():
    """The selector of the first GPU, or of the requested devices; skips all tests if there is no GPU."""
    if not UNIHIST:
        raise unittest.SkipTest("UNIHIST does not name the command")
    if os.environ.get("UNIHIST_TEST_GPU"):
        return os.environ["UNIHIST_TEST_GPU"]
    listed = run(UNIHIST, "devices").stdout.splitlines()
    for line, kind in zip(listed, listed[1:]):
        if line.startswith("level_zero:") and kind.split()[:2] == ["kind", "gpu,"]:
            print(line)
            return line.split()[0]
    said = run(UNIHIST, "histogram", "--device", "gpu", os.devnull).stderr.strip()
    raise unittest.SkipTest(f"there is no Level Zero GPU: {said}")


GPU = find_gpu()
CARD = re.fullmatch(r"level_zero:(\d+)", GPU)

NATIVE_PROGRAMS = ("tests_runtime", "tests_runtime_ze", "tests_interop", "tests_kernels")
# The tests of the runtime and of single kernels are of one native device, the first: the card, as a whole.
NATIVE = {"ZE_FLAT_DEVICE_HIERARCHY": "COMPOSITE", "ZE_AFFINITY_MASK": CARD[1],
          "UNIHIST_TEST_DEVICE": "level_zero:0"} if CARD else {}


def tests():
    """The lines of the list that are for such devices: of tiles, and of several that are one, what descriptions say."""
    lines = pathlib.Path(TESTS).read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if re.search(ONLY, line) and (CARD or "test_described_exact" in line)]


class Hardware(unittest.TestCase):
    def test_every_test_for_devices_passes(self):
        if ONLY and not CARD and not tests():
            self.skipTest(f"no test of {GPU} has '{ONLY}' in it")
        self.assertTrue(tests(), ONLY)
        for program, *test in tests():
            with self.subTest(" ".join(test)):
                begin = time.monotonic()
                native = pathlib.Path(program).name in NATIVE_PROGRAMS
                result = run(program, *test, **(NATIVE if native else {"UNIHIST_TEST_DEVICE": GPU}))
                verdict = {0: "ok", 77: "skipped"}.get(result.returncode, f"FAILED with {result.returncode}")
                print(f"{verdict:8} {time.monotonic() - begin:6.1f} s  {' '.join(test)}", flush=True)
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
                    path = pathlib.Path(folder) / (re.sub(r"\W", "_", device) + ".npy")
                    result = run(UNIHIST, "histogram", data, "--bins", bins, "--device", device, "--dtype", "f32", "-o",
                                 path)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    results.append(path.read_bytes())
                self.assertEqual(results[0], results[1], bins)

    def test_the_runtime_adds_little_to_a_launch(self):
        if not PERF or not CARD:
            self.skipTest("UNIHIST_PERF names no program" if not PERF else "a launch is on one device")
        result = run(PERF, "runtime", "--device", GPU, "--goals", "--jobs", "launch", "--min-time", "0.5")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
