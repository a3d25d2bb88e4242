# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests of the command share: running it, and arrays in files."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy")
    sys.exit(77)

UNIHIST = os.environ.get("UNIHIST")
if not UNIHIST:
    print("skipped: UNIHIST does not name the command")
    sys.exit(77)

DTYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
METHODS = ["auto", "mesh", "binary", "uniform", "logarithm", "piecewise", "compare", "packed", "cdf"]

COARSE = "UNIHIST_TEST_COARSE" in os.environ


def some(cases, step=4):
    """The cases; in a coarse run (UNIHIST_TEST_COARSE, which toolchain/test sets) every `step`-th."""
    return list(cases)[:: step if COARSE else 1]


def pairs(firsts, seconds, step=4):
    """All pairs; in a coarse run each first one with every `step`-th of the second ones, which take turns."""
    seconds = list(seconds)
    for i, first in enumerate(firsts):
        for second in seconds[i % min(step, len(seconds)) :: step] if COARSE else seconds:
            yield first, second


def by(method):
    """The options that choose a method; the distribution that cdf goes by need not fit."""
    return ["--method", method] + (["--distribution", "normal:0,1"] if method == "cdf" else [])


def run(*arguments, stdin=b"", env=None, timeout=60):
    """Runs the command to its end; its output is bytes."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    return subprocess.run([UNIHIST, *map(str, arguments)], input=stdin, capture_output=True, env=environment,
                          timeout=timeout, check=False)


class CommandTest(unittest.TestCase):
    """Gives every test an empty folder and ways to run the command in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save(self, name, array):
        path = self.folder / name
        np.save(path, np.asarray(array))
        return path

    def succeed(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return result

    def histogram(self, *arguments, **options):
        """Runs `unihist histogram` and returns its JSON file as a dictionary of Python numbers and NumPy arrays."""
        path = self.folder / "result.json"
        result = self.succeed("histogram", *arguments, "-o", path, **options)
        self.assertEqual(result.stderr, b"")
        found = json.loads(path.read_text())
        found["edges"] = np.asarray(found["edges"], dtype=float)
        found["counts"] = np.asarray(found["counts"], dtype=np.uint64)
        return found

    def equal(self, left, right, message=None):
        np.testing.assert_array_equal(np.asarray(left), np.asarray(right), err_msg=str(message))


def main():
    unittest.main(verbosity=2)
